// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
// Alternate protocol negotiation, entry into L0 and Recovery at one end of a link.
//
// Purpose: twin of rtl/flex_bus/apn.sv.
// Units:   a training set a cycle; the counts are of training sets, NULL flits and cycles.
// Errors:  a failed negotiation ends in Idle with done and without cxl: the link is PCIe.
// Source:  CXL 2.0 6.4, docs/blocks/flex_bus/apn.md.
#pragma once

#include <cstdint>
#include <optional>

namespace cxlgpu {

// Symbols 12 to 14 of a modified TS1 or TS2.
namespace apn_caps {
inline constexpr std::uint32_t kPcie = 1u << 0, kIo = 1u << 1, kMem = 1u << 2, kCache = 1u << 3,
                               kCxl20 = 1u << 4, kMld = 1u << 8, kBypass = 1u << 10,
                               kRetimer1Aware = 1u << 12, kRetimer2Aware = 1u << 14,
                               kMask = 0xFFFFFF;
}  // namespace apn_caps

// Symbols 8 to 14 of a modified training set.
struct ApnTs {
  bool is_ts2 = false;
  std::uint32_t caps = 0;     // 24 bits
  std::uint16_t vendor = 0;   // symbols 10 and 11
  std::uint8_t reserved = 0;  // 7 bits
  bool common_clock = false;
  std::uint8_t protocol = 0;  // 3 bits
  std::uint8_t status = 0;    // 2 bits
  std::uint8_t usage = 0;     // 3 bits
  bool operator==(const ApnTs&) const = default;

  // Asks for CXL.
  [[nodiscard]] bool alternate() const {
    return usage == 0b010 && protocol == 0 && vendor == 0x1E98;
  }
};
// In wire order, usage lowest; is_ts2 is bit 56.
constexpr std::uint64_t pack(const ApnTs& ts) {
  return std::uint64_t{ts.is_ts2} << 56 | std::uint64_t{ts.caps} << 32 |
         std::uint64_t{ts.vendor} << 16 | std::uint64_t{ts.reserved} << 9 |
         std::uint64_t{ts.common_clock} << 8 | std::uint64_t{ts.protocol} << 5 |
         std::uint64_t{ts.status} << 3 | ts.usage;
}
constexpr ApnTs unpack_ts(std::uint64_t bits) {
  const auto field = [bits](unsigned lo, unsigned width) {
    return static_cast<std::uint32_t>(bits >> lo & ((std::uint64_t{1} << width) - 1));
  };
  return {.is_ts2 = field(56, 1) != 0,
          .caps = field(32, 24),
          .vendor = static_cast<std::uint16_t>(field(16, 16)),
          .reserved = static_cast<std::uint8_t>(field(9, 7)),
          .common_clock = field(8, 1) != 0,
          .protocol = static_cast<std::uint8_t>(field(5, 3)),
          .status = static_cast<std::uint8_t>(field(3, 2)),
          .usage = static_cast<std::uint8_t>(field(0, 3))};
}

enum class ApnState : std::uint8_t {
  kIdle,
  kTs1,
  kTs2,
  kSpeed,
  kEntry,
  kL0,
  kRecoveryTs1,
  kRecoveryTs2,
};

class Apn {
 public:
  struct Goals {
    unsigned ts_received = 8, ts_sent = 16;
    unsigned null_received = 4, null_sent = 8;
    unsigned timeout = 4096;  // cycles
  };
  struct In {
    bool start = false;
    std::uint32_t advertise = 0;
    bool common_clock = false;
    unsigned retimers = 0;  // bit 0: retimer 1 is there, bit 1: retimer 2
    bool speed_done = false, speed_ok = false;
    bool recovery = false;
    std::optional<ApnTs> ts;
    bool null_sent = false, null_received = false;
  };
  struct Out {
    std::optional<ApnTs> ts;
    ApnState state = ApnState::kIdle;
    bool done = false, cxl = false;
    std::uint32_t caps = 0;
    bool bypass = false;
    unsigned expect = 0;
    bool rx_run = false, tx_run = false, l0 = false, recovery = false;
  };

  Apn(bool is_dsp, const Goals& goals) : is_dsp_(is_dsp), goals_(goals) {}
  [[nodiscard]] Out eval(const In& in) const;
  void clock(const In& in);

 private:
  // What the ends have agreed on.
  struct Outcome {
    std::uint32_t caps = 0;
    bool done = false;
    [[nodiscard]] bool cxl() const { return (caps & apn_caps::kIo) != 0; }
  };
  // What has happened in the state before this cycle.
  struct Stay {
    unsigned cycles = 0;
    unsigned received = 0, sent = 0;  // TS2s or NULL flits; sent ones after the first received
    bool mismatch = false;
  };

  [[nodiscard]] std::uint32_t decide(const In& in) const;
  [[nodiscard]] std::uint32_t accept(const In& in) const;
  [[nodiscard]] bool met() const;
  ApnState leave(const Outcome& outcome);
  ApnState next_state(const In& in);
  void stay_on(const In& in);

  bool is_dsp_;
  Goals goals_;
  ApnState state_ = ApnState::kIdle;
  Stay stay_;
  Outcome outcome_;
  bool recovery_due_ = false;  // once in kEntry
};

}  // namespace cxlgpu
