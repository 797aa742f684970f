// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
#include "refmodel/flex_bus/flex_bus_tx.hpp"

namespace cxlgpu {
namespace {
constexpr unsigned kWordsPerPause = 64;  // 16 blocks, whose headers take one word's time
}

bool FlexBusTx::stalls(const In& in) const {
  return !in.bypass && gear_ == kWordsPerPause;
}

bool FlexBusTx::flit_begins() const {
  return phase_ == Phase::kData && pending_.size() < 4 * lanes_;
}

bool FlexBusTx::takes_flit(const In& in) const {
  return in.run && !stalls(in) && flit_begins() && room_ >= kFlitDws && in.flit_en;
}

void FlexBusTx::begin_flit(const In& in, bool offered) {
  const unsigned dws = std::min(room_, kFlitDws);
  room_ -= dws;
  const FlitKind kind = offered ? in.tx_kind : FlitKind::kNull;
  null_ = kind == FlitKind::kNull;
  const auto code = static_cast<std::uint8_t>(protocol_code(kind, room_ == 0));
  std::vector<std::uint8_t> bytes(4 * dws, 0);
  bytes[0] = bytes[1] = code;
  if (!null_) {
    std::copy(in.tx_flit.payload.begin(), in.tx_flit.payload.end(), bytes.begin() + 2);
    bytes[66] = static_cast<std::uint8_t>(in.tx_flit.crc);
    bytes[67] = static_cast<std::uint8_t>(in.tx_flit.crc >> 8);
  }
  pending_.insert(pending_.end(), bytes.begin(), bytes.end());
}

void FlexBusTx::data_word(const In& in, bool offered) {
  if (flit_begins()) begin_flit(in, offered);
  for (unsigned k = 0; k < 4 * lanes_; ++k) word_.set_byte(lanes_, k, pending_[k]);
  pending_.erase(pending_.begin(), pending_.begin() + 4 * lanes_);
  --words_left_;
}

void FlexBusTx::clock(const In& in) {
  const bool offered = takes_flit(in) && in.tx_valid;
  null_ = false;
  word_.valid = false;
  if (!in.run) {
    *this = FlexBusTx(lanes_, bypass_blocks_, sync_blocks_);
    return;
  }
  if (stalls(in)) {
    gear_ = 0;
    return;
  }
  gear_ = in.bypass ? 0 : gear_ + 1;

  word_.valid = true;
  word_.start = block_word_ == 0 && (phase_ == Phase::kSds || !in.bypass);
  word_.sync = !word_.start ? 0 : phase_ == Phase::kData ? kSyncData : kSyncOrderedSet;
  const bool last_of_block = block_word_ == kBlockWords - 1;
  switch (phase_) {
    case Phase::kSds:
      word_.lane.fill(block_word_ == 0 ? kSdsFirstWord : kSdsWord);
      break;
    case Phase::kSkp:
      word_.lane.fill(last_of_block ? kSkpEndWord : kSkpWord);
      break;
    case Phase::kData:
      data_word(in, offered);
      break;
  }
  block_word_ = (block_word_ + 1) % kBlockWords;

  if (phase_ == Phase::kData) {
    if (words_left_ == 0) phase_ = Phase::kSkp;
  } else if (last_of_block) {
    phase_ = Phase::kData;
    words_left_ = kBlockWords * (in.bypass ? bypass_blocks_ : sync_blocks_);
    room_ = words_left_ * lanes_;
  }
}

}  // namespace cxlgpu
