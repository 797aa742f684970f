// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
// The host bridge of the event-driven model, with the bus adapter before it.
//
// Purpose: requests and hints on their way from the system bus to the root ports, and the ports'
//          responses on their way back, by the rules of the twin (HDM decoder, route, round robins)
//          with the cycle costs of docs/blocks/host_bridge/.
// Events:  a request's way is settled as soon as it is known: it is taken from the bus in cycle
//          a = max(offered, the one before it out of the adapter), decoded at a + 1, at its way in
//          cycle h = max(a + 1, way free), and leaves to its port from h + 1 on. Only there, and
//          where a way is not free, something happens. Responses for the bus of a cycle are chosen
//          when the cycle before it ends. Hints go a cycle at a time: the decoder is theirs only in
//          a cycle in which no request is decoded.
// Order:   tick(now) begins a cycle; after it the owner runs the ports, those that tick(now) names
//          among them, says with responds() and ports_moved() what they did, and calls
//          end_cycle(now).
// Units:   picoseconds on clock edges.
// Shapes:  ways out are the ports, then the local answer to a request that no port owns.
// Errors:  as the twin: a request that no port owns is answered with an error.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <optional>
#include <vector>

#include "common/request.hpp"
#include "common/ring_queue.hpp"
#include "common/time.hpp"
#include "common/trace_event.hpp"
#include "model/root_port.hpp"
#include "refmodel/host_bridge/hdm_decoder.hpp"
#include "refmodel/host_bridge/hint_walker.hpp"
#include "refmodel/host_bridge/host_bridge.hpp"

namespace cxlgpu {

class HostBridgeModel {
 public:
  // The number of ports is fixed here; each is connected before the first cycle. `sink` may be
  // null.
  HostBridgeModel(unsigned ports, TraceSink* sink);
  void connect(RootPortModel& port) { ports_.push_back(&port); }

  [[nodiscard]] HdmDecoder& decoder() { return decoder_; }

  // The system bus. False: the request before is not yet taken, or was taken in this cycle.
  bool submit(const MemRequest& request, Time now);
  // From when on submit() takes one, if nothing is submitted before; never(): not known yet.
  [[nodiscard]] Time submit_from() const { return offered_ ? Time::never() : bus_free_; }
  // The decoders' registers have been written: what is decoded from the cycle `now` on sees it.
  void decoders_change(Time now);
  // A hint on the bus in the cycle `now`. False: one is already.
  bool hint(const Hint& hint, Time now) {
    if (hint_) return false;
    hint_ = hint;
    has_hints_ = true;
    hints_next_ = now;
    return true;
  }
  std::optional<MemResponse> take(Time now) {
    std::optional<MemResponse> response;
    if (next_response() <= now) {
      response = answers_.front().response;
      answers_.pop();
    }
    return response;
  }
  // When the next response is there to be taken.
  [[nodiscard]] Time next_response() const {
    return answers_.empty() ? Time::never() : answers_.front().visible;
  }

  // Bit i: root port i was given something.
  [[nodiscard]] std::uint32_t tick(Time now) {
    while (!accepted_.empty() && accepted_.front().decoded < now) raise_accept();
    std::uint32_t woken = has_hints_ ? walk(now) : 0;
    if (forward_next_ <= now) woken |= forward(now);
    return woken;
  }
  [[nodiscard]] std::uint32_t read_register(std::uint32_t offset) const;
  // Root port i has a response.
  void responds(unsigned port) { responding_ |= 1u << port; }
  // The ports have had their cycle: one may have room again.
  void ports_moved(Time now) {
    for (std::uint32_t left = stuck_; left != 0; left &= left - 1) {
      if (can_leave(static_cast<unsigned>(std::countr_zero(left)))) wake(now + kCycle);
    }
  }
  // The cycle is over; bit i: root port i is rid of a response from the next one on.
  [[nodiscard]] std::uint32_t end_cycle(Time now) {
    const Time next = now + kCycle;
    const std::uint32_t rid = responding_ != 0 || answers_locally(next) ? collect(next) : 0;
    collect_next_ = responding_ != 0 || answers_locally(next) ? next : Time::never();
    if (has_hints_) {
      has_hints_ = hint_ || !walker_.empty() || walker_.waiting();
      hints_next_ = has_hints_ && can_walk(next) ? next : Time::never();
    }
    return rid;
  }
  [[nodiscard]] Time next_event() const {
    return earlier(forward_next_, earlier(collect_next_, hints_next_));
  }
  void wake(Time at) { forward_next_ = earlier(forward_next_, at); }

 private:
  struct Answer {
    MemResponse response;
    Time visible;
  };
  // A request in a register of the bridge or of the adapter before it.
  struct Held {
    unsigned slot = 0;  // of requests_
    unsigned way = 0;   // out of the adapter
    Time decoded;       // in which cycle
    Time visible;       // in the register
  };
  // A request that goes a way which a write of the decoders may still change.
  struct Accepted {
    unsigned slot = 0;
    Time decoded, at;
  };

  [[nodiscard]] unsigned local_way() const { return static_cast<unsigned>(ports_.size()); }
  [[nodiscard]] unsigned way_of(unsigned slot) const;
  [[nodiscard]] bool can_leave(unsigned port) const {
    return ways_[port] && ports_[port]->can_take(requests_[ways_[port]->slot]);
  }
  void leaves(unsigned way);
  void take_from_bus(unsigned slot, Time now);
  void enter_way(Time free);
  void raise_accept();
  void move_up(unsigned way, Time now);
  [[nodiscard]] bool answers_locally(Time now) const { return local_at_ <= now; }
  // A request is at the decoder, in its first cycle in the adapter alone.
  [[nodiscard]] bool decodes(Time now) const {
    return std::ranges::find(decoded_, now) != decoded_.end();
  }
  std::uint32_t walk(Time now);
  [[nodiscard]] bool can_walk(Time at) const;
  std::uint32_t forward(Time now);
  std::uint32_t collect(Time now);
  std::uint32_t collect(Time now, bool writes, std::uint32_t offers);
  void raise(Time at, Stage stage, std::uint32_t id, std::uint64_t addr, std::uint32_t info,
             unsigned port) const;

  TraceSink* sink_;
  std::vector<RootPortModel*> ports_;
  HdmDecoder decoder_{HdmDecoder::Role::HostBridge};
  std::array<RoundRobin, 2> arbiters_;  // of reads, of writes
  std::vector<MemRequest> requests_;    // a slot for each register of bridge and adapter
  std::uint32_t free_slots_;
  std::vector<std::optional<Held>> ways_;  // the bridge's registers, one each way out
  std::optional<Held> adapter_;            // that waits for its way
  std::optional<unsigned> offered_;        // slot: on the bus, waits for the adapter
  RingQueue<Accepted, 4> accepted_;        // whose SysAccept is not yet raised
  Time bus_free_{0};
  // Cycles in which the last requests are decoded.
  std::array<Time, 4> decoded_{Time::never(), Time::never(), Time::never(), Time::never()};
  unsigned last_decoded_ = 0;     // its place
  std::uint32_t stuck_ = 0;       // ways that wait for room in their port
  std::uint32_t responding_ = 0;  // root ports with a response for the bus
  RingQueue<Answer, 256> answers_;
  Time forward_next_ = Time::never();
  Time collect_next_ = Time::never();  // a response waits for the bus
  Time local_at_ = Time::never();      // the local answer, as a response
  bool has_hints_ = false;             // in the two that follow
  std::optional<Hint> hint_;           // on the bus, in this cycle
  HintWalker walker_;
  BridgeHintCounters hint_counters_;
  Time hints_next_ = Time::never();
};

}  // namespace cxlgpu
