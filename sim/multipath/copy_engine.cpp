// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
#include "sim/multipath/copy_engine.hpp"

#include <algorithm>
#include <cassert>
#include <cstring>
#include <utility>

namespace cxlgpu {

namespace {

constexpr std::uint8_t kNeither = 0xdb;  // while a copy runs

}  // namespace

void CopyEngine::submit(Copy copy) {
  assert(copy.from.size() == copy.to.size());
  queue_.push_back(std::move(copy));
  if (queue_.size() == 1) start();
}

void CopyEngine::start() {
  const std::uint64_t round = ++round_;
  if (failed_) {  // not from within submit(): who submits does not expect its end there
    host_.after(Time{}, [this, round] {
      if (round == round_) finish(false);
    });
    return;
  }
  const std::span<std::uint8_t> to = queue_.front().to;
  std::fill(to.begin(), to.end(), kNeither);
  host_.after(setup_, [this, round] {
    if (round != round_) return;
    const Copy& copy = queue_.front();
    flow_ = host_.network().start(copy.route, static_cast<double>(copy.from.size()),
                                  FlowNetwork::kNoLimit, [this] { finish(true); });
  });
}

void CopyEngine::finish(bool copied) {
  const Copy copy = std::move(queue_.front());
  queue_.pop_front();
  ++round_;
  if (copied) {
    std::memcpy(copy.to.data(), copy.from.data(), copy.from.size());
    host_.written(copy.to);
  }
  if (!queue_.empty()) start();
  copy.done(copied);
}

void CopyEngine::fail() {
  failed_ = true;
  if (queue_.empty()) return;
  host_.network().stop(flow_);
  finish(false);
}

}  // namespace cxlgpu
