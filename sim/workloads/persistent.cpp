// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
#include "sim/workloads/persistent.hpp"

namespace cxlgpu {

WarpTask PersistentWorkload::look(Warp& w) const {
  gpm::Mapped mapped;
  co_await gpm::gpm_map(w, directory_.base, piece(), gpm::Kind::Region, {}, false, mapped, fault());
  w.store(there_, w.uniform(0), w.map([&](unsigned) { return mapped.ok ? 1U : 0U; }), lane_bit(0));
}

WarpTask PersistentWorkload::name(Warp& w) const {
  const std::array<U32, 8> sizes = {static_cast<U32>(size()), static_cast<U32>(params().seed)};
  co_await gpm::write_header(w, header_.base, gpm::Kind::Region, sizes);
  gpm::Mapped mapped;
  co_await gpm::gpm_map(w, directory_.base, piece(), gpm::Kind::Region,
                        {header_.base, header_.bytes()}, true, mapped, fault());
}

WarpTask PersistentWorkload::open(Warp& w) const {
  if (w.id() == 0) co_await look(w);
  co_await w.barrier();
  bool ok = (co_await w.load_l2(there_, w.uniform(0), lane_bit(0)))[0] != 0;
  if (ok) co_await reopen(w, ok);
  if (ok) co_return;
  const bool early = fault() == gpm::Fault::StateWithEntry;
  if (early && w.id() == 0) co_await name(w);
  co_await create(w);
  co_await w.barrier();
  if (!early && w.id() == 0) co_await name(w);
}

std::optional<std::string> PersistentWorkload::verify_recovered(const Backdoor& memory) const {
  const auto entry = gpm::line_from<gpm::Entry>(word_at<gpm::LineWords>(memory, directory_.base));
  if (entry.state != 1) return std::nullopt;
  const auto header = gpm::line_from<gpm::Header>(word_at<gpm::LineWords>(memory, header_.base));
  if (!entry.valid() || !entry.is(piece()) || !header.valid(gpm::Kind::Region)) {
    return piece() + ": the directory names what is not there as a whole";
  }
  if (auto wrong = holds(memory)) return piece() + ": " + *wrong;
  return std::nullopt;
}

WarpTask copy_words(Warp& w, DeviceArray<U32> from, DeviceArray<U32> to) {
  const U64 step = U64{w.count()} * w.width();
  for (U64 i = U64{w.id()} * w.width(); i < from.size; i += step) {
    const LaneMask mask = w.active({0, from.size, 1}, i);
    const auto some = co_await w.load(from, w.consecutive(i), mask);
    w.compute(3);  // two pointers, branch
    w.store(to, w.consecutive(i), some, mask);
  }
}

WarpTask load_word(Warp& w, DeviceArray<U64> from, U64 index, U64& value) {
  value = (co_await w.load_l2(from, w.uniform(index), lane_bit(0)))[0];
}

void store_word(Warp& w, const DeviceArray<U64>& to, U64 index, U64 value) {
  w.store(to, w.uniform(index), w.map([value](unsigned) { return value; }), lane_bit(0));
}

}  // namespace cxlgpu
