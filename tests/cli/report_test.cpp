// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
// The report page as a file: what is in it, that nothing from outside is part of its text, its
// size. How it looks and answers: report_browser.py, `make report-test`.
#include "cli/report.hpp"

#include <cstdlib>
#include <regex>

#include "tests/cli/cli.hpp"

namespace cxlgpu {
namespace {

// Text between two marks, each of which stands once before the library.
std::string between(const std::string& page, const std::string& from, const std::string& to) {
  const std::size_t at = page.find(from);
  EXPECT_NE(at, std::string::npos) << from;
  const std::size_t end = page.find(to, at + from.size());
  return page.substr(at + from.size(), end - at - from.size());
}
json data_of(const std::string& page) {
  return json::parse(between(page, "<script id=\"data\" type=\"application/json\">", "</script>"));
}

class ReportCli : public Cli {
 protected:
  std::string page(const std::string& out = "o") { return read_text(dir_ / out / "report.html"); }
  void small(const std::string& scenario, const std::string& out, const Args& more = {}) {
    Args args = {"run", scenario, "--engine", "model", "--set", "workload.size=4096", "--out", out};
    args.insert(args.end(), more.begin(), more.end());
    accepted(args);
  }
};

TEST_F(ReportCli, HoldsTheLibraryAsItWasPublished) {
  small("vadd-znand-sr", "o");
  const std::string third_party = std::string(CXLGPU_SOURCE_DIR) + "/third_party/echarts";
  EXPECT_EQ(between(page(), "<script id=\"library\">", "</script>"),
            read_text(third_party + "/echarts.common.min.js"));
  EXPECT_EQ(std::system(("cd '" + third_party + "' && sha256sum -c --quiet SHA256SUMS").c_str()),
            0);
}

TEST_F(ReportCli, IsOneFileThatAsksForNothing) {
  small("vadd-znand-sr", "o");
  std::string text = page();
  const std::string library = between(text, "<script id=\"library\">", "</script>");
  text.erase(text.find(library), library.size());
  for (const char* outside : {"http://", "https://", "src=", "href=", "@import", "url("}) {
    EXPECT_EQ(text.find(outside), std::string::npos) << outside;
  }
  EXPECT_EQ(text.find("__"), std::string::npos) << "a mark is left";
  EXPECT_LT(page().size(), 2'000'000u);
}

TEST_F(ReportCli, HasTheRequestsBehindEachBar) {
  small("vadd-znand-sr", "o", {"--set", "endpoint.cache_bytes=16KiB"});
  const json data = data_of(page()), samples = data.at("samples"), s = stats();
  EXPECT_EQ(data.at("runs").at(0).at("stats"), s);
  const json& requests = samples.at("requests");
  for (const json& kind : s.at("kinds")) {
    const std::string name = kind.at("kind");
    double counted = 0;
    for (const json& n : kind.at("histogram").at("count").at("values")) counted += n.get<double>();
    EXPECT_EQ(counted, value(kind, "/count"));
    for (std::size_t stage = 0; stage < kind.at("stages").size(); ++stage) {
      const json& longest = samples.at("longest").at(name).at(stage);
      EXPECT_EQ(longest.empty(), value(kind.at("stages").at(stage), "/mean") == 0)
          << name << " " << kind.at("stages").at(stage);
      double before = 1e18;
      for (const json& index : longest) {
        const json& r = requests.at(index.get<std::size_t>());
        EXPECT_EQ(samples.at("kind_names").at(r.at(0).get<std::size_t>()), name);
        const double in = r.at(5).at(stage).get<double>();
        EXPECT_LE(in, before) << "longest first";
        before = in;
      }
    }
    // What is shown of a latency is of that latency: ends add up.
    double most = 0;
    for (const json& index : samples.at("by_latency").at(name)) {
      double sum = 0;
      for (const json& in : requests.at(index.get<std::size_t>()).at(5)) {
        if (!in.is_null()) sum += in.get<double>();
      }
      most = std::max(most, sum);
    }
    EXPECT_LE(most, value(kind, "/max") + 1);
    EXPECT_GE(most, value(kind, "/max") / 1.13 - 1);
  }
}

TEST_F(ReportCli, CurvesAreThoseTheRunHas) {
  const auto curves = [&](const std::string& scenario, const Args& more = {}) {
    small(scenario, "o", more);
    const json samples = data_of(page()).at("samples");
    std::set<std::string> names;
    for (const auto& [name, curve] : samples.at("curves").items()) names.insert(name);
    fs::remove_all(dir_ / "o");
    return names;
  };
  const std::set<std::string> plain = curves("vadd-dram-cxl"), sr = curves("vadd-znand-sr"),
                              ds = curves("vadd-znand-ds", {"--set", "endpoint.open_lines=0"}),
                              noisy = curves("vadd-dram-cxl",
                                             {"--set", "link.bit_error_rate_s2m=1e-5"});
  for (const char* name : {"bandwidth_loads", "bandwidth_stores", "memory_queue", "media_busy",
                           "flits_m2s", "flits_s2m"}) {
    EXPECT_TRUE(plain.contains(name)) << name;
  }
  for (const char* name : {"memspecrd_sent", "granularity_0", "ds_deferred", "flits_damaged"}) {
    EXPECT_FALSE(plain.contains(name)) << name;
  }
  EXPECT_TRUE(sr.contains("memspecrd_sent") && sr.contains("memspecrd_filled"));
  EXPECT_TRUE(ds.contains("ds_deferred"));
  EXPECT_TRUE(noisy.contains("flits_damaged") && noisy.contains("flits_retry"));
  EXPECT_TRUE(curves("vadd-znand-uvm").contains("bandwidth_loads"));
}

// The sums of a curve are the run's own.
TEST_F(ReportCli, CurvesAddUp) {
  small("vadd-znand-sr", "o");
  const json samples = data_of(page()).at("samples"), s = stats();
  const auto sum = [&](const char* name) {
    double all = 0;
    for (const json& v : samples.at("curves").at(name).at("values")) all += v.get<double>();
    return all;
  };
  const double width = samples.at("bin");
  EXPECT_NEAR(sum("bandwidth_loads") * width / 64, value(s, "/loads/count"),
              .002 * value(s, "/loads/count"));
  EXPECT_NEAR(sum("flits_s2m"), value(s, "/flits/s2m/all"), .02 * value(s, "/flits/s2m/all"));
  EXPECT_NEAR(sum("memspecrd_sent"), value(s, "/memspecrd/sent"),
              .002 * value(s, "/memspecrd/sent"));
  // Little: mean number in flight times the time is requests times their mean time there.
  const double end = value(s, "/end_to_end");
  EXPECT_LT(sum("memory_queue") * width, value(s, "/loads/mean") * value(s, "/loads/count") +
                                             value(s, "/stores/mean") * value(s, "/stores/count"));
  EXPECT_GT(sum("memory_queue") * width / end, .01);
  for (const char* some : {"loads", "fills"}) {
    ASSERT_FALSE(samples.at("accesses").at(some).at("points").empty()) << some;
  }
  for (const json& load : samples.at("accesses").at("loads").at("points")) {
    EXPECT_GE(load.at(1).get<std::uint64_t>(), 0x100000000u);
    EXPECT_LE(load.at(0).get<double>(), end);
  }
  for (const json& fill : samples.at("accesses").at("fills").at("points")) {
    EXPECT_GE(fill.at(1).get<std::uint64_t>(), 0x100000000u) << "an HPA";
  }
}

const std::string kHostile =
    "a</script><script>alert(1)</script><!--\"'=cmd|' /C calc'!A0;$(rm x)`&<b>";

// A name from outside is data: it comes back as it was, and no part of the page's text is it.
TEST_F(ReportCli, NamesFromOutsideAreData) {
  std::string folder = kHostile;
  std::erase(folder, '/');
  const std::string trace = "t;" + folder + ".csv";
  write(trace, "0,R,0x0,64\n20,R,0x40,64\n");
  accepted({"run", "vadd-dram-cxl", "--engine", "model", "--trace", trace, "--out", folder});
  accepted({"run", "vadd-dram-cxl", "--engine", "model", "--trace", trace, "--out", "o"});
  accepted({"report", folder, "o", "--out", "c.html"});
  for (const std::string& text : {page(folder), read_text(dir_ / "c.html")}) {
    EXPECT_EQ(text.find("<script>alert"), std::string::npos);
    EXPECT_EQ(text.find("a<script"), std::string::npos);
    const std::string data = between(text, "type=\"application/json\">", "</script>");
    EXPECT_EQ(data.find('<'), std::string::npos);
    std::size_t scripts = 0;
    for (std::size_t at = 0; (at = text.find("<script", at)) != std::string::npos; ++at) ++scripts;
    EXPECT_EQ(scripts, 3u);
  }
  EXPECT_EQ(data_of(read_text(dir_ / "c.html")).at("runs").at(0).at("label"), folder);
  // The script puts text where text belongs: nothing but a chart's tooltip is HTML.
  const std::string script = page(folder).substr(page(folder).rfind("<script>"));
  for (const char* way :
       {"innerHTML", "outerHTML", "insertAdjacentHTML", "document.write", "eval("}) {
    EXPECT_EQ(script.find(way), std::string::npos) << way;
  }
}

// The command of a page is one that a shell takes back.
TEST_F(ReportCli, TheCommandCanBeTypedAgain) {
  const std::string trace = "a b;'$(touch x)'\".csv";
  write(trace, "0,R,0x0,64\n");
  accepted({"run", "vadd-dram-cxl", "--engine", "model", "--trace", trace, "--out", "o"});
  const std::string command = stats().at("command");
  fs::rename(dir_ / "o", dir_ / "first");
  ASSERT_EQ(std::system(("cd '" + dir_.string() + "' && " + command + " >out 2>err").c_str()), 0)
      << command;
  EXPECT_EQ(stats().at("end_to_end"), stats("first").at("end_to_end"));
  EXPECT_FALSE(fs::exists(dir_ / "x"));
}

TEST_F(ReportCli, BytesThatAreNoTextAreNoReasonToFail) {
  const std::string folder = "o\xff\xc3(";
  small("vadd-dram-cxl", folder);
  EXPECT_NE(stats(folder).at("command").get<std::string>().find("\xEF\xBF\xBD"), std::string::npos);
  EXPECT_FALSE(data_of(page(folder)).at("runs").empty());
}

TEST_F(ReportCli, RunsAreCompared) {
  small("vadd-znand-cxl", "plain");
  small("vadd-znand-sr", "sr");
  small("vadd-znand-gpu-dram", "local");
  const Result result = accepted({"report", "plain", "sr/stats.json", "local/"});
  EXPECT_EQ(result.out, "comparison.html\n");
  const json runs = data_of(read_text(dir_ / "comparison.html")).at("runs");
  ASSERT_EQ(runs.size(), 3u);
  EXPECT_EQ(runs[1].at("label"), "sr/stats.json");
  EXPECT_EQ(runs[1].at("stats"), stats("sr"));
  accepted({"report", "plain", "sr", "--out", "x.html"});
  EXPECT_TRUE(fs::exists(dir_ / "x.html"));
}

TEST_F(ReportCli, WhatCannotBeComparedIsRefused) {
  small("vadd-dram-cxl", "o");
  fs::create_directory(dir_ / "empty");
  fs::create_directory(dir_ / "bad");
  for (const char* folder : {"old", "none", "text"}) fs::create_directory(dir_ / folder);
  write("bad/stats.json", "{\"schema\": 2");
  write("old/stats.json", "{\"schema\": 1, \"scenario\": \"x\", \"end_to_end\": 1}");
  write("none/stats.json", "{\"scenario\": \"x\", \"end_to_end\": 1}");
  write("text/stats.json", "{\"schema\": \"2\", \"scenario\": \"x\", \"end_to_end\": 1}");
  refused({"report", "o"}, {"report", "two folders"});
  refused({"report", "o", "nowhere"}, {"nowhere", "stats.json"});
  refused({"report", "o", "empty"}, {"empty", "stats.json"});
  refused({"report", "o", "bad"}, {"bad/stats.json", "run it again"});
  refused({"report", "o", "old"}, {"old/stats.json", "schema 1"});
  refused({"report", "o", "none"}, {"none/stats.json", "schema null"});
  refused({"report", "o", "text"}, {"text/stats.json", "schema \"2\""});
  refused({"report", "o", "o", "--out", "no/such/c.html"}, {"no/such"});
  refused({"report", "o", "o", "o", "o", "o", "o", "o", "o", "o"}, {"up to 8"});
}

// However long the run, the page is of one size.
TEST_F(ReportCli, ALongRunMakesNoLongPage) {
  const auto size_of = [&](unsigned requests) {
    std::string rows;
    std::uint64_t random = 1;
    for (unsigned i = 0; i < requests; ++i) {
      random = random * 6364136223846793005u + 1442695040888963407u;
      rows += std::to_string(30 * i) + (random >> 60 < 4 ? ",W," : ",R,") +
              std::to_string((random >> 40) % (1u << 20) * 64) + ",64\n";
    }
    write("t.csv", rows);
    accepted({"run", "vadd-znand-sr", "--engine", "model", "--trace", "t.csv", "--out", "o"});
    return page().size();
  };
  const std::size_t some = size_of(20000), many = size_of(200000);
  EXPECT_LT(many, some + 300'000) << some;
  EXPECT_LT(many, 2'500'000u);
}

}  // namespace
}  // namespace cxlgpu
