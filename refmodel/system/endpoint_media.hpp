// The media behind the ports of a configuration, and the map into them.
//
// Purpose: one set of parts, as each engine of a run needs one of its own.
// Shapes:  part i stands behind port i and is as large as its share of the HDM ranges; internal
//          DRAM (flash parts) has 8 ways of 256 bytes and 2^sets_log2 sets.
// Errors:  InputError of make_media.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "refmodel/media/media.hpp"
#include "refmodel/media/media_config.hpp"
#include "refmodel/system/config.hpp"
#include "refmodel/system/memory_map.hpp"

namespace cxlgpu {

class EndpointMedia {
 public:
  EndpointMedia(const RunConfig& config, const MediaConfig& part, unsigned sets_log2);

  [[nodiscard]] const std::vector<Media*>& media() const { return media_; }
  [[nodiscard]] MemoryMap& map() { return *map_; }

  // Sets of the internal DRAM of one endpoint: the largest power of two within its share, if all
  // of the data set has `data_bytes`.
  [[nodiscard]] static unsigned sets_log2(const RunConfig& config, std::uint64_t data_bytes);
  // Of the internal DRAM of one endpoint.
  [[nodiscard]] static std::uint64_t cache_bytes(unsigned sets_log2);

 private:
  std::vector<std::unique_ptr<Media>> parts_;
  std::vector<Media*> media_;
  std::unique_ptr<MemoryMap> map_;
};

}  // namespace cxlgpu
