// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
// What workload prefix does: a model's shape, its cache of prefixes, the requests, a GPU's rates.
//
// Purpose: values of the keys workload.prefix_*, read by ConfigLoader.
// Units:   10^12 operations and 10^9 bytes a second, microseconds, bits.
// Errors:  none here; a key out of range, unknown or missing is ConfigLoader's.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

#include "sim/io/io_config.hpp"

namespace cxlgpu {

// A decoder of language whose feed-forward part is gated: three matrices of hidden by ffn.
struct ModelShape {
  unsigned layers = 28;
  unsigned hidden = 3584, ffn = 18944;
  unsigned query_heads = 28, kv_heads = 4, head_size = 128;
  std::uint64_t vocabulary = 152064;
  unsigned weight_bits = 16;
};

struct GpuRates {
  double tflops = 148;  // of matrices
  double memory_gb_s = 4000;
};

// Idle: when the request before it has its first token. Trace: when the trace says.
enum class PrefixArrivals : std::uint8_t { Idle, Trace };
inline constexpr std::array<std::string_view, 2> kPrefixArrivalsNames = {"idle", "trace"};

// Requests that are drawn: turns of question and answer over documents.
struct PrefixDrawn {
  std::uint64_t context = 4096;  // tokens of a document
  unsigned turns = 4;            // of one document
  unsigned question = 128;       // tokens that each turn adds
  std::uint64_t gap_us = 0;      // from one request to the next, of PrefixArrivals::Trace
};

struct PrefixWork {
  ModelShape model;
  GpuRates gpu;
  unsigned tokens = 512;  // of a block
  unsigned kv_bits = 16;  // of a number of a key or value
  KvLayout layout = KvLayout::Whole;
  std::uint64_t merge_bytes = 0;   // of a call for several blocks; 0: one for each
  unsigned batch = 256;            // I/Os handed over at once
  std::uint64_t cache_blocks = 0;  // that the cache holds; 0: all of the requests
  bool overlap = false;            // a layer is computed once its keys and values are there
  std::uint64_t overhead_us = 0;   // of the serving system, for each request
  PrefixArrivals arrivals = PrefixArrivals::Idle;
  PrefixDrawn drawn;
  std::uint64_t seed = 1;

  // Of the blocks' parts, layouts and merging, as workload kvload has them.
  [[nodiscard]] KvLoadWork kv() const {
    KvLoadWork kv;
    kv.tokens = tokens;
    kv.heads = model.kv_heads;
    kv.head_size = model.head_size;
    kv.bits = kv_bits;
    kv.layers = model.layers;
    kv.layout = layout;
    kv.merge_bytes = merge_bytes;
    kv.batch = batch;
    return kv;
  }
  [[nodiscard]] std::uint64_t block_bytes() const { return kv().part_bytes() * model.layers; }
};

}  // namespace cxlgpu
