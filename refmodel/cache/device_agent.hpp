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

#include <deque>
#include <optional>
#include <vector>

#include "flits/messages.hpp"
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
  [[nodiscard]] State state_of(std::uint64_t line) const;
  [[nodiscard]] Phase phase() const;
  [[nodiscard]] std::uint64_t line() const { return request_->cmd.line; }  // unless idle

 private:
  struct Entry {
    std::uint64_t line = 0;
    State state = State::kI;
    Line data{};
    bool poison = false;
  };
  struct Request {
    Command cmd{};
    std::uint16_t cqid = 0;
    std::deque<flits::H2dRspOpcode> responses_due = {};
    bool data_due = false;
    bool sent = false, failed = false;
    std::optional<GoState> granted = std::nullopt;
    std::optional<WdMessage> data = std::nullopt, push = std::nullopt;
    [[nodiscard]] flits::D2hReqOpcode op() const { return flits::D2hReqOpcode(cmd.op); }
    [[nodiscard]] bool over() const { return responses_due.empty() && !data_due && !push; }
  };

  [[nodiscard]] Entry& entry(std::uint64_t line) { return entries_[line % entries_.size()]; }
  bool access(const Command& cmd);   // false: refused
  bool request(const Command& cmd);  // likewise
  void invalidate(std::uint64_t line);
  bool respond(const flits::H2dRsp& rsp);  // false: it was not awaited
  bool receive(const WdMessage& message);  // likewise
  void pull(std::uint16_t uqid);
  void finish();
  void snoop(const flits::H2dReq& req);

  std::vector<Entry> entries_;
  std::uint16_t next_cqid_ = 0;
  std::optional<Request> request_;
  std::optional<flits::D2hRsp> snoop_answer_;
  std::optional<WdMessage> forwarded_;  // of a snoop
  std::optional<Done> done_;
  bool unexpected_ = false;
};

}  // namespace cxlgpu
