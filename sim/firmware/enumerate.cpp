// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
#include "sim/firmware/enumerate.hpp"

#include <fmt/format.h>

#include "common/register_types.hpp"
#include "sim/firmware/device_mailbox.hpp"

namespace cxlgpu {

namespace device_dvsec = regs::dvsec_device;
namespace hdm = regs::hdm;
namespace vendor_dvsec = regs::dvsec_vendor;
using namespace config_header;

namespace {

// Memory, CXL, programming interface of a memory device.
constexpr std::uint32_t kCxlClass = 0x050210;
constexpr std::uint16_t kCxlDevice = 0, kOurs = 1;
constexpr std::uint16_t kHdmId = 5;
constexpr unsigned kActivePolls = 10'000;

unsigned decoders_of(std::uint32_t code) {  // CXL 2.0, 8.2.5.12.1; 3.x beyond 10
  constexpr unsigned kCounts[] = {1, 2, 4, 6, 8, 10, 12, 14, 16, 20, 24, 28, 32};
  return code < std::size(kCounts) ? kCounts[code] : 0;
}

DecoderAbility ability(std::uint32_t capability) {
  const auto fields = hdm::CapabilityReg::from(capability);
  return {.decoders = decoders_of(fields.count_code),
          .targets = fields.target_count,
          .low = fields.interleave_low,
          .high = fields.interleave_high};
}

class EndpointSetUp {
 public:
  explicit EndpointSetUp(const IoPort& io) : function_(endpoint_function(io)) {
    info_.port = io.number();
  }

  void set_up(MmioSpace& space) {
    identify();
    function_.find_dvsecs();
    info_.cxl_dvsec = function_.require_dvsec(kCxlDevice, "CXL device");
    function_.require_cxl_mem();
    media();
    function_.write(kCommand, 0);  // nothing decodes while BARs are sized
    block_ = function_.component_block(space);
    device_block_ = function_.device_block(space);
    our_registers(space);
  }

  // When the bridge lets memory requests pass.
  EndpointInfo open() {
    function_.io().run(switch_memory_space_on);
    info_.bars = function_.bars();
    info_.hdm_base = function_.structure(block_, kHdmId, "HDM decoder");
    info_.hdm = ability(function_.io().read(info_.hdm_base + hdm::kCapability));
    check_capacity();
    return info_;
  }

 private:
  void identify() {
    if (!function_.identify()) {
      function_.refuse("no endpoint (nobody answers configuration reads)",
                       "connect one or lower system.ports");
    }
    info_.vendor = function_.vendor();
    info_.device = function_.device();
    const std::uint32_t kind = function_.class_code();
    if (kind != kCxlClass || function_.header_type() != 0) {
      function_.refuse(
          fmt::format("device {} of class {:06x}h is no CXL memory device", function_.name(), kind),
          fmt::format("connect one of class {:06x}h", kCxlClass));
    }
  }

  void media() {
    const auto capability = device_dvsec::CapabilityReg::from(
        function_.read16(info_.cxl_dvsec + device_dvsec::kCapability));
    const unsigned ranges = capability.hdm_count;
    if (!capability.mem || ranges == 0) {
      function_.refuse("the device has no CXL.mem or no HDM range", "connect a memory device");
    }
    for (unsigned range = 0; range < ranges; ++range) {
      const std::uint32_t at =
          info_.cxl_dvsec + device_dvsec::kRange + device_dvsec::kRangeStride * range;
      const std::uint32_t low = wait_active(at + device_dvsec::kRangeSizeLow, range);
      info_.bytes += std::uint64_t{function_.read(at + device_dvsec::kRangeSizeHigh)} << 32 |
                     (low & device_dvsec::kRangeSizeLowSize.mask());
    }
    if (info_.bytes == 0) function_.refuse("the device has no media", "connect a memory device");
  }

  std::uint32_t wait_active(std::uint32_t offset, unsigned range) {
    for (unsigned poll = 0; poll < kActivePolls; ++poll) {
      const std::uint32_t low = function_.read(offset);
      const auto fields = device_dvsec::RangeSizeLowReg::from(low);
      if (fields.info_valid && fields.active) return low;
    }
    function_.refuse(fmt::format("media of range {} does not become active", range + 1),
                     "check the device's media");
  }

  // What Identify says must be what the ranges say.
  void check_capacity() {
    DeviceMailbox mailbox(function_, device_block_);
    mailbox.wait_ready();
    const std::uint64_t capacity = mailbox.capacity();
    if (capacity == info_.bytes) return;
    function_.refuse(fmt::format("Identify says {} MiB of media, the ranges of DVSEC 0 {} MiB",
                                 capacity >> 20, info_.bytes >> 20),
                     "replace the device");
  }

  // Ours only if the device's own vendor says so, the way this DVSEC is defined.
  void our_registers(MmioSpace& space) {
    const auto found = function_.dvsec(info_.vendor, kOurs);
    if (!found) return;
    const auto capability =
        vendor_dvsec::CapabilityReg::from(function_.read16(*found + vendor_dvsec::kCapability));
    if (capability.length && capability.granule == 8) info_.max_spec_granules = capability.max;
    info_.vendor_base = function_.located(*found + vendor_dvsec::kBlockLow, space);
  }

  Function function_;
  EndpointInfo info_;
  std::uint64_t block_ = 0;         // component registers
  std::uint64_t device_block_ = 0;  // CXL device registers
};

}  // namespace

FirmwareJob switch_memory_space_on(IoThread io) {
  co_await io.config_write(endpoint_register(io.number(), kCommand), kMemorySpace | kBusMaster);
  co_return Done{};
}

SystemInfo enumerate(RegisterBus& bus, unsigned ports) {
  SystemInfo system;
  system.host = ability(bus.read(RegisterSpace::HostBridge, 0, hdm::kCapability));
  MmioSpace space;
  for (unsigned port = 0; port < ports; ++port) {
    const IoPort io(bus, port);
    BridgeSetUp bridge(io);
    EndpointSetUp endpoint(io);
    bridge.set_up(space);
    const std::uint64_t begin = space.align();
    endpoint.set_up(space);
    system.root_ports.push_back(bridge.open(begin, space.align()));
    system.endpoints.push_back(endpoint.open());
  }
  return system;
}

}  // namespace cxlgpu
