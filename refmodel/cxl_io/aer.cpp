// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
#include "refmodel/cxl_io/aer.hpp"

#include <bit>

#include "common/registers.hpp"

namespace cxlgpu {

namespace aer = regs::aer;

namespace {

constexpr std::uint32_t kUncorrectable =
    aer::kUncorStatusDllp.mask() | aer::kUncorStatusPoison.mask() | aer::kUncorStatusAbort.mask() |
    aer::kUncorStatusCompletion.mask() | aer::kUncorStatusOverflow.mask() |
    aer::kUncorStatusMalformed.mask() | aer::kUncorStatusUnsupported.mask() |
    aer::kUncorStatusInternal.mask();
constexpr std::uint32_t kCorrectable =
    aer::kCorStatusReceiver.mask() | aer::kCorStatusBadTlp.mask() | aer::kCorStatusBadDllp.mask() |
    aer::kCorStatusRollover.mask() | aer::kCorStatusReplayTimer.mask() |
    aer::kCorStatusAdvisory.mask() | aer::kCorStatusInternal.mask();

constexpr bool bit(unsigned pulses, unsigned n) {
  return (pulses >> n & 1) != 0;
}

std::uint32_t uncorrectable(const Aer::In& in) {
  // A poisoned write that is answered Unsupported Request is one error, the poison.
  const bool unsupported = bit(in.event, 0) && !bit(in.event, 2);
  return aer::kUncorStatusDllp.put(bit(in.io_err, 5)) |
         aer::kUncorStatusPoison.put(bit(in.event, 2)) |
         aer::kUncorStatusAbort.put(bit(in.event, 1)) |
         aer::kUncorStatusCompletion.put(bit(in.event, 3)) |
         aer::kUncorStatusOverflow.put(bit(in.io_err, 7)) |
         aer::kUncorStatusMalformed.put(bit(in.io_err, 6)) |
         aer::kUncorStatusUnsupported.put(unsupported) |
         aer::kUncorStatusInternal.put(in.ras >> 1 != 0);
}

std::uint32_t correctable(const Aer::In& in) {
  return aer::kCorStatusReceiver.put(bit(in.io_err, 8)) |
         aer::kCorStatusBadTlp.put(bit(in.io_err, 0)) |
         aer::kCorStatusBadDllp.put(bit(in.io_err, 1)) |
         aer::kCorStatusRollover.put(bit(in.io_err, 4)) |
         aer::kCorStatusReplayTimer.put(bit(in.io_err, 3)) |
         aer::kCorStatusInternal.put(bit(in.ras, 0));
}

// Those of which the requester hears by its completion, or that it caused.
std::uint32_t may_be_advisory(const Aer::In& in) {
  const std::uint32_t answered = aer::kUncorStatusPoison.mask() | aer::kUncorStatusAbort.mask() |
                                 aer::kUncorStatusUnsupported.mask();
  return aer::kUncorStatusCompletion.mask() | (in.event_posted ? 0 : answered);
}

}  // namespace

Aer::Aer() {
  at(aer::kCapHeader) = aer::kCapHeaderReset;
  registers_[aer::kUncorStatus / 4].rw1c = kUncorrectable;
  registers_[aer::kUncorMask / 4] = {.value = aer::kUncorMaskReset, .rw = kUncorrectable};
  registers_[aer::kUncorSeverity / 4] = {.value = aer::kUncorSeverityReset, .rw = kUncorrectable};
  registers_[aer::kCorStatus / 4].rw1c = kCorrectable;
  registers_[aer::kCorMask / 4] = {.value = aer::kCorMaskReset, .rw = kCorrectable};
}

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
  at(aer::kControl) = first;
  for (unsigned n = 0; n < aer::kHeaderLogCount; ++n) {
    std::uint32_t word = 0;
    for (unsigned i = 0; i < 4; ++i) word = word << 8 | header[4 * n + i];
    at(aer::kHeaderLog + 4 * n) = word;
  }
}

unsigned Aer::clock(const In& in) {
  const std::uint32_t mask = at(aer::kUncorMask), severity = at(aer::kUncorSeverity);
  const bool advisory_masked = aer::kCorMaskAdvisory.is_set(at(aer::kCorMask));
  const std::uint32_t errors = uncorrectable(in);
  const std::uint32_t advisory = errors & ~severity & may_be_advisory(in);
  const std::uint32_t small = correctable(in) | aer::kCorStatusAdvisory.put(advisory != 0);
  const std::uint32_t seen = errors & ~(advisory_masked ? advisory : 0);

  if (in.write.valid) {
    ConfigRegister& r = registers_[in.write.word];
    const std::uint32_t before = r.value;
    r.value = r.written(in.write);
    if (4 * in.write.word == aer::kUncorStatus) {
      const std::uint32_t first = 1u << aer::kControlFirstError.get(at(aer::kControl));
      if ((before & ~r.value & first) != 0) held_ = false;
    }
  }
  at(aer::kUncorStatus) |= seen;
  at(aer::kCorStatus) |= small;
  log(seen & ~mask, in);

  const std::uint32_t internal = aer::kUncorStatusInternal.mask();
  const std::uint32_t outer = errors & ~internal;
  const bool nonfatal = (outer & ~advisory & ~severity) != 0 || bit(in.ras, 1);
  const bool fatal = (outer & severity) != 0 || bit(in.ras, 2);
  return (small != 0 ? 1u : 0) | (nonfatal ? 2u : 0) | (fatal ? 4u : 0) |
         (aer::kUncorStatusUnsupported.is_set(errors) ? 8u : 0);
}

}  // namespace cxlgpu
