#include "tools/paged_session.hpp"

#include <fmt/format.h>

#include <chrono>
#include <cstdio>
#include <optional>

#include "refmodel/common/input_error.hpp"
#include "refmodel/gpu/gpu.hpp"
#include "refmodel/host/fixed_latency_engine.hpp"
#include "refmodel/host/run.hpp"
#include "tools/run_checks.hpp"
#include "tools/session_parts.hpp"
#include "tools/summary.hpp"
#include "tools/write_file.hpp"

namespace cxlgpu {

namespace {

// Settings of a CXL system that would be passed over in silence.
void check_options(const RunConfig& config, const SessionOptions& options) {
  const std::string_view memory = to_string(config.memory);
  if (config.engine != "model") {
    throw InputError(fmt::format(
        "{}: key 'run.engine': '{}' is of CXL systems, '{}' has none; use --engine model",
        config.scenario, config.engine, memory));
  }
  for (const auto& [option, file] : {std::pair{"--waves", &options.engine.waves},
                                     {"--flit-log", &options.engine.flit_log},
                                     {"--events", &options.events}}) {
    if (file->empty()) continue;
    throw InputError(
        fmt::format("{}: '{}' has no CXL link to look at; leave it out or use configuration cxl",
                    option, memory));
  }
  for (const auto& [key, given] :
       {std::pair{"endpoint.gc_busy_us", config.endpoint.gc_busy_us != 0},
        {"endpoint.image_in", !config.endpoint.image_in.empty()},
        {"endpoint.image_out", !config.endpoint.image_out.empty()}}) {
    if (!given) continue;
    throw InputError(fmt::format("{}: key '{}': '{}' has no CXL endpoint; leave it out",
                                 config.place(key, config.scenario), key, memory));
  }
}

SystemMapParams system_map(const RunConfig& config) {
  SystemMapParams map;
  map.hdm_base = config.hdm.front().base;
  map.hdm_size = hdm_end(config) - map.hdm_base;
  return map;
}

// All data in GPU memory; the engine behind it is never asked.
int run_gpu_dram(const RunConfig& config, const SessionOptions& options) {
  if (!options.trace.empty()) {
    throw InputError(
        "--trace: it begins behind GPU memory, in which 'gpu-dram' keeps all; use another "
        "configuration");
  }
  RunInput input = make_input(config, "");
  SystemMapParams map = system_map(config);
  map.local_bytes = (input.data_bytes + kPageBytes - 1) / kPageBytes * kPageBytes;
  GpuParams params = config.gpu;
  params.fabric_cycles = 0;  // the engine is GPU memory itself, whose latency holds the way there
  params.local.part = local_part(config, options.config_dir / "media", map.local_bytes);
  Gpu gpu(params, map);
  FixedLatencyEngine nobody;
  CheckedEngine checked(nobody);
  SystemMemory memory(gpu.local_memory(), checked.shadow(), map);
  Allocator allocator(map);
  input.workload->setup(allocator, memory);
  input.workload->launch(gpu);
  make_folder(options.out);

  const auto wall = std::chrono::steady_clock::now();
  const RunResult result = run(gpu, checked, Time{config.limit_us * 1000000});
  RunOutcome outcome;
  outcome.wall_seconds =
      std::chrono::duration<double>(std::chrono::steady_clock::now() - wall).count();
  outcome.config = config;
  outcome.end = outcome.drained = result.end;
  outcome.data_bytes = input.data_bytes;
  outcome.local_bytes = map.local_bytes;
  outcome.gpu = gpu_json(gpu.stats());
  if (result.status != RunStatus::Done) {
    outcome.problems.push_back(fmt::format("{} at {:.0f} ns; replay: {}", to_string(result.status),
                                           result.end.ns(), options.engine.replay));
  } else if (const auto wrong = input.workload->verify(memory)) {
    outcome.problems.push_back(
        fmt::format("{}: {}; replay: {}", config.workload.name, *wrong, options.engine.replay));
  }
  if (checked.reads() + checked.writes() != 0) {
    outcome.problems.push_back(fmt::format("{} requests left GPU memory; replay: {}",
                                           checked.reads() + checked.writes(),
                                           options.engine.replay));
  }
  return finish_session(outcome, to_json(outcome, RunStats()), options);
}

}  // namespace

int run_paged_session(const RunConfig& config, const SessionOptions& options) {
  check_options(config, options);
  return run_gpu_dram(config, options);
}

}  // namespace cxlgpu
