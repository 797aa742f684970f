// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
#include "refmodel/cxl_io/io_completer.hpp"

namespace cxlgpu {

}  // namespace cxlgpu
