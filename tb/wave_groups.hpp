// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
// The GTKWave save file of an FST: one group a part of the design, named as in the documents.
//
// Purpose: the viewer opens on the first request, with a marker on it, and shows states by name.
// Errors:  none.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "common/rtl_sizes.hpp"
#include "common/time.hpp"

namespace cxlgpu {

// Names of an enumeration of the RTL, by value: of those that the RTL keeps in plain vectors, which
// the dump has as numbers. Those of enumerated variables are in the dump itself.
struct StateNames {
  std::string_view type;  // as the RTL names it
  struct State {
    unsigned value;
    std::string_view name;
  };
  std::vector<State> states;
};
const std::vector<StateNames>& wave_states();

// A trace of the save file: its full name in the FST, and the enumeration it is shown in.
struct WaveTrace {
  std::string name;
  std::string_view states;  // empty: hexadecimal; else of wave_states(), or kOfTheDump
};
inline constexpr std::string_view kOfTheDump = "(dump)";
struct WaveGroup {
  std::string name;
  std::vector<WaveTrace> traces;
};
// Of rtl/top/cxlgpu_top with these sizes, in tb/cxlgpu_bench.
std::vector<WaveGroup> wave_groups(const RtlSizes& sizes);

// GTKWave's translate file of an enumeration: value in hex, name.
std::string gtkwave_translate_file(const StateNames& names);
// The folder beside the FST that holds the translate files, named TYPE.txt.
std::filesystem::path wave_states_folder(const std::filesystem::path& fst);
// Text of the save file beside `fst`. `from`: where the view begins; `marker`: of the first
// request.
std::string gtkwave_save_file(const std::filesystem::path& fst, const RtlSizes& sizes, Time from,
                              Time marker);

}  // namespace cxlgpu
