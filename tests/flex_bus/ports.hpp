// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
// Flex Bus types on verilated ports, and random ones.
//
// Purpose: what the Flex Bus block tests share: words and flits on the padded ports of the
//          *_tb.sv wrappers, random flits, and how long a test runs.
// Units:   g is the element of a port: which of the blocks side by side.
// Errors:  as in tests/common/bits.hpp.
#pragma once

#include "refmodel/flex_bus/lane_word.hpp"
#include "tests/controller/ports.hpp"

namespace cxlgpu::test {

using Lanes = std::array<std::uint32_t, kMaxLanes>;

// A loop of this many cycles at most, unless the environment asks for another number.
class Cycles {
 public:
  explicit Cycles(std::uint64_t fallback) : limit_(from_environment("CXLGPU_CYCLES", fallback)) {}
  bool next(Lockstep& run) const { return run.cycle() < limit_ && run.next(); }
  // True if the run was long enough for the counts of what it met to mean something.
  [[nodiscard]] bool full(const Lockstep& run) const { return run.ok() && limit_ >= 100000; }

 private:
  std::uint64_t limit_;
};

// Ports of 512 bits a block: 16 lanes.
template <typename Port>
void set_lanes(Port& port, unsigned g, const Lanes& lanes) {
  for (unsigned l = 0; l < kMaxLanes; ++l) port[kMaxLanes * g + l] = lanes[l];
}
template <typename Port>
Lanes get_lanes(const Port& port, unsigned g, unsigned count) {
  Lanes lanes{};
  for (unsigned l = 0; l < count; ++l) lanes[l] = port[kMaxLanes * g + l];
  return lanes;
}

// Ports of 544 bits a block: a flit of 528.
template <typename Port>
void set_flit(Port& port, unsigned g, const CrcFlit& flit) {
  std::array<std::uint32_t, kFlitDws> words{};
  std::memcpy(words.data(), flit.payload.data(), flit.payload.size());
  words[16] = flit.crc;
  for (unsigned i = 0; i < kFlitDws; ++i) port[kFlitDws * g + i] = words[i];
}
template <typename Port>
CrcFlit get_flit(const Port& port, unsigned g) {
  std::array<std::uint32_t, kFlitDws> words;
  for (unsigned i = 0; i < kFlitDws; ++i) words[i] = port[kFlitDws * g + i];
  CrcFlit flit;
  std::memcpy(flit.payload.data(), words.data(), flit.payload.size());
  flit.crc = static_cast<std::uint16_t>(words[16]);
  return flit;
}

inline CrcFlit random_flit(Random& random) {
  return {random_payload(random), static_cast<std::uint16_t>(random.bits(16))};
}

inline void check_flit(Lockstep& run, const CrcFlit& rtl, const CrcFlit& twin) {
  run.check_bytes("flit payload", rtl.payload, twin.payload);
  run.check("flit crc", rtl.crc, twin.crc);
}

// A lane word that may look like part of an ordered set.
inline std::uint32_t tricky_data(Random& random) {
  switch (random.below(5)) {
    case 0:
      return kSdsFirstWord;
    case 1:
      return kSdsWord;
    case 2:
      return kSkpWord;
    case 3:
      return static_cast<std::uint32_t>(random.bits(24) << 8) | 0xE1;
    default:
      return static_cast<std::uint32_t>(random.bits(32));
  }
}

}  // namespace cxlgpu::test
