// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
//
// Vendor registers of the endpoint: internal DRAM control and DevLoad thresholds.
//
// Offsets, fields and reset values: cxl_reg_pkg (regs/endpoint.yaml). A sets value above log2
// MaxSets becomes that; it and the enables are to be written before traffic: nothing is flushed.
//
// Latency:  write at the edge, read data the cycle after the request; 0 after any other cycle.
// Source:   docs/blocks.md, "Endpoint".

module endpoint_regs
  import cxlgpu_pkg::*;
  import cxl_reg_pkg::*;
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

  typedef logic [EpSetsLog2Width-1:0] sets_log2_t;
  localparam sets_log2_t MaxSetsLog2 = sets_log2_t'($clog2(MaxSets));

  logic            dram_enable_q, len_enable_q;
  sets_log2_t      sets_log2_q, sets_wdata;
  logic [2:0][6:0] ingress_th_q, mshr_th_q;
  logic [31:0]     write_backs_q, rdata_q, rdata_d;

  assign sets_wdata = reg_req_i.wdata[EpSetsLog2Lsb +: EpSetsLog2Width];

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      dram_enable_q <= EpControlDramEnableReset;
      len_enable_q  <= EpControlLenEnableReset;
      sets_log2_q   <= MaxSetsLog2;
      ingress_th_q  <= {EpIngressThTh2Reset, EpIngressThTh1Reset, EpIngressThTh0Reset};
      mshr_th_q     <= {EpMshrThTh2Reset, EpMshrThTh1Reset, EpMshrThTh0Reset};
    end else if (reg_req_i.valid && reg_req_i.write) begin
      unique case (reg_req_i.addr[10:2])
        EpControlOffset[10:2]: begin
          dram_enable_q <= reg_req_i.wdata[EpControlDramEnableLsb];
          len_enable_q  <= reg_req_i.wdata[EpControlLenEnableLsb];
        end
        EpSetsOffset[10:2]: begin
          sets_log2_q <= (sets_wdata > MaxSetsLog2) ? MaxSetsLog2 : sets_wdata;
        end
        EpIngressThOffset[10:2]: begin
          ingress_th_q <= {reg_req_i.wdata[EpIngressThTh2Lsb +: EpIngressThTh2Width],
                           reg_req_i.wdata[EpIngressThTh1Lsb +: EpIngressThTh1Width],
                           reg_req_i.wdata[EpIngressThTh0Lsb +: EpIngressThTh0Width]};
        end
        EpMshrThOffset[10:2]: begin
          mshr_th_q <= {reg_req_i.wdata[EpMshrThTh2Lsb +: EpMshrThTh2Width],
                        reg_req_i.wdata[EpMshrThTh1Lsb +: EpMshrThTh1Width],
                        reg_req_i.wdata[EpMshrThTh0Lsb +: EpMshrThTh0Width]};
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
        EpControlOffset[10:2]: begin
          rdata_d[EpControlDramEnableLsb] = dram_enable_q;
          rdata_d[EpControlLenEnableLsb]  = len_enable_q;
        end
        EpSetsOffset[10:2]: rdata_d[EpSetsLog2Lsb +: EpSetsLog2Width] = sets_log2_q;
        EpIngressThOffset[10:2]: begin
          rdata_d[EpIngressThTh2Lsb +: EpIngressThTh2Width] = ingress_th_q[2];
          rdata_d[EpIngressThTh1Lsb +: EpIngressThTh1Width] = ingress_th_q[1];
          rdata_d[EpIngressThTh0Lsb +: EpIngressThTh0Width] = ingress_th_q[0];
        end
        EpMshrThOffset[10:2]: begin
          rdata_d[EpMshrThTh2Lsb +: EpMshrThTh2Width] = mshr_th_q[2];
          rdata_d[EpMshrThTh1Lsb +: EpMshrThTh1Width] = mshr_th_q[1];
          rdata_d[EpMshrThTh0Lsb +: EpMshrThTh0Width] = mshr_th_q[0];
        end
        EpWriteBacksOffset[10:2]: rdata_d = write_backs_q;
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
