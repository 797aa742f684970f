// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
// HDM decoders of a host bridge or of a device.
//
// Purpose: the HDM Decoder Capability Structure as software sees it, and the translation it sets
//          up: HPA -> root port number in a host bridge, HPA -> DPA in a device.
// Units:   write(), read(): byte offset in the structure and one 32-bit register. decode(): byte
//          addresses below 2^52. The cycle-exact wrapper speaks 64 B lines (address[51:6]).
// Errors:  a bad commit is reported in the register (Error Not Committed), as the hardware does;
//          writes to what is absent, locked or read-only are ignored, reads of it give 0.
// Source:  CXL 2.0 8.2.5.12 with the 3.x interleave codes; docs/blocks/host_bridge/hdm_decoder.md.
#pragma once

#include <array>
#include <cstdint>
#include <optional>

#include "common/register_types.hpp"

namespace cxlgpu {

// Ways of an interleave code (IW): 0..4 -> 1, 2, 4, 8, 16; 8..10 -> 3, 6, 12; reserved codes -> 0.
[[nodiscard]] constexpr unsigned interleave_ways(unsigned iw) {
  if (iw <= 4) return 1u << iw;
  if (iw >= 8 && iw <= 10) return 3u << (iw - 8);
  return 0;
}

class HdmDecoder {
 public:
  enum class Role : std::uint8_t { HostBridge, Device };
  static constexpr unsigned kMaxDecoders = 10;

  struct Decoded {
    unsigned decoder = 0;
    unsigned way = 0;
    std::uint8_t target = 0;    // PCIe port number; 0 in a device
    std::uint64_t address = 0;  // DPA in a device, the HPA itself in a host bridge
    bool operator==(const Decoded&) const = default;
  };

  explicit HdmDecoder(Role role, unsigned decoders = 4);

  // Untimed: the write and, if it asked for a commit, the outcome of the commit.
  void write(std::uint32_t offset, std::uint32_t value);
  [[nodiscard]] std::uint32_t read(std::uint32_t offset) const;
  [[nodiscard]] std::optional<Decoded> decode(std::uint64_t hpa) const;
  [[nodiscard]] bool enabled() const { return regs_.global_control.enable; }

  // Cycle-exact.
  struct In {
    bool valid = false, write = false;
    std::uint32_t addr = 0, wdata = 0;
    std::uint64_t hpa_line = 0;
    bool hpa_valid = true;  // else a miss
  };
  struct Out {
    bool hit = false;
    unsigned decoder = 0, way = 0;
    std::uint8_t target = 0;
    std::uint64_t dpa_line = 0;  // the HPA's line on a miss
    std::uint32_t rdata = 0;     // only in the cycle after a read
    bool enabled = false;        // HDM Decoder Enable; a device's
  };
  [[nodiscard]] Out eval(const In& in) const;
  void clock(const In& in);

 private:
  using Registers = regs::hdm::DecSet;  // one decoder
  struct Range {                        // a committed decoder, ready for decode(); lines
    std::uint64_t base = 0, size = 0, dpa_base = 0;
    std::uint64_t targets = 0;  // eight port numbers, way 0 lowest; 0 in a device
    unsigned granule_shift = 0;
    unsigned ways = 1;
    unsigned way_shift = 0;  // ways = (three ? 3 : 1) << way_shift
    bool three = false;
    unsigned decoder = 0;
  };

  using Verdicts = std::array<std::optional<bool>, kMaxDecoders>;  // of the commits that wait

  [[nodiscard]] regs::Side side() const {
    return role_ == Role::Device ? regs::Side::Device : regs::Side::Host;
  }
  [[nodiscard]] static bool pending(const Registers& r) {
    return r.control.commit && !r.control.committed && !r.control.error;
  }
  [[nodiscard]] bool locked_checks_pass(unsigned n) const;
  [[nodiscard]] bool may_commit(unsigned n) const;
  [[nodiscard]] Verdicts judge() const;
  void write_register(std::uint32_t offset, std::uint32_t value);
  void complete_commits(const Verdicts& verdicts);
  void rebuild_ranges();

  Role role_;
  unsigned count_;
  regs::hdm::Regs regs_;
  std::array<Range, kMaxDecoders> ranges_{};
  unsigned range_count_ = 0;
  std::uint32_t rdata_ = 0;
};

}  // namespace cxlgpu
