// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
// Rules of CXL 2.0's link layer that a peer may break or use otherwise than our own sender does, by
// hand against the RTL alone: what comes before INIT.Param, a RETRY.Req for what is not held, lines
// in halves, MDH while it is disabled, overflow, the wrap value both ways, the force timer on a
// slow wire. Flits are built from the specification's bit positions, expected values by hand.
#include <deque>
#include <optional>
#include <vector>

#include "Vlink_rules.h"
#include "tests/common/requirement.hpp"
#include "tests/controller/ports.hpp"

namespace cxlgpu::test {
namespace {

constexpr unsigned kHost = 0, kDevice = 1;
constexpr unsigned kDepth = 4;  // of the receive queues: link_rules_tb.sv
constexpr unsigned kLlrb = 22;
constexpr std::size_t kFlitBits = 528;

// Header codes and credit fields.
constexpr std::uint8_t kCredits64 = 0xf;  // CXL.mem, 64

// ------------------------------------------------------------------------------- flits by hand

struct Drs {
  unsigned tag = 0;
  bool poison = false;
  unsigned dev_load = 0;
  unsigned ld_id = 0;
  [[nodiscard]] MsgHeader bits() const {
    return MsgHeader{1} | MsgHeader{tag} << 8 | MsgHeader{poison} << 24 | MsgHeader{ld_id} << 25 |
           MsgHeader{dev_load} << 29;
  }
};

// Codes of slots 0..3 at bits 7:5, 10:8, 13:11, 16:14; Sz bit 4, BE bit 3, Ak bit 2.
Payload protocol(std::array<unsigned, 4> codes, bool sz = true, bool be = false) {
  flits::FlitHeader header;
  header.sz = sz;
  header.be = be;
  for (unsigned s = 0; s < 4; ++s) header.format[s] = static_cast<std::uint8_t>(codes[s]);
  Payload flit{};
  or_slot(flit, 0, flits::pack_header(header));
  return flit;
}
Chunk chunk(unsigned tag, unsigned k) {
  Chunk bytes;
  for (unsigned i = 0; i < bytes.size(); ++i) {
    bytes[i] = static_cast<std::uint8_t>(37 * tag + 16 * k + i + 1);
  }
  return bytes;
}
Line line(unsigned tag) {
  Line bytes;
  for (unsigned k = 0; k < 4; ++k) set_chunk(bytes, k, chunk(tag, k));
  return bytes;
}
// Half h of a line by H3 in slot 0, its chunks in slots 1 and 2.
Payload half(const Drs& drs, unsigned h) {
  Payload flit = protocol({3, 0, 0, 0}, false);
  or_slot(flit, 0, drs.bits() << 32);
  for (unsigned k = 0; k < 2; ++k) set_chunk(flit, 1 + k, chunk(drs.tag, 2 * h + k));
  return flit;
}
// A whole line by H3, three chunks here, the last owed.
Payload whole(const Drs& drs) {
  Payload flit = protocol({3, 0, 0, 0});
  or_slot(flit, 0, drs.bits() << 32);
  for (unsigned k = 0; k < 3; ++k) set_chunk(flit, 1 + k, chunk(drs.tag, k));
  return flit;
}
Payload rest(unsigned tag, unsigned k = 3) {
  Payload flit = protocol({0, 0, 0, 0});
  set_chunk(flit, 1, chunk(tag, k));
  return flit;
}
Payload llcrd(unsigned acks = 0, std::uint8_t rsp = 0, std::uint8_t req = 0,
              std::uint8_t data = 0) {
  return control_payload(flits::Llcrd{static_cast<std::uint8_t>(acks), rsp, req, data});
}

// ------------------------------------------------------------------------------- one end, one peer

class End {
 public:
  explicit End(unsigned index) : i_(index) {
    rtl_.reset();
    steps(3);  // what comes in the cycle of the start is not heard
    sent.clear();
  }

  struct Received {
    bool data;
    MsgHeader header;
    Line line;
  };

  void step() {
    rtl_->link_up_i = 1u << i_;
    rtl_->mdh_disable_i = mdh_disable ? 0xf : 0;
    set_bits(rtl_->link_tx_ready_i, i_, 1, ready);
    set_bits(rtl_->rx_nd_ready_i, i_, 1, pop);
    set_bits(rtl_->rx_wd_ready_i, i_, 1, pop);
    rtl_.settle();
    if (ready && get_bits(rtl_->link_tx_valid_o, i_, 1) != 0) sent.push_back(tx());
    if (pop && get_bits(rtl_->rx_nd_valid_o, i_, 1) != 0) {
      received.push_back({false, get_header_port(rtl_->rx_nd_hdr_o, kHeaderPortBits * i_), {}});
    }
    if (pop && get_bits(rtl_->rx_wd_valid_o, i_, 1) != 0) {
      received.push_back({true, get_header_port(rtl_->rx_wd_hdr_o, kHeaderPortBits * i_),
                          get_line(rtl_->rx_wd_data_o, 512 * i_)});
      EXPECT_EQ(get_bits(rtl_->rx_wd_be_o, 64 * i_, 64), kAllEnables);
    }
    const auto err = static_cast<unsigned>(get_bits(rtl_->err_o, 8 * i_, 8));
    errors |= err;
    for (unsigned bit = 0; bit < 8; ++bit) counts[bit] += err >> bit & 1;
    if ((err & 0x1e) != 0) err_flit = get_line(rtl_->err_flit_o, 512 * i_);
    if ((err & 0x20) != 0) {
      err_overflow = static_cast<unsigned>(get_bits(rtl_->err_overflow_o, 3 * i_, 3));
    }
    rtl_.edge();
    set_bits(rtl_->link_rx_valid_i, i_, 1, 0);
    ++cycle;
  }
  void steps(unsigned n) {
    while (n-- > 0) step();
  }
  void receive(const Payload& payload, bool damaged = false) {
    set_bits(rtl_->link_rx_valid_i, i_, 1, 1);
    set_line(rtl_->link_rx_flit_i, kFlitBits * i_, payload);
    const unsigned crc = crc_of(payload) ^ (damaged ? 1u : 0u);
    set_bits(rtl_->link_rx_flit_i, kFlitBits * i_ + 512, 16, crc);
    step();
  }
  void receive(const flits::Control& control) { receive(control_payload(control)); }
  void framed(const flits::Control& control) {
    for (unsigned k = 0; k < 5; ++k) receive(flits::RetryFrame{});
    receive(control);
  }
  // Both have said INIT.Param; the peer's read as this end's own.
  void init(unsigned wrap = kLlrb) {
    receive(flits::RetryIdle{});
    receive(flits::InitParam{2, static_cast<std::uint8_t>(wrap)});
    steps(60);  // and what it gives is sent
    EXPECT_TRUE(get_bits(rtl_->init_done_o, i_, 1) != 0);
    EXPECT_EQ(errors, 0u);
    sent.clear();
  }
  bool offer_nd(MsgHeader header) {
    set_header(rtl_->tx_nd_hdr_i, kHeaderPortBits * i_, header | 1);
    return offer(rtl_->tx_nd_valid_i, rtl_->tx_nd_ready_o);
  }
  bool offer_wd(MsgHeader header, const Line& data) {
    set_header(rtl_->tx_wd_hdr_i, kHeaderPortBits * i_, header | 1);
    set_line(rtl_->tx_wd_data_i, 0, data);
    return offer(rtl_->tx_wd_valid_i, rtl_->tx_wd_ready_o);
  }
  // The flits sent since, but for RETRY.Idle.
  std::vector<Payload> take() {
    std::vector<Payload> flits;
    for (const Payload& flit : std::exchange(sent, {})) {
      if (flit != control_payload(flits::RetryIdle{})) flits.push_back(flit);
    }
    return flits;
  }
  [[nodiscard]] bool aborted() { return get_bits(rtl_->abort_o, i_, 1) != 0; }

  bool mdh_disable = false, ready = true, pop = true;
  std::vector<Payload> sent;
  std::vector<Received> received;
  unsigned errors = 0;
  std::array<unsigned, 8> counts{};
  Payload err_flit{};
  unsigned err_overflow = 99;
  std::uint64_t cycle = 0;

 private:
  template <typename Valid, typename Ready>
  bool offer(Valid& valid, const Ready& is_ready) {
    set_bits(valid, i_, 1, 1);
    rtl_.settle();
    const bool taken = get_bits(is_ready, i_, 1) != 0;
    step();
    set_bits(valid, i_, 1, 0);
    return taken;
  }
  Payload tx() {
    const Payload payload = get_line(rtl_->link_tx_flit_o, kFlitBits * i_);
    EXPECT_EQ(get_bits(rtl_->link_tx_flit_o, kFlitBits * i_ + 512, 16), crc_of(payload));
    return payload;
  }

  unsigned i_;
  Clocked<Vlink_rules> rtl_;
};

bool is_control(const Payload& flit) {
  return (flit[0] & 1) != 0;
}

// ------------------------------------------------------------------------- CXL 2.0, 4.2.7

class BothEnds : public ::testing::TestWithParam<unsigned> {};
INSTANTIATE_TEST_SUITE_P(Ends, BothEnds, ::testing::Values(kHost, kDevice),
                         [](const auto& info) { return info.param == kHost ? "Host" : "Device"; });

// A message for this end in one flit: NDR (S2M H4, bit 32) or Req (M2S H5, bit 32).
Payload message(unsigned end, unsigned tag = 0) {
  Payload flit = protocol({end == kHost ? 4u : 5u, 0, 0, 0}, false);
  or_slot(flit, 0, (MsgHeader{1} | MsgHeader{tag} << 8) << 32);
  return flit;
}

TEST_P(BothEnds, NothingBeforeInitParamIsActedUpon) {
  test::shows("link", "A non-RETRY flit before INIT.Param is an error and is not processed",
              "CXL 2.0, 4.2.7");
  End end(GetParam());
  end.receive(flits::RetryIdle{});
  end.steps(10);
  EXPECT_EQ(end.errors, 0u);
  end.sent.clear();
  const Payload early = message(GetParam(), 7);
  end.receive(early);
  end.steps(3);
  EXPECT_EQ(end.errors, 1u << 2);
  EXPECT_EQ(end.counts[2], 1u);
  EXPECT_EQ(end.err_flit, early);
  const Payload credits = llcrd(0, kCredits64, kCredits64, kCredits64);
  end.receive(credits);
  end.steps(3);
  EXPECT_EQ(end.counts[2], 2u);
  EXPECT_EQ(end.err_flit, credits);
  EXPECT_TRUE(end.received.empty());
  // Not even what it owes is expected: a data header before is no data header.
  Payload data = GetParam() == kHost ? whole({9}) : protocol({4, 0, 0, 0});
  if (GetParam() == kDevice) or_slot(data, 0, MsgHeader{1} << 32);
  end.receive(data);
  end.receive(flits::InitParam{2, kLlrb});
  end.steps(60);
  EXPECT_EQ(end.counts[2], 3u);
  EXPECT_EQ(end.errors, 1u << 2);
  // The credits that came before do not count.
  end.sent.clear();
  EXPECT_TRUE(end.offer_nd(5 << 8));
  end.steps(20);
  for (const Payload& flit : end.take()) EXPECT_TRUE(is_control(flit));
  end.receive(credits);
  end.steps(20);
  unsigned messages = 0;
  for (const Payload& flit : end.take()) messages += is_control(flit) ? 0 : 1;
  EXPECT_EQ(messages, 1u);
  // What comes now is understood, and the numbers count: 3 early, INIT.Param, LLCRD, 1 message.
  end.receive(message(GetParam(), 8));
  end.steps(3);
  ASSERT_EQ(end.received.size(), 1u);
  EXPECT_EQ(static_cast<unsigned>(end.received[0].header >> 8) & 0xffff, 8u);
  end.receive(message(GetParam(), 9), true);
  end.steps(20);
  bool asked = false;
  for (const Payload& flit : end.take()) {
    const flits::Control control = read_control(flit);
    if (const auto* req = std::get_if<flits::RetryReq>(&control)) {
      EXPECT_EQ(req->eseq, 6);
      asked = true;
    }
  }
  EXPECT_TRUE(asked);
}

TEST_P(BothEnds, SecondInitParamAndUnaskedRetryAckAreErrors) {
  test::shows("link", "A second INIT.Param and a RETRY.Ack never requested are errors",
              "CXL 2.0, 4.2.7, 4.2.8.5");
  End end(GetParam());
  end.init();
  const flits::InitParam second{2, 40};
  end.receive(second);
  end.steps(3);
  EXPECT_EQ(end.errors, 1u << 3);
  EXPECT_EQ(end.err_flit, control_payload(second));
  end.errors = 0;
  const flits::RetryAck ack{.num_retry = 1, .num_free_buf = kLlrb};
  end.framed(ack);
  end.steps(3);
  EXPECT_EQ(end.errors, 1u << 4);
  EXPECT_EQ(end.err_flit, control_payload(ack));
}

// ------------------------------------------------------------------------- RETRY.Req

// Every Eseq against a buffer that holds `held` flits before WrPtr `wr`.
void every_eseq(unsigned index, unsigned flits_sent, unsigned acknowledged) {
  for (unsigned eseq = 0; eseq < 256; eseq += eseq < 24 ? 1 : 11) {
    End end(index);
    end.init();
    // INIT.Param and the first credits (LLCRD) have been sent; then one message a flit.
    end.receive(llcrd(0, kCredits64, kCredits64, kCredits64));
    end.steps(60);
    unsigned sent = 2;
    for (const Payload& flit : end.take()) {
      const flits::Control control = read_control(flit);
      if (!is_control(flit) || std::holds_alternative<flits::Llcrd>(control)) ++sent;
    }
    // The credits of init(): as many LLCRDs as codes are needed for 4 are one.
    unsigned acked = 0;
    while (sent < flits_sent) {
      if (sent - acked > 10) {  // let it go on
        end.receive(llcrd(sent - acked));
        acked = sent;
        end.steps(60);
      } else {
        end.offer_nd(1);
        end.steps(60);
      }
      for (const Payload& flit : end.take()) {
        const flits::Control control = read_control(flit);
        if (!is_control(flit) || std::holds_alternative<flits::Llcrd>(control)) ++sent;
      }
    }
    if (acknowledged > acked && acknowledged <= sent) {
      end.receive(llcrd(acknowledged - acked));
      acked = acknowledged;
      end.steps(4);
    }
    EXPECT_EQ(end.errors, 0u);
    end.steps(60);
    for (const Payload& flit : end.take()) {
      const flits::Control control = read_control(flit);
      if (!is_control(flit) || std::holds_alternative<flits::Llcrd>(control)) ++sent;
    }
    const unsigned held = sent - acked, wr_ptr = sent % kLlrb;
    const bool legal = eseq < kLlrb && (wr_ptr + kLlrb - eseq) % kLlrb <= held;
    const flits::RetryReq req{static_cast<std::uint8_t>(eseq), 1, 0};
    end.framed(req);
    end.steps(40);
    unsigned acks = 0, replayed = 0;
    for (const Payload& flit : end.take()) {
      const flits::Control control = read_control(flit);
      if (const auto* ack = std::get_if<flits::RetryAck>(&control)) {
        EXPECT_EQ(ack->eseq, eseq);
        EXPECT_EQ(ack->wr_ptr, wr_ptr);
        ++acks;
      } else if (!std::holds_alternative<flits::RetryFrame>(control)) {
        ++replayed;
      }
    }
    SCOPED_TRACE(::testing::Message()
                 << "eseq " << eseq << " WrPtr " << wr_ptr << " held " << held);
    EXPECT_EQ(acks, legal ? 1u : 0u);
    EXPECT_EQ(replayed, legal ? (wr_ptr + kLlrb - eseq) % kLlrb : 0u);
    EXPECT_EQ(end.errors, legal ? 0u : 1u << 1);
    if (!legal) {
      EXPECT_EQ(end.err_flit, control_payload(req));
    }
    if (::testing::Test::HasFailure()) return;
  }
}

TEST_P(BothEnds, RetryReqForWhatIsNotHeldIsAnError) {
  test::shows("link", "A RETRY.Req for a flit that is not held is reported and replays nothing",
              "CXL 2.0, 4.2.8.1");
  every_eseq(GetParam(), 4, 0);
  every_eseq(GetParam(), 9, 5);
  every_eseq(GetParam(), 27, 25);  // WrPtr has wrapped
}

// ------------------------------------------------------------------------- 32-byte DRS

void expect_line(End& end, const Drs& drs) {
  ASSERT_EQ(end.received.size(), 1u);
  EXPECT_TRUE(end.received[0].data);
  EXPECT_EQ(end.received[0].header, drs.bits());
  EXPECT_EQ(end.received[0].line, line(drs.tag));
  end.received.clear();
}
// The next line in 64 bytes is understood: nothing is out of step.
void expect_in_step(End& end, unsigned tag) {
  end.received.clear();
  end.errors = 0;
  end.receive(whole({tag}));
  end.receive(rest(tag));
  end.steps(3);
  EXPECT_EQ(end.errors, 0u);
  expect_line(end, {tag});
}

TEST(Halves, LowerFirstThenUpperMakeALine) {
  test::shows("link", "A line in two 32-byte DRS is completed by the second half",
              "CXL 2.0, 3.3, Table 47");
  for (const unsigned gap : {0u, 1u, 5u, 50u}) {
    End host(kHost);
    host.init();
    host.receive(half({0x1234, false, 1}, 0));
    host.steps(gap + 5);
    EXPECT_TRUE(host.received.empty()) << "half a line is none";
    host.receive(half({0x1234, false, 2}, 1));
    host.steps(3);
    expect_line(host, {0x1234, false, 2});  // the second half's header
    EXPECT_EQ(host.errors, 0u);
    expect_in_step(host, 3);
  }
}

// Every place a half can start in, behind every number of owed chunks, with NDRs between.
TEST(Halves, EveryPlace) {
  for (unsigned first = 0; first < 4; ++first) {
    for (unsigned second = 0; second < 4; ++second) {
      SCOPED_TRACE(::testing::Message() << "slots " << first << ", " << second);
      End host(kHost);
      host.init();
      const Drs drs{0x0707, false, 3};
      // Half h from slot s: G4 in slot s, or H3 in slot 0, chunks in the next data slots.
      std::vector<Chunk> owed;
      unsigned chunks = 0;
      const auto flit = [&](std::optional<unsigned> start, unsigned h) {
        std::array<unsigned, 4> codes{0, 0, 0, 0};
        if (start) codes[*start] = *start == 0 ? 3 : 4;
        Payload payload = protocol(codes, false);
        if (start) or_slot(payload, *start, drs.bits() << (*start == 0 ? 32 : 0));
        if (start && *start == 0) {
          owed.push_back(chunk(drs.tag, 2 * h));
          owed.push_back(chunk(drs.tag, 2 * h + 1));
        }
        for (unsigned s = 1; s < 4; ++s) {
          if (start && s == *start) {
            owed.push_back(chunk(drs.tag, 2 * h));
            owed.push_back(chunk(drs.tag, 2 * h + 1));
          } else if (!owed.empty()) {
            set_chunk(payload, s, owed.front());
            owed.erase(owed.begin());
            ++chunks;
          }
        }
        return payload;
      };
      host.receive(flit(first, 0));
      // A start in a slot that is owed is not possible: the owed chunks go first.
      if (second != 0 && owed.size() >= second) host.receive(flit(std::nullopt, 0));
      host.receive(flit(second, 1));
      while (!owed.empty()) host.receive(flit(std::nullopt, 0));
      host.steps(4);
      EXPECT_EQ(chunks, 4u);
      EXPECT_EQ(host.errors, 0u);
      expect_line(host, drs);
      expect_in_step(host, 3);
    }
  }
}

TEST(Halves, PoisonOfEitherPoisonsTheLine) {
  for (const bool lower : {false, true}) {
    for (const bool upper : {false, true}) {
      End host(kHost);
      host.init();
      host.receive(half({5, lower}, 0));
      host.receive(half({5, upper}, 1));
      host.steps(3);
      expect_line(host, {5, lower || upper});
    }
  }
}

// A slot after a half's chunks is a message slot again: NDRs there come before the line does.
TEST(Halves, MessagesAfterTheChunks) {
  End host(kHost);
  host.init();
  Payload flit = half({6}, 0);
  flit[1] |= 0x40;  // slot 3: G5 (bits 16:14 = 101)
  flit[2] |= 0x01;
  or_slot(flit, 3, MsgHeader{1} | MsgHeader{0x77} << 8);  // NDR, tag 77h at bit 8
  host.receive(flit);
  host.steps(3);
  ASSERT_EQ(host.received.size(), 1u);
  EXPECT_FALSE(host.received[0].data);
  host.received.clear();
  host.receive(half({6}, 1));
  host.steps(3);
  expect_line(host, {6});
  EXPECT_EQ(host.errors, 0u);
}

// Each half is a message with a credit of its own; the two are one place in the queue.
TEST(Halves, EachHalfGivesItsCreditBack) {
  End host(kHost);
  host.init();
  unsigned given = 0;
  const auto count = [&] {  // and acknowledge, as a peer does
    unsigned flits = 0;
    for (const Payload& flit : host.take()) {
      given += flits::decode_credit(get_header(flit).data_crd).count;
      ++flits;
    }
    if (flits > 0) host.receive(llcrd(flits));
  };
  for (unsigned k = 0; k < 40; ++k) {
    host.receive(half({k}, 0));
    host.receive(half({k}, 1));
    host.steps(40);
    count();
    host.steps(40);
  }
  host.steps(100);
  count();
  EXPECT_EQ(given, 80u);
  EXPECT_EQ(host.received.size(), 40u);
  EXPECT_EQ(host.errors, 0u);
}
// A sender with four credits and a host that takes nothing: eight halves would be four lines, but a
// half gives its credit back at once and a second half takes a place.
TEST(Halves, QueueIsNeverOverrun) {
  End host(kHost);
  host.init();
  host.pop = false;
  unsigned credits = kDepth, k = 0, sent_halves = 0;
  for (unsigned round = 0; round < 30; ++round) {
    if (credits > 0) {
      host.receive(half({k / 2}, k % 2));
      ++k;
      ++sent_halves;
      --credits;
    }
    host.steps(50);
    for (const Payload& flit : host.take()) {
      credits += flits::decode_credit(get_header(flit).data_crd).count;
    }
  }
  EXPECT_EQ(host.errors, 0u);
  EXPECT_EQ(sent_halves, 2 * kDepth);
  host.pop = true;
  host.steps(10);
  EXPECT_EQ(host.received.size(), kDepth);
}

TEST(Halves, WhatComesBetweenIsAnErrorAndLeavesNothingOutOfStep) {
  test::shows("link", "No data of another line comes between the halves of one", "CXL 2.0, 3.3");
  {  // a whole line
    End host(kHost);
    host.init();
    host.receive(half({1}, 0));
    const Payload other = whole({2});
    host.receive(other);
    host.receive(rest(2));
    host.steps(3);
    EXPECT_EQ(host.errors, 1u << 1);
    EXPECT_EQ(host.counts[1], 1u);
    EXPECT_EQ(host.err_flit, other);
    expect_line(host, {2});
    expect_in_step(host, 3);
  }
  for (const bool ld : {false, true}) {  // another tag's half, or another LD-ID's
    End host(kHost);
    host.init();
    const Drs other{ld ? 1u : 2u, false, 0, ld ? 1u : 0u};
    host.receive(half({1}, 0));
    host.receive(half(other, 0));
    host.steps(3);
    EXPECT_EQ(host.counts[1], 1u);
    EXPECT_TRUE(host.received.empty());
    host.receive(half(other, 1));
    host.steps(3);
    EXPECT_EQ(host.counts[1], 1u);
    expect_line(host, other);
    expect_in_step(host, 3);
  }
  {  // several headers in a slot (H5): eight chunks
    End host(kHost);
    host.init();
    host.receive(half({1}, 0));
    Payload mdh = protocol({5, 0, 0, 0});
    or_slot(mdh, 0, Drs{8}.bits() << 32 | Drs{9}.bits() << 72);
    for (unsigned k = 0; k < 3; ++k) set_chunk(mdh, 1 + k, chunk(8, k));
    host.receive(mdh);
    Payload adf{};
    set_chunk(adf, 0, chunk(8, 3));
    for (unsigned k = 0; k < 3; ++k) set_chunk(adf, 1 + k, chunk(9, k));
    host.receive(adf);
    host.receive(rest(9));
    host.steps(3);
    EXPECT_EQ(host.counts[1], 1u);
    ASSERT_EQ(host.received.size(), 2u);
    EXPECT_EQ(host.received[0].line, line(8));
    EXPECT_EQ(host.received[1].line, line(9));
    expect_in_step(host, 3);
  }
  {  // a second data header in a flit, after the chunks of the first
    End host(kHost);
    host.init();
    Payload flit = half({1}, 0);
    flit[2] |= 0x01;  // slot 3: G4
    or_slot(flit, 3, Drs{1}.bits());
    host.receive(flit);
    host.steps(3);
    EXPECT_EQ(host.counts[1], 1u);
    host.receive(half({1}, 1));
    host.steps(3);
    EXPECT_EQ(host.counts[1], 1u);
    expect_line(host, {1});
    expect_in_step(host, 3);
  }
  {  // byte enables with a half: the third chunk is passed over
    End host(kHost);
    host.init();
    for (unsigned h = 0; h < 2; ++h) {
      Payload flit = half({1}, h);
      flit[0] |= 0x08;
      host.receive(flit);
    }
    host.steps(3);
    EXPECT_EQ(host.counts[1], 2u);
    expect_line(host, {1});
    expect_in_step(host, 3);
  }
}

// There is no RwD of 32 bytes: its two chunks are passed over, no write comes of it.
TEST(Halves, RwdOf32BytesIsAnErrorAndNoWrite) {
  for (const bool be : {false, true}) {
    End device(kDevice);
    device.init();
    Payload flit = protocol({4, 0, 0, 0}, false, be);
    or_slot(flit, 0, (MsgHeader{1} | MsgHeader{1} << 1) << 32);
    for (unsigned k = 0; k < 3; ++k) set_chunk(flit, 1 + k, chunk(1, k));
    device.receive(flit);
    device.steps(3);
    EXPECT_EQ(device.counts[1], 1u);
    EXPECT_EQ(device.err_flit, flit);
    EXPECT_TRUE(device.received.empty());
    // The next flit is one with a header.
    device.receive(message(kDevice, 4));
    device.steps(3);
    ASSERT_EQ(device.received.size(), 1u);
    EXPECT_FALSE(device.received[0].data);
    EXPECT_EQ(device.counts[1], 1u);
  }
}

// A retry in the middle of a line in halves: the replay goes on where it was.
TEST(Halves, RetryBetweenThem) {
  End host(kHost);
  host.init();
  host.receive(half({1}, 0));
  host.receive(half({1}, 1), true);
  host.steps(30);
  host.framed(flits::RetryAck{.num_retry = 1, .wr_ptr = 3, .eseq = 2, .num_free_buf = 20});
  host.receive(half({1}, 1));
  host.steps(3);
  expect_line(host, {1});
  EXPECT_EQ(host.errors & ~0x41u, 0u);  // CRC and retry alone
}

// ------------------------------------------------------------------------- MDH, overflow

TEST(Mdh, DisabledIsAnError) {
  test::shows("link", "A multi-data header received while it is disabled is an error",
              "CXL 2.0, 4.2.5");
  for (const bool disabled : {false, true}) {
    End host(kHost);
    host.mdh_disable = disabled;
    host.init();
    Payload mdh = protocol({5, 0, 0, 0});
    or_slot(mdh, 0, Drs{8}.bits() << 32 | Drs{9}.bits() << 72);
    host.receive(mdh);
    host.receive(Payload{});
    host.receive(rest(9));
    host.steps(3);
    EXPECT_EQ(host.errors, disabled ? 1u << 1 : 0u);
    EXPECT_EQ(host.received.size(), 2u);
    if (disabled) {
      EXPECT_EQ(host.err_flit, mdh);
    }
    expect_in_step(host, 3);
  }
}

TEST_P(BothEnds, OverflowSaysOfWhat) {
  test::shows("link", "A receiver overflow is reported with its channel", "CXL 2.0, 8.2.5.9");
  for (const bool data : {false, true}) {
    End end(GetParam());
    end.init();
    end.pop = false;
    for (unsigned k = 0; k <= kDepth; ++k) {
      EXPECT_EQ(end.errors, 0u);
      if (!data) {
        end.receive(message(GetParam(), k));
      } else if (GetParam() == kHost) {
        end.receive(whole({k}));
        end.receive(rest(k));
      } else {
        Payload rwd = protocol({4, 0, 0, 0});
        or_slot(rwd, 0, (MsgHeader{1} | MsgHeader{1} << 1) << 32);
        end.receive(rwd);
        end.receive(rest(k));
      }
      end.steps(3);
    }
    EXPECT_EQ(end.errors, 1u << 5);
    EXPECT_EQ(end.err_overflow, data ? 5u : 4u);
  }
}

// ------------------------------------------------------------------------- the force timer

// With nothing to send the credits of the start go out by an LLCRD after 32 clocks.
TEST_P(BothEnds, ForcedCreditsOnAnIdleLinkAfter32Clocks) {
  End end(GetParam());
  end.receive(flits::RetryIdle{});
  end.receive(flits::InitParam{2, kLlrb});
  std::optional<std::uint64_t> at;
  end.steps(10);
  for (unsigned k = 0; k < 60 && !at; ++k) {
    end.sent.clear();
    end.step();
    for (const Payload& flit : end.sent) {
      if (std::holds_alternative<flits::Llcrd>(read_control(flit))) at = end.cycle;
    }
  }
  ASSERT_TRUE(at.has_value());
  EXPECT_GE(*at, 32u);
  EXPECT_LE(*at, 40u);
}

// One lane: a flit takes 17 cycles. Two flits full of data in a row are 34 cycles, but two flit
// times: no credit is forced. CXL 2.0, 4.2.8.2, and the clocks of 8.2.5.11 "in case of idle".
TEST(ForceTimer, CountsFlitTimesOnABusyWire) {
  test::shows("link", "The force timer counts flit times of the link", "CXL 2.0, 4.2.8.2");
  for (const unsigned cycles : {1u, 2u, 17u}) {
    End device(kDevice);
    device.init();
    device.receive(llcrd(2, kCredits64, kCredits64, kCredits64));
    device.steps(60);
    device.sent.clear();
    unsigned forced = 0, flits = 0, unacked = 0, tag = 0;
    bool offered = false;
    for (unsigned k = 0; flits < 1500; ++k) {
      device.ready = k % cycles == 0;
      // Lines all the time, Reqs now and then: credits of ND are always to be returned.
      offered = device.offer_wd(MsgHeader{tag} << 8, line(tag));
      if (offered) ++tag;
      for (const Payload& flit : std::exchange(device.sent, {})) {
        ++flits;
        ++unacked;
        forced +=
            std::holds_alternative<flits::Llcrd>(read_control(flit)) && flit != Payload{} &&
                    (flit[4] & 0xf) == 0 && flit[0] == 1 &&
                    flits::unpack_header(static_cast<std::uint32_t>(get_slot(flit, 0))).format ==
                        std::array<std::uint8_t, 4>{}
                ? 1
                : 0;
      }
      if (unacked >= 8) {
        device.receive(llcrd(unacked, 0, 0, kCredits64));
        unacked = 0;
      }
    }
    EXPECT_LT(forced, flits / 50) << cycles << " cycles a flit";
  }
}

// ------------------------------------------------------------------------- the wrap value

// Host and device on one wire, one flit in a hundred damaged: what arrives of `count` messages.
struct Outcome {
  std::vector<unsigned> tags;
  bool wrong = false;  // something else than the messages in their order, or it stopped
};
Outcome converse(unsigned host, unsigned device, unsigned count) {
  Clocked<Vlink_rules> rtl;
  rtl.reset();
  Random random(5);
  rtl->link_up_i = 0xf;
  rtl->link_tx_ready_i = 0xf;
  rtl->rx_nd_ready_i = 0xf;
  rtl->rx_wd_ready_i = 0xf;
  struct Flying {
    Payload payload;
    unsigned crc;
    std::uint64_t at;
  };
  std::array<std::deque<Flying>, 2> wire;
  const std::array<unsigned, 2> ends{host, device};
  Outcome outcome;
  unsigned next = 0;
  for (std::uint64_t cycle = 0; cycle < 300000 && outcome.tags.size() < count; ++cycle) {
    set_bits(rtl->tx_nd_valid_i, host, 1, next < count);
    set_header(rtl->tx_nd_hdr_i, kHeaderPortBits * host, MsgHeader{1} | MsgHeader{next} << 8);
    for (unsigned e = 0; e < 2; ++e) {
      std::deque<Flying>& in = wire[1 - e];
      const bool there = !in.empty() && in.front().at <= cycle;
      set_bits(rtl->link_rx_valid_i, ends[e], 1, there);
      if (!there) continue;
      set_line(rtl->link_rx_flit_i, kFlitBits * ends[e], in.front().payload);
      set_bits(rtl->link_rx_flit_i, kFlitBits * ends[e] + 512, 16, in.front().crc);
      in.pop_front();
    }
    rtl.settle();
    for (unsigned e = 0; e < 2; ++e) {
      if (get_bits(rtl->link_tx_valid_o, ends[e], 1) == 0) continue;
      Flying flying{get_line(rtl->link_tx_flit_o, kFlitBits * ends[e]),
                    unsigned(get_bits(rtl->link_tx_flit_o, kFlitBits * ends[e] + 512, 16)),
                    cycle + 5};
      if (cycle > 200 && random.below(100) == 0) flying.crc ^= 0x40;
      wire[e].push_back(flying);
    }
    if (get_bits(rtl->rx_nd_valid_o, device, 1) != 0) {
      const MsgHeader header = get_header_port(rtl->rx_nd_hdr_o, kHeaderPortBits * device);
      outcome.tags.push_back(static_cast<unsigned>(header >> 8) & 0xffff);
    }
    const bool taken = next < count && get_bits(rtl->tx_nd_ready_o, host, 1) != 0;
    rtl.edge();
    if (taken) ++next;
  }
  outcome.wrong = outcome.tags.size() != count;
  for (unsigned k = 0; k < outcome.tags.size(); ++k) outcome.wrong |= outcome.tags[k] != k;
  return outcome;
}

TEST(Wrap, InclusiveOrExclusiveAtBothEnds) {
  test::shows("link", "The wrap value of INIT.Param, as a count or as the last number",
              "CXL 2.0, 4.2.8.1, 4.2.8.5");
  EXPECT_FALSE(converse(0, 1, 500).wrong);
  EXPECT_FALSE(converse(2, 3, 500).wrong);
  // Ends of two minds lose step at the first retry after a wrap: nobody may connect them.
  EXPECT_TRUE(converse(0, 3, 500).wrong);
  EXPECT_TRUE(converse(2, 1, 500).wrong);
}
TEST(Wrap, InitParamSaysIt) {
  for (unsigned index = 0; index < 4; ++index) {
    End end(index);
    end.receive(flits::RetryIdle{});
    end.steps(10);
    unsigned params = 0;
    for (const Payload& flit : end.take()) {
      const flits::Control control = read_control(flit);
      if (const auto* param = std::get_if<flits::InitParam>(&control)) {
        EXPECT_EQ(param->wrap, index < 2 ? kLlrb : kLlrb - 1);
        ++params;
      }
    }
    EXPECT_EQ(params, 1u);
  }
}
// The number after the last one, against a peer's own count: Eseq of a RETRY.Req.
TEST(Wrap, SequenceNumbers) {
  for (const bool inclusive : {false, true}) {
    for (const unsigned wrap : {22u, 30u}) {
      for (unsigned flits = 1; flits < 70; flits += 3) {
        End host(inclusive ? 2 : 0);
        host.init(wrap);
        for (unsigned k = 0; k < flits; ++k) {
          host.receive(llcrd(k == 0 ? 2 : 0));
          host.steps(2);
        }
        host.steps(60);
        host.take();
        host.receive(llcrd(), true);
        host.steps(20);
        const unsigned count = wrap + (inclusive ? 1 : 0);
        std::optional<unsigned> eseq;
        for (const Payload& flit : host.take()) {
          const flits::Control control = read_control(flit);
          if (const auto* req = std::get_if<flits::RetryReq>(&control)) eseq = req->eseq;
        }
        EXPECT_EQ(eseq, (flits + 1) % count) << inclusive << " " << wrap << " " << flits;
      }
    }
  }
}

}  // namespace
}  // namespace cxlgpu::test
