// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
#include "flits/pcapng.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>

#include "flits/bits.hpp"

namespace cxlgpu::flits {
namespace {

constexpr std::uint32_t kSectionHeader = 0x0A0D0D0A, kInterface = 1, kSimplePacket = 3, kPacket = 6;
constexpr std::uint32_t kByteOrder = 0x1A2B3C4D;
constexpr std::uint32_t kUser0 = 147, kUser15 = 162;  // link types
constexpr std::uint16_t kOptEnd = 0, kOptComment = 1, kIfName = 2, kIfTsresol = 9, kIfTsoffset = 14,
                        kShbApplication = 4, kEpbFlags = 2;
constexpr std::uint32_t kInbound = 1, kOutbound = 2;
constexpr std::string_view kRecovery = "recovery", kDown = "down";
constexpr std::string_view kAgain = "write the file again, with run --flit-log or flit convert";

std::size_t padded(std::size_t bytes) {
  return (bytes + 3) & ~std::size_t{3};
}

template <class T>
void put(std::string& out, T value) {  // little endian
  for (std::size_t i = 0; i < sizeof value; ++i) {
    out.push_back(static_cast<char>(value >> (8 * i) & 0xff));
  }
}

void put_padded(std::string& out, std::string_view bytes) {
  out.append(bytes);
  out.append(padded(bytes.size()) - bytes.size(), '\0');
}

void put_option(std::string& out, std::uint16_t code, std::string_view value) {
  value = value.substr(0, 0xFFFF);
  put(out, code);
  put(out, static_cast<std::uint16_t>(value.size()));
  put_padded(out, value);
}

// Type and length around what `body` appends; the length is known afterwards.
template <class Body>
void block(std::string& out, std::uint32_t type, Body&& body) {
  const std::size_t start = out.size();
  put(out, type);
  put(out, std::uint32_t{0});
  body();
  put(out, std::uint32_t{0});
  std::string length;
  put(length, static_cast<std::uint32_t>(out.size() - start));
  out.replace(start + 4, 4, length);
  out.replace(out.size() - 4, 4, length);
}

// A name ends with its direction: LINK-M2S.
std::optional<Direction> split_direction(std::string& name) {
  const auto dash = name.rfind('-');
  if (dash == std::string::npos || dash == 0) return std::nullopt;
  const auto direction = direction_from_name(std::string_view(name).substr(dash + 1));
  if (direction) name.resize(dash);
  return direction;
}

std::string text_of(std::span<const std::uint8_t> bytes) {
  return std::string(bytes.begin(), bytes.end());
}

[[noreturn]] void refuse(std::string_view what, std::string_view remedy) {
  throw PcapngError(fmt::format("{}; {}", what, remedy));
}

}  // namespace

bool is_pcap(std::string_view first_four) {
  for (const std::string_view magic :
       {"\xa1\xb2\xc3\xd4", "\xd4\xc3\xb2\xa1", "\xa1\xb2\x3c\x4d", "\x4d\x3c\xb2\xa1"}) {
    if (first_four == magic) return true;
  }
  return false;
}

// ---- reading -----------------------------------------------------------------------------------

std::uint32_t PcapngBlocks::u16(const std::uint8_t* at) const {
  return big_endian_ ? at[0] << 8u | at[1] : at[1] << 8u | at[0];
}

std::uint32_t PcapngBlocks::u32(const std::uint8_t* at) const {
  return big_endian_ ? u16(at) << 16 | u16(at + 2) : u16(at + 2) << 16 | u16(at);
}

std::size_t PcapngBlocks::length(std::span<const std::uint8_t> head) {
  if (u32(head.data()) == kSectionHeader) {  // the same both ways
    big_endian_ = head[8] == 0x1A;
    if (u32(head.data() + 8) != kByteOrder) {
      refuse("is no pcapng: wrong byte-order magic", "name a flit log, as text or pcapng");
    }
  }
  const std::size_t bytes = u32(head.data() + 4);
  if (bytes < kHeadBytes || bytes % 4 != 0 || bytes > kMaxBlock) {
    refuse(fmt::format("a block of {} bytes", bytes), kAgain);
  }
  return bytes;
}

// Options of a block: each(code, value).
template <class F>
void PcapngBlocks::options(std::span<const std::uint8_t> bytes, F&& each) const {
  while (bytes.size() >= 4) {
    const std::uint32_t code = u16(bytes.data());
    const std::size_t length = u16(bytes.data() + 2);
    if (code == kOptEnd) return;
    if (4 + length > bytes.size()) refuse("an option is longer than its block", kAgain);
    each(code, bytes.subspan(4, length));
    bytes = bytes.subspan(std::min(bytes.size(), 4 + padded(length)));
  }
}

void PcapngBlocks::add_interface(std::span<const std::uint8_t> body) {
  if (body.size() < 8) refuse("the description of an interface is cut short", kAgain);
  if (u16(body.data()) < kUser0 || u16(body.data()) > kUser15) {
    refuse(fmt::format("interface {} has link type {}, not {} to {}", interfaces_.size(),
                       u16(body.data()), kUser0, kUser15),
           "name a capture of flits");
  }
  Interface made;
  options(body.subspan(8), [&](std::uint32_t code, std::span<const std::uint8_t> value) {
    if (code == kIfName) {
      made.link = text_of(value);
    } else if (code == kIfTsresol && value.size() == 1) {
      made.decimal = value[0] < 0x80;
      made.exponent = value[0] & 0x7Fu;
    } else if (code == kIfTsoffset && value.size() == 8) {
      const std::uint64_t first = u32(value.data()), second = u32(value.data() + 4);
      made.offset_s = big_endian_ ? first << 32 | second : second << 32 | first;
    }
  });
  made.link.resize(std::min(made.link.find('\0'), made.link.size()));
  if (made.exponent > 63 || (made.decimal && made.exponent > 19)) {
    refuse(fmt::format("interface {} has times of unknown resolution", interfaces_.size()), kAgain);
  }
  made.direction = split_direction(made.link);
  if (made.link.empty()) made.link = fmt::format("interface{}", interfaces_.size());
  if (std::any_of(made.link.begin(), made.link.end(),
                  [](unsigned char c) { return c <= ' ' || c == 0x7f; })) {
    refuse(fmt::format("the name of interface {} has a space", interfaces_.size()),
           "give it one without");
  }
  interfaces_.push_back(std::move(made));
}

void PcapngBlocks::packet(std::span<const std::uint8_t> body, FlitRecord& record) const {
  if (body.size() < 20) refuse("a packet is cut short", kAgain);
  const std::size_t which = u32(body.data());
  if (which >= interfaces_.size()) {
    refuse(fmt::format("a packet of interface {}, which is not described", which), kAgain);
  }
  const Interface& interface = interfaces_[which];
  const std::size_t captured = u32(body.data() + 12);
  if (captured > body.size() - 20) refuse("a packet is longer than its block", kAgain);
  if (u32(body.data() + 16) != captured) {
    refuse("a packet was captured in part", "capture it whole");
  }
  const auto bytes = body.subspan(20, captured);

  const std::uint64_t units =
      std::uint64_t{u32(body.data() + 4)} << 32 | std::uint64_t{u32(body.data() + 8)};
  constexpr std::uint64_t kPsPerSecond = 1'000'000'000'000;
  u128 time = u128{units} * kPsPerSecond;
  if (interface.decimal) {
    for (unsigned i = 0; i < interface.exponent; ++i) time /= 10;
  } else {
    time >>= interface.exponent;
  }
  time += u128{interface.offset_s} * kPsPerSecond;
  if (time > ~std::uint64_t{0}) refuse("a time is out of range", kAgain);

  record.time_ps = static_cast<std::uint64_t>(time);
  record.link = interface.link;
  record.recovery = text_of(bytes) == kRecovery;
  record.down = text_of(bytes) == kDown;
  if (record.recovery || record.down) {
    record.direction = Direction::M2S;
    record.flit = {};
    return;
  }
  if (captured != Flit::kBytes) {
    refuse(fmt::format("a packet of {} bytes is no flit", captured), "a flit has 68");
  }
  std::copy(bytes.begin(), bytes.end(), record.flit.bytes.begin());
  auto direction = interface.direction;
  options(body.subspan(std::min(body.size(), 20 + padded(captured))),
          [&](std::uint32_t code, std::span<const std::uint8_t> value) {
            if (code != kEpbFlags || value.size() != 4 || direction) return;
            const std::uint32_t way = u32(value.data()) & 3u;
            if (way == kOutbound) direction = Direction::M2S;
            if (way == kInbound) direction = Direction::S2M;
          });
  if (!direction) {
    refuse(fmt::format("interface \"{}\" says no direction", interface.link),
           "name it LINK-M2S or LINK-S2M");
  }
  record.direction = *direction;
}

bool PcapngBlocks::take(std::span<const std::uint8_t> block, FlitRecord& record) {
  const std::uint32_t type = u32(block.data());
  if (u32(block.data() + block.size() - 4) != block.size()) {
    refuse("the two lengths of a block differ", kAgain);
  }
  const auto body = block.subspan(8, block.size() - 12);
  switch (type) {
    case kSectionHeader:
      if (body.size() < 16 || u16(body.data() + 4) != 1) {
        refuse("is a pcapng of an unknown version", "use version 1");
      }
      interfaces_.clear();
      return false;
    case kInterface:
      add_interface(body);
      return false;
    case kSimplePacket:
      refuse("a packet without a time", "capture with enhanced packet blocks");
    case kPacket:
      packet(body, record);
      return true;
    default:
      return false;  // name resolution, statistics: nothing of a flit
  }
}

// ---- writing -----------------------------------------------------------------------------------

void PcapngMaker::begin(std::string& out, std::string_view comment) {
  block(out, kSectionHeader, [&] {
    put(out, kByteOrder);
    put(out, std::uint16_t{1});  // version 1.0
    put(out, std::uint16_t{0});
    put(out, ~std::uint64_t{0});  // length of the section: not said
    if (!comment.empty()) put_option(out, kOptComment, comment);
    put_option(out, kShbApplication, "cxlgpu");
    put(out, std::uint32_t{kOptEnd});
  });
}

std::uint32_t PcapngMaker::interface(std::string& out, std::string_view link,
                                     std::string_view suffix) {
  name_.assign(link).append(suffix);
  const auto found = interfaces_.find(name_);
  if (found != interfaces_.end()) return found->second;
  const auto index = links_.try_emplace(std::string(link), links_.size()).first->second;
  block(out, kInterface, [&] {
    put(out, static_cast<std::uint16_t>(std::min(kUser0 + index, kUser15)));
    put(out, std::uint16_t{0});
    put(out, std::uint32_t{0});  // no snapshot length
    put_option(out, kIfName, name_);
    put_option(out, kIfTsresol, std::string_view("\x0c", 1));
    put(out, std::uint32_t{kOptEnd});
  });
  const auto number = static_cast<std::uint32_t>(interfaces_.size());
  interfaces_.emplace(name_, number);
  return number;
}

void PcapngMaker::add(std::string& out, std::uint64_t time_ps, std::string_view link,
                      Direction direction, const Flit& flit) {
  const bool m2s = direction == Direction::M2S;
  const std::uint32_t number = interface(out, link, m2s ? "-M2S" : "-S2M");
  block(out, kPacket, [&] {
    put(out, number);
    put(out, static_cast<std::uint32_t>(time_ps >> 32));
    put(out, static_cast<std::uint32_t>(time_ps));
    put(out, static_cast<std::uint32_t>(Flit::kBytes));
    put(out, static_cast<std::uint32_t>(Flit::kBytes));
    out.append(reinterpret_cast<const char*>(flit.bytes.data()), Flit::kBytes);
    std::string flags;
    put(flags, m2s ? kOutbound : kInbound);
    put_option(out, kEpbFlags, flags);
    put(out, std::uint32_t{kOptEnd});
  });
}

void PcapngMaker::add_event(std::string& out, std::uint64_t time_ps, std::string_view link,
                            bool down) {
  const std::uint32_t number = interface(out, link, "");
  const std::string_view text = down ? kDown : kRecovery;
  block(out, kPacket, [&] {
    put(out, number);
    put(out, static_cast<std::uint32_t>(time_ps >> 32));
    put(out, static_cast<std::uint32_t>(time_ps));
    put(out, static_cast<std::uint32_t>(text.size()));
    put(out, static_cast<std::uint32_t>(text.size()));
    put_padded(out, text);
  });
}

}  // namespace cxlgpu::flits
