// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
// io_access: the RTL in lockstep with its twin in front of a requester of any speed; and its
// registers by hand.
#include "refmodel/cxl_io/io_access.hpp"

#include <array>

#include "Vio_access.h"
#include "tests/common/bits.hpp"
#include "tests/common/idle.hpp"
#include "tests/common/lockstep.hpp"

namespace cxlgpu::test {
namespace {

class Access {
 public:
  Lockstep run{"cxl_io/io_access", 0x1a};
  IoAccess::In in;
  IoAccess::Out out;  // of the state before the last edge

  Access() { reset(); }
  void reset() {
    twin_ = IoAccess();
    rtl_.reset();
    compare();
  }
  void step() {
    drive();
    rtl_.settle();
    compare();
    rtl_.edge();
    twin_.clock(in);
  }
  [[nodiscard]] IoAccess::Out peek() const { return twin_.eval(); }
  [[nodiscard]] bool busy() const { return twin_.busy(); }

 private:
  void drive() {
    // reg_req_t: wdata 32, addr 16, write 1, valid 1.
    set_bits(rtl_->reg_req_i, 49, 1, in.reg.valid);
    set_bits(rtl_->reg_req_i, 48, 1, in.reg.write);
    set_bits(rtl_->reg_req_i, 32, 16, in.reg.addr);
    set_bits(rtl_->reg_req_i, 0, 32, in.reg.data);
    rtl_->link_up_i = in.link_up;
    rtl_->req_ready_i = in.req_ready;
    rtl_->rsp_valid_i = in.rsp.has_value();
    if (in.rsp) {
      set_bits(rtl_->rsp_i, 32, 3, static_cast<unsigned>(in.rsp->status));
      set_bits(rtl_->rsp_i, 0, 32, in.rsp->data);
    } else {
      idle_.fill(rtl_->rsp_i, 0, 35);
    }
  }
  void compare() {
    out = twin_.eval();
    run.check("reg_rdata_o", rtl_->reg_rdata_o, out.rdata);
    run.check("rsp_ready_o", rtl_->rsp_ready_o, 1);
    run.check("req_valid_o", rtl_->req_valid_o, out.req.has_value());
    if (!out.req) return;
    run.check("req_o.op", get_bits(rtl_->req_o, 100, 3), static_cast<unsigned>(out.req->op));
    run.check("req_o.addr", get_bits(rtl_->req_o, 36, 64), out.req->addr);
    run.check("req_o.be", get_bits(rtl_->req_o, 32, 4), out.req->enables);
    run.check("req_o.data", get_bits(rtl_->req_o, 0, 32), out.req->data);
  }

  Clocked<Vio_access> rtl_;
  Idle idle_;
  IoAccess twin_;
};

TEST(IoAccess, LockstepWithRtl) {
  Access access;
  Random random(access.run.seed());
  constexpr std::array kStatus{CplStatus::kSuccess, CplStatus::kUnsupported, CplStatus::kRetry,
                               CplStatus::kAbort, CplStatus::kNoAnswer};
  std::uint64_t requests = 0, while_busy = 0, responses = 0;
  while (access.run.next()) {
    if (access.run.cycle() % 3000 == 0) access.reset();
    auto& in = access.in;
    in.link_up = random.percent(80);
    in.reg = {.valid = random.percent(60),
              .write = random.percent(60),
              .addr = static_cast<unsigned>(random.bits(16)),
              .data = static_cast<std::uint32_t>(random.bits(32))};
    if (random.percent(80)) in.reg.addr = 0x400 + static_cast<unsigned>(random.below(18));
    const bool offers = access.peek().req.has_value();
    in.req_ready = random.percent(offers ? 30 : 90);
    in.rsp.reset();
    if (access.busy() && !offers && random.percent(20)) {
      in.rsp = IoResponse{random.pick(kStatus), static_cast<std::uint32_t>(random.bits(32))};
    }
    while_busy += access.busy() && in.reg.valid && in.reg.write;
    access.step();
    requests += offers && in.req_ready;
    responses += in.rsp.has_value();
  }
  if (access.run.cycle() > 100000) {
    EXPECT_GT(requests, 2000u);
    EXPECT_GT(responses, 2000u);
    EXPECT_GT(while_busy, 10000u);
  }
}

void write(Access& access, unsigned offset, std::uint32_t value) {
  access.in = {.reg = {.valid = true, .write = true, .addr = offset, .data = value}};
  access.step();
  access.in = {};
}
std::uint32_t read(Access& access, unsigned offset, bool link_up = false) {
  access.in = {.reg = {.valid = true, .addr = offset}, .link_up = link_up};
  access.step();
  access.in = {};
  return access.peek().rdata;
}

TEST(IoAccess, OneRequest) {
  Access access;
  write(access, 0x400, 0x9abc'def0);
  write(access, 0x404, 0x1234'5678);
  write(access, 0x408, 0x0bad'cafe);
  write(access, 0x40c, 0x95);  // MemWr, enables 9
  ASSERT_TRUE(access.peek().req.has_value());
  const IoRequest request = *access.peek().req;
  EXPECT_EQ(request.op, IoOp::kMemWr);
  EXPECT_EQ(request.addr, 0x1234'5678'9abc'def0u);
  EXPECT_EQ(request.enables, 9u);
  EXPECT_EQ(request.data, 0x0bad'cafeu);
  EXPECT_EQ(read(access, 0x40c), 0x8000'0095u);
  for (const unsigned offset : {0x400u, 0x404u, 0x408u, 0x40cu}) write(access, offset, 0x44);
  EXPECT_EQ(access.peek().req->addr, request.addr);  // locked
  access.in.req_ready = true;
  access.step();
  EXPECT_FALSE(access.peek().req.has_value());
  EXPECT_EQ(read(access, 0x40c, true), 0xc000'0095u);
  access.in = {.rsp = IoResponse{CplStatus::kAbort, 0x77}};
  access.step();
  EXPECT_EQ(read(access, 0x40c), 0x495u);
  EXPECT_EQ(read(access, 0x408), 0x77u);
  EXPECT_EQ(read(access, 0x400), 0x9abc'def0u);
  EXPECT_EQ(read(access, 0x410), 0u);
  write(access, 0x40c, 0xf6);  // no such operation
  EXPECT_EQ(read(access, 0x40c), 0x495u);
  write(access, 0x40c, 0xf0);
  EXPECT_TRUE(access.peek().req.has_value());
}

}  // namespace
}  // namespace cxlgpu::test
