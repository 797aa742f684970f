#include "tools/flit_command.hpp"

#include <fmt/format.h>

#include <filesystem>
#include <fstream>
#include <iostream>
#include <map>
#include <memory>

#include "flits/flit_log.hpp"
#include "flits/link_checker.hpp"
#include "flits/text.hpp"
#include "refmodel/common/input_error.hpp"

namespace cxlgpu {

namespace {

using flits::Direction;

// A flit log has words before the hex; a hex file has none.
bool looks_like_log(const std::string& line) {
  return line.find(' ') != std::string::npos;
}

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

void print_flit(bool json, const std::string& prefix, Direction direction, const flits::Flit& flit,
                unsigned owed) {
  if (json) {
    fmt::print("{}\n", flits::to_json(flit, direction, owed).dump());
  } else {
    fmt::print("{}{}\n", prefix, flits::to_text(flit, direction, owed));
  }
}

// Hex flits: one stream of one direction, every clean flit accepted.
class HexPrinter {
 public:
  HexPrinter(bool json, Direction direction) : json_(json), decoder_(direction) {}
  void print(const flits::Flit& flit) {
    print_flit(json_, "", decoder_.direction(), flit, decoder_.owed());
    const auto id = flit.protocol_id().id;
    if (!id || !flits::is_cachemem(*id) || !flit.crc_ok()) return;
    for (const flits::DecodeFinding& finding : decoder_.decode(flit).findings) {
      if (!json_) fmt::print("  rule: {}\n", flits::describe(finding));
    }
  }

 private:
  bool json_;
  flits::Decoder decoder_;
};

// A flit log: what a flit means depends on the data slots its receiver is owed, which the link
// checker follows through errors and retries.
void decode_log(const FlitArguments& a) {
  flits::FlitLogReader log(a.file);
  flits::FlitRecord record;
  std::map<std::string, flits::LinkChecker> links;
  while (log.read(record)) {
    flits::LinkChecker& link = links.try_emplace(record.link).first->second;
    if (record.recovery) {
      if (!a.json) fmt::print("{} {} Recovery\n", record.time_ps, record.link);
      link.on_recovery(record.time_ps);
      continue;
    }
    if (record.down) {
      if (!a.json) fmt::print("{} {} link down\n", record.time_ps, record.link);
      link.on_down(record.time_ps);
      continue;
    }
    const unsigned owed = link.discarding(record.direction) ? 0 : link.owed(record.direction);
    print_flit(a.json,
               fmt::format("{} {} {} ", record.time_ps, record.link, flits::name(record.direction)),
               record.direction, record.flit, owed);
    link.on_flit(record.time_ps, record.direction, record.flit);
  }
}

int decode(const FlitArguments& a) {
  if (a.file.ends_with(".gz")) {
    decode_log(a);
    return 0;
  }
  HexPrinter printer(a.json, *flits::direction_from_name(a.direction));
  Lines lines(a.file);
  std::string line;
  for (bool first = true; lines.next(line); first = false) {
    if (first && looks_like_log(line) && a.file != "-") {
      decode_log(a);
      return 0;
    }
    const auto flit = flits::Flit::from_hex(line);
    if (!flit) {
      throw InputError(fmt::format(
          "{}: is not a flit; give 136 hex digits, or a flit log by its file name", lines.where()));
    }
    printer.print(*flit);
  }
  return 0;
}

int encode(const FlitArguments& a) {
  Lines lines(a.file);
  std::string line;
  while (lines.next(line)) {
    try {
      fmt::print("{}\n", flits::flit_from_json(nlohmann::ordered_json::parse(line)).to_hex());
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
  std::map<std::string, flits::LinkChecker> checkers;
  std::uint64_t flits_seen = 0;
  while (log.read(record)) {
    flits::LinkChecker& checker = checkers.try_emplace(record.link).first->second;
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

}  // namespace

void add_flit_command(CLI::App& app, FlitArguments& a) {
  app.require_subcommand(1);
  const auto action = [&](const char* name, const char* help) {
    CLI::App* sub = app.add_subcommand(name, help);
    sub->add_option(
        "file", a.file,
        "input file; left out: standard input (decode then takes hex flits, not a log)");
    sub->callback([&a, name] { a.action = name; });
    return sub;
  };
  CLI::App* d = action("decode", "print what flits hold");
  d->add_flag("--json", a.json, "one JSON object a flit");
  d->add_option("--direction", a.direction, "of hex flits")->check(CLI::IsMember({"M2S", "S2M"}));
  action("encode", "make flits from JSON");
  action("check", "hold a flit log against the link rules");
}

int flit_command(const FlitArguments& a) {
  if (a.action == "encode") return encode(a);
  if (a.action == "check") return check(a);
  return decode(a);
}

}  // namespace cxlgpu
