// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
#include "refmodel/flex_bus/flex_bus_rx.hpp"

namespace cxlgpu {
namespace {

constexpr unsigned kFlitBytes = 4 * kFlitDws;
constexpr unsigned kMostSkpWords = 5;

}  // namespace

void FlexBusRx::clock(const In& in) {
  out_ = {};
  if (!in.run) {
    place_ = Place::kSearch;
  } else if (in.word.valid) {
    const Place before = place_;
    const std::optional<Place> after = follow(in);
    if (!after) {
      out_ = {};
      out_.status = kUncorrectable;
    }
    place_ = out_.recovery() ? Place::kSearch : *after;
    words_ = place_ == before ? words_ + 1 : 1;
    if (place_ == Place::kInterval && place_ != before) {
      words_ = 0;
      begun_.clear();
      ended_ = false;
    }
  }
  out_.synced = place_ == Place::kInterval || place_ == Place::kSkp;
}

std::optional<FlexBusRx::Place> FlexBusRx::follow(const In& in) {
  const Word& word = in.word;
  switch (place_) {
    case Place::kSearch:
      break;
    case Place::kSds:
      if (word.start || !word.all(lanes_, kSdsWord)) return std::nullopt;
      return words_ + 1 == kBlockWords ? Place::kInterval : Place::kSds;
    case Place::kInterval:
      return follow_interval(in);
    case Place::kSkp:
      if (word.start) return std::nullopt;
      if (word.all_skp_end(lanes_)) return Place::kInterval;
      if (words_ == kMostSkpWords || !word.all(lanes_, kSkpWord)) return std::nullopt;
      return Place::kSkp;
  }
  const bool sds = word.start && word.sync == kSyncOrderedSet && word.all(lanes_, kSdsFirstWord);
  return sds ? Place::kSds : Place::kSearch;
}

std::optional<FlexBusRx::Place> FlexBusRx::follow_interval(const In& in) {
  const Word& word = in.word;
  const unsigned in_block = words_ % kBlockWords;
  if (!in.bypass && word.start != (in_block == 0)) return std::nullopt;
  if (in.bypass ? ended_ : word.start && word.sync != kSyncData) {
    if (!word.all(lanes_, kSkpWord)) return std::nullopt;
    if (!in.bypass && word.sync != kSyncOrderedSet) return std::nullopt;
    if (ended_) return Place::kSkp;
    if (begun_.empty()) return std::nullopt;
    const IdReading id = judge_id(begun_[0], begun_[1], in.expect);  // of a short one
    if (!id.good() || !id.eds || id.kind != FlitKind::kNull) return std::nullopt;
    report(id);
    return Place::kSkp;
  }
  if (ended_) return std::nullopt;
  for (unsigned k = 0; k < 4 * lanes_; ++k) {
    begun_.push_back(word.byte(lanes_, k));
    if (begun_.size() < kFlitBytes) continue;
    const IdReading id = judge_id(begun_[0], begun_[1], in.expect);
    report(id);
    ended_ = id.good() && id.eds;
    if (ended_ && (in_block != kBlockWords - 1 || k != 4 * lanes_ - 1)) return std::nullopt;
    begun_.clear();
  }
  return Place::kInterval;
}

void FlexBusRx::report(const IdReading& id) {
  if (id.verdict == IdVerdict::kCorrectable) out_.status = kCorrectable;
  if (id.verdict == IdVerdict::kUncorrectable) out_.status = kUncorrectable;
  if (id.verdict == IdVerdict::kUnexpected) out_.status = kUnexpected;
  out_.null = id.good() && id.kind == FlitKind::kNull;
  out_.rx_valid = id.good() && !out_.null;
  if (!out_.rx_valid) return;
  out_.rx_kind = id.kind;
  std::copy_n(begun_.begin() + 2, out_.rx_flit.payload.size(), out_.rx_flit.payload.begin());
  out_.rx_flit.crc =
      static_cast<std::uint16_t>(begun_[kFlitBytes - 2] | begun_[kFlitBytes - 1] << 8);
}

}  // namespace cxlgpu
