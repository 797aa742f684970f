// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
// host_bridge: the twin in lockstep with the RTL, and routing by hand.
#include "refmodel/host_bridge/host_bridge.hpp"

#include <deque>

#include "Vhost_bridge.h"
#include "tests/common/requirement.hpp"
#include "tests/common/sys_bits.hpp"
#include "tests/host_bridge/hdm_program.hpp"

namespace cxlgpu {
namespace {

using test::Clocked;
using test::kGiB;
using test::kHdmChunk;
using test::Lockstep;
using test::Random;

constexpr unsigned kPorts = 3;

// The register writes that set up: 0..1 GiB four ways over ports 0, 1, 2 and one that is absent,
// 1..2 GiB to a port below the first, 2..3 GiB to port 2; behind it nothing.
std::deque<HdmDecoder::In> bring_up() {
  std::deque<HdmDecoder::In> script;
  const auto write = [&](std::uint32_t addr, std::uint64_t value) {
    script.push_back({true, true, addr, static_cast<std::uint32_t>(value), 0});
  };
  const auto range = [&](unsigned n, std::uint64_t base, std::uint64_t control,
                         std::uint64_t list) {
    write(test::hdm_base(n), base);
    write(test::hdm_size(n), kGiB);
    write(test::hdm_list(n), list);
    write(test::hdm_control(n), control | test::kHdmCommit);
    script.emplace_back();
  };
  range(0, 0, 2 << 4 | 1, 0x13121110);
  range(1, kGiB, 0, 0x0f);
  range(2, 2 * kGiB, 0, 0x12);
  return script;
}

TEST(HostBridge, LockstepWithRtl) {
  Lockstep lockstep("host_bridge/host_bridge", 0x4b);
  Random random(lockstep.seed());
  Clocked<Vhost_bridge> rtl;
  HostBridge twin(kPorts);
  rtl.reset();
  std::deque<HdmDecoder::In> script = bring_up();
  HostBridge::In in;
  unsigned requests = 50, port_takes = 50, answers = 50, rsp_takes = 50;  // percent
  std::uint64_t routed = 0, several = 0, local = 0, read_last = 0;
  while (lockstep.next()) {
    if (lockstep.cycle() % 500 == 0) {
      for (unsigned* p : {&requests, &port_takes, &answers, &rsp_takes}) {
        *p = static_cast<unsigned>(random.percent(30) ? 100 : random.below(101));
      }
    }
    in.registers = {};
    if (!script.empty()) {
      in.registers = script.front();
      script.pop_front();
    } else {
      if (random.below(2000) == 0) script = bring_up();
      in.registers.valid = random.percent(20);
      in.registers.addr = static_cast<std::uint32_t>(4 * random.below(40));
    }
    test::set_bits(rtl->reg_req_i, 49, 1, in.registers.valid);
    test::set_bits(rtl->reg_req_i, 48, 1, in.registers.write);
    test::set_bits(rtl->reg_req_i, 32, 16, in.registers.addr);
    test::set_bits(rtl->reg_req_i, 0, 32, in.registers.wdata);
    if (!in.req_valid && random.percent(requests)) {
      in.req_valid = true;
      const std::uint64_t line =
          random.percent(5) ? random.bits(46) : random.below(7 * kGiB / 2 / kLineBytes);
      in.req = test::random_request(random, line, 50);
      test::set_sys_req(rtl->req_i, in.req);
    }
    in.port_ready = 0;
    for (unsigned p = 0; p < kPorts; ++p) {
      in.port_ready |= std::uint32_t{random.percent(port_takes)} << p;
      if (!((in.rsp_valid >> p) & 1) && random.percent(answers)) {
        in.rsp_valid |= 1u << p;
        in.rsp[p] = test::random_response(random);
        test::set_sys_rsp(rtl->port_rsp_i, in.rsp[p], test::kSysRspBits * p);
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
    if (read_last) lockstep.check("reg_rdata_o", rtl->reg_rdata_o, out.rdata);
    const bool accepted = in.req_valid && out.req_ready;
    lockstep.check("tr_sys_accept_o.valid", test::get_bits(rtl->tr_sys_accept_o, 70, 1), accepted);
    if (accepted) {
      lockstep.check("tr_sys_accept_o.id", test::get_bits(rtl->tr_sys_accept_o, 54, 16), in.req.id);
      lockstep.check("tr_sys_accept_o.line", test::get_bits(rtl->tr_sys_accept_o, 8, 46),
                     in.req.addr / kLineBytes);
      lockstep.check("tr_sys_accept_o.info", test::get_bits(rtl->tr_sys_accept_o, 0, 8),
                     in.req.is_write);
    }
    routed += out.port_valid != 0;
    several += (out.port_valid & (out.port_valid - 1)) != 0;
    local += (out.r && out.r->error) || (out.b && out.b->error);
    read_last = in.registers.valid && !in.registers.write;
    twin.clock(in);
    rtl.edge();
    if (out.req_ready) in.req_valid = false;
    in.rsp_valid &= ~out.rsp_ready;
    if (random.below(5000) == 0) {  // whatever was under way
      rtl.reset();
      twin = HostBridge(kPorts);
      script = bring_up();
      in = {};
      read_last = 0;
    }
  }
  if (lockstep.cycle() > 100000) {
    EXPECT_GT(routed, 5000u);
    EXPECT_GT(several, 1000u);
    EXPECT_GT(local, 1000u);
  }
}

TEST(HostBridge, Routes) {
  test::shows("hdm", "A request goes to the root port that its decoder names",
              "docs/blocks.md, host_bridge");
  HdmDecoder d = test::host_decoder();
  ASSERT_TRUE(test::program(d, 0, {0, 4 * kHdmChunk, 2, 0, 0x0f131110, true}));
  EXPECT_EQ(route(d, 0, 3), 0u);
  EXPECT_EQ(route(d, 256, 3), 1u);
  EXPECT_EQ(route(d, 512, 3), std::nullopt);  // port number 13h is the fourth
  EXPECT_EQ(route(d, 512, 4), 3u);
  EXPECT_EQ(route(d, 768, 4), std::nullopt);  // 0Fh: below the first
  EXPECT_EQ(route(d, 4 * kHdmChunk, 4), std::nullopt);
}

TEST(HostBridge, DecodeErrorAnswer) {
  test::shows("hdm", "An address that no decoder claims is answered with an error",
              "docs/blocks.md, host_bridge");
  MemRequest read;
  read.id = 77;
  const MemResponse a = decode_error_response(read);
  EXPECT_TRUE(a.error && !a.is_write && a.id == 77);
  for (auto byte : a.data) EXPECT_EQ(byte, 0xff);
  MemRequest write = read;
  write.is_write = true;
  EXPECT_TRUE(decode_error_response(write).is_write);
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
