// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
// What a shell offers while a command line is typed: by the command, and through bash.
#include <sys/wait.h>

#include <algorithm>
#include <cstdlib>
#include <regex>

#include "tests/cli/cli.hpp"

namespace cxlgpu {
namespace {

class Completion : public Cli {
 protected:
  // What may stand for the last of the words.
  std::vector<std::string> offered(Args words) {
    words.insert(words.begin(), {"complete", "--"});
    return lines_of(accepted(words).out);
  }
  static bool has(const std::vector<std::string>& all, const std::string& one) {
    return std::find(all.begin(), all.end(), one) != all.end();
  }
  // The same as bash has it after a key press at the end of `line`; with what follows the word.
  std::vector<std::string> in_bash(const std::string& line) {
    const std::string binary = CXLGPU_BINARY;
    const std::string text =
        "source <('" + binary +
        "' completion bash)\n"
        "compopt() { echo \"compopt $*\"; }\n"
        "COMP_LINE=\"$1\" COMP_POINT=${#1}\n"
        // As readline cuts it: at blanks, = and :, which are words of their own.
        "readarray -t COMP_WORDS < <(grep -oE '[=:]+|[^ =:]+' <<<\"$1\")\n"
        "[[ $1 == *' ' ]] && COMP_WORDS+=('')\n"
        "COMP_CWORD=$((${#COMP_WORDS[@]} - 1))\n"
        "_cxlgpu\n"
        "printf '%s\\n' \"${COMPREPLY[@]}\"\n";
    const std::string script = write("c.sh", text).string();
    const std::string out = (dir_ / "said").string();
    const std::string command =
        "bash --norc '" + script + "' '" + binary + line + "' > '" + out + "' 2>&1";
    const int status = std::system(command.c_str());
    EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0) << command << read_text(out);
    return lines_of(read_text(out));
  }
};

// Verbs, and options of each, are those of --help.
TEST_F(Completion, AllThatHelpHas) {
  const std::string help = accepted({"--help"}).out;
  const std::string verbs_of_help = help.substr(help.find("Subcommands:"));
  std::vector<std::string> verbs;
  const std::regex verb("\n  ([a-z]+) ");
  for (std::sregex_iterator it(verbs_of_help.begin(), verbs_of_help.end(), verb), end; it != end;
       ++it) {
    verbs.push_back((*it)[1]);
  }
  EXPECT_GT(verbs.size(), 8u);
  EXPECT_EQ(offered({""}), verbs);

  std::vector<Args> commands;
  for (const std::string& one : verbs) {
    if (one == "help") continue;  // prints the page above
    commands.push_back({one});
    for (const std::string& below : one == "flit" || one == "trace" ? offered({one, ""}) : Args{}) {
      commands.push_back({one, below});
    }
  }
  EXPECT_GT(commands.size(), verbs.size() + 5);
  const std::regex option("(?:^|[ ,])(--[a-z0-9-]+)(?=[ ,\n])");
  for (const Args& command : commands) {
    SCOPED_TRACE(joined(command));
    Args asked = command;
    asked.push_back("--help");
    std::set<std::string> expected;
    for (const std::string& line : lines_of(accepted(asked).out)) {
      if (!line.starts_with("  -")) continue;
      const std::string names = line.substr(0, 2 + line.substr(2).find(' ')) + "\n";
      std::smatch found;
      ASSERT_TRUE(std::regex_search(names, found, option)) << line;
      expected.insert(found[1]);
    }
    asked.back() = "--";
    const std::vector<std::string> seen = offered(asked);
    EXPECT_EQ(std::set<std::string>(seen.begin(), seen.end()), expected);
  }
}

TEST_F(Completion, WhatAnOptionOrAWordMayBe) {
  const std::vector<std::string> engines = {"rtl", "model", "cosim"};
  EXPECT_EQ(offered({"run", "vadd-znand-sr", "--engine", ""}), engines);
  EXPECT_EQ(offered({"run", "--engine", "co"}), std::vector<std::string>{"cosim"});
  EXPECT_EQ(offered({"explain", "gpu.core"}), std::vector<std::string>{"gpu.cores"});
  EXPECT_TRUE(has(offered({"explain", "gpu."}), "gpu.l1"));
  EXPECT_EQ(offered({"media", "z"}), std::vector<std::string>{"znand"});
  EXPECT_TRUE(has(offered({"run", "x", "--machine", ""}), "paper"));
  EXPECT_TRUE(has(offered({"run", "x", "--rtl", ""}), "small"));
  EXPECT_TRUE(has(offered({"run", "vadd-zn"}), "vadd-znand-sr"));
  const std::vector<std::string> stacks = {"io-pram-gds", "io-pram-phoenix", "io-pram-posix"};
  EXPECT_EQ(offered({"run", "io-pram-"}), stacks);
  // From host memory, which is DRAM.
  const std::vector<std::string> ways = {"copy-hbm3-direct", "copy-hbm3-static", "copy-hbm3-mma"};
  EXPECT_EQ(offered({"run", "copy-hbm3-"}), ways);
  EXPECT_TRUE(offered({"run", "copy-pram-"}).empty());
  EXPECT_EQ(offered({"completion", "f"}), std::vector<std::string>{"fish"});
  // A file, a number, a second scenario: nothing of the command's.
  EXPECT_TRUE(offered({"run", "vadd-znand-sr", "--trace", ""}).empty());
  EXPECT_TRUE(offered({"run", "--seed", ""}).empty());
  EXPECT_TRUE(offered({"run", "vadd-znand-sr", "va"}).empty());
  EXPECT_TRUE(offered({"report", ""}).empty());
}

TEST_F(Completion, EveryKeyThatMayBeSet) {
  const std::vector<std::string> seen = offered({"run", "x", "--set", ""});
  for (const std::string& key : keys()) EXPECT_TRUE(has(seen, key + "=")) << key;
  const std::vector<std::string> values = {"gpu.scheduler=lrr", "gpu.scheduler=gto"};
  EXPECT_EQ(offered({"run", "x", "--set", "gpu.scheduler="}), values);
  EXPECT_TRUE(offered({"run", "x", "--set", "gpu.cores="}).empty());
}

// Each scenario that is offered is one: of each workload, medium and configuration some.
TEST_F(Completion, ScenariosThatRun) {
  const std::vector<std::string> all = offered({"run", ""});
  EXPECT_GT(all.size(), 1000u);
  for (const char* one : {"io-dram-phoenix", "vadd-nand-gpm-eadr", "gpdb-insert-pram-gpm"}) {
    ASSERT_TRUE(has(all, one)) << one;
    accepted({"run", one, "--engine", "model", "--set", "workload.size=64"});
  }
  for (const char* one : {"io-dram-cxl", "io-dram-mma", "vadd-dram-posix", "vadd-dram-mma",
                          "copy-dram-phoenix", "copy-znand-mma"}) {
    EXPECT_FALSE(has(all, one)) << one;
    EXPECT_EQ(run({"run", one, "--engine", "model"}).status, 2) << one;
  }
}

TEST_F(Completion, WithoutConfigurationsNothingIsSaid) {
  Setting nowhere;
  nowhere.before = [] { setenv("CXLGPU_CONFIGS", "/nonexistent", 1); };
  const Result result = run({"complete", "--", "run", ""}, "", nowhere);
  EXPECT_EQ(result.status, 0);
  EXPECT_EQ(result.out + result.err, "");
}

TEST_F(Completion, ThroughBash) {
  EXPECT_EQ(in_bash(" medi"), std::vector<std::string>{"media"});
  EXPECT_EQ(in_bash(" run x --engine c"), std::vector<std::string>{"cosim"});
  EXPECT_EQ(in_bash(" media z"), std::vector<std::string>{"znand"});
  // Behind = bash replaces what follows it alone, and a key that wants a value gets no blank.
  const std::vector<std::string> key = {"compopt -o nospace", "gpu.cores="};
  EXPECT_EQ(in_bash(" run x --set gpu.cor"), key);
  EXPECT_EQ(in_bash(" run x --set gpu.scheduler=g"), std::vector<std::string>{"gto"});
  const std::vector<std::string> both = {"lrr", "gto"};
  EXPECT_EQ(in_bash(" run x --set gpu.scheduler="), both);
}

TEST_F(Completion, AnotherShellIsRefused) {
  refused({"completion", "tcsh"}, {"shell", "tcsh", "bash"});
}

}  // namespace
}  // namespace cxlgpu
