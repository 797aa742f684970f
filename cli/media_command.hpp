// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
// cxlgpu media NAME: what a media part does by itself.
//
// Input:  NAME is a part of configs/media, or a path to a part's yaml file.
// Output: a table and a curve of latency against load, the figures that data sheets publish and
//         what is published; with --out also media.json (schema 1, figures and curves as in
//         stats.json) and media.svg, written whole and renamed.
// Errors: InputError, one line: what, where, what to do.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>

namespace CLI {
class App;
}

namespace cxlgpu {

struct MediaArguments {
  std::string part;
  std::string out;  // directory, empty: none
  std::uint32_t seed = 1;
};

void add_media_command(CLI::App& app, MediaArguments& arguments);
// `configs`: the folder that has media/.
int media_command(const MediaArguments& arguments, const std::filesystem::path& configs);

}  // namespace cxlgpu
