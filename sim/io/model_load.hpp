// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
// Workload modelload: a model's file, loaded tensor by tensor.
//
// Purpose: the I/Os of one thread, each of one tensor, into a buffer of its own that stays, in the
//          order of the file.
// Shapes:  direct I/O has whole pages: those that a tensor has a part of. A mapped file has no such
//          limit. A tensor of more than `most` bytes is several I/Os.
// Source:  Phoenix (SC '25), 4.3, and its published benchmark.
#pragma once

#include <cstdint>
#include <vector>

#include "sim/host/safetensors.hpp"
#include "sim/io/io_plan.hpp"

namespace cxlgpu {

class ModelLoadPlan : public IoPlan {
 public:
  // Precondition: the model has a tensor; most is in whole pages.
  ModelLoadPlan(const Safetensors& model, bool whole_pages, std::uint64_t most);

  [[nodiscard]] std::uint64_t file_bytes() const override { return file_bytes_; }
  [[nodiscard]] std::uint64_t bytes() const override { return bytes_; }
  [[nodiscard]] std::uint64_t ios() const override { return ios_.size(); }
  [[nodiscard]] unsigned threads() const override { return 1; }
  [[nodiscard]] std::vector<std::uint64_t> buffers() const override;
  void next(unsigned thread, std::vector<IoSpan>& group) override;

 private:
  std::uint64_t file_bytes_ = 0, bytes_ = 0;
  std::vector<IoSpan> ios_;
  std::size_t next_ = 0;
};

}  // namespace cxlgpu
