// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
// Two verilated ends of a link and the link between them, one cycle at a time.
//
// Purpose: drives a pair of any size, of bare controllers (link_pair_tb.sv) or of ports, which are
//          controllers with ARB/MUX (port_pair_tb.sv; what that adds is port_side.hpp): wires with
//          a rate and a flight time, faults, the physical layer's Recovery, and flits::LinkChecker
//          on all that arrives. Checks by itself that every retry, Recovery and error pulse has its
//          cause in an injected fault or was asked for. Messages are the business of a Traffic
//          (link_traffic.hpp).
// Units:   cycles of 1 ns; wire time in sixteenths of a cycle (a 68-byte flit takes 34 of them at
//          32 GB/s, that is x8 at 32 GT/s). End and wire 0: host (sends M2S); 1: device. Outputs of
//          the controllers are functions of state, those of the ARB/MUX also of its inputs: they
//          count after settle().
// Errors:  problems() lists what went wrong, the first ten of it; problem_count() counts.
#pragma once

#include <fmt/format.h>
#include <verilated.h>

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "common/ring_queue.hpp"
#include "flits/link_checker.hpp"
#include "tb/coverage.hpp"
#include "tests/common/clear_inputs.hpp"
#include "tests/controller/port_side.hpp"
#include "tests/coverage/functional_groups.hpp"

namespace cxlgpu::test {

// One end's ports. Wide ports are pointers to their words.
struct EndPins {
  std::uint8_t& mdh_disable;
  std::uint8_t &tx_nd_valid, &tx_nd_ready;
  std::uint32_t* tx_nd_hdr;
  std::uint8_t &tx_wd_valid, &tx_wd_ready;
  std::uint32_t *tx_wd_hdr, *tx_wd_data;
  std::uint64_t& tx_wd_be;
  std::uint8_t &rx_nd_valid, &rx_nd_ready;
  std::uint32_t* rx_nd_hdr;
  std::uint8_t &rx_wd_valid, &rx_wd_ready;
  std::uint32_t *rx_wd_hdr, *rx_wd_data;
  std::uint64_t& rx_wd_be;
  std::uint8_t &rx_nd_count, &rx_wd_count;
  std::uint8_t &link_tx_valid, &link_tx_ready;
  std::uint32_t* link_tx_flit;
  std::uint8_t& link_rx_valid;
  std::uint32_t* link_rx_flit;
  std::uint8_t &init_done, &abort, &err;
};
// What only a bare controller has.
struct BarePins {
  std::uint8_t &link_up, &phy_reinit_req, &phy_reinit_done;
};

// A verilated pair whatever its parameters: one of bare() and ports() is null.
class PairModel {
 public:
  virtual ~PairModel() = default;
  virtual void settle() = 0;
  virtual void edge() = 0;
  virtual void reset() = 0;
  [[nodiscard]] std::array<EndPins, 2>& pins() { return *pins_; }
  [[nodiscard]] std::array<BarePins, 2>* bare() { return bare_.get(); }
  [[nodiscard]] std::array<PortPins, 2>* ports() { return ports_.get(); }

 protected:
  std::unique_ptr<std::array<EndPins, 2>> pins_;
  std::unique_ptr<std::array<BarePins, 2>> bare_;
  std::unique_ptr<std::array<PortPins, 2>> ports_;
};

#define CXLGPU_END_PINS(v, e)                                                                    \
  EndPins {                                                                                      \
    v.e##_mdh_disable_i, v.e##_tx_nd_valid_i, v.e##_tx_nd_ready_o, &v.e##_tx_nd_hdr_i[0],        \
        v.e##_tx_wd_valid_i, v.e##_tx_wd_ready_o, &v.e##_tx_wd_hdr_i[0], &v.e##_tx_wd_data_i[0], \
        v.e##_tx_wd_be_i, v.e##_rx_nd_valid_o, v.e##_rx_nd_ready_i, &v.e##_rx_nd_hdr_o[0],       \
        v.e##_rx_wd_valid_o, v.e##_rx_wd_ready_i, &v.e##_rx_wd_hdr_o[0], &v.e##_rx_wd_data_o[0], \
        v.e##_rx_wd_be_o, v.e##_rx_nd_count_o, v.e##_rx_wd_count_o, v.e##_link_tx_valid_o,       \
        v.e##_link_tx_ready_i, &v.e##_link_tx_flit_o[0], v.e##_link_rx_valid_i,                  \
        &v.e##_link_rx_flit_i[0], v.e##_init_done_o, v.e##_abort_o, v.e##_err_o                  \
  }
#define CXLGPU_BARE_PINS(v, e)                                       \
  BarePins {                                                         \
    v.e##_link_up_i, v.e##_phy_reinit_req_o, v.e##_phy_reinit_done_i \
  }
#define CXLGPU_PORT_PINS(v, e)                                                                    \
  PortPins {                                                                                      \
    v.e##_phy_up_i, v.e##_phy_recovery_i, v.e##_retrain_req_o, v.e##_phy_state_o,                 \
        v.e##_link_tx_kind_o, v.e##_link_rx_kind_i, v.e##_io_tx_valid_i, v.e##_io_tx_ready_o,     \
        &v.e##_io_tx_data_i[0], v.e##_io_rx_valid_o, &v.e##_io_rx_data_o[0], v.e##_io_req_i,      \
        v.e##_cm_req_i, v.e##_io_state_o, v.e##_cm_state_o, v.e##_weight_we_i, v.e##_weight_io_i, \
        v.e##_weight_cm_i, v.e##_arb_err_o                                                        \
  }

template <typename Top>
class VerilatedPair : public PairModel {
 public:
  VerilatedPair() {
    clear_inputs(*top_);
    name_pins(*top_);
  }
  void settle() override {
    top_->clk_i = 0;
    top_->eval();
  }
  void edge() override {
    top_->clk_i = 1;
    top_->eval();
  }
  void reset() override {
    top_->rst_ni = 1;
    settle();
    top_->rst_ni = 0;
    settle();
    edge();
    settle();
    top_->rst_ni = 1;
    settle();
  }

 private:
  template <typename T>
  void name_pins(T& top) {
    pins_ = std::make_unique<std::array<EndPins, 2>>(
        std::array<EndPins, 2>{CXLGPU_END_PINS(top, host), CXLGPU_END_PINS(top, dev)});
    if constexpr (requires { top.host_phy_up_i; }) {
      ports_ = std::make_unique<std::array<PortPins, 2>>(
          std::array<PortPins, 2>{CXLGPU_PORT_PINS(top, host), CXLGPU_PORT_PINS(top, dev)});
    } else {
      bare_ = std::make_unique<std::array<BarePins, 2>>(
          std::array<BarePins, 2>{CXLGPU_BARE_PINS(top, host), CXLGPU_BARE_PINS(top, dev)});
    }
  }

  Covered<Top> top_;
};

#undef CXLGPU_END_PINS
#undef CXLGPU_BARE_PINS
#undef CXLGPU_PORT_PINS

struct PairSizes {
  std::array<unsigned, 2> nd_rx{32, 24}, wd_rx{32, 12}, llrb{128, 40};
};

struct PairOptions {
  PairSizes sizes{};
  std::uint64_t seed = 1;
  unsigned lanes = 8;              // at 32 GT/s
  unsigned flight = 10;            // cycles
  unsigned recovery_cycles = 300;  // what the physical layer takes to retrain; of ports: at most
  bool checker = true;             // every flit through flits::LinkChecker
  std::string replay = {};         // what to run to see it again, for problems
};

// One direction: serialises, then delays.
class PairWire {
 public:
  static constexpr std::uint64_t kTicks = 16;  // a cycle
  PairWire(unsigned lanes, unsigned flight)
      : flit_(17 * kTicks / lanes), flight_(kTicks * flight) {}
  [[nodiscard]] bool ready(std::uint64_t now) const { return busy_until_ < kTicks * (now + 1); }
  struct Flying {
    FlitWords flit;
    std::uint64_t at = 0;  // last byte, in ticks
    FaultInjector::Fate fate = FaultInjector::Fate::kClean;
    FlitKind kind = FlitKind::kCachemem;
    unsigned epoch = 0;
  };
  // `at` is filled in.
  void send(std::uint64_t now, const Flying& flying) {
    busy_until_ = std::max(kTicks * now, busy_until_) + flit_;
    Flying& last = queue_.push();
    last = flying;
    last.at = busy_until_ + flight_;
  }
  [[nodiscard]] bool due(std::uint64_t now) const {
    return !queue_.empty() && queue_.front().at <= kTicks * now;
  }
  [[nodiscard]] const Flying& front() const { return queue_.front(); }
  void pop() { queue_.pop(); }
  [[nodiscard]] bool empty() const { return queue_.empty(); }
  void lose_all() {
    while (!queue_.empty()) queue_.pop();
  }

 private:
  std::uint64_t flit_, flight_;  // ticks
  std::uint64_t busy_until_ = 0;
  RingQueue<Flying, 256> queue_;
};

class LinkPair {
 public:
  LinkPair(PairModel& model, const PairOptions& options)
      : model_(model),
        options_(options),
        pins_(model.pins()),
        wires_{PairWire(options.lanes, options.flight), PairWire(options.lanes, options.flight)},
        faults_{FaultInjector(options.seed * 2 + 1), FaultInjector(options.seed * 2 + 2)},
        checker_(checker_options(model.ports() != nullptr)) {
    if (model_.ports() != nullptr) {
      port_.emplace(*model_.ports(), options.seed, options.recovery_cycles,
                    [this](std::string text) { problem(std::move(text)); });
    }
    model_.reset();
    if (port_) return;
    for (BarePins& p : *model_.bare()) p.link_up = 1;
  }
  LinkPair(const LinkPair&) = delete;
  LinkPair& operator=(const LinkPair&) = delete;

  // One cycle. `traffic` drives and samples the message ports of both ends.
  template <typename Traffic>
  void step(Traffic& traffic) {
    if (port_) {
      flex_bus();
    } else {
      physical_layer();
    }
    arrive();
    traffic.drive(pins_);
    make_ready(traffic.tx_stall());
    model_.settle();
    launch();
    traffic.sample(pins_, cycle_);
    if (port_) port_->sample();
    model_.edge();
    ++cycle_;
    check_errors();
    if (port_) check_ports();
  }

  void set_rates(const FaultRates& rates) {
    for (FaultInjector& f : faults_) f.set_rates(rates);
    if (port_) port_->set_naps(rates.nap);
  }
  // Told of each fault on a link of ports: at whose flit, which, and what the link was doing.
  using OnFault =
      std::function<void(coverage::WireFlitBin, coverage::WireFault, coverage::LinkMoment)>;
  void set_on_fault(OnFault on_fault) { on_fault_ = std::move(on_fault); }
  [[nodiscard]] FaultInjector& faults(unsigned wire) { return faults_[wire]; }
  // The next cycle presents a bad flit at this end though its wire is quiet.
  void spoil_at(unsigned end) { spoil_[end] = true; }
  // The physical layer goes to Recovery.
  void recover() {
    if (port_) return port_->phy_recovery();
    recover_for_ = recover_for_ == 0 ? options_.recovery_cycles : recover_for_;
  }

  // Null with bare controllers.
  [[nodiscard]] PortSide* port() { return port_ ? &*port_ : nullptr; }

  [[nodiscard]] std::array<EndPins, 2>& pins() { return pins_; }
  [[nodiscard]] const PairOptions& options() const { return options_; }
  [[nodiscard]] std::uint64_t cycle() const { return cycle_; }
  [[nodiscard]] std::uint64_t flits(unsigned wire) const { return flits_[wire]; }
  [[nodiscard]] std::uint64_t retries(unsigned end) const { return retries_[end]; }
  [[nodiscard]] std::uint64_t timeouts(unsigned end) const { return timeouts_[end]; }
  [[nodiscard]] std::uint64_t recoveries() const {
    return port_ ? port_->recoveries() : recoveries_;
  }
  [[nodiscard]] std::uint64_t bad_flits() const { return bad_arrived_[0] + bad_arrived_[1]; }
  [[nodiscard]] bool initialised() const {
    return pins_[0].init_done != 0 && pins_[1].init_done != 0;
  }
  [[nodiscard]] bool quiet() const { return wires_[0].empty() && wires_[1].empty(); }
  [[nodiscard]] flits::LinkChecker& checker() { return checker_; }
  // The last RETRY.Ack that arrived at an end, strictly read.
  [[nodiscard]] const std::optional<flits::RetryAck>& last_ack(unsigned end) const {
    return last_ack_[end];
  }
  void forget_acks() { last_ack_ = {}; }

  // Cycles from the arrival of the flit that made a receiver discard to the arrival of the first
  // flit accepted after it (of the RETRY.Ack, if it says that nothing is missing).
  [[nodiscard]] std::vector<std::uint32_t>& recovery_times() { return recovery_times_; }
  // Cycles from the arrival of an ALMP that was cut (of the first one, if others follow before all
  // is well), or from when it would have arrived, to the first flit so accepted in both directions.
  // Without those in a nap, which lasts as long as the upper layers like.
  [[nodiscard]] std::vector<std::uint32_t>& cut_times() { return cut_times_; }

  void problem(std::string text) {
    ++problem_count_;
    if (problems_.size() < 10) {
      problems_.push_back(
          fmt::format("cycle {}, seed {}: {}{}{}", cycle_, options_.seed, text,
                      options_.replay.empty() ? "" : "; replay: ", options_.replay));
    }
  }
  [[nodiscard]] const std::vector<std::string>& problems() const { return problems_; }
  [[nodiscard]] std::uint64_t problem_count() const { return problem_count_; }

 private:
  static constexpr unsigned kToError = 2;

  static flits::Direction direction(unsigned wire) {
    return wire == 0 ? flits::Direction::M2S : flits::Direction::S2M;
  }
  static flits::LinkCheckerOptions checker_options(bool arb_mux) {
    flits::LinkCheckerOptions options;
    options.arb_mux = arb_mux;
    return options;
  }
  static const char* name(unsigned end) { return end == 0 ? "host" : "device"; }

  // Of bare controllers. Recovery: nothing passes, what was in flight is lost; at its end both link
  // layers are told.
  void physical_layer() {
    std::array<BarePins, 2>& pins = *model_.bare();
    for (unsigned end = 0; end < 2; ++end) {
      pins[end].phy_reinit_done = 0;
      if (pins[end].phy_reinit_req != 0) recover();
    }
    told_recovery_ = {};
    if (recover_for_ == 0) return;
    for (PairWire& wire : wires_) wire.lose_all();
    if (--recover_for_ != 0) return;
    for (BarePins& p : pins) p.phy_reinit_done = 1;
    told_recovery_ = {true, true};
    ++recoveries_;
    ++fault_events_;
    if (!options_.checker) return;
    for (unsigned wire = 0; wire < 2; ++wire) {
      note_discarding(wire);
      checker_.force_retry(direction(wire));
    }
  }

  // Of ports: both link layers are told by their ARB/MUX, when the ALMPs agree.
  void flex_bus() {
    port_->drive();
    if (!port_->entered_recovery()) return;
    ++fault_events_;
    if (cut_at_) cut_wires_ = {true, true};
    if (options_.checker) checker_.on_recovery(cycle_ == 0 ? 0 : 1000 * (cycle_ - 1));
  }
  void check_ports() {
    told_recovery_ = port_->check(tries_);
    for (unsigned end = 0; end < 2; ++end) {
      if (!told_recovery_[end]) continue;
      ++fault_events_;
      tries_[end] = 0;
    }
  }

  // A flit for this end comes off its wire.
  [[nodiscard]] bool comes(unsigned wire) {
    if (!port_) return recover_for_ == 0 && wires_[wire].due(cycle_);
    while (wires_[wire].due(cycle_)) {
      if (port_->takes(1 - wire, wires_[wire].front().epoch)) return true;
      if (wires_[wire].front().kind == FlitKind::kIo) port_->io_lost();
      wires_[wire].pop();
    }
    return false;
  }

  void arrive() {
    std::array<bool, 2> due{};
    for (unsigned wire = 0; wire < 2; ++wire) {
      const unsigned end = 1 - wire;
      bad_history_[end] = static_cast<std::uint8_t>(bad_history_[end] << 1);
      due[wire] = comes(wire) || (recover_for_ == 0 && spoil_[end]);
      pins_[end].link_rx_valid = due[wire] ? 1 : 0;
    }
    if (!due[0] && !due[1]) return;
    // The checker wants time order within the cycle too.
    const bool s2m_first = due[0] && due[1] && !wires_[0].empty() && !wires_[1].empty() &&
                           wires_[1].front().at < wires_[0].front().at;
    for (unsigned i = 0; i < 2; ++i) {
      const unsigned wire = s2m_first ? 1 - i : i;
      if (due[wire]) deliver(wire);
    }
  }

  void deliver(unsigned wire) {
    const unsigned end = 1 - wire;
    if (spoil_[end]) {
      spoil_[end] = false;
      PairWire::Flying flying;
      flying.at = PairWire::kTicks * cycle_;
      flying.fate = FaultInjector::Fate::kBad;
      flying.flit.word[16] = 1;
      present(wire, flying);
      return;
    }
    present(wire, wires_[wire].front());
    wires_[wire].pop();
  }

  void present(unsigned wire, const PairWire::Flying& flying) {
    using Fate = FaultInjector::Fate;
    const unsigned end = 1 - wire;
    bool heard = true;
    if (port_) {
      const bool sound = flying.fate == Fate::kClean;
      heard = port_->hears_almps(end) || (sound && !port_->deaf(end));
      const bool missed = flying.fate == Fate::kLost || port_->hears_almps(end);
      if (!sound && missed && flying.kind == FlitKind::kAlmp) note_cut();
      if (flying.fate == Fate::kLost) {
        pins_[end].link_rx_valid = 0;
        port_->lost(end);
        ++fault_events_;
        if (flying.kind == FlitKind::kIo) port_->io_lost();
      } else {
        port_->present(end, flying.kind, flying.fate, flying.flit);
      }
    }
    std::memcpy(pins_[end].link_rx_flit, flying.flit.word.data(), sizeof flying.flit.word);
    if (flying.fate == Fate::kBad && (!port_ || port_->hears_all(end))) {
      bad_history_[end] |= 1;
      ++bad_arrived_[end];
      ++fault_events_;
    }
    if (!options_.checker || !heard) return;
    if (flying.kind == FlitKind::kCachemem && flying.fate != Fate::kLost) {
      observe(wire, flying);
    } else {
      observe_other(wire, flying);
    }
  }

  void note_discarding(unsigned wire) {
    if (!checker_.discarding(direction(wire)) && !waiting_[wire]) {
      fault_at_[wire] = cycle_;
    }
    waiting_[wire] = false;
  }

  void observe(unsigned wire, const PairWire::Flying& flying) {
    const flits::Direction d = direction(wire);
    const flits::Flit flit = as_wire_flit(flying.flit);
    const bool bad = flying.fate == FaultInjector::Fate::kBad;
    const bool was_discarding = checker_.discarding(d);
    if (bad && !was_discarding) note_discarding(wire);
    const bool may_be_retry = (flying.flit.word[0] & 1) != 0 && !bad &&
                              (was_discarding || checker_.owed(d) < 4) &&
                              (flying.flit.word[1] & 0xF) == 1;
    if (waiting_[wire] && !bad && !may_be_retry) recovered(wire);
    checker_.on_flit(flying.at * 125 / 2, d, flit);
    if (!may_be_retry) return;
    const auto retry = flits::classify_retry(flit);
    if (!retry) return;
    if (const auto* ack = std::get_if<flits::RetryAck>(&*retry)) {
      last_ack_[1 - wire] = *ack;
      if (was_discarding && !checker_.discarding(d)) {
        waiting_[wire] = true;
        if (ack->empty) recovered(wire);
      }
    }
  }
  // An ALMP, a flit of CXL.io, or one that cannot be made out.
  void observe_other(unsigned wire, const PairWire::Flying& flying) {
    using Fate = FaultInjector::Fate;
    const bool is_almp = flying.kind == FlitKind::kAlmp;
    flits::Flit flit =
        as_wire_flit(flying.flit, is_almp ? flits::ProtocolId::Almp : flits::ProtocolId::Io);
    if (flying.fate == Fate::kLost) flit.bytes[0] = flit.bytes[1] = 0;
    // The checker would blame the sender.
    if (flying.fate == Fate::kMalformed) flit.bytes[2 + 4] ^= 1;
    const std::array<bool, 2> before{checker_.discarding(direction(0)),
                                     checker_.discarding(direction(1))};
    checker_.on_flit(flying.at * 125 / 2, direction(wire), flit);
    if (!is_almp) return;
    for (unsigned w = 0; w < 2; ++w) {
      if (before[w] || !checker_.discarding(direction(w))) continue;
      if (!waiting_[w]) fault_at_[w] = cycle_;
      waiting_[w] = false;
    }
  }

  void note_cut() {
    if (cut_at_ || !port_->awake()) return;
    cut_at_ = cycle_;
    cut_plans_ = port_->plans();
    cut_wires_ = {};
  }

  void recovered(unsigned wire) {
    waiting_[wire] = false;
    tries_[1 - wire] = 0;
    recovery_times_.push_back(static_cast<std::uint32_t>(cycle_ - fault_at_[wire]));
    if (!cut_at_ || !cut_wires_[wire]) return;
    cut_wires_[wire] = false;
    if (cut_wires_[1 - wire]) return;
    if (port_->awake() && port_->plans() == cut_plans_) {
      cut_times_.push_back(static_cast<std::uint32_t>(cycle_ - *cut_at_));
    }
    cut_at_.reset();
  }

  void make_ready(const std::array<bool, 2>& stall) {
    for (unsigned wire = 0; wire < 2; ++wire) {
      const bool open = port_ ? port_->may_send(wire) : recover_for_ == 0;
      pins_[wire].link_tx_ready = open && !stall[wire] && wires_[wire].ready(cycle_) ? 1 : 0;
    }
  }

  void launch() {
    using Fate = FaultInjector::Fate;
    for (unsigned wire = 0; wire < 2; ++wire) {
      EndPins& p = pins_[wire];
      if (p.link_tx_ready == 0 || p.link_tx_valid == 0) continue;
      PairWire::Flying flying;
      std::memcpy(flying.flit.word.data(), p.link_tx_flit, sizeof flying.flit.word);
      if (port_) {
        flying.kind = static_cast<FlitKind>((*model_.ports())[wire].tx_kind);
        flying.epoch = port_->epoch(wire);
        port_->sent(wire, flying.kind, flying.flit);
      }
      Fate fate = Fate::kClean;
      const FaultCounts before = faults_[wire].counts();
      if (flying.kind == FlitKind::kCachemem) {
        ++flits_[wire];
        fate = faults_[wire].apply(flying.flit);
      } else {
        fate = flying.kind == FlitKind::kIo ? faults_[wire].apply_io(flying.flit)
                                            : faults_[wire].apply_almp(flying.flit);
      }
      const FlitKind kind = flying.kind;
      tell_fault(kind, fate_bin(kind, fate, before, faults_[wire].counts()));
      put_on_wire(wire, flying, fate);
      if (faults_[wire].due_recovery()) {
        tell_fault(kind, coverage::WireFault::Recovery);
        recover();
      }
      if (port_ && faults_[wire].due_request()) {
        if (port_->awake()) tell_fault(kind, coverage::WireFault::Asked);
        port_->request(wire);
      }
    }
  }

  static std::optional<coverage::WireFault> fate_bin(FlitKind kind, FaultInjector::Fate fate,
                                                     const FaultCounts& before,
                                                     const FaultCounts& after) {
    using coverage::WireFault;
    using Fate = FaultInjector::Fate;
    if (after.swapped != before.swapped) return WireFault::Swapped;
    if (after.duplicated != before.duplicated) return WireFault::Duplicate;
    if (kind == FlitKind::kAlmp) {
      if (fate == Fate::kLost) return WireFault::Lost;
      if (fate == Fate::kDamaged) return WireFault::CopiesDiffer;
      if (fate == Fate::kMalformed) return WireFault::Malformed;
      return std::nullopt;
    }
    if (after.dropped != before.dropped) return WireFault::Lost;
    const bool bits = after.damaged != before.damaged || after.io_changed != before.io_changed;
    return bits ? std::optional(WireFault::Bits) : std::nullopt;
  }
  void tell_fault(FlitKind kind, std::optional<coverage::WireFault> fault) {
    using coverage::LinkMoment;
    using coverage::WireFlitBin;
    if (!on_fault_ || !fault || !port_) return;
    bool active = true;
    for (const PortPins& p : *model_.ports()) {
      const auto code = static_cast<std::uint8_t>(VlsmCode::kActive);
      active = active && p.cm_state == code && p.io_state == code;
    }
    const bool retry = checker_.discarding(direction(0)) || checker_.discarding(direction(1));
    const LinkMoment moment = !port_->awake() ? LinkMoment::Nap
                              : !active       ? LinkMoment::Synchronising
                              : retry         ? LinkMoment::Retry
                                              : LinkMoment::Steady;
    const WireFlitBin flit = kind == FlitKind::kAlmp ? WireFlitBin::Almp
                             : kind == FlitKind::kIo ? WireFlitBin::Io
                                                     : WireFlitBin::CacheMem;
    on_fault_(flit, *fault, moment);
  }

  void put_on_wire(unsigned wire, PairWire::Flying& flying, FaultInjector::Fate fate) {
    using Fate = FaultInjector::Fate;
    flying.fate = fate;
    switch (fate) {
      case Fate::kCleanThenBad:
        flying.fate = Fate::kClean;
        wires_[wire].send(cycle_, flying);
        FaultInjector::invert_crc(flying.flit);
        flying.fate = Fate::kBad;
        break;
      case Fate::kCleanThenLost:
        flying.fate = Fate::kClean;
        wires_[wire].send(cycle_, flying);
        flying.fate = Fate::kLost;
        flying.kind = FlitKind::kNull;  // nobody misses it
        break;
      case Fate::kSwapped:
        if (flying.kind == FlitKind::kIo) port_->io_lost();
        flying.kind = FlitKind::kAlmp;
        flying.fate = FaultInjector::read_as_almp(flying.flit);
        break;
      default:
        break;
    }
    wires_[wire].send(cycle_, flying);
  }

  // A flit presented in cycle t is acted upon in t + 1 (stage R2), and shows at the error port in
  // t + kToError: docs/blocks/controller/link_layer.md.
  void check_errors() {
    for (unsigned end = 0; end < 2; ++end) {
      const unsigned err = pins_[end].err;
      // Bit 0 is the cycle before this one.
      const bool bad = (bad_history_[end] >> (kToError - 1) & 1) != 0;
      if (err == 0 && !bad) continue;
      if (((err & 1) != 0) != bad) problem(fmt::format("{}: CRC error pulse", name(end)));
      if ((err & 0x3E) != 0) problem(fmt::format("{}: error pulses {:#x}", name(end), err));
      if ((err & 0x40) != 0) {
        ++retries_[end];
        if (!bad && !told_recovery_[end]) {
          problem(fmt::format("{}: retry without a fault", name(end)));
        }
        faults_at_request_[end] = fault_events_;
        ++tries_[end];
      }
      if ((err & 0x80) != 0) {
        ++timeouts_[end];
        ++tries_[end];
        if (fault_events_ == faults_at_request_[end]) {
          problem(fmt::format("{}: timeout without a fault", name(end)));
        }
        faults_at_request_[end] = fault_events_;
      }
    }
    if (pins_[0].abort != 0 || pins_[1].abort != 0) problem("ABORT");
  }

  PairModel& model_;
  PairOptions options_;
  std::array<EndPins, 2>& pins_;
  std::array<PairWire, 2> wires_;
  std::array<FaultInjector, 2> faults_;
  flits::LinkChecker checker_;
  std::optional<PortSide> port_;
  OnFault on_fault_;
  std::uint64_t cycle_ = 0;
  unsigned recover_for_ = 0;
  std::array<bool, 2> told_recovery_{};  // by the edge before, by end
  std::uint64_t recoveries_ = 0;
  std::array<bool, 2> spoil_{};
  std::array<std::uint64_t, 2> flits_{}, retries_{}, timeouts_{}, bad_arrived_{};
  std::array<std::uint8_t, 2> bad_history_{};
  std::uint64_t fault_events_ = 0;
  std::array<std::uint64_t, 2> faults_at_request_{};
  std::array<std::uint64_t, 2> fault_at_{};
  std::array<bool, 2> waiting_{};
  std::array<std::optional<flits::RetryAck>, 2> last_ack_;
  std::array<unsigned, 2> tries_{};  // retries asked for since the last that worked, by end
  std::optional<std::uint64_t> cut_at_;
  std::uint64_t cut_plans_ = 0;
  std::array<bool, 2> cut_wires_{};
  std::vector<std::uint32_t> recovery_times_, cut_times_;
  std::vector<std::string> problems_;
  std::uint64_t problem_count_ = 0;
};

}  // namespace cxlgpu::test
