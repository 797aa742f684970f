// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
// Where results go: pipes, links, the command's own output, and runs that end before their time.
#include <fcntl.h>
#include <fmt/format.h>
#include <signal.h>
#include <sys/stat.h>

#include <chrono>
#include <random>
#include <thread>

#include "cli/event_log.hpp"
#include "cli/row_file.hpp"
#include "common/request.hpp"
#include "tests/cli/cli.hpp"

namespace cxlgpu {
namespace {

class Output : public Cli {
 protected:
  static Args small(Args more, const std::string& engine = "model") {
    Args args = {"run", "vadd-dram-cxl", "--engine", engine, "--set", "workload.size=512"};
    args.insert(args.end(), more.begin(), more.end());
    return args;
  }
  // What a reader of the pipe `name` gets while the command writes it.
  std::string piped(const std::string& name, const Args& args) {
    EXPECT_EQ(mkfifo((dir_ / name).c_str(), 0600), 0);
    std::string text;
    std::thread reader([&] { text = read_text(dir_ / name); });
    accepted(args);
    reader.join();
    EXPECT_TRUE(fs::is_fifo(dir_ / name));
    return text;
  }
  // The signal comes `settle` after `sign` is there: the kernel runs by then, on a loaded machine
  // too.
  Result interrupted(const Args& args, int signal, const std::string& sign,
                     std::chrono::milliseconds settle = std::chrono::milliseconds(300)) {
    return run(args, "", {.meanwhile = [&](pid_t child) {
                 for (int i = 0; i < 1000 && !fs::exists(dir_ / sign); ++i) {
                   std::this_thread::sleep_for(std::chrono::milliseconds(20));
                 }
                 std::this_thread::sleep_for(settle);
                 kill(child, signal);
               }});
  }
  // Of some minutes in any engine.
  static Args long_run(Args more, const std::string& engine = "model") {
    Args args = {"run",   "sort-znand-cxl",       "--engine", engine,
                 "--set", "workload.size=262144", "--out",    "o"};
    args.insert(args.end(), more.begin(), more.end());
    return args;
  }
};

// Lengths of every kind, at their bounds and at random.
TEST_F(Output, NumbersOfRowsAreWhatTheyAreElsewhere) {
  std::mt19937_64 random(1);
  std::vector<std::uint64_t> numbers = {0, ~std::uint64_t{0}};
  for (std::uint64_t power = 1; power < 10'000'000'000'000'000'000ULL; power *= 10) {
    numbers.insert(numbers.end(), {power - 1, power, power + 1, 10 * (power - 1) + 9});
  }
  for (int i = 0; i < 20000; ++i) numbers.push_back(random() >> random() % 64);
  std::string expected = "decimal,hexadecimal,text\n";
  RowFile file((dir_ / "rows.csv").string(), "decimal,hexadecimal,text");
  for (const std::uint64_t number : numbers) {
    RowFile::Row row = file.row();
    row.number(number);
    row.hexadecimal(number);
    row.text("t");
    file.end(row);
    expected += fmt::format("{},{:#x},t\n", number, number);
  }
  file.close();
  EXPECT_EQ(read_text(dir_ / "rows.csv"), expected);
}

// Of every stage, port and length of a cell; ids that share a place; times that go back.
TEST_F(Output, RowsOfEventsAreWhatTheyAreElsewhere) {
  struct Next : TraceSink {
    std::vector<TraceEvent> events;
    void on_event(const TraceEvent& event) override { events.push_back(event); }
  } next;
  std::mt19937_64 random(1);
  const std::array<std::uint64_t, 4> ids = {3, 3 + 1024, kRootPortIds, 0xffff'ffff};
  std::string expected = "time_ps,stage,port,id,addr,info\n";
  EventLog log;
  log.hand_to(next);
  log.open((dir_ / "e.csv").string());
  std::uint64_t ps = 0;
  for (int i = 0; i < 40'000; ++i) {
    ps += i < 1000 ? random() % 3000 : random() >> (24 + random() % 40);
    const TraceEvent event = {
        .at = Time{i % 7 == 0 ? ps / 2 : ps},
        .stage = static_cast<Stage>(random() % static_cast<std::size_t>(Stage::Count)),
        .port = static_cast<std::uint8_t>(random() % 3 == 0 ? random() : random() % 2),
        .id = static_cast<std::uint32_t>(random() % 2 == 0 ? ids[random() % 4] : random() % 64),
        .addr = random() % 4 == 0 ? 0 : random() >> random() % 64,
        .info = static_cast<std::uint32_t>(random() >> (32 + random() % 32))};
    log.on_event(event);
    expected += fmt::format("{},{},{},{},{:#x},{}\n", event.at.ps,
                            kStageNames[static_cast<std::size_t>(event.stage)], event.port,
                            event.id, event.addr, event.info);
  }
  log.close();
  const std::vector<std::string> rows = lines_of(read_text(dir_ / "e.csv")),
                                 right = lines_of(expected);
  ASSERT_EQ(rows.size(), right.size());
  for (std::size_t i = 0; i < rows.size(); ++i) ASSERT_EQ(rows[i], right[i]) << i;
  EXPECT_EQ(next.events.size(), 40'000u) << "each is handed on";
}

TEST_F(Output, PipesAreWrittenThrough) {
  accepted(small({"--events", "e.csv", "--flit-log", "f.log"}, "rtl"));
  EXPECT_EQ(piped("pipe.csv", small({"--events", "pipe.csv"}, "rtl")), read_text(dir_ / "e.csv"));
  EXPECT_EQ(piped("pipe.log", small({"--flit-log", "pipe.log"}, "rtl")), read_text(dir_ / "f.log"));
  fs::create_directory(dir_ / "o");
  EXPECT_NE(piped("o/stats.json", small({"--out", "o"})).find("\"schema\""), std::string::npos);
}

TEST_F(Output, DevicesAndOwnOutputAreWrittenThrough) {
  accepted(small({"--events", "/dev/null", "--flit-log", "/dev/null"}, "rtl"));
  EXPECT_TRUE(fs::is_character_file("/dev/null"));
  accepted(small({"--events", "e.csv"}));
  const std::string events = read_text(dir_ / "e.csv");
  const Result both = accepted(small({"--events", "/dev/stdout"}));
  EXPECT_TRUE(both.out.starts_with(events)) << both.out.substr(0, 200);
  EXPECT_NE(both.out.find("end-to-end time"), std::string::npos);
}

TEST_F(Output, LinksAreFollowed) {
  fs::create_directory(dir_ / "there");
  write("there/old.csv", "old");
  fs::permissions(dir_ / "there/old.csv", fs::perms(0640));
  fs::create_symlink("there/old.csv", dir_ / "link.csv");
  fs::create_symlink("there/new.csv", dir_ / "fresh.csv");
  accepted(small({"--events", "e.csv"}));
  for (const char* link : {"link.csv", "fresh.csv"}) {
    accepted(small({"--events", link}));
    EXPECT_TRUE(fs::is_symlink(dir_ / link));
    EXPECT_EQ(read_text(dir_ / link), read_text(dir_ / "e.csv"));
  }
  EXPECT_FALSE(fs::is_symlink(dir_ / "there/new.csv"));
  EXPECT_EQ(fs::status(dir_ / "there/old.csv").permissions(), fs::perms(0640));
}

TEST_F(Output, AReaderThatLeavesEndsTheCommandQuietly) {
  accepted({"run", "vadd-dram-cxl", "--engine", "rtl", "--set", "workload.size=8192", "--flit-log",
            "f.log"});
  ASSERT_EQ(mkfifo((dir_ / "pipe").c_str(), 0600), 0);
  std::thread reader([&] {
    char first = 0;
    const int pipe = open((dir_ / "pipe").c_str(), O_RDONLY);
    EXPECT_EQ(read(pipe, &first, 1), 1);
    close(pipe);
  });
  const Result result = run({"flit", "decode", "f.log"}, "", {.out = (dir_ / "pipe").string()});
  reader.join();
  EXPECT_EQ(result.status, 128 + SIGPIPE);
  EXPECT_EQ(result.err, "");
}

TEST_F(Output, ASignalKeepsWhatWasMeasured) {
  for (const int signal : {SIGINT, SIGTERM}) {
    const Result result = interrupted(long_run({"--events", "e.csv"}), signal, "e.csv.part");
    EXPECT_EQ(result.status, 128 + signal);
    ASSERT_EQ(lines_of(result.err).size(), 1u) << result.err;
    EXPECT_NE(result.err.find("interrupted at"), std::string::npos) << result.err;
    EXPECT_NE(result.err.find("1 kernel unfinished"), std::string::npos) << result.err;
    EXPECT_NE(result.out.find("interrupted"), std::string::npos);
    const json s = stats();
    EXPECT_EQ(s.at("status"), "interrupted");
    EXPECT_EQ(s.at("unfinished").at("why"), "interrupted");
    EXPECT_GT(value(s, "/checks/reads_checked"), 0);
    EXPECT_GT(value(s, "/gpu/cycles"), 0);
    EXPECT_GT(value(s, "/gpu/occupancy"), 0);
    EXPECT_TRUE(fs::exists(dir_ / "o/report.html"));
    const std::vector<std::string> events = lines_of(read_text(dir_ / "e.csv"));
    ASSERT_GT(events.size(), 100u);
    EXPECT_EQ(std::count(events.back().begin(), events.back().end(), ','), 5) << "a whole row";
    EXPECT_FALSE(fs::exists(dir_ / "e.csv.part"));
    fs::remove_all(dir_ / "o");
    fs::remove(dir_ / "e.csv");
  }
}

// The first signal, however long its trace may still be in coming; a line that has come in part is
// none. Compressed data is then cut, which is no fault.
TEST_F(Output, ASignalEndsTheWaitForATrace) {
  write_gzip(dir_ / "t.gz", "0,R,0x0,64\n5,W,0x40,64\n9,R,0x80,64\n");
  for (const std::string& text :
       {std::string("0,R,0x0,64\n5,W,0x40,64\n9,R,0x"), read_text(dir_ / "t.gz").substr(0, 30)}) {
    const std::string name = (base_ / "pipe").string();
    ASSERT_EQ(mkfifo(name.c_str(), 0600), 0);
    const int pipe = open(name.c_str(), O_RDWR | O_CLOEXEC);
    ASSERT_EQ(::write(pipe, text.data(), text.size()), static_cast<ssize_t>(text.size()));
    const auto begun = std::chrono::steady_clock::now();
    const Result result =
        run({"run", "vadd-dram-cxl", "--engine", "model", "--trace", "-", "--out", "o", "--events",
             "e.csv"},
            "",
            {.before = [name] { (void)!freopen(name.c_str(), "r", stdin); },
             .meanwhile =
                 [&](pid_t child) {
                   for (int i = 0; i < 1000 && !fs::exists(dir_ / "e.csv.part"); ++i) {
                     std::this_thread::sleep_for(std::chrono::milliseconds(20));
                   }
                   std::this_thread::sleep_for(std::chrono::milliseconds(300));
                   kill(child, SIGINT);
                 }});
    EXPECT_LT(std::chrono::steady_clock::now() - begun, std::chrono::seconds(30));
    close(pipe);
    fs::remove(name);
    EXPECT_EQ(result.status, 130) << result.err;
    ASSERT_EQ(lines_of(result.err).size(), 1u) << result.err;
    EXPECT_NE(result.err.find("interrupted at"), std::string::npos) << result.err;
    EXPECT_EQ(stats().at("status"), "interrupted");
    fs::remove_all(dir_ / "o");
    fs::remove(dir_ / "e.csv");
  }
}

TEST_F(Output, ASignalOfACosimLeavesWholeFiles) {
  const Result result = interrupted(
      long_run({"--flit-log", "f.gz", "--waves", "w.fst", "--waves-to-us", "1"}, "cosim"), SIGINT,
      "w.fst.part", std::chrono::seconds(2));
  EXPECT_EQ(result.status, 130) << result.err;
  EXPECT_EQ(lines_of(result.err).size(), 1u) << result.err;
  EXPECT_EQ(stats().at("status"), "interrupted");
  for (const std::string& name : files()) EXPECT_EQ(name.find(".part"), std::string::npos) << name;
  EXPECT_TRUE(fs::exists(dir_ / "w.gtkw"));
  EXPECT_EQ(run({"flit", "decode", "f.gz"}).status, 0);
}

// What a limit ends is no verdict: the case of a trace whose clock began elsewhere.
TEST_F(Output, ALateTraceReachesTheLimit) {
  const std::string trace = std::string(CXLGPU_SOURCE_DIR) + "/tests/cli/cases/late_trace.csv";
  const Result result =
      run({"run", "vadd-dram-cxl", "--engine", "model", "--trace", trace, "--out", "o"});
  EXPECT_EQ(result.status, 3);
  ASSERT_EQ(lines_of(result.err).size(), 1u) << result.err;
  for (const char* part : {"run.limit_us", "1000000 us", "0 requests unanswered",
                           "2 of the trace never issued", "cycle 5000000000", "raise"}) {
    EXPECT_NE(result.err.find(part), std::string::npos) << part << "\n" << result.err;
  }
  EXPECT_EQ(result.out.find("WRONG"), std::string::npos) << result.out;
  const json s = stats();
  EXPECT_EQ(s.at("status"), "limit reached");
  EXPECT_EQ(value(s, "/unfinished/never_issued"), 2);
  EXPECT_EQ(value(s, "/unfinished/unanswered"), 0);
  EXPECT_EQ(read_text(dir_ / "o/report.html").find("WRONG"), std::string::npos);
  accepted({"run", "vadd-dram-cxl", "--engine", "model", "--trace", trace, "--set",
            "run.limit_us=6000000"});
}

TEST_F(Output, TheLimitOfPagedRuns) {
  for (const std::string config : {"uvm", "gds", "gpu-dram"}) {
    const Result result = run({"run", "vadd-znand-" + config, "--set", "run.limit_us=3", "--set",
                               "workload.size=65536", "--out", config});
    EXPECT_EQ(result.status, 3) << result.err;
    EXPECT_EQ(lines_of(result.err).size(), 1u) << result.err;
    EXPECT_NE(result.err.find("1 kernel unfinished"), std::string::npos) << result.err;
    EXPECT_EQ(stats(config).at("status"), "limit reached");
    EXPECT_GT(value(stats(config), "/gpu/occupancy"), 0);
    EXPECT_GT(value(stats(config), "/gpu/ipc"), 0);
  }
  write("t.csv", "0,R,0x0,64\n9000000,R,0x1000,64\n");
  const Result trace = run(
      {"run", "vadd-znand-uvm", "--set", "run.limit_us=5000", "--trace", "t.csv", "--out", "o"});
  EXPECT_EQ(trace.status, 3) << trace.err;
  EXPECT_EQ(value(stats(), "/unfinished/never_issued"), 1);
  EXPECT_EQ(value(stats(), "/checks/reads_checked"), 1);
}

TEST_F(Output, TheDefaultLimitFitsTheConfiguration) {
  const auto limit = [this](const Args& args) {
    accepted(args);
    return stats().at("config").at("run").at("limit_us").get<std::uint64_t>();
  };
  EXPECT_EQ(limit(small({"--out", "o"})), 1'000'000u);
  EXPECT_EQ(limit(small({"--out", "o", "--set", "run.limit_us=5000"})), 5000u);
  EXPECT_EQ(limit({"run", "vadd-dram-uvm", "--set", "workload.size=512", "--out", "o"}),
            1'000'000'000u);
}

TEST_F(Output, ResultsSayWhatMadeThem) {
  const Result plain = accepted(small({}));
  EXPECT_NE(plain.out.find("--out DIR"), std::string::npos) << plain.out;
  const Result result = accepted(small({"--out", "o", "--set", "gpu.cores=4"}));
  EXPECT_NE(result.out.find("o/report.html"), std::string::npos) << result.out;
  const json s = stats();
  EXPECT_NE(s.at("command").get<std::string>().find("--set gpu.cores=4"), std::string::npos);
  EXPECT_EQ(s.at("config").at("gpu").at("cores"), 4);
  EXPECT_EQ(s.at("config").at("gpu").at("scheduler"), "lrr");
  EXPECT_EQ(s.at("config").at("root_port").at("policy"), "off");
  EXPECT_EQ(s.at("config").at("link").at("bit_error_rate_m2s"), 0.0);
  EXPECT_EQ(s.at("config").at("endpoint").at("egress_percent"), json({10, 25}));
  EXPECT_EQ(s.at("config").at("hdm").at("ranges").at(0).at("base"), "0x100000000");
  // Every key that there is, and what the report shows.
  for (const std::string& key : keys()) {
    std::string path = "/" + key;
    std::replace(path.begin(), path.end(), '.', '/');
    EXPECT_TRUE(s.at("config").contains(json::json_pointer(path))) << key;
  }
  const std::string version = accepted({"--version"}).out;
  EXPECT_EQ(version, "cxlgpu " + s.at("version").at("project").get<std::string>() + " (" +
                         s.at("version").at("commit").get<std::string>() + ")\n");
  // The page is drawn from the same (report_browser.py looks at what it shows).
  const std::string report = read_text(dir_ / "o/report.html"), mark = "application/json\">";
  const std::size_t from = report.find(mark) + mark.size();
  const json data = json::parse(report.substr(from, report.find("</script>", from) - from));
  for (const char* part : {"command", "version", "config"}) {
    EXPECT_EQ(data.at("runs").at(0).at("stats").at(part), s.at(part)) << part;
  }
}

// What stats.json has of the configuration makes the same run.
TEST_F(Output, TheConfigurationOfResultsCanBeGivenBack) {
  accepted({"run", "bfs-znand-stream", "--engine", "model", "--set", "workload.size=512", "--set",
            "gpu.machine=vortex", "--set", "gpu.cores=2", "--out", "a"});
  const json config = stats("a").at("config");
  write("again.yaml", config.dump());  // JSON is YAML
  accepted({"run", "again.yaml", "--engine", "model", "--out", "b"});
  EXPECT_EQ(stats("b").at("config"), config);
  EXPECT_EQ(stats("b").at("end_to_end"), stats("a").at("end_to_end"));
}

}  // namespace
}  // namespace cxlgpu
