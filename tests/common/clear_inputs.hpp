// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
// All inputs of a verilated top to zero, before a test drives those it means to.
//
// Purpose: with CXLGPU_X_SEED a top's ports start at random as all its state does. What a block
// does
//          with inputs that no test drives is not in its contract; what it does with its own state
//          is. One specialisation a top is made of its header (cmake/verilate.cmake).
// Errors:  none.
#pragma once

#include "tests/common/bits.hpp"

namespace cxlgpu::test {

template <typename Top>
void clear_inputs(Top& top);

}  // namespace cxlgpu::test
