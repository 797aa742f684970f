// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
#include "refmodel/cxl_io/io_requester.hpp"

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

IoRequester::Out IoRequester::eval() const {
  Out out{.req_ready = state_ == State::kIdle, .unexpected = unexpected_};
  if (state_ == State::kRespond) out.rsp = response_;
  if (state_ == State::kSend) out.tlp_tx = make_tlp(request_, requester_id_, tag_);
  return out;
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

void IoRequester::send(const In& in) {
  if (!in.link_up) {
    respond(CplStatus::kNoAnswer);
  } else if (in.tlp_tx_ready && request_.op == IoOp::kMemWr) {
    respond(CplStatus::kSuccess);
  } else if (in.tlp_tx_ready) {
    state_ = State::kWait;
    waited_ = 0;
  }
}

void IoRequester::wait(const In& in) {
  if (in.tlp_rx && matches(*in.tlp_rx)) {
    respond(status_of(*in.tlp_rx), has_data(*in.tlp_rx) ? data_of(*in.tlp_rx) : 0);
  } else if (!in.link_up || ++waited_ == timeout_) {
    respond(CplStatus::kNoAnswer);
  }
  if (state_ != State::kWait) tag_ = (tag_ + 1) % 32;
}

void IoRequester::clock(const In& in) {
  unexpected_ = in.tlp_rx && !matches(*in.tlp_rx);
  switch (state_) {
    case State::kIdle:
      return idle(in);
    case State::kSend:
      return send(in);
    case State::kWait:
      return wait(in);
    case State::kRespond:
      if (in.rsp_ready) state_ = State::kIdle;
      return;
  }
}

}  // namespace cxlgpu
