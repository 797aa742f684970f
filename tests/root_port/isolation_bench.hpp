// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
// The bench of isolation_test: the twin beside the RTL, which events meet, and what happens around
// the block.
#pragma once

#include <array>

#include "Visolation.h"
#include "common/registers.hpp"
#include "refmodel/root_port/isolation.hpp"
#include "tests/common/bits.hpp"
#include "tests/common/lockstep.hpp"
#include "tests/coverage/functional_gtest.hpp"
#include "tests/coverage/pairs_root_port.hpp"

namespace cxlgpu::isolation_bench {

namespace tmo = regs::timeout;
using test::Clocked;
using test::Lockstep;
using test::Random;

inline constexpr std::uint64_t kShort = 50'000;  // period of mem_value 1
inline constexpr std::uint64_t kDefault = 5'000'000;

inline constexpr std::uint32_t kEnable = tmo::kControlMemEnable.put(1);
inline constexpr std::uint32_t kIsolate = tmo::kControlMemIsolation.put(1);
inline constexpr std::uint32_t kHoldDown = tmo::kControlMemLinkDown.put(1);
inline constexpr std::uint32_t kTimedOut = tmo::kStatusMemTimeout.put(1);
inline constexpr std::uint32_t kIsolated = tmo::kStatusMemIsolation.put(1);
inline constexpr std::uint32_t kLinkDown = tmo::kStatusMemLinkDown.put(1);
inline constexpr std::uint32_t kBusy = tmo::kStatusBusy.put(1);

inline void write(Isolation::In& in, std::uint32_t addr, std::uint32_t wdata) {
  in.valid = in.write = true;
  in.addr = addr;
  in.wdata = wdata;
}

// Which events meet in a cycle; enables and period as the writes left them.
class Meetings {
 public:
  void look(const Isolation::In& in, const Isolation::Out& out) {
    const bool write = in.valid && in.write;
    const std::uint32_t addr = in.addr & 0xffc;
    const bool control = write && addr == tmo::kControl, status = write && addr == tmo::kStatus;
    const bool usable = in.link_up && !in.abort;
    const bool isolates = (control_ & kIsolate) != 0, enabled = (control_ & kEnable) != 0;
    const bool late = in.timed_out && enabled && isolates;
    const bool down = was_usable_ && !usable && isolates;
    const unsigned access = in.valid && !in.write                   ? 1
                            : control                               ? 2
                            : status && (in.wdata & kIsolated) == 0 ? 3
                            : status                                ? 4
                                                                    : 0;
    pairs_.hit({access, (late ? 1u : 0u) | (down ? 2u : 0u), in.busy, out.isolated});
    const std::uint64_t period = Isolation::period(tmo::kControlMemValue.get(control_));
    const bool last = enabled && since_ % period == period - 1;
    const unsigned disables = control && (in.wdata & kEnable) == 0 ? 1 : 0;
    const unsigned about = access == 4 ? 4 : access == 3 ? 4 : access + disables;
    const auto phase = out.tick ? coverage::TickPhase::Tick
                       : last   ? coverage::TickPhase::Last
                                : coverage::TickPhase::Within;
    ticks_.hit({about, static_cast<unsigned>(phase)});
    was_usable_ = usable;
    ++since_;
    if (control) {
      control_ = in.wdata;
      since_ = 0;
    }
  }
  void reset() {
    control_ = 0;
    since_ = 0;
    was_usable_ = false;
  }

 private:
  test::TestCoverage pairs_{coverage::isolation_pairs()};
  test::TestCoverage ticks_{coverage::isolation_ticks()};
  std::uint32_t control_ = 0;
  std::uint64_t since_ = 0;  // cycles since control was written
  bool was_usable_ = false;
};

// Twin and RTL, one cycle a step.
class Pair {
 public:
  explicit Pair(std::uint64_t seed) : lockstep_("root_port/isolation", seed) { reset(); }

  Lockstep& lockstep() { return lockstep_; }
  bool force_down() {
    rtl_.settle();
    return rtl_->force_down_o != 0;
  }
  void reset() {
    rtl_.reset();
    twin_ = {};
    meetings_.reset();
  }
  Isolation::Out step(const Isolation::In& in) {
    test::set_bits(rtl_->reg_req_i, 49, 1, in.valid);
    test::set_bits(rtl_->reg_req_i, 48, 1, in.write);
    test::set_bits(rtl_->reg_req_i, 32, 16, in.addr);
    test::set_bits(rtl_->reg_req_i, 0, 32, in.wdata);
    rtl_->link_up_i = in.link_up;
    rtl_->abort_i = in.abort;
    rtl_->timed_out_i = in.timed_out;
    rtl_->busy_i = in.busy;
    rtl_.settle();
    const Isolation::Out twin = twin_.eval(in);
    Isolation::Out out = twin;  // what the RTL says: the rules by hand are its own
    out.rdata = rtl_->reg_rdata_o;
    out.tick = rtl_->tick_o != 0;
    out.isolated = rtl_->isolated_o != 0;
    lockstep_.check("reg_rdata_o", out.rdata, twin.rdata);
    lockstep_.check("tick_o", out.tick, twin.tick);
    lockstep_.check("isolated_o", out.isolated, twin.isolated);
    out.force_down = rtl_->force_down_o != 0;
    lockstep_.check("force_down_o", out.force_down, twin.force_down);
    meetings_.look(in, out);
    twin_.clock(in);
    rtl_.edge();
    return out;
  }

 private:
  Lockstep lockstep_;
  Clocked<Visolation> rtl_;
  Isolation twin_;
  Meetings meetings_;
};

// What happens around the block, random; rates change every few hundred cycles.
class World {
 public:
  Isolation::In step(Random& random, bool isolated) {
    if (random.below(200) == 0) change(random);
    Isolation::In in;
    if (random.percent(link_changes_)) up_ = !up_;
    in.link_up = up_;
    in.abort = random.percent(aborts_);
    in.timed_out = random.percent(time_outs_);
    if (!isolated) busy_ = random.percent(80);  // in isolation it drains, mostly
    if (isolated && busy_ && random.percent(drains_)) busy_ = false;
    in.busy = busy_ || random.percent(5);

    in.valid = random.percent(accesses_);
    in.write = random.percent(60);
    const std::array<std::uint32_t, 6> known{tmo::kCapability, 0x4,          tmo::kControl,
                                             tmo::kStatus,     tmo::kStatus, tmo::kStatus};
    const bool elsewhere = random.percent(15);
    // addr[11] is 0, the page and the byte in the register do not count.
    in.addr = static_cast<std::uint32_t>(elsewhere ? random.bits(11) & ~3u : random.pick(known));
    if (elsewhere && random.percent(50)) {  // one address bit off
      in.addr = random.pick(known) | 1u << (4 + random.below(7));
    }
    in.addr |= static_cast<std::uint32_t>(random.bits(4) << 12 | random.bits(2));
    in.wdata = static_cast<std::uint32_t>(random.bits(32));
    // Enables that stay for a while, or nothing but their changes would be seen.
    if (in.write && (in.addr & 0xffc) == tmo::kControl && random.percent(80)) in.valid = false;
    return in;
  }

 private:
  void change(Random& random) {
    const std::array<unsigned, 6> rates{0, 0, 1, 5, 30, 60};
    link_changes_ = random.pick(rates);
    aborts_ = random.pick(rates);
    time_outs_ = random.pick(rates);
    drains_ = 1 + static_cast<unsigned>(random.below(50));
    accesses_ = 5 + static_cast<unsigned>(random.below(96));
  }
  bool up_ = false, busy_ = false;
  unsigned link_changes_ = 0, aborts_ = 0, time_outs_ = 0, drains_ = 20, accesses_ = 50;
};

}  // namespace cxlgpu::isolation_bench
