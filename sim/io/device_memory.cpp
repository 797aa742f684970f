// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
#include "sim/io/device_memory.hpp"

namespace cxlgpu {

Task<int> DeviceMemory::cudaMalloc(std::uint64_t* address, std::uint64_t bytes) {
  if (bytes == 0) co_return kInvalidValue;
  co_await host_.work(IoStep::Allocate, malloc_);
  std::vector<std::uint8_t> contents(bytes);
  const ByteMap::Bytes all = contents;  // which a move leaves where they are
  *address = map_.map(all);
  allocations_.emplace(*address, std::move(contents));
  co_return kSuccess;
}

Task<int> DeviceMemory::cudaFree(std::uint64_t address) {
  if (!map_.unmap(address)) co_return kInvalidValue;
  co_await host_.work(IoStep::Free, free_);
  allocations_.erase(address);
  co_return kSuccess;
}

}  // namespace cxlgpu
