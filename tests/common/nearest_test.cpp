// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
// Distances of words, and which name a mistyped one means.
#include "common/nearest.hpp"

#include <gtest/gtest.h>

namespace cxlgpu {
namespace {

TEST(EditDistance, CountsEdits) {
  EXPECT_EQ(edit_distance("", ""), 0u);
  EXPECT_EQ(edit_distance("", "abc"), 3u);
  EXPECT_EQ(edit_distance("abc", ""), 3u);
  EXPECT_EQ(edit_distance("cores", "cores"), 0u);
  EXPECT_EQ(edit_distance("core", "cores"), 1u);
  EXPECT_EQ(edit_distance("kores", "cores"), 1u);
  EXPECT_EQ(edit_distance("coresx", "cores"), 1u);
  EXPECT_EQ(edit_distance("corse", "cores"), 1u);  // neighbours swapped
  EXPECT_EQ(edit_distance("ca", "abc"), 3u);       // no letter is edited twice
  EXPECT_EQ(edit_distance("kitten", "sitting"), 3u);
}

TEST(Nearest, IsNearOrNothing) {
  const std::vector<std::string> names = {"gpu.cores", "gpu.warps", "link.lanes"};
  EXPECT_EQ(nearest("gpu.core", names), "gpu.cores");
  EXPECT_EQ(nearest("gpu.wraps", names), "gpu.warps");
  EXPECT_EQ(nearest("lanes", names), "link.lanes");  // without its section
  EXPECT_EQ(nearest("colour", names), "");
  EXPECT_EQ(nearest("", names), "");
  EXPECT_EQ(nearest("gpu.cores", {}), "");
  EXPECT_EQ(nearest(std::string(1000000, 'x'), names), "");
  EXPECT_EQ(nearest("srr", {"cxl", "sr", "ds"}), "sr");
  EXPECT_EQ(nearest("ss", {"sr", "ds"}), "sr");  // the first of equals
}

TEST(Nearest, SuggestionStandsBeforeARemedy) {
  EXPECT_EQ(did_you_mean("srr", {"cxl", "sr"}), "did you mean sr? ");
  EXPECT_EQ(did_you_mean("colour", {"cxl", "sr"}), "");
}

}  // namespace
}  // namespace cxlgpu
