// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
#include "flits/flit_log.hpp"

#include <fmt/format.h>

#include <charconv>

namespace cxlgpu::flits {
namespace {

constexpr std::size_t kBlockBytes = 1u << 18;
constexpr std::size_t kMaxLineBytes = 4096;
constexpr std::string_view kShape = "write each line as `time_ps link M2S|S2M` and 136 hex digits";
constexpr std::string_view kRecovery = "#recovery";
constexpr std::string_view kRecoveryShape = "write `#recovery time_ps link`";
constexpr std::string_view kDown = "#down";
constexpr std::string_view kDownShape = "write `#down time_ps link`";

// First word of text, removed from it.
std::string_view next_word(std::string_view& text) {
  const auto begin = std::min(text.find_first_not_of(" \t"), text.size());
  const auto end = std::min(text.find_first_of(" \t", begin), text.size());
  const auto word = text.substr(begin, end - begin);
  text.remove_prefix(end);
  return word;
}

}  // namespace

FlitLogReader::FlitLogReader(const std::string& path)
    : path_(path == "-" ? "stdin" : path), file_(std::make_unique<InputFile>(path)) {
  if (path != "-" && std::filesystem::is_directory(path)) {
    throw InputError(fmt::format("{}: is a folder; name a flit log", path_));
  }
  if (!file_->is_open()) {
    throw InputError(fmt::format("{}: cannot be opened; check the path and its access", path_));
  }
}

std::string FlitLogReader::where() const {
  return blocks_ ? fmt::format("{}: block {}", path_, line_) : fmt::format("{}:{}", path_, line_);
}

void FlitLogReader::fail(std::string_view what, std::string_view remedy) const {
  throw InputError(fmt::format("{}: {}; {}", where(), what, remedy));
}

// More bytes into the buffer, whose first line then begins at its front.
void FlitLogReader::fill() {
  buffer_.erase(0, begin_);
  begin_ = 0;
  const std::size_t before = buffer_.size();
  buffer_.resize(before + kBlockBytes);
  const auto got = file_->read(buffer_.data() + before, kBlockBytes);
  buffer_.resize(before + got.value_or(0));
  if (!got) fail(file_->problem(), "write the log again and close it");
  end_of_file_ = *got == 0;
}

// At least so many bytes wait in the buffer; false: the file has no more.
bool FlitLogReader::have(std::size_t bytes) {
  while (buffer_.size() - begin_ < bytes && !end_of_file_) fill();
  return buffer_.size() - begin_ >= bytes;
}

// Looked at once, at the front of the file.
bool FlitLogReader::is_pcapng() {
  if (looked_) return blocks_.has_value();
  looked_ = true;
  if (!have(kPcapngMagic.size())) return false;
  const auto first = std::string_view(buffer_).substr(begin_, kPcapngMagic.size());
  if (is_pcap(first)) {
    throw InputError(
        fmt::format("{}: is a pcap file, which names no links; save it as pcapng", path_));
  }
  if (first == kPcapngMagic) blocks_.emplace();
  return blocks_.has_value();
}

bool FlitLogReader::read_block(FlitRecord& record) {
  constexpr std::string_view kWhole = "write the file again and close it";
  const auto bytes = [this](std::size_t n) {
    return std::span(reinterpret_cast<const std::uint8_t*>(buffer_.data()) + begin_, n);
  };
  while (have(1)) {
    ++line_;
    if (!have(PcapngBlocks::kHeadBytes)) fail("is cut short", kWhole);
    try {
      const std::size_t length = blocks_->length(bytes(PcapngBlocks::kHeadBytes));
      if (!have(length)) fail("is cut short", kWhole);
      const bool is_record = blocks_->take(bytes(length), record);
      begin_ += length;
      if (is_record) return true;
    } catch (const PcapngError& e) {
      throw InputError(fmt::format("{}: {}", where(), e.what()));
    }
  }
  return false;
}

bool FlitLogReader::read_line(std::string_view& text) {
  ++line_;
  std::size_t searched = begin_;
  for (;;) {
    const auto newline = buffer_.find('\n', searched);
    if (newline != std::string::npos) {
      text = std::string_view(buffer_).substr(begin_, newline - begin_);
      begin_ = newline + 1;
      return true;
    }
    if (end_of_file_) {
      text = std::string_view(buffer_).substr(begin_);
      begin_ = buffer_.size();
      return !text.empty();
    }
    searched = buffer_.size() - begin_;
    if (searched > kMaxLineBytes) fail("line is too long", kShape);
    fill();
  }
}

bool FlitLogReader::bare() {
  if (is_pcapng()) return false;
  std::size_t at = begin_;
  for (;;) {
    auto end = buffer_.find('\n', at);
    if (end == std::string::npos) {
      if (!end_of_file_ && buffer_.size() - at <= kMaxLineBytes) {
        at -= begin_;
        fill();
        continue;
      }
      end = buffer_.size();
    }
    std::string_view text = std::string_view(buffer_).substr(at, end - at);
    if (!text.empty() && text.back() == '\r') text.remove_suffix(1);
    const std::string_view first = next_word(text);
    if (first == kRecovery || first == kDown) return false;
    if (!first.empty() && first[0] != '#') return next_word(text).empty();
    if (end == buffer_.size()) return false;
    at = end + 1;
  }
}

bool FlitLogReader::read_bare(Flit& flit) {
  std::string_view text;
  while (read_line(text)) {
    if (!text.empty() && text.back() == '\r') text.remove_suffix(1);
    const auto hex = next_word(text);
    if (hex.empty() || hex[0] == '#') continue;
    if (!hex_to_bytes(hex, flit.bytes) || !next_word(text).empty()) {
      fail("is not a flit", "give 136 hex digits a line, or a flit log");
    }
    return true;
  }
  return false;
}

bool FlitLogReader::read(FlitRecord& record) {
  if (is_pcapng()) return read_block(record);
  std::string_view text;
  while (read_line(text)) {
    if (!text.empty() && text.back() == '\r') text.remove_suffix(1);
    const auto start = text.find_first_not_of(" \t");
    if (start == std::string_view::npos) continue;
    std::string_view rest = text;
    const std::string_view first = next_word(rest);
    if (first == kRecovery) {
      record = parse_event(rest, kRecoveryShape);
      record.recovery = true;
      return true;
    }
    if (first == kDown) {
      record = parse_event(rest, kDownShape);
      record.down = true;
      return true;
    }
    if (text[start] == '#') continue;
    parse(text, record);
    return true;
  }
  return false;
}

void FlitLogReader::parse(std::string_view text, FlitRecord& record) const {
  const auto time = next_word(text);
  const auto link = next_word(text);
  const auto direction = direction_from_name(next_word(text));
  const auto hex = next_word(text);
  record.time_ps = parse_time(time);
  if (!direction) fail("direction is neither M2S nor S2M", kShape);
  if (!hex_to_bytes(hex, record.flit.bytes)) {
    fail(fmt::format("flit is not 136 hex digits ({} characters)", hex.size()), kShape);
  }
  if (!next_word(text).empty()) fail("more than four columns", kShape);
  record.link.assign(link);
  record.direction = *direction;
  record.recovery = false;
  record.down = false;
}

FlitRecord FlitLogReader::parse_event(std::string_view text, std::string_view shape) const {
  const auto time = next_word(text);
  const auto link = next_word(text);
  if (link.empty() || !next_word(text).empty()) {
    fail("the event needs a time and a link", shape);
  }
  FlitRecord record;
  record.time_ps = parse_time(time);
  record.link.assign(link);
  return record;
}

std::uint64_t FlitLogReader::parse_time(std::string_view word) const {
  std::uint64_t time_ps = 0;
  const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), time_ps);
  if (error != std::errc{} || end != word.data() + word.size()) {
    fail(fmt::format("'{}' is not a time in ps", word), kShape);
  }
  return time_ps;
}

FlitLogFormat flit_log_format(std::string_view path) {
  return uncompressed_name(path).ends_with(".pcapng") ? FlitLogFormat::Pcapng : FlitLogFormat::Text;
}

FlitLogWriter::FlitLogWriter(const std::string& path, FlitLogFormat format,
                             std::string_view comment)
    : file_(std::in_place, path) {
  buffer_.reserve(kBlockBytes + kMaxLineBytes);
  if (format == FlitLogFormat::Pcapng) {
    pcapng_.emplace();
    PcapngMaker::begin(buffer_, comment);
  }
}

void FlitLogWriter::write(std::uint64_t time_ps, std::string_view link, Direction direction,
                          const Flit& flit) {
  if (pcapng_) {
    pcapng_->add(buffer_, time_ps, link, direction, flit);
    if (buffer_.size() >= kBlockBytes) flush();
    return;
  }
  fmt::format_to(std::back_inserter(buffer_), "{} {} {} ", time_ps, link, name(direction));
  constexpr std::size_t kHexDigits = 2 * Flit::kBytes;
  const std::size_t at = buffer_.size();
  buffer_.resize(at + kHexDigits + 1, '\n');
  flit.write_hex(std::span<char, kHexDigits>(buffer_.data() + at, kHexDigits));
  if (buffer_.size() >= kBlockBytes) flush();
}

void FlitLogWriter::write_recovery(std::uint64_t time_ps, std::string_view link) {
  write_event(false, time_ps, link);
}

void FlitLogWriter::write_down(std::uint64_t time_ps, std::string_view link) {
  write_event(true, time_ps, link);
}

void FlitLogWriter::write_event(bool down, std::uint64_t time_ps, std::string_view link) {
  if (pcapng_) {
    pcapng_->add_event(buffer_, time_ps, link, down);
  } else {
    fmt::format_to(std::back_inserter(buffer_), "{} {} {}\n", down ? kDown : kRecovery, time_ps,
                   link);
  }
  if (buffer_.size() >= kBlockBytes) flush();
}

void FlitLogWriter::write(const FlitRecord& r) {
  if (r.recovery) {
    write_recovery(r.time_ps, r.link);
  } else if (r.down) {
    write_down(r.time_ps, r.link);
  } else {
    write(r.time_ps, r.link, r.direction, r.flit);
  }
}

void FlitLogWriter::flush() {
  file_->write(buffer_);
  buffer_.clear();
}

void FlitLogWriter::close() {
  if (!file_) return;
  flush();
  file_->publish();
  file_.reset();
}

}  // namespace cxlgpu::flits
