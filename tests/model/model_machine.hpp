// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
// The event-driven model as its tests run it: on media of random latency, with a log of its events,
// and, to hold against that, with no cycle slept through.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <vector>

#include "common/register_types.hpp"
#include "model/engine.hpp"
#include "tests/system/simple_media.hpp"

namespace cxlgpu {

inline constexpr std::uint64_t kModelBase = 0x100000000, kModelPortBytes = 256ull << 20;
inline constexpr Time kModelLimit{1'000'000'000'000};

// All ports in one range.
inline RunConfig interleaved(unsigned ports, std::uint64_t chunk) {
  RunConfig config;
  config.ports = ports;
  std::vector<unsigned> all;
  for (unsigned port = 0; port < ports; ++port) all.push_back(port);
  config.hdm = {{kModelBase, kModelPortBytes * ports, chunk, all}};
  return config;
}

class EventLog : public TraceSink {
 public:
  void on_event(const TraceEvent& event) override { events.push_back(event); }
  [[nodiscard]] std::vector<TraceEvent> issued() const {
    std::vector<TraceEvent> all;
    for (const TraceEvent& event : events) {
      if (event.stage == Stage::SpecIssue) all.push_back(event);
    }
    return all;
  }
  std::vector<TraceEvent> events;
};

// The model on media of random latency.
struct ModelMachine {
  ModelMachine(const RunConfig& config, bool cached = true, unsigned sets_log2 = 3) {
    std::vector<Media*> parts;
    for (unsigned port = 0; port < config.ports; ++port) {
      media.push_back(std::make_unique<SimpleMedia>(1 + port, Time{500'000}, Time{3'000'000}));
      parts.push_back(media.back().get());
    }
    engine = std::make_unique<ModelEngine>(config, EndpointParts{cached, sets_log2}, parts, &log);
  }
  std::vector<std::unique_ptr<SimpleMedia>> media;
  EventLog log;
  std::unique_ptr<ModelEngine> engine;
};

// Each cycle is run, and each port woken in it: a register is written that changes nothing.
class Sleepless : public Engine {
 public:
  Sleepless(ModelEngine& inner, unsigned ports) : inner_(inner), ports_(ports) {}
  [[nodiscard]] Time now() const override { return inner_.now(); }
  bool submit(const MemRequest& request) override { return inner_.submit(request); }
  bool hint(const Hint& hint) override { return inner_.hint(hint); }
  std::optional<MemResponse> take() override { return inner_.take(); }
  void advance_to(Time t) override {
    for (unsigned port = 0; port < ports_; ++port) {
      inner_.write(RegisterSpace::RootPort, port, regs::rp::kDsStatus, 0);
    }
    inner_.advance_to(std::min(t, inner_.now() + kCycle));
  }

 private:
  ModelEngine& inner_;
  unsigned ports_;
};

inline void expect_same(const std::vector<TraceEvent>& some,
                        const std::vector<TraceEvent>& others) {
  ASSERT_EQ(some.size(), others.size());
  for (std::size_t i = 0; i < some.size(); ++i) {
    const TraceEvent &a = some[i], &b = others[i];
    ASSERT_TRUE(a.at == b.at && a.stage == b.stage && a.port == b.port && a.id == b.id &&
                a.addr == b.addr && a.info == b.info)
        << i << ": " << kStageNames[static_cast<std::size_t>(a.stage)] << " at " << a.at.ns()
        << " and " << kStageNames[static_cast<std::size_t>(b.stage)] << " at " << b.at.ns();
  }
}

}  // namespace cxlgpu
