// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
// Flits to messages.
//
// Purpose: twin of rtl/controller/flit_unpacker.sv: the receiver's decode loop. R (chunks owed) is
//          the only thing that tells an all-data flit from one with a header.
// Units:   counts of messages and 16-byte chunks.
// Shapes:  at most two ND messages and one completed WD message a flit.
// Errors:  Out::err; what is done then is in docs/blocks/controller/flit_unpacker.md.
// Source:  CXL 2.0 4.2.5 to 4.2.7, docs/blocks/controller/flit_unpacker.md.
#pragma once

#include <array>

#include "refmodel/controller/line_assembler.hpp"

namespace cxlgpu {

class FlitUnpacker {
 public:
  struct In {
    bool start = false;        // link start: nothing owed
    bool mdh_disable = false;  // slots of several data headers were switched off
    bool valid = false;        // one accepted flit
    Payload flit{};
  };
  struct Out {
    unsigned nd_valid = 0;  // 0..2
    std::array<MsgHeader, 2> nd_hdr{};
    bool wd_valid = false;
    WdMessage wd{};
    bool wd_half = false;      // the first half of a line begins
    bool is_protocol = false;  // header with Ak and credits
    bool is_control = false;
    bool err = false;
    unsigned owed = 0;
  };

  explicit FlitUnpacker(bool is_host) : is_host_(is_host) {}
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
