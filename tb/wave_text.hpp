// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
// Text over time in the FST of a verilated top.
//
// Purpose: tracks that no signal of the RTL is: what a flit on the wire says. Each is a vector of
//          characters, the last in the least significant byte, which viewers show as ASCII.
// Shapes:  add() each track, attach() before the file is opened, set() at any time; what is set
//          is in the file from the next dump on.
// Errors:  none; a text that is too long is cut, which dots at its end say.
#pragma once

#include <verilated_fst_c.h>

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "tb/wave_groups.hpp"

namespace cxlgpu {

class WaveText {
 public:
  static constexpr unsigned kChars = kWaveTextChars, kBits = 8 * kChars;

  // `scope`: scopes from the outermost, a space between two.
  void add(std::string scope, std::string name) {
    tracks_.push_back({std::move(scope), std::move(name), {}});
  }
  // The tracks must not move from here on.
  void attach(VerilatedFst& trace);
  void set(std::size_t track, std::string_view text);

 private:
  struct Track {
    std::string scope, name;
    std::array<std::uint32_t, kBits / 32> words;
  };

  static void declare(void* self, VerilatedFst* trace, std::uint32_t code);
  static void dump_all(void* self, VerilatedFst::Buffer* buffer);
  static void dump_changes(void* self, VerilatedFst::Buffer* buffer);

  std::vector<Track> tracks_;
  std::uint32_t code_ = 0;  // of the first track in the file
};

}  // namespace cxlgpu
