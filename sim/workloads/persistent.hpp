// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
// What workloads that persist have in common: a named piece of persistent memory, made once.
//
// Purpose: a run finds its piece by name, or makes it: a run that begins after a loss of power and
//          one on new memory are the same kernels.
// Shapes:  persistent: directory, header line, then the workload's own. The name is valid when all
//          that create() wrote is safe: it stands for a whole piece.
// Rules:   create() is of all warps, which end it with what they stored safe. Kernels begin with
//          what is there: all warps read it and go the same way, since they meet at barriers.
// Errors:  verify_recovered() returns the first thing that is wrong, in one line.
#pragma once

#include <array>
#include <string>

#include "sim/gpm/region.hpp"
#include "sim/workloads/divergence.hpp"
#include "sim/workloads/workload.hpp"

namespace cxlgpu {

using U32 = std::uint32_t;
using U64 = std::uint64_t;

class PersistentWorkload : public Workload {
 public:
  using Workload::Workload;
  void place(Allocator& allocator) final {
    place_volatile(allocator);
    there_ = allocator.alloc<U32>(kLineBytes / 4);
    directory_ = allocator.alloc_persistent<U32>(gpm::kDirectoryBytes / 4);
    header_ = allocator.alloc_persistent<U32>(kLineBytes / 4);
    place_persistent(allocator);
  }
  void fill(Backdoor& memory) final {
    fill_array(memory, there_, [](U64) { return 0U; });
    fill_volatile(memory);
  }
  void launch(Gpu& gpu) final {
    gpu.launch([this](Warp& w) { return open(w); });
    launch_work(gpu);
  }
  void recover(Gpu& gpu) final {
    recovered_ = true;
    gpu.launch([this](Warp& w) { return open(w); });
    launch_recovery(gpu);
    launch_work(gpu);
  }
  [[nodiscard]] bool persists() const final { return true; }
  [[nodiscard]] std::optional<std::string> verify_recovered(const Backdoor& memory) const final;

 protected:
  virtual void place_volatile(Allocator& allocator) = 0;
  virtual void place_persistent(Allocator& allocator) = 0;
  virtual void fill_volatile(Backdoor& memory) = 0;
  virtual WarpTask create(Warp& w) const = 0;
  // Structures of a piece that has its name: false if one of them is not what it should be.
  virtual WarpTask reopen(Warp& w, bool& ok) const = 0;
  virtual void launch_recovery(Gpu&) {}
  virtual void launch_work(Gpu& gpu) = 0;
  // Of a piece that has its name, at every moment.
  [[nodiscard]] virtual std::optional<std::string> holds(const Backdoor& memory) const = 0;
  [[nodiscard]] virtual std::string piece() const = 0;  // its name, the workload's own

  [[nodiscard]] gpm::Fault fault() const { return params().persist_fault; }
  [[nodiscard]] bool recovered() const { return recovered_; }  // recover() was called

 private:
  WarpTask open(Warp& w) const;
  WarpTask name(Warp& w) const;
  WarpTask look(Warp& w) const;

  DeviceArray<U32> there_, directory_, header_;
  bool recovered_ = false;
};

// Steps and copies that several of them need.

// `words` of a vector a lane: to[first + i] = from[first + i], all warps in turn.
WarpTask copy_words(Warp& w, DeviceArray<U32> from, DeviceArray<U32> to);
// By lane 0.
WarpTask load_word(Warp& w, DeviceArray<U64> from, U64 index, U64& value);
void store_word(Warp& w, const DeviceArray<U64>& to, U64 index, U64 value);

// Elements of an array at a place of memory, on the host.
template <typename T>
T word_at(const Backdoor& memory, U64 address) {
  T value;
  memory.peek(address, {reinterpret_cast<std::uint8_t*>(&value), sizeof value});
  return value;
}

}  // namespace cxlgpu
