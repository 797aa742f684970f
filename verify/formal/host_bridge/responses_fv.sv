// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
// Responses of the host bridge: a source that offers one and keeps it is served after at most so
// many others of its kind (reads, writes) as there are other sources (ports and the local answer),
// whatever the register of the other kind does.

module responses_fv
  import cxl_pkg::*;
  import cxlgpu_pkg::*;
#(
  parameter int unsigned NumPorts = 2
) (
  input logic                    clk_i,
  input logic                    rst_ni,
  input logic                    req_valid_i,
  input sys_req_t                req_i,
  input logic                    r_ready_i,
  input logic                    b_ready_i,
  input reg_req_t                reg_req_i,
  input logic [NumPorts-1:0]     port_req_ready_i,
  input logic [NumPorts-1:0]     offer_i,
  input sys_rsp_t [NumPorts-1:0] port_rsp_i
);

  logic                     req_ready, r_valid, r_error, b_valid, b_error;
  sys_id_t                  r_id, b_id;
  line_t                    r_data;
  logic [31:0]              rdata;
  logic [NumPorts-1:0]      port_req_valid, port_rsp_valid, port_rsp_ready, kept_q, hint_valid;
  granule_t                 hint_granule;
  sys_req_t [NumPorts-1:0]  port_req;
  trace_t                   trace;
  logic [NumPorts-1:0][3:0] others_q;  // responses taken from others while this one waits
  logic [NumPorts-1:0]      write_q;   // the kind of what is kept
  logic [NumPorts-1:0]      taken;
  sys_rsp_t [NumPorts-1:0]  port_rsp;

  assign port_rsp_valid = offer_i | kept_q;

  host_bridge #(.NumPorts(NumPorts), .NumDecoders(1)) u_bridge (
    .clk_i, .rst_ni, .req_valid_i, .req_ready_o(req_ready), .req_i, .r_valid_o(r_valid), .r_ready_i,
    .r_id_o(r_id), .r_error_o(r_error), .r_data_o(r_data), .b_valid_o(b_valid), .b_ready_i,
    .b_id_o(b_id), .b_error_o(b_error), .reg_req_i, .reg_rdata_o(rdata),
    .hint_valid_i(1'b0), .hint_first_i('0), .hint_len_i('0), .port_hint_valid_o(hint_valid),
    .port_hint_ready_i('0), .port_hint_granule_o(hint_granule),
    .port_req_valid_o(port_req_valid), .port_req_ready_i, .port_req_o(port_req),
    .port_rsp_valid_i(port_rsp_valid), .port_rsp_ready_o(port_rsp_ready), .port_rsp_i(port_rsp),
    .tr_sys_accept_o(trace));

  // The register of its kind can take one, and a source of that kind offers one: one is taken.
  always_comb begin
    port_rsp = port_rsp_i;
    taken    = '0;
    for (int unsigned p = 0; p < NumPorts; p++) begin
      if (kept_q[p]) port_rsp[p].is_write = write_q[p];
      taken[p] = port_rsp[p].is_write ? (!b_valid || b_ready_i) : (!r_valid || r_ready_i);
    end
  end
  always_ff @(posedge clk_i) begin
    for (int unsigned p = 0; p < NumPorts; p++) write_q[p] <= port_rsp[p].is_write;
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      kept_q   <= '0;
      others_q <= '0;
    end else begin
      for (int unsigned p = 0; p < NumPorts; p++) begin
        kept_q[p] <= port_rsp_valid[p] && !port_rsp_ready[p];
        if (!port_rsp_valid[p] || port_rsp_ready[p]) others_q[p] <= '0;
        else if (taken[p])                           others_q[p] <= others_q[p] + 4'd1;
      end
    end
  end

  for (genvar p = 0; p < NumPorts; p++) begin : g_port
    Wait_A: assert property (@(posedge clk_i) disable iff (!rst_ni) 32'(others_q[p]) <= NumPorts);
    Offered_A: assert property (@(posedge clk_i) disable iff (!rst_ni)
        port_rsp_ready[p] |-> port_rsp_valid[p]);
    Served_A: assert property (@(posedge clk_i) disable iff (!rst_ni)
        port_rsp_ready[p] |=> ($past(port_rsp[p].is_write)
                               ? b_valid && b_id == $past(port_rsp[p].id)
                               : r_valid && r_id == $past(port_rsp[p].id)));
  end

endmodule
