// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
//
// Merge table of the DS engine: loads of a line that is partly in local memory. The endpoint's data
// comes first, then the slot is read, and the valid bytes of the slot win. An error of either is
// the load's.
//
//   AtEndpoint (0) -> Arrived (1) -> Reading (2) -> Ready (3) -> answered, free
//
// All lookups are combinational from state; of several entries the lowest counts.
//
// Source: docs/blocks/root_port/ds_engine.md.

module ds_merges
  import cxl_pkg::*;
  import cxlgpu_pkg::*;
#(
  parameter  int unsigned Merges    = 2,  // entries, most merges in flight; 1..16
  parameter  int unsigned SlotWidth = 8,  // log2 of the slots; 2..12
  localparam int unsigned IndexBits = (Merges > 1) ? $clog2(Merges) : 1
) (
  input  logic                 clk_i,
  input  logic                 rst_ni,
  // A new one
  output logic                 room_o,           // level: an entry is free
  input  logic                 add_i,            // pulse, only with room_o: a load begins, its
                                                 // response is to come from the endpoint
  input  sys_id_t              add_id_i,         // id of the load, unlike that of any other that
                                                 // waits for the endpoint
  input  line_addr_t           add_line_i,       // its line, address[51:6]
  input  logic [SlotWidth-1:0] add_slot_i,       // slot of the line
  input  byte_en_t             add_mask_i,       // bytes to take from the slot
  // Lookup by line
  input  line_addr_t           line_i,           // line to look up, address[51:6]
  output logic                 busy_o,           // comb from line_i: a load of it has not begun the
                                                 // read of its slot
  // The endpoint's answer
  input  sys_id_t              rsp_id_i,         // id of a load's response to look up
  output logic                 rsp_match_o,      // comb from rsp_id_i: the response is for one of
                                                 // these loads
  input  logic                 rsp_take_i,       // pulse, only with rsp_match_o: it is taken, with
                                                 // error and data
  input  logic                 rsp_error_i,      // the endpoint answered with an error
  input  line_t                rsp_data_i,       // the endpoint's line
  // Arrived
  output logic                 arrived_o,        // level: a load has the endpoint's data and is to
                                                 // read its slot
  output logic [IndexBits-1:0] arrived_index_o,  // index of the lowest such load; a lower one may
                                                 // take its place meanwhile
  output logic [SlotWidth-1:0] arrived_slot_o,   // its slot
  input  logic                 sent_i,           // pulse: local memory takes the read of
                                                 // sent_index_i, a load that had arrived
  input  logic [IndexBits-1:0] sent_index_i,     // index of that load, with sent_i
  // The slot's data
  input  logic                 slot_take_i,      // pulse: the data of that read
  input  logic [IndexBits-1:0] slot_index_i,     // index of the load whose read it was, 0..Merges-1
  input  logic                 slot_error_i,     // they are corrupt; the load is answered with an
                                                 // error
  input  line_t                slot_data_i,      // line of the slot
  // Ready
  output logic                 ready_o,          // level: a load is complete
  output sys_id_t              ready_id_o,       // id of the lowest complete load
  output logic                 ready_error_o,    // error from the endpoint or the slot
  output line_t                ready_data_o,     // the merged line
  input  logic                 ready_take_i      // pulse, only with ready_o: it is answered, its
                                                 // entry is free
);

  if (Merges < 1 || Merges > 16) begin : g_check_merges
    $error("ds_merges: Merges must be 1..16");
  end

  typedef logic [IndexBits-1:0] index_t;
  typedef enum logic [1:0] {AtEndpoint, Arrived, Reading, Ready} stage_e;

  logic [Merges-1:0]    valid_q, error_q;
  stage_e [Merges-1:0]  stage_q;
  sys_id_t [Merges-1:0] id_q;
  line_addr_t           line_q [Merges];
  logic [SlotWidth-1:0] slot_q [Merges];
  byte_en_t             mask_q [Merges];
  line_t                data_q [Merges];

  index_t free_index, rsp_index, ready_index;
  line_t  merged;

  always_comb begin
    busy_o          = 1'b0;
    rsp_match_o     = 1'b0;
    arrived_o       = 1'b0;
    ready_o         = 1'b0;
    free_index      = '0;
    rsp_index       = '0;
    arrived_index_o = '0;
    ready_index     = '0;
    for (int unsigned k = 0; k < Merges; k++) begin
      automatic int unsigned i = Merges - 1 - k;
      if (!valid_q[i]) begin
        free_index = index_t'(i);
      end else begin
        unique case (stage_q[i])
          AtEndpoint: begin
            if (line_q[i] == line_i) busy_o = 1'b1;
            if (id_q[i] == rsp_id_i) begin
              rsp_match_o = 1'b1;
              rsp_index   = index_t'(i);
            end
          end
          Arrived: begin
            if (line_q[i] == line_i) busy_o = 1'b1;
            arrived_o       = 1'b1;
            arrived_index_o = index_t'(i);
          end
          Ready: begin
            ready_o     = 1'b1;
            ready_index = index_t'(i);
          end
          default: ;
        endcase
      end
    end
  end
  assign room_o         = !(&valid_q);
  assign arrived_slot_o = slot_q[arrived_index_o];
  assign ready_id_o     = id_q[ready_index];
  assign ready_error_o  = error_q[ready_index];
  assign ready_data_o   = data_q[ready_index];

  always_comb begin
    merged = data_q[slot_index_i];
    if (slot_take_i) begin
      for (int unsigned b = 0; b < LineBytes; b++) begin
        if (mask_q[slot_index_i][b]) merged[8*b +: 8] = slot_data_i[8*b +: 8];
      end
    end
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      valid_q <= '0;
      stage_q <= {Merges{AtEndpoint}};
    end else begin
      if (add_i) begin
        valid_q[free_index] <= 1'b1;
        stage_q[free_index] <= AtEndpoint;
      end
      if (rsp_take_i)   stage_q[rsp_index]    <= Arrived;
      if (sent_i)       stage_q[sent_index_i] <= Reading;
      if (slot_take_i)  stage_q[slot_index_i] <= Ready;
      if (ready_take_i) valid_q[ready_index]  <= 1'b0;
    end
  end

  // Payload: no reset, it counts only while its entry is valid.
  always_ff @(posedge clk_i) begin
    if (add_i) begin
      id_q[free_index]   <= add_id_i;
      line_q[free_index] <= add_line_i;
      slot_q[free_index] <= add_slot_i;
      mask_q[free_index] <= add_mask_i;
    end
    if (rsp_take_i) begin
      error_q[rsp_index] <= rsp_error_i;
      data_q[rsp_index]  <= rsp_data_i;
    end
    if (slot_take_i) begin
      error_q[slot_index_i] <= error_q[slot_index_i] || slot_error_i;
      data_q[slot_index_i]  <= merged;
    end
  end

  // ---------------------------------------------------------------------------------------------
  // Contract
  // ---------------------------------------------------------------------------------------------
  Room_A: assert property (@(posedge clk_i) disable iff (!rst_ni) add_i |-> room_o)
    else $error("a load was added without a free entry");
  Answered_A: assert property (@(posedge clk_i) disable iff (!rst_ni) rsp_take_i |-> rsp_match_o)
    else $error("a response was taken that is for no load here");
  Sent_A: assert property (@(posedge clk_i) disable iff (!rst_ni)
      sent_i |-> valid_q[sent_index_i] && stage_q[sent_index_i] == Arrived)
    else $error("a slot was read for a load that is not due to read it");
  Slot_A: assert property (@(posedge clk_i) disable iff (!rst_ni)
      slot_take_i |-> valid_q[slot_index_i] && stage_q[slot_index_i] == Reading)
    else $error("data of a slot for a load that reads none");
  ReadyTaken_A: assert property (@(posedge clk_i) disable iff (!rst_ni)
      ready_take_i |-> ready_o)
    else $error("a load was answered that is not complete");
  for (genvar i = 0; i < Merges; i++) begin : g_error
    ErrorStays_A: assert property (@(posedge clk_i) disable iff (!rst_ni)
        (valid_q[i] && stage_q[i] != AtEndpoint && error_q[i]) |=> !valid_q[i] || error_q[i])
      else $error("the error of a load went away before it was answered");
    SlotError_A: assert property (@(posedge clk_i) disable iff (!rst_ni)
        (slot_take_i && slot_error_i && slot_index_i == index_t'(i)) |=> error_q[i])
      else $error("an error of the slot's data was lost");
  end
  ArrivedStays_A: assert property (@(posedge clk_i) disable iff (!rst_ni)
      (arrived_o && !sent_i) |=> arrived_o)
    else $error("a load that is to read its slot went away before it did");
  for (genvar i = 0; i < Merges; i++) begin : g_one
    for (genvar j = i + 1; j < Merges; j++) begin : g_other
      Distinct_A: assert property (@(posedge clk_i) disable iff (!rst_ni)
          (valid_q[i] && valid_q[j] && stage_q[i] == AtEndpoint && stage_q[j] == AtEndpoint) |->
          id_q[i] != id_q[j])
        else $error("two loads that wait for the endpoint have the same id");
    end
  end

endmodule
