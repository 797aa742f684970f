// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
// The CXL.cache channels between an agent and its controller, as the agents' twins see them.
//
// Purpose: ports shared by DeviceAgent and HostResponder.
// Units:   messages in wire layout; an address of a line is address[51:6].
// Shapes:  `tx` leaves the agent, `rx` comes from the controller; arrays by CacheChannel.
// Errors:  none.
// Source:  docs/blocks/cache/README.md.
#pragma once

#include "refmodel/controller/cache_wire.hpp"

namespace cxlgpu {

struct AgentIn {  // from the controller
  std::array<bool, kCacheChannels> tx_ready{};
  std::array<bool, kCacheChannels> rx_valid{};
  MsgHeader rx_creq_hdr = 0;
  MsgHeader rx_crsp_hdr = 0;
  WdMessage rx_cdat{};
};

struct AgentOut {  // to the controller
  std::array<bool, kCacheChannels> tx_valid{};
  MsgHeader tx_creq_hdr = 0;
  MsgHeader tx_crsp_hdr = 0;
  WdMessage tx_cdat{};
  bool rx_creq_ready = false;  // the other two are always taken
};

// RspData[3:0] of a GO.
enum class GoState : std::uint8_t { kS = 1, kE = 2, kI = 3, kErr = 4, kM = 6 };

}  // namespace cxlgpu
