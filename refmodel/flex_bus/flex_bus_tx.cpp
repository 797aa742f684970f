// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
#include "refmodel/flex_bus/flex_bus_tx.hpp"

namespace cxlgpu {

}  // namespace cxlgpu
