// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
// Persistence by way of the host: images, what a turn moves and what it takes.
#include "sim/persist/host_persist.hpp"

#include "common/input_error.hpp"
#include "sim/host/fixed_latency_engine.hpp"
#include "tests/sim/persist/persist_machine.hpp"

namespace cxlgpu {
namespace {

using U64 = std::uint64_t;
using Bytes = std::vector<std::uint8_t>;

constexpr U64 kBase = 0x2000'0000;

Bytes bytes_of(U64 n, unsigned first) {
  Bytes bytes(n);
  for (U64 i = 0; i < n; ++i) bytes[i] = static_cast<std::uint8_t>(first + i * 7);
  return bytes;
}

TEST(HostImages, TheNewestWholeOneCounts) {
  const HostImages images(kBase, 640);
  FlatMemory memory;
  EXPECT_FALSE(images.newest(memory));
  for (const unsigned sequence : {1U, 2U, 3U}) {
    memory.poke(images.image(sequence), images.make(sequence, bytes_of(640, sequence)));
    const auto found = images.newest(memory);
    ASSERT_TRUE(found) << sequence;
    EXPECT_EQ(found->sequence, sequence);
    EXPECT_EQ(found->bytes, bytes_of(640, sequence));
  }
  EXPECT_FALSE(HostImages(kBase, 704).newest(memory));  // of another piece
}

// Each byte of the last image that is not there yet leaves the one before.
TEST(HostImages, OneThatIsTornDoesNotCount) {
  const HostImages images(kBase, 128);
  const Bytes last = images.make(4, bytes_of(128, 90));
  for (U64 at = 0; at < last.size(); ++at) {
    FlatMemory memory;
    memory.poke(images.image(3), images.make(3, bytes_of(128, 1)));
    Bytes torn = last;
    torn[at] = static_cast<std::uint8_t>(torn[at] + 1);
    memory.poke(images.image(4), torn);
    const auto found = images.newest(memory);
    const bool unused = at >= 32 && at < kLineBytes;  // of the line
    ASSERT_TRUE(found);
    EXPECT_EQ(found->sequence, unused ? 4U : 3U) << at;
  }
  FlatMemory memory;
  memory.poke(images.image(4), {last.data(), last.size() - 1});
  EXPECT_FALSE(images.newest(memory));
}

// ps on four warps and an ideal memory.
struct Rig {
  explicit Rig(const std::string& configuration, const std::vector<std::string>& sets = {},
               const std::string& name = "ps")
      : config(persist_config(name + "-pram-" + configuration, sets)) {
    params.size = 8;
    params.warps = 4;
    params.threads = config.gpu.threads;
    params.assisted = config.persist_by != PersistBy::Ndp;
    workload = make_workload(name, params);
    map = map_of(config);
    if (params.assisted) {
      map.staged_bytes = workload->persistent_bytes();
      map.local_bytes += map.staged_room();
    }
    GpuParams gpu_params = config.gpu;
    gpu_params.cores = gpu_params.warps = 2;
    gpu_params.persist.base = params.assisted ? map.staged_base() : map.persistent_base;
    gpu_params.persist.bytes = workload->persistent_bytes();
    gpu_params.persist.through = !params.assisted;
    gpu_params.persist.awaited = false;
    gpu.emplace(gpu_params, map);
    memory.emplace(gpu->local_memory(), engine.memory(), map);
    Allocator allocator(map);
    workload->setup(allocator, *memory);
    workload->launch(*gpu);
    host.emplace(HostPersistParams{.by = config.persist_by,
                                   .costs = config.cap,
                                   .pcie = config.paging.pcie,
                                   .syscall_ps = config.io.kernel.syscall_ps,
                                   .file_system_ps = config.io.kernel.file_system_ps,
                                   .map = map,
                                   .piece_bytes = workload->persistent_bytes()},
                 *gpu, nullptr, engine.memory(), &journal);
  }
  Time end() {
    JournalEngine journalled(engine, journal, map.persistent_base, 1 << 28);
    const RunResult result = run(*host, journalled, Time{1'000'000'000'000});
    EXPECT_EQ(result.status, RunStatus::Done) << to_string(result.status);
    return result.end;
  }
  [[nodiscard]] U64 piece() const { return workload->persistent_bytes(); }

  RunConfig config;
  WorkloadParams params;
  std::unique_ptr<Workload> workload;
  SystemMapParams map;
  Journal journal;
  FixedLatencyEngine engine{{.latency = Time{20'000}}};
  std::optional<Gpu> gpu;
  std::optional<SystemMemory> memory;
  std::optional<HostPersist> host;
};

// Three of the four kernels of ps store to the piece: making it, the sums, the result.
TEST(HostPersist, EachConfigurationMovesTheWholePieceOnceAKernel) {
  for (const std::string name : {"cap-fs", "cap-mm", "cap-eadr", "gpm-ndp"}) {
    SCOPED_TRACE(name);
    Rig rig(name);
    rig.end();
    EXPECT_EQ(rig.workload->verify(*rig.memory).value_or(""), "");
    const HostPersistCounters& c = rig.host->counters();
    const bool ndp = name == "gpm-ndp", eadr = name == "cap-eadr";
    EXPECT_EQ(c.turns, 3U);
    EXPECT_EQ(c.wait.ps, 3 * 3'800'000U);
    EXPECT_EQ(c.copied_bytes, ndp ? 0 : 3 * rig.piece());
    // Images 1 and 3 are one place, which caches write back once.
    EXPECT_EQ(c.written_bytes, ndp ? 3 * rig.piece() : (eadr ? 2 : 3) * (rig.piece() + 64));
    EXPECT_EQ(c.journal_bytes, name == "cap-fs" ? 3 * 12288U : 0U);
    if (ndp) continue;
    const auto found = HostImages(rig.map.persistent_base, rig.piece()).newest(rig.engine.memory());
    ASSERT_TRUE(found);
    EXPECT_EQ(found->sequence, 3U);
    Bytes there(rig.piece());
    rig.memory->peek(rig.map.staged_base(), there);
    EXPECT_EQ(found->bytes, there);
  }
}

// The durable moment is the answer to the last line of an image: two events a line on this engine.
TEST(HostPersist, ATurnThatHasEndedPromisesItsImage) {
  Rig rig("cap-mm");
  rig.end();
  const std::size_t lines = rig.piece() / kLineBytes + 1;
  ASSERT_EQ(rig.journal.events().size(), 3 * 2 * lines);
  EXPECT_EQ(rig.host->promised(0), 0U);
  for (const std::size_t image : {1U, 2U, 3U}) {
    EXPECT_EQ(rig.host->promised(image * 2 * lines - 1), image - 1);
    EXPECT_EQ(rig.host->promised(image * 2 * lines), image);
  }
}

// By hand: 2.83 us and the bytes at 27.7 GB/s; 5.5 us and the bytes at 17 GB/s; a line a cycle.
TEST(HostPersist, StepsTakeWhatTheHostsCostsSay) {
  Rig rig("cap-mm");
  rig.end();
  const HostPersistCounters& c = rig.host->counters();
  const auto bytes = static_cast<double>(rig.piece());
  const double copy = 3 * (2830 + bytes / 27.7), file = 3 * (5500 + bytes / 17);
  EXPECT_NEAR(c.copy.ns(), copy, 3 * 1.0);  // a clock edge
  EXPECT_NEAR(c.file.ns(), file, 3 * 1.0);
  const double lines = bytes / 64 + 1;
  EXPECT_GE(c.flush.ns(), 3 * (lines - 1 + 20));
  EXPECT_LE(c.flush.ns(), 3 * (lines * 1.5 + 20));  // 64 lines in flight, 20 ns each
}

TEST(HostPersist, MoreThreadsFlushFaster) {
  Time before = Time::never();
  for (const char* threads : {"1", "2", "4"}) {
    Rig rig("cap-mm", {std::string("cap.threads=") + threads});
    rig.end();
    EXPECT_LT(rig.host->counters().flush, before) << threads;
    before = rig.host->counters().flush;
  }
}

TEST(HostPersist, FewLinesInFlightWaitForTheMemory) {
  Rig many("cap-mm"), one("cap-mm", {"cap.lines=1"});
  many.end();
  one.end();
  const double lines = static_cast<double>(one.piece()) / 64 + 1;
  EXPECT_GE(one.host->counters().flush.ns(), 3 * lines * 20);
  EXPECT_LT(many.host->counters().flush.ns(), 3 * lines * 20 / 4);
}

// A search of a graph persists level by level: its kernel is split at each.
TEST(HostPersist, AKernelThatIsSplitHasATurnAtEachPart) {
  Rig rig("cap-mm", {}, "bfsp");
  rig.end();
  EXPECT_EQ(rig.workload->verify(*rig.memory).value_or(""), "");
  EXPECT_GE(rig.host->counters().turns, 4U);  // making it, levels, the kernel's end
}

TEST(HostPersist, TwoImagesMustFit) {
  const SystemMapParams map{
      .hdm_size = 1 << 20, .persistent_base = SystemMapParams{}.hdm_base, .staged_bytes = 1 << 19};
  FlatMemory memory;
  Gpu gpu(GpuParams{}, map);
  const auto make = [&](PersistBy by, U64 bytes) {
    HostPersistParams params;
    params.by = by;
    params.map = map;
    params.piece_bytes = bytes;
    HostPersist host(params, gpu, nullptr, memory);
  };
  EXPECT_NO_THROW(make(PersistBy::CapMm, 400 << 10));
  EXPECT_THROW(make(PersistBy::CapMm, 1 << 19), InputError);
  EXPECT_NO_THROW(make(PersistBy::Ndp, 1 << 20));
}

}  // namespace
}  // namespace cxlgpu
