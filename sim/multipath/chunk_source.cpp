// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
#include "sim/multipath/chunk_source.hpp"

#include <algorithm>
#include <cassert>

namespace cxlgpu {

PullScheduler::PullScheduler(const MultipathConfig& config, std::uint64_t seed)
    : gpus_(config.gpus),
      depth_(config.queue_depth),
      direct_first_(config.direct_first),
      random_(seed),
      queues_(config.gpus),
      allowed_(config.gpus, std::vector<bool>(config.gpus, false)),
      outstanding_(config.gpus, 0),
      closed_(config.gpus, false) {
  if (config.relay == RelayOrder::Priority) priority_ = config.priority_gpu;
}

std::vector<MicroTask> PullScheduler::submit(const std::vector<MicroTask>& tasks,
                                             const std::vector<unsigned>& paths) {
  for (const MicroTask& task : tasks) {
    for (const unsigned link : paths) allowed_[task.gpu][link] = true;
    queues_[task.gpu].push_back(task);
  }
  return take_unserved();
}

bool PullScheduler::may(unsigned link, unsigned gpu) const {
  return !queues_[gpu].empty() && allowed_[gpu][link];
}

bool PullScheduler::full(unsigned link) const {
  return outstanding_[link] >= depth_;
}

std::optional<MicroTask> PullScheduler::pull(unsigned link) {
  if (closed_[link] || full(link)) return std::nullopt;
  std::optional<unsigned> from;
  if (direct_first_ && may(link, link)) {
    from = link;
  } else if (priority_ && may(link, *priority_)) {
    from = priority_;
  } else {
    std::uint64_t equals = 0;
    for (unsigned gpu = 0; gpu < gpus_; ++gpu) {
      if (!may(link, gpu)) continue;
      if (from && queues_[gpu].size() < queues_[*from].size()) continue;
      if (from && queues_[gpu].size() > queues_[*from].size()) equals = 0;
      if (random_.below(++equals) == 0) from = gpu;
    }
  }
  if (!from) return std::nullopt;
  const MicroTask task = queues_[*from].front();
  queues_[*from].pop_front();
  ++outstanding_[link];
  return task;
}

void PullScheduler::complete(unsigned link) {
  assert(outstanding_[link] > 0);
  --outstanding_[link];
}

bool PullScheduler::served(unsigned gpu) const {
  for (unsigned link = 0; link < gpus_; ++link) {
    if (allowed_[gpu][link] && !closed_[link]) return true;
  }
  return false;
}

bool PullScheduler::give_back(unsigned link, const MicroTask& task) {
  complete(link);
  if (!served(task.gpu)) return false;
  queues_[task.gpu].push_front(task);
  return true;
}

std::vector<MicroTask> PullScheduler::close(unsigned link) {
  closed_[link] = true;
  return take_unserved();
}

std::vector<MicroTask> PullScheduler::take_unserved() {
  std::vector<MicroTask> lost;
  for (unsigned gpu = 0; gpu < gpus_; ++gpu) {
    if (served(gpu)) continue;
    lost.insert(lost.end(), queues_[gpu].begin(), queues_[gpu].end());
    queues_[gpu].clear();
  }
  return lost;
}

StaticSplit::StaticSplit(const MultipathConfig& config)
    : weights_(config.static_split), shares_(config.gpus), closed_(config.gpus, false) {}

std::vector<MicroTask> StaticSplit::submit(const std::vector<MicroTask>& tasks,
                                           const std::vector<unsigned>& paths) {
  std::vector<unsigned> round;
  for (std::size_t i = 0; i < paths.size(); ++i) {
    round.insert(round.end(), i < weights_.size() ? weights_[i] : 0, paths[i]);
  }
  assert(!round.empty());
  std::vector<MicroTask> lost;
  for (std::size_t i = 0; i < tasks.size(); ++i) {
    const unsigned link = round[i % round.size()];
    if (closed_[link]) {
      lost.push_back(tasks[i]);
    } else {
      shares_[link].push_back(tasks[i]);
    }
  }
  return lost;
}

std::optional<MicroTask> StaticSplit::pull(unsigned link) {
  if (closed_[link] || shares_[link].empty()) return std::nullopt;
  const MicroTask task = shares_[link].front();
  shares_[link].pop_front();
  return task;
}

std::vector<MicroTask> StaticSplit::close(unsigned link) {
  closed_[link] = true;
  std::vector<MicroTask> lost(shares_[link].begin(), shares_[link].end());
  shares_[link].clear();
  return lost;
}

}  // namespace cxlgpu
