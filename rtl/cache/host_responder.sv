// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
//
// Host side of CXL.cache: answers D2H requests from a small memory, one at a time, and snoops the
// device on command. Stands behind a host controller with CXL.cache.
//
// Source: CXL 2.0, chapter 3.2 (CXL.cache): requests, responses, snoops.
//
//   Idle -> Answer (Crsp and/or Cdat) -> Pull (D2H data) -> Final (Crsp) -> Idle
//        -> Snoop (Creq) -> SnoopWait (Crsp, Cdat if modified) -> Idle
//
// Memory keeps poison with a line until it is written whole and without.

module host_responder
  import cxl_pkg::*;
#(
  parameter int unsigned LinesLog2 = 4  // log2 of the lines of memory, from line address 0 up,
                                        // 1..16
) (
  input  logic        clk_i,
  input  logic        rst_ni,

  input  logic        snp_valid_i,      // a snoop is to be sent
  output logic        snp_ready_o,      // low: a request or snoop is outstanding
  input  logic [2:0]  snp_op_i,         // SnpData, SnpInv or SnpCur, 1..3
  input  line_addr_t  snp_addr_i,       // line address
  output logic        snp_done_o,       // pulse: the snoop was answered; the next three are 0
                                        // without it
  output logic [4:0]  snp_rsp_o,        // the answer, d2h_rsp_op_e
  output line_t       snp_data_o,       // line that came with it, 0 if none did
  output logic        snp_poison_o,     // snp_data_o is poisoned

  // Policy, sampled with a request
  input  logic        drop_i,           // CleanEvict: the data are not needed
  input  logic        any_shared_i,     // RdAny gets S, else E
  input  logic        own_modified_i,   // RdOwn gets M, else E
  input  logic        data_first_i,     // the response of a read is sent after its data
  input  logic        error_i,          // answer with an error
  output logic        err_o,            // pulse: a message came that nothing awaits, or a reserved
                                        // opcode

  output logic        tx_creq_valid_o,  // a snoop is offered; stays until taken
  input  logic        tx_creq_ready_i,  // the controller takes it
  output cache_req_t  tx_creq_hdr_o,    // h2d_req_t in the low bits
  output logic        tx_crsp_valid_o,  // a response to the device is offered; stays until taken
  input  logic        tx_crsp_ready_i,  // the controller takes it
  output cache_rsp_t  tx_crsp_hdr_o,    // h2d_rsp_t
  output logic        tx_cdat_valid_o,  // data for the device are offered; stays until taken
  input  logic        tx_cdat_ready_i,  // the controller takes it
  output cache_dh_t   tx_cdat_hdr_o,    // h2d_dh_t
  output line_t       tx_cdat_data_o,   // its line
  input  logic        rx_creq_valid_i,  // a D2H request was received
  output logic        rx_creq_ready_o,  // low: a request or snoop is outstanding, or snp_valid_i
  input  cache_req_t  rx_creq_hdr_i,    // d2h_req_t
  input  logic        rx_crsp_valid_i,  // an answer to the snoop was received
  output logic        rx_crsp_ready_o,  // always 1
  input  cache_rsp_t  rx_crsp_hdr_i,    // d2h_rsp_t in the low bits
  input  logic        rx_cdat_valid_i,  // data of the device were received
  output logic        rx_cdat_ready_o,  // always 1
  input  cache_dh_t   rx_cdat_hdr_i,    // d2h_dh_t in the low bits
  input  line_t       rx_cdat_data_i,   // its line
  input  byte_en_t    rx_cdat_be_i      // its byte enables
);

  localparam int unsigned Lines = 1 << LinesLog2;
  typedef logic [LinesLog2-1:0] index_t;
  typedef enum logic [2:0] {StIdle, StAnswer, StPull, StFinal, StSnoop, StSnoopWait} state_e;

  state_e      st_q;
  logic [11:0] uqid_q, cqid_q;
  line_addr_t  addr_q;                 // of the request or snoop
  logic        error_q, data_first_q;
  logic        rsp_q, dat_q, pull_q, final_q;  // what is still to be done
  logic [3:0]  rsp_op_q, rsp_state_q, final_op_q, final_state_q;
  logic        rsp_pull_q;             // RspData is the UQID
  line_t       line_q;                 // to be sent; in SnoopWait, what came
  logic [2:0]  snp_op_q;
  logic        got_rsp_q, got_dat_q, snp_fwd_q;
  logic [4:0]  snp_rsp_q;
  line_t       mem_q [Lines];
  logic [Lines-1:0] written_q, poison_q;
  logic        line_poison_q;          // line_q is poisoned

  // ---------------------------------------------------------------------------------------------
  // A request: what it gets
  // ---------------------------------------------------------------------------------------------
  d2h_req_t   req;
  logic       req_take, snp_take, error;
  logic       known, rsp_need, dat_need, pull_need, final_need, rsp_is_pull;
  logic [3:0] rsp_op, rsp_state, final_op, final_state;
  index_t     req_index;

  assign req             = rx_creq_hdr_i;
  assign snp_ready_o     = st_q == StIdle;
  assign rx_creq_ready_o = st_q == StIdle && !snp_valid_i;
  assign snp_take        = snp_valid_i && snp_ready_o;
  assign req_take        = rx_creq_valid_i && rx_creq_ready_o;
  assign error           = error_i || req.addr_51_6[LineAddrBits-1:LinesLog2] != '0;
  assign req_index       = req.addr_51_6[LinesLog2-1:0];

  always_comb begin
    known       = 1'b1;
    rsp_need    = 1'b1;
    dat_need    = 1'b0;
    pull_need   = 1'b0;
    final_need  = 1'b0;
    rsp_op      = Go;
    rsp_state   = error ? GoError : GoInvalid;
    final_op    = ExtCmp;
    final_state = 4'd0;
    unique case (req.opcode)
      RdCurr: begin
        rsp_need = 1'b0;
        dat_need = 1'b1;
      end
      RdOwn: begin
        dat_need = 1'b1;
        if (!error) rsp_state = own_modified_i ? GoModified : GoExclusive;
      end
      RdShared: begin
        dat_need = 1'b1;
        if (!error) rsp_state = GoShared;
      end
      RdAny: begin
        dat_need = 1'b1;
        if (!error) rsp_state = any_shared_i ? GoShared : GoExclusive;
      end
      RdOwnNoData: begin
        if (!error) rsp_state = GoExclusive;
      end
      ItoMWr, WrCur, DirtyEvict: begin
        rsp_op    = error ? GoErrWritePull : GoWritePull;
        pull_need = 1'b1;
      end
      CleanEvict: begin
        pull_need = !(error || drop_i);
        rsp_op    = pull_need ? GoWritePull : GoWritePullDrop;
        rsp_state = 4'd0;
      end
      WOWrInv, WOWrInvF: begin
        rsp_op     = error ? GoErrWritePull : FastGoWritePull;
        pull_need  = 1'b1;
        final_need = !error;
      end
      WrInv: begin
        rsp_op      = WritePull;
        pull_need   = 1'b1;
        final_need  = 1'b1;
        final_op    = Go;
        final_state = error ? GoError : GoInvalid;
      end
      CLFlush: ;
      CleanEvictNoData, CacheFlushed: rsp_state = GoInvalid;
      default: known = 1'b0;
    endcase
  end

  assign rsp_is_pull = pull_need;

  // ---------------------------------------------------------------------------------------------
  // What the device sends
  // ---------------------------------------------------------------------------------------------
  d2h_rsp_t rsp;
  d2h_dh_t  dh;
  logic     rsp_legal, rsp_fwd, rsp_in, pull_in, snp_dat_in, have_rsp, have_dat, fwd, snp_ends;
  logic     rsp_left, dat_left, answered, snp_writes;
  logic [4:0] snp_rsp;
  line_t    snp_line;
  logic     snp_poison;
  logic     err;

  assign rsp = rx_crsp_hdr_i[D2hRspBits-1:0];
  assign dh  = rx_cdat_hdr_i[D2hDhBits-1:0];

  always_comb begin
    unique case (rsp.opcode)
      RspIHitI, RspIHitSE, RspIFwdM: rsp_legal = 1'b1;
      RspSHitSE, RspSFwdM:           rsp_legal = snp_op_q != SnpInv;
      RspVHitV, RspVFwdV:            rsp_legal = snp_op_q == SnpCur;
      default:                       rsp_legal = 1'b0;
    endcase
  end

  assign rsp_fwd    = rsp.opcode inside {RspSFwdM, RspIFwdM, RspVFwdV};
  assign rsp_in     = rx_crsp_valid_i && st_q == StSnoopWait && !got_rsp_q && rsp.uqid == uqid_q &&
                      rsp_legal;
  assign pull_in    = rx_cdat_valid_i && st_q == StPull && dh.uqid == uqid_q;
  assign snp_dat_in = rx_cdat_valid_i && st_q == StSnoopWait && !got_dat_q && dh.uqid == uqid_q;
  assign have_rsp   = got_rsp_q || rsp_in;
  assign have_dat   = got_dat_q || snp_dat_in;
  assign fwd        = got_rsp_q ? snp_fwd_q : rsp_fwd;
  assign snp_rsp    = got_rsp_q ? snp_rsp_q : rsp.opcode;
  assign snp_ends   = st_q == StSnoopWait && have_rsp && (have_dat || !fwd);
  assign snp_line   = snp_dat_in ? rx_cdat_data_i : line_q;
  assign snp_poison = snp_dat_in ? dh.poison : line_poison_q;
  assign snp_writes = snp_ends && fwd && snp_rsp != RspVFwdV &&
                      addr_q[LineAddrBits-1:LinesLog2] == '0;
  // Data that came before a response which has none.
  assign err        = (rx_crsp_valid_i && !rsp_in) ||
                      (rx_cdat_valid_i && !pull_in && !snp_dat_in) ||
                      (snp_ends && have_dat && !fwd) || (req_take && !known);

  // ---------------------------------------------------------------------------------------------
  // State
  // ---------------------------------------------------------------------------------------------
  logic   ends;
  index_t wr_index;
  line_t  old_line, merged;

  assign tx_cdat_valid_o = st_q == StAnswer && dat_q;
  assign tx_crsp_valid_o = st_q == StFinal || (st_q == StAnswer && rsp_q &&
                                               !(data_first_q && dat_q));
  assign tx_creq_valid_o = st_q == StSnoop;
  assign rsp_left        = rsp_q && !(tx_crsp_valid_o && tx_crsp_ready_i);
  assign dat_left        = dat_q && !tx_cdat_ready_i;
  assign answered        = st_q == StAnswer && !rsp_left && !dat_left;
  assign ends            = (answered && !pull_q) || (pull_in && !final_q) ||
                           (st_q == StFinal && tx_crsp_ready_i) || snp_ends;
  assign wr_index        = addr_q[LinesLog2-1:0];
  assign old_line        = written_q[wr_index] ? mem_q[wr_index] : '0;

  always_comb begin
    merged = old_line;
    for (int unsigned b = 0; b < LineBytes; b++) begin
      if (snp_writes)           merged[8*b +: 8] = snp_line[8*b +: 8];
      else if (rx_cdat_be_i[b]) merged[8*b +: 8] = rx_cdat_data_i[8*b +: 8];
    end
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      written_q <= '0;
      poison_q  <= '0;
    end else if (snp_writes || (pull_in && !dh.bogus && !error_q)) begin
      written_q[wr_index] <= 1'b1;
      if (snp_writes)              poison_q[wr_index] <= snp_poison;
      else if (dh.poison)          poison_q[wr_index] <= 1'b1;
      else if (rx_cdat_be_i == '1) poison_q[wr_index] <= 1'b0;
    end
  end

  always_ff @(posedge clk_i) begin
    if (snp_writes || (pull_in && !dh.bogus && !error_q)) mem_q[wr_index] <= merged;
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      st_q      <= StIdle;
      uqid_q    <= '0;
      rsp_q     <= 1'b0;
      dat_q     <= 1'b0;
      got_rsp_q <= 1'b0;
      got_dat_q <= 1'b0;
    end else begin
      unique case (st_q)
        StIdle: begin
          got_rsp_q <= 1'b0;
          got_dat_q <= 1'b0;
          rsp_q     <= rsp_need;
          dat_q     <= dat_need;
          if (snp_take)               st_q <= StSnoop;
          else if (req_take && known) st_q <= StAnswer;
        end
        StAnswer: begin
          rsp_q <= rsp_left;
          dat_q <= dat_left;
          if (answered && pull_q) st_q <= StPull;
        end
        StPull:   if (pull_in) st_q <= StFinal;
        StSnoop:  if (tx_creq_ready_i) st_q <= StSnoopWait;
        StSnoopWait: begin
          got_rsp_q <= have_rsp;
          got_dat_q <= have_dat;
        end
        default: ;
      endcase
      if (ends) begin
        st_q   <= StIdle;
        uqid_q <= uqid_q + 12'd1;
      end
    end
  end

  always_ff @(posedge clk_i) begin
    if (st_q == StIdle) begin
      addr_q        <= snp_take ? snp_addr_i : req.addr_51_6;
      cqid_q        <= req.cqid;
      error_q       <= error;
      data_first_q  <= data_first_i;
      pull_q        <= pull_need;
      final_q       <= final_need;
      rsp_op_q      <= rsp_op;
      rsp_state_q   <= rsp_state;
      rsp_pull_q    <= rsp_is_pull;
      final_op_q    <= final_op;
      final_state_q <= final_state;
      line_q        <= error ? '1 : written_q[req_index] ? mem_q[req_index] : '0;
      line_poison_q <= !error && poison_q[req_index];
      snp_op_q      <= snp_op_i;
    end
    if (snp_dat_in) line_q <= rx_cdat_data_i;
    if (snp_dat_in) line_poison_q <= dh.poison;
    if (rsp_in) begin
      snp_rsp_q <= rsp.opcode;
      snp_fwd_q <= rsp_fwd;
    end
  end

  // ---------------------------------------------------------------------------------------------
  // Outputs
  // ---------------------------------------------------------------------------------------------
  h2d_req_t creq;
  h2d_rsp_t crsp;
  h2d_dh_t  cdat;

  always_comb begin
    creq           = '0;
    creq.valid     = 1'b1;
    creq.opcode    = snp_op_q;
    creq.addr_51_6 = addr_q;
    creq.uqid      = uqid_q;
    crsp           = '0;
    crsp.valid     = 1'b1;
    crsp.cqid      = cqid_q;
    if (st_q == StFinal) begin
      crsp.opcode   = final_op_q;
      crsp.rsp_data = {8'd0, final_state_q};
    end else begin
      crsp.opcode   = rsp_op_q;
      crsp.rsp_data = rsp_pull_q ? uqid_q : {8'd0, rsp_state_q};
    end
    cdat        = '0;
    cdat.valid  = 1'b1;
    cdat.cqid   = cqid_q;
    cdat.go_err = error_q;
    cdat.poison = line_poison_q;
  end

  assign tx_creq_hdr_o   = D2hReqBits'(creq);
  assign tx_crsp_hdr_o   = crsp;
  assign tx_cdat_hdr_o   = cdat;
  assign tx_cdat_data_o  = line_q;
  assign rx_crsp_ready_o = 1'b1;
  assign rx_cdat_ready_o = 1'b1;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      snp_done_o   <= 1'b0;
      snp_rsp_o    <= '0;
      snp_data_o   <= '0;
      snp_poison_o <= 1'b0;
      err_o        <= 1'b0;
    end else begin
      snp_done_o   <= snp_ends;
      snp_rsp_o    <= snp_ends ? snp_rsp : '0;
      snp_data_o   <= (snp_ends && fwd) ? snp_line : '0;
      snp_poison_o <= snp_ends && fwd && snp_poison;
      err_o        <= err;
    end
  end

  logic unused;
  assign unused = ^{req, rsp, dh, rx_crsp_hdr_i, rx_cdat_hdr_i};

  a_crsp: assert property (@(posedge clk_i) disable iff (!rst_ni)
      (tx_crsp_valid_o && !tx_crsp_ready_i) |=> tx_crsp_valid_o && $stable(tx_crsp_hdr_o))
      else $error("a stalled response is withdrawn or changes");
  a_cdat: assert property (@(posedge clk_i) disable iff (!rst_ni)
      (tx_cdat_valid_o && !tx_cdat_ready_i) |=> tx_cdat_valid_o && $stable(tx_cdat_data_o))
      else $error("stalled data are withdrawn or change");
  a_creq: assert property (@(posedge clk_i) disable iff (!rst_ni)
      (tx_creq_valid_o && !tx_creq_ready_i) |=> tx_creq_valid_o && $stable(tx_creq_hdr_o))
      else $error("a stalled snoop is withdrawn or changes");
  a_answer: assert property (@(posedge clk_i) disable iff (!rst_ni)
      st_q == StAnswer |-> rsp_q || dat_q)
      else $error("an answer is due that has neither response nor data");
  a_snoop_op: assert property (@(posedge clk_i) disable iff (!rst_ni)
      snp_take |-> snp_op_i inside {SnpData, SnpInv, SnpCur})
      else $error("a snoop with a reserved opcode");

endmodule
