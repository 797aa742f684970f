// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
// Keys of a host of several GPUs, and of what workload copy does. "MMA" is the MultiPath Transfer
// Engine's paper; "H200" and "H100" were measured for this project.
#include <numeric>

#include "sim/config/key_rows.hpp"

namespace cxlgpu {

namespace {

constexpr std::uint64_t kGiB = 1024 * kMiB;
constexpr std::size_t kMostGpus = 16;

std::vector<std::size_t> up_to(std::size_t most) {
  std::vector<std::size_t> lengths(most);
  std::iota(lengths.begin(), lengths.end(), 1);
  return lengths;
}

template <typename Member>
ConfigKey rate_row(const char* path, const char* meaning, const char* source, Member member) {
  return row({path, "GB/s", decimal(0.1, 100000), meaning, source}, member);
}

template <typename Member>
ConfigKey time_row(const char* path, const char* meaning, const char* source, Member member) {
  return row({path, "ps", between(0, kMostPs), meaning, source}, member);
}

template <typename Member>
ConfigKey fallback_row(const char* path, const char* meaning, Member member) {
  return row({path, "bytes", between(0, 16 * kGiB), meaning, "MMA, 5.1.3"}, member);
}

void add_links(std::vector<ConfigKey>& keys) {
  keys.push_back(row({"multipath.gpus", "GPUs", between(1, kMostGpus),
                      "GPUs of the host, each with a PCIe link.", "MMA, 5"},
                     CXLGPU_MEMBER(multipath.gpus)));
  keys.push_back(row({"multipath.gpus_per_node", "GPUs", between(1, kMostGpus),
                      "GPUs at one socket: the first so many are of node 0.", "MMA, 5.1.1"},
                     CXLGPU_MEMBER(multipath.gpus_per_node)));
  keys.push_back(rate_row("multipath.pcie_gb_s", "A GPU's link, each way.",
                          "H200, measured: 2 GiB to one GPU in chunks of 8 MiB, one path",
                          CXLGPU_MEMBER(multipath.pcie_gb_s)));
  keys.push_back(row({"multipath.pcie_percent", "%", list_of(up_to(kMostGpus), 1, 100),
                      "Of it that the link of GPU 0, 1 and so on has; GPUs that are not named have "
                      "all.",
                      "this design"},
                     CXLGPU_MEMBER(multipath.pcie_percent)));
  keys.push_back(rate_row("multipath.node_gb_s", "All links of a node together, each way.",
                          "H200, measured: likewise, four paths",
                          CXLGPU_MEMBER(multipath.node_gb_s)));
  keys.push_back(rate_row("multipath.cross_gb_s", "From one node to another.",
                          "half of MMA's table 1, 600 to 750 both ways; open",
                          CXLGPU_MEMBER(multipath.cross_gb_s)));
  keys.push_back(rate_row("multipath.memory_gb_s", "Host memory of a node, each way.",
                          "half of MMA's table 1, 600 to 700 of both nodes",
                          CXLGPU_MEMBER(multipath.memory_gb_s)));
  keys.push_back(rate_row("multipath.peer_gb_s", "A GPU to all others, and from them.",
                          "H100, measured: a peer copy of 256 MiB less one of 16 MiB",
                          CXLGPU_MEMBER(multipath.peer_gb_s)));
}

void add_costs(std::vector<ConfigKey>& keys) {
  keys.push_back(time_row("multipath.setup_h2d_ps", "A copy to a GPU, beside its bytes.",
                          "H200, measured: 4 KiB less its bytes",
                          CXLGPU_MEMBER(multipath.setup_h2d_ps)));
  keys.push_back(time_row("multipath.setup_d2h_ps", "A copy to the host, beside its bytes.",
                          "H200, measured: 4 KiB less its bytes",
                          CXLGPU_MEMBER(multipath.setup_d2h_ps)));
  keys.push_back(time_row("multipath.peer_setup_ps", "A copy between GPUs, beside its bytes.",
                          "H100, measured: 1 MiB less its bytes",
                          CXLGPU_MEMBER(multipath.peer_setup_ps)));
  keys.push_back(time_row("multipath.callback_ps", "From a dummy task to the engine's start.",
                          "H100, measured: a host's function in an idle stream",
                          CXLGPU_MEMBER(multipath.callback_ps)));
  keys.push_back(time_row("multipath.release_ps",
                          "From the last chunk that is seen to the end of the dummy task.",
                          "H100, measured: from a flag to the end of a spin kernel's stream",
                          CXLGPU_MEMBER(multipath.release_ps)));
  keys.push_back(time_row("multipath.issue_ps", "A call that starts a copy, on a link's thread.",
                          "H200, measured: kernel launches back to back; of a copy open",
                          CXLGPU_MEMBER(multipath.issue_ps)));
  keys.push_back(time_row("multipath.sync_ps", "From the end of a chunk until it is seen.",
                          "as multipath.release_ps, the most that it can be; open",
                          CXLGPU_MEMBER(multipath.sync_ps)));
}

void add_engine(std::vector<ConfigKey>& keys) {
  keys.push_back(row({"multipath.paths", "links", between(1, kMostGpus),
                      "Links of a copy, at most: the GPU's own, then those of its node, then the "
                      "others.",
                      "MMA, figure 9"},
                     CXLGPU_MEMBER(multipath.paths)));
  keys.push_back(row({"multipath.chunk_bytes", "bytes", between(4096, kGiB),
                      "A micro-task: into these a copy is cut.", "MMA, 3.4.3"},
                     CXLGPU_MEMBER(multipath.chunk_bytes)));
  keys.push_back(fallback_row("multipath.fallback_h2d_bytes",
                              "Shorter copies to a GPU are native ones, by mma.",
                              CXLGPU_MEMBER(multipath.fallback_h2d_bytes)));
  keys.push_back(fallback_row("multipath.fallback_d2h_bytes",
                              "Shorter copies to the host are native ones, by mma.",
                              CXLGPU_MEMBER(multipath.fallback_d2h_bytes)));
  keys.push_back(row({"multipath.queue_depth", "micro-tasks", between(1, 1024),
                      "Outstanding micro-tasks of a link, at most.", "MMA, 5.1.3"},
                     CXLGPU_MEMBER(multipath.queue_depth)));
  keys.push_back(
      row({"multipath.pipelines", "pipelines", between(1, 16),
           "Relays of a link that overlap, each with a buffer of one chunk.", "MMA, 3.4.3"},
          CXLGPU_MEMBER(multipath.pipelines)));
  keys.push_back(
      row({"multipath.direct_first", "", flag(),
           "A link takes micro-tasks of its own GPU before those of others.", "MMA, 3.4.2"},
          CXLGPU_MEMBER(multipath.direct_first)));
  keys.push_back(
      row({"multipath.relay", "", one_of({kRelayOrderNames.begin(), kRelayOrderNames.end()}),
           "What a link relays: from the longest queue, or from that of priority_gpu "
           "first.",
           "MMA, 3.4.2"},
          CXLGPU_MEMBER(multipath.relay)));
  keys.push_back(row({"multipath.priority_gpu", "", between(0, kMostGpus - 1),
                      "The GPU of multipath.relay priority.", "this design"},
                     CXLGPU_MEMBER(multipath.priority_gpu)));
  keys.push_back(
      time_row("multipath.pause_ps",
               "How long a link whose queue was full waits before it pulls, in favour of "
               "copies of others.",
               "MMA, 3.4.2: the other choice", CXLGPU_MEMBER(multipath.pause_ps)));
  keys.push_back(row({"multipath.static_split", "chunks", list_of(up_to(kMostGpus), 0, 1000),
                      "Of configuration static: what path 0, 1 and so on has of each round; paths "
                      "that are not named have none.",
                      "MMA, figure 11: 1:1"},
                     CXLGPU_MEMBER(multipath.static_split)));
  keys.push_back(row({"multipath.down_at_us", "us", between(0, kMostUs),
                      "When a PCIe link is lost, for good; 0: none is.", "this design"},
                     CXLGPU_MEMBER(multipath.down_at_us)));
  keys.push_back(row(
      {"multipath.down_gpu", "", between(0, kMostGpus - 1), "Whose link that is.", "this design"},
      CXLGPU_MEMBER(multipath.down_gpu)));
}

std::vector<std::string> node_names() {
  std::vector<std::string> names = {"local"};
  for (std::size_t node = 0; node < kMostGpus; ++node) names.push_back(std::to_string(node));
  return names;
}

}  // namespace

std::vector<ConfigKey> multipath_keys() {
  std::vector<ConfigKey> keys;
  add_links(keys);
  add_costs(keys);
  add_engine(keys);
  return keys;
}

std::vector<ConfigKey> copy_keys() {
  return {
      row({"workload.copy_bytes", "bytes", between(1, 16 * kGiB), "A copy of copy.", "this design"},
          CXLGPU_MEMBER(workload.copy.bytes)),
      row({"workload.copy_direction", "",
           one_of({kCopyDirectionNames.begin(), kCopyDirectionNames.end()}),
           "Where copies of copy go: to GPUs, or to the host.", "MMA, 3.4.3"},
          CXLGPU_MEMBER(workload.copy.direction)),
      row({"workload.copy_gpus", "", list_of(up_to(kMostGpus), 0, kMostGpus - 1),
           "GPUs of copy, each with a stream of copies.", "MMA, figure 8; all eight in table 2"},
          CXLGPU_MEMBER(workload.copy.gpus)),
      row({"workload.copy_engines", "",
           one_of({kCopyEnginesNames.begin(), kCopyEnginesNames.end()}),
           "Whether streams of copy are of one program, or each of its own.", "MMA, figure 10b"},
          CXLGPU_MEMBER(workload.copy.engines)),
      row({"workload.copy_node", "", one_of(node_names()),
           "Where copy has its host memory: at the GPU's node, or at one.", "this design"},
          CXLGPU_MEMBER(workload.copy.node)),
      row({"workload.copy_background", "%", list_of(up_to(kMostGpus), 0, 100),
           "Of the link of GPU 0, 1 and so on that native copies of others want; GPUs that are not "
           "named have none.",
           "MMA, figures 10a and 11"},
          CXLGPU_MEMBER(workload.copy.background)),
      row({"workload.copy_background_from_us", "us", between(0, kMostUs),
           "When copies of others begin.", "this design"},
          CXLGPU_MEMBER(workload.copy.background_from_us)),
      row({"workload.copy_background_until_us", "us", between(0, kMostUs),
           "When copies of others end; 0: never.", "this design"},
          CXLGPU_MEMBER(workload.copy.background_until_us)),
      row({"workload.copy_peer", "", list_of({2}, 0, kMostGpus - 1),
           "Two GPUs: others copy from the first to the second all the time; one twice: none.",
           "MMA, table 2"},
          CXLGPU_MEMBER(workload.copy.peer)),
  };
}

}  // namespace cxlgpu
