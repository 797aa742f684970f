// Brings a system up through its registers alone.
//
// Purpose: programs and commits the HDM decoders of host bridge and endpoints, sets the policy of
//          root ports, their completion time-out and isolation, and the internal DRAM of
//          endpoints, then checks that every decoder committed.
// Units:   byte offsets of 32-bit registers, docs/blocks.md.
// Errors:  InputError if the hardware refuses a decoder.
// Source:  CXL 2.0 8.2.5.12 (HDM decoder capability), commit order low to high; CXL 3.0 8.2.4.23
//          (time-out and isolation).
#pragma once

#include <cstdint>

#include "refmodel/system/config.hpp"

namespace cxlgpu {

enum class RegisterSpace : std::uint8_t { HostBridge, RootPort, Endpoint };

// The way to a component's registers. Engines implement it.
class RegisterBus {
 public:
  virtual ~RegisterBus() = default;
  virtual void write(RegisterSpace space, unsigned index, std::uint32_t offset,
                     std::uint32_t value) = 0;
  virtual std::uint32_t read(RegisterSpace space, unsigned index, std::uint32_t offset) = 0;
};

// What firmware learns of the parts behind the ports.
struct EndpointParts {
  bool internal_dram = false;
  unsigned cache_sets_log2 = 0;
};

inline constexpr std::uint8_t kPortNumberBase = 0x10;  // PCIe port number of root port 0

void bring_up(RegisterBus& bus, const RunConfig& config, const EndpointParts& parts);

}  // namespace cxlgpu
