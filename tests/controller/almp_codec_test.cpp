// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
// almp_codec in lockstep with its twin: good ALMPs, damaged, cut and forged ones; and the golden
// packets of the specification by hand.
#include "refmodel/controller/almp_codec.hpp"

#include "Valmp_codec.h"
#include "tests/controller/ports.hpp"

namespace cxlgpu::test {
namespace {

void set_flit(Valmp_codec& rtl, const CrcFlit& flit) {
  set_line(rtl.dec_flit_i, 0, flit.payload);
  set_bits(rtl.dec_flit_i, 512, 16, flit.crc);
}
CrcFlit get_flit(const Valmp_codec& rtl) {
  return {get_line(rtl.enc_flit_o), static_cast<std::uint16_t>(get_bits(rtl.enc_flit_o, 512, 16))};
}
void flip(CrcFlit& flit, unsigned bit) {
  flit.payload[bit / 8] ^= static_cast<std::uint8_t>(1u << (bit % 8));
}

Almp random_almp(Random& random) {
  return {static_cast<AlmpLink>(random.percent(80) ? 1 + random.bits(1) : random.bits(4)),
          random.bits(1) != 0, static_cast<VlsmCode>(random.bits(4))};
}

// What the wire can do to an ALMP.
CrcFlit random_flit(Random& random) {
  CrcFlit flit = encode_almp(random_almp(random));
  switch (random.below(8)) {
    case 0:  // bits of one copy or another
      for (std::uint64_t n = 1 + random.below(4); n > 0; --n) {
        flip(flit, static_cast<unsigned>(random.below(128)));
      }
      break;
    case 1: {  // the same bit in every copy
      const auto bit = static_cast<unsigned>(random.below(32));
      for (unsigned copy = 0; copy < 4; ++copy) flip(flit, 32 * copy + bit);
      break;
    }
    case 2:  // cut off after so many bytes
      std::fill(flit.payload.begin() + static_cast<long>(random.below(17)), flit.payload.end(), 0);
      break;
    case 3:  // noise where no copy is
      flit.crc = static_cast<std::uint16_t>(random.bits(16));
      flip(flit, static_cast<unsigned>(128 + random.below(384)));
      break;
    case 4:  // something else
      flit = {random_payload(random), static_cast<std::uint16_t>(random.bits(16))};
      break;
    default:
      break;
  }
  return flit;
}

TEST(AlmpCodec, Lockstep) {
  Lockstep run("controller/almp_codec", 21);
  Random random(run.seed());
  Covered<Valmp_codec> top;
  Valmp_codec& rtl = *top;
  std::uint64_t damaged = 0, malformed = 0, good = 0;
  while (run.next()) {
    const Almp sent = random_almp(random);
    const CrcFlit received = random_flit(random);
    rtl.enc_link_i = static_cast<unsigned>(sent.link);
    rtl.enc_request_i = sent.request;
    rtl.enc_code_i = static_cast<unsigned>(sent.code);
    set_flit(rtl, received);
    rtl.eval();
    const CrcFlit flit = encode_almp(sent);
    const AlmpReading reading = read_almp(received);
    damaged += reading.damaged;
    malformed += !reading.damaged && reading.malformed;
    good += !reading.damaged && !reading.malformed;
    run.check_bytes("enc_flit_o", get_flit(rtl).payload, flit.payload);
    run.check("enc_flit_o[527:512]", get_flit(rtl).crc, flit.crc);
    run.check("dec_damaged_o", rtl.dec_damaged_o, reading.damaged);
    run.check("dec_malformed_o", rtl.dec_malformed_o, reading.malformed);
    run.check("dec_link_o", rtl.dec_link_o, static_cast<unsigned>(reading.almp.link));
    run.check("dec_request_o", rtl.dec_request_o, reading.almp.request);
    run.check("dec_code_o", rtl.dec_code_o, static_cast<unsigned>(reading.almp.code));
  }
  if (run.cycle() > 10000) {
    EXPECT_GT(damaged, run.cycle() / 5);
    EXPECT_GT(malformed, run.cycle() / 20);
    EXPECT_GT(good, run.cycle() / 4);
  }
}

// DWORDs by hand; the RTL only.
TEST(AlmpCodec, Golden) {
  struct Row {
    unsigned link, request, code;
    std::uint32_t dword;
  };
  constexpr Row kRows[] = {{1, 1, 1, 0x01810800}, {1, 0, 1, 0x01010800}, {2, 1, 4, 0x02840800},
                           {2, 0, 0, 0x02000800}, {2, 0, 8, 0x02080800}, {1, 1, 11, 0x018B0800}};
  Covered<Valmp_codec> top;
  Valmp_codec& rtl = *top;
  for (const Row& row : kRows) {
    rtl.enc_link_i = row.link;
    rtl.enc_request_i = row.request;
    rtl.enc_code_i = row.code;
    rtl.eval();
    for (unsigned copy = 0; copy < 4; ++copy) {
      EXPECT_EQ(get_bits(rtl.enc_flit_o, 32 * copy, 32), row.dword) << "copy " << copy;
    }
    for (unsigned bit = 128; bit < 528; bit += 16) {
      EXPECT_EQ(get_bits(rtl.enc_flit_o, bit, 16), 0u) << "bit " << bit;
    }
    clear_bits(rtl.dec_flit_i);
    for (unsigned copy = 0; copy < 4; ++copy) set_bits(rtl.dec_flit_i, 32 * copy, 32, row.dword);
    rtl.eval();
    EXPECT_EQ(rtl.dec_damaged_o, 0);
    EXPECT_EQ(rtl.dec_malformed_o, 0);
    EXPECT_EQ(rtl.dec_link_o, row.link);
    EXPECT_EQ(rtl.dec_request_o, row.request);
    EXPECT_EQ(rtl.dec_code_o, row.code);
    for (unsigned bit = 0; bit < 528; ++bit) {  // any bit of the copies is noticed, no other is
      CrcFlit flit = {get_line(rtl.dec_flit_i), 0};
      Valmp_codec& codec = rtl;
      set_bits(codec.dec_flit_i, bit, 1, get_bits(codec.dec_flit_i, bit, 1) ^ 1);
      codec.eval();
      EXPECT_EQ(codec.dec_damaged_o, bit < 128) << "bit " << bit;
      set_flit(codec, flit);
    }
  }
}

}  // namespace
}  // namespace cxlgpu::test
