// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
// Keys and blocks through the queues: status, lengths, pages, lists; and each fault that such
// controllers were found to have, put in and seen.
#include <functional>
#include <random>
#include <set>

#include "sim/nvme/pattern.hpp"
#include "tests/sim/nvme/nvme_rig.hpp"

namespace cxlgpu::nvme {
namespace {

Bytes front(const Bytes& bytes, std::size_t n) {
  return {bytes.begin(), bytes.begin() + static_cast<std::ptrdiff_t>(n)};
}
bool untouched(const Bytes& bytes, std::size_t from) {
  return std::all_of(bytes.begin() + static_cast<std::ptrdiff_t>(from), bytes.end(),
                     [](std::uint8_t b) { return b == 0xa5; });
}

TEST(NvmeCommands, KeysByHand) {
  Rig rig;
  rig.up();
  const Key key = key_of("gpukey01");
  Bytes out;
  EXPECT_EQ(rig.exists(key), Status::KeyNotThere);
  EXPECT_EQ(rig.get_value(key, 64, out).status(), Status::KeyNotThere);
  const Bytes value = some_bytes(4000, 3);
  EXPECT_EQ(rig.put_value(key, value).status(), Status::Success);
  EXPECT_EQ(rig.exists(key), Status::Success);
  Cqe cqe = rig.get_value(key, 4096, out);
  EXPECT_EQ(cqe.dw[0], 4000U) << "the stored length, not the buffer's";
  EXPECT_EQ(front(out, 4000), value);
  EXPECT_TRUE(untouched(out, 4000)) << "bytes beyond the value";
  cqe = rig.get_value(key, 100, out);  // a short buffer has its bytes, and success
  EXPECT_EQ(cqe.status(), Status::Success);
  EXPECT_EQ(cqe.dw[0], 4000U);
  EXPECT_EQ(front(out, 100), front(value, 100));
  EXPECT_TRUE(untouched(out, 100));
  EXPECT_EQ(rig.get_value(key, 0, out).dw[0], 4000U);
  EXPECT_EQ(rig.put_value(key, Bytes(7, 9)).status(), Status::Success);  // shorter
  EXPECT_EQ(rig.get_value(key, 4096, out).dw[0], 7U);
  EXPECT_TRUE(untouched(out, 7));
  EXPECT_EQ(rig.put_value(key, {}).status(), Status::Success);  // empty
  EXPECT_EQ(rig.get_value(key, 4096, out).dw[0], 0U);
  EXPECT_EQ(rig.remove(key), Status::Success);
  EXPECT_EQ(rig.exists(key), Status::KeyNotThere);
  EXPECT_EQ(rig.store.used_bytes(), 0U);
}

TEST(NvmeCommands, OptionsAndErrors) {
  Rig rig;
  rig.up();
  const Key key = key_of("k");
  EXPECT_EQ(rig.put_value(key, Bytes(10, 1), kOnlyIfThere).status(), Status::KeyNotThere);
  EXPECT_EQ(rig.put_value(key, Bytes(10, 1), kOnlyIfNew).status(), Status::Success);
  EXPECT_EQ(rig.put_value(key, Bytes(10, 2), kOnlyIfNew).status(), Status::KeyExists);
  EXPECT_EQ(rig.put_value(key, Bytes(10, 3), kOnlyIfThere).status(), Status::Success);
  EXPECT_EQ(rig.put_value(key, Bytes(10, 4), kOnlyIfThere | kOnlyIfNew).status(),
            Status::InvalidField);
  EXPECT_EQ(rig.put_value(key, Bytes(10, 3), 1u << 10).status(), Status::Success);  // compression
  Bytes out;
  EXPECT_EQ(rig.get_value(key, 10, out).dw[0], 10U);
  EXPECT_EQ(front(out, 10), Bytes(10, 3));
  const auto status = [&](const std::function<void(Sqe&)>& change) {
    Sqe sqe = rig.keyed(Kv::Store, key, 10, Rig::kBuffer);
    change(sqe);
    const Cqe cqe = rig.run(sqe);
    EXPECT_EQ(cqe.dw[3] >> 31, cqe.status() != Status::Success) << "DNR";
    return cqe.status();
  };
  EXPECT_EQ(status([](Sqe& s) { s.dw[11] = 0; }), Status::InvalidKeySize);
  EXPECT_EQ(status([](Sqe& s) { s.dw[11] = 17; }), Status::InvalidKeySize);
  EXPECT_EQ(status([](Sqe& s) { s.dw[11] = 255; }), Status::InvalidKeySize);
  EXPECT_EQ(status([](Sqe& s) { s.dw[10] = (2u << 20) + 1; }), Status::InvalidValueSize);
  EXPECT_EQ(status([](Sqe& s) { s.dw[1] = 0; }), Status::InvalidNamespace);
  EXPECT_EQ(status([](Sqe& s) { s.dw[1] = 3; }), Status::InvalidNamespace);
  EXPECT_EQ(status([](Sqe& s) { s.dw[1] = 0xffff'ffff; }), Status::InvalidNamespace);
  EXPECT_EQ(status([](Sqe& s) { s.dw[0] |= 1u << 14; }), Status::InvalidField);  // an SGL
  EXPECT_EQ(status([](Sqe& s) { s.dw[0] |= 1u << 8; }), Status::InvalidField);   // fused
  EXPECT_EQ(status([](Sqe& s) { s.dw[6] |= 2; }), Status::InvalidPrpOffset);
  EXPECT_EQ(status([](Sqe& s) { s.set_prps(0x1000, 0); }), Status::TransferError);
  for (const unsigned opcode : {0x00U, 0x03U, 0x81U, 0x90U, 0xc1U}) {  // older ones of vendors, too
    EXPECT_EQ(status([&](Sqe& s) { s.dw[0] = (s.dw[0] & ~0xffu) | opcode; }),
              Status::InvalidOpcode);
  }
  Sqe list = rig.keyed(Kv::List, Key{}, 3, Rig::kBuffer);
  EXPECT_EQ(rig.run(list).status(), Status::InvalidField);
  Sqe large = rig.keyed(Kv::Retrieve, key, 64, Rig::kBuffer);
  large.dw[10] = 3u << 20;
  EXPECT_EQ(rig.run(large).status(), Status::InvalidField);  // beyond MDTS
}

TEST(NvmeCommands, NoRoom) {
  RigParams params;
  params.store_bytes = 8 * kPage;
  Rig rig(params);
  rig.up();
  EXPECT_EQ(rig.put_value(key_of("a"), Bytes(5 * kPage, 1)).status(), Status::Success);
  // The old value is there until the new one is.
  EXPECT_EQ(rig.put_value(key_of("a"), Bytes(4 * kPage, 2)).status(), Status::CapacityExceeded);
  EXPECT_EQ(rig.put_value(key_of("b"), Bytes(3 * kPage, 3)).status(), Status::Success);
  Bytes out;
  EXPECT_EQ(rig.get_value(key_of("a"), 5 * kPage, out).dw[0], 5 * kPage);
  EXPECT_EQ(front(out, 5 * kPage), Bytes(5 * kPage, 1));
  EXPECT_EQ(rig.remove(key_of("a")), Status::Success);
  EXPECT_EQ(rig.put_value(key_of("a"), Bytes(4 * kPage, 2)).status(), Status::Success);
}

// Two commands of one identifier at a time.
TEST(NvmeCommands, AnIdentifierTwice) {
  Rig rig;
  rig.up();
  for (int i = 0; i < 2; ++i) rig.put(rig.keyed(Kv::Store, key_of("k"), 4096, Rig::kBuffer));
  rig.ring();
  const auto first = rig.next(), second = rig.next();
  ASSERT_TRUE(first && second);
  EXPECT_EQ(std::set({first->status(), second->status()}),
            (std::set{Status::Success, Status::IdConflict}));
}

TEST(NvmeCommands, Blocks) {
  Rig rig;
  rig.up();
  const auto block = [&](Nvm op, std::uint64_t first, std::uint32_t count) {
    Sqe sqe;
    sqe.set(static_cast<std::uint8_t>(op), 0, 2);
    rig.prps(sqe, Rig::kBuffer, count * kPage);
    sqe.dw[10] = static_cast<std::uint32_t>(first);
    sqe.dw[11] = static_cast<std::uint32_t>(first >> 32);
    sqe.dw[12] = count - 1;
    return rig.run(sqe).status();
  };
  const Bytes data = some_bytes(3 * kPage, 5);
  rig.host.poke(Rig::kBuffer, data);
  EXPECT_EQ(block(Nvm::Write, 7, 3), Status::Success);
  rig.host.poke(Rig::kBuffer, Bytes(3 * kPage));
  EXPECT_EQ(block(Nvm::Read, 7, 3), Status::Success);
  Bytes out(3 * kPage);
  rig.host.peek(Rig::kBuffer, out);
  EXPECT_EQ(out, data);
  EXPECT_EQ(block(Nvm::Read, 255, 1), Status::Success);
  EXPECT_EQ(block(Nvm::Read, 255, 2), Status::LbaRange);
  EXPECT_EQ(block(Nvm::Read, 256, 1), Status::LbaRange);
  EXPECT_EQ(block(Nvm::Read, 1ULL << 52, 1), Status::LbaRange);
  EXPECT_EQ(block(Nvm::Flush, 0, 1), Status::Success);
  EXPECT_EQ(block(static_cast<Nvm>(9), 0, 1), Status::InvalidOpcode);
}

// Pages that are scattered, at every offset that a buffer may begin with; lists that begin anywhere
// in a page, and go on in another.
TEST(NvmeCommands, PagesOfEveryShape) {
  Rig rig;
  rig.up();
  std::mt19937 random(7);
  for (unsigned round = 0; round < 300; ++round) {
    const std::uint64_t offset = random() % 1024 * 4;
    const std::uint64_t pages = round % 10 == 0 ? 500 + random() % 12 : random() % 8;
    const std::uint64_t bytes =
        std::min<std::uint64_t>(1 + pages * kPage + random() % kPage, 2 << 20);
    // Pages in an order of their own.
    const std::uint64_t first = kPage - offset;
    const std::uint64_t more = bytes <= first ? 0 : (bytes - first + kPage - 1) / kPage;
    std::vector<std::uint64_t> place(more + 1);
    for (std::uint64_t i = 0; i <= more; ++i) place[i] = Rig::kBuffer + (i * 389 % 1021) * kPage;
    Sqe sqe = rig.keyed(Kv::Store, key_of("k"), 0, 0);
    sqe.dw[10] = static_cast<std::uint32_t>(bytes);
    if (more < 2) {
      sqe.set_prps(place[0] + offset, more == 0 ? 0 : place[1]);
    } else {
      // The list: from somewhere in a page, each page's last entry leading on if more is left.
      std::uint64_t at = Rig::kBase + 0x80'0000 + random() % 512 * 8;
      sqe.set_prps(place[0] + offset, at);
      for (std::uint64_t i = 1; i <= more; ++i) {
        if (at % kPage == kPage - 8 && i < more) {
          const std::uint64_t next = at / kPage * kPage + 2 * kPage;
          Bytes link(8);
          std::memcpy(link.data(), &next, 8);
          rig.host.poke(at, link);
          at = next;
        }
        Bytes entry(8);
        std::memcpy(entry.data(), &place[i], 8);
        rig.host.poke(at, entry);
        at += 8;
      }
    }
    const Bytes value = some_bytes(bytes, round);
    const auto each = [&](auto&& piece) {
      for (std::uint64_t done = 0, i = 0; done < bytes; ++i) {
        const std::uint64_t skip = i == 0 ? offset : 0;
        const std::uint64_t n = std::min(kPage - skip, bytes - done);
        piece(place[i] + skip, done, n);
        done += n;
      }
    };
    each([&](std::uint64_t to, std::uint64_t from, std::uint64_t n) {
      rig.host.poke(to, std::span(value).subspan(from, n));
    });
    ASSERT_EQ(rig.run(sqe).status(), Status::Success) << round;
    each([&](std::uint64_t to, std::uint64_t, std::uint64_t n) { rig.host.poke(to, Bytes(n)); });
    sqe.dw[0] = (sqe.dw[0] & ~0xffu) | static_cast<std::uint32_t>(Kv::Retrieve);
    ASSERT_EQ(rig.run(sqe).dw[0], bytes) << round;
    Bytes out(bytes);
    each([&](std::uint64_t to, std::uint64_t from, std::uint64_t n) {
      rig.host.peek(to, std::span(out).subspan(from, n));
    });
    ASSERT_EQ(out, value) << round << ": " << bytes << " bytes from " << offset << " on";
  }
}

// A list that leads to itself ends.
TEST(NvmeCommands, AListInACircle) {
  Rig rig;
  rig.up();
  const std::uint64_t at = Rig::kBase + 0x80'0000;
  Bytes list(kPage);
  for (std::size_t i = 0; i < 512; ++i) std::memcpy(list.data() + 8 * i, &at, 8);
  rig.host.poke(at, list);
  Sqe sqe = rig.keyed(Kv::Store, key_of("k"), 0, 0);
  sqe.dw[10] = 2 << 20;
  sqe.set_prps(Rig::kBuffer, at + 4088);
  EXPECT_EQ(rig.run(sqe).status(), Status::Success);
  EXPECT_LE(rig.controller.counters().list_reads, 4U);
}

// Keys in order, with lengths, padded; as many as there is room for.
TEST(NvmeCommands, ListByHand) {
  Rig rig;
  rig.up();
  for (const char* key : {"b", "abc", "ab", "abcdefghijklmnop", "a"}) {
    EXPECT_EQ(rig.put_value(key_of(key), Bytes(3, 1)).status(), Status::Success);
  }
  const auto list = [&](const Key& from, std::uint64_t room) {
    rig.host.poke(Rig::kBuffer, Bytes(room + 64, 0xa5));
    EXPECT_EQ(rig.run(rig.keyed(Kv::List, from, room, Rig::kBuffer)).status(), Status::Success);
    Bytes out(room + 64);
    rig.host.peek(Rig::kBuffer, out);
    return out;
  };
  const Bytes all = {4,   0,   0,   0,   2,   0,   'a', 'b', 3,   0,   'a', 'b', 'c', 0,
                     0,   0,   16,  0,   'a', 'b', 'c', 'd', 'e', 'f', 'g', 'h', 'i', 'j',
                     'k', 'l', 'm', 'n', 'o', 'p', 0,   0,   1,   0,   'b', 0};
  Bytes out = list(key_of("ab"), 256);
  EXPECT_EQ(front(out, all.size()), all);
  EXPECT_TRUE(untouched(out, all.size()));
  out = list(key_of("ab"), 15);  // two do not fit
  EXPECT_EQ(front(out, 8), (Bytes{1, 0, 0, 0, 2, 0, 'a', 'b'}));
  EXPECT_TRUE(untouched(out, 8));
  EXPECT_EQ(front(list(Key{}, 12), 8), (Bytes{2, 0, 0, 0, 1, 0, 'a', 0}));
  EXPECT_EQ(front(list(key_of("c"), 12), 4), Bytes(4));
}

// What is found with a fault in, and is not without.
bool same_after_wraps(const RigParams& params) {
  Rig rig(params);
  rig.up();
  std::uint32_t ended = 0;
  for (std::uint32_t i = 0; i < 3 * params.entries; ++i) {
    Sqe sqe = rig.keyed(Kv::Exist, key_of("k"), 0, 0);
    sqe.dw[0] |= i << 16;
    rig.put(sqe);
    rig.ring();
    const auto cqe = rig.next();
    if (!cqe || cqe->cid() != i || cqe->status() != Status::KeyNotThere) return false;
    rig.free_entries();
    ++ended;
  }
  rig.settle();
  // Nothing was fetched but these and the five of the set-up.
  return rig.controller.counters().fetched == ended + 5 && rig.entry(rig.head).phase() != rig.phase;
}

// More completions than entries, the head not moving: those that do not fit wait for it.
bool full_queue_waits(const RigParams& params) {
  Rig rig(params);
  rig.up();
  const std::uint32_t n = params.entries - 1;
  for (std::uint32_t round = 0; round < 2; ++round) {
    for (std::uint32_t i = 0; i < n; ++i) {
      Sqe sqe = rig.keyed(Kv::Exist, key_of("k"), 0, 0);
      sqe.dw[0] |= (round * n + i) << 16;
      rig.put(sqe);
    }
    rig.ring();
    rig.settle();
  }
  if (rig.controller.counters().held == 0 && params.controller.fault == ControllerFault::None) {
    return false;
  }
  std::vector<std::uint16_t> order;
  while (const auto cqe = rig.next()) {
    order.push_back(cqe->cid());
    rig.free_entries();
  }
  std::vector<std::uint16_t> expected(2 * n);
  for (std::uint32_t i = 0; i < 2 * n; ++i) expected[i] = static_cast<std::uint16_t>(i);
  return order == expected;
}

bool lists_are_walked(const RigParams& params) {
  Rig rig(params);
  rig.up();
  const Bytes value = some_bytes(100 * kPage, 1);
  // From the last but one entry of a page on.
  Sqe sqe = rig.keyed(Kv::Store, key_of("k"), value.size(), Rig::kBuffer);
  rig.host.poke(Rig::kBuffer, value);
  const std::uint64_t at = Rig::kBase + 0x80'0000 + 510 * 8, next = Rig::kBase + 0x90'0000;
  Bytes list(16), rest(98 * 8);
  const std::uint64_t second = Rig::kBuffer + kPage;
  std::memcpy(list.data(), &second, 8);
  std::memcpy(list.data() + 8, &next, 8);
  for (std::uint64_t i = 0; i < 98; ++i) {
    const std::uint64_t page = Rig::kBuffer + (i + 2) * kPage;
    std::memcpy(rest.data() + 8 * i, &page, 8);
  }
  rig.host.poke(at, list);
  rig.host.poke(next, rest);
  sqe.set_prps(Rig::kBuffer, at);
  if (rig.run(sqe).status() != Status::Success) return false;
  return rig.store.peek(key_of("k")) == value;
}

bool lengths_are_kept(const RigParams& params) {
  Rig rig(params);
  rig.up();
  Bytes out;
  if (rig.put_value(key_of("k"), Bytes(1000, 3)).status() != Status::Success) return false;
  return rig.get_value(key_of("k"), 4096, out).dw[0] == 1000 && untouched(out, 1000);
}

bool data_come_first(const RigParams& params) {
  Rig rig(params);
  rig.up();
  const Bytes value = some_bytes(4096, 2);
  rig.store.preload(key_of("k"), value);
  rig.put(rig.keyed(Kv::Retrieve, key_of("k"), 4096, Rig::kBuffer));
  rig.ring();
  // The moment in which the completion is there.
  while (rig.entry(0).phase() != rig.phase) {
    const Time next = std::min(rig.bus.next_event(), rig.controller.next_event());
    if (next == Time::never()) return false;
    rig.driver.advance(next);
  }
  Bytes out(4096);
  rig.host.peek(Rig::kBuffer, out);
  return out == value;
}

bool sizes_are_checked(const RigParams& params) {
  RigParams small = params;
  small.controller.max_entries = 256;
  small.entries = 1024;
  Rig rig(small);
  EXPECT_TRUE(rig.driver.bring_up());
  return !rig.driver.create(rig.rings()) &&
         rig.driver.why().find("1024 entries, 256") != std::string::npos;
}

bool layout_is_checked(const RigParams& params) {
  Rig rig(params);
  EXPECT_TRUE(rig.driver.bring_up());
  const Sqe sqe = admin(Admin::CreateCq, 1 | 15 << 16, 0, Rig::kCq);
  return rig.driver.command(sqe).status == Status::InvalidField;
}

bool tails_are_checked(const RigParams& params) {
  Rig rig(params);
  rig.up();
  rig.driver.write(reg::sq_tail(1), 500);
  rig.settle(Time{1'000'000'000});
  return rig.controller.counters().fetched == 5;
}

bool no_doorbell_is_lost(const RigParams& params) {
  Rig rig(params);
  rig.up();
  for (std::uint32_t i = 0; i < 4; ++i) {
    Sqe sqe = rig.keyed(Kv::Exist, key_of("k"), 0, 0);
    sqe.dw[0] |= i << 16;
    rig.put(sqe);
    rig.ring();  // two that come together are one
  }
  for (int i = 0; i < 4; ++i) {
    if (!rig.next()) return false;
  }
  return !rig.next();
}

struct Check {
  ControllerFault fault;
  bool (*good)(const RigParams&);
};
TEST(NvmeFaults, EachIsFound) {
  for (const Check& check :
       std::vector<Check>{{ControllerFault::OverrunsCq, full_queue_waits},
                          {ControllerFault::PastTail, same_after_wraps},
                          {ControllerFault::PhaseStuck, same_after_wraps},
                          {ControllerFault::TailUnchecked, tails_are_checked},
                          {ControllerFault::SizeUnchecked, sizes_are_checked},
                          {ControllerFault::AnyLayout, layout_is_checked},
                          {ControllerFault::CompletionFirst, data_come_first},
                          {ControllerFault::NoChain, lists_are_walked},
                          {ControllerFault::LengthOfBuffer, lengths_are_kept},
                          {ControllerFault::DoorbellLost, no_doorbell_is_lost}}) {
    SCOPED_TRACE(static_cast<int>(check.fault));
    RigParams params;
    EXPECT_TRUE(check.good(params));
    params.controller.fault = check.fault;
    EXPECT_FALSE(check.good(params));
  }
}

bool list_is_padded(const RigParams& params) {
  Rig rig(params);
  rig.up();
  for (const char* key : {"a", "bcd"}) rig.store.preload(key_of(key), Bytes(1, 1));
  rig.run(rig.keyed(Kv::List, Key{}, 64, Rig::kBuffer));
  Bytes out(16);
  rig.host.peek(Rig::kBuffer, out);
  return out == Bytes{2, 0, 0, 0, 1, 0, 'a', 0, 3, 0, 'b', 'c', 'd', 0, 0, 0};
}

TEST(NvmeFaults, EachOfTheStoreIsFound) {
  struct StoreCheck {
    StoreFault fault;
    bool (*good)(const RigParams&);
  };
  for (const StoreCheck& check : std::vector<StoreCheck>{{StoreFault::LengthLost, lengths_are_kept},
                                                         {StoreFault::NoPadding, list_is_padded}}) {
    SCOPED_TRACE(static_cast<int>(check.fault));
    RigParams params;
    EXPECT_TRUE(check.good(params));
    params.store = check.fault;
    EXPECT_FALSE(check.good(params));
  }
}

// Commands at random, many at a time, against a map. Commands of one key end in any order, so each
// key has one at a time.
TEST(NvmeCommands, AtRandomAgainstAMap) {
  RigParams params;
  params.entries = 32;
  params.store_bytes = 4 << 20;
  Rig rig(params);
  rig.up();
  struct Expected {
    Status status;
    std::uint32_t length = 0;
    Bytes bytes{};
    std::uint64_t at = 0;
  };
  std::map<std::string, Bytes> model;
  std::mt19937 random(11);
  std::uint64_t ended = 0;
  for (unsigned round = 0; round < 400; ++round) {
    std::map<std::uint16_t, Expected> in_flight;
    std::set<std::string> keys;
    const unsigned n = 1 + random() % 16;
    for (unsigned i = 0; i < n; ++i) {
      const std::string key =
          "key" + std::string(random() % 13, 'x') + std::to_string(random() % 4);
      if (key.size() > 16 || !keys.insert(key).second) continue;
      const std::uint64_t at = Rig::kBuffer + i * 0x10'0000ULL + random() % 256 * 4;
      const std::uint64_t bytes = random() % 3 == 0 ? random() % 8192 : random() % 200;
      const bool there = model.contains(key);
      Sqe sqe;
      Expected expected{Status::Success};
      switch (random() % 4) {
        case 0: {
          sqe = rig.keyed(Kv::Store, key_of(key), bytes, at);
          const std::uint32_t options = random() % 3 << 8;
          sqe.dw[11] |= options;
          const Bytes value = some_bytes(bytes, random());
          rig.host.poke(at, value);
          if (options == kOnlyIfThere && !there) expected.status = Status::KeyNotThere;
          if (options == kOnlyIfNew && there) expected.status = Status::KeyExists;
          if (expected.status == Status::Success) model[key] = value;
          break;
        }
        case 1:
          sqe = rig.keyed(Kv::Retrieve, key_of(key), bytes, at);
          if (!there) expected.status = Status::KeyNotThere;
          if (there) {
            expected.length = static_cast<std::uint32_t>(model[key].size());
            expected.bytes = front(model[key], std::min<std::size_t>(bytes, model[key].size()));
            expected.at = at;
          }
          break;
        case 2:
          sqe = rig.keyed(Kv::Delete, key_of(key), 0, at);
          model.erase(key);
          break;
        default:
          sqe = rig.keyed(Kv::Exist, key_of(key), 0, at);
          if (!there) expected.status = Status::KeyNotThere;
      }
      if (bytes + at % kPage > 2 * kPage) {  // the lists of the bench have one place
        Bytes list(16);
        for (std::uint64_t k = 0; k < 2; ++k) {
          const std::uint64_t page = at / kPage * kPage + (k + 1) * kPage;
          std::memcpy(list.data() + 8 * k, &page, 8);
        }
        const std::uint64_t place = Rig::kBase + 0x60'0000 + i * 64ULL;
        rig.host.poke(place, list);
        sqe.set_prps(at, place);
      }
      const auto cid = static_cast<std::uint16_t>(rig.cid++);
      sqe.dw[0] = (sqe.dw[0] & 0xffff) | std::uint32_t{cid} << 16;
      in_flight[cid] = expected;
      rig.put(sqe);
    }
    rig.ring();
    while (!in_flight.empty()) {
      const auto cqe = rig.next();
      ASSERT_TRUE(cqe) << "lost: " << in_flight.size();
      const auto found = in_flight.find(cqe->cid());
      ASSERT_NE(found, in_flight.end()) << "twice, or of nobody";
      const Expected& expected = found->second;
      ASSERT_EQ(cqe->status(), expected.status) << round;
      if (expected.at != 0) {
        ASSERT_EQ(cqe->dw[0], expected.length);
        Bytes out(expected.bytes.size());
        rig.host.peek(expected.at, out);
        ASSERT_EQ(out, expected.bytes);
      }
      in_flight.erase(found);
      ++ended;
    }
    rig.free_entries();
  }
  for (const auto& [key, value] : model) EXPECT_EQ(rig.store.peek(key_of(key)), value);
  EXPECT_GT(ended, 2000U);
  std::uint64_t granules = 0;
  for (const auto& [key, value] : model) granules += (value.size() + kPage - 1) / kPage;
  EXPECT_EQ(rig.store.used_bytes(), granules * kPage) << "granules leak";
}

// The object that was published: its first bytes, as printed there.
TEST(NvmePattern, IsThePublishedOne) {
  constexpr std::array<std::uint8_t, 48> kPublished = {
      0x54, 0x3c, 0xf4, 0xed, 0x67, 0x93, 0xfd, 0x9e, 0x80, 0x6b, 0x6a, 0x17,
      0x7c, 0xc9, 0x44, 0xe9, 0x6b, 0x50, 0x02, 0xfb, 0xe0, 0x2b, 0x11, 0x08,
      0x31, 0x4d, 0xca, 0x9a, 0x30, 0xa8, 0xf2, 0xe9, 0x3d, 0xe4, 0x43, 0xe4,
      0x13, 0x40, 0x15, 0x15, 0x6b, 0x05, 0xd5, 0xc1, 0x4a, 0x86, 0xef, 0x61};
  for (std::size_t i = 0; i < kPublished.size(); ++i) EXPECT_EQ(pattern(i), kPublished[i]) << i;
  // ... and the sum of its 4 KiB, by another's program.
  const std::string file = ::testing::TempDir() + "nvme_pattern";
  std::FILE* out = std::fopen(file.c_str(), "wb");
  ASSERT_NE(out, nullptr);
  for (std::size_t i = 0; i < 4096; ++i) std::fputc(pattern(i), out);
  std::fclose(out);
  std::FILE* sum = popen(("sha256sum < '" + file + "'").c_str(), "r");
  ASSERT_NE(sum, nullptr);
  std::array<char, 9> text{};
  EXPECT_EQ(std::fread(text.data(), 1, 8, sum), 8U);
  pclose(sum);
  std::remove(file.c_str());
  EXPECT_STREQ(text.data(), "ea1b6431");
}

}  // namespace
}  // namespace cxlgpu::nvme
