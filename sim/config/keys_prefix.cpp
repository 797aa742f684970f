// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
// Keys of what workload prefix does. "MMA" is the MultiPath Transfer Engine's paper; shapes are
// from the model's config.json on huggingface.co.
#include "sim/config/key_rows.hpp"

namespace cxlgpu {

namespace {

constexpr std::uint64_t kGiB = 1024 * kMiB;
constexpr const char* kShape = "Qwen/Qwen2.5-7B-Instruct, of MMA's figure 15";

template <typename Member>
ConfigKey shape_row(const char* path, const char* unit, std::uint64_t most, const char* meaning,
                    Member member) {
  return row({path, unit, between(1, most), meaning, kShape}, member);
}

void add_shape(std::vector<ConfigKey>& keys) {
  keys.push_back(shape_row("workload.prefix_layers", "layers", 1024, "Layers of prefix's model.",
                           CXLGPU_MEMBER(workload.prefix.model.layers)));
  keys.push_back(shape_row("workload.prefix_hidden", "numbers", 1 << 20,
                           "A token between the layers of prefix's model.",
                           CXLGPU_MEMBER(workload.prefix.model.hidden)));
  keys.push_back(shape_row("workload.prefix_ffn", "numbers", 1 << 20,
                           "A token within the feed-forward part, which is gated.",
                           CXLGPU_MEMBER(workload.prefix.model.ffn)));
  keys.push_back(shape_row("workload.prefix_query_heads", "heads", 1024,
                           "Heads of attention of prefix's model.",
                           CXLGPU_MEMBER(workload.prefix.model.query_heads)));
  keys.push_back(shape_row("workload.prefix_kv_heads", "heads", 1024,
                           "Those of them that have keys and values of their own.",
                           CXLGPU_MEMBER(workload.prefix.model.kv_heads)));
  keys.push_back(shape_row("workload.prefix_head_size", "numbers", 4096,
                           "A query, a key and a value, of one head and token.",
                           CXLGPU_MEMBER(workload.prefix.model.head_size)));
  keys.push_back(shape_row("workload.prefix_vocabulary", "tokens", 1 << 24,
                           "Tokens that prefix's model knows.",
                           CXLGPU_MEMBER(workload.prefix.model.vocabulary)));
  keys.push_back(row(
      {"workload.prefix_weight_bits", "bits", between(1, 64), "A number of its weights.", "BF16"},
      CXLGPU_MEMBER(workload.prefix.model.weight_bits)));
  keys.push_back(row({"workload.prefix_kv_bits", "bits", between(1, 64),
                      "A number of a key or value in the cache.", "BF16"},
                     CXLGPU_MEMBER(workload.prefix.kv_bits)));
}

void add_gpu(std::vector<ConfigKey>& keys) {
  keys.push_back(row({"workload.prefix_tflops", "10^12 operations/s", decimal(0.1, 1e6),
                      "What the GPU of prefix computes of matrices, at its most.",
                      "NVIDIA H20, of MMA's testbed: data sheet, BF16 without sparsity"},
                     CXLGPU_MEMBER(workload.prefix.gpu.tflops)));
  keys.push_back(row({"workload.prefix_memory_gb_s", "GB/s", decimal(0.1, 1e6),
                      "Memory of the GPU of prefix, at its most.", "NVIDIA H20: data sheet"},
                     CXLGPU_MEMBER(workload.prefix.gpu.memory_gb_s)));
  keys.push_back(row({"workload.prefix_overlap", "", flag(),
                      "A layer of prefix is computed once its keys and values are there; else once "
                      "all are.",
                      "this design; vLLM with LMCache: false"},
                     CXLGPU_MEMBER(workload.prefix.overlap)));
  keys.push_back(
      row({"workload.prefix_overhead_us", "us", between(0, kMostUs),
           "Of the serving system for each request of prefix, before it fetches.", "open"},
          CXLGPU_MEMBER(workload.prefix.overhead_us)));
}

void add_cache(std::vector<ConfigKey>& keys) {
  keys.push_back(row({"workload.prefix_tokens", "tokens", between(1, 65536),
                      "A block of prefix's cache.", "Mooncake's traces"},
                     CXLGPU_MEMBER(workload.prefix.tokens)));
  keys.push_back(
      row({"workload.prefix_cache_blocks", "blocks", between(0, 1ULL << 32),
           "Blocks that the cache holds; the least recently used go; 0: all of the trace's.",
           "this design"},
          CXLGPU_MEMBER(workload.prefix.cache_blocks)));
  keys.push_back(
      row({"workload.prefix_layout", "", one_of({kKvLayoutNames.begin(), kKvLayoutNames.end()}),
           "What lies together in prefix's cache: the blocks of a layer; the layers of a "
           "block, still fetched layer by layer; or those, fetched whole.",
           "LMCache: a chunk of tokens with all layers"},
          CXLGPU_MEMBER(workload.prefix.layout)));
  keys.push_back(row({"workload.prefix_merge_bytes", "bytes", between(0, 16 * kGiB),
                      "Neighbours in prefix's cache are one copy, or I/O, of at most this; 0: each "
                      "is one.",
                      "LMCache: chunk by chunk"},
                     CXLGPU_MEMBER(workload.prefix.merge_bytes)));
  keys.push_back(
      row({"workload.prefix_batch", "I/Os", between(1, 65536),
           "I/Os of prefix that are handed over at once; copies are one after the other.",
           "this design"},
          CXLGPU_MEMBER(workload.prefix.batch)));
}

void add_requests(std::vector<ConfigKey>& keys) {
  keys.push_back(
      row({"workload.prefix_arrivals", "",
           one_of({kPrefixArrivalsNames.begin(), kPrefixArrivalsNames.end()}),
           "When a request of prefix arrives: once the one before it has its first token, or when "
           "the trace says.",
           "MMA, 5.2.1: a mean over turns, not under load"},
          CXLGPU_MEMBER(workload.prefix.arrivals)));
  keys.push_back(row({"workload.prefix_context", "tokens", between(1, 1 << 24),
                      "A document that drawn requests of prefix ask about.",
                      "MMA, 5.2.1: 16 to 64 Ki; scaled down"},
                     CXLGPU_MEMBER(workload.prefix.drawn.context)));
  keys.push_back(row({"workload.prefix_turns", "requests", between(1, 1 << 20),
                      "Drawn requests about one document.", "this design"},
                     CXLGPU_MEMBER(workload.prefix.drawn.turns)));
  keys.push_back(row(
      {"workload.prefix_question", "tokens", between(1, 1 << 20),
       "What each drawn request adds to its document's.", "this design; of MMA's it is not said"},
      CXLGPU_MEMBER(workload.prefix.drawn.question)));
  keys.push_back(
      row({"workload.prefix_gap_us", "us", between(0, kMostUs),
           "From a drawn request to the next, of workload.prefix_arrivals trace.", "this design"},
          CXLGPU_MEMBER(workload.prefix.drawn.gap_us)));
}

}  // namespace

std::vector<ConfigKey> prefix_keys() {
  std::vector<ConfigKey> keys;
  add_shape(keys);
  add_gpu(keys);
  add_cache(keys);
  add_requests(keys);
  return keys;
}

}  // namespace cxlgpu
