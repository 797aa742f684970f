// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
// ALMPs: known flits, every value both ways, every wrong bit seen; and the conversation of a link,
// lawful and with each rule broken.
#include "flits/almp.hpp"

#include <gtest/gtest.h>

#include "flits/link_checker.hpp"
#include "flits/text.hpp"

namespace cxlgpu::flits {
namespace {

using enum LinkState;
constexpr auto kDown = Direction::M2S;
constexpr auto kUp = Direction::S2M;
constexpr auto kIo = AlmpLink::Io;
constexpr auto kMem = AlmpLink::CacheMem;
constexpr std::array kStates = {Reset, Active, Dapm, L1_0, L1_1, L1_2, L1_3, L2, Retrain};

// ---- codec -------------------------------------------------------------------------------------

struct Known {
  Almp almp;
  std::uint32_t dword;
};
constexpr std::array kKnown = {
    Known{{kIo, true, Active}, 0x0181'0800},   Known{{kIo, false, Active}, 0x0101'0800},
    Known{{kMem, true, Active}, 0x0281'0800},  Known{{kMem, false, Active}, 0x0201'0800},
    Known{{kMem, true, L1_0}, 0x0284'0800},    Known{{kIo, false, L1_3}, 0x0107'0800},
    Known{{kMem, false, Reset}, 0x0200'0800},  Known{{kIo, true, Dapm}, 0x0183'0800},
    Known{{kIo, true, L2}, 0x0188'0800},       Known{{kMem, true, Retrain}, 0x028B'0800},
    Known{{kMem, false, Retrain}, 0x020B'0800}};

TEST(Almp, KnownFlits) {
  for (const Known& k : kKnown) {
    Flit flit;
    flit.bytes[0] = flit.bytes[1] = 0xCC;
    for (unsigned i = 0; i < 16; ++i) {
      flit.bytes[2 + i] = static_cast<std::uint8_t>(k.dword >> (8 * (i % 4)));
    }
    EXPECT_EQ(encode_almp(k.almp), flit) << to_text(k.almp);
    const AlmpReading reading = read_almp(flit);
    EXPECT_EQ(reading.fault, AlmpFault::None) << to_text(k.almp);
    EXPECT_EQ(reading.almp, k.almp) << to_text(k.almp);
  }
}

// All 2^32 DWORDs would be slow; every value of each byte with the others right is not.
TEST(Almp, OnlyTheseDwordsAreLegal) {
  unsigned legal = 0;
  for (unsigned byte = 0; byte < 4; ++byte) {
    for (unsigned value = 0; value < 256; ++value) {
      Flit flit = encode_almp({kMem, true, Active});
      for (unsigned copy = 0; copy < 4; ++copy) {
        flit.bytes[2 + 4 * copy + byte] = static_cast<std::uint8_t>(value);
      }
      const AlmpReading reading = read_almp(flit);
      if (reading.fault != AlmpFault::None) continue;
      ++legal;
      EXPECT_EQ(encode_almp(reading.almp), flit);
    }
  }
  // Byte 0: 00; byte 1: 08; byte 2: eight Requests (not Reset), eight Status (not DAPM); byte 3:
  // two.
  EXPECT_EQ(legal, 1u + 1u + 16u + 2u);
}

TEST(Almp, EveryWrongBitIsSeen) {
  const Flit good = encode_almp({kMem, false, Active});
  for (unsigned bit = 16; bit < 8 * Flit::kBytes; ++bit) {
    Flit flit = good;
    flit.bytes[bit / 8] ^= static_cast<std::uint8_t>(1u << (bit % 8));
    const AlmpFault fault = read_almp(flit).fault;
    EXPECT_EQ(fault, bit < 8 * 18 ? AlmpFault::CopiesDiffer : AlmpFault::RestNotZero) << bit;
  }
}

TEST(Almp, NamesBothWays) {
  for (const LinkState state : kStates) EXPECT_EQ(link_state_from_name(name(state)), state);
  for (const AlmpLink link : {kIo, kMem}) EXPECT_EQ(almp_link_from_name(name(link)), link);
  EXPECT_FALSE(link_state_from_name("").has_value());
  EXPECT_FALSE(almp_link_from_name("CXL.cache").has_value());
}

// ---- conversation ------------------------------------------------------------------------------

class Wire {
 public:
  explicit Wire(bool arb_mux = true) : checker(options(arb_mux)) {}

  Wire& send(Direction d, const Flit& flit) {
    checker.on_flit(time += 2125, d, flit);
    return *this;
  }
  Wire& send(Direction d, const Control& c) { return send(d, encode_control(c)); }
  Wire& request(Direction d, AlmpLink link, LinkState state) {
    return send(d, encode_almp({link, true, state}));
  }
  Wire& status(Direction d, AlmpLink link, LinkState state) {
    return send(d, encode_almp({link, false, state}));
  }
  Wire& damaged(Direction d, AlmpLink link, LinkState state) {
    Flit flit = encode_almp({link, false, state});
    flit.bytes[9] ^= 0x20;
    return send(d, flit);
  }
  Wire& both_status(AlmpLink link, LinkState down, LinkState up) {
    return status(kDown, link, down).status(kUp, link, up);
  }
  Wire& recovery() {
    checker.on_recovery(time += 2125);
    return *this;
  }
  Wire& framed(Direction d, const Control& c) {
    for (unsigned i = 0; i < 5; ++i) send(d, RetryFrame{});
    return send(d, c);
  }

  Wire& handshake(AlmpLink link) {
    request(kDown, link, Active).status(kUp, link, Active).request(kUp, link, Active);
    return status(kDown, link, Active);
  }
  Wire& up() { return handshake(kIo).handshake(kMem); }
  Wire& init() {
    send(kDown, RetryIdle{}).send(kUp, RetryIdle{});
    return send(kDown, InitParam{2, 40}).send(kUp, InitParam{2, 40});
  }
  // Both link layers ask for flit `eseq` again.
  Wire& retry(std::uint8_t eseq) {
    framed(kDown, RetryReq{eseq, 1, 0}).framed(kUp, RetryReq{eseq, 1, 0});
    framed(kDown, RetryAck{true, false, 1, 0, eseq, 0, 0});
    return framed(kUp, RetryAck{true, false, 1, 0, eseq, 0, 0});
  }

  void expect_clean() const {
    for (const auto& f : checker.findings()) {
      ADD_FAILURE() << f.time_ps << ' ' << name(f.direction) << ' ' << name(f.rule) << ": "
                    << f.text;
    }
  }
  void expect(Rule rule) const {
    ASSERT_GE(checker.finding_count(), 1u) << name(rule);
    EXPECT_EQ(name(checker.findings()[0].rule), name(rule)) << checker.findings()[0].text;
    EXPECT_EQ(checker.findings()[0].time_ps, time);
  }

  LinkChecker checker;
  std::uint64_t time = 0;

 private:
  static LinkCheckerOptions options(bool arb_mux) {
    LinkCheckerOptions o;
    o.arb_mux = arb_mux;
    return o;
  }
};

TEST(AlmpConversation, BringUp) {
  Wire wire;
  // The order in which two ends send when both protocols want to be Active.
  wire.request(kDown, kIo, Active).request(kDown, kMem, Active);
  wire.status(kUp, kIo, Active).request(kUp, kIo, Active);
  wire.status(kUp, kMem, Active).request(kUp, kMem, Active);
  wire.status(kDown, kIo, Active).status(kDown, kMem, Active).init();
  wire.expect_clean();
  EXPECT_EQ(wire.checker.stats(kUp).almp, 4u);
  EXPECT_EQ(wire.checker.stats(kDown).almp, 4u);
}

// The flits that the physical layer makes do not count; any other from the host lets the device
// speak, of this protocol or the other, damaged or not.
TEST(AlmpConversation, HostSpeaksFirst) {
  Flit null;
  null.set_protocol_id(ProtocolId::Null);
  Wire status, request, traffic, after_null, bare(false);
  status.status(kUp, kMem, Active).expect(Rule::DeviceSpokeFirst);
  request.request(kUp, kMem, Active).expect(Rule::DeviceSpokeFirst);
  traffic.send(kUp, RetryIdle{}).expect(Rule::DeviceSpokeFirst);
  after_null.send(kDown, null).send(kUp, null).expect_clean();
  after_null.request(kUp, kIo, Active).expect(Rule::DeviceSpokeFirst);
  bare.request(kUp, kMem, Active).expect(Rule::DeviceSpokeFirst);
  Wire other;
  other.request(kDown, kIo, Active).request(kUp, kMem, Active).status(kDown, kMem, Active);
  other.request(kDown, kMem, Active).status(kUp, kMem, Active).init().expect_clean();
  Wire damaged;
  damaged.damaged(kDown, kMem, Active).request(kUp, kMem, Active).expect_clean();
  // Each link session begins so, with a Recovery before the first flit too.
  Wire again, early, recovered;
  again.up().init().checker.on_down(again.time += 2125);
  again.request(kUp, kMem, Active).expect(Rule::DeviceSpokeFirst);
  early.recovery().status(kUp, kMem, Reset).expect(Rule::DeviceSpokeFirst);
  recovered.recovery().both_status(kIo, Reset, Reset).both_status(kMem, Reset, Reset);
  recovered.up().init().expect_clean();
}

// A cold start has no Status but the answers to the two Requests.
TEST(AlmpConversation, NoStatusUnasked) {
  for (const LinkState state : {Reset, Active, L1_0, L2, Retrain}) {
    for (const Direction d : {kDown, kUp}) {
      Wire cold;
      cold.request(kDown, kIo, Active).status(d, kMem, state).expect(Rule::UnaskedStatus);
      Wire up;
      up.up().status(d, kMem, state).expect(Rule::UnaskedStatus);
    }
  }
}

// One direction does not open alone: the end that was told Active has to tell Active first.
TEST(AlmpConversation, FlitsOnlyWhenBothDirectionsAreActive) {
  Wire host_early;
  host_early.request(kDown, kMem, Active).status(kUp, kMem, Active).request(kUp, kMem, Active);
  host_early.send(kDown, RetryIdle{}).expect(Rule::TrafficBeforeActive);
  Wire device_early;
  device_early.request(kDown, kMem, Active).request(kUp, kMem, Active);
  device_early.status(kDown, kMem, Active).send(kUp, RetryIdle{}).expect(Rule::TrafficBeforeActive);
  Wire both;
  both.handshake(kMem).send(kDown, RetryIdle{}).send(kUp, RetryIdle{}).expect_clean();
  Wire waking;  // the same out of L1
  waking.up().init().request(kUp, kMem, L1_0).status(kDown, kMem, L1_0);
  waking.request(kDown, kMem, Active).status(kUp, kMem, Active).send(kDown, Llcrd{1, 0, 0, 0});
  waking.expect(Rule::TrafficBeforeActive);
}

TEST(AlmpConversation, WithoutAlmpsOnlyIfAllowed) {
  Wire bare(false);
  bare.init().expect_clean();
  Wire strict;
  strict.send(kDown, RetryIdle{}).expect(Rule::TrafficBeforeActive);
  Wire io;
  Flit flit;
  flit.set_protocol_id(ProtocolId::Io);
  io.handshake(kMem).init().expect_clean();
  io.send(kDown, flit).expect(Rule::TrafficBeforeActive);
}

TEST(AlmpConversation, RecoveryForcesARetry) {
  Wire wire;
  wire.up().init().recovery();
  wire.both_status(kIo, Active, Active).both_status(kMem, Active, Active);
  EXPECT_TRUE(wire.checker.discarding(kDown));
  EXPECT_TRUE(wire.checker.discarding(kUp));
  wire.send(kDown, encode_control(Llcrd{1, 0, 0, 0}));  // left over; the receiver requests again
  wire.retry(1).send(kUp, Llcrd{1, 0, 0xD, 0xD});
  wire.expect_clean();
  EXPECT_EQ(wire.checker.recoveries(), 1u);
  EXPECT_FALSE(wire.checker.discarding(kDown));
}

TEST(AlmpConversation, DamageDuringBringUp) {
  // The upstream port's Status is damaged: nobody is Active, all starts again.
  Wire first;
  first.request(kDown, kMem, Active).damaged(kUp, kMem, Active);
  first.request(kUp, kMem, Active);  // the receiver is deaf by now
  first.recovery().both_status(kIo, Reset, Reset).both_status(kMem, Reset, Reset);
  first.handshake(kMem).init().expect_clean();
  EXPECT_EQ(first.checker.stats(kUp).almp_errors, 1u);
  // The last Status is damaged: the downstream port is Active and takes the other along.
  Wire last;
  last.request(kDown, kMem, Active).status(kUp, kMem, Active);
  last.request(kUp, kMem, Active).damaged(kDown, kMem, Active).send(kDown, RetryIdle{});
  last.recovery().both_status(kIo, Reset, Reset).both_status(kMem, Active, Reset);
  last.retry(0).init().expect_clean();
  // Its snapshot is damaged again.
  Wire again;
  again.request(kDown, kMem, Active).status(kUp, kMem, Active);
  again.request(kUp, kMem, Active).damaged(kDown, kMem, Active);
  again.recovery().both_status(kIo, Reset, Reset).status(kUp, kMem, Reset);
  again.damaged(kDown, kMem, Active).send(kDown, RetryIdle{});
  again.recovery().both_status(kIo, Reset, Reset).both_status(kMem, Active, Reset);
  again.retry(0).init().expect_clean();
}

// A part pulled out owes nothing; what comes after it must bring the link up again.
TEST(AlmpConversation, LinkDownEndsEverything) {
  Wire wire;
  wire.up().init().send(kDown, Llcrd{1, 0, 0, 0});
  Wire silent = wire;
  wire.checker.on_down(wire.time += 2125);
  wire.up().init().send(kUp, Llcrd{1, 0, 0, 0}).expect_clean();
  silent.checker.on_down(silent.time += 2125);
  silent.send(kDown, Llcrd{1, 0, 0, 0}).expect(Rule::TrafficBeforeActive);
}

TEST(AlmpConversation, FlitWithAnIdThatCannotBeTold) {
  Wire wire;
  Flit lost = encode_control(RetryIdle{});
  lost.bytes[0] = 0x54;
  lost.bytes[1] = 0x51;
  wire.up().init().send(kUp, lost).send(kUp, Llcrd{1, 0, 0, 0}).recovery();
  wire.both_status(kIo, Active, Active).both_status(kMem, Active, Active).retry(1);
  wire.send(kUp, Llcrd{1, 0, 0, 0}).expect_clean();
}

TEST(AlmpConversation, LowPowerAndBack) {
  Wire wire;
  wire.up().init();
  wire.request(kUp, kMem, Dapm).status(kDown, kMem, L1_2);
  wire.request(kUp, kIo, L1_0).status(kDown, kIo, L1_0);
  wire.recovery().both_status(kIo, L1_0, L1_0).both_status(kMem, L1_2, L1_2);
  wire.request(kUp, kMem, Active).status(kDown, kMem, Active);
  wire.request(kDown, kMem, Active).status(kUp, kMem, Active).retry(1);
  wire.expect_clean();
  Wire lost;  // the Status that sends the device to sleep, and with it its host's after Recovery
  lost.up().init().request(kUp, kMem, L1_0).damaged(kDown, kMem, L1_0);
  lost.recovery().both_status(kIo, Active, Active).status(kDown, kMem, L1_0);
  lost.recovery().both_status(kIo, Active, Active).both_status(kMem, L1_0, Retrain);
  lost.expect_clean();
  Wire again;  // that is over with the next state that both know
  again.up().init().request(kUp, kMem, L1_0).damaged(kDown, kMem, L1_0);
  again.recovery().both_status(kMem, Active, Active).recovery().status(kDown, kMem, L1_0);
  again.expect(Rule::UnexpectedAlmp);
  Wire other;
  other.up().request(kUp, kMem, L1_0).status(kDown, kMem, L1_1).expect(Rule::UnaskedStatus);
  Wire host;
  host.up().request(kDown, kMem, L1_0).expect(Rule::UnexpectedAlmp);
  Wire asleep;
  asleep.up().request(kUp, kMem, L2).status(kDown, kMem, L2).send(kDown, RetryIdle{});
  asleep.expect(Rule::TrafficBeforeActive);
}

TEST(AlmpRules, Encoding) {
  Flit flit = encode_almp({kMem, false, Reset});
  for (unsigned copy = 0; copy < 4; ++copy) flit.bytes[2 + 4 * copy + 2] = 0x80;  // Request Reset
  Wire wire;
  wire.request(kDown, kIo, Active).send(kUp, flit).expect(Rule::AlmpEncoding);
  for (unsigned copy = 0; copy < 4; ++copy) flit.bytes[2 + 4 * copy + 3] = 3;
  Wire link;
  link.request(kDown, kIo, Active).send(kUp, flit).expect(Rule::AlmpEncoding);
}

TEST(AlmpRules, Unexpected) {
  Wire twice;
  twice.request(kDown, kMem, Active).request(kDown, kMem, Active);
  twice.expect(Rule::UnexpectedAlmp);
  Wire active;
  active.up().request(kDown, kMem, Active).expect(Rule::UnexpectedAlmp);
  Wire other_link;
  other_link.request(kDown, kIo, Active).status(kUp, kMem, Active);
  other_link.expect(Rule::UnaskedStatus);
  Wire answered;
  answered.request(kDown, kMem, Active).status(kUp, kMem, Active);
  answered.status(kUp, kMem, Active).expect(Rule::UnaskedStatus);
}

TEST(AlmpRules, AfterRecovery) {
  Wire request;
  request.up().recovery().request(kDown, kMem, Active).expect(Rule::UnexpectedAlmp);
  Wire twice;
  twice.up().recovery().status(kUp, kMem, Active).status(kUp, kMem, Active);
  twice.expect(Rule::UnexpectedAlmp);
  Wire forgot;
  forgot.up().recovery().status(kDown, kMem, Reset).expect(Rule::UnexpectedAlmp);
  Wire liar;
  liar.recovery().status(kDown, kMem, Active).expect(Rule::UnexpectedAlmp);
  Wire traffic;
  traffic.up().init().recovery().send(kDown, RetryIdle{}).expect(Rule::TrafficBeforeActive);
}

}  // namespace
}  // namespace cxlgpu::flits
