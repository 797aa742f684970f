// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
// Persistence by way of the host: what happens when a kernel has ended that stored to its piece.
//
// Purpose: the GPU as it is without memory that persists: the host takes what a kernel left, makes
//          it durable, and launches the next. In kernels persist() is a fence.
// Order:   CapFs   copy to the host over the link; write() of an image to a file, whose lines go to
//                  memory as they are copied; fsync: blocks of the journal, and all is waited for
//          CapMm   copy to the host; copy into the mapped file; lines of the image flushed by
//                  threads, all waited for
//          CapEadr copy to the host; copy into the mapped file, whose lines are then safe; they
//                  leave the host's caches when the GPU is done
//          Ndp     the GPU stored to host memory itself, over its link: lines of the whole piece
//                  flushed in place, all waited for
//          The host moves the whole piece each time: it cannot know which of it changed.
// Rules:   kernels that stored nothing to the piece are followed by the next at once. An image and
//          its line are one write or flush (HostImages): the sum tells a whole image. It is taken
//          by the thread that copies, at no time of its own.
// Timing:  costs of configs/host/cap.yaml, the link's of pcie.yaml; lines to memory that persists
//          are requests to the engine, `lines` in flight at most, and as fast as it takes them.
// Errors:  the constructor throws InputError if two images do not fit in the persistent range. An
//          answer with an error is the scoreboard's to report.
#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <optional>
#include <utility>
#include <vector>

#include "common/engine.hpp"
#include "sim/gpm/host_persist_config.hpp"
#include "sim/gpu/gpu.hpp"
#include "sim/host/engine_front.hpp"
#include "sim/host/scoreboard.hpp"
#include "sim/paging/gpu_link.hpp"
#include "sim/persist/host_images.hpp"
#include "sim/persist/journal.hpp"

namespace cxlgpu {

struct HostPersistParams {
  PersistBy by = PersistBy::CapMm;
  HostPersistCosts costs;
  PcieConfig pcie;
  std::uint64_t syscall_ps = 0, file_system_ps = 0;
  SystemMapParams map;
  std::uint64_t piece_bytes = 0;
};

struct HostPersistCounters {
  std::uint64_t turns = 0;                             // times that the host acted
  std::uint64_t copied_bytes = 0;                      // over the link
  std::uint64_t written_bytes = 0, journal_bytes = 0;  // to memory that persists
  // Until the kernel's end is seen; link; write() or copy into the file; flush or fsync, to its
  // end.
  Time wait, copy, file, flush;
};

class HostPersist final : public Initiator, private KernelHolder, private StoreWatcher {
 public:
  // `journal`: of the run, whose losses of power are looked at; null: they are not.
  // `caches`: told of what the host's caches keep, of CapEadr; null: nobody. What the range has is
  // in `memory`. All outlive this.
  HostPersist(const HostPersistParams& params, Gpu& gpu, StoreWatcher* caches,
              const Backdoor& memory, const Journal* journal = nullptr);

  void step(Engine& engine) override;
  [[nodiscard]] Time next_event() const override;
  [[nodiscard]] bool done() const override;
  [[nodiscard]] const HostPersistCounters& counters() const { return counters_; }
  // The image that must be there after so many events of the journal: that of the last turn which
  // had ended; 0: none.
  [[nodiscard]] std::uint64_t promised(std::size_t events) const;

 private:
  enum class Phase : std::uint8_t { Idle, Seen, Copy, File, Flush, Commit, Evict };
  // The bus as the GPU sees it: host memory is served here.
  class GpuSide final : public EngineFront {
   public:
    explicit GpuSide(HostPersist& host) : host_(host) {}
    bool submit(const MemRequest& request) override;
    std::optional<MemResponse> take() override;

   private:
    friend class HostPersist;
    HostPersist& host_;
    std::deque<MemResponse> answers_;         // of the engine
    std::multimap<Time, MemResponse> local_;  // of host memory, by when they are due
    Time link_free_;
  };
  bool holds() override;
  void stored(std::uint64_t line, const Line& data, std::uint64_t bytes) override;

  void act(Time now);
  void begin(Phase phase, Time for_so_long, Time now);
  void end(Time& of, Time now);
  // Lines from `at` on, one after the other at that rate; 0: as fast as they are taken.
  void send(const std::vector<std::uint8_t>& bytes, std::uint64_t to, Time at, double gb_s);
  void send_journal(Time now);
  void pump(Time now);
  [[nodiscard]] bool sent() const { return lines_.empty() && out_ == 0; }
  [[nodiscard]] std::vector<std::uint8_t> piece() const;
  [[nodiscard]] bool in_host_memory(std::uint64_t addr) const {
    return params_.by == PersistBy::Ndp && addr - params_.map.persistent_base < params_.piece_bytes;
  }
  [[nodiscard]] double flush_gb_s() const;  // of the threads that there are
  void keep(const std::vector<std::uint8_t>& image);

  HostPersistParams params_;
  Gpu& gpu_;
  StoreWatcher* caches_;
  GpuLink link_;
  HostImages images_;
  GpuSide side_;
  FlatMemory host_memory_;  // of Ndp
  Phase phase_ = Phase::Idle;
  Time phase_end_, phase_start_;
  bool dirty_ = false;  // stored to the piece since the last turn
  std::uint64_t sequence_ = 0;
  std::deque<std::pair<std::uint64_t, Line>> lines_;  // to memory that persists
  Time next_line_, interval_;
  unsigned out_ = 0;                // of these in flight
  Time submitted_ = Time::never();  // the last of them
  unsigned taken_ = 0;              // by the bus at that time
  std::uint32_t next_id_ = 0;
  bool refused_ = false;
  std::map<std::uint64_t, Line> cached_;  // of CapEadr
  HostPersistCounters counters_;
  const Journal* journal_;
  std::map<std::size_t, std::uint64_t> promises_;  // images by events at the end of their turns
};

}  // namespace cxlgpu
