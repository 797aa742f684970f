// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
// What a device decodes: nothing, its DVSEC ranges, or what its HDM decoders say.
//
// Purpose: twin of rtl/endpoint/range_decoder.sv.
// Units:   lines (address[51:6]); range bases and sizes in 256 MiB; a size of 0: no such range.
// Errors:  none: what nothing decodes is a miss.
// Source:  CXL 2.0, 8.1.3.8 and 8.2.5.12; docs/blocks/endpoint/range_decoder.md.
#pragma once

#include <cstdint>

namespace cxlgpu {

class RangeDecoder {
 public:
  struct In {
    bool mem_enable = false, hdm_enabled = false;
    std::uint64_t range1_base = 0, range2_base = 0;
    bool hpa_valid = false;
    std::uint64_t hpa_line = 0;
    bool hdm_hit = false;
    std::uint64_t hdm_dpa_line = 0;
  };
  struct Out {
    bool hit = false;
    std::uint64_t dpa_line = 0;  // the HPA's line on a miss
  };

  explicit RangeDecoder(std::uint64_t range1_size = 128, std::uint64_t range2_size = 0)
      : range1_size_(range1_size), range2_size_(range2_size) {}

  [[nodiscard]] Out eval(const In& in) const {
    const Out miss{false, in.hpa_line};
    if (!in.hpa_valid || !in.mem_enable) return miss;
    if (in.hdm_enabled) return {in.hdm_hit, in.hdm_dpa_line};
    const std::uint64_t at = in.hpa_line / kLinesPerUnit;
    if (inside(at, in.range1_base, range1_size_)) {
      return {true, in.hpa_line - in.range1_base * kLinesPerUnit};
    }
    if (inside(at, in.range2_base, range2_size_)) {
      return {true, in.hpa_line - in.range2_base * kLinesPerUnit + range1_size_ * kLinesPerUnit};
    }
    return miss;
  }

 private:
  static constexpr std::uint64_t kLinesPerUnit = (std::uint64_t{256} << 20) / 64;

  static bool inside(std::uint64_t at, std::uint64_t base, std::uint64_t size) {
    return base <= at && at < base + size;
  }

  std::uint64_t range1_size_, range2_size_;
};

}  // namespace cxlgpu
