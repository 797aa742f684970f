// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
//
// ds_index in six sizes side by side, one an element of each port: as the root port has it, 1024
// slots and keys of 46 bits; 8 slots and keys of 64 bits; 4096 slots, the most; 4, a bucket a side;
// 16, the least that can run out of places; 256 and keys of 18 bits, whose last digit is filled up.
// Slots and keys are widened to the largest, the value in the low bits.

module ds_index_tb (
  input  logic              clk_i,
  input  logic              rst_ni,
  input  logic [5:0]        req_valid_i,
  output logic [5:0]        req_ready_o,
  input  logic [5:0][1:0]   op_i,
  input  logic [5:0][63:0]  key_i,
  input  logic [5:0][11:0]  slot_i,
  output logic [5:0]        rsp_valid_o,
  output logic [5:0]        found_o,
  output logic [5:0][11:0]  slot_o,
  output logic [5:0][12:0]  count_o
);

  for (genvar g = 0; g < 6; g++) begin : gen_index
    localparam int unsigned Depth = (g == 0) ? 1024 : (g == 1) ? 8 : (g == 2) ? 4096 :
                                    (g == 3) ? 4 : (g == 4) ? 16 : 256;
    localparam int unsigned S     = $clog2(Depth);
    localparam int unsigned K     = (g == 1) ? 64 : (g == 5) ? 18 : 46;

    logic [S-1:0] slot;
    logic [S:0]   count;

    ds_index #(
      .Depth  (Depth),
      .KeyBits(K)
    ) u_ds_index (
      .clk_i,
      .rst_ni,
      .req_valid_i(req_valid_i[g]),
      .req_ready_o(req_ready_o[g]),
      .op_i       (op_i[g]),
      .key_i      (key_i[g][K-1:0]),
      .slot_i     (slot_i[g][S-1:0]),
      .rsp_valid_o(rsp_valid_o[g]),
      .found_o    (found_o[g]),
      .slot_o     (slot),
      .count_o    (count)
    );

    assign slot_o[g]  = 12'(slot);
    assign count_o[g] = 13'(count);
  end

  logic unused_bits;  // the smaller ones' slots are shorter, all but one's keys
  assign unused_bits = ^{slot_i, key_i};

endmodule
