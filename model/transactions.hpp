// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
// Requests in flight at one root port, by link tag.
//
// Purpose: the model's messages carry a tag; what the wire would carry besides (data, enables) is
//          looked up here. One store a port; the root port fills an entry when it gives the tag,
//          the endpoint writes read data into it. The request lies in the memory queue, which keeps
//          it until the tag is given again.
#pragma once

#include <array>

#include "common/request.hpp"

namespace cxlgpu {

struct Transaction {
  const MemRequest* request = nullptr;
  Line read_data{};
};

using TransactionStore = std::array<Transaction, 64>;

}  // namespace cxlgpu
