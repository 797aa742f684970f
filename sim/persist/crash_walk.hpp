// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
// Every loss of power of one run, one after the other.
//
// Purpose: goes over the states of a journal and hands the memory of each to a check.
// Shapes:  a point is a number of events, 0..N; its states: journal.hpp. With `points` 0 every
//          one, else so many, drawn by `seed`, among them the first and the last.
// Errors:  none; the first failure is returned with what it takes to see it again.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>

#include "sim/persist/journal.hpp"

namespace cxlgpu {

struct WalkOptions {
  std::size_t points = 0;
  std::size_t states = CrashStates::kAll;  // of a point, at most
  std::uint64_t seed = 1;
  std::optional<std::size_t> only = {};      // this point alone
  std::function<void(std::size_t)> at = {};  // told of each point before its states are checked
};

struct WalkResult {
  std::size_t events = 0, points = 0, states = 0, most_free = 0;
  std::size_t broken = 0;  // completions told before their bytes were safe, at most at once
  struct Failure {
    std::size_t point = 0, state = 0;
    std::string in_flight;  // line:in/free
    std::string what;
  };
  std::optional<Failure> failure;
};

// `check`: what is wrong with the memory, if anything. `own`: it is the state that the machine
// itself was in.
using CrashCheck = std::function<std::optional<std::string>(const FlatMemory& memory, bool own)>;
WalkResult walk_crashes(const Journal& journal, const FlatMemory& before,
                        const WalkOptions& options, const CrashCheck& check);

}  // namespace cxlgpu
