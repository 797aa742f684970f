// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
// The model's endpoint: which receive FIFO E1 takes from while it holds a stalled demand message.
#include <gtest/gtest.h>

#include "common/opcodes.hpp"
#include "model/endpoint.hpp"
#include "tests/system/simple_media.hpp"

namespace cxlgpu {
namespace {

// No HDM range is set: every demand message is answered by E2 itself, and stalls there as long as
// the S2M transmit FIFO of its kind is full. That of NDR has no credits and stays full.
class EndpointChoice : public ::testing::Test {
 protected:
  EndpointChoice() {
    m2s_.connect(s2m_);
    s2m_.connect(m2s_);
    while (s2m_.nd_ready()) s2m_.push_nd({}, now_);
    while (s2m_.wd_ready()) s2m_.push_wd({}, now_);
  }

  void cycle(bool pack_s2m = false) {
    now_ += kCycle;
    if (endpoint_.next_event() <= now_) endpoint_.tick(now_);
    if (m2s_.pack_event() <= now_) endpoint_.wake(m2s_.pack(now_));
    if (pack_s2m && s2m_.pack_event() <= now_) s2m_.pack(now_);
  }
  void cycles(unsigned n) {
    for (unsigned i = 0; i < n; ++i) cycle();
  }
  void send_req(std::uint8_t opcode) { m2s_.push_nd({.opcode = opcode}, now_); }
  void send_rwd() { m2s_.push_wd({.opcode = kOpMemWr}, now_); }
  [[nodiscard]] bool req_waits() const { return m2s_.nd_head(now_) != nullptr; }
  [[nodiscard]] bool rwd_waits() const { return m2s_.wd_head(now_) != nullptr; }

  Time now_{0};
  LinkDirection m2s_{true, {}};
  LinkDirection s2m_{false, {.nd_credits = 0}};
  SimpleMedia media_{1, Time{1000}, Time{1000}};
  EndpointModel endpoint_{0, {m2s_, s2m_, media_, nullptr}};
};

constexpr unsigned kSettle = 100;  // cycles: over the link, with the flush of a part-filled flit

TEST_F(EndpointChoice, MemSpecRdWaitsForItsTurnBehindAStalledMessage) {
  send_req(kOpMemRd);  // stalls in E1; an RwD is next
  cycles(kSettle);
  ASSERT_FALSE(req_waits());
  send_req(kOpMemSpecRd);  // no RwD waits: leaves at once
  cycles(kSettle);
  EXPECT_FALSE(req_waits());

  send_rwd();
  cycles(kSettle);
  send_req(kOpMemSpecRd);
  cycles(kSettle);
  EXPECT_TRUE(rwd_waits());
  EXPECT_TRUE(req_waits());  // it is the RwD's turn

  send_rwd();
  cycles(kSettle);
  for (unsigned i = 0; i < kSettle && !s2m_.wd_ready(); ++i) cycle(true);
  cycles(kSettle);            // the RwD is taken and stalls, another waits
  EXPECT_FALSE(req_waits());  // it is the Req's turn
  EXPECT_TRUE(rwd_waits());
}

}  // namespace
}  // namespace cxlgpu
