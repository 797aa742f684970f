// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
// What lies below two ARB/MUXes and above them: Flex Bus, the wire, the protocol layers.
//
// Purpose: FlexLink keeps what docs/blocks/controller/arb_mux.md says Flex Bus owes the ARB/MUX
//          ("What Flex Bus owes") and is free in all else: flight times, the skew between the ends,
//          the length of Recovery. Layers offers numbered flits and checks what arrives. ArbPins
//          names one arb_mux's ports.
// Units:   cycles. End 0 is the host, end 1 the device. An epoch is the time between two losses of
//          L0; each end enters an epoch at its own time.
// Errors:  Layers::problem() is the first one found, empty if there is none.
// Source:  CXL 2.0 5.1, 6.4; PCIe LTSSM as far as the ARB/MUX sees it.
#pragma once

#include <algorithm>
#include <deque>
#include <string>

#include "refmodel/controller/arb_mux.hpp"
#include "tests/controller/almp_damage.hpp"
#include "tests/controller/ports.hpp"

namespace cxlgpu::test {

// ------------------------------------------------------------------------------------------ ports

// References to the ports of one arb_mux in a verilated top; wide ports are their words.
struct ArbPins {
  std::uint8_t &is_up, &in_recovery;
  std::uint8_t &tx_valid, &tx_ready, &tx_kind;
  std::uint32_t* tx_flit;
  std::uint8_t &rx_valid, &rx_kind;
  std::uint32_t* rx_flit;
  std::uint8_t &retrain_req, &phy_state;
  std::uint8_t &cm_tx_valid, &cm_tx_ready;
  std::uint32_t* cm_tx_flit;
  std::uint8_t& cm_rx_valid;
  std::uint32_t* cm_rx_flit;
  std::uint8_t &cm_link_up, &cm_phy_reinit_req, &cm_phy_reinit_done;
  std::uint8_t &io_tx_valid, &io_tx_ready;
  std::uint32_t* io_tx_data;
  std::uint8_t& io_rx_valid;
  std::uint32_t* io_rx_data;
  std::uint8_t &io_link_up, &io_req, &cm_req, &io_state, &cm_state;
  std::uint8_t &weight_io_we, &weight_io_i, &weight_cm_we, &weight_cm_i, &weight_io, &weight_cm;
  std::uint8_t& err;
};

#define CXLGPU_ARB_PINS(v, e)                                                                 \
  ::cxlgpu::test::ArbPins {                                                                   \
    v.e##phy_up_i, v.e##phy_recovery_i, v.e##tx_valid_o, v.e##tx_ready_i, v.e##tx_kind_o,     \
        &v.e##tx_flit_o[0], v.e##rx_valid_i, v.e##rx_kind_i, &v.e##rx_flit_i[0],              \
        v.e##retrain_req_o, v.e##phy_state_o, v.e##cm_tx_valid_i, v.e##cm_tx_ready_o,         \
        &v.e##cm_tx_flit_i[0], v.e##cm_rx_valid_o, &v.e##cm_rx_flit_o[0], v.e##cm_link_up_o,  \
        v.e##cm_phy_reinit_req_i, v.e##cm_phy_reinit_done_o, v.e##io_tx_valid_i,              \
        v.e##io_tx_ready_o, &v.e##io_tx_data_i[0], v.e##io_rx_valid_o, &v.e##io_rx_data_o[0], \
        v.e##io_link_up_o, v.e##io_req_i, v.e##cm_req_i, v.e##io_state_o, v.e##cm_state_o,    \
        v.e##weight_io_we_i, v.e##weight_io_i, v.e##weight_cm_we_i, v.e##weight_cm_i,         \
        v.e##weight_io_o, v.e##weight_cm_o, v.e##err_o                                        \
  }

inline void put_payload(std::uint32_t* words, const Payload& payload) {
  std::memcpy(words, payload.data(), payload.size());  // little endian, as Verilator's own layout
}
inline void put_flit(std::uint32_t* words, const CrcFlit& flit) {
  put_payload(words, flit.payload);
  words[16] = flit.crc;
}
inline CrcFlit take_flit(const std::uint32_t* words) {
  CrcFlit flit;
  std::memcpy(flit.payload.data(), words, flit.payload.size());
  flit.crc = static_cast<std::uint16_t>(words[16]);
  return flit;
}
inline Payload take_payload(const std::uint32_t* words) {
  Payload payload;
  std::memcpy(payload.data(), words, payload.size());
  return payload;
}

inline void drive(ArbPins& pins, const ArbMux::In& in) {
  pins.is_up = in.phy_up;
  pins.in_recovery = in.phy_recovery;
  pins.tx_ready = in.tx_ready;
  pins.rx_valid = in.rx_valid;
  pins.rx_kind = static_cast<std::uint8_t>(in.rx_kind);
  put_flit(pins.rx_flit, in.rx_flit);
  pins.cm_tx_valid = in.cm_tx_valid;
  put_flit(pins.cm_tx_flit, in.cm_tx_flit);
  pins.cm_phy_reinit_req = in.cm_phy_reinit_req;
  pins.io_tx_valid = in.io_tx_valid;
  put_payload(pins.io_tx_data, in.io_tx_data);
  pins.io_req = static_cast<std::uint8_t>(in.io_req);
  pins.cm_req = static_cast<std::uint8_t>(in.cm_req);
  pins.weight_io_we = in.weight_io.has_value();
  pins.weight_io_i = static_cast<std::uint8_t>(in.weight_io.value_or(5));
  pins.weight_cm_we = in.weight_cm.has_value();
  pins.weight_cm_i = static_cast<std::uint8_t>(in.weight_cm.value_or(10));
}

// The narrow outputs, the flit sent, and in rx_flit what the cachemem port shows.
inline ArbMux::Out outputs(const ArbPins& pins) {
  ArbMux::Out out{.tx_valid = pins.tx_valid != 0,
                  .tx_kind = static_cast<FlitKind>(pins.tx_kind),
                  .retrain_req = pins.retrain_req != 0,
                  .phy_state = static_cast<VlsmCode>(pins.phy_state),
                  .cm_tx_ready = pins.cm_tx_ready != 0,
                  .cm_rx_valid = pins.cm_rx_valid != 0,
                  .cm_link_up = pins.cm_link_up != 0,
                  .cm_phy_reinit_done = pins.cm_phy_reinit_done != 0,
                  .io_tx_ready = pins.io_tx_ready != 0,
                  .io_rx_valid = pins.io_rx_valid != 0,
                  .io_link_up = pins.io_link_up != 0,
                  .io_state = static_cast<VlsmCode>(pins.io_state),
                  .cm_state = static_cast<VlsmCode>(pins.cm_state),
                  .weight_io = pins.weight_io,
                  .weight_cm = pins.weight_cm,
                  .damaged = (pins.err & 1) != 0,
                  .malformed = (pins.err & 2) != 0,
                  .stray = (pins.err & 4) != 0};
  if (out.tx_valid) out.tx_flit = take_flit(pins.tx_flit);
  if (out.cm_rx_valid) out.rx_flit = take_flit(pins.cm_rx_flit);
  if (out.io_rx_valid) out.rx_flit.payload = take_payload(pins.io_rx_data);
  return out;
}

// --------------------------------------------------------------------------------------- Flex Bus

class FlexLink {
 public:
  struct Options {
    std::uint64_t seed = 1;
    std::array<unsigned, 2> flight = {3, 3};  // from end 0, from end 1; at least 1
    unsigned skew = 8;                        // between the ends, at most
    unsigned recovery = 30;                   // both ends in it, at most
    unsigned detect = 40;                     // down, at most
  };
  struct Flying {
    FlitKind kind;
    CrcFlit flit;
    std::uint64_t at;
    unsigned epoch;
  };
  struct Ask {
    bool retrain = false;
    VlsmCode phy_state = VlsmCode::kActive;
  };

  explicit FlexLink(const Options& options) : options_(options), random_(options.seed) {
    take_down();
  }

  [[nodiscard]] bool up(unsigned e) const { return end_[e].state == State::kL0; }
  [[nodiscard]] bool recovery(unsigned e) const { return end_[e].state == State::kRecovery; }
  [[nodiscard]] bool down(unsigned e) const { return end_[e].state == State::kDown; }
  [[nodiscard]] unsigned epoch(unsigned e) const { return end_[e].epoch; }
  [[nodiscard]] bool settled() const { return mode_ == Mode::kUp; }
  // The last epoch in which an end asked for another Recovery before the first was over. That end
  // takes its request back while Recovery lasts, so it may pass flits on until the next begins.
  [[nodiscard]] unsigned spoilt() const { return spoilt_; }
  [[nodiscard]] std::uint64_t recoveries() const { return recoveries_; }
  [[nodiscard]] std::uint64_t downs() const { return downs_; }
  [[nodiscard]] std::uint64_t sleeps() const { return sleeps_; }

  // Whether what the wire brings is handed to this end at all.
  [[nodiscard]] bool listens(unsigned e) const {
    return up(e) || recovery(e) || end_[e].state == State::kDown;
  }
  // A peer still in Detect may see one flit before its own L0, not more.
  [[nodiscard]] bool may_send(unsigned e) const {
    return up(e) && (end_[1 - e].state != State::kDown || end_[e].first);
  }
  void send(unsigned e, FlitKind kind, const CrcFlit& flit) {
    end_[e].first = false;
    wire_[e].push_back({kind, flit, cycle_ + options_.flight[e], epoch(e)});
  }
  // The flit that arrives at this end in this cycle.
  std::optional<Flying> arrival(unsigned e) {
    std::deque<Flying>& wire = wire_[1 - e];
    while (!wire.empty() && wire.front().at <= cycle_) {
      Flying flying = wire.front();
      wire.pop_front();
      if (listens(e) && flying.epoch == epoch(e)) return flying;
    }
    return std::nullopt;
  }

  // What the wire gives an end in this cycle; whether it may send is the link's word alone.
  ArbMux::In wire(unsigned e) {
    ArbMux::In in;
    in.tx_ready = may_send(e);
    in.phy_up = up(e);
    in.phy_recovery = recovery(e);
    if (const auto flying = arrival(e)) {
      in.rx_valid = true;
      in.rx_kind = flying->kind;
      in.rx_flit = flying->flit;
    }
    return in;
  }

  void start_recovery() {
    if (mode_ != Mode::kUp && mode_ != Mode::kLow) {
      again_ = true;
      return;
    }
    mode_ = Mode::kRecovering;
    again_ = false;
    ++epoch_;
    ++recoveries_;
    const std::uint64_t entered = schedule();
    for (End& end : end_) {
      end.leave = entered + 2 + random_.below(options_.recovery) + random_.below(options_.skew + 1);
    }
  }
  void take_down() {
    mode_ = Mode::kFalling;
    again_ = false;
    ++epoch_;
    ++downs_;
    schedule();
  }

  // The end of a cycle: what the ends ask for decides the next.
  void step(const std::array<Ask, 2>& asks) {
    ++cycle_;
    const bool torn = is_tearing(asks[0].phy_state) || is_tearing(asks[1].phy_state);
    const bool active =
        asks[0].phy_state == VlsmCode::kActive || asks[1].phy_state == VlsmCode::kActive;
    if (torn && mode_ != Mode::kFalling && mode_ != Mode::kDown) take_down();
    for (unsigned e = 0; e < 2; ++e) {
      if (!asks[e].retrain || !fresh(end_[e])) continue;
      again_ = true;
      spoilt_ = epoch_;
    }
    switch (mode_) {
      case Mode::kUp:
        if (asks[0].retrain || asks[1].retrain) {
          start_recovery();
        } else if (sleepy(asks[0]) && sleepy(asks[1]) && random_.percent(20)) {
          fall_asleep(asks);
        }
        break;
      case Mode::kRecovering:
        move(State::kRecovery, State::kL0);
        if (all(State::kL0)) back_up();
        break;
      case Mode::kFallingAsleep:
        // No end goes to sleep while one of them wants Active again; the second follows the first.
        if (active && end_[0].state != State::kLow && end_[1].state != State::kLow) {
          --sleeps_;
          back_up();
          break;
        }
        move(State::kLow, State::kLow);
        if (all(State::kLow)) mode_ = Mode::kLow;
        break;
      case Mode::kLow:
        if (!active && !asks[0].retrain && !asks[1].retrain) break;
        if (deep_) {
          take_down();
        } else {
          start_recovery();
        }
        break;
      case Mode::kFalling:
        move(State::kDown, State::kDown);
        if (!all(State::kDown)) break;
        mode_ = Mode::kDown;
        wake_at_ = cycle_ + 1 + random_.below(options_.detect);
        break;
      case Mode::kDown:
        if (torn || !active || cycle_ < wake_at_) break;
        mode_ = Mode::kComing;
        for (End& end : end_) {
          end.first = true;
          end.leave = cycle_ + 1 + random_.below(options_.skew + 1);
        }
        break;
      case Mode::kComing:
        move(State::kDown, State::kL0);
        if (all(State::kL0)) back_up();
        break;
    }
  }

 private:
  enum class State : std::uint8_t { kDown, kL0, kRecovery, kLow };
  enum class Mode : std::uint8_t {
    kUp,
    kRecovering,
    kFallingAsleep,
    kLow,
    kFalling,
    kDown,
    kComing,
  };
  struct End {
    State state = State::kDown;
    unsigned epoch = 0;
    std::uint64_t enter = 0, leave = 0;
    bool first = false;  // nothing sent since Detect
    std::uint64_t since = 0;
  };

  static bool sleepy(const Ask& ask) {
    return is_l1(ask.phy_state) || ask.phy_state == VlsmCode::kL2;
  }
  // A request made in the epoch that is in progress, not the one that began it. The ARB/MUX takes
  // its request back in the first cycle of Recovery, so that shows a cycle more.
  [[nodiscard]] bool fresh(const End& end) const {
    const bool under_way = mode_ == Mode::kRecovering || mode_ == Mode::kComing;
    const bool entered = end.state == State::kRecovery && cycle_ > end.since + 1;
    const bool left = end.state == State::kL0 && end.epoch == epoch_;
    return under_way && (entered || left);
  }
  // When each end enters the new epoch; the later of the two.
  std::uint64_t schedule() {
    std::uint64_t last = 0;
    for (End& end : end_) {
      end.enter = cycle_ + 1 + random_.below(options_.skew + 1);
      end.leave = ~std::uint64_t{0};
      last = std::max(last, end.enter);
    }
    return last;
  }
  [[nodiscard]] bool all(State state) const {
    const auto there = [&](const End& end) { return end.epoch == epoch_ && end.state == state; };
    return there(end_[0]) && there(end_[1]);
  }
  // Ends whose time has come enter the first state, and later leave it for the second.
  void move(State first, State second) {
    for (End& end : end_) {
      if (end.epoch != epoch_) {
        if (cycle_ >= end.enter) set(end, first);
      } else if (end.state == first && cycle_ >= end.leave) {
        set(end, second);
      }
    }
  }
  void set(End& end, State state) {
    end.state = state;
    end.epoch = epoch_;
    end.since = cycle_;
  }
  void back_up() {
    mode_ = Mode::kUp;
    if (again_) start_recovery();
  }
  void fall_asleep(const std::array<Ask, 2>& asks) {
    mode_ = Mode::kFallingAsleep;
    ++epoch_;
    ++sleeps_;
    deep_ = asks[0].phy_state == VlsmCode::kL2 && asks[1].phy_state == VlsmCode::kL2;
    schedule();
  }

  Options options_;
  QuickRandom random_;
  std::uint64_t cycle_ = 0;
  std::array<End, 2> end_{};
  std::array<std::deque<Flying>, 2> wire_{};  // by sender
  Mode mode_ = Mode::kFalling;
  unsigned epoch_ = 0;
  unsigned spoilt_ = 0;
  bool again_ = false;  // a Recovery asked for while one lasts
  bool deep_ = false;   // L2
  std::uint64_t wake_at_ = 0;
  std::uint64_t recoveries_ = 0, downs_ = 0, sleeps_ = 0;
};

// ------------------------------------------------------------------------------------ the layers

// Numbered flits of one protocol from one end to the other.
class Stream {
 public:
  Stream(std::uint64_t seed, bool is_io) : random_(seed), is_io_(is_io) {}

  // The sender's side: an offer stands until it is taken.
  void offer(unsigned percent) {
    if (offered_ || !random_.percent(percent)) return;
    offered_ = true;
    for (unsigned i = 0; i < next_.payload.size(); i += 8) {
      const std::uint64_t word = i == 0 ? ++sent_ : random_.next();
      std::memcpy(next_.payload.data() + i, &word, 8);
    }
    next_.crc = static_cast<std::uint16_t>(is_io_ ? 0 : random_.bits(16));
  }
  [[nodiscard]] bool offered() const { return offered_; }
  [[nodiscard]] const CrcFlit& flit() const { return next_; }
  void taken(unsigned epoch) {
    offered_ = false;
    ++taken_;
    way_.push_back({next_, epoch});
  }
  // The receiver's side: the next flit in order; only an earlier epoch may have lost some (and a
  // spoilt one).
  void received(const CrcFlit& flit, unsigned spoilt) {
    ++received_;
    unsigned lost_in = 0;
    bool lost = false;
    while (!way_.empty() && way_.front().flit != flit) {
      lost = true;
      lost_in = way_.front().epoch;
      ++lost_count_;
      way_.pop_front();
    }
    if (way_.empty()) {
      fail("a flit that was not sent, or out of order, or twice");
      return;
    }
    if (lost && lost_in == way_.front().epoch) {
      if (lost_in != spoilt) fail("a flit lost without a Recovery");
      ++excused_;
    }
    way_.pop_front();
  }
  // After a quiet time: what is still on its way in this epoch is lost.
  void drained(unsigned epoch) {
    for (const Way& way : way_) {
      if (way.epoch == epoch) fail("a flit lost at the end");
    }
  }
  // For a bench that does not look at what arrives.
  void forget_way() { way_.clear(); }
  [[nodiscard]] bool is_io() const { return is_io_; }
  [[nodiscard]] const std::string& problem() const { return problem_; }
  [[nodiscard]] std::uint64_t taken_count() const { return taken_; }
  [[nodiscard]] std::uint64_t received_count() const { return received_; }
  [[nodiscard]] std::uint64_t lost_count() const { return lost_count_; }
  [[nodiscard]] std::uint64_t excused_count() const { return excused_; }

 private:
  struct Way {
    CrcFlit flit;
    unsigned epoch;
  };
  void fail(const char* what) {
    if (problem_.empty()) problem_ = what;
  }

  QuickRandom random_;
  bool is_io_;
  bool offered_ = false;
  CrcFlit next_;
  std::deque<Way> way_;
  std::uint64_t sent_ = 0, taken_ = 0, received_ = 0, lost_count_ = 0, excused_ = 0;
  std::string problem_;
};

}  // namespace cxlgpu::test
