// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
// Packer and unpacker of a link layer, for a link with or without CXL.cache.
//
// Purpose: the one place where the link layer's twin knows of two packers.
// Units:   as in the two.
// Errors:  none.
// Source:  docs/blocks/controller/link_layer.md.
#pragma once

#include <optional>

#include "refmodel/controller/cache_packer.hpp"
#include "refmodel/controller/cache_unpacker.hpp"

namespace cxlgpu {

class LinkPacker {
 public:
  LinkPacker(bool is_host, bool has_cache) : mem_(is_host) {
    if (has_cache) both_.emplace(is_host);
  }
  [[nodiscard]] CachePacker::Out eval(const CachePacker::In& in) const {
    if (both_) return both_->eval(in);
    CachePacker::Out out;
    out.mem = mem_.eval(in.mem);
    return out;
  }
  void clock(const CachePacker::In& in) { both_ ? both_->clock(in) : mem_.clock(in.mem); }
  [[nodiscard]] unsigned owed() const { return both_ ? both_->owed() : mem_.owed(); }

 private:
  FlitPacker mem_;
  std::optional<CachePacker> both_;
};

class LinkUnpacker {
 public:
  LinkUnpacker(bool is_host, bool has_cache) : mem_(is_host) {
    if (has_cache) both_.emplace(is_host);
  }
  [[nodiscard]] CacheUnpacker::Out eval(const FlitUnpacker::In& in) const {
    if (both_) return both_->eval(in);
    CacheUnpacker::Out out;
    out.mem = mem_.eval(in);
    return out;
  }
  void clock(const FlitUnpacker::In& in) { both_ ? both_->clock(in) : mem_.clock(in); }
  [[nodiscard]] unsigned owed() const { return both_ ? both_->owed() : mem_.owed(); }

 private:
  FlitUnpacker mem_;
  std::optional<CacheUnpacker> both_;
};

}  // namespace cxlgpu
