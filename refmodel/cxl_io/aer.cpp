// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
#include "refmodel/cxl_io/aer.hpp"

#include <bit>

namespace cxlgpu {

namespace aer = regs::aer;

namespace {

constexpr bool bit(unsigned pulses, unsigned n) {
  return (pulses >> n & 1) != 0;
}

std::uint32_t uncorrectable(const Aer::In& in) {
  // A poisoned write that is answered Unsupported Request is one error, the poison.
  return aer::UncorStatusReg{.dllp = bit(in.io_err, 5),
                             .poison = bit(in.event, 2),
                             .abort = bit(in.event, 1),
                             .completion = bit(in.event, 3),
                             .overflow = bit(in.io_err, 7),
                             .malformed = bit(in.io_err, 6),
                             .unsupported = bit(in.event, 0) && !bit(in.event, 2),
                             .internal = in.ras >> 1 != 0}
      .word();
}

std::uint32_t correctable(const Aer::In& in, bool advisory) {
  return aer::CorStatusReg{.receiver = bit(in.io_err, 8),
                           .bad_tlp = bit(in.io_err, 0),
                           .bad_dllp = bit(in.io_err, 1),
                           .rollover = bit(in.io_err, 4),
                           .replay_timer = bit(in.io_err, 3),
                           .advisory = advisory,
                           .internal = bit(in.ras, 0)}
      .word();
}

// Those of which the requester hears by its completion, or that it caused.
std::uint32_t may_be_advisory(const Aer::In& in) {
  const std::uint32_t answered = aer::kUncorStatusPoison.mask() | aer::kUncorStatusAbort.mask() |
                                 aer::kUncorStatusUnsupported.mask();
  return aer::kUncorStatusCompletion.mask() | (in.event_posted ? 0 : answered);
}

}  // namespace

void Aer::log(std::uint32_t errors, const In& in) {
  if (held_ || errors == 0) return;
  held_ = true;
  const auto first = static_cast<unsigned>(std::countr_zero(errors));
  const std::uint32_t error = 1u << first;
  const std::uint32_t of_completer =
      aer::kUncorStatusPoison.mask() | aer::kUncorStatusAbort.mask() |
      aer::kUncorStatusCompletion.mask() | aer::kUncorStatusUnsupported.mask();
  TlpHeader header{};
  if (error == aer::kUncorStatusMalformed.mask()) header = in.io_err_hdr;
  if ((error & of_completer) != 0) header = in.event_hdr;
  regs_.control.first_error = first;
  for (unsigned n = 0; n < aer::kHeaderLogCount; ++n) {
    std::uint32_t word = 0;
    for (unsigned i = 0; i < 4; ++i) word = word << 8 | header[4 * n + i];
    regs_.header_log[n].word.data = word;
  }
}

// The log is free again when the error that it is of is cleared.
void Aer::write(const CfgAccess& access) {
  const std::uint32_t before = regs_.uncor_status.word();
  regs_.write_at(4 * access.word, access.data, access.enables);
  const std::uint32_t cleared = before & ~regs_.uncor_status.word();
  if ((cleared >> regs_.control.first_error & 1) != 0) held_ = false;
}

unsigned Aer::clock(const In& in) {
  const std::uint32_t mask = regs_.uncor_mask.word(), severity = regs_.uncor_severity.word();
  const bool advisory_masked = regs_.cor_mask.advisory;
  const std::uint32_t errors = uncorrectable(in);
  const std::uint32_t advisory = errors & ~severity & may_be_advisory(in);
  const std::uint32_t small = correctable(in, advisory != 0);
  const std::uint32_t seen = errors & ~(advisory_masked ? advisory : 0);

  if (in.write.valid) write(in.write);
  regs_.uncor_status = aer::UncorStatusReg::from(regs_.uncor_status.word() | seen);
  regs_.cor_status = aer::CorStatusReg::from(regs_.cor_status.word() | small);
  log(seen & ~mask, in);

  const std::uint32_t internal = aer::kUncorStatusInternal.mask();
  const std::uint32_t outer = errors & ~internal;
  const bool nonfatal = (outer & ~advisory & ~severity) != 0 || bit(in.ras, 1);
  const bool fatal = (outer & severity) != 0 || bit(in.ras, 2);
  return (small != 0 ? 1u : 0) | (nonfatal ? 2u : 0) | (fatal ? 4u : 0) |
         (aer::kUncorStatusUnsupported.is_set(errors) ? 8u : 0);
}

}  // namespace cxlgpu
