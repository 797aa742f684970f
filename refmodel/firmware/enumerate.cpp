#include "refmodel/firmware/enumerate.hpp"

#include <fmt/format.h>

#include <map>
#include <utility>

#include "refmodel/common/input_error.hpp"
#include "refmodel/common/registers.hpp"
#include "refmodel/firmware/io_port.hpp"

namespace cxlgpu {

namespace component = regs::component;
namespace device_dvsec = regs::dvsec_device;
namespace flex_bus = regs::dvsec_flex_bus;
namespace hdm = regs::hdm;
namespace locator = regs::dvsec_locator;
namespace vendor_dvsec = regs::dvsec_vendor;

namespace {

// Type 0 header.
constexpr std::uint32_t kId = 0x00, kCommand = 0x04, kClass = 0x08, kHeaderType = 0x0c,
                        kFirstBar = 0x10;
constexpr unsigned kBars = 6;
constexpr std::uint32_t kMemorySpace = 1u << 1, kBusMaster = 1u << 2;
constexpr std::uint32_t kExtended = 0x100, kDvsecCapability = 0x0023;
constexpr std::uint32_t kCxlClass =
    0x050210;  // memory, CXL, programming interface of a memory device
constexpr std::uint16_t kCxlVendor = 0x1e98;
constexpr std::uint16_t kCxlDevice = 0, kFlexBusPort = 7, kRegisterLocator = 8, kOurs = 1;
constexpr unsigned kMostCapabilities = 64;  // a longer chain bites its own tail

constexpr unsigned kComponentBlock = 1;
constexpr std::uint16_t kArrayId = 1, kHdmId = 5;

constexpr std::uint64_t kMmioBase = 0xc000'0000, kMmioEnd = 0xe000'0000;
constexpr unsigned kActivePolls = 10'000;

[[noreturn]] void refuse(unsigned port, const std::string& what, const std::string& remedy) {
  throw InputError(fmt::format("port {}: {}; {}", port, what, remedy));
}

unsigned decoders_of(std::uint32_t code) {  // CXL 2.0, 8.2.5.12.1; 3.x beyond 10
  constexpr unsigned kCounts[] = {1, 2, 4, 6, 8, 10, 12, 14, 16, 20, 24, 28, 32};
  return code < std::size(kCounts) ? kCounts[code] : 0;
}

DecoderAbility ability(std::uint32_t capability) {
  return {.decoders = decoders_of(hdm::kCapabilityCountCode.get(capability)),
          .targets = hdm::kCapabilityTargetCount.get(capability),
          .low = hdm::kCapabilityInterleaveLow.is_set(capability),
          .high = hdm::kCapabilityInterleaveHigh.is_set(capability)};
}

// One endpoint.
class Enumerator {
 public:
  Enumerator(RegisterBus& bus, unsigned port, std::uint64_t& next_bar)
      : io_(bus, port), next_bar_(next_bar) {
    info_.port = port;
  }

  EndpointInfo run() {
    identify();
    walk();
    check_negotiated();
    media();
    const std::uint64_t block = component_block();
    our_registers();
    io_.config_write(kCommand, kMemorySpace | kBusMaster);
    decoders(block);
    return info_;
  }

 private:
  void identify() {
    if (!io_.wait_for_link()) {
      refuse(info_.port, "no endpoint (the CXL.io link does not come up)",
             "connect one or lower system.ports");
    }
    const IoResponse id =
        io_.request({.op = IoOp::kCfgRd0, .addr = io_.config_address(kId), .enables = 0xf});
    if (id.status != CplStatus::kSuccess || (id.data & 0xffff) == 0xffff) {
      refuse(info_.port, "no endpoint (nobody answers configuration reads)",
             "connect one or lower system.ports");
    }
    info_.vendor = static_cast<std::uint16_t>(id.data);
    info_.device = static_cast<std::uint16_t>(id.data >> 16);
    const std::uint32_t kind = io_.config_read(kClass) >> 8;
    const bool type0 = (io_.config_read(kHeaderType) >> 16 & 0x7f) == 0;
    if (kind != kCxlClass || !type0) {
      refuse(info_.port,
             fmt::format("device {:04x}:{:04x} of class {:06x}h is no CXL memory device",
                         info_.vendor, info_.device, kind),
             fmt::format("connect one of class {:06x}h", kCxlClass));
    }
  }

  void walk() {
    std::uint32_t at = kExtended;
    for (unsigned n = 0; at >= kExtended && n < kMostCapabilities; ++n) {
      const std::uint32_t header = io_.config_read(at);
      if ((header & 0xffff) == kDvsecCapability) {
        const auto vendor =
            static_cast<std::uint16_t>(io_.config_read(at + device_dvsec::kDvsecHeader));
        const auto id = static_cast<std::uint16_t>(io_.config_read16(at + device_dvsec::kDvsecId));
        dvsecs_.try_emplace({vendor, id}, at);
      }
      at = header >> 20;
      if (n + 1 == kMostCapabilities && at >= kExtended) {
        refuse(info_.port, "its chain of extended capabilities does not end", "replace the device");
      }
    }
    info_.cxl_dvsec = require(kCxlDevice, "0 (CXL device)");
  }

  std::uint32_t require(std::uint16_t id, const char* what) {
    const auto found = dvsecs_.find({kCxlVendor, id});
    if (found == dvsecs_.end()) {
      refuse(info_.port,
             fmt::format("device {:04x}:{:04x} has no DVSEC {} of vendor {:04x}h", info_.vendor,
                         info_.device, what, kCxlVendor),
             "connect a CXL 2.0 memory device");
    }
    return found->second;
  }

  void check_negotiated() {
    const std::uint32_t at = require(kFlexBusPort, "7 (Flex Bus port)");
    const std::uint32_t status = io_.config_read16(at + flex_bus::kStatus);
    if (!flex_bus::kStatusIo.is_set(status) || !flex_bus::kStatusMem.is_set(status) ||
        !flex_bus::kStatusCxl2.is_set(status)) {
      refuse(
          info_.port,
          fmt::format("the link was not trained to CXL 2.0 with CXL.mem (status {:04x}h)", status),
          "check both ends and retrain");
    }
  }

  void media() {
    const std::uint32_t capability = io_.config_read16(info_.cxl_dvsec + device_dvsec::kCapability);
    const unsigned ranges = device_dvsec::kCapabilityHdmCount.get(capability);
    if (!device_dvsec::kCapabilityMem.is_set(capability) || ranges == 0) {
      refuse(info_.port, "the device has no CXL.mem or no HDM range", "connect a memory device");
    }
    for (unsigned range = 0; range < ranges; ++range) {
      const std::uint32_t at =
          info_.cxl_dvsec + device_dvsec::kRange + device_dvsec::kRangeStride * range;
      const std::uint32_t low = wait_active(at + device_dvsec::kRangeSizeLow, range);
      info_.bytes += std::uint64_t{io_.config_read(at + device_dvsec::kRangeSizeHigh)} << 32 |
                     (low & device_dvsec::kRangeSizeLowSize.mask());
    }
    if (info_.bytes == 0) refuse(info_.port, "the device has no media", "connect a memory device");
  }

  std::uint32_t wait_active(std::uint32_t offset, unsigned range) {
    for (unsigned poll = 0; poll < kActivePolls; ++poll) {
      const std::uint32_t low = io_.config_read(offset);
      if (device_dvsec::kRangeSizeLowInfoValid.is_set(low) &&
          device_dvsec::kRangeSizeLowActive.is_set(low)) {
        return low;
      }
    }
    refuse(info_.port, fmt::format("media of range {} does not become active", range + 1),
           "check the device's media");
  }

  // Address of what an entry of a register locator points at.
  std::uint64_t located(std::uint32_t low, std::uint32_t high) {
    return bar(locator::kEntryLowBir.get(low)) + (std::uint64_t{high} << 32) +
           (low & locator::kEntryLowOffset.mask());
  }

  // Base of a BAR; sized and assigned when first asked for.
  std::uint64_t bar(unsigned index) {
    const auto known = bars_.find(index);
    if (known != bars_.end()) return known->second;
    if (index >= kBars)
      refuse(info_.port, fmt::format("BAR {} is named", index), "replace the device");
    const std::uint32_t at = kFirstBar + 4 * index;
    io_.config_write(at, 0xffff'ffff);
    const std::uint32_t low = io_.config_read(at);
    const bool wide = (low & 6) == 4;
    std::uint32_t high = 0xffff'ffff;
    if (wide && index + 1 < kBars) {
      io_.config_write(at + 4, high);
      high = io_.config_read(at + 4);
    }
    const std::uint64_t size = ~(std::uint64_t{high} << 32 | (low & ~0xfu)) + 1;
    if ((low & 1) != 0 || (low & ~0xfu) == 0 || size > kMmioEnd - kMmioBase) {
      refuse(info_.port, fmt::format("BAR {} cannot be placed (it reads {:08x}h)", index, low),
             "replace the device");
    }
    const std::uint64_t base = (next_bar_ + size - 1) & ~(size - 1);
    if (base + size > kMmioEnd) {
      refuse(info_.port, "its BARs do not fit into memory space below 4 GiB", "use fewer ports");
    }
    next_bar_ = base + size;
    io_.config_write(at, static_cast<std::uint32_t>(base));
    if (wide) io_.config_write(at + 4, static_cast<std::uint32_t>(base >> 32));
    bars_[index] = base;
    return base;
  }

  std::uint64_t component_block() {
    const std::uint32_t at = require(kRegisterLocator, "8 (register locator)");
    const std::uint32_t header = io_.config_read(at + locator::kDvsecHeader);
    const std::uint32_t end = at + locator::kDvsecHeaderLength.get(header);
    for (std::uint32_t entry = at + locator::kEntry; entry + locator::kEntryStride <= end;
         entry += locator::kEntryStride) {
      const std::uint32_t low = io_.config_read(entry + locator::kEntryLow);
      if (locator::kEntryLowId.get(low) == kComponentBlock) {
        return located(low, io_.config_read(entry + locator::kEntryHigh));
      }
    }
    refuse(info_.port, "the register locator names no component registers",
           "connect a CXL 2.0 memory device");
  }

  // Ours only if the device's own vendor says so, the way this DVSEC is defined.
  void our_registers() {
    const auto found = dvsecs_.find({info_.vendor, kOurs});
    if (found == dvsecs_.end()) return;
    const std::uint32_t at = found->second;
    const std::uint32_t capability = io_.config_read16(at + vendor_dvsec::kCapability);
    if (vendor_dvsec::kCapabilityLength.is_set(capability) &&
        vendor_dvsec::kCapabilityGranule.get(capability) == 8) {
      info_.max_spec_granules = vendor_dvsec::kCapabilityMax.get(capability);
    }
    info_.vendor_base = located(io_.config_read(at + vendor_dvsec::kBlockLow),
                                io_.config_read(at + vendor_dvsec::kBlockHigh));
  }

  void decoders(std::uint64_t block) {
    const std::uint32_t header = io_.read(block + component::kHeader);
    const unsigned entries = component::kHeaderArraySize.get(header);
    for (unsigned n = 0; n < entries && component::kHeaderId.get(header) == kArrayId; ++n) {
      const std::uint32_t entry =
          io_.read(block + component::kEntry + component::kEntryStride * std::uint64_t{n});
      if (component::kEntryHeaderId.get(entry) != kHdmId) continue;
      info_.hdm_base = block + component::kHeader + component::kEntryHeaderOffset.get(entry);
      info_.hdm = ability(io_.read(info_.hdm_base + hdm::kCapability));
      return;
    }
    refuse(info_.port, "the component registers have no HDM decoder capability",
           "connect a CXL 2.0 memory device");
  }

  IoPort io_;
  std::uint64_t& next_bar_;
  EndpointInfo info_;
  std::map<std::pair<std::uint16_t, std::uint16_t>, std::uint32_t> dvsecs_;  // by vendor and ID
  std::map<unsigned, std::uint64_t> bars_;
};

}  // namespace

SystemInfo enumerate(RegisterBus& bus, unsigned ports) {
  SystemInfo system;
  system.host = ability(bus.read(RegisterSpace::HostBridge, 0, hdm::kCapability));
  std::uint64_t next_bar = kMmioBase;
  for (unsigned port = 0; port < ports; ++port) {
    system.endpoints.push_back(Enumerator(bus, port, next_bar).run());
  }
  return system;
}

}  // namespace cxlgpu
