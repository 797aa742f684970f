// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
#include "Vcxlgpu_fast.h"
#include "Vcxlgpu_top.h"
#include "tb/rtl_engine_impl.hpp"

namespace cxlgpu {

template class BasicRtlEngine<Vcxlgpu_top, CXLGPU_RTL_PORTS>;
template class BasicRtlEngine<Vcxlgpu_fast, CXLGPU_RTL_PORTS>;

}  // namespace cxlgpu
