// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
// What two agents over a link hardly bring about: a snoop between a GO and its data, bogus data
// that is not what memory has, messages that nobody asked for.
#include "Vcache_alone.h"
#include "flits/messages.hpp"
#include "tests/common/bits.hpp"
#include "tests/common/lockstep.hpp"

namespace cxlgpu::test {
namespace {

using namespace flits;

LineBytes filled(std::uint8_t value) {
  LineBytes line{};
  line.fill(value);
  return line;
}

template <typename Port, typename Message>
void put(Port& port, const Message& message) {
  const u128 bits = pack(message);
  set_bits(port, 0, port_bits(port) < 64 ? 32 : 64, static_cast<std::uint64_t>(bits));
  if constexpr (sizeof(Port) > 8) {
    set_bits(port, 64, 32, static_cast<std::uint64_t>(bits >> 64));
  }
}

class Agent : public ::testing::Test {
 protected:
  Agent() { rtl_.reset(); }
  void step() {
    rtl_.edge();
    rtl_->a_cmd_valid_i = 0;
    rtl_->a_rx_crsp_valid_i = 0;
    rtl_->a_rx_cdat_valid_i = 0;
    rtl_.settle();
  }
  // The command, its request taken at once.
  void start(D2hReqOpcode op, std::uint64_t line, std::uint8_t data = 0) {
    rtl_->a_tx_creq_ready_i = rtl_->a_tx_crsp_ready_i = rtl_->a_tx_cdat_ready_i = 1;
    rtl_->a_cmd_valid_i = 1;
    rtl_->a_cmd_op_i = static_cast<std::uint8_t>(op);
    rtl_->a_cmd_addr_i = line;
    set_line(rtl_->a_cmd_data_i, 0, filled(data));
    rtl_->a_cmd_be_i = ~std::uint64_t{0};
    step();
    EXPECT_EQ(rtl_->a_tx_creq_valid_o, 1);
    step();
  }
  void respond(const H2dRsp& rsp) {
    rtl_->a_rx_crsp_valid_i = 1;
    put(rtl_->a_rx_crsp_hdr_i, rsp);
  }
  void data(std::uint16_t cqid, std::uint8_t value) {
    rtl_->a_rx_cdat_valid_i = 1;
    put(rtl_->a_rx_cdat_hdr_i, H2dDh{.cqid = cqid});
    set_line(rtl_->a_rx_cdat_data_i, 0, filled(value));
  }
  void offer_snoop(H2dReqOpcode op, std::uint64_t line) {
    rtl_->a_rx_creq_valid_i = 1;
    put(rtl_->a_rx_creq_hdr_i, H2dReq{.opcode = op, .address = line << 6, .uqid = 77});
    rtl_.settle();
  }
  [[nodiscard]] D2hRsp answer() {
    EXPECT_EQ(rtl_->a_tx_crsp_valid_o, 1);
    return unpack<D2hRsp>(rtl_->a_tx_crsp_hdr_o);
  }
  Clocked<Vcache_alone> rtl_;
};

TEST_F(Agent, SnoopWaitsForTheDataOfAGrantedLine) {
  start(D2hReqOpcode::RdOwn, 5);
  respond({.opcode = H2dRspOpcode::Go, .rsp_data = 2, .cqid = 0});
  step();
  for (unsigned i = 0; i < 5; ++i) {
    offer_snoop(H2dReqOpcode::SnpInv, 5);
    ASSERT_EQ(rtl_->a_rx_creq_ready_o, 0) << "the line has been granted";
    step();
  }
  // One of another line need not wait.
  offer_snoop(H2dReqOpcode::SnpInv, 6);
  EXPECT_EQ(rtl_->a_rx_creq_ready_o, 1);
  offer_snoop(H2dReqOpcode::SnpInv, 5);
  data(0, 0x33);
  rtl_.settle();
  ASSERT_EQ(rtl_->a_rx_creq_ready_o, 0) << "in the cycle of the data";
  step();
  EXPECT_EQ(rtl_->a_done_valid_o, 1);
  EXPECT_EQ(rtl_->a_done_state_o, 2);
  EXPECT_EQ(get_line(rtl_->a_done_data_o), filled(0x33));
  ASSERT_EQ(rtl_->a_rx_creq_ready_o, 1);
  step();
  rtl_->a_rx_creq_valid_i = 0;
  EXPECT_EQ(answer().opcode, D2hRspOpcode::RspIHitSE);
  EXPECT_EQ(answer().uqid, 77);
}

TEST_F(Agent, SnoopBeforeTheGoIsAnsweredAtOnce) {
  start(D2hReqOpcode::RdOwn, 5);
  data(0, 0x44);
  step();
  offer_snoop(H2dReqOpcode::SnpData, 5);
  EXPECT_EQ(rtl_->a_rx_creq_ready_o, 1);
  step();
  rtl_->a_rx_creq_valid_i = 0;
  EXPECT_EQ(answer().opcode, D2hRspOpcode::RspIHitI);
  respond({.opcode = H2dRspOpcode::Go, .rsp_data = 6, .cqid = 0});
  step();
  EXPECT_EQ(rtl_->a_done_valid_o, 1);
  EXPECT_EQ(rtl_->a_done_state_o, 3);
}

TEST_F(Agent, UnaskedMessagesAreErrors) {
  const auto error = [&] {
    step();
    const bool seen = rtl_->a_err_o != 0;
    step();
    EXPECT_EQ(rtl_->a_err_o, 0) << "a pulse";
    return seen;
  };
  rtl_.settle();
  respond({.opcode = H2dRspOpcode::Go, .rsp_data = 2, .cqid = 0});
  EXPECT_TRUE(error()) << "idle";
  data(0, 1);
  EXPECT_TRUE(error()) << "idle";
  start(D2hReqOpcode::WrInv, 3, 9);
  respond({.opcode = H2dRspOpcode::WritePull, .cqid = 1});
  EXPECT_TRUE(error()) << "CQID";
  respond({.opcode = H2dRspOpcode::Go, .rsp_data = 3, .cqid = 0});
  EXPECT_TRUE(error()) << "GO before the pull";
  respond({.opcode = H2dRspOpcode::GoWritePull, .cqid = 0});
  EXPECT_TRUE(error()) << "another pull";
  data(0, 1);
  EXPECT_TRUE(error()) << "data of a write";
  respond({.opcode = H2dRspOpcode::WritePull, .rsp_data = 0x123, .cqid = 0});
  step();
  EXPECT_EQ(rtl_->a_err_o, 0);
  EXPECT_EQ(rtl_->a_tx_cdat_valid_o, 1);
  EXPECT_EQ(unpack<D2hDh>(rtl_->a_tx_cdat_hdr_o).uqid, 0x123);
  EXPECT_EQ(get_line(rtl_->a_tx_cdat_data_o), filled(9));
  step();
  respond({.opcode = H2dRspOpcode::Go, .rsp_data = 3, .cqid = 0});
  step();
  EXPECT_EQ(rtl_->a_err_o, 0);
  EXPECT_EQ(rtl_->a_done_valid_o, 1);
}

class Host : public ::testing::Test {
 protected:
  Host() {
    rtl_.reset();
    rtl_->h_tx_creq_ready_i = rtl_->h_tx_crsp_ready_i = rtl_->h_tx_cdat_ready_i = 1;
  }
  void step() {
    rtl_.edge();
    rtl_->h_rx_creq_valid_i = rtl_->h_rx_crsp_valid_i = rtl_->h_rx_cdat_valid_i = 0;
    rtl_.settle();
  }
  void request(D2hReqOpcode op, std::uint64_t line) {
    rtl_->h_rx_creq_valid_i = 1;
    put(rtl_->h_rx_creq_hdr_i, D2hReq{.opcode = op, .cqid = 9, .address = line << 6});
    rtl_.settle();
    EXPECT_EQ(rtl_->h_rx_creq_ready_o, 1);
    step();
  }
  // A request with a pull, and the data for it.
  void write(D2hReqOpcode op, std::uint64_t line, std::uint8_t value, bool bogus,
             std::uint16_t uqid_off = 0) {
    request(op, line);
    EXPECT_EQ(rtl_->h_tx_crsp_valid_o, 1);
    const auto rsp = unpack<H2dRsp>(rtl_->h_tx_crsp_hdr_o);
    EXPECT_EQ(rsp.cqid, 9);
    step();
    rtl_->h_rx_cdat_valid_i = 1;
    const auto uqid = static_cast<std::uint16_t>(rsp.rsp_data + uqid_off);
    put(rtl_->h_rx_cdat_hdr_i, D2hDh{.uqid = uqid, .bogus = bogus});
    set_line(rtl_->h_rx_cdat_data_i, 0, filled(value));
    rtl_->h_rx_cdat_be_i = ~std::uint64_t{0};
    step();
  }
  LineBytes read(std::uint64_t line) {
    request(D2hReqOpcode::RdCurr, line);
    EXPECT_EQ(rtl_->h_tx_cdat_valid_o, 1);
    const LineBytes value = get_line(rtl_->h_tx_cdat_data_o);
    step();
    return value;
  }
  Clocked<Vcache_alone> rtl_;
};

TEST_F(Host, BogusDataIsNotWritten) {
  write(D2hReqOpcode::MemWr, 2, 0x11, false);
  EXPECT_EQ(read(2), filled(0x11));
  write(D2hReqOpcode::DirtyEvict, 2, 0x22, true);
  EXPECT_EQ(read(2), filled(0x11));
  write(D2hReqOpcode::DirtyEvict, 2, 0x22, false);
  EXPECT_EQ(read(2), filled(0x22));
}

TEST_F(Host, WritesUnderAnErrorAreDropped) {
  write(D2hReqOpcode::MemWr, 2, 0x11, false);
  rtl_->h_error_i = 1;
  write(D2hReqOpcode::MemWr, 2, 0x22, false);
  rtl_->h_error_i = 0;
  EXPECT_EQ(read(2), filled(0x11));
}

TEST_F(Host, UnaskedMessagesAreErrors) {
  write(D2hReqOpcode::MemWr, 1, 0x11, false, 1);
  EXPECT_EQ(rtl_->h_err_o, 1) << "UQID";
  rtl_->h_rx_crsp_valid_i = 1;
  put(rtl_->h_rx_crsp_hdr_i, D2hRsp{});
  step();
  EXPECT_EQ(rtl_->h_err_o, 1) << "answer without a snoop";
  step();
  EXPECT_EQ(rtl_->h_err_o, 0);
}

}  // namespace
}  // namespace cxlgpu::test
