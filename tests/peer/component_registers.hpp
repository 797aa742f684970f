// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
// The component registers of a standard CXL 2.0 Type 3 device (S20 8.2.4, 8.2.5): RAS, link, HDM
// decoders.
#pragma once

#include <array>
#include <cstdint>
#include <optional>

#include "registers.hpp"

namespace peer {

class ComponentRegisters {
 public:
  // decoders: 1, 2, 4, 6, 8 or 10. commit_cycles: from Commit to Committed (at most 10 ms).
  ComponentRegisters(unsigned decoders, unsigned commit_cycles);

  // The credits that the device gives: what Rx Credit Control holds unless software lowers it.
  void credits(uint64_t requests, uint64_t data);

  uint32_t read(uint32_t at) const;  // offset in the block of 64 KB
  void write(uint32_t at, uint32_t value, unsigned byte_enable);
  void tick();
  void reset(bool cold);

  bool hdm_enabled() const { return (registers_.read(kHdm + 4) & 2) != 0; }
  bool poison_on_decode_error() const { return (registers_.read(kHdm + 4) & 1) != 0; }
  std::optional<uint64_t> hdm_decode(uint64_t hpa) const;

  // S20 8.2.5.9: with the mask set nothing is recorded.
  void log_uncorrectable(unsigned bit, uint32_t first_log_word = 0);
  void log_correctable(unsigned bit);

 private:
  static constexpr uint32_t kRas = 0x100;
  static constexpr uint32_t kLink = 0x180;
  static constexpr uint32_t kHdm = 0x200;
  static constexpr uint32_t kCommit = 1U << 9;
  static constexpr uint32_t kCommitted = 1U << 10;
  static constexpr uint32_t kNotCommitted = 1U << 11;
  static constexpr uint32_t kLockOnCommit = 1U << 8;

  struct Decoder {
    uint64_t base = 0, size = 0, skip = 0;
    unsigned ways = 1, granularity = 8;  // log2 of the granularity
    uint32_t control = 0;
  };
  uint32_t at_decoder(unsigned n, uint32_t offset) const { return kHdm + 0x10 + 0x20 * n + offset; }
  Decoder decoder(unsigned n) const;
  void settle(unsigned n);
  bool consistent(unsigned n) const;

  unsigned decoders_;
  unsigned commit_cycles_;
  std::array<unsigned, 10> busy_{};  // cycles until a commit is settled
  RegisterFile registers_{0x1000};   // offsets from 1000h of the block
};

}  // namespace peer
