// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
// CXL.mem traffic that makes sense, under the eyes of the protocol checker.
//
// Purpose: the end-to-end test: a host that reads, writes and speculates with tags and lines of its
//          own, a device that answers, seeded bit errors, and flits::LinkChecker on both wires.
// Units:   cycles; time for the checker is cycles * 1000 ps.
// Errors:  GoogleTest failures: findings of the checker, wrong order or content (scoreboard).
#pragma once

#include <unordered_map>

#include "flits/link_checker.hpp"
#include "tests/controller/link_scenarios.hpp"

namespace cxlgpu::test {

class MemTraffic {
 public:
  MemTraffic(LinkHarness& h, unsigned percent, const flits::LinkCheckerOptions& options = {})
      : h_(h), percent_(percent), checker_(options) {
    h.on_nd = [this](unsigned end, MsgHeader header) {
      end == 0 ? completion(header) : read(header);
    };
    h.on_wd = [this](unsigned end, const WdMessage& wd) { end == 0 ? data(wd) : write(wd); };
    h.on_launch = [this](unsigned wire, const CrcFlit& flit) {
      checker_.on_sent(h_.cycle() * 1000, direction(wire), whole(flit));
    };
    h.on_arrival = [this](unsigned wire, const CrcFlit& flit) {
      checker_.on_flit(h_.cycle() * 1000, direction(wire), whole(flit));
    };
    for (std::uint16_t tag = 0; tag < 64; ++tag) free_.push_back(tag);
  }

  void step() {
    Random& random = h_.random();
    if (random.percent(percent_)) request(random);
    h_.step();
  }
  [[nodiscard]] bool idle() const { return free_.size() == 64 && h_.all_delivered(); }
  [[nodiscard]] std::uint64_t answered() const { return answered_; }
  flits::LinkChecker& checker() { return checker_; }

 private:
  void request(Random& random) {
    if (free_.empty()) return;
    const std::uint16_t tag = free_.front();
    // No two outstanding requests share a line: its low bits are the tag.
    const std::uint64_t address = (random.bits(30) << 6 | tag) << 6;
    if (random.percent(10)) {
      return h_.send_nd(0, flits::pack(flits::M2sReq{.opcode = flits::M2sReqOpcode::MemSpecRd,
                                                     .address = address}));
    }
    free_.pop_front();
    if (random.bits(1) != 0) {
      return h_.send_nd(0, flits::pack(flits::M2sReq{.tag = tag, .address = address}));
    }
    WdMessage wd = random_wd(random, 87, 40);
    const bool partial = wd.enables != kAllEnables;
    const auto opcode = partial ? flits::M2sRwdOpcode::MemWrPtl : flits::M2sRwdOpcode::MemWr;
    wd.header = flits::pack(flits::M2sRwd{.opcode = opcode, .tag = tag, .address = address});
    h_.send_wd(0, wd);
  }

  // Device.
  void read(MsgHeader header) {
    const auto req = flits::unpack<flits::M2sReq>(header);
    if (req.opcode == flits::M2sReqOpcode::MemSpecRd) return;
    WdMessage wd{.header = flits::pack(flits::S2mDrs{.tag = req.tag})};
    wd.data = random_payload(h_.random());
    h_.send_wd(1, wd);
  }
  void write(const WdMessage& wd) {
    const auto rwd = flits::unpack<flits::M2sRwd>(wd.header);
    h_.send_nd(1, flits::pack(flits::S2mNdr{.tag = rwd.tag}));
  }

  // Host.
  void completion(MsgHeader header) { done(flits::unpack<flits::S2mNdr>(header).tag); }
  void data(const WdMessage& wd) { done(flits::unpack<flits::S2mDrs>(wd.header).tag); }
  void done(std::uint16_t tag) {
    free_.push_back(tag);
    ++answered_;
  }

  static flits::Direction direction(unsigned wire) {
    return wire == 0 ? flits::Direction::M2S : flits::Direction::S2M;
  }
  static flits::Flit whole(const CrcFlit& flit) {
    flits::Flit whole = as_flit(flit.payload);
    whole.bytes[66] = static_cast<std::uint8_t>(flit.crc);
    whole.bytes[67] = static_cast<std::uint8_t>(flit.crc >> 8);
    return whole;
  }

  LinkHarness& h_;
  unsigned percent_;
  std::deque<std::uint16_t> free_;
  std::uint64_t answered_ = 0;
  flits::LinkChecker checker_;
};

namespace scenario {

inline void expect_no_findings(flits::LinkChecker& checker) {
  checker.finish();
  EXPECT_EQ(checker.finding_count(), 0u);
  for (const flits::Finding& f : checker.findings()) {
    ADD_FAILURE() << f.time_ps / 1000 << " " << name(f.direction) << " " << name(f.rule) << ": "
                  << f.text;
    if (&f - checker.findings().data() == 4) break;
  }
}

// Every message arrives once, in order and unchanged; the wire breaks no rule; all comes to rest.
inline void end_to_end(Ends& ends, Lockstep& run, unsigned flit_error_ppm, unsigned percent,
                       std::uint64_t cycles, unsigned control_ppm = 0,
                       std::array<unsigned, 2> latency = {25, 31}) {
  LinkHarness h(ends, run);
  h.latency = latency;
  MemTraffic traffic(h, percent);
  bring_up(h);
  h.load.link_stall = {20, 20};
  h.load.rx_stall = {10, 10};
  h.load.flit_error_ppm = flit_error_ppm;
  h.load.control_ppm = control_ppm;
  for (std::uint64_t i = 0; i < cycles && h.ok(); ++i) traffic.step();
  h.load = {};
  h.control = {};
  EXPECT_TRUE(h.until([&] { return traffic.idle(); }, 50000));
  h.steps(2 * (latency[0] + latency[1]));  // the last acknowledgements
  expect_at_rest(h, ends);
  expect_no_findings(traffic.checker());
  EXPECT_EQ(h.injected_errors() > 0, flit_error_ppm > 0);
  EXPECT_EQ(traffic.checker().stats(flits::Direction::M2S).crc_errors +
                traffic.checker().stats(flits::Direction::S2M).crc_errors,
            h.injected_errors());
  const bool slow = flit_error_ppm > 10000 || latency[0] > 100;
  EXPECT_GT(traffic.answered(), cycles / (slow ? 500 : 50));
}

}  // namespace scenario
}  // namespace cxlgpu::test
