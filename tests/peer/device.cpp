// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
// What the device does right; what it does wrong on purpose is in device_wrong.cpp.
#include "device.hpp"

#include <algorithm>

namespace peer {
namespace {

constexpr uint64_t kLine = ~uint64_t{63};
constexpr size_t kResponsesWaiting = 8;  // more wait in the media until these have left

WireConfig wire_config(const DeviceKnobs& k) {
  WireConfig c;
  c.link.tx = Direction::S2M;
  c.link.seed = k.seed + 21;
  c.link.packing = k.packing;
  c.link.mdh = k.mdh;
  c.link.wrap = k.wrap;
  c.link.wrap_inclusive = k.wrap_inclusive;
  c.link.buffers_req = k.buffers_req;
  c.link.buffers_rwd = k.buffers_rwd;
  c.link.one_credit_at_a_time = k.one_credit_at_a_time;
  c.link.ack_force_threshold = k.ack_force_threshold;
  c.link.flush_retimer = k.flush_retimer;
  c.link.corrupt_per_64k = k.corrupt_per_64k;
  c.link.retry_per_64k = k.retry_per_64k;
  c.link.cache_credits = k.credit_flood;
  c.arb.role = PortRole::Upstream;
  c.arb.seed = k.seed + 22;
  c.arb.status_delay = k.status_delay;
  c.arb.weight_io = k.weight_io;
  c.arb.weight_cachemem = k.weight_cachemem;
  return c;
}

}  // namespace

Device::Device(const DeviceKnobs& knobs, IoSide& io, Decode decode)
    : knobs_(knobs),
      decode_(std::move(decode)),
      wire_(wire_config(knobs), io),
      random_(knobs.seed) {}

void Device::reset() {
  wire_.reset();
  forget();
  was_up_ = viral_ = false;
}

void Device::forget() {
  jobs_.clear();
  open_tags_.clear();
  held_drs_.clear();
  held_ndr_.clear();
  upper_half_.reset();
  halves_.clear();
  overuse_left_ = 0;
  up_for_ = 0;
  wire_.link().overuse(false);
}

LinkOut Device::cycle(const LinkIn& in) {
  ++cycle_;
  if (!in.phy_up) {  // DL_Down is a hot reset; nothing of the old link is answered
    if (was_up_) forget();
    was_up_ = false;
    return wire_.cycle(in);
  }
  was_up_ = true;
  up_for_ = wire_.active() ? up_for_ + 1 : 0;
  if (!wire_.link().initialised()) wire_.link().stall_init(up_for_ < knobs_.init_delay);
  if (knobs_.retrain_per_1m != 0 && wire_.active() &&
      random_() % 1'000'000 < knobs_.retrain_per_1m) {
    wire_.retrain();
  }
  if (knobs_.viral_at != 0 && !viral_ && cycle_ >= knobs_.viral_at) go_viral();
  accept();
  serve();
  send_ready_halves();
  wrong_alone();
  return wire_.cycle(in);
}

void Device::go_viral() {
  viral_ = true;
  wire_.go_viral();
}

bool Device::may_fail(uint64_t hpa) const {
  return random_poison_.contains(hpa & kLine);
}

uint64_t Device::latency() {
  const unsigned span =
      knobs_.latency_max >= knobs_.latency_min ? knobs_.latency_max - knobs_.latency_min : 0;
  return knobs_.latency_min + random_() % (span + 1);
}

// ---- requests ------------------------------------------------------------------------------

void Device::accept() {
  Inbox& inbox = wire_.inbox();
  while (!inbox.req.empty()) {
    accept_req(inbox.req.front());
    inbox.req.pop_front();
  }
  while (!inbox.rwd.empty()) {
    accept_rwd(inbox.rwd.front());
    inbox.rwd.pop_front();
  }
}

void Device::accept_req(const MemReq& req) {
  if (req.opcode == kMemSpecRd) {
    ++counts_.spec_reads;
    if (wrong_ == Wrong::AnswerToMemSpecRd) {
      MemDrs drs;
      drs.tag = unused_tag();
      wronged(drs.tag);
      wire_.outbox().drs.push_back(drs);
    }
    if (!knobs_.serve_spec) return wire_.release(MessageKind::Req);
  } else {
    open_tags_.insert(req.tag);
  }
  Job job;
  job.req = req;
  job.silent = req.opcode == kMemSpecRd;
  job.due = cycle_ + latency();
  jobs_.push_back(std::move(job));
}

void Device::accept_rwd(const MemRwd& rwd) {
  open_tags_.insert(rwd.tag);
  if (rwd.poison) ++counts_.poison_received;
  if (!knobs_.writes_late) commit(rwd);
  Job job;
  job.write = true;
  job.rwd = rwd;
  job.due = cycle_ + latency();
  jobs_.push_back(std::move(job));
}

void Device::commit(const MemRwd& rwd) {
  const Decoded where = decode_(rwd.address);
  if (!where.hit) {
    ++counts_.misses;
    return;
  }
  StoredLine& line = store_.at(where.dpa);
  const bool whole = rwd.opcode == kMemWr;
  for (unsigned i = 0; i < line.data.size(); ++i) {
    if ((rwd.byte_enable >> i & 1) != 0) line.data[i] = rwd.data[i];
  }
  if (rwd.poison) {
    line.poison = true;
    ++counts_.poison_stored;
  } else if (whole) {
    line.poison = false;
  }
  if (whole) random_poison_.erase(rwd.address & kLine);
  if (rwd.meta_field == kMeta0State) line.meta = rwd.meta_value;
}

// ---- responses -----------------------------------------------------------------------------

void Device::serve() {
  for (size_t n = 0; n < jobs_.size();) {
    const Outbox& out = wire_.outbox();
    if (out.ndr.size() + out.drs.size() + halves_.size() >= kResponsesWaiting) return;
    if (jobs_[n].due > cycle_) {
      if (!knobs_.out_of_order) return;
      ++n;
      continue;
    }
    Job job = std::move(jobs_[n]);
    jobs_.erase(jobs_.begin() + static_cast<std::ptrdiff_t>(n));
    finish(job);
  }
}

void Device::finish(Job& job) {
  wire_.release(job.write ? MessageKind::Rwd : MessageKind::Req);
  if (job.silent) return;
  if (job.write) return finish_write(job.rwd);
  if (job.req.opcode == kMemInv || job.req.opcode == kMemInvNt) return finish_invalidate(job.req);
  finish_read(job.req);
}

void Device::finish_read(const MemReq& req) {
  ++counts_.reads;
  MemDrs drs;
  drs.tag = req.tag;
  unsigned poisoned_halves = kBothHalves;
  const Decoded where = decode_(req.address);
  if (!where.hit) {
    ++counts_.misses;
    drs.data.fill(0xff);
    drs.poison = where.poison_miss;
  } else {
    const StoredLine line = store_.read(where.dpa);
    drs.data = line.data;
    if (knobs_.poison_per_64k != 0 && random_() % 65536 < knobs_.poison_per_64k) {
      random_poison_.insert(req.address & kLine);
    }
    drs.poison = line.poison || may_fail(req.address);
    if (!line.poison) poisoned_halves = static_cast<unsigned>(1 + random_() % kBothHalves);
    if (knobs_.keeps_meta && !viral_ && req.meta_field == kMeta0State) {
      drs.meta_field = kMeta0State;
      drs.meta_value = line.meta;
    }
    if (req.meta_field == kMeta0State) store_.at(where.dpa).meta = req.meta_value;
  }
  if (drs.poison) ++counts_.poison_sent;
  done(req.tag);
  send(drs, poisoned_halves);
}

void Device::finish_invalidate(const MemReq& req) {
  ++counts_.invalidates;
  MemNdr ndr;
  ndr.tag = req.tag;
  const Decoded where = decode_(req.address);
  if (where.hit) {
    StoredLine& line = store_.at(where.dpa);
    if (knobs_.keeps_meta && !viral_) {
      ndr.meta_field = kMeta0State;
      ndr.meta_value = line.meta;
    }
    if (req.meta_field == kMeta0State) line.meta = req.meta_value;
  }
  done(req.tag);
  send(ndr, false);
}

void Device::finish_write(const MemRwd& rwd) {
  ++counts_.writes;
  if (knobs_.writes_late) commit(rwd);
  MemNdr ndr;
  ndr.tag = rwd.tag;
  done(rwd.tag);
  send(ndr, true);
}

void Device::done(uint16_t tag) {
  const auto found = open_tags_.find(tag);
  if (found != open_tags_.end()) open_tags_.erase(found);
}

uint8_t Device::any_of_two_bits() {
  return static_cast<uint8_t>(random_() & 3);
}

uint8_t Device::dev_load() {
  if (knobs_.dev_load) return *knobs_.dev_load;
  if (knobs_.any_ignored) return any_of_two_bits();
  return static_cast<uint8_t>(std::min<size_t>(3, jobs_.size() / 8));
}

void Device::send(const MemNdr& message, bool to_write) {
  MemNdr ndr = message;
  ndr.dev_load = dev_load();
  if (knobs_.any_ignored && ndr.meta_field == kMetaNoOp) ndr.meta_value = any_of_two_bits();
  if (wrong_ndr(ndr, to_write)) return;
  wire_.outbox().ndr.push_back(ndr);
}

void Device::send(MemDrs drs, unsigned poisoned_halves) {
  drs.dev_load = dev_load();
  if (knobs_.any_ignored && drs.meta_field == kMetaNoOp) drs.meta_value = any_of_two_bits();
  if (wrong_drs(drs)) return;
  if (knobs_.half_lines) return send_halves(drs, poisoned_halves);
  if (drs.poison) spoil(drs);
  wire_.outbox().drs.push_back(drs);
}

// What the data of a poisoned message is, nobody may rely on (12.2).
void Device::spoil(MemDrs& drs) {
  for (unsigned i = 0; i < drs.bytes; ++i) drs.data[i] = static_cast<uint8_t>(~drs.data[i]);
}

// Each half has a data header, and with it a Poison bit, of its own (4.2.2): the lower may have
// left before the media error of the upper is found. The line is poisoned if one half is: a
// transaction is of 64 bytes, and poison is tracked for 64 (4.2.2; 12.2.3).
void Device::send_halves(const MemDrs& drs, unsigned poisoned_halves) {
  std::array<MemDrs, 2> halves{drs, drs};
  std::copy_n(drs.data.begin() + 32, 32, halves[1].data.begin());
  uint64_t due = cycle_;
  for (unsigned n = 0; n < halves.size(); ++n) {
    halves[n].bytes = 32;
    halves[n].poison = drs.poison && (poisoned_halves >> n & 1) != 0;
    if (halves[n].poison) spoil(halves[n]);
    halves_.push_back({halves[n], due});
    if (knobs_.half_gap_max != 0) due += random_() % (knobs_.half_gap_max + 1);
  }
}

// No data of another line between two halves (3.3.7); what has no data may go there.
void Device::send_ready_halves() {
  while (!halves_.empty() && halves_.front().due <= cycle_) {
    wire_.outbox().drs.push_back(halves_.front().drs);
    halves_.pop_front();
  }
}

}  // namespace peer
