// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
// cxlgpu: run scenarios, lose power in them, sweep their keys, measure media parts, name what there
// is, look at flits and traces.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <iostream>
#include <new>
#include <system_error>

#include "cli/completion.hpp"
#include "cli/flit_command.hpp"
#include "cli/interrupt.hpp"
#include "cli/key_command.hpp"
#include "cli/log.hpp"
#include "cli/media_command.hpp"
#include "cli/report_command.hpp"
#include "cli/session.hpp"
#include "cli/shell_word.hpp"
#include "cli/sweep_command.hpp"
#include "cli/trace_command.hpp"
#include "cli/version.hpp"
#include "common/input_error.hpp"
#include "common/nearest.hpp"
#include "sim/config/config_keys.hpp"
#include "sim/io/host_workloads.hpp"
#include "sim/workloads/workload.hpp"

namespace {

using namespace cxlgpu;

struct RunArguments {
  std::string scenario, machine, engine, rtl, trace, waves, flit_log, events, requests, out,
      timeline;
  std::vector<std::string> sets;
  std::string seed, progress_s;
  std::string waves_from_us, waves_to_us, waves_from_cycle, waves_to_cycle, waves_around;
  bool around_mismatch = false;
  std::string timeline_every, timeline_from_us, timeline_to_us;
  std::string crash_at, crash_state;
  bool recover = false;
  // Of `crash`.
  std::string points, states, point;
  bool walk = false, invariant_only = false;
  bool quiet = false, no_report = false;
  int verbose = 0;
};

// Of an installed command, which may be moved with its files: PREFIX/bin/cxlgpu, PREFIX/share.
std::filesystem::path installed_configs() {
  std::error_code none;
  const std::filesystem::path self = std::filesystem::read_symlink("/proc/self/exe", none);
  const std::filesystem::path dir =
      self.parent_path().parent_path() / "share" / "cxlgpu" / "configs";
  return std::filesystem::is_directory(dir / "media", none) ? dir : std::filesystem::path();
}

std::filesystem::path config_dir(const std::string& given) {
  std::filesystem::path dir = installed_configs();
  if (dir.empty()) dir = CXLGPU_CONFIG_DIR;
  if (const char* environment = std::getenv("CXLGPU_CONFIGS")) dir = environment;
  if (!given.empty()) dir = given;
  if (!std::filesystem::is_directory(dir / "media")) {
    throw InputError(fmt::format(
        "{}: has no media/ folder; give the configuration folder with --configs", dir.string()));
  }
  return dir;
}

CrashOptions crash_options(const RunArguments& a, RunConfig& config) {
  CrashOptions crash;
  const auto number = [](const std::string& text, const char* option, std::uint64_t least) {
    return parse_range(text, "command line", option, least, std::uint64_t{1} << 40);
  };
  if (!a.crash_at.empty()) crash.at = number(a.crash_at, "--crash-at", 0);
  if (!a.crash_state.empty()) crash.state = number(a.crash_state, "--crash-state", 0);
  crash.recover = a.recover;
  crash.invariant_only = a.invariant_only;
  if (!a.walk) return crash;
  config.engine = a.engine.empty() ? "model" : a.engine;
  WalkOptions walk;
  walk.seed = config.seed;
  if (!a.points.empty()) walk.points = number(a.points, "--points", 0);
  if (!a.states.empty()) walk.states = number(a.states, "--states", 1);
  if (!a.point.empty()) walk.only = number(a.point, "--point", 0);
  crash.walk = walk;
  return crash;
}

// A build without RTL takes the model, unless the command line or a file of the user names another
// engine.
void choose_without_rtl(RunConfig& config, const std::filesystem::path& configs, bool asked) {
  if (rtl_is_built() || config.engine == "model") return;
  const std::string place = config.place("run.engine", "");
  if (!asked && place.starts_with((configs / "system").string())) {
    config.engine = "model";
    return;
  }
  throw InputError(fmt::format(
      "{}: '{}' takes the RTL, and this build has none (-DCXLGPU_RTL=OFF); use --engine "
      "model, or build with -DCXLGPU_RTL=ON",
      asked ? "--engine" : place + ": key 'run.engine'", config.engine));
}

TimelineOptions timeline_options(const RunArguments& a) {
  constexpr std::uint64_t kPsPerUs = 1'000'000;
  TimelineOptions options;
  options.file = a.timeline;
  const auto number = [](const std::string& text, const char* option, std::uint64_t least) {
    return parse_range(text, "command line", option, least, EngineOptions::kToTheEnd);
  };
  if (!a.timeline_every.empty()) {
    options.every = number(a.timeline_every, "--timeline-every", 1);
  }
  if (!a.timeline_from_us.empty()) {
    options.from = Time{number(a.timeline_from_us, "--timeline-from-us", 0) * kPsPerUs};
  }
  if (!a.timeline_to_us.empty()) {
    options.to = Time{number(a.timeline_to_us, "--timeline-to-us", 0) * kPsPerUs};
  }
  if (options.to <= options.from) {
    throw InputError(
        "command line: the window of --timeline-from-us to --timeline-to-us is empty; let it end "
        "after it begins");
  }
  return options;
}

constexpr const char* kAroundMismatch = "--waves-around-mismatch";

// The window in which an FST is written: of the options that are given, in the words they have.
void add_window_of_waves(const RunArguments& a, SessionOptions& options) {
  constexpr std::uint64_t kPsPerUs = 1'000'000, kCyclesPerUs = kPsPerUs / kCycle.ps;
  constexpr std::uint64_t kMostCycles = EngineOptions::kToTheEnd * kCyclesPerUs;
  std::string from = "the run's begin", to = "its end";
  EngineOptions& engine = options.engine;
  const auto number = [](const std::string& text, const char* option, std::uint64_t most) {
    return parse_range(text, "command line", option, 0, most);
  };
  if (!a.waves_from_us.empty()) {
    engine.waves_from =
        Time{number(a.waves_from_us, "--waves-from-us", EngineOptions::kToTheEnd) * kPsPerUs};
    from = "--waves-from-us " + a.waves_from_us;
  }
  if (!a.waves_to_us.empty()) {
    engine.waves_to =
        Time{number(a.waves_to_us, "--waves-to-us", EngineOptions::kToTheEnd) * kPsPerUs};
    to = "--waves-to-us " + a.waves_to_us;
  }
  if (!a.waves_from_cycle.empty()) {
    engine.waves_from =
        first_of_cycle(number(a.waves_from_cycle, "--waves-from-cycle", kMostCycles));
    from = "--waves-from-cycle " + a.waves_from_cycle;
  }
  if (!a.waves_to_cycle.empty()) {
    engine.waves_to = last_of_cycle(number(a.waves_to_cycle, "--waves-to-cycle", kMostCycles));
    to = "--waves-to-cycle " + a.waves_to_cycle;
  }
  if (engine.waves_to <= engine.waves_from) {
    throw InputError(fmt::format(
        "command line: the window of {} to {} is empty; let it end after it begins", from, to));
  }
  if (!a.around_mismatch) return;
  constexpr std::uint64_t kCyclesBefore = 1000;
  options.waves_around = a.waves_around.empty() ? kCyclesBefore
                                                : parse_range(a.waves_around, "command line",
                                                              kAroundMismatch, 1, kMostCycles);
}

// The same command without that option and its number, if it has one.
std::vector<std::string> without_around(const std::vector<std::string>& words) {
  std::vector<std::string> kept;
  for (std::size_t i = 0; i < words.size(); ++i) {
    if (words[i].starts_with(std::string(kAroundMismatch) + "=")) continue;
    if (words[i] != kAroundMismatch) {
      kept.push_back(words[i]);
    } else if (i + 1 < words.size() &&
               words[i + 1].find_first_not_of("0123456789") == std::string::npos) {
      ++i;
    }
  }
  return kept;
}

int run_command(const RunArguments& a, const std::filesystem::path& configs,
                const std::vector<std::string>& words) {
  const ConfigLoader loader(configs, scenario_names(configs),
                            a.rtl.empty() ? rtl_configuration() : a.rtl, a.machine);
  const Log log(a.verbose);
  RunConfig config = loader.load(a.scenario, a.sets, a.seed);
  if (!a.quiet) {
    for (const std::string& note : config.notes) fmt::print(stderr, "{}\n", one_line(note));
  }
  log.info("configuration of {}", configs.string());
  log.debug("machine {}, changed: {}", config.machine,
            config.machine_changed.empty()
                ? "nothing"
                : fmt::to_string(fmt::join(config.machine_changed, ", ")));
  if (!a.engine.empty()) config.engine = a.engine;
  choose_without_rtl(config, configs, !a.engine.empty());
  SessionOptions options;
  options.config_dir = configs;
  options.trace = a.trace;
  options.out = a.out;
  options.page = !a.no_report;
  options.events = a.events;
  options.requests = a.requests;
  options.log = log;
  options.quiet = a.quiet;
  if (!a.progress_s.empty()) {
    options.progress_s = parse_range(a.progress_s, "command line", "--progress-s", 1, 86400);
  }
  options.engine.waves = a.waves;
  add_window_of_waves(a, options);
  options.timeline = timeline_options(a);
  options.engine.stop = &interrupt_signal();
  options.engine.flit_log = a.flit_log;
  options.engine.replay = shell_command(words);
  options.waves_replay = shell_command(without_around(words));
  options.crash = crash_options(a, config);
  return run_session(config, options);
}

int list_command(const std::filesystem::path& configs) {
  const ScenarioNames names = scenario_names(configs);
  fmt::print("scenario = <workload>-<media>-<configuration>, e.g. vadd-znand-sr\n");
  std::vector<std::string_view> of_host;
  for (const HostWorkloadKind& kind : kHostWorkloads) of_host.push_back(kind.name);
  fmt::print("workloads:      {}\n", fmt::join(workload_names(), " "));
  fmt::print("  of the host:  {}\n", fmt::join(of_host, " "));
  fmt::print("media:          {}\n", fmt::join(names.media, " "));
  fmt::print("configurations: {}\n", fmt::join(names.configs, " "));
  fmt::print("machines:       {}\n", fmt::join(machine_names(configs), " "));
  fmt::print("engines:        rtl model cosim\n\n");
  fmt::print("workload, what it does: what workload.size counts, its default, its range\n");
  for (const WorkloadKind& kind : workload_kinds()) {
    fmt::print("  {:<9} {}: {}, {}, {}..{}\n", kind.name, kind.about, kind.size_counts,
               kind.default_size, kind.min_size, kind.max_size);
    if (kind.iterations.max != 0) {
      fmt::print("            workload.iterations: {}, {}, {}..{}\n", kind.iterations.counts,
                 kind.iterations.default_value, kind.iterations.min, kind.iterations.max);
    }
    if (kind.reads_file) fmt::print("            workload.file: a graph\n");
  }
  fmt::print("workloads of the host, likewise, and their configurations\n");
  for (const HostWorkloadKind& kind : kHostWorkloads) {
    fmt::print("  {:<9} {}: {}, {}, {}..{}; {}\n", kind.name, kind.about, kind.size_counts,
               kind.default_size, kind.min_size, kind.max_size, kind.ways);
  }
  return 0;
}

// cxlgpu complete -- WORD...: what a shell offers, a line each; nothing where there are no configs.
int offer(const CLI::App& app, const std::vector<std::string>& words) {
  constexpr std::size_t kFirst = 3;  // cxlgpu complete --
  if (words.size() <= kFirst) return 0;
  try {
    const std::vector<std::string> begun(words.begin() + kFirst, words.end());
    for (const std::string& one : completions(app, begun, config_dir(""))) fmt::print("{}\n", one);
  } catch (const InputError&) {  // a message would stand in the middle of the user's line
  }
  return 0;
}

int command(int argc, char** argv) {
  const std::vector<std::string> words = {argv, argv + argc};
  const std::string replay = shell_command(words);  // as one could type it again
  CLI::App app{"cxlgpu: memory and flash behind a GPU over CXL"};
  app.require_subcommand(1);
  app.set_version_flag("--version",
                       fmt::format("cxlgpu {} ({})", project_version(), source_commit()));
  std::string configs;
  app.add_option("--configs", configs,
                 "directory of system/, machines/, gpu/, media/ and scenarios/");

  RunArguments a;
  CLI::App* run =
      app.add_subcommand("run", "run a scenario; --out leaves stats.json and report.html");
  run->add_option("scenario", a.scenario, "<workload>-<media>-<configuration> or FILE.yaml")
      ->required();
  run->add_option("--machine", a.machine,
                  "the hardware, by name (configs/machines) or file; left out: scaled, or what "
                  "system.machine of the scenario says");
  run->add_option("--engine", a.engine, "rtl, model or cosim")
      ->check(CLI::IsMember({"rtl", "model", "cosim"}));
  run->add_option("--rtl", a.rtl,
                  "sizes of a configuration of the RTL, by name (configs/rtl) or file; left out: "
                  "what this build has, and rtl and cosim take no other");
  run->add_option("--set", a.sets, "path.key=value, may be repeated")->take_all();
  run->add_option("--trace", a.trace,
                  "replay this trace instead of the workload; -: standard input");
  run->add_option("--seed", a.seed, "seed of all random streams");
  CLI::Option* waves = run->add_option(
      "--waves", a.waves, "write an FST of the RTL, and files for GTKWave and Surfer beside it");
  CLI::Option* from_us =
      run->add_option("--waves-from-us", a.waves_from_us, "where the FST begins, 0: at reset")
          ->needs(waves);
  CLI::Option* to_us =
      run->add_option("--waves-to-us", a.waves_to_us, "where it ends; left out: with the run")
          ->needs(waves);
  CLI::Option* from_cycle =
      run->add_option("--waves-from-cycle", a.waves_from_cycle,
                      "where the FST begins, in cycles of its clock since reset")
          ->needs(waves)
          ->excludes(from_us);
  CLI::Option* to_cycle = run->add_option("--waves-to-cycle", a.waves_to_cycle,
                                          "where it ends, with that cycle; left out: with the run")
                              ->needs(waves)
                              ->excludes(to_us);
  CLI::Option* around =
      run->add_option(kAroundMismatch, a.waves_around,
                      "the FST has so many cycles before the first mismatch, and some after it; "
                      "1000. Without a mismatch there is none")
          ->expected(0, 1)
          ->needs(waves);
  for (CLI::Option* window : {from_us, to_us, from_cycle, to_cycle}) around->excludes(window);
  run->add_option("--flit-log", a.flit_log,
                  "write every flit of the RTL's links (.pcapng: for Wireshark)");
  run->add_option("--events", a.events, "write every trace event, as CSV (cosim: the RTL's)");
  run->add_option("--requests", a.requests,
                  "write every request with its times, as CSV (cosim: the RTL's)");
  CLI::Option* timeline = run->add_option(
      "--timeline", a.timeline, "write queues, links, dies and cores over time, for Perfetto");
  run->add_option(
         "--timeline-every", a.timeline_every,
         "of its requests, one in so many; 1: all; left out: the first 10000, then one in 100")
      ->needs(timeline);
  run->add_option("--timeline-from-us", a.timeline_from_us, "where it begins")->needs(timeline);
  run->add_option("--timeline-to-us", a.timeline_to_us, "where it ends; left out: with the run")
      ->needs(timeline);
  run->footer(
      "--flit-log, --events, --requests and --timeline are compressed if their name ends with .gz, "
      ".zst, .xz "
      "or .bz2.");
  CLI::Option* out = run->add_option("--out", a.out, "directory for stats.json and report.html");
  run->add_flag("--no-report", a.no_report, "stats.json alone")->needs(out);
  CLI::Option* quiet = run->add_flag("-q,--quiet", a.quiet, "print nothing but what went wrong");
  run->add_option("--progress-s", a.progress_s,
                  "seconds between lines of progress where standard error is no terminal; 30")
      ->excludes(quiet);
  run->add_flag("-v,--verbose", a.verbose, "say what is done; -vv: and what it was done with")
      ->excludes(quiet);

  run->add_option("--crash-at", a.crash_at,
                  "power is lost after so many events: what is left goes to endpoint.image_out");
  run->add_option("--crash-state", a.crash_state,
                  "which state of that point, by what is in flight; 0, the machine's own")
      ->needs("--crash-at");
  run->add_flag("--recover", a.recover, "go on from what endpoint.image_in has left")
      ->excludes("--crash-at");
  for (const char* option : {"--crash-at", "--recover"}) {
    run->get_option(option)->excludes("--trace");
  }

  CLI::App* crash =
      app.add_subcommand("crash", "lose power at every event of a run, and recover each");
  crash->add_option("scenario", a.scenario, "<workload>-<media>-<configuration> or FILE.yaml")
      ->required();
  crash->add_option("--machine", a.machine, "as of run");
  crash->add_option("--engine", a.engine, "of the run: rtl, model or cosim; left out: model")
      ->check(CLI::IsMember({"rtl", "model", "cosim"}));
  crash->add_option("--set", a.sets, "path.key=value, may be repeated")->take_all();
  crash->add_option("--seed", a.seed, "seed of all random streams, points and states too");
  crash->add_option("--points", a.points, "so many, at random; left out or 0: every one");
  crash->add_option("--states", a.states,
                    "of a point at most, by what is in flight; left out: 256");
  crash->add_option("--point", a.point, "this one alone")->excludes("--points");
  crash->add_flag("--recover", a.recover, "... of the run that goes on from endpoint.image_in");
  crash->add_flag("--invariant-only", a.invariant_only, "look at the memory, do not recover it");

  KeyArguments k;
  CLI::App* list = app.add_subcommand("list", "name workloads, media, configurations and machines");
  CLI::App* explain = app.add_subcommand("explain", "say all about a configuration key");
  add_key_options(*list, *explain, k);

  MediaArguments m;
  add_media_command(*app.add_subcommand("media", "measure a media part: latency and bandwidth"), m);

  SweepArguments w;
  CLI::App* sweep =
      app.add_subcommand("sweep", "run every point of a file, and show what came of it");
  add_sweep_command(*sweep, w);
  SweepJobArguments j;
  CLI::App* job = app.add_subcommand(kSweepJob, "points of a sweep, as a job of a cluster");
  add_sweep_job_command(*job, j);

  ReportArguments r;
  add_report_command(*app.add_subcommand("report", "one page that compares runs"), r);

  FlitArguments f;
  CLI::App* flit = app.add_subcommand("flit", "decode, encode or check 68-byte flits");
  add_flit_command(*flit, f);
  TraceArguments t;
  CLI::App* trace = app.add_subcommand("trace", "look at a trace, convert or cut it");
  add_trace_command(*trace, t);
  std::string shell;
  CLI::App* completion = app.add_subcommand(
      "completion", "print what lets a shell complete command lines: bash, zsh or fish");
  completion->add_option("shell", shell, "source <(cxlgpu completion bash)")
      ->required()
      ->check(CLI::IsMember(kShells));
  app.add_subcommand("help", "print this page");

  const std::string first = argc > 1 ? argv[1] : "";
  if (first == kComplete) return offer(app, words);
  const auto named = [&first](const CLI::App* sub) { return sub->get_name() == first; };
  const std::vector<std::string> commands = {"run",     "crash",      "media",  "list",
                                             "explain", "sweep",      "report", "flit",
                                             "trace",   "completion", "help"};
  if (first.empty()) {
    throw InputError(
        fmt::format("command line: no command; use {}; see --help", fmt::join(commands, ", ")));
  }
  if (first[0] != '-' && app.get_subcommands(named).empty()) {
    throw InputError(fmt::format("command line: '{}' is not a command; {}use {}", first,
                                 did_you_mean(first, commands), fmt::join(commands, ", ")));
  }
  try {
    app.parse(argc, argv);
  } catch (const CLI::Success& e) {
    return app.exit(e);
  } catch (const CLI::ParseError& e) {
    throw InputError(fmt::format("command line: {}; see --help", e.what()));
  }
  if (app.got_subcommand("help")) {
    app.clear();  // else it is the page of `help` itself
    fmt::print("{}", app.help());
    return 0;
  }
  a.around_mismatch = around->count() != 0;
  if (crash->parsed()) {
    a.walk = true;
    return run_command(a, config_dir(configs), words);
  }
  if (run->parsed()) return run_command(a, config_dir(configs), words);
  if (completion->parsed()) {
    fmt::print("{}", completion_script(shell));
    return 0;
  }
  if (list->parsed() && k.keys) return list_keys_command(k, config_dir(configs));
  if (list->parsed()) return list_command(config_dir(configs));
  if (explain->parsed()) return explain_command(k, config_dir(configs));
  if (app.got_subcommand("media")) return media_command(m, config_dir(configs));
  if (sweep->parsed()) return sweep_command(w, config_dir(configs), replay);
  if (job->parsed()) return sweep_job_command(j);
  if (app.got_subcommand("report")) return report_command(r);
  if (app.got_subcommand("trace")) return trace_command(t);
  return flit_command(f);
}

constexpr int kBadInput = 2;

// Text in the buffers of the standard streams may still fail to be written.
int flushed(int status, int error) {
  std::cout.flush();
  if (std::fflush(stdout) != 0 && error == 0) error = errno;
  if (error == 0 && std::ferror(stdout) == 0 && std::cout) return status;
  if (error == EPIPE) {  // the reader has gone: what `head` does to any command
    std::signal(SIGPIPE, SIG_DFL);
    (void)raise(SIGPIPE);
  }
  std::fprintf(stderr, "standard output: cannot be written: %s; write elsewhere\n",
               error != 0 ? std::strerror(error) : "a write failed");
  return kBadInput;
}

int refused(const char* what) {
  std::fputs(one_line(what).c_str(), stderr);
  std::fputc('\n', stderr);
  return kBadInput;
}

}  // namespace

int main(int argc, char** argv) {
  install_signal_handlers();
  int status = 0, write_error = 0;
  try {
    status = command(argc, argv);
  } catch (const std::system_error& e) {
    if (std::ferror(stdout) != 0 || e.code() == std::errc::broken_pipe) {
      write_error = e.code().value();
    } else {
      status = refused(e.what());
    }
  } catch (const std::bad_alloc&) {
    status = refused("memory: there is not enough of it; use a smaller workload, trace or machine");
  } catch (const std::exception& e) {
    status = refused(e.what());
  }
  return flushed(status, write_error);
}
