// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
// A sweep as a person writes it, and the points that it comes to.
//
// Purpose: FILE.yaml has scenario, engine, machine, seed, trace, each one value or a list, `set`
// for
//          keys that are the same in all points, and one of `grid`, `list` and `random`. All of it
//          is checked before anything runs: every value by its key's row, every point as a run
//          would.
// Errors:  InputError of one line: file and line, key, what is wrong, what to do.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace cxlgpu {

inline constexpr std::size_t kMostSweepPoints = 100'000;

// What may differ between points: an argument of a run (scenario, engine, ...) or a key.
struct SweepColumn {
  std::string name, unit;
};

struct SweepPoint {
  std::string id;  // digest of what it runs, and of the command that runs it
  std::string scenario, engine, machine, seed, trace;
  std::map<std::string, std::string> sets;  // by key, as written
  // By SweepPlan::columns: as written, empty if it is left as it is; and as a number in the key's
  // unit, if it is one.
  std::vector<std::string> cells;
  std::vector<std::optional<double>> numbers;
};

struct SweepPlan {
  std::string file, text, title;
  std::string kind;  // grid, list or random; empty: none of them
  std::string objective = "end_to_end";
  bool higher_is_better = false;
  std::vector<SweepColumn> columns;
  std::vector<std::pair<std::string, std::string>> fixed;  // the same in all points
  std::vector<SweepPoint> points;
  std::size_t drawn_again = 0;  // points of `random` that were another one's; not in `points`
};

[[nodiscard]] SweepPlan read_sweep(const std::string& file,
                                   const std::filesystem::path& config_dir);

// The options of `cxlgpu run` that are the point: scenario and after.
[[nodiscard]] std::vector<std::string> run_words(const SweepPoint& point);

// "gpu.cores=4, scenario=..." of what differs between points.
[[nodiscard]] std::string point_text(const SweepPlan& plan, const SweepPoint& point);

}  // namespace cxlgpu
