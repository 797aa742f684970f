// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
#include "sim/media/image.hpp"

#include <fmt/format.h>
#include <zlib.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <fstream>
#include <memory>
#include <new>

#include "common/input_error.hpp"

namespace cxlgpu {

namespace {

constexpr std::array<char, 8> kMagic = {'C', 'X', 'L', 'G', 'P', 'U', 'I', 'M'};
constexpr std::uint32_t kVersion = 3;
constexpr std::size_t kHead = 24;  // magic, version, 4 bytes of zero, length when unpacked
constexpr std::size_t kChunk = std::size_t{1} << 26;  // zlib counts in 32 bits

std::uint64_t little(const std::uint8_t* from, unsigned size) {
  std::uint64_t value = 0;
  for (unsigned i = 0; i < size; ++i) value |= std::uint64_t{from[i]} << 8 * i;
  return value;
}

}  // namespace

void ImageWriter::write_to(const std::filesystem::path& path) const {
  flits::OutputFile file(path);
  write_to(file);
  file.publish();
}

void ImageWriter::write_to(flits::OutputFile& file) const {
  ImageWriter head;
  for (const char c : kMagic) head.u8(static_cast<std::uint8_t>(c));
  head.u32(kVersion);
  head.u32(0);
  head.u64(bytes_.size());
  const auto write = [&file](const std::uint8_t* from, std::size_t size) {
    file.write({reinterpret_cast<const char*>(from), size});
  };
  write(head.bytes_.data(), kHead);

  z_stream z{};
  if (deflateInit(&z, Z_BEST_SPEED) != Z_OK) throw std::bad_alloc();
  const std::unique_ptr<z_stream, int (*)(z_stream*)> ended(&z, &deflateEnd);
  std::vector<std::uint8_t> packed(std::size_t{1} << 18);
  std::size_t at = 0;
  int state = Z_OK;
  while (state != Z_STREAM_END) {
    if (z.avail_in == 0 && at < bytes_.size()) {
      z.next_in = const_cast<Bytef*>(bytes_.data() + at);
      z.avail_in = static_cast<uInt>(std::min(kChunk, bytes_.size() - at));
      at += z.avail_in;
    }
    z.next_out = packed.data();
    z.avail_out = static_cast<uInt>(packed.size());
    state = deflate(&z, at == bytes_.size() ? Z_FINISH : Z_NO_FLUSH);
    write(packed.data(), packed.size() - z.avail_out);
  }
  file.finish();
}

ImageReader::ImageReader(std::filesystem::path file) : file_(std::move(file)) {
  std::ifstream in(file_, std::ios::binary);
  if (!in) fail("the image cannot be read; check its path");
  const std::vector<char> raw((std::istreambuf_iterator<char>(in)),
                              std::istreambuf_iterator<char>());
  const auto* data = reinterpret_cast<const std::uint8_t*>(raw.data());
  if (raw.size() < kHead || std::memcmp(raw.data(), kMagic.data(), kMagic.size()) != 0) {
    fail("the file is no image of a part; name one that a run has saved");
  }
  if (const std::uint64_t version = little(data + 8, 4); version != kVersion) {
    fail(fmt::format("the image is of version {}, this program knows {}; make a new one", version,
                     kVersion));
  }
  const std::uint64_t length = little(data + 16, 8);
  // zlib packs at most about 1030 to 1: a longer length is damage, not something to allocate.
  if (little(data + 12, 4) != 0 || length / 1100 > raw.size()) {
    fail("the image is damaged; use a copy or make a new one");
  }
  bytes_.resize(length);
  z_stream z{};
  if (inflateInit(&z) != Z_OK) fail("the image cannot be unpacked; free some memory");
  std::size_t from = kHead, to = 0;
  int state = Z_OK;
  std::uint8_t spill = 0;  // what comes after the length, if anything does
  while (state == Z_OK) {
    if (z.avail_in == 0) {
      z.next_in = const_cast<Bytef*>(data + from);
      z.avail_in = static_cast<uInt>(std::min(kChunk, raw.size() - from));
      from += z.avail_in;
    }
    const std::size_t room = std::min(kChunk, bytes_.size() - to);
    z.next_out = room > 0 ? bytes_.data() + to : &spill;
    z.avail_out = room > 0 ? static_cast<uInt>(room) : 1;
    const uInt before = z.avail_out;
    state = inflate(&z, Z_NO_FLUSH);
    if (room == 0 && z.avail_out == 0) state = Z_DATA_ERROR;
    if (room > 0) to += before - z.avail_out;
  }
  const bool whole =
      state == Z_STREAM_END && to == bytes_.size() && z.avail_in == 0 && from == raw.size();
  inflateEnd(&z);
  if (!whole) fail("the image is damaged; use a copy or make a new one");
}

void ImageReader::fail(const std::string& what_and_remedy) const {
  throw InputError(fmt::format("{}: {}", file_.string(), what_and_remedy));
}

std::uint64_t ImageReader::number(unsigned size) {
  if (bytes_.size() - at_ < size) fail("the image ends early; make a new one");
  const std::uint64_t value = little(bytes_.data() + at_, size);
  at_ += size;
  return value;
}

std::uint32_t ImageReader::below(std::uint32_t limit) {
  const std::uint32_t value = u32();
  if (value >= limit) fail("the image contradicts itself; make a new one");
  return value;
}

std::uint8_t ImageReader::below_u8(std::uint8_t limit) {
  const std::uint8_t value = u8();
  if (value >= limit) fail("the image contradicts itself; make a new one");
  return value;
}

void ImageReader::bytes(std::span<std::uint8_t> to) {
  if (bytes_.size() - at_ < to.size()) fail("the image ends early; make a new one");
  std::copy_n(bytes_.begin() + static_cast<std::ptrdiff_t>(at_), to.size(), to.begin());
  at_ += to.size();
}

void ImageReader::finish() const {
  if (at_ != bytes_.size()) fail("the image holds more than this part; use the part that made it");
}

}  // namespace cxlgpu
