// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
// The way between the LLC and the system bus, there and back.
//
// Purpose: what every access beyond the LLC pays wherever its memory is: crossbar, queues, clock
//          domains. (Local memory's idle latency holds the same share.) A pipeline: order is kept,
//          any number may be on the way.
// Units:   cycles of kCycle; half of the delay is spent each way, the odd cycle on the way there.
// Errors:  request() and pop_request() only with request_due(), the like for the others.
#pragma once

#include <cstdint>

#include "common/pipe.hpp"
#include "common/request.hpp"

namespace cxlgpu {

class Fabric {
 public:
  explicit Fabric(std::uint64_t cycles) : there_((cycles + 1) / 2), back_(cycles / 2) {}

  void send(const MemRequest& request, std::uint64_t now) {
    auto& entry = requests_.push();
    entry.due = now + there_;
    entry.what = request;
  }
  [[nodiscard]] bool request_due(std::uint64_t now) const { return is_due(requests_, now); }
  [[nodiscard]] const MemRequest& request() const { return requests_.front().what; }
  void pop_request() { requests_.pop(); }

  // Hints go beside the requests, in order among each other.
  void send_hint(const Hint& hint, std::uint64_t now) {
    auto& entry = hints_.push();
    entry.due = now + there_;
    entry.what = hint;
  }
  [[nodiscard]] bool hint_due(std::uint64_t now) const { return is_due(hints_, now); }
  [[nodiscard]] bool no_hint() const { return hints_.empty(); }
  [[nodiscard]] const Hint& hint() const { return hints_.front().what; }
  void pop_hint() { hints_.pop(); }

  void answer(const MemResponse& response, std::uint64_t now) {
    auto& entry = responses_.push();
    entry.due = now + back_;
    entry.what = response;
  }
  [[nodiscard]] bool response_due(std::uint64_t now) const { return is_due(responses_, now); }
  [[nodiscard]] const MemResponse& response() const { return responses_.front().what; }
  void pop_response() { responses_.pop(); }

  // When the oldest of each is there; ~0 if none is on the way.
  [[nodiscard]] std::uint64_t next_request() const { return first_due(requests_); }
  [[nodiscard]] std::uint64_t next_hint() const { return first_due(hints_); }
  [[nodiscard]] std::uint64_t next_response() const { return first_due(responses_); }

 private:
  template <typename T>
  struct Entry {
    std::uint64_t due = 0;
    T what{};
  };
  template <typename T>
  [[nodiscard]] static std::uint64_t first_due(const Pipe<Entry<T>>& pipe) {
    return pipe.empty() ? ~std::uint64_t{0} : pipe.front().due;
  }
  template <typename T>
  [[nodiscard]] static bool is_due(const Pipe<Entry<T>>& pipe, std::uint64_t now) {
    return first_due(pipe) <= now;
  }

  std::uint64_t there_, back_;
  Pipe<Entry<MemRequest>> requests_{256};
  Pipe<Entry<MemResponse>> responses_{256};
  Pipe<Entry<Hint>> hints_;
};

}  // namespace cxlgpu
