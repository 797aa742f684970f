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
  // Not only messages: control flits, ALMPs and the packets of CXL.io.
  for (const char* name : {"RETRY.Idle", "LLCRD", "ALMP", "CfgRd0", "CplD", "InitFC1-P", "Ack"}) {
    EXPECT_GT(shown({"--opcode", name}), 0u) << name;
    EXPECT_LT(shown({"--opcode", name}), log.size()) << name;
  }
  EXPECT_GT(shown({"--opcode", "CfgRd0", "--tag", "0"}), 0u);
  const std::uint64_t line = std::stoull(address, nullptr, 16);
  EXPECT_EQ(shown({"--address", std::to_string(line) + "-" + std::to_string(line)}),
            shown({"--address", address}));
  EXPECT_GT(shown({"--address", "0-0xffffffffffffffff"}), shown({"--address", address}));
  refused({"flit", "decode", "--opcode", "MemRdd", "f.log"},
          {"--opcode", "MemRdd", "did you mean MemRd?", "MemSpecRd", "CfgRd0"});
  refused({"flit", "decode", "--link", "link7", "f.log"}, {"--link", "link7", "link0, link1"});
  refused({"flit", "decode", "--address", "0x1-", "f.log"}, {"--address", "0x1-", "FIRST-LAST"});
  refused({"flit", "decode", "--address", "9-8", "f.log"}, {"--address", "9-8"});
  refused({"flit", "decode", "--tag", "x", "f.log"}, {"--tag", "x"});
  refused({"flit", "decode", "--from-ps", "2", "--to-ps", "1", "f.log"}, {"--from-ps", "--to-ps"});
}

// A run's log as pcapng and as text is the same log, whichever was written.
TEST_F(CliFlit, PcapngThereAndBack) {
  const std::vector<std::string> log = make_log();
  accepted({"run", "vadd-znand-sr", "--engine", "rtl", "--set", "workload.size=1024", "--flit-log",
            "f.pcapng"});
  const std::string capture = read_text(dir_ / "f.pcapng");
  EXPECT_EQ(capture.substr(0, 4), "\x0a\x0d\x0d\x0a");
  EXPECT_NE(capture.find("run vadd-znand-sr --engine rtl"), std::string::npos) << "the comment";
  accepted({"flit", "convert", "f.pcapng", "g.log"});
  EXPECT_EQ(read_text(dir_ / "g.log"), read_text(dir_ / "f.log"));
  accepted({"flit", "convert", "f.log", "g.pcapng.gz"});
  EXPECT_EQ(accepted({"flit", "convert", "g.pcapng.gz", "-"}).out, read_text(dir_ / "f.log"));
  const std::string piped = accepted({"flit", "convert", "f.log", "-", "--to", "pcapng"}).out;
  EXPECT_EQ(accepted({"flit", "convert", "-", "-"}, piped).out, read_text(dir_ / "f.log"));
  for (const char* action : {"decode", "check"}) {
    EXPECT_EQ(accepted({"flit", action, "f.pcapng"}).out, accepted({"flit", action, "f.log"}).out);
    EXPECT_EQ(accepted({"flit", action}, piped).out, accepted({"flit", action, "f.log"}).out);
  }
  EXPECT_EQ(accepted({"flit", "decode", "--json", "f.pcapng"}).out,
            accepted({"flit", "decode", "--json", "f.log"}).out);

  // A reader that goes is no error of convert.
  const std::string gone =
      "cd '" + dir_.string() + "' && '" CXLGPU_BINARY "' flit convert f.pcapng - 2> said | true";
  EXPECT_EQ(std::system(gone.c_str()), 0);
  EXPECT_EQ(read_text(dir_ / "said"), "");

  write("cut.pcapng", capture.substr(0, capture.size() - 5));
  refused({"flit", "convert", "cut.pcapng", "h.log"}, {"cut.pcapng: block", "cut short"});
  EXPECT_FALSE(fs::exists(dir_ / "h.log"));
  std::string magic = capture;
  magic[8] = 'x';
  write("magic.pcapng", magic);
  refused({"flit", "convert", "magic.pcapng", "h.log"}, {"magic.pcapng", "byte-order magic"});
  write("old.pcap", "\xd4\xc3\xb2\xa1" + std::string(20, 'x'));
  refused({"flit", "decode", "old.pcap"}, {"old.pcap", "save it as pcapng"});
  write("bare.hex", log[0].substr(log[0].rfind(' ') + 1) + "\n");
  refused({"flit", "convert", "bare.hex", "h.pcapng"}, {"bare.hex", "no time"});
  refused({"flit", "convert", "f.log"}, {"out"});
  refused({"flit", "convert", "nowhere.log", "h.log"}, {"nowhere.log"});
}

// The JSON has what the text says: credits as counts, what ALMPs and packets hold, broken rules.
TEST_F(CliFlit, JsonSaysWhatTheTextSays) {
  const auto both = [&](const std::string& line, const Args& more = {}) {
    Args args = {"flit", "decode"};
    args.insert(args.end(), more.begin(), more.end());
    const std::string text = accepted(args, line + "\n").out;
    args.push_back("--json");
    return std::pair(text, json::parse(accepted(args, line + "\n").out));
  };
  // MemRd of docs of the standard, with ReqCrd = 9h, DataCrd = Ah (by hand).
  const std::string zeros(2 * 48, '0');
  const auto [text, flit] = both(
      "5555"
      "a00000a9"
      "03f3eecbb3a29100"
      "00000000" +
          zeros + "0000",
      {"--direction", "M2S"});
  EXPECT_NE(text.find("ReqCrd=mem:1 DataCrd=mem:2"), std::string::npos) << text;
  EXPECT_EQ(flit.at("header").at("credits"), (json{{"req", {{"pool", "mem"}, {"count", 1}}},
                                                   {"data", {{"pool", "mem"}, {"count", 2}}}}));
  const std::string hex_zeros(2 * 44, '0');
  const auto [ack, ack_json] = both(
      "1 l S2M ffff"
      "f0ac00000000b362" +
      std::string(112, '0') + "0000");
  EXPECT_EQ(ack, "1 l S2M CXL.io DLLP Ack sequence=0\n");
  EXPECT_EQ(ack_json.at("packets").at(0).at("type"), "Ack");
  EXPECT_EQ(ack_json.at("packets").at(0).at("crc_ok"), true);
  const std::string almp = "00080101000801010008010100080101";
  const auto [rest, rest_json] = both("1 l M2S cccc" + almp + std::string(96, '0') + "0100");
  EXPECT_NE(rest.find("(rest not zero)"), std::string::npos);
  EXPECT_EQ(rest_json.at("fault"), "rest not zero");
  EXPECT_EQ(rest_json.at("almp").at("state"), "Active");
  const auto [half, half_json] = both("1 l M2S cc31" + almp + std::string(100, '0'));
  EXPECT_NE(half.find("(protocol ID corrected)"), std::string::npos);
  EXPECT_EQ(half_json.at("id_corrected"), true);
  // A header bit that is reserved: the rule in both.
  std::string odd =
      "5555"
      "02000000" +
      std::string(120, '0');
  write("odd.hex", odd + "0000\n");
  const json damaged = json::parse(accepted({"flit", "decode", "--json", "odd.hex"}).out);
  EXPECT_FALSE(damaged.contains("rules")) << "its CRC is wrong, nothing is read";
  flits::Flit reserved = *flits::Flit::from_hex(odd + "0000");
  reserved.set_crc();
  const auto [rule, rule_json] = both(reserved.to_hex());
  EXPECT_NE(rule.find("  rule: "), std::string::npos) << rule;
  ASSERT_EQ(rule_json.at("rules").size(), 1u);
  EXPECT_NE(rule.find(rule_json["rules"][0].get<std::string>()), std::string::npos);
}

// A receiver that cannot read an ALMP waits for Recovery: nothing before that is taken.
TEST_F(CliFlit, BehindADamagedAlmpNothingIsTaken) {
  const std::string almp = "00080102000801020008010200080102", rest(2 * 50, '0');
  std::string broken = almp;
  broken[6] = '3';
  const std::string ack =
      "1 l S2M ffff"
      "f0ac00000000b362" +
      std::string(116, '0') + "\n";
  const std::string out = accepted({"flit", "decode"}, "1 l S2M cccc" + broken + rest + "\n" + ack +
                                                           "#recovery 2 l\n" + ack)
                              .out;
  const std::vector<std::string> lines = lines_of(out);
  ASSERT_EQ(lines.size(), 4u) << out;
  EXPECT_EQ(lines[0], "1 l S2M ALMP (copies differ)");
  EXPECT_EQ(lines[1], "1 l S2M CXL.io DLLP Ack sequence=0 (discarded)");
  EXPECT_EQ(lines[3], "1 l S2M CXL.io DLLP Ack sequence=0");
}

// Slots as boxes: every character of a line is there, and no line is wider than the terminal.
TEST_F(CliFlit, DrawsSlots) {
  make_log();
  const auto drawn = [&](const std::string& environment, const Args& more = {}) {
    Args args = {"flit", "decode", "--draw", "f.log"};
    args.insert(args.end(), more.begin(), more.end());
    const std::string file = (dir_ / "drawn").string();
    std::string command =
        "env -u LC_ALL -u LC_CTYPE -u LANG -u COLUMNS " + environment + " '" + CXLGPU_BINARY "'";
    for (const std::string& arg : args) command += " '" + arg + "'";
    EXPECT_EQ(std::system(("cd '" + dir_.string() + "' && " + command + " > drawn").c_str()), 0);
    return read_text(file);
  };
  const std::vector<std::string> lines = lines_of(drawn("LC_ALL=C", {"--opcode", "MemRd"}));
  ASSERT_GT(lines.size(), 5u);
  EXPECT_NE(lines[0].find(" ps  link"), std::string::npos) << lines[0];
  EXPECT_EQ(lines[1],
            "+- slot 0 H5 ------+- slot 1 G0 ------+- slot 2 G0 ------+- slot 3 G0 ------+");
  EXPECT_EQ(lines[2].find("| M2S Req MemRd"), 0u) << lines[2];
  EXPECT_NE(lines[4].find("| 0x"), std::string::npos) << lines[4];
  for (const char* columns : {"COLUMNS=1", "COLUMNS=100", "COLUMNS=100000"}) {
    const std::size_t most = std::string(columns) == "COLUMNS=1"     ? 80
                             : std::string(columns) == "COLUMNS=100" ? 100
                                                                     : 160;
    std::size_t widest = 0;
    for (const std::string& line : lines_of(drawn(std::string("LC_ALL=C ") + columns))) {
      widest = std::max(widest, line.size());
    }
    EXPECT_LE(widest, most) << columns;
    EXPECT_GT(widest, most - 8) << columns;
  }
  const std::string utf8 = drawn("LANG=C.UTF-8", {"--opcode", "CfgRd0"});
  EXPECT_NE(utf8.find("┌─ 16 DW of CXL.io ─"), std::string::npos);
  EXPECT_NE(utf8.find("CfgRd0"), std::string::npos);
  EXPECT_EQ(utf8.find('\x1b'), std::string::npos) << "no colours in a file";
  EXPECT_EQ(drawn("LANG=C.UTF-8 LC_ALL=C", {"--opcode", "CfgRd0"}).find("┌"), std::string::npos);
  EXPECT_NE(drawn("LC_ALL=C", {"--opcode", "ALMP"}).find("link=CXL.cachemem Request state=Active"),
            std::string::npos);
  refused({"flit", "decode", "--draw", "--json", "f.log"}, {"--draw", "--json"});
  // On a terminal there are colours, unless NO_COLOR says otherwise. script(1) makes one.
  if (std::system("command -v script >/dev/null") != 0) return;
  const auto on_terminal = [&](const std::string& environment) {
    const std::string command =
        "cd '" + dir_.string() + "' && " + environment +
        " script -qec \"'" CXLGPU_BINARY
        "' flit decode --draw --opcode MemRd f.log\" /dev/null > tty 2>&1 < /dev/null";
    EXPECT_EQ(std::system(command.c_str()), 0);
    return read_text(dir_ / "tty");
  };
  EXPECT_NE(on_terminal("TERM=xterm").find("\x1b[36m"), std::string::npos);
  EXPECT_EQ(on_terminal("TERM=xterm NO_COLOR=1").find("\x1b["), std::string::npos);
  EXPECT_EQ(on_terminal("TERM=dumb").find("\x1b["), std::string::npos);
}

// However long a pipe is, decode keeps none of it.
TEST_F(CliFlit, DecodesAPipeInTheSameMemory) {
  make_log();
  const auto most_kb = [&](unsigned times) {
    const std::string command =
        "cd '" + dir_.string() + "' && (i=0; while [ $i -lt " + std::to_string(times) +
        " ]; do cat f.log; i=$((i+1)); done) | python3 -c \"import resource,subprocess,sys\n"
        "p=subprocess.run(['" CXLGPU_BINARY
        "','flit','decode','--json','-'],stdout=subprocess.DEVNULL)\n"
        "print(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss)\n"
        "sys.exit(p.returncode)\" > rss";
    EXPECT_EQ(std::system(command.c_str()), 0);
    return std::stoul(read_text(dir_ / "rss"));
  };
  const unsigned long once = most_kb(2), often = most_kb(40);
  EXPECT_LT(often, once + 2048) << once;
}

}  // namespace
}  // namespace cxlgpu
