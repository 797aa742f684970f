// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
// A twin that includes a verilated header: must not compile.
#include "Vcxlgpu_top.h"
