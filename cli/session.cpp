// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
#include "cli/session.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdio>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <set>
#include <string_view>

#include "cli/gpu_figures.hpp"
#include "cli/machine.hpp"
#include "cli/progress.hpp"
#include "cli/run_files.hpp"
#include "cli/samples_json.hpp"
#include "cli/session_parts.hpp"
#include "cli/shell_word.hpp"
#include "cli/summary.hpp"
#include "cli/write_file.hpp"
#include "common/input_error.hpp"
#include "flits/compressed_file.hpp"
#include "sim/config/configurations.hpp"
#include "sim/gpu/gpu.hpp"
#include "sim/host/run.hpp"
#include "sim/host/scoreboard.hpp"
#include "sim/host/trace_initiator.hpp"
#include "sim/io/host_workloads.hpp"
#include "sim/machine/run_checks.hpp"
#include "sim/media/media_config.hpp"
#include "sim/workloads/recovery.hpp"
#include "sim/workloads/workload.hpp"

namespace cxlgpu {

namespace {

double since(std::chrono::steady_clock::time_point start) {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

// Of contents: the same for the same, and hardly ever for others.
std::uint64_t digest_of(const FlatMemory& memory) {
  std::uint64_t digest = 0;
  std::array<std::uint8_t, FlatMemory::kPageBytes> bytes;
  for (const std::uint64_t page : memory.pages()) {
    memory.peek(page, bytes);
    const std::string_view text(reinterpret_cast<const char*>(bytes.data()), bytes.size());
    digest = (digest ^ page ^ std::hash<std::string_view>{}(text)) * 0x9e3779b97f4a7c15ULL;
    digest ^= digest >> 29;
  }
  return digest;
}

// Asked at steps of a run: gauges of the report page, and progress.
class SessionWatch : public RunWatch {
 public:
  SessionWatch(Progress& progress, const Machine& machine, RunSamples* samples)
      : progress_(progress), machine_(machine), samples_(samples) {}
  std::uint64_t on_steps(Time now) override {
    if (samples_ == nullptr) return progress_.on_steps(now);
    const Time width = samples_->bins().width();
    if (now >= polled_ + width) {
      samples_->on_gauges(now, machine_.gauges());
      polled_ = now;
    }
    left_ = left_ <= gap_ ? progress_.on_steps(now) : left_ - gap_;
    // Some times in each bin is often enough, whatever a step is.
    gap_ = now - asked_ < Time{width.ps / 8} ? std::min<std::uint64_t>(2 * gap_, 64)
                                             : std::max<std::uint64_t>(gap_ / 2, 1);
    asked_ = now;
    return gap_;
  }

 private:
  Progress& progress_;
  const Machine& machine_;
  RunSamples* samples_;
  Time polled_{0}, asked_{0};
  std::uint64_t gap_ = 1;   // steps from one question to the next
  std::uint64_t left_ = 0;  // until progress is asked
};

// A run in four steps, each once and in this order.
class Session {
 public:
  Session(const RunConfig& config, const SessionOptions& options)
      : config_(config), given_(options), files_(given_), options_(options) {
    if (files_.take_events()) options_.tap = &files_;
    outcome_.config = config;
    outcome_.command = options.engine.replay;
  }
  void make();
  void run();
  void judge();
  int report();
  SessionResult result();
  // Instead of either: files that were written on the way alone. A line if one could not be.
  std::optional<std::string> close();
  // After judge(): the first in time of all that went wrong. Without a time of its own it is at the
  // end. Nothing if all went well, or a signal ended the run.
  struct Mismatch {
    Time at, since_reset;
    std::string what;
  };
  [[nodiscard]] std::optional<Mismatch> first_mismatch() const;
  // Of a run with a journal, after judge().
  void crash();
  int walk();

 private:
  struct Documents {
    nlohmann::json stats, samples;
    std::optional<std::string> not_written;
  };
  Documents documents();
  void say_files(bool waves) const;
  [[nodiscard]] ProgressSample sample() const;
  [[nodiscard]] bool done() const { return result_.status == RunStatus::Done; }
  void check_crash() const;

  const RunConfig& config_;
  const SessionOptions& given_;
  RunFiles files_;
  SessionOptions options_;  // the machine's: its tap is files_, if any are of events
  std::unique_ptr<Machine> machine_;
  RunInput input_;
  HostProgram* program_ = nullptr;  // of the machine; this or one of the next two
  std::unique_ptr<Gpu> gpu_;
  std::size_t kernels_ = 0;  // of a workload
  std::unique_ptr<TraceInitiator> replay_;
  Backdoor* contents_ = nullptr;         // of a workload
  std::unique_ptr<RunSamples> samples_;  // if there is to be a report page
  std::optional<ResultFolder> folder_;
  std::optional<CheckedEngine> checked_;
  RunResult result_;
  RunOutcome outcome_;
  FlatMemory before_;  // persistent contents at the start
};

void Session::make() {
  const auto wall = std::chrono::steady_clock::now();
  machine_ = make_machine(config_, options_);
  input_ = make_input(config_, options_.trace, options_.engine.stop);
  check_kv(config_, input_.workload && input_.workload->kv_plan() != nullptr);
  outcome_.data_bytes = input_.data_bytes;
  machine_->size(input_);
  if (input_.workload) {
    gpu_ = std::make_unique<Gpu>(machine_->gpu_params(), machine_->map());
    contents_ = &machine_->contents(*gpu_);
    Allocator allocator(machine_->map());
    check_crash();
    input_.workload->setup(allocator, *contents_);
    if (options_.crash.recover) {
      if (const auto wrong = input_.workload->verify_recovered(*contents_)) {
        outcome_.problems.push_back(
            fmt::format("as power was lost: {}; replay: {}", *wrong, options_.engine.replay));
      }
      input_.workload->recover(*gpu_);
    } else {
      input_.workload->launch(*gpu_);
    }
    kernels_ = gpu_->kernels_left();
  } else if (program_ = machine_->program(); program_ != nullptr) {
    check_crash();
  } else {
    replay_ = make_replay(config_, std::move(input_));
  }
  folder_.emplace(options_.out);
  if (!options_.out.empty() && options_.page) {
    samples_ = std::make_unique<RunSamples>();
    machine_->stats().collect(*samples_);
  }
  files_.open(config_.memory != MemoryKind::Cxl);
  if (files_.take_requests()) machine_->stats().watch(files_);
  checked_.emplace(machine_->start());
  if (Timeline* timeline = files_.timeline()) {
    if (gpu_) gpu_->watch_cores(timeline);
    machine_->watch_dies(*timeline);
  }
  checked_->shadow() = machine_->take_initial();
  if (options_.crash.journalled()) {
    before_.copy(checked_->shadow(), machine_->map().persistent_base);
  }
  options_.log.info("{} of {} bytes, {}, engine {}, seed {}: ready after {:.2f} s",
                    replay_ ? "trace" : "workload " + config_.workload.name, outcome_.data_bytes,
                    to_string(config_.memory), config_.engine, config_.seed, since(wall));
  if (gpu_)
    options_.log.info("{} kernels on {} cores of {} warps", kernels_, config_.gpu.cores,
                      config_.gpu.warps);
  if (const auto records = replay_ ? replay_->remaining() : std::nullopt) {
    options_.log.info("{} requests and hints in the trace", *records);
  }
}

void Session::check_crash() const {
  const CrashOptions& crash = options_.crash;
  if (!crash.journalled() && !crash.recover) return;
  const auto refuse = [this](const std::string& what) {
    throw InputError(fmt::format("{}: {}", config_.scenario, what));
  };
  if (!input_.workload || !input_.workload->persists()) {
    refuse(
        fmt::format("workload '{}' keeps nothing beyond a loss of power; choose one that does: {}",
                    config_.workload.name, fmt::join(persistent_workload_names(), ", ")));
  }
  if (config_.persistent() == nullptr) {
    refuse("has no persistent range; choose configuration gpm, or give one in hdm.ranges");
  }
  if (crash.at && config_.endpoint.image_out.empty()) {
    refuse("--crash-at leaves images; name a folder with --set endpoint.image_out=DIR");
  }
  if (crash.recover && config_.endpoint.image_in.empty()) {
    refuse("--recover goes on from images; name their folder with --set endpoint.image_in=DIR");
  }
}

// The memory that the loss of power leaves, in images.
void Session::crash() {
  const Journal& journal = *machine_->journal();
  const std::size_t at = *options_.crash.at;
  if (at > journal.events().size()) {
    throw InputError(fmt::format("--crash-at: {} is beyond the {} events of the run; lower it", at,
                                 journal.events().size()));
  }
  CrashStates states(journal, before_);
  states.go_to(at);
  const auto choices = states.choices(CrashStates::kAll, config_.seed);
  if (options_.crash.state >= choices.size()) {
    throw InputError(
        fmt::format("--crash-state: {} is not in 0..{}, the states of this point; "
                    "lower it",
                    options_.crash.state, choices.size() - 1));
  }
  FlatMemory left;
  left.copy(states.sure());
  states.write_to(left, choices[options_.crash.state]);
  machine_->write_crash_images(left, config_.endpoint.image_out);
  if (options_.quiet) return;
  fmt::print("power lost after event {} of {}, state {} of {}: in flight {}; images in {}\n", at,
             journal.events().size(), options_.crash.state, choices.size(),
             states.text(choices[options_.crash.state]), config_.endpoint.image_out);
}

// Every loss of power of this run, each recovered on an ideal memory.
int Session::walk() {
  for (const std::string& problem : outcome_.problems) {
    fmt::print(stderr, "{}\n", one_line(problem));
  }
  if (!outcome_.problems.empty() || !done()) return 1;
  const auto make = [this] { return make_input(config_, "").workload; };
  const GpuParams params = machine_->gpu_params();
  WalkOptions options = *options_.crash.walk;
  std::size_t point = 0;
  options.at = [&point](std::size_t at) { point = at; };
  // Recovery depends on the memory alone, and of the three events of a write one changes it.
  std::set<std::uint64_t> recovered;
  const WalkResult result =
      walk_crashes(*machine_->journal(), before_, options,
                   [&](const FlatMemory& left, bool) -> std::optional<std::string> {
                     if (auto wrong = machine_->broken_promise(point, left)) return wrong;
                     if (!recovered.insert(digest_of(left)).second) return std::nullopt;
                     return recovery_problem(make, params, machine_->map(), left,
                                             !options_.crash.invariant_only);
                   });
  fmt::print("{}: {} events, {} points, {} states, at most {} writes in flight: {}\n",
             config_.scenario, result.events, result.points, result.states, result.most_free,
             result.failure                  ? "one is not recovered"
             : options_.crash.invariant_only ? "the invariant holds in each"
                                             : "each recovered");
  if (result.broken != 0) {
    fmt::print(stderr, "{} completions were told before their bytes were safe; replay: {}\n",
               result.broken, options_.engine.replay);
    return 1;
  }
  if (!result.failure) return 0;
  const WalkResult::Failure& failure = *result.failure;
  fmt::print(stderr, "{}\n",
             one_line(fmt::format("point {}, state {}, seed {}, in flight {}: {}; replay: {} "
                                  "--point {}",
                                  failure.point, failure.state, options.seed, failure.in_flight,
                                  failure.what, options_.engine.replay, failure.point)));
  return 1;
}

ProgressSample Session::sample() const {
  ProgressSample s;
  if (program_ != nullptr) {
    s.requests = program_->items_done();
    s.share =
        static_cast<double>(s.requests) / static_cast<double>(s.requests + program_->items_left());
    return s;
  }
  if (replay_) {
    s.requests = checked_->reads() + checked_->writes();
    if (const auto left = replay_->remaining()) {
      const auto position = static_cast<double>(replay_->position());
      s.share = position / (position + static_cast<double>(*left));
    }
    return s;
  }
  const GpuStats& gpu = gpu_->stats();
  s.requests =
      gpu.engine_requests() + gpu.local_reads + gpu.local_writes_full + gpu.local_writes_partial;
  if (kernels_ > 1) {
    const std::size_t ended = kernels_ - gpu_->kernels_left();
    s.share = static_cast<double>(ended) / static_cast<double>(kernels_);
    s.place = ended == kernels_ ? "results written back"
                                : fmt::format("kernel {} of {}", ended + 1, kernels_);
  } else if (outcome_.data_bytes != 0) {
    s.place =
        fmt::format("{:.2f} x the data set moved", static_cast<double>(s.requests * kLineBytes) /
                                                       static_cast<double>(outcome_.data_bytes));
  }
  return s;
}

void Session::run() {
  Initiator& initiator = program_ != nullptr ? static_cast<Initiator&>(*program_)
                         : gpu_              ? machine_->initiator(*gpu_)
                                             : *replay_;
  Progress progress(options_.quiet ? Progress::Where::Nowhere : Progress::standard_error(),
                    options_.progress_s, [this] { return sample(); });
  SessionWatch watch(progress, *machine_, samples_.get());
  const auto wall = std::chrono::steady_clock::now();
  result_ = run_to_limit(initiator, *checked_, config_, options_, watch);
  progress.wipe();
  outcome_.wall_seconds = since(wall);
  options_.log.info("run: {} at {:.3f} us (simulated) after {:.2f} s", to_string(result_.status),
                    result_.end.ns() / 1000, outcome_.wall_seconds);
  options_.log.debug("run: the initiator stepped {} times, {} loads, {} stores", result_.steps,
                     checked_->reads(), checked_->writes());
  machine_->finish(result_, outcome_);
  if (samples_) {
    const Time end = std::max(outcome_.end, outcome_.drained);
    samples_->on_gauges(end, machine_->gauges());
    samples_->end(end);
  }
}

void Session::judge() {
  outcome_.reads_checked = checked_->reads();
  outcome_.writes_sent = checked_->writes();
  outcome_.mismatches = checked_->mismatches();
  add_findings(outcome_, *checked_, options_.engine.replay);
  machine_->add_findings(*checked_, outcome_);
  add_ending(outcome_, result_, *checked_, gpu_.get(), replay_.get(), program_, options_);
  if (!done()) return;  // what is in flight has no contents to be held against
  machine_->judge(checked_->shadow(), outcome_);
  if (!input_.workload) return;
  if (const auto wrong = input_.workload->verify(*contents_)) {
    outcome_.problems.push_back(
        fmt::format("{}: {}; replay: {}", config_.workload.name, *wrong, options_.engine.replay));
  }
}

std::optional<Session::Mismatch> Session::first_mismatch() const {
  if (result_.status == RunStatus::Stopped) return std::nullopt;
  if (outcome_.problems.empty() && !outcome_.unfinished) return std::nullopt;
  FirstProblem first = machine_->first_problem();
  first.note(checked_->first_error(), "the answer to the GPU is wrong");
  if (result_.status == RunStatus::TimeLimit) first.note(result_.end, "run.limit_us is reached");
  if (result_.status == RunStatus::Deadlock) first.note(result_.end, "nothing moves any more");
  first.note(std::max(outcome_.end, outcome_.drained), "the run has ended, and its results differ");
  return Mismatch{first.at, machine_->since_reset(first.at), first.what};
}

Session::Documents Session::documents() {
  machine_->report(outcome_);
  if (gpu_) outcome_.gpu = gpu_json(gpu_->stats(), config_.gpu);
  nlohmann::json document = to_json(outcome_, machine_->stats());
  machine_->complete(document);
  for (std::size_t port = 0; port < outcome_.m2s.size(); ++port) {
    options_.log.debug("port {}: {} flits M2S, {} S2M, {} media reads, {} writes", port,
                       outcome_.m2s[port].all, outcome_.s2m[port].all, outcome_.media[port].reads,
                       outcome_.media[port].writes);
  }
  std::optional<std::string> not_written = close();
  return {std::move(document), samples_ ? samples_json(*samples_, config_) : nullptr,
          std::move(not_written)};
}

std::optional<std::string> Session::close() {
  files_.close();
  return machine_->close();
}

int Session::report() {
  const Documents made = documents();
  const int status = finish_session(outcome_, made.stats, made.samples, options_);
  if (!options_.quiet) say_files(!made.not_written);
  if (!made.not_written) return status;
  fmt::print(stderr, "{}\n", one_line(*made.not_written));
  return status == 0 ? 2 : status;
}

// What else the run has written, and what opens it.
void Session::say_files(bool waves) const {
  const auto row = [](std::string_view name, const std::string& text) {
    fmt::print("  {:<42} {}\n", name, text);
  };
  const auto file = [&row](std::string_view name, const std::string& path,
                           const std::string& opened_by) {
    if (!path.empty() && path != "-") row(name, path + opened_by);
  };
  const EngineOptions& engine = options_.engine;
  const bool waved = engine.dumps() && waves;
  if (waved) {
    const std::string saved = std::filesystem::path(engine.waves).replace_extension("gtkw");
    file("waves", engine.waves, "; gtkwave " + shell_word(saved));
  }
  if (!engine.flit_log.empty()) {
    const bool pcapng = flits::uncompressed_name(engine.flit_log).ends_with(".pcapng");
    file("flit log", engine.flit_log,
         (pcapng ? "; wireshark " : "; cxlgpu flit decode ") + shell_word(engine.flit_log));
  }
  if (const Time reset = machine_->since_reset(Time{0});
      reset != Time{0} && (waved || !engine.flit_log.empty())) {
    row("  the run begins there at", fmt::format("{:.3f} us", reset.ns() / 1000));
  }
  file("timeline", options_.timeline.file, "; open it in https://ui.perfetto.dev");
  file("requests", options_.requests, "");
  file("events", options_.events, "");
}

SessionResult Session::result() {
  const Documents made = documents();
  write_results(made.stats, made.samples, options_);
  SessionResult result{exit_status(outcome_, options_), json_text(made.stats, 1), {}};
  for (const std::string& problem : outcome_.problems) result.problems.push_back(one_line(problem));
  if (outcome_.unfinished) result.problems.push_back(one_line(outcome_.unfinished->message));
  if (made.not_written) result.problems.push_back(one_line(*made.not_written));
  if (made.not_written && result.status == 0) result.status = 2;
  return result;
}

}  // namespace

ScenarioNames scenario_names(const std::filesystem::path& config_dir) {
  std::vector<std::string> workloads = workload_names();
  for (const HostWorkloadKind& kind : kHostWorkloads) workloads.emplace_back(kind.name);
  return {std::move(workloads), media_names(config_dir / "media"), configuration_names()};
}

namespace {

// Whether a program of the host runs, which the memory must be one for.
bool is_host_program(const RunConfig& config, const SessionOptions& options) {
  const bool program = options.trace.empty() && host_workload(config.workload.name) != nullptr;
  const MemoryKind memory = config.memory;
  if (program) {
    const HostWorkloadKind& kind = *host_workload(config.workload.name);
    if (kind.runs_on(memory)) return true;
    throw InputError(
        fmt::format("{}: workload '{}' {}, which '{}' has no way for; use "
                    "configuration {}",
                    config.scenario, kind.name, kind.does, to_string(memory), kind.ways));
  }
  for (const HostWorkloadKind& kind : kHostWorkloads) {
    if (runs_kernels(memory) || !kind.runs_on(memory)) continue;
    throw InputError(
        fmt::format("{}: '{}' is of programs of the host alone; use workload {}, or another "
                    "configuration",
                    config.scenario, to_string(memory), kind.name));
  }
  return false;
}

}  // namespace

std::unique_ptr<Machine> make_machine(const RunConfig& config, const SessionOptions& options) {
  if (is_host_program(config, options)) {
    if (config.workload.name == "prefix") return make_prefix_machine(config, options);
    return runs_copies(config.memory) ? make_copy_machine(config, options)
                                      : make_io_machine(config, options);
  }
  switch (config.memory) {
    case MemoryKind::Cxl:
      check_machine(config);
      return make_cxl_machine(config, options);
    case MemoryKind::GpuDram:
      return make_gpu_dram_machine(config, options);
    default:
      return make_paged_machine(config, options);
  }
}

SessionResult session_result(const RunConfig& config, const SessionOptions& options) {
  Session session(config, options);
  session.make();
  session.run();
  session.judge();
  return session.result();
}

namespace {

// Before and after the mismatch; what a request leaves behind is seen after it.
constexpr std::uint64_t kCyclesAfter = 200;

void check_waves_around(const SessionOptions& options) {
  if (options.trace.empty()) return;
  std::error_code none;
  if (options.trace != "-" && std::filesystem::is_regular_file(options.trace, none)) return;
  throw InputError(
      fmt::format("--waves-around-mismatch: makes a second run, and the trace {} can be read once "
                  "alone; keep it in a file",
                  options.trace == "-" ? "of standard input" : options.trace));
}

// The run once more, up to somewhat behind the mismatch, with waves of the cycles around it.
int record_mismatch(const RunConfig& config, const SessionOptions& options,
                    const Session::Mismatch& mismatch, int status) {
  const std::uint64_t cycle = mismatch.since_reset.ps / kCycle.ps;
  const std::uint64_t from = cycle - std::min(cycle, *options.waves_around),
                      to = cycle + kCyclesAfter;
  SessionOptions again = options;
  for (std::string* file :
       {&again.out, &again.events, &again.requests, &again.timeline.file, &again.engine.flit_log}) {
    file->clear();
  }
  again.crash.at.reset();
  again.until = mismatch.at + kCycle * (kCyclesAfter + 1);
  again.engine.waves_later = false;
  again.engine.waves_from = first_of_cycle(from);
  again.engine.waves_to = last_of_cycle(to);
  again.engine.waves_marker = mismatch.since_reset;
  RunConfig same = config;
  same.endpoint.image_out.clear();
  Session session(same, again);
  session.make();
  session.run();
  session.judge();
  if (const auto not_written = session.close()) {
    fmt::print(stderr, "{}\n", one_line(*not_written));
    return status;
  }
  fmt::print(stderr, "{}\n",
             one_line(fmt::format("{}: cycles {} to {}, around {}: {} ({:.3f} ns of the run); "
                                  "replay: {} --waves-from-cycle {} --waves-to-cycle {}",
                                  options.engine.waves, from, to, cycle, mismatch.what,
                                  mismatch.at.ns(), options.waves_replay, from, to)));
  return status;
}

int run_once(const RunConfig& config, const SessionOptions& options,
             std::optional<Session::Mismatch>& mismatch) {
  Session session(config, options);
  session.make();
  session.run();
  session.judge();
  if (options.crash.walk) return session.walk();
  const int status = session.report();
  if (options.crash.at && status == 0) session.crash();
  mismatch = session.first_mismatch();
  return status;
}

}  // namespace

int run_session(const RunConfig& config, const SessionOptions& options) {
  std::optional<Session::Mismatch> mismatch;
  if (!options.waves_around) return run_once(config, options, mismatch);
  check_waves_around(options);
  SessionOptions first = options;
  first.engine.waves_later = true;
  const int status = run_once(config, first, mismatch);
  if (mismatch) return record_mismatch(config, options, *mismatch, status);
  if (!options.quiet) fmt::print("  {:<42} none, there was no mismatch\n", "waves");
  return status;
}

}  // namespace cxlgpu
