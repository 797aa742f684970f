// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
// The situations that the suites must have been in: every group of functional coverage, as data.
//
// Purpose: axes, values, what cannot be and why. Nothing here depends on what ran. The enums number
//          the values of the axes, in the same order, for those who count.
// Units:   owed, rollover: data slots of 16 bytes. Credits and queue levels in messages.
// Source:  CXL 2.0 for what the wire allows; docs/blocks (block named in the reason) for what
//          our blocks do.
#pragma once

#include <utility>

#include "tests/coverage/pair_groups.hpp"
#include "tests/coverage/pairs_cache.hpp"
#include "tests/coverage/pairs_ds.hpp"
#include "tests/coverage/pairs_endpoint.hpp"
#include "tests/coverage/pairs_flex_bus.hpp"
#include "tests/coverage/pairs_io.hpp"
#include "tests/coverage/pairs_link.hpp"
#include "tests/coverage/pairs_parts.hpp"
#include "tests/coverage/pairs_registers.hpp"
#include "tests/coverage/pairs_root_port.hpp"

namespace cxlgpu::coverage {

// ---- opcode x slot format x rollover -----------------------------------------------------------

// By the RTL's packers, by its unpackers, and on the links of the RTL system.
enum class Side : unsigned { Packed, Unpacked, Wire };

inline constexpr std::string_view kReqs =
    "MemInv|MemRd|MemRdData|MemRdFwd|MemWrFwd|MemSpecRd|MemInvNT";
inline constexpr std::string_view kRwds = "MemWr|MemWrPtl";
inline constexpr std::string_view kNdrs = "Cmp|CmpS|CmpE";
inline constexpr Reason kOwedSlot = standard("a slot that is owed holds data, no header");
inline constexpr Reason kInSlots1to3 = standard("with 3 slots owed all of slots 1 to 3 hold data");
inline constexpr Reason kBehindOwed = standard(
    "the RwD stands behind slot 0 and the owed slots; its 4 chunks less the slots behind it roll "
    "over at least");

inline Group flits_m2s() {
  constexpr Reason kOneRwd = standard(
      "one RwD a flit (maximum messages), of 4 chunks and at most a byte enable slot, less the "
      "slots behind its header: no other number can be left");
  constexpr std::string_view kFirstFree =
      "flit_packer: the RwD goes into the first free slot, directly behind slot 0 and what is owed";
  constexpr std::string_view kWhole =
      "memory_queue: MemWr is sent with all byte enables, and so without a byte enable slot";
  constexpr std::string_view kPart =
      "memory_queue: MemWrPtl is sent with byte enables, which take a slot";
  return {
      .name = "flits_m2s",
      .title = "M2S: opcode x slot format x data slots owed before and rolling over after",
      .seen =
          "every flit that the RTL packs or unpacks in lockstep with its twin, and every flit on "
          "the links of the RTL system beside its model, through the link checker",
      .suites = {"controller_flit_packer_test", "controller_flit_unpacker_test",
                 "controller_cache_packer_test", "system_wire_formats_test"},
      .axes = {{"side", {"packed", "unpacked", "wire"}},
               {"opcode",
                {"MemInv", "MemRd", "MemRdData", "MemRdFwd", "MemWrFwd", "MemSpecRd", "MemInvNT",
                 "MemWr", "MemWrPtl"}},
               {"format",
                {"H0", "H1", "H2", "H3", "H4", "H5", "H6", "G0", "G1", "G2", "G3", "G4", "G5",
                 "G6"}},
               {"owed", {"0", "1", "2", "3"}},
               {"rollover", {"0", "1", "2", "3", "4", "5"}}},
      .impossible = {
          {{"wire", "!MemRd|MemSpecRd|MemWr|MemWrPtl", "*", "*", "*"},
           "memory_queue: a root port sends MemRd, MemSpecRd, MemWr and MemWrPtl"},
          {{"*", "*", "G6", "*", "*"}, standard("CXL 2.0 slot formats: G6 does not exist in M2S")},
          {{"*", "*", "H6", "*", "*"},
           standard("CXL 2.0 slot formats: H6 holds a MAC, no message")},
          {{"*", "*", "G0", "*", "*"}, standard("CXL 2.0 slot formats: G0 holds data, no message")},
          {{"*", kReqs, "!H5|G4", "*", "*"},
           standard("CXL 2.0 slot formats: an M2S Req has a place in H5 and G4 only")},
          {{"*", kRwds, "!H4|G5", "*", "*"},
           standard("CXL 2.0 slot formats: an M2S RwD has a place in H4 and G5 only")},
          {{"*", "*", "G4|G5", "3", "*"}, kInSlots1to3},
          {{"*", "*", "H5", "*", "1"}, kBehindOwed},
          {{"*", "*", "H5", "1", "2"}, kBehindOwed},
          {{"*", "*", "H5", "2", "2|3"}, kBehindOwed},
          {{"*", "*", "H5", "3", "!0"}, kInSlots1to3},
          {{"*", "*", "G4", "*", "1"}, kBehindOwed},
          {{"*", "*", "G4", "0", "2"},
           standard("the RwD would stand in slot 1: behind it no slot is left for a Req")},
          {{"*", "*", "G4", "1", "2|3"},
           standard(
               "the RwD would stand in slot 2 or before: behind it no slot is left for a Req")},
          {{"*", "*", "G4", "2", "!0"},
           standard("slot 3 is the only free one: no RwD beside the Req")},
          {{"*", "*", "H4", "0", "!1|2"}, kOneRwd},
          {{"*", "*", "H4", "1", "!2|3"}, kOneRwd},
          {{"*", "*", "H4", "2", "!3|4"}, kOneRwd},
          {{"*", "*", "H4", "3", "!4|5"}, kOneRwd},
          {{"*", "*", "G5", "0", "0|1"}, kBehindOwed},
          {{"*", "*", "G5", "1", "0|1|2"}, kBehindOwed},
          {{"*", "*", "G5", "2", "0|1|2|3"}, kBehindOwed},
          {{"packed|wire", "*", "H5|G5", "0", "4|5"}, kFirstFree},
          {{"packed|wire", "*", "H5|G5", "1", "5"}, kFirstFree},
          {{"packed|wire", "*", "G4", "*", "!0"},
           "flit_packer: a Req goes into a generic slot only if no RwD is offered"},
          {{"wire", "MemWr", "H4", "0", "2"}, kWhole},
          {{"wire", "MemWr", "H4", "1", "3"}, kWhole},
          {{"wire", "MemWr", "H4", "2", "4"}, kWhole},
          {{"wire", "MemWr", "H4", "3", "5"}, kWhole},
          {{"wire", "MemWr", "G5", "0", "3"}, kWhole},
          {{"wire", "MemWr", "G5", "1", "4"}, kWhole},
          {{"wire", "MemWr", "G5", "2", "5"}, kWhole},
          {{"wire", "MemWrPtl", "H4", "0", "1"}, kPart},
          {{"wire", "MemWrPtl", "H4", "1", "2"}, kPart},
          {{"wire", "MemWrPtl", "H4", "2", "3"}, kPart},
          {{"wire", "MemWrPtl", "H4", "3", "4"}, kPart},
          {{"wire", "MemWrPtl", "G5", "0", "2"}, kPart},
          {{"wire", "MemWrPtl", "G5", "1", "3"}, kPart},
          {{"wire", "MemWrPtl", "G5", "2", "4"}, kPart}}};
}

inline Group flits_s2m() {
  constexpr Reason kBlocked = standard(
      "one slot with data headers a flit, of 1 to 3 DRS of 4 chunks, less the slots behind it: no "
      "other number can be left beside this format");
  constexpr std::string_view kNoGeneric =
      "flit_packer, cache_packer: a DRS goes into slot 0 with the NDR, or into the first free slot "
      "behind slot 0";
  return {
      .name = "flits_s2m",
      .title = "S2M: opcode x slot format x data slots owed before and rolling over after",
      .seen =
          "every flit that the RTL packs or unpacks in lockstep with its twin, and every flit on "
          "the links of the RTL system beside its model, through the link checker",
      .suites = {"controller_flit_packer_test", "controller_flit_unpacker_test",
                 "controller_cache_packer_test", "system_wire_formats_test"},
      .axes = {{"side", {"packed", "unpacked", "wire"}},
               {"opcode", {"Cmp", "CmpS", "CmpE", "MemData"}},
               {"format",
                {"H0", "H1", "H2", "H3", "H4", "H5", "H6", "G0", "G1", "G2", "G3", "G4", "G5",
                 "G6"}},
               {"owed", {"0", "1", "2", "3"}},
               {"rollover", {"0", "1", "2", "3", "4", "5", "6", "7", "8", "9", "10", "11", "12"}}},
      .impossible = {
          {{"wire", "CmpS|CmpE", "*", "*", "*"}, "endpoint, transaction table: every NDR is Cmp"},
          {{"wire", "*", "H0|G4|G5", "*", "*"},
           "flit_packer: slot 0 is free in every protocol flit and takes the message"},
          {{"*", "*", "H6", "*", "*"},
           standard("CXL 2.0 slot formats: H6 holds a MAC, no message")},
          {{"*", "*", "G0", "*", "*"}, standard("CXL 2.0 slot formats: G0 holds data, no message")},
          {{"*", kNdrs, "!H0|H3|H4|G4|G5", "*", "*"},
           standard("CXL 2.0 slot formats: an S2M NDR has a place in H0, H3, H4, G4 and G5 only")},
          {{"*", "MemData", "!H3|H5|G4|G6", "*", "*"},
           standard("CXL 2.0 slot formats: an S2M DRS has a place in H3, H5, G4 and G6 only")},
          {{"packed|wire", "*", "G6", "*", "*"},
           "flit_packer, cache_packer: no generic slot with several DRS is sent"},
          {{"*", "*", "G4|G5|G6", "3", "*"}, kInSlots1to3},
          {{"*", "MemData", "H3", "0", "!1"}, kBlocked},
          {{"*", "MemData", "H3", "1", "!2"}, kBlocked},
          {{"*", "MemData", "H3", "2", "!3"}, kBlocked},
          {{"*", "MemData", "H3", "3", "!4"}, kBlocked},
          {{"*", "MemData", "H5", "0", "!5"}, kBlocked},
          {{"*", "MemData", "H5", "1", "!6"}, kBlocked},
          {{"*", "MemData", "H5", "2", "!7"}, kBlocked},
          {{"*", "MemData", "H5", "3", "!8"}, kBlocked},
          {{"*", "MemData", "G4", "0", "!2|3|4"}, kBlocked},
          {{"*", "MemData", "G4", "1", "!3|4"}, kBlocked},
          {{"*", "MemData", "G4", "2", "!4"}, kBlocked},
          {{"*", "MemData", "G6", "0", "!6|7|8|10|11|12"}, kBlocked},
          {{"*", "MemData", "G6", "1", "!7|8|11|12"}, kBlocked},
          {{"*", "MemData", "G6", "2", "!8|12"}, kBlocked},
          {{"*", kNdrs, "H0|H4", "0", "1|5|9"}, kBlocked},
          {{"*", kNdrs, "H0|H4", "1", "!0|3|4|7|8|11|12"}, kBlocked},
          {{"*", kNdrs, "H0|H4", "2", "!0|4|8|12"}, kBlocked},
          {{"*", kNdrs, "H0|H4", "3", "!0"}, kInSlots1to3},
          {{"*", kNdrs, "H3", "0", "5|9"}, kBlocked},
          {{"*", kNdrs, "H3", "1", "!0|2|3|4|7|8|11|12"}, kBlocked},
          {{"*", kNdrs, "H3", "2", "!0|3|4|8|12"}, kBlocked},
          {{"*", kNdrs, "H3", "3", "!0|4"}, kBlocked},
          {{"*", kNdrs, "G4", "0", "!0|2|3|4|7|8|11|12"}, kBlocked},
          {{"*", kNdrs, "G4", "1", "!0|3|4|8|12"}, kBlocked},
          {{"*", kNdrs, "G4", "2", "!0|4"}, kBlocked},
          {{"*", kNdrs, "G5", "0", "!0|3|4|7|8|11|12"}, kBlocked},
          {{"*", kNdrs, "G5", "1", "!0|4|8|12"}, kBlocked},
          {{"*", kNdrs, "G5", "2", "!0"},
           standard("slot 3 is the only free one: no DRS beside it")},
          {{"packed|wire", "MemData", "G4", "0", "!2"}, kNoGeneric},
          {{"packed|wire", "MemData", "G4", "1", "!3"}, kNoGeneric},
          {{"packed|wire", kNdrs, "H4", "*", "!0"},
           "flit_packer: H4 is sent only if no DRS is offered"},
          {{"packed|wire", kNdrs, "H3", "0", "!1"},
           "flit_packer: H3 is sent only with a DRS in it"},
          {{"packed|wire", kNdrs, "H3", "1", "!2"},
           "flit_packer: H3 is sent only with a DRS in it"},
          {{"packed|wire", kNdrs, "H3", "2", "!3"},
           "flit_packer: H3 is sent only with a DRS in it"},
          {{"packed|wire", kNdrs, "H3", "3", "!4"},
           "flit_packer: H3 is sent only with a DRS in it"},
          {{"packed|wire", kNdrs, "H0", "0", "!0|2"}, kNoGeneric},
          {{"packed|wire", kNdrs, "H0", "1", "!0|3"}, kNoGeneric},
          {{"packed|wire", kNdrs, "H0", "2", "!0|4"}, kNoGeneric},
          {{"packed|wire", kNdrs, "G4", "0", "!2"},
           "cache_packer: G4 is sent only with a DRS in it, in the first free slot"},
          {{"packed|wire", kNdrs, "G4", "1", "!3"},
           "cache_packer: G4 is sent only with a DRS in it, in the first free slot"},
          {{"packed|wire", kNdrs, "G4", "2", "!4"},
           "cache_packer: G4 is sent only with a DRS in it, in the first free slot"},
          {{"packed|wire", kNdrs, "G5", "*", "!0"},
           "cache_packer: G5 is sent only if no DRS is offered"}}};
}

// A line in two halves of 32 bytes, as a peer may send it: ours never does.
inline Group drs_halves() {
  return {.name = "drs_halves",
          .title =
              "S2M DRS of 32 bytes: half of its line x slot of the header x data slots owed before",
          .seen = "data headers with Sz = 0 at the RTL's unpacker, in lockstep with its twin",
          .suites = {"controller_flit_unpacker_test"},
          .axes = {{"half", {"first", "second"}},
                   {"slot", {"0", "1", "2", "3"}},
                   {"owed", {"0", "1", "2", "3"}}},
          .impossible = {{{"*", "1", "!0"}, kOwedSlot},
                         {{"*", "2", "2|3"}, kOwedSlot},
                         {{"*", "3", "3"}, kOwedSlot}}};
}

// What arrives at a controller, by what its receiver makes of it.
enum class FlitBin : unsigned {
  Protocol,
  AllData,
  Llcrd,
  RetryIdle,
  RetryFrame,
  RetryReq,
  RetryAck,
  InitParam,
  Dropped
};
enum class OwedBin : unsigned { None, Some, AllDataNext };

inline Group link_flits() {
  return {
      .name = "link_flits",
      .title = "Flit kind x data slots owed x state of the receiver",
      .seen = "good flits at two RTL controllers, each in lockstep with its twin",
      .suites = {"controller_cxl_controller_test", "controller_cache_controller_test"},
      .axes = {{"direction", {"M2S", "S2M"}},
               {"kind",
                {"protocol", "all-data", "LLCRD", "RETRY.Idle", "RETRY.Frame", "RETRY.Req",
                 "RETRY.Ack", "INIT.Param", "dropped"}},
               {"owed", {"0", "1 to 3", "4 or more"}},
               {"receiver", {"normal", "retrying"}}},
      .impossible = {
          {{"*", "protocol|all-data|LLCRD|INIT.Param", "*", "retrying"},
           standard("CXL 2.0 4.2.8.5: a receiver that retries drops all but RETRY flits")},
          {{"*", "dropped", "*", "normal"},
           standard("CXL 2.0 4.2.8.5: NORMAL accepts every good flit")},
          {{"*", "!all-data", "4 or more", "normal"},
           standard(
               "CXL 2.0 4.2.5: with 4 or more slots owed the flit is all data, whatever its bits")},
          {{"*", "all-data", "!4 or more", "normal"},
           standard("CXL 2.0 4.2.5: an all-data flit comes only when 4 or more slots are owed")}}};
}

// ---- interleave x granularity x boundary -------------------------------------------------------

enum class HdmPlace : unsigned {
  RangeFirst,
  ChunkFirst,
  ChunkInner,
  ChunkLast,
  RangeLast,
  Below,
  Above
};

inline Group hdm() {
  return {
      .name = "hdm",
      .title = "HDM decoder: interleave ways x granularity x boundary",
      .seen = "decode outputs of the RTL's decoder, compared with its twin's",
      .suites = {"host_bridge_hdm_decoder_test"},
      .axes = {{"decoder", {"host bridge", "device"}},
               {"ways", {"1", "2", "4", "8", "16", "3", "6", "12"}},
               {"granularity", {"256 B", "512 B", "1 KiB", "2 KiB", "4 KiB", "8 KiB", "16 KiB"}},
               {"place",
                {"first of range", "first of chunk", "inside chunk", "last of chunk",
                 "last of range", "line below", "line above"}}},
      .impossible = {{{"host bridge", "16|3|6|12", "*", "*"},
                      "hdm_decoder: 3-, 6-, 12- and 16-way sets are for devices, a host bridge "
                      "refuses to commit them"}}};
}

// ---- policy x DevLoad x window side ------------------------------------------------------------

enum class WindowSide : unsigned { None, Own, Start, End, Both, Elsewhere, ClipStart, ClipEnd };

inline Group speculation() {
  constexpr std::string_view kDyn = "sr_reader: dyn asks from the load's granule upwards";
  return {
      .name = "speculation",
      .title = "Speculative read: policy x DevLoad at the lookup x side of the window",
      .seen =
          "MemSpecRd taken from the RTL's reader in lockstep with its twin, with the "
          "granularity and level that load_control's twin gives for the DevLoads",
      .suites = {"root_port_sr_reader_test"},
      .axes = {{"policy", {"off", "naive", "dyn", "sr-paper", "sr", "stream", "sr around"}},
               {"DevLoad", {"light", "optimal", "moderate", "severe"}},
               {"side",
                {"nothing requested", "own granule", "start side", "end side", "both sides",
                 "other region", "clipped at start", "clipped at end"}}},
      .impossible = {
          {{"off", "*", "!nothing requested"}, "sr_reader: policy off passes every load"},
          {{"naive", "*", "nothing requested"}, "sr_reader: naive asks for every load"},
          {{"naive", "*", "!own granule"}, "sr_reader: naive asks for the load's granule alone"},
          {{"!naive", "severe", "!nothing requested"},
           "load_control: severe is Halted, and sr_reader passes a load that is halted; stream: "
           "with level severe nothing is requested"},
          {{"dyn", "*", "start side|both sides|clipped at start"}, kDyn},
          {{"dyn|sr-paper|sr|sr around", "*", "other region"},
           "sr_reader: the window holds the load's own granule"},
          {{"stream", "*", "both sides"},
           "stream_table: a run goes one way, the direction of its stream"},
          {{"stream", "*", "clipped at start|clipped at end"},
           "stream_table: a run ends at its 1 KiB region, and there are runs only in chunks of "
           "at least 1 KiB"}}};
}

// ---- state of a line in deterministic store x hazard -------------------------------------------

enum class DsLine : unsigned {
  Absent,
  InFifo,
  DeferredPart,
  DeferredWhole,
  LatePart,
  LateWhole,
  FlushChosen,
  UnderWayPart,
  UnderWayWhole,
  DirtyPart,
  DirtyWhole,
  MergeAtEndpoint,
  MergeAtLocal
};
enum class DsHazard : unsigned { LoadEnters, LoadAtHead, Store, StoreAfterLoad, Flush, Fence };

inline Group ds_hazards() {
  return {
      .name = "ds_hazards",
      .title = "Deterministic store: state of a line x what meets it",
      .seen =
          "ports of the RTL's engine in lockstep with its twin, whose state says where the "
          "line is",
      .suites = {"root_port_ds_engine_test"},
      .axes = {{"state",
                {"absent", "in FIFO", "deferred part", "deferred whole", "late part", "late whole",
                 "flush chosen", "in flight part", "in flight whole", "dirty again part",
                 "dirty again whole", "merge at endpoint", "merge at local memory"}},
               {"hazard",
                {"load enters (RAW)", "load at the head (RAW)", "store (WAW)",
                 "store after load (WAR)", "flush", "fence"}}},
      .impossible = {
          {{"absent", "flush"}, "ds_engine: only a deferred line is flushed"},
          {{"in flight part|in flight whole|dirty again part|dirty again whole", "flush"},
           "ds_engine: a line is in at most one of index and write table, and a flush takes its "
           "line from the index"},
          {{"flush chosen", "flush"}, "ds_engine: the sequencer does one operation at a time"}}};
}

// ---- retry state x error kind x traffic --------------------------------------------------------

enum class ErrorKind : unsigned {
  OneBit,
  TwoBits,
  Burst,
  Garbage,
  Inverted,
  BadFrame,
  BadReq,
  BadAck,
  StaleAck,
  Recovery
};
enum class Traffic : unsigned { None, Requests, Data, Both };
enum class Lrsm : unsigned { Normal, LlrReq, LocalIdle, PhyReinit, Abort };
enum class Rrsm : unsigned { Idle, AckDue, Replaying };

inline const std::vector<std::string_view> kErrorKinds{
    "one bit",   "two bits", "burst",   "garbage",   "inverted CRC",
    "bad Frame", "bad Req",  "bad Ack", "stale Ack", "Recovery"};
inline const std::vector<std::string_view> kTraffics{"control only", "requests", "data", "both"};

inline Group retry_lrsm() {
  return {
      .name = "retry_lrsm",
      .title = "Local retry state x error that arrives x traffic on its wire",
      .seen = "two RTL controllers, each in lockstep with its twin; the harness knows the fault",
      .suites = {"controller_cxl_controller_test"},
      .axes = {{"LRSM", {"NORMAL", "LLRREQ", "LOCAL_IDLE", "PHY_REINIT", "ABORT"}},
               {"error", kErrorKinds},
               {"traffic", kTraffics}},
      .impossible = {}};
}

inline Group retry_rrsm() {
  return {
      .name = "retry_rrsm",
      .title = "Remote retry state x error that arrives x traffic on its wire",
      .seen = "two RTL controllers, each in lockstep with its twin; the harness knows the fault",
      .suites = {"controller_cxl_controller_test"},
      .axes = {{"RRSM", {"idle", "Ack due", "replaying"}},
               {"error", kErrorKinds},
               {"traffic", kTraffics}},
      .impossible = {}};
}

enum class LrsmEvent : unsigned {
  Retryable,
  NotRetryable,
  Bad,
  AckAwaited,
  AckEmpty,
  AckOther,
  TxFlit,
  ReqSent,
  PhyDone,
  Start,
  Exhausted
};

inline Group lrsm_events() {
  return {.name = "lrsm_events",
          .title = "Local retry state machine: state x input",
          .seen = "the RTL's machine in lockstep with its twin",
          .suites = {"controller_retry_local_test"},
          .axes = {{"LRSM", {"NORMAL", "LLRREQ", "LOCAL_IDLE", "PHY_REINIT", "ABORT"}},
                   {"input",
                    {"retryable flit", "other good flit", "bad flit", "Ack awaited",
                     "empty Ack awaited", "other Ack", "flit sent", "Req sent", "PHY done", "start",
                     "NUM_RETRY at its maximum"}}},
          .impossible = {}};
}

enum class RrsmEvent : unsigned {
  PushHeader,
  PushAdf,
  Acked,
  AckedTooMuch,
  Req,
  AckSent,
  Replayed,
  PhyDone,
  Start
};

inline Group rrsm_events() {
  return {
      .name = "rrsm_events",
      .title = "Retry buffer and remote retry state machine: state x input",
      .seen = "the RTL's buffer in lockstep with its twin",
      .suites = {"controller_retry_buffer_test"},
      .axes = {{"RRSM", {"idle", "Ack due", "replaying", "Ack due while replaying"}},
               {"buffer", {"empty", "some", "one free"}},
               {"input",
                {"new flit", "new all-data flit", "flits acknowledged", "too many acknowledged",
                 "RETRY.Req", "RETRY.Ack sent", "flit replayed", "PHY done", "start"}}},
      .impossible = {
          {{"*", "empty", "flits acknowledged"},
           "retry_buffer: with nothing held any acknowledgement is too many"},
          {{"replaying|Ack due while replaying", "*", "new flit|new all-data flit"},
           "link_layer select: a replay comes before anything new"},
          {{"idle|Ack due", "*", "flit replayed"}, "retry_buffer: nothing to replay"},
          {{"idle|replaying", "*", "RETRY.Ack sent"}, "retry_buffer: no Ack is due"},
          {{"*", "one free", "new flit|new all-data flit"},
           "link_layer select: a run is begun only with room for all of it, keeping one free"}}};
}

// ---- fault on the wire x whose flit x what the link does ----------------------------------------

enum class WireFlitBin : unsigned { CacheMem, Io, Almp };
enum class WireFault : unsigned {
  Bits,
  Lost,
  Duplicate,
  Swapped,
  CopiesDiffer,
  Malformed,
  Recovery,
  Asked
};
enum class LinkMoment : unsigned { Steady, Retry, Synchronising, Nap };

inline Group wire_faults() {
  return {.name = "wire_faults",
          .title = "Two ports: flit at hand x fault x what the link is doing",
          .seen =
              "two RTL ports (controller and ARB/MUX) under the link checker, which find every "
              "message, retry and Recovery accounted for",
          .suites = {"controller_port_pair_test"},
          .axes = {{"flit", {"CXL.cachemem", "CXL.io", "ALMP"}},
                   {"fault",
                    {"bit errors", "lost", "duplicate", "wrong protocol ID", "copies differ",
                     "malformed", "PHY retrains", "Recovery requested"}},
                   {"link", {"steady", "retry in progress", "vLSMs not Active", "L1 requested"}}},
          .impossible = {{{"!ALMP", "copies differ|malformed", "*"},
                          "ARB/MUX: only an ALMP has copies and constant bits"},
                         {{"ALMP", "bit errors", "*"},
                          "ARB/MUX: bit errors in an ALMP are copies that differ or a code that "
                          "does not exist"},
                         {{"ALMP", "*", "steady|retry in progress"},
                          "vlsm: until an ALMP has come the vLSM that it is for is not in Active, "
                          "or L1 is requested"},
                         {{"*", "Recovery requested", "L1 requested"},
                          "vlsm: an upper layer has one request at a time, L1 or Recovery"},
                         {{"ALMP", "wrong protocol ID", "*"},
                          "faults.hpp: the wrong protocol ID is that of an ALMP"}}};
}

// ---- credit level x stall ----------------------------------------------------------------------

enum class CreditLevel : unsigned { None, One, Some, All };
enum class QueueLevel : unsigned { Empty, Some, Full };

inline Group credits() {
  return {
      .name = "credits",
      .title = "Channel x sender's credits x sender x receive queue",
      .seen =
          "every cycle of two initialised RTL controllers in lockstep with their twins, until a "
          "flit of the test's own or a Recovery at one end alone makes credits mean nothing",
      .suites = {"controller_cxl_controller_test", "controller_cache_controller_test"},
      .axes = {{"channel", {"Req", "RwD", "NDR", "DRS"}},
               {"credits", {"0", "1", "some", "all"}},
               {"sender", {"idle", "goes on", "waits"}},
               {"receive queue", {"empty", "some", "full"}}},
      .impossible = {
          {{"*", "all", "*", "some|full"},
           standard("CXL 2.0 4.2.2: an entry in use is a credit the sender has not got back")},
          {{"*", "1|some", "*", "full"},
           standard("CXL 2.0 4.2.2: a full queue has every credit of its channel in use")}}};
}

[[nodiscard]] inline std::vector<Group> functional_groups() {
  std::vector<Group> all{
      flits_m2s(),       flits_s2m(),           drs_halves(), link_flits(), hdm(),
      speculation(),     ds_hazards(),          retry_lrsm(), retry_rrsm(), lrsm_events(),
      rrsm_events(),     wire_faults(),         credits(),    llrb_pairs(), lrsm_pairs(),
      credit_tx_pairs(), credit_return_pairs(), queue_pairs()};
  for (Group& group : root_port_pairs()) all.push_back(std::move(group));
  for (Group& group : ds_pairs()) all.push_back(std::move(group));
  for (Group& group : register_pairs()) all.push_back(std::move(group));
  for (Group& group : endpoint_pairs()) all.push_back(std::move(group));
  for (Group& group : part_pairs()) all.push_back(std::move(group));
  for (Group& group : flex_bus_pairs()) all.push_back(std::move(group));
  for (Group& group : cache_pairs()) all.push_back(std::move(group));
  for (Group& group : link_pairs()) all.push_back(std::move(group));
  for (Group& group : io_pairs()) all.push_back(std::move(group));
  return all;
}

}  // namespace cxlgpu::coverage
