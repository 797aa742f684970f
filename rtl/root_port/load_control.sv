// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
//
// Load control: the granularity of speculation, moved by the DevLoad of each response, and that
// DevLoad itself.
//
//   halted <- severe from anywhere;  halted -> 64 B <-> 256 <-> 512 <-> 768 <-> 1024 B
//             light goes right, moderate left, optimal stays
//
// Registered: a response acts on the state of the next cycle.
//
// Source: DevLoad of CXL 2.0 (QoS telemetry); the steps are the SR engine's,
//         docs/blocks/root_port/load_control.md.

module load_control
  import cxl_pkg::*;
  import cxlgpu_pkg::*;
(
  input  logic       clk_i,
  input  logic       rst_ni,
  input  logic       clear_i,      // pulse: back to 256 B and light; wins over a response of the
                                   // same cycle
  input  logic       rsp_valid_i,  // pulse: a response was taken in this cycle
  input  logic [1:0] dev_load_i,   // its DevLoad, 0 light .. 3 severe
  output gran_e      state_o,      // granularity of speculation, Gran64..GranHalted
  output logic [1:0] level_o       // DevLoad of the last response, 0 light .. 3 severe
);

  gran_e      state_q, state_d;
  logic [1:0] level_q;

  function automatic gran_e wider(gran_e gran);
    unique case (gran)
      GranHalted: return Gran64;
      Gran64:     return Gran256;
      Gran256:    return Gran512;
      Gran512:    return Gran768;
      default:    return Gran1024;
    endcase
  endfunction

  function automatic gran_e narrower(gran_e gran);
    unique case (gran)
      GranHalted: return GranHalted;
      Gran1024:   return Gran768;
      Gran768:    return Gran512;
      Gran512:    return Gran256;
      default:    return Gran64;
    endcase
  endfunction

  always_comb begin
    state_d = state_q;
    if (rsp_valid_i) begin
      unique case (dev_load_i)
        LoadLight:    state_d = wider(state_q);
        LoadModerate: state_d = narrower(state_q);
        LoadSevere:   state_d = GranHalted;
        default:      state_d = state_q;
      endcase
    end
    if (clear_i) state_d = Gran256;
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      state_q <= Gran256;
      level_q <= LoadLight;
    end else begin
      state_q <= state_d;
      if (clear_i)          level_q <= LoadLight;
      else if (rsp_valid_i) level_q <= dev_load_i;
    end
  end

  assign state_o = state_q;
  assign level_o = level_q;

  // ---------------------------------------------------------------------------------------------
  // Contract
  // ---------------------------------------------------------------------------------------------
  StateKnown_A: assert property (@(posedge clk_i) disable iff (!rst_ni) state_q <= GranHalted)
      else $error("a granularity that does not exist");
  Stays_A: assert property (@(posedge clk_i) disable iff (!rst_ni)
      (!rsp_valid_i && !clear_i) |=> $stable(state_o) && $stable(level_o))
      else $error("granularity or level changes without a response");
  SevereHalts_A: assert property (@(posedge clk_i) disable iff (!rst_ni)
      (rsp_valid_i && dev_load_i == LoadSevere && !clear_i) |=>
          state_o == GranHalted && level_o == LoadSevere)
      else $error("a severe load does not halt speculation");

endmodule
