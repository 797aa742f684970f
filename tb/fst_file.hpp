// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
// Whether an FST was written to its end.
//
// Purpose: GTKWave's writer, which Verilator uses, reports no write that failed: on a full disk it
//          leaves a file that no viewer opens.
// Errors:  none; a file that cannot be read is not whole.
#pragma once

#include <string>

namespace cxlgpu {

// The blocks of the file add up to its length, none is marked unfinished, and header, geometry and
// hierarchy are there.
[[nodiscard]] bool is_whole_fst(const std::string& file);

}  // namespace cxlgpu
