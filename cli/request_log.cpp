// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
#include "cli/request_log.hpp"

#include <fmt/format.h>

namespace cxlgpu {

namespace {

std::string header(const std::vector<RequestColumn>& columns) {
  std::vector<std::string> names;
  for (const RequestColumn& column : columns) names.push_back(column.name());
  return fmt::to_string(fmt::join(names, ","));
}

}  // namespace

RequestLog::RequestLog(const std::string& path) : file_(path, header(columns_)) {}

void RequestLog::add(const RequestRecord& record) {
  const RequestCells cells(record);
  for (std::size_t i = 0; i < kRequestColumns; ++i) {
    if (columns_[i].shape() == RequestColumn::Shape::Number) {
      file_.number(cells.number(i));
      continue;
    }
    const int small = cells.small(i);
    if (columns_[i].shape() == RequestColumn::Shape::Lookup) {
      file_.text(small < 0 ? "" : kLookupNames[static_cast<std::size_t>(small)]);
    } else if (small < 0) {
      file_.text("-1");
    } else {
      file_.number(static_cast<std::uint64_t>(small));
    }
  }
  file_.end_row();
}

}  // namespace cxlgpu
