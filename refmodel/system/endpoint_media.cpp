#include "refmodel/system/endpoint_media.hpp"

#include <algorithm>
#include <bit>

#include "refmodel/media/make_media.hpp"

namespace cxlgpu {

namespace {

constexpr unsigned kCacheWays = 8;
constexpr std::uint64_t kCacheLine = 256;
constexpr unsigned kMaxSetsLog2 = 10;

CollectionScript collection_script(const EndpointConfig& c) {
  constexpr Time us{1000000};
  return {us * c.gc_first_us, us * c.gc_every_us, us * c.gc_busy_us,
          static_cast<std::uint32_t>(c.gc_dies_percent)};
}

}  // namespace

EndpointMedia::EndpointMedia(const RunConfig& config, const MediaConfig& part, unsigned sets_log2) {
  for (unsigned port = 0; port < config.ports; ++port) {
    MediaShape shape;
    shape.capacity = std::max<std::uint64_t>(MemoryMap::capacity(config.hdm, port), kCacheLine);
    shape.slots = kCacheWays << sets_log2;
    shape.collection = collection_script(config.endpoint);
    parts_.push_back(make_media(part, shape));
    media_.push_back(parts_.back().get());
  }
  map_ = std::make_unique<MemoryMap>(config.hdm, media_);
}

unsigned EndpointMedia::sets_log2(const RunConfig& config, std::uint64_t data_bytes) {
  const std::uint64_t total = config.endpoint.cache_bytes != 0
                                  ? config.endpoint.cache_bytes * config.ports
                                  : data_bytes * config.endpoint.cache_percent / 100;
  const std::uint64_t sets = total / config.ports / (kCacheLine * kCacheWays);
  return sets == 0 ? 0u : std::min(kMaxSetsLog2, static_cast<unsigned>(std::bit_width(sets) - 1));
}

std::uint64_t EndpointMedia::cache_bytes(unsigned sets_log2) {
  return kCacheLine * kCacheWays << sets_log2;
}

}  // namespace cxlgpu
