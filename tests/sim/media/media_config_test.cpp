// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
#include "sim/media/media_config.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <sstream>

#include "common/input_error.hpp"
#include "sim/media/make_media.hpp"
#include "tests/sim/media/media_test_util.hpp"

namespace cxlgpu {
namespace {

namespace fs = std::filesystem;

// A copy of configs/media with one line changed.
class MediaConfigTest : public ::testing::Test {
 protected:
  fs::path dir =
      fs::temp_directory_path() / ("cxlgpu_media_" + std::to_string(::getpid()) + "_" +
                                   ::testing::UnitTest::GetInstance()->current_test_info()->name());
  void SetUp() override {
    fs::create_directories(dir);
    for (const auto& entry :
         fs::directory_iterator(fs::path(CXLGPU_SOURCE_DIR) / "configs/media")) {
      fs::copy_file(entry.path(), dir / entry.path().filename(),
                    fs::copy_options::overwrite_existing);
    }
  }
  void TearDown() override { fs::remove_all(dir); }

  // Replaces the line that contains `find`; returns its number.
  int change(const std::string& name, const std::string& find, const std::string& by) {
    std::ifstream in(dir / name);
    std::stringstream out;
    std::string line;
    int number = 0, at = 0;
    while (std::getline(in, line)) {
      ++number;
      if (at == 0 && line.find(find) != std::string::npos) {
        at = number;
        line = by;
      }
      out << line << '\n';
    }
    in.close();
    std::ofstream(dir / name) << out.str();
    EXPECT_NE(at, 0) << find;
    return at;
  }
  void expect_error(const std::string& name, int line, const std::string& key,
                    const std::string& what) {
    try {
      (void)load_media_config(dir / name);
      FAIL() << "no error for " << key;
    } catch (const InputError& error) {
      const std::string text = error.what();
      const std::string head =
          (dir / name).string() + ":" + std::to_string(line) + ": key '" + key + "': ";
      EXPECT_EQ(text.substr(0, head.size()), head) << text;
      EXPECT_NE(text.find(what), std::string::npos) << text;
      EXPECT_NE(text.find("; "), std::string::npos) << "says not what to do: " << text;
      EXPECT_EQ(text.find('\n'), std::string::npos) << text;
    }
  }
};

TEST_F(MediaConfigTest, PartsLoad) {
  const auto names = media_names(dir);
  EXPECT_NE(std::find(names.begin(), names.end(), "dram"), names.end());
  EXPECT_NE(std::find(names.begin(), names.end(), "znand"), names.end());
  EXPECT_TRUE(std::is_sorted(names.begin(), names.end()));
  for (const std::string& name : names) {
    const MediaConfig config = load_media_config(dir / (name + ".yaml"));
    EXPECT_EQ(config.name, name);
    EXPECT_FALSE(config.part.empty());
  }
  EXPECT_EQ(media_test::part("dram").capacity(), std::uint64_t{32} << 30);
  EXPECT_EQ(media_test::part("hbm3").capacity(), std::uint64_t{16} << 30);
  EXPECT_EQ(media_test::part("pram").capacity(), std::uint64_t{1} << 40);
  EXPECT_TRUE(media_names(dir / "none").empty());
}

TEST_F(MediaConfigTest, UnknownKey) {
  const int line = change("dram.yaml", "command_ps:", "  command_ps: 715\n  tRASS_ps: 5");
  expect_error("dram.yaml", line + 1, "timing.tRASS_ps",
               "is not known; did you mean timing.tRAS_ps? ");
}
// A mistyped key is one that is missing, too: the file's line says more.
TEST_F(MediaConfigTest, MistypedKeys) {
  const auto meant = [this](const std::string& file, const std::string& prefix,
                            const std::string& text, const std::string& key,
                            const std::string& right) {
    SCOPED_TRACE(text);
    SetUp();
    const int line = change(file, prefix, text);
    expect_error(file, line, key, "is not known; did you mean " + right + "? ");
  };
  meant("dram.yaml", "kind:", "knid: dram", "knid", "kind");
  meant("dram.yaml", "tRCD_ps:", "  tRDC_ps: 14300", "timing.tRDC_ps", "timing.tRCD_ps");
  meant("dram.yaml", "columns:", "  colums: 1024", "organisation.colums", "organisation.columns");
  meant("dram.yaml",
        "address_map:", "  adress_map: [row, rank, bank, column, bank_group, sub_channel]",
        "organisation.adress_map", "organisation.address_map");
  meant("dram.yaml", "refresh:", "  refrseh: all_bank", "controller.refrseh", "controller.refresh");
  meant("znand.yaml", "pages:", "  page: 1024", "write_buffer.page", "write_buffer.pages");
  meant("znand.yaml", "media:", "  medai: dram", "internal_dram.medai", "internal_dram.media");
  meant("nand.yaml", "planes:", "  plane: 2", "translation.plane", "translation.planes");
  // Sections, one of which may be left out.
  meant("dram.yaml", "timing:", "timings:", "timings", "timing");
  meant("nand.yaml", "translation:", "translatoin:", "translatoin", "translation");
  meant("pram.yaml", "wear_pauses:", "wear_pause:", "wear_pause", "wear_pauses");
}
// What only is missing has no other in its place, however near its neighbours are.
TEST_F(MediaConfigTest, MissingKeysHaveNoSuggestion) {
  for (const char* prefix : {"tRRD_L_ps:", "tCCD_L_WR_ps:", "columns:", "sub_channels:"}) {
    SCOPED_TRACE(prefix);
    SetUp();
    change("dram.yaml", prefix, "");
    try {
      (void)load_media_config(dir / "dram.yaml");
      ADD_FAILURE();
    } catch (const InputError& error) {
      const std::string text = error.what();
      EXPECT_NE(text.find("is missing; add it"), std::string::npos) << text;
      EXPECT_EQ(text.find("did you mean"), std::string::npos) << text;
    }
  }
}
TEST_F(MediaConfigTest, MissingKey) {
  change("dram.yaml", "tRCD_ps:", "");
  std::ifstream in(dir / "dram.yaml");
  int section = 0;
  std::string line;
  do ++section;
  while (std::getline(in, line) && line != "timing:");
  expect_error("dram.yaml", section, "timing.tRCD_ps", "is missing");
}
TEST_F(MediaConfigTest, MissingSection) {
  change("znand.yaml", "write_buffer:", "other:");
  expect_error("znand.yaml", 1, "write_buffer.pages", "is missing");
}
TEST_F(MediaConfigTest, WrongTypes) {
  int line = change("dram.yaml", "tCL_ps:", "  tCL_ps: fast");
  expect_error("dram.yaml", line, "timing.tCL_ps", "'fast' is not a whole number");
  change("dram.yaml", "tCL_ps:", "  tCL_ps: 14.3");
  expect_error("dram.yaml", line, "timing.tCL_ps", "'14.3' is not a whole number");
  change("dram.yaml", "tCL_ps:", "  tCL_ps: [1, 2]");
  expect_error("dram.yaml", line, "timing.tCL_ps", "is a list");
  change("dram.yaml", "tCL_ps:", "  tCL_ps: {a: 1}");
  expect_error("dram.yaml", line, "timing.tCL_ps", "is a section");
  change("dram.yaml", "tCL_ps:", "  tCL_ps:");
  expect_error("dram.yaml", line, "timing.tCL_ps", "has no value");
  line = change("znand.yaml", "share_page_register:", "  share_page_register: 3");
  expect_error("znand.yaml", line, "controller.share_page_register",
               "use one of: always, queued, never");
}
TEST_F(MediaConfigTest, OutOfRange) {
  int line = change("dram.yaml", "tRP_ps:", "  tRP_ps: -1");
  expect_error("dram.yaml", line, "timing.tRP_ps", "-1 is negative");
  change("dram.yaml", "tRP_ps:", "  tRP_ps: 0");
  expect_error("dram.yaml", line, "timing.tRP_ps", "0 is out of range");
  change("dram.yaml", "tRP_ps:", "  tRP_ps: 99999999999999999999999");
  expect_error("dram.yaml", line, "timing.tRP_ps", "is not a whole number");
  line = change("znand.yaml", "high_pages:", "  high_pages: 5000");
  expect_error("znand.yaml", line, "write_buffer.high_pages", "out of range");
}
TEST_F(MediaConfigTest, ImpossibleParts) {
  int line = change("dram.yaml", "bank_groups:", "  bank_groups: 6");
  expect_error("dram.yaml", line, "organisation.bank_groups", "not a power of two");
  SetUp();
  line = change("dram.yaml", "burst_length:", "  burst_length: 32");
  expect_error("dram.yaml", line, "organisation.burst_length", "one burst moves 128 bytes");
  SetUp();
  line = change("dram.yaml",
                "address_map:", "  address_map: [row, row, bank, column, bank_group, sub_channel]");
  expect_error("dram.yaml", line, "organisation.address_map", "does not name each field once");
  SetUp();
  line = change("dram.yaml", "tREFI_ps:", "  tREFI_ps: 300000");
  expect_error("dram.yaml", line, "timing.tREFI_ps", "leaves no time");
  SetUp();
  line = change("hbm3.yaml", "columns:", "  columns: 8");
  expect_error("hbm3.yaml", line, "organisation.columns", "shorter than 64 bytes");
  SetUp();
  line = change("hbm3.yaml", "tREFIsb_ps:", "  tREFIsb_ps: 15000");
  expect_error("hbm3.yaml", line, "timing.tREFIsb_ps", "16 of it leave a bank no time");
  SetUp();
  change("dram.yaml", "refresh:", "  refresh: same_bank");
  line = change("dram.yaml", "tREFIsb_ps:", "  tREFIsb_ps: 44000");
  expect_error("dram.yaml", line, "timing.tREFIsb_ps", "4 of it leave a bank no time");
}
TEST_F(MediaConfigTest, Choices) {
  int line = change("dram.yaml", "refresh:", "  refresh: sometimes");
  expect_error("dram.yaml", line, "controller.refresh",
               "use one of: all_bank, same_bank, per_bank");
  SetUp();
  line = change("dram.yaml", "page_policy:", "  page_policy: shut");
  expect_error("dram.yaml", line, "controller.page_policy", "use one of: open, closed");
  SetUp();
  line = change("dram.yaml", "scheduling:", "  scheduling: lifo");
  expect_error("dram.yaml", line, "controller.scheduling", "use one of: fcfs, fr_fcfs");
  SetUp();
  line = change("dram.yaml", "command_bus:", "  command_bus: none");
  expect_error("dram.yaml", line, "organisation.command_bus", "use one of: shared, row_and_column");
}
TEST_F(MediaConfigTest, SharePageRegister) {
  const auto value = [this](const std::string& text) {
    SetUp();
    change("znand.yaml", "share_page_register:", "  share_page_register: " + text);
    const MediaConfig config = load_media_config(dir / "znand.yaml");
    return std::get<FlashConfig>(config.params).share_page_register;
  };
  EXPECT_EQ(value("always"), SharePageRegister::Always);
  EXPECT_EQ(value("queued"), SharePageRegister::Queued);
  EXPECT_EQ(value("never"), SharePageRegister::Never);
  for (const char* part : {"pram", "znand", "nand"}) {
    EXPECT_EQ(std::get<FlashConfig>(media_test::part(part).params).share_page_register,
              SharePageRegister::Always);
  }
  // The values of the release before.
  int line = change("znand.yaml", "share_page_register:", "  share_page_register: true");
  expect_error("znand.yaml", line, "controller.share_page_register", "old value; write 'always'");
  line = change("znand.yaml", "share_page_register:", "  share_page_register: false");
  expect_error("znand.yaml", line, "controller.share_page_register", "old value; write 'never'");
}
TEST_F(MediaConfigTest, Striping) {
  const auto value = [this](const std::string& line) {
    SetUp();
    change("znand.yaml", "striping:", line);
    const MediaConfig config = load_media_config(dir / "znand.yaml");
    return std::get<FlashConfig>(config.params).striping;
  };
  EXPECT_EQ(value("  striping: linear"), Striping::Linear);
  EXPECT_EQ(value("  striping: permuted"), Striping::Permuted);
  EXPECT_EQ(value(""), Striping::Linear);  // parts that were written before there was the key
  for (const char* part : {"pram", "znand", "nand"}) {
    EXPECT_EQ(std::get<FlashConfig>(media_test::part(part).params).striping, Striping::Permuted);
  }
  SetUp();
  int line = change("znand.yaml", "striping:", "  striping: random");
  expect_error("znand.yaml", line, "controller.striping", "use one of: linear, permuted");
  // 3 * 8 dies.
  SetUp();
  change("znand.yaml", "channels:", "  channels: 3");
  line = change("znand.yaml", "striping:", "  striping: permuted");
  expect_error("znand.yaml", line, "controller.striping",
               "'permuted' needs a power of two of dies, and 3 channels of 8 are 24; change these, "
               "or use 'linear'");
  change("znand.yaml", "striping:", "  striping: linear");
  EXPECT_EQ(load_media_config(dir / "znand.yaml").kind(), PartKind::Translated);
}
TEST_F(MediaConfigTest, Suspend) {
  for (const char* part : {"pram", "znand", "nand"}) {  // what is simulated without being asked for
    const FlashConfig c = std::get<FlashConfig>(media_test::part(part).params);
    EXPECT_FALSE(c.suspend.programs || c.suspend.erases) << part;
  }
  const auto of = [this](const std::string& text) {
    SetUp();
    change("nand.yaml", "operations:", "  operations: " + text);
    const MediaConfig config = load_media_config(dir / "nand.yaml");
    return std::get<FlashConfig>(config.params).suspend;
  };
  EXPECT_TRUE(of("programs").programs);
  EXPECT_FALSE(of("programs").erases);
  EXPECT_FALSE(of("erases").programs);
  EXPECT_TRUE(of("erases").erases);
  EXPECT_TRUE(of("both").programs && of("both").erases);
  EXPECT_EQ(of("both").program, Time{60000000});
  EXPECT_EQ(of("both").erase, Time{700000000});
  EXPECT_EQ(of("both").resume, Time{10000000});
  EXPECT_EQ(of("both").progress, Time{50000000});
  EXPECT_EQ(of("both").window, Time{500000000});
  int line = change("nand.yaml", "operations:", "  operations: reads");
  expect_error("nand.yaml", line, "suspend.operations", "use one of: none, programs, erases, both");
  SetUp();
  line = change("nand.yaml", "progress_ps:", "  progress_ps: 0");
  expect_error("nand.yaml", line, "suspend.progress_ps", "0 is out of range");
  SetUp();
  line = change("pram.yaml", "internal_dram:",
                "suspend:\n  operations: erases\n  program_ps: 0\n  erase_ps: 0\n  resume_ps: 0\n"
                "  progress_ps: 1\n  window_ps: 0\ninternal_dram:");
  expect_error("pram.yaml", line + 1, "suspend.operations", "never erased");
}
TEST_F(MediaConfigTest, SpeedBins) {
  const DramConfig fast = std::get<DramConfig>(media_test::part("dram").params);
  const DramConfig slow = std::get<DramConfig>(media_test::part("dram-46").params);
  const auto clocks = [](std::uint64_t n) { return Time{(n * 1000000 + 2799) / 2800}; };
  EXPECT_EQ(fast.tCL, clocks(40));
  EXPECT_EQ(slow.tCL, clocks(46));
  for (const DramConfig& c : {fast, slow}) {
    EXPECT_EQ(c.tRCD, c.tCL);
    EXPECT_EQ(c.tRP, c.tCL);
  }
  EXPECT_EQ(fast.tCWL, clocks(38));
  EXPECT_EQ(slow.tCWL, clocks(44));
}
TEST_F(MediaConfigTest, Translation) {
  const auto nand = [] { return std::get<FlashConfig>(media_test::part("nand").params); };
  ASSERT_TRUE(nand().translation.has_value());
  EXPECT_EQ(nand().translation->planes, 2u);
  EXPECT_EQ(nand().ftl_shape().pages_per_block, 2 * 1536u);
  // 1 TB, but for the pages that make no whole block.
  EXPECT_EQ(nand().capacity / 1000000000, 998u);
  EXPECT_FALSE(std::get<FlashConfig>(media_test::part("pram").params).translation.has_value());

  int line = change("nand.yaml", "victim:", "  victim: oldest");
  expect_error("nand.yaml", line, "translation.victim", "use one of: greedy, cost_benefit");
  SetUp();
  line = change("nand.yaml", "over_provisioning_percent:", "  over_provisioning_percent: 1");
  expect_error("nand.yaml", line, "translation.over_provisioning_percent", "spare pages a die");
  SetUp();
  line = change("nand.yaml", "free_low_blocks:", "  free_low_blocks: 8");
  expect_error("nand.yaml", line, "translation.free_low_blocks", "out of range");
  SetUp();
  line = change("nand.yaml", "planes:", "  planes: 3");
  expect_error("nand.yaml", line, "translation.planes", "not a power of two");
  SetUp();
  line = change("nand.yaml", "tBERS_ps:", "  tBERS_ps: 0");
  expect_error("nand.yaml", line, "timing.tBERS_ps", "is 0");
  SetUp();
  line = change("nand.yaml", "prefill_seed:", "  prefill_seed: 1\n  trim: true");
  expect_error("nand.yaml", line + 1, "translation.trim", "is not known");
  SetUp();
  line = change("nand.yaml", "prefill_seed:", "  prefill_seed: chance");
  expect_error("nand.yaml", line, "translation.prefill_seed", "is not a whole number");
}
TEST_F(MediaConfigTest, WearPauses) {
  const FlashConfig pram = std::get<FlashConfig>(media_test::part("pram").params);
  ASSERT_TRUE(pram.wear_pauses.has_value());
  EXPECT_EQ(pram.tBERS.ps, 0u);
  EXPECT_EQ(pram.capacity, std::uint64_t{1} << 40);
  int line = change("pram.yaml", "region_bytes:", "  region_bytes: 128");
  expect_error("pram.yaml", line, "wear_pauses.region_bytes", "out of range");
  SetUp();
  line = change("nand.yaml", "internal_dram:",
                "wear_pauses:\n  region_bytes: 65536\n  writes: 5\n  pause_ps: 7\ninternal_dram:");
  expect_error("nand.yaml", line, "wear_pauses", "keep one of the two");
}
TEST_F(MediaConfigTest, TwiceTheSameKey) {
  const int line = change("dram.yaml", "tCL_ps:", "  tCL_ps: 1\n  tCL_ps: 2");
  expect_error("dram.yaml", line + 1, "timing.tCL_ps", "is given twice");
}
TEST_F(MediaConfigTest, InternalDram) {
  int line = change("znand.yaml", "media: dram", "  media: sdram");
  expect_error("znand.yaml", line, "internal_dram.media", "there is no");
  change("znand.yaml", "media: sdram", "  media: znand");
  expect_error("znand.yaml", line, "internal_dram.media", "is not a DRAM part");
}
TEST_F(MediaConfigTest, NotAPart) {
  expect_error("none.yaml", 1, "", "cannot be read");
  std::ofstream(dir / "broken.yaml") << "kind: dram\npart: [a\n";
  try {
    (void)load_media_config(dir / "broken.yaml");
    FAIL();
  } catch (const InputError& error) {
    EXPECT_NE(std::string(error.what()).find("not valid YAML"), std::string::npos);
    EXPECT_EQ(std::string(error.what()).find('\n'), std::string::npos);
  }
  std::ofstream(dir / "word.yaml") << "hello\n";
  expect_error("word.yaml", 1, "", "has no keys");
  const int line = change("dram.yaml", "kind:", "kind: disk");
  expect_error("dram.yaml", line, "kind", "use one of: dram, flash");
}

TEST_F(MediaConfigTest, ShapesThatDoNotFit) {
  const MediaConfig dram = media_test::part("dram"), flash = media_test::part("znand");
  EXPECT_THROW((void)make_media(dram, {(std::uint64_t{32} << 30) + 64}), InputError);
  EXPECT_THROW((void)make_media(dram, {0}), InputError);
  EXPECT_THROW((void)make_media(dram, {100}), InputError);
  EXPECT_THROW((void)make_media(flash, {1 << 20, 16, 96}), InputError);
  EXPECT_THROW((void)make_media(flash, {1 << 20, 16, 8192}), InputError);
  EXPECT_THROW((void)make_media(flash, {64, 16, 256}), InputError);
  EXPECT_THROW((void)make_media(flash, {1 << 20, 1u << 31, 256}), InputError);
  EXPECT_NE(make_media(dram, {std::uint64_t{32} << 30, 8}), nullptr);
  MediaShape collected{1 << 20, 16, 256};
  collected.collection.busy = Time{1};
  EXPECT_THROW((void)make_media(dram, collected), InputError);
  EXPECT_NE(make_media(flash, collected), nullptr);
  EXPECT_NE(make_media(flash, {std::uint64_t{448} << 30, 1024, 256}), nullptr);
}

}  // namespace
}  // namespace cxlgpu
