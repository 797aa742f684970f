// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
#include "refmodel/controller/link_layer.hpp"

#include <algorithm>

namespace cxlgpu {

namespace {

constexpr std::uint8_t byte(unsigned value) {
  return static_cast<std::uint8_t>(value);
}

RetryLocal::Limits retry_limits(const ControllerParams& params) {
  RetryLocal::Limits limits = params.limits;
  limits.wrap_inclusive = params.wrap_inclusive;
  return limits;
}

}  // namespace

LinkLayer::LinkLayer(const ControllerParams& params)
    : params_(params),
      packer_(params.is_host, params.has_cache),
      unpacker_(params.is_host, params.has_cache),
      nd_return_(params.nd_rx_depth),
      wd_return_(params.wd_rx_depth),
      local_(retry_limits(params)),
      buffer_(params.llrb_depth) {}

// ------------------------------------------------------------------------------------ transmit

// The fields that return receive space of the CXL.mem channels: NDR by RspCrd (host), Req by ReqCrd
// (device), data by DataCrd. Where CXL.cache has credits for the same field, the two take turns.
LinkLayer::CreditFields LinkLayer::credit_fields(const In& in) const {
  if (in.control.crd_stall) return {};
  const auto field = [&in](unsigned mem, CacheChannel channel) -> CreditField {
    const unsigned cache = in.cache.code[channel];
    if (cache != 0 && (mem == 0 || in.cache.prefer_cache[channel])) {
      return {byte(cache), Pool::kCache};
    }
    return {mem_credit(mem), mem != 0 ? Pool::kMem : Pool::kNone};
  };
  const unsigned nd = nd_return_.eval().code;
  return {.req = field(params_.is_host ? 0 : nd, kCreq),
          .rsp = field(params_.is_host ? nd : 0, kCrsp),
          .data = field(wd_return_.eval().code, kCdat)};
}

CachePacker::In LinkLayer::packer_in(const In& in) const {
  const CreditFields crd = credit_fields(in);
  return {.mem = {.start = false,
                  .take = false,
                  .hold_new = buffer_.eval().num_free < kRoomForRun,
                  .mdh_disable = in.control.mdh_disable,
                  .nd_valid = std::min({in.nd_count, nd_credits(), 2u}),
                  .nd_hdr = in.nd_hdr,
                  .wd_valid = std::min({in.wd_count, wd_credits(), 2u}),
                  .wd = in.wd,
                  .ak = num_ack_ >= kAkUnit,
                  .rsp_crd = crd.rsp.code,
                  .req_crd = crd.req.code,
                  .data_crd = crd.data.code},
          .cache = in.cache.offer};
}

// A run of all-data flits that nothing may split.
bool LinkLayer::adf_run() const {
  const RetryBuffer::Out b = buffer_.eval();
  return packer_.owed() >= 4 || (b.replaying && b.replay_is_adf);
}

LinkLayer::Sequence LinkLayer::sequence_due() const {
  if (sequence_ != Sequence::kNone) return sequence_;
  if (adf_run()) return Sequence::kNone;
  if (buffer_.eval().llrack) return Sequence::kAck;
  const bool request = local().state == RetryLocal::State::kLlrReq && !local_.exhausted();
  return request ? Sequence::kReq : Sequence::kNone;
}

LinkLayer::Selection LinkLayer::sequence_flit(Sequence kind) const {
  const RetryLocal::Out l = local();
  const RetryBuffer::Out b = buffer_.eval();
  Selection s{.choice = Choice::kFrame, .sequence = kind};
  if (frames_sent_ < kFrames) {
    s.payload = control_payload(flits::RetryFrame{});
  } else if (kind == Sequence::kReq) {
    s.choice = Choice::kReq;
    s.payload = control_payload(flits::RetryReq{.eseq = byte(l.eseq),
                                                .num_retry = byte(l.num_retry + 1),
                                                .num_phy_reinit = byte(l.num_phy_reinit)});
  } else {
    s.choice = Choice::kAck;
    s.payload = control_payload(flits::RetryAck{.empty = b.eseq_echo == b.wr_ptr,
                                                .viral = viral_sent_,
                                                .num_retry = byte(b.num_retry_echo),
                                                .wr_ptr = byte(b.wr_ptr),
                                                .eseq = byte(b.eseq_echo),
                                                .num_free_buf = byte(b.num_free)});
  }
  return s;
}

std::optional<flits::Llcrd> LinkLayer::forced_llcrd(const In& in) const {
  const std::uint8_t full_ack = byte(std::min(num_ack_, 255u));
  const unsigned room = full_ack > 0 ? 2 : 3;
  if (!force(in) || packer_.owed() >= 4 || buffer_.eval().num_free < room) return std::nullopt;
  const CreditFields crd = credit_fields(in);
  return flits::Llcrd{full_ack, crd.rsp.code, crd.req.code, crd.data.code};
}

LinkLayer::Selection LinkLayer::new_flit(const In& in) const {
  const CachePacker::In offer = packer_in(in);
  const CachePacker::Out packed = packer_.eval(offer);
  const bool room = packed.mem.is_adf || buffer_.eval().num_free >= kRoomForRun;
  if (!packed.mem.has_content || !room) return {};
  Selection s{.choice = Choice::kNew, .payload = packed.mem.flit, .packed = packed};
  if (offer.mem.ak && !packed.mem.is_adf) s.acks_returned = kAkUnit;
  return s;
}

// The priority list of T2, as if a flit could be selected in this cycle.
LinkLayer::Selection LinkLayer::priority(const In& in) const {
  if (const Sequence due = sequence_due(); due != Sequence::kNone) return sequence_flit(due);
  const Selection idle{.choice = Choice::kIdle, .payload = control_payload(flits::RetryIdle{})};
  const RetryBuffer::Out b = buffer_.eval();
  if (b.replaying) return {.choice = Choice::kReplay, .payload = b.replay_payload};
  if (!heard_) return idle;
  if (!param_sent_) {
    if (in.control.init_stall) return idle;
    const flits::InitParam param{.wrap = byte(wrap_value())};
    return {.choice = Choice::kInitParam, .payload = control_payload(param)};
  }
  if (!param_received_) return idle;
  if (const auto llcrd = forced_llcrd(in)) {
    Selection s{.choice = Choice::kLlcrd, .payload = control_payload(*llcrd)};
    s.acks_returned = llcrd->full_ack;
    return s;
  }
  const Selection s = new_flit(in);
  if (s.choice != Choice::kNothing) return s;
  return local().state == RetryLocal::State::kLocalIdle ? idle : Selection{};
}

// The first flit that the peer must ask for again announces viral.
LinkLayer::Selection LinkLayer::select(const In& in) const {
  Selection s = priority(in);
  const bool may_be_lost =
      s.choice == Choice::kReplay || s.choice == Choice::kLlcrd || s.choice == Choice::kNew;
  s.damaged = may_be_lost && announce(in);
  return s;
}

// ------------------------------------------------------------------------------------- receive

// Framed sequences count in every state of the retry machine.
void LinkLayer::find_sequence(Received& r) const {
  const bool is_adf = r.accepted && unpacker_.owed() >= 4;
  r.frames_next = 0;
  if (!r.good || is_adf) return;
  r.control = read_control(r1_->payload);
  if (std::holds_alternative<flits::RetryFrame>(r.control)) {
    r.frames_next = std::min(frames_ + 1, kFrames);
  }
  if (frames_ < kFrames) return;
  if (const auto* req = std::get_if<flits::RetryReq>(&r.control)) r.req_seq = *req;
  if (const auto* ack = std::get_if<flits::RetryAck>(&r.control)) r.ack_seq = *ack;
}

FlitUnpacker::In LinkLayer::unpacker_in(const In& in, bool valid) const {
  return {.start = false,
          .mdh_disable = in.control.mdh_disable,
          .valid = valid,
          .flit = r1_ ? r1_->payload : Payload{}};
}

LinkLayer::Received LinkLayer::receive(const In& in) const {
  Received r;
  r.frames_next = frames_;
  if (!r1_) return r;
  r.good = !r1_->bad;
  r.accepted = r.good && local().state == RetryLocal::State::kNormal;
  r.unpacked = unpacker_.eval(unpacker_in(in, r.accepted));
  find_sequence(r);
  if (!r.accepted) return r;
  const auto* llcrd = std::get_if<flits::Llcrd>(&r.control);
  const bool param = std::holds_alternative<flits::InitParam>(r.control);
  r.retryable = !r.unpacked.mem.is_control || llcrd != nullptr || param;
  r.early = r.retryable && !param && !param_received_;
  if (r.early) {
    r.unpacked = {};
    return r;
  }
  r.has_credits = r.unpacked.mem.is_protocol || llcrd != nullptr;
  if (llcrd != nullptr) r.acks = llcrd->full_ack;
  if (r.unpacked.mem.is_protocol && get_header(r1_->payload).ak) r.acks = kAkUnit;
  return r;
}

// Errors of the flit in R2.
unsigned LinkLayer::errors(const Received& r) const {
  unsigned err = 0;
  if (r1_ && r1_->bad) err |= link_err::kCrc;
  if (r.ack_seq && local().state != RetryLocal::State::kLocalIdle) err |= link_err::kUnexpectedAck;
  if (r.req_seq && buffer_.eval({.req_seq = true, .req_eseq = r.req_seq->eseq}).bad_req) {
    err |= link_err::kProtocol;
  }
  if (!r.accepted) return err;
  const bool unknown =
      r.unpacked.mem.is_control && std::holds_alternative<flits::UnknownControl>(r.control);
  const bool param = std::holds_alternative<flits::InitParam>(r.control);
  const bool over_ack = buffer_.eval({.ack = r.acks}).over_ack;
  if (r.unpacked.mem.err || unknown || over_ack) err |= link_err::kProtocol;
  if (r.early) err |= link_err::kBeforeInit;
  if (param && param_received_) err |= link_err::kSecondInit;
  return err;
}

// The RETRY.Ack in R2 is the answer waited for, and it says Viral.
bool LinkLayer::hears_viral(const Received& r) const {
  const RetryLocal::Out l = local();
  return r.ack_seq && r.ack_seq->viral && l.state == RetryLocal::State::kLocalIdle &&
         r.ack_seq->num_retry == l.num_retry;
}

// Errors seen as a step of the retry machine.
unsigned LinkLayer::retry_errors(const In& in, RetryLocal::State before) const {
  if (local().state != RetryLocal::State::kLlrReq) return 0;
  if (before == RetryLocal::State::kNormal) return link_err::kRetry;
  const bool timeout = before == RetryLocal::State::kLocalIdle && !in.phy_reinit_done;
  return timeout ? link_err::kTimeout : 0;
}

// --------------------------------------------------------------------------------- eval and edge

LinkLayer::Out LinkLayer::eval(const In& in) const {
  Out out{};
  out.start = starting(in);
  const Selection s = can_select(in) ? select(in) : Selection{};
  out.nd_take = s.packed.mem.nd_take;
  out.wd_take = s.packed.mem.wd_take;
  const Received r = receive(in);
  out.nd_valid = r.unpacked.mem.nd_valid;
  out.nd_hdr = r.unpacked.mem.nd_hdr;
  out.wd_valid = r.unpacked.mem.wd_valid;
  out.wd = r.unpacked.mem.wd;
  if (params_.has_cache) out.cache = to_cache(in, s, r);
  out.link_tx_valid = up_ && output_.has_value();
  out.link_tx_flit = output_.value_or(CrcFlit{});
  out.phy_reinit_req = local().phy_reinit_req;
  out.init_done = initialised();
  out.abort = local().state == RetryLocal::State::kAbort;
  out.err = err_;
  out.err_flit = err_flit_;
  out.viral = viral_heard_;
  out.status = status(in.control);
  return out;
}

LinkToCache LinkLayer::to_cache(const In& in, const Selection& s, const Received& r) const {
  LinkToCache cache{.creq_take = s.packed.creq_take,
                    .crsp_take = s.packed.crsp_take,
                    .cdat_take = s.packed.cdat_take,
                    .received = r.unpacked.cache};
  if (s.bearing()) {
    const CreditFields crd = credit_fields(in);
    cache.sent = {crd.req.pool, crd.rsp.pool, crd.data.pool};
  }
  if (r.has_credits) {
    const flits::FlitHeader header = get_header(r1_->payload);
    const auto code = [](unsigned field) { return field < 8 ? field : 0; };
    cache.granted = {code(header.req_crd), code(header.rsp_crd), code(header.data_crd)};
  }
  return cache;
}

LinkStatus LinkLayer::status(const LinkControl& control) const {
  LinkStatus status = seen_;
  const bool held_back = control.init_stall && !param_sent_;
  if (!up_ || held_back) {
    status.init_state = 0;
  } else if (!initialised()) {
    status.init_state = 1;
  } else {
    status.init_state = control.crd_stall ? 2 : 3;
  }
  status.llrb_used = params_.llrb_depth - buffer_.eval().num_free;
  status.nd_return = nd_return_.eval().pending;
  status.wd_return = wd_return_.eval().pending;
  status.nd_credit = nd_credits();
  status.wd_credit = wd_credits();
  return status;
}

void LinkLayer::restart(const LinkControl& control) {
  const ControllerParams params = params_;
  RetryBuffer buffer = std::move(buffer_);
  *this = LinkLayer(params);
  buffer_ = std::move(buffer);
  buffer_.clock({.start = true});
  nd_return_.clock({.start = true, .held = control.nd_held});
  wd_return_.clock({.start = true, .held = control.wd_held});
  up_ = true;
}

void LinkLayer::clock(const In& in) {
  const Received r = receive(in);
  const bool viral_heard = hears_viral(r);
  const Payload flit = r1_ ? r1_->payload : Payload{};
  if (starting(in)) {
    const unsigned err = errors(r);
    restart(in.control);
    err_ = err;
    err_flit_ = flit;
    viral_heard_ = viral_heard;
    return;
  }
  const Selection s = can_select(in) ? select(in) : Selection{};
  CachePacker::In offer = packer_in(in);
  offer.mem.take = s.choice == Choice::kNew;
  const RetryLocal::State before = local().state;
  // All decisions are made; the parts step.
  err_ = errors(r);
  err_flit_ = flit;
  viral_heard_ = viral_heard;
  clock_acks_and_timer(in, s, r);
  clock_credits(in, s, r);
  packer_.clock(offer);
  unpacker_.clock(unpacker_in(in, r.accepted && !r.early));
  clock_retry(in, s, r);
  err_ |= retry_errors(in, before);
  clock_seen(r);
  clock_init(s, r);
  clock_viral(in, s);
  clock_transmit(in, s);
  clock_receive(in, r);
  up_ = in.link_up;
}

void LinkLayer::clock_transmit(const In& in, const Selection& s) {
  const bool frame = s.choice == Choice::kFrame;
  if (s.sequence != Sequence::kNone) {
    sequence_ = frame ? s.sequence : Sequence::kNone;
    frames_sent_ = frame ? frames_sent_ + 1 : 0;
  }
  if (in.phy_reinit_done) {  // the peer requests again, and so do we
    sequence_ = Sequence::kNone;
    frames_sent_ = 0;
  }
  const bool free = output_free(in);
  const bool load = !selected_ || free;
  if (free) {
    output_.reset();
    if (selected_) {
      const std::uint16_t crc = crc_of(selected_->payload);
      output_ =
          CrcFlit{selected_->payload, selected_->damaged ? static_cast<std::uint16_t>(~crc) : crc};
    }
  }
  if (!load) return;
  selected_.reset();
  if (s.choice != Choice::kNothing) selected_ = Selected{s.payload, s.damaged};
}

void LinkLayer::clock_receive(const In& in, const Received& r) {
  if (r1_) frames_ = r.frames_next;
  if (in.phy_reinit_done) frames_ = 0;
  r1_.reset();
  if (up_ && in.link_rx_valid) {
    r1_ = Checked{in.link_rx_flit.payload, crc_of(in.link_rx_flit.payload) != in.link_rx_flit.crc};
  }
}

// The timer counts the cycles in which a flit may be selected: on a busy link its flit times.
void LinkLayer::clock_acks_and_timer(const In& in, const Selection& s, const Received& r) {
  const bool pending =
      nd_return_.eval().pending > 0 || wd_return_.eval().pending > 0 || in.cache.pending;
  const bool credits = pending && !in.control.crd_stall;
  const bool to_return = num_ack_ > 1 || credits;
  if (s.bearing() || !to_return) {
    timer_ = 0;
  } else if (can_select(in) && timer_ < flush(in)) {
    ++timer_;
  }
  num_ack_ = std::min(kMostAcks, num_ack_ + (r.retryable ? 1 : 0) - s.acks_returned);
}

void LinkLayer::clock_credits(const In& in, const Selection& s, const Received& r) {
  const flits::FlitHeader header = r1_ ? get_header(r1_->payload) : flits::FlitHeader{};
  const auto grant = [&r](unsigned field, unsigned use) {
    const bool mem = r.has_credits && field >= 8;
    return CreditTx::In{.start = false, .add_valid = mem, .add_code = field & 7, .use = use};
  };
  const unsigned nd_field = params_.is_host ? header.req_crd : header.rsp_crd;
  nd_credit_.clock(grant(nd_field, s.packed.mem.nd_take));
  wd_credit_.clock(grant(header.data_crd, s.packed.mem.wd_take));
  const CreditFields sent = s.bearing() ? credit_fields(in) : CreditFields{};
  const CreditField& nd_sent = params_.is_host ? sent.rsp : sent.req;
  nd_return_.clock(
      {.start = false, .freed = in.nd_freed ? 1u : 0u, .sent = nd_sent.pool == Pool::kMem});
  const unsigned wd_freed = (in.wd_freed ? 1 : 0) + (r.unpacked.mem.wd_half ? 1 : 0);
  wd_return_.clock({.start = false, .freed = wd_freed, .sent = sent.data.pool == Pool::kMem});
}

void LinkLayer::clock_retry(const In& in, const Selection& s, const Received& r) {
  const flits::RetryReq req = r.req_seq.value_or(flits::RetryReq{});
  const flits::RetryAck ack = r.ack_seq.value_or(flits::RetryAck{});
  const bool stored =
      s.choice == Choice::kNew || s.choice == Choice::kLlcrd || s.choice == Choice::kInitParam;
  buffer_.clock({.start = false,
                 .push = stored,
                 .push_payload = s.payload,
                 .push_is_adf = s.packed.mem.is_adf,
                 .ack = r.acks,
                 .req_seq = r.req_seq.has_value(),
                 .req_eseq = req.eseq,
                 .req_num_retry = req.num_retry,
                 .ack_sent = s.choice == Choice::kAck,
                 .replay_take = s.choice == Choice::kReplay,
                 .phy_done = in.phy_reinit_done});
  local_.clock({.start = false,
                .flit_valid = r1_.has_value(),
                .flit_bad = r1_ && r1_->bad,
                .flit_retryable = r.retryable,
                .ack_seq = r.ack_seq.has_value(),
                .ack_num_retry = ack.num_retry,
                .ack_empty = ack.empty,
                .tx_flit = s.choice != Choice::kNothing,
                .req_sent = s.choice == Choice::kReq,
                .phy_done = in.phy_reinit_done,
                .wrap = wrap_});
}

void LinkLayer::clock_init(const Selection& s, const Received& r) {
  heard_ = heard_ || r.good;
  param_sent_ = param_sent_ || s.choice == Choice::kInitParam;
  const auto* param = std::get_if<flits::InitParam>(&r.control);
  if (!r.accepted || param == nullptr) return;
  if (!param_received_) wrap_ = param->wrap;
  param_received_ = true;
}

// Before clock_init(): only the first INIT.Param counts.
void LinkLayer::clock_seen(const Received& r) {
  if (r.req_seq) {
    seen_.num_retry = r.req_seq->num_retry;
    seen_.num_phy_reinit = r.req_seq->num_phy_reinit;
  }
  if (r.ack_seq) {
    seen_.wr_ptr = r.ack_seq->wr_ptr;
    seen_.eseq_echo = r.ack_seq->eseq;
    seen_.num_free = r.ack_seq->num_free_buf;
  }
  const auto* param = std::get_if<flits::InitParam>(&r.control);
  if (!r.accepted || param == nullptr || param_received_) return;
  seen_.version = param->version;
  seen_.wrap = param->wrap;
}

void LinkLayer::clock_viral(const In& in, const Selection& s) {
  viral_sent_ = in.viral && (viral_sent_ || s.damaged);
}

}  // namespace cxlgpu
