// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
// What the fuzz targets share: bytes as a file with a name, and bytes as a stream of numbers.
//
// Purpose: readers take paths; a file in memory costs no disk. A target is the function that
//          libFuzzer calls (LLVMFuzzerTestOneInput); the ordinary build calls it with the kept
//          corpus.
// Errors:  std::runtime_error if the system gives no file in memory.
#pragma once

#include <sys/mman.h>
#include <unistd.h>

#include <cstddef>
#include <cstdint>
#include <span>
#include <stdexcept>
#include <string>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size);

namespace cxlgpu::fuzz {

class MemoryFile {
 public:
  explicit MemoryFile(std::span<const std::uint8_t> bytes) : fd_(memfd_create("input", 0)) {
    if (fd_ < 0) throw std::runtime_error("memfd_create");
    while (!bytes.empty()) {
      const ssize_t n = write(fd_, bytes.data(), bytes.size());
      if (n <= 0) throw std::runtime_error("write");
      bytes = bytes.subspan(static_cast<std::size_t>(n));
    }
  }
  ~MemoryFile() { close(fd_); }
  MemoryFile(const MemoryFile&) = delete;
  MemoryFile& operator=(const MemoryFile&) = delete;

  [[nodiscard]] std::string path() const { return "/proc/self/fd/" + std::to_string(fd_); }

 private:
  int fd_;
};

// Numbers out of bytes, little endian; zero behind the end.
class Numbers {
 public:
  explicit Numbers(std::span<const std::uint8_t> bytes) : bytes_(bytes) {}
  [[nodiscard]] bool empty() const { return bytes_.empty(); }
  std::uint64_t take(unsigned size) {
    std::uint64_t value = 0;
    for (unsigned i = 0; i < size && !bytes_.empty(); ++i) {
      value |= std::uint64_t{bytes_.front()} << 8 * i;
      bytes_ = bytes_.subspan(1);
    }
    return value;
  }

 private:
  std::span<const std::uint8_t> bytes_;
};

}  // namespace cxlgpu::fuzz
