// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
// The machine's top at the pins of its PHYs: a ready of a cycle is for the flit of the next,
// whether a flit was offered meanwhile or not. What is not taken stays as it is.
#include <gtest/gtest.h>

#include <array>
#include <memory>
#include <vector>

#include "Vcxlgpu_top.h"
#include "tb/layout.hpp"
#include "tests/common/bits.hpp"

namespace cxlgpu::test {
namespace {

constexpr unsigned kPorts = 2, kFlitBytes = layout::kFlitBits / 8;
constexpr unsigned kBoth = (1u << kPorts) - 1;

// What one side of the links offers.
struct Offer {
  unsigned valid = 0, kinds = 0;
  std::array<std::array<std::uint8_t, kFlitBytes>, kPorts> flit{};
  bool operator==(const Offer&) const = default;
};

class PhyReady : public ::testing::Test {
 protected:
  enum Side : std::uint8_t { RootPorts, Devices };

  void SetUp() override {
    top->rst_ni = 0;
    for (unsigned i = 0; i < 4; ++i) step(false, false);
    top->rst_ni = 1;
  }
  void TearDown() override { top->final(); }

  // One cycle with what the PHYs say in it.
  void step(bool up, bool ready) {
    top->rp_phy_up_i = top->ep_phy_up_i = up ? kBoth : 0;
    top->rp_link_tx_ready_i = top->ep_link_tx_ready_i = ready ? kBoth : 0;
    top->clk_i = 0;
    top->eval();
    offers = {Offer{top->rp_link_tx_valid_o, top->rp_link_tx_kind_o, {}},
              Offer{top->ep_link_tx_valid_o, top->ep_link_tx_kind_o, {}}};
    for (unsigned port = 0; port < kPorts; ++port) {
      for (unsigned b = 0; b < kFlitBytes; ++b) {
        const unsigned bit = 8 * (kFlitBytes * port + b);
        offers[RootPorts].flit[port][b] = get_bits(top->rp_link_tx_flit_o, bit, 8) & 0xff;
        offers[Devices].flit[port][b] = get_bits(top->ep_link_tx_flit_o, bit, 8) & 0xff;
      }
    }
    top->clk_i = 1;
    top->eval();
  }
  // Ready falls in a cycle without an offer, then something is offered: it waits, is taken in the
  // cycle after a ready, and the next one comes.
  void expect_waits(Side side) {
    for (unsigned i = 0; i < 100 && offers[side].valid != kBoth; ++i) step(true, false);
    ASSERT_EQ(offers[side].valid, kBoth);
    const Offer first = offers[side];
    for (unsigned i = 0; i < 50; ++i) {
      step(true, false);
      ASSERT_EQ(offers[side], first) << i;
    }
    step(true, true);
    EXPECT_EQ(offers[side], first);
    step(true, false);
    EXPECT_EQ(offers[side], first) << "taken in this cycle";
    step(true, false);
    EXPECT_NE(offers[side], first);
  }

  std::unique_ptr<Vcxlgpu_top> top = std::make_unique<Vcxlgpu_top>();
  std::array<Offer, 2> offers;
};

TEST_F(PhyReady, FallsWhileNothingIsOffered) {
  for (unsigned i = 0; i < 20; ++i) {
    step(false, true);
    for (const Offer& offer : offers) ASSERT_EQ(offer.valid, 0u);
  }
  for (unsigned i = 0; i < 4; ++i) step(false, false);
  expect_waits(RootPorts);
}

// A device waits for the root port's first ALMP.
TEST_F(PhyReady, FallsAtADevice) {
  for (unsigned i = 0; i < 100 && offers[RootPorts].valid != kBoth; ++i) step(true, true);
  ASSERT_EQ(offers[RootPorts].valid, kBoth);
  for (unsigned i = 0; i < 4; ++i) step(true, false);
  ASSERT_EQ(offers[Devices].valid, 0u);
  top->ep_link_rx_kind_i = offers[RootPorts].kinds;
  for (std::size_t word = 0; word < std::size(top->ep_link_rx_flit_i.m_storage); ++word) {
    top->ep_link_rx_flit_i[word] = top->rp_link_tx_flit_o[word];
  }
  top->ep_link_rx_valid_i = kBoth;
  step(true, false);
  top->ep_link_rx_valid_i = 0;
  expect_waits(Devices);
}

}  // namespace
}  // namespace cxlgpu::test
