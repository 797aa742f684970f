// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
#include "sim/gpm/checkpoint.hpp"

#include <fmt/format.h>

#include "common/input_error.hpp"

namespace cxlgpu::gpm {

WarpTask Checkpoint::gpmcp_create(Warp& w) const {
  // New memory holds what it likes.
  const DeviceArray<std::uint32_t> index{line_address(0), shape_.groups * kLineBytes / 4};
  for (std::uint64_t i = 0; i < index.size && fault_ != Fault::NoCrcCheck; i += w.width()) {
    w.store(index, w.consecutive(i), w.map([](unsigned) { return 0U; }),
            w.active({0, index.size, 1}, i));
  }
  co_await w.persist();
  const std::array<std::uint32_t, 8> sizes = {shape_.groups, shape_.copy_bytes};
  co_await write_header(w, base_, Kind::Checkpoint, sizes);
}

WarpTask Checkpoint::gpmcp_open(Warp& w, bool& ok) const {
  Header header;
  co_await read_header(w, base_, Kind::Checkpoint, header, ok, fault_);
  const std::array<std::uint32_t, 8> wanted = {shape_.groups, shape_.copy_bytes};
  ok = ok && (header.of_kind == wanted || fault_ == Fault::NoCrcCheck);
}

void Checkpoint::gpmcp_register(std::uint32_t group, DeviceArray<std::uint32_t> words) {
  std::uint64_t bytes = words.bytes();
  for (const auto& array : elements_.at(group)) bytes += array.bytes();
  if (bytes > shape_.copy_bytes) {
    throw InputError(
        fmt::format("gpm: group {} of a checkpoint has {} bytes, a copy of it {}; make it larger",
                    group, bytes, shape_.copy_bytes));
  }
  elements_[group].push_back(words);
}

WarpTask Checkpoint::copy(Warp& w, std::uint32_t group, std::uint32_t which, bool out,
                          std::uint32_t part, std::uint32_t parts) const {
  std::uint64_t at = copy_address(group, which);
  for (const DeviceArray<std::uint32_t>& words : elements_[group]) {
    const DeviceArray<std::uint32_t> saved{at, words.size};
    const auto& from = out ? words : saved;
    const auto& to = out ? saved : words;
    const std::uint64_t step = std::uint64_t{parts} * w.width();
    for (std::uint64_t i = std::uint64_t{part} * w.width(); i < words.size; i += step) {
      const LaneMask mask = w.active({0, words.size, 1}, i);
      const auto some = co_await w.load_l2(from, w.consecutive(i), mask);
      w.store(to, w.consecutive(i), some, mask);
    }
    at += words.bytes();
  }
}

WarpTask Checkpoint::read_index(Warp& w, std::uint32_t group, GroupLine& line) const {
  line = GroupLine{};
  if (fault_ == Fault::PackedIndex) {
    const DeviceArray<std::uint32_t> word{line_address(0) + group / 4 * 4ULL, 1};
    const std::uint32_t packed = (co_await w.load_l2(word, w.uniform(0), lane_bit(0)))[0];
    const std::uint32_t byte = packed >> group % 4 * 8 & 0xff;
    line.sequence = byte >> 1;
    line.which = byte & 1;
    line.crc = line.own_crc();
    co_return;
  }
  LineWords words{};
  co_await load_line(w, line_address(group), words);
  line = line_from<GroupLine>(words);
}

WarpTask Checkpoint::write_index(Warp& w, std::uint32_t group, GroupLine line) const {
  if (fault_ == Fault::PackedIndex) {
    const DeviceArray<std::uint32_t> word{line_address(0) + group / 4 * 4ULL, 1};
    std::uint32_t packed = (co_await w.load_l2(word, w.uniform(0), lane_bit(0)))[0];
    packed &= ~(0xffU << group % 4 * 8);
    packed |= static_cast<std::uint32_t>(line.sequence << 1 | line.which) << group % 4 * 8;
    w.store(word, w.uniform(0), w.map([packed](unsigned) { return packed; }), lane_bit(0));
    co_return;
  }
  co_await store_line(w, line_address(group), words_of(line));
}

WarpTask Checkpoint::next_index(Warp& w, std::uint32_t group, GroupLine& next) const {
  GroupLine line;
  co_await read_index(w, group, line);
  next = GroupLine{};
  next.sequence = (line.valid() ? line.sequence : 0) + 1;
  next.which = line.valid() && shape_.copies == 2 ? 1 - line.which : 0;
  next.crc = next.own_crc();
  w.compute(16);
}

WarpTask Checkpoint::gpmcp_checkpoint(Warp& w, std::uint32_t group, bool& ok) const {
  GroupLine next;
  co_await next_index(w, group, next);
  bool safe = true;
  if (fault_ == Fault::IndexBeforeCopy) {
    co_await write_index(w, group, next);
    safe = co_await w.persist();
  }
  co_await copy(w, group, next.which, true);
  safe = co_await w.persist() && safe;
  if (fault_ != Fault::IndexBeforeCopy) {
    co_await write_index(w, group, next);
    safe = co_await w.persist() && safe;
  }
  ok = safe;
}

WarpTask Checkpoint::gpmcp_checkpoint_all(Warp& w, std::uint32_t group,
                                          DeviceArray<std::uint32_t> refused, bool& ok) const {
  GroupLine next;
  co_await next_index(w, group, next);
  co_await w.barrier();  // all have read which copy it is
  if (fault_ == Fault::IndexBeforeCopy && w.id() == 0) {
    co_await write_index(w, group, next);
    co_await w.persist();
  }
  co_await copy(w, group, next.which, true, w.id(), w.count());
  if (fault_ != Fault::NoPersistBeforeTail && !co_await w.persist()) {
    (void)w.atomic_add(refused, w.uniform(0), w.map([](unsigned) { return 1U; }), lane_bit(0));
  }
  co_await w.barrier();
  const bool lost = (co_await w.load_l2(refused, w.uniform(0), lane_bit(0)))[0] != 0;
  if (!lost && w.id() == 0 && fault_ != Fault::IndexBeforeCopy) {
    co_await write_index(w, group, next);
    if (!co_await w.persist()) {
      (void)w.atomic_add(refused, w.uniform(0), w.map([](unsigned) { return 1U; }), lane_bit(0));
    }
  }
  co_await w.barrier();
  ok = (co_await w.load_l2(refused, w.uniform(0), lane_bit(0)))[0] == 0;
}

WarpTask Checkpoint::gpmcp_restore_all(Warp& w, std::uint32_t group, bool& ok) const {
  GroupLine line;
  co_await read_index(w, group, line);
  w.compute(16);
  ok = line.valid() || (fault_ == Fault::NoCrcCheck && line.sequence != 0);
  if (ok) co_await copy(w, group, line.which, false, w.id(), w.count());
  co_await w.barrier();
}

WarpTask Checkpoint::gpmcp_restore(Warp& w, std::uint32_t group, bool& ok) const {
  GroupLine line;
  co_await read_index(w, group, line);
  w.compute(16);
  ok = line.valid() || (fault_ == Fault::NoCrcCheck && line.sequence != 0);
  if (!ok) co_return;
  co_await copy(w, group, line.which, false);
  co_await w.fence();
}

}  // namespace cxlgpu::gpm
