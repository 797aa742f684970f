// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
// cache_packer with channels that never run dry: each of them gets its share of the flits, in every
// mixture, and the flits are legal for the codec.
//
// Units:   flits; end 0 is the host.
// Errors:  GoogleTest failures that name the mixture.
#include "Vcache_turns.h"
#include "flits/codec.hpp"
#include "tests/common/bits.hpp"
#include "tests/common/lockstep.hpp"

namespace cxlgpu::test {
namespace {

constexpr unsigned kFlits = 4000;

void share(unsigned end, bool mem, unsigned cache) {
  const std::string what = "end " + std::to_string(end) + " mem " + std::to_string(mem) +
                           " cache " + std::to_string(cache);
  Clocked<Vcache_turns> rtl;
  rtl->mem_i = mem;
  rtl->cache_i = static_cast<std::uint8_t>(cache);
  rtl.reset();
  flits::Decoder decoder(end == 0 ? flits::Direction::M2S : flits::Direction::S2M);
  std::array<unsigned, 5> taken{};
  for (unsigned n = 0; n < kFlits; ++n) {
    rtl.settle();
    const Vcache_turns& v = *rtl;
    taken[0] += static_cast<unsigned>(get_bits(v.nd_take_o, 2 * end, 2));
    taken[1] += static_cast<unsigned>(get_bits(v.wd_take_o, 2 * end, 2));
    taken[2] += static_cast<unsigned>(get_bits(v.creq_take_o, 2 * end, 2));
    taken[3] += static_cast<unsigned>(get_bits(v.crsp_take_o, 2 * end, 2));
    taken[4] += static_cast<unsigned>(get_bits(v.cdat_take_o, end, 1));
    flits::Flit flit;
    const auto payload = get_line(v.flit_o, 512 * end);
    std::copy(payload.begin(), payload.end(), flit.bytes.begin() + 2);
    ASSERT_TRUE(decoder.decode(flit).findings.empty()) << what << " flit " << n;
    rtl.edge();
  }
  const std::array<bool, 5> offered{mem, mem, (cache & 1) != 0, (cache & 2) != 0, (cache & 4) != 0};
  for (unsigned c = 0; c < 5; ++c) {
    if (offered[c]) {
      EXPECT_GE(taken[c], kFlits / 8) << what << " channel " << c;
    } else {
      EXPECT_EQ(taken[c], 0u) << what << " channel " << c;
    }
  }
}

TEST(CacheTurns, EachChannelHasItsShare) {
  for (unsigned mix = 1; mix < 16; ++mix) {
    for (unsigned end = 0; end < 2; ++end) share(end, (mix & 1) != 0, mix >> 1);
  }
}

}  // namespace
}  // namespace cxlgpu::test
