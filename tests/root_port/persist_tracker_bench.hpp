// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
// persist_tracker beside its twin, and a root port's stores for it.
//
// Purpose: Pair is the RTL in lockstep with its twin. Stores is a holder of entries by the rules of
//          the page: stores become writes, or join slots that are sent; it knows of each store
//          whether the endpoint has it, by its number, and hence what a request must be answered,
//          and when. It counts nothing by parity, so it is a witness outside the pair.
// Units:   cycles.
// Errors:  GoogleTest failures.
// Source:  docs/blocks/root_port/persist_tracker.md.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <vector>

#include "Vpersist_tracker.h"
#include "refmodel/root_port/persist_tracker.hpp"
#include "tests/common/idle.hpp"
#include "tests/common/lockstep.hpp"
#include "tests/common/offer.hpp"
#include "tests/coverage/functional_gtest.hpp"
#include "tests/coverage/pairs_root_port.hpp"

namespace cxlgpu::test {

// Of persist_tracker_tb.sv.
struct TrackerSize {
  unsigned choice, dones, entries;
};
inline constexpr TrackerSize kDefault{0, 2, 255}, kLeast{1, 1, 1}, kSmall{2, 4, 5},
    kPort{3, 2, 1112};

class TrackerPair {
 public:
  using In = PersistTracker::In;
  using Out = PersistTracker::Out;

  explicit TrackerPair(TrackerSize size = kDefault, std::uint64_t seed = 0,
                       std::uint64_t cycles = 60'000)
      : size(size),
        lockstep("root_port/persist_tracker", seed, cycles),
        twin_(size.dones, size.entries) {
    rtl_->size_i = size.choice;
    rtl_.reset();
  }
  // Registered: what the RTL shows in the cycle to come.
  [[nodiscard]] Out look() {
    rtl_.settle();
    Out out;
    out.store_parity = rtl_->store_parity_o;
    out.error = rtl_->error_o != 0;
    out.req_ready = rtl_->req_ready_o != 0;
    out.rsp_valid = rtl_->rsp_valid_o != 0;
    out.rsp_error = rtl_->rsp_error_o != 0;
    out.waiting = rtl_->waiting_o != 0;
    return out;
  }
  Out step(const In& in) {
    rtl_->store_i = in.store;
    rtl_->done_i = rtl_->done_set_i = rtl_->done_error_i = 0;
    idle_.fill(rtl_->done_set_i, 0, 8);  // where nothing is done
    idle_.fill(rtl_->done_error_i, 0, 4);
    for (unsigned d = 0; d < size.dones; ++d) {
      if (!in.done[d].valid) continue;
      rtl_->done_i |= 1u << d;
      set_bits(rtl_->done_set_i, 2 * d, 2, in.done[d].set);
      set_bits(rtl_->done_error_i, d, 1, in.done[d].error);
    }
    rtl_->fail_i = in.fail;
    rtl_->clear_error_i = in.clear_error;
    rtl_->req_valid_i = in.req_valid;
    rtl_->rsp_ready_i = in.rsp_ready;
    const Out rtl = look();
    const Out twin = twin_.eval(in);
    lockstep.check("store_parity_o", rtl.store_parity, twin.store_parity);
    lockstep.check("error_o", rtl.error, twin.error);
    lockstep.check("req_ready_o", rtl.req_ready, twin.req_ready);
    lockstep.check("rsp_valid_o", rtl.rsp_valid, twin.rsp_valid);
    lockstep.check("rsp_error_o", rtl.rsp_error, twin.rsp_error);
    lockstep.check("waiting_o", rtl.waiting, twin.waiting);
    offer_.look(rtl.rsp_valid, in.rsp_ready, rtl_->rsp_error_o);
    meet(in, rtl);
    twin_.clock(in);
    rtl_.edge();
    return rtl;
  }
  void reset() {
    rtl_.reset();
    twin_ = PersistTracker(size.dones, size.entries);
    offer_.forget();
    count_ = {};
  }
  [[nodiscard]] std::uint64_t stalls() const { return offer_.stalls(); }

  const TrackerSize size;
  Lockstep lockstep;

 private:
  // Entries are counted here by what goes in, for the bins alone.
  void meet(const In& in, const Out& out) {
    unsigned young = 0, old = 0;
    bool error = in.fail;
    const unsigned now = out.store_parity;
    for (const PersistTracker::Done& done : in.done) {
      if (!done.valid) continue;
      young += done.set >> now & 1;
      old += done.set >> (now ^ 1) & 1;
      error |= done.error && done.set != 0;
    }
    using coverage::TrackerRequest;
    const auto request = out.waiting ? TrackerRequest::Waits
                         : out.rsp_valid
                             ? in.rsp_ready ? TrackerRequest::Leaves : TrackerRequest::Stalled
                         : in.req_valid ? TrackerRequest::Taken
                                        : TrackerRequest::None;
    const unsigned left = count_[now ^ 1];
    const auto olds = old == 0      ? coverage::TrackerOld::None
                      : old == left ? coverage::TrackerOld::Last
                                    : coverage::TrackerOld::Some;
    if (size.entries == 5 || size.entries == 255) {
      pairs_.hit({size.entries == 255, static_cast<unsigned>(request), in.store,
                  std::min(young, 2u), static_cast<unsigned>(olds)});
      errors_.hit({static_cast<unsigned>(request), out.error, error, in.clear_error});
    }
    count_[now] += in.store;
    count_[now] -= young;
    count_[now ^ 1] -= old;
  }

  Clocked<Vpersist_tracker> rtl_;
  PersistTracker twin_;
  Idle idle_;
  Offer offer_{"rsp_o"};
  TestCoverage pairs_{coverage::persist_tracker_pairs()};
  TestCoverage errors_{coverage::persist_tracker_errors()};
  std::array<unsigned, 2> count_{};
};

// A port's stores to memory that persists.
class Stores {
 public:
  struct Rules {
    bool join = true;            // stores join a slot of their line until it is sent
    bool leave_the_set = false;  // a fault: a slot that is sent keeps its set
  };
  explicit Stores(TrackerPair& pair, Rules rules) : pair_(pair), rules_(rules) {}

  // What happens in one cycle; what cannot be is left out.
  struct Acts {
    std::optional<unsigned> store{};   // its line
    std::optional<unsigned> send{};    // the slot of this line
    std::optional<unsigned> answer{};  // the write of this line
    bool refused = false;              // that answer is an error
    bool request = false, take = true, clear = false;
  };
  PersistTracker::Out cycle(const Acts& acts) {
    const PersistTracker::Out before = pair_.look();
    PersistTracker::In in;
    if (acts.answer && writes_.contains(*acts.answer)) {
      const Entry& write = writes_[*acts.answer];
      in.done[0] = {.valid = true, .set = write.set, .error = acts.refused};
      if (acts.refused && write.set != 0) failed_next_ = true;
      for (const std::uint64_t number : write.stores) outstanding_.erase(number);
      if (rules_.leave_the_set && slots_.contains(*acts.answer)) {
        slots_[*acts.answer].set &= ~write.set;
      }
      writes_.erase(*acts.answer);
    }
    if (acts.send && slots_.contains(*acts.send) && !writes_.contains(*acts.send)) {
      Entry& slot = slots_[*acts.send];
      writes_[*acts.send] = slot;
      if (rules_.leave_the_set) {
        slot.stores.clear();
      } else {
        slots_.erase(*acts.send);
      }
    }
    if (acts.store) store(*acts.store, before.store_parity, in);
    in.req_valid = acts.request || offered_;
    in.rsp_ready = acts.take;
    in.clear_error = acts.clear && !in.req_valid && before.req_ready;
    judge(before, in);
    return pair_.step(in);
  }
  [[nodiscard]] std::size_t outstanding() const { return outstanding_.size(); }
  [[nodiscard]] std::uint64_t early() const { return early_; }
  [[nodiscard]] std::uint64_t late() const { return late_; }
  [[nodiscard]] std::uint64_t answered() const { return answered_; }
  [[nodiscard]] std::uint64_t longest() const { return longest_; }  // from taken to offered
  [[nodiscard]] bool going(unsigned line) const { return writes_.contains(line); }

 private:
  struct Entry {
    unsigned set = 0;
    std::vector<std::uint64_t> stores;
  };

  void store(unsigned line, unsigned parity, PersistTracker::In& in) {
    if (outstanding_.size() >= pair_.size.entries) return;
    if (!rules_.join && (slots_.contains(line) || writes_.contains(line))) return;
    in.store = true;
    Entry& slot = slots_[line];
    if ((slot.set >> parity & 1) != 0) {  // one of the two is given back
      in.done[1] = {.valid = true, .set = 1u << parity, .error = false};
    }
    slot.set |= 1u << parity;
    slot.stores.push_back(number_);
    outstanding_.insert(number_++);
  }
  // The request that is held must be answered in the first cycle in which all that came before it
  // is at the endpoint, and told whether something failed.
  void judge(const PersistTracker::Out& out, const PersistTracker::In& in) {
    ++now_;
    if (held_) {
      const bool all_there = !first_left_ || *first_left_ >= asked_;
      early_ += out.rsp_valid && !all_there;
      late_ += !out.rsp_valid && all_there;
      if (out.rsp_valid && !offered_answer_) {
        told_ = failed_;
        longest_ = std::max(longest_, now_ - taken_);
      }
      EXPECT_TRUE(!out.rsp_valid || out.rsp_error == told_);
      offered_answer_ = out.rsp_valid;
      if (out.rsp_valid && in.rsp_ready) {
        held_ = offered_answer_ = false;
        ++answered_;
      }
    } else if (in.req_valid) {
      held_ = true;
      asked_ = number_;  // a store of this cycle came before
      taken_ = now_;
    }
    offered_ = in.req_valid && !out.req_ready;
    if (in.clear_error) failed_ = false;
    if (failed_next_) failed_ = true;
    failed_next_ = false;
    // What the endpoint has by the end of this cycle shows in the next.
    first_left_.reset();
    if (!outstanding_.empty()) first_left_ = *outstanding_.begin();
  }

  TrackerPair& pair_;
  Rules rules_;
  std::map<unsigned, Entry> slots_, writes_;  // by line
  std::set<std::uint64_t> outstanding_;
  std::optional<std::uint64_t> first_left_;
  std::uint64_t number_ = 0, asked_ = 0, now_ = 0, taken_ = 0, longest_ = 0;
  std::uint64_t early_ = 0, late_ = 0, answered_ = 0;
  bool held_ = false, offered_ = false, offered_answer_ = false;
  bool failed_ = false, failed_next_ = false, told_ = false;
};

}  // namespace cxlgpu::test
