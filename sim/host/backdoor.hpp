// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
// Functional access to memory contents, outside simulated time.
//
// Purpose: load a kernel's input before a run and read its result after it. Whoever owns the
//          contents (the test bench behind the HDM mapping, a flat memory in a test) implements it.
// Shapes:  any address, any length; addresses are host physical.
// Rules:   bytes never written read as zero. Not to be used between the first and the last request
//          of a run.
#pragma once

#include <cstdint>
#include <span>

namespace cxlgpu {

class Backdoor {
 public:
  virtual ~Backdoor() = default;
  virtual void poke(std::uint64_t hpa, std::span<const std::uint8_t> bytes) = 0;
  virtual void peek(std::uint64_t hpa, std::span<std::uint8_t> bytes) const = 0;
};

// Writes go to both, reads come from the first: initial contents for a system and its scoreboard.
class TeeBackdoor : public Backdoor {
 public:
  TeeBackdoor(Backdoor& system, Backdoor& shadow) : system_(system), shadow_(shadow) {}
  void poke(std::uint64_t hpa, std::span<const std::uint8_t> bytes) override {
    system_.poke(hpa, bytes);
    shadow_.poke(hpa, bytes);
  }
  void peek(std::uint64_t hpa, std::span<std::uint8_t> bytes) const override {
    system_.peek(hpa, bytes);
  }

 private:
  Backdoor& system_;
  Backdoor& shadow_;
};

}  // namespace cxlgpu
