// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
#include "sim/serving/prefill_time.hpp"

#include <algorithm>
#include <cmath>

namespace cxlgpu {

namespace {

double number(std::uint64_t n) {
  return static_cast<double>(n);
}

// 10^12 operations a second are one a picosecond, and 10^9 bytes 1/1000.
Time longer(const GpuRates& gpu, double operations, double bytes) {
  const double ps = std::max(operations / gpu.tflops, bytes * 1000 / gpu.memory_gb_s);
  return Time{static_cast<std::uint64_t>(std::ceil(ps))};
}

}  // namespace

double layer_weights(const ModelShape& model) {
  const double queries = number(model.query_heads) * model.head_size;
  const double keys = number(model.kv_heads) * model.head_size;
  const double hidden = number(model.hidden);
  return 2 * hidden * queries + 2 * hidden * keys + 3 * hidden * model.ffn;
}

double layer_operations(const ModelShape& model, std::uint64_t fresh, std::uint64_t held) {
  const double pairs = number(fresh) * number(held) + number(fresh) * (number(fresh) + 1) / 2;
  return 2 * number(fresh) * layer_weights(model) +
         4 * number(model.query_heads) * model.head_size * pairs;
}

PrefillTime prefill_time(const PrefixWork& work, std::uint64_t fresh, std::uint64_t held) {
  const ModelShape& model = work.model;
  const double weight = model.weight_bits / 8.0;
  const double keys =
      number(fresh + held) * 2 * model.kv_heads * model.head_size * work.kv_bits / 8;
  const double head = number(model.hidden) * number(model.vocabulary);
  return {
      longer(work.gpu, layer_operations(model, fresh, held), layer_weights(model) * weight + keys),
      longer(work.gpu, 2 * head, head * weight)};
}

}  // namespace cxlgpu
