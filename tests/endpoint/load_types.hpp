// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
// The packed types of DevLoad as flat ports of verilated models.
//
// Purpose: reads and writes load_control_t, load_status_t and media_status_t.
// Units:   bits, as docs/blocks/endpoint/endpoint_regs.md, endpoint/dev_load.md, lay them out.
// Errors:  as tests/common/bits.hpp.
#pragma once

#include "refmodel/endpoint/dev_load.hpp"
#include "tests/common/bits.hpp"

namespace cxlgpu::test {

// Calls field(name, lowest bit, width, value by reference) for each field.
template <typename Control, typename Field>
void for_each_load_control_field(Control& control, Field field) {
  field("interval", 0, 5, control.interval);
  field("egress_severe", 5, 7, control.egress_severe);
  field("egress_moderate", 12, 7, control.egress_moderate);
  field("egress_enable", 19, 1, control.egress_enable);
  field("ttr_enable", 20, 1, control.throughput_reduction);
  for (std::size_t m = 0; m < kLoadSources; ++m) {
    const std::size_t at = 21 + 28 * m;
    for (std::size_t k = 0; k < 3; ++k) {
      field("th", at + 7 * k, 7, control.measure[m].thresholds[k]);
    }
    field("margin", at + 21, 7, control.measure[m].margin);
  }
}

template <typename Port>
void set_load_control(Port& port, const LoadSettings& control) {
  for_each_load_control_field(control, [&](const char*, std::size_t lo, std::size_t width,
                                           auto value) { set_bits(port, lo, width, value); });
}

template <typename Port>
LoadSettings get_load_control(const Port& port) {
  LoadSettings control;
  for_each_load_control_field(
      control, [&](const char*, std::size_t lo, std::size_t width, auto& value) {
        value = static_cast<std::remove_reference_t<decltype(value)>>(get_bits(port, lo, width));
      });
  return control;
}

inline std::uint32_t load_status_bits(const LoadStatus& status) {
  std::uint32_t bits = 0;
  set_bits(bits, 0, 7, status.backpressure);
  for (std::size_t m = 0; m < kLoadSources; ++m) set_bits(bits, 7 + 2 * m, 2, status.level[m]);
  set_bits(bits, 15, 2, status.egress);
  set_bits(bits, 17, 2, status.dev_load);
  return bits;
}

inline std::uint32_t media_status_bits(const MediaStatus& status) {
  return std::uint32_t{status.tasks} << 7 | status.backlog;
}

}  // namespace cxlgpu::test
