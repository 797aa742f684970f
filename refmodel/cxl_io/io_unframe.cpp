// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
#include "refmodel/cxl_io/io_unframe.hpp"

#include <algorithm>
#include <cstring>
#include <utility>

namespace cxlgpu {
namespace {

constexpr IoUnframe::Dw kEdb = 0xc0c0'c0c0;

IoUnframe::Dw dw_of(const IoFlit& flit, unsigned n) {
  IoUnframe::Dw dw = 0;
  std::memcpy(&dw, &flit[4 * n], sizeof dw);
  return dw;
}

// The first DW from `n` on that is not idle.
unsigned skip_idle(const IoFlit& flit, unsigned n) {
  while (n < IoUnframe::kDws && dw_of(flit, n) == 0) ++n;
  return n;
}

}  // namespace

// What one cycle takes out of the flit in hand.
std::optional<IoUnframe::Piece> IoUnframe::next_piece(const IoFlit& flit) {
  const bool edb_may_come = std::exchange(flit_ended_tlp_, false);
  Piece piece;
  if (remaining_ == 0) {
    dw_ = skip_idle(flit, dw_);
    if (dw_ == kDws) return std::nullopt;
    const Dw token = dw_of(flit, dw_);
    if (edb_may_come && dw_ == 0 && token == kEdb) {
      ++dw_;
      return std::nullopt;
    }
    const bool is_sdp = (token & 0xffff) == 0xacf0;
    is_tlp_ = !is_sdp;
    remaining_ = is_sdp ? 2 : token_length(&flit[4 * dw_]);
    piece.first = true;
    if (remaining_ == 0) {
      dw_ = kDws;
      return Piece{.first = true, .last = true, .bad = true, .count = 1, .dws = {token}};
    }
  }
  piece.count = std::min(remaining_, kDws - dw_);
  std::memcpy(piece.dws.data(), &flit[4 * dw_], 4 * piece.count);
  dw_ += piece.count;
  remaining_ -= piece.count;
  piece.last = remaining_ == 0;
  if (piece.last && is_tlp_) {
    flit_ended_tlp_ = dw_ == kDws;
    if (flit_ended_tlp_) {
      piece.behind = Behind::kUnknown;
    } else if (dw_of(flit, dw_) == kEdb) {
      piece.behind = Behind::kEdb;
      ++dw_;
    }
  }
  return piece;
}

std::optional<IoUnframe::Piece> IoUnframe::clock(const std::optional<IoFlit>& flit) {
  if (flit && waiting_.size() < depth_) waiting_.push_back(*flit);
  if (waiting_.empty()) return std::nullopt;
  const std::optional<Piece> piece = next_piece(waiting_.front());
  if (skip_idle(waiting_.front(), dw_) == kDws) {
    waiting_.pop_front();
    dw_ = 0;
  }
  return piece;
}

}  // namespace cxlgpu
