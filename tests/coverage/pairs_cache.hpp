// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
// Pairs of events that meet in one cycle in the agents of CXL.cache: groups of functional coverage.
//
// Purpose: as functional_groups.hpp; the states are the phases of the twins, in the same order.
// Source:  docs/blocks/cache/README.md.
#pragma once

#include "tests/coverage/pairs.hpp"

namespace cxlgpu::coverage {

inline Group device_agent_pairs() {
  return pairs(
      {.name = "device_agent_pairs",
       .title = "CXL.cache device agent: two events in one cycle x where its request is",
       .seen = "every cycle of the RTL's agent, in lockstep with its twin",
       .suites = {"cache_device_agent_test"},
       .axes = {},
       .impossible = {},
       .words = nullptr},
      {"request", {"none", "offered", "waits", "data pushed"}},
      {"local access", "D2H request", "snoop of its line", "snoop of another line", "response",
       "data", "request leaves", "snoop answered", "data leaves"},
      {{"*", {"local access"}, {"D2H request"}, "device_agent: one command at a time"},
       {"*",
        {"snoop of its line"},
        {"snoop of another line"},
        "cache_unpacker: one H2D request at a time"},
       {"!offered", {"request leaves"}, {"*"}, "device_agent: a request is offered in one state"}});
}

inline Group host_responder_pairs() {
  return pairs(
      {.name = "host_responder_pairs",
       .title = "CXL.cache host: two events in one cycle x what it does",
       .seen = "every cycle of the RTL's host, in lockstep with its twin",
       .suites = {"cache_host_responder_test"},
       .axes = {},
       .impossible = {},
       .words = nullptr},
      {"host",
       {"idle", "answers", "waits for pulled data", "last response", "snoop offered",
        "waits for the snoop's answer"}},
      {"snoop command", "D2H request", "D2H response", "D2H data", "snoop leaves",
       "response leaves", "data leaves"},
      {{"!snoop offered", {"snoop leaves"}, {"*"}, "host_responder: offered in one state"},
       {"!answers", {"data leaves"}, {"*"}, "host_responder: data is offered in one state"},
       {"idle|waits for pulled data|snoop offered|waits for the snoop's answer",
        {"response leaves"},
        {"*"},
        "host_responder: a response is offered in two states"}});
}

// ---- the controller ----------------------------------------------------------------------------

// Owed data slots, by end: 0, 1 to 3, and from 4 on a flit that is all data.
inline const Axis kOwedByEnd{"data owed",
                             {"host: none", "host: 1 to 3", "host: 4 and more", "device: none",
                              "device: 1 to 3", "device: 4 and more"}};

inline Group cache_packer_pairs() {
  const std::vector<std::string_view> taken{"ND taken", "WD taken", "Creq taken", "Crsp taken",
                                            "Cdat taken"};
  return pairs(
      {.name = "cache_packer_pairs",
       .title = "Packer of both protocols: two events in one flit x data that are owed",
       .seen = "every flit that the RTL's packer gives up, in lockstep with its twin",
       .suites = {"controller_cache_packer_test"},
       .axes = {},
       .impossible = {},
       .words = nullptr},
      kOwedByEnd,
      {"ND taken", "WD taken", "Creq taken", "Crsp taken", "Cdat taken", "new ones held up",
       "link starts"},
      {{"host: 4 and more|device: 4 and more",
        taken,
        {"*"},
        standard("CXL 2.0, 4.2.5: with 4 slots owed the flit is all data")},
       {"host: none|device: none",
        {"new ones held up"},
        {"*"},
        "cache_packer: with nothing owed and nothing new there is no flit"},
       {"*", taken, {"new ones held up"}, "link_layer: no new message beside a held one"},
       {"*", {"WD taken"}, {"Cdat taken"}, "cache_packer: one slot with a data header in a flit"}});
}

inline Group cache_unpacker_pairs() {
  const std::vector<std::string_view> headers{"ND", "Creq", "Crsp"};
  return pairs(
      {.name = "cache_unpacker_pairs",
       .title = "Unpacker of both protocols: two events in one flit x data that are owed",
       .seen = "every flit that the RTL's unpacker takes, in lockstep with its twin",
       .suites = {"controller_cache_unpacker_test"},
       .axes = {},
       .impossible = {},
       .words = nullptr},
      kOwedByEnd, {"ND", "Creq", "Crsp", "WD complete", "Cdat complete", "error", "link starts"},
      {{"host: 4 and more|device: 4 and more",
        headers,
        {"*"},
        standard("CXL 2.0, 4.2.5: with 4 slots owed the flit is all data")},
       {"host: 4 and more|device: 4 and more",
        {"error"},
        {"*"},
        "cache_unpacker: in a flit that is all data nothing can be wrong"},
       {"device: none",
        {"WD complete"},
        {"*"},
        standard("a flit with a data header in slot 0 has room for 3 of its 4 slots of data")},
       {"*",
        {"WD complete"},
        {"Cdat complete"},
        "cache_unpacker: 4 slots of a flit complete one message with data"}});
}

// The five channels of a controller: ND is Req or NDR, WD is RwD or DRS.
inline constexpr std::string_view kOneOrTwo = "one or the other";

inline Group channel_tx_pairs() {
  return pairs({.name = "channel_tx_pairs",
                .title = "Transmit queues of a controller: two events in one cycle x level",
                .seen = "every cycle of two RTL controllers, in lockstep with their twins",
                .suites = {"controller_cache_controller_test", "controller_cxl_controller_test"},
                .axes = {},
                .impossible = {},
                .words = nullptr},
               {"queue",
                {"ND empty", "ND some", "ND full", "WD empty", "WD some", "WD full", "Creq empty",
                 "Creq some", "Creq full", "Crsp empty", "Crsp some", "Crsp full", "Cdat empty",
                 "Cdat some", "Cdat full"}},
               {"message offered", "one sent", "two sent", "flush"},
               {{"*", {"one sent"}, {"two sent"}, kOneOrTwo},
                {"ND empty|WD empty|Creq empty|Crsp empty|Cdat empty",
                 {"one sent", "two sent"},
                 {"*"},
                 "cxl_controller: nothing is there"},
                {"Cdat some|Cdat full",
                 {"two sent"},
                 {"*"},
                 "cache_packer: one slot with a data header in a flit"}});
}

inline Group channel_rx_pairs() {
  return pairs({.name = "channel_rx_pairs",
                .title = "Receive queues of a controller: two events in one cycle x level",
                .seen = "every cycle of two RTL controllers, in lockstep with their twins",
                .suites = {"controller_cache_controller_test", "controller_cxl_controller_test"},
                .axes = {},
                .impossible = {},
                .words = nullptr},
               {"queue",
                {"ND empty", "ND some", "ND full", "WD empty", "WD some", "WD full", "Creq empty",
                 "Creq some", "Creq full", "Crsp empty", "Crsp some", "Crsp full", "Cdat empty",
                 "Cdat some", "Cdat full"}},
               {"one arrives", "more arrive", "ready", "credits come for it"},
               {{"*", {"one arrives"}, {"more arrive"}, kOneOrTwo},
                {"WD empty|WD some|WD full|Cdat empty|Cdat some|Cdat full",
                 {"more arrive"},
                 {"*"},
                 "cache_unpacker: 4 slots of a flit complete one message with data"}});
}

inline Group channel_credit_pairs() {
  return pairs(
      {.name = "channel_credit_pairs",
       .title = "Credits of a controller's channels: two events in one cycle x credits",
       .seen = "every cycle of two RTL controllers, in lockstep with their twins",
       .suites = {"controller_cache_controller_test", "controller_cxl_controller_test"},
       .axes = {},
       .impossible = {},
       .words = nullptr},
      {"credits",
       {"ND 0", "ND 1", "ND some", "WD 0", "WD 1", "WD some", "Creq 0", "Creq 1", "Creq some",
        "Crsp 0", "Crsp 1", "Crsp some", "Cdat 0", "Cdat 1", "Cdat some"}},
      {"credits come", "one sent", "two sent", "a message waits"},
      {{"*", {"one sent"}, {"two sent"}, kOneOrTwo},
       {"ND 0|WD 0|Creq 0|Crsp 0|Cdat 0",
        {"one sent", "two sent"},
        {"*"},
        standard("CXL 2.0, 4.2.2: nobody sends without a credit")},
       {"ND 1|WD 1|Creq 1|Crsp 1|Cdat 1",
        {"two sent"},
        {"*"},
        standard("CXL 2.0, 4.2.2: nobody sends without a credit")},
       {"Cdat some", {"two sent"}, {"*"}, "cache_packer: one slot with a data header in a flit"}});
}

[[nodiscard]] inline std::vector<Group> cache_pairs() {
  return {device_agent_pairs(),   host_responder_pairs(), cache_packer_pairs(),
          cache_unpacker_pairs(), channel_tx_pairs(),     channel_rx_pairs(),
          channel_credit_pairs()};
}

}  // namespace cxlgpu::coverage
