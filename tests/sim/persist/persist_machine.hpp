// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
// A machine with a persistent range, whose every loss of power can be looked at.
//
// Purpose: the bench of the tests of persistence: GPU, engine, media, and a journal between them.
//          PersistMachine has the event-driven model; tests/system has one with the RTL.
#pragma once

#include <gtest/gtest.h>

#include <filesystem>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "model/engine.hpp"
#include "sim/config/config.hpp"
#include "sim/config/configurations.hpp"
#include "sim/gpu/gpu.hpp"
#include "sim/host/run.hpp"
#include "sim/host/scoreboard.hpp"
#include "sim/machine/endpoint_media.hpp"
#include "sim/persist/crash_walk.hpp"
#include "sim/persist/persist_log.hpp"
#include "sim/workloads/workload.hpp"

namespace cxlgpu {

inline RunConfig persist_config(const std::string& scenario, std::vector<std::string> sets,
                                const std::string& engine = "model") {
  const std::filesystem::path dir = CXLGPU_SOURCE_DIR "/configs";
  sets.insert(sets.begin(), "run.engine=" + engine);
  const ConfigLoader loader(dir,
                            {workload_names(), media_names(dir / "media"), configuration_names()});
  return loader.load(scenario, sets);
}

inline SystemMapParams map_of(const RunConfig& config, std::uint64_t local_bytes = 1 << 20) {
  SystemMapParams map;
  map.hdm_base = config.hdm.front().base;
  map.hdm_size = config.hdm.back().base + config.hdm.back().size - map.hdm_base;
  map.local_bytes = local_bytes;
  if (config.persistent() != nullptr) map.persistent_base = config.persistent()->base;
  return map;
}

inline GpuParams gpu_of(const RunConfig& config) {
  GpuParams params = config.gpu;
  const SystemMapParams map = map_of(config);
  if (config.persistent() != nullptr) {
    params.persist.base = map.persistent_base;
    params.persist.bytes = map.hdm_base + map.hdm_size - map.persistent_base;
    params.persist.through = config.persist_domain != PersistDomain::Host;
  }
  return params;
}

// `Under`: made and asked as ModelEngine is; kName is its run.engine.
struct ModelUnderTest : ModelEngine {
  static constexpr const char* kName = "model";
  using ModelEngine::ModelEngine;
};

template <typename Under>
struct BasicPersistMachine {
  // What stands between an endpoint and its media instead of what is there.
  using Wrap = std::function<std::unique_ptr<Media>(Media&)>;
  explicit BasicPersistMachine(const std::string& scenario,
                               const std::vector<std::string>& sets = {},
                               const Wrap& wrap = nullptr)
      : config(persist_config(scenario, sets, Under::kName)),
        part(load_media_config(CXLGPU_SOURCE_DIR "/configs/media/" + config.media + ".yaml")),
        map(map_of(config)),
        media(config, part, kSets),
        engine(config, {EndpointMedia::keeps(part), kSets}, wrapped(wrap), nullptr),
        persist_log([this](unsigned port, std::uint64_t dpa) {
          return media.map().address({port, dpa});
        }),
        journalled(engine, persist_log.journal(), map.persistent_base,
                   gpu_of(config).persist.through ? gpu_of(config).persist.bytes : 0),
        checked(journalled),
        gpu(gpu_of(config), map),
        hdm(media.map(), checked.shadow()),
        memory(gpu.local_memory(), hdm, map),
        allocator(map) {
    media.watch(&persist_log);
    if (!gpu_of(config).persist.through) gpu.watch_stores(&persist_log);
  }
  // The RTL ends its run as it goes, after the log has gone.
  ~BasicPersistMachine() { media.watch(nullptr); }
  BasicPersistMachine(const BasicPersistMachine&) = delete;
  BasicPersistMachine& operator=(const BasicPersistMachine&) = delete;

  void run_clean(bool may_refuse = false) {
    const RunResult result = run(gpu, checked, Time{10'000'000'000'000});
    ASSERT_EQ(result.status, RunStatus::Done) << to_string(result.status);
    EXPECT_TRUE(may_refuse || checked.clean());
    EXPECT_EQ(checked.mismatches(), 0U);
    EXPECT_EQ(gpu.live_operations(), 0U);
  }
  [[nodiscard]] const Journal& journal() { return persist_log.journal(); }
  [[nodiscard]] WalkResult walk(const WalkOptions& options, const CrashCheck& check) {
    return walk_crashes(journal(), before, options, check);
  }

  [[nodiscard]] std::vector<Media*> wrapped(const Wrap& wrap) {
    if (!wrap) return media.media();
    std::vector<Media*> all;
    for (Media* part_of_port : media.media()) {
      wrappers.push_back(wrap(*part_of_port));
      all.push_back(wrappers.back().get());
    }
    return all;
  }

  static constexpr unsigned kSets = 3;
  RunConfig config;
  MediaConfig part;
  SystemMapParams map;
  EndpointMedia media;
  std::vector<std::unique_ptr<Media>> wrappers;
  Under engine;
  PersistLog persist_log;
  JournalEngine journalled;
  CheckedEngine checked;
  Gpu gpu;
  TeeBackdoor hdm;
  SystemMemory memory;
  Allocator allocator;
  FlatMemory before;  // persistent contents at the start
};

using PersistMachine = BasicPersistMachine<ModelUnderTest>;

// An element of memory that a loss of power left.
template <typename T>
T left_in(const FlatMemory& memory, const DeviceArray<T>& array, std::uint64_t index = 0) {
  T value;
  memory.peek(array.address(index), {reinterpret_cast<std::uint8_t*>(&value), sizeof value});
  return value;
}

}  // namespace cxlgpu
