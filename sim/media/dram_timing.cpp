// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
#include "sim/media/dram_timing.hpp"

#include <algorithm>
#include <bit>

#include "common/request.hpp"
#include "sim/media/bus_time.hpp"

namespace cxlgpu {

namespace {

void raise(Time& to, Time at) {
  to = std::max(to, at);
}

// a - b, not below zero.
Time minus(Time a, Time b) {
  return a > b ? a - b : Time{0};
}

std::uint32_t sets_of(const DramConfig& config) {
  switch (config.refresh) {
    case DramRefresh::AllBank:
      break;
    case DramRefresh::SameBank:
      return config.banks_per_group;
    case DramRefresh::PerBank:
      return config.banks_per_group * config.bank_groups;
  }
  return 1;
}

}  // namespace

DramTiming::DramTiming(const DramConfig& config)
    : config_(config),
      burst_(bus_time(config.burst_bytes(), config.sub_channel_bits, config.data_rate_mtps)),
      column_gap_(std::max(config.tCCD_S, burst_)),
      refresh_interval_(config.refresh == DramRefresh::AllBank ? config.tREFI : config.tREFIsb),
      refresh_time_(config.refresh == DramRefresh::AllBank ? config.tRFC : config.tRFCsb),
      refresh_sets_(sets_of(config)),
      group_shift_(static_cast<unsigned>(std::countr_zero(config.banks_per_group))),
      rank_shift_(group_shift_ + static_cast<unsigned>(std::countr_zero(config.bank_groups))),
      banks_per_rank_(std::uint32_t{1} << rank_shift_),
      banks_(std::size_t{config.ranks} * banks_per_rank_),
      ranks_(config.ranks),
      group_ready_(std::size_t{config.ranks} * config.bank_groups * kCommands),
      rank_ready_(std::size_t{config.ranks} * kCommands) {
  after_read_ = gaps_after(true);
  after_write_ = gaps_after(false);
  for (std::uint32_t r = 0; r < config.ranks; ++r) {
    ranks_[r].refresh_due =
        Time{refresh_interval_.ps * (r + 1) / config.ranks};  // ranks take turns
  }
}

// Data of another rank or direction starts a turnaround after this burst; of the same, behind it.
DramTiming::ColumnGaps DramTiming::gaps_after(bool read) const {
  const DramConfig& c = config_;
  const Time end = (read ? c.tCL : c.tCWL) + burst_;
  const Time to_read = minus(end + c.turnaround, c.tCL);
  const Time to_write = minus(end + c.turnaround, c.tCWL);
  ColumnGaps gaps;
  gaps.other_rank = {to_read, to_write, to_write};
  if (read) {
    gaps.own_rank = {column_gap_, to_write, to_write};
    gaps.group = {c.tCCD_L, Time{0}, Time{0}};
  } else {
    gaps.own_rank = {std::max(to_read, end + c.tWTR_S), column_gap_, column_gap_};
    gaps.group = {end + c.tWTR_L, c.tCCD_L_WR2, c.tCCD_L_WR};
  }
  return gaps;
}

bool DramTiming::issue(DramCommand command, std::uint32_t bank, std::uint64_t row, Time at,
                       bool auto_precharge) {
  if (at < earliest(command, bank)) return false;
  Bank& b = banks_[bank];
  const Limits limit = limits(command, bank);
  command_bus_[limit.bus] = at + config_.command;
  if (!config_.row_command_bus) command_bus_[1 - limit.bus] = at + config_.command;
  if (command == DramCommand::Precharge) {
    b.row = kClosed;
    raise(b.activate, at + config_.tRP);
    return true;
  }
  if (command != DramCommand::Activate) {
    after_column(command, bank, at);
    if (auto_precharge) {
      b.row = kClosed;
      raise(b.activate, b.precharge + config_.tRP);
    }
    return true;
  }
  Rank& r = ranks_[rank_of(bank)];
  b.row = row;
  b.column = at + config_.tRCD;
  b.precharge = at + config_.tRAS;
  b.activate = at + config_.tRAS + config_.tRP;
  raise(group_ready_[limit.group], at + config_.tRRD_L);
  r.window[r.oldest] = at + config_.tFAW;
  r.oldest = (r.oldest + 1) % r.window.size();
  raise(rank_ready_[limit.rank], std::max(at + config_.tRRD_S, r.window[r.oldest]));
  return true;
}

Time DramTiming::shared_ready_after(DramCommand command, std::uint32_t bank, Time at,
                                    Limits next) const {
  Time ready = shared_ready(next);
  const Limits own = limits(command, bank);
  if (!config_.row_command_bus || own.bus == next.bus) raise(ready, at + config_.command);
  const std::uint32_t kind = next.rank % kCommands;  // of the later command
  const bool same_group = own.group / kCommands == next.group / kCommands;
  const bool same_rank = own.rank / kCommands == next.rank / kCommands;
  const bool column = kind >= kColumn;
  if (command == DramCommand::Activate && kind == static_cast<std::uint32_t>(command)) {
    const Rank& r = ranks_[rank_of(bank)];
    if (same_group) raise(ready, at + config_.tRRD_L);
    if (same_rank) {
      raise(ready, std::max(at + config_.tRRD_S, r.window[(r.oldest + 1) % r.window.size()]));
    }
  } else if (own.rank % kCommands >= kColumn && column) {
    const ColumnGaps& gaps = command == DramCommand::Read ? after_read_ : after_write_;
    if (same_group) raise(ready, at + gaps.group[kind - kColumn]);
    raise(ready, at + (same_rank ? gaps.own_rank : gaps.other_rank)[kind - kColumn]);
  }
  return ready;
}

void DramTiming::after_column(DramCommand command, std::uint32_t bank, Time at) {
  const bool read = command == DramCommand::Read;
  const ColumnGaps& gaps = read ? after_read_ : after_write_;
  raise(banks_[bank].precharge, read ? at + config_.tRTP : data_end(command, at) + config_.tWR);
  const auto hold = [at](std::vector<Time>& ready, std::uint32_t index, const Gaps& by) {
    Time* const of = &ready[index * kCommands + kColumn];
    raise(of[0], at + by[0]);
    raise(of[1], at + by[1]);
    raise(of[2], at + by[2]);
  };
  hold(group_ready_, group_of(bank), gaps.group);
  const std::uint32_t own = rank_of(bank);
  for (std::uint32_t i = 0; i < ranks_.size(); ++i) {
    hold(rank_ready_, i, i == own ? gaps.own_rank : gaps.other_rank);
  }
}

Time DramTiming::refresh(std::uint32_t rank) {
  Rank& r = ranks_[rank];
  const bool whole = config_.refresh == DramRefresh::AllBank;
  const auto others_wait = [&](Time at) {
    raise(rank_ready_[rank * kCommands], at + config_.tREFSBRD);  // Activate is the first command
  };
  if (r.refresh_command <= r.refresh_due) {
    const Time at = r.refresh_command;
    r.refresh_command = Time::never();
    others_wait(at);
    return at;
  }
  // Banks of a set: every one, each `banks_per_group`th, or one.
  const std::uint32_t first = rank * banks_per_rank_ + (whole ? 0 : r.refresh_set);
  const std::uint32_t step = config_.refresh == DramRefresh::SameBank ? config_.banks_per_group : 1;
  const std::uint32_t count = banks_per_rank_ / refresh_sets_;
  Time at = r.refresh_due;
  for (std::uint32_t i = 0; i < count; ++i) {
    const Bank& b = banks_[first + i * step];
    // An activate's tRC runs on; a bank precharged earlier needs its tRP first.
    raise(at, b.activate);
    if (b.row != kClosed) raise(at, std::max(r.refresh_due, b.precharge) + config_.tRP);
  }
  for (std::uint32_t i = 0; i < count; ++i) {
    Bank& b = banks_[first + i * step];
    b.row = kClosed;
    b.activate = at + refresh_time_;
  }
  if (!whole && at > r.refresh_due) {
    r.refresh_command = at;
  } else if (!whole) {
    others_wait(at);
  }
  r.refresh_due += refresh_interval_;
  r.refresh_set = (r.refresh_set + 1) % refresh_sets_;
  return at;
}

void DramTiming::catch_up(std::uint32_t rank, Time now) {
  Rank& r = ranks_[rank];
  // The first round closes the rows; of the others only the last can still be felt.
  const Time round = refresh_interval_ * refresh_sets_, first_round = r.refresh_due + round;
  while (refresh_due(rank) <= now && r.refresh_due < first_round) refresh(rank);
  if (r.refresh_due <= now) {
    r.refresh_due += round * ((now - r.refresh_due).ps / round.ps);
  }
  while (refresh_due(rank) <= now) refresh(rank);
}

}  // namespace cxlgpu
