#include "refmodel/media/dram_controller.hpp"

#include <algorithm>
#include <bit>
#include <cassert>

#include "refmodel/common/request.hpp"

namespace cxlgpu {

// ------------------------------------------------------------------------------------ DramMap

DramMap::DramMap(const DramConfig& config) : xor_row_(config.bank_xor_row) {
  const auto size = [&](DramField field) -> std::uint64_t {
    switch (field) {
      case DramField::Row:
        return config.rows;
      case DramField::Rank:
        return config.ranks;
      case DramField::Bank:
        return config.banks_per_group;
      case DramField::Column:
        return config.columns / config.burst_length;
      case DramField::BankGroup:
        return config.bank_groups;
      case DramField::SubChannel:
        return config.sub_channels;
    }
    return 1;
  };
  unsigned shift = 0;
  for (auto field = config.address_map.rbegin(); field != config.address_map.rend(); ++field) {
    const std::uint64_t n = size(*field);
    fields_[static_cast<std::size_t>(*field)] = {shift, n - 1};
    shift += static_cast<unsigned>(std::countr_zero(n));
  }
  bank_bits_ = static_cast<unsigned>(std::countr_zero(config.banks_per_group));
  group_bits_ = static_cast<unsigned>(std::countr_zero(config.bank_groups));
}

DramAddress DramMap::decode(std::uint64_t addr) const {
  const std::uint64_t line = addr / kLineBytes;
  const auto get = [&](DramField field) {
    return fields_[static_cast<std::size_t>(field)].of(line);
  };
  const std::uint64_t row = get(DramField::Row);
  std::uint64_t group = get(DramField::BankGroup), bank = get(DramField::Bank);
  if (xor_row_) {
    group ^= row & ((std::uint64_t{1} << group_bits_) - 1);
    bank ^= (row >> group_bits_) & ((std::uint64_t{1} << bank_bits_) - 1);
  }
  DramAddress where;
  where.sub_channel = static_cast<std::uint32_t>(get(DramField::SubChannel));
  where.row = row;
  where.column = static_cast<std::uint32_t>(get(DramField::Column));
  where.bank = static_cast<std::uint32_t>(
      (((get(DramField::Rank) << group_bits_) | group) << bank_bits_) | bank);
  return where;
}

// -------------------------------------------------------------------------------- DramChannel

DramChannel::DramChannel(const DramConfig& config)
    : config_(config),
      timing_(config),
      least_latency_(std::min(config.tCL, config.tCWL) + timing_.burst() + config.back),
      queues_(timing_.banks()) {}

void DramChannel::submit(const DramAddress& where, DramAccess access, std::uint32_t token,
                         Time now) {
  advance(now);
  // A rank in use keeps its refreshes in pick(); one that idled is brought up to date here.
  timing_.catch_up(timing_.rank_of(where.bank), now);
  if (free_.empty()) {
    free_.push_back(static_cast<std::uint32_t>(pool_.size()));
    pool_.emplace_back();
  }
  const std::uint32_t index = free_.back();
  free_.pop_back();
  Request& request = pool_[index];
  request = Request{};
  request.row = where.row;
  request.order = order_++;
  request.ready = now + config_.front;
  request.bank = where.bank;
  request.token = token;
  request.access = access;
  Queue& queue = queues_[where.bank];
  if (queue.head != kNone) {
    pool_[queue.tail].next = index;
    queue.tail = index;
    return;
  }
  queue.head = queue.tail = index;
  queue.active_at = static_cast<std::uint32_t>(active_.size());
  active_.push_back(where.bank);
  const Candidate c = candidate(where.bank);
  if (c.at < best_.at) best_ = c;
}

// What the oldest request of a bank needs next, and when it may have it.
DramChannel::Candidate DramChannel::candidate(std::uint32_t bank) const {
  const Request& request = pool_[queues_[bank].head];
  const std::uint64_t open = timing_.open_row(bank);
  Candidate c;
  c.bank = bank;
  c.order = request.order;
  if (open == DramTiming::kClosed) {
    c.command = DramCommand::Activate;
  } else if (open != request.row) {
    c.command = DramCommand::Precharge;
  } else {
    switch (request.access) {
      case DramAccess::Read:
        c.command = DramCommand::Read;
        break;
      case DramAccess::Write:
        c.command = DramCommand::Write;
        break;
      case DramAccess::MaskedWrite:
        c.command = DramCommand::MaskedWrite;
        break;
    }
  }
  c.at = std::max(timing_.earliest(c.command, bank), request.ready);
  const Time due = timing_.refresh_due(timing_.rank_of(bank));
  if (c.at >= due) {
    c.at = due;
    c.refresh = true;
  }
  return c;
}

// The scheduling policy.
DramChannel::Candidate DramChannel::pick() const {
  Candidate best, oldest;
  for (const std::uint32_t bank : active_) {
    const Candidate c = candidate(bank);
    if (c.at < best.at || (c.at == best.at && c.order < best.order)) best = c;
    if (oldest.at == Time::never() || c.order < oldest.order) oldest = c;
  }
  if (best.at == Time::never()) return best;
  const Time waited_since = pool_[queues_[oldest.bank].head].ready;
  if (!best.refresh && waited_since + config_.age_bound <= best.at) return oldest;
  return best;
}

void DramChannel::advance(Time now) {
  while (best_.at <= now) {
    execute(best_);
    best_ = pick();
  }
}

void DramChannel::execute(const Candidate& chosen) {
  if (chosen.refresh) {
    timing_.refresh(timing_.rank_of(chosen.bank));
    return;
  }
  Request& request = pool_[queues_[chosen.bank].head];
  [[maybe_unused]] const bool legal =
      timing_.issue(chosen.command, chosen.bank, request.row, chosen.at);
  assert(legal);
  const bool column =
      chosen.command != DramCommand::Activate && chosen.command != DramCommand::Precharge;
  if (!request.started) {
    request.started = true;
    if (column) {
      ++counters_.row_hits;
    } else if (chosen.command == DramCommand::Activate) {
      ++counters_.row_misses;
    } else {
      ++counters_.row_conflicts;
    }
  }
  if (column) {
    done_.push_back({timing_.data_end(chosen.command, chosen.at) + config_.back, request.token});
    finish_head(chosen.bank);
  }
}

void DramChannel::finish_head(std::uint32_t bank) {
  Queue& queue = queues_[bank];
  const std::uint32_t index = queue.head;
  queue.head = pool_[index].next;
  free_.push_back(index);
  if (queue.head != kNone) return;
  queue.tail = kNone;
  const std::uint32_t moved = active_.back();
  active_[queue.active_at] = moved;
  queues_[moved].active_at = queue.active_at;
  active_.pop_back();
}

Time DramChannel::next_event() const {
  const Time queued = best_.at == Time::never() ? best_.at : best_.at + least_latency_;
  return done_.empty() ? queued : std::min(done_.front().at, queued);
}

// ----------------------------------------------------------------------------- DramController

DramController::DramController(const DramConfig& config)
    : map_(config), channels_(config.sub_channels, DramChannel(config)) {}

void DramController::submit(std::uint64_t addr, DramAccess access, std::uint32_t token, Time now) {
  const DramAddress where = map_.decode(addr);
  DramChannel& channel = channels_[where.sub_channel];
  channel.submit(where, access, token, now);
  update_next();
}

std::optional<std::uint32_t> DramController::take(Time now) {
  if (now < next_) return std::nullopt;
  DramChannel* first = nullptr;
  for (DramChannel& channel : channels_) {
    if (channel.next_event() > now) continue;
    channel.advance(now);
    if (channel.done().empty() || channel.done().front().at > now) continue;
    if (first == nullptr || channel.done().front().at < first->done().front().at) first = &channel;
  }
  std::optional<std::uint32_t> token;
  if (first != nullptr) {
    token = first->done().front().token;
    first->done().pop_front();
  }
  update_next();
  return token;
}

void DramController::update_next() {
  next_ = Time::never();
  for (const DramChannel& channel : channels_) next_ = std::min(next_, channel.next_event());
}

DramCounters DramController::counters() const {
  DramCounters sum;
  for (const DramChannel& channel : channels_) {
    sum.row_hits += channel.counters().row_hits;
    sum.row_misses += channel.counters().row_misses;
    sum.row_conflicts += channel.counters().row_conflicts;
  }
  return sum;
}

}  // namespace cxlgpu
