// The event log: every trace event of a run, one CSV row each.
//
// Purpose: a run can be gone over again from what its trace ports said, by scripts that know
//          nothing else of the engine.
// Units:   `time_ps` picoseconds since the run's start; `addr` bytes, hexadecimal.
// Shapes:  header `time_ps,stage,port,id,addr,info`; stages, ids and info as in
//          refmodel/common/trace_event.hpp. Rows come as the engine raises them: in the order of
//          time for one request, not always among all (wire stages are told late).
// Errors:  InputError when the place cannot be written, at once. Only close() gives the file its
//          name, so an unfinished log is never taken for a whole one.
#pragma once

#include <filesystem>
#include <fstream>
#include <string>

#include "refmodel/common/trace_event.hpp"

namespace cxlgpu {

class EventLog : public TraceSink {
 public:
  explicit EventLog(const std::filesystem::path& path);
  ~EventLog() override;
  EventLog(const EventLog&) = delete;
  EventLog& operator=(const EventLog&) = delete;

  void on_event(const TraceEvent& event) override;
  void close();

 private:
  [[noreturn]] void fail();
  void flush();

  std::filesystem::path path_, part_;
  std::ofstream out_;
  std::string buffer_;
  bool closed_ = false;
};

}  // namespace cxlgpu
