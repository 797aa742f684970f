// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
// The persist tracker of a root port: when all stores before a persist request are done.
//
// Source:  docs/blocks/root_port/persist_tracker.md.
#pragma once

#include <array>
#include <cassert>
#include <optional>

namespace cxlgpu {

class PersistTracker {
 public:
  static constexpr unsigned kMaxDones = 4;

  PersistTracker(unsigned dones, unsigned entries) : dones_(dones), entries_(entries) {
    assert(dones >= 1 && dones <= kMaxDones);
  }

  struct Done {
    bool valid = false;
    unsigned set = 0;  // bit p: stores of parity p
    bool error = false;
  };
  struct In {
    bool store = false;
    std::array<Done, kMaxDones> done{};
    bool fail = false;
    bool clear_error = false;
    bool req_valid = false;
    bool rsp_ready = false;
  };
  struct Out {
    unsigned store_parity = 0;
    bool error = false;
    bool req_ready = false;
    bool rsp_valid = false, rsp_error = false;
    bool waiting = false;
  };
  [[nodiscard]] Out eval(const In&) const {
    return {.store_parity = store_parity_,
            .error = error_,
            .req_ready = !held_,
            .rsp_valid = failed_.has_value(),
            .rsp_error = failed_.value_or(false),
            .waiting = held_ && !done_before()};
  }
  void clock(const In& in) {
    assert(!in.clear_error || (!held_ && !in.req_valid));
    if (in.clear_error) error_ = false;
    if (in.fail) error_ = true;
    for (unsigned i = 0; i < dones_; ++i) {
      const Done& done = in.done[i];
      if (!done.valid || done.set == 0) continue;
      if (done.error) error_ = true;
      for (const unsigned parity : {0u, 1u}) {
        if ((done.set >> parity & 1) == 0) continue;
        assert(outstanding_[parity] != 0);
        --outstanding_[parity];
      }
    }
    if (in.store) {
      assert(outstanding_[store_parity_] < entries_);
      ++outstanding_[store_parity_];
    }
    if (failed_) {
      if (in.rsp_ready) {
        held_ = false;
        failed_.reset();
      }
      return;
    }
    if (!held_ && in.req_valid) {
      held_ = true;
      store_parity_ ^= 1;
    }
    if (held_ && done_before()) failed_ = error_;
  }

 private:
  // Whether the stores of before the request held are done.
  [[nodiscard]] bool done_before() const { return outstanding_[store_parity_ ^ 1] == 0; }

  unsigned dones_, entries_;
  unsigned store_parity_ = 0;
  std::array<unsigned, 2> outstanding_{};  // of each parity
  bool error_ = false;
  bool held_ = false;           // a request
  std::optional<bool> failed_;  // its answer, from when it is offered
};

}  // namespace cxlgpu
