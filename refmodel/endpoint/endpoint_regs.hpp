// The endpoint's vendor registers.
//
// Purpose: twin of rtl/endpoint/endpoint_regs.sv: the settings of the internal DRAM and of DevLoad,
//          and the count of write-backs answered.
// Units:   addr is a byte offset of a 32-bit register; only addr[10:2] counts.
// Errors:  writes to what is absent or read-only are ignored, reads of what is absent give 0.
// Source:  docs/blocks.md, "endpoint_regs" and the register list under "dev_load".
#pragma once

#include <algorithm>
#include <cstdint>

#include "refmodel/endpoint/dev_load.hpp"

namespace cxlgpu {

class EndpointRegs {
 public:
  struct In {
    bool valid = false, write = false;
    std::uint32_t addr = 0, wdata = 0;
    bool write_back_done = false;
  };
  struct Out {
    std::uint32_t rdata = 0;  // 0 but in the cycle after a read
    bool dram_enable = false, len_enable = false;
    unsigned sets_log2 = 0;
    DevLoadThresholds thresholds;
  };

  explicit EndpointRegs(unsigned max_sets_log2 = 10) : max_sets_log2_(max_sets_log2) {
    out_.sets_log2 = max_sets_log2;
    out_.thresholds = {{4, 12, 24}, {16, 32, 48}};
  }

  [[nodiscard]] Out eval(const In&) const { return out_; }
  void clock(const In& in) {
    out_.rdata = in.valid && !in.write ? read(in.addr) : 0;
    if (in.valid && in.write) write(in.addr, in.wdata);
    write_backs_ += in.write_back_done;
  }

 private:
  static constexpr std::uint32_t offset(std::uint32_t addr) { return 0x800 | (addr & 0x7fc); }
  static LoadThresholds unpack(std::uint32_t value) {
    LoadThresholds th;
    for (unsigned k = 0; k < 3; ++k) th[k] = (value >> (8 * k)) & 0x7f;
    return th;
  }
  static std::uint32_t pack(const LoadThresholds& th) {
    return static_cast<std::uint32_t>(th[2] << 16 | th[1] << 8 | th[0]);
  }

  [[nodiscard]] std::uint32_t read(std::uint32_t addr) const {
    switch (offset(addr)) {
      case 0x800:
        return std::uint32_t{out_.len_enable} << 1 | std::uint32_t{out_.dram_enable};
      case 0x804:
        return out_.sets_log2;
      case 0x808:
        return pack(out_.thresholds.ingress);
      case 0x80c:
        return pack(out_.thresholds.mshr);
      case 0x810:
        return write_backs_;
      default:
        return 0;
    }
  }
  void write(std::uint32_t addr, std::uint32_t value) {
    switch (offset(addr)) {
      case 0x800:
        out_.dram_enable = value & 1;
        out_.len_enable = (value >> 1) & 1;
        break;
      case 0x804:
        out_.sets_log2 = std::min(value & 0xf, max_sets_log2_);
        break;
      case 0x808:
        out_.thresholds.ingress = unpack(value);
        break;
      case 0x80c:
        out_.thresholds.mshr = unpack(value);
        break;
      default:
        break;
    }
  }

  unsigned max_sets_log2_;
  std::uint32_t write_backs_ = 0;
  Out out_;  // every output is a register
};

}  // namespace cxlgpu
