#include "refmodel/root_port/root_port.hpp"

#include <algorithm>

#include "refmodel/common/opcodes.hpp"
#include "refmodel/common/registers.hpp"

namespace cxlgpu {

namespace {
constexpr std::uint64_t kUnmappedLine = (std::uint64_t{1} << 46) - 1;
}

RootPort::RootPort(unsigned port, const Parts& parts, unsigned drop_spec_every)
    : port_(port), parts_(parts), drop_spec_every_(drop_spec_every) {}

void RootPort::write_register(std::uint32_t offset, std::uint32_t value) {
  namespace rp = regs::rp;
  if (offset != rp::kPolicy) return;
  policy_ = static_cast<SrPolicy>(rp::kPolicySelect.get(value));
  length_enabled_ = rp::kPolicyLenEnable.is_set(value);
  clip_log2_ = rp::kPolicyClipLog2.get(value);
}

void RootPort::offer(const MemRequest& request, Time now) {
  incoming_ = request;
  raise(now, Stage::PortEnqueue, request.id, request.addr / kLineBytes, queue_.count());
  wake(now);
}

void RootPort::tick(Time now) {
  // Every step sees the queues as they stood when the cycle began: what frees this cycle is free in
  // the next, what is written this cycle is seen in the next.
  const bool spec_room = memory_.can_accept_spec();
  issue(now);
  const bool spec_taken = read_ahead(spec_room);
  if (!spec_taken) dispatch(now);
  respond(now);
  if (incoming_) {
    queue_.push(*incoming_);
    incoming_.reset();
  }
  plan(now);
}

void RootPort::issue(Time now) {
  if (memory_.req_valid() && parts_.m2s.nd_ready()) {
    const unsigned entry = memory_.req_entry();
    LinkMessage message;
    if (memory_.is_spec(entry)) {
      const SpecRequest& spec = memory_.spec(entry);
      message.opcode = kOpMemSpecRd;
      message.line = spec.with_length ? spec.run.first << 2 : spec.line;
      message.granules = static_cast<std::uint8_t>(spec.with_length ? spec.run.len + 1 : 1);
      raise(now, Stage::SpecIssue, 0, message.line, message.granules);
      // A lost MemSpecRd becomes one that nobody decodes, so that its credit still comes back.
      if (drop_spec_every_ != 0 && ++specs_sent_ % drop_spec_every_ == 0)
        message.line = kUnmappedLine;
    } else {
      message.opcode = kOpMemRd;
      message.tag = static_cast<std::uint16_t>(entry);
      message.line = memory_.line(entry);
      raise(now, Stage::CtrlAccept, memory_.request(entry).id, message.line, message.opcode);
    }
    memory_.req_taken();
    parts_.m2s.push_nd(message, now);
  }
  if (memory_.rwd_valid() && parts_.m2s.wd_ready()) {
    const unsigned entry = memory_.rwd_entry();
    const MemRequest& request = memory_.request(entry);
    LinkMessage message;
    message.partial = request.byte_enable != kAllBytes;
    message.opcode = message.partial ? kOpMemWrPtl : kOpMemWr;
    message.tag = static_cast<std::uint16_t>(entry);
    message.line = memory_.line(entry);
    raise(now, Stage::CtrlAccept, request.id, message.line, message.opcode);
    memory_.rwd_taken();
    parts_.m2s.push_wd(message, now);
  }
}

bool RootPort::read_ahead(bool spec_room) {
  if (reader_.issuing()) {
    if (!spec_room) return false;
    SpecRequest spec;
    spec.run = reader_.window(length_enabled_, memory_.lines(), queue_.loads(), clip_log2_);
    spec.with_length = length_enabled_;
    spec.line = reader_.line();
    memory_.accept_spec(spec);
    reader_.issued(spec.run, ring_);
    return true;
  }
  if (queue_.reader_valid()) {
    const MemRequest& request = queue_.reader_request();
    reader_.look(!request.is_write, queue_.reader_line(), queue_.reader_slot(), policy_,
                 load_control_.state(), ring_);
    queue_.reader_next();
  }
  return false;
}

void RootPort::dispatch(Time now) {
  if (queue_.empty()) return;
  const MemRequest& request = queue_.head();
  const std::uint64_t line = request.addr / kLineBytes;
  if (!memory_.can_accept(line)) return;
  const unsigned tag = memory_.accept(request);
  parts_.store[tag].request = &memory_.request(tag);
  raise(now, Stage::MemqAlloc, request.id, line, tag);
  reader_.slot_left(queue_.head_slot());
  queue_.pop();
}

void RootPort::respond(Time now) {
  if (response_) return;
  const LinkMessage* drs = parts_.s2m.wd_head(now);
  const LinkMessage* ndr = drs != nullptr ? nullptr : parts_.s2m.nd_head(now);
  const LinkMessage* message = drs != nullptr ? drs : ndr;
  if (message == nullptr) return;
  const Time arrival = drs != nullptr ? parts_.s2m.wd_arrival() : parts_.s2m.nd_arrival();
  const unsigned tag = message->tag;
  const auto dev_load = static_cast<DevLoad>(message->dev_load);
  const bool error = message->error;
  if (drs != nullptr) {
    parts_.s2m.pop_wd(now);
  } else {
    parts_.s2m.pop_nd(now);
  }
  const MemRequest& request = memory_.complete(tag);
  MemResponse& response = response_.emplace();
  response.id = request.id;
  response.is_write = request.is_write;
  response.error = error;
  if (!request.is_write) response.data = parts_.store[tag].read_data;
  response_at_ = now + kCycle;
  const Gran before = load_control_.state();
  load_control_.on_response(dev_load);
  raise(arrival, Stage::WireS2M, request.id, request.addr / kLineBytes, tag);
  raise(now, Stage::PortRespond, request.id, request.addr / kLineBytes,
        static_cast<std::uint32_t>(dev_load) << 6 | tag);
  if (load_control_.state() != before) {
    raise(now + kCycle, Stage::LoadControl, 0, 0,
          static_cast<std::uint32_t>(load_control_.state()));
  }
}

// Whether the next cycle can move anything that is already here. A response that waits for the bus
// is the host bridge's to take; it wakes this port then, as an arriving message does.
bool RootPort::can_move() const {
  if (memory_.req_valid() || memory_.rwd_valid()) return true;
  if (reader_.issuing() ? memory_.can_accept_spec() : queue_.reader_valid()) return true;
  return !queue_.empty() && memory_.can_accept(queue_.head().addr / kLineBytes);
}

void RootPort::plan(Time now) {
  next_ = can_move() ? now + kCycle : Time::never();
  if (!response_) next_ = std::min(next_, std::max(now + kCycle, parts_.s2m.rx_event(now)));
}

void RootPort::raise(Time now, Stage stage, std::uint32_t id, std::uint64_t line,
                     std::uint32_t info) const {
  if (parts_.sink == nullptr) return;
  parts_.sink->on_event(
      {now, stage, static_cast<std::uint8_t>(port_), id, line * kLineBytes, info});
}

}  // namespace cxlgpu
