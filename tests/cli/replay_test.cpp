// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
// A recorded run gone over again from its event log alone: tests/root_port/replay_speculation.py.
#include <sys/wait.h>

#include <random>
#include <sstream>

#include "tests/common/requirement.hpp"
// Runs the command.
#include "tests/cli/cli.hpp"

namespace cxlgpu {
namespace {

const fs::path kScript =
    fs::path(CXLGPU_SOURCE_DIR) / "tests" / "root_port" / "replay_speculation.py";
const std::vector<std::string> kPolicies = {"sr", "sr-paper", "dyn"};

// Some streams of loads and stores that start again, turn round, skip lines and stand still.
std::string mixed_trace(unsigned requests) {
  std::mt19937_64 random(1);
  constexpr std::uint64_t kBytes = 1u << 20;  // twice what the rings hold
  constexpr std::array<std::uint64_t, 6> kSteps = {64, 64, 0, 128, 192, ~std::uint64_t{0} - 63};
  struct Stream {
    std::uint64_t at, step;
  };
  const auto anew = [&] { return Stream{random() % (kBytes / 64) * 64, kSteps[random() % 6]}; };
  std::vector<Stream> streams(6);
  for (Stream& s : streams) s = anew();
  std::string text = "cycle,rw,addr,bytes\n";
  std::uint64_t cycle = 0;
  for (unsigned i = 0; i < requests; ++i) {
    Stream& s = streams[random() % streams.size()];
    text += std::to_string(cycle) + (random() % 5 == 0 ? ",W," : ",R,") + std::to_string(s.at) +
            ",64\n";
    s.at += s.step;
    if (random() % 24 == 0 || s.at >= kBytes) s = anew();
    cycle += random() % 40 == 0 ? 40 : random() % 4;
  }
  return text;
}

// DevLoad goes through all levels, and windows have more room than one MemSpecRd.
constexpr const char* kMixed =
    "workload: {name: vadd, size: 4096}\n"
    "media: {part: znand}\n"
    "endpoint: {ingress_thresholds: [2, 8, 14], mshr_thresholds: [16, 26, 30], "
    "load_margins: [1, 4, 2]}\n"
    "hdm:\n"
    "  ranges:\n"
    "    - {base: 0x100000000, size: 512MiB, ports: [0, 1], granularity: 16384}\n";

class Replay : public Cli {
 protected:
  // Status of the script.
  int replay(const std::string& log, const std::string& policy, unsigned clip,
             const std::string& options = "", const fs::path& script = kScript) {
    const std::string said = (base_ / "said").string();
    const std::string command = "python3 '" + script.string() + "' '" + (dir_ / log).string() +
                                "' --policy " + policy + " --clip " + std::to_string(clip) +
                                options + " > '" + said + "' 2>&1";
    const int status = std::system(command.c_str());
    said_ = read_text(said);
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
  }

  void replayed(const std::string& name, const std::string& policy, unsigned clip,
                const std::string& options = "") {
    const std::string stats = (dir_ / (name + ".o") / "stats.json").string();
    EXPECT_EQ(replay(name + ".csv", policy, clip, options + " --stats '" + stats + "'"), 0)
        << said_;
    EXPECT_TRUE(said_.starts_with("equal: ")) << said_;
    std::cout << name << ": " << said_ << std::flush;
  }

  // A difference is one line that begins with the log's name, and no crash of the script.
  void found(const std::string& log, const std::string& what, const fs::path& script = kScript) {
    EXPECT_EQ(replay(log, "sr", 6, "", script), 1) << said_;
    EXPECT_EQ(lines_of(said_).size(), 1u) << said_;
    EXPECT_NE(said_.find(log + ": port "), std::string::npos) << said_;
    EXPECT_NE(said_.find(what), std::string::npos) << said_;
  }

  // Leaves NAME.csv and NAME.o.
  void record(const std::string& name, Args args) {
    args.insert(args.begin(), "run");
    args.insert(args.end(), {"--events", name + ".csv", "--out", name + ".o"});
    accepted(args);
  }

  void record_mixed(const std::string& policy, unsigned requests) {
    write("mixed.trace.csv", mixed_trace(requests));
    write("mixed.yaml", kMixed);
    record(policy, {"mixed.yaml", "--engine", "rtl", "--trace", "mixed.trace.csv", "--set",
                    "root_port.policy=" + policy});
  }

  std::string said_;
};

TEST_F(Replay, VaddDecidesAsThePageSays) {
  test::shows(
      "sr",
      "Load control, ring and window of a recorded run, worked out again from its event log "
      "alone, are those of the RTL",
      "docs/blocks/root_port/load_control.md, root_port/ring_buffer.md, "
      "root_port/address_window.md, root_port/sr_reader.md");
  for (const std::string& policy : kPolicies) {
    record(policy, {"vadd-znand-sr", "--engine", "rtl", "--set", "workload.size=8192", "--set",
                    "root_port.policy=" + policy});
    replayed(policy, policy, 2);
  }
  record("naive", {"vadd-znand-naive", "--engine", "rtl", "--set", "workload.size=4096"});
  replayed("naive", "naive", 2, " --no-length");
}

TEST_F(Replay, MixedTrafficDecidesAsThePageSays) {
  test::shows("sr",
              "The decisions of a recorded run, worked out again from its event log, are the RTL's "
              "also when "
              "speculation is halted, the ring forgets and windows are cut to four granules",
              "docs/blocks/root_port/load_control.md, root_port/ring_buffer.md, "
              "root_port/address_window.md, root_port/sr_reader.md");
  for (const std::string& policy : kPolicies) {
    record_mixed(policy, 4500);
    replayed(policy, policy, 6);
    // The run has it all.
    EXPECT_NE(said_.find(", halted "), std::string::npos) << said_;
    double forgotten = 0;
    const json figures = stats(policy + ".o");
    for (const json& port : figures.at("/memspecrd/root_ports"_json_pointer)) {
      forgotten += value(port, "/useful_granules") + value(port, "/useless_granules");
    }
    EXPECT_GT(forgotten, 0) << policy;
  }
}

// The other readings of the paper, each by its key.
TEST_F(Replay, OtherReadingsDecideAsThePagesSay) {
  struct Reading {
    std::string key, option;
  };
  const std::vector<Reading> readings = {{"window=around", " --around"},
                                         {"ring_match=start", " --match-start"},
                                         {"spec_64b=true", " --spec-64b"}};
  for (const Reading& reading : readings) {
    const std::string name = reading.key.substr(0, reading.key.find('='));
    write("mixed.trace.csv", mixed_trace(3000));
    write("mixed.yaml", kMixed);
    record(name, {"mixed.yaml", "--engine", "rtl", "--trace", "mixed.trace.csv", "--set",
                  "root_port.policy=sr", "--set", "root_port." + reading.key});
    replayed(name, "sr", 6, reading.option);
    // Without the option the script decides otherwise: the run is of that reading.
    EXPECT_EQ(replay(name + ".csv", "sr", 6), 1) << said_;
  }
}

// The last row of `stage` changed: column 5 is info.
std::string with_change(const std::string& log, const std::string& stage, unsigned column,
                        std::uint64_t less) {
  std::vector<std::string> rows = lines_of(log);
  for (auto row = rows.rbegin(); row != rows.rend(); ++row) {
    if (row->find("," + stage + ",") == std::string::npos) continue;
    std::vector<std::string> cells;
    std::istringstream in(*row);
    for (std::string cell; std::getline(in, cell, ',');) cells.push_back(cell);
    cells.at(column) = std::to_string(std::stoull(cells.at(column), nullptr, 0) - less);
    row->clear();
    for (const std::string& cell : cells) *row += (row->empty() ? "" : ",") + cell;
    break;
  }
  std::string text;
  for (const std::string& row : rows) text += row + "\n";
  return text;
}

TEST_F(Replay, OneNumberOrRuleChangedIsFound) {
  record_mixed("sr", 3500);
  ASSERT_EQ(replay("sr.csv", "sr", 6), 0) << said_;
  const std::string log = read_text(dir_ / "sr.csv");
  const auto changed = [&](const std::string& stage, unsigned column, std::uint64_t less,
                           const std::string& what) {
    SCOPED_TRACE(stage + " " + std::to_string(column));
    const std::string text = with_change(log, stage, column, less);
    ASSERT_NE(text, log);
    write("changed.csv", text);
    found("changed.csv", what);
  };
  changed("spec_issue", 5, 1, "MemSpecRd");    // length
  changed("spec_issue", 4, 256, "MemSpecRd");  // first granule
  changed("load_control", 5, 1, "load-control changes");
  changed("memq_alloc", 0, 1000, "heads leaving");  // a cycle earlier
  std::string load = log;                           // one DevLoad, when another state would follow
  const std::size_t state = load.rfind(",load_control,");
  const std::size_t response = load.rfind(",port_respond,", state);
  const std::size_t end = load.find('\n', response), info = load.rfind(',', end) + 1;
  const unsigned told = static_cast<unsigned>(std::stoul(load.substr(info, end - info)));
  write("changed.csv", load.replace(info, end - info, std::to_string((told & 63) | 1u << 6)));
  found("changed.csv", "load-control changes");  // optimal: no other state

  const std::string script = read_text(kScript);
  for (const auto& [rule, other] : std::vector<std::pair<std::string, std::string>>{
           {"(end + 2) // 4", "(end + 1) // 4"},        // rounding
           {"max(state - 1, 0)", "min(state + 1, 4)"},  // moderate widens
           {"del ways[:-4]", "del ways[:-3]"},          // ways of the ring
           {"line < load < line + g", "line <= load < line + g"},
           {"if e is not load and not e.store", "if e is not load"}}) {  // stores
    SCOPED_TRACE(rule);
    std::string text = script;
    ASSERT_NE(text.find(rule), std::string::npos);
    const fs::path copy = write("changed.py", text.replace(text.find(rule), rule.size(), other));
    found("sr.csv", "the replay has", copy);
  }
}

// What engine writes the log makes no difference on a clean link.
TEST_F(Replay, EveryEngineLogsTheSameDecisions) {
  for (const std::string engine : {"rtl", "cosim", "model"}) {
    record(engine, {"vadd-znand-sr", "--engine", engine, "--set", "workload.size=4096"});
    replayed(engine, "sr", 2);
  }
  EXPECT_EQ(read_text(dir_ / "rtl.csv"), read_text(dir_ / "cosim.csv"));
}

TEST_F(Replay, OldNameOfAPolicyIsAccepted) {
  record("sr", {"vadd-znand-sr", "--engine", "model", "--set", "workload.size=512"});
  ASSERT_EQ(replay("sr.csv", "sr", 2), 0) << said_;
  const std::string now = said_;
  EXPECT_EQ(replay("sr.csv", "sr-directional", 2), 0) << said_;
  const std::vector<std::string> said = lines_of(said_);
  ASSERT_EQ(said.size(), 2u) << said_;
  EXPECT_NE(said_.find("'sr-directional' is an old name; write 'sr'"), std::string::npos) << said_;
  EXPECT_NE(said_.find(now), std::string::npos) << said_;
}

}  // namespace
}  // namespace cxlgpu
