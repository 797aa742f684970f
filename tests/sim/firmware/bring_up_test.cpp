// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
// Firmware against four fake endpoints, alike and unlike: what it finds, every interleaving it can
// build, and what it refuses, in one line that says where and what to do.
#include "sim/firmware/bring_up.hpp"

#include <algorithm>
#include <numeric>
#include <set>
#include <string>

#include "common/input_error.hpp"
#include "sim/firmware/function.hpp"
#include "tests/sim/firmware/fake_system.hpp"

namespace cxlgpu::test {
namespace {

constexpr std::uint64_t kChunk = std::uint64_t{256} << 20;

std::vector<FakeEndpoint> unlike() {
  return {{.size = 4, .decoders = 1},
          {.size = 8, .decoders = 2},
          {.size = 0x12, .size2 = 3, .decoders = 10},  // needs the high size register
          {.size = 1, .decoders = 4}};
}
std::vector<FakeEndpoint> equal(std::uint64_t size) {
  return {4, FakeEndpoint{.size = size}};
}
std::vector<std::uint64_t> sizes(const std::vector<FakeEndpoint>& endpoints) {
  std::vector<std::uint64_t> all;
  for (const FakeEndpoint& e : endpoints) all.push_back(e.bytes());
  return all;
}

// The line a refusal says; empty: it was not refused.
template <typename Action>
std::string refusal(Action action) {
  try {
    action();
  } catch (const InputError& error) {
    return error.what();
  }
  return {};
}
void expect_refusal(const std::string& line, const std::vector<std::string>& parts) {
  EXPECT_FALSE(line.empty()) << "not refused";
  EXPECT_EQ(line.find('\n'), std::string::npos);
  EXPECT_NE(line.find("; "), std::string::npos) << "no remedy: " << line;
  for (const std::string& part : parts) {
    EXPECT_NE(line.find(part), std::string::npos) << "'" << part << "' is not in: " << line;
  }
}

TEST(Enumerate, FourUnlikeEndpoints) {
  FakeSystem system(unlike(), 6);
  const SystemInfo found = enumerate(system, 4);
  EXPECT_EQ(found.host.decoders, 6u);
  EXPECT_EQ(found.host.targets, 8u);
  ASSERT_EQ(found.endpoints.size(), 4u);
  constexpr unsigned kDecoders[] = {1, 2, 10, 4};
  constexpr std::uint64_t kSizes[] = {4, 8, 0x15, 1};
  std::set<std::uint64_t> bars;
  for (unsigned port = 0; port < 4; ++port) {
    const EndpointInfo& e = found.endpoints[port];
    EXPECT_EQ(e.port, port);
    EXPECT_EQ(e.vendor, 0x1234);
    EXPECT_EQ(e.device, 0xc801);
    EXPECT_EQ(e.bytes, kSizes[port] * kChunk);
    EXPECT_EQ(e.hdm.decoders, kDecoders[port]);
    EXPECT_TRUE(e.hdm.low && e.hdm.high);
    EXPECT_EQ(e.max_spec_granules, 4u);
    EXPECT_EQ(e.cxl_dvsec, 0x100u);
    EXPECT_EQ(e.hdm_base % 0x4'0000, 0x1800u);
    EXPECT_EQ(e.vendor_base, e.hdm_base - 0x1800 + 0x1'0000);
    bars.insert(e.hdm_base / 0x4'0000);
  }
  EXPECT_EQ(bars.size(), 4u);  // nobody's BAR is another's
}

// The decoders are found by their ID wherever they stand in the array.
TEST(Enumerate, CapabilityArray) {
  FakeSystem as_it_is(equal(2));
  IoPort io(as_it_is, 1);
  const std::uint64_t block = enumerate(as_it_is, 4).endpoints[1].hdm_base - 0x1800;
  EXPECT_EQ(io.read(block + 0x1000), 0x0311'0001u);
  EXPECT_EQ(io.read(block + 0x1004), 0x8001'0005u);
  EXPECT_EQ(io.read(block + 0x1008), 0x2002'0002u);
  EXPECT_EQ(io.read(block + 0x100c), 0x3002'0004u);
  using Registers = std::map<std::uint32_t, std::uint32_t>;
  for (const Registers& array : {
           Registers{{0x1004, 0x2002'0002}, {0x1008, 0x8001'0005}},
           Registers{{0x1000, 0x0211'0001}, {0x1008, 0x2002'0002}, {0x100c, 0}},
           Registers{{0x1004, 0x3002'0004}, {0x1008, 0x2002'0002}, {0x100c, 0x8001'0005}},
           Registers{
               {0x1000, 0x0311'0001}, {0x1004, 0}, {0x1008, 0x2002'0002}, {0x100c, 0x8001'0005}},
       }) {
    FakeSystem system(std::vector{FakeEndpoint{.memory = array}});
    EXPECT_EQ(enumerate(system, 1).endpoints[0].hdm_base % 0x4'0000, 0x1800u);
  }
  // What stands behind its end is not looked at.
  const Registers cut{{0x1000, 0x0111'0001}, {0x1004, 0x2002'0002}, {0x1008, 0x8001'0005}};
  FakeSystem short_array(std::vector{FakeEndpoint{.memory = cut}});
  expect_refusal(refusal([&] { enumerate(short_array, 1); }), {"port 0", "no HDM decoder"});
}

// The model's endpoint has its RAS structure too, apart from the decoders.
TEST(Enumerate, RasRegisters) {
  namespace ras = regs::ras;
  FakeSystem system(equal(2));
  const SystemInfo found = enumerate(system, 4);
  const std::uint64_t hdm = found.endpoints[2].hdm_base;
  const std::uint64_t base = hdm - 0x800 + 0x200;
  IoPort io(system, 2), other(system, 1);
  EXPECT_EQ(io.read(base + ras::kUncorStatus), 0u);
  EXPECT_EQ(io.read(base + ras::kUncorMask), 0x1'cfffu);
  EXPECT_EQ(io.read(base + ras::kUncorSeverity), 0x1'cfffu);
  EXPECT_EQ(io.read(base + ras::kCorStatus), 0u);
  EXPECT_EQ(io.read(base + ras::kCorMask), 0x7fu);
  EXPECT_EQ(io.read(base + ras::kControl), ras::kControlPoisonEnabled.mask());
  const std::uint32_t decoders = io.read(hdm);
  io.write(base + ras::kUncorMask, 0x55);
  EXPECT_EQ(io.read(base + ras::kUncorMask), 0x55u);
  EXPECT_EQ(io.read(hdm), decoders);
  EXPECT_EQ(other.read(found.endpoints[1].hdm_base - 0x600 + ras::kUncorMask), 0x1'cfffu);
}

// And its link structure, as the root port has in its page: up, initialised, settings of their own.
TEST(Enumerate, LinkRegisters) {
  namespace link = regs::link;
  FakeSystem system(equal(2));
  const SystemInfo found = enumerate(system, 4);
  const std::uint64_t hdm = found.endpoints[2].hdm_base;
  const std::uint64_t base = hdm - 0x800 + 0x300;
  IoPort io(system, 2), other(system, 1);
  EXPECT_EQ(io.read(base), 0x0080'8022u);  // version 2, 128 entries, at both ends
  EXPECT_EQ(io.read(base + 4), 0x0400'0000u);
  EXPECT_EQ(io.read(base + link::kControl), 3u << 3);
  EXPECT_EQ(io.read(base + link::kAckTimer), 0x2010u);
  const std::uint32_t ras = io.read(base - 0x100 + regs::ras::kUncorMask);
  const std::uint32_t decoders = io.read(hdm + 0x8);
  io.write(base + link::kControl, 4);
  io.write(base + link::kAckTimer, 0x104);
  EXPECT_EQ(io.read(base + link::kControl), 4u | 3u << 3);
  EXPECT_EQ(io.read(base + link::kAckTimer), 0x104u);
  EXPECT_EQ(io.read(base - 0x100 + regs::ras::kUncorMask), ras);
  EXPECT_EQ(io.read(hdm + 0x8), decoders);
  EXPECT_EQ(other.read(found.endpoints[1].hdm_base - 0x500 + link::kAckTimer), 0x2010u);
}

constexpr std::uint64_t kMib = 1 << 20;

// Each root port opens one window over what is below it, and nothing else.
TEST(Enumerate, Windows) {
  FakeSystem system(unlike());
  const SystemInfo found = enumerate(system, 4);
  ASSERT_EQ(found.root_ports.size(), 4u);
  std::uint64_t taken = 0xc000'0000;  // what is below has an owner
  for (unsigned port = 0; port < 4; ++port) {
    SCOPED_TRACE(port);
    const RootPortInfo& info = found.root_ports[port];
    EXPECT_EQ(info.port, port);
    EXPECT_EQ(info.vendor, 0x1234);
    EXPECT_EQ(info.device, 0xc800);
    const Bridge bridge = system.bridge(port);
    EXPECT_TRUE(bridge.mem_space);
    EXPECT_EQ(bridge.secondary, port + 1);
    EXPECT_EQ(bridge.subordinate, port + 1);
    EXPECT_FALSE(bridge.alt);
    EXPECT_EQ(bridge.windows.pre_base, 0xfff'ffff'ffffu);  // closed
    EXPECT_EQ(bridge.windows.pre_limit, 0u);
    const std::uint64_t own = bridge.bar0 << 16;
    EXPECT_EQ(info.timeout_base, own + 0x1400);
    EXPECT_GE(own, taken);
    const std::uint64_t begin = bridge.windows.mem_base * kMib;
    const std::uint64_t end = (bridge.windows.mem_limit + 1) * kMib;
    EXPECT_GE(begin, own + 0x1'0000);
    const std::uint64_t bar = found.endpoints[port].hdm_base - 0x1800;
    EXPECT_GE(bar, begin);
    EXPECT_LE(bar + 0x4'0000, end);
    EXPECT_EQ(end - begin, kMib);
    EXPECT_LE(end, 0xe000'0000u);
    taken = end;
  }
}

TEST(Enumerate, OnlyTheWindowIsReached) {
  FakeSystem system(equal(2));
  const SystemInfo found = enumerate(system, 4);
  const std::uint64_t bar = found.endpoints[2].hdm_base - 0x1800;
  IoPort io(system, 2), neighbour(system, 1);
  Function endpoint = endpoint_function(io), bridge = root_port_function(io);
  const auto answers = [](IoPort& by, std::uint64_t address) {
    const IoResponse response =
        by.request({.op = IoOp::kMemRd, .addr = address, .enables = IoPort::kAllBytes});
    const bool there = response.status == CplStatus::kSuccess;
    EXPECT_EQ(response.data, there ? 0x0311'0001u : 0xffff'ffffu);
    return there;
  };
  const auto place = [&](std::uint64_t address) {
    endpoint.write(0x10, static_cast<std::uint32_t>(address));
    endpoint.write(0x14, static_cast<std::uint32_t>(address >> 32));
  };
  EXPECT_TRUE(answers(io, bar + 0x1000));
  EXPECT_FALSE(answers(neighbour, bar + 0x1000));
  for (const std::uint64_t outside :
       {bar - 0x4'0000, bar + kMib, bar + (std::uint64_t{1} << 32), std::uint64_t{0}}) {
    place(outside);
    EXPECT_FALSE(answers(io, outside + 0x1000)) << std::hex << outside;
  }
  place(bar + kMib - 0x4'0000);
  EXPECT_TRUE(answers(io, bar + kMib - 0x4'0000 + 0x1000));
  place(bar);
  EXPECT_TRUE(answers(io, bar + 0x1000));
  bridge.write(config_header::kCommand, config_header::kBusMaster);
  EXPECT_FALSE(answers(io, bar + 0x1000));
  bridge.write(config_header::kCommand, config_header::kMemorySpace);
  EXPECT_TRUE(answers(io, bar + 0x1000));
  bridge.write(0x20, 0x0000'fff0);
  EXPECT_FALSE(answers(io, bar + 0x1000));
  // A second bring-up begins from what it finds.
  bridge.write(0x24, 0xfff0'0000);
  bridge.write(0x28, 0);
  bridge.write(0x2c, 5);
  EXPECT_EQ(enumerate(system, 4).endpoints[2].hdm_base, bar + 0x1800);
  EXPECT_FALSE(system.sized_while_decoding());
  EXPECT_EQ(system.bridge(2).windows.pre_base, 0xfff'ffff'ffffu);
  EXPECT_EQ(system.bridge(2).windows.pre_limit, 0u);
}

TEST(Plan, WithoutInterleaveOfUnlikeSizes) {
  FakeSystem system(unlike());
  const SystemInfo found = enumerate(system, 4);
  const std::vector<HdmRange> ranges = plan_ranges(found, {});
  ASSERT_EQ(ranges.size(), 4u);
  EXPECT_EQ(ranges[0].base, 0x1'0000'0000u);
  for (unsigned port = 0; port < 4; ++port) {
    EXPECT_EQ(ranges[port].ports, std::vector<unsigned>{port});
    EXPECT_EQ(ranges[port].size, unlike()[port].bytes());
  }
  check_ranges(found, ranges);
  program_ranges(system, found, ranges);
  expect_translation(system.translation(), ranges, sizes(unlike()));
}

TEST(Plan, PairsOfEqualSizes) {
  const std::vector<FakeEndpoint> endpoints{
      {.size = 2}, {.size = 2, .decoders = 1}, {.size = 0x11}, {.size = 0x10, .size2 = 1}};
  for (const std::uint64_t granularity : {256u, 1024u, 4096u, 16384u}) {
    FakeSystem system(endpoints, 2);
    const SystemInfo found = enumerate(system, 4);
    const auto ranges = plan_ranges(found, {.ways = 2, .granularity = granularity});
    ASSERT_EQ(ranges.size(), 2u);
    EXPECT_EQ(ranges[0].ports, (std::vector<unsigned>{0, 1}));
    EXPECT_EQ(ranges[1].ports, (std::vector<unsigned>{2, 3}));
    check_ranges(found, ranges);
    program_ranges(system, found, ranges);
    expect_translation(system.translation(), ranges, sizes(endpoints));
  }
}

TEST(Plan, AllFour) {
  for (const std::uint64_t granularity : {256u, 2048u, 4096u, 16384u}) {
    FakeSystem system(equal(3), 1);
    const SystemInfo found = enumerate(system, 4);
    const auto ranges =
        plan_ranges(found, {.base = 0x40'0000'0000, .ways = 4, .granularity = granularity});
    ASSERT_EQ(ranges.size(), 1u);
    EXPECT_EQ(ranges[0].size, 12 * kChunk);
    check_ranges(found, ranges);
    program_ranges(system, found, ranges);
    expect_translation(system.translation(), ranges, sizes(equal(3)));
  }
}

// One endpoint in two ranges: the second begins in its media where the first ended.
TEST(Plan, TwoRangesOfAnEndpoint) {
  FakeSystem system(equal(2));
  const SystemInfo found = enumerate(system, 4);
  const std::vector<HdmRange> ranges{{0x1'0000'0000, 4 * kChunk, 1024, {2, 0, 3, 1}},
                                     {0x10'0000'0000, 2 * kChunk, 4096, {3, 0}},
                                     {0x20'0000'0000, kChunk, 256, {1}},
                                     {0x30'0000'0000, kChunk, 256, {2}}};
  check_ranges(found, ranges);
  program_ranges(system, found, ranges);
  expect_translation(system.translation(), ranges, sizes(equal(2)));
}

RunConfig config_of(const std::vector<HdmRange>& ranges, unsigned ports = 4) {
  RunConfig config;
  config.ports = ports;
  config.hdm = ranges;
  return config;
}

TEST(BringUp, SetsUpEverything) {
  FakeSystem system(equal(4));
  RunConfig config = config_of({{0x1'0000'0000, 16 * kChunk, 1024, {0, 1, 2, 3}}});
  config.root_port.policy = SrPolicy::Sr;
  config.endpoint.ingress_thresholds = {5, 6, 7};
  config.endpoint.mshr_thresholds = {8, 9, 10};
  config.endpoint.backlog_thresholds = {11, 12, 13};
  config.endpoint.task_thresholds = {14, 15, 16};
  config.endpoint.load_margins = {1, 2, 3};
  config.endpoint.egress_congestion = true;
  config.endpoint.egress_percent = {20, 30};
  config.endpoint.egress_interval = 31;
  bring_up(system, config, {.internal_dram = true, .cache_sets_log2 = 7});
  expect_translation(system.translation(), config.hdm, sizes(equal(4)));
  for (unsigned port = 0; port < 4; ++port) {
    const EndpointRegs::Out set = system.vendor(port);
    EXPECT_TRUE(set.dram_enable);
    EXPECT_TRUE(set.len_enable);
    EXPECT_EQ(set.sets_log2, 7u);
    EXPECT_EQ(set.load.measure[0], (LoadMeasure{{5, 6, 7}, 1}));
    EXPECT_EQ(set.load.measure[1], (LoadMeasure{{8, 9, 10}, 2}));
    EXPECT_EQ(set.load.measure[2], (LoadMeasure{{11, 12, 13}, 3}));
    EXPECT_EQ(set.load.measure[3], (LoadMeasure{{14, 15, 16}, 0}));
    EXPECT_TRUE(set.load.throughput_reduction);
    EXPECT_TRUE(set.load.egress_enable);
    EXPECT_EQ(set.load.egress_moderate, 20u);
    EXPECT_EQ(set.load.egress_severe, 30u);
    EXPECT_EQ(set.load.interval, 31u);
    // Directional, length, clip 1 KiB, four ways, 64 stream sets for 256 KiB of internal DRAM.
    EXPECT_EQ(system.root(port, 0x800), 4u | 1u << 4 | 2u << 8 | 3u << 12 | 6u << 16);
    EXPECT_EQ(system.read(RegisterSpace::RootPort, port, 0x008), 0x0003'0012u);  // time-out
    // CXL.mem: DVSEC 0 control.
    system.write(RegisterSpace::RootPort, port, 0x400, (port + 1) << 20 | 0x10c);
    system.write(RegisterSpace::RootPort, port, 0x40c, 0xf0);
    EXPECT_EQ(system.read(RegisterSpace::RootPort, port, 0x408) & 0xffff, 6u);
  }
}

// Bits 5 to 7 of the policy, one key each; by default none.
TEST(BringUp, ReadingsOfSpeculativeRead) {
  const auto policy = [](auto set) {
    FakeSystem system(equal(1));
    RunConfig config = config_of({{0x1'0000'0000, kChunk, 256, {0}}}, 1);
    set(config.root_port);
    bring_up(system, config, {});
    return system.root(0, 0x800) >> 4 & 15;
  };
  EXPECT_EQ(policy([](RootPortConfig&) {}), 1u);
  EXPECT_EQ(policy([](RootPortConfig& rp) { rp.ring_match = RingMatch::Start; }), 1u | 2u);
  EXPECT_EQ(policy([](RootPortConfig& rp) { rp.spec_64b = true; }) & 4u, 4u);
  EXPECT_EQ(policy([](RootPortConfig& rp) { rp.window = SrWindow::Around; }), 1u | 8u);
}

// The stream table remembers what the internal DRAM holds, whatever its lines are.
TEST(BringUp, StreamSetsGoByTheBytesOfTheInternalDram) {
  for (const std::uint32_t line : {64u, 256u, 1024u, 16384u}) {
    for (const unsigned sets_log2 : {0u, 1u, 4u}) {
      std::vector<FakeEndpoint> endpoints = equal(1);
      endpoints[0].memory[0x1'0000 + regs::ep::kCap - regs::ep::kBlock] = 0;  // says nothing
      FakeSystem system(endpoints);
      RunConfig config = config_of({{0x1'0000'0000, kChunk, 256, {0}}}, 1);
      config.endpoint.line_bytes = line;
      bring_up(system, config, {.internal_dram = true, .cache_sets_log2 = sets_log2});
      // Sets of four regions of 1 KiB; at least one.
      const std::uint64_t sets = std::max<std::uint64_t>((8 * line << sets_log2) / 4096, 1);
      EXPECT_EQ(std::uint64_t{1} << (system.root(0, 0x800) >> 16 & 15), sets) << line;
    }
  }
}

TEST(BringUp, PartsOfDevLoadCanBeOff) {
  FakeSystem system(equal(1));
  RunConfig config = config_of({{0x1'0000'0000, kChunk, 256, {0}}}, 1);
  config.endpoint.throughput_reduction = false;
  bring_up(system, config, {});
  const LoadSettings load = system.vendor(0).load;
  EXPECT_FALSE(load.throughput_reduction);
  EXPECT_FALSE(load.egress_enable);
}

TEST(Refuse, InterleaveOverUnlikeSizes) {
  FakeSystem system({{.size = 4}, {.size = 4}, {.size = 4}, {.size = 5}});
  const SystemInfo found = enumerate(system, 4);
  for (const unsigned ways : {2u, 4u}) {
    const unsigned first = ways == 2 ? 2 : 0;
    expect_refusal(refusal([&] { (void)plan_ranges(found, {.ways = ways}); }),
                   {"ports " + std::to_string(first) + " (1024 MiB) and 3 (1280 MiB)", "1 way"});
  }
  EXPECT_EQ(plan_ranges(found, {}).size(), 4u);
  expect_refusal(refusal([&] { (void)plan_ranges(found, {.ways = 3}); }), {"grouped by 3"});
}

TEST(Refuse, WhatIsNotThere) {
  struct Case {
    const char* name;
    FakeEndpoint endpoint;
    std::vector<std::string> line;
  };
  // Headers of the DVSECs: 100h, 140h, 160h, 180h, 1A0h, each naming the next.
  const Case cases[] = {
      {"no endpoint", {.there = false}, {"port 2", "no endpoint", "system.ports"}},
      {"nobody answers", {.config = {{0x000, 0xffff'ffff}}}, {"port 2", "no endpoint"}},
      {"another class", {.config = {{0x008, 0x0302'0001}}}, {"port 2", "030200h", "050210h"}},
      {"a bridge", {.config = {{0x00c, 0x0001'0000}}}, {"port 2", "no CXL memory device"}},
      {"no DVSEC at all", {.config = {{0x100, 0}}}, {"port 2", "no DVSEC 0"}},
      {"no DVSEC 0", {.config = {{0x108, 0x001e'0099}}}, {"port 2", "no DVSEC 0"}},
      {"no DVSEC 7", {.config = {{0x100, 0x1601'0023}}}, {"port 2", "no DVSEC 7"}},
      {"no DVSEC 8", {.config = {{0x140, 0x1801'0023}}}, {"port 2", "no DVSEC 8"}},
      {"no vendor DVSEC", {.config = {{0x160, 0x1a01'0023}}}, {"port 2", "spec_length"}},
      {"endless chain", {.config = {{0x180, 0x1001'0023}}}, {"port 2", "does not end"}},
      {"not trained to mem", {.config = {{0x14c, 0x0022'0000}}}, {"port 2", "CXL.mem"}},
      {"not trained to 2.0", {.config = {{0x14c, 0x0006'0000}}}, {"port 2", "CXL 2.0"}},
      {"no CXL.mem", {.config = {{0x108, 0x001a'0000}}}, {"port 2", "no CXL.mem"}},
      {"no range", {.config = {{0x108, 0x000e'0000}}}, {"port 2", "no HDM range"}},
      {"media not active", {.config = {{0x11c, 0x4000'0001}}}, {"port 2", "range 1", "active"}},
      {"size not valid", {.config = {{0x11c, 0x4000'0002}}}, {"port 2", "range 1", "active"}},
      {"no media", {.config = {{0x118, 0}, {0x11c, 3}}}, {"port 2", "no media"}},
      {"no BAR", {.config = {{0x010, 0}}}, {"port 2", "BAR 0"}},
      {"an I/O BAR", {.config = {{0x010, 0xfffc'0001}}}, {"port 2", "BAR 0"}},
      {"no room", {.config = {{0x010, 0xe000'0004}}}, {"port 2", "do not fit", "fewer ports"}},
      {"BAR 7 named", {.config = {{0x16c, 0x0000'0107}}}, {"port 2", "BAR 7"}},
      {"empty locator", {.config = {{0x16c, 0}}}, {"port 2", "no component registers"}},
      {"no device registers", {.config = {{0x174, 0x0002'0200}}}, {"port 2", "no CXL device"}},
      {"locator of one entry", {.config = {{0x164, 0x0140'1e98}}}, {"port 2", "no CXL device"}},
      {"no mailbox", {.memory = {{0x2'0020, 0x0001'0003}}}, {"port 2", "no primary mailbox"}},
      {"no memory status", {.memory = {{0x2'0030, 0}}}, {"port 2", "no memory device status"}},
      {"array cut short", {.memory = {{0x2'0004, 2}}}, {"port 2", "no memory device status"}},
      {"no device array", {.memory = {{0x2'0000, 0x0001'0001}}}, {"port 2", "no primary mailbox"}},
      {"media not ready", {.memory = {{0x2'0088, 0x10}}}, {"port 2", "ready", "10h"}},
      {"media in error", {.memory = {{0x2'0088, 0x18}}}, {"port 2", "ready", "18h"}},
      {"mailbox not ready", {.memory = {{0x2'0088, 0x04}}}, {"port 2", "ready", "04h"}},
      {"endless command", {.memory = {{0x2'0104, 1}}}, {"port 2", "does not finish", "reset"}},
      {"Identify fails", {.memory = {{0x2'0114, 4}}}, {"port 2", "4000h", "0004h"}},
      {"Identify is short", {.memory = {{0x2'0108, 0x0042'4000}}}, {"port 2", "66 bytes"}},
      {"another capacity", {.memory = {{0x2'0130, 5}}}, {"port 2", "1280 MiB", "1024 MiB"}},
      {"a large capacity", {.memory = {{0x2'0134, 1}}}, {"port 2", "Identify", "1024 MiB"}},
      {"empty array", {.memory = {{0x1000, 0x0011'0001}}}, {"port 2", "no HDM decoder"}},
      {"no array", {.memory = {{0x1000, 0x0111'0000}}}, {"port 2", "no HDM decoder"}},
      {"another structure", {.memory = {{0x1004, 0x8001'0004}}}, {"port 2", "no HDM decoder"}},
      {"does not commit", {.memory = {{0x1820, 0x1a00}}}, {"endpoint 2", "did not commit"}},
      {"decoder in use", {.memory = {{0x1820, 0x0700}}}, {"endpoint 2", "committed already"}},
      {"locked", {.config = {{0x10c, 2}}}, {"port 2", "locked"}},
  };
  for (const Case& c : cases) {
    SCOPED_TRACE(c.name);
    std::vector<FakeEndpoint> endpoints = equal(4);
    endpoints[2] = c.endpoint;
    FakeSystem system(endpoints);
    const RunConfig config = config_of({{0x1'0000'0000, 16 * kChunk, 1024, {0, 1, 2, 3}}});
    expect_refusal(refusal([&] { bring_up(system, config, {}); }), c.line);
  }
  // Without the length nothing but the vendor registers is missing.
  std::vector<FakeEndpoint> endpoints = equal(4);
  endpoints[2].config = {{0x160, 0x1a01'0023}};
  FakeSystem system(endpoints);
  RunConfig config = config_of({{0x1'0000'0000, kChunk, 256, {0}}});
  config.root_port.spec_length = false;
  expect_refusal(refusal([&] { bring_up(system, config, {}); }), {"port 2", "vendor DVSEC"});
  config.root_port.spec_length = config.root_port.spec_64b = true;  // of 64 B: none either
  FakeSystem again(endpoints);
  expect_refusal(refusal([&] { bring_up(again, config, {}); }), {"port 2", "vendor DVSEC"});
}

TEST(Refuse, RootPortsThatAreNone) {
  struct Case {
    const char* name;
    std::map<std::uint32_t, std::uint32_t> config, memory;
    std::vector<std::string> line;
  };
  // Headers of the DVSECs: 100h, 130h, 150h, each naming the next.
  const Case cases[] = {
      {"nobody", {{0x000, 0xffff'ffff}}, {}, {"bus 0, device 2", "system.ports"}},
      {"another class", {{0x008, 0x0502'1001}}, {}, {"050210h", "no bridge", "060400h"}},
      {"type 0", {{0x00c, 0}}, {}, {"type 0 header", "no bridge"}},
      {"no capability", {{0x034, 0}}, {}, {"no PCI Express capability"}},
      {"another capability", {{0x040, 0x0042'0001}}, {}, {"no PCI Express capability"}},
      {"endless chain of capabilities", {{0x040, 0x0042'4001}}, {}, {"no PCI Express capability"}},
      {"another port", {{0x040, 0x0062'0010}}, {}, {"no root port", "type 6"}},
      {"link down", {{0x050, 0x1085'0000}}, {}, {"no endpoint", "link", "system.ports"}},
      {"no DVSEC at all", {{0x100, 0}}, {}, {"no DVSEC 3", "1e98h"}},
      {"no DVSEC 3", {{0x108, 0x0000'0099}}, {}, {"no DVSEC 3"}},
      {"another vendor's", {{0x104, 0x0280'1234}}, {}, {"no DVSEC 3"}},
      {"no DVSEC 7", {{0x100, 0x1501'0023}}, {}, {"no DVSEC 7"}},
      {"no DVSEC 8", {{0x130, 0x0001'0023}}, {}, {"no DVSEC 8"}},
      {"endless chain", {{0x150, 0x1001'0023}}, {}, {"does not end"}},
      {"not trained to mem", {{0x13c, 0x003a'0026}}, {}, {"CXL.mem", "retrain"}},
      {"not trained to 2.0", {{0x13c, 0x001e'0026}}, {}, {"CXL 2.0", "retrain"}},
      {"not trained to io", {{0x13c, 0x003c'0026}}, {}, {"CXL 2.0", "retrain"}},
      {"no BAR", {{0x010, 0}}, {}, {"BAR 0"}},
      {"BAR 2 named", {{0x15c, 0x0000'0102}}, {}, {"BAR 2"}},
      {"empty locator", {{0x15c, 0}}, {}, {"no component registers"}},
      {"empty array", {}, {{0x1000, 0x0011'0001}}, {"no time-out and isolation"}},
      {"no time-out", {}, {{0x100c, 0x4001'0008}}, {"no time-out and isolation"}},
  };
  for (const Case& c : cases) {
    SCOPED_TRACE(c.name);
    std::vector<FakeEndpoint> endpoints = equal(4);
    endpoints[2].port_config = c.config;
    endpoints[2].port_memory = c.memory;
    FakeSystem system(endpoints);
    const RunConfig config = config_of({{0x1'0000'0000, 16 * kChunk, 1024, {0, 1, 2, 3}}});
    std::vector<std::string> line = c.line;
    line.emplace_back("root port 2: ");
    expect_refusal(refusal([&] { bring_up(system, config, {}); }), line);
    EXPECT_FALSE(system.host_written());
  }
}

TEST(Refuse, RangesThatCannotBeBuilt) {
  struct Case {
    const char* name;
    std::vector<HdmRange> ranges;
    std::vector<std::string> line;
  };
  const std::uint64_t base = 0x1'0000'0000;
  // Media: 8, 8, 4, 4 chunks; decoders: host 4, endpoints 4, 1, 4, 4; endpoint 3 interleaves by 4
  // KiB and more only, endpoint 2 by 2 KiB and less.
  const Case cases[] = {
      {"three ways", {{base, 3 * kChunk, 256, {0, 1, 2}}}, {"ranges[0]", "3 ways"}},
      {"no way", {{base, kChunk, 256, {}}}, {"ranges[0]", "0 ways"}},
      {"a port twice", {{base, 2 * kChunk, 256, {1, 1}}}, {"ranges[0]", "twice"}},
      {"no such port", {{base, 2 * kChunk, 256, {0, 4}}}, {"ranges[0]", "port 4"}},
      {"base", {{base + kChunk / 2, kChunk, 256, {0}}}, {"ranges[0]", "base", "256 MiB"}},
      {"size 0", {{base, 0, 256, {0}}}, {"ranges[0]", "size"}},
      {"size", {{base, kChunk / 2, 256, {0}}}, {"ranges[0]", "size", "1 x 256 MiB"}},
      {"size of a set", {{base, 3 * kChunk, 256, {0, 1}}}, {"ranges[0]", "2 x 256 MiB"}},
      {"too high", {{(1ull << 52) - kChunk, 2 * kChunk, 256, {0}}}, {"ranges[0]", "2^52"}},
      {"granularity 128", {{base, 2 * kChunk, 128, {0, 1}}}, {"ranges[0]", "granularity"}},
      {"granularity 32 KiB", {{base, 2 * kChunk, 32768, {0, 1}}}, {"ranges[0]", "granularity"}},
      {"granularity 768", {{base, 2 * kChunk, 768, {0, 1}}}, {"ranges[0]", "granularity"}},
      {"overlap",
       {{base, 2 * kChunk, 256, {0}}, {base + kChunk, kChunk, 256, {2}}},
       {"ranges[1]", "rise"}},
      {"falling", {{base, kChunk, 256, {0}}, {0, kChunk, 256, {2}}}, {"ranges[1]", "rise"}},
      {"too large", {{base, 5 * kChunk, 256, {2}}}, {"1280 MiB", "port 2", "1024 MiB"}},
      {"too large a share", {{base, 10 * kChunk, 256, {0, 2}}}, {"1280 MiB", "port 2"}},
      {"too large together",
       {{base, 4 * kChunk, 256, {2}}, {2 * base, kChunk, 256, {2}}},
       {"1280 MiB", "port 2"}},
      {"too few decoders",
       {{base, kChunk, 256, {1}}, {2 * base, kChunk, 256, {1}}},
       {"2 ranges", "port 1", "1 HDM decoders"}},
      {"too few decoders of the host",
       {{base, kChunk, 256, {0}},
        {2 * base, kChunk, 256, {1}},
        {3 * base, kChunk, 256, {2}},
        {4 * base, kChunk, 256, {3}},
        {5 * base, kChunk, 256, {0}}},
       {"5 ranges", "host bridge", "4 HDM decoders"}},
      {"fine interleave", {{base, 2 * kChunk, 2048, {0, 3}}}, {"port 3", "2048", "4096"}},
      {"coarse interleave", {{base, 2 * kChunk, 4096, {0, 2}}}, {"port 2", "4096", "2048"}},
  };
  std::vector<FakeEndpoint> endpoints{
      {.size = 8}, {.size = 8, .decoders = 1}, {.size = 4}, {.size = 4}};
  endpoints[2].memory = {{0x1800, 0x1902}};  // four decoders, no address bits 14:12
  endpoints[3].memory = {{0x1800, 0x1a02}};
  for (const Case& c : cases) {
    SCOPED_TRACE(c.name);
    FakeSystem system(endpoints);
    expect_refusal(refusal([&] { bring_up(system, config_of(c.ranges), {}); }), c.line);
    EXPECT_FALSE(system.host_written());  // refused before anything was programmed
  }
  // What is right beside it is built.
  for (const HdmRange& range : std::vector<HdmRange>{{base, 4 * kChunk, 256, {2}},
                                                     {base, 2 * kChunk, 4096, {0, 3}},
                                                     {base, 2 * kChunk, 2048, {0, 2}},
                                                     {base, 8 * kChunk, 256, {1}}}) {
    FakeSystem system(endpoints);
    EXPECT_EQ(refusal([&] { bring_up(system, config_of({range}), {}); }), "");
  }
}

// A run that asks for another size than the hardware reports, in either of its pages, or for more
// ports than there are.
TEST(Refuse, SizesThatTheHardwareHasNot) {
  const HdmRange range{0x1'0000'0000, kChunk, 256, {0}};
  const auto said = [&](const std::vector<FakeEndpoint>& endpoints, const RunConfig& config) {
    FakeSystem system(endpoints);
    return refusal([&] { bring_up(system, config, {}); });
  };
  EXPECT_EQ(said(equal(1), config_of({range}, 2)), "");
  std::vector<FakeEndpoint> few = equal(1);
  few.resize(1);
  expect_refusal(said(few, config_of({range}, 2)), {"'system.ports'", "2, but", "RTL has 1"});
  RunConfig config = config_of({range}, 2);
  config.root_port.sr_queue_entries = 8;
  config.places["root_port.sr_queue_entries"] = "own.yaml:7";
  expect_refusal(said(equal(1), config),
                 {"own.yaml:7: key 'root_port.sr_queue_entries'", "8, but", "RTL has 32"});
  config = config_of({range}, 2);
  config.endpoint.mshrs = 64;
  expect_refusal(said(equal(1), config), {"'endpoint.mshrs'", "64, but", "RTL has 128"});
  config = config_of({range}, 2);
  config.root_port.spec_cap_bytes = 256;
  std::vector<FakeEndpoint> longer = equal(1);
  longer[1].port_vendor = {{regs::rp::kSrCap, regs::rp::kSrCapSpecGranules.put(4)}};
  expect_refusal(said(longer, config), {"'root_port.spec_cap_bytes'", "256, but", "RTL has 1024"});
}

// What deterministic store of a root port says of itself: 64 slots, four writes, on.
std::map<std::uint32_t, std::uint32_t> able_to_defer() {
  return {{regs::rp::kDsCap, 4u << 16 | 64}, {regs::rp::kDsStatus, 3}};
}

TEST(DeterministicStore, EachPortHasItsOwnPartOfLocalMemory) {
  namespace rp = regs::rp;
  std::vector<FakeEndpoint> endpoints = equal(4);
  for (FakeEndpoint& e : endpoints) e.port_vendor = able_to_defer();
  FakeSystem system(endpoints);
  RunConfig config = config_of({{0x1'0000'0000, 16 * kChunk, 1024, {0, 1, 2, 3}}});
  config.root_port.ds = true;
  config.root_port.ds_lines = 64;
  config.root_port.ds_writes = config.root_port.ds_max_writes = 4;
  config.root_port.ds_interval = {1, 2, 3, 15};
  config.ds_base = 0x5'fff8'0000;  // the third begins beyond 32 bits more
  bring_up(system, config, {});
  const std::uint64_t bases[] = {0x5'fff8'0000, 0x5'fffc'0000, 0x6'0000'0000, 0x6'0004'0000};
  for (unsigned port = 0; port < 4; ++port) {
    EXPECT_EQ(system.root(port, rp::kDsBaseLow), static_cast<std::uint32_t>(bases[port])) << port;
    EXPECT_EQ(system.root(port, rp::kDsBaseHigh), bases[port] >> 32) << port;
    EXPECT_EQ(system.root(port, rp::kDsInterval), 0xf321u);
    EXPECT_EQ(system.root(port, rp::kDsControl), 0x401u);
  }
}

TEST(DeterministicStore, OffWritesNothing) {
  FakeSystem system(equal(4));
  bring_up(system, config_of({{0x1'0000'0000, 16 * kChunk, 1024, {0, 1, 2, 3}}}), {});
  EXPECT_EQ(system.root(0, regs::rp::kDsControl), 0u);
  EXPECT_EQ(system.root(0, regs::rp::kDsInterval), 0u);
}

TEST(Hints, EachPortIsToldPaceAndUse) {
  namespace rp = regs::rp;
  FakeSystem system(equal(4));
  RunConfig config = config_of({{0x1'0000'0000, 16 * kChunk, 1024, {0, 1, 2, 3}}});
  bring_up(system, config, {});
  for (unsigned port = 0; port < 4; ++port)
    EXPECT_EQ(system.root(port, rp::kHintControl), 0x1f854u);
  config.root_port.hints = false;
  config.root_port.hint_interval = {1, 2, 3, 4};
  FakeSystem others(equal(4));
  bring_up(others, config, {});
  for (unsigned port = 0; port < 4; ++port) EXPECT_EQ(others.root(port, rp::kHintControl), 0x4321u);
}

TEST(Refuse, DeterministicStoreThatIsNotThere) {
  struct Case {
    const char* name;
    std::uint32_t cap, status;
    std::vector<std::string> line;
  };
  const Case cases[] = {
      {"none", 0, 0, {"port 2", "root_port.ds to false"}},
      {"more lines than a region", 4u << 16 | 4097, 3, {"root_port.ds_lines", "4097"}},
      {"fewer writes", 3u << 16 | 64, 3, {"root_port.ds_writes", "RTL has 3"}},
      {"does not go on", 4u << 16 | 64, 2, {"port 2", "does not switch"}},
  };
  for (const Case& c : cases) {
    SCOPED_TRACE(c.name);
    std::vector<FakeEndpoint> endpoints = equal(4);
    for (FakeEndpoint& e : endpoints) e.port_vendor = able_to_defer();
    endpoints[2].port_vendor = {{regs::rp::kDsCap, c.cap}, {regs::rp::kDsStatus, c.status}};
    FakeSystem system(endpoints);
    RunConfig config = config_of({{0x1'0000'0000, 16 * kChunk, 1024, {0, 1, 2, 3}}});
    config.root_port.ds = true;
    config.root_port.ds_lines = 64;
    config.root_port.ds_writes = config.root_port.ds_max_writes = 4;
    expect_refusal(refusal([&] { bring_up(system, config, {}); }), c.line);
  }
}

// More in flight than a port has entries for.
TEST(Refuse, MoreWritesThanAPortHas) {
  std::vector<FakeEndpoint> endpoints = equal(1);
  for (FakeEndpoint& e : endpoints) e.port_vendor = able_to_defer();
  FakeSystem system(endpoints);
  RunConfig config = config_of({{0x1'0000'0000, kChunk, 256, {0}}}, 2);
  config.root_port.ds = true;
  config.root_port.ds_lines = 64;
  config.root_port.ds_writes = 4;
  config.root_port.ds_max_writes = 5;
  expect_refusal(refusal([&] { bring_up(system, config, {}); }),
                 {"port 0", "root_port.ds_max_writes", "4 in flight"});
}

}  // namespace
}  // namespace cxlgpu::test
