// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
// Bit access and a fixed-capacity vector: the two tools of the flit hot path (no heap).
//
// Units: positions and widths are bits; bit 0 is the least significant and the first sent.
// Errors: none are reported; widths above 64 and pushes beyond the capacity are programming errors.
#pragma once

#include <bit>
#include <cassert>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <initializer_list>
#include <new>
#include <type_traits>

namespace cxlgpu::flits {

static_assert(std::endian::native == std::endian::little, "flit bytes map to integers directly");

__extension__ using u128 = unsigned __int128;

/// A value with its low `width` bits set; width 0..128.
constexpr u128 low_mask(unsigned width) {
  return width >= 128 ? ~u128{0} : (u128{1} << width) - 1;
}

/// Bits [at + width - 1 : at] of v; width 1..64.
constexpr std::uint64_t get_bits(u128 v, unsigned at, unsigned width) {
  return static_cast<std::uint64_t>((v >> at) & low_mask(width));
}

/// `value` placed at bits [at + width - 1 : at]; bits of value beyond the width are dropped.
constexpr u128 put_bits(std::uint64_t value, unsigned at, unsigned width) {
  return (u128{value} & low_mask(width)) << at;
}

/// Up to N elements in place. Elements are plain data, so nothing is constructed until pushed.
template <class T, std::size_t N>
class StaticVector {
  static_assert(std::is_trivially_copyable_v<T> && std::is_trivially_destructible_v<T>);

 public:
  StaticVector() = default;
  StaticVector(std::initializer_list<T> init) {
    for (const T& v : init) push_back(v);
  }
  StaticVector(const StaticVector& other) { *this = other; }
  StaticVector& operator=(const StaticVector& other) {
    if (this != &other) {
      size_ = other.size_;
      std::memcpy(storage_, other.storage_, size_ * sizeof(T));
    }
    return *this;
  }

  static constexpr std::size_t capacity() { return N; }
  std::size_t size() const { return size_; }
  bool empty() const { return size_ == 0; }
  bool full() const { return size_ == N; }
  void clear() { size_ = 0; }

  T& push_back(const T& v) {
    assert(size_ < N);
    return *new (storage_ + sizeof(T) * size_++) T(v);
  }
  void pop_front() {
    assert(size_ > 0);
    std::memmove(storage_, storage_ + sizeof(T), --size_ * sizeof(T));
  }

  T* begin() { return std::launder(reinterpret_cast<T*>(storage_)); }
  T* end() { return begin() + size_; }
  const T* begin() const { return std::launder(reinterpret_cast<const T*>(storage_)); }
  const T* end() const { return begin() + size_; }
  T& operator[](std::size_t i) { return begin()[i]; }
  const T& operator[](std::size_t i) const { return begin()[i]; }
  T& front() { return begin()[0]; }
  const T& front() const { return begin()[0]; }

  friend bool operator==(const StaticVector& a, const StaticVector& b) {
    if (a.size_ != b.size_) return false;
    for (std::size_t i = 0; i < a.size_; ++i) {
      if (!(a[i] == b[i])) return false;
    }
    return true;
  }

 private:
  alignas(T) std::byte storage_[sizeof(T) * N];
  std::size_t size_ = 0;
};

}  // namespace cxlgpu::flits
