// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
#include "tb/rtl_engine.hpp"
#include "tb/system_engine.hpp"

namespace cxlgpu {

bool rtl_is_built() {
  return true;
}

std::unique_ptr<SystemEngine> make_rtl_engine(const RunConfig& config, const EngineParts& parts,
                                              const EngineOptions& options) {
  if (config.root_port.ds || options.dumps()) {
    return std::make_unique<RtlEngine>(config, parts, options);
  }
  return std::make_unique<FastRtlEngine>(config, parts, options);
}

}  // namespace cxlgpu
