// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
#include "tb/flit_text.hpp"

#include <fmt/format.h>

#include <variant>

#include "flits/almp.hpp"
#include "flits/codec.hpp"
#include "flits/text.hpp"

namespace cxlgpu {

namespace {

std::string message_text(const flits::Message& message) {
  return std::visit(
      [&](const auto& m) {
        std::string text(flits::name(flits::kind_of(message)));
        if constexpr (requires { m.opcode; }) {
          const std::string_view known = flits::name(m.opcode);
          text = known.empty() ? fmt::format("opcode {}", static_cast<unsigned>(m.opcode))
                               : std::string(known);
        }
        if constexpr (requires { m.tag; }) text += fmt::format(" tag={:#x}", m.tag);
        if constexpr (requires { m.address; }) text += fmt::format(" {:#x}", m.address);
        return text;
      },
      message);
}

std::string protocol_text(const flits::ProtocolFlit& flit) {
  std::string text;
  unsigned chunks = 0;
  for (const flits::SlotContent& slot : flit.slots) {
    if (slot.is_data) {
      // An empty slot is 16 zero bytes, as data may be.
      if (slot.raw != flits::Chunk{}) ++chunks;
      continue;
    }
    for (const flits::Message& message : slot.messages) {
      text += (text.empty() ? "" : ", ") + message_text(message);
    }
  }
  if (chunks != 0) text += fmt::format("{}data x{}", text.empty() ? "" : ", ", chunks);
  return text.empty() ? "no message" : text;
}

std::string almp_text(const flits::Flit& flit) {
  const flits::AlmpReading reading = flits::read_almp(flit);
  if (reading.fault != flits::AlmpFault::None) {
    return fmt::format("ALMP ({})", flits::name(reading.fault));
  }
  return "ALMP " + flits::to_text(reading.almp);
}

}  // namespace

std::string flit_text(const flits::Flit& flit, flits::Direction direction, unsigned owed,
                      const std::vector<flits::IoPacket>& packets) {
  const auto id = flit.protocol_id().id;
  if (!id) return "damaged protocol ID";
  if (flits::is_almp(*id)) return almp_text(flit);
  if (!flits::is_cachemem(*id)) {
    std::string text(flits::name(*id));
    for (std::size_t i = 0; i < packets.size(); ++i) {
      text += (i == 0 ? " " : ", ") + flits::to_text(packets[i]);
    }
    return text;
  }
  if (!flit.crc_ok()) return "CRC error";
  const flits::FlitContent content = flits::parse(flit, direction, owed);
  if (const auto* control = std::get_if<flits::Control>(&content)) return flits::to_text(*control);
  if (std::holds_alternative<flits::AllDataFlit>(content)) return "data x4";
  return protocol_text(std::get<flits::ProtocolFlit>(content));
}

std::string fitted(std::string text, std::size_t chars) {
  constexpr std::string_view kDots = "...";
  if (text.size() > chars) text.replace(chars - kDots.size(), std::string::npos, kDots);
  return text;
}

}  // namespace cxlgpu
