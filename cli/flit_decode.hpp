// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
// cxlgpu flit decode: every flit that the filters let through, as text, JSON or drawing.
//
// Purpose: reads to the end without keeping what it has read, so that a pipe may be endless.
// Errors:  InputError: an opcode, a link or an address that there is not.
#pragma once

#include "cli/flit_command.hpp"

namespace cxlgpu {

namespace flit_events {
inline constexpr const char* kRecovery = "recovery";
inline constexpr const char* kDown = "down";
}  // namespace flit_events

int decode_flits(const FlitArguments& arguments);

}  // namespace cxlgpu
