// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
// Kernels that more than one workload launches, with the arrays they work on.
//
// Purpose: a workload that is made of others (gnn, mri) runs their kernels, not copies of them.
//          Each is defined in the file of the workload that it is the whole of.
// Shapes:  lanes, layout and instruction counts stand with the definitions. Matrices are column by
//          column: element (row r, column c) of one with n rows at c * n + r.
// Errors:  none.
#pragma once

#include <cstdint>

#include "sim/gpu/device_array.hpp"
#include "sim/gpu/gpu_config.hpp"
#include "sim/gpu/warp.hpp"

namespace cxlgpu {

// sum = a + b, element by element (vadd.cpp).
struct VectorSum {
  DeviceArray<float> a, b, sum;
  std::uint32_t unroll = 1;
};
WarpTask vector_sum(Warp& w, VectorSum arrays, Distribution distribution);

// product = left * right, left with `rows` rows and `inner` columns (gemm.cpp).
struct MatrixProduct {
  DeviceArray<float> left, right, product;
  std::uint64_t rows = 0, inner = 0, columns = 0;
  std::uint32_t unroll = 1;
};
WarpTask matrix_product(Warp& w, MatrixProduct arrays, Distribution distribution);

// out = picture convolved with 3 x 3 weights (conv3.cpp). The picture has a border of one element
// all round; row by row, `edge` elements to a row of the result.
struct Convolution {
  DeviceArray<float> picture, weights, out;
  std::uint64_t edge = 0;

  // Where weight k falls for the result at (row, column).
  [[nodiscard]] std::uint64_t under(std::uint64_t row, std::uint64_t column,
                                    std::uint64_t k) const {
    return (row + k / 3) * (edge + 2) + column + k % 3;
  }
};
WarpTask convolution(Warp& w, Convolution arrays, Distribution distribution);

// Stable sort of pieces of an array, keys.size a multiple of `piece`; an element's place is its
// rank among the keys of its piece, what is put there its payload, which may be the key (sort.cpp).
struct RankSort {
  DeviceArray<std::int32_t> keys, payload, out;
  std::uint64_t piece = 1;
};
WarpTask rank_sort(Warp& w, RankSort arrays, Distribution distribution);

}  // namespace cxlgpu
