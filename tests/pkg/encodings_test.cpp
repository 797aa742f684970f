// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
// One source for a constant: the RTL's packages say what flits/ says.
//
// Structs are compared bit by bit (each wire bit lands in the same field at the same place,
// reserved bits included), constants by name.
#include <gtest/gtest.h>

#include <map>
#include <string>

#include "Vencodings.h"
#include "common/media_port.hpp"
#include "common/policy.hpp"
#include "flits/codec.hpp"
#include "flits/control.hpp"
#include "flits/crc16.hpp"
#include "flits/link_checker.hpp"
#include "flits/slots.hpp"
#include "tests/common/bits.hpp"
#include "tests/common/sys_bits.hpp"

namespace cxlgpu {
namespace {

using flits::u128;
using Fields = std::map<std::string, std::uint64_t, std::less<>>;

class Encodings : public ::testing::Test {
 protected:
  Encodings() { top_.eval(); }

  template <typename Port>
  void drive(Port& port, u128 bits, unsigned width) {
    const unsigned low = width < 64 ? width : 64;
    test::set_bits(port, 0, low, static_cast<std::uint64_t>(bits));
    if (width > 64) {
      test::set_bits(port, 64, width - 64, static_cast<std::uint64_t>(bits >> 64));
    }
    top_.eval();
  }

  // Each single bit of message M through `port`; `fields()` reads the ports of its fields, "rsvd"
  // holds what is left.
  template <typename M, typename Port, typename Read>
  void compare(Port& port, Read fields) {
    for (unsigned bit = 0; bit < flits::Layout<M>::width; ++bit) {
      SCOPED_TRACE("wire bit " + std::to_string(bit));
      const u128 bits = u128{1} << bit;
      drive(port, bits, flits::Layout<M>::width);
      Fields rtl = fields();
      const M message = flits::unpack<M>(bits);
      flits::for_each_field<M>([&](const auto& f) {
        const auto expected = static_cast<std::uint64_t>(message.*f.member) >> f.shift;
        const auto found = rtl.find(f.name);
        ASSERT_NE(found, rtl.end()) << f.name << " is missing in the RTL";
        EXPECT_EQ(found->second, expected) << f.name;
        rtl.erase(found);
      });
      const bool used = (flits::used_bits<M>() & bits) != 0;
      if (rtl.contains("rsvd")) {
        EXPECT_EQ(rtl["rsvd"] != 0, !used);
        rtl.erase("rsvd");
      } else {
        EXPECT_TRUE(used);
      }
      EXPECT_TRUE(rtl.empty()) << rtl.begin()->first << " is missing in flits/";
    }
  }

  Covered<Vencodings> covered_;
  Vencodings& top_ = *covered_;
};

TEST_F(Encodings, M2sReqFields) {
  compare<flits::M2sReq>(top_.req_i, [&] {
    return Fields{{"valid", top_.req_valid_o},           {"opcode", top_.req_opcode_o},
                  {"snp_type", top_.req_snp_type_o},     {"meta_field", top_.req_meta_field_o},
                  {"meta_value", top_.req_meta_value_o}, {"tag", top_.req_tag_o},
                  {"address", top_.req_address_o},       {"tc", top_.req_tc_o},
                  {"ld_id", top_.req_ld_id_o},           {"rsvd", top_.req_rsvd_o}};
  });
}

TEST_F(Encodings, M2sRwdFields) {
  compare<flits::M2sRwd>(top_.rwd_i, [&] {
    return Fields{{"valid", top_.rwd_valid_o},
                  {"opcode", top_.rwd_opcode_o},
                  {"snp_type", top_.rwd_snp_type_o},
                  {"meta_field", top_.rwd_meta_field_o},
                  {"meta_value", top_.rwd_meta_value_o},
                  {"tag", top_.rwd_tag_o},
                  {"address", top_.rwd_address_o},
                  {"poison", top_.rwd_poison_o},
                  {"tc", top_.rwd_tc_o},
                  {"ld_id", top_.rwd_ld_id_o},
                  {"rsvd", top_.rwd_rsvd_o}};
  });
}

TEST_F(Encodings, S2mNdrFields) {
  compare<flits::S2mNdr>(top_.ndr_i, [&] {
    return Fields{{"valid", top_.ndr_valid_o},
                  {"opcode", top_.ndr_opcode_o},
                  {"meta_field", top_.ndr_meta_field_o},
                  {"meta_value", top_.ndr_meta_value_o},
                  {"tag", top_.ndr_tag_o},
                  {"ld_id", top_.ndr_ld_id_o},
                  {"dev_load", top_.ndr_dev_load_o}};
  });
}

TEST_F(Encodings, S2mDrsFields) {
  compare<flits::S2mDrs>(top_.drs_i, [&] {
    return Fields{{"valid", top_.drs_valid_o},
                  {"opcode", top_.drs_opcode_o},
                  {"meta_field", top_.drs_meta_field_o},
                  {"meta_value", top_.drs_meta_value_o},
                  {"tag", top_.drs_tag_o},
                  {"poison", top_.drs_poison_o},
                  {"ld_id", top_.drs_ld_id_o},
                  {"dev_load", top_.drs_dev_load_o},
                  {"rsvd", top_.drs_rsvd_o}};
  });
}

TEST_F(Encodings, FlitHeaderFields) {
  for (unsigned bit = 0; bit < 32; ++bit) {
    SCOPED_TRACE("header bit " + std::to_string(bit));
    drive(top_.header_i, u128{1} << bit, 32);
    flits::Flit flit;
    flit.set_slot(0, u128{1} << bit);
    const flits::FlitHeader header = flits::unpack_header(1u << bit);
    EXPECT_EQ(top_.header_is_control_o, flit.is_control());
    EXPECT_EQ(top_.header_ak_o, header.ak);
    EXPECT_EQ(top_.header_be_o, header.be);
    EXPECT_EQ(top_.header_sz_o, header.sz);
    EXPECT_EQ(top_.header_slot0_o, header.format[0]);
    EXPECT_EQ(top_.header_slot1_o, header.format[1]);
    EXPECT_EQ(top_.header_slot2_o, header.format[2]);
    EXPECT_EQ(top_.header_slot3_o, header.format[3]);
    EXPECT_EQ(top_.header_rsp_crd_o, header.rsp_crd);
    EXPECT_EQ(top_.header_req_crd_o, header.req_crd);
    EXPECT_EQ(top_.header_data_crd_o, header.data_crd);
    EXPECT_EQ(top_.header_rsvd_o != 0, (flits::kHeaderReserved >> bit & 1) != 0);
  }
}

TEST_F(Encodings, CreditCodes) {
  for (unsigned code = 0; code < 8; ++code) {
    top_.credit_code_i = static_cast<std::uint8_t>(code);
    top_.eval();
    EXPECT_EQ(top_.credit_count_o, flits::decode_credit(static_cast<std::uint8_t>(code)).count);
  }
  for (unsigned count = 0; count < 1024; ++count) {
    top_.credit_count_i = static_cast<std::uint16_t>(count);
    top_.eval();
    EXPECT_EQ(top_.credit_code_o, flits::encode_credit(true, count) & 7u) << count;
  }
}

TEST_F(Encodings, Widths) {
  EXPECT_EQ(top_.bits_flit_o, (flits::Flit::kBytes - 2) * 8);  // without protocol ID
  EXPECT_EQ(top_.bits_payload_o, flits::Flit{}.payload().size() * 8);
  EXPECT_EQ(top_.bits_slot_o, sizeof(flits::Chunk) * 8);
  EXPECT_EQ(top_.bits_line_o, sizeof(flits::LineData) * 8);
  EXPECT_EQ(top_.bytes_line_o, sizeof(flits::LineData));
  EXPECT_EQ(top_.bits_line_addr_o, 52u - 6u);
  EXPECT_EQ(top_.bits_req_o, flits::Layout<flits::M2sReq>::width);
  EXPECT_EQ(top_.bits_rwd_o, flits::Layout<flits::M2sRwd>::width);
  EXPECT_EQ(top_.bits_ndr_o, flits::Layout<flits::S2mNdr>::width);
  EXPECT_EQ(top_.bits_drs_o, flits::Layout<flits::S2mDrs>::width);
  EXPECT_EQ(top_.bits_req_struct_o, flits::Layout<flits::M2sReq>::width);
  EXPECT_EQ(top_.bits_rwd_struct_o, flits::Layout<flits::M2sRwd>::width);
  EXPECT_EQ(top_.bits_ndr_struct_o, flits::Layout<flits::S2mNdr>::width);
  EXPECT_EQ(top_.bits_drs_struct_o, flits::Layout<flits::S2mDrs>::width);
  EXPECT_EQ(top_.bits_header_struct_o, flits::kHeaderSlotBit);
  EXPECT_EQ(top_.bits_msg_hdr_o, flits::Layout<flits::M2sReq>::width);
  EXPECT_EQ(top_.bits_sys_req_struct_o, test::kSysReqBits);
  EXPECT_EQ(top_.bits_sys_rsp_struct_o, test::kSysRspBits);
}

// Pairs of what the RTL and what C++ call by the same name.
struct Pair {
  const char* name;
  std::uint64_t rtl;
  std::uint64_t cpp;
};
template <typename T>
Pair same(const char* name, std::uint64_t rtl, T cpp) {
  return {name, rtl, static_cast<std::uint64_t>(cpp)};
}
void expect_same(const std::vector<Pair>& pairs) {
  for (const Pair& pair : pairs) EXPECT_EQ(pair.rtl, pair.cpp) << pair.name;
}

TEST_F(Encodings, ProtocolIdAndCrc) {
  flits::Flit flit;
  flit.set_protocol_id(flits::ProtocolId::CacheMem);
  expect_same({same("ProtocolIdCacheMem", top_.protocol_id_o, flit.bytes[0] | flit.bytes[1] << 8),
               same("CrcPoly", top_.crc_poly_o, flits::kCrcPolynomial)});
}

TEST_F(Encodings, Opcodes) {
  using flits::M2sReqOpcode;
  using flits::M2sRwdOpcode;
  using flits::S2mNdrOpcode;
  const std::vector<Pair> req = {same("MemInv", top_.mem_inv_o, M2sReqOpcode::MemInv),
                                 same("MemRd", top_.mem_rd_o, M2sReqOpcode::MemRd),
                                 same("MemRdData", top_.mem_rd_data_o, M2sReqOpcode::MemRdData),
                                 same("MemRdFwd", top_.mem_rd_fwd_o, M2sReqOpcode::MemRdFwd),
                                 same("MemWrFwd", top_.mem_wr_fwd_o, M2sReqOpcode::MemWrFwd),
                                 same("MemSpecRd", top_.mem_spec_rd_o, M2sReqOpcode::MemSpecRd),
                                 same("MemInvNT", top_.mem_inv_nt_o, M2sReqOpcode::MemInvNT)};
  expect_same(req);
  EXPECT_EQ(req.size(), flits::NamesOf<M2sReqOpcode>::table.size());
  const std::vector<Pair> rwd = {same("MemWr", top_.mem_wr_o, M2sRwdOpcode::MemWr),
                                 same("MemWrPtl", top_.mem_wr_ptl_o, M2sRwdOpcode::MemWrPtl)};
  expect_same(rwd);
  EXPECT_EQ(rwd.size(), flits::NamesOf<M2sRwdOpcode>::table.size());
  const std::vector<Pair> ndr = {same("Cmp", top_.cmp_o, S2mNdrOpcode::Cmp),
                                 same("CmpS", top_.cmp_s_o, S2mNdrOpcode::CmpS),
                                 same("CmpE", top_.cmp_e_o, S2mNdrOpcode::CmpE)};
  expect_same(ndr);
  EXPECT_EQ(ndr.size(), flits::NamesOf<S2mNdrOpcode>::table.size());
  expect_same({same("MemData", top_.mem_data_o, flits::S2mDrsOpcode::MemData)});
}

TEST_F(Encodings, MessageCodes) {
  using flits::DevLoad;
  expect_same({same("SnpNoOp", top_.snp_no_op_o, flits::SnpType::NoOp),
               same("MetaFieldState", top_.meta_field_state_o, flits::MetaField::Meta0State),
               same("MetaFieldNoOp", top_.meta_field_no_op_o, flits::MetaField::NoOp),
               same("MetaValueInvalid", top_.meta_value_invalid_o, flits::MetaValue::Invalid),
               same("MetaValueAny", top_.meta_value_any_o, flits::MetaValue::Any),
               same("LoadLight", top_.load_light_o, DevLoad::Light),
               same("LoadOptimal", top_.load_optimal_o, DevLoad::Optimal),
               same("LoadModerate", top_.load_moderate_o, DevLoad::Moderate),
               same("LoadSevere", top_.load_severe_o, DevLoad::Severe)});
}

TEST_F(Encodings, SlotFormats) {
  using flits::Direction;
  using Kinds = std::vector<flits::MessageKind>;
  constexpr auto kReq = flits::MessageKind::M2sReq, kRwd = flits::MessageKind::M2sRwd;
  constexpr auto kNdr = flits::MessageKind::S2mNdr, kDrs = flits::MessageKind::S2mDrs;
  // The CXL.mem messages of a format.
  const auto kinds = [](Direction direction, unsigned slot, unsigned code) {
    Kinds found;
    for (const auto& place : flits::slot_format(direction, slot, code).places()) {
      if (!flits::is_cache(place.kind)) found.push_back(place.kind);
    }
    return found;
  };
  EXPECT_EQ(kinds(Direction::M2S, 0, top_.slot_h4_o), Kinds{kRwd});
  EXPECT_EQ(kinds(Direction::M2S, 0, top_.slot_h5_o), Kinds{kReq});
  EXPECT_EQ(kinds(Direction::M2S, 1, top_.slot_g4_o), Kinds{kReq});
  EXPECT_EQ(kinds(Direction::M2S, 1, top_.slot_g5_o), Kinds{kRwd});
  EXPECT_EQ(kinds(Direction::S2M, 0, top_.slot_h0_o), Kinds{kNdr});
  EXPECT_EQ(kinds(Direction::S2M, 0, top_.slot_h3_o), (Kinds{kDrs, kNdr}));
  EXPECT_EQ(kinds(Direction::S2M, 0, top_.slot_h4_o), (Kinds{kNdr, kNdr}));
  EXPECT_EQ(kinds(Direction::S2M, 0, top_.slot_h5_o), (Kinds{kDrs, kDrs}));
  EXPECT_EQ(kinds(Direction::S2M, 1, top_.slot_g4_o), (Kinds{kDrs, kNdr, kNdr}));
  EXPECT_EQ(kinds(Direction::S2M, 1, top_.slot_g5_o), (Kinds{kNdr, kNdr}));
  EXPECT_EQ(kinds(Direction::S2M, 1, top_.slot_g6_o), (Kinds{kDrs, kDrs, kDrs}));
  expect_same({same("SlotG0", top_.slot_g0_o, flits::kDataFormat),
               same("SlotH6", top_.slot_h6_o, flits::kMacFormat)});
  for (const Direction direction : {Direction::M2S, Direction::S2M}) {
    EXPECT_FALSE(flits::slot_format(direction, 0, top_.slot_h_rsvd_o).defined());
    EXPECT_FALSE(flits::slot_format(direction, 1, top_.slot_g_rsvd_o).defined());
  }
}

TEST_F(Encodings, ControlFlits) {
  struct Code {
    flits::Control control;
    unsigned llctrl, subtype;
  };
  const std::vector<Code> codes = {
      {flits::Llcrd{}, top_.llctrl_llcrd_o, top_.sub_llcrd_ack_o},
      {flits::RetryIdle{}, top_.llctrl_retry_o, top_.sub_retry_idle_o},
      {flits::RetryReq{}, top_.llctrl_retry_o, top_.sub_retry_req_o},
      {flits::RetryAck{}, top_.llctrl_retry_o, top_.sub_retry_ack_o},
      {flits::RetryFrame{}, top_.llctrl_retry_o, top_.sub_retry_frame_o},
      {flits::InitParam{}, top_.llctrl_init_o, top_.sub_init_param_o},
      {flits::IdeIdle{}, top_.llctrl_ide_o, 0}};
  for (const Code& code : codes) {
    EXPECT_EQ(code.llctrl, flits::kControlCodes[code.control.index()].llctrl) << name(code.control);
    EXPECT_EQ(code.subtype, flits::kControlCodes[code.control.index()].subtype)
        << name(code.control);
    const flits::Flit flit = flits::encode_control(code.control);
    EXPECT_EQ(flit.slot(0) >> 32 & 0xff, code.llctrl | code.subtype << 4);
  }
  EXPECT_EQ(top_.link_version_o, flits::InitParam{}.version);
}

TEST_F(Encodings, AkUnit) {
  flits::ProtocolFlit content;
  content.header.ak = true;
  content.header.format[0] = top_.slot_h5_o;
  flits::Decoder decoder(flits::Direction::M2S);
  EXPECT_EQ(decoder.decode(flits::encode(flits::Direction::M2S, content)).acks, top_.ak_unit_o);
}

// The checker has no name for the number: what it accepts before a RETRY.Req is what counts.
TEST_F(Encodings, RetryFrames) {
  const auto findings = [](unsigned frames) {
    flits::LinkChecker checker;
    std::uint64_t at = 0;
    const auto send = [&](flits::Direction direction, const flits::Control& control) {
      checker.on_flit(at += 2125, direction, flits::encode_control(control));
    };
    for (const auto direction : {flits::Direction::M2S, flits::Direction::S2M}) {
      send(direction, flits::RetryIdle{});
    }
    for (const auto direction : {flits::Direction::M2S, flits::Direction::S2M}) {
      send(direction, flits::InitParam{2, 40});
    }
    checker.force_retry(flits::Direction::S2M);
    for (unsigned i = 0; i < frames; ++i) send(flits::Direction::M2S, flits::RetryFrame{});
    send(flits::Direction::M2S, flits::RetryReq{1, 0, 0});
    return checker.finding_count();
  };
  EXPECT_EQ(findings(top_.retry_frames_o), 0u);
  EXPECT_GT(findings(top_.retry_frames_o - 1), 0u);
  EXPECT_GT(findings(top_.retry_frames_o + 1), 0u);
}

TEST_F(Encodings, VendorRegistersAndMediaPort) {
  expect_same(
      {same("PolicyOff", top_.policy_off_o, SrPolicy::Off),
       same("PolicyNaive", top_.policy_naive_o, SrPolicy::Naive),
       same("PolicyDyn", top_.policy_dyn_o, SrPolicy::Dyn),
       same("PolicySrPaper", top_.policy_sr_paper_o, SrPolicy::SrPaper),
       same("PolicySr", top_.policy_sr_o, SrPolicy::Sr), same("Gran64", top_.gran_64_o, Gran::B64),
       same("Gran256", top_.gran_256_o, Gran::B256), same("Gran512", top_.gran_512_o, Gran::B512),
       same("Gran768", top_.gran_768_o, Gran::B768),
       same("Gran1024", top_.gran_1024_o, Gran::B1024),
       same("GranHalted", top_.gran_halted_o, Gran::Halted),
       same("MediaRead", top_.media_read_o, MediaOp::Read),
       same("MediaWrite", top_.media_write_o, MediaOp::Write),
       same("MediaArrayRead", top_.media_array_read_o, MediaOp::ArrayRead),
       same("MediaArrayWrite", top_.media_array_write_o, MediaOp::ArrayWrite),
       same("MediaFill", top_.media_fill_o, MediaOp::Fill),
       same("MediaWriteBack", top_.media_write_back_o, MediaOp::WriteBack)});
}

}  // namespace
}  // namespace cxlgpu
