// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
// Arrays in device memory and the allocator that places them.
//
// Purpose: kernels name data by array and index, never by raw address. The allocator starts at the
//          bottom of local memory and places arrays one behind the other, so a data set larger
//          than local memory runs on into the CXL range; leave_local() leaves the rest of local
//          memory empty, if there is a CXL range.
// Units:   addresses in bytes, sizes in elements.
// Errors:  alloc() throws InputError when the map is full.
#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <cassert>
#include <cstdint>
#include <span>
#include <string>
#include <type_traits>
#include <vector>

#include "common/input_error.hpp"
#include "common/request.hpp"
#include "sim/gpu/gpu_config.hpp"
#include "sim/host/backdoor.hpp"

namespace cxlgpu {

template <typename T>
struct DeviceArray {
  static_assert(std::is_trivially_copyable_v<T> &&
                (sizeof(T) == 1 || sizeof(T) == 2 || sizeof(T) == 4 || sizeof(T) == 8));
  static constexpr unsigned kBytes = sizeof(T);  // of an element
  std::uint64_t base = 0;
  std::uint64_t size = 0;

  [[nodiscard]] std::uint64_t address(std::uint64_t index) const {
    assert(index < size);
    return base + index * sizeof(T);
  }
  [[nodiscard]] std::uint64_t bytes() const { return size * sizeof(T); }
};

class Allocator {
 public:
  // From the bottom of local memory to the top of the HDM range.
  explicit Allocator(const SystemMapParams& map)
      : begin_(map.staged_base() + map.staged_room()),
        next_(begin_),
        hdm_base_(map.hdm_base),
        end_(std::min(map.hdm_base + map.hdm_size, map.persistent_base)),
        persistent_begin_(map.staged_bytes != 0 ? map.staged_base() : map.persistent_base),
        persistent_next_(persistent_begin_),
        persistent_end_(map.staged_bytes != 0 ? map.staged_base() + map.staged_bytes
                                              : map.hdm_base + map.hdm_size) {}

  template <typename T>
  DeviceArray<T> alloc(std::uint64_t elements) {
    const std::uint64_t left = end_ - next_;
    if (elements > left / sizeof(T)) {
      throw InputError("gpu: an array of " + std::to_string(elements) + " elements of " +
                       std::to_string(sizeof(T)) + " bytes does not fit in the " +
                       std::to_string(left) +
                       " bytes left; raise the HDM size or lower the workload's size");
    }
    const DeviceArray<T> array{next_, elements};
    next_ = std::min(end_, line_of(next_ + array.bytes() + kLineBytes - 1));
    return array;
  }
  // Begins at a multiple of 256.
  template <typename T>
  DeviceArray<T> alloc_persistent(std::uint64_t elements) {
    std::uint64_t& next = persistent() ? persistent_next_ : next_;
    next = (next + kPersistentAlign - 1) / kPersistentAlign * kPersistentAlign;
    const std::uint64_t end = persistent() ? persistent_end_ : end_;
    const std::uint64_t left = next < end ? end - next : 0;
    if (elements > left / sizeof(T)) {
      throw InputError(fmt::format(
          "gpu: an array of {} elements of {} bytes does not fit in the {} bytes left of the "
          "persistent range; raise that of hdm.ranges or lower the workload's size",
          elements, sizeof(T), left));
    }
    const DeviceArray<T> array{next, elements};
    next = std::min(end, line_of(next + array.bytes() + kLineBytes - 1));
    if (persistent()) persistent_used_ += array.bytes();
    return array;
  }
  [[nodiscard]] bool persistent() const { return persistent_next_ <= persistent_end_; }
  // From the first persistent array to the end of the last.
  [[nodiscard]] std::uint64_t persistent_extent() const {
    return persistent() ? persistent_next_ - persistent_begin_ : 0;
  }
  // What is allocated from now on lies in CXL memory, if there is any.
  void leave_local() {
    if (next_ >= hdm_base_ || end_ == hdm_base_) return;
    empty_ += hdm_base_ - next_;
    next_ = hdm_base_;
  }
  [[nodiscard]] std::uint64_t used() const { return next_ - begin_ - empty_ + persistent_used_; }

 private:
  static constexpr std::uint64_t kPersistentAlign = 256;
  std::uint64_t begin_, next_, hdm_base_, end_;
  std::uint64_t persistent_begin_, persistent_next_, persistent_end_;
  std::uint64_t empty_ = 0;  // of local memory
  std::uint64_t persistent_used_ = 0;
};

// Host copies to and from the device, outside simulated time.
template <typename T>
void copy_to_device(Backdoor& memory, const DeviceArray<T>& array, const std::vector<T>& values) {
  assert(values.size() == array.size);
  memory.poke(array.base, {reinterpret_cast<const std::uint8_t*>(values.data()), array.bytes()});
}

template <typename T>
std::vector<T> copy_from_device(const Backdoor& memory, const DeviceArray<T>& array) {
  std::vector<T> values(array.size);
  memory.peek(array.base, {reinterpret_cast<std::uint8_t*>(values.data()), array.bytes()});
  return values;
}

}  // namespace cxlgpu
