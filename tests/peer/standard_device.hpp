// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
// The strict device whole: CXL.mem and CXL.io of one Type 3 device, behind one end of the link.
#pragma once

#include "tests/peer/device.hpp"
#include "tests/peer/io_device.hpp"

namespace peer {

class StandardDevice : public LinkEnd {
 public:
  StandardDevice(const DeviceKnobs& knobs, const IoDeviceKnobs& io_knobs)
      : io_(io_knobs), mem_(knobs, io_.io(), [this](uint64_t hpa) {
          const std::optional<uint64_t> dpa = io_.decode(hpa);
          return Decoded{.hit = dpa.has_value(),
                         .dpa = dpa.value_or(0),
                         .poison_miss = io_.poison_on_decode_error()};
        }) {
    io_.component().credits(knobs.buffers_req, knobs.buffers_rwd);
  }

  LinkOut cycle(const LinkIn& in) override {
    if (io_.take_retrain_request()) mem_.retrain();
    const LinkOut out = mem_.cycle(in);
    // What CXL.mem meets and the registers of the device have to show (S20 8.2.5.9, 12.4).
    if (const uint64_t poison = mem_.counts().poison_received; poison != poison_seen_) {
      poison_seen_ = poison;
      io_.component().log_correctable(kMemPoisonReceived);
    }
    if (mem_.host_viral()) io_.host_is_viral();
    return out;
  }
  void reset() override {
    io_.reset(false);
    mem_.reset();
  }

  IoDevice& io() { return io_; }
  Device& mem() { return mem_; }

 private:
  static constexpr unsigned kMemPoisonReceived = 5;

  IoDevice io_;
  Device mem_;
  uint64_t poison_seen_ = 0;
};

}  // namespace peer
