// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
// What meets in one cycle in the ARB/MUX and its state machines: groups of functional coverage.
//
// Purpose: as functional_groups.hpp; the enums number the values of the axes, in the same order.
// Source:  docs/blocks/controller/arb_mux.md, controller/vlsm.md; CXL 2.0, chapter 5.1.
#pragma once

#include "tests/coverage/pairs.hpp"

namespace cxlgpu::coverage {

// ---- arb_mux -----------------------------------------------------------------------------------

inline Group arb_mux_pairs() {
  const std::vector<std::string_view> in{"ALMP comes", "io flit comes", "cachemem flit comes"};
  const std::vector<std::string_view> out{"ALMP leaves", "io flit leaves", "cachemem flit leaves",
                                          "a flit is held up"};
  return pairs({.name = "arb_mux_pairs",
                .title = "ARB/MUX: two events in one cycle, by end",
                .seen = "every cycle of the RTL's ARB/MUX as host and as device, in lockstep with "
                        "its twin",
                .suites = {"controller_arb_mux_test"},
                .axes = {},
                .impossible = {},
                .words = nullptr},
               {"end", {"host", "device"}},
               {"ALMP comes", "io flit comes", "cachemem flit comes", "ALMP leaves",
                "io flit leaves", "cachemem flit leaves", "a flit is held up", "L0 ends",
                "L0 begins", "Recovery is requested", "other state requested", "weights written"},
               {{"*", in, in, "flex_bus_rx: one flit comes in a cycle"},
                {"*", out, out, "arb_mux: one flit is offered in a cycle"},
                {"*", out, {"L0 ends"}, "arb_mux: nothing is offered outside L0"},
                {"*", out, {"L0 begins"}, "arb_mux: it offers from the cycle after L0 has begun"},
                {"*", {"L0 ends"}, {"L0 begins"}, "one or the other"},
                {"*",
                 {"Recovery is requested"},
                 {"L0 begins"},
                 "arb_mux: a request ends with the Recovery before L0"}});
}

inline constexpr std::string_view kOneEdge = "arb_mux: an edge of the link's life is one of them";

inline Group arb_mux_meetings() {
  const std::vector<std::string_view> edges{"link goes down", "Recovery begins", "L0 begins"};
  return pairs(
      {.name = "arb_mux_meetings",
       .title = "ARB/MUX: two events in one cycle x where the link's life is",
       .seen = "every cycle of the RTL's ARB/MUX as host and as device, in lockstep with its twin",
       .suites = {"controller_arb_mux_test"},
       .axes = {},
       .impossible = {},
       .words = nullptr},
      {"link", {"down", "up", "Recovery", "sleep"}},
      {"ALMP comes", "other state requested", "link goes down", "Recovery begins", "L0 begins",
       "ALMP taken from a machine", "a flit was held up", "weights written"},
      {{"*", edges, edges, kOneEdge},
       {"down", {"link goes down", "Recovery begins"}, {"*"}, "arb_mux: a link down comes up"},
       {"up", {"L0 begins"}, {"*"}, "arb_mux: it has begun"},
       {"Recovery", {"Recovery begins"}, {"*"}, "arb_mux: it has begun already"},
       {"sleep", {"L0 begins"}, {"*"}, "arb_mux: sleep ends by Recovery or down"},
       {"!up", {"ALMP taken from a machine"}, {"*"}, "arb_mux: one is taken in L0"},
       {"up",
        {"ALMP taken from a machine"},
        {"link goes down", "Recovery begins"},
        "arb_mux: none is taken in the cycle in which L0 ends"},
       {"up",
        {"ALMP taken from a machine"},
        {"ALMP comes"},
        "arb_mux: none is taken in the cycle in which one comes"},
       {"!up", {"a flit was held up"}, {"*"}, "arb_mux: with L0 what is offered goes"}});
}

// ---- vlsm --------------------------------------------------------------------------------------

inline Group vlsm_crossings() {
  return {
      .name = "vlsm_crossings",
      .title = "vLSM: ALMP that comes x own ALMP that waits x state, by end",
      .seen =
          "every cycle in L0 of the RTL's machine as host and as device, in lockstep with "
          "its twin",
      .suites = {"controller_vlsm_test"},
      .axes = {{"end", {"host", "device"}},
               {"state", {"Reset", "Active", "DAPM", "L1", "L2", "Retrain", "link torn down"}},
               {"comes", {"nothing", "Request", "Status"}},
               {"waits", {"nothing", "Request", "Status"}}},
      .impossible = {
          {{"host", "DAPM", "*", "*"}, "vlsm: a host has no DAPM"},
          {{"*", "Active", "*", "Request"}, "vlsm: whoever asks for less is in DAPM"},
          {{"*", "DAPM", "*", "Status"}, "vlsm: a device enters DAPM with nothing to answer"},
          {{"*", "L2", "*", "Request"}, "vlsm: L2 ends by a link that comes up from Detect"},
          {{"*", "link torn down", "*", "!nothing"}, "vlsm: a link torn down has nothing to say"}}};
}

enum class VlsmLink : unsigned { Stands, Recovery, Down, Up, Back };

inline Group vlsm_links() {
  return {
      .name = "vlsm_links",
      .title = "vLSM: ALMP that comes x own ALMP that waits x event of the link, by end",
      .seen =
          "every cycle outside L0 of the RTL's machine as host and as device, in lockstep "
          "with its twin",
      .suites = {"controller_vlsm_test"},
      .axes = {{"end", {"host", "device"}},
               {"link", {"stands still", "enters Recovery", "goes down", "comes up", "comes back"}},
               {"comes", {"nothing", "Request", "Status"}},
               {"waits", {"nothing", "Request", "Status"}}},
      .impossible = {
          {{"*", "enters Recovery", "!nothing", "*"},
           "arb_mux: nothing is received in the cycle in which L0 ends"},
          {{"host", "comes up", "!nothing", "*"},
           "arb_mux: a host takes nothing before its own L0"},
          {{"*", "comes up", "*", "!nothing"}, "vlsm: a link that was down left nothing to say"},
          {{"*", "comes back", "*", "Request"}, "vlsm: Recovery leaves no Request to say"},
          {{"*", "stands still|goes down", "!nothing", "Request"},
           "vlsm: what comes outside L0 comes in Recovery, which leaves no Request to say"},
          {{"device", "stands still|goes down", "!nothing", "Status"},
           "vlsm: only a host answers a Request while Recovery lasts"},
          {{"device", "comes back", "*", "Status"},
           "vlsm: only a host answers a Request while Recovery lasts"}}};
}

inline Group vlsm_meetings() {
  const std::vector<std::string_view> edges{"link goes down", "Recovery begins", "L0 begins"};
  return pairs(
      {.name = "vlsm_meetings",
       .title = "vLSM: two events in one cycle x state, by end",
       .seen = "every cycle of the RTL's machine as host and as device, in lockstep with its twin",
       .suites = {"controller_vlsm_test"},
       .axes = {},
       .impossible = {},
       .words = nullptr},
      {"state",
       {"host: Reset", "host: Active", "host: DAPM", "host: L1", "host: L2", "host: Retrain",
        "host: link torn down", "device: Reset", "device: Active", "device: DAPM", "device: L1",
        "device: L2", "device: Retrain", "device: link torn down"}},
      {"ALMP comes", "other state requested", "link goes down", "Recovery begins", "L0 begins",
       "ALMP taken"},
      {{"host: DAPM", {"*"}, {"*"}, "vlsm: a host has no DAPM"},
       {"*", edges, edges, kOneEdge},
       {"*",
        {"ALMP comes"},
        {"ALMP taken"},
        "arb_mux: none is taken in the cycle in which one comes"},
       {"*",
        {"ALMP comes"},
        {"Recovery begins"},
        "arb_mux: nothing is received in the cycle in which L0 ends"},
       {"*", {"ALMP taken"}, edges, "arb_mux: one is taken in L0"},
       {"host: link torn down|device: link torn down",
        {"ALMP taken"},
        {"*"},
        "vlsm: a link torn down has nothing to say"},
       {"device: DAPM", {"L0 begins"}, {"*"}, "vlsm: DAPM ends with L0"},
       {"device: DAPM",
        {"ALMP comes"},
        {"link goes down"},
        "vlsm: DAPM ends with L0, and only in Recovery is anything received without it"}});
}

[[nodiscard]] inline std::vector<Group> link_pairs() {
  return {arb_mux_pairs(), arb_mux_meetings(), vlsm_crossings(), vlsm_links(), vlsm_meetings()};
}

}  // namespace cxlgpu::coverage
