// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
#include "sim/nvme/nvme_queue.hpp"

#include <algorithm>
#include <utility>

namespace cxlgpu::nvme {

namespace {

constexpr std::uint32_t kSqeWords = kSqeBytes / 8, kCqeWords = kCqeBytes / 4;
constexpr std::uint32_t kFirstWait = 16;  // cycles between the first polls

std::uint64_t word_of(const Sqe& sqe, std::uint32_t word) {
  return sqe.dw[2 * word] | std::uint64_t{sqe.dw[2 * word + 1]} << 32;
}

}  // namespace

void NvmeQueue::ring(Warp& w, std::uint32_t word, std::uint32_t value) const {
  Lanes<std::uint32_t> values{};
  values[0] = value;
  w.store(rings_.bell, w.uniform(word), values, lane_bit(0));
}

WarpTask NvmeQueue::submit(Warp& w, std::uint32_t n, MakeSqe sqe_of, QueueError& error) {
  error = QueueError::None;
  if (n == 0 || n > rings_.entries - 1 - in_flight_) {
    error = QueueError::TooMany;
    co_return;
  }
  std::vector<Sqe> sqes(n);
  for (std::uint32_t i = 0; i < n; ++i) {
    const auto cid = static_cast<std::uint16_t>((tail_ + i) % rings_.entries);
    sqes[i] = sqe_of(i);
    sqes[i].dw[0] = (sqes[i].dw[0] & 0xffff) | std::uint32_t{cid} << 16;
    command_[cid] = i;
    if (book_ != nullptr) book_->begun(rings_.id, cid, now(w));
  }
  const std::uint64_t words = std::uint64_t{n} * kSqeWords;
  for (std::uint64_t base = 0; base < words; base += w.width()) {
    const LaneMask mask = w.active({0, words, 1}, base);
    const auto at = w.map([&](unsigned lane) -> std::uint64_t {
      const std::uint64_t word = std::min(base + lane, words - 1);
      return (tail_ + word / kSqeWords) % rings_.entries * kSqeWords + word % kSqeWords;
    });
    const auto value = w.map([&](unsigned lane) -> std::uint64_t {
      const std::uint64_t word = std::min(base + lane, words - 1);
      return word_of(sqes[word / kSqeWords], static_cast<std::uint32_t>(word % kSqeWords));
    });
    w.compute(12);  // slot, key, pages
    w.store(rings_.sq, at, value, mask);
  }
  const bool fenced = limits_.fault != QueueFault::NoFence;
  if (fenced && rings_.sq_in_host) co_await w.fence_system();
  if (fenced && !rings_.sq_in_host) co_await w.fence();
  const std::uint32_t first = tail_;
  tail_ = (tail_ + n) % rings_.entries;
  in_flight_ += n;
  ring(w, 0, tail_);
  co_await w.drain();
  for (std::uint32_t i = 0; book_ != nullptr && i < n; ++i) {
    const auto cid = static_cast<std::uint16_t>((first + i) % rings_.entries);
    book_->rung(rings_.id, cid, now(w));
  }
}

WarpTask NvmeQueue::reap(Warp& w, std::vector<Completion>& completions, QueueError& error) {
  error = QueueError::None;
  completions.assign(in_flight_, {});
  std::uint64_t since = w.clock();
  std::uint32_t wait = kFirstWait;
  while (in_flight_ != 0) {
    const std::uint32_t want = std::min(in_flight_, w.width());
    const LaneMask mask = w.active({0, want, 1}, 0);
    const auto word = [&](std::uint32_t which) {
      return w.map([&, which](unsigned lane) -> std::uint64_t {
        return std::uint64_t{(head_ + lane) % rings_.entries} * kCqeWords + which;
      });
    };
    Lanes<std::uint32_t> early{};
    if (limits_.fault == QueueFault::ResultFirst) {
      early = co_await w.load_l2(rings_.cq, word(0), mask);
    }
    const Lanes<std::uint32_t> state = co_await w.load_l2(rings_.cq, word(3), mask);
    w.compute(4);  // expected phase, ballot
    std::uint32_t there = 0;
    while (there < want) {
      const bool expected = head_ + there < rings_.entries ? phase_ : !phase_;
      if ((state[there] >> 16 & 1) != expected) break;
      ++there;
    }
    if (there == 0) {
      if (w.clock() - since > limits_.wait_cycles) {
        error = QueueError::NoCompletion;
        co_return;
      }
      w.compute_chain(wait);
      co_await w.drain();
      wait = std::min(2 * wait, limits_.backoff_cycles);
      continue;
    }
    co_await w.fence();
    const LaneMask seen = w.active({0, there, 1}, 0);
    Lanes<std::uint32_t> result = co_await w.load_l2(rings_.cq, word(0), seen);
    if (limits_.fault == QueueFault::ResultFirst) result = early;
    w.compute(6);  // identifier, status
    for (std::uint32_t lane = 0; lane < there; ++lane) {
      const Cqe cqe{{result[lane], 0, 0, state[lane]}};
      const std::uint16_t cid = cqe.cid();
      const std::uint32_t number =
          cid < rings_.entries ? std::exchange(command_[cid], kNone) : kNone;
      if (number == kNone) {
        error = QueueError::UnknownCommand;
        co_return;
      }
      completions[number] = {cqe.status(), result[lane], true};
      if (book_ != nullptr) book_->seen(rings_.id, cid, now(w));
    }
    in_flight_ -= there;
    head_ += there;
    if (head_ >= rings_.entries) {
      head_ -= rings_.entries;
      phase_ = !phase_;
    }
    if (limits_.fault != QueueFault::HeadForgotten) ring(w, 1, head_);
    co_await w.drain();
    since = w.clock();
    wait = kFirstWait;
  }
}

}  // namespace cxlgpu::nvme
