// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
// A data set of 16 GiB of which 256 MiB are touched costs what is touched of it.
#include <sys/resource.h>

#include <random>

#include "tests/cli/cli.hpp"

namespace cxlgpu {
namespace {

constexpr std::uint64_t kGiB = std::uint64_t{1} << 30;

TEST_F(Cli, SixteenGibibytesTouchedSparselyFitInOne) {
  constexpr std::uint64_t kPages = 65536, kPage = 4096, kApart = 16 * kGiB / kPages;
  std::mt19937_64 random(1);
  std::string trace = "cycle,rw,addr,bytes\n";
  for (std::uint64_t i = 0; i < kPages; ++i) {
    // One line in each of 65536 pages, spread over it all, in no order.
    const std::uint64_t part = i * 40503 % kPages;
    const std::uint64_t page = part * kApart + random() % (kApart / kPage) * kPage;
    trace += std::to_string(20 * i) + (random() % 3 == 0 ? ",W," : ",R,") +
             std::to_string(page + random() % 64 * 64) + ",64\n";
  }
  write("sparse.csv", trace);
  write("own.yaml",
        "workload: {name: vadd}\n"
        "media: {part: znand}\n"
        "root_port: {policy: stream}\n"
        "hdm: {ranges: [{base: 0x100000000, size: 16GiB, ports: [0, 1], granularity: 1024}]}\n");
  // The child inherits it; a machine that gives more at once would hide a table of the whole space.
  const rlimit before = [] {
    rlimit limit{};
    getrlimit(RLIMIT_AS, &limit);
    return limit;
  }();
  rlimit one = before;
  one.rlim_cur = kGiB;
  ASSERT_EQ(setrlimit(RLIMIT_AS, &one), 0);
  const Result result = run({"run", "own.yaml", "--engine", "model", "--trace", "sparse.csv"});
  ASSERT_EQ(setrlimit(RLIMIT_AS, &before), 0);
  EXPECT_EQ(result.status, 0) << result.err;
  EXPECT_NE(result.out.find("clean"), std::string::npos);
}

}  // namespace
}  // namespace cxlgpu
