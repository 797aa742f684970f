// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
#include "model/host_bridge.hpp"

#include <bit>
#include <cassert>

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

unsigned HostBridgeModel::way_of(unsigned slot) const {
  return route(decoder_, requests_[slot].addr, local_way()).value_or(local_way());
}

bool HostBridgeModel::submit(const MemRequest& request, Time now) {
  if (now < submit_from()) return false;
  const auto slot = static_cast<unsigned>(std::countr_zero(free_slots_));
  free_slots_ &= free_slots_ - 1;
  requests_[slot] = request;
  if (adapter_) {
    offered_ = slot;
  } else {
    take_from_bus(slot, now);
  }
  return true;
}

// Into the adapter in the cycle `now`, and on from there if its way is free.
void HostBridgeModel::take_from_bus(unsigned slot, Time now) {
  bus_free_ = now + kCycle;
  last_decoded_ = (last_decoded_ + 1) % decoded_.size();
  decoded_[last_decoded_] = bus_free_;
  adapter_ = {slot, way_of(slot), bus_free_, bus_free_};
  if (!ways_[adapter_->way]) enter_way(bus_free_);
}

// From the adapter to its way, which is free from the cycle `free` on.
void HostBridgeModel::enter_way(Time free) {
  const unsigned way = adapter_->way;
  const Time at = later(adapter_->visible, free);
  accepted_.push({adapter_->slot, adapter_->decoded, at});
  ways_[way] = {adapter_->slot, way, adapter_->decoded, at + kCycle};
  adapter_.reset();
  if (way == local_way()) local_at_ = at + kCycle;
  wake(way == local_way() ? at : at + kCycle);
  if (!offered_) return;
  const unsigned next = *offered_;
  offered_.reset();
  take_from_bus(next, at);
}

// The way is free in the cycle `now`.
void HostBridgeModel::move_up(unsigned way, Time now) {
  leaves(way);
  if (adapter_ && adapter_->way == way) enter_way(now);
}

// Its way is settled.
void HostBridgeModel::raise_accept() {
  const auto& [slot, decoded, at] = accepted_.front();
  const MemRequest& request = requests_[slot];
  raise(at, Stage::SysAccept, request.id, request.addr, request.is_write ? 1 : 0, 0);
  accepted_.pop();
}

// Those that are decoded from now on go another way, perhaps: the one taken from the bus in the
// cycle before, and the one of this cycle behind it. None of them has left its way. From the first
// whose way changes on they are as they came: in the adapter, and on the bus.
void HostBridgeModel::decoders_change(Time now) {
  std::array<std::optional<Held>, 2> back;  // in the order of the bus
  for (std::size_t i = 0; i < accepted_.size(); ++i) {
    const unsigned slot = accepted_.at(i).slot;
    if (accepted_.at(i).decoded < now) continue;
    const auto held =
        std::ranges::find_if(ways_, [slot](const auto& h) { return h && h->slot == slot; });
    if (!back[0] && way_of(slot) == (*held)->way) continue;
    (back[0] ? back[1] : back[0]) = **held;
    if ((*held)->way == local_way()) local_at_ = Time::never();
    held->reset();
  }
  if (back[0]) {
    accepted_.pop_back();
    if (back[1]) accepted_.pop_back();
    if (!back[1] && adapter_) back[1] = adapter_;
    if (back[1]) {
      offered_ = back[1]->slot;
      decoded_[last_decoded_] = Time::never();
    }
    adapter_ = {back[0]->slot, back[0]->way, back[0]->decoded, back[0]->decoded};
  }
  if (!adapter_ || adapter_->decoded < now) return;
  adapter_->way = way_of(adapter_->slot);
  if (!ways_[adapter_->way]) enter_way(now);
}

std::uint32_t HostBridgeModel::read_register(std::uint32_t offset) const {
  if (offset < regs::hb::kBlock) return decoder_.read(offset);
  regs::hb::Regs regs;
  regs.hints.count = hint_counters_.hints;
  regs.hints_lost.count = hint_counters_.lost;
  regs.hint_misses.count = hint_counters_.misses;
  return regs.word_at(offset);
}

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

// Whether the cycle `at` moves a hint, as all stands now, or may find the decoder taken: what else
// changes that takes a cycle too.
bool HostBridgeModel::can_walk(Time at) const {
  if (const auto& waiting = walker_.waiting()) {
    const RootPortModel& port = *ports_[waiting->port];
    return port.can_take_hint(waiting->granule, at) || port.hint_blocks(at);
  }
  return !walker_.empty();
}

// The bridge's registers, one each way out.
std::uint32_t HostBridgeModel::forward(Time now) {
  std::uint32_t woken = 0;
  stuck_ = 0;
  forward_next_ = Time::never();
  for (unsigned i = 0; i < local_way(); ++i) {
    if (!ways_[i]) continue;
    if (ways_[i]->visible > now) {
      wake(ways_[i]->visible);
    } else if (can_leave(i)) {
      ports_[i]->offer(requests_[ways_[i]->slot], now);
      woken |= 1u << i;
      move_up(i, now);
    } else {
      stuck_ |= 1u << i;
    }
  }
  // The local answer is chosen when the cycle before it is over.
  if (local_at_ != Time::never() && local_at_ > now + kCycle) wake(local_at_ - kCycle);
  return woken;
}

void HostBridgeModel::leaves(unsigned way) {
  if (way == local_way()) local_at_ = Time::never();
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
    while (!accepted_.empty() && accepted_.front().decoded < now) raise_accept();
    answer.response = decode_error_response(requests_[ways_.back()->slot]);
    move_up(source, now);
  } else {
    answer.response = *ports_[source]->response(now);
    ports_[source]->take_response(now);
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
