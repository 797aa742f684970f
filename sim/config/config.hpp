// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
// The machine and the run, as read from configs/ and the command line.
//
// Purpose: one value type that every engine is built from.
// Units:   in the key's name (_ps, _bytes, _cycles) or stated beside it in
//          configs/system/default.yaml.
// Errors:  InputError with one line: file, line, key, what to do.
// Layers:  configs/system/default.yaml and configs/host/*.yaml of hosts, the sizes
//          of the RTL (configs/rtl/default.yaml and the one that the build has), then the machine
//          (a file of configs/machines, over the file of configs/gpu that it names), then what the
//          scenario's name says, then configs/scenarios/NAME.yaml or the file given, then --set.
//          The last two may name another machine (system.machine), as --machine does, and another
//          file of configs/gpu (gpu.machine), which then lies over the machine.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "common/policy.hpp"
#include "common/rtl_sizes.hpp"
#include "common/time.hpp"
#include "sim/gpm/host_persist_config.hpp"
#include "sim/gpm/log_kind.hpp"
#include "sim/gpu/gpu_config.hpp"
#include "sim/io/io_config.hpp"
#include "sim/multipath/multipath_config.hpp"
#include "sim/nvme/kv_config.hpp"
#include "sim/paging/paging_config.hpp"
#include "sim/serving/prefix_config.hpp"

namespace cxlgpu {

// One HDM range: interleaved over root ports in the order given.
struct HdmRange {
  std::uint64_t base = 0;
  std::uint64_t size = 0;
  std::uint64_t granularity = 256;  // bytes, 256..16384
  std::vector<unsigned> ports;
  bool persistent = false;  // survives a loss of power, as far as persist.domain says
  bool operator==(const HdmRange&) const = default;
};

struct LinkConfig {
  unsigned lanes = 8;
  std::uint64_t lane_mbit_s = 32000;
  std::uint64_t flight_ps = 2000;
  double bit_error_rate_m2s = 0, bit_error_rate_s2m = 0;
  // Fault injection (SpecFaults), one at a time, 0 never: every n-th MemSpecRd is lost, comes as
  // the one before once more, each comes in the place of the n-th after it.
  unsigned drop_spec_every = 0, duplicate_spec_every = 0, delay_spec_by = 0;
  // The link of this port goes down and comes back, once; times of the run. down_at_us 0: never.
  std::uint64_t down_at_us = 0, down_for_us = 0;
  unsigned port = 0;
  [[nodiscard]] Time flit_time() const;
};

struct RootPortConfig {
  SrPolicy policy = SrPolicy::Off;
  std::string own_policy;  // the name of policy Own
  bool spec_length = true;
  bool spec_64b = false;  // MemSpecRd of the load's own 64 B; then no length
  RingMatch ring_match = RingMatch::Coverage;
  SrWindow window = SrWindow::Ahead;  // of policy sr
  bool ds = false;                    // deterministic store
  unsigned ds_max_writes = 32;
  std::vector<std::uint64_t> ds_interval = {0, 0, 0, 0};  // by DevLoad, log2 of cycles, 0 none
  bool hints = true;  // of kernels: MemSpecRd for what they will load soon
  std::vector<std::uint64_t> hint_interval = {4, 5, 8, 15};  // a granule, as ds_interval
  // Sizes of the hardware: configs/rtl.
  unsigned sr_queue_entries = kDefaultRtl.sr_queue_entries;
  unsigned memory_queue_entries = kDefaultRtl.memory_queue_entries;  // two for MemSpecRd alone
  unsigned ring_entries = kDefaultRtl.ring_entries;                  // granules of 256 B
  unsigned spec_cap_bytes = kDefaultRtl.spec_cap_bytes;              // the longest MemSpecRd
  unsigned ds_lines = kDefaultRtl.ds_lines;                          // that a port can defer
  unsigned ds_writes = kDefaultRtl.ds_writes;                        // in flight at most
};

struct EndpointConfig {
  std::uint64_t cache_bytes = 0;  // internal DRAM used as cache, 0: by cache_percent
  std::uint64_t cache_percent = 10;
  std::vector<std::uint64_t> ingress_thresholds = {4, 16, 32};
  std::vector<std::uint64_t> mshr_thresholds = {48, 96, 120};
  std::vector<std::uint64_t> backlog_thresholds = {8, 16, 32};
  std::vector<std::uint64_t> task_thresholds = {8, 32, 64};
  std::vector<std::uint64_t> load_margins = {2, 8, 2};  // ingress, mshr, backlog
  bool throughput_reduction = true;
  bool egress_congestion = false;
  std::vector<std::uint64_t> egress_percent = {10, 25};  // moderate, severe
  unsigned egress_interval = 8;                          // cycles
  // Scripted garbage collection of flash (CollectionScript); busy 0: none.
  std::uint64_t gc_first_us = 0, gc_every_us = 0, gc_busy_us = 0, gc_dies_percent = 100;
  // Folders of images of the parts (flash), port0.img ...: loaded before the run, written after one
  // that ended well. Empty: none.
  std::string image_in, image_out;
  unsigned open_lines = 64;  // of the internal DRAM, there in part; 0: stores wait for fills
  // Sizes of the internal DRAM: configs/rtl.
  unsigned mshrs = kDefaultRtl.mshrs;
  std::uint32_t line_bytes = kDefaultRtl.line_bytes;
};

// Where bytes must be to survive a loss of power: each has what those before it have.
enum class PersistDomain : std::uint8_t {
  Media,   // in a programmed page
  Buffer,  // or in the endpoint's write buffer
  Device,  // or anywhere in the endpoint
  Host     // or in the GPU's last-level cache, or on the way
};

struct WorkloadConfig {
  std::string name;
  std::uint64_t size = 0;        // what it counts depends on the workload; 0: the reduced size
  unsigned store_percent = 0;    // of the steps of seq, around and rand
  unsigned unroll = 2;           // steps of its loop that a warp has in flight
  std::uint64_t iterations = 0;  // of an iterative workload; 0: the workload's own number
  std::string file;              // input, for workloads that read one
  // moe and kvdecode.
  bool hints = true;
  unsigned hint_accuracy = 100;   // per cent
  unsigned hint_ahead = 8;        // pages
  unsigned compute_per_line = 0;  // instructions
  unsigned layers = 8, experts = 8, top_k = 2;
  unsigned kv_heads = 2, head_size = 64;  // bytes
  // Of those that persist.
  LogKind log = LogKind::Hcl;
  unsigned log_partitions = 8;
  unsigned checkpoint_every = 5;  // time steps or passes
  unsigned kv_batch = 4;          // commands behind one doorbell, of kvput and kvget
  std::uint64_t kv_value_bytes = 4096;
  IoWork io;  // of io, but count and seed
  KvLoadWork kvload;
  CopyWork copy;      // of copy, likewise
  PrefixWork prefix;  // but seed
};

struct TraceConfig {
  std::string file;
  std::uint64_t max_requests = 0;  // 0: all
  std::uint64_t data_bytes = 0;    // 0: as far as the trace's requests go
  unsigned max_reads = 128, max_writes = 64;
};

struct RunConfig {
  std::string scenario;
  std::string media;
  std::string share_page_register = "part", suspend = "part",
              striping = "part";  // of its dies; part: the file's own
  std::string engine = "cosim";
  std::uint64_t seed = 1;
  std::uint64_t limit_us = 1000000;  // of simulated time
  std::string machine;               // system.machine, as it was named
  // Keys of a machine that a layer above it gave another value.
  std::vector<std::string> machine_changed;
  unsigned ports = kDefaultRtl.ports;
  MemoryKind memory = MemoryKind::Cxl;  // where the data lives; the scenario's name sets it
  PagingConfig paging;
  IoHostConfig io;  // of programs of the host
  MultipathConfig multipath;
  std::string gpu_machine;
  GpuParams gpu;
  Distribution distribution = Distribution::Chunked;
  std::uint64_t local_percent = 10;    // share of the data set that GPU memory holds
  std::string local_part = "hbm3";     // that times it; "none": latency and bandwidth alone
  unsigned local_sub_channels = 8;     // of that part
  std::uint64_t ds_base = 0x40000000;  // of deterministic store's part of GPU memory
  LinkConfig link;
  RootPortConfig root_port;
  EndpointConfig endpoint;
  PersistDomain persist_domain = PersistDomain::Buffer;
  PersistBy persist_by = PersistBy::Gpu;
  HostPersistCosts cap;   // where it is the host
  nvme::NvmeConfig nvme;  // kv
  WorkloadConfig workload;
  TraceConfig trace;
  std::vector<HdmRange> hdm;
  // Where each key was last given, "file:line" or "--set", for messages.
  std::map<std::string, std::string> places;
  // By key: what configs/rtl says that the RTL has. Empty: nothing was read of it.
  std::map<std::string, std::uint64_t> rtl;
  // Values of root_port.policy beside those of its row: of a program that brings them.
  std::vector<std::string> own_policies;
  // Old names that were accepted, a line each for the user.
  std::vector<std::string> notes;
  // The first range that persists, and with it all after it; null: none.
  [[nodiscard]] const HdmRange* persistent() const {
    for (const HdmRange& range : hdm) {
      if (range.persistent) return &range;
    }
    return nullptr;
  }
  [[nodiscard]] const std::string& place(const std::string& key,
                                         const std::string& otherwise) const {
    const auto at = places.find(key);
    return at == places.end() ? otherwise : at->second;
  }
};

// Parts of a scenario's name, <workload>-<media>-<config>.
struct ScenarioNames {
  std::vector<std::string> workloads, media, configs;
  std::vector<std::string> policies = {};  // RunConfig::own_policies
};

class ConfigLoader {
 public:
  // `rtl`: the configuration of the RTL, a file of configs/rtl without .yaml, or a file.
  // `machine`: a file of configs/machines without .yaml, or a file; empty: what the layers say.
  ConfigLoader(std::filesystem::path config_dir, ScenarioNames names, std::string rtl = "default",
               std::string machine = "");
  // `scenario` is a name or the path of a YAML file; `sets` are path.key=value; `seed` as typed.
  [[nodiscard]] RunConfig load(const std::string& scenario, const std::vector<std::string>& sets,
                               const std::string& seed = "") const;
  // What a scenario begins with, and where each value stands: the files alone, without what a
  // scenario says. Not checked.
  [[nodiscard]] RunConfig defaults() const;

 private:
  void read_layers(RunConfig& config) const;
  // The file of system.machine, over the one of gpu.machine.
  void read_machine(RunConfig& config) const;
  [[nodiscard]] std::filesystem::path rtl_file() const;

  std::filesystem::path dir_;
  ScenarioNames names_;
  std::string rtl_, machine_;
};

// Reads the text of a value of that key into the configuration, and keeps `where` as its place.
// Errors: InputError for a key that there is not, and for a value that it does not take.
void set_key(RunConfig& config, const std::string& key, const std::string& text,
             const std::string& where);

// Files of configs/machines, without .yaml.
std::vector<std::string> machine_names(const std::filesystem::path& config_dir);

// Checks what no single key can show: overlaps, multiples, ports that do not exist. A message names
// the place of the key, or `otherwise` where it was never given.
void check(const RunConfig& config, const std::string& otherwise);

// Refuses sizes that, by configs/rtl, the RTL is not built with: before anything is made. What the
// RTL really has is asked of it at bring-up (sim/firmware/sizes.hpp). For engines that run it.
void check_build(const RunConfig& config);

}  // namespace cxlgpu
