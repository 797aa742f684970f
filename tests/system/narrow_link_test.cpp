// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
// What one lane carries when nothing else holds it back: the link layer must not force credits in
// between because a flit takes long.
#include <gtest/gtest.h>

#include <optional>
#include <string>

#include "sim/host/run.hpp"
#include "tb/system_engine.hpp"
#include "tests/common/requirement.hpp"
#include "tests/system/simple_media.hpp"

namespace cxlgpu {
namespace {

constexpr std::uint64_t kBase = 0x100000000;
constexpr std::uint64_t kLines = 1500;
constexpr Time kCycle{1000};
constexpr Time kLimit{200'000'000};

// Loads of consecutive lines, as fast as they are taken.
class Stream : public Initiator {
 public:
  void step(Engine& engine) override {
    while (const auto response = engine.take()) {
      EXPECT_FALSE(response->error);
      if (!first) first = engine.now();
      last = engine.now();
      ++answered_;
    }
    next_ = Time::never();
    if (sent_ == kLines) return;
    next_ = engine.now() + kCycle;
    MemRequest request;
    request.id = static_cast<std::uint32_t>(sent_);
    request.addr = kBase + sent_ * kLineBytes;
    if (engine.submit(request)) ++sent_;
  }
  [[nodiscard]] Time next_event() const override { return next_; }
  [[nodiscard]] bool done() const override { return answered_ >= kLines; }

  std::optional<Time> first;
  Time last{0};

 private:
  std::uint64_t sent_ = 0, answered_ = 0;
  Time next_{0};
};

class NarrowLink : public ::testing::TestWithParam<const char*> {};
INSTANTIATE_TEST_SUITE_P(Engines, NarrowLink, ::testing::Values("rtl", "model"),
                         [](const auto& info) { return std::string(info.param); });

// Two DRS a flit header: nine flits for eight lines, 83.7 % of the lane's 4 GB/s.
TEST_P(NarrowLink, ReadsReach95PercentOfTheBound) {
  test::shows("link", "Reads over one lane reach 95 % of nine flits for eight lines",
              "CXL 2.0, 4.2.8.2");
  RunConfig config;
  config.engine = GetParam();
  config.ports = 2;
  config.hdm = {{kBase, 512 << 20, 1024, {0, 1}}};
  config.link.lanes = 1;
  SimpleMedia media0(1, Time{20000}, Time{60000}), media1(2, Time{20000}, Time{60000});
  const auto engine = make_engine(config, {{false, 3}, {&media0, &media1}, {}, nullptr}, {});
  Stream stream;
  ASSERT_EQ(run(stream, *engine, kLimit).status, RunStatus::Done);
  engine->finish();
  for (const std::string& problem : engine->problems()) ADD_FAILURE() << problem;
  // Picoseconds a line of each port; a flit takes 17 ns.
  const double measured = 2.0 * static_cast<double>((stream.last - *stream.first).ps) / kLines;
  EXPECT_LE(measured, 17000.0 * 9 / 8 / 0.95);
  EXPECT_GE(measured, 17000.0 * 9 / 8 * 0.97) << "more than the lane can carry";
}

}  // namespace
}  // namespace cxlgpu
