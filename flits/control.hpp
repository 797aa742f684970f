// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
// Control flits: LLCRD, RETRY, INIT and IDE, typed, both ways.
//
// Only slot 0 is used. Byte 4 holds LLCTRL (low nibble) and SubType (high nibble), bytes 8-15 the
// payload (IDE spreads a 96-bit payload over bytes 3, 5-7 and 8-15). LLCRD also uses the header's
// Ak bit and credit fields: Full_Ack = {payload[7:4], Ak, payload[2:0]}.
// Errors: an unknown code parses to UnknownControl; the caller decides what that means.
// Source: CXL 2.0 link layer control flits.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string_view>
#include <variant>

#include "flits/flit.hpp"
#include "flits/messages.hpp"

namespace cxlgpu::flits {

struct Llcrd {
  std::uint8_t full_ack = 0;
  std::uint8_t rsp_crd = 0, req_crd = 0, data_crd = 0;  // 4-bit codes
  bool operator==(const Llcrd&) const = default;
};
struct RetryIdle {
  bool operator==(const RetryIdle&) const = default;
};
struct RetryReq {
  std::uint8_t eseq = 0;
  std::uint8_t num_retry = 0;
  std::uint8_t num_phy_reinit = 0;
  bool operator==(const RetryReq&) const = default;
};
struct RetryAck {
  bool empty = false;
  bool viral = false;
  std::uint8_t num_retry = 0;  // echo
  std::uint8_t wr_ptr = 0;
  std::uint8_t eseq = 0;  // echo
  std::uint8_t num_free_buf = 0;
  std::uint16_t viral_ld_id = 0;
  bool operator==(const RetryAck&) const = default;
};
struct RetryFrame {
  bool operator==(const RetryFrame&) const = default;
};
struct InitParam {
  std::uint8_t version = 2;  // 1: CXL 1.x, 2: CXL 2.0
  std::uint8_t wrap = 0;     // depth of the sender's retry buffer
  bool operator==(const InitParam&) const = default;
};
struct IdeIdle {
  bool operator==(const IdeIdle&) const = default;
};
struct IdeStart {
  bool operator==(const IdeStart&) const = default;
};
struct IdeTmac {
  std::array<std::uint8_t, 12> mac{};
  bool operator==(const IdeTmac&) const = default;
};
struct UnknownControl {
  std::uint8_t format = 0, llctrl = 0, subtype = 0;
  bool operator==(const UnknownControl&) const = default;
};

using Control = std::variant<Llcrd, RetryIdle, RetryReq, RetryAck, RetryFrame, InitParam, IdeIdle,
                             IdeStart, IdeTmac, UnknownControl>;

/// Where a control type stands: CTL_FMT, LLCTRL, SubType; in the order of Control's alternatives.
struct ControlCode {
  std::string_view name;
  std::uint8_t format, llctrl, subtype;
};
inline constexpr std::array<ControlCode, std::variant_size_v<Control> - 1> kControlCodes{{
    {"LLCRD", 0b000, 0b0000, 0b0001},
    {"RETRY.Idle", 0b000, 0b0001, 0b0000},
    {"RETRY.Req", 0b000, 0b0001, 0b0001},
    {"RETRY.Ack", 0b000, 0b0001, 0b0010},
    {"RETRY.Frame", 0b000, 0b0001, 0b0011},
    {"INIT.Param", 0b000, 0b1100, 0b1000},
    {"IDE.Idle", 0b001, 0b0010, 0b0000},
    {"IDE.Start", 0b001, 0b0010, 0b0001},
    {"IDE.TMAC", 0b001, 0b0010, 0b0010},
}};

template <>
struct Layout<RetryReq> {
  using M = RetryReq;
  static constexpr std::tuple fields{Field{"eseq", &M::eseq, 0, 8},
                                     Field{"num_retry", &M::num_retry, 16, 5},
                                     Field{"num_phy_reinit", &M::num_phy_reinit, 21, 5}};
};
template <>
struct Layout<RetryAck> {
  using M = RetryAck;
  static constexpr std::tuple fields{Field{"empty", &M::empty, 0, 1},
                                     Field{"viral", &M::viral, 1, 1},
                                     Field{"num_retry", &M::num_retry, 3, 5},
                                     Field{"wr_ptr", &M::wr_ptr, 8, 8},
                                     Field{"eseq", &M::eseq, 16, 8},
                                     Field{"num_free_buf", &M::num_free_buf, 24, 8},
                                     Field{"viral_ld_id", &M::viral_ld_id, 32, 16}};
};
template <>
struct Layout<InitParam> {
  using M = InitParam;
  static constexpr std::tuple fields{Field{"version", &M::version, 0, 4},
                                     Field{"wrap", &M::wrap, 24, 8}};
};

std::string_view name(const Control& c);  // "reserved control" for UnknownControl
constexpr bool is_retry(const Control& c) {
  return std::holds_alternative<RetryIdle>(c) || std::holds_alternative<RetryReq>(c) ||
         std::holds_alternative<RetryAck>(c) || std::holds_alternative<RetryFrame>(c);
}

/// The flit with protocol ID CXL.cachemem and its CRC.
Flit encode_control(const Control& c);

/// Stateless: the control flit these bytes would be if they are not an all-data flit; nullopt when
/// the Type bit is 0. Reserved and constant bits are not looked at.
std::optional<Control> classify_control(const Flit& flit);

/// As classify_control(), only for RETRY flits whose every constant bit is right. An all-data flit
/// can look like one, hence the rule that a Req or Ack counts only after five Frames.
std::optional<Control> classify_retry(const Flit& flit);

/// True when each reserved and constant bit of `flit`, a control flit that reads as `c`, is right.
bool is_canonical(const Flit& flit, const Control& c);

}  // namespace cxlgpu::flits
