// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
// Iterative workloads whose state is checkpointed every few steps.
//
// Purpose: blk, cfdcp, dnn and hs: what is computed is in volatile memory, and a run that follows a
//          loss of power goes on from the last checkpoint.
// Shapes:  `iterations` steps, a kernel each, a checkpoint every workload.checkpoint_every. The
//          state is arrays of 4-byte words and the number of steps done, one group of
//          gpm::Checkpoint, which all warps copy together.
// Rules:   step() is of all warps; after it they meet.
// Source:  GPM (S. Pandey et al., ASPLOS 2022), its figure 7.
#pragma once

#include <bit>

#include "sim/gpm/checkpoint.hpp"
#include "sim/workloads/persistent.hpp"

namespace cxlgpu {

// Words of the state, in the order of the arrays.
using StateWords = std::vector<U32>;

inline U32 bits_of(float f) {
  return std::bit_cast<U32>(f);
}
inline float float_of(U32 bits) {
  return std::bit_cast<float>(bits);
}

class IterativeWorkload : public PersistentWorkload {
 public:
  using PersistentWorkload::PersistentWorkload;
  [[nodiscard]] std::optional<std::string> verify(const Backdoor& memory) const final;

 protected:
  virtual void place_data(Allocator& allocator) = 0;
  virtual void fill_data(Backdoor& memory) = 0;
  [[nodiscard]] virtual std::vector<DeviceArray<U32>> state() const = 0;
  virtual WarpTask step(Warp& w, U64 number) const = 0;
  // The same on the CPU.
  [[nodiscard]] virtual StateWords start() const = 0;
  virtual void advance(StateWords& words, U64 number) const = 0;

  template <typename T>
  static DeviceArray<U32> words_of(const DeviceArray<T>& array) {
    static_assert(sizeof(T) == 4);
    return {array.base, array.size};
  }

 private:
  void place_volatile(Allocator& allocator) final;
  void place_persistent(Allocator& allocator) final;
  void fill_volatile(Backdoor& memory) final;
  WarpTask create(Warp& w) const final;
  WarpTask reopen(Warp& w, bool& ok) const final { return checkpoint_.gpmcp_open(w, ok); }
  void launch_recovery(Gpu& gpu) final {
    gpu.launch([this](Warp& w) { return restore(w); }, true);
  }
  void launch_work(Gpu& gpu) final {
    for (U64 i = 0; i < params().iterations; ++i) {
      gpu.launch([this, i](Warp& w) { return run_step(w, i); });
    }
  }
  [[nodiscard]] std::optional<std::string> holds(const Backdoor& memory) const final;

  WarpTask restore(Warp& w) const;
  WarpTask run_step(Warp& w, U64 number) const;
  void set_done(Warp& w, U64 steps) const;
  [[nodiscard]] StateWords after(U64 steps) const;
  [[nodiscard]] std::optional<std::string> compare(const Backdoor& memory, U64 at,
                                                   const StateWords& expected) const;

  DeviceArray<U32> done_, refused_;
  gpm::Checkpoint checkpoint_;
};

}  // namespace cxlgpu
