// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
#include "refmodel/flex_bus/flex_bus_tx.hpp"

#include <algorithm>

namespace cxlgpu {

namespace {

// Cycles: the sync headers of 16 blocks take the time of a word.
constexpr unsigned kPausePeriod = 16 * kBlockWords + 1;

}  // namespace

unsigned FlexBusTx::interval_words(const In& in) const {
  return kBlockWords * (in.bypass ? bypass_blocks_ : sync_blocks_);
}

// Where in the stream the word of this cycle is.
FlexBusTx::Place FlexBusTx::place(const In& in) const {
  const std::uint64_t pauses = in.bypass ? 0 : stream_cycles_ / kPausePeriod;
  const bool pause = !in.bypass && stream_cycles_ % kPausePeriod == kPausePeriod - 1;
  if (!in.run || pause) return {};
  const std::uint64_t word = stream_cycles_ - pauses;
  if (word < kBlockWords) return {Part::kSds, unsigned(word)};
  const unsigned interval = interval_words(in);
  const auto at = unsigned((word - kBlockWords) % (interval + kBlockWords));
  if (at < interval) return {Part::kData, at};
  return {Part::kSkp, at - interval};
}

// Bytes of the interval left to a flit that begins in this word; 0 if none does.
unsigned FlexBusTx::room(const In& in) const {
  const Place at = place(in);
  const unsigned word_bytes = 4 * lanes_;
  if (at.part != Part::kData || to_send_.size() >= word_bytes) return 0;
  return (interval_words(in) - at.word) * word_bytes - unsigned(to_send_.size());
}

void FlexBusTx::begin_flit(const In& in, unsigned room) {
  const bool goes = in.tx_valid && in.flit_en && room >= kFlitBytes;
  const FlitKind kind = goes ? in.tx_kind : FlitKind::kNull;
  null_ = kind == FlitKind::kNull;
  std::array<std::uint8_t, kFlitBytes> bytes{};
  bytes[0] = bytes[1] = static_cast<std::uint8_t>(protocol_code(kind, room <= kFlitBytes));
  if (!null_) {
    std::ranges::copy(in.tx_flit.payload, bytes.begin() + 2);
    bytes[66] = static_cast<std::uint8_t>(in.tx_flit.crc);
    bytes[67] = static_cast<std::uint8_t>(in.tx_flit.crc >> 8);
  }
  to_send_.insert(to_send_.end(), bytes.begin(), bytes.begin() + std::min(room, kFlitBytes));
}

void FlexBusTx::make_word(const In& in, const Place& at) {
  word_ = {.valid = true};
  word_.start = at.word % kBlockWords == 0 && (!in.bypass || at.part == Part::kSds);
  if (word_.start) word_.sync = at.part == Part::kData ? kSyncData : kSyncOrderedSet;
  if (at.part == Part::kSds) word_.lane.fill(at.word == 0 ? kSdsFirstWord : kSdsWord);
  if (at.part == Part::kSkp) word_.lane.fill(at.word == kBlockWords - 1 ? kSkpEndWord : kSkpWord);
  for (unsigned k = 0; at.part == Part::kData && k < 4 * lanes_; ++k) {
    word_.set_byte(lanes_, k, to_send_.front());
    to_send_.pop_front();
  }
}

void FlexBusTx::clock(const In& in) {
  const Place at = place(in);
  null_ = word_.valid = false;
  if (const unsigned bytes = room(in)) begin_flit(in, bytes);
  if (at.part != Part::kNone) make_word(in, at);
  if (in.run) {
    ++stream_cycles_;
  } else {
    stream_cycles_ = 0;
    to_send_.clear();
  }
}

}  // namespace cxlgpu
