// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
#include "cli/sweep_command.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <chrono>
#include <cmath>
#include <fstream>
#include <map>
#include <thread>

#include "cli/interrupt.hpp"
#include "cli/progress.hpp"
#include "cli/shell_word.hpp"
#include "cli/sweep_cluster.hpp"
#include "cli/sweep_local.hpp"
#include "cli/sweep_plan.hpp"
#include "cli/sweep_store.hpp"
#include "cli/sweep_tables.hpp"
#include "cli/write_file.hpp"
#include "common/input_error.hpp"
#include "common/nearest.hpp"
#include "sim/config/key_range.hpp"

namespace cxlgpu {

namespace {

constexpr std::uint64_t kMostJobs = 4096;

// One sweep in a folder at a time; the lock goes with the process, however that ends.
class FolderLock {
 public:
  explicit FolderLock(const std::filesystem::path& folder)
      : file_(open((folder / "lock").c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0666)) {
    if (file_ < 0) {
      throw InputError(fmt::format("{}: cannot be written; choose another --out", folder.string()));
    }
    if (flock(file_, LOCK_EX | LOCK_NB) != 0) {
      throw InputError(fmt::format(
          "{}: another sweep runs in it; wait for it, or choose another --out", folder.string()));
    }
  }
  ~FolderLock() { close(file_); }
  FolderLock(const FolderLock&) = delete;
  FolderLock& operator=(const FolderLock&) = delete;

 private:
  int file_;
};

// "12 of 200 points, 1 not clean, 40 s left", drawn again on a terminal.
class PointsProgress {
 public:
  PointsProgress(bool quiet, std::size_t all)
      : where_(quiet ? Progress::Where::Nowhere : Progress::standard_error()), all_(all) {}
  ~PointsProgress() {
    if (drawn_) fmt::print(stderr, "\r\033[K");
  }
  PointsProgress(const PointsProgress&) = delete;
  PointsProgress& operator=(const PointsProgress&) = delete;

  void ended(bool clean) {
    ++done_;
    not_clean_ += clean ? 0 : 1;
    const auto now = Progress::Clock::now();
    const bool terminal = where_ == Progress::Where::Terminal;
    if (where_ == Progress::Where::Nowhere ||
        now - said_ < std::chrono::seconds(terminal ? 0 : 30)) {
      return;
    }
    said_ = now;
    const std::chrono::duration<double> taken = now - start_;
    const double left =
        taken.count() * static_cast<double>(all_ - done_) / static_cast<double>(done_);
    const std::string text = fmt::format(
        "{} of {} points{}, {:.0f} s left", done_, all_,
        not_clean_ == 0 ? "" : fmt::format(", {} not clean", not_clean_), std::ceil(left));
    fmt::print(stderr, "{}{}{}", terminal ? "\r\033[K" : "progress: ", text, terminal ? "" : "\n");
    drawn_ = terminal;
  }

 private:
  Progress::Where where_;
  std::size_t all_, done_ = 0, not_clean_ = 0;
  Progress::Clock::time_point start_ = Progress::Clock::now(), said_ = start_;
  bool drawn_ = false;
};

class Sweep {
 public:
  Sweep(const SweepArguments& arguments, const std::filesystem::path& configs,
        const std::string& replay);
  int run();

 private:
  int dry_run() const;
  void plan_runs();
  void prepare();
  int run_missing();
  void collect();
  void write_pages();
  void say(int stopped) const;
  void say_best() const;
  [[nodiscard]] const StoredFigure* objective() const;

  const SweepArguments& arguments_;
  std::filesystem::path configs_;
  std::string replay_;
  ClusterOptions cluster_;
  SweepPlan plan_;
  std::filesystem::path folder_;
  std::optional<SweepStore> store_;
  std::map<std::string, const SweepPoint*> by_id_;
  std::vector<std::string> missing_;
  std::size_t reused_ = 0, without_end_ = 0;
  std::vector<StoredPoint> points_;
  std::vector<StoredFigure> figures_;
};

Sweep::Sweep(const SweepArguments& arguments, const std::filesystem::path& configs,
             const std::string& replay)
    : arguments_(arguments), configs_(configs), replay_(replay), folder_(arguments.out) {
  const auto number = [](const std::string& text, const char* option, std::uint64_t otherwise) {
    return static_cast<unsigned>(
        text.empty() ? otherwise : parse_range(text, "command line", option, 1, kMostJobs));
  };
  cluster_.jobs =
      number(arguments.jobs, "--jobs", std::max(1U, std::thread::hardware_concurrency()));
  cluster_.per_job = number(arguments.per_job, "--per-job", 1);
  cluster_.slurm = !arguments.cluster.empty();
  cluster_.sbatch = arguments.sbatch;
  cluster_.quiet = arguments.quiet;
  plan_ = read_sweep(arguments.file, configs);
  for (const SweepPoint& point : plan_.points) by_id_[point.id] = &point;
}

int Sweep::dry_run() const {
  for (const SweepPoint& point : plan_.points) {
    std::vector<std::string> words = {"cxlgpu", "run"};
    for (const std::string& word : run_words(point)) words.push_back(word);
    fmt::print("{}\n", shell_command(words));
  }
  return 0;
}

// What is there, and what is to be run.
void Sweep::plan_runs() {
  store_->begin(plan_, replay_);
  for (const SweepPoint& point : plan_.points) {
    std::string status = store_->status(point.id);
    const PointFolder folder(folder_, point.id);
    if (status == "missing") {
      if (const auto exit = folder.exit(); exit && exit->version == sweep_version()) {
        status = store_->record(point.id, folder, *exit);  // a job ended after its sweep
      }
    }
    const bool again = arguments_.retry_failed && status != "clean" && status != "missing";
    if (again) store_->forget(point.id);
    if (again || status == "missing") {
      missing_.push_back(point.id);
    } else {
      ++reused_;
    }
  }
}

void Sweep::prepare() {
  for (const std::string& id : missing_) {
    std::vector<std::string> words = run_words(*by_id_.at(id));
    if (arguments_.no_reports) words.emplace_back("--no-report");
    PointFolder(folder_, id).prepare(configs_, words);
  }
}

int Sweep::run_missing() {
  if (missing_.empty()) return 0;
  prepare();
  if (cluster_.slurm || arguments_.snakemake) {
    const int stopped = run_cluster(folder_, missing_, cluster_);
    collect();
    return stopped;
  }
  PointsProgress progress(arguments_.quiet, missing_.size());
  std::vector<PointFolder> folders;
  for (const std::string& id : missing_) folders.emplace_back(folder_, id);
  const int stopped =
      run_points(folders, cluster_.jobs, [&](const PointFolder& folder, const PointExit& exit) {
        progress.ended(store_->record(folder.path().filename().string(), folder, exit) == "clean");
      });
  if (stopped != 0) collect();
  return stopped;
}

// What jobs have left. A folder without an end is of no use.
void Sweep::collect() {
  for (const std::string& id : missing_) {
    if (store_->status(id) != "missing") continue;
    const PointFolder folder(folder_, id);
    if (const auto exit = folder.exit()) {
      store_->record(id, folder, *exit);
    } else {
      folder.remove();
      ++without_end_;
    }
  }
}

const StoredFigure* Sweep::objective() const {
  const auto found =
      std::find_if(figures_.begin(), figures_.end(),
                   [this](const StoredFigure& one) { return one.path == plan_.objective; });
  return found == figures_.end() ? nullptr : &*found;
}

void Sweep::write_pages() {
  points_ = store_->points();
  figures_ = store_->figures();
  std::vector<std::pair<std::filesystem::path, std::string>> files = {
      {folder_ / "sweep.html", sweep_page(plan_, points_, figures_, replay_)}};
  if (!arguments_.csv.empty()) {
    files.emplace_back(arguments_.csv, sweep_csv(plan_, points_, figures_));
  }
  write_files(files);
}

void Sweep::say_best() const {
  const StoredFigure* figure = objective();
  if (figure == nullptr) {
    std::vector<std::string> names;
    for (const StoredFigure& one : figures_) names.push_back(one.path);
    if (names.empty()) return;
    fmt::print(
        stderr, "{}\n",
        one_line(fmt::format("{}: objective '{}': no point has this figure; {}sweep.sqlite "
                             "has the names",
                             plan_.file, plan_.objective, did_you_mean(plan_.objective, names))));
    return;
  }
  std::optional<std::size_t> best;
  for (std::size_t i = 0; i < points_.size(); ++i) {
    if (points_[i].status != "clean" || !figure->values[i]) continue;
    if (!best || (plan_.higher_is_better ? *figure->values[i] > *figure->values[*best]
                                         : *figure->values[i] < *figure->values[*best])) {
      best = i;
    }
  }
  if (!best) return;
  fmt::print("best: {} {} {}: {}\n", figure->path, *figure->values[*best], figure->unit,
             one_line(point_text(plan_, plan_.points[*best])));
}

void Sweep::say(int stopped) const {
  std::map<std::string, std::size_t> of;
  for (const StoredPoint& point : points_) ++of[point.status];
  if (!arguments_.quiet) {
    std::vector<std::string> parts;
    for (const std::string& status : kPointStatus) {
      if (of[status] != 0) parts.push_back(fmt::format("{} {}", of[status], status));
    }
    fmt::print(
        "{} points: {}{}{}\n", points_.size(), fmt::join(parts, ", "),
        reused_ == 0 ? "" : fmt::format("; {} from before", reused_),
        plan_.drawn_again == 0 ? "" : fmt::format("; {} draws were another's", plan_.drawn_again));
    say_best();
    fmt::print("{}\n", (folder_ / "sweep.html").string());
  }
  for (const StoredPoint& point : points_) {
    if (point.status == "clean" || point.status == "missing") continue;
    const auto others = points_.size() - of["clean"] - of["missing"] - 1;
    fmt::print(stderr, "{}\n",
               one_line(fmt::format(
                   "point {} is {}: {}; its log: {}{}", &point - points_.data() + 1, point.status,
                   point.message, (folder_ / "points" / point.id / "log").string(),
                   others == 0 ? "" : fmt::format("; {} more are not clean", others))));
    break;
  }
  if (without_end_ != 0 && stopped == 0) {
    fmt::print(stderr, "{} points have no result: their jobs did not end; see {} and start again\n",
               without_end_, (folder_ / "cluster" / "snakemake.log").string());
  }
}

int Sweep::run() {
  if (arguments_.dry_run) return dry_run();
  const bool cluster = cluster_.slurm || arguments_.snakemake;
  for (const std::string& path : {folder_.string(), std::filesystem::current_path().string()}) {
    if (!is_utf8(path)) throw InputError(path + ": is no UTF-8; choose another folder");
  }
  if (cluster) check_cluster(folder_, cluster_);
  const ResultFolder made(arguments_.out);
  const FolderLock lock(folder_);
  store_.emplace(folder_ / "sweep.sqlite");
  plan_runs();
  if (!arguments_.quiet) {
    fmt::print(stderr, "{} points, {} to be run\n", plan_.points.size(), missing_.size());
  }
  const int stopped = run_missing();
  write_pages();
  say(stopped);
  if (stopped != 0) return 128 + stopped;
  const auto clean = [](const StoredPoint& point) { return point.status == "clean"; };
  return std::all_of(points_.begin(), points_.end(), clean) ? 0 : 1;
}

}  // namespace

void add_sweep_command(CLI::App& command, SweepArguments& a) {
  command.add_option("file", a.file, "FILE.yaml: scenario, set, and one of grid, list, random")
      ->required();
  CLI::Option* out =
      command.add_option("--out", a.out, "folder for sweep.sqlite, sweep.html and the points");
  CLI::Option* dry = command.add_flag("--dry-run", a.dry_run, "print the command of every point");
  out->excludes(dry);
  command.add_option("--jobs", a.jobs, "points at a time; left out: one a core");
  command.add_flag("--retry-failed", a.retry_failed, "run those again that are not clean");
  command.add_flag("--no-reports", a.no_reports, "leave no report.html of a point");
  command.add_option("--csv", a.csv, "write the table of all points and figures too")->needs(out);
  CLI::Option* snakemake =
      command.add_flag("--snakemake", a.snakemake, "by Snakemake, on this machine")->needs(out);
  CLI::Option* cluster =
      command.add_option("--cluster", a.cluster, "by Snakemake, on a cluster: slurm")
          ->check(CLI::IsMember({"slurm"}))
          ->needs(out)
          ->excludes(snakemake);
  command
      .add_option("--sbatch", a.sbatch, "option of sbatch, --sbatch=--partition=short; repeat it")
      ->needs(cluster);
  command.add_option("--per-job", a.per_job, "points in a job of --snakemake and --cluster; 1");
  command.add_flag("-q,--quiet", a.quiet, "print nothing but what went wrong");
}

int sweep_command(const SweepArguments& arguments, const std::filesystem::path& configs,
                  const std::string& replay) {
  if (arguments.out.empty() && !arguments.dry_run) {
    throw InputError("command line: sweep leaves its results in a folder; give --out DIR");
  }
  return Sweep(arguments, configs, replay).run();
}

void add_sweep_job_command(CLI::App& command, SweepJobArguments& arguments) {
  command.group("");  // in no --help: nobody types it
  command.add_option("sweep", arguments.sweep, "folder of the sweep")->required();
  command.add_option("list", arguments.list, "file of points, one a line")->required();
}

int sweep_job_command(const SweepJobArguments& arguments) {
  std::ifstream in(arguments.list);
  std::vector<PointFolder> folders;
  for (std::string id; std::getline(in, id);) folders.emplace_back(arguments.sweep, id);
  if (folders.empty()) {
    throw InputError(fmt::format("{}: names no point; start `cxlgpu sweep` again", arguments.list));
  }
  std::erase_if(folders, [](const PointFolder& folder) { return folder.exit().has_value(); });
  const int stopped = run_points(folders, 1, [](const PointFolder&, const PointExit&) {});
  return stopped == 0 ? 0 : 128 + stopped;
}

}  // namespace cxlgpu
