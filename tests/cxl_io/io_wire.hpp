// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
// A wire of CXL.io flits and a checker of what an end puts on it.
//
// Purpose: framing, LCRC and DLLP CRC of every flit sent are decoded here from the tables of
//          docs/blocks/cxl_io/README.md, independent of the RTL and of the model.
// Units:   cycles; byte n of a flit is element n.
// Errors:  SendChecker::wrong() keeps the first thing that was wrong, empty if nothing was.
// Source:  docs/blocks/cxl_io/README.md.
#pragma once

#include <zlib.h>

#include <array>
#include <cstdint>
#include <deque>
#include <functional>
#include <optional>
#include <set>
#include <string>
#include <utility>

#include "tests/common/bits.hpp"
#include "tests/common/lockstep.hpp"

namespace cxlgpu::test {

using Flit = LineBytes;

constexpr unsigned kReplayDepth = 4;  // of io_link

// 100Bh, least significant bit of each byte first.
inline std::uint16_t dllp_crc(const Flit& flit) {
  std::uint16_t crc = 0xffff;
  for (std::size_t i = 2; i < 6; ++i) {
    crc ^= flit[i];
    for (int bit = 0; bit < 8; ++bit)
      crc = static_cast<std::uint16_t>((crc >> 1) ^ ((crc & 1) != 0 ? 0xd008 : 0));
  }
  return static_cast<std::uint16_t>(~crc);
}

// x^4 + x + 1 over the 11 bits of Length, bit 0 first.
inline unsigned length_crc(unsigned length) {
  unsigned crc = 0;
  for (unsigned i = 0; i < 11; ++i) {
    const bool feedback = ((crc >> 3 ^ length >> i) & 1) != 0;
    crc = (crc << 1 & 0xf) ^ (feedback ? 0x3 : 0);
  }
  return crc;
}

inline std::uint32_t lcrc(unsigned sequence, const Flit& flit, std::size_t tlp_bytes) {
  const std::array<Bytef, 2> head{static_cast<Bytef>(sequence >> 8), static_cast<Bytef>(sequence)};
  const uLong crc = crc32(crc32(0, nullptr, 0), head.data(), head.size());
  return static_cast<std::uint32_t>(crc32(crc, flit.data() + 4, static_cast<uInt>(tlp_bytes)));
}

inline std::uint32_t little_endian(const Flit& flit, std::size_t at) {
  return flit[at] | flit[at + 1] << 8 | flit[at + 2] << 16 | std::uint32_t{flit[at + 3]} << 24;
}

struct Packet {
  bool is_tlp = false;
  unsigned type = 0;  // first byte of the TLP or DLLP
  unsigned sequence = 0;
  std::string wrong;  // empty if the flit is as the page says
};

inline bool idle_from(const Flit& flit, std::size_t at) {
  for (; at < flit.size(); ++at)
    if (flit[at] != 0) return false;
  return true;
}

inline Packet decode_dllp(const Flit& flit) {
  Packet packet{.is_tlp = false, .type = flit[2], .sequence = 0, .wrong = {}};
  static const std::set<unsigned> kSent{0x00, 0x10, 0x40, 0x50, 0x60, 0x80, 0x90, 0xc0, 0xd0, 0xe0};
  const bool acknowledge = (flit[2] & 0xc0) == 0;
  if ((flit[6] | flit[7] << 8) != dllp_crc(flit)) packet.wrong = "DLLP CRC";
  if (!kSent.contains(packet.type)) packet.wrong = "DLLP type";
  if (acknowledge ? (flit[3] != 0 || (flit[4] & 0xf0) != 0)
                  : ((flit[3] & 0xc0) != 0 || (flit[4] & 0x30) != 0))
    packet.wrong = "reserved bits of a DLLP";
  if (!idle_from(flit, 8)) packet.wrong = "bytes after a DLLP";
  return packet;
}

inline Packet decode_tlp(const Flit& flit) {
  const unsigned length = flit[0] >> 4 | (flit[1] & 0x7f) << 4;
  const unsigned check = flit[2] >> 4;
  Packet packet{
      .is_tlp = true, .type = flit[4], .sequence = (flit[2] & 0xfu) << 8 | flit[3], .wrong = {}};
  const bool four_dw_header = (flit[4] & 0x20) != 0;
  const bool has_data = (flit[4] & 0x40) != 0;
  const unsigned data_dws = (flit[6] & 3u) << 8 | flit[7];
  const unsigned tlp_dws = 3 + (four_dw_header ? 1 : 0) + (has_data ? data_dws : 0);
  if ((flit[0] & 0xf) != 0xf) {
    packet.wrong = "no token";
  } else if (has_data && data_dws != 1 && data_dws != 2) {
    packet.wrong = "more data than this design sends";
  } else if (length != tlp_dws + 2) {
    packet.wrong = "length of a TLP";
  } else if (check != length_crc(length)) {
    packet.wrong = "FCRC";
  } else if (__builtin_parity(length << 4 | check) != flit[1] >> 7) {
    packet.wrong = "frame parity";
  } else if (little_endian(flit, 4 + 4 * tlp_dws) != lcrc(packet.sequence, flit, 4 * tlp_dws)) {
    packet.wrong = "LCRC";
  } else if (!idle_from(flit, 8 + 4 * tlp_dws)) {
    packet.wrong = "bytes after a TLP";
  }
  return packet;
}

inline Packet decode(const Flit& flit) {
  return flit[0] == 0xf0 && flit[1] == 0xac ? decode_dllp(flit) : decode_tlp(flit);
}

// What one end sends: right flits; new TLPs numbered in order from 0; a number sent again carries
// the same bytes. Keeps the first thing that was wrong.
class SendChecker {
 public:
  [[nodiscard]] const std::string& wrong() const { return wrong_; }
  [[nodiscard]] std::uint64_t replayed() const { return replayed_; }

  void flit(const Flit& flit, bool link_up) {
    const Packet packet = decode(flit);
    note(packet.wrong);
    if (link_up && packet.is_tlp) number(packet.sequence, flit);
  }
  void link_down() {
    history_.clear();
    next_ = 0;
  }

 private:
  void number(unsigned sequence, const Flit& flit) {
    if (sequence == next_) {
      next_ = (next_ + 1) % 4096;
      history_.push_front(flit);
      if (history_.size() > kReplayDepth) history_.pop_back();
      return;
    }
    const unsigned back = (next_ - sequence - 1) % 4096;
    ++replayed_;
    if (back >= history_.size()) {
      note("sequence number out of the replay window");
    } else if (history_[back] != flit) {
      note("a replay differs from the first transmission");
    }
  }
  void note(const std::string& wrong) {
    if (wrong_.empty()) wrong_ = wrong;
  }

  std::string wrong_;
  std::deque<Flit> history_;  // newest first
  unsigned next_ = 0;
  std::uint64_t replayed_ = 0;
};

// One direction: a delay, and percent of the flits lost or with 1 to 40 bits inverted, half each.
class Wire {
 public:
  explicit Wire(unsigned delay) : delay_(delay) {}
  void set_damage(unsigned percent) { damage_ = percent; }
  void set_cut(bool cut) { cut_ = cut; }
  // These flits get lost.
  void set_loss(std::function<bool(const Flit&)> lost) { lost_ = std::move(lost); }
  [[nodiscard]] std::uint64_t damaged() const { return damaged_; }

  void send(std::uint64_t cycle, Flit flit, Random& random) {
    if (cut_ || (lost_ && lost_(flit))) return;
    if (random.percent(damage_)) {
      ++damaged_;
      if (random.percent(50)) return;
      invert_bits(flit, random);
    }
    flits_.push_back({cycle + delay_, flit});
  }
  std::optional<Flit> receive(std::uint64_t cycle) {
    if (flits_.empty() || flits_.front().due > cycle) return std::nullopt;
    const Flit flit = flits_.front().flit;
    flits_.pop_front();
    return flit;
  }
  void clear() { flits_.clear(); }

 private:
  // Within the bytes a packet can have; the rest is not looked at by a receiver.
  static void invert_bits(Flit& flit, Random& random) {
    for (std::uint64_t n = 1 + random.below(40); n > 0; --n) {
      const std::uint64_t bit = random.below(32 * 8);
      flit[bit / 8] ^= static_cast<std::uint8_t>(1u << (bit % 8));
    }
  }
  struct Entry {
    std::uint64_t due;
    Flit flit;
  };
  std::deque<Entry> flits_;
  std::uint64_t delay_;
  std::uint64_t damaged_ = 0;
  unsigned damage_ = 0;
  bool cut_ = false;
  std::function<bool(const Flit&)> lost_;
};

}  // namespace cxlgpu::test
