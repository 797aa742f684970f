// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
// cxlgpu flit decode|encode|check|convert.
//
// Input:  a flit log, text or pcapng, hex flits (136 digits a line) or, for encode, the JSON that
//         decode prints; from a file or standard input, told apart by how it begins.
// JSON:   of a flit what flits/text.hpp says, of CXL.io "packets" (flits/io_stream.hpp), with
//         "owed" (data slots owed as it begins), "crc_ok" (null where a flit has no CRC) and
//         "discarded" (by its receiver: damaged, or in the shadow of a damaged one); of a log first
//         "time_ps" and "link". A Recovery or a link that went down is {"time_ps", "link",
//         "event": "recovery" | "down"}. encode makes of a log's JSON the log again. Of bare flits
//         "rules": what breaks one.
// Errors: InputError / flits::InputError, one line with file and line; check exits 1 on a
// violation.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>

namespace CLI {
class App;  // its header costs each file that reads it seconds of the compiler
}

namespace cxlgpu {

struct FlitArguments {
  std::string action;             // decode, encode, check, convert
  std::string file = "-";         // "-": standard input
  std::string direction = "M2S";  // of hex flits; a log says it itself
  bool json = false, draw = false;
  bool wrap_inclusive = false;  // check: how the wrap value of INIT.Param is read
  // What decode shows, of the rest nothing.
  std::string link;
  std::uint64_t from_ps = 0, to_ps = ~std::uint64_t{0};
  std::optional<std::string> opcode, address;
  std::optional<std::uint64_t> tag;
  std::string out, to;  // convert: where, and as what
  // decode: told of each line of JSON, instead of standard output.
  std::function<void(const std::string&)> on_json;
};

void add_flit_command(CLI::App& app, FlitArguments& arguments);
int flit_command(const FlitArguments& arguments);

}  // namespace cxlgpu
