// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
// The flash part with its translation layer, timed: contents through many collections, what a
// collection and an erase cost to the picosecond, watermarks, planes, and the image of a part.
#include <gtest/gtest.h>

#include <fstream>
#include <random>
#include <unordered_map>

#include "common/input_error.hpp"
#include "sim/media/bus_time.hpp"
#include "sim/media/flash_media.hpp"
#include "tests/sim/media/media_test_util.hpp"

namespace cxlgpu {
namespace {

namespace fs = std::filesystem;
using media_test::answered;
using media_test::fill_of;
using media_test::next_answer;
using media_test::read_of;
using media_test::saturate;
using media_test::write_of;

constexpr std::uint32_t kSlots = 64, kLine = 256;

// Two channels of two dies of 40 blocks of 16 pages.
FlashConfig small_part(std::uint32_t page_bytes = 4096) {
  FlashConfig c = media_test::flash_config();
  c.channels = 2;
  c.dies_per_channel = 2;
  c.page_bytes = page_bytes;
  c.pages_per_block = 16;
  c.pages_per_die = 640;
  c.buffer_pages = 8;
  c.buffer_high = 4;
  c.buffer_low = 2;
  TranslationConfig t;
  t.over_provisioning_percent = 30;
  t.free_low = 1;
  t.free_high = 4;
  t.wear_spread = 8;
  c.translation = t;
  return c;
}
std::uint64_t capacity_of(const FlashConfig& c) {
  return ftl_logical_pages(c.ftl_shape(), *c.translation) * c.page_bytes;
}
FlashMedia media_of(const FlashConfig& c) {
  return FlashMedia(c, capacity_of(c), kSlots, kLine);
}

Line pattern(std::uint64_t value) {
  Line line;
  for (std::size_t i = 0; i < line.size(); ++i)
    line[i] = static_cast<std::uint8_t>(value >> i % 8 * 8);
  return line;
}

// One line in each of `writes` random pages; the whole page if its lines are not to be merged.
Time overwrite(FlashMedia& media, const FlashConfig& c,
               std::unordered_map<std::uint64_t, Line>& plain, std::uint64_t writes,
               std::uint64_t seed, Time now) {
  std::mt19937_64 random(seed);
  return saturate(
      media, writes,
      [&](std::uint64_t i) {
        const std::uint64_t hot = random() % 4 != 0 ? 10 : 1;
        MediaCommand command = write_of(
            random() % (capacity_of(c) / c.page_bytes / hot) * c.page_bytes + random() % 4 * 64,
            static_cast<std::uint8_t>(i));
        command.data = pattern(seed * 1000003 + i);
        plain[command.dpa] = command.data;
        return command;
      },
      now);
}

Time read_all(FlashMedia& media, const std::unordered_map<std::uint64_t, Line>& plain, Time now) {
  for (const auto& [dpa, data] : plain) {
    media.submit(read_of(dpa, 3), now);
    const auto [response, at] = next_answer(media, now);
    now = at;
    EXPECT_FALSE(response.error);
    EXPECT_EQ(response.data, data) << dpa;
    if (::testing::Test::HasFailure()) break;
  }
  return now;
}

TEST(Translation, EveryByteIsReadBackAfterManyCollections) {
  for (const std::uint32_t page_bytes : {512u, 4096u, 16384u}) {
    for (const std::uint32_t planes : {1u, 2u, 4u}) {
      for (const std::uint32_t filled : {0u, 100u}) {
        FlashConfig c = small_part(page_bytes);
        c.pages_per_block /= planes;
        c.translation->planes = planes;
        c.translation->prefilled_percent = filled;
        c.translation->wear_spread = 2;
        FlashMedia media = media_of(c);
        std::unordered_map<std::uint64_t, Line> plain;
        const Time end = overwrite(media, c, plain, 12000, page_bytes + planes, Time{0});
        EXPECT_GT(media.counters().erases, 200u) << page_bytes << " " << planes << " " << filled;
        EXPECT_GT(media.counters().moved_pages, 100u);
        EXPECT_GT(media.ftl()->counters().levelled_blocks, 0u);
        EXPECT_EQ(media.ftl()->broken(), "");
        read_all(media, plain, end);
        for (const auto& [dpa, data] : plain) ASSERT_EQ(media.peek(dpa), data);
      }
    }
  }
}

// Parts of random shape and policy, down to blocks of four pages, under random traffic.
void random_part(std::uint64_t seed) {
  std::mt19937_64 random(seed);
  const auto up_to = [&](std::uint64_t n) { return static_cast<std::uint32_t>(random() % n); };
  FlashConfig c = small_part(256u << up_to(7));
  TranslationConfig& t = *c.translation;
  c.channels = 1 + up_to(3);
  c.dies_per_channel = 1 + up_to(3);
  t.planes = 1u << up_to(3);
  c.pages_per_block = 4 + up_to(12);
  c.pages_per_die = c.pages_per_block * t.planes * (30 + up_to(30)) + up_to(3);
  t.free_high = 2 + up_to(4);
  t.free_low = 1 + up_to(t.free_high - 1);
  t.wear_spread = up_to(10);
  t.victim = up_to(2) == 0 ? VictimPolicy::Greedy : VictimPolicy::CostBenefit;
  t.prefilled_percent = up_to(101);
  t.prefill_seed = seed;
  c.buffer_pages = 2 + up_to(20);
  c.buffer_high = 1 + up_to(c.buffer_pages - 1);
  c.buffer_low = up_to(c.buffer_high);
  c.buffer_cold = Time{up_to(2) == 0 ? 1000u : 10000000000u};
  c.share_page_register = static_cast<SharePageRegister>(up_to(3));
  c.suspend = {up_to(2) == 0,          up_to(2) == 0,        Time{up_to(20000000)},
               Time{up_to(200000000)}, Time{up_to(5000000)}, Time{1 + up_to(50000000)},
               Time{up_to(100000000)}};
  c.page_granule = up_to(2) == 0;
  if (up_to(4) > 0 && c.permuted_problem().empty()) c.striping = Striping::Permuted;
  for (t.over_provisioning_percent = 1; !ftl_problem(c.ftl_shape(), t).empty();) {
    ++t.over_provisioning_percent;
  }
  FlashMedia media = media_of(c);
  std::unordered_map<std::uint64_t, Line> plain;
  Time now{0};
  for (int round = 0; round < 10; ++round) {
    now = overwrite(media, c, plain, 1000, random(), now) + Time{up_to(20000) * 1000000ull};
    ASSERT_EQ(media.ftl()->broken(), "");
    for (int i = 0; i < 20; ++i) {
      const auto& [dpa, data] = *std::next(plain.begin(), up_to(plain.size()));
      media.submit(read_of(dpa), now);
      const auto [response, at] = next_answer(media, now);
      now = at;
      ASSERT_EQ(response.data, data);
    }
  }
  media.flush(now);
  ASSERT_EQ(media.ftl()->broken(), "");
  for (const auto& [dpa, data] : plain) ASSERT_EQ(media.peek(dpa), data);
}

TEST(Translation, RandomParts) {
  for (std::uint64_t seed = 1; seed <= 40 && !::testing::Test::HasFailure(); ++seed) {
    SCOPED_TRACE(seed);
    random_part(seed);
  }
}

// Counts add up: what was programmed is the user's pages and the moved ones.
TEST(Translation, ProgramsAreUserPagesAndMovedPages) {
  const FlashConfig c = small_part();
  FlashMedia media = media_of(c);
  std::unordered_map<std::uint64_t, Line> plain;
  const Time end = media.flush(overwrite(media, c, plain, 5000, 1, Time{0}));
  // Nothing is waiting, so that the dies collect up to the high watermark, and stop there.
  const Time rested = answered(media, read_of(0), end + Time{100000000000});
  EXPECT_EQ(media.status(rested).tasks, 0u);
  for (std::uint32_t die = 0; die < 4; ++die) {
    EXPECT_GE(media.ftl()->free_blocks(die), c.translation->free_high);
  }
  const MediaCounters& counters = media.counters();
  EXPECT_EQ(counters.page_programs, media.ftl()->counters().host_pages + counters.moved_pages);
  EXPECT_EQ(counters.collections, 0u);  // those are the script's
}

class TranslationTime : public ::testing::Test {
 protected:
  FlashConfig c = small_part();
  void SetUp() override {
    c.channels = c.dies_per_channel = 1;
    c.internal_dram = media_test::flash_config().internal_dram;
    c.buffer_cold = Time{1};  // each write is programmed at once
    c.translation->wear_spread = 0;
  }
  Time bus(std::uint64_t bytes) const { return bus_time(bytes, c.channel_bits, c.channel_mtps); }
  Time copy(std::uint64_t pages = 1) const {
    return (c.command + c.tR + bus(c.page_bytes)) * pages +
           (c.command + bus(c.page_bytes)) * pages + c.tPROG;
  }
  Time erase() const { return c.command + c.tBERS; }
  Time read() const { return c.command + c.tR + bus(kLineBytes) + c.ecc; }
  void background_collection(std::uint32_t planes);
  Time merged() const {
    return c.command + c.tR + bus(c.page_bytes) + c.command + bus(c.page_bytes) + c.tPROG;
  }
};

// One die. The last page that opens a block below the high watermark starts a collection; a read
// that comes then waits for the current operation and no longer.
void TranslationTime::background_collection(std::uint32_t planes) {
  c.translation->planes = planes;
  c.pages_per_block = 16 / planes;
  const std::uint64_t copies = 8 / planes;  // of a victim
  FlashMedia media = media_of(c);
  const std::uint32_t pages = media.ftl()->logical_pages();
  Time now{0};
  const auto write_page = [&](std::uint64_t page) {
    const Time begin = now;
    (void)answered(media, write_of(page * c.page_bytes), now);
    now = begin + c.lookup + Time{1} + merged();  // when its program ends
  };
  for (std::uint32_t p = 0; p < pages; ++p) write_page(p);
  (void)media.take(now);
  ASSERT_EQ(media.ftl()->free_blocks(0), 40u - (pages + 15) / 16);
  // Every second page of block 0 is written again, then of block 1 ...; each victim keeps eight.
  std::uint32_t next = 0;
  while (media.ftl()->free_blocks(0) >= c.translation->free_high) {
    write_page(next);
    (void)media.take(now - Time{1});
    next += 2;
  }
  EXPECT_EQ(media.counters().moved_pages, 0u);
  EXPECT_EQ(media.status(now - Time{1}).tasks, 64u);  // the one die is about to
  (void)media.take(now);                              // the program is over, the collection begins
  const Time begin = now, end = begin + copy(planes) * copies + erase();
  EXPECT_EQ(media.counters().moved_pages, planes);
  // One picosecond before the end of a copy halfway: the read waits for it.
  const Time halfway = begin + copy(planes) * (copies / 2);
  EXPECT_EQ(answered(media, read_of(c.page_bytes * 300), halfway - Time{1} - c.lookup),
            halfway + read());
  const Time later = end + read() - c.ecc;  // the die was the reader's in between
  // Halfway through the erase.
  const Time in_erase = later - c.tBERS + Time{c.tBERS.ps / 2};
  EXPECT_EQ(media.counters().erases, 0u);
  EXPECT_EQ(answered(media, read_of(c.page_bytes * 302), in_erase), later + read());
  EXPECT_EQ(media.counters().erases, 1u);
  // The block that the copies went to was taken from the free ones, so a second victim follows, of
  // which the first copy has begun.
  EXPECT_EQ(media.counters().moved_pages, 8 + planes);
  EXPECT_EQ(media.status(later + read()).tasks, 64u);
  const Time over = answered(media, read_of(0), later + copy(planes) * copies + erase() * 2);
  EXPECT_EQ(media.counters().moved_pages, 16u);
  EXPECT_EQ(media.counters().erases, 2u);
  EXPECT_EQ(media.status(over).tasks, 0u);
  EXPECT_EQ(media.ftl()->free_blocks(0), c.translation->free_high);
}

TEST_F(TranslationTime, BackgroundCollectionTakesItsCopiesAndItsErase) {
  background_collection(1);
}
TEST_F(TranslationTime, CopiesAreProgrammedTogetherToo) {
  background_collection(2);
  background_collection(4);
}

// Up to four pages are programmed in one tPROG.
TEST_F(TranslationTime, PlanesAreProgrammedTogether) {
  c.buffer_pages = 64;
  c.buffer_high = 63;
  c.buffer_low = 0;
  c.buffer_cold = Time{1000000000000};
  c.translation->over_provisioning_percent = 60;  // room for all of the buffer on the one die
  const auto fill = [&](std::uint32_t planes) {
    c.translation->planes = planes;
    c.pages_per_block = 16 / planes;
    FlashMedia media = media_of(c);
    Time now{0};
    for (std::uint64_t line = 0; line < 16 * c.page_bytes / 64; ++line) {
      now = answered(media, write_of(line * 64), now);
    }
    return media.flush(now) - now;
  };
  EXPECT_EQ(fill(1), (c.command + bus(c.page_bytes) + c.tPROG) * 16);
  // The first program finds one page waiting, and ends where the planes end.
  EXPECT_EQ(fill(4), (c.command + bus(c.page_bytes)) * 16 + c.tPROG * 5);
}

// A user who never stops: below the low watermark the collection goes first, so that blocks never
// run out and write amplification appears in the time.
TEST(Translation, UrgentCollectionKeepsBlocksFree) {
  FlashConfig c = small_part();
  c.translation->wear_spread = 0;
  c.translation->free_low = 3;
  c.buffer_pages = 64;
  c.buffer_high = 48;
  FlashMedia media = media_of(c);
  std::unordered_map<std::uint64_t, Line> plain;
  Time now{0};
  std::uint32_t least = 100;
  for (std::uint64_t seed = 1; seed < 200; ++seed) {
    now = overwrite(media, c, plain, 50, seed, now);
    for (std::uint32_t die = 0; die < 4; ++die) {
      least = std::min(least, media.ftl()->free_blocks(die));
    }
  }
  EXPECT_LE(least, c.translation->free_low);  // it was needed,
  EXPECT_GE(least,
            c.translation->free_low - 1);  // and came before a user's block; one is for moves
  EXPECT_GE(media.ftl()->counters().write_amplification(), 1.05);
  read_all(media, plain, now);
}

TEST(Translation, RawBlockErasesTakeTime) {
  FlashConfig c = small_part();
  std::unordered_map<std::uint64_t, Line> plain;
  const auto time_with = [&](Time tBERS) {
    c.tBERS = tBERS;
    FlashMedia media = media_of(c);
    return overwrite(media, c, plain, 8000, 5, Time{0});
  };
  EXPECT_GT(time_with(Time{10000000000}), time_with(Time{1000000000}) * 2);
}

// PRAM: the halfway write to a region is followed by a pause, which the next read waits for.
TEST(WearPauses, ComeAfterTheirCountOfWrites) {
  FlashConfig c = std::get<FlashConfig>(media_test::part("pram").params);
  c.wear_pauses->writes = 4;
  c.striping = Striping::Linear;  // units of one die are so many units apart
  c.buffer_cold = Time{1};
  const std::uint64_t dies = std::uint64_t{c.channels} * c.dies_per_channel;
  const auto bus = [&](std::uint64_t bytes) {
    return bus_time(bytes, c.channel_bits, c.channel_mtps);
  };
  const Time program = c.command * 2 + c.tR + bus(c.page_bytes) * 2 + c.tPROG;  // with its merge
  FlashMedia media(c, std::uint64_t{1} << 30, kSlots, kLine);
  Time now{0};
  for (std::uint64_t i = 0; i < 4; ++i) {
    // Units of one die: 256 of them make a region. Half are of another region until the end.
    now += Time{10000000};
    (void)answered(media, write_of(i * dies * c.page_bytes), now);
    now += Time{10000000};
    if (i < 3) (void)answered(media, write_of((256 + i) * dies * c.page_bytes), now);
  }
  now = now - Time{10000000} + c.lookup + Time{1} + program;  // the last one ends
  EXPECT_EQ(media.counters().wear_pauses, 0u);
  const Time read = c.command + c.tR + bus(kLineBytes) + c.ecc;
  EXPECT_EQ(answered(media, read_of(0), now), now + c.wear_pauses->pause + read);
  EXPECT_EQ(media.counters().wear_pauses, 1u);
  EXPECT_EQ(answered(media, read_of(dies * 1000 * c.page_bytes), now * 10),
            now * 10 + c.lookup + read);
}

TEST(WearPauses, CountsAreKeptInTheImage) {
  FlashConfig c = std::get<FlashConfig>(media_test::part("pram").params);
  c.wear_pauses->writes = 3;
  const fs::path file =
      fs::temp_directory_path() / ("cxlgpu_pauses_" + std::to_string(::getpid()) + ".image");
  std::uint64_t pauses = 0;
  for (int run = 0; run < 3; ++run) {
    FlashMedia media(c, std::uint64_t{1} << 30, kSlots, kLine);
    if (run > 0) media.load(file);
    media.flush(answered(media, write_of(0), Time{0}));
    media.save(file);
    pauses += media.counters().wear_pauses;
    EXPECT_EQ(pauses, run == 2 ? 1u : 0u);
  }
  fs::remove(file);
}

class TranslationImage : public ::testing::Test {
 protected:
  fs::path dir = fs::temp_directory_path() / ("cxlgpu_image_" + std::to_string(::getpid()));
  fs::path file = dir / "part.image";
  void SetUp() override { fs::create_directories(dir); }
  void TearDown() override { fs::remove_all(dir); }

  void expect_error(FlashMedia media, const std::string& what) {
    try {
      media.load(file);
      FAIL() << "no error: " << what;
    } catch (const InputError& error) {
      const std::string text = error.what();
      EXPECT_EQ(text.find(file.string() + ": "), 0u) << text;
      EXPECT_NE(text.find(what), std::string::npos) << text;
      EXPECT_NE(text.find("; "), std::string::npos) << text;
      EXPECT_EQ(text.find('\n'), std::string::npos) << text;
    }
  }
};

TEST_F(TranslationImage, ANewObjectGoesOnWhereTheOldOneEnded) {
  for (const std::uint32_t filled : {0u, 80u}) {
    FlashConfig c = small_part();
    c.translation->prefilled_percent = filled;
    FlashMedia old = media_of(c);
    std::unordered_map<std::uint64_t, Line> plain;
    const Time end = old.flush(overwrite(old, c, plain, 6000, 1, Time{0}));
    old.save(file);
    EXPECT_FALSE(fs::exists(file.string() + ".part"));

    FlashMedia fresh = media_of(c);
    fresh.load(file);
    EXPECT_EQ(fresh.ftl()->counters(), old.ftl()->counters());
    EXPECT_EQ(fresh.ftl()->wear().most, old.ftl()->wear().most);
    EXPECT_EQ(fresh.ftl()->broken(), "");
    EXPECT_GT(fresh.counters().erases, 100u);
    for (std::uint32_t page = 0; page < old.ftl()->logical_pages(); ++page) {
      ASSERT_EQ(fresh.ftl()->where(page), old.ftl()->where(page));
    }
    read_all(fresh, plain, Time{0});
    // And on: both take the same traffic from here, with the same result.
    FlashMedia again = media_of(c), twin = media_of(c);
    again.load(file);
    twin.load(file);
    auto more = plain;
    const Time one = overwrite(again, c, more, 6000, 2, end);
    EXPECT_EQ(overwrite(twin, c, more, 6000, 2, end), one);
    EXPECT_EQ(again.ftl()->counters(), twin.ftl()->counters());
    EXPECT_EQ(again.ftl()->broken(), "");
    read_all(again, more, one);
  }
}

TEST_F(TranslationImage, WithoutTranslationToo) {
  FlashConfig c = small_part();
  const std::uint64_t capacity = capacity_of(c);
  c.translation.reset();
  FlashMedia old(c, capacity, kSlots, kLine);
  MediaCommand write = write_of(4096);
  write.data = pattern(77);
  old.flush(answered(old, write, Time{0}));
  old.save(file);
  FlashMedia fresh(c, capacity, kSlots, kLine);
  fresh.load(file);
  EXPECT_EQ(fresh.peek(4096), pattern(77));
}

// Poison outlives the run: of the media, and of lines that only the internal DRAM knew.
TEST_F(TranslationImage, KeepsPoison) {
  const FlashConfig c = small_part();
  const auto poisoned = [](FlashMedia& media, std::uint64_t dpa, Time now) {
    media.submit(read_of(dpa), now);
    return next_answer(media, now).first.poison;
  };
  FlashMedia old = media_of(c);
  MediaCommand write = write_of(4096);
  write.data = pattern(77);
  write.poison = true;
  Time now = answered(old, write, Time{0});
  now = answered(old, fill_of(8192, 1), now);
  MediaCommand in_slot = fill_of(0, 1);
  in_slot.op = MediaOp::ArrayWrite;
  in_slot.offset = 64;
  in_slot.poison = true;  // with the data that is there already: zeros
  now = answered(old, in_slot, now);
  EXPECT_FALSE(poisoned(old, 8192 + 64, now));
  old.shut_down(now * 2);
  old.save(file);
  FlashMedia fresh = media_of(c);
  fresh.load(file);
  EXPECT_EQ(fresh.peek(4096), pattern(77));
  for (const std::uint64_t dpa : {0, 4096, 4096 + 64, 8192, 8192 + 64, 8192 + 128}) {
    now = now + Time{1000000000};
    EXPECT_EQ(poisoned(fresh, dpa, now), dpa == 4096 || dpa == 8192 + 64) << dpa;
  }
}

TEST_F(TranslationImage, BadFilesAreRefused) {
  const FlashConfig c = small_part();
  expect_error(media_of(c), "cannot be read");
  FlashMedia old = media_of(c);
  std::unordered_map<std::uint64_t, Line> plain;
  old.flush(overwrite(old, c, plain, 3000, 1, Time{0}));
  old.save(file);
  const auto bytes = [&] {
    std::ifstream in(file, std::ios::binary);
    return std::string((std::istreambuf_iterator<char>(in)), std::istreambuf_iterator<char>());
  }();
  const auto put = [&](const std::string& text) { std::ofstream(file, std::ios::binary) << text; };
  FlashConfig other = c;
  other.translation->planes = 2;
  other.pages_per_block /= 2;
  expect_error(media_of(other), "of another part");
  other = small_part(512);
  expect_error(media_of(other), "of another part");
  other = c;  // its translation names the pages otherwise
  other.striping = Striping::Permuted;
  expect_error(media_of(other), "of another part, size or striping");
  put("hello");
  expect_error(media_of(c), "no image");
  put(bytes.substr(0, bytes.size() / 2));
  expect_error(media_of(c), "damaged");
  put(bytes + "x");
  expect_error(media_of(c), "damaged");
  put(bytes.substr(0, 8) + '\1' + bytes.substr(9));
  expect_error(media_of(c), "version 1");
  int refused = 0;
  for (std::size_t at = 16; at < bytes.size(); at += bytes.size() / 40) {
    std::string bad = bytes;
    bad[at] = static_cast<char>(bad[at] ^ 0x10);
    put(bad);
    // A reference to another run of zeros unpacks to the same: then nothing is wrong.
    FlashMedia fresh = media_of(c);
    try {
      fresh.load(file);
    } catch (const InputError& error) {
      ++refused;
      EXPECT_EQ(std::string(error.what()).find(file.string() + ": "), 0u);
      continue;
    }
    for (const auto& [dpa, data] : plain) ASSERT_EQ(fresh.peek(dpa), data);
    EXPECT_EQ(fresh.ftl()->counters(), old.ftl()->counters());
  }
  EXPECT_GE(refused, 20);
  put(bytes);
  FlashMedia fresh = media_of(c);
  fresh.load(file);
}

}  // namespace
}  // namespace cxlgpu
