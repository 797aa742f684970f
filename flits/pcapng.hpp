// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
// A flit log as pcapng, the capture file of Wireshark.
//
// Purpose: one interface a link and direction, named LINK-M2S or LINK-S2M, times in ps, packets of
//          68 bytes with the flag inbound or outbound as the host sees them. The link type is USER0
//          for the first link, USER14 for the fifteenth, USER15 for all others: a dissector knows
//          link type and flags of a packet before it knows the name of its interface. Recovery, or
//          a link that went down, is a packet on interface LINK: the text "recovery" or "down".
//          share/wireshark/cxl68.lua shows such a file. What other tools make of one (editcap,
//          tshark -w, Wireshark) is read too: either byte order, any resolution of time.
// Units:   bytes of blocks, picoseconds.
// Errors:  PcapngError, one line "what; what to do", without the place.
// Source:  draft-ietf-opsawg-pcapng.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "flits/flit.hpp"

namespace cxlgpu::flits {

struct FlitRecord {
  std::uint64_t time_ps = 0;
  std::string link;
  Direction direction = Direction::M2S;
  Flit flit;
  bool recovery = false;  // Recovery of the physical link: no direction, no flit
  bool down = false;      // it went down: likewise
  bool operator==(const FlitRecord&) const = default;
};

struct PcapngError : std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// The first four bytes are those of a pcapng file, whatever its byte order.
inline constexpr std::string_view kPcapngMagic{"\x0a\x0d\x0d\x0a", 4};
/// They are those of a pcap file, the older format.
bool is_pcap(std::string_view first_four);

class PcapngBlocks {
 public:
  static constexpr std::size_t kHeadBytes = 12;       // what length() needs to see
  static constexpr std::size_t kMaxBlock = 1u << 20;  // none of a flit log is near it

  /// Bytes of the whole block whose first kHeadBytes these are. A section header sets the byte
  /// order.
  std::size_t length(std::span<const std::uint8_t> head);
  /// A whole block. True if it was a packet, which is `record` then.
  bool take(std::span<const std::uint8_t> block, FlitRecord& record);

 private:
  struct Interface {
    std::string link;
    std::optional<Direction> direction;  // as its name has it
    bool decimal = true;                 // units of 10^-exponent s, else 2^-exponent
    unsigned exponent = 6;
    std::uint64_t offset_s = 0;
  };
  [[nodiscard]] std::uint32_t u16(const std::uint8_t* at) const;
  [[nodiscard]] std::uint32_t u32(const std::uint8_t* at) const;
  template <class F>
  void options(std::span<const std::uint8_t> bytes, F&& each) const;
  void add_interface(std::span<const std::uint8_t> body);
  void packet(std::span<const std::uint8_t> body, FlitRecord& record) const;

  bool big_endian_ = false;
  std::vector<Interface> interfaces_;
};

/// Blocks of a file that is written.
class PcapngMaker {
 public:
  /// `comment`: of the section, empty: none. What begins the file.
  static void begin(std::string& out, std::string_view comment);
  /// A record; before the first of an interface, its description.
  void add(std::string& out, std::uint64_t time_ps, std::string_view link, Direction direction,
           const Flit& flit);
  void add_event(std::string& out, std::uint64_t time_ps, std::string_view link, bool down);

 private:
  std::uint32_t interface(std::string& out, std::string_view link, std::string_view suffix);

  std::map<std::string, std::uint32_t, std::less<>> interfaces_, links_;
  std::string name_;
};

}  // namespace cxlgpu::flits
