// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
#include "flits/crc16.hpp"

#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <fstream>
#include <map>
#include <nlohmann/json.hpp>

#include "flits/flit.hpp"

namespace cxlgpu::flits {
namespace {

using Payload = std::array<std::uint8_t, 64>;

// The definition, one bit at a time.
std::uint16_t by_bits(const Payload& p) {
  std::uint16_t crc = 0;
  for (int i = 511; i >= 0; --i) {
    const bool out = ((crc >> 15) ^ (p[i / 8] >> (i % 8))) & 1;
    crc = static_cast<std::uint16_t>(crc << 1 ^ (out ? 0xF053 : 0));
  }
  return crc;
}

Payload one_bit(unsigned i) {
  Payload p{};
  p[i / 8] = static_cast<std::uint8_t>(1u << (i % 8));
  return p;
}

Payload random_payload() {
  const auto bytes =
      *rc::gen::container<std::vector<std::uint8_t>>(64, rc::gen::arbitrary<std::uint8_t>());
  Payload p;
  std::copy(bytes.begin(), bytes.end(), p.begin());
  return p;
}

TEST(Crc16, KnownAnswers) {
  std::ifstream file(CXLGPU_SOURCE_DIR "/flits/vectors/crc16.json");
  const auto vectors = nlohmann::json::parse(file)["vectors"];
  ASSERT_EQ(vectors.size(), 10u);
  for (const auto& v : vectors) {
    Payload p;
    ASSERT_TRUE(hex_to_bytes(v["payload"].get<std::string>(), p)) << v["name"];
    EXPECT_EQ(crc16(p), std::stoul(v["crc"].get<std::string>(), nullptr, 16)) << v["name"];
  }
}

TEST(Crc16, EqualsTheBitwiseDefinition) {
  EXPECT_TRUE(rc::check([] {
    const Payload p = random_payload();
    RC_ASSERT(crc16(p) == by_bits(p));
  }));
}

TEST(Crc16, IsLinear) {
  EXPECT_TRUE(rc::check([] {
    const Payload a = random_payload(), b = random_payload();
    Payload sum;
    for (int i = 0; i < 64; ++i) sum[i] = a[i] ^ b[i];
    RC_ASSERT(crc16(sum) == (crc16(a) ^ crc16(b)));
  }));
}

// CRC bit b is the parity of a mask over the payload; two of them written out as literals.
TEST(Crc16, MasksFromThePolynomial) {
  const std::map<int, std::string> masks{
      {15,
       "EF9CD9F9C4BBB83A3E84A97CD7AEDA13FAEB01B85B204A4CAE1E79D977535D21"
       "DC7FDD6A38F03E77F5F52A2C636DB05C3978EA30CD50E0D99B0693D4746B2431"},
      {0,
       "DF39B3F3897770747D0952F9AF5DB427F5D60370B64094995C3CF3B2EEA6BA43"
       "B8FFBAD471E07CEFEBEA5458C6DB60B872F1D4619AA1C1B3360D27A8E8D64863"}};
  for (const auto& [bit, hex] : masks) {
    Payload mask;
    ASSERT_TRUE(hex_to_bytes(hex, mask));
    for (unsigned i = 0; i < 512; ++i) {
      const bool in_mask = mask[63 - i / 8] >> (i % 8) & 1;
      ASSERT_EQ(crc16(one_bit(i)) >> bit & 1, in_mask) << "mask " << bit << " bit " << i;
    }
  }
}

// Over all 528 bits: one and two wrong bits never go unseen, three are caught as well.
TEST(Crc16, SmallErrorsAreDetected) {
  std::vector<std::uint16_t> syndrome;
  for (unsigned i = 0; i < 512; ++i) syndrome.push_back(crc16(one_bit(i)));
  for (unsigned i = 0; i < 16; ++i) syndrome.push_back(static_cast<std::uint16_t>(1u << i));
  std::vector<bool> single(65536);
  for (auto s : syndrome) {
    ASSERT_NE(s, 0);
    ASSERT_FALSE(single[s]) << "two single-bit errors look alike";
    single[s] = true;
  }
  for (std::size_t i = 0; i < syndrome.size(); ++i) {
    for (std::size_t j = 0; j < i; ++j) ASSERT_FALSE(single[syndrome[i] ^ syndrome[j]]);
  }
}

TEST(Crc16, AnyDamagedBitOfAFlitIsSeen) {
  Flit flit;
  for (unsigned i = 0; i < 64; ++i) flit.payload()[i] = static_cast<std::uint8_t>(7 * i + 3);
  flit.set_crc();
  ASSERT_TRUE(flit.crc_ok());
  for (unsigned bit = 16; bit < 8 * Flit::kBytes; ++bit) {
    Flit damaged = flit;
    damaged.bytes[bit / 8] ^= static_cast<std::uint8_t>(1u << (bit % 8));
    EXPECT_FALSE(damaged.crc_ok()) << bit;
  }
}

}  // namespace
}  // namespace cxlgpu::flits
