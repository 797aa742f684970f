// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
// Rules of CXL 2.0's link layer that a peer may break or use otherwise than our own sender does, by
// hand against the RTL alone: what comes before INIT.Param, a RETRY.Req for what is not held, lines
// in halves, MDH while it is disabled, overflow, the wrap value both ways, the force timer on a
// slow wire. Flits are built from the specification's bit positions, expected values by hand.
#include <deque>
#include <optional>
#include <vector>

#include "flits/codec.hpp"
#include "tests/common/requirement.hpp"
#include "tests/controller/rules_end.hpp"

namespace cxlgpu::test {
namespace {

// Header codes and credit fields.
constexpr std::uint8_t kCredits64 = 0xf;  // CXL.mem, 64

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

// ------------------------------------------------------------------------- damaged flits

// Each of the 528 bits by itself: the flit is told and gives nothing; asked for, it comes again.
TEST_P(BothEnds, AnyDamagedBitIsSeen) {
  test::shows("flit", "Any damaged bit of a flit is seen: it gives nothing and is requested again",
              "CXL 2.0, link layer, CRC");
  End end(GetParam());
  end.init();
  const Payload flit = message(GetParam(), 0x5a5);
  for (unsigned bit = 0; bit < kFlitBits; ++bit) {
    SCOPED_TRACE(bit);
    end.counts = {};
    end.received.clear();
    end.receive_harmed(flit, bit);
    end.steps(16);
    EXPECT_EQ(end.counts[0], 1u);
    EXPECT_TRUE(end.received.empty());
    const auto req = end.asked();
    ASSERT_TRUE(req.has_value());
    end.framed(flits::RetryAck{.num_retry = req->num_retry, .eseq = req->eseq});
    end.receive(flit);
    end.steps(3);
    EXPECT_EQ(end.received.size(), 1u);
    end.acknowledge();
  }
}

// What a damaged flit would have said: credits, a flit of a framed sequence, data.
TEST_P(BothEnds, DamagedFlitsSayNothing) {
  test::shows("flit", "A damaged flit gives no credit, ends no sequence and starts no data",
              "CXL 2.0, 4.2.8 (retry)");
  {
    End end(GetParam());
    end.init();
    end.receive(llcrd(2, kCredits64, kCredits64, kCredits64), true);
    end.steps(20);
    end.framed(flits::RetryAck{.num_retry = 1, .eseq = 1});
    end.receive(llcrd(2));
    for (unsigned k = 0; k < 40; ++k) {
      end.offer_nd(MsgHeader{k} << 8);
      end.offer_wd(MsgHeader{k} << 8, line(k));
    }
    for (const Payload& sent : end.sent) EXPECT_TRUE(is_control(sent));
  }
  for (const unsigned bad : {0u, 4u, 5u}) {  // of five frames and a RETRY.Req
    End end(GetParam());
    end.init();
    for (unsigned k = 0; k < 6; ++k) {
      const flits::Control flit =
          k < 5 ? flits::Control{flits::RetryFrame{}} : flits::RetryReq{.eseq = 1, .num_retry = 1};
      end.receive(control_payload(flit), k == bad);
    }
    end.steps(40);
    for (const Payload& sent : end.sent) {
      EXPECT_FALSE(std::holds_alternative<flits::RetryAck>(read_control(sent))) << bad;
    }
  }
  {  // a data header: no slot is owed afterwards
    End end(GetParam());
    end.init();
    Payload flit = protocol({GetParam() == kHost ? 3u : 4u, 0, 0, 0});
    or_slot(flit, 0, (MsgHeader{1} | MsgHeader{GetParam() == kHost ? 0u : 1u} << 1) << 32);
    end.receive(flit, true);
    end.steps(20);
    end.framed(flits::RetryAck{.num_retry = 1, .eseq = 1});
    end.receive(message(GetParam(), 3));
    end.steps(3);
    ASSERT_EQ(end.received.size(), 1u);
    EXPECT_FALSE(end.received[0].data);
  }
}

// Of what is sent: exactly five frames before the last RETRY.Req or RETRY.Ack.
template <typename Last>
void expect_framed(const std::vector<Payload>& sent) {
  unsigned found = 0;
  for (std::size_t k = 0; k < sent.size(); ++k) {
    if (!std::holds_alternative<Last>(read_control(sent[k]))) continue;
    ++found;
    ASSERT_GE(k, 5u);
    for (std::size_t back = 1; back <= 5; ++back) {
      EXPECT_TRUE(std::holds_alternative<flits::RetryFrame>(read_control(sent[k - back]))) << back;
    }
    EXPECT_FALSE(k > 5 && std::holds_alternative<flits::RetryFrame>(read_control(sent[k - 6])));
  }
  EXPECT_EQ(found, 1u);
}

TEST_P(BothEnds, FiveFramesBeforeReqAndAck) {
  test::shows("link", "RETRY.Req and RETRY.Ack leave behind five RETRY.Frame",
              "CXL 2.0, 4.2.8.5 (retry)");
  for (const bool stalled : {false, true}) {
    End end(GetParam());
    end.init();
    const auto wait = [&] {
      for (unsigned k = 0; k < 60; ++k) {
        end.ready = !stalled || k % 3 == 0;
        end.step();
      }
    };
    end.receive(llcrd(), true);
    wait();
    expect_framed<flits::RetryReq>(end.sent);
    end.framed(flits::RetryAck{.num_retry = 1, .eseq = 1});
    end.receive(llcrd());
    end.sent.clear();
    end.framed(flits::RetryReq{.eseq = 1, .num_retry = 1});
    wait();
    expect_framed<flits::RetryAck>(end.sent);
  }
}

// ------------------------------------------------------------------------- credits

// Each code of a grant, on each channel: so many messages leave and no more, though others wait.
TEST_P(BothEnds, NobodySendsWithoutACredit) {
  test::shows("link", "Nobody sends without a credit: as many messages leave as were granted",
              "CXL 2.0, 4.2.2, 4.2.7 (credits)");
  constexpr std::array<unsigned, 8> kCounts{0, 1, 2, 4, 8, 16, 32, 64};
  const bool host = GetParam() == kHost;
  for (unsigned code = 0; code < 8; ++code) {
    for (const bool data : {false, true}) {
      SCOPED_TRACE(::testing::Message() << "code " << code << " data " << data);
      End end(GetParam());
      end.init();
      flits::Decoder decoder(host ? flits::Direction::M2S : flits::Direction::S2M);
      const auto field = static_cast<std::uint8_t>(8 | code);
      unsigned left = 0, tag = 0;
      for (unsigned k = 0; k < 300; ++k) {
        const bool taken =
            data ? end.offer_wd(MsgHeader{host} << 1 | MsgHeader{tag} << (host ? 12 : 8), line(tag))
                 : end.offer_nd(MsgHeader{tag} << (host ? 12 : 8));
        if (taken) ++tag;
        if (k % 8 != 7) continue;
        for (const Payload& flit : end.sent) {
          const flits::Decoded decoded = decoder.decode(as_flit(flit));
          for (const std::uint8_t count : decoded.headers) left += count;
        }
        if (k != 31) {
          end.acknowledge();
        } else {  // the grant, when several messages wait
          EXPECT_EQ(left, 0u);
          end.acknowledge(host || data ? 0 : field, host && !data ? field : 0, data ? field : 0);
        }
      }
      EXPECT_EQ(left, kCounts[code]);
    }
  }
}

// ------------------------------------------------------------------------- before INIT.Param

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
  // Its wrap value (40) is not taken: after INIT.Param twice and 30 flits the next number is 32
  // - 22.
  End counting(GetParam());
  counting.init();
  counting.receive(second);
  for (unsigned k = 0; k < 30; ++k) counting.receive(llcrd());
  counting.receive(llcrd(), true);
  counting.steps(20);
  const auto request = counting.asked();
  ASSERT_TRUE(request);
  EXPECT_EQ(request->eseq, 32 - kLlrb);
  const flits::RetryAck ack{.num_retry = 1, .num_free_buf = kLlrb};
  end.framed(ack);
  end.steps(3);
  EXPECT_EQ(end.errors, 1u << 4);
  EXPECT_EQ(end.err_flit, control_payload(ack));
  // An INIT.Param between a data header and the rest of its line is one too, and the line comes.
  End between(GetParam());
  between.init();
  Payload header = protocol({GetParam() == kHost ? 3u : 4u, 0, 0, 0});
  or_slot(header, 0, (MsgHeader{1} | MsgHeader{GetParam() == kHost ? 0u : 1u} << 1) << 32);
  for (unsigned k = 0; k < 3; ++k) set_chunk(header, 1 + k, chunk(0, k));
  between.receive(header);
  between.receive(second);
  between.receive(rest(0));
  between.steps(3);
  EXPECT_EQ(between.errors, 1u << 3);
  ASSERT_EQ(between.received.size(), 1u);
  EXPECT_EQ(between.received[0].line, line(0));
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

// Until INIT.Param the numbers wrap at 9 (CXL 2.0, 4.2.8.5), whatever the peer of the link before
// said: ten flits and INIT.Param are two past it.
TEST(Wrap, OfTheLinkBeforeIsForgotten) {
  End host(kHost);
  host.init(30);
  host.up = false;
  host.steps(5);
  host.up = true;
  host.steps(3);
  host.receive(flits::RetryIdle{});
  for (unsigned k = 0; k < 10; ++k) host.receive(message(kHost, k));
  host.receive(flits::InitParam{2, 30});
  host.steps(60);
  host.sent.clear();
  host.receive(llcrd(), true);
  host.steps(20);
  const std::optional<flits::RetryReq> req = host.asked();
  ASSERT_TRUE(req.has_value());
  EXPECT_EQ(req->eseq, 2);
}

}  // namespace
}  // namespace cxlgpu::test
