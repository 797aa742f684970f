// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
#include "sim/paging/paged_engine.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cassert>
#include <string>

#include "common/input_error.hpp"
#include "sim/paging/density_tree.hpp"

namespace cxlgpu {

namespace {

// GPU memory begins at address 0 of its own.
SystemMapParams frames_map(std::uint32_t frames) {
  SystemMapParams map;
  map.local_bytes = map.hdm_base = frames * kPageBytes;
  return map;
}

std::uint64_t cycle_of(Time t) {
  return ceil_to_cycle(t).ps / kCycle.ps;
}

std::uint32_t chunk_pages(const FaultConfig& faults) {
  return static_cast<std::uint32_t>(faults.evict_bytes / kPageBytes);
}

// Whole chunks alone; the last one of the data may be cut, so memory for all data has room for it.
std::uint32_t usable(const PagedEngineParams& params) {
  const std::uint32_t chunk = chunk_pages(params.faults);
  const bool all = params.frames >= params.bytes / kPageBytes;
  return (params.frames + (all ? chunk - 1 : 0)) / chunk * chunk;
}

}  // namespace

PagedEngine::PagedEngine(const PagedEngineParams& params, PageStore& store, TraceSink* sink)
    : params_(params),
      store_(store),
      sink_(sink),
      table_(params.bytes / kPageBytes, usable(params), chunk_pages(params.faults)),
      memory_(params.memory, frames_map(usable(params))),
      page_bytes_(kPageBytes) {
  if (params.frames == 0) {
    throw InputError(
        "local_memory.percent_of_data: leaves no page of GPU memory to bring data to; raise it");
  }
  if (table_.chunks() == 0) {
    throw InputError(fmt::format(
        "uvm.evict_bytes: {} pages of GPU memory are less than one chunk of {} bytes; lower it, or "
        "raise local_memory.percent_of_data",
        params.frames, params.faults.evict_bytes));
  }
  assert(params.bytes % kPageBytes == 0);
}

bool PagedEngine::submit(const MemRequest& request) {
  if (sink_ != nullptr) {
    sink_->on_event(
        {now_, Stage::SysAccept, 0, request.id, request.addr, request.is_write ? 1U : 0U});
  }
  ++stats_.accesses;
  if (request.addr - params_.base >= params_.bytes) {
    refused_.push_back({now_ + kCycle, {request.id, request.is_write, true, {}}});
    return true;
  }
  const std::uint64_t page = (request.addr - params_.base) / kPageBytes;
  if (const auto frame = table_.frame_of(page)) {
    access(*frame, request, now_);
    return true;
  }
  ++stats_.waited;
  const auto [waiting, first] = waiting_.try_emplace(page);
  waiting->second.push_back({request, now_});
  if (first) {
    ++stats_.faults;
    buffer_.push_back({now_ + Time{params_.faults.fault_ps}, page});
  }
  return true;
}

void PagedEngine::access(std::uint32_t frame, const MemRequest& request, Time at) {
  const std::uint64_t place = frame * kPageBytes + request.addr % kPageBytes;
  table_.access(frame, request.is_write);
  if (params_.faults.evict_by_access) table_.touch(frame);
  if (free_slots_.empty()) {
    free_slots_.push_back(static_cast<std::uint32_t>(slots_.size()));
    slots_.emplace_back();
  }
  const std::uint32_t slot = free_slots_.back();
  free_slots_.pop_back();
  slots_[slot] = {request.id, request.is_write, false, {}};
  DramAccess kind = DramAccess::Read;
  if (request.is_write) {
    memory_.write(place, request.data, request.byte_enable);
    kind = request.byte_enable == kAllBytes ? DramAccess::Write : DramAccess::MaskedWrite;
  } else {
    slots_[slot].data = memory_.read(place);
  }
  memory_.submit(cycle_of(at), place, kind, slot);
}

std::optional<MemResponse> PagedEngine::take() {
  if (ready_.empty()) {
    while (const auto slot = memory_.take(cycle_of(now_))) answer(*slot);
  }
  if (ready_.empty()) return std::nullopt;
  const MemResponse response = ready_.front();
  ready_.pop_front();
  if (sink_ != nullptr) {
    sink_->on_event({now_, Stage::SysRespond, 0, response.id, 0, response.error ? 1U : 0U});
  }
  return response;
}

void PagedEngine::answer(std::uint32_t slot) {
  ready_.push_back(slots_[slot]);
  free_slots_.push_back(slot);
}

Time PagedEngine::next_event() const {
  const std::uint64_t cycle = memory_.next_cycle();
  Time next = cycle == ~std::uint64_t{0} ? Time::never() : kCycle * cycle;
  if (!refused_.empty()) next = std::min(next, refused_.front().at);
  switch (phase_) {
    case Phase::Idle:
      if (!buffer_.empty()) next = std::min(next, buffer_.front().at);
      break;
    case Phase::Fetching:
    case Phase::Serving:
      next = std::min(next, phase_at_);
      break;
    case Phase::Evicting:
    case Phase::Bringing:
      next = std::min(next, store_.next_event());
      break;
  }
  return next;
}

void PagedEngine::advance_to(Time t) {
  Time at = now_;
  while (ready_.empty()) {
    const Time next = next_event();
    if (next == Time::never() || next > t) break;
    at = std::max(at, next);
    event(at);
  }
  // At an answer, or where nothing is left to happen before t.
  if (!ready_.empty()) {
    now_ = std::max(now_, ceil_to_cycle(at));
  } else if (t != Time::never()) {
    now_ = std::max(now_, t);
  } else {
    now_ = std::max(now_, ceil_to_cycle(at));
  }
}

void PagedEngine::event(Time at) {
  while (const auto slot = memory_.take(at.ps / kCycle.ps)) answer(*slot);
  for (; !refused_.empty() && refused_.front().at <= at; refused_.pop_front()) {
    ready_.push_back(refused_.front().response);
  }
  switch (phase_) {
    case Phase::Idle:
      begin_batch(at);
      break;
    case Phase::Fetching:
      if (phase_at_ <= at) fetch();
      break;
    case Phase::Serving:
      if (phase_at_ <= at) serve(at);
      break;
    case Phase::Evicting:
      if (store_.next_event() <= at && store_.advance(at)) {
        stats_.evicting += at - began_;
        bring(at);
      }
      break;
    case Phase::Bringing:
      if (store_.next_event() <= at && store_.advance(at)) replay(at);
      break;
  }
}

void PagedEngine::begin_batch(Time at) {
  while (!buffer_.empty() && buffer_.front().at <= at && !wanted(buffer_.front().page)) {
    ++stats_.stale;
    buffer_.pop_front();
  }
  if (buffer_.empty() || buffer_.front().at > at) return;
  ++stats_.batches;
  stats_.raising += std::min(at - last_end_, Time{params_.faults.fault_ps});
  phase_ = Phase::Fetching;
  began_ = at;
  phase_at_ = at + Time{params_.faults.fetch_ps};
}

void PagedEngine::fetch() {
  const std::size_t most = std::min(params_.faults.batch_faults, table_.frames());
  batch_.clear();
  in_batch_.clear();
  runs_.clear();
  while (!buffer_.empty() && buffer_.front().at <= phase_at_ && batch_.size() < most) {
    const std::uint64_t page = buffer_.front().page;
    if (!room_for(page)) break;
    buffer_.pop_front();
    if (!wanted(page) || !add(page)) ++stats_.stale;
  }
  batch_faults_ = batch_.size();
  prefetch();
  const std::uint64_t chunks = chunks_to_evict();
  phase_ = Phase::Serving;
  phase_at_ = began_ + Time{std::max(params_.faults.fetch_ps, params_.faults.host_runtime_ps)} +
              Time{params_.faults.block_ps} * (blocks_ + chunks) +
              Time{params_.faults.page_ps} * batch_.size();
}

// Whether the batch may have this page too: its run has a chunk, or there can be one.
bool PagedEngine::room_for(std::uint64_t page) const {
  return runs_.size() < table_.chunks() || runs_.count(table_.run_of(page)) != 0;
}

// False: it is there, or in the batch.
bool PagedEngine::add(std::uint64_t page) {
  if (table_.frame_of(page) || !in_batch_.insert(page).second) return false;
  batch_.push_back(page);
  runs_.insert(table_.run_of(page));
  return true;
}

std::size_t PagedEngine::chunks_to_evict() const {
  std::size_t needed = 0;
  for (const std::uint64_t run : runs_) needed += table_.has_chunk(run) ? 0 : 1;
  return needed - std::min<std::size_t>(needed, table_.free_chunks());
}

// The host's software has done its part.
void PagedEngine::serve(Time at) {
  stats_.runtime += at - began_;
  began_ = at;
  for (const std::uint64_t page : batch_) {  // so that no chunk of the batch is the oldest
    if (table_.has_chunk(table_.run_of(page))) table_.touch_run(table_.run_of(page));
  }
  std::vector<PageOut> going;
  for (std::size_t n = chunks_to_evict(); n > 0; --n) {
    for (const ResidentPage& victim : table_.evict()) {
      gone(victim);
      ++stats_.evicted;
      if (victim.dirty || params_.faults.evict_all) going.push_back(out(victim));
    }
  }
  std::sort(going.begin(), going.end(),
            [](const PageOut& a, const PageOut& b) { return a.page < b.page; });
  stats_.pages_out += going.size();
  if (going.empty()) {
    bring(at);
    return;
  }
  phase_ = Phase::Evicting;
  const Time taking = Time{params_.faults.page_ps} * going.size();
  stats_.runtime += taking;
  began_ = at + taking;
  store_.begin_out(going, began_);
}

PageOut PagedEngine::out(const ResidentPage& page) {
  return {page.page, memory_.page(page.frame * kPageBytes, kPageBytes)};
}

void PagedEngine::gone(const ResidentPage& page) {
  if (page.prefetched && !page.used) ++stats_.useless;
}

// What comes with the faults, as far as there is room; also counts their blocks.
void PagedEngine::prefetch() {
  const FaultConfig& f = params_.faults;
  std::vector<std::uint64_t> faults = batch_;
  const std::uint64_t block_pages = f.block_bytes / kPageBytes;
  const bool by_density = f.prefetch == PagePrefetch::Density;
  if (!by_density) {
    for (const std::uint64_t page : faults) prefetch_block(page);
  }
  // The driver sorts a batch and serves it block by block.
  std::sort(faults.begin(), faults.end());
  blocks_ = 0;
  for (auto from = faults.begin(); from != faults.end(); ++blocks_) {
    const std::uint64_t block = *from / block_pages;
    const auto to = std::find_if(from, faults.end(),
                                 [=](std::uint64_t page) { return page / block_pages != block; });
    if (by_density) prefetch_by_density(block, {from, to});
    from = to;
  }
  stats_.blocks += blocks_;
}

void PagedEngine::prefetch_block(std::uint64_t page) {
  const std::uint64_t block = params_.faults.prefetch_bytes / kPageBytes;
  if (block == 1) return;
  const std::uint64_t first = page / block * block;
  const std::uint64_t end = std::min(first + block, table_.pages());
  for (std::uint64_t other = first; other < end; ++other) {
    if (room_for(other)) add(other);
  }
}

void PagedEngine::prefetch_by_density(std::uint64_t block, std::span<const std::uint64_t> faults) {
  const FaultConfig& f = params_.faults;
  const std::uint64_t first = block * (f.block_bytes / kPageBytes);
  const std::uint64_t end = std::min(first + f.block_bytes / kPageBytes, table_.pages());
  DensityTree tree(static_cast<std::uint32_t>(end - first),
                   static_cast<std::uint32_t>(f.prefetch_bytes / kPageBytes), f.prefetch_threshold);
  for (std::uint64_t page = first; page < end; ++page) {
    if (table_.frame_of(page)) tree.set(static_cast<std::uint32_t>(page - first));
  }
  for (const std::uint64_t page : faults) tree.fault(static_cast<std::uint32_t>(page - first));
  for (const std::uint64_t page : faults) {
    const DensityTree::Region region = tree.region(static_cast<std::uint32_t>(page - first));
    for (std::uint64_t other = first + region.first; other < first + region.end; ++other) {
      if (room_for(other)) add(other);
    }
  }
}

void PagedEngine::bring(Time at) {
  phase_ = Phase::Bringing;
  began_ = at;
  std::vector<std::uint64_t> pages = batch_;
  std::sort(pages.begin(), pages.end());
  store_.begin_in(pages, at);
}

void PagedEngine::replay(Time at) {
  stats_.bringing += at - began_;
  stats_.pages_in += batch_.size();
  // What was not asked for is the older, so that it goes before what was.
  std::rotate(batch_.begin(), batch_.begin() + static_cast<std::ptrdiff_t>(batch_faults_),
              batch_.end());
  const std::size_t unasked = batch_.size() - batch_faults_;
  stats_.prefetched += unasked;
  for (std::size_t i = 0; i < batch_.size(); ++i) {
    const std::uint32_t frame = table_.map(batch_[i], i < unasked);
    store_.peek(batch_[i] * kPageBytes, page_bytes_);
    memory_.poke(frame * kPageBytes, page_bytes_);
  }
  for (const std::uint64_t page : batch_) {
    const auto found = waiting_.find(page);
    if (found == waiting_.end()) continue;
    const std::vector<Waiting> waiting = std::move(found->second);
    waiting_.erase(found);
    for (const Waiting& line : waiting) {
      stats_.waiting += at - line.since;
      access(*table_.frame_of(page), line.request, at);
    }
  }
  phase_ = Phase::Idle;
  last_end_ = at;
  begin_batch(at);
}

void PagedEngine::drain() {
  assert(waiting_.empty() && phase_ == Phase::Idle);
  std::vector<PageOut> dirty;
  for (const ResidentPage& page : table_.resident()) {
    gone(page);
    if (!page.dirty) continue;
    dirty.push_back(out(page));
    table_.clean(page.frame);
  }
  if (dirty.empty()) return;
  stats_.pages_out += dirty.size();
  store_.begin_out(dirty, now_);
  Time at = now_;
  do {
    at = std::max(at, store_.next_event());
  } while (!store_.advance(at));
  stats_.draining = at - now_;
  now_ = ceil_to_cycle(at);
}

}  // namespace cxlgpu
