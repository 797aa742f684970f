// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
// Which micro-task each link copies next: the two ways to share a copy out.
//
// Purpose: the rule alone, without time or data.
// Rules:   a link's micro-tasks that it has pulled and not completed are outstanding.
#pragma once

#include <cstdint>
#include <deque>
#include <optional>
#include <vector>

#include "sim/multipath/multipath_config.hpp"
#include "sim/workloads/data.hpp"

namespace cxlgpu {

// A chunk of a copy.
struct MicroTask {
  std::uint64_t copy = 0;  // which
  unsigned gpu = 0;        // whose memory, of the two ends
  std::uint64_t offset = 0, bytes = 0;
  bool operator==(const MicroTask&) const = default;
};

class ChunkSource {
 public:
  virtual ~ChunkSource() = default;
  // The micro-tasks of one copy, in order; `paths` are the links that it may use. What no link is
  // left for is returned.
  virtual std::vector<MicroTask> submit(const std::vector<MicroTask>& tasks,
                                        const std::vector<unsigned>& paths) = 0;
  // The next for a link that has room; it is outstanding from now on.
  virtual std::optional<MicroTask> pull(unsigned link) = 0;
  // One of the link's is done.
  virtual void complete(unsigned link) = 0;
  // One of the link's was not copied. False: no other link may take it.
  virtual bool give_back(unsigned link, const MicroTask& task) = 0;
  // The link takes no more. Returned as by submit().
  virtual std::vector<MicroTask> close(unsigned link) = 0;
  [[nodiscard]] virtual bool full(unsigned link) const = 0;
};

// A link pulls when it has room: from the queue of its own GPU, else what it can relay.
//
// Rules:   queues are by the GPU whose copies they hold, first in first out. With direct_first a
//          link looks into its own GPU's queue first. Of the others it takes the longest, in
//          micro-tasks, of equals any, drawn from the seed; with RelayOrder::Priority that of
//          priority_gpu before all others. Without direct_first its own is one of the others. At
//          most queue_depth are outstanding. What is given back is the next of its queue.
class PullScheduler : public ChunkSource {
 public:
  explicit PullScheduler(const MultipathConfig& config, std::uint64_t seed = 1);

  std::vector<MicroTask> submit(const std::vector<MicroTask>& tasks,
                                const std::vector<unsigned>& paths) override;
  std::optional<MicroTask> pull(unsigned link) override;
  void complete(unsigned link) override;
  bool give_back(unsigned link, const MicroTask& task) override;
  std::vector<MicroTask> close(unsigned link) override;
  [[nodiscard]] bool full(unsigned link) const override;

  [[nodiscard]] std::size_t queued(unsigned gpu) const { return queues_[gpu].size(); }
  [[nodiscard]] unsigned outstanding(unsigned link) const { return outstanding_[link]; }

 private:
  [[nodiscard]] bool may(unsigned link, unsigned gpu) const;
  [[nodiscard]] bool served(unsigned gpu) const;
  std::vector<MicroTask> take_unserved();

  unsigned gpus_, depth_;
  bool direct_first_;
  std::optional<unsigned> priority_;
  Random random_;
  std::vector<std::deque<MicroTask>> queues_;  // by GPU
  std::vector<std::vector<bool>> allowed_;     // by GPU, by link
  std::vector<unsigned> outstanding_;          // by link
  std::vector<bool> closed_;                   // likewise
};

// Every link has its share from the start, by weights: path i of a copy takes weights[i] chunks of
// each round of their sum.
class StaticSplit : public ChunkSource {
 public:
  explicit StaticSplit(const MultipathConfig& config);

  std::vector<MicroTask> submit(const std::vector<MicroTask>& tasks,
                                const std::vector<unsigned>& paths) override;
  std::optional<MicroTask> pull(unsigned link) override;
  void complete(unsigned) override {}
  bool give_back(unsigned, const MicroTask&) override { return false; }
  std::vector<MicroTask> close(unsigned link) override;
  [[nodiscard]] bool full(unsigned) const override { return false; }

 private:
  std::vector<std::uint64_t> weights_;
  std::vector<std::deque<MicroTask>> shares_;  // by link
  std::vector<bool> closed_;
};

}  // namespace cxlgpu
