// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
#include "tb/link/link.hpp"

#include <algorithm>
#include <cmath>

namespace cxlgpu {

namespace {
constexpr std::uint64_t kWireBits = flits::Flit::kBytes * 8;
constexpr std::size_t kWrongByte = 9;  // of a flit damaged on purpose; in an ALMP its second copy
}  // namespace

Link::Link(const LinkOptions& options) : options_(options), rng_(options.seed) {
  if (options_.bit_error_rate > 0) bits_to_error_ = next_gap();
}

// Bits until the next error: geometric, so that error-free flits cost nothing.
std::uint64_t Link::next_gap() {
  const double u = std::uniform_real_distribution<double>(0.0, 1.0)(rng_);
  const double gap = std::log1p(-u) / std::log1p(-options_.bit_error_rate);
  return gap > 1e18 ? static_cast<std::uint64_t>(1e18) : static_cast<std::uint64_t>(gap);
}

bool Link::damage(flits::Flit& flit) {
  if (options_.bit_error_rate <= 0) return false;
  if (bits_to_error_ >= kWireBits) {
    bits_to_error_ -= kWireBits;
    return false;
  }
  ++flits_damaged_;
  std::uint64_t bit = bits_to_error_;
  while (bit < kWireBits) {
    flit.bytes[bit / 8] = static_cast<std::uint8_t>(flit.bytes[bit / 8] ^ (1u << (bit % 8)));
    ++bits_flipped_;
    bit += 1 + next_gap();
  }
  bits_to_error_ = bit - kWireBits;
  return true;
}

void Link::send(const flits::Flit& flit, Time now) {
  busy_until_ = std::max(now, busy_until_) + options_.flit_time;
  wire_.push_back({flit, busy_until_ + options_.flight});
  bool damaged = damage(wire_.back().flit);
  const bool hit = damage_all_ && flit.protocol_id().id == flits::ProtocolId::CacheMem;
  if (++sent_ == options_.damage_flit || hit) {
    wire_.back().flit.bytes[kWrongByte] ^= 1;
    damaged = true;
  }
  if (damaged) first_damage_ = std::min(first_damage_, now);
}

std::optional<Link::Arrival> Link::receive(Time now) {
  if (!due(now)) return std::nullopt;
  const Arrival arrival = wire_.front();
  wire_.pop_front();
  return arrival;
}

}  // namespace cxlgpu
