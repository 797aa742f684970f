// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
// main() of every test with a verilated top: what has no reset starts with a value of the seed's.
//
// Purpose: the tops are verilated with --x-initial unique and --x-assign unique
//          (cmake/verilate.cmake), so registers without reset, memories and 'x hold what this seed
//          says; a test that passes with some seeds only has found a state that leaks.
// Environment: CXLGPU_X_SEED (default 0): 0 all bits zero, else random by this seed.
//              CXLGPU_ASSERTIONS: 0 switches the RTL's assertions off, so that a test shows what it
//              sees by itself (verify/faults/faults.py).
// Errors:  a seed that is no number from 0 to 2147483647: one line, exit code 2.
#include <gtest/gtest.h>
#include <verilated.h>

#include <charconv>
#include <cstdio>
#include <cstdlib>
#include <string_view>

int main(int argc, char** argv) {
  int seed = 0;
  if (const char* text = std::getenv("CXLGPU_X_SEED")) {
    const std::string_view view(text);
    const auto [end, error] = std::from_chars(view.data(), view.data() + view.size(), seed);
    if (error != std::errc{} || end != view.data() + view.size() || seed < 0) {
      std::fprintf(stderr, "CXLGPU_X_SEED: '%s' is no number from 0 to 2147483647\n", text);
      return 2;
    }
  }
  // Before any top is constructed: its constructor draws.
  Verilated::randReset(seed == 0 ? 0 : 2);
  Verilated::randSeed(seed);
  const char* assertions = std::getenv("CXLGPU_ASSERTIONS");
  Verilated::assertOn(assertions == nullptr || std::string_view(assertions) != "0");
  ::testing::InitGoogleTest(&argc, argv);
  return RUN_ALL_TESTS();
}
