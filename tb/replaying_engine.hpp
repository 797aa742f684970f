// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
// A GPU's fault buffer and driver around an engine whose link goes down and comes back.
//
// Purpose: what ends in an error because a link is down is kept and issued again once firmware has
//          given the port back, as a GPU with replayable faults does, so that the initiator loses
//          nothing and sees no error. What is submitted for the port from the time at which its
//          link is seen down is kept too, and issued first then, as a driver does that has taken
//          the region offline: the device has lost its settings and decodes nothing until they are
//          back.
// Order:   requests of one line never overtake one another, as behind the MSHRs of a last-level
//          cache: one waits while a store of its line is unanswered, a store while any request of
//          it is. So a load that is issued late sees no younger store. Kept requests of either kind
//          go out in the order of their submission, before what becomes ready behind them. Those of
//          other ports go on.
// Errors:  an error that the outage does not explain (another port's, or of a request submitted
//          after the recovery) goes to the initiator.
#pragma once

#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <unordered_map>
#include <unordered_set>

#include "tb/system_engine.hpp"

namespace cxlgpu {

// What a request that is issued again leaves in the trace: accepted when it was first, answered
// once.
class ReplayedTrace : public TraceSink {
 public:
  explicit ReplayedTrace(TraceSink* sink) : sink_(sink) {}  // may be null

  void on_event(const TraceEvent& event) override;
  // The answer of `id` goes to the initiator, or is kept from it. Its event may come before or
  // after.
  void settle(std::uint32_t id, bool is_kept);
  // `id` was submitted at `at` and is issued later.
  void keep(std::uint32_t id, Time at);

 private:
  void pass(const TraceEvent& answer, bool is_kept);

  TraceSink* sink_;
  std::unordered_map<std::uint32_t, TraceEvent> answers_;  // not settled, by id
  std::unordered_map<std::uint32_t, bool> settled_;        // without their event, by id
  std::unordered_map<std::uint32_t, Time> accepted_;       // unanswered, by id
  std::unordered_set<std::uint32_t> again_;
};

class ReplayingEngine : public SystemEngine {
 public:
  // `make` makes the engine inside, which has an outage(), for a trace sink; `is_behind` says
  // whether an address is behind its port.
  using IsBehind = std::function<bool(std::uint64_t addr)>;
  using Make = std::function<std::unique_ptr<SystemEngine>(TraceSink*)>;
  ReplayingEngine(const Make& make, TraceSink* sink, IsBehind is_behind)
      : trace_(sink), inner_(make(&trace_)), is_behind_(std::move(is_behind)) {}

  [[nodiscard]] Time now() const override { return inner_->now(); }
  bool submit(const MemRequest& request) override;
  bool hint(const Hint& hint) override { return inner_->hint(hint); }
  std::optional<MemResponse> take() override;
  void advance_to(Time t) override;

  std::optional<std::string> drain() override { return inner_->drain(); }
  [[nodiscard]] SrCounters speculation(unsigned port) const override {
    return inner_->speculation(port);
  }
  [[nodiscard]] HintCounters hints(unsigned port) const override { return inner_->hints(port); }
  [[nodiscard]] BridgeHintCounters bridge_hints() const override { return inner_->bridge_hints(); }
  [[nodiscard]] std::optional<InternalDramCounters> internal_dram(unsigned port) const override {
    return inner_->internal_dram(port);
  }
  [[nodiscard]] LinkTotals link(unsigned port) const override { return inner_->link(port); }
  [[nodiscard]] std::uint64_t cycles() const override { return inner_->cycles(); }
  [[nodiscard]] std::vector<std::string> problems() const override { return inner_->problems(); }
  [[nodiscard]] FirstProblem first_problem() const override { return inner_->first_problem(); }
  [[nodiscard]] Time since_reset(Time of_run) const override { return inner_->since_reset(of_run); }
  [[nodiscard]] const LinkOutage* outage() const override;
  [[nodiscard]] Disturbance disturbance() const override { return inner_->disturbance(); }
  [[nodiscard]] std::optional<Time> first_request() const override {
    return inner_->first_request();
  }
  [[nodiscard]] std::optional<std::string> waves_problem() const override {
    return inner_->waves_problem();
  }

 private:
  void end(bool whole) override { whole ? inner_->finish() : inner_->abandon(); }

  struct Request {
    MemRequest request;
    std::uint64_t number = 0;          // in the order of submission
    bool old = false;                  // sent before the recovery
    bool sent = false, again = false;  // issued, issued again
  };
  struct LineState {
    unsigned unanswered = 0;  // sent, to be sent or kept
    bool store = false;       // one of them is a store
    std::deque<std::uint32_t> waiting;
  };

  [[nodiscard]] static bool may_go(const LineState& line, bool is_write) {
    return line.unanswered == 0 || (!is_write && !line.store);
  }
  void enter(LineState& line, bool is_write) {
    ++line.unanswered;
    line.store |= is_write;
  }
  void answered(std::uint64_t line);
  [[nodiscard]] bool is_kept(const Request& request, const MemResponse& response) const;
  // The device behind its port decodes nothing yet.
  [[nodiscard]] bool is_offline(std::uint64_t addr) const {
    const LinkOutage& outage = *inner_->outage();
    return outage.began() && !outage.recovered() && is_behind_(addr);
  }
  void keep(std::uint32_t id);
  void collect();
  bool send(std::uint32_t id);
  void issue();
  [[nodiscard]] bool can_issue_kept() const {
    return !kept_.empty() && inner_->outage()->recovered();
  }

  ReplayedTrace trace_;
  std::unique_ptr<SystemEngine> inner_;
  IsBehind is_behind_;
  std::unordered_map<std::uint32_t, Request> open_;     // unanswered, by id
  std::unordered_map<std::uint64_t, LineState> lines_;  // with unanswered requests
  std::deque<std::uint32_t> ready_;                     // ids that may go now
  std::map<std::uint64_t, std::uint32_t> kept_;         // ids by number
  std::deque<MemResponse> answers_;
  std::uint64_t next_number_ = 0;
  bool refused_ = false;  // a submit() since the last advance_to()
  std::uint64_t replayed_reads_ = 0, replayed_writes_ = 0, held_ = 0;
  mutable LinkOutage report_;
};

}  // namespace cxlgpu
