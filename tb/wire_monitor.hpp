// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
// One link of the RTL system: both wires and their PHY, the checker that sees every flit, and the
// flit log.
//
// Purpose: carries flits between two verilated ports; whatever arrives is logged, held against the
//          link rules and turned into wire events. Protocol IDs are judged here, as Flex Bus does:
//          a flit whose ID cannot be told is dropped and the link goes through Recovery.
// Units:   picoseconds since reset.
// Faults:  bit errors on the wires; MemSpecRd that are lost, come twice or late (SpecFaults: each
//          keeps its credit, so that the fault costs nothing else); a link that goes down, for a
//          while or for good.
#pragma once

#include <algorithm>
#include <array>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "common/counters.hpp"
#include "flits/codec.hpp"
#include "flits/flit_log.hpp"
#include "flits/io_stream.hpp"
#include "flits/link_checker.hpp"
#include "model/spec_faults.hpp"
#include "sim/config/config.hpp"
#include "tb/link/link.hpp"
#include "tb/link/phy.hpp"

namespace cxlgpu {

class WireMonitor {
 public:
  // A message whose last byte arrived.
  using OnMessage = std::function<void(Time at, flits::Direction, const flits::Item&)>;
  WireMonitor(const RunConfig& config, unsigned port, const LinkFaults& faults,
              flits::FlitLogWriter* log, OnMessage on_message);

  [[nodiscard]] bool ready(flits::Direction direction, Time now) const {
    return wire(direction).ready(now);
  }
  void send(flits::Direction direction, const flits::Flit& flit, Time now);
  [[nodiscard]] bool due(Time now) const { return wires_[0].due(now) || wires_[1].due(now); }
  // What arrives at this clock edge and can be told from its protocol ID, by direction.
  struct Received {
    flits::ProtocolId id;
    flits::Flit flit;
  };
  using Arrivals = std::array<std::optional<Received>, 2>;
  Arrivals receive(Time now);
  // In the cycle of what receive() gave: which of the receivers, by direction, ask for Recovery.
  // These hear nothing from then on, so what arrives for them is lost as all is that is on the
  // wires.
  void heard(std::array<bool, 2> asks);

  // Text of every flit that arrives, for waves. To be called before the first one.
  void read_flits() { texts_.emplace(); }
  // Of what receive() gave, empty: nothing. Precondition: read_flits().
  [[nodiscard]] const std::string& text(flits::Direction d) const {
    return texts_->text[flits::index(d)];
  }

  [[nodiscard]] const Phy& phy() const { return phy_; }
  // When the first damaged flit was sent, either way.
  [[nodiscard]] Time first_damage() const {
    return std::min(wires_[0].first_damage(), wires_[1].first_damage());
  }
  void bring_up() {
    trained_ = true;
    phy_.bring_up();
  }
  // The clock rises at `now`; `retrain`: one of the ends asks for Recovery; `held`: the link is
  // held down. It comes up again when it no longer is.
  void clock(Time now, bool retrain, bool held);
  // The link goes down at `now`, and stays so if it is not clocked again. What is on the wires is
  // lost, and nobody is owed an answer.
  void take_down(Time now);
  // No CXL.mem flit arrives undamaged from now on.
  void damage_all() {
    for (Link& wire : wires_) wire.damage_all();
  }

  // No request may be left unanswered on the wire.
  void finish();
  // The run's time 0, and its end: only flits between the two are counted for it.
  void begin_run();
  void end_run();
  [[nodiscard]] LinkCounters counters(flits::Direction direction) const;
  [[nodiscard]] std::vector<std::string> problems() const;
  // When the first of them was, never: none.
  [[nodiscard]] Time first_problem() const;

 private:
  [[nodiscard]] Link& wire(flits::Direction d) { return wires_[flits::index(d)]; }
  [[nodiscard]] const Link& wire(flits::Direction d) const { return wires_[flits::index(d)]; }
  [[nodiscard]] LinkCounters so_far(flits::Direction direction) const;
  void disturb_speculation(flits::Flit& flit);
  void observe(flits::Direction direction, const Link::Arrival& arrival);
  void read(flits::Direction direction, const flits::Flit& flit);

  std::string name_;
  SpecFaults<std::uint64_t> spec_faults_;  // by address
  std::array<Link, 2> wires_;
  Phy phy_;
  bool trained_ = false;    // once
  bool lost_flit_ = false;  // in this cycle: its protocol ID cannot be told
  std::vector<std::pair<flits::Direction, Link::Arrival>> arrived_;  // in this cycle, in order
  std::vector<std::string> malformed_;                               // ALMPs as they were sent
  Time first_malformed_ = Time::never();
  struct Texts {
    std::array<std::string, 2> text;
    std::array<flits::IoStream, 2> io;
  };
  std::optional<Texts> texts_;
  flits::Decoder sender_;  // follows the M2S stream for spec_faults_
  flits::LinkChecker checker_;
  flits::FlitLogWriter* log_;
  std::array<LinkCounters, 2> before_{};                // what had been seen at time 0
  std::array<std::optional<LinkCounters>, 2> until_{};  // and at the end
};

}  // namespace cxlgpu
