// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
#include "cli/trace_command.hpp"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <limits>
#include <nlohmann/json.hpp>
#include <optional>

#include "cli/figure.hpp"
#include "cli/write_file.hpp"
#include "sim/config/config_keys.hpp"
#include "sim/host/trace_profile.hpp"
#include "sim/host/trace_writer.hpp"

namespace cxlgpu {

namespace {

using Json = nlohmann::ordered_json;

constexpr std::uint64_t kMost = std::uint64_t{1} << 50;

double percent(std::uint64_t part, std::uint64_t all) {
  return all == 0 ? 0.0 : 100.0 * static_cast<double>(part) / static_cast<double>(all);
}

Json hex(std::uint64_t address) {
  return fmt::format("{:#x}", address);
}

Json profile_json(const TraceReader& trace, const TraceProfile& p) {
  const auto number = [](std::uint64_t n, const char* unit) { return Json(figure(n, unit)); };
  Json strides = Json::array();
  for (std::size_t i = 0; i < p.strides.size(); ++i) {
    strides.push_back(
        {{"stride", TraceProfile::kStrides[i]}, {"requests", number(p.strides[i], "requests")}});
  }
  Json all = {{"file", trace.file().name()},
              {"format", name(trace.format())},
              {"compression", flits::name(trace.file().compression())},
              {"lines", number(trace.file().line() - 1, "lines")},
              {"requests", number(p.requests(), "requests")},
              {"loads", number(p.loads, "requests")},
              {"stores", number(p.stores, "requests")},
              {"partial_stores", number(p.partial_stores, "requests")},
              {"hints", number(p.hints, "hints")},
              {"hinted", number(p.hinted_bytes, "bytes")},
              {"asked", number(p.bytes, "bytes")},
              {"touched", number(p.touched_bytes(), "bytes")},
              {"touched_is_exact", p.touched_is_exact()},
              {"first_address", hex(p.first)},
              {"data_set", number(p.end, "bytes")}};
  if (trace.format() != TraceFormat::Ramulator2) {
    all["first_cycle"] = number(p.first_cycle, "cycles");
    all["last_cycle"] = number(p.last_cycle, "cycles");
    all["steps_back"] = number(p.steps_back, "requests");
  }
  all["streams"] = number(p.streams, "streams");
  all["in_streams"] = number(p.in_streams, "requests");
  all["strides"] = std::move(strides);
  return all;
}

std::string profile_text(const TraceReader& trace, const TraceProfile& p) {
  std::string text;
  const auto row = [&text](const char* label, const std::string& value) {
    text += fmt::format("  {:<24} {}\n", label, value);
  };
  const std::uint64_t all = p.requests();
  const flits::Compression compression = trace.file().compression();
  row("format", fmt::format("{}{}", name(trace.format()),
                            compression == flits::Compression::None
                                ? ""
                                : fmt::format(", {}", flits::name(compression))));
  row("lines", std::to_string(trace.file().line() - 1));
  row("requests", std::to_string(all));
  row("loads", fmt::format("{} ({:.1f} %)", p.loads, percent(p.loads, all)));
  row("stores", fmt::format("{} ({:.1f} %), {} of a part of their line", p.stores,
                            percent(p.stores, all), p.partial_stores));
  if (p.hints != 0) row("hints", fmt::format("{}, of {} bytes", p.hints, p.hinted_bytes));
  row("bytes requested", std::to_string(p.bytes));
  row("bytes touched",
      fmt::format("{}{}", p.touched_is_exact() ? "" : "about ", p.touched_bytes()));
  row("requests a line", fmt::format("{:.2f}", static_cast<double>(all * kLineBytes) /
                                                   static_cast<double>(p.touched_bytes())));
  row("addresses", fmt::format("{:#x}..{:#x}", p.first, p.end - 1));
  row("data set", fmt::format("{} bytes", p.end));
  if (trace.format() != TraceFormat::Ramulator2) {
    row("cycles", fmt::format("{}..{}", p.first_cycle, p.last_cycle));
    row("requests a cycle",
        fmt::format("{:.4f}", static_cast<double>(all) /
                                  static_cast<double>(p.last_cycle - p.first_cycle + 1)));
    if (p.steps_back != 0) row("before the one before", std::to_string(p.steps_back));
  }
  row("in streams", fmt::format("{} ({:.1f} %), of {} streams", p.in_streams,
                                percent(p.in_streams, all), p.streams));
  text += "  from one to the next\n";
  for (std::size_t i = 0; i < p.strides.size(); ++i) {
    row(fmt::format("  {}", TraceProfile::kStrides[i]).c_str(),
        fmt::format("{} ({:.1f} %)", p.strides[i], percent(p.strides[i], all - 1)));
  }
  return text;
}

int info(const TraceArguments& a) {
  TraceReader trace(a.in);
  TraceProfile profile;
  while (const auto record = trace.next()) profile.add(*record);
  fmt::print("{}", a.json ? profile_json(trace, profile)
                                    .dump(1, ' ', false, nlohmann::json::error_handler_t::replace) +
                                "\n"
                          : profile_text(trace, profile));
  return 0;
}

// What a file's name says, and what --to does; Auto: as it comes.
TraceFormat format_of(const TraceArguments& a) {
  for (const TraceFormat format :
       {TraceFormat::Csv, TraceFormat::Ramulator2, TraceFormat::DramSim3}) {
    if (a.format == name(format)) return format;
  }
  return flits::uncompressed_name(a.out).ends_with(".csv") ? TraceFormat::Csv : TraceFormat::Auto;
}

// The records from one to another, on their way out.
class Copy {
 public:
  explicit Copy(const TraceArguments& a)
      : arguments_(a), in_(a.in), next_(in_.next()), place_{in_.file().name(), in_.file().line()} {
    const TraceFormat format = format_of(a);
    out_.emplace(a.out, format == TraceFormat::Auto ? in_.format() : format, a.lossy);
  }
  // The next one; nothing at the end.
  std::optional<TraceRecord> take() {
    const auto taken = next_;
    place_.line = in_.file().line();
    if (taken) next_ = in_.next();
    return taken;
  }
  void write(const TraceRecord& record) { out_->write(record, place_); }
  [[nodiscard]] TraceFormat format() const { return in_.format(); }
  [[nodiscard]] const std::string& name_in() const { return in_.file().name(); }
  int close() {
    out_->close();
    const TraceWriter::Lost& lost = out_->lost();
    if (lost.cycles + lost.masks + lost.hints != 0) {
      fmt::print(stderr,
                 "{}: dropped the cycles of {} requests, the masks of {} stores, and {} hints\n",
                 arguments_.out, lost.cycles, lost.masks, lost.hints);
    }
    return 0;
  }

 private:
  const TraceArguments& arguments_;
  TraceReader in_;
  std::optional<TraceRecord> next_;  // read ahead, so that the format is known
  FilePlace place_;                  // of the one taken
  std::optional<TraceWriter> out_;
};

int convert(const TraceArguments& a) {
  Copy copy(a);
  while (const auto record = copy.take()) copy.write(*record);
  return copy.close();
}

struct Window {
  std::uint64_t from, to;
  Window(const std::string& from_text, const std::string& to_text, const char* option,
         std::uint64_t least)
      : from(number(from_text, fmt::format("--from{}", option), least, least)),
        to(number(to_text, fmt::format("--to{}", option), least, kMost)) {
    if (from <= to) return;
    throw InputError(
        fmt::format("command line: the window of --from{0} {1} to --to{0} {2} is empty; let it end "
                    "where it begins or after",
                    option, from, to));
  }
  [[nodiscard]] bool holds(std::uint64_t n) const { return n >= from && n <= to; }

 private:
  static std::uint64_t number(const std::string& text, const std::string& option,
                              std::uint64_t least, std::uint64_t otherwise) {
    return text.empty() ? otherwise : parse_range(text, "command line", option, least, kMost);
  }
};

int window(const TraceArguments& a) {
  const Window requests(a.from, a.to, "", 1), cycles(a.from_cycle, a.to_cycle, "-cycle", 0);
  Copy copy(a);
  if (copy.format() == TraceFormat::Ramulator2 &&
      (!a.from_cycle.empty() || !a.to_cycle.empty() || a.rebase)) {
    throw InputError(copy.name_in(), 0, "is a ramulator2 trace, which has no cycles",
                     "cut it by --from and --to");
  }
  std::uint64_t number = 0, written = 0, base = std::numeric_limits<std::uint64_t>::max();
  while (number < requests.to) {
    auto record = copy.take();
    if (!record) break;
    const bool hint = record->hint_granules != 0;
    if (!hint) ++number;
    if (!requests.holds(hint ? number + 1 : number) || !cycles.holds(record->cycle)) continue;
    base = std::min(base, record->cycle);
    // Cycles may go back: not before the window's first.
    if (a.rebase) record->cycle = record->cycle < base ? 0 : record->cycle - base;
    copy.write(*record);
    if (!hint) ++written;
  }
  if (written == 0) {
    throw InputError(copy.name_in(), 0, fmt::format("has no request in the window, of {}", number),
                     "choose another");
  }
  return copy.close();
}

}  // namespace

void add_trace_command(CLI::App& app, TraceArguments& a) {
  app.require_subcommand(1);
  const auto action = [&](const char* name, const char* help) {
    CLI::App* sub = app.add_subcommand(name, help);
    sub->add_option("file", a.in, "a trace, plain or compressed; -: standard input")->required();
    sub->callback([&a, name] { a.action = name; });
    return sub;
  };
  const auto to_file = [&a](CLI::App* sub) {
    sub->add_option("out", a.out,
                    "F.csv: csv; .gz, .zst, .xz, .bz2: compressed; -: standard output")
        ->required();
  };
  action("info", "say what a trace holds")->add_flag("--json", a.json, "for scripts");
  CLI::App* convert = action("convert", "write a trace in another format");
  to_file(convert);
  convert->add_option("--to", a.format, "whatever the name says; left out: as it is")
      ->check(CLI::IsMember({"csv", "ramulator2", "dramsim3"}));
  convert->add_flag("--lossy", a.lossy, "drop what the format has not");
  CLI::App* window = action("window", "write a part of a trace");
  to_file(window);
  window->add_option("--from", a.from, "the first request, counted from 1");
  window->add_option("--to", a.to, "the last one");
  window->add_option("--from-cycle", a.from_cycle, "... not before this cycle");
  window->add_option("--to-cycle", a.to_cycle, "... not after this cycle");
  window->add_flag("--rebase", a.rebase, "let the cycles begin at 0");
}

int trace_command(const TraceArguments& a) {
  if (a.action == "info") return info(a);
  return a.action == "convert" ? convert(a) : window(a);
}

}  // namespace cxlgpu
