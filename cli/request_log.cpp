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
  RowFile::Row row = file_.row();
  for (std::size_t i = 0; i < kStageColumns; ++i) {
    const int small = cells.small(i);
    if (columns_[i].shape() == RequestColumn::Shape::Number) {
      row.number(cells.number(i));
    } else if (columns_[i].shape() == RequestColumn::Shape::Lookup) {
      row.text(small < 0 ? "" : kLookupNames[static_cast<std::size_t>(small)]);
    } else if (small < 0) {
      row.text("-1");
    } else {
      row.number(static_cast<std::uint64_t>(small));
    }
  }
  for (std::size_t i = kStageColumns; i < kRequestColumns; ++i) row.number(cells.number(i));
  file_.end(row);
}

}  // namespace cxlgpu
