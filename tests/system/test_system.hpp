// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
// A whole system for tests: an engine, its media, a scoreboard, and the checks at the end of a run.
//
// Shapes:  SimpleMedia behind every port of the configuration; a cosim has two sets of them.
// Errors:  test failures.
#pragma once

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <vector>

#include "sim/host/run.hpp"
#include "sim/host/scoreboard.hpp"
#include "sim/machine/memory_map.hpp"
#include "sim/stats/run_stats.hpp"
#include "tb/system_engine.hpp"
#include "tests/system/simple_media.hpp"

namespace cxlgpu {

struct TestSystemOptions {
  RunConfig config;
  bool cached = false;
  unsigned sets_log2 = 3;              // of the internal DRAM
  Time low{500'000}, high{3'000'000};  // media latency
  std::uint64_t seed = 1;              // of the media's latencies
  std::string flit_log = {};           // empty: none
};

class TestSystem {
 public:
  explicit TestSystem(const TestSystemOptions& options)
      : config_(options.config),
        stats_(config_.endpoint.line_bytes),
        media_(options),
        model_media_(options) {
    EngineParts parts{{options.cached, options.sets_log2}, media_.pointers(), {}, &stats_};
    if (cosim()) parts.model_media = model_media_.pointers();
    EngineOptions engine_options;
    engine_options.flit_log = options.flit_log;
    engine_ = make_engine(config_, parts, engine_options);
    checked_ = std::make_unique<CheckedEngine>(*engine_);
  }

  [[nodiscard]] SystemEngine& engine() { return *engine_; }
  [[nodiscard]] CheckedEngine& checked() { return *checked_; }
  [[nodiscard]] const RunStats& stats() const { return stats_; }

  // All of it on `engine`, which ends at checked(). False: something is wrong.
  bool run_on(Initiator& initiator, Engine& engine) {
    const RunResult result = run(initiator, engine, kLimit);
    EXPECT_EQ(result.status, RunStatus::Done) << to_string(result.status);
    EXPECT_EQ(checked_->mismatches(), 0u) << to_string(checked_->records()[0]);
    EXPECT_TRUE(checked_->clean());
    return result.status == RunStatus::Done && checked_->clean();
  }
  bool run_all(Initiator& initiator) { return run_on(initiator, *checked_); }

  // Lines that the endpoints do not hold as written.
  [[nodiscard]] std::vector<std::string> differences() {
    std::vector<std::string> all = media_.differences(config_, *checked_);
    if (!cosim()) return all;
    for (std::string& line : model_media_.differences(config_, *checked_)) {
      all.push_back("model: " + line);
    }
    return all;
  }
  // Ends with every store at its endpoint. False: not so.
  bool drain_and_compare() {
    const auto left = engine_->drain();
    EXPECT_FALSE(left) << *left;
    const auto wrong = differences();
    EXPECT_TRUE(wrong.empty()) << wrong[0];
    return !left && wrong.empty();
  }
  void finish() {
    engine_->finish();
    EXPECT_TRUE(engine_->problems().empty()) << engine_->problems()[0];
    const CosimReport* report = engine_->cosim();
    if (report == nullptr) return;
    EXPECT_EQ(report->data_mismatches, 0u);
    EXPECT_EQ(report->path_mismatches, 0u);
    EXPECT_EQ(report->lookup_differences, 0u);
    EXPECT_EQ(report->time_differences, 0u) << report->first_time_difference;
    EXPECT_EQ(report->speculation_differences + report->internal_dram_differences, 0u);
  }

 private:
  static constexpr Time kLimit{1'000'000'000'000};

  class Parts {
   public:
    explicit Parts(const TestSystemOptions& options) {
      for (unsigned port = 0; port < options.config.ports; ++port) {
        parts_.push_back(std::make_unique<SimpleMedia>(
            options.seed + port, options.low, options.high, options.config.endpoint.line_bytes));
      }
    }
    [[nodiscard]] std::vector<Media*> pointers() const {
      std::vector<Media*> all;
      for (const auto& part : parts_) all.push_back(part.get());
      return all;
    }
    [[nodiscard]] std::vector<std::string> differences(const RunConfig& config,
                                                       const CheckedEngine& checked) const {
      return MemoryMap(config.hdm, pointers()).differences(checked.shadow());
    }

   private:
    std::vector<std::unique_ptr<SimpleMedia>> parts_;
  };

  [[nodiscard]] bool cosim() const { return config_.engine == "cosim"; }

  RunConfig config_;
  RunStats stats_;
  Parts media_, model_media_;
  std::unique_ptr<SystemEngine> engine_;
  std::unique_ptr<CheckedEngine> checked_;
};

}  // namespace cxlgpu
