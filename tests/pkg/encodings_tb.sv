// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
//
// What the packages say, on ports: structs in, their fields out; every constant under its name.

module encodings_tb
  import cxl_pkg::*;
  import cxlgpu_pkg::*;
(
  // Structs, field by field
  input  m2s_req_t     req_i,
  output logic         req_valid_o,
  output logic [3:0]   req_opcode_o,
  output logic [2:0]   req_snp_type_o,
  output logic [1:0]   req_meta_field_o,
  output logic [1:0]   req_meta_value_o,
  output logic [15:0]  req_tag_o,
  output logic [46:0]  req_address_o,
  output logic [1:0]   req_tc_o,
  output logic [3:0]   req_ld_id_o,
  output logic [5:0]   req_rsvd_o,

  input  m2s_rwd_t     rwd_i,
  output logic         rwd_valid_o,
  output logic [3:0]   rwd_opcode_o,
  output logic [2:0]   rwd_snp_type_o,
  output logic [1:0]   rwd_meta_field_o,
  output logic [1:0]   rwd_meta_value_o,
  output logic [15:0]  rwd_tag_o,
  output logic [45:0]  rwd_address_o,
  output logic         rwd_poison_o,
  output logic [1:0]   rwd_tc_o,
  output logic [3:0]   rwd_ld_id_o,
  output logic [5:0]   rwd_rsvd_o,

  input  s2m_ndr_t     ndr_i,
  output logic         ndr_valid_o,
  output logic [2:0]   ndr_opcode_o,
  output logic [1:0]   ndr_meta_field_o,
  output logic [1:0]   ndr_meta_value_o,
  output logic [15:0]  ndr_tag_o,
  output logic [3:0]   ndr_ld_id_o,
  output logic [1:0]   ndr_dev_load_o,

  input  s2m_drs_t     drs_i,
  output logic         drs_valid_o,
  output logic [2:0]   drs_opcode_o,
  output logic [1:0]   drs_meta_field_o,
  output logic [1:0]   drs_meta_value_o,
  output logic [15:0]  drs_tag_o,
  output logic         drs_poison_o,
  output logic [3:0]   drs_ld_id_o,
  output logic [1:0]   drs_dev_load_o,
  output logic [8:0]   drs_rsvd_o,

  input  flit_header_t header_i,
  output logic         header_is_control_o,
  output logic         header_ak_o,
  output logic         header_be_o,
  output logic         header_sz_o,
  output logic [2:0]   header_slot0_o,
  output logic [2:0]   header_slot1_o,
  output logic [2:0]   header_slot2_o,
  output logic [2:0]   header_slot3_o,
  output logic [3:0]   header_rsp_crd_o,
  output logic [3:0]   header_req_crd_o,
  output logic [3:0]   header_data_crd_o,
  output logic [3:0]   header_rsvd_o,  // {rsvd, rsvd1}

  // Credit codes
  input  logic [2:0]   credit_code_i,
  output logic [6:0]   credit_count_o,
  input  logic [9:0]   credit_count_i,
  output logic [2:0]   credit_code_o,

  // Widths in bits
  output logic [31:0]  bits_flit_o,
  output logic [31:0]  bits_payload_o,
  output logic [31:0]  bits_slot_o,
  output logic [31:0]  bits_line_o,
  output logic [31:0]  bytes_line_o,
  output logic [31:0]  bits_line_addr_o,
  output logic [31:0]  bits_req_o,
  output logic [31:0]  bits_rwd_o,
  output logic [31:0]  bits_ndr_o,
  output logic [31:0]  bits_drs_o,
  output logic [31:0]  bits_req_struct_o,
  output logic [31:0]  bits_rwd_struct_o,
  output logic [31:0]  bits_ndr_struct_o,
  output logic [31:0]  bits_drs_struct_o,
  output logic [31:0]  bits_header_struct_o,
  output logic [31:0]  bits_msg_hdr_o,
  output logic [31:0]  bits_sys_req_struct_o,
  output logic [31:0]  bits_sys_rsp_struct_o,

  // Constants
  output logic [15:0]  protocol_id_o,
  output logic [15:0]  crc_poly_o,
  output logic [2:0]   slot_h0_o, slot_h4_o, slot_h5_o, slot_h6_o, slot_h_rsvd_o,
  output logic [2:0]   slot_g0_o, slot_g4_o, slot_g5_o, slot_g6_o, slot_g_rsvd_o,
  output logic [2:0]   slot_h3_o,
  output logic [3:0]   mem_inv_o, mem_rd_o, mem_rd_data_o, mem_rd_fwd_o, mem_wr_fwd_o,
  output logic [3:0]   mem_spec_rd_o, mem_inv_nt_o,
  output logic [3:0]   mem_wr_o, mem_wr_ptl_o,
  output logic [2:0]   cmp_o, cmp_s_o, cmp_e_o,
  output logic [2:0]   mem_data_o,
  output logic [2:0]   snp_no_op_o,
  output logic [1:0]   meta_field_state_o, meta_field_no_op_o,
  output logic [1:0]   meta_value_invalid_o, meta_value_any_o,
  output logic [1:0]   load_light_o, load_optimal_o, load_moderate_o, load_severe_o,
  output logic [3:0]   llctrl_llcrd_o, llctrl_retry_o, llctrl_ide_o, llctrl_init_o,
  output logic [3:0]   sub_llcrd_ack_o, sub_retry_idle_o, sub_retry_req_o, sub_retry_ack_o,
  output logic [3:0]   sub_retry_frame_o, sub_init_param_o,
  output logic [3:0]   link_version_o,
  output logic [31:0]  retry_frames_o, ak_unit_o,

  // cxlgpu_pkg
  output logic [2:0]   policy_off_o, policy_naive_o, policy_dyn_o, policy_sr_paper_o,
  output logic [2:0]   policy_sr_o,
  output logic [2:0]   gran_64_o, gran_256_o, gran_512_o, gran_768_o, gran_1024_o, gran_halted_o,
  output logic [2:0]   media_read_o, media_write_o, media_array_read_o, media_array_write_o,
  output logic [2:0]   media_fill_o, media_write_back_o
);

  assign req_valid_o      = req_i.valid;
  assign req_opcode_o     = req_i.opcode;
  assign req_snp_type_o   = req_i.snp_type;
  assign req_meta_field_o = req_i.meta_field;
  assign req_meta_value_o = req_i.meta_value;
  assign req_tag_o        = req_i.tag;
  assign req_address_o    = req_i.addr_51_5;
  assign req_tc_o         = req_i.tc;
  assign req_ld_id_o      = req_i.ld_id;
  assign req_rsvd_o       = req_i.rsvd;

  assign rwd_valid_o      = rwd_i.valid;
  assign rwd_opcode_o     = rwd_i.opcode;
  assign rwd_snp_type_o   = rwd_i.snp_type;
  assign rwd_meta_field_o = rwd_i.meta_field;
  assign rwd_meta_value_o = rwd_i.meta_value;
  assign rwd_tag_o        = rwd_i.tag;
  assign rwd_address_o    = rwd_i.addr_51_6;
  assign rwd_poison_o     = rwd_i.poison;
  assign rwd_tc_o         = rwd_i.tc;
  assign rwd_ld_id_o      = rwd_i.ld_id;
  assign rwd_rsvd_o       = rwd_i.rsvd;

  assign ndr_valid_o      = ndr_i.valid;
  assign ndr_opcode_o     = ndr_i.opcode;
  assign ndr_meta_field_o = ndr_i.meta_field;
  assign ndr_meta_value_o = ndr_i.meta_value;
  assign ndr_tag_o        = ndr_i.tag;
  assign ndr_ld_id_o      = ndr_i.ld_id;
  assign ndr_dev_load_o   = ndr_i.dev_load;

  assign drs_valid_o      = drs_i.valid;
  assign drs_opcode_o     = drs_i.opcode;
  assign drs_meta_field_o = drs_i.meta_field;
  assign drs_meta_value_o = drs_i.meta_value;
  assign drs_tag_o        = drs_i.tag;
  assign drs_poison_o     = drs_i.poison;
  assign drs_ld_id_o      = drs_i.ld_id;
  assign drs_dev_load_o   = drs_i.dev_load;
  assign drs_rsvd_o       = drs_i.rsvd;

  assign header_is_control_o = header_i.is_control;
  assign header_ak_o         = header_i.ak;
  assign header_be_o         = header_i.be;
  assign header_sz_o         = header_i.sz;
  assign header_slot0_o      = header_i.slot0;
  assign header_slot1_o      = header_i.slot1;
  assign header_slot2_o      = header_i.slot2;
  assign header_slot3_o      = header_i.slot3;
  assign header_rsp_crd_o    = header_i.rsp_crd;
  assign header_req_crd_o    = header_i.req_crd;
  assign header_data_crd_o   = header_i.data_crd;
  assign header_rsvd_o       = {header_i.rsvd, header_i.rsvd1};

  assign credit_count_o = credit_count(credit_code_i);
  assign credit_code_o  = credit_code(credit_count_i);

  assign bits_flit_o           = FlitBits;
  assign bits_payload_o        = FlitPayloadBits;
  assign bits_slot_o           = SlotBits;
  assign bits_line_o           = LineBits;
  assign bytes_line_o          = LineBytes;
  assign bits_line_addr_o      = LineAddrBits;
  assign bits_req_o            = M2sReqBits;
  assign bits_rwd_o            = M2sRwdBits;
  assign bits_ndr_o            = S2mNdrBits;
  assign bits_drs_o            = S2mDrsBits;
  assign bits_req_struct_o     = $bits(m2s_req_t);
  assign bits_rwd_struct_o     = $bits(m2s_rwd_t);
  assign bits_ndr_struct_o     = $bits(s2m_ndr_t);
  assign bits_drs_struct_o     = $bits(s2m_drs_t);
  assign bits_header_struct_o  = $bits(flit_header_t);
  assign bits_msg_hdr_o        = $bits(msg_hdr_t);
  assign bits_sys_req_struct_o = $bits(sys_req_t);
  assign bits_sys_rsp_struct_o = $bits(sys_rsp_t);

  assign protocol_id_o = ProtocolIdCacheMem;
  assign crc_poly_o    = CrcPoly;

  assign slot_h0_o     = SlotH0;
  assign slot_h3_o     = SlotH3;
  assign slot_h4_o     = SlotH4;
  assign slot_h5_o     = SlotH5;
  assign slot_h6_o     = SlotH6;
  assign slot_h_rsvd_o = SlotHRsvd;
  assign slot_g0_o     = SlotG0;
  assign slot_g4_o     = SlotG4;
  assign slot_g5_o     = SlotG5;
  assign slot_g6_o     = SlotG6;
  assign slot_g_rsvd_o = SlotGRsvd;

  assign mem_inv_o     = MemInv;
  assign mem_rd_o      = MemRd;
  assign mem_rd_data_o = MemRdData;
  assign mem_rd_fwd_o  = MemRdFwd;
  assign mem_wr_fwd_o  = MemWrFwd;
  assign mem_spec_rd_o = MemSpecRd;
  assign mem_inv_nt_o  = MemInvNT;
  assign mem_wr_o      = MemWr;
  assign mem_wr_ptl_o  = MemWrPtl;
  assign cmp_o         = Cmp;
  assign cmp_s_o       = CmpS;
  assign cmp_e_o       = CmpE;
  assign mem_data_o    = MemData;

  assign snp_no_op_o          = SnpNoOp;
  assign meta_field_state_o   = MetaFieldState;
  assign meta_field_no_op_o   = MetaFieldNoOp;
  assign meta_value_invalid_o = MetaValueInvalid;
  assign meta_value_any_o     = MetaValueAny;
  assign load_light_o         = LoadLight;
  assign load_optimal_o       = LoadOptimal;
  assign load_moderate_o      = LoadModerate;
  assign load_severe_o        = LoadSevere;

  assign llctrl_llcrd_o    = LlctrlLlcrd;
  assign llctrl_retry_o    = LlctrlRetry;
  assign llctrl_ide_o      = LlctrlIde;
  assign llctrl_init_o     = LlctrlInit;
  assign sub_llcrd_ack_o   = SubLlcrdAck;
  assign sub_retry_idle_o  = SubRetryIdle;
  assign sub_retry_req_o   = SubRetryReq;
  assign sub_retry_ack_o   = SubRetryAck;
  assign sub_retry_frame_o = SubRetryFrame;
  assign sub_init_param_o  = SubInitParam;
  assign link_version_o    = LinkVersion20;
  assign retry_frames_o    = RetryFrames;
  assign ak_unit_o         = AkUnit;

  assign policy_off_o         = PolicyOff;
  assign policy_naive_o       = PolicyNaive;
  assign policy_dyn_o         = PolicyDyn;
  assign policy_sr_paper_o    = PolicySrPaper;
  assign policy_sr_o          = PolicySr;
  assign gran_64_o            = Gran64;
  assign gran_256_o           = Gran256;
  assign gran_512_o           = Gran512;
  assign gran_768_o           = Gran768;
  assign gran_1024_o          = Gran1024;
  assign gran_halted_o        = GranHalted;
  assign media_read_o         = MediaRead;
  assign media_write_o        = MediaWrite;
  assign media_array_read_o   = MediaArrayRead;
  assign media_array_write_o  = MediaArrayWrite;
  assign media_fill_o         = MediaFill;
  assign media_write_back_o   = MediaWriteBack;

endmodule
