// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
// Where a root port's CXL.io request goes: own configuration space, own registers, or down.
//
// Purpose: twin of rtl/cxl_io/io_route.sv, cycle by cycle.
// Units:   addresses in bytes; configuration addresses as in IoRequest.
// Errors:  what nobody claims is answered Unsupported Request, a write of a part of an own register
//          Completer Abort.
// Source:  PCI Express Base 5.0, 7.3.3, 7.5.1.3; CXL 2.0, 8.1.5; docs/blocks/cxl_io/io_route.md.
#pragma once

#include <cstdint>
#include <optional>
#include <variant>

#include "refmodel/cxl_io/io_requester.hpp"
#include "refmodel/cxl_io/port_config_space.hpp"

namespace cxlgpu {

class IoRoute {
 public:
  struct In {
    unsigned device = 0;  // this port's, on bus 0
    std::optional<IoRequest> req = std::nullopt;
    bool rsp_ready = false;
    bool down_ready = false;
    std::optional<IoResponse> down_rsp = std::nullopt;
    std::uint32_t cfg_rdata = 0;
    Bridge bridge = {};
    bool reg_busy = false;  // software is at the registers in this cycle
    std::uint32_t reg_rdata = 0;
  };
  struct Out {
    bool req_ready = false;
    std::optional<IoResponse> rsp = std::nullopt;
    std::optional<IoRequest> down = std::nullopt;
    bool down_rsp_ready = false;
    CfgAccess cfg = {};
    RegAccess reg = {};
  };

  enum class State : std::uint8_t { kIdle, kRoute, kData, kDown, kWait, kRespond };

  [[nodiscard]] Out eval(const In& in) const;
  void clock(const In& in);
  [[nodiscard]] State state() const { return state_; }

 private:
  // Where the request kept goes: own configuration space, own registers, down, or nowhere: the
  // answer.
  using Way = std::variant<CfgAccess, RegAccess, IoRequest, IoResponse>;
  [[nodiscard]] Way way(unsigned device, const Bridge& bridge) const;
  [[nodiscard]] Way config_way(unsigned device, const Bridge& bridge) const;
  [[nodiscard]] Way register_way() const;
  [[nodiscard]] IoResponse answer(CplStatus status, std::uint32_t read_data = 0) const;
  void route(const In& in);

  State state_ = State::kIdle;
  IoRequest request_;
  IoResponse response_;
  bool own_config_ = false;  // the access made in Route was to configuration space
};

}  // namespace cxlgpu
