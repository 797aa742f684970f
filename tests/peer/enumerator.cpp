// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
#include "enumerator.hpp"

#include <algorithm>
#include <bit>

namespace peer {
namespace {

constexpr uint64_t kPolls = 400;         // of a bit that the device has to set
constexpr uint64_t kPollInterval = 200;  // cycles
constexpr uint64_t kLowBar = 0xc000'0000;
constexpr uint64_t kHighBar = 0x40'0000'0000;

}  // namespace

void Enumerator::remark(std::string what) {
  if (std::ranges::find(remarks_, what) == remarks_.end()) remarks_.push_back(std::move(what));
}

Task<void> Enumerator::run() {
  machine_ = {};
  dvsecs_.clear();
  extended_.clear();
  memory_size_ = 0;
  if (knobs_.power_management) io_.start_power_management();
  step_ = "find the device";
  if (!co_await find_device()) co_return;
  step_ = "capabilities";
  co_await walk_capabilities();
  step_ = "extended capabilities";
  co_await walk_extended();
  step_ = "DVSEC 0";
  co_await check_dvsec_device();
  co_await check_other_dvsecs();
  step_ = "BARs";
  if (!co_await size_bars()) co_return;
  step_ = "register locator";
  if (!co_await locate_registers()) co_return;
  step_ = "component registers";
  co_await check_component();
  if (machine_.device != 0) {
    step_ = "device registers";
    co_await check_device_registers();
  }
  step_ = "decoder";
  machine_.window_base = knobs_.window_base;
  machine_.window_size = knobs_.window_size != 0 ? knobs_.window_size : memory_size_;
  if (machine_.window_size == 0) {
    broken("8.1.3.8", "a memory device without memory");
    co_return;
  }
  step_ = "registers of the vendor";
  co_await write_vendor();
  step_ = "decoder";
  const bool decodes = knobs_.use_ranges ? co_await program_range() : co_await program_decoder();
  if (!decodes) co_return;
  step_ = "Mem_Enable";
  machine_.ready = co_await enable();
  step_ = "done";
}

// A register of 64 bits in one access; in two, so that the enumeration goes on, if it fails.
Task<uint64_t> Enumerator::read64(uint64_t address) {
  const IoHost::Answer answer = co_await io_.request(IoHost::memory_read(address, 2));
  if (answer.good() && answer.data.size() == 2) {
    co_return answer.data[0] | static_cast<uint64_t>(answer.data[1]) << 32;
  }
  broken("8.2.5", "a register of 64 bits that cannot be read in one access of 8 bytes");
  const uint64_t low = co_await io_.read32(address);
  co_return low | static_cast<uint64_t>(co_await io_.read32(address + 4)) << 32;
}

Task<bool> Enumerator::find_device() {
  const uint32_t id = co_await io_.read_config(0);
  if (id == 0xffff'ffff || (id & 0xffff) == 0) {
    broken("PCIe 7.5.1.1.1", "no device answers at bus 1, device 0, function 0");
    co_return false;
  }
  const uint32_t header = co_await io_.read_config(0x0c);
  expect((header >> 16 & 0x7f) == 0, "PCIe 7.5.1.1.9", "a device whose header is not of type 0");
  const uint32_t class_code = co_await io_.read_config(0x08);
  expect(class_code >> 8 == 0x050210, "8.1.12.1",
         "a memory device whose class code is not 050210h");
  const uint32_t command = co_await io_.read_config(0x04);
  expect((command & 0x0547) == 0, "PCIe 7.5.1.1.3", "command register not zero after reset");
  expect((command >> 20 & 1) != 0, "PCIe 7.5.1.1.4", "no capabilities list");
  const uint32_t interrupt = co_await io_.read_config(0x3c);
  expect((interrupt >> 8 & 0xff) == 0, "3.1.1",
         "an interrupt pin at a function that takes part in CXL");
  co_return true;
}

Task<void> Enumerator::walk_capabilities() {
  uint32_t at = (co_await io_.read_config(0x34)) & 0xfc;
  bool power = false;
  for (unsigned n = 0; at != 0; ++n) {
    if (n == 48 || at < 0x40) {
      broken("PCIe 7.5.1.1.11", "a capability list that does not end, or points into the header");
      co_return;
    }
    const uint32_t word = co_await io_.read_config(at);
    if ((word & 0xff) == 0x01) power = true;
    if ((word & 0xff) == 0x10) {
      machine_.pcie = at;
      expect((word >> 16 & 0xf) >= 2, "PCIe 7.5.3.2",
             "a PCI Express capability older than version 2");
      expect((word >> 20 & 0xf) == 0, "9.12", "a CXL 2.0 device that is no PCI Express endpoint");
    }
    at = word >> 8 & 0xfc;
  }
  expect(machine_.pcie != 0, "PCIe 7.5.3", "no PCI Express capability");
  expect(power, "PCIe 7.5.2", "no power management capability");
  if (machine_.pcie == 0) co_return;
  const uint32_t capabilities = co_await io_.read_config(machine_.pcie + 4);
  expect((capabilities >> 15 & 1) != 0, "PCIe 7.5.3.3", "no role-based error reporting");
  const uint32_t link = co_await io_.read_config(machine_.pcie + 0x0c);
  expect((link & 0xf) >= 3, "6.3.1", "a CXL link that cannot run at 8 GT/s");
}

Task<void> Enumerator::walk_extended() {
  uint32_t at = 0x100;
  for (unsigned n = 0; at != 0; ++n) {
    if (n == 64 || at < 0x100) {
      broken("PCIe 7.6.3", "an extended capability list that does not end, or points below 100h");
      break;
    }
    const uint32_t word = co_await io_.read_config(at);
    if (word == 0 || word == 0xffff'ffff) break;
    const uint32_t id = word & 0xffff;
    if (id == 0x23) {
      const uint32_t vendor = co_await io_.read_config(at + 4);
      const uint32_t dvsec = (co_await io_.read_config(at + 8)) & 0xffff;
      if ((vendor & 0xffff) == 0x1e98) {
        if (!dvsecs_.emplace(dvsec, at).second) broken("8.1.1", "a CXL DVSEC that is there twice");
      }
    } else {
      extended_.emplace(id, at);
    }
    at = word >> 20;
  }
  machine_.aer = extended_.contains(1) ? extended_[1] : 0;
  expect(machine_.aer != 0, "3.1.4", "no Advanced Error Reporting");
  expect(extended_.contains(3), "8.1.12.2", "no Device Serial Number");
  for (const auto& [id, name] : {std::pair<uint32_t, const char*>{0x19, "Secondary PCI Express"},
                                 {0x26, "Physical Layer 16.0 GT/s"},
                                 {0x27, "Lane Margining"},
                                 {0x2a, "Physical Layer 32.0 GT/s"},
                                 {0x2e, "Data Object Exchange (S20 8.1.11, CDAT)"}}) {
    if (!extended_.contains(id)) remark(std::string("no extended capability ") + name);
  }
  for (const uint32_t id : {0U, 5U, 7U, 8U}) {
    expect(dvsecs_.contains(id), "8.1.1", "DVSEC " + std::to_string(id) + " is missing");
  }
  for (const uint32_t id : {3U, 4U, 9U}) {
    expect(!dvsecs_.contains(id), "8.1.1",
           "DVSEC " + std::to_string(id) + " in a device that must not have it");
  }
  if (!io_.link().peer_feature_seen()) remark("no Data Link Feature exchange (PCIe 3.3)");
}

Task<void> Enumerator::check_dvsec_device() {
  if (!dvsecs_.contains(0)) co_return;
  const uint32_t at = machine_.dvsec_device = dvsecs_[0];
  const uint32_t header = co_await io_.read_config(at + 4);
  expect((header >> 16 & 0xf) == 1 && header >> 20 >= 0x38, "8.1.3",
         "DVSEC 0 is not of revision 1 and length 38h");
  const unsigned capability = co_await io_.read_config16(at + 0x0a);
  expect((capability & 1) == 0, "8.1.3.1", "Cache_Capable in a Type 3 device");
  expect((capability & 2) != 0 && (capability & 4) != 0, "8.1.3.1",
         "not IO_Capable and Mem_Capable");
  const unsigned ranges = capability >> 4 & 3;
  expect(ranges == 1 || ranges == 2, "8.1.3.1", "HDM_Count is neither 1 nor 2");
  expect((capability & 1 << 13) == 0, "8.1.3.1", "a single logical device that says MLD");
  expect((capability & 1 << 14) != 0, "8.1.3.1", "not Viral_Capable");
  expect((capability & 1 << 15) != 0, "8.1.3.1", "PM Init Completion Reporting Capable is not set");
  const unsigned control = co_await io_.read_config16(at + 0x0c);
  expect((control & ~0x0002U) == 0 && (control & 2) != 0, "8.1.3.2",
         "CXL Control is not at its default");
  const unsigned lock = co_await io_.read_config16(at + 0x14);
  expect(lock == 0, "8.1.3.6", "CONFIG_LOCK is set after reset");
  for (unsigned r = 0; r < ranges; ++r) {
    const uint32_t range = at + 0x18 + 0x10 * r;
    uint32_t low = 0;
    for (uint64_t n = 0; n < kPolls; ++n) {
      low = co_await io_.read_config(range + 4);
      if ((low & 3) == 3) break;
      co_await io_.sleep(kPollInterval);
    }
    expect((low & 1) != 0, "8.1.3.8.2", "Memory_Info_Valid does not come");
    if ((capability & 8) != 0) expect((low & 2) != 0, "8.1.3.8.2", "Memory_Active does not come");
    const uint64_t size =
        static_cast<uint64_t>(co_await io_.read_config(range)) << 32 | (low & 0xf000'0000);
    if (size != 0) {
      expect((low >> 2 & 7) == 2 && (low >> 5 & 7) == 2, "8.1.3.8.2",
             "Media_Type or Memory_Class is not 010b");
    }
    if (r == 0) memory_size_ = size;
    const uint32_t high = co_await io_.read_config(range + 8);
    const uint32_t base = co_await io_.read_config(range + 12);
    expect(high == 0 && base == 0, "8.1.3.8.3", "a range whose base is not zero after reset");
  }
}

Task<void> Enumerator::check_other_dvsecs() {
  if (dvsecs_.contains(5)) {
    const uint32_t header = co_await io_.read_config(dvsecs_[5] + 4);
    expect((header >> 16 & 0xf) == 0 && header >> 20 >= 0x10, "8.1.7",
           "DVSEC 5 is not of length 10h");
    const unsigned duration = co_await io_.read_config16(dvsecs_[5] + 0x0a);
    expect((duration >> 8 & 0xf) <= 7, "8.1.7.1", "a reserved time scale");
  }
  if (dvsecs_.contains(7)) {
    const uint32_t at = dvsecs_[7];
    const uint32_t header = co_await io_.read_config(at + 4);
    expect((header >> 16 & 0xf) == 1 && header >> 20 >= 0x14, "8.2.1.3",
           "DVSEC 7 is not of revision 1, length 14h");
    const unsigned capability = co_await io_.read_config16(at + 0x0a);
    expect((capability & 0x26) == 0x26, "8.2.1.3.1", "the port is not IO, Mem and 2.0 capable");
    const unsigned status = co_await io_.read_config16(at + 0x0e);
    expect((status & 0x27) == 0x26, "8.2.1.3.3",
           "IO, Mem and 2.0 were not negotiated, or CXL.cache was");
  }
}

Task<bool> Enumerator::size_bars() {
  uint64_t next_low = kLowBar;
  uint64_t next_high = kHighBar;
  for (unsigned n = 0; n < 6; ++n) {
    const uint32_t at = 0x10 + 4 * n;
    const uint32_t flags = co_await io_.read_config(at);
    co_await io_.write_config(at, 0xffff'ffff);
    const uint32_t low = co_await io_.read_config(at);
    if (low == 0) continue;
    if ((flags & 1) != 0) {
      remark("an I/O BAR");
      continue;
    }
    const bool wide = (flags >> 1 & 3) == 2;
    uint64_t mask = (low & ~0xfU) | 0xffff'ffff'0000'0000;
    if (wide) {
      expect(n < 5, "PCIe 7.5.1.2.1", "a 64-bit BAR in the last place");
      co_await io_.write_config(at + 4, 0xffff'ffff);
      mask = static_cast<uint64_t>(co_await io_.read_config(at + 4)) << 32 | (low & ~0xfU);
    }
    const uint64_t size = ~mask + 1;
    if (size == 0 || !std::has_single_bit(size)) {
      broken("PCIe 7.5.1.2.1", "a BAR whose size is no power of two");
      co_return false;
    }
    uint64_t& next = wide && knobs_.bar_above_4g ? next_high : next_low;
    next = (next + size - 1) & ~(size - 1);
    bar_base_[n] = next;
    bar_size_[n] = size;
    next += size;
    co_await io_.write_config(at, static_cast<uint32_t>(bar_base_[n]));
    if (wide) co_await io_.write_config(at + 4, static_cast<uint32_t>(bar_base_[n] >> 32));
    const uint32_t back = co_await io_.read_config(at);
    expect((back & ~0xfU) == static_cast<uint32_t>(bar_base_[n]), "PCIe 7.5.1.2.1",
           "a BAR that does not hold its base");
    if (wide) ++n;
  }
  // Memory Space and Bus Master, SERR; all error reporting.
  co_await io_.write_config16(0x04, 0x0146);
  if (machine_.pcie != 0) co_await io_.write_config(machine_.pcie + 8, 0x000f'280f, 0xf);
  co_return true;
}

Task<bool> Enumerator::locate_registers() {
  if (!dvsecs_.contains(8)) co_return false;
  const uint32_t at = dvsecs_[8];
  const uint32_t header = co_await io_.read_config(at + 4);
  const uint32_t length = header >> 20;
  expect((header >> 16 & 0xf) == 0 && length >= 0x14 && (length - 0x0c) % 8 == 0, "8.1.9",
         "a length of DVSEC 8 that fits no number of blocks");
  for (uint32_t entry = at + 0x0c; entry + 8 <= at + length; entry += 8) {
    const uint32_t low = co_await io_.read_config(entry);
    const uint32_t high = co_await io_.read_config(entry + 4);
    const unsigned bar = low & 7;
    const unsigned block = low >> 8 & 0xff;
    if (block == 0) continue;
    const uint64_t offset = static_cast<uint64_t>(high) << 32 | (low & 0xffff'0000);
    if (bar > 5 || bar_size_[bar] == 0 || offset + 0x1000 > bar_size_[bar]) {
      broken("8.1.9", "a register block outside its BAR");
      continue;
    }
    uint64_t* place = block == 1 ? &machine_.component : block == 3 ? &machine_.device : nullptr;
    if (place == nullptr) continue;
    if (*place != 0) broken("8.1.9", "a register block identifier that is there twice");
    *place = bar_base_[bar] + offset;
    machine_.bar_base = bar_base_[bar];
    machine_.bar_size = bar_size_[bar];
    if (block == 1 && offset + 0x1'0000 > bar_size_[bar])
      broken("8.2.4", "component registers of less than 64 KB");
  }
  expect(machine_.component != 0, "8.1.9", "no component registers");
  expect(machine_.device != 0, "8.1.12.1", "class code 050210h without memory device registers");
  co_return machine_.component != 0;
}

Task<void> Enumerator::check_component() {
  const uint64_t base = machine_.component + 0x1000;
  const uint32_t header = co_await io_.read32(base);
  expect((header & 0xfffff) == 0x10001 && (header >> 20 & 0xf) == 1, "8.2.5.1",
         "no CXL capability header of version 1");
  const unsigned count = header >> 24;
  for (unsigned n = 1; n <= count; ++n) {
    const uint32_t entry = co_await io_.read32(base + 4 * n);
    const unsigned version = entry >> 16 & 0xf;
    const uint64_t at = base + (entry >> 20);
    switch (entry & 0xffff) {
      case 2:
        machine_.ras = at;
        expect(version == 2, "8.2.5.2", "a RAS capability that is not of version 2");
        break;
      case 4:
        machine_.link = at;
        expect(version == 2 || version == 1, "8.2.5.4", "a link capability of an unknown version");
        break;
      case 5:
        machine_.hdm = at;
        expect(version == 1, "8.2.5.5", "an HDM decoder capability that is not of version 1");
        break;
      case 3:
      case 6:
      case 8:
        broken("8.2.5", "a capability that a device must not have");
        break;
      default:
        break;
    }
  }
  expect(machine_.ras != 0 && machine_.link != 0 && machine_.hdm != 0, "8.2.5",
         "RAS, link or HDM decoder capability is missing");
  if (machine_.ras != 0) co_await check_ras();
  if (machine_.link != 0) co_await check_link();
}

Task<void> Enumerator::check_link() {
  const uint64_t at = machine_.link;
  const uint64_t capability = co_await read64(at);
  expect((capability & 0xf) == 2, "8.2.5.11.1", "a link layer that does not support version 2");
  const uint64_t timer = co_await read64(at + 0x28);
  expect((timer & 0xff) >= 0x10 && (timer >> 8 & 0x3ff) >= 0x20, "8.2.5.11.6",
         "Ack timer values below their minimum");
  if (link_written_) {
    co_await expect_link_registers();
    co_await end_link_stalls();
  }
  const uint64_t control = co_await read64(at + 8);
  expect((control >> 3 & 3) == 3, "8.2.5.11.2", "INIT_State is not INIT_DONE on a link that works");
  const uint64_t credits = co_await read64(at + 0x10);
  request_credits_ = credits >> 30 & 0x3ff;
  data_credits_ = credits >> 40 & 0x3ff;
  expect(request_credits_ != 0 && data_credits_ != 0, "8.2.5.11.3",
         "a device of CXL.mem that gives no credits for requests or data");
}

// The order is that of the compliance test for sticky registers: all are written, a hot reset
// follows, all read as written. Credits of CXL.cache, which the device has not, stay 0.
Task<void> Enumerator::write_link_registers() {
  using S = LinkSettings;
  const uint64_t at = machine_.link;
  io_.write64(at, 2 | S::kWrap << 8);
  io_.write64(at + 0x10, S::kMemReq << 30 | S::kMemData << 40);
  io_.write32(at + 0x28, S::kAckForce | S::kFlush << 8);
  io_.write32(at + 0x30, 1);
  io_.write64(at + 8, 6);  // LL_Init_Stall, LL_Crd_Stall
  link_written_ = true;
  co_await expect_link_registers();
}

Task<void> Enumerator::expect_link_registers() {
  using S = LinkSettings;
  const uint64_t at = machine_.link;
  const uint64_t capability = co_await read64(at);
  expect((capability >> 8 & 0xff) == S::kWrap, "8.2.5.11.1",
         "LLR_Wrap_Value_Supported is not held, over a hot reset too (RWS)");
  expect(((co_await read64(at + 8)) & 6) == 6, "8.2.5.11.2",
         "LL_Init_Stall and LL_Crd_Stall are not held, over a hot reset too (RWS)");
  const uint64_t credits = co_await read64(at + 0x10);
  expect((credits >> 30 & 0x3ff) == S::kMemReq && (credits >> 40 & 0x3ff) == S::kMemData,
         "8.2.5.11.3", "the credits to give are not held, over a hot reset too (RWS)");
  expect(((co_await io_.read32(at + 0x28)) & 0x3ffff) == (S::kAckForce | S::kFlush << 8),
         "8.2.5.11.6", "the Ack timers are not held, over a hot reset too (RWS)");
  expect(((co_await io_.read32(at + 0x30)) & 1) == 1, "8.2.5.11.7",
         "MDH Disable is not held, over a hot reset too (RWS)");
}

// Both stalls outlive the hot reset and hold the link layer back until software ends them.
Task<void> Enumerator::end_link_stalls() {
  const uint64_t at = machine_.link + 8;
  const auto state = [](uint64_t control) { return control >> 3 & 3; };
  expect(state(co_await read64(at)) == 0, "8.2.5.11.2",
         "INIT_State says that INIT.Param was sent although LL_Init_Stall is set");
  io_.write64(at, 4);
  for (uint64_t n = 0; n < kPolls && state(co_await read64(at)) < 2; ++n) {
    co_await io_.sleep(kPollInterval);
  }
  expect(state(co_await read64(at)) == 2, "8.2.5.11.2",
         "INIT_State is not CRD_RETURN_STALL with LL_Crd_Stall");
  io_.write64(at, 0);
  for (uint64_t n = 0; n < kPolls && state(co_await read64(at)) != 3; ++n) {
    co_await io_.sleep(kPollInterval);
  }
}

Task<void> Enumerator::check_ras() {
  // Errors of before this reset are sticky and no fault; they are cleared.
  const uint32_t mask = co_await io_.read32(machine_.ras + 4);
  const uint32_t severity = co_await io_.read32(machine_.ras + 8);
  expect((mask & ~0x1cfffU) == 0 && (severity & ~0x1cfffU) == 0, "8.2.5.9.2",
         "reserved bits of the RAS masks are not zero");
  const uint32_t control = co_await io_.read32(machine_.ras + 0x14);
  expect((control & 1U << 13) != 0, "8.2.5.9.5", "Poison_Enabled is not 1 in a device");
  // Whoever clears it all the same sees poison logged as the correctable error that it is
  // (Host::last_checks).
  io_.write32(machine_.ras + 0x14, 0);
  const uint32_t still = co_await io_.read32(machine_.ras + 0x14);
  expect((still & 1U << 13) != 0, "8.2.5.9.5",
         "Poison_Enabled, hardwired to 1 in a CXL 2.0 device, can be cleared");
  io_.write32(machine_.ras, 0xffff'ffff);
  io_.write32(machine_.ras + 0x0c, 0xffff'ffff);
  io_.write32(machine_.ras + 4, 0);
  io_.write32(machine_.ras + 0x10, 0);
  const uint32_t unmasked = co_await io_.read32(machine_.ras + 4);
  expect((unmasked & 0xc00) == 0, "8.2.5.9.2", "the RAS mask cannot be cleared");
  const uint32_t status = co_await io_.read32(machine_.ras);
  expect(status == 0, "8.2.5.9.1", "an uncorrectable error although nothing was wrong");
}

Task<void> Enumerator::check_device_registers() {
  const uint64_t base = machine_.device;
  const uint64_t array = co_await read64(base);
  expect((array & 0xffff'ffff) == 0x10000, "8.2.8.1", "no device capabilities array of version 1");
  if ((array & 0xffff'ffff) != 0x10000) co_return;  // nothing to walk
  const unsigned count = array >> 32 & 0xffff;
  uint64_t status = 0, mailbox = 0, memory_status = 0;
  for (unsigned n = 1; n <= count; ++n) {
    const uint64_t entry = co_await read64(base + 0x10 * n);
    const unsigned id = entry & 0xffff;
    const uint64_t at = base + (entry >> 32);
    if (id == 1) status = at;
    if (id == 2) mailbox = at;
    if (id == 0x4000) memory_status = at;
  }
  expect(status != 0, "8.2.8.2.1", "no device status registers");
  expect(mailbox != 0, "8.2.8.2.1", "no primary mailbox");
  expect(memory_status != 0, "8.2.8.5", "no memory device status registers");
  if (memory_status != 0) {
    const uint64_t value = co_await read64(memory_status);
    expect((value & 3) == 0 && (value >> 2 & 3) == 1 && (value >> 4 & 1) == 1, "8.2.8.5.1.1",
           "the media or the mailbox is not ready");
  }
  if (mailbox == 0) co_return;
  const uint32_t size = (co_await io_.read32(mailbox)) & 0x1f;
  expect(size >= 8 && size <= 20, "8.2.8.4.3", "a mailbox payload outside 256 bytes to 1 MB");
  // Identify Memory Device: doorbell clear, command, doorbell, poll, status, payload (8.2.8.4).
  expect(((co_await io_.read32(mailbox + 4)) & 1) == 0, "8.2.8.4.4",
         "the doorbell is set after reset");
  io_.write64(mailbox + 8, 0x4000);
  io_.write32(mailbox + 4, 1);
  bool done = false;
  for (uint64_t n = 0; n < kPolls && !done; ++n) {
    done = ((co_await io_.read32(mailbox + 4)) & 1) == 0;
    if (!done) co_await io_.sleep(kPollInterval);
  }
  expect(done, "8.2.8.4", "a mailbox command that does not end");
  if (!done) co_return;
  const uint64_t result = co_await read64(mailbox + 0x10);
  expect((result >> 32 & 0xffff) == 0, "8.2.9.5.1.1", "Identify Memory Device fails");
  const uint64_t command = co_await read64(mailbox + 8);
  expect((command >> 16 & 0x1f'ffff) == 0x43, "8.2.9.5.1.1",
         "Identify Memory Device does not give 43h bytes");
  const uint64_t capacity = (co_await read64(mailbox + 0x20 + 0x10)) << 28;
  expect(capacity == memory_size_, "8.2.9.5.1.1",
         "the capacity of Identify is not that of DVSEC 0");
}

Task<bool> Enumerator::program_range() {
  const uint32_t at = machine_.dvsec_device;
  co_await io_.write_config(at + 0x20, static_cast<uint32_t>(machine_.window_base >> 32));
  co_await io_.write_config(at + 0x24, static_cast<uint32_t>(machine_.window_base));
  const uint32_t low = co_await io_.read_config(at + 0x24);
  expect((low & 0xf000'0000) == (machine_.window_base & 0xf000'0000), "8.1.3.8.4",
         "a range base that is not held");
  co_return true;
}

Task<bool> Enumerator::program_decoder() {
  if (machine_.hdm == 0) co_return false;
  const uint64_t at = machine_.hdm;
  const uint32_t capability = co_await io_.read32(at);
  expect((capability & 0xf) <= 5, "8.2.5.12.1", "a reserved decoder count");
  expect((capability >> 8 & 3) != 0, "8.2.5.12.1", "a device that interleaves on no address bits");
  expect((co_await io_.read32(at + 4)) == 0, "8.2.5.12.2",
         "HDM global control is not zero after reset");
  uint32_t control = co_await io_.read32(at + 0x20);
  expect((control & 0x600) == 0, "8.2.5.12.7", "decoder 0 is committed after reset");
  io_.write32(at + 0x10, static_cast<uint32_t>(machine_.window_base));
  io_.write32(at + 0x14, static_cast<uint32_t>(machine_.window_base >> 32));
  io_.write32(at + 0x18, static_cast<uint32_t>(machine_.window_size));
  io_.write32(at + 0x1c, static_cast<uint32_t>(machine_.window_size >> 32));
  io_.write32(at + 0x24, 0);
  io_.write32(at + 0x28, 0);
  const uint32_t wanted = 1U << 12 | (knobs_.lock_on_commit ? 1U << 8 : 0U);
  io_.write32(at + 0x20, wanted);
  io_.write32(at + 0x20, wanted | 1U << 9);
  for (uint64_t n = 0; n < kPolls; ++n) {
    control = co_await io_.read32(at + 0x20);
    if ((control & 0xc00) != 0) break;
    co_await io_.sleep(kPollInterval);
  }
  expect((control & 0xc00) == 0x400, "8.2.5.12.20",
         "a right decoder setting that is not committed");
  expect((control & 0x3ff) == (wanted & 0x1ff) + 0x200, "8.2.5.12.7",
         "decoder control bits that are not held");
  if (knobs_.lock_on_commit) {
    io_.write32(at + 0x14, 0x5a5a'5a5a);
    expect((co_await io_.read32(at + 0x14)) == static_cast<uint32_t>(machine_.window_base >> 32),
           "8.2.5.12.21", "a locked decoder was changed");
  }
  io_.write32(at + 4, 2);
  expect(((co_await io_.read32(at + 4)) & 3) == 2, "8.2.5.12.2", "HDM Decoder Enable is not held");
  co_return (control & 0x400) != 0;
}

Task<bool> Enumerator::enable() {
  const uint32_t at = machine_.dvsec_device;
  const auto control = static_cast<uint16_t>(0x0006 | (knobs_.viral_enable ? 0x4000 : 0));
  co_await io_.write_config16(at + 0x0c, control);
  const unsigned back = co_await io_.read_config16(at + 0x0c);
  expect((back & 0x4007) == control, "8.1.3.2", "Mem_Enable or Viral_Enable is not held");
  if (knobs_.config_lock) {
    co_await io_.write_config16(at + 0x14, 1);
    co_await io_.write_config16(at + 0x0c, 0x0002);
    const unsigned locked = co_await io_.read_config16(at + 0x0c);
    expect((locked & 0x4007) == control, "8.1.3.6", "CONFIG_LOCK does not lock CXL Control");
    co_await io_.write_config16(at + 0x14, 0);
    expect(((co_await io_.read_config16(at + 0x14)) & 1) == 1, "8.1.3.6",
           "CONFIG_LOCK can be cleared");
  }
  const unsigned status2 = co_await io_.read_config16(at + 0x12);
  if (!io_.pm_ready()) remark("no answer to AGENT_INFO of the PM initialisation (S20 3.1.2.1)");
  if ((status2 >> 15 & 1) == 0)
    remark("Power Management Initialization Complete does not come (S20 8.1.3.5)");
  co_return (back & 4) != 0;
}

Task<void> Enumerator::write_vendor() {
  for (const VendorWrite& one : knobs_.vendor) {
    io_.write32(machine_.bar_base + one.offset, one.value);
    expect(co_await io_.read32(machine_.bar_base + one.offset) == one.value, "vendor",
           "a register of the vendor does not hold what is written");
  }
}

}  // namespace peer
