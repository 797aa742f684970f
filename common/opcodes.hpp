// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
// The CXL.mem opcodes that the model's messages carry.
//
// Source: flits/messages.hpp, the one place on the C++ side where encodings are written.
#pragma once

#include "flits/messages.hpp"

namespace cxlgpu {

using flits::DevLoad;

inline constexpr auto kOpMemRd = static_cast<std::uint8_t>(flits::M2sReqOpcode::MemRd);
inline constexpr auto kOpMemSpecRd = static_cast<std::uint8_t>(flits::M2sReqOpcode::MemSpecRd);
inline constexpr auto kOpMemWr = static_cast<std::uint8_t>(flits::M2sRwdOpcode::MemWr);
inline constexpr auto kOpMemWrPtl = static_cast<std::uint8_t>(flits::M2sRwdOpcode::MemWrPtl);

}  // namespace cxlgpu
