// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
// The physical layer between two link ends: trained, in recovery or down, as slow and as bad as
// told.
//
// Purpose: carries flits of both ends, and takes the link through Recovery or down when an end asks
// or the test says.
//          Each end enters and leaves a state at its own time. What was sent before Recovery or
//          before the link fell and has not arrived by then is lost.
// Shapes:  end 0 is the downstream port (host), end 1 the upstream port (device).
// Units:   cycles.
// Source:  CXL 2.0, 5.1 and 6.x, as far as the ARB/MUX sees the physical layer.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <deque>
#include <optional>

#include "tests/controller/quick_random.hpp"
#include "tests/peer/link_end.hpp"

namespace cxlgpu::test {

struct PhyOptions {
  std::uint64_t seed = 1;
  unsigned width = 16;  // lanes: a flit takes 17 / width cycles, and never less than one
  std::array<unsigned, 2> flight = {2, 2};  // from end 0, from end 1; at least 1
  unsigned skew = 6;                        // between the ends in all that both do, at most
  unsigned recovery = 40;  // from both ends in Recovery to the first back in L0, at most
  unsigned detect = 60;    // down, at most
  std::array<unsigned, 2> damaged = {0, 0};  // of 10 000 CXL.cachemem flits from end 0, from end 1
  std::array<unsigned, 2> io_damaged = {0, 0};  // the same, CXL.io
  unsigned recovery_every =
      0;  // cycles between two Recoveries that nobody has requested, about; 0: none
  unsigned down_every = 0;  // the same for link downs
};

class PhysicalLayer {
 public:
  explicit PhysicalLayer(const PhyOptions& options) : options(options), random_(options.seed) {
    take_down();
  }

  // What the phy shows an end in this cycle.
  struct Show {
    bool up = false;  // L0
    bool recovery = false;
    bool may_send = false;  // a flit handed over in this cycle is taken
    std::optional<peer::TaggedFlit> rx;
  };
  Show show(unsigned e) {
    Show s;
    s.up = end_[e].state == State::kL0;
    s.recovery = end_[e].state == State::kRecovery;
    s.may_send = s.up && end_[1 - e].state == State::kL0 && end_[1 - e].epoch == end_[e].epoch &&
                 room_[e] >= 17;
    std::deque<Flying>& way = way_[1 - e];
    while (!way.empty() && way.front().at <= cycle_) {
      const bool arrives = s.up && way.front().epoch == end_[e].epoch;
      if (arrives) s.rx = std::move(way.front().flit);
      way.pop_front();
      if (arrives) break;
    }
    return s;
  }
  void send(unsigned e, const peer::TaggedFlit& flit) {
    room_[e] -= 17;
    way_[e].push_back({flit, cycle_ + options.flight[e], end_[e].epoch});
    damage(e, way_[e].back().flit);
    ++flits[e];
  }

  // An end of a cycle. `retrain`: an end requests Recovery; `disable`: the host holds the link
  // down.
  void step(std::array<bool, 2> retrain, bool disable) {
    ++cycle_;
    for (int& room : room_)
      room = std::min<int>(room + static_cast<int>(options.width),
                           17 + static_cast<int>(options.width) - 1);
    if (strikes(options.down_every)) take_down();
    if (disable && mode_ != Mode::kDown && mode_ != Mode::kFalling) take_down();
    if (retrain[0] || retrain[1] || strikes(options.recovery_every)) start_recovery();
    switch (mode_) {
      case Mode::kUp:
        break;
      case Mode::kRecovering:
        move(State::kRecovery, State::kL0);
        if (!all(State::kL0)) break;
        mode_ = Mode::kUp;
        if (again_) start_recovery();
        break;
      case Mode::kFalling:
        move(State::kDown, State::kDown);
        if (!all(State::kDown)) break;
        mode_ = Mode::kDown;
        wake_at_ = cycle_ + 1 + random_.below(options.detect);
        break;
      case Mode::kDown:
        if (disable || held || cycle_ < wake_at_) break;
        mode_ = Mode::kComing;
        for (End& end : end_) end.leave = cycle_ + 1 + random_.below(options.skew + 1);
        break;
      case Mode::kComing:
        move(State::kDown, State::kL0);
        if (all(State::kL0)) mode_ = Mode::kUp;
        break;
    }
  }

  // By the test. Recovery of a link that is not up does nothing; one during Recovery follows it.
  void start_recovery() {
    if (mode_ == Mode::kRecovering) again_ = true;
    if (mode_ != Mode::kUp) return;
    mode_ = Mode::kRecovering;
    again_ = false;
    ++recoveries;
    const std::uint64_t entered = schedule();
    const std::uint64_t both = entered + 2 + random_.below(options.recovery);
    for (End& end : end_) end.leave = both + random_.below(options.skew + 1);
  }
  void take_down() {
    if (mode_ == Mode::kFalling || (mode_ == Mode::kDown && cycle_ != 0)) return;
    mode_ = Mode::kFalling;
    again_ = false;
    ++downs;
    schedule();
  }
  // The end is reset: it is down from now on, and the other sees it within the skew.
  void reset_end(unsigned e) {
    take_down();
    end_[e].epoch = epoch_;
    end_[e].state = State::kDown;
    end_[e].leave = ~std::uint64_t{0};
  }
  [[nodiscard]] bool up() const { return mode_ == Mode::kUp; }
  [[nodiscard]] bool down() const { return mode_ == Mode::kDown; }

  PhyOptions options;
  bool held = false;  // down, by the test
  std::array<std::uint64_t, 2> flits{}, bad{};
  std::uint64_t recoveries = 0, downs = 0;

 private:
  enum class State : std::uint8_t { kDown, kL0, kRecovery };
  enum class Mode : std::uint8_t { kUp, kRecovering, kFalling, kDown, kComing };
  struct Flying {
    peer::TaggedFlit flit;
    std::uint64_t at;
    unsigned epoch;
  };
  struct End {
    State state = State::kDown;
    unsigned epoch = 0;
    std::uint64_t enter = 0, leave = 0;
  };

  bool strikes(unsigned every) {
    return every != 0 && mode_ == Mode::kUp && random_.below(every) == 0;
  }
  void damage(unsigned e, peer::TaggedFlit& flit) {
    const unsigned odds = flit.first == peer::FlitKind::CacheMem ? options.damaged[e]
                          : flit.first == peer::FlitKind::Io     ? options.io_damaged[e]
                                                                 : 0;
    if (odds == 0 || random_.below(10000) >= odds) return;
    const unsigned bits = 1 + random_.below(3);
    for (unsigned i = 0; i < bits; ++i) {
      const auto bit = random_.below(528);
      flit.second[bit / 8] ^= static_cast<std::uint8_t>(1u << (bit % 8));
    }
    ++bad[e];
  }
  // When each end enters the new epoch; the later of the two.
  std::uint64_t schedule() {
    ++epoch_;
    std::uint64_t last = 0;
    for (End& end : end_) {
      end.enter = cycle_ + 1 + random_.below(options.skew + 1);
      end.leave = ~std::uint64_t{0};
      last = std::max(last, end.enter);
    }
    return last;
  }
  [[nodiscard]] bool all(State state) const {
    return std::ranges::all_of(end_,
                               [&](const End& e) { return e.epoch == epoch_ && e.state == state; });
  }
  void move(State first, State second) {
    for (End& end : end_) {
      if (end.epoch != epoch_) {
        if (cycle_ < end.enter) continue;
        end.epoch = epoch_;
        end.state = first;
      } else if (end.state == first && cycle_ >= end.leave) {
        end.state = second;
      }
    }
  }

  QuickRandom random_;
  std::uint64_t cycle_ = 0, wake_at_ = 0;
  std::array<End, 2> end_{};
  std::array<std::deque<Flying>, 2> way_{};  // by sender
  std::array<int, 2> room_ = {17, 17};
  Mode mode_ = Mode::kUp;
  unsigned epoch_ = 0;
  bool again_ = false;  // another Recovery was requested while one lasts
};

// A peer at its end of the phy.
inline void drive_peer(peer::LinkEnd& peer, PhysicalLayer& phy, unsigned e, bool& retrain) {
  const PhysicalLayer::Show s = phy.show(e);
  peer::LinkIn in;
  in.phy_up = s.up || s.recovery;
  in.phy_recovery = s.recovery;
  in.tx_ready = s.may_send;
  in.rx = s.rx;
  const peer::LinkOut out = peer.cycle(in);
  if (out.tx && s.may_send) phy.send(e, *out.tx);
  retrain = out.retrain;
}

}  // namespace cxlgpu::test
