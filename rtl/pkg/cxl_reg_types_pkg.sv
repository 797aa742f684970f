// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
//
// Made by scripts/regs.py from regs/: do not edit.
//
// Every register as a struct of its fields, without what is reserved, and what software makes of
// it:
//
//   <reg>_word(f)             the register as a read gives it
//   <reg>_from(word)          its fields in such a word (not of registers that differ by side)
//   <reg>_written(f, wdata)   its fields after a write, by their access kinds; what hardware does
//                             to them is its module's. Further arguments, where they matter: high,
//                             the upper half of 64 bits is written; be, the bytes of the register
//                             that are (configuration space); device, the side that has it;
//                             locked, fields with RWL stay. Not there: a write changes nothing.
//   <set>_word, <block>_word  the word at an address of a set of registers or of a block: of
//                             registers of less than 32 bits all that share it
//
// A value ...AtReset has 0 in fields that a parameter sets. First in a struct, and so in its most
// significant bits, is the most significant field of a register, the first register of a block.

package cxl_reg_types_pkg;

  // A function takes the whole word and uses the bits that its register has; a top does not call
  // every function.
  // verilator lint_off UNUSEDSIGNAL
  // Members of a packed struct are no names in C++.
  // verilator lint_off SYMRSVDWORD
  // verilator coverage_off

  // ---------------------------------------------------------------------------------------------
  // Advanced Error Reporting extended capability
  // ---------------------------------------------------------------------------------------------
  typedef struct packed {
    logic [11:0] next;
    logic [3:0]  version;
    logic [15:0] id;
  } aer_cap_header_t;

  parameter aer_cap_header_t AerCapHeaderAtReset = '{next: 12'h0, version: 4'h2, id: 16'h1};

  function automatic logic [31:0] aer_cap_header_word(aer_cap_header_t f);
    return {f.next, f.version, f.id};
  endfunction

  function automatic aer_cap_header_t aer_cap_header_from(logic [31:0] word);
    return '{next: word[31:20], version: word[19:16], id: word[15:0]};
  endfunction

  typedef struct packed {
    logic internal;
    logic unsupported;
    logic malformed;
    logic overflow;
    logic completion;
    logic abort;
    logic poison;
    logic dllp;
  } aer_uncor_status_t;

  parameter aer_uncor_status_t AerUncorStatusAtReset = '{
    internal: 1'h0, unsupported: 1'h0, malformed: 1'h0, overflow: 1'h0, completion: 1'h0,
    abort: 1'h0, poison: 1'h0, dllp: 1'h0
  };

  function automatic logic [31:0] aer_uncor_status_word(aer_uncor_status_t f);
    return {9'd0, f.internal, 1'd0, f.unsupported, 1'd0, f.malformed, f.overflow, f.completion,
        f.abort, 2'd0, f.poison, 7'd0, f.dllp, 4'd0};
  endfunction

  function automatic aer_uncor_status_t aer_uncor_status_from(logic [31:0] word);
    return '{
      internal: word[22], unsupported: word[20], malformed: word[18], overflow: word[17],
      completion: word[16], abort: word[15], poison: word[12], dllp: word[4]
    };
  endfunction

  function automatic aer_uncor_status_t aer_uncor_status_written(
      aer_uncor_status_t f, logic [31:0] wdata, logic [3:0] be);
    aer_uncor_status_t d;
    d = f;
    d.internal = be[2] ? f.internal & ~wdata[22] : f.internal;
    d.unsupported = be[2] ? f.unsupported & ~wdata[20] : f.unsupported;
    d.malformed = be[2] ? f.malformed & ~wdata[18] : f.malformed;
    d.overflow = be[2] ? f.overflow & ~wdata[17] : f.overflow;
    d.completion = be[2] ? f.completion & ~wdata[16] : f.completion;
    d.abort = be[1] ? f.abort & ~wdata[15] : f.abort;
    d.poison = be[1] ? f.poison & ~wdata[12] : f.poison;
    d.dllp = be[0] ? f.dllp & ~wdata[4] : f.dllp;
    return d;
  endfunction

  typedef struct packed {
    logic internal;
    logic unsupported;
    logic malformed;
    logic overflow;
    logic completion;
    logic abort;
    logic poison;
    logic dllp;
  } aer_uncor_mask_t;

  parameter aer_uncor_mask_t AerUncorMaskAtReset = '{
    internal: 1'h1, unsupported: 1'h0, malformed: 1'h0, overflow: 1'h0, completion: 1'h0,
    abort: 1'h0, poison: 1'h0, dllp: 1'h0
  };

  function automatic logic [31:0] aer_uncor_mask_word(aer_uncor_mask_t f);
    return {9'd0, f.internal, 1'd0, f.unsupported, 1'd0, f.malformed, f.overflow, f.completion,
        f.abort, 2'd0, f.poison, 7'd0, f.dllp, 4'd0};
  endfunction

  function automatic aer_uncor_mask_t aer_uncor_mask_from(logic [31:0] word);
    return '{
      internal: word[22], unsupported: word[20], malformed: word[18], overflow: word[17],
      completion: word[16], abort: word[15], poison: word[12], dllp: word[4]
    };
  endfunction

  function automatic aer_uncor_mask_t aer_uncor_mask_written(
      aer_uncor_mask_t f, logic [31:0] wdata, logic [3:0] be);
    aer_uncor_mask_t d;
    d = f;
    d.internal = be[2] ? wdata[22] : f.internal;
    d.unsupported = be[2] ? wdata[20] : f.unsupported;
    d.malformed = be[2] ? wdata[18] : f.malformed;
    d.overflow = be[2] ? wdata[17] : f.overflow;
    d.completion = be[2] ? wdata[16] : f.completion;
    d.abort = be[1] ? wdata[15] : f.abort;
    d.poison = be[1] ? wdata[12] : f.poison;
    d.dllp = be[0] ? wdata[4] : f.dllp;
    return d;
  endfunction

  typedef struct packed {
    logic internal;
    logic unsupported;
    logic malformed;
    logic overflow;
    logic completion;
    logic abort;
    logic poison;
    logic dllp;
  } aer_uncor_severity_t;

  parameter aer_uncor_severity_t AerUncorSeverityAtReset = '{
    internal: 1'h1, unsupported: 1'h0, malformed: 1'h1, overflow: 1'h1, completion: 1'h0,
    abort: 1'h0, poison: 1'h0, dllp: 1'h1
  };

  function automatic logic [31:0] aer_uncor_severity_word(aer_uncor_severity_t f);
    return {9'd0, f.internal, 1'd0, f.unsupported, 1'd0, f.malformed, f.overflow, f.completion,
        f.abort, 2'd0, f.poison, 7'd0, f.dllp, 4'd0};
  endfunction

  function automatic aer_uncor_severity_t aer_uncor_severity_from(logic [31:0] word);
    return '{
      internal: word[22], unsupported: word[20], malformed: word[18], overflow: word[17],
      completion: word[16], abort: word[15], poison: word[12], dllp: word[4]
    };
  endfunction

  function automatic aer_uncor_severity_t aer_uncor_severity_written(
      aer_uncor_severity_t f, logic [31:0] wdata, logic [3:0] be);
    aer_uncor_severity_t d;
    d = f;
    d.internal = be[2] ? wdata[22] : f.internal;
    d.unsupported = be[2] ? wdata[20] : f.unsupported;
    d.malformed = be[2] ? wdata[18] : f.malformed;
    d.overflow = be[2] ? wdata[17] : f.overflow;
    d.completion = be[2] ? wdata[16] : f.completion;
    d.abort = be[1] ? wdata[15] : f.abort;
    d.poison = be[1] ? wdata[12] : f.poison;
    d.dllp = be[0] ? wdata[4] : f.dllp;
    return d;
  endfunction

  typedef struct packed {
    logic internal;
    logic advisory;
    logic replay_timer;
    logic rollover;
    logic bad_dllp;
    logic bad_tlp;
    logic receiver;
  } aer_cor_status_t;

  parameter aer_cor_status_t AerCorStatusAtReset = '{
    internal: 1'h0, advisory: 1'h0, replay_timer: 1'h0, rollover: 1'h0, bad_dllp: 1'h0,
    bad_tlp: 1'h0, receiver: 1'h0
  };

  function automatic logic [31:0] aer_cor_status_word(aer_cor_status_t f);
    return {17'd0, f.internal, f.advisory, f.replay_timer, 3'd0, f.rollover, f.bad_dllp, f.bad_tlp,
        5'd0, f.receiver};
  endfunction

  function automatic aer_cor_status_t aer_cor_status_from(logic [31:0] word);
    return '{
      internal: word[14], advisory: word[13], replay_timer: word[12], rollover: word[8],
      bad_dllp: word[7], bad_tlp: word[6], receiver: word[0]
    };
  endfunction

  function automatic aer_cor_status_t aer_cor_status_written(
      aer_cor_status_t f, logic [31:0] wdata, logic [3:0] be);
    aer_cor_status_t d;
    d = f;
    d.internal = be[1] ? f.internal & ~wdata[14] : f.internal;
    d.advisory = be[1] ? f.advisory & ~wdata[13] : f.advisory;
    d.replay_timer = be[1] ? f.replay_timer & ~wdata[12] : f.replay_timer;
    d.rollover = be[1] ? f.rollover & ~wdata[8] : f.rollover;
    d.bad_dllp = be[0] ? f.bad_dllp & ~wdata[7] : f.bad_dllp;
    d.bad_tlp = be[0] ? f.bad_tlp & ~wdata[6] : f.bad_tlp;
    d.receiver = be[0] ? f.receiver & ~wdata[0] : f.receiver;
    return d;
  endfunction

  typedef struct packed {
    logic internal;
    logic advisory;
    logic replay_timer;
    logic rollover;
    logic bad_dllp;
    logic bad_tlp;
    logic receiver;
  } aer_cor_mask_t;

  parameter aer_cor_mask_t AerCorMaskAtReset = '{
    internal: 1'h1, advisory: 1'h1, replay_timer: 1'h0, rollover: 1'h0, bad_dllp: 1'h0,
    bad_tlp: 1'h0, receiver: 1'h0
  };

  function automatic logic [31:0] aer_cor_mask_word(aer_cor_mask_t f);
    return {17'd0, f.internal, f.advisory, f.replay_timer, 3'd0, f.rollover, f.bad_dllp, f.bad_tlp,
        5'd0, f.receiver};
  endfunction

  function automatic aer_cor_mask_t aer_cor_mask_from(logic [31:0] word);
    return '{
      internal: word[14], advisory: word[13], replay_timer: word[12], rollover: word[8],
      bad_dllp: word[7], bad_tlp: word[6], receiver: word[0]
    };
  endfunction

  function automatic aer_cor_mask_t aer_cor_mask_written(
      aer_cor_mask_t f, logic [31:0] wdata, logic [3:0] be);
    aer_cor_mask_t d;
    d = f;
    d.internal = be[1] ? wdata[14] : f.internal;
    d.advisory = be[1] ? wdata[13] : f.advisory;
    d.replay_timer = be[1] ? wdata[12] : f.replay_timer;
    d.rollover = be[1] ? wdata[8] : f.rollover;
    d.bad_dllp = be[0] ? wdata[7] : f.bad_dllp;
    d.bad_tlp = be[0] ? wdata[6] : f.bad_tlp;
    d.receiver = be[0] ? wdata[0] : f.receiver;
    return d;
  endfunction

  typedef struct packed {
    logic [4:0] first_error;
  } aer_control_t;

  parameter aer_control_t AerControlAtReset = '{first_error: 5'h0};

  function automatic logic [31:0] aer_control_word(aer_control_t f);
    return {27'd0, f.first_error};
  endfunction

  function automatic aer_control_t aer_control_from(logic [31:0] word);
    return '{first_error: word[4:0]};
  endfunction

  typedef struct packed {
    logic [31:0] data;
  } aer_header_log_word_t;

  parameter aer_header_log_word_t AerHeaderLogWordAtReset = '{data: 32'h0};

  function automatic logic [31:0] aer_header_log_word_word(aer_header_log_word_t f);
    return f.data;
  endfunction

  function automatic aer_header_log_word_t aer_header_log_word_from(logic [31:0] word);
    return '{data: word[31:0]};
  endfunction

  typedef struct packed {
    aer_header_log_word_t word;
  } aer_header_log_t;

  parameter aer_header_log_t AerHeaderLogAtReset = '{word: AerHeaderLogWordAtReset};

  function automatic logic [31:0] aer_header_log_word(aer_header_log_t r);
    return aer_header_log_word_word(r.word);
  endfunction

  typedef struct packed {
    aer_cap_header_t       cap_header;
    aer_uncor_status_t     uncor_status;
    aer_uncor_mask_t       uncor_mask;
    aer_uncor_severity_t   uncor_severity;
    aer_cor_status_t       cor_status;
    aer_cor_mask_t         cor_mask;
    aer_control_t          control;
    aer_header_log_t [3:0] header_log;
  } aer_regs_t;

  parameter aer_regs_t AerRegsAtReset = '{
    cap_header: AerCapHeaderAtReset, uncor_status: AerUncorStatusAtReset,
    uncor_mask: AerUncorMaskAtReset, uncor_severity: AerUncorSeverityAtReset,
    cor_status: AerCorStatusAtReset, cor_mask: AerCorMaskAtReset, control: AerControlAtReset,
    header_log: {4{AerHeaderLogAtReset}}
  };

  function automatic logic [31:0] aer_word(aer_regs_t r, logic [11:2] word);
    logic [31:0] data;
    logic [11:2] header_log_at;  // words from the first header_log
    data = '0;
    header_log_at = word - 10'h007;
    unique case (word)
      10'h000: data = aer_cap_header_word(r.cap_header);
      10'h001: data = aer_uncor_status_word(r.uncor_status);
      10'h002: data = aer_uncor_mask_word(r.uncor_mask);
      10'h003: data = aer_uncor_severity_word(r.uncor_severity);
      10'h004: data = aer_cor_status_word(r.cor_status);
      10'h005: data = aer_cor_mask_word(r.cor_mask);
      10'h006: data = aer_control_word(r.control);
      default: begin
        if (header_log_at < 10'd4) begin
          data = aer_header_log_word(r.header_log[header_log_at[3:2]]);
        end
      end
    endcase
    return data;
  endfunction

  // ---------------------------------------------------------------------------------------------
  // ARB/MUX registers
  // ---------------------------------------------------------------------------------------------
  typedef struct packed {
    logic [3:0] weight;
  } arb_io_weight_t;

  parameter arb_io_weight_t ArbIoWeightAtReset = '{weight: 4'h1};

  function automatic logic [31:0] arb_io_weight_word(arb_io_weight_t f);
    return {24'd0, f.weight, 4'd0};
  endfunction

  function automatic arb_io_weight_t arb_io_weight_from(logic [31:0] word);
    return '{weight: word[7:4]};
  endfunction

  function automatic arb_io_weight_t arb_io_weight_written(arb_io_weight_t f, logic [31:0] wdata);
    arb_io_weight_t d;
    d = f;
    d.weight = wdata[7:4];
    return d;
  endfunction

  typedef struct packed {
    logic [3:0] weight;
  } arb_cm_weight_t;

  parameter arb_cm_weight_t ArbCmWeightAtReset = '{weight: 4'h1};

  function automatic logic [31:0] arb_cm_weight_word(arb_cm_weight_t f);
    return {24'd0, f.weight, 4'd0};
  endfunction

  function automatic arb_cm_weight_t arb_cm_weight_from(logic [31:0] word);
    return '{weight: word[7:4]};
  endfunction

  function automatic arb_cm_weight_t arb_cm_weight_written(arb_cm_weight_t f, logic [31:0] wdata);
    arb_cm_weight_t d;
    d = f;
    d.weight = wdata[7:4];
    return d;
  endfunction

  typedef struct packed {
    arb_io_weight_t io_weight;
    arb_cm_weight_t cm_weight;
  } arb_regs_t;

  parameter arb_regs_t ArbRegsAtReset = '{
    io_weight: ArbIoWeightAtReset, cm_weight: ArbCmWeightAtReset
  };

  function automatic logic [31:0] arb_word(arb_regs_t r, logic [15:2] word);
    logic [31:0] data;
    data = '0;
    unique case (word)
      14'h3860: data = arb_io_weight_word(r.io_weight);
      14'h3870: data = arb_cm_weight_word(r.cm_weight);
      default: ;
    endcase
    return data;
  endfunction

  // ---------------------------------------------------------------------------------------------
  // Component register block, capability array
  // ---------------------------------------------------------------------------------------------
  typedef struct packed {
    logic [7:0]  array_size;
    logic [3:0]  cachemem_version;
    logic [3:0]  version;
    logic [15:0] id;
  } cmp_header_t;

  parameter cmp_header_t CmpHeaderAtReset = '{
    array_size: 8'h0, cachemem_version: 4'h1, version: 4'h1, id: 16'h1
  };

  function automatic logic [31:0] cmp_header_word(cmp_header_t f);
    return {f.array_size, f.cachemem_version, f.version, f.id};
  endfunction

  function automatic cmp_header_t cmp_header_from(logic [31:0] word);
    return '{
      array_size: word[31:24], cachemem_version: word[23:20], version: word[19:16], id: word[15:0]
    };
  endfunction

  typedef struct packed {
    logic [11:0] offset;
    logic [3:0]  version;
    logic [15:0] id;
  } cmp_entry_header_t;

  parameter cmp_entry_header_t CmpEntryHeaderAtReset = '{offset: 12'h0, version: 4'h0, id: 16'h0};

  function automatic logic [31:0] cmp_entry_header_word(cmp_entry_header_t f);
    return {f.offset, f.version, f.id};
  endfunction

  function automatic cmp_entry_header_t cmp_entry_header_from(logic [31:0] word);
    return '{offset: word[31:20], version: word[19:16], id: word[15:0]};
  endfunction

  typedef struct packed {
    cmp_entry_header_t header;
  } cmp_entry_t;

  parameter cmp_entry_t CmpEntryAtReset = '{header: CmpEntryHeaderAtReset};

  function automatic logic [31:0] cmp_entry_word(cmp_entry_t r);
    return cmp_entry_header_word(r.header);
  endfunction

  typedef struct packed {
    cmp_header_t      header;
    cmp_entry_t [4:0] entry;
  } cmp_regs_t;

  parameter cmp_regs_t CmpRegsAtReset = '{header: CmpHeaderAtReset, entry: {5{CmpEntryAtReset}}};

  function automatic logic [31:0] cmp_word(cmp_regs_t r, logic [12:2] word);
    logic [31:0] data;
    logic [12:2] entry_at;  // words from the first entry
    data = '0;
    entry_at = word - 11'h401;
    unique case (word)
      11'h400: data = cmp_header_word(r.header);
      default: begin
        if (entry_at < 11'd5) begin
          data = cmp_entry_word(r.entry[entry_at[4:2]]);
        end
      end
    endcase
    return data;
  endfunction

  // ---------------------------------------------------------------------------------------------
  // DVSEC 0, PCIe DVSEC for CXL device
  // ---------------------------------------------------------------------------------------------
  typedef struct packed {
    logic [11:0] next;
    logic [3:0]  version;
    logic [15:0] id;
  } dv_dev_cap_header_t;

  parameter dv_dev_cap_header_t DvDevCapHeaderAtReset = '{next: 12'h0, version: 4'h1, id: 16'h23};

  function automatic logic [31:0] dv_dev_cap_header_word(dv_dev_cap_header_t f);
    return {f.next, f.version, f.id};
  endfunction

  function automatic dv_dev_cap_header_t dv_dev_cap_header_from(logic [31:0] word);
    return '{next: word[31:20], version: word[19:16], id: word[15:0]};
  endfunction

  typedef struct packed {
    logic [11:0] length;
    logic [3:0]  revision;
    logic [15:0] vendor;
  } dv_dev_dvsec_header_t;

  parameter dv_dev_dvsec_header_t DvDevDvsecHeaderAtReset = '{
    length: 12'h38, revision: 4'h1, vendor: 16'h1E98
  };

  function automatic logic [31:0] dv_dev_dvsec_header_word(dv_dev_dvsec_header_t f);
    return {f.length, f.revision, f.vendor};
  endfunction

  function automatic dv_dev_dvsec_header_t dv_dev_dvsec_header_from(logic [31:0] word);
    return '{length: word[31:20], revision: word[19:16], vendor: word[15:0]};
  endfunction

  typedef struct packed {
    logic [15:0] id;
  } dv_dev_dvsec_id_t;

  parameter dv_dev_dvsec_id_t DvDevDvsecIdAtReset = '{id: 16'h0};

  function automatic logic [15:0] dv_dev_dvsec_id_word(dv_dev_dvsec_id_t f);
    return f.id;
  endfunction

  function automatic dv_dev_dvsec_id_t dv_dev_dvsec_id_from(logic [15:0] word);
    return '{id: word[15:0]};
  endfunction

  typedef struct packed {
    logic       pm_init;
    logic       viral;
    logic       mld;
    logic       reset_mem_clear;
    logic [2:0] reset_timeout;
    logic       cxl_reset;
    logic       write_back;
    logic [1:0] hdm_count;
    logic       mem_hw_init;
    logic       mem;
    logic       io;
    logic       cache;
  } dv_dev_capability_t;

  parameter dv_dev_capability_t DvDevCapabilityAtReset = '{
    pm_init: 1'h1, viral: 1'h1, mld: 1'h0, reset_mem_clear: 1'h0, reset_timeout: 3'h0,
    cxl_reset: 1'h0, write_back: 1'h0, hdm_count: 2'h0, mem_hw_init: 1'h1, mem: 1'h1, io: 1'h1,
    cache: 1'h0
  };

  function automatic logic [15:0] dv_dev_capability_word(dv_dev_capability_t f);
    return {f.pm_init, f.viral, f.mld, 1'd0, f.reset_mem_clear, f.reset_timeout, f.cxl_reset,
        f.write_back, f.hdm_count, f.mem_hw_init, f.mem, f.io, f.cache};
  endfunction

  function automatic dv_dev_capability_t dv_dev_capability_from(logic [15:0] word);
    return '{
      pm_init: word[15], viral: word[14], mld: word[13], reset_mem_clear: word[11],
      reset_timeout: word[10:8], cxl_reset: word[7], write_back: word[6], hdm_count: word[5:4],
      mem_hw_init: word[3], mem: word[2], io: word[1], cache: word[0]
    };
  endfunction

  typedef struct packed {
    logic       viral;
    logic       clean_evict;
    logic [2:0] sf_granularity;
    logic [4:0] sf_coverage;
    logic       mem;
    logic       io;
    logic       cache;
  } dv_dev_control_t;

  parameter dv_dev_control_t DvDevControlAtReset = '{
    viral: 1'h0, clean_evict: 1'h0, sf_granularity: 3'h0, sf_coverage: 5'h0, mem: 1'h0, io: 1'h1,
    cache: 1'h0
  };

  function automatic logic [15:0] dv_dev_control_word(dv_dev_control_t f);
    return {1'd0, f.viral, 2'd0, f.clean_evict, f.sf_granularity, f.sf_coverage, f.mem, f.io,
        f.cache};
  endfunction

  function automatic dv_dev_control_t dv_dev_control_from(logic [15:0] word);
    return '{
      viral: word[14], clean_evict: word[11], sf_granularity: word[10:8], sf_coverage: word[7:3],
      mem: word[2], io: word[1], cache: word[0]
    };
  endfunction

  function automatic dv_dev_control_t dv_dev_control_written(
      dv_dev_control_t f, logic [15:0] wdata, logic [1:0] be, logic locked);
    dv_dev_control_t d;
    d = f;
    d.viral = locked ? f.viral : (be[1] ? wdata[14] : f.viral);
    d.mem = locked ? f.mem : (be[0] ? wdata[2] : f.mem);
    return d;
  endfunction

  typedef struct packed {
    logic viral;
  } dv_dev_status_t;

  parameter dv_dev_status_t DvDevStatusAtReset = '{viral: 1'h0};

  function automatic logic [15:0] dv_dev_status_word(dv_dev_status_t f);
    return {1'd0, f.viral, 14'd0};
  endfunction

  function automatic dv_dev_status_t dv_dev_status_from(logic [15:0] word);
    return '{viral: word[14]};
  endfunction

  function automatic dv_dev_status_t dv_dev_status_written(
      dv_dev_status_t f, logic [15:0] wdata, logic [1:0] be);
    dv_dev_status_t d;
    d = f;
    d.viral = be[1] ? f.viral & ~wdata[14] : f.viral;
    return d;
  endfunction

  typedef struct packed {
    logic reset_mem_clear;
    logic cxl_reset;
    logic write_back;
    logic disable_caching;
  } dv_dev_control2_t;

  parameter dv_dev_control2_t DvDevControl2AtReset = '{
    reset_mem_clear: 1'h0, cxl_reset: 1'h0, write_back: 1'h0, disable_caching: 1'h0
  };

  function automatic logic [15:0] dv_dev_control2_word(dv_dev_control2_t f);
    return {12'd0, f.reset_mem_clear, f.cxl_reset, f.write_back, f.disable_caching};
  endfunction

  function automatic dv_dev_control2_t dv_dev_control2_from(logic [15:0] word);
    return '{
      reset_mem_clear: word[3], cxl_reset: word[2], write_back: word[1], disable_caching: word[0]
    };
  endfunction

  typedef struct packed {
    logic pm_init;
    logic reset_error;
    logic reset_complete;
    logic cache_invalid;
  } dv_dev_status2_t;

  parameter dv_dev_status2_t DvDevStatus2AtReset = '{
    pm_init: 1'h1, reset_error: 1'h0, reset_complete: 1'h0, cache_invalid: 1'h0
  };

  function automatic logic [15:0] dv_dev_status2_word(dv_dev_status2_t f);
    return {f.pm_init, 12'd0, f.reset_error, f.reset_complete, f.cache_invalid};
  endfunction

  function automatic dv_dev_status2_t dv_dev_status2_from(logic [15:0] word);
    return '{
      pm_init: word[15], reset_error: word[2], reset_complete: word[1], cache_invalid: word[0]
    };
  endfunction

  typedef struct packed {
    logic config_lock;
  } dv_dev_lock_t;

  parameter dv_dev_lock_t DvDevLockAtReset = '{config_lock: 1'h0};

  function automatic logic [15:0] dv_dev_lock_word(dv_dev_lock_t f);
    return {15'd0, f.config_lock};
  endfunction

  function automatic dv_dev_lock_t dv_dev_lock_from(logic [15:0] word);
    return '{config_lock: word[0]};
  endfunction

  function automatic dv_dev_lock_t dv_dev_lock_written(
      dv_dev_lock_t f, logic [15:0] wdata, logic [1:0] be);
    dv_dev_lock_t d;
    d = f;
    d.config_lock = be[0] ? f.config_lock | wdata[0] : f.config_lock;
    return d;
  endfunction

  typedef struct packed {
    logic [7:0] size;
    logic [3:0] unit;
  } dv_dev_capability2_t;

  parameter dv_dev_capability2_t DvDevCapability2AtReset = '{size: 8'h0, unit: 4'h0};

  function automatic logic [15:0] dv_dev_capability2_word(dv_dev_capability2_t f);
    return {f.size, 4'd0, f.unit};
  endfunction

  function automatic dv_dev_capability2_t dv_dev_capability2_from(logic [15:0] word);
    return '{size: word[15:8], unit: word[3:0]};
  endfunction

  typedef struct packed {
    logic [31:0] size;
  } dv_dev_range_size_high_t;

  parameter dv_dev_range_size_high_t DvDevRangeSizeHighAtReset = '{size: 32'h0};

  function automatic logic [31:0] dv_dev_range_size_high_word(dv_dev_range_size_high_t f);
    return f.size;
  endfunction

  function automatic dv_dev_range_size_high_t dv_dev_range_size_high_from(logic [31:0] word);
    return '{size: word[31:0]};
  endfunction

  typedef struct packed {
    logic [3:0] size;
    logic [2:0] active_timeout;
    logic [4:0] interleave;
    logic [2:0] memory_class;
    logic [2:0] media_type;
    logic       active;
    logic       info_valid;
  } dv_dev_range_size_low_t;

  parameter dv_dev_range_size_low_t DvDevRangeSizeLowAtReset = '{
    size: 4'h0, active_timeout: 3'h0, interleave: 5'h0, memory_class: 3'h0, media_type: 3'h0,
    active: 1'h0, info_valid: 1'h0
  };

  function automatic logic [31:0] dv_dev_range_size_low_word(dv_dev_range_size_low_t f);
    return {f.size, 12'd0, f.active_timeout, f.interleave, f.memory_class, f.media_type, f.active,
        f.info_valid};
  endfunction

  function automatic dv_dev_range_size_low_t dv_dev_range_size_low_from(logic [31:0] word);
    return '{
      size: word[31:28], active_timeout: word[15:13], interleave: word[12:8],
      memory_class: word[7:5], media_type: word[4:2], active: word[1], info_valid: word[0]
    };
  endfunction

  typedef struct packed {
    logic [31:0] base;
  } dv_dev_range_base_high_t;

  parameter dv_dev_range_base_high_t DvDevRangeBaseHighAtReset = '{base: 32'h0};

  function automatic logic [31:0] dv_dev_range_base_high_word(dv_dev_range_base_high_t f);
    return f.base;
  endfunction

  function automatic dv_dev_range_base_high_t dv_dev_range_base_high_from(logic [31:0] word);
    return '{base: word[31:0]};
  endfunction

  function automatic dv_dev_range_base_high_t dv_dev_range_base_high_written(
      dv_dev_range_base_high_t f, logic [31:0] wdata, logic [3:0] be, logic locked);
    dv_dev_range_base_high_t d;
    d = f;
    d.base = locked ? f.base : {be[3] ? wdata[31:24] : f.base[31:24], be[2] ? wdata[23:16]
        : f.base[23:16], be[1] ? wdata[15:8] : f.base[15:8], be[0] ? wdata[7:0] : f.base[7:0]};
    return d;
  endfunction

  typedef struct packed {
    logic [3:0] base;
  } dv_dev_range_base_low_t;

  parameter dv_dev_range_base_low_t DvDevRangeBaseLowAtReset = '{base: 4'h0};

  function automatic logic [31:0] dv_dev_range_base_low_word(dv_dev_range_base_low_t f);
    return {f.base, 28'd0};
  endfunction

  function automatic dv_dev_range_base_low_t dv_dev_range_base_low_from(logic [31:0] word);
    return '{base: word[31:28]};
  endfunction

  function automatic dv_dev_range_base_low_t dv_dev_range_base_low_written(
      dv_dev_range_base_low_t f, logic [31:0] wdata, logic [3:0] be, logic locked);
    dv_dev_range_base_low_t d;
    d = f;
    d.base = locked ? f.base : (be[3] ? wdata[31:28] : f.base);
    return d;
  endfunction

  typedef struct packed {
    dv_dev_range_size_high_t size_high;
    dv_dev_range_size_low_t  size_low;
    dv_dev_range_base_high_t base_high;
    dv_dev_range_base_low_t  base_low;
  } dv_dev_range_t;

  parameter dv_dev_range_t DvDevRangeAtReset = '{
    size_high: DvDevRangeSizeHighAtReset, size_low: DvDevRangeSizeLowAtReset,
    base_high: DvDevRangeBaseHighAtReset, base_low: DvDevRangeBaseLowAtReset
  };

  function automatic logic [31:0] dv_dev_range_word(dv_dev_range_t r, logic [3:2] word);
    logic [31:0] data;
    data = '0;
    unique case (word)
      2'h0: data = dv_dev_range_size_high_word(r.size_high);
      2'h1: data = dv_dev_range_size_low_word(r.size_low);
      2'h2: data = dv_dev_range_base_high_word(r.base_high);
      default: data = dv_dev_range_base_low_word(r.base_low);
    endcase
    return data;
  endfunction

  typedef struct packed {
    dv_dev_cap_header_t   cap_header;
    dv_dev_dvsec_header_t dvsec_header;
    dv_dev_dvsec_id_t     dvsec_id;
    dv_dev_capability_t   capability;
    dv_dev_control_t      control;
    dv_dev_status_t       status;
    dv_dev_control2_t     control2;
    dv_dev_status2_t      status2;
    dv_dev_lock_t         lock;
    dv_dev_capability2_t  capability2;
    dv_dev_range_t [1:0]  range;
  } dv_dev_regs_t;

  parameter dv_dev_regs_t DvDevRegsAtReset = '{
    cap_header: DvDevCapHeaderAtReset, dvsec_header: DvDevDvsecHeaderAtReset,
    dvsec_id: DvDevDvsecIdAtReset, capability: DvDevCapabilityAtReset,
    control: DvDevControlAtReset, status: DvDevStatusAtReset, control2: DvDevControl2AtReset,
    status2: DvDevStatus2AtReset, lock: DvDevLockAtReset, capability2: DvDevCapability2AtReset,
    range: {2{DvDevRangeAtReset}}
  };

  function automatic logic [31:0] dv_dev_word(dv_dev_regs_t r, logic [11:2] word);
    logic [31:0] data;
    logic [11:2] range_at;  // words from the first range
    data = '0;
    range_at = word - 10'h006;
    unique case (word)
      10'h000: data = dv_dev_cap_header_word(r.cap_header);
      10'h001: data = dv_dev_dvsec_header_word(r.dvsec_header);
      10'h002: data = {dv_dev_capability_word(r.capability), dv_dev_dvsec_id_word(r.dvsec_id)};
      10'h003: data = {dv_dev_status_word(r.status), dv_dev_control_word(r.control)};
      10'h004: data = {dv_dev_status2_word(r.status2), dv_dev_control2_word(r.control2)};
      10'h005: data = {dv_dev_capability2_word(r.capability2), dv_dev_lock_word(r.lock)};
      default: begin
        if (range_at < 10'd8) begin
          data = dv_dev_range_word(r.range[range_at[4]], range_at[3:2]);
        end
      end
    endcase
    return data;
  endfunction

  // ---------------------------------------------------------------------------------------------
  // DVSEC 7, Flex Bus port
  // ---------------------------------------------------------------------------------------------
  typedef struct packed {
    logic [11:0] next;
    logic [3:0]  version;
    logic [15:0] id;
  } dv_flex_cap_header_t;

  parameter dv_flex_cap_header_t DvFlexCapHeaderAtReset = '{next: 12'h0, version: 4'h1, id: 16'h23};

  function automatic logic [31:0] dv_flex_cap_header_word(dv_flex_cap_header_t f);
    return {f.next, f.version, f.id};
  endfunction

  function automatic dv_flex_cap_header_t dv_flex_cap_header_from(logic [31:0] word);
    return '{next: word[31:20], version: word[19:16], id: word[15:0]};
  endfunction

  typedef struct packed {
    logic [11:0] length;
    logic [3:0]  revision;
    logic [15:0] vendor;
  } dv_flex_dvsec_header_t;

  parameter dv_flex_dvsec_header_t DvFlexDvsecHeaderAtReset = '{
    length: 12'h14, revision: 4'h1, vendor: 16'h1E98
  };

  function automatic logic [31:0] dv_flex_dvsec_header_word(dv_flex_dvsec_header_t f);
    return {f.length, f.revision, f.vendor};
  endfunction

  function automatic dv_flex_dvsec_header_t dv_flex_dvsec_header_from(logic [31:0] word);
    return '{length: word[31:20], revision: word[19:16], vendor: word[15:0]};
  endfunction

  typedef struct packed {
    logic [15:0] id;
  } dv_flex_dvsec_id_t;

  parameter dv_flex_dvsec_id_t DvFlexDvsecIdAtReset = '{id: 16'h7};

  function automatic logic [15:0] dv_flex_dvsec_id_word(dv_flex_dvsec_id_t f);
    return f.id;
  endfunction

  function automatic dv_flex_dvsec_id_t dv_flex_dvsec_id_from(logic [15:0] word);
    return '{id: word[15:0]};
  endfunction

  typedef struct packed {
    logic mld;
    logic cxl2;
    logic mem;
    logic io;
    logic cache;
  } dv_flex_capability_t;

  parameter dv_flex_capability_t DvFlexCapabilityAtReset = '{
    mld: 1'h0, cxl2: 1'h1, mem: 1'h1, io: 1'h1, cache: 1'h0
  };

  function automatic logic [15:0] dv_flex_capability_word(dv_flex_capability_t f);
    return {9'd0, f.mld, f.cxl2, 2'd0, f.mem, f.io, f.cache};
  endfunction

  function automatic dv_flex_capability_t dv_flex_capability_from(logic [15:0] word);
    return '{mld: word[6], cxl2: word[5], mem: word[2], io: word[1], cache: word[0]};
  endfunction

  typedef struct packed {
    logic retimer2;
    logic retimer1;
    logic disable_cxl1;
    logic mld;
    logic cxl2;
    logic drift_buffer;
    logic sync_bypass;
    logic mem;
    logic io;
    logic cache;
  } dv_flex_control_t;

  parameter dv_flex_control_t DvFlexControlHostAtReset = '{
    retimer2: 1'h0, retimer1: 1'h0, disable_cxl1: 1'h0, mld: 1'h0, cxl2: 1'h1, drift_buffer: 1'h0,
    sync_bypass: 1'h0, mem: 1'h1, io: 1'h1, cache: 1'h0
  };
  parameter dv_flex_control_t DvFlexControlDeviceAtReset = '{
    retimer2: 1'h0, retimer1: 1'h0, disable_cxl1: 1'h0, mld: 1'h0, cxl2: 1'h0, drift_buffer: 1'h0,
    sync_bypass: 1'h0, mem: 1'h0, io: 1'h0, cache: 1'h0
  };

  function automatic logic [15:0] dv_flex_control_word(dv_flex_control_t f);
    return {6'd0, f.retimer2, f.retimer1, f.disable_cxl1, f.mld, f.cxl2, f.drift_buffer,
        f.sync_bypass, f.mem, f.io, f.cache} | {6'd0, f.retimer2, f.retimer1, f.disable_cxl1, f.mld,
        1'd0, f.drift_buffer, f.sync_bypass, 2'd0, f.cache};
  endfunction

  function automatic dv_flex_control_t dv_flex_control_written(
      dv_flex_control_t f, logic [15:0] wdata, logic [1:0] be, logic device);
    dv_flex_control_t d;
    d = f;
    d.cxl2 = device ? f.cxl2 : (be[0] ? wdata[5] : f.cxl2);
    d.mem = device ? f.mem : (be[0] ? wdata[2] : f.mem);
    return d;
  endfunction

  typedef struct packed {
    logic phase2_mismatch;
    logic retimer_mismatch;
    logic id_unexpected;
    logic id_uncorrectable;
    logic id_correctable;
    logic mld;
    logic cxl2;
    logic drift_buffer;
    logic sync_bypass;
    logic mem;
    logic io;
    logic cache;
  } dv_flex_status_t;

  parameter dv_flex_status_t DvFlexStatusAtReset = '{
    phase2_mismatch: 1'h0, retimer_mismatch: 1'h0, id_unexpected: 1'h0, id_uncorrectable: 1'h0,
    id_correctable: 1'h0, mld: 1'h0, cxl2: 1'h0, drift_buffer: 1'h0, sync_bypass: 1'h0, mem: 1'h0,
    io: 1'h0, cache: 1'h0
  };

  function automatic logic [15:0] dv_flex_status_word(dv_flex_status_t f);
    return {3'd0, f.phase2_mismatch, f.retimer_mismatch, f.id_unexpected, f.id_uncorrectable,
        f.id_correctable, 1'd0, f.mld, f.cxl2, f.drift_buffer, f.sync_bypass, f.mem, f.io, f.cache};
  endfunction

  function automatic dv_flex_status_t dv_flex_status_from(logic [15:0] word);
    return '{
      phase2_mismatch: word[12], retimer_mismatch: word[11], id_unexpected: word[10],
      id_uncorrectable: word[9], id_correctable: word[8], mld: word[6], cxl2: word[5],
      drift_buffer: word[4], sync_bypass: word[3], mem: word[2], io: word[1], cache: word[0]
    };
  endfunction

  function automatic dv_flex_status_t dv_flex_status_written(
      dv_flex_status_t f, logic [15:0] wdata, logic [1:0] be);
    dv_flex_status_t d;
    d = f;
    d.id_unexpected = be[1] ? f.id_unexpected & ~wdata[10] : f.id_unexpected;
    d.id_uncorrectable = be[1] ? f.id_uncorrectable & ~wdata[9] : f.id_uncorrectable;
    d.id_correctable = be[1] ? f.id_correctable & ~wdata[8] : f.id_correctable;
    return d;
  endfunction

  typedef struct packed {
    logic [23:0] received;
  } dv_flex_ts_data_t;

  parameter dv_flex_ts_data_t DvFlexTsDataAtReset = '{received: 24'h0};

  function automatic logic [31:0] dv_flex_ts_data_word(dv_flex_ts_data_t f);
    return {8'd0, f.received};
  endfunction

  function automatic dv_flex_ts_data_t dv_flex_ts_data_from(logic [31:0] word);
    return '{received: word[23:0]};
  endfunction

  typedef struct packed {
    dv_flex_cap_header_t   cap_header;
    dv_flex_dvsec_header_t dvsec_header;
    dv_flex_dvsec_id_t     dvsec_id;
    dv_flex_capability_t   capability;
    dv_flex_control_t      control;
    dv_flex_status_t       status;
    dv_flex_ts_data_t      ts_data;
  } dv_flex_regs_t;

  parameter dv_flex_regs_t DvFlexRegsHostAtReset = '{
    cap_header: DvFlexCapHeaderAtReset, dvsec_header: DvFlexDvsecHeaderAtReset,
    dvsec_id: DvFlexDvsecIdAtReset, capability: DvFlexCapabilityAtReset,
    control: DvFlexControlHostAtReset, status: DvFlexStatusAtReset, ts_data: DvFlexTsDataAtReset
  };
  parameter dv_flex_regs_t DvFlexRegsDeviceAtReset = '{
    cap_header: DvFlexCapHeaderAtReset, dvsec_header: DvFlexDvsecHeaderAtReset,
    dvsec_id: DvFlexDvsecIdAtReset, capability: DvFlexCapabilityAtReset,
    control: DvFlexControlDeviceAtReset, status: DvFlexStatusAtReset, ts_data: DvFlexTsDataAtReset
  };

  function automatic logic [31:0] dv_flex_word(dv_flex_regs_t r, logic [11:2] word);
    logic [31:0] data;
    data = '0;
    unique case (word)
      10'h000: data = dv_flex_cap_header_word(r.cap_header);
      10'h001: data = dv_flex_dvsec_header_word(r.dvsec_header);
      10'h002: data = {dv_flex_capability_word(r.capability), dv_flex_dvsec_id_word(r.dvsec_id)};
      10'h003: data = {dv_flex_status_word(r.status), dv_flex_control_word(r.control)};
      10'h004: data = dv_flex_ts_data_word(r.ts_data);
      default: ;
    endcase
    return data;
  endfunction

  // ---------------------------------------------------------------------------------------------
  // DVSEC 5, GPF for CXL device
  // ---------------------------------------------------------------------------------------------
  typedef struct packed {
    logic [11:0] next;
    logic [3:0]  version;
    logic [15:0] id;
  } dv_gpf_dev_cap_header_t;

  parameter dv_gpf_dev_cap_header_t DvGpfDevCapHeaderAtReset = '{
    next: 12'h1B0, version: 4'h1, id: 16'h23
  };

  function automatic logic [31:0] dv_gpf_dev_cap_header_word(dv_gpf_dev_cap_header_t f);
    return {f.next, f.version, f.id};
  endfunction

  function automatic dv_gpf_dev_cap_header_t dv_gpf_dev_cap_header_from(logic [31:0] word);
    return '{next: word[31:20], version: word[19:16], id: word[15:0]};
  endfunction

  typedef struct packed {
    logic [11:0] length;
    logic [3:0]  revision;
    logic [15:0] vendor;
  } dv_gpf_dev_dvsec_header_t;

  parameter dv_gpf_dev_dvsec_header_t DvGpfDevDvsecHeaderAtReset = '{
    length: 12'h10, revision: 4'h0, vendor: 16'h1E98
  };

  function automatic logic [31:0] dv_gpf_dev_dvsec_header_word(dv_gpf_dev_dvsec_header_t f);
    return {f.length, f.revision, f.vendor};
  endfunction

  function automatic dv_gpf_dev_dvsec_header_t dv_gpf_dev_dvsec_header_from(logic [31:0] word);
    return '{length: word[31:20], revision: word[19:16], vendor: word[15:0]};
  endfunction

  typedef struct packed {
    logic [15:0] id;
  } dv_gpf_dev_dvsec_id_t;

  parameter dv_gpf_dev_dvsec_id_t DvGpfDevDvsecIdAtReset = '{id: 16'h5};

  function automatic logic [15:0] dv_gpf_dev_dvsec_id_word(dv_gpf_dev_dvsec_id_t f);
    return f.id;
  endfunction

  function automatic dv_gpf_dev_dvsec_id_t dv_gpf_dev_dvsec_id_from(logic [15:0] word);
    return '{id: word[15:0]};
  endfunction

  typedef struct packed {
    logic [3:0] scale;
    logic [3:0] base;
  } dv_gpf_dev_duration_t;

  parameter dv_gpf_dev_duration_t DvGpfDevDurationAtReset = '{scale: 4'h0, base: 4'h0};

  function automatic logic [15:0] dv_gpf_dev_duration_word(dv_gpf_dev_duration_t f);
    return {4'd0, f.scale, 4'd0, f.base};
  endfunction

  function automatic dv_gpf_dev_duration_t dv_gpf_dev_duration_from(logic [15:0] word);
    return '{scale: word[11:8], base: word[3:0]};
  endfunction

  typedef struct packed {
    logic [31:0] power;
  } dv_gpf_dev_power_t;

  parameter dv_gpf_dev_power_t DvGpfDevPowerAtReset = '{power: 32'h0};

  function automatic logic [31:0] dv_gpf_dev_power_word(dv_gpf_dev_power_t f);
    return f.power;
  endfunction

  function automatic dv_gpf_dev_power_t dv_gpf_dev_power_from(logic [31:0] word);
    return '{power: word[31:0]};
  endfunction

  typedef struct packed {
    dv_gpf_dev_cap_header_t   cap_header;
    dv_gpf_dev_dvsec_header_t dvsec_header;
    dv_gpf_dev_dvsec_id_t     dvsec_id;
    dv_gpf_dev_duration_t     duration;
    dv_gpf_dev_power_t        power;
  } dv_gpf_dev_regs_t;

  parameter dv_gpf_dev_regs_t DvGpfDevRegsAtReset = '{
    cap_header: DvGpfDevCapHeaderAtReset, dvsec_header: DvGpfDevDvsecHeaderAtReset,
    dvsec_id: DvGpfDevDvsecIdAtReset, duration: DvGpfDevDurationAtReset,
    power: DvGpfDevPowerAtReset
  };

  function automatic logic [31:0] dv_gpf_dev_word(dv_gpf_dev_regs_t r, logic [11:2] word);
    logic [31:0] data;
    data = '0;
    unique case (word)
      10'h000: data = dv_gpf_dev_cap_header_word(r.cap_header);
      10'h001: data = dv_gpf_dev_dvsec_header_word(r.dvsec_header);
      10'h002: data = {dv_gpf_dev_duration_word(r.duration), dv_gpf_dev_dvsec_id_word(r.dvsec_id)};
      10'h003: data = dv_gpf_dev_power_word(r.power);
      default: ;
    endcase
    return data;
  endfunction

  // ---------------------------------------------------------------------------------------------
  // DVSEC 4, GPF for ports
  // ---------------------------------------------------------------------------------------------
  typedef struct packed {
    logic [11:0] next;
    logic [3:0]  version;
    logic [15:0] id;
  } dv_gpf_port_cap_header_t;

  parameter dv_gpf_port_cap_header_t DvGpfPortCapHeaderAtReset = '{
    next: 12'h0, version: 4'h1, id: 16'h23
  };

  function automatic logic [31:0] dv_gpf_port_cap_header_word(dv_gpf_port_cap_header_t f);
    return {f.next, f.version, f.id};
  endfunction

  function automatic dv_gpf_port_cap_header_t dv_gpf_port_cap_header_from(logic [31:0] word);
    return '{next: word[31:20], version: word[19:16], id: word[15:0]};
  endfunction

  typedef struct packed {
    logic [11:0] length;
    logic [3:0]  revision;
    logic [15:0] vendor;
  } dv_gpf_port_dvsec_header_t;

  parameter dv_gpf_port_dvsec_header_t DvGpfPortDvsecHeaderAtReset = '{
    length: 12'h10, revision: 4'h0, vendor: 16'h1E98
  };

  function automatic logic [31:0] dv_gpf_port_dvsec_header_word(dv_gpf_port_dvsec_header_t f);
    return {f.length, f.revision, f.vendor};
  endfunction

  function automatic dv_gpf_port_dvsec_header_t dv_gpf_port_dvsec_header_from(logic [31:0] word);
    return '{length: word[31:20], revision: word[19:16], vendor: word[15:0]};
  endfunction

  typedef struct packed {
    logic [15:0] id;
  } dv_gpf_port_dvsec_id_t;

  parameter dv_gpf_port_dvsec_id_t DvGpfPortDvsecIdAtReset = '{id: 16'h4};

  function automatic logic [15:0] dv_gpf_port_dvsec_id_word(dv_gpf_port_dvsec_id_t f);
    return f.id;
  endfunction

  function automatic dv_gpf_port_dvsec_id_t dv_gpf_port_dvsec_id_from(logic [15:0] word);
    return '{id: word[15:0]};
  endfunction

  typedef struct packed {
    logic [3:0] scale;
    logic [3:0] base;
  } dv_gpf_port_phase_1_t;

  parameter dv_gpf_port_phase_1_t DvGpfPortPhase1AtReset = '{scale: 4'h0, base: 4'h0};

  function automatic logic [15:0] dv_gpf_port_phase_1_word(dv_gpf_port_phase_1_t f);
    return {4'd0, f.scale, 4'd0, f.base};
  endfunction

  function automatic dv_gpf_port_phase_1_t dv_gpf_port_phase_1_from(logic [15:0] word);
    return '{scale: word[11:8], base: word[3:0]};
  endfunction

  function automatic dv_gpf_port_phase_1_t dv_gpf_port_phase_1_written(
      dv_gpf_port_phase_1_t f, logic [15:0] wdata, logic [1:0] be);
    dv_gpf_port_phase_1_t d;
    d = f;
    d.scale = be[1] ? wdata[11:8] : f.scale;
    d.base = be[0] ? wdata[3:0] : f.base;
    return d;
  endfunction

  typedef struct packed {
    logic [3:0] scale;
    logic [3:0] base;
  } dv_gpf_port_phase_2_t;

  parameter dv_gpf_port_phase_2_t DvGpfPortPhase2AtReset = '{scale: 4'h0, base: 4'h0};

  function automatic logic [15:0] dv_gpf_port_phase_2_word(dv_gpf_port_phase_2_t f);
    return {4'd0, f.scale, 4'd0, f.base};
  endfunction

  function automatic dv_gpf_port_phase_2_t dv_gpf_port_phase_2_from(logic [15:0] word);
    return '{scale: word[11:8], base: word[3:0]};
  endfunction

  function automatic dv_gpf_port_phase_2_t dv_gpf_port_phase_2_written(
      dv_gpf_port_phase_2_t f, logic [15:0] wdata, logic [1:0] be);
    dv_gpf_port_phase_2_t d;
    d = f;
    d.scale = be[1] ? wdata[11:8] : f.scale;
    d.base = be[0] ? wdata[3:0] : f.base;
    return d;
  endfunction

  typedef struct packed {
    dv_gpf_port_cap_header_t   cap_header;
    dv_gpf_port_dvsec_header_t dvsec_header;
    dv_gpf_port_dvsec_id_t     dvsec_id;
    dv_gpf_port_phase_1_t      phase_1;
    dv_gpf_port_phase_2_t      phase_2;
  } dv_gpf_port_regs_t;

  parameter dv_gpf_port_regs_t DvGpfPortRegsAtReset = '{
    cap_header: DvGpfPortCapHeaderAtReset, dvsec_header: DvGpfPortDvsecHeaderAtReset,
    dvsec_id: DvGpfPortDvsecIdAtReset, phase_1: DvGpfPortPhase1AtReset,
    phase_2: DvGpfPortPhase2AtReset
  };

  function automatic logic [31:0] dv_gpf_port_word(dv_gpf_port_regs_t r, logic [11:2] word);
    logic [31:0] data;
    data = '0;
    unique case (word)
      10'h000: data = dv_gpf_port_cap_header_word(r.cap_header);
      10'h001: data = dv_gpf_port_dvsec_header_word(r.dvsec_header);
      10'h002: data = {16'd0, dv_gpf_port_dvsec_id_word(r.dvsec_id)};
      10'h003: data = {dv_gpf_port_phase_2_word(r.phase_2), dv_gpf_port_phase_1_word(r.phase_1)};
      default: ;
    endcase
    return data;
  endfunction

  // ---------------------------------------------------------------------------------------------
  // DVSEC 8, register locator
  // ---------------------------------------------------------------------------------------------
  typedef struct packed {
    logic [11:0] next;
    logic [3:0]  version;
    logic [15:0] id;
  } dv_loc_cap_header_t;

  parameter dv_loc_cap_header_t DvLocCapHeaderAtReset = '{next: 12'h0, version: 4'h1, id: 16'h23};

  function automatic logic [31:0] dv_loc_cap_header_word(dv_loc_cap_header_t f);
    return {f.next, f.version, f.id};
  endfunction

  function automatic dv_loc_cap_header_t dv_loc_cap_header_from(logic [31:0] word);
    return '{next: word[31:20], version: word[19:16], id: word[15:0]};
  endfunction

  typedef struct packed {
    logic [11:0] length;
    logic [3:0]  revision;
    logic [15:0] vendor;
  } dv_loc_dvsec_header_t;

  parameter dv_loc_dvsec_header_t DvLocDvsecHeaderAtReset = '{
    length: 12'h0, revision: 4'h0, vendor: 16'h1E98
  };

  function automatic logic [31:0] dv_loc_dvsec_header_word(dv_loc_dvsec_header_t f);
    return {f.length, f.revision, f.vendor};
  endfunction

  function automatic dv_loc_dvsec_header_t dv_loc_dvsec_header_from(logic [31:0] word);
    return '{length: word[31:20], revision: word[19:16], vendor: word[15:0]};
  endfunction

  typedef struct packed {
    logic [15:0] id;
  } dv_loc_dvsec_id_t;

  parameter dv_loc_dvsec_id_t DvLocDvsecIdAtReset = '{id: 16'h8};

  function automatic logic [15:0] dv_loc_dvsec_id_word(dv_loc_dvsec_id_t f);
    return f.id;
  endfunction

  function automatic dv_loc_dvsec_id_t dv_loc_dvsec_id_from(logic [15:0] word);
    return '{id: word[15:0]};
  endfunction

  typedef struct packed {
    logic [15:0] offset;
    logic [7:0]  id;
    logic [2:0]  bir;
  } dv_loc_entry_low_t;

  parameter dv_loc_entry_low_t DvLocEntryLowAtReset = '{offset: 16'h0, id: 8'h1, bir: 3'h0};

  function automatic logic [31:0] dv_loc_entry_low_word(dv_loc_entry_low_t f);
    return {f.offset, f.id, 5'd0, f.bir};
  endfunction

  function automatic dv_loc_entry_low_t dv_loc_entry_low_from(logic [31:0] word);
    return '{offset: word[31:16], id: word[15:8], bir: word[2:0]};
  endfunction

  typedef struct packed {
    logic [31:0] offset;
  } dv_loc_entry_high_t;

  parameter dv_loc_entry_high_t DvLocEntryHighAtReset = '{offset: 32'h0};

  function automatic logic [31:0] dv_loc_entry_high_word(dv_loc_entry_high_t f);
    return f.offset;
  endfunction

  function automatic dv_loc_entry_high_t dv_loc_entry_high_from(logic [31:0] word);
    return '{offset: word[31:0]};
  endfunction

  typedef struct packed {
    logic [15:0] offset;
    logic [7:0]  id;
    logic [2:0]  bir;
  } dv_loc_device_entry_low_t;

  parameter dv_loc_device_entry_low_t DvLocDeviceEntryLowHostAtReset = '{
    offset: 16'h0, id: 8'h0, bir: 3'h0
  };
  parameter dv_loc_device_entry_low_t DvLocDeviceEntryLowDeviceAtReset = '{
    offset: 16'h2, id: 8'h3, bir: 3'h0
  };

  function automatic logic [31:0] dv_loc_device_entry_low_word(dv_loc_device_entry_low_t f);
    return 32'd0 | {f.offset, f.id, 5'd0, f.bir};
  endfunction

  typedef struct packed {
    logic [31:0] offset;
  } dv_loc_device_entry_high_t;

  parameter dv_loc_device_entry_high_t DvLocDeviceEntryHighHostAtReset = '{offset: 32'h0};
  parameter dv_loc_device_entry_high_t DvLocDeviceEntryHighDeviceAtReset = '{offset: 32'h0};

  function automatic logic [31:0] dv_loc_device_entry_high_word(dv_loc_device_entry_high_t f);
    return 32'd0 | f.offset;
  endfunction

  typedef struct packed {
    dv_loc_entry_low_t  low;
    dv_loc_entry_high_t high;
  } dv_loc_entry_t;

  parameter dv_loc_entry_t DvLocEntryAtReset = '{
    low: DvLocEntryLowAtReset, high: DvLocEntryHighAtReset
  };

  function automatic logic [31:0] dv_loc_entry_word(dv_loc_entry_t r, logic [2:2] word);
    logic [31:0] data;
    data = '0;
    unique case (word)
      1'h0: data = dv_loc_entry_low_word(r.low);
      default: data = dv_loc_entry_high_word(r.high);
    endcase
    return data;
  endfunction

  typedef struct packed {
    dv_loc_device_entry_low_t  low;
    dv_loc_device_entry_high_t high;
  } dv_loc_device_entry_t;

  parameter dv_loc_device_entry_t DvLocDeviceEntryHostAtReset = '{
    low: DvLocDeviceEntryLowHostAtReset, high: DvLocDeviceEntryHighHostAtReset
  };
  parameter dv_loc_device_entry_t DvLocDeviceEntryDeviceAtReset = '{
    low: DvLocDeviceEntryLowDeviceAtReset, high: DvLocDeviceEntryHighDeviceAtReset
  };

  function automatic logic [31:0] dv_loc_device_entry_word(
      dv_loc_device_entry_t r, logic [2:2] word);
    logic [31:0] data;
    data = '0;
    unique case (word)
      1'h0: data = dv_loc_device_entry_low_word(r.low);
      default: data = dv_loc_device_entry_high_word(r.high);
    endcase
    return data;
  endfunction

  typedef struct packed {
    dv_loc_cap_header_t         cap_header;
    dv_loc_dvsec_header_t       dvsec_header;
    dv_loc_dvsec_id_t           dvsec_id;
    dv_loc_entry_t [0:0]        entry;
    dv_loc_device_entry_t [0:0] device_entry;
  } dv_loc_regs_t;

  parameter dv_loc_regs_t DvLocRegsHostAtReset = '{
    cap_header: DvLocCapHeaderAtReset, dvsec_header: DvLocDvsecHeaderAtReset,
    dvsec_id: DvLocDvsecIdAtReset, entry: {1{DvLocEntryAtReset}},
    device_entry: {1{DvLocDeviceEntryHostAtReset}}
  };
  parameter dv_loc_regs_t DvLocRegsDeviceAtReset = '{
    cap_header: DvLocCapHeaderAtReset, dvsec_header: DvLocDvsecHeaderAtReset,
    dvsec_id: DvLocDvsecIdAtReset, entry: {1{DvLocEntryAtReset}},
    device_entry: {1{DvLocDeviceEntryDeviceAtReset}}
  };

  function automatic logic [31:0] dv_loc_word(dv_loc_regs_t r, logic [11:2] word);
    logic [31:0] data;
    logic [11:2] entry_at;  // words from the first entry
    logic [11:2] device_entry_at;  // words from the first device_entry
    data = '0;
    entry_at = word - 10'h003;
    device_entry_at = word - 10'h005;
    unique case (word)
      10'h000: data = dv_loc_cap_header_word(r.cap_header);
      10'h001: data = dv_loc_dvsec_header_word(r.dvsec_header);
      10'h002: data = {16'd0, dv_loc_dvsec_id_word(r.dvsec_id)};
      default: begin
        if (entry_at < 10'd2) begin
          data = dv_loc_entry_word(r.entry[0], entry_at[2:2]);
        end
        if (device_entry_at < 10'd2) begin
          data = dv_loc_device_entry_word(r.device_entry[0], device_entry_at[2:2]);
        end
      end
    endcase
    return data;
  endfunction

  // ---------------------------------------------------------------------------------------------
  // DVSEC 3, CXL extensions for ports
  // ---------------------------------------------------------------------------------------------
  typedef struct packed {
    logic [11:0] next;
    logic [3:0]  version;
    logic [15:0] id;
  } dv_port_cap_header_t;

  parameter dv_port_cap_header_t DvPortCapHeaderAtReset = '{next: 12'h0, version: 4'h1, id: 16'h23};

  function automatic logic [31:0] dv_port_cap_header_word(dv_port_cap_header_t f);
    return {f.next, f.version, f.id};
  endfunction

  function automatic dv_port_cap_header_t dv_port_cap_header_from(logic [31:0] word);
    return '{next: word[31:20], version: word[19:16], id: word[15:0]};
  endfunction

  typedef struct packed {
    logic [11:0] length;
    logic [3:0]  revision;
    logic [15:0] vendor;
  } dv_port_dvsec_header_t;

  parameter dv_port_dvsec_header_t DvPortDvsecHeaderAtReset = '{
    length: 12'h28, revision: 4'h0, vendor: 16'h1E98
  };

  function automatic logic [31:0] dv_port_dvsec_header_word(dv_port_dvsec_header_t f);
    return {f.length, f.revision, f.vendor};
  endfunction

  function automatic dv_port_dvsec_header_t dv_port_dvsec_header_from(logic [31:0] word);
    return '{length: word[31:20], revision: word[19:16], vendor: word[15:0]};
  endfunction

  typedef struct packed {
    logic [15:0] id;
  } dv_port_dvsec_id_t;

  parameter dv_port_dvsec_id_t DvPortDvsecIdAtReset = '{id: 16'h3};

  function automatic logic [15:0] dv_port_dvsec_id_word(dv_port_dvsec_id_t f);
    return f.id;
  endfunction

  function automatic dv_port_dvsec_id_t dv_port_dvsec_id_from(logic [15:0] word);
    return '{id: word[15:0]};
  endfunction

  typedef struct packed {
    logic viral;
    logic pm_init;
  } dv_port_status_t;

  parameter dv_port_status_t DvPortStatusAtReset = '{viral: 1'h0, pm_init: 1'h0};

  function automatic logic [15:0] dv_port_status_word(dv_port_status_t f);
    return {1'd0, f.viral, 13'd0, f.pm_init};
  endfunction

  function automatic dv_port_status_t dv_port_status_from(logic [15:0] word);
    return '{viral: word[14], pm_init: word[0]};
  endfunction

  typedef struct packed {
    logic viral;
    logic alt_bme;
    logic alt_memory;
    logic unmask_link_disable;
    logic unmask_sbr;
  } dv_port_control_t;

  parameter dv_port_control_t DvPortControlAtReset = '{
    viral: 1'h0, alt_bme: 1'h0, alt_memory: 1'h0, unmask_link_disable: 1'h0, unmask_sbr: 1'h0
  };

  function automatic logic [15:0] dv_port_control_word(dv_port_control_t f);
    return {1'd0, f.viral, 10'd0, f.alt_bme, f.alt_memory, f.unmask_link_disable, f.unmask_sbr};
  endfunction

  function automatic dv_port_control_t dv_port_control_from(logic [15:0] word);
    return '{
      viral: word[14], alt_bme: word[3], alt_memory: word[2], unmask_link_disable: word[1],
      unmask_sbr: word[0]
    };
  endfunction

  function automatic dv_port_control_t dv_port_control_written(
      dv_port_control_t f, logic [15:0] wdata, logic [1:0] be);
    dv_port_control_t d;
    d = f;
    d.alt_bme = be[0] ? wdata[3] : f.alt_bme;
    d.alt_memory = be[0] ? wdata[2] : f.alt_memory;
    d.unmask_link_disable = be[0] ? wdata[1] : f.unmask_link_disable;
    d.unmask_sbr = be[0] ? wdata[0] : f.unmask_sbr;
    return d;
  endfunction

  typedef struct packed {
    logic [7:0] bus;
  } dv_port_alt_bus_base_t;

  parameter dv_port_alt_bus_base_t DvPortAltBusBaseAtReset = '{bus: 8'h0};

  function automatic logic [7:0] dv_port_alt_bus_base_word(dv_port_alt_bus_base_t f);
    return f.bus;
  endfunction

  function automatic dv_port_alt_bus_base_t dv_port_alt_bus_base_from(logic [7:0] word);
    return '{bus: word[7:0]};
  endfunction

  function automatic dv_port_alt_bus_base_t dv_port_alt_bus_base_written(
      dv_port_alt_bus_base_t f, logic [7:0] wdata, logic be);
    dv_port_alt_bus_base_t d;
    d = f;
    d.bus = be ? wdata[7:0] : f.bus;
    return d;
  endfunction

  typedef struct packed {
    logic [7:0] bus;
  } dv_port_alt_bus_limit_t;

  parameter dv_port_alt_bus_limit_t DvPortAltBusLimitAtReset = '{bus: 8'h0};

  function automatic logic [7:0] dv_port_alt_bus_limit_word(dv_port_alt_bus_limit_t f);
    return f.bus;
  endfunction

  function automatic dv_port_alt_bus_limit_t dv_port_alt_bus_limit_from(logic [7:0] word);
    return '{bus: word[7:0]};
  endfunction

  function automatic dv_port_alt_bus_limit_t dv_port_alt_bus_limit_written(
      dv_port_alt_bus_limit_t f, logic [7:0] wdata, logic be);
    dv_port_alt_bus_limit_t d;
    d = f;
    d.bus = be ? wdata[7:0] : f.bus;
    return d;
  endfunction

  typedef struct packed {
    logic [11:0] base;
  } dv_port_alt_mem_base_t;

  parameter dv_port_alt_mem_base_t DvPortAltMemBaseAtReset = '{base: 12'h0};

  function automatic logic [15:0] dv_port_alt_mem_base_word(dv_port_alt_mem_base_t f);
    return {f.base, 4'd0};
  endfunction

  function automatic dv_port_alt_mem_base_t dv_port_alt_mem_base_from(logic [15:0] word);
    return '{base: word[15:4]};
  endfunction

  function automatic dv_port_alt_mem_base_t dv_port_alt_mem_base_written(
      dv_port_alt_mem_base_t f, logic [15:0] wdata, logic [1:0] be);
    dv_port_alt_mem_base_t d;
    d = f;
    d.base = {be[1] ? wdata[15:8] : f.base[11:4], be[0] ? wdata[7:4] : f.base[3:0]};
    return d;
  endfunction

  typedef struct packed {
    logic [11:0] limit;
  } dv_port_alt_mem_limit_t;

  parameter dv_port_alt_mem_limit_t DvPortAltMemLimitAtReset = '{limit: 12'h0};

  function automatic logic [15:0] dv_port_alt_mem_limit_word(dv_port_alt_mem_limit_t f);
    return {f.limit, 4'd0};
  endfunction

  function automatic dv_port_alt_mem_limit_t dv_port_alt_mem_limit_from(logic [15:0] word);
    return '{limit: word[15:4]};
  endfunction

  function automatic dv_port_alt_mem_limit_t dv_port_alt_mem_limit_written(
      dv_port_alt_mem_limit_t f, logic [15:0] wdata, logic [1:0] be);
    dv_port_alt_mem_limit_t d;
    d = f;
    d.limit = {be[1] ? wdata[15:8] : f.limit[11:4], be[0] ? wdata[7:4] : f.limit[3:0]};
    return d;
  endfunction

  typedef struct packed {
    logic [11:0] base;
    logic        wide;
  } dv_port_alt_pre_base_t;

  parameter dv_port_alt_pre_base_t DvPortAltPreBaseAtReset = '{base: 12'h0, wide: 1'h1};

  function automatic logic [15:0] dv_port_alt_pre_base_word(dv_port_alt_pre_base_t f);
    return {f.base, 3'd0, f.wide};
  endfunction

  function automatic dv_port_alt_pre_base_t dv_port_alt_pre_base_from(logic [15:0] word);
    return '{base: word[15:4], wide: word[0]};
  endfunction

  function automatic dv_port_alt_pre_base_t dv_port_alt_pre_base_written(
      dv_port_alt_pre_base_t f, logic [15:0] wdata, logic [1:0] be);
    dv_port_alt_pre_base_t d;
    d = f;
    d.base = {be[1] ? wdata[15:8] : f.base[11:4], be[0] ? wdata[7:4] : f.base[3:0]};
    return d;
  endfunction

  typedef struct packed {
    logic [11:0] limit;
    logic        wide;
  } dv_port_alt_pre_limit_t;

  parameter dv_port_alt_pre_limit_t DvPortAltPreLimitAtReset = '{limit: 12'h0, wide: 1'h1};

  function automatic logic [15:0] dv_port_alt_pre_limit_word(dv_port_alt_pre_limit_t f);
    return {f.limit, 3'd0, f.wide};
  endfunction

  function automatic dv_port_alt_pre_limit_t dv_port_alt_pre_limit_from(logic [15:0] word);
    return '{limit: word[15:4], wide: word[0]};
  endfunction

  function automatic dv_port_alt_pre_limit_t dv_port_alt_pre_limit_written(
      dv_port_alt_pre_limit_t f, logic [15:0] wdata, logic [1:0] be);
    dv_port_alt_pre_limit_t d;
    d = f;
    d.limit = {be[1] ? wdata[15:8] : f.limit[11:4], be[0] ? wdata[7:4] : f.limit[3:0]};
    return d;
  endfunction

  typedef struct packed {
    logic [31:0] base;
  } dv_port_alt_pre_base_high_t;

  parameter dv_port_alt_pre_base_high_t DvPortAltPreBaseHighAtReset = '{base: 32'h0};

  function automatic logic [31:0] dv_port_alt_pre_base_high_word(dv_port_alt_pre_base_high_t f);
    return f.base;
  endfunction

  function automatic dv_port_alt_pre_base_high_t dv_port_alt_pre_base_high_from(logic [31:0] word);
    return '{base: word[31:0]};
  endfunction

  function automatic dv_port_alt_pre_base_high_t dv_port_alt_pre_base_high_written(
      dv_port_alt_pre_base_high_t f, logic [31:0] wdata, logic [3:0] be);
    dv_port_alt_pre_base_high_t d;
    d = f;
    d.base = {be[3] ? wdata[31:24] : f.base[31:24], be[2] ? wdata[23:16] : f.base[23:16], be[1]
        ? wdata[15:8] : f.base[15:8], be[0] ? wdata[7:0] : f.base[7:0]};
    return d;
  endfunction

  typedef struct packed {
    logic [31:0] limit;
  } dv_port_alt_pre_limit_high_t;

  parameter dv_port_alt_pre_limit_high_t DvPortAltPreLimitHighAtReset = '{limit: 32'h0};

  function automatic logic [31:0] dv_port_alt_pre_limit_high_word(dv_port_alt_pre_limit_high_t f);
    return f.limit;
  endfunction

  function automatic dv_port_alt_pre_limit_high_t dv_port_alt_pre_limit_high_from(
      logic [31:0] word);
    return '{limit: word[31:0]};
  endfunction

  function automatic dv_port_alt_pre_limit_high_t dv_port_alt_pre_limit_high_written(
      dv_port_alt_pre_limit_high_t f, logic [31:0] wdata, logic [3:0] be);
    dv_port_alt_pre_limit_high_t d;
    d = f;
    d.limit = {be[3] ? wdata[31:24] : f.limit[31:24], be[2] ? wdata[23:16] : f.limit[23:16], be[1]
        ? wdata[15:8] : f.limit[15:8], be[0] ? wdata[7:0] : f.limit[7:0]};
    return d;
  endfunction

  typedef struct packed {
    logic [18:0] base;
    logic        enable;
  } dv_port_rcrb_base_low_t;

  parameter dv_port_rcrb_base_low_t DvPortRcrbBaseLowAtReset = '{base: 19'h0, enable: 1'h0};

  function automatic logic [31:0] dv_port_rcrb_base_low_word(dv_port_rcrb_base_low_t f);
    return {f.base, 12'd0, f.enable};
  endfunction

  function automatic dv_port_rcrb_base_low_t dv_port_rcrb_base_low_from(logic [31:0] word);
    return '{base: word[31:13], enable: word[0]};
  endfunction

  typedef struct packed {
    logic [31:0] base;
  } dv_port_rcrb_base_high_t;

  parameter dv_port_rcrb_base_high_t DvPortRcrbBaseHighAtReset = '{base: 32'h0};

  function automatic logic [31:0] dv_port_rcrb_base_high_word(dv_port_rcrb_base_high_t f);
    return f.base;
  endfunction

  function automatic dv_port_rcrb_base_high_t dv_port_rcrb_base_high_from(logic [31:0] word);
    return '{base: word[31:0]};
  endfunction

  typedef struct packed {
    dv_port_cap_header_t         cap_header;
    dv_port_dvsec_header_t       dvsec_header;
    dv_port_dvsec_id_t           dvsec_id;
    dv_port_status_t             status;
    dv_port_control_t            control;
    dv_port_alt_bus_base_t       alt_bus_base;
    dv_port_alt_bus_limit_t      alt_bus_limit;
    dv_port_alt_mem_base_t       alt_mem_base;
    dv_port_alt_mem_limit_t      alt_mem_limit;
    dv_port_alt_pre_base_t       alt_pre_base;
    dv_port_alt_pre_limit_t      alt_pre_limit;
    dv_port_alt_pre_base_high_t  alt_pre_base_high;
    dv_port_alt_pre_limit_high_t alt_pre_limit_high;
    dv_port_rcrb_base_low_t      rcrb_base_low;
    dv_port_rcrb_base_high_t     rcrb_base_high;
  } dv_port_regs_t;

  parameter dv_port_regs_t DvPortRegsAtReset = '{
    cap_header: DvPortCapHeaderAtReset, dvsec_header: DvPortDvsecHeaderAtReset,
    dvsec_id: DvPortDvsecIdAtReset, status: DvPortStatusAtReset, control: DvPortControlAtReset,
    alt_bus_base: DvPortAltBusBaseAtReset, alt_bus_limit: DvPortAltBusLimitAtReset,
    alt_mem_base: DvPortAltMemBaseAtReset, alt_mem_limit: DvPortAltMemLimitAtReset,
    alt_pre_base: DvPortAltPreBaseAtReset, alt_pre_limit: DvPortAltPreLimitAtReset,
    alt_pre_base_high: DvPortAltPreBaseHighAtReset,
    alt_pre_limit_high: DvPortAltPreLimitHighAtReset, rcrb_base_low: DvPortRcrbBaseLowAtReset,
    rcrb_base_high: DvPortRcrbBaseHighAtReset
  };

  function automatic logic [31:0] dv_port_word(dv_port_regs_t r, logic [11:2] word);
    logic [31:0] data;
    data = '0;
    unique case (word)
      10'h000: data = dv_port_cap_header_word(r.cap_header);
      10'h001: data = dv_port_dvsec_header_word(r.dvsec_header);
      10'h002: data = {dv_port_status_word(r.status), dv_port_dvsec_id_word(r.dvsec_id)};
      10'h003: data = {dv_port_alt_bus_limit_word(r.alt_bus_limit),
          dv_port_alt_bus_base_word(r.alt_bus_base), dv_port_control_word(r.control)};
      10'h004: data = {dv_port_alt_mem_limit_word(r.alt_mem_limit),
          dv_port_alt_mem_base_word(r.alt_mem_base)};
      10'h005: data = {dv_port_alt_pre_limit_word(r.alt_pre_limit),
          dv_port_alt_pre_base_word(r.alt_pre_base)};
      10'h006: data = dv_port_alt_pre_base_high_word(r.alt_pre_base_high);
      10'h007: data = dv_port_alt_pre_limit_high_word(r.alt_pre_limit_high);
      10'h008: data = dv_port_rcrb_base_low_word(r.rcrb_base_low);
      10'h009: data = dv_port_rcrb_base_high_word(r.rcrb_base_high);
      default: ;
    endcase
    return data;
  endfunction

  // ---------------------------------------------------------------------------------------------
  // Vendor DVSEC, MemSpecRd length and vendor registers
  // ---------------------------------------------------------------------------------------------
  typedef struct packed {
    logic [11:0] next;
    logic [3:0]  version;
    logic [15:0] id;
  } dv_vendor_cap_header_t;

  parameter dv_vendor_cap_header_t DvVendorCapHeaderAtReset = '{
    next: 12'h0, version: 4'h1, id: 16'h23
  };

  function automatic logic [31:0] dv_vendor_cap_header_word(dv_vendor_cap_header_t f);
    return {f.next, f.version, f.id};
  endfunction

  function automatic dv_vendor_cap_header_t dv_vendor_cap_header_from(logic [31:0] word);
    return '{next: word[31:20], version: word[19:16], id: word[15:0]};
  endfunction

  typedef struct packed {
    logic [11:0] length;
    logic [3:0]  revision;
    logic [15:0] vendor;
  } dv_vendor_dvsec_header_t;

  parameter dv_vendor_dvsec_header_t DvVendorDvsecHeaderAtReset = '{
    length: 12'h14, revision: 4'h0, vendor: 16'h0
  };

  function automatic logic [31:0] dv_vendor_dvsec_header_word(dv_vendor_dvsec_header_t f);
    return {f.length, f.revision, f.vendor};
  endfunction

  function automatic dv_vendor_dvsec_header_t dv_vendor_dvsec_header_from(logic [31:0] word);
    return '{length: word[31:20], revision: word[19:16], vendor: word[15:0]};
  endfunction

  typedef struct packed {
    logic [15:0] id;
  } dv_vendor_dvsec_id_t;

  parameter dv_vendor_dvsec_id_t DvVendorDvsecIdAtReset = '{id: 16'h1};

  function automatic logic [15:0] dv_vendor_dvsec_id_word(dv_vendor_dvsec_id_t f);
    return f.id;
  endfunction

  function automatic dv_vendor_dvsec_id_t dv_vendor_dvsec_id_from(logic [15:0] word);
    return '{id: word[15:0]};
  endfunction

  typedef struct packed {
    logic [2:0] max;
    logic [3:0] granule;
    logic       length;
  } dv_vendor_capability_t;

  parameter dv_vendor_capability_t DvVendorCapabilityAtReset = '{
    max: 3'h0, granule: 4'h8, length: 1'h1
  };

  function automatic logic [15:0] dv_vendor_capability_word(dv_vendor_capability_t f);
    return {5'd0, f.max, f.granule, 3'd0, f.length};
  endfunction

  function automatic dv_vendor_capability_t dv_vendor_capability_from(logic [15:0] word);
    return '{max: word[10:8], granule: word[7:4], length: word[0]};
  endfunction

  typedef struct packed {
    logic [15:0] offset;
    logic [2:0]  bir;
  } dv_vendor_block_low_t;

  parameter dv_vendor_block_low_t DvVendorBlockLowAtReset = '{offset: 16'h1, bir: 3'h0};

  function automatic logic [31:0] dv_vendor_block_low_word(dv_vendor_block_low_t f);
    return {f.offset, 13'd0, f.bir};
  endfunction

  function automatic dv_vendor_block_low_t dv_vendor_block_low_from(logic [31:0] word);
    return '{offset: word[31:16], bir: word[2:0]};
  endfunction

  typedef struct packed {
    logic [31:0] offset;
  } dv_vendor_block_high_t;

  parameter dv_vendor_block_high_t DvVendorBlockHighAtReset = '{offset: 32'h0};

  function automatic logic [31:0] dv_vendor_block_high_word(dv_vendor_block_high_t f);
    return f.offset;
  endfunction

  function automatic dv_vendor_block_high_t dv_vendor_block_high_from(logic [31:0] word);
    return '{offset: word[31:0]};
  endfunction

  typedef struct packed {
    dv_vendor_cap_header_t   cap_header;
    dv_vendor_dvsec_header_t dvsec_header;
    dv_vendor_dvsec_id_t     dvsec_id;
    dv_vendor_capability_t   capability;
    dv_vendor_block_low_t    block_low;
    dv_vendor_block_high_t   block_high;
  } dv_vendor_regs_t;

  parameter dv_vendor_regs_t DvVendorRegsAtReset = '{
    cap_header: DvVendorCapHeaderAtReset, dvsec_header: DvVendorDvsecHeaderAtReset,
    dvsec_id: DvVendorDvsecIdAtReset, capability: DvVendorCapabilityAtReset,
    block_low: DvVendorBlockLowAtReset, block_high: DvVendorBlockHighAtReset
  };

  function automatic logic [31:0] dv_vendor_word(dv_vendor_regs_t r, logic [11:2] word);
    logic [31:0] data;
    data = '0;
    unique case (word)
      10'h000: data = dv_vendor_cap_header_word(r.cap_header);
      10'h001: data = dv_vendor_dvsec_header_word(r.dvsec_header);
      10'h002: data = {dv_vendor_capability_word(r.capability),
          dv_vendor_dvsec_id_word(r.dvsec_id)};
      10'h003: data = dv_vendor_block_low_word(r.block_low);
      10'h004: data = dv_vendor_block_high_word(r.block_high);
      default: ;
    endcase
    return data;
  endfunction

  // ---------------------------------------------------------------------------------------------
  // Endpoint vendor block
  // ---------------------------------------------------------------------------------------------
  typedef struct packed {
    logic len_enable;
    logic dram_enable;
  } ep_control_t;

  parameter ep_control_t EpControlAtReset = '{len_enable: 1'h0, dram_enable: 1'h0};

  function automatic logic [31:0] ep_control_word(ep_control_t f);
    return {30'd0, f.len_enable, f.dram_enable};
  endfunction

  function automatic ep_control_t ep_control_from(logic [31:0] word);
    return '{len_enable: word[1], dram_enable: word[0]};
  endfunction

  function automatic ep_control_t ep_control_written(ep_control_t f, logic [31:0] wdata);
    ep_control_t d;
    d = f;
    d.len_enable = wdata[1];
    d.dram_enable = wdata[0];
    return d;
  endfunction

  typedef struct packed {
    logic [3:0] log2;
  } ep_sets_t;

  parameter ep_sets_t EpSetsAtReset = '{log2: 4'h0};

  function automatic logic [31:0] ep_sets_word(ep_sets_t f);
    return {28'd0, f.log2};
  endfunction

  function automatic ep_sets_t ep_sets_from(logic [31:0] word);
    return '{log2: word[3:0]};
  endfunction

  function automatic ep_sets_t ep_sets_written(ep_sets_t f, logic [31:0] wdata);
    ep_sets_t d;
    d = f;
    d.log2 = wdata[3:0];
    return d;
  endfunction

  typedef struct packed {
    logic [6:0] margin;
    logic [6:0] th2;
    logic [6:0] th1;
    logic [6:0] th0;
  } ep_ingress_th_t;

  parameter ep_ingress_th_t EpIngressThAtReset = '{margin: 7'h0, th2: 7'h18, th1: 7'hC, th0: 7'h4};

  function automatic logic [31:0] ep_ingress_th_word(ep_ingress_th_t f);
    return {1'd0, f.margin, 1'd0, f.th2, 1'd0, f.th1, 1'd0, f.th0};
  endfunction

  function automatic ep_ingress_th_t ep_ingress_th_from(logic [31:0] word);
    return '{margin: word[30:24], th2: word[22:16], th1: word[14:8], th0: word[6:0]};
  endfunction

  function automatic ep_ingress_th_t ep_ingress_th_written(ep_ingress_th_t f, logic [31:0] wdata);
    ep_ingress_th_t d;
    d = f;
    d.margin = wdata[30:24];
    d.th2 = wdata[22:16];
    d.th1 = wdata[14:8];
    d.th0 = wdata[6:0];
    return d;
  endfunction

  typedef struct packed {
    logic [6:0] margin;
    logic [6:0] th2;
    logic [6:0] th1;
    logic [6:0] th0;
  } ep_mshr_th_t;

  parameter ep_mshr_th_t EpMshrThAtReset = '{margin: 7'h0, th2: 7'h30, th1: 7'h20, th0: 7'h10};

  function automatic logic [31:0] ep_mshr_th_word(ep_mshr_th_t f);
    return {1'd0, f.margin, 1'd0, f.th2, 1'd0, f.th1, 1'd0, f.th0};
  endfunction

  function automatic ep_mshr_th_t ep_mshr_th_from(logic [31:0] word);
    return '{margin: word[30:24], th2: word[22:16], th1: word[14:8], th0: word[6:0]};
  endfunction

  function automatic ep_mshr_th_t ep_mshr_th_written(ep_mshr_th_t f, logic [31:0] wdata);
    ep_mshr_th_t d;
    d = f;
    d.margin = wdata[30:24];
    d.th2 = wdata[22:16];
    d.th1 = wdata[14:8];
    d.th0 = wdata[6:0];
    return d;
  endfunction

  typedef struct packed {
    logic [31:0] count;
  } ep_write_backs_t;

  parameter ep_write_backs_t EpWriteBacksAtReset = '{count: 32'h0};

  function automatic logic [31:0] ep_write_backs_word(ep_write_backs_t f);
    return f.count;
  endfunction

  function automatic ep_write_backs_t ep_write_backs_from(logic [31:0] word);
    return '{count: word[31:0]};
  endfunction

  typedef struct packed {
    logic [6:0] margin;
    logic [6:0] th2;
    logic [6:0] th1;
    logic [6:0] th0;
  } ep_backlog_th_t;

  parameter ep_backlog_th_t EpBacklogThAtReset = '{
    margin: 7'h0, th2: 7'h7F, th1: 7'h7F, th0: 7'h7F
  };

  function automatic logic [31:0] ep_backlog_th_word(ep_backlog_th_t f);
    return {1'd0, f.margin, 1'd0, f.th2, 1'd0, f.th1, 1'd0, f.th0};
  endfunction

  function automatic ep_backlog_th_t ep_backlog_th_from(logic [31:0] word);
    return '{margin: word[30:24], th2: word[22:16], th1: word[14:8], th0: word[6:0]};
  endfunction

  function automatic ep_backlog_th_t ep_backlog_th_written(ep_backlog_th_t f, logic [31:0] wdata);
    ep_backlog_th_t d;
    d = f;
    d.margin = wdata[30:24];
    d.th2 = wdata[22:16];
    d.th1 = wdata[14:8];
    d.th0 = wdata[6:0];
    return d;
  endfunction

  typedef struct packed {
    logic [6:0] th2;
    logic [6:0] th1;
    logic [6:0] th0;
  } ep_tasks_th_t;

  parameter ep_tasks_th_t EpTasksThAtReset = '{th2: 7'h7F, th1: 7'h7F, th0: 7'h7F};

  function automatic logic [31:0] ep_tasks_th_word(ep_tasks_th_t f);
    return {9'd0, f.th2, 1'd0, f.th1, 1'd0, f.th0};
  endfunction

  function automatic ep_tasks_th_t ep_tasks_th_from(logic [31:0] word);
    return '{th2: word[22:16], th1: word[14:8], th0: word[6:0]};
  endfunction

  function automatic ep_tasks_th_t ep_tasks_th_written(ep_tasks_th_t f, logic [31:0] wdata);
    ep_tasks_th_t d;
    d = f;
    d.th2 = wdata[22:16];
    d.th1 = wdata[14:8];
    d.th0 = wdata[6:0];
    return d;
  endfunction

  typedef struct packed {
    logic [4:0] interval;
    logic [6:0] egress_severe;
    logic [6:0] egress_moderate;
    logic       ttr_enable;
    logic       egress_enable;
  } ep_qos_control_t;

  parameter ep_qos_control_t EpQosControlAtReset = '{
    interval: 5'h8, egress_severe: 7'h19, egress_moderate: 7'hA, ttr_enable: 1'h0,
    egress_enable: 1'h0
  };

  function automatic logic [31:0] ep_qos_control_word(ep_qos_control_t f);
    return {3'd0, f.interval, 1'd0, f.egress_severe, 1'd0, f.egress_moderate, 6'd0, f.ttr_enable,
        f.egress_enable};
  endfunction

  function automatic ep_qos_control_t ep_qos_control_from(logic [31:0] word);
    return '{
      interval: word[28:24], egress_severe: word[22:16], egress_moderate: word[14:8],
      ttr_enable: word[1], egress_enable: word[0]
    };
  endfunction

  function automatic ep_qos_control_t ep_qos_control_written(
      ep_qos_control_t f, logic [31:0] wdata);
    ep_qos_control_t d;
    d = f;
    d.interval = wdata[28:24];
    d.egress_severe = wdata[22:16];
    d.egress_moderate = wdata[14:8];
    d.ttr_enable = wdata[1];
    d.egress_enable = wdata[0];
    return d;
  endfunction

  typedef struct packed {
    logic [1:0] dev_load;
    logic [1:0] egress;
    logic [1:0] tasks;
    logic [1:0] backlog;
    logic [1:0] mshr;
    logic [1:0] ingress;
    logic [6:0] backpressure;
  } ep_qos_status_t;

  parameter ep_qos_status_t EpQosStatusAtReset = '{
    dev_load: 2'h0, egress: 2'h0, tasks: 2'h0, backlog: 2'h0, mshr: 2'h0, ingress: 2'h0,
    backpressure: 7'h0
  };

  function automatic logic [31:0] ep_qos_status_word(ep_qos_status_t f);
    return {12'd0, f.dev_load, f.egress, f.tasks, f.backlog, f.mshr, f.ingress, 1'd0,
        f.backpressure};
  endfunction

  function automatic ep_qos_status_t ep_qos_status_from(logic [31:0] word);
    return '{
      dev_load: word[19:18], egress: word[17:16], tasks: word[15:14], backlog: word[13:12],
      mshr: word[11:10], ingress: word[9:8], backpressure: word[6:0]
    };
  endfunction

  typedef struct packed {
    logic [10:0] line_bytes;
    logic [8:0]  mshrs;
  } ep_cap_t;

  parameter ep_cap_t EpCapAtReset = '{line_bytes: 11'h0, mshrs: 9'h0};

  function automatic logic [31:0] ep_cap_word(ep_cap_t f);
    return {5'd0, f.line_bytes, 7'd0, f.mshrs};
  endfunction

  function automatic ep_cap_t ep_cap_from(logic [31:0] word);
    return '{line_bytes: word[26:16], mshrs: word[8:0]};
  endfunction

  typedef struct packed {
    logic [7:0] max;
  } ep_open_t;

  parameter ep_open_t EpOpenAtReset = '{max: 8'h0};

  function automatic logic [31:0] ep_open_word(ep_open_t f);
    return {24'd0, f.max};
  endfunction

  function automatic ep_open_t ep_open_from(logic [31:0] word);
    return '{max: word[7:0]};
  endfunction

  function automatic ep_open_t ep_open_written(ep_open_t f, logic [31:0] wdata);
    ep_open_t d;
    d = f;
    d.max = wdata[7:0];
    return d;
  endfunction

  typedef struct packed {
    logic [31:0] count;
  } ep_demand_hits_t;

  parameter ep_demand_hits_t EpDemandHitsAtReset = '{count: 32'h0};

  function automatic logic [31:0] ep_demand_hits_word(ep_demand_hits_t f);
    return f.count;
  endfunction

  function automatic ep_demand_hits_t ep_demand_hits_from(logic [31:0] word);
    return '{count: word[31:0]};
  endfunction

  typedef struct packed {
    logic [31:0] count;
  } ep_demand_merges_t;

  parameter ep_demand_merges_t EpDemandMergesAtReset = '{count: 32'h0};

  function automatic logic [31:0] ep_demand_merges_word(ep_demand_merges_t f);
    return f.count;
  endfunction

  function automatic ep_demand_merges_t ep_demand_merges_from(logic [31:0] word);
    return '{count: word[31:0]};
  endfunction

  typedef struct packed {
    logic [31:0] count;
  } ep_demand_fills_t;

  parameter ep_demand_fills_t EpDemandFillsAtReset = '{count: 32'h0};

  function automatic logic [31:0] ep_demand_fills_word(ep_demand_fills_t f);
    return f.count;
  endfunction

  function automatic ep_demand_fills_t ep_demand_fills_from(logic [31:0] word);
    return '{count: word[31:0]};
  endfunction

  typedef struct packed {
    logic [31:0] count;
  } ep_spec_fills_t;

  parameter ep_spec_fills_t EpSpecFillsAtReset = '{count: 32'h0};

  function automatic logic [31:0] ep_spec_fills_word(ep_spec_fills_t f);
    return f.count;
  endfunction

  function automatic ep_spec_fills_t ep_spec_fills_from(logic [31:0] word);
    return '{count: word[31:0]};
  endfunction

  typedef struct packed {
    logic [31:0] count;
  } ep_spec_needless_t;

  parameter ep_spec_needless_t EpSpecNeedlessAtReset = '{count: 32'h0};

  function automatic logic [31:0] ep_spec_needless_word(ep_spec_needless_t f);
    return f.count;
  endfunction

  function automatic ep_spec_needless_t ep_spec_needless_from(logic [31:0] word);
    return '{count: word[31:0]};
  endfunction

  typedef struct packed {
    logic [31:0] count;
  } ep_spec_dropped_t;

  parameter ep_spec_dropped_t EpSpecDroppedAtReset = '{count: 32'h0};

  function automatic logic [31:0] ep_spec_dropped_word(ep_spec_dropped_t f);
    return f.count;
  endfunction

  function automatic ep_spec_dropped_t ep_spec_dropped_from(logic [31:0] word);
    return '{count: word[31:0]};
  endfunction

  typedef struct packed {
    logic [31:0] count;
  } ep_spec_evicted_unused_t;

  parameter ep_spec_evicted_unused_t EpSpecEvictedUnusedAtReset = '{count: 32'h0};

  function automatic logic [31:0] ep_spec_evicted_unused_word(ep_spec_evicted_unused_t f);
    return f.count;
  endfunction

  function automatic ep_spec_evicted_unused_t ep_spec_evicted_unused_from(logic [31:0] word);
    return '{count: word[31:0]};
  endfunction

  typedef struct packed {
    logic [31:0] count;
  } ep_spec_displaced_t;

  parameter ep_spec_displaced_t EpSpecDisplacedAtReset = '{count: 32'h0};

  function automatic logic [31:0] ep_spec_displaced_word(ep_spec_displaced_t f);
    return f.count;
  endfunction

  function automatic ep_spec_displaced_t ep_spec_displaced_from(logic [31:0] word);
    return '{count: word[31:0]};
  endfunction

  typedef struct packed {
    logic [31:0] count;
  } ep_opened_t;

  parameter ep_opened_t EpOpenedAtReset = '{count: 32'h0};

  function automatic logic [31:0] ep_opened_word(ep_opened_t f);
    return f.count;
  endfunction

  function automatic ep_opened_t ep_opened_from(logic [31:0] word);
    return '{count: word[31:0]};
  endfunction

  typedef struct packed {
    logic [31:0] count;
  } ep_filled_behind_t;

  parameter ep_filled_behind_t EpFilledBehindAtReset = '{count: 32'h0};

  function automatic logic [31:0] ep_filled_behind_word(ep_filled_behind_t f);
    return f.count;
  endfunction

  function automatic ep_filled_behind_t ep_filled_behind_from(logic [31:0] word);
    return '{count: word[31:0]};
  endfunction

  typedef struct packed {
    logic [31:0] count;
  } ep_made_whole_t;

  parameter ep_made_whole_t EpMadeWholeAtReset = '{count: 32'h0};

  function automatic logic [31:0] ep_made_whole_word(ep_made_whole_t f);
    return f.count;
  endfunction

  function automatic ep_made_whole_t ep_made_whole_from(logic [31:0] word);
    return '{count: word[31:0]};
  endfunction

  typedef struct packed {
    logic [23:0] units;
  } ep_persistent_from_t;

  parameter ep_persistent_from_t EpPersistentFromAtReset = '{units: 24'h0};

  function automatic logic [31:0] ep_persistent_from_word(ep_persistent_from_t f);
    return {8'd0, f.units};
  endfunction

  function automatic ep_persistent_from_t ep_persistent_from_from(logic [31:0] word);
    return '{units: word[23:0]};
  endfunction

  function automatic ep_persistent_from_t ep_persistent_from_written(
      ep_persistent_from_t f, logic [31:0] wdata);
    ep_persistent_from_t d;
    d = f;
    d.units = wdata[23:0];
    return d;
  endfunction

  typedef struct packed {
    logic [1:0] level;
  } ep_durable_t;

  parameter ep_durable_t EpDurableAtReset = '{level: 2'h0};

  function automatic logic [31:0] ep_durable_word(ep_durable_t f);
    return {30'd0, f.level};
  endfunction

  function automatic ep_durable_t ep_durable_from(logic [31:0] word);
    return '{level: word[1:0]};
  endfunction

  function automatic ep_durable_t ep_durable_written(ep_durable_t f, logic [31:0] wdata);
    ep_durable_t d;
    d = f;
    d.level = wdata[1:0];
    return d;
  endfunction

  typedef struct packed {
    ep_control_t             control;
    ep_sets_t                sets;
    ep_ingress_th_t          ingress_th;
    ep_mshr_th_t             mshr_th;
    ep_write_backs_t         write_backs;
    ep_backlog_th_t          backlog_th;
    ep_tasks_th_t            tasks_th;
    ep_qos_control_t         qos_control;
    ep_qos_status_t          qos_status;
    ep_cap_t                 cap;
    ep_open_t                open;
    ep_demand_hits_t         demand_hits;
    ep_demand_merges_t       demand_merges;
    ep_demand_fills_t        demand_fills;
    ep_spec_fills_t          spec_fills;
    ep_spec_needless_t       spec_needless;
    ep_spec_dropped_t        spec_dropped;
    ep_spec_evicted_unused_t spec_evicted_unused;
    ep_spec_displaced_t      spec_displaced;
    ep_opened_t              opened;
    ep_filled_behind_t       filled_behind;
    ep_made_whole_t          made_whole;
    ep_persistent_from_t     persistent_from;
    ep_durable_t             durable;
  } ep_regs_t;

  parameter ep_regs_t EpRegsAtReset = '{
    control: EpControlAtReset, sets: EpSetsAtReset, ingress_th: EpIngressThAtReset,
    mshr_th: EpMshrThAtReset, write_backs: EpWriteBacksAtReset, backlog_th: EpBacklogThAtReset,
    tasks_th: EpTasksThAtReset, qos_control: EpQosControlAtReset, qos_status: EpQosStatusAtReset,
    cap: EpCapAtReset, open: EpOpenAtReset, demand_hits: EpDemandHitsAtReset,
    demand_merges: EpDemandMergesAtReset, demand_fills: EpDemandFillsAtReset,
    spec_fills: EpSpecFillsAtReset, spec_needless: EpSpecNeedlessAtReset,
    spec_dropped: EpSpecDroppedAtReset, spec_evicted_unused: EpSpecEvictedUnusedAtReset,
    spec_displaced: EpSpecDisplacedAtReset, opened: EpOpenedAtReset,
    filled_behind: EpFilledBehindAtReset, made_whole: EpMadeWholeAtReset,
    persistent_from: EpPersistentFromAtReset, durable: EpDurableAtReset
  };

  function automatic logic [31:0] ep_word(ep_regs_t r, logic [11:2] word);
    logic [31:0] data;
    data = '0;
    unique case (word)
      10'h200: data = ep_control_word(r.control);
      10'h201: data = ep_sets_word(r.sets);
      10'h202: data = ep_ingress_th_word(r.ingress_th);
      10'h203: data = ep_mshr_th_word(r.mshr_th);
      10'h204: data = ep_write_backs_word(r.write_backs);
      10'h205: data = ep_backlog_th_word(r.backlog_th);
      10'h206: data = ep_tasks_th_word(r.tasks_th);
      10'h207: data = ep_qos_control_word(r.qos_control);
      10'h208: data = ep_qos_status_word(r.qos_status);
      10'h209: data = ep_cap_word(r.cap);
      10'h20A: data = ep_open_word(r.open);
      10'h20C: data = ep_demand_hits_word(r.demand_hits);
      10'h20D: data = ep_demand_merges_word(r.demand_merges);
      10'h20E: data = ep_demand_fills_word(r.demand_fills);
      10'h20F: data = ep_spec_fills_word(r.spec_fills);
      10'h210: data = ep_spec_needless_word(r.spec_needless);
      10'h211: data = ep_spec_dropped_word(r.spec_dropped);
      10'h212: data = ep_spec_evicted_unused_word(r.spec_evicted_unused);
      10'h213: data = ep_spec_displaced_word(r.spec_displaced);
      10'h214: data = ep_opened_word(r.opened);
      10'h215: data = ep_filled_behind_word(r.filled_behind);
      10'h216: data = ep_made_whole_word(r.made_whole);
      10'h217: data = ep_persistent_from_word(r.persistent_from);
      10'h218: data = ep_durable_word(r.durable);
      default: ;
    endcase
    return data;
  endfunction

  // ---------------------------------------------------------------------------------------------
  // HDM decoder capability (component capability ID 5)
  // ---------------------------------------------------------------------------------------------
  typedef struct packed {
    logic       ways_16;
    logic       ways_3;
    logic       interleave_high;
    logic       interleave_low;
    logic [3:0] target_count;
    logic [3:0] count_code;
  } hdm_capability_t;

  parameter hdm_capability_t HdmCapabilityHostAtReset = '{
    ways_16: 1'h0, ways_3: 1'h0, interleave_high: 1'h1, interleave_low: 1'h1, target_count: 4'h8,
    count_code: 4'h0
  };
  parameter hdm_capability_t HdmCapabilityDeviceAtReset = '{
    ways_16: 1'h1, ways_3: 1'h1, interleave_high: 1'h1, interleave_low: 1'h1, target_count: 4'h0,
    count_code: 4'h0
  };

  function automatic logic [31:0] hdm_capability_word(hdm_capability_t f);
    return {22'd0, f.interleave_high, f.interleave_low, f.target_count, f.count_code} | {19'd0,
        f.ways_16, f.ways_3, 1'd0, f.interleave_high, f.interleave_low, 4'd0, f.count_code};
  endfunction

  typedef struct packed {
    logic enable;
  } hdm_global_control_t;

  parameter hdm_global_control_t HdmGlobalControlHostAtReset = '{enable: 1'h0};
  parameter hdm_global_control_t HdmGlobalControlDeviceAtReset = '{enable: 1'h0};

  function automatic logic [31:0] hdm_global_control_word(hdm_global_control_t f);
    return 32'd0 | {30'd0, f.enable, 1'd0};
  endfunction

  function automatic hdm_global_control_t hdm_global_control_written(
      hdm_global_control_t f, logic [31:0] wdata, logic device);
    hdm_global_control_t d;
    d = f;
    d.enable = !device ? f.enable : wdata[1];
    return d;
  endfunction

  typedef struct packed {
    logic [3:0] base;
  } hdm_dec_base_low_t;

  parameter hdm_dec_base_low_t HdmDecBaseLowAtReset = '{base: 4'h0};

  function automatic logic [31:0] hdm_dec_base_low_word(hdm_dec_base_low_t f);
    return {f.base, 28'd0};
  endfunction

  function automatic hdm_dec_base_low_t hdm_dec_base_low_from(logic [31:0] word);
    return '{base: word[31:28]};
  endfunction

  function automatic hdm_dec_base_low_t hdm_dec_base_low_written(
      hdm_dec_base_low_t f, logic [31:0] wdata, logic locked);
    hdm_dec_base_low_t d;
    d = f;
    d.base = locked ? f.base : wdata[31:28];
    return d;
  endfunction

  typedef struct packed {
    logic [19:0] base;
  } hdm_dec_base_high_t;

  parameter hdm_dec_base_high_t HdmDecBaseHighAtReset = '{base: 20'h0};

  function automatic logic [31:0] hdm_dec_base_high_word(hdm_dec_base_high_t f);
    return {12'd0, f.base};
  endfunction

  function automatic hdm_dec_base_high_t hdm_dec_base_high_from(logic [31:0] word);
    return '{base: word[19:0]};
  endfunction

  function automatic hdm_dec_base_high_t hdm_dec_base_high_written(
      hdm_dec_base_high_t f, logic [31:0] wdata, logic locked);
    hdm_dec_base_high_t d;
    d = f;
    d.base = locked ? f.base : wdata[19:0];
    return d;
  endfunction

  typedef struct packed {
    logic [3:0] size;
  } hdm_dec_size_low_t;

  parameter hdm_dec_size_low_t HdmDecSizeLowAtReset = '{size: 4'h0};

  function automatic logic [31:0] hdm_dec_size_low_word(hdm_dec_size_low_t f);
    return {f.size, 28'd0};
  endfunction

  function automatic hdm_dec_size_low_t hdm_dec_size_low_from(logic [31:0] word);
    return '{size: word[31:28]};
  endfunction

  function automatic hdm_dec_size_low_t hdm_dec_size_low_written(
      hdm_dec_size_low_t f, logic [31:0] wdata, logic locked);
    hdm_dec_size_low_t d;
    d = f;
    d.size = locked ? f.size : wdata[31:28];
    return d;
  endfunction

  typedef struct packed {
    logic [19:0] size;
  } hdm_dec_size_high_t;

  parameter hdm_dec_size_high_t HdmDecSizeHighAtReset = '{size: 20'h0};

  function automatic logic [31:0] hdm_dec_size_high_word(hdm_dec_size_high_t f);
    return {12'd0, f.size};
  endfunction

  function automatic hdm_dec_size_high_t hdm_dec_size_high_from(logic [31:0] word);
    return '{size: word[19:0]};
  endfunction

  function automatic hdm_dec_size_high_t hdm_dec_size_high_written(
      hdm_dec_size_high_t f, logic [31:0] wdata, logic locked);
    hdm_dec_size_high_t d;
    d = f;
    d.size = locked ? f.size : wdata[19:0];
    return d;
  endfunction

  typedef struct packed {
    logic       host_only;
    logic       error;
    logic       committed;
    logic       commit;
    logic       lock;
    logic [3:0] iw;
    logic [3:0] ig;
  } hdm_dec_control_t;

  parameter hdm_dec_control_t HdmDecControlAtReset = '{
    host_only: 1'h0, error: 1'h0, committed: 1'h0, commit: 1'h0, lock: 1'h0, iw: 4'h0, ig: 4'h0
  };

  function automatic logic [31:0] hdm_dec_control_word(hdm_dec_control_t f);
    return {19'd0, f.host_only, f.error, f.committed, f.commit, f.lock, f.iw, f.ig};
  endfunction

  function automatic hdm_dec_control_t hdm_dec_control_from(logic [31:0] word);
    return '{
      host_only: word[12], error: word[11], committed: word[10], commit: word[9], lock: word[8],
      iw: word[7:4], ig: word[3:0]
    };
  endfunction

  function automatic hdm_dec_control_t hdm_dec_control_written(
      hdm_dec_control_t f, logic [31:0] wdata, logic locked);
    hdm_dec_control_t d;
    d = f;
    d.host_only = locked ? f.host_only : wdata[12];
    d.commit = locked ? f.commit : wdata[9];
    d.lock = locked ? f.lock : wdata[8];
    d.iw = locked ? f.iw : wdata[7:4];
    d.ig = locked ? f.ig : wdata[3:0];
    return d;
  endfunction

  typedef struct packed {
    logic [3:0]  skip;
    logic [31:0] targets;
  } hdm_dec_list_low_t;

  parameter hdm_dec_list_low_t HdmDecListLowHostAtReset = '{skip: 4'h0, targets: 32'h0};
  parameter hdm_dec_list_low_t HdmDecListLowDeviceAtReset = '{skip: 4'h0, targets: 32'h0};

  function automatic logic [31:0] hdm_dec_list_low_word(hdm_dec_list_low_t f);
    return f.targets | {f.skip, 28'd0};
  endfunction

  function automatic hdm_dec_list_low_t hdm_dec_list_low_written(
      hdm_dec_list_low_t f, logic [31:0] wdata, logic device, logic locked);
    hdm_dec_list_low_t d;
    d = f;
    d.skip = locked || !device ? f.skip : wdata[31:28];
    d.targets = locked || device ? f.targets : wdata[31:0];
    return d;
  endfunction

  typedef struct packed {
    logic [31:0] targets;
    logic [19:0] skip;
  } hdm_dec_list_high_t;

  parameter hdm_dec_list_high_t HdmDecListHighHostAtReset = '{targets: 32'h0, skip: 20'h0};
  parameter hdm_dec_list_high_t HdmDecListHighDeviceAtReset = '{targets: 32'h0, skip: 20'h0};

  function automatic logic [31:0] hdm_dec_list_high_word(hdm_dec_list_high_t f);
    return f.targets | {12'd0, f.skip};
  endfunction

  function automatic hdm_dec_list_high_t hdm_dec_list_high_written(
      hdm_dec_list_high_t f, logic [31:0] wdata, logic device, logic locked);
    hdm_dec_list_high_t d;
    d = f;
    d.targets = locked || device ? f.targets : wdata[31:0];
    d.skip = locked || !device ? f.skip : wdata[19:0];
    return d;
  endfunction

  typedef struct packed {
    hdm_dec_base_low_t  base_low;
    hdm_dec_base_high_t base_high;
    hdm_dec_size_low_t  size_low;
    hdm_dec_size_high_t size_high;
    hdm_dec_control_t   control;
    hdm_dec_list_low_t  list_low;
    hdm_dec_list_high_t list_high;
  } hdm_dec_t;

  parameter hdm_dec_t HdmDecHostAtReset = '{
    base_low: HdmDecBaseLowAtReset, base_high: HdmDecBaseHighAtReset,
    size_low: HdmDecSizeLowAtReset, size_high: HdmDecSizeHighAtReset,
    control: HdmDecControlAtReset, list_low: HdmDecListLowHostAtReset,
    list_high: HdmDecListHighHostAtReset
  };
  parameter hdm_dec_t HdmDecDeviceAtReset = '{
    base_low: HdmDecBaseLowAtReset, base_high: HdmDecBaseHighAtReset,
    size_low: HdmDecSizeLowAtReset, size_high: HdmDecSizeHighAtReset,
    control: HdmDecControlAtReset, list_low: HdmDecListLowDeviceAtReset,
    list_high: HdmDecListHighDeviceAtReset
  };

  function automatic logic [31:0] hdm_dec_word(hdm_dec_t r, logic [4:2] word);
    logic [31:0] data;
    data = '0;
    unique case (word)
      3'h0: data = hdm_dec_base_low_word(r.base_low);
      3'h1: data = hdm_dec_base_high_word(r.base_high);
      3'h2: data = hdm_dec_size_low_word(r.size_low);
      3'h3: data = hdm_dec_size_high_word(r.size_high);
      3'h4: data = hdm_dec_control_word(r.control);
      3'h5: data = hdm_dec_list_low_word(r.list_low);
      3'h6: data = hdm_dec_list_high_word(r.list_high);
      default: ;
    endcase
    return data;
  endfunction

  typedef struct packed {
    hdm_capability_t     capability;
    hdm_global_control_t global_control;
    hdm_dec_t [15:0]     dec;
  } hdm_regs_t;

  parameter hdm_regs_t HdmRegsHostAtReset = '{
    capability: HdmCapabilityHostAtReset, global_control: HdmGlobalControlHostAtReset,
    dec: {16{HdmDecHostAtReset}}
  };
  parameter hdm_regs_t HdmRegsDeviceAtReset = '{
    capability: HdmCapabilityDeviceAtReset, global_control: HdmGlobalControlDeviceAtReset,
    dec: {16{HdmDecDeviceAtReset}}
  };

  function automatic logic [31:0] hdm_word(hdm_regs_t r, logic [11:2] word);
    logic [31:0] data;
    logic [11:2] dec_at;  // words from the first dec
    data = '0;
    dec_at = word - 10'h004;
    unique case (word)
      10'h000: data = hdm_capability_word(r.capability);
      10'h001: data = hdm_global_control_word(r.global_control);
      default: begin
        if (dec_at < 10'd128) begin
          data = hdm_dec_word(r.dec[dec_at[8:5]], dec_at[4:2]);
        end
      end
    endcase
    return data;
  endfunction

  // ---------------------------------------------------------------------------------------------
  // Host bridge vendor block
  // ---------------------------------------------------------------------------------------------
  typedef struct packed {
    logic [31:0] count;
  } hb_hints_t;

  parameter hb_hints_t HbHintsAtReset = '{count: 32'h0};

  function automatic logic [31:0] hb_hints_word(hb_hints_t f);
    return f.count;
  endfunction

  function automatic hb_hints_t hb_hints_from(logic [31:0] word);
    return '{count: word[31:0]};
  endfunction

  typedef struct packed {
    logic [31:0] count;
  } hb_hints_lost_t;

  parameter hb_hints_lost_t HbHintsLostAtReset = '{count: 32'h0};

  function automatic logic [31:0] hb_hints_lost_word(hb_hints_lost_t f);
    return f.count;
  endfunction

  function automatic hb_hints_lost_t hb_hints_lost_from(logic [31:0] word);
    return '{count: word[31:0]};
  endfunction

  typedef struct packed {
    logic [31:0] count;
  } hb_hint_misses_t;

  parameter hb_hint_misses_t HbHintMissesAtReset = '{count: 32'h0};

  function automatic logic [31:0] hb_hint_misses_word(hb_hint_misses_t f);
    return f.count;
  endfunction

  function automatic hb_hint_misses_t hb_hint_misses_from(logic [31:0] word);
    return '{count: word[31:0]};
  endfunction

  typedef struct packed {
    hb_hints_t       hints;
    hb_hints_lost_t  hints_lost;
    hb_hint_misses_t hint_misses;
  } hb_regs_t;

  parameter hb_regs_t HbRegsAtReset = '{
    hints: HbHintsAtReset, hints_lost: HbHintsLostAtReset, hint_misses: HbHintMissesAtReset
  };

  function automatic logic [31:0] hb_word(hb_regs_t r, logic [11:2] word);
    logic [31:0] data;
    data = '0;
    unique case (word)
      10'h200: data = hb_hints_word(r.hints);
      10'h201: data = hb_hints_lost_word(r.hints_lost);
      10'h202: data = hb_hint_misses_word(r.hint_misses);
      default: ;
    endcase
    return data;
  endfunction

  // ---------------------------------------------------------------------------------------------
  // CXL.io access
  // ---------------------------------------------------------------------------------------------
  typedef struct packed {
    logic [31:0] addr;
  } ioa_addr_low_t;

  parameter ioa_addr_low_t IoaAddrLowAtReset = '{addr: 32'h0};

  function automatic logic [31:0] ioa_addr_low_word(ioa_addr_low_t f);
    return f.addr;
  endfunction

  function automatic ioa_addr_low_t ioa_addr_low_from(logic [31:0] word);
    return '{addr: word[31:0]};
  endfunction

  function automatic ioa_addr_low_t ioa_addr_low_written(
      ioa_addr_low_t f, logic [31:0] wdata, logic locked);
    ioa_addr_low_t d;
    d = f;
    d.addr = locked ? f.addr : wdata[31:0];
    return d;
  endfunction

  typedef struct packed {
    logic [31:0] addr;
  } ioa_addr_high_t;

  parameter ioa_addr_high_t IoaAddrHighAtReset = '{addr: 32'h0};

  function automatic logic [31:0] ioa_addr_high_word(ioa_addr_high_t f);
    return f.addr;
  endfunction

  function automatic ioa_addr_high_t ioa_addr_high_from(logic [31:0] word);
    return '{addr: word[31:0]};
  endfunction

  function automatic ioa_addr_high_t ioa_addr_high_written(
      ioa_addr_high_t f, logic [31:0] wdata, logic locked);
    ioa_addr_high_t d;
    d = f;
    d.addr = locked ? f.addr : wdata[31:0];
    return d;
  endfunction

  typedef struct packed {
    logic [31:0] data;
  } ioa_data_t;

  parameter ioa_data_t IoaDataAtReset = '{data: 32'h0};

  function automatic logic [31:0] ioa_data_word(ioa_data_t f);
    return f.data;
  endfunction

  function automatic ioa_data_t ioa_data_from(logic [31:0] word);
    return '{data: word[31:0]};
  endfunction

  function automatic ioa_data_t ioa_data_written(ioa_data_t f, logic [31:0] wdata, logic locked);
    ioa_data_t d;
    d = f;
    d.data = locked ? f.data : wdata[31:0];
    return d;
  endfunction

  typedef struct packed {
    logic       busy;
    logic       link_up;
    logic [2:0] status;
    logic [3:0] be;
    logic [2:0] op;
  } ioa_command_t;

  parameter ioa_command_t IoaCommandAtReset = '{
    busy: 1'h0, link_up: 1'h0, status: 3'h0, be: 4'h0, op: 3'h0
  };

  function automatic logic [31:0] ioa_command_word(ioa_command_t f);
    return {f.busy, f.link_up, 19'd0, f.status, f.be, 1'd0, f.op};
  endfunction

  function automatic ioa_command_t ioa_command_from(logic [31:0] word);
    return '{busy: word[31], link_up: word[30], status: word[10:8], be: word[7:4], op: word[2:0]};
  endfunction

  function automatic ioa_command_t ioa_command_written(
      ioa_command_t f, logic [31:0] wdata, logic locked);
    ioa_command_t d;
    d = f;
    d.be = locked ? f.be : wdata[7:4];
    d.op = locked ? f.op : wdata[2:0];
    return d;
  endfunction

  typedef struct packed {
    ioa_addr_low_t  addr_low;
    ioa_addr_high_t addr_high;
    ioa_data_t      data;
    ioa_command_t   command;
  } ioa_regs_t;

  parameter ioa_regs_t IoaRegsAtReset = '{
    addr_low: IoaAddrLowAtReset, addr_high: IoaAddrHighAtReset, data: IoaDataAtReset,
    command: IoaCommandAtReset
  };

  function automatic logic [31:0] ioa_word(ioa_regs_t r, logic [11:2] word);
    logic [31:0] data;
    data = '0;
    unique case (word)
      10'h100: data = ioa_addr_low_word(r.addr_low);
      10'h101: data = ioa_addr_high_word(r.addr_high);
      10'h102: data = ioa_data_word(r.data);
      10'h103: data = ioa_command_word(r.command);
      default: ;
    endcase
    return data;
  endfunction

  // ---------------------------------------------------------------------------------------------
  // Link capability (component capability ID 4)
  // ---------------------------------------------------------------------------------------------
  typedef struct packed {
    logic       no_ll_reset;
    logic [7:0] num_free_buf;
    logic [7:0] eseq_echo;
    logic [7:0] wr_ptr;
    logic [4:0] num_phy_reinit;
    logic [4:0] num_retry;
    logic [7:0] wrap_received;
    logic [7:0] wrap_supported;
    logic [3:0] version_received;
    logic [3:0] version_supported;
  } lnk_capability_t;

  parameter lnk_capability_t LnkCapabilityAtReset = '{
    no_ll_reset: 1'h1, num_free_buf: 8'h0, eseq_echo: 8'h0, wr_ptr: 8'h0, num_phy_reinit: 5'h0,
    num_retry: 5'h0, wrap_received: 8'h0, wrap_supported: 8'h0, version_received: 4'h0,
    version_supported: 4'h2
  };

  function automatic logic [63:0] lnk_capability_word(lnk_capability_t f);
    return {5'd0, f.no_ll_reset, f.num_free_buf, f.eseq_echo, f.wr_ptr, f.num_phy_reinit,
        f.num_retry, f.wrap_received, f.wrap_supported, f.version_received, f.version_supported};
  endfunction

  function automatic lnk_capability_t lnk_capability_from(logic [63:0] word);
    return '{
      no_ll_reset: word[58], num_free_buf: word[57:50], eseq_echo: word[49:42],
      wr_ptr: word[41:34], num_phy_reinit: word[33:29], num_retry: word[28:24],
      wrap_received: word[23:16], wrap_supported: word[15:8], version_received: word[7:4],
      version_supported: word[3:0]
    };
  endfunction

  function automatic lnk_capability_t lnk_capability_written(
      lnk_capability_t f, logic [31:0] wdata, logic high);
    lnk_capability_t d;
    d = f;
    d.wrap_supported = high ? f.wrap_supported : wdata[15:8];
    d.version_supported = high ? f.version_supported : wdata[3:0];
    return d;
  endfunction

  typedef struct packed {
    logic [7:0] llrb_consumed;
    logic [1:0] init_state;
    logic       crd_stall;
    logic       init_stall;
    logic       ll_reset;
  } lnk_control_t;

  parameter lnk_control_t LnkControlAtReset = '{
    llrb_consumed: 8'h0, init_state: 2'h0, crd_stall: 1'h0, init_stall: 1'h0, ll_reset: 1'h0
  };

  function automatic logic [63:0] lnk_control_word(lnk_control_t f);
    return {51'd0, f.llrb_consumed, f.init_state, f.crd_stall, f.init_stall, f.ll_reset};
  endfunction

  function automatic lnk_control_t lnk_control_from(logic [63:0] word);
    return '{
      llrb_consumed: word[12:5], init_state: word[4:3], crd_stall: word[2], init_stall: word[1],
      ll_reset: word[0]
    };
  endfunction

  function automatic lnk_control_t lnk_control_written(
      lnk_control_t f, logic [31:0] wdata, logic high);
    lnk_control_t d;
    d = f;
    d.crd_stall = high ? f.crd_stall : wdata[2];
    d.init_stall = high ? f.init_stall : wdata[1];
    return d;
  endfunction

  typedef struct packed {
    logic [9:0] mem_data;
    logic [9:0] mem_nd;
    logic [9:0] cache_data;
    logic [9:0] cache_rsp;
    logic [9:0] cache_req;
  } lnk_rx_credit_t;

  parameter lnk_rx_credit_t LnkRxCreditAtReset = '{
    mem_data: 10'h0, mem_nd: 10'h0, cache_data: 10'h0, cache_rsp: 10'h0, cache_req: 10'h0
  };

  function automatic logic [63:0] lnk_rx_credit_word(lnk_rx_credit_t f);
    return {14'd0, f.mem_data, f.mem_nd, f.cache_data, f.cache_rsp, f.cache_req};
  endfunction

  function automatic lnk_rx_credit_t lnk_rx_credit_from(logic [63:0] word);
    return '{
      mem_data: word[49:40], mem_nd: word[39:30], cache_data: word[29:20], cache_rsp: word[19:10],
      cache_req: word[9:0]
    };
  endfunction

  function automatic lnk_rx_credit_t lnk_rx_credit_written(
      lnk_rx_credit_t f, logic [31:0] wdata, logic high);
    lnk_rx_credit_t d;
    d = f;
    d.mem_data = high ? wdata[17:8] : f.mem_data;
    d.mem_nd = {high ? wdata[7:0] : f.mem_nd[9:2], high ? f.mem_nd[1:0] : wdata[31:30]};
    return d;
  endfunction

  typedef struct packed {
    logic [9:0] mem_data;
    logic [9:0] mem_nd;
    logic [9:0] cache_data;
    logic [9:0] cache_rsp;
    logic [9:0] cache_req;
  } lnk_rx_credit_return_t;

  parameter lnk_rx_credit_return_t LnkRxCreditReturnAtReset = '{
    mem_data: 10'h0, mem_nd: 10'h0, cache_data: 10'h0, cache_rsp: 10'h0, cache_req: 10'h0
  };

  function automatic logic [63:0] lnk_rx_credit_return_word(lnk_rx_credit_return_t f);
    return {14'd0, f.mem_data, f.mem_nd, f.cache_data, f.cache_rsp, f.cache_req};
  endfunction

  function automatic lnk_rx_credit_return_t lnk_rx_credit_return_from(logic [63:0] word);
    return '{
      mem_data: word[49:40], mem_nd: word[39:30], cache_data: word[29:20], cache_rsp: word[19:10],
      cache_req: word[9:0]
    };
  endfunction

  typedef struct packed {
    logic [9:0] mem_data;
    logic [9:0] mem_nd;
    logic [9:0] cache_data;
    logic [9:0] cache_rsp;
    logic [9:0] cache_req;
  } lnk_tx_credit_t;

  parameter lnk_tx_credit_t LnkTxCreditAtReset = '{
    mem_data: 10'h0, mem_nd: 10'h0, cache_data: 10'h0, cache_rsp: 10'h0, cache_req: 10'h0
  };

  function automatic logic [63:0] lnk_tx_credit_word(lnk_tx_credit_t f);
    return {14'd0, f.mem_data, f.mem_nd, f.cache_data, f.cache_rsp, f.cache_req};
  endfunction

  function automatic lnk_tx_credit_t lnk_tx_credit_from(logic [63:0] word);
    return '{
      mem_data: word[49:40], mem_nd: word[39:30], cache_data: word[29:20], cache_rsp: word[19:10],
      cache_req: word[9:0]
    };
  endfunction

  typedef struct packed {
    logic [9:0] flush;
    logic [7:0] ack_force;
  } lnk_ack_timer_t;

  parameter lnk_ack_timer_t LnkAckTimerAtReset = '{flush: 10'h20, ack_force: 8'h10};

  function automatic logic [31:0] lnk_ack_timer_word(lnk_ack_timer_t f);
    return {14'd0, f.flush, f.ack_force};
  endfunction

  function automatic lnk_ack_timer_t lnk_ack_timer_from(logic [31:0] word);
    return '{flush: word[17:8], ack_force: word[7:0]};
  endfunction

  function automatic lnk_ack_timer_t lnk_ack_timer_written(lnk_ack_timer_t f, logic [31:0] wdata);
    lnk_ack_timer_t d;
    d = f;
    d.flush = wdata[17:8];
    d.ack_force = wdata[7:0];
    return d;
  endfunction

  typedef struct packed {
    logic mdh_disable;
  } lnk_defeature_t;

  parameter lnk_defeature_t LnkDefeatureAtReset = '{mdh_disable: 1'h0};

  function automatic logic [31:0] lnk_defeature_word(lnk_defeature_t f);
    return {31'd0, f.mdh_disable};
  endfunction

  function automatic lnk_defeature_t lnk_defeature_from(logic [31:0] word);
    return '{mdh_disable: word[0]};
  endfunction

  function automatic lnk_defeature_t lnk_defeature_written(lnk_defeature_t f, logic [31:0] wdata);
    lnk_defeature_t d;
    d = f;
    d.mdh_disable = wdata[0];
    return d;
  endfunction

  typedef struct packed {
    lnk_capability_t       capability;
    lnk_control_t          control;
    lnk_rx_credit_t        rx_credit;
    lnk_rx_credit_return_t rx_credit_return;
    lnk_tx_credit_t        tx_credit;
    lnk_ack_timer_t        ack_timer;
    lnk_defeature_t        defeature;
  } lnk_regs_t;

  parameter lnk_regs_t LnkRegsAtReset = '{
    capability: LnkCapabilityAtReset, control: LnkControlAtReset, rx_credit: LnkRxCreditAtReset,
    rx_credit_return: LnkRxCreditReturnAtReset, tx_credit: LnkTxCreditAtReset,
    ack_timer: LnkAckTimerAtReset, defeature: LnkDefeatureAtReset
  };

  function automatic logic [31:0] lnk_word(lnk_regs_t r, logic [11:2] word);
    logic [31:0] data;
    logic [63:0] wide;
    data = '0;
    wide = '0;
    unique case (word)
      10'h000: begin
        wide = lnk_capability_word(r.capability);
        data = wide[31:0];
      end
      10'h001: begin
        wide = lnk_capability_word(r.capability);
        data = wide[63:32];
      end
      10'h002: begin
        wide = lnk_control_word(r.control);
        data = wide[31:0];
      end
      10'h003: begin
        wide = lnk_control_word(r.control);
        data = wide[63:32];
      end
      10'h004: begin
        wide = lnk_rx_credit_word(r.rx_credit);
        data = wide[31:0];
      end
      10'h005: begin
        wide = lnk_rx_credit_word(r.rx_credit);
        data = wide[63:32];
      end
      10'h006: begin
        wide = lnk_rx_credit_return_word(r.rx_credit_return);
        data = wide[31:0];
      end
      10'h007: begin
        wide = lnk_rx_credit_return_word(r.rx_credit_return);
        data = wide[63:32];
      end
      10'h008: begin
        wide = lnk_tx_credit_word(r.tx_credit);
        data = wide[31:0];
      end
      10'h009: begin
        wide = lnk_tx_credit_word(r.tx_credit);
        data = wide[63:32];
      end
      10'h00A: data = lnk_ack_timer_word(r.ack_timer);
      10'h00C: data = lnk_defeature_word(r.defeature);
      default: ;
    endcase
    return data;
  endfunction

  // ---------------------------------------------------------------------------------------------
  // CXL device registers
  // ---------------------------------------------------------------------------------------------
  typedef struct packed {
    logic [7:0]  version;
    logic [15:0] id;
  } mbox_array_t;

  parameter mbox_array_t MboxArrayAtReset = '{version: 8'h1, id: 16'h0};

  function automatic logic [31:0] mbox_array_word(mbox_array_t f);
    return {8'd0, f.version, f.id};
  endfunction

  function automatic mbox_array_t mbox_array_from(logic [31:0] word);
    return '{version: word[23:16], id: word[15:0]};
  endfunction

  typedef struct packed {
    logic [15:0] count;
  } mbox_array_count_t;

  parameter mbox_array_count_t MboxArrayCountAtReset = '{count: 16'h3};

  function automatic logic [31:0] mbox_array_count_word(mbox_array_count_t f);
    return {16'd0, f.count};
  endfunction

  function automatic mbox_array_count_t mbox_array_count_from(logic [31:0] word);
    return '{count: word[15:0]};
  endfunction

  typedef struct packed {
    logic [7:0]  version;
    logic [15:0] id;
  } mbox_status_cap_t;

  parameter mbox_status_cap_t MboxStatusCapAtReset = '{version: 8'h1, id: 16'h1};

  function automatic logic [31:0] mbox_status_cap_word(mbox_status_cap_t f);
    return {8'd0, f.version, f.id};
  endfunction

  function automatic mbox_status_cap_t mbox_status_cap_from(logic [31:0] word);
    return '{version: word[23:16], id: word[15:0]};
  endfunction

  typedef struct packed {
    logic [31:0] offset;
  } mbox_status_cap_at_t;

  parameter mbox_status_cap_at_t MboxStatusCapAtAtReset = '{offset: 32'h80};

  function automatic logic [31:0] mbox_status_cap_at_word(mbox_status_cap_at_t f);
    return f.offset;
  endfunction

  function automatic mbox_status_cap_at_t mbox_status_cap_at_from(logic [31:0] word);
    return '{offset: word[31:0]};
  endfunction

  typedef struct packed {
    logic [31:0] length;
  } mbox_status_cap_bytes_t;

  parameter mbox_status_cap_bytes_t MboxStatusCapBytesAtReset = '{length: 32'h8};

  function automatic logic [31:0] mbox_status_cap_bytes_word(mbox_status_cap_bytes_t f);
    return f.length;
  endfunction

  function automatic mbox_status_cap_bytes_t mbox_status_cap_bytes_from(logic [31:0] word);
    return '{length: word[31:0]};
  endfunction

  typedef struct packed {
    logic [7:0]  version;
    logic [15:0] id;
  } mbox_mailbox_cap_t;

  parameter mbox_mailbox_cap_t MboxMailboxCapAtReset = '{version: 8'h1, id: 16'h2};

  function automatic logic [31:0] mbox_mailbox_cap_word(mbox_mailbox_cap_t f);
    return {8'd0, f.version, f.id};
  endfunction

  function automatic mbox_mailbox_cap_t mbox_mailbox_cap_from(logic [31:0] word);
    return '{version: word[23:16], id: word[15:0]};
  endfunction

  typedef struct packed {
    logic [31:0] offset;
  } mbox_mailbox_cap_at_t;

  parameter mbox_mailbox_cap_at_t MboxMailboxCapAtAtReset = '{offset: 32'h100};

  function automatic logic [31:0] mbox_mailbox_cap_at_word(mbox_mailbox_cap_at_t f);
    return f.offset;
  endfunction

  function automatic mbox_mailbox_cap_at_t mbox_mailbox_cap_at_from(logic [31:0] word);
    return '{offset: word[31:0]};
  endfunction

  typedef struct packed {
    logic [31:0] length;
  } mbox_mailbox_cap_bytes_t;

  parameter mbox_mailbox_cap_bytes_t MboxMailboxCapBytesAtReset = '{length: 32'h120};

  function automatic logic [31:0] mbox_mailbox_cap_bytes_word(mbox_mailbox_cap_bytes_t f);
    return f.length;
  endfunction

  function automatic mbox_mailbox_cap_bytes_t mbox_mailbox_cap_bytes_from(logic [31:0] word);
    return '{length: word[31:0]};
  endfunction

  typedef struct packed {
    logic [7:0]  version;
    logic [15:0] id;
  } mbox_memory_cap_t;

  parameter mbox_memory_cap_t MboxMemoryCapAtReset = '{version: 8'h1, id: 16'h4000};

  function automatic logic [31:0] mbox_memory_cap_word(mbox_memory_cap_t f);
    return {8'd0, f.version, f.id};
  endfunction

  function automatic mbox_memory_cap_t mbox_memory_cap_from(logic [31:0] word);
    return '{version: word[23:16], id: word[15:0]};
  endfunction

  typedef struct packed {
    logic [31:0] offset;
  } mbox_memory_cap_at_t;

  parameter mbox_memory_cap_at_t MboxMemoryCapAtAtReset = '{offset: 32'h88};

  function automatic logic [31:0] mbox_memory_cap_at_word(mbox_memory_cap_at_t f);
    return f.offset;
  endfunction

  function automatic mbox_memory_cap_at_t mbox_memory_cap_at_from(logic [31:0] word);
    return '{offset: word[31:0]};
  endfunction

  typedef struct packed {
    logic [31:0] length;
  } mbox_memory_cap_bytes_t;

  parameter mbox_memory_cap_bytes_t MboxMemoryCapBytesAtReset = '{length: 32'h8};

  function automatic logic [31:0] mbox_memory_cap_bytes_word(mbox_memory_cap_bytes_t f);
    return f.length;
  endfunction

  function automatic mbox_memory_cap_bytes_t mbox_memory_cap_bytes_from(logic [31:0] word);
    return '{length: word[31:0]};
  endfunction

  typedef struct packed {
    logic [31:0] logs;
  } mbox_event_status_t;

  parameter mbox_event_status_t MboxEventStatusAtReset = '{logs: 32'h0};

  function automatic logic [31:0] mbox_event_status_word(mbox_event_status_t f);
    return f.logs;
  endfunction

  function automatic mbox_event_status_t mbox_event_status_from(logic [31:0] word);
    return '{logs: word[31:0]};
  endfunction

  typedef struct packed {
    logic [31:0] high;
  } mbox_event_status_high_t;

  parameter mbox_event_status_high_t MboxEventStatusHighAtReset = '{high: 32'h0};

  function automatic logic [31:0] mbox_event_status_high_word(mbox_event_status_high_t f);
    return f.high;
  endfunction

  function automatic mbox_event_status_high_t mbox_event_status_high_from(logic [31:0] word);
    return '{high: word[31:0]};
  endfunction

  typedef struct packed {
    logic [2:0] reset_needed;
    logic       mailbox_ready;
    logic [1:0] media;
    logic       halt;
    logic       fatal;
  } mbox_memory_status_t;

  parameter mbox_memory_status_t MboxMemoryStatusAtReset = '{
    reset_needed: 3'h0, mailbox_ready: 1'h1, media: 2'h0, halt: 1'h0, fatal: 1'h0
  };

  function automatic logic [31:0] mbox_memory_status_word(mbox_memory_status_t f);
    return {24'd0, f.reset_needed, f.mailbox_ready, f.media, f.halt, f.fatal};
  endfunction

  function automatic mbox_memory_status_t mbox_memory_status_from(logic [31:0] word);
    return '{
      reset_needed: word[7:5], mailbox_ready: word[4], media: word[3:2], halt: word[1],
      fatal: word[0]
    };
  endfunction

  typedef struct packed {
    logic [31:0] high;
  } mbox_memory_status_high_t;

  parameter mbox_memory_status_high_t MboxMemoryStatusHighAtReset = '{high: 32'h0};

  function automatic logic [31:0] mbox_memory_status_high_word(mbox_memory_status_high_t f);
    return f.high;
  endfunction

  function automatic mbox_memory_status_high_t mbox_memory_status_high_from(logic [31:0] word);
    return '{high: word[31:0]};
  endfunction

  typedef struct packed {
    logic [3:0] message;
    logic       background_irq;
    logic       doorbell_irq;
    logic [4:0] payload;
  } mbox_capability_t;

  parameter mbox_capability_t MboxCapabilityAtReset = '{
    message: 4'h0, background_irq: 1'h0, doorbell_irq: 1'h0, payload: 5'h8
  };

  function automatic logic [31:0] mbox_capability_word(mbox_capability_t f);
    return {21'd0, f.message, f.background_irq, f.doorbell_irq, f.payload};
  endfunction

  function automatic mbox_capability_t mbox_capability_from(logic [31:0] word);
    return '{
      message: word[10:7], background_irq: word[6], doorbell_irq: word[5], payload: word[4:0]
    };
  endfunction

  typedef struct packed {
    logic background_irq;
    logic doorbell_irq;
    logic doorbell;
  } mbox_control_t;

  parameter mbox_control_t MboxControlAtReset = '{
    background_irq: 1'h0, doorbell_irq: 1'h0, doorbell: 1'h0
  };

  function automatic logic [31:0] mbox_control_word(mbox_control_t f);
    return {29'd0, f.background_irq, f.doorbell_irq, f.doorbell};
  endfunction

  function automatic mbox_control_t mbox_control_from(logic [31:0] word);
    return '{background_irq: word[2], doorbell_irq: word[1], doorbell: word[0]};
  endfunction

  function automatic mbox_control_t mbox_control_written(mbox_control_t f, logic [31:0] wdata);
    mbox_control_t d;
    d = f;
    d.doorbell = wdata[0];
    return d;
  endfunction

  typedef struct packed {
    logic [15:0] length;
    logic [15:0] opcode;
  } mbox_command_t;

  parameter mbox_command_t MboxCommandAtReset = '{length: 16'h0, opcode: 16'h0};

  function automatic logic [31:0] mbox_command_word(mbox_command_t f);
    return {f.length, f.opcode};
  endfunction

  function automatic mbox_command_t mbox_command_from(logic [31:0] word);
    return '{length: word[31:16], opcode: word[15:0]};
  endfunction

  function automatic mbox_command_t mbox_command_written(mbox_command_t f, logic [31:0] wdata);
    mbox_command_t d;
    d = f;
    d.length = wdata[31:16];
    d.opcode = wdata[15:0];
    return d;
  endfunction

  typedef struct packed {
    logic [4:0] length;
  } mbox_command_high_t;

  parameter mbox_command_high_t MboxCommandHighAtReset = '{length: 5'h0};

  function automatic logic [31:0] mbox_command_high_word(mbox_command_high_t f);
    return {27'd0, f.length};
  endfunction

  function automatic mbox_command_high_t mbox_command_high_from(logic [31:0] word);
    return '{length: word[4:0]};
  endfunction

  function automatic mbox_command_high_t mbox_command_high_written(
      mbox_command_high_t f, logic [31:0] wdata);
    mbox_command_high_t d;
    d = f;
    d.length = wdata[4:0];
    return d;
  endfunction

  typedef struct packed {
    logic background;
  } mbox_status_t;

  parameter mbox_status_t MboxStatusAtReset = '{background: 1'h0};

  function automatic logic [31:0] mbox_status_word(mbox_status_t f);
    return {31'd0, f.background};
  endfunction

  function automatic mbox_status_t mbox_status_from(logic [31:0] word);
    return '{background: word[0]};
  endfunction

  typedef struct packed {
    logic [15:0] extended;
    logic [15:0] code;
  } mbox_status_high_t;

  parameter mbox_status_high_t MboxStatusHighAtReset = '{extended: 16'h0, code: 16'h0};

  function automatic logic [31:0] mbox_status_high_word(mbox_status_high_t f);
    return {f.extended, f.code};
  endfunction

  function automatic mbox_status_high_t mbox_status_high_from(logic [31:0] word);
    return '{extended: word[31:16], code: word[15:0]};
  endfunction

  typedef struct packed {
    logic [6:0]  percent;
    logic [15:0] opcode;
  } mbox_background_t;

  parameter mbox_background_t MboxBackgroundAtReset = '{percent: 7'h0, opcode: 16'h0};

  function automatic logic [31:0] mbox_background_word(mbox_background_t f);
    return {9'd0, f.percent, f.opcode};
  endfunction

  function automatic mbox_background_t mbox_background_from(logic [31:0] word);
    return '{percent: word[22:16], opcode: word[15:0]};
  endfunction

  typedef struct packed {
    logic [15:0] extended;
    logic [15:0] code;
  } mbox_background_high_t;

  parameter mbox_background_high_t MboxBackgroundHighAtReset = '{extended: 16'h0, code: 16'h0};

  function automatic logic [31:0] mbox_background_high_word(mbox_background_high_t f);
    return {f.extended, f.code};
  endfunction

  function automatic mbox_background_high_t mbox_background_high_from(logic [31:0] word);
    return '{extended: word[31:16], code: word[15:0]};
  endfunction

  typedef struct packed {
    logic [31:0] data;
  } mbox_payload_word_t;

  parameter mbox_payload_word_t MboxPayloadWordAtReset = '{data: 32'h0};

  function automatic logic [31:0] mbox_payload_word_word(mbox_payload_word_t f);
    return f.data;
  endfunction

  function automatic mbox_payload_word_t mbox_payload_word_from(logic [31:0] word);
    return '{data: word[31:0]};
  endfunction

  function automatic mbox_payload_word_t mbox_payload_word_written(
      mbox_payload_word_t f, logic [31:0] wdata);
    mbox_payload_word_t d;
    d = f;
    d.data = wdata[31:0];
    return d;
  endfunction

  typedef struct packed {
    mbox_payload_word_t word;
  } mbox_payload_t;

  parameter mbox_payload_t MboxPayloadAtReset = '{word: MboxPayloadWordAtReset};

  function automatic logic [31:0] mbox_payload_word(mbox_payload_t r);
    return mbox_payload_word_word(r.word);
  endfunction

  typedef struct packed {
    mbox_array_t              array;
    mbox_array_count_t        array_count;
    mbox_status_cap_t         status_cap;
    mbox_status_cap_at_t      status_cap_at;
    mbox_status_cap_bytes_t   status_cap_bytes;
    mbox_mailbox_cap_t        mailbox_cap;
    mbox_mailbox_cap_at_t     mailbox_cap_at;
    mbox_mailbox_cap_bytes_t  mailbox_cap_bytes;
    mbox_memory_cap_t         memory_cap;
    mbox_memory_cap_at_t      memory_cap_at;
    mbox_memory_cap_bytes_t   memory_cap_bytes;
    mbox_event_status_t       event_status;
    mbox_event_status_high_t  event_status_high;
    mbox_memory_status_t      memory_status;
    mbox_memory_status_high_t memory_status_high;
    mbox_capability_t         capability;
    mbox_control_t            control;
    mbox_command_t            command;
    mbox_command_high_t       command_high;
    mbox_status_t             status;
    mbox_status_high_t        status_high;
    mbox_background_t         background;
    mbox_background_high_t    background_high;
    mbox_payload_t [63:0]     payload;
  } mbox_regs_t;

  parameter mbox_regs_t MboxRegsAtReset = '{
    array: MboxArrayAtReset, array_count: MboxArrayCountAtReset, status_cap: MboxStatusCapAtReset,
    status_cap_at: MboxStatusCapAtAtReset, status_cap_bytes: MboxStatusCapBytesAtReset,
    mailbox_cap: MboxMailboxCapAtReset, mailbox_cap_at: MboxMailboxCapAtAtReset,
    mailbox_cap_bytes: MboxMailboxCapBytesAtReset, memory_cap: MboxMemoryCapAtReset,
    memory_cap_at: MboxMemoryCapAtAtReset, memory_cap_bytes: MboxMemoryCapBytesAtReset,
    event_status: MboxEventStatusAtReset, event_status_high: MboxEventStatusHighAtReset,
    memory_status: MboxMemoryStatusAtReset, memory_status_high: MboxMemoryStatusHighAtReset,
    capability: MboxCapabilityAtReset, control: MboxControlAtReset, command: MboxCommandAtReset,
    command_high: MboxCommandHighAtReset, status: MboxStatusAtReset,
    status_high: MboxStatusHighAtReset, background: MboxBackgroundAtReset,
    background_high: MboxBackgroundHighAtReset, payload: {64{MboxPayloadAtReset}}
  };

  function automatic logic [31:0] mbox_word(mbox_regs_t r, logic [11:2] word);
    logic [31:0] data;
    logic [11:2] payload_at;  // words from the first payload
    data = '0;
    payload_at = word - 10'h048;
    unique case (word)
      10'h000: data = mbox_array_word(r.array);
      10'h001: data = mbox_array_count_word(r.array_count);
      10'h004: data = mbox_status_cap_word(r.status_cap);
      10'h005: data = mbox_status_cap_at_word(r.status_cap_at);
      10'h006: data = mbox_status_cap_bytes_word(r.status_cap_bytes);
      10'h008: data = mbox_mailbox_cap_word(r.mailbox_cap);
      10'h009: data = mbox_mailbox_cap_at_word(r.mailbox_cap_at);
      10'h00A: data = mbox_mailbox_cap_bytes_word(r.mailbox_cap_bytes);
      10'h00C: data = mbox_memory_cap_word(r.memory_cap);
      10'h00D: data = mbox_memory_cap_at_word(r.memory_cap_at);
      10'h00E: data = mbox_memory_cap_bytes_word(r.memory_cap_bytes);
      10'h020: data = mbox_event_status_word(r.event_status);
      10'h021: data = mbox_event_status_high_word(r.event_status_high);
      10'h022: data = mbox_memory_status_word(r.memory_status);
      10'h023: data = mbox_memory_status_high_word(r.memory_status_high);
      10'h040: data = mbox_capability_word(r.capability);
      10'h041: data = mbox_control_word(r.control);
      10'h042: data = mbox_command_word(r.command);
      10'h043: data = mbox_command_high_word(r.command_high);
      10'h044: data = mbox_status_word(r.status);
      10'h045: data = mbox_status_high_word(r.status_high);
      10'h046: data = mbox_background_word(r.background);
      10'h047: data = mbox_background_high_word(r.background_high);
      default: begin
        if (payload_at < 10'd64) begin
          data = mbox_payload_word(r.payload[payload_at[7:2]]);
        end
      end
    endcase
    return data;
  endfunction

  // ---------------------------------------------------------------------------------------------
  // PCI configuration header, type 0
  // ---------------------------------------------------------------------------------------------
  typedef struct packed {
    logic [15:0] id;
  } pci_dev_vendor_t;

  parameter pci_dev_vendor_t PciDevVendorAtReset = '{id: 16'h0};

  function automatic logic [15:0] pci_dev_vendor_word(pci_dev_vendor_t f);
    return f.id;
  endfunction

  function automatic pci_dev_vendor_t pci_dev_vendor_from(logic [15:0] word);
    return '{id: word[15:0]};
  endfunction

  typedef struct packed {
    logic [15:0] id;
  } pci_dev_device_t;

  parameter pci_dev_device_t PciDevDeviceAtReset = '{id: 16'h0};

  function automatic logic [15:0] pci_dev_device_word(pci_dev_device_t f);
    return f.id;
  endfunction

  function automatic pci_dev_device_t pci_dev_device_from(logic [15:0] word);
    return '{id: word[15:0]};
  endfunction

  typedef struct packed {
    logic interrupt_disable;
    logic fast_back_to_back;
    logic serr_enable;
    logic parity_response;
    logic vga_snoop;
    logic write_invalidate;
    logic special_cycle;
    logic bus_master;
    logic memory_space;
    logic io_space;
  } pci_dev_command_t;

  parameter pci_dev_command_t PciDevCommandAtReset = '{
    interrupt_disable: 1'h0, fast_back_to_back: 1'h0, serr_enable: 1'h0, parity_response: 1'h0,
    vga_snoop: 1'h0, write_invalidate: 1'h0, special_cycle: 1'h0, bus_master: 1'h0,
    memory_space: 1'h0, io_space: 1'h0
  };

  function automatic logic [15:0] pci_dev_command_word(pci_dev_command_t f);
    return {5'd0, f.interrupt_disable, f.fast_back_to_back, f.serr_enable, 1'd0, f.parity_response,
        f.vga_snoop, f.write_invalidate, f.special_cycle, f.bus_master, f.memory_space, f.io_space};
  endfunction

  function automatic pci_dev_command_t pci_dev_command_from(logic [15:0] word);
    return '{
      interrupt_disable: word[10], fast_back_to_back: word[9], serr_enable: word[8],
      parity_response: word[6], vga_snoop: word[5], write_invalidate: word[4],
      special_cycle: word[3], bus_master: word[2], memory_space: word[1], io_space: word[0]
    };
  endfunction

  function automatic pci_dev_command_t pci_dev_command_written(
      pci_dev_command_t f, logic [15:0] wdata, logic [1:0] be);
    pci_dev_command_t d;
    d = f;
    d.interrupt_disable = be[1] ? wdata[10] : f.interrupt_disable;
    d.serr_enable = be[1] ? wdata[8] : f.serr_enable;
    d.parity_response = be[0] ? wdata[6] : f.parity_response;
    d.bus_master = be[0] ? wdata[2] : f.bus_master;
    d.memory_space = be[0] ? wdata[1] : f.memory_space;
    return d;
  endfunction

  typedef struct packed {
    logic       detected_parity_error;
    logic       signaled_system_error;
    logic       received_master_abort;
    logic       received_target_abort;
    logic       signaled_target_abort;
    logic [1:0] devsel_timing;
    logic       master_parity_error;
    logic       fast_back_to_back;
    logic       mhz66;
    logic       capabilities_list;
    logic       interrupt_status;
    logic       immediate_readiness;
  } pci_dev_status_t;

  parameter pci_dev_status_t PciDevStatusAtReset = '{
    detected_parity_error: 1'h0, signaled_system_error: 1'h0, received_master_abort: 1'h0,
    received_target_abort: 1'h0, signaled_target_abort: 1'h0, devsel_timing: 2'h0,
    master_parity_error: 1'h0, fast_back_to_back: 1'h0, mhz66: 1'h0, capabilities_list: 1'h1,
    interrupt_status: 1'h0, immediate_readiness: 1'h0
  };

  function automatic logic [15:0] pci_dev_status_word(pci_dev_status_t f);
    return {f.detected_parity_error, f.signaled_system_error, f.received_master_abort,
        f.received_target_abort, f.signaled_target_abort, f.devsel_timing, f.master_parity_error,
        f.fast_back_to_back, 1'd0, f.mhz66, f.capabilities_list, f.interrupt_status, 2'd0,
        f.immediate_readiness};
  endfunction

  function automatic pci_dev_status_t pci_dev_status_from(logic [15:0] word);
    return '{
      detected_parity_error: word[15], signaled_system_error: word[14],
      received_master_abort: word[13], received_target_abort: word[12],
      signaled_target_abort: word[11], devsel_timing: word[10:9], master_parity_error: word[8],
      fast_back_to_back: word[7], mhz66: word[5], capabilities_list: word[4],
      interrupt_status: word[3], immediate_readiness: word[0]
    };
  endfunction

  function automatic pci_dev_status_t pci_dev_status_written(
      pci_dev_status_t f, logic [15:0] wdata, logic [1:0] be);
    pci_dev_status_t d;
    d = f;
    d.detected_parity_error = be[1] ? f.detected_parity_error & ~wdata[15]
        : f.detected_parity_error;
    d.signaled_target_abort = be[1] ? f.signaled_target_abort & ~wdata[11]
        : f.signaled_target_abort;
    return d;
  endfunction

  typedef struct packed {
    logic [7:0] id;
  } pci_dev_revision_t;

  parameter pci_dev_revision_t PciDevRevisionAtReset = '{id: 8'h0};

  function automatic logic [7:0] pci_dev_revision_word(pci_dev_revision_t f);
    return f.id;
  endfunction

  function automatic pci_dev_revision_t pci_dev_revision_from(logic [7:0] word);
    return '{id: word[7:0]};
  endfunction

  typedef struct packed {
    logic [7:0] code;
  } pci_dev_prog_if_t;

  parameter pci_dev_prog_if_t PciDevProgIfAtReset = '{code: 8'h10};

  function automatic logic [7:0] pci_dev_prog_if_word(pci_dev_prog_if_t f);
    return f.code;
  endfunction

  function automatic pci_dev_prog_if_t pci_dev_prog_if_from(logic [7:0] word);
    return '{code: word[7:0]};
  endfunction

  typedef struct packed {
    logic [15:0] code;
  } pci_dev_class_code_t;

  parameter pci_dev_class_code_t PciDevClassCodeAtReset = '{code: 16'h502};

  function automatic logic [15:0] pci_dev_class_code_word(pci_dev_class_code_t f);
    return f.code;
  endfunction

  function automatic pci_dev_class_code_t pci_dev_class_code_from(logic [15:0] word);
    return '{code: word[15:0]};
  endfunction

  typedef struct packed {
    logic [7:0] size;
  } pci_dev_cache_line_t;

  parameter pci_dev_cache_line_t PciDevCacheLineAtReset = '{size: 8'h0};

  function automatic logic [7:0] pci_dev_cache_line_word(pci_dev_cache_line_t f);
    return f.size;
  endfunction

  function automatic pci_dev_cache_line_t pci_dev_cache_line_from(logic [7:0] word);
    return '{size: word[7:0]};
  endfunction

  function automatic pci_dev_cache_line_t pci_dev_cache_line_written(
      pci_dev_cache_line_t f, logic [7:0] wdata, logic be);
    pci_dev_cache_line_t d;
    d = f;
    d.size = be ? wdata[7:0] : f.size;
    return d;
  endfunction

  typedef struct packed {
    logic [7:0] cycles;
  } pci_dev_latency_timer_t;

  parameter pci_dev_latency_timer_t PciDevLatencyTimerAtReset = '{cycles: 8'h0};

  function automatic logic [7:0] pci_dev_latency_timer_word(pci_dev_latency_timer_t f);
    return f.cycles;
  endfunction

  function automatic pci_dev_latency_timer_t pci_dev_latency_timer_from(logic [7:0] word);
    return '{cycles: word[7:0]};
  endfunction

  typedef struct packed {
    logic       multi_function;
    logic [6:0] layout;
  } pci_dev_header_type_t;

  parameter pci_dev_header_type_t PciDevHeaderTypeAtReset = '{multi_function: 1'h0, layout: 7'h0};

  function automatic logic [7:0] pci_dev_header_type_word(pci_dev_header_type_t f);
    return {f.multi_function, f.layout};
  endfunction

  function automatic pci_dev_header_type_t pci_dev_header_type_from(logic [7:0] word);
    return '{multi_function: word[7], layout: word[6:0]};
  endfunction

  typedef struct packed {
    logic [7:0] bist;
  } pci_dev_self_test_t;

  parameter pci_dev_self_test_t PciDevSelfTestAtReset = '{bist: 8'h0};

  function automatic logic [7:0] pci_dev_self_test_word(pci_dev_self_test_t f);
    return f.bist;
  endfunction

  function automatic pci_dev_self_test_t pci_dev_self_test_from(logic [7:0] word);
    return '{bist: word[7:0]};
  endfunction

  typedef struct packed {
    logic [13:0] base;
    logic        prefetchable;
    logic [1:0]  kind;
    logic        io_space;
  } pci_dev_bar0_low_t;

  parameter pci_dev_bar0_low_t PciDevBar0LowAtReset = '{
    base: 14'h0, prefetchable: 1'h0, kind: 2'h2, io_space: 1'h0
  };

  function automatic logic [31:0] pci_dev_bar0_low_word(pci_dev_bar0_low_t f);
    return {f.base, 14'd0, f.prefetchable, f.kind, f.io_space};
  endfunction

  function automatic pci_dev_bar0_low_t pci_dev_bar0_low_from(logic [31:0] word);
    return '{base: word[31:18], prefetchable: word[3], kind: word[2:1], io_space: word[0]};
  endfunction

  function automatic pci_dev_bar0_low_t pci_dev_bar0_low_written(
      pci_dev_bar0_low_t f, logic [31:0] wdata, logic [3:0] be);
    pci_dev_bar0_low_t d;
    d = f;
    d.base = {be[3] ? wdata[31:24] : f.base[13:6], be[2] ? wdata[23:18] : f.base[5:0]};
    return d;
  endfunction

  typedef struct packed {
    logic [31:0] base;
  } pci_dev_bar0_high_t;

  parameter pci_dev_bar0_high_t PciDevBar0HighAtReset = '{base: 32'h0};

  function automatic logic [31:0] pci_dev_bar0_high_word(pci_dev_bar0_high_t f);
    return f.base;
  endfunction

  function automatic pci_dev_bar0_high_t pci_dev_bar0_high_from(logic [31:0] word);
    return '{base: word[31:0]};
  endfunction

  function automatic pci_dev_bar0_high_t pci_dev_bar0_high_written(
      pci_dev_bar0_high_t f, logic [31:0] wdata, logic [3:0] be);
    pci_dev_bar0_high_t d;
    d = f;
    d.base = {be[3] ? wdata[31:24] : f.base[31:24], be[2] ? wdata[23:16] : f.base[23:16], be[1]
        ? wdata[15:8] : f.base[15:8], be[0] ? wdata[7:0] : f.base[7:0]};
    return d;
  endfunction

  typedef struct packed {
    logic [15:0] id;
  } pci_dev_subsystem_vendor_t;

  parameter pci_dev_subsystem_vendor_t PciDevSubsystemVendorAtReset = '{id: 16'h0};

  function automatic logic [15:0] pci_dev_subsystem_vendor_word(pci_dev_subsystem_vendor_t f);
    return f.id;
  endfunction

  function automatic pci_dev_subsystem_vendor_t pci_dev_subsystem_vendor_from(logic [15:0] word);
    return '{id: word[15:0]};
  endfunction

  typedef struct packed {
    logic [15:0] id;
  } pci_dev_subsystem_t;

  parameter pci_dev_subsystem_t PciDevSubsystemAtReset = '{id: 16'h0};

  function automatic logic [15:0] pci_dev_subsystem_word(pci_dev_subsystem_t f);
    return f.id;
  endfunction

  function automatic pci_dev_subsystem_t pci_dev_subsystem_from(logic [15:0] word);
    return '{id: word[15:0]};
  endfunction

  typedef struct packed {
    logic [7:0] pointer;
  } pci_dev_capabilities_t;

  parameter pci_dev_capabilities_t PciDevCapabilitiesAtReset = '{pointer: 8'h40};

  function automatic logic [7:0] pci_dev_capabilities_word(pci_dev_capabilities_t f);
    return f.pointer;
  endfunction

  function automatic pci_dev_capabilities_t pci_dev_capabilities_from(logic [7:0] word);
    return '{pointer: word[7:0]};
  endfunction

  typedef struct packed {
    logic [7:0] line;
  } pci_dev_interrupt_line_t;

  parameter pci_dev_interrupt_line_t PciDevInterruptLineAtReset = '{line: 8'h0};

  function automatic logic [7:0] pci_dev_interrupt_line_word(pci_dev_interrupt_line_t f);
    return f.line;
  endfunction

  function automatic pci_dev_interrupt_line_t pci_dev_interrupt_line_from(logic [7:0] word);
    return '{line: word[7:0]};
  endfunction

  function automatic pci_dev_interrupt_line_t pci_dev_interrupt_line_written(
      pci_dev_interrupt_line_t f, logic [7:0] wdata, logic be);
    pci_dev_interrupt_line_t d;
    d = f;
    d.line = be ? wdata[7:0] : f.line;
    return d;
  endfunction

  typedef struct packed {
    logic [7:0] pin;
  } pci_dev_interrupt_pin_t;

  parameter pci_dev_interrupt_pin_t PciDevInterruptPinAtReset = '{pin: 8'h0};

  function automatic logic [7:0] pci_dev_interrupt_pin_word(pci_dev_interrupt_pin_t f);
    return f.pin;
  endfunction

  function automatic pci_dev_interrupt_pin_t pci_dev_interrupt_pin_from(logic [7:0] word);
    return '{pin: word[7:0]};
  endfunction

  typedef struct packed {
    pci_dev_vendor_t           vendor;
    pci_dev_device_t           device;
    pci_dev_command_t          command;
    pci_dev_status_t           status;
    pci_dev_revision_t         revision;
    pci_dev_prog_if_t          prog_if;
    pci_dev_class_code_t       class_code;
    pci_dev_cache_line_t       cache_line;
    pci_dev_latency_timer_t    latency_timer;
    pci_dev_header_type_t      header_type;
    pci_dev_self_test_t        self_test;
    pci_dev_bar0_low_t         bar0_low;
    pci_dev_bar0_high_t        bar0_high;
    pci_dev_subsystem_vendor_t subsystem_vendor;
    pci_dev_subsystem_t        subsystem;
    pci_dev_capabilities_t     capabilities;
    pci_dev_interrupt_line_t   interrupt_line;
    pci_dev_interrupt_pin_t    interrupt_pin;
  } pci_dev_regs_t;

  parameter pci_dev_regs_t PciDevRegsAtReset = '{
    vendor: PciDevVendorAtReset, device: PciDevDeviceAtReset, command: PciDevCommandAtReset,
    status: PciDevStatusAtReset, revision: PciDevRevisionAtReset, prog_if: PciDevProgIfAtReset,
    class_code: PciDevClassCodeAtReset, cache_line: PciDevCacheLineAtReset,
    latency_timer: PciDevLatencyTimerAtReset, header_type: PciDevHeaderTypeAtReset,
    self_test: PciDevSelfTestAtReset, bar0_low: PciDevBar0LowAtReset,
    bar0_high: PciDevBar0HighAtReset, subsystem_vendor: PciDevSubsystemVendorAtReset,
    subsystem: PciDevSubsystemAtReset, capabilities: PciDevCapabilitiesAtReset,
    interrupt_line: PciDevInterruptLineAtReset, interrupt_pin: PciDevInterruptPinAtReset
  };

  function automatic logic [31:0] pci_dev_word(pci_dev_regs_t r, logic [11:2] word);
    logic [31:0] data;
    data = '0;
    unique case (word)
      10'h000: data = {pci_dev_device_word(r.device), pci_dev_vendor_word(r.vendor)};
      10'h001: data = {pci_dev_status_word(r.status), pci_dev_command_word(r.command)};
      10'h002: data = {pci_dev_class_code_word(r.class_code), pci_dev_prog_if_word(r.prog_if),
          pci_dev_revision_word(r.revision)};
      10'h003: data = {pci_dev_self_test_word(r.self_test), pci_dev_header_type_word(r.header_type),
          pci_dev_latency_timer_word(r.latency_timer), pci_dev_cache_line_word(r.cache_line)};
      10'h004: data = pci_dev_bar0_low_word(r.bar0_low);
      10'h005: data = pci_dev_bar0_high_word(r.bar0_high);
      10'h00B: data = {pci_dev_subsystem_word(r.subsystem),
          pci_dev_subsystem_vendor_word(r.subsystem_vendor)};
      10'h00D: data = {24'd0, pci_dev_capabilities_word(r.capabilities)};
      10'h00F: data = {16'd0, pci_dev_interrupt_pin_word(r.interrupt_pin),
          pci_dev_interrupt_line_word(r.interrupt_line)};
      default: ;
    endcase
    return data;
  endfunction

  // ---------------------------------------------------------------------------------------------
  // PCI configuration header, type 1
  // ---------------------------------------------------------------------------------------------
  typedef struct packed {
    logic [15:0] id;
  } pci_port_vendor_t;

  parameter pci_port_vendor_t PciPortVendorAtReset = '{id: 16'h0};

  function automatic logic [15:0] pci_port_vendor_word(pci_port_vendor_t f);
    return f.id;
  endfunction

  function automatic pci_port_vendor_t pci_port_vendor_from(logic [15:0] word);
    return '{id: word[15:0]};
  endfunction

  typedef struct packed {
    logic [15:0] id;
  } pci_port_device_t;

  parameter pci_port_device_t PciPortDeviceAtReset = '{id: 16'h0};

  function automatic logic [15:0] pci_port_device_word(pci_port_device_t f);
    return f.id;
  endfunction

  function automatic pci_port_device_t pci_port_device_from(logic [15:0] word);
    return '{id: word[15:0]};
  endfunction

  typedef struct packed {
    logic interrupt_disable;
    logic fast_back_to_back;
    logic serr_enable;
    logic parity_response;
    logic vga_snoop;
    logic write_invalidate;
    logic special_cycle;
    logic bus_master;
    logic memory_space;
    logic io_space;
  } pci_port_command_t;

  parameter pci_port_command_t PciPortCommandAtReset = '{
    interrupt_disable: 1'h0, fast_back_to_back: 1'h0, serr_enable: 1'h0, parity_response: 1'h0,
    vga_snoop: 1'h0, write_invalidate: 1'h0, special_cycle: 1'h0, bus_master: 1'h0,
    memory_space: 1'h0, io_space: 1'h0
  };

  function automatic logic [15:0] pci_port_command_word(pci_port_command_t f);
    return {5'd0, f.interrupt_disable, f.fast_back_to_back, f.serr_enable, 1'd0, f.parity_response,
        f.vga_snoop, f.write_invalidate, f.special_cycle, f.bus_master, f.memory_space, f.io_space};
  endfunction

  function automatic pci_port_command_t pci_port_command_from(logic [15:0] word);
    return '{
      interrupt_disable: word[10], fast_back_to_back: word[9], serr_enable: word[8],
      parity_response: word[6], vga_snoop: word[5], write_invalidate: word[4],
      special_cycle: word[3], bus_master: word[2], memory_space: word[1], io_space: word[0]
    };
  endfunction

  function automatic pci_port_command_t pci_port_command_written(
      pci_port_command_t f, logic [15:0] wdata, logic [1:0] be);
    pci_port_command_t d;
    d = f;
    d.interrupt_disable = be[1] ? wdata[10] : f.interrupt_disable;
    d.serr_enable = be[1] ? wdata[8] : f.serr_enable;
    d.parity_response = be[0] ? wdata[6] : f.parity_response;
    d.bus_master = be[0] ? wdata[2] : f.bus_master;
    d.memory_space = be[0] ? wdata[1] : f.memory_space;
    return d;
  endfunction

  typedef struct packed {
    logic       detected_parity_error;
    logic       signaled_system_error;
    logic       received_master_abort;
    logic       received_target_abort;
    logic       signaled_target_abort;
    logic [1:0] devsel_timing;
    logic       master_parity_error;
    logic       fast_back_to_back;
    logic       mhz66;
    logic       capabilities_list;
    logic       interrupt_status;
    logic       immediate_readiness;
  } pci_port_status_t;

  parameter pci_port_status_t PciPortStatusAtReset = '{
    detected_parity_error: 1'h0, signaled_system_error: 1'h0, received_master_abort: 1'h0,
    received_target_abort: 1'h0, signaled_target_abort: 1'h0, devsel_timing: 2'h0,
    master_parity_error: 1'h0, fast_back_to_back: 1'h0, mhz66: 1'h0, capabilities_list: 1'h1,
    interrupt_status: 1'h0, immediate_readiness: 1'h0
  };

  function automatic logic [15:0] pci_port_status_word(pci_port_status_t f);
    return {f.detected_parity_error, f.signaled_system_error, f.received_master_abort,
        f.received_target_abort, f.signaled_target_abort, f.devsel_timing, f.master_parity_error,
        f.fast_back_to_back, 1'd0, f.mhz66, f.capabilities_list, f.interrupt_status, 2'd0,
        f.immediate_readiness};
  endfunction

  function automatic pci_port_status_t pci_port_status_from(logic [15:0] word);
    return '{
      detected_parity_error: word[15], signaled_system_error: word[14],
      received_master_abort: word[13], received_target_abort: word[12],
      signaled_target_abort: word[11], devsel_timing: word[10:9], master_parity_error: word[8],
      fast_back_to_back: word[7], mhz66: word[5], capabilities_list: word[4],
      interrupt_status: word[3], immediate_readiness: word[0]
    };
  endfunction

  typedef struct packed {
    logic [7:0] id;
  } pci_port_revision_t;

  parameter pci_port_revision_t PciPortRevisionAtReset = '{id: 8'h0};

  function automatic logic [7:0] pci_port_revision_word(pci_port_revision_t f);
    return f.id;
  endfunction

  function automatic pci_port_revision_t pci_port_revision_from(logic [7:0] word);
    return '{id: word[7:0]};
  endfunction

  typedef struct packed {
    logic [7:0] code;
  } pci_port_prog_if_t;

  parameter pci_port_prog_if_t PciPortProgIfAtReset = '{code: 8'h0};

  function automatic logic [7:0] pci_port_prog_if_word(pci_port_prog_if_t f);
    return f.code;
  endfunction

  function automatic pci_port_prog_if_t pci_port_prog_if_from(logic [7:0] word);
    return '{code: word[7:0]};
  endfunction

  typedef struct packed {
    logic [15:0] code;
  } pci_port_class_code_t;

  parameter pci_port_class_code_t PciPortClassCodeAtReset = '{code: 16'h604};

  function automatic logic [15:0] pci_port_class_code_word(pci_port_class_code_t f);
    return f.code;
  endfunction

  function automatic pci_port_class_code_t pci_port_class_code_from(logic [15:0] word);
    return '{code: word[15:0]};
  endfunction

  typedef struct packed {
    logic [7:0] size;
  } pci_port_cache_line_t;

  parameter pci_port_cache_line_t PciPortCacheLineAtReset = '{size: 8'h0};

  function automatic logic [7:0] pci_port_cache_line_word(pci_port_cache_line_t f);
    return f.size;
  endfunction

  function automatic pci_port_cache_line_t pci_port_cache_line_from(logic [7:0] word);
    return '{size: word[7:0]};
  endfunction

  function automatic pci_port_cache_line_t pci_port_cache_line_written(
      pci_port_cache_line_t f, logic [7:0] wdata, logic be);
    pci_port_cache_line_t d;
    d = f;
    d.size = be ? wdata[7:0] : f.size;
    return d;
  endfunction

  typedef struct packed {
    logic [7:0] cycles;
  } pci_port_latency_timer_t;

  parameter pci_port_latency_timer_t PciPortLatencyTimerAtReset = '{cycles: 8'h0};

  function automatic logic [7:0] pci_port_latency_timer_word(pci_port_latency_timer_t f);
    return f.cycles;
  endfunction

  function automatic pci_port_latency_timer_t pci_port_latency_timer_from(logic [7:0] word);
    return '{cycles: word[7:0]};
  endfunction

  typedef struct packed {
    logic       multi_function;
    logic [6:0] layout;
  } pci_port_header_type_t;

  parameter pci_port_header_type_t PciPortHeaderTypeAtReset = '{multi_function: 1'h0, layout: 7'h1};

  function automatic logic [7:0] pci_port_header_type_word(pci_port_header_type_t f);
    return {f.multi_function, f.layout};
  endfunction

  function automatic pci_port_header_type_t pci_port_header_type_from(logic [7:0] word);
    return '{multi_function: word[7], layout: word[6:0]};
  endfunction

  typedef struct packed {
    logic [7:0] bist;
  } pci_port_self_test_t;

  parameter pci_port_self_test_t PciPortSelfTestAtReset = '{bist: 8'h0};

  function automatic logic [7:0] pci_port_self_test_word(pci_port_self_test_t f);
    return f.bist;
  endfunction

  function automatic pci_port_self_test_t pci_port_self_test_from(logic [7:0] word);
    return '{bist: word[7:0]};
  endfunction

  typedef struct packed {
    logic [15:0] base;
    logic        prefetchable;
    logic [1:0]  kind;
    logic        io_space;
  } pci_port_bar0_low_t;

  parameter pci_port_bar0_low_t PciPortBar0LowAtReset = '{
    base: 16'h0, prefetchable: 1'h0, kind: 2'h2, io_space: 1'h0
  };

  function automatic logic [31:0] pci_port_bar0_low_word(pci_port_bar0_low_t f);
    return {f.base, 12'd0, f.prefetchable, f.kind, f.io_space};
  endfunction

  function automatic pci_port_bar0_low_t pci_port_bar0_low_from(logic [31:0] word);
    return '{base: word[31:16], prefetchable: word[3], kind: word[2:1], io_space: word[0]};
  endfunction

  function automatic pci_port_bar0_low_t pci_port_bar0_low_written(
      pci_port_bar0_low_t f, logic [31:0] wdata, logic [3:0] be);
    pci_port_bar0_low_t d;
    d = f;
    d.base = {be[3] ? wdata[31:24] : f.base[15:8], be[2] ? wdata[23:16] : f.base[7:0]};
    return d;
  endfunction

  typedef struct packed {
    logic [31:0] base;
  } pci_port_bar0_high_t;

  parameter pci_port_bar0_high_t PciPortBar0HighAtReset = '{base: 32'h0};

  function automatic logic [31:0] pci_port_bar0_high_word(pci_port_bar0_high_t f);
    return f.base;
  endfunction

  function automatic pci_port_bar0_high_t pci_port_bar0_high_from(logic [31:0] word);
    return '{base: word[31:0]};
  endfunction

  function automatic pci_port_bar0_high_t pci_port_bar0_high_written(
      pci_port_bar0_high_t f, logic [31:0] wdata, logic [3:0] be);
    pci_port_bar0_high_t d;
    d = f;
    d.base = {be[3] ? wdata[31:24] : f.base[31:24], be[2] ? wdata[23:16] : f.base[23:16], be[1]
        ? wdata[15:8] : f.base[15:8], be[0] ? wdata[7:0] : f.base[7:0]};
    return d;
  endfunction

  typedef struct packed {
    logic [7:0] bus;
  } pci_port_primary_t;

  parameter pci_port_primary_t PciPortPrimaryAtReset = '{bus: 8'h0};

  function automatic logic [7:0] pci_port_primary_word(pci_port_primary_t f);
    return f.bus;
  endfunction

  function automatic pci_port_primary_t pci_port_primary_from(logic [7:0] word);
    return '{bus: word[7:0]};
  endfunction

  function automatic pci_port_primary_t pci_port_primary_written(
      pci_port_primary_t f, logic [7:0] wdata, logic be);
    pci_port_primary_t d;
    d = f;
    d.bus = be ? wdata[7:0] : f.bus;
    return d;
  endfunction

  typedef struct packed {
    logic [7:0] bus;
  } pci_port_secondary_t;

  parameter pci_port_secondary_t PciPortSecondaryAtReset = '{bus: 8'h0};

  function automatic logic [7:0] pci_port_secondary_word(pci_port_secondary_t f);
    return f.bus;
  endfunction

  function automatic pci_port_secondary_t pci_port_secondary_from(logic [7:0] word);
    return '{bus: word[7:0]};
  endfunction

  function automatic pci_port_secondary_t pci_port_secondary_written(
      pci_port_secondary_t f, logic [7:0] wdata, logic be);
    pci_port_secondary_t d;
    d = f;
    d.bus = be ? wdata[7:0] : f.bus;
    return d;
  endfunction

  typedef struct packed {
    logic [7:0] bus;
  } pci_port_subordinate_t;

  parameter pci_port_subordinate_t PciPortSubordinateAtReset = '{bus: 8'h0};

  function automatic logic [7:0] pci_port_subordinate_word(pci_port_subordinate_t f);
    return f.bus;
  endfunction

  function automatic pci_port_subordinate_t pci_port_subordinate_from(logic [7:0] word);
    return '{bus: word[7:0]};
  endfunction

  function automatic pci_port_subordinate_t pci_port_subordinate_written(
      pci_port_subordinate_t f, logic [7:0] wdata, logic be);
    pci_port_subordinate_t d;
    d = f;
    d.bus = be ? wdata[7:0] : f.bus;
    return d;
  endfunction

  typedef struct packed {
    logic [7:0] cycles;
  } pci_port_secondary_latency_t;

  parameter pci_port_secondary_latency_t PciPortSecondaryLatencyAtReset = '{cycles: 8'h0};

  function automatic logic [7:0] pci_port_secondary_latency_word(pci_port_secondary_latency_t f);
    return f.cycles;
  endfunction

  function automatic pci_port_secondary_latency_t pci_port_secondary_latency_from(logic [7:0] word);
    return '{cycles: word[7:0]};
  endfunction

  typedef struct packed {
    logic [7:0] base;
  } pci_port_io_base_t;

  parameter pci_port_io_base_t PciPortIoBaseAtReset = '{base: 8'h0};

  function automatic logic [7:0] pci_port_io_base_word(pci_port_io_base_t f);
    return f.base;
  endfunction

  function automatic pci_port_io_base_t pci_port_io_base_from(logic [7:0] word);
    return '{base: word[7:0]};
  endfunction

  typedef struct packed {
    logic [7:0] limit;
  } pci_port_io_limit_t;

  parameter pci_port_io_limit_t PciPortIoLimitAtReset = '{limit: 8'h0};

  function automatic logic [7:0] pci_port_io_limit_word(pci_port_io_limit_t f);
    return f.limit;
  endfunction

  function automatic pci_port_io_limit_t pci_port_io_limit_from(logic [7:0] word);
    return '{limit: word[7:0]};
  endfunction

  typedef struct packed {
    logic [15:0] status;
  } pci_port_secondary_status_t;

  parameter pci_port_secondary_status_t PciPortSecondaryStatusAtReset = '{status: 16'h0};

  function automatic logic [15:0] pci_port_secondary_status_word(pci_port_secondary_status_t f);
    return f.status;
  endfunction

  function automatic pci_port_secondary_status_t pci_port_secondary_status_from(logic [15:0] word);
    return '{status: word[15:0]};
  endfunction

  typedef struct packed {
    logic [11:0] base;
  } pci_port_mem_base_t;

  parameter pci_port_mem_base_t PciPortMemBaseAtReset = '{base: 12'h0};

  function automatic logic [15:0] pci_port_mem_base_word(pci_port_mem_base_t f);
    return {f.base, 4'd0};
  endfunction

  function automatic pci_port_mem_base_t pci_port_mem_base_from(logic [15:0] word);
    return '{base: word[15:4]};
  endfunction

  function automatic pci_port_mem_base_t pci_port_mem_base_written(
      pci_port_mem_base_t f, logic [15:0] wdata, logic [1:0] be);
    pci_port_mem_base_t d;
    d = f;
    d.base = {be[1] ? wdata[15:8] : f.base[11:4], be[0] ? wdata[7:4] : f.base[3:0]};
    return d;
  endfunction

  typedef struct packed {
    logic [11:0] limit;
  } pci_port_mem_limit_t;

  parameter pci_port_mem_limit_t PciPortMemLimitAtReset = '{limit: 12'h0};

  function automatic logic [15:0] pci_port_mem_limit_word(pci_port_mem_limit_t f);
    return {f.limit, 4'd0};
  endfunction

  function automatic pci_port_mem_limit_t pci_port_mem_limit_from(logic [15:0] word);
    return '{limit: word[15:4]};
  endfunction

  function automatic pci_port_mem_limit_t pci_port_mem_limit_written(
      pci_port_mem_limit_t f, logic [15:0] wdata, logic [1:0] be);
    pci_port_mem_limit_t d;
    d = f;
    d.limit = {be[1] ? wdata[15:8] : f.limit[11:4], be[0] ? wdata[7:4] : f.limit[3:0]};
    return d;
  endfunction

  typedef struct packed {
    logic [11:0] base;
    logic        wide;
  } pci_port_pre_base_t;

  parameter pci_port_pre_base_t PciPortPreBaseAtReset = '{base: 12'h0, wide: 1'h1};

  function automatic logic [15:0] pci_port_pre_base_word(pci_port_pre_base_t f);
    return {f.base, 3'd0, f.wide};
  endfunction

  function automatic pci_port_pre_base_t pci_port_pre_base_from(logic [15:0] word);
    return '{base: word[15:4], wide: word[0]};
  endfunction

  function automatic pci_port_pre_base_t pci_port_pre_base_written(
      pci_port_pre_base_t f, logic [15:0] wdata, logic [1:0] be);
    pci_port_pre_base_t d;
    d = f;
    d.base = {be[1] ? wdata[15:8] : f.base[11:4], be[0] ? wdata[7:4] : f.base[3:0]};
    return d;
  endfunction

  typedef struct packed {
    logic [11:0] limit;
    logic        wide;
  } pci_port_pre_limit_t;

  parameter pci_port_pre_limit_t PciPortPreLimitAtReset = '{limit: 12'h0, wide: 1'h1};

  function automatic logic [15:0] pci_port_pre_limit_word(pci_port_pre_limit_t f);
    return {f.limit, 3'd0, f.wide};
  endfunction

  function automatic pci_port_pre_limit_t pci_port_pre_limit_from(logic [15:0] word);
    return '{limit: word[15:4], wide: word[0]};
  endfunction

  function automatic pci_port_pre_limit_t pci_port_pre_limit_written(
      pci_port_pre_limit_t f, logic [15:0] wdata, logic [1:0] be);
    pci_port_pre_limit_t d;
    d = f;
    d.limit = {be[1] ? wdata[15:8] : f.limit[11:4], be[0] ? wdata[7:4] : f.limit[3:0]};
    return d;
  endfunction

  typedef struct packed {
    logic [31:0] base;
  } pci_port_pre_base_high_t;

  parameter pci_port_pre_base_high_t PciPortPreBaseHighAtReset = '{base: 32'h0};

  function automatic logic [31:0] pci_port_pre_base_high_word(pci_port_pre_base_high_t f);
    return f.base;
  endfunction

  function automatic pci_port_pre_base_high_t pci_port_pre_base_high_from(logic [31:0] word);
    return '{base: word[31:0]};
  endfunction

  function automatic pci_port_pre_base_high_t pci_port_pre_base_high_written(
      pci_port_pre_base_high_t f, logic [31:0] wdata, logic [3:0] be);
    pci_port_pre_base_high_t d;
    d = f;
    d.base = {be[3] ? wdata[31:24] : f.base[31:24], be[2] ? wdata[23:16] : f.base[23:16], be[1]
        ? wdata[15:8] : f.base[15:8], be[0] ? wdata[7:0] : f.base[7:0]};
    return d;
  endfunction

  typedef struct packed {
    logic [31:0] limit;
  } pci_port_pre_limit_high_t;

  parameter pci_port_pre_limit_high_t PciPortPreLimitHighAtReset = '{limit: 32'h0};

  function automatic logic [31:0] pci_port_pre_limit_high_word(pci_port_pre_limit_high_t f);
    return f.limit;
  endfunction

  function automatic pci_port_pre_limit_high_t pci_port_pre_limit_high_from(logic [31:0] word);
    return '{limit: word[31:0]};
  endfunction

  function automatic pci_port_pre_limit_high_t pci_port_pre_limit_high_written(
      pci_port_pre_limit_high_t f, logic [31:0] wdata, logic [3:0] be);
    pci_port_pre_limit_high_t d;
    d = f;
    d.limit = {be[3] ? wdata[31:24] : f.limit[31:24], be[2] ? wdata[23:16] : f.limit[23:16], be[1]
        ? wdata[15:8] : f.limit[15:8], be[0] ? wdata[7:0] : f.limit[7:0]};
    return d;
  endfunction

  typedef struct packed {
    logic [31:0] bounds;
  } pci_port_io_high_t;

  parameter pci_port_io_high_t PciPortIoHighAtReset = '{bounds: 32'h0};

  function automatic logic [31:0] pci_port_io_high_word(pci_port_io_high_t f);
    return f.bounds;
  endfunction

  function automatic pci_port_io_high_t pci_port_io_high_from(logic [31:0] word);
    return '{bounds: word[31:0]};
  endfunction

  typedef struct packed {
    logic [7:0] pointer;
  } pci_port_capabilities_t;

  parameter pci_port_capabilities_t PciPortCapabilitiesAtReset = '{pointer: 8'h40};

  function automatic logic [7:0] pci_port_capabilities_word(pci_port_capabilities_t f);
    return f.pointer;
  endfunction

  function automatic pci_port_capabilities_t pci_port_capabilities_from(logic [7:0] word);
    return '{pointer: word[7:0]};
  endfunction

  typedef struct packed {
    logic [31:0] base;
  } pci_port_rom_t;

  parameter pci_port_rom_t PciPortRomAtReset = '{base: 32'h0};

  function automatic logic [31:0] pci_port_rom_word(pci_port_rom_t f);
    return f.base;
  endfunction

  function automatic pci_port_rom_t pci_port_rom_from(logic [31:0] word);
    return '{base: word[31:0]};
  endfunction

  typedef struct packed {
    logic [7:0] line;
  } pci_port_interrupt_line_t;

  parameter pci_port_interrupt_line_t PciPortInterruptLineAtReset = '{line: 8'h0};

  function automatic logic [7:0] pci_port_interrupt_line_word(pci_port_interrupt_line_t f);
    return f.line;
  endfunction

  function automatic pci_port_interrupt_line_t pci_port_interrupt_line_from(logic [7:0] word);
    return '{line: word[7:0]};
  endfunction

  function automatic pci_port_interrupt_line_t pci_port_interrupt_line_written(
      pci_port_interrupt_line_t f, logic [7:0] wdata, logic be);
    pci_port_interrupt_line_t d;
    d = f;
    d.line = be ? wdata[7:0] : f.line;
    return d;
  endfunction

  typedef struct packed {
    logic [7:0] pin;
  } pci_port_interrupt_pin_t;

  parameter pci_port_interrupt_pin_t PciPortInterruptPinAtReset = '{pin: 8'h0};

  function automatic logic [7:0] pci_port_interrupt_pin_word(pci_port_interrupt_pin_t f);
    return f.pin;
  endfunction

  function automatic pci_port_interrupt_pin_t pci_port_interrupt_pin_from(logic [7:0] word);
    return '{pin: word[7:0]};
  endfunction

  typedef struct packed {
    logic secondary_reset;
    logic master_abort_mode;
    logic vga_decode16;
    logic vga_enable;
    logic isa_enable;
    logic serr_enable;
    logic parity_response;
  } pci_port_bridge_control_t;

  parameter pci_port_bridge_control_t PciPortBridgeControlAtReset = '{
    secondary_reset: 1'h0, master_abort_mode: 1'h0, vga_decode16: 1'h0, vga_enable: 1'h0,
    isa_enable: 1'h0, serr_enable: 1'h0, parity_response: 1'h0
  };

  function automatic logic [15:0] pci_port_bridge_control_word(pci_port_bridge_control_t f);
    return {9'd0, f.secondary_reset, f.master_abort_mode, f.vga_decode16, f.vga_enable,
        f.isa_enable, f.serr_enable, f.parity_response};
  endfunction

  function automatic pci_port_bridge_control_t pci_port_bridge_control_from(logic [15:0] word);
    return '{
      secondary_reset: word[6], master_abort_mode: word[5], vga_decode16: word[4],
      vga_enable: word[3], isa_enable: word[2], serr_enable: word[1], parity_response: word[0]
    };
  endfunction

  function automatic pci_port_bridge_control_t pci_port_bridge_control_written(
      pci_port_bridge_control_t f, logic [15:0] wdata, logic [1:0] be);
    pci_port_bridge_control_t d;
    d = f;
    d.serr_enable = be[0] ? wdata[1] : f.serr_enable;
    d.parity_response = be[0] ? wdata[0] : f.parity_response;
    return d;
  endfunction

  typedef struct packed {
    pci_port_vendor_t            vendor;
    pci_port_device_t            device;
    pci_port_command_t           command;
    pci_port_status_t            status;
    pci_port_revision_t          revision;
    pci_port_prog_if_t           prog_if;
    pci_port_class_code_t        class_code;
    pci_port_cache_line_t        cache_line;
    pci_port_latency_timer_t     latency_timer;
    pci_port_header_type_t       header_type;
    pci_port_self_test_t         self_test;
    pci_port_bar0_low_t          bar0_low;
    pci_port_bar0_high_t         bar0_high;
    pci_port_primary_t           primary;
    pci_port_secondary_t         secondary;
    pci_port_subordinate_t       subordinate;
    pci_port_secondary_latency_t secondary_latency;
    pci_port_io_base_t           io_base;
    pci_port_io_limit_t          io_limit;
    pci_port_secondary_status_t  secondary_status;
    pci_port_mem_base_t          mem_base;
    pci_port_mem_limit_t         mem_limit;
    pci_port_pre_base_t          pre_base;
    pci_port_pre_limit_t         pre_limit;
    pci_port_pre_base_high_t     pre_base_high;
    pci_port_pre_limit_high_t    pre_limit_high;
    pci_port_io_high_t           io_high;
    pci_port_capabilities_t      capabilities;
    pci_port_rom_t               rom;
    pci_port_interrupt_line_t    interrupt_line;
    pci_port_interrupt_pin_t     interrupt_pin;
    pci_port_bridge_control_t    bridge_control;
  } pci_port_regs_t;

  parameter pci_port_regs_t PciPortRegsAtReset = '{
    vendor: PciPortVendorAtReset, device: PciPortDeviceAtReset, command: PciPortCommandAtReset,
    status: PciPortStatusAtReset, revision: PciPortRevisionAtReset, prog_if: PciPortProgIfAtReset,
    class_code: PciPortClassCodeAtReset, cache_line: PciPortCacheLineAtReset,
    latency_timer: PciPortLatencyTimerAtReset, header_type: PciPortHeaderTypeAtReset,
    self_test: PciPortSelfTestAtReset, bar0_low: PciPortBar0LowAtReset,
    bar0_high: PciPortBar0HighAtReset, primary: PciPortPrimaryAtReset,
    secondary: PciPortSecondaryAtReset, subordinate: PciPortSubordinateAtReset,
    secondary_latency: PciPortSecondaryLatencyAtReset, io_base: PciPortIoBaseAtReset,
    io_limit: PciPortIoLimitAtReset, secondary_status: PciPortSecondaryStatusAtReset,
    mem_base: PciPortMemBaseAtReset, mem_limit: PciPortMemLimitAtReset,
    pre_base: PciPortPreBaseAtReset, pre_limit: PciPortPreLimitAtReset,
    pre_base_high: PciPortPreBaseHighAtReset, pre_limit_high: PciPortPreLimitHighAtReset,
    io_high: PciPortIoHighAtReset, capabilities: PciPortCapabilitiesAtReset,
    rom: PciPortRomAtReset, interrupt_line: PciPortInterruptLineAtReset,
    interrupt_pin: PciPortInterruptPinAtReset, bridge_control: PciPortBridgeControlAtReset
  };

  function automatic logic [31:0] pci_port_word(pci_port_regs_t r, logic [11:2] word);
    logic [31:0] data;
    data = '0;
    unique case (word)
      10'h000: data = {pci_port_device_word(r.device), pci_port_vendor_word(r.vendor)};
      10'h001: data = {pci_port_status_word(r.status), pci_port_command_word(r.command)};
      10'h002: data = {pci_port_class_code_word(r.class_code), pci_port_prog_if_word(r.prog_if),
          pci_port_revision_word(r.revision)};
      10'h003: data = {pci_port_self_test_word(r.self_test),
          pci_port_header_type_word(r.header_type), pci_port_latency_timer_word(r.latency_timer),
          pci_port_cache_line_word(r.cache_line)};
      10'h004: data = pci_port_bar0_low_word(r.bar0_low);
      10'h005: data = pci_port_bar0_high_word(r.bar0_high);
      10'h006: data = {pci_port_secondary_latency_word(r.secondary_latency),
          pci_port_subordinate_word(r.subordinate), pci_port_secondary_word(r.secondary),
          pci_port_primary_word(r.primary)};
      10'h007: data = {pci_port_secondary_status_word(r.secondary_status),
          pci_port_io_limit_word(r.io_limit), pci_port_io_base_word(r.io_base)};
      10'h008: data = {pci_port_mem_limit_word(r.mem_limit), pci_port_mem_base_word(r.mem_base)};
      10'h009: data = {pci_port_pre_limit_word(r.pre_limit), pci_port_pre_base_word(r.pre_base)};
      10'h00A: data = pci_port_pre_base_high_word(r.pre_base_high);
      10'h00B: data = pci_port_pre_limit_high_word(r.pre_limit_high);
      10'h00C: data = pci_port_io_high_word(r.io_high);
      10'h00D: data = {24'd0, pci_port_capabilities_word(r.capabilities)};
      10'h00E: data = pci_port_rom_word(r.rom);
      10'h00F: data = {pci_port_bridge_control_word(r.bridge_control),
          pci_port_interrupt_pin_word(r.interrupt_pin),
          pci_port_interrupt_line_word(r.interrupt_line)};
      default: ;
    endcase
    return data;
  endfunction

  // ---------------------------------------------------------------------------------------------
  // Power management capability
  // ---------------------------------------------------------------------------------------------
  typedef struct packed {
    logic [7:0] next;
    logic [7:0] id;
  } pci_pm_cap_header_t;

  parameter pci_pm_cap_header_t PciPmCapHeaderAtReset = '{next: 8'h0, id: 8'h1};

  function automatic logic [15:0] pci_pm_cap_header_word(pci_pm_cap_header_t f);
    return {f.next, f.id};
  endfunction

  function automatic pci_pm_cap_header_t pci_pm_cap_header_from(logic [15:0] word);
    return '{next: word[15:8], id: word[7:0]};
  endfunction

  typedef struct packed {
    logic [12:0] states;
    logic [2:0]  version;
  } pci_pm_capabilities_t;

  parameter pci_pm_capabilities_t PciPmCapabilitiesAtReset = '{states: 13'h0, version: 3'h3};

  function automatic logic [15:0] pci_pm_capabilities_word(pci_pm_capabilities_t f);
    return {f.states, f.version};
  endfunction

  function automatic pci_pm_capabilities_t pci_pm_capabilities_from(logic [15:0] word);
    return '{states: word[15:3], version: word[2:0]};
  endfunction

  typedef struct packed {
    logic [7:0] pme;
    logic       no_soft_reset;
    logic [1:0] power_state;
  } pci_pm_control_t;

  parameter pci_pm_control_t PciPmControlAtReset = '{
    pme: 8'h0, no_soft_reset: 1'h1, power_state: 2'h0
  };

  function automatic logic [15:0] pci_pm_control_word(pci_pm_control_t f);
    return {f.pme, 4'd0, f.no_soft_reset, 1'd0, f.power_state};
  endfunction

  function automatic pci_pm_control_t pci_pm_control_from(logic [15:0] word);
    return '{pme: word[15:8], no_soft_reset: word[3], power_state: word[1:0]};
  endfunction

  function automatic pci_pm_control_t pci_pm_control_written(
      pci_pm_control_t f, logic [15:0] wdata, logic [1:0] be);
    pci_pm_control_t d;
    d = f;
    d.power_state = be[0] ? wdata[1:0] : f.power_state;
    return d;
  endfunction

  typedef struct packed {
    logic [15:0] data;
  } pci_pm_bridge_t;

  parameter pci_pm_bridge_t PciPmBridgeAtReset = '{data: 16'h0};

  function automatic logic [15:0] pci_pm_bridge_word(pci_pm_bridge_t f);
    return f.data;
  endfunction

  function automatic pci_pm_bridge_t pci_pm_bridge_from(logic [15:0] word);
    return '{data: word[15:0]};
  endfunction

  typedef struct packed {
    pci_pm_cap_header_t   cap_header;
    pci_pm_capabilities_t capabilities;
    pci_pm_control_t      control;
    pci_pm_bridge_t       bridge;
  } pci_pm_regs_t;

  parameter pci_pm_regs_t PciPmRegsAtReset = '{
    cap_header: PciPmCapHeaderAtReset, capabilities: PciPmCapabilitiesAtReset,
    control: PciPmControlAtReset, bridge: PciPmBridgeAtReset
  };

  function automatic logic [31:0] pci_pm_word(pci_pm_regs_t r, logic [11:2] word);
    logic [31:0] data;
    data = '0;
    unique case (word)
      10'h000: data = {pci_pm_capabilities_word(r.capabilities),
          pci_pm_cap_header_word(r.cap_header)};
      10'h001: data = {pci_pm_bridge_word(r.bridge), pci_pm_control_word(r.control)};
      default: ;
    endcase
    return data;
  endfunction

  // ---------------------------------------------------------------------------------------------
  // PCI Express capability
  // ---------------------------------------------------------------------------------------------
  typedef struct packed {
    logic [7:0] next;
    logic [7:0] id;
  } pcie_cap_header_t;

  parameter pcie_cap_header_t PcieCapHeaderAtReset = '{next: 8'h0, id: 8'h10};

  function automatic logic [15:0] pcie_cap_header_word(pcie_cap_header_t f);
    return {f.next, f.id};
  endfunction

  function automatic pcie_cap_header_t pcie_cap_header_from(logic [15:0] word);
    return '{next: word[15:8], id: word[7:0]};
  endfunction

  typedef struct packed {
    logic [4:0] message;
    logic       slot;
    logic [3:0] port_kind;
    logic [3:0] version;
  } pcie_capabilities_t;

  parameter pcie_capabilities_t PcieCapabilitiesAtReset = '{
    message: 5'h0, slot: 1'h0, port_kind: 4'h0, version: 4'h2
  };

  function automatic logic [15:0] pcie_capabilities_word(pcie_capabilities_t f);
    return {2'd0, f.message, f.slot, f.port_kind, f.version};
  endfunction

  function automatic pcie_capabilities_t pcie_capabilities_from(logic [15:0] word);
    return '{message: word[13:9], slot: word[8], port_kind: word[7:4], version: word[3:0]};
  endfunction

  typedef struct packed {
    logic       function_reset;
    logic [9:0] slot_power;
    logic       role_based_errors;
    logic [2:0] l1_latency;
    logic [2:0] l0s_latency;
    logic       extended_tag;
    logic [1:0] phantom_functions;
    logic [2:0] payload;
  } pcie_device_capabilities_t;

  parameter pcie_device_capabilities_t PcieDeviceCapabilitiesAtReset = '{
    function_reset: 1'h0, slot_power: 10'h0, role_based_errors: 1'h1, l1_latency: 3'h0,
    l0s_latency: 3'h0, extended_tag: 1'h0, phantom_functions: 2'h0, payload: 3'h0
  };

  function automatic logic [31:0] pcie_device_capabilities_word(pcie_device_capabilities_t f);
    return {3'd0, f.function_reset, f.slot_power, 2'd0, f.role_based_errors, 3'd0, f.l1_latency,
        f.l0s_latency, f.extended_tag, f.phantom_functions, f.payload};
  endfunction

  function automatic pcie_device_capabilities_t pcie_device_capabilities_from(logic [31:0] word);
    return '{
      function_reset: word[28], slot_power: word[27:18], role_based_errors: word[15],
      l1_latency: word[11:9], l0s_latency: word[8:6], extended_tag: word[5],
      phantom_functions: word[4:3], payload: word[2:0]
    };
  endfunction

  typedef struct packed {
    logic [11:0] settings;
    logic        report_unsupported;
    logic        report_fatal;
    logic        report_nonfatal;
    logic        report_correctable;
  } pcie_device_control_t;

  parameter pcie_device_control_t PcieDeviceControlAtReset = '{
    settings: 12'h0, report_unsupported: 1'h0, report_fatal: 1'h0, report_nonfatal: 1'h0,
    report_correctable: 1'h0
  };

  function automatic logic [15:0] pcie_device_control_word(pcie_device_control_t f);
    return {f.settings, f.report_unsupported, f.report_fatal, f.report_nonfatal,
        f.report_correctable};
  endfunction

  function automatic pcie_device_control_t pcie_device_control_from(logic [15:0] word);
    return '{
      settings: word[15:4], report_unsupported: word[3], report_fatal: word[2],
      report_nonfatal: word[1], report_correctable: word[0]
    };
  endfunction

  function automatic pcie_device_control_t pcie_device_control_written(
      pcie_device_control_t f, logic [15:0] wdata, logic [1:0] be);
    pcie_device_control_t d;
    d = f;
    d.report_unsupported = be[0] ? wdata[3] : f.report_unsupported;
    d.report_fatal = be[0] ? wdata[2] : f.report_fatal;
    d.report_nonfatal = be[0] ? wdata[1] : f.report_nonfatal;
    d.report_correctable = be[0] ? wdata[0] : f.report_correctable;
    return d;
  endfunction

  typedef struct packed {
    logic emergency_power;
    logic pending;
    logic aux_power;
    logic unsupported;
    logic fatal;
    logic nonfatal;
    logic correctable;
  } pcie_device_status_t;

  parameter pcie_device_status_t PcieDeviceStatusHostAtReset = '{
    emergency_power: 1'h0, pending: 1'h0, aux_power: 1'h0, unsupported: 1'h0, fatal: 1'h0,
    nonfatal: 1'h0, correctable: 1'h0
  };
  parameter pcie_device_status_t PcieDeviceStatusDeviceAtReset = '{
    emergency_power: 1'h0, pending: 1'h0, aux_power: 1'h0, unsupported: 1'h0, fatal: 1'h0,
    nonfatal: 1'h0, correctable: 1'h0
  };

  function automatic logic [15:0] pcie_device_status_word(pcie_device_status_t f);
    return {9'd0, f.emergency_power, f.pending, f.aux_power, 4'd0} | {9'd0, f.emergency_power,
        f.pending, f.aux_power, f.unsupported, f.fatal, f.nonfatal, f.correctable};
  endfunction

  function automatic pcie_device_status_t pcie_device_status_written(
      pcie_device_status_t f, logic [15:0] wdata, logic [1:0] be, logic device);
    pcie_device_status_t d;
    d = f;
    d.unsupported = !device ? f.unsupported : (be[0] ? f.unsupported & ~wdata[3] : f.unsupported);
    d.fatal = !device ? f.fatal : (be[0] ? f.fatal & ~wdata[2] : f.fatal);
    d.nonfatal = !device ? f.nonfatal : (be[0] ? f.nonfatal & ~wdata[1] : f.nonfatal);
    d.correctable = !device ? f.correctable : (be[0] ? f.correctable & ~wdata[0] : f.correctable);
    return d;
  endfunction

  typedef struct packed {
    logic [7:0] port;
    logic       aspm_optional;
    logic       bandwidth;
    logic       active_reporting;
    logic       surprise_down;
    logic       clock_management;
    logic [2:0] l1_latency;
    logic [2:0] l0s_latency;
    logic [1:0] aspm;
    logic [5:0] width;
    logic [3:0] speed;
  } pcie_link_capabilities_t;

  parameter pcie_link_capabilities_t PcieLinkCapabilitiesHostAtReset = '{
    port: 8'h0, aspm_optional: 1'h1, bandwidth: 1'h0, active_reporting: 1'h1, surprise_down: 1'h0,
    clock_management: 1'h0, l1_latency: 3'h0, l0s_latency: 3'h0, aspm: 2'h0, width: 6'h0,
    speed: 4'h0
  };
  parameter pcie_link_capabilities_t PcieLinkCapabilitiesDeviceAtReset = '{
    port: 8'h0, aspm_optional: 1'h1, bandwidth: 1'h0, active_reporting: 1'h0, surprise_down: 1'h0,
    clock_management: 1'h0, l1_latency: 3'h0, l0s_latency: 3'h0, aspm: 2'h0, width: 6'h0,
    speed: 4'h0
  };

  function automatic logic [31:0] pcie_link_capabilities_word(pcie_link_capabilities_t f);
    return {f.port, 1'd0, f.aspm_optional, f.bandwidth, f.active_reporting, f.surprise_down,
        f.clock_management, f.l1_latency, f.l0s_latency, f.aspm, f.width, f.speed} | {f.port, 1'd0,
        f.aspm_optional, f.bandwidth, 1'd0, f.surprise_down, f.clock_management, f.l1_latency,
        f.l0s_latency, f.aspm, f.width, f.speed};
  endfunction

  typedef struct packed {
    logic [1:0] drs_signaling;
    logic [1:0] bandwidth;
    logic       width_disable;
    logic       clock_management;
    logic       extended_synch;
    logic       common_clock;
    logic       retrain;
    logic       link_disable;
    logic       read_boundary;
    logic       root_read_boundary;
    logic [1:0] aspm;
  } pcie_link_control_t;

  parameter pcie_link_control_t PcieLinkControlHostAtReset = '{
    drs_signaling: 2'h0, bandwidth: 2'h0, width_disable: 1'h0, clock_management: 1'h0,
    extended_synch: 1'h0, common_clock: 1'h0, retrain: 1'h0, link_disable: 1'h0,
    read_boundary: 1'h0, root_read_boundary: 1'h0, aspm: 2'h0
  };
  parameter pcie_link_control_t PcieLinkControlDeviceAtReset = '{
    drs_signaling: 2'h0, bandwidth: 2'h0, width_disable: 1'h0, clock_management: 1'h0,
    extended_synch: 1'h0, common_clock: 1'h0, retrain: 1'h0, link_disable: 1'h0,
    read_boundary: 1'h0, root_read_boundary: 1'h0, aspm: 2'h0
  };

  function automatic logic [15:0] pcie_link_control_word(pcie_link_control_t f);
    return {f.drs_signaling, 2'd0, f.bandwidth, f.width_disable, f.clock_management,
        f.extended_synch, f.common_clock, f.retrain, f.link_disable, f.root_read_boundary, 1'd0,
        f.aspm} | {f.drs_signaling, 2'd0, f.bandwidth, f.width_disable, f.clock_management,
        f.extended_synch, f.common_clock, f.retrain, 1'd0, f.read_boundary, 1'd0, f.aspm};
  endfunction

  function automatic pcie_link_control_t pcie_link_control_written(
      pcie_link_control_t f, logic [15:0] wdata, logic [1:0] be, logic device);
    pcie_link_control_t d;
    d = f;
    d.extended_synch = be[0] ? wdata[7] : f.extended_synch;
    d.common_clock = be[0] ? wdata[6] : f.common_clock;
    d.link_disable = device ? f.link_disable : (be[0] ? wdata[4] : f.link_disable);
    d.read_boundary = !device ? f.read_boundary : (be[0] ? wdata[3] : f.read_boundary);
    d.aspm = be[0] ? wdata[1:0] : f.aspm;
    return d;
  endfunction

  typedef struct packed {
    logic [1:0] bandwidth;
    logic       active;
    logic       slot_clock;
    logic       training;
    logic [5:0] width;
    logic [3:0] speed;
  } pcie_link_status_t;

  parameter pcie_link_status_t PcieLinkStatusHostAtReset = '{
    bandwidth: 2'h0, active: 1'h0, slot_clock: 1'h1, training: 1'h0, width: 6'h0, speed: 4'h0
  };
  parameter pcie_link_status_t PcieLinkStatusDeviceAtReset = '{
    bandwidth: 2'h0, active: 1'h0, slot_clock: 1'h1, training: 1'h0, width: 6'h0, speed: 4'h0
  };

  function automatic logic [15:0] pcie_link_status_word(pcie_link_status_t f);
    return {f.bandwidth, f.active, f.slot_clock, f.training, 1'd0, f.width, f.speed} | {f.bandwidth,
        1'd0, f.slot_clock, f.training, 1'd0, f.width, f.speed};
  endfunction

  typedef struct packed {
    logic        readiness_message;
    logic [6:0]  prefixes;
    logic [1:0]  buffer_flush;
    logic        tag10_requester;
    logic        tag10_completer;
    logic [10:0] others;
    logic [4:0]  completion_timeout;
  } pcie_device_capabilities2_t;

  parameter pcie_device_capabilities2_t PcieDeviceCapabilities2HostAtReset = '{
    readiness_message: 1'h0, prefixes: 7'h0, buffer_flush: 2'h0, tag10_requester: 1'h0,
    tag10_completer: 1'h0, others: 11'h0, completion_timeout: 5'h0
  };
  parameter pcie_device_capabilities2_t PcieDeviceCapabilities2DeviceAtReset = '{
    readiness_message: 1'h0, prefixes: 7'h0, buffer_flush: 2'h0, tag10_requester: 1'h0,
    tag10_completer: 1'h1, others: 11'h0, completion_timeout: 5'h0
  };

  function automatic logic [31:0] pcie_device_capabilities2_word(pcie_device_capabilities2_t f);
    return {f.readiness_message, 4'd0, f.prefixes, f.buffer_flush, f.tag10_requester, 1'd0,
        f.others, f.completion_timeout} | {f.readiness_message, 4'd0, f.prefixes, f.buffer_flush,
        f.tag10_requester, f.tag10_completer, f.others, f.completion_timeout};
  endfunction

  typedef struct packed {
    logic [6:0] speeds;
  } pcie_link_capabilities2_t;

  parameter pcie_link_capabilities2_t PcieLinkCapabilities2AtReset = '{speeds: 7'h0};

  function automatic logic [31:0] pcie_link_capabilities2_word(pcie_link_capabilities2_t f);
    return {24'd0, f.speeds, 1'd0};
  endfunction

  function automatic pcie_link_capabilities2_t pcie_link_capabilities2_from(logic [31:0] word);
    return '{speeds: word[7:1]};
  endfunction

  typedef struct packed {
    logic [3:0] target_speed;
  } pcie_link_control2_t;

  parameter pcie_link_control2_t PcieLinkControl2AtReset = '{target_speed: 4'h0};

  function automatic logic [15:0] pcie_link_control2_word(pcie_link_control2_t f);
    return {12'd0, f.target_speed};
  endfunction

  function automatic pcie_link_control2_t pcie_link_control2_from(logic [15:0] word);
    return '{target_speed: word[3:0]};
  endfunction

  typedef struct packed {
    logic [15:0] status;
  } pcie_link_status2_t;

  parameter pcie_link_status2_t PcieLinkStatus2AtReset = '{status: 16'h0};

  function automatic logic [15:0] pcie_link_status2_word(pcie_link_status2_t f);
    return f.status;
  endfunction

  function automatic pcie_link_status2_t pcie_link_status2_from(logic [15:0] word);
    return '{status: word[15:0]};
  endfunction

  typedef struct packed {
    pcie_cap_header_t           cap_header;
    pcie_capabilities_t         capabilities;
    pcie_device_capabilities_t  device_capabilities;
    pcie_device_control_t       device_control;
    pcie_device_status_t        device_status;
    pcie_link_capabilities_t    link_capabilities;
    pcie_link_control_t         link_control;
    pcie_link_status_t          link_status;
    pcie_device_capabilities2_t device_capabilities2;
    pcie_link_capabilities2_t   link_capabilities2;
    pcie_link_control2_t        link_control2;
    pcie_link_status2_t         link_status2;
  } pcie_regs_t;

  parameter pcie_regs_t PcieRegsHostAtReset = '{
    cap_header: PcieCapHeaderAtReset, capabilities: PcieCapabilitiesAtReset,
    device_capabilities: PcieDeviceCapabilitiesAtReset, device_control: PcieDeviceControlAtReset,
    device_status: PcieDeviceStatusHostAtReset, link_capabilities: PcieLinkCapabilitiesHostAtReset,
    link_control: PcieLinkControlHostAtReset, link_status: PcieLinkStatusHostAtReset,
    device_capabilities2: PcieDeviceCapabilities2HostAtReset,
    link_capabilities2: PcieLinkCapabilities2AtReset, link_control2: PcieLinkControl2AtReset,
    link_status2: PcieLinkStatus2AtReset
  };
  parameter pcie_regs_t PcieRegsDeviceAtReset = '{
    cap_header: PcieCapHeaderAtReset, capabilities: PcieCapabilitiesAtReset,
    device_capabilities: PcieDeviceCapabilitiesAtReset, device_control: PcieDeviceControlAtReset,
    device_status: PcieDeviceStatusDeviceAtReset,
    link_capabilities: PcieLinkCapabilitiesDeviceAtReset,
    link_control: PcieLinkControlDeviceAtReset, link_status: PcieLinkStatusDeviceAtReset,
    device_capabilities2: PcieDeviceCapabilities2DeviceAtReset,
    link_capabilities2: PcieLinkCapabilities2AtReset, link_control2: PcieLinkControl2AtReset,
    link_status2: PcieLinkStatus2AtReset
  };

  function automatic logic [31:0] pcie_word(pcie_regs_t r, logic [11:2] word);
    logic [31:0] data;
    data = '0;
    unique case (word)
      10'h000: data = {pcie_capabilities_word(r.capabilities), pcie_cap_header_word(r.cap_header)};
      10'h001: data = pcie_device_capabilities_word(r.device_capabilities);
      10'h002: data = {pcie_device_status_word(r.device_status),
          pcie_device_control_word(r.device_control)};
      10'h003: data = pcie_link_capabilities_word(r.link_capabilities);
      10'h004: data = {pcie_link_status_word(r.link_status),
          pcie_link_control_word(r.link_control)};
      10'h009: data = pcie_device_capabilities2_word(r.device_capabilities2);
      10'h00B: data = pcie_link_capabilities2_word(r.link_capabilities2);
      10'h00C: data = {pcie_link_status2_word(r.link_status2),
          pcie_link_control2_word(r.link_control2)};
      default: ;
    endcase
    return data;
  endfunction

  // ---------------------------------------------------------------------------------------------
  // RAS capability (component capability ID 2)
  // ---------------------------------------------------------------------------------------------
  typedef struct packed {
    logic ide_rx;
    logic ide_tx;
    logic internal;
    logic overflow;
    logic poison;
    logic encoding;
    logic reinit_threshold;
    logic mem_data_ecc;
    logic mem_be_parity;
    logic mem_addr_parity;
    logic mem_data_parity;
    logic cache_data_ecc;
    logic cache_be_parity;
    logic cache_addr_parity;
    logic cache_data_parity;
  } ras_uncor_status_t;

  parameter ras_uncor_status_t RasUncorStatusAtReset = '{
    ide_rx: 1'h0, ide_tx: 1'h0, internal: 1'h0, overflow: 1'h0, poison: 1'h0, encoding: 1'h0,
    reinit_threshold: 1'h0, mem_data_ecc: 1'h0, mem_be_parity: 1'h0, mem_addr_parity: 1'h0,
    mem_data_parity: 1'h0, cache_data_ecc: 1'h0, cache_be_parity: 1'h0, cache_addr_parity: 1'h0,
    cache_data_parity: 1'h0
  };

  function automatic logic [31:0] ras_uncor_status_word(ras_uncor_status_t f);
    return {15'd0, f.ide_rx, f.ide_tx, f.internal, 2'd0, f.overflow, f.poison, f.encoding,
        f.reinit_threshold, f.mem_data_ecc, f.mem_be_parity, f.mem_addr_parity, f.mem_data_parity,
        f.cache_data_ecc, f.cache_be_parity, f.cache_addr_parity, f.cache_data_parity};
  endfunction

  function automatic ras_uncor_status_t ras_uncor_status_from(logic [31:0] word);
    return '{
      ide_rx: word[16], ide_tx: word[15], internal: word[14], overflow: word[11], poison: word[10],
      encoding: word[9], reinit_threshold: word[8], mem_data_ecc: word[7], mem_be_parity: word[6],
      mem_addr_parity: word[5], mem_data_parity: word[4], cache_data_ecc: word[3],
      cache_be_parity: word[2], cache_addr_parity: word[1], cache_data_parity: word[0]
    };
  endfunction

  function automatic ras_uncor_status_t ras_uncor_status_written(
      ras_uncor_status_t f, logic [31:0] wdata);
    ras_uncor_status_t d;
    d = f;
    d.ide_rx = f.ide_rx & ~wdata[16];
    d.ide_tx = f.ide_tx & ~wdata[15];
    d.internal = f.internal & ~wdata[14];
    d.overflow = f.overflow & ~wdata[11];
    d.poison = f.poison & ~wdata[10];
    d.encoding = f.encoding & ~wdata[9];
    d.reinit_threshold = f.reinit_threshold & ~wdata[8];
    d.mem_data_ecc = f.mem_data_ecc & ~wdata[7];
    d.mem_be_parity = f.mem_be_parity & ~wdata[6];
    d.mem_addr_parity = f.mem_addr_parity & ~wdata[5];
    d.mem_data_parity = f.mem_data_parity & ~wdata[4];
    d.cache_data_ecc = f.cache_data_ecc & ~wdata[3];
    d.cache_be_parity = f.cache_be_parity & ~wdata[2];
    d.cache_addr_parity = f.cache_addr_parity & ~wdata[1];
    d.cache_data_parity = f.cache_data_parity & ~wdata[0];
    return d;
  endfunction

  typedef struct packed {
    logic ide_rx;
    logic ide_tx;
    logic internal;
    logic overflow;
    logic poison;
    logic encoding;
    logic reinit_threshold;
    logic mem_data_ecc;
    logic mem_be_parity;
    logic mem_addr_parity;
    logic mem_data_parity;
    logic cache_data_ecc;
    logic cache_be_parity;
    logic cache_addr_parity;
    logic cache_data_parity;
  } ras_uncor_mask_t;

  parameter ras_uncor_mask_t RasUncorMaskAtReset = '{
    ide_rx: 1'h1, ide_tx: 1'h1, internal: 1'h1, overflow: 1'h1, poison: 1'h1, encoding: 1'h1,
    reinit_threshold: 1'h1, mem_data_ecc: 1'h1, mem_be_parity: 1'h1, mem_addr_parity: 1'h1,
    mem_data_parity: 1'h1, cache_data_ecc: 1'h1, cache_be_parity: 1'h1, cache_addr_parity: 1'h1,
    cache_data_parity: 1'h1
  };

  function automatic logic [31:0] ras_uncor_mask_word(ras_uncor_mask_t f);
    return {15'd0, f.ide_rx, f.ide_tx, f.internal, 2'd0, f.overflow, f.poison, f.encoding,
        f.reinit_threshold, f.mem_data_ecc, f.mem_be_parity, f.mem_addr_parity, f.mem_data_parity,
        f.cache_data_ecc, f.cache_be_parity, f.cache_addr_parity, f.cache_data_parity};
  endfunction

  function automatic ras_uncor_mask_t ras_uncor_mask_from(logic [31:0] word);
    return '{
      ide_rx: word[16], ide_tx: word[15], internal: word[14], overflow: word[11], poison: word[10],
      encoding: word[9], reinit_threshold: word[8], mem_data_ecc: word[7], mem_be_parity: word[6],
      mem_addr_parity: word[5], mem_data_parity: word[4], cache_data_ecc: word[3],
      cache_be_parity: word[2], cache_addr_parity: word[1], cache_data_parity: word[0]
    };
  endfunction

  function automatic ras_uncor_mask_t ras_uncor_mask_written(
      ras_uncor_mask_t f, logic [31:0] wdata);
    ras_uncor_mask_t d;
    d = f;
    d.ide_rx = wdata[16];
    d.ide_tx = wdata[15];
    d.internal = wdata[14];
    d.overflow = wdata[11];
    d.poison = wdata[10];
    d.encoding = wdata[9];
    d.reinit_threshold = wdata[8];
    d.mem_data_ecc = wdata[7];
    d.mem_be_parity = wdata[6];
    d.mem_addr_parity = wdata[5];
    d.mem_data_parity = wdata[4];
    d.cache_data_ecc = wdata[3];
    d.cache_be_parity = wdata[2];
    d.cache_addr_parity = wdata[1];
    d.cache_data_parity = wdata[0];
    return d;
  endfunction

  typedef struct packed {
    logic ide_rx;
    logic ide_tx;
    logic internal;
    logic overflow;
    logic poison;
    logic encoding;
    logic reinit_threshold;
    logic mem_data_ecc;
    logic mem_be_parity;
    logic mem_addr_parity;
    logic mem_data_parity;
    logic cache_data_ecc;
    logic cache_be_parity;
    logic cache_addr_parity;
    logic cache_data_parity;
  } ras_uncor_severity_t;

  parameter ras_uncor_severity_t RasUncorSeverityAtReset = '{
    ide_rx: 1'h1, ide_tx: 1'h1, internal: 1'h1, overflow: 1'h1, poison: 1'h1, encoding: 1'h1,
    reinit_threshold: 1'h1, mem_data_ecc: 1'h1, mem_be_parity: 1'h1, mem_addr_parity: 1'h1,
    mem_data_parity: 1'h1, cache_data_ecc: 1'h1, cache_be_parity: 1'h1, cache_addr_parity: 1'h1,
    cache_data_parity: 1'h1
  };

  function automatic logic [31:0] ras_uncor_severity_word(ras_uncor_severity_t f);
    return {15'd0, f.ide_rx, f.ide_tx, f.internal, 2'd0, f.overflow, f.poison, f.encoding,
        f.reinit_threshold, f.mem_data_ecc, f.mem_be_parity, f.mem_addr_parity, f.mem_data_parity,
        f.cache_data_ecc, f.cache_be_parity, f.cache_addr_parity, f.cache_data_parity};
  endfunction

  function automatic ras_uncor_severity_t ras_uncor_severity_from(logic [31:0] word);
    return '{
      ide_rx: word[16], ide_tx: word[15], internal: word[14], overflow: word[11], poison: word[10],
      encoding: word[9], reinit_threshold: word[8], mem_data_ecc: word[7], mem_be_parity: word[6],
      mem_addr_parity: word[5], mem_data_parity: word[4], cache_data_ecc: word[3],
      cache_be_parity: word[2], cache_addr_parity: word[1], cache_data_parity: word[0]
    };
  endfunction

  function automatic ras_uncor_severity_t ras_uncor_severity_written(
      ras_uncor_severity_t f, logic [31:0] wdata);
    ras_uncor_severity_t d;
    d = f;
    d.ide_rx = wdata[16];
    d.ide_tx = wdata[15];
    d.internal = wdata[14];
    d.overflow = wdata[11];
    d.poison = wdata[10];
    d.encoding = wdata[9];
    d.reinit_threshold = wdata[8];
    d.mem_data_ecc = wdata[7];
    d.mem_be_parity = wdata[6];
    d.mem_addr_parity = wdata[5];
    d.mem_data_parity = wdata[4];
    d.cache_data_ecc = wdata[3];
    d.cache_be_parity = wdata[2];
    d.cache_addr_parity = wdata[1];
    d.cache_data_parity = wdata[0];
    return d;
  endfunction

  typedef struct packed {
    logic phy;
    logic mem_poison;
    logic cache_poison;
    logic retry_threshold;
    logic crc_threshold;
    logic mem_data_ecc;
    logic cache_data_ecc;
  } ras_cor_status_t;

  parameter ras_cor_status_t RasCorStatusAtReset = '{
    phy: 1'h0, mem_poison: 1'h0, cache_poison: 1'h0, retry_threshold: 1'h0, crc_threshold: 1'h0,
    mem_data_ecc: 1'h0, cache_data_ecc: 1'h0
  };

  function automatic logic [31:0] ras_cor_status_word(ras_cor_status_t f);
    return {25'd0, f.phy, f.mem_poison, f.cache_poison, f.retry_threshold, f.crc_threshold,
        f.mem_data_ecc, f.cache_data_ecc};
  endfunction

  function automatic ras_cor_status_t ras_cor_status_from(logic [31:0] word);
    return '{
      phy: word[6], mem_poison: word[5], cache_poison: word[4], retry_threshold: word[3],
      crc_threshold: word[2], mem_data_ecc: word[1], cache_data_ecc: word[0]
    };
  endfunction

  function automatic ras_cor_status_t ras_cor_status_written(
      ras_cor_status_t f, logic [31:0] wdata);
    ras_cor_status_t d;
    d = f;
    d.phy = f.phy & ~wdata[6];
    d.mem_poison = f.mem_poison & ~wdata[5];
    d.cache_poison = f.cache_poison & ~wdata[4];
    d.retry_threshold = f.retry_threshold & ~wdata[3];
    d.crc_threshold = f.crc_threshold & ~wdata[2];
    d.mem_data_ecc = f.mem_data_ecc & ~wdata[1];
    d.cache_data_ecc = f.cache_data_ecc & ~wdata[0];
    return d;
  endfunction

  typedef struct packed {
    logic phy;
    logic mem_poison;
    logic cache_poison;
    logic retry_threshold;
    logic crc_threshold;
    logic mem_data_ecc;
    logic cache_data_ecc;
  } ras_cor_mask_t;

  parameter ras_cor_mask_t RasCorMaskAtReset = '{
    phy: 1'h1, mem_poison: 1'h1, cache_poison: 1'h1, retry_threshold: 1'h1, crc_threshold: 1'h1,
    mem_data_ecc: 1'h1, cache_data_ecc: 1'h1
  };

  function automatic logic [31:0] ras_cor_mask_word(ras_cor_mask_t f);
    return {25'd0, f.phy, f.mem_poison, f.cache_poison, f.retry_threshold, f.crc_threshold,
        f.mem_data_ecc, f.cache_data_ecc};
  endfunction

  function automatic ras_cor_mask_t ras_cor_mask_from(logic [31:0] word);
    return '{
      phy: word[6], mem_poison: word[5], cache_poison: word[4], retry_threshold: word[3],
      crc_threshold: word[2], mem_data_ecc: word[1], cache_data_ecc: word[0]
    };
  endfunction

  function automatic ras_cor_mask_t ras_cor_mask_written(ras_cor_mask_t f, logic [31:0] wdata);
    ras_cor_mask_t d;
    d = f;
    d.phy = wdata[6];
    d.mem_poison = wdata[5];
    d.cache_poison = wdata[4];
    d.retry_threshold = wdata[3];
    d.crc_threshold = wdata[2];
    d.mem_data_ecc = wdata[1];
    d.cache_data_ecc = wdata[0];
    return d;
  endfunction

  typedef struct packed {
    logic       poison_enabled;
    logic       poison_fixed;
    logic       multiple_headers;
    logic [5:0] first_error;
  } ras_control_t;

  parameter ras_control_t RasControlHostAtReset = '{
    poison_enabled: 1'h1, poison_fixed: 1'h0, multiple_headers: 1'h0, first_error: 6'h0
  };
  parameter ras_control_t RasControlDeviceAtReset = '{
    poison_enabled: 1'h0, poison_fixed: 1'h1, multiple_headers: 1'h0, first_error: 6'h0
  };

  function automatic logic [31:0] ras_control_word(ras_control_t f);
    return {18'd0, f.poison_enabled, 3'd0, f.multiple_headers, 3'd0, f.first_error} | {18'd0,
        f.poison_fixed, 3'd0, f.multiple_headers, 3'd0, f.first_error};
  endfunction

  function automatic ras_control_t ras_control_written(
      ras_control_t f, logic [31:0] wdata, logic device);
    ras_control_t d;
    d = f;
    d.poison_enabled = device ? f.poison_enabled : wdata[13];
    return d;
  endfunction

  typedef struct packed {
    logic [31:0] data;
  } ras_header_log_word_t;

  parameter ras_header_log_word_t RasHeaderLogWordAtReset = '{data: 32'h0};

  function automatic logic [31:0] ras_header_log_word_word(ras_header_log_word_t f);
    return f.data;
  endfunction

  function automatic ras_header_log_word_t ras_header_log_word_from(logic [31:0] word);
    return '{data: word[31:0]};
  endfunction

  typedef struct packed {
    ras_header_log_word_t word;
  } ras_header_log_t;

  parameter ras_header_log_t RasHeaderLogAtReset = '{word: RasHeaderLogWordAtReset};

  function automatic logic [31:0] ras_header_log_word(ras_header_log_t r);
    return ras_header_log_word_word(r.word);
  endfunction

  typedef struct packed {
    ras_uncor_status_t      uncor_status;
    ras_uncor_mask_t        uncor_mask;
    ras_uncor_severity_t    uncor_severity;
    ras_cor_status_t        cor_status;
    ras_cor_mask_t          cor_mask;
    ras_control_t           control;
    ras_header_log_t [15:0] header_log;
  } ras_regs_t;

  parameter ras_regs_t RasRegsHostAtReset = '{
    uncor_status: RasUncorStatusAtReset, uncor_mask: RasUncorMaskAtReset,
    uncor_severity: RasUncorSeverityAtReset, cor_status: RasCorStatusAtReset,
    cor_mask: RasCorMaskAtReset, control: RasControlHostAtReset,
    header_log: {16{RasHeaderLogAtReset}}
  };
  parameter ras_regs_t RasRegsDeviceAtReset = '{
    uncor_status: RasUncorStatusAtReset, uncor_mask: RasUncorMaskAtReset,
    uncor_severity: RasUncorSeverityAtReset, cor_status: RasCorStatusAtReset,
    cor_mask: RasCorMaskAtReset, control: RasControlDeviceAtReset,
    header_log: {16{RasHeaderLogAtReset}}
  };

  function automatic logic [31:0] ras_word(ras_regs_t r, logic [11:2] word);
    logic [31:0] data;
    logic [11:2] header_log_at;  // words from the first header_log
    data = '0;
    header_log_at = word - 10'h006;
    unique case (word)
      10'h000: data = ras_uncor_status_word(r.uncor_status);
      10'h001: data = ras_uncor_mask_word(r.uncor_mask);
      10'h002: data = ras_uncor_severity_word(r.uncor_severity);
      10'h003: data = ras_cor_status_word(r.cor_status);
      10'h004: data = ras_cor_mask_word(r.cor_mask);
      10'h005: data = ras_control_word(r.control);
      default: begin
        if (header_log_at < 10'd16) begin
          data = ras_header_log_word(r.header_log[header_log_at[5:2]]);
        end
      end
    endcase
    return data;
  endfunction

  // ---------------------------------------------------------------------------------------------
  // Root port vendor block
  // ---------------------------------------------------------------------------------------------
  typedef struct packed {
    logic [3:0] stream_sets;
    logic [3:0] ways;
    logic [3:0] clip_log2;
    logic       around;
    logic       spec_64b;
    logic       match_start;
    logic       len_enable;
    logic [2:0] select;
  } rp_policy_t;

  parameter rp_policy_t RpPolicyAtReset = '{
    stream_sets: 4'h6, ways: 4'h0, clip_log2: 4'hF, around: 1'h0, spec_64b: 1'h0,
    match_start: 1'h0, len_enable: 1'h0, select: 3'h0
  };

  function automatic logic [31:0] rp_policy_word(rp_policy_t f);
    return {12'd0, f.stream_sets, f.ways, f.clip_log2, f.around, f.spec_64b, f.match_start,
        f.len_enable, 1'd0, f.select};
  endfunction

  function automatic rp_policy_t rp_policy_from(logic [31:0] word);
    return '{
      stream_sets: word[19:16], ways: word[15:12], clip_log2: word[11:8], around: word[7],
      spec_64b: word[6], match_start: word[5], len_enable: word[4], select: word[2:0]
    };
  endfunction

  function automatic rp_policy_t rp_policy_written(rp_policy_t f, logic [31:0] wdata);
    rp_policy_t d;
    d = f;
    d.stream_sets = wdata[19:16];
    d.ways = wdata[15:12];
    d.clip_log2 = wdata[11:8];
    d.around = wdata[7];
    d.spec_64b = wdata[6];
    d.match_start = wdata[5];
    d.len_enable = wdata[4];
    d.select = wdata[2:0];
    return d;
  endfunction

  typedef struct packed {
    logic [2:0] gran;
  } rp_state_t;

  parameter rp_state_t RpStateAtReset = '{gran: 3'h1};

  function automatic logic [31:0] rp_state_word(rp_state_t f);
    return {29'd0, f.gran};
  endfunction

  function automatic rp_state_t rp_state_from(logic [31:0] word);
    return '{gran: word[2:0]};
  endfunction

  typedef struct packed {
    logic [31:0] count;
  } rp_loads_t;

  parameter rp_loads_t RpLoadsAtReset = '{count: 32'h0};

  function automatic logic [31:0] rp_loads_word(rp_loads_t f);
    return f.count;
  endfunction

  function automatic rp_loads_t rp_loads_from(logic [31:0] word);
    return '{count: word[31:0]};
  endfunction

  typedef struct packed {
    logic [31:0] count;
  } rp_stores_t;

  parameter rp_stores_t RpStoresAtReset = '{count: 32'h0};

  function automatic logic [31:0] rp_stores_word(rp_stores_t f);
    return f.count;
  endfunction

  function automatic rp_stores_t rp_stores_from(logic [31:0] word);
    return '{count: word[31:0]};
  endfunction

  typedef struct packed {
    logic [31:0] count;
  } rp_specs_t;

  parameter rp_specs_t RpSpecsAtReset = '{count: 32'h0};

  function automatic logic [31:0] rp_specs_word(rp_specs_t f);
    return f.count;
  endfunction

  function automatic rp_specs_t rp_specs_from(logic [31:0] word);
    return '{count: word[31:0]};
  endfunction

  typedef struct packed {
    logic [31:0] count;
  } rp_light_t;

  parameter rp_light_t RpLightAtReset = '{count: 32'h0};

  function automatic logic [31:0] rp_light_word(rp_light_t f);
    return f.count;
  endfunction

  function automatic rp_light_t rp_light_from(logic [31:0] word);
    return '{count: word[31:0]};
  endfunction

  typedef struct packed {
    logic [31:0] count;
  } rp_optimal_t;

  parameter rp_optimal_t RpOptimalAtReset = '{count: 32'h0};

  function automatic logic [31:0] rp_optimal_word(rp_optimal_t f);
    return f.count;
  endfunction

  function automatic rp_optimal_t rp_optimal_from(logic [31:0] word);
    return '{count: word[31:0]};
  endfunction

  typedef struct packed {
    logic [31:0] count;
  } rp_moderate_t;

  parameter rp_moderate_t RpModerateAtReset = '{count: 32'h0};

  function automatic logic [31:0] rp_moderate_word(rp_moderate_t f);
    return f.count;
  endfunction

  function automatic rp_moderate_t rp_moderate_from(logic [31:0] word);
    return '{count: word[31:0]};
  endfunction

  typedef struct packed {
    logic [31:0] count;
  } rp_severe_t;

  parameter rp_severe_t RpSevereAtReset = '{count: 32'h0};

  function automatic logic [31:0] rp_severe_word(rp_severe_t f);
    return f.count;
  endfunction

  function automatic rp_severe_t rp_severe_from(logic [31:0] word);
    return '{count: word[31:0]};
  endfunction

  typedef struct packed {
    logic [31:0] count;
  } rp_loads_seen_t;

  parameter rp_loads_seen_t RpLoadsSeenAtReset = '{count: 32'h0};

  function automatic logic [31:0] rp_loads_seen_word(rp_loads_seen_t f);
    return f.count;
  endfunction

  function automatic rp_loads_seen_t rp_loads_seen_from(logic [31:0] word);
    return '{count: word[31:0]};
  endfunction

  typedef struct packed {
    logic [31:0] count;
  } rp_issued_t;

  parameter rp_issued_t RpIssuedAtReset = '{count: 32'h0};

  function automatic logic [31:0] rp_issued_word(rp_issued_t f);
    return f.count;
  endfunction

  function automatic rp_issued_t rp_issued_from(logic [31:0] word);
    return '{count: word[31:0]};
  endfunction

  typedef struct packed {
    logic [31:0] count;
  } rp_ring_suppressed_t;

  parameter rp_ring_suppressed_t RpRingSuppressedAtReset = '{count: 32'h0};

  function automatic logic [31:0] rp_ring_suppressed_word(rp_ring_suppressed_t f);
    return f.count;
  endfunction

  function automatic rp_ring_suppressed_t rp_ring_suppressed_from(logic [31:0] word);
    return '{count: word[31:0]};
  endfunction

  typedef struct packed {
    logic [31:0] count;
  } rp_halt_suppressed_t;

  parameter rp_halt_suppressed_t RpHaltSuppressedAtReset = '{count: 32'h0};

  function automatic logic [31:0] rp_halt_suppressed_word(rp_halt_suppressed_t f);
    return f.count;
  endfunction

  function automatic rp_halt_suppressed_t rp_halt_suppressed_from(logic [31:0] word);
    return '{count: word[31:0]};
  endfunction

  typedef struct packed {
    logic [31:0] count;
  } rp_unexpected_t;

  parameter rp_unexpected_t RpUnexpectedAtReset = '{count: 32'h0};

  function automatic logic [31:0] rp_unexpected_word(rp_unexpected_t f);
    return f.count;
  endfunction

  function automatic rp_unexpected_t rp_unexpected_from(logic [31:0] word);
    return '{count: word[31:0]};
  endfunction

  typedef struct packed {
    logic device;
    logic on_fatal;
    logic port;
  } rp_viral_t;

  parameter rp_viral_t RpViralAtReset = '{device: 1'h0, on_fatal: 1'h0, port: 1'h0};

  function automatic logic [31:0] rp_viral_word(rp_viral_t f);
    return {29'd0, f.device, f.on_fatal, f.port};
  endfunction

  function automatic rp_viral_t rp_viral_from(logic [31:0] word);
    return '{device: word[2], on_fatal: word[1], port: word[0]};
  endfunction

  function automatic rp_viral_t rp_viral_written(rp_viral_t f, logic [31:0] wdata);
    rp_viral_t d;
    d = f;
    d.device = f.device & ~wdata[2];
    d.on_fatal = wdata[1];
    d.port = f.port | wdata[0];
    return d;
  endfunction

  typedef struct packed {
    logic [6:0] max_writes;
    logic       fence;
    logic       enable;
  } rp_ds_control_t;

  parameter rp_ds_control_t RpDsControlAtReset = '{max_writes: 7'h8, fence: 1'h0, enable: 1'h0};

  function automatic logic [31:0] rp_ds_control_word(rp_ds_control_t f);
    return {17'd0, f.max_writes, 6'd0, f.fence, f.enable};
  endfunction

  function automatic rp_ds_control_t rp_ds_control_from(logic [31:0] word);
    return '{max_writes: word[14:8], fence: word[1], enable: word[0]};
  endfunction

  function automatic rp_ds_control_t rp_ds_control_written(rp_ds_control_t f, logic [31:0] wdata);
    rp_ds_control_t d;
    d = f;
    d.max_writes = wdata[14:8];
    d.fence = wdata[1];
    d.enable = wdata[0];
    return d;
  endfunction

  typedef struct packed {
    logic [12:0] count;
    logic        error;
    logic        empty;
    logic        on;
  } rp_ds_status_t;

  parameter rp_ds_status_t RpDsStatusAtReset = '{count: 13'h0, error: 1'h0, empty: 1'h1, on: 1'h0};

  function automatic logic [31:0] rp_ds_status_word(rp_ds_status_t f);
    return {3'd0, f.count, 13'd0, f.error, f.empty, f.on};
  endfunction

  function automatic rp_ds_status_t rp_ds_status_from(logic [31:0] word);
    return '{count: word[28:16], error: word[2], empty: word[1], on: word[0]};
  endfunction

  function automatic rp_ds_status_t rp_ds_status_written(rp_ds_status_t f, logic [31:0] wdata);
    rp_ds_status_t d;
    d = f;
    d.error = f.error & ~wdata[2];
    return d;
  endfunction

  typedef struct packed {
    logic [3:0] severe;
    logic [3:0] moderate;
    logic [3:0] optimal;
    logic [3:0] light;
  } rp_ds_interval_t;

  parameter rp_ds_interval_t RpDsIntervalAtReset = '{
    severe: 4'hC, moderate: 4'h8, optimal: 4'h0, light: 4'h0
  };

  function automatic logic [31:0] rp_ds_interval_word(rp_ds_interval_t f);
    return {16'd0, f.severe, f.moderate, f.optimal, f.light};
  endfunction

  function automatic rp_ds_interval_t rp_ds_interval_from(logic [31:0] word);
    return '{severe: word[15:12], moderate: word[11:8], optimal: word[7:4], light: word[3:0]};
  endfunction

  function automatic rp_ds_interval_t rp_ds_interval_written(
      rp_ds_interval_t f, logic [31:0] wdata);
    rp_ds_interval_t d;
    d = f;
    d.severe = wdata[15:12];
    d.moderate = wdata[11:8];
    d.optimal = wdata[7:4];
    d.light = wdata[3:0];
    return d;
  endfunction

  typedef struct packed {
    logic [13:0] addr;
  } rp_ds_base_low_t;

  parameter rp_ds_base_low_t RpDsBaseLowAtReset = '{addr: 14'h0};

  function automatic logic [31:0] rp_ds_base_low_word(rp_ds_base_low_t f);
    return {f.addr, 18'd0};
  endfunction

  function automatic rp_ds_base_low_t rp_ds_base_low_from(logic [31:0] word);
    return '{addr: word[31:18]};
  endfunction

  function automatic rp_ds_base_low_t rp_ds_base_low_written(
      rp_ds_base_low_t f, logic [31:0] wdata, logic locked);
    rp_ds_base_low_t d;
    d = f;
    d.addr = locked ? f.addr : wdata[31:18];
    return d;
  endfunction

  typedef struct packed {
    logic [19:0] addr;
  } rp_ds_base_high_t;

  parameter rp_ds_base_high_t RpDsBaseHighAtReset = '{addr: 20'h0};

  function automatic logic [31:0] rp_ds_base_high_word(rp_ds_base_high_t f);
    return {12'd0, f.addr};
  endfunction

  function automatic rp_ds_base_high_t rp_ds_base_high_from(logic [31:0] word);
    return '{addr: word[19:0]};
  endfunction

  function automatic rp_ds_base_high_t rp_ds_base_high_written(
      rp_ds_base_high_t f, logic [31:0] wdata, logic locked);
    rp_ds_base_high_t d;
    d = f;
    d.addr = locked ? f.addr : wdata[19:0];
    return d;
  endfunction

  typedef struct packed {
    logic [6:0]  writes;
    logic [12:0] slots;
  } rp_ds_cap_t;

  parameter rp_ds_cap_t RpDsCapAtReset = '{writes: 7'h0, slots: 13'h0};

  function automatic logic [31:0] rp_ds_cap_word(rp_ds_cap_t f);
    return {9'd0, f.writes, 3'd0, f.slots};
  endfunction

  function automatic rp_ds_cap_t rp_ds_cap_from(logic [31:0] word);
    return '{writes: word[22:16], slots: word[12:0]};
  endfunction

  typedef struct packed {
    logic [2:0]  spec_granules;
    logic [12:0] ring;
    logic [6:0]  memory_queue;
    logic [6:0]  sr_queue;
  } rp_sr_cap_t;

  parameter rp_sr_cap_t RpSrCapAtReset = '{
    spec_granules: 3'h0, ring: 13'h0, memory_queue: 7'h0, sr_queue: 7'h0
  };

  function automatic logic [31:0] rp_sr_cap_word(rp_sr_cap_t f);
    return {f.spec_granules, f.ring, 1'd0, f.memory_queue, 1'd0, f.sr_queue};
  endfunction

  function automatic rp_sr_cap_t rp_sr_cap_from(logic [31:0] word);
    return '{
      spec_granules: word[31:29], ring: word[28:16], memory_queue: word[14:8], sr_queue: word[6:0]
    };
  endfunction

  typedef struct packed {
    logic [31:0] count;
  } rp_ds_direct_t;

  parameter rp_ds_direct_t RpDsDirectAtReset = '{count: 32'h0};

  function automatic logic [31:0] rp_ds_direct_word(rp_ds_direct_t f);
    return f.count;
  endfunction

  function automatic rp_ds_direct_t rp_ds_direct_from(logic [31:0] word);
    return '{count: word[31:0]};
  endfunction

  typedef struct packed {
    logic [31:0] count;
  } rp_ds_deferred_t;

  parameter rp_ds_deferred_t RpDsDeferredAtReset = '{count: 32'h0};

  function automatic logic [31:0] rp_ds_deferred_word(rp_ds_deferred_t f);
    return f.count;
  endfunction

  function automatic rp_ds_deferred_t rp_ds_deferred_from(logic [31:0] word);
    return '{count: word[31:0]};
  endfunction

  typedef struct packed {
    logic [31:0] count;
  } rp_ds_in_place_t;

  parameter rp_ds_in_place_t RpDsInPlaceAtReset = '{count: 32'h0};

  function automatic logic [31:0] rp_ds_in_place_word(rp_ds_in_place_t f);
    return f.count;
  endfunction

  function automatic rp_ds_in_place_t rp_ds_in_place_from(logic [31:0] word);
    return '{count: word[31:0]};
  endfunction

  typedef struct packed {
    logic [31:0] count;
  } rp_ds_flushed_t;

  parameter rp_ds_flushed_t RpDsFlushedAtReset = '{count: 32'h0};

  function automatic logic [31:0] rp_ds_flushed_word(rp_ds_flushed_t f);
    return f.count;
  endfunction

  function automatic rp_ds_flushed_t rp_ds_flushed_from(logic [31:0] word);
    return '{count: word[31:0]};
  endfunction

  typedef struct packed {
    logic [31:0] count;
  } rp_ds_load_hit_t;

  parameter rp_ds_load_hit_t RpDsLoadHitAtReset = '{count: 32'h0};

  function automatic logic [31:0] rp_ds_load_hit_word(rp_ds_load_hit_t f);
    return f.count;
  endfunction

  function automatic rp_ds_load_hit_t rp_ds_load_hit_from(logic [31:0] word);
    return '{count: word[31:0]};
  endfunction

  typedef struct packed {
    logic [31:0] count;
  } rp_ds_load_merged_t;

  parameter rp_ds_load_merged_t RpDsLoadMergedAtReset = '{count: 32'h0};

  function automatic logic [31:0] rp_ds_load_merged_word(rp_ds_load_merged_t f);
    return f.count;
  endfunction

  function automatic rp_ds_load_merged_t rp_ds_load_merged_from(logic [31:0] word);
    return '{count: word[31:0]};
  endfunction

  typedef struct packed {
    logic [31:0] count;
  } rp_ds_filter_false_t;

  parameter rp_ds_filter_false_t RpDsFilterFalseAtReset = '{count: 32'h0};

  function automatic logic [31:0] rp_ds_filter_false_word(rp_ds_filter_false_t f);
    return f.count;
  endfunction

  function automatic rp_ds_filter_false_t rp_ds_filter_false_from(logic [31:0] word);
    return '{count: word[31:0]};
  endfunction

  typedef struct packed {
    logic [31:0] count;
  } rp_ds_no_slot_t;

  parameter rp_ds_no_slot_t RpDsNoSlotAtReset = '{count: 32'h0};

  function automatic logic [31:0] rp_ds_no_slot_word(rp_ds_no_slot_t f);
    return f.count;
  endfunction

  function automatic rp_ds_no_slot_t rp_ds_no_slot_from(logic [31:0] word);
    return '{count: word[31:0]};
  endfunction

  typedef struct packed {
    logic [31:0] count;
  } rp_ds_write_errors_t;

  parameter rp_ds_write_errors_t RpDsWriteErrorsAtReset = '{count: 32'h0};

  function automatic logic [31:0] rp_ds_write_errors_word(rp_ds_write_errors_t f);
    return f.count;
  endfunction

  function automatic rp_ds_write_errors_t rp_ds_write_errors_from(logic [31:0] word);
    return '{count: word[31:0]};
  endfunction

  typedef struct packed {
    logic [31:0] count;
  } rp_ds_refused_t;

  parameter rp_ds_refused_t RpDsRefusedAtReset = '{count: 32'h0};

  function automatic logic [31:0] rp_ds_refused_word(rp_ds_refused_t f);
    return f.count;
  endfunction

  function automatic rp_ds_refused_t rp_ds_refused_from(logic [31:0] word);
    return '{count: word[31:0]};
  endfunction

  typedef struct packed {
    logic [31:0] count;
  } rp_spec_requested_t;

  parameter rp_spec_requested_t RpSpecRequestedAtReset = '{count: 32'h0};

  function automatic logic [31:0] rp_spec_requested_word(rp_spec_requested_t f);
    return f.count;
  endfunction

  function automatic rp_spec_requested_t rp_spec_requested_from(logic [31:0] word);
    return '{count: word[31:0]};
  endfunction

  typedef struct packed {
    logic [31:0] count;
  } rp_spec_lines_used_t;

  parameter rp_spec_lines_used_t RpSpecLinesUsedAtReset = '{count: 32'h0};

  function automatic logic [31:0] rp_spec_lines_used_word(rp_spec_lines_used_t f);
    return f.count;
  endfunction

  function automatic rp_spec_lines_used_t rp_spec_lines_used_from(logic [31:0] word);
    return '{count: word[31:0]};
  endfunction

  typedef struct packed {
    logic [31:0] count;
  } rp_spec_useful_granules_t;

  parameter rp_spec_useful_granules_t RpSpecUsefulGranulesAtReset = '{count: 32'h0};

  function automatic logic [31:0] rp_spec_useful_granules_word(rp_spec_useful_granules_t f);
    return f.count;
  endfunction

  function automatic rp_spec_useful_granules_t rp_spec_useful_granules_from(logic [31:0] word);
    return '{count: word[31:0]};
  endfunction

  typedef struct packed {
    logic [31:0] count;
  } rp_spec_useless_granules_t;

  parameter rp_spec_useless_granules_t RpSpecUselessGranulesAtReset = '{count: 32'h0};

  function automatic logic [31:0] rp_spec_useless_granules_word(rp_spec_useless_granules_t f);
    return f.count;
  endfunction

  function automatic rp_spec_useless_granules_t rp_spec_useless_granules_from(logic [31:0] word);
    return '{count: word[31:0]};
  endfunction

  typedef struct packed {
    logic [31:0] count;
  } rp_spec_issued_late_t;

  parameter rp_spec_issued_late_t RpSpecIssuedLateAtReset = '{count: 32'h0};

  function automatic logic [31:0] rp_spec_issued_late_word(rp_spec_issued_late_t f);
    return f.count;
  endfunction

  function automatic rp_spec_issued_late_t rp_spec_issued_late_from(logic [31:0] word);
    return '{count: word[31:0]};
  endfunction

  typedef struct packed {
    logic [31:0] count;
  } rp_score_suppressed_t;

  parameter rp_score_suppressed_t RpScoreSuppressedAtReset = '{count: 32'h0};

  function automatic logic [31:0] rp_score_suppressed_word(rp_score_suppressed_t f);
    return f.count;
  endfunction

  function automatic rp_score_suppressed_t rp_score_suppressed_from(logic [31:0] word);
    return '{count: word[31:0]};
  endfunction

  typedef struct packed {
    logic       enable;
    logic [3:0] severe;
    logic [3:0] moderate;
    logic [3:0] optimal;
    logic [3:0] light;
  } rp_hint_control_t;

  parameter rp_hint_control_t RpHintControlAtReset = '{
    enable: 1'h0, severe: 4'hF, moderate: 4'h8, optimal: 4'h5, light: 4'h4
  };

  function automatic logic [31:0] rp_hint_control_word(rp_hint_control_t f);
    return {15'd0, f.enable, f.severe, f.moderate, f.optimal, f.light};
  endfunction

  function automatic rp_hint_control_t rp_hint_control_from(logic [31:0] word);
    return '{
      enable: word[16], severe: word[15:12], moderate: word[11:8], optimal: word[7:4],
      light: word[3:0]
    };
  endfunction

  function automatic rp_hint_control_t rp_hint_control_written(
      rp_hint_control_t f, logic [31:0] wdata);
    rp_hint_control_t d;
    d = f;
    d.enable = wdata[16];
    d.severe = wdata[15:12];
    d.moderate = wdata[11:8];
    d.optimal = wdata[7:4];
    d.light = wdata[3:0];
    return d;
  endfunction

  typedef struct packed {
    logic [31:0] count;
  } rp_hint_granules_t;

  parameter rp_hint_granules_t RpHintGranulesAtReset = '{count: 32'h0};

  function automatic logic [31:0] rp_hint_granules_word(rp_hint_granules_t f);
    return f.count;
  endfunction

  function automatic rp_hint_granules_t rp_hint_granules_from(logic [31:0] word);
    return '{count: word[31:0]};
  endfunction

  typedef struct packed {
    logic [31:0] count;
  } rp_hint_issued_t;

  parameter rp_hint_issued_t RpHintIssuedAtReset = '{count: 32'h0};

  function automatic logic [31:0] rp_hint_issued_word(rp_hint_issued_t f);
    return f.count;
  endfunction

  function automatic rp_hint_issued_t rp_hint_issued_from(logic [31:0] word);
    return '{count: word[31:0]};
  endfunction

  typedef struct packed {
    logic [31:0] count;
  } rp_hint_dropped_t;

  parameter rp_hint_dropped_t RpHintDroppedAtReset = '{count: 32'h0};

  function automatic logic [31:0] rp_hint_dropped_word(rp_hint_dropped_t f);
    return f.count;
  endfunction

  function automatic rp_hint_dropped_t rp_hint_dropped_from(logic [31:0] word);
    return '{count: word[31:0]};
  endfunction

  typedef struct packed {
    rp_policy_t                policy;
    rp_state_t                 state;
    rp_loads_t                 loads;
    rp_stores_t                stores;
    rp_specs_t                 specs;
    rp_light_t                 light;
    rp_optimal_t               optimal;
    rp_moderate_t              moderate;
    rp_severe_t                severe;
    rp_loads_seen_t            loads_seen;
    rp_issued_t                issued;
    rp_ring_suppressed_t       ring_suppressed;
    rp_halt_suppressed_t       halt_suppressed;
    rp_unexpected_t            unexpected;
    rp_viral_t                 viral;
    rp_ds_control_t            ds_control;
    rp_ds_status_t             ds_status;
    rp_ds_interval_t           ds_interval;
    rp_ds_base_low_t           ds_base_low;
    rp_ds_base_high_t          ds_base_high;
    rp_ds_cap_t                ds_cap;
    rp_sr_cap_t                sr_cap;
    rp_ds_direct_t             ds_direct;
    rp_ds_deferred_t           ds_deferred;
    rp_ds_in_place_t           ds_in_place;
    rp_ds_flushed_t            ds_flushed;
    rp_ds_load_hit_t           ds_load_hit;
    rp_ds_load_merged_t        ds_load_merged;
    rp_ds_filter_false_t       ds_filter_false;
    rp_ds_no_slot_t            ds_no_slot;
    rp_ds_write_errors_t       ds_write_errors;
    rp_ds_refused_t            ds_refused;
    rp_spec_requested_t        spec_requested;
    rp_spec_lines_used_t       spec_lines_used;
    rp_spec_useful_granules_t  spec_useful_granules;
    rp_spec_useless_granules_t spec_useless_granules;
    rp_spec_issued_late_t      spec_issued_late;
    rp_score_suppressed_t      score_suppressed;
    rp_hint_control_t          hint_control;
    rp_hint_granules_t         hint_granules;
    rp_hint_issued_t           hint_issued;
    rp_hint_dropped_t          hint_dropped;
  } rp_regs_t;

  parameter rp_regs_t RpRegsAtReset = '{
    policy: RpPolicyAtReset, state: RpStateAtReset, loads: RpLoadsAtReset, stores: RpStoresAtReset,
    specs: RpSpecsAtReset, light: RpLightAtReset, optimal: RpOptimalAtReset,
    moderate: RpModerateAtReset, severe: RpSevereAtReset, loads_seen: RpLoadsSeenAtReset,
    issued: RpIssuedAtReset, ring_suppressed: RpRingSuppressedAtReset,
    halt_suppressed: RpHaltSuppressedAtReset, unexpected: RpUnexpectedAtReset,
    viral: RpViralAtReset, ds_control: RpDsControlAtReset, ds_status: RpDsStatusAtReset,
    ds_interval: RpDsIntervalAtReset, ds_base_low: RpDsBaseLowAtReset,
    ds_base_high: RpDsBaseHighAtReset, ds_cap: RpDsCapAtReset, sr_cap: RpSrCapAtReset,
    ds_direct: RpDsDirectAtReset, ds_deferred: RpDsDeferredAtReset,
    ds_in_place: RpDsInPlaceAtReset, ds_flushed: RpDsFlushedAtReset,
    ds_load_hit: RpDsLoadHitAtReset, ds_load_merged: RpDsLoadMergedAtReset,
    ds_filter_false: RpDsFilterFalseAtReset, ds_no_slot: RpDsNoSlotAtReset,
    ds_write_errors: RpDsWriteErrorsAtReset, ds_refused: RpDsRefusedAtReset,
    spec_requested: RpSpecRequestedAtReset, spec_lines_used: RpSpecLinesUsedAtReset,
    spec_useful_granules: RpSpecUsefulGranulesAtReset,
    spec_useless_granules: RpSpecUselessGranulesAtReset, spec_issued_late: RpSpecIssuedLateAtReset,
    score_suppressed: RpScoreSuppressedAtReset, hint_control: RpHintControlAtReset,
    hint_granules: RpHintGranulesAtReset, hint_issued: RpHintIssuedAtReset,
    hint_dropped: RpHintDroppedAtReset
  };

  function automatic logic [31:0] rp_word(rp_regs_t r, logic [11:2] word);
    logic [31:0] data;
    data = '0;
    unique case (word)
      10'h200: data = rp_policy_word(r.policy);
      10'h201: data = rp_state_word(r.state);
      10'h204: data = rp_loads_word(r.loads);
      10'h205: data = rp_stores_word(r.stores);
      10'h206: data = rp_specs_word(r.specs);
      10'h207: data = rp_light_word(r.light);
      10'h208: data = rp_optimal_word(r.optimal);
      10'h209: data = rp_moderate_word(r.moderate);
      10'h20A: data = rp_severe_word(r.severe);
      10'h20B: data = rp_loads_seen_word(r.loads_seen);
      10'h20C: data = rp_issued_word(r.issued);
      10'h20D: data = rp_ring_suppressed_word(r.ring_suppressed);
      10'h20E: data = rp_halt_suppressed_word(r.halt_suppressed);
      10'h20F: data = rp_unexpected_word(r.unexpected);
      10'h210: data = rp_viral_word(r.viral);
      10'h214: data = rp_ds_control_word(r.ds_control);
      10'h215: data = rp_ds_status_word(r.ds_status);
      10'h216: data = rp_ds_interval_word(r.ds_interval);
      10'h217: data = rp_ds_base_low_word(r.ds_base_low);
      10'h218: data = rp_ds_base_high_word(r.ds_base_high);
      10'h219: data = rp_ds_cap_word(r.ds_cap);
      10'h21A: data = rp_sr_cap_word(r.sr_cap);
      10'h21C: data = rp_ds_direct_word(r.ds_direct);
      10'h21D: data = rp_ds_deferred_word(r.ds_deferred);
      10'h21E: data = rp_ds_in_place_word(r.ds_in_place);
      10'h21F: data = rp_ds_flushed_word(r.ds_flushed);
      10'h220: data = rp_ds_load_hit_word(r.ds_load_hit);
      10'h221: data = rp_ds_load_merged_word(r.ds_load_merged);
      10'h222: data = rp_ds_filter_false_word(r.ds_filter_false);
      10'h223: data = rp_ds_no_slot_word(r.ds_no_slot);
      10'h224: data = rp_ds_write_errors_word(r.ds_write_errors);
      10'h225: data = rp_ds_refused_word(r.ds_refused);
      10'h228: data = rp_spec_requested_word(r.spec_requested);
      10'h229: data = rp_spec_lines_used_word(r.spec_lines_used);
      10'h22A: data = rp_spec_useful_granules_word(r.spec_useful_granules);
      10'h22B: data = rp_spec_useless_granules_word(r.spec_useless_granules);
      10'h22C: data = rp_spec_issued_late_word(r.spec_issued_late);
      10'h22D: data = rp_score_suppressed_word(r.score_suppressed);
      10'h230: data = rp_hint_control_word(r.hint_control);
      10'h231: data = rp_hint_granules_word(r.hint_granules);
      10'h232: data = rp_hint_issued_word(r.hint_issued);
      10'h233: data = rp_hint_dropped_word(r.hint_dropped);
      default: ;
    endcase
    return data;
  endfunction

  // ---------------------------------------------------------------------------------------------
  // Device Serial Number extended capability
  // ---------------------------------------------------------------------------------------------
  typedef struct packed {
    logic [11:0] next;
    logic [3:0]  version;
    logic [15:0] id;
  } serial_cap_header_t;

  parameter serial_cap_header_t SerialCapHeaderAtReset = '{next: 12'h0, version: 4'h1, id: 16'h3};

  function automatic logic [31:0] serial_cap_header_word(serial_cap_header_t f);
    return {f.next, f.version, f.id};
  endfunction

  function automatic serial_cap_header_t serial_cap_header_from(logic [31:0] word);
    return '{next: word[31:20], version: word[19:16], id: word[15:0]};
  endfunction

  typedef struct packed {
    logic [31:0] number;
  } serial_low_t;

  parameter serial_low_t SerialLowAtReset = '{number: 32'h0};

  function automatic logic [31:0] serial_low_word(serial_low_t f);
    return f.number;
  endfunction

  function automatic serial_low_t serial_low_from(logic [31:0] word);
    return '{number: word[31:0]};
  endfunction

  typedef struct packed {
    logic [31:0] number;
  } serial_high_t;

  parameter serial_high_t SerialHighAtReset = '{number: 32'h0};

  function automatic logic [31:0] serial_high_word(serial_high_t f);
    return f.number;
  endfunction

  function automatic serial_high_t serial_high_from(logic [31:0] word);
    return '{number: word[31:0]};
  endfunction

  typedef struct packed {
    serial_cap_header_t cap_header;
    serial_low_t        low;
    serial_high_t       high;
  } serial_regs_t;

  parameter serial_regs_t SerialRegsAtReset = '{
    cap_header: SerialCapHeaderAtReset, low: SerialLowAtReset, high: SerialHighAtReset
  };

  function automatic logic [31:0] serial_word(serial_regs_t r, logic [11:2] word);
    logic [31:0] data;
    data = '0;
    unique case (word)
      10'h000: data = serial_cap_header_word(r.cap_header);
      10'h001: data = serial_low_word(r.low);
      10'h002: data = serial_high_word(r.high);
      default: ;
    endcase
    return data;
  endfunction

  // ---------------------------------------------------------------------------------------------
  // Timeout and isolation capability (component capability ID 9)
  // ---------------------------------------------------------------------------------------------
  typedef struct packed {
    logic [4:0] vector;
    logic       interrupt;
    logic       err_cor;
    logic       cache_link_down;
    logic       cache_isolation;
    logic       mem_link_down;
    logic       mem_isolation;
    logic       cache_timeout;
    logic [3:0] cache_ranges;
    logic       mem_timeout;
    logic [3:0] mem_ranges;
  } tmo_capability_t;

  parameter tmo_capability_t TmoCapabilityAtReset = '{
    vector: 5'h0, interrupt: 1'h0, err_cor: 1'h0, cache_link_down: 1'h0, cache_isolation: 1'h0,
    mem_link_down: 1'h1, mem_isolation: 1'h1, cache_timeout: 1'h0, cache_ranges: 4'h0,
    mem_timeout: 1'h1, mem_ranges: 4'hF
  };

  function automatic logic [31:0] tmo_capability_word(tmo_capability_t f);
    return {f.vector, f.interrupt, f.err_cor, 5'd0, f.cache_link_down, f.cache_isolation,
        f.mem_link_down, f.mem_isolation, 3'd0, f.cache_timeout, f.cache_ranges, 3'd0,
        f.mem_timeout, f.mem_ranges};
  endfunction

  function automatic tmo_capability_t tmo_capability_from(logic [31:0] word);
    return '{
      vector: word[31:27], interrupt: word[26], err_cor: word[25], cache_link_down: word[19],
      cache_isolation: word[18], mem_link_down: word[17], mem_isolation: word[16],
      cache_timeout: word[12], cache_ranges: word[11:8], mem_timeout: word[4],
      mem_ranges: word[3:0]
    };
  endfunction

  typedef struct packed {
    logic       interrupt;
    logic       err_cor;
    logic       cache_link_down;
    logic       cache_isolation;
    logic       mem_link_down;
    logic       mem_isolation;
    logic       cache_enable;
    logic [3:0] cache_value;
    logic       mem_enable;
    logic [3:0] mem_value;
  } tmo_control_t;

  parameter tmo_control_t TmoControlAtReset = '{
    interrupt: 1'h0, err_cor: 1'h0, cache_link_down: 1'h0, cache_isolation: 1'h0,
    mem_link_down: 1'h0, mem_isolation: 1'h0, cache_enable: 1'h0, cache_value: 4'h0,
    mem_enable: 1'h0, mem_value: 4'h0
  };

  function automatic logic [31:0] tmo_control_word(tmo_control_t f);
    return {5'd0, f.interrupt, f.err_cor, 5'd0, f.cache_link_down, f.cache_isolation,
        f.mem_link_down, f.mem_isolation, 3'd0, f.cache_enable, f.cache_value, 3'd0, f.mem_enable,
        f.mem_value};
  endfunction

  function automatic tmo_control_t tmo_control_from(logic [31:0] word);
    return '{
      interrupt: word[26], err_cor: word[25], cache_link_down: word[19], cache_isolation: word[18],
      mem_link_down: word[17], mem_isolation: word[16], cache_enable: word[12],
      cache_value: word[11:8], mem_enable: word[4], mem_value: word[3:0]
    };
  endfunction

  function automatic tmo_control_t tmo_control_written(tmo_control_t f, logic [31:0] wdata);
    tmo_control_t d;
    d = f;
    d.mem_link_down = wdata[17];
    d.mem_isolation = wdata[16];
    d.mem_enable = wdata[4];
    d.mem_value = wdata[3:0];
    return d;
  endfunction

  typedef struct packed {
    logic busy;
    logic cache_link_down;
    logic cache_isolation;
    logic mem_link_down;
    logic mem_isolation;
    logic cache_timeout;
    logic mem_timeout;
  } tmo_status_t;

  parameter tmo_status_t TmoStatusAtReset = '{
    busy: 1'h0, cache_link_down: 1'h0, cache_isolation: 1'h0, mem_link_down: 1'h0,
    mem_isolation: 1'h0, cache_timeout: 1'h0, mem_timeout: 1'h0
  };

  function automatic logic [31:0] tmo_status_word(tmo_status_t f);
    return {17'd0, f.busy, f.cache_link_down, f.cache_isolation, 2'd0, f.mem_link_down,
        f.mem_isolation, 3'd0, f.cache_timeout, 3'd0, f.mem_timeout};
  endfunction

  function automatic tmo_status_t tmo_status_from(logic [31:0] word);
    return '{
      busy: word[14], cache_link_down: word[13], cache_isolation: word[12], mem_link_down: word[9],
      mem_isolation: word[8], cache_timeout: word[4], mem_timeout: word[0]
    };
  endfunction

  function automatic tmo_status_t tmo_status_written(tmo_status_t f, logic [31:0] wdata);
    tmo_status_t d;
    d = f;
    d.mem_link_down = f.mem_link_down & ~wdata[9];
    d.mem_isolation = f.mem_isolation & ~wdata[8];
    d.mem_timeout = f.mem_timeout & ~wdata[0];
    return d;
  endfunction

  typedef struct packed {
    tmo_capability_t capability;
    tmo_control_t    control;
    tmo_status_t     status;
  } tmo_regs_t;

  parameter tmo_regs_t TmoRegsAtReset = '{
    capability: TmoCapabilityAtReset, control: TmoControlAtReset, status: TmoStatusAtReset
  };

  function automatic logic [31:0] tmo_word(tmo_regs_t r, logic [11:2] word);
    logic [31:0] data;
    data = '0;
    unique case (word)
      10'h000: data = tmo_capability_word(r.capability);
      10'h002: data = tmo_control_word(r.control);
      10'h003: data = tmo_status_word(r.status);
      default: ;
    endcase
    return data;
  endfunction

  // verilator coverage_on
  // verilator lint_on SYMRSVDWORD
  // verilator lint_on UNUSEDSIGNAL

endpackage
