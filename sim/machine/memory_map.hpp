// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
// Contents of the endpoints by host physical address, without simulated time.
//
// Purpose: how input data gets into the media before a run and how results are read after it. The
//          address goes through the configured HDM ranges (CXL 2.0 8.2.5.12.20 arithmetic, worked
//          out here from the configuration and not taken from any engine's decoders).
// Errors:  addresses outside every range are ignored by poke() and read as zero by peek().
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "common/media_port.hpp"
#include "sim/config/config.hpp"
#include "sim/host/backdoor.hpp"
#include "sim/host/scoreboard.hpp"

namespace cxlgpu {

class MemoryMap : public Backdoor {
 public:
  MemoryMap(const std::vector<HdmRange>& ranges, std::vector<Media*> media)
      : ranges_(ranges), media_(std::move(media)) {}

  struct Place {
    unsigned port = 0;
    std::uint64_t dpa = 0;
  };
  [[nodiscard]] std::optional<Place> place(std::uint64_t hpa) const;
  // The other way round.
  [[nodiscard]] std::optional<std::uint64_t> address(const Place& place) const;
  // Bytes of media that a port's ranges need.
  [[nodiscard]] static std::uint64_t capacity(const std::vector<HdmRange>& ranges, unsigned port);

  // Holds what the endpoints have against what was written, a line of text for each of the first
  // `most` memory lines that differ; addresses outside every range are left out.
  [[nodiscard]] std::vector<std::string> differences(const FlatMemory& written,
                                                     std::size_t most = 4) const;

  void poke(std::uint64_t hpa, std::span<const std::uint8_t> bytes) override;
  void peek(std::uint64_t hpa, std::span<std::uint8_t> bytes) const override;

 private:
  std::vector<HdmRange> ranges_;
  std::vector<Media*> media_;
};

}  // namespace cxlgpu
