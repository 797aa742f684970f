// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
// Workload prefix with its cache on drives.
#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "sim/serving/prefix_run.hpp"

namespace cxlgpu {

namespace {

class PrefixIos : public PrefixRun {
 public:
  PrefixIos(const PrefixWork& work, PrefixPlan plan, const IoRunParams& params)
      : PrefixRun(work, std::move(plan)),
        block_bytes_(work.block_bytes()),
        system_(params, plan_.slots * block_bytes_) {
    for (const PrefixRequest& request : plan_.requests) {
      if (request.slots.empty()) continue;
      for (const PrefixGroup& group : io_groups(request)) {
        buffers_.resize(std::max(buffers_.size(), group.spans.size()));
        for (const IoSpan& span : group.spans) {
          IoBuffer& buffer = buffers_[span.buffer];
          buffer.bytes = std::max(buffer.bytes, whole(span.bytes));
        }
      }
    }
  }

  void begin() override { system_.host().start(run()); }
  void step(Engine& engine) override { system_.host().advance(engine.now()); }
  [[nodiscard]] Time next_event() const override { return system_.host().next_event(); }
  [[nodiscard]] bool done() const override { return system_.host().done(); }
  [[nodiscard]] std::uint64_t buffer_bytes() const override {
    std::uint64_t all = 0;
    for (const IoBuffer& buffer : buffers_) all += buffer.bytes;
    return all;
  }
  [[nodiscard]] const StepBook* steps() const override { return &system_.host().steps(); }
  [[nodiscard]] std::vector<MediaCounters> media() const override { return system_.media(); }

 private:
  [[nodiscard]] std::uint64_t whole(std::uint64_t bytes) const {
    const std::uint64_t granule = system_.stack().granule();
    return (bytes + granule - 1) / granule * granule;
  }
  [[nodiscard]] Host::Work pause(Time time) { return {&system_.host(), time}; }
  void expect(int error, const char* call) {
    if (error != 0) server_.failed(fmt::format("{} returned {}", call, error));
  }

  [[nodiscard]] std::vector<PrefixGroup> io_groups(const PrefixRequest& request) const;
  HostThread run();
  Task<Done> serve();
  Task<Done> fetch(const PrefixGroup& group);
  void place(const PrefixRequest& request);

  std::uint64_t block_bytes_;
  IoSystem system_;
  std::vector<IoBuffer> buffers_;
};

// What is too long is several I/Os, of which a batch has no more.
std::vector<PrefixGroup> PrefixIos::io_groups(const PrefixRequest& request) const {
  const std::uint64_t part = work_.kv().part_bytes();
  const std::uint64_t most = kMostPrefixIo / part * part;
  std::vector<PrefixGroup> groups;
  for (const PrefixGroup& from : fetch_groups(work_, plan_, request)) {
    groups.push_back({{}, from.layer});
    for (const IoSpan& span : from.spans) {
      for (std::uint64_t at = 0; at < span.bytes; at += most) {
        if (groups.back().spans.size() == work_.batch) groups.push_back({{}, from.layer});
        std::vector<IoSpan>& spans = groups.back().spans;
        spans.push_back({span.offset + at, std::min(most, span.bytes - at), spans.size()});
      }
    }
  }
  return groups;
}

HostThread PrefixIos::run() {
  Host& host = system_.host();
  IoStack& stack = system_.stack();
  const int fd = system_.kernel().open({0, plan_.slots * block_bytes_, false, true});
  expect(co_await stack.open(), "opening the driver");
  expect(co_await stack.open_file(fd), "opening the file");
  for (IoBuffer& buffer : buffers_) {
    expect(co_await system_.gpu().cudaMalloc(&buffer.device, buffer.bytes), "cudaMalloc");
    expect(co_await stack.add(buffer), "registration");
  }
  while (!server_.done()) {
    co_await pause(server_.wait(host.now()));
    co_await serve();
  }
  for (IoBuffer& buffer : buffers_) {
    expect(co_await stack.remove(buffer), "deregistration");
    expect(co_await system_.gpu().cudaFree(buffer.device), "cudaFree");
  }
  expect(co_await stack.close_file(), "closing the file");
  expect(co_await stack.close(), "closing the driver");
  system_.kernel().close(fd);
  co_return Done{};
}

Task<Done> PrefixIos::serve() {
  Host& host = system_.host();
  const PrefixRequest& request = server_.begin(host.now());
  co_await pause(Time{work_.overhead_us * 1'000'000});
  if (!request.slots.empty()) {
    for (const PrefixGroup& group : io_groups(request)) co_await fetch(group);
  }
  co_await pause(server_.first_token(host.now()) - host.now());
  server_.end(host.now());
  place(request);
  co_return Done{};
}

Task<Done> PrefixIos::fetch(const PrefixGroup& group) {
  std::vector<IoPiece> pieces;
  for (const IoSpan& span : group.spans) {
    pieces.push_back({&buffers_[span.buffer], false, span.bytes, span.offset, 0});
  }
  co_await system_.stack().group(IoMode::Batch, pieces);
  for (const IoPiece& piece : pieces) {
    if (piece.result != static_cast<std::int64_t>(piece.bytes)) {
      server_.failed(fmt::format("read of {} bytes at {} returned {}", piece.bytes, piece.offset,
                                 piece.result));
      continue;
    }
    server_.check(piece.offset, *system_.gpu().find(piece.buffer->device, piece.bytes));
  }
  server_.layer_there(group.layer, system_.host().now());
  co_return Done{};
}

// After its end: the slots hold its blocks now.
void PrefixIos::place(const PrefixRequest& request) {
  const std::uint64_t part = work_.kv().part_bytes();
  std::vector<std::uint8_t> bytes(part);
  for (const PrefixCache::Placed& placed : request.placed) {
    for (unsigned layer = 0; layer < work_.model.layers; ++layer) {
      const std::uint64_t at = work_.layout == KvLayout::Layer
                                   ? layer * plan_.slots + placed.slot
                                   : placed.slot * work_.model.layers + layer;
      server_.fill(at * part, bytes);
      system_.device().poke(at * part, bytes);
    }
  }
}

}  // namespace

std::unique_ptr<PrefixRun> make_prefix_ios(const PrefixWork& work, PrefixPlan plan,
                                           const IoRunParams& params) {
  return std::make_unique<PrefixIos>(work, std::move(plan), params);
}

}  // namespace cxlgpu
