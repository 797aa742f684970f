// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
#include "refmodel/cxl_io/io_unframe.hpp"

#include <algorithm>
#include <bit>
#include <cstring>
#include <utility>

namespace cxlgpu {
namespace {

constexpr std::uint32_t kEdb = 0xc0c0'c0c0;  // behind a TLP: it is nullified
constexpr unsigned kDllp = 2;
// Token, header of 3 or 4, data, ECRC, LCRC.
constexpr unsigned kShortest = 1 + 3 + 1, kLongest = 1 + 4 + 1024 + 1 + 1;

bool is_sdp(std::uint32_t token) {
  return (token & 0xffff) == 0xacf0;
}

// Length of the TLP that a token begins; 0: it is none.
unsigned tlp_length(std::uint32_t token) {
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
  return right && length >= kShortest && length <= kLongest ? length : 0;
}

}  // namespace

// What this flit has of the packet in hand.
IoUnframe::Piece IoUnframe::take(const Dws& flit, bool first) {
  Piece piece{.first = first};
  piece.count = std::min(left_, kDws - at_);
  std::copy_n(flit.begin() + at_, piece.count, piece.dws.begin());
  at_ += piece.count;
  left_ -= piece.count;
  piece.last = left_ == 0;
  if (!piece.last || !is_tlp_) return piece;
  ended_ = at_ == kDws;
  if (ended_) {
    piece.behind = Behind::kUnknown;
  } else if (flit[at_] == kEdb) {
    piece.behind = Behind::kEdb;
    ++at_;
  }
  return piece;
}

// The token is at at_.
IoUnframe::Piece IoUnframe::begin(const Dws& flit) {
  const Dw token = flit[at_];
  is_tlp_ = !is_sdp(token);
  left_ = is_tlp_ ? tlp_length(token) : kDllp;
  if (left_ != 0) return take(flit, true);
  at_ = kDws;  // where the next one would begin is not known
  return {.first = true, .last = true, .bad = true, .count = 1, .dws = {token}};
}

std::optional<IoUnframe::Piece> IoUnframe::next(const Dws& flit, bool may_be_edb) {
  if (left_ != 0) return take(flit, false);
  while (at_ < kDws && flit[at_] == 0) ++at_;
  if (at_ == kDws) return std::nullopt;
  if (at_ == 0 && may_be_edb && flit[0] == kEdb) {
    at_ = 1;
    return std::nullopt;
  }
  return begin(flit);
}

std::optional<IoUnframe::Piece> IoUnframe::clock(const std::optional<IoFlit>& flit) {
  const bool full = waiting_.size() == kDepth;
  if (waiting_.empty() && !flit) return std::nullopt;
  const bool from_wire = waiting_.empty();
  Dws in_hand;
  std::memcpy(in_hand.data(), from_wire ? flit->data() : waiting_.front().data(), sizeof in_hand);
  const auto piece = next(in_hand, std::exchange(ended_, false));
  const bool done =
      std::all_of(in_hand.begin() + at_, in_hand.end(), [](Dw dw) { return dw == 0; });
  if (done) at_ = 0;
  if (flit && !full && !(from_wire && done)) waiting_.push_back(*flit);
  if (done && !from_wire) waiting_.pop_front();
  return piece;
}

}  // namespace cxlgpu
