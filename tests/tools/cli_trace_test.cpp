// Traces given to the command: three formats, bad ones, partial writes, a cut.
#include "tests/tools/cli.hpp"

namespace cxlgpu {
namespace {

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

INSTANTIATE_TEST_SUITE_P(Engines, CliEngine, ::testing::Values("model", "rtl", "cosim"),
                         engine_name);

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

// 40 writes to other rows of one bank, of rank 1, which is not refreshed before 3.9 us; once the
// oldest is past the age bound, one read of a bank group that nobody uses.
TEST_P(CliEngine, AReadPassesAHammeredBank) {
  std::string writes = "cycle,rw,addr,bytes\n";
  for (std::uint64_t i = 0; i < 40; ++i) {
    writes += "0,W," + hex(0x80000 + i % 16 * 0x2000000 + i / 16 * 0x800) + ",64\n";
  }
  write("writes.csv", writes);
  const auto replay = [&](const std::string& trace) {
    accepted({"run", "vadd-dram-cxl", "--engine", GetParam(), "--trace", trace, "--out", "o"});
    return stats();
  };
  const double alone = value(replay("writes.csv"), "/stores/max");
  for (const std::string cycle : {"2120", "2500"}) {
    write("trace.csv", writes + cycle + ",R,0x80080,64\n");
    const json s = replay("trace.csv");
    EXPECT_EQ(s.at("status"), "clean");
    EXPECT_GE(value(s, "/loads/max"), 70);  // an idle one: 71 or 72
    EXPECT_LE(value(s, "/loads/max"), 80);
    EXPECT_LE(value(s, "/stores/max"), alone);
  }
}

TEST_F(Cli, TraceCanBeCut) {
  write("t.csv", csv_trace());
  accepted({"run", "vadd-dram-cxl", "--engine", "model", "--trace", "t.csv", "--out", "o", "--set",
            "trace.max_requests=7"});
  EXPECT_EQ(value(stats(), "/checks/reads_checked") + value(stats(), "/checks/writes_sent"), 7);
}

}  // namespace
}  // namespace cxlgpu
