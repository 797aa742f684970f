// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
// What the environment asks of a test.
#pragma once

#include <cstdint>
#include <cstdlib>

namespace cxlgpu::test {

inline std::uint64_t from_environment(const char* name, std::uint64_t fallback) {
  const char* text = std::getenv(name);
  return text != nullptr ? std::strtoull(text, nullptr, 0) : fallback;
}

// How many times as many rounds, seeds or requests a long random test takes; the night has 4.
inline std::uint64_t volume() {
  return from_environment("CXLGPU_VOLUME", 1);
}

}  // namespace cxlgpu::test
