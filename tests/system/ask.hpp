// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
// One request to a whole-system engine, and its answer.
//
// Errors: a test failure if it is not taken or not answered within 2 000 cycles.
#pragma once

#include <gtest/gtest.h>

#include "common/engine.hpp"

namespace cxlgpu {

inline MemResponse ask(Engine& engine, const MemRequest& request) {
  EXPECT_TRUE(engine.submit(request));
  std::optional<MemResponse> response;
  for (int cycle = 0; cycle < 2000 && !response; ++cycle) {
    engine.advance_to(engine.now() + kCycle);
    response = engine.take();
  }
  EXPECT_TRUE(response.has_value()) << "no answer for 0x" << std::hex << request.addr;
  return response.value_or(MemResponse{});
}

inline MemResponse ask(Engine& engine, std::uint64_t addr, bool is_write) {
  MemRequest request;
  request.id = 5;
  request.addr = addr;
  request.is_write = is_write;
  request.data.fill(0x5a);
  return ask(engine, request);
}

}  // namespace cxlgpu
