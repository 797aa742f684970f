// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
#include "model/host_bridge.hpp"

#include <bit>

#include "common/register_types.hpp"

namespace cxlgpu {

namespace {
constexpr std::uint64_t kGranuleBytes = 256;
}

HostBridgeModel::HostBridgeModel(unsigned ports, TraceSink* sink)
    : sink_(sink),
      arbiters_{RoundRobin(ports + 1), RoundRobin(ports + 1)},
      requests_(ports + 3),  // ways out, adapter, bus
      free_slots_((1u << requests_.size()) - 1),
      ways_(ports + 1) {}

unsigned HostBridgeModel::way_of(const Held& held) const {
  return route(decoder_, requests_[held.slot].addr, local_way()).value_or(local_way());
}

std::uint32_t HostBridgeModel::read_register(std::uint32_t offset) const {
  if (offset < regs::hb::kBlock) return decoder_.read(offset);
  regs::hb::Regs regs;
  regs.hints.count = hint_counters_.hints;
  regs.hints_lost.count = hint_counters_.lost;
  regs.hint_misses.count = hint_counters_.misses;
  return regs.word_at(offset);
}

// Before forward(): the decoder is free or not as the cycle begins.
std::uint32_t HostBridgeModel::walk(Time now) {
  std::uint32_t woken = 0;
  if (const auto waiting = walker_.waiting()) {
    RootPortModel& port = *ports_[waiting->port];
    if (port.can_take_hint(waiting->granule, now)) {
      port.offer_hint(waiting->granule, now);
      walker_.taken();
      woken = 1u << waiting->port;
    } else if (port.hint_blocked(now)) {
      woken = 1u << waiting->port;
    }
  }
  const bool asks = !walker_.empty() && !walker_.waiting() && !decodes(now);
  if (hint_) {
    ++hint_counters_.hints;
    if (!walker_.add(hint_->addr / kGranuleBytes, hint_->granules - 1)) ++hint_counters_.lost;
    hint_.reset();
  }
  if (asks) {
    const auto port = route(decoder_, walker_.granule() * kGranuleBytes, local_way());
    if (!port) ++hint_counters_.misses;
    walker_.decoded(port);
  }
  return woken;
}

// Whether the cycle `at` moves a hint, as all stands now: what changes that takes a cycle too.
bool HostBridgeModel::can_walk(Time at) const {
  if (const auto& waiting = walker_.waiting()) {
    const RootPortModel& port = *ports_[waiting->port];
    return port.can_take_hint(waiting->granule, at) || port.hint_blocks(at);
  }
  return !walker_.empty() && !decodes(at);
}

// The bridge's registers, one each way out, and the adapter's.
std::uint32_t HostBridgeModel::forward(Time now) {
  std::uint32_t woken = 0;
  for (unsigned i = 0; i < local_way(); ++i) {
    if (!ways_[i] || ways_[i]->visible > now || !can_leave(i)) continue;
    ports_[i]->offer(requests_[ways_[i]->slot], now);
    woken |= 1u << i;
    leaves(i);
  }
  if (adapter_ && adapter_->visible <= now) {
    if (decodes(now)) adapter_->way = way_of(*adapter_);
    std::optional<Held>& way = ways_[adapter_->way];
    if (!way) {
      const MemRequest& request = requests_[adapter_->slot];
      raise(now, Stage::SysAccept, request.id, request.addr, request.is_write ? 1 : 0, 0);
      way = {adapter_->slot, now + kCycle};
      adapter_.reset();
    }
  }
  if (offered_ && !adapter_) {
    adapter_ = {*offered_, now + kCycle};
    offered_.reset();
  }
  // With everything refused by its port or behind what is, it sleeps until a port moves.
  const bool empty = free_slots_ + 1 == 1u << requests_.size();
  stuck_ = !empty && !moves(now);
  forward_next_ = empty || stuck_ ? Time::never() : now + kCycle;
  return woken;
}

// Whether the next cycle may move anything here.
bool HostBridgeModel::moves(Time now) const {
  if (ways_.back() || (offered_ && !adapter_)) return true;
  if (adapter_ && (adapter_->visible > now || !ways_[adapter_->way])) return true;
  for (unsigned i = 0; i < local_way(); ++i) {
    if (ways_[i] && (ways_[i]->visible > now || can_leave(i))) return true;
  }
  return false;
}

void HostBridgeModel::leaves(unsigned way) {
  free_slots_ |= 1u << ways_[way]->slot;
  ways_[way].reset();
}

// Up to one read's and one write's response a cycle go to the system bus, each round robin over
// the ports and a request that no port owns.
std::uint32_t HostBridgeModel::collect(Time now) {
  std::array<std::uint32_t, 2> offers{};
  for (std::uint32_t left = responding_; left != 0; left &= left - 1) {
    const auto i = static_cast<unsigned>(std::countr_zero(left));
    const MemResponse* response = ports_[i]->response(now);
    if (response != nullptr) offers[response->is_write] |= 1u << i;
  }
  if (answers_locally(now)) {
    offers[requests_[ways_.back()->slot].is_write] |= 1u << local_way();
  }
  std::uint32_t woken = 0;
  for (const bool writes : {false, true}) {
    if (offers[writes] != 0) woken |= collect(now, writes, offers[writes]);
  }
  return woken;
}

std::uint32_t HostBridgeModel::collect(Time now, bool writes, std::uint32_t offers) {
  std::uint32_t woken = 0;
  const unsigned source = *arbiters_[writes].pick(offers);
  arbiters_[writes].grant(source);
  Answer& answer = answers_.push();
  answer.visible = now + kCycle;
  if (source == local_way()) {
    answer.response = decode_error_response(requests_[ways_.back()->slot]);
    leaves(source);
  } else {
    answer.response = *ports_[source]->response(now);
    ports_[source]->take_response();
    woken = 1u << source;
    responding_ &= ~woken;
  }
  raise(answer.visible, Stage::SysRespond, answer.response.id, 0, answer.response.error ? 1 : 0,
        source);
  return woken;
}

void HostBridgeModel::raise(Time at, Stage stage, std::uint32_t id, std::uint64_t addr,
                            std::uint32_t info, unsigned port) const {
  if (sink_ == nullptr) return;
  sink_->on_event({at, stage, static_cast<std::uint8_t>(port), id, addr, info});
}

}  // namespace cxlgpu
