// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
#include "refmodel/cxl_io/io_requester.hpp"

#include "refmodel/cxl_io/completion.hpp"

namespace cxlgpu {

Tlp IoRequester::make_tlp(const IoRequest& request, std::uint16_t requester_id, unsigned tag) {
  const auto byte = [](std::uint64_t value) { return static_cast<std::uint8_t>(value); };
  const bool memory = is_memory(request.op);
  const bool four_dw = memory && request.addr >> 32 != 0;
  unsigned type = tlp_type::kMemory;
  if (request.op == IoOp::kCfgRd0 || request.op == IoOp::kCfgWr0) type = tlp_type::kConfig0;
  if (request.op == IoOp::kCfgRd1 || request.op == IoOp::kCfgWr1) type = tlp_type::kConfig1;
  Tlp tlp{};
  tlp[0] = byte((is_write(request.op) ? 0x40u : 0) | (four_dw ? 0x20u : 0) | type);
  tlp[3] = 1;
  tlp[4] = byte(requester_id >> 8);
  tlp[5] = byte(requester_id);
  tlp[6] = byte(tag);
  tlp[7] = byte(request.enables);
  if (memory) {
    const std::uint64_t address = request.addr & ~std::uint64_t{3};
    const unsigned bytes = four_dw ? 8 : 4;
    for (unsigned i = 0; i < bytes; ++i) tlp[8 + i] = byte(address >> (8 * (bytes - 1 - i)));
  } else {
    tlp[8] = byte(request.addr >> 20);         // bus
    tlp[9] = byte(request.addr >> 12);         // device, function
    tlp[10] = byte(request.addr >> 8) & 0x0f;  // offset
    tlp[11] = byte(request.addr) & 0xfc;
  }
  if (is_write(request.op)) set_data(tlp, request.data);
  return tlp;
}

IoRequester::Offer IoRequester::offer() const {
  if (stalled_ == Offer::kRefusal && refusal_) return Offer::kRefusal;
  if (state_ == State::kSend) return Offer::kRequest;
  return refusal_ ? Offer::kRefusal : Offer::kNone;
}

IoRequester::Out IoRequester::eval(bool link_up) const {
  Out out{.req_ready = state_ == State::kIdle,
          .tlp_rx_ready = link_up && !refusal_,
          .unexpected = unexpected_};
  if (state_ == State::kRespond) out.rsp = response_;
  if (offer() == Offer::kRequest) out.tlp_tx = make_tlp(request_, requester_id_, tag_);
  if (offer() == Offer::kRefusal) out.tlp_tx = refusal_;
  return out;
}

Tlp IoRequester::refusal_of(const Tlp& request) const {
  Tlp reply = completion_of(request, CplStatus::kUnsupported);
  reply[4] = static_cast<std::uint8_t>(requester_id_ >> 8);
  reply[5] = static_cast<std::uint8_t>(requester_id_);
  if (is_memory_read(request)) reply[11] = static_cast<std::uint8_t>(read_lower_address(request));
  return reply;
}

bool IoRequester::matches(const Tlp& tlp) const {
  if (state_ != State::kWait || (tlp[0] & 0x3f) != tlp_type::kCompletion) return false;
  if ((tlp[8] << 8 | tlp[9]) != requester_id_) return false;
  if (tlp[10] != tag_ || (tlp[1] & 0x88) != 0) return false;
  const bool success = tlp[6] >> 5 == static_cast<unsigned>(CplStatus::kSuccess);
  return !success || data_dws(tlp) == (is_write(request_.op) ? 0 : 1);
}

CplStatus IoRequester::status_of(const Tlp& completion) {
  const auto status = static_cast<CplStatus>(completion[6] >> 5);
  switch (status) {
    case CplStatus::kSuccess:
      return has_data(completion) && poisoned(completion) ? CplStatus::kAbort : status;
    case CplStatus::kRetry:
    case CplStatus::kAbort:
      return status;
    default:
      return CplStatus::kUnsupported;
  }
}

void IoRequester::respond(CplStatus status, std::uint32_t read_data) {
  state_ = State::kRespond;
  response_ = {status, status == CplStatus::kSuccess ? read_data : 0xffff'ffff};
  if (is_write(request_.op)) response_.data = 0;
}

void IoRequester::idle(const In& in) {
  if (!in.req) return;
  request_ = *in.req;
  const unsigned device = request_.addr >> 15 & 0x1f;
  const bool type0 = request_.op == IoOp::kCfgRd0 || request_.op == IoOp::kCfgWr0;
  if (!in.link_up) {
    respond(CplStatus::kNoAnswer);
  } else if (type0 && device != 0) {
    respond(CplStatus::kUnsupported);
  } else {
    state_ = State::kSend;
  }
}

void IoRequester::send(const In& in, bool taken) {
  if (!in.link_up) {
    respond(CplStatus::kNoAnswer);
  } else if (taken && request_.op == IoOp::kMemWr) {
    respond(CplStatus::kSuccess);
  } else if (taken) {
    state_ = State::kWait;
    waited_ = 0;
  }
}

void IoRequester::wait(const In& in, const std::optional<Tlp>& received) {
  if (received && matches(*received)) {
    respond(status_of(*received), has_data(*received) ? data_of(*received) : 0);
  } else if (!in.link_up || ++waited_ == timeout_) {
    respond(CplStatus::kNoAnswer);
  }
  if (state_ != State::kWait) tag_ = (tag_ + 1) % 32;
}

void IoRequester::clock(const In& in) {
  const std::optional<Tlp> received = eval(in.link_up).tlp_rx_ready ? in.tlp_rx : std::nullopt;
  const Offer offered = offer();
  const auto taken = [&](Offer what) { return offered == what && in.tlp_tx_ready; };
  stalled_ = in.tlp_tx_ready ? Offer::kNone : offered;
  unexpected_ = received && !matches(*received);
  if (taken(Offer::kRefusal) || !in.link_up) refusal_.reset();
  if (received && class_of(*received) == FcClass::kNonPosted) refusal_ = refusal_of(*received);
  switch (state_) {
    case State::kIdle:
      return idle(in);
    case State::kSend:
      return send(in, taken(Offer::kRequest));
    case State::kWait:
      return wait(in, received);
    case State::kRespond:
      if (in.rsp_ready) state_ = State::kIdle;
      return;
  }
}

}  // namespace cxlgpu
