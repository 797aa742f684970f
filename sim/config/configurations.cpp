// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
#include "sim/config/configurations.hpp"

#include <algorithm>
#include <array>
#include <optional>
#include <stdexcept>

namespace cxlgpu {

namespace {

struct Configuration {
  const char* name;
  std::optional<MemoryKind> memory = {};
  std::optional<SrPolicy> policy = {};
  std::optional<bool> spec_length = {};
  std::optional<bool> ds = {};
  std::optional<PersistDomain> persist = {};  // with a range of its own
  PersistBy by = PersistBy::Gpu;
  nvme::Interface kv = nvme::Interface::None;
};

// As the last of those that are there, behind it.
void add_persistent_range(RunConfig& config) {
  if (config.persistent() != nullptr || config.hdm.empty()) return;
  HdmRange range = config.hdm.back();
  range.base += range.size;
  range.persistent = true;
  config.hdm.push_back(range);
}

constexpr std::array<Configuration, 27> kConfigurations = {
    {{.name = "cxl", .memory = MemoryKind::Cxl, .policy = SrPolicy::Off},
     {.name = "naive", .policy = SrPolicy::Naive, .spec_length = false},
     {.name = "dyn", .policy = SrPolicy::Dyn},
     {.name = "sr", .policy = SrPolicy::Sr},
     {.name = "sr-paper", .policy = SrPolicy::SrPaper},
     {.name = "stream", .policy = SrPolicy::Stream},
     {.name = "stride", .policy = SrPolicy::Stride},
     {.name = "best-offset", .policy = SrPolicy::BestOffset},
     {.name = "access-map", .policy = SrPolicy::AccessMap},
     {.name = "footprint", .policy = SrPolicy::Footprint},
     {.name = "ds", .policy = SrPolicy::Sr, .ds = true},
     {.name = "gpm",
      .memory = MemoryKind::Cxl,
      .policy = SrPolicy::Off,
      .persist = PersistDomain::Buffer},
     {.name = "gpm-eadr",
      .memory = MemoryKind::Cxl,
      .policy = SrPolicy::Off,
      .persist = PersistDomain::Host},
     {.name = "gpm-ndp",
      .memory = MemoryKind::Cxl,
      .policy = SrPolicy::Off,
      .persist = PersistDomain::Buffer,
      .by = PersistBy::Ndp},
     {.name = "cap-fs",
      .memory = MemoryKind::Cxl,
      .policy = SrPolicy::Off,
      .persist = PersistDomain::Buffer,
      .by = PersistBy::CapFs},
     {.name = "cap-mm",
      .memory = MemoryKind::Cxl,
      .policy = SrPolicy::Off,
      .persist = PersistDomain::Buffer,
      .by = PersistBy::CapMm},
     {.name = "cap-eadr",
      .memory = MemoryKind::Cxl,
      .policy = SrPolicy::Off,
      .persist = PersistDomain::Host,
      .by = PersistBy::CapEadr},
     {.name = "kv",
      .memory = MemoryKind::Cxl,
      .policy = SrPolicy::Off,
      .kv = nvme::Interface::Keys},
     {.name = "kv-block",
      .memory = MemoryKind::Cxl,
      .policy = SrPolicy::Off,
      .kv = nvme::Interface::Blocks},
     {.name = "gpu-dram", .memory = MemoryKind::GpuDram},
     {.name = "uvm", .memory = MemoryKind::Uvm},
     {.name = "gds", .memory = MemoryKind::Gds},
     {.name = "phoenix", .memory = MemoryKind::Phoenix},
     {.name = "posix", .memory = MemoryKind::Posix},
     {.name = "direct", .memory = MemoryKind::Direct},
     {.name = "static", .memory = MemoryKind::Static},
     {.name = "mma", .memory = MemoryKind::Mma}}};

}  // namespace

std::vector<std::string> configuration_names() {
  std::vector<std::string> names;
  for (const Configuration& row : kConfigurations) names.emplace_back(row.name);
  return names;
}

void apply_configuration(RunConfig& config, const std::string& name) {
  const auto* row = std::find_if(kConfigurations.begin(), kConfigurations.end(),
                                 [&name](const Configuration& c) { return c.name == name; });
  if (row == kConfigurations.end()) throw std::logic_error("no configuration '" + name + "'");
  if (row->memory) config.memory = *row->memory;
  if (row->policy) config.root_port.policy = *row->policy;
  if (row->spec_length) config.root_port.spec_length = *row->spec_length;
  if (row->ds) config.root_port.ds = *row->ds;
  if (row->kv != nvme::Interface::None) config.nvme.interface = row->kv;
  if (row->persist) {
    config.persist_domain = *row->persist;
    config.persist_by = row->by;
    add_persistent_range(config);
  }
}

}  // namespace cxlgpu
