// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
// How a standard Type 3 device may behave: each choice that CXL 2.0 leaves open as a value.
#pragma once

#include <cstdint>
#include <optional>
#include <span>

#include "packer.hpp"

namespace peer {

struct DeviceKnobs {
  uint64_t seed = 1;

  // link layer
  PackPolicy packing = PackPolicy::Densest;
  bool mdh = true;
  uint8_t wrap = 127;
  bool wrap_inclusive = false;
  unsigned buffers_req = 32;
  unsigned buffers_rwd = 32;
  bool one_credit_at_a_time = false;
  unsigned ack_force_threshold = 16;
  unsigned flush_retimer = 32;
  unsigned init_delay = 0;       // cycles in Active before INIT.Param leaves
  unsigned corrupt_per_64k = 0;  // flits sent with a damaged CRC
  unsigned retry_per_64k = 0;    // flits received well for which a retry is asked all the same
  bool credit_flood = false;     // credits of channels that it has not, and of CXL.cache

  // ARB/MUX
  unsigned status_delay = 0;  // cycles before a Request{Active} is answered
  unsigned weight_io = 1;
  unsigned weight_cachemem = 1;
  unsigned retrain_per_1m = 0;  // Recoveries requested per million cycles

  // memory
  unsigned latency_min = 40;  // cycles from a request to its response
  unsigned latency_max = 60;
  bool out_of_order = false;        // responses leave in any order
  bool half_lines = false;          // DRS in two halves of 32 bytes
  unsigned half_gap_max = 0;        // cycles after which the upper half is ready, random from 0
  std::optional<uint8_t> dev_load;  // none: by the number of requests held
  bool serve_spec = false;          // MemSpecRd occupies the media as a read does
  bool keeps_meta = false;          // stores MetaValue and returns it
  bool any_ignored = false;         // MetaValue beside No-Op and DevLoad take any value
  bool writes_late = false;         // a write is seen by reads only when its NDR leaves
  unsigned poison_per_64k = 0;      // reads answered with poison although the line is good; of a
                                    // line in halves: the lower, the upper or both
  uint64_t viral_at = 0;            // cycle after reset; 0: never
};

struct DeviceKnob {
  const char* name;
  const char* what;
  const char* clause;
  DeviceKnobs set;
};

// Each legal behaviour alone, and all at random.
std::span<const DeviceKnob> legal_device_knobs();

}  // namespace peer
