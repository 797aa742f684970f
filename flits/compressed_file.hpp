// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
// A file that is written compressed if its name says so.
//
// Purpose: every long output of a command: flit logs, events, requests, timelines, traces.
// Shapes:  .gz, .zst, .xz and .bz2 at the end of a name; any other is plain. All but .zst have a
//          check sum. Whole or not there,
// and
//          pipes and devices written through, as output_file.hpp has it. "-" is standard output.
// Errors:  OutputError; of standard output, whose reader may have gone, std::system_error.
#pragma once

#include <exception>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "flits/input_file.hpp"
#include "flits/output_file.hpp"

struct archive;

namespace cxlgpu::flits {

[[nodiscard]] Compression compression_of_name(std::string_view name);
// Without the ending that compression_of_name() goes by.
[[nodiscard]] std::string_view uncompressed_name(std::string_view name);

class CompressedFile {
 public:
  explicit CompressedFile(const std::string& path)
      : CompressedFile(path, compression_of_name(path)) {}
  CompressedFile(const std::string& path, Compression compression);
  ~CompressedFile();
  CompressedFile(const CompressedFile&) = delete;
  CompressedFile& operator=(const CompressedFile&) = delete;

  void write(std::string_view bytes);
  // Every byte is on the disk, and the file has its name.
  void publish();

 private:
  void put(std::string_view compressed);
  void check(long state);
  static long on_compressed(archive*, void* self, const void* bytes, std::size_t size);

  std::string path_;
  std::optional<OutputFile> file_;  // none: standard output
  archive* compressor_ = nullptr;   // null: plain
  std::exception_ptr failed_;       // of a write, while libarchive was in between
};

}  // namespace cxlgpu::flits
