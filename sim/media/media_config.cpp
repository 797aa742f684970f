// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
#include "sim/media/media_config.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "common/input_error.hpp"
#include "common/request.hpp"
#include "sim/media/bus_time.hpp"
#include "sim/media/config_reader.hpp"

namespace cxlgpu {

namespace {

constexpr std::uint64_t kMaxPs = 1000000000000;  // one second: no timing of flash is longer
constexpr std::uint64_t kMaxDramPs = 100000000;  // 100 us: a refresh interval is a tenth of it
constexpr std::uint64_t kMaxMtps = 1000000;
constexpr std::uint32_t kMaxDepth = 256;  // what the ids of the RTL's media port can tell apart
constexpr std::uint32_t kMaxDramDepth = 4096;  // an HBM stack needs more than an endpoint can ask

std::uint32_t small(std::uint64_t value) {
  return static_cast<std::uint32_t>(value);
}

Time duration(ConfigReader& in, const std::string& key, std::uint64_t low = 1) {
  return Time{in.number(key, low, kMaxPs)};
}

Time dram_time(ConfigReader& in, const std::string& key, std::uint64_t low = 1) {
  return Time{in.number(key, low, kMaxDramPs)};
}

std::array<DramField, 6> address_map(ConfigReader& in, const std::string& key) {
  static constexpr std::array<const char*, 6> kNames = {"row",    "rank",       "bank",
                                                        "column", "bank_group", "sub_channel"};
  const std::vector<std::string> words = in.list(key);
  std::array<DramField, 6> map{};
  for (std::size_t i = 0; i < kNames.size(); ++i) {
    const auto at = std::find(words.begin(), words.end(), kNames[i]);
    if (words.size() != kNames.size() || at == words.end()) {
      in.fail(key, fmt::format("does not name each field once; order these: {}",
                               fmt::join(kNames, ", ")));
    }
    map[static_cast<std::size_t>(at - words.begin())] = static_cast<DramField>(i);
  }
  return map;
}

// What keys say together.
void check_dram(const ConfigReader& in, const DramConfig& c) {
  if (kLineBytes % c.burst_bytes() != 0) {
    in.fail("organisation.burst_length",
            fmt::format("one burst moves {} bytes, no part of {}; make sub_channel_bits / 8 * "
                        "burst_length {} or half of it",
                        c.burst_bytes(), kLineBytes, kLineBytes));
  }
  if (c.columns * (c.sub_channel_bits / 8) < kLineBytes) {
    in.fail("organisation.columns",
            fmt::format("a row is shorter than {} bytes; use more columns", kLineBytes));
  }
  if (c.tREFI <= c.tRFC + c.tRP + c.tRAS) {
    in.fail("timing.tREFI_ps", "leaves no time between refreshes; use more than tRFC + tRP + tRAS");
  }
  const std::uint64_t sets =
      c.refresh == DramRefresh::PerBank ? c.bank_groups * c.banks_per_group : c.banks_per_group;
  if (c.refresh != DramRefresh::AllBank && c.tREFIsb * sets <= c.tRFCsb + c.tRP + c.tRAS) {
    in.fail("timing.tREFIsb_ps",
            fmt::format("{} of it leave a bank no time between its refreshes; use more than "
                        "(tRFCsb + tRP + tRAS) / {}",
                        sets, sets));
  }
}

DramConfig read_dram(ConfigReader& in) {
  DramConfig c;
  c.sub_channels = small(in.power_of_two("organisation.sub_channels", 1, 64));
  c.sub_channel_bits = small(in.power_of_two("organisation.sub_channel_bits", 8, 512));
  c.ranks = small(in.power_of_two("organisation.ranks", 1, 16));
  c.bank_groups = small(in.power_of_two("organisation.bank_groups", 1, 16));
  c.banks_per_group = small(in.power_of_two("organisation.banks_per_group", 1, 16));
  c.rows = in.power_of_two("organisation.rows", 1, 1 << 24);
  c.columns = small(in.power_of_two("organisation.columns", 1, 1 << 16));
  c.burst_length = small(in.power_of_two("organisation.burst_length", 1, 512));
  c.address_map = address_map(in, "organisation.address_map");
  c.bank_xor_row = in.flag("organisation.bank_xor_row");
  c.row_command_bus =
      in.choice("organisation.command_bus", {"shared", "row_and_column"}) != "shared";

  c.data_rate_mtps = in.number("timing.data_rate_MTps", 1, kMaxMtps);
  c.tCL = dram_time(in, "timing.tCL_ps");
  c.tCWL = dram_time(in, "timing.tCWL_ps");
  c.tRCD = dram_time(in, "timing.tRCD_ps");
  c.tRP = dram_time(in, "timing.tRP_ps");
  c.tRAS = dram_time(in, "timing.tRAS_ps");
  c.tRTP = dram_time(in, "timing.tRTP_ps");
  c.tWR = dram_time(in, "timing.tWR_ps");
  c.tRRD_S = dram_time(in, "timing.tRRD_S_ps");
  c.tRRD_L = dram_time(in, "timing.tRRD_L_ps");
  c.tFAW = dram_time(in, "timing.tFAW_ps");
  c.tCCD_S = dram_time(in, "timing.tCCD_S_ps");
  c.tCCD_L = dram_time(in, "timing.tCCD_L_ps");
  c.tCCD_L_WR = dram_time(in, "timing.tCCD_L_WR_ps");
  c.tCCD_L_WR2 = dram_time(in, "timing.tCCD_L_WR2_ps");
  c.tWTR_S = dram_time(in, "timing.tWTR_S_ps");
  c.tWTR_L = dram_time(in, "timing.tWTR_L_ps");
  c.turnaround = dram_time(in, "timing.turnaround_ps", 0);
  c.command = dram_time(in, "timing.command_ps", 0);
  c.tREFI = dram_time(in, "timing.tREFI_ps");
  c.tRFC = dram_time(in, "timing.tRFC_ps");
  c.tREFIsb = dram_time(in, "timing.tREFIsb_ps");
  c.tRFCsb = dram_time(in, "timing.tRFCsb_ps");
  c.tREFSBRD = dram_time(in, "timing.tREFSBRD_ps");

  const std::string refresh =
      in.choice("controller.refresh", {"all_bank", "same_bank", "per_bank"});
  if (refresh == "same_bank") c.refresh = DramRefresh::SameBank;
  if (refresh == "per_bank") c.refresh = DramRefresh::PerBank;
  if (in.choice("controller.page_policy", {"open", "closed"}) == "closed") {
    c.page_policy = DramPage::Closed;
  }
  if (in.choice("controller.scheduling", {"fcfs", "fr_fcfs"}) == "fr_fcfs") {
    c.scheduling = DramScheduling::FrFcfs;
  }
  c.queue_depth = small(in.number("controller.queue_depth", 1, kMaxDramDepth));
  c.front = dram_time(in, "controller.front_ps", 0);
  c.back = dram_time(in, "controller.back_ps", 0);
  c.age_bound = dram_time(in, "controller.age_bound_ps");

  check_dram(in, c);
  c.capacity = c.sub_channels * c.ranks * std::uint64_t{c.bank_groups} * c.banks_per_group *
               c.rows * c.columns * (c.sub_channel_bits / 8);
  return c;
}

SharePageRegister read_share_page_register(ConfigReader& in) {
  const std::string key = "controller.share_page_register";
  if (const std::string old = in.text(key); old == "true" || old == "false") {
    in.fail(key, fmt::format("'{}' is an old value; write '{}'", old,
                             old == "true" ? "always" : "never"));
  }
  return share_page_register_of(in.choice(key, {"always", "queued", "never"}));
}

Striping read_striping(ConfigReader& in, const FlashConfig& c) {
  const std::string key = "controller.striping";
  if (!in.given(key) || in.choice(key, {"linear", "permuted"}) == "linear") return Striping::Linear;
  if (const std::string problem = c.permuted_problem(); !problem.empty()) {
    in.fail(key, "'permuted' " + problem);
  }
  return Striping::Permuted;
}

void read_suspend(ConfigReader& in, FlashConfig& c) {
  SuspendConfig s;
  const std::string of = in.choice("suspend.operations", {"none", "programs", "erases", "both"});
  s.choose(of);
  if (s.erases && !c.translation) {
    in.fail("suspend.operations",
            "the part has no translation section, so it is never erased; use none or programs");
  }
  s.program = duration(in, "suspend.program_ps", 0);
  s.erase = duration(in, "suspend.erase_ps", 0);
  s.resume = duration(in, "suspend.resume_ps", 0);
  s.progress = duration(in, "suspend.progress_ps");  // 0: it might never end
  s.window = duration(in, "suspend.window_ps", 0);
  c.suspend = s;
  c.has_suspend = true;
}

void read_wear_pauses(ConfigReader& in, FlashConfig& c) {
  if (c.translation) {
    in.fail("wear_pauses", "the translation layer levels wear; keep one of the two sections");
  }
  WearPauses w;
  w.region_bytes = small(in.power_of_two("wear_pauses.region_bytes", c.page_bytes, 1 << 30));
  w.writes = small(in.number("wear_pauses.writes", 1, 1 << 30));
  w.pause = duration(in, "wear_pauses.pause_ps");
  const std::uint64_t rows = w.region_bytes / c.page_bytes;
  if (c.channels * c.dies_per_channel * (c.pages_per_die / rows + 1) >= ~std::uint32_t{0}) {
    in.fail("wear_pauses.region_bytes", "makes 2^32 regions or more; use larger ones");
  }
  c.wear_pauses = w;
}

void read_translation(ConfigReader& in, FlashConfig& c) {
  if (c.tBERS.ps == 0)
    in.fail("timing.tBERS_ps", "is 0 and the translation layer erases; use more");
  TranslationConfig t;
  t.planes = small(in.power_of_two("translation.planes", 1, Ftl::kMaxPlanes));
  const std::uint64_t blocks = c.pages_per_die / c.pages_per_block / t.planes;
  if (blocks < 8) {
    in.fail("translation.planes",
            fmt::format("a die has {} blocks over all planes; make it 8 or more", blocks));
  }
  t.over_provisioning_percent = small(in.number("translation.over_provisioning_percent", 1, 900));
  t.victim = in.choice("translation.victim", {"greedy", "cost_benefit"}) == "greedy"
                 ? VictimPolicy::Greedy
                 : VictimPolicy::CostBenefit;
  t.free_high = small(in.number("translation.free_high_blocks", 2, blocks / 2));
  t.free_low = small(in.number("translation.free_low_blocks", 1, t.free_high - 1));
  t.wear_spread = small(in.number("translation.wear_spread_erases", 0, 1000000));
  t.prefilled_percent = small(in.number("translation.prefilled_percent", 0, 100));
  t.prefill_seed = in.number("translation.prefill_seed", 0, std::uint64_t{1} << 62);
  c.translation = t;
  const FtlShape shape = c.ftl_shape();
  if (const std::string problem = ftl_problem(shape, t); !problem.empty()) {
    in.fail("translation.over_provisioning_percent", problem);
  }
  c.capacity = ftl_logical_pages(shape, t) * c.page_bytes;
}

FlashConfig read_flash(ConfigReader& in) {
  FlashConfig c;
  c.channels = small(in.number("organisation.channels", 1, 64));
  c.dies_per_channel = small(in.number("organisation.dies_per_channel", 1, 64));
  c.page_bytes = small(in.power_of_two("organisation.page_bytes", 256, 16384));
  c.pages_per_block = small(in.number("organisation.pages_per_block", 1, 1 << 16));
  c.pages_per_die = in.number("organisation.pages_per_die", 1, std::uint64_t{1} << 32);

  c.tR = duration(in, "timing.tR_ps");
  c.tPROG = duration(in, "timing.tPROG_ps");
  c.tBERS = duration(in, "timing.tBERS_ps", 0);  // 0: rewritten in place
  c.channel_bits = small(in.power_of_two("timing.channel_bits", 1, 64));
  c.channel_mtps = in.number("timing.channel_MTps", 1, kMaxMtps);
  c.command = duration(in, "timing.command_ps", 0);

  c.lookup = duration(in, "controller.lookup_ps", 0);
  c.ecc = duration(in, "controller.ecc_ps", 0);
  c.announce = duration(in, "controller.announce_ps", 0);
  c.page_granule = in.choice("controller.fill_granule", {"line", "page"}) == "page";
  c.share_page_register = read_share_page_register(in);
  c.striping = read_striping(in, c);
  c.read_queue_depth = small(in.number("controller.read_queue_depth", 1, kMaxDepth));
  c.write_queue_depth = small(in.number("controller.write_queue_depth", 1, kMaxDepth));
  c.array_queue_depth = small(in.number("controller.array_queue_depth", 1, kMaxDepth));

  c.buffer_pages = small(in.number("write_buffer.pages", 2, 1 << 24));
  c.buffer_high = small(in.number("write_buffer.high_pages", 1, c.buffer_pages - 1));
  c.buffer_low = small(in.number("write_buffer.low_pages", 0, c.buffer_high - 1));
  c.buffer_cold = duration(in, "write_buffer.cold_ps");

  const std::string part = in.text("internal_dram.media");
  const std::filesystem::path other = in.file().parent_path() / (part + ".yaml");
  if (!std::filesystem::exists(other)) {
    in.fail("internal_dram.media",
            fmt::format("there is no {}; name a DRAM part of the same folder", other.string()));
  }
  ConfigReader dram(other);
  if (dram.choice("kind", {"dram", "flash"}) != "dram") {
    in.fail("internal_dram.media",
            fmt::format("'{}' is not a DRAM part; name one, e.g. dram", part));
  }
  (void)dram.text("part");
  c.internal_dram = read_dram(dram);
  (void)read_published(dram, PartKind::Dram);
  dram.finish();

  c.capacity = std::uint64_t{c.channels} * c.dies_per_channel * c.pages_per_die * c.page_bytes;
  if (in.has("translation")) read_translation(in, c);
  if (in.has("wear_pauses")) read_wear_pauses(in, c);
  if (in.has("suspend")) read_suspend(in, c);
  return c;
}

}  // namespace

SharePageRegister share_page_register_of(const std::string& name) {
  if (name == "always") return SharePageRegister::Always;
  return name == "queued" ? SharePageRegister::Queued : SharePageRegister::Never;
}

void SuspendConfig::choose(const std::string& operations) {
  programs = operations == "programs" || operations == "both";
  erases = operations == "erases" || operations == "both";
}

Time DramConfig::idle_read() const {
  const Time burst = bus_time(burst_bytes(), sub_channel_bits, data_rate_mtps);
  const std::uint64_t more = kLineBytes / burst_bytes() - 1;  // column commands after the first
  return front + tRCD + Time{more * std::max(tCCD_L, burst).ps} + tCL + burst + back;
}

std::string FlashConfig::permuted_problem() const {
  const std::uint32_t dies = channels * dies_per_channel;
  if (std::has_single_bit(dies)) return {};
  return fmt::format(
      "needs a power of two of dies, and {} channels of {} are {}; change these, or use 'linear'",
      channels, dies_per_channel, dies);
}

FtlShape FlashConfig::ftl_shape() const {
  const std::uint32_t block = pages_per_block * translation->planes;
  return {channels * dies_per_channel, small(pages_per_die / block), block, buffer_pages};
}

std::uint64_t MediaConfig::capacity() const {
  return std::visit([](const auto& p) { return p.capacity; }, params);
}

PartKind MediaConfig::kind() const {
  const auto* flash = std::get_if<FlashConfig>(&params);
  if (flash == nullptr) return PartKind::Dram;
  return flash->translation ? PartKind::Translated : PartKind::InPlace;
}

std::vector<std::string> media_names(const std::filesystem::path& dir) {
  std::vector<std::string> names;
  std::error_code error;
  for (const auto& entry : std::filesystem::directory_iterator(dir, error)) {
    if (entry.path().extension() == ".yaml") names.push_back(entry.path().stem().string());
  }
  std::sort(names.begin(), names.end());
  return names;
}

MediaConfig load_media_config(const std::filesystem::path& file) {
  ConfigReader in(file);
  MediaConfig config;
  config.file = file;
  config.name = file.stem().string();
  const bool is_dram = in.choice("kind", {"dram", "flash"}) == "dram";
  config.part = in.text("part");
  config.organisation_line = in.line("organisation");
  if (is_dram) {
    config.params = read_dram(in);
  } else {
    config.params = read_flash(in);
    if (in.given("interface")) {
      config.interface = in.text("interface");
      config.interface_line = in.line("interface");
    }
  }
  (void)in.given("published");
  in.check_sections();  // a drive without its translation layer has other figures
  config.published = read_published(in, config.kind());
  in.finish();
  return config;
}

}  // namespace cxlgpu
