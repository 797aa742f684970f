// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
#include "sim/host/graph_reader.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <utility>

#include "sim/host/line_reader.hpp"

namespace cxlgpu {
namespace {

using Edge = std::pair<std::uint32_t, std::uint32_t>;

std::string lower(std::string_view text) {
  std::string out(text);
  for (char& c : out) c = c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  return out;
}

template <typename T>
T number(std::string_view text, const char* name, const FilePlace& place) {
  T value{};
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc{} || end != text.data() + text.size()) {
    place.fail(fmt::format("{} '{}' is not a number that can be used here", name, shown(text)),
               std::is_floating_point_v<T> ? "write a finite decimal number"
                                           : "write a whole number of 0 or more");
  }
  return value;
}

void check_edges(std::uint64_t edges, const FilePlace& place) {
  if (edges > Graph::kMaxEdges) {
    place.fail(fmt::format("the graph has more than {} edges", Graph::kMaxEdges),
               "give a smaller graph");
  }
}

// Counting sort by source; edges of a node keep their order.
Graph compressed(const std::vector<Edge>& edges, std::uint64_t nodes) {
  Graph graph;
  std::vector<std::uint32_t>& first = graph.first_edges;
  first.assign(nodes + 1, 0);
  for (const Edge& e : edges) ++first[e.first + 1];
  for (std::uint64_t n = 0; n < nodes; ++n) first[n + 1] += first[n];
  graph.targets.resize(edges.size());
  for (const Edge& e : edges) graph.targets[first[e.first]++] = e.second;
  // Each is now where the next node's begin.
  std::copy_backward(first.begin(), first.end() - 1, first.end());
  first.front() = 0;
  return graph;
}

struct MarketHeader {
  bool has_value = false, integer = false, symmetric = false;
};

MarketHeader market_header(std::string_view line, const FilePlace& place) {
  std::array<std::string_view, 5> word;
  constexpr const char* kRemedy =
      "write %%MatrixMarket matrix coordinate pattern|real|integer general|symmetric";
  if (split(line, ' ', word) != 5) place.fail("the header has not five words", kRemedy);
  const auto need = [&](std::size_t i, std::initializer_list<std::string_view> allowed) {
    const std::string have = lower(word[i]);
    if (std::find(allowed.begin(), allowed.end(), have) == allowed.end()) {
      place.fail(fmt::format("'{}' in the header is not supported for a graph", shown(word[i])),
                 kRemedy);
    }
    return have;
  };
  need(1, {"matrix"});
  need(2, {"coordinate"});
  const std::string field = need(3, {"pattern", "real", "integer"});
  const std::string symmetry = need(4, {"general", "symmetric"});
  return {field != "pattern", field == "integer", symmetry == "symmetric"};
}

class MarketEntries {
 public:
  MarketEntries(const std::string& path, LineReader& lines, const MarketHeader& header)
      : path_(path), lines_(lines), header_(header) {}

  Graph read() {
    read_counts();
    std::vector<Edge> edges;
    for (std::uint64_t n = 0; const auto line = next();) {
      const FilePlace place{path_, lines_.line()};
      if (n++ == entries_) {
        place.fail(fmt::format("more than the {} entries that the header names", entries_),
                   "correct the count or drop the rest");
      }
      add(*line, place, edges);
      check_edges(edges.size(), place);
      read_ = n;
    }
    if (read_ != entries_) {
      const FilePlace place{path_, lines_.line()};
      place.fail(fmt::format("the file ends after {} of {} entries", read_, entries_),
                 "copy the file again or correct the count");
    }
    return compressed(edges, nodes_);
  }

 private:
  // The next line that is neither blank nor a comment.
  std::optional<std::string_view> next() {
    while (const auto raw = lines_.next()) {
      const std::string_view line = trim(*raw);
      if (!line.empty() && line.front() != '%') return line;
    }
    return std::nullopt;
  }

  void read_counts() {
    const auto line = next();
    const FilePlace place{path_, lines_.line()};
    std::array<std::string_view, 3> f;
    if (!line || split(*line, ' ', f) != 3) {
      place.fail("the line with the counts is missing", "write ROWS COLUMNS ENTRIES");
    }
    nodes_ = number<std::uint64_t>(f[0], "row count", place);
    const auto columns = number<std::uint64_t>(f[1], "column count", place);
    entries_ = number<std::uint64_t>(f[2], "entry count", place);
    if (nodes_ != columns) {
      place.fail(fmt::format("the matrix is {} by {}", nodes_, columns),
                 "a graph is a square matrix; give one");
    }
    if (nodes_ < 1 || nodes_ > Graph::kMaxNodes) {
      place.fail(fmt::format("{} nodes are not in 1..{}", nodes_, Graph::kMaxNodes),
                 "give another graph");
    }
    check_edges(entries_, place);
  }

  void add(std::string_view line, const FilePlace& place, std::vector<Edge>& edges) const {
    std::array<std::string_view, 3> f;
    const std::size_t want = header_.has_value ? 3 : 2;
    if (split(line, ' ', f) != want) {
      place.fail(fmt::format("'{}' is not {} fields", shown(line), want),
                 header_.has_value ? "write ROW COLUMN VALUE" : "write ROW COLUMN");
    }
    const std::uint32_t row = index(f[0], "row", place);
    const std::uint32_t column = index(f[1], "column", place);
    if (header_.integer) {
      number<std::int64_t>(f[2], "value", place);
    } else if (header_.has_value) {
      std::string_view text = f[2];
      if (text.size() > 1 && text.front() == '+') text.remove_prefix(1);
      number<double>(text, "value", place);
    }
    if (header_.symmetric && row < column) {
      place.fail(fmt::format("entry ({}, {}) of a symmetric matrix is above the diagonal", row + 1,
                             column + 1),
                 "give the lower triangle alone, or call the matrix general");
    }
    edges.emplace_back(row, column);
    if (header_.symmetric && row != column) edges.emplace_back(column, row);
  }

  [[nodiscard]] std::uint32_t index(std::string_view text, const char* name,
                                    const FilePlace& place) const {
    const auto value = number<std::uint64_t>(text, name, place);
    if (value < 1 || value > nodes_) {
      place.fail(fmt::format("{} {} is not in 1..{}", name, value, nodes_),
                 "correct the entry or the counts");
    }
    return static_cast<std::uint32_t>(value - 1);
  }

  const std::string& path_;
  LineReader& lines_;
  MarketHeader header_;
  std::uint64_t nodes_ = 0, entries_ = 0, read_ = 0;
};

// Node numbers with gaps become 0, 1, 2 ... in their order; returns how many there are.
std::uint64_t renumber(std::vector<Edge>& edges) {
  std::vector<std::uint32_t> names;
  names.reserve(2 * edges.size());
  for (const Edge& e : edges) names.insert(names.end(), {e.first, e.second});
  std::sort(names.begin(), names.end());
  names.erase(std::unique(names.begin(), names.end()), names.end());
  const auto rank = [&](std::uint32_t name) {
    return static_cast<std::uint32_t>(std::lower_bound(names.begin(), names.end(), name) -
                                      names.begin());
  };
  for (Edge& e : edges) e = {rank(e.first), rank(e.second)};
  return names.size();
}

Graph read_edge_list(const std::string& path, LineReader& lines,
                     std::optional<std::string_view> raw) {
  std::vector<Edge> edges;
  for (; raw; raw = lines.next()) {
    const std::string_view line = trim(*raw);
    if (line.empty() || line.front() == '#' || line.front() == '%') continue;
    const FilePlace place{path, lines.line()};
    std::array<std::string_view, 2> f;
    if (split(line, ' ', f) != 2) {
      place.fail(fmt::format("'{}' is not two node numbers", shown(line)),
                 "write one edge a line, FROM TO, or a Matrix Market file");
    }
    const auto from = number<std::uint32_t>(f[0], "node", place);
    const auto to = number<std::uint32_t>(f[1], "node", place);
    edges.emplace_back(from, to);
    check_edges(edges.size(), place);
  }
  const FilePlace place{path, lines.line()};
  if (edges.empty()) place.fail("the file holds no edge", "give a graph that does");
  const std::uint64_t nodes = renumber(edges);
  if (nodes > Graph::kMaxNodes) {
    place.fail(fmt::format("the graph has {} nodes, more than {}", nodes, Graph::kMaxNodes),
               "give a smaller graph");
  }
  return compressed(edges, nodes);
}

}  // namespace

Graph read_graph(const std::string& path) {
  LineReader lines(path);
  const auto first = lines.next();
  constexpr std::string_view kBanner = "%%matrixmarket";
  if (first && lower(first->substr(0, kBanner.size())) == kBanner) {
    const MarketHeader header = market_header(trim(*first), {path, lines.line()});
    return MarketEntries(path, lines, header).read();
  }
  return read_edge_list(path, lines, first);
}

}  // namespace cxlgpu
