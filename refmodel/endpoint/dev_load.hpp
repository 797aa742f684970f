// DevLoad of an endpoint: how loaded it says it is.
//
// Purpose: for each measure (receive FIFO level, MSHRs in use) counts how many of three thresholds
// are
//          reached; the larger count is the DevLoad code of the responses formed now.
// Units:   entries.
// Errors:  none; thresholds need not rise.
// Source:  CXL 2.0 QoS telemetry (IntLoad is the device's choice); docs/blocks.md, "dev_load".
#pragma once

#include <array>
#include <cstdint>

#include "refmodel/common/opcodes.hpp"

namespace cxlgpu {

using LoadThresholds = std::array<std::uint8_t, 3>;

struct DevLoadThresholds {
  LoadThresholds ingress{};
  LoadThresholds mshr{};
};

[[nodiscard]] constexpr unsigned thresholds_reached(unsigned value, const LoadThresholds& th) {
  return (value >= th[0]) + (value >= th[1]) + (value >= th[2]);
}

[[nodiscard]] constexpr DevLoad dev_load(unsigned ingress, unsigned mshrs,
                                         const DevLoadThresholds& th) {
  const unsigned a = thresholds_reached(ingress, th.ingress);
  const unsigned b = thresholds_reached(mshrs, th.mshr);
  return static_cast<DevLoad>(a > b ? a : b);
}

// Cycle-exact: the registered form.
class DevLoadMeter {
 public:
  struct In {
    unsigned ingress = 0, mshrs = 0;
    DevLoadThresholds thresholds;
  };
  struct Out {
    DevLoad dev_load = DevLoad::Light;
  };
  [[nodiscard]] Out eval(const In&) const { return {state_}; }
  void clock(const In& in) { state_ = cxlgpu::dev_load(in.ingress, in.mshrs, in.thresholds); }

 private:
  DevLoad state_ = DevLoad::Light;
};

}  // namespace cxlgpu
