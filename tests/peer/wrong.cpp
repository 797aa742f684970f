// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
#include "wrong.hpp"

#include <array>

namespace peer {

namespace {

constexpr uint32_t kAny = 0x1ffff;
constexpr uint32_t kRsvdEncoding = 1u << 9;
constexpr uint32_t kOverflow = 1u << 11;

constexpr Expect kIgnored{.stated = true, .ignored = true};
constexpr Expect kOpen{.uncorrectable = kAny, .fatal_allowed = true};
constexpr Expect kOpenFails{
    .uncorrectable = kAny, .fatal_allowed = true, .concerned_may_fail = true};
constexpr Expect kEncoding{.stated = true,
                           .uncorrectable = kRsvdEncoding,
                           .flit_logged = true,
                           .fatal_allowed = true,
                           .concerned_may_fail = true};
constexpr Expect kUncorrectable{.stated = true,
                                .uncorrectable = kAny,
                                .fatal_allowed = true,
                                .unharmed = false,
                                .concerned_may_fail = true};
constexpr Expect kRecovery{.stated = true, .recovery = true};
// 4.2.2 lets the receiver choose between a retry and a fatal error, and leaves the logging to the
// device.
constexpr Expect kRetryOrFatal{.uncorrectable = kAny, .retry = true, .fatal_allowed = true};

constexpr const char* kOpenText =
    "Left open. The message is dropped or logged; no other transaction is touched.";
constexpr const char* kEncodingText =
    "Uncorrectable error, Rsvd_Encoding_Violation (bit 9), the whole flit in the header log.";
constexpr const char* kIgnoredText = "Ignored: nothing is logged, traffic goes on.";
constexpr const char* kRecoveryText = "The link goes through Recovery; traffic goes on after it.";
constexpr const char* kUncorrectableText = "An uncorrectable error.";

constexpr std::array kEntries{
    WrongEntry{Wrong::UnknownTagNdr, "unknown_tag_ndr", "An NDR whose tag no request holds.",
               "3.3.5, Table 38", kOpenText, kOpen},
    WrongEntry{Wrong::UnknownTagDrs, "unknown_tag_drs", "A DRS whose tag no request holds.",
               "3.3.6, Table 41", kOpenText, kOpen},
    WrongEntry{Wrong::DoubledNdr, "doubled_ndr", "The NDR of a write is sent twice.",
               "3.3.4, Table 37", kOpenText, kOpen},
    WrongEntry{Wrong::DoubledDrs, "doubled_drs", "The DRS of a read is sent twice.",
               "B.2, Table 313", kOpenText, kOpen},
    WrongEntry{Wrong::ReservedNdrOpcode, "reserved_ndr_opcode",
               "A write is answered with NDR opcode 111b.", "3.3.5, Table 39; 8.2.5.9.1",
               kEncodingText, kEncoding},
    WrongEntry{Wrong::ReservedDrsOpcode, "reserved_drs_opcode",
               "A read is answered with DRS opcode 111b.", "3.3.6, Table 42; 8.2.5.9.1",
               kEncodingText, kEncoding},
    WrongEntry{Wrong::CmpSForWrite, "cmp_s_for_write",
               "A write of host-only coherent memory is answered with Cmp-S.", "B.4, Table 315",
               "Left open: the opcode is known, but grants a state that this memory has not.",
               kOpenFails},
    WrongEntry{Wrong::CmpEForWrite, "cmp_e_for_write",
               "A write of host-only coherent memory is answered with Cmp-E.", "B.4, Table 315",
               "Left open: the opcode is known, but grants a state that this memory has not.",
               kOpenFails},
    WrongEntry{Wrong::CmpMForWrite, "cmp_m_for_write",
               "A write is answered with Cmp-M, which only CXL 3.x knows.",
               "3.3.5, Table 39; 8.2.5.9.1", kEncodingText, kEncoding},
    WrongEntry{Wrong::MemDataNxm, "mem_data_nxm",
               "A read is answered with MemData-NXM, which only CXL 3.x knows.",
               "3.3.6, Table 42; 8.2.5.9.1", kEncodingText, kEncoding},
    WrongEntry{Wrong::NdrForRead, "ndr_for_read", "A read is answered with an NDR and no DRS.",
               "B.2, Table 313", "Left open. The read must not end as good.", kOpenFails},
    WrongEntry{Wrong::DrsForWrite, "drs_for_write", "A write is answered with a DRS and no NDR.",
               "B.4, Table 315", "Left open.", kOpenFails},
    WrongEntry{Wrong::LdIdOfNdr, "ld_id_of_ndr",
               "An NDR carries LD-ID 5 on the link of a single logical device.", "3.3.5, Table 38",
               kOpenText, kOpenFails},
    WrongEntry{Wrong::LdIdOfDrs, "ld_id_of_drs",
               "A DRS carries LD-ID 5 on the link of a single logical device.", "3.3.6, Table 41",
               kOpenText, kOpenFails},
    WrongEntry{Wrong::ReservedMetaField, "reserved_meta_field",
               "A DRS carries the reserved MetaField 01b.", "3.3.3, Table 31",
               "Left open: ignored, or a reserved encoding.", kOpenFails},
    WrongEntry{Wrong::MetaStateForWrite, "meta_state_for_write",
               "The NDR of a write carries Meta0-State instead of No-Op.", "B.4, Table 315",
               "Left open: a host never needs it.", kOpenFails},
    WrongEntry{Wrong::AnswerToMemSpecRd, "answer_to_mem_spec_rd",
               "A MemSpecRd is answered with a DRS; its tag is held by no other request.",
               "3.3.3, Table 30", kOpenText, kOpen},
    WrongEntry{Wrong::HalfLineOnly, "half_line_only",
               "Of a read only the lower 32 bytes ever come.", "4.2.2; 3.3.7",
               "Left open. The read must not end as good.", kOpenFails},
    WrongEntry{Wrong::HalvesSplit, "halves_split",
               "A line of another read comes between the halves of a line.", "3.3.7",
               "Left open. Neither line may end as good with wrong data.", kOpenFails},
    WrongEntry{
        Wrong::OveruseNdr, "overuse_ndr",
        "NDRs with unknown tags are sent without a pause until 64 more have left than were "
        "granted.",
        "4.2.2; 8.2.5.9.1",
        "Receiver_Overflow (bit 11), log code 100b, if the receiver's buffer is full at any time.",
        Expect{.uncorrectable = kOverflow,
               .overflow_code = 4,
               .fatal_allowed = true,
               .unharmed = false}},
    WrongEntry{
        Wrong::OveruseDrs, "overuse_drs",
        "DRSs with unknown tags are sent without a pause until 64 more have left than were "
        "granted.",
        "4.2.2; 8.2.5.9.1",
        "Receiver_Overflow (bit 11), log code 101b, if the receiver's buffer is full at any time.",
        Expect{.uncorrectable = kOverflow,
               .overflow_code = 5,
               .fatal_allowed = true,
               .unharmed = false}},
    WrongEntry{
        Wrong::MdhAnyway, "mdh_anyway",
        "A slot with two data headers is sent; it is wrong if the host has disabled them.",
        "4.2.5; 8.2.5.11.7",
        "If the defeature bit is set at the host: a fatal error. Otherwise the flit is legal.",
        Expect{.uncorrectable = kAny, .fatal_allowed = true, .unharmed = false}},
    WrongEntry{Wrong::MdhOneHeader, "mdh_one_header",
               "A multi-data-header slot carries one valid header.", "4.2.5",
               "Left open; the data is unambiguous.", kOpenFails},
    WrongEntry{Wrong::MdhHalfLine, "mdh_half_line", "A multi-data-header slot is sent with Sz = 0.",
               "4.2.2, Table 47", kUncorrectableText, kUncorrectable},
    WrongEntry{Wrong::TwoDataHeaders, "two_data_headers",
               "A flit without a multi-data-header slot carries two data headers.", "4.2.5",
               "Left open.", kOpenFails},
    WrongEntry{Wrong::ThreeNdr, "three_ndr",
               "A flit carries three NDRs, the third with an unknown tag.", "4.2.5",
               "Left open: a receiver need not have room for more than two.", kOpenFails},
    WrongEntry{Wrong::ByteEnablesOfDrs, "byte_enables_of_drs",
               "A DRS has BE = 1 and a byte-enable slot after its data.", "4.2.2, Table 47",
               kUncorrectableText, kUncorrectable},
    WrongEntry{Wrong::ReservedMessageBits, "reserved_message_bits",
               "The reserved bits of a DRS are ones.", "4.2.2; 3.3.6", kIgnoredText, kIgnored},
    WrongEntry{Wrong::CacheMessage, "cache_message",
               "A valid D2H Req comes from a device without CXL.cache.", "4.2.2; 8.1.3.1",
               "Left open: no D2H credit was ever granted.", kOpen},
    WrongEntry{Wrong::ReservedHeaderSlot, "reserved_header_slot",
               "Slot 0 has the reserved format 111b.", "4.2.2, Table 50; 8.2.5.9.1", kEncodingText,
               kEncoding},
    WrongEntry{Wrong::ReservedGenericSlot, "reserved_generic_slot",
               "Slot 2 has the reserved format 111b.", "4.2.2, Table 50; 8.2.5.9.1", kEncodingText,
               kEncoding},
    WrongEntry{Wrong::MacSlot, "mac_slot", "Slot 0 has format H6 although IDE is off.",
               "4.2.2; 11.1", "Left open; an unrecognised encoding without IDE.", kOpen},
    WrongEntry{Wrong::ReservedHeaderBits, "reserved_header_bits",
               "The four reserved bits of the flit header are ones in an otherwise empty flit.",
               "4.2.2", kIgnoredText, kIgnored},
    WrongEntry{Wrong::ReservedSlotBits, "reserved_slot_bits",
               "Bits of a slot that belong to no message are ones in an otherwise empty flit.",
               "4.2.2", kIgnoredText, kIgnored},
    WrongEntry{Wrong::ReservedControlType, "reserved_control_type",
               "A control flit has the reserved LLCTRL 0111b; it is not in the retry buffer.",
               "4.2.6, Table 53; 4.2.2", "Treated as a CRC error (a retry follows) or as fatal.",
               kRetryOrFatal},
    WrongEntry{Wrong::ControlStaticBits, "control_static_bits",
               "A RETRY.Idle has ones where the standard fixes zeros.", "4.2.2; 4.2.6",
               "Treated as a CRC error (a retry follows) or as fatal, by a receiver that checks "
               "these bits.",
               kRetryOrFatal},
    WrongEntry{Wrong::NonRetryBeforeInit, "non_retry_before_init",
               "An LLCRD comes before INIT.Param.", "4.2.7", kUncorrectableText, kUncorrectable},
    WrongEntry{Wrong::SecondInit, "second_init", "INIT.Param comes again after it was received.",
               "4.2.7", kUncorrectableText, kUncorrectable},
    WrongEntry{Wrong::InitVersion, "init_version", "INIT.Param names the reserved version 0.",
               "4.2.6, Table 54", "Left open.",
               Expect{.uncorrectable = kAny, .fatal_allowed = true, .unharmed = false}},
    WrongEntry{Wrong::RetryAckUnasked, "retry_ack_unasked",
               "A framed RETRY.Ack comes without a RETRY.Req.", "4.2.8.4",
               "An error; it is recommended to halt. The LRSM does not change.", kUncorrectable},
    WrongEntry{Wrong::RetryReqUnframed, "retry_req_unframed",
               "A RETRY.Req comes after four RETRY.Frame.", "4.2.8.4, Table 55",
               "Dropped, nothing changes.", kIgnored},
    WrongEntry{Wrong::RetryAckUnframed, "retry_ack_unframed",
               "A RETRY.Ack comes after four RETRY.Frame.", "4.2.8.4, Table 55",
               "Dropped, nothing changes.", kIgnored},
    WrongEntry{Wrong::RetryFrameAlone, "retry_frame_alone",
               "Five RETRY.Frame come and nothing after them.", "4.2.8.4, Table 55",
               "Dropped, nothing changes.", kIgnored},
    WrongEntry{Wrong::RetryReqBeyond, "retry_req_beyond",
               "A framed RETRY.Req names a sequence number that was acknowledged long ago.",
               "4.2.8.1; 4.2.8.3", "Left open.",
               Expect{.uncorrectable = kAny, .fatal_allowed = true, .unharmed = false}},
    WrongEntry{Wrong::AckBeyond, "ack_beyond",
               "An LLCRD acknowledges 200 flits more than were sent.", "4.2.8.1", "Left open.",
               Expect{.uncorrectable = kAny, .fatal_allowed = true, .unharmed = false}},
    WrongEntry{Wrong::SpeaksFirst, "speaks_first",
               "The upstream port sends Request{Active} before it has received a flit.", "5.1.2.2",
               "Left open: answered, or Recovery. The link comes up.", Expect{.recovery = true}},
    WrongEntry{Wrong::StatusUnasked, "status_unasked",
               "A Status{Active} comes that answers no request.", "5.1.2.5.2; 5.1.2.6",
               kRecoveryText, kRecovery},
    WrongEntry{Wrong::StatusOfAnotherState, "status_of_another_state",
               "A Request{Active} is answered with Status{L1.0}.", "5.1.2.6", kRecoveryText,
               kRecovery},
    WrongEntry{Wrong::UnknownAlmp, "unknown_almp", "An ALMP has the reserved message code FFh.",
               "5.2, Table 62", "Left open: dropped, or an ALMP error and so Recovery.",
               Expect{.recovery = true}},
    WrongEntry{Wrong::AlmpCopiesDiffer, "almp_copies_differ",
               "One of the four copies of an ALMP differs.", "5.2; 5.1.3.2", kRecoveryText,
               kRecovery},
    WrongEntry{Wrong::AlmpInstance, "almp_instance", "A Status names the reserved vLSM instance 5.",
               "5.2, Table 62", "Left open: dropped, or an ALMP error and so Recovery.",
               Expect{.recovery = true}},
    WrongEntry{Wrong::AlmpState, "almp_state", "A Request names the reserved state 2.",
               "5.2, Table 62", "Left open: dropped, or an ALMP error and so Recovery.",
               Expect{.recovery = true}},
    WrongEntry{Wrong::RequestDuringSync, "request_during_sync",
               "After Recovery a Request{Active} comes where a Status is due.", "5.1.2.6",
               kRecoveryText, kRecovery},
    WrongEntry{Wrong::CacheMemBeforeActive, "cachemem_before_active",
               "A CXL.cachemem flit comes while the vLSM is in Reset.", "5.1.2.4.1",
               "Left open: dropped. The link comes up.",
               Expect{.uncorrectable = kAny, .recovery = true, .fatal_allowed = true}},
    WrongEntry{Wrong::IoBeforeActive, "io_before_active",
               "A CXL.io flit comes while the vLSM is in Reset.", "5.1.2.4.1",
               "Left open: dropped. The link comes up.",
               Expect{.uncorrectable = kAny, .recovery = true, .fatal_allowed = true}},
};

constexpr size_t first_of_wire() {
  size_t index = 0;
  while (index < kEntries.size() && !is_of_wire(kEntries[index].wrong)) ++index;
  return index;
}

}  // namespace

std::span<const WrongEntry> all_wrongs() {
  return kEntries;
}
std::span<const WrongEntry> device_wrongs() {
  return kEntries;
}
std::span<const WrongEntry> wire_wrongs() {
  return all_wrongs().subspan(first_of_wire());
}

const WrongEntry& entry_of(Wrong wrong) {
  for (const WrongEntry& entry : kEntries) {
    if (entry.wrong == wrong) return entry;
  }
  return kEntries.front();
}

}  // namespace peer
