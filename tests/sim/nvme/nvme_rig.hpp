// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
// A controller with its store on a DRAM part, driven by a host with one pair of I/O queues.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "sim/media/make_media.hpp"
#include "sim/media/media_config.hpp"
#include "sim/nvme/bus.hpp"
#include "sim/nvme/controller.hpp"
#include "sim/nvme/host_driver.hpp"
#include "sim/nvme/media_store.hpp"

namespace cxlgpu::nvme {

using Bytes = std::vector<std::uint8_t>;

inline std::unique_ptr<Media> part_of(const std::string& name, std::uint64_t capacity) {
  const MediaConfig config =
      load_media_config(CXLGPU_SOURCE_DIR "/configs/media/" + name + ".yaml");
  return make_media(config, {capacity, 0, 256, {}});
}

inline Key key_of(std::string_view text) {
  return Key::of(std::span(reinterpret_cast<const std::uint8_t*>(text.data()), text.size()));
}

inline Bytes some_bytes(std::uint64_t n, unsigned seed) {
  Bytes bytes(n);
  std::uint32_t x = seed * 2654435761u + 1;
  for (std::uint8_t& b : bytes)
    b = static_cast<std::uint8_t>((x = x * 1664525u + 1013904223u) >> 24);
  return bytes;
}

struct RigParams {
  ControllerParams controller{};
  StoreFault store = StoreFault::None;
  std::string part = "dram";
  std::uint64_t store_bytes = 64 << 20, block_bytes = 1 << 20;
  std::uint32_t entries = 16;  // of the I/O queues
};

struct Rig {
  static constexpr std::uint64_t kBase = 1ULL << 40, kRoom = 1ULL << 30;
  static constexpr std::uint64_t kSq = kBase + 0x10'0000, kCq = kBase + 0x20'0000,
                                 kBuffer = kBase + 0x1000'0000;

  explicit Rig(const RigParams& params = {})
      : p(params),
        part(part_of(p.part, p.store_bytes + p.block_bytes)),
        shared(*part, 96, p.part == "dram" ? kLineBytes : 4096),
        store(shared, {0, p.store_bytes, p.store_bytes, p.block_bytes}, p.store),
        bus({.host_base = kBase, .host_bytes = kRoom, .bar_base = 0xc000'0000}, host, nullptr),
        controller(p.controller, bus, store),
        driver(controller, bus, host, kBase) {
    bus.attach(controller);
  }
  // Up, with queue 1.
  Rig& up() {
    EXPECT_TRUE(driver.bring_up()) << driver.why();
    EXPECT_TRUE(driver.create(rings())) << driver.why();
    return *this;
  }
  [[nodiscard]] QueueRings rings(std::uint16_t id = 1) const {
    QueueRings r;
    r.id = id;
    r.entries = p.entries;
    r.sq = {kSq + 0x1'0000 * (id - 1u), 8u * p.entries};
    r.cq = {kCq + 0x1'0000 * (id - 1u), 4u * p.entries};
    return r;
  }

  // Queue 1, entry by entry.
  void put(const Sqe& sqe) {
    Bytes bytes(kSqeBytes);
    std::memcpy(bytes.data(), sqe.dw.data(), kSqeBytes);
    host.poke(kSq + std::uint64_t{kSqeBytes} * tail, bytes);
    tail = (tail + 1) % p.entries;
  }
  void ring() { driver.write(reg::sq_tail(1), tail); }
  void free_entries() { driver.write(reg::cq_head(1), head); }
  [[nodiscard]] Cqe entry(std::uint32_t index) const {
    Cqe cqe;
    Bytes bytes(kCqeBytes);
    host.peek(kCq + std::uint64_t{kCqeBytes} * index, bytes);
    std::memcpy(cqe.dw.data(), bytes.data(), kCqeBytes);
    return cqe;
  }
  // Nothing happens any more, or so much time is over.
  void settle(Time most = Time{1'000'000'000'000}) {
    const Time end = driver.now() + most;
    for (;;) {
      const Time next = std::min(bus.next_event(), controller.next_event());
      if (next > end) return;
      driver.advance(next);
    }
  }
  // The next completion, whose entry is freed only by free_entries().
  std::optional<Cqe> next() {
    settle();
    const Cqe cqe = entry(head);
    if (cqe.phase() != phase) return std::nullopt;
    if (++head == p.entries) {
      head = 0;
      phase = !phase;
    }
    return cqe;
  }
  // One command from its doorbell to its end.
  Cqe run(Sqe sqe) {
    sqe.dw[0] = (sqe.dw[0] & 0xffff) | std::uint32_t{cid} << 16;
    put(sqe);
    ring();
    const auto cqe = next();
    EXPECT_TRUE(cqe) << "no completion";
    free_entries();
    if (!cqe) return {};
    EXPECT_EQ(cqe->cid(), cid);
    EXPECT_EQ(cqe->sq(), 1);
    ++cid;
    return *cqe;
  }

  // Commands with a buffer whose pages are contiguous from `at` on.
  void prps(Sqe& sqe, std::uint64_t at, std::uint64_t bytes) {
    const std::uint64_t first = kPage - at % kPage;
    if (bytes <= first) return sqe.set_prps(at, 0);
    const std::uint64_t second = at + first, pages = (bytes - first + kPage - 1) / kPage;
    if (pages == 1) return sqe.set_prps(at, second);
    Bytes list(8 * pages);
    for (std::uint64_t i = 0; i < pages; ++i) {
      const std::uint64_t page = second + i * kPage;
      std::memcpy(list.data() + 8 * i, &page, 8);
    }
    EXPECT_LE(pages, 512U);
    host.poke(kBase + 0x80'0000, list);
    sqe.set_prps(at, kBase + 0x80'0000);
  }
  Sqe keyed(Kv op, const Key& key, std::uint64_t bytes, std::uint64_t at) {
    Sqe sqe;
    sqe.set(static_cast<std::uint8_t>(op), 0, 1);
    key.put_into(sqe);
    sqe.dw[10] = static_cast<std::uint32_t>(bytes);
    prps(sqe, at, bytes);
    return sqe;
  }
  Cqe put_value(const Key& key, const Bytes& value, std::uint32_t options = 0,
                std::uint64_t at = kBuffer) {
    host.poke(at, value);
    Sqe sqe = keyed(Kv::Store, key, value.size(), at);
    sqe.dw[11] |= options;
    return run(sqe);
  }
  // Into a buffer filled with A5h.
  Cqe get_value(const Key& key, std::uint64_t room, Bytes& out, std::uint64_t at = kBuffer) {
    host.poke(at, Bytes(room + 64, 0xa5));
    const Cqe cqe = run(keyed(Kv::Retrieve, key, room, at));
    out.resize(room + 64);
    host.peek(at, out);
    return cqe;
  }
  Status exists(const Key& key) { return run(keyed(Kv::Exist, key, 0, kBuffer)).status(); }
  Status remove(const Key& key) { return run(keyed(Kv::Delete, key, 0, kBuffer)).status(); }

  RigParams p;
  FlatMemory host;
  std::unique_ptr<Media> part;
  SharedMedia shared;
  MediaStore store;
  KvBus bus;
  Controller controller;
  HostDriver driver;
  std::uint32_t tail = 0, head = 0;
  bool phase = true;
  std::uint16_t cid = 0;
};

inline Sqe admin(Admin op, std::uint32_t dw10 = 0, std::uint32_t dw11 = 0, std::uint64_t prp1 = 0,
                 std::uint32_t nsid = 0) {
  Sqe sqe;
  sqe.set(static_cast<std::uint8_t>(op), 0, nsid);
  sqe.set_prps(prp1, 0);
  sqe.dw[10] = dw10;
  sqe.dw[11] = dw11;
  return sqe;
}

}  // namespace cxlgpu::nvme
