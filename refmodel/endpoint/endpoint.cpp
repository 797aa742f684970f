#include "refmodel/endpoint/endpoint.hpp"

#include <algorithm>
#include <bit>

#include "refmodel/common/opcodes.hpp"

namespace cxlgpu {

namespace {
constexpr std::uint32_t kVendorBlock = 0x800;
constexpr std::uint64_t kLinesPerGranule = 4;

LoadThresholds thresholds_of(std::uint32_t value) {
  return {static_cast<std::uint8_t>(value & 0x7f), static_cast<std::uint8_t>(value >> 8 & 0x7f),
          static_cast<std::uint8_t>(value >> 16 & 0x7f)};
}
}  // namespace

Endpoint::Endpoint(unsigned port, const Parts& parts) : port_(port), parts_(parts) {}

void Endpoint::write_register(std::uint32_t offset, std::uint32_t value) {
  switch (offset) {
    case kVendorBlock:
      cache_on_ = value & 1;
      length_enabled_ = (value >> 1) & 1;
      break;
    case kVendorBlock + 4:
      cache_ = DramCache(value & 15);
      break;
    case kVendorBlock + 8:
      thresholds_.ingress = thresholds_of(value);
      break;
    case kVendorBlock + 12:
      thresholds_.mshr = thresholds_of(value);
      break;
    default:
      if (offset < kVendorBlock) decoder_.write(offset, value);
  }
}

void Endpoint::tick(Time now) {
  progressed_ = false;
  // DevLoad is a register: what this cycle answers with was measured in the cycle before. Cycles
  // that were slept through changed nothing but the receive FIFOs.
  if (now > last_tick_ + kCycle) dev_load_ = measure(now - kCycle);
  const DevLoad measured = measure(now);
  const bool e1_was_full = pending_.has_value();
  if (commands_.size() < kCommandDepth) push_slot(now);
  accept(now, e1_was_full && pending_.has_value());
  command(now);
  respond(now);
  dev_load_ = measured;
  last_tick_ = now;
  plan(now);
}

DevLoad Endpoint::measure(Time now) const {
  return dev_load(parts_.m2s.rx_level(now), cache_.mshr_used(), thresholds_);
}

// One command push a cycle: the Fill after a WriteBack, a woken waiter, the lookup stage.
void Endpoint::push_slot(Time now) {
  if (finish_miss(now) || wake_waiter(now)) return;
  if (pending_ && pending_->visible <= now && look_up_demand(now)) return;
  if (!specs_.empty()) look_up_spec(now);
}

bool Endpoint::finish_miss(Time now) {
  if (miss_) {
    push_command({MediaOp::Fill, miss_->mshr, miss_->slot, entries_[miss_entry_].dpa_line & ~3ull,
                  now + kCycle});
    miss_.reset();
    return true;
  }
  if (spec_miss_) {
    push_command({MediaOp::Fill, spec_miss_->mshr, spec_miss_->slot,
                  (specs_.front().granule - 1) * kLinesPerGranule, now + kCycle});
    spec_miss_.reset();
    if (specs_.front().left == 0) specs_.pop();
    return true;
  }
  return false;
}

// A waiter whose line has come issues its array command; the lowest entry first.
bool Endpoint::wake_waiter(Time now) {
  if (ready_ == 0) return false;
  const auto index = static_cast<unsigned>(std::countr_zero(ready_));
  ready_ &= ready_ - 1;
  waiting_ &= ~(1u << index);
  cache_.wake(entries_[index].mshr);
  push_data_command(index, false, now);
  return true;
}

// True if the lookup slot of this cycle was used.
bool Endpoint::look_up_demand(Time now) {
  const Pending& p = *pending_;
  if (!p.mapped) {
    // Answered by E2 itself, without an entry and without the media.
    if (local_answer_) return false;
    local_answer_ = p;
    pending_.reset();
    progressed_ = true;
    return true;
  }
  if (used_ == ~std::uint32_t{0}) return false;
  Entry entry;
  entry.tag = p.message.tag;
  entry.is_write = p.with_data;
  entry.dpa_line = p.dpa_line;
  if (!cache_on_) {
    const unsigned index = allocate_entry();
    entries_[index] = entry;
    raise(now, Stage::EpLookup, entry.tag, entry.dpa_line,
          static_cast<std::uint32_t>(LookupResult::Bypass));
    push_data_command(index, true, now);
    pending_.reset();
    return true;
  }
  const LookupOutcome outcome =
      cache_.lookup(entry.dpa_line / kLinesPerGranule, entry.is_write, false);
  if (outcome.result == CacheResult::Blocked) return false;
  const unsigned index = allocate_entry();
  entry.mshr = outcome.mshr;
  entry.slot = outcome.slot;
  entries_[index] = entry;
  LookupResult info = LookupResult::Hit;
  if (outcome.result == CacheResult::Hit) {
    push_data_command(index, false, now);
  } else {
    info = outcome.result == CacheResult::Merge ? LookupResult::Merge : LookupResult::Miss;
    waiting_ |= 1u << index;
    if (outcome.result == CacheResult::Miss) {
      if (outcome.write_back) {
        push_command({MediaOp::WriteBack, outcome.mshr, outcome.slot,
                      outcome.victim_granule * kLinesPerGranule, now + kCycle});
        miss_ = outcome;
        miss_entry_ = index;
      } else {
        push_command(
            {MediaOp::Fill, outcome.mshr, outcome.slot, entry.dpa_line & ~3ull, now + kCycle});
      }
    }
  }
  raise(now, Stage::EpLookup, entry.tag, entry.dpa_line, static_cast<std::uint32_t>(info));
  pending_.reset();
  progressed_ = true;
  return true;
}

void Endpoint::look_up_spec(Time now) {
  SpecRun& run = specs_.front();
  const std::uint64_t granule = run.granule++;
  --run.left;
  progressed_ = true;
  const LookupOutcome outcome = cache_.lookup(granule, false, true);
  if (outcome.result == CacheResult::Miss) {
    raise_spec(now, Stage::SpecFill, granule);
    if (outcome.write_back) {
      push_command({MediaOp::WriteBack, outcome.mshr, outcome.slot,
                    outcome.victim_granule * kLinesPerGranule, now + kCycle});
      spec_miss_ = outcome;
      return;
    }
    push_command(
        {MediaOp::Fill, outcome.mshr, outcome.slot, granule * kLinesPerGranule, now + kCycle});
  } else if (outcome.result == CacheResult::Drop) {
    raise_spec(now, Stage::SpecDrop, granule);
  }
  if (run.left == 0) specs_.pop();
}

// E1: RwD and Req alternate when both wait.
void Endpoint::accept(Time now, bool blocked) {
  const LinkMessage* rwd = parts_.m2s.wd_head(now);
  const LinkMessage* req = parts_.m2s.nd_head(now);
  if (rwd == nullptr && req == nullptr) return;
  // A stalled demand message blocks those behind it, but no MemSpecRd, whoever's turn it is.
  if (blocked && (req == nullptr || req->opcode != kOpMemSpecRd)) return;
  const bool with_data = rwd != nullptr && !blocked && (req == nullptr || rwd_turn_);
  rwd_turn_ = !with_data;
  progressed_ = true;
  const LinkMessage message = with_data ? *rwd : *req;
  const Time arrival = with_data ? parts_.m2s.wd_arrival() : parts_.m2s.nd_arrival();
  if (with_data) {
    parts_.m2s.pop_wd(now);
  } else {
    parts_.m2s.pop_nd(now);
  }
  const auto decoded = decoder_.decode(message.line * kLineBytes);
  if (message.opcode == kOpMemSpecRd && !with_data) {
    if (!decoded || !cache_on_ || specs_.full()) {
      raise_spec(now, Stage::SpecDrop, decoded ? decoded->address / 256 : 0);
      return;
    }
    specs_.push({decoded->address / 256, length_enabled_ ? message.granules : 1u});
    return;
  }
  raise(arrival, Stage::WireM2S, message.tag, message.line, message.opcode);
  raise(now, Stage::EpAccept, message.tag, message.line, message.opcode);
  pending_ = Pending{message, with_data, decoded.has_value(),
                     decoded ? decoded->address / kLineBytes : 0, now + kCycle};
}

void Endpoint::command(Time now) {
  if (commands_.empty() || commands_.front().visible > now) return;
  const Command& c = commands_.front();
  if (!parts_.media.can_accept(now, c.op)) return;
  MediaCommand out;
  out.op = c.op;
  out.id = c.id;
  out.slot = c.slot;
  out.dpa = c.dpa_line * kLineBytes;
  if (c.op != MediaOp::Fill && c.op != MediaOp::WriteBack) {
    const Entry& entry = entries_[c.id];
    out.offset = static_cast<std::uint32_t>(c.dpa_line % kLinesPerGranule * kLineBytes);
    if (entry.is_write) {
      const MemRequest& request = parts_.store[entry.tag].request;
      out.byte_enable = request.byte_enable;
      out.data = request.data;
    }
    raise(now, Stage::MediaIssue, entry.tag, entry.dpa_line, static_cast<std::uint32_t>(c.op));
  }
  parts_.media.submit(out, now);
  commands_.pop();
  progressed_ = true;
}

void Endpoint::respond(Time now) {
  if (!answer_) {
    answer_ = parts_.media.take(now);
    offered_load_ = dev_load_;  // held while the controller stalls the answer
  }
  if (!answer_) {
    if (local_answer_) {  // nothing from the media this cycle: an answer that needs none
      Entry entry;
      entry.tag = local_answer_->message.tag;
      entry.is_write = local_answer_->with_data;
      parts_.store[entry.tag].read_data.fill(0xff);
      if (send_response(entry, now)) local_answer_.reset();
      progressed_ = true;
    }
    return;
  }
  progressed_ = true;
  if (answer_->op == MediaOp::Fill) {
    fill_done(answer_->id);
    answer_.reset();
    return;
  }
  if (answer_->op == MediaOp::WriteBack) {
    answer_.reset();
    return;
  }
  const Entry& entry = entries_[answer_->id];
  Transaction& transaction = parts_.store[entry.tag];
  if (!entry.is_write) transaction.read_data = answer_->data;
  transaction.error = answer_->error;
  if (send_response(entry, now)) {
    used_ &= ~(1u << answer_->id);
    answer_.reset();
  }
}

bool Endpoint::send_response(const Entry& entry, Time now) {
  if (entry.is_write ? !parts_.s2m.nd_ready() : !parts_.s2m.wd_ready()) return false;
  LinkMessage message;
  message.tag = entry.tag;
  message.line = entry.dpa_line;
  message.dev_load = static_cast<std::uint8_t>(offered_load_);
  message.error = parts_.store[entry.tag].error;
  raise(now, Stage::MediaDone, entry.tag, entry.dpa_line, 0);
  raise(now, Stage::EpRespond, entry.tag, entry.dpa_line, message.dev_load);
  if (entry.is_write) {
    parts_.s2m.push_nd(message, now);
  } else {
    parts_.s2m.push_wd(message, now);
  }
  return true;
}

void Endpoint::fill_done(unsigned mshr) {
  cache_.fill_done(mshr);
  for (std::uint32_t rest = waiting_; rest != 0; rest &= rest - 1) {
    const auto index = static_cast<unsigned>(std::countr_zero(rest));
    if (entries_[index].mshr == mshr) ready_ |= 1u << index;
  }
}

void Endpoint::push_command(const Command& command) {
  commands_.push(command);
  progressed_ = true;
}

void Endpoint::push_data_command(unsigned index, bool direct, Time now) {
  const Entry& entry = entries_[index];
  const MediaOp op = direct ? (entry.is_write ? MediaOp::Write : MediaOp::Read)
                            : (entry.is_write ? MediaOp::ArrayWrite : MediaOp::ArrayRead);
  push_command({op, static_cast<std::uint8_t>(index), entry.slot, entry.dpa_line, now + kCycle});
}

unsigned Endpoint::allocate_entry() {
  const auto index = static_cast<unsigned>(std::countr_one(used_));
  used_ |= 1u << index;
  progressed_ = true;
  return index;
}

void Endpoint::plan(Time now) {
  const Time soon = now + kCycle;
  next_ =
      progressed_ || (!commands_.empty() && commands_.front().visible > now) ? soon : Time::never();
  const Time media = parts_.media.next_event();
  if (media != Time::never()) next_ = std::min(next_, std::max(soon, ceil_to_cycle(media)));
  if (!pending_) next_ = std::min(next_, std::max(soon, parts_.m2s.rx_event(now)));
  if (answer_ || local_answer_) next_ = soon;  // the controller's transmit FIFO is full
}

void Endpoint::raise(Time now, Stage stage, std::uint32_t tag, std::uint64_t line,
                     std::uint32_t info) const {
  if (parts_.sink == nullptr) return;
  parts_.sink->on_event({now, stage, static_cast<std::uint8_t>(port_), parts_.store[tag].request.id,
                         line * kLineBytes, info});
}

void Endpoint::raise_spec(Time now, Stage stage, std::uint64_t granule) const {
  if (parts_.sink == nullptr) return;
  parts_.sink->on_event({now, stage, static_cast<std::uint8_t>(port_), 0, granule * 256, 0});
}

}  // namespace cxlgpu
