// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
// Workload kvload: the blocks of a KV-cache trace, loaded request by request from a file that holds
// the cache.
//
// Purpose: the I/Os of one thread: of each request, and of each layer of it, a batch of all blocks;
//          blocks that are neighbours in the file and in the batch are one I/O.
// Source:  Phoenix (SC '25), 4.3: a batch for a sequence, by layer, neighbours merged.
#pragma once

#include <cstdint>
#include <vector>

#include "sim/io/io_plan.hpp"
#include "sim/io/kv_trace.hpp"

namespace cxlgpu {

class KvLoadPlan : public IoPlan {
 public:
  // `requests`: the blocks to load of each; `blocks`: those of the file.
  // Precondition: part_bytes() is a multiple of 4 KiB; a block is loaded.
  KvLoadPlan(const KvLoadWork& work, std::vector<std::vector<std::uint64_t>> requests,
             std::uint64_t blocks);

  [[nodiscard]] std::uint64_t file_bytes() const override;
  [[nodiscard]] std::uint64_t bytes() const override { return bytes_; }
  [[nodiscard]] std::uint64_t ios() const override { return ios_; }
  [[nodiscard]] unsigned threads() const override { return 1; }
  [[nodiscard]] std::vector<std::uint64_t> buffers() const override { return buffers_; }
  void next(unsigned thread, std::vector<IoSpan>& group) override;

  [[nodiscard]] std::uint64_t part_bytes() const { return work_.part_bytes(); }

 private:
  [[nodiscard]] std::uint64_t offset_of(std::uint64_t block) const;

  KvLoadWork work_;
  std::vector<std::vector<std::uint64_t>> requests_;
  std::uint64_t blocks_, unit_;
  unsigned rounds_;  // of a request: layers, or one
  std::uint64_t bytes_ = 0, ios_ = 0;
  std::vector<std::uint64_t> buffers_;
  // Where next() goes on.
  std::size_t request_ = 0, at_ = 0;
  unsigned round_ = 0;
};

}  // namespace cxlgpu
