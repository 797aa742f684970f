// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
// A medium of one's own behind the endpoints: every access takes the same time. A load then takes
// as much longer as the medium is slower, to the picosecond.
#include <cstdio>
#include <cxlgpu/cxlgpu.hpp>
#include <queue>
#include <unordered_map>

namespace {

using namespace cxlgpu;

class FixedMedium : public Media {
 public:
  explicit FixedMedium(Time latency) : latency_(latency) {}

  bool can_accept(Time, MediaOp) const override { return waiting_.size() < 64; }
  void submit(const MediaCommand& command, Time now) override {
    MediaResponse response{.op = command.op, .id = command.id};
    if (command.op == MediaOp::Write) {
      ++counters_.writes;
      merge_bytes(lines_[command.dpa], command.data, command.byte_enable);
    } else {
      ++counters_.reads;
      response.data = peek(command.dpa);
    }
    waiting_.push({now + latency_, response});
  }
  std::optional<MediaResponse> take(Time now) override {
    if (waiting_.empty() || waiting_.front().first > now) return std::nullopt;
    const MediaResponse response = waiting_.front().second;
    waiting_.pop();
    return response;
  }
  Time next_event() const override {
    return waiting_.empty() ? Time::never() : waiting_.front().first;
  }
  const MediaCounters& counters() const override { return counters_; }
  Line peek(std::uint64_t dpa) const override {
    const auto line = lines_.find(dpa);
    return line == lines_.end() ? Line{} : line->second;
  }
  void poke(std::uint64_t dpa, std::span<const std::uint8_t> bytes) override {
    for (const std::uint8_t byte : bytes) {
      lines_[line_of(dpa)][dpa % kLineBytes] = byte;
      ++dpa;
    }
  }

 private:
  Time latency_;
  std::queue<std::pair<Time, MediaResponse>> waiting_;
  std::unordered_map<std::uint64_t, Line> lines_;
  MediaCounters counters_;
};

// A store and a load of its line; how long the load took.
Time load_latency(std::uint64_t medium_ns) {
  Registry registry;
  registry.add_medium("fixed", [medium_ns](const MediumShape&) {
    return std::make_unique<FixedMedium>(Time{medium_ns * 1000});
  });
  Machine machine({.scenario = "trace-fixed-cxl", .registry = &registry});
  Line data;
  data.fill(0x5a);
  std::optional<Response> response;
  for (const bool store : {true, false}) {
    machine.submit({.address = machine.address_base() + 4096, .is_write = store, .data = data});
    while (!(response = machine.take())) machine.advance();
  }
  if (response->error || response->data != data) throw Error("load", "wrong data", "look for it");
  return response->latency();
}

}  // namespace

int main() {
  try {
    const cxlgpu::Time fast = load_latency(100), slow = load_latency(350);
    std::printf("load: %.1f ns with a medium of 100 ns, %.1f ns with one of 350 ns\n", fast.ns(),
                slow.ns());
    return slow.ps - fast.ps == 250000 ? 0 : 1;
  } catch (const cxlgpu::Error& e) {
    std::fprintf(stderr, "%s\n", e.what());
    return 2;
  }
}
