// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
// The media behind the ports of a configuration, and the map into them.
//
// Purpose: one set of parts, as each engine of a run needs one of its own.
// Shapes:  part i stands behind port i and is as large as its share of the HDM ranges; internal
//          DRAM (flash parts) has 8 ways of endpoint.line_bytes and 2^sets_log2 sets.
// Images:  state of flash parts between runs, DIR/port0.img, port1.img ...
// Errors:  InputError of make_media, of image.hpp, and if the images are of more ports.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <vector>

#include "common/media_port.hpp"
#include "sim/config/config.hpp"
#include "sim/machine/memory_map.hpp"
#include "sim/media/flash_media.hpp"
#include "sim/media/make_media.hpp"
#include "sim/media/media_config.hpp"
#include "sim/nvme/media_store.hpp"
#include "sim/nvme/shared_media.hpp"
#include "sim/persist/durable_media.hpp"

namespace cxlgpu {

class EndpointMedia {
 public:
  EndpointMedia(const RunConfig& config, const MediaConfig& part, unsigned sets_log2);
  // Parts that somebody else makes. They keep nothing without power.
  using MakePart = std::function<std::unique_ptr<Media>(unsigned port, const MediaShape& shape)>;
  EndpointMedia(const RunConfig& config, const MakePart& make, unsigned sets_log2)
      : EndpointMedia(config, make, sets_log2, false) {}

  [[nodiscard]] const std::vector<Media*>& media() const { return media_; }
  [[nodiscard]] MemoryMap& map() { return *map_; }

  // Of a machine with an NVMe controller, behind port 0: the part that it shares, and what of it is
  // the controller's. Null without one.
  [[nodiscard]] nvme::SharedMedia* shared() const { return shared_.get(); }
  [[nodiscard]] const nvme::MediaArea& area() const { return area_; }

  // Of bytes that enter the domain in which they survive a loss of power.
  void watch(EntryWatcher* watcher) {
    for (const auto& part : durable_) part->watch(watcher);
  }

  // Of the part of a port; one without dies has nothing to tell.
  void watch_dies(unsigned port, DieWatcher* watcher) { parts_[port]->watch_dies(watcher); }

  // True if the part keeps its state without power, so that images of it can be made.
  [[nodiscard]] static bool keeps(const MediaConfig& part);
  // The parts as the images have them, and their contents copied to `flat`. Precondition: keeps(),
  // newly made.
  void load_images(const std::filesystem::path& dir, FlatMemory& flat);
  // Orderly shutdown at `now`, nothing outstanding: the images, by port. Precondition: keeps().
  [[nodiscard]] std::vector<ImageWriter> shut_down(Time now);
  // All are written, then all get their names.
  static void write_images(const std::filesystem::path& dir,
                           const std::vector<ImageWriter>& images);

  // What the configuration gives one endpoint's internal DRAM, if all of the data set has
  // `data_bytes`.
  [[nodiscard]] static std::uint64_t share_bytes(const RunConfig& config, std::uint64_t data_bytes);
  // Sets of the internal DRAM of one endpoint: the largest power of two within that share.
  [[nodiscard]] static unsigned sets_log2(const RunConfig& config, std::uint64_t data_bytes);
  // Of the internal DRAM of one endpoint.
  [[nodiscard]] static std::uint64_t cache_bytes(const RunConfig& config, unsigned sets_log2);

 private:
  EndpointMedia(const RunConfig& config, const MakePart& make, unsigned sets_log2, bool keeps);

  std::vector<std::unique_ptr<Media>> parts_;
  std::unique_ptr<nvme::SharedMedia> shared_;
  nvme::MediaArea area_;
  std::vector<std::unique_ptr<DurableMedia>> durable_;  // before them; empty if nothing persists
  std::vector<Media*> media_;
  std::vector<FlashMedia*> flash_;  // by port; empty if the part does not keep its state
  std::unique_ptr<MemoryMap> map_;
};

}  // namespace cxlgpu
