// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
#include "model/deterministic_store.hpp"

#include <algorithm>
#include <bit>
#include <cassert>

#include "model/link.hpp"

namespace cxlgpu {
namespace {

unsigned lowest(std::uint64_t set) {
  return static_cast<unsigned>(std::countr_zero(set));
}
constexpr std::uint32_t bit(unsigned i) {
  return std::uint32_t{1} << i;
}
constexpr std::uint64_t low_bits(unsigned n) {
  return n >= 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << n) - 1;
}

}  // namespace

DeterministicStoreModel::DeterministicStoreModel(const DsConfig& config, const SrQueue& queue,
                                                 const MemoryQueue& memory)
    : config_(config),
      queue_(queue),
      memory_(memory),
      slots_(config.depth),
      filter_(config.buckets),
      going_(config.buckets),
      index_(config.depth) {
  assert(config.stores <= kMostStores && config.writes <= kMostWrites);
  assert(config.merges <= kMostMerges && config.reads <= kMostReads);
  pool_.reserve(config.depth);
}

// ------------------------------------------------------------------------- what holds in a cycle

bool DeterministicStoreModel::store_waits_with(std::uint64_t line) const {
  for (std::size_t i = 0; i < stores_.size(); ++i) {
    if (stores_.at(i).line == line) return true;
  }
  return false;
}

unsigned DeterministicStoreModel::write_with(std::uint64_t line, unsigned bucket) const {
  if (going_[bucket] == 0) return kNone;
  for (std::uint64_t left = writing_; left != 0; left &= left - 1) {
    if (writes_[lowest(left)].line == line) return lowest(left);
  }
  return kNone;
}

bool DeterministicStoreModel::loads_hold(std::uint64_t line) const {
  if (!loads_.may_hold(line)) return false;
  const LineTable loads = queue_.loads();
  for (std::uint64_t left = loads.valid; left != 0; left &= left - 1) {
    if (loads.line[lowest(left)] == line) return true;
  }
  return false;
}

// A load of the line is on its way, and the slot's bytes are not requested yet.
bool DeterministicStoreModel::merge_holds(std::uint64_t line) const {
  for (std::uint32_t left = asked_ | back_; left != 0; left &= left - 1) {
    if (merges_[lowest(left)].line == line) return true;
  }
  return false;
}

// The merge that a load's answer is for.
std::optional<unsigned> DeterministicStoreModel::merge_of(const In& in) const {
  for (std::uint32_t left = reads(in) ? asked_ : 0; left != 0; left &= left - 1) {
    if (merges_[lowest(left)].id == in.mq_rsp->id) return lowest(left);
  }
  return std::nullopt;
}

// The slot of a line that is deferred and that the index does not have yet.
unsigned DeterministicStoreModel::late_slot_of(std::uint64_t line) const {
  for (std::size_t i = pending_.size() - unindexed_; i < pending_.size(); ++i) {
    if (slots_[pending_[i]].line == line) return pending_[i];
  }
  return kNone;
}

unsigned DeterministicStoreModel::write_entry() const {
  std::uint64_t taken = writing_;
  if (fast_ && fast_->direct()) taken |= std::uint64_t{1} << fast_->write;
  return lowest(~taken);
}

// An operation of a load or store of the line is in progress.
bool DeterministicStoreModel::works_on(std::uint64_t line) const {
  return (load_works() && head_line_ == line) || (store_works() && stores_.front().line == line);
}

// An operation has the deferred lines, the filter or the words of slots to itself.
bool DeterministicStoreModel::changes_deferred(Time now) const {
  return state_ == State::FWait || state_ == State::FMask || state_ == State::CFree ||
         state_ == State::CPut || (state_ == State::FDelete && operation_answered(now));
}

// The oldest store goes to local memory, perhaps to the endpoint, from the next cycle on.
bool DeterministicStoreModel::fast_looks(Time now) const {
  if (stores_.empty() || fast_ || store_works()) return false;
  if (state_ == State::Idle && (completion_eligible() || back_ != 0)) return false;
  if (state_ == State::FMask) return false;
  if (state_ == State::FDelete && operation_answered(now)) return false;
  if (free_slots() == 0 || unindexed_ >= config_.inserts) return false;
  const Store& store = stores_.front();
  if (filter_.maybe_in(store.bucket) || write_with(store.line, store.bucket) != kNone) return false;
  return !loads_hold(store.line) && !memory_.holds(store.line) && !merge_holds(store.line);
}

bool DeterministicStoreModel::may_go_at_once() const {
  if (level_ != DevLoad::Light && level_ != DevLoad::Optimal) return false;
  const bool flush_begun =
      state_ == State::FWait || state_ == State::FMask || state_ == State::FDelete;
  if (!may_write(flush_begun) || stalled_ != MqSource::None) return false;
  const std::uint64_t free = ~memory_.held() & low_bits(config_.mem_entries);
  return (free & (free - 1)) != 0;  // two
}

bool DeterministicStoreModel::head_passes() const {
  if (head_ == nullptr) return false;
  if (pass_ || stalled_ == MqSource::Head) return true;
  return !load_works() && !filter_.maybe_in(head_bucket_) &&
         write_with(head_line_, head_bucket_) == kNone;
}

// With a write of a part of the line in flight it waits for its end.
bool DeterministicStoreModel::load_eligible() const {
  if (head_ == nullptr || head_passes() || wanted_ == head_line_) return false;
  if (reading_ == low_bits(config_.reads)) return false;
  const unsigned w = write_with(head_line_, head_bucket_);
  return w == kNone || writes_[w].mask == kAllBytes;
}

// While a late answer waits no store here is answered, and one that left would be a second.
bool DeterministicStoreModel::store_eligible() const {
  if (stores_.empty() || unindexed_ >= config_.inserts || done_ || fast_) return false;
  const Store& store = stores_.front();
  if (loads_hold(store.line) || merge_holds(store.line)) return false;
  return !memory_.holds(store.line) || write_with(store.line, store.bucket) != kNone;
}

Time DeterministicStoreModel::flush_from() const {
  const unsigned log2 = set_.interval[static_cast<std::size_t>(level_)];
  return log2 == 0 || !sent_ ? Time{0} : pause_from_ + kCycle * (std::uint64_t{1} << log2);
}

DeterministicStoreModel::MqSource DeterministicStoreModel::mq_source() const {
  if (stalled_ != MqSource::None) return stalled_;
  if (fast_ && fast_->direct() && !fast_->in_mq) return MqSource::Direct;
  const bool flush = !flushed_.empty();
  // A load that the memory queue would refuse does not stand in the way of the other sources.
  const bool head = head_passes() && !memory_.holds(head_line_);
  if (head && (!flush || !head_was_last_)) return MqSource::Head;
  return flush ? MqSource::Flush : MqSource::None;
}

std::uint64_t DeterministicStoreModel::mq_line(MqSource source) const {
  if (source == MqSource::Head) return head_line_;
  return source == MqSource::Direct ? stores_.front().line : writes_[flushed_.front().write].line;
}

DeterministicStoreModel::RspSource DeterministicStoreModel::response_source(const In& in) const {
  if (!is_response_free(now_)) return RspSource::None;
  const std::array<bool, 4> wants{store_answerable(), whole_ != 0, local_load(in),
                                  reads(in) && !merge_of(in)};
  for (unsigned turn = 1; turn <= 4; ++turn) {
    const unsigned source = (static_cast<unsigned>(rsp_last_) + turn) % 4;
    if (wants[source]) return static_cast<RspSource>(source);
  }
  return RspSource::None;
}

DeterministicStoreModel::LmSource DeterministicStoreModel::lm_source() const {
  if (lm_stalled_ != LmSource::None) return lm_stalled_;
  if (uses_local()) return LmSource::Operation;
  return fast_ && !fast_->in_local ? LmSource::Fast : LmSource::None;
}

void DeterministicStoreModel::find_head() {
  head_ = queue_.empty() ? nullptr : &queue_.head();
  if (head_ == nullptr || head_->addr / kLineBytes == head_line_) return;
  head_line_ = head_->addr / kLineBytes;
  head_bucket_ = filter_.bucket(head_line_);
}

// What only time has changed.
void DeterministicStoreModel::settle(Time now) {
  now_ = now;
  if (responds_ && response_left_ < now) responds_ = false;
  if (!responds_) response_left_ = Time::never();
  // The first cycle after the choice in which anything happens: all loads heard so far are seen in
  // F's first step, none that comes from then on. No line is deferred or goes before the third.
  if (state_ == State::FFirst) {
    state_ = State::FWait;
    slot_ = worked_ != 0 ? pending_.front() : pending_.back();
  }
  if (state_ == State::FWait && due_ <= now) state_ = State::FMask;
}

// ------------------------------------------------------------------------------------- a cycle

DeterministicStoreModel::Out DeterministicStoreModel::begin(const In& in, Time now) {
  settle(now);
  find_head();
  in_ = in;
  mq_ = mq_source();
  lm_ = lm_source();
  answer_ = response_source(in);
  out_.mq_valid = mq_ != MqSource::None;
  if (out_.mq_valid) out_.mq_line = mq_line(mq_);
  out_.lm_valid = lm_ != LmSource::None;
  out_.mq_rsp_ready = in.mq_rsp != nullptr &&
                      (in.mq_rsp->is_write ? !is_of_fast(*in.mq_rsp)
                                           : answer_ == RspSource::Mq || merge_of(in).has_value());
  out_.lm_rsp_ready =
      in.lm_rsp != nullptr && (in.lm_rsp->kind != LmKind::Load || answer_ == RspSource::Local);

  // By the queues as they stand now, too.
  looks_ = fast_looks(now);
  goes_at_once_ = looks_ && may_go_at_once();
  choice_ = state_ == State::Idle && !looks_ ? choice(now) : State::Idle;
  may_flush_ = flush_eligible(now);
  refused_ = state_ == State::FMask && !flush_is_inserted(now) &&
             (memory_.holds(slots_[slot_].line) || merge_holds(slots_[slot_].line));
  return out_;
}

const MemRequest& DeterministicStoreModel::mq_request() {
  if (mq_ == MqSource::Head) return *head_;
  if (mq_ == MqSource::Direct) {
    mq_request_ = stores_.front().request;
    mq_request_.id = kRootPortIds + fast_->write;
    return mq_request_;
  }
  const Flushed& flushed = flushed_.front();
  const Write& write = writes_[flushed.write];
  mq_request_.id = kRootPortIds + flushed.write;
  mq_request_.is_write = true;
  mq_request_.addr = write.line * kLineBytes;
  mq_request_.byte_enable = write.sent_mask;
  mq_request_.data = flushed.data;
  mq_request_.poison = flushed.error;
  return mq_request_;
}

const LmRequest& DeterministicStoreModel::lm_request() {
  LmRequest& request = lm_request_;
  const bool fast = lm_ == LmSource::Fast;
  request.write = fast || state_ == State::SWrite;
  request.slot = fast ? fast_->slot : slot_;
  if (request.write) {
    request.byte_enable = stores_.front().request.byte_enable;
    request.data = stores_.front().request.data;
  } else if (state_ == State::LRead) {
    request.kind = LmKind::Load;
    request.index = offered_ != kNone ? offered_ : lowest(~reading_);  // it began with one
  } else if (state_ == State::FRead) {
    request.kind = LmKind::Flush;
    request.index = write_;
  } else {
    request.kind = LmKind::Merge;
    request.index = merge_;
    request.slot = merges_[merge_].slot;
  }
  return request;
}

bool DeterministicStoreModel::head_ready(bool mq_ready, bool lm_ready) const {
  return (mq_ == MqSource::Head && mq_ready) ||
         (state_ == State::LRead && lm_ready && lm_ == LmSource::Operation);
}

DsEvents DeterministicStoreModel::end(bool mq_ready, bool lm_ready) {
  events_ = {};
  const bool mq_taken = mq_ != MqSource::None && mq_ready;
  const bool head_leaves = head_ready(mq_ready, lm_ready);
  const bool lets_go = state_ == State::FMask || state_ == State::FDelete;
  const bool changes = changes_deferred(now_);
  // Offered to the index: the first late line.
  const unsigned late = unindexed_ > 0 && !inserting_ && !asks_index()
                            ? pending_[pending_.size() - unindexed_]
                            : kNone;
  const bool at_work = out_.mq_rsp_ready && in_.mq_rsp->is_write &&
                       (state_ == State::CFree || state_ == State::CPut ||
                        works_on(writes_[in_.mq_rsp->id - kRootPortIds].line));
  // It takes the slot that was free before a completion gives one back.
  Fast begun;
  if (looks_) {
    begun.slot = take_slot();
    if (goes_at_once_) begun.write = write_entry();
  }

  bool failed = false;
  if (state_ != State::Idle) {
    step(lm_ready);
    failed = events_.error;
  } else if (!looks_) {
    choose();
  }
  step_insertion(late);
  if (fast_) {
    step_fast(changes, lm_ == LmSource::Fast && lm_ready, mq_ == MqSource::Direct && mq_ready);
  }
  if (looks_) fast_ = begun;
  lm_stalled_ = lm_ready ? LmSource::None : lm_;
  if (refused_) wanted_ = slots_[slot_].line;
  if (!may_flush_ || (lets_go && state_ == State::FRead)) wanted_.reset();
  error_ = failed || (error_ && !in_.clear_error);

  if (responds_ && response_left_ == now_) responds_ = false;
  if (answer_ != RspSource::None) take_response(answer_);
  if (leaving_) step_leaving();
  if (out_.mq_rsp_ready) take_mq_answer(at_work);
  if (out_.lm_rsp_ready) take_local_answer();

  stalled_ = mq_taken ? MqSource::None : mq_;
  if (mq_taken) {
    if (mq_ != MqSource::Direct) head_was_last_ = mq_ == MqSource::Head;
    if (mq_ == MqSource::Flush) flushed_.pop();
    if (mq_ != MqSource::Head) {
      sent_ = true;
      pause_from_ = now_ + kCycle;
    }
  }
  if (head_leaves) pass_ = false;
  return events_;
}

void DeterministicStoreModel::enter(const MemRequest& store) {
  Store& entry = stores_.push();
  entry.request = store;
  entry.line = store.addr / kLineBytes;
  entry.bucket = filter_.bucket(entry.line);
}

// ------------------------------------------------------------------------------ the operations

// C and M first, then S, but no more than eight before an L or F that may go; these two in turn.
DeterministicStoreModel::State DeterministicStoreModel::choice(Time now) const {
  if (completion_eligible()) return State::CTake;
  if (back_ != 0) return State::MRead;
  const bool store = store_eligible(), late = stored_last_ == kStoresFirst;
  if (store && !late) return State::SLook;
  const bool load = load_eligible(), flush = flush_eligible(now);
  if (load && (!last_was_load_ || !flush)) return State::LLook;
  if (flush) return State::FFirst;
  return store ? State::SLook : State::Idle;
}

void DeterministicStoreModel::choose() {
  switch (choice_) {
    case State::Idle:
      return;
    case State::MRead:
      merge_ = lowest(back_);
      break;
    case State::SLook:
      stored_last_ = std::min(stored_last_ + 1, kStoresFirst);
      break;
    case State::LLook:
    case State::FFirst:
      stored_last_ = 0;
      last_was_load_ = choice_ == State::LLook;
      break;
    default:
      break;
  }
  go(choice_, choice_ == State::FFirst ? kFlushSteps : 1);
}

void DeterministicStoreModel::step(bool lm_ready) {
  if (now_ < due_) return;
  if (asks_index()) {
    if (!accepted_) {
      if (!inserting_) ask_operation();
      return;
    }
    accepted_ = false;
  }
  const bool lm_taken = lm_ready && lm_ == LmSource::Operation;
  switch (state_) {
    case State::Idle:
    case State::FFirst:
    case State::FWait:
      return;
    case State::LLook:
      return look_load();
    case State::LFind:
      slot_ = ix_.slot;
      pass_ = events_.false_hit = !ix_.found;
      return ix_.found ? go(State::LMask, 2) : go(State::Idle);
    case State::LMask:
      return mask_load();
    case State::LRead:
      return take_load(lm_ready);
    case State::SLook:
      return look_store();
    case State::SFind:
      there_ = ix_.found;
      slot_ = ix_.slot;
      events_.false_hit = !ix_.found;
      return go(ix_.found ? State::SWrite : State::SNew);
    case State::SNew:
      return new_slot();
    case State::SWrite:
      if (lm_taken) write_store();
      return;
    case State::SMask:
      slots_[slot_].mask |= stores_.front().request.byte_enable;
      return store_leaves(&DsEvents::in_place);
    case State::SPut: {
      const Store& store = stores_.front();
      defer({store.line, store.request.byte_enable, store.bucket}, slot_);
      return store_leaves(&DsEvents::deferred);
    }
    case State::FMask:
      return take_flush();
    case State::FDelete:
      return flush_goes();
    case State::FRead:
      events_.flushed = lm_taken;
      if (lm_taken) go(State::Idle);
      return;
    case State::CTake:
      return take_completion();
    case State::CFree:
      release(write_);
      return go(State::Idle);
    case State::CPut:
      return keep_write();
    case State::MRead:
      if (!lm_taken) return;
      back_ &= ~bit(merge_);
      at_local_ |= bit(merge_);
      return go(State::Idle);
  }
}

void DeterministicStoreModel::ask_operation() {
  accepted_ = true;
  ask(state_ == State::LFind   ? index_.find(head_line_)
      : state_ == State::SFind ? index_.find(stores_.front().line)
                               : index_.erase(slots_[slot_].line));
  due_ = ix_at_;
}

void DeterministicStoreModel::look_load() {
  if (const unsigned w = write_with(head_line_, head_bucket_); w != kNone) {
    slot_ = writes_[w].slot;
    return go(State::LRead);
  }
  const unsigned late = late_slot_of(head_line_);
  if (late == kNone) return go(State::LFind);
  slot_ = late;
  go(State::LMask, 2);
}

void DeterministicStoreModel::mask_load() {
  const Word& word = slots_[slot_];
  if (word.mask == kAllBytes) return go(State::LRead);
  go(State::Idle);
  const std::uint32_t used = asked_ | back_ | at_local_ | whole_;
  const unsigned m = lowest(~used);
  if (m >= config_.merges) return;
  Merge& merge = merges_[m];
  merge.id = head_->id;
  merge.line = word.line;
  merge.mask = word.mask;
  merge.slot = slot_;
  merge.error = false;
  asked_ |= bit(m);
  pass_ = true;
  events_.merge = true;
}

void DeterministicStoreModel::take_load(bool lm_ready) {
  const unsigned index = offered_ != kNone ? offered_ : lowest(~reading_);
  offered_ = kNone;
  if (lm_ != LmSource::Operation) return;  // a fast store's stands there
  if (!lm_ready) {
    offered_ = index;
    return;
  }
  reads_[index] = head_->id;
  reading_ |= bit(index);
  events_.hit = true;
  go(State::Idle);
}

void DeterministicStoreModel::look_store() {
  const Store& store = stores_.front();
  there_ = false;
  if (const unsigned w = write_with(store.line, store.bucket); w != kNone) {
    slot_ = writes_[w].slot;
    return go(State::SWrite);
  }
  if (const unsigned late = late_slot_of(store.line); late != kNone) {
    there_ = true;
    slot_ = late;
    return go(State::SWrite);
  }
  go(filter_.maybe_in(store.bucket) ? State::SFind : State::SNew);
}

void DeterministicStoreModel::new_slot() {
  if (free_slots() != 0) {
    slot_ = take_slot();
    return go(State::SWrite);
  }
  events_.full = true;
  if (!in_.isolate && !error_) return go(State::Idle);
  assert(answered_ == 0);                  // for an answered one a slot was left
  store_leaves(&DsEvents::refused, true);  // none will come free
}

void DeterministicStoreModel::write_store() {
  const Store& store = stores_.front();
  if (const unsigned w = write_with(store.line, store.bucket); w != kNone) {
    writes_[w].mask |= store.request.byte_enable;
    writes_[w].dirty = true;
    return store_leaves(&DsEvents::in_place);
  }
  go(there_ ? State::SMask : State::SPut);
}

// A line that the index does not have yet goes without a search.
void DeterministicStoreModel::take_flush() {
  if (flush_is_inserted(now_)) return;
  if (refused_) return go(State::Idle);
  const bool stays_late = flush_is_late() && (!flush_is_first_late() || ix_.found);
  if (slot_ == pending_.front()) {
    pending_.pop_front();
  } else {
    pending_.pop_back();
  }
  if (!stays_late) return go(State::FDelete);
  --unindexed_;
  flush_goes();
}

void DeterministicStoreModel::flush_goes() {
  const Word& word = slots_[slot_];
  if (pending_.empty()) {
    filter_.clear();
  } else {
    filter_.dec_in(word.bucket);
  }
  write_ = write_entry();
  begin_write(write_, {.line = word.line,
                       .mask = word.mask,
                       .sent_mask = word.mask,
                       .slot = slot_,
                       .bucket = word.bucket});
  go(State::FRead);
}

void DeterministicStoreModel::take_completion() {
  const Completion completion = completed_.front();
  completed_.pop();
  write_ = completion.write;
  events_.error = completion.error;
  go(completion.error || writes_[write_].dirty ? State::CPut : State::CFree);
}

// Its data are newer than the endpoint's: the line is pending again.
void DeterministicStoreModel::keep_write() {
  const Write& write = writes_[write_];
  defer({write.line, write.mask, write.bucket}, write.slot);
  drop_write(write_);
  go(State::Idle);
}

void DeterministicStoreModel::store_leaves(bool DsEvents::*event, bool error) {
  leaving_ = {stores_.front().request.id, error};
  events_.*event = true;
  if (store_works()) go(State::Idle);
}

// After the answer of this cycle, which may be its own.
void DeterministicStoreModel::step_leaving() {
  stores_.pop();
  if (answered_ > 0) {
    --answered_;
  } else {
    done_ = leaving_;
  }
  leaving_.reset();
}

// Beside the operations, in turn with what they ask. Found: the index had no place, and the line
// stays late.
void DeterministicStoreModel::step_insertion(unsigned offered) {
  if (insertion_ends(now_)) {
    inserting_ = false;
    index_full_ = ix_.found;
    if (!index_full_) --unindexed_;
  } else if (offered != kNone) {
    inserting_ = true;
    ask(index_.insert(slots_[offered].line, offered));
  }
}

void DeterministicStoreModel::defer(const Word& word, unsigned slot) {
  slots_[slot] = word;
  pending_.push_back(static_cast<std::uint16_t>(slot));
  ++unindexed_;
  filter_.inc_in(word.bucket);
}

unsigned DeterministicStoreModel::take_slot() {
  if (pool_.empty()) return never_used_++;
  const unsigned slot = pool_.back();
  pool_.pop_back();
  return slot;
}

void DeterministicStoreModel::begin_write(unsigned write, const Write& value) {
  writes_[write] = value;
  writing_ |= std::uint64_t{1} << write;
  ++write_count_;
  ++going_[value.bucket];
}

void DeterministicStoreModel::drop_write(unsigned write) {
  writing_ &= ~(std::uint64_t{1} << write);
  --write_count_;
  --going_[writes_[write].bucket];
}

// Each memory takes it when it can; then it is done.
void DeterministicStoreModel::step_fast(bool deferred_is_used, bool lm_taken, bool mq_taken) {
  const Store& store = stores_.front();
  fast_->in_local |= lm_taken;
  if (mq_taken) {
    fast_->in_mq = true;
    begin_write(fast_->write, {.line = store.line,
                               .mask = store.request.byte_enable,
                               .sent_mask = store.request.byte_enable,
                               .slot = fast_->slot,
                               .bucket = store.bucket});
  }
  const bool direct = fast_->direct();
  if (!fast_->in_local || done_ || (direct ? !fast_->in_mq : deferred_is_used)) return;
  if (!direct) defer({store.line, store.request.byte_enable, store.bucket}, fast_->slot);
  fast_.reset();
  store_leaves(direct ? &DsEvents::direct : &DsEvents::deferred);
}

void DeterministicStoreModel::take_response(RspSource source) {
  rsp_last_ = source;
  responds_ = true;
  response_left_ = Time::never();
  response_.error = false;
  if (source == RspSource::Store) {
    response_.is_write = true;
    response_.data.fill(0);
    if (done_) {
      response_.id = done_->id;
      response_.error = done_->error;
      done_.reset();
    } else {
      response_.id = stores_.at(answered_++).request.id;
    }
    return;
  }
  response_.is_write = false;
  if (source == RspSource::Mq) {
    response_ = *in_.mq_rsp;
  } else if (source == RspSource::Merge) {
    const unsigned m = lowest(whole_);
    whole_ &= ~bit(m);
    response_.id = merges_[m].id;
    response_.error = merges_[m].error;
    response_.data = merges_[m].data;
  } else {
    reading_ &= ~bit(in_.lm_rsp->index);
    response_.id = reads_[in_.lm_rsp->index];
    response_.error = in_.lm_rsp->error;
    response_.data = in_.lm_rsp->data;
  }
}

void DeterministicStoreModel::take_mq_answer(bool at_work) {
  const MemResponse& answer = *in_.mq_rsp;
  if (answer.is_write) {
    const unsigned write = answer.id - kRootPortIds;
    if (!answer.error && !writes_[write].dirty && !at_work) return release(write);
    completed_.push({write, answer.error});
  } else if (const auto m = merge_of(in_)) {
    merges_[*m].data = answer.data;
    merges_[*m].error = answer.error;
    asked_ &= ~bit(*m);
    back_ |= bit(*m);
  }
}

void DeterministicStoreModel::take_local_answer() {
  const LmResponse& answer = *in_.lm_rsp;
  if (answer.kind == LmKind::Flush) {
    Flushed& flushed = flushed_.push();
    flushed.write = answer.index;
    flushed.error = answer.error;
    flushed.data = answer.data;
  } else if (answer.kind == LmKind::Merge) {
    Merge& merge = merges_[answer.index];
    merge_bytes(merge.data, answer.data, merge.mask);
    merge.error |= answer.error;
    at_local_ &= ~bit(answer.index);
    whole_ |= bit(answer.index);
  }
}

// -------------------------------------------------------------------------------------- events

// When the operation's next step does something.
Time DeterministicStoreModel::operation_due(Time soon) const {
  if (state_ != State::Idle) {
    const bool waits_for_insertion =
        asks_index() ? !accepted_ : state_ == State::FMask && flush_is_first_late();
    if (waits_for_insertion) return inserting_ ? ix_at_ : soon;
    return later(due_, soon);
  }
  if (choice(soon) != State::Idle) return soon;
  return flush_possible() ? later(flush_from(), soon) : Time::never();
}

// What is offered to the memory queue: one that was not taken waits for room.
bool DeterministicStoreModel::mq_moves() const {
  if (stalled_ != MqSource::None) return memory_.can_accept(mq_line(stalled_));
  return mq_source() != MqSource::None;
}

Time DeterministicStoreModel::next_event(const In& next, Time lm_at, Time now) {
  const Time soon = now + kCycle;
  const bool free = is_response_free(soon);
  find_head();
  if (next.mq_rsp != nullptr) {
    if (next.mq_rsp->is_write ? !is_of_fast(*next.mq_rsp) : free || merge_of(next)) return soon;
  }
  if (free && (store_answerable() || whole_ != 0)) return soon;
  if (fast_ ? !fast_->direct() || !fast_->in_local || fast_->in_mq : fast_looks(soon)) return soon;
  if (mq_moves() || lm_stalled_ != LmSource::None || uses_local()) return soon;
  if (wanted_ && !flush_eligible(soon)) return soon;
  if (unindexed_ > 0 && !inserting_ && !asks_index()) return soon;
  Time at = operation_due(soon);
  if (inserting_) at = earlier(at, ix_at_);
  // A load's answer that is there waits for the response register; that is emptied aloud.
  if (!local_load(next) || free || lm_at > soon) at = earlier(at, later(lm_at, soon));
  return at;
}

}  // namespace cxlgpu
