// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
// The CXL.io symbol stream: framing tokens of 128b/130b at x16, DLLPs and TLPs with their checks.
//
// S20 4.1: whatever the width of the link, CXL.io is framed as on a x16 link (PCIe 5.0, 4.2.2.3). A
// flit carries four symbol times of it, 64 symbols; the last two bytes of the payload are reserved.
#pragma once

#include <array>
#include <cstdint>
#include <deque>
#include <functional>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "link_end.hpp"

namespace peer {

using Bytes = std::vector<uint8_t>;
using Dllp = std::array<uint8_t, 4>;  // type and three bytes, without the CRC

uint32_t lcrc(std::span<const uint8_t> bytes);  // as the number whose low byte is sent first
uint16_t dllp_crc(std::span<const uint8_t> bytes);

// A TLP as it stands on the wire between the layers: sequence number, header and data, state of its
// LCRC.
struct FramedTlp {
  uint16_t sequence = 0;
  Bytes tlp;
  bool lcrc_good = false;
  bool nullified = false;  // EDB follows and the LCRC is the inverse
};

// Symbols for the packets that are handed to it, flit by flit.
class IoFramer {
 public:
  struct Packet {
    Bytes symbols;  // from the STP or SDP token to the last symbol
    bool is_tlp = false;
  };
  // The next packet to send, if there is one. Called at each place where a packet may start.
  using Source = std::function<std::optional<Packet>()>;

  // `spread`: each packet starts in a symbol time of its own; else packets follow each other as
  // densely as the rules allow.
  // `one_per_flit`: a packet starts at the first symbol of a flit only.
  explicit IoFramer(bool spread, bool one_per_flit = false)
      : spread_(spread), one_per_flit_(one_per_flit) {}

  static Packet dllp_packet(const Dllp& dllp, bool good_crc = true);
  enum class Lcrc : uint8_t { Good, Bad, Inverted };
  static Packet tlp_packet(uint16_t sequence, std::span<const uint8_t> tlp, Lcrc crc = Lcrc::Good);

  // Nothing: there is nothing to send.
  std::optional<Flit> flit(const Source& source);
  void reset();
  // The next token of the next flit is no token at all.
  void garble_next() { garble_ = true; }

 private:
  bool spread_;
  bool one_per_flit_;
  bool garble_ = false;
  bool owes_flit_ = false;  // a TLP ended at the end of the last flit (S20 6.2.8)
  std::deque<uint8_t> rest_;
  bool rest_is_tlp_ = false;
};

// Packets out of the symbols of received flits.
class IoDeframer {
 public:
  struct Sink {
    std::function<void(const Dllp&, bool crc_good)> dllp;
    std::function<void(const FramedTlp&)> tlp;
    // The other side broke a rule of the transmitter; the stream can still be read.
    std::function<void(std::string_view clause, std::string_view what)> broken;
    // The stream cannot be read on: Recovery is due.
    std::function<void(std::string_view clause, std::string_view what)> framing_error;
  };
  explicit IoDeframer(Sink sink) : sink_(std::move(sink)) {}

  void flit(const Flit& flit);
  void reset();

 private:
  enum class State : uint8_t { Token, Tlp, AfterTlp, Edb, Dllp, Lost };

  void symbol(uint8_t value, unsigned lane);
  void token(uint8_t value, unsigned lane);
  void four_symbol_token();
  void finish_tlp(bool nullified);
  void error(std::string_view what);

  Sink sink_;
  State state_ = State::Token;
  Bytes collected_;
  unsigned wanted_ = 0;
  unsigned idle_dword_ = 0;   // symbols of the present DWORD that must be IDL
  bool idle_in_row_ = false;  // an IDL in this symbol time: no packet may start in it
  unsigned stp_in_row_ = 0;
  unsigned sdp_in_row_ = 0;
};

}  // namespace peer
