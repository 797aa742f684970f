// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
// cxlgpu sweep: every point of a file, and what came of it.
//
// Purpose: runs the points that DIR has not yet, here or on a cluster, and leaves DIR/sweep.sqlite
//          and DIR/sweep.html. Started again it goes on.
// Errors:  InputError of one line, before anything is run.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace CLI {
class App;
}

namespace cxlgpu {

struct SweepArguments {
  std::string file, out, csv, jobs, cluster, per_job;
  std::vector<std::string> sbatch;
  bool retry_failed = false, no_reports = false, snakemake = false, dry_run = false, quiet = false;
};

void add_sweep_command(CLI::App& command, SweepArguments& arguments);
// Exit status: 0 every point is clean, 1 some are not, 128 + signal after one that stopped it.
int sweep_command(const SweepArguments& arguments, const std::filesystem::path& configs,
                  const std::string& replay);

// What a job of a cluster is: points of a sweep that has prepared their folders.
inline constexpr const char* kSweepJob = "sweep-job";
struct SweepJobArguments {
  std::string sweep, list;
};
void add_sweep_job_command(CLI::App& command, SweepJobArguments& arguments);
int sweep_job_command(const SweepJobArguments& arguments);

}  // namespace cxlgpu
