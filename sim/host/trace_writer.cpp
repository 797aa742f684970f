// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
#include "sim/host/trace_writer.hpp"

#include <fmt/format.h>

#include <bit>
#include <iterator>

namespace cxlgpu {

namespace {

constexpr std::size_t kBlockBytes = 1u << 16;
constexpr std::uint64_t kGranule = 256;

}  // namespace

TraceWriter::TraceWriter(const std::string& path, TraceFormat format, bool lossy)
    : file_(path), format_(format), lossy_(lossy) {
  if (format == TraceFormat::Csv) buffer_ = "cycle,rw,addr,bytes,mask\n";
}

void TraceWriter::lose(std::uint64_t& count, const std::string& what,
                       const FilePlace& place) const {
  if (!lossy_) {
    place.fail(fmt::format("{} has no place in a {} trace", what, name(format_)),
               "write csv, or let go of it with --lossy");
  }
  ++count;
}

void TraceWriter::write_csv(const TraceRecord& record) {
  const auto to = std::back_inserter(buffer_);
  if (record.hint_granules != 0) {
    fmt::format_to(to, "{},P,{:#x},{}\n", record.cycle, record.addr,
                   record.hint_granules * kGranule);
    return;
  }
  const char kind = record.is_write ? 'W' : 'R';
  const auto first = static_cast<unsigned>(std::countr_zero(record.byte_enable));
  const auto bytes = static_cast<unsigned>(std::popcount(record.byte_enable));
  const std::uint64_t run = record.byte_enable >> first;
  if ((run & (run + 1)) == 0) {
    fmt::format_to(to, "{},{},{:#x},{}\n", record.cycle, kind, record.addr + first, bytes);
  } else {
    fmt::format_to(to, "{},{},{:#x},{},{:#x}\n", record.cycle, kind, record.addr, bytes,
                   record.byte_enable);
  }
}

void TraceWriter::write(const TraceRecord& record, const FilePlace& place) {
  if (format_ == TraceFormat::Csv) {
    write_csv(record);
  } else {
    if (record.hint_granules != 0) return lose(lost_.hints, "a hint", place);
    if (record.is_write && record.byte_enable != kAllBytes) {
      lose(lost_.masks, "a store of some bytes of a line", place);
    }
    const auto to = std::back_inserter(buffer_);
    if (format_ == TraceFormat::Ramulator2) {
      if (record.cycle != 0) lose(lost_.cycles, fmt::format("cycle {}", record.cycle), place);
      fmt::format_to(to, "{} {:#x}\n", record.is_write ? "ST" : "LD", record.addr);
    } else {
      fmt::format_to(to, "{:#x} {} {}\n", record.addr, record.is_write ? "WRITE" : "READ",
                     record.cycle);
    }
  }
  if (buffer_.size() >= kBlockBytes) flush();
}

void TraceWriter::close() {
  flush();
  file_.publish();
}

void TraceWriter::flush() {
  file_.write(buffer_);
  buffer_.clear();
}

}  // namespace cxlgpu
