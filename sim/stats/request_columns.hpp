// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
// The columns of a table with a row a request.
//
// Purpose: the one place that names them, for the command's --requests and for Result.requests() of
//          the Python package.
// Units:   names that end with _ps are picoseconds: two points in time since the run's start,
//          durations from `latency_ps` on. Those of the stages add up to the latency.
// Shapes:  rows in the order of the answers. A stage that a request did not pass took 0.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "sim/stats/request_tracker.hpp"

namespace cxlgpu {

inline constexpr std::array<std::string_view, 4> kLookupNames = {"bypass", "hit", "miss", "merge"};

class RequestColumn {
 public:
  enum class Shape : std::uint8_t {
    Number,
    Flag,   // 0 or 1
    Port,   // -1: none
    Lookup  // place in kLookupNames, of the endpoint's internal DRAM; -1: none
  };

  [[nodiscard]] const std::string& name() const { return name_; }
  [[nodiscard]] Shape shape() const { return shape_; }

 private:
  friend std::vector<RequestColumn> request_columns();
  RequestColumn(std::string name, Shape shape = Shape::Number)
      : name_(std::move(name)), shape_(shape) {}

  std::string name_;
  Shape shape_;
};

inline constexpr std::size_t kStageColumns = 8;  // the first of them
inline constexpr std::size_t kRequestColumns = kStageColumns + kPathStages - 1;

[[nodiscard]] inline std::vector<RequestColumn> request_columns() {
  using Shape = RequestColumn::Shape;
  std::vector<RequestColumn> all = {{"address"},
                                    {"is_write", Shape::Flag},
                                    {"error", Shape::Flag},
                                    {"port", Shape::Port},
                                    {"lookup", Shape::Lookup},
                                    {"submitted_ps"},
                                    {"answered_ps"},
                                    {"latency_ps"}};
  for (std::size_t stage = 1; stage < kPathStages; ++stage) {
    all.push_back({std::string(kStageNames[stage]) + "_ps"});
  }
  return all;
}

// A row: of each column, in their order.
class RequestCells {
 public:
  explicit RequestCells(const RequestRecord& record) {
    constexpr std::uint64_t kNone = ~std::uint64_t{0};
    const Time submitted = record.time(Stage::SysAccept);
    const bool looked_up = record.time(Stage::EpLookup) != Time::never();
    cells_ = {record.addr,
              record.is_write ? 1U : 0U,
              record.error ? 1U : 0U,
              record.routed ? record.port : kNone,
              looked_up ? static_cast<std::uint64_t>(record.lookup) : kNone,
              submitted.ps,
              record.time(Stage::SysRespond).ps,
              record.latency().ps};
    Time before = submitted;
    for (std::size_t stage = 1; stage < kPathStages; ++stage) {
      const Time at = record.at[stage];
      if (at == Time::never()) continue;
      cells_[kStageColumns + stage - 1] = (at - before).ps;
      before = at;
    }
  }
  [[nodiscard]] std::uint64_t number(std::size_t column) const { return cells_[column]; }
  // Of any other shape than Number.
  [[nodiscard]] std::int8_t small(std::size_t column) const {
    return static_cast<std::int8_t>(cells_[column]);
  }

 private:
  std::array<std::uint64_t, kRequestColumns> cells_{};
};

}  // namespace cxlgpu
