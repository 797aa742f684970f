// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
// io_requester: the RTL in lockstep with its twin, a device that answers rightly, wrongly, late or
// never; and its rules by hand.
#include "refmodel/cxl_io/io_requester.hpp"

#include <vector>

#include "Vio_requester.h"
#include "tests/common/idle.hpp"
#include "tests/common/requirement.hpp"
#include "tests/coverage/pair_bins.hpp"
#include "tests/coverage/pairs_io.hpp"
#include "tests/cxl_io/tlp_port.hpp"

namespace cxlgpu::test {
namespace {

// As in io_requester_tb.sv.
constexpr std::uint16_t kRequesterId = 0x5ac3;
constexpr std::uint32_t kTimeout = 40;

class Requester {
 public:
  Lockstep run{"cxl_io/io_requester", 0x10};
  IoRequester::In in;
  IoRequester::Out out;  // of the state before the last edge

  Requester() { reset(); }
  void reset() {
    twin_ = IoRequester(kRequesterId, kTimeout);
    drive();
    rtl_.reset();
    compare();
  }
  void step() {
    drive();
    rtl_.settle();
    compare();
    look();
    rtl_.edge();
    twin_.clock(in);
  }
  [[nodiscard]] IoRequester::Out peek() const { return twin_.eval(in.link_up); }
  [[nodiscard]] std::uint32_t patience() const { return twin_.patience(); }

 private:
  void look() {
    const bool received = in.tlp_rx && out.tlp_rx_ready;
    const bool its = received && twin_.matches(*in.tlp_rx);
    const bool request = received && class_of(*in.tlp_rx) == FcClass::kNonPosted;
    const bool taken = out.tlp_tx && in.tlp_tx_ready;
    const bool refusal = taken && class_of(*out.tlp_tx) == FcClass::kCompletion;
    meets_.look(twin_.state(), {in.req.has_value(), taken && !refusal, refusal, its, request,
                                received && !its && !request, twin_.patience() == 1, !in.link_up,
                                out.rsp && in.rsp_ready});
  }
  void drive() {
    rtl_->link_up_i = in.link_up;
    rtl_->req_valid_i = in.req.has_value();
    if (in.req) {
      set_bits(rtl_->req_i, 100, 3, static_cast<unsigned>(in.req->op));
      set_bits(rtl_->req_i, 36, 64, in.req->addr);
      set_bits(rtl_->req_i, 32, 4, in.req->enables);
      set_bits(rtl_->req_i, 0, 32, in.req->data);
    } else {
      idle_.fill(rtl_->req_i, 0, 103);
    }
    rtl_->rsp_ready_i = in.rsp_ready;
    rtl_->tlp_tx_ready_i = in.tlp_tx_ready;
    rtl_->tlp_rx_valid_i = in.tlp_rx.has_value();
    if (in.tlp_rx)
      set_tlp(rtl_->tlp_rx_i, *in.tlp_rx);
    else
      idle_.fill(rtl_->tlp_rx_i, 0, 192);
  }
  void compare() {
    out = twin_.eval(in.link_up);
    run.check("req_ready_o", rtl_->req_ready_o, out.req_ready);
    run.check("tlp_rx_ready_o", rtl_->tlp_rx_ready_o, out.tlp_rx_ready);
    run.check("rsp_valid_o", rtl_->rsp_valid_o, out.rsp.has_value());
    if (out.rsp) {
      run.check("rsp_o.status", get_bits(rtl_->rsp_o, 32, 3),
                static_cast<unsigned>(out.rsp->status));
      run.check("rsp_o.data", get_bits(rtl_->rsp_o, 0, 32), out.rsp->data);
    }
    run.check("tlp_tx_valid_o", rtl_->tlp_tx_valid_o, out.tlp_tx.has_value());
    if (out.tlp_tx) run.check_bytes("tlp_tx_o", get_tlp(rtl_->tlp_tx_o), *out.tlp_tx);
    run.check("unexpected_o", rtl_->unexpected_o, out.unexpected);
  }

  Clocked<Vio_requester> rtl_;
  Idle idle_;
  IoRequester twin_{kRequesterId, kTimeout};
  PairBins meets_{coverage::io_requester_pairs()};
};

IoRequest random_request(Random& random) {
  IoRequest request{.op = static_cast<IoOp>(random.below(6)),
                    .addr = random.bits(64),
                    .enables = static_cast<unsigned>(random.bits(4)),
                    .data = static_cast<std::uint32_t>(random.bits(32))};
  if (is_memory(request.op) && random.percent(50)) request.addr &= 0xffff'ffff;
  if (is_memory(request.op) && random.percent(10)) request.addr |= std::uint64_t{1} << 32;
  if (!is_memory(request.op) && random.percent(80)) request.addr &= ~std::uint64_t{0xf'8000};
  return request;
}

Tlp completion(unsigned status, bool data, unsigned tag, std::uint32_t value) {
  Tlp tlp{};
  tlp[0] = data ? 0x4a : 0x0a;
  tlp[3] = data ? 1 : 0;
  tlp[6] = static_cast<std::uint8_t>(status << 5);
  tlp[7] = 4;
  tlp[8] = kRequesterId >> 8;
  tlp[9] = kRequesterId & 0xff;
  tlp[10] = static_cast<std::uint8_t>(tag);
  if (data) set_data(tlp, value);
  return tlp;
}

// What answers the last TLP sent, or nearly so.
class Device {
 public:
  void sent(const Tlp& tlp) { last_ = tlp; }
  Tlp answer(Random& random) const {
    const auto status = static_cast<unsigned>(random.percent(60) ? 0 : random.bits(3));
    bool data = status == 0 && !has_data(last_);
    if (random.percent(5)) data = !data;
    const auto value = static_cast<std::uint32_t>(random.bits(32));
    Tlp tlp = completion(status, data, last_[6], value);
    if (random.percent(10)) tlp[2] |= 0x40;  // EP
    // Fields that a requester does not look at.
    tlp[1] = static_cast<std::uint8_t>(random.bits(8)) & 0x77;
    tlp[4] = static_cast<std::uint8_t>(random.bits(8));
    tlp[11] = static_cast<std::uint8_t>(random.bits(8));
    if (random.percent(20)) flip_header_bit(random, tlp);
    if (random.percent(5)) tlp[10] = static_cast<std::uint8_t>(random.bits(5));  // another's
    return random.percent(5) ? cut_to_length(random_bytes(random)) : cut_to_length(tlp);
  }
  // A request of the device, most of them non-posted.
  static Tlp request(Random& random) {
    constexpr std::array<std::uint8_t, 12> kKinds{0x00, 0x20, 0x01, 0x21, 0x4c, 0x6d,
                                                  0x4e, 0x6e, 0x04, 0x40, 0x60, 0x70};
    Tlp tlp = random_bytes(random);
    if (random.percent(80)) tlp[0] = random.pick(kKinds);
    if (random.percent(60)) tlp[2] &= 0xfc, tlp[3] &= 7;  // short
    return cut_to_length(tlp);
  }

 private:
  Tlp last_{};
};

struct Rates {
  unsigned link_down, requests, takes, sends, answers, asks;
  explicit Rates(Random& random)
      : link_down(random.percent(60) ? 0 : static_cast<unsigned>(random.below(20))),
        requests(static_cast<unsigned>(random.below(101))),
        takes(1 + static_cast<unsigned>(random.below(100))),
        sends(1 + static_cast<unsigned>(random.below(100))),
        answers(random.pick(std::array{0u, 2u, 5u, 20u, 60u, 100u})),
        asks(random.pick(std::array{0u, 0u, 5u, 50u})) {}
};

TEST(IoRequester, LockstepWithRtl) {
  Requester requester;
  Random random(requester.run.seed());
  Rates rates(random);
  Device device;
  std::array<std::uint64_t, 8> responses{};
  std::uint64_t unexpected = 0, refused = 0;
  while (requester.run.next()) {
    if (requester.run.cycle() % 300 == 0) rates = Rates(random);
    if (requester.run.cycle() % 20000 == 0) {
      requester.in.tlp_rx.reset();
      requester.reset();
    }
    auto& in = requester.in;
    in.link_up = !random.percent(rates.link_down);
    if (!in.req && random.percent(rates.requests)) in.req = random_request(random);
    in.rsp_ready = random.percent(rates.takes);
    in.tlp_tx_ready = random.percent(rates.sends);
    const bool last = requester.patience() == 1;  // seldom by itself: aimed at
    if (last && random.percent(10)) in.link_up = false;
    if (!in.link_up) in.tlp_rx.reset();  // what waited is lost with the link
    if (!in.tlp_rx && random.percent(last ? 50 : rates.answers)) {
      in.tlp_rx = random.percent(rates.asks) ? Device::request(random) : device.answer(random);
    }
    requester.step();
    const auto& out = requester.out;
    if (out.req_ready) in.req.reset();
    const bool refusal = out.tlp_tx && class_of(*out.tlp_tx) == FcClass::kCompletion;
    if (out.tlp_tx && !refusal) device.sent(*out.tlp_tx);
    refused += refusal && in.tlp_tx_ready;
    if (in.tlp_rx && out.tlp_rx_ready) in.tlp_rx.reset();
    if (out.rsp && in.rsp_ready) ++responses[static_cast<unsigned>(out.rsp->status)];
    unexpected += out.unexpected;
  }
  if (requester.run.cycle() > 100000) {
    for (const unsigned status : {0u, 1u, 2u, 4u, 7u}) EXPECT_GT(responses[status], 100u);
    EXPECT_GT(unexpected, 1000u);
    EXPECT_GT(refused, 1000u);
  }
}

// Takes a request and gives back the TLP that it became, taken in the same cycle as offered.
Tlp tlp_of(Requester& requester, const IoRequest& request) {
  requester.in = {.link_up = true, .req = request, .tlp_tx_ready = true};
  requester.step();
  EXPECT_TRUE(requester.out.req_ready);
  requester.in.req.reset();
  requester.step();
  return requester.out.tlp_tx.value_or(Tlp{});
}
IoResponse response(Requester& requester) {
  requester.in = {.link_up = true, .rsp_ready = true};
  requester.step();
  EXPECT_TRUE(requester.out.rsp.has_value());
  return requester.out.rsp.value_or(IoResponse{CplStatus::kNoAnswer, 0xbad});
}
// It waits while a completion with Unsupported Request does.
void receive(Requester& requester, const Tlp& tlp) {
  requester.in = {.link_up = true, .tlp_tx_ready = true, .tlp_rx = tlp};
  for (unsigned i = 0; i < 5; ++i) {
    requester.step();
    if (requester.out.tlp_rx_ready) return;
  }
  ADD_FAILURE() << "it is not received";
}

TEST(IoRequester, TlpsOfRequests) {
  Requester requester;
  // Bus 12h, device 0, function 5, offset ABCh (bits 1:0 not sent).
  const IoRequest read{.op = IoOp::kCfgRd0, .addr = 0xf'0120'5abf, .enables = 0x9, .data = 7};
  EXPECT_EQ(tlp_of(requester, read),
            (Tlp{0x04, 0, 0, 1, 0x5a, 0xc3, 0, 0x09, 0x12, 0x05, 0x0a, 0xbc}));
  receive(requester, completion(0, true, 0, 0x1122'3344));
  EXPECT_EQ(response(requester), (IoResponse{CplStatus::kSuccess, 0x1122'3344}));
  const IoRequest write{
      .op = IoOp::kCfgWr1, .addr = 0x0ff'f000, .enables = 0xf, .data = 0x1122'3344};
  EXPECT_EQ(tlp_of(requester, write),
            (Tlp{0x45, 0, 0, 1, 0x5a, 0xc3, 1, 0x0f, 0x0f, 0xff, 0, 0, 0x44, 0x33, 0x22, 0x11}));
  receive(requester, completion(0, false, 1, 0));
  EXPECT_EQ(response(requester), (IoResponse{CplStatus::kSuccess, 0}));
  // 3 DW below 4 GiB, 4 DW above; posted.
  const IoRequest low{.op = IoOp::kMemRd, .addr = 0xfedc'ba9b, .enables = 0xf};
  EXPECT_EQ(tlp_of(requester, low),
            (Tlp{0x00, 0, 0, 1, 0x5a, 0xc3, 2, 0x0f, 0xfe, 0xdc, 0xba, 0x98}));
  receive(requester, completion(0, true, 2, 5));
  response(requester);
  const IoRequest high{
      .op = IoOp::kMemWr, .addr = 0x1'0000'0004, .enables = 0xf, .data = 0xdead'beef};
  EXPECT_EQ(tlp_of(requester, high), (Tlp{0x60, 0, 0, 1, 0x5a, 0xc3, 3,    0x0f, 0,    0,
                                          0,    1, 0, 0, 0,    4,    0xef, 0xbe, 0xad, 0xde}));
  EXPECT_EQ(response(requester), (IoResponse{CplStatus::kSuccess, 0}));
  // A posted write did not use its tag up.
  EXPECT_EQ(tlp_of(requester, read)[6], 3);
}

TEST(IoRequester, StatusOfCompletions) {
  const IoRequest read{.op = IoOp::kMemRd, .addr = 0x1000, .enables = 0xf};
  constexpr CplStatus kExpected[] = {CplStatus::kSuccess,     CplStatus::kUnsupported,
                                     CplStatus::kRetry,       CplStatus::kUnsupported,
                                     CplStatus::kAbort,       CplStatus::kUnsupported,
                                     CplStatus::kUnsupported, CplStatus::kUnsupported};
  Requester requester;
  for (unsigned status = 0; status < 8; ++status) {
    const unsigned tag = tlp_of(requester, read)[6];
    receive(requester, completion(status, status == 0, tag, 0x77));
    const std::uint32_t data = status == 0 ? 0x77 : 0xffff'ffff;
    EXPECT_EQ(response(requester), (IoResponse{kExpected[status], data})) << status;
  }
  Tlp poisoned = completion(0, true, tlp_of(requester, read)[6], 0x77);
  poisoned[2] = 0x40;
  receive(requester, poisoned);
  EXPECT_EQ(response(requester), (IoResponse{CplStatus::kAbort, 0xffff'ffff}));
}

TEST(IoRequester, NothingButTheAnswerIsTaken) {
  Requester requester;
  const IoRequest read{.op = IoOp::kMemRd, .addr = 0x1000, .enables = 0xf};
  const unsigned tag = tlp_of(requester, read)[6];
  const Tlp right = completion(0, true, tag, 0x77);
  std::vector<Tlp> wrong{completion(0, false, tag, 0), completion(0, true, tag + 1, 0)};
  for (const unsigned bit : {0u, 1u, 2u, 3u, 4u, 5u, 11u, 15u, 16u, 25u, 64u, 79u, 80u, 87u}) {
    wrong.push_back(right);
    wrong.back()[bit / 8] ^= static_cast<std::uint8_t>(1u << (bit % 8));
  }
  for (const Tlp& tlp : wrong) {
    receive(requester, tlp);
    requester.in = {.link_up = true};
    requester.step();
    EXPECT_TRUE(requester.out.unexpected);
    EXPECT_FALSE(requester.out.rsp);
  }
  receive(requester, right);
  EXPECT_EQ(response(requester).data, 0x77u);
  EXPECT_FALSE(requester.out.unexpected);
  receive(requester, right);  // again, to a requester at rest
  requester.step();
  EXPECT_TRUE(requester.out.unexpected);
}

// One request after the other, each answered as late as the last: up to the time-out it is the
// answer, a cycle later it is nobody's.
TEST(IoRequester, ConstantLatency) {
  constexpr unsigned kRequests = 20;
  for (const unsigned latency : {1u, 10u, kTimeout - 1, kTimeout, kTimeout + 1}) {
    SCOPED_TRACE(testing::Message() << latency);
    Requester requester;
    const IoRequest read{.op = IoOp::kMemRd, .addr = 0x1000, .enables = 0xf};
    std::vector<std::pair<unsigned, Tlp>> answer;  // in which cycle
    unsigned right = 0, none = 0, unexpected = 0;
    for (unsigned cycle = 0; right + none < kRequests; ++cycle) {
      ASSERT_LT(cycle, kRequests * (latency + 6));
      requester.in = {.link_up = true, .req = read, .rsp_ready = true, .tlp_tx_ready = true};
      if (!answer.empty() && answer.front().first == cycle) {
        requester.in.tlp_rx = answer.front().second;
        answer.clear();
      }
      requester.step();
      const auto& out = requester.out;
      if (out.tlp_tx) {
        answer = {{cycle + latency, completion(0, true, (*out.tlp_tx)[6], cycle)}};
      }
      if (out.rsp) ++(out.rsp->status == CplStatus::kSuccess ? right : none);
      unexpected += out.unexpected;
    }
    EXPECT_EQ(latency <= kTimeout ? none : right, 0u);
    EXPECT_EQ(unexpected > 0, latency > kTimeout);
  }
}

TEST(IoRequester, NoAnswer) {
  Requester requester;
  const IoRequest read{.op = IoOp::kMemRd, .addr = 0x1000, .enables = 0xf};
  tlp_of(requester, read);
  requester.in = {.link_up = true};
  unsigned cycles = 0;
  while (!requester.peek().rsp && cycles < 2 * kTimeout) requester.step(), ++cycles;
  EXPECT_EQ(cycles, kTimeout);
  EXPECT_EQ(response(requester), (IoResponse{CplStatus::kNoAnswer, 0xffff'ffff}));
  EXPECT_EQ(tlp_of(requester, read)[6], 1);
  requester.in = {};
  requester.step();
  EXPECT_EQ(response(requester).status, CplStatus::kNoAnswer);
  requester.in = {.link_up = false, .req = read};
  requester.step();
  EXPECT_EQ(response(requester).status, CplStatus::kNoAnswer);
  // Not at the end of a link.
  requester.in = {.link_up = true, .req = IoRequest{.op = IoOp::kCfgRd0, .addr = 0x0010'8000}};
  requester.step();
  EXPECT_EQ(response(requester).status, CplStatus::kUnsupported);
}

// PCIe 5.0, 2.3.1, 2.2.9: what the device reads is not there. The completion has what its request
// said of itself; of a memory read the bytes that are still to come, of other requests 4.
TEST(IoRequester, RequestsOfTheDeviceAreUnsupported) {
  test::shows("link",
              "A non-posted request of the device gets a completion with Unsupported Request, a "
              "posted one none",
              "PCI Express 5.0, 2.2.9, 2.3.1");
  struct Case {
    const char* name;
    Tlp request;
    std::optional<Tlp> completion;
  };
  const Case cases[] = {
      // One DW, bytes 1 and 2, at 1234_5678h; requester 0100h, tag 1Fh, Relaxed Ordering.
      {"read of two bytes",
       {0x00, 0x00, 0x20, 0x01, 0x01, 0x00, 0x1f, 0x06, 0x12, 0x34, 0x56, 0x78},
       Tlp{0x0a, 0x00, 0x20, 0x00, 0x5a, 0xc3, 0x20, 0x02, 0x01, 0x00, 0x1f, 0x79}},
      // No byte: a flush; its count is 1 (table 2-37).
      {"flush",
       {0x00, 0x00, 0x00, 0x01, 0x01, 0x00, 0x05, 0x00, 0x12, 0x34, 0x56, 0x78},
       Tlp{0x0a, 0x00, 0x00, 0x00, 0x5a, 0xc3, 0x20, 0x01, 0x01, 0x00, 0x05, 0x78}},
      // Four DW of header, 128 DW from byte 3 to byte 0 of the last: 506 bytes.
      {"long read",
       {0x20, 0x00, 0x00, 0x80, 0x01, 0x00, 0x00, 0x18, 0, 0, 0x12, 0x34, 0x56, 0x78, 0x00, 0x80},
       Tlp{0x0a, 0x00, 0x00, 0x00, 0x5a, 0xc3, 0x21, 0xfa, 0x01, 0x00, 0x00, 0x03}},
      {"1024 DW",
       {0x00, 0x00, 0x00, 0x00, 0x01, 0x00, 0x02, 0xff, 0x12, 0x34, 0x50, 0x00},
       Tlp{0x0a, 0x00, 0x00, 0x00, 0x5a, 0xc3, 0x20, 0x00, 0x01, 0x00, 0x02, 0x00}},
      {"I/O read",
       {0x02, 0x00, 0x00, 0x01, 0x01, 0x00, 0x03, 0x0f, 0x00, 0x00, 0x10, 0x04},
       Tlp{0x0a, 0x00, 0x00, 0x00, 0x5a, 0xc3, 0x20, 0x04, 0x01, 0x00, 0x03, 0x00}},
      {"memory write",
       {0x40, 0x00, 0x00, 0x01, 0x01, 0x00, 0x04, 0x0f, 0x12, 0x34, 0x56, 0x78, 1, 2, 3, 4},
       std::nullopt},
      // A message of a vendor, to the root complex.
      {"message", {0x30, 0x00, 0x00, 0x00, 0x01, 0x00, 0x00, 0x7f}, std::nullopt},
  };
  for (const Case& c : cases) {
    SCOPED_TRACE(c.name);
    Requester requester;
    requester.in = {.link_up = true, .tlp_tx_ready = true, .tlp_rx = c.request};
    requester.step();
    requester.in.tlp_rx.reset();
    std::vector<Tlp> sent;
    for (unsigned i = 0; i < 10; ++i) {
      requester.step();
      if (requester.out.tlp_tx) sent.push_back(*requester.out.tlp_tx);
    }
    EXPECT_EQ(sent, c.completion ? std::vector<Tlp>{*c.completion} : std::vector<Tlp>{});
  }
}

// It stands in no request's way, and none in its.
TEST(IoRequester, UnsupportedBesideARequest) {
  Requester requester;
  const Tlp read{0x00, 0, 0, 1, 0x01, 0, 7, 0xf, 0x10, 0, 0, 0};
  const IoRequest request{.op = IoOp::kMemRd, .addr = 0x1000, .enables = 0xf};
  const unsigned tag = tlp_of(requester, request)[6];
  requester.in = {.link_up = true, .tlp_tx_ready = true, .tlp_rx = read};
  requester.step();
  requester.in.tlp_rx.reset();
  requester.step();
  ASSERT_TRUE(requester.out.tlp_tx);
  EXPECT_EQ((*requester.out.tlp_tx)[6] >> 5, 1) << "Unsupported Request";
  EXPECT_EQ((*requester.out.tlp_tx)[10], 7);
  receive(requester, completion(0, true, tag, 0x77));
  EXPECT_EQ(response(requester), (IoResponse{CplStatus::kSuccess, 0x77}));
}

}  // namespace
}  // namespace cxlgpu::test
