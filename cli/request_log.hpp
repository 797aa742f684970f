// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
// The request log: a CSV row for each request of a run.
//
// Purpose: latencies for a spreadsheet, pandas or a data base, without joining events by id.
// Shapes:  the columns of sim/stats/request_columns.hpp, numbers decimal; flags 0 or 1; no lookup:
//          empty. Rows in the order of the answers.
// Errors:  as of the event log.
#pragma once

#include <string>
#include <vector>

#include "flits/compressed_file.hpp"
#include "sim/stats/request_columns.hpp"

namespace cxlgpu {

class RequestLog : public TraceSink {
 public:
  explicit RequestLog(const std::string& path);

  void on_event(const TraceEvent& event) override { tracker_.on_event(event); }
  void close();

 private:
  void add(const RequestRecord& record);
  void flush();

  flits::CompressedFile file_;
  std::vector<RequestColumn> columns_ = request_columns();
  RequestTracker tracker_{[this](const RequestRecord& record) { add(record); }};
  std::string buffer_;
};

}  // namespace cxlgpu
