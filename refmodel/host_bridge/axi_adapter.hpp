// The AXI4 subordinate in front of the host bridge.
//
// Purpose: twin of rtl/host_bridge/axi_adapter.sv: single-beat AXI4 writes and reads of one line to
//          requests, responses back to B and R.
// Units:   byte addresses, 64-byte aligned, below 2^52.
// Errors:  an error response gives SLVERR.
// Source:  AXI4 (ARM IHI 0022), docs/blocks.md, "axi_adapter".
#pragma once

#include <cstdint>
#include <optional>

#include "refmodel/common/request.hpp"

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
    bool req_ready = false;
    bool rsp_valid = false;
    MemResponse rsp;
  };
  struct Out {
    bool aw_ready = false, w_ready = false, ar_ready = false;
    const MemRequest* req = nullptr;  // the request offered; nothing if none is
    bool b_valid = false, r_valid = false;
    std::uint32_t id = 0;  // with b_valid or r_valid, as the next
    unsigned resp = kOkay;
    Line data{};  // with r_valid
    bool rsp_ready = false;
    bool responds = false;  // a response is taken in this cycle: traced
  };

  [[nodiscard]] Out eval(const In& in) const {
    Out out;
    const bool can = !stage_ || in.req_ready;
    const bool write = in.aw.valid && in.w.valid;
    out.aw_ready = out.w_ready = can && write;
    out.ar_ready = can && !write;
    out.req = stage_ ? &*stage_ : nullptr;
    if (in.rsp_valid) {
      out.b_valid = in.rsp.is_write;
      out.r_valid = !in.rsp.is_write;
      out.id = in.rsp.id;
      out.resp = in.rsp.error ? kSlvErr : kOkay;
      out.data = in.rsp.data;
      out.rsp_ready = in.rsp.is_write ? in.b_ready : in.r_ready;
      out.responds = out.rsp_ready;
    }
    return out;
  }
  void clock(const In& in) {
    const Out before = eval(in);
    if (before.req != nullptr && in.req_ready) stage_.reset();
    if (before.aw_ready) {
      stage_ = MemRequest{in.aw.id, true, in.aw.addr, in.w.strobes, in.w.data};
    } else if (in.ar.valid && before.ar_ready) {
      stage_ = MemRequest{in.ar.id, false, in.ar.addr, kAllBytes, {}};
    }
  }

 private:
  std::optional<MemRequest> stage_;
};

}  // namespace cxlgpu
