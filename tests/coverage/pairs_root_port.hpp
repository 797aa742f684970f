// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
// Pairs of events that meet in one cycle, in the tables and queues of a root port: groups of
// functional coverage.
//
// Purpose: as functional_groups.hpp; the enums number the values of the axes, in the same order.
// Source:  docs/blocks, the block named in the group.
#pragma once

#include "tests/coverage/functional.hpp"

namespace cxlgpu::coverage {

// Tables and queues are seen as small as they may be and as a root port has them.
inline const Axis kTableSizes{"size", {"least", "root port"}};

// ---- memory_queue ------------------------------------------------------------------------------

enum class MqEnters : unsigned {
  Nothing,
  Load,
  Store,
  Spec,
  Full,
  LineHeld,
  BehindSpec,
  SpecWaits,
  Tick,
  Hint,
  HintWaits
};
enum class MqLeaves : unsigned {
  Nothing,
  ReadOut,
  SpecOut,
  WriteOut,
  ReadAnswered,
  WriteAnswered,
  Stray,
  Refused,
  ThrownAway
};
enum class MqMode : unsigned { Serves, Begins, Refuses, Ended };

inline Group memory_queue_pairs() {
  constexpr std::string_view kServed =
      "MemRd out|MemSpecRd out|write out|read answered|write answered";
  return {
      .name = "memory_queue_pairs",
      .title = "Memory queue: what comes x what goes in the same cycle x refusal",
      .seen = "every cycle of the RTL's memory queue, in lockstep with its twin",
      .suites = {"root_port_memory_queue_test"},
      .axes = {kTableSizes,
               {"comes",
                {"nothing", "load", "store", "MemSpecRd", "request, queue full",
                 "request, line held", "request behind a MemSpecRd", "MemSpecRd, none free", "tick",
                 "hint", "hint waits"}},
               {"goes",
                {"nothing", "MemRd out", "MemSpecRd out", "write out", "read answered",
                 "write answered", "stray response", "refused entry", "response thrown away"}},
               {"refusal", {"none", "begins", "lasts", "has ended"}}},
      .impossible = {
          {{"*", "*", kServed, "begins|lasts"},
           "memory_queue, refusing: nothing goes out and no response counts"},
          {{"*", "*", "stray response", "begins|lasts"},
           "memory_queue, refusing: what comes is thrown away, stray or not"},
          {{"*", "*", "response thrown away", "none|has ended"},
           "memory_queue: responses are thrown away only while it refuses"},
          {{"*", "*", kServed, "has ended"},
           "memory_queue: refusing lasts until no order and no entry of before is left"},
          {{"*", "MemSpecRd, none free", "*", "has ended"},
           "memory_queue: refusing lasts until no MemSpecRd is left"},
          {{"*", "request, queue full|request, line held", "stray response", "has ended"},
           "memory_queue: what is held when refusing ends was born refused, and is answered before "
           "a response is consumed"},
          {{"least", "request, line held", "*", "*"},
           "memory_queue: with its only entry taken the queue is full"},
          {{"least", "load|store", "MemRd out|write out|read answered|write answered|refused entry",
            "*"},
           "memory_queue: the only entry is free when it is taken, and holds nothing that goes"},
          {{"least", "request behind a MemSpecRd",
            "MemRd out|MemSpecRd out|write out|read answered|write answered|refused entry", "*"},
           "memory_queue: both entries are free when a request waits behind a MemSpecRd"},
          {{"least", "MemSpecRd", "MemSpecRd out", "*"},
           "memory_queue: the only entry of MemSpecRd is free when it is taken"},
          {{"*", "hint", "MemSpecRd out", "*"},
           "memory_queue: a hint is taken only if no MemSpecRd is held"}}};
}

enum class MqLevel : unsigned { Empty, One, Some, OneFree, Full };

inline Group memory_queue_levels() {
  return {
      .name = "memory_queue_levels",
      .title = "Memory queue: entry taken x entry freed x entries held before",
      .seen = "every cycle of the RTL's memory queue, in lockstep with its twin",
      .suites = {"root_port_memory_queue_test"},
      .axes = {kTableSizes,
               {"taken", {"no", "load", "store"}},
               {"freed", {"no", "by an answer", "by refusal"}},
               {"held", {"0", "1", "some", "one free", "full"}}},
      .impossible = {{{"*", "load|store", "*", "full"}, "memory_queue: no entry is free"},
                     {{"*", "*", "by an answer|by refusal", "0"}, "memory_queue: no entry is held"},
                     {{"least", "*", "*", "1|some|one free"},
                      "memory_queue: one entry, which is none or all"}}};
}

// ---- hint_queue --------------------------------------------------------------------------------

enum class HintComes : unsigned { Nothing, First, Joins, Waits, Dropped };
enum class HintRun : unsigned { None, NotOffered, Stalled, Taken };

inline Group hint_queue_pairs() {
  return {.name = "hint_queue_pairs",
          .title = "Hint queue: granule that comes x run held x DevLoad",
          .seen = "every cycle of the RTL's queue, in lockstep with its twin",
          .suites = {"root_port_hint_queue_test"},
          .axes = {{"comes", {"nothing", "first of a run", "joins", "waits", "dropped"}},
                   {"run", {"none", "not offered", "offer stalled", "offer taken"}},
                   {"level", {"light", "optimal", "moderate", "severe"}}},
          .impossible = {{{"first of a run", "!none", "*"},
                          "hint_queue: with a run held the next waits or joins"},
                         {{"waits", "none", "*"}, "hint_queue: with nothing held none waits"},
                         {{"joins", "!not offered", "*"}, "hint_queue: only an open run is joined"},
                         {{"dropped", "offer stalled|offer taken", "*"},
                          "hint_queue: not enabled it offers nothing"}}};
}

// ---- isolation ---------------------------------------------------------------------------------

inline Group isolation_pairs() {
  return {
      .name = "isolation_pairs",
      .title = "Isolation: register access x cause in the same cycle x RP Busy x isolated before",
      .seen = "every cycle of the RTL's isolation, in lockstep with its twin",
      .suites = {"root_port_isolation_test"},
      .axes = {{"access",
                {"none", "read", "write of control", "write of status without bit 8",
                 "write of status with bit 8"}},
               {"cause", {"none", "time-out", "link down", "both"}},
               {"busy", {"no", "yes"}},
               {"before", {"not isolated", "isolated"}}},
      .impossible = {}};
}

enum class TickPhase : unsigned { Within, Last, Tick };

inline Group isolation_ticks() {
  return {.name = "isolation_ticks",
          .title = "Isolation: register access x place in the period",
          .seen = "the RTL's isolation around the end of a period, in lockstep with its twin",
          .suites = {"root_port_isolation_test"},
          .axes = {{"access",
                    {"none", "read", "write of control, still enabled",
                     "write of control, disabled", "write of status"}},
                   {"period", {"within", "last cycle", "tick"}}},
          .impossible = {}};
}

// ---- sr_queue ----------------------------------------------------------------------------------

enum class SrLevel : unsigned { Empty, One, Some, OneFree, Full };
enum class SrReaderAt : unsigned { Head, Between, End };

inline Group sr_queue_pairs() {
  constexpr std::string_view kNone = "sr_queue: nothing is unread in an empty queue";
  return {
      .name = "sr_queue_pairs",
      .title = "SR queue: push x pop x reader x level and reader's place before x beside",
      .seen = "every cycle of the RTL's SR queue, in lockstep with its twin",
      .suites = {"root_port_sr_queue_test"},
      .axes = {kTableSizes,
               {"push", {"none", "taken", "waits"}},
               {"pop", {"none", "taken"}},
               {"reader", {"stays", "told to go on"}},
               {"level", {"0", "1", "some", "one free", "full"}},
               {"reads", {"the head", "between", "nothing left"}},
               {"beside", {"none", "comes"}}},
      .impossible = {
          {{"*", "taken", "*", "*", "full", "*", "*"}, "sr_queue: a full queue takes nothing"},
          {{"*", "waits", "*", "*", "0", "*", "*"}, "sr_queue: an empty queue has room"},
          {{"*", "taken", "*", "*", "*", "*", "comes"}, "sr_queue: one request a cycle"},
          {{"*", "*", "taken", "*", "0", "*", "*"}, "sr_queue: an empty queue has no head"},
          {{"*", "*", "*", "*", "0", "!nothing left", "*"}, kNone},
          {{"*", "*", "*", "*", "1", "between", "*"},
           "sr_queue: a single entry is the head, read or not"},
          {{"least", "*", "*", "*", "some|one free", "*", "*"}, "sr_queue: of two, one is one"}}};
}

// ---- ring_buffer -------------------------------------------------------------------------------

enum class RingOp : unsigned {
  None,
  UseMiss,
  UseFirst,
  UseAgain,
  RecordNew,
  RecordThere,
  RecordUseful,
  RecordUseless
};
enum class RingLook : unsigned { Miss, Hit, Recorded, Evicted };

inline Group ring_buffer_pairs() {
  constexpr std::string_view kUse =
      "ring_buffer: the use is of the granule that is looked up, and not with a record";
  return {.name = "ring_buffer_pairs",
          .title = "Ring: what is changed x what is looked up in the same cycle x flush",
          .seen = "every cycle of the RTL's ring, in lockstep with its twin",
          .suites = {"root_port_ring_buffer_test"},
          .axes = {kTableSizes,
                   {"changed",
                    {"nothing", "use, not there", "first use of a line", "use again",
                     "record, room", "record, all there", "record over a useful granule",
                     "record over a useless granule"}},
                   {"looked up", {"not there", "there", "what is recorded", "what is overwritten"}},
                   {"flush", {"no", "yes"}}},
          .impossible = {{{"*", "nothing", "what is recorded|what is overwritten", "*"},
                          "ring_buffer: no record"},
                         {{"*", "use, not there", "!not there", "*"}, kUse},
                         {{"*", "first use of a line|use again", "!there", "*"}, kUse},
                         {{"*", "record, room|record, all there", "what is overwritten", "*"},
                          "ring_buffer: nothing is overwritten"}}};
}

// ---- stream_table ------------------------------------------------------------------------------

enum class StreamOp : unsigned {
  None,
  LookNew,
  LookEvicts,
  LookHit,
  NextKnown,
  NextKept,
  AddNew,
  AddEvicts
};
enum class StreamAsk : unsigned { Nothing, Run, Next, Held };

inline Group stream_table_pairs() {
  constexpr std::string_view kNoLook = "stream_table: only a look asks";
  constexpr std::string_view kNew =
      "stream_table: a region that follows is requested in a stream, which a new entry is not yet";
  return {.name = "stream_table_pairs",
          .title = "Stream table: access x request x DevLoad severe x flush",
          .seen = "every cycle of the RTL's stream table, in lockstep with its twin",
          .suites = {"root_port_stream_table_test"},
          .axes = {kTableSizes,
                   {"access",
                    {"none", "look, way free", "look, evicts", "look, there", "next, there",
                     "next, not added", "add, way free", "add, evicts"}},
                   {"asks", {"nothing", "run", "next", "held"}},
                   {"severe", {"no", "yes"}},
                   {"flush", {"no", "yes"}}},
          .impossible = {
              {{"*", "!look, way free|look, evicts|look, there", "!nothing", "*", "*"}, kNoLook},
              {{"*", "*", "!nothing", "yes", "*"},
               "stream_table: nothing is requested or judged at level severe"},
              {{"*", "look, way free|look, evicts", "next|held", "*", "*"}, kNew}}};
}

// ---- sr_reader ---------------------------------------------------------------------------------

enum class ReaderDoes : unsigned { Idle, Store, Passes, Latches, Offers, Taken, GivesUp };
enum class ReaderMeets : unsigned {
  Nothing,
  Policy,
  Flush,
  Length,
  Chunk,
  State,
  Level,
  Match,
  Around,
  LoadLeaves
};

inline Group sr_reader_pairs() {
  return {.name = "sr_reader_pairs",
          .title = "SR reader: what it does x what changes in the same cycle",
          .seen = "every cycle of the RTL's reader, in lockstep with its twin",
          .suites = {"root_port_sr_reader_test"},
          .axes = {{"does",
                    {"nothing there", "passes a store", "passes a load", "latches a load",
                     "offer waits", "offer is taken", "gives up"}},
                   {"meets",
                    {"nothing", "policy changes", "flush", "length changes", "chunk changes",
                     "state changes", "level changes", "ring match changes", "around changes",
                     "the latched load leaves"}}},
          .impossible = {{{"nothing there|passes a store|passes a load|latches a load",
                           "the latched load leaves"},
                          "sr_reader: no load is latched in LOOKUP"}}};
}

// ---- persist_tracker ---------------------------------------------------------------------------

enum class TrackerRequest : unsigned { None, Taken, Waits, Stalled, Leaves };
enum class TrackerOld : unsigned { None, Some, Last };

inline Group persist_tracker_pairs() {
  constexpr std::string_view kNoOld =
      "persist_tracker: without a request that waits, no store of the parity before is left";
  return {.name = "persist_tracker_pairs",
          .title =
              "Persist tracker: request x store x entries done of the present parity x of the "
              "parity before",
          .seen = "every cycle of the RTL's tracker, in lockstep with its twin",
          .suites = {"root_port_persist_tracker_test"},
          .axes = {{"entries", {"5", "255"}},
                   {"request", {"none", "taken", "waits", "answer stalled", "answer taken"}},
                   {"store", {"no", "yes"}},
                   {"present", {"none", "one", "several"}},
                   {"before", {"none", "some", "the last"}}},
          .impossible = {{{"*", "!waits", "*", "*", "!none"}, kNoOld}}};
}

inline Group persist_tracker_errors() {
  return {.name = "persist_tracker_errors",
          .title = "Persist tracker: request x error before x something fails x clear",
          .seen = "every cycle of the RTL's tracker, in lockstep with its twin",
          .suites = {"root_port_persist_tracker_test"},
          .axes = {{"request", {"none", "taken", "waits", "answer stalled", "answer taken"}},
                   {"error", {"no", "yes"}},
                   {"fails", {"no", "yes"}},
                   {"clear", {"no", "yes"}}},
          .impossible = {{{"!none", "*", "*", "yes"},
                          "persist_tracker: errors are cleared with no request offered or held"}}};
}

// ---- load_control and profiler -----------------------------------------------------------------

inline Group load_control_pairs() {
  return {.name = "load_control_pairs",
          .title = "Load control: response x clear x granularity before",
          .seen = "every cycle of the RTL's load control, in lockstep with its twin",
          .suites = {"root_port_load_control_test"},
          .axes = {{"response", {"none", "light", "optimal", "moderate", "severe"}},
                   {"clear", {"no", "yes"}},
                   {"before", {"64 B", "256 B", "512 B", "768 B", "1024 B", "halted"}}},
          .impossible = {}};
}

inline Group profiler_pairs() {
  return {.name = "profiler_pairs",
          .title = "Profiler: request taken x MemSpecRd x response in the same cycle",
          .seen = "every cycle of the RTL's profiler, in lockstep with its twin",
          .suites = {"root_port_profiler_test"},
          .axes = {{"request", {"none", "load", "store"}},
                   {"MemSpecRd", {"no", "yes"}},
                   {"response", {"none", "light", "optimal", "moderate", "severe"}}},
          .impossible = {}};
}

enum class ViralAccess : unsigned { None, Read, Write, Clear };
enum class ViralEvent : unsigned { None, Device, OtherPort, Fatal };

inline Group port_viral_pairs() {
  return {.name = "port_viral_pairs",
          .title = "Viral of a root port: access to 840h x what makes it viral in that cycle",
          .seen = "every cycle of the RTL's root port, in lockstep with its twin",
          .suites = {"root_port_root_port_test"},
          .axes = {{"access", {"none", "read", "written", "written, device bit cleared"}},
                   {"event", {"none", "its device says so", "another port", "a fatal error"}}},
          .impossible = {}};
}

[[nodiscard]] inline std::vector<Group> root_port_pairs() {
  return {hint_queue_pairs(),      memory_queue_pairs(),    memory_queue_levels(),
          isolation_pairs(),       isolation_ticks(),       sr_queue_pairs(),
          ring_buffer_pairs(),     stream_table_pairs(),    sr_reader_pairs(),
          load_control_pairs(),    profiler_pairs(),        port_viral_pairs(),
          persist_tracker_pairs(), persist_tracker_errors()};
}

}  // namespace cxlgpu::coverage
