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
// Events:  when a flit leaves, it is known when its messages are there: they are put down at once,
//          with that time. Credits and acknowledgements that come with a flit are added when the
//          other direction next does something; none of its choices before could have been another,
//          for pack_event() knows what they may allow it. So a flit costs one event, its packing.
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
#include <cassert>
#include <cstdint>
#include <random>

#include "common/counters.hpp"
#include "common/request.hpp"
#include "common/ring_queue.hpp"
#include "common/time.hpp"
#include "model/spec_faults.hpp"
#include "refmodel/controller/link_control.hpp"

namespace cxlgpu {

// std::min takes references, for which the compiler puts every time into memory.
constexpr Time earlier(Time a, Time b) {
  return a.ps < b.ps ? a : b;
}
constexpr Time later(Time a, Time b) {
  return a.ps < b.ps ? b : a;
}

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
  [[nodiscard]] bool nd_ready() const { return nd_.unpacked() < kTxDepth; }
  [[nodiscard]] bool wd_ready() const { return wd_.unpacked() < kTxDepth; }
  void push_nd(const LinkMessage& message, Time now) { push_nd(message, now, now); }
  // The data are to be filled in, all of them, before anything else is called.
  LinkData& push_wd(const LinkMessage& message, Time now) { return push_wd(message, now, now); }
  // The same in the cycle `at`, which is this one or the next: ready now, the lane is it then, too.
  void push_nd(LinkMessage message, Time now, Time at);
  LinkData& push_wd(const LinkMessage& message, Time now, Time at);

  // Receiving side: the head of a receive FIFO once it is visible.
  [[nodiscard]] const LinkMessage* nd_head(Time now) const { return nd_.head(now); }
  [[nodiscard]] const LinkMessage* wd_head(Time now) const { return wd_.head(now); }
  // Of the head of wd.
  [[nodiscard]] const LinkData& wd_data() const { return wd_data_[wd_.head_place()]; }
  void pop_nd(Time now);
  void pop_wd(Time now);
  [[nodiscard]] unsigned rx_level(Time now) const { return nd_.level(now) + wd_.level(now); }
  // No less than that: what is on the wire counts too.
  [[nodiscard]] unsigned most_rx_level() const { return nd_.coming() + wd_.coming(); }
  // When the last byte of the flit that completed the head message arrived.
  [[nodiscard]] Time nd_arrival() const { return nd_.head_arrival(); }
  [[nodiscard]] Time wd_arrival() const { return wd_.head_arrival(); }

  // Events. pack(now) closes the sending side of a cycle, from its time on; it says from when on
  // the receiver finds a message at the head of a FIFO that was empty. rx_event() is when the
  // receiver finds one at all, rx_news() when a message that is not there yet becomes a head.
  [[nodiscard]] Time pack_event() const { return pack_next_; }
  [[nodiscard]] Time rx_event(Time now) const {
    return later(earlier(nd_.head_at(), wd_.head_at()), now);
  }
  [[nodiscard]] Time rx_news(Time now) const {
    return earlier(nd_.head_after(now), wd_.head_after(now));
  }
  Time pack(Time now);

  // The link goes down; once it is trained again. In between nobody pushes.
  void go_down(Time now);
  void come_up(Time now);
  [[nodiscard]] Time training_time() const { return cxlgpu::training_time(params_); }

  [[nodiscard]] const LinkCounters& counters() const { return counters_; }
  // When the first damaged flit was sent; never() before.
  [[nodiscard]] Time first_damage() const { return first_damage_; }
  // Of the sending end, as far as it is known here: up and initialised from the start, no RETRY
  // flits. As the cycle `now` begins, before anything comes in it.
  [[nodiscard]] LinkStatus status(Time now);

 private:
  static constexpr unsigned kTxDepth = 4;
  static constexpr unsigned kMostFlits = 128;  // in flight: what a retry buffer holds
  static constexpr unsigned kFlushCycles = 32;
  static constexpr unsigned kAckForce = 16;
  static constexpr unsigned kRetryTimeout = 4096;  // flits sent while waiting for a RETRY.Ack
  static constexpr unsigned kRetrySequence = 6;    // five RETRY.Frame and the Req or Ack

  // The messages of one kind, from push to pop in one place and in order: first those that have
  // left in a flit, then those of which chunks are still to be sent (wd), then those not yet
  // packed.
  class Lane {
   public:
    static constexpr std::size_t kPlaces = 128;

    LinkMessage& push(Time visible) {
      assert(pushed_ - popped_ < kPlaces);  // by the transmitter's depth and the credits
      Place& place = at(pushed_++);
      place.visible = visible;
      return place.message;
    }
    [[nodiscard]] unsigned unpacked() const { return pushed_ - packed_; }
    [[nodiscard]] Time unpacked_at(unsigned i) const { return at(packed_ + i).visible; }
    [[nodiscard]] bool unpacked_is_partial() const { return at(packed_).message.partial; }
    void packs() { ++packed_; }
    // Of those that have not left.
    [[nodiscard]] bool nth_leaving_is_partial(unsigned n) const {
      return at(left_ + n).message.partial;
    }
    // The oldest that has not left does: true if it is the receiver's head.
    bool leaves(Time visible, Time arrival) {
      Place& place = at(left_++);
      place.visible = visible;
      place.arrival = arrival;
      return left_ - popped_ == 1;
    }
    [[nodiscard]] unsigned coming() const { return left_ - popped_; }
    [[nodiscard]] const LinkMessage* head(Time now) const {
      return coming() != 0 && at(popped_).visible <= now ? &at(popped_).message : nullptr;
    }
    [[nodiscard]] std::size_t head_place() const { return popped_ % kPlaces; }
    [[nodiscard]] std::size_t last_place() const { return (pushed_ - 1) % kPlaces; }
    [[nodiscard]] Time head_arrival() const { return at(popped_).arrival; }
    [[nodiscard]] Time head_at() const {
      return coming() == 0 ? Time::never() : at(popped_).visible;
    }
    [[nodiscard]] Time head_after(Time now) const {
      return coming() == 0 || at(popped_).visible <= now ? Time::never() : at(popped_).visible;
    }
    void pop() { ++popped_; }
    [[nodiscard]] unsigned level(Time now) const {
      unsigned n = coming();
      while (n > 0 && at(popped_ + n - 1).visible > now) --n;
      return n;
    }
    void clear() { popped_ = left_ = packed_ = pushed_; }

   private:
    struct Place {
      LinkMessage message;
      Time visible;  // to the packer, then to the receiver
      Time arrival;
    };
    Place& at(unsigned i) { return places_[i % kPlaces]; }
    [[nodiscard]] const Place& at(unsigned i) const { return places_[i % kPlaces]; }

    std::array<Place, kPlaces> places_{};
    unsigned popped_ = 0, left_ = 0, packed_ = 0, pushed_ = 0;
  };
  struct Wire {      // what a flit in flight brings the other direction
    Time effective;  // R2 has acted
    std::uint8_t nd_credits = 0, wd_credits = 0;
    std::uint8_t acks = 0;
  };
  struct Load {  // messages that a flit completes
    unsigned nd = 0, wd = 0;
  };

  void freed(Time now, unsigned nd, unsigned wd);
  void settle_freed(Time now);
  // What the flits that have an effect by `now` bring to this direction.
  void receive(Time now) {
    const auto& wire = reverse_->wire_;
    if (!wire.empty() && wire.front().effective <= now) receive_flits(now);
  }
  void receive_flits(Time now);
  void grant_all();
  [[nodiscard]] bool something_to_return() const;
  [[nodiscard]] Time select(Time now);
  void return_to_peer(Wire& flit);
  Time launch(Wire& flit, const Load& load, Time now, bool bearing);
  [[nodiscard]] Time resend_time(Time launched);
  void count_retry() {
    counters_.retry += kRetrySequence;
    counters_.all += kRetrySequence;
  }
  [[nodiscard]] unsigned take_code(unsigned& pending) const;
  void update_timer(Time now, bool bore);
  [[nodiscard]] bool can_force() const {
    return owed_ < 4 && llrb_free_ >= (acks_to_return_ > 0 ? 2u : 3u);
  }
  void plan_pack(Time now);
  void plan_for_coming();

  const bool from_host_;
  const LinkParams params_;
  LinkDirection* reverse_ = nullptr;

  Lane nd_, wd_;
  std::array<LinkData, Lane::kPlaces> wd_data_{};  // of wd_'s places
  unsigned leaving_chunks_ = 0;  // still to be sent of the oldest in wd_ that has not left
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
  Time pack_next_ = Time::never();  // a flit may be selected
  std::mt19937_64 rng_;
  double flit_error_probability_ = 0.0;
  SpecFaults<SpecAsked> spec_faults_;
  LinkCounters counters_;
  Time first_damage_ = Time::never();
};

}  // namespace cxlgpu
