// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
//
// retry_local with both readings of the wrap value, side by side; inclusive_i chooses the outputs.

module retry_local_tb
  import cxl_pkg::*;
(
  input  logic       clk_i,
  input  logic       rst_ni,
  input  logic       inclusive_i,
  input  logic       start_i,
  input  logic       flit_valid_i,
  input  logic       flit_bad_i,
  input  logic       flit_retryable_i,
  input  logic       ack_seq_i,
  input  logic [4:0] ack_num_retry_i,
  input  logic       ack_empty_i,
  input  logic       tx_flit_i,
  input  logic       req_sent_i,
  input  logic       phy_done_i,
  input  logic [7:0] wrap_i,
  output logic [2:0] state_o,
  output logic [7:0] eseq_o,
  output logic [4:0] num_retry_o,
  output logic [4:0] num_phy_reinit_o,
  output logic       phy_reinit_req_o,
  output logic       accept_o
);

  logic [1:0][2:0] state;
  logic [1:0][7:0] eseq;
  logic [1:0][4:0] num_retry, num_phy_reinit;
  logic [1:0]      phy_reinit_req, accept;

  for (genvar i = 0; i < 2; i++) begin : gen_reading
    retry_local #(.LlrWrapInclusive(i == 1)) i_dut (
      .state_o         (state[i]),
      .eseq_o          (eseq[i]),
      .num_retry_o     (num_retry[i]),
      .num_phy_reinit_o(num_phy_reinit[i]),
      .phy_reinit_req_o(phy_reinit_req[i]),
      .accept_o        (accept[i]),
      .*
    );
  end

  assign state_o          = state[inclusive_i];
  assign eseq_o           = eseq[inclusive_i];
  assign num_retry_o      = num_retry[inclusive_i];
  assign num_phy_reinit_o = num_phy_reinit[inclusive_i];
  assign phy_reinit_req_o = phy_reinit_req[inclusive_i];
  assign accept_o         = accept[inclusive_i];

endmodule
