// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
#include "sim/io/io_job.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cassert>
#include <cstring>

#include "sim/workloads/data.hpp"

namespace cxlgpu {

namespace {

constexpr std::size_t kMostProblems = 4;
constexpr std::uint64_t kWord = 8;
constexpr std::uint64_t kPiece = 1 << 20;  // of a file that is filled or checked

std::uint64_t round_up(std::uint64_t value, std::uint64_t granule) {
  return (value + granule - 1) / granule * granule;
}

std::uint64_t first_difference(ByteMap::Bytes a, ByteMap::Bytes b) {
  return static_cast<std::uint64_t>(std::mismatch(a.begin(), a.end(), b.begin()).first - a.begin());
}

std::uint64_t differences(ByteMap::Bytes a, ByteMap::Bytes b) {
  std::uint64_t n = 0;
  for (std::size_t i = 0; i < a.size(); ++i) n += a[i] != b[i];
  return n;
}

}  // namespace

struct IoJob::Meetings {
  Meetings(Host& host, unsigned threads)
      : ready(host, threads), go(host, 1), finished(host, threads), ended(host, threads) {}
  Meeting ready, go, finished, ended;
};

IoJob::IoJob(HostKernel& kernel, DeviceMemory& gpu, IoStack& stack, const IoWork& work,
             std::unique_ptr<IoPlan> plan)
    : kernel_(kernel), gpu_(gpu), stack_(stack), work_(work), plan_(std::move(plan)) {}

IoJob::~IoJob() = default;

std::uint64_t IoJob::file_bytes() const {
  return round_up(plan_->file_bytes(), HostKernel::kAlignment);
}

std::uint64_t IoJob::buffer_bytes() const {
  std::uint64_t bytes = 0;
  for (const std::uint64_t one : plan_->buffers()) bytes += round_up(one, stack_.granule());
  return bytes * plan_->threads();
}

void IoJob::draw(std::uint64_t seed, std::uint64_t offset, ByteMap::Bytes to) const {
  for (std::size_t at = 0; at < to.size();) {
    const std::uint64_t word = Random(seed, (offset + at) / kWord).next();
    const std::size_t skip = (offset + at) % kWord;
    const std::size_t bytes = std::min<std::size_t>(kWord - skip, to.size() - at);
    std::memcpy(to.data() + at, reinterpret_cast<const std::uint8_t*>(&word) + skip, bytes);
    at += bytes;
  }
}

void IoJob::fill(Backdoor& device) const {
  const std::uint64_t seed = is_write() ? work_.seed + 1 : work_.seed;
  std::vector<std::uint8_t> bytes;
  for (std::uint64_t at = 0; at < file_bytes(); at += kPiece) {
    bytes.resize(std::min(kPiece, file_bytes() - at));
    draw(seed, at, bytes);
    device.poke(at, bytes);
  }
}

void IoJob::problem(std::string line) {
  if (problems_.size() < kMostProblems) problems_.push_back(std::move(line));
}

void IoJob::expect(int error, const char* call) {
  if (error != 0) problem(fmt::format("{} returned {}", call, error));
}

void IoJob::check(const IoPiece& piece) {
  ++result_.ios;
  if (piece.result != static_cast<std::int64_t>(piece.bytes)) {
    ++result_.failed;
    problem(fmt::format("{} of {} bytes at {} returned {}", is_write() ? "write" : "read",
                        piece.bytes, piece.offset, piece.result));
    return;
  }
  result_.bytes += piece.bytes;
  if (is_write()) return;
  const ByteMap::Bytes got = *gpu_.find(piece.buffer->device, piece.bytes);
  for (std::uint64_t from = 0; from < piece.bytes; from += kPiece) {
    compare(got.subspan(from, std::min(kPiece, piece.bytes - from)), piece.offset + from,
            " in GPU memory");
  }
}

void IoJob::compare(ByteMap::Bytes got, std::uint64_t offset, const char* where) {
  expected_.resize(got.size());
  draw(work_.seed, offset, expected_);
  result_.bytes_checked += got.size();
  const std::uint64_t at = first_difference(got, expected_);
  if (at == got.size()) return;
  result_.bytes_wrong += differences(got, expected_);
  problem(fmt::format("byte {} of the file is {:#04x}{}, expected {:#04x}", offset + at, got[at],
                      where, expected_[at]));
}

void IoJob::check_file(const Backdoor& device) {
  if (!is_write()) return;
  std::vector<std::uint8_t> got;
  for (std::uint64_t from = 0; from < plan_->file_bytes(); from += kPiece) {
    got.resize(std::min(kPiece, plan_->file_bytes() - from));
    device.peek(from, got);
    compare(got, from, "");
  }
}

Task<Done> IoJob::one_group(std::span<IoPiece> pieces) {
  const Time since = kernel_.host().now();
  const bool each = work_.registration == IoRegistration::Each;
  for (IoPiece& piece : pieces) {
    if (each) expect(co_await stack_.add(*piece.buffer), "registration");
    if (is_write()) {
      draw(work_.seed, piece.offset, *gpu_.find(piece.buffer->device, piece.bytes));
    }
  }
  if (one_at_a_time(work_.mode)) {
    co_await stack_.sync(pieces.front());
  } else {
    co_await stack_.group(work_.mode, pieces);
  }
  for (IoPiece& piece : pieces) {
    check(piece);
    if (each) expect(co_await stack_.remove(*piece.buffer), "deregistration");
  }
  const Time took = kernel_.host().now() - since;
  ++result_.groups;
  result_.latency += took;
  result_.longest = std::max(result_.longest, took);
  co_return Done{};
}

HostThread IoJob::thread(unsigned number, std::span<IoBuffer> buffers) {
  const bool once = work_.registration == IoRegistration::Once;
  for (IoBuffer& buffer : buffers) {
    if (once) expect(co_await stack_.add(buffer), "registration");
  }
  meetings_->ready.arrive();
  co_await meetings_->go.wait();
  std::vector<IoSpan> spans;
  std::vector<IoPiece> pieces;
  for (plan_->next(number, spans); !spans.empty(); plan_->next(number, spans)) {
    pieces.clear();
    for (const IoSpan& span : spans) {
      pieces.push_back({&buffers[span.buffer], is_write(), span.bytes, span.offset, 0});
    }
    co_await one_group(pieces);
  }
  meetings_->finished.arrive();
  co_await meetings_->finished.wait();
  for (IoBuffer& buffer : buffers) {
    if (once) expect(co_await stack_.remove(buffer), "deregistration");
  }
  meetings_->ended.arrive();
  co_return Done{};
}

HostThread IoJob::run() {
  Host& host = kernel_.host();
  const unsigned threads = plan_->threads();
  const std::vector<std::uint64_t> bytes = plan_->buffers();
  meetings_ = std::make_unique<Meetings>(host, threads);
  const int fd = kernel_.open({0, file_bytes(), is_write(), true});
  expect(co_await stack_.open(), "opening the driver");
  expect(co_await stack_.open_file(fd), "opening the file");
  buffers_.resize(threads * bytes.size());
  for (std::size_t i = 0; i < buffers_.size(); ++i) {
    IoBuffer& buffer = buffers_[i];
    buffer.bytes = round_up(bytes[i % bytes.size()], stack_.granule());
    expect(co_await gpu_.cudaMalloc(&buffer.device, buffer.bytes), "cudaMalloc");
  }
  for (unsigned i = 0; i < threads; ++i) {
    host.start(thread(i, std::span(buffers_).subspan(i * bytes.size(), bytes.size())));
  }
  co_await meetings_->ready.wait();
  result_.begin = host.now();
  meetings_->go.arrive();
  co_await meetings_->finished.wait();
  result_.end = host.now();
  co_await meetings_->ended.wait();
  for (const IoBuffer& buffer : buffers_) expect(co_await gpu_.cudaFree(buffer.device), "cudaFree");
  expect(co_await stack_.close_file(), "closing the file");
  expect(co_await stack_.close(), "closing the driver");
  kernel_.close(fd);
  co_return Done{};
}

}  // namespace cxlgpu
