// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
// One soak of a pair of controllers or ports: phases of random traffic at rising bit error rates,
// then the reckoning.
//
// Purpose: shared by link_pair_test.cpp, port_pair_test.cpp (seconds) and link_soak.cpp (make
//          soak). After the phases
//          the link is left to drain without faults, and must then show that nothing is missing:
//          every request answered, every credit back at its sender and as many messages in a
//          stalled receive queue as it has entries, every retry buffer acknowledged but for the one
//          flit that no LLCRD is sent for.
// Units:   flits, cycles; rates as in faults.hpp.
// Errors:  in LinkPair::problems().
#pragma once

#include <algorithm>

#include "tests/controller/link_traffic.hpp"

namespace cxlgpu::test {

struct SoakPhase {
  FaultRates rates{};
  std::uint64_t flits = 0;  // of CXL.cachemem, a direction
};

struct SoakRow {  // one phase, both directions together unless said otherwise
  double bit_error = 0;
  std::array<std::uint64_t, 2> flits{};
  std::uint64_t messages = 0;
  std::uint64_t bad = 0, retries = 0, timeouts = 0, recoveries = 0;
  std::uint64_t cycles = 0;
  std::vector<std::uint32_t> recovery_times{};
  PortCounts ports{};  // 0 with bare controllers, as the two below
  std::uint64_t cuts = 0;
  std::vector<std::uint32_t> cut_times{};

  void add(const SoakRow& other) {
    bit_error = other.bit_error;
    for (unsigned wire = 0; wire < 2; ++wire) flits[wire] += other.flits[wire];
    messages += other.messages;
    bad += other.bad;
    retries += other.retries;
    timeouts += other.timeouts;
    recoveries += other.recoveries;
    cycles += other.cycles;
    recovery_times.insert(recovery_times.end(), other.recovery_times.begin(),
                          other.recovery_times.end());
    ports += other.ports;
    cuts += other.cuts;
    cut_times.insert(cut_times.end(), other.cut_times.begin(), other.cut_times.end());
  }
  // The time that this part of them does not exceed. Sorts the times.
  static std::uint32_t quantile(std::vector<std::uint32_t>& times, double part) {
    if (times.empty()) return 0;
    if (!std::is_sorted(times.begin(), times.end())) std::sort(times.begin(), times.end());
    const auto last = static_cast<double>(times.size() - 1);
    return times[static_cast<std::size_t>(part * last + 0.5)];
  }
};

class SoakRun {
 public:
  SoakRun(PairModel& model, const PairOptions& options)
      : pair_(model, options),
        traffic_(options.seed * 7 + 3, [this](std::string text) { pair_.problem(text); }),
        random_(options.seed * 11 + 5) {}

  // Up, phases, drain, reckoning. Stops at the first problem.
  void run(const std::vector<SoakPhase>& phases) {
    for (const SoakPhase& phase : phases) {
      if (failed()) return;
      rows_.push_back(run_phase(phase));
    }
    if (failed()) return;
    pair_.set_rates({});
    reckon();
  }
  [[nodiscard]] std::vector<SoakRow>& rows() { return rows_; }
  [[nodiscard]] LinkPair& pair() { return pair_; }
  [[nodiscard]] bool failed() const { return pair_.problem_count() != 0; }

 private:
  // Cycles; ten timeouts take about 90000, several times that if CXL.io takes most of the wire.
  [[nodiscard]] std::uint64_t stuck() { return pair_.port() != nullptr ? 2000000 : 400000; }

  SoakRow snapshot(double bit_error) {
    SoakRow row{.bit_error = bit_error, .flits = {pair_.flits(0), pair_.flits(1)}};
    row.messages = messages();
    row.bad = pair_.bad_flits();
    row.retries = pair_.retries(0) + pair_.retries(1);
    row.timeouts = pair_.timeouts(0) + pair_.timeouts(1);
    row.recoveries = pair_.recoveries();
    row.cycles = pair_.cycle();
    if (pair_.port() != nullptr) {
      row.ports = pair_.port()->counts();
      row.cuts = pair_.faults(0).counts().cut + pair_.faults(1).counts().cut;
    }
    return row;
  }
  [[nodiscard]] std::uint64_t messages() const {
    std::uint64_t sum = 0;
    for (unsigned end = 0; end < 2; ++end) {
      sum += traffic_.received(end, LinkTraffic::kNd) + traffic_.received(end, LinkTraffic::kWd);
    }
    return sum;
  }

  SoakRow run_phase(const SoakPhase& phase) {
    const SoakRow before = snapshot(phase.rates.bit_error);
    pair_.recovery_times().clear();
    pair_.cut_times().clear();
    pair_.set_rates(phase.rates);
    const std::array<std::uint64_t, 2> goal{before.flits[0] + phase.flits,
                                            before.flits[1] + phase.flits};
    while (!failed() && (pair_.flits(0) < goal[0] || pair_.flits(1) < goal[1])) {
      new_mix();
      steps(2000 + random_.below(20000));
    }
    SoakRow row = snapshot(phase.rates.bit_error);
    for (unsigned wire = 0; wire < 2; ++wire) row.flits[wire] -= before.flits[wire];
    row.messages -= before.messages;
    row.bad -= before.bad;
    row.retries -= before.retries;
    row.timeouts -= before.timeouts;
    row.recoveries -= before.recoveries;
    row.cycles -= before.cycles;
    row.recovery_times = pair_.recovery_times();
    row.ports -= before.ports;
    row.cuts -= before.cuts;
    row.cut_times = pair_.cut_times();
    return row;
  }

  // Mostly heavy: the flits are what is wanted. Now and then a trickle, or a blocked consumer.
  void new_mix() {
    const auto load = [this] { return random_.pick(std::array{0u, 10u, 40u, 100u, 100u, 100u}); };
    const auto stall = [this] {
      return random_.pick(std::array{0u, 0u, 0u, 0u, 0u, 0u, 20u, 60u, 97u});
    };
    traffic_.mix.read = load();
    traffic_.mix.write = load();
    if (traffic_.mix.read + traffic_.mix.write == 0) traffic_.mix.read = 3;
    traffic_.mix.answer = random_.pick(std::array{5u, 50u, 100u, 100u, 100u, 100u});
    traffic_.mix.partial = random_.pick(std::array{0u, 30u, 100u});
    traffic_.mix.odd = random_.pick(std::array{0u, 10u, 90u});
    traffic_.mix.rx_stall = {stall(), stall()};
    traffic_.mix.tx_stall = {random_.pick(std::array{0u, 0u, 0u, 30u}),
                             random_.pick(std::array{0u, 0u, 0u, 30u})};
    if (pair_.port() != nullptr) new_io_mix();
  }
  // CXL.io is little beside CXL.mem mostly; now and then both want all of the wire.
  void new_io_mix() {
    PortSide& port = *pair_.port();
    port.set_io_load(random_.pick(std::array{0u, 0u, 1u, 2u, 5u, 10u, 100u}));
    for (unsigned end = 0; end < 2; ++end) {
      port.set_weights(end, random_.pick(std::array{1u, 1u, 1u, 2u, 0u}),
                       random_.pick(std::array{1u, 2u, 8u, 15u}));
    }
  }

  void steps(std::uint64_t n) {
    for (std::uint64_t i = 0; i < n && !failed(); ++i) pair_.step(traffic_);
    report_findings();
    // Retries at a high error rate take their time, but some message gets through.
    const std::uint64_t now = messages();
    if (now != last_messages_ || traffic_.idle()) {
      last_messages_ = now;
      moved_at_ = pair_.cycle();
    } else if (pair_.cycle() - moved_at_ > stuck()) {
      pair_.problem("nothing has moved for too long" +
                    (pair_.port() == nullptr ? std::string() : ": " + pair_.port()->states()));
    }
  }
  void report_findings() {
    const auto& findings = pair_.checker().findings();
    for (; reported_ < findings.size(); ++reported_) {
      const flits::Finding& f = findings[reported_];
      pair_.problem(fmt::format("checker at {} ps, {} {}: {}", f.time_ps, flits::name(f.direction),
                                flits::name(f.rule), f.text));
    }
  }
  template <typename Done>
  bool until(Done done, std::uint64_t limit) {
    for (std::uint64_t i = 0; i < limit && !failed(); i += 16) {
      if (done()) return true;
      steps(16);
    }
    return done();
  }
  void expect(bool ok, const std::string& what) {
    if (!ok) pair_.problem(what);
  }
  void expect_equal(const std::string& what, std::uint64_t got, std::uint64_t wanted) {
    if (got != wanted) pair_.problem(fmt::format("{}: {}, not {}", what, got, wanted));
  }

  void reckon() {
    traffic_.mix = {};
    traffic_.mix.read = traffic_.mix.write = 0;
    expect(until([&] { return traffic_.idle(); }, stuck()), "messages left after draining");
    if (pair_.port() != nullptr) port_home();
    steps(500);
    credits_home("after draining");
    fill_queues();
    credits_home("after filling the queues");
    retry_buffers_home();
    if (!pair_.options().checker) return;
    flits::LinkChecker& checker = pair_.checker();
    checker.finish();
    report_findings();
    expect_equal("bad flits that the checker counted",
                 checker.stats(flits::Direction::M2S).crc_errors +
                     checker.stats(flits::Direction::S2M).crc_errors,
                 pair_.bad_flits());
    // The host asks for retries of S2M.
    expect_equal("retries of the host", pair_.retries(0),
                 checker.stats(flits::Direction::S2M).retries);
    expect_equal("retries of the device", pair_.retries(1),
                 checker.stats(flits::Direction::M2S).retries);
  }

  // All vLSMs Active without a request, and no CXL.io flit missing but those a fault or a Recovery
  // took.
  void port_home() {
    PortSide& port = *pair_.port();
    port.set_io_load(0);
    expect(until([&] { return port.active(); }, stuck()),
           "not Active at the end: " + port.states());
    steps(500);
    const PortCounts& counts = port.counts();
    expect_equal("CXL.io flits received or lost in a fault", counts.io_received + counts.io_lost,
                 counts.io_sent);
    expect(port.active(), "not Active at rest: " + port.states());
  }

  void credits_home(const char* when) {
    if (!pair_.options().checker) return;
    using Kind = flits::MessageKind;
    const PairSizes& sizes = pair_.options().sizes;
    const auto home = [&](Kind kind, unsigned depth) {
      expect_equal(fmt::format("{} credits {}", flits::name(kind), when),
                   static_cast<std::uint64_t>(pair_.checker().credits(kind)), depth);
    };
    home(Kind::M2sReq, sizes.nd_rx[1]);
    home(Kind::M2sRwd, sizes.wd_rx[1]);
    home(Kind::S2mNdr, sizes.nd_rx[0]);
    home(Kind::S2mDrs, sizes.wd_rx[0]);
  }

  // With its consumer stalled, an end takes exactly as many messages as its queues hold.
  void fill_queues() {
    for (const unsigned end : {1u, 0u}) {
      const PairSizes& sizes = pair_.options().sizes;
      traffic_.mix = {};
      traffic_.mix.read = traffic_.mix.write = 100;
      traffic_.mix.odd = 0;
      traffic_.mix.rx_stall[end] = 100;
      steps(6000);
      expect_equal("messages in a stalled ND queue", pair_.pins()[end].rx_nd_count,
                   sizes.nd_rx[end]);
      expect_equal("messages in a stalled WD queue", pair_.pins()[end].rx_wd_count,
                   sizes.wd_rx[end]);
      traffic_.mix = {};
      traffic_.mix.read = traffic_.mix.write = 0;
      expect(until([&] { return traffic_.idle(); }, stuck()), "messages left after filling");
      steps(500);
    }
  }

  // One bad flit at each end of the quiet link: the RETRY.Ack tells what the peer's retry buffer
  // still holds, and that nothing has to be replayed.
  void retry_buffers_home() {
    expect(pair_.quiet(), "the idle link is not quiet");
    for (unsigned end = 0; end < 2; ++end) {
      pair_.forget_acks();
      pair_.spoil_at(end);
      steps(400);
      const auto& ack = pair_.last_ack(end);
      if (!pair_.options().checker) continue;
      expect(ack.has_value(), "no RETRY.Ack to a bad flit on a quiet link");
      if (!ack) continue;
      expect(ack->empty, "a flit was lost: the retry buffer holds one that was not received");
      const unsigned depth = pair_.options().sizes.llrb[1 - end];
      expect(ack->num_free_buf + 1u >= depth,
             fmt::format("retry buffer of {} has {} free at rest", depth, ack->num_free_buf));
    }
  }

  LinkPair pair_;
  LinkTraffic traffic_;
  QuickRandom random_;
  std::vector<SoakRow> rows_;
  std::uint64_t last_messages_ = 0, moved_at_ = 0;
  std::size_t reported_ = 0;  // findings of the checker
};

}  // namespace cxlgpu::test
