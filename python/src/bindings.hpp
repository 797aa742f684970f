// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
// What the parts of the extension module share.
//
// Purpose: cxlgpu._core is what the package cxlgpu is written on. The package checks what it is
//          given, in words of its own; the module takes it as it is.
// Errors:  those of the library and of the command become cxlgpu.Error.
#pragma once

#include <nanobind/nanobind.h>

#include <cstdint>
#include <string>
#include <vector>

namespace cxlgpu::python {

namespace nb = nanobind;

void add_errors(nb::module_& module);
void add_machine(nb::module_& module);
void add_run(nb::module_& module);
void add_flits(nb::module_& module);

// Numbers one behind the other, as array.array and numpy.frombuffer read them.
template <typename Number>
[[nodiscard]] nb::bytes column(const std::vector<Number>& numbers) {
  return nb::bytes(reinterpret_cast<const char*>(numbers.data()), numbers.size() * sizeof(Number));
}

[[nodiscard]] inline nb::object text_or_none(const char* text) {
  return text == nullptr ? nb::object(nb::none()) : nb::object(nb::str(text));
}

}  // namespace cxlgpu::python
