// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
#include "flits/input_file.hpp"

#include <archive.h>
#include <archive_entry.h>
#include <fcntl.h>
#include <poll.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <span>

namespace cxlgpu::flits {

namespace {

using Bytes = std::span<const unsigned char>;

constexpr std::array<std::pair<Compression, std::string_view>, 4> kMagics = {
    {{Compression::Gzip, "\x1f\x8b"},
     {Compression::Zstd, "\x28\xb5\x2f\xfd"},
     {Compression::Xz, std::string_view("\xfd\x37zXZ\0", 6)},
     {Compression::Bzip2, "BZh"}}};
constexpr std::size_t kLongestMagic = 6;

bool begins(Bytes bytes, std::string_view magic) {
  return bytes.size() >= magic.size() && std::memcmp(bytes.data(), magic.data(), magic.size()) == 0;
}

}  // namespace

std::string_view name(Compression compression) {
  constexpr std::array<std::string_view, 5> kNames = {"plain", "gzip", "zstd", "xz", "bzip2"};
  return kNames[static_cast<std::size_t>(compression)];
}

namespace detail {

// What a file holds, in pieces.
class RawInput {
 public:
  RawInput(const std::string& path, const std::atomic<int>* stop)
      : descriptor_(path == "-" ? dup(STDIN_FILENO) : open(path.c_str(), O_RDONLY | O_CLOEXEC)),
        stop_(stop) {
    struct stat about {};
    if (descriptor_ < 0 || fstat(descriptor_, &about) != 0 || !S_ISREG(about.st_mode)) return;
    start_ = lseek(descriptor_, 0, SEEK_CUR);
  }
  ~RawInput() {
    if (descriptor_ >= 0) close(descriptor_);
  }
  RawInput(const RawInput&) = delete;
  RawInput& operator=(const RawInput&) = delete;

  [[nodiscard]] bool is_open() const { return descriptor_ >= 0; }
  [[nodiscard]] bool rewinds() const { return start_ >= 0; }
  bool rewind() {
    if (!rewinds() || lseek(descriptor_, start_, SEEK_SET) != start_) return false;
    waiting_ = {};
    end_ = false;
    return true;
  }
  // Read and not taken.
  [[nodiscard]] Bytes waiting() const { return waiting_; }
  [[nodiscard]] bool at_end() const { return end_ && waiting_.empty(); }
  [[nodiscard]] bool ended() const { return end_; }
  [[nodiscard]] bool stopped() const { return stopped_; }
  void take(std::size_t n) { waiting_ = waiting_.subspan(n); }
  // More bytes behind those that wait. False if the file cannot be read.
  bool fill() {
    if (end_) return true;
    if (!has_more()) {
      end_ = stopped_ = true;
      return true;
    }
    const std::size_t kept = waiting_.size();
    if (kept != 0) std::memmove(buffer_.data(), waiting_.data(), kept);
    ssize_t got = 0;
    do {
      got = ::read(descriptor_, buffer_.data() + kept, buffer_.size() - kept);
    } while (got < 0 && errno == EINTR);
    waiting_ = Bytes(buffer_.data(), kept + static_cast<std::size_t>(std::max<ssize_t>(got, 0)));
    end_ = got == 0;
    return got >= 0;
  }

 private:
  // Waits until there is something to read, be it the end or an error. False: it is stopped. A
  // signal between a look at `stop_` and the wait would not wake it, so it looks again.
  [[nodiscard]] bool has_more() const {
    constexpr int kLookAgainMs = 100;
    if (stop_ == nullptr || rewinds()) return true;
    for (;;) {
      if (stop_->load(std::memory_order_relaxed) != 0) return false;
      pollfd waits = {.fd = descriptor_, .events = POLLIN, .revents = 0};
      const int ready = poll(&waits, 1, kLookAgainMs);
      if (ready > 0 || (ready < 0 && errno != EINTR)) return true;
    }
  }

  int descriptor_;
  const std::atomic<int>* stop_;
  bool stopped_ = false;
  off_t start_ = -1;  // of a file
  bool end_ = false;  // nothing is behind what waits
  Bytes waiting_;
  std::array<unsigned char, std::size_t{1} << 18> buffer_;
};

class Decompressor {
 public:
  virtual ~Decompressor() = default;
  // As InputFile::read().
  virtual std::optional<std::size_t> read(char* to, std::size_t size) = 0;
  [[nodiscard]] const std::string& problem() const { return problem_; }

 protected:
  explicit Decompressor(RawInput& raw) : raw_(raw) {}
  std::nullopt_t fail(std::string problem) {
    problem_ = std::move(problem);
    return std::nullopt;
  }
  std::nullopt_t unreadable() { return fail("file cannot be read"); }

  RawInput& raw_;

 private:
  std::string problem_;
};

namespace {

class Plain : public Decompressor {
 public:
  explicit Plain(RawInput& raw) : Decompressor(raw) {}
  std::optional<std::size_t> read(char* to, std::size_t size) override {
    if (raw_.waiting().empty() && !raw_.fill()) return unreadable();
    const std::size_t n = std::min(size, raw_.waiting().size());
    std::copy_n(raw_.waiting().data(), n, to);
    raw_.take(n);
    return n;
  }
};

// By zlib itself: libarchive does not look at a member's check sum, nor at what is behind the last.
class Gzip : public Decompressor {
 public:
  explicit Gzip(RawInput& raw) : Decompressor(raw) {
    ready_ = inflateInit2(&stream_, kGzip) == Z_OK;
  }
  ~Gzip() override {
    if (ready_) inflateEnd(&stream_);
  }
  std::optional<std::size_t> read(char* to, std::size_t size) override {
    if (!ready_) return fail("there is no memory to decompress gzip data");
    stream_.next_out = reinterpret_cast<Bytef*>(to);
    stream_.avail_out = static_cast<uInt>(size);
    while (stream_.avail_out == size) {
      if (raw_.waiting().size() < 2 && !raw_.fill()) return unreadable();
      if (between_) {
        if (raw_.at_end()) return 0;
        if (begins(raw_.waiting(), kMagics[0].second)) {
          if (inflateReset(&stream_) != Z_OK) return fail("gzip data is damaged");
          between_ = false;
          continue;
        }
        if (raw_.waiting().front() != 0) return fail("something that is no gzip data follows it");
        raw_.take(1);
        continue;
      }
      if (raw_.at_end()) return fail("gzip data is cut short");
      const Bytes in = raw_.waiting();
      stream_.next_in = const_cast<Bytef*>(in.data());
      stream_.avail_in = static_cast<uInt>(in.size());
      const int state = inflate(&stream_, Z_NO_FLUSH);
      raw_.take(in.size() - stream_.avail_in);
      if (state == Z_STREAM_END) {
        between_ = true;
      } else if (state != Z_OK && state != Z_BUF_ERROR) {
        return fail("gzip data is damaged");
      }
    }
    return size - stream_.avail_out;
  }

 private:
  static constexpr int kGzip = 16 + MAX_WBITS;
  z_stream stream_{};
  bool ready_ = false;
  bool between_ = false;  // behind a member
};

// What a stream of xz wants to look back to, by its first block; 0: it has none, or is damaged.
// `bytes` begin with the stream. Source: The .xz File Format 1.1, 2.1.1 and 3.1.
std::uint64_t xz_dictionary(Bytes bytes) {
  constexpr std::size_t kStreamHeader = 12;
  constexpr std::uint64_t kLzma2 = 0x21;
  std::size_t at = kStreamHeader + 1;  // of the block header, behind its size
  const auto number = [&]() -> std::uint64_t {
    std::uint64_t value = 0;
    for (unsigned shift = 0; at < bytes.size() && shift < 63; shift += 7) {
      const unsigned char byte = bytes[at++];
      value |= std::uint64_t{byte & 0x7fU} << shift;
      if (byte < 0x80) break;
    }
    return value;
  };
  if (bytes.size() <= kStreamHeader || bytes[kStreamHeader] == 0) return 0;
  const std::uint64_t flags = number();
  if ((flags & 0x40) != 0) (void)number();  // compressed
  if ((flags & 0x80) != 0) (void)number();  // uncompressed
  for (std::uint64_t filter = 0; filter <= (flags & 3); ++filter) {
    const std::uint64_t id = number(), properties = number();
    if (at >= bytes.size() || properties > bytes.size() - at) return 0;
    const unsigned size = bytes[at] & 0x3fU;
    if (id == kLzma2) return size > 40 ? 0 : (2ULL | (size & 1)) << (size / 2 + 11);
    at += properties;
  }
  return 0;
}

class Archive : public Decompressor {
 public:
  Archive(RawInput& raw, Compression compression)
      : Decompressor(raw), compression_(compression), archive_(archive_read_new()) {}
  ~Archive() override { archive_read_free(archive_); }
  Archive(const Archive&) = delete;
  Archive& operator=(const Archive&) = delete;

  std::optional<std::size_t> read(char* to, std::size_t size) override {
    if (!open_ && !open()) return refuse();
    const la_ssize_t got = ended_ ? 0 : archive_read_data(archive_, to, size);
    if (got < 0) return refuse();
    if (got > 0) return static_cast<std::size_t>(got);
    ended_ = true;
    // bzip2's reader ends at what is no bzip2 data.
    if (given_ != static_cast<std::uint64_t>(archive_filter_bytes(archive_, -1)) ||
        !raw_.at_end()) {
      return fail("something that is no " + std::string(name(compression_)) + " data follows it");
    }
    return 0;
  }

 private:
  bool open() {
    open_ = true;
    if (archive_ == nullptr) return false;
    switch (compression_) {
      case Compression::Zstd:
        archive_read_support_filter_zstd(archive_);
        break;
      case Compression::Xz:
        archive_read_support_filter_xz(archive_);
        break;
      default:
        archive_read_support_filter_bzip2(archive_);
        break;
    }
    archive_read_support_format_raw(archive_);
    archive_read_support_format_empty(archive_);
    if (archive_read_open(archive_, this, nullptr, give, nullptr) != ARCHIVE_OK) return false;
    archive_entry* entry = nullptr;
    const int state = archive_read_next_header(archive_, &entry);
    ended_ = state == ARCHIVE_EOF;
    return state == ARCHIVE_OK || ended_;
  }

  // libarchive asks for what is next; a block stays as it is until it asks again.
  static la_ssize_t give(archive*, void* self, const void** to) {
    Archive& a = *static_cast<Archive*>(self);
    const Bytes block = a.next_block();
    *to = block.data();
    return a.wrong_.empty() ? static_cast<la_ssize_t>(block.size()) : -1;
  }
  Bytes next_block() {
    if (raw_.waiting().empty() && !raw_.fill()) wrong_ = "file cannot be read";
    const Bytes block = raw_.waiting();
    if (compression_ == Compression::Xz) check_dictionaries(block);
    raw_.take(block.size());
    given_ += block.size();
    return block;
  }
  // Before libarchive allots it. Streams begin at multiples of four bytes.
  void check_dictionaries(Bytes block) {
    for (std::size_t at = (4 - given_ % 4) % 4; at < block.size(); at += 4) {
      const Bytes rest = block.subspan(at);
      if (!begins(rest, kMagics[2].second)) continue;
      if (xz_dictionary(rest) > InputFile::kWindowBytes) wrong_ = too_far();
    }
  }
  [[nodiscard]] std::string too_far() const {
    return std::string(name(compression_)) +
           " data wants more than 128 MiB of memory to be decompressed";
  }

  std::nullopt_t refuse() {
    if (!wrong_.empty()) return fail(wrong_);
    const char* said = archive_ == nullptr ? nullptr : archive_error_string(archive_);
    const std::string_view why = said == nullptr ? "" : said;
    const std::string data = std::string(name(compression_)) + " data ";
    if (why.find("too much memory") != std::string_view::npos) return fail(too_far());
    if (why.find("runcated") != std::string_view::npos) return fail(data + "is cut short");
    if (why.find("No progress") != std::string_view::npos) {
      return fail(data + "is cut short, or something else follows it");
    }
    if (why.find("Unknown frame") != std::string_view::npos) {
      return fail("something that is no " + data + "follows it");
    }
    return fail(data + "is damaged");
  }

  Compression compression_;
  archive* archive_;
  bool open_ = false, ended_ = false;
  std::uint64_t given_ = 0;  // bytes to libarchive
  std::string wrong_;        // what it must not go on with
};

}  // namespace
}  // namespace detail

InputFile::InputFile(const std::string& path, const std::atomic<int>* stop)
    : raw_(std::make_unique<detail::RawInput>(path, stop)) {}
InputFile::~InputFile() = default;

bool InputFile::is_open() const {
  return raw_->is_open();
}

bool InputFile::stopped() const {
  return raw_->stopped();
}

bool InputFile::rewinds() const {
  return raw_->rewinds();
}

bool InputFile::rewind() {
  if (!raw_->rewind()) return false;
  decompressor_.reset();
  return true;
}

// What the file is, by its first bytes.
bool InputFile::look() {
  while (raw_->waiting().size() < kLongestMagic && !raw_->ended()) {
    if (!raw_->fill()) return false;
  }
  compression_ = Compression::None;
  for (const auto& [compression, magic] : kMagics) {
    if (begins(raw_->waiting(), magic)) compression_ = compression;
  }
  if (compression_ == Compression::None) {
    decompressor_ = std::make_unique<detail::Plain>(*raw_);
  } else if (compression_ == Compression::Gzip) {
    decompressor_ = std::make_unique<detail::Gzip>(*raw_);
  } else {
    decompressor_ = std::make_unique<detail::Archive>(*raw_, compression_);
  }
  return true;
}

std::optional<std::size_t> InputFile::read(char* to, std::size_t size) {
  if (!decompressor_ && !look()) {
    problem_ = "file cannot be read";
    return std::nullopt;
  }
  const std::optional<std::size_t> got = decompressor_->read(to, size);
  if (stopped()) return got.value_or(0);  // compressed data is cut then, which is no fault
  if (!got) problem_ = decompressor_->problem();
  return got;
}

}  // namespace cxlgpu::flits
