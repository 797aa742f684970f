// vadd: c[i] = a[i] + b[i] in single precision.
//
// Purpose: the sequential, load-intensive workload: two load streams and one store stream a warp.
// Shapes:  size elements; three arrays of 4-byte elements. `unroll` vectors of a warp's width are
//          loaded before the first is added.
// Errors:  see Workload.
#pragma once

#include "refmodel/gpu/workload.hpp"

namespace cxlgpu {

class VectorAdd : public Workload {
 public:
  explicit VectorAdd(const WorkloadParams& params) : params_(params) {}
  [[nodiscard]] std::string_view name() const override { return "vadd"; }
  [[nodiscard]] std::uint64_t size() const override { return params_.size; }
  [[nodiscard]] std::uint64_t data_set_bytes() const override {
    const std::uint64_t bytes = params_.size * sizeof(float);
    return placed_bytes({bytes, bytes, bytes});
  }
  void setup(Allocator& allocator, Backdoor& memory) override;
  void launch(Gpu& gpu) override;
  [[nodiscard]] std::optional<std::string> verify(const Backdoor& memory) const override;

 private:
  WarpTask kernel(Warp& w) const;

  WorkloadParams params_;
  DeviceArray<float> a_, b_, c_;
  std::vector<float> expected_;
};

}  // namespace cxlgpu
