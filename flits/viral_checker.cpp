// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
#include "flits/viral_checker.hpp"

#include <fmt/format.h>

#include "flits/control.hpp"

namespace cxlgpu::flits {
namespace {

constexpr unsigned kFrames = 5;  // RETRY.Frames before an Ack

}  // namespace

void ViralChecker::restart() {
  for (Sender& sender : senders_) sender.viral = false, sender.frames = 0;
}

void ViralChecker::on_sent(std::uint64_t time_ps, Direction d, const Flit& flit,
                           FindingList& findings) {
  Sender& sender = senders_[index(d)];
  const unsigned frames = sender.frames;
  sender.frames = 0;
  if (!flit.crc_ok()) {
    if (flit.crc_inverted()) {
      sender.viral = true;
      ++sender.total;
    } else {
      findings.add(time_ps, d, Rule::CrcSent, "neither right nor inverted");
    }
    return;
  }
  const auto retry = classify_retry(flit);
  if (!retry) return;
  if (std::holds_alternative<RetryFrame>(*retry)) sender.frames = frames + 1;
  const auto* ack = std::get_if<RetryAck>(&*retry);
  if (ack == nullptr || frames < kFrames || ack->viral == sender.viral) return;
  findings.add(time_ps, d, Rule::ViralMismatch,
               fmt::format("RETRY.Ack with Viral = {} {} an announcement", ack->viral ? 1 : 0,
                           sender.viral ? "after" : "without"));
}

}  // namespace cxlgpu::flits
