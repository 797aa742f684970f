// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
// Keys of the system, the run, HDM, links, the medium, the workload and the trace.
#include <algorithm>
#include <iterator>

#include "sim/config/hdm_ranges.hpp"
#include "sim/config/key_rows.hpp"

namespace cxlgpu {

namespace {

ConfigKey hdm_key() {
  ConfigKey key;
  key.path = "hdm.ranges";
  key.range = ranges();
  key.meaning = "Host-managed device memory: what physical addresses are behind which root ports.";
  key.source =
      "this design: 512 MiB over two ports, 1024 B at a time, so that the largest MemSpecRd stays "
      "on "
      "one; CXL 2.0, 8.2.5.12";
  key.set = [](RunConfig& c, const std::string& text, const std::string& where,
               const std::string&) { parse_hdm_ranges(c, text, where); };
  key.get = [](const RunConfig& c) -> ConfigValue { return c.hdm; };
  return key;
}

}  // namespace

std::vector<ConfigKey> machine_keys() {
  std::vector<ConfigKey> keys = {
      row({"system.machine", "", text("a file of configs/machines, without .yaml, or a file"),
           "The machine that the run is on: hardware, the same for all workloads; layers above it "
           "override its keys; --machine names it too.",
           "this design"},
          CXLGPU_MEMBER(machine)),
      row({"system.ports", "ports", power_of_two(1, 8), "Root ports, each with an endpoint.",
           "this design"},
          CXLGPU_MEMBER(ports)),
      row({"system.memory", "", one_of({kMemoryNames.begin(), kMemoryNames.end()}),
           "Where the data is: behind CXL, all in GPU memory, or paged in from the host or a "
           "drive; of workload io gds, phoenix and posix are how the host moves it, of copy "
           "direct, "
           "static and mma. The scenario's name sets it.",
           "CXL-GPU; Phoenix (SC '25) for gds and phoenix"},
          CXLGPU_MEMBER(memory)),
      row({"run.engine", "", one_of({"rtl", "model", "cosim"}),
           "RTL, event-driven model, or both on the same requests and compared.", "this design"},
          CXLGPU_MEMBER(engine)),
      row({"run.seed", "", between(0, UINT32_MAX),
           "Seed of all random streams: input data, random patterns, random replacement, errors.",
           "this design"},
          CXLGPU_MEMBER(seed)),
      row({"run.limit_us", "us", between(0, kMostUs),
           "Simulated time after which a run is given up; 0: a second, a thousand without CXL but "
           "of "
           "gpu-dram.",
           "this design"},
          CXLGPU_MEMBER(limit_us)),
      hdm_key(),
      row({"persist.domain", "", one_of({"media", "buffer", "device", "host"}),
           "What of a persistent range survives a loss of power, and so what a persist waits for: "
           "a "
           "programmed page; or the endpoint's write buffer; or anything in the endpoint; or the "
           "GPU's caches, too, which then keep what is stored.",
           "this design; GPM (ASPLOS 2022) has ADR and eADR"},
          CXLGPU_MEMBER(persist_domain)),
      row({"persist.by", "", one_of({"gpu", "cap-fs", "cap-mm", "cap-eadr", "ndp"}),
           "Who makes what a kernel stores durable: each warp; or the host when the kernel has "
           "ended, by a copy and a file that is synced, a mapped file that is flushed, one in "
           "caches "
           "that survive, or a flush of what the GPU stored to host memory.",
           "GPM (ASPLOS 2022): GPM, CAP-fs, CAP-mm, CAP-eADR, GPM-NDP"},
          CXLGPU_MEMBER(persist_by)),
      row({"link.lanes", "lanes", power_of_two(1, 16),
           "Width of each link; 1 and 2 are degraded widths of CXL 2.0.",
           "CXL-GPU, table 1a: PCIe 5.0 x8"},
          CXLGPU_MEMBER(link.lanes)),
      row({"link.lane_mbit_s", "Mbit/s", between(8000, 32000),
           "Rate of a lane, one bit a transfer, with sync-header bypass.",
           "CXL-GPU, table 1a: PCIe 5.0, 32 GT/s"},
          CXLGPU_MEMBER(link.lane_mbit_s)),
      row({"link.flight_ps", "ps", between(0, 1000000),
           "Time of flight one way; latency of the SerDes is not modelled.",
           "30 cm of FR-4 at 6.7 ps/mm"},
          CXLGPU_MEMBER(link.flight_ps)),
      row({"link.bit_error_rate_m2s", "", probability(),
           "Fault injection: probability that a bit to an endpoint is flipped.", "this design"},
          CXLGPU_MEMBER(link.bit_error_rate_m2s)),
      row({"link.bit_error_rate_s2m", "", probability(),
           "Fault injection: probability that a bit from an endpoint is flipped.", "this design"},
          CXLGPU_MEMBER(link.bit_error_rate_s2m)),
      row({"link.drop_spec_every", "", between(0, 1000000),
           "Fault injection: every n-th MemSpecRd is lost on the link; 0 never.", "this design"},
          CXLGPU_MEMBER(link.drop_spec_every)),
      row({"link.duplicate_spec_every", "", between(0, 1000000),
           "Fault injection: every n-th MemSpecRd repeats the one before; 0 never.", "this design"},
          CXLGPU_MEMBER(link.duplicate_spec_every)),
      row({"link.delay_spec_by", "", between(0, 1000),
           "Fault injection: a MemSpecRd comes in the place of the n-th after it; 0 never.",
           "this design"},
          CXLGPU_MEMBER(link.delay_spec_by)),
      row({"link.down_at_us", "us", between(0, 1000000000),
           "Fault injection: the link of link.port goes down at this time of the run; 0 never.",
           "this design"},
          CXLGPU_MEMBER(link.down_at_us)),
      row({"link.down_for_us", "us", between(0, 1000000),
           "Fault injection: its PHY is back after this time; at least 1 with link.down_at_us.",
           "this design"},
          CXLGPU_MEMBER(link.down_for_us)),
      row({"link.port", "", between(0, 15), "Fault injection: the root port whose link goes down.",
           "this design"},
          CXLGPU_MEMBER(link.port)),
      row({"media.part", "", text("a file of configs/media, without .yaml"),
           "What the endpoints store in; the scenario's name sets it.", "data sheets, in its file"},
          CXLGPU_MEMBER(media)),
      row({"media.share_page_register", "", one_of({"part", "always", "queued", "never"}),
           "Reads of a page that need no sense of their own: while its die holds it, if queued "
           "before its sense is over, or none; part: as the part's file says.",
           "always: random data output of the NAND interface; left open by CXL-GPU, whose 47.4 % "
           "hits of seq fit queued"},
          CXLGPU_MEMBER(share_page_register)),
      row({"media.striping", "", one_of({"part", "linear", "permuted"}),
           "How consecutive pages go over the dies: in turn, or in turn with the die's number "
           "permuted by the page's higher digits, so that strides of a power of two meet all dies; "
           "part: as the part's file says.",
           "permuted: Zhang, Zhu and Zhang, MICRO-33, 2000, for banks of DRAM; left open by "
           "CXL-GPU"},
          CXLGPU_MEMBER(striping)),
      row({"media.suspend", "", one_of({"part", "none", "programs", "erases", "both"}),
           "What reads suspend, at the cost that the part's file has under suspend; part: as it "
           "says.",
           "Wu and He, FAST 2012; left open by CXL-GPU"},
          CXLGPU_MEMBER(suspend)),
      row({"workload.name", "", text("a workload of `cxlgpu list`, or trace"),
           "What the GPU runs; the scenario's name sets it.", "this design"},
          CXLGPU_MEMBER(workload.name)),
      row({"workload.size", "", between(0, 1ull << 32),
           "Size; `cxlgpu list` says what it counts and its range; 0 is the reduced size.",
           "this design"},
          CXLGPU_MEMBER(workload.size)),
      row({"workload.store_percent", "%", between(0, 100),
           "Share of the steps of seq, around and rand that write their line.", "this design"},
          CXLGPU_MEMBER(workload.store_percent)),
      row({"workload.unroll", "steps", between(1, 8),
           "Steps of its loop of which gemm, gnn, saxpy, vadd, embed, hist, tridiag, seq, around "
           "and rand issue the loads before they use the first: 2 loads a step of the first four, "
           "1 of hist and the last three, of embed a row, of tridiag 4 up and 2 down; of these a "
           "warp has gpu.loads_per_warp in flight at most.",
           "assumed: a loop unrolled once"},
          CXLGPU_MEMBER(workload.unroll)),
      row({"workload.iterations", "", between(0, 1ull << 32),
           "Iterations of an iterative workload; 0 is the workload's own number.", "this design"},
          CXLGPU_MEMBER(workload.iterations)),
      row({"workload.file", "", text("a file, or empty"),
           "Graph for bfs, bfsp, gnn, pagerank and spmv: Matrix Market or edge list; trace for "
           "kvload: blocks of a KV cache as Phoenix or Mooncake publish them; for prefix: as "
           "Mooncake does; model for modelload: "
           "safetensors, of which the header is read; plain or gzip; "
           "empty: seeded data.",
           "this design"},
          CXLGPU_MEMBER(workload.file)),
      row({"workload.hints", "", flag(),
           "moe and kvdecode say what they will read soon; what the machine makes of it: "
           "root_port.hints.",
           "this design"},
          CXLGPU_MEMBER(workload.hints)),
      row({"workload.hint_accuracy", "%", between(0, 100),
           "Share of the experts that moe names a layer ahead which that layer chooses; the others "
           "name one that it does not.",
           "Eliseev and Mazur 2023 report guesses of this kind; this design"},
          CXLGPU_MEMBER(workload.hint_accuracy)),
      row({"workload.hint_ahead", "pages", between(0, 1024),
           "How far kvdecode names pages ahead of the one that it reads.", "this design"},
          CXLGPU_MEMBER(workload.hint_ahead)),
      row({"workload.compute_per_line", "instructions", between(0, 100000),
           "Further arithmetic of moe and kvdecode for each line of weights, keys or values.",
           "this design"},
          CXLGPU_MEMBER(workload.compute_per_line)),
      row({"workload.layers", "layers", between(1, 128), "Layers of moe's model.",
           "Mixtral 8x7B: 32, Qwen3-30B-A3B: 48; scaled down"},
          CXLGPU_MEMBER(workload.layers)),
      row({"workload.experts", "experts", between(1, 256), "Experts of a layer of moe's model.",
           "Mixtral 8x7B; Qwen3-30B-A3B: 128"},
          CXLGPU_MEMBER(workload.experts)),
      row({"workload.top_k", "experts", between(1, 256),
           "Experts that a token of moe chooses in a layer.", "Mixtral 8x7B; Qwen3-30B-A3B: 8"},
          CXLGPU_MEMBER(workload.top_k)),
      row({"workload.kv_heads", "heads", between(1, 64),
           "Heads of keys and values of kvdecode's model, of four query heads each.",
           "Llama 3 8B: 8; scaled down"},
          CXLGPU_MEMBER(workload.kv_heads)),
      row({"workload.head_size", "bytes", multiple_of(64, 64, 512),
           "A row of a head of kvdecode's model, a byte a number.", "Llama 3 8B: 128; scaled down"},
          CXLGPU_MEMBER(workload.head_size)),
      row({"workload.log", "", one_of({"hcl", "conventional"}),
           "Log of gpkvs, gpkvs95, gpdb-update and hcl: a part for each thread, laid out so that a "
           "warp's entries are neighbours; or partitions, each with a lock.",
           "GPM (ASPLOS 2022): HCL"},
          CXLGPU_MEMBER(workload.log)),
      row({"workload.log_partitions", "partitions", between(1, 1024),
           "Partitions of the conventional log; a warp's is its number modulo these.",
           "assumed: as many as cores"},
          CXLGPU_MEMBER(workload.log_partitions)),
      row({"workload.checkpoint_every", "", between(1, 10000),
           "Time steps or passes from one checkpoint of blk, cfdcp, dnn and hs to the next.",
           "GPM (ASPLOS 2022): 10 and 20 of DNN's; scaled down"},
          CXLGPU_MEMBER(workload.checkpoint_every)),
      row({"workload.kv_batch", "commands", between(1, 65535),
           "Commands of kvput and kvget that a warp rings one doorbell for.",
           "the published run: 1, and 4"},
          CXLGPU_MEMBER(workload.kv_batch)),
      row({"workload.kv_value_bytes", "bytes", between(16, 2 * kMiB),
           "Of the longest values of kvput and kvget; a multiple of 4 KiB of kv-block.",
           "the published run: an object of 4 KiB"},
          CXLGPU_MEMBER(workload.kv_value_bytes)),
      row({"trace.max_requests", "requests", between(0, 1ull << 40),
           "Requests of a trace that are replayed; 0 is all.", "this design"},
          CXLGPU_MEMBER(trace.max_requests)),
      row({"trace.data_bytes", "bytes", between(0, 1ull << 52),
           "Data set of a trace, whose requests are all below it; 0 is up to the last line that a "
           "file has a request of, and of a pipe the whole of hdm.ranges.",
           "this design"},
          CXLGPU_MEMBER(trace.data_bytes)),
      row({"trace.max_reads", "requests", between(1, 4096), "Reads of a trace in flight.",
           "Vortex, the machine of the captured traces"},
          CXLGPU_MEMBER(trace.max_reads)),
      row({"trace.max_writes", "requests", between(1, 4096), "Writes of a trace in flight.",
           "Vortex, the machine of the captured traces"},
          CXLGPU_MEMBER(trace.max_writes)),
  };
  const auto trace = std::find_if(keys.begin(), keys.end(), [](const ConfigKey& key) {
    return key.path.starts_with("trace.");
  });
  std::vector<ConfigKey> host = io_work_keys();  // of the section before it
  for (ConfigKey& key : kvload_keys()) host.push_back(std::move(key));
  for (ConfigKey& key : copy_keys()) host.push_back(std::move(key));
  for (ConfigKey& key : prefix_keys()) host.push_back(std::move(key));
  keys.insert(trace, std::make_move_iterator(host.begin()), std::make_move_iterator(host.end()));
  return keys;
}

}  // namespace cxlgpu
