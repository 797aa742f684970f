// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
// CXL.mem traffic over a pair of controllers, and the scoreboard of it.
//
// Purpose: a host that reads, invalidates, speculates and writes (with and without byte enables)
//          with tags and lines of its own, a device that answers in the order of arrival, stalls on
//          every interface. All fields that Type 3 traffic leaves free are random. Every message
//          taken by a controller must come out of the other once, in order within its channel, and
//          unchanged.
// Units:   percent a cycle; cycles. End 0 is the host.
// Errors:  on_problem is called with one line.
#pragma once

#include <functional>

#include "refmodel/controller/wire.hpp"
#include "tests/controller/link_pair.hpp"

namespace cxlgpu::test {

struct TrafficMix {
  unsigned read = 50, write = 50;      // percent a cycle: a new message if none waits
  unsigned answer = 100;               // percent a cycle: the device offers its next answer
  unsigned partial = 30;               // percent of the writes
  unsigned odd = 10;                   // percent of the Reqs: MemSpecRd, MemInv, MemRdData
  std::array<unsigned, 2> tx_stall{};  // wire not ready
  std::array<unsigned, 2> rx_stall{};  // consumer of received messages not ready
  std::array<unsigned, 2> ratio{};     // reads to writes to be kept; 0: as they come
  unsigned hold = 0;                   // messages that the consumers always leave in each queue
};

class LinkTraffic {
 public:
  static constexpr unsigned kTags = 512;
  enum Channel : unsigned { kNd = 0, kWd = 1 };

  LinkTraffic(std::uint64_t seed, std::function<void(std::string)> on_problem)
      : random_(seed), on_problem_(std::move(on_problem)) {
    for (std::uint16_t tag = 0; tag < kTags; ++tag) free_.push(tag);
  }

  TrafficMix mix;

  void drive(std::array<EndPins, 2>& pins) {
    draw_ = random_.next();
    if (!offer_nd_[0] && chance(mix.read) && !free_.empty() && in_turn(0)) new_request();
    if (!offer_wd_[0] && chance(mix.write) && !free_.empty() && in_turn(1)) new_write();
    if (!offer_nd_[1] && !completions_.empty() && chance(mix.answer)) next_completion();
    if (!offer_wd_[1] && !data_.empty() && chance(mix.answer)) next_data();
    for (unsigned end = 0; end < 2; ++end) {
      EndPins& p = pins[end];
      p.tx_nd_valid = offer_nd_[end] ? 1 : 0;
      p.tx_wd_valid = offer_wd_[end] ? 1 : 0;
      p.rx_nd_ready = p.rx_nd_count <= mix.hold || chance(mix.rx_stall[end]) ? 0 : 1;
      p.rx_wd_ready = p.rx_wd_count <= mix.hold || chance(mix.rx_stall[end]) ? 0 : 1;
      if (fresh_nd_[end]) std::memcpy(p.tx_nd_hdr, &nd_[end], 12);
      if (fresh_wd_[end]) {
        std::memcpy(p.tx_wd_hdr, &wd_[end].header, 12);
        std::memcpy(p.tx_wd_data, wd_[end].data.data(), 64);
        p.tx_wd_be = wd_[end].enables;
      }
    }
    fresh_nd_ = fresh_wd_ = {};
  }
  [[nodiscard]] std::array<bool, 2> tx_stall() {
    draw_ = mix.tx_stall[0] + mix.tx_stall[1] == 0 ? 0 : random_.next();
    return {mix.tx_stall[0] != 0 && chance(mix.tx_stall[0]),
            mix.tx_stall[1] != 0 && chance(mix.tx_stall[1])};
  }

  // The transfers of this cycle, before its edge.
  void sample(std::array<EndPins, 2>& pins, std::uint64_t cycle) {
    for (unsigned end = 0; end < 2; ++end) {
      EndPins& p = pins[end];
      if (p.tx_nd_valid != 0 && p.tx_nd_ready != 0) {
        sent_nd_[end].push({nd_[end], cycle});
        offer_nd_[end] = false;
      }
      if (p.tx_wd_valid != 0 && p.tx_wd_ready != 0) {
        sent_wd_[end].push({wd_[end], cycle});
        offer_wd_[end] = false;
      }
    }
    for (unsigned end = 0; end < 2; ++end) {
      EndPins& p = pins[end];
      if (p.rx_nd_valid != 0 && p.rx_nd_ready != 0) receive_nd(end, p, cycle);
      if (p.rx_wd_valid != 0 && p.rx_wd_ready != 0) receive_wd(end, p, cycle);
    }
  }

  // One message now, while nothing else is offered.
  void one_read() { new_request(); }
  void one_write() { new_write(); }

  // Messages received at an end.
  [[nodiscard]] std::uint64_t received(unsigned end, Channel channel) const {
    return received_[end][channel];
  }
  // Of the last message received there: accepted by the sender to taken by the receiver.
  [[nodiscard]] std::uint64_t latency(unsigned end, Channel channel) const {
    return latency_[end][channel];
  }
  [[nodiscard]] bool idle() const {
    for (unsigned end = 0; end < 2; ++end) {
      if (offer_nd_[end] || offer_wd_[end]) return false;
      if (!sent_nd_[end].empty() || !sent_wd_[end].empty()) return false;
    }
    return free_.size() == kTags && completions_.empty() && data_.empty();
  }

 private:
  struct Answer {
    std::uint16_t tag;
    std::uint8_t ld_id;
  };
  struct SentNd {
    MsgHeader header;
    std::uint64_t cycle;
  };
  struct SentWd {
    WdMessage message;
    std::uint64_t cycle;
  };

  // Seven bits of one draw a cycle for each question.
  bool chance(unsigned percent) {
    if (percent >= 100) return true;
    const bool yes = (draw_ & 127) * 100 < percent * 128;
    draw_ >>= 7;
    return yes;
  }

  // Neither kind runs ahead of the ratio by more than a few.
  bool in_turn(unsigned kind) const {
    if (mix.ratio[kind] == 0) return true;
    const unsigned other = 1 - kind;
    return issued_[kind] * mix.ratio[other] <= (issued_[other] + 2) * mix.ratio[kind];
  }

  std::uint16_t take_slot() {
    const std::uint16_t slot = free_.front();
    free_.pop();
    return slot;
  }
  // No two outstanding requests share a tag or a line: both hold the slot in their low bits.
  void fill(auto& message, std::uint16_t slot) {
    const std::uint64_t bits = random_.next();
    message.tag = static_cast<std::uint16_t>(slot | (bits & 0x7F) << 9);
    message.address = ((bits >> 7 & 0x1FFFFFFFFFull) << 9 | slot) << 6;
    message.tc = static_cast<std::uint8_t>(bits >> 44 & 3);
    message.ld_id = static_cast<std::uint8_t>(bits >> 46 & 15);
    message.meta_value = meta_value(bits >> 50);
  }
  static flits::MetaValue meta_value(std::uint64_t bits) {
    constexpr std::array kValues{flits::MetaValue::Invalid, flits::MetaValue::Any,
                                 flits::MetaValue::Shared, flits::MetaValue::Any};
    return kValues[bits & 3];
  }
  flits::MetaField meta_field() {
    return random_.bits(1) != 0 ? flits::MetaField::NoOp : flits::MetaField::Meta0State;
  }

  void new_request() {
    using Opcode = flits::M2sReqOpcode;
    flits::M2sReq req{.meta_field = meta_field()};
    if (random_.percent(mix.odd)) {
      req.opcode = random_.pick(
          std::array{Opcode::MemSpecRd, Opcode::MemInv, Opcode::MemInvNT, Opcode::MemRdData});
    }
    const bool speculative = req.opcode == Opcode::MemSpecRd;
    fill(req, speculative ? static_cast<std::uint16_t>(random_.bits(9)) : take_slot());
    nd_[0] = flits::pack(req);
    ++issued_[0];
    offer_nd_[0] = fresh_nd_[0] = true;
  }
  void new_write() {
    WdMessage& wd = wd_[0];
    flits::M2sRwd rwd;
    wd.enables = kAllEnables;
    if (random_.percent(mix.partial)) {
      rwd.opcode = flits::M2sRwdOpcode::MemWrPtl;
      wd.enables = random_.bits(1) != 0 ? random_.next() & ~1ull : 1ull << random_.bits(6);
      if (random_.bits(4) == 0) wd.enables = ~wd.enables & ~1ull;
    }
    fill(rwd, take_slot());
    rwd.poison = random_.bits(5) == 0;
    wd.header = flits::pack(rwd);
    ++issued_[1];
    fill_data(wd.data);
    offer_wd_[0] = fresh_wd_[0] = true;
  }
  void next_completion() {
    const Answer answer = completions_.front();
    completions_.pop();
    const flits::S2mNdr ndr{.tag = answer.tag,
                            .ld_id = answer.ld_id,
                            .dev_load = static_cast<flits::DevLoad>(random_.bits(2))};
    nd_[1] = flits::pack(ndr);
    offer_nd_[1] = fresh_nd_[1] = true;
  }
  void next_data() {
    const Answer answer = data_.front();
    data_.pop();
    const flits::S2mDrs drs{.meta_field = meta_field(),
                            .meta_value = meta_value(random_.next()),
                            .tag = answer.tag,
                            .poison = random_.bits(5) == 0,
                            .ld_id = answer.ld_id,
                            .dev_load = static_cast<flits::DevLoad>(random_.bits(2))};
    wd_[1].header = flits::pack(drs);
    fill_data(wd_[1].data);
    offer_wd_[1] = fresh_wd_[1] = true;
  }
  void fill_data(Line& line) {
    for (unsigned i = 0; i < line.size(); i += 8) {
      const std::uint64_t word = random_.next();
      std::memcpy(line.data() + i, &word, 8);
    }
  }

  static MsgHeader header(const std::uint32_t* words) {
    MsgHeader header = 0;
    std::memcpy(&header, words, 12);
    return header;
  }
  void count(unsigned end, Channel channel, std::uint64_t latency) {
    ++received_[end][channel];
    latency_[end][channel] = latency;
  }

  void receive_nd(unsigned end, const EndPins& p, std::uint64_t cycle) {
    auto& sent = sent_nd_[1 - end];
    const MsgHeader got = header(p.rx_nd_hdr);
    if (sent.empty() || sent.front().header != got) {
      return on_problem_(fmt::format("{}: {} message that was not the next one sent",
                                     end == 0 ? "host" : "device", end == 0 ? "NDR" : "Req"));
    }
    count(end, kNd, cycle - sent.front().cycle);
    sent.pop();
    if (end == 0) {
      free_.push(flits::unpack<flits::S2mNdr>(got).tag % kTags);
      return;
    }
    const auto req = flits::unpack<flits::M2sReq>(got);
    switch (req.opcode) {
      case flits::M2sReqOpcode::MemSpecRd:
        return;
      case flits::M2sReqOpcode::MemInv:
      case flits::M2sReqOpcode::MemInvNT:
        return completions_.push({req.tag, req.ld_id});
      default:
        return data_.push({req.tag, req.ld_id});
    }
  }

  void receive_wd(unsigned end, const EndPins& p, std::uint64_t cycle) {
    auto& sent = sent_wd_[1 - end];
    bool same = !sent.empty();
    if (same) {
      const WdMessage& expected = sent.front().message;
      same = expected.header == header(p.rx_wd_hdr) && expected.enables == p.rx_wd_be &&
             std::memcmp(expected.data.data(), p.rx_wd_data, 64) == 0;
    }
    if (!same) {
      return on_problem_(fmt::format("{}: {} message that was not the next one sent",
                                     end == 0 ? "host" : "device", end == 0 ? "DRS" : "RwD"));
    }
    const MsgHeader got = sent.front().message.header;
    count(end, kWd, cycle - sent.front().cycle);
    sent.pop();
    if (end == 0) {
      free_.push(flits::unpack<flits::S2mDrs>(got).tag % kTags);
    } else {
      const auto rwd = flits::unpack<flits::M2sRwd>(got);
      completions_.push({rwd.tag, rwd.ld_id});
    }
  }

  QuickRandom random_;
  std::function<void(std::string)> on_problem_;
  std::uint64_t draw_ = 0;
  // Offered and not yet taken, by end.
  std::array<bool, 2> offer_nd_{}, offer_wd_{}, fresh_nd_{}, fresh_wd_{};
  std::array<MsgHeader, 2> nd_{};
  std::array<WdMessage, 2> wd_{};
  // Taken and not yet received, by sender. More than tags: MemSpecRd has none.
  std::array<RingQueue<SentNd, 1024>, 2> sent_nd_;
  std::array<RingQueue<SentWd, 1024>, 2> sent_wd_;
  RingQueue<std::uint16_t, kTags> free_;
  RingQueue<Answer, kTags> completions_, data_;
  std::array<std::array<std::uint64_t, 2>, 2> received_{}, latency_{};
  std::array<std::uint64_t, 2> issued_{};  // reads, writes
};

}  // namespace cxlgpu::test
