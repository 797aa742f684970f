// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
// What a peer can do wrong once, alone, and what the standard asks of the other side then.
#pragma once

#include <cstdint>
#include <span>

namespace peer {

enum class Wrong : uint8_t {
  None,
  // messages, device only
  UnknownTagNdr,
  UnknownTagDrs,
  DoubledNdr,
  DoubledDrs,
  ReservedNdrOpcode,
  ReservedDrsOpcode,
  CmpSForWrite,
  CmpEForWrite,
  CmpMForWrite,
  MemDataNxm,
  NdrForRead,
  DrsForWrite,
  LdIdOfNdr,
  LdIdOfDrs,
  ReservedMetaField,
  MetaStateForWrite,
  AnswerToMemSpecRd,
  HalfLineOnly,
  HalvesSplit,
  OveruseNdr,
  OveruseDrs,
  // packing, device only
  MdhAnyway,
  MdhOneHeader,
  MdhHalfLine,
  TwoDataHeaders,
  ThreeNdr,
  ByteEnablesOfDrs,
  ReservedMessageBits,
  CacheMessage,
  // packing, either end
  ReservedHeaderSlot,
  ReservedGenericSlot,
  MacSlot,
  ReservedHeaderBits,
  ReservedSlotBits,
  // control flits
  ReservedControlType,
  ControlStaticBits,
  NonRetryBeforeInit,
  SecondInit,
  InitVersion,
  RetryAckUnasked,
  RetryReqUnframed,
  RetryAckUnframed,
  RetryFrameAlone,
  RetryReqBeyond,
  AckBeyond,
  // ARB/MUX
  SpeaksFirst,
  StatusUnasked,
  StatusOfAnotherState,
  UnknownAlmp,
  AlmpCopiesDiffer,
  AlmpInstance,
  AlmpState,
  RequestDuringSync,
  CacheMemBeforeActive,
  IoBeforeActive,
};

// What must be seen at the other side. All fields that are set must hold together, save `either`.
struct Expect {
  // False: the standard leaves the reaction open. Then only `unharmed` counts, and the rest is what
  // is allowed.
  bool stated = false;
  uint32_t uncorrectable =
      0;                     // one of these bits of the RAS uncorrectable status (8.2.5.9.1) is set
  uint32_t correctable = 0;  // the same of the correctable status
  int overflow_code = -1;    // bits 2:0 of the header log, with uncorrectable bit 11
  bool flit_logged = false;  // the header log holds the whole flit
  bool recovery = false;     // the link goes through Recovery
  bool retry = false;        // the link layer asks for a retry
  bool fatal_allowed = false;  // the link may stop for good instead of the above
  bool ignored = false;        // nothing is logged, nothing changes
  // Transactions other than the one concerned end with the right data.
  bool unharmed = true;
  // The transaction concerned gives no good answer with wrong data; it may end in an error or a
  // time-out.
  bool concerned_may_fail = false;
};

struct WrongEntry {
  Wrong wrong;
  const char* name;
  const char* what;
  const char* clause;
  const char* reaction;
  Expect expect;
};

std::span<const WrongEntry> all_wrongs();
std::span<const WrongEntry> device_wrongs();  // those that a device can do: all
std::span<const WrongEntry> wire_wrongs();    // those that either end can do
const WrongEntry& entry_of(Wrong wrong);
// It is wrong only while a link begins.
inline bool begins_a_link(Wrong wrong) {
  return wrong == Wrong::NonRetryBeforeInit || wrong == Wrong::InitVersion ||
         wrong == Wrong::SpeaksFirst || wrong == Wrong::StatusOfAnotherState ||
         wrong == Wrong::CacheMemBeforeActive || wrong == Wrong::IoBeforeActive;
}
inline bool is_of_wire(Wrong wrong) {
  return wrong >= Wrong::ReservedHeaderSlot;
}

}  // namespace peer
