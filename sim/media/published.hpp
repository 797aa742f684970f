// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
// Published figures of a part, kept in its file beside what the model is made of.
//
// Purpose: what `cxlgpu media` holds its own measurement against. The model never reads them.
// Shapes:  the optional list `published:` of a part's file; each item has figure, value, unit and
//          source, and may have why: what explains a difference over 10 %.
// Units:   value is in the figure's base unit: ns, IOPS or GB/s (10^9 bytes/s), whatever the unit
//          in the file.
// Errors:  InputError, one line with file, line and key: a figure that is not measured of such a
//          part, a unit of another quantity, a figure twice, a key missing or unknown.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace cxlgpu {

class ConfigReader;

enum class Quantity : std::uint8_t { Latency, Rate, Bandwidth };
[[nodiscard]] const char* base_unit(Quantity quantity);

// Dram, flash rewritten in place, flash with a translation layer.
enum class PartKind : std::uint8_t { Dram, InPlace, Translated };

struct FigureName {
  const char* name;
  Quantity quantity;
  const char* what;
};
// Names of what is measured of a part, in the order of the tables. read_64b_cxl needs the whole
// system: eval/parts.py measures it.
[[nodiscard]] std::vector<FigureName> figure_names(PartKind kind);

struct PublishedFigure {
  std::string figure;
  Quantity quantity = Quantity::Latency;
  double value = 0;
  std::string source;
  std::string why;  // empty: none given
};

// The section of the file, empty if it has none.
[[nodiscard]] std::vector<PublishedFigure> read_published(ConfigReader& in, PartKind kind);

}  // namespace cxlgpu
