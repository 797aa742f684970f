// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
// io_unframe: which DWs of PCIe's symbol stream are a packet, by hand from the token rules; and the
// RTL in lockstep with its twin under streams of good and bad tokens.
//
// Source: PCI Express Base 5.0, 4.2.2.3; docs/blocks/cxl_io/io_unframe.md.
#include "refmodel/cxl_io/io_unframe.hpp"

#include <algorithm>
#include <array>
#include <cstring>
#include <deque>
#include <utility>
#include <vector>

#include "Vio_unframe.h"
#include "tests/common/bits.hpp"
#include "tests/common/lockstep.hpp"
#include "tests/coverage/pair_bins.hpp"
#include "tests/coverage/pairs_io.hpp"

namespace cxlgpu::test {
namespace {

using Dws = std::vector<std::uint32_t>;  // the first byte of a DW is its lowest
constexpr unsigned kFlit = 16;           // DWs

// Bit by bit as the equations stand in the standard.
unsigned frame_crc(unsigned length) {
  const auto l = [length](unsigned bit) { return length >> bit & 1; };
  const unsigned c0 = l(10) ^ l(7) ^ l(6) ^ l(4) ^ l(2) ^ l(1) ^ l(0);
  const unsigned c1 = l(10) ^ l(9) ^ l(7) ^ l(5) ^ l(4) ^ l(3) ^ l(2);
  const unsigned c2 = l(9) ^ l(8) ^ l(6) ^ l(4) ^ l(3) ^ l(2) ^ l(1);
  const unsigned c3 = l(8) ^ l(7) ^ l(5) ^ l(3) ^ l(2) ^ l(1) ^ l(0);
  return c3 << 3 | c2 << 2 | c1 << 1 | c0;
}

// An STP token: {1111b, Length[3:0]}, {Length[10:4], parity}, {sequence[11:8], FCRC},
// sequence[7:0].
std::uint32_t stp(unsigned length, unsigned sequence = 0) {
  const unsigned crc = frame_crc(length);
  const unsigned parity = static_cast<unsigned>(__builtin_parity(length << 4 | crc));
  return 0xfu | (length & 0xf) << 4 | (length >> 4) << 8 | parity << 15 | (sequence >> 8) << 16 |
         crc << 20 | (sequence & 0xff) << 24;
}

// A packet whose DWs behind the token say where they stand; none of them is zero.
Dws tlp(unsigned length, unsigned mark = 1) {
  Dws packet{stp(length, mark)};
  for (unsigned n = 1; n < length; ++n) packet.push_back(mark << 16 | 0xb000'0000u | n);
  return packet;
}
Dws dllp(unsigned mark = 1) {
  return {0x0000'acf0u | mark << 16, 0xd000'0000u | mark};
}

// Whether a packet begins so.
bool is_token(std::uint32_t dw) {
  const unsigned length = dw >> 4 & 0x7ff;
  if ((dw & 0xffff) == 0xacf0) return true;
  return length >= 5 && length <= 1031 && ((dw ^ stp(length)) & 0x00f0'ffff) == 0;
}

IoFlit flit_of(const Dws& dws) {
  IoFlit flit{};
  std::memcpy(flit.data(), dws.data(), 4 * std::min<std::size_t>(dws.size(), kFlit));
  return flit;
}

void append(Dws& stream, const Dws& dws) {
  stream.insert(stream.end(), dws.begin(), dws.end());
}

// The block and its twin.
class Unframe {
 public:
  using Piece = IoUnframe::Piece;
  Lockstep run{"cxl_io/io_unframe", 0x0f};

  Unframe() { rtl_.reset(); }
  // A cycle; the piece of it.
  std::optional<Piece> step(const std::optional<IoFlit>& flit, bool link_up = true) {
    rtl_->link_up_i = link_up;
    rtl_->valid_i = flit.has_value();
    if (flit) set_line(rtl_->flit_i, 0, *flit);
    rtl_.settle();
    std::optional<Piece> piece;
    if (rtl_->valid_o) {
      piece = Piece{.first = rtl_->first_o != 0,
                    .last = rtl_->last_o != 0,
                    .bad = rtl_->bad_o != 0,
                    .behind = rtl_->tail_o == 2   ? Behind::kEdb
                              : rtl_->tail_o == 1 ? Behind::kUnknown
                                                  : Behind::kOther,
                    .count = rtl_->count_o};
    }
    const auto bytes = get_line(rtl_->dws_o);
    look(flit, link_up);
    if (link_up) {  // else nobody looks
      const std::optional<Piece> expected = twin_.clock(flit);
      const Piece at_rest{};
      const Piece& right = expected ? *expected : at_rest;
      run.check("valid_o", rtl_->valid_o, expected.has_value());
      run.check("first_o", rtl_->first_o, right.first);
      run.check("last_o", rtl_->last_o, right.last);
      run.check("bad_o", rtl_->bad_o, right.bad);
      run.check("tail_o", rtl_->tail_o, static_cast<unsigned>(right.behind));
      run.check("count_o", rtl_->count_o, right.count);
      run.check_bytes("dws_o", bytes, flit_of({right.dws.begin(), right.dws.end()}));
    } else {
      twin_ = IoUnframe();
    }
    if (piece) std::memcpy(piece->dws.data(), bytes.data(), bytes.size());
    rtl_.edge();
    return piece;
  }

 private:
  // With the link down: what would have happened.
  void look(const std::optional<IoFlit>& flit, bool link_up) {
    const std::size_t before = twin_.waiting();
    IoUnframe next = twin_;
    const bool leaves = next.clock(flit).has_value();
    const bool kept = flit && before < kDepth;
    const bool done = (before > 0 || flit) && next.waiting() < before + (kept ? 1 : 0);
    const std::size_t some = std::min<std::size_t>(before, 3);
    meets_.look(before == kDepth ? 4 : some, {flit.has_value(), done, leaves, !link_up});
  }

  static constexpr std::size_t kDepth = IoUnframe::kDepth;
  Clocked<Vio_unframe> rtl_;
  IoUnframe twin_;
  PairBins meets_{coverage::io_unframe_pairs()};
};

class IoUnframeRules : public ::testing::Test {
 protected:
  // A flit, or none; then what came.
  void step(const std::optional<IoFlit>& flit = std::nullopt) {
    block.run.advance();
    const auto piece = block.step(flit);
    if (!piece) return;
    EXPECT_EQ(piece->first, !open) << "a piece begins a packet if the last one ended it";
    if (piece->first) came.emplace_back();
    ASSERT_FALSE(came.empty());
    ASSERT_LE(piece->count, kFlit);
    pieces.push_back(piece->count);
    came.back().insert(came.back().end(), piece->dws.begin(), piece->dws.begin() + piece->count);
    open = !piece->last;
    if (piece->last) behind.push_back(piece->behind);
    EXPECT_EQ(piece->bad, !is_token(came.back().front()));
  }
  // Nothing arrives for longer than anything may take.
  void drain() {
    for (unsigned n = 0; n < 200; ++n) step();
  }
  // A stream of symbols in flits back to back, the rest of the last one idle.
  void stream(const Dws& dws) {
    for (std::size_t at = 0; at < dws.size(); at += kFlit) {
      step(flit_of({dws.begin() + static_cast<std::ptrdiff_t>(at), dws.end()}));
    }
  }
  void expect(const std::vector<Dws>& packets) {
    drain();
    EXPECT_EQ(came, packets);
    EXPECT_FALSE(open);
    EXPECT_TRUE(block.run.ok());
    forget();
  }
  // The same, and what stands behind each.
  void expect(const std::vector<Dws>& packets, const std::vector<Behind>& tails) {
    drain();
    EXPECT_EQ(behind, tails);
    expect(packets);
  }
  void forget() {
    came.clear();
    pieces.clear();
    behind.clear();
    open = false;
  }
  void down(unsigned cycles, const std::optional<IoFlit>& flit = std::nullopt) {
    for (unsigned n = 0; n < cycles; ++n) (void)block.step(flit, false);
    forget();
  }

  Unframe block;
  std::vector<Dws> came;         // packets, the last one perhaps open
  std::vector<unsigned> pieces;  // DWs of each
  std::vector<Behind> behind;    // of each packet
  bool open = false;
};

// The tokens of the page's golden flits and that of a TLP with 128 bytes of data, worked out by
// hand.
TEST(IoUnframe, TokensByHand) {
  EXPECT_EQ(stp(5), 0x0060'005fu);
  EXPECT_EQ(stp(6), 0x0020'806fu);
  EXPECT_EQ(stp(7, 0x123), 0x23b1'007fu);
  // Length 010_0111b (39): C0 = L2^L1^L0 = 1, C1 = L5^L2 = 0, C2 = L2^L1 = 0, C3 = L5^L2^L1^L0 = 0;
  // five ones: parity 1.
  EXPECT_EQ(stp(39), 0x0010'827fu);
  // 100_0000_0111b (1031): C0 = L10^L2^L1^L0 = 0, C1 = L10^L2 = 0, C2 = L2^L1 = 0, C3 = L2^L1^L0 =
  // 1; five ones: parity 1.
  EXPECT_EQ(stp(1031), 0x0080'c07fu);
}

TEST_F(IoUnframeRules, APacketBeginsInAnyDw) {
  for (unsigned at = 0; at < kFlit; ++at) {
    for (unsigned length = 2; length <= 7; ++length) {
      if (length == 3 || length == 4 || at + length > kFlit) continue;
      SCOPED_TRACE(::testing::Message() << length << " DW from DW " << at);
      const Dws packet = length == 2 ? dllp(at + 1) : tlp(length, at + 1);
      Dws flit(at, 0);
      append(flit, packet);
      step(flit_of(flit));
      ASSERT_EQ(came.size(), 1u) << "it leaves in the cycle in which it comes";
      expect({packet});
    }
  }
}

// One a cycle, in order, with and without idle symbols between them.
TEST_F(IoUnframeRules, SeveralPacketsOfOneFlit) {
  const std::vector<Dws> packets{dllp(1), tlp(5, 2), dllp(3), tlp(7, 4)};
  Dws close;
  for (const Dws& packet : packets) append(close, packet);
  ASSERT_EQ(close.size(), kFlit);
  step(flit_of(close));
  for (unsigned n = 0; n < 3; ++n) step();
  EXPECT_EQ(came.size(), 4u);
  expect(packets);
  step(flit_of(
      {0, 0x0001'acf0, 1, 0, 0, 0x0002'acf0, 2, 0x0003'acf0, 3, 0, 0, 0, 0, 0, 0x0004'acf0, 4}));
  expect({{0x0001'acf0, 1}, {0x0002'acf0, 2}, {0x0003'acf0, 3}, {0x0004'acf0, 4}});
  Dws eight;
  std::vector<Dws> dllps;
  for (unsigned n = 1; n <= 8; ++n) {
    dllps.push_back(dllp(n));
    append(eight, dllps.back());
  }
  step(flit_of(eight));
  expect(dllps);
}

// A DLLP may be all zeros behind its token: no idle symbols are found inside of a packet.
TEST_F(IoUnframeRules, ZerosInsideOfAPacket) {
  Dws zeros(6, 0);
  zeros[0] = stp(6);
  Dws both = zeros;
  append(both, dllp());
  step(flit_of(both));
  expect({zeros, dllp()});
  step(flit_of(zeros));
  expect({zeros});
  Dws late(kFlit - 2, 0);
  append(late, zeros);  // four DWs of it in the next flit, and nothing but zeros there
  stream(late);
  step(flit_of(dllp(9)));
  expect({zeros, dllp(9)});
}

TEST_F(IoUnframeRules, IdleFlitsGiveNothing) {
  for (unsigned n = 0; n < 20; ++n) step(IoFlit{});
  expect({});
  step(flit_of(dllp(1)));
  step(IoFlit{});
  step(flit_of(dllp(2)));
  expect({dllp(1), dllp(2)});
}

// At each place where a flit may end, with the next flit at once, and with cycles without one.
TEST_F(IoUnframeRules, APacketGoesOnInTheNextFlit) {
  for (unsigned length = 2; length <= 7; ++length) {
    if (length == 3 || length == 4) continue;
    for (unsigned here = 1; here < length; ++here) {
      for (const unsigned pause : {0u, 1u, 5u}) {
        SCOPED_TRACE(::testing::Message() << here << " of " << length << " DW, pause " << pause);
        const Dws packet = length == 2 ? dllp(3) : tlp(length, 3);
        Dws symbols = dllp(1);
        symbols.resize(kFlit - here, 0);
        append(symbols, packet);
        append(symbols, dllp(2));
        step(flit_of(symbols));
        for (unsigned n = 0; n < pause; ++n) step();
        step(flit_of({symbols.begin() + kFlit, symbols.end()}));
        expect({dllp(1), packet, dllp(2)});
      }
    }
  }
}

// A token is wrong if one bit of Length, parity or FCRC is; the sequence number is not guarded by
// it. What stands behind a wrong token is not looked for packets: its length is not known.
TEST_F(IoUnframeRules, AWrongTokenEndsTheFlit) {
  for (const unsigned length : {5u, 6u, 7u}) {
    for (unsigned bit = 0; bit < 32; ++bit) {
      SCOPED_TRACE(::testing::Message() << "length " << length << ", bit " << bit);
      const bool guarded = (bit >= 4 && bit < 16) || (bit >= 20 && bit < 24);
      const bool kind = bit < 4;
      Dws packet = tlp(length, 5);
      packet[0] ^= 1u << bit;
      Dws symbols = dllp(1);
      append(symbols, packet);
      append(symbols, dllp(2));
      step(flit_of(symbols));
      if (guarded || kind) {
        expect({dllp(1), {packet[0]}});
      } else {
        expect({dllp(1), packet, dllp(2)});
      }
      step(flit_of(dllp(4)));  // the next flit is looked at from its beginning
      expect({dllp(4)});
    }
  }
  // Right tokens of lengths that no TLP has.
  for (const unsigned length : {0u, 1u, 2u, 3u, 4u, 1032u, 1033u, 1536u, 2047u}) {
    SCOPED_TRACE(length);
    Dws symbols{stp(length)};
    append(symbols, dllp(2));
    step(flit_of(symbols));
    expect({{stp(length)}});
    step(flit_of(dllp(4)));
    expect({dllp(4)});
  }
  // Half a token of a DLLP, and symbols of no token at all.
  for (const std::uint32_t wrong : {0x0000'00f0u, 0x0000'acf1u, 0x0000'adf0u, 0x0001'0000u}) {
    SCOPED_TRACE(wrong);
    Dws symbols{0, wrong};
    append(symbols, dllp(2));
    step(flit_of(symbols));
    expect({{wrong}});
  }
}

// Sixteen flits wait; one that comes then is lost. Of flits of eight packets one is done with every
// eight cycles, so that it is the nineteenth.
TEST_F(IoUnframeRules, AFullQueueLosesWhatArrives) {
  std::vector<Dws> expected;
  for (unsigned f = 0; f < 19; ++f) {
    Dws symbols;
    for (unsigned n = 0; n < 8; ++n) {
      const Dws packet = dllp(1 + 16 * f + n);
      append(symbols, packet);
      if (f < 18) expected.push_back(packet);
    }
    step(flit_of(symbols));
  }
  expect(expected);
  // Three flits of eight behind each other do fit.
  expected.clear();
  for (unsigned f = 0; f < 3; ++f) {
    Dws symbols;
    for (unsigned n = 0; n < 8; ++n) {
      expected.push_back(dllp(1 + 16 * f + n));
      append(symbols, expected.back());
    }
    step(flit_of(symbols));
  }
  expect(expected);
}

// What a peer may send before it hears from this end, at the default sizes of io_link: 8 requests
// by credits and the completion of the one request, an Ack and an UpdateFC for each of 4 TLPs. Each
// packet that was unframed lets it send another, ten cycles later: five pass before the answer is
// offered, and the link and the peer take more. However it spreads them over
// flits, of which one comes each cycle, none is lost; most wait if a dense beginning is followed by
// flits of one packet or a part of one.
TEST_F(IoUnframeRules, WhatAPeerMaySendFits) {
  constexpr unsigned kTlps = 9, kDllps = 8, kAnswer = 10, kCycles = 300;
  Random random(block.run.seed());
  unsigned mark = 0;
  for (unsigned round = 0; round < 100; ++round) {
    SCOPED_TRACE(round);
    std::array<unsigned, 2> may_send{kTlps, kDllps};
    std::deque<std::pair<unsigned, bool>> answers;  // when what kind may be sent again; true: DLLP
    std::vector<Dws> expected;
    std::size_t answered = 0;
    Dws rest;  // of a TLP that the last flit began
    unsigned most = 1, change = 0;
    bool splits = false;
    for (unsigned cycle = 0; cycle < kCycles; ++cycle) {
      for (; !answers.empty() && answers.front().first <= cycle; answers.pop_front()) {
        ++may_send[answers.front().second];
      }
      if (cycle >= change) {
        change = cycle + 1 + static_cast<unsigned>(random.below(40));
        most = random.pick(std::array{1u, 1u, 2u, 2u, 3u, 4u, 6u});
        splits = random.percent(60);
      }
      Dws symbols = std::exchange(rest, {});
      for (unsigned n = symbols.empty() ? 0 : 1, dllps = 0; n < most; ++n) {
        const bool is_dllp =
            may_send[1] != 0 && (may_send[0] == 0 || random.percent(50)) && dllps < 4;
        if (may_send[is_dllp] == 0 || symbols.size() + 2 > kFlit) break;
        mark = mark % 255 + 1;
        Dws packet = is_dllp ? dllp(mark) : tlp(5, mark);
        expected.push_back(packet);
        --may_send[is_dllp];
        dllps += is_dllp;
        if (!is_dllp && (symbols.size() + 5 > kFlit || (splits && n + 1 == most))) {
          const auto here = std::max<std::size_t>(1 + random.below(4), kFlit - 4) % kFlit;
          symbols.resize(std::max(symbols.size(), here), 0);
          const auto cut = packet.begin() + static_cast<std::ptrdiff_t>(kFlit - symbols.size());
          rest.assign(cut, packet.end());
          packet.erase(cut, packet.end());
          append(symbols, packet);
          break;
        }
        append(symbols, packet);
      }
      step(symbols.empty() ? std::nullopt : std::optional(flit_of(symbols)));
      if (!open && behind.size() > answered) {
        answers.emplace_back(cycle + kAnswer, came.back().size() == 2);
        ++answered;
      }
    }
    if (!rest.empty()) step(flit_of(rest));
    expect(expected);
    if (HasFailure()) return;
  }
}

// Whatever its length: in pieces of what each flit has of it, and the packet behind it is found.
TEST_F(IoUnframeRules, ALongPacketComesInPieces) {
  for (unsigned length = 8; length <= 45; ++length) {
    for (unsigned at = 0; at < kFlit; ++at) {
      SCOPED_TRACE(::testing::Message() << length << " DW from DW " << at);
      const Dws packet = tlp(length);
      Dws symbols(at, 0);
      append(symbols, packet);
      append(symbols, dllp(2));
      append(symbols, {0});
      append(symbols, tlp(7, 3));
      stream(symbols);
      expect({packet, dllp(2), tlp(7, 3)});
    }
  }
  Dws symbols(8, 0);
  append(symbols, tlp(39));
  append(symbols, dllp(2));
  stream(symbols);
  drain();
  EXPECT_EQ(pieces, (std::vector<unsigned>{8, 16, 15, 1, 1}));
  expect({tlp(39), dllp(2)});
  // The longest, of 4 KiB, and the shortest that is too long.
  symbols = tlp(1031);
  append(symbols, dllp(2));
  stream(symbols);
  expect({tlp(1031), dllp(2)});
  step(flit_of(tlp(1032)));
  expect({{stp(1032, 1)}});
  step(flit_of(dllp(4)));
  expect({dllp(4)});
}

// EDB is four symbols C0h directly behind the LCRC; the Length of the token does not count it.
TEST_F(IoUnframeRules, WhatStandsBehindATlp) {
  constexpr std::uint32_t kEdb = 0xc0c0'c0c0;
  constexpr Behind kOther = Behind::kOther, kUnknown = Behind::kUnknown;
  for (const unsigned length : {5u, 7u, 12u, 39u}) {
    for (unsigned at = 0; at < kFlit; ++at) {
      SCOPED_TRACE(::testing::Message() << length << " DW from DW " << at);
      const bool at_end = (at + length) % kFlit == 0;
      Dws symbols(at, 0);
      append(symbols, tlp(length));
      append(symbols, {kEdb});
      append(symbols, dllp(2));
      stream(symbols);
      // Where the flit ends with it, EDB is the first DW of the next one and still no token.
      expect({tlp(length), dllp(2)}, {at_end ? kUnknown : Behind::kEdb, kOther});
      symbols.assign(at, 0);
      append(symbols, tlp(length));
      append(symbols, dllp(2));
      stream(symbols);
      expect({tlp(length), dllp(2)}, {at_end ? kUnknown : kOther, kOther});
      symbols.assign(at, 0);
      append(symbols, tlp(length));
      append(symbols, {0, kEdb});  // not directly behind it
      symbols.resize((symbols.size() + kFlit - 1) / kFlit * kFlit, 0);
      append(symbols, dllp(2));
      stream(symbols);
      expect({tlp(length), {kEdb}, dllp(2)}, {at_end ? kUnknown : kOther, kOther, kOther});
    }
  }
  // Behind a DLLP, behind a TLP's own EDB, at the beginning of a flit that follows neither.
  Dws symbols = dllp(1);
  append(symbols, {kEdb});
  append(symbols, dllp(2));
  step(flit_of(symbols));
  expect({dllp(1), {kEdb}}, {kOther, kOther});
  symbols = tlp(5);
  append(symbols, {kEdb, kEdb});
  step(flit_of(symbols));
  expect({tlp(5), {kEdb}}, {Behind::kEdb, kOther});
  symbols.assign(kFlit - 2, 0);
  append(symbols, dllp(1));
  append(symbols, {kEdb});
  stream(symbols);
  expect({dllp(1), {kEdb}}, {kOther, kOther});
  // An idle flit is between: what comes then is not behind the TLP.
  symbols.assign(kFlit - 5, 0);
  append(symbols, tlp(5));
  step(flit_of(symbols));
  step(IoFlit{});
  step(flit_of({kEdb}));
  expect({tlp(5), {kEdb}}, {kUnknown, kOther});
  // A pause is not.
  step(flit_of(symbols));
  step();
  step(flit_of({kEdb, 0, 0x0001'acf0, 1}));
  expect({tlp(5), {0x0001'acf0, 1}}, {kUnknown, kOther});
  // EDB as the first DW of a flit whose beginning is data.
  symbols.assign(kFlit - 5, 0);
  Dws packet = tlp(8);
  packet[5] = packet[7] = kEdb;
  append(symbols, packet);
  append(symbols, dllp(2));
  stream(symbols);
  expect({packet, dllp(2)}, {kOther, kOther});
  // Two that fill their flits.
  symbols = tlp(16, 1);
  append(symbols, tlp(16, 2));
  append(symbols, {kEdb});
  stream(symbols);
  expect({tlp(16, 1), tlp(16, 2)}, {kUnknown, kUnknown});
}

// What the old link left is none of the new one's: half a packet, flits in the queue, a place in a
// flit.
TEST_F(IoUnframeRules, LinkDownForgets) {
  Dws half(kFlit - 2, 0);
  append(half, {stp(5), 0xffff'ffffu});
  step(flit_of(half));
  down(1);
  step(flit_of(dllp(1)));
  expect({dllp(1)});

  Dws eight;
  for (unsigned n = 0; n < 8; ++n) append(eight, dllp(1 + n));
  for (unsigned f = 0; f < 3; ++f) step(flit_of(eight));
  down(1);
  expect({});
  step(flit_of(eight));
  down(2);
  step(flit_of(dllp(9)));
  expect({dllp(9)});

  step(flit_of(tlp(39)));
  down(1);
  step(flit_of(dllp(9)));
  expect({dllp(9)});

  // A flit that arrives with the link down.
  down(1, flit_of(eight));
  expect({});

  // EDB behind what the old link brought.
  step(flit_of(tlp(16)));
  down(1);
  step(flit_of({0xc0c0'c0c0}));
  expect({{0xc0c0'c0c0}});
}

// A stream of packets, idle symbols and wrong tokens, and its flits with pauses between them.
class Symbols {
 public:
  explicit Symbols(Random& random) : random_(random) {}
  IoFlit next() {
    while (dws_.size() < kFlit) more();
    const IoFlit flit = flit_of(dws_);
    dws_.erase(dws_.begin(), dws_.begin() + kFlit);
    return flit;
  }
  void dense(bool on) { dense_ = on; }

 private:
  std::uint32_t dw() { return static_cast<std::uint32_t>(random_.bits(32)); }
  void more() {
    switch (random_.below(dense_ ? 4 : 8)) {
      case 0:
      case 1:
        append(dws_, {0xacf0u | dw() << 16, random_.percent(20) ? 0 : dw()});
        break;
      case 2:
      case 3: {
        const auto length = static_cast<unsigned>(
            random_.percent(70) ? 5 + random_.below(4)
                                : (random_.percent(95) ? random_.below(50) : random_.bits(11)));
        std::uint32_t token = stp(length, static_cast<unsigned>(random_.bits(12)));
        if (random_.percent(5)) token ^= 1u << random_.below(32);
        dws_.push_back(token);
        for (unsigned n = 1; n < length; ++n) {
          dws_.push_back(random_.percent(20) ? 0 : random_.percent(5) ? 0xc0c0'c0c0 : dw());
        }
        if (random_.percent(20)) dws_.push_back(0xc0c0'c0c0);
        break;
      }
      case 4:
        if (random_.percent(20)) dws_.push_back(dw());
        break;
      default:
        for (std::uint64_t n = random_.below(20); n > 0; --n) dws_.push_back(0);
        break;
    }
  }

  Random& random_;
  Dws dws_;
  bool dense_ = false;
};

TEST(IoUnframe, LockstepWithRtl) {
  Unframe block;
  Random random(block.run.seed());
  Symbols symbols(random);
  unsigned rate = 100, bounce = 0;
  std::uint64_t packets = 0, bad = 0;
  while (block.run.next()) {
    if (block.run.cycle() % 500 == 0) {
      static constexpr unsigned kRates[] = {10, 25, 40, 70, 100};
      rate = random.pick(kRates);
      bounce = random.percent(30) ? 2 : 0;
      symbols.dense(random.percent(50));
    }
    std::optional<IoFlit> flit;
    if (random.percent(rate)) flit = symbols.next();
    const auto piece = block.step(flit, !random.percent(bounce));
    packets += piece.has_value();
    bad += piece && piece->bad;
  }
  if (block.run.cycle() > 100000) {
    EXPECT_GT(packets, 50000u);
    EXPECT_GT(bad, 1000u);
  }
}

}  // namespace
}  // namespace cxlgpu::test
