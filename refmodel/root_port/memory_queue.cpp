// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
#include "refmodel/root_port/memory_queue.hpp"

#include <cassert>

#include "common/opcodes.hpp"

namespace cxlgpu {

MemoryQueue::MemoryQueue(unsigned depth, unsigned spec_entries)
    : demands_(only(depth - spec_entries) - 1),
      specs_((~Entries{0} >> (kMaxDepth - depth)) & ~demands_) {
  assert(depth <= kMaxDepth && spec_entries >= 1 && spec_entries < depth);
}

bool MemoryQueue::holds(std::uint64_t line) const {
  if (!lines_held_.may_hold(line)) return false;
  for (Entries left = held_; left != 0; left &= left - 1) {
    if (line_[lowest(left)] == line) return true;
  }
  return false;
}

unsigned MemoryQueue::enter(const MemRequest& request) {
  assert(can_accept(request.addr / kLineBytes));
  const unsigned tag = next_tag();
  held_ |= only(tag);
  request_[tag] = request;
  line_[tag] = request.addr / kLineBytes;
  lines_held_.add(line_[tag]);
  return tag;
}

unsigned MemoryQueue::accept(const MemRequest& request) {
  const unsigned tag = enter(request);
  (request.is_write ? rwd_order_ : req_order_).push(static_cast<std::uint8_t>(tag));
  return tag;
}

unsigned MemoryQueue::accept_refused(const MemRequest& request) {
  const unsigned tag = enter(request);
  born_refused_ |= only(tag);
  return tag;
}

void MemoryQueue::accept_spec(const SpecRequest& spec) {
  assert(can_accept_spec());
  const unsigned entry = lowest(specs_ & ~specs_held_);
  specs_held_ |= only(entry);
  spec_[entry] = spec;
  req_order_.push(static_cast<std::uint8_t>(entry));
}

void MemoryQueue::req_taken() {
  if (!is_spec(req_entry())) handed_over_ |= only(req_entry());
  req_dropped();
}

void MemoryQueue::req_dropped() {
  specs_held_ &= ~only(req_entry());
  req_order_.pop();
}

void MemoryQueue::rwd_taken() {
  handed_over_ |= only(rwd_entry());
  rwd_order_.pop();
}

const MemRequest& MemoryQueue::complete(unsigned tag) {
  assert((held_ & only(tag)) != 0);
  for (Entries* entries : {&held_, &handed_over_, &born_refused_, &late_}) *entries &= ~only(tag);
  lines_held_.remove(line_[tag]);
  return request_[tag];
}

namespace {

constexpr unsigned kBiConflictAck = 4, kLastNdr = 2, kLastDrs = 0;  // opcodes of CXL 2.0

[[nodiscard]] MemResponse ended(const MemRequest& request) {
  MemResponse response{request.id, request.is_write, true, {}};
  response.data.fill(0xff);
  return response;
}

[[nodiscard]] bool is_good(const MemoryQueueBlock::Response& response, bool drs) {
  return response.opcode <= (drs ? kLastDrs : kLastNdr);
}

}  // namespace

flits::u128 MemoryQueueBlock::Out::req_header() const {
  if (!req_valid) return 0;
  return flits::pack(flits::M2sReq{
      .opcode = req_is_spec ? flits::M2sReqOpcode::MemSpecRd : flits::M2sReqOpcode::MemRd,
      .tag = static_cast<std::uint16_t>(req_tag),
      .address = req_address * kLineBytes});
}

flits::u128 MemoryQueueBlock::Out::rwd_header() const {
  if (!rwd_valid) return 0;
  return flits::pack(flits::M2sRwd{.opcode = rwd->byte_enable == kAllBytes
                                                 ? flits::M2sRwdOpcode::MemWr
                                                 : flits::M2sRwdOpcode::MemWrPtl,
                                   .tag = static_cast<std::uint16_t>(rwd_tag),
                                   .address = rwd->addr,
                                   .poison = rwd->poison});
}

std::optional<unsigned> MemoryQueueBlock::own_answer(bool refuse) const {
  const std::uint64_t entries = refuse ? queue_.held() : queue_.refused();
  if (entries == 0) return std::nullopt;
  const unsigned after = (refused_last_ + 1) % MemoryQueue::kMaxDepth;
  const int turned = std::countr_zero(std::rotr(entries, static_cast<int>(after)));
  return (after + static_cast<unsigned>(turned)) % MemoryQueue::kMaxDepth;
}

bool MemoryQueueBlock::answers(const Response& response, bool drs) const {
  return response.ld_id == 0 && owed_.owes(response.tag, drs) &&
         (drs || response.opcode != kBiConflictAck);
}

MemoryQueueBlock::Out MemoryQueueBlock::eval(const In& in) const {
  Out out;
  out.busy = queue_.busy();
  out.refuse = in.isolate || in.down || still_refuses_ || owed_.beyond(queue_.waiting());

  out.spec_ready = queue_.can_accept_spec();
  out.in_ready =
      queue_.can_accept(in.in_req.addr / kLineBytes) && !(in.spec_valid && out.spec_ready);
  if (out.in_ready) out.in_tag = queue_.next_tag();
  out.hint_ready = !queue_.holds_spec() && !in.spec_valid && !(in.in_valid && out.in_ready);

  out.req_valid = !out.refuse && queue_.req_valid();
  if (out.req_valid && queue_.is_spec(queue_.req_entry())) {
    const SpecRequest& spec = queue_.spec(queue_.req_entry());
    out.req_is_spec = true;
    out.req_address = spec_address(spec);
    out.req_granules = spec.with_length ? spec.run.len + 1 : 1;
    out.req_spec_line = spec.with_length ? spec.run.first << 2 : spec.line;
    out.req_is_hint = spec.hint;
  } else if (out.req_valid) {
    out.req_tag = queue_.req_entry();
    out.req_address = queue_.line(out.req_tag);
  }
  out.rwd_valid = !out.refuse && queue_.rwd_valid();
  if (out.rwd_valid) {
    out.rwd_tag = queue_.rwd_entry();
    out.rwd = &queue_.request(out.rwd_tag);
  }

  out.rsp_valid = response_.has_value();
  if (out.rsp_valid) out.rsp = *response_;
  if (!out.rsp_valid || in.rsp_ready) out.refused_tag = own_answer(out.refuse);
  if (out.refuse) {
    out.drs_ready = out.ndr_ready = true;
  } else if ((!out.rsp_valid || in.rsp_ready) && !out.refused_tag) {
    out.drs_ready = drs_first_ || !in.ndr.valid;
    out.ndr_ready = !drs_first_ || !in.drs.valid;
    const bool drs = in.drs.valid && out.drs_ready;
    const Response& response = drs ? in.drs : in.ndr;
    if (response.valid) {
      out.rsp_taken = answers(response, drs);
      if (out.rsp_taken) out.rsp_dev_load = response.dev_load;
      out.bad_rsp = response.ld_id != 0 || !is_good(response, drs);
    }
  }
  out.timed_out = in.tick && !out.refuse && queue_.any_late();
  out.lines = queue_.lines();
  out.unexpected = unexpected_;
  return out;
}

// While not refusing.
void MemoryQueueBlock::consume(const Response& response, bool drs) {
  drs_first_ = !drs;
  const bool answer = answers(response, drs), good = is_good(response, drs);
  if (!answer || !good) ++unexpected_;
  if (!answer) return;
  const MemRequest& request = queue_.complete(response.tag);
  response_ = {
      .id = request.id, .is_write = request.is_write, .error = !good || (drs && response.poison)};
  if (drs && good) {
    response_->data = response.data;
  } else {
    response_->data.fill(0xff);
  }
}

void MemoryQueueBlock::hand_over(const In& in, const Out& out) {
  if (out.refuse) {
    if (queue_.req_valid()) queue_.req_dropped();
    if (queue_.rwd_valid()) queue_.rwd_dropped();
    return;
  }
  if (out.req_valid && in.req_ready) {
    if (!out.req_is_spec) owed_.handed_over(out.req_tag, false);
    queue_.req_taken();
  }
  if (out.rwd_valid && in.rwd_ready) {
    owed_.handed_over(out.rwd_tag, true);
    queue_.rwd_taken();
  }
}

void MemoryQueueBlock::accept(const In& in, const Out& out) {
  if (in.in_valid && out.in_ready) {
    out.refuse ? queue_.accept_refused(in.in_req) : queue_.accept(in.in_req);
  } else if (out.refuse) {
    return;  // a MemSpecRd is forgotten
  } else if (in.spec_valid && out.spec_ready) {
    queue_.accept_spec({.run = in.spec, .line = in.spec_line, .with_length = in.len_en});
  } else if (in.hint_valid && out.hint_ready) {
    queue_.accept_spec(hint_request(in.hint, in.len_en));
  }
}

void MemoryQueueBlock::clock(const In& in) {
  const Out out = eval(in);
  const bool drs = in.drs.valid && out.drs_ready, ndr = in.ndr.valid && out.ndr_ready;
  const bool drs_answers = drs && answers(in.drs, true),
             ndr_answers = ndr && answers(in.ndr, false);

  if (in.rsp_ready) response_.reset();
  if (in.tick) queue_.tick();
  accept(in, out);  // what frees in this cycle is still held for it
  if (out.refused_tag) {
    const MemRequest& request = queue_.complete(*out.refused_tag);
    response_ = ended(request);
    refused_last_ = *out.refused_tag;
  }
  if (!out.refuse && drs) consume(in.drs, true);
  if (!out.refuse && ndr) consume(in.ndr, false);
  if (drs_answers) owed_.answered(in.drs.tag);
  if (ndr_answers) owed_.answered(in.ndr.tag);
  hand_over(in, out);
  if (in.down) owed_ = {};
  still_refuses_ = out.refuse && out.busy;
}

}  // namespace cxlgpu
