// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
// Hints for whole-system tests: at random times and in bursts beside another initiator's requests,
// or of one range before it is loaded.
#pragma once

#include <algorithm>
#include <random>
#include <utility>
#include <vector>

#include "common/engine.hpp"

namespace cxlgpu {

// Adds hints to what `inner` does.
class HintedInitiator : public Initiator {
 public:
  struct Options {
    std::uint64_t seed = 1;
    std::uint64_t base = 0;
    std::uint64_t granules = 1024;  // that hints begin in
    std::uint64_t longest = 16;     // granules of most
    std::uint64_t burst = 24;       // hints, at most, each in the cycle after the one before
    std::uint64_t rest = 1500;      // cycles between bursts, at most
    std::uint64_t beside = 16;      // one in so many begins anywhere
  };
  HintedInitiator(Initiator& inner, const Options& options)
      : inner_(inner), options_(options), rng_(options.seed) {}

  void step(Engine& engine) override {
    inner_.step(engine);
    if (engine.now() < next_) return;
    const Hint hint = make();
    if (!engine.hint(hint)) return;
    ++given_;
    granules_ += hint.granules;
    if (left_ == 0) left_ = 1 + below(options_.burst);
    --left_;
    next_ = engine.now() + kCycle * (left_ != 0 ? 1 : 1 + below(options_.rest));
  }
  [[nodiscard]] Time next_event() const override {
    return inner_.done() ? inner_.next_event() : std::min(inner_.next_event(), next_);
  }
  [[nodiscard]] bool done() const override { return inner_.done(); }
  [[nodiscard]] std::uint64_t given() const { return given_; }  // hints
  [[nodiscard]] std::uint64_t granules() const { return granules_; }

 private:
  std::uint64_t below(std::uint64_t n) { return rng_() % n; }
  Hint make() {
    Hint hint;
    const bool beside = below(options_.beside) == 0;
    const std::uint64_t mask = (std::uint64_t{1} << 44) - 1;
    hint.addr = beside ? (rng_() & mask) * 256 : options_.base + below(options_.granules) * 256;
    hint.granules = static_cast<unsigned>(1 + below(options_.longest));
    if (below(64) == 0) hint.granules = static_cast<unsigned>(1 + below(4096));
    return hint;
  }

  Initiator& inner_;
  Options options_;
  std::mt19937_64 rng_;
  Time next_{0};
  std::uint64_t left_ = 0, given_ = 0, granules_ = 0;
};

// Gives hints, each in a cycle of its own, waits, then loads lines in order.
class HintThenLoad : public Initiator {
 public:
  struct Options {
    std::vector<Hint> hints;
    Time wait{0};  // from the last hint to the first load
    std::uint64_t base = 0, lines = 0;
    unsigned outstanding = 4;
  };
  explicit HintThenLoad(Options options) : options_(std::move(options)) {}

  void step(Engine& engine) override {
    while (engine.take()) ++answered_;
    if (given_ < options_.hints.size()) {
      if (engine.hint(options_.hints[given_])) ++given_;
      next_ = engine.now() + (given_ < options_.hints.size() ? kCycle : options_.wait);
      if (given_ == options_.hints.size()) loads_from_ = next_;
      return;
    }
    next_ = Time::never();
    if (engine.now() < loads_from_) {
      next_ = loads_from_;
    } else if (sent_ < options_.lines && sent_ - answered_ < options_.outstanding) {
      MemRequest load;
      load.id = static_cast<std::uint32_t>(sent_ % kRootPortIds);
      load.addr = options_.base + sent_ * kLineBytes;
      if (engine.submit(load)) ++sent_;
      next_ = engine.now() + kCycle;
    }
  }
  [[nodiscard]] Time next_event() const override { return next_; }
  [[nodiscard]] bool done() const override { return answered_ == options_.lines; }

 private:
  Options options_;
  std::size_t given_ = 0;
  Time loads_from_{0}, next_{0};
  std::uint64_t sent_ = 0, answered_ = 0;
};

}  // namespace cxlgpu
