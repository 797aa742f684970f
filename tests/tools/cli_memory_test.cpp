// Configurations that are not CXL: names, what is refused, what a run leaves.
#include "tests/tools/cli.hpp"

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

}  // namespace
}  // namespace cxlgpu
