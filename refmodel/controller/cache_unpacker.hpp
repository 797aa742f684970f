// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
// Flits to CXL.mem and CXL.cache messages.
//
// Purpose: twin of rtl/controller/cache_unpacker.sv, the unpacker of a controller that carries both
//          protocols: every slot format of the direction, several data headers a slot included.
// Units:   counts of messages and 16-byte chunks.
// Shapes:  a flit brings at most two ND, four (host) or two Creq, two (host) or four Crsp, and
//          completes at most one message with data, CXL.mem or CXL.cache.
// Errors:  Out::mem.err; what is done then is in docs/blocks/controller/cache_unpacker.md.
// Source:  CXL 2.0 4.2.5 to 4.2.7, docs/blocks/controller/cache_unpacker.md.
#pragma once

#include "refmodel/controller/cache_wire.hpp"
#include "refmodel/controller/flit_unpacker.hpp"

namespace cxlgpu {

class CacheUnpacker {
 public:
  using In = FlitUnpacker::In;
  struct Out {
    FlitUnpacker::Out mem{};  // with what does not belong to a channel: kind of flit, error, R
    CacheReceived cache{};
  };

  explicit CacheUnpacker(bool is_host) : is_host_(is_host) {}
  [[nodiscard]] Out eval(const In& in) const;
  void clock(const In& in);
  [[nodiscard]] unsigned owed() const { return lines_.owed(); }

 private:
  // The decode of one flit: works on copies of the state; clock() keeps them.
  struct Decode;

  bool is_host_;
  LineAssembler lines_;
};

}  // namespace cxlgpu
