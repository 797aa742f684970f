// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
// Deterministic store of one root port, whole: engine, index and pace wired to each other.
//
// Purpose: what stands between the port's edges, its SR queue and its memory queue, behind one
//          cycle-exact input and output.
// Units:   cycles; lines (address[51:6]).
// Shapes:  In::engine is DsEngine's input; what its index and its pace tell it (direct, flush,
//          oldest, ix_*) is written into it here. Of Out the ix_* fields mean nothing outside.
// Errors:  those of the parts.
// Source:  docs/blocks/root_port/deterministic_store.md.
#pragma once

#include <array>
#include <cstdint>

#include "common/opcodes.hpp"
#include "refmodel/root_port/ds_engine.hpp"
#include "refmodel/root_port/ds_index.hpp"
#include "refmodel/root_port/ds_pace.hpp"

namespace cxlgpu {

class DeterministicStore {
 public:
  explicit DeterministicStore(const DsConfig& config = {})
      : engine_(config), index_(config.depth) {}

  struct In {
    DsEngine::In engine;
    std::array<std::uint8_t, 4> interval{};  // as DsPace
    bool rsp_taken = false;                  // a response was matched by the memory queue
    DevLoad dev_load = DevLoad::Light;       // its
  };
  using Out = DsEngine::Out;
  [[nodiscard]] Out eval(In& in) const {
    wire(in);
    return engine_.eval(in.engine);
  }
  // The same cycle, now that both memories' readiness is known: all else is as eval() told it.
  void hear_ready(Out& out, const In& in) const { engine_.hear_ready(out, in.engine); }
  void clock(const In& in, const Out& now);  // as eval() left the first and told the second

  // The index is swept: the event-driven machine's clock starts long after reset.
  void start_swept(unsigned depth) { index_.skip(depth / 4); }

  // Entry and response register, as eval() tells them.
  [[nodiscard]] bool can_enter(const MemRequest& request, bool sr_ready, bool fence) const {
    return engine_.can_enter(request, sr_ready, fence);
  }
  [[nodiscard]] const MemResponse* response() const { return engine_.response(); }
  [[nodiscard]] bool empty() const { return engine_.empty(); }
  [[nodiscard]] bool error() const { return engine_.error(); }
  [[nodiscard]] unsigned count() const { return engine_.count(); }

 private:
  void wire(In& in) const;  // both change at clock() alone

  DsEngine engine_;
  DsIndexBlock index_;
  DsPace pace_;
};

}  // namespace cxlgpu
