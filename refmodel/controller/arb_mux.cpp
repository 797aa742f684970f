// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
#include "refmodel/controller/arb_mux.hpp"

namespace cxlgpu {

}  // namespace cxlgpu
