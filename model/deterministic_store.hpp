// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
// Deterministic store of one root port in the event-driven model: engine, index and pace.
//
// Purpose: docs/blocks/root_port/ds_engine.md, ds_index.md and ds_pace.md with their cycles, asked
//          only in cycles in which something moves: next_event() names them. What takes a known
//          time (the first steps of an operation, the index, a pause) is one event, at its end. The
//          index's and the filter's rules are the twin's.
// Order:   in a cycle begin(), what the port does with its answer, end(). enter(), load_enters(),
//          load_leaves() and response_taken() say what happens at the port's edges.
// Units:   picoseconds on clock edges; lines (address[51:6]); slots are lines of the port's region
//          of local memory.
// Errors:  as DsEngine. Only while deterministic store is on; hear() always.
#pragma once

#include <array>
#include <bit>
#include <cstdint>
#include <deque>
#include <optional>
#include <vector>

#include "common/line_filter.hpp"
#include "common/local_memory_port.hpp"
#include "common/opcodes.hpp"
#include "common/request.hpp"
#include "common/ring_queue.hpp"
#include "common/time.hpp"
#include "refmodel/root_port/ds_engine.hpp"
#include "refmodel/root_port/ds_filter.hpp"
#include "refmodel/root_port/ds_index.hpp"
#include "refmodel/root_port/memory_queue.hpp"
#include "refmodel/root_port/sr_queue.hpp"

namespace cxlgpu {

class DeterministicStoreModel {
 public:
  // The port's queues, as they stand in each cycle.
  DeterministicStoreModel(const DsConfig& config, const SrQueue& queue, const MemoryQueue& memory);

  struct Settings {
    bool fence = false;
    unsigned max_writes = 0;
    std::array<std::uint8_t, 4> interval{};  // by level: log2 of the pause, 0: none
  };
  void set(const Settings& settings) { set_ = settings; }

  // What stands at its edges in a cycle; null: nothing.
  struct In {
    bool isolate = false, clear_error = false;
    const MemResponse* mq_rsp = nullptr;
    const LmResponse* lm_rsp = nullptr;
  };
  struct Out {
    bool mq_valid = false, lm_valid = false;
    std::uint64_t mq_line = 0;
    bool mq_rsp_ready = false, lm_rsp_ready = false;
  };
  [[nodiscard]] Out begin(const In& in, Time now);
  // What it offers.
  [[nodiscard]] const MemRequest& mq_request();
  [[nodiscard]] const LmRequest& lm_request();
  // The head leaves in this cycle, with what was taken.
  [[nodiscard]] bool head_ready(bool mq_ready, bool lm_ready) const;
  // Events, which are told in the next cycle. Of the cycle's input mq_rsp and lm_rsp are still
  // there; the queues may have moved.
  DsEvents end(bool mq_ready, bool lm_ready);

  // A store in this cycle, after all else of it; a load goes into the SR queue, leaves it.
  void enter(const MemRequest& store);
  void load_enters(std::uint64_t line) { loads_.add(line); }
  void load_leaves(std::uint64_t line) { loads_.remove(line); }
  [[nodiscard]] bool can_enter(const MemRequest& request, bool sr_ready) const {
    if (request.is_write) return stores_.size() < config_.stores && !set_.fence;
    return sr_ready && (stores_.empty() || !store_waits_with(request.addr / kLineBytes));
  }

  // The response register, and that it is emptied in the cycle `at`.
  [[nodiscard]] const MemResponse* response() const {
    return responds_ && response_left_ == Time::never() ? &response_ : nullptr;
  }
  void response_taken(Time at) { response_left_ = at; }
  // It would be filled again at once.
  [[nodiscard]] bool wants_to_answer(const In& in) const {
    return store_answerable() || whole_ != 0 || local_load(in) || (reads(in) && !merge_of(in));
  }

  // The first cycle after `now` in which something changes. `next`: what stands at the edges then;
  // `lm_at`: when there is an answer of local memory, which is next.lm_rsp.
  [[nodiscard]] Time next_event(const In& next, Time lm_at, Time now);

  // The load of a response, from the next cycle on.
  void hear(DevLoad load) {
    level_ = load;
    worked_ = worked_ << 1 | std::uint64_t{load != DevLoad::Light};
  }

  [[nodiscard]] bool empty() const {
    return stores_.empty() && count() == 0 && write_count_ == 0 && !done_;
  }
  [[nodiscard]] bool error() const { return error_; }
  [[nodiscard]] unsigned count() const {
    return static_cast<unsigned>(pending_.size()) + (state_ == State::FDelete);
  }

 private:
  static constexpr unsigned kMostWrites = 64, kMostMerges = 16, kMostReads = 16, kMostStores = 8;
  static constexpr unsigned kStoresFirst = 8;  // before an L or F that may go
  static constexpr unsigned kFlushSteps = 3;   // the third one looks at the line
  static constexpr unsigned kNone = ~0u;

  // LSlot and the first two steps of F, which only take time, are part of LMask and FWait. FFirst
  // is F before the next cycle of any kind, which finds out the line that it takes.
  // clang-format off
  enum class State : std::uint8_t {
    Idle, LLook, LFind, LMask, LRead,
    SLook, SFind, SNew, SWrite, SMask, SPut,
    FFirst, FWait, FMask, FDelete, FRead,
    CTake, CFree, CPut, MRead
  };
  // clang-format on
  enum class MqSource : std::uint8_t { Head, Flush, Direct, None };
  enum class LmSource : std::uint8_t { Operation, Fast, None };
  enum class RspSource : std::uint8_t { Store, Merge, Local, Mq, None };
  struct Store {
    MemRequest request;
    std::uint64_t line = 0;
    unsigned bucket = 0;  // of the filter, as all that follow
  };
  struct Word {
    std::uint64_t line = 0, mask = 0;
    unsigned bucket = 0;
  };
  struct Write {
    std::uint64_t line = 0, mask = 0, sent_mask = 0;
    unsigned slot = 0, bucket = 0;
    bool dirty = false;
  };
  struct Fast {
    unsigned slot = 0, write = kNone;
    bool in_local = false, in_mq = false;
    [[nodiscard]] bool direct() const { return write != kNone; }
  };
  struct Merge {
    std::uint32_t id = 0;
    std::uint64_t line = 0, mask = 0;
    unsigned slot = 0;
    bool error = false;
    Line data{};
  };
  struct Flushed {
    unsigned write = 0;
    bool error = false;
    Line data{};
  };
  struct Done {
    std::uint32_t id = 0;
    bool error = false;
  };
  struct Completion {
    unsigned write = 0;
    bool error = false;
  };

  [[nodiscard]] static bool reads(const In& in) {
    return in.mq_rsp != nullptr && !in.mq_rsp->is_write;
  }
  [[nodiscard]] static bool local_load(const In& in) {
    return in.lm_rsp != nullptr && in.lm_rsp->kind == LmKind::Load;
  }
  [[nodiscard]] bool store_waits_with(std::uint64_t line) const;
  [[nodiscard]] unsigned write_with(std::uint64_t line, unsigned bucket) const;
  [[nodiscard]] bool loads_hold(std::uint64_t line) const;
  [[nodiscard]] bool merge_holds(std::uint64_t line) const;
  [[nodiscard]] std::optional<unsigned> merge_of(const In& in) const;
  [[nodiscard]] bool may_write(unsigned begun_flushes) const {
    const bool store_begun = fast_ && fast_->direct() && !fast_->in_mq;
    return write_count_ + begun_flushes + store_begun < std::min(set_.max_writes, config_.writes) &&
           !error_;
  }
  [[nodiscard]] unsigned late_slot_of(std::uint64_t line) const;
  [[nodiscard]] unsigned write_entry() const;
  [[nodiscard]] unsigned free_slots() const {
    return static_cast<unsigned>(pool_.size()) + config_.depth - never_used_;
  }
  [[nodiscard]] bool store_answerable() const {
    return done_ || (answered_ < stores_.size() && free_slots() > answered_);
  }
  [[nodiscard]] bool load_works() const { return state_ >= State::LLook && state_ <= State::LRead; }
  [[nodiscard]] bool store_works() const { return state_ >= State::SLook && state_ <= State::SPut; }
  [[nodiscard]] bool works_on(std::uint64_t line) const;
  [[nodiscard]] bool asks_index() const {
    return state_ == State::LFind || state_ == State::SFind || state_ == State::FDelete;
  }
  [[nodiscard]] bool uses_local() const {
    return state_ == State::LRead || state_ == State::SWrite || state_ == State::FRead ||
           state_ == State::MRead;
  }
  // In the cycle `now`, as those that take one.
  [[nodiscard]] bool operation_answered(Time now) const { return accepted_ && ix_at_ == now; }
  [[nodiscard]] bool insertion_ends(Time now) const { return inserting_ && ix_at_ == now; }
  [[nodiscard]] bool changes_deferred(Time now) const;
  [[nodiscard]] bool fast_looks(Time now) const;
  [[nodiscard]] bool may_go_at_once() const;
  [[nodiscard]] bool is_of_fast(const MemResponse& answer) const {
    return fast_ && fast_->direct() && answer.id == kRootPortIds + fast_->write;
  }
  [[nodiscard]] bool head_passes() const;
  [[nodiscard]] bool completion_eligible() const {
    return !completed_.empty() && unindexed_ <= config_.inserts;
  }
  [[nodiscard]] bool load_eligible() const;
  [[nodiscard]] bool store_eligible() const;
  // It may go, but for its pause.
  [[nodiscard]] bool flush_possible() const {
    const bool few_late = unindexed_ <= config_.inserts / 2 || index_full_;
    return !pending_.empty() && few_late && may_write(0);
  }
  [[nodiscard]] Time flush_from() const;
  [[nodiscard]] bool flush_eligible(Time now) const {
    return flush_possible() && (set_.fence || flush_from() <= now);
  }
  [[nodiscard]] MqSource mq_source() const;
  [[nodiscard]] std::uint64_t mq_line(MqSource source) const;
  [[nodiscard]] RspSource response_source(const In& in) const;
  [[nodiscard]] LmSource lm_source() const;
  [[nodiscard]] bool is_response_free(Time now) const {
    return !responds_ || response_left_ <= now;
  }
  void find_head();
  void settle(Time now);
  // The line that a flush looks at: one of either end.
  [[nodiscard]] bool flush_is_first_late() const {
    return unindexed_ > 0 && slot_ == pending_[pending_.size() - unindexed_];
  }
  [[nodiscard]] bool flush_is_late() const {
    return unindexed_ > 0 && (slot_ == pending_.back() || flush_is_first_late());
  }
  [[nodiscard]] bool flush_is_inserted(Time now) const {
    return flush_is_first_late() && !insertion_ends(now);
  }
  void ask(const DsIndex::Answer& answer) {
    ix_ = answer;
    ix_at_ = now_ + kCycle * answer.cycles;
  }
  void ask_operation();
  [[nodiscard]] State choice(Time now) const;

  void go(State next, unsigned cycles = 1) {
    state_ = next;
    due_ = now_ + kCycle * cycles;
  }
  void choose();
  void step(bool lm_ready);
  void look_load();
  void mask_load();
  void take_load(bool lm_ready);
  void look_store();
  void new_slot();
  void write_store();
  void take_flush();
  void flush_goes();
  void take_completion();
  void keep_write();
  void store_leaves(bool DsEvents::*event, bool error = false);
  void step_leaving();
  void step_insertion(unsigned offered);
  void step_fast(bool deferred_is_used, bool lm_taken, bool mq_taken);
  void defer(const Word& word, unsigned slot);
  unsigned take_slot();
  void begin_write(unsigned write, const Write& value);
  void drop_write(unsigned write);
  void release(unsigned write) {
    pool_.push_back(static_cast<std::uint16_t>(writes_[write].slot));
    drop_write(write);
  }
  void take_response(RspSource source);
  void take_mq_answer(bool at_work);
  void take_local_answer();
  [[nodiscard]] Time operation_due(Time soon) const;
  [[nodiscard]] bool mq_moves() const;

  DsConfig config_;
  Settings set_;
  const SrQueue& queue_;
  const MemoryQueue& memory_;

  RingQueue<Store, kMostStores> stores_;
  LineFilter loads_;                   // of the SR queue
  unsigned answered_ = 0;              // of stores_, from the front
  std::deque<std::uint16_t> pending_;  // by age
  std::vector<std::uint16_t> pool_;    // last: taken first
  unsigned unindexed_ = 0, never_used_ = 0;
  std::vector<Word> slots_;
  DsFilter filter_;
  std::vector<std::uint8_t> going_;  // writes, by the filter's buckets
  std::array<Write, kMostWrites> writes_;
  std::uint64_t writing_ = 0;  // bit i: write i
  unsigned write_count_ = 0;
  std::array<std::uint32_t, kMostReads> reads_{};  // ids
  std::uint32_t reading_ = 0;
  std::array<Merge, kMostMerges> merges_;
  // At the endpoint, answered there, at local memory, whole.
  std::uint32_t asked_ = 0, back_ = 0, at_local_ = 0, whole_ = 0;
  RingQueue<Flushed, kMostWrites> flushed_;
  RingQueue<Completion, kMostWrites> completed_;
  std::optional<Done> done_, leaving_;
  MemResponse response_;
  bool responds_ = false;
  Time response_left_ = Time::never();
  bool pass_ = false, error_ = false;
  std::optional<std::uint64_t> wanted_;
  DsEvents events_;

  State state_ = State::Idle;
  Time due_{0};  // the cycle of the state's step
  unsigned stored_last_ = 0;
  bool last_was_load_ = false;
  unsigned slot_ = 0, write_ = 0, merge_ = 0;
  bool there_ = false, accepted_ = false, inserting_ = false;
  bool index_full_ = false;  // the last insertion answered
  DsIndex index_;
  DsIndex::Answer ix_;
  Time ix_at_{0};  // of the answer
  std::optional<Fast> fast_;
  unsigned offered_ = kNone;
  LmSource lm_stalled_ = LmSource::None;
  MqSource stalled_ = MqSource::None;
  bool head_was_last_ = false;  // at the memory queue; else a flush
  RspSource rsp_last_ = RspSource::Mq;

  DevLoad level_ = DevLoad::Light;
  std::uint64_t worked_ = 0;  // of the last 64 responses, bit 0 the last: above light
  bool sent_ = false;         // a write to the endpoint
  Time pause_from_{0};        // the cycle after the last

  // Of the head of the SR queue.
  const MemRequest* head_ = nullptr;
  std::uint64_t head_line_ = ~std::uint64_t{0};
  unsigned head_bucket_ = 0;

  // Of the cycle.
  Time now_{0};
  In in_;
  Out out_;
  MqSource mq_ = MqSource::None;
  LmSource lm_ = LmSource::None;
  RspSource answer_ = RspSource::None;
  bool looks_ = false, goes_at_once_ = false, may_flush_ = false, refused_ = false;
  State choice_ = State::Idle;
  MemRequest mq_request_;
  LmRequest lm_request_;
};

}  // namespace cxlgpu
