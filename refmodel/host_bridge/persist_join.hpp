// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
// Persist requests of the system: sent to all root ports, their answers joined.
//
// Source:  docs/blocks/host_bridge/persist_join.md.
#pragma once

#include <cstdint>

namespace cxlgpu {

class PersistJoin {
 public:
  PersistJoin(unsigned ports, unsigned depth);

  struct In {
    bool persist_valid = false;
    std::uint16_t persist_id = 0;
    bool persist_rsp_ready = false;
    bool bus_valid = false, bus_ready = false;
    std::uint64_t way_valid = 0, way_ready = 0;  // bit i: root port i; likewise below
    bool lost = false;
    bool clear_error = false;
    std::uint64_t port_req_ready = 0;
    std::uint64_t port_rsp_valid = 0, port_rsp_error = 0;
  };
  struct Out {
    bool persist_ready = false;
    bool persist_rsp_valid = false;
    std::uint16_t persist_rsp_id = 0;
    bool persist_rsp_error = false;
    bool clear = false;
    bool error = false;
    std::uint64_t port_req_valid = 0;
    std::uint64_t port_rsp_ready = 0;
  };
  [[nodiscard]] Out eval(const In&) const;
  void clock(const In&);
};

}  // namespace cxlgpu
