// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
// Sizes of the RTL: scripts/rtl_sizes.py, and the RTL itself, which elaborates and lints at the
// least and the greatest legal value of each and refuses the next beyond in one line.
#include "common/rtl_sizes.hpp"

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <map>
#include <sstream>
#include <string>
#include <vector>

#include "tests/common/environment.hpp"

namespace cxlgpu {
namespace {

namespace fs = std::filesystem;

const std::string kSource = CXLGPU_SOURCE_DIR;

struct Ran {
  int status = -1;
  std::string text;
};

Ran run(const std::string& command) {
  Ran ran;
  std::FILE* pipe = popen((command + " 2>&1").c_str(), "r");
  if (pipe == nullptr) return ran;
  std::array<char, 4096> part{};
  for (std::size_t n = 0; (n = std::fread(part.data(), 1, part.size(), pipe)) > 0;) {
    ran.text.append(part.data(), n);
  }
  const int status = pclose(pipe);
  ran.status = WIFEXITED(status) ? WEXITSTATUS(status) : -1;
  return ran;
}

Ran rtl_sizes(const std::string& arguments) {
  return run("python3 '" + kSource + "/scripts/rtl_sizes.py' " + arguments);
}

// ---- The table ----------------------------------------------------------------------------------

TEST(RtlSizes, TheTreeIsCurrent) {
  const Ran ran = rtl_sizes("--check");
  EXPECT_EQ(ran.status, 0) << ran.text;
}

// The struct as one number, most significant first, in the order of the rows.
TEST(RtlSizes, ArgumentsOfVerilator) {
  const std::string head = "-GSizes=" + std::to_string(32 * kRtlSizes.size()) + "'h";
  const std::string plain = rtl_sizes("--arguments default").text;
  ASSERT_EQ(plain.size(), head.size() + 8 * kRtlSizes.size() + 1);
  EXPECT_EQ(plain.substr(0, head.size() + 24), head + "000000020000002000000020");
  const std::string four = rtl_sizes("--arguments default --set ports=4").text;
  EXPECT_EQ(four, head + "00000004" + plain.substr(head.size() + 8));
  EXPECT_EQ(rtl_sizes("--value sr_queue_entries small").text, "8\n");
  EXPECT_EQ(rtl_sizes("--value ports large").text, "4\n");
  // What it does not name is as in default.yaml.
  EXPECT_EQ(rtl_sizes("--value line_bytes large").text, "256\n");
}

struct Bound {
  std::string size, module, parameter, least, greatest, below, above;
};

std::vector<Bound> bounds() {
  std::istringstream lines(rtl_sizes("--bounds").text);
  std::vector<Bound> all;
  for (Bound b;
       lines >> b.size >> b.module >> b.parameter >> b.least >> b.greatest >> b.below >> b.above;) {
    all.push_back(b);
  }
  return all;
}

class OwnSizes : public ::testing::Test {
 protected:
  void SetUp() override {
    const auto* info = ::testing::UnitTest::GetInstance()->current_test_info();
    folder_ = fs::temp_directory_path() /
              ("cxlgpu-sizes-" + std::string(info->name()) + "-" + std::to_string(getpid()));
    fs::create_directories(folder_);
  }
  void TearDown() override { fs::remove_all(folder_); }
  Ran of(const std::string& text) {
    std::ofstream(folder_ / "own.yaml") << text;
    return rtl_sizes("--arguments '" + (folder_ / "own.yaml").string() + "'");
  }
  // Refused in one line that has all of these.
  void refused(const std::string& text, const std::vector<std::string>& parts) {
    const Ran ran = of(text);
    EXPECT_EQ(ran.status, 2) << ran.text;
    EXPECT_EQ(std::count(ran.text.begin(), ran.text.end(), '\n'), 1) << ran.text;
    for (const std::string& part : parts) {
      EXPECT_NE(ran.text.find(part), std::string::npos) << part << " in " << ran.text;
    }
  }
  fs::path folder_;
};

TEST_F(OwnSizes, AFileSaysWhatDiffers) {
  EXPECT_EQ(of("").text, rtl_sizes("--arguments default").text);
  EXPECT_EQ(of("# none\nports: 4\n").text, rtl_sizes("--arguments default --set ports=4").text);
}

TEST_F(OwnSizes, RefusedInOneLine) {
  refused("sr_queue_entries: 65\n", {"own.yaml:1: sr_queue_entries: 65 is not in 4..64"});
  refused("\nsr_queue_entries: 3\n", {"own.yaml:2:", "3 is not in 4..64"});
  refused("ring_entries: 48\n", {"own.yaml:1:", "48 is not in 16..4096, a power of two"});
  refused("ring: 64\n", {"own.yaml:1: ring: no such size", "ring_entries"});
  refused("ports: 2\nports: 4\n", {"own.yaml:2:", "stands here twice"});
  refused("ports: many\n", {"own.yaml:1:", "'many' is not a number"});
  refused("- 4\n", {"own.yaml:1:", "a mapping is wanted"});
  const Ran unknown = rtl_sizes("--arguments smal");
  EXPECT_EQ(unknown.status, 2);
  EXPECT_NE(unknown.text.find("use default, large, small"), std::string::npos) << unknown.text;
}

// Of each row, what lies beyond on either side; both ends are legal.
TEST_F(OwnSizes, EveryBound) {
  for (const Bound& b : bounds()) {
    for (const std::string& value : {b.least, b.greatest}) {
      EXPECT_EQ(of(b.size + ": " + value + "\n").status, 0) << b.size << " " << value;
    }
    for (const std::string& value : {b.below, b.above}) {
      if (value == "-") continue;
      refused(b.size + ": " + value + "\n", {"own.yaml:1: " + b.size + ": " + value +
                                             " is not in " + b.least + ".." + b.greatest});
    }
  }
}

// ---- The RTL ------------------------------------------------------------------------------------

Ran lint(const std::string& module, const std::string& arguments) {
  // USERERROR an error: a size that is refused ends the run before the rest is looked at.
  std::string command =
      "cd '" + kSource + "' && verilator --lint-only -Wall -Wno-UNUSEDPARAM -Werror-USERERROR";
  for (const char* room : {"common", "controller", "cache", "flex_bus", "cxl_io", "root_port",
                           "host_bridge", "endpoint", "top"}) {
    command += std::string(" -y rtl/") + room;
  }
  return run(command + " --top-module " + module + " " + arguments +
             " $(ls rtl/pkg/*.sv | LC_ALL=C sort) rtl/*/" + module + ".sv");
}

// The parameter of the module; that of a top is in its struct.
std::string set(const Bound& b, const std::string& value) {
  if (b.module != "root_complex") return "-G" + b.parameter + "=" + value;
  std::string text = rtl_sizes("--arguments default --set " + b.size + "=" + value).text;
  return "\"" + text.substr(0, text.size() - 1) + "\"";
}

TEST(RtlSizes, EveryRowHasABoundToTry) {
  std::size_t parameters = 0;
  for (const RtlSize& size : kRtlSizes) parameters += size.least != size.greatest;
  EXPECT_EQ(bounds().size(), parameters);
}

// All of a module's at once; the day takes one end of each module's, in turn. The linter takes half
// a minute for 15 ports: the night's.
TEST(RtlSizes, EachElaboratesAtItsBounds) {
  std::map<std::string, std::array<std::string, 2>> modules;
  for (const Bound& b : bounds()) {
    modules[b.module][0] += " " + set(b, b.least);
    modules[b.module][1] += " " + set(b, b.greatest);
  }
  bool greatest = true;
  for (const auto& [module, both] : modules) {
    greatest = !greatest && module != "root_complex";
    for (const std::string& arguments : both) {
      if (test::volume() == 1 && (&arguments == &both[1]) != greatest) continue;
      const Ran ran = lint(module, arguments);
      EXPECT_EQ(ran.status, 0) << module << arguments << "\n" << ran.text;
    }
  }
}

// A run of the linter each: the day tries one side of a bound, in turn, the night both.
TEST(RtlSizes, OneBeyondIsRefusedInOneLine) {
  bool above = false;
  for (const Bound& b : bounds()) {
    above = !above;
    for (const std::string& value : {b.below, b.above}) {
      if (value == "-" || value == "0") continue;  // a width of none is refused earlier
      if (test::volume() == 1 && b.below != "-" && b.below != "0" && (value == b.above) != above) {
        continue;
      }
      const Ran ran = lint(b.module, set(b, value));
      EXPECT_NE(ran.status, 0) << b.size << " " << value;
      std::string range = b.least + ".." + b.greatest;
      if (std::stoul(b.above) == 2 * std::stoul(b.greatest)) range += ", a power of two,";
      const std::string line =
          b.module + ": " + b.parameter + " of " + range + " is " + value + "\n";
      EXPECT_NE(ran.text.find(line), std::string::npos) << line << "in\n" << ran.text;
    }
  }
}

// Of parameters that no row of the table sets: legal at an end, refused beyond.
TEST(RtlSizes, OtherParametersAreRefusedInOneLine) {
  const struct {
    const char *module, *legal, *beyond, *line;
  } rows[] = {
      {"elastic_buffer", "-GDepth=4 -GLow=1 -GHigh=2", "-GDepth=2 -GLow=1 -GHigh=2 -GPrime=1",
       "elastic_buffer: Depth of 4..2^24, a power of two, is 2\n"},
      {"lane_deskew", "-GDepth=2", "-GDepth=3",
       "lane_deskew: Depth of 2..2^24, a power of two, is 3\n"},
      {"lane_deskew", "-GLanes=16", "-GLanes=17", "lane_deskew: Lanes of 1..16 is 17\n"},
      {"retry_buffer", "-GDepth=22", "-GDepth=21", "retry_buffer: Depth of 22..255 is 21\n"},
      {"retry_buffer", "-GMinDepth=1 -GDepth=2", "-GMinDepth=1 -GDepth=1",
       "retry_buffer: Depth of 2..255 is 1\n"},
      {"retry_local", "-GMaxRetry=1", "-GMaxRetry=0", "retry_local: MaxRetry of 1..31 is 0\n"},
      {"retry_local", "-GMaxPhyReinit=31", "-GMaxPhyReinit=32",
       "retry_local: MaxPhyReinit of 1..31 is 32\n"},
      {"config_space", "\"-GLinkSpeed=4'd1\"", "\"-GLinkSpeed=4'd6\"",
       "config_space: LinkSpeed of 1..5 is 6\n"},
      {"config_space", "\"-GMaxSpecGranules=3'd4\"", "\"-GMaxSpecGranules=3'd5\"",
       "config_space: MaxSpecGranules of 1..4 is 5\n"},
      {"port_config_space", "\"-GLinkWidth=6'd16\"", "\"-GLinkWidth=6'd12\"",
       "port_config_space: LinkWidth of 1..16, a power of two, is 12\n"}};
  for (const auto& row : rows) {
    const Ran legal = lint(row.module, row.legal);
    EXPECT_EQ(legal.status, 0) << row.module << ' ' << row.legal << '\n' << legal.text;
    const Ran beyond = lint(row.module, row.beyond);
    EXPECT_NE(beyond.status, 0) << row.module << ' ' << row.beyond;
    EXPECT_NE(beyond.text.find(row.line), std::string::npos) << row.line << "in\n" << beyond.text;
  }
}

}  // namespace
}  // namespace cxlgpu
