// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
// What a record's verdict stands on (verify/records.py): digests of content that outlive moves and
// remarks, the sources of a built program, and tests by the names of today. The cases are Python's,
// as the code is.
#include "tests/cli/cli.hpp"

namespace cxlgpu {
namespace {

class Records : public Cli, public ::testing::WithParamInterface<const char*> {};

TEST_P(Records, Pass) {
  const fs::path said = base_ / "said";
  const std::string command = "python3 '" + std::string(CXLGPU_SOURCE_DIR) +
                              "/tests/verify/records_cases.py' " + GetParam() + " > '" +
                              said.string() + "' 2>&1";
  EXPECT_EQ(std::system(command.c_str()), 0) << read_text(said);
}
INSTANTIATE_TEST_SUITE_P(All, Records, ::testing::Values("Digests", "Programs", "Names"));

}  // namespace
}  // namespace cxlgpu
