// vadd and bfs give the CPU's result whatever the memory behind them does, and the same run twice.
#include "tests/gpu/gpu_rig.hpp"

namespace cxlgpu {
namespace {

struct Outcome {
  GpuStats stats;
  std::vector<RecordingEngine::Record> log;
  Time end;
};

Outcome run_workload(const std::string& name, const WorkloadParams& params,
                     const FixedLatencyParams& latency, const GpuParams& gpu = {}) {
  auto workload = make_workload(name, params);
  const std::uint64_t local = local_bytes_for(workload->data_set_bytes());
  Rig rig(gpu, latency, local);
  workload->setup(rig.allocator, rig.memory);
  EXPECT_EQ(rig.allocator.used(), workload->data_set_bytes());
  workload->launch(rig.gpu);
  rig.run_clean();
  EXPECT_EQ(workload->verify(rig.memory).value_or(""), "");
  EXPECT_GT(rig.gpu.stats().local_reads, 0U);
  EXPECT_GT(rig.gpu.stats().hdm_reads, 0U);
  return {rig.gpu.stats(), std::move(rig.recorder.log), rig.engine.now()};
}

TEST(Workload, CorrectOnFixedLatency) {
  for (const std::string& name : workload_names()) {
    for (const Distribution d : {Distribution::Chunked, Distribution::Interleaved}) {
      run_workload(name, {.size = 9001, .distribution = d}, {});
    }
  }
}

TEST(Workload, CorrectOnRandomLatencyWithBackpressure) {
  for (const std::string& name : workload_names()) {
    for (std::uint64_t seed = 1; seed <= 4; ++seed) {
      FixedLatencyParams latency;
      latency.latency = Time{50'000 * seed};
      latency.jitter = Time{4'000'000};
      latency.refuse_percent = 50;
      latency.max_outstanding = seed == 2 ? 3 : 64;
      latency.seed = seed;
      GpuParams gpu;
      gpu.llc.size_bytes = 8 * 1024;
      gpu.l1.size_bytes = 1024;
      run_workload(name, {.size = 3000 + seed, .seed = seed}, latency, gpu);
    }
  }
}

TEST(Workload, CorrectOnOtherMachines) {
  for (const std::string& name : workload_names()) {
    GpuParams gpu;
    gpu.cores = 3;
    gpu.warps = 5;
    gpu.threads = 32;
    run_workload(name, {.size = 5000}, {}, gpu);
    gpu.cores = 64;
    gpu.warps = 64;
    gpu.threads = 1;
    run_workload(name, {.size = 5000}, {}, gpu);
  }
}

TEST(Workload, SameSeedSameBytesSameTimesSameCounts) {
  for (const std::string& name : workload_names()) {
    FixedLatencyParams latency;
    latency.jitter = Time{1'000'000};
    latency.refuse_percent = 20;
    const Outcome a = run_workload(name, {.size = 4000}, latency);
    const Outcome b = run_workload(name, {.size = 4000}, latency);
    EXPECT_EQ(a.stats, b.stats);
    EXPECT_EQ(a.end, b.end);
    ASSERT_EQ(a.log.size(), b.log.size());
    for (std::size_t i = 0; i < a.log.size(); ++i) {
      const MemRequest &x = a.log[i].request, &y = b.log[i].request;
      ASSERT_EQ(a.log[i].at, b.log[i].at);
      ASSERT_TRUE(x.id == y.id && x.is_write == y.is_write && x.addr == y.addr &&
                  x.byte_enable == y.byte_enable && x.data == y.data);
    }
    const Outcome c = run_workload(name, {.size = 4000, .seed = 2}, latency);
    bool differ = a.log.size() != c.log.size();
    for (std::size_t i = 0; !differ && i < a.log.size(); ++i) {
      differ = a.log[i].request.data != c.log[i].request.data;
    }
    EXPECT_TRUE(differ) << name << ": the seed changes nothing";
  }
}

TEST(Workload, VaddMovesWhatItShould) {
  const Outcome o = run_workload("vadd", {.size = 64 * 1024}, {});
  const std::uint64_t lines = 64 * 1024 * 4 / 64;
  EXPECT_EQ(o.stats.hdm_reads + o.stats.local_reads, 2 * lines);
  EXPECT_EQ(o.stats.hdm_writes_full + o.stats.local_writes_full, lines);
  EXPECT_EQ(o.stats.hdm_writes_partial + o.stats.local_writes_partial, 0U);
  EXPECT_NEAR(o.stats.load_ratio(), 2.0 / 3.0, 1e-9);
}

TEST(Workload, BfsWritesPartialLines) {
  const Outcome o = run_workload("bfs", {.size = 8000}, {});
  EXPECT_GT(o.stats.hdm_writes_partial, 0U);
  EXPECT_GE(o.stats.barriers, 8U);
}

TEST(Workload, VerifyCanFail) {
  for (const std::string& name : workload_names()) {
    auto workload = make_workload(name, {.size = 500});
    Rig rig;
    workload->setup(rig.allocator, rig.memory);
    EXPECT_NE(workload->verify(rig.memory), std::nullopt) << "nothing has run";
  }
}

TEST(Workload, BadNamesAndSizesAreRefused) {
  EXPECT_THROW((void)make_workload("saxpyy"), InputError);
  EXPECT_THROW((void)make_workload("vadd", {.size = 1ULL << 40}), InputError);
  EXPECT_THROW((void)make_workload("bfs", {.size = 1}), InputError);
  EXPECT_THROW((void)make_workload("bfs", {.degree = 0}), InputError);
  EXPECT_EQ(make_workload("vadd")->size(), 65536U);
}

}  // namespace
}  // namespace cxlgpu
