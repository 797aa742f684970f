// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
#include "tb/cosim_engine.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace cxlgpu {

namespace {

constexpr std::size_t kMaxProblems = 10;

std::string path_text(const RequestRecord& r) {
  std::string text = fmt::format("port {} opcode {} dpa 0x{:x} lookup {}", r.port, r.opcode, r.dpa,
                                 static_cast<int>(r.lookup));
  for (std::size_t i = 0; i < kPathStages; ++i) {
    if (r.at[i] != Time::never()) text += fmt::format(" {}@{:.3f}ns", kStageNames[i], r.at[i].ns());
  }
  return text;
}

std::string response_text(const MemResponse& r) {
  std::string text = fmt::format("error {} data ", r.error);
  for (const std::uint8_t byte : r.data) text += fmt::format("{:02x}", byte);
  return text;
}

// When the first of both sides passed a stage, in the time of the RTL, whose requests the model may
// get somewhat later; where neither did: when the RTL answered.
Time first_to_pass(Stage stage, const RequestRecord& rtl, const RequestRecord& model) {
  Time first = rtl.time(stage);
  if (model.time(stage) != Time::never()) {
    first = std::min(first, rtl.at[0] + (model.time(stage) - model.at[0]));
  }
  return first == Time::never() ? rtl.time(Stage::SysRespond) : first;
}

std::string counters_text(const SrCounters& c) {
  return fmt::format(
      "loads_seen {} issued {} ring_suppressed {} halt_suppressed {} score_suppressed {} "
      "requested {} lines_used {} useful_granules {} useless_granules {} issued_late {}",
      c.loads_seen, c.issued, c.ring_suppressed, c.halt_suppressed, c.score_suppressed, c.requested,
      c.lines_used, c.useful_granules, c.useless_granules, c.issued_late);
}

std::string counters_text(const HintCounters& c) {
  return fmt::format("granules {} issued {} dropped {}", c.granules, c.issued, c.dropped);
}

std::string counters_text(const BridgeHintCounters& c) {
  return fmt::format("hints {} lost {} misses {}", c.hints, c.lost, c.misses);
}

std::string counters_text(const std::optional<InternalDramCounters>& c) {
  if (!c) return "no answer";
  return fmt::format(
      "demand_hits {} demand_merges {} demand_fills {} spec_fills {} spec_needless {} "
      "spec_dropped {} spec_evicted_unused {} spec_displaced {}",
      c->demand_hits, c->demand_merges, c->demand_fills, c->spec_fills, c->spec_needless,
      c->spec_dropped, c->spec_evicted_unused, c->spec_displaced);
}

}  // namespace

CosimEngine::CosimEngine(const MakeSide& make_rtl, const MakeSide& make_model, unsigned ports,
                         TraceSink* sink, std::string replay)
    : sink_(sink),
      replay_(std::move(replay)),
      rtl_number_(1u << 16),
      rtl_accepted_(rtl_number_),
      rtl_tracker_([this](const RequestRecord& record) {
        const std::uint64_t number = rtl_accepted_[record.id];
        Side& side = open_[number].rtl;
        side.record = record;
        side.traced = true;
        settle(number);
      }),
      model_tracker_([this](const RequestRecord& record) {
        const std::uint64_t number = number_of(record.id);
        Side& side = open_[number].model;
        side.record = record;
        side.traced = true;
        settle(number);
      }),
      rtl_sink_(sink == nullptr ? std::vector<TraceSink*>{&rtl_accepted_, &rtl_tracker_}
                                : std::vector<TraceSink*>{&rtl_accepted_, &rtl_tracker_, sink}),
      rtl_(make_rtl(&rtl_sink_)),
      model_(make_model(&model_tracker_)),
      ports_(ports) {}

bool CosimEngine::submit(const MemRequest& request) {
  if (!rtl_->submit(request)) return false;
  const std::uint64_t number = next_number_++;
  rtl_number_[request.id & 0xffff] = number;
  MemRequest copy = request;
  copy.id = static_cast<std::uint32_t>(number % kRootPortIds);
  to_model_.push_back(copy);
  open_.try_emplace(number);
  return true;
}

bool CosimEngine::hint(const Hint& hint) {
  if (!rtl_->hint(hint)) return false;
  hints_to_model_.push_back(hint);
  return true;
}

std::optional<MemResponse> CosimEngine::take() {
  std::optional<MemResponse> response = rtl_->take();
  if (response) {
    const std::uint64_t number = rtl_number_[response->id & 0xffff];
    Side& side = open_[number].rtl;
    side.response = *response;
    side.answered = true;
    report_.rtl_end = rtl_->now();
    settle(number);
  }
  return response;
}

// The open one is the youngest that fits.
std::uint64_t CosimEngine::number_of(std::uint32_t model_id) const {
  const std::uint64_t number = next_number_ - next_number_ % kRootPortIds + model_id;
  return number >= next_number_ ? number - kRootPortIds : number;
}

void CosimEngine::feed_model() {
  while (!hints_to_model_.empty() && model_->hint(hints_to_model_.front())) {
    hints_to_model_.pop_front();
  }
  while (!to_model_.empty() && model_->submit(to_model_.front())) to_model_.pop_front();
}

void CosimEngine::drain_model() {
  while (const auto response = model_->take()) {
    const std::uint64_t number = number_of(response->id);
    Side& side = open_[number].model;
    side.response = *response;
    side.answered = true;
    report_.model_end = model_->now();
    settle(number);
  }
}

void CosimEngine::model_step(Time until) {
  for (;;) {
    feed_model();
    drain_model();
    if (model_->now() >= until) return;
    model_->advance_to(until);
  }
}

void CosimEngine::advance_to(Time t) {
  rtl_->advance_to(t);
  model_step(rtl_->now());
}

void CosimEngine::settle(std::uint64_t number) {
  const auto found = open_.find(number);
  Pair& pair = found->second;
  if (!pair.rtl.answered || !pair.model.answered || !pair.rtl.traced || !pair.model.traced) return;
  ++report_.compared;
  const MemResponse& a = pair.rtl.response;
  const MemResponse& b = pair.model.response;
  if (a.error != b.error || a.is_write != b.is_write || (!a.is_write && a.data != b.data)) {
    ++report_.data_mismatches;
    mismatch(number, pair, "response differs");
    note(number, pair, Stage::SysRespond);
  }
  const RequestRecord& p = pair.rtl.record;
  const RequestRecord& q = pair.model.record;
  const bool one_local = !p.is_write && !q.is_write && p.local() != q.local();
  const bool same_end = one_local || (p.opcode == q.opcode && p.dpa == q.dpa);
  if (p.port != q.port || p.routed != q.routed || !same_end) {
    ++report_.path_mismatches;
    mismatch(number, pair, "path differs");
    note(number, pair,
         p.port != q.port || p.routed != q.routed ? Stage::PortEnqueue : Stage::EpAccept);
  }
  if (p.lookup != q.lookup || one_local) ++report_.lookup_differences;
  compare_times(number, pair);
  report_.rtl_latency_sum_ns += p.latency().ns();
  report_.model_latency_sum_ns += q.latency().ns();
  open_.erase(found);
}

void CosimEngine::compare_times(std::uint64_t number, const Pair& pair) {
  const RequestRecord& p = pair.rtl.record;
  const RequestRecord& q = pair.model.record;
  constexpr auto kLookup = static_cast<std::size_t>(Stage::EpLookup);
  std::optional<std::size_t> first;  // stage that differs
  for (std::size_t i = 1; i < kPathStages; ++i) {
    const bool in_both = p.at[i] != Time::never() && q.at[i] != Time::never();
    const bool same = in_both ? p.at[i] - p.at[0] == q.at[i] - q.at[0] : p.at[i] == q.at[i];
    if (!first && (!same || (i == kLookup && p.lookup != q.lookup))) first = i;
    if (!in_both) continue;
    ++report_.stage_count[i];
    report_.stage_difference_ns[i] += (q.at[i] - q.at[0]).ns() - (p.at[i] - p.at[0]).ns();
  }
  if (!first) return;
  report_.disturbance = disturbance();
  // Both were there before: a request that is issued again has the times of its second way.
  const auto passed = [&first](const RequestRecord& r) {
    return r.at[*first] == Time::never() ? r.time(Stage::SysRespond) : r.at[*first];
  };
  const bool is_mismatch =
      std::max(passed(p), passed(q)) < std::min(report_.disturbance.at, drained_at_);
  if (report_.time_differences == 0 || (is_mismatch && report_.time_mismatches == 0)) {
    report_.first_time_difference = fmt::format("request {} to 0x{:x}: rtl: {}; model: {}", number,
                                                p.addr, path_text(p), path_text(q));
  }
  ++report_.time_differences;
  if (!is_mismatch) return;
  ++report_.time_mismatches;
  note(number, pair, static_cast<Stage>(*first));
}

void CosimEngine::note(std::uint64_t number, const Pair& pair, Stage stage) {
  first_.note(first_to_pass(stage, pair.rtl.record, pair.model.record),
              fmt::format("request {} differs at {}", number,
                          kStageNames[static_cast<std::size_t>(stage)]));
}

FirstProblem CosimEngine::first_problem() const {
  FirstProblem first = first_;
  for (const SystemEngine* side : {rtl_.get(), model_.get()}) {
    const FirstProblem its = side->first_problem();
    first.note(its.at, its.what);
  }
  return first;
}

Disturbance CosimEngine::disturbance() const {
  Disturbance first = rtl_->disturbance();
  const Disturbance model = model_->disturbance();
  first.note(model.at, model.by);
  return first;
}

void CosimEngine::judge_times() {
  report_.disturbance = disturbance();
  if (report_.time_mismatches == 0) return;
  problems_.push_back(
      fmt::format("{} of {} requests differ in time {}; the first: {}; replay: {}",
                  report_.time_mismatches, report_.compared,
                  report_.disturbance.at == Time::never()
                      ? std::string("on links without an outage or a damaged flit")
                      : fmt::format("before the first {}, at {:.3f} ns", report_.disturbance.by,
                                    report_.disturbance.at.ns()),
                  report_.first_time_difference, replay_));
}

void CosimEngine::mismatch(std::uint64_t number, const Pair& pair, const std::string& what) {
  if (problems_.size() >= kMaxProblems) return;
  problems_.push_back(fmt::format(
      "request {} to 0x{:x}: {}; rtl: {} | {}; model: {} | {}; replay: {}", number,
      pair.rtl.record.addr, what, response_text(pair.rtl.response), path_text(pair.rtl.record),
      response_text(pair.model.response), path_text(pair.model.record), replay_));
}

// The model may be a little behind, or lack a hint of the last cycle; it gets the time it needs.
void CosimEngine::let_model_catch_up() {
  feed_model();
  if (!open_.empty()) model_step(model_->now() + Time{1000000000});  // 1 ms
}

std::optional<std::string> CosimEngine::drain() {
  drained_at_ = std::min({drained_at_, rtl_->now(), model_->now()});
  const auto rtl = rtl_->drain();
  if (rtl) return "rtl: " + *rtl;
  let_model_catch_up();
  const auto model = model_->drain();
  if (model) return "model: " + *model;
  return std::nullopt;
}

void CosimEngine::end(bool whole) {
  if (!whole) {
    rtl_->abandon();
    model_->abandon();
    judge_times();
    return;
  }
  rtl_->finish();
  let_model_catch_up();
  model_->finish();
  if (!open_.empty()) {
    problems_.push_back(fmt::format("{} requests have no answer from {}; replay: {}", open_.size(),
                                    open_.begin()->second.rtl.answered ? "the model" : "the RTL",
                                    replay_));
  }
  compare_counters();
  judge_times();
}

// With the same times in all requests both have counted alike.
void CosimEngine::compare_counters() {
  const auto compare = [this](const std::string& whose, const char* what, const auto& rtl,
                              const auto& model, std::uint64_t& differences) {
    if (rtl == model) return;
    ++differences;
    if (report_.time_differences != 0 || problems_.size() >= kMaxProblems) return;
    problems_.push_back(fmt::format("{}: counters of {} differ; rtl: {}; model: {}; replay: {}",
                                    whose, what, counters_text(rtl), counters_text(model),
                                    replay_));
  };
  for (unsigned port = 0; port < ports_; ++port) {
    const std::string whose = fmt::format("port {}", port);
    compare(whose, "speculation", rtl_->speculation(port), model_->speculation(port),
            report_.speculation_differences);
    compare(whose, "hints", rtl_->hints(port), model_->hints(port), report_.hint_differences);
    compare(whose, "internal DRAM", rtl_->internal_dram(port), model_->internal_dram(port),
            report_.internal_dram_differences);
  }
  compare("host bridge", "hints", rtl_->bridge_hints(), model_->bridge_hints(),
          report_.hint_differences);
}

std::vector<std::string> CosimEngine::problems() const {
  std::vector<std::string> all = problems_;
  for (const SystemEngine* side : {rtl_.get(), model_.get()}) {
    for (std::string& line : side->problems()) all.push_back(std::move(line));
  }
  return all;
}

}  // namespace cxlgpu
