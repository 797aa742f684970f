// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
#include "sim/media/flash_media.hpp"

#include <algorithm>
#include <cassert>

namespace cxlgpu {

namespace {

template <typename Queue>
Time next_of(const Queue& queue) {
  return queue.empty() ? Time::never() : queue.front().at;
}

}  // namespace

FlashMedia::FlashMedia(const FlashConfig& config, std::uint64_t capacity, std::uint32_t slots,
                       std::uint32_t line_bytes, const CollectionScript& script)
    : config_(config),
      capacity_(capacity),
      slots_(slots),
      line_bytes_(line_bytes),
      held_(line_bytes / kLineBytes),
      dram_(config.internal_dram),
      flash_(config, script),
      status_(flash_.dies()),
      buffer_(config),
      copy_(line_bytes),
      depth_{config.read_queue_depth, config.write_queue_depth, config.array_queue_depth} {
  assert(config_.striping == Striping::Linear || config_.permuted_problem().empty());
  const std::uint32_t ops = depth_[0] + depth_[1] + depth_[2];
  pool_.resize(ops);
  for (std::uint32_t i = ops; i > 0; --i) free_.push_back(i - 1);
  if (flash_.ftl() != nullptr) merged_.resize(config.buffer_pages);
  update_next();  // the script's first
}

unsigned FlashMedia::queue_of(MediaOp op) {
  switch (op) {
    case MediaOp::Read:
    case MediaOp::Fill:
      return 0;
    case MediaOp::Write:
    case MediaOp::WriteBack:
      return 1;
    case MediaOp::ArrayRead:
    case MediaOp::ArrayWrite:
      break;
  }
  return 2;
}

bool FlashMedia::can_accept(Time /*now*/, MediaOp op) const {
  return outstanding_[queue_of(op)] < depth_[queue_of(op)];
}

bool FlashMedia::valid(const MediaCommand& command) const {
  switch (command.op) {
    case MediaOp::Read:
      return command.dpa % kLineBytes == 0 && command.dpa < capacity_ && command.lines >= 1 &&
             command.dpa % config_.page_bytes + command.lines * kLineBytes <= config_.page_bytes;
    case MediaOp::Write:
      return command.dpa % kLineBytes == 0 && command.dpa < capacity_;
    case MediaOp::Fill:
    case MediaOp::WriteBack:
      return command.dpa % line_bytes_ == 0 && command.dpa < capacity_ && command.slot < slots_;
    case MediaOp::ArrayRead:
    case MediaOp::ArrayWrite:
      return command.slot < slots_ && command.offset % kLineBytes == 0 &&
             command.offset < line_bytes_;
  }
  return false;
}

// Where the physical page of `page` lies.
std::uint64_t FlashMedia::flash_page(std::uint64_t page) const {
  const Ftl* ftl = flash_.ftl();
  return ftl == nullptr ? page : ftl->where(static_cast<std::uint32_t>(page));
}

// Address of what is found in the physical page of `dpa`: its own, unless the translation is wrong.
std::uint64_t FlashMedia::data_of(std::uint64_t dpa) const {
  constexpr std::uint64_t kErased = std::uint64_t{1} << 63;  // nothing is ever written there
  const Ftl* ftl = flash_.ftl();
  if (ftl == nullptr) return dpa;
  const auto at = ftl->mapped(static_cast<std::uint32_t>(page_of(dpa)));
  if (!at) return dpa;
  const auto data = ftl->data_at(*at);  // back to its address: striped() is its own inverse
  return (data ? config_.striped(*data) * config_.page_bytes : kErased) + dpa % config_.page_bytes;
}

// The effect on the contents, in the order of submit().
void FlashMedia::apply(const MediaCommand& command, Op& op) {
  const auto copy = [&](const SparseStore& from, std::uint64_t at, SparseStore& to,
                        std::uint64_t to_at) {
    from.read(at, {copy_.data(), line_bytes_});
    to.write(to_at, {copy_.data(), line_bytes_});
    to.copy_marks(from, at, to_at, line_bytes_);
  };
  const std::uint64_t slot = std::uint64_t{command.slot} * line_bytes_;
  op.dpa = command.dpa;
  op.bytes = static_cast<std::uint32_t>(kLineBytes);
  op.slot_addr = slot + command.offset;
  op.whole = command.byte_enable == kAllBytes;
  switch (command.op) {
    case MediaOp::Read:
      op.response.data = store_.read_line(data_of(command.dpa));
      for (std::uint64_t i = 0; i < command.lines; ++i) {
        const bool bad = store_.poisoned(data_of(command.dpa + i * kLineBytes));
        op.response.poison = op.response.poison || bad;
      }
      op.bytes = static_cast<std::uint32_t>(command.lines * kLineBytes);
      counters_.reads += command.lines;
      break;
    case MediaOp::Write:
      store_.write_line(command.dpa, command.data, command.byte_enable, command.poison);
      ++counters_.writes;
      break;
    case MediaOp::ArrayRead:
      op.response.data = array_.read_line(op.slot_addr);
      op.response.poison = array_.poisoned(op.slot_addr);
      ++counters_.array_reads;
      break;
    case MediaOp::ArrayWrite:
      if (command.partial) {
        for (std::uint64_t i = 0; i < line_bytes_; i += kLineBytes) array_.mark(slot + i, false);
        held_.open(command.slot);
        take_slot(command.slot, command.dpa);
      }
      held_.written(command.slot, command.offset / kLineBytes, command.byte_enable);
      array_.write_line(op.slot_addr, command.data, command.byte_enable, command.poison);
      ++counters_.array_writes;
      break;
    case MediaOp::Fill:
      if (command.partial) {
        fill_rest(command);
      } else {
        copy(store_, data_of(command.dpa), array_, slot);
      }
      held_.filled(command.slot);
      op.bytes = line_bytes_;
      op.slot_addr = slot;
      op.whole = !command.partial;
      take_slot(command.slot, command.dpa);
      ++counters_.fills;
      break;
    case MediaOp::WriteBack:
      op.whole = !held_.in_part(command.slot);
      if (op.whole) {
        copy(array_, slot, store_, command.dpa);
      } else {
        write_back_part(command);
      }
      op.bytes = line_bytes_;
      op.slot_addr = slot;
      ++counters_.write_backs;
      break;
  }
}

void FlashMedia::take_slot(std::uint32_t slot, std::uint64_t dpa) {
  if (filled_.size() <= slot) {
    filled_.resize(std::max<std::size_t>(slot + 1, 2 * filled_.size()));
  }
  filled_[slot] = {dpa / line_bytes_, ++taken_};
  slot_of_stale_ = true;
}

void FlashMedia::fill_rest(const MediaCommand& command) {
  const std::uint64_t slot = std::uint64_t{command.slot} * line_bytes_;
  for (std::uint64_t i = 0; i < line_bytes_; i += kLineBytes) {
    const std::uint64_t missing = ~held_.mask(command.slot, i / kLineBytes);
    if (missing == 0) continue;
    const std::uint64_t from = data_of(command.dpa + i);
    const bool bad = store_.poisoned(from) || array_.poisoned(slot + i);
    array_.write_line(slot + i, store_.read_line(from), missing);
    array_.mark(slot + i, bad);
  }
}

void FlashMedia::write_back_part(const MediaCommand& command) {
  const std::uint64_t slot = std::uint64_t{command.slot} * line_bytes_;
  for (std::uint64_t i = 0; i < line_bytes_; i += kLineBytes) {
    const std::uint64_t mask = held_.mask(command.slot, i / kLineBytes);
    if (mask == 0) continue;
    store_.write_line(command.dpa + i, array_.read_line(slot + i), mask, array_.poisoned(slot + i));
  }
}

void FlashMedia::submit(const MediaCommand& command, Time now) {
  assert(can_accept(now, command.op));
  catch_up(now);
  latest_ = now;
  ++outstanding_[queue_of(command.op)];
  const std::uint32_t index = free_.back();
  free_.pop_back();
  Op& op = pool_[index];
  op = Op{};
  op.response.op = command.op;
  op.response.id = command.id;
  if (!valid(command)) {
    op.response.error = true;
    if (command.op == MediaOp::Fill && command.slot < slots_) {
      const std::uint64_t slot = std::uint64_t{command.slot} * line_bytes_;
      for (std::uint64_t i = 0; i < line_bytes_; i += kLineBytes) {
        const bool stays = command.partial && held_.mask(command.slot, i / kLineBytes) == kAllBytes;
        if (!stays) array_.mark(slot + i, true);
      }
      held_.filled(command.slot);
    }
    in_lookup_.push({now + config_.lookup, Step::Failed, index});
  } else {
    apply(command, op);
    if (queue_of(command.op) != 2) {
      ++on_the_way_;
      in_lookup_.push({now + config_.lookup, Step::LookedUp, index});
    } else if (command.op == MediaOp::ArrayRead) {
      start_dram(index, DramAccess::Read, now);
    } else {
      start_dram(index, op.whole ? DramAccess::Write : DramAccess::MaskedWrite, now);
    }
  }
  update_next();
}

// Everything that happens up to `now`, in time order; at the same time the DRAM goes last.
void FlashMedia::advance(Time now) {
  latest_ = now;
  while (true) {
    const Time other = next_but_dram();
    if (!drain_dram(now, other)) continue;  // the buffer has changed
    if (other > now) {
      next_ = std::min(other, dram_.next_event());
      return;
    }
    const bool lookup = next_of(in_lookup_) == other;
    if (lookup || next_of(in_ecc_) == other) {
      Pipe<Scheduled>& queue = lookup ? in_lookup_ : in_ecc_;
      const Scheduled what = queue.front();
      queue.pop();
      step(what, other);
    } else if (flash_.next_event() == other) {
      if (const auto done = flash_.take(other)) {
        if (done->program) {
          program_done(done->token, other);
        } else if ((done->token & kMerge) != 0) {
          const std::uint32_t entry = done->token & ~kMerge;
          flash_.program(merged_[entry], false, entry, other);
        } else {
          in_ecc_.push({other + config_.ecc, Step::Decoded, done->token});
        }
      }
    } else {
      start_programs(other);
    }
  }
}

// DRAM answers up to `now` and before `other`; false as soon as one changed anything but ready_.
bool FlashMedia::drain_dram(Time now, Time other) {
  for (Time at = dram_.next_event(); at <= now && at < other; at = dram_.next_event()) {
    const auto op = dram_.take(at);
    if (!op || --pool_[*op].dram_left > 0) continue;
    if (pool_[*op].response.op == MediaOp::WriteBack) {
      to_buffer(*op, at);
      return false;
    }
    answer(*op, at);
  }
  return true;
}

void FlashMedia::answer(std::uint32_t op, Time at) {
  if (ready_.empty()) ready_at_ = at;
  ready_.push(op);
}

void FlashMedia::step(const Scheduled& what, Time now) {
  Op& op = pool_[what.op];
  const std::uint64_t page = page_of(op.dpa);
  const auto first = static_cast<std::uint32_t>(op.dpa % config_.page_bytes / kLineBytes);
  const auto lines = op.bytes / static_cast<std::uint32_t>(kLineBytes);
  if (what.step == Step::Failed) {
    answer(what.op, now);
    return;
  }
  const MediaOp kind = op.response.op;
  if (what.step == Step::LookedUp) {
    if (kind == MediaOp::WriteBack) {
      start_dram(what.op, DramAccess::Read, now);
      return;
    }
    if (kind == MediaOp::Write) {
      to_buffer(what.op, now);
      return;
    }
    --on_the_way_;
    if (!buffer_.covers(page, first, lines)) {
      flash_.read(flash_page(page), config_.page_granule ? config_.page_bytes : op.bytes, what.op,
                  true, now);
      return;
    }
  }
  // The data is in the controller: from the buffer, or decoded.
  if (kind == MediaOp::Fill) {
    start_dram(what.op, op.whole ? DramAccess::Write : DramAccess::MaskedWrite, now);
  } else {
    answer(what.op, now);
  }
}

void FlashMedia::start_dram(std::uint32_t index, DramAccess access, Time now) {
  Op& op = pool_[index];
  op.dram_left = op.bytes / static_cast<std::uint32_t>(kLineBytes);
  for (std::uint32_t i = 0; i < op.bytes; i += kLineBytes) {
    dram_.submit(op.slot_addr + i, access, index, now);
  }
}

bool FlashMedia::put(const Op& op, Time now) {
  return buffer_.put(page_of(op.dpa),
                     static_cast<std::uint32_t>(op.dpa % config_.page_bytes / kLineBytes),
                     op.bytes / static_cast<std::uint32_t>(kLineBytes), op.whole, now);
}

// Writes take their places in the buffer in order; those that find it full wait. One of a page that
// has its place needs none and waits for nobody.
void FlashMedia::to_buffer(std::uint32_t index, Time now) {
  const bool can = waiting_.empty() || buffer_.has(page_of(pool_[index].dpa));
  if (can && put(pool_[index], now)) {
    show_buffered(index, now);
    --on_the_way_;
    answer(index, now);
    start_programs(now);
    return;
  }
  waiting_.push(index);
  flash_.set_urgent(true);
}

void FlashMedia::start_programs(Time now) {
  while (const auto program = buffer_.next_program(now)) {
    if (watcher_ != nullptr) {
      watcher_->program_begins(config_.striped(program->page) * config_.page_bytes, now);
    }
    if (program->merge && flash_.ftl() != nullptr) {
      merged_[program->entry] = program->page;
      flash_.read(flash_page(program->page), config_.page_bytes, program->entry | kMerge, false,
                  now);
      continue;
    }
    flash_.program(program->page, program->merge, program->entry, now);
  }
}

void FlashMedia::show_buffered(std::uint32_t index, Time now) {
  const MediaResponse& response = pool_[index].response;
  if (watcher_ != nullptr && response.op == MediaOp::Write) watcher_->buffered(response.id, now);
}

void FlashMedia::program_done(std::uint32_t entry, Time now) {
  if (watcher_ != nullptr) {
    watcher_->program_ends(config_.striped(buffer_.page_of(entry)) * config_.page_bytes, now);
  }
  buffer_.programmed(entry, now);
  while (!waiting_.empty() && put(pool_[waiting_.front()], now)) {
    show_buffered(waiting_.front(), now);
    answer(waiting_.front(), now);
    waiting_.pop();
    --on_the_way_;
  }
  flash_.set_urgent(!waiting_.empty());
  start_programs(now);
}

std::optional<MediaResponse> FlashMedia::take(Time now) {
  catch_up(now);
  if (ready_.empty()) return std::nullopt;
  const std::uint32_t index = ready_.front();
  ready_.pop();
  ready_at_ = now;
  free_.push_back(index);
  const MediaResponse& response = pool_[index].response;
  --outstanding_[queue_of(response.op)];
  return response;
}

Time FlashMedia::next_but_dram() const {
  return std::min(std::min(next_of(in_lookup_), next_of(in_ecc_)),
                  std::min(flash_.next_event(), buffer_.next_cold()));
}

void FlashMedia::update_next() {
  next_ = std::min(next_but_dram(), dram_.next_event());
}

Time FlashMedia::next_event() const {
  if (!ready_.empty()) return ready_at_;
  if (outstanding_[0] + outstanding_[1] + outstanding_[2] == 0) return Time::never();
  return next_;
}

Time FlashMedia::flush(Time now) {
  assert(outstanding_[0] + outstanding_[1] + outstanding_[2] == 0);
  advance(now);
  buffer_.flush(true);
  start_programs(now);
  while (buffer_.used() > 0 || !flash_.idle()) {
    const Time next = flash_.next_event();
    assert(next != Time::never());
    now = std::max(now, next);
    advance(now);
  }
  buffer_.flush(false);
  update_next();
  return now;
}

Time FlashMedia::shut_down(Time now) {
  now = std::max(now, latest_);
  std::vector<std::uint32_t> dirty;
  std::vector<std::uint8_t> inside(line_bytes_), outside(line_bytes_);
  for (const auto& [line, slot] : slot_of()) {
    array_.read(std::uint64_t{slot} * line_bytes_, inside);
    store_.read(data_of(line * line_bytes_), outside);
    if (held_.in_part(slot) || inside != outside ||
        !array_.same_marks(store_, data_of(line * line_bytes_), std::uint64_t{slot} * line_bytes_,
                           line_bytes_)) {
      dirty.push_back(slot);
    }
  }
  std::sort(dirty.begin(), dirty.end());
  const auto wait = [&] {
    while (!take(now)) now = std::max(now, next_event());
  };
  for (const std::uint32_t slot : dirty) {
    while (!can_accept(now, MediaOp::WriteBack)) wait();
    MediaCommand command;
    command.op = MediaOp::WriteBack;
    command.slot = slot;
    command.dpa = filled_[slot].line * line_bytes_;
    submit(command, now);
  }
  while (outstanding_[queue_of(MediaOp::WriteBack)] > 0) wait();
  return flush(now);
}

// Pages of zeros are left out: whether one was ever written is no part of the contents.
ImageWriter FlashMedia::image() const {
  assert(buffer_.used() == 0);
  ImageWriter out;
  write_organisation(out);
  flash_.save(out);
  std::vector<std::uint64_t> kept;
  std::vector<std::uint8_t> bytes(SparseStore::kPageBytes);
  const std::vector<std::uint8_t> zeros(SparseStore::kPageBytes);
  for (const std::uint64_t page : store_.pages()) {
    store_.read(page * SparseStore::kPageBytes, bytes);
    if (bytes != zeros) kept.push_back(page);
  }
  out.u64(kept.size());
  for (const std::uint64_t page : kept) {
    store_.read(page * SparseStore::kPageBytes, bytes);
    out.u64(page);
    out.bytes(bytes);
  }
  const std::vector<std::uint64_t> marks = store_.marks();
  out.u64(marks.size());
  for (const std::uint64_t line : marks) out.u64(line);
  return out;
}

// What an image of this part begins with, and one of another part does not.
void FlashMedia::write_organisation(ImageWriter& out) const {
  out.u64(capacity_);
  out.u64(config_.pages_per_die);
  // Translation and wear are kept by the number that a page has in the striping. The top bit is
  // free, so that images of a linear part stay what they were.
  constexpr std::uint32_t kPermuted = std::uint32_t{1} << 31;
  const std::uint32_t striping = config_.striping == Striping::Permuted ? kPermuted : 0;
  for (const std::uint32_t number : {config_.page_bytes, config_.channels, config_.dies_per_channel,
                                     config_.pages_per_block | striping}) {
    out.u32(number);
  }
}

void FlashMedia::load(const std::filesystem::path& file) {
  ImageReader in(file);
  ImageWriter own;
  write_organisation(own);
  std::vector<std::uint8_t> found(own.contents().size());
  in.bytes(found);
  if (found != own.contents()) {
    in.fail("the image is of another part, size or striping; use the part that made it");
  }
  flash_.load(in);
  std::vector<std::uint8_t> bytes(SparseStore::kPageBytes);
  for (std::uint64_t left = in.u64(); left > 0; --left) {
    const std::uint64_t page = in.u64();
    if (page > (capacity_ - 1) / SparseStore::kPageBytes) {
      in.fail("the image contradicts itself; make a new one");
    }
    in.bytes(bytes);
    store_.write(page * SparseStore::kPageBytes, bytes);
  }
  for (std::uint64_t left = in.u64(); left > 0; --left) {
    const std::uint64_t line = in.u64();
    if (line >= capacity_ || line % kLineBytes != 0) {
      in.fail("the image contradicts itself; make a new one");
    }
    store_.mark(line, true);
  }
  in.finish();
}

std::vector<std::uint64_t> FlashMedia::written_pages() const {
  std::vector<std::uint64_t> pages = store_.pages();
  for (std::uint64_t& page : pages) page *= SparseStore::kPageBytes;
  return pages;
}

const std::unordered_map<std::uint64_t, std::uint32_t>& FlashMedia::slot_of() const {
  if (slot_of_stale_) {
    slot_of_.clear();
    for (std::uint32_t slot = 0; slot < filled_.size(); ++slot) {
      if (filled_[slot].order == 0) continue;
      const auto [at, added] = slot_of_.try_emplace(filled_[slot].line, slot);
      if (!added && filled_[at->second].order < filled_[slot].order) at->second = slot;
    }
    slot_of_stale_ = false;
  }
  return slot_of_;
}

Line FlashMedia::peek(std::uint64_t dpa) const {
  const auto found = slot_of().find(dpa / line_bytes_);
  if (found == slot_of_.end()) return store_.read_line(data_of(dpa));
  const std::uint64_t in_line = dpa % line_bytes_;
  const Line inside = array_.read_line(std::uint64_t{found->second} * line_bytes_ + in_line);
  const std::uint64_t mask = held_.mask(found->second, in_line / kLineBytes);
  if (mask == kAllBytes) return inside;
  Line line = store_.read_line(data_of(dpa));
  merge_bytes(line, inside, mask);
  return line;
}

const MediaCounters& FlashMedia::counters() const {
  const DramCounters rows = dram_.counters();
  counters_.page_reads = flash_.page_reads();
  counters_.page_programs = flash_.page_programs();
  counters_.wear_pauses = flash_.wear_pauses();
  counters_.collections = flash_.collections();
  counters_.program_suspends = flash_.program_suspends();
  counters_.erase_suspends = flash_.erase_suspends();
  if (const Ftl* ftl = flash_.ftl()) {
    counters_.moved_pages = ftl->counters().moved_pages;
    counters_.erases = ftl->counters().erases;
  }
  counters_.row_hits = rows.row_hits;
  counters_.row_misses = rows.row_misses;
  counters_.row_conflicts = rows.row_conflicts;
  return counters_;
}

}  // namespace cxlgpu
