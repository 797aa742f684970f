// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
#include "refmodel/controller/cxl_controller.hpp"

#include <algorithm>

namespace cxlgpu {

namespace {

// Pops `take` from a transmit FIFO, then pushes the accepted message.
template <typename Fifo, typename Message>
void clock_tx(Fifo& fifo, unsigned take, bool push, const Message& message) {
  fifo.erase(fifo.begin(), fifo.begin() + take);
  if (push) fifo.push_back(message);
}

// Pops the consumed head and pushes what had room at the start of the cycle; true on overflow.
template <typename Fifo, typename Messages>
bool clock_rx(Fifo& fifo, std::size_t depth, bool pop, const Messages& messages, unsigned count) {
  const std::size_t room = depth - fifo.size();
  if (pop) fifo.pop_front();
  for (unsigned i = 0; i < count && i < room; ++i) fifo.push_back(messages[i]);
  return count > room;
}

}  // namespace

LinkLayer::In CxlController::link_in(const In& in) const {
  LinkLayer::In to_link{.link_up = in.link_up,
                        .control = in.control,
                        .nd_count = static_cast<unsigned>(tx_nd_.size()),
                        .wd_count = static_cast<unsigned>(tx_wd_.size()),
                        .nd_freed = in.rx_nd_ready && !rx_nd_.empty(),
                        .wd_freed = in.rx_wd_ready && !rx_wd_.empty(),
                        .link_tx_ready = in.link_tx_ready,
                        .link_rx_valid = in.link_rx_valid,
                        .link_rx_flit = in.link_rx_flit,
                        .phy_reinit_done = in.phy_reinit_done,
                        .viral = in.viral};
  std::copy_n(tx_nd_.begin(), std::min<std::size_t>(2, tx_nd_.size()), to_link.nd_hdr.begin());
  std::copy_n(tx_wd_.begin(), std::min<std::size_t>(2, tx_wd_.size()), to_link.wd.begin());
  if (params_.has_cache) to_link.cache = cache_.to_link();
  return to_link;
}

std::optional<unsigned> CxlController::overflow() const {
  constexpr unsigned kNdCode = 4, kWdCode = 5;
  for (unsigned c = 0; c < kCacheChannels; ++c) {
    if (cache_.overflow()[c]) return c;
  }
  if (nd_overflow_) return kNdCode;
  if (wd_overflow_) return kWdCode;
  return std::nullopt;
}

CxlController::Out CxlController::eval(const In& in) const {
  const LinkLayer::Out link = link_.eval(link_in(in));
  Out out{.tx_nd_ready = tx_nd_.size() < kTxDepth,
          .tx_wd_ready = tx_wd_.size() < kTxDepth,
          .rx_nd_valid = !rx_nd_.empty(),
          .rx_wd_valid = !rx_wd_.empty(),
          .rx_nd_count = static_cast<unsigned>(rx_nd_.size()),
          .rx_wd_count = static_cast<unsigned>(rx_wd_.size()),
          .link_tx_valid = link.link_tx_valid,
          .link_tx_flit = link.link_tx_flit,
          .phy_reinit_req = link.phy_reinit_req,
          .init_done = link.init_done,
          .abort = link.abort,
          .err = link.err | (overflow() ? link_err::kOverflow : 0),
          .err_flit = link.err_flit,
          .err_overflow = overflow().value_or(0),
          .viral = link.viral,
          .status = link.status};
  if (out.rx_nd_valid) out.rx_nd_hdr = rx_nd_.front();
  if (out.rx_wd_valid) out.rx_wd = rx_wd_.front();
  if (params_.has_cache) out.cache = cache_.eval();
  return out;
}

void CxlController::clock(const In& in) {
  const LinkLayer::In to_link = link_in(in);
  const LinkLayer::Out link = link_.eval(to_link);
  clock_tx(tx_nd_, link.nd_take, in.tx_nd_valid && tx_nd_.size() < kTxDepth, in.tx_nd_hdr);
  clock_tx(tx_wd_, link.wd_take, in.tx_wd_valid && tx_wd_.size() < kTxDepth, in.tx_wd);
  nd_overflow_ =
      clock_rx(rx_nd_, params_.nd_rx_depth, to_link.nd_freed, link.nd_hdr, link.nd_valid);
  wd_overflow_ = clock_rx(rx_wd_, params_.wd_rx_depth, to_link.wd_freed, std::array{link.wd},
                          link.wd_valid ? 1 : 0);
  if (params_.has_cache) {
    cache_.clock(
        {.start = link.start, .tx_flush = in.tx_flush, .ports = in.cache, .link = link.cache});
  }
  link_.clock(to_link);
  if (in.tx_flush) {
    tx_nd_.clear();
    tx_wd_.clear();
  }
  if (!link.start) return;
  rx_nd_.clear();
  rx_wd_.clear();
}

}  // namespace cxlgpu
