// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
#include "refmodel/cxl_io/io_requester.hpp"

#include "refmodel/cxl_io/completion.hpp"

namespace cxlgpu {
namespace {

unsigned high(std::uint16_t id) {
  return id >> 8;
}
unsigned low(std::uint16_t id) {
  return id & 0xff;
}

// What a completion says; only these codes have a meaning.
CplStatus status_of(const Tlp& completion) {
  switch (const auto status = static_cast<CplStatus>(completion[6] >> 5)) {
    case CplStatus::kSuccess:
      return has_data(completion) && poisoned(completion) ? CplStatus::kAbort : status;
    case CplStatus::kRetry:
    case CplStatus::kAbort:
      return status;
    default:
      return CplStatus::kUnsupported;
  }
}

}  // namespace

IoRequester::Out IoRequester::eval(bool link_up) const {
  Out out;
  out.req_ready = state_ == State::kIdle;
  if (state_ == State::kRespond) out.rsp = response_;
  out.tlp_tx = refusal_;
  if (state_ == State::kSend && !refusal_stalled_) out.tlp_tx = make_tlp(request_, id_, tag_);
  out.tlp_rx_ready = link_up && !refusal_;
  out.unexpected = unexpected_;
  return out;
}

void IoRequester::clock(const In& in) {
  const Out out = eval(in.link_up);
  const bool refuses_now = refusal_ && (state_ != State::kSend || refusal_stalled_);
  const bool leaves = out.tlp_tx && in.tlp_tx_ready;
  const Tlp* received = in.tlp_rx && out.tlp_rx_ready ? &*in.tlp_rx : nullptr;
  const bool completed = received && matches(*received);

  switch (state_) {
    case State::kIdle:
      if (in.req) start(*in.req, in.link_up);
      break;
    case State::kSend:
      if (!in.link_up) {
        answer(CplStatus::kNoAnswer);
      } else if (leaves && !refuses_now && request_.op == IoOp::kMemWr) {
        answer(CplStatus::kSuccess);
      } else if (leaves && !refuses_now) {
        state_ = State::kWait;
        waited_ = 0;
      }
      break;
    case State::kWait:
      if (completed) {
        const CplStatus status = status_of(*received);
        answer(status, status == CplStatus::kSuccess ? data_of(*received) : ~std::uint32_t{0});
      } else if (!in.link_up || ++waited_ == timeout_) {
        answer(CplStatus::kNoAnswer);
      }
      if (state_ != State::kWait) tag_ = (tag_ + 1) % 32;
      break;
    case State::kRespond:
      if (in.rsp_ready) state_ = State::kIdle;
      break;
  }

  if ((refuses_now && leaves) || !in.link_up) refusal_.reset();
  refusal_stalled_ = refuses_now && refusal_;
  unexpected_ = received && !completed;
  if (unexpected_ && class_of(*received) == FcClass::kNonPosted) refusal_ = refusal(*received);
}

void IoRequester::start(const IoRequest& request, bool link_up) {
  request_ = request;
  const bool type0 = request.op == IoOp::kCfgRd0 || request.op == IoOp::kCfgWr0;
  if (!link_up) return answer(CplStatus::kNoAnswer);
  if (type0 && (request.addr >> 15 & 0x1f) != 0) return answer(CplStatus::kUnsupported);
  state_ = State::kSend;
}

void IoRequester::answer(CplStatus status, std::uint32_t data) {
  response_ = {status, is_write(request_.op) ? 0 : data};
  state_ = State::kRespond;
}

bool IoRequester::matches(const Tlp& tlp) const {
  if (state_ != State::kWait) return false;
  if ((tlp[0] & 0x3f) != tlp_type::kCompletion || (tlp[1] & 0x88) != 0) return false;
  if (tlp[8] != high(id_) || tlp[9] != low(id_) || tlp[10] != tag_) return false;
  if (static_cast<CplStatus>(tlp[6] >> 5) != CplStatus::kSuccess) return true;
  return is_write(request_.op) ? !has_data(tlp) : has_data(tlp) && length_field(tlp) == 1;
}

Tlp IoRequester::refusal(const Tlp& request) const {
  Tlp tlp = completion_of(request, CplStatus::kUnsupported);
  tlp[4] = static_cast<std::uint8_t>(high(id_));
  tlp[5] = static_cast<std::uint8_t>(low(id_));
  if (is_memory_read(request)) tlp[11] = static_cast<std::uint8_t>(read_lower_address(request));
  return tlp;
}

Tlp IoRequester::make_tlp(const IoRequest& request, std::uint16_t requester_id, unsigned tag) {
  const auto byte = [](std::uint64_t value) { return static_cast<std::uint8_t>(value); };
  const bool memory = is_memory(request.op);
  const bool long_address = memory && request.addr >> 32 != 0;
  unsigned type = tlp_type::kMemory;
  if (!memory) {
    const bool type0 = request.op == IoOp::kCfgRd0 || request.op == IoOp::kCfgWr0;
    type = type0 ? tlp_type::kConfig0 : tlp_type::kConfig1;
  }
  Tlp tlp{byte(unsigned{is_write(request.op)} << 6 | unsigned{long_address} << 5 | type),
          0,
          0,
          1,
          byte(high(requester_id)),
          byte(low(requester_id)),
          byte(tag),
          byte(request.enables & 0xf)};
  // The address highest byte first; of configuration bus, device, function and offset are so, too.
  const std::uint64_t address = memory
                                    ? request.addr & ~std::uint64_t{3}
                                    : (request.addr >> 12 & 0xffff) << 16 | (request.addr & 0xffc);
  const unsigned end = long_address ? 16 : 12;
  for (unsigned i = 8; i < end; ++i) tlp[i] = byte(address >> 8 * (end - 1 - i));
  if (is_write(request.op)) set_data(tlp, request.data);
  return tlp;
}

}  // namespace cxlgpu
