// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
// memory_queue, the RTL alone: link down, isolation and what the far end still owes; which response
// is a good answer; fairness. Expected values are those of CXL 2.0 and of
// docs/blocks/root_port/memory_queue.md, by hand.
#include <algorithm>
#include <array>
#include <deque>
#include <map>
#include <set>
#include <vector>

#include "tests/common/requirement.hpp"
#include "tests/root_port/memory_queue_rules_bench.hpp"

namespace cxlgpu {
namespace {

using namespace memory_queue_rules;

TEST(MemoryQueueRules, LinkDownAnswersWhatIsOutstandingAndWhatComes) {
  test::shows("link",
              "With the link down a root port answers outstanding and new requests with an error; "
              "nothing waits for a link",
              "docs/blocks/root_port/memory_queue.md");
  Queue q;
  for (unsigned i = 0; i < 3; ++i) q.take(i, false, 10 + i);
  for (unsigned i = 3; i < 5; ++i) q.take(i, true, 10 + i);
  q.steps(4);  // all five are at the far end
  q.rtl->req_ready_i = q.rtl->rwd_ready_i = 0;
  for (unsigned i = 5; i < 8; ++i) q.take(i, i % 2 == 0, 10 + i);  // these are not
  EXPECT_TRUE(q.answers.empty());
  q.rtl->down_i = 1;
  q.steps(20);
  ASSERT_EQ(q.answers.size(), 8u);
  std::set<unsigned> ids;
  for (const Answer& a : q.answers) {
    EXPECT_TRUE(a.error);
    EXPECT_EQ(a.is_write, a.id == 3 || a.id == 4 || a.id == 6);
    EXPECT_TRUE(a.is_write || a.data == ~0u);
    ids.insert(a.id);
  }
  EXPECT_EQ(ids.size(), 8u);
  EXPECT_FALSE(q.rtl->busy_o);
  // What comes meanwhile: in three cycles.
  for (unsigned i = 0; i < 10; ++i) {
    q.ask(100 + i, i % 3 == 0, 10 + i);
    const Answer a = q.only(4);
    EXPECT_TRUE(a.error && a.id == 100 + i);
  }
  // The link comes back: nothing of before goes out, and traffic goes on.
  q.rtl->down_i = 0;
  q.rtl->req_ready_i = q.rtl->rwd_ready_i = 1;
  q.steps(3);
  EXPECT_FALSE(q.rtl->refuse_o || q.rtl->req_valid_o || q.rtl->rwd_valid_o);
  q.take(200, false, 10);
  q.step();
  ASSERT_EQ(q.sent_read, 0u);
  q.drs(0, 0x1234);
  const Answer a = q.only();
  EXPECT_TRUE(!a.error && a.id == 200 && a.data == 0x1234);
}

TEST(MemoryQueueRules, WhatIsOwedIsNeverTakenForALaterAnswer) {
  test::shows("link",
              "After isolation with the link up the late answer to a refused request is not taken "
              "for the answer to a later one",
              "CXL 3.x, 8.2.4.24.3; docs/blocks/root_port/memory_queue.md");
  for (const bool is_write : {false, true}) {
    Queue q;
    q.take(1, is_write, 7);
    q.step();  // tag 0
    ASSERT_TRUE(is_write ? q.sent_write == 0u : q.sent_read == 0u);
    q.rtl->isolate_i = 1;
    EXPECT_TRUE(q.only().error);
    q.rtl->isolate_i = 0;
    q.steps(5);
    EXPECT_TRUE(q.rtl->refuse_o);  // tag 0 is owed
    EXPECT_FALSE(q.rtl->busy_o);
    // To another line and to the same: neither goes out.
    for (const std::uint64_t line : {9u, 7u}) {
      q.ask(2, is_write, line);
      EXPECT_TRUE(q.only().error);
    }
    // An answer of the other kind, to another tag, of another logical device, is not the one owed.
    if (is_write) {
      q.drs(0, 1);
      q.ndr(0, 0, 3);
    } else {
      q.ndr(0);
      q.drs(0, 1, 0, 3);
    }
    q.steps(2);
    if (is_write) q.ndr(1);
    if (!is_write) q.drs(1, 1);
    q.steps(2);
    EXPECT_TRUE(q.rtl->refuse_o);
    EXPECT_EQ(q.rtl->unexpected_o, 0u);
    // The late answer.
    if (is_write) q.ndr(0);
    if (!is_write) q.drs(0, 0xAAAA);
    q.answers.clear();
    q.steps(2);
    EXPECT_FALSE(q.rtl->refuse_o);
    EXPECT_TRUE(q.answers.empty());
    // Tag 0 is used again, with its own answer.
    q.take(3, false, 7);
    q.step();
    ASSERT_EQ(q.sent_read, 0u);
    q.drs(0, 0xBBBB);
    const Answer a = q.only();
    EXPECT_TRUE(!a.error && a.id == 3 && a.data == 0xBBBB);
  }
}

TEST(MemoryQueueRules, ALinkDownPaysWhatIsOwed) {
  Queue q;
  q.take(1, false, 7);
  q.take(2, true, 8);
  q.steps(3);
  q.rtl->isolate_i = 1;
  q.steps(5);
  q.rtl->isolate_i = 0;
  q.steps(5);
  EXPECT_TRUE(q.rtl->refuse_o);
  q.rtl->down_i = 1;
  q.step();
  q.rtl->down_i = 0;
  q.step();
  EXPECT_FALSE(q.rtl->refuse_o);
}

// The link goes down and comes back within isolation.
TEST(MemoryQueueRules, ALinkDownInIsolationPaysToo) {
  Queue q;
  q.take(1, false, 7);
  q.take(2, true, 8);
  q.steps(3);
  q.rtl->isolate_i = 1;
  q.steps(5);
  q.rtl->down_i = 1;
  q.step();
  q.rtl->down_i = 0;
  q.steps(3);
  q.rtl->isolate_i = 0;
  q.steps(2);
  EXPECT_FALSE(q.rtl->refuse_o);
}

// The answer comes in the cycle in which isolation begins, in the one in which its entry is
// answered, before and after: it ends what is owed, once.
TEST(MemoryQueueRules, AnswerAroundTheRefusal) {
  for (unsigned at = 0; at < 12; ++at) {
    Queue q;
    for (unsigned i = 0; i < 4; ++i) q.take(i, false, i);
    q.steps(2);
    q.answers.clear();
    for (unsigned cycle = 0; cycle < 12; ++cycle) {
      if (cycle == 3) q.rtl->isolate_i = 1;
      if (cycle == at) q.drs(2, 0x77);
      q.step();
      EXPECT_EQ(q.drs_taken, cycle == at);
    }
    ASSERT_EQ(q.answers.size(), 4u) << at;
    for (const Answer& a : q.answers) EXPECT_EQ(a.error, !(at < 3 && a.id == 2)) << at;
    q.rtl->isolate_i = 0;
    q.steps(2);
    for (const unsigned tag : {0u, 1u, 3u}) {
      EXPECT_TRUE(q.rtl->refuse_o) << at;
      q.drs(tag, 0);
      q.step();
    }
    q.step();
    EXPECT_FALSE(q.rtl->refuse_o) << at;
    EXPECT_EQ(q.rtl->unexpected_o, 0u);
  }
}

// Requests in every cycle: refusing ends all the same, and busy falls in bounded time.
TEST(MemoryQueueRules, RefusingEndsUnderTraffic) {
  Queue q;
  q.rtl->req_ready_i = q.rtl->rwd_ready_i = 0;
  unsigned id = 0;
  const auto traffic = [&] {
    if (!q.rtl->in_valid_i) {
      q.ask(id & 0xffff, id % 3 == 0, id);
      ++id;
    }
    q.rtl->spec_valid_i = !q.rtl->spec_valid_i && id % 4 == 0;  // never twice in a row
    q.step();
  };
  for (unsigned i = 0; i < 60; ++i) traffic();  // full, and nothing goes out
  q.rtl->isolate_i = 1;
  unsigned cycles = 0;
  do {
    traffic();
    ++cycles;
  } while (q.rtl->busy_o && cycles < 100);
  EXPECT_LE(cycles, kDepth + 2);
  for (unsigned i = 0; i < 50; ++i) {
    traffic();
    EXPECT_FALSE(q.rtl->busy_o) << i;  // and stays so, whatever is asked
  }
  q.rtl->isolate_i = 0;
  q.rtl->req_ready_i = 1;
  bool out = false;
  for (unsigned i = 0; i < 10 && !out; ++i) {
    traffic();
    out = q.sent_read.has_value();
  }
  EXPECT_TRUE(out);
}

// The response register was stalled, all entries wait, and new requests come in every cycle: the
// oldest are not passed over.
TEST(MemoryQueueRules, RefusalIsFair) {
  test::shows("link", "While a port refuses, no request waits for more than 29 others",
              "docs/blocks/root_port/memory_queue.md");
  Queue q;
  q.rtl->down_i = 1;
  q.rtl->rsp_ready_i = 0;
  unsigned id = 0;
  while (q.rtl->in_valid_i == 0 || id < kLoads + 1) {
    if (!q.rtl->in_valid_i) q.ask(id, false, id), ++id;
    q.step();
    if (id > kLoads && !q.in_taken) break;
  }
  q.rtl->rsp_ready_i = 1;
  std::map<unsigned, unsigned> answered_at;
  for (unsigned cycle = 0; cycle < 200; ++cycle) {
    if (!q.rtl->in_valid_i) q.ask(id, false, id), ++id;
    q.answers.clear();
    q.step();
    for (const Answer& a : q.answers) answered_at.emplace(a.id, cycle);
  }
  for (unsigned i = 0; i < kLoads; ++i) {
    ASSERT_TRUE(answered_at.contains(i)) << i;
    EXPECT_LE(answered_at[i], kLoads + 2) << i;
  }
}

// A channel of the controller that takes nothing does not keep the other's requests back, nor the
// answers.
TEST(MemoryQueueRules, ReadsAndWritesWaitForTheirOwnChannel) {
  for (const bool writes_wait : {false, true}) {
    Queue q;
    q.rtl->req_ready_i = writes_wait;
    q.rtl->rwd_ready_i = !writes_wait;
    for (unsigned i = 0; i < 14; ++i) q.take(i, i % 2 != 0, i);
    q.steps(10);
    q.answers.clear();
    unsigned next = writes_wait ? 0 : 1;
    for (unsigned cycle = 0; cycle < 20; ++cycle) {
      if (next < 14 && !(writes_wait ? q.rtl->drs_valid_i : q.rtl->ndr_valid_i)) {
        if (writes_wait) q.drs(next, next);
        if (!writes_wait) q.ndr(next);
        next += 2;
      }
      q.step();
      EXPECT_FALSE(writes_wait ? q.sent_write : q.sent_read);
    }
    ASSERT_EQ(q.answers.size(), 7u);
    for (const Answer& a : q.answers) EXPECT_TRUE(!a.error && a.is_write != writes_wait);
  }
}

// Every opcode and a foreign LD-ID, to a request that waits.
TEST(MemoryQueueRules, WhichResponsesAreGood) {
  test::shows("order",
              "A reserved opcode ends its request with an error, a foreign LD-ID or BI-ConflictAck "
              "does not end it; both are counted and reported",
              "CXL 2.0, 3.3.9, 3.3.10; docs/blocks/root_port/memory_queue.md");
  enum Outcome { kGood, kError, kDropped };
  constexpr std::array<Outcome, 8> kNdr{kGood,    kGood,  kGood,  kError,
                                        kDropped, kError, kError, kError};
  for (unsigned opcode = 0; opcode < 8; ++opcode) {
    for (const bool is_write : {false, true}) {
      for (const unsigned ld_id : {0u, 1u, 8u}) {
        SCOPED_TRACE(testing::Message()
                     << (is_write ? "NDR " : "DRS ") << opcode << " LD-ID " << ld_id);
        const Outcome expected = ld_id != 0 ? kDropped
                                 : is_write ? kNdr[opcode]
                                            : (opcode == 0 ? kGood : kError);
        Queue q;
        q.take(5, is_write, 1);
        q.step();
        if (is_write) q.ndr(0, opcode, ld_id);
        if (!is_write) q.drs(0, 0x5555, opcode, ld_id);
        q.answers.clear();
        q.step();
        EXPECT_TRUE(is_write ? q.ndr_taken : q.drs_taken);
        EXPECT_EQ(q.bad, expected != kGood);
        q.steps(3);
        EXPECT_EQ(q.rtl->unexpected_o, expected != kGood);
        EXPECT_EQ(q.answers.size(), expected != kDropped);
        if (!q.answers.empty()) {
          EXPECT_EQ(q.answers[0].error, expected == kError);
          if (!is_write) {
            EXPECT_EQ(q.answers[0].data, expected == kError ? ~0u : 0x5555u);
          }
        }
        if (expected == kDropped) {  // it still waits, and has its answer
          if (is_write) q.ndr(0);
          if (!is_write) q.drs(0, 0x6666);
          EXPECT_FALSE(q.only().error);
        }
      }
    }
  }
}

// Tags that were never given out, one bit away from one that was too, and of entries that hold no
// load or store.
TEST(MemoryQueueRules, EveryBitOfATagCounts) {
  for (const bool is_write : {false, true}) {
    Queue q;
    for (unsigned i = 0; i < 3; ++i) q.take(i, is_write, i);
    q.steps(5);
    q.answers.clear();
    std::vector<unsigned> foreign{3, 28, 29, 30, 31, 0xffff};
    for (unsigned tag = 0; tag < 3; ++tag) {
      for (unsigned bit = 2; bit < 16; ++bit) foreign.push_back(tag | 1u << bit);
    }
    for (const unsigned tag : foreign) {
      if (is_write) q.ndr(tag);
      if (!is_write) q.drs(tag, 0x99);
      q.step();
      EXPECT_TRUE(is_write ? q.ndr_taken : q.drs_taken);
      EXPECT_FALSE(q.bad);
    }
    q.steps(3);
    EXPECT_TRUE(q.answers.empty());
    EXPECT_EQ(q.rtl->unexpected_o, foreign.size());
    for (unsigned i = 0; i < 3; ++i) {
      if (is_write) q.ndr(i);
      if (!is_write) q.drs(i, i);
      const Answer a = q.only();
      EXPECT_TRUE(!a.error && a.id == i);
    }
  }
}

// Answers without a gap between them: each has its own error.
TEST(MemoryQueueRules, PoisonIsOfOneAnswer) {
  for (unsigned pattern = 0; pattern < 256; ++pattern) {  // four answers: a write, poison
    Queue q;
    for (unsigned i = 0; i < 4; ++i) q.take(i, (pattern >> i & 1) != 0, i);
    q.steps(6);
    q.answers.clear();
    const auto is_write = [&](unsigned i) { return (pattern >> i & 1) != 0; };
    const auto poison = [&](unsigned i) { return (pattern >> (4 + i) & 1) != 0; };
    for (unsigned i = 0; i < 4; ++i) {
      q.rtl->drs_poison_i = poison(i);  // stands there whoever is answered
      if (is_write(i)) q.ndr(i);
      if (!is_write(i)) q.drs(i, i);
      q.step();
    }
    q.steps(3);
    ASSERT_EQ(q.answers.size(), 4u);
    for (unsigned i = 0; i < 4; ++i) {
      EXPECT_EQ(q.answers[i].id, i);
      EXPECT_EQ(q.answers[i].error, poison(i) && !is_write(i)) << pattern << " " << i;
    }
  }
}

TEST(MemoryQueueRules, DrsAndNdrTakeTurns) {
  test::shows("order", "Neither a DRS nor an NDR waits for more than one of the other kind",
              "docs/blocks/root_port/memory_queue.md");
  Queue q;
  for (unsigned i = 0; i < 20; ++i) q.take(i, i >= 10, i);
  q.steps(12);
  q.answers.clear();
  unsigned read = 0, write = 10;
  for (unsigned cycle = 0; cycle < 40; ++cycle) {
    if (!q.rtl->drs_valid_i && read < 10) q.drs(read++, 1);
    if (!q.rtl->ndr_valid_i && write < 20) q.ndr(write++);
    q.rtl->rsp_ready_i = cycle % 3 != 0;
    q.step();
  }
  ASSERT_EQ(q.answers.size(), 20u);
  for (unsigned i = 0; i < 20; ++i) EXPECT_EQ(q.answers[i].is_write, i % 2 == 1) << i;
}

// A device that answers after so many cycles, always; loads or stores of few lines kept
// outstanding, a MemSpecRd whenever the reader may offer one. Every request is answered in bounded
// time, whoever else is there.
struct Crowd {
  unsigned latency, kept, lines;
};

class MemoryQueueCrowd : public ::testing::TestWithParam<Crowd> {};

TEST_P(MemoryQueueCrowd, NobodyWaitsLong) {
  const Crowd p = GetParam();
  Queue q;
  struct Owed {
    std::uint64_t at;
    unsigned tag;
  };
  std::deque<Owed> reads, writes;
  struct Asked {
    std::uint64_t at;
    bool is_write;
  };
  std::map<unsigned, Asked> open;
  std::array<unsigned, 2> answered{};
  std::uint64_t longest = 0;
  unsigned next_id = 0, specs = 0;
  const std::uint64_t cycles = 200 * (p.latency + 20);
  for (std::uint64_t cycle = 0; cycle < cycles; ++cycle) {
    if (!q.rtl->in_valid_i && open.size() < p.kept) {
      const bool is_write = next_id % 3 == 1;
      q.ask(next_id & 0xffff, is_write, next_id % p.lines);
      open[next_id++ & 0xffff] = {cycle, is_write};
    }
    q.rtl->spec_valid_i = cycle % 2;  // as the reader: never twice in a row
    if (!q.rtl->drs_valid_i && !reads.empty() && reads.front().at <= cycle) {
      q.drs(reads.front().tag, 1);
      reads.pop_front();
    }
    if (!q.rtl->ndr_valid_i && !writes.empty() && writes.front().at <= cycle) {
      q.ndr(writes.front().tag);
      writes.pop_front();
    }
    q.rtl.settle();
    specs += q.rtl->req_valid_o && q.rtl->req_spec_o;
    q.answers.clear();
    q.step();
    if (q.sent_read) reads.push_back({cycle + p.latency, *q.sent_read});
    if (q.sent_write) writes.push_back({cycle + p.latency, *q.sent_write});
    for (const Answer& a : q.answers) {
      const auto asked = open.find(a.id);
      ASSERT_TRUE(asked != open.end() && !a.error && a.is_write == asked->second.is_write);
      longest = std::max(longest, cycle - asked->second.at);
      ++answered[a.is_write];
      open.erase(asked);
    }
  }
  // Those asked before it of its line, one after the other, each with its way in and out; the rest
  // in parallel.
  const unsigned before = p.kept == 0 ? 0 : (p.kept - 1) / p.lines + 1;
  EXPECT_LE(longest, before * (p.latency + 6) + 2 * p.kept + 6);
  EXPECT_GT(specs, cycles / 3);
  EXPECT_EQ(answered[0] > 20, p.kept != 0);
  EXPECT_EQ(answered[1] > 10, p.kept != 0);
}

std::vector<Crowd> crowds() {
  std::vector<Crowd> all;
  for (const unsigned latency : {1u, 10u, 100u, 400u}) {
    for (const unsigned kept : {0u, 1u, 2u, 4u, 8u, 30u}) {
      for (const unsigned lines : {1u, 8u}) all.push_back({latency, kept, lines});
    }
  }
  return all;
}

INSTANTIATE_TEST_SUITE_P(Latencies, MemoryQueueCrowd, ::testing::ValuesIn(crowds()),
                         [](const auto& info) {
                           return "Latency" + std::to_string(info.param.latency) + "Kept" +
                                  std::to_string(info.param.kept) + "Lines" +
                                  std::to_string(info.param.lines);
                         });

// A device with a latency, faults at any time: each request gets one answer, and a good read's data
// are those of its own hand-over, never those of an earlier one under the tag.
// Reads and writes share the tags; answers come in any order, some at once and some very late.
TEST(MemoryQueueRules, ATagIsFreeOnlyWithItsAnswer) {
  test::shows("order", "A root port uses no tag again before its answer", "CXL 2.0, CXL.mem");
  Random random(0x7a6);
  Queue q;
  std::vector<unsigned> reads, writes;  // tags the device owes an answer to
  std::set<unsigned> owed;
  std::size_t most = 0;
  unsigned sent = 0;
  const auto hand_over = [&](std::optional<unsigned> tag, std::vector<unsigned>& kind) {
    if (!tag) return;
    ++sent;
    EXPECT_TRUE(owed.insert(*tag).second) << "tag " << *tag << " is not answered yet";
    kind.push_back(*tag);
  };
  const auto pick = [&](std::vector<unsigned>& kind) {
    std::swap(kind[random.below(kind.size())], kind.back());
    return kind.back();
  };
  for (unsigned cycle = 0; cycle < 20000 && !testing::Test::HasFailure(); ++cycle) {
    if (!q.rtl->in_valid_i && random.percent(80)) q.ask(cycle & 0xffff, random.percent(50), cycle);
    const unsigned answers = cycle / 1000 % 2 == 0 ? 5 : 60;  // percent: full, and nearly empty
    if (!q.rtl->drs_valid_i && !reads.empty() && random.percent(answers)) q.drs(pick(reads), cycle);
    if (!q.rtl->ndr_valid_i && !writes.empty() && random.percent(answers)) q.ndr(pick(writes));
    q.rtl->rsp_ready_i = q.rtl->req_ready_i = q.rtl->rwd_ready_i = random.percent(90);
    const unsigned drs_tag = q.rtl->drs_tag_i, ndr_tag = q.rtl->ndr_tag_i;
    q.step();
    // Answers offered in this cycle are for what was handed over before it.
    if (q.drs_taken) {
      owed.erase(drs_tag);
      std::erase(reads, drs_tag);
    }
    if (q.ndr_taken) {
      owed.erase(ndr_tag);
      std::erase(writes, ndr_tag);
    }
    hand_over(q.sent_read, reads);
    hand_over(q.sent_write, writes);
    most = std::max(most, owed.size());
  }
  EXPECT_EQ(most, kLoads);
  EXPECT_GT(sent, 2000u);
}

struct Stress {
  unsigned latency;  // of the device, 0: random
  unsigned kept;     // requests outstanding, at most
  bool forgetful;    // some answers never come: only a link down helps
};

class MemoryQueueStress : public ::testing::TestWithParam<Stress> {};

TEST_P(MemoryQueueStress, EachRequestIsAnsweredOnceWithItsOwnData) {
  test::shows("order", "Every request is answered once, whatever the answers take",
              "CXL 2.0, CXL.mem");
  const Stress p = GetParam();
  Random random(0x57e55 + p.latency + p.kept);
  Queue q;
  struct Owed {
    std::uint64_t at;
    unsigned tag;
    std::uint32_t data;
  };
  std::deque<Owed> reads, writes;
  std::map<unsigned, std::uint32_t> expected;  // id of a read: its number, once handed over
  std::map<std::uint64_t, unsigned> id_of_line;
  std::set<unsigned> open;
  std::uint32_t handed = 0;
  unsigned next_id = 0, errors = 0, good = 0, late = 0, ended_by_answers = 0;
  unsigned isolate_for = 0, down_for = 0;
  bool was_refused = false;
  for (std::uint64_t cycle = 0; cycle < 60000; ++cycle) {
    if (!q.rtl->in_valid_i && open.size() < p.kept && random.percent(60)) {
      const unsigned id = next_id++ & 0xffff;
      const std::uint64_t line = id;  // one line a request: the line names it at hand-over
      q.ask(id, random.percent(40), line);
      open.insert(id);
      id_of_line[line] = id;
    }
    if (isolate_for == 0 && down_for == 0 && random.below(400) == 0) {
      if (random.percent(50)) {
        isolate_for = 1 + static_cast<unsigned>(random.below(random.percent(50) ? 4 : 100));
      } else {
        down_for = 1 + static_cast<unsigned>(random.below(random.percent(50) ? 4 : 100));
      }
    }
    if (p.forgetful && was_refused && down_for == 0 && random.below(100) == 0) down_for = 1;
    q.rtl->isolate_i = isolate_for != 0;
    q.rtl->down_i = down_for != 0;
    isolate_for -= isolate_for != 0;
    down_for -= down_for != 0;
    q.rtl->rsp_ready_i = random.percent(80);
    q.rtl->req_ready_i = random.percent(80);
    q.rtl->rwd_ready_i = random.percent(80);
    q.rtl->spec_valid_i = random.percent(10);
    if (q.rtl->down_i) {  // the device forgets, and what was on its way is gone
      reads.clear();
      writes.clear();
      q.rtl->drs_valid_i = q.rtl->ndr_valid_i = 0;
    }
    if (!q.rtl->drs_valid_i && !reads.empty() && reads.front().at <= cycle) {
      q.drs(reads.front().tag, reads.front().data);
      late += was_refused;
      reads.pop_front();
    }
    if (!q.rtl->ndr_valid_i && !writes.empty() && writes.front().at <= cycle) {
      q.ndr(writes.front().tag);
      writes.pop_front();
    }
    q.rtl.settle();
    const std::uint64_t line = q.rtl->req_line_o;
    q.answers.clear();
    q.step();
    const auto due = [&] { return cycle + (p.latency != 0 ? p.latency : 1 + random.below(150)); };
    const bool lost = p.forgetful && random.below(200) == 0;
    if (q.sent_read) {
      expected[id_of_line.at(line)] = ++handed;
      if (!lost) reads.push_back({due(), *q.sent_read, handed});
    }
    if (q.sent_write && !lost) writes.push_back({due(), *q.sent_write, 0});
    ended_by_answers += was_refused && !q.refused && !q.rtl->down_i;
    was_refused = q.refused;
    for (const Answer& a : q.answers) {
      ASSERT_EQ(open.erase(a.id), 1u) << "answered twice, cycle " << cycle;
      (a.error ? errors : good) += 1;
      if (!a.error && !a.is_write) {
        ASSERT_EQ(a.data, expected.at(a.id)) << "cycle " << cycle;
      }
      expected.erase(a.id);
    }
  }
  EXPECT_GT(good, 500u);
  EXPECT_GT(errors, 50u);
  EXPECT_GT(ended_by_answers, 10u);
  if (p.latency > 1 && !p.forgetful) {
    EXPECT_GT(late, 20u);
  }
  // Nothing is left that never ends.
  q.rtl->isolate_i = 0;
  q.rtl->down_i = 1;
  q.rtl->rsp_ready_i = 1;
  if (q.rtl->in_valid_i) open.erase(q.rtl->in_id_i);  // offered and not taken
  q.rtl->in_valid_i = 0;
  q.answers.clear();
  q.steps(100);
  EXPECT_EQ(q.rtl->unexpected_o, 0u);
  for (const Answer& a : q.answers) EXPECT_EQ(open.erase(a.id), 1u);
  EXPECT_TRUE(open.empty()) << "a request has no answer";
}

INSTANTIATE_TEST_SUITE_P(Latencies, MemoryQueueStress,
                         ::testing::Values(Stress{1, 30, false}, Stress{10, 30, false},
                                           Stress{100, 30, false}, Stress{400, 30, false},
                                           Stress{1, 1, false}, Stress{10, 2, false},
                                           Stress{100, 4, false}, Stress{400, 8, false},
                                           Stress{0, 60, false}, Stress{0, 2, false},
                                           Stress{10, 8, true}, Stress{0, 40, true}),
                         [](const auto& info) {
                           return "Latency" + std::to_string(info.param.latency) + "Kept" +
                                  std::to_string(info.param.kept) +
                                  (info.param.forgetful ? "Forgetful" : "");
                         });

}  // namespace
}  // namespace cxlgpu
