// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
// Each rule of the decoder, broken by hand.
#include <gtest/gtest.h>

#include <algorithm>

#include "flits/codec.hpp"

namespace cxlgpu::flits {
namespace {

constexpr auto kDown = Direction::M2S;
constexpr auto kUp = Direction::S2M;

bool found(const Decoded& d, DecodeRule rule) {
  return std::any_of(d.findings.begin(), d.findings.end(),
                     [&](const auto& f) { return f.rule == rule && !describe(f).empty(); });
}

ProtocolFlit with(unsigned slot, unsigned format, std::initializer_list<Message> messages) {
  ProtocolFlit f;
  f.header.format[slot] = static_cast<std::uint8_t>(format);
  for (const Message& m : messages) f.slots[slot].messages.push_back(m);
  return f;
}

Decoded decode(Direction d, const ProtocolFlit& f, DecoderOptions options = {}) {
  return Decoder(d, options).decode(encode(d, f));
}

ProtocolFlit full_lines(ProtocolFlit f) {
  f.header.sz = true;
  return f;
}

TEST(DecodeRules, ReservedSlotFormats) {
  EXPECT_TRUE(found(decode(kDown, with(0, 7, {})), DecodeRule::ReservedSlotFormat));
  EXPECT_TRUE(found(decode(kDown, with(1, 6, {})), DecodeRule::ReservedSlotFormat));
  EXPECT_FALSE(found(decode(kUp, with(1, 6, {})), DecodeRule::ReservedSlotFormat));
  EXPECT_TRUE(found(decode(kUp, with(2, 7, {})), DecodeRule::ReservedSlotFormat));
}

TEST(DecodeRules, MacNeedsIde) {
  EXPECT_TRUE(found(decode(kUp, with(0, 6, {})), DecodeRule::MacWithoutIde));
  EXPECT_TRUE(decode(kUp, with(0, 6, {}), {.ide = true, .mdh_disabled = false}).findings.empty());
}

TEST(DecodeRules, ReservedControl) {
  const Flit f = encode_control(UnknownControl{0, 5, 2});
  EXPECT_TRUE(found(Decoder(kUp).decode(f), DecodeRule::ReservedControl));
}

TEST(DecodeRules, NonzeroReserved) {
  Flit f = encode_control(Llcrd{});
  f.bytes[40] = 1;
  EXPECT_TRUE(found(Decoder(kUp).decode(f), DecodeRule::NonzeroReserved));
  f = Flit{};
  f.bytes[2] = 2;  // header bit 1
  EXPECT_TRUE(found(Decoder(kUp).decode(f), DecodeRule::NonzeroReserved));
  f = encode(kDown, with(0, 5, {M2sReq{}}));
  f.bytes[2 + 15] = 0x40;  // beyond the Req
  EXPECT_TRUE(found(Decoder(kDown).decode(f), DecodeRule::NonzeroReserved));
}

TEST(DecodeRules, OwedSlotMustSayG0) {
  auto f = full_lines(with(0, 4, {M2sRwd{}}));
  f.header.format[2] = 4;
  f.slots[2].is_data = true;
  EXPECT_TRUE(found(decode(kDown, f), DecodeRule::OwedSlotNotData));
}

TEST(DecodeRules, BoundsPerFlit) {
  auto f = with(0, 5, {M2sReq{}});
  for (unsigned s : {1u, 2u}) {
    f.header.format[s] = 4;
    f.slots[s].messages = {M2sReq{}};
  }
  EXPECT_TRUE(found(decode(kDown, f), DecodeRule::TooManyMessages));
  f.slots[2].messages.clear();
  EXPECT_TRUE(decode(kDown, f).findings.empty());

  auto n = with(0, 4, {S2mNdr{}, S2mNdr{}});
  n.header.format[1] = 5;
  n.slots[1].messages = {S2mNdr{}};
  EXPECT_TRUE(found(decode(kUp, n), DecodeRule::TooManyMessages));
}

TEST(DecodeRules, OneDataHeaderOutsideMdh) {
  ProtocolFlit f = with(0, 2, {H2dDh{}});  // 32 B: slots 1 and 2 are data, slot 3 is free
  f.header.format[3] = 2;
  f.slots[3].messages = {H2dDh{}};
  EXPECT_TRUE(found(decode(kDown, f), DecodeRule::SeveralDataHeaders));
}

TEST(DecodeRules, MultiDataHeaders) {
  const auto two = full_lines(with(0, 5, {S2mDrs{}, S2mDrs{}}));
  EXPECT_TRUE(decode(kUp, two).findings.empty());
  EXPECT_TRUE(
      found(decode(kUp, two, {.ide = false, .mdh_disabled = true}), DecodeRule::MdhDisabled));
  auto bad = two;
  bad.header.be = true;
  EXPECT_TRUE(found(decode(kUp, bad), DecodeRule::MdhNotFullLines));
  bad = two;
  bad.header.sz = false;
  EXPECT_TRUE(found(decode(kUp, bad), DecodeRule::MdhNotFullLines));
  EXPECT_TRUE(found(decode(kUp, full_lines(with(0, 5, {S2mDrs{}}))), DecodeRule::MdhSingleHeader));
}

TEST(DecodeRules, SizesAndByteEnables) {
  auto write = with(0, 4, {M2sRwd{}});
  EXPECT_TRUE(found(decode(kDown, write), DecodeRule::SizeIllegal));
  write.header.sz = write.header.be = true;
  EXPECT_TRUE(decode(kDown, write).findings.empty());
  auto read = full_lines(with(0, 3, {S2mDrs{}}));
  read.header.be = true;
  EXPECT_TRUE(found(decode(kUp, read), DecodeRule::ByteEnablesIllegal));
  read.header.be = read.header.sz = false;
  EXPECT_TRUE(decode(kUp, read).findings.empty());
}

// A line in two S2M DRS of 32 B: lower half, upper half, nothing between.
ProtocolFlit drs(std::uint16_t tag, bool whole) {
  S2mDrs m;
  m.tag = tag;
  auto f = with(0, 3, {m});
  f.header.sz = whole;
  return f;
}

TEST(DecodeRules, HalvesOfALine) {
  Decoder decoder(kUp);
  const auto next = [&decoder](const ProtocolFlit& f) { return decoder.decode(encode(kUp, f)); };
  for (const std::uint8_t offset : {0, 32, 0, 32}) {
    auto f = drs(7, false);
    f.slots[1].is_data = f.slots[2].is_data = true;
    f.slots[1].raw.fill(offset);
    f.slots[2].raw.fill(static_cast<std::uint8_t>(offset + 1));
    const Decoded d = next(f);
    EXPECT_TRUE(d.findings.empty());
    EXPECT_EQ(decoder.owed(), 0u);
    ASSERT_EQ(d.items.size(), 1u);
    EXPECT_EQ(d.items[0].data_bytes, 32);
    EXPECT_EQ(d.items[0].line_offset, offset);
    EXPECT_EQ(d.items[0].data[15], offset);
    EXPECT_EQ(d.items[0].data[16], offset + 1);
    EXPECT_EQ(d.items[0].data[31], offset + 1);
    EXPECT_EQ(d.items[0].data[32], 0);
  }
  // What may stand between: completions, control flits, a rollover.
  EXPECT_TRUE(next(drs(8, false)).findings.empty());
  EXPECT_TRUE(next(with(0, 4, {S2mNdr{}, S2mNdr{}})).findings.empty());
  EXPECT_TRUE(decoder.decode(encode_control(Llcrd{})).findings.empty());
  EXPECT_TRUE(next(drs(8, false)).findings.empty());
  // Another line, another line's half, the same line whole, one of another LD, CXL.cache data.
  auto cache = with(0, 1, {D2hDh{}});
  cache.header.sz = true;
  auto other_ld = drs(8, false);
  std::get<S2mDrs>(other_ld.slots[0].messages[0]).ld_id = 1;
  for (const auto& between : {drs(9, true), drs(9, false), drs(8, true), other_ld, cache}) {
    Decoder d(kUp);
    EXPECT_TRUE(d.decode(encode(kUp, drs(8, false))).findings.empty());
    EXPECT_TRUE(found(d.decode(encode(kUp, between)), DecodeRule::HalvesApart));
  }
  decoder.reset();
  EXPECT_TRUE(next(drs(8, false)).findings.empty());
  decoder.reset();  // a new link owes no half
  EXPECT_TRUE(next(drs(9, true)).findings.empty());
}

// CXL.cache data: 32 B both ways, byte enables from the device only.
TEST(DecodeRules, CacheSizesAndByteEnables) {
  for (const bool sz : {false, true}) {
    auto down = with(0, 1, {H2dDh{}});
    auto up = with(0, 1, {D2hDh{}});
    down.header.sz = up.header.sz = sz;
    EXPECT_TRUE(decode(kDown, down).findings.empty());
    EXPECT_TRUE(decode(kUp, up).findings.empty());
    down.header.be = up.header.be = true;
    EXPECT_TRUE(found(decode(kDown, down), DecodeRule::ByteEnablesIllegal));
    EXPECT_TRUE(decode(kUp, up).findings.empty());
  }
}

TEST(DecodeRules, CacheMultiDataHeaders) {
  struct Case {
    Direction direction;
    unsigned slot, format;
    Message header;
  };
  for (const Case& c : {Case{kDown, 0, 3, H2dDh{}}, Case{kDown, 3, 3, H2dDh{}},
                        Case{kUp, 0, 2, D2hDh{}}, Case{kUp, 3, 3, D2hDh{}}}) {
    const auto four = full_lines(with(c.slot, c.format, {c.header, c.header, c.header, c.header}));
    Decoder decoder(c.direction);
    EXPECT_TRUE(decoder.decode(encode(c.direction, four)).findings.empty());
    EXPECT_EQ(decoder.owed(), c.slot == 0 ? 13u : 16u);
    auto bad = four;
    bad.header.be = true;
    EXPECT_TRUE(found(decode(c.direction, bad), DecodeRule::MdhNotFullLines));
    const auto one = full_lines(with(c.slot, c.format, {c.header}));
    EXPECT_TRUE(found(decode(c.direction, one), DecodeRule::MdhSingleHeader));
  }
}

TEST(DecodeRules, CacheBoundsPerFlit) {
  // Most messages of a kind, then one more.
  auto requests = with(1, 2, {H2dReq{}});
  requests.header.format[2] = 2;
  requests.slots[2].messages = {H2dReq{}};
  EXPECT_TRUE(decode(kDown, requests).findings.empty());
  requests.slots[0].messages = {H2dReq{}};
  EXPECT_TRUE(found(decode(kDown, requests), DecodeRule::TooManyMessages));

  auto responses = with(1, 1, {H2dRsp{}, H2dRsp{}, H2dRsp{}, H2dRsp{}});
  EXPECT_TRUE(decode(kDown, responses).findings.empty());
  responses.slots[0].messages = {H2dRsp{}};
  EXPECT_TRUE(found(decode(kDown, responses), DecodeRule::TooManyMessages));

  auto answers = with(1, 1, {D2hRsp{}, D2hRsp{}});
  EXPECT_TRUE(decode(kUp, answers).findings.empty());
  answers.slots[0].messages = {D2hRsp{}};
  EXPECT_TRUE(found(decode(kUp, answers), DecodeRule::TooManyMessages));

  auto four = with(0, 1, {D2hReq{}});
  for (const unsigned slot : {1u, 2u, 3u}) {
    four.header.format[slot] = 1;
    four.slots[slot].messages = {D2hReq{}};
  }
  EXPECT_TRUE(decode(kUp, four).findings.empty());
}

TEST(DecodeRules, CacheCredits) {
  ProtocolFlit f;
  f.header.rsp_crd = 1;
  f.header.req_crd = 2;
  f.header.data_crd = 3;
  using enum MessageKind;
  for (const auto& [direction, rsp, req, data] :
       {std::tuple{kDown, D2hRsp, D2hReq, D2hDh}, std::tuple{kUp, H2dRsp, H2dReq, H2dDh}}) {
    const Decoded d = decode(direction, f);
    EXPECT_TRUE(d.findings.empty());
    std::array<unsigned, kMessageKinds> counts{};
    for (const CreditReturn& c : d.credits) counts[index(c.pool)] = c.count;
    EXPECT_EQ(counts[index(rsp)], 1u);
    EXPECT_EQ(counts[index(req)], 2u);
    EXPECT_EQ(counts[index(data)], 4u);
  }
}

TEST(DecodeRules, CacheReservedCodes) {
  D2hReq req;
  for (const unsigned code : {0u, 15u, 17u, 31u}) {
    req.opcode = static_cast<D2hReqOpcode>(code);
    EXPECT_TRUE(found(decode(kUp, with(0, 1, {req})), DecodeRule::ReservedCode)) << code;
  }
  H2dReq snoop;
  snoop.opcode = static_cast<H2dReqOpcode>(4);
  EXPECT_TRUE(found(decode(kDown, with(0, 0, {snoop})), DecodeRule::ReservedCode));
}

TEST(DecodeRules, ReservedCodes) {
  M2sReq req;
  req.opcode = static_cast<M2sReqOpcode>(5);
  EXPECT_TRUE(found(decode(kDown, with(0, 5, {req})), DecodeRule::ReservedCode));
  req = {};
  req.meta_field = static_cast<MetaField>(1);
  EXPECT_TRUE(found(decode(kDown, with(0, 5, {req})), DecodeRule::ReservedCode));
  req = {};
  req.meta_value = static_cast<MetaValue>(1);  // means nothing with MetaField No-Op
  EXPECT_TRUE(decode(kDown, with(0, 5, {req})).findings.empty());
  req.meta_field = MetaField::Meta0State;
  EXPECT_TRUE(found(decode(kDown, with(0, 5, {req})), DecodeRule::ReservedCode));
}

TEST(DecodeRules, ReservedCredits) {
  ProtocolFlit f;
  f.header.req_crd = 0x9;
  EXPECT_TRUE(found(decode(kDown, f), DecodeRule::ReservedCredit));
  EXPECT_TRUE(decode(kUp, f).findings.empty());
  f = {};
  f.header.rsp_crd = 0x9;
  EXPECT_TRUE(found(decode(kUp, f), DecodeRule::ReservedCredit));
  const Decoded d = decode(kDown, f);
  ASSERT_EQ(d.credits.size(), 1u);
  EXPECT_EQ(d.credits[0].pool, MessageKind::S2mNdr);
}

TEST(DecodeRules, FirstPlaceFirst) {
  Flit f = encode(kUp, with(0, 4, {S2mNdr{}, S2mNdr{}}));
  f.set_slot(0, f.slot(0) & ~(u128{1} << 32));  // the first NDR's Valid
  EXPECT_TRUE(found(Decoder(kUp).decode(f), DecodeRule::LoosePacking));
}

// A flit that would be RETRY.Idle is data where four chunks are owed.
TEST(DecodeRules, OwedDataWinsOverTheTypeBit) {
  Decoder decoder(kDown);
  auto write = full_lines(with(3, 5, {M2sRwd{}}));
  EXPECT_TRUE(decoder.decode(encode(kDown, write)).items.empty());
  EXPECT_EQ(decoder.owed(), 4u);
  const Decoded d = decoder.decode(encode_control(RetryIdle{}));
  EXPECT_EQ(d.kind, FlitKind::AllData);
  ASSERT_EQ(d.items.size(), 1u);
  EXPECT_EQ(d.items[0].data[0], 1);
}

// A control flit between protocol flits leaves what is owed alone.
TEST(DecodeRules, ControlFlitKeepsOwedData) {
  Decoder decoder(kDown);
  decoder.decode(encode(kDown, full_lines(with(0, 4, {M2sRwd{}}))));
  EXPECT_EQ(decoder.owed(), 1u);
  EXPECT_EQ(decoder.decode(encode_control(Llcrd{3, 0, 0, 0xF})).acks, 3u);
  EXPECT_EQ(decoder.owed(), 1u);
}

}  // namespace
}  // namespace cxlgpu::flits
