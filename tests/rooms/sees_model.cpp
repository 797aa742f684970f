// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
// A twin that includes a header of the event-driven machine: must not compile.
#include "model/root_port.hpp"
