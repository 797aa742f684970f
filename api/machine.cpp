// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cstdlib>
#include <unordered_map>

#include "api/cxlgpu.hpp"
#include "common/input_error.hpp"
#include "model/engine.hpp"
#include "sim/config/config.hpp"
#include "sim/config/configurations.hpp"
#include "sim/firmware/drain.hpp"
#include "sim/firmware/internal_dram.hpp"
#include "sim/machine/endpoint_media.hpp"
#include "sim/machine/run_checks.hpp"
#include "sim/stats/run_stats.hpp"
#include "sim/workloads/workload.hpp"

namespace cxlgpu {
inline namespace v1 {

static_assert(kRequestStages == kPathStages);

std::span<const std::string_view, kRequestStages> stage_names() {
  return std::span(kStageNames).first<kRequestStages>();
}

namespace {

std::filesystem::path config_dir(const Options& options) {
  std::filesystem::path dir = options.configs;
  if (dir.empty()) {
    const char* environment = std::getenv("CXLGPU_CONFIGS");
    dir = environment != nullptr ? environment : options.package_configs;
  }
  std::error_code unreadable;  // is none, to the caller
  if (dir.empty() || !std::filesystem::is_directory(dir / "media", unreadable)) {
    throw Error(dir.empty() ? std::string("Options::configs") : dir.string(),
                "has no media/ folder",
                "name the package's share/cxlgpu/configs, or set CXLGPU_CONFIGS to it");
  }
  return dir;
}

// The part of RunStats' events that a single response is told of.
class Followed : public TraceSink {
 public:
  struct Answer {
    RequestRecord record;
    std::optional<flits::DevLoad> dev_load;
  };

  explicit Followed(std::optional<RunStats>& stats) : stats_(stats) {}

  void on_event(const TraceEvent& event) override {
    stats_->on_event(event);
    if (event.stage == Stage::PortRespond && event.id < kRootPortIds) {
      dev_load_[event.id] = static_cast<flits::DevLoad>(dev_load_of(event));
    }
    tracker_.on_event(event);
  }
  // Precondition: its response was taken.
  Answer take(std::uint32_t id) {
    Answer answer{records_.at(id), std::nullopt};
    records_.erase(id);
    if (const auto load = dev_load_.extract(id)) answer.dev_load = load.mapped();
    return answer;
  }

 private:
  std::optional<RunStats>& stats_;
  std::unordered_map<std::uint32_t, RequestRecord> records_;  // answered, not taken
  std::unordered_map<std::uint32_t, flits::DevLoad> dev_load_;
  RequestTracker tracker_{[this](const RequestRecord& record) { records_[record.id] = record; }};
};

RunConfig load(const Options& options, const std::filesystem::path& dir, ScenarioNames names) {
  std::vector<std::string> sets = options.sets;
  sets.emplace_back("workload.name=trace");  // the caller is it
  RunConfig config =
      ConfigLoader(dir, std::move(names), "default", options.machine).load(options.scenario, sets);
  config.engine = "model";
  const auto refuse = [&config](const std::string& key, const std::string& what) {
    throw InputError(config.place(key, config.scenario) + ": key '" + key + "': " + what);
  };
  if (config.memory != MemoryKind::Cxl) {
    refuse("system.memory", "is not cxl; the library has no other, run the command");
  }
  if (config.link.down_at_us != 0) {
    refuse("link.down_at_us", "takes a link down; leave it out, or run the command");
  }
  if (!config.endpoint.image_in.empty() || !config.endpoint.image_out.empty()) {
    refuse(config.endpoint.image_in.empty() ? "endpoint.image_out" : "endpoint.image_in",
           "names images; leave it out, or run the command");
  }
  return config;
}

Latencies latencies_of(const LatencyBook& book) {
  const Percentiles p = book.percentiles();
  Latencies out{p.count, p.mean, p.p50, p.p90, p.p99, p.p999, p.max, {}};
  const auto means = book.stage_means_ps();
  std::ranges::transform(means, out.stage_mean_ns.begin(), [](double ps) { return ps / 1000; });
  return out;
}

}  // namespace

class Machine::Impl {
 public:
  Impl(const Options& options, const std::filesystem::path& dir);

  RunConfig config;
  std::unique_ptr<EndpointMedia> media;
  std::optional<RunStats> stats;  // refers to itself: made in its place
  Followed followed{stats};
  std::unique_ptr<ModelEngine> engine;
  struct Open {
    std::uint64_t tag = 0, address = 0;
  };
  std::vector<Open> open;           // by id
  std::vector<std::uint32_t> free;  // ids
  std::size_t outstanding = 0;
  bool submitted = false, refused = false;

  [[nodiscard]] std::uint64_t end() const {
    std::uint64_t end = 0;
    for (const HdmRange& range : config.hdm) end = std::max(end, range.base + range.size);
    return end;
  }
  [[nodiscard]] std::uint64_t base() const { return config.hdm.front().base; }
  void need_none(const char* call) const {
    if (outstanding == 0) return;
    throw Error(call, std::to_string(outstanding) + " requests are outstanding",
                "take their responses first");
  }

 private:
  // Whether endpoints have an internal DRAM, and how large.
  EndpointParts make_media(const Options& options, const std::filesystem::path& dir);
  Registry registry_;
};

Machine::Impl::Impl(const Options& options, const std::filesystem::path& dir)
    : registry_(options.registry != nullptr ? *options.registry : Registry()) {
  ScenarioNames names{workload_names(), media_names(dir / "media"), configuration_names()};
  for (const auto& medium : registry_.media_) names.media.push_back(medium.name);
  for (const auto& policy : registry_.policies_) names.policies.push_back(policy.name);
  config = load(options, dir, std::move(names));
  stats.emplace(config.endpoint.line_bytes);
  const EndpointParts parts = make_media(options, dir);
  check_ds_place(config, {.hdm_base = base(), .hdm_size = end() - base()});
  MakePrefetcher own;
  for (const auto& policy : registry_.policies_) {
    if (policy.name != config.root_port.own_policy) continue;
    own = [&policy](unsigned port) {
      std::unique_ptr<Prefetcher> made = policy.make(port);
      if (!made) {
        throw Error("policy '" + policy.name + "'", "was not made",
                    "return one for each root port");
      }
      return made;
    };
  }
  engine = std::make_unique<ModelEngine>(config, parts, media->media(), &followed, own);
}

EndpointParts Machine::Impl::make_media(const Options& options, const std::filesystem::path& dir) {
  const std::uint64_t bytes = options.data_bytes != 0 ? options.data_bytes : end() - base();
  const auto own = std::ranges::find(registry_.media_, config.media, &Registry::Medium::name);
  if (own != registry_.media_.end()) {
    const bool cached = own->internal_dram == Registry::InternalDram::With;
    if (cached) check_cache_room(config, bytes);
    const unsigned sets = cached ? EndpointMedia::sets_log2(config, bytes) : 0;
    const auto make = [&](unsigned port, const MediaShape& shape) {
      std::unique_ptr<Media> medium =
          own->make({shape.capacity, cached ? shape.slots : 0, shape.line_bytes, port});
      if (!medium) {
        throw Error("medium '" + own->name + "'", "was not made", "return one for each port");
      }
      return medium;
    };
    media = std::make_unique<EndpointMedia>(config, make, sets);
    return {cached, sets};
  }
  const MediaConfig part = media_part(config, dir / "media");
  check_collection(config, part);
  check_persist(config, part);
  const bool cached = std::holds_alternative<FlashConfig>(part.params);
  unsigned sets = 0;
  if (cached) {
    check_cache_line(config, part, bytes);
    sets = EndpointMedia::sets_log2(config, bytes);
  }
  media = std::make_unique<EndpointMedia>(config, part, sets);
  return {cached, sets};
}

Machine::Machine(const Options& options) {
  try {
    impl_ = std::make_unique<Impl>(options, config_dir(options));
  } catch (const InputError& e) {
    throw Error(e.what());
  }
}

Machine::Machine(Machine&&) noexcept = default;
Machine& Machine::operator=(Machine&&) noexcept = default;
Machine::~Machine() = default;

std::uint64_t Machine::address_base() const {
  return impl_->base();
}
std::uint64_t Machine::address_bytes() const {
  return impl_->end() - impl_->base();
}
Time Machine::now() const {
  return impl_->engine->now();
}
std::size_t Machine::outstanding() const {
  return impl_->outstanding;
}

bool Machine::submit(const Request& request) {
  Impl& m = *impl_;
  if (request.address % kLineBytes != 0) {
    throw Error("Machine::submit",
                "address " + std::to_string(request.address) + " is inside a line",
                "give a multiple of 64, and the bytes by byte_enable");
  }
  if (m.free.empty()) {
    if (m.open.size() == kRootPortIds) return false;  // the system bus has no more ids
    m.free.push_back(static_cast<std::uint32_t>(m.open.size()));
    m.open.emplace_back();
  }
  const std::uint32_t id = m.free.back();
  m.refused = !m.engine->submit({.id = id,
                                 .is_write = request.is_write,
                                 .addr = request.address,
                                 .byte_enable = request.byte_enable,
                                 .data = request.data});
  if (m.refused) return false;
  m.free.pop_back();
  m.open[id] = {request.tag, request.address};
  ++m.outstanding;
  m.submitted = true;
  return true;
}

bool Machine::hint(std::uint64_t address, unsigned granules) {
  if (granules < 1 || granules > 4096) {
    throw Error("Machine::hint", std::to_string(granules) + " granules are not in 1..4096",
                "give several hints");
  }
  return impl_->engine->hint({address, granules});
}

std::optional<Response> Machine::take() {
  Impl& m = *impl_;
  const auto taken = m.engine->take();
  if (!taken) return std::nullopt;
  const Impl::Open& open = m.open[taken->id];
  const Followed::Answer answer = m.followed.take(taken->id);
  Response response{.tag = open.tag,
                    .address = open.address,
                    .is_write = taken->is_write,
                    .error = taken->error,
                    .data = taken->data,
                    .submitted = answer.record.time(Stage::SysAccept),
                    .answered = answer.record.time(Stage::SysRespond),
                    .stages = {},
                    .dev_load = answer.dev_load};
  for (std::size_t stage = 1; stage < kRequestStages; ++stage) {
    response.stages[stage] = time_in_stage(answer.record, stage);
  }
  m.free.push_back(taken->id);
  --m.outstanding;
  return response;
}

void Machine::advance_to(Time time) {
  if (time < now()) {
    throw Error("Machine::advance_to", std::to_string(time.ps) + " ps is before now()",
                "give a time from now() on");
  }
  impl_->refused = false;
  impl_->engine->advance_to(time);
}

bool Machine::advance() {
  if (impl_->outstanding == 0 && !impl_->refused) return false;
  const Time before = now();
  advance_to(Time::never());
  return now() != before;
}

void Machine::drain() {
  Impl& m = *impl_;
  m.need_none("Machine::drain");
  if (!m.config.root_port.ds) return;
  if (const auto left = drain_stores(*m.engine, *m.engine, m.config.ports)) {
    throw Error("Machine::drain", *left, "report it");
  }
}

void Machine::poke(std::uint64_t address, std::span<const std::uint8_t> bytes) {
  if (impl_->submitted) {
    throw Error("Machine::poke", "a request was submitted before it", "poke first");
  }
  impl_->media->map().poke(address, bytes);
}

void Machine::peek(std::uint64_t address, std::span<std::uint8_t> bytes) const {
  impl_->media->map().peek(address, bytes);
}

Statistics Machine::statistics() const {
  const Impl& m = *impl_;
  const RunStats& s = *m.stats;
  Statistics out;
  out.now = now();
  out.loads = latencies_of(s.loads());
  out.stores = latencies_of(s.stores());
  out.dev_loads = s.dev_loads({.width = out.now + kCycle, .count = 1}).front();
  out.internal_dram = {s.lookups(LookupResult::Hit), s.lookups(LookupResult::Miss),
                       s.lookups(LookupResult::Merge), s.hit_rate()};
  const SpecStats& spec = s.spec();
  out.speculation = {spec.sent,         spec.requested,  spec.filled,        spec.dropped,
                     spec.useful_lines, spec.late_lines, spec.evicted_unused};
  for (unsigned port = 0; port < m.config.ports; ++port) {
    const LinkTotals link = m.engine->link(port);
    out.ports.push_back({m.media->media()[port]->counters(), link.m2s.all, link.s2m.all});
  }
  return out;
}

void Machine::clear_statistics() {
  impl_->need_none("Machine::clear_statistics");
  impl_->stats.emplace(impl_->config.endpoint.line_bytes);
}

}  // namespace v1
}  // namespace cxlgpu
