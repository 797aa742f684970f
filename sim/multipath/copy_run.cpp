// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
#include "sim/multipath/copy_run.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cstring>
#include <utility>

#include "sim/workloads/data.hpp"

namespace cxlgpu {

namespace {

constexpr std::size_t kMostProblems = 4;
constexpr std::uint64_t kPiece = 1 << 20;  // of a buffer that is filled or checked
constexpr std::uint64_t kWord = 8;
constexpr std::uint8_t kNothing = 0xe7;  // in a destination before a copy
constexpr std::uint64_t kPsPerUs = 1000000;

std::unique_ptr<ChunkSource> make_source(const CopyParams& params) {
  if (params.source) return params.source(params.machine);
  return make_chunk_source(params.scheme, params.machine, params.work.seed);
}

}  // namespace

struct CopyRun::Stream {
  unsigned gpu = 0;
  TransferEngine* engine = nullptr;
  std::vector<std::uint8_t> host, device;
  Arrivals arrivals;
  std::uint64_t left = 0;  // copies
  Time since;
};

struct CopyRun::Others {
  Topology::Route route;
  double most = 0;  // GB/s
  double* bytes = nullptr;
  FlowNetwork::FlowId flow = 0;
};

CopyRun::CopyRun(const CopyParams& params)
    : params_(params),
      host_(params_.machine),
      interceptor_(host_, params_.machine, params_.scheme, params_.work.direction) {
  const CopyWork& work = params_.work;
  const Time sync = seen_after(params_.scheme, params_.machine);
  result_.links.resize(params_.machine.gpus);
  for (std::size_t i = 0; i < work.gpus.size(); ++i) {
    if (i == 0 || work.engines == CopyEngines::Each) {
      engines_.push_back(std::make_unique<TransferEngine>(host_, params_.machine, work.direction,
                                                          make_source(params_), sync));
    }
    auto stream = std::make_unique<Stream>();
    stream->gpu = static_cast<unsigned>(work.gpus[i]);
    stream->engine = engines_.back().get();
    stream->left = work.count;
    stream->host.resize(work.bytes);
    stream->device.resize(work.bytes);
    streams_.push_back(std::move(stream));
    result_.streams.push_back({static_cast<unsigned>(work.gpus[i]), 0, 0, {}, {}});
  }
  host_.watch([this](std::span<const std::uint8_t> memory) { written(memory); });
}

CopyRun::~CopyRun() = default;

unsigned CopyRun::node(unsigned gpu) const {
  const std::string& text = params_.work.node;
  unsigned number = params_.machine.node_of(gpu);
  std::from_chars(text.data(), text.data() + text.size(), number);  // "local" is none
  return number;
}

std::uint64_t CopyRun::items_left() const {
  std::uint64_t left = 0;
  for (const auto& stream : streams_) left += stream->left;
  return left;
}

void CopyRun::draw(std::size_t stream, std::uint64_t offset, std::span<std::uint8_t> to) const {
  const std::uint64_t seed = params_.work.seed + (static_cast<std::uint64_t>(stream) << 40);
  for (std::size_t at = 0; at < to.size(); at += kWord) {
    const std::uint64_t word = Random(seed, (offset + at) / kWord).next();
    std::memcpy(to.data() + at, &word, std::min<std::size_t>(kWord, to.size() - at));
  }
}

void CopyRun::begin() {
  const bool to_gpu = params_.work.direction == CopyDirection::ToGpu;
  for (std::size_t i = 0; i < streams_.size(); ++i) {
    draw(i, 0, to_gpu ? streams_[i]->host : streams_[i]->device);
  }
  running_ = streams_.size();
  start_others();
  if (params_.machine.down_at_us != 0) {
    host_.after(Time{params_.machine.down_at_us * kPsPerUs}, [this] {
      result_.link_lost = true;
      for (const auto& engine : engines_) engine->link_down(params_.machine.down_gpu);
    });
  }
  for (std::size_t i = 0; i < streams_.size(); ++i) {
    host_.after(Time{}, [this, i] { start_copy(i); });
  }
}

void CopyRun::start_others() {
  const CopyWork& work = params_.work;
  others_.reserve(work.background.size() + 1);
  for (unsigned gpu = 0; gpu < work.background.size(); ++gpu) {
    if (work.background[gpu] == 0) continue;
    others_.push_back(
        {host_.topology().host(work.direction, gpu, params_.machine.node_of(gpu)),
         host_.topology().pcie_gb_s(gpu) * static_cast<double>(work.background[gpu]) / 100,
         &result_.links[gpu].background, 0});
  }
  const std::size_t of_links = others_.size();
  if (work.peer[0] != work.peer[1]) {
    others_.push_back({host_.topology().peer(static_cast<unsigned>(work.peer[0]),
                                             static_cast<unsigned>(work.peer[1])),
                       FlowNetwork::kNoLimit, &result_.peer_bytes, 0});
  }
  const auto start = [this](Others& one) {
    one.flow = host_.network().start(one.route, FlowNetwork::kEndless, one.most, [] {});
  };
  if (others_.size() > of_links) start(others_.back());
  host_.after(Time{work.background_from_us * kPsPerUs}, [this, start, of_links] {
    for (std::size_t i = 0; i < of_links; ++i) start(others_[i]);
  });
  if (work.background_until_us != 0) {
    host_.after(Time{work.background_until_us * kPsPerUs}, [this] { stop_others(); });
  }
}

void CopyRun::stop_others() {
  for (Others& one : others_) {
    *one.bytes += host_.network().moved(one.flow);
    host_.network().stop(one.flow);
  }
}

void CopyRun::start_copy(std::size_t number) {
  Stream& stream = *streams_[number];
  const bool to_gpu = params_.work.direction == CopyDirection::ToGpu;
  std::vector<std::uint8_t>& to = to_gpu ? stream.device : stream.host;
  std::fill(to.begin(), to.end(), kNothing);
  stream.arrivals.clear();
  stream.since = host_.now();
  if (result_.streams[number].copies == 0) result_.streams[number].began = host_.now();
  interceptor_.start(*stream.engine,
                     {stream.gpu, node(stream.gpu), stream.host, stream.device,
                      [this, number](std::uint64_t missing) { end_copy(number, missing); }});
}

void CopyRun::end_copy(std::size_t number, std::uint64_t missing) {
  Stream& stream = *streams_[number];
  CopyResult::Stream& of_stream = result_.streams[number];
  const Time took = host_.now() - stream.since;
  result_.latency += took;
  result_.longest = std::max(result_.longest, took);
  result_.ended = of_stream.ended = host_.now();
  ++result_.copies;
  ++of_stream.copies;
  of_stream.bytes += params_.work.bytes - missing;
  result_.bytes += params_.work.bytes - missing;
  if (missing != 0) {
    ++result_.failed;
    problem(fmt::format("copy {} of GPU {}: {} of {} bytes are not copied, no link is left",
                        of_stream.copies, stream.gpu, missing, params_.work.bytes));
  } else {
    check(stream);
  }
  if (--stream.left != 0) {
    start_copy(number);
  } else if (--running_ == 0) {
    finish();
  }
}

void CopyRun::check(Stream& stream) {
  result_.bytes_checked += params_.work.bytes;
  const bool to_gpu = params_.work.direction == CopyDirection::ToGpu;
  const std::vector<std::uint8_t>& from = to_gpu ? stream.host : stream.device;
  const std::vector<std::uint8_t>& to = to_gpu ? stream.device : stream.host;
  if (from == to) return;
  std::uint64_t first = from.size();
  for (std::uint64_t i = from.size(); i-- > 0;) {
    if (from[i] == to[i]) continue;
    ++result_.bytes_wrong;
    first = i;
  }
  problem(fmt::format("byte {} for GPU {} is {:#04x}, expected {:#04x}", first, stream.gpu,
                      to[first], from[first]));
}

// In a destination, that is; staging buffers are written again and again.
void CopyRun::written(std::span<const std::uint8_t> memory) {
  for (const auto& stream : streams_) {
    const std::vector<std::uint8_t>& to =
        params_.work.direction == CopyDirection::ToGpu ? stream->device : stream->host;
    const std::less_equal<> before;
    if (before(to.data(), memory.data()) &&
        before(memory.data() + memory.size(), to.data() + to.size())) {
      stream->arrivals.add(static_cast<std::uint64_t>(memory.data() - to.data()), memory.size());
    }
  }
}

void CopyRun::finish() {
  stop_others();
  result_.native = interceptor_.native();
  result_.chunks = interceptor_.chunks();
  result_.began = result_.streams.front().began;
  for (const CopyResult::Stream& stream : result_.streams) {
    result_.began = std::min(result_.began, stream.began);
  }
  std::uint64_t used = 0, seen = 0;
  for (const auto& engine : engines_) {
    for (unsigned link = 0; link < params_.machine.gpus; ++link) {
      const TransferEngine::LinkCounters& counters = engine->counters(link);
      CopyResult::Link& all = result_.links[link];
      all.direct += counters.direct;
      all.relayed += counters.relayed;
      all.lost += counters.lost;
      all.most_outstanding = std::max(all.most_outstanding, counters.most_outstanding);
      result_.again += counters.again;
      used += counters.seen != 0;
      seen += counters.seen;
    }
  }
  if (params_.scheme == CopyScheme::Mma) {  // threads of links wait busily, the others sleep
    result_.threads = result_.measured() * used + Time{params_.machine.sync_ps} * seen;
  }
}

// The sources are what they were, and nothing was written twice.
void CopyRun::judge() {
  const bool to_gpu = params_.work.direction == CopyDirection::ToGpu;
  std::vector<std::uint8_t> expected;
  for (std::size_t i = 0; i < streams_.size(); ++i) {
    const std::vector<std::uint8_t>& from = to_gpu ? streams_[i]->host : streams_[i]->device;
    for (std::uint64_t at = 0; at < from.size(); at += kPiece) {
      expected.resize(std::min<std::uint64_t>(kPiece, from.size() - at));
      draw(i, at, expected);
      if (std::memcmp(expected.data(), from.data() + at, expected.size()) != 0) {
        problem(fmt::format("the source of GPU {} was written, within {} bytes from {}",
                            streams_[i]->gpu, expected.size(), at));
        break;
      }
    }
    result_.bytes_twice += streams_[i]->arrivals.twice();
  }
  if (result_.bytes_twice != 0) {
    problem(fmt::format("{} bytes were written twice", result_.bytes_twice));
  }
}

void CopyRun::problem(std::string line) {
  if (problems_.size() < kMostProblems) problems_.push_back(std::move(line));
}

}  // namespace cxlgpu
