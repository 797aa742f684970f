// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
#include "sim/workloads/iterative.hpp"

namespace cxlgpu {

using gpm::Fault;

void IterativeWorkload::place_volatile(Allocator& allocator) {
  place_data(allocator);
  done_ = allocator.alloc<U32>(kLineBytes / 4);
  refused_ = allocator.alloc<U32>(kLineBytes / 4);
}

void IterativeWorkload::place_persistent(Allocator& allocator) {
  gpm::CheckpointShape shape{.groups = 1,
                             .copy_bytes = static_cast<U32>(done_.bytes()),
                             .copies = params().assisted ? 1U : 2U};
  for (const DeviceArray<U32>& words : state()) shape.copy_bytes += static_cast<U32>(words.bytes());
  const U64 base = allocator.alloc_persistent<U32>(shape.bytes() / 4).base;
  checkpoint_ = gpm::Checkpoint(base, shape, fault());
  for (const DeviceArray<U32>& words : state()) checkpoint_.gpmcp_register(0, words);
  checkpoint_.gpmcp_register(0, done_);
}

void IterativeWorkload::fill_volatile(Backdoor& memory) {
  fill_data(memory);
  fill_array(memory, done_, [](U64) { return 0U; });
  fill_array(memory, refused_, [](U64) { return 0U; });
}

WarpTask IterativeWorkload::create(Warp& w) const {
  if (w.id() == 0) co_await checkpoint_.gpmcp_create(w);
}

void IterativeWorkload::set_done(Warp& w, U64 steps) const {
  w.store(done_, w.uniform(0), w.map([&](unsigned) { return static_cast<U32>(steps); }),
          lane_bit(0));
}

WarpTask IterativeWorkload::restore(Warp& w) const {
  bool ok = false;
  co_await checkpoint_.gpmcp_restore_all(w, 0, ok);
  if (fault() == Fault::ClearsAtRecovery && w.id() == 0) set_done(w, 0);
}

WarpTask IterativeWorkload::run_step(Warp& w, U64 number) const {
  const U32 done = (co_await w.load_l2(done_, w.uniform(0), lane_bit(0)))[0];
  w.compute(2);
  if (done != number) co_return;
  co_await step(w, number);
  co_await w.barrier();
  if (w.id() == 0) {
    set_done(w, number + 1);
    co_await w.fence();
  }
  co_await w.barrier();
  if ((number + 1) % params().checkpoint_every != 0) co_return;
  bool ok = false;
  co_await checkpoint_.gpmcp_checkpoint_all(w, 0, refused_, ok);
}

StateWords IterativeWorkload::after(U64 steps) const {
  StateWords words = start();
  for (U64 i = 0; i < steps; ++i) advance(words, i);
  return words;
}

std::optional<std::string> IterativeWorkload::compare(const Backdoor& memory, U64 at,
                                                      const StateWords& expected) const {
  for (U64 i = 0; i < expected.size(); ++i) {
    const U32 found = word_at<U32>(memory, at + i * 4);
    if (found == expected[i]) continue;
    return fmt::format("word {} of the state is {:#x}, expected {:#x}", i, found, expected[i]);
  }
  return std::nullopt;
}

std::optional<std::string> IterativeWorkload::holds(const Backdoor& memory) const {
  const auto line =
      gpm::line_from<gpm::GroupLine>(word_at<gpm::LineWords>(memory, checkpoint_.line_address(0)));
  if (!line.valid()) return std::nullopt;
  const U64 steps = line.sequence * params().checkpoint_every;
  if (steps > params().iterations) return fmt::format("a checkpoint after {} steps", steps);
  StateWords expected = after(steps);
  expected.push_back(static_cast<U32>(steps));
  if (auto wrong = compare(memory, checkpoint_.copy_address(0, line.which), expected)) {
    return fmt::format("checkpoint after {} steps: {}", steps, *wrong);
  }
  return std::nullopt;
}

std::optional<std::string> IterativeWorkload::verify(const Backdoor& memory) const {
  const StateWords expected = after(params().iterations);
  U64 first = 0;
  for (const DeviceArray<U32>& words : state()) {
    const auto begin = expected.begin() + static_cast<std::ptrdiff_t>(first);
    if (auto wrong =
            compare(memory, words.base, {begin, begin + static_cast<std::ptrdiff_t>(words.size)})) {
      return wrong;
    }
    first += words.size;
  }
  return std::nullopt;
}

}  // namespace cxlgpu
