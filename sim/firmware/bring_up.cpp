// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
#include "sim/firmware/bring_up.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>

#include "common/input_error.hpp"
#include "common/register_types.hpp"
#include "sim/firmware/io_port.hpp"
#include "sim/firmware/sizes.hpp"
#include "sim/firmware/speculation.hpp"
#include "sim/gpu/ds_region.hpp"

namespace cxlgpu {

namespace device_dvsec = regs::dvsec_device;
namespace ep = regs::ep;
namespace rp = regs::rp;
namespace timeout = regs::timeout;

namespace {

constexpr std::uint32_t kNoClip = 15;
constexpr std::uint32_t kTimeoutValue = 2;  // 5 to 10 ms
constexpr unsigned kLongestMemSpecRd = 4;   // granules, of our root ports
constexpr std::uint64_t kMemoryUnit = std::uint64_t{256} << 20;
constexpr unsigned kStatusReads = 16;  // until a change of a root port must show

std::uint32_t clip_log2(const RunConfig& config) {
  std::uint32_t clip = kNoClip;
  for (const HdmRange& range : config.hdm) {
    if (range.ports.size() > 1) {
      clip = std::min(clip, static_cast<std::uint32_t>(std::countr_zero(range.granularity) - 8));
    }
  }
  return clip;
}

// Ports that share an interleave set; sets of different sizes are told the largest.
std::uint32_t other_ways(const RunConfig& config) {
  std::size_t most = 1;
  for (const HdmRange& range : config.hdm) most = std::max(most, range.ports.size());
  return static_cast<std::uint32_t>(most - 1);
}

// The stream table is to remember what the internal DRAM holds: its sets are four regions of 1 KiB,
// the DRAM's are eight lines.
std::uint32_t stream_sets_log2(const EndpointParts& parts, const RunConfig& config) {
  const auto line_log2 = static_cast<unsigned>(std::countr_zero(config.endpoint.line_bytes));
  const unsigned bytes_log2 = parts.cache_sets_log2 + line_log2;  // of a way
  return bytes_log2 < 9 ? 0 : bytes_log2 - 9;
}

std::uint32_t narrow(std::uint64_t value) {
  return static_cast<std::uint32_t>(value);
}

// Register of a measure of DevLoad.
template <class Thresholds>
std::uint32_t thresholds(const std::vector<std::uint64_t>& values, std::uint64_t margin = 0) {
  Thresholds th{.th0 = narrow(values[0]), .th1 = narrow(values[1]), .th2 = narrow(values[2])};
  if constexpr (requires { th.margin; }) th.margin = narrow(margin);
  return th.word();
}

// Both ends must know the length of a MemSpecRd.
bool use_length(const EndpointInfo& endpoint, const RunConfig& config) {
  // Of 64 B there are none with a length: neither end is told of one.
  if (!config.root_port.spec_length || config.root_port.spec_64b) return false;
  if (endpoint.max_spec_granules >= kLongestMemSpecRd) return true;
  throw InputError(fmt::format(
      "port {}: its endpoint does not know MemSpecRd with {} granules; set root_port.spec_length "
      "to false",
      endpoint.port, kLongestMemSpecRd));
}

// What of a port's memory persists, and when its writes are done. Parts without an internal DRAM
// are DRAM, which has neither pages nor a write buffer.
void set_up_durable(IoPort& io, const EndpointInfo& endpoint, const RunConfig& config,
                    const EndpointParts& parts) {
  // Not written else, as below.
  if (config.persistent() == nullptr || !parts.internal_dram ||
      config.persist_domain == PersistDomain::Device ||
      config.persist_domain == PersistDomain::Host) {
    return;
  }
  std::uint64_t from = 0;  // DPA rises with the ranges, and those that persist come last
  for (const HdmRange& range : config.hdm) {
    const bool here =
        std::find(range.ports.begin(), range.ports.end(), endpoint.port) != range.ports.end();
    if (here && !range.persistent) from += range.size / range.ports.size();
  }
  const auto set = [&](std::uint32_t offset, std::uint32_t value) {
    io.write(endpoint.vendor_base + (offset - ep::kBlock), value);
  };
  set(ep::kPersistentFrom, ep::PersistentFromReg{.units = narrow(from / kMemoryUnit)}.word());
  set(ep::kDurable,
      ep::DurableReg{.level = config.persist_domain == PersistDomain::Media ? 2U : 1U}.word());
}

void set_up_endpoint(IoPort& io, const EndpointInfo& endpoint, const RunConfig& config,
                     const EndpointParts& parts, bool length) {
  if (endpoint.vendor_base == 0) {
    throw InputError(fmt::format(
        "port {}: device {:04x}:{:04x} has no vendor DVSEC 1, which names its vendor registers; "
        "connect an endpoint of this design",
        endpoint.port, endpoint.vendor, endpoint.device));
  }
  const auto set = [&](std::uint32_t offset, std::uint32_t value) {
    io.write(endpoint.vendor_base + (offset - ep::kBlock), value);
  };
  set(ep::kControl,
      ep::ControlReg{.dram_enable = parts.internal_dram, .len_enable = length}.word());
  set(ep::kSets, ep::SetsReg{.log2 = parts.cache_sets_log2}.word());
  const EndpointConfig& load = config.endpoint;
  // Not written else: a run without it takes the time that it took before there was one.
  if (load.open_lines != 0) set(ep::kOpen, ep::OpenReg{.max = load.open_lines}.word());
  set(ep::kIngressTh, thresholds<ep::IngressThReg>(load.ingress_thresholds, load.load_margins[0]));
  set(ep::kMshrTh, thresholds<ep::MshrThReg>(load.mshr_thresholds, load.load_margins[1]));
  set(ep::kBacklogTh, thresholds<ep::BacklogThReg>(load.backlog_thresholds, load.load_margins[2]));
  set(ep::kTasksTh, thresholds<ep::TasksThReg>(load.task_thresholds));
  set(ep::kQosControl, ep::QosControlReg{.egress_enable = load.egress_congestion,
                                         .ttr_enable = load.throughput_reduction,
                                         .egress_moderate = narrow(load.egress_percent[0]),
                                         .egress_severe = narrow(load.egress_percent[1]),
                                         .interval = load.egress_interval}
                           .word());
}

void set_up_root_port(RegisterBus& bus, const RootPortInfo& port, const RunConfig& config,
                      const EndpointParts& parts, bool length) {
  const SrPolicy chosen = config.root_port.policy;
  const SrPolicy in_register = is_model_only(chosen) ? SrPolicy::Off : chosen;
  const rp::PolicyReg policy{.select = static_cast<std::uint32_t>(in_register),
                             .len_enable = length,
                             .match_start = config.root_port.ring_match == RingMatch::Start,
                             .spec_64b = config.root_port.spec_64b,
                             .around = config.root_port.window == SrWindow::Around,
                             .clip_log2 = clip_log2(config),
                             .ways = other_ways(config),
                             .stream_sets = stream_sets_log2(parts, config)};
  bus.write(RegisterSpace::RootPort, port.port, rp::kPolicy, policy.word());
  IoPort io(bus, port.port);
  io.write(port.timeout_base + timeout::kControl, timeout::ControlReg{.mem_value = kTimeoutValue,
                                                                      .mem_enable = true,
                                                                      .mem_isolation = true,
                                                                      .mem_link_down = true}
                                                      .word());
}

// Each port has its own part of local memory.
void set_up_stores(RegisterBus& bus, unsigned port, const RunConfig& config) {
  if (!config.root_port.ds) return;
  const auto set = [&](std::uint32_t offset, std::uint32_t value) {
    bus.write(RegisterSpace::RootPort, port, offset, value);
  };
  const auto get = [&](std::uint32_t offset) {
    return bus.read(RegisterSpace::RootPort, port, offset);
  };
  const auto [slots, writes] = rp::DsCapReg::from(get(rp::kDsCap));
  if (slots == 0 || slots * kLineBytes > DsRegion::kPortBytes) {
    throw InputError(fmt::format(
        "port {}: its root port has no deterministic store ({} lines); set root_port.ds to false",
        port, slots));
  }
  if (config.root_port.ds_max_writes > writes) {
    throw InputError(fmt::format(
        "port {}: key 'root_port.ds_max_writes': {} writes, but its root port has {} in flight at "
        "most; lower it",
        port, config.root_port.ds_max_writes, writes));
  }
  const std::uint64_t base = DsRegion::base_of(config.ds_base, port);
  set(rp::kDsBaseLow, rp::DsBaseLowReg::from(narrow(base)).word());
  set(rp::kDsBaseHigh, rp::DsBaseHighReg::from(narrow(base >> 32)).word());
  const auto interval = [&](std::size_t level) {
    return narrow(config.root_port.ds_interval[level]);
  };
  set(rp::kDsInterval, rp::DsIntervalReg{.light = interval(0),
                                         .optimal = interval(1),
                                         .moderate = interval(2),
                                         .severe = interval(3)}
                           .word());
  set(rp::kDsControl,
      rp::DsControlReg{.enable = true, .max_writes = config.root_port.ds_max_writes}.word());
  for (unsigned n = 0; n < kStatusReads; ++n) {
    if (rp::DsStatusReg::from(get(rp::kDsStatus)).on) return;
  }
  throw InputError(fmt::format(
      "port {}: its root port does not switch deterministic store on; set root_port.ds to false",
      port));
}

}  // namespace

FirmwareJob enable_mem(IoThread io, std::uint32_t cxl_dvsec) {
  const std::uint64_t at = endpoint_register(io.number(), cxl_dvsec + device_dvsec::kControl);
  const device_dvsec::ControlReg enable{.io = true, .mem = true};
  co_await io.config_write(at, enable.word());
  if (!device_dvsec::ControlReg::from(co_await io.config_read(at)).mem) {
    throw InputError(fmt::format(
        "port {}: its endpoint does not enable CXL.mem (DVSEC 0 is locked); reset the device",
        io.number()));
  }
  co_return Done{};
}

SystemInfo bring_up(RegisterBus& bus, const RunConfig& config, const EndpointParts& parts) {
  check_port_count(bus, config);
  const SystemInfo system = enumerate(bus, config.ports);
  check_ranges(system, config.hdm);
  program_ranges(bus, system, config.hdm);
  for (const EndpointInfo& endpoint : system.endpoints) {
    IoPort io(bus, endpoint.port);
    check_sizes(
        config,
        [&](std::uint32_t at) { return bus.read(RegisterSpace::RootPort, endpoint.port, at); },
        [&](std::uint32_t at) {
          return endpoint.vendor_base == 0 ? 0 : io.read(endpoint.vendor_base + (at - ep::kBlock));
        });
    const bool length = use_length(endpoint, config);
    set_up_endpoint(io, endpoint, config, parts, length);
    set_up_durable(io, endpoint, config, parts);
    // Last, and answered: what was posted before has arrived.
    io.run([&](const IoThread& thread) { return enable_mem(thread, endpoint.cxl_dvsec); });
    set_up_root_port(bus, system.root_ports[endpoint.port], config, parts, length);
    set_up_hints(bus, endpoint.port, config.root_port);
    set_up_stores(bus, endpoint.port, config);
  }
  return system;
}

}  // namespace cxlgpu
