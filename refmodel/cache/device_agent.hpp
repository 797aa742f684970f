// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
// A small CXL.cache device: one command at a time, a few lines, every D2H request, every snoop.
//
// Purpose: twin of rtl/cache/device_agent.sv.
// Units:   cycles; line addresses are address[51:6].
// Shapes:  direct mapped, `lines` entries (a power of two).
// Errors:  Out::err: a message that nothing asked for; Out::done_err: 1 the host answered with an
//          error, 2 the command was refused.
// Source:  CXL 2.0 3.2.4 (D2H requests, snoops), docs/blocks/cache/device_agent.md.
#pragma once

#include <optional>
#include <vector>

#include "refmodel/cache/cache_ports.hpp"

namespace cxlgpu {

class DeviceAgent {
 public:
  enum class State : std::uint8_t { kI, kS, kE, kM };
  enum class Phase : std::uint8_t { kIdle, kSend, kWait, kPush };
  struct Command {
    unsigned op = 0;  // 0: local access; else a D2H request opcode
    std::uint64_t line = 0;
    Line data{};
    std::uint64_t enables = 0;
  };
  struct In {
    bool cmd_valid = false;
    Command cmd{};
    AgentIn link{};
  };
  struct Done {
    unsigned err = 0;
    State state = State::kI;
    Line data{};
  };
  struct Out {
    bool cmd_ready = false;
    std::optional<Done> done;
    bool err = false;
    AgentOut link{};
  };

  explicit DeviceAgent(unsigned lines) : entries_(lines) {}
  [[nodiscard]] Out eval(const In& in) const;
  void clock(const In& in);
  [[nodiscard]] State state_of(std::uint64_t line) const {
    const Entry& e = entry(line);
    return e.line == line ? e.state : State::kI;
  }
  [[nodiscard]] Phase phase() const { return phase_; }
  [[nodiscard]] std::uint64_t line() const { return cmd_.line; }  // of the last command

 private:
  // The twin is to be written anew.
};

}  // namespace cxlgpu
