// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
// What a viewer is given with an FST: one group a part of the design, named as in the documents.
//
// Purpose: GTKWave (save file) and Surfer (command file) open on the first request, or on the first
//          mismatch, with a marker on it, and show states by name and flits as text.
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
  unsigned bits;
  struct State {
    unsigned value;
    std::string_view name;
  };
  std::vector<State> states;
};
const std::vector<StateNames>& wave_states();

// Of a track of text (tb/wave_text.hpp), in the FST and here.
inline constexpr unsigned kWaveTextChars = 160;

// A trace of the save file: its full name in the FST, and the enumeration it is shown in.
struct WaveTrace {
  std::string name;
  std::string_view states;  // empty: hexadecimal; else of wave_states(), kOfTheDump or kText
};
inline constexpr std::string_view kOfTheDump = "(dump)";
inline constexpr std::string_view kText = "(text)";  // tb/wave_text.hpp
struct WaveGroup {
  std::string name;
  std::vector<WaveTrace> traces;
};
// Of rtl/top/cxlgpu_top with these sizes, in tb/cxlgpu_bench.
std::vector<WaveGroup> wave_groups(const RtlSizes& sizes);

// GTKWave's translate file of an enumeration: value in hex, name.
std::string gtkwave_translate_file(const StateNames& names);
// Surfer's mapping of it, a format with the name of the type.
std::string surfer_mapping_file(const StateNames& names);
// The folder beside the FST that holds the translate files, named TYPE.txt, and Surfer's mappings
// in a folder where Surfer looks for them if it is started there.
std::filesystem::path wave_states_folder(const std::filesystem::path& fst);
std::filesystem::path surfer_mappings_folder(const std::filesystem::path& fst);
// What is shown first.
struct WaveView {
  Time from;  // where the view begins
  Time marker;
  std::string label;  // of the marker: a word
  Time length;        // of the whole FST
};
// Text of the save file beside `fst`.
std::string gtkwave_save_file(const std::filesystem::path& fst, const RtlSizes& sizes,
                              const WaveView& view);
// Commands that Surfer runs once it has the FST: the same groups, formats and marker.
std::string surfer_command_file(const RtlSizes& sizes, const WaveView& view);

}  // namespace cxlgpu
