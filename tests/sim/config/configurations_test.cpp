// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
// Configuration names: what each means, and that the guide's table has them all.
#include "sim/config/configurations.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <map>
#include <optional>
#include <set>

namespace cxlgpu {
namespace {

struct Means {
  MemoryKind memory = MemoryKind::Cxl;
  SrPolicy policy = SrPolicy::Off;
  bool spec_length = true, ds = false;
  std::optional<PersistDomain> persists = {};
  PersistBy by = PersistBy::Gpu;
  nvme::Interface kv = nvme::Interface::None;
};

// By hand, from the guide.
const std::map<std::string, Means> kMeans = {
    {"cxl", {}},
    {"naive", {.policy = SrPolicy::Naive, .spec_length = false}},
    {"dyn", {.policy = SrPolicy::Dyn}},
    {"sr", {.policy = SrPolicy::Sr}},
    {"sr-paper", {.policy = SrPolicy::SrPaper}},
    {"stream", {.policy = SrPolicy::Stream}},
    {"stride", {.policy = SrPolicy::Stride}},
    {"best-offset", {.policy = SrPolicy::BestOffset}},
    {"access-map", {.policy = SrPolicy::AccessMap}},
    {"footprint", {.policy = SrPolicy::Footprint}},
    {"ds", {.policy = SrPolicy::Sr, .ds = true}},
    {"gpm", {.persists = PersistDomain::Buffer}},
    {"gpm-eadr", {.persists = PersistDomain::Host}},
    {"gpm-ndp", {.persists = PersistDomain::Buffer, .by = PersistBy::Ndp}},
    {"cap-fs", {.persists = PersistDomain::Buffer, .by = PersistBy::CapFs}},
    {"cap-mm", {.persists = PersistDomain::Buffer, .by = PersistBy::CapMm}},
    {"cap-eadr", {.persists = PersistDomain::Host, .by = PersistBy::CapEadr}},
    {"kv", {.kv = nvme::Interface::Keys}},
    {"kv-block", {.kv = nvme::Interface::Blocks}},
    {"gpu-dram", {.memory = MemoryKind::GpuDram}},
    {"uvm", {.memory = MemoryKind::Uvm}},
    {"gds", {.memory = MemoryKind::Gds}},
    {"phoenix", {.memory = MemoryKind::Phoenix}},
    {"posix", {.memory = MemoryKind::Posix}},
    {"direct", {.memory = MemoryKind::Direct}},
    {"static", {.memory = MemoryKind::Static}},
    {"mma", {.memory = MemoryKind::Mma}}};

TEST(Configurations, EachNameMeansWhatTheGuideSays) {
  const std::vector<std::string> names = configuration_names();
  EXPECT_EQ(names.size(), kMeans.size());
  const ConfigLoader loader(CXLGPU_SOURCE_DIR "/configs", {{"vadd"}, {"dram"}, names});
  for (const std::string& name : names) {
    SCOPED_TRACE(name);
    ASSERT_TRUE(kMeans.contains(name));
    const Means& means = kMeans.at(name);
    const RunConfig config = loader.load("vadd-dram-" + name, {});
    EXPECT_EQ(config.memory, means.memory);
    EXPECT_EQ(config.root_port.policy, means.policy);
    EXPECT_EQ(config.root_port.spec_length, means.spec_length);
    EXPECT_EQ(config.root_port.ds, means.ds);
    EXPECT_EQ(config.persistent() != nullptr, means.persists.has_value());
    EXPECT_EQ(config.persist_by, means.by);
    EXPECT_EQ(config.nvme.interface, means.kv);
    if (means.persists) {
      EXPECT_EQ(config.persist_domain, *means.persists);
      EXPECT_EQ(config.hdm.size(), 2U);
      EXPECT_TRUE(config.hdm[1].persistent && !config.hdm[0].persistent);
      EXPECT_EQ(config.hdm[1].base, config.hdm[0].base + config.hdm[0].size);
    }
    const bool alone = means.memory != MemoryKind::Cxl || is_model_only(means.policy) ||
                       means.persists || config.nvme.on();
    EXPECT_EQ(config.engine, alone ? "model" : "cosim");
  }
}

// Of the table under "| configuration | meaning |".
TEST(Configurations, TheGuideHasARowForEach) {
  std::ifstream in(CXLGPU_SOURCE_DIR "/docs/guide.md");
  std::vector<std::string> rows;
  bool inside = false;
  for (std::string line; std::getline(in, line);) {
    if (line == "| configuration | meaning |") inside = true;
    if (inside && line.empty()) break;
    if (inside && line.starts_with("| `")) rows.push_back(line.substr(3, line.find('`', 3) - 3));
  }
  EXPECT_EQ(std::multiset<std::string>(rows.begin(), rows.end()).size(), kMeans.size());
  for (const std::string& name : configuration_names()) {
    EXPECT_EQ(std::count(rows.begin(), rows.end(), name), 1) << name;
  }
}

}  // namespace
}  // namespace cxlgpu
