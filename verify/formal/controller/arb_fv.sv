// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
// arb_mux: a protocol that offers and is not served sees at most so many flits of the other go first
// as the other's weight says; one flit a cycle. ALMPs, which go before both, are not counted: the
// state machines make only so many. A link that comes up finds its vLSMs down.

module arb_fv
  import cxl_pkg::*;
#(
  parameter logic [3:0] WeightIo = 4'd2,
  parameter logic [3:0] WeightCm = 4'd3,
  parameter int unsigned Less = 0  // than the weight
) (
  input  logic         clk_i,
  input  logic         rst_ni,
  input  logic         tx_ready_i,
  input  logic         rx_valid_i,
  input  flit_kind_e   rx_kind_i,
  input  flit_t        rx_flit_i,
  input  logic         phy_up_i,
  input  logic         phy_recovery_i,
  input  logic         cm_tx_valid_i,
  input  logic         io_tx_valid_i,
  input  logic         cm_phy_reinit_req_i,
  input  logic [3:0]   io_req_i,
  input  logic [3:0]   cm_req_i
);

  logic         tx_valid_o, retrain_req_o, cm_tx_ready_o, cm_rx_valid_o, cm_link_up_o;
  logic         cm_phy_reinit_done_o, io_tx_ready_o, io_rx_valid_o, io_link_up_o;
  flit_kind_e   tx_kind_o;
  flit_t        tx_flit_o, cm_rx_flit_o;
  logic [511:0] io_rx_data_o;
  vlsm_e        phy_state_o, io_state_o, cm_state_o;
  logic [3:0]   weight_io_o, weight_cm_o;
  logic [2:0]   err_o;

  // What is offered stays while it is not taken.
  logic cm_valid, io_valid, cm_kept_q, io_kept_q;
  assign cm_valid = cm_tx_valid_i || cm_kept_q;
  assign io_valid = io_tx_valid_i || io_kept_q;

  arb_mux #(.IsHost(1'b1), .WeightIo(WeightIo), .WeightCm(WeightCm)) u_arb (
    .*, .cm_tx_valid_i(cm_valid), .io_tx_valid_i(io_valid), .cm_tx_flit_i('0), .io_tx_data_i('0),
    .weight_io_we_i(1'b0), .weight_io_i('0), .weight_cm_we_i(1'b0), .weight_cm_i('0));

  logic io_waits, cm_waits;
  assign io_waits = u_arb.io_offer && !io_tx_ready_o;
  assign cm_waits = u_arb.cm_offer && !cm_tx_ready_o;

  logic [7:0] before_io_q, before_cm_q;  // flits of the other since the offer
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      cm_kept_q   <= 1'b0;
      io_kept_q   <= 1'b0;
      before_io_q <= '0;
      before_cm_q <= '0;
    end else begin
      cm_kept_q   <= cm_valid && !cm_tx_ready_o;
      io_kept_q   <= io_valid && !io_tx_ready_o;
      before_io_q <= io_waits ? before_io_q + 8'(cm_tx_ready_o) : '0;
      before_cm_q <= cm_waits ? before_cm_q + 8'(io_tx_ready_o) : '0;
    end
  end

  IoServed_A: assert property (@(posedge clk_i) disable iff (!rst_ni)
      32'(before_io_q) + Less <= 32'(WeightCm));
  CmServed_A: assert property (@(posedge clk_i) disable iff (!rst_ni)
      32'(before_cm_q) + Less <= 32'(WeightIo));
  OneSent_A: assert property (@(posedge clk_i) disable iff (!rst_ni)
      $onehot0({io_tx_ready_o, cm_tx_ready_o}));
  Taken_A: assert property (@(posedge clk_i) disable iff (!rst_ni)
      (io_tx_ready_o || cm_tx_ready_o) |-> tx_valid_o && tx_ready_i);
  // What a mutant of vlsm takes for granted (verify/mutation/equivalent.yaml): from Detect nothing
  // comes up that was left Active.
  ColdUp_A: assert property (@(posedge clk_i) disable iff (!rst_ni)
      u_arb.cold_up |-> !(io_state_o inside {VlsmActive, VlsmDapm})
                        && !(cm_state_o inside {VlsmActive, VlsmDapm}));

endmodule
