// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
// Enters in a journal what the parts of a machine tell.
//
// Purpose: the endpoints' watcher, by whose DPA the physical address is found, and, where the GPU's
//          caches survive, that of its stores.
// Errors:  none.
#pragma once

#include <optional>

#include "sim/gpu/llc.hpp"
#include "sim/persist/durable_media.hpp"
#include "sim/persist/journal.hpp"

namespace cxlgpu {

class PersistLog final : public EntryWatcher, public StoreWatcher {
 public:
  using ToAddress = std::function<std::optional<std::uint64_t>(unsigned port, std::uint64_t dpa)>;
  explicit PersistLog(ToAddress address) : address_(std::move(address)) {}

  [[nodiscard]] Journal& journal() { return journal_; }
  [[nodiscard]] const Journal& journal() const { return journal_; }

  void entered(unsigned port, std::uint64_t dpa, const Line& data, std::uint64_t bytes,
               Time at) override {
    if (kept_) return;
    if (const auto line = address_(port, dpa)) journal_.entered(*line, data, bytes, at);
  }
  void stored(std::uint64_t line, const Line& data, std::uint64_t bytes) override {
    kept_ = true;
    journal_.kept(line, data, bytes, Time{0});
  }

 private:
  ToAddress address_;
  Journal journal_;
  bool kept_ = false;  // in a cache: what reaches the endpoints later is no event
};

}  // namespace cxlgpu
