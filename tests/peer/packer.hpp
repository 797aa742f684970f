// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
// Packs messages into protocol flits and all-data flits (CXL 2.0, 4.2.5) by one of several legal
// policies.
#pragma once

#include <array>
#include <cstdint>
#include <deque>
#include <optional>
#include <random>

#include "flit_codec.hpp"
#include "messages.hpp"

namespace peer {

enum class PackPolicy : uint8_t {
  OnePerFlit,   // one message a flit, always in slot 0; nothing else in a flit that still carries
                // data
  Densest,      // as many as fit
  GenericOnly,  // no message in slot 0 as long as a generic slot can carry it
  Random,       // another legal choice in every flit: formats, empty slots, how much
};

// Messages that wait to be sent.
struct Outbox {
  std::deque<MemReq> req;
  std::deque<MemRwd> rwd;
  std::deque<MemNdr> ndr;
  std::deque<MemDrs> drs;
  bool empty() const { return req.empty() && rwd.empty() && ndr.empty() && drs.empty(); }
};

// How many messages of each channel may leave now.
struct Allowance {
  unsigned req = 0;
  unsigned rwd = 0;
  unsigned ndr = 0;
  unsigned drs = 0;
};

struct PackedFlit {
  Flit flit{};  // not sealed; credit fields and Ak of the header are the link layer's
  bool all_data = false;
  Allowance used;
};

class Packer {
 public:
  Packer(Direction direction, PackPolicy policy, bool mdh, uint64_t seed);

  // Data chunks that messages sent so far still owe.
  unsigned owed() const { return static_cast<unsigned>(owed_.size()); }
  bool all_data_next() const { return owed() >= 4; }
  // The next flit; none if there is nothing to send.
  std::optional<PackedFlit> next(Outbox& outbox, const Allowance& allowed);
  void reset() { owed_.clear(); }

 private:
  // What one slot of this flit is to carry.
  struct SlotPlan {
    uint8_t code = 0;
    unsigned req = 0;
    unsigned rwd = 0;
    unsigned ndr = 0;
    unsigned drs = 0;
    unsigned messages() const { return req + rwd + ndr + drs; }
  };
  struct FlitState {
    PackedFlit out;
    FlitHeader header;
    Allowance left;                   // by credit, by queue and by the bounds of one flit
    bool data_header = false;         // the flit has its data header
    bool full = false;                // no further message by the policy
    std::array<bool, 4> room_left{};  // by MessageKind: an earlier slot has an empty place for one
  };

  PackedFlit all_data_flit();
  std::optional<SlotPlan> plan_for(const FlitState& state, const Outbox& outbox, unsigned slot,
                                   uint8_t code) const;
  std::optional<SlotPlan> choose(const FlitState& state, const Outbox& outbox, unsigned slot);
  void narrow(SlotPlan& plan);
  uint8_t empty_code(unsigned slot);
  void put(FlitState& state, Outbox& outbox, unsigned slot, const SlotPlan& plan);
  void leave_empty(FlitState& state, unsigned slot);

  Direction direction_;
  PackPolicy policy_;
  bool mdh_;
  std::mt19937_64 random_;
  std::deque<Chunk> owed_;
};

}  // namespace peer
