// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
// The event log: every trace event of a run, one CSV row each.
//
// Purpose: a run can be gone over again from what its trace ports said, by scripts that know
//          nothing else of the engine.
// Units:   `time_ps` picoseconds since the run's start; `addr` bytes, hexadecimal.
// Shapes:  header `time_ps,stage,port,id,addr,info`; stages, ids and info as in
//          common/trace_event.hpp. Rows come as the engine raises them: in the order of
//          time for one request, not always among all (wire stages are told late).
//          Compressed as the name ends (flits/compressed_file.hpp).
// Errors:  flits::OutputError when the place cannot be written, at once. Only close() gives the
//          file its name.
#pragma once

#include <string>

#include "common/trace_event.hpp"
#include "flits/compressed_file.hpp"

namespace cxlgpu {

class EventLog : public TraceSink {
 public:
  explicit EventLog(const std::string& path);

  void on_event(const TraceEvent& event) override;
  void close();

 private:
  void flush();

  flits::CompressedFile file_;
  std::string buffer_;
};

}  // namespace cxlgpu
