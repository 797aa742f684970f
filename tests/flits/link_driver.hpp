// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
// A link driven flit by flit, with its checker behind it; shared by the tests of the checker.
#pragma once

#include <gtest/gtest.h>

#include <optional>

#include "flits/link_checker.hpp"

namespace cxlgpu::flits::test {

constexpr auto kDown = Direction::M2S;
constexpr auto kUp = Direction::S2M;
constexpr std::uint8_t kWrap = 40;

// Helpers name what is sent, not how.
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

}  // namespace cxlgpu::flits::test
