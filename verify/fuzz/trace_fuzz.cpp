// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
// A trace, a graph or a flash image of any bytes is read or refused with one line. The first byte
// says which reader.
#include "sim/host/graph_reader.hpp"
#include "sim/host/trace_reader.hpp"
#include "sim/media/image.hpp"
#include "verify/fuzz/input.hpp"

namespace {

using namespace cxlgpu;

void read(unsigned kind, const std::string& path) {
  if (kind < 4) {
    TraceReader trace(path, {.format = static_cast<TraceFormat>(kind), .max_requests = 10'000});
    const TraceExtent all = extent(trace);
    trace.rewind();
    for (std::uint64_t n = 0; n < all.records; ++n) {
      const auto record = trace.next();
      if (!record || record->addr % kLineBytes != 0 || record->addr >= 1ULL << 52) {
        __builtin_trap();
      }
    }
    if (trace.next()) __builtin_trap();
  } else if (kind < 6) {
    const Graph graph = read_graph(path);
    for (std::uint64_t n = 0; n < graph.nodes(); ++n) {
      if (graph.first_edges[n] > graph.first_edges[n + 1]) __builtin_trap();
    }
    for (const std::uint32_t target : graph.targets) {
      if (target >= graph.nodes()) __builtin_trap();
    }
  } else {
    ImageReader image{path};
    for (std::uint32_t n = image.u32() % 64; n > 0; --n) (void)image.below(1000);
    image.finish();
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  const fuzz::MemoryFile file({data + 1, size - 1});
  try {
    read(data[0] % 7, file.path());
  } catch (const InputError& error) {
    if (std::string(error.what()).find('\n') != std::string::npos) __builtin_trap();
  }
  return 0;
}
