// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
// A host of several GPUs whose links one copy may use together, and what workload copy does.
//
// Purpose: values of configs/host/multipath.yaml and of the keys workload.copy_*, read by
//          ConfigLoader.
// Units:   picoseconds, bytes, GB/s of 10^9 bytes.
// Errors:  none here; a key out of range, unknown or missing is ConfigLoader's.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace cxlgpu {

enum class CopyDirection : std::uint8_t { ToGpu, FromGpu };
inline constexpr std::array<std::string_view, 2> kCopyDirectionNames = {"h2d", "d2h"};

// Whose micro-tasks a link takes that has none for its own GPU.
enum class RelayOrder : std::uint8_t { Longest, Priority };
inline constexpr std::array<std::string_view, 2> kRelayOrderNames = {"longest", "priority"};

struct MultipathConfig {
  unsigned gpus = 8, gpus_per_node = 4;
  // What carries data, each way.
  double pcie_gb_s = 0;                             // a GPU's link
  std::vector<std::uint64_t> pcie_percent = {100};  // of it that each GPU's has; else all
  double node_gb_s = 0;                             // all links of a node together
  double cross_gb_s = 0;                            // between two nodes
  double memory_gb_s = 0;                           // host memory of a node
  double peer_gb_s = 0;                             // between GPUs, of one
  // What a copy costs beside its bytes.
  std::uint64_t setup_h2d_ps = 0, setup_d2h_ps = 0, peer_setup_ps = 0;
  // What the engine of several paths costs.
  std::uint64_t callback_ps = 0;  // of the dummy task, until the engine starts
  std::uint64_t release_ps = 0;   // of its spin kernel
  std::uint64_t issue_ps = 0;     // of a call on the thread of a link
  std::uint64_t sync_ps = 0;      // from the end of a copy until the thread that waits has seen it
  // The engine.
  unsigned paths = 8;  // links of a copy
  std::uint64_t chunk_bytes = 0;
  std::uint64_t fallback_h2d_bytes = 0, fallback_d2h_bytes = 0;  // shorter copies are native
  unsigned queue_depth = 2;                                      // micro-tasks of a link
  unsigned pipelines = 2;                                        // of relays, of a link
  bool direct_first = true;
  RelayOrder relay = RelayOrder::Longest;
  unsigned priority_gpu = 0;   // of RelayOrder::Priority
  std::uint64_t pause_ps = 0;  // of a link whose queue was full
  std::vector<std::uint64_t> static_split = std::vector<std::uint64_t>(8, 1);  // shares by path
  // One link fails; 0: none.
  std::uint64_t down_at_us = 0;
  unsigned down_gpu = 0;

  [[nodiscard]] unsigned nodes() const { return (gpus + gpus_per_node - 1) / gpus_per_node; }
  [[nodiscard]] unsigned node_of(unsigned gpu) const { return gpu / gpus_per_node; }
};

// Engines: one for all copies, or a process of its own for the copies of each GPU.
enum class CopyEngines : std::uint8_t { Shared, Each };
inline constexpr std::array<std::string_view, 2> kCopyEnginesNames = {"shared", "each"};

struct CopyWork {
  CopyDirection direction = CopyDirection::ToGpu;
  std::uint64_t bytes = 256ULL << 20;     // of a copy
  std::uint64_t count = 1;                // copies of each GPU, one after the other
  std::vector<std::uint64_t> gpus = {0};  // of which each has a stream of them
  CopyEngines engines = CopyEngines::Shared;
  std::string node = "local";                   // of host memory: a number, or the GPU's
  std::vector<std::uint64_t> background = {0};  // per cent of each GPU's link that others want
  std::uint64_t background_from_us = 0, background_until_us = 0;  // until 0: the end
  std::vector<std::uint64_t> peer = {0, 0};  // GPUs between which others copy; the same: none
  std::uint64_t seed = 1;
};

}  // namespace cxlgpu
