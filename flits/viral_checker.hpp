// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
// Viral on the wire: what the two ends of a link may say of it, from the flits as they are sent.
//
// A port announces that it is viral by sending one flit with its CRC inverted. The peer asks for a
// retry, and every RETRY.Ack of that port from then on says Viral = 1 (an Ack without an
// announcement before it says 0). Any other wrong CRC is the sender's fault. Judged where a flit is
// sent: on arrival bit errors hide what was meant. Viral ends with the link layer's start only.
// Limit: six all-data flits in a row whose data are five RETRY.Frames and a RETRY.Ack are taken for
// these. Errors: none thrown; see finding.hpp. Source: CXL 2.0 viral handling, RETRY.Ack.
#pragma once

#include <array>
#include <cstdint>

#include "flits/finding.hpp"
#include "flits/flit.hpp"

namespace cxlgpu::flits {

class ViralChecker {
 public:
  /// A CXL.cachemem flit as it leaves its sender.
  void on_sent(std::uint64_t time_ps, Direction d, const Flit& flit, FindingList& findings);

  /// Announcements so far, over all starts of the link layer's.
  [[nodiscard]] std::uint64_t announcements(Direction d) const { return senders_[index(d)].total; }

  /// Both link layers start again.
  void restart();

 private:
  struct Sender {
    bool viral = false;  // has announced it
    std::uint64_t total = 0;
    unsigned frames = 0;  // RETRY.Frames in a row
  };
  std::array<Sender, 2> senders_;
};

}  // namespace cxlgpu::flits
