// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
// What a run leaves: figures, report, waveform, and that engines agree.
#include <regex>
#include <sstream>

#include "tests/cli/cli.hpp"

namespace cxlgpu {
namespace {

INSTANTIATE_TEST_SUITE_P(Engines, CliEngine, ::testing::Values("model", "rtl", "cosim"),
                         engine_name);

// On a clean link the model is exact to the cycle at every stage of every request.
TEST_F(Cli, CosimAgreesToTheCycle) {
  for (const std::string scenario :
       {"vadd-znand-sr", "vadd-znand-dyn", "vadd-znand-naive", "vadd-dram-cxl", "bfs-znand-sr",
        "bfs-dram-cxl", "vadd-znand-ds", "vadd-dram-ds", "bfs-znand-ds"}) {
    SCOPED_TRACE(scenario);
    const std::string size = scenario[0] == 'b' ? "2048" : "16384";
    accepted(
        {"run", scenario, "--engine", "cosim", "--set", "workload.size=" + size, "--out", "o"});
    const json s = stats("o");
    EXPECT_GT(value(s, "/cosim/compared"), 500);
    EXPECT_EQ(value(s, "/cosim/time_differences"), 0);
    EXPECT_EQ(value(s, "/cosim/path_mismatches"), 0);
    EXPECT_EQ(value(s, "/cosim/data_mismatches"), 0);
    EXPECT_EQ(value(s, "/cosim/speculation_differences"), 0);
    EXPECT_EQ(value(s, "/cosim/internal_dram_differences"), 0);
  }
}

TEST_P(CliEngine, SpeculationIsReportedByPort) {
  accepted({"run", "vadd-znand-sr", "--engine", GetParam(), "--set", "workload.size=8192", "--out",
            "o"});
  const json s = stats("o");
  ASSERT_EQ(s.at("/memspecrd/root_ports"_json_pointer).size(), 2u);
  double requested = 0, issued = 0;
  for (const json& port : s.at("/memspecrd/root_ports"_json_pointer)) {
    requested += value(port, "/requested");
    issued += value(port, "/issued");
    EXPECT_GT(value(port, "/lines_used"), 0);
    EXPECT_LE(value(port, "/lines_used"), 4 * value(port, "/requested"));
    EXPECT_GT(value(port, "/ring_suppressed"), 0);
    EXPECT_EQ(value(port, "/useful_granules") + value(port, "/useless_granules"),
              0);  // in the ring
    EXPECT_EQ(value(port, "/loads_seen"), value(port, "/issued") + value(port, "/ring_suppressed") +
                                              value(port, "/halt_suppressed"));
  }
  EXPECT_EQ(requested, value(s, "/memspecrd/requested"));
  EXPECT_EQ(issued, value(s, "/memspecrd/sent"));
}

TEST_P(CliEngine, InternalDramIsReportedByPort) {
  accepted({"run", "vadd-znand-sr", "--engine", GetParam(), "--set", "workload.size=8192", "--set",
            "endpoint.cache_bytes=16KiB", "--out", "o"});
  const json s = stats("o");
  ASSERT_EQ(s.at("internal_dram_counters").size(), 2u);
  std::map<std::string, double> sum;
  for (const json& port : s.at("internal_dram_counters")) {
    for (const char* name :
         {"demand_hits", "demand_merges", "demand_fills", "spec_fills", "spec_needless",
          "spec_dropped", "spec_evicted_unused", "spec_displaced", "opened", "made_whole"}) {
      sum[name] += value(port, (std::string("/") + name).c_str());
    }
    const double hits = value(port, "/demand_hits");
    const double demands = hits + value(port, "/demand_merges") + value(port, "/demand_fills") +
                           value(port, "/opened");
    EXPECT_DOUBLE_EQ(value(port, "/hit_rate"), 100 * hits / demands);
    EXPECT_LE(value(port, "/spec_evicted_unused"), value(port, "/spec_fills"));
  }
  // The trace tells the same.
  EXPECT_EQ(sum["demand_hits"], value(s, "/internal_dram_lookups/hit"));
  EXPECT_EQ(sum["demand_merges"], value(s, "/internal_dram_lookups/merge"));
  EXPECT_EQ(sum["demand_fills"] + sum["opened"], value(s, "/internal_dram_lookups/miss"));
  EXPECT_EQ(sum["spec_fills"], value(s, "/memspecrd/filled"));
  EXPECT_EQ(sum["spec_fills"] + sum["spec_needless"] + sum["spec_dropped"],
            value(s, "/memspecrd/requested"));
  for (const char* name :
       {"demand_hits", "demand_merges", "demand_fills", "spec_fills", "spec_needless",
        "spec_evicted_unused", "spec_displaced", "opened", "made_whole"}) {
    EXPECT_GT(sum[name], 0) << name;
  }
}

// What becomes of hints: by the trace, by the ports, in short and on the screen. Nothing of it
// without hints.
TEST_P(CliEngine, HintsAreReported) {
  const Args run = {"run",   "kvdecode-znand-sr", "--engine", GetParam(),
                    "--set", "workload.size=4",   "--set",    "workload.iterations=2"};
  const std::string row = "useful / late / lost / wasted granules";
  Args hinted = run, plain = run;
  hinted.insert(hinted.end(), {"--out", "o"});
  plain.insert(plain.end(), {"--set", "workload.hints=false", "--out", "plain"});
  const Result with = accepted(hinted), without = accepted(plain);
  const json s = stats("o"), p = stats("plain");
  double taken = 0, dropped = 0, of_loads = 0;
  for (const json& port : s.at("hints").at("root_ports")) {
    taken += value(port, "/granules");
    dropped += value(port, "/dropped");
  }
  for (const char* what : {"useful", "late", "lost", "wasted"}) {
    of_loads += value(s, ("/hints/hint_" + std::string(what)).c_str());
  }
  EXPECT_GT(value(s, "/hints/hint_granules"), 10);
  EXPECT_EQ(value(s, "/hints/hint_granules"), of_loads);
  EXPECT_EQ(value(s, "/hints/hint_granules"), taken - dropped);
  EXPECT_GT(value(s, "/hints/host_bridge/hints"), value(s, "/hints/host_bridge/lost"));
  EXPECT_NE(with.out.find(row), std::string::npos) << with.out;
  EXPECT_EQ(value(p, "/hints/host_bridge/hints"), 0);
  EXPECT_EQ(without.out.find(row), std::string::npos) << without.out;
}

// Each figure that the report's script takes from the run by name is there: s.a.b is /a/b. Where
// an array begins, or what this run has not, the name ends.
TEST_F(Cli, TheReportNamesWhatThereIs) {
  accepted({"run", "kvdecode-znand-sr", "--engine", "model", "--set", "workload.size=4", "--set",
            "workload.iterations=2", "--out", "o"});
  const json s = stats();
  const std::string page = read_text(dir_ / "o/report.html");
  const std::string script = page.substr(page.rfind("<script>"));
  std::set<std::string> names;
  const std::regex name("\\bs((?:\\.[a-z0-9_]+)+)");
  for (std::sregex_iterator it(script.begin(), script.end(), name), end; it != end; ++it) {
    names.insert((*it)[1]);
  }
  for (const std::string& dotted : names) {
    const json* node = &s;
    std::istringstream parts(dotted.substr(1));
    for (std::string part; node->is_object() && std::getline(parts, part, '.');) {
      if (part == "unfinished") break;  // of a run that reached its limit
      ASSERT_TRUE(node->contains(part)) << "s" << dotted;
      node = &node->at(part);
    }
  }
  for (const char* shown : {".end_to_end", ".memspecrd.useful_lines", ".hints.host_bridge.hints",
                            ".hints.host_bridge.lost", ".hints.hint_useful", ".hints.hint_late",
                            ".hints.hint_lost", ".hints.hint_wasted"}) {
    EXPECT_TRUE(names.contains(shown)) << shown;
  }
}

TEST_P(CliEngine, DeterministicStoreIsReported) {
  accepted({"run", "vadd-znand-ds", "--engine", GetParam(), "--set", "workload.size=8192", "--set",
            "endpoint.open_lines=0", "--out", "o"});  // stores wait, so that some are deferred
  const json s = stats("o");
  EXPECT_EQ(s.at("deterministic_store").size(), 2u);
  double stores = 0, deferred = 0, flushed = 0;
  for (const json& port : s.at("deterministic_store")) {
    for (const char* how : {"/direct", "/deferred", "/in_place"}) stores += value(port, how);
    deferred += value(port, "/deferred");
    flushed += value(port, "/flushed");
    EXPECT_GT(value(port, "/peak_deferred"), 0);
    EXPECT_LE(value(port, "/peak_deferred"), 1024);
    EXPECT_EQ(value(port, "/write_errors"), 0);
  }
  EXPECT_EQ(stores, value(s, "/stores/count"));
  EXPECT_GE(flushed, deferred);
  EXPECT_GT(value(s, "/drained"), value(s, "/end_to_end"));
  EXPECT_GT(value(s, "/stores/p99.9"), 0);
  // Without it there is nothing to say.
  accepted({"run", "vadd-znand-sr", "--engine", GetParam(), "--set", "workload.size=8192", "--out",
            "sr"});
  EXPECT_TRUE(stats("sr").at("deterministic_store").empty());
}

// Every number of stats.json is the value of a figure with a unit, or names something.
void expect_units(const json& node, const std::string& path) {
  static const std::set<std::string> kNames = {"schema", "seed", "port", "tag"};
  if (node.is_object() && node.contains("value")) {
    EXPECT_TRUE(node.at("value").is_number()) << path;
    EXPECT_TRUE(node.contains("unit") && node.at("unit").is_string() && node.at("unit") != "")
        << path;
    return;
  }
  if (node.is_object() && node.contains("values")) {  // a curve: one unit for its points
    EXPECT_TRUE(node.at("values").is_array()) << path;
    for (const json& point : node.at("values")) {
      EXPECT_TRUE(point.is_number() || point.is_null()) << path;
    }
    EXPECT_TRUE(node.contains("unit") && node.at("unit").is_string() && node.at("unit") != "")
        << path;
    return;
  }
  if (node.is_object()) {
    for (const auto& [key, child] : node.items()) {
      if (path.empty() && key == "load_control") continue;  // points of a curve
      if (child.is_number() && kNames.contains(key)) continue;
      expect_units(child, path + "/" + key);
    }
  } else if (node.is_array()) {
    for (std::size_t i = 0; i < node.size(); ++i)
      expect_units(node[i], path + "/" + std::to_string(i));
  } else {
    EXPECT_FALSE(node.is_number()) << path << " has no unit";
  }
}

void expect_stages_add_up(const json& latency) {
  double sum = 0;
  for (const json& stage : latency.at("stages")) sum += stage.at("mean").at("value").get<double>();
  EXPECT_NEAR(sum, latency.at("mean").at("value").get<double>(),
              0.002);  // ns; the mean is whole ps
}

TEST_P(CliEngine, RunLeavesStatsAndReport) {
  const Result result = accepted({"run", "vadd-znand-sr", "--engine", GetParam(), "--set",
                                  "workload.size=4096", "--out", "deep/er/o"});
  EXPECT_NE(result.out.find("clean"), std::string::npos);
  const fs::path out = dir_ / "deep/er/o";
  EXPECT_EQ(std::distance(fs::directory_iterator(out), fs::directory_iterator()), 2);
  const json s = stats("deep/er/o");
  EXPECT_EQ(s.at("schema"), 2);
  EXPECT_EQ(s.at("policy"), "sr");
  EXPECT_EQ(s.at("scenario"), "vadd-znand-sr");
  EXPECT_EQ(s.at("engine"), GetParam());
  EXPECT_EQ(s.at("status"), "clean");
  EXPECT_TRUE(s.at("checks").at("problems").empty());
  EXPECT_EQ(value(s, "/checks/mismatches"), 0);
  EXPECT_GT(value(s, "/checks/reads_checked"), 0);
  EXPECT_EQ(value(s, "/loads/count"), value(s, "/checks/reads_checked"));
  EXPECT_EQ(value(s, "/stores/count"), value(s, "/checks/writes_sent"));
  EXPECT_LE(value(s, "/loads/p50"), value(s, "/loads/p99"));
  EXPECT_LE(value(s, "/loads/p99"), value(s, "/loads/max"));
  EXPECT_GT(value(s, "/memspecrd/sent"), 0);
  EXPECT_GT(value(s, "/flits/m2s/all"), 0);

  expect_stages_add_up(s.at("loads"));
  expect_stages_add_up(s.at("stores"));
  double of_kinds = 0;
  for (const json& kind : s.at("kinds")) {
    expect_stages_add_up(kind);
    of_kinds += value(kind, "/count");
  }
  EXPECT_EQ(of_kinds, value(s, "/loads/count") + value(s, "/stores/count"));
  for (const json& slow : s.at("slowest_loads")) {
    const json& stages = slow.at("stages");
    const double first = value(stages.front(), "/at"), last = value(stages.back(), "/at");
    EXPECT_NEAR(last - first, value(slow, "/latency"), 0.002);
  }

  const std::string page = read_text(out / "report.html");
  // That it asks for nothing: report_test.cpp.
  const std::string open = "<script id=\"data\" type=\"application/json\">";
  const std::size_t begin = page.find(open);
  ASSERT_NE(begin, std::string::npos);
  const std::size_t end = page.find("</script>", begin);
  const json data = json::parse(page.substr(begin + open.size(), end - begin - open.size()));
  EXPECT_EQ(data.at("runs").at(0).at("stats"), s);
}

double sum_of(const json& curve) {
  double sum = 0;
  for (const json& point : curve.at("values")) sum += point.get<double>();
  return sum;
}

void expect_series_add_up(const json& s) {
  const json& series = s.at("series");
  const std::size_t bins = series.at("dev_load").at("light").at("values").size();
  EXPECT_GE(bins * value(series, "/bin"), value(s, "/end_to_end"));
  EXPECT_LT((static_cast<double>(bins) - 1.001) * value(series, "/bin"), value(s, "/end_to_end"));
  double of_kinds = 0;
  std::set<std::string> kinds;
  for (const json& curve : series.at("latency")) {
    const std::string kind = curve.at("kind");
    SCOPED_TRACE(kind);
    kinds.insert(kind);
    const json* whole = kind == "load"    ? &s.at("loads")
                        : kind == "store" ? &s.at("stores")
                                          : nullptr;
    for (const json& k : s.at("kinds")) {
      if (k.at("kind") == kind) whole = &k;
    }
    ASSERT_NE(whole, nullptr);
    EXPECT_EQ(sum_of(curve.at("count")), value(*whole, "/count"));
    if (kind != "load") of_kinds += sum_of(curve.at("count"));
    double max = 0;
    for (std::size_t i = 0; i < bins; ++i) {
      const auto point = [&](const char* what) { return curve.at(what).at("values").at(i); };
      EXPECT_EQ(point("max").is_null(), point("count") == 0);
      if (point("max").is_null()) continue;
      EXPECT_LE(point("p50"), point("p99"));
      EXPECT_LE(point("p99"), point("max"));
      max = std::max(max, point("max").get<double>());
    }
    EXPECT_EQ(max, value(*whole, "/max"));
  }
  EXPECT_EQ(of_kinds, value(s, "/loads/count") + value(s, "/stores/count"));
  EXPECT_EQ(kinds.size(), 1 + s.at("kinds").size());  // and all loads together
  double responses = 0;
  for (const json& level : series.at("dev_load")) responses += sum_of(level);
  EXPECT_EQ(responses, of_kinds);
  // Time spent in the endpoints' receive queues, summed over bins and over requests.
  double waited = 0;
  for (const char* kind : {"loads", "stores"}) {
    for (const json& stage : s.at(kind).at("stages")) {
      if (stage.at("stage") != "ep_accept") continue;
      waited += value(s.at(kind), "/count") * value(stage, "/mean");
    }
  }
  const double in_bins = sum_of(series.at("ingress")) * value(series, "/bin");
  EXPECT_GT(in_bins, 0);
  EXPECT_NEAR(in_bins, waited, 1e-6 * waited);
}

TEST_P(CliEngine, SeriesAddUpToTheWhole) {
  for (const std::string scenario : {"vadd-znand-sr", "bfs-dram-cxl"}) {
    SCOPED_TRACE(scenario);
    const std::string size = scenario[0] == 'b' ? "512" : "4096";
    accepted(
        {"run", scenario, "--engine", GetParam(), "--set", "workload.size=" + size, "--out", "o"});
    expect_series_add_up(stats());
    EXPECT_TRUE(stats().at("scripted_collection").is_null());
  }
}

// What waits for a die waits to the end of the collection, in both engines; the report knows when.
TEST_P(CliEngine, ScriptedCollectionShowsInTheSeries) {
  const Args run = {"run",   "vadd-znand-sr",       "--engine", GetParam(),
                    "--set", "workload.size=16384", "--out"};
  Args plain = run, collected = run;
  plain.push_back("plain");
  collected.insert(collected.end(),
                   {"o", "--set", "endpoint.gc_first_us=10", "--set", "endpoint.gc_busy_us=30"});
  accepted(plain);
  accepted(collected);
  const json s = stats(), p = stats("plain");
  if (GetParam() == std::string("cosim")) {
    EXPECT_EQ(value(s, "/cosim/time_differences"), 0);
  }
  expect_series_add_up(s);
  const json& script = s.at("scripted_collection");
  EXPECT_EQ(value(script, "/first"), 10);
  EXPECT_EQ(value(script, "/busy"), 30);
  EXPECT_EQ(script.at("starts").at("values"), json::array({10000.0}));
  for (const json& media : s.at("media_counters")) EXPECT_EQ(value(media, "/collections"), 64);
  for (const json& media : p.at("media_counters")) EXPECT_EQ(value(media, "/collections"), 0);
  EXPECT_LT(value(p, "/loads/max"), 20000);
  EXPECT_GT(value(s, "/loads/max"), 25000);
  EXPECT_GT(value(s, "/end_to_end"), value(p, "/end_to_end") + 20000);
  // Only what was accepted shortly before the window or in it can wait for long.
  const json& loads = s.at("series").at("latency").at(0);
  ASSERT_EQ(loads.at("kind"), "load");
  const json& max = loads.at("max").at("values");
  const double bin = value(s, "/series/bin");
  for (std::size_t i = 0; i < max.size(); ++i) {
    if (max[i].is_null() || max[i] < 20000) continue;
    EXPECT_GT(bin * static_cast<double>(i + 1), 4000) << i;
    EXPECT_LT(bin * static_cast<double>(i), 25000) << i;
  }
}

// An outage takes RTL and model another time: counted, printed, and no mismatch.
TEST_F(Cli, TimesAfterAnOutageDifferAsExpected) {
  const Result result =
      accepted({"run", "vadd-dram-cxl", "--engine", "cosim", "--set", "workload.size=4096", "--set",
                "link.down_at_us=2", "--set", "link.down_for_us=1", "--out", "o"});
  const json s = stats();
  EXPECT_EQ(s.at("status"), "clean");
  EXPECT_GT(value(s, "/cosim/time_differences"), 10);
  EXPECT_EQ(value(s, "/cosim/time_mismatches"), 0);
  EXPECT_EQ(s.at("cosim").at("disturbance").at("by"), "link outage");
  EXPECT_EQ(value(s, "/cosim/disturbance/at"), 2000);
  EXPECT_NE(result.out.find(", time: 0)"), std::string::npos) << result.out;
  const std::string differ =
      "from 2.000 us on: " + std::to_string(static_cast<int>(value(s, "/cosim/time_differences"))) +
      " differ, as expected";
  EXPECT_NE(result.out.find(differ), std::string::npos) << result.out;
  accepted(
      {"run", "vadd-dram-cxl", "--engine", "cosim", "--set", "workload.size=512", "--out", "o"});
  EXPECT_TRUE(stats().at("cosim").at("disturbance").is_null());
}

TEST_P(CliEngine, EveryFigureHasItsUnit) {
  accepted({"run", "vadd-znand-sr", "--engine", GetParam(), "--set", "workload.size=1024", "--out",
            "o"});
  json s = stats();
  s.erase("config");  // its keys name their units
  expect_units(s, "");
}

TEST_P(CliEngine, SameCommandGivesTheSameFigures) {
  const Args run = {"run",   "bfs-znand-sr",      "--engine", GetParam(),
                    "--set", "workload.size=512", "--seed",   "5",
                    "--out"};
  Args first = run, second = run;
  first.push_back("a");
  second.push_back("b");
  accepted(first);
  accepted(second);
  json a = stats("a"), b = stats("b");
  EXPECT_EQ(a.at("seed"), 5);
  for (json* s : {&a, &b}) {
    s->erase("wall");
    s->erase("command");
  }
  EXPECT_EQ(a, b);
}

TEST_P(CliEngine, RunThatDoesNotEndHasNoVerdict) {
  const Args args = {"run", "vadd-znand-cxl", "--engine",      GetParam(), "--out",
                     "o",   "--set",          "run.limit_us=5"};
  const Result result = run(args);
  EXPECT_EQ(result.status, 3) << result.err;
  EXPECT_EQ(lines_of(result.err).size(), 1u) << result.err;
  EXPECT_NE(result.err.find("--set: key 'run.limit_us': 5 us"), std::string::npos) << result.err;
  EXPECT_EQ(result.out.find("WRONG"), std::string::npos) << result.out;
  EXPECT_EQ(stats().at("status"), "limit reached");
  EXPECT_TRUE(stats().at("checks").at("problems").empty());
  EXPECT_GT(value(stats(), "/unfinished/unanswered"), 0);
  EXPECT_EQ(value(stats(), "/unfinished/kernels_left"), 1);
  EXPECT_GT(value(stats(), "/checks/reads_checked"), 0);
  EXPECT_GT(value(stats(), "/gpu/occupancy"), 0) << "measured up to the limit";
}

TEST_F(Cli, SpeculationIsFaster) {
  for (const std::string engine : {"model", "rtl"}) {
    for (const std::string kind : {"cxl", "sr"}) {
      accepted({"run", "vadd-znand-" + kind, "--engine", engine, "--set", "workload.size=32768",
                "--out", engine + kind});
    }
    EXPECT_LT(value(stats(engine + "sr"), "/end_to_end"),
              value(stats(engine + "cxl"), "/end_to_end"));
    EXPECT_EQ(value(stats(engine + "cxl"), "/memspecrd/sent"), 0);
  }
}

// Waves come from another build of the RTL, with the logic of deterministic store in it.
TEST_F(Cli, WavesChangeNoFigure) {
  for (const std::string scenario : {"vadd-znand-sr", "bfs-dram-cxl"}) {
    const std::string size = scenario[0] == 'b' ? "512" : "4096";
    const Args plain = {"run", scenario, "--engine", "rtl", "--set", "workload.size=" + size};
    Args fast = plain, full = plain;
    fast.insert(fast.end(), {"--out", "fast"});
    full.insert(full.end(), {"--out", "full", "--waves", "w.fst", "--waves-to-us", "1"});
    accepted(fast);
    accepted(full);
    json a = stats("fast"), b = stats("full");
    for (json* s : {&a, &b}) {
      s->erase("wall");
      s->erase("command");
    }
    EXPECT_EQ(a, b) << scenario;
  }
}

TEST_F(Cli, WavesWriteAnFst) {
  const Args run = {"run", "vadd-znand-sr", "--engine", "rtl", "--set", "workload.size=512"};
  Args part = run, whole = run;
  part.insert(part.end(), {"--waves", "part.fst", "--waves-to-us", "1"});
  whole.insert(whole.end(), {"--waves", "whole.fst"});
  accepted(part);
  accepted(whole);
  for (const char* name : {"part.fst", "whole.fst"}) {
    const std::string fst = read_text(dir_ / name);
    ASSERT_GT(fst.size(), 400u) << name;
    // A header block of 329 bytes comes first.
    EXPECT_EQ(fst.substr(0, 9), std::string("\0\0\0\0\0\0\0\x01\x49", 9)) << name;
  }
  EXPECT_LT(fs::file_size(dir_ / "part.fst"), fs::file_size(dir_ / "whole.fst"));
}

TEST_F(Cli, WavesComeWithAGtkwaveSaveFile) {
  accepted({"run", "vadd-znand-sr", "--engine", "rtl", "--set", "workload.size=512", "--waves",
            "w.fst", "--waves-to-us", "1"});
  ASSERT_TRUE(fs::exists(dir_ / "w.gtkw"));
  EXPECT_NE(read_text(dir_ / "w.gtkw").find("w.fst"), std::string::npos);
}

TEST_F(Cli, IdleLoadDiagramIsCurrent) {
  const fs::path source = CXLGPU_SOURCE_DIR;
  const fs::path trace = write("one.csv", "0,R,0x0,64\n");
  accepted({"run", "vadd-dram-cxl", "--engine", "rtl", "--trace", trace.string(), "--out", "o"});
  const std::string script = (source / "scripts" / "timing_diagram.py").string();
  const std::string drawn = (dir_ / "drawn.json").string();
  const std::string command =
      "python3 " + script + " " + (dir_ / "o" / "stats.json").string() + " > " + drawn;
  ASSERT_EQ(std::system(command.c_str()), 0) << command;
  EXPECT_EQ(read_text(drawn), read_text(source / "docs" / "idle-load.json"));
}

}  // namespace
}  // namespace cxlgpu
