// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
#include "model/endpoint.hpp"

#include <algorithm>
#include <bit>

#include "common/opcodes.hpp"
#include "common/registers.hpp"

namespace cxlgpu {

namespace {

constexpr std::uint64_t kLinesPerGranule = 4;
constexpr auto kOpMemRdData = static_cast<std::uint8_t>(flits::M2sReqOpcode::MemRdData);

}  // namespace

EndpointModel::EndpointModel(unsigned port, const Parts& parts, const Sizes& sizes)
    : port_(port),
      parts_(parts),
      mshrs_(sizes.mshrs),
      block_log2_(static_cast<unsigned>(std::countr_zero(sizes.line_bytes / kLineBytes))),
      registers_(kMaxSetsLog2, sizes.mshrs, sizes.line_bytes),
      cache_(kMaxSetsLog2, kWays, sizes.mshrs, 1u << block_log2_),
      load_(registers_.eval({}).load) {
  use_thresholds();
}

void EndpointModel::write_register(std::uint32_t offset, std::uint32_t value) {
  namespace ep = regs::ep;
  offset &= 0xffc;
  if (offset < ep::kBlock) return decoder_.write(offset, value);
  registers_.clock({.valid = true, .write = true, .addr = offset, .wdata = value});
  const EndpointRegs::Out set = registers_.eval({});
  cache_on_ = set.dram_enable;
  length_enabled_ = set.len_enable;
  load_ = set.load;
  open_max_ = set.open_max;
  persistent_from_ = set.persistent_from;
  durable_ = set.durable;
  use_thresholds();
  if (offset == ep::kSets) {
    cache_ = DramCache(set.sets_log2, kWays, mshrs_, 1u << block_log2_);
  }
}

std::uint32_t EndpointModel::read_register(std::uint32_t offset) {
  offset &= 0xffc;
  if (offset < regs::ep::kBlock) return decoder_.read(offset);
  registers_.clock({.valid = true, .addr = offset, .load_status = meter_.status(load_)});
  return registers_.eval({}).rdata;
}

void EndpointModel::use_config(const ConfigSpace::Out& config) {
  memory_.mem_enable = config.mem_enable;
  memory_.range1_base = config.range1_base;
  memory_.range2_base = config.range2_base;
}

std::optional<std::uint64_t> EndpointModel::decode(std::uint64_t line) const {
  RangeDecoder::In in = memory_;
  in.hpa_valid = true;
  in.hpa_line = line;
  in.hdm_enabled = decoder_.enabled();
  in.hdm_dpa_line = line;
  if (in.mem_enable && in.hdm_enabled) {
    const auto decoded = decoder_.decode(line * kLineBytes);
    in.hdm_hit = decoded.has_value();
    if (decoded) in.hdm_dpa_line = decoded->address / kLineBytes;
  }
  const RangeDecoder::Out out = ranges_.eval(in);
  return out.hit ? std::optional(out.dpa_line) : std::nullopt;
}

// The stages run from the back to the front where one sees what the other leaves: E1 takes a
// message in the cycle in which its register empties. What a FIFO, the transaction table or the
// media can take is read before anything moves.
void EndpointModel::tick(Time now) {
  const bool light = stays_light(now);
  if (!light) clock_levels_before(now);
  const bool specs_full = specs_.full();
  const bool empty = demand_.kind == Demand::Kind::None && used_ == 0;
  const std::size_t commands = commands_.size();
  // Inputs of the DevLoad registers as they stand in this cycle: before anything moves.
  const Measures measures = light ? Measures{} : measure(now);
  meter_.egress().pass(since_clocked(now), load_);
  const DramCache::Check check = cache_.check_due() ? cache_.begin_check() : DramCache::Check{};
  if (commands < kCommandDepth) push(now);
  if (check.valid && cache_.end_check(check)) {
    registers_.count(event_bit(DramEvent::Whole));
    blocked_ = false;
  }
  if (commands > 0 && now >= issue_from_) issue(now);
  respond(now);
  accept(now, specs_full);
  if (!light) clock_levels(measures);
  meter_.egress().clock(offer_ != Offer::None, load_);
  clocked_ = now;
  between_ = between_ && (!link_up_ || !empty);
  plan(now);
}

void EndpointModel::catch_up(Time now) {
  clock_levels_before(now);
  meter_.egress().pass(since_clocked(now), load_);
  clocked_ = std::max(clocked_, now - kCycle);
}

// The receive FIFOs only filled, the media's backlog only fell, no response waited: so the first
// and the last of the cycles stand for all.
void EndpointModel::clock_levels_before(Time now) {
  const std::uint64_t cycles = since_clocked(now);
  if (cycles != 0) clock_levels(measure(clocked_ + kCycle));
  if (cycles > 1) clock_levels(measure(now - kCycle));
}

bool EndpointModel::stays_light(Time now) const {
  if (!meter_.all_light()) return false;
  const auto light = [this](LoadSource source, unsigned most) {
    return most < light_below_[static_cast<std::size_t>(source)];
  };
  const bool media_light = under_way_ < commands_light_ ||
                           (now < status_until_ && light(LoadSource::Backlog, status_.backlog) &&
                            light(LoadSource::Tasks, status_.tasks));
  return media_light && light(LoadSource::Ingress, parts_.m2s.most_rx_level()) &&
         light(LoadSource::Mshr, mshrs_that_count());
}

EndpointModel::Measures EndpointModel::measure(Time at) {
  if (at >= status_until_) {
    status_ = parts_.media.status(at);
    status_until_ = parts_.media.status_until();
  }
  return {static_cast<std::uint8_t>(parts_.m2s.rx_level(at)), mshrs_that_count(), status_.backlog,
          status_.tasks};
}

void EndpointModel::use_thresholds() {
  measured_.reset();
  for (std::size_t m = 0; m < kLoadSources; ++m) {
    light_below_[m] = *std::ranges::min_element(load_.measure[m].thresholds);
  }
  const auto of = [this](LoadSource source) -> std::uint8_t& {
    return light_below_[static_cast<std::size_t>(source)];
  };
  if (!load_.throughput_reduction) of(LoadSource::Tasks) = 0xff;  // they never count
  commands_light_ =
      of(LoadSource::Tasks) == 0 ? 0 : parts_.media.commands_of_backlog(of(LoadSource::Backlog));
}

// Only what has changed: a second cycle of the same value leaves a level where the first put it.
void EndpointModel::clock_levels(const Measures& now) {
  // Compared as one number: four bytes are not worth a call.
  const auto same = [](const Measures& a, const Measures& b) {
    return std::bit_cast<std::uint32_t>(a) == std::bit_cast<std::uint32_t>(b);
  };
  if (measured_ && same(now, *measured_)) return;
  for (std::size_t m = 0; m < kLoadSources; ++m) {
    if (measured_ && (*measured_)[m] == now[m]) continue;
    meter_.clock_level(static_cast<LoadSource>(m), now[m], load_);
  }
  measured_ = now;
}

// ------------------------------------------------------------------------------------------- E1

// By what waits and whose turn it is alone: what is chosen may have to wait for demand_ to leave.
EndpointModel::Choice EndpointModel::choose(Time now) const {
  const LinkMessage* req = parts_.m2s.nd_head(now);
  if (parts_.m2s.wd_head(now) != nullptr && (req == nullptr || rwd_first_)) return Choice::Rwd;
  if (req == nullptr) return Choice::None;
  return req->opcode == kOpMemSpecRd ? Choice::Spec : Choice::Req;
}

void EndpointModel::accept(Time now, bool specs_full) {
  if (between_) return;
  const Choice choice = choose(now);
  if (choice == Choice::None) return;
  if (choice != Choice::Spec && demand_.kind != Demand::Kind::None) return;
  const bool take_rwd = choice == Choice::Rwd;
  rwd_first_ = !take_rwd;
  const LinkMessage& message = take_rwd ? *parts_.m2s.wd_head(now) : *parts_.m2s.nd_head(now);
  if (choice == Choice::Spec) {
    accept_spec(message, now, specs_full);
    parts_.m2s.pop_nd(now);
    return;
  }
  raise(take_rwd ? parts_.m2s.wd_arrival() : parts_.m2s.nd_arrival(), Stage::WireM2S, message.id,
        message.line, message.tag);
  raise(now, Stage::EpAccept, message.id, message.line, message.opcode);
  const auto decoded = decode(message.line);
  demand_.tag = message.tag;
  demand_.id = message.id;
  demand_.is_read = !take_rwd && (message.opcode == kOpMemRd || message.opcode == kOpMemRdData);
  demand_.line = decoded.value_or(message.line);
  demand_.kind =
      decoded && (take_rwd || demand_.is_read) ? Demand::Kind::Access : Demand::Kind::Answer;
  if (take_rwd) {
    const LinkData& data = parts_.m2s.wd_data();
    demand_data_ = {data.byte_enable, message.error, data.line};
    parts_.m2s.pop_wd(now);
  } else {
    parts_.m2s.pop_nd(now);
  }
  if (demand_.kind == Demand::Kind::Access && !cache_on_) run_ahead(now);
}

// Without internal DRAM E2 and E3 only pass on what E1 has taken, each a cycle later. With nothing
// before it, and if the media have nothing to say until then, they do so without a cycle of their
// own. What DevLoad measures is the same: the levels stay light until it has been looked at.
void EndpointModel::run_ahead(Time now) {
  if (used_ == ~std::uint32_t{0} || commands_.full()) return;
  const bool first = commands_.empty();
  take_entry({}, LookupResult::Bypass, now + kCycle);
  if (!first) return;
  issue_from_ = now + kCycle * 2;
  if (media_moved_) look_at_media();
  if (media_next_ <= issue_from_) return;
  if (!meter_.all_light() || under_way_ + 1 >= commands_light_) return;
  issue(issue_from_);
  look_at_media();
  media_next_ = later(media_next_, issue_from_);  // it may name a time too early
}

void EndpointModel::accept_spec(const LinkMessage& message, Time now, bool specs_full) {
  // Address[51:6] as on the wire: a run of several granules has their number - 1 in its low bits.
  std::uint64_t line = message.line;
  if (message.granules > 1) line |= message.granules - 1u;
  std::uint64_t more = 0;  // lines after the first
  if (length_enabled_) {
    more = (line % kLinesPerGranule + 1) * kLinesPerGranule - 1;
    line -= line % kLinesPerGranule;
  }
  const auto decoded = decode(line);
  const std::uint64_t dpa_line = decoded.value_or(line);
  if (!decoded || !cache_on_ || specs_full) {
    raise_spec(now + kCycle, Stage::SpecDrop, dpa_line - dpa_line % kLinesPerGranule);
    return;
  }
  const std::uint64_t first = block_of(dpa_line);
  specs_.push({first, static_cast<unsigned>(block_of(dpa_line + more) - first) + 1});
}

// ------------------------------------------------------------------------------------------- E2

// The one push of a cycle, if the command FIFO had room when it began.
void EndpointModel::push(Time now) {
  if (fill_due_) {
    commands_.push(fill_);
    fill_due_ = false;
  } else if (open_due_) {
    open_due_ = false;
    take_entry(opened_, LookupResult::Miss, now);
  } else if (ready_ != 0) {
    const auto index = static_cast<unsigned>(std::countr_zero(ready_));
    ready_ &= ready_ - 1;
    push_access(index);
    cache_.wake(entries_[index].mshr);
    blocked_ = false;
  } else if (fills_behind()) {
    push_behind();
  } else if (wants_lookup()) {
    if (!blocked_) look_up_demand(now);
  } else if (may_look_up_spec()) {
    look_up_spec(now);
  }
}

void EndpointModel::push_access(unsigned index, bool opens) {
  const Entry& entry = entries_[index];
  MediaOp op = entry.is_read ? MediaOp::Read : MediaOp::Write;
  if (cache_on_) op = entry.is_read ? MediaOp::ArrayRead : MediaOp::ArrayWrite;
  commands_.push({op, static_cast<std::uint8_t>(index), entry.slot, entry.line, opens});
}

void EndpointModel::push_fill(const LookupOutcome& start, std::uint64_t block) {
  commands_.push({MediaOp::Fill, start.mshr, start.slot, first_line(block), true});
}

void EndpointModel::push_behind() {
  const DramCache::Behind next = cache_.behind();
  cache_.take_behind();
  registers_.count(event_bit(DramEvent::Behind));
  commands_.push({MediaOp::Fill, next.mshr, next.slot, first_line(next.granule), true});
}

void EndpointModel::push_miss(const LookupOutcome& miss, std::uint64_t block) {
  fill_ = {MediaOp::Fill, miss.mshr, miss.slot, first_line(block)};
  fill_due_ = miss.write_back;
  if (miss.write_back) {
    commands_.push({MediaOp::WriteBack, miss.mshr, miss.slot, first_line(miss.victim_granule)});
  } else {
    commands_.push(fill_);
  }
}

void EndpointModel::look_up_demand(Time now) {
  const std::uint32_t bit = 1u << std::countr_one(used_);
  auto result = LookupResult::Bypass;
  LookupOutcome found;
  if (cache_on_) {
    const std::uint64_t block = block_of(demand_.line);
    found = cache_.lookup({.granule = block,
                           .write = !demand_.is_read,
                           .offset = static_cast<unsigned>(demand_.line - first_line(block)),
                           .byte_enable = demand_data_.byte_enable,
                           .early = open_max_ != 0});
    registers_.count(found.events);
    switch (found.result) {
      case CacheResult::Miss:
        push_miss(found, block);
        waiting_[found.mshr] |= bit;
        result = LookupResult::Miss;
        break;
      case CacheResult::Merge:
        waiting_[found.mshr] |= bit;
        result = LookupResult::Merge;
        break;
      case CacheResult::Start:
        push_fill(found, block);
        waiting_[found.mshr] |= bit;
        result = LookupResult::Miss;
        break;
      case CacheResult::Hit:
      case CacheResult::Held:
        result = LookupResult::Hit;
        break;
      case CacheResult::Open:
        if (found.write_back) {
          commands_.push(
              {MediaOp::WriteBack, found.mshr, found.slot, first_line(found.victim_granule)});
          open_due_ = true;
          opened_ = found;
          return;
        }
        result = LookupResult::Miss;
        break;
      case CacheResult::Blocked:
      case CacheResult::Drop:
        blocked_ = true;
        return;
    }
  }
  take_entry(found, result, now);
}

void EndpointModel::take_entry(const LookupOutcome& found, LookupResult result, Time now) {
  const auto index = static_cast<unsigned>(std::countr_one(used_));
  Entry& entry = entries_[index];
  used_ |= 1u << index;
  entry = {demand_.is_read, demand_.tag, found.mshr, found.slot, demand_.id, demand_.line};
  if (!entry.is_read) data_[index] = demand_data_;
  const bool opens = cache_on_ && found.result == CacheResult::Open;
  if (result == LookupResult::Bypass || result == LookupResult::Hit || opens) {
    push_access(index, opens);
  }
  demand_.kind = Demand::Kind::None;
  raise(now, Stage::EpLookup, entry.id, entry.line, static_cast<std::uint32_t>(result));
}

void EndpointModel::look_up_spec(Time now) {
  SpecRun& run = specs_.front();
  const LookupOutcome found = cache_.lookup(run.block, false, true);
  registers_.count(found.events);
  if (found.result == CacheResult::Miss) {
    push_miss(found, run.block);
    raise_spec(now, Stage::SpecFill, first_line(run.block));
  } else if (found.result == CacheResult::Start) {
    push_fill(found, run.block);
    raise_spec(now, Stage::SpecFill, first_line(run.block));
  } else if (found.result == CacheResult::Drop) {
    raise_spec(now, Stage::SpecDrop, first_line(run.block));
  }
  ++run.block;
  if (--run.count == 0) specs_.pop();
}

// ------------------------------------------------------------------------------------------- E3

void EndpointModel::issue(Time now) {
  const Command& command = commands_.front();
  if (!parts_.media.can_accept(now, command.op)) return;
  MediaCommand& out = media_command_;
  out.op = command.op;
  out.id = command.id;
  out.dpa = command.line * kLineBytes;
  out.slot = command.slot;
  out.offset = 0;
  out.byte_enable = 0;
  out.poison = false;
  out.partial = command.partial;
  out.durable = durability(out);
  if (command.op != MediaOp::Fill && command.op != MediaOp::WriteBack) {
    const Entry& entry = entries_[command.id];
    if (command.op == MediaOp::ArrayRead || command.op == MediaOp::ArrayWrite) {
      const std::uint64_t in_block = command.line - first_line(block_of(command.line));
      out.offset = static_cast<std::uint32_t>(in_block * kLineBytes);
    }
    if (!entry.is_read) {
      const Stored& stored = data_[command.id];
      out.byte_enable = stored.byte_enable;
      out.poison = stored.poison;
      out.data = stored.data;
    }
    raise(now, Stage::MediaIssue, entry.id, entry.line, static_cast<std::uint32_t>(command.op));
  }
  parts_.media.submit(out, now);
  media_moved_ = true;
  status_until_ = Time{0};
  ++under_way_;
  commands_.pop();
}

// ------------------------------------------------------------------------------------------- E4

// One response a cycle; what has been offered stays on offer until the controller takes it.
void EndpointModel::respond(Time now) {
  if (!answered_ && media_next_ <= now) take_answer(now);
  if (offer_ == Offer::None) {
    if (answered_) {
      offer_ = Offer::Media;
    } else if (demand_.kind == Demand::Kind::Answer) {
      offer_ = Offer::Local;
    } else {
      return;
    }
    offered_load_ = static_cast<DevLoad>(meter_.status(load_).dev_load);
  }
  send(now);
}

void EndpointModel::take_answer(Time now) {
  const auto answer = parts_.media.take(now);
  media_moved_ = true;
  if (!answer) return;
  --under_way_;
  if (answer->op == MediaOp::WriteBack) return registers_.count_write_back();
  if (answer->op == MediaOp::Fill) {
    cache_.fill_done(answer->id);
    ready_ |= waiting_[answer->id];
    waiting_[answer->id] = 0;
    blocked_ = false;
    return;
  }
  answered_ = true;
  answer_entry_ = answer->id;
  answer_op_ = answer->op;
  const Entry& entry = entries_[answer->id];
  poison_ = entry.is_read && (answer->error || answer->poison);
  if (entry.is_read) data_[answer->id].data = answer->data;
}

void EndpointModel::send(Time now) {
  const bool local = offer_ == Offer::Local;
  const Entry& entry = entries_[answer_entry_];
  const bool is_read = local ? demand_.is_read : entry.is_read;
  if (!between_ && (is_read ? !parts_.s2m.wd_ready() : !parts_.s2m.nd_ready())) return;
  const std::uint64_t line = local ? demand_.line : entry.line;
  LinkMessage message;
  message.line = line;
  message.tag = local ? demand_.tag : entry.tag;
  message.id = local ? demand_.id : entry.id;
  message.dev_load = static_cast<std::uint8_t>(offered_load_);
  if (local) {
    demand_.kind = Demand::Kind::None;
    raise(now, Stage::EpLookup, message.id, line, static_cast<std::uint32_t>(LookupResult::Bypass));
  } else {
    message.error = poison_;
    used_ &= ~(1u << answer_entry_);
    answered_ = false;
    raise(now, Stage::MediaDone, message.id, line, static_cast<std::uint32_t>(answer_op_));
  }
  offer_ = Offer::None;
  if (between_) return;
  raise(now, Stage::EpRespond, message.id, line, message.dev_load);
  if (is_read) {
    LinkData& data = parts_.s2m.push_wd(message, now);
    if (local) {
      data.line.fill(0xff);
    } else {
      data.line = data_[answer_entry_].data;
    }
  } else {
    parts_.s2m.push_nd(message, now);
  }
}

// ---------------------------------------------------------------------------------------- events

// Whether the next cycle moves anything of its own accord. A response that the controller refuses
// is offered again each cycle: its transmit FIFO does not say when it will have room.
bool EndpointModel::has_work(Time next) const {
  if (between_ && link_up_) return true;  // until the session may begin
  if (cache_.check_due()) return true;
  if (offer_ != Offer::None || demand_.kind == Demand::Kind::Answer) return true;
  if (!commands_.empty() && next >= issue_from_ &&
      parts_.media.can_accept(next, commands_.front().op)) {
    return true;
  }
  if (!commands_.full()) {
    if (fill_due_ || open_due_ || ready_ != 0 || fills_behind()) return true;
    if (wants_lookup() ? !blocked_ : may_look_up_spec()) return true;
  }
  if (demand_.kind == Demand::Kind::None) return false;  // rx_event() tells
  return choose(next) == Choice::Spec;
}

void EndpointModel::look_at_media() {
  const Time media = parts_.media.next_event();
  media_next_ = media == Time::never() ? media : ceil_to_cycle(media);
  media_moved_ = false;
}

void EndpointModel::plan(Time now) {
  if (media_moved_) look_at_media();
  const Time soon = now + kCycle;
  next_ = soon;
  if (has_work(soon)) return;
  const Time message =
      demand_.kind == Demand::Kind::None ? parts_.m2s.rx_event(now) : parts_.m2s.rx_news(now);
  Time next = earlier(media_next_, message);
  if (!commands_.empty() && issue_from_ > soon) next = earlier(next, issue_from_);
  next_ = later(next, soon);
}

void EndpointModel::raise(Time at, Stage stage, std::uint32_t id, std::uint64_t line,
                          std::uint32_t info) const {
  if (parts_.sink == nullptr) return;
  parts_.sink->on_event({at, stage, static_cast<std::uint8_t>(port_), id, line * kLineBytes, info});
}

void EndpointModel::raise_spec(Time at, Stage stage, std::uint64_t line) const {
  if (parts_.sink == nullptr) return;
  parts_.sink->on_event({at, stage, static_cast<std::uint8_t>(port_), 0, line * kLineBytes, 0});
}

}  // namespace cxlgpu
