// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
// The profiler of a root port: what passed, by kind, and the load its endpoint reported.
//
// Purpose: 32-bit counters readable as registers; hands the DevLoad of the response consumed in a
//          cycle to load control.
// Errors:  none; counters wrap.
// Source:  docs/blocks/root_port/profiler.md.
#pragma once

#include <array>
#include <cstdint>

#include "common/opcodes.hpp"

namespace cxlgpu {

struct PortCounters {
  std::uint32_t loads = 0, stores = 0, specs = 0;
  std::array<std::uint32_t, 4> responses{};  // by DevLoad
  bool operator==(const PortCounters&) const = default;
};

class Profiler {
 public:
  void count_load() { ++counters_.loads; }
  void count_store() { ++counters_.stores; }
  void count_spec() { ++counters_.specs; }
  void count_response(DevLoad load) { ++counters_.responses[static_cast<std::size_t>(load)]; }
  [[nodiscard]] const PortCounters& counters() const { return counters_; }

  // Cycle-exact. A response is a DRS or an NDR; both in one cycle do not occur.
  struct In {
    bool load = false, store = false, spec = false;
    bool rsp_valid = false;
    DevLoad dev_load = DevLoad::Light;
  };
  struct Out {
    PortCounters counters;
    bool rsp_valid = false;  // to load control
    DevLoad dev_load = DevLoad::Light;
  };
  [[nodiscard]] Out eval(const In& in) const { return {counters_, in.rsp_valid, in.dev_load}; }
  void clock(const In& in) {
    if (in.load) count_load();
    if (in.store) count_store();
    if (in.spec) count_spec();
    if (in.rsp_valid) count_response(in.dev_load);
  }

 private:
  PortCounters counters_;
};

}  // namespace cxlgpu
