// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
// io_link, what it receives: TLPs come out in the order of their sequence numbers, each once, whatever comes and
// however long they wait (PCI Express Base 5.0, 3.6.3.1; docs/blocks/cxl_io/io_link.md). io_receiver's verdicts are
// cut: any, good and damaged packets of any number; receiver_fv has what they stand on. By Part:
//
//   0 what is taken
//     Number_A   NEXT_RCV_SEQ is one more after each TLP in order and stays else: a duplicate, a damaged one and one of
//                another number move nothing
//     Once_A     a sequence number is taken again only after the other 4095
//     Out_A      what is offered is the oldest that was taken and not handed over, unchanged; nothing else, none twice
//     Held_A     it stays while nobody takes it
//     Fits_A     the queue never holds more than its places
//     Error_A    what is damaged, malformed or finds no room is reported, nothing else
//   1 with a sender that keeps to its credits
//     Room_A     no TLP in order finds the queue full
//   2 what is acknowledged
//     Ack_A      Ack and Nak carry the number of the last TLP taken when they are chosen
//     Nak_A      a Nak leaves only for what was damaged, one until a TLP is taken
//     Soon_A     after a TLP in order or a duplicate, an Ack or Nak of it is the sender's flit once it has moved on
//                Bound times, in Active; so is a Nak after damage

module link_receive_fv
  import cxl_io_pkg::*;
#(
  parameter int unsigned Part = 0,
  parameter int unsigned Bound = 2
) (
  input logic       clk_i,
  input logic       rst_ni,
  input logic       link_up_i,
  input logic       io_tx_ready_i,
  input logic       tlp_tx_valid_i,
  input tlp_t       tlp_tx_i,
  input logic       tlp_rx_ready_i,
  input logic       watch_i,
  input logic [7:0] bit_i    // of the TLP that is watched
);

  localparam int unsigned PHdr = 1;
  localparam int unsigned NpHdr = 1;
  localparam int unsigned CplRoom = 1;
  localparam int unsigned Places = PHdr + NpHdr + CplRoom;

  logic         dl_up, tx_valid, tx_ready, rx_valid;
  logic [511:0] tx_data;
  tlp_t         rx;
  logic [8:0]   err;
  logic [127:0] err_hdr;
  io_link #(
    .PHdr(PHdr), .PData(PHdr), .NpHdr(NpHdr), .NpData(NpHdr), .CplRoom(CplRoom), .ReplayDepth(2), .ReplayTimeout(16),
    .FcRefresh(16)
  ) u_link (
    .clk_i, .rst_ni, .link_up_i, .dl_up_o(dl_up), .io_tx_valid_o(tx_valid), .io_tx_ready_i, .io_tx_data_o(tx_data),
    .io_rx_valid_i(1'b0), .io_rx_data_i('0), .tlp_tx_valid_i, .tlp_tx_ready_o(tx_ready), .tlp_tx_i,
    .tlp_rx_valid_o(rx_valid), .tlp_rx_ready_i, .tlp_rx_o(rx), .err_o(err), .err_hdr_o(err_hdr));

  Offered_A: assume property (@(posedge clk_i) disable iff (!rst_ni)
      (tlp_tx_valid_i && tx_ready) |-> !tlp_tx_i[7] && !tlp_tx_i[23] &&
      (!tlp_tx_i[6] || {tlp_tx_i[17:16], tlp_tx_i[31:24]} inside {10'd1, 10'd2}) &&
      (tlp_tx_i >> (32 * tlp_dws(tlp_tx_i[6:5], {tlp_tx_i[17:16], tlp_tx_i[31:24]}))) == '0);
  Stays_A: assume property (@(posedge clk_i) disable iff (!rst_ni)
      (tlp_tx_valid_i && !tx_ready && dl_up && link_up_i) |=> tlp_tx_valid_i && $stable(tlp_tx_i));

  // ---------------------------------------------------------------------------------------------
  // The standard's receiver: what a verdict does
  // ---------------------------------------------------------------------------------------------
  io_rx_kind_e kind;
  logic [11:0] sequence_number, next_q, distance;
  logic        malformed, framing, live, good, in_order, duplicate, damaged, full, taken, leaves;
  tlp_t        tlp;
  logic [2:0]  held_q;

  assign kind            = u_link.r2_kind_q;
  assign sequence_number = u_link.r2_seq_q;
  assign malformed       = u_link.r2_malformed_q;
  assign framing         = u_link.r2_framing_q;
  assign tlp             = u_link.r2_tlp_q;
  assign live            = 2'(u_link.state_q) != 2'd0;  // FC_INIT1 is over
  assign distance        = next_q - sequence_number;
  assign good            = live && kind == RxTlp;
  assign in_order        = good && sequence_number == next_q;
  assign duplicate       = good && !in_order && distance <= 12'd2048;
  assign damaged         = live && (kind == RxBad || (good && !in_order && !duplicate));
  assign full            = 32'(held_q) == Places;
  assign taken           = in_order && !malformed && !full;
  assign leaves          = rx_valid && tlp_rx_ready_i;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      next_q <= '0;
      held_q <= '0;
    end else if (!link_up_i) begin
      next_q <= '0;
      held_q <= '0;
    end else begin
      if (in_order) next_q <= next_q + 12'd1;
      held_q <= held_q + 3'(taken) - 3'(leaves);
    end
  end

  Number_A: assert property (@(posedge clk_i) disable iff (!rst_ni) u_link.nrs_q == next_q);
  Fits_A: assert property (@(posedge clk_i) disable iff (!rst_ni)
      32'(held_q) <= Places && 32'(u_link.rx_count_q) == 32'(held_q) && rx_valid == (held_q != '0));

  // Places in use, from the oldest on.
  function automatic logic [1:0] place(logic [1:0] from, logic [2:0] offset);
    logic [2:0] sum;
    sum = 3'(from) + offset;
    return (32'(sum) >= Places) ? 2'(sum - 3'(Places)) : 2'(sum);
  endfunction
  Pointers_A: assert property (@(posedge clk_i) disable iff (!rst_ni)
      32'(u_link.rx_rd_q) < Places && u_link.rx_wr_q == place(u_link.rx_rd_q, held_q));

  if (Part == 0) begin : g_taken
    // One sequence number, any: how many were taken after it.
    logic        numbered_q;
    logic [11:0] number_q, since_q;
    always_ff @(posedge clk_i or negedge rst_ni) begin
      if (!rst_ni)                                 numbered_q <= 1'b0;
      else if (!link_up_i)                         numbered_q <= 1'b0;
      else if (in_order && watch_i && !numbered_q) numbered_q <= 1'b1;
    end
    always_ff @(posedge clk_i) begin
      if (!numbered_q) begin
        number_q <= sequence_number;
        since_q  <= '0;
      end else if (in_order) begin
        since_q <= (sequence_number == number_q) ? '0 : since_q + 12'd1;
      end
    end
    Since_A: assert property (@(posedge clk_i) disable iff (!rst_ni)
        numbered_q |-> next_q == number_q + since_q + 12'd1);
    Once_A: assert property (@(posedge clk_i) disable iff (!rst_ni)
        numbered_q && u_link.rx_push |-> sequence_number != number_q || since_q == 12'd4095);
    Push_A: assert property (@(posedge clk_i) disable iff (!rst_ni) u_link.rx_push == taken);

    // One bit of one TLP, any.
    logic       watching_q, value_q;
    logic [2:0] ahead_q;
    logic [7:0] bit_q;
    always_ff @(posedge clk_i or negedge rst_ni) begin
      if (!rst_ni) begin
        watching_q <= 1'b0;
        ahead_q    <= '0;
      end else if (!link_up_i) begin
        watching_q <= 1'b0;
        ahead_q    <= '0;
      end else if (watching_q) begin
        ahead_q <= ahead_q - 3'(leaves);
        if (leaves && ahead_q == '0) watching_q <= 1'b0;
      end else if (taken && watch_i) begin
        watching_q <= 1'b1;
        ahead_q    <= held_q - 3'(leaves);
      end
    end
    always_ff @(posedge clk_i) begin
      if (!watching_q) begin
        bit_q   <= bit_i % 8'd192;
        value_q <= tlp[bit_i % 8'd192];
      end
    end
    Out_A: assert property (@(posedge clk_i) disable iff (!rst_ni)
        watching_q && ahead_q == '0 |-> rx_valid && rx[bit_q] == value_q);
    Place_A: assert property (@(posedge clk_i) disable iff (!rst_ni)
        watching_q |-> bit_q < 8'd192 && ahead_q < held_q &&
                       u_link.rx_mem_q[place(u_link.rx_rd_q, ahead_q)][bit_q] == value_q);
    Held_A: assert property (@(posedge clk_i) disable iff (!rst_ni)
        rx_valid && !tlp_rx_ready_i && link_up_i |=> rx_valid && $stable(rx));
    Error_A: assert property (@(posedge clk_i) disable iff (!rst_ni)
        link_up_i |=> err[0] == $past(damaged) && err[1] == $past(live && kind == RxDllpBad) &&
                      err[6] == $past(in_order && malformed) && err[7] == $past(in_order && !malformed && full) &&
                      err[8] == $past(damaged && framing));
  end else if (Part == 1) begin : g_room
    // TLPs of each class that came in order; all that was granted is at most alloc.
    fc_class_e       class_of;
    logic [1:0][7:0] came_q;
    logic [2:0][2:0] waits;
    logic [1:0]      at;
    assign class_of = fc_class(tlp[6], tlp[4:0]);
    always_ff @(posedge clk_i or negedge rst_ni) begin
      if (!rst_ni)                                          came_q <= '0;
      else if (!link_up_i)                                  came_q <= '0;
      else if (in_order && class_of != FcCompletion)        came_q[class_of[0]] <= came_q[class_of[0]] + 8'd1;
    end
    always_comb begin
      waits = '0;
      at     = '0;
      for (int unsigned k = 0; k < Places; k++) begin
        at = place(u_link.rx_rd_q, 3'(k));
        if (3'(k) < held_q) begin
          for (int unsigned c = 0; c < 3; c++) begin
            if (2'(fc_class(u_link.rx_mem_q[at][6], u_link.rx_mem_q[at][4:0])) == 2'(c)) waits[c] = waits[c] + 3'd1;
          end
        end
      end
    end
    Credit_A: assume property (@(posedge clk_i) disable iff (!rst_ni)
        in_order |-> (class_of == FcCompletion) ? 32'(waits[2]) < CplRoom
                                                : came_q[class_of[0]] != u_link.alloc_hdr_q[class_of[0]]);
    // No more of a class are inside than were granted and are not out, lost ones counted as inside.
    Posted_A: assert property (@(posedge clk_i) disable iff (!rst_ni)
        u_link.alloc_hdr_q[0] - came_q[0] <= 8'(PHdr) &&
        8'(waits[0]) + u_link.alloc_hdr_q[0] - came_q[0] <= 8'(PHdr));
    NonPosted_A: assert property (@(posedge clk_i) disable iff (!rst_ni)
        u_link.alloc_hdr_q[1] - came_q[1] <= 8'(NpHdr) &&
        8'(waits[1]) + u_link.alloc_hdr_q[1] - came_q[1] <= 8'(NpHdr));
    Completions_A: assert property (@(posedge clk_i) disable iff (!rst_ni) 32'(waits[2]) <= CplRoom);
    Room_A: assert property (@(posedge clk_i) disable iff (!rst_ni) in_order |-> !full);
    NoError_A: assert property (@(posedge clk_i) disable iff (!rst_ni) !err[7]);
  end else begin : g_acknowledged
    // The Acks and Naks in the stages of the sender, SEL and OUT.
    typedef enum logic [1:0] {Nothing, Due, InSel, InOut} where_e;
    logic        ack, nak, moves, damage_counts;
    logic        sel_q, out_q, sel_nak_q, out_nak_q, scheduled_q, nak_due_q, ack_due_q;
    logic [11:0] sel_number_q, out_number_q;
    where_e      where_q;  // that of one event, any
    logic [2:0]  moves_q;
    assign ack           = 3'(u_link.sel) == 3'd3;
    assign nak           = 3'(u_link.sel) == 3'd2;
    assign moves         = !tx_valid || io_tx_ready_i;
    assign damage_counts = damaged && !scheduled_q;
    always_ff @(posedge clk_i or negedge rst_ni) begin
      if (!rst_ni) begin
        sel_q       <= 1'b0;
        out_q       <= 1'b0;
        scheduled_q <= 1'b0;  // NAK_SCHEDULED
        nak_due_q   <= 1'b0;
        ack_due_q   <= 1'b0;
        where_q     <= Nothing;
        moves_q     <= '0;
      end else begin
        if (moves) out_q <= link_up_i && sel_q;
        if (!link_up_i) begin
          sel_q       <= 1'b0;
          scheduled_q <= 1'b0;
          nak_due_q   <= 1'b0;
          ack_due_q   <= 1'b0;
          where_q     <= Nothing;
        end else begin
          if (ack || nak) sel_q <= 1'b1;
          else if (moves) sel_q <= 1'b0;
          if (in_order)     scheduled_q <= 1'b0;
          else if (damaged) scheduled_q <= 1'b1;
          if (damage_counts) nak_due_q <= 1'b1;
          else if (nak)      nak_due_q <= 1'b0;
          if (in_order || duplicate) ack_due_q <= 1'b1;
          else if (ack || nak)       ack_due_q <= 1'b0;

          // Times the sender moved on, from Active on, before what is due is its flit
          unique case (where_q)
            Nothing: begin
              moves_q <= '0;
              if (watch_i && (in_order || duplicate || damage_counts)) where_q <= Due;
            end
            Due: begin
              moves_q <= moves_q + 3'(dl_up && moves);
              if (ack || nak) where_q <= InSel;
            end
            InSel: begin
              moves_q <= moves_q + 3'(moves);
              if (moves) where_q <= InOut;
            end
            default: if (tx_valid && io_tx_ready_i) where_q <= Nothing;
          endcase
        end
      end
    end
    always_ff @(posedge clk_i) begin
      if (ack || nak) begin
        sel_number_q <= next_q - 12'd1;
        sel_nak_q    <= nak;
      end
      if (moves && sel_q) begin
        out_number_q <= sel_number_q;
        out_nak_q    <= sel_nak_q;
      end
    end

    function automatic logic acknowledges(logic [31:0] dllp);
      return dllp[7:0] == DllpAck || dllp[7:0] == DllpNak;
    endfunction
    Ack_A: assert property (@(posedge clk_i) disable iff (!rst_ni)
        tx_valid && tx_data[15:0] == TokenSdp && acknowledges(tx_data[47:16]) |->
        out_q && tx_data[47:16] == ack_dllp(out_nak_q, out_number_q));
    Out_A: assert property (@(posedge clk_i) disable iff (!rst_ni)
        out_q && tx_valid |-> tx_data[47:0] == {ack_dllp(out_nak_q, out_number_q), TokenSdp});
    Nak_A: assert property (@(posedge clk_i) disable iff (!rst_ni) nak |-> nak_due_q);
    NakFirst_A: assert property (@(posedge clk_i) disable iff (!rst_ni) ack |-> ack_due_q && !nak_due_q);
    Soon_A: assert property (@(posedge clk_i) disable iff (!rst_ni) 32'(moves_q) <= Bound);

    // Where they are in the block
    Pending_A: assert property (@(posedge clk_i) disable iff (!rst_ni)
        u_link.ack_pend_q == ack_due_q && u_link.nak_pend_q == nak_due_q && u_link.nak_sched_q == scheduled_q);
    Sel_A: assert property (@(posedge clk_i) disable iff (!rst_ni)
        u_link.sel_valid_q && !u_link.sel_is_tlp_q |->
        sel_q ? u_link.sel_tlp_q[31:0] == ack_dllp(sel_nak_q, sel_number_q)
              : !acknowledges(u_link.sel_tlp_q[31:0]));
    Stage_A: assert property (@(posedge clk_i) disable iff (!rst_ni)
        (!sel_q || (u_link.sel_valid_q && !u_link.sel_is_tlp_q)) && (!out_q || u_link.out_valid_q));
    Where_A: assert property (@(posedge clk_i) disable iff (!rst_ni)
        (where_q == Nothing || u_link.up_q) && (!u_link.sel_valid_q || u_link.up_q) &&
        (where_q != Due || (moves_q == '0 && (ack_due_q || nak_due_q))) &&
        (where_q != InSel || (sel_q && moves_q <= 3'd1)) && (where_q != InOut || out_q));
  end

endmodule
