// The endpoint's vendor registers.
//
// Purpose: twin of rtl/endpoint/endpoint_regs.sv: the settings of the internal DRAM and of DevLoad,
//          and the count of write-backs answered.
// Units:   addr is a byte offset of a 32-bit register; only addr[10:2] counts.
// Errors:  writes to what is absent or read-only are ignored, reads of what is absent give 0.
// Source:  docs/blocks.md, "endpoint_regs"; offsets, fields and reset values: regs/endpoint.yaml.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>

#include "refmodel/common/registers.hpp"
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
    out_.dram_enable = regs::ep::kControlDramEnable.reset != 0;
    out_.len_enable = regs::ep::kControlLenEnable.reset != 0;
    out_.thresholds = {unpack(kIngress, regs::ep::kIngressThReset),
                       unpack(kMshr, regs::ep::kMshrThReset)};
  }

  [[nodiscard]] Out eval(const In&) const { return out_; }
  void clock(const In& in) {
    out_.rdata = in.valid && !in.write ? read(in.addr) : 0;
    if (in.valid && in.write) write(in.addr, in.wdata);
    write_backs_ += in.write_back_done;
  }

 private:
  using Fields = std::array<regs::Field, 3>;
  static constexpr Fields kIngress = {regs::ep::kIngressThTh0, regs::ep::kIngressThTh1,
                                      regs::ep::kIngressThTh2};
  static constexpr Fields kMshr = {regs::ep::kMshrThTh0, regs::ep::kMshrThTh1,
                                   regs::ep::kMshrThTh2};

  static constexpr std::uint32_t offset(std::uint32_t addr) {
    return regs::ep::kBlock | (addr & 0x7fc);
  }
  static LoadThresholds unpack(const Fields& fields, std::uint32_t value) {
    LoadThresholds th;
    for (unsigned k = 0; k < 3; ++k) th[k] = fields[k].get(value);
    return th;
  }
  static std::uint32_t pack(const Fields& fields, const LoadThresholds& th) {
    return fields[2].put(th[2]) | fields[1].put(th[1]) | fields[0].put(th[0]);
  }

  [[nodiscard]] std::uint32_t read(std::uint32_t addr) const {
    switch (offset(addr)) {
      case regs::ep::kControl:
        return regs::ep::kControlDramEnable.put(out_.dram_enable) |
               regs::ep::kControlLenEnable.put(out_.len_enable);
      case regs::ep::kSets:
        return regs::ep::kSetsLog2.put(out_.sets_log2);
      case regs::ep::kIngressTh:
        return pack(kIngress, out_.thresholds.ingress);
      case regs::ep::kMshrTh:
        return pack(kMshr, out_.thresholds.mshr);
      case regs::ep::kWriteBacks:
        return write_backs_;
      default:
        return 0;
    }
  }
  void write(std::uint32_t addr, std::uint32_t value) {
    switch (offset(addr)) {
      case regs::ep::kControl:
        out_.dram_enable = regs::ep::kControlDramEnable.is_set(value);
        out_.len_enable = regs::ep::kControlLenEnable.is_set(value);
        break;
      case regs::ep::kSets:
        out_.sets_log2 = std::min(regs::ep::kSetsLog2.get(value), max_sets_log2_);
        break;
      case regs::ep::kIngressTh:
        out_.thresholds.ingress = unpack(kIngress, value);
        break;
      case regs::ep::kMshrTh:
        out_.thresholds.mshr = unpack(kMshr, value);
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
