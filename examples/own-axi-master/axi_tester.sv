// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
//
// A master with AXI4 as other people's IP has it, flat ports and none of our types: it writes a
// pattern to Lines consecutive lines of 64 bytes, reads them back and counts what is not as
// written.

module axi_tester #(
  parameter logic [63:0] Base  = 64'h1_0000_0000,  // of a line
  parameter int unsigned Lines = 8                 // 1..256
) (
  input  logic         aclk,
  input  logic         aresetn,
  output logic [15:0]  awid,
  output logic [63:0]  awaddr,
  output logic [7:0]   awlen,
  output logic [2:0]   awsize,
  output logic [1:0]   awburst,
  output logic         awvalid,
  input  logic         awready,
  output logic [511:0] wdata,
  output logic [63:0]  wstrb,
  output logic         wlast,
  output logic         wvalid,
  input  logic         wready,
  input  logic [15:0]  bid,
  input  logic [1:0]   bresp,
  input  logic         bvalid,
  output logic         bready,
  output logic [15:0]  arid,
  output logic [63:0]  araddr,
  output logic [7:0]   arlen,
  output logic [2:0]   arsize,
  output logic [1:0]   arburst,
  output logic         arvalid,
  input  logic         arready,
  input  logic [15:0]  rid,
  input  logic [511:0] rdata,
  input  logic [1:0]   rresp,
  input  logic         rlast,
  input  logic         rvalid,
  output logic         rready,
  output logic         done,    // all lines were read back
  output logic [9:0]   errors   // answers that were no OKAY, and lines that were not as written
);

  typedef enum logic [2:0] {Write, Written, Read, Compare, Done} state_e;

  state_e      state_q;
  logic [8:0]  line_q;
  logic        aw_done_q, w_done_q;
  logic [63:0] address;

  assign address = Base + {49'd0, line_q, 6'd0};

  assign {awid, awaddr, awlen, awsize, awburst} = {7'd0, line_q, address, 8'd0, 3'd6, 2'b01};
  assign {arid, araddr, arlen, arsize, arburst} = {7'd0, line_q, address, 8'd0, 3'd6, 2'b01};
  assign wdata   = {8{address ^ 64'h5a5a_a5a5_0f0f_f0f0}};
  assign wstrb   = '1;
  assign wlast   = 1'b1;
  assign awvalid = (state_q == Write) && !aw_done_q;
  assign wvalid  = (state_q == Write) && !w_done_q;
  assign arvalid = (state_q == Read);
  assign bready  = (state_q == Written);
  assign rready  = (state_q == Compare);
  assign done    = (state_q == Done);

  always_ff @(posedge aclk or negedge aresetn) begin
    if (!aresetn) begin
      state_q   <= Write;
      line_q    <= '0;
      aw_done_q <= 1'b0;
      w_done_q  <= 1'b0;
      errors    <= '0;
    end else begin
      unique case (state_q)
        Write: begin
          aw_done_q <= aw_done_q || awready;
          w_done_q  <= w_done_q || wready;
          if ((aw_done_q || awready) && (w_done_q || wready)) state_q <= Written;
        end
        Written: if (bvalid) begin
          aw_done_q <= 1'b0;
          w_done_q  <= 1'b0;
          errors    <= errors + 10'(bresp != 2'b00 || bid != awid);
          line_q    <= (line_q == 9'(Lines - 1)) ? '0 : line_q + 1'b1;
          state_q   <= (line_q == 9'(Lines - 1)) ? Read : Write;
        end
        Read: if (arready) state_q <= Compare;
        Compare: if (rvalid) begin
          errors  <= errors + 10'(rresp != 2'b00 || rid != arid || !rlast || rdata != wdata);
          line_q  <= line_q + 1'b1;
          state_q <= (line_q == 9'(Lines - 1)) ? Done : Read;
        end
        default: ;
      endcase
    end
  end

endmodule
