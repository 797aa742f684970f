// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
// A warp: what a kernel is written against.
//
// Purpose: warp-wide operations. Each call appends instructions to the warp; the core issues them
//          in order, one a cycle. The kernel's C++ code itself takes no time: account for
//          arithmetic with compute(n, unit).
// Arithmetic: the n instructions of one compute() do not need each other's results and issue back
//          to back; of a compute_chain() each needs the one before. Whatever the warp issues next,
//          arithmetic, memory access, fence or barrier, needs the last result: it waits until that
//          is there, `gpu.latency` of the unit after its issue. So put independent loads in front.
//          With a latency of 1 nothing ever waits.
// Shapes:  lanes and masks as in lanes.hpp. Several loads may be in flight:
//            auto a = w.load(x, i);  auto b = w.load(y, i);
//            Lanes<float> u = co_await a;  Lanes<float> v = co_await b;
//          or  co_await w.loads();  use(a.get(), b.get());
//          co_await lets the program go on once every instruction before it is issued and what it
//          waits for is there. Stores are not awaited; a program that only stores should
//          co_await w.drain() now and then so that its instructions do not pile up.
// Rules:   program order is kept between accesses of one warp to one address. Other cores' stores
//          are seen after a barrier, or by load_l2 and atomics. Elements are naturally aligned.
//          Accesses of one core's warps take effect in the order of their issue; core_barrier() is
//          enough between them, to the scratchpad and to memory alike.
// Persist: `co_await w.persist()` goes on when every store and atomic of this warp to a persistent
//          range (GpuParams::persist) is done: acknowledged by the memory behind the bus, which
//          does so when the bytes survive a loss of power (persist.domain). It gives false if one
//          of them since the last persist was refused: then nothing may be concluded. Without such
//          a range it is a fence. Two persists of a warp order its stores; those of other warps
//          need a fence or barrier between them, as ever.
// Uncached: loads and stores of GpuParams::uncached pass every cache, each by itself; atomics there
//          are not possible. fence() says nothing of such stores, fence_system() does.
// Hints:   prefetch() says that bytes will be loaded soon. It is one instruction of one lane,
// issued
//          and taken by the load/store unit in order, as a store, a cycle in each; it looks into no
//          cache and leaves as hints to the root complex (prefetch_queue.hpp). It changes no data
//          and may be lost anywhere, and nothing waits for it: no fence, no barrier, not the end.
// Source:  PTX ISA, cp.async.bulk.prefetch.L2: address and size of memory, by one thread.
// Errors:  awaiting or reading a moved-from handle is a programming error (asserted).
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cassert>
#include <coroutine>
#include <cstdint>
#include <cstring>
#include <tuple>
#include <utility>

#include "common/pipe.hpp"
#include "sim/gpu/device_array.hpp"
#include "sim/gpu/gpu_config.hpp"
#include "sim/gpu/lanes.hpp"
#include "sim/gpu/mem_op.hpp"
#include "sim/gpu/shared_array.hpp"
#include "sim/gpu/warp_task.hpp"

namespace cxlgpu {

class Core;
class Warp;

// Indices of lanes that need no vector: one after the other, or all the same.
struct Consecutive {
  std::uint64_t base = 0;
  std::uint64_t operator[](unsigned lane) const { return base + lane; }
  operator Lanes<std::uint64_t>() const {  // not explicit: it is such a vector
    Lanes<std::uint64_t> lanes;
    for (unsigned lane = 0; lane < kMaxLanes; ++lane) lanes[lane] = base + lane;
    return lanes;
  }
};
struct Uniform {
  std::uint64_t value = 0;
  std::uint64_t operator[](unsigned) const { return value; }
};

// The future of one load or atomic. Dropping it drops the value, not the access.
template <typename T>
class LoadHandle {
 public:
  LoadHandle() = default;
  LoadHandle(Warp& warp, MemOp* op) : warp_(&warp), op_(op) {}
  LoadHandle(LoadHandle&& other) noexcept
      : warp_(other.warp_), op_(std::exchange(other.op_, nullptr)) {}
  LoadHandle& operator=(LoadHandle&& other) noexcept {
    std::swap(warp_, other.warp_);
    std::swap(op_, other.op_);
    return *this;
  }
  LoadHandle(const LoadHandle&) = delete;
  LoadHandle& operator=(const LoadHandle&) = delete;
  ~LoadHandle();

  [[nodiscard]] bool done() const { return op_->done(); }
  [[nodiscard]] Lanes<T> get() const;  // precondition: done(); masked-off lanes are zero

  struct Awaiter {
    const LoadHandle& handle;
    [[nodiscard]] bool await_ready() const { return handle.ready(); }
    void await_suspend(std::coroutine_handle<>) const { handle.wait(); }
    Lanes<T> await_resume() const { return handle.get(); }
  };
  Awaiter operator co_await() const { return {*this}; }

 private:
  template <typename... Ts>
  friend class AllLoads;
  [[nodiscard]] bool ready() const;
  void wait() const;
  Warp* warp_ = nullptr;
  MemOp* op_ = nullptr;
};

// A warp's share of n pieces of work: for (base = first; base < end; base += stride) lane i has
// piece base + i if that is below end.
struct WorkRange {
  std::uint64_t first = 0, end = 0, stride = 1;
};

class Warp {
 public:
  Warp(Core& core, std::uint32_t id, std::uint32_t slot);

  // Identity.
  [[nodiscard]] std::uint32_t id() const { return id_; }  // 0..count()-1, core by core
  [[nodiscard]] std::uint32_t count() const { return count_; }
  [[nodiscard]] unsigned width() const { return width_; }
  // The GPU's clock, which costs nothing to read.
  [[nodiscard]] std::uint64_t clock() const;
  [[nodiscard]] LaneMask full_mask() const {
    return width_ == kMaxLanes ? ~LaneMask{0} : lane_bit(width_) - 1;
  }
  [[nodiscard]] WorkRange work(std::uint64_t n, Distribution distribution) const;
  // Lanes of `range` that have work at `base`.
  [[nodiscard]] LaneMask active(const WorkRange& range, std::uint64_t base) const {
    const std::uint64_t left = range.end - base;
    return left >= width_ ? full_mask() : lane_bit(static_cast<unsigned>(left)) - 1;
  }

  // Lane values.
  template <typename F>
  [[nodiscard]] auto map(F&& f) const {
    using T = decltype(f(0U));
    if (width_ % MemOp::kChunk != 0) {
      Lanes<T> out{};
      for (unsigned lane = 0; lane < width_; ++lane) out[lane] = f(lane);
      return out;
    }
    // So many at a time, by the host's vector instructions. (To clear all of it first would be a
    // loop of the host, and take longer than the rest.)
    Lanes<T> out;
    for (unsigned lane = 0; lane < kMaxLanes; lane += MemOp::kChunk) {
      if (lane < width_) {
        for (unsigned i = 0; i < MemOp::kChunk; ++i) out[lane + i] = f(lane + i);
      } else {
        for (unsigned i = 0; i < MemOp::kChunk; ++i) out[lane + i] = T{};
      }
    }
    return out;
  }
  [[nodiscard]] Consecutive consecutive(std::uint64_t base) const { return {base}; }
  [[nodiscard]] Uniform uniform(std::uint64_t value) const { return {value}; }

  // Instructions.
  void compute(std::uint32_t n = 1, Unit unit = Unit::Alu) { compute(n, unit, full_mask()); }
  void compute(std::uint32_t n, Unit unit, LaneMask lanes) {
    append_arithmetic(n, unit, lanes, false);
  }
  void compute_chain(std::uint32_t n, Unit unit = Unit::Alu) {
    append_arithmetic(n, unit, full_mask(), true);
  }
  template <typename T, typename I>
  [[nodiscard]] LoadHandle<T> load(const DeviceArray<T>& array, const I& index, LaneMask mask) {
    return {*this, access(OpKind::Load, array, index, mask)};
  }
  template <typename T, typename I>
  [[nodiscard]] LoadHandle<T> load_l2(const DeviceArray<T>& array, const I& index, LaneMask mask) {
    return {*this, access(OpKind::LoadL2, array, index, mask)};
  }
  template <typename T, typename I>
  void store(const DeviceArray<T>& array, const I& index, const Lanes<T>& value, LaneMask mask) {
    store_to(OpKind::Store, array, index, value, mask);
  }
  template <typename T>
  void prefetch(const DeviceArray<T>& array, std::uint64_t first, std::uint64_t count) {
    assert(first <= array.size && count <= array.size - first);
    prefetch(array.base + first * sizeof(T), count * sizeof(T));
  }
  void prefetch(std::uint64_t address, std::uint64_t bytes);  // no instruction without bytes
  // Atomics give the value before. Lanes of one instruction take effect in lane order.
  template <typename T, typename I>
  LoadHandle<T> atomic_add(const DeviceArray<T>& array, const I& index, const Lanes<T>& value,
                           LaneMask mask) {
    return atomic(AtomicOp::Add, array, index, value, mask);
  }
  template <typename T, typename I>
  LoadHandle<T> atomic_min(const DeviceArray<T>& array, const I& index, const Lanes<T>& value,
                           LaneMask mask) {
    return atomic(std::is_signed_v<T> ? AtomicOp::MinSigned : AtomicOp::Min, array, index, value,
                  mask);
  }
  template <typename T, typename I>
  LoadHandle<T> atomic_cas(const DeviceArray<T>& array, const I& index, const Lanes<T>& compare,
                           const Lanes<T>& value, LaneMask mask) {
    return atomic(AtomicOp::Cas, array, index, value, mask, &compare);
  }

  // `n` elements of the core's scratchpad from byte `at` on.
  template <typename T>
  [[nodiscard]] SharedArray<T> shared(std::uint32_t n, std::uint32_t at = 0) const {
    check_shared(at, n, sizeof(T));
    return {at, n};
  }
  template <typename T, typename I>
  [[nodiscard]] LoadHandle<T> load(const SharedArray<T>& array, const I& index, LaneMask mask) {
    return {*this, access(OpKind::ScratchLoad, array, index, mask)};
  }
  template <typename T, typename I>
  void store(const SharedArray<T>& array, const I& index, const Lanes<T>& value, LaneMask mask) {
    store_to(OpKind::ScratchStore, array, index, value, mask);
  }

  // What a kernel may co_await besides handles.
  enum class Wait : std::uint8_t {
    None,     // running
    Ops,      // the listed operations
    Drain,    // every instruction is issued
    Loads,    // and every load and atomic is answered
    Fence,    // and every store took effect at the LLC, where other cores can see it
    Persist,  // and every access so far took effect there and, where it persists, in memory, too
    Barrier,  // and every other warp came here, too; L1s are invalidated
    Arrived,
    CoreBarrier,  // every instruction is issued, and those of the core's other warps up to here
    CoreArrived,
    Finish,  // like Barrier: the kernel's end
    Finished
  };
  struct Pause {
    Warp& warp;
    Wait wait;
    // The others follow an instruction that is yet to be issued.
    [[nodiscard]] bool await_ready() const {
      return (wait == Wait::Drain || wait == Wait::Loads) && warp.satisfied(wait);
    }
    void await_suspend(std::coroutine_handle<>) { warp.wait_ = wait; }
    void await_resume() const {}
  };
  struct PersistPause : Pause {
    [[nodiscard]] bool await_resume() const { return warp.persist_over(); }
  };
  [[nodiscard]] Pause drain() { return {*this, Wait::Drain}; }
  [[nodiscard]] Pause loads() { return {*this, Wait::Loads}; }
  // One issue slot each.
  [[nodiscard]] Pause fence();
  // The same, and every store so far to uncached addresses is answered by what is there.
  [[nodiscard]] Pause fence_system();
  [[nodiscard]] PersistPause persist();
  [[nodiscard]] Pause barrier();  // of all warps
  // The same, where a program of the host may do what it does at a kernel's end: GPUs without
  // memory that persists end the kernel here and launch the rest as another.
  [[nodiscard]] Pause split();
  [[nodiscard]] Pause core_barrier();  // of the core's warps: Vortex's local barrier

  // For the LLC: a write to a persistent range, or to uncached addresses, is on its way for this
  // warp, and is done.
  void persist_begun();
  void persist_done(bool refused);

 private:
  friend class Core;
  friend class Lsu;
  template <typename T>
  friend class LoadHandle;
  template <typename... Ts>
  friend class AllLoads;

  struct Instruction {
    MemOp* op = nullptr;      // null: count issue slots of arithmetic
    std::uint32_t count = 0;  // 0 with a null op: a fence or barrier, one slot
    Unit unit = Unit::Alu;
    std::uint8_t lanes = 0;  // how many are active
    bool chain = false;
    bool write_out = false;  // of a fence or barrier: gathered stores go to the LLC
  };
  static constexpr std::size_t kMaxAwaited = 16;

  MemOp* new_op(OpKind kind, unsigned bytes, LaneMask mask);
  void append(const Instruction& instruction);
  void append_arithmetic(std::uint32_t n, Unit unit, LaneMask lanes, bool chain);
  void check_shared(std::uint64_t at, std::uint64_t n, std::uint64_t bytes) const;
  void drop_handle(MemOp* op);
  [[nodiscard]] bool satisfied(Wait wait) const;
  void settle();  // go on with the program for as long as it does not wait
  bool persist_over();
  void op_done(MemOp* op);

  // Addresses of all lanes, whose number is one of whole chunks.
  template <typename F>
  void place_all(MemOp& op, F address) const {
    for (unsigned lane = 0; lane < width_; lane += MemOp::kChunk) {
      std::array<std::uint64_t, MemOp::kChunk> addresses;
      for (unsigned i = 0; i < MemOp::kChunk; ++i) addresses[i] = address(lane + i);
      std::memcpy(&op.addr[lane], addresses.data(), sizeof addresses);
    }
  }
  template <typename Array, typename I>
  static void place_some(MemOp& op, const Array& array, const I& index, LaneMask mask) {
    std::uint64_t some = 0, every = ~std::uint64_t{0};  // address bits
    for (LaneMask m = mask; m != 0; m &= m - 1) {
      const unsigned lane = first_lane(m);
      const std::uint64_t address = array.address(static_cast<std::uint64_t>(index[lane]));
      op.addr[lane] = address;
      some |= address;
      every &= address;
    }
    op.one_line = (some & ~every) < kLineBytes;
    op.shape = LineShape::Any;
  }
  template <typename Array, typename I>
  MemOp* prepare(OpKind kind, const Array& array, const I& index, LaneMask mask) {
    MemOp* op = new_op(kind, Array::kBytes, mask);
    if (op != nullptr) {
      mask &= full_mask();
      if (mask != full_mask() || width_ % MemOp::kChunk != 0) {
        place_some(*op, array, index, mask);
      } else if constexpr (std::is_same_v<I, Consecutive>) {
        const std::uint64_t first = array.address(index[0]);
        place_all(*op, [&](unsigned lane) { return first + std::uint64_t{lane} * Array::kBytes; });
        op->one_line = (first ^ array.address(index[width_ - 1])) < kLineBytes;
        op->shape = op->one_line ? LineShape::Consecutive : LineShape::Any;
      } else if constexpr (std::is_same_v<I, Uniform>) {
        const std::uint64_t address = array.address(index[0]);
        place_all(*op, [&](unsigned) { return address; });
        op->one_line = true;
        op->shape = LineShape::Same;
      } else {
        std::uint64_t some = 0, every = ~std::uint64_t{0};  // address bits
        std::uint64_t astray = 0;                           // not element by element
        const std::uint64_t first = array.address(static_cast<std::uint64_t>(index[0]));
        place_all(*op, [&](unsigned lane) {
          const std::uint64_t address = array.address(static_cast<std::uint64_t>(index[lane]));
          some |= address;
          every &= address;
          astray |= address ^ (first + std::uint64_t{lane} * Array::kBytes);
          return address;
        });
        op->one_line = (some & ~every) < kLineBytes;
        op->shape = LineShape::Any;
        if (op->one_line && astray == 0) op->shape = LineShape::Consecutive;
        if (some == every) op->shape = LineShape::Same;
      }
    }
    return op;
  }
  template <typename Array, typename I>
  MemOp* access(OpKind kind, const Array& array, const I& index, LaneMask mask) {
    MemOp* op = prepare(kind, array, index, mask);
    if (op == nullptr) return empty_op();
    append({.op = op});
    return op;
  }
  template <typename Array, typename I, typename T>
  void store_to(OpKind kind, const Array& array, const I& index, const Lanes<T>& value,
                LaneMask mask) {
    if (MemOp* op = prepare(kind, array, index, mask)) {
      for (unsigned lane = 0; lane < width_; lane += MemOp::kChunk) {
        std::memcpy(&op->value[lane * sizeof(T)], &value[lane], MemOp::kChunk * sizeof(T));
      }
      append({.op = op});
    }
  }
  template <typename T, typename I>
  LoadHandle<T> atomic(AtomicOp which, const DeviceArray<T>& array, const I& index,
                       const Lanes<T>& value, LaneMask mask, const Lanes<T>* compare = nullptr) {
    static_assert(std::is_integral_v<T> && (sizeof(T) == 4 || sizeof(T) == 8));
    MemOp* op = prepare(OpKind::Atomic, array, index, mask);
    if (op == nullptr) return {*this, empty_op()};
    op->atomic = which;
    set_elements(op->value, value, mask);
    if (compare != nullptr) set_elements(op->compare, *compare, mask);
    append({.op = op});
    return {*this, op};
  }
  template <typename T>
  void set_elements(MemOp::Elements& elements, const Lanes<T>& values, LaneMask mask) const {
    for (LaneMask m = mask & full_mask(); m != 0; m &= m - 1) {
      const unsigned lane = first_lane(m);
      std::memcpy(&elements[lane * sizeof(T)], &values[lane], sizeof(T));
    }
  }
  MemOp* empty_op();  // an access without lanes: done, no instruction

  Core& core_;
  std::uint32_t id_, slot_, count_;  // slot: number within the core
  unsigned width_;
  std::uint32_t loads_ = 0, stores_ = 0;  // issued and not complete
  Wait wait_ = Wait::Finished;
  std::uint32_t awaited_count_ = 0;
  std::uint64_t result_at_ = 0;  // cycle at which the last arithmetic result is there
  Pipe<Instruction> instructions_;
  WarpTask task_;
  std::array<const MemOp*, kMaxAwaited> awaited_{};  // last: seldom more than the first
};

// co_await all(a, b, ...) gives a tuple of lane values.
template <typename... Ts>
class AllLoads {
 public:
  static_assert(sizeof...(Ts) > 0 && sizeof...(Ts) <= Warp::kMaxAwaited);
  explicit AllLoads(const LoadHandle<Ts>&... handles) : handles_(handles...) {}
  [[nodiscard]] bool await_ready() const {
    return std::apply([](const auto&... h) { return (h.ready() && ...); }, handles_);
  }
  void await_suspend(std::coroutine_handle<>) {
    Warp& warp = *std::get<0>(handles_).warp_;
    warp.awaited_count_ = 0;
    std::apply([&](const auto&... h) { ((warp.awaited_[warp.awaited_count_++] = h.op_), ...); },
               handles_);
    warp.wait_ = Warp::Wait::Ops;
  }
  std::tuple<Lanes<Ts>...> await_resume() const {
    return std::apply([](const auto&... h) { return std::tuple<Lanes<Ts>...>(h.get()...); },
                      handles_);
  }

 private:
  std::tuple<const LoadHandle<Ts>&...> handles_;
};

template <typename... Ts>
AllLoads<Ts...> all(const LoadHandle<Ts>&... handles) {
  return AllLoads<Ts...>(handles...);
}

template <typename T>
LoadHandle<T>::~LoadHandle() {
  if (op_ != nullptr) warp_->drop_handle(op_);
}

template <typename T>
Lanes<T> LoadHandle<T>::get() const {
  assert(op_ != nullptr && op_->done());
  Lanes<T> out;
  for (unsigned lane = 0; lane < kMaxLanes; lane += MemOp::kChunk) {
    if (lane < op_->width) {
      std::memcpy(&out[lane], &op_->value[lane * sizeof(T)], MemOp::kChunk * sizeof(T));
    } else {
      for (unsigned i = 0; i < MemOp::kChunk; ++i) out[lane + i] = T{};
    }
  }
  return out;
}

template <typename T>
bool LoadHandle<T>::ready() const {
  assert(op_ != nullptr);
  return op_->done() && warp_->instructions_.empty();
}

template <typename T>
void LoadHandle<T>::wait() const {
  warp_->awaited_[0] = op_;
  warp_->awaited_count_ = 1;
  warp_->wait_ = Warp::Wait::Ops;
}

}  // namespace cxlgpu
