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
#include "tests/endpoint/media_pins.hpp"
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
  void drive_media() {
    if (!takes_) takes_ = random_.percent(options_.percent);
    says_ = media.ready(cycle_);
    drive_media_port(rtl_->media_i, takes_, says_);
  }
  void sample_media() {
    using Pins = layout::ToMedia;
    const auto& asks = rtl_->media_o;
    if (says_ != nullptr && get_bits(asks, Pins::rsp_ready) != 0) media.taken();
    if (get_bits(asks, Pins::cmd_valid) == 0 || !takes_) return;
    media.submit(media_command(asks),
                 cycle_ + (options_.latency != 0 ? options_.latency : 1 + random_.below(60)));
    takes_ = false;
  }

  MediaOptions options_;
  QuickRandom random_;
  mutable Clocked<Top> rtl_;
  bool takes_ = false;
  const MediaResponse* says_ = nullptr;  // on offer in this cycle
  unsigned seen_errors_ = 0;
  std::uint64_t cycle_ = 0;
};

}  // namespace cxlgpu::test
