// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
#include "api/cxlgpu.hpp"

namespace cxlgpu {
inline namespace v1 {

std::string_view library_version() {
  return CXLGPU_VERSION;
}

}  // namespace v1
}  // namespace cxlgpu
