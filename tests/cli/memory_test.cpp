// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
// Configurations that are not CXL: names, what is refused, what a run leaves.
#include "tests/cli/cli.hpp"

namespace cxlgpu {
namespace {

TEST_F(Cli, GpuDramKeepsAllInGpuMemory) {
  double before = 0;
  for (const std::string media : {"dram", "dram-46", "znand"}) {
    accepted({"run", "vadd-" + media + "-gpu-dram", "--set", "workload.size=8192", "--out", media});
    const json s = stats(media);
    EXPECT_EQ(s.at("engine"), "model");
    EXPECT_EQ(s.at("media"), media);
    EXPECT_EQ(value(s, "/gpu/hdm_reads"), 0);
    EXPECT_EQ(value(s, "/gpu/local_reads"), 2 * 8192 / 16);
    EXPECT_EQ(value(s, "/gpu/local_writes"), 8192 / 16);
    EXPECT_GE(value(s, "/local_memory"), value(s, "/data_set"));
    if (before != 0) {
      EXPECT_EQ(value(s, "/end_to_end"), before) << "no medium is asked";
    }
    before = value(s, "/end_to_end");
  }
  // These two put a part of their data into CXL memory where there is some.
  for (const std::string workload : {"moe", "kvdecode"}) {
    accepted({"run", workload + "-dram-gpu-dram", "--set", "workload.size=16", "--out", workload});
    EXPECT_EQ(value(stats(workload), "/gpu/hdm_reads"), 0);
  }
}

TEST_F(Cli, OtherMemoryIsTheModelsAlone) {
  for (const char* engine : {"rtl", "cosim"}) {
    refused({"run", "vadd-dram-gpu-dram", "--engine", engine, "--out", "o"},
            {"run.engine", engine, "gpu-dram", "--engine model"});
  }
  refused({"run", "vadd-dram-gpu-dram", "--set", "run.engine=rtl"}, {"run.engine", "model"});
}

TEST_F(Cli, OtherMemoryHasNothingOfCxl) {
  const Args run = {"run", "vadd-znand-gpu-dram"};
  const auto with = [&run](Args more) {
    more.insert(more.begin(), run.begin(), run.end());
    return more;
  };
  refused(with({"--waves", "w.fst"}), {"--waves", "gpu-dram"});
  refused(with({"--flit-log", "f"}), {"--flit-log", "gpu-dram"});
  refused(with({"--set", "endpoint.gc_busy_us=5"}), {"--set", "endpoint.gc_busy_us", "gpu-dram"});
  refused(with({"--set", "endpoint.image_out=i"}), {"endpoint.image_out", "gpu-dram"});
  write("t.csv", "0,R,0,64\n");
  refused(with({"--trace", "t.csv"}), {"--trace", "gpu-dram"});
}

TEST_F(Cli, AFileChoosesTheMemory) {
  write("own.yaml",
        "system: {memory: gpu-dram}\nworkload: {name: vadd, size: 4096}\nmedia: {part: dram}\n");
  accepted({"run", "own.yaml", "--out", "o"});
  EXPECT_EQ(value(stats(), "/gpu/hdm_reads"), 0);
  write("own.yaml",
        "system: {memory: dram}\nworkload: {name: vadd, size: 4096}\nmedia: {part: dram}\n");
  refused({"run", "own.yaml"}, {"own.yaml:1", "system.memory", "gpu-dram"});
}

// Every byte is checked by the run itself: each load, the contents after it, the kernel's result.
TEST_F(Cli, PagedMemoryRunsCleanAndItsTimesAddUp) {
  for (const std::string workload : {"vadd", "bfs"}) {
    for (const std::string config : {"dram-uvm", "znand-uvm", "dram-gds", "znand-gds", "nand-gds",
                                     "znand-phoenix", "pram-phoenix"}) {
      SCOPED_TRACE(workload + "-" + config);
      accepted({"run", workload + "-" + config, "--set",
                workload == "bfs" ? "workload.size=1024" : "workload.size=16384", "--out", "o"});
      const json s = stats();
      EXPECT_EQ(s.at("status"), "clean");
      EXPECT_EQ(s.at("engine"), "model");
      EXPECT_GT(value(s, "/checks/reads_checked"), 400);
      EXPECT_EQ(value(s, "/checks/mismatches"), 0);
      EXPECT_GE(value(s, "/paging/faults"), value(s, "/paging/pages_in"));
      EXPECT_EQ(value(s, "/paging/bytes_in"), 4096 * value(s, "/paging/pages_in"));
      EXPECT_EQ(value(s, "/paging/evicted") + value(s, "/paging/frames"),
                value(s, "/paging/pages_in"))
          << "the data is more than GPU memory";
      const double moving = value(s, "/paging/time/evicting") + value(s, "/paging/time/bringing") +
                            value(s, "/paging/time/draining");
      EXPECT_NEAR(moving, value(s, "/paging/time/storage") + value(s, "/paging/time/transfer"),
                  0.01);
      const double runtime = value(s, "/paging/time/host_runtime");
      EXPECT_NEAR(runtime, 500e3 * value(s, "/paging/batches"), 0.01);
      const double all = runtime + moving + value(s, "/paging/time/raising_faults");
      EXPECT_LE(all, value(s, "/end_to_end"));
      EXPECT_GE(all, 0.97 * value(s, "/end_to_end"));
      EXPECT_GT(fs::file_size(dir_ / "o" / "report.html"), 10000u);
    }
  }
}

TEST_F(Cli, PhoenixIsFasterThanGdsBySoftwareAlone) {
  const auto paging = [this](const std::string& config) {
    // One page after the other, so that both see the same faults.
    accepted({"run", "vadd-znand-" + config, "--set", "workload.size=16384", "--set",
              config + ".batch_faults=1", "--set", "gpu.cores=1", "--set", "gpu.warps=1", "--set",
              "gpu.loads_per_warp=1", "--set", "run.limit_us=100000000", "--out", config});
    return stats(config).at("paging");
  };
  const json gds = paging("gds"), phoenix = paging("phoenix");
  ASSERT_EQ(value(gds, "/faults"), value(phoenix, "/faults"));
  ASSERT_EQ(value(gds, "/drives/requests"), value(phoenix, "/drives/requests"));
  const double requests = value(gds, "/drives/requests");
  EXPECT_NEAR(value(gds, "/drives/registration") / requests, 134300, 1);
  EXPECT_NEAR(value(phoenix, "/drives/registration") / requests, 134300 * (1 - 0.703), 1);
  EXPECT_NEAR(value(gds, "/drives/software") / requests, 3400, 1);
  EXPECT_EQ(value(phoenix, "/drives/software"), 0);
}

TEST_F(Cli, ATraceIsPagedToo) {
  std::string text;
  for (int i = 0; i < 400; ++i) {
    text += std::to_string(i * 10) + (i % 3 == 0 ? ",W," : ",R,") +
            std::to_string(i * 37 % 100 * 4096 + i % 64 * 64) + ",64\n";
  }
  write("t.csv", text);
  accepted({"run", "vadd-znand-uvm", "--trace", "t.csv", "--out", "o"});
  EXPECT_EQ(value(stats(), "/paging/accesses"), 400);
  EXPECT_EQ(value(stats(), "/paging/frames"), 10);
}

// First touch by one reader, 64 KiB apart, on the driver's settings (docs/results/paging.md): of 32
// touches of a block of 2 MiB 0, 1, 2, 4, 8 and 16 fault, the others find their page there. With
// the defaults, and with 64 KiB alone, each has a fault of its own.
TEST_F(Cli, DensityBringsTheNeighbourhoodOfAFirstTouch) {
  std::string text;
  for (int i = 0; i < 128; ++i) text += "0,R," + std::to_string(i * 65536) + ",64\n";
  write("t.csv", text);
  const auto touches = [this](const Args& more) {
    Args run = {"run",      "seq-dram-uvm",
                "--engine", "model",
                "--trace",  "t.csv",
                "--out",    "o",
                "--set",    "trace.max_reads=1",
                "--set",    "local_memory.percent_of_data=100"};
    run.insert(run.end(), more.begin(), more.end());
    accepted(run);
    return stats();
  };
  const json driver = touches({"--machine", "h100-uvm"});
  EXPECT_EQ(driver.at("machine").at("name"), "h100-uvm");
  EXPECT_EQ(value(driver, "/paging/accesses"), 128);
  EXPECT_EQ(value(driver, "/paging/faults"), 4 * 6);
  EXPECT_EQ(value(driver, "/paging/blocks"), 4 * 6);
  EXPECT_EQ(value(driver, "/paging/evicted"), 0);
  EXPECT_EQ(value(touches({}), "/paging/faults"), 128);
  EXPECT_EQ(
      value(touches({"--machine", "h100-uvm", "--set", "uvm.prefetch=block"}), "/paging/faults"),
      128);
}

TEST_F(Cli, HostKeysAreCheckedAndOverridden) {
  const Args run = {"run", "vadd-dram-uvm", "--set", "workload.size=4096", "--out", "o", "--set"};
  const auto with = [&run](const std::string& set) {
    Args args = run;
    args.push_back(set);
    return args;
  };
  accepted(with("uvm.host_runtime_ps=1000000"));
  EXPECT_NEAR(value(stats(), "/paging/time/host_runtime"), 1500 * value(stats(), "/paging/batches"),
              0.01)
      << "no less than its part before the fetch";
  fs::remove_all(dir_ / "o");
  refused(with("uvm.prefetch_bytes=5000"), {"--set", "uvm.prefetch_bytes", "power of two"});
  refused(with("uvm.prefetch_bytes=4MiB"), {"uvm.prefetch_bytes", "4KiB..2MiB"});
  refused(with("uvm.evict=oldest"), {"uvm.evict", "migration, access"});
  refused(with("uvm.batch_faults=0"), {"uvm.batch_faults", "1..65536"});
  refused(with("uvm.prefetch=tree"), {"--set", "uvm.prefetch", "block, density"});
  refused(with("uvm.prefetch_threshold=0"), {"uvm.prefetch_threshold", "1..100"});
  refused(with("uvm.prefetch_threshold=101"), {"uvm.prefetch_threshold", "1..100"});
  refused(with("uvm.block_bytes=32KiB"), {"uvm.block_bytes", "64KiB..2MiB"});
  refused(with("uvm.block_bytes=100KiB"), {"uvm.block_bytes", "power of two"});
  refused(with("uvm.block_ps=-1"), {"uvm.block_ps", "-1"});
  refused(with("uvm.page_ps=1e3"), {"uvm.page_ps", "1e3"});
  refused(with("uvm.evict_bytes=2KiB"), {"uvm.evict_bytes", "4KiB..2MiB"});
  refused(with("uvm.evict_copies=clean"), {"uvm.evict_copies", "dirty, all"});
  refused(with("gds.evict_bytes=4KiB"), {"gds.evict_bytes", "not a known key"});
  Args two = with("uvm.prefetch_bytes=128KiB");
  two.insert(two.end(), {"--set", "uvm.block_bytes=64KiB"});
  refused(two, {"--set", "uvm.prefetch_bytes", "131072", "uvm.block_bytes", "65536"});
  // A tenth of 48 KiB is no chunk.
  refused(with("uvm.evict_bytes=64KiB"), {"uvm.evict_bytes", "65536", "percent_of_data"});
  refused(with("pcie.to_gpu_gb_s=fast"), {"pcie.to_gpu_gb_s", "fast"});
  refused(with("gds.threads=0"), {"gds.threads", "1..65536"});
  refused(with("local_memory.percent_of_data=0"), {"local_memory.percent_of_data", "raise"});
  refused(with("uvm.pages=3"), {"uvm.pages", "not a known key"});

  // Files of one's own: a key that is missing, and one that is wrong.
  const fs::path own = dir_ / "configs";
  fs::copy(fs::path(CXLGPU_SOURCE_DIR) / "configs", own, fs::copy_options::recursive);
  const std::string uvm = read_text(own / "host" / "uvm.yaml");
  const std::string key = "batch_faults: 256";
  write("configs/host/uvm.yaml", std::string(uvm).erase(uvm.find(key), key.size()));
  refused({"--configs", "configs", "run", "vadd-dram-cxl"}, {"uvm.yaml:1", "uvm.batch_faults"});
  write("configs/host/uvm.yaml", std::string(uvm).replace(uvm.find(key), key.size(), "batch: 3"));
  refused({"--configs", "configs", "run", "vadd-dram-cxl"}, {"uvm.yaml:9", "uvm.batch"});
  fs::remove(own / "host" / "uvm.yaml");
  refused({"--configs", "configs", "run", "vadd-dram-cxl"}, {"uvm.yaml", "check the path"});
}

}  // namespace
}  // namespace cxlgpu
