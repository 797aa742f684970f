// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
// Traces given to the command: three formats, bad ones, partial writes, a cut.
#include <sstream>

#include "tests/cli/cli.hpp"

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
  // What would be read wrongly: words that mean a write elsewhere, and no words at all.
  for (const std::string word : {"Write", "W", "w", "wr", "ST", "STORE", "boff", "17", "0x40"}) {
    write("word.trace", "0x0 READ 0\n0x40 " + word + " 1\n");
    refuse("word.trace", {"word.trace:2:", "'" + word + "'"});
  }
  write("stl.trace", "0: Write 0x40\n");
  refuse("stl.trace", {"stl.trace:1:", "'0:'"});
  write("far.trace", "FFFFFFFFFFFFFFFFF READ 0\n");
  refuse("far.trace", {"far.trace:1:", "64 bits"});
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

// One read on a clean link: request and credits; the response in two flits, and credits. Counted
// from time 0 on in every engine, and each flit in one class.
TEST_P(CliEngine, FlitsAreCountedFromTimeZero) {
  const std::vector<std::string> classes = {"protocol",  "all_data", "llcrd", "retry", "damaged",
                                            "discarded", "io",       "almp",  "other"};
  const auto adds_up = [&](const json& s) {
    for (const std::string way : {"/flits/m2s/", "/flits/s2m/"}) {
      double sum = 0;
      for (const std::string& name : classes) sum += value(s, (way + name).c_str());
      EXPECT_EQ(value(s, (way + "all").c_str()), sum) << way;
    }
  };
  write("one.csv", "cycle,rw,addr,bytes\n0,R,0x0,64\n");
  const Args one = {"run",     "vadd-dram-cxl", "--engine", GetParam(),
                    "--trace", "one.csv",       "--out",    "o"};
  accepted(one);
  adds_up(stats());
  EXPECT_EQ(value(stats(), "/flits/m2s/all"), 2);
  EXPECT_EQ(value(stats(), "/flits/m2s/protocol"), 1);
  EXPECT_EQ(value(stats(), "/flits/m2s/llcrd"), 1);
  EXPECT_EQ(value(stats(), "/flits/s2m/all"), 3);
  EXPECT_EQ(value(stats(), "/flits/s2m/protocol") + value(stats(), "/flits/s2m/all_data"), 2);
  EXPECT_EQ(value(stats(), "/flits/s2m/llcrd"), 1);
  EXPECT_EQ(value(stats(), "/flits/m2s/bring_up") > 0, GetParam() != std::string("model"));
  if (GetParam() == std::string("cosim")) return;  // a clean link only
  std::string text = "cycle,rw,addr,bytes\n";
  for (unsigned i = 0; i < 400; ++i) {
    text += std::to_string(i * 10) + (i % 3 == 0 ? ",W," : ",R,") + hex(i * 64) + ",64\n";
  }
  write("many.csv", text);
  accepted({"run", "vadd-dram-cxl", "--engine", GetParam(), "--trace", "many.csv", "--out", "o",
            "--set", "link.bit_error_rate_m2s=1e-4", "--set", "link.bit_error_rate_s2m=1e-4"});
  adds_up(stats());
  EXPECT_GT(value(stats(), "/flits/m2s/damaged") + value(stats(), "/flits/s2m/damaged"), 0);
  EXPECT_GT(value(stats(), "/flits/m2s/retry"), 0);
}

TEST_F(Cli, DialectsAsTheirToolsReadThem) {
  // A CSV as a spreadsheet on Windows saves it: a byte order mark, CR LF.
  write("bom.csv",
        "\xEF\xBB\xBF"
        "cycle,rw,addr,bytes\r\n0,R,0x0,64\r\n5,W,0x40,64\r\n");
  write("bare.csv",
        "\xEF\xBB\xBF"
        "0,R,0x0,64\n5,W,0x40,64\n");
  write("lower.trace", "0x40 write 0\n0x80 READ 3\n");
  // DRAMSim2 and 3: k6 traces.
  write("k6.trace", "0x40 READ 0\n0x80 P_MEM_WR 3\n0xc0 P_FETCH 5\n0x100 BOFF 9\n");
  const auto replay = [&](const std::string& name, int reads, int writes) {
    SCOPED_TRACE(name);
    accepted({"run", "vadd-dram-cxl", "--engine", "model", "--trace", name, "--out", "o"});
    EXPECT_EQ(value(stats(), "/checks/reads_checked"), reads);
    EXPECT_EQ(value(stats(), "/checks/writes_sent"), writes);
  };
  replay("bom.csv", 1, 1);
  replay("bare.csv", 1, 1);
  replay("lower.trace", 1, 1);
  replay("k6.trace", 2, 2);
}

TEST_F(Cli, TraceCanBeCut) {
  write("t.csv", csv_trace());
  accepted({"run", "vadd-dram-cxl", "--engine", "model", "--trace", "t.csv", "--out", "o", "--set",
            "trace.max_requests=7"});
  EXPECT_EQ(value(stats(), "/checks/reads_checked") + value(stats(), "/checks/writes_sent"), 7);
}

}  // namespace
}  // namespace cxlgpu
