// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
#include "sim/media/ftl.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cassert>
#include <cmath>

#include "sim/media/image.hpp"
#include "sim/media/permutation.hpp"

namespace cxlgpu {

namespace {

constexpr std::uint64_t kSlotSeed = 0x736c6f7400000000ull, kRankSeed = 0x72616e6b00000000ull;

std::uint64_t rows_of(const FtlShape& s) {
  return std::uint64_t{s.blocks_per_die} * s.pages_per_block;
}

// k with (1 - exp(-k)) / k = mean, 0 < mean < 1.
double decay_for(double mean) {
  double low = 0, high = 1;
  while ((1 - std::exp(-high)) / high > mean) high *= 2;
  for (int i = 0; i < 100; ++i) {
    const double k = (low + high) / 2;
    ((1 - std::exp(-k)) / k > mean ? low : high) = k;
  }
  return high;
}

}  // namespace

std::uint64_t ftl_logical_pages(const FtlShape& s, const TranslationConfig& c) {
  return rows_of(s) * s.dies * 100 / (100 + c.over_provisioning_percent) / s.dies * s.dies;
}

std::string ftl_problem(const FtlShape& s, const TranslationConfig& c) {
  if (rows_of(s) * s.dies >= ~std::uint32_t{0}) {
    return fmt::format("the part has {} pages; use less than 2^32 with a translation layer",
                       rows_of(s) * s.dies);
  }
  const std::uint64_t spare = rows_of(s) - ftl_logical_pages(s, c) / s.dies;
  const std::uint64_t needed =
      (std::uint64_t{c.free_high} + 4) * s.pages_per_block + (s.buffered + s.dies - 1) / s.dies;
  if (spare < needed) {
    return fmt::format(
        "leaves {} spare pages a die, the free and open blocks need {}; use more, or a lower "
        "free_high",
        spare, needed);
  }
  return {};
}

Ftl::Ftl(const FtlShape& shape, const TranslationConfig& config)
    : shape_(shape),
      config_(config),
      logical_pages_(static_cast<std::uint32_t>(ftl_logical_pages(shape, config))),
      logical_rows_(logical_pages_ / shape.dies),
      dies_(shape.dies) {
  assert(ftl_problem(shape, config).empty());
  const auto rows = static_cast<std::uint32_t>(rows_of(shape));
  const std::uint32_t spare = rows - logical_rows_;
  const std::uint32_t held_back = (config.free_high + 4) * shape.pages_per_block;
  cap_ = logical_rows_ + std::max(1u, std::min(spare / 4, spare - held_back));
  filled_rows_ =
      static_cast<std::uint32_t>(std::uint64_t{logical_rows_} * config.prefilled_percent / 100);
  if (filled_rows_ == 0) return;
  aged_blocks_ = shape.blocks_per_die - config.free_high;
  const double space = static_cast<double>(aged_blocks_) * shape.pages_per_block;
  const double decay = decay_for(filled_rows_ / space);
  const auto before = [&](std::uint32_t rank) {
    const double part = -std::expm1(-decay * rank / aged_blocks_) / -std::expm1(-decay);
    return static_cast<std::uint32_t>(part * filled_rows_);
  };
  std::vector<std::uint32_t> counts;
  for (std::uint32_t rank = 0; rank < aged_blocks_; ++rank) {
    const std::uint32_t next = rank + 1 == aged_blocks_ ? filled_rows_ : before(rank + 1);
    counts.push_back(next - before(rank));
  }
  // Rounding must not leave an older block with more: the last rank is the best victim.
  std::sort(counts.rbegin(), counts.rend());
  aged_before_.push_back(0);
  for (const std::uint32_t count : counts) aged_before_.push_back(aged_before_.back() + count);
  for (Die& die : dies_) {
    die.virgin = die.aged_last = aged_blocks_;
    die.valid = filled_rows_;
  }
}

std::uint32_t Ftl::physical(std::uint32_t die, std::uint32_t block, std::uint32_t page) const {
  return (block * shape_.pages_per_block + page) * shape_.dies + die;
}

std::uint32_t Ftl::aged_block(std::uint32_t die, std::uint32_t rank) const {
  return Permutation(config_.prefill_seed + kRankSeed + die, aged_blocks_).place(rank);
}

std::uint32_t Ftl::aged_rank(std::uint32_t die, std::uint32_t block) const {
  return Permutation(config_.prefill_seed + kRankSeed + die, aged_blocks_).number_at(block);
}

Ftl::Aged Ftl::aged_place(std::uint32_t die, std::uint32_t row) const {
  const std::uint32_t at = Permutation(config_.prefill_seed + die, filled_rows_).place(row);
  const auto above = std::upper_bound(aged_before_.begin(), aged_before_.end(), at);
  const auto rank = static_cast<std::uint32_t>(above - aged_before_.begin() - 1);
  const std::uint32_t block = aged_block(die, rank);
  const std::uint64_t number = std::uint64_t{die} * shape_.blocks_per_die + block;
  const Permutation slots(config_.prefill_seed + kSlotSeed + number, shape_.pages_per_block);
  return {block, slots.place(at - aged_before_[rank])};
}

std::optional<std::uint32_t> Ftl::aged_row(std::uint32_t die, std::uint32_t block,
                                           std::uint32_t page) const {
  const std::uint32_t rank = aged_rank(die, block);
  const std::uint64_t number = std::uint64_t{die} * shape_.blocks_per_die + block;
  const Permutation slots(config_.prefill_seed + kSlotSeed + number, shape_.pages_per_block);
  const std::uint32_t slot = slots.number_at(page);
  if (slot >= aged_count(rank)) return std::nullopt;  // stale since before the model began
  return Permutation(config_.prefill_seed + die, filled_rows_).number_at(aged_before_[rank] + slot);
}

bool Ftl::untouched(std::uint32_t die, std::uint32_t rank) const {
  return index_.find(die * shape_.blocks_per_die + aged_block(die, rank)) == kNone;
}

std::uint32_t Ftl::where(std::uint32_t logical) const {
  const std::uint32_t mapped = map_.find(logical);
  if (mapped != kNone) return mapped;
  const std::uint32_t row = logical / shape_.dies, die = logical % shape_.dies;
  if (row >= filled_rows_) return logical;
  const Aged at = aged_place(die, row);
  return physical(die, at.block, at.page);
}

bool Ftl::holds_data(std::uint32_t logical) const {
  return logical / shape_.dies < filled_rows_ || map_.find(logical) != kNone;
}

// kNone: nothing, or what was stale from the beginning.
std::uint32_t Ftl::data_in(const Block& block, std::uint32_t page) const {
  if (block.aged) {
    const std::uint32_t die = die_of(block);
    const auto row = aged_row(die, block_of(block), page);
    return row ? *row * shape_.dies + die : kNone;
  }
  if (block.pages == kNone || page >= tables_[block.pages].size()) return kNone;
  return tables_[block.pages][page];
}

std::optional<std::uint32_t> Ftl::data_at(std::uint32_t at) const {
  const std::uint32_t die = at % shape_.dies, row = at / shape_.dies;
  const std::uint32_t block = row / shape_.pages_per_block, page = row % shape_.pages_per_block;
  const std::uint32_t index = index_.find(die * shape_.blocks_per_die + block);
  std::uint32_t data = kNone;
  if (index != kNone) {
    data = data_in(blocks_[index], page);
  } else if (block < aged_blocks_) {
    const auto aged = aged_row(die, block, page);
    if (aged) data = *aged * shape_.dies + die;
  }
  return data == kNone ? std::nullopt : std::optional(data);
}

std::uint32_t Ftl::next_die() {
  for (std::uint32_t i = 0; i < shape_.dies; ++i) {
    const std::uint32_t die = turn_;
    turn_ = turn_ + 1 == shape_.dies ? 0 : turn_ + 1;
    if (dies_[die].valid + dies_[die].reserved >= cap_) continue;
    ++dies_[die].reserved;
    return die;
  }
  // All hold more than their share since much is on its way: the emptiest.
  const auto fewest = std::min_element(dies_.begin(), dies_.end(), [](const Die& a, const Die& b) {
    return a.valid + a.reserved < b.valid + b.reserved;
  });
  ++fewest->reserved;
  return static_cast<std::uint32_t>(fewest - dies_.begin());
}

// Pages up to the end of the multi-plane program that comes next in an open block.
std::uint32_t Ftl::can_take(std::uint32_t /*die*/, std::uint32_t open) const {
  if (open == kNone) return config_.planes;
  const std::size_t used = tables_[blocks_[open].pages].size();
  return config_.planes - static_cast<std::uint32_t>(used % config_.planes);
}

std::uint32_t Ftl::free_blocks(std::uint32_t die) const {
  const Die& d = dies_[die];
  return shape_.blocks_per_die - d.virgin + static_cast<std::uint32_t>(d.free.size());
}

std::uint32_t Ftl::room(std::uint32_t die) const {
  if (dies_[die].user == kNone && free_blocks(die) < 2) return 0;
  return can_take(die, dies_[die].user);
}

std::uint32_t Ftl::write(std::uint32_t logical, std::uint32_t die) {
  assert(room(die) > 0 && dies_[die].reserved > 0 && logical < logical_pages_);
  --dies_[die].reserved;
  ++dies_[die].writes;
  ++counters_.host_pages;
  lose(logical);
  place(logical, die, false);
  return map_.find(logical);
}

// The page's old data becomes stale.
void Ftl::lose(std::uint32_t logical) {
  const std::uint32_t old = map_.find(logical);
  lost_on_ = kNone;
  std::uint32_t index = kNone, die = 0;
  if (old != kNone) {
    die = old % shape_.dies;
    const std::uint32_t block = old / shape_.dies / shape_.pages_per_block;
    index = index_.find(die * shape_.blocks_per_die + block);
  } else {
    die = logical % shape_.dies;
    const std::uint32_t row = logical / shape_.dies;
    if (row >= filled_rows_) return;
    index = touch_aged(die, aged_place(die, row).block);
  }
  Block& block = blocks_[index];
  assert(block.valid > 0);
  const bool listed = block.state == State::Closed;
  if (listed) unlink(index);
  --block.valid;
  block.changed = dies_[die].writes;
  if (listed) link(index);
  --dies_[die].valid;
  lost_on_ = die;
}

std::uint32_t Ftl::touch_aged(std::uint32_t die, std::uint32_t block) {
  const std::uint32_t number = die * shape_.blocks_per_die + block;
  const std::uint32_t found = index_.find(number);
  if (found != kNone) return found;
  const auto index = static_cast<std::uint32_t>(blocks_.size());
  Block made;
  made.number = number;
  made.valid = aged_count(aged_rank(die, block));
  made.aged = true;
  blocks_.push_back(made);
  index_.set(number, index);
  link(index);
  return index;
}

void Ftl::place(std::uint32_t logical, std::uint32_t die, bool moved) {
  Die& d = dies_[die];
  std::uint32_t& open = moved ? d.moved : d.user;
  if (open == kNone) open = open_block(die, moved && d.levelling);
  Block& block = blocks_[open];
  std::vector<std::uint32_t>& pages = tables_[block.pages];
  if (pages.size() == pages.capacity()) {
    pages.reserve(
        std::min<std::size_t>(shape_.pages_per_block, std::max<std::size_t>(16, 2 * pages.size())));
  }
  map_.set(logical, physical(die, block_of(block), static_cast<std::uint32_t>(pages.size())));
  pages.push_back(logical);
  ++block.valid;
  ++d.valid;
  if (pages.size() == shape_.pages_per_block) {
    close_block(open);
    open = kNone;
  }
}

std::uint32_t Ftl::open_block(std::uint32_t die, bool most_worn) {
  Die& d = dies_[die];
  std::uint32_t index = kNone;
  if (d.virgin < shape_.blocks_per_die && (!most_worn || d.free.empty())) {
    index = static_cast<std::uint32_t>(blocks_.size());
    Block made;
    made.number = die * shape_.blocks_per_die + d.virgin++;
    blocks_.push_back(made);
    index_.set(made.number, index);
  } else {
    assert(!d.free.empty());
    const auto at = most_worn && config_.wear_spread > 0 ? std::prev(d.free.end()) : d.free.begin();
    index = at->second;
    d.free.erase(at);
  }
  if (free_tables_.empty()) {
    free_tables_.push_back(static_cast<std::uint32_t>(tables_.size()));
    tables_.emplace_back();
  }
  blocks_[index].pages = free_tables_.back();
  free_tables_.pop_back();
  blocks_[index].state = State::Open;
  return index;
}

void Ftl::close_block(std::uint32_t index) {
  Block& block = blocks_[index];
  Die& d = dies_[die_of(block)];
  block.state = State::Closed;
  block.changed = d.writes;
  link(index);
  if (config_.wear_spread > 0) d.closed_wear.emplace(block.erases, index);
}

// Buckets are in order of `changed`: what changes is linked again, as the newest; prefilled data
// that nothing has changed is older than all.
void Ftl::link(std::uint32_t index) {
  Block& block = blocks_[index];
  Die& d = dies_[die_of(block)];
  if (d.buckets.empty()) {
    d.buckets.resize(shape_.pages_per_block + 1);
    d.least = shape_.pages_per_block;
  }
  Bucket& bucket = d.buckets[block.valid];
  d.least = std::min(d.least, block.valid);
  d.gaining += block.valid < shape_.pages_per_block ? 1 : 0;
  if (block.changed == 0 && bucket.oldest != kNone) {
    block.older = kNone;
    block.newer = bucket.oldest;
    blocks_[bucket.oldest].older = index;
    bucket.oldest = index;
    return;
  }
  block.older = bucket.newest;
  block.newer = kNone;
  (bucket.newest == kNone ? bucket.oldest : blocks_[bucket.newest].newer) = index;
  bucket.newest = index;
}

void Ftl::unlink(std::uint32_t index) {
  const Block& block = blocks_[index];
  Die& d = dies_[die_of(block)];
  d.gaining -= block.valid < shape_.pages_per_block ? 1 : 0;
  Bucket& bucket = d.buckets[block.valid];
  (block.older == kNone ? bucket.oldest : blocks_[block.older].newer) = block.newer;
  (block.newer == kNone ? bucket.newest : blocks_[block.newer].older) = block.older;
}

// True if some closed block has a stale page.
bool Ftl::gains(std::uint32_t die) const {
  const Die& d = dies_[die];
  if (d.gaining > 0) return true;
  for (; d.aged_last > 0; --d.aged_last) {
    if (untouched(die, d.aged_last - 1)) {
      return aged_count(d.aged_last - 1) < shape_.pages_per_block;
    }
  }
  return false;
}

bool Ftl::wants_collection(std::uint32_t die) const {
  const Die& d = dies_[die];
  if (d.erasing != kNone) return false;
  return d.victim != kNone || (free_blocks(die) < config_.free_high && gains(die));
}

bool Ftl::urgent(std::uint32_t die) const {
  return free_blocks(die) <= config_.free_low && wants_collection(die);
}

bool Ftl::nears_collection(std::uint32_t die) const {
  const Die& d = dies_[die];
  if (free_blocks(die) != config_.free_high || d.reserved == 0) return false;
  const std::uint32_t left =
      d.user == kNone ? 0
                      : shape_.pages_per_block -
                            static_cast<std::uint32_t>(tables_[blocks_[d.user].pages].size());
  return d.reserved > left && gains(die);
}

std::uint32_t Ftl::greedy_victim(std::uint32_t die) {
  Die& d = dies_[die];
  while (d.aged_last > 0 && !untouched(die, d.aged_last - 1)) --d.aged_last;
  std::uint32_t found = kNone, valid = shape_.pages_per_block;
  if (!d.buckets.empty()) {
    while (d.least < shape_.pages_per_block && d.buckets[d.least].oldest == kNone) ++d.least;
    if (d.least < shape_.pages_per_block) {
      found = d.buckets[d.least].oldest;
      valid = d.least;
    }
  }
  if (d.aged_last > 0 && aged_count(d.aged_last - 1) < valid) {
    found = touch_aged(die, aged_block(die, d.aged_last - 1));
  }
  return found;
}

std::uint32_t Ftl::cost_benefit_victim(std::uint32_t die) {
  Die& d = dies_[die];
  const auto score = [&](std::uint32_t valid, std::uint32_t changed) {
    const double age = static_cast<double>(d.writes - changed) + 1;
    return (shape_.pages_per_block - valid) / (2.0 * valid + 1e-9) * age;
  };
  const std::uint32_t greedy = greedy_victim(die);  // touches the best of the untouched
  if (greedy == kNone || blocks_[greedy].valid == 0) return greedy;
  std::uint32_t best = greedy;
  double most = score(blocks_[greedy].valid, blocks_[greedy].changed);
  for (std::uint32_t valid = d.least; valid < shape_.pages_per_block; ++valid) {
    const std::uint32_t oldest = d.buckets[valid].oldest;
    if (oldest == kNone || score(valid, blocks_[oldest].changed) <= most) continue;
    most = score(valid, blocks_[oldest].changed);
    best = oldest;
  }
  return best;
}

// The least worn block, if the spread asks for it; never twice in a row, since it may gain nothing.
std::uint32_t Ftl::worn_victim(std::uint32_t die) {
  Die& d = dies_[die];
  if (config_.wear_spread == 0 || d.levelling || d.most_erases <= config_.wear_spread) return kNone;
  for (; d.aged_first < aged_blocks_; ++d.aged_first) {  // prefilled blocks: never erased
    const std::uint32_t index = touch_aged(die, aged_block(die, d.aged_first));
    if (blocks_[index].aged && blocks_[index].state == State::Closed) return index;
  }
  if (d.closed_wear.empty()) return kNone;
  const auto [erases, index] = *d.closed_wear.begin();
  return d.most_erases - erases > config_.wear_spread ? index : kNone;
}

bool Ftl::choose_victim(std::uint32_t die) {
  Die& d = dies_[die];
  std::uint32_t index = worn_victim(die);
  d.levelling = index != kNone;
  if (d.levelling) {
    ++counters_.levelled_blocks;
  } else {
    index = config_.victim == VictimPolicy::Greedy ? greedy_victim(die) : cost_benefit_victim(die);
  }
  if (index == kNone) return false;
  unlink(index);
  d.closed_wear.erase({blocks_[index].erases, index});
  blocks_[index].state = State::Victim;
  d.victim = index;
  d.cursor = 0;
  return true;
}

Ftl::Task Ftl::next_task(std::uint32_t die) {
  Die& d = dies_[die];
  Task task;
  if (d.erasing != kNone || (d.victim == kNone && !choose_victim(die))) return task;
  Block& victim = blocks_[d.victim];
  task.block = block_of(victim);
  const std::uint32_t limit = can_take(die, d.moved);
  while (task.count < limit && victim.valid > 0 && d.cursor < shape_.pages_per_block) {
    const std::uint32_t page = d.cursor++;
    const std::uint32_t logical = data_in(victim, page);
    if (logical == kNone) continue;
    const std::uint32_t from = physical(die, task.block, page), mapped = map_.find(logical);
    if (victim.aged ? mapped != kNone : mapped != from) continue;  // stale
    --victim.valid;
    --d.valid;
    place(logical, die, true);
    task.moves[task.count++] = {logical, from, map_.find(logical)};
  }
  counters_.moved_pages += task.count;
  if (task.count > 0) {
    task.kind = TaskKind::Copy;
    return task;
  }
  task.kind = TaskKind::Erase;
  victim.state = State::Erasing;
  d.erasing = d.victim;
  d.victim = kNone;
  return task;
}

void Ftl::erased(std::uint32_t die) {
  Die& d = dies_[die];
  assert(d.erasing != kNone);
  Block& block = blocks_[d.erasing];
  if (block.pages != kNone) {
    std::vector<std::uint32_t>().swap(tables_[block.pages]);
    free_tables_.push_back(block.pages);
    block.pages = kNone;
  }
  block.aged = false;
  block.state = State::Free;
  ++block.erases;
  ++counters_.erases;
  d.most_erases = std::max(d.most_erases, block.erases);
  d.free.emplace(config_.wear_spread > 0 ? block.erases : d.freed++, d.erasing);
  d.erasing = kNone;
  // Every time on a small device; the walk of a large one would take longer than the run.
  assert((blocks_.size() * shape_.pages_per_block > 16384 && counters_.erases % 1024 != 0) ||
         broken(die).empty());
}

void Ftl::write_now(std::uint32_t logical) {
  const std::uint32_t die = next_die();
  while (room(die) == 0 || urgent(die)) {
    if (dies_[die].erasing != kNone || next_task(die).kind == TaskKind::Erase) erased(die);
  }
  write(logical, die);
}

Ftl::Wear Ftl::wear() const {
  Wear wear{~std::uint32_t{0}, 0};
  for (const Block& block : blocks_) {
    wear.least = std::min(wear.least, block.erases);
    wear.most = std::max(wear.most, block.erases);
  }
  if (blocks_.size() < std::size_t{shape_.dies} * shape_.blocks_per_die) wear.least = 0;
  return wear;
}

std::size_t Ftl::bytes() const {
  constexpr std::size_t kNode = 48;  // of a std::set
  std::size_t sum = map_.bytes() + index_.bytes() + blocks_.size() * sizeof(Block) +
                    tables_.capacity() * sizeof(tables_[0]) + free_tables_.capacity() * 4 +
                    aged_before_.capacity() * 4 + dies_.size() * sizeof(Die);
  for (const auto& table : tables_) {
    if (table.capacity() > 0) sum += table.capacity() * 4 + 16;
  }
  for (const Die& die : dies_) {
    sum += die.buckets.capacity() * sizeof(Bucket) +
           (die.free.size() + die.closed_wear.size()) * kNode;
  }
  return sum;
}

void Ftl::save(ImageWriter& out) const {
  for (const std::uint64_t number :
       {std::uint64_t{shape_.dies}, std::uint64_t{shape_.blocks_per_die},
        std::uint64_t{shape_.pages_per_block}, std::uint64_t{config_.planes},
        std::uint64_t{logical_pages_}, std::uint64_t{config_.wear_spread > 0},
        std::uint64_t{filled_rows_}, std::uint64_t{aged_blocks_}, config_.prefill_seed,
        counters_.host_pages, counters_.moved_pages, counters_.erases, counters_.levelled_blocks}) {
    out.u64(number);
  }
  out.u32(turn_);
  out.u32(static_cast<std::uint32_t>(map_.size()));
  map_.for_each([&](std::uint32_t logical, std::uint32_t at) {
    out.u32(logical);
    out.u32(at);
  });
  out.u32(static_cast<std::uint32_t>(blocks_.size()));
  for (const Block& block : blocks_) {
    out.u32(block.number);
    out.u32(block.valid);
    out.u32(block.erases);
    out.u32(block.changed);
    out.u8(static_cast<std::uint8_t>(block.state));
    out.u8(block.aged ? 1 : 0);
    const std::vector<std::uint32_t> none;
    const std::vector<std::uint32_t>& pages = block.pages == kNone ? none : tables_[block.pages];
    out.u32(static_cast<std::uint32_t>(pages.size()));
    for (const std::uint32_t page : pages) out.u32(page);
  }
  for (const Die& d : dies_) {
    for (const std::uint32_t number : {d.virgin, d.user, d.moved, d.victim, d.cursor, d.erasing,
                                       d.valid, d.most_erases, d.writes, d.freed}) {
      out.u32(number);
    }
    out.u8(d.levelling ? 1 : 0);
    out.u32(static_cast<std::uint32_t>(d.free.size()));
    for (const auto& [order, index] : d.free) {
      out.u32(order);
      out.u32(index);
    }
    std::vector<std::uint32_t> closed;  // in the order of the buckets, which is part of the state
    for (const Bucket& bucket : d.buckets) {
      for (std::uint32_t i = bucket.oldest; i != kNone; i = blocks_[i].newer) closed.push_back(i);
    }
    out.u32(static_cast<std::uint32_t>(closed.size()));
    for (const std::uint32_t index : closed) out.u32(index);
  }
}

void Ftl::load(ImageReader& in) {
  const char* const other =
      "the image is of another part or translation; use the part that made it";
  const char* const damaged = "the image contradicts itself; make a new one";
  for (const std::uint64_t number :
       {std::uint64_t{shape_.dies}, std::uint64_t{shape_.blocks_per_die},
        std::uint64_t{shape_.pages_per_block}, std::uint64_t{config_.planes},
        std::uint64_t{logical_pages_}, std::uint64_t{config_.wear_spread > 0},
        std::uint64_t{filled_rows_}, std::uint64_t{aged_blocks_}, config_.prefill_seed}) {
    if (in.u64() != number) in.fail(other);
  }
  for (std::uint64_t* number : {&counters_.host_pages, &counters_.moved_pages, &counters_.erases,
                                &counters_.levelled_blocks}) {
    *number = in.u64();
  }
  const auto pages = static_cast<std::uint32_t>(rows_of(shape_) * shape_.dies);
  turn_ = in.below(shape_.dies);
  for (std::uint32_t left = in.below(logical_pages_ + 1); left > 0; --left) {
    const std::uint32_t logical = in.below(logical_pages_);
    map_.set(logical, in.below(pages));
  }
  const std::uint32_t blocks = in.below(shape_.dies * shape_.blocks_per_die + 1);
  for (std::uint32_t index = 0; index < blocks; ++index) {
    Block block;
    block.number = in.below(shape_.dies * shape_.blocks_per_die);
    block.valid = in.below(shape_.pages_per_block + 1) & 0xffffff;
    block.erases = in.u32();
    block.changed = in.u32();
    block.state = static_cast<State>(in.below_u8(static_cast<std::uint8_t>(State::Free) + 1));
    block.aged = in.below_u8(2) != 0;
    if (index_.find(block.number) != kNone || (block.aged && block_of(block) >= aged_blocks_)) {
      in.fail(damaged);
    }
    const std::uint32_t count = in.below(shape_.pages_per_block + 1);
    if (count > 0 || block.state == State::Open) {
      block.pages = static_cast<std::uint32_t>(tables_.size());
      tables_.emplace_back().reserve(count);
      for (std::uint32_t i = 0; i < count; ++i) {
        tables_.back().push_back(in.below(logical_pages_));
      }
    }
    blocks_.push_back(block);
    index_.set(block.number, index);
  }
  const auto block_or_none = [&] {
    const std::uint32_t index = in.u32();
    if (index != kNone && index >= blocks) in.fail(damaged);
    return index;
  };
  for (std::uint32_t die = 0; die < shape_.dies; ++die) {
    Die& d = dies_[die];
    d.virgin = in.below(shape_.blocks_per_die + 1);
    d.user = block_or_none();
    d.moved = block_or_none();
    d.victim = block_or_none();
    d.cursor = in.below(shape_.pages_per_block + 1);
    d.erasing = block_or_none();
    d.valid = in.u32();
    d.most_erases = in.u32();
    d.writes = in.u32();
    d.freed = in.u32();
    d.levelling = in.below_u8(2) != 0;
    for (std::uint32_t left = in.below(shape_.blocks_per_die + 1); left > 0; --left) {
      const std::uint32_t order = in.u32();
      d.free.emplace(order, in.below(blocks));
    }
    for (std::uint32_t left = in.below(shape_.blocks_per_die + 1); left > 0; --left) {
      const std::uint32_t index = in.below(blocks);
      if (die_of(blocks_[index]) != die || blocks_[index].state != State::Closed) in.fail(damaged);
      link(index);
      if (config_.wear_spread > 0 && !blocks_[index].aged) {
        d.closed_wear.emplace(blocks_[index].erases, index);
      }
    }
  }
  if (!broken().empty()) in.fail(damaged);
  for (std::uint32_t die = 0; die < shape_.dies; ++die) {
    if (dies_[die].erasing != kNone) erased(die);  // the power held for it
  }
}

std::string Ftl::broken(std::uint32_t die) const {
  const Die& d = dies_[die];
  std::uint64_t sum = 0, closed = 0, free = 0;
  for (std::uint32_t i = 0; i < blocks_.size(); ++i) {
    const Block& block = blocks_[i];
    if (die_of(block) != die) continue;
    std::uint32_t valid = 0;
    for (std::uint32_t page = 0; page < shape_.pages_per_block; ++page) {
      const std::uint32_t logical = data_in(block, page);
      if (logical == kNone) continue;
      const std::uint32_t mapped = map_.find(logical);
      valid += block.aged ? mapped == kNone : mapped == physical(die, block_of(block), page);
    }
    const auto say = [&](const std::string& what) {
      return fmt::format("die {} block {}: {}", die, block_of(block), what);
    };
    if (valid != block.valid) return say(fmt::format("{} valid, counted {}", valid, block.valid));
    sum += valid;
    closed += block.state == State::Closed;
    free += block.state == State::Free;
    const bool open = i == d.user || i == d.moved;
    if (open != (block.state == State::Open)) return say("open in one place only");
    if ((block.state == State::Victim) != (i == d.victim)) return say("victim in one place only");
    if ((block.state == State::Erasing) != (i == d.erasing)) return say("erased in one place only");
    if (block.state == State::Free && (block.pages != kNone || block.valid != 0 || block.aged)) {
      return say("free and not empty");
    }
    if (block_of(block) >= d.virgin) return say("used and never opened");
  }
  for (std::uint32_t rank = 0; rank < aged_blocks_; ++rank) {
    if (untouched(die, rank)) sum += aged_count(rank);
  }
  if (sum != d.valid) return fmt::format("die {}: {} valid, counted {}", die, sum, d.valid);
  if (free != d.free.size()) return fmt::format("die {}: free blocks and free list differ", die);
  for (const auto& [order, index] : d.free) {
    if (blocks_[index].state != State::Free || die_of(blocks_[index]) != die) {
      return fmt::format("die {}: free list names a block that is not free", die);
    }
  }
  for (std::uint32_t valid = 0; valid < d.buckets.size(); ++valid) {
    for (std::uint32_t i = d.buckets[valid].oldest; i != kNone; i = blocks_[i].newer) {
      if (blocks_[i].state != State::Closed || blocks_[i].valid != valid || closed == 0) {
        return fmt::format("die {}: bucket {} holds what it must not", die, valid);
      }
      --closed;
    }
  }
  return closed == 0 ? "" : fmt::format("die {}: {} closed blocks in no bucket", die, closed);
}

std::string Ftl::broken() const {
  std::uint64_t valid = 0;
  for (std::uint32_t die = 0; die < shape_.dies; ++die) {
    if (std::string what = broken(die); !what.empty()) return what;
    valid += dies_[die].valid;
  }
  std::uint64_t holding = std::uint64_t{filled_rows_} * shape_.dies;
  std::string what;
  map_.for_each([&](std::uint32_t logical, std::uint32_t at) {
    holding += logical / shape_.dies >= filled_rows_ ? 1 : 0;
    if (data_at(at) != logical) what = fmt::format("page {} is not where it is mapped", logical);
  });
  if (!what.empty()) return what;
  return holding == valid ? "" : fmt::format("{} pages hold data, {} are valid", holding, valid);
}

}  // namespace cxlgpu
