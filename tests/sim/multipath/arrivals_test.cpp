// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
// Bytes that are written, and written twice, against a list of every byte.
#include "sim/multipath/arrivals.hpp"

#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <vector>

namespace cxlgpu {
namespace {

TEST(Arrivals, CountsWhatIsThereAndWhatComesTwice) {
  EXPECT_TRUE(rc::check([] {
    Arrivals arrivals;
    std::vector<bool> there(64, false);
    std::uint64_t twice = 0;
    for (const auto& [offset, bytes] :
         *rc::gen::container<std::vector<std::pair<unsigned, unsigned>>>(
             rc::gen::pair(rc::gen::inRange(0U, 48U), rc::gen::inRange(1U, 16U)))) {
      arrivals.add(offset, bytes);
      for (unsigned i = offset; i < offset + bytes; ++i) {
        twice += there[i];
        there[i] = true;
      }
      RC_ASSERT(arrivals.twice() == twice);
      RC_ASSERT(arrivals.bytes() ==
                static_cast<std::uint64_t>(std::count(there.begin(), there.end(), true)));
    }
    arrivals.clear();
    RC_ASSERT(arrivals.bytes() == 0U && arrivals.twice() == twice);
  }));
}

}  // namespace
}  // namespace cxlgpu
