// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
//
// One end of a CXL link above Flex Bus: the CXL.mem controller and the ARB/MUX that lets it share
// the link with CXL.io.
//
//   messages <--> cxl_controller <--> arb_mux <--> Flex Bus: flit and its kind
//                  CXL.io flits  <------+
//
// The controller's link starts when the ALMPs have made the cachemem vLSM ready to talk. A retry
// that ends in PHY_REINIT becomes a Recovery of the physical link, and every Recovery a retry.
//
// Source:  CXL 2.0, chapters 4.2, 5.1; docs/blocks/controller/cxl_port.md.
// Latency: that of the controller; the ARB/MUX adds none.

module cxl_port
  import cxl_pkg::*;
#(
  parameter bit          IsHost = 1'b1,
  parameter int unsigned NdRxDepth = 32,
  parameter int unsigned WdRxDepth = 32,
  parameter int unsigned LlrbDepth = 128,
  parameter bit          LlrWrapInclusive = 1'b0,  // wrap values of INIT.Param are last numbers
  parameter logic [3:0]  WeightIo = 4'd1,
  parameter logic [3:0]  WeightCm = 4'd1
) (
  input  logic         clk_i,
  input  logic         rst_ni,

  // Settings and state of the link layer, for link_regs
  input  link_control_t link_control_i,
  output link_status_t link_status_o,

  // CXL.mem messages
  input  logic         tx_flush_i,      // throws away what waits in the transmit FIFOs
  input  logic         viral_i,         // this end is viral: tell the peer
  output logic         viral_o,         // pulse: the peer says that it is
  input  logic         tx_nd_valid_i,
  output logic         tx_nd_ready_o,
  input  msg_hdr_t     tx_nd_hdr_i,
  input  logic         tx_wd_valid_i,
  output logic         tx_wd_ready_o,
  input  msg_hdr_t     tx_wd_hdr_i,
  input  line_t        tx_wd_data_i,
  input  byte_en_t     tx_wd_be_i,
  output logic         rx_nd_valid_o,
  input  logic         rx_nd_ready_i,
  output msg_hdr_t     rx_nd_hdr_o,
  output logic         rx_wd_valid_o,
  input  logic         rx_wd_ready_i,
  output msg_hdr_t     rx_wd_hdr_o,
  output line_t        rx_wd_data_o,
  output byte_en_t     rx_wd_be_o,
  output logic [6:0]   rx_nd_count_o,
  output logic [6:0]   rx_wd_count_o,

  // CXL.io flits
  input  logic         io_tx_valid_i,
  output logic         io_tx_ready_o,
  input  logic [511:0] io_tx_data_i,
  output logic         io_rx_valid_o,
  output logic [511:0] io_rx_data_o,
  output logic         io_link_up_o,

  // Link state asked for (a code of vlsm_e, 0 nothing) and reached
  input  logic [3:0]   io_req_i,
  input  logic [3:0]   cm_req_i,
  output vlsm_e        io_state_o,
  output vlsm_e        cm_state_o,

  // Weight registers of the ARB/MUX
  input  logic         weight_io_we_i,
  input  logic [3:0]   weight_io_i,
  input  logic         weight_cm_we_i,
  input  logic [3:0]   weight_cm_i,
  output logic [3:0]   weight_io_o,
  output logic [3:0]   weight_cm_o,

  // Flex Bus
  output logic         link_tx_valid_o,
  input  logic         link_tx_ready_i,
  output flit_kind_e   link_tx_kind_o,
  output flit_t        link_tx_flit_o,
  input  logic         link_rx_valid_i,
  input  flit_kind_e   link_rx_kind_i,
  input  flit_t        link_rx_flit_i,
  input  logic         phy_up_i,
  input  logic         phy_recovery_i,
  output logic         retrain_req_o,
  output vlsm_e        phy_state_o,

  output logic         cm_link_up_o,     // the CXL.mem link layer lives
  output logic         init_done_o,
  output logic         abort_o,
  output logic [7:0]   err_o,            // of the controller
  output flit_payload_t err_flit_o,      // with err_o[4:1]: the flit
  output logic [2:0]   err_overflow_o,   // with err_o[5]: channel, as the RAS header log names it
  output logic [2:0]   arb_err_o         // of the ARB/MUX
);

  logic  cm_link_up, cm_tx_valid, cm_tx_ready, cm_rx_valid, cm_reinit_req, cm_reinit_done;
  flit_t cm_tx_flit, cm_rx_flit;

  // No CXL.cache on this link.
  logic       unused_tx_creq_ready;
  logic       unused_tx_crsp_ready;
  logic       unused_tx_cdat_ready;
  logic       unused_rx_creq_valid;
  cache_req_t unused_rx_creq_hdr;
  logic       unused_rx_crsp_valid;
  cache_rsp_t unused_rx_crsp_hdr;
  logic       unused_rx_cdat_valid;
  cache_dh_t  unused_rx_cdat_hdr;
  line_t      unused_rx_cdat_data;
  byte_en_t   unused_rx_cdat_be;

  cxl_controller #(
    .IsHost   (IsHost),
    .NdRxDepth(NdRxDepth),
    .WdRxDepth(WdRxDepth),
    .LlrbDepth(LlrbDepth),
    .LlrWrapInclusive(LlrWrapInclusive)
  ) u_controller (
    .clk_i,
    .rst_ni,
    .link_up_i        (cm_link_up),
    .link_control_i,
    .link_status_o,
    .tx_flush_i,
    .viral_i,
    .viral_o,
    .tx_nd_valid_i,
    .tx_nd_ready_o,
    .tx_nd_hdr_i,
    .tx_wd_valid_i,
    .tx_wd_ready_o,
    .tx_wd_hdr_i,
    .tx_wd_data_i,
    .tx_wd_be_i,
    .rx_nd_valid_o,
    .rx_nd_ready_i,
    .rx_nd_hdr_o,
    .rx_wd_valid_o,
    .rx_wd_ready_i,
    .rx_wd_hdr_o,
    .rx_wd_data_o,
    .rx_wd_be_o,
    .rx_nd_count_o,
    .rx_wd_count_o,
    .tx_creq_valid_i  (1'b0),
    .tx_creq_ready_o  (unused_tx_creq_ready),
    .tx_creq_hdr_i    ('0),
    .tx_crsp_valid_i  (1'b0),
    .tx_crsp_ready_o  (unused_tx_crsp_ready),
    .tx_crsp_hdr_i    ('0),
    .tx_cdat_valid_i  (1'b0),
    .tx_cdat_ready_o  (unused_tx_cdat_ready),
    .tx_cdat_hdr_i    ('0),
    .tx_cdat_data_i   ('0),
    .tx_cdat_be_i     ('0),
    .rx_creq_valid_o  (unused_rx_creq_valid),
    .rx_creq_ready_i  (1'b0),
    .rx_creq_hdr_o    (unused_rx_creq_hdr),
    .rx_crsp_valid_o  (unused_rx_crsp_valid),
    .rx_crsp_ready_i  (1'b0),
    .rx_crsp_hdr_o    (unused_rx_crsp_hdr),
    .rx_cdat_valid_o  (unused_rx_cdat_valid),
    .rx_cdat_ready_i  (1'b0),
    .rx_cdat_hdr_o    (unused_rx_cdat_hdr),
    .rx_cdat_data_o   (unused_rx_cdat_data),
    .rx_cdat_be_o     (unused_rx_cdat_be),
    .link_tx_valid_o  (cm_tx_valid),
    .link_tx_ready_i  (cm_tx_ready),
    .link_tx_flit_o   (cm_tx_flit),
    .link_rx_valid_i  (cm_rx_valid),
    .link_rx_flit_i   (cm_rx_flit),
    .phy_reinit_req_o (cm_reinit_req),
    .phy_reinit_done_i(cm_reinit_done),
    .init_done_o,
    .abort_o,
    .err_o,
    .err_flit_o,
    .err_overflow_o
  );

  assign cm_link_up_o = cm_link_up;

  arb_mux #(
    .IsHost  (IsHost),
    .WeightIo(WeightIo),
    .WeightCm(WeightCm)
  ) u_arb_mux (
    .clk_i,
    .rst_ni,
    .tx_valid_o          (link_tx_valid_o),
    .tx_ready_i          (link_tx_ready_i),
    .tx_kind_o           (link_tx_kind_o),
    .tx_flit_o           (link_tx_flit_o),
    .rx_valid_i          (link_rx_valid_i),
    .rx_kind_i           (link_rx_kind_i),
    .rx_flit_i           (link_rx_flit_i),
    .phy_up_i,
    .phy_recovery_i,
    .retrain_req_o,
    .phy_state_o,
    .cm_tx_valid_i       (cm_tx_valid),
    .cm_tx_ready_o       (cm_tx_ready),
    .cm_tx_flit_i        (cm_tx_flit),
    .cm_rx_valid_o       (cm_rx_valid),
    .cm_rx_flit_o        (cm_rx_flit),
    .cm_link_up_o        (cm_link_up),
    .cm_phy_reinit_req_i (cm_reinit_req),
    .cm_phy_reinit_done_o(cm_reinit_done),
    .io_tx_valid_i,
    .io_tx_ready_o,
    .io_tx_data_i,
    .io_rx_valid_o,
    .io_rx_data_o,
    .io_link_up_o,
    .io_req_i,
    .cm_req_i,
    .io_state_o,
    .cm_state_o,
    .weight_io_we_i,
    .weight_io_i,
    .weight_cm_we_i,
    .weight_cm_i,
    .weight_io_o,
    .weight_cm_o,
    .err_o               (arb_err_o)
  );

  // The link layer lives only while its vLSM lets it, and hears nothing before. Of its flits only
  // one that was stalled as its link went down may still leave.
  a_quiet_down: assert property (@(posedge clk_i) disable iff (!rst_ni)
      !cm_link_up |-> !cm_rx_valid);
  a_ready_down: assert property (@(posedge clk_i) disable iff (!rst_ni)
      (!cm_link_up && cm_tx_ready) |->
      $past(link_tx_valid_o && !link_tx_ready_i && link_tx_kind_o == FlitCachemem));
  a_done_up: assert property (@(posedge clk_i) disable iff (!rst_ni) cm_reinit_done |-> cm_link_up);

endmodule
