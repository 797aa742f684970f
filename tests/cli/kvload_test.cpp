// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
// Workload kvload in the command: traces, figures, and each thing that is refused.
#include "tests/cli/cli.hpp"

namespace cxlgpu {
namespace {

constexpr const char* kTrace =
    "Seq1 (conversation id: a_0):\nRound 1-human: [0, 1, 2]\nRound 2-gpt: [9]\n\n"
    "Seq2 (conversation id: a_1):\nRound 1-human: [4]\nRound 2-gpt: [5, 3]\n";

class KvLoadRun : public Cli {
 protected:
  json loaded(const std::string& stack, const Args& sets, const std::string& media = "pram") {
    Args args = {"run", "kvload-" + media + "-" + stack, "--out", "o", "--no-report"};
    for (const std::string& set : sets) args.insert(args.end(), {"--set", set});
    accepted(args);
    const json s = stats();
    EXPECT_EQ(s.at("status"), "clean");
    EXPECT_EQ(value(s, "/io/bytes_wrong"), 0);
    EXPECT_EQ(value(s, "/io/bytes_checked"), value(s, "/io/bytes"));
    return s;
  }
};

TEST_F(KvLoadRun, EachStackLoadsWhatTheTraceNames) {
  write("kv.txt", kTrace);
  for (const std::string stack : {"phoenix", "gds", "posix"}) {
    const json s = loaded(stack, {"workload.file=kv.txt"});
    EXPECT_EQ(value(s, "/io/kv/requests"), 2);
    EXPECT_EQ(value(s, "/io/kv/references"), 7);
    EXPECT_EQ(value(s, "/io/kv/block_bytes"), 65536);
    EXPECT_EQ(value(s, "/io/bytes"), 7 * 65536);
    EXPECT_EQ(value(s, "/data_set"), 7 * 65536);
    EXPECT_EQ(value(s, "/io/kv/ios"), 4);  // 0 to 2, 9; 4 and 5, 3
    EXPECT_EQ(value(s, "/io/ios"), 4);
    EXPECT_EQ(value(s, "/io/calls"), 2);
  }
  const json s = loaded("phoenix", {"workload.file=kv.txt", "workload.kvload_merge_bytes=0",
                                    "workload.kvload_bits=8", "workload.kvload_latent_percent=25",
                                    "workload.kvload_layers=3", "workload.size=1"});
  EXPECT_EQ(value(s, "/io/kv/requests"), 1);
  EXPECT_EQ(value(s, "/io/kv/block_bytes"), 8192);
  EXPECT_EQ(value(s, "/io/ios"), 4 * 3);
  EXPECT_EQ(value(s, "/io/kv/loaded"), 4 * 3);
  EXPECT_EQ(value(s, "/io/calls"), 3);  // a layer, and a layer
}

TEST_F(KvLoadRun, ACompressedTraceIsTheSame) {
  write("kv.txt", kTrace);
  ASSERT_EQ(std::system(("gzip -k '" + (dir_ / "kv.txt").string() + "'").c_str()), 0);
  const json plain = loaded("phoenix", {"workload.file=kv.txt"});
  EXPECT_EQ(loaded("phoenix", {"workload.file=kv.txt.gz"}).at("io"), plain.at("io"));
}

TEST_F(KvLoadRun, OfSharedBlocksThoseAreLoadedThatWereThereBefore) {
  write("kv.jsonl",
        R"({"timestamp": 0, "input_length": 700, "output_length": 5, "hash_ids": [0, 1]})"
        "\n"
        R"({"timestamp": 9, "input_length": 900, "output_length": 7, "hash_ids": [0, 1, 2]})"
        "\n");
  const json s = loaded("phoenix", {"workload.file=kv.jsonl", "workload.kvload_tokens=512"});
  EXPECT_EQ(value(s, "/io/kv/references"), 5);
  EXPECT_EQ(value(s, "/io/kv/loaded"), 2);
  EXPECT_EQ(value(s, "/io/bytes"), 2 * 512 * 4096);
  refused(
      {"run", "kvload-pram-phoenix", "--set", "workload.file=kv.jsonl", "--set", "workload.size=1"},
      {"kv.jsonl", "workload.size"});
}

// Scattered blocks are where the stacks differ; one I/O a request is the same to all.
TEST_F(KvLoadRun, ScatteredSmallBlocksAreWhatPhoenixIsAheadBy) {
  const auto gain = [&](Args sets) {
    if (sets.empty() || !sets[0].starts_with("workload.file")) sets.push_back("workload.size=4");
    sets.push_back("workload.kvload_bits=8");
    sets.push_back("workload.kvload_latent_percent=25");
    return value(loaded("phoenix", sets), "/io/bandwidth") /
           value(loaded("gds", sets), "/io/bandwidth");
  };
  const double scattered = gain({"workload.kvload_merge_bytes=0"}), merged = gain({});
  EXPECT_GT(scattered, 3);
  EXPECT_GT(scattered, merged);
  const double overlapped = gain({"workload.kvload_merge_bytes=0", "io.gds_batch_in_flight=256"});
  EXPECT_LT(overlapped, 0.75 * scattered);
  EXPECT_GT(overlapped, 1.5);
  std::string rounds = "Seq1:\nRound 1-human: [0";
  for (int i = 1; i < 1000; ++i) rounds += ", " + std::to_string(i);
  write("run.txt", rounds + "]\n");
  EXPECT_NEAR(gain({"workload.file=run.txt"}), 1, 0.05);
}

TEST_F(KvLoadRun, TheSameSeedIsTheSameRun) {
  const auto io = [&](const std::string& seed) {
    return loaded("phoenix", {"run.seed=" + seed, "workload.size=2"}).at("io");
  };
  EXPECT_EQ(io("5"), io("5"));
  EXPECT_NE(io("5"), io("6"));
}

TEST_F(KvLoadRun, WhatItCannotDoIsRefused) {
  refused({"run", "kvload-pram-cxl"}, {"workload 'kvload'", "phoenix, gds or posix"});
  refused({"run", "kvload-pram-gds", "--set", "workload.file=no.txt"}, {"no.txt", "opened"});
  write("bad.txt", "Seq1:\nRound 1-human: [1, two]\n");
  refused({"run", "kvload-pram-gds", "--set", "workload.file=bad.txt"},
          {"bad.txt:2:", "'two'", "Round NUMBER-NAME"});
  write("cut.txt", kTrace);
  ASSERT_EQ(std::system(("cd '" + dir_.string() +
                         "' && gzip cut.txt && head -c 60 cut.txt.gz > "
                         "half.gz")
                            .c_str()),
            0);
  refused({"run", "kvload-pram-gds", "--set", "workload.file=half.gz"}, {"half.gz"});
  refused({"run", "kvload-pram-gds", "--set", "workload.kvload_tokens=1", "--set",
           "workload.kvload_bits=8"},
          {"--set", "workload.kvload_tokens", "2048 bytes", "multiples of 4096"});
  write("far.txt", "Seq1:\nRound 1-human: [4000000000]\n");
  refused({"run", "kvload-pram-gds", "--set", "workload.file=far.txt"},
          {"workload.kvload_layers", "4000000001 blocks", "lower them"});
  refused({"run", "kvload-pram-gds", "--set", "workload.kvload_layout=rows"},
          {"workload.kvload_layout", "layer, block"});
}

TEST_F(KvLoadRun, IsInTheListAndInTheTable) {
  EXPECT_NE(run({"list"}).out.find("  kvload    a program that loads the blocks"),
            std::string::npos);
  const Result one = run({"run", "kvload-pram-gds", "--set", "workload.size=2"});
  EXPECT_NE(one.out.find("requests / blocks / a layer's part of one  2 / 128 / 65536 bytes"),
            std::string::npos)
      << one.out;
}

}  // namespace
}  // namespace cxlgpu
