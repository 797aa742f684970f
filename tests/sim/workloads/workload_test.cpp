// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
// Every workload gives the CPU's result whatever the memory behind it does, and the same run twice;
// a wrong result is seen; its instructions are those its kernel has.
#include "sim/workloads/workload.hpp"

#include "tests/sim/gpu/gpu_rig.hpp"
#include "tests/sim/workloads/kernel_kinds.hpp"

namespace cxlgpu {
namespace {

struct Outcome {
  GpuStats stats;
  std::vector<RecordingEngine::Record> log;
  Time end;
};

Outcome run_workload(std::string_view name, WorkloadParams params,
                     const FixedLatencyParams& latency = {}, const GpuParams& gpu = {}) {
  params.warps = gpu.cores * gpu.warps;
  params.threads = gpu.threads;
  auto workload = make_workload(name, params);
  const std::uint64_t local = local_bytes_for(workload->data_set_bytes());
  Rig rig(gpu, latency, local);
  workload->setup(rig.allocator, rig.memory);
  EXPECT_EQ(rig.allocator.used(), workload->data_set_bytes());
  workload->launch(rig.gpu);
  rig.run_clean();
  EXPECT_EQ(workload->verify(rig.memory).value_or(""), "") << name << " of " << params.size;
  const GpuStats& s = rig.gpu.stats();
  EXPECT_GT(s.local_reads + s.local_writes_full, 0U) << name;
  EXPECT_GT(s.hdm_reads + s.hdm_writes_full, 0U) << name;
  return {s, std::move(rig.recorder.log), rig.engine.now()};
}

// A size that is not a multiple of a warp's width, about a quarter of the default one.
std::uint64_t odd(const WorkloadKind& kind) {
  return std::max(kind.min_size, (kind.default_size / 4) | 1);
}

bool persists(const WorkloadKind& kind) {
  return make_workload(kind.name)->persists();
}

TEST(Workload, CorrectOnFixedLatency) {
  for (const WorkloadKind& kind : kernel_kinds()) {
    for (const Distribution d : {Distribution::Chunked, Distribution::Interleaved}) {
      run_workload(kind.name, {.size = odd(kind), .distribution = d});
      run_workload(kind.name, {.size = odd(kind) + 1, .seed = 3, .distribution = d, .unroll = 3});
    }
  }
}

TEST(Workload, CorrectOnRandomLatencyWithBackpressure) {
  for (const WorkloadKind& kind : kernel_kinds()) {
    const std::uint64_t seeds = persists(kind) ? 2 : 4;
    for (std::uint64_t seed = 1; seed <= seeds; ++seed) {
      FixedLatencyParams latency;
      latency.latency = Time{50'000 * seed};
      latency.jitter = Time{4'000'000};
      latency.refuse_percent = 50;
      latency.max_outstanding = seed == 2 ? 3 : 64;
      latency.seed = seed;
      GpuParams gpu;
      gpu.llc.size_bytes = 8 * 1024;
      gpu.l1.size_bytes = 1024;
      run_workload(kind.name, {.size = odd(kind) + seed, .seed = seed}, latency, gpu);
    }
  }
}

TEST(Workload, CorrectOnOtherMachines) {
  for (const WorkloadKind& kind : kernel_kinds()) {
    GpuParams gpu;
    gpu.cores = 3;
    gpu.warps = 5;
    gpu.threads = 32;
    run_workload(kind.name, {.size = odd(kind)}, {}, gpu);
    gpu.cores = persists(kind) ? 16 : 64;  // all meet often
    gpu.warps = gpu.cores;
    gpu.threads = 1;
    run_workload(kind.name, {.size = odd(kind)}, {}, gpu);
  }
}

TEST(Workload, SameSeedSameBytesSameTimesSameCounts) {
  for (const WorkloadKind& kind : kernel_kinds()) {
    FixedLatencyParams latency;
    latency.jitter = Time{1'000'000};
    latency.refuse_percent = 20;
    const Outcome a = run_workload(kind.name, {.size = odd(kind)}, latency);
    const Outcome b = run_workload(kind.name, {.size = odd(kind)}, latency);
    EXPECT_EQ(a.stats, b.stats);
    EXPECT_EQ(a.end, b.end);
    ASSERT_EQ(a.log.size(), b.log.size());
    for (std::size_t i = 0; i < a.log.size(); ++i) {
      const MemRequest &x = a.log[i].request, &y = b.log[i].request;
      ASSERT_EQ(a.log[i].at, b.log[i].at);
      ASSERT_TRUE(x.id == y.id && x.is_write == y.is_write && x.addr == y.addr &&
                  x.byte_enable == y.byte_enable && x.data == y.data);
    }
    const Outcome c = run_workload(kind.name, {.size = odd(kind), .seed = 2}, latency);
    bool differ = a.log.size() != c.log.size();
    for (std::size_t i = 0; !differ && i < a.log.size(); ++i) {
      differ = a.log[i].request.data != c.log[i].request.data;
    }
    EXPECT_TRUE(differ) << kind.name << ": the seed changes nothing";
  }
}

TEST(Workload, VaddMovesWhatItShould) {
  const Outcome o = run_workload("vadd", {.size = 64 * 1024});
  const std::uint64_t lines = 64 * 1024 * 4 / 64;
  EXPECT_EQ(o.stats.hdm_reads + o.stats.local_reads, 2 * lines);
  EXPECT_EQ(o.stats.hdm_writes_full + o.stats.local_writes_full, lines);
  EXPECT_EQ(o.stats.hdm_writes_partial + o.stats.local_writes_partial, 0U);
  EXPECT_NEAR(o.stats.load_ratio(), 2.0 / 3.0, 1e-9);
}

TEST(Workload, BfsWritesPartialLines) {
  const Outcome o = run_workload("bfs", {.size = 8000});
  EXPECT_GT(o.stats.hdm_writes_partial, 0U);
  EXPECT_GE(o.stats.barriers, 8U);
}

void expect_mix(std::string_view name, const WorkloadParams& params, std::uint64_t loads,
                std::uint64_t stores, std::uint64_t computes) {
  const Outcome o = run_workload(name, params);
  EXPECT_EQ(o.stats.loads, loads) << name;
  EXPECT_EQ(o.stats.stores, stores) << name;
  EXPECT_EQ(o.stats.computes, computes) << name;
}

// Warp instructions of eight lanes, worked out from the sources of the kernels.
TEST(Workload, InstructionsAreThoseOfTheKernel) {
  // 64 warps of 16 vectors each, in pairs.
  expect_mix("saxpy", {.size = 8192}, 2 * 1024, 1024, 2 * 1024 + 4 * 512);
  expect_mix("vadd", {.size = 8192}, 2 * 1024, 1024, 1024 + 5 * 512);
  // 16 inner elements: two vectors a row, 256 rows.
  expect_mix("stencil", {.size = 18}, 7 * 512, 512, 19 * 512);
  // Rows of 40: five vectors each.
  expect_mix("conv3", {.size = 40}, 18 * 200, 200, 24 * 200);
  // 32 columns of four vectors, 32 steps each in pairs.
  expect_mix("gemm", {.size = 32}, 128 * 64, 128, 128 * (32 * 3 + 16 * 3 + 7));
  // 64 groups, then one: 8 vectors copied, then 4 + 2 + 1 + 1 + 1 + 1 added.
  expect_mix("rsum", {.size = 4096}, 65 * (8 + 20 + 1), 65 * (8 + 10 + 1),
             65 * (8 * 7 + 10 * 8 + 6 * 3 + 5));
  // 64 streams of 16 lines, and at the end their checksums.
  expect_mix("seq", {.size = 1024}, 1024, 64, 1024 * 3 + 512 * 2 + 64 * 2);
  expect_mix("rand", {.size = 1024}, 1024, 64, 1024 * 14 + 512 * 2 + 64 * 2);
  expect_mix("around", {.size = 1024}, 4096, 64, 4096 * 20 + 2048 * 2 + 64 * 2);
}

TEST(Workload, PatternsVisitTheirLines) {
  for (const Distribution d : {Distribution::Chunked, Distribution::Interleaved}) {
    const WorkloadParams params{.size = 4096, .distribution = d};
    GpuParams gpu;
    gpu.llc.size_bytes = 1 << 20;  // nothing is read twice
    const auto lines = [&](std::string_view name) {
      const GpuStats s = run_workload(name, params, {}, gpu).stats;
      return s.hdm_reads + s.local_reads;
    };
    EXPECT_EQ(lines("seq"), 4096U);
    // 64 draws out of 64 meet 1 - (63 / 64)^64 of them.
    EXPECT_NEAR(static_cast<double>(lines("rand")), 4096 * 0.635, 60);
    // Nearly every line of a place that stays four steps is met.
    EXPECT_GT(lines("around"), 4096 * 95 / 100);
  }
}

TEST(Workload, PatternsStoreTheirShare) {
  for (const char* name : {"seq", "around", "rand"}) {
    for (const Distribution d : {Distribution::Chunked, Distribution::Interleaved}) {
      const WorkloadParams params{.size = 4099, .distribution = d, .store_percent = 30};
      const Outcome o = run_workload(name, params);
      EXPECT_NEAR(o.stats.load_ratio(), 0.7, 0.03) << name;
    }
    const Outcome all = run_workload(name, {.size = 4099, .store_percent = 100});
    EXPECT_EQ(all.stats.loads, 0U);
  }
}

TEST(Workload, VerifyCanFail) {
  for (const WorkloadKind& kind : kernel_kinds()) {
    auto workload = make_workload(kind.name, {.size = odd(kind)});
    Rig rig;
    workload->setup(rig.allocator, rig.memory);
    EXPECT_NE(workload->verify(rig.memory), std::nullopt) << kind.name << ": nothing has run";
  }
}

// After a good run one bit of a line that the run wrote is turned. Flags and scratch may be wrong.
TEST(Workload, AWrongBitIsSeen) {
  for (const WorkloadKind& kind : kernel_kinds()) {
    auto workload = make_workload(kind.name, {.size = odd(kind)});
    Rig rig;
    workload->setup(rig.allocator, rig.memory);
    workload->launch(rig.gpu);
    rig.run_clean();
    ASSERT_EQ(workload->verify(rig.memory), std::nullopt) << kind.name;
    std::vector<std::uint64_t> written;
    for (const auto& record : rig.recorder.log) {
      const MemRequest& r = record.request;
      if (!r.is_write || r.byte_enable == 0) continue;
      written.push_back(r.addr + static_cast<unsigned>(std::countr_zero(r.byte_enable)));
    }
    std::sort(written.begin(), written.end());
    ASSERT_FALSE(written.empty());
    unsigned seen = 0, tried = 0;
    for (std::size_t i = 0; i < written.size(); i += 1 + written.size() / 32, ++tried) {
      std::array<std::uint8_t, 1> byte{};
      rig.memory.peek(written[i], byte);
      byte[0] ^= 1;
      rig.memory.poke(written[i], byte);
      seen += workload->verify(rig.memory).has_value() ? 1 : 0;
      byte[0] ^= 1;
      rig.memory.poke(written[i], byte);
    }
    EXPECT_GT(seen, 0U) << kind.name << ", " << tried << " tried";
    EXPECT_EQ(workload->verify(rig.memory), std::nullopt) << kind.name;
  }
}

std::string refusal(std::string_view name, const WorkloadParams& params) {
  try {
    (void)make_workload(name, params);
  } catch (const InputError& e) {
    return e.what();
  }
  return "taken";
}

TEST(Workload, BadNamesAndSizesAreRefused) {
  EXPECT_NE(refusal("saxpyy", {}).find("choose one of"), std::string::npos);
  for (const WorkloadKind& kind : kernel_kinds()) {
    std::vector<std::uint64_t> sizes{kind.max_size + 1};
    if (kind.min_size > 1) sizes.push_back(kind.min_size - 1);  // 0 is the default size
    for (const std::uint64_t size : sizes) {
      const std::string text = refusal(kind.name, {.size = size});
      for (const std::string& part :
           {std::string("workload.size"), std::string(kind.size_counts), std::to_string(size)}) {
        EXPECT_NE(text.find(part), std::string::npos) << kind.name << ": " << text;
      }
      EXPECT_EQ(text.find('\n'), std::string::npos);
    }
    EXPECT_EQ(make_workload(kind.name)->size(), kind.default_size);
  }
  EXPECT_NE(refusal("bfs", {.degree = 0}), "taken");
  EXPECT_NE(refusal("vadd", {.unroll = 9}), "taken");
  EXPECT_NE(refusal("seq", {.store_percent = 101}), "taken");
}

TEST(Workload, ReducedDataSetsAreSmallAndSumOfArrays) {
  for (const WorkloadKind& kind : kernel_kinds()) {
    const std::uint64_t bytes = make_workload(kind.name)->data_set_bytes();
    // What sort does grows with the square of its data.
    EXPECT_GE(bytes, (kind.name == "sort" ? 24U : 300U) * 1024) << kind.name;
    EXPECT_LE(bytes, 1024U * 1024) << kind.name;
  }
  EXPECT_EQ(make_workload("vadd", {.size = 16})->data_set_bytes(), 3U * 64);
  EXPECT_EQ(make_workload("vadd", {.size = 17})->data_set_bytes(), 3U * 128);
  EXPECT_EQ(make_workload("gemm", {.size = 8})->data_set_bytes(), 3U * 256);
}

}  // namespace
}  // namespace cxlgpu
