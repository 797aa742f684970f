// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
// Keys of root ports and endpoints.
#include <fmt/format.h>

#include <algorithm>

#include "common/request.hpp"
#include "sim/config/key_rows.hpp"
#include "sim/gpu/ds_region.hpp"

namespace cxlgpu {

namespace {

// In the order of SrPolicy.
const std::vector<std::string> kPolicies = {"off",        "naive",    "dyn",    "sr-paper",
                                            "sr",         "stream",   "stride", "best-offset",
                                            "access-map", "footprint"};

// As `key`, which also takes a value's old name, for one release.
ConfigKey renamed(ConfigKey key, const std::string& old_name, const std::string& name) {
  const auto set = std::move(key.set);
  key.set = [=](RunConfig& c, const std::string& t, const std::string& w, const std::string& k) {
    if (t == old_name) {
      c.notes.push_back(
          fmt::format("{}: key '{}': '{}' is an old name; write '{}'", w, k, old_name, name));
    }
    set(c, t == old_name ? name : t, w, k);
  };
  return key;
}

// As `key`, which also takes the policies of the program's own, for runs of the model.
ConfigKey with_own_policies(ConfigKey key) {
  const auto set = std::move(key.set);
  key.set = [set](RunConfig& c, const std::string& t, const std::string& w, const std::string& k) {
    if (std::ranges::find(c.own_policies, t) == c.own_policies.end()) return set(c, t, w, k);
    c.root_port.policy = SrPolicy::Own;
    c.root_port.own_policy = t;
  };
  const auto get = std::move(key.get);
  key.get = [get](const RunConfig& c) -> ConfigValue {
    return c.root_port.policy == SrPolicy::Own ? c.root_port.own_policy : get(c);
  };
  return key;
}

}  // namespace

std::vector<ConfigKey> port_keys() {
  return {
      with_own_policies(renamed(
          row({"root_port.policy", "", one_of(kPolicies),
               "What MemSpecRd is sent for a load; the scenario's name sets it. The last four "
               "are in engine model alone.",
               "CXL-GPU; sr and stream are this design; the last four: model/prefetch"},
              CXLGPU_MEMBER(root_port.policy)),
          "sr-directional", "sr")),
      row({"root_port.spec_length", "", flag(),
           "MemSpecRd carries a length, 256 to 1024 B; an extension of CXL.",
           "CXL-GPU: two address bits; that both ends agree on it first is this design"},
          CXLGPU_MEMBER(root_port.spec_length)),
      row({"root_port.spec_64b", "", flag(),
           "MemSpecRd ask for the 64 B of their load and carry no length, whatever spec_length; a "
           "load is then covered by its line alone.",
           "CXL-GPU, CXL-NAIVE: \"blindly issues 64B MemSpecRd\"; CXL 2.0, 3.3.3"},
          CXLGPU_MEMBER(root_port.spec_64b)),
      row({"root_port.ring_match", "", one_of({"coverage", "start"}),
           "Which MemSpecRd cover a load: any that reached its 256 B, or those made for a load in "
           "these (policies dyn, sr, sr-paper).",
           "CXL-GPU: \"matches the address\", \"address and length\"; open which of the two"},
          CXLGPU_MEMBER(root_port.ring_match)),
      row({"root_port.window", "", one_of({"ahead", "around"}),
           "Where policy sr aims: ahead of the load, or backwards as well where the queues say so, "
           "and to both sides where they say nothing.",
           "CXL-GPU, figure 7; how it tells the direction is open, the rule is this design"},
          CXLGPU_MEMBER(root_port.window)),
      row({"root_port.ds", "", flag(),
           "Deterministic store: a store is done when it is in GPU memory, and is written to its "
           "endpoint later; the scenario's name sets it.",
           "CXL-GPU"},
          CXLGPU_MEMBER(root_port.ds)),
      row({"root_port.ds_max_writes", "writes", between(1, kMostDsWrites),
           "Writes of deterministic store in flight to an endpoint, at most ds_writes.",
           "this design"},
          CXLGPU_MEMBER(root_port.ds_max_writes)),
      row({"root_port.ds_interval", "log2 cycles", list_of({4}, 0, 15),
           "Time between them, at DevLoad light, optimal, moderate, severe; 0 no pause.",
           "this design"},
          CXLGPU_MEMBER(root_port.ds_interval)),
      row({"root_port.hints", "", flag(),
           "Hints of kernels, which name what they will load soon, become MemSpecRd; else they are "
           "dropped. A workload that gives none is the same with and without.",
           "this design"},
          CXLGPU_MEMBER(root_port.hints)),
      row({"root_port.hint_interval", "log2 cycles", list_of({4}, 0, 15),
           "Time after each granule of 256 B that a hint requests, at DevLoad light, optimal, "
           "moderate, severe.",
           "this design"},
          CXLGPU_MEMBER(root_port.hint_interval)),
      row({"root_port.sr_queue_entries", "", between(1, kMostSrQueueEntries),
           "Entries of the speculative read queue.", "CXL-GPU"},
          CXLGPU_MEMBER(root_port.sr_queue_entries)),
      row({"root_port.memory_queue_entries", "", between(3, kMostMemoryQueueEntries),
           "Entries of the memory queue, two for MemSpecRd alone.",
           "CXL-GPU; the two are this design"},
          CXLGPU_MEMBER(root_port.memory_queue_entries)),
      row({"root_port.ring_entries", "granules", power_of_two(16, 4096),
           "Granules of 256 B in the ring buffer: 4 banks, 4 ways.", "this design"},
          CXLGPU_MEMBER(root_port.ring_entries)),
      row({"root_port.spec_cap_bytes", "bytes", multiple_of(256, 256, 1024),
           "The longest MemSpecRd.",
           "CXL-GPU: the longest that its length, 1 to 4 times 256 B, can say"},
          CXLGPU_MEMBER(root_port.spec_cap_bytes)),
      row({"root_port.ds_lines", "lines", power_of_two(16, DsRegion::kPortBytes / kLineBytes),
           "Lines of 64 B that a port can defer.", "this design"},
          CXLGPU_MEMBER(root_port.ds_lines)),
      row({"root_port.ds_writes", "writes", between(1, kMostDsWrites),
           "Writes of deterministic store in flight that a port has entries for.", "this design"},
          CXLGPU_MEMBER(root_port.ds_writes)),
      row({"endpoint.cache_bytes", "bytes", between(0, 2 * kMiB),
           "Internal DRAM of an endpoint used as cache; 0 takes cache_percent.",
           "assumed: 1 KiB for each of 64 warps and 4 arrays"},
          CXLGPU_MEMBER(endpoint.cache_bytes)),
      row({"endpoint.cache_percent", "%", between(1, 100),
           "Internal DRAM of all endpoints as a share of the data set; only with cache_bytes 0.",
           "assumed"},
          CXLGPU_MEMBER(endpoint.cache_percent)),
      row({"endpoint.mshrs", "fills", power_of_two(16, kMostMshrs),
           "Fills of the internal DRAM in flight (miss-status registers).", "this design"},
          CXLGPU_MEMBER(endpoint.mshrs)),
      row({"endpoint.line_bytes", "bytes", power_of_two(64, 16384),
           "Line of the internal DRAM, at most the medium's page.",
           "this design: a granule of MemSpecRd"},
          CXLGPU_MEMBER(endpoint.line_bytes)),
      row({"endpoint.open_lines", "lines", between(0, kMostMshrs / 2),
           "Lines of the internal DRAM that may be there in part, so that stores do not wait for "
           "fills; half of endpoint.mshrs at most count, 0: stores wait.",
           "this design"},
          CXLGPU_MEMBER(endpoint.open_lines)),
      row({"endpoint.ingress_thresholds", "messages", list_of({3}, 0, 127),
           "Waiting messages (of 64) at which DevLoad is optimal, moderate, severe.",
           "this design; CXL 2.0, 3.3.2 leaves it open"},
          CXLGPU_MEMBER(endpoint.ingress_thresholds)),
      row({"endpoint.mshr_thresholds", "fills", list_of({3}, 0, 127),
           "Fills in flight (of 128) at which DevLoad is optimal, moderate, severe.",
           "this design; CXL 2.0, 3.3.2 leaves it open"},
          CXLGPU_MEMBER(endpoint.mshr_thresholds)),
      row({"endpoint.backlog_thresholds", "1/16", list_of({3}, 0, 127),
           "Media commands not begun, in sixteenths of one for each die or bank, at which DevLoad "
           "is optimal, moderate, severe.",
           "this design; CXL 2.0, 3.3.2 leaves it open"},
          CXLGPU_MEMBER(endpoint.backlog_thresholds)),
      row({"endpoint.task_thresholds", "1/64", list_of({3}, 0, 127),
           "Dies that collect garbage or move worn data, or soon will, in sixty-fourths of all, "
           "at which DevLoad is optimal, moderate, severe.",
           "this design; CXL 2.0, 3.3.2 leaves it open"},
          CXLGPU_MEMBER(endpoint.task_thresholds)),
      row({"endpoint.load_margins", "", list_of({3}, 0, 127),
           "How far ingress, fills and backlog fall below a threshold before DevLoad falls; below "
           "each first threshold, or 0.",
           "this design"},
          CXLGPU_MEMBER(endpoint.load_margins)),
      row({"endpoint.throughput_reduction", "", flag(),
           "DevLoad rises for the dies of task_thresholds.",
           "CXL 2.0, 3.3.2, temporary throughput reduction"},
          CXLGPU_MEMBER(endpoint.throughput_reduction)),
      row({"endpoint.egress_congestion", "", flag(),
           "DevLoad rises for responses that wait for the link.",
           "CXL 2.0, 3.3.2, egress port congestion; off after reset"},
          CXLGPU_MEMBER(endpoint.egress_congestion)),
      row({"endpoint.egress_percent", "%", list_of({2}, 0, 100),
           "Share of the last 100 samples with waiting responses, at which DevLoad is moderate, "
           "severe.",
           "CXL 2.0, 3.3.2"},
          CXLGPU_MEMBER(endpoint.egress_percent)),
      row({"endpoint.egress_interval", "cycles", between(0, 31),
           "From sample to sample; 0 takes none.", "CXL 2.0, 3.3.2"},
          CXLGPU_MEMBER(endpoint.egress_interval)),
      row({"endpoint.gc_first_us", "us", between(0, 1000000000),
           "Fault injection: start of the first scripted garbage collection of flash.",
           "this design"},
          CXLGPU_MEMBER(endpoint.gc_first_us)),
      row({"endpoint.gc_every_us", "us", between(0, 1000000000),
           "Fault injection: from start to start, more than gc_busy_us; 0 is once.", "this design"},
          CXLGPU_MEMBER(endpoint.gc_every_us)),
      row({"endpoint.gc_busy_us", "us", between(0, 1000000),
           "Fault injection: how long a die is busy, after its current operation; 0 is no "
           "collection.",
           "this design"},
          CXLGPU_MEMBER(endpoint.gc_busy_us)),
      row({"endpoint.gc_dies_percent", "%", between(1, 100),
           "Fault injection: share of the dies that collect, rounded up.", "this design"},
          CXLGPU_MEMBER(endpoint.gc_dies_percent)),
      row({"endpoint.image_in", "", text("a folder, or empty"),
           "Folder with an image of each flash medium, port0.img and so on, that the run starts "
           "from.",
           "this design"},
          CXLGPU_MEMBER(endpoint.image_in)),
      row({"endpoint.image_out", "", text("a folder, or empty"),
           "Folder for such images after a run that ended well; may be the same.", "this design"},
          CXLGPU_MEMBER(endpoint.image_out)),
  };
}

}  // namespace cxlgpu
