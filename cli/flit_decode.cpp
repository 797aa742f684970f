// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
#include "cli/flit_decode.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <set>
#include <vector>

#include "cli/flit_view.hpp"
#include "common/input_error.hpp"
#include "common/nearest.hpp"
#include "flits/almp.hpp"
#include "flits/flit_log.hpp"
#include "flits/io_stream.hpp"
#include "flits/link_checker.hpp"
#include "flits/text.hpp"

namespace cxlgpu {
namespace {

using flits::Direction;
using Json = nlohmann::ordered_json;

// Every number, decimal or 0x; nothing of anything else.
std::optional<std::uint64_t> number_from(std::string_view text) {
  const bool hex = text.starts_with("0x") || text.starts_with("0X");
  if (hex) text.remove_prefix(2);
  std::uint64_t value = 0;
  const auto [end, error] =
      std::from_chars(text.data(), text.data() + text.size(), value, hex ? 16 : 10);
  if (error != std::errc{} || end != text.data() + text.size()) return std::nullopt;
  return value;
}

std::optional<std::uint64_t> number_of(const Json& json) {
  if (json.is_number_unsigned()) return json.get<std::uint64_t>();
  return json.is_string() ? number_from(json.get_ref<const std::string&>()) : std::nullopt;
}

constexpr const char* kAlmp = "ALMP";

// What --opcode may name.
std::set<std::string> known_opcodes() {
  std::set<std::string> names{kAlmp, "LLCRD"};
  const auto add = [&names](const auto& table) {
    for (const auto& entry : table) names.insert(std::string(entry.name));
  };
  add(flits::NamesOf<flits::M2sReqOpcode>::table);
  add(flits::NamesOf<flits::M2sRwdOpcode>::table);
  add(flits::NamesOf<flits::S2mNdrOpcode>::table);
  add(flits::NamesOf<flits::S2mDrsOpcode>::table);
  add(flits::NamesOf<flits::D2hReqOpcode>::table);
  add(flits::NamesOf<flits::D2hRspOpcode>::table);
  add(flits::NamesOf<flits::H2dReqOpcode>::table);
  add(flits::NamesOf<flits::H2dRspOpcode>::table);
  add(flits::kControlCodes);
  for (const std::string_view type : flits::io_packet_types()) names.insert(std::string(type));
  return names;
}

struct Range {
  std::uint64_t first = 0, last = 0;
};

// Which flits are shown.
class Filter {
 public:
  explicit Filter(const FlitArguments& a) : a_(a) {
    if (a.opcode) check_opcode(*a.opcode);
    if (a.address) address_ = range_from(*a.address);
    if (a.from_ps > a.to_ps) {
      throw InputError(fmt::format("--from-ps: {} is behind --to-ps, {}; give the earlier first",
                                   a.from_ps, a.to_ps));
    }
  }

  // By what a flit holds, not only where and when it was seen.
  [[nodiscard]] bool by_content() const { return a_.opcode || a_.tag || address_; }
  [[nodiscard]] bool wants(const flits::FlitRecord& record) const {
    return (a_.link.empty() || record.link == a_.link) && record.time_ps >= a_.from_ps &&
           record.time_ps <= a_.to_ps;
  }
  // One of its messages, packets or the like is all that the filters name.
  [[nodiscard]] bool wants(const Json& flit) const {
    if (!by_content()) return true;
    if (flit.contains("slots")) {
      for (const Json& slot : flit["slots"]) {
        if (slot.contains("messages") && any(slot["messages"], "opcode")) return true;
      }
    }
    if (flit.contains("packets") && any(flit["packets"], "type")) return true;
    if (flit.contains("control")) return is(flit["control"], "type");
    return flit.contains("kind") && flit["kind"] == "almp" && is({{"type", kAlmp}}, "type");
  }

 private:
  static void check_opcode(const std::string& name) {
    const std::set<std::string> known = known_opcodes();
    if (known.contains(name)) return;
    std::string list;
    for (const std::string& one : known) list += (list.empty() ? "" : ", ") + one;
    throw InputError(fmt::format("--opcode: there is no '{}'; {}use one of {}", name,
                                 did_you_mean(name, {known.begin(), known.end()}), list));
  }
  static Range range_from(const std::string& text) {
    const auto dash = text.find('-');
    const auto first = number_from(std::string_view(text).substr(0, dash));
    const auto last =
        dash == std::string::npos ? first : number_from(std::string_view(text).substr(dash + 1));
    if (!first || !last || *first > *last) {
      throw InputError(fmt::format(
          "--address: '{}' is no address; give one, or FIRST-LAST, decimal or 0x", text));
    }
    return {*first, *last};
  }
  [[nodiscard]] bool is(const Json& one, const char* name_key) const {
    if (a_.opcode && !(one.contains(name_key) && one[name_key] == *a_.opcode)) return false;
    if (a_.tag && !(one.contains("tag") && number_of(one["tag"]) == a_.tag)) return false;
    if (!address_) return true;
    const auto address = one.contains("address") ? number_of(one["address"]) : std::nullopt;
    return address && *address >= address_->first && *address <= address_->last;
  }
  [[nodiscard]] bool any(const Json& all, const char* name_key) const {
    return std::any_of(all.begin(), all.end(), [&](const Json& one) { return is(one, name_key); });
  }

  const FlitArguments& a_;
  std::optional<Range> address_;
};

// What is known of a flit beside its bytes.
struct Seen {
  const flits::FlitRecord* record = nullptr;  // of a log; null: a bare flit
  Direction direction = Direction::M2S;
  unsigned owed = 0;
  bool discarded = false;
  std::vector<flits::IoPacket> packets;
  std::vector<std::string> rules;  // that it breaks
};

class Printer {
 public:
  explicit Printer(const FlitArguments& a)
      : a_(a), filter_(a), style_(a.draw ? flit_view_style() : FlitViewStyle{}) {}

  void print(const flits::Flit& flit, const Seen& seen) const {
    if (seen.record != nullptr && !filter_.wants(*seen.record)) return;
    const bool needs_json = a_.json || a_.draw || filter_.by_content();
    const Json json = needs_json ? json_of(flit, seen) : Json();
    if (needs_json && !filter_.wants(json)) return;
    if (a_.json) {
      say(json);
    } else if (a_.draw) {
      fmt::print("{}", draw_flit(json, style_));
    } else {
      fmt::print("{}{}\n", prefix(seen.record), text_of(flit, seen));
      for (const std::string& rule : seen.rules) fmt::print("  rule: {}\n", rule);
    }
  }
  // Recovery, or the link went down.
  void print_event(const flits::FlitRecord& record) const {
    if (filter_.by_content() || !filter_.wants(record)) return;
    if (!a_.json && !a_.draw) {
      fmt::print("{}{}\n", prefix(&record), record.recovery ? "Recovery" : "link down");
      return;
    }
    Json json = place(&record);
    json["event"] = record.recovery ? flit_events::kRecovery : flit_events::kDown;
    if (a_.json) {
      say(json);
    } else {
      fmt::print("{}", draw_flit(json, style_));
    }
  }

 private:
  void say(const Json& json) const {
    a_.on_json ? a_.on_json(json.dump()) : fmt::print("{}\n", json.dump());
  }
  static bool has_crc(const flits::Flit& flit) {
    const auto id = flit.protocol_id().id;
    return id && flits::is_cachemem(*id);
  }
  // Not damaged, as far as its receiver can tell.
  static bool is_whole(const flits::Flit& flit) {
    const auto id = flit.protocol_id().id;
    if (!id) return false;
    if (flits::is_cachemem(*id)) return flit.crc_ok();
    return !flits::is_almp(*id) || flits::read_almp(flit).fault != flits::AlmpFault::CopiesDiffer;
  }
  static std::string prefix(const flits::FlitRecord* record) {
    return record == nullptr ? "" : fmt::format("{} {} ", record->time_ps, record->link);
  }
  static std::string text_of(const flits::Flit& flit, const Seen& seen) {
    std::string text = flits::to_text(flit, seen.direction, seen.owed);
    if (flit.protocol_id().corrected) text += " (protocol ID corrected)";
    for (std::size_t i = 0; i < seen.packets.size(); ++i) {
      text += (i == 0 ? " " : " | ") + flits::to_text(seen.packets[i]);
    }
    if (seen.discarded && is_whole(flit)) text += " (discarded)";
    return text;
  }
  static Json place(const flits::FlitRecord* record) {
    Json json = Json::object();
    if (record != nullptr) {
      json["time_ps"] = record->time_ps;
      json["link"] = record->link;
    }
    return json;
  }
  static Json json_of(const flits::Flit& flit, const Seen& seen) {
    Json json = place(seen.record);
    json.update(flits::to_json(flit, seen.direction, seen.owed));
    const auto id = flit.protocol_id().id;
    if (id && flits::is_io(*id)) {
      json["packets"] = Json::array();
      for (const flits::IoPacket& packet : seen.packets) {
        json["packets"].push_back(flits::to_json(packet));
      }
    }
    if (has_crc(flit)) json["owed"] = seen.owed;
    json["crc_ok"] = has_crc(flit) ? Json(flit.crc_ok()) : Json();
    json["discarded"] = seen.discarded;
    if (!seen.rules.empty()) json["rules"] = seen.rules;
    return json;
  }

  const FlitArguments& a_;
  Filter filter_;
  FlitViewStyle style_;
};

// Bare flits: one stream of one direction, every clean flit accepted.
void decode_bare(flits::FlitLogReader& log, const FlitArguments& a, const Printer& printer) {
  flits::Decoder decoder(*flits::direction_from_name(a.direction));
  flits::IoStream io;
  flits::Flit flit;
  while (log.read_bare(flit)) {
    const auto id = flit.protocol_id().id;
    const bool cachemem = id && flits::is_cachemem(*id);
    Seen seen{.direction = decoder.direction(), .owed = decoder.owed(), .packets = {}, .rules = {}};
    seen.discarded = !id || (cachemem && !flit.crc_ok());
    if (id && flits::is_io(*id)) seen.packets = io.take(flit);
    if (cachemem && !seen.discarded) {
      for (const flits::DecodeFinding& finding : decoder.decode(flit).findings) {
        seen.rules.push_back(flits::describe(finding));
      }
    }
    printer.print(flit, seen);
  }
}

// Flits of which the receiver made nothing: damaged, or in the shadow of a damaged one.
std::uint64_t unread(const flits::DirectionStats& stats) {
  return stats.discarded + stats.crc_errors + stats.id_errors + stats.almp_errors;
}

// A flit log: what a flit means depends on the data slots its receiver is owed, which the link
// checker follows through errors and retries, and on the packet of CXL.io that goes on in it.
void decode_log(flits::FlitLogReader& log, const FlitArguments& a, const Printer& printer) {
  struct Link {
    flits::LinkChecker checker;
    std::array<flits::IoStream, 2> io;
  };
  flits::FlitRecord record;
  std::map<std::string, Link> links;
  while (log.read(record)) {
    auto& [checker, io] = links.try_emplace(record.link).first->second;
    if (record.recovery || record.down) {
      printer.print_event(record);
      record.recovery ? checker.on_recovery(record.time_ps) : checker.on_down(record.time_ps);
      for (flits::IoStream& stream : io) stream.reset();
      continue;
    }
    const Direction direction = record.direction;
    Seen seen{.record = &record, .direction = direction, .packets = {}, .rules = {}};
    const auto id = record.flit.protocol_id().id;
    const bool deaf = checker.deaf(direction);
    if (id && flits::is_cachemem(*id) && !deaf && !checker.discarding(direction)) {
      seen.owed = checker.owed(direction);
    }
    if (id && flits::is_io(*id)) {
      // A receiver that waits for Recovery has lost its place in the stream.
      flits::IoStream& stream = io[flits::index(direction)];
      if (deaf) stream.reset();
      seen.packets = stream.take(record.flit);
    }
    const std::uint64_t before = unread(checker.stats(direction));
    checker.on_flit(record.time_ps, direction, record.flit);
    seen.discarded = deaf || unread(checker.stats(direction)) != before;
    printer.print(record.flit, seen);
  }
  if (!a.link.empty() && !links.contains(a.link)) {
    std::string names;
    for (const auto& [name, link] : links) names += (names.empty() ? "" : ", ") + name;
    throw InputError(fmt::format("--link: {} has no link '{}'; it has {}",
                                 a.file == "-" ? "standard input" : a.file, a.link,
                                 names.empty() ? "none" : names));
  }
}

}  // namespace

int decode_flits(const FlitArguments& a) {
  const Printer printer(a);
  flits::FlitLogReader log(a.file);
  if (log.bare()) {
    decode_bare(log, a, printer);
  } else {
    decode_log(log, a, printer);
  }
  return 0;
}

}  // namespace cxlgpu
