// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
// Encodings of the message fields, CXL 2.0 in 68-byte mode: every code once, with its name.
//
// A code that is absent from its name table is reserved. `name()` is the only way from a code to
// text and `from_name()` the only way back, so text, JSON and the reserved-code check agree.
// Source: CXL 2.0 CXL.mem and CXL.cache opcode tables.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string_view>

namespace cxlgpu::flits {

enum class M2sReqOpcode : std::uint8_t {
  MemInv = 0b0000,
  MemRd = 0b0001,
  MemRdData = 0b0010,
  MemRdFwd = 0b0011,
  MemWrFwd = 0b0100,
  MemSpecRd = 0b1000,
  MemInvNT = 0b1001,
};
enum class M2sRwdOpcode : std::uint8_t { MemWr = 0b0001, MemWrPtl = 0b0010 };
enum class S2mNdrOpcode : std::uint8_t { Cmp = 0b000, CmpS = 0b001, CmpE = 0b010 };
enum class S2mDrsOpcode : std::uint8_t { MemData = 0b000 };

enum class D2hReqOpcode : std::uint8_t {
  RdCurr = 0b00001,
  RdOwn = 0b00010,
  RdShared = 0b00011,
  RdAny = 0b00100,
  RdOwnNoData = 0b00101,
  ItoMWr = 0b00110,
  MemWr = 0b00111,
  CLFlush = 0b01000,
  CleanEvict = 0b01001,
  DirtyEvict = 0b01010,
  CleanEvictNoData = 0b01011,
  WOWrInv = 0b01100,
  WOWrInvF = 0b01101,
  WrInv = 0b01110,
  CacheFlushed = 0b10000,
};
enum class D2hRspOpcode : std::uint8_t {
  RspSHitSE = 0b00001,
  RspIHitI = 0b00100,
  RspIHitSE = 0b00101,
  RspVHitV = 0b00110,
  RspSFwdM = 0b00111,
  RspIFwdM = 0b01111,
  RspVFwdV = 0b10110,
};
enum class H2dReqOpcode : std::uint8_t { SnpData = 0b001, SnpInv = 0b010, SnpCur = 0b011 };
enum class H2dRspOpcode : std::uint8_t {
  WritePull = 0b0001,
  Go = 0b0100,
  GoWritePull = 0b0101,
  ExtCmp = 0b0110,
  GoWritePullDrop = 0b1000,
  FastGo = 0b1100,
  FastGoWritePull = 0b1101,
  GoErrWritePull = 0b1111,
};

enum class SnpType : std::uint8_t { NoOp = 0b000, SnpData = 0b001, SnpCur = 0b010, SnpInv = 0b011 };
enum class MetaField : std::uint8_t { Meta0State = 0b00, NoOp = 0b11 };
/// Meaningful only with MetaField::Meta0State.
enum class MetaValue : std::uint8_t { Invalid = 0b00, Any = 0b10, Shared = 0b11 };
enum class DevLoad : std::uint8_t { Light = 0, Optimal = 1, Moderate = 2, Severe = 3 };

template <class E>
struct Named {
  E value;
  std::string_view name;
};
template <class E>
struct NamesOf;  // `table`: the codes in use

template <>
struct NamesOf<M2sReqOpcode> {
  using E = M2sReqOpcode;
  static constexpr std::array table{
      Named{E::MemInv, "MemInv"},       Named{E::MemRd, "MemRd"},
      Named{E::MemRdData, "MemRdData"}, Named{E::MemRdFwd, "MemRdFwd"},
      Named{E::MemWrFwd, "MemWrFwd"},   Named{E::MemSpecRd, "MemSpecRd"},
      Named{E::MemInvNT, "MemInvNT"}};
};
template <>
struct NamesOf<M2sRwdOpcode> {
  using E = M2sRwdOpcode;
  static constexpr std::array table{Named{E::MemWr, "MemWr"}, Named{E::MemWrPtl, "MemWrPtl"}};
};
template <>
struct NamesOf<S2mNdrOpcode> {
  using E = S2mNdrOpcode;
  static constexpr std::array table{Named{E::Cmp, "Cmp"}, Named{E::CmpS, "Cmp-S"},
                                    Named{E::CmpE, "Cmp-E"}};
};
template <>
struct NamesOf<S2mDrsOpcode> {
  static constexpr std::array table{Named{S2mDrsOpcode::MemData, "MemData"}};
};
template <>
struct NamesOf<D2hReqOpcode> {
  using E = D2hReqOpcode;
  static constexpr std::array table{Named{E::RdCurr, "RdCurr"},
                                    Named{E::RdOwn, "RdOwn"},
                                    Named{E::RdShared, "RdShared"},
                                    Named{E::RdAny, "RdAny"},
                                    Named{E::RdOwnNoData, "RdOwnNoData"},
                                    Named{E::ItoMWr, "ItoMWr"},
                                    Named{E::MemWr, "MemWr"},
                                    Named{E::CLFlush, "CLFlush"},
                                    Named{E::CleanEvict, "CleanEvict"},
                                    Named{E::DirtyEvict, "DirtyEvict"},
                                    Named{E::CleanEvictNoData, "CleanEvictNoData"},
                                    Named{E::WOWrInv, "WOWrInv"},
                                    Named{E::WOWrInvF, "WOWrInvF"},
                                    Named{E::WrInv, "WrInv"},
                                    Named{E::CacheFlushed, "CacheFlushed"}};
};
template <>
struct NamesOf<D2hRspOpcode> {
  using E = D2hRspOpcode;
  static constexpr std::array table{
      Named{E::RspSHitSE, "RspSHitSE"}, Named{E::RspIHitI, "RspIHitI"},
      Named{E::RspIHitSE, "RspIHitSE"}, Named{E::RspVHitV, "RspVHitV"},
      Named{E::RspSFwdM, "RspSFwdM"},   Named{E::RspIFwdM, "RspIFwdM"},
      Named{E::RspVFwdV, "RspVFwdV"}};
};
template <>
struct NamesOf<H2dReqOpcode> {
  using E = H2dReqOpcode;
  static constexpr std::array table{Named{E::SnpData, "SnpData"}, Named{E::SnpInv, "SnpInv"},
                                    Named{E::SnpCur, "SnpCur"}};
};
template <>
struct NamesOf<H2dRspOpcode> {
  using E = H2dRspOpcode;
  static constexpr std::array table{Named{E::WritePull, "WritePull"},
                                    Named{E::Go, "GO"},
                                    Named{E::GoWritePull, "GO_WritePull"},
                                    Named{E::ExtCmp, "ExtCmp"},
                                    Named{E::GoWritePullDrop, "GO_WritePull_Drop"},
                                    Named{E::FastGo, "Fast_GO"},
                                    Named{E::FastGoWritePull, "Fast_GO_WritePull"},
                                    Named{E::GoErrWritePull, "GO_ERR_WritePull"}};
};
template <>
struct NamesOf<SnpType> {
  using E = SnpType;
  static constexpr std::array table{Named{E::NoOp, "No-Op"}, Named{E::SnpData, "SnpData"},
                                    Named{E::SnpCur, "SnpCur"}, Named{E::SnpInv, "SnpInv"}};
};
template <>
struct NamesOf<MetaField> {
  using E = MetaField;
  static constexpr std::array table{Named{E::Meta0State, "Meta0-State"}, Named{E::NoOp, "No-Op"}};
};
template <>
struct NamesOf<MetaValue> {
  using E = MetaValue;
  static constexpr std::array table{Named{E::Invalid, "Invalid"}, Named{E::Any, "Any"},
                                    Named{E::Shared, "Shared"}};
};
template <>
struct NamesOf<DevLoad> {
  using E = DevLoad;
  static constexpr std::array table{Named{E::Light, "Light"}, Named{E::Optimal, "Optimal"},
                                    Named{E::Moderate, "Moderate"}, Named{E::Severe, "Severe"}};
};

/// True unless the code is reserved.
template <class E>
constexpr bool is_defined(E code) {
  constexpr std::uint32_t used = [] {
    std::uint32_t bits = 0;
    for (const auto& n : NamesOf<E>::table) bits |= 1u << static_cast<unsigned>(n.value);
    return bits;
  }();
  return (used >> static_cast<unsigned>(code)) & 1u;
}

/// Name of a code; empty if reserved.
template <class E>
constexpr std::string_view name(E code) {
  for (const auto& n : NamesOf<E>::table) {
    if (n.value == code) return n.name;
  }
  return {};
}

template <class E>
constexpr std::optional<E> from_name(std::string_view text) {
  for (const auto& n : NamesOf<E>::table) {
    if (n.name == text) return n.value;
  }
  return std::nullopt;
}

}  // namespace cxlgpu::flits
