// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
#include "io_frame.hpp"

#include <bit>

namespace peer {
namespace {

constexpr unsigned kSymbols = 64;
constexpr unsigned kLanes = 16;
constexpr uint8_t kIdl = 0x00;
constexpr uint8_t kSdp0 = 0xf0;
constexpr uint8_t kSdp1 = 0xac;
constexpr uint8_t kEdb = 0xc0;
constexpr unsigned kStpLow = 0xf;

bool bit(unsigned value, unsigned index) {
  return ((value >> index) & 1) != 0;
}

// PCIe 5.0, 4.2.2.3.1.
unsigned frame_crc(unsigned l) {
  const bool c0 =
      bit(l, 10) ^ bit(l, 7) ^ bit(l, 6) ^ bit(l, 4) ^ bit(l, 2) ^ bit(l, 1) ^ bit(l, 0);
  const bool c1 =
      bit(l, 10) ^ bit(l, 9) ^ bit(l, 7) ^ bit(l, 5) ^ bit(l, 4) ^ bit(l, 3) ^ bit(l, 2);
  const bool c2 = bit(l, 9) ^ bit(l, 8) ^ bit(l, 6) ^ bit(l, 4) ^ bit(l, 3) ^ bit(l, 2) ^ bit(l, 1);
  const bool c3 = bit(l, 8) ^ bit(l, 7) ^ bit(l, 5) ^ bit(l, 3) ^ bit(l, 2) ^ bit(l, 1) ^ bit(l, 0);
  return static_cast<unsigned>(c0) | static_cast<unsigned>(c1) << 1 |
         static_cast<unsigned>(c2) << 2 | static_cast<unsigned>(c3) << 3;
}
bool frame_parity(unsigned length) {
  return ((std::popcount(length) + std::popcount(frame_crc(length))) & 1) != 0;
}

uint32_t tlp_lcrc(uint16_t sequence, std::span<const uint8_t> tlp) {
  Bytes covered;
  covered.reserve(tlp.size() + 2);
  covered.push_back(static_cast<uint8_t>(sequence >> 8 & 0xf));  // the four bits before it are zero
  covered.push_back(static_cast<uint8_t>(sequence));
  covered.insert(covered.end(), tlp.begin(), tlp.end());
  return lcrc(covered);
}

}  // namespace

// PCIe 5.0, 3.6.2.1: polynomial 04C1 1DB7h, bit 0 of a byte first, complemented, each byte of the
// result mirrored.
uint32_t lcrc(std::span<const uint8_t> bytes) {
  uint32_t crc = 0xffff'ffff;
  for (const uint8_t byte : bytes) {
    crc ^= byte;
    for (int i = 0; i < 8; ++i) crc = (crc >> 1) ^ ((crc & 1) != 0 ? 0xedb8'8320U : 0U);
  }
  return ~crc;
}

// PCIe 5.0, 3.5.1: polynomial 100Bh, mirrored in the same way.
uint16_t dllp_crc(std::span<const uint8_t> bytes) {
  uint16_t crc = 0xffff;
  for (const uint8_t byte : bytes) {
    crc = static_cast<uint16_t>(crc ^ byte);
    for (int i = 0; i < 8; ++i) {
      crc = static_cast<uint16_t>((crc >> 1) ^ ((crc & 1) != 0 ? 0xd008U : 0U));
    }
  }
  return static_cast<uint16_t>(~crc);
}

IoFramer::Packet IoFramer::dllp_packet(const Dllp& dllp, bool good_crc) {
  Packet packet;
  const unsigned crc = dllp_crc(dllp) ^ (good_crc ? 0U : 0x10U);
  packet.symbols = {kSdp0,
                    kSdp1,
                    dllp[0],
                    dllp[1],
                    dllp[2],
                    dllp[3],
                    static_cast<uint8_t>(crc),
                    static_cast<uint8_t>(crc >> 8)};
  return packet;
}

IoFramer::Packet IoFramer::tlp_packet(uint16_t sequence, std::span<const uint8_t> tlp, Lcrc crc) {
  const auto length = static_cast<unsigned>(tlp.size() / 4 + 2);
  Packet packet;
  packet.is_tlp = true;
  packet.symbols = {
      static_cast<uint8_t>(length << 4 | kStpLow),
      static_cast<uint8_t>((length >> 4 & 0x7f) | (frame_parity(length) ? 0x80U : 0U)),
      static_cast<uint8_t>(frame_crc(length) << 4 | (sequence >> 8 & 0xf)),
      static_cast<uint8_t>(sequence)};
  packet.symbols.insert(packet.symbols.end(), tlp.begin(), tlp.end());
  uint32_t check = tlp_lcrc(sequence, tlp);
  if (crc == Lcrc::Bad) check ^= 0x0040'0000U;
  if (crc == Lcrc::Inverted) check = ~check;
  for (int i = 0; i < 4; ++i) packet.symbols.push_back(static_cast<uint8_t>(check >> (8 * i)));
  if (crc == Lcrc::Inverted) packet.symbols.insert(packet.symbols.end(), 4, kEdb);
  return packet;
}

void IoFramer::reset() {
  rest_.clear();
  owes_flit_ = false;
  garble_ = false;
}

std::optional<Flit> IoFramer::flit(const Source& source) {
  Flit flit{};
  bool used = owes_flit_ || !rest_.empty();
  bool ended_with_tlp = false;
  unsigned stp_row = kSymbols;  // symbol times in which the last STP and SDP stood
  unsigned sdp_row = kSymbols;
  bool idle_in_row = false;
  for (unsigned at = 0; at < kSymbols;) {
    if (!rest_.empty()) {
      while (at < kSymbols && !rest_.empty()) {
        flit[at++] = rest_.front();
        rest_.pop_front();
      }
      ended_with_tlp = rest_is_tlp_ && rest_.empty();
      continue;
    }
    const unsigned row = at / kLanes;
    if (at % kLanes == 0) idle_in_row = false;
    // One STP and one SDP a symbol time; nothing starts after an IDL of the same symbol time.
    const bool may_start = !idle_in_row && stp_row != row && sdp_row != row &&
                           (!spread_ || at % kLanes == 0) && (!one_per_flit_ || at == 0);
    if (may_start) {
      if (garble_) {
        garble_ = false;
        flit[at] = 0x55;
        used = true;
        at += 4;
        idle_in_row = true;
        continue;
      }
      if (std::optional<Packet> packet = source()) {
        used = true;
        (packet->is_tlp ? stp_row : sdp_row) = row;
        rest_is_tlp_ = packet->is_tlp;
        rest_.assign(packet->symbols.begin(), packet->symbols.end());
        continue;
      }
    }
    idle_in_row = true;
    ended_with_tlp = false;
    at += 4;  // IDL is zero
  }
  owes_flit_ = ended_with_tlp && rest_.empty();
  if (!used) return std::nullopt;
  return flit;
}

void IoDeframer::reset() {
  state_ = State::Token;
  collected_.clear();
  wanted_ = 0;
  idle_dword_ = 0;
}

void IoDeframer::error(std::string_view what) {
  state_ = State::Lost;
  sink_.framing_error("PCIe 4.2.2.3.3", what);
}

void IoDeframer::flit(const Flit& flit) {
  if (flit[64] != 0 || flit[65] != 0) {
    sink_.broken("6.2.3", "the two reserved bytes of a CXL.io flit are not zero");
  }
  for (unsigned i = 0; i < kSymbols; ++i) {
    if (i % kLanes == 0) {
      idle_in_row_ = false;
      stp_in_row_ = sdp_in_row_ = 0;
    }
    symbol(flit[i], i % kLanes);
    if (state_ == State::Lost) return;
  }
}

void IoDeframer::symbol(uint8_t value, unsigned lane) {
  switch (state_) {
    case State::Token:
      token(value, lane);
      return;
    case State::AfterTlp:
      if (value == kEdb) {
        collected_.push_back(value);
        wanted_ = 3;
        state_ = State::Edb;
        return;
      }
      finish_tlp(false);
      state_ = State::Token;
      token(value, lane);
      return;
    case State::Edb:
      if (value != kEdb) return error("an EDB token that is not whole");
      if (--wanted_ == 0) {
        collected_.pop_back();
        finish_tlp(true);
        state_ = State::Token;
      }
      return;
    case State::Tlp:
      collected_.push_back(value);
      if (collected_.size() == 4) four_symbol_token();
      if (state_ == State::Tlp && collected_.size() == wanted_) state_ = State::AfterTlp;
      return;
    case State::Dllp:
      collected_.push_back(value);
      if (collected_.size() == 2 && value != kSdp1) return error("F0h that starts no SDP token");
      if (collected_.size() == 8) {
        Dllp dllp{};
        std::copy_n(collected_.begin() + 2, 4, dllp.begin());
        const unsigned crc = collected_[6] | static_cast<unsigned>(collected_[7]) << 8;
        state_ = State::Token;
        sink_.dllp(dllp, crc == dllp_crc(dllp));
      }
      return;
    case State::Lost:
      return;
  }
}

void IoDeframer::token(uint8_t value, unsigned lane) {
  if (idle_dword_ != 0) {  // the rest of a DWORD that began with IDL
    --idle_dword_;
    if (value != kIdl) error("a symbol that is not IDL in the DWORD of an IDL token");
    return;
  }
  if (value == kIdl) {
    idle_dword_ = 3 - lane % 4;
    idle_in_row_ = true;
    return;
  }
  if (idle_in_row_) {
    sink_.broken("PCIe 4.2.2.3.2", "a packet starts after an IDL token in the same symbol time");
  }
  collected_.assign(1, value);
  if (value == kSdp0) {
    if (++sdp_in_row_ > 1) sink_.broken("PCIe 4.2.2.3.2", "two SDP tokens in one symbol time");
    state_ = State::Dllp;
  } else if ((value & 0xf) == kStpLow) {
    if (++stp_in_row_ > 1) sink_.broken("PCIe 4.2.2.3.2", "two STP tokens in one symbol time");
    state_ = State::Tlp;
    wanted_ = 0;
  } else {
    error(value == kEdb ? "an EDB token that follows no TLP" : "a symbol that starts no token");
  }
}

void IoDeframer::four_symbol_token() {
  const unsigned length = static_cast<unsigned>(collected_[0] >> 4) | (collected_[1] & 0x7fU) << 4;
  if (length == 1) return error("an EDS token inside a CXL.io flit");
  if ((collected_[2] >> 4) != frame_crc(length))
    return error("an STP token with a wrong frame CRC");
  if (((collected_[1] & 0x80) != 0) != frame_parity(length)) {
    return error("an STP token with a wrong frame parity");
  }
  // A framing token, three DW of header at least, an LCRC; 4 is the shortest that a receiver may
  // refuse.
  if (length < 5 || length > 1151) return error("an STP token with an impossible length");
  wanted_ = length * 4;
}

void IoDeframer::finish_tlp(bool nullified) {
  FramedTlp framed;
  framed.sequence = static_cast<uint16_t>((collected_[2] & 0xfU) << 8 | collected_[3]);
  framed.nullified = nullified;
  const size_t end = collected_.size() - 4;
  framed.tlp.assign(collected_.begin() + 4, collected_.begin() + static_cast<std::ptrdiff_t>(end));
  uint32_t check = 0;
  for (size_t i = 0; i < 4; ++i) check |= static_cast<uint32_t>(collected_[end + i]) << (8 * i);
  const uint32_t right = tlp_lcrc(framed.sequence, framed.tlp);
  framed.lcrc_good = check == (nullified ? ~right : right);
  sink_.tlp(framed);
}

}  // namespace peer
