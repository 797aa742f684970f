// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
// sr_queue: the twin in lockstep with the RTL, and its rules by hand.
#include "refmodel/root_port/sr_queue.hpp"

#include "Vsr_queue.h"
#include "tests/common/requirement.hpp"
#include "tests/common/sys_bits.hpp"

namespace cxlgpu {
namespace {

using test::Clocked;
using test::Lockstep;
using test::Random;

constexpr unsigned kDepth = 32;

TEST(SrQueue, LockstepWithRtl) {
  test::shows("order", "Requests leave the SR queue in the order in which they came",
              "docs/blocks.md, sr_queue");
  Lockstep lockstep("root_port/sr_queue", 0x59);
  Random random(lockstep.seed());
  Clocked<Vsr_queue> rtl;
  SrQueue twin(kDepth);
  rtl.reset();
  SrQueue::In in;
  unsigned pushes = 0, pops = 0, nexts = 0, writes = 0;  // percent
  std::uint64_t full = 0, reader_waits = 0, reader_carried = 0;
  while (lockstep.next()) {
    if (lockstep.cycle() % 300 == 1) {
      pushes = static_cast<unsigned>(random.below(101));
      pops = static_cast<unsigned>(random.below(101));
      nexts = static_cast<unsigned>(random.below(101));
      writes = static_cast<unsigned>(random.below(101));
    }
    if (!in.in_valid && random.percent(pushes)) {
      in.in_valid = true;
      in.in_req = test::random_request(random, random.bits(46), writes);
      test::set_sys_req(rtl->in_req_i, in.in_req);
    }
    in.head_ready = random.percent(pops);
    in.rd_next = random.percent(nexts);
    rtl->in_valid_i = in.in_valid;
    rtl->head_ready_i = in.head_ready;
    rtl->rd_next_i = in.rd_next;
    rtl.settle();
    const SrQueue::Out out = twin.eval(in);
    lockstep.check("in_ready_o", rtl->in_ready_o, out.in_ready);
    lockstep.check("head_valid_o", rtl->head_valid_o, out.head_valid);
    if (out.head_valid) test::check_sys_req(lockstep, rtl->head_req_o, *out.head);
    lockstep.check("rd_valid_o", rtl->rd_valid_o, out.rd_valid);
    if (out.rd_valid) {
      lockstep.check("rd_is_load_o", rtl->rd_is_load_o, out.rd_is_load);
      lockstep.check("rd_line_o", rtl->rd_line_o, out.rd_line);
      lockstep.check("rd_index_o", rtl->rd_index_o, out.rd_index);
      lockstep.check("rd_head_o", rtl->rd_head_o, out.rd_head);
    }
    lockstep.check("load_valid_o", rtl->load_valid_o, out.loads.valid);
    for (unsigned i = 0; i < kDepth; ++i) {
      if (!((out.loads.valid >> i) & 1)) continue;
      lockstep.check("load_line_o", test::get_bits(rtl->load_line_o, 46 * i, 46),
                     out.loads.line[i]);
    }
    lockstep.check("count_o", rtl->count_o, out.count);
    full += !out.in_ready;
    reader_waits += in.rd_next && !out.rd_valid;
    reader_carried +=
        in.head_ready && out.rd_valid && !in.rd_next && twin.head_slot() == out.rd_index;
    twin.clock(in);
    rtl.edge();
    if (out.in_ready) in.in_valid = false;
    if (random.below(3000) == 0) {
      in.in_valid = false;
      rtl->in_valid_i = 0;
      rtl.reset();
      twin = SrQueue(kDepth);
    }
  }
  if (lockstep.cycle() > 100000) {
    EXPECT_GT(full, 1000u);
    EXPECT_GT(reader_waits, 1000u);
    EXPECT_GT(reader_carried, 1000u);
  }
}

MemRequest request(std::uint32_t id, bool is_write) {
  MemRequest r;
  r.id = id;
  r.is_write = is_write;
  r.addr = id * kLineBytes;
  return r;
}

TEST(SrQueue, ReaderRunsAheadAndIsCarriedAlong) {
  test::shows("sr", "The reader walks the queue ahead of the loads, once a load",
              "docs/blocks.md, sr_queue");
  SrQueue queue(4);
  for (std::uint32_t id = 0; id < 4; ++id) queue.push(request(id, id == 1));
  EXPECT_TRUE(queue.full());
  EXPECT_EQ(queue.loads().valid, 0b1101u);
  EXPECT_EQ(queue.reader_line(), 0u);
  queue.pop();  // the reader stood on it
  EXPECT_EQ(queue.reader_line(), 1u);
  queue.reader_next();
  queue.reader_next();
  EXPECT_EQ(queue.reader_line(), 3u);
  queue.pop();  // behind the reader: it stays
  EXPECT_EQ(queue.reader_line(), 3u);
  queue.reader_next();
  EXPECT_FALSE(queue.reader_valid());
  queue.reader_next();  // never passes the tail
  queue.push(request(9, false));
  ASSERT_TRUE(queue.reader_valid());
  EXPECT_EQ(queue.reader_line(), 9u);
  EXPECT_EQ(queue.reader_slot(), 0u);
  EXPECT_EQ(queue.head().id, 2u);
}

}  // namespace
}  // namespace cxlgpu
