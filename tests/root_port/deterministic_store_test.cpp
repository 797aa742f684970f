// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
// The counters of deterministic_store, by hand: the carry into each bit, what else happens in that
// cycle, and that nothing but its own event moves one.
#include <array>
#include <cstdint>

#include "Vdeterministic_store.h"
#include "Vdeterministic_store___024root.h"
#include "tests/common/bits.hpp"
#include "tests/common/lockstep.hpp"

namespace cxlgpu {
namespace {

constexpr unsigned kEvents = 10;  // 870h, in the order of ds_event_t from bit 0 on
constexpr unsigned kFull = 7, kRefused = 9;

class Store {
 public:
  Store() {
    rtl_.reset();
    step(0, 0x850, true, 1);  // on
    for (unsigned n = 0; n < 3; ++n) step(0);
  }

  void preset(unsigned n, std::uint32_t value) {
    test::set_bits(rtl_->rootp->deterministic_store_tb__DOT__u_store__DOT__count_q,
                   std::size_t{32} * n, 32, value);
  }
  // A cycle in which these events are told, and a register is read or written.
  std::uint32_t step(unsigned events, unsigned address = 0, bool write = false,
                     std::uint32_t data = 0) {
    rtl_->rootp->deterministic_store_tb__DOT__u_store__DOT__u_engine__DOT__u_deferred__DOT__ev_q =
        static_cast<std::uint16_t>(events);
    test::set_bits(rtl_->reg_req_i, 0, 32, data);
    test::set_bits(rtl_->reg_req_i, 32, 16, address);
    test::set_bits(rtl_->reg_req_i, 48, 1, write);
    test::set_bits(rtl_->reg_req_i, 49, 1, address != 0);
    rtl_.settle();
    rtl_.edge();
    return rtl_->reg_rdata_o;
  }
  std::uint32_t read(unsigned n) { return step(0, 0x870 + 4 * n); }

 private:
  test::Clocked<Vdeterministic_store> rtl_;
};

// What is told with event n: it alone, but for a refusal, which is of a store that found no slot.
unsigned told(unsigned n) {
  return 1u << n | (n == kRefused ? 1u << kFull : 0u);
}

TEST(DeterministicStore, CountersToTheirWidth) {
  Store store;
  for (unsigned n = 0; n < kEvents; ++n) {
    for (unsigned bit = 0; bit <= 32; ++bit) {
      const auto start = static_cast<std::uint32_t>((std::uint64_t{1} << bit) - 1);
      for (unsigned k = 0; k < kEvents; ++k) store.preset(k, k == n ? start : 100 + k);
      // A read in the cycle of the event tells what was before it.
      EXPECT_EQ(store.step(told(n), 0x870 + 4 * n), start) << n << ' ' << bit;
      for (unsigned k = 0; k < kEvents; ++k) {
        const std::uint32_t expected = k == n ? start + 1 : 100 + k + (told(n) >> k & 1);
        EXPECT_EQ(store.read(k), expected) << n << ' ' << bit << ' ' << k;
      }
    }
  }
}

// A write, or a read of another, in the cycle of the event changes nothing of that.
TEST(DeterministicStore, AnEventMeetsAnyAccess) {
  Store store;
  for (unsigned n = 0; n < kEvents; ++n) {
    for (unsigned k = 0; k < kEvents; ++k) {
      for (const bool write : {false, true}) {
        for (unsigned j = 0; j < kEvents; ++j) store.preset(j, 10 * j);
        const std::uint32_t seen = store.step(told(n), 0x870 + 4 * k, write, 0xdeadbeef);
        EXPECT_EQ(seen, write ? 0 : 10 * k);
        for (unsigned j = 0; j < kEvents; ++j) {
          EXPECT_EQ(store.read(j), 10 * j + (told(n) >> j & 1)) << n << ' ' << k << ' ' << j;
        }
      }
    }
  }
}

}  // namespace
}  // namespace cxlgpu
