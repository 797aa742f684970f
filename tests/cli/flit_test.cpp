// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
// The flit subcommand: vectors, logs of runs, broken logs.
#include "flits/flit_log.hpp"
#include "tests/cli/cli.hpp"

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
  double logged = 0;  // the log holds bring-up and read-out too
  for (const std::string way : {"/flits/m2s/", "/flits/s2m/"}) {
    for (const char* name : {"all", "bring_up", "read_out"})
      logged += value(stats(), (way + name).c_str());
    EXPECT_GT(value(stats(), (way + "bring_up").c_str()), 0);
  }
  EXPECT_EQ(logged, log.size());
  EXPECT_FALSE(fs::exists(dir_ / "f.log.part"));
}

TEST_F(CliFlit, LogThroughJsonAndBackIsTheSame) {
  const std::vector<std::string> log = make_log();
  write("f.json", accepted({"flit", "decode", "--json", "f.log"}).out);
  const std::vector<std::string> back = lines_of(accepted({"flit", "encode", "f.json"}).out);
  ASSERT_EQ(back.size(), log.size());
  for (std::size_t i = 0; i < log.size(); ++i) {
    EXPECT_EQ(log[i], back[i]) << "line " << i + 1;
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
  // decode tells by the first line what it has; a pipe as well as a file.
  EXPECT_EQ(accepted({"flit", "decode"}, text).out, accepted({"flit", "decode", "f.log"}).out);
  const Result odd = run({"flit", "decode"}, "# remark\n\n5555zz\n");
  EXPECT_EQ(odd.status, 2);
  EXPECT_EQ(lines_of(odd.err).size(), 1u) << odd.err;
  EXPECT_NE(odd.err.find("stdin:3:"), std::string::npos) << odd.err;
  EXPECT_NE(odd.err.find("136 hex digits"), std::string::npos) << odd.err;
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
  // Our ends count up to the value before the wrap value: read the other way, the first retry
  // behind a wrap is one for a wrong flit.
  const Result inclusive = run({"flit", "check", "--wrap-inclusive", "n.log"});
  EXPECT_EQ(inclusive.status, 1);
  EXPECT_NE(inclusive.out.find("sequence number"), std::string::npos) << inclusive.out;
}

// A log with one damaged flit: what is damaged and what falls into its shadow can be told apart,
// by link and time.
TEST_F(CliFlit, JsonSaysWhatBecameOfAFlit) {
  std::vector<std::string> log = make_log();
  const std::size_t at = first_request(log);
  const std::string hex = log[at].substr(log[at].rfind(' ') + 1);
  char& digit = log[at][log[at].size() - 60];  // of a slot
  digit = digit == '0' ? '1' : '0';
  log.insert(log.begin() + static_cast<std::ptrdiff_t>(at) + 1, "#recovery 3000000000 link9");
  write_lines("bad.log", log);
  const std::vector<std::string> lines =
      lines_of(accepted({"flit", "decode", "--json", "bad.log"}).out);
  ASSERT_EQ(lines.size(), log.size());
  std::size_t damaged = 0, shadow = 0;
  for (std::size_t i = 0; i < lines.size(); ++i) {
    const json flit = json::parse(lines[i]);
    if (i == at + 1) {
      EXPECT_EQ(flit, (json{{"time_ps", 3000000000}, {"link", "link9"}, {"event", "recovery"}}));
      continue;
    }
    EXPECT_EQ(std::to_string(flit.at("time_ps").get<std::uint64_t>()) + " " +
                  flit.at("link").get<std::string>() + " " +
                  flit.at("direction").get<std::string>(),
              log[i].substr(0, log[i].rfind(' ')));
    const bool crc_bad = flit.at("crc_ok") == false;
    EXPECT_EQ(crc_bad, i == at);
    EXPECT_EQ(flit.at("crc_ok").is_null(), flit.at("protocol") != "CXL.cachemem");
    if (crc_bad) {
      EXPECT_EQ(flit.at("discarded"), true);
    }
    damaged += crc_bad ? 1 : 0;
    shadow += flit.at("crc_ok") == true && flit.at("discarded") == true ? 1 : 0;
  }
  EXPECT_EQ(damaged, 1u);
  EXPECT_GT(shadow, 0u);  // the log goes on without a retry
  // Both ways back, and from a pipe; gzip too.
  const std::string text = read_text(dir_ / "bad.log");
  const std::string piped = accepted({"flit", "decode", "--json"}, text).out;
  EXPECT_EQ(lines_of(piped), lines);
  EXPECT_EQ(accepted({"flit", "encode"}, piped).out, text);
  write_gzip(dir_ / "bad.gz", text);
  EXPECT_EQ(accepted({"flit", "decode", "--json", "bad.gz"}).out, piped);
  // As text: the direction once, the damage, and what its receiver did not read.
  const std::string readable = accepted({"flit", "decode"}, text).out;
  EXPECT_EQ(readable.find("M2S M2S"), std::string::npos);
  EXPECT_EQ(readable.find("S2M S2M"), std::string::npos);
  EXPECT_NE(readable.find("(CRC error)"), std::string::npos);
  EXPECT_NE(readable.find("(discarded)"), std::string::npos);
  // Bare flits have no link; the CRC they have.
  const auto one = [&](const std::string& flit) {
    return json::parse(accepted({"flit", "decode", "--json"}, flit + "\n").out);
  };
  EXPECT_EQ(one(hex).at("crc_ok"), true);
  EXPECT_EQ(one(hex).at("discarded"), false);
  EXPECT_EQ(one(log[at].substr(log[at].rfind(' ') + 1)).at("crc_ok"), false);
}

TEST_F(CliFlit, DecodeShowsWhatIsAskedFor) {
  const std::vector<std::string> log = make_log();
  const std::size_t at = first_request(log);
  const json flit =
      json::parse(lines_of(accepted({"flit", "decode", "--json", "f.log"}).out).at(at));
  json request;
  for (const json& slot : flit.at("slots")) {
    for (const json& message : slot.value("messages", json::array())) {
      if (message.value("opcode", "") == "MemRd") request = message;
    }
  }
  const auto text_of = [](const json& value) {
    return value.is_string() ? value.get<std::string>() : value.dump();
  };
  const auto shown = [&](const Args& filter) {
    Args args = {"flit", "decode", "f.log"};
    args.insert(args.end(), filter.begin(), filter.end());
    return lines_of(accepted(args).out).size();
  };
  EXPECT_EQ(shown({"--link", "link0"}) + shown({"--link", "link1"}), log.size());
  const std::string time = std::to_string(flit.at("time_ps").get<std::uint64_t>());
  EXPECT_GT(shown({"--from-ps", time, "--to-ps", time}), 0u);
  EXPECT_LE(shown({"--from-ps", time, "--to-ps", time}), 4u);  // two links, both ways
  EXPECT_GT(shown({"--opcode", "MemRd"}), 0u);
  EXPECT_LT(shown({"--opcode", "MemRd"}), log.size() / 2);
  const std::string address = text_of(request.at("address")), tag = text_of(request.at("tag"));
  EXPECT_GT(shown({"--address", address}), 0u);
  EXPECT_GE(shown({"--tag", tag}), shown({"--tag", tag, "--address", address}));
  EXPECT_GT(shown({"--tag", tag, "--address", address, "--opcode", "MemRd"}), 0u);
  EXPECT_EQ(shown({"--opcode", "MemFly"}), 0u);
}

}  // namespace
}  // namespace cxlgpu
