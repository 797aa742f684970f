// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
#include "refmodel/controller/ras.hpp"

#include <bit>

namespace cxlgpu {
namespace {

namespace reg = regs::ras;

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

std::uint32_t Ras::uncor_events(const In& in) const {
  auto events = reg::UncorStatusReg::from(in.uncor);
  if (in.poison && !poison_enabled()) events.poison = true;
  return events.word() & ~regs_.uncor_mask.word();
}

std::uint32_t Ras::cor_events(const In& in) {
  auto events = reg::CorStatusReg::from(in.cor);
  if (in.poison && poison_enabled()) events.mem_poison = true;
  if (in.crc && reaches(crc_count_, config_.crc_threshold)) events.crc_threshold = true;
  if (in.retry && reaches(retry_count_, config_.retry_threshold)) events.retry_threshold = true;
  return events.word() & ~regs_.cor_mask.word();
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

void Ras::note_first(const In& in, std::uint32_t errors, std::uint32_t cleared) {
  std::uint32_t& first = regs_.control.first_error;
  if ((cleared >> first & 1) != 0) held_ = false;
  if (held_ || errors == 0) return;
  held_ = true;
  first = static_cast<std::uint32_t>(std::countr_zero(errors));
  const Log log = log_of(first, in);
  for (unsigned i = 0; i < config_.log_words; ++i) regs_.header_log[i].word.data = log[i];
}

void Ras::clock(const In& in) {
  if (!in.valid && in.uncor == 0 && in.cor == 0 && !in.poison && !in.crc && !in.retry) {
    out_ = {};  // nearly always
    return;
  }
  const bool writes = in.valid && in.write;
  const std::uint32_t at = offset(in.addr);
  const std::uint32_t uncor = uncor_events(in);
  const std::uint32_t cor = cor_events(in);
  const std::uint32_t fresh = uncor & ~regs_.uncor_status.word();
  const std::uint32_t severity = regs_.uncor_severity.word();

  out_.rdata = in.valid && !in.write ? regs_.word_at(at) : 0;
  out_.cor = (cor & ~regs_.cor_status.word()) != 0;
  out_.nonfatal = (fresh & ~severity) != 0;
  out_.fatal = (fresh & severity) != 0;

  note_first(in, uncor, writes && at == reg::kUncorStatus ? in.wdata : 0);
  // The cycle of a write is judged by what stood before; its errors outlast the write.
  if (writes) regs_.write_at(at, in.wdata, side_);
  regs_.uncor_status = reg::UncorStatusReg::from(regs_.uncor_status.word() | uncor);
  regs_.cor_status = reg::CorStatusReg::from(regs_.cor_status.word() | cor);
}

}  // namespace cxlgpu
