// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
// Throughput of the parts against what is published of the drives they stand for.
#include <gtest/gtest.h>

#include <cstdio>
#include <random>

#include "tests/sim/media/media_test_util.hpp"

namespace cxlgpu {
namespace {

using media_test::fill_of;
using media_test::saturate;
using media_test::write_back_of;

constexpr std::uint64_t kSpace = std::uint64_t{64} << 30;
constexpr std::uint32_t kSlots = 65536, kLine = 256;

// GB/s of 256 B lines, sequential write-backs, once the write buffer is full.
double written(const char* name, std::uint64_t lines) {
  const auto media = make_media(media_test::part(name), {kSpace, kSlots, kLine});
  const auto line = [&](std::uint64_t from) {
    return [from](std::uint64_t i) {
      return write_back_of((from + i) * kLine, static_cast<std::uint32_t>((from + i) % kSlots));
    };
  };
  const Time half = saturate(*media, lines, line(0));
  const Time end = saturate(*media, lines, line(lines), half);
  return static_cast<double>(lines * kLine) / static_cast<double>((end - half).ps) * 1e3;
}

double read(const char* name, std::uint64_t lines) {
  const auto media = make_media(media_test::part(name), {kSpace, kSlots, kLine});
  std::mt19937_64 random(1);
  const Time end = saturate(*media, lines, [&](std::uint64_t i) {
    return fill_of(random() % (kSpace / kLine) * kLine, static_cast<std::uint32_t>(i % kSlots));
  });
  return static_cast<double>(lines * kLine) / static_cast<double>(end.ps) * 1e3;
}

void near(const char* what, double measured, double published) {
  std::printf("%-40s %5.2f GB/s, published %4.1f\n", what, measured, published);
  EXPECT_NEAR(measured / published, 1.0, 0.2) << what;
}

// Sources are in the parts' files.
TEST(Parts, ReachWhatIsPublished) {
  near("pram, random lines read", read("pram", 200000), 7.2);
  near("pram, lines written in sequence", written("pram", 200000), 6.2);
  near("znand, lines written in sequence", written("znand", 300000), 3.0);
  near("nand, lines written in sequence", written("nand", 600000), 2.0);
}

}  // namespace
}  // namespace cxlgpu
