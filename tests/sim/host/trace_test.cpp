// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
// Trace formats, their errors, and the replay's order, limits and data.
#include <gtest/gtest.h>
#include <zlib.h>

#include <array>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <map>

#include "sim/host/fixed_latency_engine.hpp"
#include "sim/host/run.hpp"
#include "sim/host/trace_initiator.hpp"

namespace cxlgpu {
namespace {

class TraceFile : public testing::Test {
 protected:
  void SetUp() override {
    const auto* info = testing::UnitTest::GetInstance()->current_test_info();
    path_ = testing::TempDir() + "cxlgpu_trace_" + info->name();
  }
  void TearDown() override { std::filesystem::remove(path_); }

  void write_plain(const std::string& text) { std::ofstream(path_, std::ios::binary) << text; }
  void write_gzip(const std::string& text) {
    gzFile file = gzopen(path_.c_str(), "wb");
    gzwrite(file, text.data(), static_cast<unsigned>(text.size()));
    gzclose(file);
  }
  std::vector<TraceRecord> read(const TraceReadOptions& options = {}) const {
    TraceReader reader(path_, options);
    std::vector<TraceRecord> records;
    while (const auto record = reader.next()) records.push_back(*record);
    return records;
  }
  // The message, without the path.
  std::string refusal(const std::string& text, const TraceReadOptions& options = {}) {
    write_plain(text);
    return refusal_of_file(options);
  }
  std::string refusal_of_file(const TraceReadOptions& options = {}) const {
    try {
      (void)read(options);
    } catch (const InputError& e) {
      const std::string what = e.what();
      EXPECT_EQ(what.rfind(path_ + ":", 0), 0U) << what;
      EXPECT_EQ(what.find('\n'), std::string::npos);
      EXPECT_NE(what.find("; "), std::string::npos) << "says not what to do: " << what;
      return what.substr(path_.size() + 1);
    }
    return "accepted";
  }
  std::string path_;
};

void expect_place(const std::string& message, const std::string& start, const std::string& part) {
  EXPECT_EQ(message.rfind(start, 0), 0U) << message;
  EXPECT_NE(message.find(part), std::string::npos) << message;
}

TEST_F(TraceFile, CsvPlainAndGzip) {
  const std::string text =
      "cycle,rw,addr,bytes,mask\n"
      "0,R,0xac000,64,0xffffffffffffffff\n"
      "17,W,0x95fc0,4,0xf000000000\r\n"
      "\n# a comment\n"
      "20,w,128,64\n"
      "21,R,130,4";
  for (const bool gzip : {false, true}) {
    gzip ? write_gzip(text) : write_plain(text);
    const auto r = read();
    ASSERT_EQ(r.size(), 4U);
    EXPECT_EQ(r[0].addr, 0xac000U);
    EXPECT_FALSE(r[0].is_write);
    EXPECT_EQ(r[1].cycle, 17U);
    EXPECT_EQ(r[1].byte_enable, 0xf000000000U);
    EXPECT_TRUE(r[1].is_write);
    EXPECT_EQ(r[2].addr, 128U);
    EXPECT_EQ(r[2].byte_enable, kAllBytes);
    EXPECT_EQ(r[3].addr, 128U);
    EXPECT_EQ(r[3].byte_enable, 0xfULL << 2);
  }
}

TEST_F(TraceFile, CsvWithoutHeaderAndWideAccess) {
  write_plain("5,W,0x1030,128\n");
  const auto r = read();
  ASSERT_EQ(r.size(), 3U);
  EXPECT_EQ(r[0].addr, 0x1000U);
  EXPECT_EQ(r[0].byte_enable, 0xffffULL << 48);
  EXPECT_EQ(r[1].byte_enable, kAllBytes);
  EXPECT_EQ(r[2].addr, 0x1080U);
  EXPECT_EQ(r[2].byte_enable, 0xffffffffffffULL);
}

TEST_F(TraceFile, Ramulator2AndDramSim3) {
  write_plain("LD 0x1004\nST 4096\n  LD   0x40  \n");
  auto r = read();
  ASSERT_EQ(r.size(), 3U);
  EXPECT_EQ(r[0].addr, 0x1000U);
  EXPECT_TRUE(r[1].is_write);
  EXPECT_EQ(r[1].addr, 4096U);
  EXPECT_EQ(r[2].cycle, 0U);

  // Hexadecimal with or without 0x; every word but four is a read.
  write_plain(
      "1000 READ 0\n0xfC0 write 1\nABC40 P_MEM_WR 2\n40 BOFF 3\n80 P_FETCH 4\n10 WRITE 5\n");
  r = read();
  ASSERT_EQ(r.size(), 6U);
  const std::array<std::uint64_t, 6> lines = {0x1000, 0xfc0, 0xabc40, 0x40, 0x80, 0};
  for (std::size_t i = 0; i < r.size(); ++i) {
    EXPECT_EQ(r[i].addr, lines[i]) << i;
    EXPECT_EQ(r[i].is_write, i != 0 && i != 4) << i;
    EXPECT_EQ(r[i].cycle, i);
  }

  write_plain("\xEF\xBB\xBFLD 0x40\r\nST 0x80\r\n");  // a byte order mark
  EXPECT_EQ(read().size(), 2U);

  write_plain("0x1004 READ 10\n0x2000 WRITE 12\n");
  r = read();
  ASSERT_EQ(r.size(), 2U);
  EXPECT_EQ(r[0].cycle, 10U);
  EXPECT_EQ(r[0].addr, 0x1000U);
  EXPECT_TRUE(r[1].is_write);
  EXPECT_EQ(r[1].byte_enable, kAllBytes);
}

TEST_F(TraceFile, HintsAreGranulesOfTheirBytes) {
  write_plain("cycle,rw,addr,bytes\n7,P,0x1ff,2\n8,p,1048576,1048577,\n9,R,0x0,64\n9,P,0,256\n");
  const auto t = read();
  ASSERT_EQ(t.size(), 5U);
  const auto is_hint = [&](std::size_t i, std::uint64_t cycle, std::uint64_t addr, unsigned n) {
    EXPECT_EQ(t[i].cycle, cycle) << i;
    EXPECT_EQ(t[i].addr, addr) << i;
    EXPECT_EQ(t[i].hint_granules, n) << i;
    EXPECT_FALSE(t[i].is_write);
  };
  is_hint(0, 7, 0x100, 2);
  is_hint(1, 8, 1 << 20, 4096);
  is_hint(2, 8, 2 << 20, 1);
  is_hint(3, 9, 0, 0);
  is_hint(4, 9, 0, 1);
}

TEST_F(TraceFile, HintsAreNoRequests) {
  write_plain("0,P,0,64\n0,R,0,128\n1,P,0,64\n2,R,0,256\n3,P,0,64\n");
  const auto t = read({.max_requests = 3});
  ASSERT_EQ(t.size(), 5U);  // two of the last access, and both hints before it
  EXPECT_EQ(t[0].hint_granules, 1U);
  EXPECT_EQ(t[3].hint_granules, 1U);
  EXPECT_EQ(t[4].hint_granules, 0U);
  EXPECT_EQ(read().size(), 9U);
  expect_place(refusal("0,P,0,64\n"), "2: ", "no request");
}

TEST_F(TraceFile, BadHintsNameTheirPlaceAndRemedy) {
  expect_place(refusal("0,R,0,64\n0,P,0,0\n"), "2: ", "byte count 0 of a hint");
  expect_place(refusal("0,P,0,1073741825\n"), "1: ", "not in 1..1073741824; split");
  expect_place(refusal("0,P,0,64,0xff\n"), "1: ", "a hint has no mask; drop");
  expect_place(refusal("0,P,0x100,64\n", {.size_bytes = 0x100}), "1: ", "outside");
  expect_place(refusal("0,P,x,64\n"), "1: ", "address 'x'");
  expect_place(refusal("0,Q,0,64\n"), "1: ", "write R, W or P");
  expect_place(refusal("LD 0x40\nP 0x40\n"), "2: ", "write LD or ST");
}

TEST_F(TraceFile, AtMostTheRequestsAskedFor) {
  write_plain("LD 0\nLD 64\nLD 128\nnonsense\n");
  EXPECT_EQ(read({.max_requests = 2}).size(), 2U);
}

TEST_F(TraceFile, BadInputNamesItsPlaceAndRemedy) {
  expect_place(refusal("0,R,0x40,64\n1,X,0x40,64\n"), "2: ", "access 'X' is unknown");
  expect_place(refusal("0,R,0xzz,64\n"), "1: ", "address '0xzz' is not a number");
  expect_place(refusal("cycle,rw,addr,bytes\n\n-1,R,0,64\n"), "3: ", "cycle '-1'");
  expect_place(refusal("0,R,0x12345678901234567,64\n"), "1: ", "does not fit 64 bits");
  expect_place(refusal("9999999999999999,R,0,64\n"), "1: ", "too large");
  expect_place(refusal("0,R,,64\n"), "1: ", "address '' is not a number");
  expect_place(refusal("0,R,0x40\n"), "1: ", "found 3 comma-separated fields");
  expect_place(refusal("0,R,0x40,64,0x1,7\n"), "1: ", "more than 5");
  expect_place(refusal("0,R,0x40,0\n"), "1: ", "byte count 0");
  expect_place(refusal("0,R,0x40,1000000\n"), "1: ", "byte count 1000000");
  expect_place(refusal("0,W,0x40,64,0x1ffffffffffffffff\n"), "1: ", "has 17 hex digits");
  expect_place(refusal("0,W,0x40,64,0xfq\n"), "1: ", "not hexadecimal");
  expect_place(refusal("0,W,0x40,3,0xf\n"), "1: ", "enables 4 bytes");
  expect_place(refusal("0,W,0x40,3,0x0\n"), "1: ", "enables no byte");
  expect_place(refusal("0,W,0x40,128,0xf\n"), "1: ", "cannot have a mask");
  expect_place(refusal("LD 0x0\nLS 0x40\n"), "2: ", "access 'LS' is unknown");
  expect_place(refusal("LD\n"), "1: ", "expected two fields");
  expect_place(refusal("0x0 READ 1\n0x40 READ\n"), "2: ", "expected three fields");
  expect_place(refusal("0x0 READ 1\n0x40 Write 2\n"), "2: ", "access 'Write' is ambiguous");
  expect_place(refusal("hello\n"), "1: ", "fits no trace format");
  expect_place(refusal(""), "1: ", "holds no request");
  expect_place(refusal(std::string(200'000, 'a')), "1: ", "longer than");
  expect_place(refusal("0,R,\x01\x02,64\n"), "1: ", "address '?");
  const TraceReadOptions small{.size_bytes = 0x1000};
  expect_place(refusal("LD 0xfc0\nLD 0x1000\n", small), "2: ", "lies outside");
  expect_place(refusal("0,R,0xff0,32\n", small), "1: ", "lies outside");
  expect_place(refusal("0,R,0xffffffffffffffff,64\n"), "1: ", "lies outside");
}

TEST_F(TraceFile, MissingCutAndDamagedFiles) {
  expect_place(refusal_of_file(), " ", "cannot be opened");  // no line of it
  std::string text;
  for (std::uint64_t i = 0; i < 50'000; ++i)
    text += "LD " + std::to_string(i * 64 * (i % 977)) + "\n";
  write_gzip(text);
  const auto size = std::filesystem::file_size(path_);
  std::filesystem::resize_file(path_, size / 2);
  expect_place(refusal_of_file(), "", "gzip data is cut short");
  // Damage in the middle may decode to nonsense lines first; damage to the check sum may not.
  for (const std::uint64_t at : {size / 2, size - 8}) {
    write_gzip(text);
    std::fstream file(path_, std::ios::in | std::ios::out | std::ios::binary);
    file.seekp(static_cast<std::streamoff>(at));
    file.write("\xff\xff\xff\xff\xff\xff\xff\xff", at == size / 2 ? 8 : 4);
    file.close();
    expect_place(refusal_of_file(), "", at == size / 2 ? ": " : "gzip data is damaged");
  }
}

TraceRecord load(std::uint64_t addr, std::uint64_t cycle = 0) {
  return {cycle, addr, kAllBytes, false, 0};
}
TraceRecord store(std::uint64_t addr, std::uint64_t mask = kAllBytes) {
  return {0, addr, mask, true, 0};
}

// Accepts everything, answers when told to, and logs.
class LogEngine : public Engine {
 public:
  [[nodiscard]] Time now() const override { return now_; }
  bool submit(const MemRequest& request) override {
    log.push_back({now_, request});
    return true;
  }
  bool hint(const Hint& hint) override {
    if (refuse_hints != 0) return --refuse_hints, false;
    hints.push_back({now_, hint});
    return true;
  }
  std::optional<MemResponse> take() override {
    if (answers.empty()) return std::nullopt;
    const MemResponse r = answers.back();
    answers.pop_back();
    return r;
  }
  void advance_to(Time t) override {
    if (t != Time::never()) now_ = t;
  }
  void answer(const MemRequest& r) { answers.push_back({r.id, r.is_write, false, {}}); }

  std::vector<std::pair<Time, MemRequest>> log;
  std::vector<MemResponse> answers;
  std::vector<std::pair<Time, Hint>> hints;
  unsigned refuse_hints = 0;

 private:
  Time now_{5'000'000};  // bring-up took a while
};

TEST(Replay, CycleIsTheEarliestTimeAndOrderIsKept) {
  LogEngine e;
  TraceInitiator t({load(0, 3), load(64, 1), load(128, 10)}, {.offset = 1ULL << 32});
  run(t, e);
  ASSERT_EQ(e.log.size(), 3U);
  EXPECT_EQ(e.log[0].first, Time{5'003'000});
  EXPECT_EQ(e.log[1].first, Time{5'004'000});
  EXPECT_EQ(e.log[2].first, Time{5'010'000});
  EXPECT_EQ(e.log[2].second.addr, (1ULL << 32) + 128);
  LogEngine fast;
  TraceInitiator u({load(0, 3), load(64, 1), load(128, 10)}, {.use_cycles = false});
  run(u, fast);
  EXPECT_EQ(fast.log[2].first, Time{5'002'000});
}

TEST(Replay, OutstandingLimitsHoldBackInOrder) {
  LogEngine e;
  TraceInitiator t({load(0), load(64), store(128), load(192), store(256), load(320)},
                   {.max_outstanding_reads = 2, .max_outstanding_writes = 1});
  EXPECT_EQ(run(t, e).status, RunStatus::Deadlock);
  ASSERT_EQ(e.log.size(), 3U);  // the third load waits, and the store behind it with it
  EXPECT_EQ(t.next_event(), Time::never());
  e.answer(e.log[1].second);
  run(t, e);
  ASSERT_EQ(e.log.size(), 4U);
  EXPECT_FALSE(e.log[3].second.is_write);
  EXPECT_EQ(e.log[3].second.id, e.log[1].second.id);
  e.answer(e.log[2].second);
  e.answer(e.log[0].second);
  run(t, e);
  EXPECT_EQ(e.log.size(), 6U);
  EXPECT_FALSE(t.done());
  for (int i : {3, 4, 5}) e.answer(e.log[static_cast<std::size_t>(i)].second);
  EXPECT_EQ(run(t, e).status, RunStatus::Done);
  EXPECT_EQ(t.stats().reads, 4U);
  EXPECT_EQ(t.stats().writes, 2U);
}

TraceRecord hint(std::uint64_t addr, unsigned granules, std::uint64_t cycle = 0) {
  return {cycle, addr, kAllBytes, false, granules};
}

TEST(Replay, HintsGoInTheirPlaceBesideTheRequestsOneACycle) {
  LogEngine e;
  TraceInitiator t({load(0, 2), hint(256, 3, 2), load(64, 2), hint(512, 1, 9), hint(1024, 2, 9),
                    load(128, 9), hint(4096, 1, 20)},
                   {.offset = 1ULL << 32});
  run(t, e);
  ASSERT_EQ(e.log.size(), 3U);
  ASSERT_EQ(e.hints.size(), 4U);
  EXPECT_EQ(e.log[0].first, Time{5'002'000});
  EXPECT_EQ(e.hints[0], (std::pair{Time{5'003'000}, Hint{(1ULL << 32) + 256, 3}}));
  EXPECT_EQ(e.log[1].first, Time{5'003'000});
  EXPECT_EQ(e.hints[1].first, Time{5'009'000});
  EXPECT_EQ(e.hints[2].first, Time{5'010'000});
  EXPECT_EQ(e.log[2].first, Time{5'010'000});
  EXPECT_EQ(e.hints[3].first, Time{5'020'000});
  EXPECT_EQ(t.stats().hints, 4U);
  EXPECT_EQ(t.stats().reads, 3U);
  EXPECT_EQ(t.position(), 7U);
}

TEST(Replay, ARefusedHintIsOfferedAgain) {
  LogEngine e;
  e.refuse_hints = 5;
  TraceInitiator t({load(0), hint(256, 1), load(64)}, {});
  run(t, e);
  ASSERT_EQ(e.hints.size(), 1U);
  EXPECT_EQ(e.hints[0].first, Time{5'006'000});
  EXPECT_EQ(e.log[1].first, Time{5'006'000});
}

TEST(Replay, HintsTakeNoPlaceOfTheWindowAndChangeNoData) {
  LogEngine with, without;
  TraceInitiator t({hint(0, 1), store(0), hint(0, 1), hint(0, 1), store(64)}, {});
  TraceInitiator u({store(0), store(64)}, {});
  run(t, with);
  run(u, without);
  ASSERT_EQ(with.log.size(), 2U);
  for (std::size_t i = 0; i < 2; ++i) {
    EXPECT_EQ(with.log[i].second.data, without.log[i].second.data);
  }
  LogEngine e;
  TraceInitiator v({load(0), hint(0, 1), load(64)}, {.max_outstanding_reads = 1});
  EXPECT_EQ(run(v, e).status, RunStatus::Deadlock);  // nobody answers
  EXPECT_EQ(e.hints.size(), 1U);
}

TEST(Replay, DataFollowsFromAddressPlaceAndSeed) {
  const Line a = TraceInitiator::write_data(64, 1, 1);
  EXPECT_EQ(a, TraceInitiator::write_data(64, 1, 1));
  EXPECT_NE(a, TraceInitiator::write_data(128, 1, 1));
  EXPECT_NE(a, TraceInitiator::write_data(64, 2, 1));
  EXPECT_NE(a, TraceInitiator::write_data(64, 1, 2));
  LogEngine e;
  TraceInitiator t({store(64, 0xff00), store(64)}, {});
  run(t, e);
  EXPECT_EQ(e.log[0].second.byte_enable, 0xff00U);
  EXPECT_EQ(e.log[0].second.data, TraceInitiator::write_data(64, 0, 1));
  EXPECT_EQ(e.log[1].second.data, TraceInitiator::write_data(64, 1, 1));
  EXPECT_EQ(t.stats().partial_writes, 1U);
}

TEST(Replay, CheckedRunUnderBackpressure) {
  std::vector<TraceRecord> records;
  for (std::uint64_t i = 0; i < 5000; ++i) {
    const std::uint64_t addr = i * 2654435761 % 64 * 64;
    records.push_back(i % 2 == 0 ? store(addr, i % 3 == 0 ? kAllBytes : 0xffULL << (i % 56))
                                 : load(addr, i));
  }
  FixedLatencyEngine engine({.jitter = Time{2'000'000}, .refuse_percent = 40});
  CheckedEngine checked(engine);
  TraceInitiator t(records, {});
  EXPECT_EQ(run(t, checked).status, RunStatus::Done);
  EXPECT_TRUE(checked.clean());
  EXPECT_GT(t.stats().refused, 0U);
  EXPECT_GT(t.stats().total_read_latency, Time{2500 * 300'000});
}

TEST(Replay, BadOptionsAreRefused) {
  EXPECT_THROW(TraceInitiator({load(0)}, {.max_outstanding_reads = 0}), InputError);
  EXPECT_THROW(TraceInitiator({load(0)}, {.max_outstanding_writes = 40'000}), InputError);
  EXPECT_THROW(TraceInitiator({load(0)}, {.offset = 8}), InputError);
}

}  // namespace
}  // namespace cxlgpu
