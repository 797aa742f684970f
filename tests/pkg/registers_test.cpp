// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
// The register map: offsets, fields and reset values written by hand from the specification and
// from docs/blocks, against what scripts/regs.py makes of regs/*.yaml. RTL and twins share the
// generated names, so that lockstep cannot see a wrong one; this can. And the generator's own
// checks.
#include "common/registers.hpp"

#include <gtest/gtest.h>
#include <sys/wait.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "common/register_table.hpp"
#include "common/register_types.hpp"

namespace cxlgpu {
namespace {

namespace fs = std::filesystem;

void expect_field(const char* name, const regs::Field& field, unsigned msb, unsigned lsb,
                  std::uint32_t reset = 0) {
  SCOPED_TRACE(name);
  EXPECT_EQ(field.lsb, lsb);
  EXPECT_EQ(field.lsb + field.width - 1, msb);
  EXPECT_EQ(field.reset, reset);
}
#define EXPECT_FIELD(field, ...) expect_field(#field, field, __VA_ARGS__)

TEST(Registers, Field) {
  constexpr regs::Field middle{8, 4, 15};
  EXPECT_EQ(middle.mask(), 0xf00u);
  EXPECT_EQ(middle.get(0x12345678), 6u);
  EXPECT_EQ(middle.put(0x25), 0x500u);
  EXPECT_TRUE(middle.is_set(0x100));
  EXPECT_FALSE(middle.is_set(0xff));
  constexpr regs::Field whole{0, 32, 0};
  EXPECT_EQ(whole.mask(), 0xffffffffu);
  constexpr regs::Field64 wide{29, 5, 0};
  EXPECT_EQ(wide.mask(), std::uint64_t{0x1f} << 29);
}

// CXL 2.0 8.1.3, 8.1.8, 8.1.9, and docs/blocks for ours.
TEST(Registers, Dvsecs) {
  namespace dev = regs::dvsec_device;
  EXPECT_EQ(dev::kDvsecHeaderReset, 0x0381'1e98u);  // 38h bytes, revision 1
  EXPECT_FIELD(dev::kCapHeaderNext, 31, 20);
  EXPECT_EQ(dev::kDvsecId, 0x08u);
  EXPECT_EQ(dev::kCapability, 0x0au);
  EXPECT_FIELD(dev::kCapabilityMem, 2, 2, 1);
  EXPECT_FIELD(dev::kCapabilityHdmCount, 5, 4);
  EXPECT_FIELD(dev::kCapabilityViral, 14, 14, 1);
  EXPECT_EQ(dev::kControl, 0x0cu);
  EXPECT_FIELD(dev::kControlIo, 1, 1, 1);
  EXPECT_FIELD(dev::kControlMem, 2, 2);
  EXPECT_FIELD(dev::kControlViral, 14, 14);
  EXPECT_EQ(dev::kStatus, 0x0eu);
  EXPECT_FIELD(dev::kStatusViral, 14, 14);
  EXPECT_EQ(dev::kLock, 0x14u);
  EXPECT_EQ(dev::kRange + dev::kRangeSizeHigh, 0x18u);
  EXPECT_EQ(dev::kRange + dev::kRangeSizeLow, 0x1cu);
  EXPECT_EQ(dev::kRange + dev::kRangeStride + dev::kRangeBaseLow, 0x34u);
  EXPECT_FIELD(dev::kRangeSizeLowInfoValid, 0, 0);
  EXPECT_FIELD(dev::kRangeSizeLowActive, 1, 1);
  EXPECT_FIELD(dev::kRangeSizeLowSize, 31, 28);

  namespace flex = regs::dvsec_flex_bus;
  EXPECT_EQ(flex::kDvsecIdReset, 7u);
  EXPECT_EQ(flex::kStatus, 0x0eu);
  EXPECT_FIELD(flex::kStatusIo, 1, 1);
  EXPECT_FIELD(flex::kStatusMem, 2, 2);
  EXPECT_FIELD(flex::kStatusCxl2, 5, 5);

  namespace loc = regs::dvsec_locator;
  EXPECT_EQ(loc::kDvsecIdReset, 8u);
  EXPECT_FIELD(loc::kDvsecHeaderLength, 31, 20);
  EXPECT_EQ(loc::kEntry, 0x0cu);
  EXPECT_EQ(loc::kEntryStride, 8u);
  EXPECT_FIELD(loc::kEntryLowBir, 2, 0);
  EXPECT_FIELD(loc::kEntryLowId, 15, 8, 1);
  EXPECT_FIELD(loc::kEntryLowOffset, 31, 16);
  EXPECT_EQ(loc::kDeviceEntry, 0x14u);
  EXPECT_FIELD(loc::kDeviceEntryLowId, 15, 8, 3);

  namespace gpf = regs::dvsec_gpf_device;
  EXPECT_EQ(gpf::kDvsecIdReset, 5u);
  EXPECT_FIELD(gpf::kDvsecHeaderLength, 31, 20, 0x10);
  EXPECT_EQ(gpf::kDuration, 0x0au);
  EXPECT_EQ(gpf::kPower, 0x0cu);

  namespace own = regs::dvsec_vendor;
  EXPECT_EQ(own::kDvsecIdReset, 1u);
  EXPECT_FIELD(own::kCapabilityLength, 0, 0, 1);
  EXPECT_FIELD(own::kCapabilityGranule, 7, 4, 8);
  EXPECT_FIELD(own::kCapabilityMax, 10, 8);
  EXPECT_EQ(own::kBlockLow, 0x0cu);
  EXPECT_EQ(own::kBlockHigh, 0x10u);
}

// CXL 2.0 8.2.8.
TEST(Registers, DeviceRegisters) {
  namespace box = regs::mailbox;
  EXPECT_EQ(box::kArrayReset, 0x0001'0000u);
  EXPECT_EQ(box::kArrayCountReset, 3u);
  EXPECT_EQ(box::kMailboxCapAtReset, box::kCapability);
  EXPECT_EQ(box::kMemoryCapAtReset, box::kMemoryStatus);
  EXPECT_EQ(box::kStatusCapAtReset, box::kEventStatus);
  EXPECT_EQ(box::kControl - box::kCapability, 0x04u);
  EXPECT_EQ(box::kCommand - box::kCapability, 0x08u);
  EXPECT_EQ(box::kStatus - box::kCapability, 0x10u);
  EXPECT_EQ(box::kBackground - box::kCapability, 0x18u);
  EXPECT_EQ(box::kPayload - box::kCapability, 0x20u);
  EXPECT_FIELD(box::kCommandOpcode, 15, 0);
  EXPECT_FIELD(box::kCommandLength, 31, 16);
  EXPECT_FIELD(box::kCommandHighLength, 4, 0);
  EXPECT_FIELD(box::kStatusHighCode, 15, 0);
  EXPECT_FIELD(box::kMemoryStatusMedia, 3, 2);
  EXPECT_FIELD(box::kMemoryStatusMailboxReady, 4, 4, 1);
}

// CXL 2.0 8.2.5.1 and 8.2.6; docs/blocks/cxl_io/io_access.md.
TEST(Registers, ComponentBlockAndAccess) {
  namespace cmp = regs::component;
  EXPECT_EQ(cmp::kHeader, 0x1000u);
  EXPECT_EQ(cmp::kHeaderReset, 0x0011'0001u);
  EXPECT_FIELD(cmp::kHeaderArraySize, 31, 24);
  EXPECT_EQ(cmp::kEntry, 0x1004u);
  EXPECT_EQ(cmp::kEntryStride, 4u);  // each entry has its own values
  EXPECT_FIELD(cmp::kEntryHeaderId, 15, 0);
  EXPECT_FIELD(cmp::kEntryHeaderOffset, 31, 20);
  EXPECT_EQ(regs::arb_mux::kIoWeight, 0xe180u);
  EXPECT_EQ(regs::arb_mux::kCmWeight, 0xe1c0u);

  namespace io = regs::io_access;
  EXPECT_EQ(io::kAddrLow, 0x400u);
  EXPECT_EQ(io::kAddrHigh, 0x404u);
  EXPECT_EQ(io::kData, 0x408u);
  EXPECT_EQ(io::kCommand, 0x40cu);
  EXPECT_FIELD(io::kCommandOp, 2, 0);
  EXPECT_FIELD(io::kCommandBe, 7, 4);
  EXPECT_FIELD(io::kCommandStatus, 10, 8);
  EXPECT_FIELD(io::kCommandLinkUp, 30, 30);
  EXPECT_FIELD(io::kCommandBusy, 31, 31);
}

template <typename Field>
void expect_place(const char* name, const Field& field, unsigned msb, unsigned lsb) {
  SCOPED_TRACE(name);
  EXPECT_EQ(field.lsb, lsb);
  EXPECT_EQ(field.lsb + field.width - 1, msb);
}

// CXL 2.0 8.2.5.11.
TEST(Registers, Link) {
  using namespace regs::link;
#define EXPECT_PLACE(field, msb, lsb) expect_place(#field, field, msb, lsb)
  EXPECT_EQ(kCapability, 0x00u);
  EXPECT_PLACE(kCapabilityVersionSupported, 3, 0);
  EXPECT_PLACE(kCapabilityVersionReceived, 7, 4);
  EXPECT_PLACE(kCapabilityWrapSupported, 15, 8);
  EXPECT_PLACE(kCapabilityWrapReceived, 23, 16);
  EXPECT_PLACE(kCapabilityNumRetry, 28, 24);
  EXPECT_PLACE(kCapabilityNumPhyReinit, 33, 29);
  EXPECT_PLACE(kCapabilityWrPtr, 41, 34);
  EXPECT_PLACE(kCapabilityEseqEcho, 49, 42);
  EXPECT_PLACE(kCapabilityNumFreeBuf, 57, 50);
  EXPECT_PLACE(kCapabilityNoLlReset, 58, 58);
  EXPECT_EQ(kControl, 0x08u);
  EXPECT_PLACE(kControlLlReset, 0, 0);
  EXPECT_PLACE(kControlInitStall, 1, 1);
  EXPECT_PLACE(kControlCrdStall, 2, 2);
  EXPECT_PLACE(kControlInitState, 4, 3);
  EXPECT_PLACE(kControlLlrbConsumed, 12, 5);
  EXPECT_EQ(kRxCredit, 0x10u);
  EXPECT_EQ(kRxCreditReturn, 0x18u);
  EXPECT_EQ(kTxCredit, 0x20u);
  EXPECT_PLACE(kRxCreditMemNd, 39, 30);
  EXPECT_PLACE(kRxCreditReturnMemData, 49, 40);
  EXPECT_PLACE(kTxCreditMemNd, 39, 30);
  EXPECT_EQ(kAckTimer, 0x28u);
  EXPECT_PLACE(kAckTimerAckForce, 7, 0);
  EXPECT_PLACE(kAckTimerFlush, 17, 8);
  EXPECT_EQ(kAckTimerReset, 0x2010u);
  EXPECT_EQ(kDefeature, 0x30u);
  EXPECT_PLACE(kDefeatureMdhDisable, 0, 0);
#undef EXPECT_PLACE
}

// CXL 2.0 8.2.5.12, bits 11 and 12 of the capability from CXL 3.x.
TEST(Registers, HdmDecoder) {
  using namespace regs::hdm;
  EXPECT_EQ(kCapability, 0x00u);
  EXPECT_FIELD(kCapabilityCountCode, 3, 0);
  EXPECT_FIELD(kCapabilityTargetCount, 7, 4, 8);
  EXPECT_FIELD(kCapabilityInterleaveLow, 8, 8, 1);
  EXPECT_FIELD(kCapabilityInterleaveHigh, 9, 9, 1);
  EXPECT_FIELD(kCapabilityWays3, 11, 11, 1);
  EXPECT_FIELD(kCapabilityWays16, 12, 12, 1);
  EXPECT_EQ(kCapabilityHostReset, 0x380u);
  EXPECT_EQ(kCapabilityDeviceReset, 0x1b00u);
  EXPECT_EQ(kGlobalControl, 0x04u);
  EXPECT_FIELD(kGlobalControlEnable, 1, 1);

  const auto address = [](unsigned n, std::uint32_t offset) {
    return kDec + n * kDecStride + offset;
  };
  for (unsigned n = 0; n < 10; ++n) {
    EXPECT_EQ(address(n, kDecBaseLow), 0x20 * n + 0x10);
    EXPECT_EQ(address(n, kDecBaseHigh), 0x20 * n + 0x14);
    EXPECT_EQ(address(n, kDecSizeLow), 0x20 * n + 0x18);
    EXPECT_EQ(address(n, kDecSizeHigh), 0x20 * n + 0x1c);
    EXPECT_EQ(address(n, kDecControl), 0x20 * n + 0x20);
    EXPECT_EQ(address(n, kDecListLow), 0x20 * n + 0x24);
    EXPECT_EQ(address(n, kDecListHigh), 0x20 * n + 0x28);
  }
  EXPECT_GE(kDecCount, 10u);
  EXPECT_EQ(kDecBaseLowReset | kDecBaseHighReset | kDecSizeLowReset | kDecSizeHighReset, 0u);
  EXPECT_EQ(kDecControlReset | kDecListLowHostReset | kDecListHighDeviceReset, 0u);

  EXPECT_FIELD(kDecBaseLowBase, 31, 28);
  EXPECT_FIELD(kDecBaseHighBase, 19, 0);  // addresses have 52 bits
  EXPECT_FIELD(kDecSizeLowSize, 31, 28);
  EXPECT_FIELD(kDecSizeHighSize, 19, 0);
  EXPECT_FIELD(kDecListLowTargets, 31, 0);
  EXPECT_FIELD(kDecListHighTargets, 31, 0);
  EXPECT_FIELD(kDecListLowSkip, 31, 28);
  EXPECT_FIELD(kDecListHighSkip, 19, 0);
  EXPECT_FIELD(kDecControlIg, 3, 0);
  EXPECT_FIELD(kDecControlIw, 7, 4);
  EXPECT_FIELD(kDecControlLock, 8, 8);
  EXPECT_FIELD(kDecControlCommit, 9, 9);
  EXPECT_FIELD(kDecControlCommitted, 10, 10);
  EXPECT_FIELD(kDecControlError, 11, 11);
  EXPECT_FIELD(kDecControlHostOnly, 12, 12);
}

// docs/blocks/root_port/root_port.md.
TEST(Registers, RootPort) {
  using namespace regs::rp;
  EXPECT_EQ(kBlock, 0x800u);
  EXPECT_EQ(kPolicy, 0x800u);
  EXPECT_FIELD(kPolicySelect, 2, 0);
  EXPECT_FIELD(kPolicyLenEnable, 4, 4);
  EXPECT_FIELD(kPolicyClipLog2, 11, 8, 15);
  EXPECT_FIELD(kPolicyWays, 15, 12);
  EXPECT_FIELD(kPolicyStreamSets, 19, 16, 6);
  EXPECT_EQ(kPolicyReset, 0x60f00u);
  EXPECT_EQ(kState, 0x804u);
  EXPECT_FIELD(kStateGran, 2, 0, 1);
  EXPECT_EQ(kLoads, 0x810u);
  EXPECT_EQ(kStores, 0x814u);
  EXPECT_EQ(kSpecs, 0x818u);
  EXPECT_EQ(kLight, 0x81cu);
  EXPECT_EQ(kOptimal, 0x820u);
  EXPECT_EQ(kModerate, 0x824u);
  EXPECT_EQ(kSevere, 0x828u);
  EXPECT_EQ(kLoadsSeen, 0x82cu);
  EXPECT_EQ(kIssued, 0x830u);
  EXPECT_EQ(kRingSuppressed, 0x834u);
  EXPECT_EQ(kHaltSuppressed, 0x838u);
  EXPECT_EQ(kUnexpected, 0x83cu);
  EXPECT_EQ(kViral, 0x840u);
  EXPECT_FIELD(kViralPort, 0, 0);
  EXPECT_FIELD(kViralOnFatal, 1, 1);
  EXPECT_FIELD(kViralDevice, 2, 2);
  EXPECT_EQ(kDsControl, 0x850u);
  EXPECT_FIELD(kDsControlMaxWrites, 14, 8, 8);
  EXPECT_EQ(kDsCap, 0x864u);
  EXPECT_FIELD(kDsCapSlots, 12, 0);
  EXPECT_FIELD(kDsCapWrites, 22, 16);
  EXPECT_EQ(kSrCap, 0x868u);
  EXPECT_FIELD(kSrCapSrQueue, 6, 0);
  EXPECT_FIELD(kSrCapMemoryQueue, 14, 8);
  EXPECT_FIELD(kSrCapRing, 28, 16);
  EXPECT_FIELD(kSrCapSpecGranules, 31, 29);
}

// docs/blocks/endpoint/dev_load.md, endpoint/endpoint_regs.md.
TEST(Registers, Endpoint) {
  using namespace regs::ep;
  EXPECT_EQ(kBlock, 0x800u);
  EXPECT_EQ(kControl, 0x800u);
  EXPECT_FIELD(kControlDramEnable, 0, 0);
  EXPECT_FIELD(kControlLenEnable, 1, 1);
  EXPECT_EQ(kSets, 0x804u);
  EXPECT_FIELD(kSetsLog2, 3, 0);
  EXPECT_EQ(kIngressTh, 0x808u);
  EXPECT_FIELD(kIngressThTh0, 6, 0, 4);
  EXPECT_FIELD(kIngressThTh1, 14, 8, 12);
  EXPECT_FIELD(kIngressThTh2, 22, 16, 24);
  EXPECT_EQ(kIngressThReset, 0x180c04u);
  EXPECT_EQ(kMshrTh, 0x80cu);
  EXPECT_FIELD(kMshrThTh0, 6, 0, 16);
  EXPECT_FIELD(kMshrThTh1, 14, 8, 32);
  EXPECT_FIELD(kMshrThTh2, 22, 16, 48);
  EXPECT_EQ(kMshrThReset, 0x302010u);
  EXPECT_EQ(kCap, 0x824u);
  EXPECT_FIELD(kCapMshrs, 8, 0);
  EXPECT_FIELD(kCapLineBytes, 26, 16);
  EXPECT_EQ(kWriteBacks, 0x810u);
  EXPECT_FIELD(kWriteBacksCount, 31, 0);
}

// ----------------------------------------------------------------------------------------
// Registers as structs: one of each access kind, by hand from docs/registers.md

TEST(RegisterTypes, AStructBeginsWithTheResetValues) {
  const regs::rp::PolicyReg policy;
  EXPECT_EQ(policy.clip_log2, 15u);
  EXPECT_FALSE(policy.len_enable);
  EXPECT_EQ(policy.word(), 0x60f00u);
  EXPECT_EQ(regs::timeout::CapabilityReg{}.word(), 0x0003'001fu);
  EXPECT_EQ(regs::dvsec_locator::EntryLowReg{}.word(), 0x0100u);
}

TEST(RegisterTypes, ReadAndWrite) {
  regs::rp::PolicyReg policy;
  policy.write(0xffff'ffff);
  EXPECT_EQ(policy.word(), 0x000f'fff7u);
  policy.write(0x0003'4512);
  EXPECT_EQ(policy.select, 2u);
  EXPECT_TRUE(policy.len_enable);
  EXPECT_EQ(policy.clip_log2, 5u);
  EXPECT_EQ(policy.ways, 4u);
  EXPECT_EQ(policy.stream_sets, 3u);
}

TEST(RegisterTypes, FieldsOfAWord) {
  EXPECT_EQ(regs::rp::PolicyReg::from(0x0003'4512).word(), 0x0003'4512u);
  EXPECT_EQ(regs::rp::PolicyReg::from(0xfff0'0000).word(), 0u);
  const auto status = regs::io_access::CommandReg::from(0xc000'0100);
  EXPECT_EQ(status.status, 1u);
  EXPECT_TRUE(status.busy && status.link_up);
  EXPECT_EQ(regs::link::TxCreditReg::from(0x155ull << 30).mem_nd, 0x155u);
}

TEST(RegisterTypes, AOneClears) {
  regs::ras::UncorStatusReg status{.encoding = true, .overflow = true};
  status.write(1u << 9);
  EXPECT_EQ(status.word(), 1u << 11);
  status.write(~(1u << 11));
  EXPECT_EQ(status.word(), 1u << 11);
}

TEST(RegisterTypes, AOneStaysAndReadOnlyToo) {
  regs::rp::ViralReg viral{.device = true};
  viral.write(0b011);
  EXPECT_EQ(viral.word(), 0b111u);
  viral.write(0);
  EXPECT_EQ(viral.word(), 0b101u);
  viral.write(0b100);
  EXPECT_EQ(viral.word(), 0b001u);

  regs::timeout::ControlReg control;
  control.write(0xffff'ffff);
  EXPECT_EQ(control.word(), 0x0003'001fu);
}

TEST(RegisterTypes, LockedStays) {
  regs::hdm::DecControlReg control{.committed = true, .error = true};
  control.write(0xffff'ffff, true);
  EXPECT_EQ(control.word(), 0xc00u);
  control.write(0x1212, false);
  EXPECT_EQ(control.word(), 0x1e12u);
}

TEST(RegisterTypes, EachSideBeginsWithItsOwnValues) {
  using regs::Side;
  EXPECT_EQ(regs::hdm::CapabilityReg::at_reset(Side::Host).word(), 0x380u);
  EXPECT_EQ(regs::hdm::CapabilityReg::at_reset(Side::Device).word(), 0x1b00u);
  EXPECT_EQ(regs::hdm::CapabilityReg{}.word(), 0x300u);
  EXPECT_EQ(regs::dvsec_flex_bus::Regs::at_reset(Side::Host).word_at(0xc), 0x26u);
  EXPECT_EQ(regs::dvsec_flex_bus::Regs::at_reset(Side::Device).word_at(0xc), 0u);
}

TEST(RegisterTypes, EachSideHasItsOwnFields) {
  regs::hdm::DecListLowReg list;
  list.write(0xffff'ffff, regs::Side::Device, false);
  EXPECT_EQ(list.word(), 0xf000'0000u);
  list = {};
  list.write(0x1234'5678, regs::Side::Host, false);
  EXPECT_EQ(list.word(), 0x1234'5678u);
}

TEST(RegisterTypes, HalvesOf64Bits) {
  regs::link::RxCreditReg credit;
  credit.write(0xffff'ffff, 0);
  EXPECT_EQ(credit.whole(), 0xc000'0000u);
  credit.write(0x0001'5501, 1);
  EXPECT_EQ(credit.mem_nd, 0b111u);
  EXPECT_EQ(credit.mem_data, 0x155u);
  EXPECT_EQ(credit.word(1), 0x0001'5501u);
  credit.write(0, 0);
  EXPECT_EQ(credit.mem_nd, 0b100u);
}

TEST(RegisterTypes, BytesOfConfigurationSpace) {
  regs::dvsec_port::AltPreBaseReg base;
  base.write(0xffff, 0b01);
  EXPECT_EQ(base.word(), 0x00f1u);
  base.write(0xabcd, 0b10);
  EXPECT_EQ(base.word(), 0xabf1u);
  regs::dvsec_flex_bus::StatusReg status{.id_correctable = true, .id_unexpected = true};
  status.write(0xffff, 0b01);
  EXPECT_EQ(status.word(), 0x0500u);
  status.write(0x0100, 0b10);
  EXPECT_EQ(status.word(), 0x0400u);
  regs::dvsec_device::LockReg lock;
  lock.write(1, 0b10);
  EXPECT_FALSE(lock.config_lock);
  lock.write(1, 0b01);
  lock.write(0, 0b11);
  EXPECT_TRUE(lock.config_lock);
}

TEST(RegisterTypes, ABlockByItsOffsets) {
  regs::dvsec_device::Regs device;
  EXPECT_EQ(device.word_at(0x04), 0x0381'1e98u);
  EXPECT_EQ(device.word_at(0x09), 0xc00e'0000u);  // with DVSEC ID 0 below
  device.write_at(0x0c, 0xffff'ffff, 0b0011, false);
  EXPECT_EQ(device.word_at(0x0c), 0x4006u);
  device.write_at(0x34, 0xffff'ffff, 0b1111, false);
  EXPECT_EQ(device.range[1].base_low.base, 15u);
  EXPECT_EQ(device.word_at(0x34), 0xf000'0000u);
  device.write_at(0x34, 0, 0b1111, true);
  EXPECT_EQ(device.word_at(0x34), 0xf000'0000u);
  EXPECT_EQ(device.word_at(0x38), 0u);

  regs::hdm::Regs decoders;
  decoders.write_at(0x1f8, 0xfff0'1234, regs::Side::Device, false);
  EXPECT_EQ(decoders.dec[15].list_high.skip, 0u);  // the size's is at 1fch
  EXPECT_EQ(decoders.dec[15].size_low.size, 15u);
  EXPECT_EQ(decoders.word_at(0x1f8), 0xf000'0000u);
  EXPECT_EQ(decoders.word_at(0x210), 0u);
}

TEST(RegisterTypes, TheTableHasWhatTheStructsHave) {
  const auto row = [](std::string_view block, std::string_view group, std::string_view reg,
                      std::string_view field) {
    const auto* found =
        std::find_if(regs::kFields.begin(), regs::kFields.end(), [&](const regs::FieldRow& r) {
          return r.block == block && r.group == group && r.reg == reg && r.field == field;
        });
    EXPECT_NE(found, regs::kFields.end()) << block << "." << reg << "." << field;
    return found == regs::kFields.end() ? regs::FieldRow{} : *found;
  };
  const regs::FieldRow skip = row("hdm", "dec", "list_high", "skip");
  EXPECT_EQ(skip.offset, 0x28u);
  EXPECT_EQ(skip.stride, 0x20u);
  EXPECT_EQ(skip.count, 16u);
  EXPECT_EQ(skip.field_width, 20u);
  EXPECT_EQ(skip.access, regs::Access::RWL);
  EXPECT_EQ(skip.owner, regs::Owner::Device);
  const regs::FieldRow sets = row("ep", "", "sets", "log2");
  EXPECT_TRUE(sets.parameter);
  EXPECT_EQ(sets.count, 1u);
  const regs::FieldRow version = row("link", "", "capability", "version_supported");
  EXPECT_EQ(version.width, 64u);
  EXPECT_EQ(version.reset, 2u);
  EXPECT_EQ(row("dvsec_locator", "entry", "low", "bir").access, regs::Access::HwInit);
}

// ----------------------------------------------------------------------------------------
// scripts/regs.py

struct Ran {
  int status = 0;
  std::string text;  // standard error
};

const fs::path kSource = CXLGPU_SOURCE_DIR;

Ran regs_py(const std::string& options) {
  const std::string command =
      "python3 '" + (kSource / "scripts/regs.py").string() + "' " + options + " 2>&1 >/dev/null";
  const std::unique_ptr<FILE, int (*)(FILE*)> pipe(popen(command.c_str(), "r"),
                                                   [](FILE*) { return 0; });
  Ran ran;
  std::array<char, 256> part{};
  while (fgets(part.data(), part.size(), pipe.get()) != nullptr) ran.text += part.data();
  const int status = pclose(pipe.get());
  ran.status = WIFEXITED(status) ? WEXITSTATUS(status) : -1;
  return ran;
}

std::string read_text(const fs::path& path) {
  std::ifstream in(path);
  return {std::istreambuf_iterator<char>(in), {}};
}

constexpr const char* kGood = R"(block: one
prefix: One
title: a block
status: built
where: here
rtl: rtl/one.sv
source: ours
first: 0x100
size: 0x100
reserved: 0x108-0x10b
registers:
  - name: first
    offset: 0x100
    meaning: a register
    reserved: 31:8
    fields:
      - {name: low, bits: 3:0, access: RW, reset: 5, meaning: low half}
      - {name: high, bits: 7:4, access: RW, reset: param, meaning: high half}
  - {name: second, offset: 0x104, meaning: again, reserved: 31:8, like: first, access: RO, reset: 0}
  - group: row
    offset: 0x10c
    stride: 0x8
    count: 3
    meaning: rows
    reserved: 0x4-0x7
    registers:
      - {name: slot, offset: 0x0, meaning: one, fields: [{name: all, bits: 31:0, access: RW, reset: 0, meaning: all}]}
)";

// A tree of its own with one block.
class Generator : public ::testing::Test {
 protected:
  Generator() {
    std::string name = (fs::temp_directory_path() / "cxlgpu_regs_XXXXXX").string();
    root_ = mkdtemp(name.data());
    fs::create_directories(root_ / "regs");
    fs::create_directories(root_ / "rtl");
    std::ofstream(root_ / "rtl/one.sv") << "\n";
  }
  ~Generator() override { fs::remove_all(root_); }

  Ran run(const std::string& text, const std::string& options = "") {
    std::ofstream(root_ / "regs/one.yaml") << text;
    return regs_py(options + " --root '" + root_.string() + "'");
  }
  static std::string with(const std::string& old_text, const std::string& new_text) {
    std::string text = kGood;
    const auto at = text.find(old_text);
    EXPECT_NE(at, std::string::npos) << old_text;
    return text.replace(at, old_text.size(), new_text);
  }

  fs::path root_;
};

TEST(RegsPy, TheTreeIsCurrent) {
  const Ran ran = regs_py("--check");
  EXPECT_EQ(ran.status, 0) << ran.text;
}

TEST_F(Generator, WritesWhatTheBlockSays) {
  const Ran ran = run(kGood);
  ASSERT_EQ(ran.status, 0) << ran.text;
  const std::string sv = read_text(root_ / "rtl/pkg/cxl_reg_pkg.sv");
  for (const char* line :
       {"OneBlockOffset = 12'h100;", "OneFirstOffset = 12'h100;", "OneFirstLowLsb = 0;",
        "OneFirstHighLsb = 4;", "OneFirstHighWidth = 4;", "OneFirstLowReset = 4'h5;",
        "OneFirstReset = 32'h00000005;", "OneSecondOffset = 12'h104;", "OneRowOffset = 12'h10C;",
        "OneRowStride = 8;", "OneRowCount = 3;", "OneRowSlotOffset = 12'h000;"}) {
    EXPECT_NE(sv.find(line), std::string::npos) << line;
  }
  EXPECT_EQ(sv.find("OneFirstHighReset"), std::string::npos);  // a parameter
  const std::string cpp = read_text(root_ / "common/registers.hpp");
  for (const char* line : {"namespace one {", "kFirst = 0x100;", "kFirstHigh{4, 4, 0x0};",
                           "kFirstReset = 0x00000005;", "kRow = 0x10c;", "kRowSlot = 0x000;"}) {
    EXPECT_NE(cpp.find(line), std::string::npos) << line;
  }
  const std::string types = read_text(root_ / "rtl/pkg/cxl_reg_types_pkg.sv");
  for (const char* line :
       {"  } one_first_t;", "OneFirstAtReset = '{high: 4'h0, low: 4'h5};",
        "return {24'd0, f.high, f.low};", "return '{high: word[7:4], low: word[3:0]};",
        "d.high = wdata[7:4];", "one_row_t [2:0] row;", "OneRegsAtReset = '{",
        "row: {3{OneRowAtReset}}", "10'h040: data = one_first_word(r.first);",
        "data = one_row_word(r.row[row_at[4:3]], "}) {
    EXPECT_NE(types.find(line), std::string::npos) << line;
  }
  EXPECT_EQ(types.find("one_second_written"), std::string::npos);  // read-only
  const std::string structs = read_text(root_ / "common/register_types.hpp");
  for (const char* line : {"struct FirstReg {", "std::uint32_t low = 0x5;",
                           "high = kFirstHigh.get(value);", "std::array<RowSet, kRowCount> row;"}) {
    EXPECT_NE(structs.find(line), std::string::npos) << line;
  }
  const std::string table = read_text(root_ / "common/register_table.hpp");
  EXPECT_NE(
      table.find("\"row\", \"slot\", 0x10c, 8, 3, 32, \"all\", 0, 32, Access::RW, 0x0, false"),
      std::string::npos);
  const std::string page = read_text(root_ / "docs/registers.md");
  EXPECT_NE(page.find("| 100h | **first**: a register | 3:0 | low | RW | 5 | low half |"),
            std::string::npos);
}

TEST_F(Generator, APlannedBlockIsOnlyDocumented) {
  const Ran ran = run(with("status: built", "status: planned"));
  ASSERT_EQ(ran.status, 0) << ran.text;
  EXPECT_EQ(read_text(root_ / "rtl/pkg/cxl_reg_pkg.sv").find("OneFirst"), std::string::npos);
  EXPECT_EQ(read_text(root_ / "common/registers.hpp").find("kFirst"), std::string::npos);
  EXPECT_NE(read_text(root_ / "docs/registers.md").find("**first**"), std::string::npos);
}

TEST_F(Generator, CheckSeesAStaleFileAndLeavesIt) {
  EXPECT_EQ(run(kGood, "--check").status, 1);  // nothing made yet
  EXPECT_FALSE(fs::exists(root_ / "docs/registers.md"));
  ASSERT_EQ(run(kGood).status, 0);
  EXPECT_EQ(run(kGood, "--check").status, 0);
  const Ran ran = run(with("reset: 5", "reset: 6"), "--check");
  EXPECT_EQ(ran.status, 1);
  EXPECT_NE(ran.text.find("rtl/pkg/cxl_reg_pkg.sv is not current"), std::string::npos) << ran.text;
  EXPECT_NE(read_text(root_ / "docs/registers.md").find("| RW | 5 |"), std::string::npos);
}

TEST_F(Generator, WhatDoesNotChangeIsNotTouched) {
  ASSERT_EQ(run(kGood).status, 0);
  const fs::path page = root_ / "docs/registers.md", sv = root_ / "rtl/pkg/cxl_reg_pkg.sv";
  const auto long_ago = fs::file_time_type::clock::now() - std::chrono::hours(1);
  fs::last_write_time(page, long_ago);
  fs::last_write_time(sv, long_ago);
  ASSERT_EQ(run(with("low half", "lower half")).status, 0);
  EXPECT_EQ(fs::last_write_time(sv), long_ago);
  EXPECT_GT(fs::last_write_time(page), long_ago);
  EXPECT_EQ(std::distance(fs::directory_iterator(root_ / "docs"), {}), 1);  // no part is left
}

TEST_F(Generator, ErrorsAreOneLineAndWriteNothing) {
  struct Case {
    const char* old_text;
    const char* new_text;
    const char* message;
  };
  const std::vector<Case> cases = {
      {"bits: 7:4", "bits: 7:3", "one.yaml:18: bits: bit 3 is in 'low' too"},
      {"bits: 7:4", "bits: 7:5", "one.yaml:12: fields: bit 4 is neither in a field nor reserved"},
      {"bits: 7:4", "bits: 32:4", "one.yaml:18: bits: '32:4' is beyond the register's 32 bits"},
      {"bits: 7:4", "bits: 4:7", "one.yaml:18: bits: '4:7' is not msb:lsb"},
      {"reserved: 31:8", "reserved: 31:7", "one.yaml:12: reserved: bit 7 is in 'high'"},
      {"reset: 5", "reset: 16", "one.yaml:17: reset: 0x10 does not fit in 4 bits"},
      {"reset: 5", "reset: -1", "one.yaml:17: reset: '-1' is not a number"},
      {"access: RW, reset: 5", "access: WO, reset: 5", "one.yaml:17: access: 'WO' is none of"},
      {"name: high", "name: low", "one.yaml:18: name: field 'low' stands here twice"},
      {"name: second", "name: first", "one.yaml:19: name: 'first' stands in this list twice"},
      {"name: second", "name: Second", "one.yaml:19: name: 'Second' is not a name"},
      {"like: first", "like: third", "one.yaml:19: like: no register 'third' before this one"},
      {"offset: 0x104", "offset: 0x100", "overlaps what ends at 0x103"},
      {"offset: 0x104", "offset: 0x106", "one.yaml:19: offset: 0x106 is not aligned to 32 bits"},
      {"offset: 0x10c", "offset: 0x1f0", "is outside 0x100-0x1ff"},
      {"reserved: 0x108-0x10b", "reserved: 0x106-0x10b", "overlaps what ends at 0x107"},
      {"reserved: 0x108-0x10b\n", "", "one.yaml:19: offset: 0x108-0x10b in front of 'row'"},
      {"stride: 0x8", "stride: 0x4", "is outside 0x0-0x3"},
      {"stride: 0x8", "stride: 0xc", "one.yaml:22: stride: a power of two"},
      {"name: second", "name: signed", "one.yaml:19: name: 'signed' is a word of SystemVerilog"},
      {"name: low", "name: value", "one.yaml:17: name: 'value' is a word of"},
      {"    reserved: 0x4-0x7\n", "", "one.yaml:20: registers: 0x4-0x7 is neither used nor"},
      {"count: 3", "count: 99", "is outside 0x100-0x1ff"},
      {"prefix: One\n", "", "one.yaml:1: prefix: key is missing"},
      {"prefix: One\n", "prefix: One\nprefix: Two\n", "one.yaml:3: prefix: stands here twice"},
      {"where: here", "wher: here", "one.yaml:5: wher: no such key"},
      {"status: built", "status: done", "one.yaml:4: status: 'done' is none of built, planned"},
      {"rtl: rtl/one.sv", "rtl: rtl/two.sv", "rtl: rtl/two.sv is not there"},
      {"rtl: rtl/one.sv\n", "", "one.yaml:4: status: a built block names its module"},
      {"name: second,", "name: first_low,", "would be generated twice"},  // first's field low
      {"- name: first", "- name: [first", "one.yaml:"},
      {"meaning: low half", "meaning: a | b", "one.yaml:17: meaning: ASCII without | is wanted"},
      {kGood, "", "one.yaml:1: the file is empty"},
  };
  for (const Case& c : cases) {
    SCOPED_TRACE(std::string(c.old_text) + " -> " + c.new_text);
    const Ran ran = run(with(c.old_text, c.new_text));
    EXPECT_EQ(ran.status, 2);
    EXPECT_NE(ran.text.find(c.message), std::string::npos) << ran.text;
    EXPECT_EQ(std::count(ran.text.begin(), ran.text.end(), '\n'), 1) << ran.text;
    EXPECT_FALSE(fs::exists(root_ / "docs"));
  }
}

TEST_F(Generator, TwoBlocksOfOneName) {
  std::ofstream(root_ / "regs/two.yaml") << kGood;
  const Ran ran = run(kGood);
  EXPECT_EQ(ran.status, 2);
  EXPECT_NE(ran.text.find("two.yaml:1: block, prefix: regs/one.yaml has the same"),
            std::string::npos)
      << ran.text;
}

}  // namespace
}  // namespace cxlgpu
