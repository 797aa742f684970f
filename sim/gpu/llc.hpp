// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
// The last-level cache of the GPU model, shared by its cores.
//
// Purpose: cache with byte-grained valid and dirty masks. Atomics are executed here.
//          Write-back: a store miss allocates without fetching; a load of a line with missing bytes
//          fetches it and merges; an evicted line is written back with its dirty bytes enabled.
//          Write-through: every store and atomic is written to memory at once, with its own bytes
//          enabled, one write each; it changes a line that is there and allocates none (Vortex with
//          L2_WRITEBACK 0, VX_cache_bank.sv). No line is ever dirty.
//          Both: what is written takes an entry of the write buffer until memory acknowledges it.
//          Lines that persist (GpuParams::persist) are written through in either, but a written
//          line first waits `gather_cycles` in its entry for what else is stored to it, unless all
//          of it is written or a fetch of it goes out. The warps whose bytes it has are told when
//          memory acknowledges it, `fill_latency_cycles` later.
//          Uncached lines (GpuParams::uncached): a store is a write of its own, whose warp is told
//          likewise; a load is a fetch of its own unless one is on its way, and the line is given
//          up once it has answered.
// Units:   cycles of kCycle.
// Shapes:  one input queue a core, in order; up to `banks` requests a cycle, one a bank, cores
//          round robin. Bus ids: 0..mshrs-1 reads (the MSHR), mshrs.. writes (the buffer entry).
// Rules:   while a line's fetch is in flight every access to it waits for it in order. Fetches and
//          writes leave through one FIFO, so that bus order is the order of cache events; nothing
//          more is assumed of the bus than order per line. Lines in local memory go there instead
//          of to the bus. A store is answered once it is in the cache or in the write buffer. What
//          will write through takes its entry before it waits for a fetch, so no fill ever waits.
// Errors:  a response with its error flag set is counted, its data used as it came. A response to
//          an unknown id is counted as an error, too.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <vector>

#include "common/pipe.hpp"
#include "common/request.hpp"
#include "sim/gpu/gpu_config.hpp"
#include "sim/gpu/gpu_stats.hpp"
#include "sim/gpu/index_set.hpp"
#include "sim/gpu/l1_cache.hpp"
#include "sim/gpu/llc_request.hpp"
#include "sim/gpu/local_memory.hpp"
#include "sim/gpu/replacement.hpp"

namespace cxlgpu {

// Sees what is stored to the persistent range, in the order in which it takes effect at the LLC.
class StoreWatcher {
 public:
  virtual ~StoreWatcher() = default;
  virtual void stored(std::uint64_t line, const Line& data, std::uint64_t bytes) = 0;
};

class Llc {
 public:
  Llc(const GpuParams& params, LocalMemory& local, GpuStats& stats);

  // Cores' side.
  [[nodiscard]] bool full(std::uint32_t core) const { return inputs_[core].size() >= queue_limit_; }
  // A new request of the core to be filled in (core is set); precondition: !full(core).
  LlcRequest& push(std::uint32_t core);

  // Is there anything for tick() to do?
  [[nodiscard]] bool due(std::uint64_t cycle) const {
    return runnable() || local_.next_cycle() <= cycle || flush_at_ < tags_.size() ||
           persist_due_ <= cycle;
  }
  // One cycle: answers of local memory, then requests of the cores, then the flush.
  void tick(std::uint64_t cycle);
  // Cores of which the last tick took a request.
  [[nodiscard]] const IndexSet& popped_cores() const { return popped_; }
  // Answers due at or before `cycle`, to be popped by the caller; null if none.
  [[nodiscard]] const LlcAnswer* answer(std::uint64_t cycle) const {
    if (!hits_.empty() && hits_.front().due <= cycle) return &hits_.front();
    if (!fills_.empty() && fills_.front().due <= cycle) return &fills_.front();
    return nullptr;
  }
  void pop_answer(std::uint64_t cycle) {
    if (!hits_.empty() && hits_.front().due <= cycle) {
      hits_.pop();
    } else {
      fills_.pop();
    }
  }
  // Stores to lines that persist go to memory at once.
  [[nodiscard]] bool persists(std::uint64_t line) const { return line - persist_base_ < persist_; }
  // When a line need not be gathered any longer, or a warp can be told that its write is done.
  [[nodiscard]] std::uint64_t persist_due() const { return persist_due_; }
  // Gives its end to each warp whose write to a persistent range is done at or before `cycle`.
  void tell_persisted(std::uint64_t cycle);
  void watch(StoreWatcher* watcher) { watcher_ = watcher; }
  // No cache keeps the line: each access goes to the bus.
  [[nodiscard]] bool uncached(std::uint64_t line) const {
    return any_uncached_ && (line - uncached_[0].base < uncached_[0].bytes ||
                             line - uncached_[1].base < uncached_[1].bytes);
  }
  // Earliest cycle at which tick(), answer() or tell_persisted() has something to do; ~0 if none.
  [[nodiscard]] std::uint64_t next_cycle(std::uint64_t now) const;

  // Bus side: the oldest request not yet taken by the bus.
  [[nodiscard]] bool bus_pending() const { return !bus_.empty(); }
  // Precondition of both: bus_pending(). The reference holds until bus_taken().
  [[nodiscard]] const MemRequest& bus_request();
  void bus_taken() {
    bus_.pop();
    offered_ = false;
  }
  void respond(const MemResponse& response, std::uint64_t cycle);

  // A line of local memory as cores see it.
  [[nodiscard]] Line peek(std::uint64_t line) const;
  // A device's accesses of GPU memory, at no time: cores see them here. L1s are not told.
  void device_write(std::uint64_t line, const Line& data, std::uint64_t bytes);
  [[nodiscard]] bool holds(std::uint64_t line) const {
    return way_of(line, hashed_set(line, set_bits_)).has_value();
  }
  // End of the run: writes every dirty line back. idle() then says when all is acknowledged.
  void start_flush() { flush_at_ = 0; }
  [[nodiscard]] bool idle() const {
    return waiting_.empty() && free_mshrs_.size() == mshrs_.size() &&
           free_entries_.size() == write_buffer_.size() && flush_at_ >= tags_.size();
  }

 private:
  static constexpr std::uint16_t kNone = 0xffff;
  static constexpr std::uint64_t kNoLine = ~std::uint64_t{0};  // no line's address
  struct Tag {
    std::uint64_t valid = 0;  // bytes
    std::uint64_t dirty = 0;  // bytes
    std::uint16_t mshr = kNone;
  };
  struct Waiter {
    LlcRequest request;
    std::uint16_t entry = kNone;  // of the write buffer, to write it through
  };
  struct Mshr {
    std::size_t way = 0, set = 0;
    std::uint64_t since = 0;  // cycle
    bool busy = false;
    std::vector<Waiter> waiters;
  };
  struct Write {
    std::uint64_t line = 0;
    std::uint64_t bytes = 0;  // enabled
    bool busy = false;
    Line data{};
  };
  // A write to a persistent range that more may join up to `due`.
  struct Gathering {
    std::uint64_t due = 0;
    std::uint16_t entry = 0;
  };
  struct Persisted {
    std::uint64_t due = 0;
    Warp* warp = nullptr;
    bool refused = false;
  };
  // A fetch or write, by its MSHR or buffer entry.
  struct BusEntry {
    std::uint16_t index = 0;
    bool is_write = false;
  };

  // Stalled: nothing changed; the request can only succeed after the response it names.
  enum class Access : std::uint8_t { Done, WaitsForFill, WaitsForSet, WaitsForWriteBuffer };
  Access access(const LlcRequest& request);
  Access store_uncached(const LlcRequest& request);
  void drop(std::size_t way, std::size_t set);
  // `entry`: taken for it to write it through, or kNone.
  void perform(const LlcRequest& request, std::size_t way, std::uint16_t entry, Pipe<LlcAnswer>& to,
               std::uint32_t latency);
  void answer_to(const LlcRequest& request, Pipe<LlcAnswer>& to, std::uint32_t latency,
                 const Line* data = nullptr);
  void perform_atomic(const LlcRequest& request, std::size_t way);
  [[nodiscard]] std::optional<std::size_t> way_of(std::uint64_t line, std::size_t set) const;
  // A way of the line's set for it, the old content written back.
  Access make_room(std::uint64_t line, std::size_t set, std::size_t& way);
  bool write_back(std::size_t way);  // false: no room in the buffer
  void fetch(const LlcRequest& request, std::size_t set, std::size_t way, std::uint16_t entry);
  [[nodiscard]] bool writes_through(const LlcRequest& request) const {
    return (through_ || persists(request.line)) &&
           (request.kind == LlcKind::Store || request.kind == LlcKind::Atomic);
  }
  std::uint16_t take_entry();  // of the write buffer, which has one
  std::uint16_t entry_for(const LlcRequest& request) {
    return writes_through(request) ? take_entry() : kNone;
  }
  // Sends bytes of a line to memory from an entry that was taken.
  void write(std::uint16_t entry, std::uint64_t line, const Line& data, std::uint64_t bytes);
  void show(const LlcRequest& request, const Line& data) const;  // to the watcher, if it persists
  // The same of a request that writes through, if it persists with what is gathered of its line.
  void write_through(std::uint16_t entry, const LlcRequest& request, const Line& data);
  void send_gathered(std::uint64_t line);  // if there is any
  void send_due();
  void plan_persist();  // persist_due_, after either has changed
  [[nodiscard]] static std::uint32_t token_of(BusEntry entry) {
    return 2u * entry.index + entry.is_write;
  }
  // Cores whose head may go, of a word of them.
  [[nodiscard]] std::uint64_t runnable(std::uint32_t w) const {
    return waiting_.word(w) &
           ~(await_fill_.word(w) | await_set_.word(w) | await_write_buffer_.word(w));
  }
  [[nodiscard]] bool runnable() const {
    std::uint64_t any = runnable(0);
    for (std::uint32_t w = 1; w < waiting_.words(); ++w) any |= runnable(w);
    return any != 0;
  }
  // The lines of neighbouring banks are neighbours.
  [[nodiscard]] std::uint64_t bank_of(std::uint64_t line) const {
    const std::uint64_t n = line / kLineBytes;
    return bank_mask_ + 1 == params_.banks ? n & bank_mask_ : n % params_.banks;
  }
  void serve();
  void stall(std::uint32_t core, Access why, std::uint64_t line);
  void fill(std::uint16_t mshr, const Line& data);
  void acknowledge(std::uint16_t entry);
  void acknowledge_persistent(std::uint16_t entry, bool refused);
  void flush();

  LlcParams params_;
  bool through_;
  std::uint64_t bank_mask_;  // of a power of two
  std::size_t queue_limit_;
  LocalMemory& local_;
  GpuStats& stats_;
  std::size_t ways_;
  unsigned set_bits_;
  std::vector<std::uint64_t> lines_;  // by way, as the next two
  std::vector<Tag> tags_;
  std::vector<Line> data_;
  ReplacementOrder order_;
  std::uint64_t all_ways_;                            // one bit each
  std::vector<std::uint64_t> used_ways_, busy_ways_;  // by set: with a line, being fetched
  std::vector<Mshr> mshrs_;
  std::vector<Write> write_buffer_;
  std::vector<std::uint16_t> free_mshrs_, free_entries_;
  std::vector<Pipe<LlcRequest>> inputs_;
  Pipe<LlcAnswer> hits_{256}, fills_{256};
  Pipe<BusEntry> bus_{256};
  MemRequest offer_;  // the oldest of bus_, once asked for
  bool offered_ = false;
  IndexSet waiting_;  // cores with requests queued
  // Of these, those whose head waits for any fill, for a fill of one set, for the write buffer.
  IndexSet await_fill_, await_set_, await_write_buffer_;
  std::vector<std::size_t> awaited_set_;  // by core
  IndexSet popped_;
  std::uint32_t next_core_ = 0;
  std::uint64_t cycle_ = 0;
  std::size_t flush_at_;  // next way to flush; all ways: no flush in progress

  std::uint64_t persist_base_, persist_;  // lines written through: none with 0
  std::uint64_t gather_cycles_;
  PersistParams persistent_;  // watched, whether or not it is written through
  StoreWatcher* watcher_ = nullptr;
  bool any_uncached_;
  std::array<UncachedParams, 2> uncached_;
  Pipe<Gathering> gathering_;               // oldest first
  std::vector<std::uint16_t> gathered_;     // entries of those that are not sent, oldest first
  std::vector<std::vector<Warp*>> owners_;  // by entry
  Pipe<Persisted> persisted_;
  std::uint64_t persist_due_ = ~std::uint64_t{0};
};

}  // namespace cxlgpu
