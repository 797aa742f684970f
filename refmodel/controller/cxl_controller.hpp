// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
// CXL controller of one end of a link: transmit FIFOs, link layer, receive FIFOs.
//
// Purpose: twin of rtl/controller/cxl_controller.sv, exact to the cycle. With params.has_cache it
//          carries CXL.cache beside CXL.mem; without, In::cache is ignored and Out::cache is zero.
// Units:   cycles; FIFO levels in messages.
// Shapes:  headers in wire layout, valid bit set: host sends Req (ND) and RwD (WD) and receives NDR
//          (ND) and DRS (WD); a device the reverse.
// Errors:  Out::err, one pulse bit an error (link_err).
// Source:  docs/blocks/controller/cxl_controller.md, CXL 2.0 4.2.
#pragma once

#include <deque>

#include "refmodel/controller/cache_channels.hpp"
#include "refmodel/controller/link_layer.hpp"

namespace cxlgpu {

class CxlController {
 public:
  struct In {
    bool link_up = false;
    LinkControl control{};
    bool tx_flush = false;  // the transmit FIFOs are empty after the edge
    bool tx_nd_valid = false;
    MsgHeader tx_nd_hdr = 0;
    bool tx_wd_valid = false;
    WdMessage tx_wd{};
    bool rx_nd_ready = false;
    bool rx_wd_ready = false;
    bool link_tx_ready = false;
    bool link_rx_valid = false;
    CrcFlit link_rx_flit{};
    bool phy_reinit_done = false;
    bool viral = false;  // this end is viral
    CacheChannels::Ports cache{};
  };
  struct Out {
    bool tx_nd_ready = false;
    bool tx_wd_ready = false;
    bool rx_nd_valid = false;
    MsgHeader rx_nd_hdr = 0;
    bool rx_wd_valid = false;
    WdMessage rx_wd{};
    unsigned rx_nd_count = 0;
    unsigned rx_wd_count = 0;
    bool link_tx_valid = false;
    CrcFlit link_tx_flit{};
    bool phy_reinit_req = false;
    bool init_done = false;
    bool abort = false;
    unsigned err = 0;
    Payload err_flit{};         // with a bit of link_err::kViolation: the flit that did it
    unsigned err_overflow = 0;  // with link_err::kOverflow: whose FIFO was full (ras.hpp)
    bool viral = false;         // pulse: the peer has said that it is viral
    LinkStatus status{};
    CacheChannels::Out cache{};
  };

  explicit CxlController(const ControllerParams& params)
      : params_(params), link_(params), cache_(params.is_host, params.cache_rx_depth) {}
  [[nodiscard]] Out eval(const In& in) const;
  void clock(const In& in);
  [[nodiscard]] const LinkLayer& link() const { return link_; }
  [[nodiscard]] const CacheChannels& cache() const { return cache_; }
  // What the link layer takes and delivers in this cycle, and the messages that wait for it. For
  // functional coverage.
  [[nodiscard]] LinkLayer::Out link_now(const In& in) const { return link_.eval(link_in(in)); }
  [[nodiscard]] std::size_t nd_waiting() const { return tx_nd_.size(); }
  [[nodiscard]] std::size_t wd_waiting() const { return tx_wd_.size(); }

 private:
  static constexpr std::size_t kTxDepth = 4;
  [[nodiscard]] LinkLayer::In link_in(const In& in) const;

  ControllerParams params_;
  LinkLayer link_;
  CacheChannels cache_;
  std::deque<MsgHeader> tx_nd_, rx_nd_;
  std::deque<WdMessage> tx_wd_, rx_wd_;
  // What found its FIFO full, if something did: 0 Creq, 1 Crsp, 2 Cdat, 4 ND, 5 WD.
  [[nodiscard]] std::optional<unsigned> overflow() const;

  bool nd_overflow_ = false, wd_overflow_ = false;
};

}  // namespace cxlgpu
