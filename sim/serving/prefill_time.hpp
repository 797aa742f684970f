// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
// How long a GPU takes to compute the tokens of a prompt that no cache has.
//
// Purpose: a roofline: operations of a model's matrices and of attention over a GPU's rate, or the
//          bytes of weights, keys and values over its memory's, whichever is longer. Nothing is
//          fitted, so it is the least that it can take.
// Rules:   of `fresh` tokens behind `held` others, a layer multiplies each by its matrices, and
//          each attends to all up to itself, in two products. The first token needs the last
//          layer's last row alone multiplied by the vocabulary.
// Errors:  none.
#pragma once

#include <cstdint>

#include "common/time.hpp"
#include "sim/serving/prefix_config.hpp"

namespace cxlgpu {

// Of one layer: numbers of its matrices; operations.
[[nodiscard]] double layer_weights(const ModelShape& model);
[[nodiscard]] double layer_operations(const ModelShape& model, std::uint64_t fresh,
                                      std::uint64_t held);

struct PrefillTime {
  Time layer, head;  // of each layer; of the vocabulary
};
// Precondition: a fresh token.
[[nodiscard]] PrefillTime prefill_time(const PrefixWork& work, std::uint64_t fresh,
                                       std::uint64_t held);

}  // namespace cxlgpu
