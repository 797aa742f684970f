// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
// The ten CXL.mem and CXL.cache messages of 68-byte mode and where their fields lie.
//
// `Layout<M>` is the one table of (name, member, position, width) of a message; pack, unpack, text,
// JSON and the reserved-bit masks are all read from it. Addresses are whole byte addresses; the
// wire drops the low `shift` bits. A message made by its constructor is valid. Source: CXL 2.0
// message tables, 68-byte flit.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>
#include <tuple>
#include <variant>

#include "flits/bits.hpp"
#include "flits/opcodes.hpp"

namespace cxlgpu::flits {

struct M2sReq {
  bool valid = true;
  M2sReqOpcode opcode = M2sReqOpcode::MemRd;
  SnpType snp_type = SnpType::NoOp;
  MetaField meta_field = MetaField::NoOp;
  MetaValue meta_value = MetaValue::Invalid;
  std::uint16_t tag = 0;
  std::uint64_t address = 0;  // multiple of 32
  std::uint8_t tc = 0;
  std::uint8_t ld_id = 0;
  bool operator==(const M2sReq&) const = default;
};

struct M2sRwd {
  bool valid = true;
  M2sRwdOpcode opcode = M2sRwdOpcode::MemWr;
  SnpType snp_type = SnpType::NoOp;
  MetaField meta_field = MetaField::Meta0State;
  MetaValue meta_value = MetaValue::Any;
  std::uint16_t tag = 0;
  std::uint64_t address = 0;  // multiple of 64
  bool poison = false;
  std::uint8_t tc = 0;
  std::uint8_t ld_id = 0;
  bool operator==(const M2sRwd&) const = default;
};

struct S2mNdr {
  bool valid = true;
  S2mNdrOpcode opcode = S2mNdrOpcode::Cmp;
  MetaField meta_field = MetaField::NoOp;
  MetaValue meta_value = MetaValue::Invalid;
  std::uint16_t tag = 0;
  std::uint8_t ld_id = 0;
  DevLoad dev_load = DevLoad::Light;
  bool operator==(const S2mNdr&) const = default;
};

struct S2mDrs {
  bool valid = true;
  S2mDrsOpcode opcode = S2mDrsOpcode::MemData;
  MetaField meta_field = MetaField::NoOp;
  MetaValue meta_value = MetaValue::Invalid;
  std::uint16_t tag = 0;
  bool poison = false;
  std::uint8_t ld_id = 0;
  DevLoad dev_load = DevLoad::Light;
  bool operator==(const S2mDrs&) const = default;
};

struct H2dReq {
  bool valid = true;
  H2dReqOpcode opcode = H2dReqOpcode::SnpData;
  std::uint64_t address = 0;
  std::uint16_t uqid = 0;
  bool operator==(const H2dReq&) const = default;
};

struct H2dRsp {
  bool valid = true;
  H2dRspOpcode opcode = H2dRspOpcode::Go;
  std::uint16_t rsp_data = 0;
  std::uint8_t rsp_pre = 0;
  std::uint16_t cqid = 0;
  bool operator==(const H2dRsp&) const = default;
};

struct H2dDh {
  bool valid = true;
  std::uint16_t cqid = 0;
  bool chunk_valid = false;  // 32 B transfers: which half
  bool poison = false;
  bool go_err = false;
  bool operator==(const H2dDh&) const = default;
};

struct D2hReq {
  bool valid = true;
  D2hReqOpcode opcode = D2hReqOpcode::RdCurr;
  std::uint16_t cqid = 0;
  bool nt = false;
  std::uint64_t address = 0;
  bool operator==(const D2hReq&) const = default;
};

struct D2hRsp {
  bool valid = true;
  D2hRspOpcode opcode = D2hRspOpcode::RspIHitI;
  std::uint16_t uqid = 0;
  bool operator==(const D2hRsp&) const = default;
};

struct D2hDh {
  bool valid = true;
  std::uint16_t uqid = 0;
  bool chunk_valid = false;
  bool bogus = false;
  bool poison = false;
  bool operator==(const D2hDh&) const = default;
};

/// The order of the alternatives is the order of MessageKind.
using Message =
    std::variant<M2sReq, M2sRwd, S2mNdr, S2mDrs, H2dReq, H2dRsp, H2dDh, D2hReq, D2hRsp, D2hDh>;

/// Also the names of the ten credit pools: each message kind draws on a pool of its own.
enum class MessageKind : std::uint8_t {
  M2sReq,
  M2sRwd,
  S2mNdr,
  S2mDrs,
  H2dReq,
  H2dRsp,
  H2dDh,
  D2hReq,
  D2hRsp,
  D2hDh
};
inline constexpr std::size_t kMessageKinds = std::variant_size_v<Message>;
inline constexpr std::array<std::string_view, kMessageKinds> kMessageNames{
    "M2S Req", "M2S RwD", "S2M NDR", "S2M DRS", "H2D Req",
    "H2D Rsp", "H2D DH",  "D2H Req", "D2H Rsp", "D2H DH"};

constexpr std::size_t index(MessageKind k) {
  return static_cast<std::size_t>(k);
}
constexpr std::string_view name(MessageKind k) {
  return kMessageNames[index(k)];
}
inline MessageKind kind_of(const Message& m) {
  return static_cast<MessageKind>(m.index());
}
/// Headers that bring data slots with them.
constexpr bool carries_data(MessageKind k) {
  return k == MessageKind::M2sRwd || k == MessageKind::S2mDrs || k == MessageKind::H2dDh ||
         k == MessageKind::D2hDh;
}
constexpr bool is_cache(MessageKind k) {
  return k >= MessageKind::H2dReq;
}

/// One field: bits [at + width - 1 : at] of the message hold (member >> shift).
template <class M, class T>
struct Field {
  std::string_view name;
  T M::*member;
  std::uint8_t at;
  std::uint8_t width;
  std::uint8_t shift = 0;
};
template <class M, class T>
Field(const char*, T M::*, int, int) -> Field<M, T>;
template <class M, class T>
Field(const char*, T M::*, int, int, int) -> Field<M, T>;

template <class M>
struct Layout;  // `width`: bits of the message; `fields`: every field, reserved bits left out

template <>
struct Layout<M2sReq> {
  using M = M2sReq;
  static constexpr unsigned width = 87;
  static constexpr std::tuple fields{Field{"valid", &M::valid, 0, 1},
                                     Field{"opcode", &M::opcode, 1, 4},
                                     Field{"snp_type", &M::snp_type, 5, 3},
                                     Field{"meta_field", &M::meta_field, 8, 2},
                                     Field{"meta_value", &M::meta_value, 10, 2},
                                     Field{"tag", &M::tag, 12, 16},
                                     Field{"address", &M::address, 28, 47, 5},
                                     Field{"tc", &M::tc, 75, 2},
                                     Field{"ld_id", &M::ld_id, 77, 4}};
};
template <>
struct Layout<M2sRwd> {
  using M = M2sRwd;
  static constexpr unsigned width = 87;
  static constexpr std::tuple fields{Field{"valid", &M::valid, 0, 1},
                                     Field{"opcode", &M::opcode, 1, 4},
                                     Field{"snp_type", &M::snp_type, 5, 3},
                                     Field{"meta_field", &M::meta_field, 8, 2},
                                     Field{"meta_value", &M::meta_value, 10, 2},
                                     Field{"tag", &M::tag, 12, 16},
                                     Field{"address", &M::address, 28, 46, 6},
                                     Field{"poison", &M::poison, 74, 1},
                                     Field{"tc", &M::tc, 75, 2},
                                     Field{"ld_id", &M::ld_id, 77, 4}};
};
template <>
struct Layout<S2mNdr> {
  using M = S2mNdr;
  static constexpr unsigned width = 30;
  static constexpr std::tuple fields{Field{"valid", &M::valid, 0, 1},
                                     Field{"opcode", &M::opcode, 1, 3},
                                     Field{"meta_field", &M::meta_field, 4, 2},
                                     Field{"meta_value", &M::meta_value, 6, 2},
                                     Field{"tag", &M::tag, 8, 16},
                                     Field{"ld_id", &M::ld_id, 24, 4},
                                     Field{"dev_load", &M::dev_load, 28, 2}};
};
template <>
struct Layout<S2mDrs> {
  using M = S2mDrs;
  static constexpr unsigned width = 40;
  static constexpr std::tuple fields{Field{"valid", &M::valid, 0, 1},
                                     Field{"opcode", &M::opcode, 1, 3},
                                     Field{"meta_field", &M::meta_field, 4, 2},
                                     Field{"meta_value", &M::meta_value, 6, 2},
                                     Field{"tag", &M::tag, 8, 16},
                                     Field{"poison", &M::poison, 24, 1},
                                     Field{"ld_id", &M::ld_id, 25, 4},
                                     Field{"dev_load", &M::dev_load, 29, 2}};
};
template <>
struct Layout<H2dReq> {
  using M = H2dReq;
  static constexpr unsigned width = 64;
  static constexpr std::tuple fields{
      Field{"valid", &M::valid, 0, 1}, Field{"opcode", &M::opcode, 1, 3},
      Field{"address", &M::address, 4, 46, 6}, Field{"uqid", &M::uqid, 50, 12}};
};
template <>
struct Layout<H2dRsp> {
  using M = H2dRsp;
  static constexpr unsigned width = 32;
  static constexpr std::tuple fields{
      Field{"valid", &M::valid, 0, 1}, Field{"opcode", &M::opcode, 1, 4},
      Field{"rsp_data", &M::rsp_data, 5, 12}, Field{"rsp_pre", &M::rsp_pre, 17, 2},
      Field{"cqid", &M::cqid, 19, 12}};
};
template <>
struct Layout<H2dDh> {
  using M = H2dDh;
  static constexpr unsigned width = 24;
  static constexpr std::tuple fields{
      Field{"valid", &M::valid, 0, 1}, Field{"cqid", &M::cqid, 1, 12},
      Field{"chunk_valid", &M::chunk_valid, 13, 1}, Field{"poison", &M::poison, 14, 1},
      Field{"go_err", &M::go_err, 15, 1}};
};
template <>
struct Layout<D2hReq> {
  using M = D2hReq;
  static constexpr unsigned width = 79;
  static constexpr std::tuple fields{Field{"valid", &M::valid, 0, 1},
                                     Field{"opcode", &M::opcode, 1, 5},
                                     Field{"cqid", &M::cqid, 6, 12}, Field{"nt", &M::nt, 18, 1},
                                     Field{"address", &M::address, 26, 46, 6}};
};
template <>
struct Layout<D2hRsp> {
  using M = D2hRsp;
  static constexpr unsigned width = 20;
  static constexpr std::tuple fields{Field{"valid", &M::valid, 0, 1},
                                     Field{"opcode", &M::opcode, 1, 5},
                                     Field{"uqid", &M::uqid, 6, 12}};
};
template <>
struct Layout<D2hDh> {
  using M = D2hDh;
  static constexpr unsigned width = 17;
  static constexpr std::tuple fields{
      Field{"valid", &M::valid, 0, 1}, Field{"uqid", &M::uqid, 1, 12},
      Field{"chunk_valid", &M::chunk_valid, 13, 1}, Field{"bogus", &M::bogus, 14, 1},
      Field{"poison", &M::poison, 15, 1}};
};

/// Calls f(field) for each field of M, low bits first.
template <class M, class F>
constexpr void for_each_field(F&& f) {
  std::apply([&](const auto&... field) { (f(field), ...); }, Layout<M>::fields);
}

/// Message as bits, LSB first; the reverse of unpack().
template <class M>
constexpr u128 pack(const M& m) {
  u128 bits = 0;
  for_each_field<M>([&](const auto& f) {
    bits |= put_bits(static_cast<std::uint64_t>(m.*f.member) >> f.shift, f.at, f.width);
  });
  return bits;
}

template <class M>
constexpr M unpack(u128 bits) {
  M m;
  for_each_field<M>([&](const auto& f) {
    using T = std::remove_reference_t<decltype(m.*f.member)>;
    m.*f.member = static_cast<T>(get_bits(bits, f.at, f.width) << f.shift);
  });
  return m;
}

/// The bits of a message that mean something.
template <class M>
constexpr u128 used_bits() {
  u128 bits = 0;
  for_each_field<M>([&](const auto& f) { bits |= low_mask(f.width) << f.at; });
  return bits;
}

/// Name of the first field that holds a reserved code; empty if none does.
template <class M>
constexpr std::string_view reserved_field(const M& m) {
  std::string_view found;
  bool no_meta = false;
  if constexpr (requires { m.meta_field; }) no_meta = m.meta_field != MetaField::Meta0State;
  for_each_field<M>([&](const auto& f) {
    using T = std::remove_cvref_t<decltype(m.*f.member)>;
    if (std::is_same_v<T, MetaValue> && no_meta) return;
    if constexpr (std::is_enum_v<T>) {
      if (found.empty() && !is_defined(m.*f.member)) found = f.name;
    }
  });
  return found;
}

}  // namespace cxlgpu::flits
