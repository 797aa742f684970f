// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
// The hint walker: hints of kernels, granule by granule to the root ports that serve them.
//
// Purpose: holds hints in order and decodes their granules in cycles in which no request needs the
//          HDM decoder. One granule at a time waits for its port.
// Units:   granules (address[51:8]), modulo 2^44.
// Errors:  a hint without room is lost, a granule that no port serves is passed over; both are told
//          to the caller. decoded() without a granule is a programming error (asserted).
// Source:  docs/blocks/host_bridge/hint_walker.md.
#pragma once

#include <cassert>
#include <cstdint>
#include <optional>

#include "common/ring_queue.hpp"

namespace cxlgpu {

class HintWalker {
 public:
  static constexpr unsigned kMaxDepth = 64;
  static constexpr std::uint64_t kGranuleMask = (std::uint64_t{1} << 44) - 1;

  // A granule for its port.
  struct Waiting {
    unsigned port = 0;
    std::uint64_t granule = 0;
    bool operator==(const Waiting&) const = default;
  };

  explicit HintWalker(unsigned depth = 16) : depth_(depth) {
    assert(depth >= 1 && depth <= kMaxDepth);
  }

  // Untimed, in the order of one cycle: whether a granule may be decoded is asked first, add()
  // comes before decoded(), since a place that becomes free in a cycle is not given away in it.
  [[nodiscard]] bool empty() const { return hints_.empty(); }                  // nothing to decode
  [[nodiscard]] std::uint64_t granule() const { return hints_.front().next; }  // unless empty
  [[nodiscard]] const std::optional<Waiting>& waiting() const { return waiting_; }
  bool add(std::uint64_t first, unsigned len) {  // granules less one; false: lost
    if (hints_.size() == depth_) return false;
    hints_.push({first & kGranuleMask, len});
    return true;
  }
  void taken() { waiting_.reset(); }  // by its port
  void decoded(std::optional<unsigned> port) {
    assert(!empty() && !waiting_);
    Hint& hint = hints_.front();
    if (port) waiting_ = Waiting{*port, hint.next};
    hint.next = (hint.next + 1) & kGranuleMask;
    if (hint.left-- == 0) hints_.pop();
  }

  // Cycle-exact. The target follows the granule of the same cycle: eval() without it first.
  struct In {
    bool in_valid = false;
    std::uint64_t first = 0;
    unsigned len = 0;                // granules less one
    bool free = false;               // the decoder is
    std::optional<unsigned> target;  // with ask: the root port that serves the granule
    std::uint64_t port_ready = 0;    // bit i: root port i
  };
  struct Out {
    bool ask = false;              // decode the granule; again if it is not passed on
    std::uint64_t granule = 0;     // with ask, else 0
    bool passes = false;           // it leaves its hint
    std::uint64_t port_valid = 0;  // bit i: root port i
    std::uint64_t port_granule = 0;
    bool lost = false, miss = false;
  };
  [[nodiscard]] Out eval(const In& in) const {
    Out out;
    const bool leaves = waiting_ && (in.port_ready >> waiting_->port & 1) != 0;
    out.ask = in.free && !empty();
    out.passes = out.ask && (!waiting_ || leaves);
    if (out.ask) out.granule = granule();
    if (waiting_) {
      out.port_valid = std::uint64_t{1} << waiting_->port;
      out.port_granule = waiting_->granule;
    }
    out.lost = in.in_valid && hints_.size() == depth_;
    out.miss = out.passes && !in.target;
    return out;
  }
  void clock(const In& in) {
    const Out now = eval(in);
    if (in.in_valid) add(in.first, in.len);
    if ((now.port_valid & in.port_ready) != 0) taken();
    if (now.passes) decoded(in.target);
  }

 private:
  struct Hint {
    std::uint64_t next = 0;  // granule
    unsigned left = 0;       // beyond it
  };

  unsigned depth_;
  RingQueue<Hint, kMaxDepth> hints_;
  std::optional<Waiting> waiting_;
};

}  // namespace cxlgpu
