// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
// SIGINT and SIGTERM, and the other signals that an output can raise.
//
// Purpose: the first SIGINT or SIGTERM while something can be kept asks the run to stop, so that
//          what was measured is written; at any other time, and the second time, the process ends
//          by the signal, and unfinished files are removed first. SIGBUS (a mapped file that the
//          disk has no room for) is one line and exit 2. SIGPIPE and SIGXFSZ become errors of the
//          write.
// Errors:  none.
#pragma once

#include <atomic>

namespace cxlgpu {

// Once, before anything else. A signal that the caller ignores stays ignored.
void install_signal_handlers();

// While it lives, a first signal asks to stop.
class Interruptible {
 public:
  Interruptible();
  ~Interruptible();
  Interruptible(const Interruptible&) = delete;
  Interruptible& operator=(const Interruptible&) = delete;
};

// The signal that asked to stop, 0: none.
const std::atomic<int>& interrupt_signal();

}  // namespace cxlgpu
