// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
#include "refmodel/root_port/ds_engine.hpp"

#include <algorithm>
#include <bit>
#include <cassert>

namespace cxlgpu {
namespace {

std::uint64_t line_number(const MemRequest& request) {
  return request.addr / kLineBytes;
}

bool has(const LineTable& table, std::uint64_t line) {
  for (std::uint64_t left = table.valid; left != 0; left &= left - 1) {
    if (table.line[std::countr_zero(left)] == line) return true;
  }
  return false;
}

template <typename Table>
std::optional<unsigned> lowest_free(const Table& table) {
  const auto at = std::find_if(table.begin(), table.end(), [](const auto& e) { return !e.valid; });
  if (at == table.end()) return std::nullopt;
  return static_cast<unsigned>(at - table.begin());
}

}  // namespace

DsEngine::DsEngine(const DsConfig& config)
    : config_(config),
      slots_(config.depth),
      filter_(config.buckets),
      writes_(config.writes),
      reads_(config.reads),
      merges_(config.merges) {}

bool DsEngine::store_waits_with(std::uint64_t line) const {
  return std::any_of(stores_.begin(), stores_.end(),
                     [line](const MemRequest& store) { return line_number(store) == line; });
}

std::optional<unsigned> DsEngine::write_with(std::uint64_t line) const {
  for (unsigned w = 0; w < writes_.size(); ++w) {
    if (writes_[w].valid && writes_[w].line == line) return w;
  }
  return std::nullopt;
}

unsigned DsEngine::writes_under_way() const {
  return static_cast<unsigned>(
      std::count_if(writes_.begin(), writes_.end(), [](const Write& w) { return w.valid; }));
}

// A load of the line is on its way, and the slot's bytes are not requested yet.
bool DsEngine::merge_holds(std::uint64_t line) const {
  return std::any_of(merges_.begin(), merges_.end(),
                     [line](const Merge& m) { return m.valid && m.stage <= 1 && m.line == line; });
}

std::optional<unsigned> DsEngine::merge_at(unsigned stage) const {
  for (unsigned m = 0; m < merges_.size(); ++m) {
    if (merges_[m].valid && merges_[m].stage == stage) return m;
  }
  return std::nullopt;
}

DsEngine::LineView DsEngine::view(std::uint64_t line) const {
  LineView v;
  v.waits = store_waits_with(line);
  for (const unsigned slot : pending_) {
    if (slots_[slot].line != line) continue;
    v.deferred = true;
    v.mask = slots_[slot].mask;
    v.chosen = (state_ == State::FSlot || state_ == State::FMask) && slot == slot_;
  }
  v.late = late_slot_of(line).has_value();
  if (state_ == State::FDelete && slots_[slot_].line == line) {
    v.deferred = v.chosen = true;
    v.mask = slots_[slot_].mask;
  }
  if (const auto w = write_with(line)) {
    v.under_way = true;
    v.dirty = writes_[*w].dirty;
    v.mask = writes_[*w].mask;
  }
  for (const Merge& m : merges_) {
    if (!m.valid || m.line != line) continue;
    v.merge_waits |= m.stage == 0;
    v.merge_reads |= m.stage == 1 || m.stage == 2;
  }
  return v;
}

std::optional<std::uint64_t> DsEngine::flush_looks_at() const {
  if (state_ != State::FMask) return std::nullopt;
  return slots_[slot_].line;
}

// Room for one more, beside those that other flushes and a fast store have begun.
bool DsEngine::may_write(const In& in, unsigned begun_flushes) const {
  const bool store_begun = fast_ && fast_->write && !fast_->in_mq;
  const unsigned taken = writes_under_way() + begun_flushes + store_begun;
  return taken < std::min(in.max_writes, config_.writes) && !error_;
}

// The slot of a line that is deferred and that the index does not have yet.
std::optional<unsigned> DsEngine::late_slot_of(std::uint64_t line) const {
  for (auto slot = pending_.end() - unindexed_; slot != pending_.end(); ++slot) {
    if (slots_[*slot].line == line) return *slot;
  }
  return std::nullopt;
}

std::optional<unsigned> DsEngine::write_entry() const {
  for (unsigned w = 0; w < writes_.size(); ++w) {
    if (!writes_[w].valid && !(fast_ && fast_->write == w)) return w;
  }
  return std::nullopt;
}

// An operation of a load or store of the line is in progress.
bool DsEngine::works_on(std::uint64_t line, const In& in) const {
  return (load_works() && line_number(in.head) == line) ||
         (store_works() && line_number(stores_.front()) == line);
}

bool DsEngine::may_go_at_once(const In& in) const {
  const auto held_in_mq = static_cast<unsigned>(std::popcount(in.mem.valid));
  const bool flush_begun = state_ >= State::FFirst && state_ <= State::FDelete;
  return in.direct && may_write(in, flush_begun) && !stalled_ &&
         held_in_mq + 2 <= config_.mem_entries;
}

// The oldest store goes to local memory, perhaps to the endpoint, from the next cycle on.
bool DsEngine::fast_looks(const In& in) const {
  if (stores_.empty() || fast_ || store_works()) return false;
  if (state_ == State::Idle && (completion_eligible() || merge_at(1))) return false;
  if (state_ == State::FMask) return false;
  if (state_ == State::FDelete && accepted_ && in.ix_rsp_valid) return false;
  const std::uint64_t line = line_number(stores_.front());
  if (has(in.loads, line) || has(in.mem, line) || merge_holds(line)) return false;
  if (write_with(line) || filter_.maybe(line)) return false;
  if (free_slots() == 0) return false;
  return unindexed_ < config_.inserts;
}

// An operation has the deferred lines, the filter or the words of slots to itself.
bool DsEngine::changes_deferred(const In& in) const {
  return (state_ >= State::FFirst && state_ <= State::FMask) || state_ == State::CFree ||
         state_ == State::CPut || (state_ == State::FDelete && accepted_ && in.ix_rsp_valid);
}

bool DsEngine::head_passes(const In& in) const {
  if (!in.head_valid) return false;
  const std::uint64_t line = line_number(in.head);
  return pass_ || stalled_ == MqSource::Head ||
         (!load_works() && !write_with(line) && !filter_.maybe(line));
}

bool DsEngine::store_held(const In& in) const {
  const std::uint64_t line = line_number(stores_.front());
  return has(in.loads, line) || (has(in.mem, line) && !write_with(line)) || merge_holds(line);
}

// A load that the memory queue would refuse does not stand in the way of the other sources.
bool DsEngine::head_wants_mq(const In& in) const {
  return head_passes(in) && !has(in.mem, line_number(in.head));
}

// Of an index that refuses inserts, a completion waits for a flush: then too many lines are late.
bool DsEngine::completion_eligible() const {
  return !completed_.empty() && unindexed_ <= config_.inserts;
}

// With a write of a part of the line in flight it waits for its end.
bool DsEngine::load_eligible(const In& in) const {
  if (!in.head_valid || head_passes(in) || wanted_ == line_number(in.head)) return false;
  if (!lowest_free(reads_)) return false;
  const auto w = write_with(line_number(in.head));
  return !w || writes_[*w].mask == kAllBytes;
}

unsigned DsEngine::free_slots() const {
  return static_cast<unsigned>(pool_.size()) + config_.depth - never_used_;
}

// The oldest store not answered yet has a slot for itself: one is left for each before it. A late
// answer is older than it.
bool DsEngine::store_answerable() const {
  return done_ || (answered_ < stores_.size() && free_slots() > answered_);
}

// While a late answer waits no store here is answered, and one that left would be a second.
bool DsEngine::store_eligible(const In& in) const {
  return !stores_.empty() && unindexed_ < config_.inserts && !store_held(in) && !done_ && !fast_;
}

// With many late lines the index is left to them, unless it has no place: a flush makes one.
bool DsEngine::flush_eligible(const In& in) const {
  const bool few_late = unindexed_ <= config_.inserts / 2 || refused_;
  return !pending_.empty() && few_late && may_write(in, 0) && (in.flush || in.fence);
}

std::optional<DsEngine::MqSource> DsEngine::mq_source(const In& in) const {
  if (stalled_) return stalled_;
  if (fast_ && fast_->write && !fast_->in_mq) return MqSource::Direct;
  const bool head = head_wants_mq(in), flush = !flushed_.empty();
  if (head && (!flush || mq_last_ == MqSource::Flush)) return MqSource::Head;
  if (flush) return MqSource::Flush;
  return std::nullopt;
}

MemRequest DsEngine::mq_request(MqSource source, const In& in) const {
  MemRequest request;
  switch (source) {
    case MqSource::Head:
      return in.head;
    case MqSource::Direct:
      request = stores_.front();
      request.id = kRootPortIds + *fast_->write;
      return request;
    case MqSource::Flush: {
      const Flushed& flushed = flushed_.front();
      const Write& write = writes_[flushed.write];
      return {kRootPortIds + flushed.write,
              true,
              write.line * kLineBytes,
              write.sent_mask,
              flushed.data,
              flushed.error};
    }
  }
  return request;
}

// The merge entry that a load's answer is for.
std::optional<unsigned> DsEngine::merge_of(const In& in) const {
  if (!in.mq_rsp_valid || in.mq_rsp.is_write) return std::nullopt;
  for (unsigned m = 0; m < merges_.size(); ++m) {
    const Merge& merge = merges_[m];
    if (merge.valid && merge.stage == 0 && merge.id == in.mq_rsp.id) return m;
  }
  return std::nullopt;
}

std::optional<DsEngine::RspSource> DsEngine::response_source(const In& in) const {
  if (response_ && !in.rsp_ready) return std::nullopt;
  const bool wants[] = {store_answerable(), merge_at(3).has_value(),
                        in.lm_rsp_valid && in.lm_rsp.kind == LmKind::Load,
                        in.mq_rsp_valid && !in.mq_rsp.is_write && !merge_of(in)};
  for (unsigned turn = 1; turn <= 4; ++turn) {
    const unsigned source = (static_cast<unsigned>(rsp_last_) + turn) % 4;
    if (wants[source]) return static_cast<RspSource>(source);
  }
  return std::nullopt;
}

std::optional<LmRequest> DsEngine::operation_request() const {
  LmRequest request;
  request.slot = slot_;
  switch (state_) {
    case State::LRead: {
      request.kind = LmKind::Load;
      request.index = offered_ ? *offered_ : *lowest_free(reads_);  // it began with one
      return request;
    }
    case State::SWrite:
      request.write = true;
      request.byte_enable = stores_.front().byte_enable;
      request.data = stores_.front().data;
      return request;
    case State::FRead:
      request.kind = LmKind::Flush;
      request.index = write_;
      return request;
    case State::MRead:
      request.kind = LmKind::Merge;
      request.index = merge_;
      request.slot = merges_[merge_].slot;
      return request;
    default:
      return std::nullopt;
  }
}

std::optional<DsEngine::LmSource> DsEngine::lm_source() const {
  if (lm_stalled_) return lm_stalled_;
  if (operation_request()) return LmSource::Operation;
  if (fast_ && !fast_->in_local) return LmSource::Fast;
  return std::nullopt;
}

LmRequest DsEngine::lm_request(LmSource source) const {
  if (source == LmSource::Operation) return *operation_request();
  LmRequest request;
  request.slot = fast_->slot;
  request.write = true;
  request.byte_enable = stores_.front().byte_enable;
  request.data = stores_.front().data;
  return request;
}

bool DsEngine::asks_index() const {
  return state_ == State::LFind || state_ == State::SFind || state_ == State::FDelete;
}

// Beside the operations, in turn with what they ask: neither takes back what it offered.
bool DsEngine::offers_insertion() const {
  if (insertion_ == Insertion::Taken) return false;
  return insertion_ == Insertion::Stalled || (unindexed_ > 0 && !asks_index());
}

bool DsEngine::insertion_ends(const In& in) const {
  return insertion_ == Insertion::Taken && in.ix_rsp_valid;
}

// Whether the index lacks the line that a flush looks at. That is the first deferred one, late if
// all are, or the last, late if any is.
bool DsEngine::flush_is_late() const {
  return unindexed_ > 0 && (slot_ == pending_.back() || flush_is_first_late());
}

// A flush cannot let its line go while the index works on it.
bool DsEngine::flush_is_inserted(const In& in) const {
  return flush_is_first_late() && !insertion_ends(in);
}

// Found: the index had no place, and the line stays late.
void DsEngine::step_insertion(const In& in, const Out& now) {
  if (insertion_ends(in)) {
    insertion_ = Insertion::None;
    refused_ = in.ix_found;
    if (!refused_) --unindexed_;
  } else if (now.ix_valid && now.ix_op == 1) {
    insertion_ = in.ix_ready ? Insertion::Taken : Insertion::Stalled;
  }
}

bool DsEngine::can_enter(const MemRequest& request, bool sr_ready, bool fence) const {
  if (request.is_write) return stores_.size() < config_.stores && !fence;
  return sr_ready && !store_waits_with(line_number(request));
}

DsEngine::Out DsEngine::eval(const In& in) const {
  Out out;
  out.empty = empty();
  out.error = error_;
  out.count = count();
  out.events = events_;
  if (!in.enable) {
    out.req_ready = in.sr_ready;
    out.sr_valid = in.req_valid;
    out.head_ready = in.mq_ready;
    out.mq_valid = in.head_valid;
    out.mq_req = in.head;
    out.mq_rsp_ready = in.rsp_ready;
    out.rsp_valid = in.mq_rsp_valid;
    out.rsp = in.mq_rsp;
    return out;
  }

  out.req_ready = can_enter(in.req, in.sr_ready, in.fence);
  out.sr_valid = in.req_valid && !in.req.is_write && !store_waits_with(line_number(in.req));

  const auto source = mq_source(in);
  out.mq_valid = source.has_value();
  if (source) out.mq_req = mq_request(*source, in);
  if (const auto local = lm_source()) {
    out.lm_valid = true;
    out.lm_req = lm_request(*local);
  }
  hear_ready(out, in);

  const auto answer = response_source(in);
  const bool of_fast = fast_ && fast_->write && in.mq_rsp.id == kRootPortIds + *fast_->write;
  out.mq_rsp_ready = in.mq_rsp.is_write ? !of_fast : merge_of(in) || answer == RspSource::Mq;
  out.lm_rsp_ready = in.lm_rsp.kind != LmKind::Load || answer == RspSource::Local;
  out.rsp_valid = response_.has_value();
  if (response_) out.rsp = *response_;

  const bool inserts = offers_insertion();
  out.ix_valid = inserts || (asks_index() && insertion_ == Insertion::None && !accepted_);
  if (inserts) {
    out.ix_op = 1;
    out.ix_slot = first_late();
    out.ix_key = slots_[out.ix_slot].line;
  } else if (state_ == State::LFind) {
    out.ix_key = line_number(in.head);
  } else if (state_ == State::SFind) {
    out.ix_key = line_number(stores_.front());
  } else if (state_ == State::FDelete) {
    out.ix_op = 2;
    out.ix_key = slots_[slot_].line;
  }
  return out;
}

void DsEngine::hear_ready(Out& out, const In& in) const {
  out.head_ready =
      in.enable ? (mq_source(in) == MqSource::Head && in.mq_ready) ||
                      (state_ == State::LRead && in.lm_ready && lm_source() == LmSource::Operation)
                : in.mq_ready;
}

// C and M first, then S, but no more than eight before an L or F that may go; these two in turn.
DsEngine::State DsEngine::choose(const In& in) {
  if (completion_eligible()) return State::CTake;
  if (const auto m = merge_at(1)) {
    merge_ = *m;
    return State::MRead;
  }
  const bool store = store_eligible(in), load = load_eligible(in), flush = flush_eligible(in);
  constexpr unsigned kStoresFirst = 8;
  if (store && (stored_last_ < kStoresFirst || (!load && !flush))) {
    stored_last_ = std::min(stored_last_ + 1, kStoresFirst);
    return State::SLook;
  }
  if (!load && !flush) return State::Idle;
  stored_last_ = 0;
  const bool load_first = last_ == State::FFirst;
  return last_ = load && (load_first || !flush) ? State::LLook : State::FFirst;
}

DsEngine::State DsEngine::look_load(const In& in) {
  const std::uint64_t line = line_number(in.head);
  if (const auto w = write_with(line)) {
    slot_ = writes_[*w].slot;
    return State::LRead;
  }
  const auto late = late_slot_of(line);
  if (!late) return State::LFind;
  slot_ = *late;
  return State::LSlot;
}

DsEngine::State DsEngine::mask_load(const In& in) {
  const Word& word = slots_[slot_];
  if (word.mask == kAllBytes) return State::LRead;
  const auto m = lowest_free(merges_);
  if (!m) return State::Idle;
  merges_[*m] = {true, in.head.id, word.line, slot_, word.mask, {}, false, 0};
  pass_ = true;
  events_.merge = true;
  return State::Idle;
}

DsEngine::State DsEngine::take_load(const In& in, const Out& now) {
  offered_.reset();
  if (lm_source() != LmSource::Operation) return State::LRead;  // a fast store's stands there
  if (!in.lm_ready) {
    offered_ = now.lm_req.index;
    return State::LRead;
  }
  reads_[now.lm_req.index] = {true, in.head.id};
  events_.hit = true;
  return State::Idle;
}

DsEngine::State DsEngine::look_store() {
  const std::uint64_t line = line_number(stores_.front());
  there_ = false;
  if (const auto w = write_with(line)) {
    slot_ = writes_[*w].slot;
    return State::SWrite;
  }
  if (const auto late = late_slot_of(line)) {
    there_ = true;
    slot_ = *late;
    return State::SWrite;
  }
  return filter_.maybe(line) ? State::SFind : State::SNew;
}

DsEngine::State DsEngine::new_slot(const In& in) {
  if (const auto slot = take_slot()) {
    slot_ = *slot;
    return State::SWrite;
  }
  events_.full = true;
  if (!in.isolate && !error_) return State::Idle;
  assert(answered_ == 0);                         // for an answered one a slot was left
  return store_leaves(&DsEvents::refused, true);  // none will come free
}

DsEngine::State DsEngine::write_store(const In& in) {
  if (!in.lm_ready || lm_source() != LmSource::Operation) return State::SWrite;
  const MemRequest& store = stores_.front();
  if (const auto w = write_with(line_number(store))) {
    writes_[*w].mask |= store.byte_enable;
    writes_[*w].dirty = true;
    return store_leaves(&DsEvents::in_place);
  }
  return there_ ? State::SMask : State::SPut;
}

DsEngine::State DsEngine::mask_store() {
  slots_[slot_].mask |= stores_.front().byte_enable;
  return store_leaves(&DsEvents::in_place);
}

DsEngine::State DsEngine::put_store() {
  const MemRequest& store = stores_.front();
  slots_[slot_] = {line_number(store), store.byte_enable};
  defer(line_number(store), slot_);
  return store_leaves(&DsEvents::deferred);
}

bool DsEngine::flush_is_refused(const In& in) const {
  const std::uint64_t line = slots_[slot_].line;
  return has(in.mem, line) || merge_holds(line);
}

// A line that the index does not have yet goes without a search.
DsEngine::State DsEngine::take_flush(const In& in) {
  if (flush_is_inserted(in)) return State::FMask;
  if (flush_is_refused(in)) return State::Idle;
  const bool stays_late = flush_is_late() && (!flush_is_first_late() || in.ix_found);
  if (slot_ == pending_.front()) {
    pending_.pop_front();
  } else {
    pending_.pop_back();
  }
  if (!stays_late) return State::FDelete;
  --unindexed_;
  flush_goes();
  return State::FRead;
}

DsEngine::State DsEngine::delete_flush() {
  flush_goes();
  return State::FRead;
}

void DsEngine::flush_goes() {
  const Word& word = slots_[slot_];
  if (pending_.empty()) {
    filter_.clear();
  } else {
    filter_.dec(word.line);
  }
  write_ = *write_entry();
  writes_[write_] = {true, word.line, slot_, word.mask, word.mask, false};
}

DsEngine::State DsEngine::take_completion() {
  const Completion completion = completed_.front();
  completed_.pop_front();
  write_ = completion.write;
  events_.error = error_now_ = completion.error;
  return completion.error || writes_[write_].dirty ? State::CPut : State::CFree;
}

DsEngine::State DsEngine::free_write() {
  release(writes_[write_]);
  return State::Idle;
}

// Its data are newer than the endpoint's: the line is pending again.
DsEngine::State DsEngine::keep_write() {
  slots_[writes_[write_].slot] = {writes_[write_].line, writes_[write_].mask};
  defer(writes_[write_].line, writes_[write_].slot);
  writes_[write_].valid = false;
  return State::Idle;
}

DsEngine::State DsEngine::store_leaves(bool DsEvents::*event, bool error) {
  leaving_ = {stores_.front().id, error};
  events_.*event = true;
  return State::Idle;
}

// After the answer of this cycle, which may be its own.
void DsEngine::step_leaving() {
  if (!leaving_) return;
  stores_.pop_front();
  if (answered_ > 0) {
    --answered_;
  } else {
    done_ = leaving_;
  }
  leaving_.reset();
}

void DsEngine::defer(std::uint64_t line, unsigned slot) {
  pending_.push_back(slot);
  ++unindexed_;
  filter_.inc(line);
}

std::optional<unsigned> DsEngine::take_slot() {
  if (free_slots() == 0) return std::nullopt;
  if (pool_.empty()) return never_used_++;
  const unsigned slot = pool_.back();
  pool_.pop_back();
  return slot;
}

void DsEngine::release(Write& write) {
  pool_.push_back(write.slot);
  write.valid = false;
}

// Each memory takes it when it can; then it is done.
void DsEngine::step_fast(bool deferred_is_used, bool lm_taken, bool mq_taken) {
  const MemRequest& store = stores_.front();
  const std::uint64_t line = line_number(store), mask = store.byte_enable;
  const unsigned slot = fast_->slot;
  const bool direct = fast_->write.has_value();
  fast_->in_local |= lm_taken;
  if (mq_taken) {
    fast_->in_mq = true;
    writes_[*fast_->write] = {true, line, slot, mask, mask, false};
  }
  if (!fast_->in_local || done_) return;
  if (direct ? !fast_->in_mq : deferred_is_used) return;
  fast_.reset();
  if (!direct) {
    slots_[slot] = {line, mask};
    defer(line, slot);
  }
  store_leaves(direct ? &DsEvents::direct : &DsEvents::deferred);
}

DsEngine::State DsEngine::step(const In& in, const Out& now) {
  const bool lm_taken = in.lm_ready && lm_source() == LmSource::Operation;
  if (asks_index()) {
    if (now.ix_valid && now.ix_op != 1) accepted_ = in.ix_ready;
    if (now.ix_valid || !accepted_ || !in.ix_rsp_valid) return state_;
    accepted_ = false;
  }
  switch (state_) {
    case State::Idle:
      return choose(in);
    case State::LLook:
      return look_load(in);
    case State::LFind:
      slot_ = in.ix_slot;
      pass_ = events_.false_hit = !in.ix_found;
      return in.ix_found ? State::LSlot : State::Idle;
    case State::LSlot:
      return State::LMask;
    case State::LMask:
      return mask_load(in);
    case State::LRead:
      return take_load(in, now);
    case State::SLook:
      return look_store();
    case State::SFind:
      there_ = in.ix_found;
      slot_ = in.ix_slot;
      events_.false_hit = !in.ix_found;
      return in.ix_found ? State::SWrite : State::SNew;
    case State::SNew:
      return new_slot(in);
    case State::SWrite:
      return write_store(in);
    case State::SMask:
      return mask_store();
    case State::SPut:
      return put_store();
    case State::FFirst:
      slot_ = in.oldest ? pending_.front() : pending_.back();
      return State::FSlot;
    case State::FSlot:
      return State::FMask;
    case State::FMask:
      return take_flush(in);
    case State::FDelete:
      return delete_flush();
    case State::FRead:
      events_.flushed = lm_taken;
      return lm_taken ? State::Idle : State::FRead;
    case State::CTake:
      return take_completion();
    case State::CFree:
      return free_write();
    case State::CPut:
      return keep_write();
    case State::MRead:
      if (lm_taken) merges_[merge_].stage = 2;
      return lm_taken ? State::Idle : State::MRead;
  }
  return State::Idle;
}

void DsEngine::take_response(RspSource source, const In& in) {
  rsp_last_ = source;
  switch (source) {
    case RspSource::Store:
      if (done_) {
        response_ = MemResponse{done_->id, true, done_->error, {}};
        done_.reset();
      } else {
        response_ = MemResponse{stores_[answered_++].id, true, false, {}};
      }
      break;
    case RspSource::Merge: {
      Merge& merge = merges_[*merge_at(3)];
      response_ = MemResponse{merge.id, false, merge.error, merge.data};
      merge.valid = false;
      break;
    }
    case RspSource::Local:
      response_ = MemResponse{reads_[in.lm_rsp.index].id, false, in.lm_rsp.error, in.lm_rsp.data};
      reads_[in.lm_rsp.index].valid = false;
      break;
    case RspSource::Mq:
      response_ = in.mq_rsp;
      break;
  }
}

void DsEngine::take_mq_answer(const In& in, std::optional<unsigned> merge, bool at_work) {
  if (in.mq_rsp.is_write) {
    Write& write = writes_[in.mq_rsp.id - kRootPortIds];
    if (!in.mq_rsp.error && !write.dirty && !at_work) return release(write);
    completed_.push_back({in.mq_rsp.id - kRootPortIds, in.mq_rsp.error});
  } else if (merge) {
    merges_[*merge].data = in.mq_rsp.data;
    merges_[*merge].error = in.mq_rsp.error;
    merges_[*merge].stage = 1;
  }
}

void DsEngine::take_local_answer(const In& in) {
  if (in.lm_rsp.kind == LmKind::Flush) {
    flushed_.push_back({in.lm_rsp.index, in.lm_rsp.data, in.lm_rsp.error});
  } else if (in.lm_rsp.kind == LmKind::Merge) {
    Merge& merge = merges_[in.lm_rsp.index];
    merge_bytes(merge.data, in.lm_rsp.data, merge.mask);
    merge.error |= in.lm_rsp.error;
    merge.stage = 3;
  }
}

void DsEngine::clock(const In& in, const Out& now) {
  events_ = {};
  if (!in.enable) return;
  // All by the state before the edge.
  const auto source = mq_source(in);
  const auto answer = response_source(in);
  const auto merge = merge_of(in);
  const bool may_flush = flush_eligible(in);
  const bool refused = state_ == State::FMask && !flush_is_inserted(in) && flush_is_refused(in);
  const bool takes = state_ == State::FMask || state_ == State::FDelete;
  const bool looks = fast_looks(in), direct = may_go_at_once(in);
  const auto local = lm_source();
  const bool changes = changes_deferred(in);
  const bool at_work = in.mq_rsp_valid && in.mq_rsp.is_write &&
                       (state_ == State::CFree || state_ == State::CPut ||
                        works_on(writes_[in.mq_rsp.id - kRootPortIds].line, in));
  // It takes the slot that was free before a completion gives one back.
  std::optional<Fast> begun;
  if (looks) begun = {*take_slot(), direct ? write_entry() : std::nullopt};

  error_now_ = false;
  if (state_ != State::Idle || !looks) state_ = step(in, now);
  step_insertion(in, now);
  if (fast_) {
    step_fast(changes, local == LmSource::Fast && in.lm_ready,
              source == MqSource::Direct && in.mq_ready);
  }
  if (begun) fast_ = begun;
  lm_stalled_ = in.lm_ready ? std::nullopt : local;
  if (refused) wanted_ = slots_[slot_].line;
  if (!may_flush || (takes && state_ == State::FRead)) wanted_.reset();
  error_ = error_now_ || (error_ && !in.clear_error);

  if (response_ && in.rsp_ready) response_.reset();
  if (answer) take_response(*answer, in);
  step_leaving();
  if (in.mq_rsp_valid && now.mq_rsp_ready) take_mq_answer(in, merge, at_work);
  if (in.lm_rsp_valid && now.lm_rsp_ready) take_local_answer(in);

  const bool mq_taken = source && in.mq_ready;
  stalled_ = mq_taken ? std::nullopt : source;
  if (mq_taken && source != MqSource::Direct) mq_last_ = *source;
  if (mq_taken && source == MqSource::Flush) flushed_.pop_front();
  if (in.head_valid && now.head_ready) pass_ = false;
  if (in.req_valid && in.req.is_write && now.req_ready) stores_.push_back(in.req);
}

}  // namespace cxlgpu
