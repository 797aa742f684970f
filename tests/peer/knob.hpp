// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
// What a test of RTL against a standard peer says of itself.
//
// Purpose: a knob is one thing that the standard allows (or forbids) a peer; each runs alone. The
// test's XML report
//          says which, verify/peer.py makes docs/trust/peer.json of it and verify/conformance.py
//          the list in docs/conformance.md.
// Environment: CXLGPU_PEER_REQUESTS: requests a legal knob (default 20000); CXLGPU_SEED (default
// 1).
#pragma once

#include <gtest/gtest.h>

#include <string>

#include "tests/common/lockstep.hpp"

namespace cxlgpu::test {

inline std::uint64_t peer_requests() {
  return from_environment("CXLGPU_PEER_REQUESTS", 5000 * volume());
}
inline std::uint64_t peer_seed() {
  return from_environment("CXLGPU_SEED", 1);
}

// Properties of the running test. `reaction`: what the standard asks for, empty for what it allows.
inline void says(const char* under_test, std::string_view knob, std::string_view what,
                 std::string_view clause, std::string_view reaction = {}) {
  using ::testing::Test;
  Test::RecordProperty("under_test", under_test);
  Test::RecordProperty("knob", std::string(knob));
  Test::RecordProperty("what", std::string(what));
  Test::RecordProperty("clause", std::string(clause));
  if (!reaction.empty()) Test::RecordProperty("reaction", std::string(reaction));
}
inline void ran(std::uint64_t requests, std::uint64_t cycles) {
  ::testing::Test::RecordProperty("requests", std::to_string(requests));
  ::testing::Test::RecordProperty("cycles", std::to_string(cycles));
}

// Prints a case as its name.
template <typename Case>
struct Named {
  std::string operator()(const ::testing::TestParamInfo<Case>& info) const {
    return std::string(info.param.name);
  }
};

}  // namespace cxlgpu::test
