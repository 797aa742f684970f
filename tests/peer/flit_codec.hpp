// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
// The CXL.cachemem flit of 68 bytes bit by bit (CXL 2.0, 4.2.2 to 4.2.6): header, slots, messages,
// control flits, CRC.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <vector>

#include "link_end.hpp"
#include "messages.hpp"

namespace peer {

// ---- bits; bit 0 is the least significant bit of byte 0
// -------------------------------------------
uint64_t get_bits(const Flit& flit, unsigned position, unsigned width);
void put_bits(Flit& flit, unsigned position, unsigned width, uint64_t value);

// ---- CRC (4.2.8.7)
// --------------------------------------------------------------------------------
uint16_t flit_crc(const Flit& flit);
void seal(Flit& flit);
bool crc_good(const Flit& flit);

// ---- the flit header (Table 45)
// -------------------------------------------------------------------
struct FlitHeader {
  bool control = false;
  bool ak = false;
  bool be = false;
  bool sz = false;
  std::array<uint8_t, 4> format{};
  uint8_t rsp_crd = 0;  // bit 3: CXL.mem; bits 2:0: the code of the count
  uint8_t req_crd = 0;
  uint8_t data_crd = 0;
  uint8_t reserved = 0;  // header bits 1 and 19:17, packed
};
FlitHeader get_header(const Flit& flit);
void put_header(Flit& flit, const FlitHeader& header);

// The number of credits behind a code, and the largest code that does not promise more than `count`
// (Table 48).
unsigned credits_of(uint8_t code);
uint8_t credit_code_for(unsigned count);
constexpr uint8_t kCreditMem = 8;

// ---- slots (Tables 50 to 52, Figures 49 to 77)
// ----------------------------------------------------
enum class MessageKind : uint8_t { Req, Rwd, Ndr, Drs, CacheReq, CacheRsp, CacheData };

struct SlotPlace {
  MessageKind kind;
  uint8_t start;     // first bit within the slot
  uint8_t dev_load;  // of an NDR: where its DevLoad lies; right behind the rest unless the pair is
                     // split
};

struct SlotFormat {
  bool reserved = false;
  bool data = false;  // G0
  bool mdh = false;   // more than one data header may be valid
  bool mac = false;   // H6, of use only with IDE
  std::vector<SlotPlace> places;
  std::array<uint64_t, 2> used{};  // bits that belong to a message (or to the flit header)
};
const SlotFormat& slot_format(Direction direction, bool header_slot, uint8_t code);
// Bits of a slot that belong to no message of its format are reserved. True if they are all zero.
bool slot_rest_zero(const Flit& flit, unsigned slot, const SlotFormat& format);

bool place_valid(const Flit& flit, unsigned slot, const SlotPlace& place);
MemReq get_req(const Flit& flit, unsigned slot, const SlotPlace& place);
MemRwd get_rwd(const Flit& flit, unsigned slot, const SlotPlace& place);  // without data
MemNdr get_ndr(const Flit& flit, unsigned slot, const SlotPlace& place);
MemDrs get_drs(const Flit& flit, unsigned slot, const SlotPlace& place);  // without data
void put_req(Flit& flit, unsigned slot, const SlotPlace& place, const MemReq& message);
void put_rwd(Flit& flit, unsigned slot, const SlotPlace& place, const MemRwd& message);
void put_ndr(Flit& flit, unsigned slot, const SlotPlace& place, const MemNdr& message);
void put_drs(Flit& flit, unsigned slot, const SlotPlace& place, const MemDrs& message);
Chunk get_chunk(const Flit& flit, unsigned slot);
void put_chunk(Flit& flit, unsigned slot, const Chunk& chunk);

// The chunks that follow a data header, in wire order; the byte enables come last (4.2.2).
std::vector<Chunk> chunks_of(const MemRwd& message);
std::vector<Chunk> chunks_of(const MemDrs& message);

// ---- control flits (4.2.6)
// ------------------------------------------------------------------------
enum LlCtrl : uint8_t { kLlcrd = 0, kRetry = 1, kIde = 2, kInit = 12 };
enum RetrySubtype : uint8_t { kRetryIdle = 0, kRetryReq = 1, kRetryAck = 2, kRetryFrame = 3 };
constexpr uint8_t kLlcrdAcknowledge = 1;
constexpr uint8_t kInitParam = 8;

struct ControlFlit {
  bool ak = false;
  uint8_t rsp_crd = 0;
  uint8_t req_crd = 0;
  uint8_t data_crd = 0;
  uint8_t ctl_fmt = 0;
  uint8_t llctrl = kLlcrd;
  uint8_t subtype = 0;
  uint64_t payload = 0;
};
ControlFlit get_control(const Flit& flit);
Flit make_control(const ControlFlit& control);  // sealed
// Every bit that the standard fixes in a control flit of this kind has its value (4.2.2, static
// bits).
bool control_static_bits_good(const Flit& flit);

Flit make_llcrd(unsigned full_ack, uint8_t rsp_crd, uint8_t req_crd, uint8_t data_crd);
unsigned full_ack_of(const ControlFlit& llcrd);
Flit make_retry_idle();
Flit make_retry_frame();
Flit make_retry_req(uint8_t eseq, uint8_t num_retry, uint8_t num_phy_reinit);
struct RetryAck {
  bool empty = false;
  bool viral = false;
  uint8_t num_retry = 0;
  uint8_t wr_ptr = 0;
  uint8_t eseq = 0;
  uint8_t num_free_buf = 0;
};
Flit make_retry_ack(const RetryAck& ack);
RetryAck retry_ack_of(const ControlFlit& control);
Flit make_init_param(uint8_t version, uint8_t wrap);

}  // namespace peer
