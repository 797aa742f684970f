// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
// Written by scripts/layout.py from rtl/pkg: do not edit.
//
// Purpose: widths of types and places of fields in packed structs, by their names in rtl/pkg.
// Units:   bits; bit 0 of a struct is the lowest of its last field.
#pragma once

#include <cstddef>

namespace cxlgpu::layout {

struct Field {
  std::size_t lo, width;
  // A field of this one, which is a struct.
  constexpr Field operator[](Field inner) const { return {lo + inner.lo, inner.width}; }
  // Element i of this one, which is an array of elements of so many bits.
  [[nodiscard]] constexpr Field element(std::size_t i, std::size_t bits) const {
    return {lo + i * bits, bits};
  }
};

inline constexpr std::size_t kFlitPayloadBits = 512;
inline constexpr std::size_t kFlitBits = 528;
inline constexpr std::size_t kSlotBits = 128;
inline constexpr std::size_t kLineBits = 512;
inline constexpr std::size_t kByteEnBits = 64;
inline constexpr std::size_t kLineAddrBits = 46;
inline constexpr std::size_t kHeaderSlotBits = 3;
inline constexpr std::size_t kGenericSlotBits = 3;
inline constexpr std::size_t kM2sReqOpBits = 4;
inline constexpr std::size_t kM2sRwdOpBits = 4;
inline constexpr std::size_t kS2mNdrOpBits = 3;
inline constexpr std::size_t kS2mDrsOpBits = 3;
inline constexpr std::size_t kDevLoadBits = 2;
inline constexpr std::size_t kMsgHdrBits = 87;
inline constexpr std::size_t kD2hReqOpBits = 5;
inline constexpr std::size_t kD2hRspOpBits = 5;
inline constexpr std::size_t kH2dReqOpBits = 3;
inline constexpr std::size_t kH2dRspOpBits = 4;
inline constexpr std::size_t kCacheReqBits = 79;
inline constexpr std::size_t kCacheRspBits = 32;
inline constexpr std::size_t kCacheDhBits = 24;
inline constexpr std::size_t kLrsmBits = 3;
inline constexpr std::size_t kFlitKindBits = 2;
inline constexpr std::size_t kIdVerdictBits = 2;
inline constexpr std::size_t kApnStateBits = 3;
inline constexpr std::size_t kVlsmBits = 4;
inline constexpr std::size_t kSysIdBits = 16;
inline constexpr std::size_t kGranuleBits = 44;
inline constexpr std::size_t kSrPolicyBits = 3;
inline constexpr std::size_t kGranBits = 3;
inline constexpr std::size_t kMediaOpBits = 3;
inline constexpr std::size_t kDurableBits = 2;
inline constexpr std::size_t kLmKindBits = 2;
inline constexpr std::size_t kCacheResultBits = 3;

struct SysReq {
  static constexpr std::size_t kBits = 640;
  static constexpr Field poison{639, 1};
  static constexpr Field id{623, 16};
  static constexpr Field is_write{622, 1};
  static constexpr Field line{576, 46};
  static constexpr Field be{512, 64};
  static constexpr Field data{0, 512};
};

struct SysRsp {
  static constexpr std::size_t kBits = 530;
  static constexpr Field id{514, 16};
  static constexpr Field is_write{513, 1};
  static constexpr Field error{512, 1};
  static constexpr Field data{0, 512};
};

struct RegReq {
  static constexpr std::size_t kBits = 50;
  static constexpr Field valid{49, 1};
  static constexpr Field write{48, 1};
  static constexpr Field addr{32, 16};
  static constexpr Field wdata{0, 32};
};

struct MediaCmd {
  static constexpr std::size_t kBits = 657;
  static constexpr Field durable{655, 2};
  static constexpr Field partial{654, 1};
  static constexpr Field poison{653, 1};
  static constexpr Field op{650, 3};
  static constexpr Field id{642, 8};
  static constexpr Field dpa{596, 46};
  static constexpr Field slot{580, 16};
  static constexpr Field offset{576, 4};
  static constexpr Field be{512, 64};
  static constexpr Field data{0, 512};
};

struct MediaRsp {
  static constexpr std::size_t kBits = 525;
  static constexpr Field poison{524, 1};
  static constexpr Field op{521, 3};
  static constexpr Field id{513, 8};
  static constexpr Field error{512, 1};
  static constexpr Field data{0, 512};
};

struct LmReq {
  static constexpr std::size_t kBits = 597;
  static constexpr Field write{596, 1};
  static constexpr Field kind{594, 2};
  static constexpr Field index{588, 6};
  static constexpr Field slot{576, 12};
  static constexpr Field be{512, 64};
  static constexpr Field data{0, 512};
};

struct LmRsp {
  static constexpr std::size_t kBits = 521;
  static constexpr Field error{520, 1};
  static constexpr Field kind{518, 2};
  static constexpr Field index{512, 6};
  static constexpr Field data{0, 512};
};

struct MediaStatus {
  static constexpr std::size_t kBits = 14;
  static constexpr Field tasks{7, 7};
  static constexpr Field backlog{0, 7};
};

struct LoadMeasure {
  static constexpr std::size_t kBits = 28;
  static constexpr Field margin{21, 7};
  static constexpr Field th{0, 21};
};

struct LoadControl {
  static constexpr std::size_t kBits = 133;
  static constexpr Field measure{21, 112};
  static constexpr Field ttr_enable{20, 1};
  static constexpr Field egress_enable{19, 1};
  static constexpr Field egress_moderate{12, 7};
  static constexpr Field egress_severe{5, 7};
  static constexpr Field interval{0, 5};
};

struct LoadStatus {
  static constexpr std::size_t kBits = 19;
  static constexpr Field dev_load{17, 2};
  static constexpr Field egress{15, 2};
  static constexpr Field level{7, 8};
  static constexpr Field backpressure{0, 7};
};

struct DramEvent {
  static constexpr std::size_t kBits = 11;
  static constexpr Field whole{10, 1};
  static constexpr Field behind{9, 1};
  static constexpr Field opened{8, 1};
  static constexpr Field displaced{7, 1};
  static constexpr Field unwanted{6, 1};
  static constexpr Field spec_drop{5, 1};
  static constexpr Field spec_needless{4, 1};
  static constexpr Field spec_fill{3, 1};
  static constexpr Field demand_fill{2, 1};
  static constexpr Field demand_merge{1, 1};
  static constexpr Field demand_hit{0, 1};
};

struct DsEvent {
  static constexpr std::size_t kBits = 10;
  static constexpr Field refused{9, 1};
  static constexpr Field error{8, 1};
  static constexpr Field full{7, 1};
  static constexpr Field false_hit{6, 1};
  static constexpr Field merge{5, 1};
  static constexpr Field hit{4, 1};
  static constexpr Field flushed{3, 1};
  static constexpr Field in_place{2, 1};
  static constexpr Field deferred{1, 1};
  static constexpr Field direct{0, 1};
};

struct DsAct {
  static constexpr std::size_t kBits = 20;
  static constexpr Field set_pass{19, 1};
  static constexpr Field head_local{18, 1};
  static constexpr Field stored{17, 1};
  static constexpr Field refused{16, 1};
  static constexpr Field store_pop{15, 1};
  static constexpr Field write_mark{14, 1};
  static constexpr Field write_add{13, 1};
  static constexpr Field write_free{12, 1};
  static constexpr Field done_pop{11, 1};
  static constexpr Field merge_add{10, 1};
  static constexpr Field merge_sent{9, 1};
  static constexpr Field slot_take{8, 1};
  static constexpr Field slot_release{7, 1};
  static constexpr Field order_read{6, 1};
  static constexpr Field push{5, 1};
  static constexpr Field order_leave{4, 1};
  static constexpr Field late_drop{3, 1};
  static constexpr Field pop{2, 1};
  static constexpr Field word_read{1, 1};
  static constexpr Field word_write{0, 1};
};

struct Trace {
  static constexpr std::size_t kBits = 96;
  static constexpr Field valid{95, 1};
  static constexpr Field zero{70, 25};
  static constexpr Field id{54, 16};
  static constexpr Field line{8, 46};
  static constexpr Field info{0, 8};
};

struct AxiAddr {
  static constexpr std::size_t kBits = 93;
  static constexpr Field id{77, 16};
  static constexpr Field addr{13, 64};
  static constexpr Field len{5, 8};
  static constexpr Field size{2, 3};
  static constexpr Field burst{0, 2};
};

struct AxiW {
  static constexpr std::size_t kBits = 577;
  static constexpr Field last{576, 1};
  static constexpr Field strb{512, 64};
  static constexpr Field data{0, 512};
};

struct AxiB {
  static constexpr std::size_t kBits = 18;
  static constexpr Field id{2, 16};
  static constexpr Field resp{0, 2};
};

struct AxiR {
  static constexpr std::size_t kBits = 531;
  static constexpr Field id{515, 16};
  static constexpr Field resp{513, 2};
  static constexpr Field last{512, 1};
  static constexpr Field data{0, 512};
};

struct AxiHint {
  static constexpr std::size_t kBits = 76;
  static constexpr Field addr{12, 64};
  static constexpr Field granules{0, 12};
};

struct AxiReq {
  static constexpr std::size_t kBits = 845;
  static constexpr Field hint_valid{844, 1};
  static constexpr Field hint{768, 76};
  static constexpr Field aw_valid{767, 1};
  static constexpr Field aw{674, 93};
  static constexpr Field ar_valid{673, 1};
  static constexpr Field ar{580, 93};
  static constexpr Field b_ready{579, 1};
  static constexpr Field r_ready{578, 1};
  static constexpr Field w_valid{577, 1};
  static constexpr Field w{0, 577};
};

struct AxiRsp {
  static constexpr std::size_t kBits = 554;
  static constexpr Field aw_ready{553, 1};
  static constexpr Field w_ready{552, 1};
  static constexpr Field ar_ready{551, 1};
  static constexpr Field b_valid{550, 1};
  static constexpr Field b{532, 18};
  static constexpr Field r_valid{531, 1};
  static constexpr Field r{0, 531};
};

struct ToMedia {
  static constexpr std::size_t kBits = 672;
  static constexpr Field cmd_valid{671, 1};
  static constexpr Field rsp_ready{670, 1};
  static constexpr Field zero{657, 13};
  static constexpr Field cmd{0, 657};
};

struct FromMedia {
  static constexpr std::size_t kBits = 541;
  static constexpr Field cmd_ready{540, 1};
  static constexpr Field status{526, 14};
  static constexpr Field rsp_valid{525, 1};
  static constexpr Field rsp{0, 525};
};

struct SysTrace {
  static constexpr std::size_t kBits = 288;
  static constexpr Field sys_respond{96, 192};
  static constexpr Field sys_accept{0, 96};
};

struct RpTrace {
  static constexpr std::size_t kBits = 768;
  static constexpr Field load_control{672, 96};
  static constexpr Field ds{576, 96};
  static constexpr Field port_respond{480, 96};
  static constexpr Field spec_issue{384, 96};
  static constexpr Field ctrl_store{288, 96};
  static constexpr Field ctrl_accept{192, 96};
  static constexpr Field memq_alloc{96, 96};
  static constexpr Field port_enqueue{0, 96};
};

struct EpTrace {
  static constexpr std::size_t kBits = 768;
  static constexpr Field spec_lost{672, 96};
  static constexpr Field spec_drop{576, 96};
  static constexpr Field spec_fill{480, 96};
  static constexpr Field ep_respond{384, 96};
  static constexpr Field media_done{288, 96};
  static constexpr Field media_issue{192, 96};
  static constexpr Field ep_lookup{96, 96};
  static constexpr Field ep_accept{0, 96};
};

}  // namespace cxlgpu::layout
