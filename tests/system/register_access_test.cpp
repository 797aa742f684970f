// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
// Every register of the table regs/ makes (common/register_table.hpp), in the RTL of the whole
// machine, over the path of firmware: the root complex's register port, and CXL.io requests made
// through it. What each bit does is what its access kind says: reset value, what ones and zeros
// written leave, single bytes in configuration space, locks, what is written once, and what
// outlives the link.
//
// The links are wires with a cycle of delay between the machine's pins; nothing else is driven, so
// that hardware sets nothing by itself. What is not tested as the table has it stands in
// kExceptions with its reason. The access kinds are those of the table alone: RTL that does
// otherwise fails here. A status bit can only be cleared where something sets it: of RAS a reserved
// encoding and a damaged ALMP do, of the time-out structure a lost link, of AER, PCI Express and
// the header unsupported requests. Flex Bus, which sets those of DVSEC 7, is outside
// of this machine: cxl_io/config_space and cxl_io/port_config_space clear them.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <map>
#include <memory>
#include <ostream>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "Vcxlgpu_top.h"
#include "common/register_bus.hpp"
#include "common/register_table.hpp"
#include "common/register_types.hpp"
#include "flits/crc16.hpp"
#include "sim/firmware/function.hpp"
#include "sim/firmware/io_port.hpp"
#include "tests/common/bits.hpp"

namespace cxlgpu {
namespace {

using regs::Access;
using regs::FieldRow;
using regs::Owner;

constexpr unsigned kPorts = 2, kFlitBytes = 66;
constexpr unsigned kAll = (1u << kPorts) - 1;
constexpr unsigned kPort = kPorts - 1;  // whose registers are tested

// ------------------------------------------------------------------------------------------
// What is not as the table says, or cannot be tested by writing it

enum class But : std::uint8_t {
  NoReset,  // is not compared with its reset value
  NoWrite,  // is never written with a 1
  NoTouch,  // its register is not written at all
  Moves,    // hardware changes it
  NotOnes,  // does not take all ones
  NotAny,   // does not take every value
  Stalls,   // set, the link does not come up again
  Follows,  // is what other registers make of the machine's state
};
struct Exception {
  std::string_view block, reg, field;  // field empty: the whole register
  But but;
  std::string_view why;
};
constexpr std::array kExceptions = {
    Exception{"io_access", "command", "", But::NoTouch, "starts the request that reads it"},
    Exception{"io_access", "addr_low", "", But::NoReset, "of the last request"},
    Exception{"io_access", "data", "", But::NoReset, "of the last response"},
    Exception{"io_access", "command", "op", But::NoReset, "of the last request"},
    Exception{"io_access", "command", "be", But::NoReset, "of the last request"},
    Exception{"io_access", "command", "status", But::NoReset, "of the last response"},
    Exception{"io_access", "command", "link_up", But::NoReset, "the link is up"},
    Exception{"hdm", "control", "commit", But::NoWrite, "starts the commit"},
    Exception{"mailbox", "control", "doorbell", But::NoWrite, "starts a command"},
    Exception{"ep", "sets", "log2", But::NotOnes, "takes no more than the sets that are built"},
    Exception{"ep", "durable", "level", But::NotOnes, "3 becomes 2"},
    Exception{"ep", "open", "max", But::NotOnes, "takes no more than half of the MSHRs"},
    Exception{"pci_pm", "control", "power_state", But::NotAny, "there is no D1 and no D2"},
    Exception{"link", "capability", "version_received", But::NoReset, "the link is up"},
    Exception{"link", "capability", "wrap_received", But::NoReset, "the link is up"},
    Exception{"link", "control", "init_state", But::NoReset, "the link is up"},
    Exception{"link", "control", "init_state", But::Moves, "says that crd_stall holds it"},
    Exception{"link", "control", "llrb_consumed", But::NoReset, "the link is up"},
    Exception{"link", "tx_credit", "mem_nd", But::NoReset, "the link is up"},
    Exception{"link", "tx_credit", "mem_data", But::NoReset, "the link is up"},
    Exception{"link", "control", "init_stall", But::Stalls, "no INIT.Param"},
    Exception{"link", "control", "crd_stall", But::Stalls, "no credits"},
    Exception{"ep", "qos_status", "", But::Follows, "thresholds of 0 are reached by nothing"},
    Exception{"pcie", "link_status", "active", But::NoReset, "the link is up"},
};

bool excepted(const FieldRow& row, But but) {
  return std::any_of(kExceptions.begin(), kExceptions.end(), [&](const Exception& e) {
    return e.but == but && e.block == row.block && e.reg == row.reg &&
           (e.field.empty() || e.field == row.field);
  });
}

// ------------------------------------------------------------------------------------------
// The machine

class Machine final : public RegisterBus {
 public:
  Machine() {
    top_->rst_ni = 0;
    for (unsigned i = 0; i < 4; ++i) step();
    top_->rst_ni = 1;
    top_->rp_phy_up_i = top_->ep_phy_up_i = kAll;
    top_->rp_link_tx_ready_i = top_->ep_link_tx_ready_i = kAll;
    train();
  }
  ~Machine() override { top_->final(); }

  void train() {
    constexpr unsigned kPatience = 20000, kCredits = 2000;
    unsigned cycles = 0;
    while ((top_->rp_init_done_o != kAll || top_->ep_init_done_o != kAll) && cycles < kPatience) {
      step();
      ++cycles;
    }
    EXPECT_LT(cycles, kPatience) << "the links do not train";
    for (unsigned i = 0; i < kCredits; ++i) step();
  }

  void write(RegisterSpace space, unsigned index, std::uint32_t offset,
             std::uint32_t value) override {
    request(space, index, kWrite | std::uint64_t{offset} << 32 | value);
    step();
    top_->rc_reg_req_i = 0;
    step();
  }
  std::uint32_t read(RegisterSpace space, unsigned index, std::uint32_t offset) override {
    request(space, index, std::uint64_t{offset} << 32);
    step();
    step();
    top_->rc_reg_req_i = 0;
    return top_->rc_reg_rdata_o;
  }
  // The link of kPort is lost, and comes back.
  void lose_link() {
    constexpr unsigned kCycles = 500;
    top_->rp_phy_up_i = top_->ep_phy_up_i = kAll & ~(1u << kPort);
    for (unsigned i = 0; i < kCycles; ++i) step();
  }
  void bring_link_back() {
    top_->rp_phy_up_i = top_->ep_phy_up_i = kAll;
    train();
  }
  // A flit of 64 bytes and its CRC that nobody has sent reaches one end of kPort's link.
  void receive(bool device, unsigned kind, const test::LineBytes& payload) {
    auto& valid = device ? top_->ep_link_rx_valid_i : top_->rp_link_rx_valid_i;
    auto& kinds = device ? top_->ep_link_rx_kind_i : top_->rp_link_rx_kind_i;
    auto& flits = device ? top_->ep_link_rx_flit_i : top_->rp_link_rx_flit_i;
    test::set_bits(valid, kPort, 1, 1);
    test::set_bits(kinds, 2 * kPort, 2, kind);
    test::set_line(flits, 8 * kFlitBytes * kPort, payload);
    test::set_bits(flits, 8 * (kFlitBytes * kPort + 64), 16, flits::crc16(payload));
    for (unsigned i = 0; i < 200; ++i) step();
  }
  // One cycle; a flit arrives in the cycle after it was sent.
  void step() {
    top_->clk_i = 0;
    top_->eval();
    const unsigned sent_down = top_->rp_link_tx_valid_o, sent_up = top_->ep_link_tx_valid_o;
    const unsigned kinds_down = top_->rp_link_tx_kind_o, kinds_up = top_->ep_link_tx_kind_o;
    const auto flits_down = top_->rp_link_tx_flit_o, flits_up = top_->ep_link_tx_flit_o;
    top_->clk_i = 1;
    top_->eval();
    top_->ep_link_rx_valid_i = sent_down;
    top_->ep_link_rx_kind_i = kinds_down;
    top_->ep_link_rx_flit_i = flits_down;
    top_->rp_link_rx_valid_i = sent_up;
    top_->rp_link_rx_kind_i = kinds_up;
    top_->rp_link_rx_flit_i = flits_up;
  }

 private:
  static constexpr std::uint64_t kWrite = std::uint64_t{1} << 48, kValid = std::uint64_t{1} << 49;

  void request(RegisterSpace space, unsigned index, std::uint64_t what) {
    if (space == RegisterSpace::RootPort) what += std::uint64_t{0x1000} * (index + 1) << 32;
    top_->rc_reg_req_i = kValid | what;
  }

  std::unique_ptr<Vcxlgpu_top> top_ = std::make_unique<Vcxlgpu_top>();
};

// ------------------------------------------------------------------------------------------
// Where a block is

enum class Way : std::uint8_t {
  HostBridge,
  Page,
  PortConfig,
  PortMemory,
  DeviceConfig,
  DeviceMemory
};

// Once or more for each block. `at`: what is added to the block's own offsets.
struct Place {
  std::string_view block;
  Way way;
  std::uint32_t at;
  bool device;  // whose fields there are
};
constexpr std::array kPlaces = {
    Place{"hb", Way::HostBridge, 0, false},
    Place{"hdm", Way::HostBridge, 0, false},
    Place{"timeout", Way::Page, 0, false},
    Place{"ras", Way::Page, 0x100, false},
    Place{"link", Way::Page, 0x200, false},
    Place{"io_access", Way::Page, 0, false},
    Place{"rp", Way::Page, 0, false},
    Place{"pci_header1", Way::PortConfig, 0, false},
    Place{"pcie", Way::PortConfig, 0x40, false},
    Place{"dvsec_port", Way::PortConfig, 0x100, false},
    Place{"dvsec_flex_bus", Way::PortConfig, 0x130, false},
    Place{"dvsec_locator", Way::PortConfig, 0x150, false},
    Place{"dvsec_gpf_port", Way::PortConfig, 0x170, false},
    Place{"component", Way::PortMemory, 0, false},
    Place{"ras", Way::PortMemory, 0x1200, false},
    Place{"link", Way::PortMemory, 0x1300, false},
    Place{"timeout", Way::PortMemory, 0x1400, false},
    Place{"pci_header0", Way::DeviceConfig, 0, true},
    Place{"pcie", Way::DeviceConfig, 0x40, true},
    Place{"pci_pm", Way::DeviceConfig, 0x80, true},
    Place{"dvsec_device", Way::DeviceConfig, 0x100, true},
    Place{"dvsec_flex_bus", Way::DeviceConfig, 0x140, true},
    Place{"dvsec_locator", Way::DeviceConfig, 0x160, true},
    Place{"dvsec_vendor", Way::DeviceConfig, 0x180, true},
    Place{"dvsec_gpf_device", Way::DeviceConfig, 0x1a0, true},
    Place{"serial_number", Way::DeviceConfig, 0x1b0, true},
    Place{"aer", Way::DeviceConfig, 0x1c0, true},
    Place{"component", Way::DeviceMemory, 0, true},
    Place{"ras", Way::DeviceMemory, 0x1200, true},
    Place{"link", Way::DeviceMemory, 0x1300, true},
    Place{"hdm", Way::DeviceMemory, 0x1800, true},
    Place{"arb_mux", Way::DeviceMemory, 0, true},
    Place{"ep", Way::DeviceMemory, 0x10000 - regs::ep::kBlock, true},
    Place{"mailbox", Way::DeviceMemory, 0x20000, true},
};

bool is_config(Way way) {
  return way == Way::PortConfig || way == Way::DeviceConfig;
}

// What the table says of one 32-bit word.
struct Word {
  std::uint32_t offset = 0;  // in the block
  std::string name;
  std::uint32_t read_only = 0, rw = 0, clears = 0, once = 0,
                locks = 0;             // bits by what a write does
  std::uint32_t sticky = 0;            // bits that outlive the link
  std::uint32_t reset = 0, known = 0;  // of `known` bits the reset value
  std::uint32_t spared = 0;            // never written with a 1
  std::uint32_t moves = 0, not_ones = 0, not_any = 0, stalls = 0, follows = 0;
  bool untouched = false;

  [[nodiscard]] std::uint32_t fields() const { return read_only | rw | clears | once; }
  // After `value` was written to `old`, in the bytes that `bits` covers.
  [[nodiscard]] std::uint32_t written(std::uint32_t old, std::uint32_t value,
                                      std::uint32_t bits = ~0u) const {
    const std::uint32_t ones = value & bits;
    return (old & read_only) | (((old & ~bits) | ones) & rw) | (old & ~ones & clears) |
           ((old | ones) & once);
  }
};

void add(Word& word, const FieldRow& row, unsigned lsb, unsigned msb, std::uint64_t reset) {
  const std::uint32_t mask = (~0u >> (31 - (msb - lsb))) << lsb;
  switch (row.access) {
    case Access::RO:
    case Access::HwInit:
    case Access::ROS:
      word.read_only |= mask;
      break;
    case Access::RW:
    case Access::RWS:
      word.rw |= mask;
      break;
    case Access::RWL:
      word.rw |= mask;
      word.locks |= mask;
      break;
    case Access::RW1C:
    case Access::RW1CS:
      word.clears |= mask;
      break;
    case Access::RWO:
      word.once |= mask;
      break;
  }
  if (row.access == Access::RWS || row.access == Access::RW1CS || row.access == Access::ROS) {
    word.sticky |= mask;
  }
  if (!row.parameter && !excepted(row, But::NoReset)) {
    word.known |= mask;
    word.reset |= static_cast<std::uint32_t>(reset) << lsb & mask;
  }
  if (excepted(row, But::NoWrite)) word.spared |= mask;
  if (excepted(row, But::Moves)) word.moves |= mask;
  if (excepted(row, But::NotOnes)) word.not_ones |= mask;
  if (excepted(row, But::NotAny)) word.not_any |= mask;
  if (excepted(row, But::Stalls)) word.stalls |= mask;
  if (excepted(row, But::Follows)) word.follows |= mask;
  word.untouched = word.untouched || excepted(row, But::NoTouch);
}

// The words of a block as one side has it, by offset.
std::vector<Word> words_of(const Place& place) {
  std::map<std::uint32_t, Word> words;
  for (const FieldRow& row : regs::kFields) {
    if (row.block != place.block) continue;
    const bool here = row.owner == Owner::Both || (row.owner == Owner::Device) == place.device;
    for (unsigned n = 0; n < row.count; ++n) {
      const std::uint32_t first = row.offset + n * row.stride;
      for (unsigned half = 0; half < (row.width == 64 ? 2u : 1u); ++half) {
        const std::uint32_t offset = (first & ~3u) + 4 * half;
        Word& word = words[offset];
        word.offset = offset;
        std::string name = std::string(row.block) + ".";
        if (!row.group.empty()) name += std::string(row.group) + "[" + std::to_string(n) + "].";
        name += row.reg;
        if (word.name.find(name) == std::string::npos) {
          word.name += (word.name.empty() ? "" : ", ") + name;
        }
        if (!here) continue;
        // Bits of the field in this word
        const unsigned base = 8 * (first & 3) + row.lsb, from = 32 * half;
        const unsigned lsb = std::max(base, from),
                       end = std::min(base + row.field_width, from + 32);
        if (lsb >= end) continue;
        add(word, row, lsb - from, end - 1 - from, row.reset >> (lsb - base));
      }
    }
  }
  std::vector<Word> all;
  for (auto& [offset, word] : words) all.push_back(word);
  return all;
}

// ------------------------------------------------------------------------------------------

class RegisterAccess : public ::testing::Test {
 protected:
  // Accesses of a place: what is beyond the root port needs its buses, what is behind a BAR more.
  std::uint32_t read(const Place& place, std::uint32_t offset) {
    const std::uint32_t at = place.at + offset;
    switch (place.way) {
      case Way::HostBridge:
        return machine_.read(RegisterSpace::HostBridge, 0, at);
      case Way::Page:
        return machine_.read(RegisterSpace::RootPort, kPort, at);
      case Way::PortConfig:
        return io_.succeed(
            {.op = IoOp::kCfgRd0, .addr = root_port_register(kPort, at), .enables = 15});
      case Way::DeviceConfig:
        return io_.succeed(
            {.op = IoOp::kCfgRd0, .addr = endpoint_register(kPort, at), .enables = 15});
      case Way::PortMemory:
        return io_.read(kPortBar + at);
      case Way::DeviceMemory:
        return io_.read(kDeviceBar + at);
    }
    return 0;
  }
  void write(const Place& place, std::uint32_t offset, std::uint32_t value, unsigned enables = 15) {
    const std::uint32_t at = place.at + offset;
    switch (place.way) {
      case Way::HostBridge:
        return machine_.write(RegisterSpace::HostBridge, 0, at, value);
      case Way::Page:
        return machine_.write(RegisterSpace::RootPort, kPort, at, value);
      case Way::PortConfig:
        io_.succeed({IoOp::kCfgWr0, root_port_register(kPort, at), enables, value});
        return;
      case Way::DeviceConfig:
        io_.succeed({IoOp::kCfgWr0, endpoint_register(kPort, at), enables, value});
        return;
      case Way::PortMemory:
        return io_.write(kPortBar + at, value);
      case Way::DeviceMemory:
        return io_.write(kDeviceBar + at, value);
    }
  }

  void write_config(std::uint64_t at, std::uint32_t value) {
    io_.succeed({IoOp::kCfgWr0, at, 15, value});
  }
  // Buses of the root port, so that the endpoint's configuration space is reached.
  void open_buses() {
    const unsigned bus = bus_below(kPort);
    write_config(root_port_register(kPort, 0x18), bus << 8 | bus << 16);
  }
  // Memory space: a MiB of the window below, and of it a BAR for each function.
  void open_all() {
    using namespace config_header;
    open_buses();
    write_config(root_port_register(kPort, kFirstBar), static_cast<std::uint32_t>(kPortBar));
    write_config(root_port_register(kPort, 0x20), kDeviceBar >> 16 | kDeviceBar >> 20 << 20);
    write_config(endpoint_register(kPort, kFirstBar), static_cast<std::uint32_t>(kDeviceBar));
    write_config(root_port_register(kPort, kCommand), kMemorySpace);
    write_config(endpoint_register(kPort, kCommand), kMemorySpace);
  }
  // What is not built in this place is reserved: decoders and ranges that it has not.
  void spare_missing(const Place& place, std::vector<Word>& words) {
    std::uint32_t first = ~0u, end = ~0u;
    if (place.block == "hdm") {
      const std::uint32_t code = regs::hdm::kCapabilityCountCode.get(read(place, 0));
      first = regs::hdm::kDec + regs::hdm::kDecStride * (code == 0 ? 1 : 2 * code);
    } else if (place.block == "dvsec_device") {
      using namespace regs::dvsec_device;
      const std::uint32_t ranges = kCapabilityHdmCount.get(read(place, kDvsecId) >> 16);
      first = kRange + kRangeStride * ranges;
      end = kRange + kRangeStride * kRangeCount;
    }
    for (Word& word : words) {
      if (word.offset < first || word.offset >= end) continue;
      word = {.offset = word.offset, .name = word.name + ", not built"};
    }
  }
  static std::string at(const Place& place, const Word& word) {
    static constexpr std::array kWays = {"host bridge",        "register page",
                                         "root port's config", "root port's memory",
                                         "endpoint's config",  "endpoint's memory"};
    return word.name + " (" + kWays.at(static_cast<std::size_t>(place.way)) + ")";
  }

  void expect_reset(const Place& place) {
    auto all = words_of(place);
    spare_missing(place, all);
    for (const Word& word : all) {
      const std::uint32_t value = read(place, word.offset);
      const std::uint32_t known = word.known | ~word.fields();
      EXPECT_EQ(value & known, word.reset & known)
          << at(place, word) << " reads " << std::hex << value;
    }
  }

  void expect_access(const Place& place) {
    auto all = words_of(place);
    spare_missing(place, all);
    for (const Word& word : all) {
      if (word.untouched) continue;
      SCOPED_TRACE(at(place, word));
      const std::uint32_t before = read(place, word.offset);
      std::uint32_t state = before;
      const auto put = [&](std::uint32_t value, unsigned enables, const char* what) {
        std::uint32_t bits = 0;
        for (unsigned b = 0; b < 4; ++b) bits |= (enables >> b & 1) * 0xffu << 8 * b;
        const std::uint32_t ones = ~word.spared & ~word.once;
        value &= ones;
        write(place, word.offset, value, enables);
        const std::uint32_t expected = word.written(state, value, bits);
        const std::uint32_t found = read(place, word.offset);
        const std::uint32_t free = word.moves | (value != 0 ? word.not_ones : 0) |
                                   (value != 0 && value != ones ? word.not_any : 0);
        EXPECT_EQ(found & ~free, expected & ~free)
            << what << ": found " << std::hex << found << ", expected " << expected << ", differ "
            << ((found ^ expected) & ~free);
        state = found;
      };
      put(~0u, 15, "all ones");
      put(0, 15, "all zeros");
      put(~0u, 15, "all ones again");
      if (is_config(place.way)) {
        put(0, 15, "all zeros");
        for (unsigned b = 0; b < 4; ++b) put(~0u, 1u << b, "ones in a byte");
        for (unsigned b = 0; b < 4; ++b) put(0, 1u << b, "zeros in a byte");
        put(~0u, 0, "no byte");
      }
      put(0x5a5aa5a5, 15, "a pattern");
      // As it was, but for what a 1 clears.
      put(before & ~word.clears, 15, "as before");
    }
  }

  // What is set stays when a 0 is written and goes with a 1. True if something was.
  bool expect_clears(const Place& place, const Word& word) {
    SCOPED_TRACE(at(place, word));
    const std::uint32_t before = read(place, word.offset);
    write(place, word.offset, before & word.rw);
    EXPECT_EQ(read(place, word.offset), before);
    const std::uint32_t ones = ~word.spared & ~word.once & ~word.rw;
    write(place, word.offset, (before & word.rw) | ones);
    EXPECT_EQ(read(place, word.offset), before & ~word.clears);
    return (before & word.clears) != 0;
  }
  // All that can be written has another value than at reset. From the end of the block on, for a
  // lock is before what it locks.
  void fill(const Place& place) {
    auto all = words_of(place);
    spare_missing(place, all);
    for (auto word = all.rbegin(); word != all.rend(); ++word) {
      if (word->untouched) continue;
      const std::uint32_t value =
          (~word->reset & (word->rw | word->once)) & ~word->spared & ~word->stalls;
      if (value != 0 || word->rw != 0) write(place, word->offset, value);
    }
  }
  using Values = std::map<std::uint32_t, std::uint32_t>;  // by offset
  Values values(const Place& place) {
    Values found;
    for (const Word& word : words_of(place)) found[word.offset] = read(place, word.offset);
    return found;
  }
  // A device without its link for a while: `before` what is sticky, else the reset values.
  void expect_after_loss(const Place& place, const Values& before) {
    auto all = words_of(place);
    spare_missing(place, all);
    for (const Word& word : all) {
      const std::uint32_t value = read(place, word.offset);
      const std::uint32_t sticky = word.sticky & ~word.moves;
      EXPECT_EQ(value & sticky, before.at(word.offset) & sticky)
          << at(place, word) << ": what is sticky reads " << std::hex << value << ", before "
          << before.at(word.offset);
      const std::uint32_t known = word.known & ~word.sticky & ~word.follows;
      EXPECT_EQ(value & known, word.reset & known)
          << at(place, word) << ": what is not sticky reads " << std::hex << value;
    }
  }
  // Nothing that is written changes what is locked.
  void expect_locked(const Place& place, const Word& word) {
    SCOPED_TRACE(at(place, word));
    const std::uint32_t before = read(place, word.offset);
    for (const std::uint32_t value : {~0u, 0u, ~before}) {
      write(place, word.offset, value & ~word.clears);
      EXPECT_EQ(read(place, word.offset) & word.locks, before & word.locks);
    }
  }

  static constexpr std::uint64_t kPortBar = 0xe000'0000, kDeviceBar = 0xe010'0000;
  static constexpr std::uint64_t kBeyond = kDeviceBar + 0x8'0000;  // in the window, in no BAR

  Machine machine_;
  IoPort io_{machine_, kPort};
};

TEST_F(RegisterAccess, EveryBlockHasItsPlace) {
  std::set<std::string_view> blocks, placed;
  for (const FieldRow& row : regs::kFields) blocks.insert(row.block);
  for (const Place& place : kPlaces) placed.insert(place.block);
  EXPECT_EQ(blocks, placed);
  for (const Exception& e : kExceptions) {
    EXPECT_TRUE(std::any_of(regs::kFields.begin(), regs::kFields.end(),
                            [&](const FieldRow& row) {
                              return row.block == e.block && row.reg == e.reg &&
                                     (e.field.empty() || row.field == e.field);
                            }))
        << e.block << "." << e.reg << "." << e.field << ": no such field";
  }
}

TEST_F(RegisterAccess, BeginsWithItsResetValues) {
  const auto all = [this](std::initializer_list<Way> ways) {
    for (const Place& place : kPlaces) {
      if (std::find(ways.begin(), ways.end(), place.way) != ways.end()) expect_reset(place);
    }
  };
  all({Way::HostBridge, Way::Page, Way::PortConfig});
  open_buses();
  all({Way::DeviceConfig});
  open_all();
  all({Way::PortMemory, Way::DeviceMemory});
}

TEST_F(RegisterAccess, TakesWhatItsKindsSay) {
  open_all();
  for (const Place& place : kPlaces) expect_access(place);
}

// Status that hardware sets while nothing is broken: the endpoint receives an unsupported request
// and a write of half a word, and becomes viral by its host.
TEST_F(RegisterAccess, AOneClearsWhatHardwareSet) {
  open_all();
  constexpr std::uint32_t kDevice = 0x100;
  write_config(endpoint_register(kPort, kDevice + regs::dvsec_device::kControl),
               regs::dvsec_device::ControlReg{.viral = true}.word());
  machine_.write(RegisterSpace::RootPort, kPort, regs::rp::kViral,
                 regs::rp::ViralReg{.port = true}.word());
  EXPECT_EQ(io_.request({IoOp::kMemRd, kBeyond, 15, 0}).status, CplStatus::kUnsupported);
  io_.request({IoOp::kMemWr, kDeviceBar + 0x1200, 3, 0});
  for (unsigned i = 0; i < 1000; ++i) machine_.step();

  const std::set<std::string_view> set = {"aer", "dvsec_device", "pci_header0", "pcie"};
  std::set<std::string_view> found;
  for (const Place& place : kPlaces) {
    for (const Word& word : words_of(place)) {
      if ((read(place, word.offset) & word.clears) != 0) found.insert(place.block);
      if (set.contains(place.block) && place.way == Way::DeviceConfig) expect_clears(place, word);
    }
  }
  EXPECT_EQ(found, set);
}

// A link with faults that is lost at last. What the device keeps and what it does not; status of
// RAS and of the time-out structure, which a 1 clears.
TEST_F(RegisterAccess, StickyFieldsOutliveTheLink) {
  constexpr unsigned kCachemem = 1, kAlmp = 2;  // kinds of flits
  constexpr test::LineBytes kReservedSlot = {7 << 5};
  constexpr test::LineBytes kFourDifferentCopies = {1, 2, 3, 4};
  open_all();
  // The header is left as it is: without it nothing behind a BAR is reached.
  const auto is_filled = [](const Place& place) {
    return place.device && place.block != "pci_header0";
  };
  for (const bool config : {false, true}) {
    for (const Place& place : kPlaces) {
      if (is_filled(place) && is_config(place.way) == config) fill(place);
      // D3 takes memory space away.
      if (place.block == "pci_pm") write(place, regs::pci_pm::kControl, 0);
    }
  }
  const auto no_masks = [this](const Place& place) {
    write(place, regs::ras::kUncorMask, 0);
    write(place, regs::ras::kCorMask, 0);
  };
  for (const Place& place : kPlaces) {
    if (place.block == "ras" && place.way == Way::Page) no_masks(place);
    if (place.block == "timeout" && place.way == Way::Page) {
      write(place, regs::timeout::kControl,
            regs::timeout::ControlReg{.mem_isolation = true}.word());
    }
  }
  for (const bool device : {false, true}) machine_.receive(device, kCachemem, kReservedSlot);

  std::map<const Place*, Values> before;
  for (const Place& place : kPlaces) {
    if (place.device) before[&place] = values(place);
  }
  machine_.receive(false, kAlmp, kFourDifferentCopies);
  machine_.lose_link();

  std::set<std::string> found;
  const auto clear = [&](const Place& place) {
    for (const Word& word : words_of(place)) {
      if (word.clears != 0 && expect_clears(place, word)) found.insert(word.name);
    }
  };
  for (const Place& place : kPlaces) {
    const bool host = place.block == "ras" || place.block == "timeout";
    if (host && place.way == Way::Page) clear(place);
  }
  EXPECT_EQ(found, (std::set<std::string>{"ras.uncor_status", "ras.cor_status", "timeout.status"}));

  machine_.bring_link_back();
  for (const Place& place : kPlaces) {
    if (place.way == Way::DeviceConfig) expect_after_loss(place, before[&place]);
  }
  open_all();
  for (const Place& place : kPlaces) {
    if (place.way == Way::DeviceMemory) expect_after_loss(place, before[&place]);
  }
  found.clear();
  for (const Place& place : kPlaces) {
    if (place.block == "ras" && place.device) clear(place);
  }
  EXPECT_EQ(found, (std::set<std::string>{"ras.uncor_status"}));
}

// Each by what locks it; CONFIG_LOCK is in the next test.
TEST_F(RegisterAccess, WhatIsLockedStays) {
  open_all();
  std::set<std::string_view> tested = {"dvsec_device"}, locks;
  for (const Place& place : kPlaces) {
    const std::vector<Word> words = words_of(place);
    for (const Word& word : words) {
      if (word.locks != 0) locks.insert(place.block);
    }
    const auto all_locked = [&](std::uint32_t first, std::uint32_t end) {
      for (const Word& word : words) {
        if (word.locks == 0 || word.offset < first || word.offset >= end) continue;
        tested.insert(place.block);
        expect_locked(place, word);
      }
    };
    if (place.block == "hdm") {  // a decoder that is committed with its lock
      namespace hdm = regs::hdm;
      constexpr std::uint32_t kControl = hdm::kDec + hdm::kDecControl;
      write(place, hdm::kDec + hdm::kDecBaseHigh, hdm::DecBaseHighReg{.base = 1}.word());
      write(place, hdm::kDec + hdm::kDecSizeLow, hdm::DecSizeLowReg{.size = 1}.word());
      hdm::DecControlReg control{.lock = true, .commit = true};
      write(place, kControl, control.word());
      for (unsigned i = 0; i < 10; ++i) machine_.step();
      control.committed = true;
      EXPECT_EQ(read(place, kControl), control.word());
      all_locked(hdm::kDec, hdm::kDec + hdm::kDecStride);
    }
    if (place.block == "rp") {  // deterministic store is on
      write(place, regs::rp::kDsControl, regs::rp::DsControlReg{.enable = true}.word());
      for (unsigned i = 0; i < 10; ++i) machine_.step();
      EXPECT_TRUE(regs::rp::DsStatusReg::from(read(place, regs::rp::kDsStatus)).on);
      all_locked(0, ~0u);
    }
    if (place.block == "io_access") {  // a request is in flight
      const std::uint64_t id = endpoint_register(kPort, 0);
      for (const Word& word : words) {
        EXPECT_NE(word.locks, 0u);
        SCOPED_TRACE(at(place, word));
        tested.insert(place.block);
        write(place, regs::io_access::kAddrLow, static_cast<std::uint32_t>(id));
        write(place, regs::io_access::kAddrHigh, static_cast<std::uint32_t>(id >> 32));
        write(place, regs::io_access::kCommand, regs::io_access::CommandReg{.be = 15}.word());
        const std::uint32_t before = read(place, word.offset);
        write(place, word.offset, ~before);
        EXPECT_EQ(read(place, word.offset) & word.locks, before & word.locks);
        EXPECT_TRUE(regs::io_access::CommandReg::from(read(place, regs::io_access::kCommand)).busy)
            << "too late to see a lock";
        while (regs::io_access::CommandReg::from(read(place, regs::io_access::kCommand)).busy) {
        }
      }
    }
  }
  EXPECT_EQ(tested, locks);
}

// Last, for only a reset takes it back: fields that are written once, and what one of them locks.
TEST_F(RegisterAccess, WhatIsWrittenOnceStays) {
  open_all();
  unsigned found = 0;
  for (const Place& place : kPlaces) {
    for (const Word& word : words_of(place)) {
      if (word.once == 0) continue;
      ++found;
      SCOPED_TRACE(at(place, word));
      EXPECT_EQ(read(place, word.offset) & word.once, 0u);
      write(place, word.offset, 0);
      EXPECT_EQ(read(place, word.offset) & word.once, 0u);
      write(place, word.offset, word.once);
      EXPECT_EQ(read(place, word.offset) & word.once, word.once);
      write(place, word.offset, 0);
      EXPECT_EQ(read(place, word.offset) & word.once, word.once);
    }
  }
  EXPECT_GE(found, 2u);
  // Config Lock of DVSEC 0 is 1 now.
  for (const Place& place : kPlaces) {
    if (place.block != "dvsec_device") continue;
    unsigned locked = 0;
    for (const Word& word : words_of(place)) {
      if (word.locks == 0) continue;
      ++locked;
      expect_locked(place, word);
    }
    EXPECT_GE(locked, 5u);
  }
}

}  // namespace
}  // namespace cxlgpu
