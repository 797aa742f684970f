// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
#include "sim/config/config_keys.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <type_traits>

#include "common/input_error.hpp"
#include "sim/gpu/ds_region.hpp"

namespace cxlgpu {

namespace {

constexpr std::uint64_t kMiB = 1024 * 1024;

}  // namespace

void fail(const std::string& where, const std::string& key, const std::string& what) {
  throw InputError(fmt::format("{}: key '{}': {}", where, key, what));
}

// 123, 0x7b, 64KiB, 1MiB, 4GiB.
std::uint64_t parse_unsigned(const std::string& text, const std::string& where,
                             const std::string& key) {
  std::string digits = text;
  std::uint64_t scale = 1;
  for (const auto& [suffix, factor] :
       {std::pair<const char*, std::uint64_t>{"KiB", 1024}, {"MiB", kMiB}, {"GiB", 1024 * kMiB}}) {
    if (digits.size() > 3 && digits.ends_with(suffix)) {
      digits.resize(digits.size() - 3);
      scale = factor;
      break;
    }
  }
  const bool hex = digits.starts_with("0x") || digits.starts_with("0X");
  const char* first = digits.data() + (hex ? 2 : 0);
  const char* last = digits.data() + digits.size();
  std::uint64_t value = 0;
  const auto [end, error] = std::from_chars(first, last, value, hex ? 16 : 10);
  if (error != std::errc{} || end != last || first == last || value > UINT64_MAX / scale) {
    fail(where, key,
         fmt::format("'{}' is not an unsigned number; write e.g. 128, 0x80 or 64KiB", text));
  }
  return value * scale;
}

std::uint64_t parse_range(const std::string& text, const std::string& where, const std::string& key,
                          std::uint64_t low, std::uint64_t high) {
  const std::uint64_t value = parse_unsigned(text, where, key);
  if (value < low || value > high) {
    fail(where, key, fmt::format("{} is out of range; use {}..{}", text, low, high));
  }
  return value;
}

std::uint64_t parse_power_of_two(const std::string& text, const std::string& where,
                                 const std::string& key, std::uint64_t low, std::uint64_t high) {
  const std::uint64_t value = parse_range(text, where, key, low, high);
  if ((value & (value - 1)) != 0) fail(where, key, fmt::format("{} is not a power of two", text));
  return value;
}

std::string parse_choice(const std::string& text, const std::string& where, const std::string& key,
                         const std::vector<std::string>& choices) {
  if (std::find(choices.begin(), choices.end(), text) != choices.end()) return text;
  fail(where, key, fmt::format("'{}' is not known; use {}", text, fmt::join(choices, ", ")));
}

namespace {

double parse_probability(const std::string& text, const std::string& where,
                         const std::string& key) {
  double value = -1;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc{} || end != text.data() + text.size() || !(value >= 0 && value < 1)) {
    fail(where, key,
         fmt::format("'{}' is not a probability; write a number from 0 to below 1", text));
  }
  return value;
}

double parse_decimal(const std::string& text, const std::string& where, const std::string& key,
                     double low, double high) {
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc{} || end != text.data() + text.size()) {
    fail(where, key, fmt::format("'{}' is not a number; write one such as 3.5", text));
  }
  if (!(value >= low && value <= high)) {
    fail(where, key, fmt::format("{} is out of range; use {:g}..{:g}", text, low, high));
  }
  return value;
}

bool parse_bool(const std::string& text, const std::string& where, const std::string& key) {
  if (text == "true") return true;
  if (text == "false") return false;
  fail(where, key, fmt::format("'{}' is neither true nor false", text));
}

std::vector<std::uint64_t> parse_list(const std::string& text, const std::string& where,
                                      const std::string& key, std::size_t length,
                                      std::uint64_t high) {
  std::vector<std::uint64_t> values;
  std::size_t start = 0;
  while (start <= text.size()) {
    const std::size_t comma = std::min(text.find(',', start), text.size());
    std::string part = text.substr(start, comma - start);
    std::erase(part, ' ');
    values.push_back(parse_range(part, where, key, 0, high));
    start = comma + 1;
  }
  if (length != 0 && values.size() != length) {
    fail(where, key, fmt::format("has {} values; give {}", values.size(), length));
  }
  return values;
}

const std::vector<std::string> kPolicies = {"off",      "naive",          "dyn",
                                            "sr-paper", "sr-directional", "stream"};

const std::vector<std::string> kReplacements = {"lru", "plru", "fifo", "random"};

// A value as it stands; enumerations as numbers.
template <typename T>
ConfigValue shown(const T& value) {
  if constexpr (std::is_same_v<T, bool> || std::is_floating_point_v<T> ||
                std::is_same_v<T, std::string> || std::is_same_v<T, std::vector<std::uint64_t>>) {
    return value;
  } else {
    return static_cast<std::uint64_t>(value);
  }
}

// A key of which `parse` reads one member from (text, where, key).
template <typename Member, typename Parse>
ConfigAccess key(Member member, Parse parse) {
  return {[=](RunConfig& c, const std::string& t, const std::string& w, const std::string& k) {
            auto& target = member(c);
            target = static_cast<std::remove_reference_t<decltype(target)>>(parse(t, w, k));
          },
          [=](const RunConfig& c) { return shown(member(c)); }};
}
template <typename Member>
ConfigAccess number(Member member, std::uint64_t low, std::uint64_t high) {
  return key(member, [=](const std::string& t, const std::string& w, const std::string& k) {
    return parse_range(t, w, k, low, high);
  });
}
template <typename Member>
ConfigAccess power(Member member, std::uint64_t low, std::uint64_t high) {
  return key(member, [=](const std::string& t, const std::string& w, const std::string& k) {
    return parse_power_of_two(t, w, k, low, high);
  });
}
template <typename Member>
ConfigAccess probability(Member member) {
  return key(member, parse_probability);
}
template <typename Member>
ConfigAccess decimal(Member member, double low, double high) {
  return key(member, [=](const std::string& t, const std::string& w, const std::string& k) {
    return parse_decimal(t, w, k, low, high);
  });
}
template <typename Member>
ConfigAccess flag(Member member) {
  return key(member, parse_bool);
}
template <typename Member>
ConfigAccess text(Member member) {
  return key(member,
             [](const std::string& t, const std::string&, const std::string&) { return t; });
}
template <typename Member>
ConfigAccess choice(Member member, std::vector<std::string> choices) {
  return key(member, [=](const std::string& t, const std::string& w, const std::string& k) {
    return parse_choice(t, w, k, choices);
  });
}
// One of `names`, which stand in the order of the enumeration.
template <typename Member>
ConfigAccess one_of(Member member, std::vector<std::string> names) {
  ConfigAccess access =
      key(member, [=](const std::string& t, const std::string& w, const std::string& k) {
        const std::string name = parse_choice(t, w, k, names);
        return std::find(names.begin(), names.end(), name) - names.begin();
      });
  access.get = [=](const RunConfig& c) { return names.at(static_cast<std::size_t>(member(c))); };
  return access;
}
template <typename Member>
ConfigAccess list(Member member, std::size_t length, std::uint64_t high) {
  return key(member, [=](const std::string& t, const std::string& w, const std::string& k) {
    return parse_list(t, w, k, length, high);
  });
}
// A number of which `check` refuses some that its range has.
template <typename Member, typename Check>
ConfigAccess checked(Member member, std::uint64_t low, std::uint64_t high, Check check) {
  return key(member, [=](const std::string& t, const std::string& w, const std::string& k) {
    const std::uint64_t value = parse_range(t, w, k, low, high);
    if (const std::string wrong = check(value); !wrong.empty()) {
      fail(w, k, fmt::format("{} {}", t, wrong));
    }
    return value;
  });
}

constexpr std::uint64_t kMostUs = 1'000'000'000;       // a thousand seconds
constexpr std::uint64_t kMostPs = 10'000'000'000'000;  // ten seconds
constexpr std::uint64_t kBlock = 2 * kMiB;             // of the driver; most that comes together

}  // namespace

#define CXLGPU_MEMBER(expr) \
  [](auto& c) -> auto& {    \
    return c.expr;          \
  }

// Every scalar key there is. hdm.ranges is a list of maps and is read apart.
const std::vector<ConfigKey>& config_keys() {
  static const std::vector<ConfigKey> all = {
      {"system.ports", power(CXLGPU_MEMBER(ports), 1, 4)},
      {"system.memory", one_of(CXLGPU_MEMBER(memory), {kMemoryNames.begin(), kMemoryNames.end()})},
      {"run.engine", choice(CXLGPU_MEMBER(engine), {"rtl", "model", "cosim"})},
      {"run.seed", number(CXLGPU_MEMBER(seed), 0, UINT32_MAX)},
      {"run.limit_us", number(CXLGPU_MEMBER(limit_us), 0, kMostUs)},
      {"gpu.machine", text(CXLGPU_MEMBER(gpu_machine))},
      {"gpu.cores", number(CXLGPU_MEMBER(gpu.cores), 1, 64)},
      {"gpu.warps", number(CXLGPU_MEMBER(gpu.warps), 1, 64)},
      {"gpu.threads", number(CXLGPU_MEMBER(gpu.threads), 1, 64)},
      {"gpu.scheduler", one_of(CXLGPU_MEMBER(gpu.scheduler), {"lrr", "gto"})},
      {"gpu.latency.alu", number(CXLGPU_MEMBER(gpu.units.alu), 1, 1000)},
      {"gpu.latency.mul", number(CXLGPU_MEMBER(gpu.units.mul), 1, 1000)},
      {"gpu.latency.fpu", number(CXLGPU_MEMBER(gpu.units.fpu), 1, 1000)},
      {"gpu.latency.sfu", number(CXLGPU_MEMBER(gpu.units.sfu), 1, 1000)},
      {"gpu.store_buffer", number(CXLGPU_MEMBER(gpu.store_buffer), 0, 64)},
      {"gpu.scratchpad_bytes", number(CXLGPU_MEMBER(gpu.scratchpad.size_bytes), 0, 16 * kMiB)},
      {"gpu.scratchpad_banks", number(CXLGPU_MEMBER(gpu.scratchpad.banks), 1, 64)},
      {"gpu.scratchpad_latency_cycles",
       number(CXLGPU_MEMBER(gpu.scratchpad.latency_cycles), 1, 10000)},
      {"gpu.loads_per_warp", number(CXLGPU_MEMBER(gpu.loads_per_warp), 1, 64)},
      {"gpu.lsu_queue", number(CXLGPU_MEMBER(gpu.lsu_queue), 1, 256)},
      {"gpu.llc_queue", number(CXLGPU_MEMBER(gpu.llc_queue), 1, 256)},
      {"gpu.barrier_cycles", number(CXLGPU_MEMBER(gpu.barrier_cycles), 0, 1000000)},
      {"gpu.launch_cycles", number(CXLGPU_MEMBER(gpu.launch_cycles), 0, 1000000)},
      {"gpu.fabric_cycles", number(CXLGPU_MEMBER(gpu.fabric_cycles), 0, 1 << 20)},
      {"gpu.l1.size_bytes", power(CXLGPU_MEMBER(gpu.l1.size_bytes), 1024, kMiB)},
      {"gpu.l1.ways", power(CXLGPU_MEMBER(gpu.l1.ways), 1, 16)},
      {"gpu.l1.replacement", one_of(CXLGPU_MEMBER(gpu.l1.replacement), kReplacements)},
      {"gpu.l1.write", one_of(CXLGPU_MEMBER(gpu.l1.write), {"through", "back"})},
      {"gpu.l1.hit_latency_cycles", number(CXLGPU_MEMBER(gpu.l1.hit_latency_cycles), 1, 10000)},
      {"gpu.l1.mshrs", number(CXLGPU_MEMBER(gpu.l1.mshrs), 1, 1024)},
      {"gpu.l1.merges", number(CXLGPU_MEMBER(gpu.l1.merges), 1, 1024)},
      {"gpu.llc.size_bytes", power(CXLGPU_MEMBER(gpu.llc.size_bytes), 4096, 64 * kMiB)},
      {"gpu.llc.ways", power(CXLGPU_MEMBER(gpu.llc.ways), 1, 32)},
      {"gpu.llc.replacement", one_of(CXLGPU_MEMBER(gpu.llc.replacement), kReplacements)},
      {"gpu.llc.banks", power(CXLGPU_MEMBER(gpu.llc.banks), 1, 64)},
      {"gpu.llc.hit_latency_cycles", number(CXLGPU_MEMBER(gpu.llc.hit_latency_cycles), 1, 10000)},
      {"gpu.llc.fill_latency_cycles", number(CXLGPU_MEMBER(gpu.llc.fill_latency_cycles), 1, 10000)},
      {"gpu.llc.mshrs", number(CXLGPU_MEMBER(gpu.llc.mshrs), 1, 4096)},
      {"gpu.llc.merges", number(CXLGPU_MEMBER(gpu.llc.merges), 1, 1024)},
      {"gpu.llc.write_buffer", number(CXLGPU_MEMBER(gpu.llc.write_buffer), 1, 4096)},
      {"gpu.distribution", one_of(CXLGPU_MEMBER(distribution), {"chunked", "interleaved"})},
      {"local_memory.percent_of_data", number(CXLGPU_MEMBER(local_percent), 0, 100)},
      {"local_memory.part", text(CXLGPU_MEMBER(local_part))},
      {"local_memory.sub_channels", power(CXLGPU_MEMBER(local_sub_channels), 1, 64)},
      {"local_memory.latency_ps", number(CXLGPU_MEMBER(gpu.local.latency_ps), 1000, 100000000)},
      {"local_memory.bytes_per_cycle", number(CXLGPU_MEMBER(gpu.local.bytes_per_cycle), 1, 65536)},
      {"local_memory.ds_base", checked(CXLGPU_MEMBER(ds_base), 0, UINT64_MAX,
                                       [](std::uint64_t base) -> std::string {
                                         if (base % DsRegion::kPortBytes != 0)
                                           return "is not a multiple of 256 KiB";
                                         return base >= kAddressEnd ? "passes 2^52; lower it" : "";
                                       })},
      {"link.lanes", power(CXLGPU_MEMBER(link.lanes), 1, 16)},
      {"link.lane_mbit_s", number(CXLGPU_MEMBER(link.lane_mbit_s), 8000, 32000)},
      {"link.flight_ps", number(CXLGPU_MEMBER(link.flight_ps), 0, 1000000)},
      {"link.bit_error_rate_m2s", probability(CXLGPU_MEMBER(link.bit_error_rate_m2s))},
      {"link.bit_error_rate_s2m", probability(CXLGPU_MEMBER(link.bit_error_rate_s2m))},
      {"link.drop_spec_every", number(CXLGPU_MEMBER(link.drop_spec_every), 0, 1000000)},
      {"link.duplicate_spec_every", number(CXLGPU_MEMBER(link.duplicate_spec_every), 0, 1000000)},
      {"link.delay_spec_by", number(CXLGPU_MEMBER(link.delay_spec_by), 0, 1000)},
      {"link.down_at_us", number(CXLGPU_MEMBER(link.down_at_us), 0, 1000000000)},
      {"link.down_for_us", number(CXLGPU_MEMBER(link.down_for_us), 0, 1000000)},
      {"link.port", number(CXLGPU_MEMBER(link.port), 0, 15)},
      {"root_port.policy", one_of(CXLGPU_MEMBER(root_port.policy), kPolicies)},
      {"root_port.spec_length", flag(CXLGPU_MEMBER(root_port.spec_length))},
      {"root_port.ds", flag(CXLGPU_MEMBER(root_port.ds))},
      {"root_port.ds_max_writes", number(CXLGPU_MEMBER(root_port.ds_max_writes), 1, 16)},
      {"root_port.ds_interval", list(CXLGPU_MEMBER(root_port.ds_interval), 4, 15)},
      {"root_port.sr_queue_entries",
       number(CXLGPU_MEMBER(root_port.sr_queue_entries), 1, kMostSrQueueEntries)},
      {"root_port.memory_queue_entries",
       number(CXLGPU_MEMBER(root_port.memory_queue_entries), 3, kMostMemoryQueueEntries)},
      {"root_port.ring_entries", power(CXLGPU_MEMBER(root_port.ring_entries), 16, 4096)},
      {"root_port.spec_cap_bytes", checked(CXLGPU_MEMBER(root_port.spec_cap_bytes), 256, 1024,
                                           [](std::uint64_t bytes) -> std::string {
                                             return bytes % 256 != 0 ? "is not a multiple of 256"
                                                                     : "";
                                           })},
      {"root_port.ds_lines",
       power(CXLGPU_MEMBER(root_port.ds_lines), 16, DsRegion::kPortBytes / kLineBytes)},
      {"endpoint.cache_bytes", number(CXLGPU_MEMBER(endpoint.cache_bytes), 0, 2 * kMiB)},
      {"endpoint.cache_percent", number(CXLGPU_MEMBER(endpoint.cache_percent), 1, 100)},
      {"endpoint.line_bytes", power(CXLGPU_MEMBER(endpoint.line_bytes), 256, 16384)},
      {"endpoint.ingress_thresholds", list(CXLGPU_MEMBER(endpoint.ingress_thresholds), 3, 127)},
      {"endpoint.mshr_thresholds", list(CXLGPU_MEMBER(endpoint.mshr_thresholds), 3, 127)},
      {"endpoint.backlog_thresholds", list(CXLGPU_MEMBER(endpoint.backlog_thresholds), 3, 127)},
      {"endpoint.task_thresholds", list(CXLGPU_MEMBER(endpoint.task_thresholds), 3, 127)},
      {"endpoint.load_margins", list(CXLGPU_MEMBER(endpoint.load_margins), 3, 127)},
      {"endpoint.throughput_reduction", flag(CXLGPU_MEMBER(endpoint.throughput_reduction))},
      {"endpoint.egress_congestion", flag(CXLGPU_MEMBER(endpoint.egress_congestion))},
      {"endpoint.egress_percent", list(CXLGPU_MEMBER(endpoint.egress_percent), 2, 100)},
      {"endpoint.egress_interval", number(CXLGPU_MEMBER(endpoint.egress_interval), 0, 31)},
      {"endpoint.gc_first_us", number(CXLGPU_MEMBER(endpoint.gc_first_us), 0, 1000000000)},
      {"endpoint.gc_every_us", number(CXLGPU_MEMBER(endpoint.gc_every_us), 0, 1000000000)},
      {"endpoint.gc_busy_us", number(CXLGPU_MEMBER(endpoint.gc_busy_us), 0, 1000000)},
      {"endpoint.gc_dies_percent", number(CXLGPU_MEMBER(endpoint.gc_dies_percent), 1, 100)},
      {"endpoint.image_in", text(CXLGPU_MEMBER(endpoint.image_in))},
      {"endpoint.image_out", text(CXLGPU_MEMBER(endpoint.image_out))},
      {"media.part", text(CXLGPU_MEMBER(media))},
      {"workload.name", text(CXLGPU_MEMBER(workload.name))},
      {"workload.size", number(CXLGPU_MEMBER(workload.size), 0, 1ull << 32)},
      {"workload.iterations", number(CXLGPU_MEMBER(workload.iterations), 0, 1ull << 32)},
      {"workload.file", text(CXLGPU_MEMBER(workload.file))},
      {"workload.store_percent", number(CXLGPU_MEMBER(workload.store_percent), 0, 100)},
      {"trace.max_requests", number(CXLGPU_MEMBER(trace.max_requests), 0, 1ull << 40)},
      {"trace.max_reads", number(CXLGPU_MEMBER(trace.max_reads), 1, 4096)},
      {"trace.max_writes", number(CXLGPU_MEMBER(trace.max_writes), 1, 4096)},
      {"pcie.lanes", power(CXLGPU_MEMBER(paging.pcie.lanes), 1, 16)},
      {"pcie.measured_lanes", power(CXLGPU_MEMBER(paging.pcie.measured_lanes), 1, 16)},
      {"pcie.to_gpu_gb_s", decimal(CXLGPU_MEMBER(paging.pcie.to_gpu_gb_s), 0.1, 1000)},
      {"pcie.from_gpu_gb_s", decimal(CXLGPU_MEMBER(paging.pcie.from_gpu_gb_s), 0.1, 1000)},
      {"pcie.to_gpu_setup_ps", number(CXLGPU_MEMBER(paging.pcie.to_gpu_setup_ps), 0, kMostPs)},
      {"pcie.from_gpu_setup_ps", number(CXLGPU_MEMBER(paging.pcie.from_gpu_setup_ps), 0, kMostPs)},
      {"pcie.push_bytes", power(CXLGPU_MEMBER(paging.pcie.push_bytes), kPageBytes, 1024 * kMiB)},
      {"pcie.stripe_bytes", power(CXLGPU_MEMBER(paging.pcie.stripe_bytes), kPageBytes, kMiB)},
      {"pcie.queue_depth", number(CXLGPU_MEMBER(paging.pcie.queue_depth), 1, 65536)},
      {"pcie.dram_drive", choice(CXLGPU_MEMBER(paging.pcie.dram_drive), {"pcie3x4", "pcie4x4"})},
      {"uvm.fault_ps", number(CXLGPU_MEMBER(paging.uvm_faults.fault_ps), 0, kMostPs)},
      {"uvm.host_runtime_ps", number(CXLGPU_MEMBER(paging.uvm_faults.host_runtime_ps), 0, kMostPs)},
      {"uvm.fetch_ps", number(CXLGPU_MEMBER(paging.uvm_faults.fetch_ps), 0, kMostPs)},
      {"uvm.batch_faults", number(CXLGPU_MEMBER(paging.uvm_faults.batch_faults), 1, 65536)},
      {"uvm.prefetch_bytes",
       power(CXLGPU_MEMBER(paging.uvm_faults.prefetch_bytes), kPageBytes, kBlock)},
      {"uvm.evict",
       one_of(CXLGPU_MEMBER(paging.uvm_faults.evict_by_access), {"migration", "access"})},
      {"uvm.page_fault_ps", number(CXLGPU_MEMBER(paging.host_fill.page_fault_ps), 0, kMostPs)},
      {"uvm.readahead_bytes",
       power(CXLGPU_MEMBER(paging.host_fill.readahead_bytes), kPageBytes, kBlock)},
      {"gds.fault_ps", number(CXLGPU_MEMBER(paging.gds_faults.fault_ps), 0, kMostPs)},
      {"gds.host_runtime_ps", number(CXLGPU_MEMBER(paging.gds_faults.host_runtime_ps), 0, kMostPs)},
      {"gds.fetch_ps", number(CXLGPU_MEMBER(paging.gds_faults.fetch_ps), 0, kMostPs)},
      {"gds.batch_faults", number(CXLGPU_MEMBER(paging.gds_faults.batch_faults), 1, 65536)},
      {"gds.prefetch_bytes",
       power(CXLGPU_MEMBER(paging.gds_faults.prefetch_bytes), kPageBytes, kBlock)},
      {"gds.evict",
       one_of(CXLGPU_MEMBER(paging.gds_faults.evict_by_access), {"migration", "access"})},
      {"gds.open_ps", number(CXLGPU_MEMBER(paging.gds.open_ps), 0, kMostPs)},
      {"gds.close_ps", number(CXLGPU_MEMBER(paging.gds.close_ps), 0, kMostPs)},
      {"gds.register_ps", number(CXLGPU_MEMBER(paging.gds.register_ps), 0, kMostPs)},
      {"gds.deregister_ps", number(CXLGPU_MEMBER(paging.gds.deregister_ps), 0, kMostPs)},
      {"gds.io_ps", number(CXLGPU_MEMBER(paging.gds.io_ps), 0, kMostPs)},
      {"gds.max_io_bytes", power(CXLGPU_MEMBER(paging.gds.max_io_bytes), kPageBytes, 1024 * kMiB)},
      {"gds.threads", number(CXLGPU_MEMBER(paging.gds.threads), 1, 65536)},
      {"phoenix.fault_ps", number(CXLGPU_MEMBER(paging.phoenix_faults.fault_ps), 0, kMostPs)},
      {"phoenix.host_runtime_ps",
       number(CXLGPU_MEMBER(paging.phoenix_faults.host_runtime_ps), 0, kMostPs)},
      {"phoenix.fetch_ps", number(CXLGPU_MEMBER(paging.phoenix_faults.fetch_ps), 0, kMostPs)},
      {"phoenix.batch_faults", number(CXLGPU_MEMBER(paging.phoenix_faults.batch_faults), 1, 65536)},
      {"phoenix.prefetch_bytes",
       power(CXLGPU_MEMBER(paging.phoenix_faults.prefetch_bytes), kPageBytes, kBlock)},
      {"phoenix.evict",
       one_of(CXLGPU_MEMBER(paging.phoenix_faults.evict_by_access), {"migration", "access"})},
      {"phoenix.open_ps", number(CXLGPU_MEMBER(paging.phoenix.open_ps), 0, kMostPs)},
      {"phoenix.close_ps", number(CXLGPU_MEMBER(paging.phoenix.close_ps), 0, kMostPs)},
      {"phoenix.register_ps", number(CXLGPU_MEMBER(paging.phoenix.register_ps), 0, kMostPs)},
      {"phoenix.deregister_ps", number(CXLGPU_MEMBER(paging.phoenix.deregister_ps), 0, kMostPs)},
      {"phoenix.io_ps", number(CXLGPU_MEMBER(paging.phoenix.io_ps), 0, kMostPs)},
      {"phoenix.max_io_bytes",
       power(CXLGPU_MEMBER(paging.phoenix.max_io_bytes), kPageBytes, 1024 * kMiB)},
      {"phoenix.threads", number(CXLGPU_MEMBER(paging.phoenix.threads), 1, 65536)},
  };
  return all;
}
#undef CXLGPU_MEMBER

}  // namespace cxlgpu
