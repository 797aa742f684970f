// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
// The endpoint in RTL with a simple media, as an end of the link.
//
// Purpose: the device under test behind tests/peer/physical_layer.hpp.
// Units:   cycles.
// Errors:  none of its own.
#pragma once

#include "tests/common/sys_bits.hpp"
#include "tests/controller/quick_random.hpp"
#include "tests/endpoint/bench_media.hpp"
#include "tests/peer/link_end.hpp"

namespace cxlgpu::test {

struct MediaOptions {
  std::uint64_t seed = 1;
  unsigned latency = 0;    // cycles from command to answer; 0: 1 to 60 at random
  unsigned percent = 100;  // of the cycles in which a command is taken
};

// Top: the verilated rtl/endpoint/endpoint.sv, with one reading or the other of the wrap value.
template <typename Top>
class BasicRtlDevice : public peer::LinkEnd {
 public:
  explicit BasicRtlDevice(const MediaOptions& options) : options_(options), random_(options.seed) {
    rtl_.reset();
  }

  peer::LinkOut cycle(const peer::LinkIn& in) override {
    ++cycle_;
    Top& v = *rtl_;
    v.phy_up_i = in.phy_up && !in.phy_recovery;
    v.phy_recovery_i = in.phy_recovery;
    v.link_tx_ready_i = in.tx_ready;
    v.link_rx_valid_i = in.rx.has_value();
    if (in.rx) {
      v.link_rx_kind_i = static_cast<std::uint8_t>(in.rx->first);
      std::memcpy(&v.link_rx_flit_i[0], in.rx->second.data(), 66);
    }
    drive_media();
    rtl_.settle();
    peer::LinkOut out;
    if (v.link_tx_valid_o) {
      out.tx.emplace(static_cast<peer::FlitKind>(v.link_tx_kind_o), peer::Flit{});
      std::memcpy(out.tx->second.data(), &v.link_tx_flit_o[0], 66);
    }
    out.retrain = v.retrain_req_o != 0;
    seen_errors_ |= v.err_o | unsigned{v.arb_err_o} << 8;
    sample_media();
    rtl_.edge();
    return out;
  }
  // The media is volatile: what it holds is not looked at after.
  void reset() override {
    rtl_.reset();
    while (!media.empty()) media.taken();
    takes_ = false;
  }

  BenchMedia media;
  [[nodiscard]] bool trained() const { return rtl_->init_done_o != 0; }
  [[nodiscard]] bool aborted() const { return rtl_->abort_o != 0; }
  [[nodiscard]] unsigned error_pulses() const { return seen_errors_; }  // err_o and arb_err_o, ever

 private:
  // media_cmd_t and media_rsp_t of cxlgpu_pkg, last field at bit 0.
  void drive_media() {
    Top& v = *rtl_;
    if (!takes_) takes_ = random_.percent(options_.percent);
    v.media_cmd_ready_i = takes_;
    const MediaResponse* response = media.ready(cycle_);
    v.media_rsp_valid_i = response != nullptr;
    if (response == nullptr) return;
    set_line(v.media_rsp_i, 0, response->data);
    set_bits(v.media_rsp_i, 512, 1, response->error);
    set_bits(v.media_rsp_i, 513, 8, response->id);
    set_bits(v.media_rsp_i, 521, 3, static_cast<unsigned>(response->op));
    set_bits(v.media_rsp_i, 524, 1, response->poison);
  }
  void sample_media() {
    Top& v = *rtl_;
    if (v.media_rsp_valid_i && v.media_rsp_ready_o) media.taken();
    if (!v.media_cmd_valid_o || !v.media_cmd_ready_i) return;
    MediaCommand c;
    c.data = get_line(v.media_cmd_o);
    c.byte_enable = get_bits(v.media_cmd_o, 512, 64);
    c.offset = static_cast<std::uint32_t>(get_bits(v.media_cmd_o, 576, 2));
    c.slot = static_cast<std::uint32_t>(get_bits(v.media_cmd_o, 578, 16));
    c.dpa = get_bits(v.media_cmd_o, 594, 46);
    c.id = static_cast<std::uint16_t>(get_bits(v.media_cmd_o, 640, 8));
    c.op = static_cast<MediaOp>(get_bits(v.media_cmd_o, 648, 3));
    c.poison = get_bits(v.media_cmd_o, 651, 1) != 0;
    media.submit(c, cycle_ + (options_.latency != 0 ? options_.latency : 1 + random_.below(60)));
    takes_ = false;
  }

  MediaOptions options_;
  QuickRandom random_;
  mutable Clocked<Top> rtl_;
  bool takes_ = false;
  unsigned seen_errors_ = 0;
  std::uint64_t cycle_ = 0;
};

}  // namespace cxlgpu::test
