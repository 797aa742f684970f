// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
// A collector that lives as long as a test and counts only if the test passed.
//
// Purpose: what a test was in is worth something only if its comparison held to the end.
// Use:     a local of the test (or of its fixture) that is made before what it observes.
// Errors:  a file that cannot be written fails the test.
#pragma once

#include <gtest/gtest.h>

#include <exception>

#include "tests/coverage/functional.hpp"

namespace cxlgpu::test {

class TestCoverage : public coverage::Collector {
 public:
  using Collector::Collector;
  TestCoverage(const TestCoverage&) = delete;
  TestCoverage& operator=(const TestCoverage&) = delete;
  ~TestCoverage() {
    if (!on() || ::testing::Test::HasFailure()) return;
    try {
      write();
    } catch (const std::exception& e) {
      ADD_FAILURE() << e.what();
    }
  }
};

}  // namespace cxlgpu::test
