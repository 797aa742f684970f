// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
// The seam between a peer of the link and whatever stands at its other end.
//
// A peer is clocked once a nanosecond. Below the seam lies the flexible-bus physical layer: it
// carries 66-byte payloads with a protocol ID each, trains, and recovers on demand. Above it lies
// the peer.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <utility>

namespace peer {

// What the protocol ID of the physical layer says of a flit. The encodings of the ID are below the
// seam.
enum class FlitKind : uint8_t { Io = 0, CacheMem = 1, Almp = 2, Null = 3 };

// The payload of one flit, byte 0 first on the wire.
// CacheMem: 64 bytes of slots and the CRC. Io: 64 bytes of the PCIe symbol stream and 2 reserved
// bytes. Almp: the ALMP.
using Flit = std::array<uint8_t, 66>;

using TaggedFlit = std::pair<FlitKind, Flit>;

// What the physical layer shows in one cycle.
struct LinkIn {
  bool phy_up = false;        // the link is trained (recovery counts as trained)
  bool phy_recovery = false;  // the link is in recovery: no flit passes either way
  bool tx_ready = false;      // the flit offered in this cycle is taken
  std::optional<TaggedFlit> rx;
};

// What the peer shows in one cycle.
struct LinkOut {
  std::optional<TaggedFlit> tx;  // held stable until a cycle with tx_ready
  bool retrain = false;          // a one-cycle request to take the physical layer through recovery
};

// One end of the link. `cycle` is called once per clock cycle.
class LinkEnd {
 public:
  LinkEnd() = default;
  LinkEnd(const LinkEnd&) = delete;
  LinkEnd& operator=(const LinkEnd&) = delete;
  virtual ~LinkEnd() = default;

  // tx_ready of the cycle refers to the flit that this very call returns. rx is always taken.
  virtual LinkOut cycle(const LinkIn& in) = 0;
  // A conventional reset: all state is as at power-up, except what the peer declares sticky.
  virtual void reset() = 0;
};

}  // namespace peer
