// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
// The bench of port_link_test: a root port and the link end of a device in RTL; the PHY, the
// device's answers, the host and software are the test's.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <deque>
#include <map>
#include <set>
#include <vector>

#include "Vport_link.h"
#include "common/registers.hpp"
#include "tests/common/lockstep.hpp"

namespace cxlgpu::port_link {

namespace tmo = regs::timeout;
namespace ioa = regs::io_access;
using test::Clocked;

inline constexpr unsigned kActive = 1, kLinkDisable = 0xA;
inline constexpr std::uint32_t kOnTimeout =
    tmo::kControlMemValue.put(1) | tmo::kControlMemEnable.put(1) | tmo::kControlMemIsolation.put(1);
inline constexpr std::uint32_t kIsolated = tmo::kStatusMemIsolation.put(1);
inline constexpr std::uint32_t kLinkDown = tmo::kStatusMemLinkDown.put(1);
inline constexpr std::uint32_t kTimedOut = tmo::kStatusMemTimeout.put(1);
inline constexpr std::uint32_t kBusy = tmo::kStatusBusy.put(1);
inline constexpr unsigned kShort = 50'000;  // cycles of the shortest period
// All that a port holds (SR queue 32, memory queue 30), at most two cycles each, and the way.
inline constexpr unsigned kRefused = 2 * 62 + 20;

inline std::uint32_t data_of(std::uint64_t line, unsigned generation) {
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
    received += rtl->read_valid_o + rtl->write_valid_o;
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
  // One request of this line, and its answer.
  void ask_one(std::uint64_t line, bool is_write) {
    next_id = next_id % 0xffff + 1;
    asked.push_back({next_id, is_write, line});
    open[next_id] = cycle;
    for (unsigned i = 0; i < latency + 100 && !open.empty(); ++i) step();
    EXPECT_TRUE(open.empty());
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
  unsigned received = 0;  // messages, by the device

 private:
  void access(std::uint32_t addr, std::uint32_t data, bool is_write) {
    rtl->reg_valid_i = 1;
    rtl->reg_write_i = is_write;
    rtl->reg_addr_i = static_cast<std::uint16_t>(addr);
    rtl->reg_wdata_i = data;
  }
};

}  // namespace cxlgpu::port_link
