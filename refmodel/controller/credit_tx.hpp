// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
// Credits that the peer granted to one transmit channel.
//
// Purpose: twin of rtl/controller/credit_tx.sv.
// Units:   messages (one credit is one message with all its data).
// Errors:  using more than available wraps here; the RTL asserts that it never happens.
// Source:  CXL 2.0 4.2.2, 4.2.7 (credits saturate), docs/blocks/controller/credit_tx.md.
#pragma once

#include <algorithm>

#include "refmodel/controller/wire.hpp"

namespace cxlgpu {

class CreditTx {
 public:
  struct In {
    bool start = false;  // link start: no credits
    bool add_valid = false;
    unsigned add_code = 0;  // three-bit credit code received for this channel
    unsigned use = 0;       // messages sent this cycle
  };
  struct Out {
    unsigned avail = 0;
  };

  [[nodiscard]] Out eval() const { return {avail_}; }
  [[nodiscard]] Out eval(const In&) const { return eval(); }
  void clock(const In& in) {
    const unsigned added = in.add_valid ? credit_count(in.add_code) : 0;
    avail_ = in.start ? 0 : std::min(kMax, avail_ + added - in.use);
  }

 private:
  static constexpr unsigned kMax = 1023;
  unsigned avail_ = 0;
};

}  // namespace cxlgpu
