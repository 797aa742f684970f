// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
// One program's copies between host memory and GPUs, over one link or over many.
//
// Purpose: the task manager and the task launcher of MMA: a copy is cut into chunks, each link has
// a
//          thread that pulls them from a ChunkSource, a chunk for another GPU is relayed through
//          the link's own.
// Shapes:  a thread per link makes a call in issue_ps, one for a direct chunk, two for a relayed
//          one; what has ended is seen sync_ps later. Relays go by pipelines in turn, each with a
//          buffer of one chunk in the GPU's memory and one chunk at a time.
// Errors:  a chunk whose link is lost goes back to the source; a copy that no link is left for ends
//          short, and says by how much.
// Source:  MMA, 3.4 and 4.
#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <span>
#include <vector>

#include "sim/multipath/chunk_source.hpp"
#include "sim/multipath/copy_engine.hpp"

namespace cxlgpu {

class TransferEngine {
 public:
  struct Request {
    unsigned gpu = 0, node = 0;  // of the device's and the host's memory
    std::span<std::uint8_t> host, device;
    std::function<void(std::uint64_t missing)> done;  // bytes that were not copied
  };
  struct LinkCounters {
    std::uint64_t direct = 0, relayed = 0;  // bytes that its own GPU wanted, and others
    std::uint64_t lost = 0;                 // chunks that it did not copy
    std::uint64_t again = 0;                // of these, that others may
    std::uint64_t seen = 0;                 // ends of chunks
    unsigned most_outstanding = 0;
  };

  // `host` outlives the engine.
  TransferEngine(CopyHost& host, const MultipathConfig& config, CopyDirection direction,
                 std::unique_ptr<ChunkSource> source, Time sync);
  TransferEngine(const TransferEngine&) = delete;
  TransferEngine& operator=(const TransferEngine&) = delete;

  // In chunks. `done` is called once all of them are seen.
  void copy(Request request);
  // By one call, over the GPU's own link.
  void native(Request request);
  // The PCIe link of that GPU is lost.
  void link_down(unsigned gpu);

  [[nodiscard]] const LinkCounters& counters(unsigned link) const { return links_[link]->counters; }

 private:
  struct Pipeline {
    std::vector<std::uint8_t> buffer;
    std::deque<MicroTask> tasks;  // the first is on its way
  };
  struct Link {
    Link(CopyHost& host, Time setup, Time peer_setup, unsigned pipelines)
        : pcie(host, setup), peer(host, peer_setup), relays(pipelines) {}
    CopyEngine pcie, peer;
    std::vector<Pipeline> relays;
    std::size_t next_relay = 0;
    bool calling = false, paused = false;
    unsigned outstanding = 0;
    LinkCounters counters;
  };
  struct Progress {
    Request request;
    std::uint64_t left = 0, missing = 0;
  };

  void look(unsigned link);
  void look_all();
  void launch(unsigned link, const MicroTask& task);
  void relay(unsigned link, std::size_t pipeline);
  void relay_done(unsigned link, std::size_t pipeline, bool copied);
  void ended(unsigned link, const MicroTask& task, bool copied);
  void account(const MicroTask& task, bool copied);
  [[nodiscard]] std::span<std::uint8_t> host_part(const MicroTask& task) const;
  [[nodiscard]] std::span<std::uint8_t> device_part(const MicroTask& task) const;
  // Over that link, between host memory and `memory` of its GPU.
  void over_pcie(unsigned link, const MicroTask& task, std::span<std::uint8_t> memory,
                 std::function<void(bool)> done);
  void over_peer(unsigned link, const MicroTask& task, std::span<std::uint8_t> buffer,
                 std::function<void(bool)> done);

  CopyHost& host_;
  MultipathConfig config_;
  CopyDirection direction_;
  std::unique_ptr<ChunkSource> source_;
  Time sync_;
  std::vector<std::unique_ptr<Link>> links_;
  std::map<std::uint64_t, Progress> copies_;
  std::uint64_t next_copy_ = 0;
};

}  // namespace cxlgpu
