// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
// What a copy of a stream becomes: one call, or chunks with a dummy task in its place.
//
// Purpose: the transfer task interceptor of MMA, and the other ways to copy in its place.
// Timing:  by MMA, callback_ps from the dummy task to the engine's start, release_ps from its end
//          until what is behind it may run.
// Source:  MMA, 3.2 and 3.3.
#pragma once

#include <cstdint>
#include <memory>

#include "sim/multipath/transfer_engine.hpp"

namespace cxlgpu {

// How copies go: by one call over the GPU's link; over several, by shares; by MMA.
enum class CopyScheme : std::uint8_t { Direct, Static, Mma };

class Interceptor {
 public:
  // `host` and `machine` outlive it.
  Interceptor(CopyHost& host, const MultipathConfig& machine, CopyScheme scheme,
              CopyDirection direction)
      : host_(host), machine_(machine), scheme_(scheme), direction_(direction) {}

  // The stream has reached the copy. `engine` stays until it has ended.
  void start(TransferEngine& engine, TransferEngine::Request request);

  [[nodiscard]] std::uint64_t native() const { return native_; }  // that were too short for MMA
  [[nodiscard]] std::uint64_t chunks() const { return chunks_; }

 private:
  CopyHost& host_;
  const MultipathConfig& machine_;
  CopyScheme scheme_;
  CopyDirection direction_;
  std::uint64_t native_ = 0, chunks_ = 0;
};

// The rule of a scheme; of Direct any, as it has no chunks.
std::unique_ptr<ChunkSource> make_chunk_source(CopyScheme scheme, const MultipathConfig& machine,
                                               std::uint64_t seed);
// Until a chunk that has ended is seen: what is split by rule is a graph that waits for itself, so
// that no thread looks after its copies.
inline Time seen_after(CopyScheme scheme, const MultipathConfig& machine) {
  return Time{scheme == CopyScheme::Static ? 0 : machine.sync_ps};
}

}  // namespace cxlgpu
