// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
// `cxlgpu trace`: looks at traces, converts them, cuts them.
//
// Purpose: a trace is judged and made fit before it is replayed. None of it is ever whole in
//          memory; files and pipes are read alike.
// Errors:  InputError, flits::OutputError.
#pragma once

#include <string>

namespace CLI {
class App;
}

namespace cxlgpu {

struct TraceArguments {
  std::string action, in, out, format;
  std::string from, to, from_cycle, to_cycle;
  bool json = false, lossy = false, rebase = false;
};

void add_trace_command(CLI::App& app, TraceArguments& a);
int trace_command(const TraceArguments& a);

}  // namespace cxlgpu
