// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
// What CXL.io requests of the ARB/MUX at one end: Active, or Retrain until Recovery has been heard.
//
// Purpose: the vLSM of CXL.io takes a request of Retrain in some cycles only, and the data link
//          names its error in one cycle. So the request is kept; both ends have this.
// Units:   cycles; `err` is IoLink::Out::err.
// Errors:  none.
// Source:  PCI Express Base 5.0, 3.6.2.1, 4.2.2.3.3; docs/blocks/cxl_io/README.md, "Recovery".
#pragma once

#include "refmodel/controller/arb_mux.hpp"
#include "refmodel/cxl_io/io_link.hpp"

namespace cxlgpu {

class RetrainRequest {
 public:
  struct In {
    unsigned err = 0;
    bool retrain_req = false;  // of the ARB/MUX, to the physical link
    bool phy_up = false, phy_recovery = false;
  };

  // The io_req of the ARB/MUX; of the inputs `err` alone counts.
  [[nodiscard]] VlsmCode eval(const In& in) const {
    return asked(in) ? VlsmCode::kRetrain : VlsmCode::kActive;
  }
  // A cycle in which Recovery is requested or made, or there is no link, ends the request.
  void clock(const In& in) {
    kept_ = asked(in) && !in.retrain_req && !in.phy_recovery && in.phy_up;
  }

 private:
  [[nodiscard]] bool asked(const In& in) const {
    return kept_ || (in.err & IoLink::kAskForRetrain) != 0;
  }

  bool kept_ = false;
};

}  // namespace cxlgpu
