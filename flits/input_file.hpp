// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
// Bytes of a file, plain or gzip, told apart by their content.
//
// Purpose: what the readers of traces, graphs and flit logs have in common. Several gzip members
// one
//          behind the other are one text, as gzip has it; zeros behind the last are padding.
// Errors:  read() returns nothing and problem() says what is wrong with the file.
#pragma once

#include <zlib.h>

#include <array>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

namespace cxlgpu::flits {

class InputFile {
 public:
  // "-": standard input.
  explicit InputFile(const std::string& path);
  ~InputFile();
  InputFile(const InputFile&) = delete;
  InputFile& operator=(const InputFile&) = delete;

  [[nodiscard]] bool is_open() const { return descriptor_ >= 0; }
  // Up to `size` bytes; 0 at the end.
  std::optional<std::size_t> read(char* to, std::size_t size);
  // After a read() without a result.
  [[nodiscard]] std::string_view problem() const { return problem_; }

 private:
  enum class Kind : unsigned char { Unknown, Plain, Gzip };

  bool fill();
  bool look();
  std::optional<std::size_t> unpack(char* to, std::size_t size);
  std::nullopt_t fail(std::string_view problem);

  int descriptor_;
  Kind kind_ = Kind::Unknown;
  bool end_ = false;      // of the file
  bool between_ = false;  // behind a gzip member
  z_stream stream_{};     // next_in, avail_in: bytes read and not yet used
  std::array<unsigned char, std::size_t{1} << 18> buffer_;
  std::string_view problem_;
};

}  // namespace cxlgpu::flits
