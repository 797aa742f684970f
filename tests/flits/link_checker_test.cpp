#include "flits/link_checker.hpp"

#include <gtest/gtest.h>

#include "tests/common/requirement.hpp"

namespace cxlgpu::flits {
namespace {

constexpr auto kDown = Direction::M2S;
constexpr auto kUp = Direction::S2M;
constexpr std::uint8_t kWrap = 40;

// A link driven flit by flit; helpers name what is sent, not how.
class Link {
 public:
  explicit Link(LinkCheckerOptions options = {}) : checker(options) {}

  Link& send(Direction d, const Flit& flit) {
    checker.on_flit(time += 2125, d, flit);
    return *this;
  }
  // What leaves its sender as `flit` and arrives so.
  Link& sent(Direction d, const Flit& flit) {
    checker.on_sent(time, d, flit);
    return send(d, flit);
  }
  Link& sent(Direction d, const Control& c) { return sent(d, encode_control(c)); }
  Link& sent_framed(Direction d, const Control& c, unsigned frames = 5) {
    for (unsigned i = 0; i < frames; ++i) sent(d, RetryFrame{});
    return sent(d, c);
  }
  // A flit with its CRC inverted, and the peer's request to send it again.
  Link& announced(Direction d, Flit flit, std::uint8_t eseq) {
    flit.bytes[66] ^= 0xFF;
    flit.bytes[67] ^= 0xFF;
    sent(d, flit);
    EXPECT_TRUE(checker.discarding(d));
    return sent_framed(opposite(d), RetryReq{eseq, 1, 0});
  }
  Link& send(Direction d, const Control& c) { return send(d, encode_control(c)); }
  Link& send(Direction d, const ProtocolFlit& f) { return send(d, encode(d, f)); }
  Link& damaged(Direction d, Flit flit) {
    flit.bytes[30] ^= 0x10;
    return send(d, flit);
  }
  Link& framed(Direction d, const Control& c, unsigned frames = 5) {
    for (unsigned i = 0; i < frames; ++i) send(d, RetryFrame{});
    return send(d, c);
  }

  Link& init() {
    send(kDown, RetryIdle{}).send(kUp, RetryIdle{});
    return send(kDown, InitParam{2, kWrap}).send(kUp, InitParam{2, kWrap});
  }
  Link& credits() {
    send(kUp, Llcrd{1, 0, 0xD, 0xD});  // 16 Req, 16 RwD
    return send(kDown, Llcrd{1, 0xD, 0, 0xD});
  }
  Link& up() { return init().credits(); }

  static ProtocolFlit request(M2sReq m) {
    ProtocolFlit f;
    f.header.format[0] = 5;
    f.slots[0].messages = {m};
    return f;
  }
  Link& read(std::uint16_t tag, std::uint64_t address) {
    return send(kDown, request(req(tag, address)));
  }
  static M2sReq req(std::uint16_t tag, std::uint64_t address) {
    M2sReq m;
    m.tag = tag;
    m.address = address;
    return m;
  }
  Link& write(std::uint16_t tag, std::uint64_t address, bool partial = false,
              std::optional<std::uint64_t> enables = {}) {
    M2sRwd m;
    m.tag = tag;
    m.address = address;
    m.opcode = partial ? M2sRwdOpcode::MemWrPtl : M2sRwdOpcode::MemWr;
    return write(m, enables);
  }
  Link& write(const M2sRwd& m, std::optional<std::uint64_t> enables = {}) {
    ProtocolFlit f;
    f.header.format[0] = 4;
    f.header.sz = true;
    f.header.be = enables.has_value();
    f.slots[0].messages = {m};
    send(kDown, f);
    ProtocolFlit rest;
    if (enables) rest.slots[2].is_data = true, rest.slots[2].raw = byte_enable_chunk(*enables);
    return send(kDown, rest);
  }
  Link& data(std::uint16_t tag, std::uint8_t ld_id = 0, bool half = false) {
    S2mDrs m;
    m.tag = tag;
    m.ld_id = ld_id;
    ProtocolFlit f;
    f.header.format[0] = 3;
    f.header.sz = !half;
    f.slots[0].messages = {m};
    send(kUp, f);
    return half ? *this : send(kUp, ProtocolFlit{});
  }
  Link& done(std::uint16_t tag) {
    S2mNdr m;
    m.tag = tag;
    return done(m);
  }
  Link& done(const S2mNdr& m) {
    ProtocolFlit f;
    f.header.format[0] = 4;
    f.slots[0].messages = {m};
    return send(kUp, f);
  }

  void expect_clean() const {
    for (const auto& f : checker.findings()) {
      ADD_FAILURE() << f.time_ps << ' ' << name(f.direction) << ' ' << name(f.rule) << ": "
                    << f.text;
    }
  }
  /// The only finding is this one.
  void expect(Rule rule) const {
    ASSERT_EQ(checker.finding_count(), 1u) << name(rule);
    EXPECT_EQ(name(checker.findings()[0].rule), name(rule));
    EXPECT_FALSE(checker.findings()[0].text.empty());
  }

  LinkChecker checker;
  std::uint64_t time = 0;
};

TEST(LinkChecker, LegalExchange) {
  Link link;
  std::vector<std::pair<std::uint64_t, Item>> seen;
  link.checker.set_listener([&](std::uint64_t t, Direction, const Item& i) {
    seen.push_back({t, i});
  });
  link.up().read(1, 0x1000).write(2, 0x2000).write(3, 0x3000, true, 0xFF).data(1).done(3).done(2);
  link.read(1, 0x1000).data(1);
  M2sReq spec = Link::req(0, 0x1000);
  spec.opcode = M2sReqOpcode::MemSpecRd;
  link.send(kDown, Link::request(spec)).send(kDown, Link::request(spec));
  EXPECT_EQ(link.checker.credits(MessageKind::M2sReq), 12);
  link.checker.finish();
  link.expect_clean();
  ASSERT_EQ(seen.size(), 10u);
  EXPECT_EQ(std::get<M2sReq>(seen[0].second.message).tag, 1);
  EXPECT_EQ(seen[0].first, 7u * 2125);
  EXPECT_EQ(seen[2].second.byte_enables, 0xFFu);
  const auto& down = link.checker.stats(kDown);
  EXPECT_EQ(down.messages[index(MessageKind::M2sReq)], 4u);
  EXPECT_EQ(down.payload_bytes, 128u);
  EXPECT_EQ(link.checker.stats(kUp).payload_bytes, 128u);
  EXPECT_EQ(down.control[Control(InitParam{}).index()], 1u);
  EXPECT_EQ(down.protocol, 8u);
}

// The flits around an error: shadow, framed request, framed acknowledgement, replay.
TEST(LinkChecker, RetryReplays) {
  Link link;
  link.up();
  const Flit first = encode(kDown, Link::request(Link::req(1, 0x40)));
  const Flit second = encode(kDown, Link::request(Link::req(2, 0x80)));
  link.damaged(kDown, first).send(kDown, second);
  EXPECT_TRUE(link.checker.discarding(kDown));
  EXPECT_FALSE(link.checker.discarding(kUp));
  link.framed(kUp, RetryReq{2, 1, 0});
  link.send(kDown, RetryIdle{}).framed(kDown, RetryAck{false, false, 1, 0, 2, 0, 0});
  link.send(kDown, first).send(kDown, second).data(2).data(1);
  link.checker.finish();
  link.expect_clean();
  const auto& stats = link.checker.stats(kDown);
  EXPECT_EQ(stats.crc_errors, 1u);
  EXPECT_EQ(stats.discarded, 1u);
  EXPECT_EQ(stats.retries, 1u);
  EXPECT_EQ(stats.messages[index(MessageKind::M2sReq)], 2u);
}

// The replay may begin with an all-data flit: what is owed outlives the error.
TEST(LinkChecker, RetryInsideAWrite) {
  Link link;
  link.up();
  M2sRwd m;
  ProtocolFlit f;
  f.header.format[3] = 5;
  f.header.sz = true;
  f.slots[3].messages = {m};
  AllDataFlit adf;
  for (auto& c : adf.chunks) c.fill(0x5A);
  link.send(kDown, f).damaged(kDown, encode(adf));
  EXPECT_EQ(link.checker.owed(kDown), 4u);
  link.framed(kUp, RetryReq{3, 1, 0});
  link.framed(kDown, RetryAck{false, false, 1, 0, 3, 0, 0}).send(kDown, encode(adf)).done(0);
  link.checker.finish();
  link.expect_clean();
}

TEST(LinkChecker, DamagedRetrySequencesAreRepeated) {
  Link link;
  link.up().damaged(kDown, encode(kDown, ProtocolFlit{}));
  // The request is damaged on its way: both directions now retry.
  for (int i = 0; i < 5; ++i) link.send(kUp, RetryFrame{});
  link.damaged(kUp, encode_control(RetryReq{2, 1, 0}));
  link.framed(kDown, RetryReq{2, 1, 0});
  link.framed(kUp, RetryAck{false, false, 1, 0, 2, 0, 0});
  link.framed(kUp, RetryReq{2, 2, 0});
  link.framed(kDown, RetryAck{false, false, 2, 0, 2, 0, 0});
  link.read(1, 0).data(1);
  link.checker.finish();
  link.expect_clean();
}

TEST(LinkChecker, StaleAckIsPassedOver) {
  Link link;
  link.up().damaged(kDown, encode(kDown, ProtocolFlit{}));
  link.framed(kUp, RetryReq{2, 1, 0}).framed(kUp, RetryReq{2, 2, 0});
  link.framed(kDown, RetryAck{false, false, 1, 0, 2, 0, 0}).read(1, 0);  // still in the shadow
  link.framed(kDown, RetryAck{false, false, 2, 0, 2, 0, 0}).read(1, 0).data(1);
  link.checker.finish();
  link.expect_clean();
}

TEST(LinkChecker, ForcedRetryAndLinkUp) {
  Link link;
  link.up();
  link.checker.force_retry(kDown);
  link.read(1, 0);  // discarded
  link.framed(kUp, RetryReq{2, 1, 0}).framed(kDown, RetryAck{false, false, 1, 0, 2, 0, 0});
  link.read(1, 0);
  EXPECT_EQ(link.checker.outstanding(), 1u);
  link.checker.link_up();
  EXPECT_EQ(link.checker.outstanding(), 0u);
  link.up().read(1, 0).data(1);
  link.checker.finish();
  link.expect_clean();
}

TEST(LinkChecker, DamagedProtocolId) {
  Link link;
  link.up();
  Flit f = encode(kDown, ProtocolFlit{});
  f.bytes[0] = 0x54;
  link.send(kDown, f);
  EXPECT_EQ(link.checker.stats(kDown).id_corrected, 1u);
  EXPECT_EQ(link.checker.stats(kDown).retries, 0u);
  f.bytes[0] = 0xFF;
  link.send(kDown, f);
  EXPECT_EQ(link.checker.stats(kDown).id_errors, 1u);
  EXPECT_EQ(link.checker.stats(kDown).retries, 1u);
  f.set_protocol_id(ProtocolId::Null);
  link.send(kDown, f);
  EXPECT_EQ(link.checker.stats(kDown).null, 1u);
  link.expect_clean();
}

// In the shadow of an error data may look like RETRY; only a full frame makes it count.
TEST(LinkChecker, LookalikesInTheShadow) {
  Link link;
  link.up().damaged(kDown, encode(kDown, ProtocolFlit{}));
  link.framed(kUp, RetryReq{2, 1, 0});
  link.framed(kDown, RetryAck{false, false, 1, 0, 2, 0, 0}, 4).read(1, 0);
  EXPECT_EQ(link.checker.outstanding(), 0u);
  link.expect_clean();
}

// Where the receiver knows that data is owed, a line may hold the very bytes of RETRY flits.
TEST(LinkChecker, LookalikesInOwedData) {
  Link link;
  link.up();
  M2sRwd m;
  ProtocolFlit f;
  f.header.format[3] = 5;
  f.header.sz = true;
  f.slots[3].messages = {m};
  link.send(kDown, f).send(kDown, RetryReq{0, 1, 0}).done(0);
  link.checker.finish();
  link.expect_clean();
  EXPECT_EQ(link.checker.stats(kDown).all_data, 1u);
}

// A port announces viral by a flit with an inverted CRC: for the receiver a damaged one like any
// other, and from then on each RETRY.Ack says Viral. Both ends, under traffic.
TEST(LinkChecker, ViralAnnouncement) {
  Link link;
  link.up();
  const Flit request = encode(kDown, Link::request(Link::req(1, 0x40)));
  EXPECT_TRUE(request.crc_ok() && !request.crc_inverted());
  link.announced(kDown, request, 2);
  link.sent_framed(kDown, RetryAck{false, true, 1, 0, 2, 0, 0}).sent(kDown, request);
  link.data(1);
  // The other end, with nothing to say.
  link.announced(kUp, encode_control(Llcrd{1, 0, 0, 0}), 4);
  link.sent_framed(kUp, RetryAck{false, true, 1, 0, 4, 0, 0}).sent(kUp, Llcrd{1, 0, 0, 0});
  // A bit error is none, and the next Ack still says it.
  Flit hit = encode(kDown, Link::request(Link::req(2, 0x80)));
  link.checker.on_sent(link.time, kDown, hit);
  link.damaged(kDown, hit).sent_framed(kUp, RetryReq{3, 1, 0});
  link.sent_framed(kDown, RetryAck{false, true, 1, 0, 3, 0, 0}).sent(kDown, hit).data(2);
  link.checker.finish();
  link.expect_clean();
  EXPECT_EQ(link.checker.viral_announcements(kDown), 1u);
  EXPECT_EQ(link.checker.viral_announcements(kUp), 1u);
  EXPECT_EQ(link.checker.stats(kDown).crc_errors, 2u);
  EXPECT_EQ(link.checker.stats(kDown).retries, 2u);
  EXPECT_EQ(link.checker.stats(kUp).retries, 1u);
}

// Viral ends with the start of the link layer; an Ack counts after five Frames only.
TEST(LinkChecker, ViralEndsWithTheLink) {
  Link link;
  const auto retry = [&link](bool viral) {
    link.damaged(kDown, encode(kDown, ProtocolFlit{})).sent_framed(kUp, RetryReq{2, 1, 0});
    link.sent_framed(kDown, RetryAck{false, viral, 1, 0, 2, 0, 0});
  };
  link.up().announced(kDown, encode(kDown, ProtocolFlit{}), 2);
  link.sent_framed(kDown, RetryAck{false, true, 1, 0, 2, 0, 0});
  link.checker.link_up();
  link.up();
  retry(false);
  link.expect_clean();
  // Only four Frames: data, as far as one can tell.
  link.damaged(kDown, encode(kDown, ProtocolFlit{}));
  link.sent_framed(kDown, RetryAck{false, true, 1, 0, 2, 0, 0}, 4);
  link.expect_clean();
}

// ---- every rule, broken -------------------------------------------------------------------------

TEST(LinkRules, TimeOrder) {
  Link link;
  link.up();
  link.time = 0;
  link.send(kUp, ProtocolFlit{});
  link.expect(Rule::TimeOrder);
}

TEST(LinkRules, Encoding) {
  Link link;
  ProtocolFlit f;
  f.header.format[0] = 7;
  link.up().send(kUp, f).expect(Rule::Encoding);
  Link other;
  Flit odd = encode_control(RetryIdle{});
  odd.bytes[60] = 1;
  odd.set_crc();
  other.up().send(kUp, odd).expect(Rule::Encoding);
  Link ide;
  ide.up().send(kUp, IdeIdle{}).expect(Rule::Encoding);
}

TEST(LinkRules, NonRetryBeforeInit) {
  Link link;
  link.send(kDown, RetryIdle{}).send(kUp, RetryIdle{}).send(kUp, Llcrd{});
  link.expect(Rule::NonRetryBeforeInit);
}

TEST(LinkRules, SecondInitParam) {
  Link link;
  link.up().send(kUp, InitParam{2, kWrap}).expect(Rule::SecondInitParam);
}

TEST(LinkRules, InitParamField) {
  Link link;
  link.send(kDown, RetryIdle{}).send(kUp, InitParam{3, kWrap}).expect(Rule::InitParamField);
  for (const bool inclusive : {false, true}) {  // a buffer has at least 22 entries
    LinkCheckerOptions options;
    options.wrap_inclusive = inclusive;
    const auto least = static_cast<std::uint8_t>(inclusive ? 21 : 22);
    Link small(options), enough(options);
    small.send(kDown, RetryIdle{}).send(kUp, InitParam{2, static_cast<std::uint8_t>(least - 1)});
    small.expect(Rule::InitParamField);
    enough.send(kDown, RetryIdle{}).send(kUp, InitParam{2, least}).expect_clean();
  }
}

TEST(LinkRules, InitBeforeContact) {
  Link link;
  link.send(kUp, InitParam{2, kWrap}).expect(Rule::InitBeforeContact);
}

TEST(LinkRules, TrafficBeforeInitDone) {
  Link link;
  link.send(kDown, RetryIdle{}).send(kUp, InitParam{2, kWrap}).send(kUp, Llcrd{0, 0, 9, 9});
  link.expect(Rule::TrafficBeforeInitDone);
}

TEST(LinkRules, RetryFraming) {
  cxlgpu::test::shows("link", "RETRY.Req and RETRY.Ack come behind five RETRY.Frame",
                      "CXL 2.0, 4.2.8.5 (retry)");
  Link bare, short_frame, long_frame, no_end, idle_inside;
  bare.up().send(kUp, RetryReq{1, 1, 0}).expect(Rule::RetryFraming);
  short_frame.up().framed(kUp, RetryReq{1, 1, 0}, 4).expect(Rule::RetryFraming);
  no_end.up().send(kUp, RetryFrame{}).send(kUp, ProtocolFlit{}).expect(Rule::RetryFraming);
  idle_inside.up().send(kUp, RetryFrame{}).send(kUp, RetryIdle{}).expect(Rule::RetryFraming);
  long_frame.up().damaged(kDown, encode(kDown, ProtocolFlit{}));
  long_frame.framed(kUp, RetryReq{2, 1, 0}, 6).expect(Rule::RetryFraming);
}

TEST(LinkRules, UnexpectedRetryReq) {
  Link link;
  link.up().framed(kUp, RetryReq{2, 1, 0}).expect(Rule::UnexpectedRetryReq);
}

TEST(LinkRules, RetryReqSequence) {
  Link link;
  link.up().damaged(kDown, encode(kDown, ProtocolFlit{}));
  link.framed(kUp, RetryReq{3, 1, 0}).expect(Rule::RetryReqSequence);
}

// The wrap value read both ways: sequence numbers 0..wrap-1, or 0..wrap. A link whose ends read it
// one way breaks the rule of the other with the first retry behind a wrap.
TEST(LinkRules, SequenceWraps) {
  for (const bool inclusive : {false, true}) {
    for (const bool read_inclusive : {false, true}) {
      LinkCheckerOptions options;
      options.wrap_inclusive = read_inclusive;
      Link link(options);
      link.up();
      for (unsigned i = 0; i < kWrap - 2u; ++i) {
        link.send(kDown, ProtocolFlit{}).send(kUp, Llcrd{1, 0, 0, 0});
      }
      link.damaged(kDown, encode(kDown, ProtocolFlit{}));
      link.framed(kUp, RetryReq{static_cast<std::uint8_t>(inclusive ? kWrap : 0), 1, 0});
      if (inclusive == read_inclusive) {
        link.expect_clean();
      } else {
        link.expect(Rule::RetryReqSequence);
      }
    }
  }
}

TEST(LinkRules, RetryAcks) {
  Link quiet;
  quiet.up().framed(kUp, RetryAck{}).expect(Rule::UnexpectedRetryAck);
  Link mismatch;
  mismatch.up().damaged(kDown, encode(kDown, ProtocolFlit{})).framed(kUp, RetryReq{2, 1, 0});
  mismatch.framed(kDown, RetryAck{false, false, 3, 0, 2, 0, 0}).expect(Rule::RetryAckMismatch);
  Link echo;
  echo.up().damaged(kDown, encode(kDown, ProtocolFlit{})).framed(kUp, RetryReq{2, 1, 0});
  echo.framed(kDown, RetryAck{false, false, 1, 0, 7, 0, 0}).expect(Rule::RetryReqSequence);
}

TEST(LinkRules, CrcSent) {
  Flit flit = encode(kDown, ProtocolFlit{});
  for (const unsigned wrong : {0x0001u, 0x8000u, 0x00FFu, 0xFF00u, 0xFFFEu, 0x7FFFu}) {
    flit.set_crc();
    flit.bytes[66] ^= static_cast<std::uint8_t>(wrong);
    flit.bytes[67] ^= static_cast<std::uint8_t>(wrong >> 8);
    Link link;
    link.up().sent(kDown, flit).expect(Rule::CrcSent);
  }
  Link io;  // what carries no CRC of this kind has none
  flit.set_protocol_id(ProtocolId::Io);
  io.up().sent(kDown, flit).expect_clean();
}

TEST(LinkRules, ViralMismatch) {
  // Viral although nothing was announced.
  Link loud;
  loud.up().damaged(kDown, encode(kDown, ProtocolFlit{})).sent_framed(kUp, RetryReq{2, 1, 0});
  loud.sent_framed(kDown, RetryAck{false, true, 1, 0, 2, 0, 0}).expect(Rule::ViralMismatch);
  // The other end's announcement is no excuse.
  Link other;
  other.up().announced(kUp, encode(kUp, ProtocolFlit{}), 2);
  other.sent_framed(kUp, RetryAck{false, true, 1, 0, 2, 0, 0});
  other.damaged(kDown, encode(kDown, ProtocolFlit{})).sent_framed(kUp, RetryReq{2, 1, 0});
  other.expect_clean();
  other.sent_framed(kDown, RetryAck{false, true, 1, 0, 2, 0, 0}).expect(Rule::ViralMismatch);
  // Announced, but the Ack does not say so; nor does a later one.
  Link quiet;
  quiet.up().announced(kDown, encode(kDown, ProtocolFlit{}), 2);
  quiet.sent_framed(kDown, RetryAck{false, false, 1, 0, 2, 0, 0}).expect(Rule::ViralMismatch);
  Link later;
  later.up().announced(kDown, encode(kDown, ProtocolFlit{}), 2);
  later.sent_framed(kDown, RetryAck{false, true, 1, 0, 2, 0, 0});
  later.damaged(kDown, encode(kDown, ProtocolFlit{})).sent_framed(kUp, RetryReq{2, 1, 0});
  later.expect_clean();
  later.sent_framed(kDown, RetryAck{false, false, 1, 0, 2, 0, 0}).expect(Rule::ViralMismatch);
}

TEST(LinkRules, AckOveruse) {
  Link link;
  link.up().send(kUp, Llcrd{2, 0, 0, 0}).expect(Rule::AckOveruse);
  Link ak;
  ProtocolFlit f;
  f.header.ak = true;
  ak.up().send(kUp, f).expect(Rule::AckOveruse);
}

// A wrap value that is the last sequence number speaks of a buffer of one entry more.
TEST(LinkRules, RetryBufferOverrun) {
  for (const bool inclusive : {false, true}) {
    LinkCheckerOptions options;
    options.wrap_inclusive = inclusive;
    Link link(options);
    link.up();
    // INIT.Param is acknowledged; the LLCRD is not.
    const unsigned room = kWrap - 2u + (inclusive ? 1 : 0);
    for (unsigned i = 0; i < room; ++i) link.send(kDown, ProtocolFlit{});
    link.expect_clean();
    link.send(kDown, ProtocolFlit{}).expect(Rule::RetryBufferOverrun);
  }
}

TEST(LinkRules, CreditOveruse) {
  cxlgpu::test::shows("link", "Nobody sends without a credit", "CXL 2.0, 4.2.4 (credits)");
  Link link;
  link.init().read(1, 0).expect(Rule::CreditOveruse);
  Link writes;
  writes.init().write(1, 0).expect(Rule::CreditOveruse);
  Link responses;
  responses.init().send(kUp, Llcrd{0, 0, 0xD, 0xD}).read(1, 0).data(1);
  responses.expect(Rule::CreditOveruse);
  Link completions;
  completions.init().send(kUp, Llcrd{0, 0, 0xD, 0xD}).write(1, 0).done(1);
  completions.expect(Rule::CreditOveruse);
  // Two completions in one flit take two credits.
  Link pair;
  pair.init().send(kUp, Llcrd{0, 0, 0, 0xD}).send(kDown, Llcrd{0, 0x9, 0, 0});
  pair.write(1, 0).write(2, 64);
  ProtocolFlit both;
  both.header.format[0] = 4;
  S2mNdr first, second;
  first.tag = 1;
  second.tag = 2;
  both.slots[0].messages = {first, second};
  pair.send(kUp, both).expect(Rule::CreditOveruse);
  // Exactly what was granted is fine, one more is not.
  Link exact;
  exact.init().send(kUp, Llcrd{0, 0, 0xA, 0}).read(1, 0).read(2, 64).expect_clean();
  exact.read(3, 128).expect(Rule::CreditOveruse);
}

TEST(LinkRules, CreditsInADiscardedFlitDoNotCount) {
  Link link;
  link.init().damaged(kUp, encode_control(Llcrd{0, 0, 0xD, 0xD})).read(1, 0);
  link.expect(Rule::CreditOveruse);
}

TEST(LinkRules, CacheOnMemLink) {
  ProtocolFlit f;
  f.header.format[0] = 0;
  f.slots[0].messages = {H2dReq{}};
  Link link;
  link.up().send(kUp, Llcrd{0, 0, 1, 0}).send(kDown, f).expect(Rule::CacheOnMemLink);
  LinkCheckerOptions options;
  options.cache = true;
  Link allowed(options);
  allowed.up().send(kUp, Llcrd{0, 0, 1, 0}).send(kDown, f).expect_clean();
}

TEST(LinkRules, TagReuse) {
  cxlgpu::test::shows("order", "A tag is not used again before its answer", "CXL 2.0, CXL.mem");
  Link link;
  link.up().read(1, 0).read(1, 64).expect(Rule::TagReuse);
  Link across;
  across.up().read(1, 0).write(1, 64).expect(Rule::TagReuse);
}

TEST(LinkRules, LineConflict) {
  cxlgpu::test::shows("order", "No second access to a line goes out before the first is answered",
                      "docs/blocks.md, memory_queue");
  Link link;
  link.up().read(1, 0x40).read(2, 0x60).expect(Rule::LineConflict);
  Link write;
  write.up().write(1, 0x40).read(2, 0x40).expect(Rule::LineConflict);
}

TEST(LinkRules, UnknownTag) {
  Link link;
  link.up().read(1, 0).data(2).expect(Rule::UnknownTag);
  Link twice;
  twice.up().write(1, 0).done(1).done(1).expect(Rule::UnknownTag);
  Link spec;
  M2sReq m = Link::req(5, 0);
  m.opcode = M2sReqOpcode::MemSpecRd;
  spec.up().send(kDown, Link::request(m)).data(5).expect(Rule::UnknownTag);
}

TEST(LinkRules, WrongResponse) {
  Link read, write, state;
  read.up().read(1, 0).done(1).expect(Rule::WrongResponse);
  write.up().write(1, 0).data(1).expect(Rule::WrongResponse);
  S2mNdr m;
  m.tag = 1;
  m.opcode = S2mNdrOpcode::CmpE;
  state.up().write(1, 0).done(m).expect(Rule::WrongResponse);
}

TEST(LinkRules, HalvesCompleteTogether) {
  Link link;
  link.up().read(1, 0).data(1, 0, true);
  EXPECT_EQ(link.checker.outstanding(), 1u);
  link.data(1, 0, true);
  EXPECT_EQ(link.checker.outstanding(), 0u);
  link.expect_clean();
}

TEST(LinkRules, HalvesStayTogether) {
  Link other, half, whole, missing;
  other.up().read(1, 0).read(2, 0x40).data(1, 0, true).data(2).expect(Rule::Encoding);
  half.up().read(1, 0).read(2, 0x40).data(1, 0, true).data(2, 0, true).expect(Rule::Encoding);
  whole.up().read(1, 0).data(1, 0, true).data(1).expect(Rule::Encoding);
  missing.up().read(1, 0).data(1, 0, true).checker.finish();
  missing.expect(Rule::Unanswered);
  Link between;  // a completion is no line
  between.up().read(1, 0).write(2, 0x40).data(1, 0, true).done(2).data(1, 0, true);
  between.checker.finish();
  between.expect_clean();
}

// The tag and the line are free with the second half only; each half takes a credit.
TEST(LinkRules, HalfALineIsNoAnswer) {
  Link tag, line, credit;
  tag.up().read(1, 0).data(1, 0, true).read(1, 0x40).expect(Rule::TagReuse);
  line.up().read(1, 0).data(1, 0, true).read(2, 0x20).expect(Rule::LineConflict);
  credit.init().send(kUp, Llcrd{1, 0, 0xD, 0xD}).send(kDown, Llcrd{1, 0, 0, 0x9});
  credit.read(1, 0).data(1, 0, true).expect_clean();
  credit.data(1, 0, true).expect(Rule::CreditOveruse);
}

TEST(LinkRules, LdIdMismatch) {
  Link link;
  link.up().read(1, 0).data(1, 3).expect(Rule::LdIdMismatch);
}

TEST(LinkRules, ByteEnableMisuse) {
  Link full, none, all;
  full.up().write(1, 0, false, 0xF).expect(Rule::ByteEnableMisuse);
  none.up().write(1, 0, true).expect(Rule::ByteEnableMisuse);
  all.up().write(1, 0, true, ~std::uint64_t{0}).expect(Rule::ByteEnableMisuse);
}

TEST(LinkRules, FieldMisuse) {
  Link snoop, forward, meta, ndr;
  M2sReq m = Link::req(1, 0);
  m.snp_type = SnpType::SnpInv;
  snoop.up().send(kDown, Link::request(m)).expect(Rule::FieldMisuse);
  m = Link::req(1, 0);
  m.opcode = M2sReqOpcode::MemRdFwd;
  forward.up().send(kDown, Link::request(m)).expect(Rule::FieldMisuse);
  M2sRwd w;
  w.meta_field = MetaField::NoOp;
  meta.up().write(w).expect(Rule::FieldMisuse);
  S2mNdr n;
  n.tag = 1;
  n.meta_field = MetaField::Meta0State;
  ndr.up().write(1, 0).done(n).expect(Rule::FieldMisuse);
}

TEST(LinkRules, Unanswered) {
  cxlgpu::test::shows("order", "Every request is answered in the end", "CXL 2.0, CXL.mem");
  Link link;
  link.up().read(1, 0).checker.finish();
  link.expect(Rule::Unanswered);
}

TEST(LinkRules, FindingsAreCappedButCounted) {
  LinkCheckerOptions options;
  options.max_findings = 3;
  Link link(options);
  link.up();
  for (int i = 0; i < 10; ++i) link.done(9);
  EXPECT_EQ(link.checker.findings().size(), 3u);
  EXPECT_EQ(link.checker.finding_count(), 10u);
}

}  // namespace
}  // namespace cxlgpu::flits
