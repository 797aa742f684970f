// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
// Pairs of events that meet in one cycle in the blocks of CXL.io: groups of functional coverage.
//
// Purpose: as functional_groups.hpp; the enums number the values of the axes, in the same order.
// Source:  docs/blocks/cxl_io/README.md; PCI Express Base 5.0, chapters 2 and 3.
#pragma once

#include "tests/coverage/pairs.hpp"

namespace cxlgpu::coverage {

// ---- io_link -----------------------------------------------------------------------------------

enum class IoChoice : unsigned {
  Stalled,
  Nothing,
  InitFc,
  Nak,
  Ack,
  UpdatePosted,
  UpdateNonPosted,
  Replay,
  New
};
enum class IoArrives : unsigned {
  Nothing,
  AckSome,
  AckNothing,
  NakReplays,
  NakAll,
  OutOfRange,
  InitFc,
  UpdateFc,
  InOrder,
  Duplicate,
  DamagedTlp,
  DamagedDllp
};
enum class IoReplay : unsigned { None, Some, Full, Again, AgainFull };

inline constexpr Reason kNothingHeld = standard(
    "PCIe 5.0, 3.6.2: with no TLP outstanding none is acknowledged or replayed; such a number is "
    "out of range or says nothing new");

inline Group io_link_crossings() {
  return {.name = "io_link_crossings",
          .title = "Data link of CXL.io: what is sent x what arrives x replay memory",
          .seen =
              "every cycle after FC_INIT1 of the RTL's ends under everything at any time, in "
              "lockstep with their twins",
          .suites = {"cxl_io_io_link_test"},
          .axes = {{"sent",
                    {"the last one waits", "nothing", "InitFC", "Nak", "Ack", "UpdateFC P",
                     "UpdateFC NP", "TLP again", "new TLP"}},
                   {"arrives",
                    {"nothing", "Ack of some", "Ack of nothing new", "Nak that replays",
                     "Nak of all", "Ack or Nak out of range", "InitFC", "UpdateFC", "TLP in order",
                     "duplicate", "TLP damaged or out of order", "damaged DLLP"}},
                   {"replay", {"nothing held", "some", "full", "replays", "replays, full"}}},
          .impossible = {{{"InitFC", "*", "!nothing held"},
                          standard("PCIe 5.0, 3.3: no TLP is sent before the data link is up")},
                         {{"*", "Ack of some|Nak that replays", "nothing held"}, kNothingHeld},
                         {{"TLP again", "*", "!replays|replays, full"},
                          "io_link: a TLP is sent again in a replay only"},
                         {{"nothing", "*", "replays|replays, full"},
                          "io_link: while it replays there is something to send"},
                         {{"new TLP", "*", "replays|replays, full"},
                          standard("PCIe 5.0, 3.6.2.1: during a replay no new TLP is sent")},
                         {{"new TLP", "*", "full"}, "io_link: a new TLP needs a free place"}}};
}

enum class IoHeld : unsigned { None, Some, OneFree, Full };

inline Group io_replay_pairs() {
  const std::vector<std::string_view> answers{"some acknowledged", "all acknowledged",
                                              "Nak that replays"};
  return pairs(
      {.name = "io_replay_pairs",
       .title = "Replay memory of CXL.io: two events in one cycle x how full it is",
       .seen = "every cycle after FC_INIT1 of the RTL's ends under everything at any time, in "
               "lockstep with their twins",
       .suites = {"cxl_io_io_link_test"},
       .axes = {},
       .impossible = {},
       .words = nullptr},
      {"replay memory", {"empty", "some", "one free", "full"}},
      {"TLP taken", "new TLP sent", "TLP sent again", "some acknowledged", "all acknowledged",
       "Nak that replays", "time-out is due", "link goes down"},
      {{"empty", answers, {"*"}, kNothingHeld},
       {"empty",
        {"TLP sent again", "time-out is due"},
        {"*"},
        "io_link: with nothing held there is no replay"},
       {"full", {"new TLP sent"}, {"*"}, "io_link: a new TLP needs a free place"},
       {"*", {"TLP taken"}, {"new TLP sent"}, "io_link: one is taken when none waits"},
       {"*", {"new TLP sent"}, {"TLP sent again"}, "io_link: one packet is chosen in a cycle"},
       {"*", {"all acknowledged"}, {"some acknowledged", "Nak that replays"}, "one or the other"},
       {"*", {"TLP sent again"}, {"time-out is due"}, "io_link: the timer rests in a replay"}});
}

enum class IoQueueLevel : unsigned { Empty, One, Some, OneFree, Full };

inline Group io_receive_pairs() {
  const std::vector<std::string_view> in{"TLP in order", "malformed TLP in order"};
  const std::vector<std::string_view> out{"P leaves", "NP leaves", "Cpl leaves"};
  const std::vector<std::string_view> sent{"UpdateFC P sent", "UpdateFC NP sent", "Ack sent",
                                           "Nak sent"};
  return pairs({.name = "io_receive_pairs",
                .title = "Received TLPs of CXL.io: two events in one cycle x how full the queue is",
                .seen = "every cycle after FC_INIT1 of the RTL's ends under everything at any "
                        "time, in lockstep with their twins",
                .suites = {"cxl_io_io_link_test"},
                .axes = {},
                .impossible = {},
                .words = nullptr},
               {"queue", {"empty", "one", "some", "one free", "full"}},
               {"TLP in order", "malformed TLP in order", "P leaves", "NP leaves", "Cpl leaves",
                "UpdateFC P sent", "UpdateFC NP sent", "Ack sent", "Nak sent",
                "UpdateFC timer ends", "link goes down"},
               {{"*", in, in, "io_link: one verdict acts in a cycle"},
                {"*", out, out, "io_link: one TLP leaves in a cycle"},
                {"*", sent, sent, "io_link: one packet is chosen in a cycle"},
                {"empty", out, {"*"}, "io_link: nothing is there"}});
}

// ---- io_unframe --------------------------------------------------------------------------------

inline Group io_unframe_pairs() {
  return pairs({.name = "io_unframe_pairs",
                .title = "Flits that wait to be unframed: two events in one cycle x how many",
                .seen = "every cycle of the RTL's block, in lockstep with its twin",
                .suites = {"cxl_io_io_unframe_test"},
                .axes = {},
                .impossible = {},
                .words = nullptr},
               {"waiting", {"0", "1", "2", "more", "all"}},
               {"flit arrives", "flit is done with", "piece of a packet leaves", "link is down"},
               {});
}

// ---- io_completer ------------------------------------------------------------------------------

enum class CompleterState : unsigned { Idle, Access, Second, Data, Reply };
enum class CompleterOffer : unsigned { None, Config, Read, Write, Message, Completion, Other };

inline Group io_completer_crossings() {
  return {.name = "io_completer_crossings",
          .title = "Completer of CXL.io: what it does x TLP offered x completion port x link",
          .seen = "every cycle of the RTL's completer, in lockstep with its twin",
          .suites = {"cxl_io_io_completer_test"},
          .axes = {{"completer", {"idle", "accesses", "accesses the second DW", "data", "replies"}},
                   {"offered",
                    {"none", "configuration", "memory read", "memory write", "message",
                     "completion", "another"}},
                   {"completion port", {"stalls", "takes"}},
                   {"link", {"up", "goes down", "down"}}},
          .impossible = {{{"!idle", "*", "*", "down"},
                          "io_completer: a link down ends what it does in one cycle"}}};
}

// ---- io_requester ------------------------------------------------------------------------------

enum class RequesterState : unsigned { Idle, Send, Wait, Respond };

inline Group io_requester_pairs() {
  const std::vector<std::string_view> received{"its completion", "non-posted TLP", "another TLP"};
  return pairs(
      {.name = "io_requester_pairs",
       .title = "Requester of CXL.io: two events in one cycle x what it does",
       .seen = "every cycle of the RTL's requester, in lockstep with its twin",
       .suites = {"cxl_io_io_requester_test"},
       .axes = {},
       .impossible = {},
       .words = nullptr},
      {"requester", {"idle", "sends", "waits", "responds"}},
      {"request offered", "request's TLP taken", "UR completion taken", "its completion",
       "non-posted TLP", "another TLP", "time-out is due", "link is down", "response taken"},
      {{"!sends", {"request's TLP taken"}, {"*"}, "io_requester: offered in one state"},
       {"!waits", {"its completion"}, {"*"}, "io_requester: nothing else is answered"},
       {"!waits", {"time-out is due"}, {"*"}, "io_requester: the timer runs while it waits"},
       {"!responds", {"response taken"}, {"*"}, "io_requester: offered in one state"},
       {"*", {"request's TLP taken"}, {"UR completion taken"}, "one TLP leaves in a cycle"},
       {"*", received, received, "one TLP arrives in a cycle"},
       {"*",
        received,
        {"UR completion taken", "link is down"},
        "io_requester: receives on a link that is up, with no UR completion to send"}});
}

// ---- io_route ----------------------------------------------------------------------------------

enum class RouteState : unsigned { Idle, Route, Data, Down, Wait, Respond };

inline Group io_route_pairs() {
  return pairs(
      {.name = "io_route_pairs",
       .title = "Router of CXL.io: two events in one cycle x what it does",
       .seen = "every cycle of the RTL's router, in lockstep with its twin",
       .suites = {"cxl_io_io_route_test"},
       .axes = {},
       .impossible = {},
       .words = nullptr},
      {"router", {"idle", "routes", "data", "goes down", "waits", "responds"}},
      {"request offered", "bridge rewritten", "register page busy", "own access made",
       "request taken below", "answer from below", "response taken"},
      {{"!routes", {"own access made"}, {"*"}, "io_route: an access is made in one state"},
       {"!goes down", {"request taken below"}, {"*"}, "io_route: offered in one state"},
       {"!waits", {"answer from below"}, {"*"}, "io_requester: answers only what was requested"},
       {"!responds", {"response taken"}, {"*"}, "io_route: offered in one state"}});
}

[[nodiscard]] inline std::vector<Group> io_pairs() {
  return {io_link_crossings(),      io_replay_pairs(),    io_receive_pairs(), io_unframe_pairs(),
          io_completer_crossings(), io_requester_pairs(), io_route_pairs()};
}

}  // namespace cxlgpu::coverage
