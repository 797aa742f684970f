// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
// A scenario, a part or a setting of any bytes is taken or refused with one line.
//
// First byte: 0 a scenario file, 1 a media file, 2 settings (--set), one a line.
#include <sstream>

#include "common/input_error.hpp"
#include "sim/config/config.hpp"
#include "sim/media/media_config.hpp"
#include "verify/fuzz/input.hpp"

namespace {

using namespace cxlgpu;

void load(unsigned kind, std::span<const std::uint8_t> bytes) {
  const std::filesystem::path configs = CXLGPU_SOURCE_DIR "/configs";
  if (kind == 1) {
    const fuzz::MemoryFile file(bytes);
    (void)load_media_config(file.path());
    return;
  }
  const ConfigLoader loader(configs, {{"vadd", "bfs"}, {"dram", "znand"}, {"cxl", "sr", "ds"}});
  std::vector<std::string> sets;
  std::string scenario = "vadd-znand-sr";
  const fuzz::MemoryFile file(bytes);
  if (kind == 0) {
    scenario = file.path();
  } else {
    std::istringstream lines(std::string(bytes.begin(), bytes.end()));
    for (std::string line; std::getline(lines, line);) sets.push_back(line);
  }
  check(loader.load(scenario, sets), scenario);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  try {
    load(data[0] % 3, {data + 1, size - 1});
  } catch (const InputError& error) {
    if (std::string(error.what()).find('\n') != std::string::npos) __builtin_trap();
  }
  return 0;
}
