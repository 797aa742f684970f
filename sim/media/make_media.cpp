// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
#include "sim/media/make_media.hpp"

#include <fmt/format.h>

#include <bit>

#include "common/input_error.hpp"
#include "sim/media/ddr5_media.hpp"
#include "sim/media/flash_media.hpp"

namespace cxlgpu {

std::unique_ptr<Media> make_media(const MediaConfig& config, const MediaShape& shape) {
  const auto [capacity, slots, line_bytes, collection] = shape;
  const auto fail = [&config](const std::string& what) {
    throw InputError(fmt::format("{}:{}: key 'organisation': {}", config.file.string(),
                                 config.organisation_line, what));
  };
  if (capacity == 0 || capacity % kLineBytes != 0) {
    fail(fmt::format("{} bytes asked for are not whole lines; ask for a multiple of {}", capacity,
                     kLineBytes));
  }
  if (capacity > config.capacity()) {
    fail(fmt::format("the part holds {} bytes, {} are asked for; ask for less or enlarge the part",
                     config.capacity(), capacity));
  }
  if (const auto* dram = std::get_if<DramConfig>(&config.params)) {
    if (collection.on()) {
      fail("a DRAM part has no dies to collect; leave the script out or choose a flash part");
    }
    return std::make_unique<Ddr5Media>(*dram, capacity);
  }
  const FlashConfig& flash = std::get<FlashConfig>(config.params);
  if (!std::has_single_bit(line_bytes) || line_bytes < kLineBytes ||
      line_bytes > flash.page_bytes) {
    fail(fmt::format("a cache line of {} bytes does not fit; use a power of two from {} to {}",
                     line_bytes, kLineBytes, flash.page_bytes));
  }
  if (capacity % line_bytes != 0) {
    fail(fmt::format("{} bytes asked for are not whole cache lines; ask for a multiple of {}",
                     capacity, line_bytes));
  }
  if (std::uint64_t{slots} * line_bytes > flash.internal_dram.capacity) {
    fail(
        fmt::format("the internal DRAM holds {} bytes, {} slots of {} bytes are asked for; ask for "
                    "fewer slots",
                    flash.internal_dram.capacity, slots, line_bytes));
  }
  return std::make_unique<FlashMedia>(flash, capacity, slots, line_bytes, collection);
}

}  // namespace cxlgpu
