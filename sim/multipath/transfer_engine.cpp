// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
#include "sim/multipath/transfer_engine.hpp"

#include <algorithm>
#include <cassert>
#include <utility>

namespace cxlgpu {

TransferEngine::TransferEngine(CopyHost& host, const MultipathConfig& config,
                               CopyDirection direction, std::unique_ptr<ChunkSource> source,
                               Time sync)
    : host_(host), config_(config), direction_(direction), source_(std::move(source)), sync_(sync) {
  const Time setup{direction == CopyDirection::ToGpu ? config.setup_h2d_ps : config.setup_d2h_ps};
  for (unsigned gpu = 0; gpu < config.gpus; ++gpu) {
    links_.push_back(
        std::make_unique<Link>(host, setup, Time{config.peer_setup_ps}, config.pipelines));
  }
}

void TransferEngine::native(Request request) {
  const bool to_gpu = direction_ == CopyDirection::ToGpu;
  const std::uint64_t bytes = request.host.size();
  Link& link = *links_[request.gpu];
  link.pcie.submit({host_.topology().host(direction_, request.gpu, request.node),
                    to_gpu ? request.host : request.device, to_gpu ? request.device : request.host,
                    [&link, bytes, done = std::move(request.done)](bool copied) {
                      if (copied) link.counters.direct += bytes;
                      done(copied ? 0 : bytes);
                    }});
}

void TransferEngine::copy(Request request) {
  const std::uint64_t id = next_copy_++;
  const std::uint64_t bytes = request.host.size();
  const unsigned gpu = request.gpu;
  std::vector<MicroTask> tasks;
  for (std::uint64_t at = 0; at < bytes; at += config_.chunk_bytes) {
    tasks.push_back({id, gpu, at, std::min(config_.chunk_bytes, bytes - at)});
  }
  copies_.emplace(id, Progress{std::move(request), bytes, 0});
  const std::vector<unsigned> paths = host_.topology().paths(gpu);
  const std::vector<MicroTask> lost = source_->submit(tasks, paths);
  // Behind what else is submitted at this time.
  host_.after(Time{}, [this, paths] {
    for (const unsigned link : paths) look(link);
  });
  for (const MicroTask& task : lost) account(task, false);
}

// What the thread of a link does when it looks around: it pulls, calls, and looks again.
void TransferEngine::look(unsigned number) {
  Link& link = *links_[number];
  if (link.calling || link.paused) return;
  const auto task = source_->pull(number);
  if (!task) return;
  link.calling = true;
  link.counters.most_outstanding = std::max(link.counters.most_outstanding, ++link.outstanding);
  const std::uint64_t calls = task->gpu == number ? 1 : 2;
  host_.after(Time{config_.issue_ps} * calls, [this, number, task = *task] {
    links_[number]->calling = false;
    launch(number, task);
    look(number);
  });
}

void TransferEngine::look_all() {
  for (unsigned link = 0; link < config_.gpus; ++link) look(link);
}

std::span<std::uint8_t> TransferEngine::host_part(const MicroTask& task) const {
  return copies_.at(task.copy).request.host.subspan(task.offset, task.bytes);
}

std::span<std::uint8_t> TransferEngine::device_part(const MicroTask& task) const {
  return copies_.at(task.copy).request.device.subspan(task.offset, task.bytes);
}

void TransferEngine::over_pcie(unsigned link, const MicroTask& task, std::span<std::uint8_t> memory,
                               std::function<void(bool)> done) {
  const unsigned node = copies_.at(task.copy).request.node;
  const std::span<std::uint8_t> host = host_part(task);
  const bool to_gpu = direction_ == CopyDirection::ToGpu;
  links_[link]->pcie.submit({host_.topology().host(direction_, link, node), to_gpu ? host : memory,
                             to_gpu ? memory : host, std::move(done)});
}

void TransferEngine::over_peer(unsigned link, const MicroTask& task, std::span<std::uint8_t> buffer,
                               std::function<void(bool)> done) {
  const std::span<std::uint8_t> device = device_part(task);
  const Topology& links = host_.topology();
  if (direction_ == CopyDirection::ToGpu) {
    links_[link]->peer.submit({links.peer(link, task.gpu), buffer, device, std::move(done)});
  } else {
    links_[link]->peer.submit({links.peer(task.gpu, link), device, buffer, std::move(done)});
  }
}

void TransferEngine::launch(unsigned number, const MicroTask& task) {
  Link& link = *links_[number];
  if (task.gpu == number) {
    over_pcie(number, task, device_part(task), [this, number, task](bool copied) {
      if (copied) links_[number]->counters.direct += task.bytes;
      ended(number, task, copied);
    });
    return;
  }
  const std::size_t pipeline = link.next_relay++ % link.relays.size();
  link.relays[pipeline].tasks.push_back(task);
  if (link.relays[pipeline].tasks.size() == 1) relay(number, pipeline);
}

// The first of the pipeline: into its buffer, and on.
void TransferEngine::relay(unsigned number, std::size_t pipeline) {
  Pipeline& one = links_[number]->relays[pipeline];
  const MicroTask task = one.tasks.front();
  if (one.buffer.size() < task.bytes) one.buffer.resize(task.bytes);
  const std::span<std::uint8_t> buffer = std::span(one.buffer).first(task.bytes);
  const auto last = [this, number, pipeline](bool copied) { relay_done(number, pipeline, copied); };
  const bool to_gpu = direction_ == CopyDirection::ToGpu;
  const auto second = [this, number, task, buffer, to_gpu, last](bool copied) {
    if (!copied) {
      last(false);
    } else if (to_gpu) {
      over_peer(number, task, buffer, last);
    } else {
      over_pcie(number, task, buffer, last);
    }
  };
  if (to_gpu) {
    over_pcie(number, task, buffer, second);
  } else {
    over_peer(number, task, buffer, second);
  }
}

void TransferEngine::relay_done(unsigned number, std::size_t pipeline, bool copied) {
  Link& link = *links_[number];
  Pipeline& one = link.relays[pipeline];
  const MicroTask task = one.tasks.front();
  one.tasks.pop_front();
  if (copied) link.counters.relayed += task.bytes;
  ended(number, task, copied);
  if (!one.tasks.empty()) relay(number, pipeline);
}

void TransferEngine::ended(unsigned number, const MicroTask& task, bool copied) {
  host_.after(sync_, [this, number, task, copied] {
    Link& link = *links_[number];
    ++link.counters.seen;
    --link.outstanding;
    if (copied) {
      const bool was_full = source_->full(number);
      source_->complete(number);
      if (was_full && config_.pause_ps != 0) {
        link.paused = true;
        host_.after(Time{config_.pause_ps}, [this, number] {
          links_[number]->paused = false;
          look(number);
        });
      }
      account(task, true);
      look(number);
      return;
    }
    ++link.counters.lost;
    if (source_->give_back(number, task)) {
      ++link.counters.again;
      look_all();
    } else {
      account(task, false);
    }
  });
}

void TransferEngine::account(const MicroTask& task, bool copied) {
  const auto at = copies_.find(task.copy);
  assert(at != copies_.end());
  Progress& progress = at->second;
  progress.left -= task.bytes;
  if (!copied) progress.missing += task.bytes;
  if (progress.left != 0) return;
  const std::uint64_t missing = progress.missing;
  const auto done = std::move(progress.request.done);
  copies_.erase(at);
  done(missing);
}

void TransferEngine::link_down(unsigned gpu) {
  const std::vector<MicroTask> lost = source_->close(gpu);
  links_[gpu]->pcie.fail();
  for (const MicroTask& task : lost) account(task, false);
}

}  // namespace cxlgpu
