#include "refmodel/gpu/workload_vadd.hpp"

#include <fmt/format.h>

#include <bit>

namespace cxlgpu {

void VectorAdd::setup(Allocator& allocator, Backdoor& memory) {
  const std::uint64_t n = params_.size;
  a_ = allocator.alloc<float>(n);
  b_ = allocator.alloc<float>(n);
  c_ = allocator.alloc<float>(n);
  Random random(params_.seed);
  // Integers below 2^24 and their sums are exact, so that every wrong byte shows.
  const auto value = [&] { return static_cast<float>(random.below(1 << 23)); };
  std::vector<float> a(n), b(n);
  for (float& x : a) x = value();
  for (float& x : b) x = value();
  copy_to_device(memory, a_, a);
  copy_to_device(memory, b_, b);
  copy_to_device(memory, c_, std::vector<float>(n, -1.0F));
  expected_.resize(n);
  for (std::uint64_t i = 0; i < n; ++i) expected_[i] = a[i] + b[i];
}

void VectorAdd::launch(Gpu& gpu) {
  gpu.launch([this](Warp& w) { return kernel(w); });
}

WarpTask VectorAdd::kernel(Warp& w) const {
  const WorkRange range = w.work(params_.size, params_.distribution);
  constexpr std::uint32_t kMaxUnroll = 4;
  const std::uint32_t unroll = params_.unroll;
  for (std::uint64_t base = range.first; base < range.end; base += unroll * range.stride) {
    std::array<LoadHandle<float>, kMaxUnroll> a, b;
    std::uint32_t n = 0;
    for (std::uint64_t at = base; n < unroll && at < range.end; at += range.stride, ++n) {
      const auto index = w.consecutive(at);
      const LaneMask mask = w.active(range, at);
      a[n] = w.load(a_, index, mask);
      b[n] = w.load(b_, index, mask);
    }
    for (std::uint32_t k = 0; k < n; ++k) {
      const std::uint64_t at = base + k * range.stride;
      const Lanes<float> x = co_await a[k];
      const Lanes<float> y = co_await b[k];
      w.compute();
      w.store(c_, w.consecutive(at), w.map([&](unsigned i) { return x[i] + y[i]; }),
              w.active(range, at));
    }
  }
}

std::optional<std::string> VectorAdd::verify(const Backdoor& memory) const {
  const std::vector<float> got = copy_from_device(memory, c_);
  for (std::uint64_t i = 0; i < params_.size; ++i) {
    if (std::bit_cast<std::uint32_t>(got[i]) != std::bit_cast<std::uint32_t>(expected_[i])) {
      return fmt::format("vadd: c[{}] at {:#x} is {}, expected {}", i, c_.address(i), got[i],
                         expected_[i]);
    }
  }
  return std::nullopt;
}

}  // namespace cxlgpu
