// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
// A GPU's copy engine for one program, in one direction: one copy at a time.
//
// Purpose: what a copy costs: its set-up, then its bytes over the links of its route.
// Data:    the bytes are really copied. From its beginning to its end a copy's destination holds
//          neither what was there nor what comes, so that who reads or writes it too early is
//          found.
// Order:   in that of submit(). Engines of other programs share the links.
// Errors:  after fail() each copy ends at once, and `done` says so.
#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <span>
#include <vector>

#include "sim/multipath/copy_host.hpp"

namespace cxlgpu {

class CopyEngine {
 public:
  struct Copy {
    Topology::Route route;
    std::span<const std::uint8_t> from;
    std::span<std::uint8_t> to;  // as long
    std::function<void(bool copied)> done;
  };

  // `host` outlives the engine.
  CopyEngine(CopyHost& host, Time setup) : host_(host), setup_(setup) {}
  CopyEngine(const CopyEngine&) = delete;
  CopyEngine& operator=(const CopyEngine&) = delete;

  void submit(Copy copy);
  // Its link is lost.
  void fail();

 private:
  void start();
  void finish(bool copied);

  CopyHost& host_;
  Time setup_;
  std::deque<Copy> queue_;  // the first runs
  FlowNetwork::FlowId flow_ = 0;
  std::uint64_t round_ = 0;  // of the copy that runs; what is due for an older one is void
  bool failed_ = false;
};

}  // namespace cxlgpu
