// Register offsets, fields and reset values.
//
// Made by tools/regs.py from regs/: do not edit.
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
inline constexpr std::uint32_t kIngressThReset = 0x00180c04;
inline constexpr std::uint32_t kMshrTh = 0x80c;
inline constexpr Field kMshrThTh0{0, 7, 0x10};
inline constexpr Field kMshrThTh1{8, 7, 0x20};
inline constexpr Field kMshrThTh2{16, 7, 0x30};
inline constexpr std::uint32_t kMshrThReset = 0x00302010;
inline constexpr std::uint32_t kWriteBacks = 0x810;
inline constexpr Field kWriteBacksCount{0, 32, 0x0};
inline constexpr std::uint32_t kWriteBacksReset = 0x00000000;
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
inline constexpr std::uint32_t kCapabilityHostReset = 0x00001b80;
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
inline constexpr std::uint32_t kPolicyReset = 0x00000f00;
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
inline constexpr std::uint32_t kSeen = 0x82c;
inline constexpr Field kSeenCount{0, 32, 0x0};
inline constexpr std::uint32_t kSeenReset = 0x00000000;
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
}  // namespace rp

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
