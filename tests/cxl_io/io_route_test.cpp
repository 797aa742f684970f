// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
// io_route: the RTL in lockstep with its twin among neighbours of any speed; and by hand, every row
// of its tables at its edges.
#include "refmodel/cxl_io/io_route.hpp"

#include <array>

#include "Vio_route.h"
#include "tests/common/idle.hpp"
#include "tests/common/lockstep.hpp"
#include "tests/coverage/pair_bins.hpp"
#include "tests/coverage/pairs_io.hpp"
#include "tests/cxl_io/bridge_bits.hpp"

namespace cxlgpu::test {
namespace {

constexpr std::uint64_t kMib = 1 << 20;
constexpr std::array kStatus{CplStatus::kSuccess, CplStatus::kUnsupported, CplStatus::kRetry,
                             CplStatus::kAbort, CplStatus::kNoAnswer};

class Route {
 public:
  Lockstep run{"cxl_io/io_route", 0x707};
  IoRoute::In in;
  IoRoute::Out out;        // of the inputs of the last step, before its edge
  bool rewritten = false;  // in.bridge is another one from this step on

  Route() { reset(); }
  void reset() {
    twin_ = IoRoute();
    rtl_.reset();
  }
  void step() {
    drive();
    rtl_.settle();
    compare();
    look();
    rtl_.edge();
    twin_.clock(in);
    rewritten = false;
  }
  [[nodiscard]] IoRoute::Out peek() const { return twin_.eval(in); }
  [[nodiscard]] bool waits() const {  // for the page, in a cycle with these inputs
    IoRoute::In free = in;
    free.reg_busy = false;
    return in.reg_busy && twin_.eval(free).reg.valid;
  }

 private:
  void look() {
    meets_.look(twin_.state(),
                {in.req.has_value(), rewritten, in.reg_busy, out.cfg.valid || out.reg.valid,
                 out.down && in.down_ready, in.down_rsp.has_value(), out.rsp && in.rsp_ready});
  }
  template <typename Port>
  static void set_request(Port& port, const IoRequest& r) {
    set_bits(port, 100, 3, static_cast<unsigned>(r.op));
    set_bits(port, 36, 64, r.addr);
    set_bits(port, 32, 4, r.enables);
    set_bits(port, 0, 32, r.data);
  }
  void drive() {
    Vio_route& v = *rtl_;
    v.device_i = static_cast<std::uint8_t>(in.device);
    v.req_valid_i = in.req.has_value();
    if (in.req)
      set_request(v.req_i, *in.req);
    else
      idle_.fill(v.req_i, 0, 103);
    v.rsp_ready_i = in.rsp_ready;
    v.down_ready_i = in.down_ready;
    v.down_rsp_valid_i = in.down_rsp.has_value();
    if (in.down_rsp) {
      set_bits(v.down_rsp_i, 32, 3, static_cast<unsigned>(in.down_rsp->status));
      set_bits(v.down_rsp_i, 0, 32, in.down_rsp->data);
    } else {
      idle_.fill(v.down_rsp_i, 0, 35);
    }
    v.cfg_rdata_i = in.cfg_rdata;
    set_bridge(v.bridge_i, in.bridge);
    v.reg_busy_i = in.reg_busy;
    v.reg_rdata_i = in.reg_rdata;
  }
  // Payload outputs count only with their valid.
  void compare() {
    Vio_route& v = *rtl_;
    out = twin_.eval(in);
    run.check("req_ready_o", v.req_ready_o, out.req_ready);
    run.check("down_rsp_ready_o", v.down_rsp_ready_o, out.down_rsp_ready);
    run.check("rsp_valid_o", v.rsp_valid_o, out.rsp.has_value());
    if (out.rsp) {
      run.check("rsp_o.status", get_bits(v.rsp_o, 32, 3), static_cast<unsigned>(out.rsp->status));
      run.check("rsp_o.data", get_bits(v.rsp_o, 0, 32), out.rsp->data);
    }
    run.check("down_valid_o", v.down_valid_o, out.down.has_value());
    if (out.down) {
      run.check("down_o.op", get_bits(v.down_o, 100, 3), static_cast<unsigned>(out.down->op));
      run.check("down_o.addr", get_bits(v.down_o, 36, 64), out.down->addr);
      run.check("down_o.be", get_bits(v.down_o, 32, 4), out.down->enables);
      run.check("down_o.data", get_bits(v.down_o, 0, 32), out.down->data);
    }
    run.check("cfg_req_o.valid", get_bits(v.cfg_req_o, 47, 1), out.cfg.valid);
    run.check("cfg_req_o.write", get_bits(v.cfg_req_o, 46, 1), out.cfg.write);
    run.check("cfg_req_o.word", get_bits(v.cfg_req_o, 36, 10), out.cfg.word);
    run.check("cfg_req_o.be", get_bits(v.cfg_req_o, 32, 4), out.cfg.enables);
    run.check("cfg_req_o.wdata", get_bits(v.cfg_req_o, 0, 32), out.cfg.data);
    run.check("reg_req_o.valid", get_bits(v.reg_req_o, 49, 1), out.reg.valid);
    run.check("reg_req_o.write", get_bits(v.reg_req_o, 48, 1), out.reg.write);
    run.check("reg_req_o.addr", get_bits(v.reg_req_o, 32, 16), out.reg.addr);
    run.check("reg_req_o.wdata", get_bits(v.reg_req_o, 0, 32), out.reg.data);
  }

  Clocked<Vio_route> rtl_;
  Idle idle_;
  IoRoute twin_;
  PairBins meets_{coverage::io_route_pairs()};
};

// ---- random ------------------------------------------------------------------------------------

// Base and limit close to each other, one in four the wrong way round.
BridgeWindows random_windows(Random& random) {
  const auto pair = [&](unsigned width, std::uint64_t& base, std::uint64_t& limit) {
    const std::uint64_t last = (std::uint64_t{1} << width) - 1;
    base =
        random.percent(20) ? random.pick(std::array{std::uint64_t{0}, last}) : random.bits(width);
    limit = (base + random.below(5) - 1) & last;
    if (random.percent(5)) limit = random.bits(width);
  };
  BridgeWindows windows;
  pair(12, windows.mem_base, windows.mem_limit);
  pair(44, windows.pre_base, windows.pre_limit);
  // Below 4 GiB, where the other window is, or just above it.
  if (random.percent(40)) {
    windows.pre_base &= 0x1fff;
    windows.pre_limit = windows.pre_base + random.below(4);
  }
  return windows;
}

Bridge random_bridge(Random& random) {
  const auto bus = [&] { return static_cast<unsigned>(random.percent(15) ? 0 : random.bits(8)); };
  Bridge b;
  b.mem_space = random.percent(85);
  b.bar0 = random.percent(50) ? 0xc000 + random.below(16) : random.bits(48);
  b.secondary = bus();
  b.subordinate = (b.secondary + static_cast<unsigned>(random.below(5)) - 1) & 0xff;
  b.windows = random_windows(random);
  b.alt = random.percent(50);
  b.alt_bus_base = bus();
  b.alt_bus_limit = (b.alt_bus_base + static_cast<unsigned>(random.below(5)) - 1) & 0xff;
  b.alt_windows = random_windows(random);
  return b;
}

std::uint64_t near_edge(Random& random, std::uint64_t base, std::uint64_t limit) {
  const std::uint64_t from = random.percent(50) ? base * kMib : (limit + 1) * kMib;
  return from + random.below(8) - 4 + (random.percent(20) ? kMib : 0);
}

std::uint64_t random_address(Random& random, const Bridge& b) {
  constexpr std::uint64_t kRegisters[] = {0x1000, 0x1010, 0x1200, 0x1280, 0x1300, 0x1200,
                                          0x1340, 0x1400, 0x1410, 0x0000, 0x2000};
  const BridgeWindows& w = random.percent(60) ? b.windows : b.alt_windows;
  switch (random.below(8)) {
    case 0:
      return random.bits(64);
    case 1:
    case 2:
      return near_edge(random, w.mem_base, w.mem_limit) |
             (random.percent(15) ? std::uint64_t{1} << (32 + random.below(32)) : 0);
    case 3:
      return near_edge(random, w.pre_base, w.pre_limit);
    case 4:
      return (b.bar0 << 16) + random.below(0x1'0020) - 0x10;
    default:
      return (b.bar0 << 16) + random.pick(kRegisters) + random.below(0x90) - 8;
  }
}

std::uint64_t random_function(Random& random, unsigned device, const Bridge& b) {
  const unsigned edges[] = {0,
                            b.secondary,
                            b.subordinate,
                            b.alt_bus_base,
                            b.alt_bus_limit,
                            static_cast<unsigned>(random.bits(8))};
  unsigned bus = random.pick(edges);
  if (random.percent(30)) bus += static_cast<unsigned>(random.below(3)) - 1;
  const std::uint64_t number = random.percent(70) ? device : random.bits(5);
  const std::uint64_t function = random.percent(80) ? 0 : random.bits(3);
  // The bits above the bus count for nothing.
  return random.bits(36) << 28 | std::uint64_t{bus & 0xff} << 20 | number << 15 | function << 12 |
         random.bits(12);
}

IoRequest random_request(Random& random, unsigned device, const Bridge& b) {
  // Memory requests twice as often.
  IoRequest r{.op = static_cast<IoOp>(random.percent(50) ? 4 + random.below(2) : random.below(6)),
              .enables = static_cast<unsigned>(random.percent(60) ? 0xf : random.bits(4)),
              .data = static_cast<std::uint32_t>(random.bits(32))};
  if (random.percent(10)) r.enables = 0;
  r.addr = is_memory(r.op) ? random_address(random, b) : random_function(random, device, b);
  return r;
}

TEST(IoRoute, LockstepWithRtl) {
  Route route;
  Random random(route.run.seed());
  std::array<std::uint64_t, 8> answers{};  // by status
  std::array<std::uint64_t, 6> down{};     // by op
  std::uint64_t config = 0, registers = 0, waits = 0;
  unsigned eager = 50;
  while (route.run.next()) {
    const std::uint64_t cycle = route.run.cycle();
    auto& in = route.in;
    if (cycle % 20000 == 0) route.reset();
    if (cycle % 500 == 1) {
      eager = static_cast<unsigned>(30 + random.below(71));
      in.device = static_cast<unsigned>(random.bits(5));
    }
    if (random.percent(1)) {
      in.bridge = random_bridge(random);
      route.rewritten = true;
    }
    if (route.out.req_ready) in.req.reset();  // taken, else it stays
    if (!in.req && random.percent(eager)) {
      in.req = random_request(random, in.device, in.bridge);
    }
    in.rsp_ready = random.percent(eager);
    in.down_ready = random.percent(eager);
    in.down_rsp.reset();
    if (route.peek().down_rsp_ready && random.percent(eager)) {
      in.down_rsp = IoResponse{random.pick(kStatus), static_cast<std::uint32_t>(random.bits(32))};
    }
    in.cfg_rdata = static_cast<std::uint32_t>(random.bits(32));
    in.reg_rdata = static_cast<std::uint32_t>(random.bits(32));
    in.reg_busy = random.percent(40);
    waits += route.waits();
    route.step();
    config += route.out.cfg.valid;
    registers += route.out.reg.valid;
    if (route.out.rsp && in.rsp_ready) ++answers[static_cast<std::size_t>(route.out.rsp->status)];
    if (route.out.down && in.down_ready) ++down[static_cast<std::size_t>(route.out.down->op)];
  }
  if (route.run.cycle() > 100000) {
    for (const CplStatus status : kStatus)
      EXPECT_GT(answers[static_cast<std::size_t>(status)], 200u) << static_cast<unsigned>(status);
    for (std::size_t op = 0; op < down.size(); ++op) EXPECT_GT(down[op], 200u) << op;
    EXPECT_GT(config, 1000u);
    EXPECT_GT(registers, 1000u);
    EXPECT_GT(waits, 500u);
  }
}

// ---- by hand -----------------------------------------------------------------------------------

// Where one request ended up, everybody else being quick.
struct Outcome {
  IoResponse response;
  std::optional<IoRequest> down = std::nullopt;
  CfgAccess cfg = {};
  RegAccess reg = {};
};
constexpr std::uint32_t kCfgData = 0xc0f6'c0f6, kRegData = 0x4e65'4e65, kDownData = 0xd030'd030;

Outcome request(Route& route, const IoRequest& request) {
  Outcome found;
  route.in.req = request;
  route.in.rsp_ready = route.in.down_ready = true;
  route.in.cfg_rdata = kCfgData;
  route.in.reg_rdata = kRegData;
  for (unsigned i = 0; i < 20; ++i) {
    route.in.down_rsp.reset();
    if (route.peek().down_rsp_ready) route.in.down_rsp = IoResponse{CplStatus::kSuccess, kDownData};
    route.step();
    route.in.req.reset();
    if (route.out.down) found.down = route.out.down;
    if (route.out.cfg.valid) found.cfg = route.out.cfg;
    if (route.out.reg.valid) found.reg = route.out.reg;
    if (route.out.rsp) {
      found.response = *route.out.rsp;
      return found;
    }
  }
  ADD_FAILURE() << "no answer";
  return found;
}
Outcome config_read(Route& route, unsigned bus, unsigned device = 0, unsigned function = 0) {
  return request(route, {.op = IoOp::kCfgRd0,
                         .addr = std::uint64_t{bus} << 20 | device << 15 | function << 12 | 0xabc,
                         .enables = 0xf});
}
Outcome memory_read(Route& route, std::uint64_t address) {
  return request(route, {.op = IoOp::kMemRd, .addr = address, .enables = 0xf});
}
const IoResponse kRefused{CplStatus::kUnsupported, 0xffff'ffff};

TEST(IoRoute, ConfigurationByBus) {
  Route route;
  route.in.device = 3;
  Outcome own = config_read(route, 0, 3);
  EXPECT_EQ(own.response, (IoResponse{CplStatus::kSuccess, kCfgData}));
  EXPECT_EQ(own.cfg, (CfgAccess{.valid = true, .word = 0xabc / 4}));
  own = request(route,
                {.op = IoOp::kCfgWr1, .addr = 3 << 15 | 0x19, .enables = 0b0110, .data = 0x1234});
  EXPECT_EQ(own.response, (IoResponse{CplStatus::kSuccess, 0}));
  EXPECT_EQ(own.cfg, (CfgAccess{true, true, 0x18 / 4, 0b0110, 0x1234}));
  // Nobody else is on bus 0, whatever the buses below.
  for (const bool all : {false, true}) {
    route.in.bridge.subordinate = all ? 0xff : 0;
    route.in.bridge.alt = all;
    EXPECT_EQ(config_read(route, 0, 2).response, kRefused);
    EXPECT_EQ(config_read(route, 0, 3, 1).response, kRefused);
  }

  struct Case {
    unsigned bus, secondary, subordinate;
    bool alt;
    unsigned alt_base, alt_limit;
    std::optional<IoOp> down;
  };
  constexpr auto kType0 = IoOp::kCfgRd0, kType1 = IoOp::kCfgRd1;
  const Case cases[] = {{4, 5, 7, false, 0, 0, std::nullopt},  {5, 5, 7, false, 0, 0, kType0},
                        {6, 5, 7, false, 0, 0, kType1},        {7, 5, 7, false, 0, 0, kType1},
                        {8, 5, 7, false, 0, 0, std::nullopt},  {5, 5, 0, false, 0, 0, kType0},
                        {1, 0, 7, false, 0, 0, kType1},        {8, 5, 7, false, 8, 9, std::nullopt},
                        {7, 0, 0, true, 8, 10, std::nullopt},  {8, 0, 0, true, 8, 10, kType0},
                        {9, 0, 0, true, 8, 10, kType1},        {10, 0, 0, true, 8, 10, kType1},
                        {11, 0, 0, true, 8, 10, std::nullopt}, {1, 0, 0, true, 0, 10, kType1},
                        {8, 0, 0, true, 8, 7, std::nullopt},   {9, 0, 0, true, 8, 8, std::nullopt},
                        {6, 5, 7, true, 6, 6, kType0},  // next to the port by one of the two
                        {255, 255, 255, false, 0, 0, kType0}};
  for (const Case& c : cases) {
    SCOPED_TRACE(testing::Message() << "bus " << c.bus << " of " << c.secondary << ".."
                                    << c.subordinate << ", " << c.alt_base << ".." << c.alt_limit);
    route.in.bridge = {.secondary = c.secondary,
                       .subordinate = c.subordinate,
                       .alt = c.alt,
                       .alt_bus_base = c.alt_base,
                       .alt_bus_limit = c.alt_limit};
    const Outcome found = config_read(route, c.bus, 3);
    EXPECT_FALSE(found.cfg.valid);
    ASSERT_EQ(found.down.has_value(), c.down.has_value());
    if (c.down) {
      EXPECT_EQ(found.down->op, *c.down);
      EXPECT_EQ(found.response, (IoResponse{CplStatus::kSuccess, kDownData}));
    } else {
      EXPECT_EQ(found.response, kRefused);
    }
  }
}

TEST(IoRoute, MemoryByWindow) {
  struct Case {
    std::uint64_t address;
    bool down;
  };
  const std::uint64_t high = 0x1234'5678'0000'0000;
  const Case cases[] = {
      {0xc10f'fffc, false},      {0xc110'0000, true},         {0xc12f'fffc, true},
      {0xc130'0000, false},      {high | 0xc110'0000, false}, {high + 0x3ff'fffc, false},
      {high + 0x400'0000, true}, {high + 0x4ff'fffc, true},   {high + 0x500'0000, false}};
  for (const bool alt : {false, true}) {
    Route route;
    Bridge& bridge = route.in.bridge;
    const BridgeWindows windows{0xc11, 0xc12, (high >> 20) + 0x40, (high >> 20) + 0x4f};
    const BridgeWindows none{0xfff, 0, 0xfff'ffff'ffff, 0};
    bridge.windows = alt ? none : windows;
    bridge.alt_windows = alt ? windows : none;
    bridge.bar0 = 0x77;
    for (const unsigned on : {0, 1, 2, 3}) {
      bridge.mem_space = (on & 1) != 0;
      bridge.alt = (on & 2) != 0;
      for (const Case& c : cases) {
        SCOPED_TRACE(testing::Message() << std::hex << c.address << (alt ? " alt" : "") << on);
        const Outcome found = memory_read(route, c.address);
        EXPECT_EQ(found.down.has_value(), c.down && (alt ? bridge.alt : bridge.mem_space));
        if (found.down) {
          EXPECT_EQ(found.down->addr, c.address);
        } else {
          EXPECT_EQ(found.response, kRefused);
        }
      }
    }
  }
  // A write goes down as it is, and what comes back is passed on.
  Route route;
  route.in.bridge = {.mem_space = true, .bar0 = 0x77, .windows = {.mem_base = 5, .mem_limit = 5}};
  const IoRequest write{.op = IoOp::kMemWr, .addr = 0x51'2343, .enables = 9, .data = 0x1111'2222};
  const Outcome found = request(route, write);
  ASSERT_TRUE(found.down.has_value());
  EXPECT_EQ(found.down->op, write.op);
  EXPECT_EQ(found.down->addr, write.addr);
  EXPECT_EQ(found.down->enables, write.enables);
  EXPECT_EQ(found.down->data, write.data);
  EXPECT_EQ(found.response.data, kDownData);
}

TEST(IoRoute, OwnRegisters) {
  Route route;
  route.in.bridge = {.mem_space = true,
                     .bar0 = 0xf'c012,
                     .windows = {.pre_limit = 0xfff'ffff'ffff}};  // BAR0 is asked first
  constexpr std::uint64_t kBar0 = 0xf'c012'0000;
  for (unsigned offset = 0; offset < 0x1'0000; offset += 4) {
    const Outcome read = memory_read(route, kBar0 + offset + offset % 3);
    std::uint32_t constant = 0;
    if (offset == 0x1000) constant = 0x0511'0001;
    if (offset == 0x1004) constant = 0x2002'0002;
    if (offset == 0x1008) constant = 0x3002'0004;
    if (offset == 0x100c) constant = 0x4001'0009;
    if (offset == 0x1010) constant = 0x4101'0006;
    if (offset == 0x1014) constant = 0x4201'0008;
    std::optional<unsigned> page;
    if (offset >= 0x1200 && offset <= 0x127f) page = 0x100 + offset % 0x80;
    if (offset >= 0x1300 && offset <= 0x133f) page = 0x200 + offset % 0x40;
    if (offset >= 0x1400 && offset <= 0x140f) page = offset % 0x10;
    ASSERT_FALSE(read.down.has_value());
    ASSERT_EQ(read.response, (IoResponse{CplStatus::kSuccess, page ? kRegData : constant}))
        << std::hex << offset;
    ASSERT_EQ(read.reg.valid, page.has_value()) << std::hex << offset;
    if (page) {
      ASSERT_EQ(read.reg.addr, *page);
    }
    if (offset % 0x100 > 0x10 && offset % 0x100 < 0xf0) continue;
    const Outcome write =
        request(route, {.op = IoOp::kMemWr, .addr = kBar0 + offset, .enables = 0xf, .data = 7});
    ASSERT_EQ(write.response, (IoResponse{CplStatus::kSuccess, 0}));
    ASSERT_EQ(write.reg.valid, page.has_value()) << std::hex << offset;
    if (page) {
      ASSERT_EQ(write.reg, (RegAccess{true, true, *page, 7}));
    }
  }
  for (unsigned enables = 0; enables < 16; ++enables) {
    for (const unsigned offset : {0x1408u, 0x1000u, 0x2000u}) {
      const Outcome write = request(
          route, {.op = IoOp::kMemWr, .addr = kBar0 + offset, .enables = enables, .data = 7});
      const bool whole = enables == 0xf || enables == 0;
      EXPECT_EQ(write.response, (IoResponse{whole ? CplStatus::kSuccess : CplStatus::kAbort, 0}));
      EXPECT_EQ(write.reg.valid, enables == 0xf && offset == 0x1408);
      const Outcome read =
          request(route, {.op = IoOp::kMemRd, .addr = kBar0 + offset, .enables = enables});
      EXPECT_EQ(read.response.status, CplStatus::kSuccess);
      EXPECT_EQ(read.reg.valid, offset == 0x1408);
    }
  }
}

// Software has the page for a while: the request waits, and then reads what is there.
TEST(IoRoute, WaitsForThePage) {
  Route route;
  route.in.bridge = {.mem_space = true, .bar0 = 1};
  route.in.req = IoRequest{.op = IoOp::kMemRd, .addr = 0x1'1400, .enables = 0xf};
  route.in.reg_busy = route.in.rsp_ready = true;
  route.step();
  route.in.req.reset();
  for (unsigned i = 0; i < 10; ++i) {
    route.in.reg_rdata = i;
    route.step();
    EXPECT_FALSE(route.out.reg.valid || route.out.rsp || route.out.req_ready);
  }
  route.in.reg_busy = false;
  route.step();
  EXPECT_TRUE(route.out.reg.valid);
  route.in.reg_busy = true;  // no longer its business
  route.in.reg_rdata = 0x55;
  route.step();
  EXPECT_FALSE(route.out.reg.valid);
  route.in.reg_rdata = 0x66;
  route.step();
  ASSERT_TRUE(route.out.rsp.has_value());
  EXPECT_EQ(*route.out.rsp, (IoResponse{CplStatus::kSuccess, 0x55}));
  route.step();
  EXPECT_TRUE(route.out.req_ready);
}

// What comes from below is passed on as it is.
TEST(IoRoute, AnswersFromBelow) {
  for (const CplStatus status : kStatus) {
    Route route;
    route.in.bridge.secondary = 1;
    route.in.req = IoRequest{.op = IoOp::kCfgRd0, .addr = 1 << 20, .enables = 0xf};
    route.in.down_ready = true;
    route.step();
    route.in.req.reset();
    while (!route.peek().down_rsp_ready) route.step();
    route.in.down_rsp = IoResponse{status, 0x1357'9bdf};
    route.step();
    route.in.down_rsp.reset();
    for (unsigned i = 0; i < 3; ++i) route.step();
    ASSERT_TRUE(route.out.rsp.has_value());
    EXPECT_EQ(*route.out.rsp, (IoResponse{status, 0x1357'9bdf}));
  }
}

}  // namespace
}  // namespace cxlgpu::test
