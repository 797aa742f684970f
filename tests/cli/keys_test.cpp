// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
// Keys as people meet them: list --keys, explain, suggestions, the guide's page, the schema of
// editors, and hdm.ranges on the command line.
#include <sys/wait.h>

#include "tests/cli/cli.hpp"

namespace cxlgpu {
namespace {

const std::string kSource = CXLGPU_SOURCE_DIR;

class Keys : public Cli {
 protected:
  // Exit status of the schema's check; said() is what it prints.
  int valid(const std::vector<fs::path>& files) {
    std::string command =
        "python3 '" + kSource + "/tests/cli/schema_check.py' '" + kSource + "/configs/schema.json'";
    for (const fs::path& file : files) command += " '" + file.string() + "'";
    const int status =
        std::system((command + " > '" + (base_ / "said").string() + "' 2>&1").c_str());
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
  }
  std::string said() { return read_text(base_ / "said"); }
  int valid_text(const std::string& text) { return valid({write("held.yaml", text)}); }
};

TEST_F(Keys, AreListedAsATable) {
  const std::vector<std::string> lines = lines_of(accepted({"list", "--keys"}).out);
  ASSERT_GT(lines.size(), 130u);
  for (const char* column : {"key", "default", "unit", "range", "meaning"}) {
    EXPECT_NE(lines[0].find(column), std::string::npos) << lines[0];
  }
  std::string cores;
  for (const std::string& line : lines) {
    if (line.starts_with("gpu.cores ")) cores = line;
  }
  for (const char* part : {" 8 ", " cores ", " 1..256 ", "Cores of the GPU."}) {
    EXPECT_NE(cores.find(part), std::string::npos) << cores;
  }
  refused({"list", "--json"}, {"--keys"});
  refused({"list", "--keys", "--json", "--schema"}, {"--json", "--schema"});
}

TEST_F(Keys, AreExplained) {
  const std::string cores = accepted({"explain", "gpu.cores"}).out;
  for (const char* part : {"gpu.cores: Cores of the GPU.", "whole number", "1..256",
                           "scaled.yaml:", "CXL-GPU, table 1a", "--set 'gpu.cores=8'"}) {
    EXPECT_NE(cores.find(part), std::string::npos) << part << " in\n" << cores;
  }
  const std::vector<std::string> gpu = lines_of(accepted({"explain", "gpu"}).out);
  EXPECT_GT(gpu.size(), 30u);
  for (std::size_t i = 1; i < gpu.size(); ++i) EXPECT_TRUE(gpu[i].starts_with("gpu.")) << gpu[i];
  EXPECT_EQ(lines_of(accepted({"explain", "gpu.latency"}).out).size(), 5u);
  for (const char* name : {"hdm.ranges[].size", "hdm.ranges[0].size", "hdm.ranges.size"}) {
    EXPECT_NE(accepted({"explain", name}).out.find("256MiB"), std::string::npos) << name;
  }
  EXPECT_NE(accepted({"explain", "hdm.ranges"}).out.find("hdm.ranges[].ports"), std::string::npos);
}

TEST_F(Keys, MistypedOnesAreSuggested) {
  refused({"explain", "gpu.core"}, {"'gpu.core'", "did you mean gpu.cores?"});
  refused({"explain", "lanes"}, {"did you mean link.lanes?"});
  refused({"explain", "gpuu"}, {"did you mean gpu?"});
  refused({"explain", ""}, {"list --keys"});
  const Result colour = run({"explain", "colour"});
  EXPECT_EQ(colour.status, 2);
  EXPECT_EQ(colour.err.find("did you mean"), std::string::npos) << colour.err;
}

TEST_F(Keys, MistypedNamesAreSuggestedWhereverTheyAreGiven) {
  const auto set = [this](const std::string& text, const std::string& meant) {
    refused({"run", "vadd-dram-cxl", "--out", "o", "--set", text},
            {"--set", "did you mean " + meant + "?"});
  };
  set("gpu.corse=4", "gpu.cores");
  set("root_port.polcy=sr", "root_port.policy");
  set("root_port.policy=dny", "dyn");
  set("gpu.machine=vortx", "vortex");
  set("system.machine=papr", "paper");
  refused({"run", "vadd-dram-cxl", "--machine", "vortx"}, {"--machine", "did you mean vortex?"});
  set("hdm.ranges=[{base: 4GiB, sise: 1GiB, ports: [0]}]", "size");
  refused({"run", "vadd-znand-srr"}, {"'srr'", "did you mean sr?"});
  refused({"run", "vadd-znadn-sr"}, {"'znadn'", "did you mean znand?"});
  refused({"run", "vad-znand-sr"}, {"'vad'", "did you mean vadd?"});
  refused({"media", "znan"}, {"'znan'", "did you mean znand?"});
  refused({"rnu", "vadd-znand-sr"}, {"'rnu'", "did you mean run?"});
  const auto file = [this](const std::string& text, const std::string& meant) {
    write("own.yaml", "media: {part: dram}\nworkload: {name: vadd}\n" + text);
    refused({"run", "own.yaml", "--engine", "model"},
            {"own.yaml:3", "did you mean " + meant + "?"});
  };
  file("link: {lane: 4}\n", "link.lanes");
  file("lnik: {lanes: 4}\n", "link");
  file("local_memory: {part: hbm}\n", "hbm3");
  // A section is no key.
  refused({"run", "vadd-dram-cxl", "--set", "gpu.l1=4"}, {"'gpu.l1'", "explain gpu.l1"});
}

// ---- what is made from the table ---------------------------------------------------------------

TEST_F(Keys, PageIsCurrent) {
  const std::string configs = kSource + "/configs";
  EXPECT_EQ(accepted({"--configs", configs, "list", "--keys", "--markdown"}).out,
            read_text(kSource + "/docs/guide/keys.md"))
      << "make keys";
}

TEST_F(Keys, SchemaIsCurrent) {
  const std::string configs = kSource + "/configs";
  EXPECT_EQ(accepted({"--configs", configs, "list", "--keys", "--schema"}).out,
            read_text(kSource + "/configs/schema.json"))
      << "make keys";
}

TEST_F(Keys, SchemaTakesTheFilesOfTheProjectAndOfARun) {
  std::vector<fs::path> files;
  for (const char* folder : {"system", "machines", "gpu", "scenarios"}) {
    if (!fs::exists(kSource + "/configs/" + folder)) continue;
    for (const auto& entry : fs::directory_iterator(kSource + "/configs/" + folder)) {
      files.push_back(entry.path());
    }
  }
  for (const char* section : {"pcie", "uvm", "gds", "phoenix", "io", "multipath", "cap"}) {
    files.emplace_back(kSource + "/configs/host/" + section + ".yaml");
  }
  ASSERT_GE(files.size(), 7u);
  EXPECT_EQ(valid(files), 0) << said();
  accepted({"run", "vadd-dram-sr", "--engine", "model", "--set", "workload.size=64", "--out", "o"});
  EXPECT_EQ(valid_text(stats().at("config").dump()), 0) << said();
  EXPECT_EQ(
      valid_text("gpu: {cores: 0x10, l1: {size_bytes: 32KiB}}\nlink: {bit_error_rate_m2s: 1e-5}\n"
                 "root_port: {policy: \"off\", ds: true}\n"
                 "hdm: {ranges: [{base: 4GiB, size: 512MiB, ports: [0, 1]}]}\n"),
      0)
      << said();
}

TEST_F(Keys, SchemaRefusesWhatTheCommandRefuses) {
  for (const char* text :
       {"gpu: {core: 8}\n", "colours: {red: 3}\n", "gpu: {cores: 257}\n", "gpu: {cores: 0}\n",
        "gpu: {cores: many}\n", "gpu: {cores: 1.5}\n", "gpu: {l1: {ways: 3}}\n", "gpu: 3\n",
        "root_port: {policy: magic}\n", "root_port: {ds: 1}\n",
        "root_port: {spec_cap_bytes: 640}\n", "root_port: {ds_interval: [0, 0, 8]}\n",
        "root_port: {ds_interval: [0, 0, 8, 16]}\n", "link: {bit_error_rate_m2s: 1}\n",
        "pcie: {to_gpu_gb_s: 1001}\n", "hdm: {ranges: []}\n",
        "hdm: {ranges: [{base: 4294967296, size: 536870912}]}\n",
        "hdm: {ranges: [{base: 4294967296, size: 536870912, ports: [0, 1, 2]}]}\n",
        "hdm: {ranges: [{base: 4294967297, size: 536870912, ports: [0]}]}\n"}) {
    EXPECT_EQ(valid_text(text), 1) << text << said();
    write("bad.yaml", std::string("media: {part: dram}\nworkload: {name: vadd}\n") + text);
    EXPECT_EQ(run({"run", "bad.yaml", "--engine", "model"}).status, 2) << text;
  }
}

// ---- hdm.ranges --------------------------------------------------------------------------------

TEST_F(Keys, HdmRangesCanBeSet) {
  const std::string one = "hdm.ranges=[{base: 8GiB, size: 1GiB, ports: [0, 1], granularity: 512}]";
  accepted({"run", "vadd-dram-cxl", "--engine", "model", "--set", "workload.size=64", "--set", one,
            "--out", "o"});
  const json ranges = stats().at("config").at("hdm").at("ranges");
  ASSERT_EQ(ranges.size(), 1u);
  EXPECT_EQ(
      ranges[0],
      json({{"base", "0x200000000"}, {"size", 1u << 30}, {"ports", {0, 1}}, {"granularity", 512}}));
  const auto bad = [this](const std::string& text, const std::vector<std::string>& parts) {
    refused({"run", "vadd-dram-cxl", "--engine", "model", "--set", "hdm.ranges=" + text}, parts);
  };
  bad("", {"--set", "'hdm.ranges'", "[{base"});
  bad("4GiB", {"--set", "'hdm.ranges'", "[{base"});
  bad("[{", {"--set", "'hdm.ranges'", "[{base"});
  bad("[]", {"'hdm.ranges'", "at least one"});
  bad("[]\n---\n[]", {"--set", "'hdm.ranges'", "several YAML documents"});
  bad(std::string(100000, '['), {"--set", "'hdm.ranges'", "[{base"});
  refused({"run", "vadd-dram-cxl", "--set", "hdm.ranges[0].size=1GiB"},
          {"'hdm.ranges[0].size'", "give hdm.ranges whole"});
  bad("[4GiB]", {"'hdm.ranges[0]'", "not a map"});
  bad("[{base: 4GiB, ports: [0]}]", {"--set", "'hdm.ranges[0]'", "'size' is missing"});
  bad("[{base: 4GiB, size: 100MiB, ports: [0]}]", {"'hdm.ranges[0].size'", "256MiB"});
  bad("[{base: 4GiB, size: 256MiB, ports: [0, 1]}]",
      {"--set", "'hdm.ranges[0].size'", "2 x 256MiB"});
  bad("[{base: 4GiB, size: 512MiB, ports: [0, 2]}]",
      {"--set", "'hdm.ranges[0].ports'", "system.ports"});
  bad("[{base: 4GiB, size: 512MiB, ports: [0, 1]}, {base: 4GiB, size: 512MiB, ports: [0, 1]}]",
      {"--set", "'hdm.ranges[1].base'", "overlap"});
}

TEST_F(Keys, ADataSetThatDoesNotFitSaysWhichKeyHelps) {
  const Args small = {"run",   "seq-dram-cxl", "--engine",
                      "model", "--set",        "workload.size=10000000"};
  refused(small, {"'workload.size'", "cxlgpu explain hdm.ranges"});
}

}  // namespace
}  // namespace cxlgpu
