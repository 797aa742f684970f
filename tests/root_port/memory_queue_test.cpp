// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
// memory_queue: the twin in lockstep with the RTL, and its rules by hand.
#include "refmodel/root_port/memory_queue.hpp"

#include <vector>

#include "Vmemory_queue.h"
#include "flits/messages.hpp"
#include "tests/common/requirement.hpp"
#include "tests/common/sys_bits.hpp"

namespace cxlgpu {
namespace {

using test::Clocked;
using test::Lockstep;
using test::Random;

constexpr unsigned kDepth = 32;
constexpr unsigned kSpecEntries = 2;
constexpr unsigned kDemand = kDepth - kSpecEntries;

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
    const bool small = random.percent(70);
    rsp.tag = wrong ? static_cast<unsigned>(small ? random.below(kDepth + 4) : random.bits(16))
                    : random.pick(tags);
    rsp.dev_load = static_cast<unsigned>(random.bits(2));
    rsp.poison = random.percent(10);
    if (random.percent(percent_wrong)) rsp.opcode = static_cast<unsigned>(random.bits(3));
    if (random.percent(percent_wrong)) rsp.ld_id = static_cast<unsigned>(random.bits(4));
    rsp.data = test::random_line(random);
    return rsp;
  }
};

struct Rates {
  unsigned requests = 50, writes = 50, specs = 50, takes = 50, answers = 50, rsp_ready = 50;
  unsigned wrong = 2;
  std::uint64_t base = 0, lines = 8;
  bool length = false;
  unsigned ticks = 0;
  explicit Rates(Random& random) {
    for (unsigned* p : {&requests, &writes, &specs, &takes, &answers, &rsp_ready}) {
      *p = static_cast<unsigned>(random.below(101));
    }
    wrong = random.percent(50) ? 0 : 3;
    base = random.bits(45);
    lines = 1 + random.below(random.percent(50) ? 8 : 200);
    length = random.percent(50);
    ticks = random.pick(std::array{0u, 1u, 10u, 50u});
  }
};

// Isolation begins at any time and ends at any, mostly after a cycle without busy. What the device
// still knows of it answers late, or it is lost with a link down.
class Isolator {
 public:
  bool step(Random& random, bool was_busy, Rates& rates) {
    if (!isolated_) {
      if (random.below(300) == 0) {
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
  }
};

template <typename Top>
void drive(Top& rtl, const MemoryQueueBlock::In& in, bool length) {
  rtl->in_valid_i = in.in_valid;
  test::set_sys_req(rtl->in_req_i, in.in_req);
  rtl->spec_valid_i = in.spec_valid;
  rtl->spec_first_i = in.spec.run.first;
  rtl->spec_len_i = in.spec.run.len;
  rtl->spec_line_i = in.spec.line;
  rtl->len_en_i = length;
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
  rtl->ndr_valid_i = in.ndr.valid;
  test::set_bits(rtl->ndr_hdr_i, 0, 64, static_cast<std::uint64_t>(flits::pack(ndr)));
  rtl->rsp_ready_i = in.rsp_ready;
  rtl->isolate_i = in.isolate;
  rtl->down_i = in.down;
  rtl->tick_i = in.tick;
}

template <typename Top>
void compare(Lockstep& lockstep, Top& rtl, const MemoryQueueBlock::In& in,
             const MemoryQueueBlock::Out& out) {
  lockstep.check("spec_ready_o", rtl->spec_ready_o, out.spec_ready);
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
  for (unsigned i = 0; i < kDemand; ++i) {
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
  lockstep.check(name, test::get_bits(port, 70, 1), twin.valid);
  if (!twin.valid) return;
  lockstep.check(name, test::get_bits(port, 54, 16), twin.id);
  lockstep.check(name, test::get_bits(port, 8, 46), twin.line);
  lockstep.check(name, test::get_bits(port, 0, 8), twin.info);
}

// Means nothing without an answer.
unsigned answered_tag(const MemoryQueueBlock::In& in, const MemoryQueueBlock::Out& out) {
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
              {req && out.req_is_spec, 0, out.req_spec_line, out.req_granules});
  const bool rwd = out.rwd_valid && in.rwd_ready;
  check_trace(lockstep, "tr_rwd_o", rtl->tr_rwd_o,
              {rwd, out.rwd_tag, rwd ? out.rwd->addr / kLineBytes : 0,
               rwd && out.rwd->byte_enable != kAllBytes ? 2u : 1u});
  const unsigned tag = answered_tag(in, out);
  check_trace(lockstep, "tr_respond_o", rtl->tr_respond_o,
              {answered != nullptr, answered != nullptr ? answered->id : 0,
               answered != nullptr ? answered->addr / kLineBytes : 0, out.rsp_dev_load << 6 | tag});
}

TEST(MemoryQueue, LockstepWithRtl) {
  test::shows("order", "The RTL's memory queue does in every cycle what its twin does",
              "docs/blocks.md, memory_queue");
  Lockstep lockstep("root_port/memory_queue", 0x3e3);
  Random random(lockstep.seed());
  Clocked<Vmemory_queue> rtl;
  MemoryQueueBlock twin(kDepth, kSpecEntries);
  rtl.reset();
  Device device;
  std::array<MemRequest, kDepth> outstanding;  // by tag
  std::array<bool, kDepth> sent{};
  Rates rates(random);
  Isolator isolator;
  MemoryQueueBlock::In in;
  MemoryQueueBlock::Out last;
  Coverage seen;
  while (lockstep.next()) {
    if (lockstep.cycle() % 400 == 0) rates = Rates(random);
    const bool was_isolated = in.isolate;
    in.isolate = isolator.step(random, last.busy, rates);
    in.down = isolator.down(random, last.refuse, device);
    if (in.down) in.drs.valid = in.ndr.valid = false;  // lost with the link
    in.tick = random.percent(rates.ticks);
    if (!in.in_valid && random.percent(rates.requests)) {
      in.in_valid = true;
      in.in_req =
          test::random_request(random, rates.base + random.below(rates.lines), rates.writes);
    }
    // The reader's offer follows the queues while it waits.
    in.spec_valid = in.spec_valid || random.percent(rates.specs);
    in.spec = {
        {random.bits(44), static_cast<unsigned>(random.bits(2))}, random.bits(46), rates.length};
    in.req_ready = random.percent(rates.takes);
    in.rwd_ready = random.percent(rates.takes);
    in.rsp_ready = random.percent(rates.rsp_ready);
    if (!in.drs.valid) in.drs = Device::answer(device.reads, random, rates.answers, rates.wrong);
    if (!in.ndr.valid) in.ndr = Device::answer(device.writes, random, rates.answers, rates.wrong);
    drive(rtl, in, rates.length);
    rtl.settle();
    const MemoryQueueBlock::Out out = twin.eval(in);
    compare(lockstep, rtl, in, out);
    const unsigned tag = answered_tag(in, out);
    const bool answers = out.rsp_taken || out.refused_tag;
    compare_traces(lockstep, rtl, in, out, answers ? &outstanding[tag] : nullptr);

    seen.conflicts += in.in_valid && !out.in_ready;
    seen.matched += out.rsp_taken;
    if (out.refused_tag) ++(sent[tag] ? seen.answered_sent : seen.answered_unsent);
    seen.thrown_away += out.refuse && (in.drs.valid || in.ndr.valid);
    seen.both_thrown_away += out.refuse && in.drs.valid && in.ndr.valid;
    seen.owed += out.refuse && !in.isolate && !in.down && !last.busy;
    seen.refused_after += !out.refuse && out.refused_tag;
    seen.bad += out.bad_rsp;
    seen.turns += !out.refuse && in.drs.valid && in.ndr.valid && out.ndr_ready;
    if (in.isolate && !was_isolated) {
      in.isolate = false;
      const MemoryQueueBlock::Out offer = twin.eval(in);
      in.isolate = true;
      seen.offers_withdrawn += offer.req_valid || offer.rwd_valid;
    }
    seen.order_only += out.busy && out.lines.valid == 0;
    seen.left_with_entry += was_isolated && !in.isolate && out.lines.valid != 0;
    seen.timed_out += out.timed_out;
    seen.ticks_isolated += in.tick && in.isolate && out.lines.valid != 0;
    seen.ticks_in_time += in.tick && !in.isolate && !out.timed_out && out.lines.valid != 0;

    if (in.in_valid && out.in_ready) {
      outstanding[out.in_tag] = in.in_req;
      sent[out.in_tag] = false;
    }
    twin.clock(in);
    rtl.edge();
    if (in.drs.valid && out.drs_ready) {
      Device::forget(device.reads, in.drs.tag);
      in.drs.valid = false;
    }
    if (in.ndr.valid && out.ndr_ready) {
      Device::forget(device.writes, in.ndr.tag);
      in.ndr.valid = false;
    }
    if (out.req_valid && in.req_ready && !out.req_is_spec) {
      device.reads.push_back(out.req_tag);
      sent[out.req_tag] = true;
    }
    if (out.rwd_valid && in.rwd_ready) {
      device.writes.push_back(out.rwd_tag);
      sent[out.rwd_tag] = true;
    }
    if (out.in_ready) in.in_valid = false;
    if (out.spec_ready) in.spec_valid = false;
    last = out;
    if (random.below(5000) == 0) {  // whatever was under way
      rtl.reset();
      twin = MemoryQueueBlock(kDepth, kSpecEntries);
      device = Device();
      sent = {};
      in = {};
      last = {};
    }
  }
  if (lockstep.cycle() > 100000) {
    seen.expect();
    EXPECT_GT(isolator.entered, 100u);
    EXPECT_GT(isolator.left, 100u);
    EXPECT_GT(isolator.downs, 100u);
  }
}

MemRequest request(std::uint64_t line, bool is_write) {
  MemRequest r;
  r.id = static_cast<std::uint32_t>(line);
  r.is_write = is_write;
  r.addr = line * kLineBytes;
  return r;
}

TEST(MemoryQueue, OneOutstandingAccessALine) {
  test::shows("order",
              "At most one read or write of a line is under way at a root port; the next one waits",
              "docs/blocks.md, memory_queue");
  MemoryQueue queue;
  EXPECT_EQ(queue.accept(request(7, false)), 0u);
  EXPECT_FALSE(queue.can_accept(7));
  EXPECT_TRUE(queue.can_accept(8));
  queue.req_taken();
  EXPECT_FALSE(queue.can_accept(7));  // until the response
  EXPECT_TRUE(queue.expects(0, true));
  EXPECT_FALSE(queue.expects(0, false));
  EXPECT_EQ(queue.complete(0).id, 7u);
  EXPECT_TRUE(queue.can_accept(7));
}

TEST(MemoryQueue, TagsLowestFirstAndSpecsApart) {
  test::shows("sr", "MemSpecRd have entries of their own, so that loads cannot starve the reader",
              "docs/blocks.md, memory_queue");
  MemoryQueue queue;
  for (unsigned i = 0; i < kDemand; ++i) {
    ASSERT_TRUE(queue.can_accept(i));
    EXPECT_EQ(queue.accept(request(i, i % 2 != 0)), i);
  }
  EXPECT_FALSE(queue.can_accept(1000));
  for (unsigned i = 0; i < kSpecEntries; ++i) {
    ASSERT_TRUE(queue.can_accept_spec());
    queue.accept_spec({{i, 0}, i, false});
  }
  EXPECT_FALSE(queue.can_accept_spec());
  // Req order: the even tags, then the MemSpecRd; these free when handed over.
  for (unsigned i = 0; i < kDemand; i += 2) {
    EXPECT_EQ(queue.req_entry(), i);
    queue.req_taken();
  }
  EXPECT_TRUE(queue.is_spec(queue.req_entry()));
  queue.req_taken();
  EXPECT_TRUE(queue.can_accept_spec());
  EXPECT_EQ(queue.rwd_entry(), 1u);
  queue.rwd_taken();
  queue.complete(4);
  queue.complete(1);
  EXPECT_EQ(queue.accept(request(1000, false)), 1u);
  EXPECT_EQ(queue.accept(request(1001, false)), 4u);
}

TEST(MemoryQueue, SpecAddress) {
  test::shows(
      "sr",
      "A MemSpecRd with a length carries it in Address[7:6]; it has no tag and gets no response",
      "docs/blocks.md, memory_queue");
  EXPECT_EQ(spec_address({{0x123, 3}, 0x77, true}), 0x123u << 2 | 3);
  EXPECT_EQ(spec_address({{0x123, 3}, 0x77, false}), 0x77u);
}

// RTL and twin by hand, one cycle a step; what is set counts for that cycle only, but isolate.
struct Stepper {
  Lockstep lockstep{"root_port/memory_queue", 0};
  Clocked<Vmemory_queue> rtl;
  MemoryQueueBlock block;
  MemoryQueueBlock::In in;
  Stepper() { rtl.reset(); }
  MemoryQueueBlock::Out look() {
    drive(rtl, in, false);
    rtl.settle();
    const auto out = block.eval(in);
    compare(lockstep, rtl, in, out);
    return out;
  }
  MemoryQueueBlock::Out step() {
    const bool isolate = in.isolate;
    const auto out = look();
    block.clock(in);
    rtl.edge();
    in = {};
    in.isolate = isolate;
    return out;
  }
  void take(std::uint64_t line, bool is_write) {
    in.in_valid = true;
    in.in_req = request(line, is_write);
    EXPECT_TRUE(step().in_ready);
  }
};

TEST(MemoryQueue, DrsAndNdrInTurnAndWrongTagsCounted) {
  test::shows("order",
              "A response whose tag names no request of its kind changes nothing and is counted",
              "docs/blocks.md, memory_queue");
  Stepper s;
  s.take(3, false);
  s.take(4, true);
  s.in.drs.valid = true;  // not handed over yet
  EXPECT_FALSE(s.step().rsp_taken);
  s.in.req_ready = s.in.rwd_ready = true;
  s.step();
  s.in.drs.valid = s.in.ndr.valid = s.in.rsp_ready = true;
  s.in.ndr.tag = 1;
  s.in.drs.poison = true;
  auto out = s.step();  // a DRS was consumed before: the NDR's turn
  EXPECT_TRUE(out.ndr_ready && out.rsp_taken);
  EXPECT_FALSE(out.drs_ready);
  EXPECT_EQ(out.unexpected, 1u);
  s.in.drs.valid = s.in.drs.poison = true;
  out = s.step();  // the response register does not leave
  EXPECT_TRUE(out.rsp_valid && !out.rsp.error && out.rsp.is_write);
  EXPECT_FALSE(out.drs_ready);
  s.in.drs.valid = s.in.drs.poison = s.in.rsp_ready = true;
  EXPECT_TRUE(s.step().rsp_taken);
  out = s.step();
  EXPECT_TRUE(out.rsp_valid && !out.rsp.is_write && out.rsp.error);
}

TEST(MemoryQueue, IsolationAnswersLowestFirstWithError) {
  test::shows("link", "In isolation every request is answered with an error",
              "CXL 3.0, 8.2.4.23; docs/blocks.md, memory_queue");
  Stepper s;
  for (unsigned i = 0; i < 4; ++i) s.take(i, i % 2 != 0);
  s.in.req_ready = s.in.rwd_ready = true;
  auto out = s.step();  // 0 and 1 are handed over, 2 and 3 are not
  EXPECT_TRUE(out.req_valid && out.rwd_valid);
  s.in.isolate = true;
  for (unsigned i = 0; i < 4; ++i) {
    s.in.rsp_ready = s.in.req_ready = s.in.rwd_ready = true;
    s.in.drs.valid = s.in.ndr.valid = true;  // the answers come, too late
    s.in.ndr.tag = 1;
    out = s.step();
    EXPECT_FALSE(out.req_valid || out.rwd_valid || out.rsp_taken);
    EXPECT_TRUE(out.drs_ready && out.ndr_ready && out.busy);
    EXPECT_EQ(out.refused_tag, i);
    EXPECT_EQ(out.rsp_valid, i != 0);
  }
  EXPECT_EQ(s.step().rsp.id, 3u);
  out = s.step();  // it waits
  EXPECT_FALSE(out.busy);
  EXPECT_TRUE(out.rsp_valid && out.rsp.error && out.rsp.is_write);
  EXPECT_EQ(out.unexpected, 0u);
  // What is taken now is answered from the next cycle, but not into a full response register.
  s.take(9, false);
  out = s.step();
  EXPECT_TRUE(!out.busy && !out.refused_tag);  // born refused
  s.in.rsp_ready = true;
  EXPECT_EQ(s.step().refused_tag, 0u);
  out = s.step();
  EXPECT_TRUE(out.rsp_valid && out.rsp.error && !out.rsp.is_write);
  Line ones;
  ones.fill(0xff);
  EXPECT_EQ(out.rsp.data, ones);
}

TEST(MemoryQueue, BusyUntilTheOrdersAreEmpty) {
  Stepper s;
  for (unsigned i = 0; i < 2; ++i) {
    s.in.spec_valid = true;
    EXPECT_TRUE(s.step().spec_ready);
  }
  s.take(5, false);
  s.in.isolate = true;
  EXPECT_FALSE(s.step().spec_ready);
  auto out = s.step();  // the first MemSpecRd is gone
  EXPECT_TRUE(out.spec_ready && out.busy);
  EXPECT_EQ(out.lines.valid, 0u);
  out = s.step();  // the load was answered in the first cycle, its place in the order is left
  EXPECT_TRUE(out.busy);
  EXPECT_FALSE(s.step().busy);
}

// What is taken in a cycle that refuses is never handed over, though refusing ends at once.
TEST(MemoryQueue, LastTakenInIsolationIsRefusedAfter) {
  Stepper s;
  s.in.isolate = true;
  s.in.in_valid = true;
  s.in.in_req = request(5, true);
  EXPECT_FALSE(s.step().busy);
  s.in.isolate = false;
  s.in.rwd_ready = true;
  auto out = s.step();
  EXPECT_TRUE(!out.refuse && !out.rwd_valid && !out.busy);
  EXPECT_EQ(out.refused_tag, 0u);
  out = s.step();
  EXPECT_TRUE(out.rsp_valid && out.rsp.error && out.rsp.is_write);
}

TEST(MemoryQueue, TimedOutAtTheSecondTick) {
  test::shows("link", "A request without an answer times out after one to two periods",
              "CXL 3.0, 8.2.4.23; docs/blocks.md, memory_queue");
  Stepper s;
  const auto tick = [&] {
    s.in.tick = true;
    return s.step().timed_out;
  };
  s.in.tick = true;
  s.take(5, false);  // at the edge of a tick: still young
  EXPECT_FALSE(tick());
  EXPECT_FALSE(s.step().timed_out);  // late, but no tick
  s.in.isolate = s.in.tick = true;
  EXPECT_FALSE(s.look().timed_out);
  s.in = {};
  EXPECT_TRUE(tick());
  EXPECT_TRUE(tick());
  // The entry's next owner is young again.
  s.in.req_ready = true;
  s.step();
  s.in.drs.valid = true;
  EXPECT_TRUE(s.step().rsp_taken);
  s.take(6, false);
  EXPECT_FALSE(tick());
  EXPECT_TRUE(tick());
}

TEST(MemoryQueue, MemSpecRdDoesNotTimeOut) {
  Stepper s;
  s.in.spec_valid = true;
  s.step();
  for (unsigned i = 0; i < 3; ++i) {
    s.in.tick = true;
    EXPECT_FALSE(s.step().timed_out);
  }
}

TEST(MemoryQueue, PoisonOfAWriteGoesOut) {
  test::shows("link", "A root port's write of corrupt data goes out with Poison, no other does",
              "CXL 2.0, M2S RwD: Poison; docs/blocks.md, memory_queue");
  test::Clocked<Vmemory_queue> rtl;
  rtl.reset();
  for (const bool poison : {true, false, true}) {
    for (const std::uint64_t enables : {kAllBytes, std::uint64_t{0xff}}) {
      MemRequest write = request(5, true);
      write.byte_enable = enables;
      write.poison = poison;
      rtl->in_valid_i = 1;
      test::set_sys_req(rtl->in_req_i, write);
      rtl.settle();
      ASSERT_EQ(rtl->in_ready_o, 1);
      rtl.edge();
      rtl->in_valid_i = 0;
      test::set_sys_req(rtl->in_req_i, {});
      rtl.settle();
      ASSERT_EQ(rtl->rwd_valid_o, 1);
      EXPECT_EQ(test::get_bits(rtl->rwd_hdr_o, 74, 1), poison ? 1u : 0u);
      EXPECT_EQ(test::get_bits(rtl->rwd_hdr_o, 1, 4), enables == kAllBytes ? 1u : 2u);
      rtl->rwd_ready_i = 1;
      rtl.edge();
      rtl->rwd_ready_i = 0;
      rtl->ndr_valid_i = 1;  // tag 0
      rtl->rsp_ready_i = 1;
      rtl.edge();
      rtl->ndr_valid_i = 0;
      rtl.edge();
    }
  }
}

}  // namespace
}  // namespace cxlgpu
