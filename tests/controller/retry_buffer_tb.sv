// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
//
// retry_buffer with the smallest legal depth (22), so that pointers wrap often and off a power
// of 2.

module retry_buffer_tb
  import cxl_pkg::*;
(
  input  logic          clk_i,
  input  logic          rst_ni,
  input  logic          start_i,
  input  logic          push_i,
  input  flit_payload_t push_payload_i,
  input  logic          push_is_adf_i,
  input  logic [8:0]    ack_i,
  input  logic          req_seq_i,
  input  logic [7:0]    req_eseq_i,
  input  logic [4:0]    req_num_retry_i,
  input  logic          ack_sent_i,
  input  logic          replay_take_i,
  input  logic          phy_done_i,
  output logic [7:0]    wr_ptr_o,
  output logic [7:0]    rd_ptr_o,
  output logic [8:0]    num_free_o,
  output logic          over_ack_o,
  output logic          bad_req_o,
  output logic          llrack_o,
  output logic [7:0]    eseq_echo_o,
  output logic [4:0]    num_retry_echo_o,
  output logic          replaying_o,
  output flit_payload_t replay_payload_o,
  output logic          replay_is_adf_o
);

  retry_buffer #(.Depth(22)) i_dut (.*);

endmodule
