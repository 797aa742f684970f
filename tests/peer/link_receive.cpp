// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
// The receiving half of the link layer: what comes is checked, counted, and handed up.
#include "link_layer.hpp"

namespace peer {

namespace {

constexpr unsigned kFrames = 5;         // before a RETRY.Req or RETRY.Ack (4.2.8.4)
constexpr unsigned kSmallestLlrb = 22;  // 4.2.8.1

}  // namespace

void LinkLayer::rx(const Flit& flit) {
  if (lrsm_ == Lrsm::Abort) return;
  const bool at_random = lrsm_ == Lrsm::Normal && initialised() && config_.retry_per_64k != 0 &&
                         random_() % 65536 < config_.retry_per_64k;
  if (force_retry_ || at_random || !crc_good(flit)) {
    force_retry_ = false;
    bad_flit();
    return;
  }
  rx_seen_ = true;
  if (lrsm_ == Lrsm::Normal) {
    rx_normal(flit);
  } else {
    rx_shadow(flit);
  }
}

void LinkLayer::bad_flit() {
  frames_ = 0;
  if (lrsm_ == Lrsm::Normal) lrsm_ = Lrsm::LlrReq;
}

// After an error only framed RETRY.Req and RETRY.Ack count; an all-data flit may look like
// anything.
void LinkLayer::rx_shadow(const Flit& flit) {
  const bool control = get_bits(flit, 0, 1) != 0 && control_static_bits_good(flit);
  const ControlFlit fields = get_control(flit);
  if (control && fields.llctrl == kRetry) {
    rx_retry(fields);
  } else {
    frames_ = 0;
  }
}

void LinkLayer::rx_normal(const Flit& flit) {
  if (unpacker_.all_data_next() || get_bits(flit, 0, 1) == 0) {
    frames_without_end();
    rx_protocol(flit);
    accepted();
    return;
  }
  if (!control_static_bits_good(flit)) {
    violations_.add("4.2.2; 4.2.6", "a control flit has other static bits than the standard fixes");
    bad_flit();
    return;
  }
  const ControlFlit control = get_control(flit);
  if (control.llctrl == kRetry) {
    rx_retry(control);
    return;
  }
  frames_without_end();
  if (control.llctrl == kInit) {
    rx_init(control);
  } else {
    rx_llcrd(control);
  }
  accepted();
}

void LinkLayer::frames_without_end() {
  if (frames_ != 0)
    violations_.add("4.2.8.4", "RETRY.Frame flits are not followed by RETRY.Req or RETRY.Ack");
  frames_ = 0;
}

void LinkLayer::accepted() {
  eseq_ = (eseq_ + 1) % modulus(peer_wrap_);
  ++received_;
  ++flits_accepted_;
  ++acks_to_return_;
  num_retry_ = num_phy_reinit_ = 0;
  if (init_received_ && received_ - acked_ >= modulus(peer_wrap_)) {
    violations_.add("4.2.8.1",
                    "more flits are in flight than the retry buffer can hold with one entry free");
  }
}

void LinkLayer::rx_retry(const ControlFlit& control) {
  if (control.subtype == kRetryFrame) {
    ++frames_;
    return;
  }
  if (control.subtype == kRetryIdle) {
    if (lrsm_ == Lrsm::Normal) frames_without_end();
    frames_ = 0;
    return;
  }
  const unsigned frames = frames_;
  frames_ = 0;
  if (frames != kFrames && lrsm_ == Lrsm::Normal) {
    violations_.add("4.2.8.4", "a RETRY.Req or RETRY.Ack does not follow five RETRY.Frame");
  }
  if (frames < kFrames) return;
  if (control.subtype == kRetryReq) {
    rx_retry_req(control);
  } else {
    rx_retry_ack(control);
  }
}

void LinkLayer::rx_retry_req(const ControlFlit& control) {
  const auto eseq = static_cast<uint8_t>(control.payload & 255);
  if (!buffer_.holds(eseq)) {
    violations_.add("4.2.8.1", "a RETRY.Req names a flit that is not in the retry buffer");
    return;
  }
  ack_wanted_ = true;
  ack_eseq_ = eseq;
  ack_num_retry_ = control.payload >> 16 & 31;
  retry_owed_ = false;
}

void LinkLayer::rx_retry_ack(const ControlFlit& control) {
  const RetryAck ack = retry_ack_of(control);
  if ((control.payload >> 32 & 0xffff) != 0) {
    violations_.add("4.2.6, Table 54",
                    "a RETRY.Ack has a viral LD-ID vector on the link of a single logical device");
  }
  if (lrsm_ != Lrsm::LocalIdle) {
    if (lrsm_ == Lrsm::Normal)
      violations_.add("4.2.8.4", "a RETRY.Ack comes that was not requested");
    return;
  }
  if (ack.num_retry != (last_req_num_retry_ & 31)) return;  // of an older request
  if (ack.eseq != eseq_)
    violations_.add("4.2.6, Table 54", "a RETRY.Ack echoes another Eseq than was sent");
  peer_viral_ = peer_viral_ || ack.viral;
  lrsm_ = Lrsm::Normal;
  timeout_ = 0;
  if (ack.empty) num_retry_ = num_phy_reinit_ = 0;
}

void LinkLayer::rx_init(const ControlFlit& control) {
  if (init_received_) {
    violations_.add("4.2.7", "a second INIT.Param comes");
    return;
  }
  if (!clean_sent_)
    violations_.add("4.2.7", "INIT.Param comes before the other side can have received a flit");
  if ((control.payload & 15) != 2)
    violations_.add("4.2.6, Table 54", "INIT.Param names another version than CXL 2.0");
  peer_wrap_ = static_cast<uint8_t>(control.payload >> 24 & 255);
  if (modulus(peer_wrap_) < kSmallestLlrb)
    violations_.add("4.2.8.1", "INIT.Param names a retry buffer of less than 22 entries");
  init_received_ = true;
  if (initialised()) begin_credits();
}

void LinkLayer::rx_llcrd(const ControlFlit& control) {
  if (!init_received_) violations_.add("4.2.7", "a flit other than RETRY comes before INIT.Param");
  if (!init_sent_) violations_.add("4.2.7", "an LLCRD comes before the initialisation is complete");
  take_acks(full_ack_of(control));
  take_credits(control.rsp_crd, control.req_crd, control.data_crd);
}

void LinkLayer::rx_protocol(const Flit& flit) {
  if (!init_received_) violations_.add("4.2.7", "a flit other than RETRY comes before INIT.Param");
  if (!init_sent_)
    violations_.add("4.2.7", "a protocol flit comes before the initialisation is complete");
  const Unpacker::Result result = unpacker_.take(flit, inbox_);
  if (result.all_data) return;
  const FlitHeader& header = result.header;
  if (header.ak) take_acks(8);
  take_credits(header.rsp_crd, header.req_crd, header.data_crd);
  for (size_t kind = 0; kind < result.headers.size(); ++kind) {
    charge(static_cast<MessageKind>(kind), result.headers[kind]);
  }
}

void LinkLayer::take_credits(uint8_t rsp, uint8_t req, uint8_t data) {
  const auto take = [this](uint8_t code, std::optional<MessageKind> kind) {
    if ((code & kCreditMem) == 0 || credits_of(code) == 0) return;  // of CXL.cache: dropped (4.2.7)
    if (kind) {
      channel(*kind).available += credits_of(code);
    } else {
      violations_.add("4.2.2, Table 49", "credits come for a channel that is reserved");
    }
  };
  using enum MessageKind;
  take(rsp, device() ? std::optional(Ndr) : std::nullopt);
  take(req, device() ? std::nullopt : std::optional(Req));
  take(data, device() ? Drs : Rwd);
}

void LinkLayer::take_acks(unsigned count) {
  if (count > buffer_.unacknowledged()) {
    violations_.add("4.2.8.1", "more flits are acknowledged than were sent");
    count = buffer_.unacknowledged();
  }
  if (count != 0) ack_owed_cycles_ = 0;
  buffer_.acknowledge(count);
}

void LinkLayer::charge(MessageKind kind, unsigned count) {
  Channel& of_kind = channel(kind);
  if (count > of_kind.granted) {
    violations_.add("4.2.2", "a message comes without a credit");
    count = of_kind.granted;
  }
  of_kind.granted -= count;
}

}  // namespace peer
