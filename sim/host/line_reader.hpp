// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
// Lines of a text file, plain or compressed, and the pieces that readers of such lines share.
//
// Purpose: what the trace and graph readers have in common: memory stays small whatever the file
//          holds, and every error names file and line.
// Units:   lines count from 1.
// Errors:  InputError "FILE:LINE: what; what to do" for a file that cannot be opened or read, a
//          line that is longer than the reader's limit, compressed data that is damaged, cut short
//          or followed by something else.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "common/input_error.hpp"
#include "flits/input_file.hpp"

namespace cxlgpu {

// Where in a file an error is.
struct FilePlace {
  const std::string& file;
  std::uint64_t line;
  [[noreturn]] void fail(const std::string& what, const std::string& remedy) const {
    throw InputError(file, line, what, remedy);
  }
};

// What a person gets to see of bad input: short and printable.
std::string shown(std::string_view text);

// Without spaces, tabs and carriage returns at either end.
std::string_view trim(std::string_view s);

// Splits at `separator` (a space stands for any run of blanks) into at most N pieces; returns how
// many there are, N + 1 for more.
template <std::size_t N>
std::size_t split(std::string_view line, char separator, std::array<std::string_view, N>& fields) {
  std::size_t n = 0;
  while (n < N) {
    std::size_t at;
    if (separator == ' ') {
      line = trim(line);
      if (line.empty()) return n;
      at = line.find_first_of(" \t");
    } else {
      at = line.find(separator);
    }
    fields[n++] = trim(line.substr(0, at));
    if (at == std::string_view::npos) return n;
    line.remove_prefix(at + 1);
  }
  return trim(line).empty() && separator == ' ' ? n : n + 1;
}

class LineReader {
 public:
  static constexpr std::size_t kMostCharacters = 4096;
  // "-": standard input. `stop` as of InputFile; then there are whole lines alone. `most`:
  // characters of a line, about.
  explicit LineReader(const std::string& path, const std::atomic<int>* stop = nullptr,
                      std::size_t most = kMostCharacters);
  // The next line without its line feed, valid until the call after; nullopt at the end.
  std::optional<std::string_view> next();
  // Number of the line that next() gave; behind the last one at the end.
  [[nodiscard]] std::uint64_t line() const { return line_; }
  // The file in messages.
  [[nodiscard]] const std::string& name() const { return name_; }
  [[nodiscard]] flits::Compression compression() const { return file_->compression(); }
  // Of a file, not of a pipe: it can be read again from its first line.
  [[nodiscard]] bool rewinds() const { return file_->rewinds(); }
  void rewind();

 private:
  void fill();

  std::string name_;
  std::size_t most_;
  std::unique_ptr<flits::InputFile> file_;
  std::string buffer_;
  std::size_t begin_ = 0;
  std::uint64_t line_ = 0;
  bool end_ = false;
};

}  // namespace cxlgpu
