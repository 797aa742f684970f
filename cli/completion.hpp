// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
// What a shell offers for the next word of a command line.
//
// Purpose: verbs, options and their choices are asked of the command's own parser, names and keys
//          of the configurations, so that nothing here is a second list. The shell's script
//          (`cxlgpu completion bash`) asks at each key press by `cxlgpu complete -- WORD...`.
// Errors:  none; configurations that cannot be read are InputError.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace CLI {
class App;
}

namespace cxlgpu {

inline constexpr const char* kComplete = "complete";
inline const std::vector<std::string> kShells = {"bash", "zsh", "fish"};

// What may stand in place of the last of `words`, which follow the command's name; in the order of
// --help. Of files nothing: the shell knows them. `configs` may have no configurations.
std::vector<std::string> completions(const CLI::App& app, const std::vector<std::string>& words,
                                     const std::filesystem::path& configs);

// What a shell, one of kShells, reads.
std::string completion_script(const std::string& shell);

}  // namespace cxlgpu
