// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
// A twin that includes a header of the simulator: must not compile.
#include "sim/config/config.hpp"
