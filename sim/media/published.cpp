// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
#include "sim/media/published.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "common/nearest.hpp"
#include "sim/media/config_reader.hpp"

namespace cxlgpu {

namespace {

struct Unit {
  const char* name;
  Quantity quantity;
  double base;
};
constexpr std::array<Unit, 7> kUnits = {{{"ns", Quantity::Latency, 1},
                                         {"us", Quantity::Latency, 1e3},
                                         {"IOPS", Quantity::Rate, 1},
                                         {"kIOPS", Quantity::Rate, 1e3},
                                         {"MIOPS", Quantity::Rate, 1e6},
                                         {"GB/s", Quantity::Bandwidth, 1},
                                         {"MB/s", Quantity::Bandwidth, 1e-3}}};

constexpr unsigned kDram = 1, kInPlace = 2, kTranslated = 4, kFlash = kInPlace | kTranslated;
constexpr unsigned kAny = kDram | kFlash;

struct Row {
  unsigned kinds;
  FigureName name;
};
constexpr std::array<Row, 28> kFigures = {{
    {kAny, {"read_64b_idle", Quantity::Latency, "64 B, random, one at a time"}},
    {kAny, {"write_64b_idle", Quantity::Latency, "64 B, random, one at a time"}},
    {kDram, {"row_hit", Quantity::Latency, "64 B idle read of an open row, median"}},
    {kDram, {"row_closed", Quantity::Latency, "64 B idle read of a closed row, median"}},
    {kDram, {"row_conflict", Quantity::Latency, "64 B idle read, another row open, median"}},
    {kDram, {"pins", Quantity::Bandwidth, "data pins"}},
    {kAny, {"read_64b_random_most", Quantity::Bandwidth, "64 B, queue full"}},
    {kAny, {"read_64b_stream_most", Quantity::Bandwidth, "64 B, queue full"}},
    {kDram, {"write_64b_random_most", Quantity::Bandwidth, "64 B, queue full, sustained"}},
    {kDram, {"write_64b_stream_most", Quantity::Bandwidth, "64 B, queue full, sustained"}},
    {kFlash, {"read_4k_idle", Quantity::Latency, "4 KiB, random, one at a time"}},
    {kFlash, {"write_4k_idle", Quantity::Latency, "4 KiB, random, one at a time, buffer empty"}},
    {kFlash, {"read_4k_qd1", Quantity::Rate, "4 KiB, random"}},
    {kFlash, {"read_4k_qd16", Quantity::Rate, "4 KiB, random"}},
    {kFlash, {"read_4k_qd64", Quantity::Rate, "4 KiB, random"}},
    {kFlash, {"read_4k_most", Quantity::Rate, "4 KiB, random, 512 outstanding"}},
    {kFlash, {"write_4k_burst_qd1", Quantity::Rate, "4 KiB, random, buffer empty"}},
    {kFlash, {"write_4k_qd1", Quantity::Rate, "4 KiB, random, buffer full"}},
    {kFlash, {"write_4k_qd16", Quantity::Rate, "4 KiB, random, buffer full"}},
    {kFlash, {"write_4k_qd64", Quantity::Rate, "4 KiB, random, buffer full"}},
    {kFlash, {"sequential_read", Quantity::Bandwidth, "128 KiB, 32 outstanding"}},
    {kInPlace, {"sequential_write", Quantity::Bandwidth, "128 KiB, 32 outstanding, sustained"}},
    {kInPlace, {"random_write", Quantity::Rate, "4 KiB, 512 outstanding, sustained"}},
    {kTranslated, {"sequential_write_fresh", Quantity::Bandwidth, "empty drive: no collection"}},
    {kTranslated, {"sequential_write_full", Quantity::Bandwidth, "full drive: it collects"}},
    {kTranslated, {"random_write_fresh", Quantity::Rate, "4 KiB, empty drive: no collection"}},
    {kTranslated, {"random_write_full", Quantity::Rate, "4 KiB, full drive, steady"}},
    {kAny, {"read_64b_cxl", Quantity::Latency, "64 B load through CXL, one at a time, median"}},
}};

unsigned mask_of(PartKind kind) {
  return 1u << static_cast<unsigned>(kind);
}

}  // namespace

const char* base_unit(Quantity quantity) {
  switch (quantity) {
    case Quantity::Latency:
      return "ns";
    case Quantity::Rate:
      return "IOPS";
    case Quantity::Bandwidth:
      break;
  }
  return "GB/s";
}

std::vector<FigureName> figure_names(PartKind kind) {
  std::vector<FigureName> names;
  for (const Row& row : kFigures) {
    if ((row.kinds & mask_of(kind)) != 0) names.push_back(row.name);
  }
  return names;
}

std::vector<PublishedFigure> read_published(ConfigReader& in, PartKind kind) {
  std::vector<PublishedFigure> figures;
  if (!in.given("published")) return figures;
  const std::size_t count = in.items("published");
  if (count == 0) {
    in.fail("published",
            "is not a list of figures; write each as '- {figure: ..., value: ..., "
            "unit: ..., source: ...}', or leave the section out");
  }
  const std::vector<FigureName> names = figure_names(kind);
  for (std::size_t i = 0; i < count; ++i) {
    const std::string item = fmt::format("published[{}].", i);
    PublishedFigure figure;
    figure.figure = in.text(item + "figure");
    const auto name = std::find_if(names.begin(), names.end(),
                                   [&](const FigureName& n) { return n.name == figure.figure; });
    if (name == names.end()) {
      std::vector<std::string> known;
      for (const FigureName& n : names) known.emplace_back(n.name);
      in.fail(item + "figure",
              fmt::format("'{}' is not measured of such a part; {}use one of: {}", figure.figure,
                          did_you_mean(figure.figure, known), fmt::join(known, ", ")));
    }
    if (std::any_of(figures.begin(), figures.end(),
                    [&](const PublishedFigure& f) { return f.figure == figure.figure; })) {
      in.fail(item + "figure",
              fmt::format("'{}' is given twice; keep one of the two", figure.figure));
    }
    figure.quantity = name->quantity;
    std::vector<std::string> units;
    for (const Unit& unit : kUnits) {
      if (unit.quantity == figure.quantity) units.emplace_back(unit.name);
    }
    const std::string unit = in.choice(item + "unit", units);
    const auto base =
        std::find_if(kUnits.begin(), kUnits.end(), [&](const Unit& u) { return u.name == unit; });
    figure.value = in.decimal(item + "value", 1e-9, 1e12) * base->base;
    figure.source = in.text(item + "source");
    if (in.given(item + "why")) figure.why = in.text(item + "why");
    figures.push_back(std::move(figure));
  }
  return figures;
}

}  // namespace cxlgpu
