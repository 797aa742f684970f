// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
// NVM Express as controller, host and GPU speak it: registers, queue entries, opcodes, status.
//
// Purpose: the one place that has the numbers. Little-endian; offsets in bytes, bits as (lowest).
// Source:  each number was read in at least one of these, none in a copy of the standard:
//          L  Linux, include/linux/nvme.h and drivers/nvme/host/{core,pci}.c
//          S  SPDK, include/spdk/nvme_spec.h, and its key-value forks (nvme_kv.h, kvdev)
//          X  xNVMe, libxnvme_spec.h and its ctypes (xnvme_spec_kv_*), lib/xnvme_kvs.c
//          K  safl/vfio-user-kvssd, include/kvssd_nvme_spec.h (from SamsungDS/qemu, for-xnvme)
//          Q  QEMU, hw/nvme/ctrl.c and include/block/nvme.h
//          registers, CC, CSTS, AQA, admin opcodes, queue commands: L, S. CAP beyond MQES, TO and
//          DSTRD: L, Q. Status 0/xx: L, Q; 1/xx: L, S. Key-value opcodes, options, status 85h..89h:
//          X, S, K alike. Key bytes 8..15 in DW14, DW15; length in DW11 7:0; options in 15:8: X, K.
//          Feature 20h with EDNEK: S. Key-value Identify Namespace (NKVF 25, formats from 72): K.
//          List: count of 32 bits, then {16-bit length, key, zeros to a multiple of 4}: S, K.
#pragma once

#include <array>
#include <compare>
#include <cstdint>
#include <cstring>
#include <span>

namespace cxlgpu::nvme {

inline constexpr std::uint64_t kPage = 4096;  // CC.MPS 0, the only one here
inline constexpr unsigned kSqeBytes = 64, kCqeBytes = 16;
inline constexpr unsigned kQueues = 16;  // with the admin queue

// Registers of BAR0.
namespace reg {
inline constexpr std::uint32_t kCap = 0x00, kVs = 0x08, kIntms = 0x0c, kIntmc = 0x10, kCc = 0x14,
                               kCsts = 0x1c, kNssr = 0x20, kAqa = 0x24, kAsq = 0x28, kAcq = 0x30,
                               kCrto = 0x68, kDoorbells = 0x1000;
// With CAP.DSTRD 0, as here.
constexpr std::uint32_t sq_tail(unsigned queue) {
  return kDoorbells + 8 * queue;
}
constexpr std::uint32_t cq_head(unsigned queue) {
  return kDoorbells + 8 * queue + 4;
}
inline constexpr std::uint32_t kBarBytes = 0x2000;

inline constexpr std::uint32_t kVersion2 = 0x0002'0000;
inline constexpr std::uint32_t kCcEnable = 1, kCcCssAll = 6u << 4, kCcSqes = 6u << 16,
                               kCcCqes = 4u << 20, kCcShutdown = 3u << 14;
inline constexpr std::uint32_t kReady = 1, kFatal = 2, kShutdown = 3u << 2,
                               kShutdownOccurring = 1u << 2, kShutdownDone = 2u << 2;
}  // namespace reg

enum class Admin : std::uint8_t {
  DeleteSq = 0x00,
  CreateSq = 0x01,
  GetLogPage = 0x02,
  DeleteCq = 0x04,
  CreateCq = 0x05,
  Identify = 0x06,
  Abort = 0x08,
  SetFeatures = 0x09,
  GetFeatures = 0x0a,
  AsyncEvent = 0x0c
};
enum class Kv : std::uint8_t {
  Store = 0x01,
  Retrieve = 0x02,
  List = 0x06,
  Delete = 0x10,
  Exist = 0x14
};
enum class Nvm : std::uint8_t { Flush = 0x00, Write = 0x01, Read = 0x02 };

// Options of a Store, DW11 15:8.
inline constexpr std::uint32_t kOnlyIfThere = 1u << 8, kOnlyIfNew = 1u << 9;

inline constexpr std::uint8_t kCsiNvm = 0, kCsiKv = 1;

// Type in bits 10:8, code in 7:0, as they stand in DW3 from bit 17 on.
enum class Status : std::uint16_t {
  Success = 0x000,
  InvalidOpcode = 0x001,
  InvalidField = 0x002,
  IdConflict = 0x003,
  TransferError = 0x004,
  InternalError = 0x006,
  InvalidNamespace = 0x00b,
  SequenceError = 0x00c,
  InvalidPrpOffset = 0x013,
  InvalidCommandSet = 0x02c,
  LbaRange = 0x080,
  CapacityExceeded = 0x081,
  InvalidValueSize = 0x085,
  InvalidKeySize = 0x086,
  KeyNotThere = 0x087,
  Unrecovered = 0x088,
  KeyExists = 0x089,
  CqInvalid = 0x100,
  QueueIdInvalid = 0x101,
  QueueSizeInvalid = 0x102,
  EventLimit = 0x105,
  InvalidVector = 0x108,
  InvalidLogPage = 0x109,
  QueueDeletion = 0x10c
};

struct Sqe {
  std::array<std::uint32_t, 16> dw{};

  [[nodiscard]] std::uint8_t opcode() const { return static_cast<std::uint8_t>(dw[0]); }
  [[nodiscard]] unsigned fuse() const { return dw[0] >> 8 & 3; }
  [[nodiscard]] unsigned psdt() const { return dw[0] >> 14 & 3; }
  [[nodiscard]] std::uint16_t cid() const { return static_cast<std::uint16_t>(dw[0] >> 16); }
  [[nodiscard]] std::uint32_t nsid() const { return dw[1]; }
  [[nodiscard]] std::uint64_t prp1() const { return dw[6] | std::uint64_t{dw[7]} << 32; }
  [[nodiscard]] std::uint64_t prp2() const { return dw[8] | std::uint64_t{dw[9]} << 32; }

  void set(std::uint8_t opcode, std::uint16_t cid, std::uint32_t nsid) {
    dw[0] = opcode | std::uint32_t{cid} << 16;
    dw[1] = nsid;
  }
  void set_prps(std::uint64_t prp1, std::uint64_t prp2) {
    dw[6] = static_cast<std::uint32_t>(prp1);
    dw[7] = static_cast<std::uint32_t>(prp1 >> 32);
    dw[8] = static_cast<std::uint32_t>(prp2);
    dw[9] = static_cast<std::uint32_t>(prp2 >> 32);
  }
  static Sqe from(std::span<const std::uint8_t> bytes) {
    Sqe sqe;
    std::memcpy(sqe.dw.data(), bytes.data(), kSqeBytes);
    return sqe;
  }
};

struct Cqe {
  std::array<std::uint32_t, 4> dw{};

  [[nodiscard]] std::uint16_t sq_head() const { return static_cast<std::uint16_t>(dw[2]); }
  [[nodiscard]] std::uint16_t sq() const { return static_cast<std::uint16_t>(dw[2] >> 16); }
  [[nodiscard]] std::uint16_t cid() const { return static_cast<std::uint16_t>(dw[3]); }
  [[nodiscard]] bool phase() const { return (dw[3] >> 16 & 1) != 0; }
  [[nodiscard]] Status status() const { return static_cast<Status>(dw[3] >> 17 & 0x7ff); }
};

// A key of 1 to 16 bytes; the others are zero.
struct Key {
  std::array<std::uint8_t, 16> bytes{};
  std::uint8_t length = 0;
  static constexpr unsigned kMost = 16;

  static Key of(std::span<const std::uint8_t> text) {
    Key key;
    key.length = static_cast<std::uint8_t>(text.size());
    std::memcpy(key.bytes.data(), text.data(), text.size());
    return key;
  }
  // Precondition: the length is checked.
  static Key of(const Sqe& sqe) {
    Key key;
    key.length = static_cast<std::uint8_t>(sqe.dw[11]);
    std::array<std::uint8_t, 16> all;
    std::memcpy(all.data(), &sqe.dw[2], 8);
    std::memcpy(all.data() + 8, &sqe.dw[14], 8);
    std::memcpy(key.bytes.data(), all.data(), key.length);
    return key;
  }
  void put_into(Sqe& sqe) const {
    std::memcpy(&sqe.dw[2], bytes.data(), 8);
    std::memcpy(&sqe.dw[14], bytes.data() + 8, 8);
    sqe.dw[11] = (sqe.dw[11] & ~0xffu) | length;
  }
  auto operator<=>(const Key&) const = default;
};

}  // namespace cxlgpu::nvme
