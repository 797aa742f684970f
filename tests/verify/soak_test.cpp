// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
// One seed of the soaks whose programs every build has, and a soak whose program says nothing:
// verify/soak.py reads what programs print, which changes with them.
#include <sys/wait.h>

#include "tests/cli/cli.hpp"

namespace cxlgpu {
namespace {

class Soak : public Cli {
 protected:
  // Status of a soak of programs in `build`; its record.
  int soak(const fs::path& build, const std::string& kinds) {
    const std::string command = "python3 '" + std::string(CXLGPU_SOURCE_DIR) +
                                "/verify/soak.py' --build '" + build.string() + "' --state '" +
                                (dir_ / "state").string() + "' --record '" +
                                (dir_ / "soak.json").string() + "' --turns 1 --jobs 1 " + kinds +
                                " > '" + (base_ / "said").string() + "' 2>&1";
    const int status = std::system(command.c_str());
    said_ = read_text(base_ / "said");
    record_ = json::parse(read_text(dir_ / "soak.json"), nullptr, false);
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
  }
  std::string said_;
  json record_;
};

const fs::path kBuild = fs::path(CXLGPU_BINARY).parent_path().parent_path();

TEST_F(Soak, KernelsAndRegistersAreCounted) {
  ASSERT_EQ(soak(kBuild, "--kind kernels --kind registers"), 0) << said_;
  for (const char* kind : {"kernels, cosim", "registers, cosim"}) {
    ASSERT_TRUE(record_["kinds"].contains(kind)) << kind;
    const json& k = record_["kinds"][kind];
    EXPECT_EQ(k["seeds"], 1) << kind;
    EXPECT_EQ(k["failures"], 0) << kind;
    EXPECT_GT(k["cycles"], 1000) << kind;
    EXPECT_GT(k["requests"], 100) << kind;
  }
  EXPECT_EQ(record_["cosim"]["seeds"], 2);
  EXPECT_EQ(record_["next_seed"]["registers"], 2);
}

TEST_F(Soak, AProgramThatSaysNothingIsAFailure) {
  const fs::path bin = dir_ / "silent" / "bin";
  fs::create_directories(bin);
  fs::create_symlink("/bin/true", bin / "system_register_storm_test");
  EXPECT_EQ(soak(dir_ / "silent", "--kind registers"), 1) << said_;
  ASSERT_TRUE(record_.is_object()) << said_;
  EXPECT_EQ(record_["kinds"]["registers, cosim"]["failures"], 1);
  ASSERT_EQ(record_["failures"].size(), 1u);
  EXPECT_NE(said_.find("FAILED registers seed 1"), std::string::npos) << said_;
}

}  // namespace
}  // namespace cxlgpu
