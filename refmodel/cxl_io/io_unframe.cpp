// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
#include "refmodel/cxl_io/io_unframe.hpp"

namespace cxlgpu {

}  // namespace cxlgpu
