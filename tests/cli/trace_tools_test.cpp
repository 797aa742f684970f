// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
// Traces as they come: compressed, from pipes, too long for memory; what `cxlgpu trace` says and
// makes of them; requests and events that a run writes.
//
// Purpose: tests/cli/cases/trace.csv, and what gzip, zstd, xz and bzip2 themselves made of it. A
//          limit of the address space is the witness of how much memory a command takes.
#include <fcntl.h>
#include <sys/resource.h>
#include <sys/stat.h>

#include <array>
#include <atomic>
#include <chrono>
#include <thread>

#include "flits/compressed_file.hpp"
#include "tests/cli/cli.hpp"

namespace cxlgpu {
namespace {

constexpr std::array<const char*, 4> kEndings = {".gz", ".zst", ".xz", ".bz2"};
constexpr std::array<const char*, 4> kTools = {"gzip", "zstd", "xz", "bzip2"};

std::string case_text(const std::string& name) {
  return read_text(fs::path(CXLGPU_SOURCE_DIR) / "tests/cli/cases" / name);
}

class Traces : public Cli {
 protected:
  Traces() {
    for (const char* ending : {"", ".gz", ".zst", ".xz", ".bz2"}) {
      write(std::string("t.csv") + ending, case_text(std::string("trace.csv") + ending));
    }
  }
  static Args replay(const std::string& trace, Args more = {}) {
    Args args = {"run", "vadd-znand-sr", "--engine", "model", "--trace", trace};
    args.insert(args.end(), more.begin(), more.end());
    return args;
  }
  // Figures alone: not what made them, nor how long it took here.
  json figures(const Args& args) {
    Args all = args;
    all.insert(all.end(), {"--out", "figures"});
    accepted(all);
    json s = stats("figures");
    for (const char* key : {"command", "config", "wall_time", "wall"}) s.erase(key);
    for (auto it = s.begin(); it != s.end();) {
      it = it.key().find("wall") != std::string::npos ? s.erase(it) : std::next(it);
    }
    return s;
  }
  json info(const std::string& trace) {
    return json::parse(accepted({"trace", "info", trace, "--json"}).out);
  }
  // With no more than so much address space.
  Result limited(const Args& args, std::uint64_t mebibytes) {
    const std::uint64_t bytes = mebibytes << 20;
    return run(args, "", {.before = [bytes] {
                 const rlimit limit{bytes, bytes};
                 setrlimit(RLIMIT_AS, &limit);
               }});
  }
  // What the command gets of `text` from a pipe, not from a file.
  Result piped(const Args& args, const std::string& text) {
    EXPECT_EQ(mkfifo((base_ / "pipe").c_str(), 0600), 0);
    std::thread writer([&] {
      const int pipe = open((base_ / "pipe").c_str(), O_WRONLY);
      (void)!::write(pipe, text.data(), text.size());
      close(pipe);
    });
    const std::string name = (base_ / "pipe").string();
    const Result result =
        run(args, "", {.before = [name] { (void)!freopen(name.c_str(), "r", stdin); }});
    writer.join();
    fs::remove(base_ / "pipe");
    return result;
  }
};

TEST_F(Traces, CompressedByTheirTools) {
  const json plain = figures(replay("t.csv"));
  EXPECT_EQ(value(plain, "/checks/reads_checked"), 8);
  EXPECT_EQ(value(plain, "/checks/writes_sent"), 3);
  for (std::size_t i = 0; i < kEndings.size(); ++i) {
    const std::string name = std::string("t.csv") + kEndings[i];
    SCOPED_TRACE(name);
    EXPECT_EQ(figures(replay(name)), plain);
    EXPECT_EQ(info(name).at("compression"), kTools[i]);
    // The name does not matter, and several one behind the other are one text.
    write("other", case_text("trace.csv" + std::string(kEndings[i])) +
                       case_text("trace.csv" + std::string(kEndings[i])));
    EXPECT_EQ(value(info("other"), "/requests"), 22);
  }
  write("other", case_text("trace.csv.gz") + std::string(512, '\0'));  // of a tape's block
  EXPECT_EQ(value(info("other"), "/requests"), 11);
}

TEST_F(Traces, DamagedOrCutOrFollowedBySomething) {
  std::string text = "cycle,rw,addr,bytes\n";
  for (int i = 0; i < 3000; ++i) text += std::to_string(i * 7919 % 50021) + ",R,0x40,64\n";
  for (std::size_t i = 0; i < kEndings.size(); ++i) {
    const std::string name = std::string("x") + kEndings[i], tool = kTools[i];
    SCOPED_TRACE(name);
    flits::CompressedFile file((dir_ / name).string());
    file.write(text);
    file.publish();
    const std::string whole = read_text(dir_ / name);
    const auto refuse = [&](const std::string& bytes, const std::vector<std::string>& parts) {
      write(name, bytes);
      std::vector<std::string> all = parts;
      all.push_back(name + ":");
      refused({"trace", "info", name}, all);
      refused(replay(name, {"--out", "o", "--events", "e.csv"}), all);
      const Result result = piped(replay("-", {"--events", "e.csv"}), bytes);
      EXPECT_EQ(result.status, 2);
      EXPECT_EQ(lines_of(result.err).size(), 1u) << result.err;
      EXPECT_EQ(result.err.find("standard input:"), 0u) << result.err;
      EXPECT_FALSE(fs::exists(dir_ / "e.csv") || fs::exists(dir_ / "e.csv.part"));
    };
    EXPECT_EQ(value(info(name), "/requests"), 3000);
    refuse(whole.substr(0, whole.size() / 2), {tool + " data is cut short"});
    refuse(whole.substr(0, whole.size() - 3), {tool + " data"});
    refuse(whole + "garbage", {"follows it"});
    // A bit of the check sum, which nothing but it can tell; of xz one of the middle. Of zstd the
    // tool's file has one.
    const std::string tools = case_text("trace.csv" + std::string(kEndings[i]));
    std::string damaged = tool == "zstd" ? tools : whole;
    const std::size_t at =
        tool == "xz" ? whole.size() / 2 : damaged.size() - (tool == "zstd" ? 2 : 6);
    damaged[at] ^= 0x10;
    refuse(damaged, {tool + " data is damaged"});
  }
}

// A reader's memory does not follow what a file makes of it: 200 MB of blank lines, then a window
// of 2 GiB and a dictionary of 1 GiB, which are refused before they are made.
TEST_F(Traces, BombsStayWithinTheBound) {
  const std::string blank = std::string(1000, ' ') + '\n';
  for (const char* ending : kEndings) {
    const std::string name = std::string("bomb") + ending;
    SCOPED_TRACE(name);
    flits::CompressedFile file((dir_ / name).string());
    for (int i = 0; i < 20'000; ++i) file.write(blank);
    file.publish();
    std::string bytes;
    const std::string one = read_text(dir_ / name);
    constexpr int kTimes = 10;
    for (int i = 0; i < kTimes; ++i) bytes += one;
    write(name, bytes);
    for (const Args& args : {Args{"trace", "info", name}, replay(name)}) {
      if (args[0] == "run" && std::string(ending) != ".zst") continue;  // one is enough
      const Result result = limited(args, 160);
      EXPECT_EQ(result.status, 2) << result.err;
      EXPECT_EQ(result.err, name + ":" + std::to_string(20'000 * kTimes + 1) +
                                ": trace holds no request; give a trace that does\n");
    }
    // In one line.
    flits::CompressedFile zeros((dir_ / name).string());
    for (int i = 0; i < 20'000; ++i) zeros.write(std::string(1000, '\0'));
    zeros.publish();
    const Result result = limited({"trace", "info", name}, 192);
    EXPECT_EQ(result.err.find(name + ":1: line is longer than 4096 characters"), 0u) << result.err;
  }
  for (const std::string name : {"wide.zst", "wide.xz"}) {
    write(name, case_text(name));
    const Result result = limited({"trace", "info", name}, 192);
    EXPECT_EQ(result.status, 2);
    EXPECT_NE(result.err.find("more than 128 MiB"), std::string::npos) << result.err;
    // Behind another, too.
    write(name, case_text("trace.csv" + name.substr(4)) + case_text(name));
    EXPECT_EQ(limited({"trace", "info", name}, 192).status, 2);
  }
}

// A list of the records, 184 MB, would not fit.
TEST_F(Traces, LongOnesAreNotKept) {
  constexpr int kLines = 90'000;
  std::string text = "cycle,rw,addr,bytes\n";
  for (int i = 0; i < kLines; ++i) text += "0,R,0x" + std::to_string(i % 10) + "000,4096\n";
  write("long.csv", text);  // 64 requests a line
  const Result result = limited({"trace", "info", "long.csv", "--json"}, 192);
  ASSERT_EQ(result.status, 0) << result.err;
  EXPECT_EQ(value(json::parse(result.out), "/requests"), 64.0 * kLines);
}

// What becomes of the first requests is told before the last ones are known.
TEST_F(Traces, ReplayedAsTheyCome) {
  const auto part = [](int from) {
    std::string text;
    for (int i = from; i < from + 20'000; ++i) {
      text += std::to_string(i * 4) + ",R," + std::to_string(i % 4096 * 64) + ",64\n";
    }
    return text;
  };
  for (const char* name : {"trace", "events"}) {
    ASSERT_EQ(mkfifo((dir_ / name).c_str(), 0600), 0);
  }
  std::atomic<bool> told{false};
  bool in_time = false;
  std::size_t rows = 0;
  std::thread reader([&] {
    std::ifstream events(dir_ / "events");
    for (std::string line; std::getline(events, line); ++rows) {
      if (rows == 1) told = true;  // behind the header
    }
  });
  std::thread writer([&] {
    std::ofstream trace(dir_ / "trace");
    trace << part(0) << std::flush;
    for (int i = 0; i < 500 && !told; ++i) {
      std::this_thread::sleep_for(std::chrono::milliseconds(20));
    }
    in_time = told;
    trace << part(20'000);
  });
  const Result result = run(replay("trace", {"--events", "events", "--out", "o"}));
  writer.join();
  reader.join();
  ASSERT_EQ(result.status, 0) << result.err;
  EXPECT_TRUE(in_time);
  EXPECT_EQ(value(stats(), "/checks/reads_checked"), 40'000);
  EXPECT_GT(rows, 200'000u);
}

TEST_F(Traces, FromAPipe) {
  const json file = figures(replay("t.csv"));
  const double data = value(info("t.csv"), "/data_set");
  EXPECT_EQ(data, 0x100040);
  const std::string key = "trace.data_bytes=" + std::to_string(static_cast<int>(data));
  for (const char* ending : {"", ".gz", ".zst", ".xz", ".bz2"}) {
    const Result result = piped(replay("-", {"--set", key, "--out", "p"}),
                                case_text(std::string("trace.csv") + ending));
    ASSERT_EQ(result.status, 0) << result.err;
    EXPECT_EQ(result.err, "");
    const json s = stats("p");
    for (const char* part :
         {"loads", "stores", "end_to_end", "checks", "flits", "media", "memory"}) {
      ASSERT_TRUE(s.contains(part)) << part;
      EXPECT_EQ(s.at(part), file.at(part)) << part << " " << ending;
    }
  }
  // A file as standard input is read as a file.
  const Result redirected = run(replay("-", {"--out", "p"}), case_text("trace.csv.xz"));
  ASSERT_EQ(redirected.status, 0) << redirected.err;
  EXPECT_EQ(stats("p").at("memory"), file.at("memory"));
  // Of a pipe nobody knows how far it goes.
  ASSERT_EQ(piped(replay("-", {"--out", "p"}), case_text("trace.csv")).status, 0);
  EXPECT_EQ(value(stats("p"), "/checks/reads_checked"), 8);
  // What is wrong with it is found on the way, and the run leaves nothing.
  const Result wrong = piped(replay("-", {"--set", "trace.data_bytes=1MiB", "--events", "e.csv"}),
                             case_text("trace.csv"));
  EXPECT_EQ(wrong.status, 2);
  EXPECT_EQ(wrong.err,
            "standard input:12: address 0x100000 lies outside the 0x100000 bytes of "
            "trace.data_bytes; raise it or cut the trace to it\n");
  EXPECT_FALSE(fs::exists(dir_ / "e.csv") || fs::exists(dir_ / "e.csv.part"));
  const Result letter = piped(replay("-"), case_text("trace.csv") + "21,Q,0x0,64\n");
  EXPECT_EQ(letter.status, 2);
  EXPECT_EQ(letter.err.find("standard input:13: access 'Q'"), 0u) << letter.err;
}

TEST_F(Traces, InfoSaysWhatATraceHolds) {
  const json t = info("t.csv");
  EXPECT_EQ(t.at("format"), "csv");
  EXPECT_EQ(t.at("compression"), "plain");
  EXPECT_EQ(t.at("first_address"), "0x0");
  EXPECT_EQ(t.at("touched_is_exact"), true);
  const std::map<std::string, double> figures = {
      {"/lines", 12},         {"/requests", 11},       {"/loads", 8},       {"/stores", 3},
      {"/partial_stores", 2}, {"/hints", 1},           {"/hinted", 512},    {"/asked", 588},
      {"/touched", 576},      {"/data_set", 0x100040}, {"/first_cycle", 0}, {"/last_cycle", 20},
      {"/steps_back", 1},     {"/streams", 1},         {"/in_streams", 4}};
  for (const auto& [path, expected] : figures) EXPECT_EQ(value(t, path.c_str()), expected) << path;
  // 0 40 80 c0 | 1000 2000 40 10000 10040 0 100000: 4 next lines, 3c, 40, 7f, 3ff, 401, 4000 away.
  const std::map<std::string, double> strides = {
      {"same line", 0},   {"next line", 4},   {"line before", 0},
      {"up to 1 KiB", 0}, {"up to 4 KiB", 2}, {"to 64 KiB", 2},
      {"to 1 MiB", 2},    {"to 16 MiB", 0},   {"farther", 0}};
  for (const json& one : t.at("strides")) {
    EXPECT_EQ(value(one, "/requests"), strides.at(one.at("stride"))) << one;
  }
  const std::string text = accepted({"trace", "info", "t.csv.xz"}).out;
  for (const char* part : {"csv, xz", "8 (72.7 %)", "3 (27.3 %), 2 of a part", "0x0..0x10003f",
                           "4 (36.4 %), of 1 streams"}) {
    EXPECT_NE(text.find(part), std::string::npos) << part << "\n" << text;
  }
  write("t.ram", "LD 0x40\nST 0x80\n");
  EXPECT_FALSE(info("t.ram").contains("first_cycle"));
}

TEST_F(Traces, BytesTouchedOfMoreThanIsKept) {
  std::string text;
  for (std::uint64_t i = 0; i < 400'000; ++i) text += "LD " + std::to_string(i * 4096) + "\n";
  write("far.ram", text);
  const json t = info("far.ram");
  EXPECT_EQ(t.at("touched_is_exact"), false);
  EXPECT_NEAR(value(t, "/touched"), 400'000.0 * 64, 400'000.0 * 64 * 0.01);
}

TEST_F(Traces, ConvertedTracesReplayAlike) {
  std::string text = "cycle,rw,addr,bytes\n";
  for (int i = 0; i < 500; ++i) {
    text += std::to_string(i * 20) + (i % 3 == 0 ? ",W," : ",R,") +
            std::to_string(i * 7919 % 4096 * 64) + ",64\n";
  }
  write("w.csv", text);
  const json original = figures(replay("w.csv"));
  accepted({"trace", "convert", "w.csv", "w.ds.zst", "--to", "dramsim3"});
  EXPECT_EQ(info("w.ds.zst").at("format"), "dramsim3");
  EXPECT_EQ(figures(replay("w.ds.zst")), original);
  accepted({"trace", "convert", "w.ds.zst", "back.csv"});
  EXPECT_EQ(figures(replay("back.csv")), original);
  accepted({"trace", "convert", "w.ds.zst", "again.xz"});  // as it is
  EXPECT_EQ(info("again.xz").at("format"), "dramsim3");
  // Masks, pieces and hints are kept by csv alone, and so are the figures.
  accepted({"trace", "convert", "t.csv", "u.csv.bz2"});
  EXPECT_EQ(figures(replay("u.csv.bz2")), figures(replay("t.csv")));
  EXPECT_EQ(read_text(dir_ / "u.csv.bz2").substr(0, 3), "BZh");
  const auto refuse = [&](const std::string& format, const std::string& where,
                          const std::string& what) {
    refused({"trace", "convert", "t.csv", "no", "--to", format}, {where, what, "--lossy"});
  };
  refuse("ramulator2", "t.csv:3:", "cycle 2 has no place");
  refuse("dramsim3", "t.csv:6:", "a store of some bytes");
  const Result lossy = run({"trace", "convert", "t.csv", "l.ram", "--to", "ramulator2", "--lossy"});
  EXPECT_EQ(lossy.status, 0);
  EXPECT_EQ(lossy.err,
            "l.ram: dropped the cycles of 10 requests, the masks of 2 stores, and 1 hints\n");
  EXPECT_EQ(read_text(dir_ / "l.ram"),
            "LD 0x0\nLD 0x40\nLD 0x80\nLD 0xc0\nST 0x1000\nST 0x2000\nLD 0x40\nLD 0x10000\n"
            "LD 0x10040\nLD 0x0\nST 0x100000\n");
  // To and from pipes; the file itself.
  EXPECT_EQ(piped({"trace", "convert", "-", "-", "--to", "csv"}, case_text("trace.csv")).out,
            accepted({"trace", "convert", "t.csv.gz", "-"}).out);
  accepted({"trace", "convert", "l.ram", "l.ram", "--to", "dramsim3"});
  EXPECT_EQ(info("l.ram").at("format"), "dramsim3");
  refused({"trace", "convert", "nowhere", "o"}, {"nowhere: ", "cannot be opened"});
  refused({"trace", "convert", "t.csv", "o", "--to", "vcd"}, {"--to"});
  refused({"trace", "convert", "t.csv", "nowhere/o"}, {"nowhere/o"});
}

TEST_F(Traces, Windows) {
  const auto cut = [&](Args options) {
    Args args = {"trace", "window", "t.csv", "-"};
    args.insert(args.end(), options.begin(), options.end());
    std::vector<std::string> lines = lines_of(accepted(args).out);
    EXPECT_EQ(lines.at(0), "cycle,rw,addr,bytes,mask");
    lines.erase(lines.begin());
    return lines;
  };
  using Lines = std::vector<std::string>;
  EXPECT_EQ(cut({"--from", "2", "--to", "3"}), (Lines{"2,R,0x40,64", "4,R,0x80,64"}));
  EXPECT_EQ(cut({"--to", "1"}), Lines{"0,R,0x0,64"});
  // A hint goes with the request behind it; request 9 is the second line of an access.
  EXPECT_EQ(cut({"--from", "8", "--to", "8"}), (Lines{"14,P,0x10000,512", "14,R,0x10000,64"}));
  EXPECT_EQ(cut({"--from", "9", "--to", "10", "--rebase"}),
            (Lines{"0,R,0x10040,64", "6,R,0x0,64"}));
  EXPECT_EQ(cut({"--from", "5", "--to", "6"}), (Lines{"8,W,0x1000,8", "10,W,0x2000,4,0x5500"}));
  EXPECT_EQ(cut({"--from-cycle", "18"}), (Lines{"20,R,0x0,64", "18,W,0x100000,64"}));
  EXPECT_EQ(cut({"--from-cycle", "18", "--to-cycle", "19", "--rebase"}), Lines{"0,W,0x100000,64"});
  EXPECT_EQ(cut({"--from", "4", "--to-cycle", "9"}), (Lines{"6,R,0xc0,64", "8,W,0x1000,8"}));
  refused({"trace", "window", "t.csv", "o", "--from", "12"}, {"t.csv: ", "of 11"});
  refused({"trace", "window", "t.csv", "o", "--from", "0"}, {"--from"});
  refused({"trace", "window", "t.csv", "o", "--from", "5", "--to", "4"}, {"5 to --to 4 is empty"});
  refused({"trace", "window", "t.csv", "o", "--from-cycle", "5", "--to-cycle", "4"}, {"empty"});
  write("t.ram", "LD 0x40\nST 0x80\n");
  refused({"trace", "window", "t.ram", "o", "--to-cycle", "4"}, {"t.ram: ", "no cycles"});
  accepted({"trace", "window", "t.ram", "o.gz", "--from", "2"});
  EXPECT_EQ(read_text(dir_ / "o.gz").substr(0, 2), "\x1f\x8b");
  EXPECT_EQ(value(info("o.gz"), "/stores"), 1);
  EXPECT_EQ(value(info("o.gz"), "/requests"), 1);
}

std::vector<std::string> cells(const std::string& row) {
  std::vector<std::string> all(1);
  for (const char c : row) {
    if (c == ',') {
      all.emplace_back();
    } else {
      all.back() += c;
    }
  }
  return all;
}

class RequestLogs : public Traces, public ::testing::WithParamInterface<const char*> {};
INSTANTIATE_TEST_SUITE_P(Engines, RequestLogs, ::testing::Values("model", "rtl", "cosim"),
                         engine_name);

// A row a request, against the events of the same run.
TEST_P(RequestLogs, SayWhatTheEventsSay) {
  accepted({"run", "vadd-znand-sr", "--engine", GetParam(), "--set", "workload.size=4096", "--out",
            "o", "--requests", "r.csv", "--events", "e.csv"});
  const std::vector<std::string> rows = lines_of(read_text(dir_ / "r.csv"));
  const std::vector<std::string> names = cells(rows.at(0));
  ASSERT_EQ(rows.at(0),
            "address,is_write,error,port,lookup,submitted_ps,answered_ps,latency_ps,"
            "port_enqueue_ps,memq_alloc_ps,ctrl_accept_ps,wire_m2s_ps,ep_accept_ps,ep_lookup_ps,"
            "media_issue_ps,media_done_ps,ep_respond_ps,wire_s2m_ps,port_respond_ps,"
            "sys_respond_ps");
  EXPECT_EQ(rows.size() - 1,
            value(stats(), "/checks/reads_checked") + value(stats(), "/checks/writes_sent"));
  // (address, is_write, submitted, answered) by the events: a request has its id until its answer.
  struct Open {
    std::string addr, at, write;
    std::map<std::string, std::uint64_t> stages;
  };
  std::map<std::string, Open> open;
  std::multiset<std::vector<std::string>> expected, got;
  std::map<std::string, std::map<std::string, std::uint64_t>> times;  // by key of a request
  const auto key = [](const std::vector<std::string>& k) {
    return k[0] + k[1] + "/" + k[2] + k[3];
  };
  for (const std::string& line : lines_of(read_text(dir_ / "e.csv"))) {
    const std::vector<std::string> e = cells(line);
    if (e[1] == "sys_accept")
      open[e[3]] = {std::to_string(std::stoull(e[4], nullptr, 16)), e[0], e[5], {}};
    if (open.contains(e[3])) open[e[3]].stages[e[1]] = std::strtoull(e[0].c_str(), nullptr, 10);
    if (e[1] != "sys_respond") continue;
    const Open& o = open.at(e[3]);
    const std::vector<std::string> request = {o.addr, o.write, o.at, e[0]};
    expected.insert(request);
    times[key(request)] = o.stages;
    open.erase(e[3]);
  }
  std::set<std::string> lookups;
  for (std::size_t i = 1; i < rows.size(); ++i) {
    const std::vector<std::string> row = cells(rows[i]);
    ASSERT_EQ(row.size(), names.size()) << rows[i];
    const std::vector<std::string> request = {row[0], row[1], row[5], row[6]};
    got.insert(request);
    lookups.insert(row[4]);
    std::uint64_t sum = 0;
    for (std::size_t c = 8; c < row.size(); ++c) sum += std::stoull(row[c]);
    EXPECT_EQ(sum, std::stoull(row[7])) << rows[i];
    EXPECT_EQ(std::stoull(row[6]) - std::stoull(row[5]), std::stoull(row[7])) << rows[i];
    EXPECT_EQ(row[2], "0");
    EXPECT_TRUE(row[3] == "0" || row[3] == "1") << rows[i];
    // One stage by itself: from the wire to the endpoint's queue's end.
    const auto& t = times[key(request)];
    if (t.contains("ep_accept") && t.contains("wire_m2s")) {
      EXPECT_EQ(std::to_string(t.at("ep_accept") - t.at("wire_m2s")), row[12]) << rows[i];
    }
  }
  EXPECT_EQ(got, expected);
  EXPECT_TRUE(lookups.contains("hit") && lookups.contains("miss")) << lookups.size();
}

TEST_F(Traces, LogsAreCompressedAsTheyAreNamed) {
  accepted(replay("t.csv", {"--events", "e.csv", "--requests", "r.csv"}));
  const std::map<std::string, std::string> magics = {{".gz", "\x1f\x8b"},
                                                     {".zst", "\x28\xb5\x2f\xfd"},
                                                     {".xz",
                                                      "\xfd"
                                                      "7zXZ"},
                                                     {".bz2", "BZh"}};
  for (const auto& [ending, magic] : magics) {
    accepted(replay("t.csv", {"--events", "e.csv" + ending, "--requests", "r.csv" + ending}));
    for (const std::string name : {"e.csv", "r.csv"}) {
      SCOPED_TRACE(name + ending);
      EXPECT_EQ(read_text(dir_ / (name + ending)).substr(0, magic.size()), magic);
      flits::InputFile file((dir_ / (name + ending)).string());
      std::string text(1 << 20, '\0');
      std::size_t size = 0;
      while (const auto n = file.read(text.data() + size, text.size() - size).value_or(0))
        size += n;
      EXPECT_EQ(file.problem(), "");
      EXPECT_EQ(text.substr(0, size), read_text(dir_ / name));
    }
  }
  // The same run makes the same file; the command's own output is written through.
  accepted(replay("t.csv", {"--requests", "again.csv.gz"}));
  EXPECT_EQ(read_text(dir_ / "again.csv.gz"), read_text(dir_ / "r.csv.gz"));
  EXPECT_TRUE(accepted(replay("t.csv", {"--requests", "/dev/stdout"}))
                  .out.starts_with(read_text(dir_ / "r.csv")));
}

TEST_F(Traces, RequestsOfOtherMemories) {
  accepted(
      {"run", "vadd-znand-uvm", "--set", "workload.size=512", "--requests", "r.csv", "--out", "o"});
  EXPECT_EQ(lines_of(read_text(dir_ / "r.csv")).size() - 1,
            value(stats(), "/checks/reads_checked") + value(stats(), "/checks/writes_sent"));
  refused({"run", "vadd-znand-gpu-dram", "--requests", "r.csv"}, {"--requests", "gpu-dram"});
  refused(replay("t.csv", {"--requests", "nowhere/r.csv"}), {"nowhere/r.csv"});
  refused(replay("t.csv", {"--requests", "r.csv", "--events", "r.csv"}), {"r.csv", "named twice"});
  const Result full = run(replay("t.csv", {"--requests", "/dev/full"}));
  EXPECT_EQ(full.status, 2);
  EXPECT_EQ(lines_of(full.err).size(), 1u) << full.err;
}

}  // namespace
}  // namespace cxlgpu
