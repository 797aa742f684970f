// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
// One end of the link, sending: link_layer with the flit_packer that it takes from, against a wire
// that brings anything. link_layer's assertions about its packer are proven here, not assumed.

module link_fv
  import cxl_pkg::*;
#(
  parameter int unsigned LlrbDepth = 22  // the least that the specification allows
) (
  input  logic         clk_i,
  input  logic         rst_ni,
  input  logic         link_up_i,
  input  logic         viral_i,
  input  logic         init_stall_i,
  input  logic         crd_stall_i,
  input  logic [7:0]   ack_force_i,
  input  logic [9:0]   flush_i,
  input  logic [1:0]   nd_valid_i,
  input  logic [1:0]   wd_valid_i,
  input  logic         partial_i,        // a write with byte enables
  input  logic [3:0]   rsp_crd_i,
  input  logic [3:0]   req_crd_i,
  input  logic [3:0]   data_crd_i,
  input  logic         crd_pending_i,
  input  logic [3:0]   rx_owed_i,
  input  logic         rx_err_i,
  input  logic         rx_overflow_i,
  input  logic         link_tx_ready_i,
  input  logic         link_rx_valid_i,
  input  flit_t        link_rx_flit_i,
  input  logic         phy_reinit_done_i
);

  logic          start_o, viral_o, hold_new, ak, take, is_adf, has_content, crd_sent_o, rx_accept_o;
  logic          rx_crd_valid_o, link_tx_valid_o, phy_reinit_req_o, init_done_o, abort_o;
  logic [3:0]    owed, owed_next;
  logic [7:0]    err_o;
  logic [1:0]    nd_valid, wd_valid, nd_take, wd_take, nd_kept_q, wd_kept_q;
  flit_payload_t flit, rx_payload_o, err_flit_o;
  flit_t         link_tx_flit_o;
  link_status_t  link_status_o;

  // What is offered stays until it is taken or the link starts again; the first before the second.
  assign nd_valid[0] = nd_valid_i[0] || nd_kept_q[0];
  assign wd_valid[0] = wd_valid_i[0] || wd_kept_q[0];
  assign nd_valid[1] = nd_valid[0] && (nd_valid_i[1] || nd_kept_q[1]);
  assign wd_valid[1] = wd_valid[0] && (wd_valid_i[1] || wd_kept_q[1]);
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      nd_kept_q <= '0;
      wd_kept_q <= '0;
    end else begin
      nd_kept_q <= start_o ? '0 : !take ? nd_valid : nd_valid >> nd_take;
      wd_kept_q <= start_o ? '0 : !take ? wd_valid : wd_valid >> wd_take;
    end
  end

  link_layer #(.LlrbDepth(LlrbDepth)) u_link (
    .*, .pk_hold_new_o(hold_new), .pk_ak_o(ak), .pk_take_o(take), .pk_flit_i(flit),
    .pk_is_adf_i(is_adf), .pk_has_content_i(has_content), .pk_owed_i(owed));

  flit_packer #(.IsHost(1'b1)) u_packer (
    .clk_i, .rst_ni, .start_i(start_o), .take_i(take), .hold_new_i(hold_new), .mdh_disable_i(1'b0),
    .nd_valid_i(nd_valid), .nd_hdr_i('0), .wd_valid_i(wd_valid), .wd_hdr_i('0), .wd_data_i('0),
    .wd_be_i({byte_en_t'(1), partial_i ? byte_en_t'(1) : {$bits(byte_en_t){1'b1}}}), .ak_i(ak),
    .rsp_crd_i, .req_crd_i, .data_crd_i, .flit_o(flit), .is_adf_o(is_adf),
    .has_content_o(has_content), .nd_take_o(nd_take), .wd_take_o(wd_take), .owed_o(owed),
    .owed_next_o(owed_next));

  // With four chunks or more owed the packer has nothing but a flit full of them.
  Run_A: assert property (@(posedge clk_i) disable iff (!rst_ni)
      (owed >= 4'd4 && !start_o) |-> is_adf);
  // Nothing of a message leaves before the parameters are exchanged.
  Started_A: assert property (@(posedge clk_i) disable iff (!rst_ni)
      (take && link_up_i) |-> init_done_o);

endmodule
