// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
#include "sim/gpu/llc.hpp"

#include <algorithm>
#include <bit>
#include <cassert>

#include "sim/gpu/l1_cache.hpp"
#include "sim/gpu/warp.hpp"

namespace cxlgpu {

Llc::Llc(const GpuParams& params, LocalMemory& local, GpuStats& stats)
    : params_(params.llc),
      through_(params.llc.write == WritePolicy::Through),
      bank_mask_(std::bit_floor(params.llc.banks) - 1),
      queue_limit_(params.llc_queue),
      local_(local),
      stats_(stats),
      ways_(params.llc.ways),
      set_bits_(static_cast<unsigned>(
          std::countr_zero(params.llc.size_bytes / kLineBytes / params.llc.ways))),
      lines_(params.llc.size_bytes / kLineBytes, kNoLine),
      tags_(lines_.size()),
      data_(lines_.size()),
      order_(params.llc.replacement, tags_.size() / ways_, ways_, params.seed),
      all_ways_(ways_ == 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << ways_) - 1),
      used_ways_(tags_.size() / ways_),
      busy_ways_(tags_.size() / ways_),
      mshrs_(params.llc.mshrs),
      write_buffer_(params.llc.write_buffer),
      inputs_(params.cores),
      waiting_(params.cores),
      await_fill_(params.cores),
      await_set_(params.cores),
      await_write_buffer_(params.cores),
      awaited_set_(params.cores),
      popped_(params.cores),
      flush_at_(tags_.size()),
      persist_base_(params.persist.base),
      persist_(params.persist.through ? params.persist.bytes : 0),
      gather_cycles_(params.persist.gather_cycles),
      persistent_(params.persist),
      any_uncached_(params.uncached[0].bytes != 0 || params.uncached[1].bytes != 0),
      uncached_(params.uncached),
      owners_(persist_ == 0 && !any_uncached_ ? 0 : write_buffer_.size()) {
  for (std::size_t i = mshrs_.size(); i > 0; --i) {
    free_mshrs_.push_back(static_cast<std::uint16_t>(i - 1));
  }
  for (std::size_t i = write_buffer_.size(); i > 0; --i) {
    free_entries_.push_back(static_cast<std::uint16_t>(i - 1));
  }
}

LlcRequest& Llc::push(std::uint32_t core) {
  assert(!full(core));
  waiting_.insert(core);
  LlcRequest& request = inputs_[core].push();
  request.core = static_cast<std::uint8_t>(core);
  return request;
}

void Llc::tick(std::uint64_t cycle) {
  cycle_ = cycle;
  popped_.clear();
  while (const auto token = local_.take(cycle)) {
    const auto index = static_cast<std::uint16_t>(*token / 2);
    if (*token % 2 != 0) {
      acknowledge(index);
    } else {
      fill(index, local_.read(lines_[mshrs_[index].way]));
    }
  }
  if (persist_due_ <= cycle) send_due();
  if (runnable()) serve();
  if (flush_at_ < tags_.size()) flush();
}

// Requests of the cores whose head may go, round robin, one a bank.
void Llc::serve() {
  std::uint64_t banks = 0;  // taken in this cycle
  const auto serve_core = [&](std::uint32_t core) {
    auto& input = inputs_[core];
    const std::uint64_t bank = std::uint64_t{1} << bank_of(input.front().line);
    if ((banks & bank) != 0) return;
    if (const Access outcome = access(input.front()); outcome != Access::Done) {
      stall(core, outcome, input.front().line);
      return;
    }
    banks |= bank;
    popped_.insert(core);
    input.pop();
    if (input.empty()) waiting_.erase(core);
  };
  // Word by word from that of the next core on; of its own word, the cores before it come last.
  const std::uint32_t words = waiting_.words();
  const std::uint64_t from_next = ~std::uint64_t{0} << next_core_ % 64;
  std::uint32_t w = next_core_ / 64;
  std::uint64_t of_word = from_next;
  for (std::uint32_t n = 1; n <= words + 1; ++n) {
    for (std::uint64_t m = runnable(w) & of_word; m != 0; m &= m - 1) {
      serve_core(64 * w + static_cast<std::uint32_t>(std::countr_zero(m)));
    }
    if (++w == words) w = 0;
    of_word = n == words ? ~from_next : ~std::uint64_t{0};
  }
  if (!popped_.empty() && ++next_core_ == inputs_.size()) next_core_ = 0;
}

std::uint64_t Llc::next_cycle(std::uint64_t now) const {
  if (runnable()) return now + 1;
  if (flush_at_ < tags_.size() && !free_entries_.empty()) return now + 1;
  std::uint64_t next = ~std::uint64_t{0};
  if (!hits_.empty()) next = std::min(next, hits_.front().due);
  if (!fills_.empty()) next = std::min(next, fills_.front().due);
  return std::min({next, persist_due_, local_.next_cycle()});
}

std::optional<std::size_t> Llc::way_of(std::uint64_t line, std::size_t set) const {
  const std::size_t base = set * ways_;
  for (std::size_t way = base; way < base + ways_; ++way) {
    if (lines_[way] == line) return way;
  }
  return std::nullopt;
}

void Llc::stall(std::uint32_t core, Access why, std::uint64_t line) {
  if (why == Access::WaitsForFill) await_fill_.insert(core);
  if (why == Access::WaitsForWriteBuffer) await_write_buffer_.insert(core);
  if (why == Access::WaitsForSet) {
    await_set_.insert(core);
    awaited_set_[core] = hashed_set(line, set_bits_);
  }
}

Llc::Access Llc::access(const LlcRequest& request) {
  const bool is_store = request.kind == LlcKind::Store;
  if (is_store && uncached(request.line)) return store_uncached(request);
  const auto no_entry = [&] {
    if (!writes_through(request) || !free_entries_.empty()) return false;
    ++stats_.llc_stall_write_buffer;
    return true;
  };
  const std::size_t set = hashed_set(request.line, set_bits_);
  auto way = way_of(request.line, set);
  if (way) {
    Tag& tag = tags_[*way];
    if (tag.mshr != kNone) {
      Mshr& mshr = mshrs_[tag.mshr];
      if (mshr.waiters.size() >= params_.merges) {
        ++stats_.llc_stall_merges;
        return Access::WaitsForSet;
      }
      if (no_entry()) return Access::WaitsForWriteBuffer;
      ++stats_.llc_merges;
      mshr.waiters.push_back({request, entry_for(request)});
      return Access::Done;
    }
    if (is_store || (tag.valid & request.mask) == request.mask) {
      if (no_entry()) return Access::WaitsForWriteBuffer;
      ++(is_store ? stats_.llc_store_hits : stats_.llc_load_hits);
      perform(request, *way, entry_for(request), hits_, params_.hit_latency_cycles);
      return Access::Done;
    }
  }
  if (is_store && writes_through(request)) {
    if (no_entry()) return Access::WaitsForWriteBuffer;
    ++stats_.llc_store_passed;
    if (watcher_ != nullptr) show(request, request.data);
    answer_to(request, hits_, params_.hit_latency_cycles);
    write_through(take_entry(), request, request.data);
    return Access::Done;
  }
  if (!is_store && free_mshrs_.empty()) {
    ++stats_.llc_stall_mshr;
    return Access::WaitsForFill;
  }
  if (no_entry()) return Access::WaitsForWriteBuffer;
  if (way) {
    ++stats_.llc_partial_fetches;
  } else {
    const Access outcome = make_room(request.line, set, way.emplace());
    if (outcome != Access::Done) return outcome;
  }
  if (is_store) {
    ++stats_.llc_store_allocations;
    perform(request, *way, kNone, hits_, params_.hit_latency_cycles);
  } else {
    ++stats_.llc_load_misses;
    fetch(request, set, *way, entry_for(request));
  }
  return Access::Done;
}

Llc::Access Llc::store_uncached(const LlcRequest& request) {
  if (free_entries_.empty()) {
    ++stats_.llc_stall_write_buffer;
    return Access::WaitsForWriteBuffer;
  }
  const std::uint16_t entry = take_entry();
  answer_to(request, hits_, params_.hit_latency_cycles);
  owners_[entry].push_back(request.op->warp);
  request.op->warp->persist_begun();
  write(entry, request.line, request.data, request.mask);
  return Access::Done;
}

void Llc::drop(std::size_t way, std::size_t set) {
  tags_[way] = Tag{};
  lines_[way] = kNoLine;
  used_ways_[set] &= ~(std::uint64_t{1} << (way - set * ways_));
}

void Llc::device_write(std::uint64_t line, const Line& data, std::uint64_t bytes) {
  local_.write(line, data, bytes);
  const auto way = way_of(line, hashed_set(line, set_bits_));
  if (way) merge_bytes(data_[*way], data, bytes & tags_[*way].valid);
}

Llc::Access Llc::make_room(std::uint64_t line, std::size_t set, std::size_t& room) {
  const std::size_t base = set * ways_;
  std::size_t victim = base + static_cast<std::size_t>(std::countr_one(used_ways_[set]));
  if (used_ways_[set] == all_ways_) {
    const std::uint64_t allowed = all_ways_ & ~busy_ways_[set];
    if (allowed == 0) {
      ++stats_.llc_stall_ways;
      return Access::WaitsForSet;
    }
    victim = base + order_.victim(set, allowed);
    if (!write_back(victim)) {
      ++stats_.llc_stall_write_buffer;
      return Access::WaitsForWriteBuffer;
    }
  }
  used_ways_[set] |= std::uint64_t{1} << (victim - base);
  tags_[victim] = Tag{};
  lines_[victim] = line;
  order_.fill(victim);
  room = victim;
  return Access::Done;
}

bool Llc::write_back(std::size_t way) {
  Tag& tag = tags_[way];
  if (tag.dirty == 0) return true;
  if (free_entries_.empty()) return false;
  write(take_entry(), lines_[way], data_[way], tag.dirty);
  tag.dirty = 0;
  return true;
}

std::uint16_t Llc::take_entry() {
  assert(!free_entries_.empty());
  const std::uint16_t entry = free_entries_.back();
  free_entries_.pop_back();
  return entry;
}

void Llc::write(std::uint16_t entry, std::uint64_t line, const Line& data, std::uint64_t bytes) {
  const bool full = bytes == kAllBytes;
  if (local_.contains(line)) {
    ++(full ? stats_.local_writes_full : stats_.local_writes_partial);
    local_.write(line, data, bytes);
    local_.submit(cycle_, line, full ? DramAccess::Write : DramAccess::MaskedWrite,
                  token_of({entry, true}));
  } else {
    std::uint64_t& count = uncached(line) ? stats_.uncached_writes
                           : full         ? stats_.hdm_writes_full
                                          : stats_.hdm_writes_partial;
    ++count;
    bus_.push() = {entry, true};
  }
  write_buffer_[entry] = {line, bytes, true, data};
}

void Llc::fetch(const LlcRequest& request, std::size_t set, std::size_t way, std::uint16_t entry) {
  const std::uint16_t index = free_mshrs_.back();
  free_mshrs_.pop_back();
  Mshr& mshr = mshrs_[index];
  mshr.way = way;
  mshr.set = set;
  mshr.since = cycle_;
  mshr.busy = true;
  mshr.waiters.clear();
  mshr.waiters.push_back({request, entry});
  if (!gathered_.empty()) send_gathered(request.line);
  tags_[way].mshr = index;
  busy_ways_[mshr.set] |= std::uint64_t{1} << (way - mshr.set * ways_);
  if (local_.contains(request.line)) {
    ++stats_.local_reads;
    local_.submit(cycle_, request.line, DramAccess::Read, token_of({index, false}));
  } else {
    ++(uncached(request.line) ? stats_.uncached_reads : stats_.hdm_reads);
    bus_.push() = {index, false};
  }
}

void Llc::fill(std::uint16_t index, const Line& data) {
  Mshr& mshr = mshrs_[index];
  Tag& tag = tags_[mshr.way];
  stats_.llc_miss_cycles += cycle_ - mshr.since;
  merge_bytes(data_[mshr.way], data, ~tag.valid);
  tag.valid = kAllBytes;
  tag.mshr = kNone;
  for (const Waiter& waiter : mshr.waiters) {
    perform(waiter.request, mshr.way, waiter.entry, fills_, params_.fill_latency_cycles);
  }
  if (uncached(lines_[mshr.way])) drop(mshr.way, mshr.set);
  mshr.busy = false;
  free_mshrs_.push_back(index);
  await_fill_.clear();
  const std::size_t set = mshr.set;
  busy_ways_[set] &= ~(std::uint64_t{1} << (mshr.way - set * ways_));
  for_each_index(await_set_, [&](std::uint32_t core) {
    if (awaited_set_[core] == set) await_set_.erase(core);
  });
}

void Llc::acknowledge(std::uint16_t entry) {
  write_buffer_[entry].busy = false;
  free_entries_.push_back(entry);
  await_write_buffer_.clear();
}

void Llc::answer_to(const LlcRequest& request, Pipe<LlcAnswer>& to, std::uint32_t latency,
                    const Line* data) {
  LlcAnswer& answer = to.push();
  answer.due = cycle_ + latency;
  answer.kind = request.kind;
  answer.core = request.core;
  answer.l1_mshr = request.l1_mshr;
  answer.lanes = request.lanes;
  answer.op = request.op;
  if (data != nullptr) answer.data = *data;
}

void Llc::perform(const LlcRequest& request, std::size_t way, std::uint16_t entry,
                  Pipe<LlcAnswer>& to, std::uint32_t latency) {
  Tag& tag = tags_[way];
  order_.use(way);
  answer_to(request, to, latency, request.kind == LlcKind::Fill ? &data_[way] : nullptr);
  switch (request.kind) {
    case LlcKind::Fill:
      break;
    case LlcKind::Load:
      read_lanes(*request.op, request.lanes, data_[way]);
      break;
    case LlcKind::Store:
      merge_bytes(data_[way], request.data, request.mask);
      tag.valid |= request.mask;
      tag.dirty |= request.mask;
      break;
    case LlcKind::Atomic:
      perform_atomic(request, way);
      break;
  }
  if (watcher_ != nullptr) show(request, data_[way]);
  if (entry == kNone) return;
  write_through(entry, request, data_[way]);
  tag.dirty = 0;
}

void Llc::show(const LlcRequest& request, const Line& data) const {
  const bool stores = request.kind == LlcKind::Store || request.kind == LlcKind::Atomic;
  if (stores && persistent_.contains(request.line)) {
    watcher_->stored(request.line, data, request.mask);
  }
}

void Llc::write_through(std::uint16_t entry, const LlcRequest& request, const Line& data) {
  if (!persists(request.line)) return write(entry, request.line, data, request.mask);
  const auto same = std::find_if(gathered_.begin(), gathered_.end(), [&](std::uint16_t other) {
    return write_buffer_[other].line == request.line;
  });
  const bool joins = same != gathered_.end();
  const std::uint16_t to = joins ? *same : entry;
  Write& line = write_buffer_[to];
  if (joins) {
    ++stats_.persist_gathered;
    merge_bytes(line.data, data, request.mask);
    line.bytes |= request.mask;
    free_entries_.push_back(entry);
    await_write_buffer_.clear();
  } else {
    line = {request.line, request.mask, true, data};
    gathered_.push_back(entry);
    gathering_.push({cycle_ + gather_cycles_, entry});
    plan_persist();
  }
  std::vector<Warp*>& owners = owners_[to];
  if (persistent_.awaited &&
      std::find(owners.begin(), owners.end(), request.op->warp) == owners.end()) {
    owners.push_back(request.op->warp);
    request.op->warp->persist_begun();
  }
  if (gather_cycles_ == 0 || line.bytes == kAllBytes) send_gathered(request.line);
}

void Llc::send_gathered(std::uint64_t line) {
  const auto at = std::find_if(gathered_.begin(), gathered_.end(), [&](std::uint16_t entry) {
    return write_buffer_[entry].line == line;
  });
  if (at == gathered_.end()) return;
  const std::uint16_t entry = *at;
  gathered_.erase(at);
  const Write& from = write_buffer_[entry];
  ++stats_.persist_lines;
  stats_.persist_bytes += static_cast<std::uint64_t>(std::popcount(from.bytes));
  ++(from.bytes == kAllBytes ? stats_.hdm_writes_full : stats_.hdm_writes_partial);
  bus_.push() = {entry, true};
}

// One that was sent before its time may have its entry given to a line that is gathered now: that
// is then sent early, which is no harm.
void Llc::send_due() {
  while (!gathering_.empty() && gathering_.front().due <= cycle_) {
    const std::uint16_t entry = gathering_.front().entry;
    gathering_.pop();
    if (std::find(gathered_.begin(), gathered_.end(), entry) != gathered_.end()) {
      send_gathered(write_buffer_[entry].line);
    }
  }
  plan_persist();
}

void Llc::plan_persist() {
  persist_due_ = gathering_.empty() ? ~std::uint64_t{0} : gathering_.front().due;
  if (!persisted_.empty()) persist_due_ = std::min(persist_due_, persisted_.front().due);
}

void Llc::acknowledge_persistent(std::uint16_t entry, bool refused) {
  for (Warp* warp : owners_[entry]) {
    persisted_.push({cycle_ + params_.fill_latency_cycles, warp, refused});
  }
  owners_[entry].clear();
  plan_persist();
}

void Llc::tell_persisted(std::uint64_t cycle) {
  while (!persisted_.empty() && persisted_.front().due <= cycle) {
    const Persisted done = persisted_.front();
    persisted_.pop();
    plan_persist();
    done.warp->persist_done(done.refused);
  }
}

void Llc::perform_atomic(const LlcRequest& request, std::size_t way) {
  MemOp& op = *request.op;
  for (LaneMask m = request.lanes; m != 0; m &= m - 1) {
    const unsigned lane = first_lane(m);
    const std::uint64_t addr = op.addr[lane];
    const std::uint64_t old = read_element(data_[way], addr, op.bytes);
    const std::uint64_t operand = element_of(op.value, lane, op.bytes);
    std::uint64_t result = old;
    switch (op.atomic) {
      case AtomicOp::Add:
        result = old + operand;
        break;
      case AtomicOp::Min:
        result = std::min(old, operand);
        break;
      case AtomicOp::MinSigned: {
        const unsigned shift = 64 - 8 * op.bytes;
        const auto a = static_cast<std::int64_t>(old << shift);
        const auto b = static_cast<std::int64_t>(operand << shift);
        result = a < b ? old : operand;
        break;
      }
      case AtomicOp::Cas:
        result = old == element_of(op.compare, lane, op.bytes) ? operand : old;
        break;
    }
    write_element(data_[way], addr, op.bytes, result);
    const std::uint64_t mask = element_mask(addr, op.bytes);
    tags_[way].dirty |= mask;
    tags_[way].valid |= mask;
    set_element_of(op.value, lane, op.bytes, old);
  }
}

const MemRequest& Llc::bus_request() {
  if (offered_) return offer_;
  offered_ = true;
  const BusEntry entry = bus_.front();
  MemRequest& request = offer_;
  request.is_write = entry.is_write;
  if (entry.is_write) {
    const Write& from = write_buffer_[entry.index];
    request.id = static_cast<std::uint32_t>(mshrs_.size()) + entry.index;
    request.addr = from.line;
    request.byte_enable = from.bytes;
    request.data = from.data;
  } else {
    request.id = entry.index;
    request.byte_enable = kAllBytes;
    request.addr = lines_[mshrs_[entry.index].way];
  }
  return request;
}

void Llc::respond(const MemResponse& response, std::uint64_t cycle) {
  cycle_ = cycle;
  if (response.error) ++stats_.response_errors;
  if (!response.is_write && response.id < mshrs_.size() && mshrs_[response.id].busy) {
    fill(static_cast<std::uint16_t>(response.id), response.data);
    return;
  }
  const std::size_t index = response.id - mshrs_.size();
  if (response.is_write && index < write_buffer_.size() && write_buffer_[index].busy) {
    if (!owners_.empty()) {
      acknowledge_persistent(static_cast<std::uint16_t>(index), response.error);
    }
    acknowledge(static_cast<std::uint16_t>(index));
    return;
  }
  ++stats_.response_errors;  // an answer to nothing
}

Line Llc::peek(std::uint64_t line) const {
  Line data = local_.read(line);
  const auto way = way_of(line, hashed_set(line, set_bits_));
  if (way) merge_bytes(data, data_[*way], tags_[*way].valid);
  return data;
}

// Up to one line a bank a cycle.
void Llc::flush() {
  for (std::uint32_t n = 0; n < params_.banks && flush_at_ < tags_.size();) {
    const bool dirty = tags_[flush_at_].dirty != 0;
    if (!write_back(flush_at_)) return;
    ++flush_at_;
    if (dirty) ++n;
  }
}

}  // namespace cxlgpu
