// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
// Traffic and scoreboard of the three CXL.cache channels, for the link harness.
//
// Purpose: offers messages of each channel at both ends, checks that each arrives once, in order
//          and unchanged, and that no request of the host is taken before a response that was
//          accepted before it or with it.
// Units:   cycles; loads in percent a cycle. End 0 is the host, end 1 the device.
// Shapes:  arrays by CacheChannel. Headers are offered with garbage above the message.
// Errors:  a mismatch calls on_problem(what, end).
#pragma once

#include <deque>
#include <functional>

#include "refmodel/controller/cxl_controller.hpp"
#include "tests/controller/ports.hpp"

namespace cxlgpu::test {

inline constexpr std::array<unsigned, kCacheChannels> kCachePortBits{79, 32, 24};

struct CacheLoad {
  CacheChannels::PerChannel<unsigned> offer{};
  CacheChannels::PerChannel<unsigned> rx_stall{};
  unsigned partial = 30;  // device: percent of the data with byte enables
};

// Width in bits of a message that an end sends.
inline constexpr unsigned cache_width(unsigned end, CacheChannel channel) {
  constexpr unsigned kWidth[2][kCacheChannels] = {{64, 32, 24}, {79, 20, 17}};
  return kWidth[end][channel];
}

class CacheBoard {
 public:
  using Ports = CacheChannels::Ports;
  using Out = CacheChannels::Out;
  using OnProblem = std::function<void(const char*, unsigned)>;

  CacheBoard(Random& random, OnProblem on_problem)
      : random_(random), on_problem_(std::move(on_problem)) {}

  std::array<CacheLoad, 2> load;
  // Makes a header: reserved codes and reserved bits too unless a test wants it otherwise.
  std::function<MsgHeader(unsigned end, CacheChannel)> make_header = [this](unsigned,
                                                                            CacheChannel channel) {
    return random_header(random_, kCachePortBits[channel]);
  };

  void send(unsigned end, CacheChannel channel) {
    WdMessage message{.header = make_header(end, channel)};
    if (channel == kCdat) {
      message.data = random_payload(random_);
      message.enables = random_enables(random_, load[end].partial);
    }
    side_[end].waiting[channel].push_back(message);
  }

  // A message stays offered, unchanged, until it is taken.
  void offer(unsigned end, Ports& ports) {
    Side& side = side_[end];
    for (const CacheChannel c : {kCreq, kCrsp, kCdat}) {
      if (side.waiting[c].size() < 2 && random_.percent(load[end].offer[c])) send(end, c);
      ports.tx_valid[c] = !side.waiting[c].empty();
      ports.rx_ready[c] = !random_.percent(load[end].rx_stall[c]);
    }
    if (ports.tx_valid[kCreq]) ports.tx_creq_hdr = side.waiting[kCreq].front().header;
    if (ports.tx_valid[kCrsp]) ports.tx_crsp_hdr = side.waiting[kCrsp].front().header;
    if (ports.tx_valid[kCdat]) ports.tx_cdat = side.waiting[kCdat].front();
  }

  // The messages that the controller of this end accepts.
  void accept(unsigned end, const Ports& ports, const Out& out) {
    Side& side = side_[end];
    for (const CacheChannel c : {kCrsp, kCreq, kCdat}) {  // a response goes before a request
      if (!ports.tx_valid[c] || !out.tx_ready[c]) continue;
      WdMessage message = side.waiting[c].front();
      side.waiting[c].pop_front();
      message.header &= flits::low_mask(cache_width(end, c));
      if (end == 0) message.enables = kAllEnables;  // the host's data are whole lines
      if (c == kCrsp) ++side.responses_sent;
      if (c == kCreq) side.behind.push_back(side.responses_sent);
      side.expected[c].push_back(message);
    }
  }

  void receive(unsigned end, const Ports& ports, const Out& out) {
    const auto taken = [&](CacheChannel c) { return out.rx_valid[c] && ports.rx_ready[c]; };
    Side& sender = side_[1 - end];
    if (taken(kCreq)) {
      check(end, kCreq, {.header = out.rx_creq_hdr});
      if (!sender.behind.empty()) {
        const bool early = end == 1 && side_[end].responses_taken < sender.behind.front();
        if (early) on_problem_("Creq before an older Crsp", end);
        sender.behind.pop_front();
      }
    }
    if (taken(kCrsp)) {
      check(end, kCrsp, {.header = out.rx_crsp_hdr});
      ++side_[end].responses_taken;
    }
    if (taken(kCdat)) check(end, kCdat, out.rx_cdat);
  }

  [[nodiscard]] bool all_delivered() const {
    for (const Side& side : side_) {
      for (unsigned c = 0; c < kCacheChannels; ++c) {
        if (!side.waiting[c].empty() || !side.expected[c].empty()) return false;
      }
    }
    return true;
  }
  // Messages taken at an end.
  [[nodiscard]] std::uint64_t delivered(unsigned end, CacheChannel channel) const {
    return side_[end].delivered[channel];
  }

 private:
  struct Side {
    std::array<std::deque<WdMessage>, kCacheChannels> waiting, expected;  // of this sender
    std::deque<std::uint64_t> behind;  // responses sent before each expected request
    std::uint64_t responses_sent = 0, responses_taken = 0;
    std::array<std::uint64_t, kCacheChannels> delivered{};
  };

  void check(unsigned end, CacheChannel channel, const WdMessage& got) {
    static constexpr const char* kNames[] = {"Creq message", "Crsp message", "Cdat message"};
    auto& expected = side_[1 - end].expected[channel];
    const bool same = !expected.empty() && expected.front().header == got.header &&
                      (channel != kCdat || expected.front() == got);
    if (!same) on_problem_(kNames[channel], end);
    if (!expected.empty()) expected.pop_front();
    ++side_[end].delivered[channel];
  }

  Random& random_;
  OnProblem on_problem_;
  std::array<Side, 2> side_;
};

}  // namespace cxlgpu::test
