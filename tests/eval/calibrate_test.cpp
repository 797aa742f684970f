// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
// eval/calibrate.py: idle costs of the RTL beside the model's.
#include <sys/wait.h>

#include "tests/cli/cli.hpp"

namespace cxlgpu {
namespace {

class Calibrate : public Cli {
 protected:
  int calibrate(const std::string& options) {
    const std::string said = (base_ / "said").string();
    const std::string command = "python3 '" + std::string(CXLGPU_SOURCE_DIR) +
                                "/eval/calibrate.py' " + options + " > '" + said + "' 2>&1";
    const int status = std::system(command.c_str());
    said_ = read_text(said);
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
  }
  // The command, with one more option where the engine is the model.
  std::string altered(const std::string& option) {
    const fs::path file = write("cxlgpu", "#!/bin/sh\ncase \"$*\" in\n*'--engine model'*) exec '" +
                                              std::string(CXLGPU_BINARY) + "' \"$@\" " + option +
                                              ";;\nesac\nexec '" + CXLGPU_BINARY + "' \"$@\"\n");
    fs::permissions(file, fs::perms::owner_all);
    return "--cxlgpu '" + file.string() + "' ";
  }
  std::string said_;
};

TEST_F(Calibrate, EveryStageOfTheModelTakesWhatItTakesInTheRtl) {
  const fs::path page = write("page.md", "one\n<!-- figures: idle -->\nold\n<!-- end -->\ntwo\n");
  EXPECT_EQ(
      calibrate("--cxlgpu '" + std::string(CXLGPU_BINARY) + "' --page '" + page.string() + "'"), 0)
      << said_;
  const std::string text = read_text(page);
  EXPECT_EQ(text.find("old"), std::string::npos);
  EXPECT_EQ(text.rfind("one\n<!-- figures: idle -->\n| ns |", 0), 0U) << text;
  EXPECT_NE(text.find("| load, miss, with MemSpecRd |"), std::string::npos);
  EXPECT_NE(text.find("<!-- end -->\ntwo\n"), std::string::npos);
}

TEST_F(Calibrate, ADifferenceIsNamed) {
  EXPECT_EQ(calibrate(altered("--set link.flight_ps=3000") + "--check"), 1);
  EXPECT_NE(said_.find("load, hit: rtl {"), std::string::npos) << said_;
  EXPECT_NE(said_.find("reads back to back"), std::string::npos) << said_;
}

TEST_F(Calibrate, PageWithoutThePlaceIsRefused) {
  const fs::path page = write("page.md", "nothing\n");
  EXPECT_NE(
      calibrate("--cxlgpu '" + std::string(CXLGPU_BINARY) + "' --page '" + page.string() + "'"), 0);
  EXPECT_EQ(read_text(page), "nothing\n");
}

}  // namespace
}  // namespace cxlgpu
