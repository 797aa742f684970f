// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
//
// CXL device registers of a memory device: capabilities array, device status, primary mailbox,
// memory device status.
//
// The mailbox serves what a driver needs to find the media: the command effects log, Identify,
// the partitions, and the shutdown state. A command is judged in one cycle; its output then goes to
// the payload registers one word a cycle, and the doorbell falls with the last one. Until then
// software finds the payload empty and its writes have no effect. Nothing runs in the background.
//
// Offsets, fields and reset values: cxl_reg_pkg (regs/mailbox.yaml).
//
// Latency:  write at the edge, read data the cycle after the request; 0 after any other cycle.
// Source:   docs/blocks/endpoint/cxl_mailbox.md; CXL 2.0, 8.2.8 (registers), 8.2.9 (commands),
//           12.4.

module cxl_mailbox
  import cxlgpu_pkg::*;
  import cxl_reg_pkg::*;
#(
  parameter logic [35:0] Capacity = 36'd128  // size of the media, all volatile, in 256 MiB,
                                             // 0..2^36-1
) (
  input  logic        clk_i,
  input  logic        rst_ni,
  input  reg_req_t    reg_req_i,        // register access; addr[9:2] counts
  output logic [31:0] reg_rdata_o,      // read data a cycle after the request; 0 after any other
                                        // cycle
  input  logic        media_ready_i,    // level: the media can be used
  input  logic        viral_i,          // level: the device is viral; refuses to be shut down clean
  output logic        shutdown_dirty_o  // level: shutdown state, 0 clean, 1 dirty
);

  localparam int unsigned LogBytes   = 24;  // of the command effects log; LogsAnswer says it too
  localparam int unsigned WordsWidth = $clog2(int'(MboxPayloadCount));
  localparam int unsigned BytesWidth = WordsWidth + 2;

  typedef logic [WordsWidth-1:0] index_t;
  typedef logic [BytesWidth-1:0] bytes_t;

  // Commands and what they answer
  localparam logic [15:0] GetSupportedLogs = 16'h0400;
  localparam logic [15:0] GetLog           = 16'h0401;
  localparam logic [15:0] Identify         = 16'h4000;
  localparam logic [15:0] GetPartitions    = 16'h4100;
  localparam logic [15:0] GetShutdown      = 16'h4203;
  localparam logic [15:0] SetShutdown      = 16'h4204;

  localparam logic [15:0] Success       = 16'h0000;
  localparam logic [15:0] InvalidInput  = 16'h0002;
  localparam logic [15:0] Unsupported   = 16'h0003;
  localparam logic [15:0] InternalError = 16'h0004;
  localparam logic [15:0] InvalidLength = 16'h0016;

  localparam logic [63:0]  CapacityField = {28'd0, Capacity};
  // 0DA9C0B5-BF41-4B78-8F79-96B1623B3F17, first byte lowest
  localparam logic [127:0] LogUuid = 128'h173F_3B62_B196_798F_784B_41BF_B5C0_A90D;
  localparam logic [8*LogBytes-1:0] EffectsLog = {
    16'h0008, SetShutdown,  // changes a policy at once
    16'h0000, GetShutdown,
    16'h0000, GetPartitions,
    16'h0000, Identify,
    16'h0000, GetLog,
    16'h0000, GetSupportedLogs
  };

  localparam int unsigned LogsWords       = 7;
  localparam int unsigned IdentifyBytes   = 67;
  localparam int unsigned IdentifyWords   = 17;
  localparam int unsigned PartitionsWords = 8;
  localparam logic [LogsWords-1:0][31:0] LogsAnswer = {32'd24, LogUuid, 32'd0, 32'd1};
  localparam logic [IdentifyWords-1:0][31:0] IdentifyAnswer = {
    288'd0, CapacityField, CapacityField, 64'd0,
    64'h3120_7570_676C_7863  // "cxlgpu 1"
  };
  localparam logic [PartitionsWords-1:0][31:0] PartitionsAnswer = {192'd0, CapacityField};

  typedef enum logic [1:0] {Idle = 2'd0, Judge = 2'd1, Copy = 2'd2} state_e;

  state_e            state_q;
  logic [15:0]       opcode_q, code_q;
  logic [20:0]       length_q;
  logic [63:0][31:0] payload_q;
  logic              dirty_q;
  index_t            index_q;  // word of the output that is copied
  bytes_t            bytes_q;  // of the output
  logic [4:0]        from_q;   // first byte of the log requested

  // ---------------------------------------------------------------------------------------------
  // Verdict
  // ---------------------------------------------------------------------------------------------
  logic        known, in_log;
  logic [20:0] input_bytes;
  bytes_t      output_bytes;
  logic [15:0] code;
  logic [31:0] log_from, log_bytes;

  assign log_from  = payload_q[4];
  assign log_bytes = payload_q[5];
  assign in_log    = payload_q[3:0] == LogUuid &&
                     {1'b0, log_from} + {1'b0, log_bytes} <= 33'(LogBytes);

  always_comb begin
    known        = 1'b1;
    input_bytes  = '0;
    output_bytes = '0;
    unique case (opcode_q)
      GetSupportedLogs: output_bytes = bytes_t'(4 * LogsWords);
      GetLog: begin
        input_bytes  = 21'd24;
        output_bytes = bytes_t'(log_bytes[4:0]);
      end
      Identify:      output_bytes = bytes_t'(IdentifyBytes);
      GetPartitions: output_bytes = bytes_t'(4 * PartitionsWords);
      GetShutdown:   output_bytes = bytes_t'(1);
      SetShutdown:   input_bytes = 21'd1;
      default:       known = 1'b0;
    endcase
  end

  always_comb begin
    code = Success;
    if (!known)                                                   code = Unsupported;
    else if (length_q != input_bytes)                             code = InvalidLength;
    else if (opcode_q == GetLog && !in_log)                       code = InvalidInput;
    else if (opcode_q == SetShutdown && viral_i && !payload_q[0][0]) code = InternalError;
  end

  // ---------------------------------------------------------------------------------------------
  // Output
  // ---------------------------------------------------------------------------------------------
  logic [31:0] word;
  bytes_t      left;  // bytes from this word on
  logic        last;

  assign left = bytes_q - {index_q, 2'b00};
  assign last = left <= bytes_t'(4);

  always_comb begin
    word = '0;
    if (state_q == Copy) begin
      unique case (opcode_q)
        GetSupportedLogs: word = LogsAnswer[index_q[2:0]];
        GetLog: begin
          word = 32'(EffectsLog >> {8'(from_q) + {index_q, 2'b00}, 3'b000});
          for (int unsigned b = 0; b < 4; b++) begin
            if (bytes_t'(b) >= left) word[8*b +: 8] = '0;
          end
        end
        Identify:      word = IdentifyAnswer[index_q[4:0]];
        GetPartitions: word = PartitionsAnswer[index_q[2:0]];
        default:       word = {31'd0, dirty_q};
      endcase
    end
  end

  // ---------------------------------------------------------------------------------------------
  // Registers and the command
  // ---------------------------------------------------------------------------------------------
  logic       wr, in_payload;
  logic [7:0] place;  // of a payload word

  assign wr         = reg_req_i.valid && reg_req_i.write && state_q == Idle;
  assign place      = reg_req_i.addr[9:2] - MboxPayloadOffset[9:2];
  assign in_payload = place < 8'(MboxPayloadCount);

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      state_q   <= Idle;
      opcode_q  <= '0;
      length_q  <= '0;
      code_q    <= '0;
      payload_q <= '0;
      dirty_q   <= 1'b0;
      index_q   <= '0;
      bytes_q   <= '0;
      from_q    <= '0;
    end else begin
      unique case (state_q)
        Idle: begin
          if (wr && in_payload) payload_q[place[WordsWidth-1:0]] <= reg_req_i.wdata;
          if (wr && reg_req_i.addr[9:2] == MboxCommandOffset[9:2]) begin
            opcode_q       <= reg_req_i.wdata[MboxCommandOpcodeLsb +: MboxCommandOpcodeWidth];
            length_q[15:0] <= reg_req_i.wdata[MboxCommandLengthLsb +: MboxCommandLengthWidth];
          end
          if (wr && reg_req_i.addr[9:2] == MboxCommandHighOffset[9:2]) begin
            length_q[20:16] <=
                reg_req_i.wdata[MboxCommandHighLengthLsb +: MboxCommandHighLengthWidth];
          end
          if (wr && reg_req_i.addr[9:2] == MboxControlOffset[9:2] &&
              reg_req_i.wdata[MboxControlDoorbellLsb]) state_q <= Judge;
        end
        Judge: begin
          index_q <= '0;
          bytes_q <= output_bytes;
          from_q  <= log_from[4:0];
          if (code == Success && opcode_q == SetShutdown) dirty_q <= payload_q[0][0];
          if (code == Success && output_bytes != '0) begin
            state_q <= Copy;
          end else begin
            state_q  <= Idle;
            code_q   <= code;
            length_q <= '0;
          end
        end
        default: begin
          payload_q[index_q] <= word;
          index_q            <= index_q + 1'b1;
          if (last) begin
            state_q  <= Idle;
            code_q   <= Success;
            length_q <= 21'(bytes_q);
          end
        end
      endcase
    end
  end

  logic [31:0] rdata_q, rdata_d;

  always_comb begin
    rdata_d = '0;
    if (reg_req_i.valid && !reg_req_i.write) begin
      unique case (reg_req_i.addr[9:2])
        MboxArrayOffset[9:2]:           rdata_d = MboxArrayReset;
        MboxArrayCountOffset[9:2]:      rdata_d = MboxArrayCountReset;
        MboxStatusCapOffset[9:2]:       rdata_d = MboxStatusCapReset;
        MboxStatusCapAtOffset[9:2]:     rdata_d = MboxStatusCapAtReset;
        MboxStatusCapBytesOffset[9:2]:  rdata_d = MboxStatusCapBytesReset;
        MboxMailboxCapOffset[9:2]:      rdata_d = MboxMailboxCapReset;
        MboxMailboxCapAtOffset[9:2]:    rdata_d = MboxMailboxCapAtReset;
        MboxMailboxCapBytesOffset[9:2]: rdata_d = MboxMailboxCapBytesReset;
        MboxMemoryCapOffset[9:2]:       rdata_d = MboxMemoryCapReset;
        MboxMemoryCapAtOffset[9:2]:     rdata_d = MboxMemoryCapAtReset;
        MboxMemoryCapBytesOffset[9:2]:  rdata_d = MboxMemoryCapBytesReset;
        MboxMemoryStatusOffset[9:2]: begin
          rdata_d = MboxMemoryStatusReset;
          rdata_d[MboxMemoryStatusMediaLsb] = media_ready_i;
        end
        MboxCapabilityOffset[9:2]: rdata_d = MboxCapabilityReset;
        MboxControlOffset[9:2]:    rdata_d[MboxControlDoorbellLsb] = state_q != Idle;
        MboxCommandOffset[9:2]: begin
          rdata_d[MboxCommandOpcodeLsb +: MboxCommandOpcodeWidth] = opcode_q;
          rdata_d[MboxCommandLengthLsb +: MboxCommandLengthWidth] = length_q[15:0];
        end
        MboxCommandHighOffset[9:2]: begin
          rdata_d[MboxCommandHighLengthLsb +: MboxCommandHighLengthWidth] = length_q[20:16];
        end
        MboxStatusHighOffset[9:2]: begin
          rdata_d[MboxStatusHighCodeLsb +: MboxStatusHighCodeWidth] = code_q;
        end
        default: begin
          if (in_payload && state_q == Idle) rdata_d = payload_q[place[WordsWidth-1:0]];
        end
      endcase
    end
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) rdata_q <= '0;
    else         rdata_q <= rdata_d;
  end

  assign reg_rdata_o      = rdata_q;
  assign shutdown_dirty_o = dirty_q;

  // Bits that no register has, and the bits of an address that choose the block.
  logic unused_bits;
  assign unused_bits = ^{reg_req_i.addr[15:10], reg_req_i.addr[1:0]};

  // ---------------------------------------------------------------------------------------------
  // Contract
  // ---------------------------------------------------------------------------------------------
  OnlyReadsAnswer_A: assert property (@(posedge clk_i) disable iff (!rst_ni)
      !(reg_req_i.valid && !reg_req_i.write) |=> reg_rdata_o == '0)
      else $error("read data in a cycle after no read");
  // A command ends: its output fits the payload, and a word of it goes each cycle.
  CopyInside_A: assert property (@(posedge clk_i) disable iff (!rst_ni)
      (state_q == Copy) |-> {index_q, 2'b00} < bytes_q && bytes_q <= bytes_t'(IdentifyBytes))
      else $error("the output of a command runs beyond its length or the payload");
  CommandStays_A: assert property (@(posedge clk_i) disable iff (!rst_ni)
      (state_q != Idle) |=> $stable(opcode_q))
      else $error("the opcode changes while its command runs");
  ViralStaysDirty_A: assert property (@(posedge clk_i) disable iff (!rst_ni)
      (viral_i && dirty_q) |=> dirty_q)
      else $error("a viral device is shut down clean");

endmodule
