// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
// Counts what meets on an endpoint's media port while lines are there in part
// (coverage/pairs_parts.hpp).
//
// Purpose: told of every cycle, once stores do not wait; what of a slot is held it takes from the
//          commands alone.
#pragma once

#include <array>
#include <map>

#include "common/media_port.hpp"
#include "tests/coverage/functional_gtest.hpp"
#include "tests/coverage/pairs_parts.hpp"

namespace cxlgpu::test {

class MediaBins {
 public:
  [[nodiscard]] bool on() const { return counts_ && bins_.on(); }
  void begin() { counts_ = true; }  // before the first access

  // The command and the answer that were taken in a cycle, null without.
  void look(const MediaCommand* command, const MediaResponse* answer) {
    using coverage::PartAnswer;
    auto said = PartAnswer::None;
    if (answer != nullptr) {
      said = answer->op != MediaOp::Fill                                 ? PartAnswer::Access
             : command != nullptr && fills_[answer->id] == command->slot ? PartAnswer::OwnFill
                                                                         : PartAnswer::OtherFill;
    }
    const auto what = command != nullptr ? kind_of(*command) : coverage::PartCommand::None;
    const auto place = command != nullptr ? place_of(*command) : coverage::PartPlace::NoSlot;
    bins_.hit(
        {static_cast<unsigned>(what), static_cast<unsigned>(place), static_cast<unsigned>(said)});
    if (command != nullptr) take(*command);
    if (answer != nullptr && answer->op == MediaOp::Fill) slots_.erase(fills_[answer->id]);
  }

 private:
  // A slot that is not listed is filled, or has never been used.
  struct Slot {
    bool filling = false;
    std::array<std::uint64_t, 4> held{};

    [[nodiscard]] bool whole() const {
      for (const std::uint64_t line : held) {
        if (line != kAllBytes) return false;
      }
      return true;
    }
  };

  static coverage::PartCommand kind_of(const MediaCommand& c) {
    using coverage::PartCommand;
    switch (c.op) {
      case MediaOp::ArrayRead:
        return PartCommand::Read;
      case MediaOp::Fill:
        return c.partial ? PartCommand::FillPartial : PartCommand::Fill;
      case MediaOp::WriteBack:
        return PartCommand::WriteBack;
      default:
        break;
    }
    if (c.partial) return PartCommand::WriteOpens;
    if (c.poison) return PartCommand::WritePoisoned;
    return c.byte_enable == kAllBytes ? PartCommand::WriteWhole : PartCommand::WritePart;
  }
  [[nodiscard]] coverage::PartPlace place_of(const MediaCommand& c) const {
    using coverage::PartPlace;
    const auto at = slots_.find(c.slot);
    if (at == slots_.end()) return PartPlace::Filled;
    // Of one that is whole by its stores the fill may still be requested.
    const bool fill = c.op == MediaOp::Fill && c.partial;
    if (!at->second.filling && fill) return PartPlace::OpenSome;
    if (!at->second.filling && at->second.whole()) return PartPlace::Filled;
    const std::uint64_t held = at->second.held.at(c.offset);
    const auto first = at->second.filling ? PartPlace::FillingNone : PartPlace::OpenNone;
    return static_cast<PartPlace>(static_cast<unsigned>(first) + (held == kAllBytes ? 2
                                                                  : held != 0       ? 1
                                                                                    : 0));
  }
  void take(const MediaCommand& c) {
    if (c.op == MediaOp::Fill) {
      fills_[c.id] = c.slot;
      if (!c.partial) slots_[c.slot] = {};
      slots_[c.slot].filling = true;
    } else if (c.op == MediaOp::ArrayWrite) {
      if (c.partial) slots_[c.slot] = {};
      if (const auto at = slots_.find(c.slot); at != slots_.end()) {
        at->second.held.at(c.offset) |= c.byte_enable;
      }
    }
  }

  bool counts_ = false;
  std::map<std::uint32_t, Slot> slots_;
  std::map<std::uint32_t, std::uint32_t> fills_;  // the slot of a Fill in flight, by its number
  TestCoverage bins_{coverage::endpoint_parts()};
};

}  // namespace cxlgpu::test
