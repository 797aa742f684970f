// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
// axi_adapter: the twin in lockstep with the RTL, and its corners by hand.
#include "refmodel/host_bridge/axi_adapter.hpp"

#include <optional>

#include "Vaxi_adapter.h"
#include "tests/common/idle.hpp"
#include "tests/common/offer.hpp"
#include "tests/common/sys_bits.hpp"
#include "tests/coverage/functional_gtest.hpp"
#include "tests/coverage/pairs_endpoint.hpp"

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
    for (test::Offer* offer : {&request_, &read_, &write_}) offer->forget();
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
    rtl_->r_valid_i = in.r.has_value();
    rtl_->b_valid_i = in.b.has_value();
    if (in.r) {
      rtl_->r_id_i = static_cast<std::uint16_t>(in.r->id);
      rtl_->r_error_i = in.r->error;
      test::set_line(rtl_->r_data_i, 0, in.r->data);
    } else {
      idle_.fill(rtl_->r_id_i, 0, 16);
      idle_.fill(rtl_->r_error_i, 0, 1);
      idle_.fill(rtl_->r_data_i, 0, 512);
    }
    if (in.b) {
      rtl_->b_id_i = static_cast<std::uint16_t>(in.b->id);
      rtl_->b_error_i = in.b->error;
    } else {
      idle_.fill(rtl_->b_id_i, 0, 16);
      idle_.fill(rtl_->b_error_i, 0, 1);
    }
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
      lockstep.check("bid_o", rtl_->bid_o, out.b_id);
      lockstep.check("bresp_o", rtl_->bresp_o, out.b_resp);
    }
    lockstep.check("rvalid_o", rtl_->rvalid_o, out.r_valid);
    if (out.r_valid) {
      lockstep.check("rid_o", rtl_->rid_o, out.r_id);
      lockstep.check("rresp_o", rtl_->rresp_o, out.r_resp);
      lockstep.check("rlast_o", rtl_->rlast_o, 1);
      lockstep.check_bytes("rdata_o", test::get_line(rtl_->rdata_o), out.data);
    }
    lockstep.check("r_ready_o", rtl_->r_ready_o, out.r_ready);
    lockstep.check("b_ready_o", rtl_->b_ready_o, out.b_ready);
    check_trace(0, out.responds[0], out.r_id, out.r_resp);
    check_trace(1, out.responds[1], out.b_id, out.b_resp);
    request_.look(rtl_->req_valid_o, in.req_ready, rtl_->req_o);
    read_.look(rtl_->rvalid_o, in.r_ready, rtl_->rid_o, rtl_->rresp_o, rtl_->rdata_o);
    write_.look(rtl_->bvalid_o, in.b_ready, rtl_->bid_o, rtl_->bresp_o);
    return out;
  }

  void check_trace(unsigned channel, bool responds, std::uint32_t id, unsigned resp) {
    const auto& trace = rtl_->tr_sys_respond_o;
    const unsigned at = 71 * channel;
    lockstep.check("tr_sys_respond_o.valid", test::get_bits(trace, at + 70, 1), responds);
    lockstep.check("tr_sys_respond_o.id", test::get_bits(trace, at + 54, 16), responds ? id : 0);
    lockstep.check("tr_sys_respond_o.line", test::get_bits(trace, at + 8, 46), 0);
    lockstep.check("tr_sys_respond_o.info", test::get_bits(trace, at, 8),
                   responds && resp != AxiAdapter::kOkay);
  }

  test::Offer request_{"req_o"}, read_{"R"}, write_{"B"};
  AxiAdapter twin_;
  Clocked<Vaxi_adapter> rtl_;
  test::Idle idle_;
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
  test::TestCoverage pairs(coverage::axi_adapter_pairs());
  bool write_turn = true;
  AxiAdapter::In in;
  unsigned writes = 50, datas = 50, reads = 50, req_takes = 50, answers = 50, rsp_takes = 50;
  std::uint64_t taken = 0, passed = 0, beaten = 0, replaced = 0, errors = 0, together = 0,
                turned = 0;
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
    if (!in.r && random.percent(answers)) in.r = test::random_response(random);
    if (!in.b && random.percent(answers)) in.b = test::random_response(random);
    in.req_ready = random.percent(req_takes);
    in.b_ready = random.percent(rsp_takes);
    in.r_ready = random.percent(rsp_takes);
    const Pair::Out out = pair.step(in);
    taken += out.aw_ready || (in.ar.valid && out.ar_ready);
    passed += in.ar.valid && out.ar_ready && in.aw.valid;
    beaten += in.ar.valid && out.aw_ready;
    replaced += out.request && (out.aw_ready || (in.ar.valid && out.ar_ready));
    errors += out.responds[0] && out.r_resp != AxiAdapter::kOkay;
    errors += out.responds[1] && out.b_resp != AxiAdapter::kOkay;
    together += out.responds[0] && out.responds[1];
    turned += in.ar.valid && out.ar_ready && in.aw.valid && in.w.valid;
    pairs.hit({in.aw.valid + 2u * in.w.valid, in.ar.valid,
               out.request ? (in.req_ready ? 1u : 2u) : 0u, write_turn});
    if (out.aw_ready) write_turn = false;
    if (in.ar.valid && out.ar_ready) write_turn = true;
    if (out.aw_ready) in.aw.valid = in.w.valid = false;
    if (out.ar_ready) in.ar.valid = false;
    if (out.r_ready) in.r.reset();
    if (out.b_ready) in.b.reset();
    if (random.below(5000) == 0) {
      in = {};
      pair.reset(in);
      write_turn = true;
    }
  }
  if (pair.lockstep.cycle() > 100000) {
    EXPECT_GT(taken, 50000u);
    EXPECT_GT(passed, 1000u);
    EXPECT_GT(beaten, 1000u);
    EXPECT_GT(replaced, 10000u);
    EXPECT_GT(errors, 5000u);
    EXPECT_GT(together, 5000u);
    EXPECT_GT(turned, 1000u);
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

TEST(AxiAdapter, AReadPassesHalfAWriteAndTakesTurnsWithAWholeOne) {
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
  in.aw = at(4, 0x3000);  // another write at once: it is the read's turn
  const Line written = in.w.data;
  in.w = write_data(kAllBytes, 0x11);
  out = pair.step(in);
  EXPECT_TRUE(out.ar_ready);
  EXPECT_FALSE(out.aw_ready);
  ASSERT_TRUE(out.request);
  EXPECT_EQ(out.request->id, 1u);
  EXPECT_TRUE(out.request->is_write);
  EXPECT_EQ(out.request->addr, 0xf'ffff'ffff'ffc0u);
  EXPECT_EQ(out.request->byte_enable, 0x0fu);
  EXPECT_EQ(out.request->data, written);
  in.ar.valid = false;
  out = pair.step(in);
  ASSERT_TRUE(out.request);
  EXPECT_EQ(out.request->id, 3u);
  EXPECT_TRUE(out.aw_ready);
  in.aw.valid = in.w.valid = false;
  out = pair.step(in);
  ASSERT_TRUE(out.request);
  EXPECT_EQ(out.request->id, 4u);
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
      MemResponse response{0xbeef, is_write, error, {}};
      response.data.fill(0x5c);
      (is_write ? in.b : in.r) = response;
      (is_write ? in.r_ready : in.b_ready) = true;  // the other channel's ready does not count
      Pair::Out out = pair.step(in);
      EXPECT_EQ(out.b_valid, is_write);
      EXPECT_EQ(out.r_valid, !is_write);
      EXPECT_FALSE(is_write ? out.b_ready : out.r_ready);
      EXPECT_FALSE(out.responds[0] || out.responds[1]);
      in.b_ready = in.r_ready = true;
      out = pair.step(in);
      EXPECT_EQ(is_write ? out.b_resp : out.r_resp, error ? 2u : 0u);
      EXPECT_EQ(out.responds[0], !is_write);
      EXPECT_EQ(out.responds[1], is_write);
    }
  }
}

}  // namespace
}  // namespace cxlgpu
