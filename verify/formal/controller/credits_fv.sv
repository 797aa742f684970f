// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
// Credit conservation: a sender's counter (credit_tx), a receiver's debt (credit_return) and the wires
// between them hold, with the receiver's room, always what the link began with: Init, or less if some are
// held back. Nothing is ever sent that the receiver has no room for.
//
// The wires: messages and credits are in flight for any time, in any number.

module credits_fv
  import cxl_pkg::*;
#(
  parameter int unsigned Init = 4
) (
  input logic clk_i,
  input logic rst_ni,
  input logic start_i,      // both ends in one cycle; the wires are empty then
  input logic [6:0] held_i, // with it: credits not handed out; those above Init count as Init
  input logic send_i,       // a message leaves, if there is a credit
  input logic arrive_i,     // one arrives, if one is in flight
  input logic free_i,       // one leaves the receiver's queue, if one is there
  input logic give_i,       // the offered credits leave in a flit
  input logic land_i        // they arrive: one flit of credits is in flight at a time
);

  logic [9:0] avail, pending;
  logic [2:0] code;
  logic       running_q, send, arrive, free, give, land;
  logic [7:0] wire_q, room_q;       // messages in flight; places taken at the receiver
  logic       carrying_q;
  logic [2:0] carried_q;
  logic [6:0] held, held_q;

  assign held = 32'(held_i) > Init ? 7'(Init) : held_i;

  assign send   = running_q && !start_i && send_i && avail != '0;
  assign arrive = !start_i && arrive_i && wire_q != '0;
  assign free   = !start_i && free_i && room_q != '0;
  assign give   = running_q && !start_i && give_i && !carrying_q && code != '0;
  assign land   = !start_i && land_i && carrying_q;

  credit_tx u_tx (
    .clk_i, .rst_ni, .start_i,
    .add_valid_i(land), .add_code_i(carried_q), .use_i({1'b0, send}), .avail_o(avail));
  credit_return #(.Init(Init)) u_return (
    .clk_i, .rst_ni, .start_i, .held_i(held),
    .freed_i({1'b0, free}), .sent_i(give), .code_o(code), .pending_o(pending));

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      running_q  <= 1'b0;
      wire_q     <= '0;
      room_q     <= '0;
      carrying_q <= 1'b0;
      carried_q  <= '0;
      held_q     <= '0;
    end else if (start_i) begin
      running_q  <= 1'b1;
      held_q     <= held;
      wire_q     <= '0;
      room_q     <= '0;
      carrying_q <= 1'b0;
    end else begin
      wire_q <= wire_q + 8'(send) - 8'(arrive);
      room_q <= room_q + 8'(arrive) - 8'(free);
      if (give) begin
        carrying_q <= 1'b1;
        carried_q  <= code;
      end else if (land) begin
        carrying_q <= 1'b0;
      end
    end
  end

  Conserved_A: assert property (@(posedge clk_i) disable iff (!rst_ni)
      running_q |-> 32'(avail) + 32'(pending) + 32'(wire_q) + 32'(room_q) +
          (carrying_q ? 32'(credit_count(carried_q)) : 32'd0) == Init - 32'(held_q));
  Room_A: assert property (@(posedge clk_i) disable iff (!rst_ni)
      32'(wire_q) + 32'(room_q) <= Init - 32'(held_q));
  Idle_A: assert property (@(posedge clk_i) disable iff (!rst_ni) !running_q |-> avail == '0);

endmodule
