// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
// The messages of CXL.mem (CXL 2.0, 3.3) as their fields; where the bits lie is the matter of
// flit_codec.
#pragma once

#include <array>
#include <cstdint>

namespace peer {

// Which way the messages of a transmitter go: M2S from the host, S2M from the device.
enum class Direction : uint8_t { M2S, S2M };

using Chunk = std::array<uint8_t, 16>;
using Line = std::array<uint8_t, 64>;

// M2S Req, Table 30.
enum ReqOpcode : uint8_t {
  kMemInv = 0,
  kMemRd = 1,
  kMemRdData = 2,
  kMemRdFwd = 3,
  kMemWrFwd = 4,
  kMemSpecRd = 8,
  kMemInvNt = 9,
};
// M2S RwD, Table 36.
enum RwdOpcode : uint8_t { kMemWr = 1, kMemWrPtl = 2 };
// S2M NDR, Table 39; Cmp-M is of CXL 3.1.
enum NdrOpcode : uint8_t { kCmp = 0, kCmpS = 1, kCmpE = 2, kCmpM = 3 };
// S2M DRS, Table 42; MemData-NXM is of CXL 3.0.
enum DrsOpcode : uint8_t { kMemData = 0, kMemDataNxm = 1 };
// MetaField, Table 31.
enum MetaField : uint8_t { kMeta0State = 0, kMetaNoOp = 3 };

struct MemReq {
  uint8_t opcode = kMemRd;
  uint8_t snp_type = 0;
  uint8_t meta_field = kMetaNoOp;
  uint8_t meta_value = 0;
  uint16_t tag = 0;
  uint64_t address = 0;  // in bytes; bits 51:5 travel
  uint8_t tc = 0;
  uint8_t ld_id = 0;
  uint8_t reserved = 0;
};

struct MemRwd {
  uint8_t opcode = kMemWr;
  uint8_t snp_type = 0;
  uint8_t meta_field = kMeta0State;
  uint8_t meta_value = 0;
  uint16_t tag = 0;
  uint64_t address = 0;  // in bytes; bits 51:6 travel
  bool poison = false;
  uint8_t tc = 0;
  uint8_t ld_id = 0;
  uint8_t reserved = 0;
  uint64_t byte_enable = ~uint64_t{0};  // all ones: no byte-enable slot travels (4.2.2)
  Line data{};
};

struct MemNdr {
  uint8_t opcode = kCmp;
  uint8_t meta_field = kMetaNoOp;
  uint8_t meta_value = 0;
  uint16_t tag = 0;
  uint8_t ld_id = 0;
  uint8_t dev_load = 0;
};

struct MemDrs {
  uint8_t opcode = kMemData;
  uint8_t meta_field = kMetaNoOp;
  uint8_t meta_value = 0;
  uint16_t tag = 0;
  bool poison = false;
  uint8_t ld_id = 0;
  uint8_t dev_load = 0;
  uint16_t reserved = 0;
  uint8_t bytes = 64;  // 64, or 32: a half line, the lower half first (3.3.7)
  Line data{};         // the first `bytes` of it
};

}  // namespace peer
