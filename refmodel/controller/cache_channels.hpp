// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
// Queues and credits of the three CXL.cache channels of a controller.
//
// Purpose: twin of rtl/controller/cache_channels.sv: transmit and receive FIFOs, the credits of
//          both directions, whose turn a credit field is, and the one order rule: a request (snoop)
//          of the host never overtakes a response (GO) before it, neither at its transmitter nor at
//          the device's receiver.
// Units:   cycles; FIFO levels and credits in messages.
// Shapes:  arrays by CacheChannel.
// Errors:  overflow(): a message of the channel was dropped in the cycle before.
// Source:  CXL 2.0 3.2, 4.2.2, docs/blocks/controller/cache_channels.md.
#pragma once

#include <deque>

#include "refmodel/controller/cache_wire.hpp"
#include "refmodel/controller/credit_return.hpp"
#include "refmodel/controller/credit_tx.hpp"

namespace cxlgpu {

class CacheChannels {
 public:
  template <typename T>
  using PerChannel = std::array<T, kCacheChannels>;

  struct Ports {  // the controller's
    PerChannel<bool> tx_valid{};
    MsgHeader tx_creq_hdr = 0;
    MsgHeader tx_crsp_hdr = 0;
    WdMessage tx_cdat{};
    PerChannel<bool> rx_ready{};
  };
  struct In {
    bool start = false;     // link start: all but the transmit FIFOs is cleared
    bool tx_flush = false;  // the transmit FIFOs are empty after the edge
    Ports ports{};
    LinkToCache link{};
  };
  struct Out {
    PerChannel<bool> tx_ready{};
    PerChannel<bool> rx_valid{};
    MsgHeader rx_creq_hdr = 0;
    MsgHeader rx_crsp_hdr = 0;
    WdMessage rx_cdat{};
  };

  CacheChannels(bool is_host, const PerChannel<unsigned>& rx_depth)
      : is_host_(is_host),
        rx_depth_(rx_depth),
        returns_{CreditReturn(rx_depth[kCreq]), CreditReturn(rx_depth[kCrsp]),
                 CreditReturn(rx_depth[kCdat])} {}

  [[nodiscard]] Out eval() const;
  [[nodiscard]] CacheToLink to_link() const;
  [[nodiscard]] const PerChannel<bool>& overflow() const { return overflow_; }
  void clock(const In& in);

  [[nodiscard]] unsigned credits(CacheChannel channel) const {
    return credits_[channel].eval().avail;
  }
  [[nodiscard]] unsigned received(CacheChannel channel) const;
  [[nodiscard]] unsigned waiting(CacheChannel channel) const;  // to be sent

 private:
  static constexpr std::size_t kTxDepth = 4;
  struct Request {
    MsgHeader header;
    unsigned older;  // responses that must go first
  };
  void clock_tx(const In& in);
  void clock_rx(const In& in, const PerChannel<bool>& pop);
  void clock_credits(const In& in, const PerChannel<bool>& pop);

  bool is_host_;
  PerChannel<unsigned> rx_depth_;
  std::deque<Request> tx_creq_, rx_creq_;
  std::deque<MsgHeader> tx_crsp_, rx_crsp_;
  std::deque<WdMessage> tx_cdat_, rx_cdat_;
  PerChannel<CreditTx> credits_{};
  PerChannel<CreditReturn> returns_;
  PerChannel<bool> prefer_cache_{};
  PerChannel<bool> overflow_{};
};

}  // namespace cxlgpu
