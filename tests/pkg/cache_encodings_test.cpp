// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
// The RTL's package says of CXL.cache what flits/ says: structs bit by bit, codes by name.
#include <gtest/gtest.h>

#include <map>
#include <string>

#include "Vcache_encodings.h"
#include "flits/messages.hpp"
#include "refmodel/cache/cache_ports.hpp"
#include "tests/controller/ports.hpp"

namespace cxlgpu {
namespace {

using flits::u128;
using Fields = std::map<std::string, std::uint64_t, std::less<>>;

class CacheEncodings : public ::testing::Test {
 protected:
  CacheEncodings() { top_.eval(); }

  // Each single bit of message M through `port`; `fields()` reads the ports of its fields, "rsvd"
  // holds what is left.
  template <typename M, typename Port, typename Read>
  void compare(Port& port, Read fields) {
    for (unsigned bit = 0; bit < flits::Layout<M>::width; ++bit) {
      SCOPED_TRACE("wire bit " + std::to_string(bit));
      const u128 bits = u128{1} << bit;
      test::set_field(port, 0, flits::Layout<M>::width, bits);
      top_.eval();
      Fields rtl = fields();
      const M message = flits::unpack<M>(bits);
      flits::for_each_field<M>([&](const auto& f) {
        const auto expected = static_cast<std::uint64_t>(message.*f.member) >> f.shift;
        const auto found = rtl.find(f.name);
        ASSERT_NE(found, rtl.end()) << f.name << " is missing in the RTL";
        EXPECT_EQ(found->second, expected) << f.name;
        rtl.erase(found);
      });
      EXPECT_EQ(rtl["rsvd"] != 0, (flits::used_bits<M>() & bits) == 0);
      EXPECT_EQ(rtl.size(), 1u) << "a field is missing in flits/";
    }
  }

  Covered<Vcache_encodings> covered_;
  Vcache_encodings& top_ = *covered_;
};

template <class E>
struct Code {
  unsigned rtl;
  E flits;
};
template <class E, std::size_t N>
void expect_codes(const Code<E> (&codes)[N]) {
  EXPECT_EQ(N, flits::NamesOf<E>::table.size());
  for (const Code<E>& c : codes) {
    EXPECT_EQ(c.rtl, static_cast<unsigned>(c.flits)) << flits::name(c.flits);
  }
}

TEST_F(CacheEncodings, H2dReq) {
  compare<flits::H2dReq>(top_.h2d_req_i, [&] {
    return Fields{{"valid", top_.h2d_req_valid_o},
                  {"opcode", top_.h2d_req_opcode_o},
                  {"address", top_.h2d_req_addr_51_6_o},
                  {"uqid", top_.h2d_req_uqid_o},
                  {"rsvd", top_.h2d_req_rsvd_o}};
  });
}

TEST_F(CacheEncodings, H2dRsp) {
  compare<flits::H2dRsp>(top_.h2d_rsp_i, [&] {
    return Fields{{"valid", top_.h2d_rsp_valid_o},       {"opcode", top_.h2d_rsp_opcode_o},
                  {"rsp_data", top_.h2d_rsp_rsp_data_o}, {"rsp_pre", top_.h2d_rsp_rsp_pre_o},
                  {"cqid", top_.h2d_rsp_cqid_o},         {"rsvd", top_.h2d_rsp_rsvd_o}};
  });
}

TEST_F(CacheEncodings, H2dDh) {
  compare<flits::H2dDh>(top_.h2d_dh_i, [&] {
    return Fields{{"valid", top_.h2d_dh_valid_o},
                  {"cqid", top_.h2d_dh_cqid_o},
                  {"chunk_valid", top_.h2d_dh_chunk_valid_o},
                  {"poison", top_.h2d_dh_poison_o},
                  {"go_err", top_.h2d_dh_go_err_o},
                  {"rsvd", top_.h2d_dh_rsvd_o}};
  });
}

TEST_F(CacheEncodings, D2hReq) {
  compare<flits::D2hReq>(top_.d2h_req_i, [&] {
    return Fields{{"valid", top_.d2h_req_valid_o},
                  {"opcode", top_.d2h_req_opcode_o},
                  {"cqid", top_.d2h_req_cqid_o},
                  {"nt", top_.d2h_req_nt_o},
                  {"address", top_.d2h_req_addr_51_6_o},
                  {"rsvd", top_.d2h_req_rsvd0_o | top_.d2h_req_rsvd1_o}};
  });
}

TEST_F(CacheEncodings, D2hRsp) {
  compare<flits::D2hRsp>(top_.d2h_rsp_i, [&] {
    return Fields{{"valid", top_.d2h_rsp_valid_o},
                  {"opcode", top_.d2h_rsp_opcode_o},
                  {"uqid", top_.d2h_rsp_uqid_o},
                  {"rsvd", top_.d2h_rsp_rsvd_o}};
  });
}

TEST_F(CacheEncodings, D2hDh) {
  compare<flits::D2hDh>(top_.d2h_dh_i, [&] {
    return Fields{{"valid", top_.d2h_dh_valid_o},
                  {"uqid", top_.d2h_dh_uqid_o},
                  {"chunk_valid", top_.d2h_dh_chunk_valid_o},
                  {"bogus", top_.d2h_dh_bogus_o},
                  {"poison", top_.d2h_dh_poison_o},
                  {"rsvd", top_.d2h_dh_rsvd_o}};
  });
}

TEST_F(CacheEncodings, D2hReqOpcode) {
  using E = flits::D2hReqOpcode;
  const Code<E> codes[] = {{top_.d2h_req_op_rd_curr_o, E::RdCurr},
                           {top_.d2h_req_op_rd_own_o, E::RdOwn},
                           {top_.d2h_req_op_rd_shared_o, E::RdShared},
                           {top_.d2h_req_op_rd_any_o, E::RdAny},
                           {top_.d2h_req_op_rd_own_no_data_o, E::RdOwnNoData},
                           {top_.d2h_req_op_ito_mwr_o, E::ItoMWr},
                           {top_.d2h_req_op_cl_flush_o, E::CLFlush},
                           {top_.d2h_req_op_clean_evict_o, E::CleanEvict},
                           {top_.d2h_req_op_dirty_evict_o, E::DirtyEvict},
                           {top_.d2h_req_op_clean_evict_no_data_o, E::CleanEvictNoData},
                           {top_.d2h_req_op_wowr_inv_o, E::WOWrInv},
                           {top_.d2h_req_op_wowr_inv_f_o, E::WOWrInvF},
                           {top_.d2h_req_op_wr_inv_o, E::WrInv},
                           {top_.d2h_req_op_cache_flushed_o, E::CacheFlushed},
                           {top_.d2h_req_op_wr_cur_o, E::MemWr}};
  expect_codes(codes);
}

TEST_F(CacheEncodings, D2hRspOpcode) {
  using E = flits::D2hRspOpcode;
  const Code<E> codes[] = {
      {top_.d2h_rsp_op_rsp_shit_se_o, E::RspSHitSE}, {top_.d2h_rsp_op_rsp_ihit_i_o, E::RspIHitI},
      {top_.d2h_rsp_op_rsp_ihit_se_o, E::RspIHitSE}, {top_.d2h_rsp_op_rsp_vhit_v_o, E::RspVHitV},
      {top_.d2h_rsp_op_rsp_sfwd_m_o, E::RspSFwdM},   {top_.d2h_rsp_op_rsp_ifwd_m_o, E::RspIFwdM},
      {top_.d2h_rsp_op_rsp_vfwd_v_o, E::RspVFwdV}};
  expect_codes(codes);
}

TEST_F(CacheEncodings, H2dReqOpcode) {
  using E = flits::H2dReqOpcode;
  const Code<E> codes[] = {{top_.h2d_req_op_snp_data_o, E::SnpData},
                           {top_.h2d_req_op_snp_inv_o, E::SnpInv},
                           {top_.h2d_req_op_snp_cur_o, E::SnpCur}};
  expect_codes(codes);
}

TEST_F(CacheEncodings, H2dRspOpcode) {
  using E = flits::H2dRspOpcode;
  const Code<E> codes[] = {{top_.h2d_rsp_op_write_pull_o, E::WritePull},
                           {top_.h2d_rsp_op_go_o, E::Go},
                           {top_.h2d_rsp_op_go_write_pull_o, E::GoWritePull},
                           {top_.h2d_rsp_op_ext_cmp_o, E::ExtCmp},
                           {top_.h2d_rsp_op_go_write_pull_drop_o, E::GoWritePullDrop},
                           {top_.h2d_rsp_op_fast_go_o, E::FastGo},
                           {top_.h2d_rsp_op_fast_go_write_pull_o, E::FastGoWritePull},
                           {top_.h2d_rsp_op_go_err_write_pull_o, E::GoErrWritePull}};
  expect_codes(codes);
}

TEST_F(CacheEncodings, GoStates) {
  const auto code = [](GoState state) { return static_cast<unsigned>(state); };
  EXPECT_EQ(top_.go_shared_o, code(GoState::kS));
  EXPECT_EQ(top_.go_exclusive_o, code(GoState::kE));
  EXPECT_EQ(top_.go_invalid_o, code(GoState::kI));
  EXPECT_EQ(top_.go_error_o, code(GoState::kErr));
  EXPECT_EQ(top_.go_modified_o, code(GoState::kM));
}

}  // namespace
}  // namespace cxlgpu
