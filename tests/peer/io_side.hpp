// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
// The CXL.io link layer as the ARB/MUX sees it.
#pragma once

#include <optional>

#include "link_end.hpp"

namespace peer {

class IoSide {
 public:
  IoSide() = default;
  IoSide(const IoSide&) = delete;
  IoSide& operator=(const IoSide&) = delete;
  virtual ~IoSide() = default;

  // Once a cycle, before anything is received or sent in it.
  virtual void tick() {}
  // A flit to send, taken by the call. Asked only while the vLSM of CXL.io is Active.
  virtual std::optional<Flit> tx() = 0;
  virtual void rx(const Flit& flit) = 0;
  // The vLSM of CXL.io enters (true) or leaves (false) Active. It leaves it in Recovery too: a data
  // link layer keeps its state then. `link_down` says that the physical link is gone.
  virtual void active(bool is_active) { static_cast<void>(is_active); }
  virtual void link_down() {}
};

}  // namespace peer
