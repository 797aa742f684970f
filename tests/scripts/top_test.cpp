// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
// What the verilated top of a test is compiled of, and what is compiled again after a change
// (cmake/top.cmake). The cases are Python's, with a stand-in for Verilator.
#include "tests/cli/cli.hpp"

namespace cxlgpu {
namespace {

class Top : public Cli {};

TEST_F(Top, UnitsAreOfWhatVerilatorWrote) {
  const fs::path said = base_ / "said";
  const std::string command = "python3 '" + std::string(CXLGPU_SOURCE_DIR) +
                              "/tests/scripts/top_cases.py' > '" + said.string() + "' 2>&1";
  EXPECT_EQ(std::system(command.c_str()), 0) << read_text(said);
}

}  // namespace
}  // namespace cxlgpu
