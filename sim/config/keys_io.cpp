// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
// Keys of programs of the host: what direct storage costs, and what workloads io and kvload do.
// "Phoenix" is J. Yan et al., SC '25, "XRP" Y. Zhong et al., OSDI 2022, "H100" was measured for
// this project.
#include "sim/config/key_rows.hpp"

namespace cxlgpu {

namespace {

constexpr std::uint64_t kGiB = 1024 * kMiB;
const char* const kPages = "H100, measured: to pin one more page of host memory";
const char* const kUnpin = "H100, measured: to unpin one more page of host memory";
const char* const kMean = "Phoenix, 4.1: GDS's less 70.3 %, its mean over sizes; by size open";

template <typename Member>
ConfigKey time_row(const char* path, const char* meaning, const char* source, Member member) {
  return row({path, "ps", between(0, kMostPs), meaning, source}, member);
}

// Buffers of one stack.
template <typename Member>
void add_buffers(std::vector<ConfigKey>& keys, const std::string& stack, const char* in,
                 const char* out, const char* in_page, const char* out_page, Member setup) {
  const auto add = [&](const char* name, const char* meaning, const char* source, auto member) {
    keys.push_back(row(
        {"io." + stack + name, "ps", between(0, kMostPs), meaning, source},
        [ setup, member ](auto& c) -> auto& { return member(setup(c)); }));
  };
  add("_register_ps", "Registration of a buffer, beside its pages.", in,
      CXLGPU_MEMBER(register_ps));
  add("_register_page_ps", "Registration of each 4 KiB of a buffer.", in_page,
      CXLGPU_MEMBER(register_page_ps));
  add("_deregister_ps", "Deregistration of a buffer, beside its pages.", out,
      CXLGPU_MEMBER(deregister_ps));
  add("_deregister_page_ps", "Deregistration of each 4 KiB of a buffer.", out_page,
      CXLGPU_MEMBER(deregister_page_ps));
}

void add_gds(std::vector<ConfigKey>& keys) {
  keys.push_back(time_row("io.gds_open_ps", "cuFileDriverOpen.", "Phoenix, table 1",
                          CXLGPU_MEMBER(io.gds.setup.open_ps)));
  keys.push_back(time_row("io.gds_close_ps", "cuFileDriverClose.", "Phoenix, table 1",
                          CXLGPU_MEMBER(io.gds.setup.close_ps)));
  keys.push_back(time_row("io.gds_handle_ps", "cuFileHandleRegister.", "Phoenix, table 1",
                          CXLGPU_MEMBER(io.gds.setup.handle_ps)));
  keys.push_back(time_row("io.gds_handle_close_ps", "cuFileHandleDeregister.", "Phoenix, table 1",
                          CXLGPU_MEMBER(io.gds.setup.handle_close_ps)));
  add_buffers(keys, "gds", "Phoenix, table 1: 73.8 us for 64 KiB, less its pages",
              "Phoenix, table 1: 60.5 us for 64 KiB, less its pages", kPages, kUnpin,
              CXLGPU_MEMBER(io.gds.setup));
  keys.push_back(time_row("io.gds_state_ps",
                          "States of each I/O, of each gds_chunk_bytes of it, and look-up of its "
                          "buffer, in the kernel.",
                          "Phoenix, table 1: cuFileRead less the drive's 25 us",
                          CXLGPU_MEMBER(io.gds.state_ps)));
  keys.push_back(time_row("io.gds_lock_ps",
                          "Part of gds_state_ps under the one lock of all threads.",
                          "open: between none and all of it", CXLGPU_MEMBER(io.gds.lock_ps)));
  keys.push_back(time_row("io.gds_stream_ps", "More of each I/O of a stream.", "open",
                          CXLGPU_MEMBER(io.gds.stream_ps)));
  keys.push_back(row({"io.gds_chunk_bytes", "bytes", power_of_two(4096, kGiB),
                      "Longer I/Os are split, the pieces one after the other; of longer buffers "
                      "this much is registered.",
                      "Phoenix, 4.1"},
                     CXLGPU_MEMBER(io.gds.chunk_bytes)));
  keys.push_back(
      row({"io.gds_batch", "I/Os", between(1, 65536), "I/Os of a batch, at most.", "Phoenix, 4.3"},
          CXLGPU_MEMBER(io.gds.batch)));
  keys.push_back(row({"io.gds_batch_in_flight", "I/Os", between(1, 65536),
                      "I/Os of a batch that the kernel has in flight; 1: one after the other.",
                      "Phoenix, 4.2: 1; its figure 11 speaks for more"},
                     CXLGPU_MEMBER(io.gds.batch_in_flight)));
  keys.push_back(row({"io.gds_batch_buffer_bytes", "bytes", power_of_two(4096, kGiB),
                      "Bytes of several I/Os of a batch in one buffer, at most.", "Phoenix, 4.2"},
                     CXLGPU_MEMBER(io.gds.batch_buffer_bytes)));
}

void add_phoenix(std::vector<ConfigKey>& keys) {
  keys.push_back(time_row("io.phoenix_open_ps", "phxfs_open.", "Phoenix, table 2",
                          CXLGPU_MEMBER(io.phoenix.setup.open_ps)));
  keys.push_back(time_row("io.phoenix_close_ps", "phxfs_close.", "Phoenix, table 2",
                          CXLGPU_MEMBER(io.phoenix.setup.close_ps)));
  add_buffers(keys, "phoenix", kMean, kMean, kMean, kMean, CXLGPU_MEMBER(io.phoenix.setup));
  keys.push_back(row({"io.phoenix_mapping_bytes", "bytes", power_of_two(65536, kGiB),
                      "Bytes of a mapping, at most.", "Phoenix, section 5"},
                     CXLGPU_MEMBER(io.phoenix.mapping_bytes)));
  keys.push_back(
      row({"io.phoenix_page_bytes", "bytes", power_of_two(4096, 2 * kMiB),
           "Page of the GPU: addresses and sizes of buffers are multiples of it.", "libPhoenix"},
          CXLGPU_MEMBER(io.phoenix.page_bytes)));
}

}  // namespace

std::vector<ConfigKey> io_keys() {
  std::vector<ConfigKey> keys = {
      time_row("io.syscall_ps", "A system call.", "XRP, table 1",
               CXLGPU_MEMBER(io.kernel.syscall_ps)),
      time_row("io.file_system_ps", "File system, of each I/O.", "XRP, table 1: ext4",
               CXLGPU_MEMBER(io.kernel.file_system_ps)),
      time_row("io.block_ps", "Block layer and driver, of each I/O.", "XRP, table 1",
               CXLGPU_MEMBER(io.kernel.block_ps)),
      row({"io.drives", "drives", between(1, 64), "Drives of the host, striped.",
           "Phoenix: one P5800X"},
          CXLGPU_MEMBER(io.drives)),
      row({"io.drive_link", "", one_of({"part", "pcie3x4", "pcie4x4"}),
           "Link of the drives, of configs/host/nvme.yaml; part: as the part's file says.",
           "this design"},
          CXLGPU_MEMBER(io.drive_link)),
      time_row("io.malloc_ps", "cudaMalloc, each buffer of io.", "Phoenix, table 1",
               CXLGPU_MEMBER(io.malloc_ps)),
      time_row("io.free_ps", "cudaFree, each buffer of io.", "Phoenix, table 1",
               CXLGPU_MEMBER(io.free_ps)),
      time_row("io.callback_ps", "Of a stream, to a function of the host and on.",
               "H100, measured in an idle stream; of a busy one open",
               CXLGPU_MEMBER(io.callback_ps)),
  };
  add_gds(keys);
  add_phoenix(keys);
  add_buffers(keys, "posix", "H100, measured: to pin 4 KiB of host memory, less its page",
              "H100, measured: to unpin 4 KiB of host memory, less its page", kPages, kUnpin,
              CXLGPU_MEMBER(io.posix));
  keys.push_back(row({"io.mmap_readahead_bytes", "bytes", power_of_two(4096, kGiB),
                      "Of a mapped file: an I/O into the page cache, one ahead of what is read.",
                      "Linux: VM_READAHEAD_PAGES"},
                     CXLGPU_MEMBER(io.mmap.readahead_bytes)));
  keys.push_back(row(
      {"io.mmap_fault_around_bytes", "bytes", power_of_two(4096, kGiB),
       "Of a mapped file: what a page fault maps of the page cache.", "Linux: fault_around_bytes"},
      CXLGPU_MEMBER(io.mmap.fault_around_bytes)));
  keys.push_back(time_row("io.mmap_fault_ps", "Of a mapped file: a page fault.",
                          "open: between none and 1 us", CXLGPU_MEMBER(io.mmap.fault_ps)));
  keys.push_back(row({"io.mmap_copy_gb_s", "GB/s", decimal(0.1, 1000),
                      "Of a mapped file: by a processor into the pinned memory that the GPU is "
                      "given.",
                      "H100, measured: 256 MiB to pageable memory less that to pinned"},
                     CXLGPU_MEMBER(io.mmap.copy_gb_s)));
  keys.push_back(row({"io.remote", "", one_of({kIoRemoteNames.begin(), kIoRemoteNames.end()}),
                      "Where the drives are: at the host; at a server that gives out drives, or "
                      "files.",
                      "Phoenix, 4.2.2"},
                     CXLGPU_MEMBER(io.network.remote)));
  keys.push_back(
      row({"io.network_gb_s", "GB/s", decimal(0.1, 1000), "Payload of the network, each way.",
           "inferred: 100 Gbit/s less the headers of RoCE v2"},
          CXLGPU_MEMBER(io.network.gb_s)));
  keys.push_back(time_row("io.network_round_trip_ps",
                          "There and back, beside the payload and the server's software.",
                          "NVM Express: the most that NVMe over Fabrics was to add; open",
                          CXLGPU_MEMBER(io.network.round_trip_ps)));
  return keys;
}

std::vector<ConfigKey> io_work_keys() {
  return {
      row({"workload.io_operation", "",
           one_of({kIoOperationNames.begin(), kIoOperationNames.end()}),
           "What io does with its file.", "Phoenix, figure 4"},
          CXLGPU_MEMBER(workload.io.operation)),
      row({"workload.io_bytes", "bytes", between(512, kGiB),
           "An I/O of io; no multiple of 4 KiB is an error of the stack.", "Phoenix, table 1"},
          CXLGPU_MEMBER(workload.io.bytes)),
      row({"workload.io_mode", "", one_of({kIoModeNames.begin(), kIoModeNames.end()}),
           "How a thread of io has its I/Os done: one after the other; a group in flight, each "
           "handed over by itself; a group in the order of a stream; a group handed over in one "
           "call; or, of posix, by copies from a mapped file.",
           "Phoenix, 4.2"},
          CXLGPU_MEMBER(workload.io.mode)),
      row({"workload.io_threads", "threads", between(1, 1024), "Threads of io.",
           "Phoenix, figures 4 and 6 to 8"},
          CXLGPU_MEMBER(workload.io.threads)),
      row({"workload.io_group", "I/Os", between(1, 4096),
           "I/Os of a group of io, each with a buffer of its own.", "Phoenix, figure 6"},
          CXLGPU_MEMBER(workload.io.group)),
      row({"workload.io_registration", "",
           one_of({kIoRegistrationNames.begin(), kIoRegistrationNames.end()}),
           "When io registers its buffers: before all I/Os, or for each.",
           "Phoenix, 4.2: once, but for figure 8a"},
          CXLGPU_MEMBER(workload.io.registration)),
      row({"workload.io_order", "", one_of({kIoOrderNames.begin(), kIoOrderNames.end()}),
           "Where the I/Os of io lie in the file.", "Phoenix's published benchmark"},
          CXLGPU_MEMBER(workload.io.order)),
  };
}

std::vector<ConfigKey> kvload_keys() {
  return {
      row({"workload.kvload_tokens", "tokens", between(1, 65536), "A block of kvload's KV cache.",
           "vLLM: 16; Mooncake's traces: 512"},
          CXLGPU_MEMBER(workload.kvload.tokens)),
      row({"workload.kvload_heads", "heads", between(1, 1024),
           "Heads of kvload's model that have keys and values of their own.", "Llama 3 8B"},
          CXLGPU_MEMBER(workload.kvload.heads)),
      row({"workload.kvload_head_size", "numbers", between(1, 4096),
           "A key, and a value, of one head and token.", "Llama 3 8B"},
          CXLGPU_MEMBER(workload.kvload.head_size)),
      row({"workload.kvload_bits", "bits", between(1, 64),
           "A number of kvload's KV cache: 16, or quantised.", "Phoenix, 4.3: FP16, INT8"},
          CXLGPU_MEMBER(workload.kvload.bits)),
      row({"workload.kvload_latent_percent", "%", between(1, 100),
           "Share of kvload's KV cache that latent attention (MLA) leaves; 100: without it.",
           "Phoenix, 4.3: 25"},
          CXLGPU_MEMBER(workload.kvload.latent_percent)),
      row({"workload.kvload_layers", "layers", between(1, 1024),
           "Layers of kvload, each with a part of every block.",
           "Phoenix's published benchmark: 1, whatever the model has"},
          CXLGPU_MEMBER(workload.kvload.layers)),
      row({"workload.kvload_layout", "", one_of({kKvLayoutNames.begin(), kKvLayoutNames.end()}),
           "What lies together in kvload's file: the blocks of a layer; the layers of a block, "
           "still loaded layer by layer; or those, loaded whole.",
           "Phoenix, 4.3: layer"},
          CXLGPU_MEMBER(workload.kvload.layout)),
      row({"workload.kvload_merge_bytes", "bytes", between(0, kGiB),
           "Blocks of kvload that are neighbours in the file are one I/O of at most this; 0: each "
           "is one.",
           "Phoenix's published benchmark"},
          CXLGPU_MEMBER(workload.kvload.merge_bytes)),
      row({"workload.kvload_batch", "I/Os", between(1, 65536),
           "I/Os of kvload that are handed over at once; cuFile's own batches may be shorter "
           "(io.gds_batch).",
           "Phoenix's published benchmark"},
          CXLGPU_MEMBER(workload.kvload.batch)),
  };
}

}  // namespace cxlgpu
