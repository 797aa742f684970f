// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
// What a run is refused for before anything is simulated: settings that only together are wrong.
//
// Errors:  InputError, one line: where the key was given, the key, what is wrong, what to do.
#pragma once

#include <filesystem>
#include <optional>
#include <string>

#include "sim/config/config.hpp"
#include "sim/gpu/gpu_config.hpp"
#include "sim/media/media_config.hpp"

namespace cxlgpu {

// A machine that the engine's RTL is not, by configs/rtl.
void check_machine(const RunConfig& config);
// The part that the run names, with what media.* overrules of its file.
[[nodiscard]] MediaConfig media_part(const RunConfig& config, const std::filesystem::path& media);
// endpoint.gc_* without flash.
void check_collection(const RunConfig& config, const MediaConfig& part);
// endpoint.image_* of a part that keeps nothing, or that name no folder.
void check_images(const RunConfig& config, const MediaConfig& part);
// Persistent ranges of a part that has no medium to keep them, as persist.domain wants it.
void check_persist(const RunConfig& config, const MediaConfig& part);
// endpoint.line_bytes, too long for the internal DRAM's ways if all of the data set has
// `data_bytes`; of a flash part longer than its page, too.
void check_cache_room(const RunConfig& config, std::uint64_t data_bytes);
void check_cache_line(const RunConfig& config, const MediaConfig& part, std::uint64_t data_bytes);
// The DRAM behind local memory, which must hold `bytes`; nothing for "none".
std::optional<DramConfig> local_part(const RunConfig& config, const std::filesystem::path& media,
                                     std::uint64_t bytes);
// Deterministic store has its own part of GPU memory.
// An NVMe controller, and a workload that rings one, go together.
void check_kv(const RunConfig& config, bool rings);
void check_ds_place(const RunConfig& config, const SystemMapParams& map);

}  // namespace cxlgpu
