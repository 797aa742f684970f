// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
// One direction of one link, message by message: transmit side of the sending controller, the
// wire, and receive side of the receiving controller.
//
// Purpose: the controller of the event-driven whole-system model. It packs by the same rule as the
//          cycle-exact twin (pack_rule.hpp) and keeps credits, acknowledgements, the retry buffer
//          level and LLCRD forcing, but moves message handles instead of bits.
// Units:   times in picoseconds; every action falls on a clock edge.
// Timing:  docs/blocks/controller/cxl_controller.md: T1..T3 three cycles, R1, R2 two cycles;
//          between them the serialiser and the flight time of the wire.
// Retry:   a flit hit by a bit error is delivered again after the exchange that CXL 2.0 section
//          4.2.8.5 asks for: RETRY.Req sequence on the other direction, RETRY.Ack sequence and
//          replay on this one. The exchange is charged as time on both directions, not acted out.
// Outage:  go_down() loses what is in flight, come_up() begins as a run does, with all credits.
// What
//          training takes is training_time().
// Errors:  none; callers respect nd_ready() and wd_ready().
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <random>

#include "common/counters.hpp"
#include "common/request.hpp"
#include "common/ring_queue.hpp"
#include "common/time.hpp"
#include "model/spec_faults.hpp"
#include "refmodel/controller/link_control.hpp"

namespace cxlgpu {

// What travels, but for the data.
struct LinkMessage {
  std::uint64_t line = 0;  // address[51:6]; MemSpecRd with length: 4 * first granule
  std::uint16_t tag = 0;
  std::uint8_t opcode = 0;
  std::uint8_t dev_load = 0;  // S2M
  std::uint8_t granules = 0;  // MemSpecRd
  bool partial = false;       // RwD with byte enables
  bool error = false;         // poison
  std::uint32_t id = 0;       // of the request, for traces alone: the wire has none
};
// The data of an RwD or a DRS: they travel with their message, in order.
struct LinkData {
  Line line{};
  std::uint64_t byte_enable = 0;  // RwD
};
// Of a MemSpecRd.
struct SpecAsked {
  std::uint64_t line = 0;
  std::uint8_t granules = 1;
};

struct LinkParams {
  Time flit_time{2125};  // 68 bytes over x8 at 32 GT/s
  Time flight{2000};
  double bit_error_rate = 0.0;
  std::uint64_t seed = 1;
  unsigned nd_credits = 32;
  unsigned wd_credits = 32;
  unsigned llrb_depth = 128;
  SpecFaultOptions spec_faults{};
};

// From L0 to the first CXL.mem message: five flits that wait for one another, each with three
// cycles to be sent and two to be received (docs/blocks/controller/cxl_controller.md): the host's
// Active Requests, the device's Status and Requests, the host's Status, the device's INIT.Param,
// its LLCRD (CXL 2.0, 5.1.2.2, 4.2.6.2).
[[nodiscard]] constexpr Time training_time(const LinkParams& params) {
  constexpr unsigned kFlits = 5, kCycles = 5;
  return (params.flit_time + params.flight + kCycle * kCycles) * kFlits;
}

class LinkDirection {
 public:
  LinkDirection(bool from_host, const LinkParams& params);
  // Both directions of a link know each other: credits and acknowledgements travel in the other.
  void connect(LinkDirection& reverse) { reverse_ = &reverse; }

  // Sending side.
  [[nodiscard]] bool nd_ready() const { return nd_tx_.size() < kTxDepth; }
  [[nodiscard]] bool wd_ready() const { return wd_tx_.size() < kTxDepth; }
  void push_nd(LinkMessage message, Time now);
  // The data are to be filled in, all of them, before anything else is called.
  LinkData& push_wd(const LinkMessage& message, Time now);

  // Receiving side: the head of a receive FIFO once it is visible.
  [[nodiscard]] const LinkMessage* nd_head(Time now) const { return visible(nd_rx_, now); }
  [[nodiscard]] const LinkMessage* wd_head(Time now) const { return visible(wd_rx_, now); }
  // Of the head of wd.
  [[nodiscard]] const LinkData& wd_data() const { return wd_data_.front(); }
  void pop_nd(Time now);
  void pop_wd(Time now);
  [[nodiscard]] unsigned rx_level(Time now) const;
  // When the last byte of the flit that completed the head message arrived.
  [[nodiscard]] Time nd_arrival() const { return nd_rx_.front().arrival; }
  [[nodiscard]] Time wd_arrival() const { return wd_rx_.front().arrival; }

  // Events. deliver(now) opens the receive side of a cycle, pack(now) closes its sending side, each
  // from its own time on; rx_event() is the next time at which a message is visible to the receiver
  // (its wake-up). deliver() is true if a message became the head of its receive FIFO.
  [[nodiscard]] Time next_event() const { return std::min(deliver_next_, pack_next_); }
  [[nodiscard]] Time deliver_event() const { return deliver_next_; }
  [[nodiscard]] Time pack_event() const { return pack_next_; }
  [[nodiscard]] Time rx_event(Time now) const {
    // The head is what the receiver waits for; one already visible is the receiver's own business.
    Time t = Time::never();
    if (!nd_rx_.empty()) t = nd_rx_.front().visible;
    if (!wd_rx_.empty()) t = std::min(t, wd_rx_.front().visible);
    return std::max(t, now);
  }
  bool deliver(Time now);
  void pack(Time now);

  // The link goes down; once it is trained again. In between nobody pushes.
  void go_down(Time now);
  void come_up(Time now);
  [[nodiscard]] Time training_time() const { return cxlgpu::training_time(params_); }

  [[nodiscard]] const LinkCounters& counters() const { return counters_; }
  // When the first damaged flit was sent; never() before.
  [[nodiscard]] Time first_damage() const { return first_damage_; }
  // Of the sending end, as far as it is known here: up and initialised from the start, no RETRY
  // flits.
  [[nodiscard]] LinkStatus status() const;

 private:
  static constexpr unsigned kTxDepth = 4;
  static constexpr unsigned kMostFlits = 128;  // in flight: what a retry buffer holds
  static constexpr unsigned kFlushCycles = 32;
  static constexpr unsigned kAckForce = 16;
  static constexpr unsigned kRetryTimeout = 4096;  // flits sent while waiting for a RETRY.Ack
  static constexpr unsigned kRetrySequence = 6;    // five RETRY.Frame and the Req or Ack

  struct Queued {
    LinkMessage message;
    Time visible;
    Time arrival{};
  };
  struct Owed {
    LinkMessage message;
    unsigned chunks;
  };
  struct FlitCounts {
    std::uint8_t nd = 0, wd = 0;  // messages
    std::uint8_t nd_credits = 0, wd_credits = 0;
    std::uint8_t acks = 0;
  };
  struct Wire {      // one flit in flight
    Time arrival;    // last byte at the receiver
    Time effective;  // R2 has acted
    FlitCounts count;
    std::array<LinkMessage, 2> nd;
    std::array<LinkMessage, 2> wd;
  };

  [[nodiscard]] static const LinkMessage* visible(const RingQueue<Queued, 64>& queue, Time now) {
    return !queue.empty() && queue.front().visible <= now ? &queue.front().message : nullptr;
  }
  void freed(Time now, unsigned nd, unsigned wd);
  void settle_freed(Time now);
  void grant_all();
  [[nodiscard]] bool something_to_return() const;
  void select(Time now);
  [[nodiscard]] Wire& new_flit();
  void launch(Wire& flit, Time now, bool bearing);
  [[nodiscard]] Time resend_time(Time launched);
  void count_retry() {
    counters_.retry += kRetrySequence;
    counters_.all += kRetrySequence;
  }
  [[nodiscard]] unsigned take_code(unsigned& pending) const;
  void update_timer(Time now, bool bore);
  void plan_pack(Time now);

  const bool from_host_;
  const LinkParams params_;
  LinkDirection* reverse_ = nullptr;

  RingQueue<Queued, 8> nd_tx_, wd_tx_;
  RingQueue<Owed, 16> owed_messages_;
  unsigned owed_ = 0;
  unsigned nd_avail_ = 0, wd_avail_ = 0;    // credits this side may use
  unsigned nd_return_ = 0, wd_return_ = 0;  // receive space of the other direction to return
  unsigned nd_freed_ = 0, wd_freed_ = 0;    // freed in cycle freed_at_, not yet in the above
  Time freed_at_{0};
  unsigned acks_to_return_ = 0;
  unsigned llrb_free_ = 0;
  // First cycle of the running flush timer, later by the cycles in which no flit could be selected.
  Time timer_since_ = Time::never();
  Time select_free_{0};  // earliest cycle at which sel_q can load
  Time out_launch_{0};   // cycle in which the previous flit left for the wire
  Time busy_until_{0};   // serialiser
  RingQueue<Wire, kMostFlits> wire_;
  RingQueue<Queued, 64> nd_rx_, wd_rx_;
  RingQueue<LinkData, 128> wd_data_;   // of each of wd between push and pop
  Time deliver_next_ = Time::never();  // the oldest flit of wire_ has an effect
  Time pack_next_ = Time::never();     // a flit may be selected
  std::mt19937_64 rng_;
  double flit_error_probability_ = 0.0;
  SpecFaults<SpecAsked> spec_faults_;
  LinkCounters counters_;
  Time first_damage_ = Time::never();
};

}  // namespace cxlgpu
