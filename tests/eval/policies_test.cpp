// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
// eval/policies.py and eval/patterns.py: which traffic the policies are compared on.
#include <fmt/format.h>
#include <sys/wait.h>
#include <zlib.h>

#include <map>
#include <sstream>

#include "model/prefetch/access_map.hpp"
#include "model/prefetch/best_offset.hpp"
#include "model/prefetch/footprint.hpp"
#include "model/prefetch/stride.hpp"
#include "tests/cli/cli.hpp"

namespace cxlgpu {
namespace {

class Policies : public Cli {
 protected:
  // Exit status; what was printed is in said_, what went to standard error in wrong_.
  int eval(const std::string& script, const std::string& options) {
    const std::string out = (base_ / "said").string(), err = (base_ / "wrong").string();
    const std::string command =
        "cd '" + dir_.string() + "' && python3 '" CXLGPU_SOURCE_DIR "/eval/" + script +
        "' --cxlgpu '" CXLGPU_BINARY "' " + options + " > '" + out + "' 2> '" + err + "'";
    const int status = std::system(command.c_str());
    said_ = read_text(out);
    wrong_ = read_text(err);
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
  }
  std::string said_, wrong_;
};

// The mixes that results name by their seeds are the same ever since.
TEST_F(Policies, DrawnMixesStay) {
  const std::map<int, unsigned long> mixes = {{1, 0xb7e5f5f}, {7, 0x412f99f0}, {1001, 0x1d2f7c78}};
  for (const auto& [seed, checksum] : mixes) {
    ASSERT_EQ(eval("patterns.py", "mix --loads 3000 --seed " + std::to_string(seed)), 0) << wrong_;
    EXPECT_EQ(lines_of(said_).size(), 3001U);
    const auto* bytes = reinterpret_cast<const Bytef*>(said_.data());
    EXPECT_EQ(crc32(0, bytes, static_cast<uInt>(said_.size())), checksum) << seed;
  }
}

TEST_F(Policies, MixesOfKernelsHaveTheirRequests) {
  std::set<std::string> all;
  std::set<std::uint64_t> parts;
  bool stores = false;
  for (const char* seed : {"2", "5"}) {
    const std::string options = std::string("kernels --loads 4000 --seed ") + seed;
    ASSERT_EQ(eval("patterns.py", options), 0) << wrong_;
    const std::string once = said_;
    EXPECT_TRUE(all.insert(once).second) << "two seeds, one mix";
    const std::vector<std::string> lines = lines_of(once);
    ASSERT_EQ(lines.size(), 4001U);
    EXPECT_EQ(lines.front(), "cycle,rw,addr,bytes");
    for (std::size_t i = 1; i < lines.size(); ++i) {
      const std::size_t at = lines[i].find("0x");
      ASSERT_NE(at, std::string::npos) << lines[i];
      const std::uint64_t address = std::stoull(lines[i].substr(at), nullptr, 16);
      EXPECT_LT(address, 3U << 20);
      parts.insert(address >> 20);
      stores |= lines[i].find(",W,") != std::string::npos;
    }
    write("mix.csv", once);
    accepted({"run", "vadd-znand-stream", "--engine", "model", "--trace", "mix.csv", "--out", "o"});
    EXPECT_EQ(stats().at("status"), "clean");
  }
  EXPECT_GE(parts.size(), 2U);
  EXPECT_TRUE(stores);
  ASSERT_EQ(eval("patterns.py", "kernels --loads 4000 --seed 5"), 0) << wrong_;
  EXPECT_FALSE(all.insert(said_).second) << "a seed, two mixes";
}

TEST_F(Policies, KernelsAreWorkloads) {
  const std::string listed = accepted({"list"}).out;
  ASSERT_EQ(eval("policies.py", "--rows kernels --help"), 0);
  const fs::path script = write("kernels.py", "import patterns\nprint(*patterns.KERNELS)\n");
  const std::string command = "PYTHONPATH='" CXLGPU_SOURCE_DIR "/eval' python3 '" +
                              script.string() + "' > '" + (base_ / "names").string() + "'";
  ASSERT_EQ(std::system(command.c_str()), 0);
  std::istringstream names(read_text(base_ / "names"));
  unsigned count = 0;
  for (std::string name; names >> name; ++count) {
    EXPECT_NE(listed.find("\n  " + name + " "), std::string::npos) << name << "\n" << listed;
  }
  EXPECT_GE(count, 8U);
}

// Masks, partial writes, gzip: as the memory side of a GPU is captured.
TEST_F(Policies, TracesWithMasksRunUnderEveryPolicy) {
  std::string text = "cycle,rw,addr,bytes,mask\n";
  for (unsigned i = 0; i < 600; ++i) {
    const std::string at = std::to_string(i * 40), line = std::to_string(i * 64);
    text += at + ",R," + line + ",64,0xffffffffffffffff\n";
    if (i % 4 == 0) text += at + ",W," + std::to_string((1U << 20) + i * 64) + ",4,0xf000\n";
  }
  write_gzip(dir_ / "cap.csv.gz", text);
  ASSERT_EQ(eval("policies.py", "--rows traces --trace cap.csv.gz --jobs 1"), 0) << wrong_;
  const std::vector<std::string> lines = lines_of(said_);
  ASSERT_EQ(lines.size(), 3U) << said_;
  EXPECT_EQ(lines[0], "| workload | plain CXL, us | naive | dyn | sr-paper | sr | stream |");
  EXPECT_EQ(lines[2].rfind("| cap | ", 0), 0U) << lines[2];
  EXPECT_EQ(std::count(lines[2].begin(), lines[2].end(), '%'), 5) << lines[2];
  const std::size_t last = lines[2].rfind("| ", lines[2].size() - 3);
  EXPECT_GT(std::stod(lines[2].substr(last + 2)), 1.1) << "stream gains on a stream: " << lines[2];
}

// How much of a difference is none: a policy against itself.
TEST_F(Policies, StartsOfAMixAreCompared) {
  const std::string mixes = "policies.py --loads 2000 --mixes 2 --jobs 1 --policy stream ";
  const auto run_of = [&](const std::string& options) {
    const auto space = mixes.find(' ');
    EXPECT_EQ(eval(mixes.substr(0, space), mixes.substr(space) + options), 0) << wrong_;
    const std::vector<std::string> lines = lines_of(said_);
    EXPECT_EQ(lines.size(), 3U) << said_;
    return lines.back();
  };
  EXPECT_EQ(run_of("--starts 1").rfind("| stream | 2 | 0 | 1.000 (1, ", 0), 0U) << said_;
  const std::string three = run_of("--starts 3");
  EXPECT_EQ(three.rfind("| stream | 6 | ", 0), 0U) << three;
  const double least = std::stod(three.substr(three.rfind("| ", three.find(" (")) + 2));
  EXPECT_GT(least, 0.8) << three;
  EXPECT_LE(least, 1.0) << three;
  for (const char* options : {"--starts 3", "--starts -1 --mixes 2"}) {
    EXPECT_EQ(eval("policies.py", options), 2) << said_;
    EXPECT_EQ(lines_of(wrong_).size(), 1U) << wrong_;
  }
}

// Of one row, so that the table of all rows says the same; by hand from the run's stats.json.
TEST_F(Policies, FiguresAreThoseOfTheRuns) {
  std::string text = "cycle,rw,addr,bytes\n";
  for (unsigned i = 0; i < 900; ++i) {
    const unsigned line = i % 3 == 2 ? i * 7919 % 16384 : i;  // two of a stream, one anywhere
    text += std::to_string(i * 40) + ",R," + std::to_string(line * 64) + ",64\n";
  }
  write("cap.csv", text);
  const std::map<std::string, std::string> bits = {
      {"sr", "ring"},
      {"stream", "16 442"},
      {"stride", fmt::format("{}", StridePrefetcher::kStateBits)},
      {"best-offset", fmt::format("{}", BestOffsetPrefetcher::kStateBits)},
      {"access-map", fmt::format("{}", AccessMapPrefetcher::kStateBits)},
      {"footprint", fmt::format("{}", FootprintPrefetcher::kStateBits)}};
  std::string options = "--rows traces --trace cap.csv --jobs 2 --figures";
  for (const auto& [policy, state] : bits) options += " --policy " + policy;
  ASSERT_EQ(eval("policies.py", options), 0) << wrong_;
  const std::vector<std::string> lines = lines_of(said_);
  const auto run = [&](const std::string& policy) {
    accepted(
        {"run", "vadd-znand-" + policy, "--engine", "model", "--trace", "cap.csv", "--out", "o"});
    return stats();
  };
  const auto bytes_of = [](const nlohmann::json& stats) {
    double lines_filled = 0;
    for (const auto& port : stats.at("internal_dram_counters")) {
      lines_filled +=
          value(port, "/spec_fills") + value(port, "/demand_fills") + value(port, "/filled_behind");
    }
    return lines_filled * 256;
  };
  const nlohmann::json plain = run("cxl");
  std::string cells;
  for (const auto& [policy, state] : bits) {
    const nlohmann::json stats = run(policy);
    double misses = 0;
    for (const auto& port : stats.at("internal_dram_counters"))
      misses += value(port, "/demand_fills");
    const double in_time = value(stats, "/memspecrd/useful_lines");
    const double used = in_time + value(stats, "/memspecrd/late_lines");
    ASSERT_GT(used, 20) << policy;
    const double coverage = 100 * used / (used + misses);
    const double accuracy = 100 * used / value(stats, "/memspecrd/requested");
    const double speed_up = value(plain, "/end_to_end") / value(stats, "/end_to_end");
    cells += fmt::format(" {:.2f} ({:.0f} / {:.0f} / {:.0f}) |", speed_up, coverage, accuracy,
                         100 * in_time / used);
    std::string state_shown = state;
    if (state.size() == 4 && state != "ring") state_shown.insert(1, " ");
    if (state.size() == 5) state_shown.insert(2, " ");
    if (state.size() <= 5 && state != "ring") state_shown += " + ring";
    const std::string row =
        fmt::format("| {} | {:.3f} | {:.1f} | {:.1f} | {:.1f} | {:.1f} ({:.2f}) | {} |", policy,
                    speed_up, coverage, accuracy, 100 * in_time / used, bytes_of(stats) / (1 << 20),
                    bytes_of(stats) / bytes_of(plain), state_shown);
    EXPECT_EQ(std::count(lines.begin(), lines.end(), row), 1) << row << "\n" << said_;
  }
  EXPECT_EQ(lines.at(2),
            fmt::format("| cap | {:.1f} |{}", value(plain, "/end_to_end") / 1000, cells));
  // Of a mix the same table, after that of the speed-ups.
  ASSERT_EQ(eval("policies.py", "--mixes 2 --loads 400 --jobs 2 --figures --policy stride"), 0)
      << wrong_;
  EXPECT_NE(said_.find("| stride |"), said_.rfind("| stride |")) << said_;
  EXPECT_EQ(eval("policies.py", "--mixes 1 --loads 400 --engine rtl --policy stride"), 2);
  EXPECT_EQ(lines_of(wrong_).size(), 1U) << wrong_;
}

TEST_F(Policies, BadTracesAreRefusedInOneLine) {
  write("mask.csv", "cycle,rw,addr,bytes,mask\n0,R,0x0,64,0xffffffffffffffff\n1,W,0x40,4,0x3\n");
  write("bytes.csv", "cycle,rw,addr,bytes,mask\n0,R,0x0,0,0x0\n");
  const std::vector<std::pair<std::string, std::string>> bad = {
      {"mask.csv", "mask.csv:3:"}, {"bytes.csv", "bytes.csv:2:"}, {"none.csv.gz", "none.csv.gz"}};
  for (const auto& [name, place] : bad) {
    EXPECT_EQ(eval("policies.py", "--rows traces --trace " + name + " --jobs 1"), 2) << wrong_;
    EXPECT_EQ(lines_of(wrong_).size(), 1U) << wrong_;
    EXPECT_NE(wrong_.find(place), std::string::npos) << wrong_;
  }
}

}  // namespace
}  // namespace cxlgpu
