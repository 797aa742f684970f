// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
// The media subcommand: every part, a part of one's own, what it leaves, what it refuses.
#include "tests/cli/cli.hpp"

namespace cxlgpu {
namespace {

const fs::path kParts = fs::path(CXLGPU_SOURCE_DIR) / "configs/media";

// The sizes of read of a document, each checked: curves of equal length with units.
std::vector<double> expect_document(const json& document) {
  EXPECT_EQ(document.at("schema"), 1);
  std::vector<double> sizes;
  for (const json& reads : document.at("reads")) {
    sizes.push_back(value(reads, "/size"));
    EXPECT_GT(value(reads, "/idle"), 0);
    for (const char* pattern : {"random", "stream"}) {
      const json& curve = reads.at(pattern);
      EXPECT_GT(value(curve, "/most"), 0);
      const std::size_t points = curve.at("offered").at("values").size();
      EXPECT_GE(points, 10u);
      EXPECT_LE(points, 14u);
      for (const char* name : {"offered", "reached", "mean", "p99"}) {
        EXPECT_EQ(curve.at(name).at("values").size(), points) << name;
        EXPECT_EQ(curve.at(name).at("unit"), name[0] == 'o' || name[0] == 'r' ? "GB/s" : "ns");
        for (const json& v : curve.at(name).at("values")) EXPECT_GT(v.get<double>(), 0) << name;
      }
    }
  }
  return sizes;
}

// What the project's own parts say of themselves is complete.
void expect_published(const json& document) {
  ASSERT_FALSE(document.at("published").empty());
  for (const json& row : document.at("published")) {
    const std::string name = row.at("figure");
    SCOPED_TRACE(name);
    EXPECT_FALSE(row.at("source").get<std::string>().empty());
    EXPECT_FALSE(row.at("unexplained").get<bool>());
    const double published = value(row, "/published");
    if (name == "read_64b_cxl") {
      EXPECT_TRUE(row.at("ours").is_null());
      continue;
    }
    const json& measured = document.at("figures").at(name);
    const char* which = measured.contains("drive") ? "/drive" : "/media";
    EXPECT_DOUBLE_EQ(value(row, "/ours"), value(measured, which));
    EXPECT_NEAR(value(row, "/difference"), 100 * (value(row, "/ours") / published - 1), 1e-6);
  }
}

// A part of each kind, those that are measured quickly; media_profile_test has znand.
TEST_F(Cli, MediaPartsAreMeasured) {
  for (const std::string name : {"dram", "dram-46", "pram"}) {
    SCOPED_TRACE(name);
    const Result result = accepted({"media", name, "--out", name});
    for (const char* said : {"idle latency", "random, most", "stream, most", "reads of 64 B",
                             "offered", "GB/s reached", "r random, mean", "write_64b_idle",
                             "against what is published", "source: "}) {
      EXPECT_NE(result.out.find(said), std::string::npos) << said;
    }
    for (const std::string& line : lines_of(result.out)) EXPECT_LE(line.size(), 100u) << line;
    const json document = json::parse(read_text(dir_ / name / "media.json"));
    EXPECT_EQ(document.at("media"), name);
    const std::vector<double> sizes = expect_document(document);
    expect_published(document);
    EXPECT_EQ(document.contains("interface"), name == "pram");
    EXPECT_EQ(sizes, name == "pram" ? (std::vector<double>{64, 256}) : std::vector<double>{64});
    const std::string svg = read_text(dir_ / name / "media.svg");
    EXPECT_EQ(svg.find("<svg "), 0u);
    EXPECT_TRUE(svg.ends_with("</svg>\n"));
    EXPECT_EQ(svg.find("nan"), std::string::npos);
    EXPECT_EQ(svg.find("http", svg.find("xmlns") + 12), std::string::npos);  // opens offline
  }
  for (const std::string& name : files()) EXPECT_FALSE(name.ends_with(".part")) << name;
}

TEST_F(Cli, MediaPartOfOnesOwn) {
  std::string text = read_text(kParts / "dram.yaml");
  const std::string key = "  front_ps: 5000 ";
  ASSERT_NE(text.find(key), std::string::npos);
  text.replace(text.find(key), key.size(), "  front_ps: 105000 ");
  write("slow.yaml", text);
  accepted({"media", "slow.yaml", "--out", "slow"});
  accepted({"media", "dram", "--out", "dram"});
  const auto idle = [this](const char* name) {
    return value(json::parse(read_text(dir_ / name / "media.json")), "/reads/0/idle");
  };
  EXPECT_NEAR(idle("slow"), idle("dram") + 100,
              10);  // fewer refreshes met per read, more rows closed
}

TEST_F(Cli, MediaAgainstFiguresOfOnesOwn) {
  std::string text = read_text(kParts / "dram.yaml");
  text.erase(text.find("published:"));
  write("none.yaml", text);
  EXPECT_EQ(accepted({"media", "none.yaml"}).out.find("published"), std::string::npos);
  write("own.yaml", text +
                        "published:\n"
                        "  - {figure: pins, value: 40000, unit: MB/s, source: a table}\n"
                        "  - {figure: row_hit, value: 27, unit: ns, source: a scope}\n"
                        "  - {figure: row_closed, value: 1, unit: us, source: b, why: thunder}\n");
  const std::string out = accepted({"media", "own.yaml", "--out", "o"}).out;
  EXPECT_NE(out.find("+12.0 %\n  source: a table\n  why:    NOT EXPLAINED"), std::string::npos);
  EXPECT_NE(out.find("%\n  source: b\n  why:    thunder\n"), std::string::npos);
  const json rows = json::parse(read_text(dir_ / "o/media.json")).at("published");
  ASSERT_EQ(rows.size(), 3u);
  EXPECT_TRUE(rows[0].at("unexplained").get<bool>());
  EXPECT_FALSE(rows[1].at("unexplained").get<bool>());
  EXPECT_FALSE(rows[2].at("unexplained").get<bool>());
  EXPECT_DOUBLE_EQ(value(rows[0], "/published"), 40);
}

TEST_F(Cli, MediaRepeatsWithItsSeed) {
  const std::string one = accepted({"media", "dram"}).out;
  EXPECT_EQ(accepted({"media", "dram", "--seed", "1"}).out, one);
  EXPECT_NE(accepted({"media", "dram", "--seed", "2"}).out, one);
}

TEST_F(Cli, MediaBadInput) {
  refused({"media"}, {"part", "--help"});
  refused({"media", "floppy", "--out", "o"}, {"'floppy'", "dram-46", "znand", ".yaml"});
  refused({"media", "nowhere.yaml", "--out", "o"}, {"nowhere.yaml:1:"});
  refused({"media", "nowhere/dram", "--out", "o"}, {"nowhere/dram"});
  fs::create_directory(dir_ / "folder.yaml");
  refused({"media", "folder.yaml", "--out", "o"}, {"folder.yaml", "folder"});
  refused({"media", "dram", "--seed", "x"}, {"--seed", "x"});
  refused({"media", "dram", "--seed", "-1"}, {"--seed", "-1"});
  refused({"media", "dram", "--engine", "rtl"}, {"--engine"});
  refused({"--configs", "nowhere", "media", "dram"}, {"nowhere"});
  write("file", "");
  refused({"media", "dram", "--out", "file"}, {"file: "});
  refused({"media", "dram", "--out", "file/o"}, {"file/o: "});
  const std::string good = read_text(kParts / "dram.yaml");
  const std::string key = "  tCL_ps: 14286 ";
  const auto line = std::count(good.begin(), good.begin() + good.find(key), '\n') + 1;
  std::string text = good;
  write("key.yaml", text.replace(text.find(key), key.size(), "  tCLL_ps: 14286 "));
  refused({"media", "key.yaml", "--out", "o"},
          {"key.yaml:", "'timing.tCLL_ps'", "did you mean timing.tCL_ps?"});
  text = good;
  write("type.yaml", text.replace(text.find(key), key.size(), "  tCL_ps: fast "));
  refused({"media", "type.yaml", "--out", "o"},
          {"type.yaml:" + std::to_string(line) + ":", "'timing.tCL_ps'", "'fast'"});
  const auto last = std::count(good.begin(), good.end(), '\n');
  write("figure.yaml", good + "  - figure: colour\n");
  refused({"media", "figure.yaml", "--out", "o"},
          {"figure.yaml:" + std::to_string(last + 1) + ":", "published[", "'colour'", "pins"});
  std::string flash = read_text(kParts / "pram.yaml");
  flash.replace(flash.find("pcie4x4"), 7, "sata");
  write("sata.yaml", flash);
  fs::copy_file(kParts / "dram.yaml", dir_ / "dram.yaml");
  refused({"media", "sata.yaml", "--out", "o"}, {"sata.yaml:", "'interface'", "'sata'", "pcie3x4"});
  write("unknown.yaml", good + "colour: red\n");
  refused({"media", "unknown.yaml", "--out", "o"}, {"unknown.yaml:", "'colour'", "not known"});
}

TEST_F(Cli, HelpNamesEveryCommand) {
  const std::string text = accepted({"help"}).out;
  for (const char* command : {"run", "media", "list", "flit", "help"}) {
    EXPECT_NE(text.find(std::string("\n  ") + command + " "), std::string::npos) << command;
  }
}

// A full drive of one die: it collects from its first programs on. Its times are invented, so that
// this is over soon.
constexpr const char* kFullDrive = R"(kind: flash
part: a die of 272 MiB, full
interface: pcie3x4
organisation:
  {channels: 1, dies_per_channel: 1, page_bytes: 4096, pages_per_block: 2, pages_per_die: 69632}
timing: {tR_ps: 500000, tPROG_ps: 1000000, tBERS_ps: 40000000, channel_bits: 8, channel_MTps: 1000,
  command_ps: 100000}
controller: {lookup_ps: 100000, ecc_ps: 100000, announce_ps: 1000000, fill_granule: line,
  share_page_register: always, striping: permuted, read_queue_depth: 128, write_queue_depth: 64,
  array_queue_depth: 128}
write_buffer: {pages: 6, high_pages: 4, low_pages: 2, cold_ps: 20000000}
translation: {planes: 1, over_provisioning_percent: 1, victim: greedy, free_low_blocks: 337,
  free_high_blocks: 338, wear_spread_erases: 100, prefilled_percent: 100, prefill_seed: 1}
suspend: {operations: erases, program_ps: 1000000, erase_ps: 2000000, resume_ps: 500000,
  progress_ps: 1000000, window_ps: 10000000}
internal_dram: {media: dram}
)";

// Reads suspend erases behind the RTL as behind the model, at the same times.
TEST_F(Cli, ReadsSuspendErasesInRtlAndModel) {
  fs::copy(kParts.parent_path(), dir_ / "configs", fs::copy_options::recursive);
  write("configs/media/full.yaml", kFullDrive);
  std::string trace = "cycle,rw,addr,bytes\n";
  for (unsigned i = 0; i < 80; ++i) {
    trace += std::to_string(i * 500) + (i % 4 == 3 ? ",R," : ",W,") +
             std::to_string(i * 37 % 80 * 4096 + i * 5 % 16 * 256) + ",64\n";
  }
  write("t.csv", trace);
  const Result result = run({"run", "vadd-full-cxl", "--engine", "cosim", "--trace", "t.csv",
                             "--set", "endpoint.cache_bytes=4KiB", "--out", "o"},
                            "", {.before = [] { setenv("CXLGPU_CONFIGS", "configs", 1); }});
  ASSERT_EQ(result.status, 0) << result.err;
  const json s = stats();
  for (const char* port : {"0", "1"}) {
    const std::string counters = std::string("/media_counters/") + port;
    EXPECT_GE(value(s, (counters + "/erases").c_str()), 4) << port;
    EXPECT_GE(value(s, (counters + "/erase_suspends").c_str()), 2) << port;
    EXPECT_EQ(value(s, (counters + "/program_suspends").c_str()), 0) << port;
  }
  for (const char* what : {"data_mismatches", "path_mismatches", "time_differences"}) {
    EXPECT_EQ(s["cosim"][what]["value"], 0) << what;
  }
}

}  // namespace
}  // namespace cxlgpu
