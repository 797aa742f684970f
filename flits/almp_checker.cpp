// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
#include "flits/almp_checker.hpp"

#include <fmt/format.h>

#include "flits/text.hpp"

namespace cxlgpu::flits {
namespace {

constexpr auto kDown = Direction::M2S;
constexpr auto kUp = Direction::S2M;

// Status synchronisation: the state of an end that sent one and received the other.
LinkState resolve(LinkState sent, LinkState received, bool is_host) {
  using enum LinkState;
  switch (sent) {
    case Reset:
      if (received == Active) return Active;
      return received == Reset || received == L2 ? Reset : Retrain;
    case Active:
      if (received == L2) return is_host ? Retrain : Reset;
      return is_l1(received) ? Retrain : Active;
    case L2:
      return received == Retrain || is_l1(received) ? Retrain : L2;
    case Retrain:
      return received == Active ? Active : Retrain;
    default:  // L1
      return received == Reset || received == L2 ? Retrain : sent;
  }
}

bool in_handshake(LinkState s) {
  return s == LinkState::Reset || s == LinkState::Retrain || is_l1(s);
}

}  // namespace

AlmpChecker::Effect AlmpChecker::on_almp(std::uint64_t time_ps, Direction d, const Flit& flit,
                                         FindingList& findings) {
  in_use_ = true;
  seen_[index(d)] = true;
  bool& deaf = deaf_[index(d)];
  if (deaf) return Effect::None;
  const AlmpReading reading = read_almp(flit);
  if (reading.fault == AlmpFault::CopiesDiffer) {
    deaf = true;
    return Effect::None;
  }
  if (reading.fault == AlmpFault::Malformed || reading.fault == AlmpFault::IllegalCode) {
    findings.add(time_ps, d, Rule::AlmpEncoding, std::string(name(reading.fault)));
    deaf = true;
    return Effect::None;
  }
  const Almp& almp = reading.almp;
  Vlsm& v = vlsm(almp.link);
  Problem problem;
  Effect effect = Effect::None;
  if (too_early(d)) {
    problem = {Rule::DeviceSpokeFirst, "nothing has come from the downstream port yet"};
  } else if (v.resync) {
    effect = on_snapshot(d, almp, v, problem);
  } else if (almp.is_request) {
    effect = on_request(d, almp, v, problem);
  } else {
    effect = on_status(d, almp, v, problem);
  }
  if (!problem.text.empty()) {
    findings.add(time_ps, d, problem.rule, fmt::format("{}: {}", to_text(almp), problem.text));
    deaf = true;
  }
  return almp.link == AlmpLink::CacheMem ? effect : Effect::None;
}

// The upstream port waits for the first flit that the physical layer did not make, Recovery or not.
bool AlmpChecker::too_early(Direction d) const {
  return d == kUp && !seen_[index(kDown)];
}

AlmpChecker::Effect AlmpChecker::on_request(Direction d, const Almp& almp, Vlsm& v,
                                            Problem& problem) {
  if (almp.state == LinkState::Retrain) {
    deaf_[index(d)] = true;
  } else if (almp.state == LinkState::Active) {
    if (!in_handshake(v.state) || v.requested[index(d)]) {
      problem.text = "Active already, or requested already";
    }
    v.requested[index(d)] = true;
  } else if (d == kDown || v.state != LinkState::Active) {
    problem.text = "only an upstream port in Active asks for low power";
  } else {
    v.low_power = almp.state;
  }
  return Effect::None;
}

AlmpChecker::Effect AlmpChecker::on_status(Direction d, const Almp& almp, Vlsm& v,
                                           Problem& problem) {
  const std::size_t peer = index(opposite(d));
  const Problem unasked{Rule::UnaskedStatus, "answers no Request"};
  if (almp.state == LinkState::Active) {
    if (!in_handshake(v.state) || !v.requested[peer] || v.answered[peer]) {
      problem = unasked;
      return Effect::None;
    }
    v.answered[peer] = v.told_active[peer] = true;
    if (!v.answered[index(d)]) return Effect::None;
    const bool was_up = v.state != LinkState::Reset;
    v.state = LinkState::Active;
    v.requested = {};
    if (was_up) return Effect::Retry;
  } else if (d == kDown && v.state == LinkState::Active && v.low_power &&
             (v.low_power == almp.state || v.low_power == LinkState::Dapm) &&
             is_low_power(almp.state)) {
    v.state = almp.state;
    v.answered = {};
    v.low_power.reset();
    if (almp.state == LinkState::L2) return Effect::Restart;
  } else {
    problem = unasked;
  }
  return Effect::None;
}

AlmpChecker::Effect AlmpChecker::on_snapshot(Direction d, const Almp& almp, Vlsm& v,
                                             Problem& problem) {
  auto& own = v.snapshot[index(d)];
  const auto& other = v.snapshot[index(opposite(d))];
  if (almp.is_request || own) {
    problem.text = "after Recovery each end tells its state first, once";
    return Effect::None;
  }
  if (almp.state == LinkState::Active && !v.told_active[index(d)]) {
    problem.text = "its sender was never told Active";
    return Effect::None;
  }
  if (v.state == LinkState::Active && almp.state != LinkState::Active && !v.may_differ) {
    problem.text = "both ends were Active before Recovery";
    return Effect::None;
  }
  own = almp.state;
  if (own == LinkState::Active) v.told_active[index(opposite(d))] = true;
  if (!other) return Effect::None;
  const LinkState host = resolve(*v.snapshot[index(kDown)], *v.snapshot[index(kUp)], true);
  const LinkState device = resolve(*v.snapshot[index(kUp)], *v.snapshot[index(kDown)], false);
  v.resync = v.may_differ = false;
  v.snapshot = {};
  v.answered = {host == LinkState::Active, device == LinkState::Active};
  v.state = host == device || (is_l1(host) && is_l1(device)) ? host : LinkState::Retrain;
  if (v.state == LinkState::Active) return Effect::Retry;
  if (v.state != LinkState::Reset) return Effect::None;
  v.told_active = {};
  return Effect::Restart;
}

bool AlmpChecker::on_flit(std::uint64_t time_ps, Direction d, AlmpLink link,
                          FindingList& findings) {
  seen_[index(d)] = true;
  if (!in_use_) return true;
  if (deaf_[index(d)]) return false;
  const Vlsm& v = vlsm(link);
  if (v.active()) return true;
  const Rule rule = too_early(d) ? Rule::DeviceSpokeFirst : Rule::TrafficBeforeActive;
  findings.add(time_ps, d, rule, fmt::format("{} flit, {} is not Active", name(link), name(link)));
  deaf_[index(d)] = true;
  return false;
}

void AlmpChecker::on_recovery() {
  deaf_ = {};
  for (Vlsm& v : vlsms_) {
    v.requested = v.answered = {};
    v.snapshot = {};
    v.may_differ = v.may_differ || v.low_power;
    v.low_power.reset();
    v.resync = true;
  }
}

}  // namespace cxlgpu::flits
