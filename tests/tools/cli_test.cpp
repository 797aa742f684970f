// The cxlgpu command as a person meets it: exit status, messages, files.
//
// Bad input gives status 2 and one line that names file, line and key, and leaves nothing behind.
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>
#include <zlib.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include "flits/flit_log.hpp"

namespace cxlgpu {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;
using Args = std::vector<std::string>;

constexpr unsigned kTimeoutSeconds = 120;

std::string read_text(const fs::path& path) {
  std::ifstream in(path, std::ios::binary);
  std::stringstream text;
  text << in.rdbuf();
  return text.str();
}

std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> lines;
  std::istringstream in(text);
  for (std::string line; std::getline(in, line);) lines.push_back(line);
  return lines;
}

std::string joined(const Args& args) {
  std::string text = "cxlgpu";
  for (const std::string& arg : args) text += " " + arg;
  return text;
}

struct Result {
  int status = -1;  // 128 + signal for a crash, as a shell has it
  std::string out, err;
};

// A folder of its own for each test; the command runs in it.
class Cli : public ::testing::Test {
 protected:
  Cli() {
    std::string name = (fs::temp_directory_path() / "cxlgpu_cli_XXXXXX").string();
    if (mkdtemp(name.data()) == nullptr) throw std::runtime_error("no temporary folder");
    base_ = name;
    dir_ = base_ / "work";
    fs::create_directory(dir_);
  }
  ~Cli() override { fs::remove_all(base_); }

  fs::path write(const std::string& name, const std::string& text) {
    std::ofstream(dir_ / name, std::ios::binary) << text;
    return dir_ / name;
  }

  Result run(const Args& args, const std::string& input = "") {
    std::ofstream(base_ / "in", std::ios::binary) << input;
    std::vector<char*> argv = {const_cast<char*>(CXLGPU_BINARY)};
    for (const std::string& arg : args) argv.push_back(const_cast<char*>(arg.c_str()));
    argv.push_back(nullptr);
    const fs::path out = base_ / "out", err = base_ / "err", in = base_ / "in";
    const pid_t child = fork();
    if (child == 0) {
      const bool ready = chdir(dir_.c_str()) == 0 && freopen(in.c_str(), "r", stdin) != nullptr &&
                         freopen(out.c_str(), "w", stdout) != nullptr &&
                         freopen(err.c_str(), "w", stderr) != nullptr;
      alarm(kTimeoutSeconds);
      if (ready) execv(argv[0], argv.data());
      _exit(127);
    }
    int status = 0;
    waitpid(child, &status, 0);
    Result result;
    result.status = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
    result.out = read_text(out);
    result.err = read_text(err);
    return result;
  }

  Result accepted(const Args& args, const std::string& input = "") {
    const Result result = run(args, input);
    EXPECT_EQ(result.status, 0) << joined(args) << "\n" << result.err;
    EXPECT_EQ(result.err, "") << joined(args);
    return result;
  }

  // Status 2, one line on stderr that holds every one of `parts`, nothing on stdout, no file more.
  void refused(const Args& args, const std::vector<std::string>& parts) {
    const std::set<std::string> before = files();
    const Result result = run(args);
    EXPECT_EQ(result.status, 2) << joined(args) << "\n" << result.err;
    EXPECT_EQ(lines_of(result.err).size(), 1u) << joined(args) << "\n" << result.err;
    EXPECT_TRUE(result.err.ends_with("\n")) << joined(args) << "\n" << result.err;
    for (const std::string& part : parts) {
      EXPECT_NE(result.err.find(part), std::string::npos)
          << joined(args) << "\n  says:    " << result.err << "  without: " << part;
    }
    EXPECT_EQ(result.out, "") << joined(args);
    EXPECT_EQ(files(), before) << joined(args);
  }

  std::set<std::string> files() const {
    std::set<std::string> names;
    for (const auto& entry : fs::recursive_directory_iterator(dir_)) {
      names.insert(entry.path().string());
    }
    return names;
  }

  json stats(const std::string& out = "o") {
    return json::parse(read_text(dir_ / out / "stats.json"));
  }

  fs::path base_, dir_;
};

double value(const json& document, const char* path) {
  const json& figure = document.at(json::json_pointer(path));
  EXPECT_TRUE(figure.at("unit").is_string()) << path;
  return figure.at("value").get<double>();
}

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
  refused({"run", "vadd-dram-cxl", "--out", "o", "--set", "gpu.cores=65"},
          {"--set", "'gpu.cores'", "1..64"});
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
    {"NumberForABool", "root_port: {spec_length: 7}\n", 1, "'root_port.spec_length'"},
    {"UnknownPolicy", "root_port: {policy: magic}\n", 1, "'root_port.policy'"},
    {"NumberOutOfRange", "gpu:\n  cores: 65\n", 2, "'gpu.cores'"},
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
    {"TwoFaultsAtOnce", "link: {drop_spec_every: 4, bit_error_rate_m2s: 1e-5}\n", 1,
     "'link.drop_spec_every'"},
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

TEST_F(Cli, FileAndSetTakeEffect) {
  write("own.yaml",
        "media: {part: dram}\nworkload: {name: vadd, size: 1024}\nlink: {flight_ps: 50000}\n");
  accepted({"run", "own.yaml", "--engine", "model", "--out", "slow"});
  accepted(
      {"run", "own.yaml", "--engine", "model", "--out", "fast", "--set", "link.flight_ps=2000"});
  EXPECT_GT(value(stats("slow"), "/end_to_end"), value(stats("fast"), "/end_to_end"));
  EXPECT_EQ(stats("slow").at("scenario"), "own");
}

// ---- traces ------------------------------------------------------------------------------------

struct Access {
  bool is_write;
  std::uint64_t addr, cycle;
};

std::vector<Access> accesses() {
  std::vector<Access> list;
  for (std::uint64_t i = 0; i < 60; ++i) list.push_back({i % 3 == 0, (i * 7 % 40) * 1024, i * 50});
  return list;
}

std::string hex(std::uint64_t v) {
  std::ostringstream text;
  text << "0x" << std::hex << v;
  return text.str();
}

std::string csv_trace() {
  std::string text = "cycle,rw,addr,bytes,mask\n";
  for (const Access& a : accesses()) {
    text += std::to_string(a.cycle) + (a.is_write ? ",W," : ",R,") + hex(a.addr) + ",64\n";
  }
  return text;
}

void write_gzip(const fs::path& path, const std::string& text) {
  gzFile file = gzopen(path.c_str(), "wb");
  gzwrite(file, text.data(), static_cast<unsigned>(text.size()));
  gzclose(file);
}

TEST_F(Cli, BadTraces) {
  const auto refuse = [&](const std::string& name, const std::vector<std::string>& parts) {
    refused({"run", "vadd-dram-cxl", "--engine", "model", "--trace", name, "--out", "o"}, parts);
  };
  write("letter.csv", "cycle,rw,addr,bytes\n0,R,0x0,64\n1,Q,0x40,64\n");
  refuse("letter.csv", {"letter.csv:3:", "'Q'"});
  write("short.csv", "cycle,rw,addr,bytes\n0,R,0x0\n");
  refuse("short.csv", {"short.csv:2:"});
  write("number.csv", "cycle,rw,addr,bytes\n0,R,zero,64\n");
  refuse("number.csv", {"number.csv:2:", "'zero'"});
  write("mask.csv", "cycle,rw,addr,bytes,mask\n0,W,0x0,4,0xxyz\n");
  refuse("mask.csv", {"mask.csv:2:"});
  write("far.csv", "cycle,rw,addr,bytes\n0,R,0x20000000,64\n");
  refuse("far.csv", {"far.csv:2:", "0x20000000"});
  write("load.trace", "LD 0x0\nLOAD 0x40\n");
  refuse("load.trace", {"load.trace:2:"});
  write("three.trace", "0x0 READ 0\n0x40 FETCH 1\n");
  refuse("three.trace", {"three.trace:2:", "'FETCH'"});
  write("odd.txt", "what is this?\n");
  refuse("odd.txt", {"odd.txt:1:"});
  write("empty.csv", "");
  refuse("empty.csv", {"empty.csv"});
  write("head.csv", "cycle,rw,addr,bytes\n");
  refuse("head.csv", {"head.csv"});
}

TEST_F(Cli, CutGzipTrace) {
  std::string text = "cycle,rw,addr,bytes\n";
  for (unsigned i = 0; i < 5000; ++i)
    text += std::to_string(i) + ",R," + hex(i * 7919 % 4096 * 64) + ",64\n";
  write_gzip(dir_ / "whole.csv.gz", text);
  const std::string bytes = read_text(dir_ / "whole.csv.gz");
  write("cut.csv.gz", bytes.substr(0, bytes.size() / 2));
  refused({"run", "vadd-dram-cxl", "--engine", "model", "--trace", "cut.csv.gz", "--out", "o"},
          {"cut.csv.gz:", "cut"});
  std::string damaged = bytes;
  for (std::size_t i = 0; i < 16; ++i) damaged[damaged.size() / 2 + i] ^= 0x55;
  write("damaged.csv.gz", damaged);
  refused({"run", "vadd-dram-cxl", "--engine", "model", "--trace", "damaged.csv.gz", "--out", "o"},
          {"damaged.csv.gz:"});
}

class CliEngine : public Cli, public ::testing::WithParamInterface<const char*> {};
INSTANTIATE_TEST_SUITE_P(Engines, CliEngine, ::testing::Values("model", "rtl", "cosim"),
                         [](const auto& info) { return std::string(info.param); });

// On a clean link the model is exact to the cycle at every stage of every request.
TEST_F(Cli, CosimAgreesToTheCycle) {
  for (const std::string scenario : {"vadd-znand-sr", "vadd-znand-dyn", "vadd-znand-naive",
                                     "vadd-dram-cxl", "bfs-znand-sr", "bfs-dram-cxl"}) {
    SCOPED_TRACE(scenario);
    const std::string size = scenario[0] == 'b' ? "2048" : "16384";
    accepted(
        {"run", scenario, "--engine", "cosim", "--set", "workload.size=" + size, "--out", "o"});
    const json s = stats("o");
    EXPECT_GT(value(s, "/cosim/compared"), 500);
    EXPECT_EQ(value(s, "/cosim/time_differences"), 0);
    EXPECT_EQ(value(s, "/cosim/path_mismatches"), 0);
    EXPECT_EQ(value(s, "/cosim/data_mismatches"), 0);
  }
}

TEST_P(CliEngine, ThreeTraceFormatsSayTheSame) {
  std::string ramulator, dramsim;
  for (const Access& a : accesses()) {
    ramulator += (a.is_write ? "ST " : "LD ") + hex(a.addr) + "\n";
    dramsim += hex(a.addr) + (a.is_write ? " WRITE " : " READ ") + std::to_string(a.cycle) + "\n";
  }
  write("t.csv", csv_trace());
  write_gzip(dir_ / "t.csv.gz", csv_trace());
  write("t.ram", ramulator);
  write("t.ds3", dramsim);
  double csv_end = 0;
  for (const std::string name : {"t.csv", "t.csv.gz", "t.ds3", "t.ram"}) {
    SCOPED_TRACE(name);
    accepted(
        {"run", "vadd-znand-sr", "--engine", GetParam(), "--trace", name, "--out", name + ".o"});
    const json s = stats(name + ".o");
    EXPECT_EQ(s.at("status"), "clean");
    EXPECT_EQ(value(s, "/checks/reads_checked"), 40);
    EXPECT_EQ(value(s, "/checks/writes_sent"), 20);
    EXPECT_EQ(value(s, "/loads/count"), 40);
    EXPECT_EQ(value(s, "/stores/count"), 20);
    const double end = value(s, "/end_to_end");
    if (csv_end == 0) csv_end = end;
    if (name == "t.ram") {
      EXPECT_LT(end, csv_end);  // no times: as fast as it goes
    } else {
      EXPECT_EQ(end, csv_end);
      EXPECT_GE(end, 59 * 50);  // not before its cycle
    }
    if (GetParam() == std::string("cosim")) {
      EXPECT_EQ(value(s, "/cosim/path_mismatches"), 0);
      EXPECT_EQ(value(s, "/cosim/data_mismatches"), 0);
      EXPECT_EQ(value(s, "/cosim/time_differences"), 0);
    } else {
      EXPECT_TRUE(s.at("cosim").is_null());
    }
  }
}

TEST_P(CliEngine, PartialWritesOfATrace) {
  write("p.csv",
        "cycle,rw,addr,bytes,mask\n0,W,0x0,64\n1,W,0x0,8,0x00ff000000000000\n2,W,0x40,4,0x5500\n"
        "3,R,0x0,64\n4,R,0x40,64\n5,W,0x7c,8\n9,R,0x40,128\n");
  accepted({"run", "vadd-dram-cxl", "--engine", GetParam(), "--trace", "p.csv", "--out", "o"});
  EXPECT_EQ(value(stats(), "/checks/reads_checked"), 4);
  EXPECT_EQ(value(stats(), "/checks/writes_sent"), 5);
}

TEST_F(Cli, TraceCanBeCut) {
  write("t.csv", csv_trace());
  accepted({"run", "vadd-dram-cxl", "--engine", "model", "--trace", "t.csv", "--out", "o", "--set",
            "trace.max_requests=7"});
  EXPECT_EQ(value(stats(), "/checks/reads_checked") + value(stats(), "/checks/writes_sent"), 7);
}

// ---- results -----------------------------------------------------------------------------------

// Every number of stats.json is the value of a figure with a unit, or names something.
void expect_units(const json& node, const std::string& path) {
  static const std::set<std::string> kNames = {"schema", "seed", "policy", "port", "tag"};
  if (node.is_object() && node.contains("value")) {
    EXPECT_TRUE(node.at("value").is_number()) << path;
    EXPECT_TRUE(node.contains("unit") && node.at("unit").is_string() && node.at("unit") != "")
        << path;
    return;
  }
  if (node.is_object()) {
    for (const auto& [key, child] : node.items()) {
      if (path.empty() && key == "load_control") continue;  // points of a curve
      if (child.is_number() && kNames.contains(key)) continue;
      expect_units(child, path + "/" + key);
    }
  } else if (node.is_array()) {
    for (std::size_t i = 0; i < node.size(); ++i)
      expect_units(node[i], path + "/" + std::to_string(i));
  } else {
    EXPECT_FALSE(node.is_number()) << path << " has no unit";
  }
}

void expect_stages_add_up(const json& latency) {
  double sum = 0;
  for (const json& stage : latency.at("stages")) sum += stage.at("mean").at("value").get<double>();
  EXPECT_NEAR(sum, latency.at("mean").at("value").get<double>(),
              0.002);  // ns; the mean is whole ps
}

TEST_P(CliEngine, RunLeavesStatsAndReport) {
  const Result result = accepted({"run", "vadd-znand-sr", "--engine", GetParam(), "--set",
                                  "workload.size=4096", "--out", "deep/er/o"});
  EXPECT_NE(result.out.find("clean"), std::string::npos);
  const fs::path out = dir_ / "deep/er/o";
  EXPECT_EQ(std::distance(fs::directory_iterator(out), fs::directory_iterator()), 2);
  const json s = stats("deep/er/o");
  EXPECT_EQ(s.at("schema"), 1);
  EXPECT_EQ(s.at("scenario"), "vadd-znand-sr");
  EXPECT_EQ(s.at("engine"), GetParam());
  EXPECT_EQ(s.at("status"), "clean");
  EXPECT_TRUE(s.at("checks").at("problems").empty());
  EXPECT_EQ(value(s, "/checks/mismatches"), 0);
  EXPECT_GT(value(s, "/checks/reads_checked"), 0);
  EXPECT_EQ(value(s, "/loads/count"), value(s, "/checks/reads_checked"));
  EXPECT_EQ(value(s, "/stores/count"), value(s, "/checks/writes_sent"));
  EXPECT_LE(value(s, "/loads/p50"), value(s, "/loads/p99"));
  EXPECT_LE(value(s, "/loads/p99"), value(s, "/loads/max"));
  EXPECT_GT(value(s, "/memspecrd/sent"), 0);
  EXPECT_GT(value(s, "/flits/m2s/all"), 0);

  expect_stages_add_up(s.at("loads"));
  expect_stages_add_up(s.at("stores"));
  double of_kinds = 0;
  for (const json& kind : s.at("kinds")) {
    expect_stages_add_up(kind);
    of_kinds += value(kind, "/count");
  }
  EXPECT_EQ(of_kinds, value(s, "/loads/count") + value(s, "/stores/count"));
  for (const json& slow : s.at("slowest_loads")) {
    const json& stages = slow.at("stages");
    const double first = value(stages.front(), "/at"), last = value(stages.back(), "/at");
    EXPECT_NEAR(last - first, value(slow, "/latency"), 0.002);
  }

  const std::string page = read_text(out / "report.html");
  EXPECT_EQ(page.find("http://"), std::string::npos);
  EXPECT_EQ(page.find("https://"), std::string::npos);
  for (const char* loads : {" src=", " href=", "@import", "url("}) {
    EXPECT_EQ(page.find(loads), std::string::npos) << loads;
  }
  const std::string open = "<script id=\"stats\" type=\"application/json\">";
  const std::size_t begin = page.find(open);
  ASSERT_NE(begin, std::string::npos);
  const std::size_t end = page.find("</script>", begin);
  EXPECT_EQ(json::parse(page.substr(begin + open.size(), end - begin - open.size())), s);
}

TEST_P(CliEngine, EveryFigureHasItsUnit) {
  accepted({"run", "vadd-znand-sr", "--engine", GetParam(), "--set", "workload.size=1024", "--out",
            "o"});
  expect_units(stats(), "");
}

TEST_P(CliEngine, SameCommandGivesTheSameFigures) {
  const Args run = {"run",   "bfs-znand-sr",      "--engine", GetParam(),
                    "--set", "workload.size=512", "--seed",   "5",
                    "--out"};
  Args first = run, second = run;
  first.push_back("a");
  second.push_back("b");
  accepted(first);
  accepted(second);
  json a = stats("a"), b = stats("b");
  EXPECT_EQ(a.at("seed"), 5);
  a.erase("wall");
  b.erase("wall");
  EXPECT_EQ(a, b);
}

TEST_P(CliEngine, RunThatDoesNotEndIsAFailure) {
  const Args args = {"run", "vadd-znand-cxl", "--engine",      GetParam(), "--out",
                     "o",   "--set",          "run.limit_us=5"};
  const Result result = run(args);
  EXPECT_EQ(result.status, 1) << result.err;
  EXPECT_NE(result.err.find("replay: "), std::string::npos) << result.err;
  EXPECT_NE(result.err.find("vadd-znand-cxl"), std::string::npos) << result.err;
  EXPECT_EQ(stats().at("status"), "WRONG");
  EXPECT_FALSE(stats().at("checks").at("problems").empty());
}

TEST_F(Cli, SpeculationIsFaster) {
  for (const std::string engine : {"model", "rtl"}) {
    for (const std::string kind : {"cxl", "sr"}) {
      accepted({"run", "vadd-znand-" + kind, "--engine", engine, "--set", "workload.size=32768",
                "--out", engine + kind});
    }
    EXPECT_LT(value(stats(engine + "sr"), "/end_to_end"),
              value(stats(engine + "cxl"), "/end_to_end"));
    EXPECT_EQ(value(stats(engine + "cxl"), "/memspecrd/sent"), 0);
  }
}

// ---- list and help -----------------------------------------------------------------------------

TEST_F(Cli, ListNamesEveryPart) {
  const std::string text = accepted({"list"}).out;
  for (const char* part :
       {"vadd", "bfs", "dram", "znand", "cxl", "naive", "dyn", "sr", "rtl", "model", "cosim"}) {
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
  for (const std::string& workload : parts["workloads:"]) {
    for (const std::string& media : parts["media:"]) {
      for (const std::string& kind : parts["configurations:"]) {
        accepted({"run", workload + "-" + media + "-" + kind, "--engine", "model", "--set",
                  "workload.size=256"});
      }
    }
  }
}

TEST_F(Cli, EveryListedKeyIsKnown) {
  const std::vector<std::string> keys = lines_of(accepted({"list", "--keys"}).out);
  EXPECT_GT(keys.size(), 40u);
  EXPECT_EQ(std::set<std::string>(keys.begin(), keys.end()).size(), keys.size());
  for (const std::string& key : keys) {
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
       {"--engine", "--set", "--trace", "--seed", "--waves", "--flit-log", "--out"}) {
    EXPECT_NE(text.find(option), std::string::npos) << option;
  }
}

// ---- flits -------------------------------------------------------------------------------------

class CliFlit : public Cli {
 protected:
  // The log of a short run, one string a line.
  std::vector<std::string> make_log() {
    accepted({"run", "vadd-znand-sr", "--engine", "rtl", "--set", "workload.size=1024", "--out",
              "o", "--flit-log", "f.log"});
    return lines_of(read_text(dir_ / "f.log"));
  }
  void write_lines(const std::string& name, const std::vector<std::string>& lines) {
    std::string text;
    for (const std::string& line : lines) text += line + "\n";
    write(name, text);
  }
  // Index of the first request of the log that asks for an answer.
  std::size_t first_request(const std::vector<std::string>& log) {
    const std::vector<std::string> decoded = lines_of(accepted({"flit", "decode", "f.log"}).out);
    EXPECT_EQ(decoded.size(), log.size());
    for (std::size_t i = 0; i < decoded.size(); ++i) {
      if (decoded[i].find("M2S Req MemRd ") != std::string::npos) return i;
    }
    ADD_FAILURE() << "no read in the log";
    return 0;
  }
};

// `said` holds all of `expected`, which leaves out what is zero.
void expect_says(const json& said, const json& expected) {
  if (expected.is_object()) {
    for (const auto& [key, child] : expected.items()) {
      ASSERT_TRUE(said.contains(key)) << key << " is missing in " << said;
      expect_says(said.at(key), child);
    }
  } else if (expected.is_array()) {
    ASSERT_EQ(said.size(), expected.size()) << said;
    for (std::size_t i = 0; i < expected.size(); ++i) expect_says(said[i], expected[i]);
  } else {
    EXPECT_EQ(said, expected);
  }
}

TEST_F(CliFlit, KnownVectorsThereAndBack) {
  const json vectors =
      json::parse(read_text(fs::path(CXLGPU_SOURCE_DIR) / "flits/vectors/flits.json"))
          .at("vectors");
  unsigned seen = 0;
  for (const json& vector : vectors) {
    if (vector.at("content").at("kind") == "all-data") continue;  // known only by the flit before
    SCOPED_TRACE(vector.at("name").get<std::string>());
    ++seen;
    const std::string hex_text = vector.at("flit");
    const std::string direction = vector.at("content").at("direction");
    write("v.hex", hex_text + "\n");
    const std::string decoded =
        accepted({"flit", "decode", "--json", "--direction", direction, "v.hex"}).out;
    expect_says(json::parse(decoded), vector.at("content"));
    write("v.json", decoded);
    EXPECT_EQ(accepted({"flit", "encode", "v.json"}).out, hex_text + "\n");
    EXPECT_EQ(accepted({"flit", "encode"}, decoded).out, hex_text + "\n");
  }
  EXPECT_GE(seen, 10u);
}

TEST_F(CliFlit, DecodeSaysWhatIsInIt) {
  const std::string idle = "555501000000010000" + std::string(114, '0') + "41c3";  // RETRY.Idle
  EXPECT_EQ(accepted({"flit", "decode"}, idle + "\n").out, "M2S RETRY.Idle\n");
  EXPECT_EQ(accepted({"flit", "decode", "--direction", "S2M"}, idle + "\n").out,
            "S2M RETRY.Idle\n");
  // A flit that did not arrive whole is shown as such, not taken for what it was.
  const std::string damaged = idle.substr(0, 40) + "8" + idle.substr(41);
  EXPECT_NE(accepted({"flit", "decode"}, damaged + "\n").out.find("CRC"), std::string::npos);
}

TEST_F(CliFlit, BadInput) {
  write("odd.hex", "5555zz\n");
  refused({"flit", "decode", "odd.hex"}, {"odd.hex:1:"});
  refused({"flit", "check", "odd.hex"}, {"odd.hex:1:"});
  write("odd.json", "{\"direction\": \"M2S\"\n");
  refused({"flit", "encode", "odd.json"}, {"odd.json:1:"});
  write("kind.json", "{\"direction\":\"M2S\",\"protocol\":\"CXL.cachemem\",\"kind\":\"odd\"}\n");
  refused({"flit", "encode", "kind.json"}, {"kind.json:1:", "kind"});
  refused({"flit", "decode", "--direction", "up", "odd.hex"}, {"--direction", "up"});
}

TEST_F(CliFlit, LogOfARunIsWithoutViolation) {
  const std::vector<std::string> log = make_log();
  ASSERT_GT(log.size(), 100u);
  const Result result = accepted({"flit", "check", "f.log"});
  EXPECT_NE(result.out.find(std::to_string(log.size()) + " flits on 2 links, 0 violations"),
            std::string::npos)
      << result.out;
  EXPECT_EQ(value(stats(), "/flits/m2s/all") + value(stats(), "/flits/s2m/all"), log.size());
  EXPECT_FALSE(fs::exists(dir_ / "f.log.tmp"));
}

TEST_F(CliFlit, LogThroughJsonAndBackIsTheSame) {
  const std::vector<std::string> log = make_log();
  write("f.json", accepted({"flit", "decode", "--json", "f.log"}).out);
  const std::vector<std::string> back = lines_of(accepted({"flit", "encode", "f.json"}).out);
  ASSERT_EQ(back.size(), log.size());
  for (std::size_t i = 0; i < log.size(); ++i) {
    EXPECT_TRUE(log[i].ends_with(" " + back[i])) << "line " << i + 1;
  }
}

TEST_F(CliFlit, GzipLogIsTheSame) {
  make_log();
  accepted({"run", "vadd-znand-sr", "--engine", "rtl", "--set", "workload.size=1024", "--flit-log",
            "g.log.gz"});
  EXPECT_EQ(read_text(dir_ / "g.log.gz").substr(0, 2), "\x1f\x8b");
  EXPECT_EQ(accepted({"flit", "decode", "g.log.gz"}).out,
            accepted({"flit", "decode", "f.log"}).out);
  EXPECT_EQ(accepted({"flit", "check", "g.log.gz"}).out, accepted({"flit", "check", "f.log"}).out);
  const std::string bytes = read_text(dir_ / "g.log.gz");
  write("cut.log.gz", bytes.substr(0, bytes.size() / 2));
  const Result cut = run({"flit", "check", "cut.log.gz"});
  EXPECT_EQ(cut.status, 2);
  EXPECT_EQ(cut.err.find("cut.log.gz:"), 0u) << cut.err;
}

TEST_F(CliFlit, LogOnStandardInput) {
  make_log();
  const std::string text = read_text(dir_ / "f.log");
  EXPECT_EQ(accepted({"flit", "check"}, text).out, accepted({"flit", "check", "f.log"}).out);
  // decode has to see the first line to know what it has; a pipe has no way back.
  const Result decode = run({"flit", "decode"}, text);
  EXPECT_EQ(decode.status, 2);
  EXPECT_EQ(lines_of(decode.err).size(), 1u) << decode.err;
  EXPECT_NE(decode.err.find("standard input:1:"), std::string::npos) << decode.err;
  EXPECT_NE(decode.err.find("file name"), std::string::npos) << decode.err;
}

TEST_F(CliFlit, LostFlitIsAViolation) {
  std::vector<std::string> log = make_log();
  log.erase(log.begin() + static_cast<std::ptrdiff_t>(first_request(log)));
  write_lines("lost.log", log);
  const Result result = run({"flit", "check", "lost.log"});
  EXPECT_EQ(result.status, 1);
  EXPECT_EQ(result.out.find(" 0 violations"), std::string::npos) << result.out;
}

TEST_F(CliFlit, DamagedFlitThatNobodyRetriesIsAViolation) {
  std::vector<std::string> log = make_log();
  std::string& line = log[first_request(log)];
  char& digit = line[line.size() - 60];
  digit = digit == '0' ? '8' : '0';
  write_lines("damaged.log", log);
  const Result result = run({"flit", "check", "damaged.log"});
  EXPECT_EQ(result.status, 1);
  EXPECT_EQ(result.out.find(" 0 violations"), std::string::npos) << result.out;
}

TEST_F(CliFlit, RepeatedFlitIsAViolation) {
  const std::vector<std::string> log = make_log();
  const auto at = log.begin() + static_cast<std::ptrdiff_t>(first_request(log));
  std::vector<std::string> twice = log;
  twice.insert(twice.begin() + (at - log.begin()), *at);
  write_lines("twice.log", twice);
  EXPECT_EQ(run({"flit", "check", "twice.log"}).status, 1);
}

TEST_F(CliFlit, LogOfANoisyLinkIsWithoutViolation) {
  accepted({"run", "vadd-znand-sr", "--engine", "rtl", "--set", "workload.size=2048", "--set",
            "link.bit_error_rate_m2s=1e-4", "--set", "link.bit_error_rate_s2m=1e-4", "--out", "o",
            "--flit-log", "n.log"});
  EXPECT_GT(value(stats(), "/flits/m2s/damaged") + value(stats(), "/flits/s2m/damaged"), 0);
  EXPECT_GT(value(stats(), "/flits/m2s/retry"), 0);
  EXPECT_NE(accepted({"flit", "check", "n.log"}).out.find(" 0 violations"), std::string::npos);
}

// ---- waves -------------------------------------------------------------------------------------

TEST_F(Cli, WavesWriteAnFst) {
  const Args run = {"run", "vadd-znand-sr", "--engine", "rtl", "--set", "workload.size=512"};
  Args part = run, whole = run;
  part.insert(part.end(), {"--waves", "part.fst", "--waves-to-us", "1"});
  whole.insert(whole.end(), {"--waves", "whole.fst"});
  accepted(part);
  accepted(whole);
  for (const char* name : {"part.fst", "whole.fst"}) {
    const std::string fst = read_text(dir_ / name);
    ASSERT_GT(fst.size(), 400u) << name;
    // A header block of 329 bytes comes first.
    EXPECT_EQ(fst.substr(0, 9), std::string("\0\0\0\0\0\0\0\x01\x49", 9)) << name;
  }
  EXPECT_LT(fs::file_size(dir_ / "part.fst"), fs::file_size(dir_ / "whole.fst"));
}

TEST_F(Cli, WavesComeWithAGtkwaveSaveFile) {
  accepted({"run", "vadd-znand-sr", "--engine", "rtl", "--set", "workload.size=512", "--waves",
            "w.fst", "--waves-to-us", "1"});
  ASSERT_TRUE(fs::exists(dir_ / "w.gtkw"));
  EXPECT_NE(read_text(dir_ / "w.gtkw").find("w.fst"), std::string::npos);
}

// ---- pages
// ---------------------------------------------------------------------------------------

// docs/idle-load.json is what the RTL does today, drawn by tools/timing_diagram.py.
TEST_F(Cli, IdleLoadDiagramIsCurrent) {
  const fs::path source = CXLGPU_SOURCE_DIR;
  const fs::path trace = write("one.csv", "0,R,0x0,64\n");
  accepted({"run", "vadd-dram-cxl", "--engine", "rtl", "--trace", trace.string(), "--out", "o"});
  const std::string script = (source / "tools" / "timing_diagram.py").string();
  const std::string drawn = (dir_ / "drawn.json").string();
  const std::string command =
      "python3 " + script + " " + (dir_ / "o" / "stats.json").string() + " > " + drawn;
  ASSERT_EQ(std::system(command.c_str()), 0) << command;
  EXPECT_EQ(read_text(drawn), read_text(source / "docs" / "idle-load.json"));
}

}  // namespace
}  // namespace cxlgpu
