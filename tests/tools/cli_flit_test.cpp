// The flit subcommand: vectors, logs of runs, broken logs.
#include "flits/flit_log.hpp"
#include "tests/tools/cli.hpp"

namespace cxlgpu {
namespace {

class CliFlit : public Cli {
 protected:
  // The log of a short run, one string a line.
  std::vector<std::string> make_log() {
    accepted({"run", "vadd-znand-sr", "--engine", "rtl", "--set", "workload.size=1024", "--out",
              "o", "--flit-log", "f.log"});
    return lines_of(read_text(dir_ / "f.log"));
  }
  void write_lines(const std::string& name, const std::vector<std::string>& lines) {
    std::string text;
    for (const std::string& line : lines) text += line + "\n";
    write(name, text);
  }
  // Index of the first request of the log that asks for an answer.
  std::size_t first_request(const std::vector<std::string>& log) {
    const std::vector<std::string> decoded = lines_of(accepted({"flit", "decode", "f.log"}).out);
    EXPECT_EQ(decoded.size(), log.size());
    for (std::size_t i = 0; i < decoded.size(); ++i) {
      if (decoded[i].find("M2S Req MemRd ") != std::string::npos) return i;
    }
    ADD_FAILURE() << "no read in the log";
    return 0;
  }
};

// `said` holds all of `expected`, which leaves out what is zero.
void expect_says(const json& said, const json& expected) {
  if (expected.is_object()) {
    for (const auto& [key, child] : expected.items()) {
      ASSERT_TRUE(said.contains(key)) << key << " is missing in " << said;
      expect_says(said.at(key), child);
    }
  } else if (expected.is_array()) {
    ASSERT_EQ(said.size(), expected.size()) << said;
    for (std::size_t i = 0; i < expected.size(); ++i) expect_says(said[i], expected[i]);
  } else {
    EXPECT_EQ(said, expected);
  }
}

TEST_F(CliFlit, KnownVectorsThereAndBack) {
  const json vectors =
      json::parse(read_text(fs::path(CXLGPU_SOURCE_DIR) / "flits/vectors/flits.json"))
          .at("vectors");
  unsigned seen = 0;
  for (const json& vector : vectors) {
    if (vector.at("content").at("kind") == "all-data") continue;  // known only by the flit before
    SCOPED_TRACE(vector.at("name").get<std::string>());
    ++seen;
    const std::string hex_text = vector.at("flit");
    const std::string direction = vector.at("content").at("direction");
    write("v.hex", hex_text + "\n");
    const std::string decoded =
        accepted({"flit", "decode", "--json", "--direction", direction, "v.hex"}).out;
    expect_says(json::parse(decoded), vector.at("content"));
    write("v.json", decoded);
    EXPECT_EQ(accepted({"flit", "encode", "v.json"}).out, hex_text + "\n");
    EXPECT_EQ(accepted({"flit", "encode"}, decoded).out, hex_text + "\n");
  }
  EXPECT_GE(seen, 10u);
}

TEST_F(CliFlit, DecodeSaysWhatIsInIt) {
  const std::string idle = "555501000000010000" + std::string(114, '0') + "41c3";  // RETRY.Idle
  EXPECT_EQ(accepted({"flit", "decode"}, idle + "\n").out, "M2S RETRY.Idle\n");
  EXPECT_EQ(accepted({"flit", "decode", "--direction", "S2M"}, idle + "\n").out,
            "S2M RETRY.Idle\n");
  // A flit that did not arrive whole is shown as such, not taken for what it was.
  const std::string damaged = idle.substr(0, 40) + "8" + idle.substr(41);
  EXPECT_NE(accepted({"flit", "decode"}, damaged + "\n").out.find("CRC"), std::string::npos);
}

TEST_F(CliFlit, BadInput) {
  write("odd.hex", "5555zz\n");
  refused({"flit", "decode", "odd.hex"}, {"odd.hex:1:"});
  refused({"flit", "check", "odd.hex"}, {"odd.hex:1:"});
  write("odd.json", "{\"direction\": \"M2S\"\n");
  refused({"flit", "encode", "odd.json"}, {"odd.json:1:"});
  write("kind.json", "{\"direction\":\"M2S\",\"protocol\":\"CXL.cachemem\",\"kind\":\"odd\"}\n");
  refused({"flit", "encode", "kind.json"}, {"kind.json:1:", "kind"});
  refused({"flit", "decode", "--direction", "up", "odd.hex"}, {"--direction", "up"});
}

TEST_F(CliFlit, LogOfARunIsWithoutViolation) {
  const std::vector<std::string> log = make_log();
  ASSERT_GT(log.size(), 100u);
  const Result result = accepted({"flit", "check", "f.log"});
  EXPECT_NE(result.out.find(std::to_string(log.size()) + " flits on 2 links, 0 violations"),
            std::string::npos)
      << result.out;
  EXPECT_EQ(value(stats(), "/flits/m2s/all") + value(stats(), "/flits/s2m/all"), log.size());
  EXPECT_FALSE(fs::exists(dir_ / "f.log.part"));
}

TEST_F(CliFlit, LogThroughJsonAndBackIsTheSame) {
  const std::vector<std::string> log = make_log();
  write("f.json", accepted({"flit", "decode", "--json", "f.log"}).out);
  const std::vector<std::string> back = lines_of(accepted({"flit", "encode", "f.json"}).out);
  ASSERT_EQ(back.size(), log.size());
  for (std::size_t i = 0; i < log.size(); ++i) {
    EXPECT_TRUE(log[i].ends_with(" " + back[i])) << "line " << i + 1;
  }
}

TEST_F(CliFlit, GzipLogIsTheSame) {
  make_log();
  accepted({"run", "vadd-znand-sr", "--engine", "rtl", "--set", "workload.size=1024", "--flit-log",
            "g.log.gz"});
  EXPECT_EQ(read_text(dir_ / "g.log.gz").substr(0, 2), "\x1f\x8b");
  EXPECT_EQ(accepted({"flit", "decode", "g.log.gz"}).out,
            accepted({"flit", "decode", "f.log"}).out);
  EXPECT_EQ(accepted({"flit", "check", "g.log.gz"}).out, accepted({"flit", "check", "f.log"}).out);
  const std::string bytes = read_text(dir_ / "g.log.gz");
  write("cut.log.gz", bytes.substr(0, bytes.size() / 2));
  const Result cut = run({"flit", "check", "cut.log.gz"});
  EXPECT_EQ(cut.status, 2);
  EXPECT_EQ(cut.err.find("cut.log.gz:"), 0u) << cut.err;
}

TEST_F(CliFlit, LogOnStandardInput) {
  make_log();
  const std::string text = read_text(dir_ / "f.log");
  EXPECT_EQ(accepted({"flit", "check"}, text).out, accepted({"flit", "check", "f.log"}).out);
  // decode has to see the first line to know what it has; a pipe has no way back.
  const Result decode = run({"flit", "decode"}, text);
  EXPECT_EQ(decode.status, 2);
  EXPECT_EQ(lines_of(decode.err).size(), 1u) << decode.err;
  EXPECT_NE(decode.err.find("standard input:1:"), std::string::npos) << decode.err;
  EXPECT_NE(decode.err.find("file name"), std::string::npos) << decode.err;
}

TEST_F(CliFlit, LostFlitIsAViolation) {
  std::vector<std::string> log = make_log();
  log.erase(log.begin() + static_cast<std::ptrdiff_t>(first_request(log)));
  write_lines("lost.log", log);
  const Result result = run({"flit", "check", "lost.log"});
  EXPECT_EQ(result.status, 1);
  EXPECT_EQ(result.out.find(" 0 violations"), std::string::npos) << result.out;
}

TEST_F(CliFlit, DamagedFlitThatNobodyRetriesIsAViolation) {
  std::vector<std::string> log = make_log();
  std::string& line = log[first_request(log)];
  char& digit = line[line.size() - 60];
  digit = digit == '0' ? '8' : '0';
  write_lines("damaged.log", log);
  const Result result = run({"flit", "check", "damaged.log"});
  EXPECT_EQ(result.status, 1);
  EXPECT_EQ(result.out.find(" 0 violations"), std::string::npos) << result.out;
}

TEST_F(CliFlit, RepeatedFlitIsAViolation) {
  const std::vector<std::string> log = make_log();
  const auto at = log.begin() + static_cast<std::ptrdiff_t>(first_request(log));
  std::vector<std::string> twice = log;
  twice.insert(twice.begin() + (at - log.begin()), *at);
  write_lines("twice.log", twice);
  EXPECT_EQ(run({"flit", "check", "twice.log"}).status, 1);
}

TEST_F(CliFlit, LogOfANoisyLinkIsWithoutViolation) {
  accepted({"run", "vadd-znand-sr", "--engine", "rtl", "--set", "workload.size=2048", "--set",
            "link.bit_error_rate_m2s=1e-4", "--set", "link.bit_error_rate_s2m=1e-4", "--out", "o",
            "--flit-log", "n.log"});
  EXPECT_GT(value(stats(), "/flits/m2s/damaged") + value(stats(), "/flits/s2m/damaged"), 0);
  EXPECT_GT(value(stats(), "/flits/m2s/retry"), 0);
  EXPECT_NE(accepted({"flit", "check", "n.log"}).out.find(" 0 violations"), std::string::npos);
}

}  // namespace
}  // namespace cxlgpu
