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

#include "cli/row_file.hpp"
#include "common/trace_event.hpp"

namespace cxlgpu {

class EventLog : public TraceSink {
 public:
  explicit EventLog(const std::string& path) : file_(path, "time_ps,stage,port,id,addr,info") {}

  void on_event(const TraceEvent& event) override {
    RowFile::Row row = file_.row();
    row.number(event.at.ps);
    row.text(kStageNames[static_cast<std::size_t>(event.stage)]);
    row.number(event.port);
    row.number(event.id);
    row.hexadecimal(event.addr);
    row.number(event.info);
    file_.end(row);
  }
  void close() { file_.close(); }

 private:
  RowFile file_;
};

}  // namespace cxlgpu
