// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
#include "io_link.hpp"

#include <algorithm>

namespace peer {
namespace {

constexpr uint16_t kSequenceMask = 0xfff;
constexpr unsigned kHeaderMask = 0xff;
constexpr unsigned kDataMask = 0xfff;

constexpr uint8_t kAck = 0x00;
constexpr uint8_t kFeature = 0x02;
constexpr uint8_t kNak = 0x10;
constexpr unsigned kInitFc1 = 0x40;
constexpr unsigned kInitFc2 = 0xc0;
constexpr unsigned kUpdateFc = 0x80;

Dllp sequence_dllp(uint8_t type, uint16_t sequence) {
  return {type, 0, static_cast<uint8_t>(sequence >> 8 & 0xf), static_cast<uint8_t>(sequence)};
}
unsigned headers_in(const Dllp& dllp) {
  return (dllp[1] & 0x3fU) << 2 | dllp[2] >> 6;
}
unsigned data_in(const Dllp& dllp) {
  return (dllp[2] & 0xfU) << 8 | dllp[3];
}
unsigned header_scale_in(const Dllp& dllp) {
  return dllp[1] >> 6;
}
unsigned data_scale_in(const Dllp& dllp) {
  return dllp[2] >> 4 & 3U;
}
unsigned scaled(unsigned value, unsigned scale) {
  return scale < 2 ? value : value << (scale == 2 ? 2 : 4);
}

}  // namespace

Flow flow_of(std::span<const uint8_t> tlp) {
  const unsigned type = tlp[0] & 0x1f;
  const bool with_data = (tlp[0] & 0x40) != 0;
  if ((type & 0x18) == 0x10) return Flow::Posted;      // messages
  if (type == 0x00 && with_data) return Flow::Posted;  // memory write
  if ((type & 0x1e) == 0x0a) return Flow::Completion;
  return Flow::NonPosted;
}

unsigned data_credits_of(std::span<const uint8_t> tlp) {
  if ((tlp[0] & 0x40) == 0) return 0;
  unsigned length = (tlp[2] & 3U) << 8 | tlp[3];
  if (length == 0) length = 1024;
  return (length + 3) / 4;
}

IoLink::IoLink(const IoLinkConfig& config)
    : config_(config),
      random_(config.seed),
      framer_(config.spread, config.one_per_flit),
      deframer_({[this](const Dllp& d, bool good) { take_dllp(d, good); },
                 [this](const FramedTlp& t) { take_tlp(t); },
                 [this](std::string_view clause, std::string_view what) {
                   if (config_.clean_line) violations_.add(clause, what);
                 },
                 [this](std::string_view clause, std::string_view what) {
                   ++counts_.framing_errors;
                   if (config_.clean_line) violations_.add(clause, what);
                   retrain_ = true;
                   request_nak();
                 }}) {
  enter(State::Inactive);
}

// ---- the state machine ---------------------------------------------------------------------

void IoLink::link_down() {
  enter(State::Inactive);
  active_ = false;
}

void IoLink::active(bool is_active) {
  if (is_active == active_) return;
  active_ = is_active;
  // The stream starts with a token after every pass through Recovery, and what was on its way is
  // lost.
  framer_.reset();
  deframer_.reset();
  if (state_ != State::Inactive) {
    excused_gap_ = true;
    excuse_nak((next_sequence_ - 1U) & kSequenceMask);
  } else if (is_active) {
    enter(config_.data_link_feature ? State::Feature : State::Init1);
  }
}

void IoLink::enter(State state) {
  state_ = state;
  init_timer_ = 0;
  init_next_ = 0;
  if (state != State::Inactive) return;
  framer_.reset();
  deframer_.reset();
  remote_feature_valid_ = remote_scaled_ = scaled_ = fi2_ = false;
  init2_round_done_ = init2_last_round_ = false;
  init1_expected_ = 0;
  for (size_t i = 0; i < kFlows; ++i) {
    credits_[i] = Credit{};
    credits_[i].headers_granted = config_.headers[i];
    credits_[i].data_granted = config_.data[i];
    queue_[i].clear();
  }
  retry_.clear();
  replay_at_ = SIZE_MAX;
  next_sequence_ = 0;
  acked_ = kSequenceMask;
  replay_timer_ = replay_number_ = 0;
  last_acked_.reset();
  expected_ = 0;
  nak_scheduled_ = nak_due_ = ack_due_ = false;
  excused_gap_ = excused_nak_ = false;
  received_.clear();
  retrain_ = false;
}

void IoLink::tick() {
  violations_.at(++now_);
  if (!active_) return;  // no timer of the data link runs in Recovery
  ++init_timer_;
  if (ack_delay_ != 0) --ack_delay_;
  for (Credit& c : credits_) ++c.since_update;
  if (state_ == State::Init1 && std::ranges::all_of(credits_, &Credit::known)) enter(State::Init2);
  // One round of InitFC2 more after FI2: the other side may have been in FC_INIT1 during the last.
  if (state_ == State::Init2 && fi2_ && !init2_last_round_) {
    init2_last_round_ = true;
    init2_round_done_ = false;
    init_next_ = 0;
  }
  if (state_ == State::Init2 && fi2_ && init2_round_done_) state_ = State::Active;
  if (retry_.empty()) {
    replay_timer_ = 0;
  } else if (replay_at_ == SIZE_MAX && ++replay_timer_ > config_.replay_timer) {
    start_replay();
  }
}

bool IoLink::take_retrain_request() {
  return std::exchange(retrain_, false);
}

// ---- transmitter ---------------------------------------------------------------------------

std::optional<Flit> IoLink::tx() {
  if (state_ == State::Inactive) return std::nullopt;
  if (wrong_ == LinkWrong::FramingToken && state_ == State::Active) {
    wrong_ = LinkWrong::None;
    framer_.garble_next();
  }
  return framer_.flit([this] { return next_packet(); });
}

std::optional<IoFramer::Packet> IoLink::next_packet() {
  if (state_ == State::Feature || state_ == State::Init1 || state_ == State::Init2) {
    if (auto packet = next_init()) return packet;
  }
  if (state_ != State::Init2 && state_ != State::Active) return std::nullopt;
  if (auto packet = next_dllp()) return packet;
  return state_ == State::Active ? next_tlp() : std::nullopt;
}

std::optional<IoFramer::Packet> IoLink::next_init() {
  if (state_ == State::Feature) {
    if (init_next_ != 0 && init_timer_ < config_.init_interval) return std::nullopt;
    init_timer_ = 0;
    init_next_ = 1;
    // Scaled flow control is the only feature, bit 0 of Feature Supported.
    return dllp({kFeature, static_cast<uint8_t>(remote_feature_valid_ ? 0x80 : 0), 0, 1});
  }
  if (init_next_ == kFlows) {
    if (state_ == State::Init2) init2_round_done_ = true;
    if (init_timer_ < config_.init_interval) return std::nullopt;
    init_timer_ = 0;
    init_next_ = 0;
  }
  const auto flow = static_cast<Flow>(init_next_++);
  const size_t i = static_cast<size_t>(flow);
  const Dllp init = flow_dllp(state_ == State::Init1 ? kInitFc1 : kInitFc2, flow,
                              config_.headers[i], config_.data[i]);
  if (state_ == State::Init2 && wrong_ == LinkWrong::LoseInitFc2) {
    return IoFramer::dllp_packet(init, false);
  }
  return dllp(init);
}

std::optional<IoFramer::Packet> IoLink::next_dllp() {
  if (nak_due_) {
    nak_due_ = ack_due_ = false;
    ++counts_.naks_sent;
    return dllp(sequence_dllp(kNak, (expected_ - 1) & kSequenceMask));
  }
  if (ack_due_ && ack_delay_ == 0 && !nak_scheduled_) {
    ack_due_ = false;
    return dllp(sequence_dllp(kAck, (expected_ - 1) & kSequenceMask));
  }
  if (state_ != State::Active) return std::nullopt;
  // With the InitFC2 lost, only a TLP may end the other side's FC_INIT2.
  if (wrong_ == LinkWrong::LoseInitFc2) return std::nullopt;
  if (wrong_ == LinkWrong::BadDllpCrc) {
    wrong_ = LinkWrong::None;
    // An acknowledgement that would be an error, had it been taken.
    return IoFramer::dllp_packet(sequence_dllp(kAck, (expected_ + 100) & kSequenceMask), false);
  }
  if (wrong_ == LinkWrong::UnknownDllp) {
    wrong_ = LinkWrong::None;
    return dllp({0x3f, 0x12, 0x34, 0x56});
  }
  for (size_t i = 0; i < kFlows; ++i) {
    Credit& c = credits_[i];
    const bool finite = config_.headers[i] != 0 || config_.data[i] != 0;
    if (!finite) continue;
    const bool due = c.headers_freed != 0 || c.data_freed != 0;
    if (!(due && (config_.single_update || c.since_update >= 64)) &&
        c.since_update < config_.update_interval) {
      continue;
    }
    const unsigned headers =
        config_.single_update ? std::min(1U, c.headers_freed) : c.headers_freed;
    const unsigned data = config_.single_update ? std::min(1U, c.data_freed) : c.data_freed;
    c.headers_freed -= headers;
    c.data_freed -= data;
    c.headers_granted += headers;
    c.data_granted += data;
    c.since_update = 0;
    return dllp(flow_dllp(kUpdateFc, static_cast<Flow>(i),
                          config_.headers[i] != 0 ? c.headers_granted : 0,
                          config_.data[i] != 0 ? c.data_granted : 0));
  }
  return std::nullopt;
}

std::optional<IoFramer::Packet> IoLink::next_tlp() {
  if (wrong_ == LinkWrong::SequenceRepeated && last_acked_) {
    wrong_ = LinkWrong::None;
    return IoFramer::tlp_packet(last_acked_->sequence, last_acked_->tlp);
  }
  if (replay_at_ != SIZE_MAX) {
    if (replay_at_ < retry_.size()) return tlp(retry_[replay_at_++]);
    replay_at_ = SIZE_MAX;
  }
  if (((next_sequence_ - acked_) & kSequenceMask) >= 2048) return std::nullopt;
  // Nothing passes a posted request that waits for credits; completions pass non-posted requests.
  for (const Flow flow : {Flow::Posted, Flow::Completion, Flow::NonPosted}) {
    auto& queue = queue_[static_cast<size_t>(flow)];
    if (queue.empty()) continue;
    if (!may_send(queue.front(), flow)) {
      if (flow == Flow::Posted) return std::nullopt;
      continue;
    }
    if (wrong_ == LinkWrong::NullifiedTlp) {  // it takes no sequence number and no credit
      wrong_ = LinkWrong::None;
      return IoFramer::tlp_packet(next_sequence_, queue.front(), IoFramer::Lcrc::Inverted);
    }
    Credit& c = credit(flow);
    c.headers_used = (c.headers_used + 1) & kHeaderMask;
    c.data_used = (c.data_used + data_credits_of(queue.front())) & kDataMask;
    retry_.push_back({next_sequence_, std::move(queue.front())});
    queue.pop_front();
    next_sequence_ = (next_sequence_ + 1) & kSequenceMask;
    ++counts_.tlps_sent;
    return tlp(retry_.back());
  }
  return std::nullopt;
}

IoFramer::Packet IoLink::dllp(const Dllp& dllp) {
  return IoFramer::dllp_packet(dllp, !chance(config_.dllp_damage));
}

IoFramer::Packet IoLink::tlp(const Sent& sent) {
  using Lcrc = IoFramer::Lcrc;
  switch (wrong_) {
    case LinkWrong::BadLcrc:
      wrong_ = LinkWrong::None;
      return IoFramer::tlp_packet(sent.sequence, sent.tlp, Lcrc::Bad);
    case LinkWrong::SequenceAhead:
      wrong_ = LinkWrong::None;
      return IoFramer::tlp_packet((sent.sequence + 5) & kSequenceMask, sent.tlp);
    case LinkWrong::LoseInitFc2:
      wrong_ = LinkWrong::None;
      break;
    default:
      break;
  }
  const bool damage = chance(config_.tlp_damage);
  return IoFramer::tlp_packet(sent.sequence, sent.tlp, damage ? Lcrc::Bad : Lcrc::Good);
}

Dllp IoLink::flow_dllp(unsigned type, Flow flow, unsigned headers, unsigned data) const {
  const unsigned scale = scaled_ ? 1 : 0;
  headers &= kHeaderMask;
  data &= kDataMask;
  return {static_cast<uint8_t>(type | static_cast<unsigned>(flow) << 4),
          static_cast<uint8_t>(scale << 6 | headers >> 2),
          static_cast<uint8_t>(headers << 6 | scale << 4 | data >> 8), static_cast<uint8_t>(data)};
}

bool IoLink::may_send(const Bytes& tlp, Flow flow) const {
  const Credit& c = credits_[static_cast<size_t>(flow)];
  // PCIe 5.0, 2.6.1.1: (limit - required) mod 2^n <= 2^n / 2.
  const unsigned headers = c.headers_used + 1;
  const unsigned data = c.data_used + data_credits_of(tlp);
  const bool header_fits =
      c.infinite_headers || ((c.header_limit - headers) & kHeaderMask) <= (kHeaderMask + 1) / 2;
  const bool data_fits = c.infinite_data || data_credits_of(tlp) == 0 ||
                         ((c.data_limit - data) & kDataMask) <= (kDataMask + 1) / 2;
  return header_fits && data_fits;
}

void IoLink::send(Bytes tlp) {
  const Flow flow = flow_of(tlp);
  queue_[static_cast<size_t>(flow)].push_back(std::move(tlp));
}

size_t IoLink::unsent() const {
  size_t count = retry_.size();
  for (const auto& queue : queue_) count += queue.size();
  return count;
}

void IoLink::start_replay() {
  replay_timer_ = 0;
  if (retry_.empty()) return;
  ++counts_.replays;
  replay_at_ = 0;
  if (++replay_number_ == 4) {  // the fourth replay of the same TLP goes through Recovery
    replay_number_ = 0;
    retrain_ = true;
  }
}

// ---- receiver ------------------------------------------------------------------------------

void IoLink::rx(const Flit& flit) {
  if (state_ == State::Inactive) return;
  deframer_.flit(flit);
}

void IoLink::take_dllp(const Dllp& dllp, bool crc_good) {
  if (!crc_good) {
    ++counts_.bad_dllps;
    if (config_.clean_line) violations_.add("PCIe 3.5.1", "a DLLP with a wrong CRC");
    return;
  }
  switch (dllp[0]) {
    case kAck:
    case kNak:
      return take_ack(dllp, dllp[0] == kNak);
    case kFeature:
      if (!remote_feature_valid_) remote_scaled_ = (dllp[3] & 1) != 0;
      remote_feature_valid_ = true;
      if (state_ == State::Feature && (dllp[1] & 0x80) != 0) {
        scaled_ = remote_scaled_;
        enter(State::Init1);
      }
      return;
    default:
      if (dllp[0] >= kInitFc1) take_flow_dllp(dllp);
      // Others (power management, vendor, NOP) ask for nothing that this end does.
  }
}

void IoLink::take_flow_dllp(const Dllp& dllp) {
  const unsigned round = dllp[0] & 0xc0U;
  const unsigned kind = dllp[0] >> 4 & 3U;
  if ((dllp[0] & 0x08) != 0 || kind == 3) {
    violations_.add("PCIe 3.5.1", "a flow-control DLLP with a reserved type");
    return;
  }
  if ((dllp[0] & 7) != 0) {
    violations_.add("PCIe 3.4", "a flow-control DLLP of a virtual channel that is not enabled");
    return;
  }
  const auto flow = static_cast<Flow>(kind);
  if (round == kUpdateFc) return take_update(dllp, flow);
  if (state_ == State::Feature && round == kInitFc1) {
    // InitFC1 ends the exchange; what the other side showed until now counts.
    scaled_ = remote_feature_valid_ && remote_scaled_;
    enter(State::Init1);
  }
  take_init(dllp, flow, round);
}

void IoLink::take_init(const Dllp& dllp, Flow flow, unsigned round) {
  const unsigned kind = static_cast<unsigned>(flow);
  if (round == kInitFc1 && config_.clean_line && !excused_gap_ && state_ != State::Active) {
    if (kind != init1_expected_) {
      violations_.add("PCIe 3.4.1", "InitFC1 not in the order P, NP, Cpl");
    }
    init1_expected_ = (kind + 1) % kFlows;
  }
  if (round == kInitFc1) excused_gap_ = false;
  if (state_ == State::Init2 && round == kInitFc2) fi2_ = true;
  if (state_ != State::Init1) return;
  Credit& c = credit(flow);
  const unsigned header_scale = header_scale_in(dllp);
  const unsigned data_scale = data_scale_in(dllp);
  const unsigned headers = headers_in(dllp);
  const unsigned data = data_in(dllp);
  if (!scaled_ && (header_scale != 0 || data_scale != 0) && !remote_feature_valid_) {
    violations_.add("PCIe 3.4.2",
                    "HdrScale or DataScale although scaled flow control is not activated");
  }
  if (scaled_ && (header_scale == 0 || data_scale == 0)) {
    violations_.add("PCIe 3.4.2",
                    "HdrScale or DataScale of 00b although scaled flow control is activated");
  }
  c.infinite_headers = headers == 0;
  c.infinite_data = data == 0;
  c.header_limit = scaled(headers, header_scale);
  c.data_limit = scaled(data, data_scale);
  if (flow == Flow::Completion && config_.peer_completions_infinite &&
      (headers != 0 || data != 0)) {
    violations_.add("PCIe 2.6.1", "an endpoint that does not grant completions without limit");
  }
  // Max_Payload_Size of 128 bytes: eight units. A non-posted request carries one DW.
  if (flow == Flow::Posted && data != 0 && c.data_limit < 8) {
    violations_.add("PCIe 2.6.1", "fewer than 8 posted data credits");
  }
  c.known = true;
}

void IoLink::take_update(const Dllp& dllp, Flow flow) {
  Credit& c = credit(flow);
  if (state_ == State::Feature || state_ == State::Init1) {
    if (config_.clean_line) violations_.add("PCIe 3.4.1", "UpdateFC before FC_INIT2");
    return;
  }
  if (state_ == State::Init2) fi2_ = true;
  const unsigned headers = scaled(headers_in(dllp), header_scale_in(dllp));
  const unsigned data = scaled(data_in(dllp), data_scale_in(dllp));
  if ((c.infinite_headers && headers != 0) || (c.infinite_data && data != 0)) {
    violations_.add("PCIe 2.6.1.2", "UpdateFC takes back credits that were granted without limit");
    return;
  }
  if (!c.infinite_headers) {
    if (((headers - c.headers_used) & kHeaderMask) > 127) {
      violations_.add("PCIe 2.6.1",
                      "more than 127 header credits outstanding, or credits taken back");
    }
    c.header_limit = headers;
  }
  if (!c.infinite_data) {
    if (((data - c.data_used) & kDataMask) > 2047) {
      violations_.add("PCIe 2.6.1",
                      "more than 2047 data credits outstanding, or credits taken back");
    }
    c.data_limit = data;
  }
}

void IoLink::take_ack(const Dllp& dllp, bool nak) {
  const auto sequence = static_cast<uint16_t>((dllp[2] & 0xfU) << 8 | dllp[3]);
  if (state_ != State::Active && state_ != State::Init2) {
    violations_.add("PCIe 3.6.2.2", "Ack or Nak before flow control was initialised");
    return;
  }
  ++(nak ? counts_.naks_received : counts_.acks_received);
  const unsigned newly = (sequence - acked_) & kSequenceMask;
  if (newly > retry_.size()) {
    violations_.add("PCIe 3.6.2.2", "Ack or Nak of a sequence number that is not outstanding");
    return;
  }
  if (nak && config_.clean_line && config_.tlp_damage == 0 && !excused_nak_) {
    violations_.add("PCIe 3.6.3.1", "Nak although every TLP was sent as it should be");
  }
  if (newly != 0) {
    last_acked_ = retry_[newly - 1];
    retry_.erase(retry_.begin(), retry_.begin() + newly);
    if (replay_at_ != SIZE_MAX) replay_at_ = replay_at_ > newly ? replay_at_ - newly : 0;
    acked_ = sequence;
    replay_timer_ = replay_number_ = 0;
    const unsigned behind = (excused_last_ - acked_) & kSequenceMask;
    if (!nak && (behind == 0 || behind > kSequenceMask / 2)) excused_nak_ = false;
  }
  if (nak) start_replay();
}

void IoLink::request_nak() {
  if (nak_scheduled_ || state_ == State::Inactive) return;
  nak_scheduled_ = nak_due_ = true;
}

void IoLink::take_tlp(const FramedTlp& framed) {
  if (state_ == State::Feature || state_ == State::Init1)
    return;  // DL_Down: discarded, not acknowledged
  if (framed.nullified && framed.lcrc_good) return;
  if (find_damaged_ != 0) {
    --find_damaged_;
    ++counts_.bad_tlps;
    return request_nak();
  }
  if (!framed.lcrc_good) {
    ++counts_.bad_tlps;
    if (config_.clean_line) violations_.add("PCIe 3.6.2.1", "a TLP with a wrong LCRC");
    return request_nak();
  }
  if (state_ == State::Init2) fi2_ = true;
  if (framed.sequence == expected_) return accept(framed);
  if (((expected_ - framed.sequence) & kSequenceMask) <= 2048) {
    ++counts_.duplicates;
    ack_due_ = true;
    ack_delay_ = 0;
    return;
  }
  if (config_.clean_line && !excused_gap_ && !nak_scheduled_) {
    violations_.add("PCIe 3.6.2.1", "a TLP out of sequence");
  }
  request_nak();
}

void IoLink::accept(const FramedTlp& framed) {
  ++counts_.tlps_received;
  expected_ = (expected_ + 1) & kSequenceMask;
  nak_scheduled_ = nak_due_ = excused_gap_ = false;
  if (!ack_due_ && config_.ack_delay_max != 0) {
    ack_delay_ = static_cast<unsigned>(random_() % (config_.ack_delay_max + 1));
  }
  ack_due_ = true;
  const Flow flow = flow_of(framed.tlp);
  const size_t i = static_cast<size_t>(flow);
  Credit& c = credits_[i];
  ++c.headers_taken;
  c.data_taken += data_credits_of(framed.tlp);
  if ((config_.headers[i] != 0 && c.headers_taken > c.headers_granted) ||
      (config_.data[i] != 0 && c.data_taken > c.data_granted)) {
    violations_.add("PCIe 2.6.1.2", "a TLP for which no credit was left");
  }
  received_.push_back(framed.tlp);
}

std::optional<Bytes> IoLink::take() {
  if (received_.empty()) return std::nullopt;
  Bytes tlp = std::move(received_.front());
  received_.pop_front();
  return tlp;
}

void IoLink::release(std::span<const uint8_t> tlp) {
  Credit& c = credit(flow_of(tlp));
  ++c.headers_freed;
  c.data_freed += data_credits_of(tlp);
}

}  // namespace peer
