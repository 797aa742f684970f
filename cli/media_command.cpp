// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
#include "cli/media_command.hpp"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <array>
#include <cmath>
#include <nlohmann/json.hpp>
#include <optional>
#include <vector>

#include "cli/figure.hpp"
#include "cli/media_comparison.hpp"
#include "cli/write_file.hpp"
#include "common/input_error.hpp"
#include "common/nearest.hpp"
#include "sim/media/media_profile.hpp"

namespace cxlgpu {

namespace {

using nlohmann::json;

MediaConfig load_part(const std::string& part, const std::filesystem::path& configs) {
  const std::filesystem::path given = part;
  if (given.extension() == ".yaml" || given.has_parent_path()) {
    if (std::filesystem::is_directory(given)) {
      throw InputError(fmt::format("{}: is a folder; give a part's file", part));
    }
    return load_media_config(given);
  }
  const std::vector<std::string> names = media_names(configs / "media");
  if (std::find(names.begin(), names.end(), part) == names.end()) {
    throw InputError(
        fmt::format("command line: media '{}' is not known; {}use {} or a path to a .yaml file",
                    part, did_you_mean(part, names), fmt::join(names, ", ")));
  }
  return load_media_config(configs / "media" / (part + ".yaml"));
}

// ---- pictures: both have GB/s across and latency up, by powers of ten --------------------------

struct Line {
  const char* name;
  char mark;          // in the terminal
  const char* style;  // in the SVG
  bool stream, p99;
};
constexpr std::array<Line, 4> kLines = {
    {{"random, mean", 'r', "stroke=\"#1f5fa8\"", false, false},
     {"random, p99", 'R', "stroke=\"#1f5fa8\" stroke-dasharray=\"5 3\"", false, true},
     {"stream, mean", 's', "stroke=\"#b5531c\"", true, false},
     {"stream, p99", 'S', "stroke=\"#b5531c\" stroke-dasharray=\"5 3\"", true, true}}};

const std::vector<LoadPoint>& points_of(const MediaProfile& p, const Line& line) {
  return line.stream ? p.stream.points : p.random.points;
}
double latency_of(const LoadPoint& point, const Line& line) {
  return std::max(line.p99 ? point.p99.ns() : point.mean.ns(), 1e-3);
}

struct Axes {
  double most_gb_s = 0;
  int low = 0, high = 0;  // powers of ten, ns

  explicit Axes(const MediaProfile& p) {
    double least = 1e30, most = 0;
    for (const Line& line : kLines) {
      for (const LoadPoint& point : points_of(p, line)) {
        most_gb_s = std::max(most_gb_s, point.reached_gb_s);
        least = std::min(least, latency_of(point, line));
        most = std::max(most, latency_of(point, line));
      }
    }
    low = static_cast<int>(std::floor(std::log10(least)));
    high = std::max(low + 1, static_cast<int>(std::ceil(std::log10(most))));
  }
  // 0..1
  [[nodiscard]] double across(double gb_s) const { return gb_s / most_gb_s; }
  [[nodiscard]] double up(double ns) const { return (std::log10(ns) - low) / (high - low); }
};

std::string power_text(int power) {
  if (power < 3) return fmt::format("{:g} ns", std::pow(10.0, power));
  if (power < 6) return fmt::format("{:g} us", std::pow(10.0, power - 3));
  return fmt::format("{:g} ms", std::pow(10.0, power - 6));
}

std::string terminal_picture(const MediaProfile& p) {
  constexpr int kWidth = 64, kStep = 8;  // columns; rows for a power of ten
  const Axes axes(p);
  const int rows = (axes.high - axes.low) * kStep + 1;
  std::vector<std::string> grid(static_cast<std::size_t>(rows), std::string(kWidth + 1, ' '));
  for (const Line& line : kLines) {
    for (const LoadPoint& point : points_of(p, line)) {
      const auto x =
          static_cast<std::size_t>(std::lround(axes.across(point.reached_gb_s) * kWidth));
      const auto y =
          static_cast<std::size_t>(std::lround(axes.up(latency_of(point, line)) * (rows - 1)));
      char& at = grid[y][x];
      if (at == ' ') at = line.mark;
    }
  }
  std::string text;
  for (int row = rows - 1; row >= 0; --row) {
    const std::string label = row % kStep == 0 ? power_text(axes.low + row / kStep) : "";
    std::string line = fmt::format("{:>8} |{}", label, grid[static_cast<std::size_t>(row)]);
    line.erase(line.find_last_not_of(' ') + 1);
    text += line + "\n";
  }
  text += fmt::format("{:>8} +{}\n", "", std::string(kWidth + 1, '-'));
  text += fmt::format("{:>10}0{:>{}} GB/s reached\n", "", fmt::format("{:.3g}", axes.most_gb_s),
                      kWidth);
  text += fmt::format("{:>10}", "");
  for (const Line& line : kLines) text += fmt::format("{} {}   ", line.mark, line.name);
  text.erase(text.find_last_not_of(' ') + 1);
  return text + "\n";
}

std::string xml_text(const std::string& text) {
  std::string out;
  for (const char c : text) {
    if (c == '&')
      out += "&amp;";
    else if (c == '<')
      out += "&lt;";
    else if (c == '>')
      out += "&gt;";
    else
      out += c;
  }
  return out;
}

// A round number of GB/s that makes four to ten grid lines.
double grid_step(double most) {
  const double power = std::pow(10.0, std::floor(std::log10(most / 4)));
  for (const double factor : {5.0, 2.0}) {
    if (most / (power * factor) >= 4) return power * factor;
  }
  return power;
}

// One panel a size of read, one below the other.
std::string svg_picture(const MediaConfig& config, const std::vector<MediaProfile>& profiles) {
  constexpr double kLeft = 70, kTop = 50, kWidth = 560, kHeight = 300, kPanel = 430;
  std::string svg = fmt::format(
      "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"720\" height=\"{0:.0f}\" "
      "viewBox=\"0 0 720 {0:.0f}\" font-family=\"sans-serif\" font-size=\"12\">\n"
      "<rect width=\"100%\" height=\"100%\" fill=\"white\"/>\n",
      kPanel * static_cast<double>(profiles.size()));
  double top = kTop;
  for (const MediaProfile& p : profiles) {
    const Axes axes(p);
    const auto x = [&](double gb_s) { return kLeft + axes.across(gb_s) * kWidth; };
    const auto y = [&](double ns) { return top + (1 - axes.up(ns)) * kHeight; };
    svg +=
        fmt::format("<text x=\"{:.0f}\" y=\"{:.0f}\" font-size=\"14\">{}, reads of {} B</text>\n",
                    kLeft, top - 16, xml_text(config.part), p.bytes);
    for (int power = axes.low; power <= axes.high; ++power) {
      const double at = y(std::pow(10.0, power));
      svg += fmt::format(
          "<path d=\"M{0:.1f} {1:.1f}H{2:.1f}\" stroke=\"#ddd\"/><text x=\"{3:.1f}\" y=\"{4:.1f}\" "
          "text-anchor=\"end\">{5}</text>\n",
          kLeft, at, kLeft + kWidth, kLeft - 6, at + 4, power_text(power));
    }
    const double step = grid_step(axes.most_gb_s);
    for (int i = 0; i * step <= axes.most_gb_s; ++i) {
      svg += fmt::format(
          "<path d=\"M{0:.1f} {1:.1f}V{2:.1f}\" stroke=\"#ddd\"/><text x=\"{0:.1f}\" y=\"{3:.1f}\" "
          "text-anchor=\"middle\">{4:g}</text>\n",
          x(i * step), top, top + kHeight, top + kHeight + 16, i * step);
    }
    svg += fmt::format("<text x=\"{:.0f}\" y=\"{:.0f}\" text-anchor=\"end\">GB/s reached</text>\n",
                       kLeft + kWidth, top + kHeight + 34);
    double key = kLeft;
    for (const Line& line : kLines) {
      std::string path;
      for (const LoadPoint& point : points_of(p, line)) {
        path += fmt::format("{}{:.1f} {:.1f}", path.empty() ? "M" : "L", x(point.reached_gb_s),
                            y(latency_of(point, line)));
      }
      svg +=
          fmt::format("<path d=\"{}\" fill=\"none\" stroke-width=\"2\" {}/>\n", path, line.style);
      svg += fmt::format(
          "<path d=\"M{0:.0f} {1:.0f}h24\" stroke-width=\"2\" {2}/><text x=\"{3:.0f}\" "
          "y=\"{4:.0f}\">{5}</text>\n",
          key, top + kHeight + 50, line.style, key + 30, top + kHeight + 54, line.name);
      key += 140;
    }
    top += kPanel;
  }
  return svg + "</svg>\n";
}

// ---- table and document ------------------------------------------------------------------------

json curve_json(const LoadCurve& curve) {
  json offered = json::array(), reached = json::array(), mean = json::array(), p99 = json::array();
  for (const LoadPoint& point : curve.points) {
    offered.push_back(point.offered_gb_s);
    reached.push_back(point.reached_gb_s);
    mean.push_back(point.mean.ns());
    p99.push_back(point.p99.ns());
  }
  return {{"most", figure(curve.most_gb_s, "GB/s")},
          {"offered", {{"values", offered}, {"unit", "GB/s"}}},
          {"reached", {{"values", reached}, {"unit", "GB/s"}}},
          {"mean", {{"values", mean}, {"unit", "ns"}}},
          {"p99", {{"values", p99}, {"unit", "ns"}}}};
}

json document_of(const MediaConfig& config, std::uint32_t seed,
                 const std::vector<MediaProfile>& profiles, const MediaFigures& figures) {
  json reads = json::array();
  for (const MediaProfile& p : profiles) {
    reads.push_back({{"size", figure(p.bytes, "bytes")},
                     {"idle", figure(p.idle.ns(), "ns")},
                     {"random", curve_json(p.random)},
                     {"stream", curve_json(p.stream)}});
  }
  json document = {{"schema", 1},         {"media", config.name},
                   {"part", config.part}, {"file", config.file.string()},
                   {"seed", seed},        {"capacity", figure(config.capacity(), "bytes")},
                   {"reads", reads}};
  if (const auto* dram = std::get_if<DramConfig>(&config.params)) {
    document["pins"] = figure(pin_gb_s(*dram), "GB/s");
    document["pins_less_all_bank_refresh"] = figure(refreshed_gb_s(*dram), "GB/s");
  }
  add_figures(document, config, figures);
  return document;
}

std::string table_of(const MediaConfig& config, const MediaProfile& p) {
  std::string text = fmt::format("{}: {}; reads of {} B\n", config.name, config.part, p.bytes);
  text += fmt::format("idle latency      {:10.1f} ns\n", p.idle.ns());
  const auto most = [&](const char* name, double gb_s) {
    text +=
        fmt::format("{:<18}{:10.2f} GB/s, {:.2f} M reads/s\n", name, gb_s, gb_s * 1000 / p.bytes);
  };
  most("random, most", p.random.most_gb_s);
  most("stream, most", p.stream.most_gb_s);
  if (const auto* dram = std::get_if<DramConfig>(&config.params)) {
    text += fmt::format("data pins         {:10.2f} GB/s, {:.2f} less all-bank refresh\n",
                        pin_gb_s(*dram), refreshed_gb_s(*dram));
  }
  text += fmt::format("\n{:>32}{:>40}\n", "random", "stream");
  const auto heads = [](const char* gap) {
    return fmt::format("{}{:>8}{:>9}{:>9}{:>10}", gap, "offered", "reached", "mean", "p99");
  };
  text += heads("") + heads("    ") + "\n";
  const auto units = [](const char* gap) {
    return fmt::format("{}{:>8}{:>9}{:>9}{:>10}", gap, "GB/s", "GB/s", "ns", "ns");
  };
  text += units("") + units("    ") + "\n";
  const auto cells = [](const LoadCurve& curve, std::size_t i) {
    if (i >= curve.points.size()) return std::string(36, ' ');
    const LoadPoint& point = curve.points[i];
    return fmt::format("{:8.2f}{:9.2f}{:9.1f}{:10.1f}", point.offered_gb_s, point.reached_gb_s,
                       point.mean.ns(), point.p99.ns());
  };
  for (std::size_t i = 0; i < std::max(p.random.points.size(), p.stream.points.size()); ++i) {
    std::string line = cells(p.random, i) + "    " + cells(p.stream, i);
    line.erase(line.find_last_not_of(' ') + 1);
    text += line + "\n";
  }
  return text;
}

}  // namespace

void add_media_command(CLI::App& app, MediaArguments& a) {
  app.add_option("part", a.part, "a part of configs/media, or FILE.yaml")->required();
  app.add_option("--out", a.out, "directory for media.json and media.svg");
  app.add_option("--seed", a.seed, "seed of addresses and arrivals");
}

int media_command(const MediaArguments& a, const std::filesystem::path& configs) {
  const MediaConfig config = load_part(a.part, configs);
  std::optional<HostInterface> host;
  if (!config.interface.empty()) {
    host = load_host_interface(configs / "host/nvme.yaml", config.interface, config.file,
                               config.interface_line);
  }
  const ResultFolder folder(a.out);
  const std::vector<MediaProfile> profiles = profile_media(config, a.seed);
  const MediaFigures figures = measure_figures(config, profiles, host ? &*host : nullptr, a.seed);
  if (!a.out.empty()) {
    const std::filesystem::path out = a.out;
    write_files(
        {{out / "media.json", document_of(config, a.seed, profiles, figures).dump(1) + "\n"},
         {out / "media.svg", svg_picture(config, profiles)}});
  }
  for (const MediaProfile& p : profiles) {
    fmt::print("{}\n{}\n", table_of(config, p), terminal_picture(p));
  }
  fmt::print("{}", figures_text(config, figures));
  if (const std::string text = published_text(config, figures); !text.empty()) {
    fmt::print("\n{}", text);
  }
  return 0;
}

}  // namespace cxlgpu
