// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
#include "cli/media_comparison.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "cli/figure.hpp"

namespace cxlgpu {

namespace {

using nlohmann::json;

std::string value_text(Quantity quantity, double value) {
  switch (quantity) {
    case Quantity::Latency:
      return value < 1000 ? fmt::format("{:.1f} ns", value) : fmt::format("{:.2f} us", value / 1e3);
    case Quantity::Rate:
      return fmt::format("{:.1f} kIOPS", value / 1e3);
    case Quantity::Bandwidth:
      break;
  }
  return fmt::format("{:.2f} GB/s", value);
}

// Words of `text` in lines of at most 100 columns, `head` before the first and blanks of the same
// width before the others.
std::string wrapped(const std::string& head, const std::string& text) {
  constexpr std::size_t kWidth = 100;
  std::string out, line = head;
  bool first = true;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = std::min(text.find(' ', at), text.size());
    const std::string word = text.substr(at, end - at);
    if (!first && line.size() + 1 + word.size() > kWidth) {
      out += line + "\n";
      line = std::string(head.size(), ' ');
      first = true;
    }
    line += (first ? "" : " ") + word;
    first = false;
    at = end + 1;
  }
  return out + line + "\n";
}

std::string trimmed(std::string line) {
  line.erase(line.find_last_not_of(' ') + 1);
  return line + "\n";
}

}  // namespace

std::string figures_text(const MediaConfig& config, const MediaFigures& figures) {
  std::string text = fmt::format("{}: figures{}\n", config.name,
                                 config.interface.empty()
                                     ? std::string()
                                     : fmt::format("; drive: with NVMe over {}", config.interface));
  const std::vector<FigureName> names = figure_names(config.kind());
  text += trimmed(fmt::format("{:<24}{:>15}{:>11}{:>15}{:>11}  {}", "", "media", "mean us",
                              config.interface.empty() ? "" : "drive",
                              config.interface.empty() ? "" : "mean us", ""));
  for (const MeasuredFigure& f : figures.figures) {
    const auto us = [](const std::optional<double>& ns) {
      return ns ? fmt::format("{:.2f}", *ns / 1e3) : std::string();
    };
    text += trimmed(fmt::format(
        "{:<24}{:>15}{:>11}{:>15}{:>11}", f.name, value_text(f.quantity, f.media),
        us(f.media_latency), f.drive ? value_text(f.quantity, *f.drive) : "", us(f.drive_latency)));
  }
  if (figures.full) {
    const FullDrive& full = *figures.full;
    const std::string on =
        full.whole
            ? std::string("the drive itself")
            : fmt::format("a die of {} blocks of {} pages{}", full.die.blocks, full.die.block_pages,
                          full.die.shortened ? ", taken to the part's own by formula" : "");
    text += wrapped(
        "full drive: ",
        fmt::format("a page written is {:.2f} programmed in random writes, {:.2f} in the tenth of "
                    "a sequential pass that follows ({}); {:.2f} pages are read to complete one; "
                    "timed on {:.2f} GB: {} of {} channels, {} blocks of {} pages a die",
                    full.write_amplification, full.sequential_amplification, on, full.merges,
                    static_cast<double>(full.bytes) / 1e9, full.channels,
                    std::get<FlashConfig>(config.params).channels, full.blocks, full.block_pages));
  }
  return text;
}

std::string published_text(const MediaConfig& config, const MediaFigures& figures) {
  const std::vector<Comparison> rows = compare(config, figures);
  if (rows.empty()) return {};
  std::string text = fmt::format("{}: against what is published\n{:<24}{:>15}{:>15}{:>13}\n",
                                 config.name, "", "published", "ours", "difference");
  for (const Comparison& row : rows) {
    const PublishedFigure& p = row.published;
    text +=
        trimmed(fmt::format("{:<24}{:>15}{:>15}{:>13}", p.figure, value_text(p.quantity, p.value),
                            row.ours ? value_text(p.quantity, *row.ours) : "not here",
                            row.ours ? fmt::format("{:+.1f} %", row.difference() * 100) : ""));
    text += wrapped("  source: ", p.source);
    if (!p.why.empty()) text += wrapped("  why:    ", p.why);
    if (row.unexplained()) text += "  why:    NOT EXPLAINED, and over 10 %\n";
  }
  return text;
}

void add_figures(json& document, const MediaConfig& config, const MediaFigures& figures) {
  json& named = document["figures"] = json::object();
  for (const MeasuredFigure& f : figures.figures) {
    const char* unit = base_unit(f.quantity);
    json& entry = named[f.name] = {{"media", figure(f.media, unit)}};
    if (f.drive) entry["drive"] = figure(*f.drive, unit);
    if (f.media_latency) entry["media_latency"] = figure(*f.media_latency, "ns");
    if (f.drive_latency) entry["drive_latency"] = figure(*f.drive_latency, "ns");
  }
  json& published = document["published"] = json::array();
  for (const Comparison& row : compare(config, figures)) {
    const PublishedFigure& p = row.published;
    const char* unit = base_unit(p.quantity);
    published.push_back({{"figure", p.figure},
                         {"published", figure(p.value, unit)},
                         {"ours", row.ours ? figure(*row.ours, unit) : json()},
                         {"difference", row.ours ? figure(row.difference() * 100, "%") : json()},
                         {"source", p.source},
                         {"why", p.why.empty() ? json() : json(p.why)},
                         {"unexplained", row.unexplained()}});
  }
  if (!config.interface.empty()) document["interface"] = config.interface;
  if (figures.full) {
    const FullDrive& full = *figures.full;
    const char* programs = "pages programmed a page written";
    document["full_drive"] = {
        {"write_amplification", figure(full.write_amplification, programs)},
        {"sequential_amplification", figure(full.sequential_amplification, programs)},
        {"merges", figure(full.merges, "pages read a page written")},
        {"timed",
         {{"capacity", figure(full.bytes, "bytes")},
          {"channels", full.channels},
          {"blocks", figure(full.blocks, "a die")},
          {"block", figure(full.block_pages, "pages")}}}};
    if (!full.whole) {
      document["full_drive"]["die"] = {{"blocks", figure(full.die.blocks, "a die")},
                                       {"block", figure(full.die.block_pages, "pages")},
                                       {"shortened", full.die.shortened}};
    }
  }
}

}  // namespace cxlgpu
