// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
// GPU memory that a program of the host allocates: cudaMalloc and cudaFree by name.
//
// Shapes:  addresses are multiples of 2 MiB.
// Errors:  cudaMalloc of 0 bytes and cudaFree of what it did not give return kInvalidValue.
// Source:  CUDA runtime API; times: Phoenix (SC '25), table 1.
#pragma once

#include <cstdint>
#include <map>
#include <vector>

#include "sim/io/byte_map.hpp"
#include "sim/io/host.hpp"

namespace cxlgpu {

class DeviceMemory {
 public:
  static constexpr int kSuccess = 0, kInvalidValue = 1;  // cudaSuccess, cudaErrorInvalidValue

  DeviceMemory(Host& host, Time malloc, Time free) : host_(host), malloc_(malloc), free_(free) {}

  Task<int> cudaMalloc(std::uint64_t* address, std::uint64_t bytes);
  Task<int> cudaFree(std::uint64_t address);
  // Nothing: not within one allocation.
  [[nodiscard]] std::optional<ByteMap::Bytes> find(std::uint64_t address,
                                                   std::uint64_t bytes) const {
    return map_.find(address, bytes);
  }

 private:
  Host& host_;
  Time malloc_, free_;
  ByteMap map_{0x7f0000000000, 2 << 20};
  std::map<std::uint64_t, std::vector<std::uint8_t>> allocations_;
};

}  // namespace cxlgpu
