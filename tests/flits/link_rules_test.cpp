// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
// Each rule of the link checker, broken by hand.
#include "tests/flits/link_driver.hpp"

namespace cxlgpu::flits {
namespace {

using test::kDown;
using test::kUp;
using test::kWrap;
using test::Link;

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
  Link link;
  link.up().read(1, 0).read(1, 64).expect(Rule::TagReuse);
  Link across;
  across.up().read(1, 0).write(1, 64).expect(Rule::TagReuse);
}

TEST(LinkRules, LineConflict) {
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
