// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
#include "model/link.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cassert>
#include <cmath>

#include "common/opcodes.hpp"
#include "refmodel/controller/pack_rule.hpp"

namespace cxlgpu {

namespace {
constexpr double kFlitWireBits = 544.0;  // 68 bytes
constexpr unsigned kCreditMax = 1023;
// What a lost MemSpecRd asks for: nobody decodes it, and its credit still comes back.
constexpr std::uint64_t kUnmappedLine = (std::uint64_t{1} << 46) - 1;
constexpr Time cycles(std::uint64_t n) {
  return kCycle * n;
}
constexpr Time kReceive = cycles(2);  // R1, R2
constexpr unsigned chunks_of(bool partial) {
  return partial ? 5 : 4;
}

// What counts here of a plan, for every offer: worked out by the compiler, since the rule costs
// more than all else that is done for a flit.
struct Packed {
  std::uint8_t nd = 0, wd = 0, owed_next = 0;  // messages taken, chunks
  bool is_adf = false, has_content = false;
};
constexpr unsigned kMostOwed = 8, kMostOffered = 2;
constexpr std::size_t place_of(const PackOffer& offer) {
  std::size_t at = offer.is_host ? 1 : 0;
  at = at * (kMostOwed + 1) + offer.owed;
  at = at * (kMostOffered + 1) + offer.nd_offered;
  at = at * (kMostOffered + 1) + offer.wd_offered;
  return at * 2 + (offer.wd_has_be ? 1 : 0);
}
constexpr PackOffer kLastOffer{.is_host = true,
                               .owed = kMostOwed,
                               .nd_offered = kMostOffered,
                               .wd_offered = kMostOffered,
                               .wd_has_be = true};
constexpr auto kPacked = [] {
  std::array<Packed, place_of(kLastOffer) + 1> table{};
  PackOffer offer;
  for (const bool host : {false, true}) {
    for (offer.owed = 0; offer.owed <= kMostOwed; ++offer.owed) {
      for (offer.nd_offered = 0; offer.nd_offered <= kMostOffered; ++offer.nd_offered) {
        for (offer.wd_offered = 0; offer.wd_offered <= kMostOffered; ++offer.wd_offered) {
          for (const bool be : {false, true}) {
            offer.is_host = host;
            offer.wd_has_be = be;
            const PackPlan plan = pack_rule(offer);
            table[place_of(offer)] = {
                static_cast<std::uint8_t>(plan.nd_taken), static_cast<std::uint8_t>(plan.wd_taken),
                static_cast<std::uint8_t>(plan.owed_next), plan.is_adf, plan.has_content};
          }
        }
      }
    }
  }
  return table;
}();
}  // namespace

LinkDirection::LinkDirection(bool from_host, const LinkParams& params)
    : from_host_(from_host),
      params_(params),
      rng_(params.seed),
      spec_faults_(from_host ? params.spec_faults : SpecFaultOptions{}, {kUnmappedLine, 1}) {
  assert(params.llrb_depth <= kMostFlits);
  grant_all();
  if (params.bit_error_rate > 0) {
    flit_error_probability_ = 1.0 - std::pow(1.0 - params.bit_error_rate, kFlitWireBits);
  }
}

// Both ends are initialised and all credits granted. The LLCRD that granted the last of them is a
// retryable flit itself, and one flit alone is not acknowledged.
void LinkDirection::grant_all() {
  nd_avail_ = params_.nd_credits;
  wd_avail_ = params_.wd_credits;
  acks_to_return_ = 1;
  llrb_free_ = params_.llrb_depth - 1;
}

void LinkDirection::go_down(Time now) {
  reverse_->receive(now - kCycle);
  wire_.clear();
  nd_.clear();
  wd_.clear();
  owed_ = leaving_chunks_ = 0;
  nd_return_ = wd_return_ = nd_freed_ = wd_freed_ = 0;
  freed_at_ = now;
  pack_next_ = timer_since_ = Time::never();
}

void LinkDirection::come_up(Time now) {
  grant_all();
  select_free_ = out_launch_ = busy_until_ = now;
}

// What waits behind another message changes no plan.
void LinkDirection::push_nd(LinkMessage message, Time now, Time at) {
  if (spec_faults_.on() && message.opcode == kOpMemSpecRd) {
    const SpecAsked asked = spec_faults_.next({message.line, message.granules});
    message.line = asked.line;
    message.granules = asked.granules;
  }
  nd_.push(at + kCycle) = message;
  if (nd_.unpacked() == 1) plan_pack(now);
}

LinkData& LinkDirection::push_wd(const LinkMessage& message, Time now, Time at) {
  wd_.push(at + kCycle) = message;
  if (wd_.unpacked() == 1) plan_pack(now);
  return wd_data_[wd_.last_place()];
}

void LinkDirection::pop_nd(Time now) {
  nd_.pop();
  reverse_->freed(now, 1, 0);
}

void LinkDirection::pop_wd(Time now) {
  wd_.pop();
  reverse_->freed(now, 0, 1);
}

// An entry freed in a cycle counts from the next one on.
void LinkDirection::freed(Time now, unsigned nd, unsigned wd) {
  receive(now);
  settle_freed(now);
  freed_at_ = now;
  nd_freed_ += nd;
  wd_freed_ += wd;
  if (timer_since_ != Time::never()) return;
  timer_since_ = later(now + kCycle, select_free_);
  plan_pack(now);
}

void LinkDirection::settle_freed(Time now) {
  if (freed_at_ >= now) return;
  nd_return_ += nd_freed_;
  wd_return_ += wd_freed_;
  nd_freed_ = wd_freed_ = 0;
}

bool LinkDirection::something_to_return() const {
  return acks_to_return_ > 1 || nd_return_ + nd_freed_ > 0 || wd_return_ + wd_freed_ > 0;
}

void LinkDirection::update_timer(Time from, bool bore) {
  if (!something_to_return()) {
    timer_since_ = Time::never();
  } else if (bore || timer_since_ == Time::never()) {
    timer_since_ = later(from, select_free_);
  }
}

unsigned LinkDirection::take_code(unsigned& pending) const {
  const unsigned count = pending == 0 ? 0 : std::min(64u, std::bit_floor(pending));
  pending -= count;
  return count;
}

Time LinkDirection::pack(Time now) {
  receive(now);
  const Time head = select(now);
  plan_pack(now);
  return head;
}

void LinkDirection::receive_flits(Time now) {
  auto& wire = reverse_->wire_;
  while (!wire.empty() && wire.front().effective <= now) {
    const Wire& flit = wire.front();
    nd_avail_ = std::min(kCreditMax, nd_avail_ + flit.nd_credits);
    wd_avail_ = std::min(kCreditMax, wd_avail_ + flit.wd_credits);
    llrb_free_ += flit.acks;
    ++acks_to_return_;
    update_timer(flit.effective, false);
    wire.pop();
  }
}

// One flit, if anything is to be sent: from when on it gives the receiver a new head.
Time LinkDirection::select(Time now) {
  if (now < select_free_) return Time::never();
  settle_freed(now);

  const bool forced = acks_to_return_ >= kAckForce ||
                      (timer_since_ != Time::never() && now >= timer_since_ + cycles(kFlushCycles));
  if (forced && can_force()) {
    Wire& flit = wire_.push();
    flit.acks = static_cast<std::uint8_t>(std::min(acks_to_return_, 255u));
    acks_to_return_ -= flit.acks;
    return_to_peer(flit);
    ++counters_.llcrd;
    return launch(flit, {}, now, true);
  }

  const bool hold_new = llrb_free_ < 6;
  const auto offered = [now, hold_new](const Lane& lane, unsigned credits) {
    unsigned n = 0;
    if (hold_new) return n;
    while (n < 2 && n < credits && n < lane.unpacked() && lane.unpacked_at(n) <= now) ++n;
    return n;
  };
  PackOffer offer;
  offer.is_host = from_host_;
  offer.owed = owed_;
  if (owed_ < 4) {  // an all-data flit takes no message
    offer.nd_offered = offered(nd_, nd_avail_);
    offer.wd_offered = offered(wd_, wd_avail_);
    offer.wd_has_be = offer.wd_offered > 0 && wd_.unpacked_is_partial();
  }
  const Packed& plan = kPacked[place_of(offer)];
  if (!plan.has_content) return Time::never();
  if (!plan.is_adf && hold_new) return Time::never();

  Wire& flit = wire_.push();
  flit.acks = flit.nd_credits = flit.wd_credits = 0;
  Load load{.nd = plan.nd};
  for (unsigned i = 0; i < plan.nd; ++i) nd_.packs();
  unsigned sent = owed_ - plan.owed_next;  // chunks, and those of the lines that are new
  for (unsigned i = 0; i < plan.wd; ++i) {
    sent += chunks_of(wd_.unpacked_is_partial());
    wd_.packs();
  }
  nd_avail_ -= plan.nd;
  wd_avail_ -= plan.wd;
  owed_ = plan.owed_next;
  while (sent > 0) {
    if (leaving_chunks_ == 0) leaving_chunks_ = chunks_of(wd_.nth_leaving_is_partial(load.wd));
    const unsigned part = std::min(sent, leaving_chunks_);
    leaving_chunks_ -= part;
    sent -= part;
    if (leaving_chunks_ == 0) ++load.wd;
  }
  if (plan.is_adf) {
    ++counters_.all_data;
  } else {
    ++counters_.protocol;
    if (acks_to_return_ >= 8) {
      flit.acks = 8;
      acks_to_return_ -= 8;
    }
    return_to_peer(flit);
  }
  return launch(flit, load, now, !plan.is_adf);
}

void LinkDirection::return_to_peer(Wire& flit) {
  flit.nd_credits = static_cast<std::uint8_t>(take_code(nd_return_));
  flit.wd_credits = static_cast<std::uint8_t>(take_code(wd_return_));
}

// Pipeline and wire: flit k is selected in cycle s, moves to the output register in cycle
// m = max(s + 1, cycle in which flit k - 1 left), and leaves in the first cycle after m in which
// the serialiser takes it.
Time LinkDirection::launch(Wire& flit, const Load& load, Time now, bool bearing) {
  --llrb_free_;
  ++counters_.all;
  if (bearing) update_timer(now + kCycle, true);
  const Time moved = later(now + kCycle, out_launch_);
  const Time ready{busy_until_.ps / kCycle.ps * kCycle.ps};
  // The timer counts the cycles in which a flit may be selected.
  if (timer_since_ != Time::never()) timer_since_ += moved - (now + kCycle);
  const Time left = later(moved + kCycle, ready);
  out_launch_ = left;
  select_free_ = moved;
  Time start = later(left, busy_until_);
  while (flit_error_probability_ > 0 &&
         std::uniform_real_distribution<double>(0.0, 1.0)(rng_) < flit_error_probability_) {
    start = resend_time(start);
  }
  busy_until_ = start + params_.flit_time;
  const Time arrival = busy_until_ + params_.flight;
  flit.effective = ceil_to_cycle(arrival) + kReceive;
  reverse_->receive(now);
  reverse_->plan_for_coming();
  bool is_head = false;
  for (unsigned i = 0; i < load.nd; ++i) is_head |= nd_.leaves(flit.effective, arrival);
  for (unsigned i = 0; i < load.wd; ++i) is_head |= wd_.leaves(flit.effective, arrival);
  return is_head ? flit.effective : Time::never();
}

// Time at which the replay of a damaged flit starts. A sequence that is damaged itself costs the
// whole retry timeout; what the idle flits of that wait could suffer is not modelled.
Time LinkDirection::resend_time(Time launched) {
  ++counters_.damaged;
  first_damage_ = std::min(first_damage_, launched);
  ++counters_.all;
  const Time sequence = params_.flit_time * kRetrySequence;
  const double sequence_error = 1.0 - std::pow(1.0 - flit_error_probability_, kRetrySequence);
  std::uniform_real_distribution<double> uniform(0.0, 1.0);
  Time detected = ceil_to_cycle(launched + params_.flit_time + params_.flight) + kReceive;
  for (;;) {
    const Time request = std::max(detected + cycles(2), reverse_->busy_until_);
    reverse_->busy_until_ = request + sequence;
    reverse_->count_retry();
    const Time seen = ceil_to_cycle(reverse_->busy_until_ + params_.flight) + kReceive;
    const bool request_lost = uniform(rng_) < sequence_error;
    const bool answer_lost = !request_lost && uniform(rng_) < sequence_error;
    if (!request_lost) count_retry();
    if (!request_lost && !answer_lost) return seen + cycles(2) + sequence;
    detected = reverse_->busy_until_ + params_.flit_time * kRetryTimeout;
  }
}

void LinkDirection::plan_pack(Time now) {
  receive(now);
  Time t = Time::never();
  const Time free = later(now, select_free_);
  const bool room = llrb_free_ >= 6;
  if (owed_ >= 4 || (owed_ > 0 && room)) t = free;
  if (room && nd_.unpacked() != 0 && nd_avail_ > 0) {
    t = earlier(t, later(free, nd_.unpacked_at(0)));
  }
  if (room && wd_.unpacked() != 0 && wd_avail_ > 0) {
    t = earlier(t, later(free, wd_.unpacked_at(0)));
  }
  if (can_force()) {
    if (acks_to_return_ >= kAckForce) t = earlier(t, free);
    if (timer_since_ != Time::never()) {
      t = earlier(t, later(free, timer_since_ + cycles(kFlushCycles)));
    }
  }
  pack_next_ = t;
  plan_for_coming();
}

// The first time at which a flit that is still on its way may let this direction send something
// before its own time: it brings what is lacking, begins the flush timer, or is the last of those
// that force a flit.
void LinkDirection::plan_for_coming() {
  const auto& wire = reverse_->wire_;
  if (wire.empty()) return;
  const bool lacks = llrb_free_ < 6 || (nd_avail_ == 0 && nd_.unpacked() != 0) ||
                     (wd_avail_ == 0 && wd_.unpacked() != 0);
  if (lacks) {
    pack_next_ = earlier(pack_next_, wire.front().effective);
    return;
  }
  if (timer_since_ == Time::never()) {
    const std::size_t first = acks_to_return_ == 0 ? 1 : 0;  // one flit alone is not acknowledged
    if (wire.size() > first) {
      pack_next_ = earlier(pack_next_, wire.at(first).effective + cycles(kFlushCycles));
    }
  }
  if (acks_to_return_ + wire.size() >= kAckForce) {
    const std::size_t last = acks_to_return_ >= kAckForce ? 0 : kAckForce - 1 - acks_to_return_;
    pack_next_ = earlier(pack_next_, wire.at(last).effective);
  }
}

LinkStatus LinkDirection::status(Time now) {
  receive(now - kCycle);
  LinkStatus status;
  status.init_state = 3;
  status.llrb_used = params_.llrb_depth - llrb_free_;
  status.version = 2;
  status.wrap = reverse_->params_.llrb_depth;
  status.nd_return = nd_return_ + nd_freed_;
  status.wd_return = wd_return_ + wd_freed_;
  status.nd_credit = nd_avail_;
  status.wd_credit = wd_avail_;
  return status;
}

}  // namespace cxlgpu
