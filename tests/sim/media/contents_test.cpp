// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
// Contents and poison of every part against flat memory, under random commands and random waiting.
#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <map>
#include <random>
#include <set>
#include <tuple>

#include "tests/sim/media/media_test_util.hpp"

namespace cxlgpu {
namespace {

constexpr std::uint32_t kSlots = 24, kLine = 256;
constexpr std::uint64_t kCapacity = std::uint64_t{1} << 24;

// What the contents must be; commands take effect as they are submitted.
class Flat {
 public:
  struct Answer {
    Line data{};
    bool poison = false;
  };
  Answer apply(const MediaCommand& c) {
    switch (c.op) {
      case MediaOp::Read:
        return {media_[c.dpa], bad_media_.contains(c.dpa)};
      case MediaOp::Write:
        merge_bytes(media_[c.dpa], c.data, c.byte_enable);
        written(bad_media_, c.dpa, c);
        break;
      case MediaOp::ArrayRead:
        return {slots_[key(c)], bad_slots_.contains(key(c))};
      case MediaOp::ArrayWrite:
        if (c.partial) {
          for (unsigned i = 0; i < kLine; i += 64) {
            missing_[c.slot * kLine + i] = kAllBytes;
            bad_slots_.erase(c.slot * kLine + i);
          }
          filled_[c.slot] = {c.dpa / kLine * kLine, ++fills_};
        }
        missing_[key(c)] &= ~c.byte_enable;
        merge_bytes(slots_[key(c)], c.data, c.byte_enable);
        written(bad_slots_, key(c), c);
        break;
      case MediaOp::Fill:
        for (unsigned i = 0; i < kLine; i += 64) {
          const std::uint64_t at = c.slot * kLine + i;
          const std::uint64_t brings = c.partial ? missing_[at] : kAllBytes;
          merge_bytes(slots_[at], media_[c.dpa + i], brings);
          const bool own = c.partial && bad_slots_.contains(at);
          mark(bad_slots_, at, own || (brings != 0 && bad_media_.contains(c.dpa + i)));
          missing_[at] = 0;
        }
        filled_[c.slot] = {c.dpa, ++fills_};
        break;
      case MediaOp::WriteBack:
        for (unsigned i = 0; i < kLine; i += 64) {
          const std::uint64_t at = c.slot * kLine + i;
          const bool bad = bad_slots_.contains(at);
          merge_bytes(media_[c.dpa + i], slots_[at], ~missing_[at]);
          // As a write of the bytes that are there; of none it is no write.
          if (missing_[at] == 0 || (bad && missing_[at] != kAllBytes)) {
            mark(bad_media_, c.dpa + i, bad);
          }
        }
        break;
    }
    return {};
  }
  // As the endpoint would see it: the youngest slot that holds the line, else the media.
  Line seen(std::uint64_t dpa) {
    const std::pair<const std::uint32_t, std::pair<std::uint64_t, int>>* youngest = nullptr;
    for (const auto& entry : filled_) {
      if (entry.second.first == dpa / kLine * kLine &&
          (youngest == nullptr || entry.second.second > youngest->second.second)) {
        youngest = &entry;
      }
    }
    Line line = media_[dpa];
    if (youngest == nullptr) return line;
    const std::uint64_t at = youngest->first * kLine + dpa % kLine;
    merge_bytes(line, slots_[at], ~missing_[at]);
    return line;
  }
  Line& media(std::uint64_t dpa) { return media_[dpa]; }

 private:
  static std::uint64_t key(const MediaCommand& c) { return c.slot * kLine + c.offset; }
  using Marks = std::set<std::uint64_t>;
  static void mark(Marks& marks, std::uint64_t line, bool bad) {
    if (bad) {
      marks.insert(line);
    } else {
      marks.erase(line);
    }
  }
  static void written(Marks& marks, std::uint64_t line, const MediaCommand& c) {
    if (c.poison || c.byte_enable == kAllBytes) mark(marks, line, c.poison);
  }
  std::map<std::uint64_t, Line> media_, slots_;
  std::map<std::uint64_t, std::uint64_t> missing_;  // by line of a slot: bytes not held
  Marks bad_media_, bad_slots_;
  std::map<std::uint32_t, std::pair<std::uint64_t, int>> filled_;
  int fills_ = 0;
};

struct Pending {
  Flat::Answer expected;
  int count = 0;
};

void random_traffic(Media& media, std::uint64_t seed, bool cached) {
  std::mt19937_64 random(seed);
  Flat flat;
  // 40 lines in few pages, spread over the part.
  const auto line = [&] { return random() % 5 * 69 * 4096 * 3 + random() % 8 * kLine; };
  std::vector<std::uint8_t> bytes(kLine);
  for (int i = 0; i < 8; ++i) {
    const std::uint64_t at = line();
    for (auto& b : bytes) b = static_cast<std::uint8_t>(random());
    media.poke(at, bytes);
    for (unsigned n = 0; n < kLine; ++n) flat.media(at + n / 64 * 64)[n % 64] = bytes[n];
  }
  std::map<std::pair<MediaOp, std::uint8_t>, Pending> pending;
  Time now{0};
  std::uint8_t id = 0;
  const auto collect = [&] {
    while (const auto answer = media.take(now)) {
      const auto found = pending.find({answer->op, answer->id});
      RC_ASSERT(found != pending.end());  // answered once
      RC_ASSERT(!answer->error);
      if (answer->op == MediaOp::Read || answer->op == MediaOp::ArrayRead) {
        RC_ASSERT(answer->data == found->second.expected.data);
        RC_ASSERT(answer->poison == found->second.expected.poison);
      }
      pending.erase(found);
    }
  };
  for (int i = 0; i < 1500; ++i) {
    MediaCommand c;
    c.op = static_cast<MediaOp>(random() % (cached ? 6 : 2));
    c.id = id++;
    c.slot = static_cast<std::uint32_t>(random() % kSlots);
    c.offset = static_cast<std::uint32_t>(random() % 4 * 64);
    c.dpa = line();
    if (c.op == MediaOp::Read || c.op == MediaOp::Write) c.dpa += random() % 4 * 64;
    c.byte_enable = random() % 2 == 0 ? kAllBytes : random();
    c.data.fill(static_cast<std::uint8_t>(random()));
    c.poison = random() % 6 == 0;
    c.partial = (c.op == MediaOp::ArrayWrite && random() % 3 == 0) ||
                (c.op == MediaOp::Fill && random() % 2 == 0);
    while (!media.can_accept(now, c.op) || pending.count({c.op, c.id}) != 0) {
      RC_ASSERT(media.next_event() != Time::never());
      now = std::max(now, media.next_event());
      collect();
    }
    const Flat::Answer expected = flat.apply(c);
    pending[{c.op, c.id}] = {expected, 1};
    media.submit(c, now);
    if (random() % 4 == 0) now += Time{random() % (random() % 8 == 0 ? 300000000 : 100000)};
    if (random() % 2 == 0) collect();
  }
  while (!pending.empty()) {
    RC_ASSERT(media.next_event() != Time::never());
    now = std::max(now, media.next_event());
    collect();
  }
  RC_ASSERT(media.next_event() == Time::never());
  for (std::uint64_t p = 0; p < 5; ++p) {
    for (std::uint64_t a = 0; a < 8 * kLine; a += 64) {
      const std::uint64_t dpa = p * 69 * 4096 * 3 + a;
      RC_ASSERT(media.peek(dpa) == flat.seen(dpa));
    }
  }
  RC_ASSERT(media.peek(kCapacity - 64) == Line{});
}

// The part with one striping or the other.
MediaConfig drawn(MediaConfig config, std::uint64_t seed) {
  std::get<FlashConfig>(config.params).striping =
      seed % 2 == 0 ? Striping::Linear : Striping::Permuted;
  return config;
}

TEST(Contents, Dram) {
  const MediaConfig config = media_test::part("dram");
  EXPECT_TRUE(rc::check("DDR5 equals flat memory", [&](std::uint64_t seed) {
    random_traffic(*make_media(config, {kCapacity}), seed, false);
  }));
}

TEST(Contents, ZNand) {
  const MediaConfig config = media_test::part("znand");
  EXPECT_TRUE(rc::check("Z-NAND equals flat memory", [&](std::uint64_t seed) {
    random_traffic(*make_media(drawn(config, seed), {kCapacity, kSlots, kLine}), seed, true);
  }));
}

TEST(Contents, ZNandWithATinyWriteBuffer) {
  MediaConfig config = media_test::part("znand");
  FlashConfig& flash = std::get<FlashConfig>(config.params);
  flash.buffer_pages = 2;
  flash.buffer_high = 1;
  flash.buffer_low = 0;
  flash.page_granule = true;
  EXPECT_TRUE(
      rc::check("Z-NAND equals flat memory when the buffer is full", [&](std::uint64_t seed) {
        random_traffic(*make_media(drawn(config, seed), {kCapacity, kSlots, kLine}), seed, true);
      }));
}

TEST(Contents, ZNandWithScriptedCollection) {
  MediaConfig config = media_test::part("znand");
  std::get<FlashConfig>(config.params).buffer_pages = 2;
  std::get<FlashConfig>(config.params).buffer_high = 1;
  std::get<FlashConfig>(config.params).buffer_low = 0;
  MediaShape shape{kCapacity, kSlots, kLine};
  shape.collection = {Time{1000000}, Time{50000000}, Time{30000000}, 70};
  EXPECT_TRUE(rc::check("Z-NAND equals flat memory when dies collect", [&](std::uint64_t seed) {
    random_traffic(*make_media(drawn(config, seed), shape), seed, true);
  }));
}

TEST(Contents, NandWithTranslation) {
  MediaConfig config = media_test::part("nand");
  FlashConfig& flash = std::get<FlashConfig>(config.params);
  flash.pages_per_block = 8;
  flash.pages_per_die = 16 * 40;
  flash.translation->over_provisioning_percent = 60;
  flash.translation->free_high = 5;
  flash.buffer_pages = 2;
  flash.buffer_high = 1;
  flash.buffer_low = 0;
  EXPECT_TRUE(rc::check("NAND equals flat memory", [&](std::uint64_t seed) {
    random_traffic(*make_media(drawn(config, seed), {kCapacity, kSlots, kLine}), seed, true);
  }));
}

TEST(Contents, Pram) {
  MediaConfig config = media_test::part("pram");
  std::get<FlashConfig>(config.params).wear_pauses->writes = 5;
  EXPECT_TRUE(rc::check("PRAM equals flat memory", [&](std::uint64_t seed) {
    random_traffic(*make_media(drawn(config, seed), {kCapacity, kSlots, kLine}), seed, true);
  }));
}

TEST(Contents, ZNandWithoutCache) {
  const MediaConfig config = media_test::part("znand");
  EXPECT_TRUE(rc::check("plain Z-NAND equals flat memory", [&](std::uint64_t seed) {
    random_traffic(*make_media(drawn(config, seed), {kCapacity, 0, kLine}), seed, false);
  }));
}

}  // namespace
}  // namespace cxlgpu
