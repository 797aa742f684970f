// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
// axi_adapter: the twin in lockstep with the RTL, and its corners by hand.
#include "refmodel/host_bridge/axi_adapter.hpp"

#include <optional>

#include "Vaxi_adapter.h"
#include "tests/common/fields.hpp"
#include "tests/common/offer.hpp"
#include "tests/common/sys_bits.hpp"
#include "tests/coverage/functional_gtest.hpp"
#include "tests/coverage/pairs_endpoint.hpp"

namespace cxlgpu {
namespace {

using layout::AxiAddr;
using layout::AxiB;
using layout::AxiHint;
using layout::AxiR;
using layout::AxiReq;
using layout::AxiRsp;
using layout::AxiW;
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
    auto& bus = rtl_->axi_req_i;
    drive_address(AxiReq::aw_valid, AxiReq::aw, in.aw);
    drive_address(AxiReq::ar_valid, AxiReq::ar, in.ar);
    test::set_bits(bus, AxiReq::w_valid, in.w.valid);
    test::set_bits(bus, AxiReq::w[AxiW::strb], in.w.strobes);
    test::set_line(bus, AxiReq::w[AxiW::data], in.w.data);
    test::set_bits(bus, AxiReq::w[AxiW::last], in.w.valid);
    test::set_bits(bus, AxiReq::hint_valid, in.hint_valid);
    test::set_bits(bus, AxiReq::hint[AxiHint::addr], in.hint_addr);
    test::set_bits(bus, AxiReq::hint[AxiHint::granules], in.hint_granules);
    test::set_bits(bus, AxiReq::b_ready, in.b_ready);
    test::set_bits(bus, AxiReq::r_ready, in.r_ready);
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
  void drive_address(layout::Field valid, layout::Field address, const AxiAdapter::Address& in) {
    auto& bus = rtl_->axi_req_i;
    test::set_bits(bus, valid, in.valid);
    test::set_bits(bus, address[AxiAddr::id], in.id);
    test::set_bits(bus, address[AxiAddr::addr], in.addr);
    test::set_bits(bus, address[AxiAddr::len], in.valid ? 0 : 3);
    test::set_bits(bus, address[AxiAddr::size], in.valid ? 6 : 1);
    test::set_bits(bus, address[AxiAddr::burst], in.valid ? 1 : 2);
  }
  [[nodiscard]] std::uint64_t says(layout::Field field) {
    return test::get_bits(rtl_->axi_rsp_o, field);
  }
  Out compare(const AxiAdapter::In& in) {
    rtl_.settle();
    Out out{twin_.eval(in), {}};
    const std::uint64_t b_valid = says(AxiRsp::b_valid), r_valid = says(AxiRsp::r_valid);
    const std::uint64_t b_id = says(AxiRsp::b[AxiB::id]), r_id = says(AxiRsp::r[AxiR::id]);
    const std::uint64_t b_resp = says(AxiRsp::b[AxiB::resp]), r_resp = says(AxiRsp::r[AxiR::resp]);
    const auto r_data = test::get_line(rtl_->axi_rsp_o, AxiRsp::r[AxiR::data]);
    lockstep.check("aw_ready", says(AxiRsp::aw_ready), out.aw_ready);
    lockstep.check("w_ready", says(AxiRsp::w_ready), out.w_ready);
    lockstep.check("ar_ready", says(AxiRsp::ar_ready), out.ar_ready);
    lockstep.check("req_valid_o", rtl_->req_valid_o, out.req != nullptr);
    if (out.req != nullptr) {
      test::check_sys_req(lockstep, rtl_->req_o, *out.req);
      out.request = *out.req;
    }
    lockstep.check("b_valid", b_valid, out.b_valid);
    if (out.b_valid) {
      lockstep.check("b.id", b_id, out.b_id);
      lockstep.check("b.resp", b_resp, out.b_resp);
    }
    lockstep.check("r_valid", r_valid, out.r_valid);
    if (out.r_valid) {
      lockstep.check("r.id", r_id, out.r_id);
      lockstep.check("r.resp", r_resp, out.r_resp);
      lockstep.check("r.last", says(AxiRsp::r[AxiR::last]), 1);
      lockstep.check_bytes("r.data", r_data, out.data);
    }
    lockstep.check("hint_valid_o", rtl_->hint_valid_o, out.hint_valid);
    lockstep.check("hint_first_o", rtl_->hint_first_o, out.hint_first);
    lockstep.check("hint_len_o", rtl_->hint_len_o, out.hint_len);
    lockstep.check("r_ready_o", rtl_->r_ready_o, out.r_ready);
    lockstep.check("b_ready_o", rtl_->b_ready_o, out.b_ready);
    check_trace(0, out.responds[0], out.r_id, out.r_resp);
    check_trace(1, out.responds[1], out.b_id, out.b_resp);
    request_.look(rtl_->req_valid_o, in.req_ready, rtl_->req_o);
    read_.look(r_valid != 0, in.r_ready, r_id, r_resp, r_data);
    write_.look(b_valid != 0, in.b_ready, b_id, b_resp);
    return out;
  }

  void check_trace(unsigned channel, bool responds, std::uint32_t id, unsigned resp) {
    using layout::Trace;
    const auto trace = [&](layout::Field field) {
      return test::get_bits(rtl_->tr_sys_respond_o, field, Trace::kBits * channel);
    };
    lockstep.check("tr_sys_respond_o.valid", trace(Trace::valid), responds);
    lockstep.check("tr_sys_respond_o.id", trace(Trace::id), responds ? id : 0);
    lockstep.check("tr_sys_respond_o.line", trace(Trace::line), 0);
    lockstep.check("tr_sys_respond_o.info", trace(Trace::info),
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
  unsigned writes = 50, datas = 50, reads = 50, req_takes = 50, answers = 50, rsp_takes = 50,
           hints = 50;
  std::uint64_t taken = 0, passed = 0, beaten = 0, replaced = 0, errors = 0, together = 0,
                turned = 0;
  while (pair.lockstep.next()) {
    if (pair.lockstep.cycle() % 256 == 0) {
      for (unsigned* p : {&writes, &datas, &reads, &req_takes, &answers, &rsp_takes, &hints}) {
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
    in.hint_valid = random.percent(hints);
    in.hint_addr = random.bits(44) << 8;
    if (!in.hint_valid) in.hint_addr = random.bits(64);
    in.hint_granules = static_cast<unsigned>(random.bits(12));
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

// Hints pass in their own cycle, whatever stalls, and change nothing else.
TEST(AxiAdapter, HintsPassBesideAStalledRequest) {
  Pair pair;
  AxiAdapter::In in;
  in.ar = at(1, 0x40);
  pair.step(in);
  in.ar = at(2, 0x80);
  for (unsigned i = 0; i < 44; ++i) {
    in.hint_valid = true;
    in.hint_addr = std::uint64_t{1} << (8 + i);
    in.hint_granules = i * 90;
    Pair::Out out = pair.step(in);
    EXPECT_TRUE(out.hint_valid);
    EXPECT_EQ(out.hint_first, std::uint64_t{1} << i);
    EXPECT_EQ(out.hint_len, i * 90);
    EXPECT_FALSE(out.ar_ready);
    ASSERT_TRUE(out.request);
    EXPECT_EQ(out.request->id, 1u);
    in.hint_valid = false;
    EXPECT_FALSE(pair.step(in).hint_valid);
  }
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
