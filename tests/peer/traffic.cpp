// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
#include "traffic.hpp"

#include <algorithm>
#include <bit>
#include <unordered_set>

namespace peer {
namespace {

constexpr uint64_t kLineBytes = 64;
constexpr size_t kTags = 65536;
constexpr size_t kWaiting = 4;  // messages that may wait for credits in the wire
constexpr size_t kRecent = 8;   // lines that a conflict may be with
constexpr uint64_t kNeighbours = 4;
constexpr uint64_t kGroup = 256;  // lines whose blocks are one power of two apart
constexpr uint64_t kStay = 512;   // requests, about, of one group

constexpr uint64_t bytes_mask(unsigned first, unsigned count) {
  return count >= 64 ? ~uint64_t{0} : ((uint64_t{1} << count) - 1) << first;
}

}  // namespace

Traffic::Traffic(const HostKnobs& knobs, Wire& wire, Violations& violations, HostCounts& counts)
    : knobs_(knobs),
      wire_(wire),
      violations_(violations),
      counts_(counts),
      random_(knobs.seed * 31 + 7),
      open_(kTags) {}

void Traffic::begin(uint64_t window_base, uint64_t window_size) {
  base_ = window_base;
  size_ = window_size;
  if (!lines_.empty()) return;  // after a link down: what is known is known
  const uint64_t total = window_size / kLineBytes;
  lines_.resize(std::min<uint64_t>(knobs_.lines, total));
  if (knobs_.strides) {
    place_strides(total);
  } else {
    place_lines(total);
  }
  // Two places of the working set must not be one line.
  std::unordered_set<uint64_t> taken;
  std::erase_if(lines_, [&](const MemLine& line) { return !taken.insert(line.address).second; });
}

// Spread over the window: four alone, then four neighbours, and again.
void Traffic::place_lines(uint64_t total) {
  const uint64_t stride = std::max<uint64_t>(kNeighbours, total / std::max(1U, knobs_.lines));
  uint64_t block = 0;
  for (size_t n = 0; n < lines_.size(); ++n) {
    const uint64_t alone = n * stride + (n == 0 ? 0 : random_() % stride);
    if (n % kNeighbours == 0) block = alone / kNeighbours * kNeighbours;
    const uint64_t place = n / kNeighbours % 2 == 0 ? alone : block + n % kNeighbours;
    lines_[n].address = base_ + std::min(place, total - 1) * kLineBytes;
  }
}

// Blocks of four neighbours a power of two apart, another power for the next group: more of one set
// than any cache has ways, and of one bank in any memory.
void Traffic::place_strides(uint64_t total) {
  constexpr uint64_t kBlocks = kGroup / kNeighbours;
  const auto widest = static_cast<unsigned>(std::bit_width(total / kGroup));
  unsigned power = 0;
  uint64_t first = 0;
  for (size_t n = 0; n < lines_.size(); ++n) {
    if (n % kGroup == 0) {
      power = static_cast<unsigned>(random_() % std::max(widest, 1U));
      const uint64_t span = kBlocks << power;
      first = random_() % std::max<uint64_t>(total / kNeighbours - std::min(span, total), 1);
    }
    const uint64_t block = first + (n % kGroup / kNeighbours << power);
    const uint64_t place = block * kNeighbours + n % kNeighbours;
    lines_[n].address = base_ + std::min(place, total - 1) * kLineBytes;
  }
}

void Traffic::link_down() {
  for (Open& open : open_) {
    if (!open.busy) continue;
    MemLine& line = lines_[open.line];
    if (open.op == Op::Wr || open.op == Op::WrPtl) {  // done or not, nobody knows
      line.known &= ~open.byte_enable;
      line.poison = Poison::Unknown;
    }
    open.busy = false;
    ++counts_.dropped;
  }
  for (MemLine& line : lines_) {
    line.reads = 0;
    line.writes = 0;
    line.history.clear();
    line.meta.reset();
    if (!knobs_.survives_reset) {
      line.known = 0;
      line.poison = Poison::Unknown;
    }
  }
  sent_ -= std::min<uint64_t>(sent_, open_count_);
  open_count_ = 0;
  half_tag_.reset();
  loose_.clear();
  releases_.clear();
  wire_.outbox() = {};
  wire_.inbox() = {};
}

void Traffic::release(MessageKind kind) {
  const uint64_t delay =
      knobs_.accept_latency_max == 0 ? 0 : random_() % (knobs_.accept_latency_max + 1);
  if (delay == 0) {
    wire_.release(kind);
  } else {
    const auto at = std::ranges::upper_bound(releases_, now_ + delay, {}, &Release::due);
    releases_.insert(at, {now_ + delay, kind});
  }
}

void Traffic::cycle(bool may_send) {
  ++now_;
  while (!releases_.empty() && releases_.front().due <= now_) {
    wire_.release(releases_.front().kind);
    releases_.pop_front();
  }
  Inbox& inbox = wire_.inbox();
  while (!inbox.ndr.empty()) {
    take_ndr(inbox.ndr.front());
    inbox.ndr.pop_front();
    release(MessageKind::Ndr);
  }
  while (!inbox.drs.empty()) {
    take_drs(inbox.drs.front());
    inbox.drs.pop_front();
    release(MessageKind::Drs);
  }
  if (!may_send || held_ || all_sent() || lines_.empty() || chance(knobs_.idle_rate)) return;
  generate();
  generate();
  if (burst_left_ == 0) return;
  generate();
  generate();
}

// ---- requests ------------------------------------------------------------------------------

// Whether a request may be made now: the bursts alone say so, if there are any.
bool Traffic::with_burst() {
  if (burst_left_ != 0) return true;
  if (open_count_ != 0) return false;
  burst_ = static_cast<Burst>(random_() % 4);
  burst_left_ = knobs_.burst;
  return true;
}

Traffic::Op Traffic::choose_op() {
  if (burst_left_ != 0 && burst_ != Burst::Mixed) {
    if (burst_ == Burst::Reads) return (random_() & 1) != 0 ? Op::Rd : Op::RdData;
    return burst_ == Burst::Writes ? Op::Wr : Op::WrPtl;
  }
  const std::array<uint32_t, 7> weights = {
      knobs_.w_mem_rd,  knobs_.w_mem_rd_data, knobs_.w_mem_wr,     knobs_.w_mem_wr_ptl,
      knobs_.w_mem_inv, knobs_.w_mem_inv_nt,  knobs_.w_mem_spec_rd};
  uint64_t total = 0;
  for (const uint32_t w : weights) total += w;
  uint64_t pick = random_() % std::max<uint64_t>(total, 1);
  for (size_t i = 0; i < weights.size(); ++i) {
    if (pick < weights[i]) return static_cast<Op>(i);
    pick -= weights[i];
  }
  return Op::Rd;
}

uint32_t Traffic::choose_line() {
  if (!knobs_.strides) return static_cast<uint32_t>(random_() % lines_.size());
  if (random_() % kStay == 0) group_ = random_() % (lines_.size() / kGroup + 1);
  const uint64_t index = group_ * kGroup + random_() % kGroup;
  return static_cast<uint32_t>(std::min<uint64_t>(index, lines_.size() - 1));
}

void Traffic::generate() {
  const Outbox& out = wire_.outbox();
  if (out.req.size() >= kWaiting || out.rwd.size() >= kWaiting || all_sent()) return;
  if (knobs_.burst != 0 && !with_burst()) return;
  const Op op = choose_op();
  const bool speculative = op == Op::SpecRd;
  if (!speculative && knobs_.burst == 0 && open_count_ >= knobs_.outstanding) return;
  if (burst_left_ != 0) --burst_left_;
  if (!recent_.empty() && chance(knobs_.conflict_rate)) {
    uint32_t index = recent_[random_() % recent_.size()];
    if ((random_() & 3) == 0)
      index = std::min<uint32_t>(index ^ (random_() & 3), lines_.size() - 1);
    make(op, lines_[index], index);
    return;
  }
  const bool overlaps = knobs_.same_line_overlap && (op == Op::Rd || op == Op::RdData);
  for (unsigned tries = 0; tries < 4; ++tries) {
    const uint32_t index = choose_line();
    MemLine& line = lines_[index];
    // MemSpecRd has no order with anything. All else waits for what is open for its line: S20 3.3
    // orders no two requests of a host.
    if (!speculative && (line.writes != 0 || (line.reads != 0 && !overlaps))) continue;
    make(op, line, index);
    if (conflicts()) recent_.push_back(index);
    if (recent_.size() > kRecent) recent_.pop_front();
    return;
  }
}

uint16_t Traffic::new_tag() {
  while (knobs_.tags_at_once && !freed_.empty()) {
    const uint16_t tag = freed_.back();
    freed_.pop_back();
    if (!open_[tag].busy && !loose_.contains(tag)) return tag;
  }
  for (;;) {
    const auto tag = static_cast<uint16_t>(random_());
    if (!open_[tag].busy && !loose_.contains(tag)) return tag;
  }
}

// A MetaValue that is not reserved: Invalid, Any, Shared.
uint8_t Traffic::state_value() {
  constexpr std::array<uint8_t, 3> kStates = {0, 2, 3};
  return kStates[random_() % kStates.size()];
}

void Traffic::speculate(const MemLine& line) {
  MemReq req;
  req.opcode = kMemSpecRd;
  req.address = line.address;
  wire_.outbox().req.push_back(req);
  ++counts_.speculative;
}

void Traffic::send_read(const MemReq& req, const MemLine& line) {
  const auto where = chance(knobs_.spec_near_rate) ? 1 + random_() % 3 : 0;
  if ((where & 1) != 0) speculate(line);
  wire_.outbox().req.push_back(req);
  if ((where & 2) != 0) speculate(line);
}

void Traffic::make(Op op, MemLine& line, uint32_t index) {
  if (op == Op::SpecRd) return speculate(line);
  const uint16_t tag = new_tag();
  Open& open = open_[tag];
  open = Open{};
  open.op = op;
  open.line = index;
  open.busy = true;
  open.since = ++events_;
  ++open_count_;
  ++sent_;
  ++counts_.sent;
  if (op == Op::Wr || op == Op::WrPtl) {
    MemRwd rwd;
    rwd.opcode = op == Op::Wr ? kMemWr : kMemWrPtl;
    rwd.meta_value = state_value();
    rwd.tag = tag;
    rwd.address = line.address;
    rwd.poison = chance(knobs_.poison_rate);
    rwd.tc = static_cast<uint8_t>(random_() & 3);
    for (auto& byte : rwd.data) byte = static_cast<uint8_t>(random_());
    if (op == Op::WrPtl) {
      // Any enables but all: few, many, one byte, rarely none.
      const unsigned kind = static_cast<unsigned>(random_() % 8);
      rwd.byte_enable = kind == 0   ? uint64_t{1} << (random_() & 63)
                        : kind == 1 ? random_() & random_() & random_()
                        : kind == 2 ? random_() | random_()
                                    : random_();
      if (rwd.byte_enable == ~uint64_t{0}) rwd.byte_enable >>= 1;
      if (rwd.byte_enable == 0) rwd.poison = false;
    }
    open.poison = rwd.poison;
    open.byte_enable = rwd.byte_enable;
    open.data = rwd.data;
    open.meta_field = rwd.meta_field;
    open.meta_value = rwd.meta_value;
    ++line.writes;
    if (conflicts()) {
      const auto mark = rwd.poison     ? LineHistory::Mark::Poisoned
                        : op == Op::Wr ? LineHistory::Mark::Clean
                                       : LineHistory::Mark::None;
      line.history.begin_write(open.since, open.byte_enable, open.data, mark);
    }
    ++(op == Op::Wr ? counts_.writes : counts_.partial_writes);
    if (rwd.poison) ++counts_.poison_written;
    wire_.outbox().rwd.push_back(rwd);
    return;
  }
  MemReq req;
  req.tag = tag;
  req.address = line.address + (op == Op::Rd || op == Op::RdData ? (random_() & 1) * 32 : 0);
  req.tc = static_cast<uint8_t>(random_() & 3);
  req.opcode = op == Op::Rd       ? kMemRd
               : op == Op::RdData ? kMemRdData
               : op == Op::Inv    ? kMemInv
                                  : kMemInvNt;
  // MemRdData asks for no metadata. Overlapping reads change none, or their order would be seen.
  if (op != Op::RdData && !knobs_.same_line_overlap && !conflicts() && (random_() & 1) != 0) {
    req.meta_field = kMeta0State;
    req.meta_value = state_value();
  }
  open.meta_field = req.meta_field;
  open.meta_value = req.meta_value;
  if (op == Op::Rd || op == Op::RdData) {
    ++line.reads;
    ++counts_.reads;
    if (conflicts()) line.history.begin_read(open.since);
    send_read(req, line);
  } else {
    ++line.writes;
    ++counts_.invalidates;
    wire_.outbox().req.push_back(req);
  }
}

uint16_t Traffic::expect_loose() {
  const uint16_t tag = new_tag();
  loose_[tag] = Loose{};
  loose_[tag].tag = tag;
  return tag;
}

uint16_t Traffic::send_loose(MemReq req) {
  req.tag = expect_loose();
  wire_.outbox().req.push_back(req);
  return req.tag;
}

uint16_t Traffic::send_loose(MemRwd rwd) {
  rwd.tag = expect_loose();
  wire_.outbox().rwd.push_back(rwd);
  return rwd.tag;
}

// ---- responses -----------------------------------------------------------------------------

void Traffic::finish(uint16_t tag) {
  Open& open = open_[tag];
  MemLine& line = lines_[open.line];
  if (open.op == Op::Rd || open.op == Op::RdData) {
    --line.reads;
  } else {
    --line.writes;
  }
  open.busy = false;
  if (knobs_.tags_at_once) freed_.push_back(tag);
  --open_count_;
  ++counts_.answered;
}

void Traffic::check_meta(const Open& open, uint8_t field, uint8_t value) {
  MemLine& line = lines_[open.line];
  if (field == kMetaNoOp) return;  // a device that keeps no metadata
  if (conflicts()) return;         // any state that the line has had
  if (field != kMeta0State) {
    violations_.add("3.3.4, Table 31", "a reserved MetaField");
    return;
  }
  if (value == 1) violations_.add("3.3.4, Table 32", "a reserved MetaValue");
  if (line.meta && *line.meta != value)
    violations_.add("3.3.4", "a metadata state that was not written last");
}

void Traffic::take_ndr(const MemNdr& ndr) {
  ++counts_.dev_load[ndr.dev_load & 3];
  if (const auto it = loose_.find(ndr.tag); it != loose_.end()) {
    ++it->second.ndrs;
    it->second.last_ndr = ndr;
    return;
  }
  Open& open = open_[ndr.tag];
  if (!open.busy) {
    violations_.add("3.3.9", "an NDR whose tag is not open");
    return;
  }
  if (open.op == Op::Rd || open.op == Op::RdData) {
    violations_.add("B.2", "an NDR for a read of a Type 3 device");
    return;
  }
  if (ndr.opcode != kCmp) violations_.add("B.2", "an NDR that is not Cmp from a Type 3 device");
  if (ndr.ld_id != 0) violations_.add("3.3.9", "an LD-ID that is not that of the request");
  MemLine& line = lines_[open.line];
  if (open.op == Op::Wr || open.op == Op::WrPtl) {
    if (ndr.meta_field != kMetaNoOp) violations_.add("B.2", "metadata in the NDR of a write");
    if (conflicts()) {
      line.history.end_write(open.since, ++events_);
      return finish(ndr.tag);
    }
    for (unsigned i = 0; i < kLineBytes; ++i) {
      if ((open.byte_enable >> i & 1) != 0) line.data[i] = open.data[i];
    }
    line.known |= open.byte_enable;
    if (open.poison) {
      line.poison = Poison::Yes;
    } else if (open.op == Op::Wr) {
      line.poison = Poison::No;
    }
    line.meta = open.meta_value;
  } else {
    check_meta(open, ndr.meta_field, ndr.meta_value);
    if (open.meta_field == kMeta0State) line.meta = open.meta_value;
  }
  finish(ndr.tag);
}

void Traffic::take_drs(const MemDrs& drs) {
  ++counts_.dev_load[drs.dev_load & 3];
  if (const auto it = loose_.find(drs.tag); it != loose_.end()) {
    ++it->second.drss;
    it->second.last_drs = drs;
    return;
  }
  Open& open = open_[drs.tag];
  if (!open.busy) {
    violations_.add("3.3.10", "a DRS whose tag is not open");
    return;
  }
  if (open.op != Op::Rd && open.op != Op::RdData) {
    violations_.add("B.2", "a DRS for a request that reads nothing");
    return;
  }
  if (drs.opcode != kMemData) violations_.add("3.3.10, Table 42", "a DRS that is not MemData");
  if (drs.ld_id != 0) violations_.add("3.3.10", "an LD-ID that is not that of the request");
  if (half_tag_ && *half_tag_ != drs.tag)
    violations_.add("3.3.11", "data of another line between two halves");
  check_meta(open, drs.meta_field, drs.meta_value);
  if (drs.bytes == 32 && !open.half) {
    open.half = true;
    half_tag_ = drs.tag;
    check_read(open, drs, 0, 32);
    return;
  }
  half_tag_.reset();
  check_read(open, drs, drs.bytes == 32 ? 32 : 0, drs.bytes);
  if (conflicts()) return finish(drs.tag);
  MemLine& line = lines_[open.line];
  if (open.meta_field == kMeta0State) {
    line.meta = open.meta_value;
  } else if (open.op == Op::RdData && line.meta == 0) {
    line.meta.reset();  // the device may raise Invalid to Any
  }
  finish(drs.tag);
}

void Traffic::check_read(Open& open, const MemDrs& drs, unsigned first, unsigned bytes) {
  MemLine& line = lines_[open.line];
  if (conflicts()) return check_overlapped(open, drs, first, bytes);
  if (drs.poison) {
    ++counts_.poison_read;
    if (line.poison == Poison::No && !knobs_.device_may_poison) {
      violations_.add("12.2.3", "poison for a line that was written without");
    }
    if (!knobs_.device_may_poison) line.poison = Poison::Yes;
    return;
  }
  if (line.poison == Poison::Yes) {
    violations_.add("12.2.3", "a poisoned line that is read without poison");
    return;
  }
  line.poison = Poison::No;
  for (unsigned i = 0; i < bytes; ++i) {
    const unsigned at = first + i;
    if ((line.known >> at & 1) != 0 && line.data[at] != drs.data[i]) {
      violations_.add("3.3", "wrong data: line " + std::to_string(line.address) + ", byte " +
                                 std::to_string(at));
      line.known &= ~bytes_mask(first, bytes);  // once a line, not once a byte
      break;
    }
    line.data[at] = drs.data[i];
  }
  line.known |= bytes_mask(first, bytes);
}

void Traffic::check_overlapped(Open& open, const MemDrs& drs, unsigned first, unsigned bytes) {
  MemLine& line = lines_[open.line];
  const uint64_t now = ++events_;
  const bool last = first + bytes == kLineBytes;
  if (drs.poison) ++counts_.poison_read;
  const bool excused = drs.poison && knobs_.device_may_poison;
  if (!excused && !line.history.mark_right(open.since, drs.poison)) {
    violations_.add("12.2.3", drs.poison ? "poison for a line that no order of the writes poisons"
                                         : "no poison for a line that every order poisons");
  }
  Line data{};
  std::copy_n(drs.data.begin(), bytes, data.begin() + first);
  if (!drs.poison) {
    const unsigned wrong = line.history.wrong_byte(open.since, data, first, bytes);
    if (wrong < kLineBytes) {
      violations_.add("3.3", "data that no order of the writes gives: line " +
                                 std::to_string(line.address) + ", byte " + std::to_string(wrong));
    }
  }
  if (!last) return;
  const auto mark = excused      ? LineHistory::Mark::None
                    : drs.poison ? LineHistory::Mark::Poisoned
                                 : LineHistory::Mark::Clean;
  const uint64_t good = drs.poison ? 0 : bytes_mask(first, bytes);
  line.history.end_read(open.since, now, good, data, mark);
}

}  // namespace peer
