// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
#include "tb/wire_monitor.hpp"

#include <fmt/format.h>

#include <utility>
#include <variant>

#include "tb/flit_text.hpp"

namespace cxlgpu {

namespace {

using flits::Direction;

constexpr std::uint64_t kUnmapped = ((std::uint64_t{1} << 46) - 1) << 6;  // the last line there is
constexpr std::size_t kMaxProblems = 10;

LinkOptions link_options(const RunConfig& config, unsigned port, Direction direction,
                         const LinkFaults& faults) {
  LinkOptions options;
  options.flit_time = config.link.flit_time();
  options.flight = Time{config.link.flight_ps};
  options.bit_error_rate =
      direction == Direction::M2S ? config.link.bit_error_rate_m2s : config.link.bit_error_rate_s2m;
  options.seed = config.seed * 1000 + port * 2 + flits::index(direction);
  options.damage_flit = faults.damage_flit[flits::index(direction)];
  return options;
}

flits::LinkCheckerOptions checker_options() {
  flits::LinkCheckerOptions options;
  options.arb_mux = true;
  return options;
}

constexpr std::array kClasses = {
    &LinkCounters::protocol, &LinkCounters::all_data, &LinkCounters::llcrd,
    &LinkCounters::retry,    &LinkCounters::damaged,  &LinkCounters::discarded,
    &LinkCounters::io,       &LinkCounters::almp,     &LinkCounters::other};

template <typename Alternative>
std::uint64_t control_flits(const flits::DirectionStats& stats) {
  return stats.control[flits::Control(Alternative{}).index()];
}

}  // namespace

WireMonitor::WireMonitor(const RunConfig& config, unsigned port, const LinkFaults& faults,
                         flits::FlitLogWriter* log, OnMessage on_message)
    : name_(fmt::format("link{}", port)),
      spec_faults_({config.link.drop_spec_every, config.link.duplicate_spec_every,
                    config.link.delay_spec_by},
                   kUnmapped),
      wires_{Link(link_options(config, port, Direction::M2S, faults)),
             Link(link_options(config, port, Direction::S2M, faults))},
      sender_(Direction::M2S),
      checker_(checker_options()),
      log_(log) {
  checker_.set_listener([on_message = std::move(on_message)](
                            std::uint64_t time_ps, Direction direction, const flits::Item& item) {
    on_message(Time{time_ps}, direction, item);
  });
}

// Damage on the way hides what is wrong with an ALMP or a CRC, so they are looked at before.
void WireMonitor::send(Direction direction, const flits::Flit& flit, Time now) {
  if (flit.protocol_id().id == flits::ProtocolId::Almp && malformed_.size() < kMaxProblems) {
    const flits::AlmpFault fault = flits::read_almp(flit).fault;
    if (fault != flits::AlmpFault::None) {
      first_malformed_ = std::min(first_malformed_, now);
      malformed_.push_back(fmt::format("{} {} {} ps: ALMP sent: {}", name_, flits::name(direction),
                                       now.ps, flits::name(fault)));
    }
  }
  checker_.on_sent(now.ps, direction, flit);
  wire(direction).send(flit, now);
}

void WireMonitor::clock(Time now, bool retrain, bool held) {
  if (trained_ && held != phy_.down()) {
    if (held) return take_down(now);
    phy_.bring_up();
    return;
  }
  const bool asked = retrain || lost_flit_;
  lost_flit_ = false;
  if (!phy_.clock(asked)) return;
  for (Link& wire : wires_) wire.drop_all(now);
  checker_.on_recovery(now.ps);
  if (texts_) texts_->io = {};
  if (log_ != nullptr) log_->write_recovery(now.ps, name_);
}

void WireMonitor::take_down(Time now) {
  lost_flit_ = false;
  phy_.go_down();
  for (Link& wire : wires_) wire.drop_all(now);
  checker_.on_down(now.ps);
  if (texts_) texts_->io = {};
  if (log_ != nullptr) log_->write_down(now.ps, name_);
}

WireMonitor::Arrivals WireMonitor::receive(Time now) {
  std::array<std::optional<Link::Arrival>, 2> due = {wire(Direction::M2S).receive(now),
                                                     wire(Direction::S2M).receive(now)};
  Arrivals arrivals;
  if (texts_) texts_->text = {};
  if (due[0] && spec_faults_.on()) disturb_speculation(due[0]->flit);
  // The checker and the log see flits in the order in which they arrived within the cycle.
  const bool s2m_first = due[0] && due[1] && due[1]->at < due[0]->at;
  for (const Direction direction :
       {s2m_first ? Direction::S2M : Direction::M2S, s2m_first ? Direction::M2S : Direction::S2M}) {
    const auto& arrival = due[flits::index(direction)];
    if (!arrival) continue;
    arrived_.emplace_back(direction, *arrival);
    if (texts_) read(direction, arrival->flit);
    const flits::ProtocolIdVerdict verdict = arrival->flit.protocol_id();
    if (verdict.id) {
      arrivals[flits::index(direction)] = {*verdict.id, arrival->flit};
    } else {
      lost_flit_ = true;
    }
  }
  return arrivals;
}

void WireMonitor::heard(std::array<bool, 2> asks) {
  for (const auto& [direction, arrival] : arrived_) {
    if (!asks[flits::index(direction)]) observe(direction, arrival);
  }
  arrived_.clear();
}

void WireMonitor::observe(Direction direction, const Link::Arrival& arrival) {
  if (log_ != nullptr) log_->write(arrival.at.ps, name_, direction, arrival.flit);
  checker_.on_flit(arrival.at.ps, direction, arrival.flit);
}

// The data slots that the receiver is owed are those of all that was observed before: what arrived
// in the cycle before has been. While it waits for the replay it takes control flits of the retry
// alone, and nothing while it waits for Recovery.
void WireMonitor::read(Direction direction, const flits::Flit& flit) {
  const bool deaf = checker_.deaf(direction), waits = checker_.discarding(direction);
  flits::IoStream& io = texts_->io[flits::index(direction)];
  std::vector<flits::IoPacket> packets;
  const auto id = flit.protocol_id().id;
  if (deaf) io.reset();
  if (id && flits::is_io(*id)) packets = io.take(flit);
  std::string& text = texts_->text[flits::index(direction)];
  text = flit_text(flit, direction, deaf || waits ? 0 : checker_.owed(direction), packets);
  const bool cachemem = id && flits::is_cachemem(*id), whole = id && (!cachemem || flit.crc_ok());
  const bool skipped = waits && cachemem && !flits::classify_retry(flit);
  if (whole && (deaf || skipped)) text += " (discarded)";
}

void WireMonitor::disturb_speculation(flits::Flit& flit) {
  // Follows the stream without retry: the configuration allows this only on a clean link.
  if (flit.protocol_id().id != flits::ProtocolId::CacheMem) return;
  flits::FlitContent content = flits::parse(flit, Direction::M2S, sender_.owed());
  if (auto* protocol = std::get_if<flits::ProtocolFlit>(&content)) {
    bool changed = false;
    for (flits::SlotContent& slot : protocol->slots) {
      for (flits::Message& message : slot.messages) {
        auto* req = std::get_if<flits::M2sReq>(&message);
        if (req == nullptr || req->opcode != flits::M2sReqOpcode::MemSpecRd) continue;
        const std::uint64_t asked = spec_faults_.next(req->address);
        changed |= asked != req->address;
        req->address = asked;
      }
    }
    if (changed) flit = flits::encode(Direction::M2S, content);
  }
  sender_.decode(flit);
}

void WireMonitor::finish() {
  checker_.finish();
}

LinkCounters WireMonitor::so_far(Direction direction) const {
  const flits::DirectionStats& stats = checker_.stats(direction);
  LinkCounters counters;
  counters.all = stats.flits;
  counters.protocol = stats.protocol;
  counters.all_data = stats.all_data;
  counters.llcrd = control_flits<flits::Llcrd>(stats);
  counters.retry = control_flits<flits::RetryIdle>(stats) + control_flits<flits::RetryReq>(stats) +
                   control_flits<flits::RetryAck>(stats) + control_flits<flits::RetryFrame>(stats);
  counters.damaged = stats.crc_errors + stats.id_errors + stats.almp_errors;
  counters.discarded = stats.discarded;
  counters.io = stats.io;
  counters.almp = stats.almp - stats.almp_errors;
  counters.other = counters.all;
  for (const auto of : kClasses) {
    if (of != &LinkCounters::other) counters.other -= counters.*of;
  }
  return counters;
}

void WireMonitor::begin_run() {
  for (const Direction d : {Direction::M2S, Direction::S2M}) before_[flits::index(d)] = so_far(d);
}

void WireMonitor::end_run() {
  for (const Direction d : {Direction::M2S, Direction::S2M}) until_[flits::index(d)] = so_far(d);
}

LinkCounters WireMonitor::counters(Direction direction) const {
  const LinkCounters all = so_far(direction), before = before_[flits::index(direction)];
  LinkCounters run = until_[flits::index(direction)].value_or(all);
  run.bring_up = before.all;
  run.read_out = all.all - run.all;
  run.all -= before.all;
  for (const auto of : kClasses) run.*of -= before.*of;
  return run;
}

std::vector<std::string> WireMonitor::problems() const {
  std::vector<std::string> lines = malformed_;
  for (const flits::Finding& finding : checker_.findings()) {
    if (lines.size() >= kMaxProblems) break;
    lines.push_back(fmt::format("{} {} {} ps: {}: {}", name_, flits::name(finding.direction),
                                finding.time_ps, flits::name(finding.rule), finding.text));
  }
  return lines;
}

Time WireMonitor::first_problem() const {
  Time first = first_malformed_;
  for (const flits::Finding& finding : checker_.findings()) {
    first = std::min(first, Time{finding.time_ps});
  }
  return first;
}

}  // namespace cxlgpu
