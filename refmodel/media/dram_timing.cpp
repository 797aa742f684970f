#include "refmodel/media/dram_timing.hpp"

#include <algorithm>

#include "refmodel/common/request.hpp"
#include "refmodel/media/bus_time.hpp"

namespace cxlgpu {

namespace {

void raise(Time& to, Time at) {
  to = std::max(to, at);
}

// a - b, not below zero.
Time minus(Time a, Time b) {
  return a > b ? a - b : Time{0};
}

}  // namespace

DramTiming::DramTiming(const DramConfig& config)
    : config_(config),
      burst_(bus_time(kLineBytes, config.sub_channel_bits, config.data_rate_mtps)),
      column_gap_(std::max(config.tCCD_S, burst_)),
      banks_per_group_(config.banks_per_group),
      banks_per_rank_(config.bank_groups * config.banks_per_group),
      banks_(std::size_t{config.ranks} * banks_per_rank_),
      groups_(std::size_t{config.ranks} * config.bank_groups),
      ranks_(config.ranks) {
  for (std::uint32_t r = 0; r < config.ranks; ++r) {
    ranks_[r].refresh_due = Time{config.tREFI.ps * (r + 1) / config.ranks};  // ranks take turns
  }
}

Time DramTiming::earliest(DramCommand command, std::uint32_t bank) const {
  const Bank& b = banks_[bank];
  const Group& g = groups_[bank / banks_per_group_];
  const Rank& r = ranks_[bank / banks_per_rank_];
  switch (command) {
    case DramCommand::Activate:
      if (b.row != kClosed) return Time::never();
      return std::max({b.activate, g.activate, r.activate, r.window[r.oldest], command_bus_});
    case DramCommand::Precharge:
      return b.row == kClosed ? Time::never() : b.precharge;
    case DramCommand::Read:
      if (b.row == kClosed) return Time::never();
      return std::max({b.column, g.read, r.read, command_bus_});
    case DramCommand::Write:
      if (b.row == kClosed) return Time::never();
      return std::max({b.column, g.write, r.write, command_bus_});
    case DramCommand::MaskedWrite:
      if (b.row == kClosed) return Time::never();
      return std::max({b.column, g.masked_write, r.write, command_bus_});
  }
  return Time::never();
}

bool DramTiming::issue(DramCommand command, std::uint32_t bank, std::uint64_t row, Time at) {
  if (at < earliest(command, bank)) return false;
  Bank& b = banks_[bank];
  if (command == DramCommand::Precharge) {
    b.row = kClosed;
    raise(b.activate, at + config_.tRP);
    return true;
  }
  command_bus_ = at + config_.command;
  if (command == DramCommand::Activate) {
    Rank& r = ranks_[bank / banks_per_rank_];
    b.row = row;
    b.column = at + config_.tRCD;
    b.precharge = at + config_.tRAS;
    b.activate = at + config_.tRAS + config_.tRP;
    raise(groups_[bank / banks_per_group_].activate, at + config_.tRRD_L);
    raise(r.activate, at + config_.tRRD_S);
    r.window[r.oldest] = at + config_.tFAW;
    r.oldest = (r.oldest + 1) % r.window.size();
    return true;
  }
  after_column(command, bank, at);
  return true;
}

void DramTiming::after_column(DramCommand command, std::uint32_t bank, Time at) {
  Bank& b = banks_[bank];
  Group& g = groups_[bank / banks_per_group_];
  const std::uint32_t own = bank / banks_per_rank_;
  const Time end = data_end(command, at);
  // Data of another rank or direction starts no earlier than `free`.
  const Time free = end + config_.turnaround;
  if (command == DramCommand::Read) {
    raise(b.precharge, at + config_.tRTP);
    raise(g.read, at + config_.tCCD_L);
  } else {
    raise(b.precharge, end + config_.tWR);
    raise(g.write, at + config_.tCCD_L_WR2);
    raise(g.masked_write, at + config_.tCCD_L_WR);
    raise(g.read, end + config_.tWTR_L);
  }
  for (std::uint32_t i = 0; i < ranks_.size(); ++i) {
    Rank& r = ranks_[i];
    if (command == DramCommand::Read) {
      raise(r.read, i == own ? at + column_gap_ : minus(free, config_.tCL));
      raise(r.write, minus(free, config_.tCWL));
    } else {
      raise(r.write, i == own ? at + column_gap_ : minus(free, config_.tCWL));
      raise(r.read, i == own ? std::max(end + config_.tWTR_S, minus(free, config_.tCL))
                             : minus(free, config_.tCL));
    }
  }
}

Time DramTiming::refresh(std::uint32_t rank) {
  Rank& r = ranks_[rank];
  const auto first = banks_.begin() + rank * banks_per_rank_;
  const auto last = first + banks_per_rank_;
  Time close = r.refresh_due;
  bool open = false;
  for (auto b = first; b != last; ++b) {
    if (b->row == kClosed) continue;
    open = true;
    raise(close, b->precharge);
  }
  Time at = open ? close + config_.tRP : close;
  for (auto b = first; b != last; ++b) {
    // An activate's tRC runs on; a bank precharged earlier needs its tRP first.
    raise(at, b->activate);
  }
  for (auto b = first; b != last; ++b) {
    b->row = kClosed;
    b->activate = at + config_.tRFC;
  }
  r.refresh_due += config_.tREFI;
  return at;
}

void DramTiming::catch_up(std::uint32_t rank, Time now) {
  Rank& r = ranks_[rank];
  if (r.refresh_due > now) return;
  const std::uint64_t skip = (now - r.refresh_due).ps / config_.tREFI.ps;
  refresh(rank);  // the first closes the rows; of the others only the last can still be felt
  if (skip == 0) return;
  r.refresh_due += config_.tREFI * (skip - 1);
  refresh(rank);
}

}  // namespace cxlgpu
