// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
#include "flits/almp.hpp"

#include <algorithm>
#include <array>

namespace cxlgpu::flits {
namespace {

constexpr std::size_t kFirst = 2;  // byte of the first copy
constexpr std::size_t kCopyBytes = 4, kCopies = 4;
constexpr std::uint8_t kStateAlmp = 0x08, kRequest = 0x80;

constexpr std::array kLinks = {AlmpLink::Io, AlmpLink::CacheMem};
constexpr std::array kStates = {LinkState::Reset, LinkState::Active, LinkState::Dapm,
                                LinkState::L1_0,  LinkState::L1_1,   LinkState::L1_2,
                                LinkState::L1_3,  LinkState::L2,     LinkState::Retrain};

template <typename T, std::size_t N>
std::optional<T> by_name(const std::array<T, N>& all, std::string_view text) {
  for (const T one : all) {
    if (name(one) == text) return one;
  }
  return std::nullopt;
}

}  // namespace

std::string_view name(AlmpLink link) {
  return link == AlmpLink::Io ? "CXL.io" : "CXL.cachemem";
}

std::string_view name(LinkState state) {
  switch (state) {
    case LinkState::Reset:
      return "Reset";
    case LinkState::Active:
      return "Active";
    case LinkState::Dapm:
      return "DAPM";
    case LinkState::L1_0:
      return "L1.0";
    case LinkState::L1_1:
      return "L1.1";
    case LinkState::L1_2:
      return "L1.2";
    case LinkState::L1_3:
      return "L1.3";
    case LinkState::L2:
      return "L2";
    case LinkState::Retrain:
      return "Retrain";
  }
  return {};
}

std::string_view name(AlmpFault fault) {
  switch (fault) {
    case AlmpFault::None:
      return {};
    case AlmpFault::CopiesDiffer:
      return "copies differ";
    case AlmpFault::Malformed:
      return "malformed";
    case AlmpFault::IllegalCode:
      return "illegal state code";
    case AlmpFault::RestNotZero:
      return "rest not zero";
  }
  return {};
}

std::optional<AlmpLink> almp_link_from_name(std::string_view text) {
  return by_name(kLinks, text);
}
std::optional<LinkState> link_state_from_name(std::string_view text) {
  return by_name(kStates, text);
}

Flit encode_almp(const Almp& almp) {
  Flit flit;
  flit.set_protocol_id(ProtocolId::Almp);
  for (std::size_t copy = 0; copy < kCopies; ++copy) {
    std::uint8_t* at = &flit.bytes[kFirst + kCopyBytes * copy];
    at[1] = kStateAlmp;
    at[2] = static_cast<std::uint8_t>(static_cast<unsigned>(almp.state) |
                                      (almp.is_request ? kRequest : 0u));
    at[3] = static_cast<std::uint8_t>(almp.link);
  }
  return flit;
}

AlmpReading read_almp(const Flit& flit) {
  const auto first = flit.bytes.begin() + kFirst;
  const auto rest = first + kCopyBytes * kCopies;
  AlmpReading reading;
  for (auto copy = first + kCopyBytes; copy != rest; copy += kCopyBytes) {
    if (!std::equal(first, first + kCopyBytes, copy)) {
      reading.fault = AlmpFault::CopiesDiffer;
      return reading;
    }
  }
  const bool link_exists = first[3] == static_cast<std::uint8_t>(AlmpLink::Io) ||
                           first[3] == static_cast<std::uint8_t>(AlmpLink::CacheMem);
  if (first[0] != 0 || first[1] != kStateAlmp || (first[2] & 0x70) != 0 || !link_exists) {
    reading.fault = AlmpFault::Malformed;
    return reading;
  }
  reading.almp.link = static_cast<AlmpLink>(first[3]);
  reading.almp.is_request = (first[2] & kRequest) != 0;
  reading.almp.state = static_cast<LinkState>(first[2] & 0x0F);
  if (name(reading.almp.state).empty() || !is_legal(reading.almp)) {
    reading.fault = AlmpFault::IllegalCode;
  } else if (std::any_of(rest, flit.bytes.end(), [](std::uint8_t b) { return b != 0; })) {
    reading.fault = AlmpFault::RestNotZero;
  }
  return reading;
}

}  // namespace cxlgpu::flits
