// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
// Deterministic store of one root port: a store is answered when it is sure of GPU local memory.
//
// Purpose: answers stores in their order, each as soon as a slot of local memory is sure to be its
//          own, mostly before it is written there, and brings them to the endpoint in its own
//          time: at once while the endpoint is at ease, later from the deferred lines otherwise,
//          the first or the last of them as it is told. Loads see every older store, from these
//          lines, from the endpoint or merged of both.
// Units:   lines (address[51:6]); slots are lines of the port's region of local memory.
// Shapes:  masks are byte enables. A line is in the index (then its slot is pending) or in the
//          write table (then a write of it is in flight) or in neither, never in both.
// Errors:  an endpoint write that fails sets error and its data stays; the store's answer has long
//          been given, without error. While nothing can be flushed, a store that finds no slot, so
//          is not answered yet, is answered with an error and its data is lost. One that is
//          answered is never lost.
// Source:  docs/blocks/root_port/ds_engine.md.
#pragma once

#include <array>
#include <cstdint>
#include <deque>
#include <optional>
#include <vector>

#include "common/local_memory_port.hpp"
#include "common/request.hpp"
#include "refmodel/root_port/address_window.hpp"
#include "refmodel/root_port/ds_filter.hpp"

namespace cxlgpu {

struct DsConfig {
  unsigned depth = 256, writes = 8, stores = 8, merges = 2, reads = 8, buckets = 1024,
           mem_entries = 30, inserts = 16;
};

struct DsEvents {
  bool direct = false, deferred = false, in_place = false, flushed = false, hit = false,
       merge = false, false_hit = false, full = false, error = false, refused = false;
  bool operator==(const DsEvents&) const = default;
  // As ds_event_t has them: direct is bit 0.
  [[nodiscard]] std::uint32_t bits() const {
    return unsigned{direct} | unsigned{deferred} << 1 | unsigned{in_place} << 2 |
           unsigned{flushed} << 3 | unsigned{hit} << 4 | unsigned{merge} << 5 |
           unsigned{false_hit} << 6 | unsigned{full} << 7 | unsigned{error} << 8 |
           unsigned{refused} << 9;
  }
};

class DsEngine {
 public:
  explicit DsEngine(const DsConfig& config = {});

  struct In {
    bool enable = true, fence = false, isolate = false, clear_error = false;
    unsigned max_writes = 0;
    bool direct = false, flush = false;
    bool oldest = false;     // a flush takes the first deferred line, else the last
    bool req_valid = false;  // from the host bridge
    MemRequest req;
    bool sr_ready = false;
    bool head_valid = false;  // of the SR queue: a load
    MemRequest head;
    bool mq_ready = false;
    LineTable loads, mem;  // held by the SR queue, by the memory queue
    bool mq_rsp_valid = false;
    MemResponse mq_rsp;
    bool rsp_ready = false;
    bool lm_ready = false;
    bool lm_rsp_valid = false;
    LmResponse lm_rsp;
    bool ix_ready = false;
    bool ix_rsp_valid = false, ix_found = false;  // of the operation that was accepted
    unsigned ix_slot = 0;
  };
  struct Out {
    bool req_ready = false;  // this, head_ready, mq_rsp_ready, lm_rsp_ready: with their valid
    bool sr_valid = false;   // what it takes is the request as it came
    bool head_ready = false;
    bool mq_valid = false;
    MemRequest mq_req;
    bool mq_rsp_ready = false;
    bool rsp_valid = false;
    MemResponse rsp;
    bool lm_valid = false;
    LmRequest lm_req;
    bool lm_rsp_ready = false;
    bool ix_valid = false;
    unsigned ix_op = 0;  // 0 find, 1 insert, 2 delete
    std::uint64_t ix_key = 0;
    unsigned ix_slot = 0;  // insert only
    bool empty = true, error = false;
    unsigned count = 0;
    DsEvents events;
  };
  [[nodiscard]] Out eval(const In& in) const;
  // The same cycle with mq_ready and lm_ready as they turned out: only head_ready depends on them.
  void hear_ready(Out& out, const In& in) const;
  void clock(const In& in) { clock(in, eval(in)); }
  void clock(const In& in, const Out& now);  // `now`: what eval(in) says

  // What eval() says of one request, and without one.
  [[nodiscard]] bool can_enter(const MemRequest& request, bool sr_ready, bool fence) const;
  [[nodiscard]] const MemResponse* response() const { return response_ ? &*response_ : nullptr; }
  [[nodiscard]] bool empty() const {
    return stores_.empty() && count() == 0 && writes_under_way() == 0 && !done_;
  }
  [[nodiscard]] bool error() const { return error_; }
  [[nodiscard]] unsigned count() const {
    return static_cast<unsigned>(pending_.size()) + (state_ == State::FDelete);
  }

  // For a monitor; the engine itself does not ask. Where a line stands,
  struct LineView {
    bool waits = false;        // a store of it in the FIFO
    bool deferred = false;     // it has a slot, in which it waits
    bool late = false;         // ... and the index does not have it yet
    bool chosen = false;       // ... and a flush is about to take it
    bool under_way = false;    // to the endpoint
    bool dirty = false;        // ... and it was stored to since
    std::uint64_t mask = 0;    // bytes of its slot
    bool merge_waits = false;  // a load of it at the endpoint, to be merged
    bool merge_reads = false;  // ... answered there, waits for the slot's bytes
  };
  [[nodiscard]] LineView view(std::uint64_t line) const;
  // and the line that a flush looks up in this cycle (F_MASK).
  [[nodiscard]] std::optional<std::uint64_t> flush_looks_at() const;

 private:
  // clang-format off
  enum class State : std::uint8_t {
    Idle, LLook, LFind, LSlot, LMask, LRead,
    SLook, SFind, SNew, SWrite, SMask, SPut,
    FFirst, FSlot, FMask, FDelete, FRead,
    CTake, CFree, CPut, MRead
  };
  // clang-format on
  enum class MqSource : std::uint8_t { Head, Flush, Direct };
  enum class LmSource : std::uint8_t { Operation, Fast };
  enum class RspSource : std::uint8_t { Store, Merge, Local, Mq };
  struct Word {  // of the slot memory
    std::uint64_t line = 0, mask = 0;
  };
  struct Write {  // in flight to the endpoint
    bool valid = false;
    std::uint64_t line = 0;
    unsigned slot = 0;
    std::uint64_t mask = 0, sent_mask = 0;
    bool dirty = false;  // stored to since it was sent
  };
  struct Fast {  // the oldest store, on its way beside the operations
    unsigned slot = 0;
    std::optional<unsigned> write;  // it goes to the endpoint at once, as this
    bool in_local = false, in_mq = false;
  };
  struct Read {
    bool valid = false;
    std::uint32_t id = 0;
  };
  struct Merge {
    bool valid = false;
    std::uint32_t id = 0;
    std::uint64_t line = 0;
    unsigned slot = 0;
    std::uint64_t mask = 0;
    Line data{};
    bool error = false;
    unsigned stage = 0;  // 0 at the endpoint, 1 answered, 2 at local memory, 3 whole
  };
  struct Flushed {
    unsigned write = 0;
    Line data{};
    bool error = false;
  };
  struct Done {  // a store that left: it is in local memory, or lost
    std::uint32_t id = 0;
    bool error = false;
  };
  struct Completion {
    unsigned write = 0;
    bool error = false;
  };

  // What holds in a cycle.
  [[nodiscard]] bool store_waits_with(std::uint64_t line) const;
  [[nodiscard]] std::optional<unsigned> write_with(std::uint64_t line) const;
  [[nodiscard]] unsigned writes_under_way() const;
  [[nodiscard]] bool merge_holds(std::uint64_t line) const;
  [[nodiscard]] std::optional<unsigned> merge_at(unsigned stage) const;
  [[nodiscard]] bool may_write(const In& in, unsigned begun_flushes) const;
  [[nodiscard]] std::optional<unsigned> late_slot_of(std::uint64_t line) const;
  [[nodiscard]] unsigned first_late() const { return pending_[pending_.size() - unindexed_]; }
  [[nodiscard]] bool flush_is_late() const;
  [[nodiscard]] bool flush_is_first_late() const { return unindexed_ > 0 && slot_ == first_late(); }
  [[nodiscard]] std::optional<unsigned> write_entry() const;
  [[nodiscard]] bool load_works() const { return state_ >= State::LLook && state_ <= State::LRead; }
  [[nodiscard]] bool store_works() const { return state_ >= State::SLook && state_ <= State::SPut; }
  [[nodiscard]] bool works_on(std::uint64_t line, const In& in) const;
  [[nodiscard]] bool may_go_at_once(const In& in) const;
  [[nodiscard]] bool fast_looks(const In& in) const;
  [[nodiscard]] bool changes_deferred(const In& in) const;
  [[nodiscard]] bool head_passes(const In& in) const;
  [[nodiscard]] bool head_wants_mq(const In& in) const;
  [[nodiscard]] bool store_held(const In& in) const;
  [[nodiscard]] bool completion_eligible() const;
  [[nodiscard]] bool load_eligible(const In& in) const;
  [[nodiscard]] unsigned free_slots() const;
  [[nodiscard]] bool store_answerable() const;
  [[nodiscard]] bool store_eligible(const In& in) const;
  [[nodiscard]] bool flush_eligible(const In& in) const;
  [[nodiscard]] std::optional<MqSource> mq_source(const In& in) const;
  [[nodiscard]] MemRequest mq_request(MqSource source, const In& in) const;
  [[nodiscard]] std::optional<unsigned> merge_of(const In& in) const;
  [[nodiscard]] std::optional<RspSource> response_source(const In& in) const;
  [[nodiscard]] std::optional<LmRequest> operation_request() const;
  [[nodiscard]] std::optional<LmSource> lm_source() const;
  [[nodiscard]] LmRequest lm_request(LmSource source) const;
  [[nodiscard]] bool asks_index() const;
  [[nodiscard]] bool offers_insertion() const;
  [[nodiscard]] bool insertion_ends(const In& in) const;
  [[nodiscard]] bool flush_is_inserted(const In& in) const;
  void step_insertion(const In& in, const Out& now);

  // The sequencer: what a state does in this cycle, and the next one.
  State choose(const In& in);
  State step(const In& in, const Out& now);
  State look_load(const In& in);
  State mask_load(const In& in);
  State take_load(const In& in, const Out& now);
  State look_store();
  State new_slot(const In& in);
  State write_store(const In& in);
  State mask_store();
  State put_store();
  [[nodiscard]] bool flush_is_refused(const In& in) const;
  State delete_flush();
  State take_completion();
  State free_write();
  State keep_write();
  State take_flush(const In& in);
  void flush_goes();
  State store_leaves(bool DsEvents::*event, bool error = false);
  void step_leaving();
  void defer(std::uint64_t line, unsigned slot);
  std::optional<unsigned> take_slot();
  void release(Write& write);
  void step_fast(bool deferred_is_used, bool lm_taken, bool mq_taken);

  // The ports beside it.
  void take_response(RspSource source, const In& in);
  void take_mq_answer(const In& in, std::optional<unsigned> merge, bool at_work);
  void take_local_answer(const In& in);

  DsConfig config_;
  std::deque<MemRequest> stores_;
  unsigned answered_ = 0;         // of stores_, from the front
  std::deque<unsigned> pending_;  // by age; a flush takes one of either end
  std::vector<unsigned> pool_;    // last: taken first
  unsigned unindexed_ = 0;        // of pending_, last: not in the index yet
  unsigned never_used_ = 0;       // slots from here on
  std::vector<Word> slots_;
  DsFilter filter_;
  std::vector<Write> writes_;
  std::vector<Read> reads_;
  std::vector<Merge> merges_;
  std::deque<Flushed> flushed_;
  std::deque<Completion> completed_;
  std::optional<Done> done_;     // its answer is late: it left before
  std::optional<Done> leaving_;  // within a cycle
  std::optional<MemResponse> response_;
  bool pass_ = false;  // the head load was looked up
  // A flush found this line busy: no further load of it begins before the flush has its turn.
  std::optional<std::uint64_t> wanted_;
  bool error_ = false, error_now_ = false;
  DsEvents events_;

  State state_ = State::Idle;
  unsigned stored_last_ = 0;    // so many S were chosen after the last L or F; 8: or more
  State last_ = State::FFirst;  // of LLook and FFirst
  unsigned slot_ = 0, write_ = 0, merge_ = 0;
  bool there_ = false;     // the store's line has its slot
  bool accepted_ = false;  // the index works on the operation
  // The first late line stands at the index: offered and not taken yet, or taken.
  enum class Insertion : std::uint8_t { None, Stalled, Taken } insertion_ = Insertion::None;
  bool refused_ = false;  // the last insertion answered
  std::optional<Fast> fast_;
  std::optional<unsigned> offered_;  // read entry of a local read not yet taken
  std::optional<LmSource> lm_stalled_;
  std::optional<MqSource> stalled_;
  MqSource mq_last_ = MqSource::Flush;
  RspSource rsp_last_ = RspSource::Mq;
};

}  // namespace cxlgpu
