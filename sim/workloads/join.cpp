// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
// join: hash join of two tables: one is built into a hash table, the other probes it.
//
// Purpose: two phases that differ: scattered writes by compare-and-swap, then a stream of keys with
//          scattered reads, a hot part of them on the same lines.
// Shapes:  size tuples to build from, key and payload of 4 bytes; 2 * size keys that probe. Open
//          addressing with linear probing, slots a power of two, at most half of them full. Probing
//          keys are a built tuple's, frequent ones by Zipf's law; one in eight is in no tuple. The
//          result is a payload for each probing key, or kNone.
#include "sim/workloads/divergence.hpp"
#include "sim/workloads/workload.hpp"

namespace cxlgpu {
namespace {

class HashJoin : public Workload {
 public:
  using Workload::Workload;
  void launch(Gpu& gpu) override {
    gpu.launch([this](Warp& w) { return build(w); });
    gpu.launch([this](Warp& w) { return probe(w); });
  }
  [[nodiscard]] std::optional<std::string> verify(const Backdoor& memory) const override {
    return difference(memory, out_, "out", [&](std::uint64_t i) {
      const std::uint64_t tuple = probed(i);
      return tuple < size() ? payload(tuple) : kNone;
    });
  }

 private:
  static constexpr std::uint32_t kNone = ~0U, kEmpty = 0;
  // One to one, and zero for zero alone, which marks an empty slot.
  [[nodiscard]] std::uint32_t key(std::uint64_t tuple) const {
    const auto odd = static_cast<std::uint32_t>(Random(params().seed).next()) | 1;
    std::uint32_t x = static_cast<std::uint32_t>(tuple + 1) * odd;
    x = (x ^ (x >> 16)) * 0x7feb352dU;
    x = (x ^ (x >> 15)) * 0x846ca68bU;
    return x ^ (x >> 16);
  }
  [[nodiscard]] std::uint32_t payload(std::uint64_t tuple) const {
    return static_cast<std::uint32_t>(Random(params().seed, tuple).below(kNone));
  }
  [[nodiscard]] std::uint64_t probed(std::uint64_t i) const {  // size() and up: no tuple
    Random random(~params().seed, i * kDraws);
    return random.below(8) == 0 ? size() + i : spread(zipf(random, size()), size());
  }
  [[nodiscard]] std::uint64_t slot_of(std::uint32_t key) const {
    return std::uint64_t{key * 2654435761U} * slot_keys_.size >> 32;
  }
  [[nodiscard]] std::uint64_t behind(std::uint64_t slot) const {
    return (slot + 1) & (slot_keys_.size - 1);
  }
  void place(Allocator& allocator) override {
    keys_ = allocator.alloc<std::uint32_t>(size());
    payloads_ = allocator.alloc<std::uint32_t>(size());
    slot_keys_ = allocator.alloc<std::uint32_t>(std::bit_ceil(2 * size()));
    slot_payloads_ = allocator.alloc<std::uint32_t>(slot_keys_.size);
    probes_ = allocator.alloc<std::uint32_t>(2 * size());
    out_ = allocator.alloc<std::uint32_t>(probes_.size);
  }
  void fill(Backdoor& memory) override {
    fill_array(memory, keys_, [&](std::uint64_t i) { return key(i); });
    fill_array(memory, payloads_, [&](std::uint64_t i) { return payload(i); });
    fill_array(memory, slot_keys_, [](std::uint64_t) { return kEmpty; });
    fill_array(memory, slot_payloads_, [](std::uint64_t) { return kNone; });
    fill_array(memory, probes_, [&](std::uint64_t i) { return key(probed(i)); });
    fill_array(memory, out_, [](std::uint64_t) { return 1U; });
  }
  WarpTask build(Warp& w) const;
  WarpTask probe(Warp& w) const;

  DeviceArray<std::uint32_t> keys_, payloads_, slot_keys_, slot_payloads_, probes_, out_;
};

// Instructions besides the accesses, build: 8 a tuple (product, shift, two addresses, two pointers,
// counter, branch), 5 a slot tried (was it empty: compare, split, join; next slot, its bound).
WarpTask HashJoin::build(Warp& w) const {
  const WorkRange range = share(w, size());
  for (std::uint64_t base = range.first; base < range.end; base += range.stride) {
    const auto tuple = w.consecutive(base);
    LaneMask left = w.active(range, base);
    auto keys = w.load(keys_, tuple, left);
    auto payloads = w.load(payloads_, tuple, left);
    const auto [key, value] = co_await all(keys, payloads);
    w.compute(8);
    Lanes<std::uint64_t> slot{};
    for_lanes(left, [&](unsigned i) { slot[i] = slot_of(key[i]); });
    while (left != 0) {
      const Lanes<std::uint32_t> before =
          co_await w.atomic_cas(slot_keys_, slot, Lanes<std::uint32_t>{}, key, left);
      w.compute(5);
      const LaneMask taken = lanes_where(left, [&](unsigned i) { return before[i] == kEmpty; });
      w.store(slot_payloads_, slot, value, taken);
      left &= ~taken;
      for_lanes(left, [&](unsigned i) { slot[i] = behind(slot[i]); });
    }
  }
}

// Probe: 8 a key, as above; 8 a slot looked at (is it the key, is it empty: two compares with split
// and join; next slot, its bound).
WarpTask HashJoin::probe(Warp& w) const {
  const WorkRange range = share(w, probes_.size);
  for (std::uint64_t base = range.first; base < range.end; base += range.stride) {
    const auto at = w.consecutive(base);
    const LaneMask mask = w.active(range, base);
    const Lanes<std::uint32_t> key = co_await w.load(probes_, at, mask);
    w.compute(8);
    Lanes<std::uint64_t> slot{};
    for_lanes(mask, [&](unsigned i) { slot[i] = slot_of(key[i]); });
    auto result = w.map([](unsigned) { return kNone; });
    for (LaneMask left = mask; left != 0;) {
      const Lanes<std::uint32_t> there = co_await w.load(slot_keys_, slot, left);
      w.compute(8);
      const LaneMask same = lanes_where(left, [&](unsigned i) { return there[i] == key[i]; });
      if (same != 0) {
        const Lanes<std::uint32_t> value = co_await w.load(slot_payloads_, slot, same);
        for_lanes(same, [&](unsigned i) { result[i] = value[i]; });
      }
      left = lanes_where(left & ~same, [&](unsigned i) { return there[i] != kEmpty; });
      for_lanes(left, [&](unsigned i) { slot[i] = behind(slot[i]); });
    }
    w.store(out_, at, result, mask);
  }
}

}  // namespace

WorkloadKind join_workload() {
  return {"join",
          "hash join: build, then probe",
          "tuples of the built table",
          1 << 14,
          1,
          1 << 29,
          &make<HashJoin>};
}

}  // namespace cxlgpu
