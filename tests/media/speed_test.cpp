// Speed of the models in one thread. A report, not a judgement: the only thing asserted is that the
// work was done. Run it alone on a quiet machine in a Release build.
#include <gtest/gtest.h>

#include <cstdio>
#include <ctime>
#include <random>

#include "refmodel/media/flash_media.hpp"
#include "tests/media/media_test_util.hpp"

namespace cxlgpu {
namespace {

using media_test::fill_of;
using media_test::read_of;
using media_test::saturate;
using media_test::write_back_of;
using media_test::write_of;

// Processor time, so that a busy machine disturbs less.
class Stopwatch {
 public:
  [[nodiscard]] double seconds() const {
    return static_cast<double>(std::clock() - start_) / CLOCKS_PER_SEC;
  }

 private:
  std::clock_t start_ = std::clock();
};

// Requests are made before the clock starts.
void report(const char* what, Media& media, const std::vector<MediaCommand>& commands,
            bool one_at_a_time = false) {
  const Stopwatch watch;
  Time now{0};
  if (one_at_a_time) {
    for (const MediaCommand& command : commands) {
      media.submit(command, now);
      while (!media.take(now)) now = media.next_event();
    }
  } else {
    now = saturate(media, commands.size(), [&](std::uint64_t i) { return commands[i]; });
  }
  const auto n = static_cast<double>(commands.size());
  std::printf("%-44s %6.2f M requests/s of processor time, %7.2f M/s simulated\n", what,
              n / watch.seconds() / 1e6, n / static_cast<double>(now.ps) * 1e6);
}

std::vector<MediaCommand> make(std::uint64_t count, std::uint64_t space, std::uint64_t step,
                               MediaCommand (*kind)(std::uint64_t, std::uint32_t, unsigned)) {
  std::mt19937_64 random(7);
  std::vector<MediaCommand> commands;
  for (std::uint64_t i = 0; i < count; ++i) {
    commands.push_back(kind(random() % (space / step) * step,
                            static_cast<std::uint32_t>(random() % 65536),
                            static_cast<unsigned>(random() % 4)));
  }
  return commands;
}

constexpr std::uint64_t kCount = 100000, kSpace = std::uint64_t{1} << 30;

MediaCommand reads(std::uint64_t dpa, std::uint32_t, unsigned) {
  return read_of(dpa);
}
MediaCommand mixed(std::uint64_t dpa, std::uint32_t, unsigned coin) {
  return coin == 0 ? write_of(dpa) : read_of(dpa);
}
MediaCommand fills(std::uint64_t dpa, std::uint32_t slot, unsigned) {
  return fill_of(dpa, slot);
}
MediaCommand cached(std::uint64_t dpa, std::uint32_t slot, unsigned coin) {
  if (coin == 0) return write_back_of(dpa, slot);
  return fill_of(dpa, slot);
}

TEST(Speed, Dram) {
  const MediaConfig config = media_test::part("dram");
  report("dram, random reads, saturated", *make_media(config, {kSpace}),
         make(kCount, kSpace, 64, reads));
  report("dram, random 3 reads : 1 write, saturated", *make_media(config, {kSpace}),
         make(kCount, kSpace, 64, mixed));
  report("dram, random reads, one outstanding", *make_media(config, {kSpace}),
         make(kCount, kSpace, 64, reads), true);
}

TEST(Speed, DramByChoice) {
  MediaConfig config = media_test::part("dram");
  DramConfig& c = std::get<DramConfig>(config.params);
  c.scheduling = DramScheduling::FrFcfs;
  c.refresh = DramRefresh::SameBank;
  report("dram, fr_fcfs, same-bank refresh, saturated", *make_media(config, {kSpace}),
         make(kCount, kSpace, 64, reads));
  report("hbm3, random reads, saturated", *make_media(media_test::part("hbm3"), {kSpace}),
         make(kCount, kSpace, 64, reads));
}

TEST(Speed, ZNand) {
  const MediaConfig config = media_test::part("znand");
  const MediaShape shape{kSpace, 65536, 256};
  report("znand, random fills, saturated", *make_media(config, shape),
         make(kCount, kSpace, 256, fills));
  report("znand, random 3 fills : 1 write-back", *make_media(config, shape),
         make(kCount, kSpace, 256, cached));
  report("znand, random 64 B reads, saturated", *make_media(config, shape),
         make(kCount, kSpace, 64, reads));
  report("znand, random fills, one outstanding", *make_media(config, shape),
         make(kCount, kSpace, 256, fills), true);
}

TEST(Speed, Nand) {
  const MediaConfig config = media_test::part("nand");
  const MediaShape shape{std::uint64_t{64} << 30, 65536, 256};
  const auto commands = [&](auto kind) { return make(4 * kCount, shape.capacity, 256, kind); };
  report("nand, random fills, saturated", *make_media(config, shape), commands(fills));
  report("nand, random 3 fills : 1 write-back", *make_media(config, shape), commands(cached));
  report("nand, random fills, one outstanding", *make_media(config, shape), commands(fills), true);
  report("nand, random 64 B reads, saturated", *make_media(config, shape), commands(reads));
  report("nand, random 64 B, 3 reads : 1 write", *make_media(config, shape), commands(mixed));
  // A small drive that collects all the time.
  FlashConfig small = std::get<FlashConfig>(config.params);
  small.pages_per_block = 64;
  small.pages_per_die = 64 * 128;
  small.translation->free_low = 2;
  small.translation->free_high = 3;
  small.translation->over_provisioning_percent = 28;
  small.translation->prefilled_percent = 100;
  small.capacity = ftl_logical_pages(small.ftl_shape(), *small.translation) * small.page_bytes;
  FlashMedia media(small, small.capacity, 65536, 256);
  const auto traffic = make(4 * kCount, small.capacity, 256, mixed);
  report("nand of 3 GB that collects, 64 B, 3 : 1", media, traffic);
  std::printf("  write amplification %.2f, %llu erases; %zu bytes of translation, %.1f a page\n",
              media.ftl()->counters().write_amplification(),
              static_cast<unsigned long long>(media.counters().erases), media.ftl()->bytes(),
              static_cast<double>(media.ftl()->bytes()) /
                  static_cast<double>(media.ftl()->touched_pages()));
}

// The RTL test bench asks each clock; nearly always nothing is due.
TEST(Speed, PollingWhenNothingIsDue) {
  for (const char* name : {"dram", "znand"}) {
    const auto media = make_media(media_test::part(name), {kSpace, 65536, 256});
    const auto poll = [&](const char* state, Time from, Time to) {
      const Stopwatch watch;
      std::uint64_t calls = 0, sum = 0;
      for (int repeat = 0; repeat < 20000; ++repeat) {
        for (Time now = from; now < to; now += kCycle) {
          sum += media->take(now).has_value() ? 1 : 0;
          sum += media->next_event().ps & 1;
          ++calls;
        }
      }
      EXPECT_NE(sum, 1u);
      std::printf("%-6s take + next_event, %-12s %6.2f ns a cycle\n", name, state,
                  watch.seconds() / static_cast<double>(calls) * 1e9);
    };
    poll("idle", Time{0}, Time{30000});
    for (unsigned i = 0; i < 32; ++i)
      media->submit(read_of(i * 4096, static_cast<std::uint8_t>(i)), Time{30000});
    poll("32 queued", Time{30000}, Time{34000});
  }
}

}  // namespace
}  // namespace cxlgpu
