// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
// A flit in as few words as a track of a waveform has room for.
//
// Purpose: what `cxlgpu flit decode` says of it without what a viewer has beside it: direction,
//          slot formats, credits, bytes of data. "MemWr tag=0x8 0x100000200, data x3".
// Errors:  none: every flit has a text.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "flits/flit.hpp"
#include "flits/io_stream.hpp"

namespace cxlgpu {

// `owed`: data slots owed as it begins; `packets`: of a flit of CXL.io.
[[nodiscard]] std::string flit_text(const flits::Flit& flit, flits::Direction direction,
                                    unsigned owed, const std::vector<flits::IoPacket>& packets);

// With dots in place of what a track of so many characters has no room for.
[[nodiscard]] std::string fitted(std::string text, std::size_t chars);

}  // namespace cxlgpu
