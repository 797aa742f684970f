#include "refmodel/firmware/bring_up.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>

#include "refmodel/common/input_error.hpp"
#include "refmodel/common/registers.hpp"
#include "refmodel/firmware/io_port.hpp"

namespace cxlgpu {

namespace device_dvsec = regs::dvsec_device;
namespace ep = regs::ep;
namespace rp = regs::rp;
namespace timeout = regs::timeout;

namespace {

constexpr std::uint32_t kNoClip = 15;
constexpr std::uint32_t kTimeoutValue = 2;  // 5 to 10 ms
constexpr unsigned kLongestMemSpecRd = 4;   // granules, of our root ports

std::uint32_t clip_log2(const RunConfig& config) {
  std::uint32_t clip = kNoClip;
  for (const HdmRange& range : config.hdm) {
    if (range.ports.size() > 1) {
      clip = std::min(clip, static_cast<std::uint32_t>(std::countr_zero(range.granularity) - 8));
    }
  }
  return clip;
}

std::uint32_t pack(const std::vector<std::uint64_t>& values,
                   const std::array<regs::Field, 3>& fields) {
  std::uint32_t packed = 0;
  for (std::size_t k = 0; k < fields.size(); ++k) {
    packed |= fields[k].put(static_cast<std::uint32_t>(values[k]));
  }
  return packed;
}

// Both ends must know the length of a MemSpecRd.
bool use_length(const EndpointInfo& endpoint, const RunConfig& config) {
  if (!config.root_port.spec_length) return false;
  if (endpoint.max_spec_granules >= kLongestMemSpecRd) return true;
  throw InputError(fmt::format(
      "port {}: its endpoint does not know MemSpecRd with {} granules; set root_port.spec_length "
      "to false",
      endpoint.port, kLongestMemSpecRd));
}

void set_up_endpoint(IoPort& io, const EndpointInfo& endpoint, const RunConfig& config,
                     const EndpointParts& parts, bool length) {
  if (endpoint.vendor_base == 0) {
    throw InputError(fmt::format(
        "port {}: device {:04x}:{:04x} has no vendor DVSEC 1, which names its vendor registers; "
        "connect an endpoint of this design",
        endpoint.port, endpoint.vendor, endpoint.device));
  }
  const auto set = [&](std::uint32_t offset, std::uint32_t value) {
    io.write(endpoint.vendor_base + (offset - ep::kBlock), value);
  };
  set(ep::kControl,
      ep::kControlDramEnable.put(parts.internal_dram) | ep::kControlLenEnable.put(length));
  set(ep::kSets, ep::kSetsLog2.put(parts.cache_sets_log2));
  set(ep::kIngressTh, pack(config.endpoint.ingress_thresholds,
                           {ep::kIngressThTh0, ep::kIngressThTh1, ep::kIngressThTh2}));
  set(ep::kMshrTh,
      pack(config.endpoint.mshr_thresholds, {ep::kMshrThTh0, ep::kMshrThTh1, ep::kMshrThTh2}));
}

// Last, and answered: what was posted before has arrived.
void enable_mem(const IoPort& io, const EndpointInfo& endpoint) {
  Function function = endpoint_function(io);
  const std::uint32_t at = endpoint.cxl_dvsec + device_dvsec::kControl;
  function.write(at, device_dvsec::kControlIo.mask() | device_dvsec::kControlMem.mask());
  if (!device_dvsec::kControlMem.is_set(function.read16(at))) {
    throw InputError(fmt::format(
        "port {}: its endpoint does not enable CXL.mem (DVSEC 0 is locked); reset the device",
        endpoint.port));
  }
}

void set_up_root_port(RegisterBus& bus, const RootPortInfo& port, const RunConfig& config,
                      bool length) {
  bus.write(RegisterSpace::RootPort, port.port, rp::kPolicy,
            rp::kPolicySelect.put(static_cast<std::uint32_t>(config.root_port.policy)) |
                rp::kPolicyLenEnable.put(length) | rp::kPolicyClipLog2.put(clip_log2(config)));
  IoPort io(bus, port.port);
  io.write(port.timeout_base + timeout::kControl,
           timeout::kControlMemValue.put(kTimeoutValue) | timeout::kControlMemEnable.mask() |
               timeout::kControlMemIsolation.mask() | timeout::kControlMemLinkDown.mask());
}

}  // namespace

void bring_up(RegisterBus& bus, const RunConfig& config, const EndpointParts& parts) {
  const SystemInfo system = enumerate(bus, config.ports);
  check_ranges(system, config.hdm);
  program_ranges(bus, system, config.hdm);
  for (const EndpointInfo& endpoint : system.endpoints) {
    IoPort io(bus, endpoint.port);
    const bool length = use_length(endpoint, config);
    set_up_endpoint(io, endpoint, config, parts, length);
    enable_mem(io, endpoint);
    set_up_root_port(bus, system.root_ports[endpoint.port], config, length);
  }
}

}  // namespace cxlgpu
