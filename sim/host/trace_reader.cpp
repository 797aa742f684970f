// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
#include "sim/host/trace_reader.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <charconv>

namespace cxlgpu {
namespace {

constexpr std::uint64_t kMaxSpan = 4096;                       // longest csv access
constexpr std::uint64_t kMaxHint = 1ULL << 30;                 // longest hint
constexpr std::uint64_t kGranule = 256, kMostGranules = 4096;  // of one record
constexpr std::uint64_t kMaxCycle = 1ULL << 50;  // keeps times in picoseconds within 64 bits

std::uint64_t number(std::string_view text, std::string_view name, const FilePlace& place) {
  std::string_view digits = text;
  int base = 10;
  if (digits.size() > 2 && digits[0] == '0' && (digits[1] == 'x' || digits[1] == 'X')) {
    digits.remove_prefix(2);
    base = 16;
  }
  std::uint64_t value = 0;
  const auto [end, error] =
      std::from_chars(digits.data(), digits.data() + digits.size(), value, base);
  if (error == std::errc::result_out_of_range) {
    place.fail(fmt::format("{} '{}' does not fit 64 bits", name, shown(text)),
               "give a smaller number");
  }
  if (error != std::errc{} || end != digits.data() + digits.size() || digits.empty()) {
    place.fail(fmt::format("{} '{}' is not a number", name, shown(text)),
               "write it in decimal, or in hexadecimal after 0x");
  }
  return value;
}

// As DRAMsim3 has them: hexadecimal, with or without 0x.
std::uint64_t hex_number(std::string_view text, std::string_view name, const FilePlace& place) {
  const bool prefix = text.size() > 2 && text[0] == '0' && (text[1] == 'x' || text[1] == 'X');
  if (text.find_first_not_of("0123456789abcdefABCDEF", prefix ? 2 : 0) != std::string_view::npos) {
    place.fail(fmt::format("{} '{}' is not hexadecimal", name, shown(text)),
               "write hex digits, with or without 0x before them");
  }
  return number(prefix ? std::string(text) : fmt::format("0x{}", text), name, place);
}

std::uint64_t cycle_number(std::string_view text, const FilePlace& place) {
  const std::uint64_t cycle = number(text, "cycle", place);
  if (cycle >= kMaxCycle) {
    place.fail(fmt::format("cycle {} is too large", cycle), "keep cycles below 2^50");
  }
  return cycle;
}

std::uint64_t byte_mask(std::string_view text, const FilePlace& place) {
  std::string_view digits = text;
  if (digits.size() >= 2 && digits[0] == '0' && (digits[1] == 'x' || digits[1] == 'X')) {
    digits.remove_prefix(2);
  }
  if (digits.empty() || digits.size() > 16) {
    place.fail(fmt::format("mask '{}' has {} hex digits", shown(text), digits.size()),
               "give 1 to 16, one bit for each of the 64 bytes of a line");
  }
  std::uint64_t value = 0;
  const auto [end, error] =
      std::from_chars(digits.data(), digits.data() + digits.size(), value, 16);
  if (error != std::errc{} || end != digits.data() + digits.size()) {
    place.fail(fmt::format("mask '{}' is not hexadecimal", shown(text)),
               "write the 64 byte enables as 0x and hex digits");
  }
  return value;
}

void check_range(std::uint64_t addr, std::uint64_t bytes, const TraceReadOptions& options,
                 const FilePlace& place, bool hint = false) {
  const std::uint64_t data = options.data_bytes;
  if (!hint && data != 0 && (addr >= data || bytes > data - addr)) {
    place.fail(
        fmt::format("address {:#x} lies outside the {:#x} bytes of trace.data_bytes", addr, data),
        "raise it or cut the trace to it");
  }
  if (addr >= options.size_bytes || bytes > options.size_bytes - addr) {
    place.fail(fmt::format("address {:#x} lies outside the {:#x} bytes of memory", addr,
                           options.size_bytes),
               "enlarge the HDM range or cut the trace to it");
  }
}

void parse_hint(TraceRecord record, std::uint64_t addr, std::uint64_t bytes,
                const TraceReadOptions& options, const FilePlace& place,
                std::vector<TraceRecord>& out) {
  if (bytes == 0 || bytes > kMaxHint) {
    place.fail(fmt::format("byte count {} of a hint is not in 1..{}", bytes, kMaxHint),
               "split or drop the hint");
  }
  check_range(addr, bytes, options, place, true);
  const std::uint64_t end = (addr + bytes + kGranule - 1) / kGranule;
  for (std::uint64_t at = addr / kGranule; at < end; at += record.hint_granules) {
    record.addr = at * kGranule;
    record.hint_granules = static_cast<unsigned>(std::min(end - at, kMostGranules));
    out.push_back(record);
  }
}

void parse_csv(std::string_view line, const TraceReadOptions& options, const FilePlace& place,
               std::vector<TraceRecord>& out) {
  std::array<std::string_view, 5> f;
  const std::size_t n = split(line, ',', f);
  if (f[0] == "cycle") return;  // header
  if (n < 4 || n > 5) {
    place.fail(
        fmt::format("found {} comma-separated fields", n > 5 ? "more than 5" : std::to_string(n)),
        "write cycle,rw,addr,bytes[,mask]");
  }
  TraceRecord record;
  record.cycle = cycle_number(f[0], place);
  const bool hint = f[1] == "P" || f[1] == "p";
  if (f[1] == "W" || f[1] == "w") {
    record.is_write = true;
  } else if (!hint && f[1] != "R" && f[1] != "r") {
    place.fail(fmt::format("access '{}' is unknown", shown(f[1])), "write R, W or P");
  }
  const std::uint64_t addr = number(f[2], "address", place);
  const std::uint64_t bytes = number(f[3], "byte count", place);
  if (hint) {
    if (n == 5 && !f[4].empty()) place.fail("a hint has no mask", "drop the fifth field");
    return parse_hint(record, addr, bytes, options, place, out);
  }
  if (bytes == 0 || bytes > kMaxSpan) {
    place.fail(fmt::format("byte count {} is not in 1..{}", bytes, kMaxSpan),
               "split or drop the access");
  }
  if (n == 5 && !f[4].empty()) {
    record.addr = line_of(addr);
    record.byte_enable = byte_mask(f[4], place);
    check_range(record.addr, kLineBytes, options, place);
    if (bytes > kLineBytes) {
      place.fail(fmt::format("an access of {} bytes cannot have a mask", bytes),
                 "masks are for single lines of 64 bytes; split the access");
    }
    if (record.byte_enable == 0) place.fail("mask enables no byte", "drop the access");
    if (static_cast<std::uint64_t>(__builtin_popcountll(record.byte_enable)) != bytes) {
      place.fail(fmt::format("mask {:#x} enables {} bytes but the byte count says {}",
                             record.byte_enable, __builtin_popcountll(record.byte_enable), bytes),
                 "make the two agree");
    }
    out.push_back(record);
    return;
  }
  check_range(addr, bytes, options, place);
  for (std::uint64_t at = addr; at < addr + bytes;) {
    const std::uint64_t first = at % kLineBytes;
    const std::uint64_t count = std::min(addr + bytes - at, kLineBytes - first);
    record.addr = line_of(at);
    record.byte_enable = count == kLineBytes ? kAllBytes : ((1ULL << count) - 1) << first;
    out.push_back(record);
    at += count;
  }
}

void parse_ramulator2(std::string_view line, const TraceReadOptions& options,
                      const FilePlace& place, std::vector<TraceRecord>& out) {
  std::array<std::string_view, 2> f;
  if (split(line, ' ', f) != 2) place.fail("expected two fields", "write LD 0xADDR or ST 0xADDR");
  TraceRecord record;
  if (f[0] == "ST") {
    record.is_write = true;
  } else if (f[0] != "LD") {
    place.fail(fmt::format("access '{}' is unknown", shown(f[0])), "write LD or ST");
  }
  record.addr = line_of(number(f[1], "address", place));
  check_range(record.addr, kLineBytes, options, place);
  out.push_back(record);
}

// DRAMsim3 takes every word that it does not know for a read. One that means a write elsewhere, or
// is none, is refused: the trace is probably of another tool.
bool dramsim3_write(std::string_view word, const FilePlace& place) {
  constexpr std::array<std::string_view, 4> kWrites = {"WRITE", "write", "P_MEM_WR", "BOFF"};
  constexpr std::array<std::string_view, 8> kElsewhere = {"WRITE", "P_MEM_WR", "BOFF",  "W",
                                                          "WR",    "ST",       "STORE", "LD"};
  if (std::find(kWrites.begin(), kWrites.end(), word) != kWrites.end()) return true;
  std::string upper(word);
  std::transform(upper.begin(), upper.end(), upper.begin(),
                 [](unsigned char c) { return static_cast<char>(std::toupper(c)); });
  const bool is_word =
      upper.find_first_not_of("ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_") == std::string::npos &&
      std::isdigit(static_cast<unsigned char>(upper[0])) == 0;
  if (!is_word || std::find(kElsewhere.begin(), kElsewhere.end(), upper) != kElsewhere.end()) {
    place.fail(fmt::format("access '{}' is ambiguous", shown(word)),
               "write READ or WRITE; DRAMsim3 takes WRITE, write, P_MEM_WR and BOFF for writes and "
               "all else for reads");
  }
  return false;
}

void parse_dramsim3(std::string_view line, const TraceReadOptions& options, const FilePlace& place,
                    std::vector<TraceRecord>& out) {
  std::array<std::string_view, 3> f;
  if (split(line, ' ', f) != 3) {
    place.fail("expected three fields", "write 0xADDR READ|WRITE CYCLE");
  }
  TraceRecord record;
  record.addr = line_of(hex_number(f[0], "address", place));
  record.is_write = dramsim3_write(f[1], place);
  record.cycle = cycle_number(f[2], place);
  check_range(record.addr, kLineBytes, options, place);
  out.push_back(record);
}

TraceFormat guess(std::string_view line, const FilePlace& place) {
  if (line.find(',') != std::string_view::npos) return TraceFormat::Csv;
  if (line.substr(0, 2) == "LD" || line.substr(0, 2) == "ST") return TraceFormat::Ramulator2;
  std::array<std::string_view, 3> f;
  if (split(line, ' ', f) == 3) return TraceFormat::DramSim3;
  place.fail(fmt::format("'{}' fits no trace format", shown(line)),
             "write cycle,rw,addr,bytes[,mask] or LD|ST 0xADDR or 0xADDR READ|WRITE CYCLE");
}

}  // namespace

std::string_view name(TraceFormat format) {
  constexpr std::array<std::string_view, 4> kNames = {"unknown", "csv", "ramulator2", "dramsim3"};
  return kNames[static_cast<std::size_t>(format)];
}

void parse_trace_line(std::string_view line, TraceFormat format, const TraceReadOptions& options,
                      const std::string& file, std::uint64_t line_number,
                      std::vector<TraceRecord>& out) {
  const FilePlace place{file, line_number};
  line = trim(line);
  if (format == TraceFormat::Auto) format = guess(line, place);
  switch (format) {
    case TraceFormat::Ramulator2:
      return parse_ramulator2(line, options, place, out);
    case TraceFormat::DramSim3:
      return parse_dramsim3(line, options, place, out);
    case TraceFormat::Csv:
    case TraceFormat::Auto:
      return parse_csv(line, options, place, out);
  }
}

TraceReader::TraceReader(const std::string& path, const TraceReadOptions& options)
    : options_(options), lines_(path, options.stop), format_(options.format) {}

void TraceReader::rewind() {
  lines_.rewind();
  format_ = options_.format;
  records_.clear();
  given_ = 0;
  requests_ = 0;
}

// The records of the next line; false at the end. Some lines have none.
bool TraceReader::read_line() {
  constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";  // as spreadsheets begin a file
  const auto raw = lines_.next();
  if (!raw) return false;
  records_.clear();
  given_ = 0;
  std::string_view line = *raw;
  if (lines_.line() == 1 && line.starts_with(kByteOrderMark)) {
    line.remove_prefix(kByteOrderMark.size());
  }
  line = trim(line);
  if (line.empty() || line.front() == '#') return true;
  if (format_ == TraceFormat::Auto) format_ = guess(line, FilePlace{lines_.name(), lines_.line()});
  parse_trace_line(line, format_, options_, lines_.name(), lines_.line(), records_);
  return true;
}

std::optional<TraceRecord> TraceReader::next() {
  if (options_.max_requests != 0 && requests_ == options_.max_requests) return std::nullopt;
  while (given_ == records_.size()) {
    if (read_line()) continue;
    if (requests_ == 0) {
      throw InputError(lines_.name(), lines_.line(), "trace holds no request",
                       "give a trace that does");
    }
    return std::nullopt;
  }
  const TraceRecord& record = records_[given_++];
  if (record.hint_granules == 0) ++requests_;
  return record;
}

TraceExtent extent(TraceSource& trace) {
  TraceExtent all;
  while (const auto record = trace.next()) {
    ++all.records;
    if (all.records <= TraceExtent::kKept) all.kept.push_back(*record);
    if (record->hint_granules == 0) all.end = std::max(all.end, record->addr + kLineBytes);
  }
  if (all.records > TraceExtent::kKept) all.kept = {};
  return all;
}

}  // namespace cxlgpu
