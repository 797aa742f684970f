// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
// Random legal flit streams and what a receiver must make of them; shared by the flit tests.
//
// A stream is built slot by slot from the packing rules, apart from the library's decoder: it keeps
// its own queue of owed chunks, chooses formats and messages at random, and notes each message in
// the order in which its last slot leaves.
#pragma once

#include <deque>
#include <map>
#include <random>
#include <vector>

#include "flits/codec.hpp"

namespace cxlgpu::flits::test {

class Random {
 public:
  explicit Random(std::uint64_t seed) : engine_(seed) {}
  std::uint64_t below(std::uint64_t n) { return engine_() % n; }
  bool chance(unsigned percent) { return below(100) < percent; }
  std::uint64_t bits(unsigned width) {
    return engine_() & static_cast<std::uint64_t>(low_mask(width));
  }
  Chunk chunk() {
    Chunk c;
    for (auto& b : c) b = static_cast<std::uint8_t>(bits(8));
    return c;
  }

  template <class M>
  M fields() {
    M m{};
    for_each_field<M>([&](const auto& f) {
      using T = std::remove_cvref_t<decltype(m.*f.member)>;
      if constexpr (std::is_enum_v<T>) {
        m.*f.member = NamesOf<T>::table[below(NamesOf<T>::table.size())].value;
      } else {
        m.*f.member = static_cast<T>(bits(f.width) << f.shift);
      }
    });
    return m;
  }

  template <std::size_t I = 0>
  Message message(MessageKind kind) {
    if constexpr (I + 1 < kMessageKinds) {
      if (index(kind) != I) return message<I + 1>(kind);
    }
    auto m = fields<std::variant_alternative_t<I, Message>>();
    m.valid = true;
    return m;
  }

  Control control() {
    switch (below(9)) {
      case 0:
        return Llcrd{static_cast<std::uint8_t>(bits(8)), 0, 0, 0};
      case 1:
        return RetryIdle{};
      case 2:
        return fields<RetryReq>();
      case 3:
        return fields<RetryAck>();
      case 4:
        return RetryFrame{};
      case 5:
        return fields<InitParam>();
      case 6:
        return IdeIdle{};
      case 7:
        return IdeStart{};
      default: {
        IdeTmac c;
        for (auto& b : c.mac) b = static_cast<std::uint8_t>(bits(8));
        return c;
      }
    }
  }

 private:
  std::mt19937_64 engine_;
};

struct Stream {
  struct Step {
    Flit flit;
    unsigned owed_before;
    std::vector<Item> items;  // complete with this flit
  };
  std::vector<Step> steps;
};

class StreamMaker {
 public:
  StreamMaker(Direction direction, std::uint64_t seed) : direction_(direction), random_(seed) {}

  /// `flits` flits with new messages, then as many as the owed data needs.
  Stream make(unsigned flits) {
    Stream stream;
    for (unsigned n = 0; n < flits || !owed_.empty(); ++n) stream.steps.push_back(step(n < flits));
    return stream;
  }

 private:
  struct Owed {
    Chunk chunk;
    std::optional<Item> completes;
  };

  Chunk pay(std::vector<Item>& items) {
    const Owed o = owed_.front();
    owed_.pop_front();
    if (o.completes) items.push_back(*o.completes);
    return o.chunk;
  }

  Stream::Step step(bool new_messages) {
    Stream::Step step{{}, static_cast<unsigned>(owed_.size()), {}};
    if (owed_.size() >= 4) {
      AllDataFlit adf;
      for (auto& c : adf.chunks) c = pay(step.items);
      step.flit = encode(adf);
    } else if (new_messages && random_.chance(10)) {
      step.flit = encode_control(random_.control());
    } else {
      step.flit = encode(direction_, protocol(new_messages, step.items));
    }
    return step;
  }

  ProtocolFlit protocol(bool new_messages, std::vector<Item>& items) {
    ProtocolFlit flit;
    data_header_seen_ = false;
    in_flit_.clear();
    flit.header.sz = random_.chance(70);
    flit.header.be = random_.chance(30);
    flit.header.ak = random_.chance(20);
    const bool host = direction_ == Direction::M2S;
    flit.header.rsp_crd = static_cast<std::uint8_t>(random_.bits(host ? 4 : 3));
    flit.header.req_crd = static_cast<std::uint8_t>(random_.bits(host ? 3 : 4));
    flit.header.data_crd = static_cast<std::uint8_t>(random_.bits(4));
    for (unsigned s = 0; s < 4; ++s) {
      if (s > 0 && !owed_.empty()) {
        flit.slots[s].is_data = true;
        flit.slots[s].raw = pay(items);
      } else if (new_messages) {
        fill(flit, s, items);
      }
    }
    return flit;
  }

  void fill(ProtocolFlit& flit, unsigned s, std::vector<Item>& items) {
    static constexpr unsigned kLast[2][2] = {{5, 5}, {5, 6}};  // [direction][generic]
    const unsigned code = static_cast<unsigned>(random_.below(kLast[index(direction_)][s > 0] + 1));
    const SlotFormat& format = slot_format(direction_, s, code);
    flit.header.format[s] = static_cast<std::uint8_t>(code);
    if (format.raw) return;  // empty G0
    std::map<MessageKind, bool> closed;
    unsigned room = data_room(format, flit.header);
    for (const Placement& p : format.places()) {
      bool use = !closed[p.kind] && in_flit_[p.kind] < kBound.at(p.kind);
      if (carries_data(p.kind)) {
        use = use && room > 0;
      } else {
        use = use && random_.chance(60);
      }
      if (!use) {
        closed[p.kind] = true;
        continue;
      }
      Message m = random_.message(p.kind);
      if (auto* drs = std::get_if<S2mDrs>(&m); drs && lower_half_) {
        drs->tag = lower_half_->tag;
        drs->ld_id = lower_half_->ld_id;
      }
      flit.slots[s].messages.push_back(m);
      ++in_flit_[p.kind];
      if (!carries_data(p.kind)) {
        items.push_back(Item{m});
        continue;
      }
      --room;
      data_header_seen_ = true;
      owe(m, flit.header);
    }
  }

  // How many data headers this slot gets: none, one, or two and more in an MDH slot.
  unsigned data_room(const SlotFormat& format, const FlitHeader& h) {
    if (data_header_seen_ || random_.chance(30)) return 0;
    if (format.mdh) {
      unsigned places = 0;
      for (const Placement& p : format.places()) {
        if (lower_half_) return 0;
        places += carries_data(p.kind);
      }
      return h.sz && !h.be ? 2 + static_cast<unsigned>(random_.below(places - 1)) : 0;
    }
    for (const Placement& p : format.places()) {
      if (p.kind == MessageKind::M2sRwd && !h.sz) return 0;
      if ((p.kind == MessageKind::S2mDrs || p.kind == MessageKind::H2dDh) && h.be) return 0;
      if (lower_half_ && carries_data(p.kind) && (h.sz || p.kind != MessageKind::S2mDrs)) return 0;
    }
    return 1;
  }

  void owe(const Message& m, const FlitHeader& h) {
    Item item{m};
    item.data_bytes = h.sz ? 64 : 32;
    item.has_byte_enables = h.be;
    if (const auto* drs = std::get_if<S2mDrs>(&m); drs && !h.sz) {  // the upper half or a lower one
      item.line_offset = lower_half_ ? 32 : 0;
      lower_half_ = lower_half_ ? std::nullopt : std::optional(*drs);
    }
    std::vector<Chunk> chunks;
    for (unsigned k = 0; k < item.data_bytes / 16u; ++k) {
      chunks.push_back(random_.chunk());
      std::copy(chunks[k].begin(), chunks[k].end(), item.data.begin() + 16 * k);
    }
    if (h.be) {
      item.byte_enables = random_.bits(64);
      chunks.push_back(byte_enable_chunk(item.byte_enables));
    }
    for (const Chunk& c : chunks) owed_.push_back({c, std::nullopt});
    owed_.back().completes = item;
  }

  // Most messages of a kind in one flit, from the specification's table.
  inline static const std::map<MessageKind, unsigned> kBound{
      {MessageKind::D2hReq, 4}, {MessageKind::D2hRsp, 2}, {MessageKind::D2hDh, 4},
      {MessageKind::S2mNdr, 2}, {MessageKind::S2mDrs, 3}, {MessageKind::H2dReq, 2},
      {MessageKind::H2dRsp, 4}, {MessageKind::H2dDh, 4},  {MessageKind::M2sReq, 2},
      {MessageKind::M2sRwd, 1}};

  Direction direction_;
  Random random_;
  std::deque<Owed> owed_;
  bool data_header_seen_ = false;
  std::map<MessageKind, unsigned> in_flit_;
  std::optional<S2mDrs> lower_half_;  // of a line of which the upper half has to come
};

}  // namespace cxlgpu::flits::test
