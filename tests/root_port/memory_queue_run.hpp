// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
// The random run of memory_queue_test: RTL and twin in lockstep, in each size.
#pragma once

#include "tests/root_port/memory_queue_bench.hpp"

namespace cxlgpu::memory_queue_bench {

inline void run_in_lockstep(Lockstep& lockstep, Size size) {
  Random random(lockstep.seed());
  Clocked<Vmemory_queue> rtl;
  test::Idle idle;
  MemoryQueueBlock twin = size.twin();
  rtl->size_i = size.choice();
  rtl.reset();
  Device device;
  std::array<MemRequest, kGreatest.depth> outstanding;  // by tag
  std::array<bool, kGreatest.depth> sent{};
  Rates rates(random);
  Isolator isolator;
  if (size.least()) isolator.every = 60;
  MemoryQueueBlock::In in;
  MemoryQueueBlock::Out last;
  Coverage seen;
  Meetings meetings(size);
  while (lockstep.next()) {
    if (lockstep.cycle() % 400 == 0) {
      rates = Rates(random);
      if (size.least()) rates.wrong = random.pick(std::array{0u, 20u});
    }
    const bool was_isolated = in.isolate;
    in.isolate = isolator.step(random, last.busy, rates);
    in.down = isolator.down(random, last.refuse, device);
    if (in.down) in.drs.valid = in.ndr.valid = false;  // lost with the link
    in.tick = random.percent(rates.ticks);
    if (!in.in_valid && random.percent(rates.requests)) {
      in.in_valid = true;
      in.in_req =
          test::random_request(random, rates.base + random.below(rates.lines), rates.writes, 20);
    }
    // The reader's offer follows the queues while it waits.
    in.spec_valid = in.spec_valid || random.percent(rates.specs);
    in.spec = {random.bits(44), static_cast<unsigned>(random.bits(2))};
    in.spec_line = random.bits(46);
    in.len_en = rates.length;
    // A hint's stays while it waits, but for one that is no longer enabled.
    if (!in.hint_valid) {
      in.hint_valid = random.percent(rates.hints);
      in.hint = {random.bits(44), static_cast<unsigned>(random.bits(2))};
    } else if (random.percent(1)) {
      in.hint_valid = false;
    }
    in.req_ready = random.percent(rates.takes);
    in.rwd_ready = random.percent(rates.takes);
    in.rsp_ready = random.percent(rates.rsp_ready);
    if (!in.drs.valid) in.drs = Device::answer(device.reads, random, rates.answers, rates.wrong);
    if (!in.ndr.valid) in.ndr = Device::answer(device.writes, random, rates.answers, rates.wrong);
    drive(rtl, in, idle);
    rtl.settle();
    const MemoryQueueBlock::Out out = twin.eval(in);
    compare(lockstep, rtl, in, out);
    const unsigned tag = answered_tag(in, out);
    const bool answers = out.rsp_taken || out.refused_tag;
    compare_traces(lockstep, rtl, in, out, answers ? &outstanding[tag] : nullptr);
    meetings.look(rtl, in);

    seen.conflicts += in.in_valid && !out.in_ready;
    seen.matched += out.rsp_taken;
    seen.hints += in.hint_valid && out.hint_ready && !out.refuse;
    seen.hints_wait += in.hint_valid && !out.hint_ready;
    seen.hints_forgotten += in.hint_valid && out.hint_ready && out.refuse;
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
    if (out.hint_ready) in.hint_valid = false;
    last = out;
    if (random.below(5000) == 0) {  // whatever was outstanding
      rtl.reset();
      twin = size.twin();
      device = Device();
      sent = {};
      in = {};
      last = {};
      meetings.reset();
    }
  }
  if (!size.least() && lockstep.cycle() > 100000) {
    seen.expect();
    EXPECT_GT(meetings.stalls(), 10000u);
    EXPECT_GT(isolator.entered, 100u);
    EXPECT_GT(isolator.left, 100u);
    EXPECT_GT(isolator.downs, 100u);
  }
}

}  // namespace cxlgpu::memory_queue_bench
