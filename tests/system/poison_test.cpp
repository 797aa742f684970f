// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
// Poison end to end: what the media cannot give back, or has marked, is a DRS with Poison on the
// link and an error at the system bus, for exactly these lines, until they are written whole; the
// internal DRAM carries it both ways.
#include <gtest/gtest.h>

#include <deque>
#include <map>
#include <set>

#include "tb/system_engine.hpp"
#include "tests/common/requirement.hpp"
#include "tests/system/ask.hpp"
#include "tests/system/simple_media.hpp"

namespace cxlgpu {
namespace {

constexpr std::uint64_t kBase = 0x100000000, kSize = 512 << 20, kChunk = 1024;
constexpr unsigned kPorts = 2;
constexpr std::uint64_t kSlotBytes = 256;

// Some lines of the media are damaged; a copy of a damaged line is damaged.
class DamagedMedia : public SimpleMedia {
 public:
  explicit DamagedMedia(std::set<std::uint64_t> lines)
      : SimpleMedia(1, Time{50000}, Time{90000}), media_(std::move(lines)) {}

  void submit(const MediaCommand& c, Time now) override {
    const std::uint64_t in_array = c.slot * kSlotBytes + c.offset;
    bool error = false;
    switch (c.op) {
      case MediaOp::Read:
        error = media_.contains(c.dpa);
        break;
      case MediaOp::ArrayRead:
        error = array_.contains(in_array);
        break;
      case MediaOp::Write:
        if (c.byte_enable == kAllBytes) media_.erase(c.dpa);
        break;
      case MediaOp::ArrayWrite:
        if (c.byte_enable == kAllBytes) array_.erase(in_array);
        break;
      case MediaOp::Fill:
        copy(media_, c.dpa, array_, c.slot * kSlotBytes);
        break;
      case MediaOp::WriteBack:
        copy(array_, c.slot * kSlotBytes, media_, c.dpa);
        break;
    }
    errors_[{c.op, c.id}] = error;
    SimpleMedia::submit(c, now);
  }
  std::optional<MediaResponse> take(Time now) override {
    auto response = SimpleMedia::take(now);
    if (response) response->error = errors_.at({response->op, response->id});
    return response;
  }

 private:
  using Lines = std::set<std::uint64_t>;
  static void copy(const Lines& from, std::uint64_t at, Lines& to, std::uint64_t there) {
    for (std::uint64_t i = 0; i < kSlotBytes; i += kLineBytes) {
      if (from.contains(at + i)) {
        to.insert(there + i);
      } else {
        to.erase(there + i);
      }
    }
  }
  Lines media_, array_;
  std::map<std::pair<MediaOp, std::uint8_t>, bool> errors_;
};

struct Case {
  const char* engine;
  bool cached;
  bool marked;  // by the media, which answers without an error
};
std::string name_of(const Case& c) {
  return std::string(c.engine) + (c.cached ? "Cached" : "Direct") + (c.marked ? "Marked" : "");
}
// GoogleTest prints the bytes of what it cannot print, padding as well.
void PrintTo(const Case& c, std::ostream* out) {
  *out << name_of(c);
}
class Poison : public ::testing::TestWithParam<Case> {};
INSTANTIATE_TEST_SUITE_P(Engines, Poison,
                         ::testing::Values(Case{"model", false, false}, Case{"model", true, false},
                                           Case{"rtl", false, false}, Case{"rtl", true, false},
                                           Case{"cosim", false, false}, Case{"cosim", true, false},
                                           Case{"model", true, true}, Case{"rtl", false, true},
                                           Case{"rtl", true, true}, Case{"cosim", false, true},
                                           Case{"cosim", true, true}),
                         [](const auto& info) { return name_of(info.param); });

TEST_P(Poison, IsAnErrorUntilTheLineIsWrittenWhole) {
  test::shows("order", "A poisoned line is an error at the bus until it is written whole",
              "CXL 2.0, CXL.mem");
  RunConfig config;
  config.engine = GetParam().engine;
  config.ports = kPorts;
  config.hdm = {{kBase, kSize, kChunk, {0, 1}}};

  // Offsets in the range, and where they are: chunks go to the ports in turn.
  const std::set<std::uint64_t> damaged = {0x40, 0x100, 0x400, 0x7c0, 0x8c0, 0x2000};
  std::vector<std::set<std::uint64_t>> of_port(kPorts);
  for (const std::uint64_t at : damaged) {
    of_port[at / kChunk % kPorts].insert(at / kChunk / kPorts * kChunk + at % kChunk);
  }
  std::deque<DamagedMedia> media;
  const auto part = [&](unsigned port) -> Media* {
    if (!GetParam().marked) return &media.emplace_back(of_port[port]);
    DamagedMedia& made = media.emplace_back(std::set<std::uint64_t>{});
    for (const std::uint64_t dpa : of_port[port]) made.poison(dpa);
    return &made;
  };
  // Two sets of ways in all: reading on evicts what was read.
  EngineParts parts{{GetParam().cached, 1}, {}, {}, nullptr};
  for (unsigned p = 0; p < kPorts; ++p) parts.media.push_back(part(p));
  if (config.engine == "cosim") {
    for (unsigned p = 0; p < kPorts; ++p) parts.model_media.push_back(part(p));
  }
  const auto engine = make_engine(config, parts, {});

  std::set<std::uint64_t> bad = damaged;
  const auto read_all = [&] {
    for (std::uint64_t at = 0; at < 0x8000; at += kLineBytes) {
      EXPECT_EQ(ask(*engine, kBase + at, false).error, bad.contains(at)) << "offset " << at;
    }
  };
  read_all();
  MemRequest write;
  write.addr = kBase + 0x400;
  write.is_write = true;
  write.data.fill(0x77);
  write.byte_enable = kAllBytes >> 1;
  EXPECT_FALSE(ask(*engine, write).error);
  read_all();
  write.byte_enable = kAllBytes;
  EXPECT_FALSE(ask(*engine, write).error);
  bad.erase(0x400);
  read_all();
  EXPECT_EQ(ask(*engine, kBase + 0x400, false).data, write.data);

  engine->finish();
  EXPECT_TRUE(engine->problems().empty()) << engine->problems()[0];
  if (engine->cosim() != nullptr) {
    EXPECT_EQ(engine->cosim()->data_mismatches, 0u);
    EXPECT_EQ(engine->cosim()->path_mismatches, 0u);
    EXPECT_EQ(engine->cosim()->time_differences, 0u);
  }
}

}  // namespace
}  // namespace cxlgpu
