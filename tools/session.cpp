// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
#include "tools/session.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <memory>
#include <optional>

#include "common/input_error.hpp"
#include "sim/gpu/gpu.hpp"
#include "sim/host/run.hpp"
#include "sim/host/scoreboard.hpp"
#include "sim/host/trace_initiator.hpp"
#include "sim/machine/endpoint_media.hpp"
#include "sim/media/media_config.hpp"
#include "sim/workloads/workload.hpp"
#include "tools/event_log.hpp"
#include "tools/figure.hpp"
#include "tools/gpu_figures.hpp"
#include "tools/paged_session.hpp"
#include "tools/run_checks.hpp"
#include "tools/session_parts.hpp"
#include "tools/summary.hpp"
#include "tools/write_file.hpp"

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
  return {{"stages", stages},
          {"compared", count(r.compared)},
          {"data_mismatches", count(r.data_mismatches)},
          {"path_mismatches", count(r.path_mismatches)},
          {"time_differences", count(r.time_differences)},
          {"speculation_differences", figure(r.speculation_differences, "ports")},
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

}  // namespace

ScenarioNames scenario_names(const std::filesystem::path& config_dir) {
  return {workload_names(),
          media_names(config_dir / "media"),
          {"cxl", "naive", "dyn", "sr", "stream", "ds", "gpu-dram", "uvm", "gds", "phoenix"}};
}

int run_session(const RunConfig& config, const SessionOptions& options) {
  if (config.memory != MemoryKind::Cxl) return run_paged_session(config, options);
  const std::uint64_t base = config.hdm.front().base;
  const MediaConfig part =
      load_media_config(options.config_dir / "media" / (config.media + ".yaml"));
  check_collection(config, part);
  check_images(config, part);

  RunInput input = make_input(config, options.trace);
  const std::uint64_t data_bytes = input.data_bytes;
  Workload* const workload = input.workload.get();
  if (workload) check_fits(config, data_bytes, local_share(config, data_bytes));

  const bool cached = std::holds_alternative<FlashConfig>(part.params);
  if (cached) check_cache_line(config, part, data_bytes);
  const unsigned sets_log2 = cached ? EndpointMedia::sets_log2(config, data_bytes) : 0;
  EndpointMedia store(config, part, sets_log2);
  std::unique_ptr<EndpointMedia> model_store;
  RunStats stats(config.endpoint.line_bytes);
  EngineParts parts{{cached, sets_log2}, store.media(), {}, &stats};
  if (config.engine == "cosim") {
    model_store = std::make_unique<EndpointMedia>(config, part, sets_log2);
    parts.model_media = model_store->media();
  }

  // Contents before bring-up: the parts hold the input when the link comes up.
  SystemMapParams map;
  map.hdm_base = base;
  map.hdm_size = hdm_end(config) - base;
  map.local_bytes = workload ? local_share(config, data_bytes) : 0;
  check_ds_place(config, map);
  std::unique_ptr<Gpu> gpu;
  std::unique_ptr<TraceInitiator> replay;
  Initiator* initiator = nullptr;
  FlatMemory initial;
  if (!config.endpoint.image_in.empty()) {
    store.load_images(config.endpoint.image_in, initial);
    if (model_store) model_store->load_images(config.endpoint.image_in, initial);
  }
  std::vector<Backdoor*> copies = {&store.map(), &initial};
  if (model_store) copies.push_back(&model_store->map());
  EveryCopy hdm(copies);
  std::unique_ptr<SystemMemory> memory;
  if (workload) {
    GpuParams params = config.gpu;
    params.local.part = local_part(config, options.config_dir / "media", map.local_bytes);
    gpu = std::make_unique<Gpu>(params, map);
    memory = std::make_unique<SystemMemory>(gpu->local_memory(), hdm, map);
    Allocator allocator(map);
    workload->setup(allocator, *memory);
    workload->launch(*gpu);
    initiator = gpu.get();
  } else {
    replay = make_replay(config, std::move(input));
    initiator = replay.get();
  }

  const ResultFolder folder(options.out);
  check_waves_place(options.engine.waves);
  std::optional<EventLog> events;
  if (!options.events.empty()) events.emplace(options.events);
  TraceFanOut sinks(events ? std::vector<TraceSink*>{&stats, &*events}
                           : std::vector<TraceSink*>{&stats});
  if (events) parts.sink = &sinks;
  const std::unique_ptr<SystemEngine> engine = make_engine(config, parts, options.engine);
  CheckedEngine checked(*engine);
  checked.shadow() = std::move(initial);

  const auto wall = std::chrono::steady_clock::now();
  const RunResult result = run_to_limit(*initiator, checked, config);
  RunOutcome outcome;
  outcome.wall_seconds =
      std::chrono::duration<double>(std::chrono::steady_clock::now() - wall).count();
  const bool done = result.status == RunStatus::Done;
  const std::optional<std::string> left = done ? engine->drain() : std::nullopt;
  outcome.drained = engine->now();
  done ? engine->finish() : engine->abandon();

  outcome.config = config;
  outcome.command = options.engine.replay;
  outcome.end = result.end;
  outcome.data_bytes = data_bytes;
  outcome.local_bytes = map.local_bytes;
  outcome.cache_bytes = cached ? EndpointMedia::cache_bytes(config, sets_log2) * config.ports : 0;
  outcome.reads_checked = checked.reads();
  outcome.writes_sent = checked.writes();
  outcome.mismatches = checked.mismatches();
  add_findings(outcome, checked, options.engine.replay);
  for (std::string& line : engine->problems()) outcome.problems.push_back(std::move(line));
  add_ending(outcome, result, checked, gpu.get(), replay.get(), options);
  if (!done) {
    // What is in flight has no contents to be held against.
  } else if (left) {
    outcome.problems.push_back(*left + "; replay: " + options.engine.replay);
  } else {
    add_differences(outcome, store.map(), checked.shadow(), config.engine, options.engine.replay);
    if (model_store) {
      add_differences(outcome, model_store->map(), checked.shadow(), "model",
                      options.engine.replay);
    }
  }
  if (done && workload) {
    if (const auto wrong = workload->verify(*memory)) {
      outcome.problems.push_back(
          fmt::format("{}: {}; replay: {}", config.workload.name, *wrong, options.engine.replay));
    }
  }
  for (unsigned port = 0; port < config.ports; ++port) {
    const LinkTotals link = engine->link(port);
    outcome.m2s.push_back(link.m2s);
    outcome.s2m.push_back(link.s2m);
    outcome.media.push_back(store.media()[port]->counters());
    outcome.speculation.push_back(engine->speculation(port));
    outcome.internal_dram.push_back(engine->internal_dram(port));
  }
  keep_images(config, store, model_store.get(), outcome.drained, options.engine.replay, outcome);
  if (gpu) outcome.gpu = gpu_json(gpu->stats(), config.gpu);
  if (engine->cosim() != nullptr) outcome.cosim = cosim_json(*engine->cosim());
  if (engine->outage() != nullptr) outcome.outage = outage_json(*engine->outage());
  nlohmann::json document = to_json(outcome, stats);
  if (engine->cycles() != 0) {
    document["rtl_cycles"] = {{"value", engine->cycles()}, {"unit", "cycles"}};
  }
  if (events) events->close();
  const std::optional<std::string> no_waves = engine->waves_problem();
  if (!options.engine.waves.empty() && !no_waves) {
    write_wave_files(options.engine, config.ports, engine->first_request());
  }
  const int status = finish_session(outcome, document, options);
  if (!no_waves) return status;
  fmt::print(stderr, "{}\n", one_line(*no_waves));
  return status == 0 ? 2 : status;
}

}  // namespace cxlgpu
