// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
#include "sim/workloads/transactions.hpp"

namespace cxlgpu {

using gpm::Fault;

void Transactions::place_volatile(Allocator& allocator, const Shape& shape) {
  shape_ = shape;
  locks_ = allocator.alloc<U32>(shape_.partitions);
}

void Transactions::place_persistent(Allocator& allocator, Fault fault) {
  fault_ = fault;
  state_ = allocator.alloc_persistent<U64>(kLineBytes / 8);
  if (!shape_.logs) return;
  if (hcl()) {
    const gpm::HclShape shape{.entry_bytes = shape_.words * 4,
                              .warps = shape_.warps,
                              .lanes = shape_.lanes,
                              .capacity = shape_.capacity};
    room_ = allocator.alloc_persistent<U32>(shape.bytes() / 4);
    hcl_ = gpm::HclLog(room_.base, shape, fault);
  } else {
    const U32 warps_each = (shape_.warps + shape_.partitions - 1) / shape_.partitions;
    const gpm::ConvShape shape{.entry_bytes = shape_.words * 4,
                               .partitions = shape_.partitions,
                               .capacity = shape_.capacity * warps_each};
    room_ = allocator.alloc_persistent<U32>(shape.bytes() / 4);
    conv_ = gpm::ConvLog(room_.base, shape, locks_, fault);
  }
}

void Transactions::fill_volatile(Backdoor& memory) const {
  fill_array(memory, locks_, [](U64) { return 0U; });
}

WarpTask Transactions::create(Warp& w) const {
  if (w.id() != 0) co_return;
  if (shape_.logs && hcl()) {
    co_await hcl_.gpmlog_create_hcl(w);
  } else if (shape_.logs) {
    co_await conv_.gpmlog_create_conv(w);
  }
  co_await set_state(w, 0);
}

WarpTask Transactions::open(Warp& w, bool& ok) const {
  if (!shape_.logs) co_return;
  if (hcl()) {
    co_await hcl_.gpmlog_open(w, ok);
  } else {
    co_await conv_.gpmlog_open(w, ok);
  }
}

WarpTask Transactions::set_state(Warp& w, U64 word) const {
  store_word(w, state_, 0, word);
  co_await w.persist();
}

WarpTask Transactions::state(Warp& w, State& state) const {
  U64 word = 0;
  co_await load_word(w, state_, 0, word);
  w.compute(2);
  state = {word >> 1, (word & 1) != 0};
}

// What this warp logged; of the conventional log the partitions that are this warp's to clear.
WarpTask Transactions::drop(Warp& w) const {
  if (!shape_.logs) co_return;
  if (hcl()) {
    Lanes<U32> tails;
    co_await hcl_.gpmlog_tails(w, tails);
    w.compute(2);
    if (lanes_where(w.full_mask(), [&](unsigned i) { return tails[i] != 0; }) != 0) {
      co_await hcl_.gpmlog_clear(w);
    }
    co_return;
  }
  for (U32 p = w.id(); p < shape_.partitions; p += w.count()) {
    U32 head = 0;
    co_await conv_.gpmlog_head(w, static_cast<int>(p), head);
    w.compute(2);
    if (head != 0) co_await conv_.gpmlog_clear(w, static_cast<int>(p));
  }
}

WarpTask Transactions::begin(Warp& w, U64 batch) const {
  if (fault_ != Fault::KeepsOldLog) co_await drop(w);
  co_await w.barrier();
  if (w.id() == 0) co_await set_state(w, batch << 1 | 1);
  co_await w.barrier();
}

WarpTask Transactions::log(Warp& w, gpm::Chunks entry, LaneMask mask, bool& ok) const {
  ok = true;
  if (!shape_.logs) co_return;
  if (hcl()) {
    co_await hcl_.gpmlog_insert(w, std::move(entry), mask, ok);
  } else {
    co_await conv_.gpmlog_insert(w, std::move(entry), mask, -1, ok);
  }
}

WarpTask Transactions::commit(Warp& w, U64 batch) const {
  if (fault_ != Fault::NoPersistBeforeMark) co_await w.persist();
  if (fault_ == Fault::LogDroppedFirst) co_await drop(w);
  co_await w.barrier();
  if (w.id() == 0) co_await set_state(w, (batch + 1) << 1);
  co_await w.barrier();
}

WarpTask Transactions::undo_partition(Warp& w, int partition, const PutBack& put_back) const {
  U32 head = 0;
  co_await conv_.gpmlog_head(w, partition, head);
  for (U32 first = 0; first < head; first += w.width()) {
    gpm::Chunks entries;
    LaneMask there = 0;
    co_await conv_.gpmlog_read(w, partition, first, entries, there);
    co_await put_back(w, entries, there);
  }
}

WarpTask Transactions::undo(Warp& w, PutBack put_back) const {
  State now;
  co_await state(w, now);
  if (!now.under_way) co_return;
  if (hcl()) {
    for (U32 number = 0; number < shape_.capacity; ++number) {
      gpm::Chunks entries;
      LaneMask there = 0;
      co_await hcl_.gpmlog_read(w, number, entries, there);
      if (there == 0) break;
      co_await put_back(w, entries, there);
    }
  } else {
    for (U32 p = w.id(); p < shape_.partitions; p += w.count()) {
      co_await undo_partition(w, static_cast<int>(p), put_back);
    }
  }
  co_await w.persist();
  co_await w.barrier();
  if (w.id() == 0) co_await set_state(w, now.done << 1);
}

Transactions::State Transactions::state(const Backdoor& memory) const {
  const U64 word = word_at<U64>(memory, state_.base);
  return {word >> 1, (word & 1) != 0};
}

std::optional<std::string> Transactions::entries(const Backdoor& memory,
                                                 std::vector<std::vector<U32>>& out) const {
  out.clear();
  if (!shape_.logs || !state(memory).under_way) return std::nullopt;
  if (hcl()) {
    for (U32 warp = 0; warp < shape_.warps; ++warp) {
      for (unsigned lane = 0; lane < shape_.lanes; ++lane) {
        const U32 tail = word_at<U32>(memory, hcl_.tail_address(warp, lane));
        if (tail > shape_.capacity) return "a tail is beyond the log";
        for (U32 e = 0; e < tail; ++e) {
          std::vector<U32>& entry = out.emplace_back();
          for (U32 k = 0; k < shape_.words; ++k) {
            entry.push_back(word_at<U32>(memory, hcl_.chunk_address(warp, e, k, lane)));
          }
        }
      }
    }
    return std::nullopt;
  }
  for (U32 p = 0; p < shape_.partitions; ++p) {
    const U32 head = word_at<U32>(memory, conv_.head_address(p));
    if (head > conv_.shape().capacity) return "a head is beyond the log";
    for (U32 e = 0; e < head; ++e) {
      std::vector<U32>& entry = out.emplace_back();
      for (U32 k = 0; k < shape_.words; ++k) {
        entry.push_back(word_at<U32>(memory, conv_.word_address(p, e, k)));
      }
    }
  }
  return std::nullopt;
}

}  // namespace cxlgpu
