// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
// In place of make_rtl_engine.cpp, in a build with -DCXLGPU_RTL=OFF.
#include "common/input_error.hpp"
#include "tb/system_engine.hpp"

namespace cxlgpu {

bool rtl_is_built() {
  return false;
}

std::unique_ptr<SystemEngine> make_rtl_engine(const RunConfig&, const EngineParts&,
                                              const EngineOptions&) {
  throw InputError(
      "engine: this build has no RTL (-DCXLGPU_RTL=OFF); use --engine model, or a build with it");
}

}  // namespace cxlgpu
