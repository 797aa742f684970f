// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
// Requests of workload prefix one after the other: when each may begin, has its first token, and
// whether what was fetched for it are the bytes of its own blocks.
//
// Purpose: what the runs over copies and over drives are alike in; they do the fetching.
// Shapes:  a block's part of a layer is an arithmetic series of 8-byte numbers, whose first is
//          drawn from seed, block and layer: no two places of one part, and hardly any of two,
//          have the same. fill() gives what the slots hold, check() compares with what the
//          request's blocks should be.
// Timing:  a request begins when it has arrived and the one before it has ended. Its layers are
//          computed in their order once all is fetched, or, with overlap, each once its own keys
//          and values are there and the layer before it is computed.
// Errors:  wrong bytes are lines of problems().
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "sim/serving/prefill_time.hpp"
#include "sim/serving/prefix_plan.hpp"

namespace cxlgpu {

struct PrefixResult {
  struct One {
    Time queued, fetched, computed, first_token;  // the last since it arrived
    bool hit = false;
  };
  std::vector<One> requests;
  std::uint64_t tokens = 0, tokens_held = 0;
  std::uint64_t calls = 0, failed = 0;  // copies or I/Os
  std::uint64_t bytes = 0, bytes_checked = 0, bytes_wrong = 0;
  Time end;
};

class PrefixServer {
 public:
  // `plan` outlives it.
  PrefixServer(const PrefixWork& work, const PrefixPlan& plan);

  [[nodiscard]] bool done() const { return next_ == plan_.requests.size(); }
  [[nodiscard]] std::uint64_t left() const { return plan_.requests.size() - next_; }
  // How long to wait, from now, until the next may begin. Precondition: not done().
  [[nodiscard]] Time wait(Time now) const;
  // It begins.
  const PrefixRequest& begin(Time now);
  // All of a layer, and of those before it, is fetched.
  void layer_there(unsigned layer, Time now);
  // All is fetched: when it has its first token.
  [[nodiscard]] Time first_token(Time now);
  // It has; its blocks are in their slots.
  void end(Time now);

  // Bytes of the cache from `offset` on, in whole parts, as its slots hold them.
  void fill(std::uint64_t offset, std::span<std::uint8_t> to) const;
  // What was fetched from there for the request that runs.
  void check(std::uint64_t offset, std::span<const std::uint8_t> got);
  // What was not.
  void failed(std::string line);

  [[nodiscard]] const PrefixResult& result() const { return result_; }
  [[nodiscard]] const std::vector<std::string>& problems() const { return problems_; }

 private:
  struct Place {
    std::uint64_t slot = 0;
    unsigned layer = 0;
  };
  [[nodiscard]] Place place(std::uint64_t offset) const;
  void draw(std::uint64_t block, unsigned layer, std::span<std::uint8_t> to) const;
  [[nodiscard]] std::uint64_t asked(std::uint64_t slot) const;
  void problem(std::string line);

  PrefixWork work_;
  const PrefixPlan& plan_;
  std::uint64_t part_;
  std::size_t next_ = 0;
  Time arrived_, began_;
  std::vector<Time> there_;           // by layer
  std::vector<std::uint64_t> holds_;  // by slot: a block
  std::vector<std::uint8_t> expected_;
  PrefixResult result_;
  std::vector<std::string> problems_;
};

}  // namespace cxlgpu
