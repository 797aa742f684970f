// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
// cxlgpu sweep on the local cores: what its points are, that it goes on, what it keeps of a point
// that fails, and that no name from outside is more than a name. On Slurm: sweep_slurm.py; its page
// in a browser: sweep_browser.py, both of `make sweep-test`.
#include <fmt/format.h>
#include <sqlite3.h>

#include <csignal>
#include <sstream>
#include <thread>

#include "cli/shell_word.hpp"
#include "cli/sweep_draw.hpp"
#include "cli/sweep_point.hpp"
#include "cli/sweep_store.hpp"
#include "cli/sweep_tables.hpp"
#include "common/input_error.hpp"
#include "tests/cli/cli.hpp"

namespace cxlgpu {
namespace {

// A path's last name, and an objective; both with what HTML, CSV, SQL and shells would act on.
const std::string kHostile = "=a'\"<script>alert(1)<!-- ;$(touch hacked)`touch hacked`&.csv";
constexpr const char* kSmall = "set: {workload.size: 256}\n";

class SweepCli : public Cli {
 protected:
  using Rows = std::vector<std::vector<std::string>>;
  Rows rows(const std::string& sql, const std::string& out = "o") {
    sqlite3* database = nullptr;
    EXPECT_EQ(sqlite3_open((dir_ / out / "sweep.sqlite").c_str(), &database), SQLITE_OK);
    Rows found;
    const auto row = [](void* to, int count, char** values, char**) {
      auto& all = *static_cast<Rows*>(to);
      all.emplace_back();
      for (int i = 0; i < count; ++i)
        all.back().emplace_back(values[i] != nullptr ? values[i] : "");
      return 0;
    };
    EXPECT_EQ(sqlite3_exec(database, sql.c_str(), row, &found, nullptr), SQLITE_OK)
        << sql << ": " << sqlite3_errmsg(database);
    sqlite3_close(database);
    return found;
  }
  std::string one(const std::string& sql, const std::string& out = "o") {
    const Rows found = rows(sql, out);
    return found.empty() ? "(none)" : found[0][0];
  }
  // Status 2, one line that holds each of `parts`, nothing made.
  void bad(const std::string& yaml, const std::vector<std::string>& parts, const Args& more = {}) {
    write("bad.yaml", yaml);
    Args args = {"sweep", "bad.yaml", "--out", "bad"};
    args.insert(args.end(), more.begin(), more.end());
    refused(args, parts);
  }
  Result sweep(const std::string& file, const Args& more = {}, const Setting& setting = {}) {
    Args args = {"sweep", file, "--out", "o", "--quiet", "--no-reports"};
    args.insert(args.end(), more.begin(), more.end());
    return run(args, "", setting);
  }
  json page(const std::string& out = "o") {
    const std::string text = read_text(dir_ / out / "sweep.html");
    const std::string from = "<script id=\"data\" type=\"application/json\">";
    const std::size_t at = text.find(from) + from.size();
    return json::parse(text.substr(at, text.find("</script>", at) - at));
  }
};

TEST_F(SweepCli, AGridIsEveryCombinationAndHasTheFiguresOfItsRuns) {
  write("g.yaml", fmt::format("scenario: [vadd-dram-cxl, vadd-znand-sr]\nseed: [1, 2]\n{}"
                              "grid:\n  link.lanes: [4, 8]\n",
                              kSmall));
  const Result result = run({"sweep", "g.yaml", "--out", "o", "--csv", "t.csv", "--jobs", "2"});
  ASSERT_EQ(result.status, 0) << result.err;
  EXPECT_NE(result.out.find("8 points: 8 clean\n"), std::string::npos) << result.out;
  EXPECT_NE(result.out.find("best: end_to_end "), std::string::npos) << result.out;
  const Rows wide = rows("select number, scenario, seed, \"link.lanes\", status, id from wide");
  ASSERT_EQ(wide.size(), 8U);
  EXPECT_EQ(wide[0][1] + wide[0][2] + wide[0][3], "vadd-dram-cxl14");
  EXPECT_EQ(wide[1][1] + wide[1][2] + wide[1][3], "vadd-dram-cxl18") << "the last is fastest";
  EXPECT_EQ(wide[7][1] + wide[7][2] + wide[7][3], "vadd-znand-sr28");
  // The row of a point is the run that its command makes.
  for (const std::size_t at : {1U, 6U}) {
    const std::string id = wide[at][5];
    const json stats = json::parse(read_text(dir_ / "o" / "points" / id / "stats.json"));
    EXPECT_EQ(stats.at("scenario"), wide[at][1]);
    EXPECT_EQ(std::to_string(stats.at("seed").get<int>()), wide[at][2]);
    EXPECT_EQ(std::to_string(stats.at("config").at("link").at("lanes").get<int>()), wide[at][3]);
    const std::string command = one("select command from points where id = '" + id + "'");
    const std::string again = "cd '" + dir_.string() + "' && PATH='" +
                              fs::path(CXLGPU_BINARY).parent_path().string() + "':\"$PATH\" " +
                              command + " --quiet --out again";
    ASSERT_EQ(std::system(again.c_str()), 0) << again;
    const json same = json::parse(read_text(dir_ / "again" / "stats.json"));
    for (const char* path : {"/end_to_end", "/loads/mean", "/flits/m2s/all"}) {
      std::string dotted = path + 1;
      std::replace(dotted.begin(), dotted.end(), '/', '.');
      EXPECT_DOUBLE_EQ(
          std::stod(one(fmt::format("select value from results where point = '{}' and path = '{}'",
                                    id, dotted))),
          value(same, path))
          << path;
    }
  }
  EXPECT_EQ(one("select unit from figures where path = 'loads.mean'"), "ns");
  const json data = page();
  EXPECT_EQ(data.at("points").size(), 8U);
  EXPECT_EQ(data.at("keys").at(2).at("name"), "link.lanes");
  EXPECT_EQ(data.at("points").at(0).at(3), 1) << "a report";
  EXPECT_TRUE(fs::exists(dir_ / "o" / "points" / wide[0][5] / "report.html"));
  const std::vector<std::string> csv = lines_of(read_text(dir_ / "t.csv"));
  ASSERT_EQ(csv.size(), 9U);
  EXPECT_EQ(csv[0].rfind("number,id,status,scenario,seed,link.lanes,", 0), 0U) << csv[0];
  EXPECT_EQ(csv[8].rfind("8," + wide[7][5] + ",clean,vadd-znand-sr,2,8,", 0), 0U) << csv[8];
}

TEST_F(SweepCli, AListHasItsPointsAndLeavesTheRestAsItIs) {
  write("l.yaml", fmt::format("scenario: vadd-dram-cxl\n{}list:\n  - {{gpu.cores: 1}}\n"
                              "  - {{gpu.cores: 2, link.lanes: 4}}\n  - {{gpu.cores: 4}}\n",
                              kSmall));
  ASSERT_EQ(sweep("l.yaml").status, 0);
  EXPECT_EQ(rows("select \"gpu.cores\", \"link.lanes\" from wide"),
            (Rows{{"1", ""}, {"2", "4"}, {"4", ""}}));
  const auto best = [&] {
    const std::string out = run({"sweep", "l.yaml", "--out", "o", "--no-reports"}).out;
    return out.substr(out.find("best: "), out.rfind('\n', out.size() - 2) - out.find("best: "));
  };
  EXPECT_EQ(best().find("gpu.cores=1"), std::string::npos) << best();
  write("l.yaml", read_text(dir_ / "l.yaml") + "better: higher\n");
  EXPECT_NE(best().find("gpu.cores=1"), std::string::npos) << best();
  EXPECT_EQ(page().at("better"), "higher");
  for (const char* number : {"1", "3"}) {  // nor as the point before it has it
    const std::string folder =
        one(std::string("select folder from points where number = ") + number);
    EXPECT_EQ(json::parse(read_text(dir_ / "o" / folder / "stats.json"))
                  .at("config")
                  .at("link")
                  .at("lanes"),
              8);
  }
}

// What is drawn follows from seed, point and key: more points, or another key, leave the others.
TEST_F(SweepCli, DrawsAreOfTheKeyAndStayWhenThereAreMore) {
  const auto commands = [&](const std::string& points, const std::string& seed,
                            const std::string& more = "") {
    write("r.yaml", "scenario: vadd-znand-sr\nrandom:\n  points: " + points + "\n  seed: " + seed +
                        "\n  keys:\n    gpu.cores: {int: [2, 5]}\n    gpu.warps: {int: [2, 5]}\n"
                        "    root_port.sr_queue_entries: {log: [1, 64]}\n"
                        "    endpoint.mshrs: {log: [16, 256]}\n"
                        "    link.bit_error_rate_s2m: {log: [1e-9, 1e-5]}\n"
                        "    root_port.policy: {choice: [sr, stream]}\n" +
                        more);
    return lines_of(accepted({"sweep", "r.yaml", "--dry-run"}).out);
  };
  const std::vector<std::string> few = commands("40", "7"), many = commands("80", "7");
  ASSERT_EQ(few.size(), 40U);
  EXPECT_TRUE(std::equal(few.begin(), few.end(), many.begin()));
  EXPECT_NE(few, commands("40", "8"));
  const std::vector<std::string> wider = commands("40", "7", "    link.lanes: {choice: [4]}\n");
  std::map<std::string, std::map<std::string, int>> seen;
  std::size_t alike = 0;
  for (std::size_t i = 0; i < few.size(); ++i) {
    EXPECT_EQ(wider[i].substr(0, few[i].find("--set=root_port")).find(few[i].substr(0, 60)), 0U);
    const auto drawn = [&](const std::string& key) {
      return few[i].substr(few[i].find(key + "=") + key.size() + 1, 1);
    };
    alike += drawn("gpu.cores") == drawn("gpu.warps") ? 1 : 0;
    std::istringstream words(few[i]);
    for (std::string word; words >> word;) {
      const std::size_t at = word.rfind('=');
      if (word.starts_with("--set=")) ++seen[word.substr(6, at - 6)][word.substr(at + 1)];
    }
  }
  std::set<std::string> cores, mshrs;
  for (const auto& [text, count] : seen["gpu.cores"]) cores.insert(text);
  for (const auto& [text, count] : seen["endpoint.mshrs"]) mshrs.insert(text);
  EXPECT_EQ(cores, (std::set<std::string>{"2", "3", "4", "5"}));
  EXPECT_EQ(mshrs, (std::set<std::string>{"16", "32", "64", "128", "256"})) << "powers of two";
  EXPECT_EQ(seen["root_port.policy"].size(), 2U);
  int small = 0;
  for (const auto& [text, count] : seen["link.bit_error_rate_s2m"]) {
    const double rate = std::stod(text);
    EXPECT_GE(rate, 1e-9);
    EXPECT_LE(rate, 1e-5);
    small += rate < 1e-7 ? count : 0;
  }
  EXPECT_GT(small, 10) << "as many in each decade";
  EXPECT_LT(small, 30);
  EXPECT_GT(alike, 0U);
  EXPECT_LT(alike, 20U) << "keys of one range are drawn apart";
  small = 0;
  for (const auto& [text, count] : seen["root_port.sr_queue_entries"]) {
    small += std::stoi(text) < 8 ? count : 0;
  }
  EXPECT_GT(small, 10) << "as many in each octave";
  EXPECT_LT(small, 30);
  // Where there are few values, two draws may be one point.
  write("r.yaml",
        fmt::format("scenario: vadd-dram-cxl\n{}random: {{points: 30, keys: {{link.lanes: "
                    "{{choice: [4, 8]}}}}}}\n",
                    kSmall));
  const Result result = run({"sweep", "r.yaml", "--out", "o", "--no-reports"});
  EXPECT_EQ(result.status, 0) << result.err;
  EXPECT_NE(result.out.find("2 points: 2 clean; 28 draws were another's"), std::string::npos)
      << result.out;
}

TEST_F(SweepCli, GoesOnAfterAStopAndAfterADeath) {
  write("s.yaml",
        "scenario: vadd-znand-sr\nset: {workload.size: 65536}\ngrid: {gpu.cores: [1, 2, 3, 4, 5, "
        "6]}\n");
  const auto ended = [&] {
    std::size_t count = 0;
    std::error_code error;
    for (const auto& entry : fs::directory_iterator(dir_ / "o" / "points", error)) {
      count += fs::exists(entry.path() / "exit.json") ? 1 : 0;
    }
    return count;
  };
  for (const int signal : {SIGTERM, SIGKILL}) {
    fs::remove_all(dir_ / "o");
    Setting setting;
    setting.meanwhile = [&](pid_t child) {
      while (ended() < 2) std::this_thread::sleep_for(std::chrono::milliseconds(2));
      kill(child, signal);
    };
    EXPECT_EQ(sweep("s.yaml", {"--jobs", "1"}, setting).status, 128 + signal);
    const std::size_t before = ended();
    ASSERT_GE(before, 2U);
    ASSERT_LT(before, 6U);
    if (signal == SIGTERM) {
      EXPECT_EQ(one("select count(*) from points where status = 'missing'"),
                std::to_string(6 - before));
      EXPECT_EQ(page().at("points").size(), 6U);
      for (const std::string& name : files()) {
        EXPECT_EQ(name.find(".part"), std::string::npos) << "a file that is not whole";
      }
      std::size_t folders = 0;
      for (const auto& entry : fs::directory_iterator(dir_ / "o" / "points")) {
        folders += fs::exists(entry.path() / "log") ? 1 : 0;
      }
      EXPECT_EQ(folders, before) << "what was not ended is not there";
    }
    const Result last = run({"sweep", "s.yaml", "--out", "o", "--no-reports"});
    EXPECT_EQ(last.status, 0) << last.err;
    EXPECT_NE(last.out.find(fmt::format("6 points: 6 clean; {} from before", before)),
              std::string::npos)
        << last.out;
  }
}

TEST_F(SweepCli, RunsAgainOnlyWhatIsAnotherPoint) {
  write("t.csv", "cycle,rw,addr,bytes\n0,R,0x0,64\n");
  const std::string head = "scenario: vadd-dram-cxl\ntrace: t.csv\n";
  write("a.yaml", head + "grid: {link.lanes: [4, 8]}\n");
  const auto reused = [&] {
    const std::string out = run({"sweep", "a.yaml", "--out", "o", "--no-reports"}).out;
    const std::size_t at = out.find(" from before");
    return at == std::string::npos ? 0 : std::stoi(out.substr(out.rfind("; ", at) + 2));
  };
  EXPECT_EQ(reused(), 0);
  EXPECT_EQ(reused(), 2);
  write("a.yaml", head + "grid: {link.lanes: [8, 16]}\n");
  EXPECT_EQ(reused(), 1) << "of the same setting";
  EXPECT_EQ(one("select count(*) from wide"), "2") << "what the file has no more is not shown";
  write("t.csv", "cycle,rw,addr,bytes\n0,R,0x40,64\n");
  EXPECT_EQ(reused(), 0) << "another trace of that name";
  write("a.yaml", head + "set: {gpu.cores: 2}\ngrid: {link.lanes: [8, 16]}\n");
  EXPECT_EQ(reused(), 0);
  EXPECT_EQ(reused(), 2);
}

TEST_F(SweepCli, APointThatIsNotCleanIsKeptWithItsLog) {
  write("f.yaml",
        "scenario: vadd-znand-sr\ngrid:\n  run.limit_us: [1, 1000]\n"
        "  workload.size: [4096, 536870912]\n");
  const Result result = sweep("f.yaml", {"--csv", "t.csv"});
  EXPECT_EQ(result.status, 1);
  EXPECT_EQ(lines_of(result.err).size(), 1U) << result.err;
  EXPECT_NE(result.err.find("point 1 is limit: "), std::string::npos) << result.err;
  const Rows points = rows("select status, exit, message, log, id from points order by number");
  ASSERT_EQ(points.size(), 4U);
  EXPECT_EQ(points[0][0] + points[0][1], "limit3");
  EXPECT_EQ(points[1][0] + points[1][1], "failed2");
  EXPECT_EQ(points[2][0] + points[2][1], "clean0");
  EXPECT_NE(points[0][2].find("raise run.limit_us"), std::string::npos) << points[0][2];
  EXPECT_NE(points[1][2].find("workload"), std::string::npos) << points[1][2];
  EXPECT_EQ(lines_of(read_text(dir_ / "o" / points[1][3])).size(), 1U);
  ASSERT_NE(points[1][2].find(','), std::string::npos) << points[1][2];
  EXPECT_TRUE(lines_of(read_text(dir_ / "t.csv")).at(2).ends_with(",\"'" + points[1][2] + "\""));
  const json data = page();
  EXPECT_EQ(data.at("points").at(1).at(1), "failed");
  const auto time = [&] { return fs::last_write_time(dir_ / "o" / points[1][3]); };
  const auto first = time();
  EXPECT_EQ(sweep("f.yaml").status, 1);
  EXPECT_EQ(time(), first) << "kept";
  EXPECT_EQ(sweep("f.yaml", {"--retry-failed"}).status, 1);
  EXPECT_GT(time(), first) << "run again";
  EXPECT_EQ(one("select count(*) from results where point = '" + points[1][4] + "'"), "0");
}

// What a log ends with is what went wrong, however much stands before it.
TEST_F(SweepCli, TheLastLineOfALogIsItsMessage) {
  fs::create_directories(dir_ / "points" / "a");
  const PointFolder folder(dir_, "a");
  EXPECT_EQ(folder.last_words(), "");
  for (const char* text : {"it", "first\nit", "first\nsecond\nit\n", "first\r\nit\r\n\r\n"}) {
    write("points/a/log", text);
    EXPECT_EQ(folder.last_words(), "it") << text;
  }
}

// A point that is run again may leave no results: those from before are not its own.
TEST_F(SweepCli, APointThatIsForgottenHasNoFigures) {
  fs::create_directories(dir_ / "points" / "a");
  write("points/a/stats.json", R"({"end_to_end": {"value": 7, "unit": "ns"}})");
  SweepPlan plan;
  plan.points.emplace_back().id = "a";
  SweepStore store(dir_ / "sweep.sqlite");
  store.begin(plan, "a command");
  EXPECT_EQ(store.record("a", PointFolder(dir_, "a"), {3, 1, "a version"}), "limit");
  EXPECT_EQ(one("select value from results", "."), "7");
  store.forget("a");
  EXPECT_EQ(store.status("a"), "missing");
  EXPECT_EQ(one("select count(*) from results", "."), "0");
}

TEST_F(SweepCli, NamesFromOutsideAreNothingElse) {
  write(kHostile, "cycle,rw,addr,bytes\n0,R,0x0,64\n");
  write("=cmd", "cycle,rw,addr,bytes\n0,R,0x0,64\n");
  json yaml = {{"scenario", "vadd-dram-cxl"},
               {"trace", {kHostile, "=cmd"}},
               {"objective", kHostile},
               {"title", kHostile}};
  write("h'\"<b>;.yaml", yaml.dump());
  const Result result = run({"sweep", "h'\"<b>;.yaml", "--out", "a b;'\"<i>", "--csv", "=t.csv"});
  EXPECT_EQ(result.status, 0) << result.err;
  EXPECT_EQ(lines_of(result.err).size(), 2U) << "the objective is none: " << result.err;
  EXPECT_FALSE(fs::exists(dir_ / "hacked"));
  const std::string out = "a b;'\"<i>";
  EXPECT_EQ(rows("select trace, status from points order by number", out),
            (Rows{{kHostile, "clean"}, {"=cmd", "clean"}}));
  EXPECT_EQ(rows("select trace, objective from wide", out), (Rows{{kHostile, ""}, {"=cmd", ""}}));
  EXPECT_EQ(page(out).at("title"), kHostile);
  const std::string html = read_text(dir_ / out / "sweep.html");
  EXPECT_EQ(html.find("<script>alert"), std::string::npos);
  EXPECT_EQ(html.find("<!-- ;"), std::string::npos);
  const std::string csv = read_text(dir_ / "=t.csv");
  EXPECT_NE(csv.find(",clean,\"'" + std::string("=a'\"\"<script>")), std::string::npos);
  EXPECT_NE(csv.find(",clean,'=cmd,"), std::string::npos);
  // A shell takes the command back.
  const std::string command = one("select command from points where number = 1", out);
  const std::string echo = "cd '" + dir_.string() + "' && printf '%s\\n' " + command + " > words";
  ASSERT_EQ(std::system(echo.c_str()), 0);
  EXPECT_EQ(lines_of(read_text(dir_ / "words")).back(), "--trace=" + kHostile);
  EXPECT_FALSE(fs::exists(dir_ / "hacked"));
}

TEST(SweepTables, CellsAreNoFormulas) {
  EXPECT_EQ(csv_cell("=1+1"), "'=1+1");
  EXPECT_EQ(csv_cell("@SUM(A1)"), "'@SUM(A1)");
  EXPECT_EQ(csv_cell("+cmd|' /C calc'!A0"), "'+cmd|' /C calc'!A0");
  EXPECT_EQ(csv_cell("-2"), "-2") << "a number";
  EXPECT_EQ(csv_cell("-2+3"), "'-2+3");
  EXPECT_EQ(csv_cell("\ta"), "'\ta");
  EXPECT_EQ(csv_cell("a,\"b\""), "\"a,\"\"b\"\"\"");
  EXPECT_EQ(csv_cell("=a,\"b\""), "\"'=a,\"\"b\"\"\"");
}

TEST_F(SweepCli, ASecondSweepInAFolderIsRefused) {
  write("s.yaml",
        "scenario: vadd-znand-sr\nset: {workload.size: 262144}\ngrid: {gpu.cores: [1, 2]}\n");
  Setting setting;
  setting.meanwhile = [&](pid_t child) {
    while (!fs::exists(dir_ / "o" / "sweep.sqlite")) {
      std::this_thread::sleep_for(std::chrono::milliseconds(2));
    }
    const std::string command =
        "cd '" + dir_.string() + "' && '" CXLGPU_BINARY "' sweep s.yaml --out o 2> second";
    const int status = std::system(command.c_str());
    EXPECT_EQ(WEXITSTATUS(status), 2);
    EXPECT_NE(read_text(dir_ / "second").find("o: another sweep runs in it"), std::string::npos);
    kill(child, SIGINT);
  };
  EXPECT_EQ(sweep("s.yaml", {"--jobs", "1"}, setting).status, 130);
}

TEST_F(SweepCli, BadFilesAreRefusedBeforeAnythingRuns) {
  const std::string head = "scenario: vadd-dram-cxl\n";
  bad("", {"bad.yaml: is empty"});
  bad("grid: {link.lanes: [4]}\n", {"bad.yaml: ", "has no scenario"});
  bad(head + "grids: {link.lanes: [4]}\n", {"bad.yaml:2: ", "'grids'", "did you mean grid?"});
  bad(head + "link.lanes: [4]\n", {"bad.yaml:2: ", "give it under set, grid"});
  bad(head + "grid: {link.lane: [4]}\n", {"bad.yaml:2: ", "did you mean link.lanes?"});
  bad(head + "grid: {link.lanes: [4, 3]}\n", {"bad.yaml:2: ", "link.lanes", "3"});
  bad(head + "grid: {link.lanes: []}\n", {"bad.yaml:2: ", "empty list"});
  bad(head + "grid: {}\n", {"bad.yaml:2: ", "'grid'", "is empty"});
  bad(head + "grid: {link.lanes: 4}\n", {"bad.yaml:2: ", "is no list"});
  bad(head + "grid: {link.lanes: [4, 4]}\n", {"bad.yaml:2: ", "has '4' twice"});
  bad(head + "grid: {link.lanes: [4]}\nlist: [{link.lanes: 4}]\n", {"stands beside grid"});
  bad(head + "set: {link.lanes: 8}\ngrid: {link.lanes: [4]}\n",
      {"bad.yaml:3: ", "is given at bad.yaml:2 too"});
  bad(head + "list: []\n", {"bad.yaml:2: ", "no list of points"});
  bad(head + "list: [{link.lanes: 4}, {link.lanes: 4}]\n", {"point link.lanes=4 is there twice"});
  bad(head + "engine: modell\n", {"bad.yaml:2: ", "engine", "modell"});
  bad(head + "machine: [scaled, big]\n", {"machine=big", "'big' is not known"});
  bad(head + "seed: [1, x]\n", {"bad.yaml:2: ", "'x'"});
  bad("scenario: [vadd-dram-cxl, vad-dram-cxl]\n", {"'vad' is not known; did you mean vadd?"});
  bad(head + "set: {run.seed: 3}\n", {"bad.yaml:2: ", "give it as seed"});
  bad(head + "trace: none.csv\n", {"bad.yaml:2: ", "none.csv", "not a file"});
  bad(head + "better: more\n", {"bad.yaml:2: ", "better"});
  bad(head + "title: \"a\\nb\"\n", {"bad.yaml:2: ", "control character"});
  bad(head + "grid:\n  link.lanes: [4]\n  link.lanes: [8]\n", {"bad.yaml:4: ", "given twice"});
  bad(head + "grid: [\n", {"bad.yaml:", "(syntax)"});
  bad(head + "random: {keys: {link.lanes: {choice: [4]}}}\n", {"does not say how many"});
  bad(head + "random: {points: 0, keys: {link.lanes: {choice: [4]}}}\n", {"points", "0"});
  bad(head + "random: {points: 3}\n", {"has no keys"});
  const auto drawn = [&](const std::string& key, const std::vector<std::string>& parts) {
    bad(head + "random: {points: 3, keys: {" + key + "}}\n", parts);
  };
  drawn("gpu.cores: [1, 2]", {"gpu.cores", "is no map"});
  drawn("gpu.cores: {uniform: [1, 2]}", {"no way to draw", "int, real, log, choice"});
  drawn("gpu.cores: {int: [3, 1]}", {"ends below its beginning"});
  drawn("gpu.cores: {int: [1]}", {"takes two values"});
  drawn("gpu.cores: {int: [1, 100000]}", {"gpu.cores", "100000"});
  drawn("gpu.cores: {real: [1, 2]}", {"whole number"});
  drawn("endpoint.mshrs: {int: [17, 30]}", {"takes no value from 17 to 30"});
  drawn("root_port.policy: {int: [1, 2]}", {"draw it with 'choice'"});
  drawn("link.bit_error_rate_s2m: {log: [0, 1e-6]}", {"no logarithm at 0"});
  std::string many;
  for (int i = 1; i <= 400; ++i) many += (i == 1 ? "" : ", ") + std::to_string(i);
  bad(head + "seed: [" + many + "]\ngrid: {workload.size: [" + many + "]}\n",
      {"more than 100000 points"});
  const Args more = {"--jobs", "0"};
  bad(head, {"--jobs"}, more);
  write("ok.yaml", head + kSmall);
  refused({"sweep", "ok.yaml"}, {"give --out DIR"});
  refused({"sweep", "none.yaml", "--out", "o"}, {"none.yaml", "not a file"});
  refused({"sweep", "ok.yaml", "--out", "ok.yaml"}, {"ok.yaml: is no folder"});
  refused({"sweep", "ok.yaml", "--out", "o", "--cluster", "pbs"}, {"--cluster"});
  refused({"sweep", "ok.yaml", "--out", "o", "--sbatch=--x"}, {"--sbatch"});
  // What stands in a script of a cluster, or in its command line, is one plain word.
  const Args slurm = {"sweep", "ok.yaml", "--cluster", "slurm", "--out"};
  const auto on_slurm = [&](const Args& more, const std::vector<std::string>& parts) {
    Args args = slurm;
    args.insert(args.end(), more.begin(), more.end());
    refused(args, parts);
  };
  for (const char* folder : {"a b", "a;b", "a$(touch hacked)", "a'b", "<script>"}) {
    on_slurm({folder}, {folder, "choose another --out"});
  }
  for (const char* option : {"--x;touch hacked", "--x y", "--x=`id`", "x", "--x='1'"}) {
    on_slurm({"o", std::string("--sbatch=") + option}, {option, "is no option in one word"});
  }
  fs::create_directory(dir_ / "o");
  write("o/sweep.sqlite", "no database");
  const Result result = sweep("ok.yaml");
  EXPECT_EQ(result.status, 2);
  EXPECT_EQ(lines_of(result.err).size(), 1U) << result.err;
  EXPECT_NE(result.err.find("o/sweep.sqlite: "), std::string::npos) << result.err;
}

}  // namespace
}  // namespace cxlgpu
