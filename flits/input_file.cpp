// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
#include "flits/input_file.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

namespace cxlgpu::flits {

namespace {

constexpr int kGzip = 16 + MAX_WBITS;
constexpr unsigned char kMagic[2] = {0x1f, 0x8b};

}  // namespace

InputFile::InputFile(const std::string& path)
    : descriptor_(path == "-" ? dup(STDIN_FILENO) : open(path.c_str(), O_RDONLY | O_CLOEXEC)) {}

InputFile::~InputFile() {
  if (kind_ == Kind::Gzip) inflateEnd(&stream_);
  if (descriptor_ >= 0) close(descriptor_);
}

std::nullopt_t InputFile::fail(std::string_view problem) {
  problem_ = problem;
  return std::nullopt;
}

// More bytes behind those that wait. False if the file cannot be read.
bool InputFile::fill() {
  std::memmove(buffer_.data(), stream_.next_in, stream_.avail_in);
  stream_.next_in = buffer_.data();
  ssize_t got = 0;
  do {
    got = ::read(descriptor_, buffer_.data() + stream_.avail_in, buffer_.size() - stream_.avail_in);
  } while (got < 0 && errno == EINTR);
  if (got < 0) return false;
  end_ = got == 0;
  stream_.avail_in += static_cast<uInt>(got);
  return true;
}

// What the file is, by its first two bytes.
bool InputFile::look() {
  stream_.next_in = buffer_.data();
  while (stream_.avail_in < 2 && !end_) {
    if (!fill()) return false;
  }
  kind_ = Kind::Plain;
  if (stream_.avail_in < 2 || std::memcmp(stream_.next_in, kMagic, 2) != 0) return true;
  if (inflateInit2(&stream_, kGzip) != Z_OK) return false;
  kind_ = Kind::Gzip;
  return true;
}

std::optional<std::size_t> InputFile::read(char* to, std::size_t size) {
  if (kind_ == Kind::Unknown && !look()) return fail("file cannot be read");
  if (kind_ == Kind::Gzip) return unpack(to, size);
  if (stream_.avail_in == 0 && !end_ && !fill()) return fail("file cannot be read");
  const std::size_t n = std::min<std::size_t>(size, stream_.avail_in);
  std::copy_n(stream_.next_in, n, to);
  stream_.next_in += n;
  stream_.avail_in -= static_cast<uInt>(n);
  return n;
}

std::optional<std::size_t> InputFile::unpack(char* to, std::size_t size) {
  stream_.next_out = reinterpret_cast<Bytef*>(to);
  stream_.avail_out = static_cast<uInt>(size);
  while (stream_.avail_out == size) {
    if (stream_.avail_in < 2 && !end_ && !fill()) return fail("file cannot be read");
    if (between_) {
      if (stream_.avail_in == 0 && end_) return 0;
      if (stream_.avail_in >= 2 && std::memcmp(stream_.next_in, kMagic, 2) == 0) {
        if (inflateReset(&stream_) != Z_OK) return fail("gzip data is damaged");
        between_ = false;
        continue;
      }
      if (*stream_.next_in != 0) return fail("something that is no gzip data follows it");
      ++stream_.next_in;
      --stream_.avail_in;
      continue;
    }
    if (stream_.avail_in == 0 && end_) return fail("gzip data is cut short");
    const int state = inflate(&stream_, Z_NO_FLUSH);
    if (state == Z_STREAM_END) {
      between_ = true;
    } else if (state != Z_OK && state != Z_BUF_ERROR) {
      return fail("gzip data is damaged");
    }
  }
  return size - stream_.avail_out;
}

}  // namespace cxlgpu::flits
