// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
// A CXL system: endpoints with their media behind the engine that config.engine names.
#include <fmt/format.h>

#include <memory>
#include <optional>
#include <vector>

#include "cli/figure.hpp"
#include "cli/kv_summary.hpp"
#include "cli/machine.hpp"
#include "sim/gpu/local_memory.hpp"
#include "sim/machine/endpoint_media.hpp"
#include "sim/machine/run_checks.hpp"
#include "sim/media/media_config.hpp"
#include "sim/nvme/kv_host.hpp"
#include "sim/persist/host_persist.hpp"
#include "sim/persist/persist_log.hpp"
#include "sim/stats/trace_tap.hpp"

namespace cxlgpu {

namespace {

// After a run that ended well. Both engines of a cosim must have left the same.
void keep_images(const RunConfig& config, EndpointMedia& store, EndpointMedia* model, Time now,
                 const std::string& replay, RunOutcome& outcome) {
  if (config.endpoint.image_out.empty() || !outcome.problems.empty() || outcome.unfinished) return;
  const std::vector<ImageWriter> images = store.shut_down(now);
  if (model != nullptr) {
    const std::vector<ImageWriter> others = model->shut_down(now);
    for (std::size_t port = 0; port < images.size(); ++port) {
      if (images[port].contents() == others[port].contents()) continue;
      outcome.problems.push_back(
          fmt::format("image of endpoint {}: rtl and model differ; replay: {}", port, replay));
    }
    if (!outcome.problems.empty()) return;
  }
  EndpointMedia::write_images(config.endpoint.image_out, images);
}

// Writes what the host writes to every copy: real parts, the model's parts, the flat memory.
class EveryCopy : public Backdoor {
 public:
  explicit EveryCopy(std::vector<Backdoor*> copies) : copies_(std::move(copies)) {}
  void poke(std::uint64_t hpa, std::span<const std::uint8_t> bytes) override {
    for (Backdoor* copy : copies_) copy->poke(hpa, bytes);
  }
  void peek(std::uint64_t hpa, std::span<std::uint8_t> bytes) const override {
    copies_.front()->peek(hpa, bytes);
  }

 private:
  std::vector<Backdoor*> copies_;
};

void add_differences(RunOutcome& outcome, const MemoryMap& map, const FlatMemory& written,
                     const std::string& whose, const std::string& replay) {
  for (const std::string& line : map.differences(written)) {
    outcome.problems.push_back(
        fmt::format("contents after the run, {}: {}; replay: {}", whose, line, replay));
  }
}

nlohmann::json host_json(const HostPersistCounters& c) {
  const auto bytes = [](std::uint64_t n) { return figure(n, "bytes"); };
  const auto time = [](Time t) { return figure(t.ns(), "ns"); };
  return {{"turns", figure(c.turns, "turns")},
          {"copied", bytes(c.copied_bytes)},
          {"written", bytes(c.written_bytes)},
          {"journal", bytes(c.journal_bytes)},
          {"wait", time(c.wait)},
          {"copy", time(c.copy)},
          {"file", time(c.file)},
          {"flush", time(c.flush)}};
}

nlohmann::json cosim_json(const CosimReport& r) {
  const auto count = [](std::uint64_t n) { return figure(n, "requests"); };
  nlohmann::json stages = nlohmann::json::array();
  for (std::size_t i = 1; i < kPathStages; ++i) {
    if (r.stage_count[i] == 0) continue;
    stages.push_back({{"stage", kStageNames[i]},
                      {"model_less_rtl",
                       {{"value", r.stage_difference_ns[i] / static_cast<double>(r.stage_count[i])},
                        {"unit", "ns"}}}});
  }
  nlohmann::json disturbance;
  if (r.disturbance.at != Time::never()) {
    disturbance = {{"by", r.disturbance.by}, {"at", figure(r.disturbance.at.ns(), "ns")}};
  }
  return {{"stages", stages},
          {"compared", count(r.compared)},
          {"data_mismatches", count(r.data_mismatches)},
          {"path_mismatches", count(r.path_mismatches)},
          {"time_differences", count(r.time_differences)},
          {"time_mismatches", count(r.time_mismatches)},
          {"disturbance", disturbance},
          {"speculation_differences", figure(r.speculation_differences, "ports")},
          {"hint_differences", figure(r.hint_differences, "ports and host bridge")},
          {"internal_dram_differences", figure(r.internal_dram_differences, "ports")},
          {"lookup_differences", count(r.lookup_differences)},
          {"latency_difference", figure(r.latency_difference_percent(), "%")},
          {"rtl_end", figure(r.rtl_end.ns(), "ns")},
          {"model_end", figure(r.model_end.ns(), "ns")}};
}

// Times that were not reached are null.
nlohmann::json outage_json(const LinkOutage& outage) {
  const auto at = [](Time time) {
    return time == Time::never() ? nlohmann::json() : figure(time.ns(), "ns");
  };
  nlohmann::json json = {{"port", outage.port},
                         {"down_at", at(outage.down_at)},
                         {"up_at", at(outage.up_at)},
                         {"recovered_at", at(outage.recovered_at)},
                         {"time_to_recover", nlohmann::json()},
                         {"replayed_reads", figure(outage.replayed_reads, "requests")},
                         {"replayed_writes", figure(outage.replayed_writes, "requests")},
                         {"held", figure(outage.held, "requests")}};
  if (outage.recovered()) json["time_to_recover"] = at(outage.recovered_at - outage.up_at);
  return json;
}

class CxlMachine : public Machine {
 public:
  CxlMachine(const RunConfig& config, const SessionOptions& options)
      : config_(config),
        options_(options),
        part_(media_part(config, options.config_dir / "media")),
        cached_(std::holds_alternative<FlashConfig>(part_.params)),
        stats_(config.endpoint.line_bytes) {
    check_collection(config, part_);
    check_images(config, part_);
    check_persist(config, part_);
  }

  void size(const RunInput& input) override;
  [[nodiscard]] const SystemMapParams& map() const override { return map_; }
  [[nodiscard]] GpuParams gpu_params() const override {
    GpuParams params = config_.gpu;
    params.local.part = local_part(config_, options_.config_dir / "media", map_.local_bytes);
    if (config_.persistent() != nullptr) {
      params.persist.base = map_.persistent_base;
      params.persist.bytes = map_.hdm_base + map_.hdm_size - map_.persistent_base;
      params.persist.through = !caches_survive();
      params.persist.awaited = config_.persist_by == PersistBy::Gpu;
    }
    if (map_.staged_bytes != 0) {
      params.persist.base = map_.staged_base();
      params.persist.bytes = map_.staged_bytes;
      params.persist.through = false;
    }
    if (plan_ != nullptr) {
      params.uncached = {{{config_.nvme.bar_base, nvme::reg::kBarBytes},
                          {config_.nvme.host_base, nvme::KvPlan::kHostBytes}}};
    }
    return params;
  }
  [[nodiscard]] Backdoor& contents(Gpu& gpu) override {
    if (options_.crash.journalled() && caches_survive() && !host_persists()) {
      gpu.watch_stores(&persist_log_);
    }
    memory_.emplace(gpu.local_memory(), *hdm_, map_);
    if (map_.staged_bytes != 0) load_staged(map_, *hdm_, *memory_);
    return *memory_;
  }
  [[nodiscard]] Initiator& initiator(Gpu& gpu) override;
  [[nodiscard]] RunGauges gauges() const override;
  [[nodiscard]] Engine& start() override;
  void watch_dies(Timeline& timeline) override {
    for (unsigned port = 0; port < config_.ports; ++port) {
      store_->watch_dies(port, &timeline.dies(port));
    }
  }
  [[nodiscard]] FlatMemory take_initial() override { return std::move(initial_); }

  void finish(const RunResult& result, RunOutcome& outcome) override;
  void add_findings(const CheckedEngine& checked, RunOutcome& outcome) const override;
  [[nodiscard]] FirstProblem first_problem() const override { return engine_->first_problem(); }
  [[nodiscard]] Time since_reset(Time of_run) const override {
    return engine_->since_reset(of_run);
  }
  void judge(const FlatMemory& written, RunOutcome& outcome) const override;

  void report(RunOutcome& outcome) override;
  [[nodiscard]] RunStats& stats() override { return stats_; }
  [[nodiscard]] const Journal* journal() const override {
    return options_.crash.journalled() ? &persist_log_.journal() : nullptr;
  }
  [[nodiscard]] std::optional<std::string> broken_promise(std::size_t events,
                                                          const FlatMemory& left) const override {
    if (map_.staged_bytes == 0 || !host_) return std::nullopt;
    const auto found = HostImages(map_.persistent_base, map_.staged_bytes).newest(left);
    const std::uint64_t there = found ? found->sequence : 0, promised = host_->promised(events);
    if (there >= promised) return std::nullopt;
    return fmt::format("the host had made image {} durable, and {} is there", promised, there);
  }
  void write_crash_images(const FlatMemory& memory, const std::string& dir) const override;
  void complete(nlohmann::json& document) const override {
    if (host_) document["host_persist"] = host_json(host_->counters());
    if (kv_) document["kv"] = kv_json(*kv_);
    if (engine_->cycles() != 0) document["rtl_cycles"] = figure(engine_->cycles(), "cycles");
  }
  [[nodiscard]] std::optional<std::string> close() override;

 private:
  // Nothing need leave the GPU's caches to survive.
  [[nodiscard]] bool caches_survive() const {
    return config_.persist_domain == PersistDomain::Host;
  }
  // A piece that the host makes durable.
  [[nodiscard]] bool host_persists() const {
    return config_.persist_by != PersistBy::Gpu && piece_bytes_ != 0;
  }

  const RunConfig& config_;
  const SessionOptions& options_;
  const MediaConfig part_;
  const bool cached_;  // endpoints have an internal DRAM
  unsigned sets_log2_ = 0;
  SystemMapParams map_;
  std::uint64_t piece_bytes_ = 0;                       // of the workload, what persists
  std::unique_ptr<EndpointMedia> store_, model_store_;  // the latter in a cosim
  FlatMemory initial_;
  std::optional<EveryCopy> hdm_;
  std::optional<SystemMemory> memory_;  // of a workload
  RunStats stats_;
  std::unique_ptr<SystemEngine> engine_;
  PersistLog persist_log_{[this](unsigned port, std::uint64_t dpa) {
    return store_->map().address({port, dpa});
  }};
  std::optional<JournalEngine> journalled_;
  std::optional<HostPersist> host_;
  nvme::KvPlan* plan_ = nullptr;  // of a workload that rings an NVMe controller
  std::optional<nvme::KvHost> kv_;
  std::optional<std::string> left_;  // why stores did not all arrive
};

void CxlMachine::size(const RunInput& input) {
  const std::uint64_t data_bytes = input.data_bytes;
  map_.hdm_base = config_.hdm.front().base;
  map_.hdm_size = hdm_end(config_) - map_.hdm_base;
  if (config_.persistent() != nullptr) map_.persistent_base = config_.persistent()->base;
  map_.local_bytes = input.workload ? local_share(config_, data_bytes) : 0;
  if (input.workload && config_.persistent() != nullptr) {
    piece_bytes_ = input.workload->persistent_bytes();
  }
  if (host_persists() && config_.persist_by != PersistBy::Ndp) {
    map_.staged_bytes = piece_bytes_;
    map_.local_bytes += map_.staged_room();
  }
  if (input.workload) plan_ = input.workload->kv_plan();
  // What the controller reaches is GPU memory: all of the data set.
  if (plan_ != nullptr) map_.local_bytes = (data_bytes + 4095) / 4096 * 4096;
  if (input.workload) check_fits(config_, data_bytes, map_.local_bytes);
  if (cached_) {
    check_cache_line(config_, part_, data_bytes);
    sets_log2_ = EndpointMedia::sets_log2(config_, data_bytes);
  }
  store_ = std::make_unique<EndpointMedia>(config_, part_, sets_log2_);
  std::vector<Backdoor*> copies = {&store_->map(), &initial_};
  if (config_.engine == "cosim") {
    model_store_ = std::make_unique<EndpointMedia>(config_, part_, sets_log2_);
    copies.push_back(&model_store_->map());
  }
  check_ds_place(config_, map_);
  if (!config_.endpoint.image_in.empty()) {
    store_->load_images(config_.endpoint.image_in, initial_);
    if (model_store_) model_store_->load_images(config_.endpoint.image_in, initial_);
  }
  hdm_.emplace(copies);
}

Initiator& CxlMachine::initiator(Gpu& gpu) {
  if (plan_ != nullptr) {
    const nvme::KvHostParams params{.config = config_.nvme,
                                    .map = map_,
                                    .flit = config_.link.flit_time(),
                                    .flight = Time{config_.link.flight_ps},
                                    .edge = kCycle * (config_.gpu.fabric_cycles / 2),
                                    .local = Time{config_.gpu.local.latency_ps},
                                    .area = store_->area(),
                                    .host_share = static_cast<double>(config_.paging.pcie.lanes) /
                                                  config_.paging.pcie.measured_lanes};
    return kv_.emplace(params, gpu, *store_->shared(), *plan_);
  }
  if (!host_persists()) return gpu;
  const HostPersistParams params{.by = config_.persist_by,
                                 .costs = config_.cap,
                                 .pcie = config_.paging.pcie,
                                 .syscall_ps = config_.io.kernel.syscall_ps,
                                 .file_system_ps = config_.io.kernel.file_system_ps,
                                 .map = map_,
                                 .piece_bytes = piece_bytes_};
  StoreWatcher* caches = options_.crash.journalled() ? &persist_log_ : nullptr;
  const Journal* journal = options_.crash.journalled() ? &persist_log_.journal() : nullptr;
  return host_.emplace(params, gpu, caches, *hdm_, journal);
}

// The parts hold the input when the link comes up.
Engine& CxlMachine::start() {
  check_waves_place(options_.engine.waves);  // which --out may have made
  EngineParts parts{{cached_, sets_log2_}, store_->media(), {}, &stats_};
  if (model_store_) parts.model_media = model_store_->media();
  if (options_.tap != nullptr) parts.sink = &options_.tap->before(stats_);
  engine_ = make_engine(config_, parts, options_.engine, options_.make_rtl);
  if (!options_.crash.journalled()) return *engine_;
  store_->watch(&persist_log_);
  const std::uint64_t bytes = map_.hdm_base + map_.hdm_size - map_.persistent_base;
  return journalled_.emplace(*engine_, persist_log_.journal(), map_.persistent_base,
                             caches_survive() ? 0 : bytes);
}

void CxlMachine::write_crash_images(const FlatMemory& memory, const std::string& dir) const {
  EndpointMedia parts(config_, part_, sets_log2_);
  for (const std::uint64_t page : memory.pages()) {
    std::array<std::uint8_t, FlatMemory::kPageBytes> bytes;
    memory.peek(page, bytes);
    parts.map().poke(page, bytes);
  }
  EndpointMedia::write_images(dir, parts.shut_down(Time{0}));
}

RunGauges CxlMachine::gauges() const {
  std::vector<MediaCounters> media;
  for (const Media* part : store_->media()) media.push_back(part->counters());
  RunGauges all = media_gauges(media);
  for (unsigned port = 0; port < config_.ports; ++port) {
    const LinkTotals link = engine_->link(port);
    all.flits_m2s += link.m2s.all;
    all.flits_s2m += link.s2m.all;
    all.damaged += link.m2s.damaged + link.s2m.damaged;
    all.retried += link.m2s.retry + link.s2m.retry;
  }
  return all;
}

void CxlMachine::finish(const RunResult& result, RunOutcome& outcome) {
  const bool done = result.status == RunStatus::Done;
  if (done) left_ = engine_->drain();
  outcome.end = result.end;
  outcome.drained = engine_->now();
  done ? engine_->finish() : engine_->abandon();
}

void CxlMachine::add_findings(const CheckedEngine&, RunOutcome& outcome) const {
  for (std::string& line : engine_->problems()) outcome.problems.push_back(std::move(line));
  if (!kv_ || outcome.unfinished) return;
  for (const std::string& line : kv_->problems()) {
    outcome.problems.push_back(line + "; replay: " + options_.engine.replay);
  }
}

void CxlMachine::judge(const FlatMemory& written, RunOutcome& outcome) const {
  const std::string& replay = options_.engine.replay;
  if (left_) {
    outcome.problems.push_back(*left_ + "; replay: " + replay);
    return;
  }
  add_differences(outcome, store_->map(), written, config_.engine, replay);
  if (model_store_) add_differences(outcome, model_store_->map(), written, "model", replay);
}

void CxlMachine::report(RunOutcome& outcome) {
  outcome.local_bytes = map_.local_bytes;
  if (cached_) {
    outcome.cache_bytes = EndpointMedia::cache_bytes(config_, sets_log2_) * config_.ports;
  }
  for (unsigned port = 0; port < config_.ports; ++port) {
    const LinkTotals link = engine_->link(port);
    outcome.m2s.push_back(link.m2s);
    outcome.s2m.push_back(link.s2m);
    outcome.media.push_back(store_->media()[port]->counters());
    outcome.speculation.push_back(engine_->speculation(port));
    outcome.hints.push_back(engine_->hints(port));
    outcome.internal_dram.push_back(engine_->internal_dram(port));
  }
  outcome.bridge_hints = engine_->bridge_hints();
  if (!options_.crash.at) {
    keep_images(config_, *store_, model_store_.get(), outcome.drained, options_.engine.replay,
                outcome);
  }
  if (engine_->cosim() != nullptr) outcome.cosim = cosim_json(*engine_->cosim());
  if (engine_->outage() != nullptr) outcome.outage = outage_json(*engine_->outage());
}

std::optional<std::string> CxlMachine::close() {
  const std::optional<std::string> no_waves = engine_->waves_problem();
  if (options_.engine.dumps() && !no_waves) {
    const Time end = kCycle * engine_->cycles();
    write_wave_files(options_.engine, config_, engine_->first_request(), end);
  }
  return no_waves;
}

}  // namespace

std::unique_ptr<Machine> make_cxl_machine(const RunConfig& config, const SessionOptions& options) {
  return std::make_unique<CxlMachine>(config, options);
}

}  // namespace cxlgpu
