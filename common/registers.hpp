// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
// Register offsets, fields and reset values.
//
// Made by scripts/regs.py from regs/: do not edit.
//
// Purpose: names for what the register map says. The offset of a register in a group counts from
//          its set; the group has the offset of the first set, the stride and the count.
// Units:   offsets in bytes, fields in bits; the reset value of a whole register has 0 in fields
//          that a parameter sets.
// Errors:  none.
// Source:  regs/*.yaml, each with its source.
#pragma once

#include <concepts>
#include <cstdint>

namespace cxlgpu::regs {

template <std::unsigned_integral T>
struct BasicField {
  unsigned lsb = 0;
  unsigned width = 0;
  T reset = 0;

  [[nodiscard]] constexpr T ones() const { return ~T{0} >> (8 * sizeof(T) - width); }
  [[nodiscard]] constexpr T mask() const { return ones() << lsb; }
  [[nodiscard]] constexpr T get(T value) const { return (value >> lsb) & ones(); }
  [[nodiscard]] constexpr T put(T field) const { return (field & ones()) << lsb; }
  [[nodiscard]] constexpr bool is_set(T value) const { return get(value) != 0; }
};
using Field = BasicField<std::uint32_t>;
using Field64 = BasicField<std::uint64_t>;

// Advanced Error Reporting extended capability
namespace aer {
inline constexpr std::uint32_t kBlock = 0x000;
inline constexpr std::uint32_t kBlockBytes = 0x2c;
inline constexpr std::uint32_t kHeaderLog = 0x01c;
inline constexpr std::uint32_t kHeaderLogStride = 0x4;
inline constexpr unsigned kHeaderLogCount = 4;
inline constexpr std::uint32_t kCapHeader = 0x000;
inline constexpr Field kCapHeaderId{0, 16, 0x1};
inline constexpr Field kCapHeaderVersion{16, 4, 0x2};
inline constexpr Field kCapHeaderNext{20, 12, 0x0};
inline constexpr std::uint32_t kCapHeaderReset = 0x00020001;
inline constexpr std::uint32_t kUncorStatus = 0x004;
inline constexpr Field kUncorStatusDllp{4, 1, 0x0};
inline constexpr Field kUncorStatusPoison{12, 1, 0x0};
inline constexpr Field kUncorStatusAbort{15, 1, 0x0};
inline constexpr Field kUncorStatusCompletion{16, 1, 0x0};
inline constexpr Field kUncorStatusOverflow{17, 1, 0x0};
inline constexpr Field kUncorStatusMalformed{18, 1, 0x0};
inline constexpr Field kUncorStatusUnsupported{20, 1, 0x0};
inline constexpr Field kUncorStatusInternal{22, 1, 0x0};
inline constexpr std::uint32_t kUncorStatusReset = 0x00000000;
inline constexpr std::uint32_t kUncorMask = 0x008;
inline constexpr Field kUncorMaskDllp{4, 1, 0x0};
inline constexpr Field kUncorMaskPoison{12, 1, 0x0};
inline constexpr Field kUncorMaskAbort{15, 1, 0x0};
inline constexpr Field kUncorMaskCompletion{16, 1, 0x0};
inline constexpr Field kUncorMaskOverflow{17, 1, 0x0};
inline constexpr Field kUncorMaskMalformed{18, 1, 0x0};
inline constexpr Field kUncorMaskUnsupported{20, 1, 0x0};
inline constexpr Field kUncorMaskInternal{22, 1, 0x1};
inline constexpr std::uint32_t kUncorMaskReset = 0x00400000;
inline constexpr std::uint32_t kUncorSeverity = 0x00c;
inline constexpr Field kUncorSeverityDllp{4, 1, 0x1};
inline constexpr Field kUncorSeverityPoison{12, 1, 0x0};
inline constexpr Field kUncorSeverityAbort{15, 1, 0x0};
inline constexpr Field kUncorSeverityCompletion{16, 1, 0x0};
inline constexpr Field kUncorSeverityOverflow{17, 1, 0x1};
inline constexpr Field kUncorSeverityMalformed{18, 1, 0x1};
inline constexpr Field kUncorSeverityUnsupported{20, 1, 0x0};
inline constexpr Field kUncorSeverityInternal{22, 1, 0x1};
inline constexpr std::uint32_t kUncorSeverityReset = 0x00460010;
inline constexpr std::uint32_t kCorStatus = 0x010;
inline constexpr Field kCorStatusReceiver{0, 1, 0x0};
inline constexpr Field kCorStatusBadTlp{6, 1, 0x0};
inline constexpr Field kCorStatusBadDllp{7, 1, 0x0};
inline constexpr Field kCorStatusRollover{8, 1, 0x0};
inline constexpr Field kCorStatusReplayTimer{12, 1, 0x0};
inline constexpr Field kCorStatusAdvisory{13, 1, 0x0};
inline constexpr Field kCorStatusInternal{14, 1, 0x0};
inline constexpr std::uint32_t kCorStatusReset = 0x00000000;
inline constexpr std::uint32_t kCorMask = 0x014;
inline constexpr Field kCorMaskReceiver{0, 1, 0x0};
inline constexpr Field kCorMaskBadTlp{6, 1, 0x0};
inline constexpr Field kCorMaskBadDllp{7, 1, 0x0};
inline constexpr Field kCorMaskRollover{8, 1, 0x0};
inline constexpr Field kCorMaskReplayTimer{12, 1, 0x0};
inline constexpr Field kCorMaskAdvisory{13, 1, 0x1};
inline constexpr Field kCorMaskInternal{14, 1, 0x1};
inline constexpr std::uint32_t kCorMaskReset = 0x00006000;
inline constexpr std::uint32_t kControl = 0x018;
inline constexpr Field kControlFirstError{0, 5, 0x0};
inline constexpr std::uint32_t kControlReset = 0x00000000;
inline constexpr std::uint32_t kHeaderLogWord = 0x000;
inline constexpr Field kHeaderLogWordData{0, 32, 0x0};
inline constexpr std::uint32_t kHeaderLogWordReset = 0x00000000;
}  // namespace aer

// ARB/MUX registers
namespace arb_mux {
inline constexpr std::uint32_t kBlock = 0xe000;
inline constexpr std::uint32_t kBlockBytes = 0x400;
inline constexpr std::uint32_t kIoWeight = 0xe180;
inline constexpr Field kIoWeightWeight{4, 4, 0x1};
inline constexpr std::uint32_t kIoWeightReset = 0x00000010;
inline constexpr std::uint32_t kCmWeight = 0xe1c0;
inline constexpr Field kCmWeightWeight{4, 4, 0x1};
inline constexpr std::uint32_t kCmWeightReset = 0x00000010;
}  // namespace arb_mux

// Component register block, capability array
namespace component {
inline constexpr std::uint32_t kBlock = 0x1000;
inline constexpr std::uint32_t kBlockBytes = 0x1000;
inline constexpr std::uint32_t kEntry = 0x1004;
inline constexpr std::uint32_t kEntryStride = 0x4;
inline constexpr unsigned kEntryCount = 3;
inline constexpr std::uint32_t kHeader = 0x1000;
inline constexpr Field kHeaderId{0, 16, 0x1};
inline constexpr Field kHeaderVersion{16, 4, 0x1};
inline constexpr Field kHeaderCachememVersion{20, 4, 0x1};
inline constexpr Field kHeaderArraySize{24, 8, 0x3};
inline constexpr std::uint32_t kHeaderReset = 0x03110001;
inline constexpr std::uint32_t kEntryHeader = 0x000;
inline constexpr Field kEntryHeaderId{0, 16, 0x0};
inline constexpr Field kEntryHeaderVersion{16, 4, 0x0};
inline constexpr Field kEntryHeaderOffset{20, 12, 0x0};
}  // namespace component

// DVSEC 0, PCIe DVSEC for CXL device
namespace dvsec_device {
inline constexpr std::uint32_t kBlock = 0x000;
inline constexpr std::uint32_t kBlockBytes = 0x38;
inline constexpr std::uint32_t kRange = 0x018;
inline constexpr std::uint32_t kRangeStride = 0x10;
inline constexpr unsigned kRangeCount = 2;
inline constexpr std::uint32_t kCapHeader = 0x000;
inline constexpr Field kCapHeaderId{0, 16, 0x23};
inline constexpr Field kCapHeaderVersion{16, 4, 0x1};
inline constexpr Field kCapHeaderNext{20, 12, 0x0};
inline constexpr std::uint32_t kCapHeaderReset = 0x00010023;
inline constexpr std::uint32_t kDvsecHeader = 0x004;
inline constexpr Field kDvsecHeaderVendor{0, 16, 0x1e98};
inline constexpr Field kDvsecHeaderRevision{16, 4, 0x1};
inline constexpr Field kDvsecHeaderLength{20, 12, 0x38};
inline constexpr std::uint32_t kDvsecHeaderReset = 0x03811e98;
inline constexpr std::uint32_t kDvsecId = 0x008;
inline constexpr Field kDvsecIdId{0, 16, 0x0};
inline constexpr std::uint32_t kDvsecIdReset = 0x0000;
inline constexpr std::uint32_t kCapability = 0x00a;
inline constexpr Field kCapabilityCache{0, 1, 0x0};
inline constexpr Field kCapabilityIo{1, 1, 0x1};
inline constexpr Field kCapabilityMem{2, 1, 0x1};
inline constexpr Field kCapabilityMemHwInit{3, 1, 0x1};
inline constexpr Field kCapabilityHdmCount{4, 2, 0x0};
inline constexpr Field kCapabilityWriteBack{6, 1, 0x0};
inline constexpr Field kCapabilityCxlReset{7, 1, 0x0};
inline constexpr Field kCapabilityResetTimeout{8, 3, 0x0};
inline constexpr Field kCapabilityResetMemClear{11, 1, 0x0};
inline constexpr Field kCapabilityMld{13, 1, 0x0};
inline constexpr Field kCapabilityViral{14, 1, 0x1};
inline constexpr Field kCapabilityPmInit{15, 1, 0x1};
inline constexpr std::uint32_t kCapabilityReset = 0xc00e;
inline constexpr std::uint32_t kControl = 0x00c;
inline constexpr Field kControlCache{0, 1, 0x0};
inline constexpr Field kControlIo{1, 1, 0x1};
inline constexpr Field kControlMem{2, 1, 0x0};
inline constexpr Field kControlSfCoverage{3, 5, 0x0};
inline constexpr Field kControlSfGranularity{8, 3, 0x0};
inline constexpr Field kControlCleanEvict{11, 1, 0x0};
inline constexpr Field kControlViral{14, 1, 0x0};
inline constexpr std::uint32_t kControlReset = 0x0002;
inline constexpr std::uint32_t kStatus = 0x00e;
inline constexpr Field kStatusViral{14, 1, 0x0};
inline constexpr std::uint32_t kStatusReset = 0x0000;
inline constexpr std::uint32_t kControl2 = 0x010;
inline constexpr Field kControl2DisableCaching{0, 1, 0x0};
inline constexpr Field kControl2WriteBack{1, 1, 0x0};
inline constexpr Field kControl2CxlReset{2, 1, 0x0};
inline constexpr Field kControl2ResetMemClear{3, 1, 0x0};
inline constexpr std::uint32_t kControl2Reset = 0x0000;
inline constexpr std::uint32_t kStatus2 = 0x012;
inline constexpr Field kStatus2CacheInvalid{0, 1, 0x0};
inline constexpr Field kStatus2ResetComplete{1, 1, 0x0};
inline constexpr Field kStatus2ResetError{2, 1, 0x0};
inline constexpr Field kStatus2PmInit{15, 1, 0x1};
inline constexpr std::uint32_t kStatus2Reset = 0x8000;
inline constexpr std::uint32_t kLock = 0x014;
inline constexpr Field kLockConfigLock{0, 1, 0x0};
inline constexpr std::uint32_t kLockReset = 0x0000;
inline constexpr std::uint32_t kCapability2 = 0x016;
inline constexpr Field kCapability2Unit{0, 4, 0x0};
inline constexpr Field kCapability2Size{8, 8, 0x0};
inline constexpr std::uint32_t kCapability2Reset = 0x0000;
inline constexpr std::uint32_t kRangeSizeHigh = 0x000;
inline constexpr Field kRangeSizeHighSize{0, 32, 0x0};
inline constexpr std::uint32_t kRangeSizeLow = 0x004;
inline constexpr Field kRangeSizeLowInfoValid{0, 1, 0x0};
inline constexpr Field kRangeSizeLowActive{1, 1, 0x0};
inline constexpr Field kRangeSizeLowMediaType{2, 3, 0x0};
inline constexpr Field kRangeSizeLowClass{5, 3, 0x0};
inline constexpr Field kRangeSizeLowInterleave{8, 5, 0x0};
inline constexpr Field kRangeSizeLowActiveTimeout{13, 3, 0x0};
inline constexpr Field kRangeSizeLowSize{28, 4, 0x0};
inline constexpr std::uint32_t kRangeSizeLowReset = 0x00000000;
inline constexpr std::uint32_t kRangeBaseHigh = 0x008;
inline constexpr Field kRangeBaseHighBase{0, 32, 0x0};
inline constexpr std::uint32_t kRangeBaseHighReset = 0x00000000;
inline constexpr std::uint32_t kRangeBaseLow = 0x00c;
inline constexpr Field kRangeBaseLowBase{28, 4, 0x0};
inline constexpr std::uint32_t kRangeBaseLowReset = 0x00000000;
}  // namespace dvsec_device

// DVSEC 7, Flex Bus port
namespace dvsec_flex_bus {
inline constexpr std::uint32_t kBlock = 0x000;
inline constexpr std::uint32_t kBlockBytes = 0x14;
inline constexpr std::uint32_t kCapHeader = 0x000;
inline constexpr Field kCapHeaderId{0, 16, 0x23};
inline constexpr Field kCapHeaderVersion{16, 4, 0x1};
inline constexpr Field kCapHeaderNext{20, 12, 0x0};
inline constexpr std::uint32_t kCapHeaderReset = 0x00010023;
inline constexpr std::uint32_t kDvsecHeader = 0x004;
inline constexpr Field kDvsecHeaderVendor{0, 16, 0x1e98};
inline constexpr Field kDvsecHeaderRevision{16, 4, 0x1};
inline constexpr Field kDvsecHeaderLength{20, 12, 0x14};
inline constexpr std::uint32_t kDvsecHeaderReset = 0x01411e98;
inline constexpr std::uint32_t kDvsecId = 0x008;
inline constexpr Field kDvsecIdId{0, 16, 0x7};
inline constexpr std::uint32_t kDvsecIdReset = 0x0007;
inline constexpr std::uint32_t kCapability = 0x00a;
inline constexpr Field kCapabilityCache{0, 1, 0x0};
inline constexpr Field kCapabilityIo{1, 1, 0x1};
inline constexpr Field kCapabilityMem{2, 1, 0x1};
inline constexpr Field kCapabilityCxl2{5, 1, 0x1};
inline constexpr Field kCapabilityMld{6, 1, 0x0};
inline constexpr std::uint32_t kCapabilityReset = 0x0026;
inline constexpr std::uint32_t kControl = 0x00c;
inline constexpr Field kControlCache{0, 1, 0x0};
inline constexpr Field kControlIo{1, 1, 0x0};
inline constexpr Field kControlMem{2, 1, 0x0};
inline constexpr Field kControlSyncBypass{3, 1, 0x0};
inline constexpr Field kControlDriftBuffer{4, 1, 0x0};
inline constexpr Field kControlCxl2{5, 1, 0x0};
inline constexpr Field kControlMld{6, 1, 0x0};
inline constexpr Field kControlDisableCxl1{7, 1, 0x0};
inline constexpr Field kControlRetimer1{8, 1, 0x0};
inline constexpr Field kControlRetimer2{9, 1, 0x0};
inline constexpr std::uint32_t kControlReset = 0x0000;
inline constexpr std::uint32_t kStatus = 0x00e;
inline constexpr Field kStatusCache{0, 1, 0x0};
inline constexpr Field kStatusIo{1, 1, 0x0};
inline constexpr Field kStatusMem{2, 1, 0x0};
inline constexpr Field kStatusSyncBypass{3, 1, 0x0};
inline constexpr Field kStatusDriftBuffer{4, 1, 0x0};
inline constexpr Field kStatusCxl2{5, 1, 0x0};
inline constexpr Field kStatusMld{6, 1, 0x0};
inline constexpr Field kStatusIdCorrectable{8, 1, 0x0};
inline constexpr Field kStatusIdUncorrectable{9, 1, 0x0};
inline constexpr Field kStatusIdUnexpected{10, 1, 0x0};
inline constexpr Field kStatusRetimerMismatch{11, 1, 0x0};
inline constexpr Field kStatusPhase2Mismatch{12, 1, 0x0};
inline constexpr std::uint32_t kStatusReset = 0x0000;
inline constexpr std::uint32_t kTsData = 0x010;
inline constexpr Field kTsDataReceived{0, 24, 0x0};
}  // namespace dvsec_flex_bus

// DVSEC 5, GPF for CXL device
namespace dvsec_gpf_device {
inline constexpr std::uint32_t kBlock = 0x000;
inline constexpr std::uint32_t kBlockBytes = 0x10;
inline constexpr std::uint32_t kCapHeader = 0x000;
inline constexpr Field kCapHeaderId{0, 16, 0x23};
inline constexpr Field kCapHeaderVersion{16, 4, 0x1};
inline constexpr Field kCapHeaderNext{20, 12, 0x1b0};
inline constexpr std::uint32_t kCapHeaderReset = 0x1b010023;
inline constexpr std::uint32_t kDvsecHeader = 0x004;
inline constexpr Field kDvsecHeaderVendor{0, 16, 0x1e98};
inline constexpr Field kDvsecHeaderRevision{16, 4, 0x0};
inline constexpr Field kDvsecHeaderLength{20, 12, 0x10};
inline constexpr std::uint32_t kDvsecHeaderReset = 0x01001e98;
inline constexpr std::uint32_t kDvsecId = 0x008;
inline constexpr Field kDvsecIdId{0, 16, 0x5};
inline constexpr std::uint32_t kDvsecIdReset = 0x0005;
inline constexpr std::uint32_t kDuration = 0x00a;
inline constexpr Field kDurationBase{0, 4, 0x0};
inline constexpr Field kDurationScale{8, 4, 0x0};
inline constexpr std::uint32_t kDurationReset = 0x0000;
inline constexpr std::uint32_t kPower = 0x00c;
inline constexpr Field kPowerPower{0, 32, 0x0};
inline constexpr std::uint32_t kPowerReset = 0x00000000;
}  // namespace dvsec_gpf_device

// DVSEC 4, GPF for ports
namespace dvsec_gpf_port {
inline constexpr std::uint32_t kBlock = 0x000;
inline constexpr std::uint32_t kBlockBytes = 0x10;
inline constexpr std::uint32_t kCapHeader = 0x000;
inline constexpr Field kCapHeaderId{0, 16, 0x23};
inline constexpr Field kCapHeaderVersion{16, 4, 0x1};
inline constexpr Field kCapHeaderNext{20, 12, 0x0};
inline constexpr std::uint32_t kCapHeaderReset = 0x00010023;
inline constexpr std::uint32_t kDvsecHeader = 0x004;
inline constexpr Field kDvsecHeaderVendor{0, 16, 0x1e98};
inline constexpr Field kDvsecHeaderRevision{16, 4, 0x0};
inline constexpr Field kDvsecHeaderLength{20, 12, 0x10};
inline constexpr std::uint32_t kDvsecHeaderReset = 0x01001e98;
inline constexpr std::uint32_t kDvsecId = 0x008;
inline constexpr Field kDvsecIdId{0, 16, 0x4};
inline constexpr std::uint32_t kDvsecIdReset = 0x0004;
inline constexpr std::uint32_t kPhase1 = 0x00c;
inline constexpr Field kPhase1Base{0, 4, 0x0};
inline constexpr Field kPhase1Scale{8, 4, 0x0};
inline constexpr std::uint32_t kPhase1Reset = 0x0000;
inline constexpr std::uint32_t kPhase2 = 0x00e;
inline constexpr Field kPhase2Base{0, 4, 0x0};
inline constexpr Field kPhase2Scale{8, 4, 0x0};
inline constexpr std::uint32_t kPhase2Reset = 0x0000;
}  // namespace dvsec_gpf_port

// DVSEC 8, register locator
namespace dvsec_locator {
inline constexpr std::uint32_t kBlock = 0x000;
inline constexpr std::uint32_t kBlockBytes = 0x1c;
inline constexpr std::uint32_t kEntry = 0x00c;
inline constexpr std::uint32_t kEntryStride = 0x8;
inline constexpr unsigned kEntryCount = 1;
inline constexpr std::uint32_t kDeviceEntry = 0x014;
inline constexpr std::uint32_t kDeviceEntryStride = 0x8;
inline constexpr unsigned kDeviceEntryCount = 1;
inline constexpr std::uint32_t kCapHeader = 0x000;
inline constexpr Field kCapHeaderId{0, 16, 0x23};
inline constexpr Field kCapHeaderVersion{16, 4, 0x1};
inline constexpr Field kCapHeaderNext{20, 12, 0x0};
inline constexpr std::uint32_t kCapHeaderReset = 0x00010023;
inline constexpr std::uint32_t kDvsecHeader = 0x004;
inline constexpr Field kDvsecHeaderVendor{0, 16, 0x1e98};
inline constexpr Field kDvsecHeaderRevision{16, 4, 0x0};
inline constexpr Field kDvsecHeaderLength{20, 12, 0x0};
inline constexpr std::uint32_t kDvsecHeaderReset = 0x00001e98;
inline constexpr std::uint32_t kDvsecId = 0x008;
inline constexpr Field kDvsecIdId{0, 16, 0x8};
inline constexpr std::uint32_t kDvsecIdReset = 0x0008;
inline constexpr std::uint32_t kEntryLow = 0x000;
inline constexpr Field kEntryLowBir{0, 3, 0x0};
inline constexpr Field kEntryLowId{8, 8, 0x1};
inline constexpr Field kEntryLowOffset{16, 16, 0x0};
inline constexpr std::uint32_t kEntryLowReset = 0x00000100;
inline constexpr std::uint32_t kEntryHigh = 0x004;
inline constexpr Field kEntryHighOffset{0, 32, 0x0};
inline constexpr std::uint32_t kEntryHighReset = 0x00000000;
inline constexpr std::uint32_t kDeviceEntryLow = 0x000;
inline constexpr Field kDeviceEntryLowBir{0, 3, 0x0};
inline constexpr Field kDeviceEntryLowId{8, 8, 0x3};
inline constexpr Field kDeviceEntryLowOffset{16, 16, 0x2};
inline constexpr std::uint32_t kDeviceEntryLowReset = 0x00020300;
inline constexpr std::uint32_t kDeviceEntryHigh = 0x004;
inline constexpr Field kDeviceEntryHighOffset{0, 32, 0x0};
inline constexpr std::uint32_t kDeviceEntryHighReset = 0x00000000;
}  // namespace dvsec_locator

// DVSEC 3, CXL extensions for ports
namespace dvsec_port {
inline constexpr std::uint32_t kBlock = 0x000;
inline constexpr std::uint32_t kBlockBytes = 0x28;
inline constexpr std::uint32_t kCapHeader = 0x000;
inline constexpr Field kCapHeaderId{0, 16, 0x23};
inline constexpr Field kCapHeaderVersion{16, 4, 0x1};
inline constexpr Field kCapHeaderNext{20, 12, 0x0};
inline constexpr std::uint32_t kCapHeaderReset = 0x00010023;
inline constexpr std::uint32_t kDvsecHeader = 0x004;
inline constexpr Field kDvsecHeaderVendor{0, 16, 0x1e98};
inline constexpr Field kDvsecHeaderRevision{16, 4, 0x0};
inline constexpr Field kDvsecHeaderLength{20, 12, 0x28};
inline constexpr std::uint32_t kDvsecHeaderReset = 0x02801e98;
inline constexpr std::uint32_t kDvsecId = 0x008;
inline constexpr Field kDvsecIdId{0, 16, 0x3};
inline constexpr std::uint32_t kDvsecIdReset = 0x0003;
inline constexpr std::uint32_t kStatus = 0x00a;
inline constexpr Field kStatusPmInit{0, 1, 0x0};
inline constexpr Field kStatusViral{14, 1, 0x0};
inline constexpr std::uint32_t kStatusReset = 0x0000;
inline constexpr std::uint32_t kControl = 0x00c;
inline constexpr Field kControlUnmaskSbr{0, 1, 0x0};
inline constexpr Field kControlUnmaskLinkDisable{1, 1, 0x0};
inline constexpr Field kControlAltMemory{2, 1, 0x0};
inline constexpr Field kControlAltBme{3, 1, 0x0};
inline constexpr Field kControlViral{14, 1, 0x0};
inline constexpr std::uint32_t kControlReset = 0x0000;
inline constexpr std::uint32_t kAltBusBase = 0x00e;
inline constexpr Field kAltBusBaseBus{0, 8, 0x0};
inline constexpr std::uint32_t kAltBusBaseReset = 0x00;
inline constexpr std::uint32_t kAltBusLimit = 0x00f;
inline constexpr Field kAltBusLimitBus{0, 8, 0x0};
inline constexpr std::uint32_t kAltBusLimitReset = 0x00;
inline constexpr std::uint32_t kAltMemBase = 0x010;
inline constexpr Field kAltMemBaseBase{4, 12, 0x0};
inline constexpr std::uint32_t kAltMemBaseReset = 0x0000;
inline constexpr std::uint32_t kAltMemLimit = 0x012;
inline constexpr Field kAltMemLimitLimit{4, 12, 0x0};
inline constexpr std::uint32_t kAltMemLimitReset = 0x0000;
inline constexpr std::uint32_t kAltPreBase = 0x014;
inline constexpr Field kAltPreBaseWide{0, 1, 0x1};
inline constexpr Field kAltPreBaseBase{4, 12, 0x0};
inline constexpr std::uint32_t kAltPreBaseReset = 0x0001;
inline constexpr std::uint32_t kAltPreLimit = 0x016;
inline constexpr Field kAltPreLimitWide{0, 1, 0x1};
inline constexpr Field kAltPreLimitLimit{4, 12, 0x0};
inline constexpr std::uint32_t kAltPreLimitReset = 0x0001;
inline constexpr std::uint32_t kAltPreBaseHigh = 0x018;
inline constexpr Field kAltPreBaseHighBase{0, 32, 0x0};
inline constexpr std::uint32_t kAltPreBaseHighReset = 0x00000000;
inline constexpr std::uint32_t kAltPreLimitHigh = 0x01c;
inline constexpr Field kAltPreLimitHighLimit{0, 32, 0x0};
inline constexpr std::uint32_t kAltPreLimitHighReset = 0x00000000;
inline constexpr std::uint32_t kRcrbBaseLow = 0x020;
inline constexpr Field kRcrbBaseLowEnable{0, 1, 0x0};
inline constexpr Field kRcrbBaseLowBase{13, 19, 0x0};
inline constexpr std::uint32_t kRcrbBaseLowReset = 0x00000000;
inline constexpr std::uint32_t kRcrbBaseHigh = 0x024;
inline constexpr Field kRcrbBaseHighBase{0, 32, 0x0};
inline constexpr std::uint32_t kRcrbBaseHighReset = 0x00000000;
}  // namespace dvsec_port

// Vendor DVSEC, MemSpecRd length and vendor registers
namespace dvsec_vendor {
inline constexpr std::uint32_t kBlock = 0x000;
inline constexpr std::uint32_t kBlockBytes = 0x14;
inline constexpr std::uint32_t kCapHeader = 0x000;
inline constexpr Field kCapHeaderId{0, 16, 0x23};
inline constexpr Field kCapHeaderVersion{16, 4, 0x1};
inline constexpr Field kCapHeaderNext{20, 12, 0x0};
inline constexpr std::uint32_t kCapHeaderReset = 0x00010023;
inline constexpr std::uint32_t kDvsecHeader = 0x004;
inline constexpr Field kDvsecHeaderVendor{0, 16, 0x0};
inline constexpr Field kDvsecHeaderRevision{16, 4, 0x0};
inline constexpr Field kDvsecHeaderLength{20, 12, 0x14};
inline constexpr std::uint32_t kDvsecHeaderReset = 0x01400000;
inline constexpr std::uint32_t kDvsecId = 0x008;
inline constexpr Field kDvsecIdId{0, 16, 0x1};
inline constexpr std::uint32_t kDvsecIdReset = 0x0001;
inline constexpr std::uint32_t kCapability = 0x00a;
inline constexpr Field kCapabilityLength{0, 1, 0x1};
inline constexpr Field kCapabilityGranule{4, 4, 0x8};
inline constexpr Field kCapabilityMax{8, 3, 0x0};
inline constexpr std::uint32_t kCapabilityReset = 0x0081;
inline constexpr std::uint32_t kBlockLow = 0x00c;
inline constexpr Field kBlockLowBir{0, 3, 0x0};
inline constexpr Field kBlockLowOffset{16, 16, 0x1};
inline constexpr std::uint32_t kBlockLowReset = 0x00010000;
inline constexpr std::uint32_t kBlockHigh = 0x010;
inline constexpr Field kBlockHighOffset{0, 32, 0x0};
inline constexpr std::uint32_t kBlockHighReset = 0x00000000;
}  // namespace dvsec_vendor

// Endpoint vendor block
namespace ep {
inline constexpr std::uint32_t kBlock = 0x800;
inline constexpr std::uint32_t kBlockBytes = 0x800;
inline constexpr std::uint32_t kControl = 0x800;
inline constexpr Field kControlDramEnable{0, 1, 0x0};
inline constexpr Field kControlLenEnable{1, 1, 0x0};
inline constexpr std::uint32_t kControlReset = 0x00000000;
inline constexpr std::uint32_t kSets = 0x804;
inline constexpr Field kSetsLog2{0, 4, 0x0};
inline constexpr std::uint32_t kIngressTh = 0x808;
inline constexpr Field kIngressThTh0{0, 7, 0x4};
inline constexpr Field kIngressThTh1{8, 7, 0xc};
inline constexpr Field kIngressThTh2{16, 7, 0x18};
inline constexpr Field kIngressThMargin{24, 7, 0x0};
inline constexpr std::uint32_t kIngressThReset = 0x00180c04;
inline constexpr std::uint32_t kMshrTh = 0x80c;
inline constexpr Field kMshrThTh0{0, 7, 0x10};
inline constexpr Field kMshrThTh1{8, 7, 0x20};
inline constexpr Field kMshrThTh2{16, 7, 0x30};
inline constexpr Field kMshrThMargin{24, 7, 0x0};
inline constexpr std::uint32_t kMshrThReset = 0x00302010;
inline constexpr std::uint32_t kWriteBacks = 0x810;
inline constexpr Field kWriteBacksCount{0, 32, 0x0};
inline constexpr std::uint32_t kWriteBacksReset = 0x00000000;
inline constexpr std::uint32_t kBacklogTh = 0x814;
inline constexpr Field kBacklogThTh0{0, 7, 0x7f};
inline constexpr Field kBacklogThTh1{8, 7, 0x7f};
inline constexpr Field kBacklogThTh2{16, 7, 0x7f};
inline constexpr Field kBacklogThMargin{24, 7, 0x0};
inline constexpr std::uint32_t kBacklogThReset = 0x007f7f7f;
inline constexpr std::uint32_t kTasksTh = 0x818;
inline constexpr Field kTasksThTh0{0, 7, 0x7f};
inline constexpr Field kTasksThTh1{8, 7, 0x7f};
inline constexpr Field kTasksThTh2{16, 7, 0x7f};
inline constexpr std::uint32_t kTasksThReset = 0x007f7f7f;
inline constexpr std::uint32_t kQosControl = 0x81c;
inline constexpr Field kQosControlEgressEnable{0, 1, 0x0};
inline constexpr Field kQosControlTtrEnable{1, 1, 0x0};
inline constexpr Field kQosControlEgressModerate{8, 7, 0xa};
inline constexpr Field kQosControlEgressSevere{16, 7, 0x19};
inline constexpr Field kQosControlInterval{24, 5, 0x8};
inline constexpr std::uint32_t kQosControlReset = 0x08190a00;
inline constexpr std::uint32_t kQosStatus = 0x820;
inline constexpr Field kQosStatusBackpressure{0, 7, 0x0};
inline constexpr Field kQosStatusIngress{8, 2, 0x0};
inline constexpr Field kQosStatusMshr{10, 2, 0x0};
inline constexpr Field kQosStatusBacklog{12, 2, 0x0};
inline constexpr Field kQosStatusTasks{14, 2, 0x0};
inline constexpr Field kQosStatusEgress{16, 2, 0x0};
inline constexpr Field kQosStatusDevLoad{18, 2, 0x0};
inline constexpr std::uint32_t kQosStatusReset = 0x00000000;
inline constexpr std::uint32_t kDemandHits = 0x830;
inline constexpr Field kDemandHitsCount{0, 32, 0x0};
inline constexpr std::uint32_t kDemandHitsReset = 0x00000000;
inline constexpr std::uint32_t kDemandMerges = 0x834;
inline constexpr Field kDemandMergesCount{0, 32, 0x0};
inline constexpr std::uint32_t kDemandMergesReset = 0x00000000;
inline constexpr std::uint32_t kDemandFills = 0x838;
inline constexpr Field kDemandFillsCount{0, 32, 0x0};
inline constexpr std::uint32_t kDemandFillsReset = 0x00000000;
inline constexpr std::uint32_t kSpecFills = 0x83c;
inline constexpr Field kSpecFillsCount{0, 32, 0x0};
inline constexpr std::uint32_t kSpecFillsReset = 0x00000000;
inline constexpr std::uint32_t kSpecNeedless = 0x840;
inline constexpr Field kSpecNeedlessCount{0, 32, 0x0};
inline constexpr std::uint32_t kSpecNeedlessReset = 0x00000000;
inline constexpr std::uint32_t kSpecDropped = 0x844;
inline constexpr Field kSpecDroppedCount{0, 32, 0x0};
inline constexpr std::uint32_t kSpecDroppedReset = 0x00000000;
inline constexpr std::uint32_t kSpecEvictedUnused = 0x848;
inline constexpr Field kSpecEvictedUnusedCount{0, 32, 0x0};
inline constexpr std::uint32_t kSpecEvictedUnusedReset = 0x00000000;
inline constexpr std::uint32_t kSpecDisplaced = 0x84c;
inline constexpr Field kSpecDisplacedCount{0, 32, 0x0};
inline constexpr std::uint32_t kSpecDisplacedReset = 0x00000000;
}  // namespace ep

// HDM decoder capability (component capability ID 5)
namespace hdm {
inline constexpr std::uint32_t kBlock = 0x000;
inline constexpr std::uint32_t kBlockBytes = 0x210;
inline constexpr std::uint32_t kDec = 0x010;
inline constexpr std::uint32_t kDecStride = 0x20;
inline constexpr unsigned kDecCount = 16;
inline constexpr std::uint32_t kCapability = 0x000;
inline constexpr Field kCapabilityCountCode{0, 4, 0x0};
inline constexpr Field kCapabilityTargetCount{4, 4, 0x8};
inline constexpr Field kCapabilityInterleaveLow{8, 1, 0x1};
inline constexpr Field kCapabilityInterleaveHigh{9, 1, 0x1};
inline constexpr Field kCapabilityWays3{11, 1, 0x1};
inline constexpr Field kCapabilityWays16{12, 1, 0x1};
inline constexpr std::uint32_t kCapabilityHostReset = 0x00000380;
inline constexpr std::uint32_t kCapabilityDeviceReset = 0x00001b00;
inline constexpr std::uint32_t kGlobalControl = 0x004;
inline constexpr Field kGlobalControlEnable{1, 1, 0x0};
inline constexpr std::uint32_t kGlobalControlHostReset = 0x00000000;
inline constexpr std::uint32_t kGlobalControlDeviceReset = 0x00000000;
inline constexpr std::uint32_t kDecBaseLow = 0x000;
inline constexpr Field kDecBaseLowBase{28, 4, 0x0};
inline constexpr std::uint32_t kDecBaseLowReset = 0x00000000;
inline constexpr std::uint32_t kDecBaseHigh = 0x004;
inline constexpr Field kDecBaseHighBase{0, 20, 0x0};
inline constexpr std::uint32_t kDecBaseHighReset = 0x00000000;
inline constexpr std::uint32_t kDecSizeLow = 0x008;
inline constexpr Field kDecSizeLowSize{28, 4, 0x0};
inline constexpr std::uint32_t kDecSizeLowReset = 0x00000000;
inline constexpr std::uint32_t kDecSizeHigh = 0x00c;
inline constexpr Field kDecSizeHighSize{0, 20, 0x0};
inline constexpr std::uint32_t kDecSizeHighReset = 0x00000000;
inline constexpr std::uint32_t kDecControl = 0x010;
inline constexpr Field kDecControlIg{0, 4, 0x0};
inline constexpr Field kDecControlIw{4, 4, 0x0};
inline constexpr Field kDecControlLock{8, 1, 0x0};
inline constexpr Field kDecControlCommit{9, 1, 0x0};
inline constexpr Field kDecControlCommitted{10, 1, 0x0};
inline constexpr Field kDecControlError{11, 1, 0x0};
inline constexpr Field kDecControlHostOnly{12, 1, 0x0};
inline constexpr std::uint32_t kDecControlReset = 0x00000000;
inline constexpr std::uint32_t kDecListLow = 0x014;
inline constexpr Field kDecListLowTargets{0, 32, 0x0};
inline constexpr Field kDecListLowSkip{28, 4, 0x0};
inline constexpr std::uint32_t kDecListLowHostReset = 0x00000000;
inline constexpr std::uint32_t kDecListLowDeviceReset = 0x00000000;
inline constexpr std::uint32_t kDecListHigh = 0x018;
inline constexpr Field kDecListHighTargets{0, 32, 0x0};
inline constexpr Field kDecListHighSkip{0, 20, 0x0};
inline constexpr std::uint32_t kDecListHighHostReset = 0x00000000;
inline constexpr std::uint32_t kDecListHighDeviceReset = 0x00000000;
}  // namespace hdm

// CXL.io access
namespace io_access {
inline constexpr std::uint32_t kBlock = 0x400;
inline constexpr std::uint32_t kBlockBytes = 0x400;
inline constexpr std::uint32_t kAddrLow = 0x400;
inline constexpr Field kAddrLowAddr{0, 32, 0x0};
inline constexpr std::uint32_t kAddrLowReset = 0x00000000;
inline constexpr std::uint32_t kAddrHigh = 0x404;
inline constexpr Field kAddrHighAddr{0, 32, 0x0};
inline constexpr std::uint32_t kAddrHighReset = 0x00000000;
inline constexpr std::uint32_t kData = 0x408;
inline constexpr Field kDataData{0, 32, 0x0};
inline constexpr std::uint32_t kDataReset = 0x00000000;
inline constexpr std::uint32_t kCommand = 0x40c;
inline constexpr Field kCommandOp{0, 3, 0x0};
inline constexpr Field kCommandBe{4, 4, 0x0};
inline constexpr Field kCommandStatus{8, 3, 0x0};
inline constexpr Field kCommandLinkUp{30, 1, 0x0};
inline constexpr Field kCommandBusy{31, 1, 0x0};
inline constexpr std::uint32_t kCommandReset = 0x00000000;
}  // namespace io_access

// Link capability (component capability ID 4)
namespace link {
inline constexpr std::uint32_t kBlock = 0x000;
inline constexpr std::uint32_t kBlockBytes = 0x34;
inline constexpr std::uint32_t kCapability = 0x000;
inline constexpr Field64 kCapabilityVersionSupported{0, 4, 0x2};
inline constexpr Field64 kCapabilityVersionReceived{4, 4, 0x0};
inline constexpr Field64 kCapabilityWrapSupported{8, 8, 0x0};
inline constexpr Field64 kCapabilityWrapReceived{16, 8, 0x0};
inline constexpr Field64 kCapabilityNumRetry{24, 5, 0x0};
inline constexpr Field64 kCapabilityNumPhyReinit{29, 5, 0x0};
inline constexpr Field64 kCapabilityWrPtr{34, 8, 0x0};
inline constexpr Field64 kCapabilityEseqEcho{42, 8, 0x0};
inline constexpr Field64 kCapabilityNumFreeBuf{50, 8, 0x0};
inline constexpr Field64 kCapabilityNoLlReset{58, 1, 0x1};
inline constexpr std::uint64_t kCapabilityReset = 0x0400000000000002;
inline constexpr std::uint32_t kControl = 0x008;
inline constexpr Field64 kControlLlReset{0, 1, 0x0};
inline constexpr Field64 kControlInitStall{1, 1, 0x0};
inline constexpr Field64 kControlCrdStall{2, 1, 0x0};
inline constexpr Field64 kControlInitState{3, 2, 0x0};
inline constexpr Field64 kControlLlrbConsumed{5, 8, 0x0};
inline constexpr std::uint64_t kControlReset = 0x0000000000000000;
inline constexpr std::uint32_t kRxCredit = 0x010;
inline constexpr Field64 kRxCreditCacheReq{0, 10, 0x0};
inline constexpr Field64 kRxCreditCacheRsp{10, 10, 0x0};
inline constexpr Field64 kRxCreditCacheData{20, 10, 0x0};
inline constexpr Field64 kRxCreditMemNd{30, 10, 0x0};
inline constexpr Field64 kRxCreditMemData{40, 10, 0x0};
inline constexpr std::uint64_t kRxCreditReset = 0x0000000000000000;
inline constexpr std::uint32_t kRxCreditReturn = 0x018;
inline constexpr Field64 kRxCreditReturnCacheReq{0, 10, 0x0};
inline constexpr Field64 kRxCreditReturnCacheRsp{10, 10, 0x0};
inline constexpr Field64 kRxCreditReturnCacheData{20, 10, 0x0};
inline constexpr Field64 kRxCreditReturnMemNd{30, 10, 0x0};
inline constexpr Field64 kRxCreditReturnMemData{40, 10, 0x0};
inline constexpr std::uint64_t kRxCreditReturnReset = 0x0000000000000000;
inline constexpr std::uint32_t kTxCredit = 0x020;
inline constexpr Field64 kTxCreditCacheReq{0, 10, 0x0};
inline constexpr Field64 kTxCreditCacheRsp{10, 10, 0x0};
inline constexpr Field64 kTxCreditCacheData{20, 10, 0x0};
inline constexpr Field64 kTxCreditMemNd{30, 10, 0x0};
inline constexpr Field64 kTxCreditMemData{40, 10, 0x0};
inline constexpr std::uint64_t kTxCreditReset = 0x0000000000000000;
inline constexpr std::uint32_t kAckTimer = 0x028;
inline constexpr Field kAckTimerAckForce{0, 8, 0x10};
inline constexpr Field kAckTimerFlush{8, 10, 0x20};
inline constexpr std::uint32_t kAckTimerReset = 0x00002010;
inline constexpr std::uint32_t kDefeature = 0x030;
inline constexpr Field kDefeatureMdhDisable{0, 1, 0x0};
inline constexpr std::uint32_t kDefeatureReset = 0x00000000;
}  // namespace link

// CXL device registers
namespace mailbox {
inline constexpr std::uint32_t kBlock = 0x000;
inline constexpr std::uint32_t kBlockBytes = 0x220;
inline constexpr std::uint32_t kPayload = 0x120;
inline constexpr std::uint32_t kPayloadStride = 0x4;
inline constexpr unsigned kPayloadCount = 64;
inline constexpr std::uint32_t kArray = 0x000;
inline constexpr Field kArrayId{0, 16, 0x0};
inline constexpr Field kArrayVersion{16, 8, 0x1};
inline constexpr std::uint32_t kArrayReset = 0x00010000;
inline constexpr std::uint32_t kArrayCount = 0x004;
inline constexpr Field kArrayCountCount{0, 16, 0x3};
inline constexpr std::uint32_t kArrayCountReset = 0x00000003;
inline constexpr std::uint32_t kStatusCap = 0x010;
inline constexpr Field kStatusCapId{0, 16, 0x1};
inline constexpr Field kStatusCapVersion{16, 8, 0x1};
inline constexpr std::uint32_t kStatusCapReset = 0x00010001;
inline constexpr std::uint32_t kStatusCapAt = 0x014;
inline constexpr Field kStatusCapAtOffset{0, 32, 0x80};
inline constexpr std::uint32_t kStatusCapAtReset = 0x00000080;
inline constexpr std::uint32_t kStatusCapBytes = 0x018;
inline constexpr Field kStatusCapBytesLength{0, 32, 0x8};
inline constexpr std::uint32_t kStatusCapBytesReset = 0x00000008;
inline constexpr std::uint32_t kMailboxCap = 0x020;
inline constexpr Field kMailboxCapId{0, 16, 0x2};
inline constexpr Field kMailboxCapVersion{16, 8, 0x1};
inline constexpr std::uint32_t kMailboxCapReset = 0x00010002;
inline constexpr std::uint32_t kMailboxCapAt = 0x024;
inline constexpr Field kMailboxCapAtOffset{0, 32, 0x100};
inline constexpr std::uint32_t kMailboxCapAtReset = 0x00000100;
inline constexpr std::uint32_t kMailboxCapBytes = 0x028;
inline constexpr Field kMailboxCapBytesLength{0, 32, 0x120};
inline constexpr std::uint32_t kMailboxCapBytesReset = 0x00000120;
inline constexpr std::uint32_t kMemoryCap = 0x030;
inline constexpr Field kMemoryCapId{0, 16, 0x4000};
inline constexpr Field kMemoryCapVersion{16, 8, 0x1};
inline constexpr std::uint32_t kMemoryCapReset = 0x00014000;
inline constexpr std::uint32_t kMemoryCapAt = 0x034;
inline constexpr Field kMemoryCapAtOffset{0, 32, 0x88};
inline constexpr std::uint32_t kMemoryCapAtReset = 0x00000088;
inline constexpr std::uint32_t kMemoryCapBytes = 0x038;
inline constexpr Field kMemoryCapBytesLength{0, 32, 0x8};
inline constexpr std::uint32_t kMemoryCapBytesReset = 0x00000008;
inline constexpr std::uint32_t kEventStatus = 0x080;
inline constexpr Field kEventStatusLogs{0, 32, 0x0};
inline constexpr std::uint32_t kEventStatusReset = 0x00000000;
inline constexpr std::uint32_t kEventStatusHigh = 0x084;
inline constexpr Field kEventStatusHighHigh{0, 32, 0x0};
inline constexpr std::uint32_t kEventStatusHighReset = 0x00000000;
inline constexpr std::uint32_t kMemoryStatus = 0x088;
inline constexpr Field kMemoryStatusFatal{0, 1, 0x0};
inline constexpr Field kMemoryStatusHalt{1, 1, 0x0};
inline constexpr Field kMemoryStatusMedia{2, 2, 0x0};
inline constexpr Field kMemoryStatusMailboxReady{4, 1, 0x1};
inline constexpr Field kMemoryStatusResetNeeded{5, 3, 0x0};
inline constexpr std::uint32_t kMemoryStatusReset = 0x00000010;
inline constexpr std::uint32_t kMemoryStatusHigh = 0x08c;
inline constexpr Field kMemoryStatusHighHigh{0, 32, 0x0};
inline constexpr std::uint32_t kMemoryStatusHighReset = 0x00000000;
inline constexpr std::uint32_t kCapability = 0x100;
inline constexpr Field kCapabilityPayload{0, 5, 0x8};
inline constexpr Field kCapabilityDoorbellIrq{5, 1, 0x0};
inline constexpr Field kCapabilityBackgroundIrq{6, 1, 0x0};
inline constexpr Field kCapabilityMessage{7, 4, 0x0};
inline constexpr std::uint32_t kCapabilityReset = 0x00000008;
inline constexpr std::uint32_t kControl = 0x104;
inline constexpr Field kControlDoorbell{0, 1, 0x0};
inline constexpr Field kControlDoorbellIrq{1, 1, 0x0};
inline constexpr Field kControlBackgroundIrq{2, 1, 0x0};
inline constexpr std::uint32_t kControlReset = 0x00000000;
inline constexpr std::uint32_t kCommand = 0x108;
inline constexpr Field kCommandOpcode{0, 16, 0x0};
inline constexpr Field kCommandLength{16, 16, 0x0};
inline constexpr std::uint32_t kCommandReset = 0x00000000;
inline constexpr std::uint32_t kCommandHigh = 0x10c;
inline constexpr Field kCommandHighLength{0, 5, 0x0};
inline constexpr std::uint32_t kCommandHighReset = 0x00000000;
inline constexpr std::uint32_t kStatus = 0x110;
inline constexpr Field kStatusBackground{0, 1, 0x0};
inline constexpr std::uint32_t kStatusReset = 0x00000000;
inline constexpr std::uint32_t kStatusHigh = 0x114;
inline constexpr Field kStatusHighCode{0, 16, 0x0};
inline constexpr Field kStatusHighExtended{16, 16, 0x0};
inline constexpr std::uint32_t kStatusHighReset = 0x00000000;
inline constexpr std::uint32_t kBackground = 0x118;
inline constexpr Field kBackgroundOpcode{0, 16, 0x0};
inline constexpr Field kBackgroundPercent{16, 7, 0x0};
inline constexpr std::uint32_t kBackgroundReset = 0x00000000;
inline constexpr std::uint32_t kBackgroundHigh = 0x11c;
inline constexpr Field kBackgroundHighCode{0, 16, 0x0};
inline constexpr Field kBackgroundHighExtended{16, 16, 0x0};
inline constexpr std::uint32_t kBackgroundHighReset = 0x00000000;
inline constexpr std::uint32_t kPayloadWord = 0x000;
inline constexpr Field kPayloadWordData{0, 32, 0x0};
inline constexpr std::uint32_t kPayloadWordReset = 0x00000000;
}  // namespace mailbox

// RAS capability (component capability ID 2)
namespace ras {
inline constexpr std::uint32_t kBlock = 0x000;
inline constexpr std::uint32_t kBlockBytes = 0x58;
inline constexpr std::uint32_t kHeaderLog = 0x018;
inline constexpr std::uint32_t kHeaderLogStride = 0x4;
inline constexpr unsigned kHeaderLogCount = 16;
inline constexpr std::uint32_t kUncorStatus = 0x000;
inline constexpr Field kUncorStatusCacheDataParity{0, 1, 0x0};
inline constexpr Field kUncorStatusCacheAddrParity{1, 1, 0x0};
inline constexpr Field kUncorStatusCacheBeParity{2, 1, 0x0};
inline constexpr Field kUncorStatusCacheDataEcc{3, 1, 0x0};
inline constexpr Field kUncorStatusMemDataParity{4, 1, 0x0};
inline constexpr Field kUncorStatusMemAddrParity{5, 1, 0x0};
inline constexpr Field kUncorStatusMemBeParity{6, 1, 0x0};
inline constexpr Field kUncorStatusMemDataEcc{7, 1, 0x0};
inline constexpr Field kUncorStatusReinitThreshold{8, 1, 0x0};
inline constexpr Field kUncorStatusEncoding{9, 1, 0x0};
inline constexpr Field kUncorStatusPoison{10, 1, 0x0};
inline constexpr Field kUncorStatusOverflow{11, 1, 0x0};
inline constexpr Field kUncorStatusInternal{14, 1, 0x0};
inline constexpr Field kUncorStatusIdeTx{15, 1, 0x0};
inline constexpr Field kUncorStatusIdeRx{16, 1, 0x0};
inline constexpr std::uint32_t kUncorStatusReset = 0x00000000;
inline constexpr std::uint32_t kUncorMask = 0x004;
inline constexpr Field kUncorMaskCacheDataParity{0, 1, 0x1};
inline constexpr Field kUncorMaskCacheAddrParity{1, 1, 0x1};
inline constexpr Field kUncorMaskCacheBeParity{2, 1, 0x1};
inline constexpr Field kUncorMaskCacheDataEcc{3, 1, 0x1};
inline constexpr Field kUncorMaskMemDataParity{4, 1, 0x1};
inline constexpr Field kUncorMaskMemAddrParity{5, 1, 0x1};
inline constexpr Field kUncorMaskMemBeParity{6, 1, 0x1};
inline constexpr Field kUncorMaskMemDataEcc{7, 1, 0x1};
inline constexpr Field kUncorMaskReinitThreshold{8, 1, 0x1};
inline constexpr Field kUncorMaskEncoding{9, 1, 0x1};
inline constexpr Field kUncorMaskPoison{10, 1, 0x1};
inline constexpr Field kUncorMaskOverflow{11, 1, 0x1};
inline constexpr Field kUncorMaskInternal{14, 1, 0x1};
inline constexpr Field kUncorMaskIdeTx{15, 1, 0x1};
inline constexpr Field kUncorMaskIdeRx{16, 1, 0x1};
inline constexpr std::uint32_t kUncorMaskReset = 0x0001cfff;
inline constexpr std::uint32_t kUncorSeverity = 0x008;
inline constexpr Field kUncorSeverityCacheDataParity{0, 1, 0x1};
inline constexpr Field kUncorSeverityCacheAddrParity{1, 1, 0x1};
inline constexpr Field kUncorSeverityCacheBeParity{2, 1, 0x1};
inline constexpr Field kUncorSeverityCacheDataEcc{3, 1, 0x1};
inline constexpr Field kUncorSeverityMemDataParity{4, 1, 0x1};
inline constexpr Field kUncorSeverityMemAddrParity{5, 1, 0x1};
inline constexpr Field kUncorSeverityMemBeParity{6, 1, 0x1};
inline constexpr Field kUncorSeverityMemDataEcc{7, 1, 0x1};
inline constexpr Field kUncorSeverityReinitThreshold{8, 1, 0x1};
inline constexpr Field kUncorSeverityEncoding{9, 1, 0x1};
inline constexpr Field kUncorSeverityPoison{10, 1, 0x1};
inline constexpr Field kUncorSeverityOverflow{11, 1, 0x1};
inline constexpr Field kUncorSeverityInternal{14, 1, 0x1};
inline constexpr Field kUncorSeverityIdeTx{15, 1, 0x1};
inline constexpr Field kUncorSeverityIdeRx{16, 1, 0x1};
inline constexpr std::uint32_t kUncorSeverityReset = 0x0001cfff;
inline constexpr std::uint32_t kCorStatus = 0x00c;
inline constexpr Field kCorStatusCacheDataEcc{0, 1, 0x0};
inline constexpr Field kCorStatusMemDataEcc{1, 1, 0x0};
inline constexpr Field kCorStatusCrcThreshold{2, 1, 0x0};
inline constexpr Field kCorStatusRetryThreshold{3, 1, 0x0};
inline constexpr Field kCorStatusCachePoison{4, 1, 0x0};
inline constexpr Field kCorStatusMemPoison{5, 1, 0x0};
inline constexpr Field kCorStatusPhy{6, 1, 0x0};
inline constexpr std::uint32_t kCorStatusReset = 0x00000000;
inline constexpr std::uint32_t kCorMask = 0x010;
inline constexpr Field kCorMaskCacheDataEcc{0, 1, 0x1};
inline constexpr Field kCorMaskMemDataEcc{1, 1, 0x1};
inline constexpr Field kCorMaskCrcThreshold{2, 1, 0x1};
inline constexpr Field kCorMaskRetryThreshold{3, 1, 0x1};
inline constexpr Field kCorMaskCachePoison{4, 1, 0x1};
inline constexpr Field kCorMaskMemPoison{5, 1, 0x1};
inline constexpr Field kCorMaskPhy{6, 1, 0x1};
inline constexpr std::uint32_t kCorMaskReset = 0x0000007f;
inline constexpr std::uint32_t kControl = 0x014;
inline constexpr Field kControlFirstError{0, 6, 0x0};
inline constexpr Field kControlMultipleHeaders{9, 1, 0x0};
inline constexpr Field kControlPoisonEnabled{13, 1, 0x1};
inline constexpr std::uint32_t kControlReset = 0x00002000;
inline constexpr std::uint32_t kHeaderLogWord = 0x000;
inline constexpr Field kHeaderLogWordData{0, 32, 0x0};
inline constexpr std::uint32_t kHeaderLogWordReset = 0x00000000;
}  // namespace ras

// Root port vendor block
namespace rp {
inline constexpr std::uint32_t kBlock = 0x800;
inline constexpr std::uint32_t kBlockBytes = 0x800;
inline constexpr std::uint32_t kPolicy = 0x800;
inline constexpr Field kPolicySelect{0, 3, 0x0};
inline constexpr Field kPolicyLenEnable{4, 1, 0x0};
inline constexpr Field kPolicyClipLog2{8, 4, 0xf};
inline constexpr Field kPolicyWays{12, 4, 0x0};
inline constexpr Field kPolicyStreamSets{16, 4, 0x6};
inline constexpr std::uint32_t kPolicyReset = 0x00060f00;
inline constexpr std::uint32_t kState = 0x804;
inline constexpr Field kStateGran{0, 3, 0x1};
inline constexpr std::uint32_t kStateReset = 0x00000001;
inline constexpr std::uint32_t kLoads = 0x810;
inline constexpr Field kLoadsCount{0, 32, 0x0};
inline constexpr std::uint32_t kLoadsReset = 0x00000000;
inline constexpr std::uint32_t kStores = 0x814;
inline constexpr Field kStoresCount{0, 32, 0x0};
inline constexpr std::uint32_t kStoresReset = 0x00000000;
inline constexpr std::uint32_t kSpecs = 0x818;
inline constexpr Field kSpecsCount{0, 32, 0x0};
inline constexpr std::uint32_t kSpecsReset = 0x00000000;
inline constexpr std::uint32_t kLight = 0x81c;
inline constexpr Field kLightCount{0, 32, 0x0};
inline constexpr std::uint32_t kLightReset = 0x00000000;
inline constexpr std::uint32_t kOptimal = 0x820;
inline constexpr Field kOptimalCount{0, 32, 0x0};
inline constexpr std::uint32_t kOptimalReset = 0x00000000;
inline constexpr std::uint32_t kModerate = 0x824;
inline constexpr Field kModerateCount{0, 32, 0x0};
inline constexpr std::uint32_t kModerateReset = 0x00000000;
inline constexpr std::uint32_t kSevere = 0x828;
inline constexpr Field kSevereCount{0, 32, 0x0};
inline constexpr std::uint32_t kSevereReset = 0x00000000;
inline constexpr std::uint32_t kLoadsSeen = 0x82c;
inline constexpr Field kLoadsSeenCount{0, 32, 0x0};
inline constexpr std::uint32_t kLoadsSeenReset = 0x00000000;
inline constexpr std::uint32_t kIssued = 0x830;
inline constexpr Field kIssuedCount{0, 32, 0x0};
inline constexpr std::uint32_t kIssuedReset = 0x00000000;
inline constexpr std::uint32_t kRingSuppressed = 0x834;
inline constexpr Field kRingSuppressedCount{0, 32, 0x0};
inline constexpr std::uint32_t kRingSuppressedReset = 0x00000000;
inline constexpr std::uint32_t kHaltSuppressed = 0x838;
inline constexpr Field kHaltSuppressedCount{0, 32, 0x0};
inline constexpr std::uint32_t kHaltSuppressedReset = 0x00000000;
inline constexpr std::uint32_t kUnexpected = 0x83c;
inline constexpr Field kUnexpectedCount{0, 32, 0x0};
inline constexpr std::uint32_t kUnexpectedReset = 0x00000000;
inline constexpr std::uint32_t kViral = 0x840;
inline constexpr Field kViralPort{0, 1, 0x0};
inline constexpr Field kViralOnFatal{1, 1, 0x0};
inline constexpr Field kViralDevice{2, 1, 0x0};
inline constexpr std::uint32_t kViralReset = 0x00000000;
inline constexpr std::uint32_t kDsControl = 0x850;
inline constexpr Field kDsControlEnable{0, 1, 0x0};
inline constexpr Field kDsControlFence{1, 1, 0x0};
inline constexpr Field kDsControlMaxWrites{8, 5, 0x8};
inline constexpr std::uint32_t kDsControlReset = 0x00000800;
inline constexpr std::uint32_t kDsStatus = 0x854;
inline constexpr Field kDsStatusOn{0, 1, 0x0};
inline constexpr Field kDsStatusEmpty{1, 1, 0x1};
inline constexpr Field kDsStatusError{2, 1, 0x0};
inline constexpr Field kDsStatusCount{16, 13, 0x0};
inline constexpr std::uint32_t kDsStatusReset = 0x00000002;
inline constexpr std::uint32_t kDsInterval = 0x858;
inline constexpr Field kDsIntervalLight{0, 4, 0x0};
inline constexpr Field kDsIntervalOptimal{4, 4, 0x0};
inline constexpr Field kDsIntervalModerate{8, 4, 0x8};
inline constexpr Field kDsIntervalSevere{12, 4, 0xc};
inline constexpr std::uint32_t kDsIntervalReset = 0x0000c800;
inline constexpr std::uint32_t kDsBaseLow = 0x85c;
inline constexpr Field kDsBaseLowAddr{18, 14, 0x0};
inline constexpr std::uint32_t kDsBaseLowReset = 0x00000000;
inline constexpr std::uint32_t kDsBaseHigh = 0x860;
inline constexpr Field kDsBaseHighAddr{0, 20, 0x0};
inline constexpr std::uint32_t kDsBaseHighReset = 0x00000000;
inline constexpr std::uint32_t kDsCap = 0x864;
inline constexpr Field kDsCapSlots{0, 13, 0x0};
inline constexpr Field kDsCapWrites{16, 5, 0x0};
inline constexpr std::uint32_t kDsDirect = 0x870;
inline constexpr Field kDsDirectCount{0, 32, 0x0};
inline constexpr std::uint32_t kDsDirectReset = 0x00000000;
inline constexpr std::uint32_t kDsDeferred = 0x874;
inline constexpr Field kDsDeferredCount{0, 32, 0x0};
inline constexpr std::uint32_t kDsDeferredReset = 0x00000000;
inline constexpr std::uint32_t kDsInPlace = 0x878;
inline constexpr Field kDsInPlaceCount{0, 32, 0x0};
inline constexpr std::uint32_t kDsInPlaceReset = 0x00000000;
inline constexpr std::uint32_t kDsFlushed = 0x87c;
inline constexpr Field kDsFlushedCount{0, 32, 0x0};
inline constexpr std::uint32_t kDsFlushedReset = 0x00000000;
inline constexpr std::uint32_t kDsLoadHit = 0x880;
inline constexpr Field kDsLoadHitCount{0, 32, 0x0};
inline constexpr std::uint32_t kDsLoadHitReset = 0x00000000;
inline constexpr std::uint32_t kDsLoadMerged = 0x884;
inline constexpr Field kDsLoadMergedCount{0, 32, 0x0};
inline constexpr std::uint32_t kDsLoadMergedReset = 0x00000000;
inline constexpr std::uint32_t kDsFilterFalse = 0x888;
inline constexpr Field kDsFilterFalseCount{0, 32, 0x0};
inline constexpr std::uint32_t kDsFilterFalseReset = 0x00000000;
inline constexpr std::uint32_t kDsNoSlot = 0x88c;
inline constexpr Field kDsNoSlotCount{0, 32, 0x0};
inline constexpr std::uint32_t kDsNoSlotReset = 0x00000000;
inline constexpr std::uint32_t kDsWriteErrors = 0x890;
inline constexpr Field kDsWriteErrorsCount{0, 32, 0x0};
inline constexpr std::uint32_t kDsWriteErrorsReset = 0x00000000;
inline constexpr std::uint32_t kDsRefused = 0x894;
inline constexpr Field kDsRefusedCount{0, 32, 0x0};
inline constexpr std::uint32_t kDsRefusedReset = 0x00000000;
inline constexpr std::uint32_t kSpecRequested = 0x8a0;
inline constexpr Field kSpecRequestedCount{0, 32, 0x0};
inline constexpr std::uint32_t kSpecRequestedReset = 0x00000000;
inline constexpr std::uint32_t kSpecLinesUsed = 0x8a4;
inline constexpr Field kSpecLinesUsedCount{0, 32, 0x0};
inline constexpr std::uint32_t kSpecLinesUsedReset = 0x00000000;
inline constexpr std::uint32_t kSpecUsefulGranules = 0x8a8;
inline constexpr Field kSpecUsefulGranulesCount{0, 32, 0x0};
inline constexpr std::uint32_t kSpecUsefulGranulesReset = 0x00000000;
inline constexpr std::uint32_t kSpecUselessGranules = 0x8ac;
inline constexpr Field kSpecUselessGranulesCount{0, 32, 0x0};
inline constexpr std::uint32_t kSpecUselessGranulesReset = 0x00000000;
inline constexpr std::uint32_t kSpecIssuedLate = 0x8b0;
inline constexpr Field kSpecIssuedLateCount{0, 32, 0x0};
inline constexpr std::uint32_t kSpecIssuedLateReset = 0x00000000;
inline constexpr std::uint32_t kScoreSuppressed = 0x8b4;
inline constexpr Field kScoreSuppressedCount{0, 32, 0x0};
inline constexpr std::uint32_t kScoreSuppressedReset = 0x00000000;
}  // namespace rp

// Device Serial Number extended capability
namespace serial_number {
inline constexpr std::uint32_t kBlock = 0x000;
inline constexpr std::uint32_t kBlockBytes = 0xc;
inline constexpr std::uint32_t kCapHeader = 0x000;
inline constexpr Field kCapHeaderId{0, 16, 0x3};
inline constexpr Field kCapHeaderVersion{16, 4, 0x1};
inline constexpr Field kCapHeaderNext{20, 12, 0x0};
inline constexpr std::uint32_t kCapHeaderReset = 0x00010003;
inline constexpr std::uint32_t kLow = 0x004;
inline constexpr Field kLowNumber{0, 32, 0x0};
inline constexpr std::uint32_t kHigh = 0x008;
inline constexpr Field kHighNumber{0, 32, 0x0};
}  // namespace serial_number

// Timeout and isolation capability (component capability ID 9)
namespace timeout {
inline constexpr std::uint32_t kBlock = 0x000;
inline constexpr std::uint32_t kBlockBytes = 0x10;
inline constexpr std::uint32_t kCapability = 0x000;
inline constexpr Field kCapabilityMemRanges{0, 4, 0xf};
inline constexpr Field kCapabilityMemTimeout{4, 1, 0x1};
inline constexpr Field kCapabilityCacheRanges{8, 4, 0x0};
inline constexpr Field kCapabilityCacheTimeout{12, 1, 0x0};
inline constexpr Field kCapabilityMemIsolation{16, 1, 0x1};
inline constexpr Field kCapabilityMemLinkDown{17, 1, 0x1};
inline constexpr Field kCapabilityCacheIsolation{18, 1, 0x0};
inline constexpr Field kCapabilityCacheLinkDown{19, 1, 0x0};
inline constexpr Field kCapabilityErrCor{25, 1, 0x0};
inline constexpr Field kCapabilityInterrupt{26, 1, 0x0};
inline constexpr Field kCapabilityVector{27, 5, 0x0};
inline constexpr std::uint32_t kCapabilityReset = 0x0003001f;
inline constexpr std::uint32_t kControl = 0x008;
inline constexpr Field kControlMemValue{0, 4, 0x0};
inline constexpr Field kControlMemEnable{4, 1, 0x0};
inline constexpr Field kControlCacheValue{8, 4, 0x0};
inline constexpr Field kControlCacheEnable{12, 1, 0x0};
inline constexpr Field kControlMemIsolation{16, 1, 0x0};
inline constexpr Field kControlMemLinkDown{17, 1, 0x0};
inline constexpr Field kControlCacheIsolation{18, 1, 0x0};
inline constexpr Field kControlCacheLinkDown{19, 1, 0x0};
inline constexpr Field kControlErrCor{25, 1, 0x0};
inline constexpr Field kControlInterrupt{26, 1, 0x0};
inline constexpr std::uint32_t kControlReset = 0x00000000;
inline constexpr std::uint32_t kStatus = 0x00c;
inline constexpr Field kStatusMemTimeout{0, 1, 0x0};
inline constexpr Field kStatusCacheTimeout{4, 1, 0x0};
inline constexpr Field kStatusMemIsolation{8, 1, 0x0};
inline constexpr Field kStatusMemLinkDown{9, 1, 0x0};
inline constexpr Field kStatusCacheIsolation{12, 1, 0x0};
inline constexpr Field kStatusCacheLinkDown{13, 1, 0x0};
inline constexpr Field kStatusBusy{14, 1, 0x0};
inline constexpr std::uint32_t kStatusReset = 0x00000000;
}  // namespace timeout

}  // namespace cxlgpu::regs
