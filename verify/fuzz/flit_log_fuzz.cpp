// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
// A flit log of any bytes is read to its end or refused with one line.
#include "flits/flit_log.hpp"
#include "verify/fuzz/input.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const cxlgpu::fuzz::MemoryFile file({data, size});
  try {
    cxlgpu::flits::FlitLogReader reader(file.path());
    cxlgpu::flits::FlitRecord record;
    while (reader.read(record)) {
    }
  } catch (const cxlgpu::flits::InputError& error) {
    if (std::string(error.what()).find('\n') != std::string::npos) __builtin_trap();
  }
  return 0;
}
