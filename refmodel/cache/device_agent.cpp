// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
#include "refmodel/cache/device_agent.hpp"

namespace cxlgpu {

}  // namespace cxlgpu
