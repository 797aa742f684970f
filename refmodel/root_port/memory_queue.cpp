// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
#include "refmodel/root_port/memory_queue.hpp"

#include <bit>

namespace cxlgpu {
namespace {

constexpr std::uint64_t low_bits(unsigned n) {
  return n >= 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << n) - 1;
}

constexpr unsigned kBiConflictAck = 4;  // S2M NDR of CXL 3.x: no completion

// Opcodes of CXL 2.0: Cmp, Cmp-S, Cmp-E; MemData.
constexpr unsigned last_good(bool drs) {
  return drs ? 0 : 2;
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

unsigned MemoryQueue::hold(const MemRequest& request) {
  assert(can_accept(request.addr / kLineBytes));
  const unsigned entry = next_tag();
  valid_ |= std::uint64_t{1} << entry;
  late_ &= ~(std::uint64_t{1} << entry);
  request_[entry] = request;
  line_[entry] = request.addr / kLineBytes;
  held_.add(line_[entry]);
  return entry;
}

unsigned MemoryQueue::accept(const MemRequest& request) {
  const unsigned entry = hold(request);
  (request.is_write ? rwd_order_ : req_order_).push(static_cast<std::uint8_t>(entry));
  return entry;
}

unsigned MemoryQueue::accept_refused(const MemRequest& request) {
  const unsigned entry = hold(request);
  refused_ |= std::uint64_t{1} << entry;
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

const MemRequest& MemoryQueue::complete(unsigned tag) {
  assert((valid_ & demand_mask_) >> tag & 1);
  valid_ &= ~(std::uint64_t{1} << tag);
  sent_ &= ~(std::uint64_t{1} << tag);
  refused_ &= ~(std::uint64_t{1} << tag);
  held_.remove(line_[tag]);
  return request_[tag];
}

bool MemoryQueueBlock::refuses(const In& in) const {
  return in.isolate || in.down || owed_.beyond(queue_.waiting()) || still_refuses_;
}

std::optional<unsigned> MemoryQueueBlock::next_refused(std::uint64_t entries) const {
  if (entries == 0) return std::nullopt;
  const std::uint64_t from_pointer = entries & (~std::uint64_t{0} << pointer_);
  return static_cast<unsigned>(std::countr_zero(from_pointer != 0 ? from_pointer : entries));
}

// The far end owes it: LD-ID, tag and kind fit, and it is a completion.
bool MemoryQueueBlock::is_answer(const Response& offered, bool drs) const {
  const bool completes = drs || offered.opcode != kBiConflictAck;
  return offered.ld_id == 0 && offered.tag < demands_ && owed_.owes(offered.tag, drs) && completes;
}

void MemoryQueueBlock::offer(Out& out) const {
  out.req_valid = queue_.req_valid();
  if (out.req_valid) {
    const unsigned entry = queue_.req_entry();
    out.req_is_spec = queue_.is_spec(entry);
    if (out.req_is_spec) {
      const SpecRequest& spec = queue_.spec(entry);
      out.req_address = spec_address(spec);
      out.req_granules = spec.with_length ? spec.run.len + 1 : 1;
      out.req_spec_line = spec.with_length ? spec.run.first * 4 : spec.line;
      out.req_is_hint = spec.hint;
    } else {
      out.req_tag = entry;
      out.req_address = queue_.line(entry);
    }
  }
  out.rwd_valid = queue_.rwd_valid();
  if (out.rwd_valid) {
    out.rwd_tag = queue_.rwd_entry();
    out.rwd = &queue_.request(out.rwd_tag);
  }
}

// While not refusing, and no entry born refused is left: one response a cycle, the kinds in turn.
void MemoryQueueBlock::take_responses(const In& in, Out& out) const {
  out.drs_ready = !(in.ndr.valid && !drs_turn_);
  out.ndr_ready = !(in.drs.valid && drs_turn_);
  const bool drs = in.drs.valid && out.drs_ready;
  if (!drs && !(in.ndr.valid && out.ndr_ready)) return;
  const Response& offered = drs ? in.drs : in.ndr;
  out.bad_rsp = offered.ld_id != 0 || offered.opcode > last_good(drs);
  out.rsp_taken = is_answer(offered, drs);
  out.rsp_dev_load = out.rsp_taken ? offered.dev_load : 0;
}

MemoryQueueBlock::Out MemoryQueueBlock::eval(const In& in) const {
  Out out;
  out.refuse = refuses(in);
  out.spec_ready = queue_.can_accept_spec();
  const bool spec_goes = in.spec_valid && out.spec_ready;
  out.in_tag = queue_.next_tag();
  out.in_ready = !spec_goes && queue_.can_accept(in.in_req.addr / kLineBytes);
  out.hint_ready = !queue_.holds_spec() && !in.spec_valid && !(in.in_valid && out.in_ready);
  if (!out.refuse) offer(out);

  const bool room = !response_ || in.rsp_ready;
  const std::uint64_t own = out.refuse ? queue_.held() : queue_.refused();
  if (room) out.refused_tag = next_refused(own);
  if (out.refuse) {
    out.drs_ready = out.ndr_ready = true;
  } else if (room && own == 0) {
    take_responses(in, out);
  }
  out.rsp_valid = response_.has_value();
  if (response_) out.rsp = *response_;
  out.lines = queue_.lines();
  out.unexpected = unexpected_;
  out.timed_out = in.tick && !out.refuse && queue_.any_late();
  out.busy = queue_.busy();
  return out;
}

// The answer of the queue itself.
void MemoryQueueBlock::refuse(unsigned tag) {
  const MemRequest& request = queue_.complete(tag);
  response_ = MemResponse{request.id, request.is_write, true, {}};
  response_->data.fill(0xff);
  pointer_ = tag + 1 == demands_ ? 0 : tag + 1;
}

void MemoryQueueBlock::consume(const Response& offered, bool drs) {
  drs_turn_ = !drs;
  const bool good = offered.opcode <= last_good(drs);
  const bool answer = is_answer(offered, drs);
  if (!answer || !good) ++unexpected_;
  if (!answer) return;
  owed_.answered(offered.tag);
  const MemRequest& request = queue_.complete(offered.tag);
  response_ = MemResponse{request.id, request.is_write, !good || (drs && offered.poison), {}};
  if (!good) {
    response_->data.fill(0xff);
  } else if (drs) {
    response_->data = offered.data;
  }
}

void MemoryQueueBlock::clock(const In& in) {
  const Out now = eval(in);
  const bool req_drops = now.refuse && queue_.req_valid();
  const bool rwd_drops = now.refuse && queue_.rwd_valid();
  if (in.tick) queue_.tick();  // before the allocation, which starts young
  // First, since an entry freed at this edge is not given away at this edge.
  if (in.spec_valid && now.spec_ready) {
    if (!now.refuse) queue_.accept_spec({in.spec, in.spec_line, in.len_en});
  } else if (in.in_valid && now.in_ready) {
    if (now.refuse) {
      queue_.accept_refused(in.in_req);
    } else {
      queue_.accept(in.in_req);
    }
  } else if (in.hint_valid && now.hint_ready && !now.refuse) {
    queue_.accept_spec(hint_request(in.hint, in.len_en));
  }

  if (response_ && in.rsp_ready) response_.reset();
  if (now.refused_tag) refuse(*now.refused_tag);
  if (now.refuse) {
    if (in.drs.valid && is_answer(in.drs, true)) owed_.answered(in.drs.tag);
    if (in.ndr.valid && is_answer(in.ndr, false)) owed_.answered(in.ndr.tag);
  } else if (in.drs.valid && now.drs_ready) {
    consume(in.drs, true);
  } else if (in.ndr.valid && now.ndr_ready) {
    consume(in.ndr, false);
  }
  if (now.req_valid && in.req_ready) {
    if (!now.req_is_spec) owed_.handed_over(now.req_tag, false);
    queue_.req_taken();
  }
  if (now.rwd_valid && in.rwd_ready) {
    owed_.handed_over(now.rwd_tag, true);
    queue_.rwd_taken();
  }
  if (req_drops) queue_.req_dropped();
  if (rwd_drops) queue_.rwd_dropped();
  if (in.down) owed_ = {};
  still_refuses_ = now.refuse && now.busy;
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
