// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
// Files that are whole or not there.
#include "flits/output_file.hpp"

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <fstream>
#include <sstream>

namespace cxlgpu::flits {
namespace {

namespace fs = std::filesystem;

class OutputFiles : public ::testing::Test {
 protected:
  OutputFiles() {
    std::string name = (fs::temp_directory_path() / "cxlgpu_output_XXXXXX").string();
    if (mkdtemp(name.data()) == nullptr) throw std::runtime_error("no temporary folder");
    dir_ = name;
  }
  ~OutputFiles() override { fs::remove_all(dir_); }
  std::string text(const std::string& name) const {
    std::ifstream in(dir_ / name);
    std::stringstream all;
    all << in.rdbuf();
    return all.str();
  }
  std::size_t entries() const {
    return static_cast<std::size_t>(
        std::distance(fs::directory_iterator(dir_), fs::directory_iterator()));
  }
  fs::path dir_;
};

TEST_F(OutputFiles, TheOldOneStaysUntilTheNewOneIsWhole) {
  std::ofstream(dir_ / "f") << "old";
  {
    OutputFile file(dir_ / "f");
    file.write("new and ");
    EXPECT_EQ(text("f"), "old");
    EXPECT_TRUE(fs::exists(dir_ / "f.part"));
    file.write("longer");
    file.finish();
    EXPECT_EQ(text("f"), "old");
    file.publish();
  }
  EXPECT_EQ(text("f"), "new and longer");
  EXPECT_EQ(entries(), 1u);
}

TEST_F(OutputFiles, AnUnfinishedOneIsRemoved) {
  { OutputFile(dir_ / "f").write("half"); }
  EXPECT_EQ(entries(), 0u);
  { OutputFile(dir_ / "f").finish(); }
  EXPECT_EQ(entries(), 0u);
}

TEST_F(OutputFiles, MovedOnesHaveOneOwner) {
  OutputFile first(dir_ / "f");
  OutputFile second(std::move(first));
  second.write("text");
  second.publish();
  EXPECT_EQ(text("f"), "text");
}

TEST_F(OutputFiles, APlaceHasOneWriterAtATime) {
  OutputFile file(dir_ / "f");
  EXPECT_THROW(OutputFile(dir_ / "f"), OutputError);
  fs::create_symlink("f", dir_ / "link");
  EXPECT_THROW(OutputFile(dir_ / "link"), OutputError);
  file.write("text");
  file.publish();
  OutputFile(dir_ / "link").publish();
  EXPECT_EQ(text("f"), "");
}

TEST_F(OutputFiles, WhatASignalHandlerRemoves) {
  std::ofstream(dir_ / "f") << "old";
  const pid_t child = fork();
  if (child == 0) {
    OutputFile file(dir_ / "f");
    OutputPlace waves(dir_ / "w");
    waves.removes_too((dir_ / "w.more").string());
    std::ofstream(waves.part()) << "part";
    std::ofstream(dir_ / "w.more") << "more";
    OutputFile whole(dir_ / "done");
    whole.publish();
    remove_unfinished();
    _exit(0);
  }
  int status = 0;
  waitpid(child, &status, 0);
  EXPECT_EQ(status, 0);
  EXPECT_EQ(text("f"), "old");
  EXPECT_TRUE(fs::exists(dir_ / "done"));
  EXPECT_EQ(entries(), 2u);
}

TEST_F(OutputFiles, ErrorsNameThePlace) {
  for (const fs::path& bad : {dir_, dir_ / "no/such/folder", fs::path()}) {
    try {
      OutputFile file(bad);
      ADD_FAILURE() << bad;
    } catch (const OutputError& e) {
      EXPECT_EQ(std::string(e.what()).find(bad.string() + ": cannot be written: "), 0u) << e.what();
    }
  }
}

TEST(OneLine, KeepsTextAndReplacesWhatATerminalObeys) {
  EXPECT_EQ(one_line("plain, \xc3\xa4 and \xe2\x82\xac"), "plain, \xc3\xa4 and \xe2\x82\xac");
  EXPECT_EQ(one_line("a\nb\tc\x1b[2J\x7f"), "a?b?c?[2J?");
  EXPECT_EQ(one_line(std::string("x\0y", 3)), "x?y");
  EXPECT_EQ(one_line("\xc2\x9b"), "??") << "a control of eight bits";
  EXPECT_EQ(one_line("\xff\xc3[\xe2\x82"), "??[??");
}

}  // namespace
}  // namespace cxlgpu::flits
