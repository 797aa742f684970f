// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
#include "cli/sweep_cluster.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <ctime>
#include <nlohmann/json.hpp>

#include "cli/interrupt.hpp"
#include "cli/shell_word.hpp"
#include "cli/write_file.hpp"
#include "common/input_error.hpp"

namespace cxlgpu {

namespace {

constexpr const char* kSnakefile = R"(# Made by `cxlgpu sweep`, anew each time.
configfile: "cluster/config.json"


rule all:
    input: expand("cluster/done/{job}", job=config["jobs"])


rule points:
    output: touch("cluster/done/{job}")
    params: cxlgpu=config["cxlgpu"], verb=config["verb"]
    shell: "{params.cxlgpu:q} {params.verb} . cluster/jobs/{wildcards.job}"
)";

// A job that Slurm ended has left no mark: Snakemake would wait for it forever.
constexpr const char* kStatus = R"(#!/bin/sh
# Snakemake asks: running, success or failed? A job that Slurm has forgotten has left its mark, or has failed.
state=$(scontrol show job -o "$1" 2>/dev/null | sed -n 's/.*JobState=\([A-Z_]*\).*/\1/p')
[ -n "$state" ] || state=$(sacct -n -X -j "$1" -o state 2>/dev/null | head -n 1 | tr -d ' +')
case $state in
  COMPLETED) echo success ;;
  PENDING | CONFIGURING | RUNNING | SUSPENDED | COMPLETING | REQUEUED | RESIZING | STAGE_OUT | STOPPED) echo running ;;
  '') if scontrol ping >/dev/null 2>&1; then echo failed; else echo running; fi ;;
  *) echo failed ;;
esac
)";

bool is_plain(const std::string& text) {
  return shell_word(text) == text;
}

bool on_path(const std::string& program) {
  const char* path = std::getenv("PATH");
  std::string folders = path == nullptr ? "" : path;
  for (std::size_t from = 0; from <= folders.size();) {
    const std::size_t end = std::min(folders.find(':', from), folders.size());
    const std::string file = folders.substr(from, end - from) + "/" + program;
    if (access(file.c_str(), X_OK) == 0) return true;
    from = end + 1;
  }
  return false;
}

// Snakemake in DIR, with its words in cluster/snakemake.log. The signal that stopped it, or 0.
int run_snakemake(const std::filesystem::path& sweep, const std::vector<std::string>& words) {
  std::vector<std::string> all = words;
  std::vector<char*> argv;
  for (std::string& word : all) argv.push_back(word.data());
  argv.push_back(nullptr);
  const std::string log = (sweep / "cluster" / "snakemake.log").string();
  const Interruptible stoppable;
  const pid_t pid = fork();
  if (pid == 0) {
    (void)setpgid(0, 0);  // Ctrl-C comes by us, once
    (void)prctl(PR_SET_PDEATHSIG, SIGINT);
    std::signal(SIGINT, SIG_DFL);  // Python takes it only then
    std::signal(SIGPIPE, SIG_DFL);
    const int out = open(log.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
    const int in = open("/dev/null", O_RDONLY | O_CLOEXEC);
    if (out >= 0 && in >= 0 && chdir(sweep.c_str()) == 0 && dup2(in, 0) == 0 && dup2(out, 1) == 1 &&
        dup2(out, 2) == 2) {
      execvp(argv[0], argv.data());
    }
    _exit(127);
  }
  if (pid < 0) throw InputError("snakemake: no process can be made; end others first");
  int status = 0, told = 0;
  while (waitpid(pid, &status, WNOHANG) == 0) {
    const int stop = interrupt_signal();
    if (stop != 0 && told++ % 50 == 0) (void)kill(pid, SIGINT);  // it cancels its jobs
    const timespec some = {0, 100'000'000};
    nanosleep(&some, nullptr);
  }
  return interrupt_signal();
}

}  // namespace

void check_cluster(const std::filesystem::path& sweep, const ClusterOptions& options) {
  const std::string whole =
      std::filesystem::weakly_canonical(std::filesystem::absolute(sweep)).string();
  if (!is_plain(whole)) {
    throw InputError(
        fmt::format("{}: Snakemake takes a folder of letters, digits and _@%+=:,./- alone; choose "
                    "another --out",
                    whole));
  }
  for (const std::string& option : options.sbatch) {
    if (is_plain(option) && option.starts_with('-')) continue;
    throw InputError(
        fmt::format("command line: --sbatch: '{}' is no option in one word; write e.g. "
                    "--sbatch=--partition=short",
                    option));
  }
  std::vector<std::string> tools = {"snakemake"};
  if (options.slurm) tools.insert(tools.end(), {"sbatch", "scontrol", "scancel"});
  for (const std::string& tool : tools) {
    if (on_path(tool)) continue;
    throw InputError(
        fmt::format("{}: is not on PATH; install {}, or leave --snakemake and "
                    "--cluster out",
                    tool, tool == "snakemake" ? "snakemake" : "Slurm"));
  }
}

int run_cluster(const std::filesystem::path& sweep, const std::vector<std::string>& ids,
                const ClusterOptions& options) {
  namespace fs = std::filesystem;
  const fs::path folder = sweep / "cluster";
  std::error_code error;
  fs::remove_all(folder, error);
  for (const char* part : {"jobs", "done", "log"}) fs::create_directories(folder / part, error);
  std::vector<std::string> jobs;
  for (std::size_t from = 0; from < ids.size(); from += options.per_job) {
    const std::size_t end = std::min<std::size_t>(from + options.per_job, ids.size());
    jobs.push_back(fmt::format("{}", jobs.size() + 1));
    write_file(
        folder / "jobs" / jobs.back(),
        fmt::format("{}\n", fmt::join(ids.begin() + static_cast<std::ptrdiff_t>(from),
                                      ids.begin() + static_cast<std::ptrdiff_t>(end), "\n")));
  }
  const nlohmann::json config = {{"cxlgpu", fs::read_symlink("/proc/self/exe").string()},
                                 {"verb", "sweep-job"},
                                 {"jobs", jobs}};
  write_file(folder / "config.json", json_text(config, 1) + "\n");
  write_file(folder / "Snakefile", kSnakefile);
  write_file(folder / "status.sh", kStatus);
  (void)chmod((folder / "status.sh").c_str(), 0755);
  std::vector<std::string> words = {"snakemake",         "--snakefile",
                                    "cluster/Snakefile", "--nolock",
                                    "--keep-going",      "--rerun-incomplete",
                                    "--cores",           std::to_string(options.jobs),
                                    "--latency-wait",    "30"};
  if (options.slurm) {
    std::vector<std::string> sbatch = {"sbatch", "--parsable", "--job-name=cxlgpu-sweep",
                                       "--output=cluster/log/%j"};
    sbatch.insert(sbatch.end(), options.sbatch.begin(), options.sbatch.end());
    const std::string status = (fs::canonical(folder) / "status.sh").string();
    words.insert(words.end(), {"--jobs", std::to_string(options.jobs), "--cluster",
                               fmt::format("{}", fmt::join(sbatch, " ")), "--cluster-status",
                               status, "--cluster-cancel", "scancel"});
  }
  write_file(folder / "command", shell_command(words) + "\n");
  return run_snakemake(sweep, words);
}

}  // namespace cxlgpu
