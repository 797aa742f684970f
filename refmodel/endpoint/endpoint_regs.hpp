// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
// The endpoint's vendor registers.
//
// Purpose: twin of rtl/endpoint/endpoint_regs.sv: the settings of the internal DRAM and of DevLoad,
//          what DevLoad is made of, and counts of write-backs and of the internal DRAM's events.
// Units:   addr is a byte offset of a 32-bit register; only addr[10:2] counts.
// Errors:  writes to what is absent or read-only are ignored, reads of what is absent give 0.
// Source:  docs/blocks/endpoint/endpoint_regs.md; offsets, fields and reset values:
//          regs/endpoint.yaml.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>

#include "common/registers.hpp"
#include "refmodel/endpoint/dev_load.hpp"
#include "refmodel/endpoint/dram_cache.hpp"

namespace cxlgpu {

class EndpointRegs {
 public:
  struct In {
    bool valid = false, write = false;
    std::uint32_t addr = 0, wdata = 0;
    bool write_back_done = false;
    DramEvents events = 0;
    LoadStatus load_status = {};
  };
  struct Out {
    std::uint32_t rdata = 0;  // 0 but in the cycle after a read
    bool dram_enable = false, len_enable = false;
    unsigned sets_log2 = 0;
    LoadSettings load;
  };

  explicit EndpointRegs(unsigned max_sets_log2 = 10) : max_sets_log2_(max_sets_log2) {
    out_.sets_log2 = max_sets_log2;
    out_.dram_enable = regs::ep::kControlDramEnable.reset != 0;
    out_.len_enable = regs::ep::kControlLenEnable.reset != 0;
    for (const Measure& m : kMeasures) write(m.offset, m.reset);
    write(regs::ep::kQosControl, regs::ep::kQosControlReset);
  }

  [[nodiscard]] Out eval(const In&) const { return out_; }
  void clock(const In& in) {
    out_.rdata = in.valid && !in.write ? read(in.addr, in.load_status) : 0;
    if (in.valid && in.write) write(in.addr, in.wdata);
    write_backs_ += in.write_back_done;
    count(in.events);
  }
  void count(DramEvents events) {
    for (std::size_t i = 0; i < events_.size(); ++i) events_[i] += events >> i & 1u;
  }
  void count_write_back() { ++write_backs_; }

 private:
  struct Measure {
    std::uint32_t offset, reset;
    std::array<regs::Field, 3> thresholds;
    regs::Field margin;
  };
  static constexpr regs::Field kNoMargin{0, 0, 0};
  // In the order of LoadSource.
  static constexpr std::array<Measure, kLoadSources> kMeasures = {{
      {regs::ep::kIngressTh,
       regs::ep::kIngressThReset,
       {regs::ep::kIngressThTh0, regs::ep::kIngressThTh1, regs::ep::kIngressThTh2},
       regs::ep::kIngressThMargin},
      {regs::ep::kMshrTh,
       regs::ep::kMshrThReset,
       {regs::ep::kMshrThTh0, regs::ep::kMshrThTh1, regs::ep::kMshrThTh2},
       regs::ep::kMshrThMargin},
      {regs::ep::kBacklogTh,
       regs::ep::kBacklogThReset,
       {regs::ep::kBacklogThTh0, regs::ep::kBacklogThTh1, regs::ep::kBacklogThTh2},
       regs::ep::kBacklogThMargin},
      {regs::ep::kTasksTh,
       regs::ep::kTasksThReset,
       {regs::ep::kTasksThTh0, regs::ep::kTasksThTh1, regs::ep::kTasksThTh2},
       kNoMargin},
  }};

  static constexpr std::uint32_t offset(std::uint32_t addr) {
    return regs::ep::kBlock | (addr & 0x7fc);
  }

  [[nodiscard]] std::uint32_t read(std::uint32_t addr, const LoadStatus& status) const {
    namespace ep = regs::ep;
    const std::uint32_t at = offset(addr);
    for (std::size_t m = 0; m < kLoadSources; ++m) {
      if (at == kMeasures[m].offset) return pack(kMeasures[m], out_.load.measure[m]);
    }
    if (at >= ep::kDemandHits && at <= ep::kSpecDisplaced)
      return events_[(at - ep::kDemandHits) / 4];
    switch (at) {
      case ep::kControl:
        return ep::kControlDramEnable.put(out_.dram_enable) |
               ep::kControlLenEnable.put(out_.len_enable);
      case ep::kSets:
        return ep::kSetsLog2.put(out_.sets_log2);
      case ep::kWriteBacks:
        return write_backs_;
      case ep::kQosControl:
        return ep::kQosControlEgressEnable.put(out_.load.egress_enable) |
               ep::kQosControlTtrEnable.put(out_.load.throughput_reduction) |
               ep::kQosControlEgressModerate.put(out_.load.egress_moderate) |
               ep::kQosControlEgressSevere.put(out_.load.egress_severe) |
               ep::kQosControlInterval.put(out_.load.interval);
      case ep::kQosStatus:
        return ep::kQosStatusBackpressure.put(status.backpressure) |
               ep::kQosStatusIngress.put(status.level[0]) |
               ep::kQosStatusMshr.put(status.level[1]) |
               ep::kQosStatusBacklog.put(status.level[2]) |
               ep::kQosStatusTasks.put(status.level[3]) | ep::kQosStatusEgress.put(status.egress) |
               ep::kQosStatusDevLoad.put(status.dev_load);
      default:
        return 0;
    }
  }
  void write(std::uint32_t addr, std::uint32_t value) {
    namespace ep = regs::ep;
    const std::uint32_t at = offset(addr);
    for (std::size_t m = 0; m < kLoadSources; ++m) {
      if (at == kMeasures[m].offset) out_.load.measure[m] = unpack(kMeasures[m], value);
    }
    switch (at) {
      case ep::kControl:
        out_.dram_enable = ep::kControlDramEnable.is_set(value);
        out_.len_enable = ep::kControlLenEnable.is_set(value);
        break;
      case ep::kSets:
        out_.sets_log2 = std::min(ep::kSetsLog2.get(value), max_sets_log2_);
        break;
      case ep::kQosControl:
        out_.load.egress_enable = ep::kQosControlEgressEnable.is_set(value);
        out_.load.throughput_reduction = ep::kQosControlTtrEnable.is_set(value);
        out_.load.egress_moderate = byte(ep::kQosControlEgressModerate.get(value));
        out_.load.egress_severe = byte(ep::kQosControlEgressSevere.get(value));
        out_.load.interval = byte(ep::kQosControlInterval.get(value));
        break;
      default:
        break;
    }
  }
  static constexpr std::uint8_t byte(std::uint32_t value) {
    return static_cast<std::uint8_t>(value);
  }
  static constexpr bool has_margin(const Measure& m) { return m.margin.width != 0; }
  static LoadMeasure unpack(const Measure& m, std::uint32_t value) {
    LoadMeasure out;
    for (std::size_t k = 0; k < 3; ++k) out.thresholds[k] = byte(m.thresholds[k].get(value));
    if (has_margin(m)) out.margin = byte(m.margin.get(value));
    return out;
  }
  static std::uint32_t pack(const Measure& m, const LoadMeasure& from) {
    std::uint32_t value = has_margin(m) ? m.margin.put(from.margin) : 0;
    for (std::size_t k = 0; k < 3; ++k) value |= m.thresholds[k].put(from.thresholds[k]);
    return value;
  }

  unsigned max_sets_log2_;
  std::uint32_t write_backs_ = 0;
  std::array<std::uint32_t, kDramEvents> events_{};
  Out out_;  // every output is a register
};

}  // namespace cxlgpu
