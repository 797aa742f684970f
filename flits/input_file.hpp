// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
// Bytes of a file, plain or compressed, told apart by their content.
//
// Purpose: what the readers of traces, graphs and flit logs have in common. Several compressed
//          files one behind the other are one text, as their tools have it; zeros behind the last
//          gzip member are padding. Anything else behind is an error, and so are a wrong check sum
//          and an end before its time.
// Shapes:  memory has one size, whatever a file decompresses to: a buffer, and what its compression
//          looks back to, kWindowBytes at most. A file that wants more is refused.
// Errors:  read() returns nothing and problem() says what is wrong with the file.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

namespace cxlgpu::flits {

enum class Compression : std::uint8_t { None, Gzip, Zstd, Xz, Bzip2 };
// As its tool is called; of None "plain".
std::string_view name(Compression compression);

namespace detail {
class RawInput;
class Decompressor;
}  // namespace detail

class InputFile {
 public:
  static constexpr std::size_t kWindowBytes = std::size_t{128} << 20;

  // "-": standard input. `stop`: not 0 once who waits for more of a pipe or a device need not wait
  // any longer; null: never.
  explicit InputFile(const std::string& path, const std::atomic<int>* stop = nullptr);
  ~InputFile();
  InputFile(const InputFile&) = delete;
  InputFile& operator=(const InputFile&) = delete;

  [[nodiscard]] bool is_open() const;
  // Up to `size` bytes; 0 at the end, and when it is stopped.
  std::optional<std::size_t> read(char* to, std::size_t size);
  // Whether the end that read() came to is only that of the waiting.
  [[nodiscard]] bool stopped() const;
  // After a read() without a result.
  [[nodiscard]] std::string_view problem() const { return problem_; }
  // Known once something was read.
  [[nodiscard]] Compression compression() const { return compression_; }

  // Whether rewind() can be: of a file, not of a pipe or a device.
  [[nodiscard]] bool rewinds() const;
  // To where it was when it was opened. False: it cannot be, and nothing has changed.
  bool rewind();

 private:
  bool look();

  std::unique_ptr<detail::RawInput> raw_;
  std::unique_ptr<detail::Decompressor> decompressor_;  // null: nothing was read yet
  Compression compression_ = Compression::None;
  std::string problem_;
};

}  // namespace cxlgpu::flits
