// cxlgpu flit decode|encode|check.
//
// Input:  a flit log, hex flits (136 digits a line) or, for encode, the JSON that decode prints;
//         from a file or standard input.
// Errors: InputError / flits::InputError, one line with file and line; check exits 1 on a
// violation.
#pragma once

#include <CLI/CLI.hpp>
#include <string>

namespace cxlgpu {

struct FlitArguments {
  std::string action;             // decode, encode, check
  std::string file = "-";         // "-": standard input
  std::string direction = "M2S";  // of hex flits; a log says it itself
  bool json = false;
};

void add_flit_command(CLI::App& app, FlitArguments& arguments);
int flit_command(const FlitArguments& arguments);

}  // namespace cxlgpu
