// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
#include "sim/firmware/function.hpp"

#include <fmt/format.h>

#include "common/input_error.hpp"
#include "common/register_types.hpp"

namespace cxlgpu {

namespace component = regs::component;
namespace flex_bus = regs::dvsec_flex_bus;
namespace header = regs::pci_header0;  // of what both types have
namespace locator = regs::dvsec_locator;
using namespace config_header;

namespace {

constexpr std::uint32_t kExtended = 0x100;
constexpr unsigned kMostCapabilities = 64;  // a longer chain bites its own tail
constexpr std::uint16_t kFlexBusPort = 7, kRegisterLocator = 8;
constexpr unsigned kComponentBlock = 1, kDeviceBlock = 3;
constexpr std::uint16_t kArrayId = 1;
constexpr std::uint32_t kWideBar = 2;

constexpr Function::Kind kRootPort{"root port", "use a root port of CXL 2.0", 2};
constexpr Function::Kind kEndpoint{"port", "connect a CXL 2.0 memory device", 6};

}  // namespace

FirmwareJob place_bars(IoThread io, std::uint64_t function, std::vector<Bar> bars) {
  for (const Bar& bar : bars) {
    const std::uint64_t at = function | (kFirstBar + 4 * bar.index);
    co_await io.config_write(at, static_cast<std::uint32_t>(bar.base));
    if (bar.wide) co_await io.config_write(at + 4, static_cast<std::uint32_t>(bar.base >> 32));
  }
  co_return Done{};
}

Function root_port_function(const IoPort& io) {
  return {io, kRootPort, 0, io.number()};
}
Function endpoint_function(const IoPort& io) {
  return {io, kEndpoint, bus_below(io.number()), 0};
}

void Function::refuse(const std::string& what, const std::string& remedy) const {
  throw InputError(fmt::format("{} {}: {}; {}", kind_.who, io_.number(), what, remedy));
}

std::uint32_t Function::read(std::uint32_t offset) {
  return io_.succeed({.op = IoOp::kCfgRd0, .addr = address(offset), .enables = IoPort::kAllBytes});
}

std::uint32_t Function::read16(std::uint32_t offset) {
  return read(offset & ~3u) >> (8 * (offset & 2)) & 0xffff;
}

void Function::write(std::uint32_t offset, std::uint32_t value) {
  io_.succeed(
      {.op = IoOp::kCfgWr0, .addr = address(offset), .enables = IoPort::kAllBytes, .data = value});
}

bool Function::identify() {
  const IoResponse id =
      io_.request({.op = IoOp::kCfgRd0, .addr = address(kId), .enables = IoPort::kAllBytes});
  vendor_ = static_cast<std::uint16_t>(header::VendorReg::from(id.data).id);
  device_ = static_cast<std::uint16_t>(header::DeviceReg::from(id.data >> 16).id);
  return id.status == CplStatus::kSuccess && vendor_ != 0xffff;
}

std::string Function::name() const {
  return fmt::format("{:04x}:{:04x}", vendor_, device_);
}

std::optional<std::uint32_t> Function::capability(std::uint8_t id) {
  std::uint32_t at = read(kCapabilities) & 0xfc;
  for (unsigned n = 0; at != 0 && n < kMostCapabilities; ++n) {
    const auto found = regs::pcie::CapHeaderReg::from(read(at));  // as all have it
    if (found.id == id) return at;
    at = found.next & 0xfc;
  }
  return std::nullopt;
}

void Function::find_dvsecs() {
  std::uint32_t at = kExtended;
  for (unsigned n = 0; at >= kExtended; ++n) {
    if (n == kMostCapabilities) {
      refuse("its chain of extended capabilities does not end", "replace the device");
    }
    const auto found = locator::CapHeaderReg::from(read(at));  // these three as all DVSECs
    if (found.id == locator::CapHeaderReg{}.id) {
      const auto dvsec = locator::DvsecHeaderReg::from(read(at + locator::kDvsecHeader));
      const auto id = locator::DvsecIdReg::from(read16(at + locator::kDvsecId)).id;
      dvsecs_.try_emplace(
          {static_cast<std::uint16_t>(dvsec.vendor), static_cast<std::uint16_t>(id)}, at);
    }
    at = found.next;
  }
}

std::optional<std::uint32_t> Function::dvsec(std::uint16_t vendor, std::uint16_t id) const {
  const auto found = dvsecs_.find({vendor, id});
  if (found == dvsecs_.end()) return std::nullopt;
  return found->second;
}

std::uint32_t Function::require_dvsec(std::uint16_t id, const char* what) const {
  const auto found = dvsec(kCxlVendor, id);
  if (found) return *found;
  refuse(fmt::format("device {} has no DVSEC {} ({}) of vendor {:04x}h", name(), id, what,
                     kCxlVendor));
}

void Function::require_cxl_mem() {
  const std::uint32_t at = require_dvsec(kFlexBusPort, "Flex Bus port");
  const std::uint32_t word = read16(at + flex_bus::kStatus);
  const auto status = flex_bus::StatusReg::from(word);
  if (status.io && status.mem && status.cxl2) return;
  refuse(fmt::format("the link was not trained to CXL 2.0 with CXL.mem (status {:04x}h)", word),
         "check both ends and retrain");
}

std::uint64_t Function::bar(unsigned index, MmioSpace& space) {
  for (const Bar& known : bars_) {
    if (known.index == index) return known.base;
  }
  if (index >= kind_.bars) refuse(fmt::format("BAR {} is named", index), "replace the device");
  const std::uint32_t at = kFirstBar + 4 * index;
  write(at, 0xffff'ffff);
  const std::uint32_t low = read(at);
  const auto kind = header::Bar0LowReg::from(low);  // its base is as wide as this BAR is large
  const bool wide = kind.kind == kWideBar && index + 1 < kind_.bars;
  std::uint32_t high = 0xffff'ffff;
  if (wide) {
    write(at + 4, high);
    high = read(at + 4);
  }
  const std::uint64_t size = ~(std::uint64_t{high} << 32 | (low & ~0xfu)) + 1;
  if (kind.io_space || (low & ~0xfu) == 0 || size > MmioSpace::kEnd - MmioSpace::kBase) {
    refuse(fmt::format("BAR {} cannot be placed (it reads {:08x}h)", index, low),
           "replace the device");
  }
  const auto base = space.take(size);
  if (!base) refuse("its BARs do not fit into memory space below 4 GiB", "use fewer ports");
  bars_.push_back({index, *base, wide});
  io_.run([&](const IoThread& io) { return place_bars(io, base_, {bars_.back()}); });
  return *base;
}

std::uint64_t Function::located(std::uint32_t entry, MmioSpace& space) {
  const auto low = locator::EntryLowReg::from(read(entry + locator::kEntryLow));
  const auto high = locator::EntryHighReg::from(read(entry + locator::kEntryHigh));
  return bar(low.bir, space) + (std::uint64_t{high.offset} << 32) +
         locator::kEntryLowOffset.put(low.offset);
}

std::uint64_t Function::register_block(unsigned id, const char* what, MmioSpace& space) {
  const std::uint32_t at = require_dvsec(kRegisterLocator, "register locator");
  const auto dvsec = locator::DvsecHeaderReg::from(read(at + locator::kDvsecHeader));
  const std::uint32_t end = at + dvsec.length;
  for (std::uint32_t entry = at + locator::kEntry; entry + locator::kEntryStride <= end;
       entry += locator::kEntryStride) {
    if (locator::EntryLowReg::from(read(entry + locator::kEntryLow)).id == id) {
      return located(entry, space);
    }
  }
  refuse(fmt::format("the register locator names no {}", what));
}

std::uint64_t Function::component_block(MmioSpace& space) {
  return register_block(kComponentBlock, "component registers", space);
}

std::uint64_t Function::device_block(MmioSpace& space) {
  return register_block(kDeviceBlock, "CXL device registers", space);
}

std::uint64_t Function::structure(std::uint64_t block, std::uint16_t id, const char* what) {
  const auto array = component::HeaderReg::from(io_.read(block + component::kHeader));
  for (unsigned n = 0; n < array.array_size && array.id == kArrayId; ++n) {
    const auto entry = component::EntryHeaderReg::from(
        io_.read(block + component::kEntry + component::kEntryStride * std::uint64_t{n}));
    if (entry.id != id) continue;
    return block + component::kHeader + entry.offset;
  }
  refuse(fmt::format("the component registers have no {} capability", what));
}

}  // namespace cxlgpu
