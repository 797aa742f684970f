// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
// The checker passes what is right and catches what is wrong; the run loop ends as it should.
#include "sim/host/scoreboard.hpp"

#include <gtest/gtest.h>

#include <functional>

#include "sim/host/fixed_latency_engine.hpp"
#include "sim/host/run.hpp"
#include "sim/host/trace_initiator.hpp"

namespace cxlgpu {
namespace {

// Passes everything on, responses through a fault.
class FaultyEngine : public Engine {
 public:
  FaultyEngine(Engine& inner, std::function<void(MemResponse&)> fault)
      : inner_(inner), fault_(std::move(fault)) {}
  [[nodiscard]] Time now() const override { return inner_.now(); }
  bool submit(const MemRequest& request) override { return inner_.submit(request); }
  std::optional<MemResponse> take() override {
    auto response = inner_.take();
    if (response) fault_(*response);
    return response;
  }
  void advance_to(Time t) override { inner_.advance_to(t); }

 private:
  Engine& inner_;
  std::function<void(MemResponse&)> fault_;
};

void take_all(Engine& engine, Time until) {
  while (engine.now() < until) {
    engine.advance_to(until);
    while (engine.take()) {
    }
  }
}

std::vector<TraceRecord> mixed_trace(std::size_t n) {
  std::vector<TraceRecord> records;
  for (std::size_t i = 0; i < n; ++i) {
    TraceRecord r;
    r.addr = (i * 7 % 16) * kLineBytes;
    r.is_write = i % 3 == 0;
    if (i % 6 == 0) r.byte_enable = 0xf0f0ULL << (i % 32);
    records.push_back(r);
  }
  return records;
}

struct Bench {
  explicit Bench(std::function<void(MemResponse&)> fault = [](MemResponse&) {})
      : engine({.jitter = Time{700'000}, .refuse_percent = 30}),
        faulty(engine, std::move(fault)),
        checked(faulty, 3),
        trace(mixed_trace(1000), {}) {
    const std::vector<std::uint8_t> bytes(1024, 0x5a);
    TeeBackdoor both(engine.memory(), checked.shadow());
    both.poke(0, bytes);
    result = run(trace, checked, Time{1'000'000'000});
  }
  FixedLatencyEngine engine;
  FaultyEngine faulty;
  CheckedEngine checked;
  TraceInitiator trace;
  RunResult result;
};

TEST(FlatMemory, CopiesWhatBeginsAtAnAddressOrBeyond) {
  constexpr std::uint64_t kPage = FlatMemory::kPageBytes;
  FlatMemory from, to;
  Line line;
  for (const std::uint64_t page : {1, 2, 3}) {
    line.fill(static_cast<std::uint8_t>(page));
    from.write_line(page * kPage + 64, line);
  }
  line.fill(9);
  to.write_line(kPage + 64, line);
  to.write_line(2 * kPage, line);
  to.copy(from, 2 * kPage);
  EXPECT_EQ(to.read_line(kPage + 64), line) << "before it all is as it was";
  EXPECT_EQ(to.read_line(2 * kPage), Line{}) << "page by page";
  EXPECT_EQ(to.read_line(2 * kPage + 64)[0], 2);
  EXPECT_EQ(to.read_line(3 * kPage + 64)[0], 3);
}

TEST(FlatMemory, SparseAndUnaligned) {
  FlatMemory m;
  std::vector<std::uint8_t> bytes(200'000);
  for (std::size_t i = 0; i < bytes.size(); ++i) bytes[i] = static_cast<std::uint8_t>(i * 31);
  m.poke((1ULL << 40) - 77, bytes);
  std::vector<std::uint8_t> got(bytes.size() + 2, 1);
  m.peek((1ULL << 40) - 78, got);
  EXPECT_EQ(got.front(), 0);
  EXPECT_EQ(got.back(), 0);
  EXPECT_TRUE(std::equal(bytes.begin(), bytes.end(), got.begin() + 1));
  EXPECT_EQ(m.read_line(64), Line{});
  Line line;
  line.fill(9);
  m.write_line(64, line, 0b101);
  EXPECT_EQ(m.read_line(64)[0], 9);
  EXPECT_EQ(m.read_line(64)[1], 0);
  EXPECT_EQ(m.read_line(64)[2], 9);
}

TEST(CheckedEngine, CleanRunIsClean) {
  const Bench b;
  EXPECT_EQ(b.result.status, RunStatus::Done);
  EXPECT_TRUE(b.checked.clean());
  EXPECT_EQ(b.checked.reads() + b.checked.writes(), 1000U);
  EXPECT_EQ(b.checked.outstanding(), 0U);
}

TEST(CheckedEngine, OneFlippedBitIsCaughtWithItsPlace) {
  int reads = 0;
  const Bench b([&](MemResponse& r) {
    if (!r.is_write && ++reads == 100) r.data[37] ^= 0x10;
  });
  EXPECT_EQ(b.checked.mismatches(), 1U);
  EXPECT_FALSE(b.checked.clean());
  ASSERT_EQ(b.checked.records().size(), 1U);
  const Mismatch& m = b.checked.records()[0];
  EXPECT_EQ(m.got[37] ^ m.expected[37], 0x10);
  EXPECT_EQ(m.addr % kLineBytes, 0U);
  EXPECT_GT(m.at, m.submitted);
  EXPECT_NE(to_string(m).find("first byte 37"), std::string::npos) << to_string(m);
}

TEST(CheckedEngine, KeepsOnlyTheFirstRecords) {
  const Bench b([](MemResponse& r) { r.data[0] ^= 1; });
  EXPECT_EQ(b.checked.mismatches(), b.checked.reads());
  EXPECT_EQ(b.checked.records().size(), 3U);
}

TEST(CheckedEngine, ALostWriteIsCaught) {
  FixedLatencyEngine engine;
  CheckedEngine checked(engine);
  MemRequest write;
  write.is_write = true;
  write.addr = 4096;
  write.data.fill(3);
  ASSERT_TRUE(checked.submit(write));
  engine.memory().write_line(4096, Line{});  // behind the checker's back
  checked.advance_to(kCycle * 10);
  MemRequest read;
  read.id = 1;
  read.addr = 4096;
  ASSERT_TRUE(checked.submit(read));
  take_all(checked, kCycle * 1000);
  EXPECT_EQ(checked.mismatches(), 1U);
}

TEST(CheckedEngine, AReadExpectsWhatWasThereWhenItWasTaken) {
  FixedLatencyEngine engine;
  CheckedEngine checked(engine);
  MemRequest r;
  r.addr = 64;
  ASSERT_TRUE(checked.submit(r));
  checked.advance_to(kCycle);
  r.id = 1;
  r.is_write = true;
  r.data.fill(8);
  ASSERT_TRUE(checked.submit(r));
  take_all(checked, kCycle * 1000);
  EXPECT_TRUE(checked.clean());
  EXPECT_EQ(checked.outstanding(), 0U);
}

TEST(CheckedEngine, WrongIdsKindsAndErrorsAreCounted) {
  int n = 0;
  const auto only = [&n](auto what) {
    return [&n, what](MemResponse& r) {
      if (++n == 50) what(r);
    };
  };
  EXPECT_EQ(Bench(only([](MemResponse& r) { r.id = 40'000; })).checked.id_errors(), 1U);
  n = 0;
  EXPECT_EQ(Bench(only([](MemResponse& r) { r.is_write = !r.is_write; })).checked.id_errors(), 1U);
  n = 0;
  const Bench poison(only([](MemResponse& r) { r.error = true; }));
  EXPECT_EQ(poison.checked.error_responses(), 1U);
  EXPECT_FALSE(poison.checked.clean());

  FixedLatencyEngine engine;
  CheckedEngine checked(engine);
  MemRequest r;
  ASSERT_TRUE(checked.submit(r));
  checked.advance_to(kCycle);
  ASSERT_TRUE(checked.submit(r));  // id 0 is still outstanding
  EXPECT_EQ(checked.id_errors(), 1U);
  checked.advance_to(kCycle * 2);
  r.id = 65536;
  ASSERT_TRUE(checked.submit(r));
  EXPECT_EQ(checked.id_errors(), 2U);
}

// Never answers.
class DeadEngine : public Engine {
 public:
  [[nodiscard]] Time now() const override { return now_; }
  bool submit(const MemRequest&) override { return true; }
  std::optional<MemResponse> take() override { return std::nullopt; }
  void advance_to(Time t) override {
    if (t != Time::never()) now_ = t;
  }

 private:
  Time now_;
};

TEST(Run, DeadlockAndTimeLimitAreTold) {
  DeadEngine dead;
  TraceInitiator stuck(mixed_trace(10), {});
  EXPECT_EQ(run(stuck, dead).status, RunStatus::Deadlock);

  FixedLatencyEngine engine;
  auto late = mixed_trace(3);
  late.back().cycle = 1'000'000;
  TraceInitiator trace(late, {});
  const RunResult r = run(trace, engine, Time{5'000'000});
  EXPECT_EQ(r.status, RunStatus::TimeLimit);
  EXPECT_LE(r.end, Time{5'000'000});
  EXPECT_EQ(run(trace, engine).status, RunStatus::Done);  // goes on where it stopped
  EXPECT_EQ(to_string(RunStatus::Deadlock), "deadlock");
}

TEST(FixedLatency, OneRequestAnEdgeInOrderOfTheClock) {
  FixedLatencyEngine e({.latency = Time{10'000}});
  e.advance_to(Time::never());
  EXPECT_EQ(e.now(), Time{0});
  MemRequest r;
  EXPECT_TRUE(e.submit(r));
  r.id = 1;
  EXPECT_FALSE(e.submit(r));
  e.advance_to(Time::never());  // no further than the edge at which the next may be taken
  EXPECT_EQ(e.now(), kCycle);
  EXPECT_TRUE(e.submit(r));
  EXPECT_FALSE(e.take());
  e.advance_to(Time{50'000});
  EXPECT_EQ(e.now(), Time{10'000});
  EXPECT_EQ(e.take()->id, 0U);
  EXPECT_FALSE(e.take());
}

}  // namespace
}  // namespace cxlgpu
