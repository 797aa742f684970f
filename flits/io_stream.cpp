// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
#include "flits/io_stream.hpp"

#include <fmt/format.h>
#include <zlib.h>

#include <algorithm>
#include <array>
#include <bit>
#include <nlohmann/json.hpp>
#include <optional>
#include <span>

namespace cxlgpu::flits {
namespace {

using Json = nlohmann::ordered_json;
using Bytes = std::span<const std::uint8_t>;

constexpr std::size_t kDw = 4, kFlitDws = 16, kDllpDws = 2;
constexpr std::size_t kMinTlpDws = 5, kMaxTlpDws = 1031;
constexpr std::array<std::uint8_t, 4> kIdle{}, kEdb{0xC0, 0xC0, 0xC0, 0xC0};

std::uint32_t big16(Bytes b, std::size_t at) {
  return static_cast<std::uint32_t>(b[at] << 8 | b[at + 1]);
}
std::uint32_t big32(Bytes b, std::size_t at) {
  return big16(b, at) << 16 | big16(b, at + 2);
}

// DWs of the TLP whose STP token this is.
std::optional<std::size_t> stp_length(Bytes token) {
  if ((token[0] & 0xF) != 0xF) return std::nullopt;
  const unsigned length = token[0] >> 4 | (token[1] & 0x7Fu) << 4;
  // Remainder of the length, bit 0 the highest power, times x^4 by x^4 + x + 1.
  unsigned crc = 0;
  for (unsigned i = 0; i < 11; ++i) {
    const unsigned feedback = (crc >> 3 ^ length >> i) & 1;
    crc = (crc << 1 & 0xF) ^ (feedback != 0 ? 3u : 0u);
  }
  const unsigned parity = static_cast<unsigned>(std::popcount(length) + std::popcount(crc)) & 1;
  if (token[2] >> 4 != crc || token[1] >> 7 != parity) return std::nullopt;
  if (length < kMinTlpDws || length > kMaxTlpDws) return std::nullopt;
  return length;
}

std::uint16_t dllp_crc(Bytes four) {
  unsigned crc = 0xFFFF;
  for (const std::uint8_t byte : four) {
    crc ^= byte;
    for (int i = 0; i < 8; ++i) crc = (crc & 1) != 0 ? crc >> 1 ^ 0xD008 : crc >> 1;
  }
  return static_cast<std::uint16_t>(~crc);
}

std::string function_name(Bytes b, std::size_t at) {
  return fmt::format("{:02x}:{:02x}.{}", b[at], b[at + 1] >> 3, b[at + 1] & 7);
}

// ---- DLLPs ---------------------------------------------------------------------------------

struct DllpName {
  std::uint8_t code;
  std::string_view name;
};
constexpr std::array kOtherDllps{DllpName{0x02, "Feature"},
                                 DllpName{0x20, "PM_Enter_L1"},
                                 DllpName{0x21, "PM_Enter_L23"},
                                 DllpName{0x23, "PM_Active_State_Request_L1"},
                                 DllpName{0x24, "PM_Request_Ack"},
                                 DllpName{0x30, "Vendor-specific"},
                                 DllpName{0x31, "NOP"}};
// "InitFC1-P" and the like have static storage, so that names are views.
constexpr std::array<std::array<std::string_view, 3>, 3> kFlowControlNames{
    {{"InitFC1-P", "InitFC1-NP", "InitFC1-Cpl"},
     {"UpdateFC-P", "UpdateFC-NP", "UpdateFC-Cpl"},
     {"InitFC2-P", "InitFC2-NP", "InitFC2-Cpl"}}};
constexpr std::string_view kReservedDllp = "reserved DLLP";

void dllp_to_json(Bytes packet, Json& json) {
  const Bytes b = packet.subspan(2, 4);
  const unsigned type = b[0];
  if (type == 0x00 || type == 0x10) {
    json["type"] = type == 0 ? "Ack" : "Nak";
    json["sequence"] = big16(b, 2) & 0xFFF;
  } else if (type >> 6 != 0 && (type >> 4 & 3) < 3 && (type & 8) == 0) {
    json["type"] = kFlowControlNames[(type >> 6) - 1][type >> 4 & 3];
    json["vc"] = type & 7;
    json["hdr_credits"] = big16(b, 1) >> 6 & 0xFF;
    json["data_credits"] = big16(b, 2) & 0xFFF;
  } else {
    const auto known = std::find_if(kOtherDllps.begin(), kOtherDllps.end(),
                                    [type](const DllpName& n) { return n.code == type; });
    json["type"] = known != kOtherDllps.end() ? known->name : kReservedDllp;
    json["data"] = bytes_to_hex(b);
  }
  json["crc_ok"] = dllp_crc(b) == (packet[6] | packet[7] << 8);
}

// ---- TLPs ----------------------------------------------------------------------------------

constexpr std::string_view kReservedTlp = "reserved TLP", kPrefix = "prefix";
enum class Family : std::uint8_t { Memory, Configuration, Completion, Message };
struct TlpType {
  std::uint8_t type, type_mask;
  std::uint8_t formats;  // bit f: with Fmt f
  Family family;
  std::string_view name;
};
constexpr std::uint8_t k3 = 1, k4 = 2, k3Data = 4, k4Data = 8;  // formats
constexpr std::array kTlpTypes{
    TlpType{0b00000, 0b11111, k3 | k4, Family::Memory, "MRd"},
    TlpType{0b00000, 0b11111, k3Data | k4Data, Family::Memory, "MWr"},
    TlpType{0b00001, 0b11111, k3 | k4, Family::Memory, "MRdLk"},
    TlpType{0b00010, 0b11111, k3, Family::Memory, "IORd"},
    TlpType{0b00010, 0b11111, k3Data, Family::Memory, "IOWr"},
    TlpType{0b00100, 0b11111, k3, Family::Configuration, "CfgRd0"},
    TlpType{0b00100, 0b11111, k3Data, Family::Configuration, "CfgWr0"},
    TlpType{0b00101, 0b11111, k3, Family::Configuration, "CfgRd1"},
    TlpType{0b00101, 0b11111, k3Data, Family::Configuration, "CfgWr1"},
    TlpType{0b01010, 0b11111, k3, Family::Completion, "Cpl"},
    TlpType{0b01010, 0b11111, k3Data, Family::Completion, "CplD"},
    TlpType{0b01011, 0b11111, k3, Family::Completion, "CplLk"},
    TlpType{0b01011, 0b11111, k3Data, Family::Completion, "CplDLk"},
    TlpType{0b01100, 0b11111, k3Data | k4Data, Family::Memory, "FetchAdd"},
    TlpType{0b01101, 0b11111, k3Data | k4Data, Family::Memory, "Swap"},
    TlpType{0b01110, 0b11111, k3Data | k4Data, Family::Memory, "CAS"},
    TlpType{0b10000, 0b11000, k4, Family::Message, "Msg"},
    TlpType{0b10000, 0b11000, k4Data, Family::Message, "MsgD"},
};
constexpr std::array<std::string_view, 8> kRouting{"to root complex", "by address", "by ID",
                                                   "broadcast",       "local",      "gathered",
                                                   "reserved",        "reserved"};
constexpr std::array<std::string_view, 8> kStatus{"SC", "UR",       "CRS",      "reserved",
                                                  "CA", "reserved", "reserved", "reserved"};

const TlpType* tlp_type(std::uint8_t first) {
  const unsigned format = first >> 5, type = first & 0x1F;
  for (const TlpType& t : kTlpTypes) {
    if ((type & t.type_mask) == t.type && format < 4 && (t.formats >> format & 1) != 0) return &t;
  }
  return nullptr;
}

// What stands behind the first DW of the header.
void header_to_json(const TlpType& type, Bytes h, bool four_dw, Json& json) {
  const unsigned tag_high = (h[1] >> 7 & 1u) << 9 | (h[1] >> 3 & 1u) << 8;
  const auto tag = [&](std::size_t at) { json["tag"] = fmt::format("{:#x}", tag_high | h[at]); };
  if (type.family == Family::Completion) {
    json["completer"] = function_name(h, 4);
    json["status"] = kStatus[h[6] >> 5];
    json["bcm"] = (h[6] & 0x10) != 0;
    const unsigned count = big16(h, 6) & 0xFFF;
    json["byte_count"] = count == 0 ? 4096 : count;
    json["requester"] = function_name(h, 8);
    tag(10);
    json["lower_address"] = fmt::format("{:#x}", h[11] & 0x7F);
    return;
  }
  json["requester"] = function_name(h, 4);
  tag(6);
  if (type.family == Family::Message) {
    json["code"] = fmt::format("{:#x}", h[7]);
    json["routing"] = kRouting[h[0] & 7];
    if ((h[0] & 7) == 2) json["target"] = function_name(h, 8);
    if (h[7] == 0x7E || h[7] == 0x7F) json["vendor"] = fmt::format("{:04x}", big16(h, 10));
    json["header"] = bytes_to_hex(h.subspan(8, 8));
    return;
  }
  json["first_be"] = fmt::format("{:#x}", h[7] & 0xF);
  json["last_be"] = fmt::format("{:#x}", h[7] >> 4);
  if (type.family == Family::Configuration) {
    json["target"] = function_name(h, 8);
    json["register"] = fmt::format("{:#x}", big16(h, 10) & 0xFFC);
    return;
  }
  std::uint64_t address = big32(h, 8);
  if (four_dw) address = address << 32 | big32(h, 12);
  json["address"] = fmt::format("{:#x}", address & ~std::uint64_t{3});
}

void tlp_to_json(Bytes packet, Json& json) {
  const Bytes tlp = packet.subspan(4, packet.size() - 8);
  json["sequence"] = big16(packet, 2) & 0xFFF;
  const TlpType* type = tlp_type(tlp[0]);
  const bool four_dw = (tlp[0] & 0x20) != 0;
  const std::size_t header = four_dw ? 16 : 12;
  json["type"] = tlp[0] >= 0x80 ? kPrefix : type != nullptr ? type->name : kReservedTlp;
  if (type == nullptr || tlp.size() < header) {
    json["data"] = bytes_to_hex(tlp);
    return;
  }
  json["tc"] = tlp[1] >> 4 & 7;
  json["attr"] = (tlp[1] >> 2 & 1) << 2 | (tlp[2] >> 4 & 3);
  json["at"] = tlp[2] >> 2 & 3;
  const bool digest = (tlp[2] & 0x80) != 0;
  json["td"] = digest;
  json["ep"] = (tlp[2] & 0x40) != 0;
  const unsigned length = big16(tlp, 2) & 0x3FF;
  json["length"] = length == 0 ? 1024 : length;
  header_to_json(*type, tlp, four_dw, json);
  const std::size_t end = tlp.size() - (digest ? kDw : 0);
  if (end > header) json["data"] = bytes_to_hex(tlp.subspan(header, end - header));
}

std::uint32_t lcrc(Bytes packet) {  // sequence number and TLP
  const std::uint8_t sequence[2] = {static_cast<std::uint8_t>(packet[2] & 0xF), packet[3]};
  const auto first = crc32(0, sequence, 2);
  return static_cast<std::uint32_t>(
      crc32(first, packet.data() + 4, static_cast<uInt>(packet.size() - 8)));
}

constexpr std::array<std::string_view, 4> kKinds{"TLP", "DLLP", "EDB", "framing error"};
constexpr std::array<std::string_view, 4> kParts{"", "begins", "goes on", "ends"};

}  // namespace

std::vector<IoPacket> IoStream::take(const Flit& flit) {
  const Bytes payload = flit.payload();
  std::vector<IoPacket> packets;
  std::size_t dw = 0;
  const auto is = [&](const std::array<std::uint8_t, 4>& token) {
    return std::equal(token.begin(), token.end(), payload.begin() + kDw * dw);
  };
  // The packet in begun_ goes on at `dw`, as far as the flit goes.
  const auto collect = [&](bool begins) {
    IoPacket packet;
    packet.kind = begun_.empty()
                      ? (payload[kDw * dw] == 0xF0 ? IoPacket::Kind::Dllp : IoPacket::Kind::Tlp)
                      : (begun_[0] == 0xF0 ? IoPacket::Kind::Dllp : IoPacket::Kind::Tlp);
    packet.dw = static_cast<std::uint8_t>(dw);
    const std::size_t n = std::min(needed_ - begun_.size(), kDw * (kFlitDws - dw));
    const Bytes more = payload.subspan(kDw * dw, n);
    begun_.insert(begun_.end(), more.begin(), more.end());
    dw += n / kDw;
    packet.dws = static_cast<std::uint8_t>(n / kDw);
    const bool ends = begun_.size() == needed_;
    packet.part = ends ? (begins ? IoPacket::Part::Whole : IoPacket::Part::Ends)
                       : (begins ? IoPacket::Part::Begins : IoPacket::Part::GoesOn);
    if (ends) {
      packet.bytes = std::move(begun_);
      begun_ = {};
      needed_ = 0;
      if (packet.kind == IoPacket::Kind::Tlp) {
        tlp_ended_flit_ = dw == kFlitDws;
        packet.edb = dw < kFlitDws && is(kEdb);
        if (packet.edb) ++dw;
      }
    }
    packets.push_back(std::move(packet));
  };

  const bool after_tlp = tlp_ended_flit_;
  tlp_ended_flit_ = false;
  if (needed_ != 0) {
    collect(false);
  } else if (after_tlp && is(kEdb)) {
    packets.push_back({.kind = IoPacket::Kind::Edb, .dws = 1, .bytes = {}});
    ++dw;
  }
  while (dw < kFlitDws) {
    if (is(kIdle)) {
      ++dw;
      continue;
    }
    const Bytes token = payload.subspan(kDw * dw, kDw);
    const auto length =
        token[0] == 0xF0 && token[1] == 0xAC ? std::optional(kDllpDws) : stp_length(token);
    if (!length) {
      packets.push_back({.kind = IoPacket::Kind::FramingError,
                         .dw = static_cast<std::uint8_t>(dw),
                         .dws = static_cast<std::uint8_t>(kFlitDws - dw),
                         .bytes = {}});
      break;
    }
    needed_ = kDw * *length;
    collect(true);
  }
  return packets;
}

Json to_json(const IoPacket& packet) {
  Json json{{"kind", kKinds[static_cast<std::size_t>(packet.kind)]}};
  if (packet.part != IoPacket::Part::Whole) {
    json["part"] = kParts[static_cast<std::size_t>(packet.part)];
  }
  json["dw"] = packet.dw;
  json["dws"] = packet.dws;
  if (packet.bytes.empty()) return json;
  if (packet.kind == IoPacket::Kind::Dllp) {
    dllp_to_json(packet.bytes, json);
    return json;
  }
  tlp_to_json(packet.bytes, json);
  const std::size_t at = packet.bytes.size() - 4;
  const std::uint32_t seen = static_cast<std::uint32_t>(packet.bytes[at]) |
                             static_cast<std::uint32_t>(packet.bytes[at + 1]) << 8 |
                             static_cast<std::uint32_t>(packet.bytes[at + 2]) << 16 |
                             static_cast<std::uint32_t>(packet.bytes[at + 3]) << 24;
  json["crc_ok"] = seen == lcrc(packet.bytes);
  json["nullified"] = packet.edb && seen == ~lcrc(packet.bytes);
  return json;
}

std::string to_text(const IoPacket& packet) {
  const Json json = to_json(packet);
  std::string text = json["kind"].get<std::string>();
  if (packet.bytes.empty()) {
    if (json.contains("part")) text += ' ' + json["part"].get<std::string>();
    return text;
  }
  text += ' ' + json["type"].get<std::string>();
  for (const auto& [key, value] : json.items()) {
    if (key == "kind" || key == "type" || key == "part" || key == "dw" || key == "dws" ||
        key == "crc_ok") {
      continue;
    }
    if (value.is_boolean()) {
      if (value.get<bool>()) text += ' ' + key;
    } else if (value.is_string()) {
      text += fmt::format(" {}={}", key, value.get<std::string>());
    } else if (value != 0 || key == "sequence" || key == "hdr_credits" || key == "data_credits") {
      text += fmt::format(" {}={}", key, value.dump());
    }
  }
  if (!json["crc_ok"].get<bool>() && !json.value("nullified", false)) text += " (CRC error)";
  return text;
}

std::vector<std::string_view> io_packet_types() {
  std::vector<std::string_view> types{"Ack", "Nak"};
  for (const auto& kind : kFlowControlNames) types.insert(types.end(), kind.begin(), kind.end());
  for (const DllpName& dllp : kOtherDllps) types.push_back(dllp.name);
  types.push_back(kReservedDllp);
  for (const TlpType& type : kTlpTypes) types.push_back(type.name);
  types.push_back(kPrefix);
  types.push_back(kReservedTlp);
  return types;
}

}  // namespace cxlgpu::flits
