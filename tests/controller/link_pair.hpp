// Two verilated controllers (link_pair_tb.sv) and the link between them, one cycle at a time.
//
// Purpose: drives link_pair_tb of any size: wires with a rate and a flight time, faults, the
//          physical layer's Recovery, and flits::LinkChecker on all that arrives. Checks by itself
//          that every retry and every error pulse has its cause in an injected fault. Messages are
//          the business of a Traffic (link_traffic.hpp).
// Units:   cycles of 1 ns; wire time in sixteenths of a cycle (a 68-byte flit takes 34 of them at
//          32 GB/s, that is x8 at 32 GT/s). End and wire 0: host (sends M2S); 1: device. Outputs of
//          the controllers are functions of state: they hold from one edge to the next whatever the
//          inputs.
// Errors:  problems() lists what went wrong, the first ten of it; problem_count() counts.
#pragma once

#include <fmt/format.h>

#include <memory>
#include <string>
#include <vector>

#include "flits/link_checker.hpp"
#include "refmodel/common/ring_queue.hpp"
#include "tests/controller/faults.hpp"

namespace cxlgpu::test {

// One end's ports. Wide ports are pointers to their words.
struct EndPins {
  std::uint8_t &link_up, &mdh_disable;
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
  std::uint8_t &phy_reinit_req, &phy_reinit_done;
  std::uint8_t &init_done, &abort, &err;
};

// A verilated link_pair_tb whatever its parameters.
class PairModel {
 public:
  virtual ~PairModel() = default;
  virtual void edge() = 0;
  virtual void reset() = 0;
  [[nodiscard]] std::array<EndPins, 2>& pins() { return *pins_; }

 protected:
  std::unique_ptr<std::array<EndPins, 2>> pins_;
};

#define CXLGPU_END_PINS(v, e)                                                                   \
  EndPins {                                                                                     \
    v.e##_link_up_i, v.e##_mdh_disable_i, v.e##_tx_nd_valid_i, v.e##_tx_nd_ready_o,             \
        &v.e##_tx_nd_hdr_i[0], v.e##_tx_wd_valid_i, v.e##_tx_wd_ready_o, &v.e##_tx_wd_hdr_i[0], \
        &v.e##_tx_wd_data_i[0], v.e##_tx_wd_be_i, v.e##_rx_nd_valid_o, v.e##_rx_nd_ready_i,     \
        &v.e##_rx_nd_hdr_o[0], v.e##_rx_wd_valid_o, v.e##_rx_wd_ready_i, &v.e##_rx_wd_hdr_o[0], \
        &v.e##_rx_wd_data_o[0], v.e##_rx_wd_be_o, v.e##_rx_nd_count_o, v.e##_rx_wd_count_o,     \
        v.e##_link_tx_valid_o, v.e##_link_tx_ready_i, &v.e##_link_tx_flit_o[0],                 \
        v.e##_link_rx_valid_i, &v.e##_link_rx_flit_i[0], v.e##_phy_reinit_req_o,                \
        v.e##_phy_reinit_done_i, v.e##_init_done_o, v.e##_abort_o, v.e##_err_o                  \
  }

template <typename Top>
class VerilatedPair : public PairModel {
 public:
  VerilatedPair() {
    pins_ = std::make_unique<std::array<EndPins, 2>>(
        std::array<EndPins, 2>{CXLGPU_END_PINS(top_, host), CXLGPU_END_PINS(top_, dev)});
  }
  ~VerilatedPair() override { top_.final(); }
  void edge() override {
    top_.clk_i = 1;
    top_.eval();
    top_.clk_i = 0;
    top_.eval();
  }
  void reset() override {
    top_.rst_ni = 1;
    top_.eval();
    top_.rst_ni = 0;
    edge();
    top_.rst_ni = 1;
    top_.eval();
  }

 private:
  Top top_;
};

#undef CXLGPU_END_PINS

struct PairSizes {
  std::array<unsigned, 2> nd_rx{32, 24}, wd_rx{32, 12}, llrb{128, 40};
};

struct PairOptions {
  PairSizes sizes{};
  std::uint64_t seed = 1;
  unsigned lanes = 8;              // at 32 GT/s
  unsigned flight = 10;            // cycles
  unsigned recovery_cycles = 300;  // what the physical layer takes to retrain
  bool checker = true;             // every flit through flits::LinkChecker
};

// One direction: serialises, then delays.
class PairWire {
 public:
  static constexpr std::uint64_t kTicks = 16;  // a cycle
  PairWire(unsigned lanes, unsigned flight)
      : flit_(17 * kTicks / lanes), flight_(kTicks * flight) {}
  [[nodiscard]] bool ready(std::uint64_t now) const { return busy_until_ < kTicks * (now + 1); }
  void send(std::uint64_t now, const FlitWords& flit, bool bad) {
    busy_until_ = std::max(kTicks * now, busy_until_) + flit_;
    queue_.push({flit, busy_until_ + flight_, bad});
  }
  [[nodiscard]] bool due(std::uint64_t now) const {
    return !queue_.empty() && queue_.front().at <= kTicks * now;
  }
  struct Flying {
    FlitWords flit;
    std::uint64_t at;  // last byte, in ticks
    bool bad;
  };
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

// A controller's words as the flit that flits/ works on.
inline flits::Flit as_wire_flit(const FlitWords& words) {
  flits::Flit flit;
  flit.set_protocol_id(flits::ProtocolId::CacheMem);
  std::memcpy(flit.bytes.data() + 2, words.word.data(), 66);
  return flit;
}

class LinkPair {
 public:
  LinkPair(PairModel& model, const PairOptions& options)
      : model_(model),
        options_(options),
        pins_(model.pins()),
        wires_{PairWire(options.lanes, options.flight), PairWire(options.lanes, options.flight)},
        faults_{FaultInjector(options.seed * 2 + 1), FaultInjector(options.seed * 2 + 2)} {
    model_.reset();
    for (EndPins& p : pins_) p.link_up = 1;
  }

  // One cycle. `traffic` drives and samples the message ports of both ends.
  template <typename Traffic>
  void step(Traffic& traffic) {
    physical_layer();
    arrive();
    traffic.drive(pins_);
    launch(traffic.tx_stall());
    traffic.sample(pins_, cycle_);
    model_.edge();
    ++cycle_;
    check_errors();
  }

  void set_rates(const FaultRates& rates) {
    for (FaultInjector& f : faults_) f.set_rates(rates);
  }
  [[nodiscard]] FaultInjector& faults(unsigned wire) { return faults_[wire]; }
  // The next cycle presents a bad flit at this end though its wire is quiet.
  void spoil_at(unsigned end) { spoil_[end] = true; }
  void recover() { recover_for_ = recover_for_ == 0 ? options_.recovery_cycles : recover_for_; }

  [[nodiscard]] std::array<EndPins, 2>& pins() { return pins_; }
  [[nodiscard]] const PairOptions& options() const { return options_; }
  [[nodiscard]] std::uint64_t cycle() const { return cycle_; }
  [[nodiscard]] std::uint64_t flits(unsigned wire) const { return flits_[wire]; }
  [[nodiscard]] std::uint64_t retries(unsigned end) const { return retries_[end]; }
  [[nodiscard]] std::uint64_t timeouts(unsigned end) const { return timeouts_[end]; }
  [[nodiscard]] std::uint64_t recoveries() const { return recoveries_; }
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

  void problem(std::string text) {
    ++problem_count_;
    if (problems_.size() < 10) {
      problems_.push_back(fmt::format("cycle {}, seed {}: {}", cycle_, options_.seed, text));
    }
  }
  [[nodiscard]] const std::vector<std::string>& problems() const { return problems_; }
  [[nodiscard]] std::uint64_t problem_count() const { return problem_count_; }

 private:
  static constexpr unsigned kToError = 2;

  static flits::Direction direction(unsigned wire) {
    return wire == 0 ? flits::Direction::M2S : flits::Direction::S2M;
  }
  static const char* name(unsigned end) { return end == 0 ? "host" : "device"; }

  // Recovery: nothing passes, what was under way is lost; at its end both link layers are told.
  void physical_layer() {
    for (EndPins& p : pins_) {
      p.phy_reinit_done = 0;
      if (p.phy_reinit_req != 0) recover();
    }
    told_recovery_ = false;
    if (recover_for_ == 0) return;
    for (PairWire& wire : wires_) wire.lose_all();
    if (--recover_for_ != 0) return;
    for (EndPins& p : pins_) p.phy_reinit_done = 1;
    told_recovery_ = true;
    ++recoveries_;
    ++fault_events_;
    if (!options_.checker) return;
    for (unsigned wire = 0; wire < 2; ++wire) {
      note_discarding(wire);
      checker_.force_retry(direction(wire));
    }
  }

  void arrive() {
    std::array<bool, 2> due{};
    for (unsigned wire = 0; wire < 2; ++wire) {
      const unsigned end = 1 - wire;
      bad_history_[end] = static_cast<std::uint8_t>(bad_history_[end] << 1);
      due[wire] = recover_for_ == 0 && (wires_[wire].due(cycle_) || spoil_[end]);
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
      FlitWords words;
      words.word[16] = 1;
      present(wire, {words, PairWire::kTicks * cycle_, true});
      return;
    }
    present(wire, wires_[wire].front());
    wires_[wire].pop();
  }

  void present(unsigned wire, const PairWire::Flying& flying) {
    const unsigned end = 1 - wire;
    std::memcpy(pins_[end].link_rx_flit, flying.flit.word.data(), sizeof flying.flit.word);
    if (flying.bad) {
      bad_history_[end] |= 1;
      ++bad_arrived_[end];
      ++fault_events_;
    }
    if (options_.checker) observe(wire, flying);
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
    const bool was_discarding = checker_.discarding(d);
    if (flying.bad && !was_discarding) note_discarding(wire);
    const bool may_be_retry = (flying.flit.word[0] & 1) != 0 && !flying.bad &&
                              (was_discarding || checker_.owed(d) < 4) &&
                              (flying.flit.word[1] & 0xF) == 1;
    if (waiting_[wire] && !flying.bad && !may_be_retry) recovered(wire);
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

  void recovered(unsigned wire) {
    waiting_[wire] = false;
    recovery_times_.push_back(static_cast<std::uint32_t>(cycle_ - fault_at_[wire]));
  }

  void launch(const std::array<bool, 2>& stall) {
    for (unsigned wire = 0; wire < 2; ++wire) {
      EndPins& p = pins_[wire];
      p.link_tx_ready = recover_for_ == 0 && !stall[wire] && wires_[wire].ready(cycle_) ? 1 : 0;
      if (p.link_tx_ready == 0 || p.link_tx_valid == 0) continue;
      ++flits_[wire];
      FlitWords flit;
      std::memcpy(flit.word.data(), p.link_tx_flit, sizeof flit.word);
      const FaultInjector::Fate fate = faults_[wire].apply(flit);
      wires_[wire].send(cycle_, flit, fate == FaultInjector::Fate::kBad);
      if (fate == FaultInjector::Fate::kCleanThenBad) {
        FaultInjector::invert_crc(flit);
        wires_[wire].send(cycle_, flit, true);
      }
      if (faults_[wire].due_recovery()) recover();
    }
  }

  // A flit presented in cycle t is acted upon in t + 1 (stage R2), and shows at the error port in
  // t + kToError: docs/blocks.md.
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
        if (!bad && !told_recovery_) problem(fmt::format("{}: retry without a fault", name(end)));
        faults_at_request_[end] = fault_events_;
      }
      if ((err & 0x80) != 0) {
        ++timeouts_[end];
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
  std::uint64_t cycle_ = 0;
  unsigned recover_for_ = 0;
  bool told_recovery_ = false;
  std::uint64_t recoveries_ = 0;
  std::array<bool, 2> spoil_{};
  std::array<std::uint64_t, 2> flits_{}, retries_{}, timeouts_{}, bad_arrived_{};
  std::array<std::uint8_t, 2> bad_history_{};
  std::uint64_t fault_events_ = 0;
  std::array<std::uint64_t, 2> faults_at_request_{};
  std::array<std::uint64_t, 2> fault_at_{};
  std::array<bool, 2> waiting_{};
  std::array<std::optional<flits::RetryAck>, 2> last_ack_;
  std::vector<std::uint32_t> recovery_times_;
  std::vector<std::string> problems_;
  std::uint64_t problem_count_ = 0;
};

}  // namespace cxlgpu::test
