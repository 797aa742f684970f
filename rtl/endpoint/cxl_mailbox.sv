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
// Registers: cxl_reg_types_pkg (regs/mailbox.yaml).
//
// Latency:  write at the edge, read data the cycle after the request; 0 after any other cycle.
// Source:   docs/blocks/endpoint/cxl_mailbox.md; CXL 2.0, 8.2.8 (registers), 8.2.9 (commands),
//           12.4.

module cxl_mailbox
  import cxlgpu_pkg::*;
  import cxl_reg_pkg::*;
  import cxl_reg_types_pkg::*;
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

  state_e                    state_q;
  mbox_command_t             command_q;
  mbox_command_high_t        command_high_q;
  mbox_status_high_t         status_high_q;
  mbox_payload_word_t [63:0] payload_q;
  logic                      dirty_q;
  index_t                    index_q;  // word of the output that is copied
  bytes_t                    bytes_q;  // of the output
  logic [4:0]                from_q;   // first byte of the log requested

  // ---------------------------------------------------------------------------------------------
  // Verdict
  // ---------------------------------------------------------------------------------------------
  logic        known, in_log;
  logic [20:0] length, input_bytes;
  bytes_t      output_bytes;
  logic [15:0] code;
  logic [31:0] log_from, log_bytes;

  assign length    = {command_high_q.length, command_q.length};
  assign log_from  = payload_q[4];
  assign log_bytes = payload_q[5];
  assign in_log    = payload_q[3:0] == LogUuid &&
                     {1'b0, log_from} + {1'b0, log_bytes} <= 33'(LogBytes);

  always_comb begin
    known        = 1'b1;
    input_bytes  = '0;
    output_bytes = '0;
    unique case (command_q.opcode)
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
    else if (length != input_bytes)                               code = InvalidLength;
    else if (command_q.opcode == GetLog && !in_log)               code = InvalidInput;
    else if (command_q.opcode == SetShutdown && viral_i && !payload_q[0][0]) code = InternalError;
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
      unique case (command_q.opcode)
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
      state_q        <= Idle;
      command_q      <= MboxCommandAtReset;
      command_high_q <= MboxCommandHighAtReset;
      status_high_q  <= MboxStatusHighAtReset;
      payload_q      <= '0;
      dirty_q        <= 1'b0;
      index_q        <= '0;
      bytes_q        <= '0;
      from_q         <= '0;
    end else begin
      unique case (state_q)
        Idle: begin
          if (wr && in_payload) begin
            payload_q[place[WordsWidth-1:0]] <=
                mbox_payload_word_written(payload_q[place[WordsWidth-1:0]], reg_req_i.wdata);
          end
          if (wr && reg_req_i.addr[9:2] == MboxCommandOffset[9:2]) begin
            command_q <= mbox_command_written(command_q, reg_req_i.wdata);
          end
          if (wr && reg_req_i.addr[9:2] == MboxCommandHighOffset[9:2]) begin
            command_high_q <= mbox_command_high_written(command_high_q, reg_req_i.wdata);
          end
          if (wr && reg_req_i.addr[9:2] == MboxControlOffset[9:2] &&
              reg_req_i.wdata[MboxControlDoorbellLsb]) state_q <= Judge;
        end
        Judge: begin
          index_q <= '0;
          bytes_q <= output_bytes;
          from_q  <= log_from[4:0];
          if (code == Success && command_q.opcode == SetShutdown) dirty_q <= payload_q[0][0];
          if (code == Success && output_bytes != '0) begin
            state_q <= Copy;
          end else begin
            state_q               <= Idle;
            status_high_q.code    <= code;
            command_q.length      <= '0;
            command_high_q.length <= '0;
          end
        end
        default: begin
          payload_q[index_q] <= word;
          index_q            <= index_q + 1'b1;
          if (last) begin
            state_q               <= Idle;
            status_high_q.code    <= Success;
            command_q.length      <= 16'(bytes_q);
            command_high_q.length <= '0;
          end
        end
      endcase
    end
  end

  logic [31:0] rdata_q, rdata_d;

  always_comb begin
    rdata_d = '0;
    if (reg_req_i.valid && !reg_req_i.write) begin
      rdata_d = mbox_word(MboxRegsAtReset | mbox_regs_t'{
        memory_status: '{media: {1'b0, media_ready_i}, default: '0},
        control:       '{doorbell: state_q != Idle, default: '0},
        command:       command_q,
        command_high:  command_high_q,
        status_high:   status_high_q,
        payload:       payload_q,
        default:       '0
      }, 10'(reg_req_i.addr[9:2]));
      if (in_payload && state_q != Idle) rdata_d = '0;
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
      (state_q != Idle) |=> $stable(command_q.opcode))
      else $error("the opcode changes while its command runs");
  ViralStaysDirty_A: assert property (@(posedge clk_i) disable iff (!rst_ni)
      (viral_i && dirty_q) |=> dirty_q)
      else $error("a viral device is shut down clean");

endmodule
