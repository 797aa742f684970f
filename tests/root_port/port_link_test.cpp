// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
// A root port (RTL) on a link to a device's link end (RTL), what is above and below played here:
// link down and up with everything off, Link Disable, isolation that holds the link down, isolation
// with the link up, viral. Expected behaviour is that of CXL 2.0, 8.1.5, 8.1.6, 12.4 and
// CXL 3.x, 8.2.4.24.
#include <algorithm>
#include <array>
#include <deque>
#include <map>
#include <set>
#include <vector>

#include "refmodel/cxl_io/port_config_space.hpp"
#include "tests/common/requirement.hpp"
#include "tests/cxl_io/config_offsets.hpp"
#include "tests/root_port/port_link_bench.hpp"

namespace cxlgpu {
namespace {

using namespace port_link;

TEST_F(PortLink, NeverTrainedItAnswersWithErrors) {
  test::shows("link", "A root port whose link never trained answers every request with an error",
              "docs/blocks/root_port/root_port.md");
  expect_errors(80, kRefused + 100);
  EXPECT_EQ(status(), 0u);  // and is not isolated
  bring_up();
  expect_served();
}

TEST_F(PortLink, LinkDownWithEverythingOff) {
  test::shows("link",
              "A link down ends every request of its port with an error in bounded time, isolation "
              "on or off, and after it the port serves again",
              "docs/blocks/root_port/root_port.md");
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

// Requests that the wire never took: after the time-out the link goes down and comes back, the port
// isolated all the while, and the device gets none of them.
TEST_F(PortLink, NothingOfBeforeIsSentOnTheNewLink) {
  bring_up();
  write(tmo::kControl, kOnTimeout);
  rtl->tx_stall_i = 1;
  ask(10);
  for (unsigned i = 0; i < 3 * kShort && !open.empty(); ++i) step();
  expect_answers(10, 1, true);
  EXPECT_EQ(status() & ~kBusy, kTimedOut | kIsolated);
  plugged = false;
  steps(30);
  rtl->tx_stall_i = 0;
  received = 0;
  bring_up();
  steps(200);
  EXPECT_EQ(received, 0u);
  end_isolation();
  expect_served();
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
      "CXL 3.x, 8.2.4.24.3; docs/blocks/root_port/memory_queue.md");
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
  EXPECT_EQ(config(0x10C), 0xFFFF'000Fu);
  config(0x10C, true, 0);
  EXPECT_EQ(config(0x108), 3u);
}

TEST_F(PortLink, ViralStaysUntilReset) {
  test::shows("link",
              "A port that receives viral is viral itself, signals it to its device, and software "
              "cannot clear it",
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

// Software clears the device's bit in every cycle around the one in which the device says that it
// is viral: in that cycle it is set all the same.
TEST_F(PortLink, TheDevicesViralIsNotLostToAWrite) {
  constexpr std::uint32_t kViral = 0x840;
  unsigned told = 0;  // the step in which the port hears of it
  for (unsigned at = 0; at < told + 4; ++at) {
    rtl.reset();
    rtl->dev_viral_i = 0;
    bring_up();
    rtl->dev_viral_i = 1;
    told = 0;
    for (unsigned cycle = 0; cycle < 300; ++cycle) {
      const bool was = rtl->viral_o != 0;
      if (cycle == at) {
        write(kViral, 4);
      } else {
        step();
      }
      if (!was && rtl->viral_o != 0) told = cycle;
    }
    ASSERT_NE(told, 0u);
    EXPECT_EQ(read(kViral), at <= told ? 5u : 1u) << at << ", told in " << told;
  }
}

// Software reads a structure of the port in every cycle around an access over CXL.io to another of
// it: both have their data.
TEST_F(PortLink, SoftwareAndCxlIoReadThePortAtOnce) {
  namespace off = port_config_offset;
  bring_up();
  write(tmo::kControl, kOnTimeout & ~tmo::kControlMemValue.mask());
  const std::uint32_t control = read(tmo::kControl);
  EXPECT_EQ(control, 0x1'0010u);
  config(off::kBar0, true, 0x5550'0000);
  config(off::kCommand, true, 0x146);
  for (unsigned at = 0; at < 16; ++at) {
    write(ioa::kAddrLow, 0x5550'1400);
    write(ioa::kAddrHigh, 0);
    write(ioa::kData, 0);
    write(ioa::kCommand, ioa::kCommandOp.put(4) | ioa::kCommandBe.put(0xF));
    for (unsigned cycle = 0; cycle < 16; ++cycle) {
      if (cycle == at || cycle == at + 1) {
        EXPECT_EQ(read(tmo::kControl), control) << at;
      } else {
        step();
      }
    }
    const std::uint32_t command = read(ioa::kCommand);
    EXPECT_FALSE(ioa::kCommandBusy.is_set(command)) << at;
    EXPECT_EQ(ioa::kCommandStatus.get(command), 0u);
    EXPECT_EQ(read(ioa::kData), 0x3'001Fu) << at;
  }
}

// Every field of the policy register, bit by bit.
TEST_F(PortLink, PolicyRegisterBitByBit) {
  EXPECT_EQ(read(0x800), 0x6'0F00u);
  for (unsigned bit = 0; bit < 32; ++bit) {
    const std::uint32_t one = 1u << bit;
    for (const std::uint32_t value : {one, ~one}) {
      write(0x800, value);
      EXPECT_EQ(read(0x800), value & 0xF'FFF7) << bit;
    }
  }
  for (const std::uint32_t read_only : {0x804u, 0x810u, 0x814u, 0x818u, 0x81Cu, 0x82Cu, 0x83Cu}) {
    const std::uint32_t before = read(read_only);
    write(read_only, ~0u);
    EXPECT_EQ(read(read_only), before) << read_only;
  }
}

// The registers of the vendor block, each with a number that is its own.
TEST_F(PortLink, EachCounterIsInItsRegister) {
  test::shows("qos",
              "Load control of a root port follows the DevLoad of every response, and software "
              "reads its state and how many there were of each",
              "docs/blocks/root_port/root_port.md");
  bring_up();
  constexpr std::uint32_t kNaive = 0x6'0F11, kDyn = 0x6'0F12;
  // DevLoad by DevLoad: granularity 64 B, 256 B, 512 B, 768 B, 1024 B and halted are 0 to 5.
  write(0x800, 0x6'0F00);
  EXPECT_EQ(read(0x804), 1u);
  struct Step {
    unsigned dev_load, state;
  };
  constexpr Step kSteps[] = {{0, 2}, {0, 3}, {0, 4}, {0, 4}, {1, 4}, {2, 3}, {2, 2}, {2, 1},
                             {2, 0}, {2, 0}, {1, 0}, {3, 5}, {2, 5}, {1, 5}, {0, 0}, {0, 1}};
  std::uint64_t line = 0x1000;
  for (const Step& s : kSteps) {
    rtl->dev_load_i = s.dev_load;
    line += 64;
    ask_one(line, line % 128 == 0);
    EXPECT_EQ(read(0x804), s.state) << s.dev_load;
  }
  const std::array<unsigned, 4> levels{6, 3, 6, 1};
  for (unsigned i = 0; i < 4; ++i) EXPECT_EQ(read(0x81C + 4 * i), levels[i]) << i;
  EXPECT_EQ(read(0x810), 8u);
  EXPECT_EQ(read(0x814), 8u);
  EXPECT_EQ(read(0x818), 0u);
  EXPECT_EQ(read(0x82C), 8u);  // looked at, off
  EXPECT_EQ(read(0x830), 0u);
  // Naive: a MemSpecRd for each load, of one granule, whose line its load uses.
  rtl->dev_load_i = 0;
  write(0x800, kNaive);
  for (unsigned i = 0; i < 5; ++i) ask_one(line += 64, false);
  ask_one(line += 64, true);
  EXPECT_EQ(read(0x810), 13u);
  EXPECT_EQ(read(0x814), 9u);
  EXPECT_EQ(read(0x818), 5u);   // handed to the controller
  EXPECT_EQ(read(0x82C), 13u);  // looked at
  EXPECT_EQ(read(0x830), 5u);   // taken by the memory queue
  EXPECT_EQ(read(0x834), 0u);
  EXPECT_EQ(read(0x838), 0u);
  EXPECT_EQ(read(0x8A0), 5u);  // granules
  EXPECT_EQ(read(0x8A4), 5u);  // lines used
  EXPECT_LE(read(0x8B0), 5u);  // late: by timing
  // Dyn, four granules at a time, covered for the loads that follow.
  write(0x800, kDyn);
  for (unsigned i = 0; i < 3; ++i) ask_one(0x8'0000 + 64 * i, true);  // light: up to 1024 B
  EXPECT_EQ(read(0x804), 4u);
  for (unsigned i = 0; i < 7; ++i) ask_one(0x10'0000 + i, false);
  EXPECT_EQ(read(0x830), 6u);
  EXPECT_EQ(read(0x834), 6u);
  EXPECT_EQ(read(0x8A0), 9u);
  EXPECT_EQ(read(0x8A4), 12u);
  // Halted.
  rtl->dev_load_i = 3;
  ask_one(0x9'0000, true);
  for (unsigned i = 0; i < 2; ++i) ask_one(0x20'0000 + 64 * i, false);
  EXPECT_EQ(read(0x838), 2u);
  EXPECT_EQ(read(0x830), 6u);
  // Five runs of one set: the first, used, goes, and three granules of it that nobody wanted.
  rtl->dev_load_i = 0;
  write(0x800, kDyn);
  for (unsigned i = 0; i < 3; ++i) ask_one(0x8'0000 + 64 * i, true);
  for (std::uint64_t i = 0; i < 5; ++i) ask_one(0x40'0000 + (i << 22), false);
  EXPECT_EQ(read(0x8A8), 1u);
  EXPECT_EQ(read(0x8AC), 3u);
  EXPECT_EQ(read(0x8B4), 0u);
  EXPECT_EQ(read(0x83C), 0u);
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
