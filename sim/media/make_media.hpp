// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
// Makes the media model that a configuration describes.
//
// Shapes:  `capacity` bytes of media space (DPA 0 .. capacity - 1); `slots` lines of `line_bytes`
//          in the internal DRAM array, 0 for a part without a cache. A DRAM part has no array and
//          ignores both. It has no dies to collect either, and refuses a script.
// Errors:  InputError, one line, if the part is smaller than asked or the line does not fit.
#pragma once

#include <cstdint>
#include <memory>

#include "common/media_port.hpp"
#include "sim/media/collection_script.hpp"
#include "sim/media/media_config.hpp"

namespace cxlgpu {

struct MediaShape {
  std::uint64_t capacity = 0;  // bytes
  std::uint32_t slots = 0;
  std::uint32_t line_bytes = 256;
  CollectionScript collection{};
};

[[nodiscard]] std::unique_ptr<Media> make_media(const MediaConfig& config, const MediaShape& shape);

}  // namespace cxlgpu
