// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
// Persist requests of the system: sent to all root ports, their answers joined.
//
// Source:  docs/blocks/host_bridge/persist_join.md.
#pragma once

#include <algorithm>
#include <cassert>
#include <cstdint>
#include <deque>
#include <optional>
#include <utility>
#include <vector>

namespace cxlgpu {

class PersistJoin {
 public:
  PersistJoin(unsigned ports, unsigned depth) : ports_(ports), depth_(depth) {
    assert(ports >= 1 && ports <= 64);
  }

  struct In {
    bool persist_valid = false;
    std::uint16_t persist_id = 0;
    bool persist_rsp_ready = false;
    bool bus_valid = false, bus_ready = false;
    std::uint64_t way_valid = 0, way_ready = 0;  // bit i: root port i; likewise below
    bool lost = false;
    bool clear_error = false;
    std::uint64_t port_req_ready = 0;
    std::uint64_t port_rsp_valid = 0, port_rsp_error = 0;
  };
  struct Out {
    bool persist_ready = false;
    bool persist_rsp_valid = false;
    std::uint16_t persist_rsp_id = 0;
    bool persist_rsp_error = false;
    bool clear = false;
    bool error = false;
    std::uint64_t port_req_valid = 0;
    std::uint64_t port_rsp_ready = 0;
  };
  [[nodiscard]] Out eval(const In& in) const {
    Out out;
    out.persist_ready = held() < depth_;
    out.persist_rsp_valid = !answers_.empty();
    if (!answers_.empty()) {
      out.persist_rsp_id = answers_.front().id;
      out.persist_rsp_error = answers_.front().error;
    }
    out.clear = in.clear_error && held() == 0 && !in.persist_valid;
    out.error = error_;
    if (round_) {
      out.port_req_valid = ports_at(Step::Ask);
      out.port_rsp_ready = ports_at(Step::AwaitAnswer);
    }
    return out;
  }

  void clock(const In& in) {
    const Out out = eval(in);
    if (!round_ && !waiting_.empty()) {
      round_ = Round{.requests = std::exchange(waiting_, {}),
                     .port = std::vector<Step>(ports_, Step::Drain)};
    }
    if (out.persist_ready && in.persist_valid) waiting_.push_back(in.persist_id);
    if (out.persist_rsp_valid && in.persist_rsp_ready) answers_.pop_front();
    if (round_) {
      advance(in);
      const bool answered =
          std::ranges::all_of(round_->port, [](Step step) { return step == Step::Answered; });
      if (answered && !out.persist_rsp_valid) {
        for (const std::uint16_t id : round_->requests) {
          answers_.push_back({id, round_->error || error_});
        }
        round_.reset();
      }
    }
    error_ = in.lost || (error_ && !out.clear);
  }

 private:
  enum class Step : std::uint8_t { Drain, Ask, AwaitAnswer, Answered };
  struct Round {
    std::vector<std::uint16_t> requests;
    std::vector<Step> port;
    bool bus_drained = false;
    bool error = false;
  };
  struct Answer {
    std::uint16_t id = 0;
    bool error = false;
  };

  [[nodiscard]] std::size_t held() const {
    return waiting_.size() + (round_ ? round_->requests.size() : 0) + answers_.size();
  }
  [[nodiscard]] std::uint64_t ports_at(Step step) const {
    std::uint64_t ports = 0;
    for (unsigned p = 0; p < ports_; ++p) ports |= std::uint64_t{round_->port[p] == step} << p;
    return ports;
  }
  // One cycle of the round.
  void advance(const In& in) {
    if (!round_->bus_drained) {
      round_->bus_drained = !in.bus_valid || in.bus_ready;
      return;
    }
    for (unsigned p = 0; p < ports_; ++p) {
      const auto bit = [p](std::uint64_t ports) { return (ports >> p & 1) != 0; };
      Step& step = round_->port[p];
      if (step == Step::Drain) {
        if (!bit(in.way_valid) || bit(in.way_ready)) step = Step::Ask;
      } else if (step == Step::Ask) {
        if (bit(in.port_req_ready)) step = Step::AwaitAnswer;
      } else if (step == Step::AwaitAnswer && bit(in.port_rsp_valid)) {
        step = Step::Answered;
        round_->error |= bit(in.port_rsp_error);
      }
    }
  }

  unsigned ports_, depth_;
  std::vector<std::uint16_t> waiting_;  // for the next round
  std::optional<Round> round_;
  std::deque<Answer> answers_;  // of the round before
  bool error_ = false;
};

}  // namespace cxlgpu
