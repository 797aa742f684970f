// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
#include "refmodel/host_bridge/hdm_decoder.hpp"

#include <cassert>

namespace cxlgpu {
namespace hdm = regs::hdm;
namespace {

constexpr std::uint64_t kAddressEnd = std::uint64_t{1} << 52;
constexpr std::uint64_t kLineMask = (std::uint64_t{1} << 46) - 1;
constexpr std::uint64_t kChunk = std::uint64_t{256} << 20;
constexpr unsigned kLineShift = 6;
constexpr unsigned kMaxIg = 6;
constexpr unsigned kHostTargets = 8;

constexpr std::uint32_t count_code(unsigned decoders) {
  return decoders == 1 ? 0 : decoders / 2;  // 1, 2, 4, 6, 8, 10
}

template <class High, class Low>
std::uint64_t pair(const High& high, const Low& low) {
  return std::uint64_t{high.word()} << 32 | low.word();
}
std::uint64_t base_of(const hdm::DecSet& r) {
  return pair(r.base_high, r.base_low);
}
std::uint64_t size_of(const hdm::DecSet& r) {
  return pair(r.size_high, r.size_low);
}
// A host bridge's targets, a device's skip.
std::uint64_t list_of(const hdm::DecSet& r) {
  return pair(r.list_high, r.list_low);
}

std::uint8_t target_of(std::uint64_t targets, unsigned way) {
  return way < kHostTargets ? static_cast<std::uint8_t>(targets >> (8 * way)) : 0;
}

bool targets_distinct(std::uint64_t targets, unsigned ways) {
  for (unsigned a = 0; a < ways; ++a) {
    for (unsigned b = a + 1; b < ways; ++b) {
      if (target_of(targets, a) == target_of(targets, b)) return false;
    }
  }
  return true;
}

}  // namespace

HdmDecoder::HdmDecoder(Role role, unsigned decoders)
    : role_(role), count_(decoders), regs_(hdm::Regs::at_reset(side())) {
  assert(decoders == 1 || (decoders % 2 == 0 && decoders <= kMaxDecoders));
  regs_.capability.count_code = count_code(decoders);
}

// Only with Lock On Commit.
bool HdmDecoder::locked_checks_pass(unsigned n) const {
  const Registers& r = regs_.dec[n];
  const unsigned ways = interleave_ways(r.control.iw);
  if (n > 0) {
    const Registers& previous = regs_.dec[n - 1];
    if (!previous.control.committed || base_of(r) < base_of(previous) + size_of(previous)) {
      return false;
    }
  }
  if (base_of(r) + size_of(r) > kAddressEnd) return false;
  if (size_of(r) % (ways * kChunk) != 0) return false;
  return role_ == Role::Device || targets_distinct(list_of(r), ways);
}

bool HdmDecoder::may_commit(unsigned n) const {
  const hdm::DecControlReg& control = regs_.dec[n].control;
  const unsigned ways = interleave_ways(control.iw);
  if (control.ig > kMaxIg || ways == 0) return false;
  const bool power_of_two = (ways & (ways - 1)) == 0;
  if (role_ == Role::HostBridge && (ways > kHostTargets || !power_of_two)) return false;
  return !control.lock || locked_checks_pass(n);
}

HdmDecoder::Verdicts HdmDecoder::judge() const {
  Verdicts verdicts;
  for (unsigned n = 0; n < count_; ++n) {
    if (pending(regs_.dec[n])) verdicts[n] = may_commit(n);
  }
  return verdicts;
}

void HdmDecoder::complete_commits(const Verdicts& verdicts) {
  for (unsigned n = 0; n < count_; ++n) {
    if (!verdicts[n]) continue;
    hdm::DecControlReg& control = regs_.dec[n].control;
    (*verdicts[n] ? control.committed : control.error) = true;
  }
}

void HdmDecoder::write_register(std::uint32_t offset, std::uint32_t value) {
  offset &= ~3u;
  if (offset < hdm::kDec) return regs_.write_at(offset, value, side(), false);
  if (offset >= hdm::kDec + hdm::kDecStride * count_) return;
  Registers& r = regs_.dec[(offset - hdm::kDec) / hdm::kDecStride];
  const std::uint32_t reg = (offset - hdm::kDec) % hdm::kDecStride;
  hdm::DecControlReg& control = r.control;
  const bool was_committed = control.committed;
  r.write_at(reg, value, side(), pending(r) || was_committed);
  if (reg != hdm::kDecControl) return;
  // Of a committed decoder without lock Commit alone may change.
  if (was_committed && !control.lock) control.commit = hdm::DecControlReg::from(value).commit;
  if (!control.commit) control.committed = control.error = false;
}

std::uint32_t HdmDecoder::read(std::uint32_t offset) const {
  return regs_.word_at(offset);
}

// The committed decoders in lines, with DPABase accumulated in their order.
void HdmDecoder::rebuild_ranges() {
  range_count_ = 0;
  std::uint64_t dpa_base = 0;
  const bool device = role_ == Role::Device;
  for (unsigned n = 0; n < count_; ++n) {
    const Registers& r = regs_.dec[n];
    if (!r.control.committed) continue;
    const std::uint32_t iw = r.control.iw;
    const unsigned ways = interleave_ways(iw);
    Range& range = ranges_[range_count_++];
    range.decoder = n;
    range.base = base_of(r) >> kLineShift;
    range.size = size_of(r) >> kLineShift;
    range.granule_shift = 8 + r.control.ig - kLineShift;
    range.ways = ways;
    range.three = iw >= 8;
    range.way_shift = range.three ? iw - 8 : iw;
    range.targets = device ? 0 : list_of(r);
    if (device) dpa_base += list_of(r) >> kLineShift;
    range.dpa_base = dpa_base;
    dpa_base += range.size / ways;
  }
}

std::optional<HdmDecoder::Decoded> HdmDecoder::decode(std::uint64_t hpa) const {
  if (role_ == Role::Device && !enabled()) return std::nullopt;
  const std::uint64_t line = hpa >> kLineShift;
  for (unsigned i = 0; i < range_count_; ++i) {
    const Range& range = ranges_[i];
    const std::uint64_t off = line - range.base;
    if (line < range.base || off >= range.size) continue;
    const std::uint64_t granule = off >> range.granule_shift;
    std::uint64_t upper = granule >> range.way_shift;
    if (range.three) upper /= 3;  // by a constant: no division
    const auto way = static_cast<unsigned>(granule - upper * range.ways);
    if (role_ == Role::HostBridge) {
      return Decoded{range.decoder, way, target_of(range.targets, way), hpa};
    }
    const std::uint64_t in_granule = off & ((std::uint64_t{1} << range.granule_shift) - 1);
    const std::uint64_t dpa = range.dpa_base + (upper << range.granule_shift | in_granule);
    return Decoded{range.decoder, way, 0,
                   (dpa & kLineMask) << kLineShift | (hpa & ((1u << kLineShift) - 1))};
  }
  return std::nullopt;
}

void HdmDecoder::write(std::uint32_t offset, std::uint32_t value) {
  write_register(offset, value);
  complete_commits(judge());
  rebuild_ranges();
}

HdmDecoder::Out HdmDecoder::eval(const In& in) const {
  Out out;
  out.rdata = rdata_;
  out.enabled = enabled();
  out.dpa_line = in.hpa_line;
  if (!in.hpa_valid) return out;
  if (const auto decoded = decode(in.hpa_line << kLineShift)) {
    out.hit = true;
    out.decoder = decoded->decoder;
    out.way = decoded->way;
    out.target = decoded->target;
    out.dpa_line = decoded->address >> kLineShift;
  }
  return out;
}

void HdmDecoder::clock(const In& in) {
  if (in.valid && !in.write) rdata_ = read(in.addr & 0xfff);
  // A commit asked for at the last edge is judged by the registers as they stood before this one.
  const Verdicts verdicts = judge();
  if (in.valid && in.write) write_register(in.addr & 0xfff, in.wdata);
  complete_commits(verdicts);
  rebuild_ranges();
}

}  // namespace cxlgpu
