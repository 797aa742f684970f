// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
//
// A root port and the link end of a device, wired to each other: the wire takes a cycle and is empty
// while the PHY, which is the test's, is not up. Messages are taken apart; the device's CXL.io is
// silent.

module port_link_tb
  import cxl_pkg::*;
  import cxlgpu_pkg::*;
(
  input  logic        clk_i,
  input  logic        rst_ni,
  // Host bridge
  input  logic        req_valid_i,
  output logic        req_ready_o,
  input  logic        req_write_i,
  input  logic [15:0] req_id_i,
  input  logic [45:0] req_line_i,
  output logic        rsp_valid_o,
  output logic [15:0] rsp_id_o,
  output logic        rsp_write_o,
  output logic        rsp_error_o,
  output logic [31:0] rsp_data_o,    // the lowest word
  // Registers
  input  logic        reg_valid_i,
  input  logic        reg_write_i,
  input  logic [15:0] reg_addr_i,
  input  logic [31:0] reg_wdata_i,
  output logic [31:0] reg_rdata_o,
  // Viral of the host and of the device
  input  logic        viral_i,
  output logic        viral_o,
  input  logic        dev_viral_i,
  output logic        dev_viral_o,   // pulse: the host says that it is
  // PHY
  input  logic        phy_up_i,
  input  logic        tx_stall_i,    // the PHY takes no flit of the port
  output logic [3:0]  phy_state_o,
  output logic        init_done_o,
  output logic        dev_init_done_o,
  // The device's messages
  output logic        read_valid_o,
  output logic        read_spec_o,
  output logic [15:0] read_tag_o,
  output logic [45:0] read_line_o,
  output logic        write_valid_o,
  output logic [15:0] write_tag_o,
  input  logic [1:0]  dev_load_i,    // of its responses
  input  logic        ndr_valid_i,
  output logic        ndr_ready_o,
  input  logic [15:0] ndr_tag_i,
  input  logic [2:0]  ndr_opcode_i,
  input  logic        drs_valid_i,
  output logic        drs_ready_o,
  input  logic [15:0] drs_tag_i,
  input  logic [31:0] drs_data_i     // in every word of the line
);

  sys_req_t   req;
  reg_req_t   reg_req;
  msg_hdr_t   nd_hdr, wd_hdr;
  /* verilator lint_off UNUSEDSIGNAL */  // a test looks at few of the fields
  sys_rsp_t   rsp;
  m2s_req_t   read;
  m2s_rwd_t   write;
  /* verilator lint_on UNUSEDSIGNAL */
  s2m_ndr_t   ndr;
  s2m_drs_t   drs;
  logic       down_valid, up_valid, down_valid_q, up_valid_q;
  flit_kind_e down_kind, up_kind, down_kind_q, up_kind_q;
  flit_t      down_flit, up_flit, down_flit_q, up_flit_q;
  vlsm_e      phy_state;

  always_comb begin
    req          = '0;
    req.id       = req_id_i;
    req.is_write = req_write_i;
    req.line     = req_line_i;
    req.be       = '1;
    reg_req      = '0;
    reg_req.valid = reg_valid_i;
    reg_req.write = reg_write_i;
    reg_req.addr  = reg_addr_i;
    reg_req.wdata = reg_wdata_i;
    ndr          = '0;
    ndr.valid    = ndr_valid_i;
    ndr.tag      = ndr_tag_i;
    ndr.opcode   = ndr_opcode_i;
    ndr.dev_load = dev_load_i;
    drs          = '0;
    drs.valid    = drs_valid_i;
    drs.tag      = drs_tag_i;
    drs.dev_load = dev_load_i;
  end
  assign rsp_id_o    = rsp.id;
  assign rsp_write_o = rsp.is_write;
  assign rsp_error_o = rsp.error;
  assign rsp_data_o  = rsp.data[31:0];
  assign read        = nd_hdr[M2sReqBits-1:0];
  assign write       = m2s_rwd_t'(wd_hdr);
  assign read_spec_o = read.opcode == MemSpecRd;
  assign read_tag_o  = read.tag;
  assign read_line_o = read.addr_51_5[46:1];
  assign write_tag_o = write.tag;
  assign phy_state_o = phy_state;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      down_valid_q <= 1'b0;
      up_valid_q   <= 1'b0;
    end else begin
      down_valid_q <= down_valid && phy_up_i && !tx_stall_i;
      up_valid_q   <= up_valid && phy_up_i;
    end
  end
  always_ff @(posedge clk_i) begin
    down_kind_q <= down_kind;
    down_flit_q <= down_flit;
    up_kind_q   <= up_kind;
    up_flit_q   <= up_flit;
  end

  /* verilator lint_off PINCONNECTEMPTY */
  root_port #(
    .DsDepth (16),
    .DsWrites(3)
  ) u_root_port (
    .clk_i,
    .rst_ni,
    .device_i         (5'd3),
    .req_valid_i,
    .req_ready_o,
    .req_i            (req),
    .rsp_valid_o,
    .rsp_ready_i      (1'b1),
    .rsp_o            (rsp),
    .hint_valid_i     (1'b0),
    .hint_ready_o     (),
    .hint_granule_i   ('0),
    .lm_valid_o       (),
    .lm_ready_i       (1'b0),
    .lm_req_o         (),
    .lm_line_o        (),
    .lm_rsp_valid_i   (1'b0),
    .lm_rsp_ready_o   (),
    .lm_rsp_i         ('0),
    .reg_req_i        (reg_req),
    .reg_rdata_o,
    .link_tx_valid_o  (down_valid),
    .link_tx_ready_i  (!tx_stall_i),
    .link_tx_kind_o   (down_kind),
    .link_tx_flit_o   (down_flit),
    .link_rx_valid_i  (up_valid_q && phy_up_i),
    .link_rx_kind_i   (up_kind_q),
    .link_rx_flit_i   (up_flit_q),
    .phy_up_i,
    .phy_recovery_i   (1'b0),
    .retrain_req_o    (),
    .phy_state_o      (phy_state),
    .init_done_o,
    .abort_o          (),
    .err_o            (),
    .arb_err_o        (),
    .viral_i,
    .viral_o,
    .trace_o          ()
  );

  cxl_port #(
    .IsHost(1'b0)
  ) u_device (
    .clk_i,
    .rst_ni,
    .link_control_i ('0),
    .link_status_o  (),
    .tx_flush_i     (!phy_up_i),
    .viral_i        (dev_viral_i),
    .viral_o        (dev_viral_o),
    .tx_nd_valid_i  (ndr_valid_i),
    .tx_nd_ready_o  (ndr_ready_o),
    .tx_nd_hdr_i    (msg_hdr_t'(ndr)),
    .tx_wd_valid_i  (drs_valid_i),
    .tx_wd_ready_o  (drs_ready_o),
    .tx_wd_hdr_i    (msg_hdr_t'(drs)),
    .tx_wd_data_i   ({16{drs_data_i}}),
    .tx_wd_be_i     ('1),
    .rx_nd_valid_o  (read_valid_o),
    .rx_nd_ready_i  (1'b1),
    .rx_nd_hdr_o    (nd_hdr),
    .rx_wd_valid_o  (write_valid_o),
    .rx_wd_ready_i  (1'b1),
    .rx_wd_hdr_o    (wd_hdr),
    .rx_wd_data_o   (),
    .rx_wd_be_o     (),
    .rx_nd_count_o  (),
    .rx_wd_count_o  (),
    .io_tx_valid_i  (1'b0),
    .io_tx_ready_o  (),
    .io_tx_data_i   ('0),
    .io_rx_valid_o  (),
    .io_rx_data_o   (),
    .io_link_up_o   (),
    .io_req_i       (VlsmActive),
    .cm_req_i       (VlsmActive),
    .io_state_o     (),
    .cm_state_o     (),
    .weight_io_we_i (1'b0),
    .weight_io_i    ('0),
    .weight_cm_we_i (1'b0),
    .weight_cm_i    ('0),
    .weight_io_o    (),
    .weight_cm_o    (),
    .link_tx_valid_o(up_valid),
    .link_tx_ready_i(1'b1),
    .link_tx_kind_o (up_kind),
    .link_tx_flit_o (up_flit),
    .link_rx_valid_i(down_valid_q && phy_up_i),
    .link_rx_kind_i (down_kind_q),
    .link_rx_flit_i (down_flit_q),
    .phy_up_i,
    .phy_recovery_i (1'b0),
    .retrain_req_o  (),
    .phy_state_o    (),
    .cm_link_up_o   (),
    .init_done_o    (dev_init_done_o),
    .abort_o        (),
    .err_o          (),
    .err_flit_o     (),
    .err_overflow_o (),
    .arb_err_o      ()
  );
  /* verilator lint_on PINCONNECTEMPTY */

endmodule
