// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
// host_bridge: the twin in lockstep with the RTL, and routing by hand.
#include "refmodel/host_bridge/host_bridge.hpp"

#include <array>
#include <deque>
#include <optional>
#include <utility>
#include <vector>

#include "Vhost_bridge.h"
#include "tests/common/fields.hpp"
#include "tests/common/idle.hpp"
#include "tests/common/offer.hpp"
#include "tests/common/requirement.hpp"
#include "tests/common/sys_bits.hpp"
#include "tests/coverage/functional_gtest.hpp"
#include "tests/coverage/pairs_endpoint.hpp"
#include "tests/host_bridge/hdm_program.hpp"

namespace cxlgpu {
namespace {

using test::Clocked;
using test::kGiB;
using test::kHdmChunk;
using test::Lockstep;
using test::Random;

// Built again with the fewest and the most by tests/CMakeLists.txt.
#ifdef CXLGPU_PORTS
constexpr unsigned kPorts = CXLGPU_PORTS;
#else
constexpr unsigned kPorts = 3;
#endif

// Where the address space ends that bring_up() sets up.
constexpr std::uint64_t kTop = (kPorts > 4 ? 5 : 3) * kGiB;

// The register writes that set up: 0..1 GiB four ways over ports 0, 1, 2 and one that is absent,
// 1..2 GiB to a port below the first, 2..3 GiB to the last port; behind it nothing. With more than
// four ports 0..2 and 2..4 GiB eight ways over ports 0 to 7 and 8 to 15, 4..5 GiB to a port below
// the first.
std::deque<HdmDecoder::In> bring_up() {
  std::deque<HdmDecoder::In> script;
  const auto write = [&](std::uint32_t addr, std::uint64_t value) {
    script.push_back({true, true, addr, static_cast<std::uint32_t>(value), 0});
  };
  const auto range = [&](unsigned n, std::uint64_t base, std::uint64_t size, std::uint64_t control,
                         std::uint64_t list) {
    write(test::hdm_base(n), base);
    write(test::hdm_base(n) + 4, base >> 32);
    write(test::hdm_size(n), size);
    write(test::hdm_list(n), list);
    write(test::hdm_list(n) + 4, list >> 32);
    write(test::hdm_control(n), control | test::kHdmCommit);
    script.emplace_back();
  };
  if (kPorts > 4) {
    range(0, 0, 2 * kGiB, 3 << 4 | 1, 0x17161514'13121110);
    range(1, 2 * kGiB, 2 * kGiB, 3 << 4 | 1, 0x1f1e1d1c'1b1a1918);
    range(2, 4 * kGiB, kGiB, 0, 0x0f);
    return script;
  }
  range(0, 0, kGiB, 2 << 4 | 1, 0x13121110);
  range(1, kGiB, kGiB, 0, 0x0f);
  range(2, 2 * kGiB, kGiB, 0, 0x10 + kPorts - 1);
  return script;
}

// Takes a decoder back and gives its range to the same targets in another order: what waits then
// for its way out would be decoded to another.
std::deque<HdmDecoder::In> turn_targets(Random& random) {
  std::deque<HdmDecoder::In> script;
  const unsigned n = static_cast<unsigned>(random.below(2));
  const auto write = [&](std::uint32_t addr, std::uint32_t value) {
    script.push_back({true, true, addr, value, 0});
  };
  const bool eight = kPorts > 4;
  if (n == 1 && !eight) {
    write(test::hdm_control(1), 0);
    write(test::hdm_list(1), 0x0f + static_cast<std::uint32_t>(random.below(kPorts + 1)));
    write(test::hdm_control(1), test::kHdmCommit);
    return script;
  }
  const std::uint32_t first = n == 0 ? 0x10 : 0x18, ways = eight ? 8 : 4;
  const std::uint32_t from = static_cast<std::uint32_t>(random.below(ways));
  std::array<std::uint32_t, 2> list{};
  for (std::uint32_t i = 0; i < ways; ++i) list[i / 4] |= (first + (i + from) % ways) << i % 4 * 8;
  write(test::hdm_control(n), 0);
  write(test::hdm_list(n), list[0]);
  write(test::hdm_list(n) + 4, list[1]);
  write(test::hdm_control(n), (eight ? 3u : 2u) << 4 | 1 | test::kHdmCommit);
  return script;
}

// What met in a cycle. Whether the bridge's own answer leaves its register shows a cycle later: the
// register of its kind is loaded and no port was granted.
class Pairs {
 public:
  void look(HostBridge& bridge, const HostBridge::In& in, const HostBridge::Out& out) {
    const std::array<bool, 2> valid{out.r.has_value(), out.b.has_value()};
    const std::array<bool, 2> ready{in.r_ready, in.b_ready};
    if (last_) {
      const bool leaves = last_->loads[local_write_] && valid[local_write_];
      settle(local_ && leaves);
    }
    const auto rsp = in.rsp_valid & out.rsp_ready;
    Cycle now;
    std::array<unsigned, 2> offered{}, state{};
    for (unsigned k = 0; k < 2; ++k) {
      bool granted = false;
      for (unsigned p = 0; p < kPorts; ++p) {
        if (((in.rsp_valid >> p) & 1) == 0 || in.rsp[p].is_write != (k == 1)) continue;
        ++offered[k];
        granted |= ((rsp >> p) & 1) != 0;
      }
      offered[k] += local_ && local_write_ == (k == 1);
      state[k] = !valid[k] ? 0 : ready[k] ? 1 : 2;
      now.loads[k] = state[k] < 2 && !granted;
    }
    responses_.hit({std::min(offered[0], 2u), state[0], std::min(offered[1], 2u), state[1]});
    if (in.req_valid) {
      const bool waited = last_ && last_->asked && !last_->accepted;
      const auto decoded = route(bridge.decoder(), in.req.addr, kPorts);
      now.port = waited ? last_->port : decoded;
      turned_ += waited && now.port != decoded;
      hinted_ += waited && out.port_hint_valid != 0 && out.port_hint_granule != granule_;
      now.is_write = in.req.is_write;
      now.accepted = out.req_ready;
      now.written = in.registers.valid && in.registers.write;
      const std::uint32_t leaves = out.port_valid & in.port_ready;
      const std::uint32_t own = now.port ? 1u << *now.port : 0u;
      now.another = (leaves & ~own) != 0;
      now.own = !(out.port_valid & own) ? coverage::WayOut::Free
                : leaves & own          ? coverage::WayOut::Leaves
                                        : coverage::WayOut::Stays;
      now.asked = true;
    }
    last_ = now;
    granule_ = out.port_hint_granule;
  }
  void reset() {
    last_.reset();
    local_ = false;
  }
  // Cycles in which a request waits: whose address has become another way out's; in which a granule
  // comes to a port.
  [[nodiscard]] std::uint64_t turned() const { return turned_; }
  [[nodiscard]] std::uint64_t hinted() const { return hinted_; }

 private:
  struct Cycle {
    std::array<bool, 2> loads{};  // R, B: may be loaded, and from no port
    bool asked = false, is_write = false, accepted = false, written = false, another = false;
    std::optional<unsigned> port;
    coverage::WayOut own = coverage::WayOut::Free;
  };
  void settle(bool local_leaves) {
    if (last_->asked) {
      auto way = last_->own;
      if (!last_->port) {
        way = !local_        ? coverage::WayOut::Free
              : local_leaves ? coverage::WayOut::Leaves
                             : coverage::WayOut::Stays;
      }
      EXPECT_EQ(last_->accepted, way != coverage::WayOut::Stays);
      requests_.hit({(last_->port ? 0u : 2u) + last_->is_write, static_cast<unsigned>(way),
                     last_->another, last_->written});
    }
    if (local_leaves) local_ = false;
    if (last_->asked && last_->accepted && !last_->port) {
      local_ = true;
      local_write_ = last_->is_write;
    }
  }

  test::TestCoverage requests_{coverage::host_bridge_requests()};
  test::TestCoverage responses_{coverage::host_bridge_responses()};
  std::optional<Cycle> last_;
  std::uint64_t granule_ = 0, turned_ = 0, hinted_ = 0;
  bool local_ = false, local_write_ = false;  // the bridge's own answer waits; of a write
};

TEST(HostBridge, LockstepWithRtl) {
  Pairs pairs;
  Lockstep lockstep("host_bridge/host_bridge", 0x4b);
  Random random(lockstep.seed());
  Clocked<Vhost_bridge> rtl;
  HostBridge twin(kPorts);
  std::vector<test::Offer> to_port(kPorts, test::Offer("a port"));
  test::Offer to_r("R"), to_b("B"), hint_to_port("a hint");
  test::Idle idle;
  rtl.reset();
  std::deque<HdmDecoder::In> script = bring_up();
  HostBridge::In in;
  unsigned requests = 50, port_takes = 50, answers = 50, rsp_takes = 50;  // percent, as the next
  unsigned hints = 10, hint_takes = 50;
  std::uint64_t routed = 0, several = 0, local = 0, read_last = 0, counts_read = 0;
  std::array<std::uint64_t, kPorts> taken{}, answered{}, hinted{};
  while (lockstep.next()) {
    if (lockstep.cycle() % 500 == 0) {
      for (unsigned* p : {&requests, &port_takes, &answers, &rsp_takes}) {
        *p = static_cast<unsigned>(random.percent(30) ? 100 : random.below(101));
      }
      hints = random.pick(std::array{0u, 1u, 5u, 20u, 100u});
      hint_takes = random.pick(std::array{100u, 100u, 50u, 10u});
    }
    // Some cross from one range to the next, some name what no port serves.
    in.hint_valid = random.percent(hints);
    in.hint_first = random.percent(20)   ? random.bits(44)
                    : random.percent(20) ? (1 + random.below(kTop / kGiB)) * kGiB / 256 - 2
                                         : random.below((kTop + kGiB / 2) / 256);
    in.hint_len = static_cast<unsigned>(random.below(random.percent(5) ? 4096 : 8));
    in.port_hint_ready = 0;
    for (unsigned p = 0; p < kPorts; ++p) {
      in.port_hint_ready |= std::uint32_t{random.percent(hint_takes)} << p;
    }
    rtl->hint_valid_i = in.hint_valid;
    rtl->hint_first_i = in.hint_first;
    rtl->hint_len_i = in.hint_len;
    if (!in.hint_valid) {
      idle.fill(rtl->hint_first_i, 0, 44);
      idle.fill(rtl->hint_len_i, 0, 12);
    }
    rtl->port_hint_ready_i = in.port_hint_ready;
    in.registers = {};
    if (!script.empty()) {
      in.registers = script.front();
      script.pop_front();
    } else {
      if (random.below(200) == 0) script = bring_up();
      if (random.below(200) == 0) script = turn_targets(random);
      in.registers.valid = random.percent(20);
      in.registers.addr = static_cast<std::uint32_t>(4 * random.below(40));
      if (random.percent(30)) in.registers.addr = 0x800 + 4 * random.below(4);
      if (random.percent(2)) in.registers.addr |= 0x800;
    }
    test::set_bits(rtl->reg_req_i, 49, 1, in.registers.valid);
    test::set_bits(rtl->reg_req_i, 48, 1, in.registers.write);
    test::set_bits(rtl->reg_req_i, 32, 16, in.registers.addr);
    test::set_bits(rtl->reg_req_i, 0, 32, in.registers.wdata);
    if (!in.req_valid && random.percent(requests)) {
      in.req_valid = true;
      const std::uint64_t line =
          random.percent(5) ? random.bits(46) : random.below((kTop + kGiB / 2) / kLineBytes);
      in.req = test::random_request(random, line, 50, 20);
      test::set_sys_req(rtl->req_i, in.req);
    } else if (!in.req_valid) {
      idle.fill(rtl->req_i, 0, test::kSysReqBits);
    }
    in.port_ready = 0;
    for (unsigned p = 0; p < kPorts; ++p) {
      in.port_ready |= std::uint32_t{random.percent(port_takes)} << p;
      if (!((in.rsp_valid >> p) & 1) && random.percent(answers)) {
        in.rsp_valid |= 1u << p;
        in.rsp[p] = test::random_response(random);
        test::set_sys_rsp(rtl->port_rsp_i, in.rsp[p], test::kSysRspBits * p);
      } else if (!((in.rsp_valid >> p) & 1)) {
        idle.fill(rtl->port_rsp_i, test::kSysRspBits * p, test::kSysRspBits);
      }
    }
    in.r_ready = random.percent(rsp_takes);
    in.b_ready = random.percent(rsp_takes);
    rtl->req_valid_i = in.req_valid;
    rtl->port_req_ready_i = in.port_ready;
    rtl->port_rsp_valid_i = in.rsp_valid;
    rtl->r_ready_i = in.r_ready;
    rtl->b_ready_i = in.b_ready;
    rtl.settle();
    const HostBridge::Out out = twin.eval(in);
    lockstep.check("req_ready_o", rtl->req_ready_o, out.req_ready);
    lockstep.check("port_req_valid_o", rtl->port_req_valid_o, out.port_valid);
    for (unsigned p = 0; p < kPorts; ++p) {
      if (((out.port_valid >> p) & 1) == 0) continue;
      test::check_sys_req(lockstep, rtl->port_req_o, *out.port_req[p], test::kSysReqBits * p);
    }
    lockstep.check("port_rsp_ready_o & valid", rtl->port_rsp_ready_o & in.rsp_valid,
                   out.rsp_ready & in.rsp_valid);
    lockstep.check("r_valid_o", rtl->r_valid_o, out.r.has_value());
    if (out.r) {
      lockstep.check("r_id_o", rtl->r_id_o, out.r->id);
      lockstep.check("r_error_o", rtl->r_error_o, out.r->error);
      lockstep.check_bytes("r_data_o", test::get_line(rtl->r_data_o), out.r->data);
    }
    lockstep.check("b_valid_o", rtl->b_valid_o, out.b.has_value());
    if (out.b) {
      lockstep.check("b_id_o", rtl->b_id_o, out.b->id);
      lockstep.check("b_error_o", rtl->b_error_o, out.b->error);
    }
    lockstep.check("port_hint_valid_o", rtl->port_hint_valid_o, out.port_hint_valid);
    lockstep.check("port_hint_granule_o", rtl->port_hint_granule_o, out.port_hint_granule);
    hint_to_port.look(rtl->port_hint_valid_o != 0,
                      (rtl->port_hint_valid_o & in.port_hint_ready) != 0, rtl->port_hint_valid_o,
                      rtl->port_hint_granule_o);
    for (unsigned p = 0; p < kPorts; ++p) {
      hinted[p] += (out.port_hint_valid & in.port_hint_ready) >> p & 1;
    }
    if (read_last) lockstep.check("reg_rdata_o", rtl->reg_rdata_o, out.rdata);
    counts_read += read_last == 2 && out.rdata != 0;
    const bool accepted = in.req_valid && out.req_ready;
    lockstep.check("tr_sys_accept_o.valid",
                   test::get_bits(rtl->tr_sys_accept_o, layout::Trace::valid), accepted);
    if (accepted) {
      lockstep.check("tr_sys_accept_o.id", test::get_bits(rtl->tr_sys_accept_o, layout::Trace::id),
                     in.req.id);
      lockstep.check("tr_sys_accept_o.line",
                     test::get_bits(rtl->tr_sys_accept_o, layout::Trace::line),
                     in.req.addr / kLineBytes);
      lockstep.check("tr_sys_accept_o.info",
                     test::get_bits(rtl->tr_sys_accept_o, layout::Trace::info), in.req.is_write);
    }
    pairs.look(twin, in, out);
    for (unsigned p = 0; p < kPorts; ++p) {
      const std::size_t at = test::kSysReqBits * p;
      to_port[p].look((rtl->port_req_valid_o >> p & 1) != 0, (in.port_ready >> p & 1) != 0,
                      test::get_line(rtl->port_req_o, at),
                      test::get_bits(rtl->port_req_o, at + 512, 64),
                      test::get_bits(rtl->port_req_o, at + 576, 64));
    }
    to_r.look(rtl->r_valid_o, in.r_ready, rtl->r_id_o, rtl->r_error_o, rtl->r_data_o);
    to_b.look(rtl->b_valid_o, in.b_ready, rtl->b_id_o, rtl->b_error_o);
    routed += out.port_valid != 0;
    several += (out.port_valid & (out.port_valid - 1)) != 0;
    local += (out.r && out.r->error) || (out.b && out.b->error);
    for (unsigned p = 0; p < kPorts; ++p) {
      taken[p] += (out.port_valid & in.port_ready) >> p & 1;
      answered[p] += (in.rsp_valid & out.rsp_ready) >> p & 1;
    }
    const bool reads = in.registers.valid && !in.registers.write;
    read_last = !reads ? 0 : in.registers.addr < 0x800 ? 1 : 2;
    twin.clock(in);
    rtl.edge();
    if (out.req_ready) in.req_valid = false;
    in.rsp_valid &= ~out.rsp_ready;
    if (random.below(5000) == 0) {  // whatever was in flight
      rtl.reset();
      twin = HostBridge(kPorts);
      script = bring_up();
      pairs.reset();
      for (test::Offer& offer : to_port) offer.forget();
      to_r.forget();
      to_b.forget();
      hint_to_port.forget();
      in = {};
      read_last = 0;
    }
  }
  if (lockstep.cycle() > 100000) {
    EXPECT_GT(routed, 5000u);
    EXPECT_GE(several, kPorts > 1 ? 1000u : 0u);
    EXPECT_GT(local, 1000u);
    EXPECT_GT(counts_read, 500u);
    EXPECT_GT(hint_to_port.stalls(), 1000u);
    EXPECT_GT(pairs.turned(), 200u);
    EXPECT_GT(pairs.hinted(), 1000u);
    for (unsigned p = 0; p < kPorts; ++p) {
      EXPECT_GT(taken[p], 500u) << "port " << p;
      EXPECT_GT(answered[p], 500u) << "port " << p;
      EXPECT_GT(hinted[p], 500u) << "port " << p;
    }
  }
}

// The RTL alone, one request at a time; what is expected of it below is written by hand.
class RtlBridge {
 public:
  RtlBridge() {
    rtl_.reset();
    rtl_->r_ready_i = rtl_->b_ready_i = 1;
  }
  void write(std::uint32_t offset, std::uint32_t value) { access(true, offset, value); }
  std::uint32_t read(std::uint32_t offset) {
    access(false, offset, 0);
    return rtl_->reg_rdata_o;
  }
  // The ports that are offered the request in the next cycles, and the answer to the bus.
  struct Seen {
    std::vector<unsigned> ports;
    std::optional<MemResponse> answer;
  };
  // In this cycle.
  void hint(std::uint64_t first, unsigned len) {
    rtl_->hint_valid_i = 1;
    rtl_->hint_first_i = first;
    rtl_->hint_len_i = len;
  }
  // One cycle; the port that takes a granule, and which.
  std::optional<std::pair<unsigned, std::uint64_t>> step(unsigned hint_ready = (1u << kPorts) - 1) {
    rtl_->port_hint_ready_i = hint_ready;
    rtl_.settle();
    std::optional<std::pair<unsigned, std::uint64_t>> taken;
    for (unsigned p = 0; p < kPorts; ++p) {
      if (((rtl_->port_hint_valid_o & hint_ready) >> p & 1) == 0) continue;
      EXPECT_FALSE(taken);
      taken = {p, rtl_->port_hint_granule_o};
    }
    EXPECT_TRUE(rtl_->port_hint_valid_o != 0 || rtl_->port_hint_granule_o == 0);
    rtl_.edge();
    rtl_->hint_valid_i = 0;
    rtl_.settle();
    return taken;
  }
  // A request that is offered, in this cycle or until the next call; which ports take one.
  void offer(const std::optional<MemRequest>& request, unsigned ready = (1u << kPorts) - 1) {
    if (request) test::set_sys_req(rtl_->req_i, *request);
    rtl_->req_valid_i = request.has_value();
    rtl_->port_req_ready_i = ready;
  }
  // Ports that are offered a request.
  [[nodiscard]] unsigned offered() {
    rtl_.settle();
    return rtl_->port_req_valid_o;
  }
  [[nodiscard]] bool takes_request() {
    rtl_.settle();
    return rtl_->req_ready_o != 0;
  }
  Seen ask(const MemRequest& request) {
    Seen seen;
    test::set_sys_req(rtl_->req_i, request);
    rtl_->req_valid_i = 1;
    rtl_->port_req_ready_i = (1u << kPorts) - 1;
    rtl_.settle();
    EXPECT_TRUE(rtl_->req_ready_o);
    for (unsigned cycle = 0; cycle < 4; ++cycle) {
      rtl_.edge();
      rtl_->req_valid_i = 0;
      rtl_.settle();
      for (unsigned p = 0; p < kPorts; ++p) {
        if (((rtl_->port_req_valid_o >> p) & 1) == 0) continue;
        seen.ports.push_back(p);
        const std::size_t at = test::kSysReqBits * p;
        EXPECT_EQ(test::get_bits(rtl_->port_req_o, at + 623, 16), request.id);
        EXPECT_EQ(test::get_bits(rtl_->port_req_o, at + 622, 1), request.is_write);
        EXPECT_EQ(test::get_bits(rtl_->port_req_o, at + 576, 46), request.addr / kLineBytes);
      }
      EXPECT_FALSE(rtl_->r_valid_o && rtl_->b_valid_o);
      if (rtl_->r_valid_o) {
        seen.answer = {rtl_->r_id_o, false, rtl_->r_error_o != 0, test::get_line(rtl_->r_data_o)};
      } else if (rtl_->b_valid_o) {
        seen.answer = {rtl_->b_id_o, true, rtl_->b_error_o != 0, {}};
      }
    }
    return seen;
  }

 private:
  void access(bool write, std::uint32_t offset, std::uint32_t value) {
    test::set_bits(rtl_->reg_req_i, 49, 1, 1);
    test::set_bits(rtl_->reg_req_i, 48, 1, write);
    test::set_bits(rtl_->reg_req_i, 32, 16, offset);
    test::set_bits(rtl_->reg_req_i, 0, 32, value);
    rtl_.edge();
    test::set_bits(rtl_->reg_req_i, 49, 1, 0);
    if (write) rtl_.edge();  // a commit takes an edge
  }
  Clocked<Vhost_bridge> rtl_;
};

// 0..1 GiB four ways of 256 B over the ports 10h, 11h and 12h and over 0Fh, which is none.
void four_ways(RtlBridge& bridge) {
  ASSERT_TRUE(test::program(bridge, 0, {0, 4 * kHdmChunk, 2, 0, 0x0f121110, true}));
  ASSERT_TRUE(test::program(bridge, 1, {kGiB, kHdmChunk, 0, 0, 0x13, true}));  // the fourth of 3
}

TEST(HostBridge, Routes) {
  test::shows("hdm", "A request goes to the root port that its decoder names",
              "docs/blocks/host_bridge/host_bridge.md");
  RtlBridge bridge;
  four_ways(bridge);
  const auto goes = [&bridge](std::uint64_t hpa, std::vector<unsigned> ports) {
    for (const bool is_write : {false, true}) {
      MemRequest request;
      request.id = 0x5a5a;
      request.is_write = is_write;
      request.addr = hpa;
      const RtlBridge::Seen seen = bridge.ask(request);
      EXPECT_EQ(seen.ports, ports) << std::hex << hpa;
      EXPECT_EQ(seen.answer.has_value(), ports.empty()) << std::hex << hpa;
    }
  };
  goes(0, {0});
  goes(192, {0});
  goes(256, {1});
  goes(512, {2});
  goes(768, {});  // 0Fh: below the first
  goes(1024, {0});
  goes(kGiB - 512, {2});
  goes(kGiB, {});  // 13h: behind the last
  goes(kGiB + kHdmChunk, {});
}

// All 256 target numbers that a decoder can name: kPorts of them are ports, from 10h on.
TEST(HostBridge, EveryTargetNumber) {
  RtlBridge bridge;
  for (unsigned target = 0; target < 256; ++target) {
    ASSERT_TRUE(test::program(bridge, 0, {kGiB, kHdmChunk, 0, 0, target, false}));
    MemRequest request;
    request.addr = kGiB + 64 * target;
    request.is_write = target % 2 != 0;
    const RtlBridge::Seen seen = bridge.ask(request);
    if (target >= 0x10 && target < 0x10 + kPorts) {
      EXPECT_EQ(seen.ports, std::vector<unsigned>{target - 0x10});
      EXPECT_FALSE(seen.answer);
    } else {
      EXPECT_EQ(seen.ports, std::vector<unsigned>{}) << std::hex << target;
      ASSERT_TRUE(seen.answer) << std::hex << target;
      EXPECT_TRUE(seen.answer->error) << std::hex << target;
    }
  }
}

TEST(HostBridge, DecodeErrorAnswer) {
  test::shows("hdm", "An address that no decoder claims is answered with an error",
              "docs/blocks/host_bridge/host_bridge.md");
  RtlBridge bridge;
  four_ways(bridge);
  for (const std::uint64_t hpa :
       {2 * kGiB, (std::uint64_t{1} << 52) - kLineBytes, std::uint64_t{768}, kGiB}) {
    MemRequest read;
    read.id = 77;
    read.addr = hpa;
    const auto of_read = bridge.ask(read).answer;
    ASSERT_TRUE(of_read) << std::hex << hpa;
    EXPECT_TRUE(of_read->error && !of_read->is_write && of_read->id == 77);
    for (const auto byte : of_read->data) EXPECT_EQ(byte, 0xff);
    MemRequest write = read;
    write.id = 0xffff;
    write.is_write = true;
    const auto of_write = bridge.ask(write).answer;
    ASSERT_TRUE(of_write) << std::hex << hpa;
    EXPECT_TRUE(of_write->error && of_write->is_write && of_write->id == 0xffff);
  }
}

// Granules of a hint go to the ports that serve them; what no port serves is passed over. Counted.
TEST(HostBridge, HintsGoToTheirPorts) {
  RtlBridge bridge;
  four_ways(bridge);
  bridge.hint(0, 8);  // nine: 0, 1, 2, none, ..., 0
  std::vector<std::pair<unsigned, std::uint64_t>> seen;
  for (unsigned cycle = 0; cycle < 14; ++cycle) {
    const auto taken = bridge.step();
    const unsigned granule = cycle - 2;
    EXPECT_EQ(taken.has_value(), cycle >= 2 && granule < 9 && granule % 4 != 3) << cycle;
    if (taken) seen.push_back(*taken);
  }
  for (const auto& [port, granule] : seen) EXPECT_EQ(port, granule % 4);
  EXPECT_EQ(seen.size(), 7u);
  bridge.hint(kGiB / 256 - 2, 3);  // to the end of the first range, two to 13h, none
  for (unsigned cycle = 0; cycle < 10; ++cycle) {
    const auto taken = bridge.step();
    EXPECT_EQ(taken.has_value(), cycle == 2);
    if (taken) {
      EXPECT_EQ(*taken, (std::pair<unsigned, std::uint64_t>{2, kGiB / 256 - 2}));
    }
  }
  EXPECT_EQ(bridge.read(0x800), 2u);
  EXPECT_EQ(bridge.read(0x804), 0u);
  EXPECT_EQ(bridge.read(0x808), 2u + 3u);
  EXPECT_EQ(bridge.read(0x80c), 0u);
  bridge.write(0x800, 77);  // read-only
  bridge.write(0x808, 77);
  EXPECT_EQ(bridge.read(0x800), 2u);
  EXPECT_EQ(bridge.read(0x808), 5u);
}

// With a port that takes none, 16 hints are held; more are lost, and counted.
TEST(HostBridge, HintsWithoutRoomAreLost) {
  RtlBridge bridge;
  four_ways(bridge);
  for (unsigned i = 0; i < 20; ++i) {
    bridge.hint(4 * i, 1);
    EXPECT_FALSE(bridge.step(0));
  }
  EXPECT_EQ(bridge.read(0x800), 20u);
  EXPECT_EQ(bridge.read(0x804), 4u);
  std::vector<std::uint64_t> granules;
  for (unsigned cycle = 0; cycle < 60; ++cycle) {
    if (const auto taken = bridge.step()) granules.push_back(taken->second);
  }
  std::vector<std::uint64_t> expected;
  for (unsigned i = 0; i < 16; ++i) expected.insert(expected.end(), {4 * i, 4 * i + 1});
  EXPECT_EQ(granules, expected);
}

// A request is never kept waiting by a hint, and a hint takes no request's first cycle.
TEST(HostBridge, HintsTakeOnlyFreeCycles) {
  RtlBridge bridge;
  four_ways(bridge);
  bridge.hint(0, 2);
  bridge.step();
  MemRequest request;
  for (unsigned i = 0; i < 20; ++i) {
    request.addr = 256 * (i % 3);
    bridge.offer(request);
    EXPECT_TRUE(bridge.takes_request());
    EXPECT_FALSE(bridge.step()) << i;
  }
  bridge.offer(std::nullopt);
  EXPECT_FALSE(bridge.step());  // decoded
  for (unsigned i = 0; i < 3; ++i) EXPECT_TRUE(bridge.step()) << i;
  EXPECT_FALSE(bridge.step());
}

// A request that waits for its way out is in nobody's way but the next request's: from its second
// cycle on a granule a cycle is decoded.
TEST(HostBridge, HintsTakeTheCyclesInWhichARequestWaits) {
  RtlBridge bridge;
  four_ways(bridge);
  MemRequest request;  // to port 0, which takes none
  bridge.offer(request, 0);
  ASSERT_TRUE(bridge.takes_request());
  EXPECT_FALSE(bridge.step());
  request.addr = 64;
  bridge.hint(1, 11);  // 1, 2, none, 0, ...
  bridge.offer(request, 0);
  EXPECT_FALSE(bridge.takes_request());
  EXPECT_FALSE(bridge.step());  // its first cycle: the hint comes
  EXPECT_FALSE(bridge.step());  // its second: granule 1 is decoded
  for (unsigned granule = 1; granule < 13; ++granule) {
    EXPECT_FALSE(bridge.takes_request());
    const auto taken = bridge.step();
    EXPECT_EQ(taken.has_value(), granule % 4 != 3) << granule;
    if (taken) {
      EXPECT_EQ(*taken, (std::pair<unsigned, std::uint64_t>{granule % 4, granule}));
    }
  }
  // The first cycle of the next is its own again.
  bridge.hint(1, 1);
  EXPECT_FALSE(bridge.step());
  bridge.offer(request, 1);
  EXPECT_TRUE(bridge.takes_request());
  EXPECT_FALSE(bridge.step());  // granule 1 is decoded, the request leaves
  bridge.offer(request, 0);
  const auto taken = bridge.step();
  EXPECT_EQ(taken, (std::pair<unsigned, std::uint64_t>{1, 1}));
  EXPECT_FALSE(bridge.step()) << "granule 2, decoded in a request's first cycle";
  EXPECT_TRUE(bridge.step());
}

// Its way out is that of its first cycle, whatever becomes of the decoders and however long it
// waits; one that comes after it is decoded again.
TEST(HostBridge, ARequestKeepsTheWayOutOfItsFirstCycle) {
  for (const std::uint64_t other : {0x11u, 0x0fu}) {  // to port 1, to nobody
    RtlBridge bridge;
    ASSERT_TRUE(test::program(bridge, 0, {0, kHdmChunk, 0, 0, 0x10, false}));
    MemRequest request;
    bridge.offer(request, 0);
    ASSERT_TRUE(bridge.takes_request());
    bridge.step();
    EXPECT_FALSE(bridge.takes_request());
    bridge.step();
    ASSERT_TRUE(test::program(bridge, 0, {0, kHdmChunk, 0, 0, other, false}));
    for (unsigned i = 0; i < 10; ++i) {
      EXPECT_FALSE(bridge.takes_request());
      EXPECT_EQ(bridge.offered(), 1u);
      bridge.step();
    }
    bridge.offer(request, 1);
    EXPECT_TRUE(bridge.takes_request());
    bridge.step();
    bridge.offer(std::nullopt, 0);
    EXPECT_EQ(bridge.offered(), 1u) << "the one that waited";
    bridge.offer(request, 0);
    EXPECT_TRUE(bridge.takes_request()) << "one that comes after it";
    bridge.step();
    bridge.offer(std::nullopt, 0);
    EXPECT_EQ(bridge.offered(), other == 0x11 ? 3u : 1u);
  }
}

TEST(HostBridge, RoundRobin) {
  RoundRobin rr(3);
  EXPECT_EQ(rr.pick(0b000), std::nullopt);
  EXPECT_EQ(rr.pick(0b111), 0u);
  rr.grant(0);
  EXPECT_EQ(rr.pick(0b111), 1u);
  EXPECT_EQ(rr.pick(0b001), 0u);
  rr.grant(2);
  EXPECT_EQ(rr.pick(0b110), 1u);
}

}  // namespace
}  // namespace cxlgpu
