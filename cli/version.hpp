// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
// Which cxlgpu this is.
#pragma once

#include <string>

namespace cxlgpu {

// As in CMakeLists.txt.
std::string project_version();
// The commit that last changed what the command is built of, "+changes" if files differ from it;
// "unknown" without git.
std::string source_commit();

// The configuration of the RTL that this build has: a name of configs/rtl, or a file.
std::string rtl_configuration();

}  // namespace cxlgpu
