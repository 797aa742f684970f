// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
#include "cli/request_log.hpp"

#include <fmt/format.h>

#include <iterator>

namespace cxlgpu {

namespace {

constexpr std::size_t kBlockBytes = 1u << 18;

}  // namespace

RequestLog::RequestLog(const std::string& path) : file_(path) {
  for (const RequestColumn& column : columns_) buffer_ += column.name() + ',';
  buffer_.back() = '\n';
  flush();
}

void RequestLog::add(const RequestRecord& record) {
  for (const RequestColumn& column : columns_) {
    if (column.shape() == RequestColumn::Shape::Number) {
      const fmt::format_int number(column.number(record));
      buffer_.append(number.data(), number.size());
    } else if (column.shape() == RequestColumn::Shape::Lookup) {
      const int lookup = column.small(record);
      if (lookup >= 0) buffer_ += kLookupNames[static_cast<std::size_t>(lookup)];
    } else {
      const fmt::format_int number(int{column.small(record)});
      buffer_.append(number.data(), number.size());
    }
    buffer_ += ',';
  }
  buffer_.back() = '\n';
  if (buffer_.size() >= kBlockBytes) flush();
}

void RequestLog::close() {
  flush();
  file_.publish();
}

void RequestLog::flush() {
  file_.write(buffer_);
  buffer_.clear();
}

}  // namespace cxlgpu
