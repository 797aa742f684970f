// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
#include "illegal.hpp"

#include <array>

namespace peer {
namespace {

constexpr uint32_t kEncoding = 1U << 9;

using enum Reaction;

// Of a receiver overflow (RAS bit 11) the log of 8.2.5.9.1 names the channels of a host only, so
// that a device may choose the bit.

constexpr std::array kRules = {
    Rule{Illegal::UnknownReqOpcode, "unknown_req_opcode", LoggedRas, kEncoding, true,
         "3.3.3, Table 30; 8.2.5.9.1", "A request has the reserved MemOpcode 0101b"},
    Rule{Illegal::UnknownRwdOpcode, "unknown_rwd_opcode", LoggedRas, kEncoding, true,
         "3.3.6, Table 36; 8.2.5.9.1", "A request with data has the reserved MemOpcode 0011b"},
    Rule{Illegal::MemClnEvct, "mem_cln_evct", LoggedRas, kEncoding, true,
         "3.3.3, Table 30; 8.2.5.9.1", "A request is MemClnEvct (1010b), which only CXL 3.x knows"},
    Rule{Illegal::BiConflict, "bi_conflict", LoggedRas, kEncoding, true,
         "3.3.6, Table 36; 8.2.5.9.1",
         "A request with data is BIConflict (0100b), which only CXL 3.x knows"},
    Rule{Illegal::NonzeroLdId, "nonzero_ld_id", Ignored, 0, true, "2.4.1; 3.3.3",
         "A read carries LD-ID 5 although the device is a single logical device"},
    Rule{Illegal::ReservedMessageBits, "reserved_message_bits", Ignored, 0, true,
         "3.3.3, Table 30; Table 1", "The six reserved bits of a read are ones"},
    Rule{Illegal::SnoopTypeToType3, "snoop_type_to_type3", Open, 0, true, "B.2",
         "A read has SnpType SnpInv, which is illegal to a Type 3 device"},
    Rule{Illegal::UnmappedRead, "unmapped_read", AllOnes, 0, true, "8.2.5.12.2",
         "A read that no decoder hits"},
    Rule{Illegal::UnmappedWrite, "unmapped_write", Dropped, 0, true, "8.2.5.12.2",
         "A write that no decoder hits"},
    Rule{Illegal::ReqCreditOveruse, "req_credit_overuse", AnyLog, 0, false, "4.2.8.1; 8.2.5.9.1",
         "Requests are sent without credits until no buffer can hold them"},
    Rule{Illegal::RwdCreditOveruse, "rwd_credit_overuse", AnyLog, 0, false, "4.2.8.1; 8.2.5.9.1",
         "Writes are sent without credits until no buffer can hold them"},
    Rule{Illegal::ReservedHeaderBits, "reserved_header_bits", Ignored, 0, true, "4.2.2",
         "The reserved bits of a flit header are ones"},
    Rule{Illegal::TwoRwdHeadersInFlit, "two_rwd_headers_in_flit", Open, 0, false, "4.2.5",
         "A flit has two headers of requests with data"},
    Rule{Illegal::UnknownSlotFormat, "unknown_slot_format", LoggedRas, kEncoding, true,
         "4.2.2, Table 50; 8.2.5.9.1", "A slot has the reserved format 111b"},
    Rule{Illegal::FlitsBeforeActive, "flits_before_active", Open, 0, true, "5.1.2.4.1",
         "A CXL.cachemem flit comes while the vLSM is in Reset"},
    Rule{Illegal::SecondInitParam, "second_init_param", AnyLog, 0, false, "4.2.7",
         "INIT.Param comes again after it was received"},
    Rule{Illegal::FlitBeforeInitParam, "flit_before_init_param", AnyLog, 0, false, "4.2.7",
         "A flit that is no RETRY comes before INIT.Param"},
    Rule{Illegal::RetryAckUnasked, "retry_ack_unasked", AnyLog, 0, false, "4.2.8.4",
         "A framed RETRY.Ack comes without a RETRY.Req"},
    Rule{Illegal::RetryReqUnframed, "retry_req_unframed", Ignored, 0, true, "4.2.8.4, Table 55",
         "A RETRY.Req comes after four RETRY.Frame"},
    Rule{Illegal::BadAlmpCopies, "bad_almp_copies", Retrain, 0, true, "5.2; 5.1.3.2",
         "One of the four copies of an ALMP differs"},
    Rule{Illegal::StatusAlmpUnasked, "status_almp_unasked", Retrain, 0, true, "5.1.2.5.2; 5.1.2.6",
         "A Status{Active} comes that answers no request"},
    Rule{Illegal::BadLcrc, "bad_lcrc", Nak, 0, true, "PCIe 3.6.3.1", "A TLP has a wrong LCRC"},
    Rule{Illegal::SequenceAhead, "sequence_ahead", Nak, 0, true, "PCIe 3.6.3.1",
         "A TLP has a sequence number that is five ahead"},
    Rule{Illegal::SequenceRepeated, "sequence_repeated", AckAgain, 0, true, "PCIe 3.6.3.1",
         "A TLP comes again after its Ack"},
    Rule{Illegal::NullifiedTlp, "nullified_tlp", Completes, 0, true, "PCIe 3.6.3.1; 4.2.2.3",
         "A TLP is nullified by EDB and an inverted LCRC and sent again"},
    Rule{Illegal::BadDllpCrc, "bad_dllp_crc", Completes, 0, true, "PCIe 3.6.2.2",
         "A DLLP has a wrong CRC"},
    Rule{Illegal::UnknownDllp, "unknown_dllp", Completes, 0, true, "PCIe 3.6.2.2",
         "A DLLP has a reserved type"},
    Rule{Illegal::FramingToken, "framing_token", Retrain, 0, true, "6.2.9; PCIe 4.2.2.3.3",
         "A symbol where a token is due is none"},
    Rule{Illegal::TlpFirstInFcInit2, "tlp_first_in_fc_init2", Completes, 0, true, "PCIe 3.4.1",
         "All InitFC2 of the host are lost; its first TLP ends FC_INIT2 of the device"},
    Rule{Illegal::MalformedLength, "malformed_length", Malformed, 0, true, "PCIe 2.2.2; 6.2.3.2",
         "Length of a memory write does not agree with its size"},
    Rule{Illegal::UnsupportedRequestType, "unsupported_request_type", UnsupportedRequest, 0, true,
         "PCIe 2.3.1; 6.2.3.1", "An I/O read for a device without I/O space"},
    Rule{Illegal::ConfigToAbsentFunction, "config_to_absent_function", UnsupportedRequest, 0, true,
         "PCIe 2.3.1; 7.3.1", "A configuration read of function 1 of a device with one function"},
    Rule{Illegal::BarMiss, "bar_miss", UnsupportedRequest, 0, true, "PCIe 2.3.1",
         "A memory read outside every BAR"},
    Rule{Illegal::PoisonedConfigWrite, "poisoned_config_write", NotExecuted, 0, true,
         "PCIe 2.7.2.2", "A poisoned configuration write"},
    Rule{Illegal::PoisonedMemoryWrite, "poisoned_memory_write", NotExecuted, 0, true,
         "PCIe 2.7.2.2", "A poisoned write to a register"},
    Rule{Illegal::UnexpectedCompletion, "unexpected_completion", AdvisoryOrLogged, 0, true,
         "PCIe 2.3.2", "A completion comes for no request"},
};
static_assert(kRules.size() + 1 == static_cast<size_t>(Illegal::Count));

}  // namespace

std::span<const Rule> rules() {
  return kRules;
}
const Rule& rule_of(Illegal what) {
  return kRules.at(static_cast<size_t>(what) - 1);
}

}  // namespace peer
