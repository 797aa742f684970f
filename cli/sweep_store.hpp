// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
// The results of a sweep, in one SQLite file.
//
// Purpose: tables for whoever reads it with sqlite3 or pandas:
//            sweep     name, value: of the sweep as a whole, its file's text among them
//            points    a row a point: number, arguments, status, exit, seconds, command, log,
//            message settings  a row a point and key that differs: as written, and as a number
//            figures   path and unit of every figure of stats.json
//            numbers   point, figure, value
//          and the views `results` (point, path, value, unit) and `wide` (a column a setting, and
//          the objective).
// Rules:   a point and its figures are one transaction. Whatever comes from outside is bound, never
//          part of a statement; names of columns in `wide` are quoted.
// Errors:  InputError of one line.
#pragma once

#include <filesystem>
#include <memory>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <vector>

#include "cli/sweep_plan.hpp"
#include "cli/sweep_point.hpp"

struct sqlite3;

namespace cxlgpu {

// missing: not run yet. wrong: a mismatch or wrong data. limit: run.limit_us was reached. failed:
// no results at all.
inline const std::vector<std::string> kPointStatus = {"missing", "clean", "limit", "wrong",
                                                      "failed"};

struct StoredPoint {
  std::string id, status, message, command;
  bool report = false;
  double seconds = 0;
};

struct StoredFigure {
  std::string path, unit;
  std::vector<std::optional<double>> values;  // by point
};

class SweepStore {
 public:
  // Makes the file if there is none.
  explicit SweepStore(std::filesystem::path file);

  // The points of the plan, in its order; those it has no more keep their rows without a number.
  void begin(const SweepPlan& plan, const std::string& command);
  // Whether a point has ended, however.
  [[nodiscard]] std::string status(const std::string& id) const;
  void forget(const std::string& id);
  // What a run left in its folder.
  std::string record(const std::string& id, const PointFolder& folder, const PointExit& exit);

  // Of the plan, in its order.
  [[nodiscard]] std::vector<StoredPoint> points() const;
  // Those that any point of the plan has.
  [[nodiscard]] std::vector<StoredFigure> figures() const;

 private:
  class Statement;
  class Transaction;
  struct Close {
    void operator()(sqlite3* database) const;
  };
  void run(const std::string& sql);
  [[noreturn]] void fail() const;
  void make_tables();
  void make_wide(const SweepPlan& plan);

  std::filesystem::path file_;
  std::unique_ptr<sqlite3, Close> database_;
};

}  // namespace cxlgpu
