// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
// What a request was, by where its line came from.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

namespace cxlgpu {

enum class RequestKind : std::uint8_t {
  LoadHit,
  LoadMiss,
  LoadMerge,
  LoadDirect,
  LoadLocal,
  Store,
  Count
};
inline constexpr std::array<std::string_view, static_cast<std::size_t>(RequestKind::Count)>
    kRequestKindNames = {"load, internal DRAM hit",  "load, internal DRAM miss",
                         "load, merged with a fill", "load, no internal DRAM",
                         "load, deferred store",     "store"};

}  // namespace cxlgpu
