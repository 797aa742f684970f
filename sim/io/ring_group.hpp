// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
// Pieces by io_uring, for stacks whose memory a process has an address for.
#pragma once

#include <functional>
#include <span>

#include "sim/io/io_stack.hpp"
#include "sim/io/io_uring.hpp"

namespace cxlgpu {

// `at_once`: one system call for all, else one for each. `when_done`, if there is one, runs for
// each piece as it is done.
Task<Done> ring_group(HostKernel& kernel, int fd, std::span<IoPiece> pieces, bool at_once,
                      std::function<Task<Done>(IoPiece&)> when_done);

}  // namespace cxlgpu
