// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
// Parameters of a media part, as read from configs/media/NAME.yaml.
//
// Purpose: one value type per kind of part; every figure is in the file with unit and source.
// Units:   picoseconds as Time (key suffix _ps), bytes, mega transfers per second (_MTps).
// Errors:  InputError, one line: "FILE:LINE: key 'x.y': what is wrong; what to do". Every key must
//          be there (but controller.striping: linear without), be known, be given once and be of
//          the right type and range.
#pragma once

#include <array>
#include <bit>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "common/time.hpp"
#include "sim/media/ftl.hpp"
#include "sim/media/published.hpp"

namespace cxlgpu {

enum class DramField : std::uint8_t { Row, Rank, Bank, Column, BankGroup, SubChannel };
// What one refresh command takes: a rank, one bank of every bank group of it, or one bank.
enum class DramRefresh : std::uint8_t { AllBank, SameBank, PerBank };
// Closed: a row is precharged with its last column access, unless a queued request wants it.
enum class DramPage : std::uint8_t { Open, Closed };
// Within a bank: in order, or requests to the open row first.
enum class DramScheduling : std::uint8_t { Fcfs, FrFcfs };

struct DramConfig {
  std::uint32_t sub_channels = 0, sub_channel_bits = 0, ranks = 0;
  std::uint32_t bank_groups = 0, banks_per_group = 0, columns = 0, burst_length = 0;
  std::uint64_t rows = 0;
  std::array<DramField, 6> address_map{};  // most significant first, above the 64 B line
  bool bank_xor_row = false;               // spread rows of equal bank bits over the banks
  bool row_command_bus = false;            // ACT and PRE have a command bus of their own (HBM)

  std::uint64_t data_rate_mtps = 0;
  Time tCL, tCWL, tRCD, tRP, tRAS, tRTP, tWR;
  Time tRRD_S, tRRD_L, tFAW;
  Time tCCD_S, tCCD_L, tCCD_L_WR, tCCD_L_WR2;  // _WR: second write masked, _WR2: full line
  Time tWTR_S, tWTR_L;
  Time turnaround;   // idle data bus when its driver changes (read -> write, rank -> rank)
  Time command;      // command bus time of one command
  Time tREFI, tRFC;  // all-bank refresh
  Time tREFIsb, tRFCsb, tREFSBRD;  // same-bank or per-bank refresh; to ACT of a bank left out
  DramRefresh refresh = DramRefresh::AllBank;

  std::uint32_t queue_depth = 0;
  DramPage page_policy = DramPage::Open;
  DramScheduling scheduling = DramScheduling::Fcfs;
  Time front, back;  // controller and PHY, before the first command and after the data
  Time age_bound;    // a request older than this goes before everything else

  std::uint64_t capacity = 0;  // bytes, follows from the organisation

  [[nodiscard]] std::uint32_t burst_bytes() const { return sub_channel_bits / 8 * burst_length; }
  // A 64 B read of a closed row with nothing else in flight, from submit to answer.
  [[nodiscard]] Time idle_read() const;
};

// Wear levelling of a part that is rewritten in place: after `writes` programs to one region of a
// die the region is moved, and the die does nothing else for `pause`.
struct WearPauses {
  std::uint32_t region_bytes = 0, writes = 0;
  Time pause;
};

// Which reads of a page its die serves without a tR of their own: those that come while the page is
// in its register, those that are queued while the page is sensed, or none.
enum class SharePageRegister : std::uint8_t { Always, Queued, Never };

[[nodiscard]] SharePageRegister share_page_register_of(const std::string& name);

// Which die a page lies on, of n = channels * dies_per_channel, the first of each channel first:
//   linear    page p on die p % n
//   permuted  on die p % n XOR the digits of p / n to the base n, all of them, so that pages a
//   power
//             of two apart meet on one die no more often than others. n must be a power of two.
// Z. Zhang, Z. Zhu, X. Zhang, "A permutation-based page interleaving scheme to reduce row-buffer
// conflicts and exploit data locality", MICRO-33, 2000, pp. 32-41: there the banks of DRAM, and of
// the number above them as many bits as a bank's number has.
enum class Striping : std::uint8_t { Linear, Permuted };

// Programs and erases that a read may interrupt, with what that costs; how: flash_array.hpp.
struct SuspendConfig {
  bool programs = false, erases = false;
  Time program, erase;  // from the request until the die can sense
  Time resume;          // before the rest goes on
  Time progress;        // of the array, from begin or resume to the next request
  Time window;          // of a suspension, in which reads are begun
  // none, programs, erases or both
  void choose(const std::string& operations);
};

struct FlashConfig {
  std::uint32_t channels = 0, dies_per_channel = 0, page_bytes = 0, pages_per_block = 0;
  std::uint64_t pages_per_die = 0;

  Time tR, tPROG, tBERS;
  std::uint32_t channel_bits = 0;
  std::uint64_t channel_mtps = 0;
  Time command;  // command and address cycles of one operation, on the channel

  Time lookup;                // controller, per command, before flash or buffer
  Time ecc;                   // controller, per transfer out of a die
  Time announce;              // how long before a scripted collection it is announced
  bool page_granule = false;  // a fill moves the whole page over the channel
  SharePageRegister share_page_register = SharePageRegister::Never;
  Striping striping = Striping::Linear;
  std::uint32_t read_queue_depth = 0, write_queue_depth = 0, array_queue_depth = 0;

  std::uint32_t buffer_pages = 0, buffer_high = 0, buffer_low = 0;
  Time buffer_cold;

  DramConfig internal_dram;

  // Without it pages are striped statically and rewritten in place.
  std::optional<TranslationConfig> translation;
  std::optional<WearPauses> wear_pauses;  // not with a translation layer
  SuspendConfig suspend;                  // default: nothing is interrupted
  bool has_suspend = false;               // the file has that section

  std::uint64_t capacity = 0;  // bytes, follows from the organisation and the over-provisioning

  [[nodiscard]] FtlShape ftl_shape() const;  // precondition: translation
  // Why `permuted` cannot be; empty if it can.
  [[nodiscard]] std::string permuted_problem() const;
  // The page's number in the order of linear striping, which has it on the same die. Its own
  // inverse, within a stripe of n pages. Precondition: permuted_problem() is empty.
  [[nodiscard]] std::uint64_t striped(std::uint64_t page) const {
    const std::uint64_t dies = std::uint64_t{channels} * dies_per_channel;
    if (striping == Striping::Linear || dies == 1) return page;
    const int digit = std::countr_zero(dies);
    std::uint64_t fold = 0;
    for (std::uint64_t rest = page >> digit; rest != 0; rest >>= digit) fold ^= rest;
    return page ^ (fold & (dies - 1));
  }
};

struct MediaConfig {
  std::string name;  // what users type: the file's stem
  std::string part;  // the part it stands for
  std::filesystem::path file;
  int organisation_line = 0;  // for messages about the capacity
  std::variant<DramConfig, FlashConfig> params;
  std::vector<PublishedFigure> published;  // for comparison only
  // A drive's, by its name in configs/host/nvme.yaml; empty: none. No part of the media port.
  std::string interface;
  int interface_line = 0;

  [[nodiscard]] std::uint64_t capacity() const;
  [[nodiscard]] PartKind kind() const;
};

// Names of the parts in a directory (configs/media), sorted.
[[nodiscard]] std::vector<std::string> media_names(const std::filesystem::path& dir);

[[nodiscard]] MediaConfig load_media_config(const std::filesystem::path& file);

}  // namespace cxlgpu
