// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
#include "sim/machine/endpoint_media.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>

#include "common/input_error.hpp"

namespace cxlgpu {

namespace {

constexpr unsigned kCacheWays = 8;
constexpr unsigned kMaxSetsLog2 = 10;

std::filesystem::path image_file(const std::filesystem::path& dir, unsigned port) {
  return dir / fmt::format("port{}.img", port);
}

CollectionScript collection_script(const EndpointConfig& c) {
  constexpr Time us{1000000};
  return {us * c.gc_first_us, us * c.gc_every_us, us * c.gc_busy_us,
          static_cast<std::uint32_t>(c.gc_dies_percent)};
}

}  // namespace

EndpointMedia::EndpointMedia(const RunConfig& config, const MediaConfig& part, unsigned sets_log2)
    : EndpointMedia(
          config, [&part](unsigned, const MediaShape& shape) { return make_media(part, shape); },
          sets_log2, keeps(part)) {}

EndpointMedia::EndpointMedia(const RunConfig& config, const MakePart& make, unsigned sets_log2,
                             bool keeps) {
  for (unsigned port = 0; port < config.ports; ++port) {
    MediaShape shape;
    const std::uint32_t line = config.endpoint.line_bytes;
    shape.capacity = std::max<std::uint64_t>(MemoryMap::capacity(config.hdm, port), line);
    const bool kv = config.nvme.on() && port == 0;
    if (kv) {
      constexpr std::uint64_t kGranule = nvme::MediaStore::kGranule;
      area_.key_base = (shape.capacity + kGranule - 1) / kGranule * kGranule;
      area_.key_bytes = config.nvme.store_bytes;
      area_.block_base = area_.key_base + area_.key_bytes;
      area_.block_bytes = config.nvme.block_bytes;
      shape.capacity = area_.block_base + area_.block_bytes;
    }
    shape.slots = kCacheWays << sets_log2;
    shape.line_bytes = line;
    shape.collection = collection_script(config.endpoint);
    parts_.push_back(make(port, shape));
    Media* media = parts_.back().get();
    if (keeps) flash_.push_back(dynamic_cast<FlashMedia*>(media));
    if (config.persistent() != nullptr) {
      std::vector<HdmRange> before;  // DPA rises with the ranges, and those that persist come last
      std::ranges::copy_if(config.hdm, std::back_inserter(before),
                           [](const HdmRange& range) { return !range.persistent; });
      durable_.push_back(std::make_unique<DurableMedia>(
          *media, keeps ? flash_.back() : nullptr, port, MemoryMap::capacity(before, port),
          keeps ? config.persist_domain : std::max(config.persist_domain, PersistDomain::Device)));
      media = durable_.back().get();
    }
    if (kv) {
      const auto piece =
          keeps ? std::min<std::uint64_t>(flash_.back()->page_bytes(), nvme::MediaStore::kGranule)
                : kLineBytes;
      shared_ = std::make_unique<nvme::SharedMedia>(*media, config.nvme.media_commands, piece);
      media = shared_.get();
    }
    media_.push_back(media);
  }
  map_ = std::make_unique<MemoryMap>(config.hdm, media_);
}

bool EndpointMedia::keeps(const MediaConfig& part) {
  return std::holds_alternative<FlashConfig>(part.params);
}

void EndpointMedia::load_images(const std::filesystem::path& dir, FlatMemory& flat) {
  for (unsigned port = 0; port < flash_.size(); ++port) {
    flash_[port]->load(image_file(dir, port));
    for (const std::uint64_t page : flash_[port]->written_pages()) {
      for (std::uint64_t dpa = page; dpa < page + SparseStore::kPageBytes; dpa += kLineBytes) {
        const auto hpa = map_->address({port, dpa});
        if (hpa) flat.poke(*hpa, flash_[port]->peek(dpa));
      }
    }
  }
  const std::filesystem::path more = image_file(dir, static_cast<unsigned>(flash_.size()));
  if (std::filesystem::exists(more)) {
    throw InputError(
        fmt::format("{}: the images are of more than {} ports; use the system that "
                    "made them",
                    more.string(), flash_.size()));
  }
}

std::vector<ImageWriter> EndpointMedia::shut_down(Time now) {
  std::vector<ImageWriter> images;
  for (FlashMedia* part : flash_) {
    part->shut_down(now);
    images.push_back(part->image());
  }
  return images;
}

void EndpointMedia::write_images(const std::filesystem::path& dir,
                                 const std::vector<ImageWriter>& images) {
  std::error_code error;
  std::filesystem::create_directories(dir, error);
  std::vector<flits::OutputFile> files;
  files.reserve(images.size());
  for (unsigned port = 0; port < images.size(); ++port) {
    images[port].write_to(files.emplace_back(image_file(dir, port)));
  }
  for (flits::OutputFile& file : files) file.publish();
}

std::uint64_t EndpointMedia::share_bytes(const RunConfig& config, std::uint64_t data_bytes) {
  const std::uint64_t total = config.endpoint.cache_bytes != 0
                                  ? config.endpoint.cache_bytes * config.ports
                                  : data_bytes * config.endpoint.cache_percent / 100;
  return total / config.ports;
}

unsigned EndpointMedia::sets_log2(const RunConfig& config, std::uint64_t data_bytes) {
  const std::uint64_t sets =
      share_bytes(config, data_bytes) / (config.endpoint.line_bytes * kCacheWays);
  return sets == 0 ? 0u : std::min(kMaxSetsLog2, static_cast<unsigned>(std::bit_width(sets) - 1));
}

std::uint64_t EndpointMedia::cache_bytes(const RunConfig& config, unsigned sets_log2) {
  return std::uint64_t{config.endpoint.line_bytes} * kCacheWays << sets_log2;
}

}  // namespace cxlgpu
