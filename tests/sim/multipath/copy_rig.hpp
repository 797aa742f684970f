// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
// A host with round figures, so that times can be worked out by hand, and a run on it.
#pragma once

#include <gtest/gtest.h>

#include "sim/host/fixed_latency_engine.hpp"
#include "sim/host/run.hpp"
#include "sim/multipath/copy_run.hpp"

namespace cxlgpu {

inline constexpr std::uint64_t kPsPerUs = 1'000'000;

// Links of 50 GB/s that nothing else limits; software and set-ups cost nothing.
inline MultipathConfig round_machine(unsigned gpus) {
  MultipathConfig config;
  config.gpus = config.paths = gpus;
  config.gpus_per_node = gpus;
  config.pcie_gb_s = 50;
  config.node_gb_s = config.cross_gb_s = config.memory_gb_s = config.peer_gb_s = 100'000;
  config.chunk_bytes = 100'000;  // 2 us
  return config;
}

inline CopyParams round_copy(CopyScheme scheme, unsigned gpus, std::uint64_t bytes) {
  CopyParams params;
  params.scheme = scheme;
  params.machine = round_machine(gpus);
  params.work.bytes = bytes;
  return params;
}

struct CopyRan {
  RunStatus status = RunStatus::Done;
  CopyResult result;
  std::vector<std::string> problems;
  // Without the clock's last cycle.
  [[nodiscard]] double us() const { return result.measured().ns() / 1000; }
  [[nodiscard]] double gb_s(std::size_t stream) const {
    const CopyResult::Stream& one = result.streams[stream];
    return static_cast<double>(one.bytes) / (one.ended - one.began).ns();
  }
};

// To its end, with every byte checked; problems are the caller's to expect.
inline CopyRan ran(const CopyParams& params) {
  CopyRun run(params);
  FixedLatencyEngine clock;
  run.begin();
  CopyRan all;
  all.status = cxlgpu::run(run, clock).status;
  if (run.done()) run.judge();
  all.result = run.result();
  all.problems = run.problems();
  return all;
}

// ... and all is well.
inline CopyRan clean(const CopyParams& params) {
  CopyRan all = ran(params);
  EXPECT_EQ(all.status, RunStatus::Done);
  EXPECT_TRUE(all.problems.empty()) << all.problems.front();
  const std::uint64_t bytes = params.work.bytes * params.work.count * params.work.gpus.size();
  EXPECT_EQ(all.result.bytes, bytes);
  EXPECT_EQ(all.result.bytes_checked, bytes);
  EXPECT_EQ(all.result.bytes_wrong + all.result.bytes_twice + all.result.failed, 0U);
  return all;
}

}  // namespace cxlgpu
