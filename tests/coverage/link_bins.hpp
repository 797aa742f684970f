// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
// From two controllers in lockstep with their twins to the bins of link_flits, retry_lrsm,
// retry_rrsm and credits.
//
// Purpose: one observer of both ends of a link. It sees what the twins see and say in a cycle (the
//          RTL says the same, else the run stops) and is told by the harness which flits were
//          harmed on the way.
// Units:   cycles; credits in messages. End 0 is the host, wire 0 goes from it.
// Errors:  none.
// Source:  docs/blocks/controller/link_layer.md, controller/retry_local.md,
//          controller/retry_buffer.md.
#pragma once

#include <array>
#include <bit>
#include <optional>

#include "refmodel/controller/cxl_controller.hpp"
#include "tests/coverage/functional_groups.hpp"
#include "tests/coverage/functional_gtest.hpp"

namespace cxlgpu::test {

// What was done to a flit on the wire that arrives otherwise than it was sent; nothing if its CRC
// holds all the same.
inline std::optional<coverage::ErrorKind> error_kind(const CrcFlit& sent, const CrcFlit& got) {
  using coverage::ErrorKind;
  if (crc_of(got.payload) == got.crc) return std::nullopt;
  flits::Flit whole;
  std::copy(sent.payload.begin(), sent.payload.end(), whole.payload().begin());
  if (const auto retry = flits::classify_retry(whole)) {
    if (std::holds_alternative<flits::RetryFrame>(*retry)) return ErrorKind::BadFrame;
    if (std::holds_alternative<flits::RetryReq>(*retry)) return ErrorKind::BadReq;
    if (std::holds_alternative<flits::RetryAck>(*retry)) return ErrorKind::BadAck;
  }
  unsigned bits = 0, first = 0, last = 0;
  const auto differ = [&](unsigned byte, unsigned changed) {
    if (changed == 0) return;
    if (bits == 0) first = 8 * byte + static_cast<unsigned>(std::countr_zero(changed));
    bits += static_cast<unsigned>(std::popcount(changed));
    last = 8 * byte + static_cast<unsigned>(std::bit_width(changed)) - 1;
  };
  for (unsigned i = 0; i < 64; ++i) {
    differ(i, static_cast<unsigned>(sent.payload[i] ^ got.payload[i]));
  }
  differ(64, (sent.crc ^ got.crc) & 0xFFu);
  differ(65, static_cast<unsigned>((sent.crc ^ got.crc) >> 8));
  if (bits == 1) return ErrorKind::OneBit;
  if (bits == 2) return ErrorKind::TwoBits;
  return last - first < 16 ? ErrorKind::Burst : ErrorKind::Garbage;
}

class LinkBins {
 public:
  using Inputs = std::array<CxlController::In, 2>;
  using Outputs = std::array<CxlController::Out, 2>;

  // The flit that reaches this end in the coming cycle was harmed like this.
  void harmed(unsigned end, std::optional<coverage::ErrorKind> kind) { harm_[end] = kind; }
  // Flits that no controller sent are on a wire: credits mean nothing any more, and the group of
  // credits counts no further. What arrives is counted all the same.
  void tampered() { tampered_ = true; }

  // Both ends before the edge of a cycle. `depths`: of the receive queues, by end and channel.
  template <typename Twin>
  void look(const Inputs& in, const Outputs& out, const Twin& twin,
            const std::array<std::array<unsigned, 2>, 2>& depths) {
    if (!lrsm_.on()) return;
    ++cycle_;
    // Recovery at one end alone: an old Ack may pass for a new one, and flits come twice.
    if (in[0].phy_reinit_done != in[1].phy_reinit_done) tampered_ = true;
    for (unsigned end = 0; end < 2; ++end) {
      if (in[end].tx_nd_valid) offered_[end][0] = cycle_;
      if (in[end].tx_wd_valid) offered_[end][1] = cycle_;
      const LinkLayer& link = twin(end).link();
      if (!in[end].link_up) {
        arrived_[end].reset();
        frames_[end] = 0;
      }
      if (arrived_[end]) flit(end, link);
      if (in[end].phy_reinit_done) error(end, link, coverage::ErrorKind::Recovery);
      if (in[end].phy_reinit_done) frames_[end] = 0;
      arrived_[end].reset();
      if (in[end].link_rx_valid) arrived_[end] = Arrived{in[end].link_rx_flit, harm_[end]};
      harm_[end].reset();
    }
    if (out[0].init_done && out[1].init_done && !tampered_) {
      for (unsigned end = 0; end < 2; ++end) credits(end, in, out, twin, depths);
    }
  }

 private:
  static constexpr std::uint64_t kWindow = 32;  // cycles in which offers count as traffic
  static constexpr unsigned kFrames = 5;
  struct Arrived {
    CrcFlit flit;
    std::optional<coverage::ErrorKind> harm;
  };

  [[nodiscard]] unsigned traffic(unsigned wire) const {
    const auto lately = [&](unsigned channel) {
      return offered_[wire][channel] != 0 && cycle_ - offered_[wire][channel] < kWindow;
    };
    return (lately(0) ? 1u : 0u) + (lately(1) ? 2u : 0u);
  }
  void error(unsigned end, const LinkLayer& link, coverage::ErrorKind kind) {
    using coverage::Rrsm;
    const auto state = static_cast<unsigned>(link.local().state);
    const RetryBuffer::Out remote = link.remote();
    const Rrsm rrsm = remote.llrack      ? Rrsm::AckDue
                      : remote.replaying ? Rrsm::Replaying
                                         : Rrsm::Idle;
    const auto k = static_cast<unsigned>(kind);
    lrsm_.hit({state, k, traffic(1 - end)});
    rrsm_.hit({static_cast<unsigned>(rrsm), k, traffic(1 - end)});
  }

  // What arrived in the cycle before and is acted upon in this one.
  void flit(unsigned end, const LinkLayer& link) {
    using coverage::FlitBin;
    const CrcFlit& flit = arrived_[end]->flit;
    if (crc_of(flit.payload) != flit.crc) {
      frames_[end] = 0;
      const bool inverted = (crc_of(flit.payload) ^ flit.crc) == 0xFFFF;
      if (arrived_[end]->harm) {
        error(end, link, *arrived_[end]->harm);
      } else if (inverted) {
        error(end, link, coverage::ErrorKind::Inverted);
      }
      return;
    }
    const bool normal = link.local().state == RetryLocal::State::kNormal;
    const unsigned owed = link.rx_owed();
    FlitBin bin = FlitBin::Protocol;
    std::optional<flits::Control> control;
    if (normal && owed >= 4) {
      bin = FlitBin::AllData;
    } else {
      flits::Flit whole;
      std::copy(flit.payload.begin(), flit.payload.end(), whole.payload().begin());
      control = flits::classify_control(whole);
      if (control && flits::is_retry(*control)) control = flits::classify_retry(whole);
    }
    const bool frame = control && std::holds_alternative<flits::RetryFrame>(*control);
    if (control) {
      if (const auto* ack = std::get_if<flits::RetryAck>(&*control)) {
        const RetryLocal::Out local = link.local();
        const bool awaited =
            local.state == RetryLocal::State::kLocalIdle && ack->num_retry == local.num_retry;
        if (frames_[end] == kFrames && !awaited) error(end, link, coverage::ErrorKind::StaleAck);
      }
      const auto named = name(*control);
      if (!named) {
        frames_[end] = 0;
        return;
      }
      bin = *named;
    }
    frames_[end] = frame ? std::min(frames_[end] + 1, kFrames) : 0;
    const bool retry_flit = bin == FlitBin::RetryIdle || bin == FlitBin::RetryFrame ||
                            bin == FlitBin::RetryReq || bin == FlitBin::RetryAck;
    if (!normal && !retry_flit) bin = FlitBin::Dropped;
    const unsigned r = owed == 0 ? 0 : owed < 4 ? 1 : 2;
    flits_.hit({1 - end, static_cast<unsigned>(bin), r, normal ? 0u : 1u});
  }
  // Nothing for a control flit that does not exist.
  static std::optional<coverage::FlitBin> name(const flits::Control& control) {
    using coverage::FlitBin;
    if (std::holds_alternative<flits::Llcrd>(control)) return FlitBin::Llcrd;
    if (std::holds_alternative<flits::RetryIdle>(control)) return FlitBin::RetryIdle;
    if (std::holds_alternative<flits::RetryFrame>(control)) return FlitBin::RetryFrame;
    if (std::holds_alternative<flits::RetryReq>(control)) return FlitBin::RetryReq;
    if (std::holds_alternative<flits::RetryAck>(control)) return FlitBin::RetryAck;
    if (std::holds_alternative<flits::InitParam>(control)) return FlitBin::InitParam;
    return std::nullopt;
  }

  template <typename Twin>
  void credits(unsigned end, const Inputs& in, const Outputs& out, const Twin& twin,
               const std::array<std::array<unsigned, 2>, 2>& depths) {
    using coverage::CreditLevel;
    using coverage::QueueLevel;
    const LinkLayer& link = twin(end).link();
    const auto count = [&](unsigned channel, unsigned left, bool valid, bool ready,
                           unsigned queued) {
      const unsigned depth = depths[1 - end][channel];
      const CreditLevel level = left == 0       ? CreditLevel::None
                                : left >= depth ? CreditLevel::All
                                : left == 1     ? CreditLevel::One
                                                : CreditLevel::Some;
      const QueueLevel queue = queued == 0       ? QueueLevel::Empty
                               : queued >= depth ? QueueLevel::Full
                                                 : QueueLevel::Some;
      const unsigned sender = !valid ? 0 : ready ? 1 : 2;
      credits_.hit(
          {2 * end + channel, static_cast<unsigned>(level), sender, static_cast<unsigned>(queue)});
    };
    count(0, link.nd_credits(), in[end].tx_nd_valid, out[end].tx_nd_ready,
          out[1 - end].rx_nd_count);
    count(1, link.wd_credits(), in[end].tx_wd_valid, out[end].tx_wd_ready,
          out[1 - end].rx_wd_count);
  }

  TestCoverage flits_{coverage::link_flits()}, lrsm_{coverage::retry_lrsm()},
      rrsm_{coverage::retry_rrsm()}, credits_{coverage::credits()};
  std::array<std::optional<Arrived>, 2> arrived_;
  std::array<std::optional<coverage::ErrorKind>, 2> harm_;
  std::array<unsigned, 2> frames_{};
  std::array<std::array<std::uint64_t, 2>, 2> offered_{};  // last cycle, by end and channel
  std::uint64_t cycle_ = 0;
  bool tampered_ = false;
};

}  // namespace cxlgpu::test
