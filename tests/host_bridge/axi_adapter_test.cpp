// axi_adapter: the twin in lockstep with the RTL, and its corners by hand.
#include "refmodel/host_bridge/axi_adapter.hpp"

#include <optional>

#include "Vaxi_adapter.h"
#include "tests/common/sys_bits.hpp"

namespace cxlgpu {
namespace {

using test::Clocked;
using test::Lockstep;
using test::Random;

class Pair {
 public:
  Pair() { rtl_.reset(); }

  Lockstep lockstep{"host_bridge/axi_adapter", 0xa41};

  // One cycle: outputs compared, then the edge. The outputs are those before the edge; the request
  // among them is a copy.
  struct Out : AxiAdapter::Out {
    std::optional<MemRequest> request;
  };
  Out step(const AxiAdapter::In& in) {
    drive(in);
    const Out out = compare(in);
    if (!lockstep.ok()) return out;
    twin_.clock(in);
    rtl_.edge();
    return out;
  }
  // The reset is asynchronous: the outputs follow it before any edge.
  void reset(const AxiAdapter::In& in) {
    twin_ = AxiAdapter();
    drive(in);
    rtl_->rst_ni = 0;
    compare(in);
    rtl_.reset();
  }

 private:
  void drive(const AxiAdapter::In& in) {
    // What is always the same while valid is anything else otherwise.
    rtl_->awvalid_i = in.aw.valid;
    rtl_->awid_i = in.aw.id;
    rtl_->awaddr_i = in.aw.addr;
    rtl_->awlen_i = in.aw.valid ? 0 : 3;
    rtl_->awsize_i = in.aw.valid ? 6 : 1;
    rtl_->awburst_i = in.aw.valid ? 1 : 2;
    rtl_->wvalid_i = in.w.valid;
    rtl_->wstrb_i = in.w.strobes;
    test::set_line(rtl_->wdata_i, 0, in.w.data);
    rtl_->wlast_i = in.w.valid;
    rtl_->arvalid_i = in.ar.valid;
    rtl_->arid_i = in.ar.id;
    rtl_->araddr_i = in.ar.addr;
    rtl_->arlen_i = in.ar.valid ? 0 : 3;
    rtl_->arsize_i = in.ar.valid ? 6 : 1;
    rtl_->arburst_i = in.ar.valid ? 1 : 2;
    rtl_->bready_i = in.b_ready;
    rtl_->rready_i = in.r_ready;
    rtl_->req_ready_i = in.req_ready;
    rtl_->rsp_valid_i = in.rsp_valid;
    test::set_sys_rsp(rtl_->rsp_i, in.rsp);
  }
  Out compare(const AxiAdapter::In& in) {
    rtl_.settle();
    Out out{twin_.eval(in), {}};
    lockstep.check("awready_o", rtl_->awready_o, out.aw_ready);
    lockstep.check("wready_o", rtl_->wready_o, out.w_ready);
    lockstep.check("arready_o", rtl_->arready_o, out.ar_ready);
    lockstep.check("req_valid_o", rtl_->req_valid_o, out.req != nullptr);
    if (out.req != nullptr) {
      test::check_sys_req(lockstep, rtl_->req_o, *out.req);
      out.request = *out.req;
    }
    lockstep.check("bvalid_o", rtl_->bvalid_o, out.b_valid);
    if (out.b_valid) {
      lockstep.check("bid_o", rtl_->bid_o, out.id);
      lockstep.check("bresp_o", rtl_->bresp_o, out.resp);
    }
    lockstep.check("rvalid_o", rtl_->rvalid_o, out.r_valid);
    if (out.r_valid) {
      lockstep.check("rid_o", rtl_->rid_o, out.id);
      lockstep.check("rresp_o", rtl_->rresp_o, out.resp);
      lockstep.check("rlast_o", rtl_->rlast_o, 1);
      lockstep.check_bytes("rdata_o", test::get_line(rtl_->rdata_o), out.data);
    }
    lockstep.check("rsp_ready_o", rtl_->rsp_ready_o, out.rsp_ready);
    const auto& trace = rtl_->tr_sys_respond_o;
    lockstep.check("tr_sys_respond_o.valid", test::get_bits(trace, 70, 1), out.responds);
    lockstep.check("tr_sys_respond_o.id", test::get_bits(trace, 54, 16), out.responds ? out.id : 0);
    lockstep.check("tr_sys_respond_o.line", test::get_bits(trace, 8, 46), 0);
    lockstep.check("tr_sys_respond_o.info", test::get_bits(trace, 0, 8),
                   out.responds && out.resp != AxiAdapter::kOkay);
    return out;
  }

  AxiAdapter twin_;
  Clocked<Vaxi_adapter> rtl_;
};

std::uint32_t random_id(Random& random) {
  return static_cast<std::uint32_t>(random.bits(16));
}

AxiAdapter::Address random_address(Random& random) {
  return {true, random_id(random), random.bits(46) * kLineBytes};
}

TEST(AxiAdapter, LockstepWithRtl) {
  Pair pair;
  Random random(pair.lockstep.seed());
  AxiAdapter::In in;
  unsigned writes = 50, datas = 50, reads = 50, req_takes = 50, answers = 50, rsp_takes = 50;
  std::uint64_t taken = 0, passed = 0, beaten = 0, replaced = 0, errors = 0;
  while (pair.lockstep.next()) {
    if (pair.lockstep.cycle() % 256 == 0) {
      for (unsigned* p : {&writes, &datas, &reads, &req_takes, &answers, &rsp_takes}) {
        *p = static_cast<unsigned>(random.percent(30) ? 100 : random.below(101));
      }
    }
    // What is offered stays until taken; what is not valid is anything.
    if (!in.aw.valid) {
      in.aw = random_address(random);
      in.aw.valid = random.percent(writes);
      if (!in.aw.valid) in.aw.addr = random.bits(64);
    }
    if (!in.w.valid) {
      in.w.valid = random.percent(datas);
      in.w.strobes = random.percent(50) ? kAllBytes : random.bits(64);
      in.w.data = test::random_line(random);
    }
    if (!in.ar.valid) {
      in.ar = random_address(random);
      in.ar.valid = random.percent(reads);
      if (!in.ar.valid) in.ar.addr = random.bits(64);
    }
    if (!in.rsp_valid) {
      in.rsp_valid = random.percent(answers);
      in.rsp = test::random_response(random);
    }
    in.req_ready = random.percent(req_takes);
    in.b_ready = random.percent(rsp_takes);
    in.r_ready = random.percent(rsp_takes);
    const Pair::Out out = pair.step(in);
    taken += out.aw_ready || (in.ar.valid && out.ar_ready);
    passed += in.ar.valid && out.ar_ready && in.aw.valid;
    beaten += in.ar.valid && out.aw_ready;
    replaced += out.request && (out.aw_ready || (in.ar.valid && out.ar_ready));
    errors += out.responds && out.resp != AxiAdapter::kOkay;
    if (out.aw_ready) in.aw.valid = in.w.valid = false;
    if (out.ar_ready) in.ar.valid = false;
    if (out.rsp_ready) in.rsp_valid = false;
    if (random.below(5000) == 0) {
      in = {};
      pair.reset(in);
    }
  }
  if (pair.lockstep.cycle() > 100000) {
    EXPECT_GT(taken, 50000u);
    EXPECT_GT(passed, 1000u);
    EXPECT_GT(beaten, 1000u);
    EXPECT_GT(replaced, 10000u);
    EXPECT_GT(errors, 5000u);
  }
}

AxiAdapter::Address at(std::uint32_t id, std::uint64_t addr) {
  return {true, id, addr};
}
AxiAdapter::WriteData write_data(std::uint64_t strobes, std::uint8_t byte) {
  AxiAdapter::WriteData w{true, strobes, {}};
  w.data.fill(byte);
  return w;
}

TEST(AxiAdapter, IdleIsReadyForReadsOnly) {
  Pair pair;
  const Pair::Out out = pair.step({});
  EXPECT_TRUE(out.ar_ready);
  EXPECT_FALSE(out.aw_ready);
  EXPECT_FALSE(out.w_ready);
  EXPECT_FALSE(out.request);
}

TEST(AxiAdapter, AReadPassesHalfAWriteAndLosesToAWholeOne) {
  Pair pair;
  AxiAdapter::In in;
  in.req_ready = true;
  in.aw = at(1, 0xf'ffff'ffff'ffc0);  // the highest line
  in.ar = at(2, 0x1000);
  Pair::Out out = pair.step(in);
  EXPECT_FALSE(out.aw_ready);
  EXPECT_TRUE(out.ar_ready);
  in.ar = at(3, 0x2000);
  in.w = write_data(0x0f, 0xab);
  out = pair.step(in);
  EXPECT_TRUE(out.aw_ready);
  EXPECT_TRUE(out.w_ready);
  EXPECT_FALSE(out.ar_ready);
  ASSERT_TRUE(out.request);
  EXPECT_EQ(out.request->id, 2u);
  EXPECT_FALSE(out.request->is_write);
  EXPECT_EQ(out.request->addr, 0x1000u);
  in.aw.valid = in.w.valid = false;
  out = pair.step(in);
  EXPECT_TRUE(out.ar_ready);
  ASSERT_TRUE(out.request);
  EXPECT_EQ(out.request->id, 1u);
  EXPECT_TRUE(out.request->is_write);
  EXPECT_EQ(out.request->addr, 0xf'ffff'ffff'ffc0u);
  EXPECT_EQ(out.request->byte_enable, 0x0fu);
  EXPECT_EQ(out.request->data, in.w.data);
  in.ar.valid = false;
  out = pair.step(in);
  ASSERT_TRUE(out.request);
  EXPECT_EQ(out.request->id, 3u);
  EXPECT_FALSE(pair.step(in).request);
}

TEST(AxiAdapter, DataBeforeItsAddressWaits) {
  Pair pair;
  AxiAdapter::In in;
  in.req_ready = true;
  in.w = write_data(kAllBytes, 1);
  EXPECT_FALSE(pair.step(in).w_ready);
  in.aw = at(9, 0x40);
  EXPECT_TRUE(pair.step(in).w_ready);
  in.aw.valid = in.w.valid = false;
  EXPECT_TRUE(pair.step(in).request);
}

TEST(AxiAdapter, AStalledRequestStopsAllThreeAndIsReplacedAsItLeaves) {
  Pair pair;
  AxiAdapter::In in;
  in.ar = at(1, 0x40);
  EXPECT_TRUE(pair.step(in).ar_ready);  // empty: needs no req_ready
  in.ar = at(2, 0x80);
  EXPECT_FALSE(pair.step(in).ar_ready);
  in.aw = at(3, 0xc0);
  in.w = write_data(kAllBytes, 1);
  Pair::Out out = pair.step(in);
  EXPECT_FALSE(out.aw_ready);
  EXPECT_FALSE(out.w_ready);
  EXPECT_EQ(out.request->id, 1u);
  in.req_ready = true;
  EXPECT_TRUE(pair.step(in).aw_ready);
  in.aw.valid = in.w.valid = false;
  out = pair.step(in);
  EXPECT_TRUE(out.ar_ready);
  EXPECT_EQ(out.request->id, 3u);
}

TEST(AxiAdapter, ResponsesGoToTheirChannelAndErrorsAreSlvErr) {
  Pair pair;
  for (const bool is_write : {false, true}) {
    for (const bool error : {false, true}) {
      AxiAdapter::In in;
      in.rsp_valid = true;
      in.rsp = {0xbeef, is_write, error, {}};
      in.rsp.data.fill(0x5c);
      (is_write ? in.r_ready : in.b_ready) = true;  // the other channel's ready does not count
      Pair::Out out = pair.step(in);
      EXPECT_EQ(out.b_valid, is_write);
      EXPECT_EQ(out.r_valid, !is_write);
      EXPECT_FALSE(out.rsp_ready);
      EXPECT_FALSE(out.responds);
      in.b_ready = in.r_ready = true;
      out = pair.step(in);
      EXPECT_EQ(out.resp, error ? 2u : 0u);
      EXPECT_TRUE(out.responds);
    }
  }
  AxiAdapter::In idle;
  idle.b_ready = idle.r_ready = true;
  EXPECT_FALSE(pair.step(idle).rsp_ready);
}

}  // namespace
}  // namespace cxlgpu
