// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
#include "sim/machine/run_checks.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "common/input_error.hpp"
#include "common/nearest.hpp"
#include "sim/gpu/ds_region.hpp"
#include "sim/machine/endpoint_media.hpp"

namespace cxlgpu {

void check_machine(const RunConfig& config) {
  if (config.engine != "model") check_build(config);
}

MediaConfig media_part(const RunConfig& config, const std::filesystem::path& media) {
  MediaConfig part = load_media_config(media / (config.media + ".yaml"));
  const auto refuse = [&](const std::string& key, const std::string& what) {
    throw InputError(fmt::format("{}: key '{}': media '{}' {}", config.place(key, config.scenario),
                                 key, part.name, what));
  };
  auto* flash = std::get_if<FlashConfig>(&part.params);
  const std::string share = "media.share_page_register", suspend = "media.suspend",
                    striping = "media.striping";
  // A file, of a machine or of a scenario, may name them for any medium: of one that is no flash
  // they say nothing. Who gives one for this run means its medium.
  const auto is_flash = [&](const std::string& key, const std::string& what) {
    if (flash == nullptr && config.place(key, "") == "--set") refuse(key, what);
    return flash != nullptr;
  };
  if (config.share_page_register != "part" &&
      is_flash(share, "has no page register; leave it out or choose flash")) {
    flash->share_page_register = share_page_register_of(config.share_page_register);
  }
  if (config.striping != "part" &&
      is_flash(striping, "has no dies to stripe over; leave it out or choose flash")) {
    flash->striping = config.striping == "permuted" ? Striping::Permuted : Striping::Linear;
    if (const std::string problem = flash->permuted_problem();
        flash->striping == Striping::Permuted && !problem.empty()) {
      refuse(striping, "cannot be permuted: that " + problem);
    }
  }
  if (config.suspend != "part" && config.suspend != "none" &&
      is_flash(suspend, "has nothing to suspend; leave it out or choose flash")) {
    if (!flash->has_suspend) {
      refuse(suspend, "has no section suspend in its file; write one, or leave the key out");
    }
    if (config.suspend != "programs" && !flash->translation) {
      refuse(suspend, "is never erased; use programs or none");
    }
  }
  if (config.suspend != "part" && flash != nullptr) flash->suspend.choose(config.suspend);
  return part;
}

void check_collection(const RunConfig& config, const MediaConfig& part) {
  const std::string key = "endpoint.gc_busy_us";
  if (config.endpoint.gc_busy_us == 0 || std::holds_alternative<FlashConfig>(part.params)) return;
  throw InputError(fmt::format(
      "{}: key '{}': media '{}' has no flash dies to collect; leave gc_* out or choose flash",
      config.places.at(key), key, part.name));
}

void check_images(const RunConfig& config, const MediaConfig& part) {
  for (const auto& [key, dir] : {std::pair{"endpoint.image_in", &config.endpoint.image_in},
                                 {"endpoint.image_out", &config.endpoint.image_out}}) {
    if (dir->empty()) continue;
    if (!EndpointMedia::keeps(part)) {
      throw InputError(fmt::format(
          "{}: key '{}': media '{}' keeps nothing without power; leave image_* out or choose flash",
          config.places.at(key), key, part.name));
    }
    std::error_code ignored;
    if (std::filesystem::exists(*dir, ignored) && !std::filesystem::is_directory(*dir, ignored)) {
      throw InputError(fmt::format("{}: key '{}': '{}' is not a folder; name one",
                                   config.places.at(key), key, *dir));
    }
  }
}

void check_persist(const RunConfig& config, const MediaConfig& part) {
  const bool endpoint = config.persist_domain == PersistDomain::Device ||
                        config.persist_domain == PersistDomain::Host;
  const std::string key = "persist.domain";
  // As elsewhere: a file may say it for any medium; who gives it for this run means its medium.
  if (config.persistent() == nullptr || endpoint || EndpointMedia::keeps(part) ||
      config.place(key, "") != "--set") {
    return;
  }
  throw InputError(
      fmt::format("{}: key '{}': media '{}' has neither pages nor a write buffer; use device or "
                  "host, for DRAM that is backed up, or choose flash",
                  config.place(key, config.scenario), key, part.name));
}

namespace {

[[noreturn]] void refuse_line(const RunConfig& config, const std::string& what) {
  const std::string key = "endpoint.line_bytes";
  throw InputError(fmt::format("{}: key '{}': {} {}", config.place(key, config.scenario), key,
                               config.endpoint.line_bytes, what));
}

}  // namespace

void check_cache_room(const RunConfig& config, std::uint64_t data_bytes) {
  const std::uint64_t room = EndpointMedia::share_bytes(config, data_bytes);
  const std::uint64_t least = EndpointMedia::cache_bytes(config, 0);
  if (config.endpoint.line_bytes != EndpointConfig{}.line_bytes && room < least) {
    refuse_line(
        config,
        fmt::format("makes an internal DRAM of at least {} bytes a port, endpoint.cache_bytes "
                    "or cache_percent leaves it {}; lower the one or raise the other",
                    least, room));
  }
}

void check_cache_line(const RunConfig& config, const MediaConfig& part, std::uint64_t data_bytes) {
  const std::uint32_t page = std::get<FlashConfig>(part.params).page_bytes;
  if (config.endpoint.line_bytes > page) {
    refuse_line(config,
                fmt::format("is longer than a page of '{}', {} bytes; lower it", part.name, page));
  }
  check_cache_room(config, data_bytes);
}

std::optional<DramConfig> local_part(const RunConfig& config, const std::filesystem::path& media,
                                     std::uint64_t bytes) {
  if (config.local_part == "none") return std::nullopt;
  const auto refuse = [&config](const std::string& key, const std::string& what) {
    throw InputError(
        fmt::format("{}: key '{}': {}", config.place(key, config.scenario), key, what));
  };
  const std::vector<std::string> names = media_names(media);
  if (std::find(names.begin(), names.end(), config.local_part) == names.end()) {
    refuse("local_memory.part",
           fmt::format("'{}' is not known; {}use {} or none", config.local_part,
                       did_you_mean(config.local_part, names), fmt::join(names, ", ")));
  }
  const MediaConfig file = load_media_config(media / (config.local_part + ".yaml"));
  if (!std::holds_alternative<DramConfig>(file.params)) {
    refuse("local_memory.part",
           fmt::format("'{}' is no DRAM; choose a part of that kind", config.local_part));
  }
  DramConfig part = std::get<DramConfig>(file.params);
  if (config.local_sub_channels > part.sub_channels) {
    refuse("local_memory.sub_channels",
           fmt::format("{} are more than the {} of '{}'; lower it", config.local_sub_channels,
                       part.sub_channels, config.local_part));
  }
  part.capacity = part.capacity / part.sub_channels * config.local_sub_channels;
  part.sub_channels = config.local_sub_channels;
  if (bytes > part.capacity) {
    refuse("local_memory.percent_of_data",
           fmt::format("makes {} bytes, '{}' holds {}; lower it or use more sub_channels", bytes,
                       config.local_part, part.capacity));
  }
  if (part.idle_read() > Time{config.gpu.local.latency_ps}) {
    refuse("local_memory.latency_ps",
           fmt::format("{} is less than the {} of '{}' itself; raise it",
                       config.gpu.local.latency_ps, part.idle_read().ps, config.local_part));
  }
  return part;
}

void check_kv(const RunConfig& config, bool rings) {
  const bool on = config.memory == MemoryKind::Cxl && config.nvme.on();
  const auto refuse = [&](const std::string& what) {
    throw InputError(fmt::format("{}: {}", config.place("kv.interface", config.scenario), what));
  };
  if (rings && !on) {
    throw InputError(
        fmt::format("{}: workload '{}' rings an NVMe controller, which the machine does not have; "
                    "use configuration kv or kv-block",
                    config.scenario, config.workload.name));
  }
  if (!on) return;
  if (!rings) {
    refuse(
        "key 'kv.interface': nothing rings the NVMe controller; use workload kvput or kvget, or "
        "another configuration");
  }
  if (config.persistent() != nullptr) {
    refuse(
        "key 'kv.interface': a range of hdm.ranges persists, beside which there is no NVMe "
        "controller yet; leave persistent out");
  }
  if (config.root_port.ds) {
    refuse(
        "key 'kv.interface': with deterministic store there is no NVMe controller yet; use "
        "root_port.ds=false");
  }
}

void check_ds_place(const RunConfig& config, const SystemMapParams& map) {
  if (!config.root_port.ds) return;
  const std::uint64_t end = DsRegion::base_of(config.ds_base, config.ports);
  const std::uint64_t data = map.hdm_base - map.local_bytes;
  if (end <= data || config.ds_base >= map.hdm_base + map.hdm_size) return;
  throw InputError(fmt::format(
      "{}: key 'local_memory.ds_base': 0x{:x}..0x{:x} is not free; use an address from 0 to 0x{:x}",
      config.scenario, config.ds_base, end - 1,
      data < end - config.ds_base
          ? 0
          : (data - (end - config.ds_base)) / DsRegion::kPortBytes * DsRegion::kPortBytes));
}

}  // namespace cxlgpu
