#include "refmodel/host/line_reader.hpp"

#include <algorithm>

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

LineReader::LineReader(const std::string& path)
    : path_(path), file_(gzopen(path.c_str(), "rb"), &gzclose) {
  if (!file_) throw InputError(path, 0, "cannot be opened", "check the name and its permissions");
  gzbuffer(file_.get(), 256 * 1024);
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
      if (begin_ >= buffer_.size()) return std::nullopt;
      const std::string_view line(buffer_.data() + begin_, buffer_.size() - begin_);
      begin_ = buffer_.size();
      return line;
    }
    fill();
  }
}

void LineReader::fill() {
  buffer_.erase(0, begin_);
  begin_ = 0;
  if (buffer_.size() > 4096) {
    throw InputError(path_, line_, "line is longer than 4096 characters",
                     "give a text file, plain or gzip");
  }
  const std::size_t old = buffer_.size();
  constexpr unsigned kChunk = 64 * 1024;
  buffer_.resize(old + kChunk);
  const int n = gzread(file_.get(), buffer_.data() + old, kChunk);
  buffer_.resize(old + static_cast<std::size_t>(std::max(n, 0)));
  int code = Z_OK;
  gzerror(file_.get(), &code);
  if (n < 0 || code == Z_BUF_ERROR || code == Z_DATA_ERROR) {
    // A cut file is reported where its readable part ends.
    for (const char c : buffer_) line_ += c == '\n';
    throw InputError(path_, line_,
                     code == Z_BUF_ERROR    ? "gzip data is cut short"
                     : code == Z_DATA_ERROR ? "gzip data is damaged"
                                            : "file cannot be read",
                     "copy or make the file again");
  }
  end_ = n == 0;
}

}  // namespace cxlgpu
