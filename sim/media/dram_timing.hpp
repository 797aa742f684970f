// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
// Which DRAM command is legal when, for one sub-channel (HBM: pseudo channel).
//
// Purpose: the bank state machines and every timing rule of JESD79-5 that the model knows, apart
//          from any scheduling. earliest() answers, issue() enforces. HBM and GDDR parts have the
//          same rules with other figures.
// Rules:   per bank tRCD tRP tRAS (tRC = tRAS + tRP) tRTP tWR; per bank group tRRD_L tCCD_L
//          tCCD_L_WR(2) tWTR_L; per rank tRRD_S tCCD_S tWTR_S tFAW and refresh; data-bus turnaround
//          between ranks and directions; one command at a time on a command bus, which rows and
//          columns share or not.
// Refresh: of all banks of a rank, of one bank of each bank group in turn (REFsb), or of one bank
//          in turn (HBM REFSB). The precharges before it and the command itself take no bus time.
// Units:   Time in ps; commands may fall on any picosecond (the DRAM clock grid of 357 ps is not
//          modelled: at most one clock of difference).
// Errors:  a command before its time, or to a bank in the wrong state, is refused: issue() is false
//          and nothing changes.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <vector>

#include "common/time.hpp"
#include "sim/media/media_config.hpp"

namespace cxlgpu {

enum class DramCommand : std::uint8_t { Activate, Precharge, Read, Write, MaskedWrite };

class DramTiming {
 public:
  static constexpr std::uint64_t kClosed = ~std::uint64_t{0};

  explicit DramTiming(const DramConfig& config);

  // Banks are numbered (rank, bank group, bank), bank fastest.
  [[nodiscard]] std::uint32_t banks() const { return static_cast<std::uint32_t>(banks_.size()); }
  [[nodiscard]] std::uint32_t rank_of(std::uint32_t bank) const { return bank >> rank_shift_; }
  [[nodiscard]] std::uint64_t open_row(std::uint32_t bank) const { return banks_[bank].row; }

  // Earliest legal time; never() if the bank's state forbids the command (row open or not).
  [[nodiscard]] Time earliest(DramCommand command, std::uint32_t bank) const {
    return std::max(bank_ready(command, bank), shared_ready(limits(command, bank)));
  }
  // The same in two parts, for schedulers that look at many banks: what the bank itself allows
  // changes only with commands to it and refreshes; what its group and rank allow, with every one.
  struct Limits {
    std::uint32_t group = 0, rank = 0, bus = 0;
  };
  [[nodiscard]] Time bank_ready(DramCommand command, std::uint32_t bank) const {
    const Bank& b = banks_[bank];
    if ((b.row == kClosed) != (command == DramCommand::Activate)) return Time::never();
    if (command == DramCommand::Activate) return b.activate;
    return command == DramCommand::Precharge ? b.precharge : b.column;
  }
  [[nodiscard]] Limits limits(DramCommand command, std::uint32_t bank) const {
    const auto c = static_cast<std::uint32_t>(command);
    return {group_of(bank) * kCommands + c, rank_of(bank) * kCommands + c, c < kColumn ? 0u : 1u};
  }
  [[nodiscard]] Time shared_ready(Limits at) const {
    return std::max(std::max(group_ready_[at.group], rank_ready_[at.rank]), command_bus_[at.bus]);
  }
  // No Read is legal before, whatever its bank.
  [[nodiscard]] Time reads_ready() const {
    Time ready = Time::never();
    for (std::size_t r = kColumn; r < rank_ready_.size(); r += kCommands) {
      ready = std::min(ready, rank_ready_[r]);
    }
    return std::max(ready, command_bus_[1]);
  }
  // The same once `command` were issued to `bank` at `at`, which is not before its time.
  [[nodiscard]] Time shared_ready_after(DramCommand command, std::uint32_t bank, Time at,
                                        Limits next) const;
  // `row` is for Activate only, `auto_precharge` (RDA, WRA) for column commands: the row counts as
  // closed at once, the bank opens again when the precharge has run by itself.
  bool issue(DramCommand command, std::uint32_t bank, std::uint64_t row, Time at,
             bool auto_precharge = false);

  // When refresh() is to be called next.
  [[nodiscard]] Time refresh_due(std::uint32_t rank) const {
    return std::min(ranks_[rank].refresh_due, ranks_[rank].refresh_command);
  }
  // Closes every row of the banks to be refreshed as soon as legal at or after the due time and
  // refreshes them; they open again tRFC (tRFCsb) later. Returns the time of the refresh command.
  // After a same-bank refresh the rank's other banks open tREFSBRD later. If its precharges put the
  // command off, others may be opened until then, and the command is a second call at its time.
  Time refresh(std::uint32_t rank);
  // The same for all refreshes due up to `now` of a rank that nobody used: two rounds at most.
  void catch_up(std::uint32_t rank, Time now);

  // Last data beat of a Read or Write issued at `at`.
  [[nodiscard]] Time data_end(DramCommand command, Time at) const {
    return at + (command == DramCommand::Read ? config_.tCL : config_.tCWL) + burst_;
  }
  [[nodiscard]] Time burst() const { return burst_; }

 private:
  struct Bank {
    std::uint64_t row = kClosed;
    Time activate, precharge, column;
  };
  struct Rank {
    std::array<Time, 4> window{};  // when each of the last four activates leaves tFAW
    unsigned oldest = 0;
    Time refresh_due;
    Time refresh_command = Time::never();  // of a same-bank refresh in progress, if still to come
    std::uint32_t refresh_set = 0;         // which banks are next
  };
  static constexpr std::uint32_t kCommands = 5;

  // By how much a column command holds back Read, Write and MaskedWrite of others.
  using Gaps = std::array<Time, 3>;
  struct ColumnGaps {
    Gaps group, own_rank, other_rank;
  };
  static constexpr std::uint32_t kColumn = static_cast<std::uint32_t>(DramCommand::Read);

  [[nodiscard]] std::uint32_t group_of(std::uint32_t bank) const { return bank >> group_shift_; }
  [[nodiscard]] ColumnGaps gaps_after(bool read) const;
  void after_column(DramCommand command, std::uint32_t bank, Time at);

  DramConfig config_;
  Time burst_, column_gap_;
  Time refresh_interval_, refresh_time_;
  std::uint32_t refresh_sets_;         // refreshes until every bank had one
  unsigned group_shift_, rank_shift_;  // both counts are powers of two
  std::uint32_t banks_per_rank_;
  std::vector<Bank> banks_;
  std::vector<Rank> ranks_;
  std::vector<Time> group_ready_, rank_ready_;  // by group or rank, then by command
  std::array<Time, 2> command_bus_{};           // row commands, column commands
  ColumnGaps after_read_, after_write_;
};

}  // namespace cxlgpu
