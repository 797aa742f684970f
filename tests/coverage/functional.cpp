// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
#include "tests/coverage/functional.hpp"

#include <errno.h>
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <nlohmann/json.hpp>
#include <stdexcept>

namespace cxlgpu::coverage {
namespace {

constexpr const char* kDirectory = "CXLGPU_COVERAGE_DIR";

void require(bool holds, const char* what) {
  if (holds) return;
  std::fprintf(stderr, "tests/coverage/functional.cpp: %s\n", what);
  std::abort();
}

std::optional<std::filesystem::path> directory_from_environment() {
  const char* text = std::getenv(kDirectory);
  if (text == nullptr || *text == '\0') return std::nullopt;
  return text;
}

std::vector<std::string_view> split(std::string_view text) {
  std::vector<std::string_view> parts;
  for (std::size_t at = 0; at <= text.size();) {
    const std::size_t end = std::min(text.find('|', at), text.size());
    parts.push_back(text.substr(at, end - at));
    at = end + 1;
  }
  return parts;
}

// Whether a pattern of one axis means this value.
bool means(std::string_view pattern, std::string_view value) {
  if (pattern == "*") return true;
  const bool others = pattern.starts_with('!');
  const auto parts = split(others ? pattern.substr(1) : pattern);
  return (std::find(parts.begin(), parts.end(), value) != parts.end()) != others;
}

std::filesystem::path file_of_process(const std::filesystem::path& directory) {
  return directory / fmt::format("{}-{}.json", program_invocation_short_name, ::getpid());
}

}  // namespace

std::size_t Group::bins() const {
  std::size_t n = 1;
  for (const Axis& axis : axes) n *= axis.values.size();
  return n;
}

std::size_t Group::index(std::span<const unsigned> at) const {
  require(at.size() == axes.size(), "a bin with another number of axes");
  std::size_t n = 0;
  auto axis = axes.begin();
  for (const unsigned value : at) {
    require(value < axis->values.size(), "a bin outside its axis");
    n = n * axis->values.size() + value;
    ++axis;
  }
  return n;
}

std::vector<unsigned> Group::position(std::size_t bin) const {
  std::vector<unsigned> at(axes.size());
  for (std::size_t a = axes.size(); a-- > 0;) {
    at[a] = static_cast<unsigned>(bin % axes[a].values.size());
    bin /= axes[a].values.size();
  }
  return at;
}

std::string Group::bin_name(std::size_t bin) const {
  std::string text;
  const std::vector<unsigned> at = position(bin);
  for (std::size_t a = 0; a < axes.size(); ++a) {
    if (a != 0) text += '/';
    text += axes[a].values[at[a]];
  }
  return text;
}

const Impossible* Group::declaration(std::size_t bin) const {
  const std::vector<unsigned> at = position(bin);
  for (const Impossible& i : impossible) {
    bool all = true;
    for (std::size_t a = 0; a < axes.size() && all; ++a) {
      all = means(i.where[a], axes[a].values[at[a]]);
    }
    if (all) return &i;
  }
  return nullptr;
}

std::string_view Group::reason(std::size_t bin) const {
  const Impossible* i = declaration(bin);
  return i == nullptr ? std::string_view() : i->reason.text;
}

By Group::forbids(std::size_t bin) const {
  const Impossible* i = declaration(bin);
  return i == nullptr ? By::Ours : i->reason.by;
}

std::vector<std::string> Group::faults() const {
  std::vector<std::string> out;
  for (const Axis& axis : axes) {
    for (const std::string_view value : axis.values) {
      if (value.find_first_of("/|!*\"\\") != std::string_view::npos) {
        out.push_back(
            fmt::format("{}: {}: {} has a character with a meaning", name, axis.name, value));
      }
      if (std::count(axis.values.begin(), axis.values.end(), value) != 1) {
        out.push_back(fmt::format("{}: {}: {} stands twice", name, axis.name, value));
      }
    }
  }
  for (const Impossible& i : impossible) {
    if (i.where.size() != axes.size() || i.reason.text.empty()) {
      out.push_back(fmt::format("{}: a declaration without reason or with other axes", name));
      continue;
    }
    for (std::size_t a = 0; a < axes.size(); ++a) {
      if (i.where[a] == "*") continue;
      for (const std::string_view value : split(i.where[a].substr(i.where[a].starts_with('!')))) {
        const auto& known = axes[a].values;
        if (std::find(known.begin(), known.end(), value) == known.end()) {
          out.push_back(fmt::format("{}: {} has no value {}", name, axes[a].name, value));
        }
      }
    }
  }
  if (!out.empty()) return out;
  // A declaration whose bins others have named already says nothing.
  std::vector<bool> used(impossible.size());
  for (std::size_t bin = 0; bin < bins(); ++bin) {
    const std::string_view why = reason(bin);
    for (std::size_t i = 0; i < impossible.size(); ++i) {
      if (impossible[i].reason.text.data() == why.data()) used[i] = true;
    }
  }
  for (std::size_t i = 0; i < used.size(); ++i) {
    const Reason& why = impossible[i].reason;
    if (!used[i]) out.push_back(fmt::format("{}: names no bin: {}", name, why.text));
    for (std::size_t k = 0; k < i; ++k) {
      const Reason& other = impossible[k].reason;
      if (other.text == why.text && other.by != why.by) {
        out.push_back(fmt::format("{}: the standard's and ours: {}", name, why.text));
      }
    }
  }
  return out;
}

Collector::Collector(Group group) : Collector(std::move(group), directory_from_environment()) {}

Collector::Collector(Group group, std::optional<std::filesystem::path> directory) {
  if (!directory) return;
  group_ = std::move(group);
  directory_ = *directory;
  counts_.resize(group_.bins());
}

void Collector::write() {
  if (!on() || std::all_of(counts_.begin(), counts_.end(), [](auto n) { return n == 0; })) return;
  std::filesystem::create_directories(directory_);
  const std::filesystem::path file = file_of_process(directory_);
  nlohmann::json all = nlohmann::json::object();
  if (std::ifstream old(file); old) {
    all = nlohmann::json::parse(old, nullptr, false);
    if (!all.is_object()) {
      throw std::runtime_error(fmt::format("{}: not a file of counts; remove it", file.string()));
    }
  }
  nlohmann::json& counts = all[std::string(group_.name)];
  if (counts.is_null()) counts = nlohmann::json::object();
  for (std::size_t bin = 0; bin < counts_.size(); ++bin) {
    if (counts_[bin] == 0) continue;
    const std::string name = group_.bin_name(bin);
    counts[name] = counts.value(name, std::uint64_t{0}) + counts_[bin];
  }
  const std::filesystem::path fresh = file.string() + ".new";
  std::ofstream out(fresh);
  out << all.dump(1) << '\n';
  out.close();
  if (!out) {
    throw std::runtime_error(
        fmt::format("{}: cannot be written; see {}", fresh.string(), kDirectory));
  }
  std::filesystem::rename(fresh, file);
  std::fill(counts_.begin(), counts_.end(), 0);
}

}  // namespace cxlgpu::coverage
