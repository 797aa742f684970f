// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
// Workload prefix: requests whose prefixes are fetched from a cache in host memory, or on drives,
// into GPU memory, before the rest of them is computed.
//
// Purpose: the initiator of a run. Host memory: a copy after the other, as workload copy has them,
//          to GPU 0. Drives: batches by a stack of I/O, as kvload has them, with buffers that stay.
// Rules:   what a request puts into the cache takes no time: it goes there while the model answers.
// Errors:  wrong bytes, and calls that fail, are lines of problems().
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "sim/host/host_program.hpp"
#include "sim/io/io_run.hpp"
#include "sim/multipath/copy_run.hpp"
#include "sim/serving/prefix_server.hpp"

namespace cxlgpu {

// An I/O, at most: of whole parts. cuFile takes no longer ones in a batch.
inline constexpr std::uint64_t kMostPrefixIo = 16ULL << 20;

class PrefixRun : public HostProgram {
 public:
  PrefixRun(const PrefixWork& work, PrefixPlan plan)
      : work_(work), plan_(std::move(plan)), server_(work_, plan_) {}

  virtual void begin() = 0;
  [[nodiscard]] std::uint64_t items_done() const override { return result().requests.size(); }
  [[nodiscard]] std::uint64_t items_left() const override { return server_.left(); }
  [[nodiscard]] std::string_view counts() const override { return "requests"; }

  void judge() {}  // each call is checked at its end
  [[nodiscard]] const PrefixPlan& plan() const { return plan_; }
  [[nodiscard]] const PrefixResult& result() const { return server_.result(); }
  [[nodiscard]] const std::vector<std::string>& problems() const { return server_.problems(); }
  // Of GPU memory.
  [[nodiscard]] virtual std::uint64_t buffer_bytes() const = 0;
  // Of copies alone, and of drives.
  [[nodiscard]] virtual std::vector<CopyResult::Link> links() const { return {}; }
  [[nodiscard]] virtual std::uint64_t native() const { return 0; }
  [[nodiscard]] virtual std::uint64_t chunks() const { return 0; }
  [[nodiscard]] virtual const StepBook* steps() const { return nullptr; }
  [[nodiscard]] virtual std::vector<MediaCounters> media() const { return {}; }

 protected:
  PrefixWork work_;
  PrefixPlan plan_;
  PrefixServer server_;
};

std::unique_ptr<PrefixRun> make_prefix_copies(const PrefixWork& work, PrefixPlan plan,
                                              CopyScheme scheme, const MultipathConfig& machine);
// Of `params` all but work and plan. Precondition: part_bytes() of work.kv() is a multiple of 4
// KiB, and at most kMostPrefixIo.
std::unique_ptr<PrefixRun> make_prefix_ios(const PrefixWork& work, PrefixPlan plan,
                                           const IoRunParams& params);

}  // namespace cxlgpu
