// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
#include "sim/io/model_load.hpp"

#include <algorithm>

#include "sim/io/host_kernel.hpp"

namespace cxlgpu {

ModelLoadPlan::ModelLoadPlan(const Safetensors& model, bool whole_pages, std::uint64_t most) {
  constexpr std::uint64_t kPage = HostKernel::kAlignment;
  for (const Tensor& tensor : model.tensors) {
    std::uint64_t begin = tensor.offset, end = tensor.offset + tensor.bytes;
    file_bytes_ = std::max(file_bytes_, end);
    if (whole_pages) {
      begin = begin / kPage * kPage;
      end = (end + kPage - 1) / kPage * kPage;
    }
    while (begin < end) {
      const std::uint64_t bytes = std::min(most, end - begin);
      ios_.push_back({begin, bytes, ios_.size()});
      bytes_ += bytes;
      begin += bytes;
    }
  }
}

std::vector<std::uint64_t> ModelLoadPlan::buffers() const {
  std::vector<std::uint64_t> all;
  for (const IoSpan& io : ios_) all.push_back(io.bytes);
  return all;
}

void ModelLoadPlan::next(unsigned, std::vector<IoSpan>& group) {
  group.clear();
  if (next_ < ios_.size()) group.push_back(ios_[next_++]);
}

}  // namespace cxlgpu
