// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
// Random line traffic for whole-system tests: loads and stores, full and partial, over a set of
// lines small enough that they meet each other.
#pragma once

#include <random>
#include <vector>

#include "common/engine.hpp"

namespace cxlgpu {

class RandomTraffic : public Initiator {
 public:
  struct Options {
    std::uint64_t seed = 1;
    std::uint64_t requests = 10000;
    std::uint64_t base = 0;
    std::uint64_t lines = 4096;
    unsigned outstanding = 64;
    double write_share = 0.3;
    double partial_share = 0.3;  // of the writes
    double stream_share = 0.7;   // of the requests: next line of one of 16 streams
    double idle_share = 0.2;     // of the cycles
  };

  explicit RandomTraffic(const Options& options)
      : options_(options), rng_(options.seed), streams_(16) {
    for (auto& stream : streams_) stream = rng_() % options_.lines;
    for (std::uint32_t id = 0; id < options_.outstanding; ++id) free_.push_back(id);
  }

  void step(Engine& engine) override {
    while (const auto response = engine.take()) {
      free_.push_back(response->id);
      ++answered_;
    }
    next_ = Time::never();
    if (sent_ == options_.requests) return;
    next_ = engine.now() + kCycle;
    if (!pending_valid_) {
      if (free_.empty()) {
        next_ = Time::never();
        return;
      }
      if (chance(options_.idle_share)) return;
      make();
    }
    if (engine.submit(pending_)) {
      pending_valid_ = false;
      ++sent_;
    }
  }
  [[nodiscard]] Time next_event() const override { return next_; }
  [[nodiscard]] bool done() const override { return answered_ == options_.requests; }
  [[nodiscard]] std::uint64_t answered() const { return answered_; }

 private:
  bool chance(double p) { return std::uniform_real_distribution<double>(0, 1)(rng_) < p; }
  void make() {
    std::uint64_t line = rng_() % options_.lines;
    if (chance(options_.stream_share)) {
      auto& stream = streams_[rng_() % streams_.size()];
      stream = (stream + 1) % options_.lines;
      line = stream;
    }
    pending_ = MemRequest{};
    pending_.id = free_.back();
    free_.pop_back();
    pending_.addr = options_.base + line * kLineBytes;
    pending_.is_write = chance(options_.write_share);
    if (pending_.is_write) {
      for (auto& byte : pending_.data) byte = static_cast<std::uint8_t>(rng_());
      if (chance(options_.partial_share)) pending_.byte_enable = rng_() & rng_();
    }
    pending_valid_ = true;
  }

  Options options_;
  std::mt19937_64 rng_;
  std::vector<std::uint64_t> streams_;
  std::vector<std::uint32_t> free_;
  MemRequest pending_;
  bool pending_valid_ = false;
  std::uint64_t sent_ = 0, answered_ = 0;
  Time next_{0};
};

}  // namespace cxlgpu
