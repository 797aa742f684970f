// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
// Load control: how much a root port speculates, by what its endpoint says of its load.
//
// Purpose: one granularity state a root port, moved by the DevLoad of every response: light one
//          step up, optimal none, moderate one step down, severe halts until light returns.
// Errors:  none.
// Source:  docs/blocks/root_port/load_control.md.
#pragma once

#include "common/opcodes.hpp"
#include "common/policy.hpp"

namespace cxlgpu {

[[nodiscard]] constexpr Gran next_gran(Gran now, DevLoad load) {
  switch (load) {
    case DevLoad::Light:
      if (now == Gran::Halted) return Gran::B64;
      return now == Gran::B1024 ? now : static_cast<Gran>(static_cast<int>(now) + 1);
    case DevLoad::Optimal:
      return now;
    case DevLoad::Moderate:
      if (now == Gran::Halted || now == Gran::B64) return now;
      return static_cast<Gran>(static_cast<int>(now) - 1);
    case DevLoad::Severe:
      return Gran::Halted;
  }
  return now;
}

class LoadControl {
 public:
  // Untimed. True if the state changed.
  bool on_response(DevLoad load) {
    const Gran before = state_;
    level_ = load;
    state_ = next_gran(state_, load);
    return state_ != before;
  }
  void clear() {
    state_ = Gran::B256;
    level_ = DevLoad::Light;
  }
  [[nodiscard]] Gran state() const { return state_; }
  [[nodiscard]] DevLoad level() const { return level_; }  // of the last response

  // Cycle-exact.
  struct In {
    bool clear = false;
    bool rsp_valid = false;
    DevLoad dev_load = DevLoad::Light;
  };
  struct Out {
    Gran state = Gran::B256;
    DevLoad level = DevLoad::Light;
  };
  [[nodiscard]] Out eval(const In&) const { return {state_, level_}; }
  void clock(const In& in) {
    if (in.clear) {
      clear();
    } else if (in.rsp_valid) {
      on_response(in.dev_load);
    }
  }

 private:
  Gran state_ = Gran::B256;
  DevLoad level_ = DevLoad::Light;
};

}  // namespace cxlgpu
