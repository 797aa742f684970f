// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
// A root port (RTL) on a link to a device's link end (RTL), what is above and below played here:
// link down and up with everything off, Link Disable, isolation that holds the link down, isolation
// with the link up, viral. Expected behaviour is that of CXL 2.0, 8.1.5, 8.1.6, 12.4 and
// CXL 3.x, 8.2.4.24.
#include <algorithm>
#include <deque>
#include <map>
#include <set>
#include <vector>

#include "Vport_link.h"
#include "refmodel/common/registers.hpp"
#include "tests/common/lockstep.hpp"
#include "tests/common/requirement.hpp"

namespace cxlgpu {
namespace {

namespace tmo = regs::timeout;
namespace ioa = regs::io_access;
using test::Clocked;

constexpr unsigned kActive = 1, kLinkDisable = 0xA;
constexpr std::uint32_t kOnTimeout =
    tmo::kControlMemValue.put(1) | tmo::kControlMemEnable.put(1) | tmo::kControlMemIsolation.put(1);
constexpr std::uint32_t kIsolated = tmo::kStatusMemIsolation.put(1);
constexpr std::uint32_t kLinkDown = tmo::kStatusMemLinkDown.put(1);
constexpr std::uint32_t kTimedOut = tmo::kStatusMemTimeout.put(1);
constexpr std::uint32_t kBusy = tmo::kStatusBusy.put(1);
constexpr unsigned kShort = 50'000;  // cycles of the shortest period
// All that a port holds (SR queue 32, memory queue 30), at most two cycles each, and the way.
constexpr unsigned kRefused = 2 * 62 + 20;

std::uint32_t data_of(std::uint64_t line, unsigned generation) {
  return static_cast<std::uint32_t>(line * 0x10001 + generation);
}

class PortLink : public ::testing::Test {
 protected:
  struct Answer {
    unsigned id;
    bool is_write, error;
    std::uint32_t data;
    std::uint64_t cycle;
  };

  void SetUp() override { rtl.reset(); }

  // The PHY: down while anyone wants the link disabled and for a while after, else up if plugged
  // in.
  void step() {
    if (rtl->phy_state_o == kLinkDisable || !plugged) training = 100;
    if (training != 0) --training;
    rtl->phy_up_i = training == 0 && plugged;
    // init_done stays until the next link begins.
    if (!rtl->phy_up_i) stale = true;
    if (!rtl->init_done_o && !rtl->dev_init_done_o) stale = false;
    if (!rtl->phy_up_i) {  // the device forgets with its link
      reads.clear();
      writes.clear();
      rtl->drs_valid_i = rtl->ndr_valid_i = 0;
    }
    while (open.size() < kept) ask(1);
    rtl->req_valid_i = !asked.empty();
    if (!asked.empty()) {
      rtl->req_id_i = static_cast<std::uint16_t>(asked.front().id);
      rtl->req_write_i = asked.front().is_write;
      rtl->req_line_i = asked.front().line;
    }
    if (!silent && !rtl->drs_valid_i && !reads.empty() && reads.front().due <= cycle) {
      rtl->drs_valid_i = 1;
      rtl->drs_tag_i = static_cast<std::uint16_t>(reads.front().tag);
      rtl->drs_data_i = reads.front().data;
      reads.pop_front();
    }
    if (!silent && !rtl->ndr_valid_i && !writes.empty() && writes.front().due <= cycle) {
      rtl->ndr_valid_i = 1;
      rtl->ndr_opcode_i = 0;
      rtl->ndr_tag_i = static_cast<std::uint16_t>(writes.front().tag);
      writes.pop_front();
    }
    rtl.settle();
    if (rtl->rsp_valid_o) {
      const auto waited = open.find(rtl->rsp_id_o);
      if (waited == open.end()) {
        ADD_FAILURE() << "nobody asked for " << rtl->rsp_id_o << ", or it was answered before";
      } else {
        longest = std::max(longest, cycle - waited->second);
        open.erase(waited);
      }
      answers.push_back(
          {rtl->rsp_id_o, rtl->rsp_write_o != 0, rtl->rsp_error_o != 0, rtl->rsp_data_o, cycle});
    }
    if (rtl->read_valid_o && !rtl->read_spec_o) {
      reads.push_back({cycle + latency, rtl->read_tag_o, data_of(rtl->read_line_o, generation)});
    }
    if (rtl->write_valid_o) writes.push_back({cycle + latency, rtl->write_tag_o, 0});
    device_told += rtl->dev_viral_o;
    const bool taken = rtl->req_valid_i && rtl->req_ready_o;
    const bool drs = rtl->drs_valid_i && rtl->drs_ready_o;
    const bool ndr = rtl->ndr_valid_i && rtl->ndr_ready_o;
    rtl.edge();
    if (taken) asked.pop_front();
    if (drs) rtl->drs_valid_i = 0;
    if (ndr) rtl->ndr_valid_i = 0;
    rtl->reg_valid_i = 0;
    rtl.settle();
    ++cycle;
  }
  void steps(unsigned n) {
    for (unsigned i = 0; i < n; ++i) step();
  }
  void bring_up() {
    plugged = true;
    const auto ready = [&] { return !stale && rtl->init_done_o && rtl->dev_init_done_o; };
    for (unsigned i = 0; i < 3000 && !ready(); ++i) step();
    ASSERT_TRUE(ready());
    steps(5);
  }
  void write(std::uint32_t addr, std::uint32_t data) {
    access(addr, data, true);
    step();
  }
  std::uint32_t read(std::uint32_t addr) {
    access(addr, 0, false);
    step();
    return rtl->reg_rdata_o;
  }
  // Configuration space of the port itself.
  std::uint32_t config(std::uint32_t offset, bool is_write = false, std::uint32_t data = 0) {
    write(ioa::kAddrLow, 3u << 15 | offset);
    write(ioa::kAddrHigh, 0);
    write(ioa::kData, data);
    write(ioa::kCommand, ioa::kCommandOp.put(is_write) | ioa::kCommandBe.put(0xF));
    for (unsigned i = 0; i < 100; ++i) {
      const std::uint32_t command = read(ioa::kCommand);
      if (ioa::kCommandBusy.is_set(command)) continue;
      EXPECT_EQ(ioa::kCommandStatus.get(command), 0u);
      return read(ioa::kData);
    }
    ADD_FAILURE() << "no answer from configuration space";
    return 0;
  }
  std::uint32_t status() { return read(tmo::kStatus); }
  void end_isolation() {
    for (unsigned i = 0; i < 200 && (status() & kBusy) != 0; ++i) step();
    EXPECT_EQ(status() & kBusy, 0u);
    write(tmo::kStatus, kIsolated);
    EXPECT_EQ(status() & kIsolated, 0u);
  }
  // Requests, every third a write, each to a line of its own.
  void ask(unsigned n) {
    for (unsigned i = 0; i < n; ++i) {
      next_id = next_id % 0xffff + 1;  // identifiers have 16 bits
      asked.push_back({next_id, next_id % 3 == 2, next_id});
      open[next_id] = cycle;
    }
  }
  // Asks n, waits, and expects one answer for each, within so many cycles of now.
  void expect_errors(unsigned n, unsigned cycles) {
    ask(n);
    expect_answers(n, cycles, true);
  }
  void expect_answers(unsigned n, unsigned cycles, bool error) {
    const std::uint64_t since = cycle;
    while (answers.size() < n && cycle < since + cycles) step();
    ASSERT_EQ(answers.size(), n) << "after " << cycles << " cycles";
    std::set<unsigned> ids;
    for (const Answer& a : answers) {
      EXPECT_EQ(a.error, error) << a.id;
      if (!a.is_write) {
        EXPECT_EQ(a.data, error ? ~0u : data_of(a.id, generation));
      }
      ids.insert(a.id);
    }
    EXPECT_EQ(ids.size(), n);
    answers.clear();
  }
  void expect_served() {
    ask(100);
    expect_answers(100, 100 * (latency + 50), false);
  }

  struct Asked {
    unsigned id;
    bool is_write;
    std::uint64_t line;
  };
  struct Owed {
    std::uint64_t due;
    unsigned tag;
    std::uint32_t data;
  };
  Clocked<Vport_link> rtl;
  std::deque<Asked> asked;
  std::deque<Owed> reads, writes;
  std::vector<Answer> answers;
  std::map<unsigned, std::uint64_t> open;  // asked and not answered: since when
  unsigned kept = 0;                       // so many are kept open
  std::uint64_t cycle = 0, longest = 0;    // a request waited
  bool plugged = false, silent = false, stale = false;
  unsigned training = 0, latency = 20, next_id = 1, generation = 0, device_told = 0;

 private:
  void access(std::uint32_t addr, std::uint32_t data, bool is_write) {
    rtl->reg_valid_i = 1;
    rtl->reg_write_i = is_write;
    rtl->reg_addr_i = static_cast<std::uint16_t>(addr);
    rtl->reg_wdata_i = data;
  }
};

TEST_F(PortLink, NeverTrainedItAnswersWithErrors) {
  test::shows("link", "A root port whose link never trained answers every request with an error",
              "docs/blocks.md, root_port registers");
  expect_errors(80, kRefused + 100);
  EXPECT_EQ(status(), 0u);  // and is not isolated
  bring_up();
  expect_served();
}

TEST_F(PortLink, LinkDownWithEverythingOff) {
  test::shows("link",
              "A link down ends every request of its port with an error in bounded time, isolation "
              "on or off, and after it the port serves again",
              "docs/blocks.md, root_port registers");
  for (const unsigned slow : {1u, 10u, 100u, 400u}) {
    latency = slow;
    bring_up();
    expect_served();
    silent = true;
    ask(62);
    steps(400);
    EXPECT_TRUE(answers.empty());
    plugged = false;
    expect_answers(62, kRefused, true);
    expect_errors(40, kRefused);
    EXPECT_EQ(status(), 0u);
    silent = false;
    ++generation;
    bring_up();
    expect_served();
  }
}

// The link goes down at any moment of a busy port; what is answered without an error is right.
TEST_F(PortLink, LinkDownAtAnyMoment) {
  for (unsigned at = 0; at < 60; ++at) {
    bring_up();
    ask(50);
    steps(20 + at);
    plugged = false;
    for (unsigned i = 0; i < kRefused && answers.size() < 50; ++i) step();
    ASSERT_EQ(answers.size(), 50u) << at;
    std::set<unsigned> ids;
    for (const Answer& a : answers) {
      ids.insert(a.id);
      if (!a.error && !a.is_write) {
        EXPECT_EQ(a.data, data_of(a.id, generation)) << at;
      }
    }
    EXPECT_EQ(ids.size(), 50u);
    answers.clear();
    ++generation;
    bring_up();
    expect_served();
  }
}

TEST_F(PortLink, LinkDisableTakesTheLinkDownAndKeepsItDown) {
  test::shows("link",
              "Link Disable of a root port acts when unmasked: the link goes down, stays down, and "
              "trains again when it is released",
              "CXL 2.0, 8.1.5.2");
  bring_up();
  expect_served();
  config(0x050, true, 0x10);  // masked by DVSEC 3: no effect
  EXPECT_EQ(config(0x050) & 0xFFFF, 0x10u);
  steps(200);
  EXPECT_EQ(rtl->phy_state_o, kActive);
  expect_served();
  silent = true;
  ask(40);
  steps(200);
  config(0x10C, true, 0x2);
  EXPECT_EQ(config(0x10C), 0x2u);
  expect_answers(40, kRefused, true);
  for (unsigned i = 0; i < 2000; ++i) {
    step();
    ASSERT_EQ(rtl->phy_state_o, kLinkDisable) << i;
    ASSERT_FALSE(rtl->phy_up_i);
  }
  expect_errors(20, kRefused);
  silent = false;
  ++generation;
  config(0x050, true, 0);
  steps(5);
  EXPECT_EQ(rtl->phy_state_o, kActive);
  bring_up();
  expect_served();
}

// Whatever mode changes, with so many requests kept outstanding and a device that answers after so
// many cycles, always: each request is answered once and in time, with its data, or with an error
// where the port refused.
TEST_F(PortLink, EachChangeOfModeWithRequestsQueued) {
  enum Change {
    kNothing,
    kPolicy,
    kPolicyOff,
    kTimeoutOn,
    kTimeoutOff,
    kViral,
    kUnplug,
    kDisable,
    kIsolate
  };
  const auto policy = [](unsigned select) { return 0x6'0F10u | select; };
  for (const unsigned slow : {1u, 10u, 100u, 400u}) {
    for (const unsigned keep : {0u, 1u, 2u, 4u, 8u, 62u}) {
      latency = slow;
      bring_up();
      for (const Change change : {kNothing, kPolicy, kPolicyOff, kTimeoutOn, kTimeoutOff, kViral,
                                  kUnplug, kDisable, kIsolate}) {
        SCOPED_TRACE(testing::Message()
                     << "latency " << slow << ", " << keep << " outstanding, change " << change);
        const bool refuses = change >= kUnplug;
        kept = keep;
        longest = 0;
        steps(slow + 60);
        switch (change) {
          case kNothing:
            break;
          case kPolicy:
            write(regs::rp::kPolicy, policy(2));
            break;
          case kPolicyOff:
            write(regs::rp::kPolicy, policy(0));
            break;
          case kTimeoutOn:
            write(tmo::kControl, kOnTimeout & ~tmo::kControlMemValue.mask());
            break;
          case kTimeoutOff:
            write(tmo::kControl, 0);
            break;
          case kViral:
            write(regs::rp::kViral, 1);
            break;
          case kUnplug:
            plugged = false;
            steps(30);
            break;
          case kDisable:
            config(0x10C, true, 0x2);
            config(0x050, true, 0x10);
            steps(30);
            config(0x050, true, 0);
            break;
          case kIsolate:
            write(tmo::kControl, tmo::kControlMemIsolation.put(1));
            plugged = false;
            steps(30);
            bring_up();
            steps(30);  // the link is up, and it still refuses
            EXPECT_EQ(status() & ~kBusy, kIsolated | kLinkDown);
            end_isolation();
            write(tmo::kStatus, kLinkDown);
            write(tmo::kControl, 0);
            break;
        }
        if (refuses) bring_up();
        steps(slow + 60);
        kept = 0;
        for (unsigned i = 0; i < 3 * slow + 300 && !open.empty(); ++i) step();
        ASSERT_TRUE(open.empty()) << open.size() << " never answered";
        std::size_t errors = 0;
        for (const Answer& a : answers) {
          errors += a.error;
          if (!a.is_write) {
            EXPECT_EQ(a.data, a.error ? ~0u : data_of(a.id, generation));
          }
        }
        EXPECT_EQ(errors != 0, refuses && keep != 0);
        EXPECT_EQ(answers.size() > errors, keep != 0);
        // 30 of them at the device at a time.
        EXPECT_LE(longest, (keep / 30 + 1) * (slow + 60) + 4 * keep);
        answers.clear();
        EXPECT_EQ(read(regs::rp::kUnexpected), 0u);
      }
    }
  }
}

// As an operating system does it: bit 16 alone, a link down, wait for Busy, clear, go on.
TEST_F(PortLink, IsolationByLinkDownAndBack) {
  bring_up();
  write(tmo::kControl, kOnTimeout);
  silent = true;
  ask(40);
  steps(300);
  plugged = false;
  expect_answers(40, kRefused, true);
  EXPECT_EQ(status(), kIsolated | kLinkDown);
  silent = false;
  ++generation;
  bring_up();
  expect_errors(10, kRefused);  // isolated, though the link is up
  end_isolation();
  EXPECT_EQ(status(), kLinkDown);
  expect_served();
  write(tmo::kStatus, kLinkDown);
  EXPECT_EQ(status(), 0u);
}

// Ended while the link is still down: no longer isolated, errors until the link is back.
TEST_F(PortLink, IsolationEndedWithTheLinkDown) {
  bring_up();
  write(tmo::kControl, kOnTimeout);
  plugged = false;
  steps(10);
  EXPECT_EQ(status(), kIsolated | kLinkDown);
  end_isolation();
  steps(200);
  EXPECT_EQ(status() & kIsolated, 0u);
  expect_errors(10, kRefused);
  ++generation;
  bring_up();
  expect_served();
}

TEST_F(PortLink, IsolationHoldsTheLinkDown) {
  test::shows("link", "With bit 17 isolation takes the link down, and its end lets it train again",
              "CXL 3.x, 8.2.4.24.2, 8.2.4.24.3");
  bring_up();
  write(tmo::kControl, kOnTimeout | tmo::kControlMemLinkDown.put(1));
  silent = true;
  ask(10);
  for (unsigned i = 0; i < 3 * kShort && rtl->phy_state_o != kLinkDisable; ++i) step();
  ASSERT_EQ(rtl->phy_state_o, kLinkDisable);
  expect_answers(10, kRefused, true);
  EXPECT_EQ(status() & ~kBusy, kTimedOut | kIsolated);
  for (unsigned i = 0; i < 1000; ++i) {
    step();
    ASSERT_EQ(rtl->phy_state_o, kLinkDisable);
  }
  EXPECT_FALSE(rtl->phy_up_i);
  silent = false;
  ++generation;
  end_isolation();
  bring_up();
  expect_served();
  EXPECT_EQ(status(), kTimedOut);
}

// Isolation by time-out with the link up, ended at once: the device answers late, and no late
// answer is taken for another's, to the same lines with other data.
TEST_F(PortLink, LateAnswersAfterIsolation) {
  test::shows(
      "link",
      "Answers that come after isolation has ended are not taken for those of later requests",
      "CXL 3.x, 8.2.4.24.3; docs/blocks.md, memory_queue");
  bring_up();
  write(tmo::kControl, kOnTimeout);
  silent = true;
  ask(25);
  for (unsigned i = 0; i < 3 * kShort && answers.size() < 25; ++i) step();
  expect_answers(25, kRefused, true);
  EXPECT_EQ(status() & ~kBusy, kTimedOut | kIsolated);
  write(tmo::kControl, 0);
  end_isolation();
  expect_errors(25, kRefused);  // the device owes 25
  ++generation;                 // what it answers from now on to new requests
  silent = false;
  for (unsigned i = 0; i < 2000 && !(reads.empty() && writes.empty()); ++i) step();
  steps(100);
  EXPECT_TRUE(answers.empty());
  expect_served();  // without a link down
  EXPECT_EQ(read(regs::rp::kUnexpected), 0u);
}

TEST_F(PortLink, DvsecsOfARootPort) {
  test::shows("link", "A root port has the DVSECs 3, 7, 8 and 4, and no viral status or enable",
              "CXL 2.0, table 124, 8.1.5, 8.1.6");
  std::vector<unsigned> ids;
  for (std::uint32_t at = 0x100; at != 0 && ids.size() < 8; at = config(at) >> 20) {
    EXPECT_EQ(config(at) & 0xFFFFF, 0x1'0023u);
    EXPECT_EQ(config(at + 4) & 0xFFFF, 0x1E98u);
    ids.push_back(config(at + 8) & 0xFFFF);
    if (ids.back() != 4) continue;
    EXPECT_EQ(config(at + 4) >> 20, 0x10u);
    EXPECT_EQ(config(at + 12), 0u);
    config(at + 12, true, ~0u);
    EXPECT_EQ(config(at + 12), 0x0F0F'0F0Fu);
    EXPECT_EQ(config(at + 8), 4u);
  }
  EXPECT_EQ(ids, (std::vector<unsigned>{3, 7, 8, 4}));
  config(0x10C, true, ~0u);
  EXPECT_EQ(config(0x10C), 0xFFFF'0006u);
  config(0x10C, true, 0);
  EXPECT_EQ(config(0x108), 3u);
}

TEST_F(PortLink, ViralStaysUntilReset) {
  test::shows("link",
              "A port that is told of viral is viral itself, tells its device, and software cannot "
              "take it back",
              "CXL 2.0, 12.4");
  constexpr std::uint32_t kViral = 0x840;
  enum class By { kDevice, kOtherPort, kSoftware };
  for (const By by : {By::kDevice, By::kOtherPort, By::kSoftware}) {
    rtl.reset();
    device_told = 0;
    rtl->dev_viral_i = rtl->viral_i = 0;
    bring_up();
    EXPECT_EQ(read(kViral), 0u);
    if (by == By::kDevice) rtl->dev_viral_i = 1;
    if (by == By::kOtherPort) rtl->viral_i = 1;
    if (by == By::kSoftware) write(kViral, 1);
    step();
    rtl->viral_i = 0;
    steps(1000);
    EXPECT_TRUE(rtl->viral_o);
    EXPECT_EQ(device_told, 1u);
    const std::uint32_t device = by == By::kDevice ? 4 : 0;
    EXPECT_EQ(read(kViral), 1u | device);
    write(kViral, device);
    EXPECT_EQ(read(kViral), 1u);
    EXPECT_TRUE(rtl->viral_o);
    expect_served();
    // A new link is told as well.
    rtl->dev_viral_i = 0;
    plugged = false;
    steps(50);
    bring_up();
    steps(1000);
    EXPECT_TRUE(rtl->viral_o);
    EXPECT_EQ(device_told, 2u);
  }
  rtl.reset();
  EXPECT_FALSE(rtl->viral_o);
}

TEST_F(PortLink, AFatalErrorMakesThePortViralIfAllowed) {
  constexpr std::uint32_t kViral = 0x840;
  for (const bool allowed : {false, true}) {
    rtl.reset();
    bring_up();
    write(0x100 + regs::ras::kUncorMask, 0);
    write(kViral, allowed ? 2 : 0);
    rtl->ndr_valid_i = 1;  // BI-ConflictAck: reserved in CXL 2.0, and nobody asked
    rtl->ndr_opcode_i = 4;
    steps(200);
    EXPECT_EQ(read(0x100 + regs::ras::kUncorStatus), 1u << 9);
    EXPECT_EQ(rtl->viral_o, allowed);
    EXPECT_EQ(read(kViral), allowed ? 3u : 0u);
    EXPECT_EQ(read(regs::rp::kUnexpected), 1u);
  }
}

}  // namespace
}  // namespace cxlgpu
