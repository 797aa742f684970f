// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
// A twin and its verilated block, side by side on the same random input.
//
// Purpose: seeds and cycle counts from the environment, the clocking of a verilated top, and the
//          comparison of one output with a message that says how to see it again.
// Environment: CXLGPU_SEED (default: the test's own), CXLGPU_CYCLES (default 200000
//          if the test names no other).
// Errors:  a mismatch is a GoogleTest failure that names block, cycle, seed, field, both values and
//          the command that replays it; the loop then stops by ok().
#pragma once

#include <gtest/gtest.h>

#include <cinttypes>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <random>
#include <string>

#include "tb/coverage.hpp"
#include "tests/common/clear_inputs.hpp"
#include "tests/common/environment.hpp"

namespace cxlgpu::test {

class Random {
 public:
  explicit Random(std::uint64_t seed) : engine_(seed) {}
  std::uint64_t bits(unsigned n) { return n == 0 ? 0 : engine_() >> (64 - n); }
  std::uint64_t below(std::uint64_t n) { return engine_() % n; }
  bool percent(unsigned p) { return below(100) < p; }
  template <typename Array>
  auto pick(const Array& values) {
    return values[below(std::size(values))];
  }

 private:
  std::mt19937_64 engine_;
};

class Lockstep {
 public:
  Lockstep(std::string block, std::uint64_t default_seed, std::uint64_t default_cycles = 200000)
      : block_(std::move(block)),
        seed_(from_environment("CXLGPU_SEED", default_seed)),
        limit_(from_environment("CXLGPU_CYCLES", default_cycles)) {}

  [[nodiscard]] std::uint64_t seed() const { return seed_; }
  [[nodiscard]] std::uint64_t cycle() const { return cycle_; }
  [[nodiscard]] bool ok() const { return ok_; }
  // A cycle more, however many there have been: of a case that ends by itself. True while all
  // agrees.
  bool advance() {
    if (ok_) ++cycle_;
    return ok_;
  }
  // True while there is another cycle to run.
  bool next() { return advance() && cycle_ <= limit_; }

  void check(const char* field, std::uint64_t rtl, std::uint64_t twin) {
    if (rtl != twin) fail(field, hex(rtl), hex(twin));
  }
  template <typename Bytes>
  void check_bytes(const char* field, const Bytes& rtl, const Bytes& twin) {
    if (rtl != twin) fail(field, hex_bytes(rtl), hex_bytes(twin));
  }

 private:
  static std::string hex(std::uint64_t v) {
    char text[24];
    std::snprintf(text, sizeof text, "0x%" PRIx64, v);
    return text;
  }
  template <typename Bytes>
  static std::string hex_bytes(const Bytes& bytes) {  // byte 0 first
    std::string text;
    char byte[4];
    for (const auto b : bytes) {
      std::snprintf(byte, sizeof byte, "%02x", static_cast<unsigned>(b));
      text += byte;
    }
    return text;
  }
  void fail(const char* field, const std::string& rtl, const std::string& twin) {
    ok_ = false;
    const auto* info = ::testing::UnitTest::GetInstance()->current_test_info();
    std::string target = block_;
    for (char& c : target) c = c == '/' ? '_' : c;
    ADD_FAILURE() << block_ << ": " << field << " differs in cycle " << cycle_ << ", seed " << seed_
                  << "\n  rtl  " << rtl << "\n  twin " << twin
                  << "\n  replay: CXLGPU_SEED=" << seed_ << " CXLGPU_CYCLES=" << cycle_ << " bin/"
                  << target << "_test --gtest_filter=" << info->test_suite_name() << "."
                  << info->name();
  }

  std::string block_;
  std::uint64_t seed_;
  std::uint64_t limit_;
  std::uint64_t cycle_ = 0;
  bool ok_ = true;
};

// A verilated top with clk_i and rst_ni. Use: set inputs, settle(), compare, edge().
template <typename Top>
class Clocked {
 public:
  Clocked() {
    clear_inputs(*top_);
    top_->rst_ni = 1;
    top_->eval();
  }
  Top* operator->() { return &*top_; }
  Top& operator*() { return *top_; }
  void settle() {
    top_->clk_i = 0;
    top_->eval();
    low_ = true;
  }
  // The clock falls with the next settle(): nothing in a top looks at that edge, and an evaluation
  // takes all of the test's time.
  void edge() {
    if (!low_) settle();
    top_->clk_i = 1;
    top_->eval();
    low_ = false;
  }
  void reset() {
    top_->rst_ni = 0;
    settle();
    edge();
    top_->rst_ni = 1;
    settle();
  }

 private:
  Covered<Top> top_;
  bool low_ = true;
};

}  // namespace cxlgpu::test
