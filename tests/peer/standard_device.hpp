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
        }) {}

  LinkOut cycle(const LinkIn& in) override {
    if (io_.take_retrain_request()) mem_.retrain();
    return mem_.cycle(in);
  }
  void reset() override {
    io_.reset(false);
    mem_.reset();
  }

  IoDevice& io() { return io_; }
  Device& mem() { return mem_; }

 private:
  IoDevice io_;
  Device mem_;
};

}  // namespace peer
