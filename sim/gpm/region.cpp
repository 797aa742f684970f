// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
#include "sim/gpm/region.hpp"

#include <algorithm>

namespace cxlgpu::gpm {

namespace {

constexpr std::uint64_t kWords = kLineBytes / 4;

DeviceArray<std::uint32_t> line_at(std::uint64_t address) {
  return {address, kWords};
}

LaneMask lanes_below(const Warp& w, std::uint64_t at, std::uint64_t end) {
  return w.active({0, end, 1}, at);
}

}  // namespace

WarpTask store_line(Warp& w, std::uint64_t address, LineWords words) {
  for (std::uint64_t at = 0; at < kWords; at += w.width()) {
    w.store(line_at(address), w.consecutive(at),
            w.map([&](unsigned lane) { return at + lane < kWords ? words[at + lane] : 0U; }),
            lanes_below(w, at, kWords));
  }
  co_await w.drain();
}

WarpTask load_line(Warp& w, std::uint64_t address, LineWords& words) {
  for (std::uint64_t at = 0; at < kWords; at += w.width()) {
    const auto some =
        co_await w.load_l2(line_at(address), w.consecutive(at), lanes_below(w, at, kWords));
    for (unsigned lane = 0; lane < w.width() && at + lane < kWords; ++lane) {
      words[at + lane] = some[lane];
    }
  }
}

WarpTask gpm_map(Warp& w, std::uint64_t directory, std::string_view name, Kind kind, Place wanted,
                 bool create, Mapped& out, Fault fault) {
  out = Mapped{};
  std::uint64_t room = kEntries;
  for (std::uint64_t i = 0; i < kEntries; ++i) {
    LineWords words{};
    co_await load_line(w, directory + i * kLineBytes, words);
    w.compute(16);  // compare name and CRC
    const auto entry = line_from<Entry>(words);
    if (entry.state == 1 && entry.is(name) && (entry.valid() || fault == Fault::NoCrcCheck)) {
      out.place = {entry.base, entry.bytes};
      out.ok = true;
      co_return;
    }
    if (!entry.valid()) {
      room = std::min(room, i);
      // Entries are made in order and freed by state: behind one that never was there is none.
      if (words == LineWords{}) break;
    }
  }
  if (!create || room == kEntries) co_return;
  Entry entry;
  std::copy_n(name.begin(), std::min(name.size(), kNameBytes), entry.name.begin());
  entry.base = wanted.base;
  entry.bytes = wanted.bytes;
  entry.kind = static_cast<std::uint32_t>(kind);
  entry.crc = entry.own_crc();
  const std::uint64_t at = directory + room * kLineBytes;
  co_await store_line(w, at, words_of(entry));
  bool safe = co_await w.persist();
  entry.state = 1;
  co_await store_line(w, at, words_of(entry));
  safe = co_await w.persist() && safe;
  out = {wanted, safe, true};
}

WarpTask gpm_unmap(Warp& w, std::uint64_t directory, std::string_view name) {
  for (std::uint64_t i = 0; i < kEntries; ++i) {
    LineWords words{};
    co_await load_line(w, directory + i * kLineBytes, words);
    if (!line_from<Entry>(words).is(name)) continue;
    words[Entry::kStateWord] = 0;
    co_await store_line(w, directory + i * kLineBytes, words);
    co_await w.persist();
    co_return;
  }
}

WarpTask write_header(Warp& w, std::uint64_t address, Kind kind,
                      std::array<std::uint32_t, 8> of_kind) {
  Header header;
  header.kind = static_cast<std::uint32_t>(kind);
  header.of_kind = of_kind;
  header.crc = header.own_crc();
  co_await store_line(w, address, words_of(header));
  co_await w.persist();
}

WarpTask read_header(Warp& w, std::uint64_t address, Kind kind, Header& header, bool& valid,
                     Fault fault) {
  LineWords words{};
  co_await load_line(w, address, words);
  w.compute(16);
  header = line_from<Header>(words);
  valid = header.valid(kind) || (fault == Fault::NoCrcCheck && header.magic != 0);
}

}  // namespace cxlgpu::gpm
