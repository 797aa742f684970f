// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
// axi_adapter and host_bridge, the RTL alone: fairness between reads and writes, independence of
// the ports and of R and B, what a host bridge's decoders say that they can, and what of them a
// request that waits leaves to hints.
#include <algorithm>
#include <array>
#include <deque>
#include <map>
#include <optional>
#include <utility>
#include <vector>

#include "Vbridge_rules.h"
#include "common/registers.hpp"
#include "tests/common/bits.hpp"
#include "tests/common/lockstep.hpp"
#include "tests/common/requirement.hpp"

namespace cxlgpu {
namespace {

namespace hb = regs::hb;
namespace hdm = regs::hdm;
using test::Clocked;
using test::Random;

constexpr unsigned kPorts = 3;
constexpr std::uint64_t kRange = std::uint64_t{1} << 28;  // of each port, from 0 on
constexpr unsigned kNobody = 3;                           // a "port" above all ranges
constexpr std::uint64_t kGranules = kRange / 256;

struct Ask {
  unsigned id = 0;
  unsigned port = 0;
  bool is_write = false;
  unsigned range = 0;  // whose address; that of the port unless a decoder is programmed again
};

// Ports that take a request when they are ready and answer after a latency, in order; a port holds
// at most so many.
class Bridge {
 public:
  Bridge() {
    rtl.reset();
    rtl->bready_i = rtl->rready_i = 1;
    for (unsigned p = 0; p < kPorts; ++p) {
      program(p, p);
    }
  }
  // The range of its number, to a port; a decoder that is committed stops decoding meanwhile.
  void program(unsigned decoder, unsigned port) {
    const std::uint32_t at = hdm::kDec + decoder * hdm::kDecStride;
    write(at + hdm::kDecControl, 0);
    write(at + hdm::kDecBaseLow, static_cast<std::uint32_t>(decoder * kRange));
    write(at + hdm::kDecSizeLow, static_cast<std::uint32_t>(kRange));
    write(at + hdm::kDecListLow, 0x10 + port);
    EXPECT_EQ(read(at + hdm::kDecListLow), 0x10 + port);
    write(at + hdm::kDecControl, hdm::kDecControlCommit.put(1));
    step();
    EXPECT_TRUE(hdm::kDecControlCommitted.is_set(read(at + hdm::kDecControl)));
  }
  void write(std::uint32_t addr, std::uint32_t data) {
    rtl->reg_valid_i = rtl->reg_write_i = 1;
    rtl->reg_addr_i = static_cast<std::uint16_t>(addr);
    rtl->reg_wdata_i = data;
    step();
  }
  std::uint32_t read(std::uint32_t addr) {
    rtl->reg_valid_i = 1;
    rtl->reg_write_i = 0;
    rtl->reg_addr_i = static_cast<std::uint16_t>(addr);
    step();
    return rtl->reg_rdata_o;
  }
  void ask(unsigned port, bool is_write) { ask_range(port, port, is_write); }
  // Of an address in this range, which goes to that port.
  void ask_range(unsigned range, unsigned port, bool is_write) {
    asked_at[next_id] = cycle;
    (is_write ? writes : reads).push_back({next_id++, port, is_write, range});
  }
  // In the next cycle.
  void hint(std::uint64_t first, unsigned granules) {
    rtl->hint_valid_i = 1;
    rtl->hint_first_i = first;
    rtl->hint_len_i = static_cast<std::uint16_t>(granules - 1);
  }
  void step() {
    const auto address = [](const Ask& a) { return a.range * kRange + 64 * (a.id % 64); };
    rtl->write_valid_i = !writes.empty();
    if (!writes.empty()) {
      rtl->write_id_i = static_cast<std::uint16_t>(writes.front().id);
      rtl->write_addr_i = address(writes.front());
    }
    rtl->read_valid_i = !reads.empty();
    if (!reads.empty()) {
      rtl->read_id_i = static_cast<std::uint16_t>(reads.front().id);
      rtl->read_addr_i = address(reads.front());
    }
    for (unsigned p = 0; p < kPorts; ++p) {
      test::set_bits(rtl->port_ready_i, p, 1, inside[p].size() < places[p]);
      const bool offers = !dead[p] && !inside[p].empty() && inside[p].front().second <= cycle;
      test::set_bits(rtl->answer_valid_i, p, 1, offers);
      if (!offers) continue;
      test::set_bits(rtl->answer_id_i, 16 * p, 16, inside[p].front().first.id);
      test::set_bits(rtl->answer_write_i, p, 1, inside[p].front().first.is_write);
    }
    rtl.settle();
    request = rtl->req_valid_o != 0;
    waits = request && !rtl->req_ready_o;
    hinted.reset();
    for (unsigned p = 0; p < kPorts; ++p) {
      if ((rtl->port_hint_valid_o >> p & 1) == 0) continue;
      EXPECT_FALSE(hinted);
      hinted = {p, rtl->port_hint_granule_o};
    }
    read_taken = rtl->read_valid_i && rtl->read_ready_o;
    write_taken = rtl->write_valid_i && rtl->write_ready_o;
    for (unsigned p = 0; p < kPorts; ++p) {
      const auto bit = [p](unsigned v) { return (v >> p & 1) != 0; };
      if (bit(rtl->answer_valid_i) && bit(rtl->answer_ready_o)) inside[p].pop_front();
      if (bit(rtl->port_valid_o) && bit(rtl->port_ready_i)) {
        const auto id = static_cast<unsigned>(test::get_bits(rtl->port_id_o, 16 * p, 16));
        EXPECT_EQ(where.at(id).port, p);
        EXPECT_EQ(where.at(id).is_write, bit(rtl->port_write_o));
        unsigned& last = last_id[p][where.at(id).is_write];
        EXPECT_GT(id, last);  // in the order of asking
        last = id;
        inside[p].push_back({where.at(id), cycle + latency[p]});
      }
    }
    if (rtl->rvalid_o && rtl->rready_i) {
      const Ask a = where.at(rtl->rid_o);
      EXPECT_FALSE(a.is_write);
      EXPECT_EQ(rtl->rerror_o != 0, a.port == kNobody);
      EXPECT_EQ(rtl->rdata_o, a.port == kNobody ? ~0u : a.id << 16 | a.id);
      ++answered[a.port];
      ++r_count;
      longest = std::max(longest, cycle - asked_at.at(a.id));
    }
    if (rtl->bvalid_o && rtl->bready_i) {
      const Ask a = where.at(rtl->bid_o);
      EXPECT_TRUE(a.is_write);
      EXPECT_EQ(rtl->berror_o != 0, a.port == kNobody);
      ++answered[a.port];
      ++b_count;
      longest = std::max(longest, cycle - asked_at.at(a.id));
    }
    if (read_taken) where[reads.front().id] = reads.front(), reads.pop_front();
    if (write_taken) where[writes.front().id] = writes.front(), writes.pop_front();
    rtl.edge();
    rtl->reg_valid_i = rtl->hint_valid_i = 0;
    rtl.settle();
    ++cycle;
  }
  void steps(unsigned n) {
    for (unsigned i = 0; i < n; ++i) step();
  }

  Clocked<Vbridge_rules> rtl;
  std::deque<Ask> reads, writes;
  std::map<unsigned, Ask> where;
  std::map<unsigned, std::uint64_t> asked_at;
  std::array<std::deque<std::pair<Ask, std::uint64_t>>, kPorts> inside;
  std::array<std::size_t, kPorts> places{62, 62, 62};
  std::array<std::uint64_t, kPorts> latency{10, 10, 10};
  std::array<bool, kPorts> dead{};
  std::array<std::array<unsigned, 2>, kPorts> last_id{};
  std::array<unsigned, kPorts + 1> answered{};
  std::uint64_t cycle = 0, longest = 0;  // longest: from asking to the answer
  unsigned next_id = 1, r_count = 0, b_count = 0;
  bool read_taken = false, write_taken = false;
  bool request = false, waits = false;  // at the host bridge: one is offered; and is not taken
  std::optional<std::pair<unsigned, std::uint64_t>> hinted;  // the port of a granule, and which
};

TEST(BridgeRules, ReadsAndWritesTakeTurns) {
  test::shows("order", "With reads and writes offered in every cycle they are taken by turns",
              "docs/blocks/host_bridge/axi_adapter.md");
  for (const unsigned slow : {1u, 10u, 100u, 400u}) {
    Bridge b;
    b.latency = {slow, slow, slow};
    unsigned reads = 0, writes = 0;
    for (unsigned i = 0; i < 4000; ++i) {
      if (b.reads.empty()) b.ask(i % kPorts, false);
      if (b.writes.empty()) b.ask((i + 1) % kPorts, true);
      b.step();
      reads += b.read_taken;
      writes += b.write_taken;
      EXPECT_FALSE(b.read_taken && b.write_taken);
      EXPECT_LE(reads, writes + 1);
      EXPECT_LE(writes, reads + 1);
    }
    EXPECT_GT(reads, slow > 100 ? 500u : 1000u);
  }
}

// One kind alone has the full rate.
TEST(BridgeRules, OneKindAloneHasTheBus) {
  for (const bool is_write : {false, true}) {
    Bridge b;
    unsigned taken = 0;
    for (unsigned i = 0; i < 600; ++i) {
      if (i % 3 == 0) {
        for (unsigned p = 0; p < kPorts; ++p) b.ask(p, is_write);
      }
      b.step();
      taken += b.read_taken || b.write_taken;
    }
    EXPECT_EQ(taken, 600u);
  }
}

// A port that answers nothing. Its manager keeps 63 requests there: 62 in the port, one in the
// bridge's register. The others lose nothing.
TEST(BridgeRules, ADeadPortDoesNotHoldUpTheOthers) {
  test::shows(
      "link",
      "A port that answers nothing holds up no other as long as no more than 63 requests are "
      "in flight there",
      "docs/blocks/host_bridge/host_bridge.md");
  for (const unsigned kept : {62u, 63u}) {
    Bridge b;
    b.dead[0] = true;
    for (unsigned i = 0; i < kept; ++i) b.ask(0, i % 2 == 0);
    b.steps(200);
    EXPECT_TRUE(b.reads.empty() && b.writes.empty());
    EXPECT_EQ(b.inside[0].size(), 62u);
    for (unsigned i = 0; i < 300; ++i) {
      b.ask(1 + i % 2, i % 3 == 0);
      if (i % 50 == 0) b.ask(kNobody, i % 100 == 0);
    }
    b.steps(600);
    EXPECT_EQ(b.answered[1] + b.answered[2], 300u);
    EXPECT_EQ(b.answered[kNobody], 6u);
    EXPECT_EQ(b.answered[0], 0u);
    // It comes back: nothing was lost.
    b.dead[0] = false;
    b.steps(200);
    EXPECT_EQ(b.answered[0], kept);
  }
  // The bound is what it says: one more, and the bus stands.
  Bridge b;
  b.dead[0] = true;
  for (unsigned i = 0; i < 64; ++i) b.ask(0, false);
  b.steps(200);
  b.ask(1, false);
  b.steps(500);
  EXPECT_EQ(b.answered[1], 0u);
}

// A port that is not ready for a while holds up itself alone.
TEST(BridgeRules, AStalledPortIsPassed) {
  Bridge b;
  b.places[0] = 0;
  b.ask(0, false);
  b.steps(5);
  for (unsigned i = 0; i < 20; ++i) b.ask(1, false);
  b.steps(40);
  EXPECT_EQ(b.answered[1], 20u);
  b.places[0] = 62;
  b.steps(20);
  EXPECT_EQ(b.answered[0], 1u);
}

TEST(BridgeRules, AStalledBDoesNotHoldUpR) {
  test::shows("order",
              "A manager that takes no write responses still gets read data, and the reverse",
              "AMBA AXI4; docs/blocks/host_bridge/host_bridge.md");
  for (const bool stall_b : {false, true}) {
    Bridge b;
    (stall_b ? b.rtl->bready_i : b.rtl->rready_i) = 0;
    // Writes at port 0, reads at port 1: the one kind stands, the other goes on.
    for (unsigned i = 0; i < 50; ++i) {
      b.ask(0, stall_b);
      b.ask(1, !stall_b);
    }
    b.steps(300);
    EXPECT_EQ(stall_b ? b.r_count : b.b_count, 50u);
    EXPECT_EQ(stall_b ? b.b_count : b.r_count, 0u);
    b.rtl->bready_i = b.rtl->rready_i = 1;
    b.steps(200);
    EXPECT_EQ(b.r_count + b.b_count, 100u);
  }
}

// A few requests kept outstanding at a constant latency, in a pattern that repeats: nobody waits
// longer than the latency, a cycle for each other request, and the registers on the way.
TEST(BridgeRules, AFewRequestsAtConstantLatencies) {
  for (const unsigned latency : {1u, 10u, 100u, 400u}) {
    for (unsigned kept = 1; kept <= 8; ++kept) {
      SCOPED_TRACE(testing::Message() << kept << " requests, latency " << latency);
      Bridge b;
      b.latency = {latency, latency, latency};
      unsigned asked = 0;
      for (unsigned i = 0; i < 20 * latency + 400; ++i) {
        for (; asked < b.r_count + b.b_count + kept; ++asked)
          b.ask(asked % (kPorts + 1), asked % 3 != 0);
        b.step();
      }
      EXPECT_LE(b.longest, latency + 2 * kept + 4);
      EXPECT_GE(b.r_count + b.b_count, (20 * latency + 400) / (latency + 2 * kept + 4));
    }
  }
}

// Both kinds in one cycle, at the full rate of each.
TEST(BridgeRules, RAndBMoveTogether) {
  Bridge b;
  b.rtl->bready_i = b.rtl->rready_i = 0;
  for (unsigned i = 0; i < 20; ++i) {
    b.ask(0, true);
    b.ask(1, false);
  }
  b.steps(100);
  b.rtl->bready_i = b.rtl->rready_i = 1;
  b.steps(21);
  EXPECT_EQ(b.r_count, 20u);
  EXPECT_EQ(b.b_count, 20u);
}

// Every port has a backlog of answers of each kind when the manager begins to take them.
TEST(BridgeRules, ResponsesGoRound) {
  test::shows("qos", "Answers of the ports are taken in turn, reads and writes each",
              "docs/blocks/host_bridge/host_bridge.md");
  for (const bool is_write : {false, true}) {
    Bridge b;
    b.rtl->bready_i = b.rtl->rready_i = 0;
    for (unsigned i = 0; i < 40; ++i) {
      for (unsigned p = 0; p < kPorts; ++p) b.ask(p, is_write);
    }
    b.steps(200);
    b.rtl->bready_i = b.rtl->rready_i = 1;
    for (unsigned i = 1; i <= 20; ++i) {
      b.steps(kPorts);
      for (unsigned p = 0; p < kPorts; ++p) EXPECT_EQ(b.answered[p], i) << p;
    }
  }
}

// What software may ask: the ways that the capability register promises, and no others, commit.
TEST(BridgeRules, HdmCapabilityAgreesWithWhatCommits) {
  test::shows("hdm",
              "A host bridge shows no 3-, 6-, 12- or 16-way interleaving and commits none; 1, 2, 4 "
              "and 8 ways commit",
              "CXL 3.x, 8.2.4.20.1");
  Bridge b;
  EXPECT_EQ(b.read(hdm::kCapability), 0x382u);  // 4 decoders, 8 targets, address bits 8 to 14
  for (const bool lock : {false, true}) {
    for (unsigned iw = 0; iw < 16; ++iw) {
      SCOPED_TRACE(testing::Message() << "IW " << iw << (lock ? " locked" : ""));
      Bridge fresh;
      const std::uint32_t at = hdm::kDec + 3 * hdm::kDecStride;
      fresh.write(at + hdm::kDecBaseHigh, 1);
      // 4 GiB, or 3 GiB for sets of three: what a device would take.
      fresh.write(at + hdm::kDecSizeLow, iw >= 8 ? 0xC000'0000 : 0);
      fresh.write(at + hdm::kDecSizeHigh, iw >= 8 ? 0 : 1);
      fresh.write(at + hdm::kDecListLow, 0x0302'0100);
      fresh.write(at + hdm::kDecListHigh, 0x0706'0504);
      fresh.write(at + hdm::kDecControl, hdm::kDecControlIw.put(iw) |
                                             hdm::kDecControlLock.put(lock) |
                                             hdm::kDecControlCommit.put(1));
      fresh.step();
      const std::uint32_t control = fresh.read(at + hdm::kDecControl);
      EXPECT_EQ(hdm::kDecControlCommitted.is_set(control), iw <= 3);
      EXPECT_EQ(hdm::kDecControlError.is_set(control), iw > 3);
    }
  }
}

// Port 0 takes nothing more, and a request waits in its register of the host bridge.
void block_port_0(Bridge& b) {
  b.places[0] = 0;
  b.ask(0, false);
  b.steps(4);
  EXPECT_FALSE(b.request);
}

// A request comes to a port that is blocked, and waits from its second cycle on: the decoder is its
// own in the first, and of hints in all others.
TEST(BridgeRules, HintsGoOutWhileARequestWaits) {
  test::shows("sr", "While a request waits for its way out, hints go to their ports",
              "docs/blocks/host_bridge/host_bridge.md");
  using Hinted = std::pair<unsigned, std::uint64_t>;
  constexpr unsigned kHinted = 5;
  constexpr std::uint64_t kFirst = 2 * kGranules - 2;  // two of port 1, the others of port 2
  for (unsigned offered = 1; offered < 10; ++offered) {
    SCOPED_TRACE(testing::Message() << "the request's first cycle is " << offered);
    Bridge b;
    block_port_0(b);
    // The hint comes in cycle 2; each granule is decoded in a cycle and at its port in the next.
    unsigned seen = 0;
    for (unsigned cycle = 0; cycle < 14; ++cycle) {
      if (cycle == 2) b.hint(kFirst, kHinted);
      if (cycle + 1 == offered) b.ask(0, false);
      b.step();
      EXPECT_EQ(b.request, cycle >= offered) << cycle;
      EXPECT_EQ(b.waits, cycle >= offered) << cycle;
      const bool decoded = cycle >= 4 && cycle - 1 != offered && seen < kHinted;
      EXPECT_EQ(b.hinted.has_value(), decoded) << cycle;
      if (decoded && b.hinted) {
        EXPECT_EQ(*b.hinted, (Hinted{seen < 2 ? 1 : 2, kFirst + seen}));
      }
      seen += decoded;
    }
    EXPECT_EQ(seen, kHinted);
    EXPECT_EQ(b.read(hb::kHints), 1u);
    EXPECT_EQ(b.read(hb::kHintsLost), 0u);
    b.places[0] = 62;
    b.steps(30);
    EXPECT_EQ(b.answered[0], 2u);
  }
}

// A bus that is never idle, of ports that stall: a granule in every cycle but the first of a
// request. None is lost, though the bus has no cycle without a request.
TEST(BridgeRules, HintsHaveEveryCycleButTheFirstOfARequest) {
  Random random(test::from_environment("CXLGPU_SEED", 0x417));
  Bridge b;
  std::deque<std::uint64_t> granules;  // of hints that came, in order
  std::optional<std::uint64_t> decoded;
  bool waited = false;
  unsigned first_cycles = 0, at_ports = 0, given = 0, idle = 0;
  b.ask(0, false);
  b.step();
  for (unsigned i = 0; i < 30000; ++i) {
    if (i % 200 == 0) {
      for (unsigned p = 0; p < kPorts; ++p) {
        b.latency[p] = random.pick(std::array{1u, 5u, 20u});
        b.places[p] = random.pick(std::array{1u, 2u, 62u});
      }
    }
    if (b.reads.size() + b.writes.size() < 3) {
      b.ask(static_cast<unsigned>(random.below(kPorts + 1)), random.percent(50));
    }
    std::deque<std::uint64_t> coming;
    if (granules.size() < 10 && random.percent(30)) {
      const std::uint64_t first = random.below(4 * kGranules);
      const std::uint64_t length = 1 + random.below(6);
      for (unsigned n = 0; n < length; ++n) coming.push_back(first + n);
      b.hint(first, static_cast<unsigned>(coming.size()));
      ++given;
    }
    b.step();
    const bool serves = decoded && *decoded / kGranules < kPorts;
    ASSERT_EQ(b.hinted.has_value(), serves) << i;
    if (serves) {
      ASSERT_EQ(b.hinted->first, *decoded / kGranules);
      ASSERT_EQ(b.hinted->second, *decoded);
      ++at_ports;
    }
    const bool first = b.request && !waited;
    waited = b.waits;
    first_cycles += first;
    idle += !b.request;
    decoded.reset();
    if (!first && !granules.empty()) {
      decoded = granules.front();
      granules.pop_front();
    }
    granules.insert(granules.end(), coming.begin(), coming.end());
  }
  EXPECT_EQ(idle, 0u);
  EXPECT_GT(first_cycles, 5000u);
  EXPECT_GT(at_ports, 3000u);
  b.steps(200);
  EXPECT_EQ(b.read(hb::kHints), given);
  EXPECT_EQ(b.read(hb::kHintsLost), 0u);
}

// A decoder without lock is programmed again while a request of its range waits, and decodes
// nothing meanwhile.
TEST(BridgeRules, ARequestKeepsTheWayOutOfItsFirstCycle) {
  test::shows(
      "hdm",
      "A request that waits goes where the decoders sent it in its first cycle, though they "
      "are programmed again meanwhile",
      "docs/blocks/host_bridge/host_bridge.md");
  for (const bool hints : {false, true}) {
    SCOPED_TRACE(hints ? "with hints" : "without hints");
    // From one port to another.
    Bridge b;
    block_port_0(b);
    b.ask(0, false);
    b.steps(4);
    EXPECT_TRUE(b.waits);
    if (hints) b.hint(2 * kGranules - 3, 100);
    b.program(0, 1);
    EXPECT_TRUE(b.waits);
    b.ask_range(0, 1, false);  // the next one goes where the decoder says now
    b.steps(120);
    EXPECT_TRUE(b.waits);
    EXPECT_EQ(b.answered[0] + b.answered[1] + b.answered[kNobody], 0u);
    b.places[0] = 62;
    b.steps(30);
    EXPECT_EQ(b.answered[0], 2u);
    EXPECT_EQ(b.answered[1], 1u);
    EXPECT_EQ(b.answered[kNobody], 0u);
  }
  // From nobody to a port: the answers of two misses stand in front.
  Bridge b;
  b.rtl->rready_i = 0;
  for (unsigned i = 0; i < 3; ++i) b.ask(kNobody, false);
  b.steps(10);
  EXPECT_TRUE(b.waits);
  EXPECT_TRUE(b.reads.empty());
  b.program(kNobody, 2);
  b.ask_range(kNobody, 2, false);
  b.steps(10);
  EXPECT_TRUE(b.waits);
  b.rtl->rready_i = 1;
  b.steps(30);
  EXPECT_EQ(b.answered[kNobody], 3u);
  EXPECT_EQ(b.answered[2], 1u);
}

// Random traffic, stalls and latencies: every request has one answer, those of a port and kind in
// order of asking.
TEST(BridgeRules, EveryRequestIsAnsweredOnce) {
  Random random(0xb41d);
  Bridge b;
  unsigned asked = 0;
  for (unsigned i = 0; i < 40000; ++i) {
    if (i % 1000 == 0) {
      for (unsigned p = 0; p < kPorts; ++p) {
        b.latency[p] = random.pick(std::array{0u, 1u, 10u, 100u, 400u});
        b.places[p] = random.pick(std::array{0u, 1u, 2u, 8u, 62u});
      }
    }
    if (b.reads.size() + b.writes.size() < 4) {
      b.ask(static_cast<unsigned>(random.below(kPorts + 1)), random.percent(50));
      ++asked;
    }
    b.rtl->rready_i = random.percent(70);
    b.rtl->bready_i = random.percent(70);
    b.step();
  }
  b.places = {62, 62, 62};
  b.rtl->rready_i = b.rtl->bready_i = 1;
  b.steps(3000);
  EXPECT_EQ(b.r_count + b.b_count, asked);
  EXPECT_GT(asked, 5000u);
}

}  // namespace
}  // namespace cxlgpu
