// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
// Reads memory traces of three formats as line accesses and hints, one after the other.
//
// Purpose: input of TraceInitiator and of tools that look at traces. Memory is that of a line,
//          however long the trace.
// Shapes:  csv        cycle,rw,addr,bytes[,mask]   header line optional, rw is R or W, mask is the
//                                                  hex byte-enable vector of the access's line
//                     cycle,P,addr,bytes           a hint: these bytes will be read soon
//          Ramulator2 LD|ST addr                   whole lines, no time
//          DRAMsim3   addr word cycle              whole lines; addr hexadecimal, with or without
//                                                  0x; WRITE, write, P_MEM_WR, BOFF are writes, any
//                                                  other word a read (but see Errors)
//          Other numbers are decimal, or hexadecimal after 0x. A byte order mark is skipped. Files
//          may be compressed (found by content, not by name). Blank lines and lines that begin with
//          # are skipped. The format is that of the first line unless given. A csv access without a
//          mask that spans several lines gives one record per line, a hint one for each 4096
//          granules of 256 B with a byte of it.
// Units:   cycle counts are the trace's own clock.
// Errors:  InputError "FILE:LINE: what; what to do" for an unreadable or cut file, a malformed
//          number or mask, an unknown access letter, a mask of a hint, an access outside the
//          address range, and a DRAMsim3 word that is none, or that would mean a write (or LD) in
//          another tool's trace.
// Source:  the formats as their simulators document them.
#pragma once

#include <atomic>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "common/input_error.hpp"
#include "common/request.hpp"
#include "sim/host/line_reader.hpp"

namespace cxlgpu {

enum class TraceFormat : std::uint8_t { Auto, Csv, Ramulator2, DramSim3 };
std::string_view name(TraceFormat format);

struct TraceRecord {
  std::uint64_t cycle = 0;
  std::uint64_t addr = 0;  // line aligned, as in the trace (not relocated)
  std::uint64_t byte_enable = kAllBytes;
  bool is_write = false;
  unsigned hint_granules = 0;  // not 0: a hint, from addr on, which is a granule's; no request
};

struct TraceReadOptions {
  TraceFormat format = TraceFormat::Auto;
  std::uint64_t max_requests = 0;          // 0: all; hints behind the last one are left out
  std::uint64_t size_bytes = 1ULL << 52;   // addresses at or above it are refused
  std::uint64_t data_bytes = 0;            // ... of requests too, if it is not 0
  const std::atomic<int>* stop = nullptr;  // as of InputFile
};

// Where a replay takes its records from.
class TraceSource {
 public:
  virtual ~TraceSource() = default;
  // The next one; nothing at the end.
  virtual std::optional<TraceRecord> next() = 0;
};

class TraceReader : public TraceSource {
 public:
  // "-": standard input.
  explicit TraceReader(const std::string& path, const TraceReadOptions& options = {});
  std::optional<TraceRecord> next() override;

  // Of what was read so far.
  [[nodiscard]] const LineReader& file() const { return lines_; }
  [[nodiscard]] TraceFormat format() const { return format_; }
  [[nodiscard]] std::uint64_t requests() const { return requests_; }

  // Back to the first record. Precondition: file().rewinds().
  void rewind();

 private:
  bool read_line();

  TraceReadOptions options_;
  LineReader lines_;
  TraceFormat format_;
  std::vector<TraceRecord> records_;  // of the line
  std::size_t given_ = 0;             // of them
  std::uint64_t requests_ = 0;        // given
};

// What must be known of a trace before its replay begins.
struct TraceExtent {
  std::uint64_t records = 0;  // requests and hints
  std::uint64_t end = 0;      // of the last line that a request is to
  // All of them, if they are kKept at most, which take 32 MiB; else none.
  static constexpr std::uint64_t kKept = 1u << 20;
  std::vector<TraceRecord> kept;
};
// Reads the rest of it.
TraceExtent extent(TraceSource& trace);

// Parses one line (no line feed) and appends its records; the header line of a csv appends nothing.
// `file` and `line_number` only name the place in errors.
void parse_trace_line(std::string_view line, TraceFormat format, const TraceReadOptions& options,
                      const std::string& file, std::uint64_t line_number,
                      std::vector<TraceRecord>& out);

}  // namespace cxlgpu
