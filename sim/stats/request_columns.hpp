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

// A request, and its time in each stage once for all columns.
class RequestCells {
 public:
  explicit RequestCells(const RequestRecord& record) : record_(record) {
    Time before = record.time(Stage::SysAccept);
    for (std::size_t stage = 1; stage < kPathStages; ++stage) {
      const Time at = record.at[stage];
      if (at == Time::never()) continue;
      in_stage_[stage] = (at - before).ps;
      before = at;
    }
  }

 private:
  friend class RequestColumn;
  const RequestRecord& record_;
  std::array<std::uint64_t, kPathStages> in_stage_{};  // ps
};

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
  [[nodiscard]] std::uint64_t number(const RequestCells& cells) const;
  // Of any other shape than Number.
  [[nodiscard]] std::int8_t small(const RequestCells& cells) const {
    return static_cast<std::int8_t>(number(cells));
  }

 private:
  enum class What : std::uint8_t {
    Address,
    IsWrite,
    Error,
    Port,
    Lookup,
    Submitted,
    Answered,
    Latency,
    InStage
  };
  friend std::vector<RequestColumn> request_columns();
  RequestColumn(std::string name, What what, Shape shape = Shape::Number, std::size_t stage = 0)
      : name_(std::move(name)), what_(what), shape_(shape), stage_(stage) {}

  std::string name_;
  What what_;
  Shape shape_;
  std::size_t stage_;
};

[[nodiscard]] inline std::vector<RequestColumn> request_columns() {
  using What = RequestColumn::What;
  using Shape = RequestColumn::Shape;
  std::vector<RequestColumn> all = {{"address", What::Address},
                                    {"is_write", What::IsWrite, Shape::Flag},
                                    {"error", What::Error, Shape::Flag},
                                    {"port", What::Port, Shape::Port},
                                    {"lookup", What::Lookup, Shape::Lookup},
                                    {"submitted_ps", What::Submitted},
                                    {"answered_ps", What::Answered},
                                    {"latency_ps", What::Latency}};
  for (std::size_t stage = 1; stage < kPathStages; ++stage) {
    all.push_back({std::string(kStageNames[stage]) + "_ps", What::InStage, Shape::Number, stage});
  }
  return all;
}

inline std::uint64_t RequestColumn::number(const RequestCells& cells) const {
  const RequestRecord& record = cells.record_;
  constexpr std::uint64_t kNone = ~std::uint64_t{0};
  switch (what_) {
    case What::Address:
      return record.addr;
    case What::IsWrite:
      return record.is_write ? 1 : 0;
    case What::Error:
      return record.error ? 1 : 0;
    case What::Port:
      return record.routed ? record.port : kNone;
    case What::Lookup:
      return record.time(Stage::EpLookup) != Time::never()
                 ? static_cast<std::uint64_t>(record.lookup)
                 : kNone;
    case What::Submitted:
      return record.time(Stage::SysAccept).ps;
    case What::Answered:
      return record.time(Stage::SysRespond).ps;
    case What::Latency:
      return record.latency().ps;
    case What::InStage:
      return cells.in_stage_[stage_];
  }
  return 0;
}

}  // namespace cxlgpu
