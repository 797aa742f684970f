// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
#include "sim/nvme/kv_host.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "common/input_error.hpp"
#include "sim/nvme/host_driver.hpp"

namespace cxlgpu::nvme {

namespace {

BusParams bus_params(const KvHostParams& p, const KvPlan& plan) {
  const NvmeConfig& c = p.config;
  return {.flit = p.flit,
          .flight = p.flight,
          .port = Time{c.port_ps},
          .host_read = Time{c.host_read_ps},
          .host_write = Time{c.host_write_ps},
          .host_gb_s = c.host_gb_s * p.host_share,
          .local = p.local,
          .edge = p.edge,
          .local_base = p.map.hdm_base - p.map.local_bytes,
          .local_bytes = p.map.local_bytes,
          .host_base = c.host_base,
          .host_bytes = KvPlan::kHostBytes,
          .bar_base = c.bar_base,
          .poll = Time{c.poll_interval_ps},
          .shadow = plan.shadow};
}

ControllerParams controller_params(const NvmeConfig& c) {
  return {.max_entries = c.max_entries,
          .commands = c.commands,
          .command_ps = c.controller_ps,
          .ready_ps = c.ready_ps,
          .fault = c.controller_fault};
}

std::string name_of(const Key& key) {
  std::string text;
  for (unsigned i = 0; i < key.length; ++i) text += fmt::format("{:02x}", key.bytes[i]);
  return text;
}

}  // namespace

KvHost::KvHost(const KvHostParams& params, Gpu& gpu, SharedMedia& media, KvPlan& plan)
    : params_(params),
      gpu_(gpu),
      plan_(plan),
      store_(media, params.area, params.config.store_fault),
      bus_(bus_params(params, plan), plan.host, &gpu),
      controller_(controller_params(params.config), bus_, store_),
      side_(*this) {
  if (const auto problem = plan.problem(params.config, params.map);
      problem && params.config.place_check) {
    throw InputError("kv: " + *problem +
                     "; move kv.bar_base, kv.host_base or kv.ring_base, or lower workload.size");
  }
  bus_.attach(controller_);
  HostDriver driver(controller_, bus_, plan.host, params.config.host_base);
  bool up = driver.bring_up();
  for (const QueueRings& rings : plan.rings) up = up && driver.create(rings);
  if (!up) throw InputError("kv: " + driver.why() + "; change kv.queue_entries or kv.max_entries");
  bring_up_ = driver.now();
  std::uint64_t block = 0;
  for (const KvPlan::Value& value : plan.before) {
    if (plan.blocks) {
      store_.preload_block(block, value.bytes);
      block += (value.bytes.size() + kPage - 1) / kPage * kPage;
    } else {
      store_.preload(value.key, value.bytes);
    }
  }
  bus_.begin_run();
  controller_.begin_run(&plan.book);
}

bool KvHost::GpuSide::submit(const MemRequest& request) {
  if (!host_.bus_.mine(request.addr)) return behind().submit(request);
  host_.bus_.submit(request, now());
  return true;
}

std::optional<MemResponse> KvHost::GpuSide::take() {
  if (auto response = behind().take()) return response;
  return host_.bus_.answer(now());
}

void KvHost::step(Engine& engine) {
  side_.put_before(engine);
  const Time now = engine.now();
  bus_.step(now);
  controller_.step(now);
  gpu_.step(side_);
}

Time KvHost::next_event() const {
  return std::min({gpu_.next_event(), bus_.next_event(), controller_.next_event()});
}

std::vector<std::string> KvHost::problems() const {
  constexpr std::size_t kMost = 4;
  std::vector<std::string> found;
  std::uint64_t block = 0;
  for (const KvPlan::Value& value : plan_.after) {
    if (found.size() == kMost) break;
    std::optional<std::vector<std::uint8_t>> there;
    if (plan_.blocks) {
      there = store_.peek_block(block, value.bytes.size());
      block += (value.bytes.size() + kPage - 1) / kPage * kPage;
    } else {
      there = store_.peek(value.key);
    }
    if (!there) {
      found.push_back(fmt::format("key {} is not in the store", name_of(value.key)));
    } else if (there->size() != value.bytes.size()) {
      found.push_back(fmt::format("key {}: {} bytes are in the store, {} were stored",
                                  name_of(value.key), there->size(), value.bytes.size()));
    } else if (*there != value.bytes) {
      const auto differ = std::mismatch(there->begin(), there->end(), value.bytes.begin());
      found.push_back(fmt::format("key {}: byte {} in the store is {:02x}h, {:02x}h was stored",
                                  name_of(value.key), differ.first - there->begin(), *differ.first,
                                  *differ.second));
    }
  }
  return found;
}

}  // namespace cxlgpu::nvme
