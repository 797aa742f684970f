// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
#include "flits/text.hpp"

#include <fmt/format.h>

#include <charconv>

namespace cxlgpu::flits {
namespace {

using Json = nlohmann::ordered_json;

// ---- one field, both ways ------------------------------------------------------------------

template <class T>
Json field_to_json(T value, unsigned width) {
  if constexpr (std::is_same_v<T, bool>) {
    return value;
  } else if constexpr (std::is_enum_v<T>) {
    if (const auto text = name(value); !text.empty()) return std::string(text);
    return static_cast<unsigned>(value);
  } else {
    if (width > 8) return fmt::format("{:#x}", value);
    return static_cast<unsigned>(value);
  }
}

[[noreturn]] void bad_value(std::string_view key, const Json& json, std::string_view remedy) {
  throw FormatError(fmt::format("\"{}\": cannot use {}; {}", key, json.dump(), remedy));
}

std::uint64_t number(std::string_view key, const Json& json, unsigned width) {
  std::uint64_t value = 0;
  bool ok = false;
  if (json.is_number_integer()) {
    ok = json.is_number_unsigned() || json.get<std::int64_t>() >= 0;
    value = json.get<std::uint64_t>();
  } else if (json.is_string()) {
    const auto& text = json.get_ref<const std::string&>();
    const bool hex = text.starts_with("0x") || text.starts_with("0X");
    const char* end = text.data() + text.size();
    const auto result = std::from_chars(text.data() + (hex ? 2 : 0), end, value, hex ? 16 : 10);
    ok = result.ec == std::errc{} && result.ptr == end;
  }
  if (!ok || value > low_mask(width)) {
    bad_value(key, json, fmt::format("give a number of at most {} bits", width));
  }
  return value;
}

template <class T>
T field_from_json(std::string_view key, const Json& json, unsigned width, unsigned shift = 0) {
  if constexpr (std::is_same_v<T, bool>) {
    if (json.is_boolean()) return json.get<bool>();
    return number(key, json, 1) != 0;
  } else if constexpr (std::is_enum_v<T>) {
    if (json.is_string()) {
      const auto code = from_name<T>(json.get_ref<const std::string&>());
      if (!code) bad_value(key, json, "use a name of the specification or a number");
      return *code;
    }
    return static_cast<T>(number(key, json, width));
  } else {
    const auto value = number(key, json, width + shift);
    if (value & low_mask(shift)) {
      bad_value(key, json, fmt::format("give a multiple of {}", 1u << shift));
    }
    return static_cast<T>(value);
  }
}

const Json& at(const Json& json, const char* key) {
  if (!json.is_object() || !json.contains(key)) {
    throw FormatError(fmt::format("\"{}\" is missing; add it", key));
  }
  return json.at(key);
}

std::string string_at(const Json& json, const char* key) {
  const Json& value = at(json, key);
  if (!value.is_string()) bad_value(key, value, "give a string");
  return value.get<std::string>();
}

template <std::size_t N>
void bytes_at(const Json& json, const char* key, std::array<std::uint8_t, N>& out) {
  const auto hex = string_at(json, key);
  if (!hex_to_bytes(hex, out)) bad_value(key, hex, fmt::format("give {} bytes of hex", N));
}

// ---- a message or control flit by its field table --------------------------------------------

template <class M>
void fields_to_json(const M& m, Json& json) {
  for_each_field<M>([&](const auto& f) {
    if (f.name != "valid") json[std::string(f.name)] = field_to_json(m.*f.member, f.width);
  });
}

// Fields that are absent keep their default.
template <class M>
M fields_from_json(const Json& json) {
  M m;
  for_each_field<M>([&](const auto& f) {
    using T = std::remove_cvref_t<decltype(m.*f.member)>;
    const auto found = json.find(std::string(f.name));
    if (found != json.end()) {
      m.*f.member = field_from_json<T>(f.name, *found, f.width, f.shift);
    }
  });
  return m;
}

template <class M>
void fields_to_text(const M& m, std::string& text) {
  for_each_field<M>([&](const auto& f) {
    using T = std::remove_cvref_t<decltype(m.*f.member)>;
    if (f.name == "valid") return;
    const Json json = field_to_json(m.*f.member, f.width);
    const std::string value = json.is_string() ? json.template get<std::string>() : json.dump();
    if constexpr (std::is_same_v<T, bool>) {
      if (m.*f.member) text += fmt::format(" {}", f.name);
    } else if (f.name == "opcode") {
      text += ' ' + value;
    } else if (std::is_enum_v<T> || f.width > 8 || m.*f.member != T{}) {
      text += fmt::format(" {}={}", f.name, value);
    }
  });
}

template <class Variant, std::size_t I>
Variant read_alternative(const Json& json) {
  using M = std::variant_alternative_t<I, Variant>;
  if constexpr (requires { Layout<M>::fields; }) {
    return fields_from_json<M>(json);
  } else {
    return M{};
  }
}

template <class Variant>
Variant alternative_from_json(std::size_t which, const Json& json) {
  constexpr auto readers = []<std::size_t... I>(std::index_sequence<I...>) {
    return std::array<Variant (*)(const Json&), sizeof...(I)>{&read_alternative<Variant, I>...};
  }
  (std::make_index_sequence<std::variant_size_v<Variant>>{});
  return readers[which](json);
}

std::string format_name(unsigned slot, unsigned code) {
  return fmt::format("{}{}", slot == 0 ? 'H' : 'G', code);
}

// ---- a protocol flit -----------------------------------------------------------------------

// What the codes of the credit fields give; those that give none are left out.
Json credits_to_json(std::uint8_t rsp, std::uint8_t req, std::uint8_t data) {
  Json json = Json::object();
  const auto add = [&](const char* key, std::uint8_t code) {
    const CreditCode c = decode_credit(code);
    if (c.count != 0) json[key] = {{"pool", c.mem ? "mem" : "cache"}, {"count", c.count}};
  };
  add("rsp", rsp);
  add("req", req);
  add("data", data);
  return json;
}

Json header_to_json(const FlitHeader& h) {
  return {{"ak", h.ak},
          {"be", h.be},
          {"sz", h.sz},
          {"rsp_crd", h.rsp_crd},
          {"req_crd", h.req_crd},
          {"data_crd", h.data_crd},
          {"credits", credits_to_json(h.rsp_crd, h.req_crd, h.data_crd)}};
}

FlitHeader header_from_json(const Json& json) {
  FlitHeader h;
  h.ak = field_from_json<bool>("ak", at(json, "ak"), 1);
  h.be = field_from_json<bool>("be", at(json, "be"), 1);
  h.sz = field_from_json<bool>("sz", at(json, "sz"), 1);
  h.rsp_crd = field_from_json<std::uint8_t>("rsp_crd", at(json, "rsp_crd"), 4);
  h.req_crd = field_from_json<std::uint8_t>("req_crd", at(json, "req_crd"), 4);
  h.data_crd = field_from_json<std::uint8_t>("data_crd", at(json, "data_crd"), 4);
  return h;
}

Json slots_to_json(const ProtocolFlit& flit) {
  Json slots = Json::array();
  for (unsigned s = 0; s < 4; ++s) {
    Json slot{{"format", format_name(s, flit.header.format[s])}};
    if (flit.slots[s].is_data) {
      const std::size_t bytes = s == 0 ? 12 : 16;
      slot["data"] = bytes_to_hex(std::span(flit.slots[s].raw).first(bytes));
    } else {
      slot["messages"] = Json::array();
      for (const Message& m : flit.slots[s].messages) slot["messages"].push_back(to_json(m));
    }
    slots.push_back(std::move(slot));
  }
  return slots;
}

ProtocolFlit protocol_from_json(const Json& json) {
  ProtocolFlit flit;
  flit.header = header_from_json(at(json, "header"));
  const Json& slots = at(json, "slots");
  if (!slots.is_array() || slots.size() != 4) bad_value("slots", slots, "give four slots");
  for (unsigned s = 0; s < 4; ++s) {
    const std::string format = string_at(slots[s], "format");
    if (format.size() != 2 || format[0] != format_name(s, 0)[0] || format[1] < '0' ||
        format[1] > '7') {
      bad_value("format", format, "use H0..H6 in slot 0 and G0..G6 in the others");
    }
    flit.header.format[s] = static_cast<std::uint8_t>(format[1] - '0');
    if (slots[s].contains("data")) {
      flit.slots[s].is_data = true;
      if (s == 0) {
        std::array<std::uint8_t, 12> mac;
        bytes_at(slots[s], "data", mac);
        std::copy(mac.begin(), mac.end(), flit.slots[s].raw.begin());
      } else {
        bytes_at(slots[s], "data", flit.slots[s].raw);
      }
    }
    const Json& messages = slots[s].contains("messages") ? slots[s]["messages"] : Json::array();
    if (!messages.is_array() || messages.size() > kMaxPlaces) {
      bad_value("messages", messages, "give a list of at most five messages");
    }
    for (const Json& m : messages) flit.slots[s].messages.push_back(message_from_json(m));
  }
  return flit;
}

std::string protocol_to_text(const ProtocolFlit& flit) {
  const FlitHeader& h = flit.header;
  std::string text;
  if (h.ak) text += " Ak";
  if (h.be) text += " BE";
  if (h.sz) text += " Sz";
  const auto credit = [&](std::string_view field, std::uint8_t code) {
    const CreditCode c = decode_credit(code);
    if (c.count) text += fmt::format(" {}={}:{}", field, c.mem ? "mem" : "cache", c.count);
  };
  credit("RspCrd", h.rsp_crd);
  credit("ReqCrd", h.req_crd);
  credit("DataCrd", h.data_crd);
  for (unsigned s = 0; s < 4; ++s) {
    const SlotContent& slot = flit.slots[s];
    if (slot.is_data) {
      if (slot.raw == Chunk{}) continue;  // an empty slot, or 16 zero bytes
      text += fmt::format(" {}[{}]", format_name(s, h.format[s]), bytes_to_hex(slot.raw));
      continue;
    }
    std::string messages;
    for (const Message& m : slot.messages) {
      if (!messages.empty()) messages += " | ";
      messages += to_text(m);
    }
    if (!messages.empty()) text += fmt::format(" {}[{}]", format_name(s, h.format[s]), messages);
  }
  return text.empty() ? " idle" : text;
}

// The fields of the structure alone give the flit back, bit for bit.
bool fields_suffice(const Flit& flit, Direction direction, const FlitContent& content) {
  return encode(direction, content) == flit;
}

bool is_readable(const AlmpReading& reading) {
  return reading.fault == AlmpFault::None || reading.fault == AlmpFault::RestNotZero;
}

constexpr std::string_view kAlmpKind = "almp", kRequest = "Request", kStatus = "Status";

Almp almp_from_json(const Json& json) {
  const std::string link = string_at(json, "link"), type = string_at(json, "type"),
                    state = string_at(json, "state");
  const auto link_code = almp_link_from_name(link);
  if (!link_code) bad_value("link", link, "use CXL.io or CXL.cachemem");
  if (type != kRequest && type != kStatus) bad_value("type", type, "use Request or Status");
  const auto state_code = link_state_from_name(state);
  if (!state_code) bad_value("state", state, "use Reset, Active, DAPM, L1.0..L1.3, L2 or Retrain");
  return {*link_code, type == kRequest, *state_code};
}

}  // namespace

std::string to_text(const Message& message) {
  std::string text(name(kind_of(message)));
  std::visit([&](const auto& m) { fields_to_text(m, text); }, message);
  return text;
}

std::string to_text(const Control& control) {
  const Json json = to_json(control);
  std::string text(name(control));
  for (const auto& [key, value] : json.items()) {
    if (key == "type" || key == "credits") continue;
    text += fmt::format(" {}={}", key, value.is_string() ? value.get<std::string>() : value.dump());
  }
  return text;
}

std::string to_text(const Flit& flit, Direction direction, unsigned owed) {
  const auto id = flit.protocol_id().id;
  std::string text(name(direction));
  if (!id || !is_cachemem(*id)) {
    text += fmt::format(" {}", id ? name(*id) : "damaged protocol ID");
    if (!id || !is_almp(*id)) return text;
    const AlmpReading reading = read_almp(flit);
    if (is_readable(reading)) text += ' ' + to_text(reading.almp);
    if (reading.fault != AlmpFault::None) text += fmt::format(" ({})", name(reading.fault));
    return text;
  }
  if (*id != ProtocolId::CacheMem) text += fmt::format(" {}", name(*id));
  const FlitContent content = parse(flit, direction, owed);
  if (const auto* control = std::get_if<Control>(&content)) {
    text += ' ' + to_text(*control);
  } else if (const auto* data = std::get_if<AllDataFlit>(&content)) {
    text += " all-data";
    for (const Chunk& c : data->chunks) text += ' ' + bytes_to_hex(c);
  } else {
    text += " protocol" + protocol_to_text(std::get<ProtocolFlit>(content));
  }
  if (!flit.crc_ok()) text += " (CRC error)";
  return text;
}

std::string to_text(const Almp& almp) {
  return fmt::format("{} {} {}", name(almp.link), almp.is_request ? kRequest : kStatus,
                     name(almp.state));
}

Json to_json(const Message& message) {
  Json json{{"kind", std::string(name(kind_of(message)))}};
  std::visit([&](const auto& m) { fields_to_json(m, json); }, message);
  return json;
}

Json to_json(const Control& control) {
  Json json{{"type", std::string(name(control))}};
  std::visit(
      [&](const auto& c) {
        using C = std::remove_cvref_t<decltype(c)>;
        if constexpr (std::is_same_v<C, Llcrd>) {
          json["full_ack"] = c.full_ack;
          json["rsp_crd"] = c.rsp_crd;
          json["req_crd"] = c.req_crd;
          json["data_crd"] = c.data_crd;
          json["credits"] = credits_to_json(c.rsp_crd, c.req_crd, c.data_crd);
        } else if constexpr (std::is_same_v<C, IdeTmac>) {
          json["mac"] = bytes_to_hex(c.mac);
        } else if constexpr (std::is_same_v<C, UnknownControl>) {
          json["ctl_fmt"] = c.format;
          json["llctrl"] = c.llctrl;
          json["subtype"] = c.subtype;
        } else if constexpr (requires { Layout<C>::fields; }) {
          fields_to_json(c, json);
        }
      },
      control);
  return json;
}

Json to_json(const Flit& flit, Direction direction, unsigned owed) {
  const auto [id, corrected] = flit.protocol_id();
  Json json{{"direction", std::string(name(direction))},
            {"protocol", std::string(id ? name(*id) : "damaged")}};
  if (corrected) json["id_corrected"] = true;
  if (!id || !is_cachemem(*id)) {
    if (id && is_almp(*id)) {
      const AlmpReading reading = read_almp(flit);
      json["kind"] = kAlmpKind;
      if (is_readable(reading)) {
        json["almp"] = {{"link", name(reading.almp.link)},
                        {"type", reading.almp.is_request ? kRequest : kStatus},
                        {"state", name(reading.almp.state)}};
      }
      if (reading.fault != AlmpFault::None) json["fault"] = name(reading.fault);
      if (!is_readable(reading) || encode_almp(reading.almp) != flit) json["raw"] = flit.to_hex();
      return json;
    }
    json["kind"] = "other";
    json["raw"] = flit.to_hex();
    return json;
  }
  const FlitContent content = parse(flit, direction, owed);
  if (const auto* control = std::get_if<Control>(&content)) {
    json["kind"] = name(FlitKind::Control);
    json["control"] = to_json(*control);
  } else if (const auto* data = std::get_if<AllDataFlit>(&content)) {
    json["kind"] = name(FlitKind::AllData);
    json["chunks"] = Json::array();
    for (const Chunk& c : data->chunks) json["chunks"].push_back(bytes_to_hex(c));
  } else {
    const auto& protocol = std::get<ProtocolFlit>(content);
    json["kind"] = name(FlitKind::Protocol);
    json["header"] = header_to_json(protocol.header);
    json["slots"] = slots_to_json(protocol);
  }
  if (!fields_suffice(flit, direction, content)) json["raw"] = flit.to_hex();
  return json;
}

Message message_from_json(const Json& json) {
  const std::string kind = string_at(json, "kind");
  for (std::size_t k = 0; k < kMessageKinds; ++k) {
    if (kMessageNames[k] == kind) return alternative_from_json<Message>(k, json);
  }
  bad_value("kind", kind, "use M2S Req, M2S RwD, S2M NDR, S2M DRS or an H2D/D2H message");
}

Control control_from_json(const Json& json) {
  const std::string type = string_at(json, "type");
  const auto byte = [&](const char* key, unsigned width) {
    return field_from_json<std::uint8_t>(key, at(json, key), width);
  };
  if (type == "LLCRD") {
    return Llcrd{byte("full_ack", 8), byte("rsp_crd", 4), byte("req_crd", 4), byte("data_crd", 4)};
  }
  if (type == "IDE.TMAC") {
    IdeTmac c;
    bytes_at(json, "mac", c.mac);
    return c;
  }
  if (type == name(Control{UnknownControl{}})) {
    return UnknownControl{byte("ctl_fmt", 3), byte("llctrl", 4), byte("subtype", 4)};
  }
  for (std::size_t i = 0; i < kControlCodes.size(); ++i) {
    if (kControlCodes[i].name == type) return alternative_from_json<Control>(i, json);
  }
  bad_value("type", type, "use LLCRD, RETRY.*, INIT.Param or IDE.*");
}

Flit flit_from_json(const Json& json) {
  if (json.is_object() && json.contains("raw")) {
    Flit flit;
    bytes_at(json, "raw", flit.bytes);
    return flit;
  }
  const std::string direction_name = string_at(json, "direction");
  const auto direction = direction_from_name(direction_name);
  if (!direction) bad_value("direction", direction_name, "use M2S or S2M");
  const std::string kind = string_at(json, "kind");
  if (kind == kAlmpKind) return encode_almp(almp_from_json(at(json, "almp")));
  if (kind == name(FlitKind::Control)) {
    return encode_control(control_from_json(at(json, "control")));
  }
  if (kind == name(FlitKind::AllData)) {
    AllDataFlit data;
    const Json& chunks = at(json, "chunks");
    if (!chunks.is_array() || chunks.size() != 4) bad_value("chunks", chunks, "give four chunks");
    for (unsigned s = 0; s < 4; ++s) {
      const std::string hex = chunks[s].is_string() ? chunks[s].get<std::string>() : "";
      if (!hex_to_bytes(hex, data.chunks[s]))
        bad_value("chunks", chunks[s], "give 16 bytes of hex");
    }
    return encode(data);
  }
  if (kind != name(FlitKind::Protocol)) {
    bad_value("kind", kind, "use protocol, all-data, control or almp, or give \"raw\"");
  }
  try {
    return encode(*direction, protocol_from_json(json));
  } catch (const std::invalid_argument& e) {
    throw FormatError(fmt::format("\"slots\": {}; use a format that has the message", e.what()));
  }
}

}  // namespace cxlgpu::flits
