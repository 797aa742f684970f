// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
// From two controllers in lockstep with their twins to the pairs of their queues and credits.
//
// Purpose: what the five channels of each end do in a cycle, by the level of their queues and by
//          their credits (tests/coverage/pairs_cache.hpp).
// Units:   messages. Channels: 0 ND, 1 WD, 2 Creq, 3 Crsp, 4 Cdat; without CXL.cache the first two.
// Errors:  none.
// Source:  docs/blocks/controller/cxl_controller.md, controller/cache_channels.md.
#pragma once

#include <array>

#include "refmodel/controller/cxl_controller.hpp"
#include "tests/coverage/pair_bins.hpp"
#include "tests/coverage/pairs_cache.hpp"

namespace cxlgpu::test {

class ChannelBins {
 public:
  [[nodiscard]] bool on() const { return tx_.on(); }

  // An end before the edge of a cycle.
  void look(unsigned end, const CxlController& twin, const CxlController::In& in,
            const ControllerParams& params) {
    const LinkLayer::Out link = twin.link_now(in);
    const CxlController::Out out = twin.eval(in);
    End& e = end_[end];
    e.counts = !link.start && in.link_up;
    e.channels = params.has_cache ? kChannels : 2;
    e.channel[0] = {.waiting = twin.nd_waiting(),
                    .sent = link.nd_take,
                    .queued = out.rx_nd_count,
                    .depth = params.nd_rx_depth,
                    .arrives = link.nd_valid,
                    .offered = in.tx_nd_valid,
                    .ready = in.rx_nd_ready,
                    .credits = 0};
    e.channel[1] = {.waiting = twin.wd_waiting(),
                    .sent = link.wd_take,
                    .queued = out.rx_wd_count,
                    .depth = params.wd_rx_depth,
                    .arrives = link.wd_valid ? 1u : 0u,
                    .offered = in.tx_wd_valid,
                    .ready = in.rx_wd_ready,
                    .credits = 0};
    const std::array<unsigned, kCacheChannels> sent{link.cache.creq_take, link.cache.crsp_take,
                                                    link.cache.cdat_take ? 1u : 0u};
    const CacheReceived& r = link.cache.received;
    const std::array<unsigned, kCacheChannels> arrives{r.creq_valid, r.crsp_valid,
                                                       r.cdat_valid ? 1u : 0u};
    for (const CacheChannel c : {kCreq, kCrsp, kCdat}) {
      if (!params.has_cache) break;
      e.channel[2 + c] = {.waiting = twin.cache().waiting(c),
                          .sent = sent[c],
                          .queued = twin.cache().received(c),
                          .depth = params.cache_rx_depth[c],
                          .arrives = arrives[c],
                          .offered = in.cache.tx_valid[c],
                          .ready = in.cache.rx_ready[c],
                          .credits = 0};
    }
    for (unsigned c = 0; c < e.channels; ++c) e.channel[c].credits = credits(twin, c);
    e.flush = in.tx_flush;
  }
  // The same end after it: what has come is seen now.
  void count(unsigned end, const CxlController& twin) {
    const End& e = end_[end];
    if (!e.counts) return;
    for (unsigned c = 0; c < e.channels; ++c) {
      const Channel& now = e.channel[c];
      const bool come = credits(twin, c) + now.sent > now.credits;
      tx_.look(3 * c + level(now.waiting, kTxDepth),
               {now.offered, now.sent == 1, now.sent >= 2, e.flush});
      rx_.look(3 * c + level(now.queued, now.depth),
               {now.arrives == 1, now.arrives >= 2, now.ready, come});
      credits_.look(3 * c + std::min(now.credits, 2u),
                    {come, now.sent == 1, now.sent >= 2, now.waiting > 0});
    }
  }

 private:
  static constexpr unsigned kChannels = 5;
  static constexpr std::size_t kTxDepth = 4;
  struct Channel {
    std::size_t waiting = 0;
    unsigned sent = 0;
    std::size_t queued = 0, depth = 1;
    unsigned arrives = 0;
    bool offered = false, ready = false;
    unsigned credits = 0;
  };
  struct End {
    bool counts = false, flush = false;
    unsigned channels = 0;
    std::array<Channel, kChannels> channel{};
  };
  static unsigned level(std::size_t held, std::size_t depth) {
    return held == 0 ? 0 : held < depth ? 1 : 2;
  }
  static unsigned credits(const CxlController& twin, unsigned channel) {
    if (channel == 0) return twin.link().nd_credits();
    if (channel == 1) return twin.link().wd_credits();
    return twin.cache().credits(static_cast<CacheChannel>(channel - 2));
  }

  std::array<End, 2> end_;
  PairBins tx_{coverage::channel_tx_pairs()}, rx_{coverage::channel_rx_pairs()},
      credits_{coverage::channel_credit_pairs()};
};

}  // namespace cxlgpu::test
