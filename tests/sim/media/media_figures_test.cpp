// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
// Closed loops and sustained writes against closed forms, on parts small enough to have them.
#include "sim/media/media_figures.hpp"

#include <gtest/gtest.h>
#include <unistd.h>

#include <fstream>
#include <sstream>

#include "common/input_error.hpp"
#include "sim/media/bus_time.hpp"
#include "tests/sim/media/media_test_util.hpp"

namespace cxlgpu {
namespace {

const std::filesystem::path kInterface =
    std::filesystem::path(CXLGPU_SOURCE_DIR) / "configs/host/nvme.yaml";

MediaConfig znand_of(std::uint32_t channels, std::uint32_t dies) {
  MediaConfig part = media_test::part("znand");
  part.params = media_test::flash_config();
  auto& c = std::get<FlashConfig>(part.params);
  c.channels = channels;
  c.dies_per_channel = dies;
  c.capacity = c.pages_per_die * channels * dies * c.page_bytes;
  return part;
}

const LoopShape kLine{false, false, 64, 1};

TEST(ClosedLoop, OneDieByFormula) {
  const MediaConfig part = znand_of(1, 1);
  const auto& c = std::get<FlashConfig>(part.params);
  const Time die = c.command + c.tR + bus_time(64, c.channel_bits, c.channel_mtps);
  const LoopResult one = ClosedLoop(part, kLine, 1).run(500);
  EXPECT_EQ(one.mean, c.lookup + die + c.ecc);
  EXPECT_EQ(one.p99, one.mean);
  for (const std::uint32_t depth : {2u, 4u, 16u}) {
    LoopShape shape = kLine;
    shape.depth = depth;
    ClosedLoop loop(part, shape, 1);
    (void)loop.run(100);
    const LoopResult many = loop.run(1000);
    EXPECT_NEAR(many.mean.ns(), depth * die.ns(), 0.002 * depth * die.ns()) << depth;
    EXPECT_NEAR(many.per_second, 1e9 / die.ns(), 0.002e9 / die.ns()) << depth;
  }
}

// 4 KiB of a part whose unit is smaller: as many commands, done when the last is.
TEST(ClosedLoop, RequestOfSeveralUnits) {
  MediaConfig part = media_test::part("pram");
  EXPECT_EQ(ClosedLoop::piece_bytes(part, 4096), 256u);
  EXPECT_EQ(ClosedLoop::piece_bytes(part, 64), 64u);
  ClosedLoop loop(part, {false, false, 4096, 4}, 1);
  const LoopResult r = loop.run(1000);
  const MediaCounters& counters = loop.part().counters();
  EXPECT_GE(counters.fills, 16000u);
  EXPECT_LE(counters.fills, 16 * 1004u);
  EXPECT_NEAR(r.gb_s(), r.per_second * 4096 / 1e9, 1e-9);
  // At least one unit's own way and the other bytes over a channel of eight.
  const auto& c = std::get<FlashConfig>(part.params);
  const Time unit = bus_time(256, c.channel_bits, c.channel_mtps);
  EXPECT_GE(r.mean, c.lookup + c.command + c.tR + unit + unit + c.ecc);
}

TEST(ClosedLoop, InterfaceLiesAround) {
  const MediaConfig part = znand_of(1, 1);
  HostInterface host{"own", Time{700}, Time{1900}, Time{2300}, {}, 0.5};
  const Time media = ClosedLoop(part, kLine, 1).run(200).mean;
  const Time transfer{128000};  // 64 B at 0.5 GB/s
  EXPECT_EQ(host.transfer(64), transfer);
  EXPECT_EQ(ClosedLoop(part, kLine, 1, host).run(200).mean,
            host.before_read + media + transfer + host.after);
  LoopShape shape = kLine;
  shape.write = true;
  const LoopResult write = ClosedLoop(part, shape, 1).run(100);
  EXPECT_EQ(ClosedLoop(part, shape, 1, host).run(100).mean,
            host.before_write + transfer + write.mean + host.after);
  // A narrow link is what 64 outstanding wait for, reads and writes alike.
  const MediaConfig wide = znand_of(8, 8);
  for (const bool w : {false, true}) {
    LoopShape deep{w, false, 64, 64};
    host.gb_s = 0.01;
    ClosedLoop loop(wide, deep, 1, host);
    (void)loop.run(100);
    EXPECT_NEAR(loop.run(400).gb_s(), 0.01, 0.0001) << w;
  }
}

// Thousands of accesses of the internal DRAM wait; the oldest go before their turn.
TEST(ClosedLoop, ManyPagesWrittenBackAtOnce) {
  ClosedLoop loop(znand_of(8, 8), {true, false, 4096, 64}, 1);
  EXPECT_GT(loop.run(3000).per_second, 100000);
}

TEST(HostInterface, FileAndBandwidth) {
  const HostInterface three = load_host_interface(kInterface, "pcie3x4", "part.yaml", 7);
  const HostInterface four = load_host_interface(kInterface, "pcie4x4", "part.yaml", 7);
  EXPECT_NEAR(three.gb_s, 8 * 4 / 8.0 * 128 / 130 * 256 / 280, 1e-9);
  EXPECT_NEAR(four.gb_s, 2 * three.gb_s, 1e-9);
  EXPECT_EQ(three.before_read, four.before_read);
  EXPECT_GT(three.before_write, three.before_read);
  try {
    (void)load_host_interface(kInterface, "sata", "part.yaml", 7);
    FAIL();
  } catch (const InputError& error) {
    EXPECT_EQ(std::string(error.what()),
              "part.yaml:7: key 'interface': 'sata' is not known; use one of: pcie3x4, pcie4x4");
  }
}

TEST(HostInterface, MistypedNamesAreSuggested) {
  const auto says = [](const std::filesystem::path& file, const std::string& link,
                       const std::string& part) {
    try {
      (void)load_host_interface(file, link, "part.yaml", 7);
      ADD_FAILURE() << link;
    } catch (const InputError& error) {
      EXPECT_NE(std::string(error.what()).find(part), std::string::npos) << error.what();
    }
  };
  says(kInterface, "pcie3x8", "'pcie3x8' is not known; did you mean pcie3x4? ");
  std::ifstream in(kInterface);
  std::stringstream text;
  text << in.rdbuf();
  std::string own = text.str();
  own.replace(own.find("doorbell_ps"), 11, "doorbel_ps");
  const std::filesystem::path file = std::filesystem::temp_directory_path() /
                                     ("cxlgpu_nvme_" + std::to_string(::getpid()) + ".yaml");
  std::ofstream(file) << own;
  says(file, "pcie3x4",
       "key 'command.doorbel_ps': is not known; did you mean command.doorbell_ps? ");
  std::filesystem::remove(file);
}

// Two channels of two dies with a translation layer.
MediaConfig small_drive() {
  MediaConfig part = media_test::part("nand");
  auto& c = std::get<FlashConfig>(part.params);
  c.channels = c.dies_per_channel = 2;
  c.page_bytes = 4096;
  c.pages_per_block = 16;
  c.pages_per_die = 16 * 2 * 150;
  c.buffer_pages = 128;
  c.buffer_high = 96;
  c.buffer_low = 64;
  c.tBERS = Time{100000000};
  c.capacity = ftl_logical_pages(c.ftl_shape(), *c.translation) * c.page_bytes;
  EXPECT_EQ(ftl_problem(c.ftl_shape(), *c.translation), "");
  return part;
}

const MeasuredFigure& named(const MediaFigures& figures, const std::string& name) {
  for (const MeasuredFigure& f : figures.figures) {
    if (f.name == name) return f;
  }
  ADD_FAILURE() << name;
  return figures.figures.front();
}

TEST(MediaFigures, CollectionSlowsSustainedWrites) {
  const MediaConfig part = small_drive();
  const auto& c = std::get<FlashConfig>(part.params);
  const MediaFigures figures = measure_figures(part, {MediaProfile{}}, nullptr, 1);
  std::vector<std::string> expected, got;
  for (const FigureName& n : figure_names(PartKind::Translated)) {
    if (n.name != std::string("read_64b_cxl")) expected.emplace_back(n.name);
  }
  for (const MeasuredFigure& f : figures.figures) {
    got.push_back(f.name);
    EXPECT_FALSE(f.drive.has_value()) << f.name;
  }
  EXPECT_EQ(got, expected);
  ASSERT_TRUE(figures.full.has_value());
  EXPECT_TRUE(figures.full->whole);
  EXPECT_EQ(figures.full->bytes, part.capacity());

  // Fresh: every die programs a page of two planes, one after the other in over the channel.
  const Time in = c.command + bus_time(4096, c.channel_bits, c.channel_mtps);
  const double by_formula = 4 * 2 / (c.tPROG + in + in).ns() * 1e9;
  EXPECT_NEAR(named(figures, "random_write_fresh").media / by_formula, 1, 0.05);
  EXPECT_NEAR(named(figures, "sequential_write_fresh").media / (by_formula * 4096 / 1e9), 1, 0.05);

  const double amplification = figures.full->write_amplification;
  EXPECT_GT(amplification, 2);
  EXPECT_LT(amplification, 12);
  EXPECT_NEAR(figures.full->merges, 0, 0.005);  // requests are whole pages; some copies lie astride
  // A moved page is read and brought over the channel besides.
  const double slower =
      named(figures, "random_write_full").media / named(figures, "random_write_fresh").media;
  EXPECT_LT(slower, 1.05 / amplification);
  EXPECT_GT(slower, 0.5 / amplification);
  EXPECT_LT(named(figures, "sequential_write_full").media,
            0.8 * named(figures, "sequential_write_fresh").media);
}

TEST(MediaFigures, ADriveTooLargeIsTimedOnOneChannel) {
  const MediaConfig whole = media_test::part("znand"), drive = timed_drive(whole);
  const auto& a = std::get<FlashConfig>(whole.params);
  const auto& b = std::get<FlashConfig>(drive.params);
  EXPECT_EQ(b.channels, 1u);
  EXPECT_EQ(a.dies_per_channel, b.dies_per_channel);
  EXPECT_EQ(a.pages_per_block, b.pages_per_block);
  EXPECT_EQ(a.pages_per_die, b.pages_per_die);
  EXPECT_EQ(a.buffer_pages, 8 * b.buffer_pages);
  EXPECT_EQ(a.write_queue_depth, 8 * b.write_queue_depth);
  EXPECT_EQ(a.tPROG, b.tPROG);
  EXPECT_EQ(b.translation->prefilled_percent, 100u);
  EXPECT_EQ(ftl_problem(b.ftl_shape(), *b.translation), "");
  // Blocks that take too long are shortened, and the time of an erase with them.
  MediaConfig long_blocks = whole;
  auto& l = std::get<FlashConfig>(long_blocks.params);
  l.pages_per_block = 16384;
  const MediaConfig timed = timed_drive(long_blocks);
  const auto& s = std::get<FlashConfig>(timed.params);
  EXPECT_LT(s.pages_per_block, l.pages_per_block);
  EXPECT_GE(s.pages_per_block, 256u);
  EXPECT_EQ(s.pages_per_die / s.pages_per_block, l.pages_per_die / l.pages_per_block);
  EXPECT_NEAR(l.tBERS.ns() / l.pages_per_block, s.tBERS.ns() / s.pages_per_block, 0.01);
  EXPECT_EQ(timed_drive(small_drive()).capacity(), small_drive().capacity());
  EXPECT_EQ(std::get<FlashConfig>(timed_drive(small_drive()).params).channels, 2u);
}

// The full drive of 983 ZET class: 64 dies of 2 730 blocks of 768 pages, 14 % of spare area.
TEST(MediaFigures, AFullDriveOfThePartsOwnGeometry) {
  const MediaConfig part = media_test::part("znand");
  const MediaFigures figures = measure_figures(part, {MediaProfile{}}, nullptr, 1);
  ASSERT_TRUE(figures.full.has_value());
  EXPECT_FALSE(figures.full->whole);
  EXPECT_FALSE(figures.full->die.shortened);
  EXPECT_EQ(figures.full->die.blocks, 2730u);
  EXPECT_EQ(figures.full->die.block_pages, 768u);
  EXPECT_GT(figures.full->write_amplification, 4.2);
  EXPECT_LT(figures.full->write_amplification, 4.4);
  // 64 dies. A page of the user is brought in and programmed; a moved one read out before.
  const auto& c = std::get<FlashConfig>(part.params);
  const Time move = bus_time(4096, c.channel_bits, c.channel_mtps);
  const double user = (c.command + move + c.tPROG).ns();
  const double moved = user + (c.command + c.tR + move).ns();
  const double amplification = figures.full->write_amplification;
  const double erase = c.tBERS.ns() * amplification / c.pages_per_block;
  const double by_formula = 64e9 / (user + (amplification - 1) * moved + erase);
  EXPECT_NEAR(named(figures, "random_write_full").media / by_formula, 1, 0.06);
  const double sequential =
      64e9 / (user + (figures.full->sequential_amplification - 1) * moved + erase);
  EXPECT_NEAR(named(figures, "sequential_write_full").media / (sequential * 4096 / 1e9), 1, 0.06);
}

TEST(MediaFigures, RowsOfDramByFormula) {
  const MediaConfig part = media_test::part("dram");
  const auto& c = std::get<DramConfig>(part.params);
  const MediaFigures figures = measure_figures(part, {MediaProfile{}}, nullptr, 1);
  const Time hit = c.front + c.tCL + bus_time(64, 32, 5600) + c.back;
  EXPECT_NEAR(named(figures, "row_hit").media, hit.ns(), 0.01);
  EXPECT_NEAR(named(figures, "row_closed").media, (hit + c.tRCD).ns(), 0.01);
  EXPECT_NEAR(named(figures, "row_conflict").media, (hit + c.tRCD + c.tRP).ns(), 0.01);
  EXPECT_DOUBLE_EQ(named(figures, "pins").media, 44.8);
  EXPECT_LE(named(figures, "write_64b_stream_most").media, 44.8);
  EXPECT_GE(named(figures, "write_64b_stream_most").media, 0.9 * refreshed_gb_s(c));
}

TEST(MediaFigures, Comparison) {
  MediaConfig part = media_test::part("znand");
  part.published = {{"read_4k_idle", Quantity::Latency, 100, "a", ""},
                    {"read_4k_qd1", Quantity::Rate, 100, "b", ""},
                    {"read_4k_qd16", Quantity::Rate, 100, "c", "since it rained"},
                    {"read_64b_cxl", Quantity::Latency, 100, "d", ""}};
  MediaFigures figures;
  figures.figures = {{"read_4k_idle", Quantity::Latency, 90, 109.9, {}, {}},
                     {"read_4k_qd1", Quantity::Rate, 89, {}, {}, {}},
                     {"read_4k_qd16", Quantity::Rate, 300, {}, {}, {}}};
  const std::vector<Comparison> rows = compare(part, figures);
  ASSERT_EQ(rows.size(), 4u);
  EXPECT_DOUBLE_EQ(*rows[0].ours, 109.9);  // the drive's
  EXPECT_NEAR(rows[0].difference(), 0.099, 1e-9);
  EXPECT_FALSE(rows[0].far());
  EXPECT_TRUE(rows[1].unexplained());
  EXPECT_TRUE(rows[2].far());
  EXPECT_FALSE(rows[2].unexplained());
  EXPECT_FALSE(rows[3].ours.has_value());
  EXPECT_FALSE(rows[3].unexplained());
}

// ---- the section of a part's file
class Published : public ::testing::Test {
 protected:
  std::filesystem::path dir_ =
      std::filesystem::temp_directory_path() / ("cxlgpu_published_" + std::to_string(::getpid()));
  void SetUp() override { std::filesystem::create_directories(dir_); }
  void TearDown() override { std::filesystem::remove_all(dir_); }

  // hbm3.yaml without a section of its own, then `section`.
  MediaConfig load(const std::string& section) {
    std::ifstream in(std::filesystem::path(CXLGPU_SOURCE_DIR) / "configs/media/hbm3.yaml");
    std::ofstream out(dir_ / "own.yaml");
    lines_ = 0;
    for (std::string line; std::getline(in, line) && line != "published:"; ++lines_) {
      out << line << '\n';
    }
    out << section;
    out.close();
    return load_media_config(dir_ / "own.yaml");
  }
  // `line`: of the section, from 1.
  void refused(const std::string& section, int line, const std::string& key,
               const std::string& what) {
    try {
      (void)load(section);
      FAIL() << "no error: " << section;
    } catch (const InputError& error) {
      const std::string text = error.what();
      const std::string head = (dir_ / "own.yaml").string() + ":" + std::to_string(lines_ + line) +
                               ": key '" + key + "': ";
      EXPECT_EQ(text.substr(0, head.size()), head) << text;
      EXPECT_NE(text.find(what), std::string::npos) << text;
      EXPECT_EQ(text.find('\n'), std::string::npos) << text;
    }
  }
  int lines_ = 0;
};

TEST_F(Published, IsRead) {
  EXPECT_TRUE(load("").published.empty());
  const auto figures = load(
                           "published:\n"
                           "  - figure: pins\n    value: 819.2\n    unit: GB/s\n    source: a b\n"
                           "  - {figure: row_hit, value: 0.02, unit: us, source: c, why: d}\n")
                           .published;
  ASSERT_EQ(figures.size(), 2u);
  EXPECT_EQ(figures[0].figure, "pins");
  EXPECT_DOUBLE_EQ(figures[0].value, 819.2);
  EXPECT_EQ(figures[0].why, "");
  EXPECT_DOUBLE_EQ(figures[1].value, 20);
  EXPECT_EQ(figures[1].source, "c");
  EXPECT_EQ(figures[1].why, "d");
}

TEST_F(Published, BadEntries) {
  const std::string good = "published:\n  - {figure: pins, value: 8, unit: GB/s, source: a}\n";
  const auto with = [&](const std::string& from, const std::string& to) {
    std::string text = good;
    return text.replace(text.find(from), from.size(), to);
  };
  (void)load(good);
  refused(with("pins", "speed"), 2, "published[0].figure", "use one of: read_64b_idle");
  refused(with("pins", "pin"), 2, "published[0].figure", "did you mean pins? ");
  refused(with("value", "valeu"), 2, "published[0].valeu", "did you mean published[0].value? ");
  refused(with("pins", "read_4k_idle"), 2, "published[0].figure", "is not measured of such a part");
  refused(with("GB/s", "ns"), 2, "published[0].unit", "use one of: GB/s, MB/s");
  refused(with("value: 8", "value: fast"), 2, "published[0].value", "'fast' is not a number");
  refused(with("value: 8", "value: -8"), 2, "published[0].value", "out of range");
  refused(with("value: 8", "value: nan"), 2, "published[0].value", "is not a number");
  refused(with(", source: a", ""), 2, "published[0].source", "is missing");
  refused(with("source: a", "source: a, colour: red"), 2, "published[0].colour", "is not known");
  refused(with("source: a", "source: [a]"), 2, "published[0].source", "is a list");
  refused(good + "  - {figure: pins, value: 9, unit: GB/s, source: b}\n", 3, "published[1].figure",
          "given twice");
  refused(good + "  - pins\n", 3, "published", "an item without keys");
  refused("published: 5\n", 1, "published", "is not a list of figures");
  refused("published: []\n", 1, "published", "is not a list of figures");
  refused("published: {pins: 5}\n", 1, "published", "is not a list of figures");
  refused("interface: pcie3x4\n", 1, "interface", "is not known");  // a DRAM part's
}

}  // namespace
}  // namespace cxlgpu
