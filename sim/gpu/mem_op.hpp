// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
// One warp-wide memory instruction in flight, and the pool these live in.
//
// Purpose: the record that the warp's program, the L1 and the LLC share. `value` holds what is
//          stored, an atomic's operand, and then what was loaded: elements of `bytes`, lane by
//          lane.
// Shapes:  a lane is in `to_send` until its line request left the load/store unit and in `pending`
//          until it is complete. The record returns to its pool when the machine and the program's
//          handle have both let go of it.
// Errors:  none.
#pragma once

#include <array>
#include <cstdint>
#include <cstring>
#include <deque>
#include <vector>

#include "common/request.hpp"
#include "sim/gpu/lanes.hpp"

namespace cxlgpu {

class Warp;

enum class OpKind : std::uint8_t {
  Load,    // through the L1
  LoadL2,  // past the L1: sees what other cores stored
  Store,   // written through
  Atomic,  // executed at the LLC, past the L1
  ScratchLoad,
  ScratchStore,
  Prefetch  // of one lane: its first byte in addr[0], how many in addr[1]
};
constexpr bool is_store(OpKind kind) {
  return kind == OpKind::Store || kind == OpKind::ScratchStore;
}
constexpr bool is_scratch(OpKind kind) {
  return kind == OpKind::ScratchLoad || kind == OpKind::ScratchStore;
}
// A program holds a handle of it and a warp has a limited number in flight.
constexpr bool has_result(OpKind kind) {
  return !is_store(kind) && kind != OpKind::Prefetch;
}
enum class AtomicOp : std::uint8_t { Add, Min, MinSigned, Cas };

// How an access of all lanes to one line lies in it.
enum class LineShape : std::uint8_t {
  Any,          // or not all lanes, or not one line
  Consecutive,  // element by element
  Same          // all lanes the same element
};

struct MemOp {
  // Lanes are copied so many at a time, by the host's vector instructions.
  static constexpr unsigned kChunk = 8;
  using Elements = std::array<std::uint8_t, std::size_t{kMaxLanes} * 8>;  // the largest has 8 B

  Warp* warp = nullptr;
  OpKind kind = OpKind::Load;
  AtomicOp atomic = AtomicOp::Add;
  std::uint8_t bytes = 4;       // element size
  std::uint8_t references = 0;  // machine and handle
  bool one_line = false;        // every address lies in the same line
  LineShape shape = LineShape::Any;
  std::uint8_t width = 0;  // lanes, of which a shape other than Any has all
  LaneMask to_send = 0;
  LaneMask pending = 0;
  Lanes<std::uint64_t> addr;  // Scratch*: bytes from the scratchpad's start
  alignas(16) Elements value;
  Elements compare;  // Cas only

  [[nodiscard]] bool done() const { return pending == 0; }
  // Elements beside masked lanes are zero; in whole chunks, so that these can be read as such.
  void clear_value() {
    std::memset(value.data(), 0, (width + kChunk - 1) / kChunk * kChunk * bytes);
  }
  template <typename T>
  [[nodiscard]] T element(unsigned lane) const {
    T element;
    std::memcpy(&element, &value[lane * sizeof(T)], sizeof(T));
    return element;
  }
  template <typename T>
  void set_element(unsigned lane, T element) {
    std::memcpy(&value[lane * sizeof(T)], &element, sizeof(T));
  }
};

// Lanes of an operation that wait for one line.
struct LineWaiter {
  MemOp* op;
  LaneMask lanes;
};

class MemOpPool {
 public:
  MemOp* get() {
    if (free_.empty()) {
      ops_.emplace_back();
      return &ops_.back();
    }
    MemOp* op = free_.back();
    free_.pop_back();
    return op;
  }
  void release(MemOp* op) {
    if (--op->references == 0) free_.push_back(op);
  }
  [[nodiscard]] std::size_t in_use() const { return ops_.size() - free_.size(); }

 private:
  std::deque<MemOp> ops_;
  std::vector<MemOp*> free_;
};

// The element of a line at an address, as a raw word.
inline std::uint64_t read_element(const Line& line, std::uint64_t addr, unsigned bytes) {
  std::uint64_t value = 0;
  const std::uint8_t* from = line.data() + addr % kLineBytes;
  switch (bytes) {
    case 4:
      std::memcpy(&value, from, 4);
      break;
    case 8:
      std::memcpy(&value, from, 8);
      break;
    case 1:
      value = *from;
      break;
    default:
      std::memcpy(&value, from, 2);
  }
  return value;
}

inline void write_element(Line& line, std::uint64_t addr, unsigned bytes, std::uint64_t value) {
  std::uint8_t* to = line.data() + addr % kLineBytes;
  switch (bytes) {
    case 4:
      std::memcpy(to, &value, 4);
      break;
    case 8:
      std::memcpy(to, &value, 8);
      break;
    case 1:
      *to = static_cast<std::uint8_t>(value);
      break;
    default:
      std::memcpy(to, &value, 2);
  }
}

// Byte enables of one element.
constexpr std::uint64_t element_mask(std::uint64_t addr, unsigned bytes) {
  return ((std::uint64_t{1} << bytes) - 1) << (addr % kLineBytes);
}

// Calls body(T{}) with the unsigned type of an element: one decision for all lanes.
template <typename Body>
inline void for_element_type(unsigned bytes, Body body) {
  switch (bytes) {
    case 1:
      return body(std::uint8_t{});
    case 2:
      return body(std::uint16_t{});
    case 4:
      return body(std::uint32_t{});
    default:
      return body(std::uint64_t{});
  }
}

// A lane's element as a raw word.
inline std::uint64_t element_of(const MemOp::Elements& elements, unsigned lane, unsigned bytes) {
  std::uint64_t value = 0;
  for_element_type(bytes, [&]<typename T>(T element) {
    std::memcpy(&element, &elements[lane * sizeof(T)], sizeof(T));
    value = element;
  });
  return value;
}
inline void set_element_of(MemOp::Elements& elements, unsigned lane, unsigned bytes,
                           std::uint64_t value) {
  for_element_type(bytes, [&]<typename T>(T element) {
    element = static_cast<T>(value);
    std::memcpy(&elements[lane * sizeof(T)], &element, sizeof(T));
  });
}

// Copies the lanes' elements out of a line.
inline void read_lanes(MemOp& op, LaneMask lanes, const Line& line) {
  for_element_type(op.bytes, [&]<typename T>(T element) {
    if (op.shape == LineShape::Consecutive) {
      const std::uint8_t* const first = &line[op.addr[0] % kLineBytes];
      if (op.width == MemOp::kChunk) {  // as most often
        std::memcpy(op.value.data(), first, MemOp::kChunk * sizeof(T));
      } else {
        std::memcpy(op.value.data(), first, op.width * sizeof(T));
      }
      return;
    }
    if (op.shape == LineShape::Same) {
      std::memcpy(&element, &line[op.addr[0] % kLineBytes], sizeof(T));
      for (unsigned lane = 0; lane < op.width; lane += MemOp::kChunk) {
        for (unsigned i = 0; i < MemOp::kChunk; ++i) op.set_element(lane + i, element);
      }
      return;
    }
    for (LaneMask m = lanes; m != 0; m &= m - 1) {
      const unsigned lane = first_lane(m);
      std::memcpy(&element, &line[op.addr[lane] % kLineBytes], sizeof(T));
      op.set_element(lane, element);
    }
  });
}

// Copies the lanes' elements into a line; lanes of one element in lane order.
inline void write_lanes(const MemOp& op, LaneMask lanes, Line& line) {
  for_element_type(op.bytes, [&]<typename T>(T element) {
    if (op.shape == LineShape::Consecutive) {
      std::memcpy(&line[op.addr[0] % kLineBytes], op.value.data(), op.width * sizeof(T));
      return;
    }
    for (LaneMask m = lanes; m != 0; m &= m - 1) {
      const unsigned lane = first_lane(m);
      element = op.element<T>(lane);
      std::memcpy(&line[op.addr[lane] % kLineBytes], &element, sizeof(T));
    }
  });
}

// Byte enables of the lanes' elements.
inline std::uint64_t lanes_mask(const MemOp& op, LaneMask lanes) {
  const std::uint64_t element = element_mask(0, op.bytes);
  std::uint64_t mask = 0;
  if (op.shape == LineShape::Consecutive) {
    return kAllBytes >> (kLineBytes - op.width * op.bytes) << op.addr[0] % kLineBytes;
  }
  if (op.shape == LineShape::Same) return element << op.addr[0] % kLineBytes;
  for (; lanes != 0; lanes &= lanes - 1) {
    mask |= element << (op.addr[first_lane(lanes)] % kLineBytes);
  }
  return mask;
}

}  // namespace cxlgpu
