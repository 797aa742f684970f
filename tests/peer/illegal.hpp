// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
// Things that a standard host never does, each with what the standard asks of the device that meets
// it.
//
// "S20" is the Compute Express Link specification 2.0, "PCIe" the PCI Express base
// specification 5.0.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

namespace peer {

enum class Illegal : uint8_t {
  None,
  // CXL.mem messages
  UnknownReqOpcode,
  UnknownRwdOpcode,
  MemClnEvct,  // of CXL 3.x
  BiConflict,  // the same
  NonzeroLdId,
  ReservedMessageBits,
  SnoopTypeToType3,
  UnmappedRead,
  UnmappedWrite,
  ReqCreditOveruse,
  RwdCreditOveruse,
  // CXL.mem flits
  ReservedHeaderBits,
  TwoRwdHeadersInFlit,
  UnknownSlotFormat,
  // link layer and ARB/MUX
  FlitsBeforeActive,
  SecondInitParam,
  FlitBeforeInitParam,
  RetryAckUnasked,
  RetryReqUnframed,
  BadAlmpCopies,
  StatusAlmpUnasked,
  // CXL.io data link
  BadLcrc,
  SequenceAhead,
  SequenceRepeated,
  NullifiedTlp,
  BadDllpCrc,
  UnknownDllp,
  FramingToken,
  TlpFirstInFcInit2,
  // CXL.io transactions
  MalformedLength,
  UnsupportedRequestType,
  ConfigToAbsentFunction,
  BarMiss,
  PoisonedConfigWrite,
  PoisonedMemoryWrite,
  UnexpectedCompletion,
  Count
};

// What the device has to show. The host checks it on the link by itself, from the link and from the
// registers.
enum class Reaction : uint8_t {
  Ignored,    // traffic goes on, nothing is logged
  LoggedRas,  // a bit of the RAS uncorrectable status is set (Rule::detail is the mask of the bits
              // that may be)
  AnyLog,     // some uncorrectable error is logged, RAS or AER: the standard names no bit
  Retry,    // the device asks for a link-layer retry, or goes to recovery, and all traffic survives
  Retrain,  // the device takes the link through recovery, and all traffic survives
  AllOnes,  // a read is answered with ones
  Dropped,  // a write is completed and nothing is written
  Nak,      // a Nak, the replay is taken, the request completes once
  AckAgain,            // the duplicate is acknowledged and not executed
  Completes,           // the request completes as if nothing had been wrong
  UnsupportedRequest,  // a completion with status UR, device status bit Unsupported Request
                       // Detected
  UnsupportedPosted,  // no completion and no effect, device status bit Unsupported Request Detected
  Malformed,          // no completion, device status bit Fatal Error Detected
  NotExecuted,        // the register keeps its value; the completion, if one is due, is UR
  AdvisoryOrLogged,   // discarded; an error bit of the device status may be set
  Open                // the standard states none; all other traffic stays right
};

struct Rule {
  Illegal what;
  std::string_view name;
  Reaction reaction;
  uint32_t
      detail;  // LoggedRas: the mask of RAS uncorrectable status bits one of which has to be set
  bool traffic_goes_on;     // the host checks CXL.mem traffic after it as strictly as before
  std::string_view clause;  // where the standard says so
  std::string_view reason;
};

// One rule for each enumerator but None and Count, in the order of the enumeration.
std::span<const Rule> rules();
const Rule& rule_of(Illegal what);

}  // namespace peer
