// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
#include "refmodel/controller/ras.hpp"

#include <algorithm>
#include <bit>

namespace cxlgpu {
namespace {

namespace reg = regs::ras;

// The bits that exist; every one of them has 1 as its mask's reset value.
constexpr std::uint32_t kUncorBits = reg::kUncorMaskReset;
constexpr std::uint32_t kCorBits = reg::kCorMaskReset;
static_assert(kUncorBits == 0x1cfff && kCorBits == 0x7f);

constexpr std::uint32_t offset(std::uint32_t addr) {
  return addr & 0x7c;
}

// One event more; true, and from 0 again, with the threshold-th.
bool reaches(unsigned& count, unsigned threshold) {
  if (++count < threshold) return false;
  count = 0;
  return true;
}

}  // namespace

std::uint32_t Ras::read(std::uint32_t addr) const {
  const std::uint32_t at = offset(addr);
  switch (at) {
    case reg::kUncorStatus:
      return uncor_status_;
    case reg::kUncorMask:
      return uncor_mask_;
    case reg::kUncorSeverity:
      return uncor_severity_;
    case reg::kCorStatus:
      return cor_status_;
    case reg::kCorMask:
      return cor_mask_;
    case reg::kControl:  // never more than one header
      return reg::kControlFirstError.put(first_error_) |
             reg::kControlPoisonEnabled.put(poison_enabled_);
    default:
      break;
  }
  const unsigned word = (at - reg::kHeaderLog) / reg::kHeaderLogStride;
  return word < config_.log_words ? log_[word] : 0;
}

void Ras::write_settings(std::uint32_t addr, std::uint32_t value) {
  switch (offset(addr)) {
    case reg::kUncorMask:
      uncor_mask_ = value & kUncorBits;
      break;
    case reg::kUncorSeverity:
      uncor_severity_ = value & kUncorBits;
      break;
    case reg::kCorMask:
      cor_mask_ = value & kCorBits;
      break;
    case reg::kControl:
      poison_enabled_ = config_.poison_fixed || reg::kControlPoisonEnabled.is_set(value);
      break;
    default:
      break;
  }
}

std::uint32_t Ras::uncor_events(const In& in) const {
  return (in.uncor | reg::kUncorStatusPoison.put(in.poison && !poison_enabled_)) & kUncorBits &
         ~uncor_mask_;
}

std::uint32_t Ras::cor_events(const In& in) {
  std::uint32_t events = in.cor | reg::kCorStatusMemPoison.put(in.poison && poison_enabled_);
  if (in.crc && reaches(crc_count_, config_.crc_threshold)) {
    events |= reg::kCorStatusCrcThreshold.mask();
  }
  if (in.retry && reaches(retry_count_, config_.retry_threshold)) {
    events |= reg::kCorStatusRetryThreshold.mask();
  }
  return events & kCorBits & ~cor_mask_;
}

Ras::Log Ras::log_of(unsigned error, const In& in) {
  Log log{};
  const auto is = [error](const auto& field) { return (field.mask() >> error & 1) != 0; };
  if (is(reg::kUncorStatusEncoding)) {
    log = in.log_flit;
  } else if (is(reg::kUncorStatusPoison)) {
    std::copy(in.log_header.begin(), in.log_header.end(), log.begin());
  } else if (is(reg::kUncorStatusOverflow)) {
    log[0] = in.log_overflow;
  }
  return log;
}

// `errors`: those of this cycle; `cleared`: the status bits written 1.
void Ras::note_first(const In& in, std::uint32_t errors, std::uint32_t cleared) {
  if ((cleared >> first_error_ & 1) != 0) held_ = false;
  if (held_ || errors == 0) return;
  held_ = true;
  first_error_ = static_cast<unsigned>(std::countr_zero(errors));
  const Log log = log_of(first_error_, in);
  std::copy_n(log.begin(), config_.log_words, log_.begin());
}

void Ras::clock(const In& in) {
  const bool writes = in.valid && in.write;
  const auto cleared = [&](std::uint32_t status) {
    return writes && offset(in.addr) == status ? in.wdata : 0;
  };
  const std::uint32_t uncor = uncor_events(in);
  const std::uint32_t cor = cor_events(in);
  const std::uint32_t fresh = uncor & ~uncor_status_;

  out_.rdata = in.valid && !in.write ? read(in.addr) : 0;
  out_.cor = (cor & ~cor_status_) != 0;
  out_.nonfatal = (fresh & ~uncor_severity_) != 0;
  out_.fatal = (fresh & uncor_severity_) != 0;

  note_first(in, uncor, cleared(reg::kUncorStatus));
  uncor_status_ = (uncor_status_ & ~cleared(reg::kUncorStatus)) | uncor;
  cor_status_ = (cor_status_ & ~cleared(reg::kCorStatus)) | cor;
  // Last: the cycle of a write is judged by what stood before.
  if (writes) write_settings(in.addr, in.wdata);
}

}  // namespace cxlgpu
