// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
// Points of a sweep by Snakemake: on the cores of this machine, or as jobs of a Slurm cluster.
//
// Purpose: writes DIR/cluster (Snakefile, config.json, a list of points for each job, what asks
//          Slurm for the state of a job) and runs snakemake on it. A job is `cxlgpu sweep-job`,
//          which leaves in the points' folders what a local run leaves.
// Rules:   nothing of a point is in a Snakefile, a script or a command of a shell: a job reads
//          command.json. Snakemake puts the name of DIR into scripts, so that one with other signs
//          than letters, digits and _@%+=:,./- is refused.
// Needs:   snakemake 7 and, for Slurm, sbatch, scontrol and scancel on PATH; DIR, this program and
//          the input files at the same paths on all nodes.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "cli/sweep_point.hpp"

namespace cxlgpu {

struct ClusterOptions {
  bool slurm = false;               // else Snakemake alone
  std::vector<std::string> sbatch;  // more options of it
  unsigned jobs = 1;                // at a time
  unsigned per_job = 1;             // points
  bool quiet = false;
};

// Errors: InputError if DIR or a tool is not as needed.
void check_cluster(const std::filesystem::path& sweep, const ClusterOptions& options);

// Prepared folders. The signal that stopped it, 0: snakemake ended by itself; what has no exit.json
// then had no job that ended.
int run_cluster(const std::filesystem::path& sweep, const std::vector<std::string>& ids,
                const ClusterOptions& options);

}  // namespace cxlgpu
