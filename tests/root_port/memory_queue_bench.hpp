// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
// The bench of memory_queue_test: a device, rates and faults drawn at random, the twin beside the
// RTL; what the RTL does in a cycle, for tests by hand and for the pairs of events that meet.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <optional>
#include <vector>

#include "Vmemory_queue.h"
#include "flits/messages.hpp"
#include "refmodel/root_port/memory_queue.hpp"
#include "tests/common/fields.hpp"
#include "tests/common/idle.hpp"
#include "tests/common/offer.hpp"
#include "tests/common/sys_bits.hpp"
#include "tests/coverage/functional_gtest.hpp"
#include "tests/coverage/pairs_root_port.hpp"

namespace cxlgpu::memory_queue_bench {

using test::Clocked;
using test::Lockstep;
using test::Random;

// Of memory_queue_tb.sv.
struct Size {
  unsigned depth = 0, spec_entries = 0;
  [[nodiscard]] constexpr unsigned demand() const { return depth - spec_entries; }
  [[nodiscard]] constexpr bool least() const { return depth == 2; }
  [[nodiscard]] constexpr bool greatest() const { return depth == 64; }
  [[nodiscard]] constexpr unsigned choice() const { return least() ? 1 : greatest() ? 2 : 0; }
  [[nodiscard]] MemoryQueueBlock twin() const { return MemoryQueueBlock(depth, spec_entries); }
};
inline constexpr Size kRootPort{32, 2}, kLeast{2, 1}, kGreatest{64, 2};
inline constexpr unsigned kDepth = kRootPort.depth, kDemand = kRootPort.demand();

template <typename Port>
void check_header(Lockstep& lockstep, const char* name, const Port& port, flits::u128 twin) {
  lockstep.check(name, test::get_bits(port, 0, 64), static_cast<std::uint64_t>(twin));
  lockstep.check(name, test::get_bits(port, 64, 23), static_cast<std::uint64_t>(twin >> 64));
}

// The far end: remembers what it was given and answers in any order, sometimes wrongly.
struct Device {
  std::vector<unsigned> reads, writes;
  static void forget(std::vector<unsigned>& tags, unsigned tag) { std::erase(tags, tag); }

  static MemoryQueueBlock::Response answer(const std::vector<unsigned>& tags, Random& random,
                                           unsigned percent, unsigned percent_wrong) {
    MemoryQueueBlock::Response rsp;
    const bool wrong = random.percent(percent_wrong);
    rsp.valid = random.percent(percent) && (wrong || !tags.empty());
    if (!rsp.valid) return rsp;
    if (!wrong) {
      rsp.tag = random.pick(tags);
    } else if (!tags.empty() && random.percent(30)) {  // one bit off a tag that is open
      rsp.tag = random.pick(tags) ^ 1u << random.below(16);
    } else {
      const bool small = random.percent(60);
      rsp.tag = static_cast<unsigned>(small ? random.below(kDepth + 4) : random.bits(16));
    }
    rsp.dev_load = static_cast<unsigned>(random.bits(2));
    rsp.poison = random.percent(10);
    if (random.percent(percent_wrong)) rsp.opcode = static_cast<unsigned>(random.bits(3));
    if (random.percent(percent_wrong)) rsp.ld_id = static_cast<unsigned>(random.bits(4));
    rsp.data = test::random_line(random);
    return rsp;
  }
};

struct Rates {
  unsigned requests = 50, writes = 50, specs = 50, hints = 50, takes = 50, answers = 50,
           rsp_ready = 50;
  unsigned wrong = 2;
  std::uint64_t base = 0, lines = 8;
  bool length = false;
  unsigned ticks = 0;
  explicit Rates(Random& random) {
    for (unsigned* p : {&requests, &writes, &specs, &hints, &takes, &answers, &rsp_ready}) {
      *p = static_cast<unsigned>(random.below(101));
    }
    wrong = random.percent(50) ? 0 : 3;
    base = random.bits(45);
    lines = 1 + random.below(random.percent(50) ? 8 : 200);
    length = random.percent(50);
    if (random.percent(30)) specs = random.percent(50) ? 0 : 2;  // more room for hints
    ticks = random.pick(std::array{0u, 1u, 10u, 50u});
    if (random.percent(25)) fill(random);
  }
  // More comes than goes: the queue is full most of the time.
  void fill(Random& random) {
    requests = 100;
    specs = random.pick(std::array{0u, 5u, 50u});
    answers = random.pick(std::array{2u, 10u, 40u});
    takes = random.pick(std::array{100u, 100u, 20u});
    rsp_ready = random.pick(std::array{5u, 30u, 100u});
    lines = 200;
  }
};

// Isolation begins at any time and ends at any, mostly after a cycle without busy. What the device
// still knows of it answers late, or it is lost with a link down.
class Isolator {
 public:
  bool step(Random& random, bool was_busy, Rates& rates) {
    if (!isolated_) {
      if (random.below(every) == 0) {
        isolated_ = true;
        ++entered;
        if (random.percent(50)) rates.requests = rates.specs = 100;  // until it must drain
      }
    } else {
      if (random.below(60) == 0) rates.requests = rates.specs = 0;
      if (was_busy ? random.below(200) == 0 : random.percent(30)) {
        isolated_ = false;
        ++left;
        rates = Rates(random);
      }
    }
    return isolated_;
  }
  // The link: down now and then, for a cycle or for long, oftener while the device owes.
  bool down(Random& random, bool refused, Device& device) {
    if (down_for_ == 0 && random.below(refused ? 100 : 800) == 0) {
      down_for_ = 1 + static_cast<unsigned>(random.below(random.percent(50) ? 3 : 60));
      ++downs;
    }
    if (down_for_ == 0) return false;
    --down_for_;
    device = {};
    return true;
  }
  std::uint64_t entered = 0, left = 0, downs = 0;
  std::uint64_t every = 300;  // cycles

 private:
  bool isolated_ = false;
  unsigned down_for_ = 0;
};

// What the random run must have seen.
struct Coverage {
  std::uint64_t conflicts = 0, matched = 0;
  std::uint64_t answered_sent = 0, answered_unsent = 0;  // by isolation: handed over before or not
  std::uint64_t thrown_away = 0, both_thrown_away = 0;
  std::uint64_t offers_withdrawn = 0;  // by the begin of isolation
  std::uint64_t order_only = 0;        // busy without a load or store
  std::uint64_t left_with_entry = 0;   // taken in the last cycle of isolation
  std::uint64_t timed_out = 0, ticks_isolated = 0, ticks_in_time = 0;
  std::uint64_t owed = 0;           // refused only because the device still owes
  std::uint64_t refused_after = 0;  // born refused, answered when refusing was over
  std::uint64_t bad = 0;            // reserved opcode or foreign LD-ID
  std::uint64_t turns = 0;          // an NDR went before a DRS
  std::uint64_t hints = 0, hints_wait = 0, hints_forgotten = 0;

  void expect() const {
    EXPECT_GT(conflicts, 1000u);
    EXPECT_GT(matched, 10000u);
    EXPECT_GT(answered_sent, 500u);
    EXPECT_GT(answered_unsent, 500u);
    EXPECT_GT(thrown_away, 500u);
    EXPECT_GT(both_thrown_away, 25u);
    EXPECT_GT(offers_withdrawn, 50u);
    EXPECT_GT(order_only, 50u);
    EXPECT_GT(left_with_entry, 10u);
    EXPECT_GT(timed_out, 1000u);
    EXPECT_GT(ticks_isolated, 500u);
    EXPECT_GT(ticks_in_time, 500u);
    EXPECT_GT(owed, 500u);
    EXPECT_GT(refused_after, 50u);
    EXPECT_GT(bad, 100u);
    EXPECT_GT(turns, 500u);
    EXPECT_GT(hints, 1000u);
    EXPECT_GT(hints_wait, 1000u);
    EXPECT_GT(hints_forgotten, 100u);
  }
};

template <typename Top>
void drive(Top& rtl, const MemoryQueueBlock::In& in, test::Idle& idle) {
  rtl->in_valid_i = in.in_valid;
  test::set_sys_req(rtl->in_req_i, in.in_req);
  rtl->spec_valid_i = in.spec_valid;
  rtl->spec_first_i = in.spec.first;
  rtl->spec_len_i = in.spec.len;
  rtl->spec_line_i = in.spec_line;
  if (!in.spec_valid) {
    idle.fill(rtl->spec_first_i, 0, 44);
    idle.fill(rtl->spec_len_i, 0, 2);
    idle.fill(rtl->spec_line_i, 0, 46);
  }
  rtl->hint_valid_i = in.hint_valid;
  rtl->hint_first_i = in.hint.first;
  rtl->hint_len_i = in.hint.len;
  if (!in.hint_valid) {
    idle.fill(rtl->hint_first_i, 0, 44);
    idle.fill(rtl->hint_len_i, 0, 2);
  }
  rtl->len_en_i = in.len_en;
  rtl->req_ready_i = in.req_ready;
  rtl->rwd_ready_i = in.rwd_ready;
  flits::S2mDrs drs;
  drs.valid = in.drs.valid;
  drs.tag = static_cast<std::uint16_t>(in.drs.tag);
  drs.poison = in.drs.poison;
  drs.dev_load = static_cast<flits::DevLoad>(in.drs.dev_load);
  drs.opcode = static_cast<flits::S2mDrsOpcode>(in.drs.opcode);
  drs.ld_id = static_cast<std::uint8_t>(in.drs.ld_id);
  flits::S2mNdr ndr;
  ndr.valid = in.ndr.valid;
  ndr.tag = static_cast<std::uint16_t>(in.ndr.tag);
  ndr.dev_load = static_cast<flits::DevLoad>(in.ndr.dev_load);
  ndr.opcode = static_cast<flits::S2mNdrOpcode>(in.ndr.opcode);
  ndr.ld_id = static_cast<std::uint8_t>(in.ndr.ld_id);
  rtl->drs_valid_i = in.drs.valid;
  test::set_bits(rtl->drs_hdr_i, 0, 64, static_cast<std::uint64_t>(flits::pack(drs)));
  test::set_line(rtl->drs_data_i, 0, in.drs.data);
  if (!in.drs.valid) {
    idle.fill(rtl->drs_hdr_i, 0, 64);
    idle.fill(rtl->drs_data_i, 0, 512);
  }
  rtl->ndr_valid_i = in.ndr.valid;
  test::set_bits(rtl->ndr_hdr_i, 0, 64, static_cast<std::uint64_t>(flits::pack(ndr)));
  if (!in.ndr.valid) idle.fill(rtl->ndr_hdr_i, 0, 64);
  rtl->rsp_ready_i = in.rsp_ready;
  rtl->isolate_i = in.isolate;
  rtl->down_i = in.down;
  rtl->tick_i = in.tick;
}

template <typename Top>
void compare(Lockstep& lockstep, Top& rtl, const MemoryQueueBlock::In& in,
             const MemoryQueueBlock::Out& out) {
  lockstep.check("spec_ready_o", rtl->spec_ready_o, out.spec_ready);
  lockstep.check("hint_ready_o", rtl->hint_ready_o, out.hint_ready);
  if (in.in_valid) lockstep.check("in_ready_o", rtl->in_ready_o, out.in_ready);
  lockstep.check("req_valid_o", rtl->req_valid_o, out.req_valid);
  check_header(lockstep, "req_hdr_o", rtl->req_hdr_o, out.req_header());
  lockstep.check("rwd_valid_o", rtl->rwd_valid_o, out.rwd_valid);
  check_header(lockstep, "rwd_hdr_o", rtl->rwd_hdr_o, out.rwd_header());
  if (out.rwd_valid) {
    lockstep.check_bytes("rwd_data_o", test::get_line(rtl->rwd_data_o), out.rwd->data);
    lockstep.check("rwd_be_o", rtl->rwd_be_o, out.rwd->byte_enable);
  }
  if (in.drs.valid) lockstep.check("drs_ready_o", rtl->drs_ready_o, out.drs_ready);
  if (in.ndr.valid) lockstep.check("ndr_ready_o", rtl->ndr_ready_o, out.ndr_ready);
  lockstep.check("rsp_taken_o", rtl->rsp_taken_o, out.rsp_taken);
  lockstep.check("rsp_dev_load_o", rtl->rsp_dev_load_o, out.rsp_dev_load);
  lockstep.check("rsp_valid_o", rtl->rsp_valid_o, out.rsp_valid);
  if (out.rsp_valid) test::check_sys_rsp(lockstep, rtl->rsp_o, out.rsp);
  lockstep.check("mem_valid_o", rtl->mem_valid_o, out.lines.valid);
  for (unsigned i = 0; i < kGreatest.demand(); ++i) {
    if (!((out.lines.valid >> i) & 1)) continue;
    lockstep.check("mem_line_o", test::get_bits(rtl->mem_line_o, 46 * i, 46), out.lines.line[i]);
  }
  lockstep.check("unexpected_o", rtl->unexpected_o, out.unexpected);
  lockstep.check("timed_out_o", rtl->timed_out_o, out.timed_out);
  lockstep.check("busy_o", rtl->busy_o, out.busy);
  lockstep.check("refuse_o", rtl->refuse_o, out.refuse);
  lockstep.check("bad_rsp_o", rtl->bad_rsp_o, out.bad_rsp);
}

struct Trace {
  bool valid;
  std::uint64_t id, line, info;
};

template <typename Port>
void check_trace(Lockstep& lockstep, const char* name, const Port& port, const Trace& twin) {
  lockstep.check(name, test::get_bits(port, layout::Trace::valid), twin.valid);
  if (!twin.valid) return;
  lockstep.check(name, test::get_bits(port, layout::Trace::id), twin.id);
  lockstep.check(name, test::get_bits(port, layout::Trace::line), twin.line);
  lockstep.check(name, test::get_bits(port, layout::Trace::info), twin.info);
}

// Means nothing without an answer.
inline unsigned answered_tag(const MemoryQueueBlock::In& in, const MemoryQueueBlock::Out& out) {
  return out.refused_tag.value_or(in.drs.valid && out.drs_ready ? in.drs.tag : in.ndr.tag);
}

// Raised in the cycle of the handshake.
template <typename Top>
void compare_traces(Lockstep& lockstep, Top& rtl, const MemoryQueueBlock::In& in,
                    const MemoryQueueBlock::Out& out, const MemRequest* answered) {
  check_trace(lockstep, "tr_alloc_o", rtl->tr_alloc_o,
              {in.in_valid && out.in_ready, in.in_req.id, in.in_req.addr / kLineBytes, out.in_tag});
  const bool req = out.req_valid && in.req_ready;
  check_trace(lockstep, "tr_req_o", rtl->tr_req_o,
              {req && !out.req_is_spec, out.req_tag, out.req_address, 1});
  check_trace(lockstep, "tr_spec_o", rtl->tr_spec_o,
              {req && out.req_is_spec, out.req_is_hint, out.req_spec_line, out.req_granules});
  const bool rwd = out.rwd_valid && in.rwd_ready;
  check_trace(lockstep, "tr_rwd_o", rtl->tr_rwd_o,
              {rwd, out.rwd_tag, rwd ? out.rwd->addr / kLineBytes : 0,
               rwd && out.rwd->byte_enable != kAllBytes ? 2u : 1u});
  const unsigned tag = answered_tag(in, out);
  check_trace(lockstep, "tr_respond_o", rtl->tr_respond_o,
              {answered != nullptr, answered != nullptr ? answered->id : 0,
               answered != nullptr ? answered->addr / kLineBytes : 0, out.rsp_dev_load << 6 | tag});
}

// What the RTL says in a cycle, taken apart.
struct Seen {
  bool in_ready = false, spec_ready = false, hint_ready = false;
  bool req_valid = false, rwd_valid = false;
  flits::M2sReq req;  // with req_valid
  flits::M2sRwd rwd;  // with rwd_valid
  bool drs_ready = false, ndr_ready = false, rsp_taken = false;
  unsigned rsp_dev_load = 0;
  bool rsp_valid = false;
  MemResponse rsp;                      // with rsp_valid
  std::optional<unsigned> taken_tag;    // of the request taken
  std::optional<unsigned> freed_tag;    // of the entry answered
  std::optional<unsigned> refused_tag;  // and by the queue itself
  std::optional<unsigned> issued_id;    // of the MemSpecRd handed over, as traced
  std::uint64_t held = 0;               // entries
  std::uint32_t unexpected = 0;
  bool refuse = false, timed_out = false, busy = false, bad_rsp = false;

  [[nodiscard]] bool is_spec() const {
    return req_valid && req.opcode == flits::M2sReqOpcode::MemSpecRd;
  }
};

template <typename Top>
Seen look_at(Top& rtl) {
  const auto header = [](const auto& port) {
    return static_cast<flits::u128>(test::get_bits(port, 64, 23)) << 64 |
           test::get_bits(port, 0, 64);
  };
  Seen seen;
  seen.in_ready = rtl->in_ready_o != 0;
  seen.spec_ready = rtl->spec_ready_o != 0;
  seen.hint_ready = rtl->hint_ready_o != 0;
  seen.req_valid = rtl->req_valid_o != 0;
  if (seen.req_valid) seen.req = flits::unpack<flits::M2sReq>(header(rtl->req_hdr_o));
  seen.rwd_valid = rtl->rwd_valid_o != 0;
  if (seen.rwd_valid) seen.rwd = flits::unpack<flits::M2sRwd>(header(rtl->rwd_hdr_o));
  seen.drs_ready = rtl->drs_ready_o != 0;
  seen.ndr_ready = rtl->ndr_ready_o != 0;
  seen.rsp_taken = rtl->rsp_taken_o != 0;
  seen.rsp_dev_load = rtl->rsp_dev_load_o;
  seen.rsp_valid = rtl->rsp_valid_o != 0;
  if (seen.rsp_valid) {
    seen.rsp = {static_cast<std::uint32_t>(test::get_bits(rtl->rsp_o, 514, 16)),
                test::get_bits(rtl->rsp_o, 513, 1) != 0, test::get_bits(rtl->rsp_o, 512, 1) != 0,
                test::get_line(rtl->rsp_o)};
  }
  const auto index = [](const auto& trace) -> std::optional<unsigned> {
    if (test::get_bits(trace, layout::Trace::valid) == 0) return std::nullopt;
    return static_cast<unsigned>(test::get_bits(trace, layout::Trace::info) & 63);
  };
  seen.taken_tag = index(rtl->tr_alloc_o);
  seen.freed_tag = index(rtl->tr_respond_o);
  if (!seen.rsp_taken) seen.refused_tag = seen.freed_tag;
  if (test::get_bits(rtl->tr_spec_o, layout::Trace::valid) != 0) {
    seen.issued_id = static_cast<unsigned>(test::get_bits(rtl->tr_spec_o, layout::Trace::id));
  }
  seen.held = rtl->mem_valid_o;
  seen.unexpected = rtl->unexpected_o;
  seen.refuse = rtl->refuse_o != 0;
  seen.timed_out = rtl->timed_out_o != 0;
  seen.busy = rtl->busy_o != 0;
  seen.bad_rsp = rtl->bad_rsp_o != 0;
  return seen;
}

// Which events of the RTL meet in a cycle; nothing that is offered changes while it waits, but by a
// refusal.
class Meetings {
 public:
  explicit Meetings(Size size = kRootPort) : size_(size) {}
  template <typename Top>
  void look(Top& rtl, const MemoryQueueBlock::In& in) {
    using coverage::MqMode;
    const Seen seen = look_at(rtl);
    const MqMode mode = seen.refuse ? (refused_ ? MqMode::Refuses : MqMode::Begins)
                        : refused_  ? MqMode::Ended
                                    : MqMode::Serves;
    refused_ = seen.refuse;
    if (seen.refuse) {
      req_.forget();
      rwd_.forget();
    }
    req_.look(seen.req_valid, in.req_ready, rtl->req_hdr_o);
    rwd_.look(seen.rwd_valid, in.rwd_ready, rtl->rwd_hdr_o, rtl->rwd_data_o, rtl->rwd_be_o);
    rsp_.look(seen.rsp_valid, in.rsp_ready, rtl->rsp_o);
    if (size_.greatest()) return;  // the bins know the other two
    for (const auto comes : enters(rtl, in, seen)) {
      for (const auto goes : leaves(in, seen)) {
        pairs_.hit({size_.least() ? 0u : 1u, static_cast<unsigned>(comes),
                    static_cast<unsigned>(goes), static_cast<unsigned>(mode)});
      }
    }
    levels_.hit({size_.least() ? 0u : 1u, seen.taken_tag ? 1u + in.in_req.is_write : 0u,
                 !seen.freed_tag    ? 0u
                 : seen.refused_tag ? 2u
                                    : 1u,
                 level(seen.held)});
  }
  void reset() {
    refused_ = false;
    for (test::Offer* offer : {&req_, &rwd_, &rsp_}) offer->forget();
  }
  [[nodiscard]] std::uint64_t stalls() const {
    return std::min({req_.stalls(), rwd_.stalls(), rsp_.stalls()});
  }

 private:
  [[nodiscard]] unsigned level(std::uint64_t held) const {
    using coverage::MqLevel;
    const auto n = static_cast<unsigned>(std::popcount(held));
    return static_cast<unsigned>(n == 0                    ? MqLevel::Empty
                                 : n == size_.demand()     ? MqLevel::Full
                                 : n == 1                  ? MqLevel::One
                                 : n == size_.demand() - 1 ? MqLevel::OneFree
                                                           : MqLevel::Some);
  }
  template <typename Top>
  [[nodiscard]] std::vector<coverage::MqEnters> enters(Top& rtl, const MemoryQueueBlock::In& in,
                                                       const Seen& seen) const {
    using coverage::MqEnters;
    std::vector<MqEnters> out;
    const bool spec_taken = in.spec_valid && seen.spec_ready;
    if (in.spec_valid) out.push_back(spec_taken ? MqEnters::Spec : MqEnters::SpecWaits);
    if (in.hint_valid) out.push_back(seen.hint_ready ? MqEnters::Hint : MqEnters::HintWaits);
    if (in.tick) out.push_back(MqEnters::Tick);
    if (in.in_valid) {
      bool line_held = false;
      for (unsigned i = 0; i < kGreatest.demand(); ++i) {
        line_held |= ((seen.held >> i) & 1) != 0 &&
                     test::get_bits(rtl->mem_line_o, 46 * i, 46) == in.in_req.addr / kLineBytes;
      }
      out.push_back(seen.in_ready ? (in.in_req.is_write ? MqEnters::Store : MqEnters::Load)
                    : level(seen.held) == static_cast<unsigned>(coverage::MqLevel::Full)
                        ? MqEnters::Full
                    : line_held ? MqEnters::LineHeld
                                : MqEnters::BehindSpec);
    }
    if (out.empty()) out.push_back(MqEnters::Nothing);
    return out;
  }
  static std::vector<coverage::MqLeaves> leaves(const MemoryQueueBlock::In& in, const Seen& seen) {
    using coverage::MqLeaves;
    std::vector<MqLeaves> out;
    if (seen.req_valid && in.req_ready) {
      out.push_back(seen.is_spec() ? MqLeaves::SpecOut : MqLeaves::ReadOut);
    }
    if (seen.rwd_valid && in.rwd_ready) out.push_back(MqLeaves::WriteOut);
    const bool drs = in.drs.valid && seen.drs_ready, ndr = in.ndr.valid && seen.ndr_ready;
    if (seen.rsp_taken) {
      out.push_back(drs ? MqLeaves::ReadAnswered : MqLeaves::WriteAnswered);
    } else if (drs || ndr) {
      out.push_back(seen.refuse ? MqLeaves::ThrownAway : MqLeaves::Stray);
    }
    if (seen.refused_tag) out.push_back(MqLeaves::Refused);
    if (out.empty()) out.push_back(MqLeaves::Nothing);
    return out;
  }

  const Size size_;
  test::TestCoverage pairs_{coverage::memory_queue_pairs()};
  test::TestCoverage levels_{coverage::memory_queue_levels()};
  test::Offer req_{"req_o"}, rwd_{"rwd_o"}, rsp_{"rsp_o"};
  bool refused_ = false;
};

// RTL and twin by hand, one cycle a step. What is told is the RTL's; what is set counts for that
// cycle only, but isolate and length, which is len_en.
struct Stepper {
  Lockstep lockstep{"root_port/memory_queue", 0};
  Clocked<Vmemory_queue> rtl;
  test::Idle idle;
  MemoryQueueBlock block;
  MemoryQueueBlock::In in;
  bool length = false;
  Meetings meetings;

  explicit Stepper(Size size = kRootPort) : block(size.twin()), meetings(size) {
    rtl->size_i = size.choice();
    rtl.reset();
  }
  Seen look() {
    in.len_en = length;
    drive(rtl, in, idle);
    rtl.settle();
    compare(lockstep, rtl, in, block.eval(in));
    return look_at(rtl);
  }
  Seen step() {
    const bool isolate = in.isolate;
    const Seen seen = look();
    meetings.look(rtl, in);
    block.clock(in);
    rtl.edge();
    in = {};
    in.isolate = isolate;
    return seen;
  }
  Seen offer(std::uint64_t line, bool is_write) {
    in.in_valid = true;
    in.in_req.id = static_cast<std::uint32_t>(line);
    in.in_req.is_write = is_write;
    in.in_req.addr = line * kLineBytes;
    return step();
  }
  void take(std::uint64_t line, bool is_write) { EXPECT_TRUE(offer(line, is_write).in_ready); }
  Seen spec(std::uint64_t first, unsigned len, std::uint64_t line) {
    in.spec_valid = true;
    in.spec = {first, len};
    in.spec_line = line;
    return step();
  }
  Seen hint(std::uint64_t first, unsigned len) {
    in.hint_valid = true;
    in.hint = {first, len};
    return step();
  }
  // Both ways open for a cycle.
  Seen hand_over() {
    in.req_ready = in.rwd_ready = true;
    return step();
  }
  Seen answer(unsigned tag, bool is_write) {
    auto& kind = is_write ? in.ndr : in.drs;
    kind.valid = true;
    kind.tag = tag;
    in.rsp_ready = true;
    return step();
  }
};

}  // namespace cxlgpu::memory_queue_bench
