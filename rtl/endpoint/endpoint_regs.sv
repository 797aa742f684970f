// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
//
// Vendor registers of the endpoint: internal DRAM control and DevLoad thresholds.
//
// | offset | register |
// |---|---|
// | 800h | bit 0 internal DRAM on, bit 1 length field of MemSpecRd enabled |
// | 804h | log2 of the sets in use; a value above log2 MaxSets becomes that |
// | 808h | ingress thresholds, one a byte, lowest first |
// | 80Ch | MSHR thresholds, one a byte, lowest first |
// | 810h | write-backs answered (read only) |
//
// `enable`, `sets_log2` are to be written before traffic: nothing is flushed.
//
// Latency:  write at the edge, read data the cycle after the request; 0 after any other cycle.
// Source:   docs/blocks.md, "Endpoint".

module endpoint_regs
  import cxlgpu_pkg::*;
#(
  parameter int unsigned MaxSets = 1024
) (
  input  logic            clk_i,
  input  logic            rst_ni,
  input  reg_req_t        reg_req_i,    // valid only for accesses to this block: addr[11] is 1
  output logic [31:0]     reg_rdata_o,
  input  logic            write_back_done_i,
  output logic            dram_enable_o,
  output logic            len_enable_o,
  output logic [3:0]      sets_log2_o,
  output logic [2:0][6:0] ingress_th_o,
  output logic [2:0][6:0] mshr_th_o
);

  localparam logic [3:0] MaxSetsLog2 = 4'($clog2(MaxSets));

  logic            dram_enable_q, len_enable_q;
  logic [3:0]      sets_log2_q;
  logic [2:0][6:0] ingress_th_q, mshr_th_q;
  logic [31:0]     write_backs_q, rdata_q, rdata_d;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      dram_enable_q <= 1'b0;
      len_enable_q  <= 1'b0;
      sets_log2_q   <= MaxSetsLog2;
      ingress_th_q  <= {7'd24, 7'd12, 7'd4};
      mshr_th_q     <= {7'd48, 7'd32, 7'd16};
    end else if (reg_req_i.valid && reg_req_i.write) begin
      unique case (reg_req_i.addr[10:2])
        9'h000: {len_enable_q, dram_enable_q} <= reg_req_i.wdata[1:0];
        9'h001: begin
          sets_log2_q <= (reg_req_i.wdata[3:0] > MaxSetsLog2) ? MaxSetsLog2 : reg_req_i.wdata[3:0];
        end
        9'h002: begin
          ingress_th_q <= {reg_req_i.wdata[22:16], reg_req_i.wdata[14:8], reg_req_i.wdata[6:0]};
        end
        9'h003: begin
          mshr_th_q <= {reg_req_i.wdata[22:16], reg_req_i.wdata[14:8], reg_req_i.wdata[6:0]};
        end
        default: ;
      endcase
    end
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      write_backs_q <= '0;
    end else if (write_back_done_i) begin
      write_backs_q <= write_backs_q + 32'd1;
    end
  end

  always_comb begin
    rdata_d = '0;
    if (reg_req_i.valid && !reg_req_i.write) begin
      unique case (reg_req_i.addr[10:2])
        9'h000:  rdata_d[1:0] = {len_enable_q, dram_enable_q};
        9'h001:  rdata_d[3:0] = sets_log2_q;
        9'h002:  rdata_d[22:0] = {ingress_th_q[2], 1'b0, ingress_th_q[1], 1'b0, ingress_th_q[0]};
        9'h003:  rdata_d[22:0] = {mshr_th_q[2], 1'b0, mshr_th_q[1], 1'b0, mshr_th_q[0]};
        9'h004:  rdata_d = write_backs_q;
        default: rdata_d = '0;
      endcase
    end
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) rdata_q <= '0;
    else         rdata_q <= rdata_d;
  end

  assign reg_rdata_o   = rdata_q;
  assign dram_enable_o = dram_enable_q;
  assign len_enable_o  = len_enable_q;
  assign sets_log2_o   = sets_log2_q;
  assign ingress_th_o  = ingress_th_q;
  assign mshr_th_o     = mshr_th_q;

  // Registers are words; bit 11 of the address found this block, the bits above do not count.
  logic unused_bits;
  assign unused_bits = ^{reg_req_i.addr, reg_req_i.wdata};

  // ---------------------------------------------------------------------------------------------
  // Contract
  // ---------------------------------------------------------------------------------------------
  OwnAddress_A: assert property (@(posedge clk_i) disable iff (!rst_ni)
      reg_req_i.valid |-> reg_req_i.addr[11]);
  OnlyReadsAnswer_A: assert property (@(posedge clk_i) disable iff (!rst_ni)
      !(reg_req_i.valid && !reg_req_i.write) |=> reg_rdata_o == '0);
  SetsInRange_A: assert property (@(posedge clk_i) disable iff (!rst_ni)
      sets_log2_q <= MaxSetsLog2);

endmodule
