// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
// One direction of a link between two verilated ports: serialisation, flight, bit errors.
//
// Purpose: the wire. A flit is taken when the serialiser is about to be free, leaves back to back
//          with the one before, and arrives flit time + flight later, at a clock edge.
// Units:   picoseconds; bit error rate per bit of the 68 bytes.
// Errors:  damage is left to the receiver: protocol ID, ALMP copies, CRC.
#pragma once

#include <array>
#include <cstdint>
#include <deque>
#include <optional>
#include <random>

#include "common/time.hpp"
#include "flits/flit.hpp"

namespace cxlgpu {

struct LinkOptions {
  Time flit_time{2125};
  Time flight{2000};
  double bit_error_rate = 0;
  std::uint64_t seed = 1;
  std::uint64_t damage_flit = 0;  // this one, counted from 1, gets a wrong bit; 0: none
};

// Made on purpose, on every link alike but for the removal. Cycles count from reset.
struct LinkFaults {
  std::uint64_t recovery_at = 0;               // a Recovery in this cycle; 0: none
  std::uint64_t recovery_every = 0;            // and whenever so many cycles have passed; 0: never
  std::array<std::uint64_t, 2> damage_flit{};  // of M2S, S2M: LinkOptions::damage_flit
  // In this cycle the link of this port leaves L0 without Recovery and stays down; 0: never.
  // Precondition: the links have trained by then.
  std::uint64_t down_at = 0;
  unsigned down_port = 0;
  // From this cycle on every CXL.mem flit of this port's link, either way, gets a wrong bit; 0:
  // never.
  std::uint64_t noise_at = 0;
  unsigned noise_port = 0;
};

class Link {
 public:
  explicit Link(const LinkOptions& options);

  [[nodiscard]] bool ready(Time now) const { return busy_until_ < now + kCycle; }
  // Precondition: ready(now).
  void send(const flits::Flit& flit, Time now);

  struct Arrival {
    flits::Flit flit;
    Time at;  // last byte
  };
  [[nodiscard]] bool due(Time now) const { return !wire_.empty() && wire_.front().at <= now; }
  // The flit due at this clock edge, if any.
  std::optional<Arrival> receive(Time now);
  // Recovery, or the link went down: what is in flight is lost.
  void drop_all(Time now) {
    wire_.clear();
    busy_until_ = now;
  }

  void damage_all() { damage_all_ = true; }

  [[nodiscard]] std::uint64_t bits_flipped() const { return bits_flipped_; }
  [[nodiscard]] std::uint64_t flits_damaged() const { return flits_damaged_; }
  // When the first damaged flit was sent, on purpose or not; never() before.
  [[nodiscard]] Time first_damage() const { return first_damage_; }

 private:
  bool damage(flits::Flit& flit);
  [[nodiscard]] std::uint64_t next_gap();

  LinkOptions options_;
  bool damage_all_ = false;
  Time busy_until_{0};
  std::deque<Arrival> wire_;
  std::mt19937_64 rng_;
  std::uint64_t bits_to_error_ = ~std::uint64_t{0};
  std::uint64_t bits_flipped_ = 0, flits_damaged_ = 0, sent_ = 0;
  Time first_damage_ = Time::never();
};

}  // namespace cxlgpu
