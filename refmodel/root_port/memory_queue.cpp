#include "refmodel/root_port/memory_queue.hpp"

#include <bit>

namespace cxlgpu {
namespace {

constexpr std::uint64_t low_bits(unsigned n) {
  return n >= 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << n) - 1;
}

}  // namespace

MemoryQueue::MemoryQueue(unsigned depth, unsigned spec_entries)
    : demand_mask_(low_bits(depth - spec_entries)), spec_mask_(low_bits(depth) & ~demand_mask_) {
  assert(depth <= kMaxDepth && spec_entries < depth);
}

bool MemoryQueue::holds(std::uint64_t line) const {
  if (!held_.may_hold(line)) return false;
  for (std::uint64_t left = valid_ & demand_mask_; left != 0; left &= left - 1) {
    if (line_[std::countr_zero(left)] == line) return true;
  }
  return false;
}

unsigned MemoryQueue::lowest_free(std::uint64_t valid, std::uint64_t mask) {
  return static_cast<unsigned>(std::countr_zero(~valid & mask));
}

unsigned MemoryQueue::accept(const MemRequest& request) {
  assert(can_accept(request.addr / kLineBytes));
  const unsigned entry = next_tag();
  valid_ |= std::uint64_t{1} << entry;
  late_ &= ~(std::uint64_t{1} << entry);
  request_[entry] = request;
  line_[entry] = request.addr / kLineBytes;
  held_.add(line_[entry]);
  (request.is_write ? rwd_order_ : req_order_).push(static_cast<std::uint8_t>(entry));
  return entry;
}

void MemoryQueue::accept_spec(const SpecRequest& spec) {
  assert(can_accept_spec());
  const unsigned entry = lowest_free(valid_, spec_mask_);
  valid_ |= std::uint64_t{1} << entry;
  spec_[entry] = spec;
  req_order_.push(static_cast<std::uint8_t>(entry));
}

void MemoryQueue::req_taken() {
  const unsigned entry = req_entry();
  req_order_.pop();
  if (is_spec(entry)) {
    valid_ &= ~(std::uint64_t{1} << entry);
  } else {
    sent_ |= std::uint64_t{1} << entry;
  }
}

void MemoryQueue::rwd_taken() {
  sent_ |= std::uint64_t{1} << rwd_entry();
  rwd_order_.pop();
}

void MemoryQueue::req_dropped() {
  const unsigned entry = req_entry();
  req_order_.pop();
  if (is_spec(entry)) valid_ &= ~(std::uint64_t{1} << entry);
}

std::optional<unsigned> MemoryQueue::lowest_held() const {
  const std::uint64_t held = valid_ & demand_mask_;
  if (held == 0) return std::nullopt;
  return static_cast<unsigned>(std::countr_zero(held));
}

const MemRequest& MemoryQueue::complete(unsigned tag) {
  assert((valid_ & demand_mask_) >> tag & 1);
  valid_ &= ~(std::uint64_t{1} << tag);
  sent_ &= ~(std::uint64_t{1} << tag);
  held_.remove(line_[tag]);
  return request_[tag];
}

MemoryQueueBlock::Out MemoryQueueBlock::eval(const In& in) const {
  Out out;
  out.spec_ready = queue_.can_accept_spec();
  const bool spec_goes = in.spec_valid && out.spec_ready;
  out.in_tag = queue_.next_tag();
  out.in_ready = !spec_goes && queue_.can_accept(in.in_req.addr / kLineBytes);

  out.req_valid = queue_.req_valid() && !in.isolate;
  if (out.req_valid) {
    const unsigned entry = queue_.req_entry();
    out.req_is_spec = queue_.is_spec(entry);
    if (out.req_is_spec) {
      const SpecRequest& spec = queue_.spec(entry);
      out.req_address = spec_address(spec);
      out.req_granules = spec.with_length ? spec.run.len + 1 : 1;
      out.req_spec_line = spec.with_length ? spec.run.first * 4 : spec.line;
    } else {
      out.req_tag = entry;
      out.req_address = queue_.line(entry);
    }
  }
  out.rwd_valid = queue_.rwd_valid() && !in.isolate;
  if (out.rwd_valid) {
    out.rwd_tag = queue_.rwd_entry();
    out.rwd = &queue_.request(out.rwd_tag);
  }

  const bool room = !response_ || in.rsp_ready;
  if (in.isolate) {
    out.drs_ready = out.ndr_ready = true;
    if (room) out.isolated_tag = queue_.lowest_held();
  } else {
    out.drs_ready = room;
    out.ndr_ready = room && !in.drs.valid;
    const Response& offered = in.drs.valid ? in.drs : in.ndr;
    out.rsp_taken = room && offered.valid && queue_.expects(offered.tag, in.drs.valid);
    out.rsp_dev_load = out.rsp_taken ? offered.dev_load : 0;
  }
  out.rsp_valid = response_.has_value();
  if (response_) out.rsp = *response_;
  out.lines = queue_.lines();
  out.unexpected = unexpected_;
  out.timed_out = in.tick && !in.isolate && queue_.any_late();
  out.busy = queue_.busy();
  return out;
}

void MemoryQueueBlock::clock(const In& in) {
  const Out now = eval(in);
  const bool req_drops = in.isolate && queue_.req_valid();
  const bool rwd_drops = in.isolate && queue_.rwd_valid();
  if (in.tick) queue_.tick();  // before the allocation, which starts young
  // First, since an entry freed at this edge is not given away at this edge.
  if (in.spec_valid && now.spec_ready) {
    queue_.accept_spec(in.spec);
  } else if (in.in_valid && now.in_ready) {
    queue_.accept(in.in_req);
  }

  if (response_ && in.rsp_ready) response_.reset();
  const Response& offered = in.drs.valid ? in.drs : in.ndr;
  if (now.isolated_tag) {
    const MemRequest& request = queue_.complete(*now.isolated_tag);
    response_ = MemResponse{request.id, request.is_write, true, {}};
    response_->data.fill(0xff);
  } else if (now.rsp_taken) {
    const MemRequest& request = queue_.complete(offered.tag);
    response_ = MemResponse{request.id, request.is_write, in.drs.valid && offered.poison, {}};
    if (in.drs.valid) response_->data = offered.data;
  } else if (offered.valid && now.drs_ready && !in.isolate) {
    ++unexpected_;
  }
  if (now.req_valid && in.req_ready) queue_.req_taken();
  if (now.rwd_valid && in.rwd_ready) queue_.rwd_taken();
  if (req_drops) queue_.req_dropped();
  if (rwd_drops) queue_.rwd_dropped();
}

flits::u128 MemoryQueueBlock::Out::req_header() const {
  if (!req_valid) return 0;
  flits::M2sReq req;
  req.opcode = req_is_spec ? flits::M2sReqOpcode::MemSpecRd : flits::M2sReqOpcode::MemRd;
  req.tag = static_cast<std::uint16_t>(req_tag);
  req.address = req_address * kLineBytes;
  return flits::pack(req);
}

flits::u128 MemoryQueueBlock::Out::rwd_header() const {
  if (!rwd_valid) return 0;
  flits::M2sRwd message;
  message.opcode =
      rwd->byte_enable == kAllBytes ? flits::M2sRwdOpcode::MemWr : flits::M2sRwdOpcode::MemWrPtl;
  message.tag = static_cast<std::uint16_t>(rwd_tag);
  message.address = rwd->addr;
  message.poison = rwd->poison;
  return flits::pack(message);
}

}  // namespace cxlgpu
