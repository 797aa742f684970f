// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
// The words for a flit in a waveform, of flits put together by hand.
#include "tb/flit_text.hpp"

#include <gtest/gtest.h>

#include "flits/almp.hpp"
#include "flits/codec.hpp"

namespace cxlgpu {
namespace {

using namespace flits;

std::string text_of(const Flit& flit, Direction direction = Direction::M2S, unsigned owed = 0) {
  return flit_text(flit, direction, owed, {});
}

Flit read_request() {
  ProtocolFlit flit;
  M2sReq request;
  request.tag = 0x1f;
  request.address = 0x100000240;
  flit.slots[0].messages.push_back(request);
  flit.header.format[0] = 5;  // H5: M2S Req
  return encode(Direction::M2S, flit);
}

TEST(FlitText, AMessageIsOpcodeTagAndAddress) {
  EXPECT_EQ(text_of(read_request()), "MemRd tag=0x1f 0x100000240");
}

TEST(FlitText, SlotsThatAreOwedAreData) {
  AllDataFlit all;
  for (Chunk& chunk : all.chunks) chunk.fill(0x5a);
  EXPECT_EQ(text_of(encode(all), Direction::M2S, 4), "data x4");
  // The same bytes as the last two chunks of a line: slots 1 and 2.
  ProtocolFlit rest;
  for (const unsigned slot : {1u, 2u}) {
    rest.slots[slot].is_data = true;
    rest.slots[slot].raw.fill(0x5a);
  }
  EXPECT_EQ(text_of(encode(Direction::M2S, rest), Direction::M2S, 2), "data x2");
}

TEST(FlitText, OthersHaveTheirWords) {
  EXPECT_EQ(text_of(encode(Direction::M2S, ProtocolFlit{})), "no message");
  EXPECT_EQ(text_of(encode(Direction::S2M, FlitContent{Control{RetryIdle{}}}), Direction::S2M),
            "RETRY.Idle");
  Flit almp = encode_almp(Almp{AlmpLink::CacheMem, true, LinkState::Active});
  EXPECT_EQ(text_of(almp), "ALMP CXL.cachemem Request Active");
  almp.payload()[0] ^= 1;
  EXPECT_NE(text_of(almp).find("ALMP ("), std::string::npos) << text_of(almp);
}

TEST(FlitText, DamageIsSaid) {
  Flit flit = read_request();
  flit.payload()[20] ^= 4;
  EXPECT_EQ(text_of(flit), "CRC error");
}

TEST(FlitText, WhatIsTooLongEndsInDots) {
  EXPECT_EQ(fitted("0123456789", 10), "0123456789");
  EXPECT_EQ(fitted("0123456789a", 10), "0123456...");
}

}  // namespace
}  // namespace cxlgpu
