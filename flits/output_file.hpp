// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
// Files that are whole or not there, and places that are no files.
//
// Purpose: every file that a command writes goes through here. A regular file is written beside its
//          place under NAME.part and renamed, so that nobody takes an unfinished one for a whole
//          one and an older one stays until the new one is on the disk; a symbolic link is
//          followed. A pipe, a character device and the command's own standard output are written
//          through and never replaced; a folder, a socket and a block device are refused.
// Errors:  OutputError, one line "PATH: cannot be written: why; what to do".
// Signals: remove_unfinished() may be called in a signal handler.
#pragma once

#include <sys/types.h>

#include <filesystem>
#include <stdexcept>
#include <string>
#include <string_view>

#include "flits/message.hpp"

namespace cxlgpu::flits {

struct OutputError : std::runtime_error {
  explicit OutputError(const std::string& message) : std::runtime_error(one_line(message)) {}
};

// Where a file will be, for writers that open it themselves.
class OutputPlace {
 public:
  explicit OutputPlace(const std::filesystem::path& path);
  ~OutputPlace();
  OutputPlace(OutputPlace&& other) noexcept;
  OutputPlace(const OutputPlace&) = delete;
  OutputPlace& operator=(const OutputPlace&) = delete;
  OutputPlace& operator=(OutputPlace&&) = delete;

  // Pipes and devices: what is written is gone at once.
  [[nodiscard]] bool through() const { return part_.empty(); }
  // The file to write; publish() gives it its name.
  [[nodiscard]] const std::string& part() const { return through() ? path_ : part_; }
  [[nodiscard]] const std::string& path() const { return path_; }
  // Another file that goes with an unfinished one, removed with it.
  void removes_too(const std::string& file);
  // The file has its name from here on. Nothing for a place that is written through.
  void publish();
  [[noreturn]] void fail(int error) const;

 private:
  void forget();

  std::string path_, target_, part_, companion_;
  mode_t mode_ = 0;  // of the file that is replaced, 0: none is
};

class OutputFile {
 public:
  explicit OutputFile(const std::filesystem::path& path);
  ~OutputFile();
  OutputFile(OutputFile&& other) noexcept;
  OutputFile(const OutputFile&) = delete;
  OutputFile& operator=(const OutputFile&) = delete;
  OutputFile& operator=(OutputFile&&) = delete;

  void write(std::string_view bytes);
  [[nodiscard]] int descriptor() const { return descriptor_; }
  [[nodiscard]] const std::string& path() const { return place_.path(); }
  [[noreturn]] void fail(int error) const { place_.fail(error); }
  // Every byte is on the disk; the name is not taken yet.
  void finish();
  // finish(), and the file has its name.
  void publish();

 private:
  OutputPlace place_;
  int descriptor_ = -1;
};

// Removes every unfinished file of this process. Safe in a signal handler.
void remove_unfinished() noexcept;

}  // namespace cxlgpu::flits
