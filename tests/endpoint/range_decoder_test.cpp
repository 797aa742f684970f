// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
// range_decoder: the twin beside the RTL; what a device decodes, by hand: nothing, the DVSEC
// ranges, the HDM decoders.
#include "refmodel/endpoint/range_decoder.hpp"

#include <gtest/gtest.h>

#include <cstdint>
#include <optional>

#include "Vrange_decoder.h"
#include "tb/coverage.hpp"
#include "tests/common/bits.hpp"
#include "tests/common/lockstep.hpp"
#include "tests/coverage/functional_gtest.hpp"
#include "tests/coverage/pairs_registers.hpp"

namespace cxlgpu::test {
namespace {

constexpr unsigned kUnitLog2 = 28;  // 256 MiB
constexpr std::uint64_t kUnit = std::uint64_t{1} << kUnitLog2;
constexpr std::uint64_t kSize1 = 5 * kUnit, kSize2 = 3 * kUnit;  // of range_decoder_tb.sv

class Decoder {
 public:
  bool mem_enable = true, hdm_enabled = false;
  std::uint64_t base1 = 0, base2 = 0;               // bytes
  std::optional<std::uint64_t> hdm = std::nullopt;  // what the HDM decoders make of the address

  std::optional<std::uint64_t> operator()(std::uint64_t hpa, bool valid = true) {
    top_->mem_enable_i = mem_enable;
    top_->hdm_enabled_i = hdm_enabled;
    top_->range1_base_i = base1 >> kUnitLog2;
    top_->range2_base_i = base2 >> kUnitLog2;
    top_->hpa_valid_i = valid;
    top_->hpa_line_i = hpa / 64;
    top_->hdm_hit_i = hdm.has_value();
    top_->hdm_dpa_line_i = hdm.value_or(hpa) / 64;
    top_->eval();
    if (top_->hit_o != 0) return top_->dpa_line_o * 64;
    EXPECT_EQ(top_->dpa_line_o * 64, hpa / 64 * 64) << "a miss keeps the address";
    return std::nullopt;
  }

 private:
  Covered<Vrange_decoder> top_;
};

// Where a line is of a range of `size` units from `base` on.
unsigned place_of(std::uint64_t line, std::uint64_t base, std::uint64_t size) {
  using coverage::RangePlace;
  const std::uint64_t unit = line >> 22;
  const RangePlace place = unit < base               ? RangePlace::Below
                           : unit == base            ? RangePlace::First
                           : unit < base + size - 1  ? RangePlace::Inside
                           : unit == base + size - 1 ? RangePlace::Last
                                                     : RangePlace::Behind;
  return static_cast<unsigned>(place);
}

TEST(RangeDecoder, LockstepWithRtl) {
  Lockstep run{"endpoint/range_decoder", 0x7a};
  Random random(run.seed());
  const RangeDecoder twin{kSize1 >> kUnitLog2, kSize2 >> kUnitLog2};
  Covered<Vrange_decoder> rtl;
  std::uint64_t hits = 0;
  TestCoverage pairs(coverage::range_decoder_pairs());
  while (run.next()) {
    // Addresses about the ends of ranges that are near each other.
    const std::uint64_t base = random.bits(random.percent(20) ? 36 : 24);
    const auto near = [&] { return base + random.below(16) - 8; };
    RangeDecoder::In in;
    in.mem_enable = random.percent(80);
    in.hdm_enabled = random.percent(40);
    in.range1_base = near() & 0xf'ffff'ffff;
    in.range2_base = near() & 0xf'ffff'ffff;
    in.hpa_valid = random.percent(75);
    in.hpa_line = (near() << 22 & 0x3fff'ffff'ffff) | random.bits(22);
    in.hdm_hit = random.percent(50);
    in.hdm_dpa_line = in.hdm_hit ? random.bits(46) : in.hpa_line;
    rtl->mem_enable_i = in.mem_enable;
    rtl->hdm_enabled_i = in.hdm_enabled;
    rtl->range1_base_i = in.range1_base;
    rtl->range2_base_i = in.range2_base;
    rtl->hpa_valid_i = in.hpa_valid;
    rtl->hpa_line_i = in.hpa_line;
    rtl->hdm_hit_i = in.hdm_hit;
    rtl->hdm_dpa_line_i = in.hdm_dpa_line;
    rtl->eval();
    const RangeDecoder::Out out = twin.eval(in);
    run.check("hit_o", rtl->hit_o, out.hit);
    run.check("dpa_line_o", rtl->dpa_line_o, out.dpa_line);
    hits += out.hit && !in.hdm_enabled;
    pairs.hit({place_of(in.hpa_line, in.range1_base, kSize1 >> kUnitLog2),
               place_of(in.hpa_line, in.range2_base, kSize2 >> kUnitLog2),
               2u * in.hdm_enabled + in.hdm_hit, in.mem_enable, in.hpa_valid});
  }
  if (run.cycle() > 100000) {
    EXPECT_GT(hits, 10000u);
  }
}

// Before Mem_Enable the device decodes nothing (CXL 2.0, 8.1.3.2).
TEST(RangeDecoder, NothingBeforeMemEnable) {
  Decoder decode;
  decode.mem_enable = false;
  EXPECT_FALSE(decode(0));
  decode.hdm_enabled = true;
  decode.hdm = 0x1000;
  EXPECT_FALSE(decode(0));
  decode.mem_enable = true;
  EXPECT_EQ(decode(0), 0x1000u);
  EXPECT_FALSE(decode(0, false));
  decode.hdm_enabled = false;
  EXPECT_FALSE(decode(0, false));
}

TEST(RangeDecoder, RangesFollowEachOtherInTheDevice) {
  Decoder decode;
  decode.base1 = 0x12'3000'0000;
  decode.base2 = 0x9'8000'0000;  // below range 1: the order of the bases does not matter
  decode.hdm = 0;                // not asked
  EXPECT_FALSE(decode(decode.base1 - 64));
  EXPECT_EQ(decode(decode.base1), 0u);
  EXPECT_EQ(decode(decode.base1 + 0xfff'ffc0), 0xfff'ffc0u);
  EXPECT_EQ(decode(decode.base1 + kSize1 - 64), kSize1 - 64);
  EXPECT_FALSE(decode(decode.base1 + kSize1));
  EXPECT_FALSE(decode(decode.base2 - 64));
  EXPECT_EQ(decode(decode.base2), kSize1);
  EXPECT_EQ(decode(decode.base2 + kSize2 - 64), kSize1 + kSize2 - 64);
  EXPECT_FALSE(decode(decode.base2 + kSize2));
  // Next to each other, and in the other order.
  decode.base2 = decode.base1 + kSize1;
  EXPECT_EQ(decode(decode.base2), kSize1);
  EXPECT_EQ(decode(decode.base2 - 64), kSize1 - 64);
  // One over the other: the first is meant.
  decode.base2 = decode.base1;
  EXPECT_EQ(decode(decode.base1 + kSize2), kSize2);
  EXPECT_EQ(decode(decode.base1), 0u);
}

// Bases have 36 bits, addresses 24 of them: what is beyond is not wrapped around.
TEST(RangeDecoder, NoWrap) {
  constexpr std::uint64_t kTop = std::uint64_t{1} << 52;
  Decoder decode;
  decode.base1 = kTop;  // above all addresses
  decode.base2 = kTop;
  EXPECT_FALSE(decode(0));
  EXPECT_FALSE(decode(kTop - 64));
  decode.base1 = ~std::uint64_t{0} << kUnitLog2;  // base + size passes 2^64
  EXPECT_FALSE(decode(0));
  EXPECT_FALSE(decode(kUnit));
  EXPECT_FALSE(decode(kTop - 64));
  decode.base1 = kTop - 2 * kUnit;  // its end is above
  EXPECT_FALSE(decode(kTop - 2 * kUnit - 64));
  EXPECT_EQ(decode(kTop - 64), 2 * kUnit - 64);
  EXPECT_FALSE(decode(0));
}

// HDM Decoder Enable: the decoders alone (8.2.5.12.2).
TEST(RangeDecoder, TheDecodersTakeOver) {
  Decoder decode;
  decode.hdm_enabled = true;
  EXPECT_FALSE(decode(0));  // range 1 is at 0
  decode.hdm = 0x7'0000'0040;
  EXPECT_EQ(decode(0), 0x7'0000'0040u);
  EXPECT_EQ(decode(0x3f'ffff'ffc0), 0x7'0000'0040u);
  decode.hdm_enabled = false;
  EXPECT_EQ(decode(0x40), 0x40u);
}

}  // namespace
}  // namespace cxlgpu::test
