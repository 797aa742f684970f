// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
// Workload prefix in the command: ways, traces, figures, and each thing that is refused.
#include "tests/cli/cli.hpp"

namespace cxlgpu {
namespace {

// Three requests in blocks of 16 tokens, of which the second and third find two and one.
constexpr const char* kTrace =
    R"({"timestamp": 0, "input_length": 40, "output_length": 5, "hash_ids": [0, 1, 2]})"
    "\n"
    R"({"timestamp": 3, "input_length": 48, "output_length": 7, "hash_ids": [0, 1, 3]})"
    "\n"
    R"({"timestamp": 4, "input_length": 32, "output_length": 7, "hash_ids": [0, 4]})"
    "\n";

class PrefixRun : public Cli {
 protected:
  static double of(const json& s, const std::string& name) {
    return value(s, ("/prefix/" + name).c_str());
  }
  json ran(const std::string& scenario, const Args& sets) {
    Args args = {"run", "prefix-" + scenario, "--out", "o", "--no-report"};
    for (const std::string& set : sets) args.insert(args.end(), {"--set", set});
    accepted(args);
    const json s = stats();
    EXPECT_EQ(s.at("status"), "clean");
    EXPECT_EQ(s.at("workload"), "prefix");
    EXPECT_EQ(of(s, "bytes_wrong") + of(s, "failed"), 0);
    EXPECT_EQ(of(s, "bytes_checked"), of(s, "bytes"));
    EXPECT_EQ(value(s, "/data_set"), of(s, "bytes"));
    return s;
  }
  // Blocks of 16 tokens and 2 layers: 64 KiB.
  Args small(Args more = {}) {
    more.insert(more.end(), {"workload.prefix_tokens=16", "workload.prefix_layers=2",
                             "workload.prefix_context=100", "workload.prefix_question=16"});
    return more;
  }
};

const Args kWays = {"dram-direct",  "dram-static", "dram-mma",
                    "pram-phoenix", "pram-gds",    "pram-posix"};

TEST_F(PrefixRun, EachWayFetchesWhatATraceNames) {
  write("kv.jsonl", kTrace);
  for (const std::string& way : kWays) {
    SCOPED_TRACE(way);
    for (const std::string layout : {"whole", "block", "layer"}) {
      const json s =
          ran(way, small({"workload.file=kv.jsonl", "workload.prefix_layout=" + layout}));
      EXPECT_EQ(of(s, "requests"), 3);
      EXPECT_EQ(of(s, "blocks"), 8);
      EXPECT_EQ(of(s, "blocks_found"), 3);
      EXPECT_EQ(of(s, "tokens"), 120);
      EXPECT_EQ(of(s, "tokens_found"), 48);
      EXPECT_EQ(of(s, "hit_rate"), 40);
      EXPECT_EQ(of(s, "bytes"), 3 * 65536);
      EXPECT_EQ(of(s, "calls"), layout == "whole" ? 3 : 6);
      EXPECT_EQ(of(s, "first_token_found/requests"), 2);
      EXPECT_EQ(of(s, "first_token_not_found/requests"), 1);
      const double first = of(s, "first_token/mean");
      EXPECT_NEAR(first, of(s, "queued") + of(s, "fetched") + of(s, "computed"), 2);
      EXPECT_LE(of(s, "first_token/p50"), of(s, "first_token/max"));
    }
  }
}

TEST_F(PrefixRun, WhatMovesTheBytesDecidesTheFirstToken) {
  const json direct = ran("dram-direct", {"workload.size=2"});
  const json mma = ran("dram-mma", {"workload.size=2"});
  const json drive = ran("pram-phoenix", {"workload.size=2"});
  EXPECT_EQ(of(mma, "bytes"), of(direct, "bytes"));
  EXPECT_EQ(of(mma, "native"), 0);
  EXPECT_LT(of(mma, "fetched"), 0.5 * of(direct, "fetched"));
  EXPECT_GT(of(drive, "fetched"), 5 * of(direct, "fetched"));
  const std::string first = "first_token_found/mean";
  EXPECT_LT(of(mma, first), of(direct, first));
  EXPECT_LT(of(direct, first), of(drive, first));
  EXPECT_EQ(of(direct, "first_token_not_found/mean"), of(mma, "first_token_not_found/mean"));
}

TEST_F(PrefixRun, ACacheThatIsTooSmallForgets) {
  write("kv.jsonl", kTrace);
  const json all = ran("dram-direct", small({"workload.file=kv.jsonl"}));
  EXPECT_EQ(of(all, "cache"), 5);
  EXPECT_EQ(of(all, "blocks_evicted"), 0);
  for (const std::string way : {"dram-direct", "pram-phoenix"}) {
    const json s = ran(way, small({"workload.file=kv.jsonl", "workload.prefix_cache_blocks=1"}));
    EXPECT_EQ(of(s, "cache"), 1);
    EXPECT_EQ(of(s, "blocks_found"), 2);  // the first of two requests
    EXPECT_EQ(of(s, "blocks_evicted"), 0);
  }
}

TEST_F(PrefixRun, RequestsComeWhenTheTraceSays) {
  write("kv.jsonl", kTrace);
  const Args sets = small({"workload.file=kv.jsonl", "workload.prefix_overhead_us=2000"});
  const json idle = ran("dram-direct", sets);
  EXPECT_EQ(of(idle, "queued"), 0);
  EXPECT_GT(of(idle, "first_token/mean"), 2e6);
  Args timed = sets;
  timed.push_back("workload.prefix_arrivals=trace");
  const json s = ran("dram-direct", timed);  // at 0, 3 and 4 ms: the third waits some 1.5 ms
  EXPECT_NEAR(of(s, "queued"), 1.5e6 / 3, 0.05e6);
}

// A drive takes about as long as the GPU.
TEST_F(PrefixRun, OverlapHidesTheShorterOfBoth) {
  const Args sets = {"workload.size=2", "workload.prefix_layout=block"};
  Args overlapped = sets;
  overlapped.push_back("workload.prefix_overlap=true");
  const json apart = ran("pram-phoenix", sets), both = ran("pram-phoenix", overlapped);
  const std::string first = "first_token_found/mean";
  EXPECT_EQ(of(both, "computed"), of(apart, "computed"));
  EXPECT_LT(of(both, first), 0.75 * of(apart, first));
  EXPECT_GT(of(both, first), 0.5 * of(apart, first));
}

TEST_F(PrefixRun, TheSameSeedIsTheSameRun) {
  const auto made = [&](const std::string& seed) {
    return ran("dram-mma",
               small({"run.seed=" + seed, "workload.size=12", "workload.prefix_cache_blocks=9"}))
        .at("prefix");
  };
  EXPECT_EQ(made("5"), made("5"));
  EXPECT_NE(made("5"), made("6"));
}

TEST_F(PrefixRun, WhatItCannotDoIsRefused) {
  refused({"run", "prefix-pram-cxl"}, {"workload 'prefix'", "mma, static, direct"});
  refused({"run", "prefix-pram-mma"}, {"'pram' is no DRAM", "'prefix'"});
  const auto refuses = [this](const Args& sets, const std::vector<std::string>& parts,
                              const std::string& way = "dram-mma") {
    Args args = {"run", "prefix-" + way};
    for (const std::string& set : sets) args.insert(args.end(), {"--set", set});
    refused(args, parts);
  };
  refuses({"workload.prefix_tokens=1"}, {"workload.prefix_tokens", "2048 bytes a layer", "4096"});
  refuses({"workload.prefix_tokens=65536"}, {"workload.prefix_tokens", "an I/O has at most"},
          "pram-posix");
  refuses({"workload.prefix_overlap=true"}, {"workload.prefix_overlap", "prefix_layout"});
  refuses({"workload.prefix_cache_blocks=1000000"},
          {"workload.prefix_cache_blocks", "smaller number"}, "pram-gds");
  refuses({"workload.prefix_merge_bytes=16GiB", "workload.prefix_kv_heads=1024",
           "workload.prefix_context=60000", "workload.size=2"},
          {"workload.prefix_merge_bytes", "lower it"});
  refuses({"multipath.static_split=0,0", "multipath.paths=2"}, {"multipath.static_split"});
  refuses({"workload.file=no.jsonl"}, {"no.jsonl", "opened"});
  write("kv.txt", "Seq1:\nRound 1-human: [0, 1]\n");
  refuses({"workload.file=kv.txt"}, {"kv.txt", "no lengths", "Mooncake"});
  write("kv.jsonl", kTrace);
  refuses({"workload.file=kv.jsonl"}, {"kv.jsonl", "request 1 has 3 blocks", "prefix_tokens"});
  write("late.jsonl",
        R"({"timestamp": -1, "input_length": 1, "output_length": 1, "hash_ids": [0]})");
  refuses({"workload.file=late.jsonl"}, {"late.jsonl:1:", "timestamp"});
}

TEST_F(PrefixRun, ALostLinkIsSaid) {
  Args args = {"run", "prefix-dram-direct", "--set", "multipath.down_at_us=1"};
  const Result direct = run(args);
  EXPECT_EQ(direct.status, 1);
  EXPECT_NE((direct.out + direct.err).find("no link is left"), std::string::npos) << direct.err;
  args[1] = "prefix-dram-mma";
  accepted(args);
}

TEST_F(PrefixRun, IsInTheTable) {
  const Result one = run({"run", "prefix-pram-gds", "--set", "workload.size=2", "--set",
                          "workload.prefix_context=600"});
  for (const char* line : {"requests / tokens / found in the cache", "time to the first token",
                           "with a prefix found", "step: transfer"}) {
    EXPECT_NE(one.out.find(line), std::string::npos) << one.out;
  }
}

}  // namespace
}  // namespace cxlgpu
