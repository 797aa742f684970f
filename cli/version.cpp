// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
#include "cli/version.hpp"

#include "source_commit.hpp"

namespace cxlgpu {

std::string project_version() {
  return CXLGPU_VERSION;
}

std::string source_commit() {
  return CXLGPU_SOURCE_COMMIT;
}

std::string rtl_configuration() {
  return CXLGPU_RTL_CONFIG;
}

}  // namespace cxlgpu
