// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
#include "refmodel/flex_bus/apn.hpp"

namespace cxlgpu {

}  // namespace cxlgpu
