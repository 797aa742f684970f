// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
#include "flits/flit_log.hpp"

#include <gtest/gtest.h>
#include <unistd.h>

#include <fstream>
#include <vector>

#include "stream.hpp"

namespace cxlgpu::flits {
namespace {

namespace fs = std::filesystem;

class FlitLog : public ::testing::Test {
 protected:
  void SetUp() override {
    dir_ = fs::temp_directory_path() / ("flit_log_test_" + std::to_string(getpid()));
    fs::create_directories(dir_);
  }
  void TearDown() override { fs::remove_all(dir_); }
  std::string path(const std::string& name) const { return (dir_ / name).string(); }

  static std::vector<FlitRecord> records(unsigned count) {
    std::vector<FlitRecord> all;
    const auto stream = test::StreamMaker(Direction::M2S, 7).make(count);
    std::uint64_t time = 0;
    for (const auto& step : stream.steps) {
      time += 2125;
      all.push_back(
          {time, time % 2 ? "rp0" : "rp1", time % 3 ? Direction::M2S : Direction::S2M, step.flit});
    }
    return all;
  }
  static std::vector<FlitRecord> read_all(const std::string& path) {
    FlitLogReader reader(path);
    std::vector<FlitRecord> all;
    FlitRecord r;
    while (reader.read(r)) all.push_back(r);
    return all;
  }
  static void write_all(const std::string& path, const std::vector<FlitRecord>& all) {
    FlitLogWriter writer(path);
    for (const auto& r : all) writer.write(r);
    writer.close();
  }
  static void write_text(const std::string& path, const std::string& text) {
    std::ofstream(path, std::ios::binary) << text;
  }
  static std::string error_of(const std::string& path) {
    try {
      read_all(path);
    } catch (const InputError& e) {
      return e.what();
    }
    return "no error";
  }

  fs::path dir_;
};

TEST_F(FlitLog, RoundTripPlainAndCompressed) {
  const auto all = records(6000);  // more than two blocks
  for (const char* name : {"a.log", "a.log.gz"}) {
    write_all(path(name), all);
    EXPECT_EQ(read_all(path(name)), all) << name;
    EXPECT_FALSE(fs::exists(path(name) + ".part"));
  }
  EXPECT_LT(fs::file_size(path("a.log.gz")), fs::file_size(path("a.log")));
}

TEST_F(FlitLog, LineHasTheDocumentedShape) {
  write_all(path("a.log"), {{2125, "rp0", Direction::S2M, encode_control(RetryIdle{})}});
  std::ifstream file(path("a.log"));
  std::string line, rest;
  std::getline(file, line);
  EXPECT_EQ(line, "2125 rp0 S2M 55550100000001" + std::string(132 - 14, '0') + "41c3");
  EXPECT_EQ(line.size(), std::string("2125 rp0 S2M ").size() + 136);
  EXPECT_FALSE(std::getline(file, rest));
}

TEST_F(FlitLog, OnlyAClosedLogGetsItsName) {
  {
    FlitLogWriter writer(path("a.log"));
    writer.write(records(1)[0]);
    EXPECT_TRUE(fs::exists(path("a.log.part")));
    EXPECT_FALSE(fs::exists(path("a.log")));
  }
  EXPECT_TRUE(fs::is_empty(dir_)) << "an unfinished log is removed";
}

TEST_F(FlitLog, CommentsBlankLinesAndNoFinalNewline) {
  const std::string hex = Flit{}.to_hex();
  write_text(path("a.log"), "# a comment\n\n 1 x M2S " + hex + "\r\n\t2  x\tS2M " + hex);
  const auto all = read_all(path("a.log"));
  ASSERT_EQ(all.size(), 2u);
  EXPECT_EQ(all[1].time_ps, 2u);
  EXPECT_EQ(all[1].direction, Direction::S2M);
}

TEST_F(FlitLog, RecoveryAndDownAreLinesOfTheirOwn) {
  FlitRecord recovery;
  recovery.time_ps = 5000;
  recovery.link = "rp0";
  recovery.recovery = true;
  FlitRecord down;
  down.time_ps = 6000;
  down.link = "rp0";
  down.down = true;
  auto all = records(2);
  all.insert(all.begin() + 1, {recovery, down});
  write_all(path("a.log"), all);
  EXPECT_EQ(read_all(path("a.log")), all);
  std::ifstream file(path("a.log"));
  std::string line;
  std::getline(file, line);
  std::getline(file, line);
  EXPECT_EQ(line, "#recovery 5000 rp0");
  std::getline(file, line);
  EXPECT_EQ(line, "#down 6000 rp0");
  for (const char* bad : {"#recovery 5000", "#recovery x rp0", "#recovery 5000 rp0 rp1",
                          "#down 5000", "#down x rp0", "#down 5000 rp0 rp1"}) {
    write_text(path("a.log"), bad);
    EXPECT_NE(error_of(path("a.log")).find(":1: "), std::string::npos) << bad;
  }
}

TEST_F(FlitLog, EmptyFileIsAnEmptyLog) {
  write_text(path("a.log"), "");
  EXPECT_TRUE(read_all(path("a.log")).empty());
}

TEST_F(FlitLog, CutFiles) {
  const auto all = records(3000);
  for (const char* name : {"a.log", "a.log.gz"}) {
    write_all(path(name), all);
    fs::resize_file(path(name), fs::file_size(path(name)) - 60);
    const auto error = error_of(path(name));
    EXPECT_TRUE(error.starts_with(path(name) + ":")) << error;
    EXPECT_NE(error.find("; "), std::string::npos) << error;
  }
  EXPECT_NE(error_of(path("a.log.gz")).find("cut short"), std::string::npos);
}

TEST_F(FlitLog, MalformedLinesNameFileLineAndRemedy) {
  const std::string hex = Flit{}.to_hex();
  const std::string good = "1 x M2S " + hex + "\n";
  for (const std::string& bad :
       {"soon x M2S " + hex, "1.5 x M2S " + hex, "1 x UP " + hex, "1 x M2S " + hex.substr(2),
        "1 x M2S " + hex + " more", "1 x M2S g" + hex.substr(1), std::string("1 x"),
        "-1 x M2S " + hex, "99999999999999999999 x M2S " + hex}) {
    write_text(path("a.log"), good + bad + "\n" + good);
    const auto error = error_of(path("a.log"));
    EXPECT_TRUE(error.starts_with(path("a.log") + ":2: ")) << bad << " -> " << error;
    EXPECT_NE(error.find("; write each line as"), std::string::npos) << error;
    EXPECT_EQ(error.find('\n'), std::string::npos);
  }
}

TEST_F(FlitLog, HopelessPaths) {
  EXPECT_NE(error_of(path("none.log")).find("cannot be opened"), std::string::npos);
  EXPECT_NE(error_of(dir_.string()).find("is a folder"), std::string::npos);
  EXPECT_THROW(FlitLogWriter(path("no/such/folder.log")), OutputError);
  write_text(path("noise.log"), std::string(1 << 20, 'x'));
  EXPECT_NE(error_of(path("noise.log")).find(":1: "), std::string::npos);
}

}  // namespace
}  // namespace cxlgpu::flits
