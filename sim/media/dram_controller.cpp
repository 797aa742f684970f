// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
#include "sim/media/dram_controller.hpp"

#include <algorithm>
#include <bit>
#include <cassert>

#include "common/request.hpp"

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
        return config.columns * (config.sub_channel_bits / 8) / kLineBytes;
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
      bursts_(static_cast<std::uint32_t>(kLineBytes) / config.burst_bytes()),
      queues_(timing_.banks()) {}

void DramChannel::submit(const DramAddress& where, DramAccess access, std::uint32_t token,
                         Time now) {
  advance(now);
  // A rank in use keeps its refreshes in advance(); one that idled is brought up to date here.
  const std::uint32_t rank = timing_.rank_of(where.bank);
  if (timing_.refresh_due(rank) <= now) {
    timing_.catch_up(rank, now);
    for (Head& head : heads_) fill_head(head, head.bank);
    pick();
  }
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
  request.bursts = bursts_;
  request.access = access;
  request.older = youngest_;
  (youngest_ == kNone ? oldest_ : pool_[youngest_].younger) = index;
  youngest_ = index;
  ++waiting_;
  Queue& queue = queues_[where.bank];
  if (queue.head != kNone) {
    pool_[queue.tail].next = index;
    queue.tail = index;
    Head& head = heads_[queue.active_at];
    if (config_.scheduling == DramScheduling::FrFcfs && head.command == DramCommand::Precharge &&
        timing_.open_row(where.bank) == where.row) {
      fill_head(head, where.bank);
      pick();
    }
    return;
  }
  queue.head = queue.tail = index;
  queue.active_at = static_cast<std::uint32_t>(heads_.size());
  Head& head = heads_.emplace_back();
  fill_head(head, where.bank);
  const Time at = earliest(head);
  answer_bound_ = std::min(answer_bound_, at + head.to_answer);
  aged_from_ = std::min(aged_from_, request.ready + config_.age_bound);
  if (at >= next_.at) return;
  if (at >= aged_from_) {
    pick();
  } else {
    next_ = choose(head, at);
  }
}

std::uint32_t DramChannel::next_of(std::uint32_t bank) const {
  const std::uint32_t oldest = queues_[bank].head;
  const std::uint64_t open = timing_.open_row(bank);
  if (config_.scheduling == DramScheduling::Fcfs || open == DramTiming::kClosed) return oldest;
  std::uint32_t hit = oldest;
  while (hit != kNone && pool_[hit].row != open) hit = pool_[hit].next;
  return hit == kNone ? oldest : hit;
}

void DramChannel::fill_head(Head& head, std::uint32_t bank, std::uint32_t index) {
  irregular_ -= head.irregular() ? 1 : 0;
  const Request& request = pool_[index];
  const std::uint64_t open = timing_.open_row(bank);
  head.bank = bank;
  head.request = index;
  head.order = request.order;
  DramCommand column = DramCommand::Read;
  if (request.access == DramAccess::Write) column = DramCommand::Write;
  if (request.access == DramAccess::MaskedWrite) column = DramCommand::MaskedWrite;
  head.command = column;
  head.to_answer = timing_.data_end(column, Time{0}) + config_.back;
  if (open != request.row) {
    head.command = DramCommand::Activate;
    head.to_answer += config_.tRCD;
    if (open != DramTiming::kClosed) {
      head.command = DramCommand::Precharge;
      head.to_answer += config_.tRP;
    }
  }
  head.passed_from = index == queues_[bank].head ? Time::never() : aged_from(bank);
  head.ready = std::max(timing_.bank_ready(head.command, bank), request.ready);
  head.limits = timing_.limits(head.command, bank);
  irregular_ += head.irregular() ? 1 : 0;
}

// A rank's refresh goes before every command to it that is not earlier than the due time.
DramChannel::Choice DramChannel::choose(const Head& head, Time at) const {
  const Time due = timing_.refresh_due(timing_.rank_of(head.bank));
  if (at >= due) return {due, head.bank, head.request, head.command, true};
  return {at, head.bank, head.request, head.command, false};
}

// The scheduling policy: which command goes next, and when.
void DramChannel::pick() {
  if (heads_.empty()) {
    next_ = Choice{};
    answer_bound_ = aged_from_ = Time::never();
    return;
  }
  // With nothing but reads of open rows, each its bank's oldest, as a stream makes them, the oldest
  // of all goes if none can go before it.
  const std::uint32_t bank = pool_[oldest_].bank;
  const Head& head = heads_[queues_[bank].active_at];
  const Time at = earliest(head);
  if (heads_.size() == 1 ? head.request == oldest_
                         : irregular_ == 0 && at <= timing_.reads_ready()) {
    next_ = choose(head, at);
    aged_from_ = aged_from(bank);
    answer_bound_ = std::max(at + head.to_answer, next_.at);
    return;
  }
  pick_among();
}

void DramChannel::pick_among() {
  Survey found = survey();
  if (found.passed) {
    // Younger requests to the open row have gone before the oldest of their bank for long enough.
    for (Head& head : heads_) {
      if (head.passed_from <= earliest(head)) fill_head(head, head.bank, queues_[head.bank].head);
    }
    found = survey();
  }
  const Head& best = heads_[found.best];
  const std::uint32_t bank = pool_[oldest_].bank;
  aged_from_ = aged_from(bank);
  next_ = best.bank == bank || found.first < aged_from_
              ? choose(best, found.first)
              : first_beside(heads_[queues_[bank].active_at]);
  answer_bound_ = std::max(found.answer, next_.at);
}

// Nothing branches on a time or an age here: with many banks in use no predictor guesses which of
// two is the lesser, and a wrong guess costs more than the rest of the pass.
DramChannel::Survey DramChannel::survey() const {
  using Key = unsigned __int128;  // time, then order: compared at once
  Key key = ~Key{0};
  std::uint64_t answer = Time::never().ps, passed = 0;
  std::size_t best = 0, i = 0;
  for (const Head& head : heads_) {
    const std::uint64_t shared = timing_.shared_ready(head.limits).ps;
    const std::uint64_t at = head.ready.ps > shared ? head.ready.ps : shared;
    passed |= static_cast<std::uint64_t>(head.passed_from.ps <= at);
    const Key own = static_cast<Key>(at) << 64 | head.order;
    const bool sooner = own < key;
    key = sooner ? own : key;
    best = sooner ? i : best;
    const std::uint64_t answered = at + head.to_answer.ps;
    answer = answered < answer ? answered : answer;
    ++i;
  }
  return {Time{static_cast<std::uint64_t>(key >> 64)}, Time{answer}, best, passed != 0};
}

// The first command that does not put off the aged one; that one itself if there is none before it.
DramChannel::Choice DramChannel::first_beside(const Head& aged) const {
  const Head* best = &aged;
  const Time aged_at = earliest(aged);
  Time best_at = aged_at;
  for (const Head& head : heads_) {
    const Time at = earliest(head);
    if (at > best_at || (at == best_at && (best == &aged || head.order > best->order))) continue;
    // One whose rank is to be refreshed first issues nothing yet.
    const bool refresh = at >= timing_.refresh_due(timing_.rank_of(head.bank));
    if (!refresh &&
        timing_.shared_ready_after(head.command, head.bank, at, aged.limits) > aged_at) {
      continue;
    }
    best = &head;
    best_at = at;
  }
  return choose(*best, best_at);
}

void DramChannel::advance(Time now) {
  while (next_.at <= now) {
    execute(next_);
    pick();
  }
}

void DramChannel::execute(const Choice& chosen) {
  if (chosen.refresh) {
    const std::uint32_t rank = timing_.rank_of(chosen.bank);
    timing_.refresh(rank);
    for (Head& head : heads_) {
      if (timing_.rank_of(head.bank) == rank) fill_head(head, head.bank);
    }
    return;
  }
  Queue& queue = queues_[chosen.bank];
  Request& request = pool_[chosen.request];
  const bool column =
      chosen.command != DramCommand::Activate && chosen.command != DramCommand::Precharge;
  const bool close = column && config_.page_policy == DramPage::Closed && request.bursts == 1 &&
                     !row_wanted_after(chosen.bank, chosen.request);
  [[maybe_unused]] const bool legal =
      timing_.issue(chosen.command, chosen.bank, request.row, chosen.at, close);
  assert(legal);
  if (!request.started) {
    request.started = true;
    --waiting_;
    if (column) {
      ++counters_.row_hits;
    } else if (chosen.command == DramCommand::Activate) {
      ++counters_.row_misses;
    } else {
      ++counters_.row_conflicts;
    }
  }
  if (column && --request.bursts == 0) {
    done_.push({timing_.data_end(chosen.command, chosen.at) + config_.back, request.token});
    finish(chosen.bank, chosen.request);
  }
  if (queue.head != kNone) fill_head(heads_[queue.active_at], chosen.bank);
}

// Closed page: does the request that the bank serves after this one go to the same row?
bool DramChannel::row_wanted_after(std::uint32_t bank, std::uint32_t index) const {
  const std::uint64_t row = pool_[index].row;
  if (config_.scheduling == DramScheduling::Fcfs) {
    const std::uint32_t next = pool_[index].next;
    return next != kNone && pool_[next].row == row;
  }
  for (std::uint32_t i = queues_[bank].head; i != kNone; i = pool_[i].next) {
    if (i != index && pool_[i].row == row) return true;
  }
  return false;
}

void DramChannel::finish(std::uint32_t bank, std::uint32_t index) {
  Queue& queue = queues_[bank];
  if (index == queue.head) {
    queue.head = pool_[index].next;
  } else {
    std::uint32_t before = queue.head;
    while (pool_[before].next != index) before = pool_[before].next;
    pool_[before].next = pool_[index].next;
    if (index == queue.tail) queue.tail = before;
  }
  const Request& request = pool_[index];
  (request.older == kNone ? oldest_ : pool_[request.older].younger) = request.younger;
  (request.younger == kNone ? youngest_ : pool_[request.younger].older) = request.older;
  free_.push_back(index);
  if (queue.head != kNone) return;
  queue.tail = kNone;
  irregular_ -= heads_[queue.active_at].irregular() ? 1 : 0;
  heads_[queue.active_at] = heads_.back();
  queues_[heads_.back().bank].active_at = queue.active_at;
  heads_.pop_back();
}

// ----------------------------------------------------------------------------- DramController

DramController::DramController(const DramConfig& config)
    : map_(config),
      channels_(config.sub_channels, DramChannel(config)),
      due_(config.sub_channels, Time::never()),
      banks_(config.sub_channels * config.ranks * config.bank_groups * config.banks_per_group) {}

void DramController::submit(std::uint64_t addr, DramAccess access, std::uint32_t token, Time now) {
  const DramAddress where = map_.decode(addr);
  channels_[where.sub_channel].submit(where, access, token, now);
  update(where.sub_channel);
}

std::optional<std::uint32_t> DramController::take(Time now) {
  if (now < next_) return std::nullopt;
  std::size_t first = channels_.size();
  Time first_at = Time::never();
  for (std::size_t i = 0; i < channels_.size(); ++i) {
    if (due_[i] > now) continue;
    channels_[i].advance(now);
    due_[i] = channels_[i].next_event();
    if (due_[i] > now || due_[i] >= first_at) continue;  // what is due by now is an answer
    first = i;
    first_at = due_[i];
  }
  if (first == channels_.size()) {
    next_ = *std::min_element(due_.begin(), due_.end());
    return std::nullopt;
  }
  const std::uint32_t token = channels_[first].done().front().token;
  channels_[first].done().pop();
  update(first);
  return token;
}

void DramController::update(std::size_t channel) {
  due_[channel] = channels_[channel].next_event();
  next_ = *std::min_element(due_.begin(), due_.end());
}

std::uint32_t DramController::waiting(Time now) {
  std::uint32_t sum = 0;
  for (std::size_t i = 0; i < channels_.size(); ++i) {
    if (channels_[i].next_command() <= now) {
      channels_[i].advance(now);
      update(i);
    }
    sum += channels_[i].waiting();
  }
  return sum;
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
