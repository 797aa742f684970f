// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
// Which tests scripts/block.py takes for a block.
#include <sys/wait.h>

#include "tests/cli/cli.hpp"

namespace cxlgpu {
namespace {

class Block : public Cli {
 protected:
  // The lines that it prints; its exit status in status_.
  std::vector<std::string> tests_of(const std::string& words) {
    const std::string command = "python3 '" + std::string(CXLGPU_SOURCE_DIR) +
                                "/scripts/block.py' --list " + words + " > '" +
                                (base_ / "said").string() + "' 2>&1";
    const int status = std::system(command.c_str());
    status_ = WIFEXITED(status) ? WEXITSTATUS(status) : -1;
    return lines_of(read_text(base_ / "said"));
  }
  int status_ = -1;
};

using Names = std::vector<std::string>;

TEST_F(Block, TakesTheTestsOfItsName) {
  EXPECT_EQ(tests_of("io_link"), Names{"cxl_io/io_link"});
  EXPECT_EQ(tests_of("crc16"), (Names{"controller/crc16", "flits/crc16"}));
  EXPECT_EQ(tests_of("ftl"), Names{"sim/media/ftl"});  // no module at all
}

TEST_F(Block, WithoutATestTakesTheNearestThatHoldIt) {
  EXPECT_EQ(tests_of("ds_slots"), (Names{"root_port/ds_alone", "root_port/ds_engine"}));
}

TEST_F(Block, TakesAllThatHoldItIfAsked) {
  const Names all = tests_of("vlsm --all");
  const std::set<std::string> held(all.begin(), all.end());
  for (const char* test : {"controller/vlsm", "controller/arb_mux", "top/root_complex"}) {
    EXPECT_TRUE(held.contains(test)) << test;
  }
  for (const char* test : {"controller/crc16", "endpoint/dram_cache", "system/bring_up"}) {
    EXPECT_FALSE(held.contains(test)) << test;
  }
}

TEST_F(Block, ANameThatIsNoneIsRefused) {
  const Names said = tests_of("nothing");
  EXPECT_EQ(status_, 2);
  ASSERT_FALSE(said.empty());
  EXPECT_NE(said.back().find("nothing"), std::string::npos) << said.back();
}

}  // namespace
}  // namespace cxlgpu
