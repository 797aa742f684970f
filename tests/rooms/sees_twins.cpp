// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
// What a twin may include: what the rooms hand each other, the flits, other twins.
#include "common/media_port.hpp"
#include "flits/message.hpp"
#include "refmodel/root_port/root_port.hpp"
