// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
// RAS capability structure of a CXL.cachemem end.
//
// Purpose: twin of rtl/controller/ras.sv: error status, masks and severities, the first
//          uncorrectable error with its header, and the pulses that report errors.
// Units:   addr is a byte offset, the register is addr[6:2]; the log in words of 32 bits, word 0
//          lowest; thresholds in events.
// Shapes:  uncor and cor have their bits where uncor_status and cor_status have them.
// Errors:  writes to what is absent or read-only are ignored, reads of what is absent give 0;
//          events on bits that do not exist, and masked ones, leave no trace.
// Source:  docs/blocks/controller/ras.md; regs/ras.yaml (CXL 2.0, 8.2.5.9).
#pragma once

#include <array>
#include <cstdint>

#include "common/register_types.hpp"

namespace cxlgpu {

class Ras {
 public:
  using Log = std::array<std::uint32_t, regs::ras::kHeaderLogCount>;

  struct Config {
    unsigned crc_threshold = 256;
    unsigned retry_threshold = 16;
    unsigned log_words = 16;    // 1..16
    bool poison_fixed = false;  // Poison_Enabled is hardwired to 1: a device
  };
  struct In {
    bool valid = false, write = false;
    std::uint32_t addr = 0, wdata = 0;
    std::uint32_t uncor = 0;  // 17 bits
    // What is logged with a reserved encoding, poison, a receiver overflow; words from log_words on
    // do not count.
    Log log_flit{};
    std::array<std::uint32_t, 4> log_header{};
    unsigned log_overflow = 0;  // 0 Req, 1 Rsp, 2 Data of CXL.cache, 4 NDR or Req, 5 DRS or RwD
    std::uint32_t cor = 0;      // 7 bits
    bool poison = false;        // poison received on CXL.mem
    bool crc = false;           // a CRC error
    bool retry = false;         // a retry
  };
  struct Out {
    std::uint32_t rdata = 0;  // 0 but in the cycle after a read
    bool cor = false, nonfatal = false, fatal = false;
  };

  Ras() : Ras(Config{}) {}
  explicit Ras(const Config& config)
      : config_(config),
        side_(config.poison_fixed ? regs::Side::Device : regs::Side::Host),
        regs_(regs::ras::Regs::at_reset(side_)) {}
  [[nodiscard]] Out eval(const In&) const { return out_; }
  void clock(const In& in);

 private:
  [[nodiscard]] bool poison_enabled() const {
    return regs_.control.poison_enabled || regs_.control.poison_fixed;
  }
  // `errors`: those of this cycle; `cleared`: the uncorrectable status bits written 1.
  void note_first(const In& in, std::uint32_t errors, std::uint32_t cleared);
  [[nodiscard]] static Log log_of(unsigned error, const In& in);
  // The unmasked events of this cycle; the correctable ones take a step of the counters.
  [[nodiscard]] std::uint32_t uncor_events(const In& in) const;
  [[nodiscard]] std::uint32_t cor_events(const In& in);

  Config config_;
  regs::Side side_;
  regs::ras::Regs regs_;
  bool held_ = false;  // first_error and header_log are of an error not yet cleared

  unsigned crc_count_ = 0, retry_count_ = 0;  // since the threshold was last reached
  Out out_;                                   // every output is a register
};

}  // namespace cxlgpu
