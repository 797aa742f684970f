// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
// persist_join beside its twin, and a bus with ports for it.
//
// Purpose: JoinPair is the RTL in lockstep with its twin. Bus has what stands around it: the
//          register in front of the host bridge, one in front of each port, ports whose stores
//          are done after a time of their own. It numbers the stores as they are accepted, so it
//          knows which ones a request must have waited for: a witness outside the pair.
// Units:   cycles.
// Errors:  GoogleTest failures.
// Source:  docs/blocks/host_bridge/persist_join.md.
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>
#include <deque>
#include <map>
#include <optional>
#include <set>
#include <utility>
#include <vector>

#include "Vpersist_join.h"
#include "refmodel/host_bridge/persist_join.hpp"
#include "tests/common/idle.hpp"
#include "tests/common/lockstep.hpp"
#include "tests/common/offer.hpp"
#include "tests/coverage/functional_gtest.hpp"
#include "tests/coverage/pairs_endpoint.hpp"

namespace cxlgpu::test {

// Of persist_join_tb.sv.
struct JoinSize {
  unsigned choice, ports, depth;
};
inline constexpr JoinSize kTwoPorts{0, 2, 16}, kOneOfEach{1, 1, 1}, kFourPorts{2, 4, 3},
    kMostPorts{3, 15, 64};

class JoinPair {
 public:
  using In = PersistJoin::In;
  using Out = PersistJoin::Out;

  explicit JoinPair(JoinSize size = kTwoPorts, std::uint64_t seed = 0,
                    std::uint64_t cycles = 40'000)
      : size(size),
        all((1u << size.ports) - 1),
        lockstep("host_bridge/persist_join", seed, cycles),
        twin_(size.ports, size.depth) {
    rtl_->size_i = size.choice;
    rtl_.reset();
  }
  // But for clear_o, what the RTL shows in the cycle to come.
  [[nodiscard]] Out look() {
    rtl_.settle();
    Out out;
    out.persist_ready = rtl_->persist_ready_o != 0;
    out.persist_rsp_valid = rtl_->persist_rsp_valid_o != 0;
    out.persist_rsp_id = rtl_->persist_rsp_id_o;
    out.persist_rsp_error = rtl_->persist_rsp_error_o != 0;
    out.clear = rtl_->clear_o != 0;
    out.error = rtl_->error_o != 0;
    out.port_req_valid = rtl_->port_req_valid_o;
    out.port_rsp_ready = rtl_->port_rsp_ready_o;
    return out;
  }
  Out step(const In& in) {
    rtl_->persist_valid_i = in.persist_valid;
    rtl_->persist_id_i = in.persist_id;
    if (!in.persist_valid) idle_.fill(rtl_->persist_id_i, 0, 16);
    rtl_->persist_rsp_ready_i = in.persist_rsp_ready;
    rtl_->bus_valid_i = in.bus_valid;
    rtl_->bus_ready_i = in.bus_ready;
    rtl_->way_valid_i = in.way_valid & all;
    rtl_->way_ready_i = in.way_ready & all;
    rtl_->lost_i = in.lost;
    rtl_->clear_error_i = in.clear_error;
    rtl_->port_req_ready_i = in.port_req_ready & all;
    rtl_->port_rsp_valid_i = in.port_rsp_valid & all;
    idle_.fill(rtl_->port_rsp_error_i, 0, 15);
    rtl_->port_rsp_error_i &= ~in.port_rsp_valid & 0x7fff;
    rtl_->port_rsp_error_i |= in.port_rsp_error & in.port_rsp_valid & all;
    const Out rtl = look();
    const Out twin = twin_.eval(in);
    lockstep.check("persist_ready_o", rtl.persist_ready, twin.persist_ready);
    lockstep.check("persist_rsp_valid_o", rtl.persist_rsp_valid, twin.persist_rsp_valid);
    lockstep.check("persist_rsp_id_o", rtl.persist_rsp_id, twin.persist_rsp_id);
    lockstep.check("persist_rsp_error_o", rtl.persist_rsp_error, twin.persist_rsp_error);
    lockstep.check("clear_o", rtl.clear, twin.clear);
    lockstep.check("error_o", rtl.error, twin.error);
    lockstep.check("port_req_valid_o", rtl.port_req_valid, twin.port_req_valid);
    lockstep.check("port_rsp_ready_o", rtl.port_rsp_ready, twin.port_rsp_ready);
    offer_.look(rtl.persist_rsp_valid, in.persist_rsp_ready, rtl_->persist_rsp_id_o,
                rtl_->persist_rsp_error_o);
    meet(in, rtl);
    twin_.clock(in);
    rtl_.edge();
    return rtl;
  }
  void reset() {
    rtl_.reset();
    twin_ = PersistJoin(size.ports, size.depth);
    offer_.forget();
  }
  [[nodiscard]] std::uint64_t stalls() const { return offer_.stalls(); }

  const JoinSize size;
  const std::uint64_t all;  // a bit for each port
  Lockstep lockstep;

 private:
  void meet(const In& in, const Out& out) {
    if (size.depth > 3) return;
    const auto pair = [](bool there, bool moves) { return !there ? 0u : moves ? 2u : 1u; };
    pairs_.hit({size.depth == 3, pair(in.persist_valid, out.persist_ready),
                pair(out.port_req_valid != 0, (out.port_req_valid & in.port_req_ready) != 0),
                pair(out.port_rsp_ready != 0, (out.port_rsp_ready & in.port_rsp_valid) != 0),
                pair(out.persist_rsp_valid, in.persist_rsp_ready)});
  }

  Clocked<Vpersist_join> rtl_;
  PersistJoin twin_;
  Idle idle_;
  Offer offer_{"persist_rsp_o"};
  TestCoverage pairs_{coverage::persist_join_pairs()};
};

// The bus, the ways and the ports around it.
class Bus {
 public:
  // Of one cycle.
  struct Acts {
    std::optional<unsigned> store{};  // its port; as many as there are ports: nobody's, it is lost
    bool bus_moves = true;            // the host bridge accepts if there is room
    std::uint64_t way_ready = ~0ull;
    std::optional<std::uint16_t> request{};
    bool takes = true, fails = false, clear = false;
    unsigned latency = 10;           // of the store that comes
    std::uint64_t trackers = ~0ull;  // that take and answer in this cycle
  };
  explicit Bus(JoinPair& pair) : pair_(pair), ports_(pair.size.ports) {}

  JoinPair::Out cycle(const Acts& acts) {
    ++now_;
    const JoinPair::Out out = pair_.look();
    JoinPair::In in;
    in.persist_rsp_ready = acts.takes;
    for (unsigned p = 0; p < ports_.size(); ++p) {
      Port& port = ports_[p];
      std::erase_if(port.going, [&](const Store& store) { return store.done < now_; });
      const std::uint64_t bit = std::uint64_t{1} << p;
      if (port.way) in.way_valid |= bit;
      if ((acts.way_ready & bit) != 0) in.way_ready |= bit;
      if (!port.before && (acts.trackers & bit) != 0) in.port_req_ready |= bit;
      if (port.before && !port.offers && (acts.trackers & bit) != 0) {
        port.offers = std::ranges::none_of(
            port.going, [&](const Store& store) { return store.number < *port.before; });
        port.told = port.error;
      }
      if (port.offers) in.port_rsp_valid |= bit;
      if (port.told) in.port_rsp_error |= bit;
    }
    in.bus_valid = front_.has_value();
    in.bus_ready = front_ && acts.bus_moves && room(*front_, acts.way_ready);
    in.lost = lost_.has_value();
    if (acts.request && !offered_) offered_ = *acts.request;
    in.persist_valid = offered_.has_value();
    in.persist_id = offered_.value_or(0);
    in.clear_error = acts.clear;
    judge(out, acts.takes);
    // The edge: what moves.
    const std::optional<std::uint64_t> lost = std::exchange(lost_, std::nullopt);
    for (unsigned p = 0; p < ports_.size(); ++p) enter(p, in, out);
    if (in.bus_ready) {
      if (front_->port == ports_.size()) {
        lost_ = front_->number;
        outstanding_.erase(front_->number);
      } else {
        ports_[front_->port].way = front_;
      }
      front_.reset();
    }
    if (acts.store && !front_) {
      front_ = Store{number_, *acts.store, acts.latency, 0, acts.fails};
      outstanding_[number_] = ~0ull;
      ++number_;
    }
    if (offered_ && out.persist_ready) {  // stores of this cycle came before
      asked_.push_back({*offered_, number_, now_});
      offered_.reset();
    }
    const JoinPair::Out now = pair_.step(in);
    if (now.clear) {
      EXPECT_TRUE(in.clear_error && asked_.empty());
      failed_.clear();
      for (Port& port : ports_) port.error = false;
    }
    if (lost) failed_.insert(*lost);  // wins over the clear
    return now;
  }
  [[nodiscard]] std::uint64_t answered() const { return answered_; }
  [[nodiscard]] std::uint64_t errors() const { return errors_; }
  [[nodiscard]] std::uint64_t longest() const { return longest_; }  // from taken to offered

 private:
  struct Store {
    std::uint64_t number;
    unsigned port, latency;
    std::uint64_t done;  // the cycle in which it is
    bool fails;
  };
  struct Port {
    std::optional<Store> way;
    std::vector<Store> going;
    std::optional<std::uint64_t> before;  // asked: of the stores before this number
    bool offers = false, told = false, error = false;
  };
  struct Asked {
    std::uint16_t id;
    std::uint64_t before, since;
  };

  [[nodiscard]] bool room(const Store& store, std::uint64_t ready) const {
    return store.port == ports_.size() || !ports_[store.port].way || (ready >> store.port & 1) != 0;
  }
  void enter(unsigned p, const JoinPair::In& in, const JoinPair::Out& out) {
    Port& port = ports_[p];
    if (port.way && (in.way_ready >> p & 1) != 0) {
      Store store = *port.way;
      store.done = now_ + store.latency;
      if (store.fails) failed_.insert(store.number);
      port.error |= store.fails;
      outstanding_[store.number] = store.done;
      port.going.push_back(store);
      port.way.reset();
    }
    if ((out.port_rsp_ready & in.port_rsp_valid) >> p & 1) {
      port.before.reset();
      port.offers = port.told = false;
    }
    if ((out.port_req_valid & in.port_req_ready) >> p & 1) {
      // All that the port has, that of this cycle too: what is at the port has the lower numbers of
      // it.
      port.before = port.going.empty() ? 0 : port.going.back().number + 1;
    }
  }
  // In the order of the requests, each when all before it is done, or lost; told if something
  // failed.
  void judge(const JoinPair::Out& out, bool takes) {
    if (!out.persist_rsp_valid) return;
    ASSERT_FALSE(asked_.empty());
    const Asked& first = asked_.front();
    EXPECT_EQ(out.persist_rsp_id, first.id);
    for (const auto& [number, done] : outstanding_) {
      EXPECT_TRUE(number >= first.before || done < now_) << "store " << number;
    }
    const bool failed = !failed_.empty() && *failed_.begin() < first.before;
    EXPECT_TRUE(out.persist_rsp_error ? !failed_.empty() : !failed);
    longest_ = std::max(longest_, now_ - first.since);
    if (!takes) return;
    ++answered_;
    errors_ += out.persist_rsp_error;
    std::erase_if(outstanding_, [&](const auto& store) { return store.second < now_; });
    asked_.pop_front();
  }

  JoinPair& pair_;
  std::vector<Port> ports_;
  std::optional<Store> front_;
  std::optional<std::uint16_t> offered_;
  std::map<std::uint64_t, std::uint64_t> outstanding_;  // number -> cycle in which it is done
  std::set<std::uint64_t> failed_;
  std::deque<Asked> asked_;
  std::uint64_t number_ = 0, now_ = 0, answered_ = 0, errors_ = 0, longest_ = 0;
  std::optional<std::uint64_t> lost_;
};

}  // namespace cxlgpu::test
