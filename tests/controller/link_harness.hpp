// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
// Two controllers, the link between them, traffic and a scoreboard.
//
// Purpose: one bench for controller twins and RTL alike. `Ends` is what stands at the two ends;
//          the harness moves flits with a latency, lets a test damage, drop or insert them, offers
//          messages, stalls, and checks that every message arrives once, in order and unchanged.
// Units:   cycles. End 0 is the host, end 1 the device; wire 0 is host to device.
// Errors:  a scoreboard mismatch is a GoogleTest failure with seed and cycle; ok() turns false.
#pragma once

#include <functional>
#include <memory>
#include <optional>

#include "refmodel/controller/cxl_controller.hpp"
#include "tests/controller/cache_board.hpp"
#include "tests/controller/link_status.hpp"
#include "tests/controller/ports.hpp"
#include "tests/coverage/link_bins.hpp"

namespace cxlgpu::test {

using Inputs = std::array<CxlController::In, 2>;
using Outputs = std::array<CxlController::Out, 2>;

// cxl_controller_tb.sv and cache_controller_tb.sv have the same depths.
inline ControllerParams end_params(unsigned end, const RetryLocal::Limits& limits = {},
                                   bool has_cache = false) {
  if (end == 0) return {true, 32, 32, 128, limits, has_cache, {8, 12, 6}};
  return {false, 24, 12, 40, limits, has_cache, {4, 9, 16}};
}

class Ends {
 public:
  explicit Ends(const RetryLocal::Limits& limits = {}, bool has_cache = false)
      : has_cache_(has_cache),
        twins_{CxlController(end_params(0, limits, has_cache)),
               CxlController(end_params(1, limits, has_cache))} {}
  virtual ~Ends() = default;
  // All outputs are functions of state: the inputs do not matter within the cycle.
  virtual Outputs outputs() { return {twins_[0].eval({}), twins_[1].eval({})}; }
  virtual void clock(const Inputs& in) {
    for (unsigned end = 0; end < 2; ++end) twins_[end].clock(in[end]);
  }
  [[nodiscard]] virtual bool ok() const { return true; }
  // For who counts situations: how the flit was harmed that reaches `end` in the coming cycle, and
  // that flits of the test's own are on the wires.
  virtual void harmed(unsigned /*end*/, std::optional<coverage::ErrorKind> /*kind*/) {}
  virtual void tampered() {}
  [[nodiscard]] const CxlController& twin(unsigned end) const { return twins_[end]; }
  [[nodiscard]] bool has_cache() const { return has_cache_; }

 private:
  bool has_cache_;
  std::array<CxlController, 2> twins_;
};

// A port announces viral by inverting the CRC of a flit.
inline bool announces(const CrcFlit& flit) {
  return (crc_of(flit.payload) ^ flit.crc) == 0xFFFF;
}

// A flit on its way onto the wire, for the test to look at and to harm.
struct WireFlit {
  unsigned wire;
  CrcFlit& flit;
  std::optional<flits::Control> retry;  // strict RETRY flit
  unsigned owed_before = 0;             // R, as long as the wire carries each new flit once
  unsigned owed_after = 0;
  bool drop = false;
  [[nodiscard]] bool is_adf() const { return !retry && owed_before >= 4; }
  // Told from the payload alone but for all-data flits, whose first bit can be anything.
  enum class Kind : std::uint8_t { kProtocol, kAdf, kLlcrd, kOther };
  [[nodiscard]] Kind kind() const {
    if (retry) return Kind::kOther;
    if (owed_before >= 4) return Kind::kAdf;
    if ((flit.payload[0] & 1) == 0) return Kind::kProtocol;
    return std::holds_alternative<flits::Llcrd>(read_control(flit.payload)) ? Kind::kLlcrd
                                                                            : Kind::kOther;
  }
  void damage(Random& random) {
    const auto bit = random.below(528);
    if (bit < 512) {
      flit.payload[bit / 8] ^= static_cast<std::uint8_t>(1u << (bit % 8));
    } else {
      flit.crc ^= static_cast<std::uint16_t>(1u << (bit - 512));
    }
  }
  // Likewise, in one of four ways: one bit, two, a burst of at most 16, or anything at all. The CRC
  // shows it.
  void harm(Random& random) {
    const CrcFlit before = flit;
    const auto flip = [this](std::uint64_t bit) {
      if (bit < 512) {
        flit.payload[bit / 8] ^= static_cast<std::uint8_t>(1u << (bit % 8));
      } else {
        flit.crc ^= static_cast<std::uint16_t>(1u << (bit - 512));
      }
    };
    const auto way = random.below(4);
    do {
      flit = before;
      if (way == 0) return damage(random);
      if (way == 1) {
        flip(random.below(528));
        flip(random.below(528));
      } else if (way == 2) {
        const std::uint64_t at = random.below(528 - 15), bits = random.bits(16) | 0x8001;
        for (unsigned i = 0; i < 16; ++i) {
          if ((bits >> i) & 1) flip(at + i);
        }
      } else {
        flit.payload = random_payload(random);
      }
    } while (crc_of(flit.payload) == flit.crc);
  }
};

struct Load {  // percent a cycle
  std::array<unsigned, 2> nd{}, wd{};
  unsigned partial = 30;
  std::array<unsigned, 2> link_stall{}, rx_stall{};
  unsigned flit_error_ppm = 0;
  bool any_harm = false;     // such an error is anything, not one bit
  unsigned viral_ppm = 0;    // of cycles, in which an end's viral changes
  unsigned control_ppm = 0;  // the same for one of an end's link settings
};

class LinkHarness {
  Ends& ends_;
  Lockstep& run_;
  Random random_;

 public:
  LinkHarness(Ends& ends, Lockstep& run)
      : ends_(ends),
        run_(run),
        random_(run.seed()),
        cache(random_, [this](const char* what, unsigned end) {
          if (scoreboard) mismatch(what, end);
        }) {
    for (unsigned wire = 0; wire < 2; ++wire) restart_monitor(wire);
  }

  Load load;
  CacheBoard cache;  // idle unless loaded
  std::array<unsigned, 2> latency{3, 3};
  std::array<bool, 2> link_up{true, true};
  std::array<LinkControl, 2> control{};
  std::array<bool, 2> tx_flush{};  // without scoreboard: messages are lost
  std::array<bool, 2> phy_done{};
  std::array<bool, 2> viral{};
  bool scoreboard = true;
  std::function<void(unsigned wire, const CrcFlit&)> on_launch;  // as sent, before any damage
  std::function<void(WireFlit&)> on_flit;
  std::function<void(unsigned wire, const CrcFlit&)> on_arrival;  // as received, damage included
  std::function<void(unsigned end, MsgHeader)> on_nd;             // taken by the receiver
  std::function<void(unsigned end, const WdMessage&)> on_wd;

  [[nodiscard]] Random& random() { return random_; }
  [[nodiscard]] const Outputs& out() const { return out_; }
  [[nodiscard]] unsigned errors(unsigned end) const { return errors_[end]; }
  void clear_errors() { errors_ = {}; }
  [[nodiscard]] std::uint64_t delivered() const { return delivered_; }
  [[nodiscard]] std::uint64_t cycle() const { return cycle_; }
  [[nodiscard]] std::uint64_t injected_errors() const { return injected_errors_; }
  // Flits with inverted CRC that an end sent, and times it was told of the peer's viral.
  [[nodiscard]] std::uint64_t announced(unsigned end) const { return announced_[end]; }
  [[nodiscard]] std::uint64_t heard(unsigned end) const { return heard_[end]; }
  [[nodiscard]] bool ok() const { return ok_ && ends_.ok(); }

  void send_nd(unsigned end) { nd_queue_[end].push_back(nd_message(end)); }
  void send_wd(unsigned end) { wd_queue_[end].push_back(wd_message(end)); }
  void send_nd(unsigned end, MsgHeader header) { nd_queue_[end].push_back(header); }
  void send_wd(unsigned end, const WdMessage& wd) { wd_queue_[end].push_back(wd); }
  // A good flit of ours on a wire, after what is in flight.
  void inject(unsigned wire, const Payload& payload) {
    ends_.tampered();
    injected_[wire].push_back({payload, Spoil::kNot});
  }
  // Likewise, but all that its receiver sees is a bad flit: harmed on the way, or sent with its CRC
  // inverted.
  void inject_bad(unsigned wire, const Payload& payload) {
    injected_[wire].push_back({payload, Spoil::kHarmed});
  }
  void inject_inverted(unsigned wire, const Payload& payload) {
    injected_[wire].push_back({payload, Spoil::kInverted});
  }
  // Everything launched on the wire has been received and acted on (stages R1 and R2).
  [[nodiscard]] bool wire_quiet(unsigned wire) const {
    return wires_[wire].empty() && injected_[wire].empty() && cycle_ > last_arrival_[wire] + 4;
  }
  // R of the monitor from here on: call when nothing is owed and nothing in flight.
  void restart_monitor(unsigned wire) { monitor_[wire].emplace(wire == 1, ends_.has_cache()); }

  // What is in flight does not arrive.
  void lose_wires() { wires_ = {}; }

  [[nodiscard]] bool all_delivered() const {
    for (unsigned end = 0; end < 2; ++end) {
      if (!nd_queue_[end].empty() || !wd_queue_[end].empty()) return false;
      if (!nd_expected_[end].empty() || !wd_expected_[end].empty()) return false;
    }
    return cache.all_delivered();
  }
  [[nodiscard]] bool initialised() const { return out_[0].init_done && out_[1].init_done; }

  void step();
  // Steps until done() or the limit; true if done.
  bool until(const std::function<bool()>& done, std::uint64_t limit) {
    for (std::uint64_t i = 0; i < limit && ok(); ++i) {
      if (done()) return true;
      step();
    }
    return done();
  }
  void steps(std::uint64_t n) {
    for (std::uint64_t i = 0; i < n && ok(); ++i) step();
  }

 private:
  struct Flying {
    std::uint64_t arrives;
    CrcFlit flit;
    std::optional<coverage::ErrorKind> harm;
  };
  enum class Spoil : std::uint8_t { kNot, kHarmed, kInverted };
  struct Injected {
    Payload payload;
    Spoil spoil;
  };
  [[nodiscard]] static unsigned nd_width(unsigned end) { return end == 0 ? 87 : 30; }
  [[nodiscard]] static unsigned wd_width(unsigned end) { return end == 0 ? 87 : 40; }
  MsgHeader nd_message(unsigned end) {
    return known_header(random_, end != 0, false, nd_width(end));
  }
  WdMessage wd_message(unsigned end) {
    WdMessage wd = random_wd(random_, wd_width(end), end == 0 ? load.partial : 0);
    wd.header = known_header(random_, end != 0, true, wd_width(end));
    return wd;
  }
  void offer(Inputs& in);
  void send(const Inputs& in);
  void arrive(Inputs& in);
  void receive(const Inputs& in);
  void launch(unsigned wire, CrcFlit flit, Spoil spoil = Spoil::kNot);
  void mismatch(const char* what, unsigned end) {
    ok_ = false;
    ADD_FAILURE() << what << " at the " << (end == 0 ? "host" : "device") << " in cycle " << cycle_
                  << ", seed " << run_.seed();
  }

  Outputs out_{};
  std::array<std::deque<MsgHeader>, 2> nd_queue_, nd_expected_;  // expected: index of the sender
  std::array<std::deque<WdMessage>, 2> wd_queue_, wd_expected_;
  std::array<std::deque<Flying>, 2> wires_;
  std::array<std::deque<Injected>, 2> injected_;
  std::array<std::optional<LinkUnpacker>, 2> monitor_;
  std::array<unsigned, 2> errors_{};
  std::array<std::uint64_t, 2> last_arrival_{}, announced_{}, heard_{};
  std::uint64_t cycle_ = 0, delivered_ = 0, injected_errors_ = 0;
  bool ok_ = true, was_down_ = true;
};

// A message stays offered, unchanged, until it is taken.
inline void LinkHarness::offer(Inputs& in) {
  for (unsigned end = 0; end < 2; ++end) {
    if (nd_queue_[end].size() < 2 && random_.percent(load.nd[end])) send_nd(end);
    if (wd_queue_[end].size() < 2 && random_.percent(load.wd[end])) send_wd(end);
    CxlController::In& i = in[end];
    i.link_up = link_up[end];
    if (load.control_ppm > 0 && random_.below(1000000) < load.control_ppm) {
      change_control(control[end], random_);
    }
    i.control = control[end];
    i.tx_flush = tx_flush[end];
    i.phy_reinit_done = phy_done[end];
    if (random_.below(1000000) < load.viral_ppm) viral[end] = !viral[end];
    i.viral = viral[end];
    i.tx_nd_valid = !nd_queue_[end].empty();
    if (i.tx_nd_valid) i.tx_nd_hdr = nd_queue_[end].front();
    i.tx_wd_valid = !wd_queue_[end].empty();
    if (i.tx_wd_valid) i.tx_wd = wd_queue_[end].front();
    i.rx_nd_ready = !random_.percent(load.rx_stall[end]);
    i.rx_wd_ready = !random_.percent(load.rx_stall[end]);
    if (ends_.has_cache()) cache.offer(end, i.cache);
    i.link_tx_ready = injected_[end].empty() && !random_.percent(load.link_stall[end]);
  }
}

inline void LinkHarness::launch(unsigned wire, CrcFlit flit, Spoil spoil) {
  if (spoil == Spoil::kInverted) flit.crc ^= 0xFFFF;
  const CrcFlit sent = flit;
  WireFlit w{.wire = wire, .flit = flit, .retry = flits::classify_retry(as_flit(flit.payload))};
  if (!w.retry && spoil == Spoil::kNot) {
    w.owed_before = monitor_[wire]->owed();
    monitor_[wire]->clock({.start = false, .valid = true, .flit = flit.payload});
    w.owed_after = monitor_[wire]->owed();
  }
  if (announces(flit)) ++announced_[wire];
  if (on_launch) on_launch(wire, flit);
  if (spoil == Spoil::kHarmed) {
    w.harm(random_);
  } else if (random_.below(1000000) < load.flit_error_ppm) {
    load.any_harm ? w.harm(random_) : w.damage(random_);
    ++injected_errors_;
  }
  if (on_flit) on_flit(w);
  if (w.drop) return;
  last_arrival_[wire] = std::max(last_arrival_[wire] + 1, cycle_ + latency[wire]);
  wires_[wire].push_back(
      {last_arrival_[wire], flit, sent == flit ? std::nullopt : error_kind(sent, flit)});
}

inline void LinkHarness::send(const Inputs& in) {
  for (unsigned end = 0; end < 2; ++end) {
    if (in[end].tx_nd_valid && out_[end].tx_nd_ready) {
      nd_expected_[end].push_back(nd_queue_[end].front());
      nd_queue_[end].pop_front();
    }
    if (in[end].tx_wd_valid && out_[end].tx_wd_ready) {
      wd_expected_[end].push_back(wd_queue_[end].front());
      wd_queue_[end].pop_front();
    }
    cache.accept(end, in[end].cache, out_[end].cache);
    if (!injected_[end].empty()) {
      const auto& [payload, spoil] = injected_[end].front();
      launch(end, {payload, crc_of(payload)}, spoil);
      injected_[end].pop_front();
    } else if (in[end].link_tx_ready && out_[end].link_tx_valid) {
      launch(end, out_[end].link_tx_flit);
    }
  }
}

inline void LinkHarness::arrive(Inputs& in) {
  for (unsigned wire = 0; wire < 2; ++wire) {
    CxlController::In& i = in[1 - wire];
    if (wires_[wire].empty() || wires_[wire].front().arrives > cycle_) continue;
    i.link_rx_valid = true;
    i.link_rx_flit = wires_[wire].front().flit;
    ends_.harmed(1 - wire, wires_[wire].front().harm);
    wires_[wire].pop_front();
    if (on_arrival) on_arrival(wire, i.link_rx_flit);
  }
}

inline void LinkHarness::receive(const Inputs& in) {
  for (unsigned end = 0; end < 2; ++end) {
    const CxlController::Out& o = out_[end];
    auto& nd = nd_expected_[1 - end];
    auto& wd = wd_expected_[1 - end];
    if (o.rx_nd_valid && in[end].rx_nd_ready) {
      ++delivered_;
      if (scoreboard && (nd.empty() || nd.front() != o.rx_nd_hdr)) mismatch("ND message", end);
      if (!nd.empty()) nd.pop_front();
      if (on_nd) on_nd(end, o.rx_nd_hdr);
    }
    if (o.rx_wd_valid && in[end].rx_wd_ready) {
      ++delivered_;
      if (scoreboard && (wd.empty() || wd.front() != o.rx_wd)) mismatch("WD message", end);
      if (!wd.empty()) wd.pop_front();
      if (on_wd) on_wd(end, o.rx_wd);
    }
    cache.receive(end, in[end].cache, o.cache);
    errors_[end] |= o.err;
    heard_[end] += o.viral;
  }
}

inline void LinkHarness::step() {
  Inputs in;
  out_ = ends_.outputs();
  offer(in);
  send(in);
  // A link that goes down loses what is in flight.
  const bool down = !link_up[0] && !link_up[1];
  if (down || was_down_) wires_ = {};
  was_down_ = down;
  arrive(in);
  receive(in);
  ends_.clock(in);
  ++cycle_;
}

}  // namespace cxlgpu::test
