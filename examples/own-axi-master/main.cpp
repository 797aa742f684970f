// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
// Clocks chip_top until its master is done. No endpoint is there and no decoder committed: every
// answer is an error, and none is missing.
#include <verilated.h>

#include <cstdio>

#include "Vchip_top.h"

int main() {
  Vchip_top top;
  int cycles = 0;
  for (; cycles < 10000 && top.done_o == 0; ++cycles) {
    top.rst_ni = cycles > 1;
    top.clk_i = 0;
    top.eval();
    top.clk_i = 1;
    top.eval();
  }
  std::printf("%d of 16 answers were errors, after %d cycles\n", int{top.errors_o}, cycles);
  top.final();
  return top.done_o != 0 && top.errors_o == 16 ? 0 : 1;
}
