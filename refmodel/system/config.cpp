#include "refmodel/system/config.hpp"

#include <fmt/format.h>
#include <yaml-cpp/yaml.h>

#include <algorithm>
#include <charconv>
#include <functional>
#include <set>

#include "refmodel/common/input_error.hpp"
#include "refmodel/gpu/ds_region.hpp"
#include "refmodel/root_port/memory_queue.hpp"
#include "refmodel/root_port/sr_queue.hpp"

namespace cxlgpu {

namespace {

constexpr std::uint64_t kMiB = 1024 * 1024;
constexpr std::uint64_t kHdmMultiple = 256 * kMiB;
constexpr std::uint64_t kAddressEnd = std::uint64_t{1} << 52;

[[noreturn]] void fail(const std::string& where, const std::string& key, const std::string& what) {
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

std::string parse_choice(const std::string& text, const std::string& where, const std::string& key,
                         const std::vector<std::string>& choices) {
  if (std::find(choices.begin(), choices.end(), text) != choices.end()) return text;
  fail(where, key, fmt::format("'{}' is not known; use {}", text, fmt::join(choices, ", ")));
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

using Setter = std::function<void(RunConfig&, const std::string& text, const std::string& where,
                                  const std::string& key)>;
struct Field {
  const char* path;
  Setter set;
};

template <typename Member>
Setter number(Member member, std::uint64_t low, std::uint64_t high) {
  return [=](RunConfig& c, const std::string& t, const std::string& w, const std::string& k) {
    auto& target = member(c);
    target =
        static_cast<std::remove_reference_t<decltype(target)>>(parse_range(t, w, k, low, high));
  };
}
template <typename Member>
Setter power(Member member, std::uint64_t low, std::uint64_t high) {
  return [=](RunConfig& c, const std::string& t, const std::string& w, const std::string& k) {
    auto& target = member(c);
    target = static_cast<std::remove_reference_t<decltype(target)>>(
        parse_power_of_two(t, w, k, low, high));
  };
}
template <typename Member>
Setter probability(Member member) {
  return [=](RunConfig& c, const std::string& t, const std::string& w, const std::string& k) {
    member(c) = parse_probability(t, w, k);
  };
}
template <typename Member>
Setter decimal(Member member, double low, double high) {
  return [=](RunConfig& c, const std::string& t, const std::string& w, const std::string& k) {
    member(c) = parse_decimal(t, w, k, low, high);
  };
}
template <typename Member>
Setter choice(Member member, std::vector<std::string> choices) {
  return [=](RunConfig& c, const std::string& t, const std::string& w, const std::string& k) {
    member(c) = parse_choice(t, w, k, choices);
  };
}
// One of `names`, which stand in the order of the enumeration.
template <typename Member>
Setter one_of(Member member, std::vector<std::string> names) {
  return [=](RunConfig& c, const std::string& t, const std::string& w, const std::string& k) {
    auto& target = member(c);
    const std::string name = parse_choice(t, w, k, names);
    target = static_cast<std::remove_reference_t<decltype(target)>>(
        std::find(names.begin(), names.end(), name) - names.begin());
  };
}
template <typename Member>
Setter list(Member member, std::size_t length, std::uint64_t high) {
  return [=](RunConfig& c, const std::string& t, const std::string& w, const std::string& k) {
    member(c) = parse_list(t, w, k, length, high);
  };
}

template <typename Member>
Setter eviction(Member member) {
  return [=](RunConfig& c, const std::string& t, const std::string& w, const std::string& k) {
    member(c) = parse_choice(t, w, k, {"migration", "access"}) == "access";
  };
}

constexpr std::uint64_t kMostPs = 10'000'000'000'000;  // ten seconds
constexpr std::uint64_t kBlock = 2 * kMiB;             // of the driver; most that comes together

#define CXLGPU_MEMBER(expr)    \
  [](RunConfig & c) -> auto& { \
    return c.expr;             \
  }

// Every scalar key there is. hdm.ranges is a list of maps and is read apart.
const std::vector<Field>& fields() {
  static const std::vector<Field> all = {
      {"system.ports", power(CXLGPU_MEMBER(ports), 1, 4)},
      {"system.memory",
       [](RunConfig& c, const std::string& t, const std::string& w, const std::string& k) {
         const std::vector<std::string> names(kMemoryNames.begin(), kMemoryNames.end());
         parse_choice(t, w, k, names);
         c.memory =
             static_cast<MemoryKind>(std::find(names.begin(), names.end(), t) - names.begin());
       }},
      {"run.engine", choice(CXLGPU_MEMBER(engine), {"rtl", "model", "cosim"})},
      {"run.seed", number(CXLGPU_MEMBER(seed), 0, UINT32_MAX)},
      {"run.limit_us", number(CXLGPU_MEMBER(limit_us), 1, 1000000000)},
      {"gpu.machine", [](RunConfig& c, const std::string& t, const std::string&,
                         const std::string&) { c.gpu_machine = t; }},
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
      {"gpu.distribution",
       [](RunConfig& c, const std::string& t, const std::string& w, const std::string& k) {
         c.distribution = parse_choice(t, w, k, {"chunked", "interleaved"}) == "chunked"
                              ? Distribution::Chunked
                              : Distribution::Interleaved;
       }},
      {"local_memory.percent_of_data", number(CXLGPU_MEMBER(local_percent), 0, 100)},
      {"local_memory.part", [](RunConfig& c, const std::string& t, const std::string&,
                               const std::string&) { c.local_part = t; }},
      {"local_memory.sub_channels", power(CXLGPU_MEMBER(local_sub_channels), 1, 64)},
      {"local_memory.latency_ps", number(CXLGPU_MEMBER(gpu.local.latency_ps), 1000, 100000000)},
      {"local_memory.bytes_per_cycle", number(CXLGPU_MEMBER(gpu.local.bytes_per_cycle), 1, 65536)},
      {"local_memory.ds_base",
       [](RunConfig& c, const std::string& t, const std::string& w, const std::string& k) {
         c.ds_base = parse_unsigned(t, w, k);
         if (c.ds_base % DsRegion::kPortBytes != 0) {
           fail(w, k, fmt::format("{} is not a multiple of 256 KiB", t));
         }
         if (c.ds_base >= kAddressEnd) fail(w, k, fmt::format("{} passes 2^52; lower it", t));
       }},
      {"link.lanes", power(CXLGPU_MEMBER(link.lanes), 1, 16)},
      {"link.lane_mbit_s", number(CXLGPU_MEMBER(link.lane_mbit_s), 8000, 32000)},
      {"link.flight_ps", number(CXLGPU_MEMBER(link.flight_ps), 0, 1000000)},
      {"link.bit_error_rate_m2s", probability(CXLGPU_MEMBER(link.bit_error_rate_m2s))},
      {"link.bit_error_rate_s2m", probability(CXLGPU_MEMBER(link.bit_error_rate_s2m))},
      {"link.drop_spec_every", number(CXLGPU_MEMBER(link.drop_spec_every), 0, 1000000)},
      {"link.duplicate_spec_every", number(CXLGPU_MEMBER(link.duplicate_spec_every), 0, 1000000)},
      {"link.delay_spec_by", number(CXLGPU_MEMBER(link.delay_spec_by), 0, 1000)},
      {"root_port.policy",
       [](RunConfig& c, const std::string& t, const std::string& w, const std::string& k) {
         const std::string name = parse_choice(t, w, k, kPolicies);
         c.root_port.policy = static_cast<SrPolicy>(
             std::find(kPolicies.begin(), kPolicies.end(), name) - kPolicies.begin());
       }},
      {"root_port.spec_length",
       [](RunConfig& c, const std::string& t, const std::string& w, const std::string& k) {
         c.root_port.spec_length = parse_bool(t, w, k);
       }},
      {"root_port.ds", [](RunConfig& c, const std::string& t, const std::string& w,
                          const std::string& k) { c.root_port.ds = parse_bool(t, w, k); }},
      {"root_port.ds_max_writes", number(CXLGPU_MEMBER(root_port.ds_max_writes), 1, 16)},
      {"root_port.ds_interval", list(CXLGPU_MEMBER(root_port.ds_interval), 4, 15)},
      {"root_port.sr_queue_entries",
       number(CXLGPU_MEMBER(root_port.sr_queue_entries), 1, SrQueue::kMaxDepth)},
      {"root_port.memory_queue_entries",
       number(CXLGPU_MEMBER(root_port.memory_queue_entries), 3, MemoryQueue::kMaxDepth)},
      {"root_port.ring_entries", power(CXLGPU_MEMBER(root_port.ring_entries), 16, 4096)},
      {"root_port.spec_cap_bytes",
       [](RunConfig& c, const std::string& t, const std::string& w, const std::string& k) {
         c.root_port.spec_cap_bytes = static_cast<unsigned>(parse_range(t, w, k, 256, 1024));
         if (c.root_port.spec_cap_bytes % 256 != 0) {
           fail(w, k, fmt::format("{} is not a multiple of 256", t));
         }
       }},
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
      {"endpoint.throughput_reduction",
       [](RunConfig& c, const std::string& t, const std::string& w, const std::string& k) {
         c.endpoint.throughput_reduction = parse_bool(t, w, k);
       }},
      {"endpoint.egress_congestion",
       [](RunConfig& c, const std::string& t, const std::string& w, const std::string& k) {
         c.endpoint.egress_congestion = parse_bool(t, w, k);
       }},
      {"endpoint.egress_percent", list(CXLGPU_MEMBER(endpoint.egress_percent), 2, 100)},
      {"endpoint.egress_interval", number(CXLGPU_MEMBER(endpoint.egress_interval), 0, 31)},
      {"endpoint.gc_first_us", number(CXLGPU_MEMBER(endpoint.gc_first_us), 0, 1000000000)},
      {"endpoint.gc_every_us", number(CXLGPU_MEMBER(endpoint.gc_every_us), 0, 1000000000)},
      {"endpoint.gc_busy_us", number(CXLGPU_MEMBER(endpoint.gc_busy_us), 0, 1000000)},
      {"endpoint.gc_dies_percent", number(CXLGPU_MEMBER(endpoint.gc_dies_percent), 1, 100)},
      {"endpoint.image_in", [](RunConfig& c, const std::string& t, const std::string&,
                               const std::string&) { c.endpoint.image_in = t; }},
      {"endpoint.image_out", [](RunConfig& c, const std::string& t, const std::string&,
                                const std::string&) { c.endpoint.image_out = t; }},
      {"media.part", [](RunConfig& c, const std::string& t, const std::string&,
                        const std::string&) { c.media = t; }},
      {"workload.name", [](RunConfig& c, const std::string& t, const std::string&,
                           const std::string&) { c.workload.name = t; }},
      {"workload.size", number(CXLGPU_MEMBER(workload.size), 0, 1ull << 32)},
      {"workload.iterations", number(CXLGPU_MEMBER(workload.iterations), 0, 1ull << 32)},
      {"workload.file", [](RunConfig& c, const std::string& t, const std::string&,
                           const std::string&) { c.workload.file = t; }},
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
      {"uvm.evict", eviction(CXLGPU_MEMBER(paging.uvm_faults.evict_by_access))},
      {"uvm.page_fault_ps", number(CXLGPU_MEMBER(paging.host_fill.page_fault_ps), 0, kMostPs)},
      {"uvm.readahead_bytes",
       power(CXLGPU_MEMBER(paging.host_fill.readahead_bytes), kPageBytes, kBlock)},
      {"gds.fault_ps", number(CXLGPU_MEMBER(paging.gds_faults.fault_ps), 0, kMostPs)},
      {"gds.host_runtime_ps", number(CXLGPU_MEMBER(paging.gds_faults.host_runtime_ps), 0, kMostPs)},
      {"gds.fetch_ps", number(CXLGPU_MEMBER(paging.gds_faults.fetch_ps), 0, kMostPs)},
      {"gds.batch_faults", number(CXLGPU_MEMBER(paging.gds_faults.batch_faults), 1, 65536)},
      {"gds.prefetch_bytes",
       power(CXLGPU_MEMBER(paging.gds_faults.prefetch_bytes), kPageBytes, kBlock)},
      {"gds.evict", eviction(CXLGPU_MEMBER(paging.gds_faults.evict_by_access))},
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
      {"phoenix.evict", eviction(CXLGPU_MEMBER(paging.phoenix_faults.evict_by_access))},
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

std::string at(const std::string& file, const YAML::Node& node) {
  return fmt::format("{}:{}", file, node.Mark().line + 1);
}

void set_scalar(RunConfig& config, const std::string& key, const std::string& text,
                const std::string& where) {
  for (const Field& field : fields()) {
    if (key == field.path) {
      field.set(config, text, where, key);
      config.places[key] = where;
      return;
    }
  }
  if (key == "hdm.ranges") fail(where, key, "is a list of ranges; give it in a YAML file");
  fail(where, key, "is not a known key; `cxlgpu list --keys` names them all");
}

HdmRange read_range(RunConfig& config, const YAML::Node& node, const std::string& file,
                    const std::string& key) {
  if (!node.IsMap()) fail(at(file, node), key, "is not a map; give base, size, ports, granularity");
  HdmRange range;
  std::set<std::string> seen;
  for (const auto& item : node) {
    const std::string where = at(file, item.first);
    if (!item.first.IsScalar()) fail(where, key, "has a key that is not a word");
    const auto name = item.first.as<std::string>();
    const std::string path = key + "." + name;
    config.places[path] = where;
    if (!seen.insert(name).second) fail(where, path, "is given twice; keep one");
    if (name == "ports") {
      if (!item.second.IsSequence()) fail(where, path, "is not a list; write e.g. [0, 1]");
      for (const auto& port : item.second) {
        if (!port.IsScalar()) fail(where, path, "is not a list of numbers; write e.g. [0, 1]");
        range.ports.push_back(
            static_cast<unsigned>(parse_range(port.as<std::string>(), where, path, 0, 31)));
      }
      continue;
    }
    if (!item.second.IsScalar()) fail(where, path, "is not a number");
    const auto text = item.second.as<std::string>();
    if (name == "base") {
      range.base = parse_unsigned(text, where, path);
    } else if (name == "size") {
      range.size = parse_unsigned(text, where, path);
    } else if (name == "granularity") {
      range.granularity = parse_power_of_two(text, where, path, 256, 16384);
    } else {
      fail(where, path, "is not a known key; use base, size, ports, granularity");
    }
  }
  for (const char* need : {"base", "size", "ports"}) {
    if (seen.count(need) == 0) fail(at(file, node), key, fmt::format("'{}' is missing", need));
  }
  const std::string where = at(file, node);
  const std::size_t ways = range.ports.size();
  if (ways != 1 && ways != 2 && ways != 4 && ways != 8) {
    fail(where, key + ".ports",
         fmt::format("{} ways; a host bridge interleaves 1, 2, 4 or 8", ways));
  }
  if (range.base % kHdmMultiple != 0) {
    fail(where, key + ".base", fmt::format("0x{:x} is not a multiple of 256 MiB", range.base));
  }
  if (range.size == 0 || range.size % (kHdmMultiple * ways) != 0) {
    fail(where, key + ".size",
         fmt::format("0x{:x} is not a multiple of {} x 256 MiB", range.size, ways));
  }
  return range;
}

void read_map(RunConfig& config, const YAML::Node& node, const std::string& file,
              const std::string& prefix) {
  if (!node.IsMap()) {
    fail(at(file, node), prefix.empty() ? "(top)" : prefix,
         "is not a map of keys; write key: value");
  }
  std::set<std::string> seen;
  for (const auto& item : node) {
    if (!item.first.IsScalar()) fail(at(file, item.first), prefix, "has a key that is not a word");
    const auto name = item.first.as<std::string>();
    const std::string key = prefix.empty() ? name : prefix + "." + name;
    const std::string where = at(file, item.first);
    if (!seen.insert(name).second) fail(where, key, "is given twice; keep one");
    if (key == "hdm.ranges") {
      if (!item.second.IsSequence()) fail(where, key, "is not a list of ranges");
      config.hdm.clear();
      std::size_t index = 0;
      for (const auto& range : item.second) {
        config.hdm.push_back(read_range(config, range, file, fmt::format("{}[{}]", key, index++)));
      }
      config.places[key] = where;
    } else if (item.second.IsMap()) {
      const bool known = std::any_of(fields().begin(), fields().end(), [&](const Field& f) {
        return std::string(f.path).starts_with(key + ".");
      });
      if (!known && key != "hdm")
        fail(where, key, "is not a known section; `cxlgpu list --keys` names them all");
      read_map(config, item.second, file, key);
    } else if (item.second.IsSequence()) {
      std::vector<std::string> parts;
      for (const auto& part : item.second) {
        if (!part.IsScalar()) fail(where, key, "has a part that is not a number");
        parts.push_back(part.as<std::string>());
      }
      set_scalar(config, key, fmt::format("{}", fmt::join(parts, ",")), where);
    } else {
      set_scalar(config, key, item.second.IsNull() ? "" : item.second.as<std::string>(), where);
    }
  }
}

YAML::Node parse_file(const std::string& file) {
  const std::filesystem::path path = file;
  if (!std::filesystem::is_regular_file(path)) {
    throw InputError(fmt::format("{}:0: is not a file that can be read; check the path", file));
  }
  YAML::Node root;
  try {
    root = YAML::LoadFile(file);
  } catch (const YAML::BadFile&) {
    throw InputError(fmt::format("{}:0: cannot be read; check the path", file));
  } catch (const YAML::Exception& e) {
    throw InputError(
        fmt::format("{}:{}: key '(syntax)': {}; mend the YAML", file, e.mark.line + 1, e.msg));
  }
  return root;
}

// The keys of the file are those of `section`; empty: as they stand there.
void read_root(RunConfig& config, const YAML::Node& root, const std::string& file,
               const std::string& section = "") {
  if (root.IsDefined() && !root.IsNull()) read_map(config, root, file, section);
}

void read_file(RunConfig& config, const std::filesystem::path& path,
               const std::string& section = "") {
  read_root(config, parse_file(path.string()), path.string(), section);
}

// Files of configs/host, each a section of its own in which no key may be missing.
void read_host_files(RunConfig& config, const std::filesystem::path& dir) {
  for (const std::string section : {"pcie", "uvm", "gds", "phoenix"}) {
    const std::filesystem::path file = dir / (section + ".yaml");
    read_file(config, file, section);
    for (const Field& field : fields()) {
      if (!std::string(field.path).starts_with(section + ".")) continue;
      if (config.places.count(field.path) == 0) {
        fail(file.string() + ":1", field.path, "is missing; add it, as the project's file has it");
      }
    }
  }
}

// The file that gpu.machine names lies below the layers that may name it: what `file`, or a --set,
// says of it is taken before its turn.
void find_machine(RunConfig& config, const YAML::Node& root, const std::string& file) {
  if (!root.IsDefined() || !root.IsMap()) return;
  const YAML::Node gpu = root["gpu"];
  if (!gpu.IsDefined() || !gpu.IsMap()) return;
  const YAML::Node machine = gpu["machine"];
  if (machine.IsDefined() && machine.IsScalar()) {
    set_scalar(config, "gpu.machine", machine.as<std::string>(), at(file, machine));
  }
}

void find_machine(RunConfig& config, const std::vector<std::string>& sets) {
  const std::string key = "gpu.machine=";
  for (const std::string& set : sets) {
    if (set.starts_with(key)) set_scalar(config, "gpu.machine", set.substr(key.size()), "--set");
  }
}

// The file that gpu.machine names: of a GPU and its memory alone.
void read_machine(RunConfig& config, const std::filesystem::path& folder) {
  std::vector<std::string> names;
  if (std::filesystem::is_directory(folder)) {
    for (const auto& entry : std::filesystem::directory_iterator(folder)) {
      if (entry.path().extension() == ".yaml") names.push_back(entry.path().stem().string());
    }
  }
  std::sort(names.begin(), names.end());
  const std::filesystem::path path =
      folder / (parse_choice(config.gpu_machine, config.place("gpu.machine", "default"),
                             "gpu.machine", names) +
                ".yaml");
  read_file(config, path);
  for (const auto& [key, place] : config.places) {
    if (!place.starts_with(path.string() + ":")) continue;
    if (key == "gpu.machine" || !(key.starts_with("gpu.") || key.starts_with("local_memory."))) {
      fail(place, key, "is not of a GPU; a file of gpu.machine has gpu and local_memory alone");
    }
  }
}

void apply_config_name(RunConfig& config, const std::string& name) {
  // What a configuration's name means; everything else is the machine's.
  if (name == "cxl") config.root_port.policy = SrPolicy::Off;
  if (name == "naive") {
    config.root_port.policy = SrPolicy::Naive;
    config.root_port.spec_length = false;
  }
  if (name == "dyn") config.root_port.policy = SrPolicy::Dyn;
  if (name == "stream") config.root_port.policy = SrPolicy::Stream;
  if (name == "sr" || name == "ds") config.root_port.policy = SrPolicy::Directional;
  if (name == "ds") config.root_port.ds = true;
  const auto* memory = std::find(kMemoryNames.begin(), kMemoryNames.end(), name);
  if (memory != kMemoryNames.end()) {
    config.memory = static_cast<MemoryKind>(memory - kMemoryNames.begin());
  }
}

// Of configuration names, which may hold dashes, the longest that ends the scenario's name after a
// dash; else what stands after the last dash.
std::string configuration_of(const std::string& scenario, const std::vector<std::string>& names) {
  std::string found;
  for (const std::string& name : names) {
    if (scenario.ends_with("-" + name) && name.size() > found.size()) found = name;
  }
  return found.empty() ? scenario.substr(scenario.rfind('-') + 1) : found;
}

}  // namespace

Time LinkConfig::flit_time() const {
  // 68 bytes over the lanes; lane_mbit_s bits a microsecond a lane.
  return Time{68ull * 8 * 1000000 / (lanes * lane_mbit_s)};
}

ConfigLoader::ConfigLoader(std::filesystem::path config_dir, ScenarioNames names)
    : dir_(std::move(config_dir)), names_(std::move(names)) {}

RunConfig ConfigLoader::load(const std::string& scenario, const std::vector<std::string>& sets,
                             const std::string& seed) const {
  RunConfig config;
  read_file(config, dir_ / "system" / "default.yaml");
  read_host_files(config, dir_ / "host");
  const std::string engine_place = config.place("run.engine", "");
  const auto known = [](const std::vector<std::string>& list, const std::string& name) {
    return std::find(list.begin(), list.end(), name) != list.end();
  };
  const bool is_file = scenario.ends_with(".yaml") || scenario.ends_with(".yml");
  const std::filesystem::path own =
      is_file ? std::filesystem::path(scenario) : dir_ / "scenarios" / (scenario + ".yaml");
  const YAML::Node own_root =
      is_file || std::filesystem::exists(own) ? parse_file(own.string()) : YAML::Node();
  find_machine(config, own_root, own.string());
  find_machine(config, sets);
  read_machine(config, dir_ / "gpu");
  config.scenario = is_file ? std::filesystem::path(scenario).stem().string() : scenario;
  if (!is_file) {
    const std::string kind = configuration_of(scenario, names_.configs);
    const std::size_t first = scenario.find('-');
    const std::size_t last = scenario.size() - kind.size() - 1;
    if (first == std::string::npos || first >= last) {
      throw InputError(
          fmt::format("scenario '{}': is not <workload>-<media>-<config> nor a .yaml file; `cxlgpu "
                      "list` names all parts",
                      scenario));
    }
    config.workload.name = scenario.substr(0, first);
    config.media = scenario.substr(first + 1, last - first - 1);
    if (!known(names_.configs, kind)) {
      throw InputError(fmt::format("scenario '{}': configuration '{}' is not known; use {}",
                                   scenario, kind, fmt::join(names_.configs, ", ")));
    }
    apply_config_name(config, kind);
  }
  read_root(config, own_root, own.string());
  for (const std::string& set : sets) {
    const std::size_t equals = set.find('=');
    if (equals == std::string::npos || equals == 0) {
      throw InputError(
          fmt::format("--set '{}': is not key=value; write e.g. --set gpu.warps=4", set));
    }
    set_scalar(config, set.substr(0, equals), set.substr(equals + 1), "--set");
  }
  if (!seed.empty()) set_scalar(config, "run.seed", seed, "--seed");
  // The machine's default is no choice of the user's; one that is, is refused by the session.
  if (config.memory != MemoryKind::Cxl && config.place("run.engine", "") == engine_place) {
    config.engine = "model";
  }
  if (!known(names_.workloads, config.workload.name) && config.workload.name != "trace") {
    throw InputError(fmt::format("scenario '{}': key 'workload.name': '{}' is not known; use {}",
                                 scenario, config.workload.name,
                                 fmt::join(names_.workloads, ", ")));
  }
  if (!known(names_.media, config.media)) {
    throw InputError(fmt::format("scenario '{}': key 'media.part': '{}' is not known; use {}",
                                 scenario, config.media, fmt::join(names_.media, ", ")));
  }
  config.gpu.seed = config.seed;
  check(config, is_file ? scenario : fmt::format("scenario '{}'", scenario));
  return config;
}

std::vector<std::string> ConfigLoader::keys() {
  std::vector<std::string> all;
  for (const Field& field : fields()) all.emplace_back(field.path);
  all.emplace_back("hdm.ranges");
  return all;
}

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
    if (i == 0) continue;
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
  if (config.gpu.store_buffer != 0 && config.gpu.l1.write == WritePolicy::Back) {
    refuse("gpu.store_buffer",
           fmt::format("{} lines stand behind a write-back L1 ({}), which gathers stores itself; "
                       "use 0, or gpu.l1.write through",
                       config.gpu.store_buffer, config.place("gpu.l1.write", "default")));
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
  const RootPortConfig &port = config.root_port, built;
  const auto same = [&](const char* key, std::uint64_t value, std::uint64_t rtl) {
    if (value == rtl) return;
    fail(config.place(key, config.scenario), key,
         fmt::format("{}, but this build's RTL has {}; use --engine model", value, rtl));
  };
  same("root_port.sr_queue_entries", port.sr_queue_entries, built.sr_queue_entries);
  same("root_port.memory_queue_entries", port.memory_queue_entries, built.memory_queue_entries);
  same("root_port.ring_entries", port.ring_entries, built.ring_entries);
  same("root_port.spec_cap_bytes", port.spec_cap_bytes, built.spec_cap_bytes);
  same("root_port.ds_lines", port.ds_lines, built.ds_lines);
  same("endpoint.line_bytes", config.endpoint.line_bytes, EndpointConfig{}.line_bytes);
}

}  // namespace cxlgpu
