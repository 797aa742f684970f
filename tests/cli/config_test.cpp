// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
// What may be asked of the command: names, options, configuration files, list and help.
#include <map>
#include <sstream>

#include "tests/cli/cli.hpp"

namespace cxlgpu {
namespace {

// ---- names and options -------------------------------------------------------------------------

TEST_F(Cli, UnknownScenarioParts) {
  refused({"run", "nonsense", "--out", "o"}, {"nonsense", "list"});
  refused({"run", "warp-dram-cxl", "--out", "o"}, {"warp-dram-cxl", "'warp'", "vadd"});
  refused({"run", "vadd-floppy-cxl", "--out", "o"}, {"vadd-floppy-cxl", "'floppy'", "znand"});
  refused({"run", "vadd-dram-fast", "--out", "o"}, {"vadd-dram-fast", "'fast'", "sr"});
  refused({"run", "", "--out", "o"}, {"list"});
}

TEST_F(Cli, BadSet) {
  refused({"run", "vadd-dram-cxl", "--out", "o", "--set", "link.colour=1"},
          {"--set", "'link.colour'"});
  refused({"run", "vadd-dram-cxl", "--out", "o", "--set", "link.lanes"},
          {"--set", "'link.lanes'", "key=value"});
  refused({"run", "vadd-dram-cxl", "--out", "o", "--set", "=8"}, {"--set", "key=value"});
  refused({"run", "vadd-dram-cxl", "--out", "o", "--set", "link.lanes=many"},
          {"--set", "'link.lanes'", "'many'"});
  refused({"run", "vadd-dram-cxl", "--out", "o", "--set", "link.lanes="},
          {"--set", "'link.lanes'"});
  refused({"run", "vadd-dram-cxl", "--out", "o", "--set", "link.lanes=5"},
          {"--set", "'link.lanes'", "5"});
  refused({"run", "vadd-dram-cxl", "--out", "o", "--set", "gpu.cores=257"},
          {"--set", "'gpu.cores'", "1..256"});
}

TEST_F(Cli, BadGpuKeys) {
  const auto bad = [this](const std::string& set, const std::vector<std::string>& parts) {
    refused({"run", "vadd-dram-cxl", "--out", "o", "--set", set}, parts);
  };
  bad("gpu.machine=toaster", {"--set", "'gpu.machine'", "'toaster'", "scaled, vortex"});
  bad("gpu.scheduler=lottery", {"--set", "'gpu.scheduler'", "lrr, gto"});
  bad("gpu.l1.replacement=mru", {"'gpu.l1.replacement'", "lru, plru, fifo, random"});
  bad("gpu.llc.replacement=", {"'gpu.llc.replacement'", "lru, plru, fifo, random"});
  bad("gpu.l1.write=around", {"'gpu.l1.write'", "through, back"});
  bad("gpu.llc.write=around", {"'gpu.llc.write'", "through, back"});
  bad("gpu.latency.fpu=0", {"'gpu.latency.fpu'", "1..1000"});
  bad("gpu.scratchpad_banks=0", {"'gpu.scratchpad_banks'", "1..64"});
  refused({"run", "vadd-dram-cxl", "--out", "o", "--set", "gpu.l1.write=back", "--set",
           "gpu.store_buffer=4"},
          {"--set", "'gpu.store_buffer'", "gpu.l1.write through"});
}

TEST_F(Cli, BadOptions) {
  refused({}, {"--help"});
  refused({"run"}, {"scenario"});
  refused({"run", "vadd-dram-cxl", "--engine", "steam", "--out", "o"},
          {"--engine", "steam", "cosim"});
  refused({"run", "vadd-dram-cxl", "--set", "run.engine=steam", "--out", "o"},
          {"run.engine", "steam", "cosim"});
  refused({"run", "vadd-dram-cxl", "--seed", "x", "--out", "o"}, {"--seed", "x"});
  refused({"run", "vadd-dram-cxl", "--nonsense", "--out", "o"}, {"--nonsense"});
  refused({"flit"}, {"--help"});
}

TEST_F(Cli, SeedOptionHasTheLimitsOfItsKey) {
  refused({"run", "vadd-dram-cxl", "--set", "run.seed=4294967296", "--out", "o"}, {"run.seed"});
  refused({"run", "vadd-dram-cxl", "--engine", "model", "--seed", "4294967296", "--out", "o"},
          {"seed"});
  refused({"run", "vadd-dram-cxl", "--engine", "model", "--seed", "-1", "--out", "o"}, {"seed"});
}

TEST_F(Cli, UnknownSubcommandIsNamed) {
  refused({"ran", "vadd-dram-cxl"}, {"ran"});
}

TEST_F(Cli, OptionsTheModelCannotHonour) {
  const Args model = {"run", "vadd-dram-cxl", "--engine", "model", "--out", "o"};
  Args waves = model, log = model;
  waves.insert(waves.end(), {"--waves", "w.fst"});
  log.insert(log.end(), {"--flit-log", "f.log"});
  refused(waves, {"--waves", "rtl"});
  refused(log, {"--flit-log", "rtl"});
  refused({"run", "vadd-dram-cxl", "--engine", "rtl", "--set", "system.ports=4", "--out", "o"},
          {"system.ports", "model"});
}

// Eight endpoints, with the same share of the data each.
TEST_F(Cli, EightPortsShareTheData) {
  write(
      "eight.yaml",
      "workload: {name: vadd, size: 16384}\n"
      "media: {part: dram}\n"
      "system: {ports: 8}\n"
      "hdm: {ranges: [{base: 4GiB, size: 2GiB, ports: [7, 6, 5, 4, 3, 2, 1, 0], granularity: 256}]}"
      "\n");
  accepted({"run", "eight.yaml", "--engine", "model", "--out", "o"});
  const json s = stats("o");
  const double all = value(s, "/gpu/hdm_reads");
  EXPECT_GT(all, 1000);
  ASSERT_EQ(s.at("media_counters").size(), 8u);
  for (unsigned port = 0; port < 8; ++port) {
    const std::string at = "/media_counters/" + std::to_string(port) + "/reads";
    const double reads = value(s, at.c_str());
    EXPECT_NEAR(reads, all / 8, all / 80) << port;
  }
  refused({"run", "eight.yaml", "--engine", "model", "--set", "system.ports=16", "--out", "p"},
          {"'system.ports'", "1..8"});
}

// Sizes that the RTL is not built with: by --set and from a file, with the line.
TEST_F(Cli, MachinesThatTheRtlIsNot) {
  for (const auto& [key, value, built] : {std::tuple{"system.ports", "4", "2"},
                                          {"system.ports", "8", "2"},
                                          {"root_port.sr_queue_entries", "16", "32"},
                                          {"root_port.memory_queue_entries", "64", "32"},
                                          {"root_port.ring_entries", "512", "1024"},
                                          {"root_port.spec_cap_bytes", "256", "1024"},
                                          {"root_port.ds_lines", "256", "1024"},
                                          {"root_port.ds_writes", "33", "32"},
                                          {"endpoint.mshrs", "256", "128"},
                                          {"endpoint.line_bytes", "4KiB", "256"}}) {
    const std::string name(key), what = "'" + name + "'", set = name + "=" + value;
    const std::string rtl = std::string("RTL has ") + built;
    for (const char* engine : {"rtl", "cosim"}) {
      refused({"run", "vadd-znand-sr", "--engine", engine, "--set", set, "--out", "o", "--events",
               "e.csv"},
              {"--set", what, rtl, "--engine model"});
    }
    const std::size_t dot = name.find('.');
    write("own.yaml", "media: {part: znand}\nworkload: {name: vadd, size: 512}\n" +
                          name.substr(0, dot) + ":\n  " + name.substr(dot + 1) + ": " + value +
                          "\n");
    refused({"run", "own.yaml", "--out", "o"}, {"own.yaml:4:", what, rtl, "--engine model"});
    // Before anything is read or made: the trace and the images are not there.
    refused({"run", "vadd-znand-sr", "--set", set, "--set", "endpoint.image_in=nowhere", "--trace",
             "nowhere.csv"},
            {"--set", what, rtl});
    accepted({"run", "own.yaml", "--engine", "model"});
  }
}

// What no RTL of these sources can have says so, and `explain` has both ranges.
TEST_F(Cli, ALineThatOnlyTheModelCanHave) {
  const Args over = {"run", "vadd-znand-sr", "--set", "endpoint.line_bytes=2KiB"};
  refused(over, {"--set", "2048, but this build's RTL has 256 and none can have over 1024"});
  refused({"run", "vadd-znand-sr", "--set", "root_port.sr_queue_entries=3"},
          {"--set", "3, but this build's RTL has 32 and none can have under 4"});
  refused({"run", "vadd-znand-sr", "--set", "root_port.ring_entries=8192"}, {"16..4096"});
  const std::string said = accepted({"explain", "endpoint.line_bytes"}).out;
  EXPECT_NE(said.find("64..16KiB, a power of two; rtl and cosim as built, 64..1KiB"),
            std::string::npos)
      << said;
}

// Of another configuration of the RTL: the model takes its sizes; the RTL, which is asked, has
// others.
TEST_F(Cli, AConfigurationThatThisBuildIsNot) {
  refused({"run", "vadd-znand-sr", "--rtl", "small", "--set", "workload.size=512", "--out", "o"},
          {"rtl/small.yaml:", "'root_port.sr_queue_entries'", "8, but this build's RTL has 32"});
  accepted({"run", "vadd-znand-sr", "--rtl", "small", "--engine", "model", "--set",
            "workload.size=512"});
  refused({"run", "vadd-znand-sr", "--rtl", "smal"}, {"small", "large"});
  write("own-rtl.yaml", "sr_queue_entries: 16\nring: 64\n");
  refused({"run", "vadd-znand-sr", "--rtl", "own-rtl.yaml"}, {"own-rtl.yaml:2:", "ring_entries"});
  write("own-rtl.yaml", "sr_queue_entries: 65\n");
  refused({"run", "vadd-znand-sr", "--rtl", "own-rtl.yaml"}, {"own-rtl.yaml:1:", "1..64"});
}

TEST_F(Cli, CacheLineThatDoesNotFit) {
  const std::string key = "'endpoint.line_bytes'";
  refused({"run", "vadd-znand-sr", "--engine", "model", "--set", "endpoint.line_bytes=8KiB",
           "--out", "o"},
          {"--set", key, "page", "4096"});
  refused({"run", "vadd-pram-sr", "--engine", "model", "--set", "endpoint.line_bytes=512", "--out",
           "o"},
          {"--set", key, "page", "256"});
  refused({"run", "vadd-znand-sr", "--engine", "model", "--set", "endpoint.line_bytes=4KiB",
           "--set", "endpoint.cache_bytes=16KiB", "--out", "o"},
          {"--set", key, "32768", "16384"});
  write("own.yaml",
        "media: {part: znand}\nworkload: {name: vadd, size: 512}\nendpoint:\n  line_bytes: 4KiB\n"
        "  cache_bytes: 0\n");
  refused({"run", "own.yaml", "--engine", "model", "--out", "o"}, {"own.yaml:4:", key, "32768"});
}

TEST_F(Cli, DeterministicStoreThatCannotBe) {
  // Where the data is, and where HDM is.
  for (const char* base : {"0xfffc0000", "0x100000000"}) {
    refused({"run", "vadd-dram-ds", "--engine", "model", "--set",
             std::string("local_memory.ds_base=") + base, "--out", "o"},
            {"local_memory.ds_base", base});
  }
}

// Named by the scenario, by a file or by --set; without an engine it is the model's.
TEST_F(Cli, PoliciesOfTheModelAlone) {
  const std::string small = "workload.size=512";
  write("own.yaml",
        "media: {part: dram}\nworkload: {name: vadd, size: 512}\nroot_port:\n"
        "  policy: footprint\n");
  for (const char* policy : {"stride", "best-offset", "access-map", "footprint"}) {
    const std::string scenario = std::string("vadd-dram-") + policy;
    const std::string set = std::string("root_port.policy=") + policy;
    for (const char* engine : {"rtl", "cosim"}) {
      refused({"run", scenario, "--engine", engine, "--set", small, "--out", "o"},
              {scenario, "'root_port.policy'", policy, "--engine model"});
      refused(
          {"run", "vadd-dram-sr", "--engine", engine, "--set", small, "--set", set, "--out", "o"},
          {"--set", "'root_port.policy'", policy, "--engine model"});
    }
    accepted({"run", scenario, "--set", small, "--out", "o"});
    EXPECT_EQ(stats().at("engine"), "model");
    EXPECT_EQ(stats().at("policy"), policy);
    EXPECT_EQ(stats().at("status"), "clean");
  }
  refused({"run", "own.yaml", "--engine", "rtl", "--out", "o"}, {"own.yaml:4:", "footprint"});
}

TEST_F(Cli, MissingFiles) {
  refused({"run", "nowhere.yaml", "--out", "o"}, {"nowhere.yaml"});
  refused({"run", "vadd-dram-cxl", "--trace", "nowhere.csv", "--out", "o"}, {"nowhere.csv"});
  refused({"flit", "decode", "nowhere.log"}, {"nowhere.log"});
  refused({"flit", "encode", "nowhere.json"}, {"nowhere.json"});
  refused({"flit", "check", "nowhere.log"}, {"nowhere.log"});
  refused({"--configs", "nowhere", "run", "vadd-dram-cxl", "--out", "o"}, {"nowhere"});
}

TEST_F(Cli, MissingConfigurationFolderForList) {
  refused({"--configs", "nowhere", "list"}, {"nowhere"});
}

TEST_F(Cli, FolderInPlaceOfAFile) {
  fs::create_directory(dir_ / "folder.yaml");
  refused({"run", "folder.yaml", "--out", "o"}, {"folder.yaml"});
  refused({"run", "vadd-dram-cxl", "--trace", "folder.yaml", "--out", "o"}, {"folder.yaml"});
  refused({"flit", "check", "folder.yaml"}, {"folder.yaml"});
  refused({"flit", "decode", "folder.yaml"}, {"folder.yaml"});
  refused({"flit", "encode", "folder.yaml"}, {"folder.yaml"});
}

TEST_F(Cli, OutputThatCannotBeWritten) {
  write("file", "");
  const std::string small = "workload.size=512";
  refused({"run", "vadd-dram-cxl", "--engine", "model", "--set", small, "--out", "file/o"},
          {"file/o"});
  refused({"run", "vadd-dram-cxl", "--engine", "model", "--set", small, "--out", "file"}, {"file"});
  refused({"run", "vadd-dram-cxl", "--engine", "rtl", "--set", small, "--flit-log", "file/f.log"},
          {"file/f.log"});
  refused({"run", "vadd-dram-cxl", "--engine", "rtl", "--set", small, "--waves", "file/w.fst"},
          {"file/w."});
  for (const std::string bad : {"file/e.csv", "nowhere/e.csv", "."}) {
    refused({"run", "vadd-dram-cxl", "--engine", "model", "--set", small, "--events", bad},
            {bad + ": cannot be written"});
  }
}

// ---- configuration files -----------------------------------------------------------------------

struct BadYaml {
  const char* name;
  const char* text;  // line 1 is the first of it
  unsigned line;     // 0: the file as a whole
  const char* key;   // as the message names it
};

const char* const kGood = "media: {part: dram}\nworkload: {name: vadd, size: 512}\n";

std::ostream& operator<<(std::ostream& out, const BadYaml& bad) {
  return out << bad.name;
}

class CliYaml : public Cli, public ::testing::WithParamInterface<BadYaml> {};

TEST_P(CliYaml, IsRefusedWithFileLineAndKey) {
  const BadYaml& bad = GetParam();
  write("bad.yaml", std::string(bad.text) + kGood);
  const std::string place =
      bad.line == 0 ? "bad.yaml" : "bad.yaml:" + std::to_string(bad.line) + ":";
  refused({"run", "bad.yaml", "--engine", "model", "--out", "o"}, {place, bad.key});
}

const std::vector<BadYaml> kBadYaml = {
    {"UnknownKey", "link:\n  lanes: 8\n  colour: 3\n", 3, "'link.colour'"},
    {"UnknownTopKey", "colour: 3\n", 1, "'colour'"},
    {"UnknownSection", "colours:\n  red: 3\n", 1, "'colours'"},
    {"UnknownHdmKey", "hdm: {range: []}\n", 1, "'hdm.range'"},
    {"TextForANumber", "link:\n  flight_ps: fast\n", 2, "'link.flight_ps'"},
    {"NegativeNumber", "gpu:\n  cores: -1\n", 2, "'gpu.cores'"},
    {"FractionForANumber", "gpu:\n  cores: 1.5\n", 2, "'gpu.cores'"},
    {"NumberForASection", "link: 3\n", 1, "'link'"},
    {"SectionForANumber", "gpu:\n  cores: {a: 1}\n", 2, "'gpu.cores'"},
    {"ListForANumber", "gpu:\n  cores: [1, 2]\n", 2, "'gpu.cores'"},
    {"NothingForANumber", "gpu:\n  cores:\n", 2, "'gpu.cores'"},
    {"NumberForDs", "root_port: {ds: 1}\n", 1, "'root_port.ds'"},
    {"NoDsWrites", "root_port:\n  ds_max_writes: 0\n", 2, "'root_port.ds_max_writes'"},
    {"ManyDsWrites", "root_port:\n  ds_max_writes: 65\n", 2, "'root_port.ds_max_writes'"},
    {"ThreeDsIntervals", "root_port: {ds_interval: [0, 0, 8]}\n", 1, "'root_port.ds_interval'"},
    {"ThreeHintIntervals", "root_port: {hint_interval: [0, 0, 8]}\n", 1,
     "'root_port.hint_interval'"},
    {"LongHintInterval", "root_port: {hint_interval: [0, 0, 8, 16]}\n", 1,
     "'root_port.hint_interval'"},
    {"HintsMaybe", "root_port: {hints: maybe}\n", 1, "'root_port.hints'"},
    {"LongDsInterval", "root_port: {ds_interval: [0, 0, 8, 16]}\n", 1, "'root_port.ds_interval'"},
    {"CrookedDsBase", "local_memory: {ds_base: 0x1000}\n", 1, "'local_memory.ds_base'"},
    {"DistantDsBase", "local_memory: {ds_base: 0x10000000000000}\n", 1, "'local_memory.ds_base'"},
    {"NoSrQueue", "root_port:\n  sr_queue_entries: 0\n", 2, "'root_port.sr_queue_entries'"},
    {"LongSrQueue", "root_port:\n  sr_queue_entries: 65\n", 2, "'root_port.sr_queue_entries'"},
    {"MemoryQueueOfMemSpecRdAlone", "root_port:\n  memory_queue_entries: 2\n", 2,
     "'root_port.memory_queue_entries'"},
    {"LongMemoryQueue", "root_port:\n  memory_queue_entries: 65\n", 2,
     "'root_port.memory_queue_entries'"},
    {"SmallRing", "root_port: {ring_entries: 8}\n", 1, "'root_port.ring_entries'"},
    {"CrookedRing", "root_port: {ring_entries: 48}\n", 1, "'root_port.ring_entries'"},
    {"LargeRing", "root_port: {ring_entries: 8192}\n", 1, "'root_port.ring_entries'"},
    {"CrookedCap", "root_port: {spec_cap_bytes: 640}\n", 1, "'root_port.spec_cap_bytes'"},
    {"SmallCap", "root_port: {spec_cap_bytes: 64}\n", 1, "'root_port.spec_cap_bytes'"},
    {"LargeCap", "root_port: {spec_cap_bytes: 2KiB}\n", 1, "'root_port.spec_cap_bytes'"},
    {"FewDsLines", "root_port: {ds_lines: 8}\n", 1, "'root_port.ds_lines'"},
    {"CrookedDsLines", "root_port: {ds_lines: 1000}\n", 1, "'root_port.ds_lines'"},
    {"ManyDsLines", "root_port: {ds_lines: 8192}\n", 1, "'root_port.ds_lines'"},
    {"ShortCacheLine", "endpoint: {line_bytes: 32}\n", 1, "'endpoint.line_bytes'"},
    {"CrookedCacheLine", "endpoint: {line_bytes: 768}\n", 1, "'endpoint.line_bytes'"},
    {"LongCacheLine", "endpoint: {line_bytes: 32KiB}\n", 1, "'endpoint.line_bytes'"},
    {"NoLanes", "link: {lanes: 0}\n", 1, "'link.lanes'"},
    {"UnknownLocalPart", "local_memory: {part: floppy}\n", 1, "'local_memory.part': 'floppy'"},
    {"FlashAsLocalMemory", "local_memory: {part: znand}\n", 1, "'local_memory.part': 'znand'"},
    {"ManySubChannels", "local_memory: {sub_channels: 64}\n", 1, "'local_memory.sub_channels'"},
    {"LatencyBelowThePart", "local_memory:\n  latency_ps: 42000\n", 2, "'local_memory.latency_ps'"},
    {"NumberForABool", "root_port: {spec_length: 7}\n", 1, "'root_port.spec_length'"},
    {"UnknownPolicy", "root_port: {policy: magic}\n", 1, "'root_port.policy'"},
    {"NumberOutOfRange", "gpu:\n  cores: 257\n", 2, "'gpu.cores'"},
    {"NotAPowerOfTwo", "gpu:\n  l1: {ways: 3}\n", 2, "'gpu.l1.ways'"},
    {"NotAProbability", "link:\n  bit_error_rate_m2s: 2\n", 2, "'link.bit_error_rate_m2s'"},
    {"ShortList", "endpoint: {ingress_thresholds: [4, 16]}\n", 1, "'endpoint.ingress_thresholds'"},
    {"DuplicateKey", "link:\n  lanes: 8\n  lanes: 4\n", 3, "'link.lanes'"},
    {"DuplicateSection", "link: {lanes: 8}\nlink: {flight_ps: 1}\n", 2, "'link'"},
    {"ListAtTheTop", "- 3\n", 0, ""},
    {"Syntax", "link: {lanes: 8\n  flight_ps: [\n", 2, "syntax"},
    {"TabSyntax", "link:\n\tlanes: 8\n", 2, "syntax"},
    {"Overlap",
     "hdm:\n  ranges:\n    - {base: 0x100000000, size: 512MiB, ports: [0, 1]}\n"
     "    - {base: 0x110000000, size: 512MiB, ports: [0, 1]}\n",
     4, "'hdm.ranges[1].base'"},
    {"SizeNotAMultiple", "hdm:\n  ranges:\n    - {base: 4GiB, size: 100MiB, ports: [0]}\n", 3,
     "'hdm.ranges[0].size'"},
    {"SizeNotAMultipleOfTheWays",
     "hdm:\n  ranges:\n    - {base: 4GiB, size: 256MiB, ports: [0, 1]}\n", 3,
     "'hdm.ranges[0].size'"},
    {"BaseNotAMultiple", "hdm:\n  ranges:\n    - {base: 0x100001000, size: 256MiB, ports: [0]}\n",
     3, "'hdm.ranges[0].base'"},
    {"NoSuchPort", "hdm:\n  ranges:\n    - {base: 4GiB, size: 512MiB, ports: [0, 2]}\n", 3,
     "'hdm.ranges[0].ports'"},
    {"PortTwice", "hdm:\n  ranges:\n    - {base: 4GiB, size: 512MiB, ports: [0, 0]}\n", 3,
     "'hdm.ranges[0].ports'"},
    {"NoPorts", "hdm:\n  ranges:\n    - {base: 4GiB, size: 512MiB, ports: []}\n", 3,
     "'hdm.ranges[0].ports'"},
    {"PortIsText", "hdm:\n  ranges:\n    - {base: 4GiB, size: 512MiB, ports: [a]}\n", 3,
     "'hdm.ranges[0].ports'"},
    {"PortIsAList", "hdm:\n  ranges:\n    - {base: 4GiB, size: 512MiB, ports: [[0]]}\n", 3,
     "'hdm.ranges[0].ports'"},
    {"ThreeWays",
     "system: {ports: 4}\nhdm:\n  ranges:\n    - {base: 4GiB, size: 768MiB, ports: [0, 1, 2]}\n", 4,
     "'hdm.ranges[0].ports'"},
    {"RangeWithoutSize", "hdm:\n  ranges:\n    - {base: 4GiB, ports: [0]}\n", 3, "'hdm.ranges[0]'"},
    {"RangeWithUnknownKey",
     "hdm:\n  ranges:\n    - {base: 4GiB, size: 256MiB, ports: [0], colour: 3}\n", 3,
     "'hdm.ranges[0].colour'"},
    {"RangeWithListForAKey",
     "hdm:\n  ranges:\n    - {base: 4GiB, size: 256MiB, ports: [0], [1]: 3}\n", 3,
     "'hdm.ranges[0]"},
    {"RangeKeyTwice", "hdm:\n  ranges:\n    - {base: 4GiB, size: 256MiB, size: 1GiB, ports: [0]}\n",
     3, "'hdm.ranges[0].size'"},
    {"BadGranularity",
     "hdm:\n  ranges:\n    - {base: 4GiB, size: 256MiB, ports: [0], granularity: 100}\n", 3,
     "'hdm.ranges[0].granularity'"},
    {"RangeIsANumber", "hdm:\n  ranges:\n    - 3\n", 3, "'hdm.ranges[0]'"},
    {"NoRange", "hdm:\n  ranges: []\n", 2, "'hdm.ranges'"},
    {"RangeBeyondTheAddresses",
     "hdm:\n  ranges:\n    - {base: 0xfffffffff0000000, size: 256MiB, ports: [0]}\n", 3,
     "'hdm.ranges[0]"},
    {"ThresholdsFall", "endpoint: {ingress_thresholds: [16, 4, 32]}\n", 1,
     "'endpoint.ingress_thresholds'"},
    {"BacklogThresholdsFall", "endpoint: {backlog_thresholds: [4, 8, 7]}\n", 1,
     "'endpoint.backlog_thresholds'"},
    {"TaskThresholdsFall", "endpoint: {task_thresholds: [4, 3, 7]}\n", 1,
     "'endpoint.task_thresholds'"},
    {"BacklogThresholdTooLarge", "endpoint: {backlog_thresholds: [4, 8, 128]}\n", 1,
     "'endpoint.backlog_thresholds'"},
    {"TwoTaskThresholds", "endpoint: {task_thresholds: [4, 8]}\n", 1, "'endpoint.task_thresholds'"},
    {"MarginForTasks", "endpoint: {load_margins: [2, 8, 2, 2]}\n", 1, "'endpoint.load_margins'"},
    {"MarginTooLarge", "endpoint: {load_margins: [2, 128, 2]}\n", 1, "'endpoint.load_margins'"},
    {"MarginThatKeepsTheLoad",
     "endpoint:\n  ingress_thresholds: [4, 8, 9]\n  load_margins: [4, 8, 2]\n", 2,
     "'endpoint.ingress_thresholds': the first, 4"},
    {"ThresholdInsideTheMargin", "endpoint:\n  mshr_thresholds: [8, 20, 30]\n", 2,
     "'endpoint.mshr_thresholds': the first, 8"},
    {"NumberForReduction", "endpoint: {throughput_reduction: 1}\n", 1,
     "'endpoint.throughput_reduction'"},
    {"NumberForCongestion", "endpoint: {egress_congestion: 1}\n", 1,
     "'endpoint.egress_congestion'"},
    {"PercentFalls", "endpoint: {egress_percent: [25, 10]}\n", 1, "'endpoint.egress_percent'"},
    {"PercentBeyondAHundred", "endpoint: {egress_percent: [25, 101]}\n", 1,
     "'endpoint.egress_percent'"},
    {"LongInterval", "endpoint:\n  egress_interval: 32\n", 2, "'endpoint.egress_interval'"},
    {"CongestionWithoutSamples", "endpoint:\n  egress_congestion: true\n  egress_interval: 0\n", 3,
     "'endpoint.egress_interval'"},
    {"CollectionStartWithoutLength", "endpoint:\n  gc_first_us: 50\n", 2, "'endpoint.gc_first_us'"},
    {"CollectionPeriodWithoutLength", "endpoint: {gc_every_us: 50}\n", 1, "'endpoint.gc_every_us'"},
    {"CollectionShareWithoutLength", "endpoint: {gc_dies_percent: 50}\n", 1,
     "'endpoint.gc_dies_percent'"},
    {"CollectionOfNoDies", "endpoint: {gc_busy_us: 5, gc_dies_percent: 0}\n", 1,
     "'endpoint.gc_dies_percent'"},
    {"CollectionOfTooManyDies", "endpoint: {gc_busy_us: 5, gc_dies_percent: 101}\n", 1,
     "'endpoint.gc_dies_percent'"},
    {"CollectionLengthIsText", "endpoint: {gc_busy_us: long}\n", 1, "'endpoint.gc_busy_us'"},
    {"CollectionLengthInFractions", "endpoint: {gc_busy_us: 0.5}\n", 1, "'endpoint.gc_busy_us'"},
    {"CollectionWithoutEnd", "endpoint: {gc_busy_us: 60, gc_every_us: 60}\n", 1,
     "'endpoint.gc_every_us'"},
    {"CollectionOfDram", "endpoint:\n  gc_busy_us: 60\n", 2, "'endpoint.gc_busy_us': media 'dram'"},
    {"UnknownCollectionKey", "endpoint: {gc_rate: 60}\n", 1, "'endpoint.gc_rate'"},
    {"TwoFaultsAtOnce", "link: {drop_spec_every: 4, bit_error_rate_m2s: 1e-5}\n", 1,
     "'link.drop_spec_every'"},
    {"LateSpeculationAndBitErrors", "link: {delay_spec_by: 4, bit_error_rate_s2m: 1e-5}\n", 1,
     "'link.delay_spec_by'"},
    {"OutageWithoutLength", "link: {down_at_us: 5}\n", 1, "needs link.down_for_us of at least 1"},
    {"OutageOfNoPort", "link: {down_at_us: 5, down_for_us: 1, port: 2}\n", 1,
     "'link.port': 2 is none of the 2 ports"},
    {"LengthOfNoOutage", "link: {down_for_us: 5}\n", 1, "says nothing while link.down_at_us is 0"},
    {"LostAndDoubledSpeculation", "link:\n  drop_spec_every: 4\n  duplicate_spec_every: 4\n", 3,
     "'link.duplicate_spec_every': needs link.drop_spec_every of 0"},
};

INSTANTIATE_TEST_SUITE_P(Files, CliYaml, ::testing::ValuesIn(kBadYaml),
                         [](const auto& info) { return std::string(info.param.name); });

TEST_F(Cli, NamesInAFileThatNobodyKnows) {
  write("w.yaml", "media: {part: dram}\nworkload: {name: warp}\n");
  refused({"run", "w.yaml", "--engine", "model", "--out", "o"},
          {"w.yaml", "'workload.name'", "'warp'"});
  write("m.yaml", "media: {part: floppy}\nworkload: {name: vadd}\n");
  refused({"run", "m.yaml", "--engine", "model", "--out", "o"},
          {"m.yaml", "'media.part'", "'floppy'"});
  write("empty.yaml", "");
  refused({"run", "empty.yaml", "--engine", "model", "--out", "o"},
          {"empty.yaml", "'workload.name'"});
}

TEST_F(Cli, LinksThatDoNotTrain) {
  write("noise.yaml", std::string("link: {bit_error_rate_m2s: 4e-3}\n") + kGood);
  refused({"run", "noise.yaml", "--engine", "rtl", "--out", "o"},
          {"'link.bit_error_rate_m2s'", "0.004", "lower"});
}

// The range that lost its port stands in the default configuration: that is the line named.
TEST_F(Cli, PortsTakenFromUnderARange) {
  write("one.yaml", std::string("system: {ports: 1}\n") + kGood);
  refused({"run", "one.yaml", "--engine", "model", "--out", "o"},
          {"default.yaml:", "'hdm.ranges[0].ports'", "system.ports is 1"});
}

TEST_F(Cli, OrderOfSectionsInAFileDoesNotMatter) {
  const std::string ports = "system: {ports: 4}\n";
  const std::string ranges =
      "hdm:\n  ranges:\n    - {base: 4GiB, size: 1GiB, ports: [0, 1, 2, 3]}\n";
  write("first.yaml", ports + ranges + kGood);
  accepted({"run", "first.yaml", "--engine", "model"});
  write("last.yaml", ranges + ports + kGood);
  accepted({"run", "last.yaml", "--engine", "model"});
}

// Cores and warps that a run had, from what its counters say: issue slots of every core a cycle.
double cores_of(const json& stats) {
  double slots = 0;
  for (const json& slot : stats["gpu"]["slots"]) slots += slot["value"].get<double>();
  return slots / stats["gpu"]["cycles"]["value"].get<double>();
}

TEST_F(Cli, MachineLiesBelowScenarioAndSet) {
  const auto cores = [this](Args args) {
    args.insert(args.begin(), "run");
    args.insert(args.end(), {"--engine", "model", "--set", "workload.size=1024", "--out", "o"});
    accepted(args);
    return cores_of(json::parse(read_text(dir_ / "o" / "stats.json")));
  };
  EXPECT_EQ(cores({"vadd-dram-cxl"}), 8);  // scaled.yaml
  EXPECT_EQ(cores({"vadd-dram-cxl", "--set", "gpu.machine=vortex"}), 1);
  EXPECT_EQ(cores({"vadd-dram-cxl", "--set", "gpu.cores=3", "--set", "gpu.machine=vortex"}), 3);
  write("m.yaml", std::string("gpu: {machine: vortex}\n") + kGood);
  EXPECT_EQ(cores({"m.yaml"}), 1);
  EXPECT_EQ(cores({"m.yaml", "--set", "gpu.machine=scaled"}), 8);
  write("c.yaml", std::string("gpu: {cores: 2, machine: vortex}\n") + kGood);
  EXPECT_EQ(cores({"c.yaml"}), 2);
}

// ---- machines ----------------------------------------------------------------------------------

class Machines : public Cli {
 protected:
  json of(Args args) {
    args.insert(args.begin(), "run");
    args.insert(args.end(), {"--engine", "model", "--set", "workload.size=1024", "--out", "o"});
    screen_ = accepted(args).out;
    return stats();
  }
  static json names(const std::vector<std::string>& changed) { return changed; }
  std::string screen_;
};

// Under everything that says more of a run; gpu.machine of a layer above lies over the machine.
TEST_F(Machines, LieBelowAllThatIsGivenAfterThem) {
  const auto cores = [this](const Args& more, const std::string& scenario = "vadd-dram-cxl") {
    Args args = {scenario};
    args.insert(args.end(), more.begin(), more.end());
    return cores_of(of(args));
  };
  EXPECT_EQ(cores({}), 8);
  EXPECT_EQ(cores({"--machine", "vortex"}), 1);
  EXPECT_EQ(cores({"--machine", "vortex", "--set", "gpu.cores=3"}), 3);
  EXPECT_EQ(cores({"--set", "system.machine=vortex"}), 1);
  EXPECT_EQ(cores({"--machine", "scaled", "--set", "system.machine=vortex"}), 8);
  write("m.yaml", "gpu: {cores: 2}\nlink: {lanes: 4}\n");
  EXPECT_EQ(cores({"--machine", "m.yaml"}), 2);
  EXPECT_EQ(stats().at("config").at("link").at("lanes"), 4);
  EXPECT_EQ(cores({"--machine", "m.yaml", "--set", "gpu.machine=vortex"}), 1);
  EXPECT_EQ(stats().at("config").at("link").at("lanes"), 4);
  write("g.yaml", "gpu: {cores: 3, machine: vortex}\n");
  EXPECT_EQ(cores({"--machine", "g.yaml"}), 3);
  EXPECT_EQ(stats().at("config").at("gpu").at("threads"), 4);
  write("s.yaml", std::string("system: {machine: vortex}\n") + kGood);
  EXPECT_EQ(cores({}, "s.yaml"), 1);
  EXPECT_EQ(cores({"--machine", "m.yaml"}, "s.yaml"), 2);
  EXPECT_EQ(stats().at("machine").at("name"), "m.yaml");
  EXPECT_EQ(stats().at("config").at("system").at("machine"), "m.yaml");
  write("t.yaml", std::string("gpu: {machine: scaled}\n") + kGood);
  EXPECT_EQ(cores({"--machine", "m.yaml"}, "t.yaml"), 8);
}

// What no option names is the machine `scaled`, and that is the default of every key.
TEST_F(Machines, TheDefaultIsScaled) {
  const json plain = of({"vadd-znand-ds"});
  EXPECT_EQ(plain.at("machine"), (json{{"name", "scaled"}, {"changed", json::array()}}));
  const json named = of({"vadd-znand-ds", "--machine", "scaled"});
  for (const char* part : {"machine", "config", "end_to_end", "loads", "stores", "gpu"}) {
    EXPECT_EQ(named.at(part), plain.at(part)) << part;
  }
  for (const json& key : json::parse(accepted({"list", "--keys", "--json"}).out)) {
    const auto name = key.at("key").get<std::string>();
    if (name.starts_with("gpu.")) {
      std::string path = "/config/" + name;
      std::replace(path.begin() + 1, path.end(), '.', '/');
      EXPECT_EQ(plain.at(json::json_pointer(path)), key.at("default")) << name;
    }
  }
}

// Screen, stats.json and report.html say the machine, and what of it the run has otherwise. What
// the scenario's name says is of no machine.
TEST_F(Machines, EveryResultNamesItsOwn) {
  const auto line = [this] {
    for (const std::string& one : lines_of(screen_)) {
      if (one.starts_with("  machine ")) return one.substr(one.find_first_not_of(' ', 10));
    }
    return std::string("none");
  };
  for (const char* config : {"naive", "ds", "gpu-dram", "uvm"}) {
    const json s = of({std::string("vadd-znand-") + config, "--machine", "paper"});
    EXPECT_EQ(s.at("machine"), (json{{"name", "paper"}, {"changed", json::array()}})) << config;
    EXPECT_EQ(s.at("config").at("system").at("machine"), "paper");
    EXPECT_EQ(line(), "paper") << config;
  }
  const json s = of({"vadd-znand-sr", "--machine", "paper", "--set", "gpu.warps=2", "--set",
                     "gpu.cores=8", "--set", "run.limit_us=500000"});
  EXPECT_EQ(s.at("machine").at("changed"), names({"gpu.warps"}));
  EXPECT_EQ(line(), "paper, but gpu.warps");
  const std::string report = read_text(dir_ / "o/report.html");
  EXPECT_NE(report.find("s.machine.name"), std::string::npos);
  EXPECT_NE(report.find("s.machine.changed"), std::string::npos);
  EXPECT_NE(report.find("\"changed\":[\"gpu.warps\"]"), std::string::npos);
  of({"vadd-znand-sr", "--set", "gpu.machine=vortex"});
  EXPECT_TRUE(line().starts_with("scaled, but gpu.machine, gpu.cores, gpu.warps and ")) << line();
  write("m.yaml", "gpu: {cores: 2}\n");
  EXPECT_EQ(of({"vadd-dram-cxl", "--machine", "m.yaml"}).at("machine").at("name"), "m.yaml");
}

// `config` of a run on another machine makes the same run, and names the machine.
TEST_F(Machines, AResultMakesItsRunAgain) {
  const json first = of({"vadd-znand-sr", "--machine", "paper", "--set", "gpu.warps=2"});
  write("again.yaml", first.at("config").dump());
  accepted({"run", "again.yaml", "--engine", "model", "--out", "o"});
  for (const char* part : {"machine", "config", "end_to_end"}) {
    EXPECT_EQ(stats().at(part), first.at(part)) << part;
  }
}

TEST_F(Machines, WhatIsNoneIsRefused) {
  const auto bad = [this](const std::string& name, const std::vector<std::string>& parts) {
    refused({"run", "vadd-dram-cxl", "--engine", "model", "--machine", name, "--out", "o"}, parts);
  };
  bad("toaster", {"--machine", "'system.machine'", "'toaster'", "paper, scaled, vortex or a file"});
  bad("../gpu/vortex", {"--machine", "'../gpu/vortex'"});
  bad("nowhere.yaml", {"nowhere.yaml", "not a file"});
  refused({"run", "vadd-dram-cxl", "--set", "system.machine=", "--out", "o"},
          {"--set", "'system.machine'", "paper, scaled, vortex"});
  write("c.yaml", std::string("\nsystem:\n  machine: toaster\n") + kGood);
  refused({"run", "c.yaml", "--out", "o"}, {"c.yaml:3", "'toaster'"});
  const auto file = [&](const std::string& text, const std::vector<std::string>& parts) {
    write("m.yaml", text);
    bad("m.yaml", parts);
  };
  file("gpu:\n  corse: 2\n", {"m.yaml:2", "did you mean gpu.cores?"});
  file("gpu:\n  cores: 999\n", {"m.yaml:2", "1..256"});
  file("gpu:\n  machine: toaster\n", {"m.yaml:2", "'gpu.machine'", "scaled, vortex"});
  // One for all scenarios: what these and a run say is not its own.
  for (const char* key : {"system: {machine: scaled}", "system: {memory: uvm}", "run: {seed: 2}",
                          "workload: {size: 64}", "trace: {max_reads: 2}", "media: {part: dram}",
                          "root_port: {policy: sr}", "root_port: {ds: true}",
                          "root_port: {spec_length: false}", "endpoint: {image_in: a}"}) {
    file(std::string("link: {lanes: 8}\n") + key + "\n", {"m.yaml:2", "not of a machine"});
  }
}

// Its lines are not those of the default RTL: refused with the place, but for the model.
TEST_F(Machines, OfThePaperWantsTheModelOrItsOwnBuild) {
  refused({"run", "vadd-znand-sr", "--machine", "paper", "--out", "o"},
          {"machines/paper.yaml:", "'endpoint.line_bytes'", "128, but this build's RTL has 256",
           "--engine model"});
}

std::vector<fs::path> machine_files() {
  std::vector<fs::path> files;
  for (const auto& entry :
       fs::directory_iterator(fs::path(CXLGPU_SOURCE_DIR) / "configs/machines")) {
    files.push_back(entry.path());
  }
  return files;
}

// Each value says unit and source, or that it is fitted or left open, and then its range.
TEST_F(Machines, EachValueHasItsSourceOrItsRange) {
  ASSERT_EQ(machine_files().size(), 4u);
  unsigned values = 0;
  for (const fs::path& path : machine_files()) {
    for (const std::string& line : lines_of(read_text(path))) {
      const std::size_t hash = line.find('#');
      const std::string text = line.substr(0, hash);
      const std::size_t colon = text.find(": ");
      if (colon == std::string::npos ||
          text.find_first_not_of(' ', colon + 1) == std::string::npos) {
        continue;  // a comment or a section
      }
      ++values;
      const std::string said = hash == std::string::npos ? "" : line.substr(hash);
      const auto says = [&said](const char* word) { return said.find(word) != std::string::npos; };
      if (says("fitted") || says("left open")) {
        EXPECT_TRUE(says("range ") && (says("..") || says(" or "))) << path << ": " << line;
      } else {
        EXPECT_TRUE(says("CXL-GPU, table") || says("Vortex") || says("configs/gpu/") ||
                    says("this design") || says("H100") || says("H200, measured") ||
                    says("driver: uvm_") || says("CUDA") || says("; assumed"))
            << path << ": " << line;
      }
    }
  }
  EXPECT_GE(values, 20u);
}

// The table of the guide's page: a key, and what each machine has.
TEST_F(Machines, ThePageSaysWhatTheyHave) {
  const std::vector<std::string> machines = {"scaled", "paper", "vortex"};
  std::map<std::string, json> configs;
  for (const std::string& name : machines) {
    configs[name] = of({"vadd-dram-cxl", "--machine", name}).at("config");
  }
  std::map<std::string, std::string> units;
  for (const json& key : json::parse(accepted({"list", "--keys", "--json"}).out)) {
    units[key.at("key")] = key.at("unit");
  }
  unsigned rows = 0;
  std::set<std::string> named;
  for (const std::string& line :
       lines_of(read_text(std::string(CXLGPU_SOURCE_DIR) + "/docs/guide/machines.md"))) {
    if (!line.starts_with("| `")) continue;
    std::vector<std::string> cells;
    std::istringstream in(line);
    for (std::string cell; std::getline(in, cell, '|');) {
      const std::size_t first = cell.find_first_not_of(" `");
      cells.push_back(first == std::string::npos
                          ? ""
                          : cell.substr(first, cell.find_last_not_of(" `") - first + 1));
    }
    if (cells[1].find('.') == std::string::npos) continue;  // the table of the machines
    ASSERT_GE(cells.size(), 5u) << line;
    const std::string& key = cells[1];
    ++rows;
    named.insert(key);
    std::string path = "/" + key;
    std::replace(path.begin(), path.end(), '.', '/');
    for (std::size_t i = 0; i < machines.size(); ++i) {
      const json& config = configs[machines[i]];
      const json value = key == "hdm.ranges[].granularity"
                             ? config.at("hdm").at("ranges").at(0).at("granularity")
                             : config.at(json::json_pointer(path));
      std::string text = value.is_string() ? value.get<std::string>() : value.dump();
      if (units[key] == "bytes" && value.get<std::uint64_t>() % 1024 == 0) {
        const auto kib = value.get<std::uint64_t>() / 1024;
        text = kib % 1024 == 0 ? std::to_string(kib / 1024) + "MiB" : std::to_string(kib) + "KiB";
      }
      EXPECT_EQ(cells[2 + i], text) << key << " of " << machines[i];
    }
  }
  // Every key in which two of them differ stands there.
  for (const json& key : json::parse(accepted({"list", "--keys", "--json"}).out)) {
    const auto name = key.at("key").get<std::string>();
    if (name.find('[') != std::string::npos || name == "hdm.ranges" || name == "system.machine") {
      continue;
    }
    std::string path = "/" + name;
    std::replace(path.begin(), path.end(), '.', '/');
    const json::json_pointer at(path);
    const bool same = configs["scaled"].at(at) == configs["paper"].at(at) &&
                      configs["scaled"].at(at) == configs["vortex"].at(at);
    EXPECT_TRUE(same || named.count(name) == 1) << name << " is not in docs/guide/machines.md";
  }
  EXPECT_GE(rows, 25u);
}

TEST_F(Cli, SeedOfTheRunIsThatOfRandomReplacement) {
  const auto time = [this](const std::string& policy, const std::string& seed) {
    accepted({"run", "vadd-dram-cxl", "--engine", "model", "--set", "workload.size=16384", "--set",
              "gpu.llc.replacement=" + policy, "--seed", seed, "--out", "o"});
    return json::parse(read_text(dir_ / "o" / "stats.json"))["end_to_end"]["value"].get<double>();
  };
  EXPECT_EQ(time("lru", "1"), time("lru", "2"));  // nothing else of the run's time is drawn
  EXPECT_EQ(time("random", "2"), time("random", "2"));
  EXPECT_NE(time("random", "1"), time("random", "2"));
}

TEST_F(Cli, MachineFilesAreOfAGpuAlone) {
  fs::copy(fs::path(CXLGPU_SOURCE_DIR) / "configs", dir_ / "own", fs::copy_options::recursive);
  const auto machine = [this](const std::string& text, const std::vector<std::string>& parts) {
    std::ofstream(dir_ / "own/gpu/mine.yaml") << text;
    refused({"--configs", "own", "run", "vadd-dram-cxl", "--set", "gpu.machine=mine", "--out", "o"},
            parts);
  };
  machine("gpu: {cores: 2}\nlink:\n  lanes: 4\n", {"mine.yaml:3", "'link.lanes'", "gpu"});
  machine("gpu: {machine: scaled}\n", {"mine.yaml:1", "'gpu.machine'"});
  machine("gpu:\n  cores: 999\n", {"mine.yaml:2", "'gpu.cores'"});
  std::ofstream(dir_ / "own/gpu/mine.yaml") << "gpu: {cores: 2}\n";
  accepted({"--configs", "own", "run", "vadd-dram-cxl", "--engine", "model", "--set",
            "gpu.machine=mine", "--set", "workload.size=512"});
}

TEST_F(Cli, FileAndSetTakeEffect) {
  write("own.yaml",
        "media: {part: dram}\nworkload: {name: vadd, size: 1024}\nlink: {flight_ps: 50000}\n");
  accepted({"run", "own.yaml", "--engine", "model", "--out", "slow"});
  accepted(
      {"run", "own.yaml", "--engine", "model", "--out", "fast", "--set", "link.flight_ps=2000"});
  EXPECT_GT(value(stats("slow"), "/end_to_end"), value(stats("fast"), "/end_to_end"));
  EXPECT_EQ(stats("slow").at("scenario"), "own");
}

TEST_F(Cli, CollectionThatCannotBe) {
  const Args run = {"run", "vadd-znand-cxl", "--engine", "model", "--out", "o", "--set"};
  const auto with = [&run](const Args& sets) {
    Args args = run;
    for (const std::string& set : sets) {
      if (&set != &sets.front()) args.push_back("--set");
      args.push_back(set);
    }
    return args;
  };
  refused(with({"endpoint.gc_first_us=50"}),
          {"--set", "'endpoint.gc_first_us'", "gc_busy_us is 0", "or 0"});
  refused(with({"endpoint.gc_dies_percent=50"}), {"'endpoint.gc_dies_percent'", "or 100"});
  refused(with({"endpoint.gc_busy_us=60", "endpoint.gc_every_us=59"}),
          {"--set", "'endpoint.gc_every_us'", "59", "60", "raise"});
  Args dram = with({"endpoint.gc_busy_us=60"});
  dram[1] = "vadd-dram-cxl";
  refused(dram, {"--set", "'endpoint.gc_busy_us'", "'dram'", "choose flash"});
  accepted(with({"endpoint.gc_busy_us=60", "endpoint.gc_every_us=61", "workload.size=512"}));
}

// What a run overrules of its part's file.
TEST_F(Cli, DiesThatShareAndSuspend) {
  const auto with = [](const std::string& scenario, const std::string& set) {
    return Args{"run", scenario, "--engine",           "model", "--out",
                "o",   "--set",  "workload.size=2048", "--set", set};
  };
  refused(with("vadd-dram-cxl", "media.share_page_register=queued"),
          {"--set", "'media.share_page_register'", "'dram'", "choose flash"});
  refused(with("vadd-dram-cxl", "media.suspend=both"),
          {"--set", "'media.suspend'", "'dram'", "choose flash"});
  refused(with("vadd-pram-cxl", "media.suspend=programs"),
          {"--set", "'media.suspend'", "'pram'", "no section suspend"});
  refused(with("vadd-znand-cxl", "media.share_page_register=true"),
          {"--set", "'media.share_page_register'", "part, always, queued, never"});
  const auto end = [&](const std::string& set) {
    accepted(with("vadd-znand-cxl", set));
    return value(stats(), "/end_to_end");
  };
  const auto as_is = end("media.share_page_register=part");
  EXPECT_EQ(end("media.share_page_register=always"), as_is);
  EXPECT_GT(end("media.share_page_register=queued"), as_is);
  EXPECT_GT(end("media.share_page_register=never"), end("media.share_page_register=queued"));
  EXPECT_EQ(end("media.suspend=none"), as_is);
  accepted(with("vadd-znand-cxl", "media.suspend=both"));
  EXPECT_EQ(stats().at("/config/media/suspend"_json_pointer), "both");
  accepted(with("vadd-dram-cxl", "media.suspend=part"));
  // A machine is one for all media, and so is the scenario that a run's `config` makes.
  write("m.yaml", "media: {share_page_register: queued, suspend: both}\n");
  Args on_dram = with("vadd-dram-cxl", "system.machine=m.yaml");
  accepted(on_dram);
  write("again.yaml", stats().at("config").dump());
  on_dram[1] = "again.yaml";
  accepted(on_dram);
}

TEST_F(Cli, StripingOverTheDies) {
  // Of a size beyond the first stripe of a port, which is the same with either.
  const auto with = [](const std::string& scenario, const std::string& set) {
    return Args{"run",   scenario, "--engine", "model",
                "--out", "o",      "--set",    "workload.size=65536",
                "--set", set};
  };
  refused(with("vadd-dram-cxl", "media.striping=linear"),
          {"--set", "'media.striping'", "'dram'", "choose flash"});
  refused(with("vadd-znand-cxl", "media.striping=xor"),
          {"--set", "'media.striping'", "part, linear, permuted"});
  const auto end = [&](const std::string& set) {
    accepted(with("vadd-znand-cxl", set));
    return value(stats(), "/end_to_end");
  };
  const auto permuted = end("media.striping=permuted");
  EXPECT_EQ(end("media.striping=part"), permuted);  // as its file has it
  EXPECT_NE(end("media.striping=linear"), permuted);
  EXPECT_EQ(stats().at("/config/media/striping"_json_pointer), "linear");
  // A part of 3 * 8 dies.
  fs::copy(fs::path(CXLGPU_SOURCE_DIR) / "configs", dir_ / "own", fs::copy_options::recursive);
  std::ifstream in(dir_ / "own/media/znand.yaml");
  std::string text((std::istreambuf_iterator<char>(in)), std::istreambuf_iterator<char>());
  in.close();
  text.replace(text.find("channels: 8"), 11, "channels: 3");
  text.replace(text.find("striping: permuted"), 18, "striping: linear");
  std::ofstream(dir_ / "own/media/znand.yaml") << text;
  const auto own = [&](const std::string& set) {
    Args args = with("vadd-znand-cxl", set);
    args.insert(args.begin(), {"--configs", "own"});
    return args;
  };
  refused(own("media.striping=permuted"),
          {"--set", "'media.striping'", "'znand'", "power of two of dies", "24", "linear"});
  accepted(own("media.striping=part"));
}

// ---- list and help -----------------------------------------------------------------------------

TEST_F(Cli, ListNamesEveryPart) {
  const std::string text = accepted({"list"}).out;
  for (const char* part :
       {"vadd", "bfs", "dram", "znand", "cxl", "naive", "dyn", "sr", "sr-paper", "ds", "rtl",
        "model", "cosim", "machines:", "h100-uvm", "paper", "scaled", "vortex"}) {
    EXPECT_NE(text.find(part), std::string::npos) << part;
  }
}

TEST_F(Cli, EveryListedPartMakesAScenario) {
  std::map<std::string, std::vector<std::string>> parts;
  for (const std::string& line : lines_of(accepted({"list"}).out)) {
    std::istringstream words(line);
    std::string name, word;
    words >> name;
    while (words >> word) parts[name].push_back(word);
  }
  ASSERT_GE(parts["workloads:"].size(), 2u);
  ASSERT_GE(parts["media:"].size(), 2u);
  ASSERT_GE(parts["configurations:"].size(), 4u);
  ASSERT_GE(parts["machines:"].size(), 3u);
  for (const std::string& machine : parts["machines:"]) {
    accepted({"run", "vadd-dram-sr", "--engine", "model", "--machine", machine, "--set",
              "workload.size=64"});
  }
  const auto runs = [this](const std::string& scenario) {
    const std::string size = scenario.starts_with("fft-") ? "10" : "64";  // a power of two there
    accepted({"run", scenario, "--engine", "model", "--set", "workload.size=" + size});
  };
  for (const std::string& workload : parts["workloads:"]) {
    const bool rings = workload == "kvget" || workload == "kvput";
    runs(workload + (rings ? "-dram-kv" : "-dram-cxl"));
  }
  const std::vector<std::string> host = {"the",       "host:", "io",    "kvload",
                                         "modelload", "copy",  "prefix"};
  ASSERT_EQ(parts["of"], host);
  for (const std::string& media : parts["media:"]) {
    for (const std::string& kind : parts["configurations:"]) {
      const std::string rest = "-" + media + "-" + kind;
      if (kind == "gds" || kind == "phoenix" || kind == "posix") runs("io" + rest);
      if (kind == "posix") continue;  // of programs of the host alone
      if (kind == "kv" || kind == "kv-block") {
        runs("kvget" + rest);
        runs("kvput" + rest);
        continue;
      }
      if (kind == "direct" || kind == "static" || kind == "mma") {
        if (media == "dram") {
          accepted({"run", "copy" + rest, "--set", "workload.copy_bytes=20MiB"});
        }
        continue;
      }
      runs(parts["workloads:"].front() + rest);
      runs(parts["workloads:"].back() + rest);
    }
  }
}

TEST_F(Cli, EveryListedKeyIsKnown) {
  for (const std::string& key : keys()) {
    const Args args = {"run", "vadd-dram-cxl", "--engine", "model", "--set", key + "=?"};
    refused(args, {key});
    EXPECT_EQ(run(args).err.find("not a known key"), std::string::npos) << run(args).err;
  }
}

TEST_F(Cli, Help) {
  for (const Args& args :
       {Args{"help"}, Args{"--help"}, Args{"run", "--help"}, Args{"flit", "--help"}}) {
    const std::string text = accepted(args).out;
    EXPECT_NE(text.find("Usage"), std::string::npos) << joined(args);
  }
  const std::string text = accepted({"run", "--help"}).out;
  for (const char* option :
       {"--engine", "--set", "--trace", "--seed", "--waves", "--flit-log", "--events", "--out"}) {
    EXPECT_NE(text.find(option), std::string::npos) << option;
  }
}

}  // namespace
}  // namespace cxlgpu
