// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
// What meets in one cycle while stores do not wait (lines in part): groups of functional coverage.
//
// Purpose: as functional_groups.hpp; the enums number the values of the axes, in the same order.
// Source:  docs/blocks/endpoint/README.md, Lines in part; docs/blocks/endpoint/dram_cache.md.
#pragma once

#include "tests/coverage/functional.hpp"

namespace cxlgpu::coverage {

// ---- dram_cache --------------------------------------------------------------------------------

enum class PartLook : unsigned {
  None,
  NotCommitted,
  Hit,
  HitDraining,
  HeldOpen,
  HeldFilling,
  Start,
  OpenEmpty,
  OpenClean,
  OpenDirty,
  Merge,
  MissEmpty,
  MissClean,
  MissDirty,
  Blocked,
  Drop
};

inline Axis part_looks() {
  return {"lookup",
          {"none", "not committed", "hit", "hit, waiters drain", "held, open", "held, being filled",
           "start", "open, way empty", "open, clean victim", "open, dirty victim", "merge",
           "miss, way empty", "miss, clean victim", "miss, dirty victim", "blocked", "dropped"}};
}
inline constexpr std::string_view kPartHeld = "held, open|held, being filled";
inline constexpr std::string_view kPartOpens =
    "open, way empty|open, clean victim|open, dirty victim";
inline constexpr std::string_view kPartWaits =
    "start|merge|miss, way empty|miss, clean victim|miss, dirty victim";

// Who gets which result; `more` axes follow those two.
inline std::vector<Impossible> part_results(std::size_t more) {
  std::vector<Impossible> all{
      {{"dropped", "read|write"}, "dram_cache: only a MemSpecRd is dropped"},
      {{"blocked", "MemSpecRd"}, "dram_cache: a MemSpecRd is dropped instead"},
      {{kPartHeld, "MemSpecRd"}, "Lines in part: of demands alone a line is HELD"},
      {{kPartOpens, "MemSpecRd|read"}, "Lines in part: only a store opens a line"},
      {{kPartWaits, "write"}, "Lines in part: a store does not wait"}};
  for (Impossible& one : all) one.where.insert(one.where.end(), more, "*");
  return all;
}

// The fill and the wake-up of the cycle: coverage::DramFill, coverage::DramWake.
inline Group dram_cache_parts() {
  Group group{
      .name = "dram_cache_parts",
      .title =
          "Internal DRAM, stores do not wait: lookup x who asks x fill and wake-up in the same "
          "cycle",
      .seen = "every cycle of the RTL's tags and MSHRs, in lockstep with their twin",
      .suites = {"endpoint_dram_cache_test"},
      .axes = {part_looks(),
               {"by", {"MemSpecRd", "read", "write"}},
               {"fill",
                {"none", "other line, none waits", "other line, some wait", "this line, none waits",
                 "this line, some wait"}},
               {"wake",
                {"none", "other line, more wait", "other line, the last", "this line, more wait",
                 "this line, the last"}}},
      .impossible = part_results(2)};
  group.impossible.push_back(
      {{"!merge|held, being filled", "*", "this line, none waits|this line, some wait", "*"},
       "dram_cache: only a line whose fill is pending gets one"});
  group.impossible.push_back(
      {{"!hit, waiters drain", "*", "*", "this line, more wait|this line, the last"},
       "dram_cache: only a filled line wakes waiters; a lookup of it is a HIT"});
  return group;
}

// What the mask of the store of the cycle before says in this one, of its line.
enum class PartBefore : unsigned { None, Open, Whole, Filling, FillEnds, Done };

inline Axis part_befores() {
  return {"store before",
          {"none", "line stays open", "line whole", "line being filled", "its fill ends now",
           "line no more in part"}};
}

inline Group dram_cache_store_before() {
  Group group{
      .name = "dram_cache_store_before",
      .title =
          "Internal DRAM, stores do not wait: lookup x who asks x line and what the store of "
          "the cycle before makes of it",
      .seen = "every cycle of the RTL's tags and MSHRs, in lockstep with their twin",
      .suites = {"endpoint_dram_cache_test"},
      .axes = {part_looks(),
               {"by", {"MemSpecRd", "read", "write"}},
               {"line of the lookup", {"another", "that of the store"}},
               part_befores()},
      .impossible = part_results(2)};
  const auto never = [&group](std::vector<std::string_view> where, const char* why) {
    group.impossible.push_back({std::move(where), why});
  };
  const std::string_view own = "that of the store";
  never({"none", "*", own, "*"}, "there is no lookup");
  never({"not committed", "*", own, "*"}, "one that counts for nothing: lines are not told apart");
  never({"*", "*", own, "none"}, "there is no store");
  never({"!held, open|start", "*", own, "line stays open|line whole"},
        "Lines in part: an open line is HELD or STARTed");
  never({"!held, being filled|merge", "*", own, "line being filled|its fill ends now"},
        "Lines in part: a line being filled is HELD or MERGEd");
  never({"!hit|hit, waiters drain", "*", own, "line no more in part"},
        "dram_cache: what is filled or whole is HIT");
  return group;
}

enum class PartBehind : unsigned { No, Other, OfTheStore };
enum class PartLookup : unsigned { None, NotCommitted, Committed };

inline Group dram_cache_behind() {
  return {.name = "dram_cache_behind",
          .title =
              "Internal DRAM, stores do not wait: a line filled behind x lookup x store of the "
              "cycle before x fill and wake-up",
          .seen = "every cycle of the RTL's tags and MSHRs, in lockstep with their twin",
          .suites = {"endpoint_dram_cache_test"},
          .axes = {{"filled behind", {"none", "another line", "that of the store"}},
                   {"lookup", {"none", "not committed", "committed"}},
                   part_befores(),
                   {"fill", {"no", "yes"}},
                   {"wake", {"no", "yes"}}},
          .impossible = {{{"!none", "committed", "*", "*", "*"},
                          "endpoint: a line is filled behind while nothing is looked up"},
                         {{"that of the store", "*", "!line stays open|line whole", "*", "*"},
                          "Lines in part: an open line alone is filled behind"},
                         {{"*", "*", "its fill ends now", "no", "*"}, "there is no fill"}}};
}

enum class PartTaken : unsigned { No, Miss, Open };

inline Group dram_cache_parts_levels() {
  return {.name = "dram_cache_parts_levels",
          .title = "MSHRs, stores do not wait: one taken x freed in the same cycle x live before",
          .seen = "every cycle of the RTL's tags and MSHRs, in lockstep with their twin",
          .suites = {"endpoint_dram_cache_test"},
          .axes = {{"taken", {"no", "by a MISS", "by an OPEN"}},
                   {"freed by fill or waiter", {"none", "its fill", "its last waiter", "one each"}},
                   {"line whole", {"no", "yes"}},
                   {"live", {"0", "1", "2 to 126", "127", "128"}}},
          .impossible = {{{"!no", "*", "*", "128"}, "dram_cache: no MSHR is free"},
                         {{"*", "!none", "*", "0"}, "dram_cache: no MSHR is live"},
                         {{"*", "*", "yes", "0"}, "dram_cache: no MSHR is live"},
                         {{"*", "one each", "*", "1"}, "dram_cache: one MSHR frees once"},
                         {{"*", "!none", "yes", "1"}, "dram_cache: one MSHR frees once"}}};
}

enum class PartLeaves : unsigned { None, Start, Behind };

inline Group dram_cache_open_lines() {
  return {.name = "dram_cache_open_lines",
          .title = "Open lines: one opened x one whose fill is requested x one whole x open before",
          .seen = "every cycle of the RTL's tags and MSHRs, in lockstep with their twin",
          .suites = {"endpoint_dram_cache_test"},
          .axes = {{"opened", {"no", "yes"}},
                   {"fill requested", {"none", "START", "behind"}},
                   {"line whole", {"no", "yes"}},
                   {"open", {"0", "1", "2 to 126", "127", "128"}}},
          .impossible = {{{"yes", "!none", "*", "*"},
                          "dram_cache: one lookup in a cycle, none with a fill behind"},
                         {{"yes", "*", "*", "128"}, "dram_cache: no MSHR is free"},
                         {{"*", "!none", "*", "0"}, "dram_cache: no line is open"},
                         {{"*", "*", "yes", "0"}, "dram_cache: no line is open"},
                         {{"*", "!none", "yes", "1"}, "Lines in part: of a line one of both"}}};
}

// ---- endpoint: its media port ------------------------------------------------------------------

enum class PartCommand : unsigned {
  None,
  Read,
  WriteWhole,
  WritePart,
  WritePoisoned,
  WriteOpens,
  Fill,
  FillPartial,
  WriteBack
};
enum class PartPlace : unsigned {
  NoSlot,
  Filled,
  OpenNone,
  OpenSome,
  OpenAll,
  FillingNone,
  FillingSome,
  FillingAll
};
enum class PartAnswer : unsigned { None, Access, OtherFill, OwnFill };

inline Group endpoint_parts() {
  return {
      .name = "endpoint_parts",
      .title =
          "Endpoint, stores do not wait: media command x what is held of its 64 bytes x answer "
          "in the same cycle",
      .seen =
          "every cycle of the media port of the RTL's endpoint, data and poison against flat "
          "memory",
      .suites = {"endpoint_endpoint_test"},
      .axes = {{"command",
                {"none", "ArrayRead", "ArrayWrite, whole", "ArrayWrite, in part",
                 "ArrayWrite, poisoned", "ArrayWrite, opens", "Fill", "Fill, partial",
                 "WriteBack"}},
               {"its 64 bytes",
                {"no slot", "filled", "open, none held", "open, some held", "open, all held",
                 "being filled, none held", "being filled, some held", "being filled, all held"}},
               {"answer", {"none", "of an access", "of another Fill", "of this line's Fill"}}},
      .impossible = {
          {{"none", "!no slot", "*"}, "there is no command"},
          {{"!none", "no slot", "*"}, "endpoint: with its DRAM on each command is of a slot"},
          {{"ArrayRead",
            "open, none held|open, some held|being filled, none held|being filled, some held", "*"},
           "Lines in part: a load of missing bytes waits"},
          {{"ArrayWrite, opens|Fill|WriteBack", "!filled", "*"},
           "Lines in part: no line is evicted in part"},
          {{"Fill, partial", "!open, some held", "*"},
           "Lines in part: its line is open; it is of no 64 bytes alone"},
          {{"*", "!being filled, none held|being filled, some held|being filled, all held",
            "of this line's Fill"},
           "no Fill of the line is in flight"}}};
}

[[nodiscard]] inline std::vector<Group> part_pairs() {
  return {endpoint_parts(),    dram_cache_parts(),        dram_cache_store_before(),
          dram_cache_behind(), dram_cache_parts_levels(), dram_cache_open_lines()};
}

}  // namespace cxlgpu::coverage
