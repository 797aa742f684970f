// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
// io_unframe: which DWs of PCIe's symbol stream are a packet, by hand from the token rules; and the
// RTL in lockstep with its twin under streams of good and bad tokens.
//
// Source: PCI Express Base 5.0, 4.2.2.3; docs/blocks.md, "io_unframe".
#include "refmodel/cxl_io/io_unframe.hpp"

#include <algorithm>
#include <array>
#include <cstring>
#include <vector>

#include "Vio_unframe.h"
#include "tests/common/bits.hpp"
#include "tests/common/lockstep.hpp"

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
  static constexpr unsigned kPacketDws = 7;
  Lockstep run{"cxl_io/io_unframe", 0x0f};

  Unframe() { rtl_.reset(); }
  // A cycle; the packet of it.
  std::optional<IoFlit> step(const std::optional<IoFlit>& flit, bool link_up = true) {
    rtl_->link_up_i = link_up;
    rtl_->valid_i = flit.has_value();
    if (flit) set_line(rtl_->flit_i, 0, *flit);
    rtl_.settle();
    std::optional<IoFlit> packet;
    if (rtl_->valid_o) {
      packet.emplace();
      const auto bytes = get_bytes<4 * kPacketDws>(rtl_->packet_o);
      std::copy(bytes.begin(), bytes.end(), packet->begin());
    }
    if (link_up) {  // else nobody looks
      const std::optional<IoFlit> expected = twin_.clock(flit);
      run.check("valid_o", packet.has_value(), expected.has_value());
      if (packet && expected) run.check_bytes("packet_o", *packet, *expected);
    } else {
      twin_ = {};
    }
    rtl_.edge();
    return packet;
  }

 private:
  Clocked<Vio_unframe> rtl_;
  IoUnframe twin_;
};

class IoUnframeRules : public ::testing::Test {
 protected:
  // A flit, or none; then what came.
  void step(const std::optional<IoFlit>& flit = std::nullopt) {
    run.run.advance();
    if (const auto packet = run.step(flit)) came.push_back(*packet);
  }
  // Nothing arrives for longer than anything may take.
  void drain() {
    for (unsigned n = 0; n < 100; ++n) step();
  }
  // A stream of symbols in flits back to back, the rest of the last one idle.
  void stream(const Dws& dws) {
    for (std::size_t at = 0; at < dws.size(); at += kFlit) {
      step(flit_of({dws.begin() + static_cast<std::ptrdiff_t>(at), dws.end()}));
    }
  }
  void expect(const std::vector<Dws>& packets) {
    drain();
    ASSERT_EQ(came.size(), packets.size());
    for (std::size_t n = 0; n < packets.size(); ++n) {
      EXPECT_EQ(came[n], flit_of(packets[n])) << "packet " << n;
    }
    came.clear();
    EXPECT_TRUE(run.run.ok());
  }

  Unframe run;
  std::vector<IoFlit> came;
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
  for (const unsigned length : {0u, 1u, 2u, 3u, 4u, 40u, 64u, 1023u, 2047u}) {
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

// Four flits wait; a fifth that comes before one of them is done with is lost.
TEST_F(IoUnframeRules, AFullQueueLosesWhatArrives) {
  std::vector<Dws> expected;
  for (unsigned f = 0; f < 5; ++f) {
    Dws symbols;
    for (unsigned n = 0; n < 8; ++n) {
      const Dws packet = dllp(1 + 16 * f + n);
      append(symbols, packet);
      if (f < 4) expected.push_back(packet);
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

// Of a TLP longer than this receiver takes the token leaves; the packet behind it is found, in
// whichever flit it begins.
TEST_F(IoUnframeRules, BehindALongPacket) {
  for (unsigned length = 8; length <= 39; ++length) {
    for (const unsigned at : {0u, 1u, 8u, 15u}) {
      SCOPED_TRACE(::testing::Message() << length << " DW from DW " << at);
      const Dws packet = tlp(length);
      Dws symbols(at, 0);
      append(symbols, packet);
      append(symbols, dllp(2));
      append(symbols, {0});
      append(symbols, tlp(7, 3));
      stream(symbols);
      expect({{packet[0]}, dllp(2), tlp(7, 3)});
    }
  }
}

// What the old link left is none of the new one's: half a packet, flits in the queue, a place in a
// flit.
TEST_F(IoUnframeRules, LinkDownForgets) {
  const auto bounce = [this](unsigned cycles) {
    for (unsigned n = 0; n < cycles; ++n) (void)run.step(std::nullopt, false);
  };
  Dws half(kFlit - 2, 0);
  append(half, {stp(5), 0xffff'ffffu});
  step(flit_of(half));
  bounce(1);
  step(flit_of(dllp(1)));
  expect({dllp(1)});

  Dws eight;
  for (unsigned n = 0; n < 8; ++n) append(eight, dllp(1 + n));
  for (unsigned f = 0; f < 3; ++f) step(flit_of(eight));
  came.clear();
  bounce(1);
  expect({});
  step(flit_of(eight));
  came.clear();
  bounce(2);
  step(flit_of(dllp(9)));
  expect({dllp(9)});

  step(flit_of(tlp(39)));
  came.clear();
  bounce(1);
  step(flit_of(dllp(9)));
  expect({dllp(9)});

  // A flit that arrives with the link down.
  (void)run.step(flit_of(eight), false);
  expect({});
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
            random_.percent(70) ? 5 + random_.below(3)
                                : (random_.percent(90) ? random_.below(42) : random_.bits(11)));
        std::uint32_t token = stp(length, static_cast<unsigned>(random_.bits(12)));
        if (random_.percent(5)) token ^= 1u << random_.below(32);
        dws_.push_back(token);
        for (unsigned n = 1; n < std::min(length, 40u); ++n) {
          dws_.push_back(random_.percent(20) ? 0 : dw());
        }
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
  std::uint64_t packets = 0;
  while (block.run.next()) {
    if (block.run.cycle() % 500 == 0) {
      static constexpr unsigned kRates[] = {10, 25, 40, 70, 100};
      rate = random.pick(kRates);
      bounce = random.percent(30) ? 2 : 0;
      symbols.dense(random.percent(50));
    }
    std::optional<IoFlit> flit;
    if (random.percent(rate)) flit = symbols.next();
    packets += block.step(flit, !random.percent(bounce)).has_value();
  }
  if (block.run.cycle() > 100000) {
    EXPECT_GT(packets, 50000u);
  }
}

}  // namespace
}  // namespace cxlgpu::test
