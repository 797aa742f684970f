// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
// Names of the release before: stats.json of schema 1, its names in scripts, and policies.
#include <sys/wait.h>

#include <sstream>

#include "tests/cli/cli.hpp"

namespace cxlgpu {
namespace {

const fs::path kSource = CXLGPU_SOURCE_DIR;

// Objects of stats.json, their names in schema 1 and in schema 2.
using Names = std::map<std::string, std::map<std::string, std::string>>;
const Names kRenamed = {
    {"/memspecrd", {{"asked", "requested"}, {"useful", "useful_lines"}, {"late", "late_lines"}}},
    {"/memspecrd/root_ports",
     {{"suppressed_by_ring", "ring_suppressed"},
      {"suppressed_by_halt", "halt_suppressed"},
      {"suppressed_by_score", "score_suppressed"},
      {"useful", "useful_granules"},
      {"useless", "useless_granules"},
      {"late", "issued_late"}}},
    {"/internal_dram_lookups", {{"fill_under_way", "merge"}}},
    {"/internal_dram_counters",
     {{"unwanted", "spec_evicted_unused"}, {"displaced", "spec_displaced"}}},
    {"/deterministic_store",
     {{"hit", "load_hit"},
      {"merge", "load_merged"},
      {"false", "filter_false"},
      {"full", "no_slot"},
      {"error", "write_errors"},
      {"peak_pending", "peak_deferred"}}}};

std::string quoted(const fs::path& path) {
  return "'" + path.string() + "'";
}

// Every figure another, so that no two names can be taken for each other.
void tell_apart(json& node, unsigned& next) {
  if (node.is_object() && node.contains("value")) {
    node["value"] = ++next;
  } else if (node.is_structured()) {
    for (json& part : node) tell_apart(part, next);
  }
}

class OldNames : public Cli {
 protected:
  OldNames() {
    unsigned next = 0;
    tell_apart(old_, next);
    write("old.json", old_.dump());
  }
  // What a Python program prints that imports from eval/ and eval/results/.
  std::string python(const std::string& program, int status = 0) {
    const fs::path script = write("program.py", program);
    const std::string folders =
        (kSource / "eval").string() + ":" + (kSource / "eval" / "results").string();
    return called("PYTHONPATH='" + folders + "' python3 " + quoted(script), status);
  }
  std::string called(const std::string& command, int status = 0) {
    const fs::path out = base_ / "said", err = base_ / "lines";
    const std::string whole =
        "cd " + quoted(dir_) + " && " + command + " > " + quoted(out) + " 2> " + quoted(err);
    const int done = std::system(whole.c_str());
    said_ = lines_of(read_text(err));
    EXPECT_TRUE(WIFEXITED(done) && WEXITSTATUS(done) == status) << command << "\n"
                                                                << read_text(err);
    return read_text(out);
  }
  // One line on standard error, with all of these in it.
  void said_once(const std::vector<std::string>& parts) {
    ASSERT_EQ(said_.size(), 1u) << testing::PrintToString(said_);
    for (const std::string& part : parts) {
      EXPECT_NE(said_[0].find(part), std::string::npos) << said_[0] << "\n  without: " << part;
    }
  }

  json old_ = json::parse(read_text(kSource / "tests/eval/cases/stats_schema1.json"));
  std::vector<std::string> said_;
};

TEST_F(OldNames, SchemaOneIsReadByTheNamesOfSchemaTwo) {
  const json read =
      json::parse(python("import json, runs\nprint(json.dumps(runs.read('old.json')))\n"));
  said_once({"old.json: schema 1", "schema 2"});
  json expected = old_;
  for (const auto& [where, names] : kRenamed) {
    json& object = expected[json::json_pointer(where)];
    json one = json::array({object});
    for (json& part : object.is_array() ? object : one) {
      for (const auto& [old_name, name] : names) {
        ASSERT_TRUE(part.contains(old_name)) << where << " " << old_name;
        part[name] = part[old_name];
        part.erase(old_name);
      }
    }
    if (!object.is_array()) object = one[0];
  }
  expected["policy"] = "sr";
  for (json* kinds : {&expected["kinds"], &expected["series"]["latency"]}) {
    for (json& entry : *kinds) {
      if (entry["kind"] == "load, fill under way") entry["kind"] = "load, merged with a fill";
    }
  }
  EXPECT_EQ(read, expected);
}

TEST_F(OldNames, WhatHasAnotherUnitIsRefused) {
  for (const auto& [name, old_name] : {std::pair{"requested", "asked"}, {"lines_used", "used"}}) {
    python(std::string("import runs\nruns.said.add('old.json: schema 1, read with the names of "
                       "schema 2; a new run writes them')\n"
                       "runs.read('old.json')['memspecrd']['root_ports'][0]['") +
               name + "']\n",
           1);
    said_once({"old.json: memspecrd.root_ports", name, old_name, "bytes", "run again"});
  }
  write("three.json", R"({"schema": 3})");
  python("import runs\nruns.read('three.json')\n", 1);
  said_once({"three.json: schema 3"});
  write("none.json", "[1]");
  python("import runs\nruns.read('none.json')\n", 1);
  said_once({"none.json: schema None"});
}

TEST_F(OldNames, OldNameInAScriptIsAccepted) {
  accepted(
      {"run", "vadd-znand-ds", "--engine", "model", "--set", "workload.size=512", "--out", "o"});
  json now = stats("o");
  unsigned next = 0;
  tell_apart(now, next);
  write("now.json", now.dump());
  std::string program = "import runs\ns = runs.read('now.json')\n", expected;
  std::vector<std::string> lines;
  for (const auto& [where, names] : kRenamed) {
    const json& object = now[json::json_pointer(where)];
    const json& part = object.is_array() ? object.at(0) : object;
    std::string path = "s['" + where.substr(1) + "']";
    if (const std::size_t slash = path.find('/'); slash != std::string::npos) {
      path.replace(slash, 1, "']['");
    }
    if (object.is_array()) path += "[0]";
    for (const auto& [old_name, name] : names) {
      EXPECT_FALSE(part.contains(old_name)) << where << " " << old_name;
      const std::string figure = path + "['" + old_name + "']['value']";
      program += "print(" + figure + ", " + figure + ")\n";
      const std::string shown = part.at(name).at("value").dump();
      expected += shown + " " + shown + "\n";
      lines.push_back("'" + old_name + "' is an old name; write '" + name + "'");
    }
  }
  EXPECT_EQ(python(program), expected);
  ASSERT_EQ(said_.size(), lines.size()) << "one line for each, however often it is used";
  for (std::size_t i = 0; i < lines.size(); ++i)
    EXPECT_TRUE(said_[i].ends_with(lines[i])) << said_[i];
  for (const std::string old_name : {"asked", "used"}) {
    python("import runs\nruns.read('now.json')['memspecrd']['root_ports'][0]['" + old_name + "']\n",
           1);
    said_once({"'" + old_name + "' was in bytes"});
  }
}

TEST_F(OldNames, ReportAndComparisonTakeBothSchemas) {
  accepted(
      {"run", "vadd-znand-ds", "--engine", "model", "--set", "workload.size=512", "--out", "new"});
  fs::create_directories(dir_ / "model/vadd-znand-ds/default");
  const auto hit_rate = [&](const json& stats) {
    write("model/vadd-znand-ds/default/stats.json", stats.dump());
    return std::stod(
        python("from runs_of import Folder, hit_rate\n"
               "print(hit_rate(Folder('.').read('model/vadd-znand-ds/default')))\n"));
  };
  const auto expected = [](const json& stats) {
    double hits = 0, all = 0;
    for (const json& port : stats.at("internal_dram_counters")) {
      hits += value(port, "/demand_hits");
      for (const char* name : {"/demand_hits", "/demand_merges", "/demand_fills"}) {
        all += value(port, name);
      }
      if (port.contains("opened")) all += value(port, "/opened");
    }
    return 100 * hits / all;
  };
  EXPECT_DOUBLE_EQ(hit_rate(stats("new")), expected(stats("new")));
  EXPECT_TRUE(said_.empty()) << said_[0];
  EXPECT_DOUBLE_EQ(hit_rate(old_), expected(old_));
  said_once({"schema 1"});

  fs::create_directory(dir_ / "old");
  write("old/stats.json", old_.dump());
  const std::vector<std::string> table = lines_of(
      called("python3 " + quoted(kSource / "examples/run-a-scenario/compare.py") + " old new"));
  ASSERT_EQ(table.size(), 5u);
  const json now = stats("new");
  std::size_t row = 0;
  for (const char* path :
       {"/end_to_end", "/loads/mean", "/memspecrd/sent", "/internal_dram_lookups/hit_rate"}) {
    std::istringstream cells(table[++row]);
    std::string name, of_old, of_new;
    std::getline(cells, name, '\t') >> of_old >> of_new;
    EXPECT_NEAR(std::stod(of_old), value(old_, path), 1e-5 * value(old_, path)) << name;
    EXPECT_NEAR(std::stod(of_new), value(now, path), 1e-5 * value(now, path)) << name;
  }
}

TEST_F(OldNames, PolicyIsAccepted) {
  write("own.yaml",
        "media: {part: znand}\nworkload: {name: vadd, size: 512}\nroot_port:\n"
        "  policy: sr-directional\n");
  const auto figures = [this](const Args& args, const std::string& place) {
    Args all = {"run", "--engine", "model", "--out", "o"};
    all.insert(all.end(), args.begin(), args.end());
    const Result result = run(all);
    EXPECT_EQ(result.status, 0) << result.err;
    said_ = lines_of(result.err);
    if (place.empty()) {
      EXPECT_TRUE(said_.empty()) << result.err;
    } else {
      said_once({place, "'root_port.policy'", "'sr-directional' is an old name", "'sr'"});
    }
    json s = stats();
    EXPECT_EQ(s.at("policy"), "sr");
    EXPECT_EQ(s.at("/config/root_port/policy"_json_pointer), "sr");
    for (const char* name : {"wall", "command", "scenario"}) s.erase(name);
    return s;
  };
  const Args name = {"vadd-znand-sr", "--set", "workload.size=512"};
  Args set = name;
  set.insert(set.end(), {"--set", "root_port.policy=sr-directional"});
  const json expected = figures(name, "");
  EXPECT_EQ(figures(set, "--set"), expected);
  EXPECT_EQ(figures({"own.yaml"}, "own.yaml:4"), expected);
}

}  // namespace
}  // namespace cxlgpu
