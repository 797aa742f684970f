// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
// Traces that look for hazards: a store-heavy mix of a few threads of accesses that meet.
//
// Purpose: several actors take turns; each keeps to one habit for a while (one line again and
//          again, the two sides of a boundary between ports, a stream with a second access so many
//          lines behind, a small hot set, lines from anywhere), then takes up another, often where
//          an actor before it was.
// Units:   records as TraceReader gives them, addresses are offsets into the first HDM range; the
//          distance of two accesses is in requests of the stream, from 0 up.
// Errors:  none.
#pragma once

#include <array>
#include <cstdint>
#include <random>
#include <vector>

#include "common/request.hpp"
#include "sim/host/trace_reader.hpp"

namespace cxlgpu {

// Where the traffic may go: windows of memory, and the boundaries between ports in them.
struct SoakPlaces {
  std::vector<std::uint64_t> windows;  // offsets
  std::uint64_t window_lines = 4096;
  std::uint64_t chunk_lines = 16;  // interleave granularity
};

class SoakTrace {
 public:
  SoakTrace(std::uint64_t seed, SoakPlaces places) : rng_(seed), places_(std::move(places)) {
    for (Actor& actor : actors_) take_up(actor);
  }

  // The next so many requests, from cycle 0 on.
  std::vector<TraceRecord> next(std::size_t count) {
    std::vector<TraceRecord> records(count);
    const bool paced = below(4) == 0;
    std::uint64_t cycle = 0;
    for (TraceRecord& record : records) {
      if (paced) cycle += below(8);
      if (below(1000) == 0) cycle += below(3000);  // a rest
      record.cycle = cycle;
      step(actors_[below(actors_.size())], record);
    }
    return records;
  }

 private:
  enum class Habit : std::uint8_t { Line, Boundary, Stream, Hot, Anywhere };
  struct Actor {
    Habit habit = Habit::Line;
    std::uint64_t left = 0;  // requests
    std::uint64_t window = 0, line = 0, lines = 1;
    std::uint64_t at = 0, distance = 0;  // stream
    bool leader_writes = true, follower_writes = false;
    std::uint64_t write_percent = 60;
  };

  std::uint64_t below(std::uint64_t n) { return rng_() % n; }

  void take_up(Actor& actor) {
    static constexpr std::array kHabits = {Habit::Line,   Habit::Boundary, Habit::Stream,
                                           Habit::Stream, Habit::Hot,      Habit::Anywhere};
    const std::uint64_t chunk = places_.chunk_lines, lines = places_.window_lines;
    actor.habit = kHabits[below(kHabits.size())];
    actor.left = 20 + below(400);
    actor.write_percent = 30 + below(66);
    actor.window = places_.windows[below(places_.windows.size())];
    // A few lines draw most actors.
    actor.line = below(3) == 0 ? below(lines) : below(4) * (lines / 4) + below(2 * chunk);
    actor.at = 0;
    switch (actor.habit) {
      case Habit::Boundary:  // the last line of a chunk and the first of the next
        actor.line = (actor.line / chunk * chunk + chunk - 1) % lines;
        actor.lines = 2;
        break;
      case Habit::Stream:
        actor.distance = below(2) == 0 ? below(4) : below(64);
        actor.leader_writes = below(3) != 0;
        actor.follower_writes = !actor.leader_writes || below(3) == 0;
        break;
      case Habit::Hot:
        actor.lines = 2 + below(96);
        break;
      case Habit::Anywhere:
      case Habit::Line:
        actor.lines = 1;
        break;
    }
  }

  void step(Actor& actor, TraceRecord& record) {
    if (actor.left-- == 0) {
      take_up(actor);
      --actor.left;
    }
    std::uint64_t line = actor.line;
    record.is_write = below(100) < actor.write_percent;
    if (actor.habit == Habit::Stream) {
      // The leader goes on, and what is `distance` lines behind it comes again.
      const bool follows = actor.at % 2 != 0;
      const std::uint64_t place = actor.at / 2;
      line += follows && place >= actor.distance ? place - actor.distance : place;
      record.is_write = follows ? actor.follower_writes : actor.leader_writes;
      ++actor.at;
    } else if (actor.habit == Habit::Anywhere) {
      line = below(places_.window_lines);
    } else {
      line += below(actor.lines);
    }
    record.addr = actor.window + line % places_.window_lines * kLineBytes;
    if (record.is_write) record.byte_enable = enables();
  }

  // Whole lines, random bytes, one element, one byte, all but one byte.
  std::uint64_t enables() {
    switch (below(8)) {
      case 0:
        return rng_() & rng_();
      case 1:
        return rng_() | rng_();
      case 2:
        return std::uint64_t{0xf} << 4 * below(16);
      case 3:
        return std::uint64_t{1} << below(64);
      case 4:
        return ~(std::uint64_t{1} << below(64));
      default:
        return kAllBytes;
    }
  }

  std::mt19937_64 rng_;
  SoakPlaces places_;
  std::array<Actor, 5> actors_;
};

}  // namespace cxlgpu
