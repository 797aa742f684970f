// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
#include "model/root_port.hpp"

#include <algorithm>
#include <bit>

#include "common/opcodes.hpp"
#include "refmodel/root_port/port_registers.hpp"

namespace cxlgpu {

namespace {

constexpr unsigned kRingWays = 4;
constexpr unsigned kSpecEntries = 2;  // of the memory queue, for MemSpecRd alone

}  // namespace

RootPortModel::RootPortModel(unsigned port, const Parts& parts, const Sizes& sizes,
                             std::unique_ptr<Prefetcher> own_policy)
    : port_(port),
      sizes_(sizes),
      parts_(parts),
      queue_(sizes.sr_queue),
      reader_(sizes.spec_cap),
      ring_(sizes.ring / (RingBuffer::kBanks * kRingWays), kRingWays),
      memory_(sizes.memory_queue, kSpecEntries),
      ds_config_{.depth = sizes.ds_lines,
                 .writes = sizes.ds_writes,
                 .mem_entries = sizes.memory_queue - kSpecEntries},
      ds_(ds_config_, queue_, memory_) {
  if (!own_policy) own_policy = make_prefetcher(sizes.model_policy);
  if (own_policy) {
    prefetch_ = std::make_unique<PrefetchReader>(std::move(own_policy), sizes.spec_cap);
  }
}

void RootPortModel::write_register(std::uint32_t offset, std::uint32_t value, Time now) {
  namespace rp = regs::rp;
  if (offset == rp::kViral) return;  // nothing is viral here
  count_told(now);
  if (offset == rp::kPolicy || offset == rp::kHintControl) hints_.pace_changes(hint_pace(), now);
  regs_.write_at(offset, value, base_locked(now));
  if (offset == rp::kDsControl || offset == rp::kDsInterval) {
    ds_.set({.fence = regs_.ds_control.fence,
             .max_writes = regs_.ds_control.max_writes,
             .interval = intervals(regs_.ds_interval)});
  }
  if (offset == rp::kPolicy) policy_written(now);
  if (offset == rp::kDsStatus) clear_error_ |= rp::DsStatusReg::from(value).error;
  if (offset != rp::kDsControl) return;
  // At once if nothing comes in this cycle either: then offer() takes it back.
  const bool enable = regs_.ds_control.enable;
  if (on_ != enable && is_quiet() && !response_leaves(now)) {
    if (switched_ != now) was_on_ = on_;
    switched_ = now;
    on_ = enable;
  }
}

void RootPortModel::policy_written(Time now) {
  ring_.flush();
  if (read_ahead_at_ + kCycle == now) {
    reader_.ring_flushed(before_read_ahead_);
    if (prefetch_) prefetch_->ring_flushed(before_read_ahead_);
  }
  if (prefetch_) prefetch_->flush();
  reader_.flush_streams();
  reader_.use_stream_sets(regs_.policy.stream_sets);
  if (gran_changes_ < now) tell_gran();
  load_control_.clear();  // whatever a response has done at the same edge
  gran_changes_ = now;
  tell_gran();
}

std::uint32_t RootPortModel::read_register(std::uint32_t offset, Time now) {
  count_told(now);
  regs::rp::Regs regs = regs_;
  regs.state.gran = static_cast<std::uint32_t>(load_control_.state());
  show(sr_counters(), regs);
  show(hints_.counters(), regs);
  regs.ds_status = {.on = on_, .empty = ds_.empty(), .error = ds_.error(), .count = ds_.count()};
  regs.sr_cap = {.sr_queue = sizes_.sr_queue,
                 .memory_queue = sizes_.memory_queue,
                 .ring = sizes_.ring,
                 .spec_granules = sizes_.spec_cap};
  regs.ds_cap = {.slots = ds_config_.depth, .writes = ds_config_.writes};
  return regs.word_at(offset);
}

bool RootPortModel::is_quiet() const {
  return under_way_ == 0 && !incoming_ && ds_.empty() && !memory_.busy();
}

void RootPortModel::offer(const MemRequest& request, Time now) {
  if (switched_ == now) on_ = was_on_;
  ++under_way_;
  raise(now, Stage::PortEnqueue, request.id, request.addr / kLineBytes, queue_.count());
  // With nothing else in this cycle it enters and no more.
  if (next_ > now && !still_refuses_) {
    enter(request);
    wake(now + kCycle);
  } else {
    incoming_ = request;
    wake(now);
  }
}

void RootPortModel::offer_hint(std::uint64_t granule, Time now) {
  if (regs_.hint_control.enable) {
    hints_.come(granule, with_length(), now);
  } else {
    hints_.drop_new();
  }
  wake(now);
}

// Every step sees the queues as they stood when the cycle began: what frees this cycle is free in
// the next, what is written this cycle is seen in the next.
void RootPortModel::tick(Time now) {
  if (gran_changes_ <= now) tell_gran();
  const bool switches = on_ != regs_.ds_control.enable && is_quiet() && !response_leaves(now);
  if (on_) {
    tick_stores(now);
  } else {
    tick_plain(now);
  }
  if (switches) on_ = regs_.ds_control.enable;
  plan(now);
}

void RootPortModel::tick_plain(Time now) {
  const bool spec_room = memory_.can_accept_spec(), spec_held = memory_.holds_spec();
  const bool refuse = refuses(), busy = memory_.busy();
  issue_or_drop(refuse, now);
  const Ahead ahead = read_ahead(spec_room, refuse, now);
  const bool taken = ahead != Ahead::Taken && dispatch(refuse, now);
  issue_hint(!spec_held && ahead == Ahead::Nothing && !taken, refuse, now);
  if (const auto dev_load = respond(refuse, now)) ds_.hear(*dev_load);
  still_refuses_ = refuse && busy;
  if (incoming_) enter(*incoming_);
  incoming_.reset();
}

void RootPortModel::tick_stores(Time now) {
  const DeterministicStoreModel::In in = store_input(now);
  const DeterministicStoreModel::Out out = ds_.begin(in, now);
  const bool spec_room = memory_.can_accept_spec(), spec_held = memory_.holds_spec();
  const bool refuse = refuses(), busy = memory_.busy();
  issue_or_drop(refuse, now);
  const Ahead ahead = read_ahead(spec_room, refuse, now);
  const bool mq_ready = out.mq_valid && ahead != Ahead::Taken && memory_.can_accept(out.mq_line);
  bool lm_ready = false;
  if (out.lm_valid) {
    const LmRequest& request = ds_.lm_request();
    lm_ready =
        parts_.local.offer(port_, region_base(regs_) / kLineBytes | request.slot, request, now);
  }
  if (mq_ready) accept(ds_.mq_request(), refuse, now);
  issue_hint(!spec_held && ahead == Ahead::Nothing && !mq_ready, refuse, now);
  if (ds_.head_ready(mq_ready, lm_ready)) head_leaves();
  told(ds_.end(mq_ready, lm_ready), now + kCycle);
  if (out.lm_rsp_ready) parts_.local.answer_taken(port_);
  if (out.mq_rsp_ready) response_.reset();
  if (const auto dev_load = respond(refuse, now)) ds_.hear(*dev_load);
  still_refuses_ = refuse && busy;
  if (incoming_) enter(*incoming_);
  incoming_.reset();
  clear_error_ = false;
}

// Into the SR queue, or a store into deterministic store, at the end of a cycle.
void RootPortModel::enter(const MemRequest& request) {
  if (on_ && request.is_write) {
    queue_.beside();
    return ds_.enter(request);
  }
  queue_.push(request);
  if (on_) ds_.load_enters(request.addr / kLineBytes);
}

// Deterministic store tells what it did in the next cycle, and that is counted at its end.
void RootPortModel::told(const DsEvents& events, Time at) {
  const std::uint32_t bits = events.bits();
  if (bits == 0) return;
  count_told(at);
  told_ = events;
  told_at_ = at;
  raise(at, Stage::DsEvent, 0, 0, bits | ds_.count() << 16);
}

void RootPortModel::count_told(Time now) {
  if (told_at_ >= now) return;
  count(told_, regs_);
  told_at_ = Time::never();
}

void RootPortModel::issue_or_drop(bool refuse, Time now) {
  if (!refuse) return issue(now);
  if (memory_.req_valid()) memory_.req_dropped();
  if (memory_.rwd_valid()) memory_.rwd_dropped();
}

void RootPortModel::issue(Time now) {
  if (memory_.req_valid() && parts_.m2s.nd_ready()) hand_over_req(now, now);
  if (memory_.rwd_valid() && parts_.m2s.wd_ready()) hand_over_rwd(now, now);
}

void RootPortModel::hand_over_req(Time now, Time at) {
  const unsigned entry = memory_.req_entry();
  LinkMessage message;
  if (memory_.is_spec(entry)) {
    const SpecRequest& spec = memory_.spec(entry);
    message.opcode = kOpMemSpecRd;
    message.line = spec.with_length ? spec.run.first << 2 : spec.line;
    message.granules = static_cast<std::uint8_t>(spec.with_length ? spec.run.len + 1 : 1);
    raise(at, Stage::SpecIssue, spec.hint ? kHintSpecId : 0, message.line, message.granules);
  } else {
    message.opcode = kOpMemRd;
    message.tag = static_cast<std::uint16_t>(entry);
    message.line = memory_.line(entry);
    message.id = memory_.request(entry).id;
    raise(at, Stage::CtrlAccept, message.id, message.line, message.opcode);
  }
  memory_.req_taken();
  parts_.m2s.push_nd(message, now, at);
}

void RootPortModel::hand_over_rwd(Time now, Time at) {
  const unsigned entry = memory_.rwd_entry();
  const MemRequest& request = memory_.request(entry);
  LinkMessage message;
  message.partial = request.byte_enable != kAllBytes;
  message.opcode = message.partial ? kOpMemWrPtl : kOpMemWr;
  message.tag = static_cast<std::uint16_t>(entry);
  message.line = memory_.line(entry);
  message.id = request.id;
  message.error = request.poison;
  raise(at, Stage::CtrlAccept, request.id, message.line, message.opcode);
  memory_.rwd_taken();
  LinkData& data = parts_.m2s.push_wd(message, now, at);
  data.line = request.data;
  data.byte_enable = request.byte_enable;
}

RootPortModel::Ahead RootPortModel::read_ahead(bool spec_room, bool refuse, Time now) {
  if (!reads_ahead()) return Ahead::Nothing;
  const SrModes modes = modes_of(regs_.policy);
  before_read_ahead_ = sr_counters();
  read_ahead_at_ = now;
  if (prefetch_) return prefetch_ahead(spec_room, refuse, now);
  if (reader_.issuing()) {
    if (reader_.gives_up()) {
      reader_.give_up();
      return Ahead::Nothing;
    }
    if (!spec_room) return Ahead::Waits;
    SpecRequest spec;
    spec.run = reader_.window(modes, memory_.lines(), queue_.loads());
    spec.with_length = modes.with_length();
    spec.line = reader_.line_of(spec.run);
    if (!refuse) memory_.accept_spec(spec);
    reader_.issued(spec.run, modes.match_start, ring_);
    return Ahead::Taken;
  }
  if (queue_.reader_valid()) {
    const MemRequest& request = queue_.reader_request();
    reader_.look(!request.is_write, queue_.reader_line(), queue_.reader_slot(),
                 static_cast<SrPolicy>(regs_.policy.select), load_control_.state(), modes,
                 queue_.reader_at_head(), load_control_.level(), ring_);
    queue_.reader_next();
  }
  return Ahead::Nothing;
}

RootPortModel::Ahead RootPortModel::prefetch_ahead(bool spec_room, bool refuse, Time now) {
  const SrModes modes = modes_of(regs_.policy);
  if (prefetch_->rests()) {
    prefetch_->rest();
    return Ahead::Nothing;
  }
  if (prefetch_->issuing()) {
    if (!spec_room) return Ahead::Waits;
    if (!refuse) {
      memory_.accept_spec(
          {.run = prefetch_->run(), .line = prefetch_->line(), .with_length = modes.with_length()});
    }
    prefetch_->issued(halted(), ring_);
    return Ahead::Taken;
  }
  if (!queue_.reader_valid()) return Ahead::Nothing;
  if (!queue_.reader_request().is_write) {
    prefetch_->look({.line = queue_.reader_line(),
                     .slot = queue_.reader_slot(),
                     .at_head = queue_.reader_at_head(),
                     .halted = halted(),
                     .cycle = now.ps / kCycle.ps},
                    modes, ring_);
  }
  queue_.reader_next();
  return Ahead::Nothing;
}

bool RootPortModel::dispatch(bool refuse, Time now) {
  if (queue_.empty()) return false;
  const MemRequest& request = queue_.head();
  const std::uint64_t line = request.addr / kLineBytes;
  if (!memory_.can_accept(line)) return false;
  accept(request, refuse, now);
  head_leaves();
  return true;
}

// `may`: the memory queue takes a hint in this cycle. Not used, what is held goes.
void RootPortModel::issue_hint(bool may, bool refuse, Time now) {
  if (!hints_.held()) return;
  if (!regs_.hint_control.enable) return hints_.drop_held();
  if (!hints_.offered(hint_pace(), now) || !may) return;
  if (!refuse) memory_.accept_spec(hint_request(hints_.run(), with_length()));
  hints_.taken(now);
}

// With nothing before it, it is handed over in the next cycle: nothing but a fall of the link could
// come between.
void RootPortModel::accept(const MemRequest& request, bool refuse, Time now) {
  const Time next = now + kCycle;
  const bool write = request.is_write;
  const bool first = write ? !memory_.rwd_valid() : !memory_.req_valid();
  const unsigned tag = refuse ? memory_.accept_refused(request) : memory_.accept(request);
  raise(now, Stage::MemqAlloc, request.id, request.addr / kLineBytes, tag);
  if (refuse || !first || falls_at_ == next) return;
  if (write && parts_.m2s.wd_ready()) hand_over_rwd(now, next);
  if (!write && parts_.m2s.nd_ready()) hand_over_req(now, next);
}

void RootPortModel::head_leaves() {
  if (on_) ds_.load_leaves(queue_.head().addr / kLineBytes);
  reader_.slot_left(queue_.head_slot());
  if (prefetch_) prefetch_->slot_left(queue_.head_slot());
  queue_.pop();
}

// Round robin, with an error.
void RootPortModel::answer_refused(std::uint64_t entries, Time now) {
  const std::uint64_t from = entries & (~std::uint64_t{0} << refuse_from_);
  const auto tag = static_cast<unsigned>(std::countr_zero(from != 0 ? from : entries));
  refuse_from_ = tag + 1 == ds_config_.mem_entries ? 0 : tag + 1;
  const MemRequest& request = memory_.complete(tag);
  MemResponse& response = response_.emplace();
  response.id = request.id;
  response.is_write = request.is_write;
  response.error = true;
  response.data.fill(0xff);
  response_at_ = now + kCycle;
  raise(now, Stage::PortRespond, request.id, request.addr / kLineBytes, tag);
}

std::optional<DevLoad> RootPortModel::respond(bool refuse, Time now) {
  if (response_) return std::nullopt;
  if (const std::uint64_t entries = own_answers(refuse); entries != 0) {
    answer_refused(entries, now);
    return std::nullopt;
  }
  if (refuse) return std::nullopt;
  // The kinds in turn when both are there.
  const LinkMessage* drs = parts_.s2m.wd_head(now);
  const LinkMessage* ndr = parts_.s2m.nd_head(now);
  if (drs != nullptr && ndr != nullptr) (drs_turn_ ? ndr : drs) = nullptr;
  const LinkMessage* message = drs != nullptr ? drs : ndr;
  if (message == nullptr) return std::nullopt;
  drs_turn_ = drs == nullptr;
  const Time arrival = drs != nullptr ? parts_.s2m.wd_arrival() : parts_.s2m.nd_arrival();
  const unsigned tag = message->tag;
  const auto dev_load = static_cast<DevLoad>(message->dev_load);
  const bool error = message->error;
  const MemRequest& request = memory_.complete(tag);
  MemResponse& response = response_.emplace();
  if (drs != nullptr) {
    response.data = parts_.s2m.wd_data().line;
    parts_.s2m.pop_wd(now);
  } else {
    parts_.s2m.pop_nd(now);
  }
  response.id = request.id;
  response.is_write = request.is_write;
  response.error = error;
  response_at_ = now + kCycle;
  if (prefetch_ && !request.is_write) {
    prefetch_->answered(request.addr / kLineBytes, now.ps / kCycle.ps);
  }
  if (dev_load != load_control_.level()) hints_.pace_changes(hint_pace(), now + kCycle);
  if (load_control_.on_response(dev_load)) gran_changes_ = now + kCycle;
  raise(arrival, Stage::WireS2M, request.id, request.addr / kLineBytes, tag);
  raise(now, Stage::PortRespond, request.id, request.addr / kLineBytes,
        static_cast<std::uint32_t>(dev_load) << 6 | tag);
  return dev_load;
}

void RootPortModel::tell_gran() {
  const Gran state = load_control_.state();
  if (state != told_gran_) {
    raise(gran_changes_, Stage::LoadControl, 0, 0, static_cast<std::uint32_t>(state));
  }
  told_gran_ = state;
  gran_changes_ = Time::never();
}

// Whether the next cycle can move anything that is already here. A response that waits for the bus
// is the host bridge's to take; it wakes this port then, as an arriving message does.
bool RootPortModel::can_move() const {
  if (!response_ && own_answers(refuses()) != 0) return true;
  if (memory_.req_valid() || memory_.rwd_valid()) return true;
  if (reader_can_move()) return true;
  return !on_ && !queue_.empty() && memory_.can_accept(queue_.head().addr / kLineBytes);
}

bool RootPortModel::reader_can_move() const {
  if (prefetch_) {
    if (!prefetch_->issuing()) return queue_.reader_valid();
    return prefetch_->rests() || memory_.can_accept_spec();
  }
  if (!reader_.issuing()) return queue_.reader_valid();
  return reader_.gives_up() || memory_.can_accept_spec();
}

void RootPortModel::plan(Time now) {
  const Time soon = now + kCycle;
  next_ = soon;
  if (can_move() || (on_ != regs_.ds_control.enable && is_quiet())) return;
  next_ = gran_changes_;
  if (!response_) next_ = earlier(next_, later(soon, parts_.s2m.rx_event(now)));
  if (hints_.held()) next_ = earlier(next_, later(soon, hints_.offer_from(hint_pace())));
  if (on_ && next_ > soon) next_ = earlier(next_, next_store_event(now));
}

// Deterministic store: it works, waits for its pause, for local memory or for room.
Time RootPortModel::next_store_event(Time now) {
  const Time answer = parts_.local.next_answer(port_);
  const Time seen = later(answer, now + kCycle);
  return ds_.next_event(store_input(answer == Time::never() ? now : seen), answer, now);
}

void RootPortModel::raise(Time now, Stage stage, std::uint32_t id, std::uint64_t line,
                          std::uint32_t info) const {
  if (parts_.sink == nullptr) return;
  parts_.sink->on_event(
      {now, stage, static_cast<std::uint8_t>(port_), id, line * kLineBytes, info});
}

}  // namespace cxlgpu
