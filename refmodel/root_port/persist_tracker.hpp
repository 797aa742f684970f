// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
// The persist tracker of a root port: when all stores before a persist request are done.
//
// Source:  docs/blocks/root_port/persist_tracker.md.
#pragma once

#include <array>

namespace cxlgpu {

class PersistTracker {
 public:
  static constexpr unsigned kMaxDones = 4;

  PersistTracker(unsigned dones, unsigned entries);

  struct Done {
    bool valid = false;
    unsigned set = 0;  // bit p: stores of parity p
    bool error = false;
  };
  struct In {
    bool store = false;
    std::array<Done, kMaxDones> done{};
    bool fail = false;
    bool clear_error = false;
    bool req_valid = false;
    bool rsp_ready = false;
  };
  struct Out {
    unsigned store_parity = 0;
    bool error = false;
    bool req_ready = false;
    bool rsp_valid = false, rsp_error = false;
    bool waiting = false;
  };
  [[nodiscard]] Out eval(const In&) const;
  void clock(const In&);
};

}  // namespace cxlgpu
