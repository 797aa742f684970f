// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
// What a verilated top's coverage points counted, written when the top goes.
//
// Purpose: a build with CXLGPU_COVERAGE counts lines, branches and toggles inside each top; here
// alone
//          they reach a file. In any other build all of this is empty.
// Use:     CoverageWriter is declared after the top and so goes before it: Verilator's points lie
// in
//          the top. The top has a context of its own, whose points are then its own. Covered<Top>
//          is context, top and writer in one.
// Files:   one a process, CXLGPU_COVERAGE_DIR/<program>-<process>.dat in Verilator's format; the
// counts
//          of several tops of one process are added (tops that go one after the other, not in
//          threads). Without the variable nothing is written.
// Errors:  a file that cannot be written ends the process with a message (exit 2): a count that is
//          missing would look like a hole.
// Source:  Verilator manual, "Coverage Analysis".
#pragma once

#include <verilated.h>

#if VM_COVERAGE
#include <unistd.h>
#include <verilated_cov.h>

#include <cerrno>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <map>
#include <string>
#endif

namespace cxlgpu {

class CoverageWriter {
 public:
  explicit CoverageWriter([[maybe_unused]] VerilatedContext& context)
#if VM_COVERAGE
      : context_(&context)
#endif
  {
  }
  CoverageWriter(const CoverageWriter&) = delete;
  CoverageWriter& operator=(const CoverageWriter&) = delete;

#if VM_COVERAGE
  ~CoverageWriter() {
    const char* folder = std::getenv("CXLGPU_COVERAGE_DIR");
    if (folder == nullptr) return;
    const std::string file = std::string(folder) + "/" + program_invocation_short_name + "-" +
                             std::to_string(getpid()) + ".dat";
    const std::string top = file + ".top";
    Counts counts;
    read(file, counts);
    context_->coveragep()->write(top.c_str());
    read(top, counts);
    std::filesystem::remove(top);
    std::ofstream out(file);
    out << "# SystemC::Coverage-3\n";
    for (const auto& [point, count] : counts) out << point << ' ' << count << '\n';
    if (out.flush()) return;
    std::fprintf(stderr, "coverage: %s cannot be written; is CXLGPU_COVERAGE_DIR a folder?\n",
                 file.c_str());
    std::_Exit(2);
  }

 private:
  using Counts = std::map<std::string, std::uint64_t>;

  // Lines are "C '<keys and values>' <count>"; a file that is not there yet has none.
  static void read(const std::string& file, Counts& counts) {
    std::ifstream in(file);
    for (std::string line; std::getline(in, line);) {
      const std::size_t space = line.rfind(' ');
      if (line.starts_with("C '") && space != std::string::npos) {
        counts[line.substr(0, space)] += std::strtoull(line.c_str() + space, nullptr, 10);
      }
    }
  }

  VerilatedContext* context_;
#endif
};

// What the default context says of state without reset and of assertions
// (tests/common/verilated_main.cpp) holds for a top with a context of its own, too.
class OwnContext : public VerilatedContext {
 public:
  OwnContext() {
    randReset(Verilated::defaultContextp()->randReset());
    randSeed(Verilated::defaultContextp()->randSeed());
    assertOn(Verilated::defaultContextp()->assertOn());
  }
};

template <typename Top>
class Covered {
 public:
  ~Covered() {
    top_.final();
    // Verilator takes a top's scopes out of the thread's context, which may be that of a top gone
    // since.
    Verilated::threadContextp(&context_);
  }
  Top* operator->() { return &top_; }
  Top& operator*() { return top_; }

 private:
  OwnContext context_;
  Top top_{&context_};
  [[maybe_unused]] CoverageWriter writer_{context_};
};

}  // namespace cxlgpu
