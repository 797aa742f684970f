// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
//
// What cxl_pkg says of CXL.cache, on ports: structs in, their fields out; every code under its
// name.

module cache_encodings_tb
  import cxl_pkg::*;
(
  input  h2d_req_t h2d_req_i,
  output logic h2d_req_valid_o,
  output logic [2:0] h2d_req_opcode_o,
  output logic [45:0] h2d_req_addr_51_6_o,
  output logic [11:0] h2d_req_uqid_o,
  output logic [1:0] h2d_req_rsvd_o,
  input  h2d_rsp_t h2d_rsp_i,
  output logic h2d_rsp_valid_o,
  output logic [3:0] h2d_rsp_opcode_o,
  output logic [11:0] h2d_rsp_rsp_data_o,
  output logic [1:0] h2d_rsp_rsp_pre_o,
  output logic [11:0] h2d_rsp_cqid_o,
  output logic h2d_rsp_rsvd_o,
  input  h2d_dh_t h2d_dh_i,
  output logic h2d_dh_valid_o,
  output logic [11:0] h2d_dh_cqid_o,
  output logic h2d_dh_chunk_valid_o,
  output logic h2d_dh_poison_o,
  output logic h2d_dh_go_err_o,
  output logic [7:0] h2d_dh_rsvd_o,
  input  d2h_req_t d2h_req_i,
  output logic d2h_req_valid_o,
  output logic [4:0] d2h_req_opcode_o,
  output logic [11:0] d2h_req_cqid_o,
  output logic d2h_req_nt_o,
  output logic [6:0] d2h_req_rsvd0_o,
  output logic [45:0] d2h_req_addr_51_6_o,
  output logic [6:0] d2h_req_rsvd1_o,
  input  d2h_rsp_t d2h_rsp_i,
  output logic d2h_rsp_valid_o,
  output logic [4:0] d2h_rsp_opcode_o,
  output logic [11:0] d2h_rsp_uqid_o,
  output logic [1:0] d2h_rsp_rsvd_o,
  input  d2h_dh_t d2h_dh_i,
  output logic d2h_dh_valid_o,
  output logic [11:0] d2h_dh_uqid_o,
  output logic d2h_dh_chunk_valid_o,
  output logic d2h_dh_bogus_o,
  output logic d2h_dh_poison_o,
  output logic d2h_dh_rsvd_o,
  output logic [4:0] d2h_req_op_rd_curr_o,
  output logic [4:0] d2h_req_op_rd_own_o,
  output logic [4:0] d2h_req_op_rd_shared_o,
  output logic [4:0] d2h_req_op_rd_any_o,
  output logic [4:0] d2h_req_op_rd_own_no_data_o,
  output logic [4:0] d2h_req_op_ito_mwr_o,
  output logic [4:0] d2h_req_op_cl_flush_o,
  output logic [4:0] d2h_req_op_clean_evict_o,
  output logic [4:0] d2h_req_op_dirty_evict_o,
  output logic [4:0] d2h_req_op_clean_evict_no_data_o,
  output logic [4:0] d2h_req_op_wowr_inv_o,
  output logic [4:0] d2h_req_op_wowr_inv_f_o,
  output logic [4:0] d2h_req_op_wr_inv_o,
  output logic [4:0] d2h_req_op_cache_flushed_o,
  output logic [4:0] d2h_req_op_wr_cur_o,
  output logic [4:0] d2h_rsp_op_rsp_shit_se_o,
  output logic [4:0] d2h_rsp_op_rsp_ihit_i_o,
  output logic [4:0] d2h_rsp_op_rsp_ihit_se_o,
  output logic [4:0] d2h_rsp_op_rsp_vhit_v_o,
  output logic [4:0] d2h_rsp_op_rsp_sfwd_m_o,
  output logic [4:0] d2h_rsp_op_rsp_ifwd_m_o,
  output logic [4:0] d2h_rsp_op_rsp_vfwd_v_o,
  output logic [2:0] h2d_req_op_snp_data_o,
  output logic [2:0] h2d_req_op_snp_inv_o,
  output logic [2:0] h2d_req_op_snp_cur_o,
  output logic [3:0] h2d_rsp_op_write_pull_o,
  output logic [3:0] h2d_rsp_op_go_o,
  output logic [3:0] h2d_rsp_op_go_write_pull_o,
  output logic [3:0] h2d_rsp_op_ext_cmp_o,
  output logic [3:0] h2d_rsp_op_go_write_pull_drop_o,
  output logic [3:0] h2d_rsp_op_fast_go_o,
  output logic [3:0] h2d_rsp_op_fast_go_write_pull_o,
  output logic [3:0] h2d_rsp_op_go_err_write_pull_o,
  output logic [3:0] go_shared_o,
  output logic [3:0] go_exclusive_o,
  output logic [3:0] go_invalid_o,
  output logic [3:0] go_error_o,
  output logic [3:0] go_modified_o
);

  assign h2d_req_valid_o = h2d_req_i.valid;
  assign h2d_req_opcode_o = h2d_req_i.opcode;
  assign h2d_req_addr_51_6_o = h2d_req_i.addr_51_6;
  assign h2d_req_uqid_o = h2d_req_i.uqid;
  assign h2d_req_rsvd_o = h2d_req_i.rsvd;
  assign h2d_rsp_valid_o = h2d_rsp_i.valid;
  assign h2d_rsp_opcode_o = h2d_rsp_i.opcode;
  assign h2d_rsp_rsp_data_o = h2d_rsp_i.rsp_data;
  assign h2d_rsp_rsp_pre_o = h2d_rsp_i.rsp_pre;
  assign h2d_rsp_cqid_o = h2d_rsp_i.cqid;
  assign h2d_rsp_rsvd_o = h2d_rsp_i.rsvd;
  assign h2d_dh_valid_o = h2d_dh_i.valid;
  assign h2d_dh_cqid_o = h2d_dh_i.cqid;
  assign h2d_dh_chunk_valid_o = h2d_dh_i.chunk_valid;
  assign h2d_dh_poison_o = h2d_dh_i.poison;
  assign h2d_dh_go_err_o = h2d_dh_i.go_err;
  assign h2d_dh_rsvd_o = h2d_dh_i.rsvd;
  assign d2h_req_valid_o = d2h_req_i.valid;
  assign d2h_req_opcode_o = d2h_req_i.opcode;
  assign d2h_req_cqid_o = d2h_req_i.cqid;
  assign d2h_req_nt_o = d2h_req_i.nt;
  assign d2h_req_rsvd0_o = d2h_req_i.rsvd0;
  assign d2h_req_addr_51_6_o = d2h_req_i.addr_51_6;
  assign d2h_req_rsvd1_o = d2h_req_i.rsvd1;
  assign d2h_rsp_valid_o = d2h_rsp_i.valid;
  assign d2h_rsp_opcode_o = d2h_rsp_i.opcode;
  assign d2h_rsp_uqid_o = d2h_rsp_i.uqid;
  assign d2h_rsp_rsvd_o = d2h_rsp_i.rsvd;
  assign d2h_dh_valid_o = d2h_dh_i.valid;
  assign d2h_dh_uqid_o = d2h_dh_i.uqid;
  assign d2h_dh_chunk_valid_o = d2h_dh_i.chunk_valid;
  assign d2h_dh_bogus_o = d2h_dh_i.bogus;
  assign d2h_dh_poison_o = d2h_dh_i.poison;
  assign d2h_dh_rsvd_o = d2h_dh_i.rsvd;
  assign d2h_req_op_rd_curr_o = RdCurr;
  assign d2h_req_op_rd_own_o = RdOwn;
  assign d2h_req_op_rd_shared_o = RdShared;
  assign d2h_req_op_rd_any_o = RdAny;
  assign d2h_req_op_rd_own_no_data_o = RdOwnNoData;
  assign d2h_req_op_ito_mwr_o = ItoMWr;
  assign d2h_req_op_cl_flush_o = CLFlush;
  assign d2h_req_op_clean_evict_o = CleanEvict;
  assign d2h_req_op_dirty_evict_o = DirtyEvict;
  assign d2h_req_op_clean_evict_no_data_o = CleanEvictNoData;
  assign d2h_req_op_wowr_inv_o = WOWrInv;
  assign d2h_req_op_wowr_inv_f_o = WOWrInvF;
  assign d2h_req_op_wr_inv_o = WrInv;
  assign d2h_req_op_cache_flushed_o = CacheFlushed;
  assign d2h_req_op_wr_cur_o = WrCur;
  assign d2h_rsp_op_rsp_shit_se_o = RspSHitSE;
  assign d2h_rsp_op_rsp_ihit_i_o = RspIHitI;
  assign d2h_rsp_op_rsp_ihit_se_o = RspIHitSE;
  assign d2h_rsp_op_rsp_vhit_v_o = RspVHitV;
  assign d2h_rsp_op_rsp_sfwd_m_o = RspSFwdM;
  assign d2h_rsp_op_rsp_ifwd_m_o = RspIFwdM;
  assign d2h_rsp_op_rsp_vfwd_v_o = RspVFwdV;
  assign h2d_req_op_snp_data_o = SnpData;
  assign h2d_req_op_snp_inv_o = SnpInv;
  assign h2d_req_op_snp_cur_o = SnpCur;
  assign h2d_rsp_op_write_pull_o = WritePull;
  assign h2d_rsp_op_go_o = Go;
  assign h2d_rsp_op_go_write_pull_o = GoWritePull;
  assign h2d_rsp_op_ext_cmp_o = ExtCmp;
  assign h2d_rsp_op_go_write_pull_drop_o = GoWritePullDrop;
  assign h2d_rsp_op_fast_go_o = FastGo;
  assign h2d_rsp_op_fast_go_write_pull_o = FastGoWritePull;
  assign h2d_rsp_op_go_err_write_pull_o = GoErrWritePull;
  assign go_shared_o = GoShared;
  assign go_exclusive_o = GoExclusive;
  assign go_invalid_o = GoInvalid;
  assign go_error_o = GoError;
  assign go_modified_o = GoModified;

endmodule
