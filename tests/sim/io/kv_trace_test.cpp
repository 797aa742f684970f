// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
// KV-cache traces: both published forms, what is cached of them, and each error with its line.
#include "sim/io/kv_trace.hpp"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <set>

#include "common/input_error.hpp"

namespace cxlgpu {
namespace {

using Blocks = std::vector<std::uint64_t>;

class KvTraceTest : public testing::Test {
 protected:
  ~KvTraceTest() override { std::filesystem::remove(path_); }
  KvTrace read(const std::string& text) {
    std::ofstream(path_) << text;
    return read_kv_trace(path_.string());
  }
  // What is said of it, without the file's name.
  std::string refused(const std::string& text) {
    try {
      read(text);
    } catch (const InputError& error) {
      const std::string said = error.what();
      EXPECT_EQ(said.rfind(path_.string() + ":", 0), 0U) << said;
      EXPECT_EQ(said.find('\n'), std::string::npos);
      return said.substr(path_.string().size() + 1);
    }
    ADD_FAILURE() << "read: " << text;
    return "";
  }
  std::filesystem::path path_ =
      std::filesystem::path(testing::TempDir()) /
      (std::string("kv_") + testing::UnitTest::GetInstance()->current_test_info()->name());
};

TEST_F(KvTraceTest, ReadsSequencesWithAllTheirRounds) {
  const KvTrace trace = read(
      "Seq1 (conversation id: aB_0):\n"
      "Round 1-human: [0, 1, 2]\n"
      "Round 2-gpt: [9]\r\n"
      "\n"
      "Seq5 (conversation id: aB_1):\n"
      "Round 1-human: []\n"
      "Round 2-gpt: [4,3]");
  EXPECT_FALSE(trace.shared);
  ASSERT_EQ(trace.requests.size(), 2U);
  EXPECT_EQ(trace.requests[0].blocks, (Blocks{0, 1, 2, 9}));
  EXPECT_EQ(trace.requests[1].blocks, (Blocks{4, 3}));
  EXPECT_EQ(trace.blocks, 10U);
  EXPECT_EQ(trace.references, 6U);
  EXPECT_EQ(trace.cached(), (std::vector<Blocks>{{0, 1, 2, 9}, {4, 3}}));
}

TEST_F(KvTraceTest, ReadsRowsWhoseBlocksAreSharedAndCachedOnceTheyWereNamed) {
  KvTrace trace =
      read(R"({"timestamp": 0, "input_length": 700, "output_length": 5, "hash_ids": [0, 1]})"
           "\n"
           R"({"timestamp": 9, "input_length": 1300, "output_length": 7, "hash_ids": [0, 2, 0]})"
           "\n"
           R"({"timestamp": 9, "input_length": 1000, "output_length": 0, "hash_ids": [0, 2, 3]})"
           "\n");
  EXPECT_TRUE(trace.shared);
  EXPECT_EQ(trace.blocks, 4U);
  EXPECT_EQ(trace.references, 8U);
  EXPECT_EQ(trace.requests[1].input_tokens, 1300U);
  EXPECT_EQ(trace.requests[1].output_tokens, 7U);
  EXPECT_EQ(trace.cached(), (std::vector<Blocks>{{}, {0, 0}, {0, 2}}));
  trace.keep(2);
  EXPECT_EQ(trace.references, 5U);
  EXPECT_EQ(trace.blocks, 4U);
  EXPECT_EQ(trace.cached().size(), 2U);
}

TEST_F(KvTraceTest, ALineMayBeLong) {
  std::string text = "Seq1:\nRound 1-human: [0";
  for (int i = 1; i < 100000; ++i) text += ", " + std::to_string(i);
  const KvTrace trace = read(text + "]\n");
  EXPECT_EQ(trace.references, 100000U);
  EXPECT_EQ(trace.requests[0].blocks.back(), 99999U);
}

TEST_F(KvTraceTest, WhatIsWrongIsSaidWithItsLine) {
  EXPECT_EQ(refused(""), "1: the trace names no block; give one that does");
  EXPECT_EQ(refused("Seq1:\nRound 1-human: []\n").substr(0, 28), "3: the trace names no block;");
  EXPECT_NE(refused("Round 1-human: [1]\n").find("1: a round stands before any sequence"),
            std::string::npos);
  EXPECT_NE(refused("Seq1:\nRound 1-human: 1, 2\n").find("2: 'Round 1-human: 1, 2' has no blocks"),
            std::string::npos);
  EXPECT_NE(refused("Seq1:\nRound 1-human: [1, 2\n").find("2: "), std::string::npos);
  EXPECT_NE(refused("Seq1:\nRound 1-human: [1, x]\n").find("2: block 'x' is not a number"),
            std::string::npos);
  EXPECT_NE(refused("Seq1:\nRound 1-human: [1,, 2]\n").find("2: block '' is not"),
            std::string::npos);
  EXPECT_NE(refused("Seq1:\nRound 1-human: [1, ]\n").find("2: a comma ends"), std::string::npos);
  EXPECT_NE(refused("Seq1:\nRound 1-human: [-1]\n").find("2: block '-1' is not"),
            std::string::npos);
  EXPECT_NE(refused("Seq1:\nRound 1-human: [4294967296]\n").find("2: block 4294967296 is not in"),
            std::string::npos);
  EXPECT_NE(refused("Seq1:\n\nround\n").find("3: 'round' begins neither"), std::string::npos);
  const std::string row = R"({"input_length": 1, "output_length": 1, "hash_ids": [1]})";
  EXPECT_NE(refused(row + "\n[1]\n").find("2: '[1]' is not a JSON object"), std::string::npos);
  EXPECT_NE(refused(row + "\n{\"input_length\": 1\n").find("2: '{"), std::string::npos);
  EXPECT_NE(refused(R"({"input_length": 1, "output_length": 1})").find("1: hash_ids is no list"),
            std::string::npos);
  EXPECT_NE(
      refused(R"({"input_length": 1, "output_length": 1, "hash_ids": [-1]})").find("hash_ids"),
      std::string::npos);
  EXPECT_NE(refused(R"({"input_length": 0.5, "output_length": 1, "hash_ids": []})")
                .find("1: input_length is not a whole number"),
            std::string::npos);
}

TEST_F(KvTraceTest, OneThatIsDrawnHasEachBlockOnceInShortRuns) {
  const KvTrace trace = drawn_kv_trace(3, 20);
  ASSERT_EQ(trace.requests.size(), 20U);
  std::set<std::uint64_t> seen;
  std::uint64_t runs = 0;
  for (const KvRequest& request : trace.requests) {
    EXPECT_EQ(request.blocks.size(), 64U);
    for (std::size_t i = 0; i < request.blocks.size(); ++i) {
      EXPECT_TRUE(seen.insert(request.blocks[i]).second);
      runs += i == 0 || request.blocks[i] != request.blocks[i - 1] + 1;
    }
  }
  EXPECT_EQ(seen.size(), trace.blocks);
  EXPECT_EQ(trace.references, trace.blocks);
  EXPECT_GT(runs, 20U * 10);
  EXPECT_LT(runs, 20U * 50);
  EXPECT_NE(drawn_kv_trace(4, 20).requests[0].blocks, trace.requests[0].blocks);
}

}  // namespace
}  // namespace cxlgpu
