// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
//
// Device side of CXL.cache: a few lines with MESI states, one D2H request at a time on command,
// answers to snoops at any time. Stands between a user and a controller with CXL.cache.
//
// Source: CXL 2.0, chapter 3.2 (CXL.cache): requests, responses, snoops.
//
//   Idle -> Send (Creq) -> Wait (Crsp, Cdat) -> Idle
//                          | ^ last response
//                 a pull   v |
//                          Push (Cdat) -> Idle
//
// Snoops are looked up at once, except between the GO of a line and its data. A pull fixes the data
// of an evict; what a snoop took before makes it bogus. Poison stays with a line until all of its
// bytes have been stored, and goes with it where it is pushed or forwarded.

module device_agent
  import cxl_pkg::*;
#(
  parameter int unsigned Lines = 4  // lines of the cache, direct mapped, 2..16, a power of two
) (
  input  logic        clk_i,
  input  logic        rst_ni,

  input  logic        cmd_valid_i,      // a command is offered
  output logic        cmd_ready_o,      // low: a command is outstanding, or a local access meets a
                                        // snoop
  input  logic [4:0]  cmd_op_i,         // D2H opcode (d2h_req_op_e); 0 local access; others are
                                        // refused
  input  line_addr_t  cmd_addr_i,       // line address
  input  line_t       cmd_data_i,       // line to store or to write
  input  byte_en_t    cmd_be_i,         // bytes to store or to write; local access: none is a read
  output logic        done_valid_o,     // pulse: the command ended; the next three are 0 without it
  output logic [1:0]  done_err_o,       // 0 good, 1 error from the host, 2 refused, 3 poison
  output logic [1:0]  done_state_o,     // state of the line after it: 0 I, 1 S, 2 E, 3 M
  output line_t       done_data_o,      // line that was read; of a local access as it was before;
                                        // else 0
  output logic        err_o,            // pulse: a message came that nothing awaits, or a snoop
                                        // with a reserved opcode

  output logic        tx_creq_valid_o,  // a D2H request is offered; stays until taken
  input  logic        tx_creq_ready_i,  // the controller takes it
  output cache_req_t  tx_creq_hdr_o,    // d2h_req_t
  output logic        tx_crsp_valid_o,  // the answer to a snoop is offered; stays until taken
  input  logic        tx_crsp_ready_i,  // the controller takes it
  output cache_rsp_t  tx_crsp_hdr_o,    // d2h_rsp_t in the low bits
  output logic        tx_cdat_valid_o,  // data of a snoop or a write are offered; stays until taken
  input  logic        tx_cdat_ready_i,  // the controller takes it
  output cache_dh_t   tx_cdat_hdr_o,    // d2h_dh_t in the low bits
  output line_t       tx_cdat_data_o,   // its line
  output byte_en_t    tx_cdat_be_o,     // its byte enables
  input  logic        rx_creq_valid_i,  // a snoop was received
  output logic        rx_creq_ready_o,  // low: one is being answered, data are pushed, a response
                                        // comes, or its line is being granted
  input  cache_req_t  rx_creq_hdr_i,    // h2d_req_t in the low bits
  input  logic        rx_crsp_valid_i,  // a response of the host was received
  output logic        rx_crsp_ready_o,  // always 1
  input  cache_rsp_t  rx_crsp_hdr_i,    // h2d_rsp_t
  input  logic        rx_cdat_valid_i,  // data of the host were received
  output logic        rx_cdat_ready_o,  // always 1
  input  cache_dh_t   rx_cdat_hdr_i,    // h2d_dh_t
  input  line_t       rx_cdat_data_i    // its line
);

  localparam int unsigned IndexBits = $clog2(Lines);

  typedef enum logic [1:0] {StI, StS, StE, StM} mesi_e;
  typedef enum logic [1:0] {PhIdle, PhSend, PhWait, PhPush} phase_e;

  if (Lines < 2 || Lines > 16 || Lines != 1 << IndexBits) begin : g_check_lines
    $error("Lines is a power of two from 2 to 16");
  end

  mesi_e      state_q [Lines];
  line_addr_t addr_q [Lines];
  line_t      data_q [Lines];
  logic       poison_q [Lines];

  phase_e      phase_q;
  logic [4:0]  op_q;
  line_addr_t  req_addr_q;
  line_t       line_q;           // command's data, then what was read or is pushed
  byte_en_t    be_q;
  logic [11:0] cqid_q, uqid_q;
  logic        got_go_q, got_data_q, failed_q, pulled_q, bogus_q;
  logic        line_poison_q;    // line_q is poisoned
  mesi_e       granted_q;
  logic        snp_rsp_q, snp_dat_q;
  d2h_rsp_op_e snp_op_q;
  logic [11:0] snp_uqid_q;
  line_t       snp_data_q;
  logic        snp_poison_q;

  logic [IndexBits-1:0] cmd_index, req_index, snp_index;
  h2d_req_t             snp;

  assign snp       = rx_creq_hdr_i[H2dReqBits-1:0];
  assign cmd_index = cmd_addr_i[IndexBits-1:0];
  assign req_index = req_addr_q[IndexBits-1:0];
  assign snp_index = snp.addr_51_6[IndexBits-1:0];

  // ---------------------------------------------------------------------------------------------
  // Command: what it needs
  // ---------------------------------------------------------------------------------------------
  logic  cmd_take, cmd_hit, cmd_room, cmd_fits, all_invalid, local_ok;
  mesi_e cmd_state;

  assign cmd_ready_o = phase_q == PhIdle && !(rx_creq_valid_i && cmd_op_i == 5'd0);
  assign cmd_take    = cmd_valid_i && cmd_ready_o;
  assign cmd_hit     = state_q[cmd_index] != StI && addr_q[cmd_index] == cmd_addr_i;
  assign cmd_state   = cmd_hit ? state_q[cmd_index] : StI;
  assign cmd_room    = cmd_hit || state_q[cmd_index] == StI;
  assign local_ok    = cmd_hit && (cmd_be_i == '0 || cmd_state != StS);

  always_comb begin
    all_invalid = 1'b1;
    for (int unsigned i = 0; i < Lines; i++) begin
      if (state_q[i] != StI) all_invalid = 1'b0;
    end
    unique case (cmd_op_i)
      RdCurr, WOWrInv, WrInv:       cmd_fits = !cmd_hit;
      RdOwn, RdOwnNoData:           cmd_fits = cmd_room && (cmd_state == StI || cmd_state == StS);
      RdShared, RdAny:              cmd_fits = cmd_room && !cmd_hit;
      ItoMWr, WrCur, WOWrInvF:      cmd_fits = !cmd_hit && cmd_be_i == '1;
      CLFlush:                      cmd_fits = cmd_state != StM;
      CleanEvict, CleanEvictNoData: cmd_fits = cmd_state == StS || cmd_state == StE;
      DirtyEvict:                   cmd_fits = cmd_state == StM;
      CacheFlushed:                 cmd_fits = all_invalid;
      default:                      cmd_fits = 1'b0;
    endcase
  end

  // ---------------------------------------------------------------------------------------------
  // Responses: which are awaited, what they bring
  // ---------------------------------------------------------------------------------------------
  h2d_rsp_t rsp;
  h2d_dh_t  dh;
  logic     is_read, is_evict, is_wow, wants_go, wants_ext;
  logic     go_in, pull_in, drop_in, ext_in, data_in, rsp_bad, data_bad;
  logic     have_go, have_data, have_failed, pushed, ends;
  mesi_e    granted;
  logic     req_hit;             // the entry of the command's line still holds it

  assign rsp       = rx_crsp_hdr_i;
  assign dh        = rx_cdat_hdr_i;
  assign is_read   = op_q inside {RdCurr, RdOwn, RdShared, RdAny};
  assign is_evict  = op_q inside {CleanEvict, DirtyEvict};
  assign is_wow    = op_q inside {WOWrInv, WOWrInvF};
  assign wants_go  = (op_q inside {RdOwn, RdShared, RdAny, RdOwnNoData, CLFlush, CleanEvictNoData,
                      CacheFlushed}) || (op_q == WrInv && pulled_q);
  assign wants_ext = is_wow && pulled_q;
  assign req_hit   = state_q[req_index] != StI && addr_q[req_index] == req_addr_q;

  always_comb begin
    go_in   = 1'b0;
    pull_in = 1'b0;
    drop_in = 1'b0;
    ext_in  = 1'b0;
    if (rx_crsp_valid_i && phase_q == PhWait && rsp.cqid == cqid_q) begin
      unique case (rsp.opcode)
        Go:              go_in = wants_go && !got_go_q;
        GoWritePull:     pull_in = is_evict || (op_q inside {ItoMWr, WrCur});
        FastGoWritePull: pull_in = is_wow && !pulled_q;
        WritePull:       pull_in = op_q == WrInv && !pulled_q;
        GoErrWritePull:  pull_in = (is_wow && !pulled_q) ||
                                   (op_q inside {ItoMWr, WrCur, DirtyEvict});
        GoWritePullDrop: drop_in = op_q == CleanEvict;
        ExtCmp:          ext_in = wants_ext;
        default: ;
      endcase
    end
    unique case (rsp.rsp_data[3:0])
      GoShared:    granted = StS;
      GoExclusive: granted = StE;
      GoModified:  granted = StM;
      default:     granted = StI;
    endcase
    if (!go_in) granted = granted_q;
  end

  assign data_in     = rx_cdat_valid_i && phase_q == PhWait && is_read && !got_data_q &&
                       dh.cqid == cqid_q;
  assign rsp_bad     = rx_crsp_valid_i && !(go_in || pull_in || drop_in || ext_in);
  assign data_bad    = rx_cdat_valid_i && !data_in;
  assign have_go     = got_go_q || go_in || op_q == RdCurr;
  assign have_data   = got_data_q || data_in || !is_read;
  assign have_failed = failed_q || (go_in && rsp.rsp_data[3:0] == GoError) ||
                       (data_in && dh.go_err);
  assign pushed      = phase_q == PhPush && !snp_dat_q && tx_cdat_ready_i;

  always_comb begin
    ends = pushed && (failed_q || !(is_wow || op_q == WrInv));
    if (phase_q == PhWait) begin
      ends = drop_in || ext_in ||
             ((go_in || data_in) && have_go && have_data && (wants_go || op_q == RdCurr));
    end
  end

  // ---------------------------------------------------------------------------------------------
  // Entry of the command's line after this cycle's event
  // ---------------------------------------------------------------------------------------------
  logic  keeps;                  // the command ends with a line to keep
  logic  drops;                  // a hit becomes I
  mesi_e kept_state;
  line_t read_line;
  logic  read_poison;

  assign read_line   = data_in ? rx_cdat_data_i : line_q;
  assign read_poison = data_in ? dh.poison : line_poison_q;
  assign kept_state  = (op_q == RdOwnNoData) ? StM : granted;

  always_comb begin
    keeps = 1'b0;
    drops = drop_in || (pull_in && is_evict);
    if (ends && phase_q == PhWait && !drop_in) begin
      unique case (op_q)
        RdOwn, RdShared, RdAny: keeps = !have_failed && granted != StI;
        RdOwnNoData:            keeps = !have_failed && (granted == StE || granted == StM);
        default: ;
      endcase
      if (!keeps && !(op_q inside {RdCurr, WOWrInv, WOWrInvF, WrInv})) drops = 1'b1;
    end
    if (ends && have_failed) drops = 1'b1;
  end

  // ---------------------------------------------------------------------------------------------
  // Snoops
  // ---------------------------------------------------------------------------------------------
  logic        snp_take, snp_known, snp_dirty;
  mesi_e       snp_state, snp_next;
  d2h_rsp_op_e snp_answer;

  assign rx_creq_ready_o = !snp_rsp_q && !snp_dat_q && phase_q != PhPush && !rx_crsp_valid_i &&
                           !(phase_q == PhWait && got_go_q && snp.addr_51_6 == req_addr_q);
  assign snp_take  = rx_creq_valid_i && rx_creq_ready_o;
  assign snp_known = snp.opcode inside {SnpData, SnpInv, SnpCur};
  assign snp_state = (addr_q[snp_index] == snp.addr_51_6) ? state_q[snp_index] : StI;
  assign snp_dirty = snp_state == StM;

  always_comb begin
    snp_answer = RspIHitI;
    snp_next   = snp_state;
    if (snp_state != StI) begin
      unique case (snp.opcode)
        SnpData: begin
          snp_answer = snp_dirty ? RspSFwdM : RspSHitSE;
          snp_next   = StS;
        end
        SnpInv: begin
          snp_answer = snp_dirty ? RspIFwdM : RspIHitSE;
          snp_next   = StI;
        end
        default: snp_answer = snp_dirty ? RspVFwdV : RspVHitV;
      endcase
    end
  end

  // ---------------------------------------------------------------------------------------------
  // State
  // ---------------------------------------------------------------------------------------------
  line_t stored;                 // local access: the line after it
  always_comb begin
    stored = data_q[cmd_index];
    for (int unsigned b = 0; b < LineBytes; b++) begin
      if (cmd_be_i[b]) stored[8*b +: 8] = cmd_data_i[8*b +: 8];
    end
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      for (int unsigned i = 0; i < Lines; i++) state_q[i] <= StI;
    end else begin
      if (snp_take && snp_known && snp_state != StI) state_q[snp_index] <= snp_next;
      if (drops && req_hit) state_q[req_index] <= StI;
      if (keeps)            state_q[req_index] <= kept_state;
      if (cmd_take && cmd_op_i == 5'd0 && local_ok && cmd_be_i != '0) state_q[cmd_index] <= StM;
    end
  end

  always_ff @(posedge clk_i) begin
    if (keeps) begin
      addr_q[req_index]   <= req_addr_q;
      data_q[req_index]   <= read_line;
      poison_q[req_index] <= read_poison;
    end
    if (cmd_take && cmd_op_i == 5'd0 && local_ok) data_q[cmd_index] <= stored;
    if (cmd_take && cmd_op_i == 5'd0 && local_ok && cmd_be_i == '1) poison_q[cmd_index] <= 1'b0;
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      phase_q    <= PhIdle;
      cqid_q     <= '0;
      got_go_q   <= 1'b0;
      got_data_q <= 1'b0;
      failed_q   <= 1'b0;
      pulled_q   <= 1'b0;
    end else begin
      unique case (phase_q)
        PhIdle: begin
          got_go_q   <= 1'b0;
          got_data_q <= 1'b0;
          failed_q   <= 1'b0;
          pulled_q   <= 1'b0;
          if (cmd_take && cmd_fits) phase_q <= PhSend;
        end
        PhSend: if (tx_creq_ready_i) phase_q <= PhWait;
        PhWait: begin
          got_go_q   <= got_go_q || go_in;
          got_data_q <= got_data_q || data_in;
          failed_q   <= have_failed || (pull_in && rsp.opcode == GoErrWritePull);
          pulled_q   <= pulled_q || pull_in;
          if (pull_in)   phase_q <= PhPush;
          else if (ends) phase_q <= PhIdle;
        end
        default: if (pushed) phase_q <= ends ? PhIdle : PhWait;
      endcase
      if (ends) cqid_q <= cqid_q + 12'd1;
    end
  end

  always_ff @(posedge clk_i) begin
    if (phase_q == PhIdle) begin
      op_q          <= cmd_op_i;
      req_addr_q    <= cmd_addr_i;
      line_q        <= cmd_data_i;
      line_poison_q <= 1'b0;
      be_q          <= cmd_be_i;
      bogus_q       <= 1'b0;
      granted_q     <= StI;
    end
    if (go_in)   granted_q <= granted;
    if (data_in) line_q <= rx_cdat_data_i;
    if (data_in) line_poison_q <= dh.poison;
    if (pull_in) begin
      uqid_q <= rsp.rsp_data;
      if (is_evict) begin
        line_q  <= data_q[req_index];
        line_poison_q <= poison_q[req_index];
        be_q    <= '1;
        bogus_q <= !req_hit || (op_q == DirtyEvict && state_q[req_index] != StM);
      end
    end
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      snp_rsp_q <= 1'b0;
      snp_dat_q <= 1'b0;
    end else if (snp_take) begin
      snp_rsp_q <= snp_known;
      snp_dat_q <= snp_known && snp_dirty;
    end else begin
      if (tx_crsp_ready_i) snp_rsp_q <= 1'b0;
      if (tx_cdat_ready_i) snp_dat_q <= 1'b0;
    end
  end

  always_ff @(posedge clk_i) begin
    if (snp_take) begin
      snp_op_q     <= snp_answer;
      snp_uqid_q   <= snp.uqid;
      snp_data_q   <= data_q[snp_index];
      snp_poison_q <= poison_q[snp_index];
    end
  end

  // ---------------------------------------------------------------------------------------------
  // Outputs
  // ---------------------------------------------------------------------------------------------
  d2h_req_t creq;
  d2h_rsp_t crsp;
  d2h_dh_t  cdat;

  always_comb begin
    creq           = '0;
    creq.valid     = 1'b1;
    creq.opcode    = op_q;
    creq.cqid      = cqid_q;
    creq.addr_51_6 = req_addr_q;
    crsp           = '0;
    crsp.valid     = 1'b1;
    crsp.opcode    = snp_op_q;
    crsp.uqid      = snp_uqid_q;
    cdat           = '0;
    cdat.valid     = 1'b1;
    cdat.uqid      = snp_dat_q ? snp_uqid_q : uqid_q;
    cdat.bogus     = !snp_dat_q && bogus_q;
    cdat.poison    = snp_dat_q ? snp_poison_q : line_poison_q;
  end

  assign tx_creq_valid_o = phase_q == PhSend;
  assign tx_creq_hdr_o   = creq;
  assign tx_crsp_valid_o = snp_rsp_q;
  assign tx_crsp_hdr_o   = H2dRspBits'(crsp);
  assign tx_cdat_valid_o = snp_dat_q || phase_q == PhPush;
  assign tx_cdat_hdr_o   = H2dDhBits'(cdat);
  assign tx_cdat_data_o  = snp_dat_q ? snp_data_q : line_q;
  assign tx_cdat_be_o    = snp_dat_q ? '1 : be_q;
  assign rx_crsp_ready_o = 1'b1;
  assign rx_cdat_ready_o = 1'b1;

  // What the line's state is once this edge is over (no snoop of it comes in the cycle of an end).
  mesi_e after;
  assign after = keeps ? kept_state : (drops || !req_hit) ? StI : state_q[req_index];

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      done_valid_o <= 1'b0;
      done_err_o   <= '0;
      done_state_o <= '0;
      done_data_o  <= '0;
      err_o        <= 1'b0;
    end else begin
      done_valid_o <= ends || (cmd_take && !(cmd_op_i != 5'd0 && cmd_fits));
      done_err_o   <= '0;
      done_state_o <= '0;
      done_data_o  <= '0;
      if (ends) begin
        done_err_o   <= {1'b0, have_failed};
        done_state_o <= after;
        if (is_read && !have_failed) done_data_o <= read_line;
        if (is_read && !have_failed && read_poison) done_err_o <= 2'd3;
      end else if (cmd_take && cmd_op_i == 5'd0 && local_ok) begin
        done_state_o <= (cmd_be_i != '0) ? StM : cmd_state;
        done_data_o  <= data_q[cmd_index];
        if (poison_q[cmd_index]) done_err_o <= 2'd3;
      end else if (cmd_take && !cmd_fits) begin
        done_err_o <= 2'd2;
      end
      err_o <= rsp_bad || data_bad || (snp_take && !snp_known);
    end
  end

  logic unused;
  assign unused = ^{rx_creq_hdr_i, rsp, dh, snp};

  a_creq: assert property (@(posedge clk_i) disable iff (!rst_ni)
      (tx_creq_valid_o && !tx_creq_ready_i) |=> tx_creq_valid_o && $stable(tx_creq_hdr_o))
      else $error("a stalled request is withdrawn or changes");
  a_crsp: assert property (@(posedge clk_i) disable iff (!rst_ni)
      (tx_crsp_valid_o && !tx_crsp_ready_i) |=> tx_crsp_valid_o && $stable(tx_crsp_hdr_o))
      else $error("a stalled response is withdrawn or changes");
  a_cdat: assert property (@(posedge clk_i) disable iff (!rst_ni)
      (tx_cdat_valid_o && !tx_cdat_ready_i) |=> tx_cdat_valid_o && $stable(tx_cdat_hdr_o) &&
      $stable(tx_cdat_data_o))
      else $error("stalled data are withdrawn or change");
  a_snoop_dirty: assert property (@(posedge clk_i) disable iff (!rst_ni)
      (snp_take && snp_known && snp_dirty) |=> snp_rsp_q && snp_dat_q)
      else $error("a snoop of a modified line is answered without its data");
  a_snoop_at_end: assert property (@(posedge clk_i) disable iff (!rst_ni)
      ends |-> !(snp_take && snp.addr_51_6 == req_addr_q && (keeps || snp_state != StI)))
      else $error("a snoop is looked up while its line is being granted");
  a_one_end: assert property (@(posedge clk_i) disable iff (!rst_ni)
      done_valid_o |-> phase_q == PhIdle)
      else $error("a command ends while another is outstanding");

endmodule
