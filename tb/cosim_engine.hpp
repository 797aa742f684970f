// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
// RTL and model side by side on the same requests.
//
// Purpose: the RTL answers the initiator; the model gets every request at the same time (or as soon
//          after as it can take it) and must answer with the same data over the same path.
// Rules:   compared per request: data, error, root port, opcode, DPA, and the time of each stage
//          with what the internal DRAM's lookup found and whether GPU local memory answered. A
//          difference of the latter kind is a mismatch up to the first disturbance of a link on
//          either side; after it, it is counted: retries and recovery of a link take the model
//          another time than the RTL, and all that follows meets other queues.
// Shapes:  requests are numbered in the order taken; the model uses the number as its id, modulo
//          the ids that there are.
#pragma once

#include <deque>
#include <unordered_map>

#include "sim/stats/request_tracker.hpp"
#include "tb/system_engine.hpp"

namespace cxlgpu {

class CosimEngine : public SystemEngine {
 public:
  // Builds one side; the cosim gives it the media and the sink it has to use.
  using MakeSide = std::function<std::unique_ptr<SystemEngine>(TraceSink*)>;
  CosimEngine(const MakeSide& make_rtl, const MakeSide& make_model, unsigned ports, TraceSink* sink,
              std::string replay);

  [[nodiscard]] Time now() const override { return rtl_->now(); }
  bool submit(const MemRequest& request) override;
  bool hint(const Hint& hint) override;
  std::optional<MemResponse> take() override;
  void advance_to(Time t) override;

  std::optional<std::string> drain() override;
  [[nodiscard]] std::optional<InternalDramCounters> internal_dram(unsigned port) const override {
    return rtl_->internal_dram(port);
  }
  [[nodiscard]] SrCounters speculation(unsigned port) const override {
    return rtl_->speculation(port);
  }
  [[nodiscard]] HintCounters hints(unsigned port) const override { return rtl_->hints(port); }
  [[nodiscard]] BridgeHintCounters bridge_hints() const override { return rtl_->bridge_hints(); }
  [[nodiscard]] LinkTotals link(unsigned port) const override { return rtl_->link(port); }
  [[nodiscard]] LinkTotals model_link(unsigned port) const { return model_->link(port); }
  [[nodiscard]] std::uint64_t cycles() const override { return rtl_->cycles(); }
  [[nodiscard]] std::vector<std::string> problems() const override;
  [[nodiscard]] FirstProblem first_problem() const override;
  [[nodiscard]] Time since_reset(Time of_run) const override { return rtl_->since_reset(of_run); }
  [[nodiscard]] const CosimReport* cosim() const override { return &report_; }
  [[nodiscard]] const LinkOutage* outage() const override { return rtl_->outage(); }
  [[nodiscard]] Disturbance disturbance() const override;
  [[nodiscard]] std::optional<Time> first_request() const override { return rtl_->first_request(); }
  [[nodiscard]] std::optional<std::string> waves_problem() const override {
    return rtl_->waves_problem();
  }

 private:
  void end(bool whole) override;

  // What one side knows of one request.
  struct Side {
    bool answered = false, traced = false;
    MemResponse response;
    RequestRecord record;
  };
  struct Pair {
    Side rtl, model;
  };

  // An id may be used again before the last event of its request before is raised: the number
  // belongs to the id from SysAccept on.
  class AcceptedNumbers : public TraceSink {
   public:
    explicit AcceptedNumbers(const std::vector<std::uint64_t>& submitted)
        : submitted_(submitted), accepted_(submitted.size()) {}
    void on_event(const TraceEvent& event) override {
      if (event.stage == Stage::SysAccept) accepted_[event.id] = submitted_[event.id];
    }
    [[nodiscard]] std::uint64_t operator[](std::uint32_t id) const { return accepted_[id]; }

   private:
    const std::vector<std::uint64_t>& submitted_;
    std::vector<std::uint64_t> accepted_;
  };

  [[nodiscard]] std::uint64_t number_of(std::uint32_t model_id) const;
  void feed_model();
  void drain_model();
  void model_step(Time until);
  void let_model_catch_up();
  void settle(std::uint64_t number);
  void compare_times(std::uint64_t number, const Pair& pair);
  void compare_counters();
  void judge_times();
  void mismatch(std::uint64_t number, const Pair& pair, const std::string& what);
  // A difference that begins at a stage.
  void note(std::uint64_t number, const Pair& pair, Stage stage);

  TraceSink* sink_;
  std::string replay_;
  std::vector<std::uint64_t> rtl_number_;  // by system id, as submitted
  AcceptedNumbers rtl_accepted_;
  RequestTracker rtl_tracker_, model_tracker_;
  TraceFanOut rtl_sink_;
  std::unique_ptr<SystemEngine> rtl_, model_;
  unsigned ports_;
  std::uint64_t next_number_ = 0;
  std::deque<MemRequest> to_model_;
  std::deque<Hint> hints_to_model_;
  std::unordered_map<std::uint64_t, Pair> open_;
  CosimReport report_;
  Time drained_at_ = Time::never();  // for the first time, which takes each side its own time
  std::vector<std::string> problems_;
  FirstProblem first_;
};

}  // namespace cxlgpu
