// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
// Writes the records of a trace in one of the formats of trace_reader.hpp.
//
// Purpose: `cxlgpu trace convert` and `window`. What is read back replays as what was written.
// Shapes:  csv with its header, a row a record, a mask where the bytes are not in one piece;
//          Ramulator2 and DRAMsim3 a line a request. The latter two have only whole lines and no
//          hints, Ramulator2 has no cycles: such a record is refused, or with `lossy` loses that.
//          A load of some bytes of a line is one of the line in every replay, and becomes it.
// Errors:  InputError of the record's place; flits::OutputError.
#pragma once

#include <cstdint>
#include <string>

#include "flits/compressed_file.hpp"
#include "sim/host/trace_reader.hpp"

namespace cxlgpu {

class TraceWriter {
 public:
  struct Lost {
    std::uint64_t cycles = 0, masks = 0, hints = 0;  // records
  };

  // "-": standard output.
  TraceWriter(const std::string& path, TraceFormat format, bool lossy);
  // `place`: of the record, where it comes from.
  void write(const TraceRecord& record, const FilePlace& place);
  // Only this gives the file its name.
  void close();
  [[nodiscard]] const Lost& lost() const { return lost_; }

 private:
  void write_csv(const TraceRecord& record);
  void lose(std::uint64_t& count, const std::string& what, const FilePlace& place) const;
  void flush();

  flits::CompressedFile file_;
  TraceFormat format_;
  bool lossy_;
  Lost lost_;
  std::string buffer_;
};

}  // namespace cxlgpu
