// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
#include "refmodel/controller/cache_channels.hpp"

#include <algorithm>

namespace cxlgpu {

namespace {

// Responses gone: fewer to wait for.
template <typename Requests>
void let_pass(Requests& requests, unsigned responses) {
  for (auto& r : requests) r.older -= std::min(r.older, responses);
}

template <typename Fifo>
void drop(Fifo& fifo, unsigned n) {
  fifo.erase(fifo.begin(), fifo.begin() + n);
}

}  // namespace

CacheChannels::Out CacheChannels::eval() const {
  Out out;
  out.tx_ready = {tx_creq_.size() < kTxDepth, tx_crsp_.size() < kTxDepth,
                  tx_cdat_.size() < kTxDepth};
  out.rx_valid = {!rx_creq_.empty() && rx_creq_.front().older == 0, !rx_crsp_.empty(),
                  !rx_cdat_.empty()};
  if (out.rx_valid[kCreq]) out.rx_creq_hdr = rx_creq_.front().header;
  if (out.rx_valid[kCrsp]) out.rx_crsp_hdr = rx_crsp_.front();
  if (out.rx_valid[kCdat]) out.rx_cdat = rx_cdat_.front();
  return out;
}

CacheToLink CacheChannels::to_link() const {
  CacheToLink link{.prefer_cache = prefer_cache_};
  CacheOffer& offer = link.offer;
  const auto may = [this](CacheChannel c, std::size_t most) {
    return std::min<std::size_t>(credits(c), most);
  };
  while (offer.creq_valid < may(kCreq, std::min<std::size_t>(2, tx_creq_.size())) &&
         tx_creq_[offer.creq_valid].older == 0) {
    offer.creq_hdr[offer.creq_valid] = tx_creq_[offer.creq_valid].header;
    ++offer.creq_valid;
  }
  offer.crsp_valid = static_cast<unsigned>(may(kCrsp, std::min<std::size_t>(2, tx_crsp_.size())));
  std::copy_n(tx_crsp_.begin(), offer.crsp_valid, offer.crsp_hdr.begin());
  offer.cdat_valid = may(kCdat, tx_cdat_.size()) > 0;
  if (offer.cdat_valid) offer.cdat = tx_cdat_.front();
  for (unsigned c = 0; c < kCacheChannels; ++c) {
    const CreditReturn::Out back = returns_[c].eval();
    link.code[c] = back.code;
    link.pending |= back.pending > 0;
  }
  return link;
}

unsigned CacheChannels::received(CacheChannel channel) const {
  const PerChannel<std::size_t> levels{rx_creq_.size(), rx_crsp_.size(), rx_cdat_.size()};
  return static_cast<unsigned>(levels[channel]);
}

unsigned CacheChannels::waiting(CacheChannel channel) const {
  const PerChannel<std::size_t> levels{tx_creq_.size(), tx_crsp_.size(), tx_cdat_.size()};
  return static_cast<unsigned>(levels[channel]);
}

void CacheChannels::clock(const In& in) {
  const Out out = eval();
  PerChannel<bool> pop;
  for (unsigned c = 0; c < kCacheChannels; ++c) pop[c] = out.rx_valid[c] && in.ports.rx_ready[c];
  clock_tx(in);
  clock_rx(in, pop);
  clock_credits(in, pop);
}

void CacheChannels::clock_tx(const In& in) {
  const PerChannel<bool> ready = eval().tx_ready;
  const bool response = in.ports.tx_valid[kCrsp] && ready[kCrsp];
  const auto waiting = static_cast<unsigned>(tx_crsp_.size());
  let_pass(tx_creq_, in.link.crsp_take);
  drop(tx_creq_, in.link.creq_take);
  drop(tx_crsp_, in.link.crsp_take);
  drop(tx_cdat_, in.link.cdat_take ? 1 : 0);
  if (in.ports.tx_valid[kCreq] && ready[kCreq]) {
    const unsigned older = waiting + (response ? 1 : 0) - in.link.crsp_take;
    tx_creq_.push_back({in.ports.tx_creq_hdr, is_host_ ? older : 0});
  }
  if (response) tx_crsp_.push_back(in.ports.tx_crsp_hdr);
  if (in.ports.tx_valid[kCdat] && ready[kCdat]) tx_cdat_.push_back(in.ports.tx_cdat);
  if (!in.tx_flush) return;
  tx_creq_.clear();
  tx_crsp_.clear();
  tx_cdat_.clear();
}

// What has no room at the start of the cycle is dropped.
void CacheChannels::clock_rx(const In& in, const PerChannel<bool>& pop) {
  const CacheReceived& r = in.link.received;
  PerChannel<unsigned> room;
  for (unsigned c = 0; c < kCacheChannels; ++c) {
    room[c] = rx_depth_[c] - received(static_cast<CacheChannel>(c));
  }
  const unsigned waiting = received(kCrsp);
  const unsigned gone = pop[kCrsp] ? 1 : 0;
  let_pass(rx_creq_, gone);
  drop(rx_creq_, pop[kCreq] ? 1 : 0);
  drop(rx_crsp_, gone);
  drop(rx_cdat_, pop[kCdat] ? 1 : 0);
  for (unsigned i = 0; i < r.creq_valid && i < room[kCreq]; ++i) {
    const unsigned older =
        is_host_ ? 0 : std::min(waiting + r.creq_older[i], rx_depth_[kCrsp]) - gone;
    rx_creq_.push_back({r.creq_hdr[i], older});
  }
  for (unsigned i = 0; i < r.crsp_valid && i < room[kCrsp]; ++i) rx_crsp_.push_back(r.crsp_hdr[i]);
  if (r.cdat_valid && room[kCdat] > 0) rx_cdat_.push_back(r.cdat);
  overflow_ = {r.creq_valid > room[kCreq], r.crsp_valid > room[kCrsp],
               r.cdat_valid && room[kCdat] == 0};
  if (!in.start) return;
  rx_creq_.clear();
  rx_crsp_.clear();
  rx_cdat_.clear();
}

void CacheChannels::clock_credits(const In& in, const PerChannel<bool>& pop) {
  const PerChannel<unsigned> use{in.link.creq_take, in.link.crsp_take, in.link.cdat_take ? 1u : 0u};
  for (unsigned c = 0; c < kCacheChannels; ++c) {
    const Pool sent = in.link.sent[c];
    credits_[c].clock(
        {.start = in.start, .add_valid = true, .add_code = in.link.granted[c], .use = use[c]});
    const bool half = c == kCdat && in.link.received.cdat_half;
    const unsigned freed = (pop[c] ? 1 : 0) + (half ? 1 : 0);
    returns_[c].clock({.start = in.start, .freed = freed, .sent = sent == Pool::kCache});
    if (sent != Pool::kNone) prefer_cache_[c] = sent == Pool::kMem;
    if (in.start) prefer_cache_[c] = false;
  }
}

}  // namespace cxlgpu
