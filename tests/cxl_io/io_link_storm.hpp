// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
// Everything that one io_link can receive, at any time, and what of it met.
//
// Purpose: IoStorm drives one end without a peer behind it: each packet is made for the state that
//          the end is in when it will act, so that every two events meet in every state. IoMeets
//          counts them (tests/coverage/pairs_io.hpp).
// Units:   cycles. A flit that arrives in cycle n acts in n+2.
// Errors:  none: the lockstep compares.
// Source:  docs/blocks/cxl_io/io_link.md; PCI Express Base 5.0, 2.6, 3.
#pragma once

#include "tests/coverage/pair_bins.hpp"
#include "tests/coverage/pairs_io.hpp"
#include "tests/cxl_io/io_link_peer.hpp"

namespace cxlgpu::test {

class IoMeets {
 public:
  // Before the edge; `was_up`: link_up of the cycle before.
  void look(const IoLink& twin, const IoLink::Parameters& p, const IoLink::In& in,
            const IoLink::Out& out, bool was_up) {
    const IoLink::Moment m = twin.moment(in);
    if (!m.live || !(in.link_up || was_up)) return;
    using coverage::IoArrives;
    const IoArrives arrives = kind(m, twin);
    if (in.link_up) {
      crossings_.hit({static_cast<unsigned>(choice(m)), static_cast<unsigned>(arrives),
                      static_cast<unsigned>(replay(m, p))});
    }
    const auto sent = [&m](IoLink::Choice c) { return !m.stalled && m.choice == c; };
    const auto* dllp = std::get_if<AckNak>(&m.arrives);
    const unsigned good = dllp == nullptr ? 0 : (dllp->sequence - twin.last_acknowledged()) % 4096;
    const bool right = dllp != nullptr && good <= m.outstanding;
    replays_.look(
        held(m, p),
        {in.tlp_tx && out.tlp_tx_ready, sent(IoLink::Choice::kNew), sent(IoLink::Choice::kReplay),
         right && good > 0 && good < m.outstanding, right && good > 0 && good == m.outstanding,
         arrives == IoArrives::NakReplays, m.timeout_due, !in.link_up});
    const auto* tlp = std::get_if<SequencedTlp>(&m.arrives);
    const bool in_order = arrives == IoArrives::InOrder;
    const auto leaves = [&](FcClass fc) {
      return in.tlp_rx_ready && out.tlp_rx && class_of(*out.tlp_rx) == fc;
    };
    queue_.look(level(m, p),
                {in_order && !tlp->malformed, in_order && tlp->malformed, leaves(FcClass::kPosted),
                 leaves(FcClass::kNonPosted), leaves(FcClass::kCompletion),
                 sent(IoLink::Choice::kUpdatePosted), sent(IoLink::Choice::kUpdateNonPosted),
                 sent(IoLink::Choice::kAck), sent(IoLink::Choice::kNak), m.refresh, !in.link_up});
  }

 private:
  static coverage::IoArrives kind(const IoLink::Moment& m, const IoLink& twin) {
    using enum coverage::IoArrives;
    if (const auto* dllp = std::get_if<AckNak>(&m.arrives)) {
      const unsigned good = (dllp->sequence - twin.last_acknowledged()) % 4096;
      if (good > m.outstanding) return OutOfRange;
      if (dllp->nak) return good < m.outstanding ? NakReplays : NakAll;
      return good > 0 ? AckSome : AckNothing;
    }
    if (const auto* fc = std::get_if<FlowControl>(&m.arrives)) {
      return fc->kind == FcKind::kUpdate ? UpdateFc : InitFc;
    }
    if (const auto* tlp = std::get_if<SequencedTlp>(&m.arrives)) {
      const unsigned behind = (twin.next_received() - tlp->sequence) % 4096;
      if (behind == 0) return InOrder;
      return behind <= 2048 ? Duplicate : DamagedTlp;
    }
    if (std::holds_alternative<cxlgpu::DamagedTlp>(m.arrives)) return DamagedTlp;
    return std::holds_alternative<cxlgpu::DamagedDllp>(m.arrives) ? DamagedDllp : Nothing;
  }
  static coverage::IoChoice choice(const IoLink::Moment& m) {
    if (m.stalled) return coverage::IoChoice::Stalled;
    return static_cast<coverage::IoChoice>(static_cast<unsigned>(m.choice) + 1);
  }
  static coverage::IoReplay replay(const IoLink::Moment& m, const IoLink::Parameters& p) {
    using enum coverage::IoReplay;
    if (m.outstanding == 0) return None;
    const bool full = m.outstanding == p.replay_depth;
    if (m.replaying) return full ? AgainFull : Again;
    return full ? Full : Some;
  }
  static coverage::IoHeld held(const IoLink::Moment& m, const IoLink::Parameters& p) {
    using enum coverage::IoHeld;
    if (m.outstanding == 0) return None;
    if (m.outstanding == p.replay_depth) return Full;
    return m.outstanding + 1 == p.replay_depth ? OneFree : Some;
  }
  static coverage::IoQueueLevel level(const IoLink::Moment& m, const IoLink::Parameters& p) {
    using enum coverage::IoQueueLevel;
    const unsigned room = p.p_hdr + p.np_hdr + p.cpl_room;
    if (m.queued == 0) return Empty;
    if (m.queued == room) return Full;
    if (m.queued + 1 == room) return OneFree;
    return m.queued == 1 ? One : Some;
  }

  TestCoverage crossings_{coverage::io_link_crossings()};
  PairBins replays_{coverage::io_replay_pairs()}, queue_{coverage::io_receive_pairs()};
};

class IoStorm {
 public:
  IoStorm(const IoLink::Parameters& p, Random& random) : p_(p), random_(random) {}

  void drive(std::uint64_t cycle, const IoLink& twin, IoLink::In& in) {
    if (cycle >= change_) change(cycle);
    const IoLink::Moment m = twin.moment(in);
    in.io_tx_ready = random_.percent(m.refresh ? 90 : takes_);
    in.tlp_rx_ready = random_.percent(m.replaying ? 60 : reads_);
    // What is rare by itself is aimed at.
    const unsigned room = p_.p_hdr + p_.np_hdr + p_.cpl_room;
    const bool rare = m.timeout_due || m.refresh || (m.queued + 1 >= room && random_.percent(30));
    const bool runs = m.outstanding > 0 && !m.replaying;
    const bool near = runs && twin.silent_for() + 2 >= p_.replay_timeout;
    const bool due = runs && twin.silent_for() + 3 == p_.replay_timeout;
    if (!in.tlp_tx && random_.percent(near ? 60 : tlps_)) in.tlp_tx = random_good_tlp(random_);
    if (down_ > 0) {
      --down_;
    } else if (random_.below(1000) < (m.timeout_due ? 150 : rare ? 50 : falls_)) {
      down_ = 1 + random_.below(4);
    }
    in.link_up = down_ == 0;
    in.io_rx.reset();
    on_way_ = on_way_ << 1 & 3;
    if (random_.percent(due ? 60 : up_ ? arrives_ : 80)) in.io_rx = packet(twin, m, due);
  }
  void after(const IoLink::In& in, const IoLink::Out& out) {
    up_ = out.dl_up && in.link_up;
    taken_ = in.tlp_tx && out.tlp_tx_ready;
  }
  void edge_done(IoLink::In& in) const {
    if (taken_) in.tlp_tx.reset();
  }

 private:
  void change(std::uint64_t cycle) {
    const auto rate = [this] { return random_.pick(std::array{100u, 100u, 60u, 20u, 3u, 1u}); };
    change_ = cycle + 50 + random_.below(400);
    takes_ = rate();
    reads_ = rate();
    tlps_ = rate();
    arrives_ = rate();
    falls_ = random_.pick(std::array{0u, 5u, 20u});
    credits_ = random_.percent(70);
    flood_ = random_.percent(30);
  }
  unsigned below(unsigned n) { return n == 0 ? 0 : static_cast<unsigned>(random_.below(n)); }
  IoFlit packet(const IoLink& twin, const IoLink::Moment& m, bool due) {
    // Those in order that do not act yet count.
    const unsigned acked = twin.last_acknowledged();
    const unsigned expected = twin.next_received() + (on_way_ & 1) + (on_way_ >> 1);
    if (!up_ && random_.percent(70)) return flow_control(true);
    if (m.outstanding == p_.replay_depth && random_.percent(10)) return ack(true, acked);
    if (flood_ && !due && random_.percent(50)) return in_order(expected, any_tlp());
    switch (due ? below(4) : below(14)) {
      case 0:
        return ack(false, acked + 1 + below(m.outstanding));
      case 1:
        return ack(true, acked + below(m.outstanding + 1));
      case 2:
        return ack(random_.percent(50), acked + m.outstanding);
      case 3:
        return ack(false, acked);
      case 4:
        return ack(random_.percent(50), acked + m.outstanding + 1 + below(3000));
      case 5:
        return flow_control(true);
      case 6:
        return flow_control(false);
      case 7:
        return tlp(expected - 1 - below(4), any_tlp());
      case 8:
        return tlp(expected + 1 + below(2047), any_tlp());
      case 9: {
        IoFlit flit = tlp(expected, any_tlp());
        flit[8 + below(4)] ^= 0x10;
        return flit;
      }
      case 10: {
        IoFlit flit = flow_control(false);
        flit[5] ^= 0x10;
        return flit;
      }
      case 11: {
        Tlp digest = any_tlp();
        digest[2] ^= 0x80;
        return in_order(expected, digest);
      }
      default:
        return in_order(expected, any_tlp());
    }
  }
  // As many of each class.
  Tlp any_tlp() {
    Tlp tlp = random_good_tlp(random_);
    const unsigned type = random_.pick(std::array{0x40u, 0x40u, 0x4au, 0x4au, 0u, 0u, 0u});
    if (type != 0) {
      tlp[0] = static_cast<std::uint8_t>(type);
      tlp[2] = 0;
      tlp[3] = 1;
    }
    return cut_to_length(tlp);
  }
  IoFlit in_order(unsigned expected, const Tlp& with) {
    on_way_ |= 1;
    return tlp(expected, with);
  }
  static IoFlit ack(bool nak, unsigned sequence) { return make_flit(AckNak{nak, sequence % 4096}); }
  static IoFlit tlp(unsigned sequence, const Tlp& tlp) {
    return make_flit(SequencedTlp{.sequence = sequence % 4096, .tlp = tlp});
  }
  IoFlit flow_control(bool init) {
    const auto fc = static_cast<FcClass>(below(3));
    const FcKind kind = !init                 ? FcKind::kUpdate
                        : random_.percent(50) ? FcKind::kInit1
                                              : FcKind::kInit2;
    const bool free = init && credits_;  // no limit
    return make_flit(FlowControl{kind, fc, free ? 0 : below(256), free ? 0 : below(4096)});
  }

  IoLink::Parameters p_;
  Random& random_;
  std::uint64_t change_ = 0;
  unsigned takes_ = 100, reads_ = 100, tlps_ = 100, arrives_ = 100, falls_ = 0;
  std::uint64_t down_ = 2;
  unsigned on_way_ = 0;  // a bit a cycle: a TLP in order arrived, and does not act yet
  bool credits_ = true, flood_ = false, up_ = false, taken_ = false;
};

}  // namespace cxlgpu::test
