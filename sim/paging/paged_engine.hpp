// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
// GPU memory as a pool of pages: the engine of the configurations without CXL.
//
// Purpose: answers line requests from GPU memory, and brings the page first where it is not there.
// Timing:  a resident line costs what GPU memory costs (LocalMemory). A line of another page waits:
//          fault_ps later its page is in the host's fault buffer, once. An idle host begins a batch
//          with the first: after fetch_ps it takes up to batch_faults pages from the buffer, no
//          more than there is room for, and chooses what comes with them as far as there is room.
//          host_runtime_ps after the begin, and block_ps more for each block of block_bytes that
//          has a fault and each chunk of evict_bytes that must go, and page_ps more for each page
//          that comes, it evicts; then, page_ps for each of them later, dirty pages (or all,
//          evict_all) go out, then pages come in, and all lines that wait for one go on
//          (replay) when the last is there. The next batch begins at once if the buffer holds more.
//          While a batch is in progress its victims are gone from its eviction on.
// Rules:   lines take effect in the order submitted, page by page. As many lines a cycle are taken
//          as are offered. drain() writes every dirty page back, which takes time but no runtime.
// Contents: poke() loads the store before a run; peek() shows what the store has, which after
//          drain() is everything.
// Errors:  a line outside the range is answered with an error. InputError if there is no room.
#pragma once

#include <cstdint>
#include <deque>
#include <memory>
#include <span>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "common/engine.hpp"
#include "common/trace_event.hpp"
#include "sim/gpu/local_memory.hpp"
#include "sim/paging/page_store.hpp"
#include "sim/paging/page_table.hpp"
#include "sim/paging/paging_config.hpp"

namespace cxlgpu {

struct PagedEngineParams {
  std::uint64_t base = 0, bytes = 0;  // what is paged; whole pages
  std::uint32_t frames = 0;           // GPU memory
  LocalMemoryParams memory;
  FaultConfig faults;
};

struct PagingStats {
  std::uint64_t accesses = 0, waited = 0;  // lines; of them, those of a page that was not there
  std::uint64_t faults = 0;                // entries of the fault buffer
  std::uint64_t stale = 0;                 // of them, pages that were there when they were taken
  std::uint64_t batches = 0;
  std::uint64_t blocks = 0;  // of block_bytes that had faults, by batch
  std::uint64_t pages_in = 0, pages_out = 0, evicted = 0;
  std::uint64_t prefetched = 0, useless = 0;  // pages that no fault asked for; gone without access
  Time raising;                               // of the faults that began a batch, host idle
  Time runtime, bringing, evicting;           // of batches, as it went by
  Time draining;                              // after the last answer
  Time waiting;                               // of lines that waited, summed up
};

class PagedEngine : public Engine, public Backdoor {
 public:
  // `store` outlives the engine; `sink` may be null.
  PagedEngine(const PagedEngineParams& params, PageStore& store, TraceSink* sink = nullptr);

  [[nodiscard]] Time now() const override { return now_; }
  bool submit(const MemRequest& request) override;
  std::optional<MemResponse> take() override;
  void advance_to(Time t) override;
  [[nodiscard]] unsigned lines_per_cycle() const override { return ~0U; }

  // Precondition: every request has been answered.
  void drain();
  [[nodiscard]] const PagingStats& stats() const { return stats_; }

  void poke(std::uint64_t hpa, std::span<const std::uint8_t> bytes) override {
    store_.poke(hpa - params_.base, bytes);
  }
  void peek(std::uint64_t hpa, std::span<std::uint8_t> bytes) const override {
    store_.peek(hpa - params_.base, bytes);
  }

 private:
  enum class Phase : std::uint8_t { Idle, Fetching, Serving, Evicting, Bringing };
  struct Waiting {
    MemRequest request;
    Time since;
  };
  struct Fault {
    Time at;  // in the buffer
    std::uint64_t page = 0;
  };

  [[nodiscard]] Time next_event() const;
  void event(Time at);
  void access(std::uint32_t frame, const MemRequest& request, Time at);
  void answer(std::uint32_t slot);
  void begin_batch(Time at);
  void fetch();
  void serve(Time at);
  [[nodiscard]] bool room_for(std::uint64_t page) const;
  bool add(std::uint64_t page);
  void prefetch();
  void prefetch_block(std::uint64_t page);
  void prefetch_by_density(std::uint64_t block, std::span<const std::uint64_t> faults);
  [[nodiscard]] std::size_t chunks_to_evict() const;
  void bring(Time at);
  void replay(Time at);
  void gone(const ResidentPage& page);
  [[nodiscard]] bool wanted(std::uint64_t page) const { return waiting_.count(page) != 0; }
  [[nodiscard]] PageOut out(const ResidentPage& page);

  PagedEngineParams params_;
  PageStore& store_;
  TraceSink* sink_;
  PageTable table_;
  LocalMemory memory_;
  Time now_;
  std::unordered_map<std::uint64_t, std::vector<Waiting>> waiting_;  // by page
  std::deque<Fault> buffer_;                                         // in order of time
  Phase phase_ = Phase::Idle;
  Time began_, phase_at_, last_end_;
  std::vector<std::uint64_t> batch_;           // faults first, in order; then what comes with them
  std::size_t batch_faults_ = 0, blocks_ = 0;  // of the batch
  std::unordered_set<std::uint64_t> in_batch_, runs_;  // pages; their runs, which chunks hold
  std::vector<MemResponse> slots_;
  std::vector<std::uint32_t> free_slots_;
  struct Refused {
    Time at;
    MemResponse response;
  };
  std::deque<Refused> refused_;  // lines outside the range
  std::deque<MemResponse> ready_;
  std::vector<std::uint8_t> page_bytes_;
  PagingStats stats_;
};

}  // namespace cxlgpu
