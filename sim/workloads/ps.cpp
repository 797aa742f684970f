// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
// ps: prefix sum whose blocks are durable one by one, so that a run goes on where power was lost.
//
// Purpose: the smallest use of persistence in a kernel: data, persist, mark, persist.
// Shapes:  size blocks of 32 elements of 4 bytes. Persistent: directory; header line; of each block
//          its sums from its first element on, a mark, the result, a mark of that. A mark is 8
//          bytes {the block's sum, kDone}: a sum alone says nothing, 0 is one. Eight marks share a
//          line. Input and offsets of the blocks are volatile: after a loss of power the input is
//          there again, as from a file, and the offsets are worked out again from the marks.
// Kernels: names and header, by one warp; each block's sums; offsets, by one warp; the result. A
//          block whose mark is there is passed over.
// Source:  GPM (S. Pandey et al., ASPLOS 2022) has a prefix sum of this kind; layout and kernels
//          are this design's.
#include <array>

#include "sim/gpm/region.hpp"
#include "sim/workloads/workload.hpp"

namespace cxlgpu {
namespace {

using gpm::Fault;
using U32 = std::uint32_t;
using U64 = std::uint64_t;

class PrefixSum : public Workload {
 public:
  using Workload::Workload;
  void place(Allocator& allocator) override {
    input_ = allocator.alloc<U32>(size() * kBlock);
    offsets_ = allocator.alloc<U32>(size());
    directory_ = allocator.alloc_persistent<U32>(gpm::kDirectoryBytes / 4);
    header_ = allocator.alloc_persistent<U32>(kLineBytes / 4);
    sums_ = allocator.alloc_persistent<U32>(size() * kBlock);
    marks_ = allocator.alloc_persistent<U64>(size());
    result_ = allocator.alloc_persistent<U32>(size() * kBlock);
    result_marks_ = allocator.alloc_persistent<U64>(size());
  }
  void fill(Backdoor& memory) override {
    fill_array(memory, input_, [&](U64 i) { return value(i); });
    fill_array(memory, offsets_, [](U64) { return 0xa5a5a5a5U; });
  }
  void recover(Gpu& gpu) override {
    if (fault() == Fault::ClearsAtRecovery) gpu.launch([this](Warp& w) { return clear(w); });
    launch(gpu);
  }
  void launch(Gpu& gpu) override {
    gpu.launch([this](Warp& w) { return open(w); });
    gpu.launch([this](Warp& w) { return sum_blocks(w); });
    gpu.launch([this](Warp& w) { return add_up(w); });
    gpu.launch([this](Warp& w) { return finish(w); });
  }
  [[nodiscard]] bool persists() const override { return true; }
  [[nodiscard]] std::optional<std::string> verify_recovered(const Backdoor& memory) const override;
  [[nodiscard]] std::optional<std::string> verify(const Backdoor& memory) const override {
    U32 sum = 0;
    return difference(memory, result_, "result", [&](U64 i) { return sum += value(i); });
  }

 private:
  static constexpr U64 kBlock = 32;
  static constexpr U32 kDone = 0x646f6e65;

  [[nodiscard]] Fault fault() const { return params().persist_fault; }
  [[nodiscard]] U32 value(U64 i) const {
    // Every sixteenth block adds up to 0.
    return i / kBlock % 16 == 3 ? 0 : static_cast<U32>(Random(params().seed, i).next() % 1000);
  }
  [[nodiscard]] gpm::Place piece() const {
    return {header_.base, result_marks_.base + result_marks_.bytes() - header_.base};
  }
  static constexpr U64 mark(U32 sum) { return U64{kDone} << 32 | sum; }
  static constexpr bool is_done(U64 mark) { return mark >> 32 == kDone; }

  WarpTask open(Warp& w) const;
  WarpTask clear(Warp& w) const;  // a fault
  WarpTask sum_blocks(Warp& w) const;
  WarpTask sum_block(Warp& w, U64 block) const;
  WarpTask add_up(Warp& w) const;
  WarpTask finish(Warp& w) const;
  WarpTask finish_block(Warp& w, U64 block) const;
  // What a block leaves: `data` of it, then its mark.
  WarpTask leave(Warp& w, const DeviceArray<U32>& to, const DeviceArray<U64>& marks, U64 block,
                 std::array<U32, kBlock> data, U32 sum) const;
  WarpTask load_block(Warp& w, const DeviceArray<U32>& from, U64 block,
                      std::array<U32, kBlock>& data) const;

  DeviceArray<U32> input_, offsets_;
  DeviceArray<U32> directory_, header_, sums_, result_;
  DeviceArray<U64> marks_, result_marks_;
};

WarpTask PrefixSum::open(Warp& w) const {
  if (w.id() != 0) co_return;
  gpm::Mapped mapped;
  co_await gpm::gpm_map(w, directory_.base, "ps", gpm::Kind::Region, piece(), false, mapped,
                        fault());
  if (mapped.ok) co_return;
  // The header first: the name stands for a whole piece.
  const std::array<U32, 8> sizes = {static_cast<U32>(size()), static_cast<U32>(kBlock)};
  const bool late = fault() == Fault::StateWithEntry;
  if (!late) co_await gpm::write_header(w, header_.base, gpm::Kind::Region, sizes);
  co_await gpm::gpm_map(w, directory_.base, "ps", gpm::Kind::Region, piece(), true, mapped,
                        fault());
  if (late) co_await gpm::write_header(w, header_.base, gpm::Kind::Region, sizes);
}

WarpTask PrefixSum::clear(Warp& w) const {
  for (U64 i = w.id() * kBlock; i < sums_.size; i += w.count() * kBlock) {
    w.store(sums_, w.consecutive(i), w.map([](unsigned) { return 0U; }), w.full_mask());
  }
  co_await w.persist();
}

WarpTask PrefixSum::load_block(Warp& w, const DeviceArray<U32>& from, U64 block,
                               std::array<U32, kBlock>& data) const {
  for (U64 i = 0; i < kBlock; i += w.width()) {
    const LaneMask mask = w.active({0, kBlock, 1}, i);
    const auto some = co_await w.load(from, w.consecutive(block * kBlock + i), mask);
    for (unsigned lane = 0; lane < w.width() && i + lane < kBlock; ++lane) {
      data[i + lane] = some[lane];
    }
  }
}

WarpTask PrefixSum::leave(Warp& w, const DeviceArray<U32>& to, const DeviceArray<U64>& marks,
                          U64 block, std::array<U32, kBlock> data, U32 sum) const {
  const auto set_mark = [&] {
    w.store(marks, w.uniform(block), w.map([sum](unsigned) { return mark(sum); }), lane_bit(0));
  };
  if (fault() == Fault::MarkBeforeData) {
    set_mark();
    co_await w.persist();
  }
  for (U64 i = 0; i < kBlock; i += w.width()) {
    w.store(to, w.consecutive(block * kBlock + i),
            w.map([&](unsigned lane) { return i + lane < kBlock ? data[i + lane] : 0U; }),
            w.active({0, kBlock, 1}, i));
  }
  if (fault() != Fault::NoPersistBeforeMark) co_await w.persist();
  if (fault() != Fault::MarkBeforeData) set_mark();
  if (fault() != Fault::NoPersistAfterMark) co_await w.persist();
}

WarpTask PrefixSum::sum_blocks(Warp& w) const {
  // A warp's blocks are w.id(), w.id() + count and so on.
  for (U64 block = w.id(); block < size(); block += w.count()) co_await sum_block(w, block);
}

WarpTask PrefixSum::sum_block(Warp& w, U64 block) const {
  const U64 before = (co_await w.load_l2(marks_, w.uniform(block), lane_bit(0)))[0];
  w.compute(2);
  if (is_done(before)) co_return;
  std::array<U32, kBlock> data{};
  co_await load_block(w, input_, block, data);
  U32 sum = 0;
  for (U32& element : data) element = sum += element;
  w.compute(5 * static_cast<U32>(kBlock / w.width() + 1));  // by halves, then carried on
  co_await leave(w, sums_, marks_, block, data, sum);
}

WarpTask PrefixSum::add_up(Warp& w) const {
  if (w.id() != 0) co_return;
  U32 sum = 0;
  for (U64 i = 0; i < size(); i += w.width()) {
    const LaneMask mask = w.active({0, size(), 1}, i);
    const auto marks = co_await w.load_l2(marks_, w.consecutive(i), mask);
    const auto offsets = w.map([&](unsigned lane) {
      const U32 offset = sum;
      if (has_lane(mask, lane)) sum += static_cast<U32>(marks[lane]);
      return offset;
    });
    w.compute(6);
    w.store(offsets_, w.consecutive(i), offsets, mask);
  }
}

WarpTask PrefixSum::finish(Warp& w) const {
  for (U64 block = w.id(); block < size(); block += w.count()) co_await finish_block(w, block);
}

WarpTask PrefixSum::finish_block(Warp& w, U64 block) const {
  const U64 before = (co_await w.load_l2(result_marks_, w.uniform(block), lane_bit(0)))[0];
  w.compute(2);
  if (is_done(before)) co_return;
  const U32 offset = (co_await w.load(offsets_, w.uniform(block), lane_bit(0)))[0];
  std::array<U32, kBlock> data{};
  co_await load_block(w, sums_, block, data);
  for (U32& element : data) element += offset;
  w.compute(static_cast<U32>(kBlock / w.width() + 1));
  co_await leave(w, result_, result_marks_, block, data, offset);
}

std::optional<std::string> PrefixSum::verify_recovered(const Backdoor& memory) const {
  const auto directory = copy_from_device(memory, directory_);
  gpm::LineWords words;
  std::copy_n(directory.begin(), words.size(), words.begin());
  const auto entry = gpm::line_from<gpm::Entry>(words);
  const auto header_words = copy_from_device(memory, header_);
  std::copy_n(header_words.begin(), words.size(), words.begin());
  const bool whole = gpm::line_from<gpm::Header>(words).valid(gpm::Kind::Region);
  if (entry.state == 1 && (!entry.valid() || !whole)) {
    return "ps: the directory names what is not there as a whole";
  }
  const auto marks = copy_from_device(memory, marks_);
  const auto result_marks = copy_from_device(memory, result_marks_);
  const auto sums = copy_from_device(memory, sums_);
  const auto result = copy_from_device(memory, result_);
  U32 offset = 0;
  for (U64 block = 0; block < size(); ++block) {
    U32 sum = 0;
    for (U64 i = block * kBlock; i < (block + 1) * kBlock; ++i) {
      sum += value(i);
      if (is_done(marks[block]) && sums[i] != sum) {
        return fmt::format("ps: block {} is marked, but its sum {} is {}, expected {}", block,
                           i % kBlock, sums[i], sum);
      }
      if (is_done(result_marks[block]) && result[i] != offset + sum) {
        return fmt::format(
            "ps: the result of block {} is marked, but its element {} is {}, "
            "expected {}",
            block, i % kBlock, result[i], offset + sum);
      }
    }
    const U64 marked = marks[block];
    if (marked != 0 && marked != mark(sum)) {
      return fmt::format("ps: the mark of block {} is {:#x}, expected {:#x} or 0", block, marked,
                         mark(sum));
    }
    if (result_marks[block] != 0 && !is_done(marks[block])) {
      return fmt::format("ps: block {} has its result, but not its sums", block);
    }
    offset += sum;
  }
  return std::nullopt;
}

}  // namespace

WorkloadKind ps_workload() {
  return {"ps",
          "prefix sum, durable block by block",
          "blocks of 32 elements of 4 B",
          1024,
          1,
          1 << 20,
          make<PrefixSum>};
}

}  // namespace cxlgpu
