// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
// protocol_id: encode and judge against the twin for every input, and the rows by hand.
#include "refmodel/flex_bus/protocol_id.hpp"

#include "Vprotocol_id.h"
#include "tests/common/lockstep.hpp"

namespace cxlgpu::test {
namespace {

IdReading judge(Vprotocol_id& rtl, unsigned a, unsigned b, unsigned expect) {
  rtl.byte_a_i = static_cast<std::uint8_t>(a);
  rtl.byte_b_i = static_cast<std::uint8_t>(b);
  rtl.expect_i = static_cast<std::uint8_t>(expect);
  rtl.eval();
  return {static_cast<IdVerdict>(rtl.verdict_o), static_cast<FlitKind>(rtl.kind_o), rtl.eds_o != 0};
}

TEST(ProtocolId, EveryPairOfBytes) {
  Covered<Vprotocol_id> top;
  Vprotocol_id& rtl = *top;
  for (unsigned a = 0; a < 256; ++a) {
    for (unsigned b = 0; b < 256; ++b) {
      for (unsigned expect = 0; expect < 16; ++expect) {
        ASSERT_TRUE(judge(rtl, a, b, expect) ==
                    judge_id(static_cast<std::uint8_t>(a), static_cast<std::uint8_t>(b), expect))
            << std::hex << "a " << a << " b " << b << " expect " << expect << " rtl verdict "
            << int{rtl.verdict_o} << " kind " << int{rtl.kind_o} << " eds " << int{rtl.eds_o};
      }
    }
  }
}

struct Code {
  FlitKind kind;
  bool eds;
  unsigned byte;
};
constexpr Code kCodes[] = {
    {FlitKind::kIo, false, 0xFF},       {FlitKind::kIo, true, 0xD2},
    {FlitKind::kCachemem, false, 0x55}, {FlitKind::kCachemem, true, 0x87},
    {FlitKind::kAlmp, false, 0xCC},     {FlitKind::kAlmp, true, 0x1E},
    {FlitKind::kNull, false, 0x99},     {FlitKind::kNull, true, 0x4B},
};

TEST(ProtocolId, EncodesTheTable) {
  Covered<Vprotocol_id> top;
  Vprotocol_id& rtl = *top;
  for (const Code& code : kCodes) {
    rtl.kind_i = static_cast<std::uint8_t>(code.kind);
    rtl.eds_i = code.eds;
    rtl.eval();
    EXPECT_EQ(rtl.id_o, code.byte << 8 | code.byte);
    EXPECT_EQ(static_cast<unsigned>(protocol_code(code.kind, code.eds)), code.byte);
  }
}

// The rows of the damaged-ID table for every code, by the specification's numbers.
TEST(ProtocolId, DamagedIdTable) {
  Covered<Vprotocol_id> top;
  Vprotocol_id& rtl = *top;
  const unsigned bad = 0x00, other_bad = 0x56;
  for (const Code& code : kCodes) {
    const unsigned only = 1u << static_cast<unsigned>(code.kind);
    const unsigned without = ~only & 0xF;
    const auto is = [&](IdVerdict verdict, unsigned a, unsigned b, unsigned expect) {
      const IdReading want{verdict, code.kind, code.eds};
      EXPECT_TRUE(judge(rtl, a, b, expect) == want) << std::hex << a << " " << b << " " << expect;
    };
    const auto unreadable = [&](unsigned a, unsigned b) {
      for (const unsigned expect : {0u, only, 0xFu}) {
        EXPECT_EQ(judge(rtl, a, b, expect).verdict, IdVerdict::kUncorrectable)
            << std::hex << a << " " << b;
      }
    };
    is(IdVerdict::kNormal, code.byte, code.byte, only);
    is(IdVerdict::kCorrectable, code.byte, bad, only);
    is(IdVerdict::kCorrectable, bad, code.byte, only);
    is(IdVerdict::kUnexpected, code.byte, code.byte, without);
    is(IdVerdict::kUnexpected, code.byte, bad, without);
    is(IdVerdict::kUnexpected, bad, code.byte, without);
    for (const Code& second : kCodes) {
      if (second.byte != code.byte) unreadable(code.byte, second.byte);
    }
    unreadable(bad, other_bad);
    unreadable(bad, bad);
  }
}

// Codes differ in four bits or more: up to three wrong bits in one byte leave no code there.
TEST(ProtocolId, CorrectsUpToThreeBitErrorsInOneByte) {
  Covered<Vprotocol_id> top;
  Vprotocol_id& rtl = *top;
  for (const Code& code : kCodes) {
    for (unsigned flip = 1; flip < 256; ++flip) {
      if (__builtin_popcount(flip) > 3) continue;
      const IdReading want{IdVerdict::kCorrectable, code.kind, code.eds};
      EXPECT_TRUE(judge(rtl, code.byte ^ flip, code.byte, 0xF) == want);
      EXPECT_TRUE(judge(rtl, code.byte, code.byte ^ flip, 0xF) == want);
    }
  }
}

}  // namespace
}  // namespace cxlgpu::test
