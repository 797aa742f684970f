// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
// Drives soc_top for a few cycles: a register, the first flit of the link, a load that no decoder
// maps.
#include <verilated.h>

#include <cstdio>

#include "Vsoc_top.h"

namespace {

void clock(Vsoc_top& top) {
  top.clk_i = 0;
  top.eval();
  top.clk_i = 1;
  top.eval();
}

}  // namespace

int main() {
  Vsoc_top top;
  clock(top);  // in reset
  top.rst_ni = 1;
  clock(top);

  // HDM decoder capability of the host bridge: bits 3:0 code the number of decoders.
  top.reg_valid_i = 1;
  top.reg_addr_i = 0x0000;
  clock(top);
  top.reg_valid_i = 0;
  top.eval();
  std::printf("host bridge, HDM decoder capability: %08x\n", top.reg_rdata_o);

  // Once the physical layer is up, the host speaks first.
  top.phy_up_i = 1;
  int cycles = 0;
  for (top.eval(); top.link_tx_valid_o == 0 && cycles < 1000; ++cycles) clock(top);
  std::printf("first flit after %d cycles, kind %d (2: ALMP)\n", cycles, int{top.link_tx_kind_o});
  const bool spoke = top.link_tx_kind_o == 2 && cycles < 1000;

  // No decoder is committed: a load ends in an error, and so a master never hangs.
  top.arvalid_i = 1;
  top.araddr_i = 0x100000000;
  do clock(top);
  while (top.arready_o == 0);
  clock(top);
  top.arvalid_i = 0;
  for (cycles = 0; top.rvalid_o == 0 && cycles < 1000; ++cycles) clock(top);
  std::printf("unmapped load: response %d after %d cycles\n", int{top.rresp_o}, cycles);
  top.final();
  return spoke && top.rresp_o != 0 ? 0 : 1;
}
