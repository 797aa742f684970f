// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
// Kernels that ring the controller: where everything may lie, batches, errors as results, order.
#include "common/input_error.hpp"
#include "sim/host/fixed_latency_engine.hpp"
#include "sim/host/run.hpp"
#include "sim/nvme/kv_host.hpp"
#include "sim/nvme/nvme_queue.hpp"
#include "sim/nvme/pattern.hpp"
#include "sim/workloads/workload.hpp"
#include "tests/sim/nvme/nvme_rig.hpp"

namespace cxlgpu::nvme {
namespace {

// What of a run is its own.
struct Shape {
  std::string workload = "kvget";
  std::uint64_t keys = 4;
  unsigned mode = 15, batch = 4, queues = 1, entries = 1024;
  std::uint64_t value_bytes = 4096;
  std::uint32_t threads = 8, store_buffer = 0;
  std::uint64_t wait_cycles = 1'000'000;
  std::string part = "dram";
  NvmeConfig config{};
  GpuParams gpu{};
  std::uint64_t ring_base = 0;
};

// The machine of a key-value run without its CXL side.
struct KvRig {
  explicit KvRig(const Shape& s) : setup(s) {
    NvmeConfig& c = setup.config;
    if (!c.on()) c.interface = Interface::Keys;
    c.memory_mode = s.mode;
    c.queues = s.queues;
    c.queue_entries = s.entries;
    c.host_read_ps = 1'057'000;
    c.host_write_ps = 505'000;
    c.host_gb_s = 51.3;
    c.port_ps = 11'000;
    if (c.controller_ps == 0) c.controller_ps = 100'000;
    c.ready_ps = 1'000'000;
    c.bar_base = 0xc000'0000;
    c.host_base = 1ULL << 40;
    WorkloadParams p;
    p.size = s.keys;
    p.kv.interface = c.interface;
    p.kv.memory_mode = s.mode;
    p.kv.queues = s.queues;
    p.kv.entries = s.entries;
    p.kv.batch = s.batch;
    p.kv.value_bytes = s.value_bytes;
    p.kv.bridge = c.poll_interval_ps != 0;
    p.kv.ring_base = s.ring_base;
    p.kv.limits = {s.wait_cycles, 256, c.queue_fault};
    workload = make_workload(s.workload, p);
    map.local_bytes = (workload->data_set_bytes() + 4095) / 4096 * 4096;
    setup.gpu.cores = 2;
    setup.gpu.warps = 4;
    setup.gpu.threads = s.threads;
    setup.gpu.store_buffer = s.store_buffer;
    setup.gpu.uncached = {{{c.bar_base, reg::kBarBytes}, {c.host_base, KvPlan::kHostBytes}}};
    gpu = std::make_unique<Gpu>(setup.gpu, map);
    memory = std::make_unique<SystemMemory>(gpu->local_memory(), hdm, map);
    Allocator allocator(map);
    workload->setup(allocator, *memory);
    workload->launch(*gpu);
    constexpr std::uint64_t kStore = 64 << 20;
    part = part_of(s.part, 2 * kStore);
    shared = std::make_unique<SharedMedia>(*part, 96, s.part == "dram" ? kLineBytes : 4096);
    KvHostParams params{.config = c,
                        .map = map,
                        .flit = Time{2125},
                        .flight = Time{2000},
                        .edge = Time{0},
                        .local = Time{266'000},
                        .area = {0, kStore, kStore, kStore}};
    host = std::make_unique<KvHost>(params, *gpu, *shared, *workload->kv_plan());
  }
  // What is wrong, nothing if all is well.
  std::string run_all(Time limit = Time{100'000'000'000}) {
    const RunResult result = cxlgpu::run(*host, engine, limit);
    if (result.status != RunStatus::Done) return std::string(to_string(result.status));
    if (const auto wrong = workload->verify(*memory)) return *wrong;
    const auto problems = host->problems();
    return problems.empty() ? "" : problems.front();
  }
  [[nodiscard]] double mean_ns() const {
    double sum = 0;
    for (const Time t : host->book().latencies()) sum += t.ns();
    return sum / static_cast<double>(host->book().count());
  }

  Shape setup;
  std::unique_ptr<Workload> workload;
  SystemMapParams map;
  std::unique_ptr<Gpu> gpu;
  FlatMemory hdm;
  std::unique_ptr<SystemMemory> memory;
  std::unique_ptr<Media> part;
  std::unique_ptr<SharedMedia> shared;
  FixedLatencyEngine engine;
  std::unique_ptr<KvHost> host;
};

TEST(NvmeQueue, FourKeysOneDoorbell) {
  for (const char* workload : {"kvput", "kvget"}) {
    KvRig rig({.workload = workload});
    EXPECT_EQ(rig.run_all(), "") << workload;
    EXPECT_EQ(rig.host->counters().tails, 1U);
    EXPECT_LE(rig.host->counters().heads, 4U);
    EXPECT_EQ(rig.host->bus_counters().mmio_writes, 1 + rig.host->counters().heads);
    EXPECT_EQ(rig.host->book().count(), 4U);
    EXPECT_EQ(rig.host->counters().completions, 4U);
    EXPECT_EQ(rig.host->book().unknown(), 0U);
  }
}

TEST(NvmeQueue, EveryMemoryMode) {
  for (unsigned mode = 0; mode < 16; ++mode) {
    for (const std::uint64_t poll : {0ULL, 10'000'000ULL}) {
      for (const char* workload : {"kvput", "kvget"}) {
        Shape setup{.workload = workload, .keys = 6, .mode = mode, .value_bytes = 20000};
        setup.config.poll_interval_ps = poll;
        KvRig rig(setup);
        EXPECT_EQ(rig.run_all(), "") << workload << " mode " << mode << " poll " << poll;
        const bool to_host = rig.host->bus_counters().host_writes != 0;
        // Stores to host memory: SQEs, a bridge's words, values.
        const bool put = std::string_view(workload) == "kvput";
        EXPECT_EQ(to_host,
                  (mode & 1) == 0 || (poll != 0 && (mode & 4) == 0) || (put && (mode & 8) == 0));
      }
    }
  }
}

// Up to a queue less one behind a doorbell; true lengths in every completion (verify()).
TEST(NvmeQueue, Batches) {
  for (const unsigned batch : {1U, 4U, 32U, 1023U}) {
    KvRig rig({.keys = batch * 2, .batch = batch, .value_bytes = 64});
    EXPECT_EQ(rig.run_all(), "") << batch;
    EXPECT_EQ(rig.host->book().count(), batch * 2U);
  }
  KvRig rig({.keys = 1024, .batch = 1024, .value_bytes = 64});
  EXPECT_EQ(rig.run_all(), "queue 1: a batch does not fit in the queue");
}

TEST(NvmeQueue, SeveralQueuesAndWidths) {
  for (const std::uint32_t threads : {1U, 4U, 8U, 32U}) {
    KvRig rig({.keys = 40,
               .batch = 3,
               .queues = 5,
               .entries = 5,
               .value_bytes = 300,
               .threads = threads});
    EXPECT_EQ(rig.run_all(), "") << threads;
  }
}

// Completions one by one about the wrap: what lies behind it is of the last time round.
TEST(NvmeQueue, PhasesAboutTheWrap) {
  for (const unsigned entries : {4U, 5U, 7U}) {
    KvRig rig({.keys = 60, .batch = 3, .entries = entries, .part = "znand"});
    EXPECT_EQ(rig.run_all(), "") << entries;
  }
}

TEST(NvmeQueue, Blocks) {
  for (const char* workload : {"kvput", "kvget"}) {
    Shape setup{.workload = workload, .keys = 9, .value_bytes = 12288};
    setup.config.interface = Interface::Blocks;
    KvRig rig(setup);
    EXPECT_EQ(rig.run_all(), "") << workload;
  }
}

// What the published run has: bytes of the first value in the store.
TEST(NvmeQueue, TheStoreHasThePublishedPattern) {
  KvRig rig({.workload = "kvput"});
  ASSERT_EQ(rig.run_all(), "");
  const auto value = rig.host->store().peek(key_of("gpukey0000000000"));
  ASSERT_TRUE(value);
  ASSERT_EQ(value->size(), 4096U);
  for (std::size_t i = 0; i < 4096; ++i) ASSERT_EQ((*value)[i], pattern(i));
}

// A result read before its phase: torn by some delay of the completion, found by the check; read
// behind it, never.
TEST(NvmeQueue, ATornCompletion) {
  unsigned torn = 0;
  for (unsigned step = 0; step < 60; ++step) {
    for (const QueueFault fault : {QueueFault::None, QueueFault::ResultFirst}) {
      Shape setup{.keys = 1, .batch = 1};
      setup.config.queue_fault = fault;
      setup.config.controller_ps = 100'000 + step * 17'000;
      KvRig rig(setup);
      const std::string wrong = rig.run_all();
      if (fault == QueueFault::None) {
        EXPECT_EQ(wrong, "") << step;
      } else if (!wrong.empty()) {
        EXPECT_EQ(wrong, "key 0: the completion says 0 bytes, not 4096");
        ++torn;
      }
    }
  }
  EXPECT_GT(torn, 0U);
}

// All interleavings of four loads of 32 bits with the write of 16 bytes.
TEST(NvmeQueue, AllInterleavingsOfACompletionsRead) {
  const auto torn = [](const std::array<unsigned, 4>& order, bool again) {
    bool found = false;
    for (unsigned at = 0; at <= 4; ++at) {  // loads before the write
      std::array<std::uint32_t, 4> seen{};
      for (unsigned i = 0; i < 4; ++i) seen[order[i]] = i < at ? 0 : order[i] + 1;
      const bool phase = seen[3] != 0;
      // Read once more behind the phase, all of it is there.
      if (phase && again) seen = {1, 2, 3, 4};
      found = found || (phase && seen != std::array<std::uint32_t, 4>{1, 2, 3, 4});
    }
    return found;
  };
  EXPECT_TRUE(torn({0, 1, 2, 3}, false));  // as it was published
  EXPECT_FALSE(torn({0, 1, 2, 3}, true));
  EXPECT_FALSE(torn({3, 0, 1, 2}, false));  // the library: phase first
}

// SQEs that are still in a store buffer when the doorbell comes.
TEST(NvmeQueue, TheDoorbellNeedsAFence) {
  for (const QueueFault fault : {QueueFault::None, QueueFault::NoFence}) {
    Shape setup{.keys = 4, .store_buffer = 64, .wait_cycles = 20'000};
    setup.config.queue_fault = fault;
    setup.gpu.l1.write = WritePolicy::Through;
    KvRig rig(setup);
    EXPECT_EQ(rig.run_all().empty(), fault == QueueFault::None);
  }
}

// A head that is not told: the queue fills, and the library gives up in its time.
TEST(NvmeQueue, TheHeadMustBeTold) {
  for (const QueueFault fault : {QueueFault::None, QueueFault::HeadForgotten}) {
    Shape setup{.keys = 40, .batch = 4, .entries = 8, .value_bytes = 64, .wait_cycles = 50'000};
    setup.config.queue_fault = fault;
    KvRig rig(setup);
    EXPECT_EQ(rig.run_all(),
              fault == QueueFault::None ? "" : "queue 1: no completion came within kv.wait_us");
    EXPECT_EQ(rig.host->counters().held != 0, fault != QueueFault::None);
  }
}

// Faults of the controller end in results, and the run ends.
TEST(NvmeQueue, FaultsAreResults) {
  for (const ControllerFault fault :
       {ControllerFault::PhaseStuck, ControllerFault::PastTail, ControllerFault::LengthOfBuffer,
        ControllerFault::DoorbellLost}) {
    Shape setup{.keys = 24, .batch = 3, .entries = 8, .value_bytes = 4000, .wait_cycles = 50'000};
    setup.config.controller_fault = fault;
    KvRig rig(setup);
    const std::string wrong = rig.run_all();
    EXPECT_NE(wrong, "") << static_cast<int>(fault);
    EXPECT_EQ(wrong.find("deadlock"), std::string::npos);
    EXPECT_EQ(wrong.find("time limit"), std::string::npos);
  }
}

TEST(NvmeQueue, PlansThatAreRefused) {
  const auto refused = [](const Shape& setup) -> std::string {
    try {
      KvRig rig(setup);
    } catch (const InputError& error) {
      return error.what();
    }
    return "";
  };
  Shape ring{};
  ring.ring_base = 0xc000'0000;
  EXPECT_NE(refused(ring).find("SQ 1 (0xc0000000..0xc000ffff) lies neither in GPU memory"),
            std::string::npos)
      << refused(ring);
  Shape host{};
  host.ring_base = 1ULL << 40;
  EXPECT_NE(refused(host).find("overlaps the host's own"), std::string::npos);
  Shape large{};
  large.config.max_entries = 256;
  EXPECT_NE(refused(large).find("1024 entries, 256 are the most: status 102h (invalid size)"),
            std::string::npos)
      << refused(large);
  // Forced, it ends all the same.
  ring.config.place_check = false;
  ring.wait_cycles = 50'000;
  KvRig rig(ring);
  EXPECT_EQ(rig.run_all(), "queue 1: no completion came within kv.wait_us");
  // In CXL memory, which the device may not read.
  Shape cxl{};
  cxl.ring_base = 1ULL << 32;
  cxl.config.place_check = false;
  cxl.wait_cycles = 50'000;
  KvRig other(cxl);
  EXPECT_EQ(other.run_all(), "queue 1: no completion came within kv.wait_us");
}

// Where the time goes is where it was put: stages add up, and each knob moves its own.
TEST(NvmeQueue, StagesAddUp) {
  const auto run = [](const std::function<void(Shape&)>& change) {
    Shape setup{.keys = 1, .batch = 1};
    change(setup);
    auto rig = std::make_unique<KvRig>(setup);
    EXPECT_EQ(rig->run_all(), "");
    return rig;
  };
  const auto base = run([](Shape&) {});
  Time sum;
  for (std::size_t i = 0; i < kKvStageNames.size(); ++i) {
    sum += base->host->book().sum(static_cast<KvStage>(i));
  }
  ASSERT_EQ(base->host->book().latencies().size(), 1U);
  EXPECT_EQ(sum, base->host->book().latencies()[0]);
  // The doorbell: a flit, the flight, both ports; to the cycle, and the LLC before it.
  const Time bell = base->host->book().sum(KvStage::Doorbell);
  EXPECT_GE(bell, Time{15'125});
  EXPECT_LE(bell, Time{15'125} + kCycle * 20);
  const auto slow = run([](Shape& s) { s.config.controller_ps = 600'000; });
  EXPECT_EQ(slow->host->book().sum(KvStage::Decode) - base->host->book().sum(KvStage::Decode),
            Time{500'000});
  const auto in_host = run([](Shape& s) { s.mode = 14; });
  EXPECT_GT(in_host->host->book().sum(KvStage::Fetch),
            base->host->book().sum(KvStage::Fetch) + Time{700'000});
  // The fence of the system waits until host memory has the SQE.
  EXPECT_GE(in_host->host->book().sum(KvStage::Submit), Time{505'000});
  const auto flash = run([](Shape& s) { s.part = "znand"; });
  EXPECT_GT(flash->host->book().sum(KvStage::Medium),
            base->host->book().sum(KvStage::Medium) + Time{2'000'000});
  const auto polled = run([](Shape& s) { s.config.poll_interval_ps = 50'000'000; });
  EXPECT_GT(polled->host->book().sum(KvStage::Doorbell), Time{1'000'000});
}

}  // namespace
}  // namespace cxlgpu::nvme
