// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
#include "sim/media/media_figures.hpp"

#include <algorithm>
#include <random>

#include "sim/media/make_media.hpp"

namespace cxlgpu {

namespace {

constexpr std::uint64_t kIdle = 2000, kRowReads = 6000, kDramWrites = 20000;
constexpr std::uint32_t kMost = 512;  // outstanding: 16 threads of 32, as data sheets have it
constexpr std::uint32_t kSequentialBytes = 128 * 1024, kSequentialDepth = 32;

const LoopShape kRandom4k{false, false, 4096, 1};

// All figures of one part, by name.
class Figures {
 public:
  Figures(const MediaConfig& config, const HostInterface* host, std::uint32_t seed)
      : config_(config), host_(host), seed_(seed) {}

  void latency(const char* name, double ns) {
    figures_.push_back({name, Quantity::Latency, ns, {}, {}, {}});
  }
  void bandwidth(const char* name, double gb_s) {
    figures_.push_back({name, Quantity::Bandwidth, gb_s, {}, {}, {}});
  }
  // `skip` requests first that do not count; at the media port and, if there is one, with the
  // interface.
  void loop(const char* name, Quantity quantity, const LoopShape& shape, std::uint64_t skip,
            std::uint64_t count) {
    add(name, quantity, run(config_, shape, {}, skip, count),
        host_ == nullptr ? std::nullopt : std::optional(run(config_, shape, *host_, skip, count)));
  }
  // What lasts so long that the interface is no more than a limit to it.
  void limited(const char* name, Quantity quantity, const LoopResult& media) {
    std::optional<LoopResult> drive;
    if (host_ != nullptr) {
      drive = media;
      drive->per_second = std::min(media.per_second, host_->gb_s * 1e9 / media.bytes);
    }
    add(name, quantity, media, drive);
    figures_.back().media_latency = figures_.back().drive_latency = std::nullopt;
  }
  LoopResult run(const MediaConfig& config, const LoopShape& shape, const HostInterface& host,
                 std::uint64_t skip, std::uint64_t count) const {
    ClosedLoop loop(config, shape, seed_, host);
    if (skip > 0) (void)loop.run(skip);
    return loop.run(count);
  }
  std::vector<MeasuredFigure> take() { return std::move(figures_); }

 private:
  void add(const char* name, Quantity quantity, const LoopResult& media,
           const std::optional<LoopResult>& drive) {
    const auto value = [quantity](const LoopResult& r) {
      if (quantity == Quantity::Latency) return r.mean.ns();
      return quantity == Quantity::Rate ? r.per_second : r.gb_s();
    };
    MeasuredFigure figure{name, quantity, value(media), {}, {}, {}};
    if (quantity == Quantity::Rate) figure.media_latency = media.mean.ns();
    if (drive) {
      figure.drive = value(*drive);
      if (quantity == Quantity::Rate) figure.drive_latency = drive->mean.ns();
    }
    figures_.push_back(figure);
  }

  const MediaConfig& config_;
  const HostInterface* host_;
  std::uint32_t seed_;
  std::vector<MeasuredFigure> figures_;
};

double median(std::vector<Time>& times) {
  const auto middle = times.begin() + static_cast<std::ptrdiff_t>(times.size() / 2);
  std::nth_element(times.begin(), middle, times.end());
  return middle->ns();
}

// Idle reads by what they found, told by the part's counters: the same line again or another.
void row_figures(Figures& out, const MediaConfig& config, std::uint32_t seed) {
  MediaShape shape;
  shape.capacity = config.capacity();
  const std::unique_ptr<Media> part = make_media(config, shape);
  std::mt19937_64 random(seed);
  std::vector<Time> hit, closed, conflict;
  MediaCommand command;
  Time now;
  for (std::uint64_t i = 0; i < kRowReads; ++i) {
    if (i % 3 != 0) command.dpa = random() % (config.capacity() / kLineBytes) * kLineBytes;
    const MediaCounters before = part->counters();
    const Time sent = now;
    part->submit(command, now);
    while (!part->take(now)) now = std::max(now, part->next_event());
    const MediaCounters& after = part->counters();
    (after.row_conflicts > before.row_conflicts ? conflict
     : after.row_misses > before.row_misses     ? closed
                                                : hit)
        .push_back(now - sent);
  }
  // Rare ones are those that a refresh has just closed or opened.
  constexpr std::size_t kLeast = 20;
  if (hit.size() >= kLeast) out.latency("row_hit", median(hit));
  if (closed.size() >= kLeast) out.latency("row_closed", median(closed));
  if (conflict.size() >= kLeast) out.latency("row_conflict", median(conflict));
}

void dram_figures(Figures& out, const MediaConfig& config, const DramConfig& dram,
                  const MediaProfile& lines, std::uint32_t seed) {
  const auto write = [&](bool stream, std::uint32_t depth, std::uint64_t count) {
    return out.run(config, {true, stream, static_cast<std::uint32_t>(kLineBytes), depth}, {},
                   count / 5, count);
  };
  out.latency("write_64b_idle", write(false, 1, kIdle).mean.ns());
  row_figures(out, config, seed);
  out.bandwidth("pins", pin_gb_s(dram));
  out.bandwidth("read_64b_random_most", lines.random.most_gb_s);
  out.bandwidth("read_64b_stream_most", lines.stream.most_gb_s);
  const std::uint32_t depth = 2 * dram.queue_depth;
  out.bandwidth("write_64b_random_most", write(false, depth, kDramWrites).gb_s());
  out.bandwidth("write_64b_stream_most", write(true, depth, kDramWrites).gb_s());
}

// Places in the write buffer that a 4 KiB request takes.
std::uint64_t places_of(const FlashConfig& c) {
  return std::max<std::uint64_t>(1, 4096 / c.page_bytes);
}
std::uint64_t buffer_requests(const FlashConfig& c, std::uint32_t bytes) {
  return std::uint64_t{c.buffer_pages} * c.page_bytes / bytes + 1;
}

// Random and sequential writes when the buffer is full.
LoopResult random_writes(const Figures& out, const MediaConfig& config) {
  const auto& c = std::get<FlashConfig>(config.params);
  const std::uint64_t places = c.buffer_pages / places_of(c) + 1;
  LoopShape shape = kRandom4k;
  shape.write = true;
  shape.depth = kMost;
  return out.run(config, shape, {}, 2 * places, std::clamp<std::uint64_t>(8 * places, 2000, 20000));
}
LoopResult sequential_writes(const Figures& out, const MediaConfig& config) {
  const std::uint64_t buffer =
      buffer_requests(std::get<FlashConfig>(config.params), kSequentialBytes);
  return out.run(config, {true, true, kSequentialBytes, kSequentialDepth}, {},
                 std::max<std::uint64_t>(2 * buffer, 50),
                 std::clamp<std::uint64_t>(4 * buffer, 150, 1000));
}

struct Amplification {
  std::uint64_t programs = 0, moved = 0, reads = 0;
  explicit Amplification(const MediaCounters& c)
      : programs(c.page_programs), moved(c.moved_pages), reads(c.page_reads) {}
  // Since `from`: of the user's pages.
  [[nodiscard]] double moves(const Amplification& from) const {
    const auto all = static_cast<double>(programs - from.programs);
    const auto copies = static_cast<double>(moved - from.moved);
    return all > copies ? all / (all - copies) : 1;
  }
  [[nodiscard]] double merges(const Amplification& from) const {
    const auto user = static_cast<double>(programs - from.programs - (moved - from.moved));
    const auto more =
        static_cast<double>(reads - from.reads) - static_cast<double>(moved - from.moved);
    return user > 0 ? std::max(0.0, more / user) : 0;
  }
};

// A drive small enough to be written over, until its amplification no longer changes.
LoopResult steady_writes(ClosedLoop& loop, std::uint64_t window, FullDrive& full) {
  constexpr double kSame = 0.015;
  constexpr int kWindows = 24;  // six times the space at most
  double before = 0;
  LoopResult result;
  for (int windows = 1; windows <= kWindows; ++windows) {
    const Amplification from(loop.part().counters());
    result = loop.run(window);
    const Amplification to(loop.part().counters());
    full.write_amplification = to.moves(from);
    full.merges = to.merges(from);
    const double change = full.write_amplification / std::max(before, 1e-9) - 1;
    before = full.write_amplification;
    if (windows >= 4 && std::abs(change) < kSame) break;
  }
  return result;
}

// Requests a second at an amplification, from those measured at another and without any: what a
// page takes grows with the pages that are moved for it.
double at_amplification(double wanted, double measured, double per_second, double fresh) {
  if (measured <= 1 + 1e-6) return per_second;
  const double page = 1 / fresh, with = 1 / per_second;
  return 1 / (page + (with - page) * (wanted - 1) / (measured - 1));
}

// What is timed of a full drive, and for how much of the part it stands.
struct FullTiming {
  MediaConfig drive;
  std::uint32_t share = 1;  // of the part's channels
  std::uint32_t seed = 1;
  [[nodiscard]] const FlashConfig& flash() const { return std::get<FlashConfig>(drive.params); }
  [[nodiscard]] std::uint64_t pages() const { return drive.capacity() / flash().page_bytes; }
};

LoopResult full_random(const FullTiming& timing, const LoopResult& fresh, FullDrive& full) {
  const FlashConfig& c = timing.flash();
  LoopShape shape = kRandom4k;
  shape.write = true;
  shape.depth = kMost / timing.share;
  ClosedLoop loop(timing.drive, shape, timing.seed);
  (void)loop.run((2 * c.buffer_pages + (full.whole ? 0 : pages_to_settle(c))) / places_of(c) + 1);
  if (full.whole) {
    return steady_writes(loop, std::max<std::uint64_t>(timing.pages() / places_of(c) / 4, 1000),
                         full);
  }
  const Amplification from(loop.part().counters());
  LoopResult result = loop.run(std::max<std::uint64_t>(pages_to_count(c) / places_of(c), 1000));
  const Amplification to(loop.part().counters());
  full.merges = to.merges(from);
  full.write_amplification = full.die.random;
  result.per_second = at_amplification(full.die.random, to.moves(from),
                                       result.per_second * timing.share, fresh.per_second);
  return result;
}

LoopResult full_sequential(const FullTiming& timing, const LoopResult& fresh, FullDrive& full) {
  const FlashConfig& c = timing.flash();
  const std::uint64_t request_pages = std::max(kSequentialBytes / c.page_bytes, 1u);
  const std::uint64_t erased =
      std::uint64_t{full.block_pages} * c.channels * c.dies_per_channel * c.translation->free_high;
  ClosedLoop loop(timing.drive,
                  {true, true, kSequentialBytes, std::max(kSequentialDepth / timing.share, 1u)},
                  timing.seed);
  (void)loop.run(2 * buffer_requests(c, kSequentialBytes) +
                 (full.whole ? erased : pages_to_settle(c)) / request_pages);
  const std::uint64_t counted = full.whole ? timing.pages() / 10 : pages_to_count(c);
  const Amplification from(loop.part().counters());
  LoopResult result = loop.run(std::max<std::uint64_t>(counted / request_pages, 100));
  const double amplification = Amplification(loop.part().counters()).moves(from);
  full.sequential_amplification = full.whole ? amplification : full.die.sequential;
  if (full.whole) return result;
  result.per_second = at_amplification(full.die.sequential, amplification,
                                       result.per_second * timing.share, fresh.per_second);
  return result;
}

FullDrive full_figures(Figures& out, const MediaConfig& config, const LoopResult& fresh_random,
                       const LoopResult& fresh_sequential, std::uint32_t seed) {
  const auto& part = std::get<FlashConfig>(config.params);
  FullTiming timing{timed_drive(config), 1, seed};
  timing.share = part.channels / timing.flash().channels;
  FullDrive full;
  full.whole = timed_whole(part);
  full.bytes = timing.drive.capacity();
  full.channels = timing.flash().channels;
  full.blocks = timing.flash().ftl_shape().blocks_per_die;
  full.block_pages = timing.flash().ftl_shape().pages_per_block;
  if (!full.whole) full.die = die_writes(part, seed);
  out.limited("random_write_full", Quantity::Rate, full_random(timing, fresh_random, full));
  out.limited("sequential_write_full", Quantity::Bandwidth,
              full_sequential(timing, fresh_sequential, full));
  return full;
}

std::optional<FullDrive> flash_figures(Figures& out, const MediaConfig& config,
                                       const FlashConfig& c,
                                       const std::vector<MediaProfile>& profiles,
                                       std::uint32_t seed) {
  // Not so many that the buffer begins to program because it fills.
  const std::uint64_t room = std::max<std::uint64_t>(c.buffer_high / 2, 1);
  const LoopShape line{true, false, static_cast<std::uint32_t>(kLineBytes), 1};
  out.latency("write_64b_idle", out.run(config, line, {}, 0, std::min(kIdle, room)).mean.ns());
  out.bandwidth("read_64b_random_most", profiles[0].random.most_gb_s);
  out.bandwidth("read_64b_stream_most", profiles[0].stream.most_gb_s);

  LoopShape shape = kRandom4k;
  out.loop("read_4k_idle", Quantity::Latency, shape, 0, kIdle);
  const std::uint64_t requests = places_of(c) > 1 ? 4000 : 20000;
  const auto reads = [&](const char* name, std::uint32_t depth) {
    shape.depth = depth;
    out.loop(name, Quantity::Rate, shape, requests / 10, depth == 1 ? requests / 4 : requests);
  };
  reads("read_4k_qd1", 1);
  reads("read_4k_qd16", 16);
  reads("read_4k_qd64", 64);
  reads("read_4k_most", kMost);
  shape.write = true;
  shape.depth = 1;
  const std::uint64_t burst = std::clamp<std::uint64_t>(room / places_of(c), 1, kIdle);
  out.loop("write_4k_idle", Quantity::Latency, shape, 0, burst);
  out.loop("write_4k_burst_qd1", Quantity::Rate, shape, 0, burst);
  const std::uint64_t places = c.buffer_pages / places_of(c) + 1;
  const auto writes = [&](const char* name, std::uint32_t depth) {
    shape.depth = depth;
    out.loop(name, Quantity::Rate, shape, 2 * places,
             std::clamp<std::uint64_t>(8 * places, 2000, 20000));
  };
  writes("write_4k_qd1", 1);
  writes("write_4k_qd16", 16);
  writes("write_4k_qd64", 64);
  out.loop("sequential_read", Quantity::Bandwidth,
           {false, true, kSequentialBytes, kSequentialDepth}, 50, 400);
  if (!c.translation) {
    out.limited("sequential_write", Quantity::Bandwidth, sequential_writes(out, config));
    out.limited("random_write", Quantity::Rate, random_writes(out, config));
    return {};
  }
  MediaConfig fresh = config;
  std::get<FlashConfig>(fresh.params).translation->prefilled_percent = 0;
  const LoopResult sequential = sequential_writes(out, fresh), random = random_writes(out, fresh);
  out.limited("sequential_write_fresh", Quantity::Bandwidth, sequential);
  out.limited("random_write_fresh", Quantity::Rate, random);
  return full_figures(out, config, random, sequential, seed);
}

}  // namespace

MediaFigures measure_figures(const MediaConfig& config, const std::vector<MediaProfile>& profiles,
                             const HostInterface* host, std::uint32_t seed) {
  Figures out(config, host, seed);
  MediaFigures result;
  out.latency("read_64b_idle", profiles[0].idle.ns());
  if (const auto* dram = std::get_if<DramConfig>(&config.params)) {
    dram_figures(out, config, *dram, profiles[0], seed);
  } else {
    result.full = flash_figures(out, config, std::get<FlashConfig>(config.params), profiles, seed);
  }
  std::vector<MeasuredFigure> measured = out.take();
  for (const FigureName& name : figure_names(config.kind())) {
    const auto at = std::find_if(measured.begin(), measured.end(),
                                 [&](const MeasuredFigure& f) { return f.name == name.name; });
    if (at != measured.end()) result.figures.push_back(*at);
  }
  return result;
}

std::vector<Comparison> compare(const MediaConfig& config, const MediaFigures& figures) {
  std::vector<Comparison> rows;
  for (const PublishedFigure& published : config.published) {
    Comparison row{published, {}};
    for (const MeasuredFigure& figure : figures.figures) {
      if (figure.name == published.figure) row.ours = figure.drive.value_or(figure.media);
    }
    rows.push_back(std::move(row));
  }
  return rows;
}

}  // namespace cxlgpu
