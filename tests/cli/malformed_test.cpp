// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
// Input and places that are wrong, each with its exit status, one line and nothing left behind.
//
// Purpose: what a use of the command with some 130 bad inputs found. A full disk is a limit on the
//          size of files, which gives the same failed writes.
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>

#include <chrono>

#include "tests/cli/cli.hpp"

namespace cxlgpu {
namespace {

class Malformed : public Cli {
 protected:
  // Every one of `refused()`, of a run with a setting of its own.
  Result failed(const Args& args, const Setting& setting, const std::vector<std::string>& parts) {
    const std::set<std::string> before = files();
    const Result result = run(args, "", setting);
    EXPECT_EQ(result.status, 2) << joined(args) << "\n" << result.err;
    EXPECT_EQ(lines_of(result.err).size(), 1u) << joined(args) << "\n" << result.err;
    for (const std::string& part : parts) {
      EXPECT_NE(result.err.find(part), std::string::npos) << joined(args) << "\n" << result.err;
    }
    EXPECT_EQ(files(), before) << joined(args);
    return result;
  }
  [[nodiscard]] Setting file_limit(rlim_t bytes) const {
    return {.before = [bytes, counters = (base_ / "counters").string()] {
      const rlimit limit = {bytes, bytes};
      setrlimit(RLIMIT_FSIZE, &limit);
      // The counters of a coverage build would be cut off too, and stay so.
      setenv("GCOV_PREFIX", counters.c_str(), 1);
      setenv("GCOV_ERROR_FILE", "/dev/null", 1);
    }};
  }
  // A copy of a device, so that a command that replaced it would do no harm.
  fs::path device(const std::string& name, unsigned minor) {
    const fs::path path = dir_ / name;
    if (mknod(path.c_str(), S_IFCHR | 0666, makedev(1, minor)) != 0 ||
        !std::ofstream(path).is_open()) {
      fs::remove(path);
      return {};
    }
    return path;
  }
  static Args small(Args more, const std::string& engine = "model") {
    Args args = {"run", "vadd-dram-cxl", "--engine", engine, "--set", "workload.size=512"};
    args.insert(args.end(), more.begin(), more.end());
    return args;
  }
};

TEST_F(Malformed, AFullDeviceIsAnErrorAndStaysADevice) {
  const fs::path full = device("full", 7);
  if (full.empty()) GTEST_SKIP() << "no device can be made here";
  failed(small({"--events", "full"}), {}, {"full: cannot be written", "No space"});
  failed(small({"--flit-log", "full"}, "rtl"), {}, {"full: "});
  EXPECT_TRUE(fs::is_character_file(full));
}

TEST_F(Malformed, StandardOutputThatIsFull) {
  if (!fs::exists("/dev/full")) GTEST_SKIP() << "no /dev/full";
  accepted(small({"--flit-log", "f.log"}, "rtl"));
  const Setting full = {.out = "/dev/full"};
  const std::vector<std::string> says = {"standard output: cannot be written"};
  failed({"flit", "decode", "f.log"}, full, says);
  failed({"flit", "decode", "--json", "f.log"}, full, says);
  failed({"flit", "check", "f.log"}, full, says);
  failed({"list"}, full, says);
  failed({"list", "--keys"}, full, says);
  failed({"--help"}, full, {"standard output: cannot be written"});
  failed({"--version"}, full, {"standard output: cannot be written"});
  failed(small({}), full, says);
}

// Sanitizers take terabytes of addresses for themselves.
#if !defined(__SANITIZE_ADDRESS__)
TEST_F(Malformed, MemoryThatIsNotThere) {
  const auto with = [](rlim_t bytes) {
    return Setting{.before = [bytes] {
      const rlimit limit = {bytes, bytes};
      setrlimit(RLIMIT_AS, &limit);
    }};
  };
  failed({"run", "seq-dram-cxl", "--engine", "model", "--set", "workload.size=536870912"},
         with(2'000'000'000), {"--set: key 'workload.size'", "34359742464", "hdm.ranges"});
  failed({"run", "seq-dram-cxl", "--engine", "model", "--set", "workload.size=4194304"},
         with(150'000'000), {"memory: there is not enough"});
}
#endif

TEST_F(Malformed, HugeSizesAreRefusedAtOnce) {
  const auto begin = std::chrono::steady_clock::now();
  for (const char* scenario : {"vadd-dram-cxl", "vadd-znand-sr", "vadd-dram-uvm", "gemm-znand-gds",
                               "vadd-dram-gpu-dram"}) {
    const std::string size = scenario[0] == 'g' ? "32768" : "1073741824";
    refused({"run", scenario, "--engine", "model", "--set", "workload.size=" + size, "--out", "o"},
            {"bytes"});
  }
  EXPECT_LT(std::chrono::steady_clock::now() - begin, std::chrono::seconds(20));
}

TEST_F(Malformed, FilesThatGrowTooLarge) {
  // Waves: in the writer's files, or in one that is mapped.
  for (const rlim_t bytes : {rlim_t{4096}, rlim_t{100'000}}) {
    const Args args = small({"--waves", "w.fst"}, "rtl");
    const std::set<std::string> before = files();
    const Result result = run(args, "", file_limit(bytes));
    EXPECT_EQ(result.status, 2) << result.err;
    EXPECT_EQ(lines_of(result.err).size(), 1u) << result.err;
    EXPECT_NE(result.err.find("check the space on the disk"), std::string::npos) << result.err;
    EXPECT_EQ(files(), before);
  }
  failed(small({"--flit-log", "f.log"}, "rtl"), file_limit(20'000), {"f.log: ", "check the space"});
  failed(small({"--flit-log", "f.gz"}, "rtl"), file_limit(5'000), {"f.gz: ", "check the space"});
  failed(small({"--events", "e.csv"}), file_limit(2'000), {"e.csv: ", "check the space"});
  failed({"run", "vadd-znand-cxl", "--engine", "model", "--set", "workload.size=4096", "--set",
          "endpoint.image_out=."},
         file_limit(8'000), {"port0.img: ", "check the space"});
}

TEST_F(Malformed, ResultsAreBothThereOrNone) {
  accepted(small({"--out", "o"}));
  const std::string stats = read_text(dir_ / "o/stats.json");
  const std::string report = read_text(dir_ / "o/report.html");
  const rlim_t least = std::min(stats.size(), report.size());
  const rlim_t most = std::max(stats.size(), report.size());
  ASSERT_GT(most, least + 1000);
  // One of the two fits. An older pair stays, a new folder goes.
  failed(small({"--out", "o"}), file_limit((least + most) / 2), {"check the space"});
  EXPECT_EQ(read_text(dir_ / "o/stats.json"), stats);
  EXPECT_EQ(read_text(dir_ / "o/report.html"), report);
  failed(small({"--out", "new/folder"}), file_limit((least + most) / 2), {"check the space"});
}

TEST_F(Malformed, WindowsOfWaves) {
  const auto window = [](const Args& options) {
    Args args = small({"--waves", "w.fst"}, "rtl");
    args.insert(args.end(), options.begin(), options.end());
    return args;
  };
  refused(window({"--waves-from-us", "20", "--waves-to-us", "10"}), {"20", "10", "is empty"});
  refused(window({"--waves-from-us", "20", "--waves-to-us", "20"}), {"is empty"});
  refused(window({"--waves-to-us", "0"}), {"is empty"});
  refused(window({"--waves-from-us=-3"}), {"--waves-from-us", "-3"});
  refused(window({"--waves-to-us=-3"}), {"--waves-to-us", "-3"});
  refused(window({"--waves-to-us", "1.5"}), {"--waves-to-us", "1.5"});
  refused(window({"--waves-to-us", "18446744073709551615"}), {"--waves-to-us"});
  refused(small({"--waves-to-us", "3"}, "rtl"), {"--waves"});
  refused(window({"--waves-from-cycle", "20", "--waves-to-cycle", "19"}),
          {"--waves-from-cycle 20", "--waves-to-cycle 19", "is empty"});
  refused(window({"--waves-from-us", "2", "--waves-to-cycle", "1999"}),
          {"--waves-from-us 2", "--waves-to-cycle 1999", "is empty"});
  refused(window({"--waves-from-cycle=-3"}), {"--waves-from-cycle", "-3"});
  refused(window({"--waves-to-cycle", "1e3"}), {"--waves-to-cycle", "1e3"});
  refused(window({"--waves-to-cycle", "18446744073709551615"}), {"--waves-to-cycle"});
  refused(window({"--waves-from-us", "1", "--waves-from-cycle", "1"}),
          {"--waves-from-", "exclude"});
  refused(small({"--waves-from-cycle", "3"}, "rtl"), {"--waves"});
  refused(small({"--waves-around-mismatch", "3"}, "rtl"), {"--waves"});
  refused(window({"--waves-around-mismatch", "0"}), {"--waves-around-mismatch", "0"});
  refused(window({"--waves-around-mismatch=ten"}), {"--waves-around-mismatch", "ten"});
  refused(window({"--waves-around-mismatch", "--waves-to-us", "3"}), {"--waves-", "exclude"});
  refused(window({"--waves-around-mismatch", "--trace", "-"}), {"standard input", "in a file"});
  refused(small({"--waves", "w.fst", "--waves-around-mismatch"}), {"--waves", "rtl"});
  failed(small({"--waves", "/dev/null", "--waves-around-mismatch"}, "rtl"), {},
         {"/dev/null: ", "regular file"});
  // Only the end of the run shows that nothing is in it.
  for (const char* option : {"--waves-from-us", "--waves-from-cycle"}) {
    const Result behind = run(window({option, "100000"}));
    EXPECT_EQ(behind.status, 2);
    EXPECT_EQ(lines_of(behind.err).size(), 1u) << behind.err;
    EXPECT_NE(behind.err.find(std::string("before --waves-from-us")), std::string::npos);
  }
  const Result late = run(window({"--waves-from-us", "1000"}));
  EXPECT_EQ(late.status, 2);
  EXPECT_EQ(lines_of(late.err).size(), 1u) << late.err;
  EXPECT_NE(late.err.find("before --waves-from-us"), std::string::npos) << late.err;
  EXPECT_TRUE(files().empty());
}

TEST_F(Malformed, PlacesThatAreNoFiles) {
  fs::create_directory(dir_ / "folder");
  failed(small({"--events", "folder"}), {}, {"folder: cannot be written", "directory"});
  failed(small({"--flit-log", "folder"}, "rtl"), {}, {"folder: cannot be written", "directory"});
  failed(small({"--waves", "folder"}, "rtl"), {}, {"folder: cannot be written", "directory"});
  failed(small({"--waves", "/dev/null"}, "rtl"), {}, {"/dev/null: ", "regular file"});
  EXPECT_TRUE(fs::is_character_file("/dev/null"));
  fs::create_symlink("loop", dir_ / "loop");
  failed(small({"--events", "loop"}), {}, {"loop: cannot be written"});
  failed(small({"--events", "e", "--flit-log", "e"}, "rtl"), {}, {"e: ", "named twice"});
}

TEST_F(Malformed, TwoYamlDocuments) {
  write("two.yaml",
        "workload: {name: vadd, size: 512}\nmedia: {part: dram}\n---\ngpu: {cores: 2}\n");
  refused({"run", "two.yaml", "--engine", "model"}, {"two.yaml: ", "2 YAML documents"});
  const fs::path parts = fs::path(CXLGPU_SOURCE_DIR) / "configs/media";
  write("part.yaml", read_text(parts / "dram.yaml") + "---\nkind: dram\n");
  refused({"media", "part.yaml"}, {"part.yaml: ", "2 YAML documents"});
}

TEST_F(Malformed, SomethingBehindGzipData) {
  accepted(small({"--flit-log", "f.log.gz"}, "rtl"));
  write_gzip(dir_ / "t.csv.gz", "0,R,0x0,64\n1,R,0x40,64\n");
  const Args replay = {"run", "vadd-dram-cxl", "--engine", "model", "--trace", "t.csv.gz"};
  accepted(replay);
  for (const char* name : {"t.csv.gz", "f.log.gz"}) {
    const std::string whole = read_text(dir_ / name);
    const Args args = name[0] == 't' ? replay : Args{"flit", "check", name};
    write(name, whole + std::string(100, '\0'));  // of a tape's block
    accepted(args);
    write(name, whole + "garbage");
    refused(args, {std::string(name) + ":", "no gzip data"});
    write(name, whole + "\x1f");
    refused(args, {std::string(name) + ":"});
  }
  // A second member is more of the same text.
  write_gzip(dir_ / "t.csv.gz", "0,R,0x0,64\n1,R,0x40,64\n");
  write_gzip(dir_ / "more.gz", "2,R,0x80,64\n");
  write("t.csv.gz", read_text(dir_ / "t.csv.gz") + read_text(dir_ / "more.gz"));
  Args out = replay;
  out.insert(out.end(), {"--out", "o"});
  accepted(out);
  EXPECT_EQ(value(stats(), "/checks/reads_checked"), 3);
}

TEST_F(Malformed, ACheckOfNothing) {
  write("empty.log", "");
  write("comments.log", "# nothing here\n\n#recovery 5 link0\n");
  refused({"flit", "check", "empty.log"}, {"empty.log: ", "no flit"});
  refused({"flit", "check", "comments.log"}, {"comments.log: ", "no flit"});
  refused({"flit", "check"}, {"standard input: ", "no flit"});
}

TEST_F(Malformed, TimesOfAPartBeyondAnyPart) {
  const std::string part = read_text(fs::path(CXLGPU_SOURCE_DIR) / "configs/media/dram.yaml");
  for (const std::string key : {"tRCD_ps", "tRTP_ps", "tRRD_S_ps", "tCL_ps", "tCWL_ps", "tWR_ps"}) {
    const std::size_t at = part.find("  " + key + ":");
    ASSERT_NE(at, std::string::npos) << key;
    std::string changed = part;
    changed.replace(at, part.find_first_of("#\n", at) - at, "  " + key + ": 4294967296 ");
    write("part.yaml", changed);
    refused({"media", "part.yaml"}, {"part.yaml:", "timing." + key, "4294967296"});
  }
}

TEST_F(Malformed, MessagesArePrintable) {
  std::string bytes =
      "\x7f"
      "ELF";
  for (int i = 0; i < 256; ++i) bytes += static_cast<char>(i == '\n' ? ' ' : i);
  write("binary", bytes + " x y\n");
  write("word.log", "5 link0 M2S \x1b[31m\xc2\x9b" + std::string("\0", 1) + "tail\n");
  write("bad.yaml", "gpu:\n  \"co\\x07res\": 4\n");
  for (const Args& args :
       {Args{"flit", "decode", "binary"}, Args{"flit", "check", "binary"},
        Args{"flit", "encode", "binary"}, Args{"flit", "check", "word.log"},
        Args{"run", "bad.yaml"}, Args{"run", "\x1b[2J"},
        Args{"run", "vadd-dram-cxl", "--set", "gpu.cores=\a"},
        Args{"run", "vadd-dram-cxl", "--nope\x1b[2J"},
        Args{"run", "vadd-dram-cxl", "--engine", "model", "--trace", "binary"}}) {
    const Result result = run(args);
    EXPECT_EQ(result.status, 2) << joined(args);
    const std::vector<std::string> lines = lines_of(result.err);
    ASSERT_EQ(lines.size(), 1u) << joined(args) << "\n" << result.err;
    for (const char c : lines[0]) {
      EXPECT_TRUE(static_cast<unsigned char>(c) >= ' ' && c != 0x7f) << joined(args);
    }
    EXPECT_EQ(lines[0].find(":0:"), std::string::npos) << lines[0];
  }
}

TEST_F(Malformed, NoLineZero) {
  for (const Args& args :
       {Args{"run", "nowhere.yaml"}, Args{"run", "vadd-dram-cxl", "--trace", "nowhere.csv"},
        Args{"flit", "check", "nowhere"}, Args{"flit", "check", "."}, Args{"flit", "decode", "."},
        Args{"media", "nowhere.yaml"}, Args{"media", "./"}, Args{"--configs", "nowhere", "list"},
        small({"--out", "/dev/null"}), small({"--waves", "nowhere/w.fst"}, "rtl")}) {
    const Result result = run(args);
    EXPECT_EQ(result.status, 2) << joined(args);
    EXPECT_EQ(lines_of(result.err).size(), 1u) << joined(args) << "\n" << result.err;
    EXPECT_EQ(result.err.find(":0:"), std::string::npos) << result.err;
  }
}

}  // namespace
}  // namespace cxlgpu
