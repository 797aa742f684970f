// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
// Packets of CXL.io, TLPs and DLLPs, framed and protected; and flits with one of them.
//
// Purpose: makes the flits that io_link sends and says what a received packet is.
// Shapes:  byte n of a flit or packet is element n; in a flit that is sent the packet begins in
// byte
//          0, the rest is idle (0).
// Errors:  what cannot be read is a verdict, DamagedTlp or DamagedDllp.
// Source:  PCI Express Base 5.0, 3 (DLLP, LCRC) and 4.2.2 (tokens); docs/blocks/cxl_io/README.md.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <variant>
#include <vector>

#include "refmodel/cxl_io/io_types.hpp"

namespace cxlgpu {

using IoFlit = std::array<std::uint8_t, 64>;

struct AckNak {
  bool nak = false;
  unsigned sequence = 0;  // 12 bits
  bool operator==(const AckNak&) const = default;
};

enum class FcKind : std::uint8_t { kInit1 = 1, kUpdate = 2, kInit2 = 3 };
struct FlowControl {
  FcKind kind = FcKind::kInit1;
  FcClass fc = FcClass::kPosted;
  unsigned header = 0;  // 8 bits; 0 in InitFC: no limit
  unsigned data = 0;    // 12 bits
  bool operator==(const FlowControl&) const = default;
};

struct SequencedTlp {
  unsigned sequence = 0;  // 12 bits
  Tlp tlp{};
  bool malformed = false;  // received ones only
  bool operator==(const SequencedTlp&) const = default;
};

struct DamagedTlp {
  bool operator==(const DamagedTlp&) const = default;
};
struct DamagedDllp {
  bool operator==(const DamagedDllp&) const = default;
};

// What follows a TLP in the stream of symbols. kUnknown: it ended with its flit.
enum class Behind : std::uint8_t { kOther, kUnknown, kEdb };

// monostate: nothing, a nullified TLP, or a DLLP of a kind that is not ours.
using IoVerdict =
    std::variant<std::monostate, AckNak, FlowControl, SequencedTlp, DamagedTlp, DamagedDllp>;

[[nodiscard]] IoFlit make_flit(const AckNak& dllp);
[[nodiscard]] IoFlit make_flit(const FlowControl& dllp);
[[nodiscard]] IoFlit make_flit(const SequencedTlp& tlp);
// DWs from the four bytes of a token to the LCRC; 0: no TLP begins so.
[[nodiscard]] unsigned token_length(const std::uint8_t* token);
// A packet from its token to its last byte. What is no token is a packet of one DW.
[[nodiscard]] IoVerdict classify(std::span<const std::uint8_t> packet, Behind behind);
// For tests: a TLP of any length as a packet, a flit whose token says `dws` whatever the header
// does, and any DLLP; the packet at the beginning of a flit, which has to end in it.
[[nodiscard]] std::vector<std::uint8_t> make_tlp_packet(unsigned sequence,
                                                        std::span<const std::uint8_t> tlp);
[[nodiscard]] IoFlit make_tlp_flit(const SequencedTlp& tlp, unsigned dws);
[[nodiscard]] IoFlit make_dllp_flit(const std::array<std::uint8_t, 4>& dllp);
[[nodiscard]] IoVerdict classify(const IoFlit& flit);

}  // namespace cxlgpu
