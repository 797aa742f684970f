// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
// CXL.mem and CXL.cache messages to flits.
//
// Purpose: twin of rtl/controller/cache_packer.sv, the packer of a controller that carries both
//          protocols. A flit has at most two places for messages: slot 0, where the two protocols
//          take turns, and one more slot.
// Units:   counts of messages and 16-byte chunks.
// Shapes:  two oldest messages of each channel, one of Cdat.
// Errors:  none.
// Source:  CXL 2.0 4.2.3, 4.2.5, 4.2.7, docs/blocks/controller/cache_packer.md.
#pragma once

#include <deque>

#include "refmodel/controller/cache_wire.hpp"
#include "refmodel/controller/flit_packer.hpp"

namespace cxlgpu {

class CachePacker {
 public:
  struct In {
    FlitPacker::In mem{};
    CacheOffer cache{};
  };
  struct Out {
    FlitPacker::Out mem{};
    unsigned creq_take = 0;
    unsigned crsp_take = 0;
    bool cdat_take = false;
  };

  explicit CachePacker(bool is_host) : is_host_(is_host) {}
  [[nodiscard]] Out eval(const In& in) const;
  void clock(const In& in);
  [[nodiscard]] unsigned owed() const { return static_cast<unsigned>(owed_.size()); }

 private:
  // One flit in the making.
  class Build;

  bool is_host_;
  bool cache_turn_ = false;  // whose turn slot 0 is when both want it
  bool alt_ = false;         // whether a Creq goes before a Crsp in slot 0
  std::deque<Chunk> owed_;
};

}  // namespace cxlgpu
