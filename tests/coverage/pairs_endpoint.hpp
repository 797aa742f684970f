// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
// Pairs of events that meet in one cycle, in the tables and queues of endpoint and host bridge:
// groups of functional coverage.
//
// Purpose: as functional_groups.hpp; the enums number the values of the axes, in the same order.
// Source:  docs/blocks, the block named in the group.
#pragma once

#include "tests/coverage/functional.hpp"

namespace cxlgpu::coverage {

// ---- dram_cache --------------------------------------------------------------------------------

enum class DramLook : unsigned {
  None,
  NotCommitted,
  Hit,
  HitDraining,
  Merge,
  MissEmpty,
  MissClean,
  MissDirty,
  Blocked,
  Drop
};
enum class DramAsker : unsigned { Spec, Read, Write };
// What comes in the cycle of the lookup, of which line.
enum class DramFill : unsigned { None, OtherIdle, OtherWaited, OwnIdle, OwnWaited };
enum class DramWake : unsigned { None, OtherMore, OtherLast, OwnMore, OwnLast };

inline Group dram_cache_pairs() {
  return {
      .name = "dram_cache_pairs",
      .title = "Internal DRAM: lookup x who asks x fill and wake-up in the same cycle",
      .seen = "every cycle of the RTL's tags and MSHRs, in lockstep with their twin",
      .suites = {"endpoint_dram_cache_test"},
      .axes = {{"lookup",
                {"none", "not committed", "hit", "hit, waiters drain", "merge", "miss, way empty",
                 "miss, clean victim", "miss, dirty victim", "blocked", "dropped"}},
               {"by", {"MemSpecRd", "read", "write"}},
               {"fill",
                {"none", "other line, none waits", "other line, some wait", "this line, none waits",
                 "this line, some wait"}},
               {"wake",
                {"none", "other line, more wait", "other line, the last", "this line, more wait",
                 "this line, the last"}}},
      .impossible = {
          {{"dropped", "read|write", "*", "*"}, "dram_cache: only a MemSpecRd is dropped"},
          {{"blocked", "MemSpecRd", "*", "*"}, "dram_cache: a MemSpecRd is dropped instead"},
          {{"!merge", "*", "this line, none waits|this line, some wait", "*"},
           "dram_cache: only a line whose fill is pending gets one; a lookup of it is a MERGE"},
          {{"!hit, waiters drain", "*", "*", "this line, more wait|this line, the last"},
           "dram_cache: only a filled line wakes waiters; a lookup of it is a HIT"}}};
}

enum class DramFrees : unsigned { None, Fill, Wake, Both };
enum class DramLevel : unsigned { Empty, One, Some, OneFree, Full };

inline Group dram_cache_levels() {
  return {.name = "dram_cache_levels",
          .title = "MSHRs: one taken x freed in the same cycle x live before",
          .seen = "every cycle of the RTL's tags and MSHRs, in lockstep with their twin",
          .suites = {"endpoint_dram_cache_test"},
          .axes = {{"taken", {"no", "yes"}},
                   {"freed", {"none", "by its fill", "by its last waiter", "one by each"}},
                   {"live", {"0", "1", "2 to 126", "127", "128"}}},
          .impossible = {{{"yes", "*", "128"}, "dram_cache: no MSHR is free"},
                         {{"*", "!none", "0"}, "dram_cache: no MSHR is live"},
                         {{"*", "one by each", "1"},
                          "dram_cache: a fill frees an MSHR without waiters, a wake-up one with"}}};
}

// ---- transaction_table -------------------------------------------------------------------------

enum class TableTakes : unsigned { Nothing, NotWaiting, Waiting, WaitingForTheFill };
enum class TableFill : unsigned { None, WakesNone, WakesOne, WakesSeveral };
enum class TableWake : unsigned { None, Stalled, Taken, TakenOfTheFill };
enum class TableLevel : unsigned { Empty, One, Some, OneFree, Full };

inline Group transaction_table_pairs() {
  return {
      .name = "transaction_table_pairs",
      .title = "Transaction table: entry taken x fill x wake-up x entry freed in the same cycle",
      .seen = "every cycle of the RTL's table, in lockstep with its twin",
      .suites = {"endpoint_transaction_table_test"},
      .axes = {{"taken", {"no", "does not wait", "waits", "waits for this fill"}},
               {"fill", {"none", "wakes none", "wakes one", "wakes several"}},
               {"offer", {"none", "stalled", "taken", "taken, of this fill's MSHR"}},
               {"freed", {"no", "yes"}}},
      .impossible = {{{"waits for this fill", "none", "*", "*"}, "there is no fill"},
                     {{"*", "none", "taken, of this fill's MSHR", "*"}, "there is no fill"}}};
}

inline Group transaction_table_levels() {
  return {.name = "transaction_table_levels",
          .title = "Transaction table: entry taken x entry freed x entries used before",
          .seen = "every cycle of the RTL's table, in lockstep with its twin",
          .suites = {"endpoint_transaction_table_test"},
          .axes = {{"taken", {"no", "yes"}},
                   {"freed", {"no", "yes"}},
                   {"used", {"0", "1", "2 to 30", "31", "32"}}},
          .impossible = {{{"yes", "*", "32"}, "transaction_table: no entry is free"},
                         {{"*", "yes", "0"}, "transaction_table: no entry is used"}}};
}

// ---- spec_queue --------------------------------------------------------------------------------

enum class SpecIn : unsigned { None, Taken, NoRoom };
enum class SpecOut : unsigned { None, Stalled, Granule, Last };

inline Group spec_queue_pairs() {
  return {.name = "spec_queue_pairs",
          .title = "Side queue of MemSpecRd: what comes x what goes x messages held before",
          .seen = "every cycle of the RTL's queue, in lockstep with its twin",
          .suites = {"endpoint_spec_queue_test"},
          .axes = {{"comes", {"nothing", "a message", "a message, no room"}},
                   {"goes", {"nothing there", "stalled", "a granule, not the last", "the last"}},
                   {"held", {"0", "1", "2 to 126", "127", "128"}}},
          .impossible = {{{"a message", "*", "128"}, "spec_queue: the queue is full"},
                         {{"a message, no room", "*", "!128"}, "spec_queue: there is room"},
                         {{"*", "nothing there", "!0"}, "spec_queue: the head is offered"},
                         {{"*", "!nothing there", "0"}, "spec_queue: nothing is held"}}};
}

// ---- hint_walker -------------------------------------------------------------------------------

enum class HintPasses : unsigned { No, Waits, ToPort, Over };

inline Group hint_walker_pairs() {
  constexpr std::string_view kHeld =
      "hint_walker: a granule is decoded only of a hint that is held";
  constexpr std::string_view kRoom = "hint_walker: a hint is lost only with as many held as may be";
  return {
      .name = "hint_walker_pairs",
      .title = "Hint walker: hint x granule decoded x granule at its port x hints held before",
      .seen = "every cycle of the RTL's walker, in lockstep with its twin",
      .suites = {"host_bridge_hint_walker_test"},
      .axes = {{"depth", {"1", "16"}},
               {"hint", {"none", "taken", "lost"}},
               {"decoded", {"no", "not passed on", "for a port", "for none"}},
               {"at a port", {"none", "stalled", "taken"}},
               {"held", {"0", "some", "full"}}},
      .impossible = {{{"1", "*", "*", "*", "some"}, "hint_walker: one hint, which is none or all"},
                     {{"*", "lost", "*", "*", "!full"}, kRoom},
                     {{"*", "taken", "*", "*", "full"}, kRoom},
                     {{"*", "*", "!no", "*", "0"}, kHeld},
                     {{"*", "*", "not passed on", "!stalled", "*"},
                      "hint_walker: only a granule that waits for its port keeps the next back"},
                     {{"*", "*", "for a port|for none", "stalled", "*"},
                      "hint_walker: one granule waits for its port, the next behind it"}}};
}

// ---- persist_join ------------------------------------------------------------------------------

inline Group persist_join_pairs() {
  constexpr std::string_view kOne =
      "persist_join: of one request held, one thing happens at a time";
  return {.name = "persist_join_pairs",
          .title = "Persist join: request x requests to ports x answers of ports x answer",
          .seen = "every cycle of the RTL's join, in lockstep with its twin",
          .suites = {"host_bridge_persist_join_test"},
          .axes = {{"depth", {"1", "3"}},
                   {"request", {"none", "no room", "taken"}},
                   {"to ports", {"none", "stalled", "taken"}},
                   {"from ports", {"none awaited", "awaited", "taken"}},
                   {"answer", {"none", "stalled", "taken"}}},
          .impossible = {{{"1", "taken", "!none", "*", "*"}, kOne},
                         {{"1", "taken", "*", "!none awaited", "*"}, kOne},
                         {{"1", "taken", "*", "*", "!none"}, kOne},
                         {{"1", "*", "!none", "!none awaited", "*"}, kOne},
                         {{"1", "*", "!none", "*", "!none"}, kOne},
                         {{"1", "*", "*", "!none awaited", "!none"}, kOne}}};
}

// ---- host_bridge and axi_adapter ---------------------------------------------------------------

enum class WayOut : unsigned { Free, Leaves, Stays };

inline Group host_bridge_requests() {
  return {.name = "host_bridge_requests",
          .title = "Host bridge: request x register of its way out x another register leaves",
          .seen = "every cycle of the RTL's host bridge, in lockstep with its twin",
          .suites = {"host_bridge_host_bridge_test"},
          .axes = {{"request",
                    {"read, to a port", "write, to a port", "read, to nobody", "write, to nobody"}},
                   {"register", {"free", "leaves", "stays"}},
                   {"another", {"stays or free", "leaves"}},
                   {"registers", {"left alone", "written"}}},
          .impossible = {}};
}

inline Group host_bridge_responses() {
  return {.name = "host_bridge_responses",
          .title = "Host bridge: offers and output register of R x the same of B",
          .seen = "every cycle of the RTL's host bridge, in lockstep with its twin",
          .suites = {"host_bridge_host_bridge_test"},
          .axes = {{"R offered", {"none", "one", "several"}},
                   {"R register", {"free", "leaves", "stays"}},
                   {"B offered", {"none", "one", "several"}},
                   {"B register", {"free", "leaves", "stays"}}},
          .impossible = {}};
}

inline Group axi_adapter_pairs() {
  return {.name = "axi_adapter_pairs",
          .title = "AXI adapter: write offered x read offered x request register x turn",
          .seen = "every cycle of the RTL's adapter, in lockstep with its twin",
          .suites = {"host_bridge_axi_adapter_test"},
          .axes = {{"write", {"none", "AW alone", "W alone", "AW and W"}},
                   {"read", {"none", "AR"}},
                   {"register", {"free", "leaves", "stays"}},
                   {"turn", {"a read's", "a write's"}}},
          .impossible = {}};
}

[[nodiscard]] inline std::vector<Group> endpoint_pairs() {
  return {dram_cache_pairs(),         dram_cache_levels(), transaction_table_pairs(),
          transaction_table_levels(), spec_queue_pairs(),  host_bridge_requests(),
          host_bridge_responses(),    axi_adapter_pairs(), hint_walker_pairs(),
          persist_join_pairs()};
}

}  // namespace cxlgpu::coverage
