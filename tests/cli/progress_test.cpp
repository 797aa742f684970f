// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
// What a run says while it goes: on a terminal, in a log, with --quiet, with -v.
#include "cli/progress.hpp"

#include <fcntl.h>
#include <signal.h>
#include <sys/ioctl.h>

#include <atomic>
#include <chrono>
#include <cmath>
#include <regex>
#include <thread>

#include "tests/cli/cli.hpp"

namespace cxlgpu {
namespace {

class ProgressCli : public Cli {
 protected:
  enum class Stop { No, AfterALine };
  // Standard error is a terminal of 60 columns; what came to it. AfterALine: interrupted then.
  std::string on_terminal(const Args& args, Result& result, const char* term = "xterm",
                          Stop stop = Stop::No) {
    const int screen = posix_openpt(O_RDWR | O_NOCTTY);
    EXPECT_TRUE(screen >= 0 && grantpt(screen) == 0 && unlockpt(screen) == 0);
    const std::string name = ptsname(screen);
    const int held = open(name.c_str(), O_RDWR | O_NOCTTY);  // else reading ends before writing
    const winsize size{24, 60, 0, 0};
    EXPECT_EQ(ioctl(held, TIOCSWINSZ, &size), 0);
    std::string seen;
    std::atomic<bool> line{false};
    std::thread reader([&] {
      char some[4096];
      for (ssize_t n; (n = read(screen, some, sizeof some)) > 0;) {
        seen.append(some, static_cast<std::size_t>(n));
        line = seen.find('\n') != std::string::npos;
        if (seen.ends_with('\4')) break;
      }
    });
    Setting setting;
    setting.before = [&] {
      setenv("TERM", term, 1);
      dup2(open(name.c_str(), O_RDWR | O_NOCTTY), STDERR_FILENO);
    };
    if (stop == Stop::AfterALine) {
      setting.meanwhile = [&](pid_t child) {
        for (unsigned n = 0; n < 600 && !line; ++n) {
          std::this_thread::sleep_for(std::chrono::milliseconds(50));
        }
        kill(child, SIGINT);
      };
    }
    result = run(args, "", setting);
    EXPECT_EQ(write_end(held), 1);
    reader.join();
    close(held);
    close(screen);
    seen.pop_back();
    return seen;
  }
  // A trace of stores and loads far enough apart that nothing but their number costs time.
  Args trace_run(unsigned requests) {
    std::string rows;
    for (unsigned i = 0; i < requests; ++i) {
      rows += std::to_string(20 * i) + (i % 4 == 0 ? ",W," : ",R,") +
              std::to_string(i * 64 % (1u << 22)) + ",64\n";
    }
    write("t.csv", rows);
    return {"run", "vadd-dram-cxl", "--engine", "model", "--trace", "t.csv"};
  }
  static Args with(Args args, const Args& more) {
    args.insert(args.end(), more.begin(), more.end());
    return args;
  }

 private:
  static ssize_t write_end(int terminal) { return ::write(terminal, "\4", 1); }
};

TEST_F(ProgressCli, ATerminalHasOneLineThatIsDrawnAgainAndWiped) {
  Result result;
  const std::string seen = on_terminal(trace_run(600000), result);
  EXPECT_EQ(result.status, 0);
  EXPECT_EQ(seen.find('\n'), std::string::npos) << seen;
  EXPECT_TRUE(seen.ends_with("\r\x1b[K")) << seen;
  const std::regex drawing("\r(progress: ([0-9.]+) % done, [^\r\x1b]*)\x1b\\[K");
  double before = -1;
  unsigned drawn = 0;
  for (std::sregex_iterator it(seen.begin(), seen.end(), drawing), end; it != end; ++it, ++drawn) {
    EXPECT_LE((*it)[1].length(), 59) << "it would wrap";
    EXPECT_NE((*it)[1].str().find(" left, "), std::string::npos) << (*it)[1];
    EXPECT_GE(std::stod((*it)[2]), before) << "never less";
    before = std::stod((*it)[2]);
  }
  EXPECT_GE(drawn, 2u) << seen;
  EXPECT_LE(before, 100);
  EXPECT_NE(result.out.find("end-to-end time"), std::string::npos);
}

// A terminal that cannot draw again is a log.
TEST_F(ProgressCli, ADumbTerminalIsALog) {
  Result result;
  const std::string seen = on_terminal({"run", "sort-znand-cxl", "--engine", "model", "--set",
                                        "workload.size=262144", "--progress-s", "1"},
                                       result, "dumb", Stop::AfterALine);
  EXPECT_EQ(result.status, 130);
  EXPECT_EQ(seen.find('\x1b'), std::string::npos) << seen;
  EXPECT_NE(seen.find("progress: "), std::string::npos);
}

TEST_F(ProgressCli, ALogHasWholeLines) {
  const Args args = {"run",   "sort-znand-cxl",       "--engine",     "model",
                     "--set", "workload.size=262144", "--progress-s", "1"};
  const Result result = run(args, "", {.meanwhile = [](pid_t child) {
                              std::this_thread::sleep_for(std::chrono::milliseconds(4500));
                              kill(child, SIGINT);
                            }});
  EXPECT_EQ(result.status, 130);
  EXPECT_GE(result.progress.size(), 2u);
  EXPECT_LE(result.progress.size(), 5u) << "no more than one a second";
  for (const std::string& line : result.progress) {
    EXPECT_TRUE(std::regex_match(
        line, std::regex("progress: [0-9.]+ x the data set moved, [0-9.]+( [kM])? requests/s, "
                         "[0-9.]+ [um]s simulated in [0-9]+:[0-9]{2}")))
        << line;
  }
  EXPECT_NE(result.err.find("interrupted at"), std::string::npos) << result.err;
}

TEST_F(ProgressCli, KernelsAreCounted) {
  Result result;
  const std::string seen = on_terminal({"run", "vadd-dram-cxl", "--engine", "model", "--set",
                                        "workload.iterations=8", "--set", "workload.size=131072"},
                                       result);
  EXPECT_EQ(result.status, 0);
  EXPECT_NE(seen.find(" of 8, "), std::string::npos) << seen;
}

TEST_F(ProgressCli, QuietSaysNothingButWhatWentWrong) {
  Result result;
  EXPECT_EQ(on_terminal(with(trace_run(300000), {"--quiet"}), result), "");
  EXPECT_EQ(result.status, 0);
  EXPECT_EQ(result.out, "");
  const Result limit = run(
      {"run", "vadd-dram-cxl", "--engine", "model", "-q", "--set", "run.limit_us=3", "--out", "o"});
  EXPECT_EQ(limit.status, 3);
  EXPECT_EQ(limit.out, "");
  EXPECT_EQ(lines_of(limit.err).size(), 1u) << limit.err;
  EXPECT_TRUE(fs::exists(dir_ / "o/stats.json"));
}

TEST_F(ProgressCli, VerboseHasLevels) {
  const Args args = {"run", "vadd-dram-cxl", "--engine", "model", "--set", "workload.size=512"};
  const auto levels = [&](const char* option) {
    std::map<std::string, unsigned> count;
    const Result result = run(with(args, {option}));
    EXPECT_EQ(result.status, 0);
    for (const std::string& line : lines_of(result.err)) ++count[line.substr(0, line.find(':'))];
    EXPECT_NE(result.out.find("end-to-end time"), std::string::npos);
    return count;
  };
  std::map<std::string, unsigned> info = levels("-v"), debug = levels("-vv");
  EXPECT_GE(info["info"], 3u);
  EXPECT_EQ(info.size(), 1u);
  EXPECT_EQ(debug["info"], info["info"]);
  EXPECT_GE(debug["debug"], 2u);
  EXPECT_EQ(debug.size(), 2u);
  EXPECT_EQ(accepted(args).err, "");
}

TEST_F(ProgressCli, BadOptionsAreRefused) {
  const Args args = {"run", "vadd-dram-cxl", "--engine", "model"};
  refused(with(args, {"--progress-s", "0"}), {"--progress-s", "1..86400"});
  refused(with(args, {"--progress-s", "x"}), {"--progress-s"});
  refused(with(args, {"--quiet", "-v"}), {"--quiet"});
  refused(with(args, {"--quiet", "--progress-s", "3"}), {"--quiet"});
}

TEST(ProgressText, ShareAndTimeLeft) {
  EXPECT_EQ(progress_text({1000, 0.25, ""}, Time{2500000000}, 30, 583211),
            "25.0 % done, 1:30 left, 583 k requests/s, 2.500 ms simulated in 0:30");
  EXPECT_EQ(progress_text({1, 0.001, "kernel 1 of 5"}, Time{1500000}, 7.4, 12),
            "0.1 % done, 2:03:13 left, kernel 1 of 5, 12 requests/s, 1.5 us simulated in 0:07");
  EXPECT_EQ(progress_text({0, 0.0, ""}, Time{0}, 0, 0),
            "0.0 % done, 0 requests/s, 0.0 us simulated in 0:00");
}

// A watch that is asked at a step that takes no time is asked ever more seldom.
TEST(ProgressText, TheClockIsReadSeldom) {
  Progress progress(Progress::Where::Log, 1000, [] { return ProgressSample{}; });
  std::uint64_t gap = 0;
  for (int i = 0; i < 12; ++i) gap = progress.on_steps(Time{0});
  EXPECT_GE(gap, 1024u);
}

}  // namespace
}  // namespace cxlgpu
