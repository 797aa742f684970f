// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
// flit_packer: the first message of each channel goes after a bounded number of flits, whatever the
// other channel offers, while new messages may start.

module packer_fv
  import cxl_pkg::*;
#(
  parameter bit IsHost = 1'b1,
  parameter int unsigned Bound = 2  // flits before the one that takes it
) (
  input logic       clk_i,
  input logic       rst_ni,
  input logic       start_i,
  input logic       take_i,
  input logic       mdh_disable_i,
  input logic [1:0] nd_valid_i,
  input logic [1:0] wd_valid_i,
  input logic [1:0] partial_i  // a write with byte enables
);

  logic [1:0]     nd_valid, wd_valid, nd_take, wd_take;
  byte_en_t [1:0] be;
  logic           is_adf, has_content, take;
  logic [3:0]     owed, owed_next;
  flit_payload_t  flit;
  logic           nd_kept_q, wd_kept_q;

  // What is offered stays while it is not taken.
  assign nd_valid[0] = nd_valid_i[0] || nd_kept_q;
  assign wd_valid[0] = wd_valid_i[0] || wd_kept_q;
  assign nd_valid[1] = nd_valid_i[1] && nd_valid[0];
  assign wd_valid[1] = wd_valid_i[1] && wd_valid[0];
  assign be          = {byte_en_t'(partial_i[1] ? 1 : -1), byte_en_t'(partial_i[0] ? 1 : -1)};
  assign take        = take_i && has_content;

  flit_packer #(.IsHost(IsHost)) u_packer (
    .clk_i, .rst_ni, .start_i, .take_i(take), .hold_new_i(1'b0), .mdh_disable_i,
    .nd_valid_i(nd_valid), .nd_hdr_i('0), .wd_valid_i(wd_valid), .wd_hdr_i('0), .wd_data_i('0),
    .wd_be_i(be), .ak_i(1'b0), .rsp_crd_i('0), .req_crd_i('0), .data_crd_i('0), .flit_o(flit),
    .is_adf_o(is_adf), .has_content_o(has_content), .nd_take_o(nd_take), .wd_take_o(wd_take),
    .owed_o(owed), .owed_next_o(owed_next));

  logic [3:0] nd_wait_q, wd_wait_q;  // flits that left since the head was offered
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      nd_kept_q <= 1'b0;
      wd_kept_q <= 1'b0;
      nd_wait_q <= '0;
      wd_wait_q <= '0;
    end else begin
      nd_kept_q <= nd_valid[0] && !(take && nd_take != '0);
      wd_kept_q <= wd_valid[0] && !(take && wd_take != '0);
      if (!nd_valid[0] || start_i || (take && nd_take != '0)) nd_wait_q <= '0;
      else if (take && nd_wait_q != '1)                       nd_wait_q <= nd_wait_q + 4'd1;
      if (!wd_valid[0] || start_i || (take && wd_take != '0)) wd_wait_q <= '0;
      else if (take && wd_wait_q != '1)                       wd_wait_q <= wd_wait_q + 4'd1;
    end
  end

  Nd_A: assert property (@(posedge clk_i) disable iff (!rst_ni) 32'(nd_wait_q) <= Bound);
  Wd_A: assert property (@(posedge clk_i) disable iff (!rst_ni) 32'(wd_wait_q) <= Bound);
  Content_A: assert property (@(posedge clk_i) disable iff (!rst_ni)
      (nd_valid[0] || wd_valid[0] || owed != '0) |-> has_content);
  Offered_A: assert property (@(posedge clk_i) disable iff (!rst_ni)
      (nd_take & ~nd_valid) == '0 || nd_take == 2'd2 && nd_valid == '1);

endmodule
