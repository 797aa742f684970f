// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
// The commands of README and docs, as they stand there: all that take seconds.
//
// Purpose: `make docs-check` runs the slow ones too, on a fresh clone.
#include <sys/wait.h>

#include "tests/cli/cli.hpp"

namespace cxlgpu {
namespace {

class DocsCommands : public Cli {
 protected:
  int script(const std::string& options) {
    const std::string command = "python3 '" CXLGPU_SOURCE_DIR "/scripts/docs_check.py' " + options +
                                " > '" + (dir_ / "said").string() + "' 2>&1";
    const int status = std::system(command.c_str());
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
  }
  std::string said() { return read_text(dir_ / "said"); }
};

TEST_F(DocsCommands, RunAsWritten) {
  const std::string build = fs::path(CXLGPU_BINARY).parent_path().parent_path().string();
  EXPECT_EQ(script("--quick --keep-going --build '" + build + "'"), 0) << said();
  std::cout << said();
}

TEST_F(DocsCommands, AreThoseOfThePages) {
  ASSERT_EQ(script("--quick --list"), 0) << said();
  const std::string quick = said();
  ASSERT_EQ(script("--list"), 0) << said();
  for (const char* command :
       {"make sim", "make waves", "cxlgpu list", "gemm-znand-uvm", "flit check", "own.yaml"}) {
    EXPECT_NE(quick.find(command), std::string::npos) << command;
  }
  EXPECT_GT(lines_of(said()).size(), lines_of(quick).size()) << "some are slow";
}

}  // namespace
}  // namespace cxlgpu
