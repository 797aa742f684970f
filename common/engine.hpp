// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
// The one socket: every engine (rtl, model, cosim) and everything that drives one.
//
// An engine is the root complex, its links, its endpoints and their media, already brought up
// through registers. An initiator (GPU model, trace replay, test) submits line requests and takes
// responses. Time only moves in advance_to().
//
// Contract:
//  * submit() at the current time either puts the request on the system bus (true) or leaves no
//  trace
//    of it (false: the request before it is still on the bus; offer it again after time has
//    advanced). At most lines_per_cycle() requests are taken per clock edge, in the order offered.
//  * hint() puts a hint on the bus beside the requests (true); at most one a clock edge (false:
//  offer
//    it again after time has advanced). It never stops a request and is never answered.
//  * take() gives the responses that the system bus offered up to now(), in bus order.
//  * advance_to(t) lets time pass up to t (a clock edge), or only to the first edge at which take()
//    has a response or a refused submit() may be taken, if that is earlier; now() tells. With
//    t == Time::never() an engine that knows itself idle for good leaves now() as it is.
#pragma once

#include <optional>

#include "common/request.hpp"
#include "common/time.hpp"

namespace cxlgpu {

class Engine {
 public:
  virtual ~Engine() = default;
  [[nodiscard]] virtual Time now() const = 0;
  virtual bool submit(const MemRequest& request) = 0;
  virtual std::optional<MemResponse> take() = 0;
  virtual bool hint(const Hint& /*hint*/) { return true; }
  virtual void advance_to(Time t) = 0;
  // The system bus of a CXL system carries one line a cycle; an engine that stands for GPU memory
  // itself has no such bus before it.
  [[nodiscard]] virtual unsigned lines_per_cycle() const { return 1; }
};

// Whatever makes requests. step() runs at engine.now(): it first takes every response, then
// submits what it wants to. next_event() is the earliest time at which it wants step() again
// without a response having come; Time::never() if only a response can wake it.
class Initiator {
 public:
  virtual ~Initiator() = default;
  virtual void step(Engine& engine) = 0;
  [[nodiscard]] virtual Time next_event() const = 0;
  [[nodiscard]] virtual bool done() const = 0;
};

}  // namespace cxlgpu
