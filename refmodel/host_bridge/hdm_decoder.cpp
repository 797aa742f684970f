// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
#include "refmodel/host_bridge/hdm_decoder.hpp"

#include <cassert>

#include "common/registers.hpp"

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

// A register pair holds 64 bits, of which only those of the fields are stored.
void set_low(std::uint64_t& pair, const regs::Field& field, std::uint32_t value) {
  pair = (pair & ~std::uint64_t{0xffffffff}) | (value & field.mask());
}
void set_high(std::uint64_t& pair, const regs::Field& field, std::uint32_t value) {
  pair = (pair & 0xffffffffu) | (std::uint64_t{value & field.mask()} << 32);
}
std::uint32_t low(std::uint64_t v) {
  return static_cast<std::uint32_t>(v);
}
std::uint32_t high(std::uint64_t v) {
  return static_cast<std::uint32_t>(v >> 32);
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

HdmDecoder::HdmDecoder(Role role, unsigned decoders) : role_(role), count_(decoders) {
  assert(decoders == 1 || (decoders % 2 == 0 && decoders <= kMaxDecoders));
}

// Only with Lock On Commit.
bool HdmDecoder::locked_checks_pass(unsigned n) const {
  const Registers& r = decoders_[n];
  const unsigned ways = interleave_ways(r.iw);
  if (n > 0) {
    const Registers& previous = decoders_[n - 1];
    if (!previous.committed || r.base < previous.base + previous.size) return false;
  }
  if (r.base + r.size > kAddressEnd) return false;
  if (r.size % (ways * kChunk) != 0) return false;
  return role_ == Role::Device || targets_distinct(r.targets, ways);
}

bool HdmDecoder::may_commit(unsigned n) const {
  const Registers& r = decoders_[n];
  const unsigned ways = interleave_ways(r.iw);
  if (r.ig > kMaxIg || ways == 0) return false;
  const bool power_of_two = (ways & (ways - 1)) == 0;
  if (role_ == Role::HostBridge && (ways > kHostTargets || !power_of_two)) return false;
  return !r.lock || locked_checks_pass(n);
}

void HdmDecoder::complete_commits() {
  for (unsigned n = 0; n < count_; ++n) {
    Registers& r = decoders_[n];
    if (!pending(r)) continue;
    (may_commit(n) ? r.committed : r.error) = true;
  }
}

void HdmDecoder::write_control(Registers& r, std::uint32_t value) {
  const bool was_committed = r.committed;
  r.commit = hdm::kDecControlCommit.is_set(value);
  if (!r.commit) r.committed = r.error = false;
  if (was_committed) return;  // nothing but Commit may change
  r.ig = hdm::kDecControlIg.get(value);
  r.iw = hdm::kDecControlIw.get(value);
  r.lock = hdm::kDecControlLock.is_set(value);
  r.host_only = hdm::kDecControlHostOnly.is_set(value);
}

void HdmDecoder::write_register(std::uint32_t offset, std::uint32_t value) {
  offset &= ~3u;
  if (offset == hdm::kGlobalControl && role_ == Role::Device) {
    enabled_ = hdm::kGlobalControlEnable.is_set(value);
  }
  if (offset < hdm::kDec || offset >= hdm::kDec + hdm::kDecStride * count_) return;
  Registers& r = decoders_[(offset - hdm::kDec) / hdm::kDecStride];
  const std::uint32_t reg = (offset - hdm::kDec) % hdm::kDecStride;
  if (pending(r) || (r.committed && (r.lock || reg != hdm::kDecControl))) return;
  const bool host = role_ == Role::HostBridge;
  switch (reg) {
    case hdm::kDecBaseLow:
      set_low(r.base, hdm::kDecBaseLowBase, value);
      break;
    case hdm::kDecBaseHigh:
      set_high(r.base, hdm::kDecBaseHighBase, value);
      break;
    case hdm::kDecSizeLow:
      set_low(r.size, hdm::kDecSizeLowSize, value);
      break;
    case hdm::kDecSizeHigh:
      set_high(r.size, hdm::kDecSizeHighSize, value);
      break;
    case hdm::kDecControl:
      write_control(r, value);
      break;
    case hdm::kDecListLow:
      if (host)
        set_low(r.targets, hdm::kDecListLowTargets, value);
      else
        set_low(r.skip, hdm::kDecListLowSkip, value);
      break;
    case hdm::kDecListHigh:
      if (host)
        set_high(r.targets, hdm::kDecListHighTargets, value);
      else
        set_high(r.skip, hdm::kDecListHighSkip, value);
      break;
    default:
      break;
  }
}

std::uint32_t HdmDecoder::read(std::uint32_t offset) const {
  offset &= ~3u;
  const bool host = role_ == Role::HostBridge;
  if (offset == hdm::kCapability) {
    return hdm::kCapabilityCountCode.put(count_code(count_)) |
           (host ? hdm::kCapabilityHostReset : hdm::kCapabilityDeviceReset);
  }
  if (offset == hdm::kGlobalControl) return hdm::kGlobalControlEnable.put(enabled_);
  if (offset < hdm::kDec || offset >= hdm::kDec + hdm::kDecStride * count_) return 0;
  const Registers& r = decoders_[(offset - hdm::kDec) / hdm::kDecStride];
  const std::uint64_t list = host ? r.targets : r.skip;
  switch ((offset - hdm::kDec) % hdm::kDecStride) {
    case hdm::kDecBaseLow:
      return low(r.base);
    case hdm::kDecBaseHigh:
      return high(r.base);
    case hdm::kDecSizeLow:
      return low(r.size);
    case hdm::kDecSizeHigh:
      return high(r.size);
    case hdm::kDecControl:
      return hdm::kDecControlIg.put(r.ig) | hdm::kDecControlIw.put(r.iw) |
             hdm::kDecControlLock.put(r.lock) | hdm::kDecControlCommit.put(r.commit) |
             hdm::kDecControlCommitted.put(r.committed) | hdm::kDecControlError.put(r.error) |
             hdm::kDecControlHostOnly.put(r.host_only);
    case hdm::kDecListLow:
      return low(list);
    case hdm::kDecListHigh:
      return high(list);
    default:
      return 0;
  }
}

// The committed decoders in lines, with DPABase accumulated in their order.
void HdmDecoder::rebuild_ranges() {
  range_count_ = 0;
  std::uint64_t dpa_base = 0;
  for (unsigned n = 0; n < count_; ++n) {
    const Registers& r = decoders_[n];
    if (!r.committed) continue;
    const unsigned ways = interleave_ways(r.iw);
    Range& range = ranges_[range_count_++];
    range.decoder = n;
    range.base = r.base >> kLineShift;
    range.size = r.size >> kLineShift;
    range.granule_shift = 8 + r.ig - kLineShift;
    range.ways = ways;
    range.three = r.iw >= 8;
    range.way_shift = range.three ? r.iw - 8 : r.iw;
    dpa_base += r.skip >> kLineShift;
    range.dpa_base = dpa_base;
    dpa_base += range.size / ways;
  }
}

std::optional<HdmDecoder::Decoded> HdmDecoder::decode(std::uint64_t hpa) const {
  if (role_ == Role::Device && !enabled_) return std::nullopt;
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
      return Decoded{range.decoder, way, target_of(decoders_[range.decoder].targets, way), hpa};
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
  complete_commits();
  rebuild_ranges();
}

HdmDecoder::Out HdmDecoder::eval(const In& in) const {
  Out out;
  out.rdata = rdata_;
  out.enabled = enabled_;
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
  const HdmDecoder before = *this;
  if (in.valid && in.write) write_register(in.addr & 0xfff, in.wdata);
  for (unsigned n = 0; n < count_; ++n) {
    if (!pending(before.decoders_[n])) continue;
    (before.may_commit(n) ? decoders_[n].committed : decoders_[n].error) = true;
  }
  rebuild_ranges();
}

}  // namespace cxlgpu
