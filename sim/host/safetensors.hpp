// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
// Reads the header of a model's file: which tensors it has, and where.
//
// Purpose: what a person brings for workload modelload. Tensors themselves are not looked at, so a
//          file may end with its header.
// Shapes:  8 bytes, little endian: bytes of the JSON text behind them; name of each tensor to its
//          dtype, shape and data_offsets [begin, end) behind the header, and "__metadata__". Plain
//          or compressed.
// Errors:  InputError "FILE: what; what to do": a file that cannot be read, or is cut short; a text
//          that is no such JSON; a tensor whose bytes are not those of its shape; tensors that
//          overlap or leave bytes between them.
// Source:  github.com/huggingface/safetensors, "Format".
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace cxlgpu {

struct Tensor {
  std::string name;
  std::uint64_t offset = 0, bytes = 0;  // of the file
};

struct Safetensors {
  static constexpr std::uint64_t kMostHeaderBytes = 100'000'000;  // the format's own limit
  static constexpr std::uint64_t kMostBytes = 1ULL << 50;

  std::vector<Tensor> tensors;  // by offset; those without bytes are left out
  [[nodiscard]] std::uint64_t file_bytes() const {
    return tensors.empty() ? 0 : tensors.back().offset + tensors.back().bytes;
  }
  // Without those behind the first `count`.
  void keep(std::uint64_t count) {
    if (count < tensors.size()) tensors.resize(count);
  }
};

// "-": standard input.
Safetensors read_safetensors(const std::string& path);

// `count` tensors of a small model, layer by layer: 1024 wide, 16-bit numbers.
Safetensors small_model(std::uint64_t count);

}  // namespace cxlgpu
