// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
// A bench that includes a header of the command: must not compile.
#include "cli/session.hpp"
