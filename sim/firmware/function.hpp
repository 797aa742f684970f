// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
// A function in configuration space, of either header type, with what CXL puts into it.
//
// Purpose: who is there, capabilities and DVSECs, BARs and the register blocks behind them.
// Units:   byte offsets in configuration space; addresses in memory space.
// Errors:  InputError, one line: port, what is wrong, what to do.
// Source:  PCI Express Base 5.0, 7.5, 7.9.6; CXL 2.0, 8.1, 8.2.4, 8.2.5, 8.2.8.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "common/register_types.hpp"
#include "sim/firmware/io_port.hpp"
#include "sim/firmware/mmio_space.hpp"

namespace cxlgpu {

// Common to both header types.
namespace config_header {
inline constexpr std::uint32_t kId = regs::pci_header0::kVendor,
                               kCommand = regs::pci_header0::kCommand,
                               kClass = regs::pci_header0::kRevision,
                               kHeaderType = regs::pci_header0::kHeaderType,
                               kFirstBar = regs::pci_header0::kBar0Low,
                               kCapabilities = regs::pci_header0::kCapabilities;
inline constexpr std::uint32_t kMemorySpace = regs::pci_header0::kCommandMemorySpace.mask(),
                               kBusMaster = regs::pci_header0::kCommandBusMaster.mask();
static_assert(kCommand == regs::pci_header1::kCommand &&
              kHeaderType == regs::pci_header1::kHeaderType &&
              kFirstBar == regs::pci_header1::kBar0Low &&
              kCapabilities == regs::pci_header1::kCapabilities);
}  // namespace config_header

inline constexpr std::uint16_t kCxlVendor = 0x1e98;

// A BAR that has its place.
struct Bar {
  unsigned index = 0;
  std::uint64_t base = 0;
  bool wide = false;  // 64 bits
};
// Gives BARs of the function at `function` in configuration space their places.
FirmwareJob place_bars(IoThread io, std::uint64_t function, std::vector<Bar> bars);

class Function {
 public:
  struct Kind {
    const char* who;     // begins the line of a refusal, before the port's number
    const char* remedy;  // for a function that is not what it should be
    unsigned bars;
  };
  Function(const IoPort& io, const Kind& kind, unsigned bus, unsigned device)
      : io_(io), kind_(kind), base_(std::uint64_t{bus} << 20 | std::uint64_t{device} << 15) {}

  [[noreturn]] void refuse(const std::string& what, const std::string& remedy) const;
  [[noreturn]] void refuse(const std::string& what) const { refuse(what, kind_.remedy); }

  [[nodiscard]] IoPort& io() { return io_; }
  [[nodiscard]] std::uint64_t address(std::uint32_t offset) const { return base_ | offset; }
  std::uint32_t read(std::uint32_t offset);
  std::uint32_t read16(std::uint32_t offset);
  void write(std::uint32_t offset, std::uint32_t value);

  // Reads who it is; false if nobody answers.
  [[nodiscard]] bool identify();
  [[nodiscard]] std::uint16_t vendor() const { return vendor_; }
  [[nodiscard]] std::uint16_t device() const { return device_; }
  [[nodiscard]] std::string name() const;  // vendor:device
  std::uint32_t class_code() { return read(config_header::kClass) >> 8; }
  unsigned header_type() {
    return regs::pci_header0::HeaderTypeReg::from(read16(config_header::kHeaderType)).layout;
  }

  // Offset of a capability of the first 256 bytes.
  std::optional<std::uint32_t> capability(std::uint8_t id);
  // Walks the extended capabilities, for the next two.
  void find_dvsecs();
  [[nodiscard]] std::optional<std::uint32_t> dvsec(std::uint16_t vendor, std::uint16_t id) const;
  [[nodiscard]] std::uint32_t require_dvsec(std::uint16_t id, const char* what) const;
  // By DVSEC 7: the link carries CXL 2.0 with io and mem.
  void require_cxl_mem();

  // Base of a BAR; sized and placed when first asked for.
  std::uint64_t bar(unsigned index, MmioSpace& space);
  [[nodiscard]] const std::vector<Bar>& bars() const { return bars_; }
  // What an entry of a register locator, or one laid out alike, points at.
  std::uint64_t located(std::uint32_t entry, MmioSpace& space);
  // Component registers and CXL device registers, by the register locator.
  std::uint64_t component_block(MmioSpace& space);
  std::uint64_t device_block(MmioSpace& space);
  // A structure in them by its ID, once memory space is on.
  std::uint64_t structure(std::uint64_t block, std::uint16_t id, const char* what);

 private:
  std::uint64_t register_block(unsigned id, const char* what, MmioSpace& space);

  IoPort io_;
  Kind kind_;
  std::uint64_t base_;
  std::uint16_t vendor_ = 0, device_ = 0;
  std::map<std::pair<std::uint16_t, std::uint16_t>, std::uint32_t> dvsecs_;  // by vendor and ID
  std::vector<Bar> bars_;
};

// Root ports are the devices of bus 0, and each has one bus below it.
[[nodiscard]] constexpr unsigned bus_below(unsigned port) {
  return port + 1;
}
// Configuration addresses of the root port and of the endpoint below it.
[[nodiscard]] constexpr std::uint64_t root_port_register(unsigned port, std::uint32_t offset) {
  return std::uint64_t{port} << 15 | offset;
}
[[nodiscard]] constexpr std::uint64_t endpoint_register(unsigned port, std::uint32_t offset) {
  return std::uint64_t{bus_below(port)} << 20 | offset;
}
[[nodiscard]] Function root_port_function(const IoPort& io);
[[nodiscard]] Function endpoint_function(const IoPort& io);

}  // namespace cxlgpu
