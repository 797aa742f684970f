// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
// The simplest stream, line after line at the system bus, under policy stream: what lies ahead is
// requested from the start, with and without length, in chunks of every size.
#include <gtest/gtest.h>

#include <map>
#include <memory>
#include <string>
#include <tuple>
#include <vector>

#include "tests/common/requirement.hpp"
#include "tests/system/hinted.hpp"
#include "tests/system/test_system.hpp"

namespace cxlgpu {
namespace {

constexpr std::uint64_t kBase = 0x100000000, kPortBytes = 256ull << 20;
constexpr unsigned kPorts = 2;
constexpr Time kLimit{1'000'000'000'000};

class EventLog : public TraceSink {
 public:
  void on_event(const TraceEvent& event) override { events.push_back(event); }
  std::vector<TraceEvent> events;
};

struct Stream {
  std::string engine;
  unsigned outstanding = 1;
  bool length = true;
  std::uint64_t chunk = 1024;
  std::uint64_t lines = 1024;
};

std::vector<TraceEvent> events_of(const Stream& stream) {
  RunConfig config;
  config.engine = stream.engine;
  config.ports = kPorts;
  config.hdm = {{kBase, kPortBytes * kPorts, stream.chunk, {0, 1}}};
  config.root_port.policy = SrPolicy::Stream;
  config.root_port.spec_length = stream.length;
  // SimpleMedia tell of any load there is: endpoints report what waits for them alone.
  config.endpoint.backlog_thresholds = {127, 127, 127};
  config.endpoint.task_thresholds = {127, 127, 127};
  std::vector<std::unique_ptr<SimpleMedia>> media;
  EventLog log;
  EngineParts parts{{true, 5}, {}, {}, &log};
  for (unsigned port = 0; port < kPorts; ++port) {
    media.push_back(std::make_unique<SimpleMedia>(port + 1, Time{500'000}, Time{500'000}));
    parts.media.push_back(media.back().get());
  }
  const auto system = make_engine(config, parts, {});
  HintThenLoad loads(
      {.hints = {}, .base = kBase, .lines = stream.lines, .outstanding = stream.outstanding});
  EXPECT_EQ(run(loads, *system, kLimit).status, RunStatus::Done);
  system->finish();
  return log.events;
}

// From each MemSpecRd the granules it brings, of this stream's first.
void expect_prefetched(const Stream& stream) {
  constexpr std::uint64_t kGranule = 256;
  std::map<std::uint64_t, Time> asked, loaded;  // granule of the stream
  Time ahead = Time::never(), fourth = Time::never();
  for (const TraceEvent& event : events_of(stream)) {
    const std::uint64_t granule = (event.addr - kBase) / kGranule;
    if (event.stage == Stage::SpecIssue) {
      EXPECT_TRUE(stream.length || event.info == 1) << event.info;
      for (std::uint64_t g = granule; g < granule + event.info; ++g) {
        EXPECT_EQ(g * kGranule / stream.chunk % kPorts, event.port) << g;  // else nobody has it
        asked.try_emplace(g, event.at);
        if (g != 0) ahead = std::min(ahead, event.at);
      }
    } else if (event.stage == Stage::CtrlAccept) {
      loaded.try_emplace(granule, event.at);
    } else if (event.stage == Stage::SysRespond && event.addr == kBase + 3 * kLineBytes) {
      fourth = event.at;
    }
  }
  EXPECT_LT(ahead, fourth);  // the first four loads are of granule 0
  unsigned in_time = 0;
  for (const auto& [granule, at] : loaded) {
    const auto spec = asked.find(granule);
    in_time += spec != asked.end() && spec->second < at;
  }
  EXPECT_EQ(loaded.size(), stream.lines * kLineBytes / kGranule);
  // All but what the ports begin with.
  EXPECT_GE(in_time + 2 * kPorts, loaded.size()) << in_time;
}

using Case = std::tuple<std::string, unsigned, bool, std::uint64_t>;
class SimpleStream : public ::testing::TestWithParam<Case> {};

std::string name_of(const ::testing::TestParamInfo<Case>& info) {
  const auto& [engine, outstanding, length, chunk] = info.param;
  return engine + "_" + std::to_string(outstanding) + (length ? "_" : "_without_length_") +
         std::to_string(chunk);
}

INSTANTIATE_TEST_SUITE_P(Of, SimpleStream,
                         ::testing::Combine(::testing::Values("model", "rtl"),
                                            ::testing::Values(1u, 16u), ::testing::Bool(),
                                            ::testing::Values(256u, 512u, 1024u, 4096u)),
                         name_of);

TEST_P(SimpleStream, IsPrefetchedFromItsFourthLoadOn) {
  test::shows("sr",
              "stream: sequential loads are prefetched from their fourth on, one or sixteen "
              "outstanding, with and without length, in chunks of 256 B to 4 KiB",
              "docs/blocks/root_port/stream_table.md");
  const auto& [engine, outstanding, length, chunk] = GetParam();
  Stream stream{engine, outstanding, length, chunk};
  if (engine == "rtl") stream.lines = 96;
  expect_prefetched(stream);
}

}  // namespace
}  // namespace cxlgpu
