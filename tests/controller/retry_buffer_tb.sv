// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
//
// retry_buffer with the smallest legal depth (22), so that pointers wrap often and off a power of 2,
// and with the product's (128); is_big_i says whose turn it is (the other is in reset).

module retry_buffer_tb
  import cxl_pkg::*;
(
  input  logic          clk_i,
  input  logic          rst_ni,
  input  logic          is_big_i,
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

  logic [1:0][7:0] wr_ptr;
  logic [1:0][7:0] rd_ptr;
  logic [1:0][8:0] num_free;
  logic [1:0] over_ack;
  logic [1:0] bad_req;
  logic [1:0] llrack;
  logic [1:0][7:0] eseq_echo;
  logic [1:0][4:0] num_retry_echo;
  logic [1:0] replaying;
  flit_payload_t [1:0] replay_payload;
  logic [1:0] replay_is_adf;

  for (genvar i = 0; i < 2; i++) begin : gen_depth
    retry_buffer #(.Depth(i == 1 ? 128 : 22)) i_dut (
      .clk_i,
      .rst_ni(rst_ni && is_big_i == (i == 1)),
      .start_i, .push_i, .push_payload_i, .push_is_adf_i, .ack_i, .req_seq_i, .req_eseq_i,
      .req_num_retry_i, .ack_sent_i, .replay_take_i, .phy_done_i,
      .wr_ptr_o(wr_ptr[i]),
      .rd_ptr_o(rd_ptr[i]),
      .num_free_o(num_free[i]),
      .over_ack_o(over_ack[i]),
      .bad_req_o(bad_req[i]),
      .llrack_o(llrack[i]),
      .eseq_echo_o(eseq_echo[i]),
      .num_retry_echo_o(num_retry_echo[i]),
      .replaying_o(replaying[i]),
      .replay_payload_o(replay_payload[i]),
      .replay_is_adf_o(replay_is_adf[i])
    );
  end

  assign wr_ptr_o = wr_ptr[is_big_i];
  assign rd_ptr_o = rd_ptr[is_big_i];
  assign num_free_o = num_free[is_big_i];
  assign over_ack_o = over_ack[is_big_i];
  assign bad_req_o = bad_req[is_big_i];
  assign llrack_o = llrack[is_big_i];
  assign eseq_echo_o = eseq_echo[is_big_i];
  assign num_retry_echo_o = num_retry_echo[is_big_i];
  assign replaying_o = replaying[is_big_i];
  assign replay_payload_o = replay_payload[is_big_i];
  assign replay_is_adf_o = replay_is_adf[is_big_i];

endmodule
