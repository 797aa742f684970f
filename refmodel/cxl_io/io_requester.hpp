// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
// Register accesses of the root port: a request becomes a TLP, its completion the response. What
// the device requests is answered with Unsupported Request.
//
// Purpose: twin of rtl/cxl_io/io_requester.sv, cycle by cycle.
// Units:   time-out in cycles; addresses in bytes.
// Errors:  no answer (time-out, link down) is CplStatus::kNoAnswer; a TLP that answers nothing is
//          shown by Out::unexpected.
// Source:  PCI Express Base 5.0, 2.2, 2.3.1, 2.3.2, 2.8; docs/blocks/cxl_io/io_requester.md.
#pragma once

#include <cstdint>
#include <optional>

#include "common/io_port.hpp"
#include "refmodel/cxl_io/io_types.hpp"

namespace cxlgpu {

class IoRequester {
 public:
  struct In {
    bool link_up = false;
    std::optional<IoRequest> req = std::nullopt;
    bool rsp_ready = false;
    bool tlp_tx_ready = false;
    std::optional<Tlp> tlp_rx = std::nullopt;  // received if Out::tlp_rx_ready
  };
  struct Out {
    bool req_ready = false;
    std::optional<IoResponse> rsp = std::nullopt;
    std::optional<Tlp> tlp_tx = std::nullopt;
    bool tlp_rx_ready = false;
    bool unexpected = false;
  };

  IoRequester(std::uint16_t requester_id, std::uint32_t timeout)
      : id_(requester_id), timeout_(timeout) {}
  enum class State : std::uint8_t { kIdle, kSend, kWait, kRespond };

  // No output but tlp_rx_ready depends on an input, which is that of the cycle.
  [[nodiscard]] Out eval(bool link_up = false) const;
  void clock(const In& in);
  [[nodiscard]] State state() const { return state_; }
  [[nodiscard]] bool matches(const Tlp& tlp) const;  // the completion that it waits for
  // A completion of the device's request waits to be sent.
  [[nodiscard]] bool refuses() const { return refusal_.has_value(); }
  // Cycles of waiting left, this one counted; 0 in other states.
  [[nodiscard]] std::uint32_t patience() const {
    return state_ == State::kWait ? timeout_ - waited_ : 0;
  }

  // The TLP of a request; 5 bits of tag.
  [[nodiscard]] static Tlp make_tlp(const IoRequest& request, std::uint16_t requester_id,
                                    unsigned tag);

 private:
  void start(const IoRequest& request, bool link_up);
  void answer(CplStatus status, std::uint32_t data = ~std::uint32_t{0});
  [[nodiscard]] Tlp refusal(const Tlp& request) const;

  std::uint16_t id_;
  std::uint32_t timeout_;
  State state_ = State::kIdle;
  IoRequest request_;
  IoResponse response_;
  unsigned tag_ = 0;
  std::uint32_t waited_ = 0;  // cycles
  std::optional<Tlp> refusal_;
  bool refusal_stalled_ = false;  // it was offered in the cycle before
  bool unexpected_ = false;
};

}  // namespace cxlgpu
