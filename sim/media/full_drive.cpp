// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
#include "sim/media/full_drive.hpp"

#include <algorithm>
#include <cmath>
#include <random>

namespace cxlgpu {

namespace {

constexpr std::uint32_t kRequestBytes = 4096;
// Below, the state that a drive is prefilled with is not yet the steady one of greedy victims.
constexpr std::uint32_t kLongBlock = 256;
constexpr std::uint32_t kLeastBlock = 256;      // pages of all planes, if shortened
constexpr double kDiePrograms = 32e6;           // logical pages times amplification, of a die
constexpr std::uint64_t kTimedPages = 400000;   // a drive of no more is timed as it is
constexpr std::uint64_t kTimedWrites = 600000;  // of one that is not
constexpr std::uint32_t kErasesCounted = 20;    // of a die
constexpr std::uint32_t kFreeBetween = 1;       // erased blocks between idle and urgent

// Erased blocks beyond those that a busy drive keeps only take longer to be used up.
void limit_free(TranslationConfig& t) {
  t.free_high = std::min(t.free_high, t.free_low + kFreeBetween);
}

std::uint32_t scaled(std::uint32_t n, std::uint64_t to, std::uint64_t from) {
  return static_cast<std::uint32_t>(
      std::llround(static_cast<double>(n) * static_cast<double>(to) / static_cast<double>(from)));
}

// By the closed form, with the blocks left out that a busy die keeps erased and half of the two
// that are open.
double expected(const FtlShape& shape, const TranslationConfig& t) {
  const double logical = static_cast<double>(ftl_logical_pages(shape, t)) / shape.dies;
  const double blocks = static_cast<double>(shape.blocks_per_die) - t.free_low - 1;
  return closed_amplification(blocks * shape.pages_per_block, logical);
}

struct Die {
  FtlShape shape;
  TranslationConfig translation;
  std::uint32_t group = 1;  // pages of one request, written together
  [[nodiscard]] bool long_blocks() const { return shape.pages_per_block / group >= kLongBlock; }
};

Die own_die(const FlashConfig& c) {
  Die die{c.ftl_shape(), *c.translation};
  // A request of several pages puts them on as many dies as there are.
  const std::uint32_t places = std::max(kRequestBytes / c.page_bytes, 1u);
  die.group = (places + die.shape.dies - 1) / die.shape.dies;
  die.shape.buffered = (die.shape.buffered + die.shape.dies - 1) / die.shape.dies;
  die.shape.dies = 1;
  die.translation.prefilled_percent = 100;
  limit_free(die.translation);
  return die;
}

// The same with so few pages that it can be written over.
Die shortened(const Die& own) {
  Die die = own;
  const double most = kDiePrograms / expected(own.shape, own.translation);
  const auto pages = [&] {
    return static_cast<double>(die.shape.blocks_per_die) * die.shape.pages_per_block;
  };
  if (!own.long_blocks() && pages() > most / 4) {
    die.shape.blocks_per_die = static_cast<std::uint32_t>(most / 4 / die.shape.pages_per_block);
  } else if (pages() > most) {
    // Many blocks matter more than long ones, once these are long enough.
    constexpr double kBlocks = 4096;
    die.shape.pages_per_block =
        static_cast<std::uint32_t>(std::clamp(most / kBlocks, static_cast<double>(kLeastBlock),
                                              static_cast<double>(own.shape.pages_per_block)));
    die.shape.blocks_per_die = std::min(
        own.shape.blocks_per_die, static_cast<std::uint32_t>(most / die.shape.pages_per_block));
  }
  const std::uint32_t blocks = own.shape.blocks_per_die;
  TranslationConfig& t = die.translation;
  t.free_high = std::max(2u, scaled(t.free_high, die.shape.blocks_per_die, blocks));
  t.free_low =
      std::clamp(scaled(t.free_low, die.shape.blocks_per_die, blocks), 1u, t.free_high - 1);
  die.shape.buffered = std::min(die.shape.buffered, die.shape.pages_per_block);
  return ftl_problem(die.shape, t).empty() ? die : own;
}

class DieWriter {
 public:
  DieWriter(const Die& die, std::uint32_t seed)
      : ftl_(die.shape, die.translation),
        group_(die.group),
        groups_(std::max(ftl_.logical_pages() / die.group, 1u)),
        random_(seed) {}
  // Amplification of that many pages.
  double random(std::uint64_t pages) {
    return write(pages, [this] { return static_cast<std::uint32_t>(random_() % groups_); });
  }
  double sequential(std::uint64_t pages) {
    return write(pages, [this] { return next_++ % groups_; });
  }
  [[nodiscard]] std::uint64_t pages() const { return ftl_.logical_pages(); }

 private:
  template <typename Place>
  double write(std::uint64_t pages, Place place) {
    const Ftl::Counters before = ftl_.counters();
    for (std::uint64_t i = 0; i < pages; i += group_) {
      const std::uint32_t first = place() * group_;
      for (std::uint32_t page = 0; page < group_; ++page) ftl_.write_now(first + page);
    }
    const Ftl::Counters& after = ftl_.counters();
    return 1 + static_cast<double>(after.moved_pages - before.moved_pages) /
                   static_cast<double>(after.host_pages - before.host_pages);
  }

  Ftl ftl_;
  std::uint32_t group_, groups_;
  std::mt19937_64 random_;
  std::uint32_t next_ = 0;
};

}  // namespace

double closed_amplification(double physical, double logical) {
  // With u = -W(-a e^-a) / a, the share of valid pages in a victim: u = e^(-a (1 - u)).
  const double a = physical / logical;
  if (!(a > 1)) return 1e6;
  double low = 0, high = 1 - 1e-9;  // the root below 1
  for (int i = 0; i < 100; ++i) {
    const double u = (low + high) / 2;
    (std::exp(-a * (1 - u)) > u ? low : high) = u;
  }
  return 1 / (1 - low);
}

DieWrites die_writes(const FlashConfig& config, std::uint32_t seed) {
  const Die own = own_die(config), die = shortened(own);
  DieWrites result;
  result.blocks = die.shape.blocks_per_die;
  result.block_pages = die.shape.pages_per_block;
  result.shortened =
      result.blocks != own.shape.blocks_per_die || result.block_pages != own.shape.pages_per_block;
  DieWriter writer(die, seed);
  // The erased blocks are used up, and short blocks come to their steady state.
  const std::uint64_t free = std::uint64_t{die.translation.free_high} * die.shape.pages_per_block;
  const std::uint64_t space = writer.pages();
  const bool is_long = own.long_blocks();
  (void)writer.random(free + (is_long ? space / 32 : space / 2));
  // So many that a block more or less changes nothing.
  constexpr std::uint64_t kBlocks = 400;
  const auto least = static_cast<std::uint64_t>(kBlocks * die.shape.pages_per_block /
                                                expected(die.shape, die.translation));
  result.random = writer.random(std::max(is_long ? space / 16 : space / 4, least));
  result.sequential = writer.sequential(std::max<std::uint64_t>(space / 10, 1));
  if (result.shortened) {
    const double by = expected(own.shape, own.translation) / expected(die.shape, die.translation);
    result.random = std::max(1.0, result.random * by);
    result.sequential = std::max(1.0, result.sequential * by);
  }
  return result;
}

std::uint64_t pages_to_settle(const FlashConfig& timed) {
  const FtlShape shape = timed.ftl_shape();
  const TranslationConfig& t = *timed.translation;
  return std::uint64_t{shape.dies} * shape.pages_per_block * (t.free_high - t.free_low + 1);
}

std::uint64_t pages_to_count(const FlashConfig& timed) {
  const FtlShape shape = timed.ftl_shape();
  return static_cast<std::uint64_t>(1.0 * kErasesCounted * shape.dies * shape.pages_per_block /
                                    expected(shape, *timed.translation));
}

bool timed_whole(const FlashConfig& c) {
  return c.pages_per_die * c.channels * c.dies_per_channel <= kTimedPages;
}

MediaConfig timed_drive(const MediaConfig& config) {
  MediaConfig drive = config;
  auto& c = std::get<FlashConfig>(drive.params);
  c.translation->prefilled_percent = 100;
  const auto& whole = std::get<FlashConfig>(config.params);
  if (timed_whole(whole)) return drive;
  limit_free(*c.translation);
  // As few channels as leave the dies a buffer that they never wait for.
  const std::uint32_t least_buffer = 8 * c.dies_per_channel * c.translation->planes;
  std::uint32_t share = c.channels;
  while (share > 1 && (c.channels % share != 0 || c.buffer_pages / share < least_buffer ||
                       (c.buffer_high - c.buffer_low) / share < 1)) {
    --share;
  }
  const auto part_of = [share](std::uint32_t n) { return std::max(n / share, 1u); };
  c.channels /= share;
  c.buffer_pages = part_of(c.buffer_pages);
  c.buffer_high = part_of(c.buffer_high);
  c.buffer_low = c.buffer_low / share;
  c.read_queue_depth = part_of(c.read_queue_depth);
  c.write_queue_depth = part_of(c.write_queue_depth);
  const std::uint32_t blocks = c.ftl_shape().blocks_per_die;
  const std::uint32_t dies = c.channels * c.dies_per_channel;
  // What is written before and while it is counted goes with the length of a block.
  const double in_blocks =
      kFreeBetween + 1 + kErasesCounted / expected(own_die(whole).shape, *whole.translation);
  const std::uint32_t planes = c.translation->planes, own = whole.pages_per_block;
  const double fit = static_cast<double>(kTimedWrites) / in_blocks / dies;
  for (double pages = std::max(fit, double{kLeastBlock}) / planes; pages < own; pages *= 2) {
    c.pages_per_block = static_cast<std::uint32_t>(pages);
    c.pages_per_die = std::uint64_t{blocks} * c.pages_per_block * planes;
    c.tBERS = Time{std::max<std::uint64_t>(whole.tBERS.ps * c.pages_per_block / own, 1)};
    if (ftl_problem(c.ftl_shape(), *c.translation).empty()) break;
    c.pages_per_block = own;
    c.pages_per_die = whole.pages_per_die;
    c.tBERS = whole.tBERS;
  }
  c.capacity = ftl_logical_pages(c.ftl_shape(), *c.translation) * c.page_bytes;
  return drive;
}

}  // namespace cxlgpu
