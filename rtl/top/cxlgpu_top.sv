// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
//
// Whole system without what lies outside of it: one root complex and NumPorts endpoints.
//
//   AXI4 --> root_complex --> rp_link_tx[p] .. (link, outside) .. ep_link_rx[p] --> endpoint[p]
//                         <-- rp_link_rx[p] .. (link, outside) .. ep_link_tx[p] <--     |
//                                                                         media[p] (outside)
//
// Links and media are ports, so that a test bench or a PHY and a memory controller stand behind
// them; element p of every array belongs to port p. Wiring, but for one register at the edge: what
// a PHY says (received flits, link up, Recovery, that it takes a flit) and register requests count
// in the cycle after. Endpoints have no registers but over their link.
//
// Source: docs/blocks/top/cxlgpu_top.md.

module cxlgpu_top
  import cxl_pkg::*;
  import cxlgpu_pkg::*;
  import cxlgpu_port_pkg::*;
  import cxlgpu_size_pkg::*;
#(
  parameter  rtl_sizes_t  Sizes       = DefaultSizes,  // sizes as in configs/rtl/default.yaml:
                                                    // 1..15 ports, each with an endpoint
  parameter  int unsigned NumDecoders = 4,          // 1..10, 1 or even: HDM decoders of each end
  parameter  int unsigned MaxSets     = 1024,       // 2..1024, a power of two: sets of internal
                                                    // DRAM
  parameter  int unsigned Ways        = 8,          // 2..64, a power of two: lines in a set
  parameter  bit          HasDs       = 1'b1,       // 0 or 1: deterministic store
  parameter  bit          LlrWrapInclusive = 1'b0,  // 0 or 1: wrap values of INIT.Param are last
                                                    // numbers; the same at both ends
  localparam int unsigned NumPorts    = Sizes.ports
) (
  input  logic                         clk_i,
  input  logic                         rst_ni,
  // System side: AXI4, one 64 B line a transaction
  input  axi_req_t                     axi_req_i,           // from the manager; each channel's
                                                            // valid, payload and ready as in AXI4
  output axi_rsp_t                     axi_rsp_o,           // to the manager, likewise
  // Local memory, [p] of root port p: its region of deterministic store
  output logic [NumPorts-1:0]          lm_valid_o,          // a request; stays until taken
  input  logic [NumPorts-1:0]          lm_ready_i,          // takes it, in bounded time
  output lm_req_t [NumPorts-1:0]       lm_req_o,            // one line; a write has no answer
  output line_addr_t [NumPorts-1:0]    lm_line_o,           // address[51:6] of the line
  input  logic [NumPorts-1:0]          lm_rsp_valid_i,      // a read's answer, in any order, a
                                                            // cycle after it was taken or later
  output logic [NumPorts-1:0]          lm_rsp_ready_o,      // low while a load's answer waits
  input  lm_rsp_t [NumPorts-1:0]       lm_rsp_i,            // data, kind and index of the read
  // Registers of the root complex
  input  reg_req_t                     rc_reg_req_i,        // an access each cycle, never stalled;
                                                            // addr[15:12] 0 host bridge, i + 1 root
                                                            // port i
  output logic [31:0]                  rc_reg_rdata_o,      // the register read two cycles before;
                                                            // 0 of a page that no block has
  // Links, end of root port p; inputs act a cycle later
  output logic [NumPorts-1:0]          rp_link_tx_valid_o,  // a flit; stays until taken while in L0
  input  logic [NumPorts-1:0]          rp_link_tx_ready_i,  // takes a flit in the next cycle
  output flit_kind_e [NumPorts-1:0]    rp_link_tx_kind_o,   // whose flit; FlitNull without valid
  output flit_t [NumPorts-1:0]         rp_link_tx_flit_o,   // 527:512 is the CRC of CXL.cachemem
  input  logic [NumPorts-1:0]          rp_link_rx_valid_i,  // a received flit, never stalled
  input  flit_kind_e [NumPorts-1:0]    rp_link_rx_kind_i,   // whose flit; never FlitNull
  input  flit_t [NumPorts-1:0]         rp_link_rx_flit_i,   // as link_tx_flit_o
  input  logic [NumPorts-1:0]          rp_phy_up_i,         // level: physical link in L0
  input  logic [NumPorts-1:0]          rp_phy_recovery_i,   // level: in Recovery, which wins
  output logic [NumPorts-1:0]          rp_retrain_req_o,    // level: Recovery is requested
  output vlsm_e [NumPorts-1:0]         rp_phy_state_o,      // level: where it should be
  output logic [NumPorts-1:0]          rp_init_done_o,      // level: INIT.Param went both ways
  output logic [NumPorts-1:0]          rp_abort_o,          // level: retry has given up
  output logic [NumPorts-1:0][7:0]     rp_err_o,            // pulses: 0 CRC, 1 encoding, 2 flit
                                                            // before INIT.Param, 3 second
                                                            // INIT.Param, 4 unexpected RETRY.Ack,
                                                            // 5 overflow, 6 retry, 7 time-out
  output logic [NumPorts-1:0][2:0]     rp_arb_err_o,        // pulses: 0 damaged ALMP, 1 malformed
                                                            // or unexpected one, 2 stray flit
  // Links, end of endpoint p, likewise
  output logic [NumPorts-1:0]          ep_link_tx_valid_o,  // a flit; stays until taken while in L0
  input  logic [NumPorts-1:0]          ep_link_tx_ready_i,  // takes a flit in the next cycle
  output flit_kind_e [NumPorts-1:0]    ep_link_tx_kind_o,   // whose flit; FlitNull without valid
  output flit_t [NumPorts-1:0]         ep_link_tx_flit_o,   // 527:512 is the CRC of CXL.cachemem
  input  logic [NumPorts-1:0]          ep_link_rx_valid_i,  // a received flit, never stalled
  input  flit_kind_e [NumPorts-1:0]    ep_link_rx_kind_i,   // whose flit; never FlitNull
  input  flit_t [NumPorts-1:0]         ep_link_rx_flit_i,   // as link_tx_flit_o
  input  logic [NumPorts-1:0]          ep_phy_up_i,         // level: physical link in L0
  input  logic [NumPorts-1:0]          ep_phy_recovery_i,   // level: in Recovery, which wins
  output logic [NumPorts-1:0]          ep_retrain_req_o,    // level: Recovery is requested
  output vlsm_e [NumPorts-1:0]         ep_phy_state_o,      // level: where it should be
  output logic [NumPorts-1:0]          ep_init_done_o,      // level: INIT.Param went both ways
  output logic [NumPorts-1:0]          ep_abort_o,          // level: retry has given up
  output logic [NumPorts-1:0][7:0]     ep_err_o,            // pulses, as rp_err_o
  output logic [NumPorts-1:0][2:0]     ep_arb_err_o,        // pulses, as rp_arb_err_o
  // Media, [p] of endpoint p
  output to_media_t [NumPorts-1:0]     media_o,             // commands; whether an answer is taken
  input  from_media_t [NumPorts-1:0]   media_i,             // answers; load of the media; whether a
                                                            // command is taken
  // Trace
  output sys_trace_t                   sys_trace_o,         // events of the host bridge's bus
  output rp_trace_t [NumPorts-1:0]     rp_trace_o,          // events of root port p
  output ep_trace_t [NumPorts-1:0]     ep_trace_o           // events of endpoint p
);

  reg_req_t rc_reg_req_q;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) rc_reg_req_q <= '0;
    else         rc_reg_req_q <= rc_reg_req_i;
  end

  // What the PHYs say; a received flit is looked at only while valid.
  logic [NumPorts-1:0]       rp_tx_ready_q, ep_tx_ready_q;
  logic [NumPorts-1:0]       rp_phy_up_q, ep_phy_up_q;
  logic [NumPorts-1:0]       rp_phy_recovery_q, ep_phy_recovery_q;
  logic [NumPorts-1:0]       rp_rx_valid_q, ep_rx_valid_q;
  flit_kind_e [NumPorts-1:0] rp_rx_kind_q, ep_rx_kind_q;
  flit_t [NumPorts-1:0]      rp_rx_flit_q, ep_rx_flit_q;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      rp_tx_ready_q     <= '0;
      rp_phy_up_q       <= '0;
      rp_phy_recovery_q <= '0;
      rp_rx_valid_q     <= '0;
      ep_tx_ready_q     <= '0;
      ep_phy_up_q       <= '0;
      ep_phy_recovery_q <= '0;
      ep_rx_valid_q     <= '0;
    end else begin
      rp_tx_ready_q     <= rp_link_tx_ready_i;
      rp_phy_up_q       <= rp_phy_up_i;
      rp_phy_recovery_q <= rp_phy_recovery_i;
      rp_rx_valid_q     <= rp_link_rx_valid_i;
      ep_tx_ready_q     <= ep_link_tx_ready_i;
      ep_phy_up_q       <= ep_phy_up_i;
      ep_phy_recovery_q <= ep_phy_recovery_i;
      ep_rx_valid_q     <= ep_link_rx_valid_i;
    end
  end

  always_ff @(posedge clk_i) begin
    for (int unsigned p = 0; p < NumPorts; p++) begin
      if (rp_link_rx_valid_i[p]) begin
        rp_rx_kind_q[p] <= rp_link_rx_kind_i[p];
        rp_rx_flit_q[p] <= rp_link_rx_flit_i[p];
      end
      if (ep_link_rx_valid_i[p]) begin
        ep_rx_kind_q[p] <= ep_link_rx_kind_i[p];
        ep_rx_flit_q[p] <= ep_link_rx_flit_i[p];
      end
    end
  end

  root_complex #(
    .Sizes      (Sizes),
    .NumDecoders(NumDecoders),
    .HasDs      (HasDs),
    .LlrWrapInclusive(LlrWrapInclusive),
    .IoInfinite (1'b1)  // the endpoints make no requests
  ) u_root_complex (
    .clk_i            (clk_i),
    .rst_ni           (rst_ni),
    .axi_req_i        (axi_req_i),
    .axi_rsp_o        (axi_rsp_o),
    .lm_valid_o       (lm_valid_o),
    .lm_ready_i       (lm_ready_i),
    .lm_req_o         (lm_req_o),
    .lm_line_o        (lm_line_o),
    .lm_rsp_valid_i   (lm_rsp_valid_i),
    .lm_rsp_ready_o   (lm_rsp_ready_o),
    .lm_rsp_i         (lm_rsp_i),
    .reg_req_i        (rc_reg_req_q),
    .reg_rdata_o      (rc_reg_rdata_o),
    .link_tx_valid_o  (rp_link_tx_valid_o),
    .link_tx_ready_i  (rp_tx_ready_q),
    .link_tx_kind_o   (rp_link_tx_kind_o),
    .link_tx_flit_o   (rp_link_tx_flit_o),
    .link_rx_valid_i  (rp_rx_valid_q),
    .link_rx_kind_i   (rp_rx_kind_q),
    .link_rx_flit_i   (rp_rx_flit_q),
    .phy_up_i         (rp_phy_up_q),
    .phy_recovery_i   (rp_phy_recovery_q),
    .retrain_req_o    (rp_retrain_req_o),
    .phy_state_o      (rp_phy_state_o),
    .init_done_o      (rp_init_done_o),
    .abort_o          (rp_abort_o),
    .err_o            (rp_err_o),
    .arb_err_o        (rp_arb_err_o),
    .sys_trace_o      (sys_trace_o),
    .rp_trace_o       (rp_trace_o)
  );

  for (genvar p = 0; p < NumPorts; p++) begin : gen_endpoint
    endpoint #(
      .MaxSets    (MaxSets),
      .Ways       (Ways),
      .Mshrs      (Sizes.mshrs),
      .DramLineBytes(Sizes.line_bytes),
      .LlrWrapInclusive(LlrWrapInclusive),
      .NumDecoders(NumDecoders),
      .SerialNumber(64'(p) + 64'd1),
      .IoInfinite (1'b1)  // the root port at the other end is ours
    ) u_endpoint (
      .clk_i            (clk_i),
      .rst_ni           (rst_ni),
      .link_tx_valid_o  (ep_link_tx_valid_o[p]),
      .link_tx_ready_i  (ep_tx_ready_q[p]),
      .link_tx_kind_o   (ep_link_tx_kind_o[p]),
      .link_tx_flit_o   (ep_link_tx_flit_o[p]),
      .link_rx_valid_i  (ep_rx_valid_q[p]),
      .link_rx_kind_i   (ep_rx_kind_q[p]),
      .link_rx_flit_i   (ep_rx_flit_q[p]),
      .phy_up_i         (ep_phy_up_q[p]),
      .phy_recovery_i   (ep_phy_recovery_q[p]),
      .retrain_req_o    (ep_retrain_req_o[p]),
      .phy_state_o      (ep_phy_state_o[p]),
      .init_done_o      (ep_init_done_o[p]),
      .abort_o          (ep_abort_o[p]),
      .err_o            (ep_err_o[p]),
      .arb_err_o        (ep_arb_err_o[p]),
      .media_o          (media_o[p]),
      .media_i          (media_i[p]),
      .trace_o          (ep_trace_o[p])
    );
  end

endmodule
