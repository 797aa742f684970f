// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
#include "cli/flit_command.hpp"

#include <fmt/format.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>

#include "common/input_error.hpp"
#include "flits/flit_log.hpp"
#include "flits/link_checker.hpp"
#include "flits/text.hpp"

namespace cxlgpu {

namespace {

using flits::Direction;
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

// A number as the JSON has it: hex in a string, or as such.
std::optional<std::uint64_t> number_of(const Json& json) {
  if (json.is_number_unsigned()) return json.get<std::uint64_t>();
  if (!json.is_string()) return std::nullopt;
  const auto& text = json.get_ref<const std::string&>();
  char* end = nullptr;
  const std::uint64_t value = std::strtoull(text.c_str(), &end, 0);
  return !text.empty() && *end == '\0' ? std::optional(value) : std::nullopt;
}

constexpr const char* kRecovery = "recovery";
constexpr const char* kDown = "down";

// What is printed of a flit, and whether.
class Printer {
 public:
  explicit Printer(const FlitArguments& a) : a_(a), by_message_(a.opcode || a.tag || a.address) {}

  // `record`: of a log; nullptr: a bare flit. `discarded` by its receiver.
  void print(const flits::FlitRecord* record, Direction direction, const flits::Flit& flit,
             unsigned owed, bool discarded) const {
    if (record != nullptr && !wanted(*record)) return;
    Json content;
    if (a_.json || by_message_) content = flits::to_json(flit, direction, owed);
    if (by_message_ && !holds(content)) return;
    const auto id = flit.protocol_id().id;
    const bool has_crc = id && flits::is_cachemem(*id);
    if (!a_.json) {
      const bool shadow = discarded && has_crc && flit.crc_ok();
      fmt::print("{}{}{}\n", prefix(record), flits::to_text(flit, direction, owed),
                 shadow ? " (discarded)" : "");
      return;
    }
    Json json = place(record);
    json.update(content);
    json["crc_ok"] = has_crc ? Json(flit.crc_ok()) : Json();
    json["discarded"] = discarded;
    fmt::print("{}\n", json.dump());
  }
  // Recovery, or the link went down.
  void print_event(const flits::FlitRecord& record) const {
    if (by_message_ || !wanted(record)) return;
    if (!a_.json) {
      fmt::print("{}{}\n", prefix(&record), record.recovery ? "Recovery" : "link down");
      return;
    }
    Json json = place(&record);
    json["event"] = record.recovery ? kRecovery : kDown;
    fmt::print("{}\n", json.dump());
  }
  void print_finding(const flits::DecodeFinding& finding) const {
    if (!a_.json && !by_message_) fmt::print("  rule: {}\n", flits::describe(finding));
  }

 private:
  static std::string prefix(const flits::FlitRecord* record) {
    return record == nullptr ? "" : fmt::format("{} {} ", record->time_ps, record->link);
  }
  static Json place(const flits::FlitRecord* record) {
    Json json = Json::object();
    if (record != nullptr) {
      json["time_ps"] = record->time_ps;
      json["link"] = record->link;
    }
    return json;
  }
  [[nodiscard]] bool wanted(const flits::FlitRecord& record) const {
    return (a_.link.empty() || record.link == a_.link) && record.time_ps >= a_.from_ps &&
           record.time_ps <= a_.to_ps;
  }
  // A message with all that is requested.
  [[nodiscard]] bool holds(const Json& content) const {
    if (!content.contains("slots")) return false;
    for (const Json& slot : content["slots"]) {
      if (!slot.contains("messages")) continue;
      for (const Json& message : slot["messages"]) {
        const auto is = [&](const char* key, const std::optional<std::uint64_t>& value) {
          return !value || (message.contains(key) && number_of(message[key]) == value);
        };
        const bool opcode =
            !a_.opcode || (message.contains("opcode") && message["opcode"] == *a_.opcode);
        if (opcode && is("tag", a_.tag) && is("address", a_.address)) return true;
      }
    }
    return false;
  }

  const FlitArguments& a_;
  bool by_message_;
};

// Bare flits: one stream of one direction, every clean flit accepted.
void decode_bare(flits::FlitLogReader& log, const FlitArguments& a) {
  const Printer printer(a);
  flits::Decoder decoder(*flits::direction_from_name(a.direction));
  flits::Flit flit;
  while (log.read_bare(flit)) {
    const auto id = flit.protocol_id().id;
    const bool read = id && (!flits::is_cachemem(*id) || flit.crc_ok());
    printer.print(nullptr, decoder.direction(), flit, decoder.owed(), !read);
    if (!read || !flits::is_cachemem(*id)) continue;
    for (const flits::DecodeFinding& finding : decoder.decode(flit).findings) {
      printer.print_finding(finding);
    }
  }
}

// Flits of which the receiver made nothing: damaged, or in the shadow of a damaged one.
std::uint64_t unread(const flits::DirectionStats& stats) {
  return stats.discarded + stats.crc_errors + stats.id_errors + stats.almp_errors;
}

// A flit log: what a flit means depends on the data slots its receiver is owed, which the link
// checker follows through errors and retries.
void decode_log(flits::FlitLogReader& log, const FlitArguments& a) {
  const Printer printer(a);
  flits::FlitRecord record;
  std::map<std::string, flits::LinkChecker> links;
  while (log.read(record)) {
    flits::LinkChecker& link = links.try_emplace(record.link).first->second;
    if (record.recovery || record.down) {
      printer.print_event(record);
      record.recovery ? link.on_recovery(record.time_ps) : link.on_down(record.time_ps);
      continue;
    }
    const unsigned owed = link.discarding(record.direction) ? 0 : link.owed(record.direction);
    const std::uint64_t before = unread(link.stats(record.direction));
    link.on_flit(record.time_ps, record.direction, record.flit);
    printer.print(&record, record.direction, record.flit, owed,
                  unread(link.stats(record.direction)) != before);
  }
}

int decode(const FlitArguments& a) {
  flits::FlitLogReader log(a.file);
  if (log.bare()) {
    decode_bare(log, a);
  } else {
    decode_log(log, a);
  }
  return 0;
}

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

}  // namespace

void add_flit_command(CLI::App& app, FlitArguments& a) {
  app.require_subcommand(1);
  const auto action = [&](const char* name, const char* help) {
    CLI::App* sub = app.add_subcommand(name, help);
    sub->add_option("file", a.file, "input file, plain or gzip; left out: standard input");
    sub->callback([&a, name] { a.action = name; });
    return sub;
  };
  CLI::App* d = action("decode", "print what flits hold");
  d->add_flag("--json", a.json, "one JSON object a flit");
  d->add_option("--direction", a.direction, "of hex flits")->check(CLI::IsMember({"M2S", "S2M"}));
  d->add_option("--link", a.link, "of a log: this link only");
  d->add_option("--from-ps", a.from_ps, "of a log: not before this time");
  d->add_option("--to-ps", a.to_ps, "of a log: not after this time");
  d->add_option("--opcode", a.opcode, "flits with such a message only, e.g. MemRd");
  d->add_option("--tag", a.tag, "flits with a message of this tag only, decimal or 0x");
  d->add_option("--address", a.address, "flits with a message of this address only");
  action("encode", "make flits from JSON");
  CLI::App* c = action("check", "hold a flit log against the link rules");
  c->add_flag("--wrap-inclusive", a.wrap_inclusive,
              "sequence numbers of a retry run up to the wrap value, not to the one before it");
}

int flit_command(const FlitArguments& a) {
  if (a.action == "encode") return encode(a);
  if (a.action == "check") return check(a);
  return decode(a);
}

}  // namespace cxlgpu
