// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
// eval/budget.py: what is over its record by more than 3 % ends CI, in one line; eval/bench.py
// --against.
#include <sys/wait.h>

#include "tests/cli/cli.hpp"

namespace cxlgpu {
namespace {

const std::string kSource = CXLGPU_SOURCE_DIR;
constexpr unsigned kRequests = 3 * 512;  // of the trace that budget.py writes

// In place of callgrind: runs the command, and says it took what the test wants.
class Budget : public Cli {
 protected:
  Budget() {
    // Beside no CMakeCache.txt: its build may be any that runs tests.
    fs::create_directories(dir_ / "build" / "bin");
    fs::copy_file(CXLGPU_BINARY, binary());
    record("GCC: ", 1000);
  }
  [[nodiscard]] fs::path binary() const { return dir_ / "build" / "bin" / "cxlgpu"; }
  void record(const std::string& compiler, double instructions) {
    const json runs = {{"trace dram-cxl",
                        {{"instructions", instructions},
                         {"in", {{"Warp", 0.7 * instructions}, {"Llc", 0.3 * instructions}}}}}};
    write("record.json",
          json{{"compiler", compiler}, {"machine", "x86_64"}, {"runs", runs}}.dump());
  }
  // 300 of them in the LLC, by a call and beside it, the rest in the warp; `more` of a run that
  // writes its requests.
  void takes(unsigned a_request, unsigned more = 0) {
    std::ofstream(dir_ / "valgrind")
        << "#!/bin/sh\nm=0\nfor a; do case $a in --callgrind-out-file=*) f=${a#*=};;\n"
           "--requests) m="
        << more * kRequests
        << ";; esac; done\nshift 3\n\"$@\" >/dev/null || exit\n"
           "printf '%s\\n' 'fn=(1) cxlgpu::Llc::tick()' '+0 "
        << 100 * kRequests << "' 'cfn=(2) cxlgpu::(anonymous namespace)::Warp::go(int)' "
        << "'calls=1 0' '0 99999999' '-3 " << 200 * kRequests << "' 'fn=(2)' \"0 $(("
        << (a_request - 300) * kRequests << " + m))\" > \"$f\"\n";
    fs::permissions(dir_ / "valgrind", fs::perms::owner_all);
  }
  int python(const std::string& script, const std::string& options) {
    const std::string out = (base_ / "said").string(), err = (base_ / "wrong").string();
    const int status = std::system(("cd '" + dir_.string() + "' && python3 '" + kSource + "/eval/" +
                                    script + "' " + options + " > '" + out + "' 2> '" + err + "'")
                                       .c_str());
    said_ = read_text(out);
    wrong_ = read_text(err);
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
  }
  int check(const std::string& more = "--run 'trace dram-cxl'") {
    return python("budget.py", "--cxlgpu build/bin/cxlgpu --record record.json --valgrind '" +
                                   (dir_ / "valgrind").string() + "' " + more);
  }
  std::string said_, wrong_;
};

TEST_F(Budget, ThreePercentOverFail) {
  takes(1029);
  EXPECT_EQ(check(), 0) << wrong_;
  EXPECT_NE(said_.find("trace dram-cxl      1029.0 host instructions a request, record    1000.0"),
            std::string::npos)
      << said_;
  takes(1031);
  EXPECT_EQ(check(), 1);
  EXPECT_EQ(lines_of(wrong_).size(), 1U) << wrong_;
  for (const char* part :
       {"trace dram-cxl: 1031 host instructions a request, 3.1 % over the 1000 of record.json",
        "most of it in Warp (+31)", "make budget ARGS=--renew"}) {
    EXPECT_NE(wrong_.find(part), std::string::npos) << wrong_;
  }
}

// 5 % of the same run without.
TEST_F(Budget, AnInstrumentThatTakesMoreFails) {
  const std::string both = "--run vadd-znand-ds --run requests";
  json runs;
  runs["vadd-znand-ds"] = {{"instructions", 1e9}, {"in", {{"Warp", 7e8}, {"Llc", 3e8}}}};
  write("record.json", json{{"compiler", "GCC: "}, {"machine", "x86_64"}, {"runs", runs}}.dump());
  for (const auto& [more, status] : {std::pair{49U, 0}, {51U, 1}}) {
    takes(1000, more);
    EXPECT_EQ(check(both), status) << wrong_;
    const std::string& said = status == 0 ? said_ : wrong_;
    EXPECT_NE(said.find(status == 0 ? "takes 4.9 % of the instructions of vadd-znand-ds"
                                    : "budget: requests takes 5.1 % of the instructions of "
                                      "vadd-znand-ds, more than 5 %"),
              std::string::npos)
        << said_ << wrong_;
  }
}

TEST_F(Budget, WhatIsFarUnderPassesAndSaysSo) {
  takes(969);
  EXPECT_EQ(check(), 0) << wrong_;
  EXPECT_NE(said_.find("3.1 % under the 1000 of record.json; let the record have them"),
            std::string::npos)
      << said_;
}

TEST_F(Budget, AnotherCompilerOrMachineIsNotHeldToIt) {
  takes(2000);
  record("GCC: (Nobody 7", 1000);
  EXPECT_EQ(check(), 0) << wrong_;
  EXPECT_EQ(lines_of(said_).size(), 1U) << said_;
  EXPECT_EQ(
      said_.rfind("budget: skipped: the record is of \"GCC: (Nobody 7...\", this build is", 0), 0U)
      << said_;
}

TEST_F(Budget, IsOfTheBuildThatTheRecordIsOf) {
  takes(1000);
  write("build/CMakeCache.txt", "CMAKE_BUILD_TYPE:STRING=Release\nCXLGPU_COVERAGE:BOOL=ON\n");
  EXPECT_EQ(check(), 2);
  EXPECT_EQ(lines_of(wrong_).size(), 1U) << wrong_;
  EXPECT_NE(wrong_.find("CXLGPU_COVERAGE=ON"), std::string::npos) << wrong_;
  write("build/CMakeCache.txt", "CMAKE_BUILD_TYPE:STRING=Debug\n");
  EXPECT_EQ(check(), 2);
  write("build/CMakeCache.txt", "CMAKE_BUILD_TYPE:STRING=Release\nCXLGPU_COVERAGE:BOOL=OFF\n");
  EXPECT_EQ(check(), 0) << wrong_;
}

TEST_F(Budget, WhatIsNotThereIsOneLine) {
  takes(1000);
  write("record.json", "{");
  EXPECT_EQ(check(), 2);
  EXPECT_EQ(lines_of(wrong_).size(), 1U) << wrong_;
  record("GCC: ", 1000);
  fs::remove(dir_ / "valgrind");
  EXPECT_EQ(check(), 1);
  EXPECT_EQ(lines_of(wrong_).size(), 1U) << wrong_;
  EXPECT_NE(wrong_.find("scripts/deps.sh budget"), std::string::npos) << wrong_;
  fs::remove(binary());
  EXPECT_EQ(check(), 2);
  EXPECT_EQ(lines_of(wrong_).size(), 1U) << wrong_;
}

TEST_F(Budget, ARunThatTheRecordLacksFails) {
  takes(1000);
  write("record.json", R"({"compiler": "GCC: ", "machine": "x86_64", "runs": {}})");
  EXPECT_EQ(check(), 1);
  EXPECT_EQ(wrong_.rfind("budget: trace dram-cxl: not in record.json", 0), 0U) << wrong_;
}

// The record of the tree has each run, and nothing that is no longer run.
TEST_F(Budget, TheRecordIsOfTheRuns) {
  ASSERT_EQ(python("budget.py", "--help"), 0);
  const json record = json::parse(read_text(kSource + "/eval/bench.json"));
  EXPECT_EQ(record.at("compiler"), "GCC: (Debian 12.");
  EXPECT_EQ(record.at("runs").size(), 6U);
  for (const auto& [run, recorded] : record.at("runs").items()) {
    EXPECT_NE(said_.find(run), std::string::npos) << run;
    double in = 0;
    for (const auto& [part, instructions] : recorded.at("in").items()) in += double(instructions);
    EXPECT_GT(in, 0.7 * double(recorded.at("instructions"))) << run;
    EXPECT_LE(in, 1.001 * double(recorded.at("instructions"))) << run;
  }
}

TEST_F(Budget, InTurnsWithAnotherProgram) {
  ASSERT_EQ(python("bench.py", "--cxlgpu build/bin/cxlgpu --against '" CXLGPU_BINARY
                               "' --runs 1 --scenario vadd-dram-cxl"),
            0)
      << wrong_;
  const std::vector<std::string> lines = lines_of(said_);
  ASSERT_EQ(lines.size(), 3U) << said_;
  EXPECT_EQ(lines[2].rfind("vadd-dram-cxl ", 0), 0U) << said_;
  EXPECT_NE(lines[2].find("x "), std::string::npos) << said_;
  EXPECT_EQ(lines[2].substr(lines[2].size() - 3), "yes") << said_;
  EXPECT_EQ(python("bench.py", "--against no-such-thing"), 2);
  EXPECT_EQ(lines_of(wrong_).size(), 1U) << wrong_;
}

}  // namespace
}  // namespace cxlgpu
