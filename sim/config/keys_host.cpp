// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
// Keys of the host: its link to the GPU and its drives, page faults, direct I/O. "H200" is a host
// that was measured for this project, "driver" NVIDIA's open kernel modules, "Phoenix" J. Yan et
// al., SC '25.
#include "sim/config/key_rows.hpp"

namespace cxlgpu {

namespace {

constexpr std::uint64_t kBlock = 2 * kMiB;  // of the driver; the most that comes together

// What the host does about page faults, of one configuration.
template <typename Member>
void add_faults(std::vector<ConfigKey>& keys, const std::string& section, Member faults) {
  const auto add = [&](const char* name, const char* unit, KeyRange range, const char* meaning,
                       const char* source, auto member) {
    keys.push_back(row(
        {section + "." + name, unit, std::move(range), meaning, source},
        [ faults, member ](auto& c) -> auto& { return member(faults(c)); }));
  };
  add("fault_ps", "ps", between(0, kMostPs), "Access to entry in the host's fault buffer.",
      "H200, measured: store to host memory and fence", CXLGPU_MEMBER(fault_ps));
  add("host_runtime_ps", "ps", between(0, kMostPs),
      "All that the host does for a batch of faults, but the copies.",
      "CXL-GPU, after Allen and Ge, IPDPS 2021", CXLGPU_MEMBER(host_runtime_ps));
  add("fetch_ps", "ps", between(0, kMostPs),
      "Part of it before the fault buffer is read: interrupt and wake-up.",
      "inferred, as in configs/host/nvme.yaml", CXLGPU_MEMBER(fetch_ps));
  add("batch_faults", "faults", between(1, 65536), "Faults of a batch, at most.",
      "driver, uvm_perf_fault_batch_count", CXLGPU_MEMBER(batch_faults));
  add("prefetch_bytes", "bytes", power_of_two(kPageBytes, kBlock),
      "The aligned block that comes with a page; 4 KiB is the page alone.",
      "CXL-GPU moves data by the page", CXLGPU_MEMBER(prefetch_bytes));
  add("evict", "", one_of({"migration", "access"}),
      "Which page makes room: the least recently migrated, or the least recently accessed.",
      "driver, which sees no accesses", CXLGPU_MEMBER(evict_by_access));
}

// What NVIDIA's driver does beyond a page for a page; the defaults do without.
std::vector<ConfigKey> driver_keys() {
  return {
      row({"uvm.prefetch", "", one_of({"block", "density"}),
           "What comes with a page: its block of prefetch_bytes; or, of the binary tree over its "
           "block_bytes, the largest region around it in which more than prefetch_threshold is "
           "there or comes, a fault counting for its whole prefetch_bytes.",
           "CXL-GPU moves data by the page; driver, uvm_perf_prefetch.c: density"},
          CXLGPU_MEMBER(paging.uvm_faults.prefetch)),
      row({"uvm.prefetch_threshold", "%", between(1, 100), "Of prefetch density: more than this.",
           "driver, uvm_perf_prefetch_threshold"},
          CXLGPU_MEMBER(paging.uvm_faults.prefetch_threshold)),
      row({"uvm.block_bytes", "bytes", power_of_two(64 * 1024, kBlock),
           "The aligned block that the host serves as one, and the span of density's tree.",
           "driver, UVM_VA_BLOCK_BITS"},
          CXLGPU_MEMBER(paging.uvm_faults.block_bytes)),
      row({"uvm.block_ps", "ps", between(0, kMostPs),
           "Of the host for each block_bytes of a batch that has a fault, and for each chunk of "
           "evict_bytes that goes, beside host_runtime_ps.",
           "CXL-GPU, after Allen and Ge: a batch costs the same whatever it has"},
          CXLGPU_MEMBER(paging.uvm_faults.block_ps)),
      row({"uvm.page_ps", "ps", between(0, kMostPs),
           "Of the host for each page that comes or is copied out, beside the copy.",
           "CXL-GPU, after Allen and Ge: a batch costs the same whatever it has"},
          CXLGPU_MEMBER(paging.uvm_faults.page_ps)),
      row({"uvm.evict_bytes", "bytes", power_of_two(kPageBytes, kBlock),
           "The aligned chunk in which GPU memory is given out and evicted; its first page takes "
           "it.",
           "CXL-GPU moves data by the page; driver, uvm_va_block.c: 2 MiB"},
          CXLGPU_MEMBER(paging.uvm_faults.evict_bytes)),
      row({"uvm.evict_copies", "", one_of({"dirty", "all"}),
           "Which evicted pages are copied to the host.",
           "assumed; driver, uvm_va_block.c: all, as a page is in one place alone"},
          CXLGPU_MEMBER(paging.uvm_faults.evict_all)),
  };
}

// Where the defaults of direct I/O come from.
struct DirectIoSources {
  const char *once, *register_ps, *deregister_ps, *io_ps, *max_io_bytes, *threads;
};
constexpr DirectIoSources kOfGds = {.once = "Phoenix, table 1",
                                    .register_ps = "Phoenix, table 1",
                                    .deregister_ps = "Phoenix, table 1",
                                    .io_ps = "Phoenix, table 1: cuFileRead less the drive's 25 us",
                                    .max_io_bytes = "Phoenix, 4.1: GDS registers no more at a time",
                                    .threads = "Phoenix, figure 5: where GDS is fastest"};
constexpr DirectIoSources kOfPhoenix = {
    .once = "Phoenix, table 2",
    .register_ps = "Phoenix, figure 3: gds.register_ps less 70.3 %, its mean",
    .deregister_ps = "Phoenix, figure 3: gds.deregister_ps less 70.3 %, its mean",
    .io_ps = "Phoenix: a plain read, which configs/host/nvme.yaml has",
    .max_io_bytes = "Phoenix, which does not split; the most that this key takes",
    .threads = "Phoenix, figure 5: where it saturates"};

// Reads and writes of drives straight into GPU memory.
template <typename Member>
void add_direct_io(std::vector<ConfigKey>& keys, const std::string& section, Member io,
                   const DirectIoSources& sources) {
  const auto add = [&](const char* name, const char* unit, KeyRange range, const char* meaning,
                       const char* source, auto member) {
    keys.push_back(row(
        {section + "." + name, unit, std::move(range), meaning, source},
        [ io, member ](auto& c) -> auto& { return member(io(c)); }));
  };
  add("open_ps", "ps", between(0, kMostPs), "Opening, once and not part of the run.", sources.once,
      CXLGPU_MEMBER(open_ps));
  add("close_ps", "ps", between(0, kMostPs), "Closing, once and not part of the run.", sources.once,
      CXLGPU_MEMBER(close_ps));
  add("register_ps", "ps", between(0, kMostPs), "Registration of the buffer, each I/O.",
      sources.register_ps, CXLGPU_MEMBER(register_ps));
  add("deregister_ps", "ps", between(0, kMostPs), "Deregistration of the buffer, each I/O.",
      sources.deregister_ps, CXLGPU_MEMBER(deregister_ps));
  add("io_ps", "ps", between(0, kMostPs),
      "Software of an I/O beside what configs/host/nvme.yaml has.", sources.io_ps,
      CXLGPU_MEMBER(io_ps));
  add("max_io_bytes", "bytes", power_of_two(kPageBytes, 1024 * kMiB),
      "Longer requests are split, the pieces one after the other.", sources.max_io_bytes,
      CXLGPU_MEMBER(max_io_bytes));
  add("threads", "threads", between(1, 65536), "Threads, each with one synchronous I/O.",
      sources.threads, CXLGPU_MEMBER(threads));
}

}  // namespace

std::vector<ConfigKey> host_keys() {
  std::vector<ConfigKey> keys = {
      row({"pcie.lanes", "lanes", power_of_two(1, 16), "Lanes of the GPU's link to its host.",
           "CXL-GPU, table 1a: PCIe 5.0 x8"},
          CXLGPU_MEMBER(paging.pcie.lanes)),
      row({"pcie.measured_lanes", "lanes", power_of_two(1, 16),
           "Lanes of the link that was measured; bandwidth is scaled by lanes, set-up is not.",
           "H200"},
          CXLGPU_MEMBER(paging.pcie.measured_lanes)),
      row({"pcie.to_gpu_gb_s", "GB/s", decimal(0.1, 1000), "Bandwidth of copies to the GPU.",
           "H200, measured: 1 GiB"},
          CXLGPU_MEMBER(paging.pcie.to_gpu_gb_s)),
      row({"pcie.from_gpu_gb_s", "GB/s", decimal(0.1, 1000), "Bandwidth of copies from the GPU.",
           "H200, measured: 1 GiB"},
          CXLGPU_MEMBER(paging.pcie.from_gpu_gb_s)),
      row({"pcie.to_gpu_setup_ps", "ps", between(0, kMostPs), "Set-up of a copy to the GPU.",
           "H200, measured: 4 KiB less its bytes"},
          CXLGPU_MEMBER(paging.pcie.to_gpu_setup_ps)),
      row({"pcie.from_gpu_setup_ps", "ps", between(0, kMostPs), "Set-up of a copy from the GPU.",
           "H200, measured: 4 KiB less its bytes"},
          CXLGPU_MEMBER(paging.pcie.from_gpu_setup_ps)),
      row({"pcie.push_bytes", "bytes", power_of_two(kPageBytes, 1024 * kMiB),
           "Pages of one aligned block of this size share a set-up.", "driver, VA block"},
          CXLGPU_MEMBER(paging.pcie.push_bytes)),
      row({"pcie.stripe_bytes", "bytes", power_of_two(kPageBytes, kMiB),
           "Bytes on one drive before the next; there are as many drives as root ports.",
           "inferred: usual RAID 0 chunk"},
          CXLGPU_MEMBER(paging.pcie.stripe_bytes)),
      row({"pcie.queue_depth", "I/Os", between(1, 65536), "I/Os in flight at a drive.",
           "Linux nvme driver, io_queue_depth"},
          CXLGPU_MEMBER(paging.pcie.queue_depth)),
      row({"pcie.dram_drive", "", one_of({"pcie3x4", "pcie4x4"}),
           "Link, of configs/host/nvme.yaml, of a drive made of DRAM.", "assumed"},
          CXLGPU_MEMBER(paging.pcie.dram_drive)),
  };
  add_faults(keys, "uvm", CXLGPU_MEMBER(paging.uvm_faults));
  for (ConfigKey& key : driver_keys()) keys.push_back(std::move(key));
  keys.push_back(
      row({"uvm.page_fault_ps", "ps", between(0, kMostPs),
           "A page fault of the host on data that is still on a drive, beside the I/O.", "assumed"},
          CXLGPU_MEMBER(paging.host_fill.page_fault_ps)));
  keys.push_back(row({"uvm.readahead_bytes", "bytes", power_of_two(kPageBytes, kBlock),
                      "The aligned block that such a fault reads.", "Linux, read_ahead_kb"},
                     CXLGPU_MEMBER(paging.host_fill.readahead_bytes)));
  add_faults(keys, "gds", CXLGPU_MEMBER(paging.gds_faults));
  add_direct_io(keys, "gds", CXLGPU_MEMBER(paging.gds), kOfGds);
  add_faults(keys, "phoenix", CXLGPU_MEMBER(paging.phoenix_faults));
  add_direct_io(keys, "phoenix", CXLGPU_MEMBER(paging.phoenix), kOfPhoenix);
  return keys;
}

}  // namespace cxlgpu
