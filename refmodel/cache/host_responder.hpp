// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
// A small CXL.cache host: answers every D2H request from a memory of a few lines and sends snoops,
// one transaction at a time.
//
// Purpose: twin of rtl/cache/host_responder.sv.
// Units:   cycles; line addresses are address[51:6], the memory begins at line 0.
// Errors:  Out::err: a message that nothing asked for, or a reserved opcode; both are dropped.
// Source:  CXL 2.0 3.2.4 (D2H requests and their responses), docs/blocks/cache/host_responder.md.
#pragma once

#include <optional>
#include <vector>

#include "flits/messages.hpp"
#include "refmodel/cache/cache_ports.hpp"

namespace cxlgpu {

class HostResponder {
 public:
  enum class Phase : std::uint8_t { kIdle, kAnswer, kPull, kFinal, kSnoop, kSnoopWait };
  struct Policy {               // sampled with each request
    bool drop = false;          // CleanEvict: no data wanted
    bool any_shared = false;    // RdAny: S, else E
    bool own_modified = false;  // RdOwn: M, else E
    bool data_first = false;    // the response waits for the data
    bool error = false;
  };
  struct In {
    bool snp_valid = false;
    unsigned snp_op = 0;
    std::uint64_t snp_line = 0;
    Policy policy{};
    AgentIn link{};
  };
  struct Done {
    unsigned rsp = 0;
    Line data{};
    bool poison = false;
  };
  struct Out {
    bool snp_ready = false;
    std::optional<Done> done;
    bool err = false;
    AgentOut link{};
  };

  explicit HostResponder(unsigned lines) : memory_(lines), poisoned_(lines) {}
  [[nodiscard]] Out eval(const In& in) const;
  void clock(const In& in);
  [[nodiscard]] Phase phase() const { return phase_; }

 private:
  using Response = flits::H2dRsp;
  struct Request {
    std::uint64_t line = 0;
    bool pull = false, data_first = false, error = false;
    std::optional<Response> response, last;  // last: after the pulled data
    std::optional<WdMessage> data;
  };
  [[nodiscard]] bool inside(std::uint64_t line) const { return line < memory_.size(); }
  [[nodiscard]] bool response_offered() const;
  void accept(const In& in);
  void answer(const flits::D2hReq& req, const Policy& policy);
  void pulled(const WdMessage& message);
  void snoop_response(MsgHeader header);
  void snoop_data(const WdMessage& message);
  void snoop_end();
  void end();

  std::vector<Line> memory_;
  std::vector<bool> poisoned_;  // lines of memory
  Phase phase_ = Phase::kIdle;
  unsigned uqid_ = 0;
  Request request_{};
  flits::H2dReq snoop_{};
  std::optional<flits::D2hRspOpcode> snoop_rsp_;
  std::optional<Line> snoop_data_;
  bool snoop_poison_ = false;  // of snoop_data_
  std::optional<Done> done_;
  bool err_ = false;
};

}  // namespace cxlgpu
