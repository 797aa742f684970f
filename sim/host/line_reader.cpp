// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
#include "sim/host/line_reader.hpp"

#include <fmt/format.h>

namespace cxlgpu {
namespace {

constexpr bool is_blank(char c) {
  return c == ' ' || c == '\t' || c == '\r' || c == '\v';
}

}  // namespace

std::string shown(std::string_view text) {
  std::string out;
  for (const char c : text.substr(0, 40)) out += (c >= ' ' && c <= '~') ? c : '?';
  return text.size() > 40 ? out + "..." : out;
}

std::string_view trim(std::string_view s) {
  while (!s.empty() && is_blank(s.front())) s.remove_prefix(1);
  while (!s.empty() && is_blank(s.back())) s.remove_suffix(1);
  return s;
}

LineReader::LineReader(const std::string& path, const std::atomic<int>* stop, std::size_t most)
    : name_(path == "-" ? "standard input" : path),
      most_(most),
      file_(std::make_unique<flits::InputFile>(path, stop)) {
  if (!file_->is_open()) {
    throw InputError(name_, 0, "cannot be opened", "check the name and its permissions");
  }
}

std::optional<std::string_view> LineReader::next() {
  ++line_;
  for (;;) {
    const std::size_t feed = buffer_.find('\n', begin_);
    if (feed != std::string::npos) {
      const std::string_view line(buffer_.data() + begin_, feed - begin_);
      begin_ = feed + 1;
      return line;
    }
    if (end_) {
      if (begin_ >= buffer_.size() || file_->stopped()) return std::nullopt;
      const std::string_view line(buffer_.data() + begin_, buffer_.size() - begin_);
      begin_ = buffer_.size();
      return line;
    }
    fill();
  }
}

void LineReader::rewind() {
  if (!file_->rewind()) throw InputError(name_, 0, "cannot be read again", "give a file");
  buffer_.clear();
  begin_ = 0;
  line_ = 0;
  end_ = false;
}

void LineReader::fill() {
  buffer_.erase(0, begin_);
  begin_ = 0;
  if (buffer_.size() > most_) {
    throw InputError(name_, line_, fmt::format("line is longer than {} characters", most_),
                     "give a text file, plain or compressed");
  }
  const std::size_t old = buffer_.size();
  constexpr std::size_t kChunk = 64 * 1024;
  buffer_.resize(old + kChunk);
  const auto got = file_->read(buffer_.data() + old, kChunk);
  buffer_.resize(old + got.value_or(0));
  if (!got) {
    // A cut file is reported where its readable part ends.
    for (const char c : buffer_) line_ += c == '\n';
    throw InputError(name_, line_, std::string(file_->problem()), "copy or make the file again");
  }
  end_ = *got == 0;
}

}  // namespace cxlgpu
