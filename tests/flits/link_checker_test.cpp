// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
// What the checker makes of lawful links: retries, damage, viral.
#include "tests/flits/link_driver.hpp"

namespace cxlgpu::flits {
namespace {

using test::kDown;
using test::kUp;
using test::Link;

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

}  // namespace
}  // namespace cxlgpu::flits
