// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
// What meets in one cycle in the tables and queues of the controller and in the FIFOs.
//
// Purpose: the declarations. The enums number the states; events are numbered as they stand here.
// Source:  docs/blocks, the block named in the reason.
#pragma once

#include "tests/coverage/pairs.hpp"

namespace cxlgpu::coverage {

inline constexpr std::string_view kOneArrives = "link_layer R2: one flit is acted upon in a cycle";
inline constexpr std::string_view kOneLeaves = "link_layer select: one flit is chosen in a cycle";

enum class LlrbFill : unsigned { Empty, Some, OneFree };

inline Group llrb_pairs() {
  return pairs(
      {.name = "llrb_pairs",
       .title = "Retry buffer: two events in one cycle x how full it is",
       .seen = "the RTL's buffer with the least and with the product's depth, in lockstep with its "
               "twin",
       .suites = {"controller_retry_buffer_test"},
       .axes = {},
       .impossible = {},
       .words = nullptr},
      {"buffer", {"empty", "some", "one free"}},
      {"new flit", "acknowledged", "too many acknowledged", "RETRY.Req", "refused RETRY.Req",
       "RETRY.Ack sent", "replayed", "Recovery", "start"},
      {{"*",
        {"new flit", "RETRY.Ack sent", "replayed"},
        {"new flit", "RETRY.Ack sent", "replayed"},
        kOneLeaves},
       {"*",
        {"acknowledged"},
        {"too many acknowledged"},
        "an acknowledgement is the one or the other"},
       {"*", {"RETRY.Req"}, {"refused RETRY.Req"}, "a request is the one or the other"},
       {"empty",
        {"acknowledged"},
        {"*"},
        "retry_buffer: with nothing held any acknowledgement is too many"},
       {"one free",
        {"new flit"},
        {"*"},
        "link_layer select: a run is begun only with room for all of it, keeping one free"}});
}

inline Group lrsm_pairs() {
  const std::vector<std::string_view> arrives{"retryable flit", "other good flit", "bad flit",
                                              "Ack awaited", "other Ack"};
  const std::vector<std::string_view> leaves{"flit sent", "Req sent", "last flit of the time-out"};
  return pairs({.name = "lrsm_pairs",
                .title = "Local retry state machine: two events in one cycle x state",
                .seen = "the RTL's machine in lockstep with its twin",
                .suites = {"controller_retry_local_test"},
                .axes = {},
                .impossible = {},
                .words = nullptr},
               {"LRSM", {"NORMAL", "LLRREQ", "LOCAL_IDLE", "PHY_REINIT", "ABORT"}},
               {"retryable flit", "other good flit", "bad flit", "Ack awaited", "other Ack",
                "flit sent", "Req sent", "last flit of the time-out", "Recovery", "start"},
               {{"*", arrives, arrives, kOneArrives},
                {"*", leaves, leaves, kOneLeaves},
                {"!LOCAL_IDLE",
                 {"last flit of the time-out"},
                 {"*"},
                 "retry_local: only LOCAL_IDLE counts flits"}});
}

enum class CountLevel : unsigned { None, One, Some, Most };
inline const Axis kCounts{"count", {"0", "1", "some", "1023"}};

inline Group credit_tx_pairs() {
  return pairs(
      {.name = "credit_tx_pairs",
       .title = "Credits of a sender: two events in one cycle x credits held",
       .seen = "the RTL's counter, each value against what the page says, by hand",
       .suites = {"controller_credit_tx_test"},
       .axes = {},
       .impossible = {},
       .words = nullptr},
      kCounts, {"grant", "one used", "two used", "start"},
      {{"*", {"one used"}, {"two used"}, "one number of credits is used in a cycle"},
       {"0", {"one used", "two used"}, {"*"}, "cxl_controller: nobody sends without a credit"},
       {"1", {"two used"}, {"*"}, "cxl_controller: two credits are there or one is used"}});
}

inline Group credit_return_pairs() {
  return pairs({.name = "credit_return_pairs",
                .title = "Credits to be returned: two events in one cycle x credits pending",
                .seen = "the RTL's counter, each value against what the page says, by hand",
                .suites = {"controller_credit_return_test"},
                .axes = {},
                .impossible = {},
                .words = nullptr},
               kCounts, {"one freed", "two freed", "returned", "start"},
               {{"*", {"one freed"}, {"two freed"}, "one number of entries is freed in a cycle"}});
}

enum class QueueState : unsigned {
  FifoEmpty,
  FifoSome,
  FifoFull,
  DualEmpty,
  DualOne,
  DualSome,
  DualOneLeft,
  DualFull,
  MultiEmpty,
  MultiSome,
  MultiFewLeft,
  MultiFull
};

inline Group queue_pairs() {
  const std::string_view fifo = "fifo empty|fifo some|fifo full";
  const std::string_view multi = "multi empty|multi some|multi few left|multi full";
  const std::vector<std::string_view> in{"one offered", "two offered", "more offered"};
  const std::vector<std::string_view> out{"one asked", "two asked"};
  return pairs(
      {.name = "queue_pairs",
       .title = "fifo, fifo_dual, fifo_multi: two events in one cycle x how full it is",
       .seen = "the RTL's FIFOs in lockstep with a queue",
       .suites = {"common_fifo_test", "common_fifo_dual_test", "common_fifo_multi_test"},
       .axes = {},
       .impossible = {},
       .words = nullptr},
      {"queue",
       {"fifo empty", "fifo some", "fifo full", "dual empty", "dual one", "dual some",
        "dual one left", "dual full", "multi empty", "multi some", "multi few left", "multi full"}},
      {"one offered", "two offered", "more offered", "one asked", "two asked", "clear"},
      {{"*", in, in, "one number of words is offered in a cycle"},
       {"*", out, out, "one number of words is asked in a cycle"},
       {fifo,
        {"two offered", "more offered", "two asked", "clear"},
        {"*"},
        "fifo: one word in, one word out, no clear"},
       {"dual empty|dual one|dual some|dual one left|dual full",
        {"more offered"},
        {"*"},
        "fifo_dual: at most two words in a cycle"},
       {"dual empty", out, {"*"}, "fifo_dual: its user takes only what is there"},
       {"dual one", {"two asked"}, {"*"}, "fifo_dual: two words, one there"},
       {multi, {"two asked"}, {"*"}, "fifo_multi: one word out in a cycle"}});
}

}  // namespace cxlgpu::coverage
