// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
// Where registers are in the two configuration spaces, by hand from their pages.
//
// Purpose: a witness beside regs/, from which RTL and twin have them.
// Units:   byte offsets.
// Errors:  none.
// Source:  docs/blocks/cxl_io/config_space.md, port_config_space.md.
#pragma once

namespace cxlgpu {

namespace config_offset {
inline constexpr unsigned kId = 0x000, kCommand = 0x004, kClass = 0x008, kCacheLine = 0x00c,
                          kBar0 = 0x010, kBar0High = 0x014, kSubsystem = 0x02c,
                          kCapabilities = 0x034, kInterrupt = 0x03c, kPcie = 0x040,
                          kDeviceCapability = 0x044, kDeviceControl = 0x048,
                          kLinkCapability = 0x04c, kLinkControl = 0x050, kDeviceCapability2 = 0x064,
                          kLinkCapability2 = 0x06c, kLinkControl2 = 0x070, kPower = 0x080,
                          kPowerControl = 0x084, kCxlDevice = 0x100, kCxlControl = 0x10c,
                          kCxlStatus2 = 0x110, kCxlLock = 0x114, kRange1 = 0x118, kRange2 = 0x128,
                          kFlexBus = 0x140, kFlexBusStatus = 0x14c, kTrainingData = 0x150,
                          kLocator = 0x160, kVendor = 0x180, kGpf = 0x1a0, kSerial = 0x1b0,
                          kAer = 0x1c0;
}  // namespace config_offset

namespace port_config_offset {
inline constexpr unsigned kId = 0x000, kCommand = 0x004, kClass = 0x008, kCacheLine = 0x00c,
                          kBar0 = 0x010, kBar0High = 0x014, kBuses = 0x018, kMemory = 0x020,
                          kPrefetchable = 0x024, kPreBaseHigh = 0x028, kPreLimitHigh = 0x02c,
                          kCapabilities = 0x034, kInterrupt = 0x03c, kPcie = 0x040,
                          kDeviceCapability = 0x044, kDeviceControl = 0x048,
                          kLinkCapability = 0x04c, kLinkControl = 0x050, kLinkCapability2 = 0x06c,
                          kLinkControl2 = 0x070, kCxlPort = 0x100, kPortStatus = 0x108,
                          kPortControl = 0x10c, kAltMemory = 0x110, kAltPrefetchable = 0x114,
                          kAltPreBaseHigh = 0x118, kAltPreLimitHigh = 0x11c, kFlexBus = 0x130,
                          kFlexBusStatus = 0x13c, kTrainingData = 0x140, kLocator = 0x150,
                          kGpf = 0x170, kGpfControl = 0x17c;
}  // namespace port_config_offset

}  // namespace cxlgpu
