// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
// A test says which requirement it shows.
//
// Purpose: shows() at the head of a test puts the requirement into the test's XML report;
//          verify/conformance.py makes docs/conformance.md of all of them, and the test's program
//          gets the suite as a CTest label (tests/CMakeLists.txt).
// Shapes:  suite: sr, ds, qos, hdm, flit, link or order; source: a section of the specification or
//          of docs/blocks. String literals only, since the sources are read too.
// Errors:  none.
#pragma once

#include <gtest/gtest.h>

namespace cxlgpu::test {

inline void shows(const char* suite, const char* requirement, const char* source) {
  ::testing::Test::RecordProperty("suite", suite);
  ::testing::Test::RecordProperty("requirement", requirement);
  ::testing::Test::RecordProperty("source", source);
}

}  // namespace cxlgpu::test
