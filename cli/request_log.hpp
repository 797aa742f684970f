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

#include "cli/row_file.hpp"
#include "sim/stats/request_columns.hpp"

namespace cxlgpu {

class RequestLog {
 public:
  explicit RequestLog(const std::string& path);

  void add(const RequestRecord& record);
  void close() { file_.close(); }

 private:
  std::vector<RequestColumn> columns_ = request_columns();
  RowFile file_;
};

}  // namespace cxlgpu
