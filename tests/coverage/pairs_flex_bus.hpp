// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
// Pairs of events that meet in one cycle in the buffers of Flex Bus: groups of functional coverage.
//
// Purpose: as functional_groups.hpp; the enums number the values of the axes, in the same order.
// Source:  docs/blocks/flex_bus/README.md.
#pragma once

#include "tests/coverage/pairs.hpp"

namespace cxlgpu::coverage {

enum class LaneIn : unsigned { None, Word, SecondSkp };
enum class LaneAsk : unsigned { None, Asked, AfterSkp };
enum class ElasticFill : unsigned { FillsUp, Empty, Low, Level, High, Full };

inline Group elastic_pairs() {
  return {.name = "elastic_pairs",
          .title = "Elastic buffer: word comes x word asked x clear x words held, by depth",
          .seen = "every cycle of the RTL's buffer, in lockstep with its twin",
          .suites = {"flex_bus_elastic_buffer_test"},
          .axes = {{"depth", {"4", "8"}},
                   {"comes", {"nothing", "a word", "an SKP word that may be removed"}},
                   {"asked", {"no", "yes", "yes, an SKP word may be added"}},
                   {"clear", {"no", "yes"}},
                   {"held", {"filling up", "0", "below Low", "Low to High", "above High", "full"}}},
          .impossible = {{{"*", "*", "yes, an SKP word may be added", "*", "filling up"},
                          "elastic_buffer: nothing is read before it is filled up"},
                         {{"4", "*", "*", "*", "below Low|above High"},
                          "elastic_buffer_tb: the least buffer has Low 1 and High 3 of 4"}}};
}

enum class DriftFill : unsigned { FillsUp, Empty, Some, OneFree, Full };

inline Group drift_pairs() {
  return {.name = "drift_pairs",
          .title = "Drift buffer: word comes x word asked x clear x words held, by depth",
          .seen = "every cycle of the RTL's buffer, in lockstep with its twin",
          .suites = {"flex_bus_drift_buffer_test"},
          .axes = {{"depth", {"4", "8"}},
                   {"comes", {"no", "yes"}},
                   {"asked", {"no", "yes"}},
                   {"clear", {"no", "yes"}},
                   {"held", {"filling up", "0", "some", "one free", "full"}}},
          .impossible = {}};
}

inline Group deskew_pairs() {
  return pairs({.name = "deskew_pairs",
                .title = "Lane deskew: two events in one cycle x what it does, by depth",
                .seen = "every cycle of the RTL's deskew at all widths, in lockstep with its twin",
                .suites = {"flex_bus_lane_deskew_test"},
                .axes = {},
                .impossible = {},
                .words = nullptr},
               {"deskew",
                {"4: hunting", "4: aligned", "4: in an SKP set", "8: hunting", "8: aligned",
                 "8: in an SKP set"}},
               {"word to an empty lane", "word to a lane with words", "word to a full lane",
                "aligned word leaves", "a lane drops a word", "alignment lost", "clear"},
               {{"*",
                 {"word to an empty lane"},
                 {"aligned word leaves"},
                 "lane_deskew: a word leaves if no lane is empty"},
                {"4: hunting|8: hunting", {"alignment lost"}, {"*"}, "lane_deskew: none is there"},
                {"*",
                 {"aligned word leaves"},
                 {"a lane drops a word"},
                 "lane_deskew: all lanes move together or each drops for itself"},
                {"4: aligned|8: aligned",
                 {"a lane drops a word"},
                 {"*"},
                 "lane_deskew: lanes drop words only before alignment and in an SKP set"},
                {"*",
                 {"clear"},
                 {"a lane drops a word", "alignment lost"},
                 "lane_deskew: a clear empties all lanes and forgets the alignment"}});
}

[[nodiscard]] inline std::vector<Group> flex_bus_pairs() {
  return {elastic_pairs(), drift_pairs(), deskew_pairs()};
}

}  // namespace cxlgpu::coverage
