// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
// Packets of CXL.io: the golden flits of docs/blocks/cxl_io/README.md, and packets anywhere in the
// stream. Expected values are by hand, of PCIe 5.0.
#include "flits/io_stream.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <nlohmann/json.hpp>

namespace cxlgpu::flits {
namespace {

using Json = nlohmann::ordered_json;

// A CXL.io flit whose payload begins with these bytes at DW `dw`.
Flit flit_of(std::string_view hex, std::size_t dw = 0) {
  Flit flit;
  flit.set_protocol_id(ProtocolId::Io);
  std::vector<std::uint8_t> bytes(hex.size() / 2);
  EXPECT_TRUE(hex_to_bytes(hex, bytes));
  std::copy(bytes.begin(), bytes.end(), flit.payload().begin() + static_cast<long>(4 * dw));
  return flit;
}

Json only(std::string_view hex) {
  IoStream stream;
  const auto packets = stream.take(flit_of(hex));
  EXPECT_EQ(packets.size(), 1u) << hex;
  return packets.size() == 1 ? to_json(packets[0]) : Json();
}

constexpr std::string_view kConfigRead =
    "5f00600004000001000"
    "8000f01000000"
    "28e8c5cc";
constexpr std::string_view kWrite =
    "7f00b1236000000100000"
    "50f0000123456781808"
    "efbeadde"
    "2f2205a0";

TEST(IoStream, GoldenDllps) {
  const Json ack = only("f0ac00000000b362");
  EXPECT_EQ(ack, (Json{{"kind", "DLLP"},
                       {"dw", 0},
                       {"dws", 2},
                       {"type", "Ack"},
                       {"sequence", 0},
                       {"crc_ok", true}}));
  const Json nak = only("f0ac10000fffcecf");
  EXPECT_EQ(nak["type"], "Nak");
  EXPECT_EQ(nak["sequence"], 0xFFF);
  EXPECT_EQ(nak["crc_ok"], true);
  const Json posted = only("f0ac40010008f27e");
  EXPECT_EQ(posted["type"], "InitFC1-P");
  EXPECT_EQ(posted["vc"], 0);
  EXPECT_EQ(posted["hdr_credits"], 4);
  EXPECT_EQ(posted["data_credits"], 8);
  EXPECT_EQ(only("f0ac60000000d892")["type"], "InitFC1-Cpl");
  EXPECT_EQ(only("f0ac60000000d893")["crc_ok"], false);
}

TEST(IoStream, GoldenTlps) {
  EXPECT_EQ(only(kConfigRead), (Json{{"kind", "TLP"},
                                     {"dw", 0},
                                     {"dws", 5},
                                     {"sequence", 0},
                                     {"type", "CfgRd0"},
                                     {"tc", 0},
                                     {"attr", 0},
                                     {"at", 0},
                                     {"td", false},
                                     {"ep", false},
                                     {"length", 1},
                                     {"requester", "00:01.0"},
                                     {"tag", "0x0"},
                                     {"first_be", "0xf"},
                                     {"last_be", "0x0"},
                                     {"target", "01:00.0"},
                                     {"register", "0x0"},
                                     {"crc_ok", true},
                                     {"nullified", false}}));
  const Json write = only(kWrite);
  EXPECT_EQ(write["type"], "MWr");
  EXPECT_EQ(write["sequence"], 0x123);
  EXPECT_EQ(write["tag"], "0x5");
  EXPECT_EQ(write["address"], "0x123456781808");
  EXPECT_EQ(write["data"], "efbeadde");
  EXPECT_EQ(write["crc_ok"], true);
  IoStream stream;
  EXPECT_EQ(to_text(stream.take(flit_of(kConfigRead))[0]),
            "TLP CfgRd0 sequence=0 length=1 requester=00:01.0 tag=0x0 first_be=0xf last_be=0x0 "
            "target=01:00.0 register=0x0");
}

TEST(IoStream, SeveralInAFlitAndOneThatGoesOn) {
  // Ack at DW 1, configuration read at DW 3, the write at DW 13: 3 DWs here and 4 in the next.
  Flit first = flit_of("f0ac00000000b362", 1);
  const Flit read = flit_of(kConfigRead, 3), write = flit_of(kWrite.substr(0, 24), 13);
  for (std::size_t i = 0; i < 64; ++i) {
    first.payload()[i] |= static_cast<std::uint8_t>(read.payload()[i] | write.payload()[i]);
  }
  const Flit second = flit_of(std::string(kWrite.substr(24)) + "f0ac00000000b362");
  IoStream stream;
  const auto here = stream.take(first);
  ASSERT_EQ(here.size(), 3u);
  EXPECT_EQ(to_json(here[0])["dw"], 1);
  EXPECT_EQ(to_json(here[1])["type"], "CfgRd0");
  EXPECT_EQ(to_json(here[2]), (Json{{"kind", "TLP"}, {"part", "begins"}, {"dw", 13}, {"dws", 3}}));
  const auto there = stream.take(second);
  ASSERT_EQ(there.size(), 2u);
  const Json end = to_json(there[0]);
  EXPECT_EQ(end["part"], "ends");
  EXPECT_EQ(end["dws"], 4);
  EXPECT_EQ(end["address"], "0x123456781808");
  EXPECT_EQ(end["crc_ok"], true);
  EXPECT_EQ(to_json(there[1])["type"], "Ack");
  // Recovery in between: the rest is no packet.
  stream.take(first);
  stream.reset();
  const auto lost = stream.take(second);
  ASSERT_EQ(lost.size(), 1u);
  EXPECT_EQ(to_json(lost[0])["kind"], "framing error");
}

TEST(IoStream, NullifiedAndDamaged) {
  // EDB behind it and the complement of its LCRC.
  std::string nullified(kConfigRead);
  nullified.replace(32, 8, "d7173a33");
  const Json gone = only(nullified + "c0c0c0c0");
  EXPECT_EQ(gone["nullified"], true);
  EXPECT_EQ(gone["crc_ok"], false);
  EXPECT_EQ(only(nullified)["nullified"], false) << "without EDB it is damaged";
  EXPECT_EQ(only(std::string(kConfigRead) + "c0c0c0c0")["nullified"], false);
  // FCRC, parity and a length of 4 in the token.
  for (const char* token : {"5f007000", "5f806000", "4f80f000", "5e006000"}) {
    std::string broken(kConfigRead);
    broken.replace(0, 8, token);
    EXPECT_EQ(only(broken)["kind"], "framing error") << token;
  }
  EXPECT_TRUE(IoStream{}.take(flit_of("")).empty()) << "all idle";
}

TEST(IoStream, EdbOfATlpThatEndedItsFlit) {
  IoStream stream;
  const Flit last = flit_of(kConfigRead, 11);
  ASSERT_EQ(stream.take(last).size(), 1u);
  const auto after = stream.take(flit_of("c0c0c0c0f0ac00000000b362"));
  ASSERT_EQ(after.size(), 2u);
  EXPECT_EQ(to_json(after[0])["kind"], "EDB");
  EXPECT_EQ(to_json(stream.take(flit_of("c0c0c0c0"))[0])["kind"], "framing error");
}

// By their tokens TLPs of 5, 6 and 7 DWs, token and LCRC included; the LCRC is not looked at.
Json header_of(std::string_view tlp_hex) {
  constexpr std::string_view kTokens[] = {"5f006000", "6f802000", "7f00b000"};
  return only(std::string(kTokens[tlp_hex.size() / 8 - 3]) + std::string(tlp_hex) + "00000000");
}

TEST(IoStream, EachHeader) {
  // T9 and T8 of the tag, byte count 0 and length 0, which stand for 4096 and 1024.
  const Json completion = header_of(
      "0a88000001083000"
      "0208ab44");
  EXPECT_EQ(completion["type"], "Cpl");
  EXPECT_EQ(completion["completer"], "01:01.0");
  EXPECT_EQ(completion["status"], "UR");
  EXPECT_EQ(completion["bcm"], true);
  EXPECT_EQ(completion["byte_count"], 4096);
  EXPECT_EQ(completion["requester"], "02:01.0");
  EXPECT_EQ(completion["tag"], "0x3ab");
  EXPECT_EQ(completion["lower_address"], "0x44");
  EXPECT_EQ(completion["length"], 1024);
  EXPECT_EQ(completion["crc_ok"], false);
  // TC 5, all attributes, AT 1, EP, and a digest, which is no data.
  const Json config = header_of(
      "4554f40100131a05"
      "05ff02a8"
      "deadbeef"
      "11223344");
  EXPECT_EQ(config["type"], "CfgWr1");
  EXPECT_EQ(config["tc"], 5);
  EXPECT_EQ(config["attr"], 7);
  EXPECT_EQ(config["at"], 1);
  EXPECT_EQ(config["td"], true);
  EXPECT_EQ(config["ep"], true);
  EXPECT_EQ(config["requester"], "00:02.3");
  EXPECT_EQ(config["first_be"], "0x5");
  EXPECT_EQ(config["last_be"], "0x0");
  EXPECT_EQ(config["target"], "05:1f.7");
  EXPECT_EQ(config["register"], "0x2a8");
  EXPECT_EQ(config["data"], "deadbeef");
  const Json read = header_of(
      "2000000201005afc"
      "000001234567890c");
  EXPECT_EQ(read["type"], "MRd");
  EXPECT_EQ(read["address"], "0x1234567890c");
  EXPECT_EQ(read["first_be"], "0xc");
  EXPECT_EQ(read["last_be"], "0xf");
  EXPECT_FALSE(read.contains("data"));
  // A PM message of CXL.
  const Json message = header_of(
      "720000010100007e"
      "02081e9800000068"
      "01020304");
  EXPECT_EQ(message["type"], "MsgD");
  EXPECT_EQ(message["routing"], "by ID");
  EXPECT_EQ(message["target"], "02:01.0");
  EXPECT_EQ(message["code"], "0x7e");
  EXPECT_EQ(message["vendor"], "1e98");
  EXPECT_EQ(message["header"], "02081e9800000068");
  EXPECT_EQ(message["data"], "01020304");
  EXPECT_EQ(header_of("800000000000000000000000")["type"], "prefix");
  EXPECT_EQ(header_of("1f0000000000000000000000")["type"], "reserved TLP");
  EXPECT_EQ(header_of("240000000000000000000000"
                      "00000000")["type"],
            "reserved TLP");
  // A header of 4 DWs in a TLP of 3.
  EXPECT_EQ(header_of("200000000000000000000000")["data"], "200000000000000000000000");
}

}  // namespace
}  // namespace cxlgpu::flits
