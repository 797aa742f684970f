// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
#include "refmodel/root_port/stream_table.hpp"

#include <algorithm>
#include <bit>
#include <cassert>

namespace cxlgpu {
namespace {

// What a touch of a way does to its set's tree: the bits on its path and what they become.
struct Touch {
  std::uint8_t path, away;
};
constexpr std::array<Touch, 4> kTouch{{{0b011, 0b011}, {0b011, 0b001}, {0b101, 0b100}, {0b101, 0}}};

constexpr unsigned victim_of(unsigned tree) {
  return (tree & 1) != 0 ? 2 + (tree >> 2 & 1) : tree >> 1 & 1;
}

}  // namespace

// Where the region is, or else where it would go.
StreamTable::Place StreamTable::find(std::uint64_t region) const {
  Place place;
  place.set = (region ^ region >> 6 ^ region >> 12 ^ region >> 18) & set_mask_;
  const Entry* const ways = &entries_[place.set * kWays];
  unsigned empty = kWays;
  for (unsigned way = 0; way < kWays; ++way) {
    if (ways[way].region == region) {
      place.way = way;
      place.there = true;
      return place;
    }
    if (ways[way].region == kNoRegion && empty == kWays) empty = way;
  }
  place.way = empty != kWays ? empty : victim_of(trees_[place.set]);
  return place;
}

StreamTable::Scores StreamTable::without_victim(const Place& place) const {
  Scores out = scores_;
  const Entry& victim = entries_[place.set * kWays + place.way];
  if (victim.region == kNoRegion) return out;
  out.of(victim) = std::max(0, out.of(victim) - kWaste * std::popcount(victim.spec));
  return out;
}

// The granules of k's region that are the port's that k is of.
unsigned StreamTable::own_granules(unsigned k, const View& view) {
  if (view.clip_log2 >= kRegionLog2) return (1u << kGranules) - 1;
  const int ways = static_cast<int>(view.other_ways) + 1;
  unsigned own = 0;
  for (unsigned g = 0; g < kGranules; ++g) {
    const int chunks =
        static_cast<int>(g >> view.clip_log2) - static_cast<int>(k >> view.clip_log2);
    if (chunks % ways == 0) own |= 1u << g;
  }
  return own;
}

// No granule of this port comes after k in its region.
bool StreamTable::is_last(unsigned k, bool up, const View& view) {
  const unsigned after = up ? ~1u << k : (1u << k) - 1;
  return (own_granules(k, view) & after) == 0;
}

std::uint64_t StreamTable::following(std::uint64_t granule, bool up, const View& view) {
  std::uint64_t step = 1;
  if (view.clip_log2 != kNoClip) {
    const std::uint64_t chunk = std::uint64_t{1} << view.clip_log2;
    const std::uint64_t edge = up ? chunk - 1 : 0;
    if ((granule & (chunk - 1)) == edge) step += view.other_ways * chunk;
  }
  return (up ? granule + step : granule - step) & kGranuleMask;
}

// What a load of granule k predicts of its own region.
unsigned StreamTable::ahead_of(const Entry& e, unsigned k, bool own, const View& view) const {
  const bool whole = asks_whole(view);
  if (!whole && own) return 0;  // one granule at a time
  const unsigned port = own_granules(k, view);
  const int step = e.up ? 1 : -1;
  unsigned ahead = 0, room = whole ? cap_ - (own ? 1 : 0) : 1;
  for (int g = static_cast<int>(k) + step; room != 0 && g >= 0 && g < static_cast<int>(kGranules);
       g += step) {
    if ((port >> g & 1) == 0) continue;
    if ((e.mask >> g & 1) != 0) {
      if (whole) break;
      continue;
    }
    ahead |= 1u << g;
    --room;
  }
  return ahead;
}

StreamTable::Plan StreamTable::plan_look(std::uint64_t line, const View& view) const {
  const std::uint64_t region = line / (4 * kGranules);
  const auto at = static_cast<std::uint8_t>(line % (4 * kGranules));
  const unsigned k = at / 4u;
  Plan plan;
  plan.place = find(region);
  plan.scores = scores_;
  Entry& e = plan.entry;
  if (!plan.place.there) {
    plan.scores = without_victim(plan.place);
    e.region = region;
    e.seen = true;
  } else {
    e = entries_[plan.place.set * kWays + plan.place.way];
    if (!e.seen) {
      e.seen = true;
    } else if (at != e.last) {
      const bool up = at > e.last;
      if (e.dir_known && e.up == up) {
        e.conf = static_cast<std::uint8_t>(std::min(e.conf + 1u, kMaxConf));
      } else if (!e.dir_known || e.conf <= 1) {
        e.dir_known = true;
        e.up = up;
        e.conf = 1;
      } else {
        --e.conf;
      }
    }
  }
  e.last = at;
  if ((e.spec >> k & 1) != 0) {
    e.spec = static_cast<std::uint8_t>(e.spec & ~(1u << k));
    int& score = plan.scores.of(e);
    score = std::min(score + 1, kMaxScore);
  }
  if (view.level == kSevere) return plan;

  const bool streams = e.dir_known && e.conf >= 1;
  const bool own = (e.mask >> k & 1) == 0 && !view.at_head;
  const unsigned ahead = streams ? ahead_of(e, k, own, view) : 0;
  const bool send = sends(scores_.ext);
  const unsigned run = (own ? 1u << k : 0) | (send ? ahead : 0);
  plan.ask.held = !send && (ahead & ~unsigned{e.spec}) != 0;
  e.spec = static_cast<std::uint8_t>(e.spec | ahead);
  e.mask = static_cast<std::uint8_t>(e.mask | 1u << k | run);
  if (run != 0) {
    plan.ask.kind = Ask::Kind::Run;
    plan.ask.run = {region * kGranules + static_cast<unsigned>(std::countr_zero(run)),
                    static_cast<unsigned>(std::popcount(run)) - 1};
  } else if (streams && e.conf >= 2 && !e.asked && is_last(k, e.up, view)) {
    e.asked = true;
    plan.ask.kind = Ask::Kind::Next;
    plan.next = {following(region * kGranules + k, e.up, view), e.up, asks_whole(view), e.conf};
  }
  return plan;
}

void StreamTable::put(const Place& place, const Entry& entry) {
  entries_[place.set * kWays + place.way] = entry;
  std::uint8_t& tree = trees_[place.set];
  tree = static_cast<std::uint8_t>((tree & ~kTouch[place.way].path) | kTouch[place.way].away);
}

void StreamTable::apply(const Plan& plan) {
  put(plan.place, plan.entry);
  scores_ = plan.scores;
  if (plan.ask.kind == Ask::Kind::Next) next_ = plan.next;
}

void StreamTable::add() {
  const Place place = find(next_.granule / kGranules);
  assert(!place.there);
  const bool sent = sends_next();
  const GranuleRun run = next();
  const auto asked = static_cast<std::uint8_t>(((2u << run.len) - 1) << run.first % kGranules);
  scores_ = without_victim(place);
  put(place, {.region = next_.granule / kGranules,
              .dir_known = true,
              .up = next_.up,
              .by_next = true,
              .conf = next_.conf,
              .mask = sent ? asked : std::uint8_t{0},
              .spec = asked});
}

void StreamTable::flush() {
  std::fill(entries_.begin(), entries_.end(), Entry{});
  scores_ = {};
}

StreamTable::Out StreamTable::eval(const In& in) const {
  Out out;
  if (in.look) {
    const Ask ask = would_ask(in.line, in.view);
    out.ask = ask.kind != Ask::Kind::Nothing;
    out.kind_next = ask.kind == Ask::Kind::Next;
    out.run = ask.run;
    out.held = ask.held;
  }
  if (in.next) {
    out.next_hit = next_known();
    out.next_send = sends_next();
    out.next = next();
  }
  return out;
}

void StreamTable::clock(const In& in) {
  if (in.look) look(in.line, in.view);
  if (in.add) add();
  if (in.flush) flush();
}

}  // namespace cxlgpu
