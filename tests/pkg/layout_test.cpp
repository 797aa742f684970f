// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
// tb/layout.hpp: a field that is read by its name is the field of that name in the packages. Read
// by the helpers of the bench and by those of the tests, of which neither knows a place.
#include <gtest/gtest.h>

#include <cstring>
#include <utility>

#include "Vlayout.h"
#include "tb/wide.hpp"
#include "tests/common/fields.hpp"

namespace cxlgpu {
namespace {

using namespace layout;

class Layout : public ::testing::Test {
 protected:
  Layout() { top_.eval(); }

  template <typename Port>
  void expect(const Port& port, Field at, std::uint64_t value) {
    EXPECT_EQ(field(port, at), value);
    EXPECT_EQ(test::get_bits(port, at), value);
    if (at.width == 1) {
      EXPECT_EQ(bit_at(port, at), value != 0);
    }
    // Written, it alone changes; written back, all is as it was.
    auto copy = port;
    set_field(copy, at, ~value);
    EXPECT_EQ(field(copy, at), ~value & mask_of(at.width));
    auto other = port;
    test::set_bits(other, at, ~value);
    EXPECT_EQ(std::memcmp(&copy, &other, sizeof copy), 0);
    set_field(copy, at, value);
    EXPECT_EQ(std::memcmp(&copy, &port, sizeof copy), 0);
  }
  // A line is one word eight times.
  template <typename Port>
  void expect_line(const Port& port, Field at, std::uint64_t word) {
    ASSERT_EQ(at.width, kLineBits);
    for (std::size_t i = 0; i < 8; ++i) expect(port, at.element(i, 64), word);
  }
  template <typename Port>
  void expect_event(const Port& port, Field at, unsigned number) {
    ASSERT_EQ(at.width, Trace::kBits);
    expect(port, at[Trace::valid], 1);
    expect(port, at[Trace::id], 0xa500 | number);
    expect(port, at[Trace::line], 0x2a'5a5a'5a5aull << 8 | number);
    expect(port, at[Trace::info], 0xff & ~number);
  }
  static std::uint64_t mask_of(std::size_t width) {
    return width == 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << width) - 1;
  }

  Vlayout top_;
};

TEST_F(Layout, Widths) {
  EXPECT_EQ(sizeof top_.reg_req_o, port_bytes(RegReq::kBits));
  EXPECT_EQ(sizeof top_.axi_req_o, port_bytes(AxiReq::kBits));
  EXPECT_EQ(sizeof top_.axi_rsp_o, port_bytes(AxiRsp::kBits));
  EXPECT_EQ(sizeof top_.to_media_o, port_bytes(ToMedia::kBits));
  EXPECT_EQ(sizeof top_.from_media_o, port_bytes(FromMedia::kBits));
  EXPECT_EQ(sizeof top_.rp_trace_o, port_bytes(RpTrace::kBits));
  for (const auto& [bits, bytes] :
       {std::pair{1, 1}, {8, 1}, {9, 2}, {16, 2}, {17, 4}, {32, 4}, {33, 8}, {64, 8}, {65, 12}}) {
    EXPECT_EQ(port_bytes(static_cast<std::size_t>(bits)), static_cast<std::size_t>(bytes));
  }
}

TEST_F(Layout, RegistersAndLocalMemory) {
  expect(top_.reg_req_o, RegReq::valid, 1);
  expect(top_.reg_req_o, RegReq::write, 0);
  expect(top_.reg_req_o, RegReq::addr, 0x8421);
  expect(top_.reg_req_o, RegReq::wdata, 0x0123'4567);
  expect(top_.lm_req_o, LmReq::write, 1);
  expect(top_.lm_req_o, LmReq::kind, 1);
  expect(top_.lm_req_o, LmReq::index, 0x2a);
  expect(top_.lm_req_o, LmReq::slot, 0x35c);
  expect(top_.lm_req_o, LmReq::be, 0xfedc'ba98'7654'3210);
  expect_line(top_.lm_req_o, LmReq::data, 0x0f1e'2d3c'4b5a'6978);
  expect(top_.lm_rsp_o, LmRsp::error, 1);
  expect(top_.lm_rsp_o, LmRsp::kind, 2);
  expect(top_.lm_rsp_o, LmRsp::index, 0x15);
  expect_line(top_.lm_rsp_o, LmRsp::data, 0x1122'3344'5566'7788);
}

TEST_F(Layout, Axi) {
  const auto& req = top_.axi_req_o;
  expect(req, AxiReq::hint_valid, 1);
  expect(req, AxiReq::hint[AxiHint::addr], 0x8765'4321'0fed'cba9);
  expect(req, AxiReq::hint[AxiHint::granules], 0x9c3);
  expect(req, AxiReq::aw_valid, 1);
  expect(req, AxiReq::aw[AxiAddr::id], 0x1a2b);
  expect(req, AxiReq::aw[AxiAddr::addr], 0x0123'4567'89ab'cdef);
  expect(req, AxiReq::aw[AxiAddr::len], 0x5c);
  expect(req, AxiReq::aw[AxiAddr::size], 5);
  expect(req, AxiReq::aw[AxiAddr::burst], 2);
  expect(req, AxiReq::ar_valid, 0);
  expect(req, AxiReq::ar[AxiAddr::id], 0x3c4d);
  expect(req, AxiReq::ar[AxiAddr::addr], 0xfedc'ba98'7654'3210);
  expect(req, AxiReq::ar[AxiAddr::len], 0xa3);
  expect(req, AxiReq::ar[AxiAddr::size], 2);
  expect(req, AxiReq::ar[AxiAddr::burst], 1);
  expect(req, AxiReq::b_ready, 1);
  expect(req, AxiReq::r_ready, 0);
  expect(req, AxiReq::w_valid, 1);
  expect(req, AxiReq::w[AxiW::last], 0);
  expect(req, AxiReq::w[AxiW::strb], 0x8000'0000'0000'0001);
  expect_line(req, AxiReq::w[AxiW::data], 0x0011'2233'4455'6677);
  const auto& rsp = top_.axi_rsp_o;
  expect(rsp, AxiRsp::aw_ready, 1);
  expect(rsp, AxiRsp::w_ready, 0);
  expect(rsp, AxiRsp::ar_ready, 1);
  expect(rsp, AxiRsp::b_valid, 0);
  expect(rsp, AxiRsp::b[AxiB::id], 0x5e6f);
  expect(rsp, AxiRsp::b[AxiB::resp], 2);
  expect(rsp, AxiRsp::r_valid, 1);
  expect(rsp, AxiRsp::r[AxiR::id], 0x7081);
  expect(rsp, AxiRsp::r[AxiR::resp], 1);
  expect(rsp, AxiRsp::r[AxiR::last], 0);
  expect_line(rsp, AxiRsp::r[AxiR::data], 0x8899'aabb'ccdd'eeff);
}

TEST_F(Layout, Media) {
  const auto& to = top_.to_media_o;
  constexpr Field kCmd = ToMedia::cmd;
  expect(to, ToMedia::cmd_valid, 1);
  expect(to, ToMedia::rsp_ready, 0);
  expect(to, kCmd[MediaCmd::durable], 2);
  expect(to, kCmd[MediaCmd::partial], 0);
  expect(to, kCmd[MediaCmd::poison], 1);
  expect(to, kCmd[MediaCmd::op], 5);
  expect(to, kCmd[MediaCmd::id], 0x9c);
  expect(to, kCmd[MediaCmd::dpa], 0x2bad'cafe'f00d);
  expect(to, kCmd[MediaCmd::slot], 0xbeef);
  expect(to, kCmd[MediaCmd::offset], 10);
  expect(to, kCmd[MediaCmd::be], 0x7fff'ffff'ffff'fffe);
  expect_line(to, kCmd[MediaCmd::data], 0x0246'8ace'1357'9bdf);
  const auto& from = top_.from_media_o;
  constexpr Field kRsp = FromMedia::rsp;
  expect(from, FromMedia::cmd_ready, 0);
  expect(from, FromMedia::status[MediaStatus::tasks], 0x2a);
  expect(from, FromMedia::status[MediaStatus::backlog], 0x55);
  expect(from, FromMedia::rsp_valid, 1);
  expect(from, kRsp[MediaRsp::poison], 0);
  expect(from, kRsp[MediaRsp::op], 4);
  expect(from, kRsp[MediaRsp::id], 0x6d);
  expect(from, kRsp[MediaRsp::error], 1);
  expect_line(from, kRsp[MediaRsp::data], 0x1f2f'3f4f'5f6f'7f8f);
}

TEST_F(Layout, TraceEvents) {
  expect_event(top_.sys_trace_o, SysTrace::sys_accept, 1);
  expect_event(top_.sys_trace_o, SysTrace::sys_respond.element(0, Trace::kBits), 2);
  expect_event(top_.sys_trace_o, SysTrace::sys_respond.element(1, Trace::kBits), 3);
  unsigned number = 4;
  for (const Field event :
       {RpTrace::port_enqueue, RpTrace::memq_alloc, RpTrace::ctrl_accept, RpTrace::ctrl_store,
        RpTrace::spec_issue, RpTrace::port_respond, RpTrace::ds, RpTrace::load_control}) {
    expect_event(top_.rp_trace_o, event, number++);
  }
  for (const Field event :
       {EpTrace::ep_accept, EpTrace::ep_lookup, EpTrace::media_issue, EpTrace::media_done,
        EpTrace::ep_respond, EpTrace::spec_fill, EpTrace::spec_drop, EpTrace::spec_lost}) {
    expect_event(top_.ep_trace_o, event, number++);
  }
}

}  // namespace
}  // namespace cxlgpu
