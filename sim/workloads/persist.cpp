// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
// persist: stores of 8 bytes a thread, each persisted before the next.
//
// Purpose: what persists alone cost, over the number of threads (gpu.cores, gpu.warps,
// gpu.threads). Shapes:  size elements of 8 bytes, dealt to warps as run by workload.distribution.
// An element
//          that is there is known by its value: a run that goes on stores the others.
// Source:  GPM (S. Pandey et al., ASPLOS 2022) has such a micro-benchmark, of 1 GB.
#include "sim/workloads/persistent.hpp"

namespace cxlgpu {
namespace {

class Persist : public PersistentWorkload {
 public:
  using PersistentWorkload::PersistentWorkload;
  [[nodiscard]] std::optional<std::string> verify(const Backdoor& memory) const override {
    return difference(memory, data_, "data", [&](U64 i) { return value(i); });
  }

 private:
  void place_volatile(Allocator&) override {}
  void place_persistent(Allocator& allocator) override {
    data_ = allocator.alloc_persistent<U64>(size());
  }
  void fill_volatile(Backdoor&) override {}
  WarpTask create(Warp&) const override { co_return; }
  WarpTask reopen(Warp&, bool&) const override { co_return; }
  void launch_work(Gpu& gpu) override {
    gpu.launch([this](Warp& w) { return store_all(w); });
  }
  [[nodiscard]] std::string piece() const override { return "persist"; }
  [[nodiscard]] U64 value(U64 i) const { return Random(params().seed, i).next() | 1; }

  WarpTask store_all(Warp& w) const {
    const WorkRange range = share(w, size());
    for (U64 base = range.first; base < range.end; base += range.stride) {
      LaneMask mask = w.active(range, base);
      if (recovered()) {
        const auto now = co_await w.load_l2(data_, w.consecutive(base), mask);
        mask = lanes_where(mask, [&](unsigned i) { return now[i] != value(base + i); });
      }
      w.compute(6);  // the value, pointer, loop
      if (mask == 0) continue;
      w.store(data_, w.consecutive(base), w.map([&](unsigned i) { return value(base + i); }), mask);
      if (fault() == gpm::Fault::NoPersistAfterMark) {
        co_await w.drain();
      } else {
        co_await w.persist();
      }
    }
  }

  // A warp's elements are there in its order, but those of one store in any.
  [[nodiscard]] std::optional<std::string> holds(const Backdoor& memory) const override {
    const std::vector<U64> data = copy_from_device(memory, data_);
    const U64 width = params().threads, warps = params().warps;
    const U64 vectors = (size() + width - 1) / width;
    const U64 each = vectors / warps, extra = vectors % warps;
    const bool dealt = params().distribution == Distribution::Interleaved;
    for (U64 warp = 0; warp < warps; ++warp) {
      const U64 first = dealt ? warp : warp * each + std::min(warp, extra);
      const U64 end = dealt ? vectors : first + each + (warp < extra ? 1 : 0);
      U64 missing = size();
      for (U64 v = first; v < end; v += dealt ? warps : 1) {
        const U64 gone = missing;
        for (U64 i = v * width; i < std::min(size(), (v + 1) * width); ++i) {
          const bool there = data[i] == value(i);
          if (there && gone < size()) {
            return fmt::format("element {} of warp {} is there, but not {} before it", i, warp,
                               gone);
          }
          if (!there) missing = std::min(missing, i);
        }
      }
    }
    return std::nullopt;
  }

  DeviceArray<U64> data_;
};

}  // namespace

WorkloadKind persist_workload() {
  return {"persist",
          "stores of 8 bytes a thread, each persisted",
          "elements",
          40 << 10,
          1,
          1ULL << 27,
          make<Persist>};
}

}  // namespace cxlgpu
