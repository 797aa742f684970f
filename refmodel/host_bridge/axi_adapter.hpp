// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
// The AXI4 subordinate in front of the host bridge.
//
// Purpose: twin of rtl/host_bridge/axi_adapter.sv: single-beat AXI4 writes and reads of one line to
//          requests, reads and writes in turn; responses back to B and R. Hints pass beside them.
// Units:   byte addresses, 64-byte aligned, below 2^52.
// Errors:  an error response gives SLVERR.
// Source:  AXI4 (ARM IHI 0022), docs/blocks/host_bridge/axi_adapter.md.
#pragma once

#include <array>
#include <cstdint>
#include <optional>

#include "common/request.hpp"

namespace cxlgpu {

class AxiAdapter {
 public:
  static constexpr unsigned kOkay = 0, kSlvErr = 2;

  struct Address {  // AW or AR
    bool valid = false;
    std::uint32_t id = 0;
    std::uint64_t addr = 0;
  };
  struct WriteData {  // W
    bool valid = false;
    std::uint64_t strobes = 0;
    Line data{};
  };
  struct In {
    Address aw, ar;
    WriteData w;
    bool b_ready = false, r_ready = false;
    bool hint_valid = false;  // no channel of AXI4
    std::uint64_t hint_addr = 0;
    unsigned hint_granules = 0;  // less one
    bool req_ready = false;
    std::optional<MemResponse> r, b;  // what the bridge offers
  };
  struct Out {
    bool aw_ready = false, w_ready = false, ar_ready = false;
    const MemRequest* req = nullptr;  // the request offered; nothing if none is
    bool hint_valid = false;
    std::uint64_t hint_first = 0;  // granule
    unsigned hint_len = 0;         // granules less one
    bool b_valid = false, r_valid = false;
    std::uint32_t b_id = 0, r_id = 0;  // each with its valid, as the next
    unsigned b_resp = kOkay, r_resp = kOkay;
    Line data{};                            // with r_valid
    bool b_ready = false, r_ready = false;  // towards the bridge
    std::array<bool, 2> responds = {};      // R, B: a response is taken in this cycle: traced
  };

  [[nodiscard]] Out eval(const In& in) const {
    Out out;
    const bool room = !request_ || in.req_ready;
    const bool write = in.aw.valid && in.w.valid;  // both, or there is none
    out.aw_ready = out.w_ready = room && write && !(in.ar.valid && turn_ == Turn::Read);
    out.ar_ready = room && !(write && turn_ == Turn::Write);
    if (request_) out.req = &*request_;

    out.hint_valid = in.hint_valid;
    out.hint_first = in.hint_addr % kAddresses / 256;
    out.hint_len = in.hint_granules;

    out.r_ready = in.r_ready;
    out.b_ready = in.b_ready;
    if (in.r) {
      out.r_valid = true;
      out.r_id = in.r->id;
      out.r_resp = in.r->error ? kSlvErr : kOkay;
      out.data = in.r->data;
    }
    if (in.b) {
      out.b_valid = true;
      out.b_id = in.b->id;
      out.b_resp = in.b->error ? kSlvErr : kOkay;
    }
    out.responds = {in.r && in.r_ready, in.b && in.b_ready};
    return out;
  }

  void clock(const In& in) {
    const Out out = eval(in);
    if (in.req_ready) request_.reset();
    if (out.aw_ready) {
      request_ = MemRequest{in.aw.id, true, in.aw.addr, in.w.strobes, in.w.data};
      turn_ = Turn::Read;
    } else if (in.ar.valid && out.ar_ready) {
      request_ = {.id = in.ar.id, .addr = in.ar.addr};
      turn_ = Turn::Write;
    }
  }

 private:
  static constexpr std::uint64_t kAddresses = std::uint64_t{1} << 52;

  std::optional<MemRequest> request_;                   // waits for the host bridge
  enum class Turn { Write, Read } turn_ = Turn::Write;  // when both are offered
};

}  // namespace cxlgpu
