// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
#include <cassert>

#include "sim/io/io_plan.hpp"
#include "sim/media/permutation.hpp"

namespace cxlgpu {

namespace {

class EqualIos : public IoPlan {
 public:
  explicit EqualIos(const IoWork& work)
      : work_(work), scattered_(work.seed, static_cast<std::uint32_t>(work.count)) {
    assert(work.count >= work.threads);
    for (unsigned thread = 0; thread < work.threads; ++thread) next_.push_back(first(thread));
  }

  [[nodiscard]] std::uint64_t file_bytes() const override { return work_.count * work_.bytes; }
  [[nodiscard]] std::uint64_t bytes() const override { return file_bytes(); }
  [[nodiscard]] std::uint64_t ios() const override { return work_.count; }
  [[nodiscard]] unsigned threads() const override { return work_.threads; }
  [[nodiscard]] std::vector<std::uint64_t> buffers() const override {
    return std::vector<std::uint64_t>(group(), work_.bytes);
  }
  void next(unsigned thread, std::vector<IoSpan>& spans) override {
    spans.clear();
    for (std::uint64_t& io = next_[thread]; io < first(thread + 1) && spans.size() < group();
         ++io) {
      spans.push_back({offset_of(io), work_.bytes, spans.size()});
    }
  }

 private:
  [[nodiscard]] unsigned group() const { return one_at_a_time(work_.mode) ? 1 : work_.group; }
  [[nodiscard]] std::uint64_t first(unsigned thread) const {
    return work_.count * thread / work_.threads;
  }
  [[nodiscard]] std::uint64_t offset_of(std::uint64_t io) const {
    if (work_.order == IoOrder::Sequential) return io * work_.bytes;
    return scattered_.place(static_cast<std::uint32_t>(io)) * work_.bytes;
  }

  IoWork work_;
  Permutation scattered_;
  std::vector<std::uint64_t> next_;  // of each thread
};

}  // namespace

std::unique_ptr<IoPlan> make_equal_ios(const IoWork& work) {
  return std::make_unique<EqualIos>(work);
}

}  // namespace cxlgpu
