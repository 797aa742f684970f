// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
#include "flits/text.hpp"

#include <gtest/gtest.h>

namespace cxlgpu::flits {
namespace {

using Json = nlohmann::ordered_json;

std::string error_of(const Json& json) {
  try {
    flit_from_json(json);
  } catch (const FormatError& e) {
    return e.what();
  }
  return "no error";
}

Json read_request() {
  ProtocolFlit f;
  f.header.format[0] = 5;
  M2sReq req;
  req.tag = 0xBEEF;
  req.address = 0x123456780;
  f.slots[0].messages = {req};
  return to_json(encode(Direction::M2S, f), Direction::M2S);
}

TEST(Text, OneLineEach) {
  EXPECT_EQ(to_text(flit_from_json(read_request()), Direction::M2S),
            "M2S protocol H5[M2S Req MemRd snp_type=No-Op meta_field=No-Op meta_value=Invalid "
            "tag=0xbeef address=0x123456780]");
  EXPECT_EQ(to_text(encode(Direction::S2M, ProtocolFlit{}), Direction::S2M), "S2M protocol idle");
  EXPECT_EQ(to_text(encode_control(InitParam{2, 128}), Direction::S2M),
            "S2M INIT.Param version=2 wrap=128");
  EXPECT_EQ(to_text(encode_control(Llcrd{8, 0, 0xF, 0xF}), Direction::M2S),
            "M2S LLCRD full_ack=8 rsp_crd=0 req_crd=15 data_crd=15");
  Flit bad = encode_control(RetryIdle{});
  bad.bytes[67] ^= 1;
  EXPECT_EQ(to_text(bad, Direction::S2M), "S2M RETRY.Idle (CRC error)");
  Flit null;
  null.set_protocol_id(ProtocolId::Null);
  EXPECT_EQ(to_text(null, Direction::M2S), "M2S NULL");
  null.bytes[0] = 0;
  null.bytes[1] = 1;
  EXPECT_EQ(to_text(null, Direction::M2S), "M2S damaged protocol ID");
}

TEST(Text, Almp) {
  Flit almp = encode_almp({AlmpLink::CacheMem, true, LinkState::Active});
  EXPECT_EQ(to_text(almp, Direction::M2S), "M2S ALMP CXL.cachemem Request Active");
  almp.bytes[40] = 1;
  EXPECT_EQ(to_text(almp, Direction::M2S), "M2S ALMP CXL.cachemem Request Active (rest not zero)");
  almp.bytes[5] ^= 1;
  EXPECT_EQ(to_text(almp, Direction::S2M), "S2M ALMP (copies differ)");
  EXPECT_EQ(flit_from_json(to_json(almp, Direction::S2M)), almp);
  Json json = to_json(encode_almp({}), Direction::S2M);
  json["almp"]["state"] = "Asleep";
  EXPECT_NE(error_of(json).find("\"state\""), std::string::npos) << error_of(json);
  json["almp"] = {{"link", "CXL.mem"}, {"type", "Status"}, {"state", "Reset"}};
  EXPECT_NE(error_of(json).find("\"link\""), std::string::npos) << error_of(json);
}

TEST(Text, DefaultsAndNumbersAreAccepted) {
  Json json = read_request();
  auto& m = json["slots"][0]["messages"][0];
  const Flit flit = flit_from_json(json);
  m["tag"] = 0xBEEF;
  m["opcode"] = 1;
  m.erase("tc");
  m.erase("ld_id");
  for (unsigned s = 1; s < 4; ++s) json["slots"][s].erase("data");
  EXPECT_EQ(flit_from_json(json), flit);
}

TEST(Text, DamageIsKept) {
  Flit flit = flit_from_json(read_request());
  flit.bytes[66] ^= 1;
  const Json json = to_json(flit, Direction::M2S);
  EXPECT_TRUE(json.contains("raw"));
  EXPECT_EQ(flit_from_json(json), flit);
}

TEST(Text, AllDataFlit) {
  AllDataFlit adf;
  adf.chunks[3][15] = 0xA5;
  const Flit flit = encode(adf);
  const Json json = to_json(flit, Direction::S2M, 5);
  EXPECT_EQ(json["kind"], "all-data");
  EXPECT_EQ(flit_from_json(json), flit);
}

TEST(Text, ErrorsNameTheKey) {
  const auto with = [](auto&& change) {
    Json json = read_request();
    change(json);
    return error_of(json);
  };
  const auto message = [](Json& j) -> Json& { return j["slots"][0]["messages"][0]; };
  EXPECT_EQ(error_of(Json::array()), "\"direction\" is missing; add it");
  EXPECT_NE(with([](Json& j) { j["direction"] = "up"; }).find("\"direction\""), std::string::npos);
  EXPECT_NE(with([](Json& j) { j["kind"] = 3; }).find("\"kind\""), std::string::npos);
  EXPECT_NE(with([](Json& j) { j.erase("header"); }).find("\"header\""), std::string::npos);
  EXPECT_NE(with([](Json& j) { j["slots"].erase(3); }).find("\"slots\""), std::string::npos);
  EXPECT_NE(with([](Json& j) { j["slots"][0]["format"] = "G5"; }).find("\"format\""),
            std::string::npos);
  EXPECT_NE(with([](Json& j) { j["slots"][0]["format"] = "H4"; }).find("no place"),
            std::string::npos);
  EXPECT_NE(with([](Json& j) { j["slots"][1]["data"] = "00"; }).find("\"data\""),
            std::string::npos);
  EXPECT_NE(with([&](Json& j) { message(j)["opcode"] = "MemPeek"; }).find("\"opcode\""),
            std::string::npos);
  EXPECT_NE(with([&](Json& j) { message(j)["tag"] = 65536; }).find("16 bits"), std::string::npos);
  EXPECT_NE(with([&](Json& j) { message(j)["address"] = "0x21"; }).find("multiple of 32"),
            std::string::npos);
  EXPECT_NE(with([&](Json& j) { message(j)["kind"] = "M2S"; }).find("\"kind\""), std::string::npos);
  EXPECT_NE(error_of({{"direction", "M2S"}, {"kind", "control"}, {"control", {{"type", "X"}}}})
                .find("\"type\""),
            std::string::npos);
  EXPECT_NE(error_of({{"raw", "55"}}).find("68 bytes"), std::string::npos);
}

}  // namespace
}  // namespace cxlgpu::flits
