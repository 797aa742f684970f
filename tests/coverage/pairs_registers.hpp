// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
// Software and hardware in one cycle: accesses to registers that hardware changes, and to tables
// that are looked up. Groups of functional coverage.
//
// Purpose: as functional_groups.hpp; the enums number the values of the axes, in the same order.
// Source:  docs/blocks, the block named in the group; CXL 2.0 where a reason says so.
#pragma once

#include "tests/coverage/functional.hpp"

namespace cxlgpu::coverage {

inline const Axis kBefore{"before", {"no", "yes"}};

// ---- ras ---------------------------------------------------------------------------------------

// Status bits of RAS that exist, in their order: bit numbers beside the names.
inline constexpr unsigned kRasUncorBits[] = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 14, 15, 16};
inline constexpr unsigned kRasCorBits = 7;

enum class RasEvent : unsigned { None, Happens, Masked };
enum class RasWrite : unsigned { None, ClearsIt, ClearsOthers };
enum class RasHeld : unsigned { None, It, Another };

inline Group ras_uncor_pairs() {
  return {.name = "ras_uncor_pairs",
          .title =
              "RAS, uncorrectable: status bit x event x write of status x set before x first "
              "error held",
          .seen = "every cycle of the RTL's registers, in lockstep with their twin",
          .suites = {"controller_ras_test"},
          .axes = {{"bit",
                    {"cache data parity", "cache address parity", "cache BE parity",
                     "cache data ECC", "memory data parity", "memory address parity",
                     "memory BE parity", "memory data ECC", "reinit threshold", "encoding",
                     "poison", "overflow", "internal", "IDE transmit", "IDE receive"}},
                   {"event", {"none", "happens", "masked"}},
                   {"write", {"none", "clears it", "clears others"}},
                   {"before", {"clear", "set"}},
                   {"first error", {"none", "this one", "another"}}},
          .impossible = {{{"*", "*", "*", "clear", "this one"},
                          "ras: the first error is held while its status bit is set"}}};
}

inline Group ras_cor_pairs() {
  return {.name = "ras_cor_pairs",
          .title = "RAS, correctable: status bit x event x write of status x set before",
          .seen = "every cycle of the RTL's registers, in lockstep with their twin",
          .suites = {"controller_ras_test"},
          .axes = {{"bit",
                    {"cache data ECC", "memory data ECC", "CRC threshold", "retry threshold",
                     "cache poison", "memory poison", "physical layer"}},
                   {"event", {"none", "happens", "masked"}},
                   {"write", {"none", "clears it", "clears others"}},
                   {"before", {"clear", "set"}}},
          .impossible = {}};
}

// ---- link_regs ---------------------------------------------------------------------------------

enum class WordAccess : unsigned { None, ReadLow, ReadHigh, WriteLow, WriteHigh };

inline Group link_regs_pairs() {
  return {.name = "link_regs_pairs",
          .title = "Link registers: access x register x status that changes in that cycle",
          .seen = "every cycle of the RTL's registers, in lockstep with their twin",
          .suites = {"controller_link_regs_test"},
          .axes = {{"access", {"none", "read", "read, high", "write", "write, high"}},
                   {"register",
                    {"capability", "control", "receive credits", "credits to return",
                     "transmit credits", "ack timer", "defeature", "behind them"}},
                   {"status", {"stays", "changes"}}},
          .impossible = {}};
}

// ---- endpoint_regs -----------------------------------------------------------------------------

enum class CounterAccess : unsigned { Other, Read, Write };

inline Group endpoint_counter_pairs() {
  return {.name = "endpoint_counter_pairs",
          .title = "Counters of the endpoint: event x event in the cycle before x access",
          .seen = "every cycle of the RTL's registers, in lockstep with their twin",
          .suites = {"endpoint_endpoint_regs_test"},
          .axes = {{"counter",
                    {"demand hits", "demand merges", "demand fills", "speculative fills",
                     "needless", "dropped", "unwanted", "displaced", "opened", "filled behind",
                     "made whole", "write-backs"}},
                   {"event", {"no", "yes"}},
                   kBefore,
                   {"access", {"none of it", "read", "written"}}},
          .impossible = {}};
}

// ---- cxl_mailbox -------------------------------------------------------------------------------

enum class MailboxDoes : unsigned { Idle, ToCopy, Done, Refused, Copies, CopiesLast };
enum class MailboxAccess : unsigned {
  None,
  ReadsDoorbell,
  ReadsCommand,
  ReadsStatus,
  ReadsPayload,
  ReadsMedia,
  Rings,
  WritesCommand,
  WritesPayload,
  WritesOther
};

inline Group mailbox_pairs() {
  return {.name = "mailbox_pairs",
          .title = "Mailbox: what the command does x access in that cycle x viral",
          .seen = "every cycle of the RTL's mailbox, in lockstep with its twin",
          .suites = {"endpoint_cxl_mailbox_test"},
          .axes = {{"command",
                    {"none", "begins its output", "done, no output", "refused",
                     "a word of its output", "the last word"}},
                   {"access",
                    {"none", "doorbell read", "command read", "status read", "payload read",
                     "media status read", "doorbell rung", "command written", "payload written",
                     "another written"}},
                   {"viral", {"no", "yes"}}},
          .impossible = {}};
}

// ---- range_decoder -----------------------------------------------------------------------------

enum class RangePlace : unsigned { Below, First, Inside, Last, Behind };

inline Group range_decoder_pairs() {
  constexpr std::string_view kPlaces[] = {"below", "first unit", "inside", "last unit", "behind"};
  const std::vector<std::string_view> places(std::begin(kPlaces), std::end(kPlaces));
  return {
      .name = "range_decoder_pairs",
      .title = "Ranges of a device: address in range 1 x in range 2 x HDM decoders x Mem_Enable",
      .seen = "the RTL's decoder beside its twin",
      .suites = {"endpoint_range_decoder_test"},
      .axes = {{"range 1", places},
               {"range 2", places},
               {"HDM decoders", {"off, miss", "off, hit", "on, miss", "on, hit"}},
               {"Mem_Enable", {"0", "1"}},
               {"address", {"none", "valid"}}},
      .impossible = {}};
}

// ---- hdm_decoder -------------------------------------------------------------------------------

enum class HdmDoes : unsigned {
  Nothing,
  Asks,
  AsksLocked,
  Prepares,
  Field,
  FieldCommitted,
  WhileChecked,
  Commits,
  Refused,
  Uncommits,
  UncommitLocked,
  Enables,
  Disables
};
enum class HdmLook : unsigned { None, HitsIt, HitsAnother, WouldHit, Misses };

inline Group hdm_decoder_pairs() {
  return {.name = "hdm_decoder_pairs",
          .title = "HDM decoders: what software and the decoder's checks do x lookup in that cycle",
          .seen = "every cycle of the RTL's decoders, in lockstep with their twins",
          .suites = {"host_bridge_hdm_decoder_test"},
          .axes = {{"role", {"host bridge", "device"}},
                   {"registers",
                    {"left alone", "commit requested", "commit and lock requested",
                     "control written without commit", "field written", "field of a committed one",
                     "written while it is checked", "commits", "commit is refused", "uncommitted",
                     "uncommit of a locked one", "enabled", "disabled"}},
                   {"lookup",
                    {"none", "hits it", "hits another", "is in its range, no hit", "misses"}}},
          .impossible = {
              {{"host bridge", "enabled|disabled", "*"},
               standard("CXL 2.0, 8.2.5.12.2: HDM Decoder Enable is of devices alone")},
              {{"*", "left alone|enabled|disabled", "hits it"}, "no decoder of its own is meant"},
              {{"*", "left alone", "is in its range, no hit"}, "no decoder of its own is meant"},
              {{"*",
                "commit requested|commit and lock requested|control written without commit|"
                "field written|written while it is checked|commits|commit is refused",
                "hits it"},
               "hdm_decoder: only a committed decoder is hit"},
              {{"*", "enabled", "hits another"}, "hdm_decoder: disabled, a device hits nothing"},
              {{"*", "disabled", "is in its range, no hit"},
               "hdm_decoder: enabled, a committed decoder hits"},
              {{"host bridge", "field of a committed one|uncommitted|uncommit of a locked one",
                "is in its range, no hit"},
               "hdm_decoder: what a committed decoder of a host bridge covers is hit"}}};
}

[[nodiscard]] inline std::vector<Group> register_pairs() {
  return {ras_uncor_pairs(), ras_cor_pairs(),       link_regs_pairs(),  endpoint_counter_pairs(),
          mailbox_pairs(),   range_decoder_pairs(), hdm_decoder_pairs()};
}

}  // namespace cxlgpu::coverage
