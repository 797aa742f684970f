// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
// The state of the physical link between two ports: down, L0, Recovery.
//
// Purpose: what a PHY tells the ARB/MUXes at both ends. Whoever asks for Recovery gets it at once
//          and takes the other end along; both leave it in the same cycle.
// Units:   clock cycles.
#pragma once

namespace cxlgpu {

class Phy {
 public:
  [[nodiscard]] bool up() const { return state_ == State::L0; }
  [[nodiscard]] bool recovering() const { return state_ == State::Recovery; }
  [[nodiscard]] bool down() const { return state_ == State::Down; }

  // Out of Detect, at both ends.
  void bring_up() { state_ = State::L0; }

  // Straight out of L0 or Recovery, at both ends: a device was pulled out, or its port holds the
  // link down.
  void go_down() { state_ = State::Down; }

  // The clock rises. `asked`: an end wants Recovery or cannot read what it gets. True if Recovery
  // begins: what is on the wires is lost. A wish during Recovery makes it longer.
  bool clock(bool asked) {
    if (state_ == State::Down) return false;
    const bool begins = asked && state_ == State::L0;
    if (asked) {
      state_ = State::Recovery;
      left_ = kRecoveryCycles;
    } else if (state_ == State::Recovery && --left_ == 0) {
      state_ = State::L0;
    }
    return begins;
  }

 private:
  // A real one takes microseconds; here it only has to be seen by both ends.
  static constexpr unsigned kRecoveryCycles = 16;
  enum class State { Down, L0, Recovery };

  State state_ = State::Down;
  unsigned left_ = 0;
};

}  // namespace cxlgpu
