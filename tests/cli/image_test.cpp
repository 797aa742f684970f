// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
// Images of flash parts between runs: what the first run wrote is what the next one finds.
#include <random>
#include <sstream>

#include "sim/host/trace_initiator.hpp"
#include "sim/machine/endpoint_media.hpp"
#include "sim/workloads/workload.hpp"
#include "tests/cli/cli.hpp"
#include "tests/common/environment.hpp"

namespace cxlgpu {
namespace {

const fs::path kConfigs = fs::path(CXLGPU_SOURCE_DIR) / "configs";

struct Written {
  std::string csv;
  std::map<std::uint64_t, Line> lines;  // by address of the trace
};

// 600 writes of whole and partial lines to 300 lines that lie apart.
Written writes(std::uint64_t base) {
  Written w;
  w.csv = "cycle,rw,addr,bytes,mask\n";
  std::mt19937_64 random(3);
  for (std::uint64_t i = 0; i < 600; ++i) {
    const std::uint64_t addr = random() % 300 * 4096 / 3 / 64 * 64;
    const bool partial = random() % 4 == 0;
    const std::uint64_t mask = partial ? 0xff00 : kAllBytes;
    std::ostringstream text;
    text << i * 4 << ",W,0x" << std::hex << addr << std::dec << (partial ? ",8" : ",64");
    if (partial) text << ",0x" << std::hex << mask;
    w.csv += text.str() + "\n";
    merge_bytes(w.lines[addr], TraceInitiator::write_data(base + addr, i, 1), mask);
  }
  return w;
}

std::string reads_of(const Written& w) {
  std::string csv = "cycle,rw,addr,bytes\n";
  std::uint64_t cycle = 0;
  for (const auto& [addr, line] : w.lines) {
    std::ostringstream text;
    text << cycle++ * 4 << ",R,0x" << std::hex << addr << ",64\n";
    csv += text.str();
  }
  return csv;
}

RunConfig config_of(const std::string& scenario) {
  const ScenarioNames names{workload_names(), media_names(kConfigs / "media"), {"sr"}};
  return ConfigLoader(kConfigs, names).load(scenario, {});
}

INSTANTIATE_TEST_SUITE_P(Engines, CliEngine, ::testing::Values("model", "rtl", "cosim"),
                         engine_name);

TEST_P(CliEngine, TheNextRunStartsFromTheImage) {
  for (const std::string part : {"znand", "nand"}) {
    // cosim has the RTL in it, too; it by itself with each part is the night's.
    if (GetParam() == std::string("rtl") && part == "nand" && test::volume() == 1) continue;
    SCOPED_TRACE(part);
    const std::string scenario = "vadd-" + part + "-sr";
    const RunConfig config = config_of(scenario);
    const std::uint64_t base = config.hdm.front().base;
    const Written w = writes(base);
    write("w.csv", w.csv);
    write("r.csv", reads_of(w));
    const auto run_of = [&](const std::string& trace, const Args& more) {
      Args args = {"run", scenario, "--engine", GetParam(), "--trace", trace, "--out", "o"};
      args.insert(args.end(), more.begin(), more.end());
      accepted(args);
      EXPECT_EQ(stats().at("status"), "clean");
    };
    run_of("w.csv", {"--set", "endpoint.image_out=" + part});
    // Some lines were still in the internal DRAM alone.
    EXPECT_LT(value(stats(), "/media_counters/0/write_backs") +
                  value(stats(), "/media_counters/1/write_backs"),
              300);

    // Held against what was written, by a reader that knows no engine.
    const auto expect_contents = [&] {
      EndpointMedia media(config, load_media_config(kConfigs / "media" / (part + ".yaml")), 0);
      FlatMemory flat;
      media.load_images(dir_ / part, flat);
      for (const auto& [addr, line] : w.lines) {
        ASSERT_EQ(flat.read_line(base + addr), line) << addr;
        Line there;
        media.map().peek(base + addr, there);
        ASSERT_EQ(there, line) << addr;
      }
    };
    expect_contents();

    // A run that only reads leaves the images as they were, but for what idle dies collected; and
    // it may use one folder for both.
    const auto images = [&] {
      return read_text(dir_ / part / "port0.img") + read_text(dir_ / part / "port1.img");
    };
    const std::string before = images();
    run_of("r.csv", {"--set", "endpoint.image_in=" + part, "--set", "endpoint.image_out=" + part});
    EXPECT_EQ(value(stats(), "/checks/reads_checked"), static_cast<double>(w.lines.size()));
    expect_contents();
    const bool collected = value(stats(), "/media_counters/0/erases") +
                               value(stats(), "/media_counters/1/erases") +
                               value(stats(), "/media_counters/0/moved_pages") +
                               value(stats(), "/media_counters/1/moved_pages") >
                           0;
    EXPECT_TRUE(collected || images() == before) << part;
    EXPECT_EQ(std::distance(fs::directory_iterator(dir_ / part), {}), 2);
  }
}

// What a kernel reads and nobody wrote again comes from the image, and the check knows it.
TEST_F(Cli, AnImageOfOneWorkloadUnderAnother) {
  accepted({"run", "bfs-nand-sr", "--engine", "model", "--set", "endpoint.image_out=i", "--set",
            "workload.size=256"});
  accepted({"run", "vadd-nand-cxl", "--engine", "model", "--set", "endpoint.image_in=i", "--set",
            "workload.size=512", "--out", "o"});
  EXPECT_EQ(stats().at("status"), "clean");
}

TEST_F(Cli, ImagesThatDoNotFitAreRefused) {
  const auto with = [](const std::string& scenario, const std::string& key) {
    return Args{"run",   scenario, "--engine", "model", "--set", "workload.size=512",
                "--set", key,      "--out",    "o"};
  };
  accepted({"run", "vadd-znand-cxl", "--engine", "model", "--set", "workload.size=512", "--set",
            "endpoint.image_out=i"});
  refused(with("vadd-nand-cxl", "endpoint.image_in=i"), {"i/port0.img: ", "another part", "; "});
  refused(with("vadd-pram-cxl", "endpoint.image_in=i"), {"i/port0.img: ", "another part", "; "});
  write("small.yaml",
        "workload: {name: vadd, size: 512}\nmedia: {part: znand}\nhdm:\n  ranges:\n"
        "    - {base: 0x100000000, size: 1024MiB, ports: [0, 1], granularity: 1024}\n");
  refused(with("small.yaml", "endpoint.image_in=i"), {"i/port0.img: ", "size", "; "});
  refused(with("vadd-znand-cxl", "endpoint.image_in=none"), {"none/port0.img: ", "cannot be read"});
  refused(with("vadd-dram-cxl", "endpoint.image_in=i"), {"--set", "'endpoint.image_in'", "flash"});
  refused(with("vadd-dram-cxl", "endpoint.image_out=i"), {"--set", "'endpoint.image_out'"});
  refused(with("vadd-znand-cxl", "endpoint.image_out=small.yaml"), {"'endpoint.image_out'"});
  fs::copy(dir_ / "i/port1.img", dir_ / "i/port2.img");
  refused(with("vadd-znand-cxl", "endpoint.image_in=i"), {"i/port2.img: ", "more than 2 ports"});
  fs::remove(dir_ / "i/port2.img");
  std::string bytes = read_text(dir_ / "i/port1.img");
  bytes[bytes.size() / 2] ^= 0x10;
  write("i/port1.img", bytes);
  refused(with("vadd-znand-cxl", "endpoint.image_in=i"), {"i/port1.img: ", "damaged"});
  write("i/port1.img", bytes.substr(0, bytes.size() / 2));
  refused(with("vadd-znand-cxl", "endpoint.image_in=i"), {"i/port1.img: ", "damaged"});
}

// A run that does not end well leaves the older image alone.
TEST_F(Cli, NoImageOfARunThatFailed) {
  const Result failed =
      run({"run", "vadd-znand-cxl", "--engine", "model", "--set", "workload.size=4096", "--set",
           "run.limit_us=5", "--set", "endpoint.image_out=i"});
  EXPECT_EQ(failed.status, 3) << failed.err;
  EXPECT_FALSE(fs::exists(dir_ / "i"));
}

}  // namespace
}  // namespace cxlgpu
