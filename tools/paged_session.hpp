// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
// One run of a configuration that is not CXL: all data in GPU memory, or GPU memory as a pool of
// pages that come from elsewhere on a fault.
//
// Purpose: what run_session() is for CXL systems. Every byte is moved and checked as there: each
//          load against the flat memory, the contents after the run, the kernel's result.
// Errors:  as run_session(); InputError too for engines other than the model and for options that
//          only a CXL system has.
#pragma once

#include "sim/config/config.hpp"
#include "tools/session.hpp"

namespace cxlgpu {

// Exit status as run_session(). Precondition: config.memory is not Cxl.
int run_paged_session(const RunConfig& config, const SessionOptions& options);

}  // namespace cxlgpu
