// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
// Values drawn at random of a key's range.
//
// Purpose: `random` of a sweep: {int: [low, high]}, {real: [low, high]}, {log: [low, high]},
//          {choice: [...]}. Only values that the key takes are drawn: multiples of its step, powers
//          of two.
// Rules:   a value follows from seed, number of the point and name of the key alone: more points,
// or
//          another key, leave those there are as they are. The same on every machine.
// Errors:  InputError of one line.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "sim/config/key_range.hpp"

namespace cxlgpu {

class Draw {
 public:
  enum class Kind : std::uint8_t { Int, Real, Log };
  // Of these, each as likely.
  explicit Draw(std::vector<std::string> choices) : choices_(std::move(choices)) {}
  // `low` and `high` as written at `where`.
  Draw(Kind kind, const KeyFacts& facts, const std::string& low, const std::string& high,
       const std::string& where);

  [[nodiscard]] std::string value(std::uint64_t seed, std::uint64_t point,
                                  const std::string& name) const;

 private:
  void steps_between(std::uint64_t low, std::uint64_t high, const std::string& where);

  std::vector<std::string> choices_;
  KeyFacts facts_;
  Kind kind_ = Kind::Int;
  bool decimal_ = false;
  double least_ = 0, most_ = 0;         // of a decimal
  std::uint64_t first_ = 0, last_ = 0;  // multiples of the step, or exponents of two
};

}  // namespace cxlgpu
