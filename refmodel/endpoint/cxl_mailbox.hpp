// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
// CXL device registers: capabilities, device status, primary mailbox, memory device status.
//
// Purpose: twin of rtl/endpoint/cxl_mailbox.sv, cycle by cycle.
// Units:   addr is a byte offset, the register is addr[9:2]; capacity in 256 MiB.
// Errors:  those of the mailbox are return codes; a write to what is not writable does nothing.
// Source:  CXL 2.0, 8.2.8 and 8.2.9; docs/blocks/endpoint/cxl_mailbox.md; regs/mailbox.yaml.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "common/register_types.hpp"

namespace cxlgpu {

class CxlMailbox {
 public:
  struct In {
    bool valid = false, write = false;
    std::uint32_t addr = 0, wdata = 0;
    bool media_ready = false;
    bool viral = false;
  };
  struct Out {
    std::uint32_t rdata = 0;  // 0 but in the cycle after a read
    bool shutdown_dirty = false;
  };

  explicit CxlMailbox(std::uint64_t capacity = 128) : capacity_(capacity) {}
  [[nodiscard]] Out eval() const { return {rdata_, dirty_}; }
  void clock(const In& in);
  void reset() { *this = CxlMailbox(capacity_); }

 private:
  enum class Code : std::uint16_t {
    Success = 0x0,
    InvalidInput = 0x2,
    Unsupported = 0x3,
    Internal = 0x4,
    InvalidLength = 0x16,
  };
  using Bytes = std::vector<std::uint8_t>;
  struct Result {
    Code code = Code::Success;
    Bytes output = {};
  };

  [[nodiscard]] std::uint32_t read(const In& in) const;
  void write(std::uint32_t offset, std::uint32_t value);
  void work(bool viral);
  void finish();
  [[nodiscard]] Result judge(bool viral) const;
  [[nodiscard]] Result get_log() const;
  [[nodiscard]] Bytes identity() const;
  [[nodiscard]] std::uint32_t payload(unsigned word) const { return regs_.payload[word].word.data; }
  [[nodiscard]] std::uint8_t byte(unsigned at) const {
    return static_cast<std::uint8_t>(payload(at / 4) >> (8 * (at % 4)));
  }
  [[nodiscard]] std::uint32_t length() const {
    return regs_.command_high.length << 16 | regs_.command.length;
  }

  std::uint64_t capacity_;
  regs::mailbox::Regs regs_;  // memory_status is made at a read
  bool dirty_ = false;
  bool judged_ = false;    // of the command under the doorbell
  unsigned to_write_ = 0;  // words of output that are not in the payload yet
  Result result_;
  std::uint32_t rdata_ = 0;
};

}  // namespace cxlgpu
