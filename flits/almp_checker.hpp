// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
// What the ALMPs of a link allow: the conversation of the two ARB/MUXes, from the wire alone.
//
// Follows one virtual link state machine a protocol. Rules: an ALMP is well formed and expected in
// the state the conversation has reached; on a link that comes up the host speaks first, and the
// device sends nothing before; a Status answers a Request; a protocol's flits travel only while it
// is Active, which takes a Request and its Status in both directions; after Recovery each end first
// tells its state.
// A receiver that has to ask for Recovery (a damaged or unexpected ALMP, a flit that cannot be
// read) hears nothing until Recovery has come. Recovery itself leaves no flit: it must be told.
// As with the link checker, a flit counts when it arrives, so whatever its sender needed has been
// seen before it. Damage is no finding. Limit: of a wake-up from L1 only the order of its ALMPs is
// checked.
// Errors: none thrown; see finding.hpp.
// Source: CXL 2.0 5.1.2 (5.1.2.2 who speaks first, 5.1.2.4.1 when flits may travel, 5.1.2.5.2 a
// unrequested Status); Status synchronisation as docs/blocks/controller/vlsm.md has it.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>

#include "flits/almp.hpp"
#include "flits/finding.hpp"

namespace cxlgpu::flits {

class AlmpChecker {
 public:
  /// `required`: without ALMPs no protocol flit is allowed. Else everything is until one is seen.
  explicit AlmpChecker(bool required) : in_use_(required) {}

  [[nodiscard]] bool in_use() const { return in_use_; }
  /// The receiver of `d` waits for Recovery and hears nothing until then.
  [[nodiscard]] bool deaf(Direction d) const { return deaf_[index(d)]; }

  /// What an ALMP does to the CXL.cachemem link layers at both ends.
  enum class Effect : std::uint8_t { None, Retry, Restart };
  Effect on_almp(std::uint64_t time_ps, Direction d, const Flit& flit, FindingList& findings);
  /// A flit of a protocol; true if it reaches the link layer of its receiver.
  bool on_flit(std::uint64_t time_ps, Direction d, AlmpLink link, FindingList& findings);
  /// A flit that cannot be read.
  void on_lost_flit(Direction d) { deaf_[index(d)] = true; }
  /// The physical link went through Recovery.
  void on_recovery();

 private:
  struct Vlsm {
    LinkState state = LinkState::Reset;  // last one both ends were in
    // By the direction in which the end sends.
    std::array<bool, 2> requested{};    // Active, since the last state
    std::array<bool, 2> answered{};     // by Status Active
    std::array<bool, 2> told_active{};  // at some time since Reset
    bool resync = false;                // Recovery came, not every Status yet
    std::array<std::optional<LinkState>, 2> snapshot;
    std::optional<LinkState> low_power;  // asked for by the upstream port
    // The Status that would have answered may have been lost: an end may say after Recovery that it
    // was in low power, and its peer, if it alone hears that, after the next one that it was not.
    bool may_differ = false;
    // Both ends: each has asked, and each has been answered.
    [[nodiscard]] bool active() const { return !resync && state == LinkState::Active; }
  };

  struct Problem {
    Rule rule = Rule::UnexpectedAlmp;
    std::string text;  // empty: none
  };
  [[nodiscard]] bool too_early(Direction d) const;
  Effect on_request(Direction d, const Almp& almp, Vlsm& v, Problem& problem);
  Effect on_status(Direction d, const Almp& almp, Vlsm& v, Problem& problem);
  Effect on_snapshot(Direction d, const Almp& almp, Vlsm& v, Problem& problem);
  Vlsm& vlsm(AlmpLink link) { return vlsms_[link == AlmpLink::CacheMem ? 1 : 0]; }

  bool in_use_;
  // By direction: something that is no NULL flit arrived; its receiver is deaf.
  std::array<bool, 2> seen_{}, deaf_{};
  std::array<Vlsm, 2> vlsms_;
};

}  // namespace cxlgpu::flits
