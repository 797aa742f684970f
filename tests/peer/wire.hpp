// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
// One end of the link up to its messages: link layer, ARB/MUX and the violations that both see.
#pragma once

#include <cstdint>

#include "arb_mux.hpp"
#include "io_side.hpp"
#include "link_layer.hpp"
#include "violations.hpp"
#include "wrong.hpp"

namespace peer {

struct WireConfig {
  LinkLayerConfig link;
  ArbMuxConfig arb;
};

class Wire {
 public:
  Wire(const WireConfig& config, IoSide& io);

  LinkOut cycle(const LinkIn& in);
  void reset();

  Outbox& outbox() { return link_.outbox(); }
  Inbox& inbox() { return link_.inbox(); }
  void release(MessageKind kind, unsigned count = 1) { link_.release(kind, count); }

  void force_retry() { link_.force_retry(); }
  void corrupt_next() { link_.corrupt_next(); }
  void go_viral() { link_.go_viral(); }
  void retrain() { arb_.retrain(); }
  bool peer_viral() const { return link_.peer_viral(); }
  bool active() const { return arb_.state(VlsmId::CacheMem) == VlsmState::Active; }

  // Does a wrong of the wire at the next chance. False: it is not one of the wire.
  bool do_wrong(Wrong wrong);
  bool wrong_done() const;

  uint64_t now() const { return now_; }
  Violations& violations() { return violations_; }
  LinkLayer& link() { return link_; }
  ArbMux& arb() { return arb_; }

 private:
  void try_wrong();

  WireConfig config_;
  Violations violations_;
  LinkLayer link_;
  ArbMux arb_;
  uint64_t now_ = 0;
  bool was_up_ = false;
  Wrong wrong_ = Wrong::None;
};

}  // namespace peer
