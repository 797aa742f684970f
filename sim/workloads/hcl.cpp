// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
// hcl: every thread logs, in a coalesced log or in one of partitions with a lock.
//
// Purpose: what an insertion costs over the number of threads, with both kinds (workload.log).
// Shapes:  size entries a thread, of 32 bytes {thread, its number, six words}. A run that goes on
//          inserts those that are not there: of the coalesced log the tails say which; of the
//          conventional one each warp reads its partition.
// Source:  GPM (S. Pandey et al., ASPLOS 2022), figure 11b.
#include "sim/gpm/log.hpp"
#include "sim/workloads/persistent.hpp"

namespace cxlgpu {
namespace {

constexpr U32 kWords = 8;

class Logging : public PersistentWorkload {
 public:
  using PersistentWorkload::PersistentWorkload;
  [[nodiscard]] std::optional<std::string> verify(const Backdoor& memory) const override {
    std::vector<U32> counts;
    if (auto wrong = count(memory, counts)) return wrong;
    for (U32 thread = 0; thread < counts.size(); ++thread) {
      if (counts[thread] == size()) continue;
      return fmt::format("thread {} has {} entries, expected {}", thread, counts[thread], size());
    }
    return std::nullopt;
  }

 private:
  void place_volatile(Allocator& allocator) override {
    locks_ = allocator.alloc<U32>(params().log_partitions);
  }
  void place_persistent(Allocator& allocator) override;
  void fill_volatile(Backdoor& memory) override {
    fill_array(memory, locks_, [](U64) { return 0U; });
  }
  WarpTask create(Warp& w) const override {
    if (w.id() != 0) co_return;
    if (coalesced()) {
      co_await hcl_.gpmlog_create_hcl(w);
    } else {
      co_await conv_.gpmlog_create_conv(w);
    }
  }
  WarpTask reopen(Warp& w, bool& ok) const override {
    return coalesced() ? hcl_.gpmlog_open(w, ok) : conv_.gpmlog_open(w, ok);
  }
  void launch_work(Gpu& gpu) override {
    gpu.launch([this](Warp& w) { return insert_all(w); });
  }
  [[nodiscard]] std::optional<std::string> holds(const Backdoor& memory) const override {
    std::vector<U32> counts;
    return count(memory, counts);
  }
  [[nodiscard]] std::string piece() const override { return "hcl"; }

  [[nodiscard]] bool coalesced() const { return params().log == LogKind::Hcl; }
  [[nodiscard]] U32 word(U64 thread, U64 number, U64 k) const {
    if (k < 2) return static_cast<U32>(k == 0 ? thread : number);
    return static_cast<U32>(Random(params().seed, (thread * size() + number) * kWords + k).next());
  }
  WarpTask insert_all(Warp& w) const;
  WarpTask count_own(Warp& w, Lanes<U32>& counts) const;
  // Entries of each thread, all of which are whole and in order.
  [[nodiscard]] std::optional<std::string> count(const Backdoor& memory,
                                                 std::vector<U32>& counts) const;

  DeviceArray<U32> locks_;
  gpm::HclLog hcl_;
  gpm::ConvLog conv_;
};

void Logging::place_persistent(Allocator& allocator) {
  const U32 each = static_cast<U32>(size());
  if (coalesced()) {
    const gpm::HclShape shape{.entry_bytes = kWords * 4,
                              .warps = params().warps,
                              .lanes = params().threads,
                              .capacity = each};
    hcl_ = gpm::HclLog(allocator.alloc_persistent<U32>(shape.bytes() / 4).base, shape, fault());
    return;
  }
  const U32 parts = params().log_partitions, warps_each = (params().warps + parts - 1) / parts;
  const gpm::ConvShape shape{.entry_bytes = kWords * 4,
                             .partitions = parts,
                             .capacity = each * warps_each * params().threads};
  conv_ =
      gpm::ConvLog(allocator.alloc_persistent<U32>(shape.bytes() / 4).base, shape, locks_, fault());
}

WarpTask Logging::count_own(Warp& w, Lanes<U32>& counts) const {
  counts.fill(0);
  if (coalesced()) {
    co_await hcl_.gpmlog_tails(w, counts);
    co_return;
  }
  U32 head = 0;
  co_await conv_.gpmlog_head(w, -1, head);
  for (U32 first = 0; first < head; first += w.width()) {
    gpm::Chunks entries;
    LaneMask there = 0;
    co_await conv_.gpmlog_read(w, -1, first, entries, there);
    w.compute(4);
    for_lanes(there, [&](unsigned i) {
      if (entries[0][i] / w.width() == w.id()) ++counts[entries[0][i] % w.width()];
    });
  }
}

WarpTask Logging::insert_all(Warp& w) const {
  Lanes<U32> counts{};
  if (recovered()) {
    co_await count_own(w, counts);
    co_await w.barrier();  // before partitions change
  }
  for (;;) {
    const LaneMask mask =
        lanes_where(w.full_mask(), [&](unsigned i) { return counts[i] < size(); });
    if (mask == 0) break;
    gpm::Chunks entry;
    for (U32 k = 0; k < kWords; ++k) {
      entry.push_back(
          w.map([&](unsigned i) { return word(U64{w.id()} * w.width() + i, counts[i], k); }));
    }
    w.compute(kWords + 3);
    bool ok = false;
    if (coalesced()) {
      co_await hcl_.gpmlog_insert(w, std::move(entry), mask, ok);
    } else {
      co_await conv_.gpmlog_insert(w, std::move(entry), mask, -1, ok);
    }
    if (!ok) co_return;
    for_lanes(mask, [&](unsigned i) { ++counts[i]; });
  }
}

std::optional<std::string> Logging::count(const Backdoor& memory, std::vector<U32>& counts) const {
  counts.assign(std::size_t{params().warps} * params().threads, 0);
  const auto take = [&](std::optional<U32> own, auto&& address) -> std::optional<std::string> {
    const U32 thread = own.value_or(word_at<U32>(memory, address(0)));
    if (thread >= counts.size()) return fmt::format("an entry of thread {}", thread);
    for (U64 k = 0; k < kWords; ++k) {
      const U32 found = word_at<U32>(memory, address(k)),
                expected = word(thread, counts[thread], k);
      if (found == expected) continue;
      return fmt::format("word {} of entry {} of thread {} is {:#x}, expected {:#x}", k,
                         counts[thread], thread, found, expected);
    }
    ++counts[thread];
    return std::nullopt;
  };
  for (U32 warp = 0; warp < params().warps && coalesced(); ++warp) {
    for (U32 lane = 0; lane < params().threads; ++lane) {
      const U32 tail = word_at<U32>(memory, hcl_.tail_address(warp, lane));
      if (tail > size()) return "a tail is beyond the log";
      for (U32 e = 0; e < tail; ++e) {
        const auto wrong = take(warp * params().threads + lane,
                                [&](U64 k) { return hcl_.chunk_address(warp, e, k, lane); });
        if (wrong) return wrong;
      }
    }
  }
  for (U32 p = 0; p < params().log_partitions && !coalesced(); ++p) {
    const U32 head = word_at<U32>(memory, conv_.head_address(p));
    if (head > conv_.shape().capacity) return "a head is beyond the log";
    for (U32 e = 0; e < head; ++e) {
      if (auto wrong = take({}, [&](U64 k) { return conv_.word_address(p, e, k); })) return wrong;
    }
  }
  return std::nullopt;
}

}  // namespace

WorkloadKind hcl_workload() {
  return {"hcl",
          "every thread logs, in one of two kinds of log",
          "entries of a thread",
          20,
          1,
          1 << 16,
          make<Logging>};
}

}  // namespace cxlgpu
