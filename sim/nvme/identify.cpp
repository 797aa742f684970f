// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
#include "sim/nvme/identify.hpp"

#include <algorithm>
#include <bit>
#include <cstring>
#include <string_view>

#include "sim/nvme/spec.hpp"

namespace cxlgpu::nvme {

namespace {

constexpr std::uint64_t kBlockLog2 = 12;

template <typename T>
void put(IdentifyPage& page, std::size_t at, T value) {
  std::memcpy(page.data() + at, &value, sizeof value);
}

// ASCII, filled up with blanks.
void put_text(IdentifyPage& page, std::size_t at, std::size_t room, std::string_view text) {
  std::fill_n(page.begin() + static_cast<std::ptrdiff_t>(at), room, ' ');
  std::copy(text.begin(), text.end(), page.begin() + static_cast<std::ptrdiff_t>(at));
}

std::uint8_t csi_of(std::uint32_t space) {
  return space == 1 ? kCsiKv : kCsiNvm;
}

}  // namespace

IdentifyPage identify_controller(const IdentifyFacts& facts) {
  IdentifyPage page(kPage);
  put_text(page, 4, 20, "CXLGPU0001");
  put_text(page, 24, 40, "cxlgpu key-value controller");
  put_text(page, 64, 8, "0.2");
  // MDTS: most bytes of a transfer, a power of two of pages.
  put(page, 77, static_cast<std::uint8_t>(std::bit_width(facts.most_value / kPage) - 1));
  put(page, 80, std::uint32_t{0x0002'0000});  // VER
  put(page, 111, std::uint8_t{1});            // CNTRLTYPE: I/O
  put(page, 258, std::uint8_t{3});            // ACL
  put(page, 259, std::uint8_t{3});            // AERL: four events
  put(page, 260, std::uint8_t{3});            // FRMW: one slot, read only
  put(page, 512, std::uint8_t{0x66});         // SQES
  put(page, 513, std::uint8_t{0x44});         // CQES
  put(page, 516, facts.spaces);               // NN
  constexpr std::string_view kName = "nqn.2026-01.org.cxlgpu:kv0";
  std::copy(kName.begin(), kName.end(), page.begin() + 768);
  return page;
}

IdentifyPage identify_key_value(const IdentifyFacts& facts) {
  IdentifyPage page(kPage);
  put(page, 0, facts.room);
  put(page, 16, facts.used);
  put(page, 25, std::uint8_t{0});  // NKVF: one format, less 1
  put(page, 72, std::uint16_t{Key::kMost});
  put(page, 76, static_cast<std::uint32_t>(facts.most_value));
  return page;  // 80: as many keys as there is room for
}

IdentifyPage identify_blocks(const IdentifyFacts& facts) {
  IdentifyPage page(kPage);
  const std::uint64_t blocks = facts.block_bytes >> kBlockLog2;
  for (const std::size_t at : {0, 8, 16}) put(page, at, blocks);  // NSZE, NCAP, NUSE
  put(page, 130, static_cast<std::uint8_t>(kBlockLog2));          // LBADS of format 0
  return page;
}

IdentifyPage identify_independent() {
  IdentifyPage page(kPage);
  put(page, 14, std::uint8_t{1});  // NSTAT: ready
  return page;
}

IdentifyPage identify_list(const IdentifyFacts& facts, std::uint32_t after, int csi) {
  IdentifyPage page(kPage);
  std::size_t at = 0;
  for (std::uint32_t space = after + 1; space <= facts.spaces; ++space) {
    if (csi >= 0 && csi_of(space) != csi) continue;
    put(page, at, space);
    at += 4;
  }
  return page;
}

// NGUID, type 2, and command set, type 4, each with a header of 4.
IdentifyPage identify_descriptors(std::uint32_t space) {
  IdentifyPage page(kPage);
  page[0] = 2;
  page[1] = 16;
  put(page, 4, std::uint64_t{0x7578'6c67'7075'0000} | space);
  put(page, 12, std::uint64_t{space});
  page[20] = 4;
  page[21] = 1;
  page[24] = csi_of(space);
  return page;
}

IdentifyPage identify_combinations(const IdentifyFacts& facts) {
  IdentifyPage page(kPage);
  put(page, 0, std::uint64_t{1u << kCsiKv | (facts.spaces > 1 ? 1u << kCsiNvm : 0)});
  return page;
}

}  // namespace cxlgpu::nvme
