// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
#include "refmodel/controller/cache_packer.hpp"

#include <algorithm>

namespace cxlgpu {

namespace {

enum Channel : unsigned { kNd, kWd, kReq, kRsp, kDat, kChannels };

constexpr Channel channel_of(flits::MessageKind kind) {
  using enum flits::MessageKind;
  switch (kind) {
    case M2sReq:
    case S2mNdr:
      return kNd;
    case M2sRwd:
    case S2mDrs:
      return kWd;
    case H2dReq:
    case D2hReq:
      return kReq;
    case H2dRsp:
    case D2hRsp:
      return kRsp;
    default:
      return kDat;
  }
}

}  // namespace

class CachePacker::Build {
 public:
  Build(const CachePacker& packer, const In& in)
      : packer_(packer), in_(in), chunks_(packer.owed_), is_adf_(packer.owed() >= 4) {
    if (!is_adf_ && !in.mem.hold_new) {
      offered_ = {in.mem.nd_valid, in.mem.wd_valid, in.cache.creq_valid, in.cache.crsp_valid,
                  in.cache.cdat_valid ? 1u : 0u};
    }
    if (!is_adf_) place_messages();
    place_chunks();
    if (!is_adf_) place_header();
  }

  [[nodiscard]] Out out() const {
    Out out;
    out.mem = {.flit = flit_,
               .is_adf = is_adf_,
               .has_content = packer_.owed() > 0 ||
                              std::any_of(taken_.begin(), taken_.end(), [](auto n) { return n; }),
               .nd_take = taken_[kNd],
               .wd_take = taken_[kWd],
               .owed = packer_.owed(),
               .owed_next = static_cast<unsigned>(chunks_.size())};
    out.creq_take = taken_[kReq];
    out.crsp_take = taken_[kRsp];
    out.cdat_take = taken_[kDat] > 0;
    return out;
  }
  [[nodiscard]] const std::deque<Chunk>& owed_next() const { return chunks_; }
  [[nodiscard]] bool mem_in_slot0() const { return first_ == Pool::kMem; }
  [[nodiscard]] bool cache_in_slot0() const { return first_ == Pool::kCache; }
  [[nodiscard]] bool req_and_rsp_offered() const {
    return offered_[kReq] > 0 && offered_[kRsp] > 0;
  }

 private:
  static constexpr std::uint8_t kNoFormat = 0xFF;
  static constexpr unsigned kNone = 4;

  [[nodiscard]] unsigned left(Channel channel) const { return offered_[channel] - taken_[channel]; }

  void place_messages() {
    const bool mem = offered_[kNd] + offered_[kWd] > 0;
    const bool cache = offered_[kReq] + offered_[kRsp] + offered_[kDat] > 0;
    first_ = cache && (packer_.cache_turn_ || !mem) ? Pool::kCache : mem ? Pool::kMem : Pool::kNone;
    if (first_ == Pool::kNone) return;
    put(0, first_ == Pool::kMem ? mem_format() : cache_format());
    if (data_header_ || packer_.owed() == 3) return;
    const std::uint8_t format = packer_.is_host_ ? host_second() : device_second();
    if (format == kNoFormat) return;
    second_slot_ = packer_.owed() + 1;
    put(second_slot_, format);
  }

  // Slot 0 with a CXL.mem message.
  [[nodiscard]] std::uint8_t mem_format() const {
    if (packer_.is_host_) return offered_[kNd] > 0 ? 5 : 4;
    const bool pair = offered_[kWd] >= 2 && offered_[kNd] == 0 && !in_.mem.mdh_disable;
    if (pair) return 5;
    return offered_[kWd] > 0 ? 3 : 4;
  }
  // Slot 0 with a CXL.cache message.
  [[nodiscard]] std::uint8_t cache_format() const {
    const bool req_first = offered_[kReq] > 0 && (offered_[kRsp] == 0 || packer_.alt_);
    if (!packer_.is_host_) return req_first ? 1 : 0;
    if (offered_[kDat] == 0) return 0;
    return req_first ? 2 : 1;
  }
  [[nodiscard]] std::uint8_t host_second() const {
    if (left(kWd) > 0) return 5;
    if (left(kDat) > 0) return 2;
    if (left(kNd) > 0) return 4;
    if (left(kReq) > 0) return 2;
    return left(kRsp) > 0 ? 1 : kNoFormat;
  }
  [[nodiscard]] std::uint8_t device_second() const {
    if (left(kWd) > 0) return 4;
    if (left(kDat) > 0) return 2;
    if (left(kNd) > 0) return 5;
    return left(kReq) + left(kRsp) > 0 ? 1 : kNoFormat;
  }

  // Fills every place of the format for which a message is left.
  void put(unsigned slot, std::uint8_t format) {
    format_[slot] = format;
    const auto direction = packer_.is_host_ ? flits::Direction::M2S : flits::Direction::S2M;
    for (const flits::Placement& at : flits::slot_format(direction, slot, format).places()) {
      const Channel channel = channel_of(at.kind);
      if (left(channel) == 0) continue;
      const unsigned n = taken_[channel]++;
      or_slot(flit_, slot, place_message(header(channel, n), at));
      if (flits::carries_data(at.kind))
        owe(at.kind, channel == kWd ? in_.mem.wd[n] : in_.cache.cdat);
    }
  }
  [[nodiscard]] MsgHeader header(Channel channel, unsigned n) const {
    switch (channel) {
      case kNd:
        return in_.mem.nd_hdr[n];
      case kWd:
        return in_.mem.wd[n].header;
      case kReq:
        return in_.cache.creq_hdr[n];
      case kRsp:
        return in_.cache.crsp_hdr[n];
      default:
        return in_.cache.cdat.header;
    }
  }
  void owe(flits::MessageKind kind, const WdMessage& message) {
    using enum flits::MessageKind;
    data_header_ = true;
    for (unsigned k = 0; k < 4; ++k) chunks_.push_back(get_chunk(message.data, k));
    const bool may_be_partial = kind == M2sRwd || kind == D2hDh;
    if (!may_be_partial || message.enables == kAllEnables) return;
    enables_ = true;
    chunks_.push_back(enables_chunk(message.enables));
  }

  void place_chunks() {
    for (unsigned slot = is_adf_ ? 0 : 1; slot < 4 && !chunks_.empty(); ++slot) {
      if (slot == second_slot_) continue;
      set_chunk(flit_, slot, chunks_.front());
      chunks_.pop_front();
    }
  }
  void place_header() {
    const FlitPacker::In& mem = in_.mem;
    or_slot(flit_, 0,
            flits::pack_header({.ak = mem.ak,
                                .be = enables_,
                                .sz = data_header_,
                                .format = format_,
                                .rsp_crd = mem.rsp_crd,
                                .req_crd = mem.req_crd,
                                .data_crd = mem.data_crd}));
  }

  const CachePacker& packer_;
  const In& in_;
  std::deque<Chunk> chunks_;  // owed and not yet in a slot
  bool is_adf_;
  std::array<unsigned, kChannels> offered_{}, taken_{};
  Pool first_ = Pool::kNone;  // whose message slot 0 carries
  unsigned second_slot_ = kNone;
  bool data_header_ = false, enables_ = false;
  std::array<std::uint8_t, 4> format_{};
  Payload flit_{};
};

CachePacker::Out CachePacker::eval(const In& in) const {
  return Build(*this, in).out();
}

void CachePacker::clock(const In& in) {
  if (in.mem.start) {
    *this = CachePacker(is_host_);
    return;
  }
  if (!in.mem.take) return;
  const Build build(*this, in);
  if (build.mem_in_slot0()) cache_turn_ = true;
  if (build.cache_in_slot0()) {
    cache_turn_ = false;
    alt_ ^= build.req_and_rsp_offered();
  }
  owed_ = build.owed_next();
}

}  // namespace cxlgpu
