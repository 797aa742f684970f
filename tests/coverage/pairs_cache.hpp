// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
// Pairs of events that meet in one cycle in the agents of CXL.cache: groups of functional coverage.
//
// Purpose: as functional_groups.hpp; the states are the phases of the twins, in the same order.
// Source:  docs/blocks.md, "CXL.cache agents".
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

[[nodiscard]] inline std::vector<Group> cache_pairs() {
  return {device_agent_pairs(), host_responder_pairs()};
}

}  // namespace cxlgpu::coverage
