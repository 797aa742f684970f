// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
#include "cli/flit_command.hpp"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>

#include "cli/flit_decode.hpp"
#include "common/input_error.hpp"
#include "flits/flit_log.hpp"
#include "flits/link_checker.hpp"
#include "flits/text.hpp"

namespace cxlgpu {

namespace {

using Json = nlohmann::ordered_json;

class Lines {
 public:
  explicit Lines(const std::string& file) : name_(file == "-" ? "standard input" : file) {
    if (file == "-") return;
    if (std::filesystem::is_directory(file)) {
      throw InputError(fmt::format("{}: is a folder; give a file", file));
    }
    stream_.open(file);
    if (!stream_) throw InputError(fmt::format("{}: cannot be read; check the path", file));
  }
  bool next(std::string& line) {
    std::istream& in = stream_.is_open() ? stream_ : std::cin;
    while (std::getline(in, line)) {
      ++number_;
      while (!line.empty() && (line.back() == '\r' || line.back() == ' ')) line.pop_back();
      if (!line.empty() && line[0] != '#') return true;
    }
    return false;
  }
  [[nodiscard]] std::string where() const { return fmt::format("{}:{}", name_, number_); }

 private:
  std::string name_;
  std::ifstream stream_;
  std::uint64_t number_ = 0;
};

using flit_events::kDown;
using flit_events::kRecovery;

// Of a log's JSON the log's line, of other flits hex.
std::string encoded(const Json& json) {
  if (!json.is_object() || !json.contains("time_ps") || !json.contains("link")) {
    return flits::flit_from_json(json).to_hex();
  }
  const std::string place =
      fmt::format("{} {}", json["time_ps"].get<std::uint64_t>(), json["link"].get<std::string>());
  if (json.contains("event")) {
    const std::string event = json["event"].get<std::string>();
    if (event != kRecovery && event != kDown) {
      throw flits::FormatError(fmt::format("\"event\" is \"{}\"; use recovery or down", event));
    }
    return fmt::format("#{} {}", event, place);
  }
  return fmt::format("{} {} {}", place, json.at("direction").get<std::string>(),
                     flits::flit_from_json(json).to_hex());
}

int encode(const FlitArguments& a) {
  Lines lines(a.file);
  std::string line;
  while (lines.next(line)) {
    try {
      fmt::print("{}\n", encoded(Json::parse(line)));
    } catch (const std::exception& e) {
      throw InputError(fmt::format("{}: {}; give one JSON flit a line, as decode --json prints it",
                                   lines.where(), e.what()));
    }
  }
  return 0;
}

int check(const FlitArguments& a) {
  flits::FlitLogReader log(a.file);
  flits::FlitRecord record;
  flits::LinkCheckerOptions options;
  options.wrap_inclusive = a.wrap_inclusive;
  std::map<std::string, flits::LinkChecker> checkers;
  std::uint64_t flits_seen = 0;
  while (log.read(record)) {
    flits::LinkChecker& checker = checkers.try_emplace(record.link, options).first->second;
    if (record.recovery) {
      checker.on_recovery(record.time_ps);
      continue;
    }
    if (record.down) {
      checker.on_down(record.time_ps);
      continue;
    }
    checker.on_flit(record.time_ps, record.direction, record.flit);
    ++flits_seen;
  }
  std::uint64_t violations = 0;
  for (auto& [link, checker] : checkers) {
    checker.finish();
    violations += checker.finding_count();
    for (const auto& finding : checker.findings()) {
      fmt::print("{} {} {} {}: {}\n", finding.time_ps, link, flits::name(finding.direction),
                 flits::name(finding.rule), finding.text);
    }
  }
  if (flits_seen == 0) {
    throw InputError(fmt::format("{}: holds no flit, so nothing was checked; name a flit log",
                                 a.file == "-" ? "standard input" : a.file));
  }
  fmt::print("{} flits on {} links, {} violations\n", flits_seen, checkers.size(), violations);
  return violations == 0 ? 0 : 1;
}

// Between text and pcapng, plain and compressed.
int convert(const FlitArguments& a) {
  flits::FlitLogReader in(a.file);
  const std::string name = a.file == "-" ? "standard input" : a.file;
  if (in.bare()) {
    throw InputError(
        fmt::format("{}: holds bare flits, which have no time and no link; give a flit log", name));
  }
  const auto format = a.to.empty()       ? flits::flit_log_format(a.out)
                      : a.to == "pcapng" ? flits::FlitLogFormat::Pcapng
                                         : flits::FlitLogFormat::Text;
  flits::FlitLogWriter out(a.out, format, fmt::format("cxlgpu flit convert, of {}", name));
  flits::FlitRecord record;
  while (in.read(record)) out.write(record);
  out.close();
  return 0;
}

}  // namespace

void add_flit_command(CLI::App& app, FlitArguments& a) {
  app.require_subcommand(1);
  const auto action = [&](const char* name, const char* help) {
    CLI::App* sub = app.add_subcommand(name, help);
    sub->add_option("file", a.file, "input file, plain or compressed; left out: standard input");
    sub->callback([&a, name] { a.action = name; });
    return sub;
  };
  CLI::App* d = action("decode", "print what flits hold");
  CLI::Option* json = d->add_flag("--json", a.json, "one JSON object a flit");
  d->add_flag("--draw", a.draw, "draw each flit with its slots, for a terminal")->excludes(json);
  d->add_option("--direction", a.direction, "of hex flits")->check(CLI::IsMember({"M2S", "S2M"}));
  d->add_option("--link", a.link, "of a log: this link only");
  d->add_option("--from-ps", a.from_ps, "of a log: not before this time");
  d->add_option("--to-ps", a.to_ps, "of a log: not after this time");
  d->add_option(
      "--opcode", a.opcode,
      "flits with such a message, packet or control only: MemRd, CfgRd0, RETRY.Req, ALMP");
  d->add_option("--tag", a.tag, "flits with a message or TLP of this tag only, decimal or 0x");
  d->add_option("--address", a.address,
                "flits with a message or TLP of this address only, or of one in FIRST-LAST");
  action("encode", "make flits from JSON");
  CLI::App* v = app.add_subcommand("convert", "make pcapng (Wireshark) or text of a flit log");
  v->add_option("file", a.file, "text or pcapng, plain or compressed; -: standard input")
      ->required();
  v->add_option("out", a.out,
                "F.pcapng: pcapng, else text; .gz, .zst, .xz, .bz2: compressed; -: standard "
                "output")
      ->required();
  v->add_option("--to", a.to, "whatever the name says")->check(CLI::IsMember({"pcapng", "text"}));
  v->callback([&a] { a.action = "convert"; });
  CLI::App* c = action("check", "hold a flit log against the link rules");
  c->add_flag("--wrap-inclusive", a.wrap_inclusive,
              "sequence numbers of a retry run up to the wrap value, not to the one before it");
}

int flit_command(const FlitArguments& a) {
  if (a.action == "encode") return encode(a);
  if (a.action == "check") return check(a);
  if (a.action == "convert") return convert(a);
  return decode_flits(a);
}

}  // namespace cxlgpu
