// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
// Workload prefix with its cache in host memory.
#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "sim/serving/prefix_run.hpp"

namespace cxlgpu {

namespace {

constexpr std::uint64_t kPsPerUs = 1'000'000;
constexpr unsigned kGpu = 0;

// Of host memory there is what the copy that runs is of, drawn when it begins: so a cache may be
// larger than the memory of the machine that this runs on.
class PrefixCopies : public PrefixRun {
 public:
  PrefixCopies(const PrefixWork& work, PrefixPlan plan, CopyScheme scheme,
               const MultipathConfig& machine)
      : PrefixRun(work, std::move(plan)),
        machine_(machine),
        host_(machine_),
        engine_(host_, machine_, CopyDirection::ToGpu,
                make_chunk_source(scheme, machine_, work.seed), seen_after(scheme, machine_)),
        interceptor_(host_, machine_, scheme, CopyDirection::ToGpu) {}

  void begin() override {
    if (machine_.down_at_us != 0) {
      host_.after(Time{machine_.down_at_us * kPsPerUs},
                  [this] { engine_.link_down(machine_.down_gpu); });
    }
    host_.after(server_.wait(host_.now()), [this] { serve(); });
  }
  void step(Engine& engine) override { host_.advance(engine.now()); }
  [[nodiscard]] Time next_event() const override { return host_.next_event(); }
  [[nodiscard]] bool done() const override { return server_.done(); }
  [[nodiscard]] std::uint64_t buffer_bytes() const override { return most_; }
  [[nodiscard]] std::uint64_t native() const override { return interceptor_.native(); }
  [[nodiscard]] std::uint64_t chunks() const override { return interceptor_.chunks(); }
  [[nodiscard]] std::vector<CopyResult::Link> links() const override {
    std::vector<CopyResult::Link> all;
    for (unsigned gpu = 0; gpu < machine_.gpus; ++gpu) {
      const TransferEngine::LinkCounters& from = engine_.counters(gpu);
      all.push_back({from.direct, from.relayed, 0, from.lost, from.most_outstanding});
    }
    return all;
  }

 private:
  void serve() {
    const PrefixRequest& request = server_.begin(host_.now());
    groups_.clear();
    if (!request.slots.empty()) groups_ = fetch_groups(work_, plan_, request);
    group_ = span_ = 0;
    host_.after(Time{work_.overhead_us * kPsPerUs}, [this] { fetch(); });
  }

  void fetch() {
    if (group_ == groups_.size()) {
      host_.after(server_.first_token(host_.now()) - host_.now(), [this] { end(); });
      return;
    }
    const IoSpan& span = groups_[group_].spans[span_];
    host_memory_.resize(span.bytes);
    gpu_memory_.resize(span.bytes);
    most_ = std::max<std::uint64_t>(most_, span.bytes);
    server_.fill(span.offset, host_memory_);
    interceptor_.start(engine_, {kGpu, machine_.node_of(kGpu), host_memory_, gpu_memory_,
                                 [this](std::uint64_t missing) { fetched(missing); }});
  }

  void fetched(std::uint64_t missing) {
    const PrefixGroup& group = groups_[group_];
    const IoSpan& span = group.spans[span_];
    if (missing != 0) {
      server_.failed(
          fmt::format("{} of {} bytes are not copied, no link is left", missing, span.bytes));
    } else {
      server_.check(span.offset, gpu_memory_);
    }
    if (++span_ == group.spans.size()) {
      server_.layer_there(group.layer, host_.now());
      span_ = 0;
      ++group_;
    }
    fetch();
  }

  void end() {
    server_.end(host_.now());
    if (!server_.done()) host_.after(server_.wait(host_.now()), [this] { serve(); });
  }

  MultipathConfig machine_;
  CopyHost host_;
  TransferEngine engine_;
  Interceptor interceptor_;
  std::vector<std::uint8_t> host_memory_, gpu_memory_;
  std::vector<PrefixGroup> groups_;
  std::size_t group_ = 0, span_ = 0;
  std::uint64_t most_ = 0;
};

}  // namespace

std::unique_ptr<PrefixRun> make_prefix_copies(const PrefixWork& work, PrefixPlan plan,
                                              CopyScheme scheme, const MultipathConfig& machine) {
  return std::make_unique<PrefixCopies>(work, std::move(plan), scheme, machine);
}

}  // namespace cxlgpu
