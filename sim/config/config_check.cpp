// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
// What no single key can show: check() and check_build() of config.hpp.
#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "sim/config/config.hpp"
#include "sim/config/config_keys.hpp"

namespace cxlgpu {

void check(const RunConfig& config, const std::string& otherwise) {
  const auto refuse = [&](const std::string& key, const std::string& what) {
    fail(config.place(key, otherwise), key, what);
  };
  if (config.hdm.empty()) {
    refuse("hdm.ranges", "names no range; give at least one with base, size, ports");
  }
  for (std::size_t i = 0; i < config.hdm.size(); ++i) {
    const HdmRange& a = config.hdm[i];
    const std::string key = fmt::format("hdm.ranges[{}]", i);
    const std::set<unsigned> distinct(a.ports.begin(), a.ports.end());
    if (distinct.size() != a.ports.size()) {
      refuse(key + ".ports", "names a port twice; each may stand once");
    }
    if (*distinct.rbegin() >= config.ports) {
      refuse(key + ".ports",
             fmt::format("names port {}, but system.ports is {} ({})", *distinct.rbegin(),
                         config.ports, config.place("system.ports", "default")));
    }
    if (a.base >= kAddressEnd || a.size > kAddressEnd - a.base) {
      refuse(key + ".base", fmt::format("0x{:x} and its size pass 2^52; lower them", a.base));
    }
    if (a.persistent && config.memory != MemoryKind::Cxl) {
      refuse(key + ".persistent", "there is no CXL memory in this scenario; leave it out");
    }
    if (a.persistent && config.root_port.ds) {
      refuse(key + ".persistent",
             fmt::format("does not go with root_port.ds ({}), whose stores are done in GPU memory; "
                         "leave one of them out",
                         config.place("root_port.ds", "by the scenario's name")));
    }
    if (i == 0) continue;
    if (config.hdm[i - 1].persistent && !a.persistent) {
      refuse(key + ".persistent", "false after a range that is; put ranges that persist last");
    }
    const HdmRange& b = config.hdm[i - 1];
    if (a.base < b.base + b.size) {
      refuse(
          key + ".base",
          fmt::format("0x{:x} overlaps or precedes range {} (0x{:x}..0x{:x}); ranges rise and do "
                      "not overlap",
                      a.base, i - 1, b.base, b.base + b.size - 1));
    }
  }
  const bool bit_errors = config.link.bit_error_rate_m2s + config.link.bit_error_rate_s2m > 0;
  const char* spec_fault = nullptr;
  for (const auto& [key, value] :
       {std::pair{"link.drop_spec_every", config.link.drop_spec_every},
        std::pair{"link.duplicate_spec_every", config.link.duplicate_spec_every},
        std::pair{"link.delay_spec_by", config.link.delay_spec_by}}) {
    if (value == 0) continue;
    if (bit_errors) refuse(key, "needs bit error rates of 0; inject one fault at a time");
    if (spec_fault != nullptr) {
      refuse(key, fmt::format("needs {} of 0; inject one fault at a time", spec_fault));
    }
    spec_fault = key;
  }
  if (config.link.down_at_us == 0) {
    for (const auto& [key, value] : {std::pair{"link.down_for_us", config.link.down_for_us},
                                     std::pair{"link.port", std::uint64_t{config.link.port}}}) {
      if (value != 0) refuse(key, "says nothing while link.down_at_us is 0; give that too, or 0");
    }
  } else {
    if (config.link.down_for_us == 0) {
      refuse("link.down_at_us", "needs link.down_for_us of at least 1; give both");
    }
    if (config.link.port >= config.ports) {
      refuse("link.port",
             fmt::format("{} is none of the {} ports; lower it", config.link.port, config.ports));
    }
    if (config.memory != MemoryKind::Cxl) {
      refuse("link.down_at_us", "there is no CXL link in this scenario; leave it at 0");
    }
  }
  if (config.gpu.store_buffer != 0 && config.gpu.l1.write == WritePolicy::Back) {
    refuse("gpu.store_buffer",
           fmt::format("{} lines stand behind a write-back L1 ({}), which gathers stores itself; "
                       "use 0, or gpu.l1.write through",
                       config.gpu.store_buffer, config.place("gpu.l1.write", "default")));
  }
  const FaultConfig& uvm = config.paging.uvm_faults;
  if (uvm.prefetch_bytes > uvm.block_bytes) {
    refuse("uvm.prefetch_bytes",
           fmt::format("{} bytes are more than uvm.block_bytes, {} ({}); lower it, or raise that",
                       uvm.prefetch_bytes, uvm.block_bytes,
                       config.place("uvm.block_bytes", "default")));
  }
  if (const GdsCosts& gds = config.io.gds; gds.lock_ps > gds.state_ps) {
    refuse("io.gds_lock_ps",
           fmt::format("{} ps are more than io.gds_state_ps, {} ({}), of which they are; lower it",
                       gds.lock_ps, gds.state_ps, config.place("io.gds_state_ps", "default")));
  }
  const EndpointConfig& load = config.endpoint;
  const auto rising = [&](const char* key, const std::vector<std::uint64_t>& thresholds,
                          const char* levels = "optimal, moderate, severe") {
    if (!std::is_sorted(thresholds.begin(), thresholds.end())) {
      refuse(key, fmt::format("must rise: {}", levels));
    }
  };
  rising("endpoint.ingress_thresholds", load.ingress_thresholds);
  rising("endpoint.mshr_thresholds", load.mshr_thresholds);
  rising("endpoint.backlog_thresholds", load.backlog_thresholds);
  rising("endpoint.task_thresholds", load.task_thresholds);
  // A measure of 0 would not be further than the margin below its first threshold.
  const auto can_fall = [&](const std::string& key, const std::vector<std::uint64_t>& thresholds,
                            std::uint64_t margin) {
    if (margin == 0 || margin < thresholds[0]) return;
    refuse(key,
           fmt::format("the first, {}, is not above its margin, {} of endpoint.load_margins "
                       "({}): DevLoad would never fall to light; raise it or lower the margin",
                       thresholds[0], margin, config.place("endpoint.load_margins", "default")));
  };
  can_fall("endpoint.ingress_thresholds", load.ingress_thresholds, load.load_margins[0]);
  can_fall("endpoint.mshr_thresholds", load.mshr_thresholds, load.load_margins[1]);
  can_fall("endpoint.backlog_thresholds", load.backlog_thresholds, load.load_margins[2]);
  rising("endpoint.egress_percent", load.egress_percent, "moderate, severe");
  if (load.egress_congestion && load.egress_interval == 0) {
    refuse("endpoint.egress_interval",
           "0 takes no samples; give 1 to 31, or endpoint.egress_congestion false");
  }
  const EndpointConfig& gc = config.endpoint;
  const auto idle = [&](const char* key, std::uint64_t value, std::uint64_t off) {
    if (gc.gc_busy_us == 0 && value != off) {
      refuse(key,
             fmt::format("says nothing while endpoint.gc_busy_us is 0; give that too, or {}", off));
    }
  };
  idle("endpoint.gc_first_us", gc.gc_first_us, 0);
  idle("endpoint.gc_every_us", gc.gc_every_us, 0);
  idle("endpoint.gc_dies_percent", gc.gc_dies_percent, 100);
  if (gc.gc_every_us != 0 && gc.gc_every_us <= gc.gc_busy_us) {
    refuse("endpoint.gc_every_us",
           fmt::format("{} leaves the dies no time beside endpoint.gc_busy_us, {}; raise it, or 0 "
                       "for once",
                       gc.gc_every_us, gc.gc_busy_us));
  }
}

void check_build(const RunConfig& config) {
  if (is_model_only(config.root_port.policy)) {
    const std::string key = "root_port.policy";
    fail(config.place(key, config.scenario), key,
         fmt::format("'{}' is in the model alone; use --engine model",
                     std::get<std::string>(find_key(key)->get(config))));
  }
  if (config.nvme.on()) {
    fail(config.place("kv.interface", config.scenario), "kv.interface",
         "the NVMe controller is in the model alone; use --engine model");
  }
  for (const RtlSize& size : kRtlSizes) {
    const auto built = config.rtl.find(std::string(size.key));
    if (built != config.rtl.end()) check_size(config, size, built->second);
  }
}

void check_size(const RunConfig& config, const RtlSize& size, std::uint64_t rtl) {
  const ConfigKey& key = *find_key(std::string(size.key));
  const auto value = std::get<std::uint64_t>(key.get(config));
  if (value == rtl) return;
  std::string never;
  if (value > size.greatest) never = fmt::format(" and none can have over {}", size.greatest);
  if (value < size.least) never = fmt::format(" and none can have under {}", size.least);
  fail(config.place(key.path, config.scenario), key.path,
       fmt::format("{}, but this build's RTL has {}{}; use --engine model", value, rtl, never));
}

}  // namespace cxlgpu
