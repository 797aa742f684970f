// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
#include "flits/codec.hpp"

#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <fstream>
#include <map>

#include "flits/text.hpp"
#include "stream.hpp"

namespace cxlgpu::flits {
namespace {

using test::Random;
using test::StreamMaker;

// ---- positions, entered a second time from the specification's tables --------------------------

using Position = std::pair<unsigned, unsigned>;  // start, width
const std::map<std::string, std::map<std::string, Position>> kPositions{
    {"M2S Req",
     {{"valid", {0, 1}},
      {"opcode", {1, 4}},
      {"snp_type", {5, 3}},
      {"meta_field", {8, 2}},
      {"meta_value", {10, 2}},
      {"tag", {12, 16}},
      {"address", {28, 47}},
      {"tc", {75, 2}},
      {"ld_id", {77, 4}}}},
    {"M2S RwD",
     {{"valid", {0, 1}},
      {"opcode", {1, 4}},
      {"snp_type", {5, 3}},
      {"meta_field", {8, 2}},
      {"meta_value", {10, 2}},
      {"tag", {12, 16}},
      {"address", {28, 46}},
      {"poison", {74, 1}},
      {"tc", {75, 2}},
      {"ld_id", {77, 4}}}},
    {"S2M NDR",
     {{"valid", {0, 1}},
      {"opcode", {1, 3}},
      {"meta_field", {4, 2}},
      {"meta_value", {6, 2}},
      {"tag", {8, 16}},
      {"ld_id", {24, 4}},
      {"dev_load", {28, 2}}}},
    {"S2M DRS",
     {{"valid", {0, 1}},
      {"opcode", {1, 3}},
      {"meta_field", {4, 2}},
      {"meta_value", {6, 2}},
      {"tag", {8, 16}},
      {"poison", {24, 1}},
      {"ld_id", {25, 4}},
      {"dev_load", {29, 2}}}},
    {"H2D Req", {{"valid", {0, 1}}, {"opcode", {1, 3}}, {"address", {4, 46}}, {"uqid", {50, 12}}}},
    {"H2D Rsp",
     {{"valid", {0, 1}},
      {"opcode", {1, 4}},
      {"rsp_data", {5, 12}},
      {"rsp_pre", {17, 2}},
      {"cqid", {19, 12}}}},
    {"H2D DH",
     {{"valid", {0, 1}},
      {"cqid", {1, 12}},
      {"chunk_valid", {13, 1}},
      {"poison", {14, 1}},
      {"go_err", {15, 1}}}},
    {"D2H Req",
     {{"valid", {0, 1}},
      {"opcode", {1, 5}},
      {"cqid", {6, 12}},
      {"nt", {18, 1}},
      {"address", {26, 46}}}},
    {"D2H Rsp", {{"valid", {0, 1}}, {"opcode", {1, 5}}, {"uqid", {6, 12}}}},
    {"D2H DH",
     {{"valid", {0, 1}},
      {"uqid", {1, 12}},
      {"chunk_valid", {13, 1}},
      {"bogus", {14, 1}},
      {"poison", {15, 1}}}},
};

template <std::size_t I = 0>
void check_positions() {
  if constexpr (I < kMessageKinds) {
    using M = std::variant_alternative_t<I, Message>;
    const auto& expected = kPositions.at(std::string(kMessageNames[I]));
    std::size_t fields = 0;
    for_each_field<M>([&](const auto& f) {
      using T = std::remove_cvref_t<decltype(M{}.*f.member)>;
      const auto [at, width] = expected.at(std::string(f.name));
      M low{}, all{};
      for_each_field<M>([&](const auto& g) {
        low.*g.member = {};
        all.*g.member = {};
      });
      low.*f.member = static_cast<T>(std::uint64_t{1} << f.shift);
      all.*f.member = static_cast<T>(~std::uint64_t{0});
      EXPECT_TRUE(pack(low) == u128{1} << at) << kMessageNames[I] << ' ' << f.name;
      const u128 ones = std::is_same_v<T, bool> ? u128{1} : low_mask(width);
      EXPECT_TRUE(pack(all) == ones << at) << kMessageNames[I] << ' ' << f.name;
      ++fields;
    });
    EXPECT_EQ(fields, expected.size());
    check_positions<I + 1>();
  }
}

TEST(Messages, FieldPositions) {
  check_positions();
}

struct Places {
  Direction direction;
  const char* format;
  std::vector<std::pair<MessageKind, unsigned>> at;
};

TEST(Slots, MessagePositions) {
  using enum MessageKind;
  const Direction down = Direction::M2S, up = Direction::S2M;
  const std::vector<Places> all{
      {down, "H0", {{H2dReq, 32}, {H2dRsp, 96}}},
      {down, "H1", {{H2dDh, 32}, {H2dRsp, 56}, {H2dRsp, 88}}},
      {down, "H2", {{H2dReq, 32}, {H2dDh, 96}}},
      {down, "H3", {{H2dDh, 32}, {H2dDh, 56}, {H2dDh, 80}, {H2dDh, 104}}},
      {down, "H4", {{MessageKind::M2sRwd, 32}}},
      {down, "H5", {{MessageKind::M2sReq, 32}}},
      {down, "G1", {{H2dRsp, 0}, {H2dRsp, 32}, {H2dRsp, 64}, {H2dRsp, 96}}},
      {down, "G2", {{H2dReq, 0}, {H2dDh, 64}, {H2dRsp, 88}}},
      {down, "G3", {{H2dDh, 0}, {H2dDh, 24}, {H2dDh, 48}, {H2dDh, 72}, {H2dRsp, 96}}},
      {down, "G4", {{MessageKind::M2sReq, 0}, {H2dDh, 88}}},
      {down, "G5", {{MessageKind::M2sRwd, 0}, {H2dRsp, 88}}},
      {up, "H0", {{D2hDh, 32}, {D2hRsp, 49}, {D2hRsp, 69}, {S2mNdr, 89}}},
      {up, "H1", {{D2hReq, 32}, {D2hDh, 111}}},
      {up, "H2", {{D2hDh, 32}, {D2hDh, 49}, {D2hDh, 66}, {D2hDh, 83}, {D2hRsp, 100}}},
      {up, "H3", {{S2mDrs, 32}, {S2mNdr, 72}}},
      {up, "H4", {{S2mNdr, 32}, {S2mNdr, 60}}},
      {up, "H5", {{S2mDrs, 32}, {S2mDrs, 72}}},
      {up, "G1", {{D2hReq, 0}, {D2hRsp, 79}, {D2hRsp, 99}}},
      {up, "G2", {{D2hReq, 0}, {D2hDh, 79}, {D2hRsp, 96}}},
      {up, "G3", {{D2hDh, 0}, {D2hDh, 17}, {D2hDh, 34}, {D2hDh, 51}}},
      {up, "G4", {{S2mDrs, 0}, {S2mNdr, 40}, {S2mNdr, 68}}},
      {up, "G5", {{S2mNdr, 0}, {S2mNdr, 28}}},
      {up, "G6", {{S2mDrs, 0}, {S2mDrs, 40}, {S2mDrs, 80}}},
  };
  for (const Places& f : all) {
    const unsigned slot = f.format[0] == 'H' ? 0 : 2;
    ProtocolFlit content;
    content.header.format[slot] = static_cast<std::uint8_t>(f.format[1] - '0');
    u128 expected = 0;
    for (const auto& [kind, at] : f.at) {
      content.slots[slot].messages.push_back(unpack(kind, 1));  // only Valid is set
      expected |= u128{1} << at;
    }
    const u128 got = encode(f.direction, content).slot(slot);
    EXPECT_TRUE((slot == 0 ? got >> 32 << 32 : got) == expected) << f.format << index(f.direction);
  }
}

TEST(Slots, SplitNdrPair) {
  S2mNdr first, second;
  first.meta_field = second.meta_field = MetaField::Meta0State;
  first.dev_load = DevLoad::Moderate;
  second.dev_load = DevLoad::Optimal;
  struct Case {
    unsigned slot, format, first_valid, second_valid, second_load, first_load;
    bool drs;
  };
  for (const Case& c : {Case{0, 4, 32, 60, 88, 90, false}, Case{1, 4, 40, 68, 96, 98, true},
                        Case{3, 5, 0, 28, 56, 58, false}}) {
    ProtocolFlit content;
    content.header.format[c.slot] = static_cast<std::uint8_t>(c.format);
    content.slots[c.slot].messages = {first, second};
    const u128 bits = encode(Direction::S2M, content).slot(c.slot);
    EXPECT_EQ(get_bits(bits, c.first_valid, 1), 1u);
    EXPECT_EQ(get_bits(bits, c.second_valid, 1), 1u);
    EXPECT_EQ(get_bits(bits, c.second_load, 2), 1u);
    EXPECT_EQ(get_bits(bits, c.first_load, 2), 2u);
    const unsigned from = c.slot == 0 ? kHeaderSlotBit : 0;
    EXPECT_EQ(std::popcount(static_cast<std::uint64_t>(bits >> from)) +
                  std::popcount(static_cast<std::uint64_t>(bits >> from >> 64)),
              4);
  }
}

// ---- worked flits, both ways --------------------------------------------------------------------

TEST(Codec, WorkedFlits) {
  std::ifstream file(CXLGPU_SOURCE_DIR "/flits/vectors/flits.json");
  const auto vectors = nlohmann::ordered_json::parse(file)["vectors"];
  ASSERT_EQ(vectors.size(), 34u);
  for (const auto& v : vectors) {
    const std::string what = v["name"];
    const auto flit = Flit::from_hex(v["flit"].get<std::string>());
    ASSERT_TRUE(flit) << what;
    EXPECT_EQ(flit->crc_ok(), !what.starts_with("ALMP")) << what;  // an ALMP has none
    EXPECT_EQ(flit_from_json(v["content"]).to_hex(), flit->to_hex()) << what;
    const auto direction = *direction_from_name(v["content"]["direction"].get<std::string>());
    const auto json = to_json(*flit, direction, what.starts_with("fourth") ? 1 : 0);
    auto merged = json;
    merged.merge_patch(v["content"]);
    EXPECT_EQ(json, merged) << what;
    EXPECT_FALSE(json.contains("raw")) << what;
  }
}

TEST(Codec, WorkedWriteIsReceived) {
  std::ifstream file(CXLGPU_SOURCE_DIR "/flits/vectors/flits.json");
  const auto vectors = nlohmann::ordered_json::parse(file)["vectors"];
  Decoder decoder(Direction::M2S);
  std::vector<Item> items;
  for (const auto& v : vectors) {
    const std::string what = v["name"];
    if (!what.starts_with("MemWr") && !what.starts_with("fourth")) continue;
    const Decoded d = decoder.decode(*Flit::from_hex(v["flit"].get<std::string>()));
    EXPECT_TRUE(d.findings.empty());
    items.insert(items.end(), d.items.begin(), d.items.end());
    EXPECT_EQ(decoder.owed(), what.starts_with("MemWr") ? 1u : 0u);
  }
  ASSERT_EQ(items.size(), 1u);
  const auto& write = std::get<M2sRwd>(items[0].message);
  EXPECT_EQ(write.tag, 0xCAFE);
  EXPECT_EQ(write.address, 0x123456780u);
  for (unsigned i = 0; i < 64; ++i) EXPECT_EQ(items[0].data[i], i);
}

// The same line in two halves of 32 B: two slots each, at 0 and at 32.
TEST(Codec, WorkedHalvesAreReceived) {
  std::ifstream file(CXLGPU_SOURCE_DIR "/flits/vectors/flits.json");
  const auto vectors = nlohmann::ordered_json::parse(file)["vectors"];
  Decoder decoder(Direction::S2M);
  std::vector<Item> items;
  for (const auto& v : vectors) {
    if (!v["name"].get<std::string>().starts_with("DRS of 32 B")) continue;
    const Decoded d = decoder.decode(*Flit::from_hex(v["flit"].get<std::string>()));
    EXPECT_TRUE(d.findings.empty());
    EXPECT_EQ(decoder.owed(), 0u);
    items.insert(items.end(), d.items.begin(), d.items.end());
  }
  ASSERT_EQ(items.size(), 2u);
  for (const Item& item : items) {
    EXPECT_EQ(std::get<S2mDrs>(item.message).tag, 0xBEEF);
    EXPECT_EQ(item.data_bytes, 32);
    for (unsigned i = 0; i < 32; ++i) EXPECT_EQ(item.data[i], item.line_offset + i);
  }
  EXPECT_EQ(items[0].line_offset, 0);
  EXPECT_EQ(items[1].line_offset, 32);
}

// ---- CXL.cache opcodes, entered a second time from the specification's tables ------------------

template <class E>
void check_codes(const std::map<std::string, unsigned>& expected) {
  EXPECT_EQ(NamesOf<E>::table.size(), expected.size());
  for (const auto& [text, code] : expected) {
    const auto found = from_name<E>(text);
    ASSERT_TRUE(found) << text;
    EXPECT_EQ(static_cast<unsigned>(*found), code) << text;
  }
}

TEST(Messages, CacheOpcodes) {
  check_codes<D2hReqOpcode>({{"RdCurr", 0b00001},
                             {"RdOwn", 0b00010},
                             {"RdShared", 0b00011},
                             {"RdAny", 0b00100},
                             {"RdOwnNoData", 0b00101},
                             {"ItoMWr", 0b00110},
                             {"MemWr", 0b00111},
                             {"CLFlush", 0b01000},
                             {"CleanEvict", 0b01001},
                             {"DirtyEvict", 0b01010},
                             {"CleanEvictNoData", 0b01011},
                             {"WOWrInv", 0b01100},
                             {"WOWrInvF", 0b01101},
                             {"WrInv", 0b01110},
                             {"CacheFlushed", 0b10000}});
  check_codes<D2hRspOpcode>({{"RspIHitI", 0b00100},
                             {"RspVHitV", 0b00110},
                             {"RspIHitSE", 0b00101},
                             {"RspSHitSE", 0b00001},
                             {"RspSFwdM", 0b00111},
                             {"RspIFwdM", 0b01111},
                             {"RspVFwdV", 0b10110}});
  check_codes<H2dReqOpcode>({{"SnpData", 0b001}, {"SnpInv", 0b010}, {"SnpCur", 0b011}});
  check_codes<H2dRspOpcode>({{"WritePull", 0b0001},
                             {"GO", 0b0100},
                             {"GO_WritePull", 0b0101},
                             {"ExtCmp", 0b0110},
                             {"GO_WritePull_Drop", 0b1000},
                             {"Fast_GO", 0b1100},
                             {"Fast_GO_WritePull", 0b1101},
                             {"GO_ERR_WritePull", 0b1111}});
}

// ---- streams ------------------------------------------------------------------------------------

void check_stream(Direction direction) {
  EXPECT_TRUE(rc::check([direction] {
    const auto seed = *rc::gen::arbitrary<std::uint64_t>();
    const auto length = *rc::gen::inRange(1u, 80u);
    const auto stream = StreamMaker(direction, seed).make(length);
    Decoder decoder(direction);
    for (const auto& step : stream.steps) {
      RC_ASSERT(step.flit.crc_ok());
      RC_ASSERT(decoder.owed() == step.owed_before);
      const auto json = to_json(step.flit, direction, decoder.owed());
      RC_ASSERT(!json.contains("raw"));
      RC_ASSERT(flit_from_json(nlohmann::ordered_json::parse(json.dump())) == step.flit);
      RC_ASSERT(!to_text(step.flit, direction, decoder.owed()).empty());
      const Decoded d = decoder.decode(step.flit);
      for (const auto& f : d.findings) RC_FAIL(describe(f));
      RC_ASSERT(std::vector<Item>(d.items.begin(), d.items.end()) == step.items);
    }
    RC_ASSERT(decoder.owed() == 0u);
  }));
}

TEST(Decoder, RandomStreamsM2S) {
  check_stream(Direction::M2S);
}
TEST(Decoder, RandomStreamsS2M) {
  check_stream(Direction::S2M);
}

// Any bytes at all: no crash, no loss of what is owed, and JSON gives the flit back.
TEST(Decoder, SurvivesNoise) {
  EXPECT_TRUE(rc::check([] {
    Random random(*rc::gen::arbitrary<std::uint64_t>());
    const auto direction = random.chance(50) ? Direction::M2S : Direction::S2M;
    Decoder decoder(direction);
    for (int n = 0; n < 50; ++n) {
      Flit flit;
      for (auto& b : flit.bytes) b = static_cast<std::uint8_t>(random.bits(8));
      if (random.chance(80)) flit.set_protocol_id(ProtocolId::CacheMem);
      if (random.chance(10)) flit.set_protocol_id(ProtocolId::Almp);
      if (random.chance(80)) flit.bytes[2] &= 0xFE;
      RC_ASSERT(flit_from_json(to_json(flit, direction, decoder.owed())) == flit);
      RC_ASSERT(!to_text(flit, direction, decoder.owed()).empty());
      decoder.decode(flit);
      RC_ASSERT(decoder.owed() <= 20u);
    }
  }));
}

TEST(Control, RoundTrip) {
  EXPECT_TRUE(rc::check([] {
    Random random(*rc::gen::arbitrary<std::uint64_t>());
    const Control control = random.control();
    const Flit flit = encode_control(control);
    const auto back = classify_control(flit);
    RC_ASSERT(back.has_value());
    RC_ASSERT(*back == control);
    RC_ASSERT(is_canonical(flit, control));
    RC_ASSERT(classify_retry(flit).has_value() == is_retry(control));
    RC_ASSERT(control_from_json(to_json(control)) == control);
    Flit odd = flit;
    odd.bytes[66 - 1 - random.below(48)] ^= 0x40;  // somewhere in slots 1-3
    RC_ASSERT(!classify_retry(odd).has_value());
  }));
}

TEST(Control, FullAckTakesItsBit3FromTheHeader) {
  const Flit flit = encode_control(Llcrd{0xA8, 0, 0, 0});
  EXPECT_TRUE(flit.bytes[2] & 4);
  EXPECT_EQ(flit.bytes[2 + 8], 0xA0);
  EXPECT_EQ(encode_control(IdeTmac{{1, 2, 3, 4, 5}}).to_hex().substr(4, 32),
            "21000001220203040500000000000000");
}

TEST(Codec, CreditCodes) {
  EXPECT_EQ(decode_credit(0x9).count, 1u);
  EXPECT_TRUE(decode_credit(0x9).mem);
  EXPECT_EQ(decode_credit(0x7).count, 64u);
  EXPECT_FALSE(decode_credit(0x7).mem);
  EXPECT_EQ(encode_credit(true, 0), 0);
  EXPECT_EQ(encode_credit(true, 3), 0xA);
  EXPECT_EQ(encode_credit(true, 200), 0xF);
  EXPECT_EQ(encode_credit(false, 4), 3);
}

TEST(Codec, MessageWithoutAPlaceIsRefused) {
  ProtocolFlit content;
  content.header.format[0] = 5;
  content.slots[0].messages = {M2sRwd{}};
  EXPECT_THROW(encode(Direction::M2S, content), std::invalid_argument);
}

}  // namespace
}  // namespace cxlgpu::flits
