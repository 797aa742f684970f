// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
#include "refmodel/flex_bus/flex_bus_rx.hpp"

namespace cxlgpu {
namespace {
constexpr unsigned kFlitBytes = 4 * kFlitDws;
constexpr unsigned kMaxSkpWords = 5;  // three as sent, one more from each of two elastic buffers
}  // namespace

void FlexBusRx::begin_interval() {
  phase_ = Phase::kData;
  position_ = 0;
  bytes_.clear();
  ended_ = false;
}

// A whole flit or a short NULL flit is in bytes_.
void FlexBusRx::take_flit(const IdReading& id) {
  if (!id.good()) {
    out_.status = id.verdict == IdVerdict::kUnexpected ? kUnexpected : kUncorrectable;
    phase_ = Phase::kHunt;
    return;
  }
  if (id.verdict == IdVerdict::kCorrectable) out_.status = kCorrectable;
  out_.null = id.kind == FlitKind::kNull;
  out_.rx_valid = !out_.null;
  if (out_.null) return;
  out_.rx_kind = id.kind;
  std::copy_n(bytes_.begin() + 2, 64, out_.rx_flit.payload.begin());
  out_.rx_flit.crc = static_cast<std::uint16_t>(bytes_[66] | bytes_[67] << 8);
}

bool FlexBusRx::accept_interval_end(const In& in) {
  if (!in.word.all(lanes_, kSkpWord)) return false;
  if (!in.bypass && in.word.sync != kSyncOrderedSet) return false;
  if (!ended_) {
    if (bytes_.empty()) return false;
    const IdReading id = judge(in);
    if (!id.good() || id.kind != FlitKind::kNull || !id.eds) return false;
    take_flit(id);
  }
  phase_ = Phase::kSkp;
  set_words_ = 1;
  return true;
}

bool FlexBusRx::accept_data(const In& in) {
  const Word& word = in.word;
  if (!in.bypass && word.start != (position_ == 0)) return false;
  if (in.bypass ? ended_ : word.start && word.sync != kSyncData) return accept_interval_end(in);
  if (ended_) return false;

  for (unsigned k = 0; k < 4 * lanes_; ++k) bytes_.push_back(word.byte(lanes_, k));
  const bool last_of_block = position_ == kBlockWords - 1;
  position_ = (position_ + 1) % kBlockWords;
  if (bytes_.size() < kFlitBytes) return true;

  const IdReading id = judge(in);
  ended_ = id.good() && id.eds;
  if (ended_ && !(bytes_.size() == kFlitBytes && last_of_block)) return false;
  take_flit(id);
  bytes_.erase(bytes_.begin(), bytes_.begin() + kFlitBytes);
  return true;
}

bool FlexBusRx::accept(const In& in) {
  const Word& word = in.word;
  switch (phase_) {
    case Phase::kHunt:
      if (word.start && word.sync == kSyncOrderedSet && word.all(lanes_, kSdsFirstWord)) {
        phase_ = Phase::kSds;
        set_words_ = 1;
      }
      return true;
    case Phase::kSds:
      if (word.start || !word.all(lanes_, kSdsWord)) return false;
      if (++set_words_ == kBlockWords) begin_interval();
      return true;
    case Phase::kData:
      return accept_data(in);
    case Phase::kSkp:
      if (word.start) return false;
      if (word.all_skp_end(lanes_)) {
        begin_interval();
        return true;
      }
      return word.all(lanes_, kSkpWord) && ++set_words_ <= kMaxSkpWords;
  }
  return false;
}

void FlexBusRx::clock(const In& in) {
  out_ = {};
  if (!in.run) {
    phase_ = Phase::kHunt;
  } else if (in.word.valid && !accept(in)) {
    out_ = {};
    out_.status = kUncorrectable;
    phase_ = Phase::kHunt;
  }
}

}  // namespace cxlgpu
