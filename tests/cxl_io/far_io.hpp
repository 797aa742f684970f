// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
// CXL.io of a device at the far end of a bench: what a root port's register requests need to be
// answered.
//
// Purpose: the twins of io_link, io_completer and config_space wired to each other, above the io
//          port of an ArbMux twin; behind the completer 4 KiB of plain read/write registers. Link
//          down resets completer and configuration space ("Reset by link down").
// Units:   cycles; registers by addr[11:2].
// Errors:  none; what the parts report goes into configuration space.
// Source:  docs/blocks/cxl_io/README.md; "Wiring of an endpoint" under config_space.
#pragma once

#include <array>
#include <cstdint>
#include <utility>

#include "refmodel/controller/arb_mux.hpp"
#include "refmodel/cxl_io/config_space.hpp"
#include "refmodel/cxl_io/io_completer.hpp"
#include "refmodel/cxl_io/io_link.hpp"
#include "refmodel/cxl_io/retrain_request.hpp"

namespace cxlgpu::test {

class FarIo {
 public:
  explicit FarIo(const IoLink::Parameters& link = {.infinite = true},
                 const ConfigSpace::Parameters& config = {})
      : link_(link), config_(config) {}

  // What CXL.io says to the device's ARB/MUX in this cycle. `link_up` is that ARB/MUX's
  // io_link_up, a register: it has it without this.
  void drive(ArbMux::In& in, bool link_up) const {
    const IoLink::Out link = link_.eval({.link_up = link_up});
    in.io_req = retrain_.eval({.err = link.err});
    in.io_tx_valid = link.io_tx.has_value();
    if (link.io_tx) in.io_tx_data = *link.io_tx;
    const IoCompleter::Out device = completer_.eval(completer_in(link));
    if (device.weight_io_we) in.weight_io = device.weight;
    if (device.weight_cm_we) in.weight_cm = device.weight;
  }

  // The edge; what goes into and out of the ARB/MUX in the cycle before it.
  void clock(const ArbMux::In& wire, const ArbMux::Out& arb_mux) {
    IoLink::In link_in{.link_up = arb_mux.io_link_up};
    const IoLink::Out link = link_.eval(link_in);
    IoCompleter::In in = completer_in(link);
    in.reg_rdata = reg_rdata_;
    in.weight_io = arb_mux.weight_io;
    in.weight_cm = arb_mux.weight_cm;
    const IoCompleter::Out device = completer_.eval(in);
    completed_ += device.tlp_tx && link.tlp_tx_ready;

    link_in.io_tx_ready = arb_mux.io_tx_ready;
    if (arb_mux.io_rx_valid) link_in.io_rx = arb_mux.rx_flit.payload;
    link_in.tlp_tx = device.tlp_tx;
    link_in.tlp_rx_ready = device.tlp_rx_ready;
    link_.clock(link_in);
    retrain_.clock({.err = link.err,
                    .retrain_req = arb_mux.retrain_req,
                    .phy_up = wire.phy_up,
                    .phy_recovery = wire.phy_recovery});
    const bool falls = was_up_ && !link.dl_up;
    was_up_ = link.dl_up;
    const bool still = std::exchange(in_reset_, falls);
    if (falls || still) {
      completer_ = {};
      config_.hot_reset();
      reg_rdata_ = 0;
      return;
    }
    completer_.clock(in);
    config_.clock({.access = device.cfg,
                   .mem_active = true,
                   .port_status = 0x3e,  // CXL 2.0, bypass, drift buffer, mem and io
                   .ts_data = 0x416,
                   .io_err = link.err,
                   .io_err_hdr = link.err_hdr,
                   .event = device.event,
                   .event_posted = device.event_posted,
                   .event_hdr = device.event_hdr});
    access(device.reg);
  }

  // Completions handed to the link.
  [[nodiscard]] std::uint64_t completed() const { return completed_; }

 private:
  [[nodiscard]] IoCompleter::In completer_in(const IoLink::Out& link) const {
    const ConfigSpace::Out config = config_.eval();
    return {.link_up = link.dl_up,
            .tlp_rx = link.tlp_rx,
            .tlp_tx_ready = link.tlp_tx_ready,
            .cfg_rdata = config.rdata,
            .mem_space_en = config.mem_space_en,
            .bar0 = config.bar0};
  }
  void access(const RegAccess& access) {
    std::uint32_t& value = registers_[access.addr >> 2 & 0x3ff];
    reg_rdata_ = access.valid && !access.write ? value : 0;
    if (access.valid && access.write) value = access.data;
  }

  IoLink link_;
  RetrainRequest retrain_;
  IoCompleter completer_;
  ConfigSpace config_;
  std::array<std::uint32_t, 1024> registers_{};
  std::uint32_t reg_rdata_ = 0;
  std::uint64_t completed_ = 0;
  bool was_up_ = false, in_reset_ = false;
};

}  // namespace cxlgpu::test
