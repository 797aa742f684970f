// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
// Functional coverage: which of the situations declared beforehand the suites have been in.
//
// Purpose: a *group* is a product of axes; each of its *bins*, one value an axis, must be hit by a
//          test or be declared impossible with a reason. functional_groups.hpp declares all groups
//          as data, so a test that does not run leaves holes. A Collector counts what one test saw;
//          functional.py merges, prints the holes and draws the page.
// Use:     a test makes a Collector beside the check that compares RTL and twin, tells it what it
//          sees, and calls write() only if that check passed (functional_gtest.hpp does).
// Files:   write() adds the counts to DIR/PROGRAM-PID.json, DIR from CXLGPU_COVERAGE_DIR; written
//          as a whole beside it, then renamed. Without the variable on() is false, and a Collector
//          costs one comparison a hit.
// Errors:  hit() outside the axes is an assert in every build type; write() throws
//          std::runtime_error in one line if the file cannot be written.
#pragma once

#include <cstdint>
#include <filesystem>
#include <initializer_list>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace cxlgpu::coverage {

struct Axis {
  std::string_view name;
  std::vector<std::string_view> values;
};

// Why a bin cannot be, and who forbids it: the standard, or only what our own blocks and benches
// do. Plain text speaks of ours; a peer that keeps to the standard may do it.
enum class By : std::uint8_t { Ours, Standard };
struct Reason {
  constexpr Reason(const char* words) : text(words) {}       // NOLINT: text stands for a reason
  constexpr Reason(std::string_view words) : text(words) {}  // NOLINT
  constexpr Reason(std::string_view words, By who) : text(words), by(who) {}
  std::string_view text;
  By by = By::Ours;
};
constexpr Reason standard(std::string_view text) {
  return {text, By::Standard};
}

// Bins that cannot be: for each axis the values meant, joined by '|'; '*' all of them, '!' before
// them all others. The first declaration that names a bin gives its reason.
struct Impossible {
  std::vector<std::string_view> where;
  Reason reason;
};

struct Group {
  std::string_view name;                 // in files
  std::string_view title;                // on the page
  std::string_view seen;                 // where it is observed, and beside which check
  std::vector<std::string_view> suites;  // test programs that feed it
  std::vector<Axis> axes;
  std::vector<Impossible> impossible;
  std::shared_ptr<const void> words = nullptr;  // keeps names alive that are put together

  [[nodiscard]] std::size_t bins() const;
  // Bins are numbered with the last axis counting fastest.
  [[nodiscard]] std::size_t index(std::span<const unsigned> at) const;
  [[nodiscard]] std::size_t index(std::initializer_list<unsigned> at) const {
    return index(std::span(at.begin(), at.size()));
  }
  [[nodiscard]] std::vector<unsigned> position(std::size_t bin) const;
  // "value/value/value".
  [[nodiscard]] std::string bin_name(std::size_t bin) const;
  // Empty: the bin must be hit.
  [[nodiscard]] std::string_view reason(std::size_t bin) const;
  // Who forbids it; counts only for a bin that has a reason.
  [[nodiscard]] By forbids(std::size_t bin) const;
  // What is wrong with the declaration, a line each: unknown values, patterns that name no bin, a
  // reason that is said to be the standard's here and ours there.
  [[nodiscard]] std::vector<std::string> faults() const;

 private:
  [[nodiscard]] const Impossible* declaration(std::size_t bin) const;
};

class Collector {
 public:
  // Of one group. Directory from the environment.
  explicit Collector(Group group);
  Collector(Group group, std::optional<std::filesystem::path> directory);

  [[nodiscard]] bool on() const { return !counts_.empty(); }
  void hit(std::initializer_list<unsigned> at) { hit(std::span(at.begin(), at.size())); }
  void hit(std::span<const unsigned> at) {
    if (on()) ++counts_[group_.index(at)];
  }
  [[nodiscard]] std::uint64_t count(std::initializer_list<unsigned> at) const {
    return on() ? counts_[group_.index(at)] : 0;
  }
  // Adds the counts to this process's file and starts again from 0.
  void write();

 private:
  Group group_;  // off: nothing
  std::filesystem::path directory_;
  std::vector<std::uint64_t> counts_;  // empty: off
};

}  // namespace cxlgpu::coverage
