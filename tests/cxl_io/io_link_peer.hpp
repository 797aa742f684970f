// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
// The far end of one io_link in its lockstep test.
//
// Purpose: a right end (the model itself, with credits and depth of its own) behind two wires that
//          delay, lose and damage flits, and a forger who puts in flits that no right end sends.
// Units:   cycles.
// Errors:  none: it never complains.
// Source:  docs/blocks/cxl_io/README.md.
#pragma once

#include <deque>

#include "refmodel/cxl_io/io_link.hpp"
#include "tests/cxl_io/io_stream.hpp"
#include "tests/cxl_io/tlp_port.hpp"

namespace cxlgpu::test {

// A TLP that io_link may be given: not malformed, nothing after its end.
inline Tlp random_good_tlp(Random& random) {
  static constexpr unsigned kTypes[] = {0b00000, 0b00000, 0b00100, 0b00101,
                                        0b01010, 0b01011, 0b10100, 0b00001};
  Tlp tlp = random_bytes(random);
  const auto type =
      random.percent(80) ? random.pick(kTypes) : static_cast<unsigned>(random.bits(5));
  tlp[0] = static_cast<std::uint8_t>((tlp[0] & 0x60) | type);
  tlp[2] &= 0x7f;
  if (has_data(tlp)) {
    tlp[2] &= 0xfc;
    tlp[3] = random.percent(60) ? 1 : 2;
  }
  return cut_to_length(tlp);
}

// How rough the next stretch of a run is, in percent of the cycles or flits.
struct Roughness {
  unsigned lost = 0, damaged = 0;
  unsigned forged = 0;                       // cycles in which the forger acts
  unsigned own_takes = 100, own_tlps = 100;  // the end under test: tx ready, TLPs offered
  unsigned own_reads = 100;                  // TLPs taken from it
  unsigned peer_takes = 100, peer_tlps = 100, peer_reads = 100;
  unsigned malformed = 0;  // of the peer's TLPs
  bool flood = false;      // the forger sends one TLP after the other, credit or not
  Roughness() = default;   // none
  explicit Roughness(Random& random) {
    const auto rate = [&random] { return 1 + static_cast<unsigned>(random.below(100)); };
    for (unsigned* p : {&own_takes, &own_tlps, &own_reads, &peer_takes, &peer_tlps, &peer_reads}) {
      *p = random.percent(40) ? 100 : rate();
    }
    if (random.percent(40)) lost = static_cast<unsigned>(random.below(15));
    if (random.percent(40)) damaged = static_cast<unsigned>(random.below(15));
    if (random.percent(20)) lost = random.percent(50) ? 96 : 100;  // failed replays
    if (random.percent(10)) {
      flood = true;
      forged = 30;
      own_reads = 2;
    }
    if (random.percent(25)) forged = 1 + static_cast<unsigned>(random.below(20));
    if (random.percent(30)) malformed = 5;
  }
};

class IoWire {
 public:
  explicit IoWire(unsigned delay) : delay_(delay) {}
  void send(IoFlit flit, std::uint64_t cycle, const Roughness& rough, Random& random) {
    if (random.percent(rough.lost)) return;
    if (random.percent(rough.damaged)) {
      for (std::uint64_t n = 1 + random.below(3); n > 0; --n) {
        const std::uint64_t bit = random.below(random.percent(30) ? 16 : 32 * 8);
        flit[bit / 8] ^= static_cast<std::uint8_t>(1u << (bit % 8));
      }
    }
    flits_.push_back({cycle + delay_, flit});
  }
  std::optional<IoFlit> receive(std::uint64_t cycle) {
    if (flits_.empty() || flits_.front().due > cycle) return std::nullopt;
    const IoFlit flit = flits_.front().flit;
    flits_.pop_front();
    return flit;
  }

 private:
  struct Entry {
    std::uint64_t due;
    IoFlit flit;
  };
  std::deque<Entry> flits_;
  unsigned delay_;
};

// Near what the receiver expects, mostly.
inline unsigned near_sequence(Random& random, unsigned expected) {
  if (random.percent(30)) return expected;
  if (random.percent(20)) return static_cast<unsigned>(random.bits(12));
  if (random.percent(5)) return (expected + 2047 + static_cast<unsigned>(random.below(3))) % 4096;
  return (expected + 4096 - 4 + static_cast<unsigned>(random.below(8))) % 4096;
}

// A flit with right check sums and a wrong content, or with one wrong field of the token.
inline IoFlit forge(Random& random, const IoLink& receiver, bool flood) {
  if (flood) {
    return make_flit(
        SequencedTlp{.sequence = receiver.next_received(), .tlp = random_good_tlp(random)});
  }
  const auto byte = [&random] { return static_cast<std::uint8_t>(random.bits(8)); };
  switch (random.below(7)) {
    case 0:  // any DLLP
      return make_dllp_flit({byte(), byte(), byte(), byte()});
    case 1:
      return make_flit(
          AckNak{random.percent(50), near_sequence(random, receiver.last_acknowledged() + 2)});
    case 2: {  // flow control, with noise where nothing is looked at
      const std::uint8_t type = byte() & 0xf0;
      return make_dllp_flit({type, byte(), byte(), byte()});
    }
    case 3: {  // Ack, Nak with noise
      const auto type = static_cast<std::uint8_t>(random.percent(50) ? 0x10 : 0);
      const unsigned number = near_sequence(random, receiver.last_acknowledged() + 2);
      return make_dllp_flit({type, byte(), static_cast<std::uint8_t>((byte() & 0xf0) | number >> 8),
                             static_cast<std::uint8_t>(number)});
    }
    case 4: {  // a header that does not go with the length of the packet, perhaps
      const unsigned dws = 3 + static_cast<unsigned>(random.below(3));
      Tlp tlp = random_bytes(random);
      for (std::size_t i = 4 * dws; i < tlp.size(); ++i) tlp[i] = 0;
      return make_tlp_flit(
          {.sequence = near_sequence(random, receiver.next_received()), .tlp = tlp}, dws);
    }
    case 5: {  // a token of another length, or with something after the packet
      IoFlit flit =
          make_flit(SequencedTlp{.sequence = near_sequence(random, receiver.next_received()),
                                 .tlp = random_good_tlp(random)});
      if (random.percent(50)) flit[random.below(4)] = byte();
      for (std::size_t i = 32; i < flit.size(); ++i) flit[i] = byte();
      return flit;
    }
    default: {  // a good TLP that no credit covers
      const SequencedTlp tlp{.sequence = near_sequence(random, receiver.next_received()),
                             .tlp = random_good_tlp(random)};
      return make_flit(tlp);
    }
  }
}

// Packets of any length with right or wrong check sums, one behind the other, that no end of this
// design sends.
inline std::deque<IoFlit> forge_stream(Random& random, const IoLink& receiver) {
  using Lcrc = IoStream::Lcrc;
  IoStream stream;
  unsigned sequence = receiver.next_received();
  for (std::uint64_t n = 1 + random.below(3); n > 0; --n) {
    if (random.percent(40)) stream.idle(static_cast<unsigned>(random.below(18)));
    static constexpr unsigned kEdges[] = {1, 2, 3, 4, 5, 8, 9, 31, 32, 33, 40, 64};
    const unsigned data =
        random.percent(60) ? random.pick(kEdges) : 1 + static_cast<unsigned>(random.below(32));
    Dws tlp = random.percent(50) ? memory_write(static_cast<std::uint32_t>(random.bits(32)), data)
                                 : message_with_data(0x7e, 0x1e98, 0x68, data);
    if (random.percent(20)) {  // ECRC
      tlp[0] |= 0x8000'00;
      tlp.push_back(static_cast<std::uint32_t>(random.bits(32)));
    }
    if (random.percent(10)) tlp[0] ^= 1u << random.below(32);
    if (random.percent(5)) tlp.pop_back();
    const Lcrc kind = random.percent(70)   ? Lcrc::kRight
                      : random.percent(50) ? Lcrc::kWrong
                                           : Lcrc::kInverted;
    const unsigned wrong_token = random.percent(5) ? static_cast<unsigned>(random.below(70)) : 0;
    stream.tlp(random.percent(90) ? sequence : near_sequence(random, sequence), tlp, kind,
               wrong_token);
    if (kind == Lcrc::kRight) sequence = (sequence + 1) % 4096;
    if (random.percent(kind == Lcrc::kInverted ? 70 : 5)) stream.edb();
    if (random.percent(10)) stream.dw(static_cast<std::uint32_t>(random.bits(32)));
  }
  return stream.flits();
}

class IoPeer {
 public:
  // Near and quick, so that sequence numbers go round.
  IoPeer() : link_({.cpl_room = 40, .replay_depth = 16}), to_own_(1), to_peer_(1) {}
  explicit IoPeer(Random& random)
      : link_(random_parameters(random)),
        to_own_(1 + static_cast<unsigned>(random.below(30))),
        to_peer_(1 + static_cast<unsigned>(random.below(30))) {}

  // What the end under test receives in this cycle.
  std::optional<IoFlit> receive(std::uint64_t cycle, const Roughness& rough, const IoLink& own,
                                Random& random) {
    if (!stream_.empty() && random.percent(90)) {
      const IoFlit flit = stream_.front();
      stream_.pop_front();
      return flit;
    }
    if (random.percent(rough.forged)) {
      if (rough.flood || random.percent(60)) return forge(random, own, rough.flood);
      stream_ = forge_stream(random, own);
    }
    return to_own_.receive(cycle);
  }
  void send(const IoFlit& flit, std::uint64_t cycle, const Roughness& rough, Random& random) {
    to_peer_.send(flit, cycle, rough, random);
  }
  void step(bool link_up, std::uint64_t cycle, const Roughness& rough, Random& random) {
    IoLink::In in{.link_up = link_up, .io_tx_ready = random.percent(rough.peer_takes)};
    in.io_rx = to_peer_.receive(cycle);
    in.tlp_rx_ready = random.percent(rough.peer_reads);
    if (random.percent(rough.peer_tlps)) {
      in.tlp_tx = random_good_tlp(random);
      if (random.percent(rough.malformed)) (*in.tlp_tx)[random.percent(50) ? 0 : 2] ^= 0x80;
    }
    const IoLink::Out out = link_.eval(in);
    if (out.io_tx && in.io_tx_ready) to_own_.send(*out.io_tx, cycle, rough, random);
    link_.clock(in);
  }

 private:
  static IoLink::Parameters random_parameters(Random& random) {
    const auto below = [&random](unsigned n) { return static_cast<unsigned>(random.below(n)); };
    IoLink::Parameters p;
    p.p_hdr = below(6);  // 0: no limit
    p.p_data = random.percent(20) ? 0 : p.p_hdr + below(4);
    p.np_hdr = random.percent(70) ? 1 + below(5) : 0;
    p.np_data = random.percent(20) ? 0 : p.np_hdr + below(4);
    p.cpl_room = 40;
    p.replay_depth = 1u << below(5);
    p.replay_timeout = 80 + below(100);
    p.fc_refresh = 30 + below(200);
    return p;
  }

  IoLink link_;
  IoWire to_own_, to_peer_;
  std::deque<IoFlit> stream_;  // forged, still to come
};

}  // namespace cxlgpu::test
