// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
#include "sim/persist/host_images.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstring>

#include "sim/gpm/layout.hpp"

namespace cxlgpu {

namespace {

struct ImageLine {
  std::uint64_t magic = 0, sequence = 0, bytes = 0;
  std::uint32_t data_crc = 0, crc = 0;
  std::array<std::uint64_t, 4> zero{};
  [[nodiscard]] std::uint32_t own_crc() const {
    return gpm::crc_of(this, offsetof(ImageLine, crc));
  }
};
static_assert(sizeof(ImageLine) == kLineBytes);
constexpr std::uint64_t kMagic = 0x6567616d69706163;  // "capimage"

}  // namespace

std::vector<std::uint8_t> HostImages::make(std::uint64_t sequence,
                                           const std::vector<std::uint8_t>& bytes) const {
  ImageLine line{.magic = kMagic, .sequence = sequence, .bytes = bytes.size()};
  line.data_crc = gpm::crc_of(bytes.data(), bytes.size());
  line.crc = line.own_crc();
  std::vector<std::uint8_t> image(kLineBytes + bytes.size());
  std::memcpy(image.data(), &line, sizeof line);
  std::copy(bytes.begin(), bytes.end(), image.begin() + kLineBytes);
  return image;
}

std::optional<HostImages::Found> HostImages::newest(const Backdoor& memory) const {
  std::optional<Found> best;
  for (const std::uint64_t which : {0U, 1U}) {
    std::array<std::uint8_t, kLineBytes> raw{};
    memory.peek(image(which), raw);
    ImageLine line;
    std::memcpy(&line, raw.data(), sizeof line);
    if (line.magic != kMagic || line.crc != line.own_crc() || line.bytes != bytes_ ||
        (best && best->sequence > line.sequence)) {
      continue;
    }
    Found found{line.sequence, std::vector<std::uint8_t>(bytes_)};
    memory.peek(image(which) + kLineBytes, found.bytes);
    if (gpm::crc_of(found.bytes.data(), found.bytes.size()) == line.data_crc) best = found;
  }
  return best;
}

void load_staged(const SystemMapParams& map, const Backdoor& persistent, Backdoor& memory) {
  const auto found = HostImages(map.persistent_base, map.staged_bytes).newest(persistent);
  if (found) memory.poke(map.staged_base(), found->bytes);
}

}  // namespace cxlgpu
