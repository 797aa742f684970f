// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
// A block of 32-bit registers with the access kinds of PCI Express: read-only, read-write,
// write-1-to-clear, sticky.
#pragma once

#include <cstdint>
#include <vector>

namespace peer {

class RegisterFile {
 public:
  explicit RegisterFile(uint32_t bytes) : words_(bytes / 4) {}

  // Bits that are neither in `rw` nor in `w1c` are read-only.
  void define(uint32_t at, uint32_t value, uint32_t rw = 0, uint32_t w1c = 0, uint32_t sticky = 0) {
    words_[at / 4] = {value, value, rw, w1c, sticky};
  }
  uint32_t size() const { return static_cast<uint32_t>(words_.size()) * 4; }
  uint32_t read(uint32_t at) const { return at < size() ? words_[at / 4].value : 0; }
  void write(uint32_t at, uint32_t value, unsigned byte_enable) {
    if (at >= size()) return;
    uint32_t mask = 0;
    for (unsigned i = 0; i < 4; ++i) {
      if ((byte_enable >> i & 1) != 0) mask |= 0xffU << (8 * i);
    }
    Word& w = words_[at / 4];
    w.value = (w.value & ~(w.rw & mask)) | (value & w.rw & mask);
    w.value &= ~(value & w.w1c & mask);
  }
  // What the hardware does.
  void set(uint32_t at, uint32_t value) { words_[at / 4].value = value; }
  void raise(uint32_t at, uint32_t bits) { words_[at / 4].value |= bits; }

  // Sticky bits outlive a hot reset.
  void reset(bool cold) {
    for (Word& w : words_) {
      w.value = cold ? w.initial : (w.initial & ~w.sticky) | (w.value & w.sticky);
    }
  }

 private:
  struct Word {
    uint32_t value = 0, initial = 0, rw = 0, w1c = 0, sticky = 0;
  };
  std::vector<Word> words_;
};

}  // namespace peer
