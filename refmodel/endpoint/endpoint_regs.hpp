// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
// The endpoint's vendor registers.
//
// Purpose: twin of rtl/endpoint/endpoint_regs.sv: the settings of the internal DRAM, of DevLoad and
//          of durable completion, what DevLoad is made of, and counts of write-backs and of the
//          internal DRAM's events.
// Units:   addr is a byte offset of a 32-bit register; only addr[10:2] counts.
// Errors:  writes to what is absent or read-only are ignored, reads of what is absent give 0.
// Source:  docs/blocks/endpoint/endpoint_regs.md; offsets, fields and reset values:
//          regs/endpoint.yaml.
#pragma once

#include <algorithm>
#include <cstdint>

#include "common/media_port.hpp"
#include "common/register_types.hpp"
#include "common/rtl_sizes.hpp"
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
    unsigned open_max = 0;
    std::uint64_t persistent_from = 0;  // first DPA that persists, in bytes
    Durable durable = Durable::Off;     // when writes from there on are answered
    LoadSettings load;
  };

  explicit EndpointRegs(unsigned max_sets_log2 = 10, unsigned mshrs = kDefaultRtl.mshrs,
                        unsigned line_bytes = kDefaultRtl.line_bytes)
      : max_sets_log2_(max_sets_log2), most_open_(mshrs / 2) {
    regs_.sets.log2 = max_sets_log2;
    regs_.cap = {.mshrs = mshrs, .line_bytes = line_bytes};
    settings();
  }

  [[nodiscard]] Out eval(const In&) const { return out_; }
  void clock(const In& in) {
    out_.rdata = in.valid && !in.write ? read(in.addr, in.load_status) : 0;
    if (in.valid && in.write) write(in.addr, in.wdata);
    if (in.write_back_done) count_write_back();
    count(in.events);
  }
  void count(DramEvents events) {
    if (events == 0) return;
    const auto seen = [&](DramEvent event) { return (events & event_bit(event)) != 0 ? 1u : 0u; };
    regs_.demand_hits.count += seen(DramEvent::DemandHit);
    regs_.demand_merges.count += seen(DramEvent::DemandMerge);
    regs_.demand_fills.count += seen(DramEvent::DemandFill);
    regs_.spec_fills.count += seen(DramEvent::SpecFill);
    regs_.spec_needless.count += seen(DramEvent::SpecNeedless);
    regs_.spec_dropped.count += seen(DramEvent::SpecDrop);
    regs_.spec_evicted_unused.count += seen(DramEvent::Unwanted);
    regs_.spec_displaced.count += seen(DramEvent::Displaced);
    regs_.opened.count += seen(DramEvent::Opened);
    regs_.filled_behind.count += seen(DramEvent::Behind);
    regs_.made_whole.count += seen(DramEvent::Whole);
  }
  void count_write_back() { ++regs_.write_backs.count; }

 private:
  static constexpr std::uint64_t kPersistentUnit = std::uint64_t{256} << 20;  // bytes
  static constexpr auto kMostDurable = static_cast<std::uint32_t>(Durable::Programmed);

  static constexpr std::uint32_t offset(std::uint32_t addr) {
    return regs::ep::kBlock | (addr & 0x7fc);
  }
  [[nodiscard]] std::uint32_t read(std::uint32_t addr, const LoadStatus& status) const {
    regs::ep::Regs regs = regs_;
    regs.qos_status = {.backpressure = status.backpressure,
                       .ingress = status.level[0],
                       .mshr = status.level[1],
                       .backlog = status.level[2],
                       .tasks = status.level[3],
                       .egress = status.egress,
                       .dev_load = status.dev_load};
    return regs.word_at(offset(addr));
  }
  void write(std::uint32_t addr, std::uint32_t value) {
    regs_.write_at(offset(addr), value);
    regs_.sets.log2 = std::min(regs_.sets.log2, max_sets_log2_);
    regs_.open.max = std::min(regs_.open.max, most_open_);
    regs_.durable.level = std::min(regs_.durable.level, kMostDurable);
    settings();
  }

  static constexpr std::uint8_t byte(std::uint32_t value) {
    return static_cast<std::uint8_t>(value);
  }
  template <class Thresholds>
  static LoadMeasure measure(const Thresholds& th) {
    LoadMeasure out{.thresholds = {byte(th.th0), byte(th.th1), byte(th.th2)}};
    if constexpr (requires { th.margin; }) out.margin = byte(th.margin);
    return out;
  }
  // The outputs that registers are.
  void settings() {
    out_.dram_enable = regs_.control.dram_enable;
    out_.len_enable = regs_.control.len_enable;
    out_.sets_log2 = regs_.sets.log2;
    out_.open_max = regs_.open.max;
    out_.persistent_from = regs_.persistent_from.units * kPersistentUnit;
    out_.durable = static_cast<Durable>(regs_.durable.level);
    const regs::ep::QosControlReg& qos = regs_.qos_control;
    out_.load = {.measure = {measure(regs_.ingress_th), measure(regs_.mshr_th),
                             measure(regs_.backlog_th), measure(regs_.tasks_th)},
                 .throughput_reduction = qos.ttr_enable,
                 .egress_enable = qos.egress_enable,
                 .egress_moderate = byte(qos.egress_moderate),
                 .egress_severe = byte(qos.egress_severe),
                 .interval = byte(qos.interval)};
  }

  unsigned max_sets_log2_, most_open_;
  regs::ep::Regs regs_;
  Out out_;  // every output is a register
};

}  // namespace cxlgpu
