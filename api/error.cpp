// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
#include "api/cxlgpu.hpp"

namespace cxlgpu {
inline namespace v1 {

// As common/input_error.hpp has it. The last semicolon: what is wrong may hold one.
Error::Error(const std::string& line) : std::runtime_error(line), wrong_(line) {
  if (const std::size_t colon = wrong_.find(": "); colon != std::string::npos) {
    where_ = wrong_.substr(0, colon);
    wrong_.erase(0, colon + 2);
  }
  if (const std::size_t last = wrong_.rfind("; "); last != std::string::npos) {
    remedy_ = wrong_.substr(last + 2);
    wrong_.erase(last);
  }
}

}  // namespace v1
}  // namespace cxlgpu
