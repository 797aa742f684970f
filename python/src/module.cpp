// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
#include <nanobind/stl/string.h>

#include "api/cxlgpu.hpp"
#include "cli/version.hpp"
#include "python/src/bindings.hpp"

NB_MODULE(_core, module) {
  using namespace cxlgpu::python;
  nb::set_leak_warnings(false);  // a reader of flits may be left at exit
  module.doc() = "What the package cxlgpu is written on; use the package.";
  module.attr("version") = std::string(cxlgpu::library_version());
  module.attr("commit") = cxlgpu::source_commit();
  add_errors(module);
  add_machine(module);
  add_run(module);
  add_flits(module);
}
