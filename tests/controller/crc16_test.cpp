// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
// crc16 against the bit-serial definition, flits::crc16 and the published vectors.
#include <fstream>
#include <nlohmann/json.hpp>

#include "Vcrc16.h"
#include "tests/common/requirement.hpp"
#include "tests/controller/ports.hpp"

namespace cxlgpu::test {
namespace {

std::uint16_t serial_crc(const Payload& payload) {
  unsigned crc = 0;
  for (int bit = 511; bit >= 0; --bit) {
    const unsigned top = ((crc >> 15) ^ (payload[bit / 8] >> (bit % 8))) & 1;
    crc = ((crc << 1) & 0xFFFF) ^ (top != 0 ? 0xF053 : 0);
  }
  return static_cast<std::uint16_t>(crc);
}

TEST(Crc16, RandomPayloadsAgree) {
  Lockstep run("controller/crc16", 16);
  Random random(run.seed());
  Covered<Vcrc16> top;
  Vcrc16& rtl = *top;
  while (run.next()) {
    Payload payload = random_payload(random);
    if (random.percent(30)) {  // one bit
      payload.fill(0);
      payload[random.below(64)] = static_cast<std::uint8_t>(1u << random.below(8));
    }
    set_line(rtl.payload_i, 0, payload);
    rtl.valid_i = random.percent(90);
    rtl.eval();
    if (!rtl.valid_i) {
      run.check("crc_o (no flit)", rtl.crc_o, 0);
      continue;
    }
    run.check("crc_o", rtl.crc_o, crc_of(payload));
    if (run.cycle() % 64 == 0) run.check("crc_o (serial)", rtl.crc_o, serial_crc(payload));
  }
}

// Written out here, and of flits/vectors/crc16.json.
TEST(Crc16, KnownAnswers) {
  test::shows("flit", "CRC-16 of known payloads", "CXL 2.0, link layer, CRC");
  const auto crc = [](const Payload& payload) {
    Covered<Vcrc16> top;
    Vcrc16& rtl = *top;
    rtl.valid_i = true;
    set_line(rtl.payload_i, 0, payload);
    rtl.eval();
    EXPECT_EQ(rtl.crc_o, crc_of(payload));
    return rtl.crc_o;
  };
  const auto one_bit = [](unsigned bit) {
    Payload payload{};
    payload[bit / 8] = static_cast<std::uint8_t>(1u << (bit % 8));
    return payload;
  };
  Payload ones, counting;
  ones.fill(0xFF);
  for (unsigned i = 0; i < 64; ++i) counting[i] = static_cast<std::uint8_t>(i);
  EXPECT_EQ(crc(Payload{}), 0x0000);
  EXPECT_EQ(crc(one_bit(0)), 0xF053);
  EXPECT_EQ(crc(one_bit(1)), 0x10F5);
  EXPECT_EQ(crc(one_bit(31)), 0x1989);
  EXPECT_EQ(crc(one_bit(127)), 0x16B2);
  EXPECT_EQ(crc(one_bit(255)), 0x87B7);
  EXPECT_EQ(crc(one_bit(383)), 0xBDC1);
  EXPECT_EQ(crc(one_bit(511)), 0xC47D);
  EXPECT_EQ(crc(ones), 0x7856);
  EXPECT_EQ(crc(counting), 0xABF7);
  std::ifstream file(CXLGPU_SOURCE_DIR "/flits/vectors/crc16.json");
  const auto vectors = nlohmann::json::parse(file)["vectors"];
  ASSERT_EQ(vectors.size(), 10u);
  for (const auto& v : vectors) {
    Payload payload;
    ASSERT_TRUE(flits::hex_to_bytes(v["payload"].get<std::string>(), payload)) << v["name"];
    EXPECT_EQ(crc(payload), std::stoul(v["crc"].get<std::string>(), nullptr, 16)) << v["name"];
  }
}

}  // namespace
}  // namespace cxlgpu::test
