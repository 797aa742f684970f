// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
// The event log: every trace event of a run, one CSV row each.
//
// Purpose: a run can be gone over again from what its trace ports said, by scripts that know
//          nothing else of the engine.
// Units:   `time_ps` picoseconds since the run's start; `addr` bytes, hexadecimal.
// Shapes:  header `time_ps,stage,port,id,addr,info`; stages, ids and info as in
//          common/trace_event.hpp. Rows come as the engine raises them: in the order of
//          time for one request, not always among all (wire stages are told late).
//          Compressed as the name ends (flits/compressed_file.hpp).
// Errors:  flits::OutputError when the place cannot be written, at once. Only close() gives the
//          file its name.
#pragma once

#include <algorithm>
#include <array>
#include <optional>
#include <string>
#include <vector>

#include "cli/row_file.hpp"
#include "common/trace_event.hpp"

namespace cxlgpu {

class EventLog final : public TraceSink {
 public:
  EventLog();
  // Before the first event: the sink that is told after this.
  void hand_to(TraceSink& next) { next_ = &next; }
  // Likewise: where the rows go.
  void open(const std::string& path);

  void on_event(const TraceEvent& event) override;
  void close() { file_->close(); }

 private:
  // What rows have in common is made once and then copied. A request has 13 rows: of most the
  // address is the system's, of some the device's, and of the last there is none.
  enum class Addressed : std::uint8_t { BySystem, ByDevice, Answer, Unmade };
  static constexpr std::size_t kAddressed = 4;
  struct alignas(32) Cells {  // ",id,address,"
    static constexpr std::size_t kMost = 1 + 10 + 1 + 2 + 16 + 1;
    std::array<char, 32> text{};
    std::uint64_t addr = 0;
    std::uint64_t id = kNone;
    std::uint8_t size = 0, before_digits = 0;

    void set(std::uint64_t address);
  };
  struct StageCells {  // "stage,port"
    static constexpr std::size_t kMost = 16;
    std::array<char, kMost> text{};
    std::uint8_t size = 0;
    Addressed addressed = Addressed::Unmade;  // of no id
  };
  static constexpr std::uint64_t kNone = ~std::uint64_t{0};
  // Requests of more ids than this share places, whose rows are slower.
  static constexpr std::size_t kIds = 1024;
  static constexpr std::size_t kPorts = 256, kStages = 32;
  static constexpr std::uint64_t kNever = std::uint64_t{1} << 63;
  static constexpr std::uint64_t kMicrosecond = 1'000'000, kThousand = 1000;
  static_assert(static_cast<std::size_t>(Stage::Count) <= kStages);
  static_assert(Cells::kMost <= sizeof(Cells::text));
  static_assert(std::ranges::all_of(kStageNames, [](std::string_view name) {
    return name.size() + std::string_view(",255").size() <= StageCells::kMost;
  }));

  [[nodiscard]] StageCells& of_stage(const TraceEvent& event) {
    return stages_[event.port * kStages + static_cast<std::size_t>(event.stage)];
  }
  [[nodiscard]] Cells& of_id(const TraceEvent& event, Addressed addressed) {
    return cells_[event.id % kIds * kAddressed + static_cast<std::size_t>(addressed)];
  }
  void write_whole(const TraceEvent& event);
  void begin_microsecond(std::uint64_t ps);
  static void make_stage(const TraceEvent& event, StageCells& stage);
  static void make_id(const TraceEvent& event, Cells& cells);
  void flush(const TraceEvent& event);

  TraceSink* next_ = nullptr;
  std::optional<RowFile> file_;
  std::vector<StageCells> stages_;  // by port, then stage
  std::vector<Cells> cells_;        // by id, then kind of address
  // That of the last event, but the first of a run is none, and what times in it begin with.
  std::uint64_t microsecond_ = kNever;
  std::array<char, 16> begin_{};
  std::uint8_t begin_size_ = 0;
};

}  // namespace cxlgpu
