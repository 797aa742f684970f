// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
// What the CXL.cache parts of the controller twins tell each other.
//
// Purpose: the three channels of CXL.cache, the messages offered to the packer, and the small
//          structs between link layer and cache queues.
// Units:   messages; credit codes of three bits.
// Shapes:  Creq and Crsp are messages without data (H2D Req and Rsp from the host, D2H Req and Rsp
//          from a device), Cdat a data header with its line.
// Errors:  none.
// Source:  CXL 2.0 3.2, 4.2.3 to 4.2.5, docs/blocks/controller/cache_channels.md.
#pragma once

#include <array>
#include <cstdint>

#include "refmodel/controller/wire.hpp"

namespace cxlgpu {

// Index of a channel; also of the header field (ReqCrd, RspCrd, DataCrd) that carries its credits.
enum CacheChannel : unsigned { kCreq = 0, kCrsp = 1, kCdat = 2 };
inline constexpr unsigned kCacheChannels = 3;

// Messages that may leave now: those without a credit, or held by the order rule, are left out.
struct CacheOffer {
  unsigned creq_valid = 0;  // 0..2
  std::array<MsgHeader, 2> creq_hdr{};
  unsigned crsp_valid = 0;
  std::array<MsgHeader, 2> crsp_hdr{};
  bool cdat_valid = false;
  WdMessage cdat{};
};

// Messages of one flit, in bit order.
struct CacheReceived {
  unsigned creq_valid = 0;  // 0..4
  std::array<MsgHeader, 4> creq_hdr{};
  std::array<unsigned, 2> creq_older{};  // device: Crsps of this flit before the Creq
  unsigned crsp_valid = 0;
  std::array<MsgHeader, 4> crsp_hdr{};
  bool cdat_valid = false;
  WdMessage cdat{};
  bool cdat_half = false;  // the first half of a line begins
};

// Which pool's credits a header field carries.
enum class Pool : std::uint8_t { kNone, kCache, kMem };

struct CacheToLink {
  CacheOffer offer{};
  std::array<unsigned, kCacheChannels> code{};      // to be returned to the peer
  std::array<bool, kCacheChannels> prefer_cache{};  // when the mem pool has some too
  bool pending = false;                             // any of the three
};

struct LinkToCache {
  unsigned creq_take = 0;
  unsigned crsp_take = 0;
  bool cdat_take = false;
  CacheReceived received{};
  std::array<unsigned, kCacheChannels> granted{};  // credit codes received
  std::array<Pool, kCacheChannels> sent{};         // what the fields of a flit that left carried
};

}  // namespace cxlgpu
