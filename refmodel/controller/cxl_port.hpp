// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
// One end of a CXL link above Flex Bus: a controller and the ARB/MUX that shares its link.
//
// Purpose: twin of rtl/controller/cxl_port.sv, which is the two wired to each other.
// Units:   cycles.
// Errors:  those of the two.
// Source:  docs/blocks/controller/cxl_port.md.
#pragma once

#include "refmodel/controller/arb_mux.hpp"
#include "refmodel/controller/cxl_controller.hpp"

namespace cxlgpu {

class CxlPort {
 public:
  struct In {
    CxlController::In messages;  // its link fields are not looked at
    ArbMux::In link;             // its cachemem fields are not looked at
  };
  struct Out {
    CxlController::Out messages;
    ArbMux::Out link;
  };

  explicit CxlPort(const ControllerParams& params)
      : controller_(params), arb_mux_(params.is_host) {}

  [[nodiscard]] Out eval(const In& in) const {
    Out out;
    out.messages = controller_.eval(in.messages);  // from state alone
    out.link = arb_mux_.eval(wired(in.link, out.messages));
    return out;
  }
  void clock(const In& in) {
    const Out out = eval(in);
    CxlController::In messages = in.messages;
    messages.link_up = out.link.cm_link_up;
    messages.link_tx_ready = out.link.cm_tx_ready;
    messages.link_rx_valid = out.link.cm_rx_valid;
    messages.link_rx_flit = out.link.rx_flit;
    messages.phy_reinit_done = out.link.cm_phy_reinit_done;
    controller_.clock(messages);
    arb_mux_.clock(wired(in.link, out.messages));
  }

 private:
  static ArbMux::In wired(ArbMux::In link, const CxlController::Out& controller) {
    link.cm_tx_valid = controller.link_tx_valid;
    link.cm_tx_flit = controller.link_tx_flit;
    link.cm_phy_reinit_req = controller.phy_reinit_req;
    return link;
  }

  CxlController controller_;
  ArbMux arb_mux_;
};

}  // namespace cxlgpu
