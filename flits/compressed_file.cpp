// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
#include "flits/compressed_file.hpp"

#include <archive.h>
#include <archive_entry.h>
#include <fmt/format.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <system_error>
#include <utility>

namespace cxlgpu::flits {

namespace {

constexpr std::array<std::pair<std::string_view, Compression>, 4> kEndings = {
    {{".gz", Compression::Gzip},
     {".zst", Compression::Zstd},
     {".xz", Compression::Xz},
     {".bz2", Compression::Bzip2}}};

}  // namespace

Compression compression_of_name(std::string_view name) {
  for (const auto& [ending, compression] : kEndings) {
    if (name.ends_with(ending)) return compression;
  }
  return Compression::None;
}

std::string_view uncompressed_name(std::string_view name) {
  for (const auto& [ending, compression] : kEndings) {
    if (name.ends_with(ending)) return name.substr(0, name.size() - ending.size());
  }
  return name;
}

CompressedFile::CompressedFile(const std::string& path, Compression compression) : path_(path) {
  if (path != "-") file_.emplace(path);
  if (compression == Compression::None) return;
  compressor_ = archive_write_new();
  archive_entry* entry = archive_entry_new();
  const std::string filter(name(compression));
  const bool ready =
      compressor_ != nullptr && entry != nullptr &&
      archive_write_set_format_raw(compressor_) == 0 &&
      archive_write_add_filter_by_name(compressor_, filter.c_str()) == 0 &&
      // The quickest where that is several times as quick.
      (compression == Compression::Zstd || compression == Compression::Bzip2 ||
       archive_write_set_filter_option(compressor_, filter.c_str(), "compression-level", "1") ==
           0) &&
      // The same text makes the same file.
      (compression != Compression::Gzip ||
       archive_write_set_filter_option(compressor_, "gzip", "timestamp", nullptr) == 0) &&
      archive_write_set_bytes_per_block(compressor_, 0) == 0 &&
      archive_write_open(compressor_, this, nullptr, on_compressed, nullptr) == 0;
  if (ready) archive_entry_set_filetype(entry, AE_IFREG);
  const bool begun = ready && archive_write_header(compressor_, entry) == 0;
  archive_entry_free(entry);
  if (begun) return;
  archive_write_free(std::exchange(compressor_, nullptr));
  if (failed_) std::rethrow_exception(failed_);
  throw OutputError(
      fmt::format("{}: cannot be written: no {} here; give it another ending", path_, filter));
}

CompressedFile::~CompressedFile() {
  if (compressor_ == nullptr) return;
  archive_write_fail(compressor_);  // nothing more of an unfinished one
  archive_write_free(compressor_);
}

void CompressedFile::put(std::string_view compressed) {
  if (file_) return file_->write(compressed);
  while (!compressed.empty()) {
    const ssize_t written = ::write(STDOUT_FILENO, compressed.data(), compressed.size());
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) throw std::system_error(errno, std::generic_category(), "standard output");
    compressed.remove_prefix(static_cast<std::size_t>(written));
  }
}

// No exception passes through libarchive.
long CompressedFile::on_compressed(archive* compressor, void* self, const void* bytes,
                                   std::size_t size) {
  auto& file = *static_cast<CompressedFile*>(self);
  try {
    file.put({static_cast<const char*>(bytes), size});
    return static_cast<long>(size);
  } catch (...) {
    file.failed_ = std::current_exception();
    archive_set_error(compressor, EIO, "write failed");
    return -1;
  }
}

void CompressedFile::check(long state) {
  if (state >= 0) return;
  if (failed_) std::rethrow_exception(failed_);
  throw OutputError(fmt::format("{}: cannot be compressed: {}; give it another ending", path_,
                                archive_error_string(compressor_)));
}

void CompressedFile::write(std::string_view bytes) {
  if (compressor_ == nullptr) return put(bytes);
  while (!bytes.empty()) {
    const la_ssize_t taken = archive_write_data(compressor_, bytes.data(), bytes.size());
    check(taken);
    bytes.remove_prefix(static_cast<std::size_t>(taken));
  }
}

void CompressedFile::publish() {
  if (compressor_ != nullptr) {
    check(archive_write_close(compressor_));
    archive_write_free(std::exchange(compressor_, nullptr));
  }
  if (file_) file_->publish();
}

}  // namespace cxlgpu::flits
