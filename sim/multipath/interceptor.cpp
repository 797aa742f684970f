// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
#include "sim/multipath/interceptor.hpp"

#include <utility>

namespace cxlgpu {

void Interceptor::start(TransferEngine& engine, TransferEngine::Request request) {
  const bool to_gpu = direction_ == CopyDirection::ToGpu;
  const std::uint64_t bytes = request.host.size();
  const std::uint64_t fallback = to_gpu ? machine_.fallback_h2d_bytes : machine_.fallback_d2h_bytes;
  const bool is_short = scheme_ == CopyScheme::Mma && bytes < fallback;
  if (scheme_ == CopyScheme::Direct || is_short) {
    native_ += is_short;
    engine.native(std::move(request));
    return;
  }
  chunks_ += (bytes + machine_.chunk_bytes - 1) / machine_.chunk_bytes;
  if (scheme_ == CopyScheme::Static) {
    engine.copy(std::move(request));
    return;
  }
  request.done = [this, done = std::move(request.done)](std::uint64_t missing) {
    host_.after(Time{machine_.release_ps}, [done, missing] { done(missing); });
  };
  host_.after(Time{machine_.callback_ps},
              [&engine, request = std::move(request)] { engine.copy(request); });
}

std::unique_ptr<ChunkSource> make_chunk_source(CopyScheme scheme, const MultipathConfig& machine,
                                               std::uint64_t seed) {
  if (scheme == CopyScheme::Static) return std::make_unique<StaticSplit>(machine);
  return std::make_unique<PullScheduler>(machine, seed);
}

}  // namespace cxlgpu
