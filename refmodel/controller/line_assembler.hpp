// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
// Lines of 64 bytes from the data slots of a stream of flits.
//
// Purpose: what the two unpackers share: the data headers that wait for their chunks, and the lines
//          that come in two halves: of S2M DRS, and of data of CXL.cache.
// Units:   16-byte chunks, the BE slot counts as one.
// Errors:  open() says what is wrong with a header; what is done then is in
//          docs/blocks/controller/flit_unpacker.md and cache_unpacker.md.
// Source:  CXL 2.0 3.2.5.13, 3.3.7 and table 47, 4.2.5; docs/blocks/controller/flit_unpacker.md and
//          cache_unpacker.md, "32 bytes of data".
#pragma once

#include <deque>
#include <optional>
#include <vector>

#include "refmodel/controller/wire.hpp"

namespace cxlgpu {

class LineAssembler {
 public:
  // A data header and what its flit and slot say of its data.
  struct Header {
    flits::MessageKind kind{};
    MsgHeader message = 0;
    bool mdh = false;  // in a slot of several data headers
    bool sz = true;    // 64 bytes
    bool be = false;
  };
  struct Opened {
    bool err = false;
    bool half = false;  // the first half of a line
  };
  struct Line {
    flits::MessageKind kind{};
    WdMessage message{};
  };

  Opened open(const Header& header);
  // The next chunk; the line that it completes.
  std::optional<Line> take(const Chunk& chunk);
  [[nodiscard]] unsigned owed() const;

 private:
  enum class Role : std::uint8_t { kWhole, kLower, kUpper, kDropped };
  struct Waiting {
    flits::MessageKind kind;
    MsgHeader message;
    unsigned chunks;
    Role role;
  };
  struct Half {
    flits::MessageKind kind;
    MsgHeader message;
  };
  [[nodiscard]] static bool breaks_rule(const Header& header);
  // What a header of 32 bytes is when no half waits.
  [[nodiscard]] static Role role_of_half(const Header& header);
  [[nodiscard]] static bool is_second(const Half& first, const Header& header);
  [[nodiscard]] WdMessage finish(const Waiting& waiting);

  std::deque<Waiting> waiting_;
  std::vector<Chunk> chunks_;  // of the oldest waiting message so far
  std::optional<Half> half_;   // a first half whose second has to come next
  WdMessage lower_;            // its data and enables, once they are there
};

}  // namespace cxlgpu
