// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
// What the link checker reports: a rule, where and when it was broken, and one line of text.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "flits/flit.hpp"

namespace cxlgpu::flits {

enum class Rule : std::uint8_t {
  TimeOrder,              // flits were not given in time order
  Encoding,               // a DecodeFinding
  NonRetryBeforeInit,     // something else than RETRY before INIT.Param
  SecondInitParam,        // more than one INIT.Param
  InitParamField,         // version or wrap value that cannot be
  InitBeforeContact,      // INIT.Param although no clean flit had arrived yet
  TrafficBeforeInitDone,  // sent before the peer's INIT.Param had arrived
  RetryFraming,           // Req or Ack without its five Frames, or Frames without either
  UnexpectedRetryReq,     // nothing was wrong at the receiver that asks
  RetryReqSequence,       // asks for another flit than the next expected one
  UnexpectedRetryAck,     // no retry was in progress
  RetryAckMismatch,       // echoes no RETRY.Req that arrived
  AckOveruse,             // acknowledges more flits than were received
  RetryBufferOverrun,     // more unacknowledged flits than the buffer may hold
  CreditOveruse,          // a message without a credit
  CacheOnMemLink,         // CXL.cache message where only CXL.mem is in use
  TagReuse,               // tag of an outstanding request
  LineConflict,           // line of an outstanding request
  UnknownTag,             // response that no outstanding request asked for
  WrongResponse,          // response of another kind than the request asks for
  LdIdMismatch,           // response with another LD-ID than its request
  ByteEnableMisuse,       // BE slot without MemWrPtl, or the reverse, or all ones
  FieldMisuse,            // opcode or field that a Type 3 link does not use
  Unanswered,             // request without a response at the end
  AlmpEncoding,           // ALMP with a wrong constant bit, link or state code
  DeviceSpokeFirst,       // from the device before anything came from the host
  UnaskedStatus,          // Status that answers no Request
  UnexpectedAlmp,         // any other ALMP that the conversation so far does not allow
  TrafficBeforeActive,    // protocol flit while its protocol is not Active in both directions
  CrcSent,                // sent with a CRC that is neither right nor inverted
  ViralMismatch,          // RETRY.Ack that says something else of viral than its sender announced
};
std::string_view name(Rule rule);

struct Finding {
  std::uint64_t time_ps = 0;
  Direction direction = Direction::M2S;  // of the flit that broke the rule
  Rule rule{};
  std::string text;
};

/// Keeps the first findings and counts them all.
class FindingList {
 public:
  explicit FindingList(std::size_t limit) : limit_(limit) {}
  void add(std::uint64_t time_ps, Direction direction, Rule rule, std::string text) {
    ++total_;
    if (kept_.size() < limit_) kept_.push_back({time_ps, direction, rule, std::move(text)});
  }
  const std::vector<Finding>& kept() const { return kept_; }
  std::uint64_t total() const { return total_; }

 private:
  std::size_t limit_;
  std::uint64_t total_ = 0;
  std::vector<Finding> kept_;
};

}  // namespace cxlgpu::flits
