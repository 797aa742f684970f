// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
//
// Root complex: AXI4 adapter, host bridge and NumPorts root ports.
//
//   AXI4 --> axi_adapter --> host_bridge --+--> root_port[0] --> link 0
//                             (HDM decode) +--> root_port[1] --> link 1
//
// Register space, 4 KiB each: host bridge at 0000h, root port i at 1000h * (i + 1); other
// addresses read 0. Read data is valid the cycle after the request.
// On the configuration bus below software, bus 0, root port i is device i.
//
// Latency:  adapter 1, host bridge 1 each way, root port as it says.
// Source:   docs/blocks/top/cxlgpu_top.md.

module root_complex
  import cxl_pkg::*;
  import cxlgpu_pkg::*;
  import cxlgpu_port_pkg::*;
  import cxlgpu_size_pkg::*;
#(
  parameter  rtl_sizes_t  Sizes          = DefaultSizes,  // sizes as in configs/rtl/default.yaml:
                                                    // 1..15 root ports
  parameter  int unsigned NumDecoders    = 4,       // 1..10, 1 or even: HDM decoders
  parameter  logic [7:0]  PortNumberBase = 8'h10,   // 0..256-NumPorts: number of root port 0 in
                                                    // target lists; port i has it + i
  parameter  bit          HasDs          = 1'b1,    // 0 or 1: deterministic store
  parameter  bit          LlrWrapInclusive = 1'b0,  // 0 or 1: wrap values of INIT.Param are last
                                                    // numbers; the same at both ends
  parameter  bit          IoInfinite     = 1'b0,    // 0 or 1: infinite CXL.io credits; only if
                                                    // devices make no requests
  localparam int unsigned NumPorts       = Sizes.ports
) (
  input  logic                      clk_i,
  input  logic                      rst_ni,
  // System side: AXI4, one 64 B line a transaction
  input  axi_req_t                  axi_req_i,          // from the manager; each channel's valid,
                                                        // payload and ready as in AXI4
  output axi_rsp_t                  axi_rsp_o,          // to the manager, likewise
  // Local memory, [p] of root port p: its region of deterministic store
  output logic [NumPorts-1:0]       lm_valid_o,         // a request; stays until taken
  input  logic [NumPorts-1:0]       lm_ready_i,         // takes it, in bounded time
  output lm_req_t [NumPorts-1:0]    lm_req_o,           // one line; a write has no answer
  output line_addr_t [NumPorts-1:0] lm_line_o,          // address[51:6] of the line
  input  logic [NumPorts-1:0]       lm_rsp_valid_i,     // a read's answer, in any order, a cycle
                                                        // after it was taken or later
  output logic [NumPorts-1:0]       lm_rsp_ready_o,     // low while a load's answer waits
  input  lm_rsp_t [NumPorts-1:0]    lm_rsp_i,           // data, kind and index of the read
  input  reg_req_t                  reg_req_i,          // an access each cycle, never stalled;
                                                        // addr[15:12] 0 host bridge, i + 1 root
                                                        // port i
  output logic [31:0]               reg_rdata_o,        // the register read in the cycle before;
                                                        // 0 of a page that no block has
  // Links, [p] of root port p
  output logic [NumPorts-1:0]       link_tx_valid_o,    // a flit; stays until taken while in L0
  input  logic [NumPorts-1:0]       link_tx_ready_i,    // takes the flit; may be low
  output flit_kind_e [NumPorts-1:0] link_tx_kind_o,     // whose flit; FlitNull without valid
  output flit_t [NumPorts-1:0]      link_tx_flit_o,     // 527:512 is the CRC of CXL.cachemem
  input  logic [NumPorts-1:0]       link_rx_valid_i,    // a received flit, never stalled
  input  flit_kind_e [NumPorts-1:0] link_rx_kind_i,     // whose flit; never FlitNull
  input  flit_t [NumPorts-1:0]      link_rx_flit_i,     // as link_tx_flit_o
  input  logic [NumPorts-1:0]       phy_up_i,           // level: physical link in L0
  input  logic [NumPorts-1:0]       phy_recovery_i,     // level: in Recovery, which wins
  output logic [NumPorts-1:0]       retrain_req_o,      // level: Recovery is requested
  output vlsm_e [NumPorts-1:0]      phy_state_o,        // level: where it should be
  output logic [NumPorts-1:0]       init_done_o,        // level: INIT.Param went both ways
  output logic [NumPorts-1:0]       abort_o,            // level: retry has given up
  output logic [NumPorts-1:0][7:0]  err_o,              // pulses: 0 CRC, 1 encoding, 2 flit before
                                                        // INIT.Param, 3 second INIT.Param,
                                                        // 4 unexpected RETRY.Ack, 5 overflow,
                                                        // 6 retry, 7 time-out
  output logic [NumPorts-1:0][2:0]  arb_err_o,          // pulses: 0 damaged ALMP, 1 malformed or
                                                        // unexpected one, 2 stray flit
  // Trace
  output sys_trace_t                sys_trace_o,        // events of the host bridge's bus
  output rp_trace_t [NumPorts-1:0]  rp_trace_o          // events of root port p
);

  // ---------------------------------------------------------------------------------------------
  // Registers
  // ---------------------------------------------------------------------------------------------
  reg_req_t                  reg_req_bridge;
  reg_req_t [NumPorts-1:0]   reg_req_port;
  logic [31:0]               rdata_bridge;
  logic [NumPorts-1:0][31:0] rdata_port;
  logic [3:0]                reg_page_q;

  always_comb begin
    reg_req_bridge       = reg_req_i;
    reg_req_bridge.valid = reg_req_i.valid && (reg_req_i.addr[15:12] == 4'd0);
    for (int unsigned i = 0; i < NumPorts; i++) begin
      reg_req_port[i]       = reg_req_i;
      reg_req_port[i].valid = reg_req_i.valid && (reg_req_i.addr[15:12] == 4'(i + 1));
    end
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      reg_page_q <= '0;
    end else if (reg_req_i.valid) begin
      reg_page_q <= reg_req_i.addr[15:12];
    end
  end

  always_comb begin
    reg_rdata_o = (reg_page_q == 4'd0) ? rdata_bridge : '0;
    for (int unsigned i = 0; i < NumPorts; i++) begin
      if (reg_page_q == 4'(i + 1)) reg_rdata_o = rdata_port[i];
    end
  end

  // ---------------------------------------------------------------------------------------------
  // System side
  // ---------------------------------------------------------------------------------------------
  logic                    sys_req_valid, sys_req_ready;
  logic                    sys_r_valid, sys_r_ready, sys_r_error;
  logic                    sys_b_valid, sys_b_ready, sys_b_error;
  sys_req_t                sys_req;
  sys_id_t                 sys_r_id, sys_b_id;
  line_t                   sys_r_data;
  sys_req_t [NumPorts-1:0] port_req;
  logic [NumPorts-1:0]     port_req_valid, port_req_ready, port_rsp_valid, port_rsp_ready;
  sys_rsp_t [NumPorts-1:0] port_rsp;
  logic                    hint_valid;
  granule_t                hint_first, port_hint_granule;
  logic [11:0]             hint_len;
  logic [NumPorts-1:0]     port_hint_valid, port_hint_ready;

  axi_adapter u_axi_adapter (
    .clk_i           (clk_i),
    .rst_ni          (rst_ni),
    .axi_req_i       (axi_req_i),
    .axi_rsp_o       (axi_rsp_o),
    .req_valid_o     (sys_req_valid),
    .req_ready_i     (sys_req_ready),
    .req_o           (sys_req),
    .hint_valid_o    (hint_valid),
    .hint_first_o    (hint_first),
    .hint_len_o      (hint_len),
    .r_valid_i       (sys_r_valid),
    .r_ready_o       (sys_r_ready),
    .r_id_i          (sys_r_id),
    .r_error_i       (sys_r_error),
    .r_data_i        (sys_r_data),
    .b_valid_i       (sys_b_valid),
    .b_ready_o       (sys_b_ready),
    .b_id_i          (sys_b_id),
    .b_error_i       (sys_b_error),
    .tr_sys_respond_o(sys_trace_o.sys_respond)
  );

  host_bridge #(
    .NumPorts      (NumPorts),
    .PortNumberBase(PortNumberBase),
    .NumDecoders   (NumDecoders)
  ) u_host_bridge (
    .clk_i           (clk_i),
    .rst_ni          (rst_ni),
    .req_valid_i     (sys_req_valid),
    .req_ready_o     (sys_req_ready),
    .req_i           (sys_req),
    .r_valid_o       (sys_r_valid),
    .r_ready_i       (sys_r_ready),
    .r_id_o          (sys_r_id),
    .r_error_o       (sys_r_error),
    .r_data_o        (sys_r_data),
    .b_valid_o       (sys_b_valid),
    .b_ready_i       (sys_b_ready),
    .b_id_o          (sys_b_id),
    .b_error_o       (sys_b_error),
    .reg_req_i       (reg_req_bridge),
    .reg_rdata_o     (rdata_bridge),
    .hint_valid_i    (hint_valid),
    .hint_first_i    (hint_first),
    .hint_len_i      (hint_len),
    .port_hint_valid_o  (port_hint_valid),
    .port_hint_ready_i  (port_hint_ready),
    .port_hint_granule_o(port_hint_granule),
    .port_req_valid_o(port_req_valid),
    .port_req_ready_i(port_req_ready),
    .port_req_o      (port_req),
    .port_rsp_valid_i(port_rsp_valid),
    .port_rsp_ready_o(port_rsp_ready),
    .port_rsp_i      (port_rsp),
    .tr_sys_accept_o (sys_trace_o.sys_accept)
  );

  // ---------------------------------------------------------------------------------------------
  // Root ports
  // ---------------------------------------------------------------------------------------------
  // Viral of one port is viral of all: each tells the device below it (CXL 2.0, 12.4).
  logic [NumPorts-1:0] viral;
  logic                any_viral;
  assign any_viral = |viral;

  for (genvar p = 0; p < NumPorts; p++) begin : gen_port
    root_port #(
      .SrDepth    (Sizes.sr_queue_entries),
      .MemDepth   (Sizes.memory_queue_entries),
      .RingEntries(Sizes.ring_entries),
      .HasDs      (HasDs),
      .LlrWrapInclusive(LlrWrapInclusive),
      .DsDepth    (Sizes.ds_lines),
      .DsWrites   (Sizes.ds_writes),
      .IoInfinite (IoInfinite)
    ) u_root_port (
      .clk_i            (clk_i),
      .rst_ni           (rst_ni),
      .device_i         (5'(p)),
      .req_valid_i      (port_req_valid[p]),
      .req_ready_o      (port_req_ready[p]),
      .req_i            (port_req[p]),
      .rsp_valid_o      (port_rsp_valid[p]),
      .rsp_ready_i      (port_rsp_ready[p]),
      .rsp_o            (port_rsp[p]),
      .hint_valid_i     (port_hint_valid[p]),
      .hint_ready_o     (port_hint_ready[p]),
      .hint_granule_i   (port_hint_granule),
      .lm_valid_o       (lm_valid_o[p]),
      .lm_ready_i       (lm_ready_i[p]),
      .lm_req_o         (lm_req_o[p]),
      .lm_line_o        (lm_line_o[p]),
      .lm_rsp_valid_i   (lm_rsp_valid_i[p]),
      .lm_rsp_ready_o   (lm_rsp_ready_o[p]),
      .lm_rsp_i         (lm_rsp_i[p]),
      .reg_req_i        (reg_req_port[p]),
      .reg_rdata_o      (rdata_port[p]),
      .link_tx_valid_o  (link_tx_valid_o[p]),
      .link_tx_ready_i  (link_tx_ready_i[p]),
      .link_tx_kind_o   (link_tx_kind_o[p]),
      .link_tx_flit_o   (link_tx_flit_o[p]),
      .link_rx_valid_i  (link_rx_valid_i[p]),
      .link_rx_kind_i   (link_rx_kind_i[p]),
      .link_rx_flit_i   (link_rx_flit_i[p]),
      .phy_up_i         (phy_up_i[p]),
      .phy_recovery_i   (phy_recovery_i[p]),
      .retrain_req_o    (retrain_req_o[p]),
      .phy_state_o      (phy_state_o[p]),
      .init_done_o      (init_done_o[p]),
      .abort_o          (abort_o[p]),
      .err_o            (err_o[p]),
      .arb_err_o        (arb_err_o[p]),
      .viral_i          (any_viral),
      .viral_o          (viral[p]),
      .trace_o          (rp_trace_o[p])
    );
  end

  if ((NumPorts < 1) || (NumPorts > 15)) begin : g_bad_ports
    $error("root_complex: NumPorts of 1..15 is %0d", NumPorts);
  end

  // ---------------------------------------------------------------------------------------------
  // Contract
  // ---------------------------------------------------------------------------------------------
  ViralIsPassedOn_A: assert property (@(posedge clk_i) disable iff (!rst_ni)
      any_viral |=> &viral)
      else $error("a root port is not viral though another one was");

endmodule
