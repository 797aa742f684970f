// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
// Registers as structs of their fields.
//
// Made by scripts/regs.py from regs/: do not edit.
//
// Purpose: what software makes of a register: word() is what a read gives, from() the fields of a
//          word, write() what a write of software leaves in them, by their access kinds. What
//          hardware does to them is its block's. A struct begins with the reset values, 0 in what a
//          parameter sets.
//          Regs is a whole block, a set ...Set one of a group of equal registers: word_at() and
//          write_at() go by the offset in the block or set, of a word; what is reserved reads 0.
//          A write_at() of no register, or of one that is read-only, changes nothing.
// Units:   words of 32 bits; of a register of 64 bits half 0 is the lower one. enables: the bytes
//          of the register that are written (configuration space). locked: fields with RWL stay.
//          side: who has the register, where host and device differ; at_reset() is then what it
//          begins with, and a struct made without it has 0 in the fields of one side.
// Errors:  none.
// Source:  regs/*.yaml, each with its source.
#pragma once

#include <array>
#include <cstdint>

#include "common/registers.hpp"

namespace cxlgpu::regs {

enum class Side : std::uint8_t { Host, Device };

// The bits of the bytes that are enabled.
[[nodiscard]] constexpr std::uint32_t enabled_bits(unsigned enables) {
  std::uint32_t bits = 0;
  for (unsigned i = 0; i < 4; ++i) bits |= (enables >> i & 1u) * (0xffu << 8 * i);
  return bits;
}

// Advanced Error Reporting extended capability
namespace aer {

// cap_header
struct CapHeaderReg {
  std::uint32_t id = 0x1;
  std::uint32_t version = 0x2;
  std::uint32_t next = 0x0;

  bool operator==(const CapHeaderReg&) const = default;
  [[nodiscard]] static constexpr CapHeaderReg from(std::uint32_t word) {
    CapHeaderReg fields;
    fields.id = kCapHeaderId.get(word);
    fields.version = kCapHeaderVersion.get(word);
    fields.next = kCapHeaderNext.get(word);
    return fields;
  }
  [[nodiscard]] constexpr std::uint32_t word() const {
    return kCapHeaderId.put(id) | kCapHeaderVersion.put(version) | kCapHeaderNext.put(next);
  }
};

// uncor_status
struct UncorStatusReg {
  bool dllp = false;
  bool poison = false;
  bool abort = false;
  bool completion = false;
  bool overflow = false;
  bool malformed = false;
  bool unsupported = false;
  bool internal = false;

  bool operator==(const UncorStatusReg&) const = default;
  [[nodiscard]] static constexpr UncorStatusReg from(std::uint32_t word) {
    UncorStatusReg fields;
    fields.dllp = kUncorStatusDllp.is_set(word);
    fields.poison = kUncorStatusPoison.is_set(word);
    fields.abort = kUncorStatusAbort.is_set(word);
    fields.completion = kUncorStatusCompletion.is_set(word);
    fields.overflow = kUncorStatusOverflow.is_set(word);
    fields.malformed = kUncorStatusMalformed.is_set(word);
    fields.unsupported = kUncorStatusUnsupported.is_set(word);
    fields.internal = kUncorStatusInternal.is_set(word);
    return fields;
  }
  [[nodiscard]] constexpr std::uint32_t word() const {
    return kUncorStatusDllp.put(dllp) | kUncorStatusPoison.put(poison) |
           kUncorStatusAbort.put(abort) | kUncorStatusCompletion.put(completion) |
           kUncorStatusOverflow.put(overflow) | kUncorStatusMalformed.put(malformed) |
           kUncorStatusUnsupported.put(unsupported) | kUncorStatusInternal.put(internal);
  }
  constexpr void write(std::uint32_t value, unsigned enables) {
    const std::uint32_t bits = enabled_bits(enables);
    const std::uint32_t ones = value & bits;
    dllp = dllp && !kUncorStatusDllp.is_set(ones);
    poison = poison && !kUncorStatusPoison.is_set(ones);
    abort = abort && !kUncorStatusAbort.is_set(ones);
    completion = completion && !kUncorStatusCompletion.is_set(ones);
    overflow = overflow && !kUncorStatusOverflow.is_set(ones);
    malformed = malformed && !kUncorStatusMalformed.is_set(ones);
    unsupported = unsupported && !kUncorStatusUnsupported.is_set(ones);
    internal = internal && !kUncorStatusInternal.is_set(ones);
  }
};

// uncor_mask
struct UncorMaskReg {
  bool dllp = false;
  bool poison = false;
  bool abort = false;
  bool completion = false;
  bool overflow = false;
  bool malformed = false;
  bool unsupported = false;
  bool internal = true;

  bool operator==(const UncorMaskReg&) const = default;
  [[nodiscard]] static constexpr UncorMaskReg from(std::uint32_t word) {
    UncorMaskReg fields;
    fields.dllp = kUncorMaskDllp.is_set(word);
    fields.poison = kUncorMaskPoison.is_set(word);
    fields.abort = kUncorMaskAbort.is_set(word);
    fields.completion = kUncorMaskCompletion.is_set(word);
    fields.overflow = kUncorMaskOverflow.is_set(word);
    fields.malformed = kUncorMaskMalformed.is_set(word);
    fields.unsupported = kUncorMaskUnsupported.is_set(word);
    fields.internal = kUncorMaskInternal.is_set(word);
    return fields;
  }
  [[nodiscard]] constexpr std::uint32_t word() const {
    return kUncorMaskDllp.put(dllp) | kUncorMaskPoison.put(poison) | kUncorMaskAbort.put(abort) |
           kUncorMaskCompletion.put(completion) | kUncorMaskOverflow.put(overflow) |
           kUncorMaskMalformed.put(malformed) | kUncorMaskUnsupported.put(unsupported) |
           kUncorMaskInternal.put(internal);
  }
  constexpr void write(std::uint32_t value, unsigned enables) {
    const std::uint32_t bits = enabled_bits(enables);
    const std::uint32_t written = (word() & ~bits) | (value & bits);
    dllp = kUncorMaskDllp.is_set(written);
    poison = kUncorMaskPoison.is_set(written);
    abort = kUncorMaskAbort.is_set(written);
    completion = kUncorMaskCompletion.is_set(written);
    overflow = kUncorMaskOverflow.is_set(written);
    malformed = kUncorMaskMalformed.is_set(written);
    unsupported = kUncorMaskUnsupported.is_set(written);
    internal = kUncorMaskInternal.is_set(written);
  }
};

// uncor_severity
struct UncorSeverityReg {
  bool dllp = true;
  bool poison = false;
  bool abort = false;
  bool completion = false;
  bool overflow = true;
  bool malformed = true;
  bool unsupported = false;
  bool internal = true;

  bool operator==(const UncorSeverityReg&) const = default;
  [[nodiscard]] static constexpr UncorSeverityReg from(std::uint32_t word) {
    UncorSeverityReg fields;
    fields.dllp = kUncorSeverityDllp.is_set(word);
    fields.poison = kUncorSeverityPoison.is_set(word);
    fields.abort = kUncorSeverityAbort.is_set(word);
    fields.completion = kUncorSeverityCompletion.is_set(word);
    fields.overflow = kUncorSeverityOverflow.is_set(word);
    fields.malformed = kUncorSeverityMalformed.is_set(word);
    fields.unsupported = kUncorSeverityUnsupported.is_set(word);
    fields.internal = kUncorSeverityInternal.is_set(word);
    return fields;
  }
  [[nodiscard]] constexpr std::uint32_t word() const {
    return kUncorSeverityDllp.put(dllp) | kUncorSeverityPoison.put(poison) |
           kUncorSeverityAbort.put(abort) | kUncorSeverityCompletion.put(completion) |
           kUncorSeverityOverflow.put(overflow) | kUncorSeverityMalformed.put(malformed) |
           kUncorSeverityUnsupported.put(unsupported) | kUncorSeverityInternal.put(internal);
  }
  constexpr void write(std::uint32_t value, unsigned enables) {
    const std::uint32_t bits = enabled_bits(enables);
    const std::uint32_t written = (word() & ~bits) | (value & bits);
    dllp = kUncorSeverityDllp.is_set(written);
    poison = kUncorSeverityPoison.is_set(written);
    abort = kUncorSeverityAbort.is_set(written);
    completion = kUncorSeverityCompletion.is_set(written);
    overflow = kUncorSeverityOverflow.is_set(written);
    malformed = kUncorSeverityMalformed.is_set(written);
    unsupported = kUncorSeverityUnsupported.is_set(written);
    internal = kUncorSeverityInternal.is_set(written);
  }
};

// cor_status
struct CorStatusReg {
  bool receiver = false;
  bool bad_tlp = false;
  bool bad_dllp = false;
  bool rollover = false;
  bool replay_timer = false;
  bool advisory = false;
  bool internal = false;

  bool operator==(const CorStatusReg&) const = default;
  [[nodiscard]] static constexpr CorStatusReg from(std::uint32_t word) {
    CorStatusReg fields;
    fields.receiver = kCorStatusReceiver.is_set(word);
    fields.bad_tlp = kCorStatusBadTlp.is_set(word);
    fields.bad_dllp = kCorStatusBadDllp.is_set(word);
    fields.rollover = kCorStatusRollover.is_set(word);
    fields.replay_timer = kCorStatusReplayTimer.is_set(word);
    fields.advisory = kCorStatusAdvisory.is_set(word);
    fields.internal = kCorStatusInternal.is_set(word);
    return fields;
  }
  [[nodiscard]] constexpr std::uint32_t word() const {
    return kCorStatusReceiver.put(receiver) | kCorStatusBadTlp.put(bad_tlp) |
           kCorStatusBadDllp.put(bad_dllp) | kCorStatusRollover.put(rollover) |
           kCorStatusReplayTimer.put(replay_timer) | kCorStatusAdvisory.put(advisory) |
           kCorStatusInternal.put(internal);
  }
  constexpr void write(std::uint32_t value, unsigned enables) {
    const std::uint32_t bits = enabled_bits(enables);
    const std::uint32_t ones = value & bits;
    receiver = receiver && !kCorStatusReceiver.is_set(ones);
    bad_tlp = bad_tlp && !kCorStatusBadTlp.is_set(ones);
    bad_dllp = bad_dllp && !kCorStatusBadDllp.is_set(ones);
    rollover = rollover && !kCorStatusRollover.is_set(ones);
    replay_timer = replay_timer && !kCorStatusReplayTimer.is_set(ones);
    advisory = advisory && !kCorStatusAdvisory.is_set(ones);
    internal = internal && !kCorStatusInternal.is_set(ones);
  }
};

// cor_mask
struct CorMaskReg {
  bool receiver = false;
  bool bad_tlp = false;
  bool bad_dllp = false;
  bool rollover = false;
  bool replay_timer = false;
  bool advisory = true;
  bool internal = true;

  bool operator==(const CorMaskReg&) const = default;
  [[nodiscard]] static constexpr CorMaskReg from(std::uint32_t word) {
    CorMaskReg fields;
    fields.receiver = kCorMaskReceiver.is_set(word);
    fields.bad_tlp = kCorMaskBadTlp.is_set(word);
    fields.bad_dllp = kCorMaskBadDllp.is_set(word);
    fields.rollover = kCorMaskRollover.is_set(word);
    fields.replay_timer = kCorMaskReplayTimer.is_set(word);
    fields.advisory = kCorMaskAdvisory.is_set(word);
    fields.internal = kCorMaskInternal.is_set(word);
    return fields;
  }
  [[nodiscard]] constexpr std::uint32_t word() const {
    return kCorMaskReceiver.put(receiver) | kCorMaskBadTlp.put(bad_tlp) |
           kCorMaskBadDllp.put(bad_dllp) | kCorMaskRollover.put(rollover) |
           kCorMaskReplayTimer.put(replay_timer) | kCorMaskAdvisory.put(advisory) |
           kCorMaskInternal.put(internal);
  }
  constexpr void write(std::uint32_t value, unsigned enables) {
    const std::uint32_t bits = enabled_bits(enables);
    const std::uint32_t written = (word() & ~bits) | (value & bits);
    receiver = kCorMaskReceiver.is_set(written);
    bad_tlp = kCorMaskBadTlp.is_set(written);
    bad_dllp = kCorMaskBadDllp.is_set(written);
    rollover = kCorMaskRollover.is_set(written);
    replay_timer = kCorMaskReplayTimer.is_set(written);
    advisory = kCorMaskAdvisory.is_set(written);
    internal = kCorMaskInternal.is_set(written);
  }
};

// control
struct ControlReg {
  std::uint32_t first_error = 0x0;

  bool operator==(const ControlReg&) const = default;
  [[nodiscard]] static constexpr ControlReg from(std::uint32_t word) {
    ControlReg fields;
    fields.first_error = kControlFirstError.get(word);
    return fields;
  }
  [[nodiscard]] constexpr std::uint32_t word() const { return kControlFirstError.put(first_error); }
};

// header_log.word
struct HeaderLogWordReg {
  std::uint32_t data = 0x0;

  bool operator==(const HeaderLogWordReg&) const = default;
  [[nodiscard]] static constexpr HeaderLogWordReg from(std::uint32_t word) {
    HeaderLogWordReg fields;
    fields.data = kHeaderLogWordData.get(word);
    return fields;
  }
  [[nodiscard]] constexpr std::uint32_t word() const { return kHeaderLogWordData.put(data); }
};

struct HeaderLogSet {
  HeaderLogWordReg word;

  bool operator==(const HeaderLogSet&) const = default;
  [[nodiscard]] constexpr std::uint32_t word_at(std::uint32_t offset) const {
    switch (offset & ~3u) {
      case 0x000:
        return word.word();
      default:
        break;
    }
    return 0;
  }
};

struct Regs {
  CapHeaderReg cap_header;
  UncorStatusReg uncor_status;
  UncorMaskReg uncor_mask;
  UncorSeverityReg uncor_severity;
  CorStatusReg cor_status;
  CorMaskReg cor_mask;
  ControlReg control;
  std::array<HeaderLogSet, kHeaderLogCount> header_log;

  bool operator==(const Regs&) const = default;
  [[nodiscard]] constexpr std::uint32_t word_at(std::uint32_t offset) const {
    switch (offset & ~3u) {
      case 0x000:
        return cap_header.word();
      case 0x004:
        return uncor_status.word();
      case 0x008:
        return uncor_mask.word();
      case 0x00c:
        return uncor_severity.word();
      case 0x010:
        return cor_status.word();
      case 0x014:
        return cor_mask.word();
      case 0x018:
        return control.word();
      default:
        break;
    }
    if (offset >= kHeaderLog && offset - kHeaderLog < kHeaderLogStride * kHeaderLogCount) {
      const std::uint32_t at = offset - kHeaderLog;
      return header_log[at / kHeaderLogStride].word_at(at % kHeaderLogStride);
    }
    return 0;
  }
  constexpr void write_at(std::uint32_t offset, std::uint32_t value, unsigned enables) {
    switch (offset & ~3u) {
      case 0x004:
        uncor_status.write(value, enables);
        break;
      case 0x008:
        uncor_mask.write(value, enables);
        break;
      case 0x00c:
        uncor_severity.write(value, enables);
        break;
      case 0x010:
        cor_status.write(value, enables);
        break;
      case 0x014:
        cor_mask.write(value, enables);
        break;
      default:
        break;
    }
  }
};

}  // namespace aer

// ARB/MUX registers
namespace arb_mux {

// io_weight
struct IoWeightReg {
  std::uint32_t weight = 0x1;

  bool operator==(const IoWeightReg&) const = default;
  [[nodiscard]] static constexpr IoWeightReg from(std::uint32_t word) {
    IoWeightReg fields;
    fields.weight = kIoWeightWeight.get(word);
    return fields;
  }
  [[nodiscard]] constexpr std::uint32_t word() const { return kIoWeightWeight.put(weight); }
  constexpr void write(std::uint32_t value) { weight = kIoWeightWeight.get(value); }
};

// cm_weight
struct CmWeightReg {
  std::uint32_t weight = 0x1;

  bool operator==(const CmWeightReg&) const = default;
  [[nodiscard]] static constexpr CmWeightReg from(std::uint32_t word) {
    CmWeightReg fields;
    fields.weight = kCmWeightWeight.get(word);
    return fields;
  }
  [[nodiscard]] constexpr std::uint32_t word() const { return kCmWeightWeight.put(weight); }
  constexpr void write(std::uint32_t value) { weight = kCmWeightWeight.get(value); }
};

struct Regs {
  IoWeightReg io_weight;
  CmWeightReg cm_weight;

  bool operator==(const Regs&) const = default;
  [[nodiscard]] constexpr std::uint32_t word_at(std::uint32_t offset) const {
    switch (offset & ~3u) {
      case 0xe180:
        return io_weight.word();
      case 0xe1c0:
        return cm_weight.word();
      default:
        break;
    }
    return 0;
  }
  constexpr void write_at(std::uint32_t offset, std::uint32_t value) {
    switch (offset & ~3u) {
      case 0xe180:
        io_weight.write(value);
        break;
      case 0xe1c0:
        cm_weight.write(value);
        break;
      default:
        break;
    }
  }
};

}  // namespace arb_mux

// Component register block, capability array
namespace component {

// header
struct HeaderReg {
  std::uint32_t id = 0x1;
  std::uint32_t version = 0x1;
  std::uint32_t cachemem_version = 0x1;
  std::uint32_t array_size = 0x0;

  bool operator==(const HeaderReg&) const = default;
  [[nodiscard]] static constexpr HeaderReg from(std::uint32_t word) {
    HeaderReg fields;
    fields.id = kHeaderId.get(word);
    fields.version = kHeaderVersion.get(word);
    fields.cachemem_version = kHeaderCachememVersion.get(word);
    fields.array_size = kHeaderArraySize.get(word);
    return fields;
  }
  [[nodiscard]] constexpr std::uint32_t word() const {
    return kHeaderId.put(id) | kHeaderVersion.put(version) |
           kHeaderCachememVersion.put(cachemem_version) | kHeaderArraySize.put(array_size);
  }
};

// entry.header
struct EntryHeaderReg {
  std::uint32_t id = 0x0;
  std::uint32_t version = 0x0;
  std::uint32_t offset = 0x0;

  bool operator==(const EntryHeaderReg&) const = default;
  [[nodiscard]] static constexpr EntryHeaderReg from(std::uint32_t word) {
    EntryHeaderReg fields;
    fields.id = kEntryHeaderId.get(word);
    fields.version = kEntryHeaderVersion.get(word);
    fields.offset = kEntryHeaderOffset.get(word);
    return fields;
  }
  [[nodiscard]] constexpr std::uint32_t word() const {
    return kEntryHeaderId.put(id) | kEntryHeaderVersion.put(version) |
           kEntryHeaderOffset.put(offset);
  }
};

struct EntrySet {
  EntryHeaderReg header;

  bool operator==(const EntrySet&) const = default;
  [[nodiscard]] constexpr std::uint32_t word_at(std::uint32_t offset) const {
    switch (offset & ~3u) {
      case 0x000:
        return header.word();
      default:
        break;
    }
    return 0;
  }
};

struct Regs {
  HeaderReg header;
  std::array<EntrySet, kEntryCount> entry;

  bool operator==(const Regs&) const = default;
  [[nodiscard]] constexpr std::uint32_t word_at(std::uint32_t offset) const {
    switch (offset & ~3u) {
      case 0x1000:
        return header.word();
      default:
        break;
    }
    if (offset >= kEntry && offset - kEntry < kEntryStride * kEntryCount) {
      const std::uint32_t at = offset - kEntry;
      return entry[at / kEntryStride].word_at(at % kEntryStride);
    }
    return 0;
  }
};

}  // namespace component

// DVSEC 0, PCIe DVSEC for CXL device
namespace dvsec_device {

// cap_header
struct CapHeaderReg {
  std::uint32_t id = 0x23;
  std::uint32_t version = 0x1;
  std::uint32_t next = 0x0;

  bool operator==(const CapHeaderReg&) const = default;
  [[nodiscard]] static constexpr CapHeaderReg from(std::uint32_t word) {
    CapHeaderReg fields;
    fields.id = kCapHeaderId.get(word);
    fields.version = kCapHeaderVersion.get(word);
    fields.next = kCapHeaderNext.get(word);
    return fields;
  }
  [[nodiscard]] constexpr std::uint32_t word() const {
    return kCapHeaderId.put(id) | kCapHeaderVersion.put(version) | kCapHeaderNext.put(next);
  }
};

// dvsec_header
struct DvsecHeaderReg {
  std::uint32_t vendor = 0x1e98;
  std::uint32_t revision = 0x1;
  std::uint32_t length = 0x38;

  bool operator==(const DvsecHeaderReg&) const = default;
  [[nodiscard]] static constexpr DvsecHeaderReg from(std::uint32_t word) {
    DvsecHeaderReg fields;
    fields.vendor = kDvsecHeaderVendor.get(word);
    fields.revision = kDvsecHeaderRevision.get(word);
    fields.length = kDvsecHeaderLength.get(word);
    return fields;
  }
  [[nodiscard]] constexpr std::uint32_t word() const {
    return kDvsecHeaderVendor.put(vendor) | kDvsecHeaderRevision.put(revision) |
           kDvsecHeaderLength.put(length);
  }
};

// dvsec_id
struct DvsecIdReg {
  std::uint32_t id = 0x0;

  bool operator==(const DvsecIdReg&) const = default;
  [[nodiscard]] static constexpr DvsecIdReg from(std::uint32_t word) {
    DvsecIdReg fields;
    fields.id = kDvsecIdId.get(word);
    return fields;
  }
  [[nodiscard]] constexpr std::uint32_t word() const { return kDvsecIdId.put(id); }
};

// capability
struct CapabilityReg {
  bool cache = false;
  bool io = true;
  bool mem = true;
  bool mem_hw_init = true;
  std::uint32_t hdm_count = 0x0;
  bool write_back = false;
  bool cxl_reset = false;
  std::uint32_t reset_timeout = 0x0;
  bool reset_mem_clear = false;
  bool mld = false;
  bool viral = true;
  bool pm_init = true;

  bool operator==(const CapabilityReg&) const = default;
  [[nodiscard]] static constexpr CapabilityReg from(std::uint32_t word) {
    CapabilityReg fields;
    fields.cache = kCapabilityCache.is_set(word);
    fields.io = kCapabilityIo.is_set(word);
    fields.mem = kCapabilityMem.is_set(word);
    fields.mem_hw_init = kCapabilityMemHwInit.is_set(word);
    fields.hdm_count = kCapabilityHdmCount.get(word);
    fields.write_back = kCapabilityWriteBack.is_set(word);
    fields.cxl_reset = kCapabilityCxlReset.is_set(word);
    fields.reset_timeout = kCapabilityResetTimeout.get(word);
    fields.reset_mem_clear = kCapabilityResetMemClear.is_set(word);
    fields.mld = kCapabilityMld.is_set(word);
    fields.viral = kCapabilityViral.is_set(word);
    fields.pm_init = kCapabilityPmInit.is_set(word);
    return fields;
  }
  [[nodiscard]] constexpr std::uint32_t word() const {
    return kCapabilityCache.put(cache) | kCapabilityIo.put(io) | kCapabilityMem.put(mem) |
           kCapabilityMemHwInit.put(mem_hw_init) | kCapabilityHdmCount.put(hdm_count) |
           kCapabilityWriteBack.put(write_back) | kCapabilityCxlReset.put(cxl_reset) |
           kCapabilityResetTimeout.put(reset_timeout) |
           kCapabilityResetMemClear.put(reset_mem_clear) | kCapabilityMld.put(mld) |
           kCapabilityViral.put(viral) | kCapabilityPmInit.put(pm_init);
  }
};

// control
struct ControlReg {
  bool cache = false;
  bool io = true;
  bool mem = false;
  std::uint32_t sf_coverage = 0x0;
  std::uint32_t sf_granularity = 0x0;
  bool clean_evict = false;
  bool viral = false;

  bool operator==(const ControlReg&) const = default;
  [[nodiscard]] static constexpr ControlReg from(std::uint32_t word) {
    ControlReg fields;
    fields.cache = kControlCache.is_set(word);
    fields.io = kControlIo.is_set(word);
    fields.mem = kControlMem.is_set(word);
    fields.sf_coverage = kControlSfCoverage.get(word);
    fields.sf_granularity = kControlSfGranularity.get(word);
    fields.clean_evict = kControlCleanEvict.is_set(word);
    fields.viral = kControlViral.is_set(word);
    return fields;
  }
  [[nodiscard]] constexpr std::uint32_t word() const {
    return kControlCache.put(cache) | kControlIo.put(io) | kControlMem.put(mem) |
           kControlSfCoverage.put(sf_coverage) | kControlSfGranularity.put(sf_granularity) |
           kControlCleanEvict.put(clean_evict) | kControlViral.put(viral);
  }
  constexpr void write(std::uint32_t value, unsigned enables, bool locked) {
    const std::uint32_t bits = enabled_bits(enables);
    const std::uint32_t written = (word() & ~bits) | (value & bits);
    if (!locked) mem = kControlMem.is_set(written);
    if (!locked) viral = kControlViral.is_set(written);
  }
};

// status
struct StatusReg {
  bool viral = false;

  bool operator==(const StatusReg&) const = default;
  [[nodiscard]] static constexpr StatusReg from(std::uint32_t word) {
    StatusReg fields;
    fields.viral = kStatusViral.is_set(word);
    return fields;
  }
  [[nodiscard]] constexpr std::uint32_t word() const { return kStatusViral.put(viral); }
  constexpr void write(std::uint32_t value, unsigned enables) {
    const std::uint32_t bits = enabled_bits(enables);
    const std::uint32_t ones = value & bits;
    viral = viral && !kStatusViral.is_set(ones);
  }
};

// control2
struct Control2Reg {
  bool disable_caching = false;
  bool write_back = false;
  bool cxl_reset = false;
  bool reset_mem_clear = false;

  bool operator==(const Control2Reg&) const = default;
  [[nodiscard]] static constexpr Control2Reg from(std::uint32_t word) {
    Control2Reg fields;
    fields.disable_caching = kControl2DisableCaching.is_set(word);
    fields.write_back = kControl2WriteBack.is_set(word);
    fields.cxl_reset = kControl2CxlReset.is_set(word);
    fields.reset_mem_clear = kControl2ResetMemClear.is_set(word);
    return fields;
  }
  [[nodiscard]] constexpr std::uint32_t word() const {
    return kControl2DisableCaching.put(disable_caching) | kControl2WriteBack.put(write_back) |
           kControl2CxlReset.put(cxl_reset) | kControl2ResetMemClear.put(reset_mem_clear);
  }
};

// status2
struct Status2Reg {
  bool cache_invalid = false;
  bool reset_complete = false;
  bool reset_error = false;
  bool pm_init = true;

  bool operator==(const Status2Reg&) const = default;
  [[nodiscard]] static constexpr Status2Reg from(std::uint32_t word) {
    Status2Reg fields;
    fields.cache_invalid = kStatus2CacheInvalid.is_set(word);
    fields.reset_complete = kStatus2ResetComplete.is_set(word);
    fields.reset_error = kStatus2ResetError.is_set(word);
    fields.pm_init = kStatus2PmInit.is_set(word);
    return fields;
  }
  [[nodiscard]] constexpr std::uint32_t word() const {
    return kStatus2CacheInvalid.put(cache_invalid) | kStatus2ResetComplete.put(reset_complete) |
           kStatus2ResetError.put(reset_error) | kStatus2PmInit.put(pm_init);
  }
};

// lock
struct LockReg {
  bool config_lock = false;

  bool operator==(const LockReg&) const = default;
  [[nodiscard]] static constexpr LockReg from(std::uint32_t word) {
    LockReg fields;
    fields.config_lock = kLockConfigLock.is_set(word);
    return fields;
  }
  [[nodiscard]] constexpr std::uint32_t word() const { return kLockConfigLock.put(config_lock); }
  constexpr void write(std::uint32_t value, unsigned enables) {
    const std::uint32_t bits = enabled_bits(enables);
    const std::uint32_t ones = value & bits;
    config_lock = config_lock || kLockConfigLock.is_set(ones);
  }
};

// capability2
struct Capability2Reg {
  std::uint32_t unit = 0x0;
  std::uint32_t size = 0x0;

  bool operator==(const Capability2Reg&) const = default;
  [[nodiscard]] static constexpr Capability2Reg from(std::uint32_t word) {
    Capability2Reg fields;
    fields.unit = kCapability2Unit.get(word);
    fields.size = kCapability2Size.get(word);
    return fields;
  }
  [[nodiscard]] constexpr std::uint32_t word() const {
    return kCapability2Unit.put(unit) | kCapability2Size.put(size);
  }
};

// range.size_high
struct RangeSizeHighReg {
  std::uint32_t size = 0x0;

  bool operator==(const RangeSizeHighReg&) const = default;
  [[nodiscard]] static constexpr RangeSizeHighReg from(std::uint32_t word) {
    RangeSizeHighReg fields;
    fields.size = kRangeSizeHighSize.get(word);
    return fields;
  }
  [[nodiscard]] constexpr std::uint32_t word() const { return kRangeSizeHighSize.put(size); }
};

// range.size_low
struct RangeSizeLowReg {
  bool info_valid = false;
  bool active = false;
  std::uint32_t media_type = 0x0;
  std::uint32_t memory_class = 0x0;
  std::uint32_t interleave = 0x0;
  std::uint32_t active_timeout = 0x0;
  std::uint32_t size = 0x0;

  bool operator==(const RangeSizeLowReg&) const = default;
  [[nodiscard]] static constexpr RangeSizeLowReg from(std::uint32_t word) {
    RangeSizeLowReg fields;
    fields.info_valid = kRangeSizeLowInfoValid.is_set(word);
    fields.active = kRangeSizeLowActive.is_set(word);
    fields.media_type = kRangeSizeLowMediaType.get(word);
    fields.memory_class = kRangeSizeLowMemoryClass.get(word);
    fields.interleave = kRangeSizeLowInterleave.get(word);
    fields.active_timeout = kRangeSizeLowActiveTimeout.get(word);
    fields.size = kRangeSizeLowSize.get(word);
    return fields;
  }
  [[nodiscard]] constexpr std::uint32_t word() const {
    return kRangeSizeLowInfoValid.put(info_valid) | kRangeSizeLowActive.put(active) |
           kRangeSizeLowMediaType.put(media_type) | kRangeSizeLowMemoryClass.put(memory_class) |
           kRangeSizeLowInterleave.put(interleave) |
           kRangeSizeLowActiveTimeout.put(active_timeout) | kRangeSizeLowSize.put(size);
  }
};

// range.base_high
struct RangeBaseHighReg {
  std::uint32_t base = 0x0;

  bool operator==(const RangeBaseHighReg&) const = default;
  [[nodiscard]] static constexpr RangeBaseHighReg from(std::uint32_t word) {
    RangeBaseHighReg fields;
    fields.base = kRangeBaseHighBase.get(word);
    return fields;
  }
  [[nodiscard]] constexpr std::uint32_t word() const { return kRangeBaseHighBase.put(base); }
  constexpr void write(std::uint32_t value, unsigned enables, bool locked) {
    const std::uint32_t bits = enabled_bits(enables);
    const std::uint32_t written = (word() & ~bits) | (value & bits);
    if (!locked) base = kRangeBaseHighBase.get(written);
  }
};

// range.base_low
struct RangeBaseLowReg {
  std::uint32_t base = 0x0;

  bool operator==(const RangeBaseLowReg&) const = default;
  [[nodiscard]] static constexpr RangeBaseLowReg from(std::uint32_t word) {
    RangeBaseLowReg fields;
    fields.base = kRangeBaseLowBase.get(word);
    return fields;
  }
  [[nodiscard]] constexpr std::uint32_t word() const { return kRangeBaseLowBase.put(base); }
  constexpr void write(std::uint32_t value, unsigned enables, bool locked) {
    const std::uint32_t bits = enabled_bits(enables);
    const std::uint32_t written = (word() & ~bits) | (value & bits);
    if (!locked) base = kRangeBaseLowBase.get(written);
  }
};

struct RangeSet {
  RangeSizeHighReg size_high;
  RangeSizeLowReg size_low;
  RangeBaseHighReg base_high;
  RangeBaseLowReg base_low;

  bool operator==(const RangeSet&) const = default;
  [[nodiscard]] constexpr std::uint32_t word_at(std::uint32_t offset) const {
    switch (offset & ~3u) {
      case 0x000:
        return size_high.word();
      case 0x004:
        return size_low.word();
      case 0x008:
        return base_high.word();
      case 0x00c:
        return base_low.word();
      default:
        break;
    }
    return 0;
  }
  constexpr void write_at(std::uint32_t offset, std::uint32_t value, unsigned enables,
                          bool locked) {
    switch (offset & ~3u) {
      case 0x008:
        base_high.write(value, enables, locked);
        break;
      case 0x00c:
        base_low.write(value, enables, locked);
        break;
      default:
        break;
    }
  }
};

struct Regs {
  CapHeaderReg cap_header;
  DvsecHeaderReg dvsec_header;
  DvsecIdReg dvsec_id;
  CapabilityReg capability;
  ControlReg control;
  StatusReg status;
  Control2Reg control2;
  Status2Reg status2;
  LockReg lock;
  Capability2Reg capability2;
  std::array<RangeSet, kRangeCount> range;

  bool operator==(const Regs&) const = default;
  [[nodiscard]] constexpr std::uint32_t word_at(std::uint32_t offset) const {
    switch (offset & ~3u) {
      case 0x000:
        return cap_header.word();
      case 0x004:
        return dvsec_header.word();
      case 0x008:
        return dvsec_id.word() | capability.word() << 16;
      case 0x00c:
        return control.word() | status.word() << 16;
      case 0x010:
        return control2.word() | status2.word() << 16;
      case 0x014:
        return lock.word() | capability2.word() << 16;
      default:
        break;
    }
    if (offset >= kRange && offset - kRange < kRangeStride * kRangeCount) {
      const std::uint32_t at = offset - kRange;
      return range[at / kRangeStride].word_at(at % kRangeStride);
    }
    return 0;
  }
  constexpr void write_at(std::uint32_t offset, std::uint32_t value, unsigned enables,
                          bool locked) {
    switch (offset & ~3u) {
      case 0x00c:
        control.write(value, enables, locked);
        status.write(value >> 16, enables >> 2);
        break;
      case 0x014:
        lock.write(value, enables);
        break;
      default:
        break;
    }
    if (offset >= kRange && offset - kRange < kRangeStride * kRangeCount) {
      const std::uint32_t at = offset - kRange;
      range[at / kRangeStride].write_at(at % kRangeStride, value, enables, locked);
    }
  }
};

}  // namespace dvsec_device

// DVSEC 7, Flex Bus port
namespace dvsec_flex_bus {

// cap_header
struct CapHeaderReg {
  std::uint32_t id = 0x23;
  std::uint32_t version = 0x1;
  std::uint32_t next = 0x0;

  bool operator==(const CapHeaderReg&) const = default;
  [[nodiscard]] static constexpr CapHeaderReg from(std::uint32_t word) {
    CapHeaderReg fields;
    fields.id = kCapHeaderId.get(word);
    fields.version = kCapHeaderVersion.get(word);
    fields.next = kCapHeaderNext.get(word);
    return fields;
  }
  [[nodiscard]] constexpr std::uint32_t word() const {
    return kCapHeaderId.put(id) | kCapHeaderVersion.put(version) | kCapHeaderNext.put(next);
  }
};

// dvsec_header
struct DvsecHeaderReg {
  std::uint32_t vendor = 0x1e98;
  std::uint32_t revision = 0x1;
  std::uint32_t length = 0x14;

  bool operator==(const DvsecHeaderReg&) const = default;
  [[nodiscard]] static constexpr DvsecHeaderReg from(std::uint32_t word) {
    DvsecHeaderReg fields;
    fields.vendor = kDvsecHeaderVendor.get(word);
    fields.revision = kDvsecHeaderRevision.get(word);
    fields.length = kDvsecHeaderLength.get(word);
    return fields;
  }
  [[nodiscard]] constexpr std::uint32_t word() const {
    return kDvsecHeaderVendor.put(vendor) | kDvsecHeaderRevision.put(revision) |
           kDvsecHeaderLength.put(length);
  }
};

// dvsec_id
struct DvsecIdReg {
  std::uint32_t id = 0x7;

  bool operator==(const DvsecIdReg&) const = default;
  [[nodiscard]] static constexpr DvsecIdReg from(std::uint32_t word) {
    DvsecIdReg fields;
    fields.id = kDvsecIdId.get(word);
    return fields;
  }
  [[nodiscard]] constexpr std::uint32_t word() const { return kDvsecIdId.put(id); }
};

// capability
struct CapabilityReg {
  bool cache = false;
  bool io = true;
  bool mem = true;
  bool cxl2 = true;
  bool mld = false;

  bool operator==(const CapabilityReg&) const = default;
  [[nodiscard]] static constexpr CapabilityReg from(std::uint32_t word) {
    CapabilityReg fields;
    fields.cache = kCapabilityCache.is_set(word);
    fields.io = kCapabilityIo.is_set(word);
    fields.mem = kCapabilityMem.is_set(word);
    fields.cxl2 = kCapabilityCxl2.is_set(word);
    fields.mld = kCapabilityMld.is_set(word);
    return fields;
  }
  [[nodiscard]] constexpr std::uint32_t word() const {
    return kCapabilityCache.put(cache) | kCapabilityIo.put(io) | kCapabilityMem.put(mem) |
           kCapabilityCxl2.put(cxl2) | kCapabilityMld.put(mld);
  }
};

// control
struct ControlReg {
  bool cache = false;
  bool io = false;
  bool mem = false;
  bool sync_bypass = false;
  bool drift_buffer = false;
  bool cxl2 = false;
  bool mld = false;
  bool disable_cxl1 = false;
  bool retimer1 = false;
  bool retimer2 = false;

  bool operator==(const ControlReg&) const = default;
  [[nodiscard]] static constexpr ControlReg at_reset(Side side) {
    ControlReg fields;
    if (side == Side::Host) fields.io = true;
    if (side == Side::Host) fields.mem = true;
    if (side == Side::Host) fields.cxl2 = true;
    return fields;
  }
  [[nodiscard]] static constexpr ControlReg from(std::uint32_t word) {
    ControlReg fields;
    fields.cache = kControlCache.is_set(word);
    fields.io = kControlIo.is_set(word);
    fields.mem = kControlMem.is_set(word);
    fields.sync_bypass = kControlSyncBypass.is_set(word);
    fields.drift_buffer = kControlDriftBuffer.is_set(word);
    fields.cxl2 = kControlCxl2.is_set(word);
    fields.mld = kControlMld.is_set(word);
    fields.disable_cxl1 = kControlDisableCxl1.is_set(word);
    fields.retimer1 = kControlRetimer1.is_set(word);
    fields.retimer2 = kControlRetimer2.is_set(word);
    return fields;
  }
  [[nodiscard]] constexpr std::uint32_t word() const {
    return kControlCache.put(cache) | kControlIo.put(io) | kControlMem.put(mem) |
           kControlSyncBypass.put(sync_bypass) | kControlDriftBuffer.put(drift_buffer) |
           kControlCxl2.put(cxl2) | kControlMld.put(mld) | kControlDisableCxl1.put(disable_cxl1) |
           kControlRetimer1.put(retimer1) | kControlRetimer2.put(retimer2);
  }
  constexpr void write(std::uint32_t value, unsigned enables, Side side) {
    const std::uint32_t bits = enabled_bits(enables);
    const std::uint32_t written = (word() & ~bits) | (value & bits);
    if (side == Side::Host) mem = kControlMem.is_set(written);
    if (side == Side::Host) cxl2 = kControlCxl2.is_set(written);
  }
};

// status
struct StatusReg {
  bool cache = false;
  bool io = false;
  bool mem = false;
  bool sync_bypass = false;
  bool drift_buffer = false;
  bool cxl2 = false;
  bool mld = false;
  bool id_correctable = false;
  bool id_uncorrectable = false;
  bool id_unexpected = false;
  bool retimer_mismatch = false;
  bool phase2_mismatch = false;

  bool operator==(const StatusReg&) const = default;
  [[nodiscard]] static constexpr StatusReg from(std::uint32_t word) {
    StatusReg fields;
    fields.cache = kStatusCache.is_set(word);
    fields.io = kStatusIo.is_set(word);
    fields.mem = kStatusMem.is_set(word);
    fields.sync_bypass = kStatusSyncBypass.is_set(word);
    fields.drift_buffer = kStatusDriftBuffer.is_set(word);
    fields.cxl2 = kStatusCxl2.is_set(word);
    fields.mld = kStatusMld.is_set(word);
    fields.id_correctable = kStatusIdCorrectable.is_set(word);
    fields.id_uncorrectable = kStatusIdUncorrectable.is_set(word);
    fields.id_unexpected = kStatusIdUnexpected.is_set(word);
    fields.retimer_mismatch = kStatusRetimerMismatch.is_set(word);
    fields.phase2_mismatch = kStatusPhase2Mismatch.is_set(word);
    return fields;
  }
  [[nodiscard]] constexpr std::uint32_t word() const {
    return kStatusCache.put(cache) | kStatusIo.put(io) | kStatusMem.put(mem) |
           kStatusSyncBypass.put(sync_bypass) | kStatusDriftBuffer.put(drift_buffer) |
           kStatusCxl2.put(cxl2) | kStatusMld.put(mld) | kStatusIdCorrectable.put(id_correctable) |
           kStatusIdUncorrectable.put(id_uncorrectable) | kStatusIdUnexpected.put(id_unexpected) |
           kStatusRetimerMismatch.put(retimer_mismatch) |
           kStatusPhase2Mismatch.put(phase2_mismatch);
  }
  constexpr void write(std::uint32_t value, unsigned enables) {
    const std::uint32_t bits = enabled_bits(enables);
    const std::uint32_t ones = value & bits;
    id_correctable = id_correctable && !kStatusIdCorrectable.is_set(ones);
    id_uncorrectable = id_uncorrectable && !kStatusIdUncorrectable.is_set(ones);
    id_unexpected = id_unexpected && !kStatusIdUnexpected.is_set(ones);
  }
};

// ts_data
struct TsDataReg {
  std::uint32_t received = 0x0;

  bool operator==(const TsDataReg&) const = default;
  [[nodiscard]] static constexpr TsDataReg from(std::uint32_t word) {
    TsDataReg fields;
    fields.received = kTsDataReceived.get(word);
    return fields;
  }
  [[nodiscard]] constexpr std::uint32_t word() const { return kTsDataReceived.put(received); }
};

struct Regs {
  CapHeaderReg cap_header;
  DvsecHeaderReg dvsec_header;
  DvsecIdReg dvsec_id;
  CapabilityReg capability;
  ControlReg control;
  StatusReg status;
  TsDataReg ts_data;

  bool operator==(const Regs&) const = default;
  [[nodiscard]] static constexpr Regs at_reset(Side side) {
    Regs regs;
    regs.control = ControlReg::at_reset(side);
    return regs;
  }
  [[nodiscard]] constexpr std::uint32_t word_at(std::uint32_t offset) const {
    switch (offset & ~3u) {
      case 0x000:
        return cap_header.word();
      case 0x004:
        return dvsec_header.word();
      case 0x008:
        return dvsec_id.word() | capability.word() << 16;
      case 0x00c:
        return control.word() | status.word() << 16;
      case 0x010:
        return ts_data.word();
      default:
        break;
    }
    return 0;
  }
  constexpr void write_at(std::uint32_t offset, std::uint32_t value, unsigned enables, Side side) {
    switch (offset & ~3u) {
      case 0x00c:
        control.write(value, enables, side);
        status.write(value >> 16, enables >> 2);
        break;
      default:
        break;
    }
  }
};

}  // namespace dvsec_flex_bus

// DVSEC 5, GPF for CXL device
namespace dvsec_gpf_device {

// cap_header
struct CapHeaderReg {
  std::uint32_t id = 0x23;
  std::uint32_t version = 0x1;
  std::uint32_t next = 0x1b0;

  bool operator==(const CapHeaderReg&) const = default;
  [[nodiscard]] static constexpr CapHeaderReg from(std::uint32_t word) {
    CapHeaderReg fields;
    fields.id = kCapHeaderId.get(word);
    fields.version = kCapHeaderVersion.get(word);
    fields.next = kCapHeaderNext.get(word);
    return fields;
  }
  [[nodiscard]] constexpr std::uint32_t word() const {
    return kCapHeaderId.put(id) | kCapHeaderVersion.put(version) | kCapHeaderNext.put(next);
  }
};

// dvsec_header
struct DvsecHeaderReg {
  std::uint32_t vendor = 0x1e98;
  std::uint32_t revision = 0x0;
  std::uint32_t length = 0x10;

  bool operator==(const DvsecHeaderReg&) const = default;
  [[nodiscard]] static constexpr DvsecHeaderReg from(std::uint32_t word) {
    DvsecHeaderReg fields;
    fields.vendor = kDvsecHeaderVendor.get(word);
    fields.revision = kDvsecHeaderRevision.get(word);
    fields.length = kDvsecHeaderLength.get(word);
    return fields;
  }
  [[nodiscard]] constexpr std::uint32_t word() const {
    return kDvsecHeaderVendor.put(vendor) | kDvsecHeaderRevision.put(revision) |
           kDvsecHeaderLength.put(length);
  }
};

// dvsec_id
struct DvsecIdReg {
  std::uint32_t id = 0x5;

  bool operator==(const DvsecIdReg&) const = default;
  [[nodiscard]] static constexpr DvsecIdReg from(std::uint32_t word) {
    DvsecIdReg fields;
    fields.id = kDvsecIdId.get(word);
    return fields;
  }
  [[nodiscard]] constexpr std::uint32_t word() const { return kDvsecIdId.put(id); }
};

// duration
struct DurationReg {
  std::uint32_t base = 0x0;
  std::uint32_t scale = 0x0;

  bool operator==(const DurationReg&) const = default;
  [[nodiscard]] static constexpr DurationReg from(std::uint32_t word) {
    DurationReg fields;
    fields.base = kDurationBase.get(word);
    fields.scale = kDurationScale.get(word);
    return fields;
  }
  [[nodiscard]] constexpr std::uint32_t word() const {
    return kDurationBase.put(base) | kDurationScale.put(scale);
  }
};

// power
struct PowerReg {
  std::uint32_t power = 0x0;

  bool operator==(const PowerReg&) const = default;
  [[nodiscard]] static constexpr PowerReg from(std::uint32_t word) {
    PowerReg fields;
    fields.power = kPowerPower.get(word);
    return fields;
  }
  [[nodiscard]] constexpr std::uint32_t word() const { return kPowerPower.put(power); }
};

struct Regs {
  CapHeaderReg cap_header;
  DvsecHeaderReg dvsec_header;
  DvsecIdReg dvsec_id;
  DurationReg duration;
  PowerReg power;

  bool operator==(const Regs&) const = default;
  [[nodiscard]] constexpr std::uint32_t word_at(std::uint32_t offset) const {
    switch (offset & ~3u) {
      case 0x000:
        return cap_header.word();
      case 0x004:
        return dvsec_header.word();
      case 0x008:
        return dvsec_id.word() | duration.word() << 16;
      case 0x00c:
        return power.word();
      default:
        break;
    }
    return 0;
  }
};

}  // namespace dvsec_gpf_device

// DVSEC 4, GPF for ports
namespace dvsec_gpf_port {

// cap_header
struct CapHeaderReg {
  std::uint32_t id = 0x23;
  std::uint32_t version = 0x1;
  std::uint32_t next = 0x0;

  bool operator==(const CapHeaderReg&) const = default;
  [[nodiscard]] static constexpr CapHeaderReg from(std::uint32_t word) {
    CapHeaderReg fields;
    fields.id = kCapHeaderId.get(word);
    fields.version = kCapHeaderVersion.get(word);
    fields.next = kCapHeaderNext.get(word);
    return fields;
  }
  [[nodiscard]] constexpr std::uint32_t word() const {
    return kCapHeaderId.put(id) | kCapHeaderVersion.put(version) | kCapHeaderNext.put(next);
  }
};

// dvsec_header
struct DvsecHeaderReg {
  std::uint32_t vendor = 0x1e98;
  std::uint32_t revision = 0x0;
  std::uint32_t length = 0x10;

  bool operator==(const DvsecHeaderReg&) const = default;
  [[nodiscard]] static constexpr DvsecHeaderReg from(std::uint32_t word) {
    DvsecHeaderReg fields;
    fields.vendor = kDvsecHeaderVendor.get(word);
    fields.revision = kDvsecHeaderRevision.get(word);
    fields.length = kDvsecHeaderLength.get(word);
    return fields;
  }
  [[nodiscard]] constexpr std::uint32_t word() const {
    return kDvsecHeaderVendor.put(vendor) | kDvsecHeaderRevision.put(revision) |
           kDvsecHeaderLength.put(length);
  }
};

// dvsec_id
struct DvsecIdReg {
  std::uint32_t id = 0x4;

  bool operator==(const DvsecIdReg&) const = default;
  [[nodiscard]] static constexpr DvsecIdReg from(std::uint32_t word) {
    DvsecIdReg fields;
    fields.id = kDvsecIdId.get(word);
    return fields;
  }
  [[nodiscard]] constexpr std::uint32_t word() const { return kDvsecIdId.put(id); }
};

// phase_1
struct Phase1Reg {
  std::uint32_t base = 0x0;
  std::uint32_t scale = 0x0;

  bool operator==(const Phase1Reg&) const = default;
  [[nodiscard]] static constexpr Phase1Reg from(std::uint32_t word) {
    Phase1Reg fields;
    fields.base = kPhase1Base.get(word);
    fields.scale = kPhase1Scale.get(word);
    return fields;
  }
  [[nodiscard]] constexpr std::uint32_t word() const {
    return kPhase1Base.put(base) | kPhase1Scale.put(scale);
  }
  constexpr void write(std::uint32_t value, unsigned enables) {
    const std::uint32_t bits = enabled_bits(enables);
    const std::uint32_t written = (word() & ~bits) | (value & bits);
    base = kPhase1Base.get(written);
    scale = kPhase1Scale.get(written);
  }
};

// phase_2
struct Phase2Reg {
  std::uint32_t base = 0x0;
  std::uint32_t scale = 0x0;

  bool operator==(const Phase2Reg&) const = default;
  [[nodiscard]] static constexpr Phase2Reg from(std::uint32_t word) {
    Phase2Reg fields;
    fields.base = kPhase2Base.get(word);
    fields.scale = kPhase2Scale.get(word);
    return fields;
  }
  [[nodiscard]] constexpr std::uint32_t word() const {
    return kPhase2Base.put(base) | kPhase2Scale.put(scale);
  }
  constexpr void write(std::uint32_t value, unsigned enables) {
    const std::uint32_t bits = enabled_bits(enables);
    const std::uint32_t written = (word() & ~bits) | (value & bits);
    base = kPhase2Base.get(written);
    scale = kPhase2Scale.get(written);
  }
};

struct Regs {
  CapHeaderReg cap_header;
  DvsecHeaderReg dvsec_header;
  DvsecIdReg dvsec_id;
  Phase1Reg phase_1;
  Phase2Reg phase_2;

  bool operator==(const Regs&) const = default;
  [[nodiscard]] constexpr std::uint32_t word_at(std::uint32_t offset) const {
    switch (offset & ~3u) {
      case 0x000:
        return cap_header.word();
      case 0x004:
        return dvsec_header.word();
      case 0x008:
        return dvsec_id.word();
      case 0x00c:
        return phase_1.word() | phase_2.word() << 16;
      default:
        break;
    }
    return 0;
  }
  constexpr void write_at(std::uint32_t offset, std::uint32_t value, unsigned enables) {
    switch (offset & ~3u) {
      case 0x00c:
        phase_1.write(value, enables);
        phase_2.write(value >> 16, enables >> 2);
        break;
      default:
        break;
    }
  }
};

}  // namespace dvsec_gpf_port

// DVSEC 8, register locator
namespace dvsec_locator {

// cap_header
struct CapHeaderReg {
  std::uint32_t id = 0x23;
  std::uint32_t version = 0x1;
  std::uint32_t next = 0x0;

  bool operator==(const CapHeaderReg&) const = default;
  [[nodiscard]] static constexpr CapHeaderReg from(std::uint32_t word) {
    CapHeaderReg fields;
    fields.id = kCapHeaderId.get(word);
    fields.version = kCapHeaderVersion.get(word);
    fields.next = kCapHeaderNext.get(word);
    return fields;
  }
  [[nodiscard]] constexpr std::uint32_t word() const {
    return kCapHeaderId.put(id) | kCapHeaderVersion.put(version) | kCapHeaderNext.put(next);
  }
};

// dvsec_header
struct DvsecHeaderReg {
  std::uint32_t vendor = 0x1e98;
  std::uint32_t revision = 0x0;
  std::uint32_t length = 0x0;

  bool operator==(const DvsecHeaderReg&) const = default;
  [[nodiscard]] static constexpr DvsecHeaderReg from(std::uint32_t word) {
    DvsecHeaderReg fields;
    fields.vendor = kDvsecHeaderVendor.get(word);
    fields.revision = kDvsecHeaderRevision.get(word);
    fields.length = kDvsecHeaderLength.get(word);
    return fields;
  }
  [[nodiscard]] constexpr std::uint32_t word() const {
    return kDvsecHeaderVendor.put(vendor) | kDvsecHeaderRevision.put(revision) |
           kDvsecHeaderLength.put(length);
  }
};

// dvsec_id
struct DvsecIdReg {
  std::uint32_t id = 0x8;

  bool operator==(const DvsecIdReg&) const = default;
  [[nodiscard]] static constexpr DvsecIdReg from(std::uint32_t word) {
    DvsecIdReg fields;
    fields.id = kDvsecIdId.get(word);
    return fields;
  }
  [[nodiscard]] constexpr std::uint32_t word() const { return kDvsecIdId.put(id); }
};

// entry.low
struct EntryLowReg {
  std::uint32_t bir = 0x0;
  std::uint32_t id = 0x1;
  std::uint32_t offset = 0x0;

  bool operator==(const EntryLowReg&) const = default;
  [[nodiscard]] static constexpr EntryLowReg from(std::uint32_t word) {
    EntryLowReg fields;
    fields.bir = kEntryLowBir.get(word);
    fields.id = kEntryLowId.get(word);
    fields.offset = kEntryLowOffset.get(word);
    return fields;
  }
  [[nodiscard]] constexpr std::uint32_t word() const {
    return kEntryLowBir.put(bir) | kEntryLowId.put(id) | kEntryLowOffset.put(offset);
  }
};

// entry.high
struct EntryHighReg {
  std::uint32_t offset = 0x0;

  bool operator==(const EntryHighReg&) const = default;
  [[nodiscard]] static constexpr EntryHighReg from(std::uint32_t word) {
    EntryHighReg fields;
    fields.offset = kEntryHighOffset.get(word);
    return fields;
  }
  [[nodiscard]] constexpr std::uint32_t word() const { return kEntryHighOffset.put(offset); }
};

// device_entry.low
struct DeviceEntryLowReg {
  std::uint32_t bir = 0x0;
  std::uint32_t id = 0x0;
  std::uint32_t offset = 0x0;

  bool operator==(const DeviceEntryLowReg&) const = default;
  [[nodiscard]] static constexpr DeviceEntryLowReg at_reset(Side side) {
    DeviceEntryLowReg fields;
    if (side == Side::Device) fields.id = 0x3;
    if (side == Side::Device) fields.offset = 0x2;
    return fields;
  }
  [[nodiscard]] static constexpr DeviceEntryLowReg from(std::uint32_t word) {
    DeviceEntryLowReg fields;
    fields.bir = kDeviceEntryLowBir.get(word);
    fields.id = kDeviceEntryLowId.get(word);
    fields.offset = kDeviceEntryLowOffset.get(word);
    return fields;
  }
  [[nodiscard]] constexpr std::uint32_t word() const {
    return kDeviceEntryLowBir.put(bir) | kDeviceEntryLowId.put(id) |
           kDeviceEntryLowOffset.put(offset);
  }
};

// device_entry.high
struct DeviceEntryHighReg {
  std::uint32_t offset = 0x0;

  bool operator==(const DeviceEntryHighReg&) const = default;
  [[nodiscard]] static constexpr DeviceEntryHighReg from(std::uint32_t word) {
    DeviceEntryHighReg fields;
    fields.offset = kDeviceEntryHighOffset.get(word);
    return fields;
  }
  [[nodiscard]] constexpr std::uint32_t word() const { return kDeviceEntryHighOffset.put(offset); }
};

struct EntrySet {
  EntryLowReg low;
  EntryHighReg high;

  bool operator==(const EntrySet&) const = default;
  [[nodiscard]] constexpr std::uint32_t word_at(std::uint32_t offset) const {
    switch (offset & ~3u) {
      case 0x000:
        return low.word();
      case 0x004:
        return high.word();
      default:
        break;
    }
    return 0;
  }
};

struct DeviceEntrySet {
  DeviceEntryLowReg low;
  DeviceEntryHighReg high;

  bool operator==(const DeviceEntrySet&) const = default;
  [[nodiscard]] constexpr std::uint32_t word_at(std::uint32_t offset) const {
    switch (offset & ~3u) {
      case 0x000:
        return low.word();
      case 0x004:
        return high.word();
      default:
        break;
    }
    return 0;
  }
};

struct Regs {
  CapHeaderReg cap_header;
  DvsecHeaderReg dvsec_header;
  DvsecIdReg dvsec_id;
  std::array<EntrySet, kEntryCount> entry;
  std::array<DeviceEntrySet, kDeviceEntryCount> device_entry;

  bool operator==(const Regs&) const = default;
  [[nodiscard]] static constexpr Regs at_reset(Side side) {
    Regs regs;
    for (auto& set : regs.device_entry) set.low = DeviceEntryLowReg::at_reset(side);
    return regs;
  }
  [[nodiscard]] constexpr std::uint32_t word_at(std::uint32_t offset) const {
    switch (offset & ~3u) {
      case 0x000:
        return cap_header.word();
      case 0x004:
        return dvsec_header.word();
      case 0x008:
        return dvsec_id.word();
      default:
        break;
    }
    if (offset >= kEntry && offset - kEntry < kEntryStride * kEntryCount) {
      const std::uint32_t at = offset - kEntry;
      return entry[at / kEntryStride].word_at(at % kEntryStride);
    }
    if (offset >= kDeviceEntry && offset - kDeviceEntry < kDeviceEntryStride * kDeviceEntryCount) {
      const std::uint32_t at = offset - kDeviceEntry;
      return device_entry[at / kDeviceEntryStride].word_at(at % kDeviceEntryStride);
    }
    return 0;
  }
};

}  // namespace dvsec_locator

// DVSEC 3, CXL extensions for ports
namespace dvsec_port {

// cap_header
struct CapHeaderReg {
  std::uint32_t id = 0x23;
  std::uint32_t version = 0x1;
  std::uint32_t next = 0x0;

  bool operator==(const CapHeaderReg&) const = default;
  [[nodiscard]] static constexpr CapHeaderReg from(std::uint32_t word) {
    CapHeaderReg fields;
    fields.id = kCapHeaderId.get(word);
    fields.version = kCapHeaderVersion.get(word);
    fields.next = kCapHeaderNext.get(word);
    return fields;
  }
  [[nodiscard]] constexpr std::uint32_t word() const {
    return kCapHeaderId.put(id) | kCapHeaderVersion.put(version) | kCapHeaderNext.put(next);
  }
};

// dvsec_header
struct DvsecHeaderReg {
  std::uint32_t vendor = 0x1e98;
  std::uint32_t revision = 0x0;
  std::uint32_t length = 0x28;

  bool operator==(const DvsecHeaderReg&) const = default;
  [[nodiscard]] static constexpr DvsecHeaderReg from(std::uint32_t word) {
    DvsecHeaderReg fields;
    fields.vendor = kDvsecHeaderVendor.get(word);
    fields.revision = kDvsecHeaderRevision.get(word);
    fields.length = kDvsecHeaderLength.get(word);
    return fields;
  }
  [[nodiscard]] constexpr std::uint32_t word() const {
    return kDvsecHeaderVendor.put(vendor) | kDvsecHeaderRevision.put(revision) |
           kDvsecHeaderLength.put(length);
  }
};

// dvsec_id
struct DvsecIdReg {
  std::uint32_t id = 0x3;

  bool operator==(const DvsecIdReg&) const = default;
  [[nodiscard]] static constexpr DvsecIdReg from(std::uint32_t word) {
    DvsecIdReg fields;
    fields.id = kDvsecIdId.get(word);
    return fields;
  }
  [[nodiscard]] constexpr std::uint32_t word() const { return kDvsecIdId.put(id); }
};

// status
struct StatusReg {
  bool pm_init = false;
  bool viral = false;

  bool operator==(const StatusReg&) const = default;
  [[nodiscard]] static constexpr StatusReg from(std::uint32_t word) {
    StatusReg fields;
    fields.pm_init = kStatusPmInit.is_set(word);
    fields.viral = kStatusViral.is_set(word);
    return fields;
  }
  [[nodiscard]] constexpr std::uint32_t word() const {
    return kStatusPmInit.put(pm_init) | kStatusViral.put(viral);
  }
};

// control
struct ControlReg {
  bool unmask_sbr = false;
  bool unmask_link_disable = false;
  bool alt_memory = false;
  bool alt_bme = false;
  bool viral = false;

  bool operator==(const ControlReg&) const = default;
  [[nodiscard]] static constexpr ControlReg from(std::uint32_t word) {
    ControlReg fields;
    fields.unmask_sbr = kControlUnmaskSbr.is_set(word);
    fields.unmask_link_disable = kControlUnmaskLinkDisable.is_set(word);
    fields.alt_memory = kControlAltMemory.is_set(word);
    fields.alt_bme = kControlAltBme.is_set(word);
    fields.viral = kControlViral.is_set(word);
    return fields;
  }
  [[nodiscard]] constexpr std::uint32_t word() const {
    return kControlUnmaskSbr.put(unmask_sbr) | kControlUnmaskLinkDisable.put(unmask_link_disable) |
           kControlAltMemory.put(alt_memory) | kControlAltBme.put(alt_bme) |
           kControlViral.put(viral);
  }
  constexpr void write(std::uint32_t value, unsigned enables) {
    const std::uint32_t bits = enabled_bits(enables);
    const std::uint32_t written = (word() & ~bits) | (value & bits);
    unmask_sbr = kControlUnmaskSbr.is_set(written);
    unmask_link_disable = kControlUnmaskLinkDisable.is_set(written);
    alt_memory = kControlAltMemory.is_set(written);
    alt_bme = kControlAltBme.is_set(written);
  }
};

// alt_bus_base
struct AltBusBaseReg {
  std::uint32_t bus = 0x0;

  bool operator==(const AltBusBaseReg&) const = default;
  [[nodiscard]] static constexpr AltBusBaseReg from(std::uint32_t word) {
    AltBusBaseReg fields;
    fields.bus = kAltBusBaseBus.get(word);
    return fields;
  }
  [[nodiscard]] constexpr std::uint32_t word() const { return kAltBusBaseBus.put(bus); }
  constexpr void write(std::uint32_t value, unsigned enables) {
    const std::uint32_t bits = enabled_bits(enables);
    const std::uint32_t written = (word() & ~bits) | (value & bits);
    bus = kAltBusBaseBus.get(written);
  }
};

// alt_bus_limit
struct AltBusLimitReg {
  std::uint32_t bus = 0x0;

  bool operator==(const AltBusLimitReg&) const = default;
  [[nodiscard]] static constexpr AltBusLimitReg from(std::uint32_t word) {
    AltBusLimitReg fields;
    fields.bus = kAltBusLimitBus.get(word);
    return fields;
  }
  [[nodiscard]] constexpr std::uint32_t word() const { return kAltBusLimitBus.put(bus); }
  constexpr void write(std::uint32_t value, unsigned enables) {
    const std::uint32_t bits = enabled_bits(enables);
    const std::uint32_t written = (word() & ~bits) | (value & bits);
    bus = kAltBusLimitBus.get(written);
  }
};

// alt_mem_base
struct AltMemBaseReg {
  std::uint32_t base = 0x0;

  bool operator==(const AltMemBaseReg&) const = default;
  [[nodiscard]] static constexpr AltMemBaseReg from(std::uint32_t word) {
    AltMemBaseReg fields;
    fields.base = kAltMemBaseBase.get(word);
    return fields;
  }
  [[nodiscard]] constexpr std::uint32_t word() const { return kAltMemBaseBase.put(base); }
  constexpr void write(std::uint32_t value, unsigned enables) {
    const std::uint32_t bits = enabled_bits(enables);
    const std::uint32_t written = (word() & ~bits) | (value & bits);
    base = kAltMemBaseBase.get(written);
  }
};

// alt_mem_limit
struct AltMemLimitReg {
  std::uint32_t limit = 0x0;

  bool operator==(const AltMemLimitReg&) const = default;
  [[nodiscard]] static constexpr AltMemLimitReg from(std::uint32_t word) {
    AltMemLimitReg fields;
    fields.limit = kAltMemLimitLimit.get(word);
    return fields;
  }
  [[nodiscard]] constexpr std::uint32_t word() const { return kAltMemLimitLimit.put(limit); }
  constexpr void write(std::uint32_t value, unsigned enables) {
    const std::uint32_t bits = enabled_bits(enables);
    const std::uint32_t written = (word() & ~bits) | (value & bits);
    limit = kAltMemLimitLimit.get(written);
  }
};

// alt_pre_base
struct AltPreBaseReg {
  bool wide = true;
  std::uint32_t base = 0x0;

  bool operator==(const AltPreBaseReg&) const = default;
  [[nodiscard]] static constexpr AltPreBaseReg from(std::uint32_t word) {
    AltPreBaseReg fields;
    fields.wide = kAltPreBaseWide.is_set(word);
    fields.base = kAltPreBaseBase.get(word);
    return fields;
  }
  [[nodiscard]] constexpr std::uint32_t word() const {
    return kAltPreBaseWide.put(wide) | kAltPreBaseBase.put(base);
  }
  constexpr void write(std::uint32_t value, unsigned enables) {
    const std::uint32_t bits = enabled_bits(enables);
    const std::uint32_t written = (word() & ~bits) | (value & bits);
    base = kAltPreBaseBase.get(written);
  }
};

// alt_pre_limit
struct AltPreLimitReg {
  bool wide = true;
  std::uint32_t limit = 0x0;

  bool operator==(const AltPreLimitReg&) const = default;
  [[nodiscard]] static constexpr AltPreLimitReg from(std::uint32_t word) {
    AltPreLimitReg fields;
    fields.wide = kAltPreLimitWide.is_set(word);
    fields.limit = kAltPreLimitLimit.get(word);
    return fields;
  }
  [[nodiscard]] constexpr std::uint32_t word() const {
    return kAltPreLimitWide.put(wide) | kAltPreLimitLimit.put(limit);
  }
  constexpr void write(std::uint32_t value, unsigned enables) {
    const std::uint32_t bits = enabled_bits(enables);
    const std::uint32_t written = (word() & ~bits) | (value & bits);
    limit = kAltPreLimitLimit.get(written);
  }
};

// alt_pre_base_high
struct AltPreBaseHighReg {
  std::uint32_t base = 0x0;

  bool operator==(const AltPreBaseHighReg&) const = default;
  [[nodiscard]] static constexpr AltPreBaseHighReg from(std::uint32_t word) {
    AltPreBaseHighReg fields;
    fields.base = kAltPreBaseHighBase.get(word);
    return fields;
  }
  [[nodiscard]] constexpr std::uint32_t word() const { return kAltPreBaseHighBase.put(base); }
  constexpr void write(std::uint32_t value, unsigned enables) {
    const std::uint32_t bits = enabled_bits(enables);
    const std::uint32_t written = (word() & ~bits) | (value & bits);
    base = kAltPreBaseHighBase.get(written);
  }
};

// alt_pre_limit_high
struct AltPreLimitHighReg {
  std::uint32_t limit = 0x0;

  bool operator==(const AltPreLimitHighReg&) const = default;
  [[nodiscard]] static constexpr AltPreLimitHighReg from(std::uint32_t word) {
    AltPreLimitHighReg fields;
    fields.limit = kAltPreLimitHighLimit.get(word);
    return fields;
  }
  [[nodiscard]] constexpr std::uint32_t word() const { return kAltPreLimitHighLimit.put(limit); }
  constexpr void write(std::uint32_t value, unsigned enables) {
    const std::uint32_t bits = enabled_bits(enables);
    const std::uint32_t written = (word() & ~bits) | (value & bits);
    limit = kAltPreLimitHighLimit.get(written);
  }
};

// rcrb_base_low
struct RcrbBaseLowReg {
  bool enable = false;
  std::uint32_t base = 0x0;

  bool operator==(const RcrbBaseLowReg&) const = default;
  [[nodiscard]] static constexpr RcrbBaseLowReg from(std::uint32_t word) {
    RcrbBaseLowReg fields;
    fields.enable = kRcrbBaseLowEnable.is_set(word);
    fields.base = kRcrbBaseLowBase.get(word);
    return fields;
  }
  [[nodiscard]] constexpr std::uint32_t word() const {
    return kRcrbBaseLowEnable.put(enable) | kRcrbBaseLowBase.put(base);
  }
};

// rcrb_base_high
struct RcrbBaseHighReg {
  std::uint32_t base = 0x0;

  bool operator==(const RcrbBaseHighReg&) const = default;
  [[nodiscard]] static constexpr RcrbBaseHighReg from(std::uint32_t word) {
    RcrbBaseHighReg fields;
    fields.base = kRcrbBaseHighBase.get(word);
    return fields;
  }
  [[nodiscard]] constexpr std::uint32_t word() const { return kRcrbBaseHighBase.put(base); }
};

struct Regs {
  CapHeaderReg cap_header;
  DvsecHeaderReg dvsec_header;
  DvsecIdReg dvsec_id;
  StatusReg status;
  ControlReg control;
  AltBusBaseReg alt_bus_base;
  AltBusLimitReg alt_bus_limit;
  AltMemBaseReg alt_mem_base;
  AltMemLimitReg alt_mem_limit;
  AltPreBaseReg alt_pre_base;
  AltPreLimitReg alt_pre_limit;
  AltPreBaseHighReg alt_pre_base_high;
  AltPreLimitHighReg alt_pre_limit_high;
  RcrbBaseLowReg rcrb_base_low;
  RcrbBaseHighReg rcrb_base_high;

  bool operator==(const Regs&) const = default;
  [[nodiscard]] constexpr std::uint32_t word_at(std::uint32_t offset) const {
    switch (offset & ~3u) {
      case 0x000:
        return cap_header.word();
      case 0x004:
        return dvsec_header.word();
      case 0x008:
        return dvsec_id.word() | status.word() << 16;
      case 0x00c:
        return control.word() | alt_bus_base.word() << 16 | alt_bus_limit.word() << 24;
      case 0x010:
        return alt_mem_base.word() | alt_mem_limit.word() << 16;
      case 0x014:
        return alt_pre_base.word() | alt_pre_limit.word() << 16;
      case 0x018:
        return alt_pre_base_high.word();
      case 0x01c:
        return alt_pre_limit_high.word();
      case 0x020:
        return rcrb_base_low.word();
      case 0x024:
        return rcrb_base_high.word();
      default:
        break;
    }
    return 0;
  }
  constexpr void write_at(std::uint32_t offset, std::uint32_t value, unsigned enables) {
    switch (offset & ~3u) {
      case 0x00c:
        control.write(value, enables);
        alt_bus_base.write(value >> 16, enables >> 2);
        alt_bus_limit.write(value >> 24, enables >> 3);
        break;
      case 0x010:
        alt_mem_base.write(value, enables);
        alt_mem_limit.write(value >> 16, enables >> 2);
        break;
      case 0x014:
        alt_pre_base.write(value, enables);
        alt_pre_limit.write(value >> 16, enables >> 2);
        break;
      case 0x018:
        alt_pre_base_high.write(value, enables);
        break;
      case 0x01c:
        alt_pre_limit_high.write(value, enables);
        break;
      default:
        break;
    }
  }
};

}  // namespace dvsec_port

// Vendor DVSEC, MemSpecRd length and vendor registers
namespace dvsec_vendor {

// cap_header
struct CapHeaderReg {
  std::uint32_t id = 0x23;
  std::uint32_t version = 0x1;
  std::uint32_t next = 0x0;

  bool operator==(const CapHeaderReg&) const = default;
  [[nodiscard]] static constexpr CapHeaderReg from(std::uint32_t word) {
    CapHeaderReg fields;
    fields.id = kCapHeaderId.get(word);
    fields.version = kCapHeaderVersion.get(word);
    fields.next = kCapHeaderNext.get(word);
    return fields;
  }
  [[nodiscard]] constexpr std::uint32_t word() const {
    return kCapHeaderId.put(id) | kCapHeaderVersion.put(version) | kCapHeaderNext.put(next);
  }
};

// dvsec_header
struct DvsecHeaderReg {
  std::uint32_t vendor = 0x0;
  std::uint32_t revision = 0x0;
  std::uint32_t length = 0x14;

  bool operator==(const DvsecHeaderReg&) const = default;
  [[nodiscard]] static constexpr DvsecHeaderReg from(std::uint32_t word) {
    DvsecHeaderReg fields;
    fields.vendor = kDvsecHeaderVendor.get(word);
    fields.revision = kDvsecHeaderRevision.get(word);
    fields.length = kDvsecHeaderLength.get(word);
    return fields;
  }
  [[nodiscard]] constexpr std::uint32_t word() const {
    return kDvsecHeaderVendor.put(vendor) | kDvsecHeaderRevision.put(revision) |
           kDvsecHeaderLength.put(length);
  }
};

// dvsec_id
struct DvsecIdReg {
  std::uint32_t id = 0x1;

  bool operator==(const DvsecIdReg&) const = default;
  [[nodiscard]] static constexpr DvsecIdReg from(std::uint32_t word) {
    DvsecIdReg fields;
    fields.id = kDvsecIdId.get(word);
    return fields;
  }
  [[nodiscard]] constexpr std::uint32_t word() const { return kDvsecIdId.put(id); }
};

// capability
struct CapabilityReg {
  bool length = true;
  std::uint32_t granule = 0x8;
  std::uint32_t max = 0x0;

  bool operator==(const CapabilityReg&) const = default;
  [[nodiscard]] static constexpr CapabilityReg from(std::uint32_t word) {
    CapabilityReg fields;
    fields.length = kCapabilityLength.is_set(word);
    fields.granule = kCapabilityGranule.get(word);
    fields.max = kCapabilityMax.get(word);
    return fields;
  }
  [[nodiscard]] constexpr std::uint32_t word() const {
    return kCapabilityLength.put(length) | kCapabilityGranule.put(granule) |
           kCapabilityMax.put(max);
  }
};

// block_low
struct BlockLowReg {
  std::uint32_t bir = 0x0;
  std::uint32_t offset = 0x1;

  bool operator==(const BlockLowReg&) const = default;
  [[nodiscard]] static constexpr BlockLowReg from(std::uint32_t word) {
    BlockLowReg fields;
    fields.bir = kBlockLowBir.get(word);
    fields.offset = kBlockLowOffset.get(word);
    return fields;
  }
  [[nodiscard]] constexpr std::uint32_t word() const {
    return kBlockLowBir.put(bir) | kBlockLowOffset.put(offset);
  }
};

// block_high
struct BlockHighReg {
  std::uint32_t offset = 0x0;

  bool operator==(const BlockHighReg&) const = default;
  [[nodiscard]] static constexpr BlockHighReg from(std::uint32_t word) {
    BlockHighReg fields;
    fields.offset = kBlockHighOffset.get(word);
    return fields;
  }
  [[nodiscard]] constexpr std::uint32_t word() const { return kBlockHighOffset.put(offset); }
};

struct Regs {
  CapHeaderReg cap_header;
  DvsecHeaderReg dvsec_header;
  DvsecIdReg dvsec_id;
  CapabilityReg capability;
  BlockLowReg block_low;
  BlockHighReg block_high;

  bool operator==(const Regs&) const = default;
  [[nodiscard]] constexpr std::uint32_t word_at(std::uint32_t offset) const {
    switch (offset & ~3u) {
      case 0x000:
        return cap_header.word();
      case 0x004:
        return dvsec_header.word();
      case 0x008:
        return dvsec_id.word() | capability.word() << 16;
      case 0x00c:
        return block_low.word();
      case 0x010:
        return block_high.word();
      default:
        break;
    }
    return 0;
  }
};

}  // namespace dvsec_vendor

// Endpoint vendor block
namespace ep {

// control
struct ControlReg {
  bool dram_enable = false;
  bool len_enable = false;

  bool operator==(const ControlReg&) const = default;
  [[nodiscard]] static constexpr ControlReg from(std::uint32_t word) {
    ControlReg fields;
    fields.dram_enable = kControlDramEnable.is_set(word);
    fields.len_enable = kControlLenEnable.is_set(word);
    return fields;
  }
  [[nodiscard]] constexpr std::uint32_t word() const {
    return kControlDramEnable.put(dram_enable) | kControlLenEnable.put(len_enable);
  }
  constexpr void write(std::uint32_t value) {
    dram_enable = kControlDramEnable.is_set(value);
    len_enable = kControlLenEnable.is_set(value);
  }
};

// sets
struct SetsReg {
  std::uint32_t log2 = 0x0;

  bool operator==(const SetsReg&) const = default;
  [[nodiscard]] static constexpr SetsReg from(std::uint32_t word) {
    SetsReg fields;
    fields.log2 = kSetsLog2.get(word);
    return fields;
  }
  [[nodiscard]] constexpr std::uint32_t word() const { return kSetsLog2.put(log2); }
  constexpr void write(std::uint32_t value) { log2 = kSetsLog2.get(value); }
};

// ingress_th
struct IngressThReg {
  std::uint32_t th0 = 0x4;
  std::uint32_t th1 = 0xc;
  std::uint32_t th2 = 0x18;
  std::uint32_t margin = 0x0;

  bool operator==(const IngressThReg&) const = default;
  [[nodiscard]] static constexpr IngressThReg from(std::uint32_t word) {
    IngressThReg fields;
    fields.th0 = kIngressThTh0.get(word);
    fields.th1 = kIngressThTh1.get(word);
    fields.th2 = kIngressThTh2.get(word);
    fields.margin = kIngressThMargin.get(word);
    return fields;
  }
  [[nodiscard]] constexpr std::uint32_t word() const {
    return kIngressThTh0.put(th0) | kIngressThTh1.put(th1) | kIngressThTh2.put(th2) |
           kIngressThMargin.put(margin);
  }
  constexpr void write(std::uint32_t value) {
    th0 = kIngressThTh0.get(value);
    th1 = kIngressThTh1.get(value);
    th2 = kIngressThTh2.get(value);
    margin = kIngressThMargin.get(value);
  }
};

// mshr_th
struct MshrThReg {
  std::uint32_t th0 = 0x10;
  std::uint32_t th1 = 0x20;
  std::uint32_t th2 = 0x30;
  std::uint32_t margin = 0x0;

  bool operator==(const MshrThReg&) const = default;
  [[nodiscard]] static constexpr MshrThReg from(std::uint32_t word) {
    MshrThReg fields;
    fields.th0 = kMshrThTh0.get(word);
    fields.th1 = kMshrThTh1.get(word);
    fields.th2 = kMshrThTh2.get(word);
    fields.margin = kMshrThMargin.get(word);
    return fields;
  }
  [[nodiscard]] constexpr std::uint32_t word() const {
    return kMshrThTh0.put(th0) | kMshrThTh1.put(th1) | kMshrThTh2.put(th2) |
           kMshrThMargin.put(margin);
  }
  constexpr void write(std::uint32_t value) {
    th0 = kMshrThTh0.get(value);
    th1 = kMshrThTh1.get(value);
    th2 = kMshrThTh2.get(value);
    margin = kMshrThMargin.get(value);
  }
};

// write_backs
struct WriteBacksReg {
  std::uint32_t count = 0x0;

  bool operator==(const WriteBacksReg&) const = default;
  [[nodiscard]] static constexpr WriteBacksReg from(std::uint32_t word) {
    WriteBacksReg fields;
    fields.count = kWriteBacksCount.get(word);
    return fields;
  }
  [[nodiscard]] constexpr std::uint32_t word() const { return kWriteBacksCount.put(count); }
};

// backlog_th
struct BacklogThReg {
  std::uint32_t th0 = 0x7f;
  std::uint32_t th1 = 0x7f;
  std::uint32_t th2 = 0x7f;
  std::uint32_t margin = 0x0;

  bool operator==(const BacklogThReg&) const = default;
  [[nodiscard]] static constexpr BacklogThReg from(std::uint32_t word) {
    BacklogThReg fields;
    fields.th0 = kBacklogThTh0.get(word);
    fields.th1 = kBacklogThTh1.get(word);
    fields.th2 = kBacklogThTh2.get(word);
    fields.margin = kBacklogThMargin.get(word);
    return fields;
  }
  [[nodiscard]] constexpr std::uint32_t word() const {
    return kBacklogThTh0.put(th0) | kBacklogThTh1.put(th1) | kBacklogThTh2.put(th2) |
           kBacklogThMargin.put(margin);
  }
  constexpr void write(std::uint32_t value) {
    th0 = kBacklogThTh0.get(value);
    th1 = kBacklogThTh1.get(value);
    th2 = kBacklogThTh2.get(value);
    margin = kBacklogThMargin.get(value);
  }
};

// tasks_th
struct TasksThReg {
  std::uint32_t th0 = 0x7f;
  std::uint32_t th1 = 0x7f;
  std::uint32_t th2 = 0x7f;

  bool operator==(const TasksThReg&) const = default;
  [[nodiscard]] static constexpr TasksThReg from(std::uint32_t word) {
    TasksThReg fields;
    fields.th0 = kTasksThTh0.get(word);
    fields.th1 = kTasksThTh1.get(word);
    fields.th2 = kTasksThTh2.get(word);
    return fields;
  }
  [[nodiscard]] constexpr std::uint32_t word() const {
    return kTasksThTh0.put(th0) | kTasksThTh1.put(th1) | kTasksThTh2.put(th2);
  }
  constexpr void write(std::uint32_t value) {
    th0 = kTasksThTh0.get(value);
    th1 = kTasksThTh1.get(value);
    th2 = kTasksThTh2.get(value);
  }
};

// qos_control
struct QosControlReg {
  bool egress_enable = false;
  bool ttr_enable = false;
  std::uint32_t egress_moderate = 0xa;
  std::uint32_t egress_severe = 0x19;
  std::uint32_t interval = 0x8;

  bool operator==(const QosControlReg&) const = default;
  [[nodiscard]] static constexpr QosControlReg from(std::uint32_t word) {
    QosControlReg fields;
    fields.egress_enable = kQosControlEgressEnable.is_set(word);
    fields.ttr_enable = kQosControlTtrEnable.is_set(word);
    fields.egress_moderate = kQosControlEgressModerate.get(word);
    fields.egress_severe = kQosControlEgressSevere.get(word);
    fields.interval = kQosControlInterval.get(word);
    return fields;
  }
  [[nodiscard]] constexpr std::uint32_t word() const {
    return kQosControlEgressEnable.put(egress_enable) | kQosControlTtrEnable.put(ttr_enable) |
           kQosControlEgressModerate.put(egress_moderate) |
           kQosControlEgressSevere.put(egress_severe) | kQosControlInterval.put(interval);
  }
  constexpr void write(std::uint32_t value) {
    egress_enable = kQosControlEgressEnable.is_set(value);
    ttr_enable = kQosControlTtrEnable.is_set(value);
    egress_moderate = kQosControlEgressModerate.get(value);
    egress_severe = kQosControlEgressSevere.get(value);
    interval = kQosControlInterval.get(value);
  }
};

// qos_status
struct QosStatusReg {
  std::uint32_t backpressure = 0x0;
  std::uint32_t ingress = 0x0;
  std::uint32_t mshr = 0x0;
  std::uint32_t backlog = 0x0;
  std::uint32_t tasks = 0x0;
  std::uint32_t egress = 0x0;
  std::uint32_t dev_load = 0x0;

  bool operator==(const QosStatusReg&) const = default;
  [[nodiscard]] static constexpr QosStatusReg from(std::uint32_t word) {
    QosStatusReg fields;
    fields.backpressure = kQosStatusBackpressure.get(word);
    fields.ingress = kQosStatusIngress.get(word);
    fields.mshr = kQosStatusMshr.get(word);
    fields.backlog = kQosStatusBacklog.get(word);
    fields.tasks = kQosStatusTasks.get(word);
    fields.egress = kQosStatusEgress.get(word);
    fields.dev_load = kQosStatusDevLoad.get(word);
    return fields;
  }
  [[nodiscard]] constexpr std::uint32_t word() const {
    return kQosStatusBackpressure.put(backpressure) | kQosStatusIngress.put(ingress) |
           kQosStatusMshr.put(mshr) | kQosStatusBacklog.put(backlog) | kQosStatusTasks.put(tasks) |
           kQosStatusEgress.put(egress) | kQosStatusDevLoad.put(dev_load);
  }
};

// cap
struct CapReg {
  std::uint32_t mshrs = 0x0;
  std::uint32_t line_bytes = 0x0;

  bool operator==(const CapReg&) const = default;
  [[nodiscard]] static constexpr CapReg from(std::uint32_t word) {
    CapReg fields;
    fields.mshrs = kCapMshrs.get(word);
    fields.line_bytes = kCapLineBytes.get(word);
    return fields;
  }
  [[nodiscard]] constexpr std::uint32_t word() const {
    return kCapMshrs.put(mshrs) | kCapLineBytes.put(line_bytes);
  }
};

// open
struct OpenReg {
  std::uint32_t max = 0x0;

  bool operator==(const OpenReg&) const = default;
  [[nodiscard]] static constexpr OpenReg from(std::uint32_t word) {
    OpenReg fields;
    fields.max = kOpenMax.get(word);
    return fields;
  }
  [[nodiscard]] constexpr std::uint32_t word() const { return kOpenMax.put(max); }
  constexpr void write(std::uint32_t value) { max = kOpenMax.get(value); }
};

// demand_hits
struct DemandHitsReg {
  std::uint32_t count = 0x0;

  bool operator==(const DemandHitsReg&) const = default;
  [[nodiscard]] static constexpr DemandHitsReg from(std::uint32_t word) {
    DemandHitsReg fields;
    fields.count = kDemandHitsCount.get(word);
    return fields;
  }
  [[nodiscard]] constexpr std::uint32_t word() const { return kDemandHitsCount.put(count); }
};

// demand_merges
struct DemandMergesReg {
  std::uint32_t count = 0x0;

  bool operator==(const DemandMergesReg&) const = default;
  [[nodiscard]] static constexpr DemandMergesReg from(std::uint32_t word) {
    DemandMergesReg fields;
    fields.count = kDemandMergesCount.get(word);
    return fields;
  }
  [[nodiscard]] constexpr std::uint32_t word() const { return kDemandMergesCount.put(count); }
};

// demand_fills
struct DemandFillsReg {
  std::uint32_t count = 0x0;

  bool operator==(const DemandFillsReg&) const = default;
  [[nodiscard]] static constexpr DemandFillsReg from(std::uint32_t word) {
    DemandFillsReg fields;
    fields.count = kDemandFillsCount.get(word);
    return fields;
  }
  [[nodiscard]] constexpr std::uint32_t word() const { return kDemandFillsCount.put(count); }
};

// spec_fills
struct SpecFillsReg {
  std::uint32_t count = 0x0;

  bool operator==(const SpecFillsReg&) const = default;
  [[nodiscard]] static constexpr SpecFillsReg from(std::uint32_t word) {
    SpecFillsReg fields;
    fields.count = kSpecFillsCount.get(word);
    return fields;
  }
  [[nodiscard]] constexpr std::uint32_t word() const { return kSpecFillsCount.put(count); }
};

// spec_needless
struct SpecNeedlessReg {
  std::uint32_t count = 0x0;

  bool operator==(const SpecNeedlessReg&) const = default;
  [[nodiscard]] static constexpr SpecNeedlessReg from(std::uint32_t word) {
    SpecNeedlessReg fields;
    fields.count = kSpecNeedlessCount.get(word);
    return fields;
  }
  [[nodiscard]] constexpr std::uint32_t word() const { return kSpecNeedlessCount.put(count); }
};

// spec_dropped
struct SpecDroppedReg {
  std::uint32_t count = 0x0;

  bool operator==(const SpecDroppedReg&) const = default;
  [[nodiscard]] static constexpr SpecDroppedReg from(std::uint32_t word) {
    SpecDroppedReg fields;
    fields.count = kSpecDroppedCount.get(word);
    return fields;
  }
  [[nodiscard]] constexpr std::uint32_t word() const { return kSpecDroppedCount.put(count); }
};

// spec_evicted_unused
struct SpecEvictedUnusedReg {
  std::uint32_t count = 0x0;

  bool operator==(const SpecEvictedUnusedReg&) const = default;
  [[nodiscard]] static constexpr SpecEvictedUnusedReg from(std::uint32_t word) {
    SpecEvictedUnusedReg fields;
    fields.count = kSpecEvictedUnusedCount.get(word);
    return fields;
  }
  [[nodiscard]] constexpr std::uint32_t word() const { return kSpecEvictedUnusedCount.put(count); }
};

// spec_displaced
struct SpecDisplacedReg {
  std::uint32_t count = 0x0;

  bool operator==(const SpecDisplacedReg&) const = default;
  [[nodiscard]] static constexpr SpecDisplacedReg from(std::uint32_t word) {
    SpecDisplacedReg fields;
    fields.count = kSpecDisplacedCount.get(word);
    return fields;
  }
  [[nodiscard]] constexpr std::uint32_t word() const { return kSpecDisplacedCount.put(count); }
};

// opened
struct OpenedReg {
  std::uint32_t count = 0x0;

  bool operator==(const OpenedReg&) const = default;
  [[nodiscard]] static constexpr OpenedReg from(std::uint32_t word) {
    OpenedReg fields;
    fields.count = kOpenedCount.get(word);
    return fields;
  }
  [[nodiscard]] constexpr std::uint32_t word() const { return kOpenedCount.put(count); }
};

// filled_behind
struct FilledBehindReg {
  std::uint32_t count = 0x0;

  bool operator==(const FilledBehindReg&) const = default;
  [[nodiscard]] static constexpr FilledBehindReg from(std::uint32_t word) {
    FilledBehindReg fields;
    fields.count = kFilledBehindCount.get(word);
    return fields;
  }
  [[nodiscard]] constexpr std::uint32_t word() const { return kFilledBehindCount.put(count); }
};

// made_whole
struct MadeWholeReg {
  std::uint32_t count = 0x0;

  bool operator==(const MadeWholeReg&) const = default;
  [[nodiscard]] static constexpr MadeWholeReg from(std::uint32_t word) {
    MadeWholeReg fields;
    fields.count = kMadeWholeCount.get(word);
    return fields;
  }
  [[nodiscard]] constexpr std::uint32_t word() const { return kMadeWholeCount.put(count); }
};

// persistent_from
struct PersistentFromReg {
  std::uint32_t units = 0x0;

  bool operator==(const PersistentFromReg&) const = default;
  [[nodiscard]] static constexpr PersistentFromReg from(std::uint32_t word) {
    PersistentFromReg fields;
    fields.units = kPersistentFromUnits.get(word);
    return fields;
  }
  [[nodiscard]] constexpr std::uint32_t word() const { return kPersistentFromUnits.put(units); }
  constexpr void write(std::uint32_t value) { units = kPersistentFromUnits.get(value); }
};

// durable
struct DurableReg {
  std::uint32_t level = 0x0;

  bool operator==(const DurableReg&) const = default;
  [[nodiscard]] static constexpr DurableReg from(std::uint32_t word) {
    DurableReg fields;
    fields.level = kDurableLevel.get(word);
    return fields;
  }
  [[nodiscard]] constexpr std::uint32_t word() const { return kDurableLevel.put(level); }
  constexpr void write(std::uint32_t value) { level = kDurableLevel.get(value); }
};

struct Regs {
  ControlReg control;
  SetsReg sets;
  IngressThReg ingress_th;
  MshrThReg mshr_th;
  WriteBacksReg write_backs;
  BacklogThReg backlog_th;
  TasksThReg tasks_th;
  QosControlReg qos_control;
  QosStatusReg qos_status;
  CapReg cap;
  OpenReg open;
  DemandHitsReg demand_hits;
  DemandMergesReg demand_merges;
  DemandFillsReg demand_fills;
  SpecFillsReg spec_fills;
  SpecNeedlessReg spec_needless;
  SpecDroppedReg spec_dropped;
  SpecEvictedUnusedReg spec_evicted_unused;
  SpecDisplacedReg spec_displaced;
  OpenedReg opened;
  FilledBehindReg filled_behind;
  MadeWholeReg made_whole;
  PersistentFromReg persistent_from;
  DurableReg durable;

  bool operator==(const Regs&) const = default;
  [[nodiscard]] constexpr std::uint32_t word_at(std::uint32_t offset) const {
    switch (offset & ~3u) {
      case 0x800:
        return control.word();
      case 0x804:
        return sets.word();
      case 0x808:
        return ingress_th.word();
      case 0x80c:
        return mshr_th.word();
      case 0x810:
        return write_backs.word();
      case 0x814:
        return backlog_th.word();
      case 0x818:
        return tasks_th.word();
      case 0x81c:
        return qos_control.word();
      case 0x820:
        return qos_status.word();
      case 0x824:
        return cap.word();
      case 0x828:
        return open.word();
      case 0x830:
        return demand_hits.word();
      case 0x834:
        return demand_merges.word();
      case 0x838:
        return demand_fills.word();
      case 0x83c:
        return spec_fills.word();
      case 0x840:
        return spec_needless.word();
      case 0x844:
        return spec_dropped.word();
      case 0x848:
        return spec_evicted_unused.word();
      case 0x84c:
        return spec_displaced.word();
      case 0x850:
        return opened.word();
      case 0x854:
        return filled_behind.word();
      case 0x858:
        return made_whole.word();
      case 0x85c:
        return persistent_from.word();
      case 0x860:
        return durable.word();
      default:
        break;
    }
    return 0;
  }
  constexpr void write_at(std::uint32_t offset, std::uint32_t value) {
    switch (offset & ~3u) {
      case 0x800:
        control.write(value);
        break;
      case 0x804:
        sets.write(value);
        break;
      case 0x808:
        ingress_th.write(value);
        break;
      case 0x80c:
        mshr_th.write(value);
        break;
      case 0x814:
        backlog_th.write(value);
        break;
      case 0x818:
        tasks_th.write(value);
        break;
      case 0x81c:
        qos_control.write(value);
        break;
      case 0x828:
        open.write(value);
        break;
      case 0x85c:
        persistent_from.write(value);
        break;
      case 0x860:
        durable.write(value);
        break;
      default:
        break;
    }
  }
};

}  // namespace ep

// HDM decoder capability (component capability ID 5)
namespace hdm {

// capability
struct CapabilityReg {
  std::uint32_t count_code = 0x0;
  std::uint32_t target_count = 0x0;
  bool interleave_low = true;
  bool interleave_high = true;
  bool ways_3 = false;
  bool ways_16 = false;

  bool operator==(const CapabilityReg&) const = default;
  [[nodiscard]] static constexpr CapabilityReg at_reset(Side side) {
    CapabilityReg fields;
    if (side == Side::Host) fields.target_count = 0x8;
    if (side == Side::Device) fields.ways_3 = true;
    if (side == Side::Device) fields.ways_16 = true;
    return fields;
  }
  [[nodiscard]] static constexpr CapabilityReg from(std::uint32_t word) {
    CapabilityReg fields;
    fields.count_code = kCapabilityCountCode.get(word);
    fields.target_count = kCapabilityTargetCount.get(word);
    fields.interleave_low = kCapabilityInterleaveLow.is_set(word);
    fields.interleave_high = kCapabilityInterleaveHigh.is_set(word);
    fields.ways_3 = kCapabilityWays3.is_set(word);
    fields.ways_16 = kCapabilityWays16.is_set(word);
    return fields;
  }
  [[nodiscard]] constexpr std::uint32_t word() const {
    return kCapabilityCountCode.put(count_code) | kCapabilityTargetCount.put(target_count) |
           kCapabilityInterleaveLow.put(interleave_low) |
           kCapabilityInterleaveHigh.put(interleave_high) | kCapabilityWays3.put(ways_3) |
           kCapabilityWays16.put(ways_16);
  }
};

// global_control
struct GlobalControlReg {
  bool enable = false;

  bool operator==(const GlobalControlReg&) const = default;
  [[nodiscard]] static constexpr GlobalControlReg from(std::uint32_t word) {
    GlobalControlReg fields;
    fields.enable = kGlobalControlEnable.is_set(word);
    return fields;
  }
  [[nodiscard]] constexpr std::uint32_t word() const { return kGlobalControlEnable.put(enable); }
  constexpr void write(std::uint32_t value, Side side) {
    if (side == Side::Device) enable = kGlobalControlEnable.is_set(value);
  }
};

// dec.base_low
struct DecBaseLowReg {
  std::uint32_t base = 0x0;

  bool operator==(const DecBaseLowReg&) const = default;
  [[nodiscard]] static constexpr DecBaseLowReg from(std::uint32_t word) {
    DecBaseLowReg fields;
    fields.base = kDecBaseLowBase.get(word);
    return fields;
  }
  [[nodiscard]] constexpr std::uint32_t word() const { return kDecBaseLowBase.put(base); }
  constexpr void write(std::uint32_t value, bool locked) {
    if (!locked) base = kDecBaseLowBase.get(value);
  }
};

// dec.base_high
struct DecBaseHighReg {
  std::uint32_t base = 0x0;

  bool operator==(const DecBaseHighReg&) const = default;
  [[nodiscard]] static constexpr DecBaseHighReg from(std::uint32_t word) {
    DecBaseHighReg fields;
    fields.base = kDecBaseHighBase.get(word);
    return fields;
  }
  [[nodiscard]] constexpr std::uint32_t word() const { return kDecBaseHighBase.put(base); }
  constexpr void write(std::uint32_t value, bool locked) {
    if (!locked) base = kDecBaseHighBase.get(value);
  }
};

// dec.size_low
struct DecSizeLowReg {
  std::uint32_t size = 0x0;

  bool operator==(const DecSizeLowReg&) const = default;
  [[nodiscard]] static constexpr DecSizeLowReg from(std::uint32_t word) {
    DecSizeLowReg fields;
    fields.size = kDecSizeLowSize.get(word);
    return fields;
  }
  [[nodiscard]] constexpr std::uint32_t word() const { return kDecSizeLowSize.put(size); }
  constexpr void write(std::uint32_t value, bool locked) {
    if (!locked) size = kDecSizeLowSize.get(value);
  }
};

// dec.size_high
struct DecSizeHighReg {
  std::uint32_t size = 0x0;

  bool operator==(const DecSizeHighReg&) const = default;
  [[nodiscard]] static constexpr DecSizeHighReg from(std::uint32_t word) {
    DecSizeHighReg fields;
    fields.size = kDecSizeHighSize.get(word);
    return fields;
  }
  [[nodiscard]] constexpr std::uint32_t word() const { return kDecSizeHighSize.put(size); }
  constexpr void write(std::uint32_t value, bool locked) {
    if (!locked) size = kDecSizeHighSize.get(value);
  }
};

// dec.control
struct DecControlReg {
  std::uint32_t ig = 0x0;
  std::uint32_t iw = 0x0;
  bool lock = false;
  bool commit = false;
  bool committed = false;
  bool error = false;
  bool host_only = false;

  bool operator==(const DecControlReg&) const = default;
  [[nodiscard]] static constexpr DecControlReg from(std::uint32_t word) {
    DecControlReg fields;
    fields.ig = kDecControlIg.get(word);
    fields.iw = kDecControlIw.get(word);
    fields.lock = kDecControlLock.is_set(word);
    fields.commit = kDecControlCommit.is_set(word);
    fields.committed = kDecControlCommitted.is_set(word);
    fields.error = kDecControlError.is_set(word);
    fields.host_only = kDecControlHostOnly.is_set(word);
    return fields;
  }
  [[nodiscard]] constexpr std::uint32_t word() const {
    return kDecControlIg.put(ig) | kDecControlIw.put(iw) | kDecControlLock.put(lock) |
           kDecControlCommit.put(commit) | kDecControlCommitted.put(committed) |
           kDecControlError.put(error) | kDecControlHostOnly.put(host_only);
  }
  constexpr void write(std::uint32_t value, bool locked) {
    if (!locked) ig = kDecControlIg.get(value);
    if (!locked) iw = kDecControlIw.get(value);
    if (!locked) lock = kDecControlLock.is_set(value);
    if (!locked) commit = kDecControlCommit.is_set(value);
    if (!locked) host_only = kDecControlHostOnly.is_set(value);
  }
};

// dec.list_low
struct DecListLowReg {
  std::uint32_t targets = 0x0;
  std::uint32_t skip = 0x0;

  bool operator==(const DecListLowReg&) const = default;
  [[nodiscard]] static constexpr DecListLowReg from(std::uint32_t word) {
    DecListLowReg fields;
    fields.targets = kDecListLowTargets.get(word);
    fields.skip = kDecListLowSkip.get(word);
    return fields;
  }
  [[nodiscard]] constexpr std::uint32_t word() const {
    return kDecListLowTargets.put(targets) | kDecListLowSkip.put(skip);
  }
  constexpr void write(std::uint32_t value, Side side, bool locked) {
    if (side == Side::Host && !locked) targets = kDecListLowTargets.get(value);
    if (side == Side::Device && !locked) skip = kDecListLowSkip.get(value);
  }
};

// dec.list_high
struct DecListHighReg {
  std::uint32_t skip = 0x0;
  std::uint32_t targets = 0x0;

  bool operator==(const DecListHighReg&) const = default;
  [[nodiscard]] static constexpr DecListHighReg from(std::uint32_t word) {
    DecListHighReg fields;
    fields.skip = kDecListHighSkip.get(word);
    fields.targets = kDecListHighTargets.get(word);
    return fields;
  }
  [[nodiscard]] constexpr std::uint32_t word() const {
    return kDecListHighSkip.put(skip) | kDecListHighTargets.put(targets);
  }
  constexpr void write(std::uint32_t value, Side side, bool locked) {
    if (side == Side::Device && !locked) skip = kDecListHighSkip.get(value);
    if (side == Side::Host && !locked) targets = kDecListHighTargets.get(value);
  }
};

struct DecSet {
  DecBaseLowReg base_low;
  DecBaseHighReg base_high;
  DecSizeLowReg size_low;
  DecSizeHighReg size_high;
  DecControlReg control;
  DecListLowReg list_low;
  DecListHighReg list_high;

  bool operator==(const DecSet&) const = default;
  [[nodiscard]] constexpr std::uint32_t word_at(std::uint32_t offset) const {
    switch (offset & ~3u) {
      case 0x000:
        return base_low.word();
      case 0x004:
        return base_high.word();
      case 0x008:
        return size_low.word();
      case 0x00c:
        return size_high.word();
      case 0x010:
        return control.word();
      case 0x014:
        return list_low.word();
      case 0x018:
        return list_high.word();
      default:
        break;
    }
    return 0;
  }
  constexpr void write_at(std::uint32_t offset, std::uint32_t value, Side side, bool locked) {
    switch (offset & ~3u) {
      case 0x000:
        base_low.write(value, locked);
        break;
      case 0x004:
        base_high.write(value, locked);
        break;
      case 0x008:
        size_low.write(value, locked);
        break;
      case 0x00c:
        size_high.write(value, locked);
        break;
      case 0x010:
        control.write(value, locked);
        break;
      case 0x014:
        list_low.write(value, side, locked);
        break;
      case 0x018:
        list_high.write(value, side, locked);
        break;
      default:
        break;
    }
  }
};

struct Regs {
  CapabilityReg capability;
  GlobalControlReg global_control;
  std::array<DecSet, kDecCount> dec;

  bool operator==(const Regs&) const = default;
  [[nodiscard]] static constexpr Regs at_reset(Side side) {
    Regs regs;
    regs.capability = CapabilityReg::at_reset(side);
    return regs;
  }
  [[nodiscard]] constexpr std::uint32_t word_at(std::uint32_t offset) const {
    switch (offset & ~3u) {
      case 0x000:
        return capability.word();
      case 0x004:
        return global_control.word();
      default:
        break;
    }
    if (offset >= kDec && offset - kDec < kDecStride * kDecCount) {
      const std::uint32_t at = offset - kDec;
      return dec[at / kDecStride].word_at(at % kDecStride);
    }
    return 0;
  }
  constexpr void write_at(std::uint32_t offset, std::uint32_t value, Side side, bool locked) {
    switch (offset & ~3u) {
      case 0x004:
        global_control.write(value, side);
        break;
      default:
        break;
    }
    if (offset >= kDec && offset - kDec < kDecStride * kDecCount) {
      const std::uint32_t at = offset - kDec;
      dec[at / kDecStride].write_at(at % kDecStride, value, side, locked);
    }
  }
};

}  // namespace hdm

// Host bridge vendor block
namespace hb {

// hints
struct HintsReg {
  std::uint32_t count = 0x0;

  bool operator==(const HintsReg&) const = default;
  [[nodiscard]] static constexpr HintsReg from(std::uint32_t word) {
    HintsReg fields;
    fields.count = kHintsCount.get(word);
    return fields;
  }
  [[nodiscard]] constexpr std::uint32_t word() const { return kHintsCount.put(count); }
};

// hints_lost
struct HintsLostReg {
  std::uint32_t count = 0x0;

  bool operator==(const HintsLostReg&) const = default;
  [[nodiscard]] static constexpr HintsLostReg from(std::uint32_t word) {
    HintsLostReg fields;
    fields.count = kHintsLostCount.get(word);
    return fields;
  }
  [[nodiscard]] constexpr std::uint32_t word() const { return kHintsLostCount.put(count); }
};

// hint_misses
struct HintMissesReg {
  std::uint32_t count = 0x0;

  bool operator==(const HintMissesReg&) const = default;
  [[nodiscard]] static constexpr HintMissesReg from(std::uint32_t word) {
    HintMissesReg fields;
    fields.count = kHintMissesCount.get(word);
    return fields;
  }
  [[nodiscard]] constexpr std::uint32_t word() const { return kHintMissesCount.put(count); }
};

struct Regs {
  HintsReg hints;
  HintsLostReg hints_lost;
  HintMissesReg hint_misses;

  bool operator==(const Regs&) const = default;
  [[nodiscard]] constexpr std::uint32_t word_at(std::uint32_t offset) const {
    switch (offset & ~3u) {
      case 0x800:
        return hints.word();
      case 0x804:
        return hints_lost.word();
      case 0x808:
        return hint_misses.word();
      default:
        break;
    }
    return 0;
  }
};

}  // namespace hb

// CXL.io access
namespace io_access {

// addr_low
struct AddrLowReg {
  std::uint32_t addr = 0x0;

  bool operator==(const AddrLowReg&) const = default;
  [[nodiscard]] static constexpr AddrLowReg from(std::uint32_t word) {
    AddrLowReg fields;
    fields.addr = kAddrLowAddr.get(word);
    return fields;
  }
  [[nodiscard]] constexpr std::uint32_t word() const { return kAddrLowAddr.put(addr); }
  constexpr void write(std::uint32_t value, bool locked) {
    if (!locked) addr = kAddrLowAddr.get(value);
  }
};

// addr_high
struct AddrHighReg {
  std::uint32_t addr = 0x0;

  bool operator==(const AddrHighReg&) const = default;
  [[nodiscard]] static constexpr AddrHighReg from(std::uint32_t word) {
    AddrHighReg fields;
    fields.addr = kAddrHighAddr.get(word);
    return fields;
  }
  [[nodiscard]] constexpr std::uint32_t word() const { return kAddrHighAddr.put(addr); }
  constexpr void write(std::uint32_t value, bool locked) {
    if (!locked) addr = kAddrHighAddr.get(value);
  }
};

// data
struct DataReg {
  std::uint32_t data = 0x0;

  bool operator==(const DataReg&) const = default;
  [[nodiscard]] static constexpr DataReg from(std::uint32_t word) {
    DataReg fields;
    fields.data = kDataData.get(word);
    return fields;
  }
  [[nodiscard]] constexpr std::uint32_t word() const { return kDataData.put(data); }
  constexpr void write(std::uint32_t value, bool locked) {
    if (!locked) data = kDataData.get(value);
  }
};

// command
struct CommandReg {
  std::uint32_t op = 0x0;
  std::uint32_t be = 0x0;
  std::uint32_t status = 0x0;
  bool link_up = false;
  bool busy = false;

  bool operator==(const CommandReg&) const = default;
  [[nodiscard]] static constexpr CommandReg from(std::uint32_t word) {
    CommandReg fields;
    fields.op = kCommandOp.get(word);
    fields.be = kCommandBe.get(word);
    fields.status = kCommandStatus.get(word);
    fields.link_up = kCommandLinkUp.is_set(word);
    fields.busy = kCommandBusy.is_set(word);
    return fields;
  }
  [[nodiscard]] constexpr std::uint32_t word() const {
    return kCommandOp.put(op) | kCommandBe.put(be) | kCommandStatus.put(status) |
           kCommandLinkUp.put(link_up) | kCommandBusy.put(busy);
  }
  constexpr void write(std::uint32_t value, bool locked) {
    if (!locked) op = kCommandOp.get(value);
    if (!locked) be = kCommandBe.get(value);
  }
};

struct Regs {
  AddrLowReg addr_low;
  AddrHighReg addr_high;
  DataReg data;
  CommandReg command;

  bool operator==(const Regs&) const = default;
  [[nodiscard]] constexpr std::uint32_t word_at(std::uint32_t offset) const {
    switch (offset & ~3u) {
      case 0x400:
        return addr_low.word();
      case 0x404:
        return addr_high.word();
      case 0x408:
        return data.word();
      case 0x40c:
        return command.word();
      default:
        break;
    }
    return 0;
  }
  constexpr void write_at(std::uint32_t offset, std::uint32_t value, bool locked) {
    switch (offset & ~3u) {
      case 0x400:
        addr_low.write(value, locked);
        break;
      case 0x404:
        addr_high.write(value, locked);
        break;
      case 0x408:
        data.write(value, locked);
        break;
      case 0x40c:
        command.write(value, locked);
        break;
      default:
        break;
    }
  }
};

}  // namespace io_access

// Link capability (component capability ID 4)
namespace link {

// capability
struct CapabilityReg {
  std::uint32_t version_supported = 0x2;
  std::uint32_t version_received = 0x0;
  std::uint32_t wrap_supported = 0x0;
  std::uint32_t wrap_received = 0x0;
  std::uint32_t num_retry = 0x0;
  std::uint32_t num_phy_reinit = 0x0;
  std::uint32_t wr_ptr = 0x0;
  std::uint32_t eseq_echo = 0x0;
  std::uint32_t num_free_buf = 0x0;
  bool no_ll_reset = true;

  bool operator==(const CapabilityReg&) const = default;
  [[nodiscard]] static constexpr CapabilityReg from(std::uint64_t word) {
    CapabilityReg fields;
    fields.version_supported = static_cast<std::uint32_t>(kCapabilityVersionSupported.get(word));
    fields.version_received = static_cast<std::uint32_t>(kCapabilityVersionReceived.get(word));
    fields.wrap_supported = static_cast<std::uint32_t>(kCapabilityWrapSupported.get(word));
    fields.wrap_received = static_cast<std::uint32_t>(kCapabilityWrapReceived.get(word));
    fields.num_retry = static_cast<std::uint32_t>(kCapabilityNumRetry.get(word));
    fields.num_phy_reinit = static_cast<std::uint32_t>(kCapabilityNumPhyReinit.get(word));
    fields.wr_ptr = static_cast<std::uint32_t>(kCapabilityWrPtr.get(word));
    fields.eseq_echo = static_cast<std::uint32_t>(kCapabilityEseqEcho.get(word));
    fields.num_free_buf = static_cast<std::uint32_t>(kCapabilityNumFreeBuf.get(word));
    fields.no_ll_reset = kCapabilityNoLlReset.is_set(word);
    return fields;
  }
  [[nodiscard]] constexpr std::uint64_t whole() const {
    return kCapabilityVersionSupported.put(version_supported) |
           kCapabilityVersionReceived.put(version_received) |
           kCapabilityWrapSupported.put(wrap_supported) |
           kCapabilityWrapReceived.put(wrap_received) | kCapabilityNumRetry.put(num_retry) |
           kCapabilityNumPhyReinit.put(num_phy_reinit) | kCapabilityWrPtr.put(wr_ptr) |
           kCapabilityEseqEcho.put(eseq_echo) | kCapabilityNumFreeBuf.put(num_free_buf) |
           kCapabilityNoLlReset.put(no_ll_reset);
  }
  [[nodiscard]] constexpr std::uint32_t word(unsigned half) const {
    return static_cast<std::uint32_t>(whole() >> 32 * half);
  }
  constexpr void write(std::uint32_t value, unsigned half) {
    const std::uint64_t bits = std::uint64_t{0xffffffff} << 32 * half;
    const std::uint64_t put = (std::uint64_t{value} << 32 * half) & bits;
    const std::uint64_t written = (whole() & ~bits) | put;
    version_supported = static_cast<std::uint32_t>(kCapabilityVersionSupported.get(written));
    wrap_supported = static_cast<std::uint32_t>(kCapabilityWrapSupported.get(written));
  }
};

// control
struct ControlReg {
  bool ll_reset = false;
  bool init_stall = false;
  bool crd_stall = false;
  std::uint32_t init_state = 0x0;
  std::uint32_t llrb_consumed = 0x0;

  bool operator==(const ControlReg&) const = default;
  [[nodiscard]] static constexpr ControlReg from(std::uint64_t word) {
    ControlReg fields;
    fields.ll_reset = kControlLlReset.is_set(word);
    fields.init_stall = kControlInitStall.is_set(word);
    fields.crd_stall = kControlCrdStall.is_set(word);
    fields.init_state = static_cast<std::uint32_t>(kControlInitState.get(word));
    fields.llrb_consumed = static_cast<std::uint32_t>(kControlLlrbConsumed.get(word));
    return fields;
  }
  [[nodiscard]] constexpr std::uint64_t whole() const {
    return kControlLlReset.put(ll_reset) | kControlInitStall.put(init_stall) |
           kControlCrdStall.put(crd_stall) | kControlInitState.put(init_state) |
           kControlLlrbConsumed.put(llrb_consumed);
  }
  [[nodiscard]] constexpr std::uint32_t word(unsigned half) const {
    return static_cast<std::uint32_t>(whole() >> 32 * half);
  }
  constexpr void write(std::uint32_t value, unsigned half) {
    const std::uint64_t bits = std::uint64_t{0xffffffff} << 32 * half;
    const std::uint64_t put = (std::uint64_t{value} << 32 * half) & bits;
    const std::uint64_t written = (whole() & ~bits) | put;
    init_stall = kControlInitStall.is_set(written);
    crd_stall = kControlCrdStall.is_set(written);
  }
};

// rx_credit
struct RxCreditReg {
  std::uint32_t cache_req = 0x0;
  std::uint32_t cache_rsp = 0x0;
  std::uint32_t cache_data = 0x0;
  std::uint32_t mem_nd = 0x0;
  std::uint32_t mem_data = 0x0;

  bool operator==(const RxCreditReg&) const = default;
  [[nodiscard]] static constexpr RxCreditReg from(std::uint64_t word) {
    RxCreditReg fields;
    fields.cache_req = static_cast<std::uint32_t>(kRxCreditCacheReq.get(word));
    fields.cache_rsp = static_cast<std::uint32_t>(kRxCreditCacheRsp.get(word));
    fields.cache_data = static_cast<std::uint32_t>(kRxCreditCacheData.get(word));
    fields.mem_nd = static_cast<std::uint32_t>(kRxCreditMemNd.get(word));
    fields.mem_data = static_cast<std::uint32_t>(kRxCreditMemData.get(word));
    return fields;
  }
  [[nodiscard]] constexpr std::uint64_t whole() const {
    return kRxCreditCacheReq.put(cache_req) | kRxCreditCacheRsp.put(cache_rsp) |
           kRxCreditCacheData.put(cache_data) | kRxCreditMemNd.put(mem_nd) |
           kRxCreditMemData.put(mem_data);
  }
  [[nodiscard]] constexpr std::uint32_t word(unsigned half) const {
    return static_cast<std::uint32_t>(whole() >> 32 * half);
  }
  constexpr void write(std::uint32_t value, unsigned half) {
    const std::uint64_t bits = std::uint64_t{0xffffffff} << 32 * half;
    const std::uint64_t put = (std::uint64_t{value} << 32 * half) & bits;
    const std::uint64_t written = (whole() & ~bits) | put;
    mem_nd = static_cast<std::uint32_t>(kRxCreditMemNd.get(written));
    mem_data = static_cast<std::uint32_t>(kRxCreditMemData.get(written));
  }
};

// rx_credit_return
struct RxCreditReturnReg {
  std::uint32_t cache_req = 0x0;
  std::uint32_t cache_rsp = 0x0;
  std::uint32_t cache_data = 0x0;
  std::uint32_t mem_nd = 0x0;
  std::uint32_t mem_data = 0x0;

  bool operator==(const RxCreditReturnReg&) const = default;
  [[nodiscard]] static constexpr RxCreditReturnReg from(std::uint64_t word) {
    RxCreditReturnReg fields;
    fields.cache_req = static_cast<std::uint32_t>(kRxCreditReturnCacheReq.get(word));
    fields.cache_rsp = static_cast<std::uint32_t>(kRxCreditReturnCacheRsp.get(word));
    fields.cache_data = static_cast<std::uint32_t>(kRxCreditReturnCacheData.get(word));
    fields.mem_nd = static_cast<std::uint32_t>(kRxCreditReturnMemNd.get(word));
    fields.mem_data = static_cast<std::uint32_t>(kRxCreditReturnMemData.get(word));
    return fields;
  }
  [[nodiscard]] constexpr std::uint64_t whole() const {
    return kRxCreditReturnCacheReq.put(cache_req) | kRxCreditReturnCacheRsp.put(cache_rsp) |
           kRxCreditReturnCacheData.put(cache_data) | kRxCreditReturnMemNd.put(mem_nd) |
           kRxCreditReturnMemData.put(mem_data);
  }
  [[nodiscard]] constexpr std::uint32_t word(unsigned half) const {
    return static_cast<std::uint32_t>(whole() >> 32 * half);
  }
};

// tx_credit
struct TxCreditReg {
  std::uint32_t cache_req = 0x0;
  std::uint32_t cache_rsp = 0x0;
  std::uint32_t cache_data = 0x0;
  std::uint32_t mem_nd = 0x0;
  std::uint32_t mem_data = 0x0;

  bool operator==(const TxCreditReg&) const = default;
  [[nodiscard]] static constexpr TxCreditReg from(std::uint64_t word) {
    TxCreditReg fields;
    fields.cache_req = static_cast<std::uint32_t>(kTxCreditCacheReq.get(word));
    fields.cache_rsp = static_cast<std::uint32_t>(kTxCreditCacheRsp.get(word));
    fields.cache_data = static_cast<std::uint32_t>(kTxCreditCacheData.get(word));
    fields.mem_nd = static_cast<std::uint32_t>(kTxCreditMemNd.get(word));
    fields.mem_data = static_cast<std::uint32_t>(kTxCreditMemData.get(word));
    return fields;
  }
  [[nodiscard]] constexpr std::uint64_t whole() const {
    return kTxCreditCacheReq.put(cache_req) | kTxCreditCacheRsp.put(cache_rsp) |
           kTxCreditCacheData.put(cache_data) | kTxCreditMemNd.put(mem_nd) |
           kTxCreditMemData.put(mem_data);
  }
  [[nodiscard]] constexpr std::uint32_t word(unsigned half) const {
    return static_cast<std::uint32_t>(whole() >> 32 * half);
  }
};

// ack_timer
struct AckTimerReg {
  std::uint32_t ack_force = 0x10;
  std::uint32_t flush = 0x20;

  bool operator==(const AckTimerReg&) const = default;
  [[nodiscard]] static constexpr AckTimerReg from(std::uint32_t word) {
    AckTimerReg fields;
    fields.ack_force = kAckTimerAckForce.get(word);
    fields.flush = kAckTimerFlush.get(word);
    return fields;
  }
  [[nodiscard]] constexpr std::uint32_t word() const {
    return kAckTimerAckForce.put(ack_force) | kAckTimerFlush.put(flush);
  }
  constexpr void write(std::uint32_t value) {
    ack_force = kAckTimerAckForce.get(value);
    flush = kAckTimerFlush.get(value);
  }
};

// defeature
struct DefeatureReg {
  bool mdh_disable = false;

  bool operator==(const DefeatureReg&) const = default;
  [[nodiscard]] static constexpr DefeatureReg from(std::uint32_t word) {
    DefeatureReg fields;
    fields.mdh_disable = kDefeatureMdhDisable.is_set(word);
    return fields;
  }
  [[nodiscard]] constexpr std::uint32_t word() const {
    return kDefeatureMdhDisable.put(mdh_disable);
  }
  constexpr void write(std::uint32_t value) { mdh_disable = kDefeatureMdhDisable.is_set(value); }
};

struct Regs {
  CapabilityReg capability;
  ControlReg control;
  RxCreditReg rx_credit;
  RxCreditReturnReg rx_credit_return;
  TxCreditReg tx_credit;
  AckTimerReg ack_timer;
  DefeatureReg defeature;

  bool operator==(const Regs&) const = default;
  [[nodiscard]] constexpr std::uint32_t word_at(std::uint32_t offset) const {
    switch (offset & ~3u) {
      case 0x000:
        return capability.word(0);
      case 0x004:
        return capability.word(1);
      case 0x008:
        return control.word(0);
      case 0x00c:
        return control.word(1);
      case 0x010:
        return rx_credit.word(0);
      case 0x014:
        return rx_credit.word(1);
      case 0x018:
        return rx_credit_return.word(0);
      case 0x01c:
        return rx_credit_return.word(1);
      case 0x020:
        return tx_credit.word(0);
      case 0x024:
        return tx_credit.word(1);
      case 0x028:
        return ack_timer.word();
      case 0x030:
        return defeature.word();
      default:
        break;
    }
    return 0;
  }
  constexpr void write_at(std::uint32_t offset, std::uint32_t value) {
    switch (offset & ~3u) {
      case 0x000:
        capability.write(value, 0);
        break;
      case 0x004:
        capability.write(value, 1);
        break;
      case 0x008:
        control.write(value, 0);
        break;
      case 0x00c:
        control.write(value, 1);
        break;
      case 0x010:
        rx_credit.write(value, 0);
        break;
      case 0x014:
        rx_credit.write(value, 1);
        break;
      case 0x028:
        ack_timer.write(value);
        break;
      case 0x030:
        defeature.write(value);
        break;
      default:
        break;
    }
  }
};

}  // namespace link

// CXL device registers
namespace mailbox {

// array
struct ArrayReg {
  std::uint32_t id = 0x0;
  std::uint32_t version = 0x1;

  bool operator==(const ArrayReg&) const = default;
  [[nodiscard]] static constexpr ArrayReg from(std::uint32_t word) {
    ArrayReg fields;
    fields.id = kArrayId.get(word);
    fields.version = kArrayVersion.get(word);
    return fields;
  }
  [[nodiscard]] constexpr std::uint32_t word() const {
    return kArrayId.put(id) | kArrayVersion.put(version);
  }
};

// array_count
struct ArrayCountReg {
  std::uint32_t count = 0x3;

  bool operator==(const ArrayCountReg&) const = default;
  [[nodiscard]] static constexpr ArrayCountReg from(std::uint32_t word) {
    ArrayCountReg fields;
    fields.count = kArrayCountCount.get(word);
    return fields;
  }
  [[nodiscard]] constexpr std::uint32_t word() const { return kArrayCountCount.put(count); }
};

// status_cap
struct StatusCapReg {
  std::uint32_t id = 0x1;
  std::uint32_t version = 0x1;

  bool operator==(const StatusCapReg&) const = default;
  [[nodiscard]] static constexpr StatusCapReg from(std::uint32_t word) {
    StatusCapReg fields;
    fields.id = kStatusCapId.get(word);
    fields.version = kStatusCapVersion.get(word);
    return fields;
  }
  [[nodiscard]] constexpr std::uint32_t word() const {
    return kStatusCapId.put(id) | kStatusCapVersion.put(version);
  }
};

// status_cap_at
struct StatusCapAtReg {
  std::uint32_t offset = 0x80;

  bool operator==(const StatusCapAtReg&) const = default;
  [[nodiscard]] static constexpr StatusCapAtReg from(std::uint32_t word) {
    StatusCapAtReg fields;
    fields.offset = kStatusCapAtOffset.get(word);
    return fields;
  }
  [[nodiscard]] constexpr std::uint32_t word() const { return kStatusCapAtOffset.put(offset); }
};

// status_cap_bytes
struct StatusCapBytesReg {
  std::uint32_t length = 0x8;

  bool operator==(const StatusCapBytesReg&) const = default;
  [[nodiscard]] static constexpr StatusCapBytesReg from(std::uint32_t word) {
    StatusCapBytesReg fields;
    fields.length = kStatusCapBytesLength.get(word);
    return fields;
  }
  [[nodiscard]] constexpr std::uint32_t word() const { return kStatusCapBytesLength.put(length); }
};

// mailbox_cap
struct MailboxCapReg {
  std::uint32_t id = 0x2;
  std::uint32_t version = 0x1;

  bool operator==(const MailboxCapReg&) const = default;
  [[nodiscard]] static constexpr MailboxCapReg from(std::uint32_t word) {
    MailboxCapReg fields;
    fields.id = kMailboxCapId.get(word);
    fields.version = kMailboxCapVersion.get(word);
    return fields;
  }
  [[nodiscard]] constexpr std::uint32_t word() const {
    return kMailboxCapId.put(id) | kMailboxCapVersion.put(version);
  }
};

// mailbox_cap_at
struct MailboxCapAtReg {
  std::uint32_t offset = 0x100;

  bool operator==(const MailboxCapAtReg&) const = default;
  [[nodiscard]] static constexpr MailboxCapAtReg from(std::uint32_t word) {
    MailboxCapAtReg fields;
    fields.offset = kMailboxCapAtOffset.get(word);
    return fields;
  }
  [[nodiscard]] constexpr std::uint32_t word() const { return kMailboxCapAtOffset.put(offset); }
};

// mailbox_cap_bytes
struct MailboxCapBytesReg {
  std::uint32_t length = 0x120;

  bool operator==(const MailboxCapBytesReg&) const = default;
  [[nodiscard]] static constexpr MailboxCapBytesReg from(std::uint32_t word) {
    MailboxCapBytesReg fields;
    fields.length = kMailboxCapBytesLength.get(word);
    return fields;
  }
  [[nodiscard]] constexpr std::uint32_t word() const { return kMailboxCapBytesLength.put(length); }
};

// memory_cap
struct MemoryCapReg {
  std::uint32_t id = 0x4000;
  std::uint32_t version = 0x1;

  bool operator==(const MemoryCapReg&) const = default;
  [[nodiscard]] static constexpr MemoryCapReg from(std::uint32_t word) {
    MemoryCapReg fields;
    fields.id = kMemoryCapId.get(word);
    fields.version = kMemoryCapVersion.get(word);
    return fields;
  }
  [[nodiscard]] constexpr std::uint32_t word() const {
    return kMemoryCapId.put(id) | kMemoryCapVersion.put(version);
  }
};

// memory_cap_at
struct MemoryCapAtReg {
  std::uint32_t offset = 0x88;

  bool operator==(const MemoryCapAtReg&) const = default;
  [[nodiscard]] static constexpr MemoryCapAtReg from(std::uint32_t word) {
    MemoryCapAtReg fields;
    fields.offset = kMemoryCapAtOffset.get(word);
    return fields;
  }
  [[nodiscard]] constexpr std::uint32_t word() const { return kMemoryCapAtOffset.put(offset); }
};

// memory_cap_bytes
struct MemoryCapBytesReg {
  std::uint32_t length = 0x8;

  bool operator==(const MemoryCapBytesReg&) const = default;
  [[nodiscard]] static constexpr MemoryCapBytesReg from(std::uint32_t word) {
    MemoryCapBytesReg fields;
    fields.length = kMemoryCapBytesLength.get(word);
    return fields;
  }
  [[nodiscard]] constexpr std::uint32_t word() const { return kMemoryCapBytesLength.put(length); }
};

// event_status
struct EventStatusReg {
  std::uint32_t logs = 0x0;

  bool operator==(const EventStatusReg&) const = default;
  [[nodiscard]] static constexpr EventStatusReg from(std::uint32_t word) {
    EventStatusReg fields;
    fields.logs = kEventStatusLogs.get(word);
    return fields;
  }
  [[nodiscard]] constexpr std::uint32_t word() const { return kEventStatusLogs.put(logs); }
};

// event_status_high
struct EventStatusHighReg {
  std::uint32_t high = 0x0;

  bool operator==(const EventStatusHighReg&) const = default;
  [[nodiscard]] static constexpr EventStatusHighReg from(std::uint32_t word) {
    EventStatusHighReg fields;
    fields.high = kEventStatusHighHigh.get(word);
    return fields;
  }
  [[nodiscard]] constexpr std::uint32_t word() const { return kEventStatusHighHigh.put(high); }
};

// memory_status
struct MemoryStatusReg {
  bool fatal = false;
  bool halt = false;
  std::uint32_t media = 0x0;
  bool mailbox_ready = true;
  std::uint32_t reset_needed = 0x0;

  bool operator==(const MemoryStatusReg&) const = default;
  [[nodiscard]] static constexpr MemoryStatusReg from(std::uint32_t word) {
    MemoryStatusReg fields;
    fields.fatal = kMemoryStatusFatal.is_set(word);
    fields.halt = kMemoryStatusHalt.is_set(word);
    fields.media = kMemoryStatusMedia.get(word);
    fields.mailbox_ready = kMemoryStatusMailboxReady.is_set(word);
    fields.reset_needed = kMemoryStatusResetNeeded.get(word);
    return fields;
  }
  [[nodiscard]] constexpr std::uint32_t word() const {
    return kMemoryStatusFatal.put(fatal) | kMemoryStatusHalt.put(halt) |
           kMemoryStatusMedia.put(media) | kMemoryStatusMailboxReady.put(mailbox_ready) |
           kMemoryStatusResetNeeded.put(reset_needed);
  }
};

// memory_status_high
struct MemoryStatusHighReg {
  std::uint32_t high = 0x0;

  bool operator==(const MemoryStatusHighReg&) const = default;
  [[nodiscard]] static constexpr MemoryStatusHighReg from(std::uint32_t word) {
    MemoryStatusHighReg fields;
    fields.high = kMemoryStatusHighHigh.get(word);
    return fields;
  }
  [[nodiscard]] constexpr std::uint32_t word() const { return kMemoryStatusHighHigh.put(high); }
};

// capability
struct CapabilityReg {
  std::uint32_t payload = 0x8;
  bool doorbell_irq = false;
  bool background_irq = false;
  std::uint32_t message = 0x0;

  bool operator==(const CapabilityReg&) const = default;
  [[nodiscard]] static constexpr CapabilityReg from(std::uint32_t word) {
    CapabilityReg fields;
    fields.payload = kCapabilityPayload.get(word);
    fields.doorbell_irq = kCapabilityDoorbellIrq.is_set(word);
    fields.background_irq = kCapabilityBackgroundIrq.is_set(word);
    fields.message = kCapabilityMessage.get(word);
    return fields;
  }
  [[nodiscard]] constexpr std::uint32_t word() const {
    return kCapabilityPayload.put(payload) | kCapabilityDoorbellIrq.put(doorbell_irq) |
           kCapabilityBackgroundIrq.put(background_irq) | kCapabilityMessage.put(message);
  }
};

// control
struct ControlReg {
  bool doorbell = false;
  bool doorbell_irq = false;
  bool background_irq = false;

  bool operator==(const ControlReg&) const = default;
  [[nodiscard]] static constexpr ControlReg from(std::uint32_t word) {
    ControlReg fields;
    fields.doorbell = kControlDoorbell.is_set(word);
    fields.doorbell_irq = kControlDoorbellIrq.is_set(word);
    fields.background_irq = kControlBackgroundIrq.is_set(word);
    return fields;
  }
  [[nodiscard]] constexpr std::uint32_t word() const {
    return kControlDoorbell.put(doorbell) | kControlDoorbellIrq.put(doorbell_irq) |
           kControlBackgroundIrq.put(background_irq);
  }
  constexpr void write(std::uint32_t value) { doorbell = kControlDoorbell.is_set(value); }
};

// command
struct CommandReg {
  std::uint32_t opcode = 0x0;
  std::uint32_t length = 0x0;

  bool operator==(const CommandReg&) const = default;
  [[nodiscard]] static constexpr CommandReg from(std::uint32_t word) {
    CommandReg fields;
    fields.opcode = kCommandOpcode.get(word);
    fields.length = kCommandLength.get(word);
    return fields;
  }
  [[nodiscard]] constexpr std::uint32_t word() const {
    return kCommandOpcode.put(opcode) | kCommandLength.put(length);
  }
  constexpr void write(std::uint32_t value) {
    opcode = kCommandOpcode.get(value);
    length = kCommandLength.get(value);
  }
};

// command_high
struct CommandHighReg {
  std::uint32_t length = 0x0;

  bool operator==(const CommandHighReg&) const = default;
  [[nodiscard]] static constexpr CommandHighReg from(std::uint32_t word) {
    CommandHighReg fields;
    fields.length = kCommandHighLength.get(word);
    return fields;
  }
  [[nodiscard]] constexpr std::uint32_t word() const { return kCommandHighLength.put(length); }
  constexpr void write(std::uint32_t value) { length = kCommandHighLength.get(value); }
};

// status
struct StatusReg {
  bool background = false;

  bool operator==(const StatusReg&) const = default;
  [[nodiscard]] static constexpr StatusReg from(std::uint32_t word) {
    StatusReg fields;
    fields.background = kStatusBackground.is_set(word);
    return fields;
  }
  [[nodiscard]] constexpr std::uint32_t word() const { return kStatusBackground.put(background); }
};

// status_high
struct StatusHighReg {
  std::uint32_t code = 0x0;
  std::uint32_t extended = 0x0;

  bool operator==(const StatusHighReg&) const = default;
  [[nodiscard]] static constexpr StatusHighReg from(std::uint32_t word) {
    StatusHighReg fields;
    fields.code = kStatusHighCode.get(word);
    fields.extended = kStatusHighExtended.get(word);
    return fields;
  }
  [[nodiscard]] constexpr std::uint32_t word() const {
    return kStatusHighCode.put(code) | kStatusHighExtended.put(extended);
  }
};

// background
struct BackgroundReg {
  std::uint32_t opcode = 0x0;
  std::uint32_t percent = 0x0;

  bool operator==(const BackgroundReg&) const = default;
  [[nodiscard]] static constexpr BackgroundReg from(std::uint32_t word) {
    BackgroundReg fields;
    fields.opcode = kBackgroundOpcode.get(word);
    fields.percent = kBackgroundPercent.get(word);
    return fields;
  }
  [[nodiscard]] constexpr std::uint32_t word() const {
    return kBackgroundOpcode.put(opcode) | kBackgroundPercent.put(percent);
  }
};

// background_high
struct BackgroundHighReg {
  std::uint32_t code = 0x0;
  std::uint32_t extended = 0x0;

  bool operator==(const BackgroundHighReg&) const = default;
  [[nodiscard]] static constexpr BackgroundHighReg from(std::uint32_t word) {
    BackgroundHighReg fields;
    fields.code = kBackgroundHighCode.get(word);
    fields.extended = kBackgroundHighExtended.get(word);
    return fields;
  }
  [[nodiscard]] constexpr std::uint32_t word() const {
    return kBackgroundHighCode.put(code) | kBackgroundHighExtended.put(extended);
  }
};

// payload.word
struct PayloadWordReg {
  std::uint32_t data = 0x0;

  bool operator==(const PayloadWordReg&) const = default;
  [[nodiscard]] static constexpr PayloadWordReg from(std::uint32_t word) {
    PayloadWordReg fields;
    fields.data = kPayloadWordData.get(word);
    return fields;
  }
  [[nodiscard]] constexpr std::uint32_t word() const { return kPayloadWordData.put(data); }
  constexpr void write(std::uint32_t value) { data = kPayloadWordData.get(value); }
};

struct PayloadSet {
  PayloadWordReg word;

  bool operator==(const PayloadSet&) const = default;
  [[nodiscard]] constexpr std::uint32_t word_at(std::uint32_t offset) const {
    switch (offset & ~3u) {
      case 0x000:
        return word.word();
      default:
        break;
    }
    return 0;
  }
  constexpr void write_at(std::uint32_t offset, std::uint32_t value) {
    switch (offset & ~3u) {
      case 0x000:
        word.write(value);
        break;
      default:
        break;
    }
  }
};

struct Regs {
  ArrayReg array;
  ArrayCountReg array_count;
  StatusCapReg status_cap;
  StatusCapAtReg status_cap_at;
  StatusCapBytesReg status_cap_bytes;
  MailboxCapReg mailbox_cap;
  MailboxCapAtReg mailbox_cap_at;
  MailboxCapBytesReg mailbox_cap_bytes;
  MemoryCapReg memory_cap;
  MemoryCapAtReg memory_cap_at;
  MemoryCapBytesReg memory_cap_bytes;
  EventStatusReg event_status;
  EventStatusHighReg event_status_high;
  MemoryStatusReg memory_status;
  MemoryStatusHighReg memory_status_high;
  CapabilityReg capability;
  ControlReg control;
  CommandReg command;
  CommandHighReg command_high;
  StatusReg status;
  StatusHighReg status_high;
  BackgroundReg background;
  BackgroundHighReg background_high;
  std::array<PayloadSet, kPayloadCount> payload;

  bool operator==(const Regs&) const = default;
  [[nodiscard]] constexpr std::uint32_t word_at(std::uint32_t offset) const {
    switch (offset & ~3u) {
      case 0x000:
        return array.word();
      case 0x004:
        return array_count.word();
      case 0x010:
        return status_cap.word();
      case 0x014:
        return status_cap_at.word();
      case 0x018:
        return status_cap_bytes.word();
      case 0x020:
        return mailbox_cap.word();
      case 0x024:
        return mailbox_cap_at.word();
      case 0x028:
        return mailbox_cap_bytes.word();
      case 0x030:
        return memory_cap.word();
      case 0x034:
        return memory_cap_at.word();
      case 0x038:
        return memory_cap_bytes.word();
      case 0x080:
        return event_status.word();
      case 0x084:
        return event_status_high.word();
      case 0x088:
        return memory_status.word();
      case 0x08c:
        return memory_status_high.word();
      case 0x100:
        return capability.word();
      case 0x104:
        return control.word();
      case 0x108:
        return command.word();
      case 0x10c:
        return command_high.word();
      case 0x110:
        return status.word();
      case 0x114:
        return status_high.word();
      case 0x118:
        return background.word();
      case 0x11c:
        return background_high.word();
      default:
        break;
    }
    if (offset >= kPayload && offset - kPayload < kPayloadStride * kPayloadCount) {
      const std::uint32_t at = offset - kPayload;
      return payload[at / kPayloadStride].word_at(at % kPayloadStride);
    }
    return 0;
  }
  constexpr void write_at(std::uint32_t offset, std::uint32_t value) {
    switch (offset & ~3u) {
      case 0x104:
        control.write(value);
        break;
      case 0x108:
        command.write(value);
        break;
      case 0x10c:
        command_high.write(value);
        break;
      default:
        break;
    }
    if (offset >= kPayload && offset - kPayload < kPayloadStride * kPayloadCount) {
      const std::uint32_t at = offset - kPayload;
      payload[at / kPayloadStride].write_at(at % kPayloadStride, value);
    }
  }
};

}  // namespace mailbox

// PCI configuration header, type 0
namespace pci_header0 {

// vendor
struct VendorReg {
  std::uint32_t id = 0x0;

  bool operator==(const VendorReg&) const = default;
  [[nodiscard]] static constexpr VendorReg from(std::uint32_t word) {
    VendorReg fields;
    fields.id = kVendorId.get(word);
    return fields;
  }
  [[nodiscard]] constexpr std::uint32_t word() const { return kVendorId.put(id); }
};

// device
struct DeviceReg {
  std::uint32_t id = 0x0;

  bool operator==(const DeviceReg&) const = default;
  [[nodiscard]] static constexpr DeviceReg from(std::uint32_t word) {
    DeviceReg fields;
    fields.id = kDeviceId.get(word);
    return fields;
  }
  [[nodiscard]] constexpr std::uint32_t word() const { return kDeviceId.put(id); }
};

// command
struct CommandReg {
  bool io_space = false;
  bool memory_space = false;
  bool bus_master = false;
  bool special_cycle = false;
  bool write_invalidate = false;
  bool vga_snoop = false;
  bool parity_response = false;
  bool serr_enable = false;
  bool fast_back_to_back = false;
  bool interrupt_disable = false;

  bool operator==(const CommandReg&) const = default;
  [[nodiscard]] static constexpr CommandReg from(std::uint32_t word) {
    CommandReg fields;
    fields.io_space = kCommandIoSpace.is_set(word);
    fields.memory_space = kCommandMemorySpace.is_set(word);
    fields.bus_master = kCommandBusMaster.is_set(word);
    fields.special_cycle = kCommandSpecialCycle.is_set(word);
    fields.write_invalidate = kCommandWriteInvalidate.is_set(word);
    fields.vga_snoop = kCommandVgaSnoop.is_set(word);
    fields.parity_response = kCommandParityResponse.is_set(word);
    fields.serr_enable = kCommandSerrEnable.is_set(word);
    fields.fast_back_to_back = kCommandFastBackToBack.is_set(word);
    fields.interrupt_disable = kCommandInterruptDisable.is_set(word);
    return fields;
  }
  [[nodiscard]] constexpr std::uint32_t word() const {
    return kCommandIoSpace.put(io_space) | kCommandMemorySpace.put(memory_space) |
           kCommandBusMaster.put(bus_master) | kCommandSpecialCycle.put(special_cycle) |
           kCommandWriteInvalidate.put(write_invalidate) | kCommandVgaSnoop.put(vga_snoop) |
           kCommandParityResponse.put(parity_response) | kCommandSerrEnable.put(serr_enable) |
           kCommandFastBackToBack.put(fast_back_to_back) |
           kCommandInterruptDisable.put(interrupt_disable);
  }
  constexpr void write(std::uint32_t value, unsigned enables) {
    const std::uint32_t bits = enabled_bits(enables);
    const std::uint32_t written = (word() & ~bits) | (value & bits);
    memory_space = kCommandMemorySpace.is_set(written);
    bus_master = kCommandBusMaster.is_set(written);
    parity_response = kCommandParityResponse.is_set(written);
    serr_enable = kCommandSerrEnable.is_set(written);
    interrupt_disable = kCommandInterruptDisable.is_set(written);
  }
};

// status
struct StatusReg {
  bool immediate_readiness = false;
  bool interrupt_status = false;
  bool capabilities_list = true;
  bool mhz66 = false;
  bool fast_back_to_back = false;
  bool master_parity_error = false;
  std::uint32_t devsel_timing = 0x0;
  bool signaled_target_abort = false;
  bool received_target_abort = false;
  bool received_master_abort = false;
  bool signaled_system_error = false;
  bool detected_parity_error = false;

  bool operator==(const StatusReg&) const = default;
  [[nodiscard]] static constexpr StatusReg from(std::uint32_t word) {
    StatusReg fields;
    fields.immediate_readiness = kStatusImmediateReadiness.is_set(word);
    fields.interrupt_status = kStatusInterruptStatus.is_set(word);
    fields.capabilities_list = kStatusCapabilitiesList.is_set(word);
    fields.mhz66 = kStatusMhz66.is_set(word);
    fields.fast_back_to_back = kStatusFastBackToBack.is_set(word);
    fields.master_parity_error = kStatusMasterParityError.is_set(word);
    fields.devsel_timing = kStatusDevselTiming.get(word);
    fields.signaled_target_abort = kStatusSignaledTargetAbort.is_set(word);
    fields.received_target_abort = kStatusReceivedTargetAbort.is_set(word);
    fields.received_master_abort = kStatusReceivedMasterAbort.is_set(word);
    fields.signaled_system_error = kStatusSignaledSystemError.is_set(word);
    fields.detected_parity_error = kStatusDetectedParityError.is_set(word);
    return fields;
  }
  [[nodiscard]] constexpr std::uint32_t word() const {
    return kStatusImmediateReadiness.put(immediate_readiness) |
           kStatusInterruptStatus.put(interrupt_status) |
           kStatusCapabilitiesList.put(capabilities_list) | kStatusMhz66.put(mhz66) |
           kStatusFastBackToBack.put(fast_back_to_back) |
           kStatusMasterParityError.put(master_parity_error) |
           kStatusDevselTiming.put(devsel_timing) |
           kStatusSignaledTargetAbort.put(signaled_target_abort) |
           kStatusReceivedTargetAbort.put(received_target_abort) |
           kStatusReceivedMasterAbort.put(received_master_abort) |
           kStatusSignaledSystemError.put(signaled_system_error) |
           kStatusDetectedParityError.put(detected_parity_error);
  }
  constexpr void write(std::uint32_t value, unsigned enables) {
    const std::uint32_t bits = enabled_bits(enables);
    const std::uint32_t ones = value & bits;
    signaled_target_abort = signaled_target_abort && !kStatusSignaledTargetAbort.is_set(ones);
    detected_parity_error = detected_parity_error && !kStatusDetectedParityError.is_set(ones);
  }
};

// revision
struct RevisionReg {
  std::uint32_t id = 0x0;

  bool operator==(const RevisionReg&) const = default;
  [[nodiscard]] static constexpr RevisionReg from(std::uint32_t word) {
    RevisionReg fields;
    fields.id = kRevisionId.get(word);
    return fields;
  }
  [[nodiscard]] constexpr std::uint32_t word() const { return kRevisionId.put(id); }
};

// prog_if
struct ProgIfReg {
  std::uint32_t code = 0x10;

  bool operator==(const ProgIfReg&) const = default;
  [[nodiscard]] static constexpr ProgIfReg from(std::uint32_t word) {
    ProgIfReg fields;
    fields.code = kProgIfCode.get(word);
    return fields;
  }
  [[nodiscard]] constexpr std::uint32_t word() const { return kProgIfCode.put(code); }
};

// class_code
struct ClassCodeReg {
  std::uint32_t code = 0x502;

  bool operator==(const ClassCodeReg&) const = default;
  [[nodiscard]] static constexpr ClassCodeReg from(std::uint32_t word) {
    ClassCodeReg fields;
    fields.code = kClassCodeCode.get(word);
    return fields;
  }
  [[nodiscard]] constexpr std::uint32_t word() const { return kClassCodeCode.put(code); }
};

// cache_line
struct CacheLineReg {
  std::uint32_t size = 0x0;

  bool operator==(const CacheLineReg&) const = default;
  [[nodiscard]] static constexpr CacheLineReg from(std::uint32_t word) {
    CacheLineReg fields;
    fields.size = kCacheLineSize.get(word);
    return fields;
  }
  [[nodiscard]] constexpr std::uint32_t word() const { return kCacheLineSize.put(size); }
  constexpr void write(std::uint32_t value, unsigned enables) {
    const std::uint32_t bits = enabled_bits(enables);
    const std::uint32_t written = (word() & ~bits) | (value & bits);
    size = kCacheLineSize.get(written);
  }
};

// latency_timer
struct LatencyTimerReg {
  std::uint32_t cycles = 0x0;

  bool operator==(const LatencyTimerReg&) const = default;
  [[nodiscard]] static constexpr LatencyTimerReg from(std::uint32_t word) {
    LatencyTimerReg fields;
    fields.cycles = kLatencyTimerCycles.get(word);
    return fields;
  }
  [[nodiscard]] constexpr std::uint32_t word() const { return kLatencyTimerCycles.put(cycles); }
};

// header_type
struct HeaderTypeReg {
  std::uint32_t layout = 0x0;
  bool multi_function = false;

  bool operator==(const HeaderTypeReg&) const = default;
  [[nodiscard]] static constexpr HeaderTypeReg from(std::uint32_t word) {
    HeaderTypeReg fields;
    fields.layout = kHeaderTypeLayout.get(word);
    fields.multi_function = kHeaderTypeMultiFunction.is_set(word);
    return fields;
  }
  [[nodiscard]] constexpr std::uint32_t word() const {
    return kHeaderTypeLayout.put(layout) | kHeaderTypeMultiFunction.put(multi_function);
  }
};

// self_test
struct SelfTestReg {
  std::uint32_t bist = 0x0;

  bool operator==(const SelfTestReg&) const = default;
  [[nodiscard]] static constexpr SelfTestReg from(std::uint32_t word) {
    SelfTestReg fields;
    fields.bist = kSelfTestBist.get(word);
    return fields;
  }
  [[nodiscard]] constexpr std::uint32_t word() const { return kSelfTestBist.put(bist); }
};

// bar0_low
struct Bar0LowReg {
  bool io_space = false;
  std::uint32_t kind = 0x2;
  bool prefetchable = false;
  std::uint32_t base = 0x0;

  bool operator==(const Bar0LowReg&) const = default;
  [[nodiscard]] static constexpr Bar0LowReg from(std::uint32_t word) {
    Bar0LowReg fields;
    fields.io_space = kBar0LowIoSpace.is_set(word);
    fields.kind = kBar0LowKind.get(word);
    fields.prefetchable = kBar0LowPrefetchable.is_set(word);
    fields.base = kBar0LowBase.get(word);
    return fields;
  }
  [[nodiscard]] constexpr std::uint32_t word() const {
    return kBar0LowIoSpace.put(io_space) | kBar0LowKind.put(kind) |
           kBar0LowPrefetchable.put(prefetchable) | kBar0LowBase.put(base);
  }
  constexpr void write(std::uint32_t value, unsigned enables) {
    const std::uint32_t bits = enabled_bits(enables);
    const std::uint32_t written = (word() & ~bits) | (value & bits);
    base = kBar0LowBase.get(written);
  }
};

// bar0_high
struct Bar0HighReg {
  std::uint32_t base = 0x0;

  bool operator==(const Bar0HighReg&) const = default;
  [[nodiscard]] static constexpr Bar0HighReg from(std::uint32_t word) {
    Bar0HighReg fields;
    fields.base = kBar0HighBase.get(word);
    return fields;
  }
  [[nodiscard]] constexpr std::uint32_t word() const { return kBar0HighBase.put(base); }
  constexpr void write(std::uint32_t value, unsigned enables) {
    const std::uint32_t bits = enabled_bits(enables);
    const std::uint32_t written = (word() & ~bits) | (value & bits);
    base = kBar0HighBase.get(written);
  }
};

// subsystem_vendor
struct SubsystemVendorReg {
  std::uint32_t id = 0x0;

  bool operator==(const SubsystemVendorReg&) const = default;
  [[nodiscard]] static constexpr SubsystemVendorReg from(std::uint32_t word) {
    SubsystemVendorReg fields;
    fields.id = kSubsystemVendorId.get(word);
    return fields;
  }
  [[nodiscard]] constexpr std::uint32_t word() const { return kSubsystemVendorId.put(id); }
};

// subsystem
struct SubsystemReg {
  std::uint32_t id = 0x0;

  bool operator==(const SubsystemReg&) const = default;
  [[nodiscard]] static constexpr SubsystemReg from(std::uint32_t word) {
    SubsystemReg fields;
    fields.id = kSubsystemId.get(word);
    return fields;
  }
  [[nodiscard]] constexpr std::uint32_t word() const { return kSubsystemId.put(id); }
};

// capabilities
struct CapabilitiesReg {
  std::uint32_t pointer = 0x40;

  bool operator==(const CapabilitiesReg&) const = default;
  [[nodiscard]] static constexpr CapabilitiesReg from(std::uint32_t word) {
    CapabilitiesReg fields;
    fields.pointer = kCapabilitiesPointer.get(word);
    return fields;
  }
  [[nodiscard]] constexpr std::uint32_t word() const { return kCapabilitiesPointer.put(pointer); }
};

// interrupt_line
struct InterruptLineReg {
  std::uint32_t line = 0x0;

  bool operator==(const InterruptLineReg&) const = default;
  [[nodiscard]] static constexpr InterruptLineReg from(std::uint32_t word) {
    InterruptLineReg fields;
    fields.line = kInterruptLineLine.get(word);
    return fields;
  }
  [[nodiscard]] constexpr std::uint32_t word() const { return kInterruptLineLine.put(line); }
  constexpr void write(std::uint32_t value, unsigned enables) {
    const std::uint32_t bits = enabled_bits(enables);
    const std::uint32_t written = (word() & ~bits) | (value & bits);
    line = kInterruptLineLine.get(written);
  }
};

// interrupt_pin
struct InterruptPinReg {
  std::uint32_t pin = 0x0;

  bool operator==(const InterruptPinReg&) const = default;
  [[nodiscard]] static constexpr InterruptPinReg from(std::uint32_t word) {
    InterruptPinReg fields;
    fields.pin = kInterruptPinPin.get(word);
    return fields;
  }
  [[nodiscard]] constexpr std::uint32_t word() const { return kInterruptPinPin.put(pin); }
};

struct Regs {
  VendorReg vendor;
  DeviceReg device;
  CommandReg command;
  StatusReg status;
  RevisionReg revision;
  ProgIfReg prog_if;
  ClassCodeReg class_code;
  CacheLineReg cache_line;
  LatencyTimerReg latency_timer;
  HeaderTypeReg header_type;
  SelfTestReg self_test;
  Bar0LowReg bar0_low;
  Bar0HighReg bar0_high;
  SubsystemVendorReg subsystem_vendor;
  SubsystemReg subsystem;
  CapabilitiesReg capabilities;
  InterruptLineReg interrupt_line;
  InterruptPinReg interrupt_pin;

  bool operator==(const Regs&) const = default;
  [[nodiscard]] constexpr std::uint32_t word_at(std::uint32_t offset) const {
    switch (offset & ~3u) {
      case 0x000:
        return vendor.word() | device.word() << 16;
      case 0x004:
        return command.word() | status.word() << 16;
      case 0x008:
        return revision.word() | prog_if.word() << 8 | class_code.word() << 16;
      case 0x00c:
        return cache_line.word() | latency_timer.word() << 8 | header_type.word() << 16 |
               self_test.word() << 24;
      case 0x010:
        return bar0_low.word();
      case 0x014:
        return bar0_high.word();
      case 0x02c:
        return subsystem_vendor.word() | subsystem.word() << 16;
      case 0x034:
        return capabilities.word();
      case 0x03c:
        return interrupt_line.word() | interrupt_pin.word() << 8;
      default:
        break;
    }
    return 0;
  }
  constexpr void write_at(std::uint32_t offset, std::uint32_t value, unsigned enables) {
    switch (offset & ~3u) {
      case 0x004:
        command.write(value, enables);
        status.write(value >> 16, enables >> 2);
        break;
      case 0x00c:
        cache_line.write(value, enables);
        break;
      case 0x010:
        bar0_low.write(value, enables);
        break;
      case 0x014:
        bar0_high.write(value, enables);
        break;
      case 0x03c:
        interrupt_line.write(value, enables);
        break;
      default:
        break;
    }
  }
};

}  // namespace pci_header0

// PCI configuration header, type 1
namespace pci_header1 {

// vendor
struct VendorReg {
  std::uint32_t id = 0x0;

  bool operator==(const VendorReg&) const = default;
  [[nodiscard]] static constexpr VendorReg from(std::uint32_t word) {
    VendorReg fields;
    fields.id = kVendorId.get(word);
    return fields;
  }
  [[nodiscard]] constexpr std::uint32_t word() const { return kVendorId.put(id); }
};

// device
struct DeviceReg {
  std::uint32_t id = 0x0;

  bool operator==(const DeviceReg&) const = default;
  [[nodiscard]] static constexpr DeviceReg from(std::uint32_t word) {
    DeviceReg fields;
    fields.id = kDeviceId.get(word);
    return fields;
  }
  [[nodiscard]] constexpr std::uint32_t word() const { return kDeviceId.put(id); }
};

// command
struct CommandReg {
  bool io_space = false;
  bool memory_space = false;
  bool bus_master = false;
  bool special_cycle = false;
  bool write_invalidate = false;
  bool vga_snoop = false;
  bool parity_response = false;
  bool serr_enable = false;
  bool fast_back_to_back = false;
  bool interrupt_disable = false;

  bool operator==(const CommandReg&) const = default;
  [[nodiscard]] static constexpr CommandReg from(std::uint32_t word) {
    CommandReg fields;
    fields.io_space = kCommandIoSpace.is_set(word);
    fields.memory_space = kCommandMemorySpace.is_set(word);
    fields.bus_master = kCommandBusMaster.is_set(word);
    fields.special_cycle = kCommandSpecialCycle.is_set(word);
    fields.write_invalidate = kCommandWriteInvalidate.is_set(word);
    fields.vga_snoop = kCommandVgaSnoop.is_set(word);
    fields.parity_response = kCommandParityResponse.is_set(word);
    fields.serr_enable = kCommandSerrEnable.is_set(word);
    fields.fast_back_to_back = kCommandFastBackToBack.is_set(word);
    fields.interrupt_disable = kCommandInterruptDisable.is_set(word);
    return fields;
  }
  [[nodiscard]] constexpr std::uint32_t word() const {
    return kCommandIoSpace.put(io_space) | kCommandMemorySpace.put(memory_space) |
           kCommandBusMaster.put(bus_master) | kCommandSpecialCycle.put(special_cycle) |
           kCommandWriteInvalidate.put(write_invalidate) | kCommandVgaSnoop.put(vga_snoop) |
           kCommandParityResponse.put(parity_response) | kCommandSerrEnable.put(serr_enable) |
           kCommandFastBackToBack.put(fast_back_to_back) |
           kCommandInterruptDisable.put(interrupt_disable);
  }
  constexpr void write(std::uint32_t value, unsigned enables) {
    const std::uint32_t bits = enabled_bits(enables);
    const std::uint32_t written = (word() & ~bits) | (value & bits);
    memory_space = kCommandMemorySpace.is_set(written);
    bus_master = kCommandBusMaster.is_set(written);
    parity_response = kCommandParityResponse.is_set(written);
    serr_enable = kCommandSerrEnable.is_set(written);
    interrupt_disable = kCommandInterruptDisable.is_set(written);
  }
};

// status
struct StatusReg {
  bool immediate_readiness = false;
  bool interrupt_status = false;
  bool capabilities_list = true;
  bool mhz66 = false;
  bool fast_back_to_back = false;
  bool master_parity_error = false;
  std::uint32_t devsel_timing = 0x0;
  bool signaled_target_abort = false;
  bool received_target_abort = false;
  bool received_master_abort = false;
  bool signaled_system_error = false;
  bool detected_parity_error = false;

  bool operator==(const StatusReg&) const = default;
  [[nodiscard]] static constexpr StatusReg from(std::uint32_t word) {
    StatusReg fields;
    fields.immediate_readiness = kStatusImmediateReadiness.is_set(word);
    fields.interrupt_status = kStatusInterruptStatus.is_set(word);
    fields.capabilities_list = kStatusCapabilitiesList.is_set(word);
    fields.mhz66 = kStatusMhz66.is_set(word);
    fields.fast_back_to_back = kStatusFastBackToBack.is_set(word);
    fields.master_parity_error = kStatusMasterParityError.is_set(word);
    fields.devsel_timing = kStatusDevselTiming.get(word);
    fields.signaled_target_abort = kStatusSignaledTargetAbort.is_set(word);
    fields.received_target_abort = kStatusReceivedTargetAbort.is_set(word);
    fields.received_master_abort = kStatusReceivedMasterAbort.is_set(word);
    fields.signaled_system_error = kStatusSignaledSystemError.is_set(word);
    fields.detected_parity_error = kStatusDetectedParityError.is_set(word);
    return fields;
  }
  [[nodiscard]] constexpr std::uint32_t word() const {
    return kStatusImmediateReadiness.put(immediate_readiness) |
           kStatusInterruptStatus.put(interrupt_status) |
           kStatusCapabilitiesList.put(capabilities_list) | kStatusMhz66.put(mhz66) |
           kStatusFastBackToBack.put(fast_back_to_back) |
           kStatusMasterParityError.put(master_parity_error) |
           kStatusDevselTiming.put(devsel_timing) |
           kStatusSignaledTargetAbort.put(signaled_target_abort) |
           kStatusReceivedTargetAbort.put(received_target_abort) |
           kStatusReceivedMasterAbort.put(received_master_abort) |
           kStatusSignaledSystemError.put(signaled_system_error) |
           kStatusDetectedParityError.put(detected_parity_error);
  }
};

// revision
struct RevisionReg {
  std::uint32_t id = 0x0;

  bool operator==(const RevisionReg&) const = default;
  [[nodiscard]] static constexpr RevisionReg from(std::uint32_t word) {
    RevisionReg fields;
    fields.id = kRevisionId.get(word);
    return fields;
  }
  [[nodiscard]] constexpr std::uint32_t word() const { return kRevisionId.put(id); }
};

// prog_if
struct ProgIfReg {
  std::uint32_t code = 0x0;

  bool operator==(const ProgIfReg&) const = default;
  [[nodiscard]] static constexpr ProgIfReg from(std::uint32_t word) {
    ProgIfReg fields;
    fields.code = kProgIfCode.get(word);
    return fields;
  }
  [[nodiscard]] constexpr std::uint32_t word() const { return kProgIfCode.put(code); }
};

// class_code
struct ClassCodeReg {
  std::uint32_t code = 0x604;

  bool operator==(const ClassCodeReg&) const = default;
  [[nodiscard]] static constexpr ClassCodeReg from(std::uint32_t word) {
    ClassCodeReg fields;
    fields.code = kClassCodeCode.get(word);
    return fields;
  }
  [[nodiscard]] constexpr std::uint32_t word() const { return kClassCodeCode.put(code); }
};

// cache_line
struct CacheLineReg {
  std::uint32_t size = 0x0;

  bool operator==(const CacheLineReg&) const = default;
  [[nodiscard]] static constexpr CacheLineReg from(std::uint32_t word) {
    CacheLineReg fields;
    fields.size = kCacheLineSize.get(word);
    return fields;
  }
  [[nodiscard]] constexpr std::uint32_t word() const { return kCacheLineSize.put(size); }
  constexpr void write(std::uint32_t value, unsigned enables) {
    const std::uint32_t bits = enabled_bits(enables);
    const std::uint32_t written = (word() & ~bits) | (value & bits);
    size = kCacheLineSize.get(written);
  }
};

// latency_timer
struct LatencyTimerReg {
  std::uint32_t cycles = 0x0;

  bool operator==(const LatencyTimerReg&) const = default;
  [[nodiscard]] static constexpr LatencyTimerReg from(std::uint32_t word) {
    LatencyTimerReg fields;
    fields.cycles = kLatencyTimerCycles.get(word);
    return fields;
  }
  [[nodiscard]] constexpr std::uint32_t word() const { return kLatencyTimerCycles.put(cycles); }
};

// header_type
struct HeaderTypeReg {
  std::uint32_t layout = 0x1;
  bool multi_function = false;

  bool operator==(const HeaderTypeReg&) const = default;
  [[nodiscard]] static constexpr HeaderTypeReg from(std::uint32_t word) {
    HeaderTypeReg fields;
    fields.layout = kHeaderTypeLayout.get(word);
    fields.multi_function = kHeaderTypeMultiFunction.is_set(word);
    return fields;
  }
  [[nodiscard]] constexpr std::uint32_t word() const {
    return kHeaderTypeLayout.put(layout) | kHeaderTypeMultiFunction.put(multi_function);
  }
};

// self_test
struct SelfTestReg {
  std::uint32_t bist = 0x0;

  bool operator==(const SelfTestReg&) const = default;
  [[nodiscard]] static constexpr SelfTestReg from(std::uint32_t word) {
    SelfTestReg fields;
    fields.bist = kSelfTestBist.get(word);
    return fields;
  }
  [[nodiscard]] constexpr std::uint32_t word() const { return kSelfTestBist.put(bist); }
};

// bar0_low
struct Bar0LowReg {
  bool io_space = false;
  std::uint32_t kind = 0x2;
  bool prefetchable = false;
  std::uint32_t base = 0x0;

  bool operator==(const Bar0LowReg&) const = default;
  [[nodiscard]] static constexpr Bar0LowReg from(std::uint32_t word) {
    Bar0LowReg fields;
    fields.io_space = kBar0LowIoSpace.is_set(word);
    fields.kind = kBar0LowKind.get(word);
    fields.prefetchable = kBar0LowPrefetchable.is_set(word);
    fields.base = kBar0LowBase.get(word);
    return fields;
  }
  [[nodiscard]] constexpr std::uint32_t word() const {
    return kBar0LowIoSpace.put(io_space) | kBar0LowKind.put(kind) |
           kBar0LowPrefetchable.put(prefetchable) | kBar0LowBase.put(base);
  }
  constexpr void write(std::uint32_t value, unsigned enables) {
    const std::uint32_t bits = enabled_bits(enables);
    const std::uint32_t written = (word() & ~bits) | (value & bits);
    base = kBar0LowBase.get(written);
  }
};

// bar0_high
struct Bar0HighReg {
  std::uint32_t base = 0x0;

  bool operator==(const Bar0HighReg&) const = default;
  [[nodiscard]] static constexpr Bar0HighReg from(std::uint32_t word) {
    Bar0HighReg fields;
    fields.base = kBar0HighBase.get(word);
    return fields;
  }
  [[nodiscard]] constexpr std::uint32_t word() const { return kBar0HighBase.put(base); }
  constexpr void write(std::uint32_t value, unsigned enables) {
    const std::uint32_t bits = enabled_bits(enables);
    const std::uint32_t written = (word() & ~bits) | (value & bits);
    base = kBar0HighBase.get(written);
  }
};

// primary
struct PrimaryReg {
  std::uint32_t bus = 0x0;

  bool operator==(const PrimaryReg&) const = default;
  [[nodiscard]] static constexpr PrimaryReg from(std::uint32_t word) {
    PrimaryReg fields;
    fields.bus = kPrimaryBus.get(word);
    return fields;
  }
  [[nodiscard]] constexpr std::uint32_t word() const { return kPrimaryBus.put(bus); }
  constexpr void write(std::uint32_t value, unsigned enables) {
    const std::uint32_t bits = enabled_bits(enables);
    const std::uint32_t written = (word() & ~bits) | (value & bits);
    bus = kPrimaryBus.get(written);
  }
};

// secondary
struct SecondaryReg {
  std::uint32_t bus = 0x0;

  bool operator==(const SecondaryReg&) const = default;
  [[nodiscard]] static constexpr SecondaryReg from(std::uint32_t word) {
    SecondaryReg fields;
    fields.bus = kSecondaryBus.get(word);
    return fields;
  }
  [[nodiscard]] constexpr std::uint32_t word() const { return kSecondaryBus.put(bus); }
  constexpr void write(std::uint32_t value, unsigned enables) {
    const std::uint32_t bits = enabled_bits(enables);
    const std::uint32_t written = (word() & ~bits) | (value & bits);
    bus = kSecondaryBus.get(written);
  }
};

// subordinate
struct SubordinateReg {
  std::uint32_t bus = 0x0;

  bool operator==(const SubordinateReg&) const = default;
  [[nodiscard]] static constexpr SubordinateReg from(std::uint32_t word) {
    SubordinateReg fields;
    fields.bus = kSubordinateBus.get(word);
    return fields;
  }
  [[nodiscard]] constexpr std::uint32_t word() const { return kSubordinateBus.put(bus); }
  constexpr void write(std::uint32_t value, unsigned enables) {
    const std::uint32_t bits = enabled_bits(enables);
    const std::uint32_t written = (word() & ~bits) | (value & bits);
    bus = kSubordinateBus.get(written);
  }
};

// secondary_latency
struct SecondaryLatencyReg {
  std::uint32_t cycles = 0x0;

  bool operator==(const SecondaryLatencyReg&) const = default;
  [[nodiscard]] static constexpr SecondaryLatencyReg from(std::uint32_t word) {
    SecondaryLatencyReg fields;
    fields.cycles = kSecondaryLatencyCycles.get(word);
    return fields;
  }
  [[nodiscard]] constexpr std::uint32_t word() const { return kSecondaryLatencyCycles.put(cycles); }
};

// io_base
struct IoBaseReg {
  std::uint32_t base = 0x0;

  bool operator==(const IoBaseReg&) const = default;
  [[nodiscard]] static constexpr IoBaseReg from(std::uint32_t word) {
    IoBaseReg fields;
    fields.base = kIoBaseBase.get(word);
    return fields;
  }
  [[nodiscard]] constexpr std::uint32_t word() const { return kIoBaseBase.put(base); }
};

// io_limit
struct IoLimitReg {
  std::uint32_t limit = 0x0;

  bool operator==(const IoLimitReg&) const = default;
  [[nodiscard]] static constexpr IoLimitReg from(std::uint32_t word) {
    IoLimitReg fields;
    fields.limit = kIoLimitLimit.get(word);
    return fields;
  }
  [[nodiscard]] constexpr std::uint32_t word() const { return kIoLimitLimit.put(limit); }
};

// secondary_status
struct SecondaryStatusReg {
  std::uint32_t status = 0x0;

  bool operator==(const SecondaryStatusReg&) const = default;
  [[nodiscard]] static constexpr SecondaryStatusReg from(std::uint32_t word) {
    SecondaryStatusReg fields;
    fields.status = kSecondaryStatusStatus.get(word);
    return fields;
  }
  [[nodiscard]] constexpr std::uint32_t word() const { return kSecondaryStatusStatus.put(status); }
};

// mem_base
struct MemBaseReg {
  std::uint32_t base = 0x0;

  bool operator==(const MemBaseReg&) const = default;
  [[nodiscard]] static constexpr MemBaseReg from(std::uint32_t word) {
    MemBaseReg fields;
    fields.base = kMemBaseBase.get(word);
    return fields;
  }
  [[nodiscard]] constexpr std::uint32_t word() const { return kMemBaseBase.put(base); }
  constexpr void write(std::uint32_t value, unsigned enables) {
    const std::uint32_t bits = enabled_bits(enables);
    const std::uint32_t written = (word() & ~bits) | (value & bits);
    base = kMemBaseBase.get(written);
  }
};

// mem_limit
struct MemLimitReg {
  std::uint32_t limit = 0x0;

  bool operator==(const MemLimitReg&) const = default;
  [[nodiscard]] static constexpr MemLimitReg from(std::uint32_t word) {
    MemLimitReg fields;
    fields.limit = kMemLimitLimit.get(word);
    return fields;
  }
  [[nodiscard]] constexpr std::uint32_t word() const { return kMemLimitLimit.put(limit); }
  constexpr void write(std::uint32_t value, unsigned enables) {
    const std::uint32_t bits = enabled_bits(enables);
    const std::uint32_t written = (word() & ~bits) | (value & bits);
    limit = kMemLimitLimit.get(written);
  }
};

// pre_base
struct PreBaseReg {
  bool wide = true;
  std::uint32_t base = 0x0;

  bool operator==(const PreBaseReg&) const = default;
  [[nodiscard]] static constexpr PreBaseReg from(std::uint32_t word) {
    PreBaseReg fields;
    fields.wide = kPreBaseWide.is_set(word);
    fields.base = kPreBaseBase.get(word);
    return fields;
  }
  [[nodiscard]] constexpr std::uint32_t word() const {
    return kPreBaseWide.put(wide) | kPreBaseBase.put(base);
  }
  constexpr void write(std::uint32_t value, unsigned enables) {
    const std::uint32_t bits = enabled_bits(enables);
    const std::uint32_t written = (word() & ~bits) | (value & bits);
    base = kPreBaseBase.get(written);
  }
};

// pre_limit
struct PreLimitReg {
  bool wide = true;
  std::uint32_t limit = 0x0;

  bool operator==(const PreLimitReg&) const = default;
  [[nodiscard]] static constexpr PreLimitReg from(std::uint32_t word) {
    PreLimitReg fields;
    fields.wide = kPreLimitWide.is_set(word);
    fields.limit = kPreLimitLimit.get(word);
    return fields;
  }
  [[nodiscard]] constexpr std::uint32_t word() const {
    return kPreLimitWide.put(wide) | kPreLimitLimit.put(limit);
  }
  constexpr void write(std::uint32_t value, unsigned enables) {
    const std::uint32_t bits = enabled_bits(enables);
    const std::uint32_t written = (word() & ~bits) | (value & bits);
    limit = kPreLimitLimit.get(written);
  }
};

// pre_base_high
struct PreBaseHighReg {
  std::uint32_t base = 0x0;

  bool operator==(const PreBaseHighReg&) const = default;
  [[nodiscard]] static constexpr PreBaseHighReg from(std::uint32_t word) {
    PreBaseHighReg fields;
    fields.base = kPreBaseHighBase.get(word);
    return fields;
  }
  [[nodiscard]] constexpr std::uint32_t word() const { return kPreBaseHighBase.put(base); }
  constexpr void write(std::uint32_t value, unsigned enables) {
    const std::uint32_t bits = enabled_bits(enables);
    const std::uint32_t written = (word() & ~bits) | (value & bits);
    base = kPreBaseHighBase.get(written);
  }
};

// pre_limit_high
struct PreLimitHighReg {
  std::uint32_t limit = 0x0;

  bool operator==(const PreLimitHighReg&) const = default;
  [[nodiscard]] static constexpr PreLimitHighReg from(std::uint32_t word) {
    PreLimitHighReg fields;
    fields.limit = kPreLimitHighLimit.get(word);
    return fields;
  }
  [[nodiscard]] constexpr std::uint32_t word() const { return kPreLimitHighLimit.put(limit); }
  constexpr void write(std::uint32_t value, unsigned enables) {
    const std::uint32_t bits = enabled_bits(enables);
    const std::uint32_t written = (word() & ~bits) | (value & bits);
    limit = kPreLimitHighLimit.get(written);
  }
};

// io_high
struct IoHighReg {
  std::uint32_t bounds = 0x0;

  bool operator==(const IoHighReg&) const = default;
  [[nodiscard]] static constexpr IoHighReg from(std::uint32_t word) {
    IoHighReg fields;
    fields.bounds = kIoHighBounds.get(word);
    return fields;
  }
  [[nodiscard]] constexpr std::uint32_t word() const { return kIoHighBounds.put(bounds); }
};

// capabilities
struct CapabilitiesReg {
  std::uint32_t pointer = 0x40;

  bool operator==(const CapabilitiesReg&) const = default;
  [[nodiscard]] static constexpr CapabilitiesReg from(std::uint32_t word) {
    CapabilitiesReg fields;
    fields.pointer = kCapabilitiesPointer.get(word);
    return fields;
  }
  [[nodiscard]] constexpr std::uint32_t word() const { return kCapabilitiesPointer.put(pointer); }
};

// rom
struct RomReg {
  std::uint32_t base = 0x0;

  bool operator==(const RomReg&) const = default;
  [[nodiscard]] static constexpr RomReg from(std::uint32_t word) {
    RomReg fields;
    fields.base = kRomBase.get(word);
    return fields;
  }
  [[nodiscard]] constexpr std::uint32_t word() const { return kRomBase.put(base); }
};

// interrupt_line
struct InterruptLineReg {
  std::uint32_t line = 0x0;

  bool operator==(const InterruptLineReg&) const = default;
  [[nodiscard]] static constexpr InterruptLineReg from(std::uint32_t word) {
    InterruptLineReg fields;
    fields.line = kInterruptLineLine.get(word);
    return fields;
  }
  [[nodiscard]] constexpr std::uint32_t word() const { return kInterruptLineLine.put(line); }
  constexpr void write(std::uint32_t value, unsigned enables) {
    const std::uint32_t bits = enabled_bits(enables);
    const std::uint32_t written = (word() & ~bits) | (value & bits);
    line = kInterruptLineLine.get(written);
  }
};

// interrupt_pin
struct InterruptPinReg {
  std::uint32_t pin = 0x0;

  bool operator==(const InterruptPinReg&) const = default;
  [[nodiscard]] static constexpr InterruptPinReg from(std::uint32_t word) {
    InterruptPinReg fields;
    fields.pin = kInterruptPinPin.get(word);
    return fields;
  }
  [[nodiscard]] constexpr std::uint32_t word() const { return kInterruptPinPin.put(pin); }
};

// bridge_control
struct BridgeControlReg {
  bool parity_response = false;
  bool serr_enable = false;
  bool isa_enable = false;
  bool vga_enable = false;
  bool vga_decode16 = false;
  bool master_abort_mode = false;
  bool secondary_reset = false;

  bool operator==(const BridgeControlReg&) const = default;
  [[nodiscard]] static constexpr BridgeControlReg from(std::uint32_t word) {
    BridgeControlReg fields;
    fields.parity_response = kBridgeControlParityResponse.is_set(word);
    fields.serr_enable = kBridgeControlSerrEnable.is_set(word);
    fields.isa_enable = kBridgeControlIsaEnable.is_set(word);
    fields.vga_enable = kBridgeControlVgaEnable.is_set(word);
    fields.vga_decode16 = kBridgeControlVgaDecode16.is_set(word);
    fields.master_abort_mode = kBridgeControlMasterAbortMode.is_set(word);
    fields.secondary_reset = kBridgeControlSecondaryReset.is_set(word);
    return fields;
  }
  [[nodiscard]] constexpr std::uint32_t word() const {
    return kBridgeControlParityResponse.put(parity_response) |
           kBridgeControlSerrEnable.put(serr_enable) | kBridgeControlIsaEnable.put(isa_enable) |
           kBridgeControlVgaEnable.put(vga_enable) | kBridgeControlVgaDecode16.put(vga_decode16) |
           kBridgeControlMasterAbortMode.put(master_abort_mode) |
           kBridgeControlSecondaryReset.put(secondary_reset);
  }
  constexpr void write(std::uint32_t value, unsigned enables) {
    const std::uint32_t bits = enabled_bits(enables);
    const std::uint32_t written = (word() & ~bits) | (value & bits);
    parity_response = kBridgeControlParityResponse.is_set(written);
    serr_enable = kBridgeControlSerrEnable.is_set(written);
  }
};

struct Regs {
  VendorReg vendor;
  DeviceReg device;
  CommandReg command;
  StatusReg status;
  RevisionReg revision;
  ProgIfReg prog_if;
  ClassCodeReg class_code;
  CacheLineReg cache_line;
  LatencyTimerReg latency_timer;
  HeaderTypeReg header_type;
  SelfTestReg self_test;
  Bar0LowReg bar0_low;
  Bar0HighReg bar0_high;
  PrimaryReg primary;
  SecondaryReg secondary;
  SubordinateReg subordinate;
  SecondaryLatencyReg secondary_latency;
  IoBaseReg io_base;
  IoLimitReg io_limit;
  SecondaryStatusReg secondary_status;
  MemBaseReg mem_base;
  MemLimitReg mem_limit;
  PreBaseReg pre_base;
  PreLimitReg pre_limit;
  PreBaseHighReg pre_base_high;
  PreLimitHighReg pre_limit_high;
  IoHighReg io_high;
  CapabilitiesReg capabilities;
  RomReg rom;
  InterruptLineReg interrupt_line;
  InterruptPinReg interrupt_pin;
  BridgeControlReg bridge_control;

  bool operator==(const Regs&) const = default;
  [[nodiscard]] constexpr std::uint32_t word_at(std::uint32_t offset) const {
    switch (offset & ~3u) {
      case 0x000:
        return vendor.word() | device.word() << 16;
      case 0x004:
        return command.word() | status.word() << 16;
      case 0x008:
        return revision.word() | prog_if.word() << 8 | class_code.word() << 16;
      case 0x00c:
        return cache_line.word() | latency_timer.word() << 8 | header_type.word() << 16 |
               self_test.word() << 24;
      case 0x010:
        return bar0_low.word();
      case 0x014:
        return bar0_high.word();
      case 0x018:
        return primary.word() | secondary.word() << 8 | subordinate.word() << 16 |
               secondary_latency.word() << 24;
      case 0x01c:
        return io_base.word() | io_limit.word() << 8 | secondary_status.word() << 16;
      case 0x020:
        return mem_base.word() | mem_limit.word() << 16;
      case 0x024:
        return pre_base.word() | pre_limit.word() << 16;
      case 0x028:
        return pre_base_high.word();
      case 0x02c:
        return pre_limit_high.word();
      case 0x030:
        return io_high.word();
      case 0x034:
        return capabilities.word();
      case 0x038:
        return rom.word();
      case 0x03c:
        return interrupt_line.word() | interrupt_pin.word() << 8 | bridge_control.word() << 16;
      default:
        break;
    }
    return 0;
  }
  constexpr void write_at(std::uint32_t offset, std::uint32_t value, unsigned enables) {
    switch (offset & ~3u) {
      case 0x004:
        command.write(value, enables);
        break;
      case 0x00c:
        cache_line.write(value, enables);
        break;
      case 0x010:
        bar0_low.write(value, enables);
        break;
      case 0x014:
        bar0_high.write(value, enables);
        break;
      case 0x018:
        primary.write(value, enables);
        secondary.write(value >> 8, enables >> 1);
        subordinate.write(value >> 16, enables >> 2);
        break;
      case 0x020:
        mem_base.write(value, enables);
        mem_limit.write(value >> 16, enables >> 2);
        break;
      case 0x024:
        pre_base.write(value, enables);
        pre_limit.write(value >> 16, enables >> 2);
        break;
      case 0x028:
        pre_base_high.write(value, enables);
        break;
      case 0x02c:
        pre_limit_high.write(value, enables);
        break;
      case 0x03c:
        interrupt_line.write(value, enables);
        bridge_control.write(value >> 16, enables >> 2);
        break;
      default:
        break;
    }
  }
};

}  // namespace pci_header1

// Power management capability
namespace pci_pm {

// cap_header
struct CapHeaderReg {
  std::uint32_t id = 0x1;
  std::uint32_t next = 0x0;

  bool operator==(const CapHeaderReg&) const = default;
  [[nodiscard]] static constexpr CapHeaderReg from(std::uint32_t word) {
    CapHeaderReg fields;
    fields.id = kCapHeaderId.get(word);
    fields.next = kCapHeaderNext.get(word);
    return fields;
  }
  [[nodiscard]] constexpr std::uint32_t word() const {
    return kCapHeaderId.put(id) | kCapHeaderNext.put(next);
  }
};

// capabilities
struct CapabilitiesReg {
  std::uint32_t version = 0x3;
  std::uint32_t states = 0x0;

  bool operator==(const CapabilitiesReg&) const = default;
  [[nodiscard]] static constexpr CapabilitiesReg from(std::uint32_t word) {
    CapabilitiesReg fields;
    fields.version = kCapabilitiesVersion.get(word);
    fields.states = kCapabilitiesStates.get(word);
    return fields;
  }
  [[nodiscard]] constexpr std::uint32_t word() const {
    return kCapabilitiesVersion.put(version) | kCapabilitiesStates.put(states);
  }
};

// control
struct ControlReg {
  std::uint32_t power_state = 0x0;
  bool no_soft_reset = true;
  std::uint32_t pme = 0x0;

  bool operator==(const ControlReg&) const = default;
  [[nodiscard]] static constexpr ControlReg from(std::uint32_t word) {
    ControlReg fields;
    fields.power_state = kControlPowerState.get(word);
    fields.no_soft_reset = kControlNoSoftReset.is_set(word);
    fields.pme = kControlPme.get(word);
    return fields;
  }
  [[nodiscard]] constexpr std::uint32_t word() const {
    return kControlPowerState.put(power_state) | kControlNoSoftReset.put(no_soft_reset) |
           kControlPme.put(pme);
  }
  constexpr void write(std::uint32_t value, unsigned enables) {
    const std::uint32_t bits = enabled_bits(enables);
    const std::uint32_t written = (word() & ~bits) | (value & bits);
    power_state = kControlPowerState.get(written);
  }
};

// bridge
struct BridgeReg {
  std::uint32_t data = 0x0;

  bool operator==(const BridgeReg&) const = default;
  [[nodiscard]] static constexpr BridgeReg from(std::uint32_t word) {
    BridgeReg fields;
    fields.data = kBridgeData.get(word);
    return fields;
  }
  [[nodiscard]] constexpr std::uint32_t word() const { return kBridgeData.put(data); }
};

struct Regs {
  CapHeaderReg cap_header;
  CapabilitiesReg capabilities;
  ControlReg control;
  BridgeReg bridge;

  bool operator==(const Regs&) const = default;
  [[nodiscard]] constexpr std::uint32_t word_at(std::uint32_t offset) const {
    switch (offset & ~3u) {
      case 0x000:
        return cap_header.word() | capabilities.word() << 16;
      case 0x004:
        return control.word() | bridge.word() << 16;
      default:
        break;
    }
    return 0;
  }
  constexpr void write_at(std::uint32_t offset, std::uint32_t value, unsigned enables) {
    switch (offset & ~3u) {
      case 0x004:
        control.write(value, enables);
        break;
      default:
        break;
    }
  }
};

}  // namespace pci_pm

// PCI Express capability
namespace pcie {

// cap_header
struct CapHeaderReg {
  std::uint32_t id = 0x10;
  std::uint32_t next = 0x0;

  bool operator==(const CapHeaderReg&) const = default;
  [[nodiscard]] static constexpr CapHeaderReg from(std::uint32_t word) {
    CapHeaderReg fields;
    fields.id = kCapHeaderId.get(word);
    fields.next = kCapHeaderNext.get(word);
    return fields;
  }
  [[nodiscard]] constexpr std::uint32_t word() const {
    return kCapHeaderId.put(id) | kCapHeaderNext.put(next);
  }
};

// capabilities
struct CapabilitiesReg {
  std::uint32_t version = 0x2;
  std::uint32_t port_kind = 0x0;
  bool slot = false;
  std::uint32_t message = 0x0;

  bool operator==(const CapabilitiesReg&) const = default;
  [[nodiscard]] static constexpr CapabilitiesReg from(std::uint32_t word) {
    CapabilitiesReg fields;
    fields.version = kCapabilitiesVersion.get(word);
    fields.port_kind = kCapabilitiesPortKind.get(word);
    fields.slot = kCapabilitiesSlot.is_set(word);
    fields.message = kCapabilitiesMessage.get(word);
    return fields;
  }
  [[nodiscard]] constexpr std::uint32_t word() const {
    return kCapabilitiesVersion.put(version) | kCapabilitiesPortKind.put(port_kind) |
           kCapabilitiesSlot.put(slot) | kCapabilitiesMessage.put(message);
  }
};

// device_capabilities
struct DeviceCapabilitiesReg {
  std::uint32_t payload = 0x0;
  std::uint32_t phantom_functions = 0x0;
  bool extended_tag = false;
  std::uint32_t l0s_latency = 0x0;
  std::uint32_t l1_latency = 0x0;
  bool role_based_errors = true;
  std::uint32_t slot_power = 0x0;
  bool function_reset = false;

  bool operator==(const DeviceCapabilitiesReg&) const = default;
  [[nodiscard]] static constexpr DeviceCapabilitiesReg from(std::uint32_t word) {
    DeviceCapabilitiesReg fields;
    fields.payload = kDeviceCapabilitiesPayload.get(word);
    fields.phantom_functions = kDeviceCapabilitiesPhantomFunctions.get(word);
    fields.extended_tag = kDeviceCapabilitiesExtendedTag.is_set(word);
    fields.l0s_latency = kDeviceCapabilitiesL0sLatency.get(word);
    fields.l1_latency = kDeviceCapabilitiesL1Latency.get(word);
    fields.role_based_errors = kDeviceCapabilitiesRoleBasedErrors.is_set(word);
    fields.slot_power = kDeviceCapabilitiesSlotPower.get(word);
    fields.function_reset = kDeviceCapabilitiesFunctionReset.is_set(word);
    return fields;
  }
  [[nodiscard]] constexpr std::uint32_t word() const {
    return kDeviceCapabilitiesPayload.put(payload) |
           kDeviceCapabilitiesPhantomFunctions.put(phantom_functions) |
           kDeviceCapabilitiesExtendedTag.put(extended_tag) |
           kDeviceCapabilitiesL0sLatency.put(l0s_latency) |
           kDeviceCapabilitiesL1Latency.put(l1_latency) |
           kDeviceCapabilitiesRoleBasedErrors.put(role_based_errors) |
           kDeviceCapabilitiesSlotPower.put(slot_power) |
           kDeviceCapabilitiesFunctionReset.put(function_reset);
  }
};

// device_control
struct DeviceControlReg {
  bool report_correctable = false;
  bool report_nonfatal = false;
  bool report_fatal = false;
  bool report_unsupported = false;
  std::uint32_t settings = 0x0;

  bool operator==(const DeviceControlReg&) const = default;
  [[nodiscard]] static constexpr DeviceControlReg from(std::uint32_t word) {
    DeviceControlReg fields;
    fields.report_correctable = kDeviceControlReportCorrectable.is_set(word);
    fields.report_nonfatal = kDeviceControlReportNonfatal.is_set(word);
    fields.report_fatal = kDeviceControlReportFatal.is_set(word);
    fields.report_unsupported = kDeviceControlReportUnsupported.is_set(word);
    fields.settings = kDeviceControlSettings.get(word);
    return fields;
  }
  [[nodiscard]] constexpr std::uint32_t word() const {
    return kDeviceControlReportCorrectable.put(report_correctable) |
           kDeviceControlReportNonfatal.put(report_nonfatal) |
           kDeviceControlReportFatal.put(report_fatal) |
           kDeviceControlReportUnsupported.put(report_unsupported) |
           kDeviceControlSettings.put(settings);
  }
  constexpr void write(std::uint32_t value, unsigned enables) {
    const std::uint32_t bits = enabled_bits(enables);
    const std::uint32_t written = (word() & ~bits) | (value & bits);
    report_correctable = kDeviceControlReportCorrectable.is_set(written);
    report_nonfatal = kDeviceControlReportNonfatal.is_set(written);
    report_fatal = kDeviceControlReportFatal.is_set(written);
    report_unsupported = kDeviceControlReportUnsupported.is_set(written);
  }
};

// device_status
struct DeviceStatusReg {
  bool correctable = false;
  bool nonfatal = false;
  bool fatal = false;
  bool unsupported = false;
  bool aux_power = false;
  bool pending = false;
  bool emergency_power = false;

  bool operator==(const DeviceStatusReg&) const = default;
  [[nodiscard]] static constexpr DeviceStatusReg from(std::uint32_t word) {
    DeviceStatusReg fields;
    fields.correctable = kDeviceStatusCorrectable.is_set(word);
    fields.nonfatal = kDeviceStatusNonfatal.is_set(word);
    fields.fatal = kDeviceStatusFatal.is_set(word);
    fields.unsupported = kDeviceStatusUnsupported.is_set(word);
    fields.aux_power = kDeviceStatusAuxPower.is_set(word);
    fields.pending = kDeviceStatusPending.is_set(word);
    fields.emergency_power = kDeviceStatusEmergencyPower.is_set(word);
    return fields;
  }
  [[nodiscard]] constexpr std::uint32_t word() const {
    return kDeviceStatusCorrectable.put(correctable) | kDeviceStatusNonfatal.put(nonfatal) |
           kDeviceStatusFatal.put(fatal) | kDeviceStatusUnsupported.put(unsupported) |
           kDeviceStatusAuxPower.put(aux_power) | kDeviceStatusPending.put(pending) |
           kDeviceStatusEmergencyPower.put(emergency_power);
  }
  constexpr void write(std::uint32_t value, unsigned enables, Side side) {
    const std::uint32_t bits = enabled_bits(enables);
    const std::uint32_t ones = value & bits;
    if (side == Side::Device) correctable = correctable && !kDeviceStatusCorrectable.is_set(ones);
    if (side == Side::Device) nonfatal = nonfatal && !kDeviceStatusNonfatal.is_set(ones);
    if (side == Side::Device) fatal = fatal && !kDeviceStatusFatal.is_set(ones);
    if (side == Side::Device) unsupported = unsupported && !kDeviceStatusUnsupported.is_set(ones);
  }
};

// link_capabilities
struct LinkCapabilitiesReg {
  std::uint32_t speed = 0x0;
  std::uint32_t width = 0x0;
  std::uint32_t aspm = 0x0;
  std::uint32_t l0s_latency = 0x0;
  std::uint32_t l1_latency = 0x0;
  bool clock_management = false;
  bool surprise_down = false;
  bool active_reporting = false;
  bool bandwidth = false;
  bool aspm_optional = true;
  std::uint32_t port = 0x0;

  bool operator==(const LinkCapabilitiesReg&) const = default;
  [[nodiscard]] static constexpr LinkCapabilitiesReg at_reset(Side side) {
    LinkCapabilitiesReg fields;
    if (side == Side::Host) fields.active_reporting = true;
    return fields;
  }
  [[nodiscard]] static constexpr LinkCapabilitiesReg from(std::uint32_t word) {
    LinkCapabilitiesReg fields;
    fields.speed = kLinkCapabilitiesSpeed.get(word);
    fields.width = kLinkCapabilitiesWidth.get(word);
    fields.aspm = kLinkCapabilitiesAspm.get(word);
    fields.l0s_latency = kLinkCapabilitiesL0sLatency.get(word);
    fields.l1_latency = kLinkCapabilitiesL1Latency.get(word);
    fields.clock_management = kLinkCapabilitiesClockManagement.is_set(word);
    fields.surprise_down = kLinkCapabilitiesSurpriseDown.is_set(word);
    fields.active_reporting = kLinkCapabilitiesActiveReporting.is_set(word);
    fields.bandwidth = kLinkCapabilitiesBandwidth.is_set(word);
    fields.aspm_optional = kLinkCapabilitiesAspmOptional.is_set(word);
    fields.port = kLinkCapabilitiesPort.get(word);
    return fields;
  }
  [[nodiscard]] constexpr std::uint32_t word() const {
    return kLinkCapabilitiesSpeed.put(speed) | kLinkCapabilitiesWidth.put(width) |
           kLinkCapabilitiesAspm.put(aspm) | kLinkCapabilitiesL0sLatency.put(l0s_latency) |
           kLinkCapabilitiesL1Latency.put(l1_latency) |
           kLinkCapabilitiesClockManagement.put(clock_management) |
           kLinkCapabilitiesSurpriseDown.put(surprise_down) |
           kLinkCapabilitiesActiveReporting.put(active_reporting) |
           kLinkCapabilitiesBandwidth.put(bandwidth) |
           kLinkCapabilitiesAspmOptional.put(aspm_optional) | kLinkCapabilitiesPort.put(port);
  }
};

// link_control
struct LinkControlReg {
  std::uint32_t aspm = 0x0;
  bool read_boundary = false;
  bool root_read_boundary = false;
  bool link_disable = false;
  bool retrain = false;
  bool common_clock = false;
  bool extended_synch = false;
  bool clock_management = false;
  bool width_disable = false;
  std::uint32_t bandwidth = 0x0;
  std::uint32_t drs_signaling = 0x0;

  bool operator==(const LinkControlReg&) const = default;
  [[nodiscard]] static constexpr LinkControlReg from(std::uint32_t word) {
    LinkControlReg fields;
    fields.aspm = kLinkControlAspm.get(word);
    fields.read_boundary = kLinkControlReadBoundary.is_set(word);
    fields.root_read_boundary = kLinkControlRootReadBoundary.is_set(word);
    fields.link_disable = kLinkControlLinkDisable.is_set(word);
    fields.retrain = kLinkControlRetrain.is_set(word);
    fields.common_clock = kLinkControlCommonClock.is_set(word);
    fields.extended_synch = kLinkControlExtendedSynch.is_set(word);
    fields.clock_management = kLinkControlClockManagement.is_set(word);
    fields.width_disable = kLinkControlWidthDisable.is_set(word);
    fields.bandwidth = kLinkControlBandwidth.get(word);
    fields.drs_signaling = kLinkControlDrsSignaling.get(word);
    return fields;
  }
  [[nodiscard]] constexpr std::uint32_t word() const {
    return kLinkControlAspm.put(aspm) | kLinkControlReadBoundary.put(read_boundary) |
           kLinkControlRootReadBoundary.put(root_read_boundary) |
           kLinkControlLinkDisable.put(link_disable) | kLinkControlRetrain.put(retrain) |
           kLinkControlCommonClock.put(common_clock) |
           kLinkControlExtendedSynch.put(extended_synch) |
           kLinkControlClockManagement.put(clock_management) |
           kLinkControlWidthDisable.put(width_disable) | kLinkControlBandwidth.put(bandwidth) |
           kLinkControlDrsSignaling.put(drs_signaling);
  }
  constexpr void write(std::uint32_t value, unsigned enables, Side side) {
    const std::uint32_t bits = enabled_bits(enables);
    const std::uint32_t written = (word() & ~bits) | (value & bits);
    aspm = kLinkControlAspm.get(written);
    if (side == Side::Device) read_boundary = kLinkControlReadBoundary.is_set(written);
    if (side == Side::Host) link_disable = kLinkControlLinkDisable.is_set(written);
    common_clock = kLinkControlCommonClock.is_set(written);
    extended_synch = kLinkControlExtendedSynch.is_set(written);
  }
};

// link_status
struct LinkStatusReg {
  std::uint32_t speed = 0x0;
  std::uint32_t width = 0x0;
  bool training = false;
  bool slot_clock = true;
  bool active = false;
  std::uint32_t bandwidth = 0x0;

  bool operator==(const LinkStatusReg&) const = default;
  [[nodiscard]] static constexpr LinkStatusReg from(std::uint32_t word) {
    LinkStatusReg fields;
    fields.speed = kLinkStatusSpeed.get(word);
    fields.width = kLinkStatusWidth.get(word);
    fields.training = kLinkStatusTraining.is_set(word);
    fields.slot_clock = kLinkStatusSlotClock.is_set(word);
    fields.active = kLinkStatusActive.is_set(word);
    fields.bandwidth = kLinkStatusBandwidth.get(word);
    return fields;
  }
  [[nodiscard]] constexpr std::uint32_t word() const {
    return kLinkStatusSpeed.put(speed) | kLinkStatusWidth.put(width) |
           kLinkStatusTraining.put(training) | kLinkStatusSlotClock.put(slot_clock) |
           kLinkStatusActive.put(active) | kLinkStatusBandwidth.put(bandwidth);
  }
};

// device_capabilities2
struct DeviceCapabilities2Reg {
  std::uint32_t completion_timeout = 0x0;
  std::uint32_t others = 0x0;
  bool tag10_completer = false;
  bool tag10_requester = false;
  std::uint32_t buffer_flush = 0x0;
  std::uint32_t prefixes = 0x0;
  bool readiness_message = false;

  bool operator==(const DeviceCapabilities2Reg&) const = default;
  [[nodiscard]] static constexpr DeviceCapabilities2Reg at_reset(Side side) {
    DeviceCapabilities2Reg fields;
    if (side == Side::Device) fields.tag10_completer = true;
    return fields;
  }
  [[nodiscard]] static constexpr DeviceCapabilities2Reg from(std::uint32_t word) {
    DeviceCapabilities2Reg fields;
    fields.completion_timeout = kDeviceCapabilities2CompletionTimeout.get(word);
    fields.others = kDeviceCapabilities2Others.get(word);
    fields.tag10_completer = kDeviceCapabilities2Tag10Completer.is_set(word);
    fields.tag10_requester = kDeviceCapabilities2Tag10Requester.is_set(word);
    fields.buffer_flush = kDeviceCapabilities2BufferFlush.get(word);
    fields.prefixes = kDeviceCapabilities2Prefixes.get(word);
    fields.readiness_message = kDeviceCapabilities2ReadinessMessage.is_set(word);
    return fields;
  }
  [[nodiscard]] constexpr std::uint32_t word() const {
    return kDeviceCapabilities2CompletionTimeout.put(completion_timeout) |
           kDeviceCapabilities2Others.put(others) |
           kDeviceCapabilities2Tag10Completer.put(tag10_completer) |
           kDeviceCapabilities2Tag10Requester.put(tag10_requester) |
           kDeviceCapabilities2BufferFlush.put(buffer_flush) |
           kDeviceCapabilities2Prefixes.put(prefixes) |
           kDeviceCapabilities2ReadinessMessage.put(readiness_message);
  }
};

// link_capabilities2
struct LinkCapabilities2Reg {
  std::uint32_t speeds = 0x0;

  bool operator==(const LinkCapabilities2Reg&) const = default;
  [[nodiscard]] static constexpr LinkCapabilities2Reg from(std::uint32_t word) {
    LinkCapabilities2Reg fields;
    fields.speeds = kLinkCapabilities2Speeds.get(word);
    return fields;
  }
  [[nodiscard]] constexpr std::uint32_t word() const {
    return kLinkCapabilities2Speeds.put(speeds);
  }
};

// link_control2
struct LinkControl2Reg {
  std::uint32_t target_speed = 0x0;

  bool operator==(const LinkControl2Reg&) const = default;
  [[nodiscard]] static constexpr LinkControl2Reg from(std::uint32_t word) {
    LinkControl2Reg fields;
    fields.target_speed = kLinkControl2TargetSpeed.get(word);
    return fields;
  }
  [[nodiscard]] constexpr std::uint32_t word() const {
    return kLinkControl2TargetSpeed.put(target_speed);
  }
};

// link_status2
struct LinkStatus2Reg {
  std::uint32_t status = 0x0;

  bool operator==(const LinkStatus2Reg&) const = default;
  [[nodiscard]] static constexpr LinkStatus2Reg from(std::uint32_t word) {
    LinkStatus2Reg fields;
    fields.status = kLinkStatus2Status.get(word);
    return fields;
  }
  [[nodiscard]] constexpr std::uint32_t word() const { return kLinkStatus2Status.put(status); }
};

struct Regs {
  CapHeaderReg cap_header;
  CapabilitiesReg capabilities;
  DeviceCapabilitiesReg device_capabilities;
  DeviceControlReg device_control;
  DeviceStatusReg device_status;
  LinkCapabilitiesReg link_capabilities;
  LinkControlReg link_control;
  LinkStatusReg link_status;
  DeviceCapabilities2Reg device_capabilities2;
  LinkCapabilities2Reg link_capabilities2;
  LinkControl2Reg link_control2;
  LinkStatus2Reg link_status2;

  bool operator==(const Regs&) const = default;
  [[nodiscard]] static constexpr Regs at_reset(Side side) {
    Regs regs;
    regs.link_capabilities = LinkCapabilitiesReg::at_reset(side);
    regs.device_capabilities2 = DeviceCapabilities2Reg::at_reset(side);
    return regs;
  }
  [[nodiscard]] constexpr std::uint32_t word_at(std::uint32_t offset) const {
    switch (offset & ~3u) {
      case 0x000:
        return cap_header.word() | capabilities.word() << 16;
      case 0x004:
        return device_capabilities.word();
      case 0x008:
        return device_control.word() | device_status.word() << 16;
      case 0x00c:
        return link_capabilities.word();
      case 0x010:
        return link_control.word() | link_status.word() << 16;
      case 0x024:
        return device_capabilities2.word();
      case 0x02c:
        return link_capabilities2.word();
      case 0x030:
        return link_control2.word() | link_status2.word() << 16;
      default:
        break;
    }
    return 0;
  }
  constexpr void write_at(std::uint32_t offset, std::uint32_t value, unsigned enables, Side side) {
    switch (offset & ~3u) {
      case 0x008:
        device_control.write(value, enables);
        device_status.write(value >> 16, enables >> 2, side);
        break;
      case 0x010:
        link_control.write(value, enables, side);
        break;
      default:
        break;
    }
  }
};

}  // namespace pcie

// RAS capability (component capability ID 2)
namespace ras {

// uncor_status
struct UncorStatusReg {
  bool cache_data_parity = false;
  bool cache_addr_parity = false;
  bool cache_be_parity = false;
  bool cache_data_ecc = false;
  bool mem_data_parity = false;
  bool mem_addr_parity = false;
  bool mem_be_parity = false;
  bool mem_data_ecc = false;
  bool reinit_threshold = false;
  bool encoding = false;
  bool poison = false;
  bool overflow = false;
  bool internal = false;
  bool ide_tx = false;
  bool ide_rx = false;

  bool operator==(const UncorStatusReg&) const = default;
  [[nodiscard]] static constexpr UncorStatusReg from(std::uint32_t word) {
    UncorStatusReg fields;
    fields.cache_data_parity = kUncorStatusCacheDataParity.is_set(word);
    fields.cache_addr_parity = kUncorStatusCacheAddrParity.is_set(word);
    fields.cache_be_parity = kUncorStatusCacheBeParity.is_set(word);
    fields.cache_data_ecc = kUncorStatusCacheDataEcc.is_set(word);
    fields.mem_data_parity = kUncorStatusMemDataParity.is_set(word);
    fields.mem_addr_parity = kUncorStatusMemAddrParity.is_set(word);
    fields.mem_be_parity = kUncorStatusMemBeParity.is_set(word);
    fields.mem_data_ecc = kUncorStatusMemDataEcc.is_set(word);
    fields.reinit_threshold = kUncorStatusReinitThreshold.is_set(word);
    fields.encoding = kUncorStatusEncoding.is_set(word);
    fields.poison = kUncorStatusPoison.is_set(word);
    fields.overflow = kUncorStatusOverflow.is_set(word);
    fields.internal = kUncorStatusInternal.is_set(word);
    fields.ide_tx = kUncorStatusIdeTx.is_set(word);
    fields.ide_rx = kUncorStatusIdeRx.is_set(word);
    return fields;
  }
  [[nodiscard]] constexpr std::uint32_t word() const {
    return kUncorStatusCacheDataParity.put(cache_data_parity) |
           kUncorStatusCacheAddrParity.put(cache_addr_parity) |
           kUncorStatusCacheBeParity.put(cache_be_parity) |
           kUncorStatusCacheDataEcc.put(cache_data_ecc) |
           kUncorStatusMemDataParity.put(mem_data_parity) |
           kUncorStatusMemAddrParity.put(mem_addr_parity) |
           kUncorStatusMemBeParity.put(mem_be_parity) | kUncorStatusMemDataEcc.put(mem_data_ecc) |
           kUncorStatusReinitThreshold.put(reinit_threshold) | kUncorStatusEncoding.put(encoding) |
           kUncorStatusPoison.put(poison) | kUncorStatusOverflow.put(overflow) |
           kUncorStatusInternal.put(internal) | kUncorStatusIdeTx.put(ide_tx) |
           kUncorStatusIdeRx.put(ide_rx);
  }
  constexpr void write(std::uint32_t value) {
    cache_data_parity = cache_data_parity && !kUncorStatusCacheDataParity.is_set(value);
    cache_addr_parity = cache_addr_parity && !kUncorStatusCacheAddrParity.is_set(value);
    cache_be_parity = cache_be_parity && !kUncorStatusCacheBeParity.is_set(value);
    cache_data_ecc = cache_data_ecc && !kUncorStatusCacheDataEcc.is_set(value);
    mem_data_parity = mem_data_parity && !kUncorStatusMemDataParity.is_set(value);
    mem_addr_parity = mem_addr_parity && !kUncorStatusMemAddrParity.is_set(value);
    mem_be_parity = mem_be_parity && !kUncorStatusMemBeParity.is_set(value);
    mem_data_ecc = mem_data_ecc && !kUncorStatusMemDataEcc.is_set(value);
    reinit_threshold = reinit_threshold && !kUncorStatusReinitThreshold.is_set(value);
    encoding = encoding && !kUncorStatusEncoding.is_set(value);
    poison = poison && !kUncorStatusPoison.is_set(value);
    overflow = overflow && !kUncorStatusOverflow.is_set(value);
    internal = internal && !kUncorStatusInternal.is_set(value);
    ide_tx = ide_tx && !kUncorStatusIdeTx.is_set(value);
    ide_rx = ide_rx && !kUncorStatusIdeRx.is_set(value);
  }
};

// uncor_mask
struct UncorMaskReg {
  bool cache_data_parity = true;
  bool cache_addr_parity = true;
  bool cache_be_parity = true;
  bool cache_data_ecc = true;
  bool mem_data_parity = true;
  bool mem_addr_parity = true;
  bool mem_be_parity = true;
  bool mem_data_ecc = true;
  bool reinit_threshold = true;
  bool encoding = true;
  bool poison = true;
  bool overflow = true;
  bool internal = true;
  bool ide_tx = true;
  bool ide_rx = true;

  bool operator==(const UncorMaskReg&) const = default;
  [[nodiscard]] static constexpr UncorMaskReg from(std::uint32_t word) {
    UncorMaskReg fields;
    fields.cache_data_parity = kUncorMaskCacheDataParity.is_set(word);
    fields.cache_addr_parity = kUncorMaskCacheAddrParity.is_set(word);
    fields.cache_be_parity = kUncorMaskCacheBeParity.is_set(word);
    fields.cache_data_ecc = kUncorMaskCacheDataEcc.is_set(word);
    fields.mem_data_parity = kUncorMaskMemDataParity.is_set(word);
    fields.mem_addr_parity = kUncorMaskMemAddrParity.is_set(word);
    fields.mem_be_parity = kUncorMaskMemBeParity.is_set(word);
    fields.mem_data_ecc = kUncorMaskMemDataEcc.is_set(word);
    fields.reinit_threshold = kUncorMaskReinitThreshold.is_set(word);
    fields.encoding = kUncorMaskEncoding.is_set(word);
    fields.poison = kUncorMaskPoison.is_set(word);
    fields.overflow = kUncorMaskOverflow.is_set(word);
    fields.internal = kUncorMaskInternal.is_set(word);
    fields.ide_tx = kUncorMaskIdeTx.is_set(word);
    fields.ide_rx = kUncorMaskIdeRx.is_set(word);
    return fields;
  }
  [[nodiscard]] constexpr std::uint32_t word() const {
    return kUncorMaskCacheDataParity.put(cache_data_parity) |
           kUncorMaskCacheAddrParity.put(cache_addr_parity) |
           kUncorMaskCacheBeParity.put(cache_be_parity) |
           kUncorMaskCacheDataEcc.put(cache_data_ecc) |
           kUncorMaskMemDataParity.put(mem_data_parity) |
           kUncorMaskMemAddrParity.put(mem_addr_parity) | kUncorMaskMemBeParity.put(mem_be_parity) |
           kUncorMaskMemDataEcc.put(mem_data_ecc) |
           kUncorMaskReinitThreshold.put(reinit_threshold) | kUncorMaskEncoding.put(encoding) |
           kUncorMaskPoison.put(poison) | kUncorMaskOverflow.put(overflow) |
           kUncorMaskInternal.put(internal) | kUncorMaskIdeTx.put(ide_tx) |
           kUncorMaskIdeRx.put(ide_rx);
  }
  constexpr void write(std::uint32_t value) {
    cache_data_parity = kUncorMaskCacheDataParity.is_set(value);
    cache_addr_parity = kUncorMaskCacheAddrParity.is_set(value);
    cache_be_parity = kUncorMaskCacheBeParity.is_set(value);
    cache_data_ecc = kUncorMaskCacheDataEcc.is_set(value);
    mem_data_parity = kUncorMaskMemDataParity.is_set(value);
    mem_addr_parity = kUncorMaskMemAddrParity.is_set(value);
    mem_be_parity = kUncorMaskMemBeParity.is_set(value);
    mem_data_ecc = kUncorMaskMemDataEcc.is_set(value);
    reinit_threshold = kUncorMaskReinitThreshold.is_set(value);
    encoding = kUncorMaskEncoding.is_set(value);
    poison = kUncorMaskPoison.is_set(value);
    overflow = kUncorMaskOverflow.is_set(value);
    internal = kUncorMaskInternal.is_set(value);
    ide_tx = kUncorMaskIdeTx.is_set(value);
    ide_rx = kUncorMaskIdeRx.is_set(value);
  }
};

// uncor_severity
struct UncorSeverityReg {
  bool cache_data_parity = true;
  bool cache_addr_parity = true;
  bool cache_be_parity = true;
  bool cache_data_ecc = true;
  bool mem_data_parity = true;
  bool mem_addr_parity = true;
  bool mem_be_parity = true;
  bool mem_data_ecc = true;
  bool reinit_threshold = true;
  bool encoding = true;
  bool poison = true;
  bool overflow = true;
  bool internal = true;
  bool ide_tx = true;
  bool ide_rx = true;

  bool operator==(const UncorSeverityReg&) const = default;
  [[nodiscard]] static constexpr UncorSeverityReg from(std::uint32_t word) {
    UncorSeverityReg fields;
    fields.cache_data_parity = kUncorSeverityCacheDataParity.is_set(word);
    fields.cache_addr_parity = kUncorSeverityCacheAddrParity.is_set(word);
    fields.cache_be_parity = kUncorSeverityCacheBeParity.is_set(word);
    fields.cache_data_ecc = kUncorSeverityCacheDataEcc.is_set(word);
    fields.mem_data_parity = kUncorSeverityMemDataParity.is_set(word);
    fields.mem_addr_parity = kUncorSeverityMemAddrParity.is_set(word);
    fields.mem_be_parity = kUncorSeverityMemBeParity.is_set(word);
    fields.mem_data_ecc = kUncorSeverityMemDataEcc.is_set(word);
    fields.reinit_threshold = kUncorSeverityReinitThreshold.is_set(word);
    fields.encoding = kUncorSeverityEncoding.is_set(word);
    fields.poison = kUncorSeverityPoison.is_set(word);
    fields.overflow = kUncorSeverityOverflow.is_set(word);
    fields.internal = kUncorSeverityInternal.is_set(word);
    fields.ide_tx = kUncorSeverityIdeTx.is_set(word);
    fields.ide_rx = kUncorSeverityIdeRx.is_set(word);
    return fields;
  }
  [[nodiscard]] constexpr std::uint32_t word() const {
    return kUncorSeverityCacheDataParity.put(cache_data_parity) |
           kUncorSeverityCacheAddrParity.put(cache_addr_parity) |
           kUncorSeverityCacheBeParity.put(cache_be_parity) |
           kUncorSeverityCacheDataEcc.put(cache_data_ecc) |
           kUncorSeverityMemDataParity.put(mem_data_parity) |
           kUncorSeverityMemAddrParity.put(mem_addr_parity) |
           kUncorSeverityMemBeParity.put(mem_be_parity) |
           kUncorSeverityMemDataEcc.put(mem_data_ecc) |
           kUncorSeverityReinitThreshold.put(reinit_threshold) |
           kUncorSeverityEncoding.put(encoding) | kUncorSeverityPoison.put(poison) |
           kUncorSeverityOverflow.put(overflow) | kUncorSeverityInternal.put(internal) |
           kUncorSeverityIdeTx.put(ide_tx) | kUncorSeverityIdeRx.put(ide_rx);
  }
  constexpr void write(std::uint32_t value) {
    cache_data_parity = kUncorSeverityCacheDataParity.is_set(value);
    cache_addr_parity = kUncorSeverityCacheAddrParity.is_set(value);
    cache_be_parity = kUncorSeverityCacheBeParity.is_set(value);
    cache_data_ecc = kUncorSeverityCacheDataEcc.is_set(value);
    mem_data_parity = kUncorSeverityMemDataParity.is_set(value);
    mem_addr_parity = kUncorSeverityMemAddrParity.is_set(value);
    mem_be_parity = kUncorSeverityMemBeParity.is_set(value);
    mem_data_ecc = kUncorSeverityMemDataEcc.is_set(value);
    reinit_threshold = kUncorSeverityReinitThreshold.is_set(value);
    encoding = kUncorSeverityEncoding.is_set(value);
    poison = kUncorSeverityPoison.is_set(value);
    overflow = kUncorSeverityOverflow.is_set(value);
    internal = kUncorSeverityInternal.is_set(value);
    ide_tx = kUncorSeverityIdeTx.is_set(value);
    ide_rx = kUncorSeverityIdeRx.is_set(value);
  }
};

// cor_status
struct CorStatusReg {
  bool cache_data_ecc = false;
  bool mem_data_ecc = false;
  bool crc_threshold = false;
  bool retry_threshold = false;
  bool cache_poison = false;
  bool mem_poison = false;
  bool phy = false;

  bool operator==(const CorStatusReg&) const = default;
  [[nodiscard]] static constexpr CorStatusReg from(std::uint32_t word) {
    CorStatusReg fields;
    fields.cache_data_ecc = kCorStatusCacheDataEcc.is_set(word);
    fields.mem_data_ecc = kCorStatusMemDataEcc.is_set(word);
    fields.crc_threshold = kCorStatusCrcThreshold.is_set(word);
    fields.retry_threshold = kCorStatusRetryThreshold.is_set(word);
    fields.cache_poison = kCorStatusCachePoison.is_set(word);
    fields.mem_poison = kCorStatusMemPoison.is_set(word);
    fields.phy = kCorStatusPhy.is_set(word);
    return fields;
  }
  [[nodiscard]] constexpr std::uint32_t word() const {
    return kCorStatusCacheDataEcc.put(cache_data_ecc) | kCorStatusMemDataEcc.put(mem_data_ecc) |
           kCorStatusCrcThreshold.put(crc_threshold) |
           kCorStatusRetryThreshold.put(retry_threshold) | kCorStatusCachePoison.put(cache_poison) |
           kCorStatusMemPoison.put(mem_poison) | kCorStatusPhy.put(phy);
  }
  constexpr void write(std::uint32_t value) {
    cache_data_ecc = cache_data_ecc && !kCorStatusCacheDataEcc.is_set(value);
    mem_data_ecc = mem_data_ecc && !kCorStatusMemDataEcc.is_set(value);
    crc_threshold = crc_threshold && !kCorStatusCrcThreshold.is_set(value);
    retry_threshold = retry_threshold && !kCorStatusRetryThreshold.is_set(value);
    cache_poison = cache_poison && !kCorStatusCachePoison.is_set(value);
    mem_poison = mem_poison && !kCorStatusMemPoison.is_set(value);
    phy = phy && !kCorStatusPhy.is_set(value);
  }
};

// cor_mask
struct CorMaskReg {
  bool cache_data_ecc = true;
  bool mem_data_ecc = true;
  bool crc_threshold = true;
  bool retry_threshold = true;
  bool cache_poison = true;
  bool mem_poison = true;
  bool phy = true;

  bool operator==(const CorMaskReg&) const = default;
  [[nodiscard]] static constexpr CorMaskReg from(std::uint32_t word) {
    CorMaskReg fields;
    fields.cache_data_ecc = kCorMaskCacheDataEcc.is_set(word);
    fields.mem_data_ecc = kCorMaskMemDataEcc.is_set(word);
    fields.crc_threshold = kCorMaskCrcThreshold.is_set(word);
    fields.retry_threshold = kCorMaskRetryThreshold.is_set(word);
    fields.cache_poison = kCorMaskCachePoison.is_set(word);
    fields.mem_poison = kCorMaskMemPoison.is_set(word);
    fields.phy = kCorMaskPhy.is_set(word);
    return fields;
  }
  [[nodiscard]] constexpr std::uint32_t word() const {
    return kCorMaskCacheDataEcc.put(cache_data_ecc) | kCorMaskMemDataEcc.put(mem_data_ecc) |
           kCorMaskCrcThreshold.put(crc_threshold) | kCorMaskRetryThreshold.put(retry_threshold) |
           kCorMaskCachePoison.put(cache_poison) | kCorMaskMemPoison.put(mem_poison) |
           kCorMaskPhy.put(phy);
  }
  constexpr void write(std::uint32_t value) {
    cache_data_ecc = kCorMaskCacheDataEcc.is_set(value);
    mem_data_ecc = kCorMaskMemDataEcc.is_set(value);
    crc_threshold = kCorMaskCrcThreshold.is_set(value);
    retry_threshold = kCorMaskRetryThreshold.is_set(value);
    cache_poison = kCorMaskCachePoison.is_set(value);
    mem_poison = kCorMaskMemPoison.is_set(value);
    phy = kCorMaskPhy.is_set(value);
  }
};

// control
struct ControlReg {
  std::uint32_t first_error = 0x0;
  bool multiple_headers = false;
  bool poison_enabled = false;
  bool poison_fixed = false;

  bool operator==(const ControlReg&) const = default;
  [[nodiscard]] static constexpr ControlReg at_reset(Side side) {
    ControlReg fields;
    if (side == Side::Host) fields.poison_enabled = true;
    if (side == Side::Device) fields.poison_fixed = true;
    return fields;
  }
  [[nodiscard]] static constexpr ControlReg from(std::uint32_t word) {
    ControlReg fields;
    fields.first_error = kControlFirstError.get(word);
    fields.multiple_headers = kControlMultipleHeaders.is_set(word);
    fields.poison_enabled = kControlPoisonEnabled.is_set(word);
    fields.poison_fixed = kControlPoisonFixed.is_set(word);
    return fields;
  }
  [[nodiscard]] constexpr std::uint32_t word() const {
    return kControlFirstError.put(first_error) | kControlMultipleHeaders.put(multiple_headers) |
           kControlPoisonEnabled.put(poison_enabled) | kControlPoisonFixed.put(poison_fixed);
  }
  constexpr void write(std::uint32_t value, Side side) {
    if (side == Side::Host) poison_enabled = kControlPoisonEnabled.is_set(value);
  }
};

// header_log.word
struct HeaderLogWordReg {
  std::uint32_t data = 0x0;

  bool operator==(const HeaderLogWordReg&) const = default;
  [[nodiscard]] static constexpr HeaderLogWordReg from(std::uint32_t word) {
    HeaderLogWordReg fields;
    fields.data = kHeaderLogWordData.get(word);
    return fields;
  }
  [[nodiscard]] constexpr std::uint32_t word() const { return kHeaderLogWordData.put(data); }
};

struct HeaderLogSet {
  HeaderLogWordReg word;

  bool operator==(const HeaderLogSet&) const = default;
  [[nodiscard]] constexpr std::uint32_t word_at(std::uint32_t offset) const {
    switch (offset & ~3u) {
      case 0x000:
        return word.word();
      default:
        break;
    }
    return 0;
  }
};

struct Regs {
  UncorStatusReg uncor_status;
  UncorMaskReg uncor_mask;
  UncorSeverityReg uncor_severity;
  CorStatusReg cor_status;
  CorMaskReg cor_mask;
  ControlReg control;
  std::array<HeaderLogSet, kHeaderLogCount> header_log;

  bool operator==(const Regs&) const = default;
  [[nodiscard]] static constexpr Regs at_reset(Side side) {
    Regs regs;
    regs.control = ControlReg::at_reset(side);
    return regs;
  }
  [[nodiscard]] constexpr std::uint32_t word_at(std::uint32_t offset) const {
    switch (offset & ~3u) {
      case 0x000:
        return uncor_status.word();
      case 0x004:
        return uncor_mask.word();
      case 0x008:
        return uncor_severity.word();
      case 0x00c:
        return cor_status.word();
      case 0x010:
        return cor_mask.word();
      case 0x014:
        return control.word();
      default:
        break;
    }
    if (offset >= kHeaderLog && offset - kHeaderLog < kHeaderLogStride * kHeaderLogCount) {
      const std::uint32_t at = offset - kHeaderLog;
      return header_log[at / kHeaderLogStride].word_at(at % kHeaderLogStride);
    }
    return 0;
  }
  constexpr void write_at(std::uint32_t offset, std::uint32_t value, Side side) {
    switch (offset & ~3u) {
      case 0x000:
        uncor_status.write(value);
        break;
      case 0x004:
        uncor_mask.write(value);
        break;
      case 0x008:
        uncor_severity.write(value);
        break;
      case 0x00c:
        cor_status.write(value);
        break;
      case 0x010:
        cor_mask.write(value);
        break;
      case 0x014:
        control.write(value, side);
        break;
      default:
        break;
    }
  }
};

}  // namespace ras

// Root port vendor block
namespace rp {

// policy
struct PolicyReg {
  std::uint32_t select = 0x0;
  bool len_enable = false;
  bool match_start = false;
  bool spec_64b = false;
  bool around = false;
  std::uint32_t clip_log2 = 0xf;
  std::uint32_t ways = 0x0;
  std::uint32_t stream_sets = 0x6;

  bool operator==(const PolicyReg&) const = default;
  [[nodiscard]] static constexpr PolicyReg from(std::uint32_t word) {
    PolicyReg fields;
    fields.select = kPolicySelect.get(word);
    fields.len_enable = kPolicyLenEnable.is_set(word);
    fields.match_start = kPolicyMatchStart.is_set(word);
    fields.spec_64b = kPolicySpec64b.is_set(word);
    fields.around = kPolicyAround.is_set(word);
    fields.clip_log2 = kPolicyClipLog2.get(word);
    fields.ways = kPolicyWays.get(word);
    fields.stream_sets = kPolicyStreamSets.get(word);
    return fields;
  }
  [[nodiscard]] constexpr std::uint32_t word() const {
    return kPolicySelect.put(select) | kPolicyLenEnable.put(len_enable) |
           kPolicyMatchStart.put(match_start) | kPolicySpec64b.put(spec_64b) |
           kPolicyAround.put(around) | kPolicyClipLog2.put(clip_log2) | kPolicyWays.put(ways) |
           kPolicyStreamSets.put(stream_sets);
  }
  constexpr void write(std::uint32_t value) {
    select = kPolicySelect.get(value);
    len_enable = kPolicyLenEnable.is_set(value);
    match_start = kPolicyMatchStart.is_set(value);
    spec_64b = kPolicySpec64b.is_set(value);
    around = kPolicyAround.is_set(value);
    clip_log2 = kPolicyClipLog2.get(value);
    ways = kPolicyWays.get(value);
    stream_sets = kPolicyStreamSets.get(value);
  }
};

// state
struct StateReg {
  std::uint32_t gran = 0x1;

  bool operator==(const StateReg&) const = default;
  [[nodiscard]] static constexpr StateReg from(std::uint32_t word) {
    StateReg fields;
    fields.gran = kStateGran.get(word);
    return fields;
  }
  [[nodiscard]] constexpr std::uint32_t word() const { return kStateGran.put(gran); }
};

// loads
struct LoadsReg {
  std::uint32_t count = 0x0;

  bool operator==(const LoadsReg&) const = default;
  [[nodiscard]] static constexpr LoadsReg from(std::uint32_t word) {
    LoadsReg fields;
    fields.count = kLoadsCount.get(word);
    return fields;
  }
  [[nodiscard]] constexpr std::uint32_t word() const { return kLoadsCount.put(count); }
};

// stores
struct StoresReg {
  std::uint32_t count = 0x0;

  bool operator==(const StoresReg&) const = default;
  [[nodiscard]] static constexpr StoresReg from(std::uint32_t word) {
    StoresReg fields;
    fields.count = kStoresCount.get(word);
    return fields;
  }
  [[nodiscard]] constexpr std::uint32_t word() const { return kStoresCount.put(count); }
};

// specs
struct SpecsReg {
  std::uint32_t count = 0x0;

  bool operator==(const SpecsReg&) const = default;
  [[nodiscard]] static constexpr SpecsReg from(std::uint32_t word) {
    SpecsReg fields;
    fields.count = kSpecsCount.get(word);
    return fields;
  }
  [[nodiscard]] constexpr std::uint32_t word() const { return kSpecsCount.put(count); }
};

// light
struct LightReg {
  std::uint32_t count = 0x0;

  bool operator==(const LightReg&) const = default;
  [[nodiscard]] static constexpr LightReg from(std::uint32_t word) {
    LightReg fields;
    fields.count = kLightCount.get(word);
    return fields;
  }
  [[nodiscard]] constexpr std::uint32_t word() const { return kLightCount.put(count); }
};

// optimal
struct OptimalReg {
  std::uint32_t count = 0x0;

  bool operator==(const OptimalReg&) const = default;
  [[nodiscard]] static constexpr OptimalReg from(std::uint32_t word) {
    OptimalReg fields;
    fields.count = kOptimalCount.get(word);
    return fields;
  }
  [[nodiscard]] constexpr std::uint32_t word() const { return kOptimalCount.put(count); }
};

// moderate
struct ModerateReg {
  std::uint32_t count = 0x0;

  bool operator==(const ModerateReg&) const = default;
  [[nodiscard]] static constexpr ModerateReg from(std::uint32_t word) {
    ModerateReg fields;
    fields.count = kModerateCount.get(word);
    return fields;
  }
  [[nodiscard]] constexpr std::uint32_t word() const { return kModerateCount.put(count); }
};

// severe
struct SevereReg {
  std::uint32_t count = 0x0;

  bool operator==(const SevereReg&) const = default;
  [[nodiscard]] static constexpr SevereReg from(std::uint32_t word) {
    SevereReg fields;
    fields.count = kSevereCount.get(word);
    return fields;
  }
  [[nodiscard]] constexpr std::uint32_t word() const { return kSevereCount.put(count); }
};

// loads_seen
struct LoadsSeenReg {
  std::uint32_t count = 0x0;

  bool operator==(const LoadsSeenReg&) const = default;
  [[nodiscard]] static constexpr LoadsSeenReg from(std::uint32_t word) {
    LoadsSeenReg fields;
    fields.count = kLoadsSeenCount.get(word);
    return fields;
  }
  [[nodiscard]] constexpr std::uint32_t word() const { return kLoadsSeenCount.put(count); }
};

// issued
struct IssuedReg {
  std::uint32_t count = 0x0;

  bool operator==(const IssuedReg&) const = default;
  [[nodiscard]] static constexpr IssuedReg from(std::uint32_t word) {
    IssuedReg fields;
    fields.count = kIssuedCount.get(word);
    return fields;
  }
  [[nodiscard]] constexpr std::uint32_t word() const { return kIssuedCount.put(count); }
};

// ring_suppressed
struct RingSuppressedReg {
  std::uint32_t count = 0x0;

  bool operator==(const RingSuppressedReg&) const = default;
  [[nodiscard]] static constexpr RingSuppressedReg from(std::uint32_t word) {
    RingSuppressedReg fields;
    fields.count = kRingSuppressedCount.get(word);
    return fields;
  }
  [[nodiscard]] constexpr std::uint32_t word() const { return kRingSuppressedCount.put(count); }
};

// halt_suppressed
struct HaltSuppressedReg {
  std::uint32_t count = 0x0;

  bool operator==(const HaltSuppressedReg&) const = default;
  [[nodiscard]] static constexpr HaltSuppressedReg from(std::uint32_t word) {
    HaltSuppressedReg fields;
    fields.count = kHaltSuppressedCount.get(word);
    return fields;
  }
  [[nodiscard]] constexpr std::uint32_t word() const { return kHaltSuppressedCount.put(count); }
};

// unexpected
struct UnexpectedReg {
  std::uint32_t count = 0x0;

  bool operator==(const UnexpectedReg&) const = default;
  [[nodiscard]] static constexpr UnexpectedReg from(std::uint32_t word) {
    UnexpectedReg fields;
    fields.count = kUnexpectedCount.get(word);
    return fields;
  }
  [[nodiscard]] constexpr std::uint32_t word() const { return kUnexpectedCount.put(count); }
};

// viral
struct ViralReg {
  bool port = false;
  bool on_fatal = false;
  bool device = false;

  bool operator==(const ViralReg&) const = default;
  [[nodiscard]] static constexpr ViralReg from(std::uint32_t word) {
    ViralReg fields;
    fields.port = kViralPort.is_set(word);
    fields.on_fatal = kViralOnFatal.is_set(word);
    fields.device = kViralDevice.is_set(word);
    return fields;
  }
  [[nodiscard]] constexpr std::uint32_t word() const {
    return kViralPort.put(port) | kViralOnFatal.put(on_fatal) | kViralDevice.put(device);
  }
  constexpr void write(std::uint32_t value) {
    port = port || kViralPort.is_set(value);
    on_fatal = kViralOnFatal.is_set(value);
    device = device && !kViralDevice.is_set(value);
  }
};

// ds_control
struct DsControlReg {
  bool enable = false;
  bool fence = false;
  std::uint32_t max_writes = 0x8;

  bool operator==(const DsControlReg&) const = default;
  [[nodiscard]] static constexpr DsControlReg from(std::uint32_t word) {
    DsControlReg fields;
    fields.enable = kDsControlEnable.is_set(word);
    fields.fence = kDsControlFence.is_set(word);
    fields.max_writes = kDsControlMaxWrites.get(word);
    return fields;
  }
  [[nodiscard]] constexpr std::uint32_t word() const {
    return kDsControlEnable.put(enable) | kDsControlFence.put(fence) |
           kDsControlMaxWrites.put(max_writes);
  }
  constexpr void write(std::uint32_t value) {
    enable = kDsControlEnable.is_set(value);
    fence = kDsControlFence.is_set(value);
    max_writes = kDsControlMaxWrites.get(value);
  }
};

// ds_status
struct DsStatusReg {
  bool on = false;
  bool empty = true;
  bool error = false;
  std::uint32_t count = 0x0;

  bool operator==(const DsStatusReg&) const = default;
  [[nodiscard]] static constexpr DsStatusReg from(std::uint32_t word) {
    DsStatusReg fields;
    fields.on = kDsStatusOn.is_set(word);
    fields.empty = kDsStatusEmpty.is_set(word);
    fields.error = kDsStatusError.is_set(word);
    fields.count = kDsStatusCount.get(word);
    return fields;
  }
  [[nodiscard]] constexpr std::uint32_t word() const {
    return kDsStatusOn.put(on) | kDsStatusEmpty.put(empty) | kDsStatusError.put(error) |
           kDsStatusCount.put(count);
  }
  constexpr void write(std::uint32_t value) { error = error && !kDsStatusError.is_set(value); }
};

// ds_interval
struct DsIntervalReg {
  std::uint32_t light = 0x0;
  std::uint32_t optimal = 0x0;
  std::uint32_t moderate = 0x8;
  std::uint32_t severe = 0xc;

  bool operator==(const DsIntervalReg&) const = default;
  [[nodiscard]] static constexpr DsIntervalReg from(std::uint32_t word) {
    DsIntervalReg fields;
    fields.light = kDsIntervalLight.get(word);
    fields.optimal = kDsIntervalOptimal.get(word);
    fields.moderate = kDsIntervalModerate.get(word);
    fields.severe = kDsIntervalSevere.get(word);
    return fields;
  }
  [[nodiscard]] constexpr std::uint32_t word() const {
    return kDsIntervalLight.put(light) | kDsIntervalOptimal.put(optimal) |
           kDsIntervalModerate.put(moderate) | kDsIntervalSevere.put(severe);
  }
  constexpr void write(std::uint32_t value) {
    light = kDsIntervalLight.get(value);
    optimal = kDsIntervalOptimal.get(value);
    moderate = kDsIntervalModerate.get(value);
    severe = kDsIntervalSevere.get(value);
  }
};

// ds_base_low
struct DsBaseLowReg {
  std::uint32_t addr = 0x0;

  bool operator==(const DsBaseLowReg&) const = default;
  [[nodiscard]] static constexpr DsBaseLowReg from(std::uint32_t word) {
    DsBaseLowReg fields;
    fields.addr = kDsBaseLowAddr.get(word);
    return fields;
  }
  [[nodiscard]] constexpr std::uint32_t word() const { return kDsBaseLowAddr.put(addr); }
  constexpr void write(std::uint32_t value, bool locked) {
    if (!locked) addr = kDsBaseLowAddr.get(value);
  }
};

// ds_base_high
struct DsBaseHighReg {
  std::uint32_t addr = 0x0;

  bool operator==(const DsBaseHighReg&) const = default;
  [[nodiscard]] static constexpr DsBaseHighReg from(std::uint32_t word) {
    DsBaseHighReg fields;
    fields.addr = kDsBaseHighAddr.get(word);
    return fields;
  }
  [[nodiscard]] constexpr std::uint32_t word() const { return kDsBaseHighAddr.put(addr); }
  constexpr void write(std::uint32_t value, bool locked) {
    if (!locked) addr = kDsBaseHighAddr.get(value);
  }
};

// ds_cap
struct DsCapReg {
  std::uint32_t slots = 0x0;
  std::uint32_t writes = 0x0;

  bool operator==(const DsCapReg&) const = default;
  [[nodiscard]] static constexpr DsCapReg from(std::uint32_t word) {
    DsCapReg fields;
    fields.slots = kDsCapSlots.get(word);
    fields.writes = kDsCapWrites.get(word);
    return fields;
  }
  [[nodiscard]] constexpr std::uint32_t word() const {
    return kDsCapSlots.put(slots) | kDsCapWrites.put(writes);
  }
};

// sr_cap
struct SrCapReg {
  std::uint32_t sr_queue = 0x0;
  std::uint32_t memory_queue = 0x0;
  std::uint32_t ring = 0x0;
  std::uint32_t spec_granules = 0x0;

  bool operator==(const SrCapReg&) const = default;
  [[nodiscard]] static constexpr SrCapReg from(std::uint32_t word) {
    SrCapReg fields;
    fields.sr_queue = kSrCapSrQueue.get(word);
    fields.memory_queue = kSrCapMemoryQueue.get(word);
    fields.ring = kSrCapRing.get(word);
    fields.spec_granules = kSrCapSpecGranules.get(word);
    return fields;
  }
  [[nodiscard]] constexpr std::uint32_t word() const {
    return kSrCapSrQueue.put(sr_queue) | kSrCapMemoryQueue.put(memory_queue) |
           kSrCapRing.put(ring) | kSrCapSpecGranules.put(spec_granules);
  }
};

// ds_direct
struct DsDirectReg {
  std::uint32_t count = 0x0;

  bool operator==(const DsDirectReg&) const = default;
  [[nodiscard]] static constexpr DsDirectReg from(std::uint32_t word) {
    DsDirectReg fields;
    fields.count = kDsDirectCount.get(word);
    return fields;
  }
  [[nodiscard]] constexpr std::uint32_t word() const { return kDsDirectCount.put(count); }
};

// ds_deferred
struct DsDeferredReg {
  std::uint32_t count = 0x0;

  bool operator==(const DsDeferredReg&) const = default;
  [[nodiscard]] static constexpr DsDeferredReg from(std::uint32_t word) {
    DsDeferredReg fields;
    fields.count = kDsDeferredCount.get(word);
    return fields;
  }
  [[nodiscard]] constexpr std::uint32_t word() const { return kDsDeferredCount.put(count); }
};

// ds_in_place
struct DsInPlaceReg {
  std::uint32_t count = 0x0;

  bool operator==(const DsInPlaceReg&) const = default;
  [[nodiscard]] static constexpr DsInPlaceReg from(std::uint32_t word) {
    DsInPlaceReg fields;
    fields.count = kDsInPlaceCount.get(word);
    return fields;
  }
  [[nodiscard]] constexpr std::uint32_t word() const { return kDsInPlaceCount.put(count); }
};

// ds_flushed
struct DsFlushedReg {
  std::uint32_t count = 0x0;

  bool operator==(const DsFlushedReg&) const = default;
  [[nodiscard]] static constexpr DsFlushedReg from(std::uint32_t word) {
    DsFlushedReg fields;
    fields.count = kDsFlushedCount.get(word);
    return fields;
  }
  [[nodiscard]] constexpr std::uint32_t word() const { return kDsFlushedCount.put(count); }
};

// ds_load_hit
struct DsLoadHitReg {
  std::uint32_t count = 0x0;

  bool operator==(const DsLoadHitReg&) const = default;
  [[nodiscard]] static constexpr DsLoadHitReg from(std::uint32_t word) {
    DsLoadHitReg fields;
    fields.count = kDsLoadHitCount.get(word);
    return fields;
  }
  [[nodiscard]] constexpr std::uint32_t word() const { return kDsLoadHitCount.put(count); }
};

// ds_load_merged
struct DsLoadMergedReg {
  std::uint32_t count = 0x0;

  bool operator==(const DsLoadMergedReg&) const = default;
  [[nodiscard]] static constexpr DsLoadMergedReg from(std::uint32_t word) {
    DsLoadMergedReg fields;
    fields.count = kDsLoadMergedCount.get(word);
    return fields;
  }
  [[nodiscard]] constexpr std::uint32_t word() const { return kDsLoadMergedCount.put(count); }
};

// ds_filter_false
struct DsFilterFalseReg {
  std::uint32_t count = 0x0;

  bool operator==(const DsFilterFalseReg&) const = default;
  [[nodiscard]] static constexpr DsFilterFalseReg from(std::uint32_t word) {
    DsFilterFalseReg fields;
    fields.count = kDsFilterFalseCount.get(word);
    return fields;
  }
  [[nodiscard]] constexpr std::uint32_t word() const { return kDsFilterFalseCount.put(count); }
};

// ds_no_slot
struct DsNoSlotReg {
  std::uint32_t count = 0x0;

  bool operator==(const DsNoSlotReg&) const = default;
  [[nodiscard]] static constexpr DsNoSlotReg from(std::uint32_t word) {
    DsNoSlotReg fields;
    fields.count = kDsNoSlotCount.get(word);
    return fields;
  }
  [[nodiscard]] constexpr std::uint32_t word() const { return kDsNoSlotCount.put(count); }
};

// ds_write_errors
struct DsWriteErrorsReg {
  std::uint32_t count = 0x0;

  bool operator==(const DsWriteErrorsReg&) const = default;
  [[nodiscard]] static constexpr DsWriteErrorsReg from(std::uint32_t word) {
    DsWriteErrorsReg fields;
    fields.count = kDsWriteErrorsCount.get(word);
    return fields;
  }
  [[nodiscard]] constexpr std::uint32_t word() const { return kDsWriteErrorsCount.put(count); }
};

// ds_refused
struct DsRefusedReg {
  std::uint32_t count = 0x0;

  bool operator==(const DsRefusedReg&) const = default;
  [[nodiscard]] static constexpr DsRefusedReg from(std::uint32_t word) {
    DsRefusedReg fields;
    fields.count = kDsRefusedCount.get(word);
    return fields;
  }
  [[nodiscard]] constexpr std::uint32_t word() const { return kDsRefusedCount.put(count); }
};

// spec_requested
struct SpecRequestedReg {
  std::uint32_t count = 0x0;

  bool operator==(const SpecRequestedReg&) const = default;
  [[nodiscard]] static constexpr SpecRequestedReg from(std::uint32_t word) {
    SpecRequestedReg fields;
    fields.count = kSpecRequestedCount.get(word);
    return fields;
  }
  [[nodiscard]] constexpr std::uint32_t word() const { return kSpecRequestedCount.put(count); }
};

// spec_lines_used
struct SpecLinesUsedReg {
  std::uint32_t count = 0x0;

  bool operator==(const SpecLinesUsedReg&) const = default;
  [[nodiscard]] static constexpr SpecLinesUsedReg from(std::uint32_t word) {
    SpecLinesUsedReg fields;
    fields.count = kSpecLinesUsedCount.get(word);
    return fields;
  }
  [[nodiscard]] constexpr std::uint32_t word() const { return kSpecLinesUsedCount.put(count); }
};

// spec_useful_granules
struct SpecUsefulGranulesReg {
  std::uint32_t count = 0x0;

  bool operator==(const SpecUsefulGranulesReg&) const = default;
  [[nodiscard]] static constexpr SpecUsefulGranulesReg from(std::uint32_t word) {
    SpecUsefulGranulesReg fields;
    fields.count = kSpecUsefulGranulesCount.get(word);
    return fields;
  }
  [[nodiscard]] constexpr std::uint32_t word() const { return kSpecUsefulGranulesCount.put(count); }
};

// spec_useless_granules
struct SpecUselessGranulesReg {
  std::uint32_t count = 0x0;

  bool operator==(const SpecUselessGranulesReg&) const = default;
  [[nodiscard]] static constexpr SpecUselessGranulesReg from(std::uint32_t word) {
    SpecUselessGranulesReg fields;
    fields.count = kSpecUselessGranulesCount.get(word);
    return fields;
  }
  [[nodiscard]] constexpr std::uint32_t word() const {
    return kSpecUselessGranulesCount.put(count);
  }
};

// spec_issued_late
struct SpecIssuedLateReg {
  std::uint32_t count = 0x0;

  bool operator==(const SpecIssuedLateReg&) const = default;
  [[nodiscard]] static constexpr SpecIssuedLateReg from(std::uint32_t word) {
    SpecIssuedLateReg fields;
    fields.count = kSpecIssuedLateCount.get(word);
    return fields;
  }
  [[nodiscard]] constexpr std::uint32_t word() const { return kSpecIssuedLateCount.put(count); }
};

// score_suppressed
struct ScoreSuppressedReg {
  std::uint32_t count = 0x0;

  bool operator==(const ScoreSuppressedReg&) const = default;
  [[nodiscard]] static constexpr ScoreSuppressedReg from(std::uint32_t word) {
    ScoreSuppressedReg fields;
    fields.count = kScoreSuppressedCount.get(word);
    return fields;
  }
  [[nodiscard]] constexpr std::uint32_t word() const { return kScoreSuppressedCount.put(count); }
};

// hint_control
struct HintControlReg {
  std::uint32_t light = 0x4;
  std::uint32_t optimal = 0x5;
  std::uint32_t moderate = 0x8;
  std::uint32_t severe = 0xf;
  bool enable = false;

  bool operator==(const HintControlReg&) const = default;
  [[nodiscard]] static constexpr HintControlReg from(std::uint32_t word) {
    HintControlReg fields;
    fields.light = kHintControlLight.get(word);
    fields.optimal = kHintControlOptimal.get(word);
    fields.moderate = kHintControlModerate.get(word);
    fields.severe = kHintControlSevere.get(word);
    fields.enable = kHintControlEnable.is_set(word);
    return fields;
  }
  [[nodiscard]] constexpr std::uint32_t word() const {
    return kHintControlLight.put(light) | kHintControlOptimal.put(optimal) |
           kHintControlModerate.put(moderate) | kHintControlSevere.put(severe) |
           kHintControlEnable.put(enable);
  }
  constexpr void write(std::uint32_t value) {
    light = kHintControlLight.get(value);
    optimal = kHintControlOptimal.get(value);
    moderate = kHintControlModerate.get(value);
    severe = kHintControlSevere.get(value);
    enable = kHintControlEnable.is_set(value);
  }
};

// hint_granules
struct HintGranulesReg {
  std::uint32_t count = 0x0;

  bool operator==(const HintGranulesReg&) const = default;
  [[nodiscard]] static constexpr HintGranulesReg from(std::uint32_t word) {
    HintGranulesReg fields;
    fields.count = kHintGranulesCount.get(word);
    return fields;
  }
  [[nodiscard]] constexpr std::uint32_t word() const { return kHintGranulesCount.put(count); }
};

// hint_issued
struct HintIssuedReg {
  std::uint32_t count = 0x0;

  bool operator==(const HintIssuedReg&) const = default;
  [[nodiscard]] static constexpr HintIssuedReg from(std::uint32_t word) {
    HintIssuedReg fields;
    fields.count = kHintIssuedCount.get(word);
    return fields;
  }
  [[nodiscard]] constexpr std::uint32_t word() const { return kHintIssuedCount.put(count); }
};

// hint_dropped
struct HintDroppedReg {
  std::uint32_t count = 0x0;

  bool operator==(const HintDroppedReg&) const = default;
  [[nodiscard]] static constexpr HintDroppedReg from(std::uint32_t word) {
    HintDroppedReg fields;
    fields.count = kHintDroppedCount.get(word);
    return fields;
  }
  [[nodiscard]] constexpr std::uint32_t word() const { return kHintDroppedCount.put(count); }
};

struct Regs {
  PolicyReg policy;
  StateReg state;
  LoadsReg loads;
  StoresReg stores;
  SpecsReg specs;
  LightReg light;
  OptimalReg optimal;
  ModerateReg moderate;
  SevereReg severe;
  LoadsSeenReg loads_seen;
  IssuedReg issued;
  RingSuppressedReg ring_suppressed;
  HaltSuppressedReg halt_suppressed;
  UnexpectedReg unexpected;
  ViralReg viral;
  DsControlReg ds_control;
  DsStatusReg ds_status;
  DsIntervalReg ds_interval;
  DsBaseLowReg ds_base_low;
  DsBaseHighReg ds_base_high;
  DsCapReg ds_cap;
  SrCapReg sr_cap;
  DsDirectReg ds_direct;
  DsDeferredReg ds_deferred;
  DsInPlaceReg ds_in_place;
  DsFlushedReg ds_flushed;
  DsLoadHitReg ds_load_hit;
  DsLoadMergedReg ds_load_merged;
  DsFilterFalseReg ds_filter_false;
  DsNoSlotReg ds_no_slot;
  DsWriteErrorsReg ds_write_errors;
  DsRefusedReg ds_refused;
  SpecRequestedReg spec_requested;
  SpecLinesUsedReg spec_lines_used;
  SpecUsefulGranulesReg spec_useful_granules;
  SpecUselessGranulesReg spec_useless_granules;
  SpecIssuedLateReg spec_issued_late;
  ScoreSuppressedReg score_suppressed;
  HintControlReg hint_control;
  HintGranulesReg hint_granules;
  HintIssuedReg hint_issued;
  HintDroppedReg hint_dropped;

  bool operator==(const Regs&) const = default;
  [[nodiscard]] constexpr std::uint32_t word_at(std::uint32_t offset) const {
    switch (offset & ~3u) {
      case 0x800:
        return policy.word();
      case 0x804:
        return state.word();
      case 0x810:
        return loads.word();
      case 0x814:
        return stores.word();
      case 0x818:
        return specs.word();
      case 0x81c:
        return light.word();
      case 0x820:
        return optimal.word();
      case 0x824:
        return moderate.word();
      case 0x828:
        return severe.word();
      case 0x82c:
        return loads_seen.word();
      case 0x830:
        return issued.word();
      case 0x834:
        return ring_suppressed.word();
      case 0x838:
        return halt_suppressed.word();
      case 0x83c:
        return unexpected.word();
      case 0x840:
        return viral.word();
      case 0x850:
        return ds_control.word();
      case 0x854:
        return ds_status.word();
      case 0x858:
        return ds_interval.word();
      case 0x85c:
        return ds_base_low.word();
      case 0x860:
        return ds_base_high.word();
      case 0x864:
        return ds_cap.word();
      case 0x868:
        return sr_cap.word();
      case 0x870:
        return ds_direct.word();
      case 0x874:
        return ds_deferred.word();
      case 0x878:
        return ds_in_place.word();
      case 0x87c:
        return ds_flushed.word();
      case 0x880:
        return ds_load_hit.word();
      case 0x884:
        return ds_load_merged.word();
      case 0x888:
        return ds_filter_false.word();
      case 0x88c:
        return ds_no_slot.word();
      case 0x890:
        return ds_write_errors.word();
      case 0x894:
        return ds_refused.word();
      case 0x8a0:
        return spec_requested.word();
      case 0x8a4:
        return spec_lines_used.word();
      case 0x8a8:
        return spec_useful_granules.word();
      case 0x8ac:
        return spec_useless_granules.word();
      case 0x8b0:
        return spec_issued_late.word();
      case 0x8b4:
        return score_suppressed.word();
      case 0x8c0:
        return hint_control.word();
      case 0x8c4:
        return hint_granules.word();
      case 0x8c8:
        return hint_issued.word();
      case 0x8cc:
        return hint_dropped.word();
      default:
        break;
    }
    return 0;
  }
  constexpr void write_at(std::uint32_t offset, std::uint32_t value, bool locked) {
    switch (offset & ~3u) {
      case 0x800:
        policy.write(value);
        break;
      case 0x840:
        viral.write(value);
        break;
      case 0x850:
        ds_control.write(value);
        break;
      case 0x854:
        ds_status.write(value);
        break;
      case 0x858:
        ds_interval.write(value);
        break;
      case 0x85c:
        ds_base_low.write(value, locked);
        break;
      case 0x860:
        ds_base_high.write(value, locked);
        break;
      case 0x8c0:
        hint_control.write(value);
        break;
      default:
        break;
    }
  }
};

}  // namespace rp

// Device Serial Number extended capability
namespace serial_number {

// cap_header
struct CapHeaderReg {
  std::uint32_t id = 0x3;
  std::uint32_t version = 0x1;
  std::uint32_t next = 0x0;

  bool operator==(const CapHeaderReg&) const = default;
  [[nodiscard]] static constexpr CapHeaderReg from(std::uint32_t word) {
    CapHeaderReg fields;
    fields.id = kCapHeaderId.get(word);
    fields.version = kCapHeaderVersion.get(word);
    fields.next = kCapHeaderNext.get(word);
    return fields;
  }
  [[nodiscard]] constexpr std::uint32_t word() const {
    return kCapHeaderId.put(id) | kCapHeaderVersion.put(version) | kCapHeaderNext.put(next);
  }
};

// low
struct LowReg {
  std::uint32_t number = 0x0;

  bool operator==(const LowReg&) const = default;
  [[nodiscard]] static constexpr LowReg from(std::uint32_t word) {
    LowReg fields;
    fields.number = kLowNumber.get(word);
    return fields;
  }
  [[nodiscard]] constexpr std::uint32_t word() const { return kLowNumber.put(number); }
};

// high
struct HighReg {
  std::uint32_t number = 0x0;

  bool operator==(const HighReg&) const = default;
  [[nodiscard]] static constexpr HighReg from(std::uint32_t word) {
    HighReg fields;
    fields.number = kHighNumber.get(word);
    return fields;
  }
  [[nodiscard]] constexpr std::uint32_t word() const { return kHighNumber.put(number); }
};

struct Regs {
  CapHeaderReg cap_header;
  LowReg low;
  HighReg high;

  bool operator==(const Regs&) const = default;
  [[nodiscard]] constexpr std::uint32_t word_at(std::uint32_t offset) const {
    switch (offset & ~3u) {
      case 0x000:
        return cap_header.word();
      case 0x004:
        return low.word();
      case 0x008:
        return high.word();
      default:
        break;
    }
    return 0;
  }
};

}  // namespace serial_number

// Timeout and isolation capability (component capability ID 9)
namespace timeout {

// capability
struct CapabilityReg {
  std::uint32_t mem_ranges = 0xf;
  bool mem_timeout = true;
  std::uint32_t cache_ranges = 0x0;
  bool cache_timeout = false;
  bool mem_isolation = true;
  bool mem_link_down = true;
  bool cache_isolation = false;
  bool cache_link_down = false;
  bool err_cor = false;
  bool interrupt = false;
  std::uint32_t vector = 0x0;

  bool operator==(const CapabilityReg&) const = default;
  [[nodiscard]] static constexpr CapabilityReg from(std::uint32_t word) {
    CapabilityReg fields;
    fields.mem_ranges = kCapabilityMemRanges.get(word);
    fields.mem_timeout = kCapabilityMemTimeout.is_set(word);
    fields.cache_ranges = kCapabilityCacheRanges.get(word);
    fields.cache_timeout = kCapabilityCacheTimeout.is_set(word);
    fields.mem_isolation = kCapabilityMemIsolation.is_set(word);
    fields.mem_link_down = kCapabilityMemLinkDown.is_set(word);
    fields.cache_isolation = kCapabilityCacheIsolation.is_set(word);
    fields.cache_link_down = kCapabilityCacheLinkDown.is_set(word);
    fields.err_cor = kCapabilityErrCor.is_set(word);
    fields.interrupt = kCapabilityInterrupt.is_set(word);
    fields.vector = kCapabilityVector.get(word);
    return fields;
  }
  [[nodiscard]] constexpr std::uint32_t word() const {
    return kCapabilityMemRanges.put(mem_ranges) | kCapabilityMemTimeout.put(mem_timeout) |
           kCapabilityCacheRanges.put(cache_ranges) | kCapabilityCacheTimeout.put(cache_timeout) |
           kCapabilityMemIsolation.put(mem_isolation) | kCapabilityMemLinkDown.put(mem_link_down) |
           kCapabilityCacheIsolation.put(cache_isolation) |
           kCapabilityCacheLinkDown.put(cache_link_down) | kCapabilityErrCor.put(err_cor) |
           kCapabilityInterrupt.put(interrupt) | kCapabilityVector.put(vector);
  }
};

// control
struct ControlReg {
  std::uint32_t mem_value = 0x0;
  bool mem_enable = false;
  std::uint32_t cache_value = 0x0;
  bool cache_enable = false;
  bool mem_isolation = false;
  bool mem_link_down = false;
  bool cache_isolation = false;
  bool cache_link_down = false;
  bool err_cor = false;
  bool interrupt = false;

  bool operator==(const ControlReg&) const = default;
  [[nodiscard]] static constexpr ControlReg from(std::uint32_t word) {
    ControlReg fields;
    fields.mem_value = kControlMemValue.get(word);
    fields.mem_enable = kControlMemEnable.is_set(word);
    fields.cache_value = kControlCacheValue.get(word);
    fields.cache_enable = kControlCacheEnable.is_set(word);
    fields.mem_isolation = kControlMemIsolation.is_set(word);
    fields.mem_link_down = kControlMemLinkDown.is_set(word);
    fields.cache_isolation = kControlCacheIsolation.is_set(word);
    fields.cache_link_down = kControlCacheLinkDown.is_set(word);
    fields.err_cor = kControlErrCor.is_set(word);
    fields.interrupt = kControlInterrupt.is_set(word);
    return fields;
  }
  [[nodiscard]] constexpr std::uint32_t word() const {
    return kControlMemValue.put(mem_value) | kControlMemEnable.put(mem_enable) |
           kControlCacheValue.put(cache_value) | kControlCacheEnable.put(cache_enable) |
           kControlMemIsolation.put(mem_isolation) | kControlMemLinkDown.put(mem_link_down) |
           kControlCacheIsolation.put(cache_isolation) |
           kControlCacheLinkDown.put(cache_link_down) | kControlErrCor.put(err_cor) |
           kControlInterrupt.put(interrupt);
  }
  constexpr void write(std::uint32_t value) {
    mem_value = kControlMemValue.get(value);
    mem_enable = kControlMemEnable.is_set(value);
    mem_isolation = kControlMemIsolation.is_set(value);
    mem_link_down = kControlMemLinkDown.is_set(value);
  }
};

// status
struct StatusReg {
  bool mem_timeout = false;
  bool cache_timeout = false;
  bool mem_isolation = false;
  bool mem_link_down = false;
  bool cache_isolation = false;
  bool cache_link_down = false;
  bool busy = false;

  bool operator==(const StatusReg&) const = default;
  [[nodiscard]] static constexpr StatusReg from(std::uint32_t word) {
    StatusReg fields;
    fields.mem_timeout = kStatusMemTimeout.is_set(word);
    fields.cache_timeout = kStatusCacheTimeout.is_set(word);
    fields.mem_isolation = kStatusMemIsolation.is_set(word);
    fields.mem_link_down = kStatusMemLinkDown.is_set(word);
    fields.cache_isolation = kStatusCacheIsolation.is_set(word);
    fields.cache_link_down = kStatusCacheLinkDown.is_set(word);
    fields.busy = kStatusBusy.is_set(word);
    return fields;
  }
  [[nodiscard]] constexpr std::uint32_t word() const {
    return kStatusMemTimeout.put(mem_timeout) | kStatusCacheTimeout.put(cache_timeout) |
           kStatusMemIsolation.put(mem_isolation) | kStatusMemLinkDown.put(mem_link_down) |
           kStatusCacheIsolation.put(cache_isolation) | kStatusCacheLinkDown.put(cache_link_down) |
           kStatusBusy.put(busy);
  }
  constexpr void write(std::uint32_t value) {
    mem_timeout = mem_timeout && !kStatusMemTimeout.is_set(value);
    mem_isolation = mem_isolation && !kStatusMemIsolation.is_set(value);
    mem_link_down = mem_link_down && !kStatusMemLinkDown.is_set(value);
  }
};

struct Regs {
  CapabilityReg capability;
  ControlReg control;
  StatusReg status;

  bool operator==(const Regs&) const = default;
  [[nodiscard]] constexpr std::uint32_t word_at(std::uint32_t offset) const {
    switch (offset & ~3u) {
      case 0x000:
        return capability.word();
      case 0x008:
        return control.word();
      case 0x00c:
        return status.word();
      default:
        break;
    }
    return 0;
  }
  constexpr void write_at(std::uint32_t offset, std::uint32_t value) {
    switch (offset & ~3u) {
      case 0x008:
        control.write(value);
        break;
      case 0x00c:
        status.write(value);
        break;
      default:
        break;
    }
  }
};

}  // namespace timeout

}  // namespace cxlgpu::regs
