// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
// Functional coverage of deterministic store: what meets in one cycle, and how full each table was.
//
// Source:  docs/blocks/root_port/ds_engine.md, for what is possible.
#pragma once

#include "tests/coverage/functional.hpp"

namespace cxlgpu::coverage {

// What the sequencer does at the edge of a cycle: one thing.
enum class DsAct : unsigned {
  LoadHit,
  LoadMerge,
  LoadFalse,
  SlotTaken,
  NoSlot,
  Refused,
  Written,
  JoinsWrite,
  JoinsDeferred,
  Direct,
  Deferred,
  FlushTop,
  FlushLooks,
  Flushed,
  FlushRead,
  Completed,
  Freed,
  KeptAgain,
  MergeRead
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
      .title = "Deterministic store: what the sequencer does x what else happens in that cycle",
      .seen =
          "the RTL's engine and index alone, with 4 lines and one entry in each table, and with "
          "256 "
          "lines or the root port's 1024, beside a flat memory that says what each load must give",
      .suites = {"root_port_ds_alone_test"},
      .axes = {{"size", {"least", "256 or 1024 lines"}},
               {"sequencer",
                {"load from the region", "load gets a merge entry", "filter was wrong",
                 "slot taken", "no slot", "store refused", "store written",
                 "store joins a write in flight", "store joins a deferred one", "direct write sent",
                 "store deferred", "top of pending read", "flush looks at its line",
                 "flush leaves pending", "flush reads its slot", "completion taken", "slot freed",
                 "write kept as deferred", "merge reads its slot"}},
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
          {{"*", "load from the region|load gets a merge entry|filter was wrong",
            "load goes to the endpoint"},
           "ds_engine: the head is of the sequencer only while it does not pass"},
          {{"*", "direct write sent",
            "load goes to the endpoint|flush goes to the endpoint|memory queue stalls"},
           "ds_engine: the memory queue takes one request a cycle, here the direct write"},
          {{"*", "no slot", "isolated|isolation begins|error cleared"},
           "ds_engine: isolated or with error_o a store without a slot is refused"},
          {{"*",
            "direct write sent|top of pending read|flush looks at its line|flush leaves pending|"
            "flush reads its slot",
            "error cleared"},
           "ds_engine: with error_o nothing is sent, and it is set by the sequencer alone, which "
           "does one operation at a time"},
          {{"least",
            "slot taken|no slot|store refused|store written|store joins a write in flight|"
            "store joins a deferred one|direct write sent|store deferred",
            "store enters"},
           "ds_engine: the only entry of the store FIFO is that of the store"},
          {{"least",
            "direct write sent|top of pending read|flush looks at its line|flush leaves pending|"
            "flush reads its slot",
            "flush goes to the endpoint|write done|slot's data for a flush"},
           "ds_engine: the next write begins when the only entry of the write table is free"},
          {{"least", "completion taken|slot freed|write kept as deferred",
            "flush goes to the endpoint|write done|slot's data for a flush"},
           "ds_engine: the only write has been done already"},
          {{"least", "store joins a write in flight|completion taken|slot freed", "error cleared"},
           "ds_engine: with error_o set by the only write no other is on its way"},
          {{"least", "load gets a merge entry|merge reads its slot",
            "endpoint's data for a merge|slot's data for a merge"},
           "ds_engine: there is one merge"},
          {{"least", "load from the region", "slot's data for a load|slot's data stalled"},
           "ds_engine: a read is offered when the only entry of the read table is free"}}};
}

enum class DsTable : unsigned {
  Stores,
  Reads,
  Merges,
  Writes,
  Completions,
  Flushes,
  Slots,
  Pending
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
                     "flush FIFO", "slots in use", "pending"}},
                   {"level",
                    {"fills up", "one comes, one goes", "one goes of the full table",
                     "wanted while full", "empties"}}},
          .impossible = {
              {{"*", "write table|slots in use|pending", "one comes, one goes"},
               "ds_sequencer: one operation at a time, and each does one of the two"},
              {{"*", "completion FIFO|flush FIFO", "wanted while full"},
               "ds_engine: each write has an entry of its own there"},
              {{"*", "pending", "wanted while full"},
               "ds_engine: what is to be pushed has a slot, which pending then does not have"},
              {{"least", "store FIFO|read table|merge table|completion FIFO|flush FIFO",
                "one comes, one goes"},
               "ds_engine: the only entry is taken again a cycle after it became free"}}};
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

enum class IndexTakes : unsigned { Nothing, Find, Insert, Delete, Clear };
enum class IndexAnswers : unsigned { No, NotFound, Found };
enum class IndexLevel : unsigned { Empty, One, Some, OneFree, Full };

inline Group ds_index_pairs() {
  return {
      .name = "ds_index_pairs",
      .title = "DS index: operation taken x answer in the same cycle x nodes before",
      .seen = "every cycle of the RTL's index, in lockstep with its twin, its tree walked",
      .suites = {"root_port_ds_index_test"},
      .axes = {{"slots", {"1024", "8"}},
               {"taken", {"nothing", "find", "insert", "delete", "clear"}},
               {"answer", {"none", "not found", "found"}},
               {"nodes", {"0", "1", "some", "one free", "full"}}},
      .impossible = {{{"*", "insert", "*", "full"}, "ds_index: an insert has a free slot"},
                     {{"1024", "clear", "*", "one free|full"},
                      "ds_index: the large one is cleared while it fills, that of 8 full too"}}};
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
  return {ds_meetings(), ds_tables(), ds_filter_pairs(), ds_index_pairs(), ds_pace_pairs()};
}

}  // namespace cxlgpu::coverage
