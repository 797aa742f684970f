// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
// scripts/rtl_words.py: what ports, parameters and assertions of the RTL have to say. The cases are
// Python's.
#include "tests/cli/cli.hpp"

namespace cxlgpu {
namespace {

class RtlWords : public Cli {};

TEST_F(RtlWords, FindsWhatAModuleDoesNotSay) {
  const fs::path said = base_ / "said";
  const std::string command = "python3 '" + std::string(CXLGPU_SOURCE_DIR) +
                              "/tests/scripts/rtl_words_cases.py' > '" + said.string() + "' 2>&1";
  EXPECT_EQ(std::system(command.c_str()), 0) << read_text(said);
}

}  // namespace
}  // namespace cxlgpu
