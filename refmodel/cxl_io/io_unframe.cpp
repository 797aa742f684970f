// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
#include "refmodel/cxl_io/io_unframe.hpp"

#include <algorithm>
#include <bit>
#include <cstring>
#include <utility>

namespace cxlgpu {
namespace {

std::uint32_t dw_of(const IoFlit& flit, std::size_t n) {
  std::uint32_t dw = 0;
  std::memcpy(&dw, flit.data() + 4 * n, 4);
  return dw;
}

// Token, header, Max_Payload_Size, ECRC, LCRC: longer ones a peer may not send.
constexpr std::size_t kLongest = 1 + 4 + 32 + 1 + 1;

// Length of the packet that a token begins; 0: it is none.
std::size_t length_of(std::uint32_t token) {
  if ((token & 0xffff) == 0xacf0) return 2;
  if ((token & 0xf) != 0xf) return 0;
  const unsigned length = token >> 4 & 0x7ff;
  // Frame CRC: x^4 + x + 1 over the length, by the equations of 4.2.2.3.2; then even parity of
  // both.
  constexpr unsigned kEquations[4] = {0x4d7, 0x6bc, 0x35e, 0x1af};
  unsigned crc = 0;
  for (unsigned bit = 0; bit < 4; ++bit) {
    crc |= static_cast<unsigned>(std::popcount(length & kEquations[bit]) & 1) << bit;
  }
  const unsigned parity = static_cast<unsigned>(std::popcount(length) + std::popcount(crc)) & 1;
  const bool right = (token >> 20 & 0xf) == crc && (token >> 15 & 1) == parity;
  return right && length >= 5 && length <= kLongest ? length : 0;
}

}  // namespace

std::optional<std::vector<IoUnframe::Dw>> IoUnframe::next(const IoFlit& flit) {
  if (passed_over_ != 0) {
    at_ = std::min(passed_over_, kDws);
    passed_over_ -= at_;
    return std::nullopt;
  }
  if (!part_.empty()) {
    std::vector<Dw> packet = std::exchange(part_, {});
    for (at_ = 0; packet.size() < whole_; ++at_) packet.push_back(dw_of(flit, at_));
    return packet;
  }
  while (at_ < kDws && dw_of(flit, at_) == 0) ++at_;
  if (at_ == kDws) return std::nullopt;
  const std::size_t begin = at_, length = length_of(dw_of(flit, begin));
  if (length == 0 || length > kMost) {
    passed_over_ = length > kDws - begin ? length - (kDws - begin) : 0;
    at_ = length == 0 ? kDws : std::min(begin + length, kDws);
    return std::vector<Dw>{dw_of(flit, begin)};
  }
  at_ = std::min(begin + length, kDws);
  std::vector<Dw> packet;
  for (std::size_t n = begin; n < at_; ++n) packet.push_back(dw_of(flit, n));
  if (packet.size() == length) return packet;
  part_ = std::move(packet);
  whole_ = length;
  return std::nullopt;
}

std::optional<IoFlit> IoUnframe::clock(const std::optional<IoFlit>& flit) {
  const bool full = waiting_.size() == kDepth;
  if (waiting_.empty() && !flit) return std::nullopt;
  const bool from_wire = waiting_.empty();
  const IoFlit in_hand = from_wire ? *flit : waiting_.front();
  const auto dws = next(in_hand);
  bool done = true;
  for (std::size_t n = at_; n < kDws; ++n) done = done && dw_of(in_hand, n) == 0;
  if (done) at_ = 0;
  if (flit && !full && !(from_wire && done)) waiting_.push_back(*flit);
  if (done && !from_wire) waiting_.pop_front();
  if (!dws) return std::nullopt;
  IoFlit packet{};
  std::memcpy(packet.data(), dws->data(), 4 * dws->size());
  return packet;
}

}  // namespace cxlgpu
