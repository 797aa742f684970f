// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
// Reads which blocks of a key-value cache language models' requests use, from a trace as it is
// published.
//
// Purpose: what a person brings for the workloads that load KV caches.
// Shapes:  told apart by the first line that is not blank, plain or compressed:
//          Phoenix    "Seq1 (conversation id: ID):", then a line a round, "Round 1-human: [0, 1]"
//                     with the numbers of its blocks; a request is a sequence with all its rounds
//          Mooncake   a JSON object a line: timestamp (ms), input_length, output_length (tokens),
//                     hash_ids; a number stands for 512 tokens and all before them, so that the
//                     same number is the same block
// Units:   memory grows with what the file holds, 8 bytes a block.
// Errors:  InputError "FILE:LINE: what; what to do".
// Source:  github.com/nicexlab/phoenix, benchmarks/kvcache/traces; github.com/kvcache-ai/Mooncake,
//          FAST25-release.
#pragma once

#include <atomic>
#include <cstdint>
#include <string>
#include <vector>

namespace cxlgpu {

struct KvRequest {
  std::vector<std::uint64_t> blocks;                  // in the order of the tokens
  std::uint64_t input_tokens = 0, output_tokens = 0;  // 0: not in the trace
  std::uint64_t at_us = 0;                            // when it arrives; 0: likewise
};

struct KvTrace {
  static constexpr std::uint64_t kMostBlocks = 1ULL << 32;  // block numbers are below
  static constexpr std::uint64_t kMostReferences = 1ULL << 27;

  // Whether requests share blocks: then one is in the cache once a request before has named it,
  // else from the start.
  bool shared = false;
  std::vector<KvRequest> requests;
  std::uint64_t blocks = 0;      // one more than the highest number
  std::uint64_t references = 0;  // blocks of all requests together

  // Drops requests beyond the first `count`. Blocks stay as many: a file of them is the same.
  void keep(std::uint64_t count);
  // What of each request is in the cache.
  [[nodiscard]] std::vector<std::vector<std::uint64_t>> cached() const;
};

// "-": standard input. `stop` as of InputFile.
KvTrace read_kv_trace(const std::string& path, const std::atomic<int>* stop = nullptr);

// As many conversations at a time that draw blocks from one pool in turn, so that those of one lie
// scattered in short runs.
KvTrace drawn_kv_trace(std::uint64_t seed, std::uint64_t requests);

}  // namespace cxlgpu
