// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
// The transmitting half of the link layer: which flit leaves next.
#include <algorithm>
#include <utility>

#include "link_layer.hpp"

namespace peer {

namespace {

constexpr unsigned kFrames = 5;
// Entries that a flit with a data header may need before the last of its data is stored: itself,
// four all-data flits, the flit with the rest; and the two that must stay (4.2.8.1).
constexpr unsigned kRoomForData = 8;

}  // namespace

std::optional<Flit> LinkLayer::tx() {
  if (!up_) return std::nullopt;
  std::optional<Flit> flit = choose();
  if (!flit && viral_corrupt_ && initialised() && lrsm_ != Lrsm::PhyReinit &&
      lrsm_ != Lrsm::Abort && !buffer_.replaying() && buffer_.free() > 2) {
    flit = llcrd();  // nothing else to carry the CRC error that announces viral (4.2.9.1)
  }
  if (!flit) return std::nullopt;
  clean_sent_ = true;
  if (lrsm_ == Lrsm::LocalIdle && ++timeout_ >= config_.timeout) {
    timeout_ = 0;
    lrsm_ = Lrsm::LlrReq;
  }
  damage(*flit);
  if (on_send && !on_send(*flit)) return std::nullopt;
  return flit;
}

void LinkLayer::damage(Flit& flit) {
  if (viral_corrupt_ && initialised()) {
    viral_corrupt_ = false;
    flit[64] ^= 0xff;
    flit[65] ^= 0xff;
    return;
  }
  const bool at_random =
      config_.corrupt_per_64k != 0 && random_() % 65536 < config_.corrupt_per_64k;
  if (!corrupt_next_ && !at_random) return;
  corrupt_next_ = false;
  flit[random_() % flit.size()] ^= static_cast<uint8_t>(1u << (random_() % 8));
}

std::optional<Flit> LinkLayer::choose() {
  if (lrsm_ == Lrsm::PhyReinit || lrsm_ == Lrsm::Abort) return std::nullopt;
  if (!sequence_.empty()) return next_of_sequence();
  // A run of all-data flits is not interrupted by a control flit (4.2.5).
  const bool in_run = buffer_.replaying() ? buffer_.next_is_all_data() : packer_.all_data_next();
  if (!in_run) {
    if (ack_wanted_) return start_ack();
    if (lrsm_ == Lrsm::LlrReq) return start_req();
  }
  if (buffer_.replaying()) return buffer_.replay();
  if (auto flit = new_flit()) return flit;
  if (lrsm_ == Lrsm::LocalIdle || !initialised())
    return make_retry_idle();  // the time-out counts sent flits
  return std::nullopt;
}

std::optional<Flit> LinkLayer::next_of_sequence() {
  const Flit flit = sequence_.front();
  sequence_.pop_front();
  if (sequence_.empty() && sequence_is_req_ && lrsm_ == Lrsm::LlrReq) {
    lrsm_ = Lrsm::LocalIdle;
    ++num_retry_;
    ++retries_requested_;
    timeout_ = 0;
  }
  return flit;
}

std::optional<Flit> LinkLayer::start_ack() {
  ack_wanted_ = false;
  ++retries_served_;
  RetryAck ack;
  ack.empty = ack_eseq_ == buffer_.write_pointer();
  ack.viral = viral_;
  ack.num_retry = ack_num_retry_;
  ack.wr_ptr = static_cast<uint8_t>(buffer_.write_pointer());
  ack.eseq = ack_eseq_;
  ack.num_free_buf = static_cast<uint8_t>(buffer_.free());
  buffer_.replay_from(ack_eseq_);
  sequence_is_req_ = false;
  sequence_.assign(kFrames, make_retry_frame());
  sequence_.push_back(make_retry_ack(ack));
  return next_of_sequence();
}

std::optional<Flit> LinkLayer::start_req() {
  if (num_retry_ >= config_.max_num_retry) {
    if (num_phy_reinit_ >= config_.max_num_phy_reinit) {
      lrsm_ = Lrsm::Abort;
    } else {
      ++num_phy_reinit_;
      retrain_request_ = true;
      lrsm_ = Lrsm::PhyReinit;
    }
    return std::nullopt;
  }
  last_req_num_retry_ = num_retry_;
  sequence_is_req_ = true;
  sequence_.assign(kFrames, make_retry_frame());
  sequence_.push_back(make_retry_req(static_cast<uint8_t>(eseq_), static_cast<uint8_t>(num_retry_),
                                     static_cast<uint8_t>(num_phy_reinit_)));
  return next_of_sequence();
}

std::optional<Flit> LinkLayer::new_flit() {
  if (auto flit = raw_flit()) return flit;
  if (!initialised()) return init_flit();
  const unsigned free = buffer_.free();
  if (free <= 1) return std::nullopt;
  if (free == 2) {  // only a flit that acknowledges something
    if (acks_to_return_ == 0 || packer_.owed() >= 4) return std::nullopt;
    return llcrd();
  }
  if (!llcrd_sent_ && credits_to_return()) return llcrd();  // the first credits (4.2.7)
  if (auto flit = protocol_flit()) return flit;
  if (must_force_llcrd() && packer_.owed() < 4) return llcrd();
  return std::nullopt;
}

std::optional<Flit> LinkLayer::init_flit() {
  if (init_sent_ || !rx_seen_ || stall_init_) return std::nullopt;
  init_sent_ = true;
  if (initialised()) begin_credits();
  return store(make_init_param(std::exchange(init_version_, kVersion), config_.wrap), false);
}

std::optional<Flit> LinkLayer::raw_flit() {
  if (raw_.empty() || packer_.owed() != 0 || (!initialised() && !raw_early_)) return std::nullopt;
  if (buffer_.free() <= 2) return std::nullopt;
  const RawFlit raw = raw_.front();
  raw_.pop_front();
  if (raw.retryable) return store(raw.flit, false);
  return raw.flit;
}

Allowance LinkLayer::allowance() const {
  const unsigned free = buffer_.free();
  const auto allowed = [&](MessageKind kind) { return overuse_ ? 64 : channel(kind).available; };
  const bool data = free >= kRoomForData;
  return {.req = allowed(MessageKind::Req),
          .rwd = data ? allowed(MessageKind::Rwd) : 0,
          .ndr = allowed(MessageKind::Ndr),
          .drs = data ? allowed(MessageKind::Drs) : 0};
}

std::optional<Flit> LinkLayer::protocol_flit() {
  auto packed = packer_.next(outbox_, allowance());
  if (!packed) return std::nullopt;
  const auto spend = [this](MessageKind kind, unsigned count) {
    channel(kind).available -= std::min(count, channel(kind).available);
  };
  spend(MessageKind::Req, packed->used.req);
  spend(MessageKind::Rwd, packed->used.rwd);
  spend(MessageKind::Ndr, packed->used.ndr);
  spend(MessageKind::Drs, packed->used.drs);
  if (!packed->all_data) {
    const bool ak = acks_to_return_ >= 8;
    const CreditFields fields = take_credit_fields();
    put_bits(packed->flit, 2, 1, ak ? 1 : 0);
    put_bits(packed->flit, 20, 4, fields.rsp);
    put_bits(packed->flit, 24, 4, fields.req);
    put_bits(packed->flit, 28, 4, fields.data);
    count_ack_and_credits(ak ? 8 : 0, fields);
  }
  seal(packed->flit);
  return store(packed->flit, packed->all_data);
}

Flit LinkLayer::store(const Flit& flit, bool all_data) {
  buffer_.store(flit, all_data);
  return flit;
}

Flit LinkLayer::llcrd() {
  const unsigned acks = std::min(acks_to_return_, 255u);
  const CreditFields fields = take_credit_fields();
  llcrd_sent_ = true;
  count_ack_and_credits(acks, fields);
  sent_ack_or_credit_ = true;
  return store(make_llcrd(acks, fields.rsp, fields.req, fields.data), false);
}

bool LinkLayer::must_force_llcrd() const {
  return flush_timer_ >= config_.flush_retimer || acks_to_return_ >= config_.ack_force_threshold;
}

bool LinkLayer::credits_to_return() const {
  return std::any_of(channels_.begin(), channels_.end(),
                     [](const Channel& one) { return one.to_return != 0; });
}

void LinkLayer::count_ack_and_credits(unsigned acks, const CreditFields& fields) {
  acks_to_return_ -= acks;
  acked_ += acks;
  const uint8_t counts = static_cast<uint8_t>((fields.rsp | fields.req | fields.data) & 7);
  if (acks != 0 || counts != 0) sent_ack_or_credit_ = true;
}

uint8_t LinkLayer::credit_field(MessageKind kind, bool& one_spent) {
  Channel& of_kind = channel(kind);
  unsigned count = of_kind.to_return;
  if (config_.one_credit_at_a_time) count = one_spent ? 0 : std::min(count, 1u);
  if (count == 0) return config_.cache_credits ? 5 : 0;
  one_spent = true;
  const uint8_t code = credit_code_for(count);
  of_kind.to_return -= credits_of(code);
  of_kind.granted += credits_of(code);
  return kCreditMem | code;
}

LinkLayer::CreditFields LinkLayer::take_credit_fields() {
  bool one_spent = false;
  CreditFields fields;
  const bool data_first =
      random_() % 2 == 0;  // fair between channels when one credit leaves at a time
  const auto data = [&] {
    fields.data = credit_field(device() ? MessageKind::Rwd : MessageKind::Drs, one_spent);
  };
  if (data_first) data();
  if (device()) {
    fields.req = credit_field(MessageKind::Req, one_spent);
  } else {
    fields.rsp = credit_field(MessageKind::Ndr, one_spent);
  }
  if (!data_first) data();
  if (config_.cache_credits) (device() ? fields.rsp : fields.req) = 5;
  return fields;
}

}  // namespace peer
