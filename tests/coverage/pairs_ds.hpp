// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
// Functional coverage of deterministic store: what meets in one cycle, and how full each table was.
//
// Source:  docs/blocks/root_port/ds_engine.md, for what is possible.
#pragma once

#include "tests/coverage/functional.hpp"

namespace cxlgpu::coverage {

// What the sequencer does at the edge of a cycle, one thing; and a fast store beside it.
enum class DsAct : unsigned {
  LoadHit,
  LoadMerge,
  LoadFalse,
  LoadLate,
  SlotTaken,
  NoSlot,
  Refused,
  Written,
  JoinsWrite,
  JoinsDeferred,
  JoinsLate,
  Deferred,
  FlushPicks,
  FlushLooks,
  FlushedLate,
  Flushed,
  FlushRead,
  Inserted,
  Completed,
  Freed,
  KeptAgain,
  MergeRead,
  FastBegins,
  DirectLeaves,
  FastDeferred
};
// What comes and goes around it in that cycle.
enum class DsEvent : unsigned {
  StoreEnters,
  StoreStalled,
  StoreFenced,
  LoadEnters,
  LoadHeld,
  HeadGoes,
  FlushGoes,
  MqStalled,
  WriteDone,
  MergeData,
  LoadData,
  LoadDataStalled,
  FlushData,
  SlotData,
  LocalData,
  LocalDataStalled,
  AnswerGoes,
  AnswerStalled,
  Isolated,
  IsolationBegins,
  FenceBegins,
  ErrorCleared
};

inline Group ds_meetings() {
  return {
      .name = "ds_meetings",
      .title = "Deterministic store: what the engine does x what else happens in that cycle",
      .seen =
          "the RTL's engine and index alone, with 4 lines and one entry in each table, and with "
          "256 "
          "lines or the root port's 1024, beside a flat memory that says what each load must give",
      .suites = {"root_port_ds_alone_test"},
      .axes = {{"size", {"least", "256 or 1024 lines"}},
               {"engine",
                {"load from the region",
                 "load gets a merge entry",
                 "filter was wrong",
                 "load finds its line late",
                 "slot taken",
                 "no slot",
                 "store refused",
                 "store written",
                 "store joins a write in flight",
                 "store joins a deferred one",
                 "store joins a late one",
                 "store deferred",
                 "an end's slot read",
                 "flush looks at its line",
                 "late line goes",
                 "flush leaves the index",
                 "flush reads its slot",
                 "late line inserted",
                 "completion taken",
                 "slot freed",
                 "write kept as deferred",
                 "merge reads its slot",
                 "fast store begins",
                 "direct store leaves",
                 "fast store deferred"}},
               {"meets",
                {"store enters",
                 "store waits at a full FIFO",
                 "store waits for the fence",
                 "load enters",
                 "load held by an older store",
                 "load goes to the endpoint",
                 "flush goes to the endpoint",
                 "memory queue stalls",
                 "write done",
                 "endpoint's data for a merge",
                 "endpoint's data for a load",
                 "endpoint's data stalled",
                 "slot's data for a flush",
                 "slot's data for a merge",
                 "slot's data for a load",
                 "slot's data stalled",
                 "answer leaves",
                 "answer stalled",
                 "isolated",
                 "isolation begins",
                 "fence begins",
                 "error cleared"}}},
      .impossible = {
          {{"*",
            "load from the region|load gets a merge entry|filter was wrong|load finds its line "
            "late",
            "load goes to the endpoint"},
           "ds_engine: the head is of the sequencer only while it does not pass"},
          {{"least", "store joins a late one", "*"},
           "ds_engine: with Inserts = 1 a store begins with none late"},
          {{"least", "late line goes", "*"},
           "ds_engine: with Inserts = 1 F is chosen with none late, so one at most is, the first, "
           "and an index of four lines has a place for it"},
          {{"*", "no slot", "isolated|isolation begins|error cleared"},
           "ds_engine: isolated or with error_o a store without a slot is refused"},
          {{"*",
            "an end's slot read|flush looks at its line|late line goes|flush leaves the index|"
            "flush reads its slot",
            "error cleared"},
           "ds_engine: with error_o nothing is sent, and it is set by the sequencer alone, which "
           "does one operation at a time"},
          {{"least",
            "slot taken|no slot|store refused|store written|store joins a write in flight|"
            "store joins a deferred one|store deferred|fast store begins|direct store leaves|"
            "fast store deferred",
            "store enters"},
           "ds_engine: the only entry of the store FIFO is that of the store"},
          {{"least",
            "an end's slot read|flush looks at its line|late line goes|flush leaves the index|"
            "flush reads its slot",
            "flush goes to the endpoint|write done|slot's data for a flush"},
           "ds_engine: the next write begins when the only entry of the write table is free"},
          {{"least", "completion taken|slot freed|write kept as deferred",
            "flush goes to the endpoint|write done|slot's data for a flush"},
           "ds_engine: the only write has been done already"},
          {{"least", "direct store leaves", "slot's data for a flush"},
           "ds_engine: the only write is the direct store's"},
          {{"least",
            "store joins a write in flight|completion taken|slot freed|direct store leaves",
            "error cleared"},
           "ds_engine: with error_o set by the only write no other is on its way"},
          {{"least", "load gets a merge entry|merge reads its slot",
            "endpoint's data for a merge|slot's data for a merge"},
           "ds_engine: there is one merge"},
          {{"least",
            "load from the region|load gets a merge entry|filter was wrong|load finds its line "
            "late",
            "slot's data for a load|slot's data stalled"},
           "ds_engine: an L begins when the only entry of the read table is free"}}};
}

// What a fast store, or the answer of a write, does beside the sequencer.
enum class DsStep : unsigned {
  Idle,
  MRead,
  SLook,
  SFind,
  SNew,
  SWrite,
  SMask,
  SPut,
  LLook,
  LFind,
  LSlot,
  LMask,
  LRead,
  FPick,
  FSlot,
  FMask,
  FDelete,
  FRead,
  CTake,
  CFree,
  CPut
};

inline Group ds_beside() {
  return {
      .name = "ds_beside",
      .title = "Deterministic store: fast stores and answers of writes x step of the sequencer",
      .seen = "as ds_meetings",
      .suites = {"root_port_ds_alone_test"},
      .axes = {{"size", {"least", "256 or 1024 lines"}},
               {"beside",
                {"direct begins", "deferred begins", "local memory takes it",
                 "memory queue takes it", "direct leaves", "deferred leaves",
                 "waits at local memory", "waits at the memory queue",
                 "waits for the answer before", "waits for the sequencer", "late lines stall it",
                 "answer held", "write over at once", "answer waits",
                 "completion waits for late lines", "insertion taken", "insertion answered",
                 "step waits for the insertion"}},
               {"step",
                {"idle",         "merge reads",   "store looks", "store finds",      "store new",
                 "store writes", "store's mask",  "store put",   "load looks",       "load finds",
                 "load's slot",  "load's mask",   "load reads",  "flush's end",      "flush's slot",
                 "flush's mask", "flush deletes", "flush reads", "completion taken", "slot freed",
                 "kept again"}}},
      .impossible = {
          {{"*",
            "direct begins|deferred begins|local memory takes it|memory queue takes it|"
            "direct leaves|deferred leaves|waits at local memory|waits at the memory queue|"
            "waits for the answer before|waits for the sequencer|late lines stall it|answer held",
            "store looks|store finds|store new|store writes|store's mask|store put"},
           "ds_engine: while S is in progress no fast store begins, and S begins while none is on "
           "its way"},
          {{"*", "completion waits for late lines", "!idle|merge reads|load looks|flush's end"},
           "ds_engine: it shows when C might have begun and does not, nor S, with Inserts late"},
          {{"*", "insertion taken", "flush deletes"},
           "ds_index: it is ready, so the insertion that is offered in F's third step is taken"},
          {{"*", "step waits for the insertion",
            "!load finds|store finds|flush's mask|flush deletes"},
           "ds_engine: find and delete wait for the index, F's third step for its line's "
           "insertion"},
          {{"least", "insertion taken|insertion answered|step waits for the insertion",
            "store looks|store finds|store new|store writes|store's mask|store put"},
           "ds_engine: with Inserts = 1 an S begins with none late"},
          {{"least", "insertion taken", "load finds"},
           "ds_index: it is ready in each cycle in which nothing is asked, of four lines from the "
           "second on"},
          {{"least", "late lines stall it", "flush's end"},
           "ds_engine: a line that is late there left the only entry of the store FIFO as F was "
           "chosen"},
          {{"least", "insertion taken", "flush's slot|flush's mask"},
           "ds_engine: a line late in F was deferred as F was chosen, and the index is idle then"},
          {{"least", "insertion answered", "flush's end|flush's slot"},
           "ds_engine: the same insertion, taken in F's first step, takes three cycles"},
          {{"256 or 1024 lines", "late lines stall it", "flush's end|flush's slot"},
           "ds_engine: F is chosen with half of Inserts late; one more is deferred in that cycle, "
           "and none in F's first three steps"},
          {{"256 or 1024 lines", "completion waits for late lines", "flush's end"},
           "ds_engine: F is chosen with half of Inserts late, and one more is deferred in that "
           "cycle"},
          {{"least", "completion waits for late lines", "*"},
           "ds_engine: lines late and in flight are Inserts + Writes at most: with two late, the "
           "only write has ended"},
          {{"*", "direct begins|deferred begins|late lines stall it", "flush's mask"},
           "ds_engine: no fast store begins in F's third step"},
          {{"*", "deferred leaves", "flush's end|flush's slot|flush's mask|slot freed|kept again"},
           "ds_engine: none is deferred in F's first three steps or in C's second"},
          {{"*", "waits for the sequencer",
            "idle|merge reads|store looks|store finds|store new|store writes|"
            "store's mask|store put|load looks|load finds|load's slot|load's mask|load reads|"
            "flush reads|completion taken"},
           "ds_engine: it is deferred but in F's first three steps, with the answer to its delete, "
           "and in C's second"},
          {{"*", "write over at once", "slot freed|kept again"},
           "ds_engine: in C's second step an answer waits"},
          {{"least",
            "direct begins|memory queue takes it|direct leaves|waits at the memory queue|"
            "answer held|write over at once|answer waits",
            "flush's end|flush's slot|flush's mask|flush deletes|flush reads|completion taken|"
            "slot freed|kept again"},
           "ds_engine: the only place of a write is that of the flush or of the completion"}}};
}

enum class DsTable : unsigned {
  Stores,
  Reads,
  Merges,
  Writes,
  Completions,
  Flushes,
  Slots,
  Deferred,
  Late
};
enum class DsLevel : unsigned { Fills, BothWays, LeavesFull, AskedAtFull, Empties };

inline Group ds_tables() {
  return {.name = "ds_tables",
          .title = "Deterministic store: table x what happens to its level",
          .seen = "as ds_meetings; of the tables of all sizes",
          .suites = {"root_port_ds_alone_test"},
          .axes = {{"size", {"least", "256 or 1024 lines"}},
                   {"table",
                    {"store FIFO", "read table", "merge table", "write table", "completion FIFO",
                     "flush FIFO", "slots in use", "deferred", "late"}},
                   {"level",
                    {"fills up", "one comes, one goes", "one goes of the full table",
                     "wanted while full", "empties"}}},
          .impossible = {
              {{"*", "deferred", "one comes, one goes"},
               "ds_engine: no line is deferred while the last step of a flush takes one off"},
              {{"*", "completion FIFO|flush FIFO", "wanted while full"},
               "ds_engine: each write has an entry of its own there"},
              {{"*", "deferred", "wanted while full"},
               "ds_engine: what is to be deferred has a slot, which the deferred then do not have"},
              {{"least", "store FIFO|read table|merge table|write table|completion FIFO|flush FIFO",
                "one comes, one goes"},
               "ds_engine: the only entry is taken again a cycle after it became free"}}};
}

// ---- answers of stores
// ---------------------------------------------------------------------------

enum class DsAnswered : unsigned { Waiting, LastSlot, Leaving, Late };
enum class DsLeft : unsigned { Direct, Deferred, InPlace, Refused };

inline Group ds_answers() {
  return {.name = "ds_answers",
          .title = "Deterministic store: when a store was answered x how it left",
          .seen = "ports of the RTL's engine in lockstep with its twin",
          .suites = {"root_port_ds_engine_test"},
          .axes = {{"answered",
                    {"more slots free", "the last slot is left for it", "as it leaves", "late"}},
                   {"left", {"direct", "deferred", "joins a line", "refused"}}},
          .impossible = {
              {{"more slots free|the last slot is left for it|as it leaves", "refused"},
               "ds_engine: one slot is left for each answered store, and only one without answer "
               "and slot is refused"}}};
}

enum class DsWaiting : unsigned {
  AnswerStalled,
  LateAnswer,
  NoSlot,
  NoneToSpare,
  WriteOver,
  Isolated,
  Error,
  Fence,
  LoadHeld,
  ManyLate
};

inline Group ds_waiting() {
  return {
      .name = "ds_waiting",
      .title = "Deterministic store: answered stores that wait x what else there is",
      .seen = "as ds_answers; slots are known not to be free while a store is in them",
      .suites = {"root_port_ds_engine_test"},
      .axes = {{"answered stores", {"none", "one", "two or more"}},
               {"there is",
                {"an answer stalled", "a late answer", "no slot free",
                 "a store with no slot to spare", "a write over", "isolation", "an error",
                 "a fence", "a load held by an older store", "Inserts lines late"}}},
      .impossible = {
          {{"one|two or more", "a late answer"},
           "ds_engine: stores are answered in their order, and it is older"},
          {{"two or more", "no slot free"},
           "ds_engine: one slot is left for each answered store, and one at most has its own"}}};
}

// ---- ds_filter, ds_index, ds_pace ---------------------------------------------------------------

enum class FilterUpdate : unsigned { None, Inc, Dec };
enum class FilterLook : unsigned { Same, OtherNo, OtherMaybe };

inline Group ds_filter_pairs() {
  return {.name = "ds_filter_pairs",
          .title = "DS filter: update x clear x count of its bucket before x bucket looked up",
          .seen = "every cycle of the RTL's filter, in lockstep with its twin",
          .suites = {"root_port_ds_filter_test"},
          .axes = {{"buckets", {"1024", "16"}},
                   {"update", {"none", "line comes", "line goes"}},
                   {"clear", {"no", "yes"}},
                   {"count", {"0", "1", "2", "3 or more"}},
                   {"looked up", {"the same", "another, empty", "another, not empty"}}},
          .impossible = {}};
}

enum class IndexTakes : unsigned { Nothing, Find, Insert, Delete };
enum class IndexAnswers : unsigned { No, NotFound, Found, NoPlace };
enum class IndexLevel : unsigned { Empty, One, Some, OneFree, Full };

inline Group ds_index_pairs() {
  return {.name = "ds_index_pairs",
          .title = "DS index: operation taken x answer in the same cycle x keys held",
          .seen = "every cycle of the RTL's index, in lockstep with its twin",
          .suites = {"root_port_ds_index_test"},
          .axes = {{"slots", {"1024", "16"}},
                   {"taken", {"nothing", "find", "insert", "delete"}},
                   {"answer", {"none", "not found", "found", "no place"}},
                   {"keys", {"0", "1", "some", "one free", "full"}}},
          .impossible = {{{"*", "insert", "*", "full"}, "ds_index: an insert has a free slot"},
                         {{"*", "*", "no place", "0|1"},
                          "ds_index: two full buckets and the key aside are nine keys"},
                         {{"*", "insert", "no place", "one free"},
                          "the caller's last free slot is that of the insert that is not answered"},
                         {{"*", "*", "no place", "full"},
                          "ds_index: an insert has a free slot, which it did not take"}}};
}

enum class IndexAside : unsigned { None, Was };
enum class IndexInserts : unsigned { There, AtOnce, OneMove, Moves, MostMoves, Aside, NoPlace };

inline Group ds_index_inserts() {
  return {.name = "ds_index_inserts",
          .title = "DS index: a key aside before an insert x what the insert did",
          .seen = "every insert of the RTL's index, in lockstep with its twin, which counts moves",
          .suites = {"root_port_ds_index_test"},
          .axes = {{"before", {"none aside", "one aside"}},
                   {"insert",
                    {"key was there", "place at once", "one move", "2 to 15 moves",
                     "16 moves or more", "a key aside", "no place"}}},
          .impossible = {
              {{"none aside", "no place"}, "ds_index: only a key that stays aside refuses one"}}};
}

inline Group ds_pace_pairs() {
  return {.name = "ds_pace_pairs",
          .title = "DS pace: response x write sent x intervals change x what was allowed before",
          .seen = "every cycle of the RTL's pace, in lockstep with its twin",
          .suites = {"root_port_ds_pace_test"},
          .axes = {{"response", {"none", "light", "optimal", "moderate", "severe"}},
                   {"write", {"none", "sent"}},
                   {"intervals", {"stay", "change"}},
                   {"direct", {"no", "yes"}},
                   {"flush", {"no", "yes"}}},
          .impossible = {}};
}

[[nodiscard]] inline std::vector<Group> ds_pairs() {
  return {ds_meetings(),     ds_beside(),      ds_tables(),        ds_answers(),   ds_waiting(),
          ds_filter_pairs(), ds_index_pairs(), ds_index_inserts(), ds_pace_pairs()};
}

}  // namespace cxlgpu::coverage
