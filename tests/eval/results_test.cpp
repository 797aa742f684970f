// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
// The matrix of runs behind docs/results, and what is made of them.
#include <sys/wait.h>

#include "tests/cli/cli.hpp"

namespace cxlgpu {
namespace {

const fs::path kSource = CXLGPU_SOURCE_DIR;

// A matrix of two machines, small enough to count by hand.
const std::string kMatrix = R"(
classes: {load intensive: [vadd, path], store intensive: [bfs]}
machines:
  scaled:
    settings: [run.limit_us=9]
    sizes: {vadd: 64}
    configurations: {dram: [gpu-dram, cxl], znand: [gpu-dram, cxl, sr]}
    repeats: {settings: [], seeds: [1, 2]}
  paper:
    settings: [system.machine=paper, gpu.warps=1]
    sizes: {}
    of_configuration: {sr: [root_port.spec_64b=true]}
    configurations: {dram: [gpu-dram, cxl], znand: [gpu-dram, cxl, sr]}
    repeats: {settings: [], seeds: [1, 2], sizes: {}}
    ranges: {dram: [], flash: [[gpu.warps=4], [endpoint.line_bytes=64]]}
    range_configurations: {dram: [], flash: [gpu-dram, cxl, sr]}
experiments:
  one:
    workloads: [vadd]
    configurations: [cxl, sr]
    cumulative: true
    show: [sr over cxl, cxl times sr, hits sr]
    rows:
      - {is: first, set: [gpu.warps=2]}
      - {is: second, set: [granularity=512], for: {sr: [root_port.ring_entries=16]}}
)";

class Results : public Cli {
 protected:
  Results() { write("matrix.yaml", kMatrix); }
  // What a Python program prints that imports from eval/results/.
  std::string python(const std::string& program, int status = 0) {
    const fs::path script = write("program.py", program);
    const std::string folders =
        (kSource / "eval").string() + ":" + (kSource / "eval/results").string();
    const fs::path out = base_ / "said", err = base_ / "lines";
    const std::string whole = "cd '" + dir_.string() + "' && PYTHONPATH='" + folders +
                              "' python3 '" + script.string() + "' > '" + out.string() + "' 2> '" +
                              err.string() + "'";
    const int done = std::system(whole.c_str());
    said_ = read_text(err);
    EXPECT_TRUE(WIFEXITED(done) && WEXITSTATUS(done) == status) << program << "\n" << said_;
    return read_text(out);
  }
  // A run that took this long, with hits of a hundred accesses.
  void left(const std::string& path, double us, double hits = 50,
            const std::string& status = "clean") {
    const auto figure = [](double value) { return json{{"value", value}, {"unit", "x"}}; };
    const json port = {{"demand_hits", figure(hits)},
                       {"demand_merges", figure(0)},
                       {"demand_fills", figure(100 - hits)}};
    const json of_stores = {
        {"direct", figure(hits)}, {"deferred", figure(20)}, {"in_place", figure(5)}};
    const json stats = {{"schema", 2},
                        {"status", status},
                        {"end_to_end", figure(us * 1e3)},
                        {"deterministic_store", json::array({of_stores, of_stores})},
                        {"stores", {{"count", figure(200)}}},
                        {"internal_dram_counters", json::array({port})}};
    fs::create_directories(dir_ / path);
    write(path + "/stats.json", stats.dump());
  }
  const std::string load_ = "import points\nm = points.load('matrix.yaml')\n";
  const std::string runs_ = load_ +
                            "from runs_of import *\nfrom rows import *\n"
                            "r = Runs(Folder('.', True), m, 'paper')\n";
  std::string said_;
};

// The folder of a run says its options, and no name in it is longer than a file system takes.
TEST_F(Results, AFolderSaysItsOptions) {
  EXPECT_EQ(python("import points\n"
                   "print(points.options(points.point_name([])))\n"
                   "print(points.options(points.point_name(['a=1', 'seed=3', 'b.c=2'])))\n"
                   "print(points.options(points.point_name(['granularity=512'])))\n"
                   "print(points.point_name([f'key{i}=1' for i in range(9)]))\n"
                   "print(points.options(points.point_name([f'k{i}=1' for i in range(5)])))\n"),
            "\n"
            "--set a=1 --seed 3 --set b.c=2\n"
            "--set 'hdm.ranges=[{base: 0x100000000, size: 512MiB, ports: [0, 1], granularity: "
            "512}]'\n"
            "key0=1+key1=1+key2=1+key3=1/key4=1+key5=1+key6=1+key7=1/key8=1\n"
            "--set k0=1 --set k1=1 --set k2=1 --set k3=1 --set k4=1\n");
  EXPECT_EQ(python("import points\n"
                   "print(max(len(name) for run in points.all_runs(points.load()) for name in "
                   "run.split('/')) < 256)\n"),
            "True\n");
}

TEST_F(Results, AMachineHasItsSettings) {
  EXPECT_EQ(
      python(load_ + "for name in m['machines']:\n"
                     "  one = points.Machine(m, name)\n"
                     "  print(one.main('vadd', 'sr'), one.main('path', 'cxl', ['gpu.warps=4']))\n"
                     "  print(one.repeats('vadd', 'cxl'))\n"
                     "  print(len(set(one.runs())))\n"),
      "['run.limit_us=9', 'workload.size=64'] ['run.limit_us=9', 'gpu.warps=4']\n"
      "[[], ['seed=2'], ['run.limit_us=9', 'workload.size=64']]\n"
      "15\n"
      "['system.machine=paper', 'gpu.warps=1', 'root_port.spec_64b=true'] "
      "['system.machine=paper', 'gpu.warps=4']\n"
      "[['system.machine=paper', 'gpu.warps=1'], ['system.machine=paper', 'gpu.warps=1', "
      "'seed=2']]\n"
      "33\n");
  EXPECT_EQ(python(load_ + "for one in points.experiments(m):\n"
                           "  for row in one.rows: print(one.path('vadd', 'sr', row))\n"),
            "model/vadd-znand-sr/system.machine=paper+gpu.warps=2+root_port.spec_64b=true\n"
            "model/vadd-znand-sr/system.machine=paper+gpu.warps=2+root_port.spec_64b=true+"
            "granularity=512/root_port.ring_entries=16\n");
  python(load_ + "points.Machine(m, 'toaster')\n", 1);
  EXPECT_NE(said_.find("machines has no toaster"), std::string::npos) << said_;
}

// The line through a mark is over the machine's ranges; without a run there is no figure.
TEST_F(Results, RangesAndFactors) {
  const std::string at = "/system.machine=paper+gpu.warps=";
  left("model/vadd-znand-cxl" + at + "1", 90);
  left("model/vadd-znand-sr" + at + "1+root_port.spec_64b=true", 10, 99);
  left("model/vadd-znand-cxl" + at + "4", 30);
  left("model/vadd-znand-sr" + at + "4+root_port.spec_64b=true", 10);
  const std::string gain = "gain = lambda one: one.speed_up('vadd', 'znand', 'sr', 'cxl')\n";
  EXPECT_EQ(python(runs_ + gain +
                   "print(gain(r), r.range('znand', gain), r.range('dram', gain))\n"
                   "print(r.hit_rate('vadd', 'znand', 'sr'), r.hit_rate('path', 'znand', 'sr'))\n"
                   "print(shown('x', gain(r)), shown('percent', 1.5), shown('x', NOT_RUN))\n"
                   "row = Row('9b', 'it', 15.6, 'x', 'znand', gain)\n"
                   "print(round(row.away(gain(r)), 2), round(row.away(31.2), 2))\n"
                   "print(round(Row('9b', 'it', 50, 'percent', 'znand', gain).away(1.0), 2))\n"),
            "9.0 (3.0, 9.0) None\n"
            "99.0 nan\n"
            "9.00x +50.0 % not run\n"
            "1.73 2.0\n"
            "1.5\n");
  // A run that must be there, and one that is not clean.
  python(
      load_ + "from runs_of import *\nRuns(Folder('.'), m, 'paper').time('path', 'znand', 'sr')\n",
      1);
  EXPECT_NE(said_.find("no such run; `make results` makes it"), std::string::npos) << said_;
  left("model/path-znand-cxl" + at + "1", 1, 0, "failed");
  python(runs_ + "r.time('path', 'znand', 'cxl')\n", 1);
  EXPECT_NE(said_.find("the run is failed"), std::string::npos) << said_;
}

// A row that is far away must name the experiment that shows its cause; each row has a cause.
TEST_F(Results, EachRowHasACauseAndAFarOneItsExperiment) {
  EXPECT_EQ(
      python("import yaml, pathlib, points, report\nfrom rows import all_rows\n"
             "here = pathlib.Path(report.HERE)\n"
             "paper = yaml.safe_load((here / 'paper.yaml').read_text())\n"
             "rows = all_rows(points.load(), paper)\n"
             "print(all(report.cause(paper['why'], row.name()) for row in rows))\n"
             "names = [row.name() for row in rows]\n"
             "print([why for why in paper['why'] if not any(n.startswith(why) for n in names)])\n"),
      "True\n[]\n");
  // Where a cause links to, there is a heading.
  EXPECT_EQ(
      python("import re, yaml, pathlib, report\n"
             "here = pathlib.Path(report.HERE)\n"
             "page = (here.parents[1] / 'docs/results/paper.md').read_text()\n"
             "heads = {re.sub('[^a-z0-9 -]', '', line.lstrip('# ').lower()).replace(' ', '-')\n"
             "         for line in page.splitlines() if line.startswith('#')}\n"
             "why = (here / 'paper.yaml').read_text()\n"
             "print([a for a in re.findall(r'paper.md#([a-z0-9-]+)', why) if a not in heads])\n"),
      "[]\n");
  const std::string program =
      "import report\nfrom rows import Row\n"
      "report.all_rows = lambda matrix, paper: [Row('9b', 'it', 7.4, 'x', 'znand', lambda one: "
      "3)]\n"
      "class One: matrix = None; range = lambda self, media, value: (2, 4)\n"
      "why = lambda text: {'why': {'9b it': text}}\n";
  EXPECT_NE(
      python(program + "print(report.theirs_and_ours(One(), One(), "
                       "why('[shown](x.md)')))\n")
          .find("| 9b | it | 7.4x | 3.00x (2.00x to 4.00x) | 3.00x | [shown](x.md) (x 2.5) |"),
      std::string::npos);
  python(program + "report.theirs_and_ours(One(), One(), why('as it is'))\n", 1);
  EXPECT_NE(said_.find("'9b it' is 2.47 away"), std::string::npos) << said_;
}

TEST_F(Results, ATableOfAnExperiment) {
  const std::string first = "/system.machine=paper+gpu.warps=2";
  left("model/vadd-znand-cxl" + first, 40);
  left("model/vadd-znand-sr" + first + "+root_port.spec_64b=true", 10, 75);
  const std::string table =
      "import report\none = points.experiments(m)[0]\n"
      "print(report.experiment(one, Folder('.', True)))\n";
  python(runs_ + table, 1);
  EXPECT_NE(said_.find("MissingRun"), std::string::npos) << said_;
  left("model/vadd-znand-cxl" + first + "+granularity=512", 30);
  left("model/vadd-znand-sr" + first +
           "+root_port.spec_64b=true+granularity=512/root_port.ring_entries=16",
       60, 10);
  const std::string text = python(runs_ + table);
  EXPECT_NE(text.find("| first | `gpu.warps=2` | 4.00 / 4.00 / 75 |"), std::string::npos) << text;
  EXPECT_NE(
      text.find("| second | `granularity=512` `root_port.ring_entries=16` | 0.50 / 0.50 / 10 |"),
      std::string::npos)
      << text;
}

// A cell over several starts: ratios of the same start, each run less what its GPU waited, and a
// run against itself.
TEST_F(Results, StartsOfAnExperiment) {
  write("matrix.yaml", kMatrix + R"(
  late:
    machine: scaled
    bare: true
    starts: 3
    media: nand
    workloads: [vadd]
    sizes: {}
    configurations: [sr, ds]
    show: [ds times sr, ds over sr, ds after sr, error ds after sr, starts sr, hits ds, here ds]
    rows: [{set: []}]
)");
  const std::string of = "/run.limit_us=1000000000";
  // Cycles are of 1 ns: 1 and 2 of them at so short times would be seen. 1/2, 4/4 and 8/2.
  left("model/vadd-nand-sr" + of, 0.002);
  left("model/vadd-nand-ds" + of, 0.001, 10);
  left("model/vadd-nand-sr" + of + "+gpu.start_cycles=1", 0.005);
  left("model/vadd-nand-ds" + of + "+gpu.start_cycles=1", 0.005, 20);
  left("model/vadd-nand-sr" + of + "+gpu.start_cycles=2", 0.004);
  const std::string table =
      "import report\none = points.experiments(m)[1]\n"
      "print(len(one.runs()), len(set(one.runs())))\n"
      "print(report.experiment(one, Folder('.', True)))\n";
  python(runs_ + table, 1);
  EXPECT_NE(said_.find("MissingRun"), std::string::npos) << said_;
  EXPECT_NE(said_.find("vadd-nand-ds" + of + "+gpu.start_cycles=2"), std::string::npos) << said_;
  left("model/vadd-nand-ds" + of + "+gpu.start_cycles=2", 0.010, 60);
  const std::string text = python(runs_ + table);
  EXPECT_EQ(lines_of(text).front(), "6 6");
  EXPECT_NE(text.find("| - | 1.26 / 0.79 / +26.0 % / ± 61.1 / 2.00 / 30 / 55 |"), std::string::npos)
      << text;
}

TEST_F(Results, TheColumnOfPlainCxl) {
  write("p.csv", "# of a commit\nworkload,size,us\nvadd,64,12.5\nvadd,reduced,3\n");
  EXPECT_EQ(python("from runs_of import plain_cxl\nprint(plain_cxl('p.csv'))\n"),
            "{('vadd', 64): 12.5, ('vadd', 0): 3.0}\n");
  const std::pair<const char*, const char*> bad[] = {
      {"workload,us\nvadd,1\n", "has no workload, size and us"},
      {"workload,size,us\nvadd,64,fast\n", "has no workload, size and us"},
      {"workload,size,us\nvadd,64,1\nvadd,64,2\n", "is there twice"}};
  for (const auto& [text, what] : bad) {
    write("p.csv", text);
    python("from runs_of import plain_cxl\nplain_cxl('p.csv')\n", 1);
    EXPECT_NE(said_.find(what), std::string::npos) << said_;
  }
}

// Every setting of the matrix and its experiments names a key.
TEST_F(Results, SettingsNameKeys) {
  std::set<std::string> keys = {"seed", "granularity"};
  for (const json& key : json::parse(accepted({"list", "--keys", "--json"}).out)) {
    keys.insert(key.at("key").get<std::string>());
  }
  const std::vector<std::string> used = lines_of(
      python("import points, re\n"
             "m = points.load()\n"
             "print('\\n'.join(sorted({s.split('=')[0] for run in points.all_runs(m) for s in "
             "re.split('[+/]', run.split('/', 2)[2]) if '=' in s})))\n"));
  EXPECT_GT(used.size(), 20u);
  for (const std::string& key : used) EXPECT_TRUE(keys.contains(key)) << key;
}

}  // namespace
}  // namespace cxlgpu
