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
  struct Entry {
    State state = State::kI;
    std::uint64_t line = 0;
    Line data{};
    bool poison = false;
  };
  struct Snoop {  // the answer to a snoop, until both parts are taken
    bool rsp = false, dat = false;
    unsigned opcode = 0;
    unsigned uqid = 0;
    Line data{};
    bool poison = false;
  };
  [[nodiscard]] Entry& entry(std::uint64_t line) { return entries_[line % entries_.size()]; }
  [[nodiscard]] const Entry& entry(std::uint64_t line) const {
    return entries_[line % entries_.size()];
  }
  [[nodiscard]] bool allowed(const Command& cmd) const;
  [[nodiscard]] bool snoop_ready(const In& in) const;
  void start(const Command& cmd);
  void local_access(const Command& cmd);
  void response(MsgHeader header);
  void go(unsigned rsp_data);
  void pull(unsigned rsp_data, bool error);
  void data(const WdMessage& message);
  void pushed();
  void unexpected() { err_ = true; }
  void end_if_complete();
  void end();
  void snoop(MsgHeader header);
  void invalidate(std::uint64_t line);

  std::vector<Entry> entries_;
  Phase phase_ = Phase::kIdle;
  Command cmd_{};
  unsigned cqid_ = 0;
  // Of the command.
  bool got_go_ = false, got_data_ = false, pulled_ = false, error_ = false;
  State granted_ = State::kI;
  unsigned uqid_ = 0;
  bool bogus_ = false;
  Line data_{};          // read, or evicted
  bool poison_ = false;  // of data_
  Snoop snoop_{};
  std::optional<Done> done_;
  bool err_ = false;
};

}  // namespace cxlgpu
