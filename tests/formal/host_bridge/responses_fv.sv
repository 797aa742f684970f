// Responses of the host bridge: a source that offers one and keeps it is served after at most so
// many others as there are other sources (ports and the local answer); one at a time.

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
  input logic                    rsp_ready_i,
  input reg_req_t                reg_req_i,
  input logic [NumPorts-1:0]     port_req_ready_i,
  input logic [NumPorts-1:0]     offer_i,
  input sys_rsp_t [NumPorts-1:0] port_rsp_i
);

  logic                     req_ready, rsp_valid;
  sys_rsp_t                 rsp;
  logic [31:0]              rdata;
  logic [NumPorts-1:0]      port_req_valid, port_rsp_valid, port_rsp_ready, kept_q;
  sys_req_t                 port_req;
  trace_t                   trace;
  logic [NumPorts-1:0][3:0] others_q;  // responses taken from others while this one waits
  logic                     taken;

  assign port_rsp_valid = offer_i | kept_q;

  host_bridge #(.NumPorts(NumPorts), .NumDecoders(1)) u_bridge (
    .clk_i, .rst_ni, .req_valid_i, .req_ready_o(req_ready), .req_i, .rsp_valid_o(rsp_valid),
    .rsp_ready_i, .rsp_o(rsp), .reg_req_i, .reg_rdata_o(rdata),
    .port_req_valid_o(port_req_valid), .port_req_ready_i, .port_req_o(port_req),
    .port_rsp_valid_i(port_rsp_valid), .port_rsp_ready_o(port_rsp_ready), .port_rsp_i,
    .tr_sys_accept_o(trace));

  // The output register can take one, and some source offers one: one is taken.
  assign taken = !rsp_valid || rsp_ready_i;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      kept_q   <= '0;
      others_q <= '0;
    end else begin
      for (int unsigned p = 0; p < NumPorts; p++) begin
        kept_q[p] <= port_rsp_valid[p] && !port_rsp_ready[p];
        if (!port_rsp_valid[p] || port_rsp_ready[p]) others_q[p] <= '0;
        else if (taken)                              others_q[p] <= others_q[p] + 4'd1;
      end
    end
  end

  for (genvar p = 0; p < NumPorts; p++) begin : g_port
    Wait_A: assert property (@(posedge clk_i) disable iff (!rst_ni) 32'(others_q[p]) <= NumPorts);
    Offered_A: assert property (@(posedge clk_i) disable iff (!rst_ni)
        port_rsp_ready[p] |-> port_rsp_valid[p]);
    Served_A: assert property (@(posedge clk_i) disable iff (!rst_ni)
        port_rsp_ready[p] |=> rsp_valid && rsp.id == $past(port_rsp_i[p].id));
  end

endmodule
