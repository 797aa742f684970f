// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
// What a message to a person may hold: one line of printable text.
#pragma once

#include <cstddef>
#include <string>

namespace cxlgpu {

// A message quotes what it was given, which may hold line ends, terminal controls and bytes that
// are no UTF-8: each such byte becomes a question mark.
inline std::string one_line(std::string text) {
  const auto byte = [&text](std::size_t i) {
    return i < text.size() ? static_cast<unsigned char>(text[i]) : 0u;
  };
  for (std::size_t i = 0; i < text.size();) {
    const unsigned lead = byte(i);
    std::size_t length = 1;
    if (lead >= 0xc2 && lead < 0xe0) length = 2;
    if (lead >= 0xe0 && lead < 0xf0) length = 3;
    if (lead >= 0xf0 && lead < 0xf5) length = 4;
    bool good = length > 1 ? !(lead == 0xc2 && byte(i + 1) < 0xa0) : lead >= ' ' && lead < 0x7f;
    for (std::size_t k = 1; k < length; ++k) good = good && (byte(i + k) & 0xc0) == 0x80;
    if (!good) {
      text[i] = '?';
      length = 1;
    }
    i += length;
  }
  return text;
}

}  // namespace cxlgpu
