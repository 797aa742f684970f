// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
#include "model/engine.hpp"

#include <algorithm>
#include <bit>

#include "common/registers.hpp"
#include "refmodel/root_port/memory_queue.hpp"
#include "refmodel/root_port/sr_queue.hpp"
#include "sim/config/config_keys.hpp"

namespace cxlgpu {

namespace {

LinkParams link_params(const RunConfig& config, unsigned port, bool from_host) {
  LinkParams params;
  params.flit_time = config.link.flit_time();
  params.flight = Time{config.link.flight_ps};
  params.bit_error_rate =
      from_host ? config.link.bit_error_rate_m2s : config.link.bit_error_rate_s2m;
  params.seed = config.seed * 1000 + port * 2 + (from_host ? 0 : 1);
  params.spec_faults = {config.link.drop_spec_every, config.link.duplicate_spec_every,
                        config.link.delay_spec_by};
  return params;
}

static_assert(kMostSrQueueEntries == SrQueue::kMaxDepth &&
              kMostMemoryQueueEntries == MemoryQueue::kMaxDepth &&
              kMostMshrs == DramCache::kMaxMshrs);

RootPortModel::Sizes root_port_sizes(const RootPortConfig& config) {
  return {.sr_queue = config.sr_queue_entries,
          .memory_queue = config.memory_queue_entries,
          .ring = config.ring_entries,
          .spec_cap = config.spec_cap_bytes / 256,
          .ds_lines = config.ds_lines,
          .ds_writes = config.ds_writes,
          .model_policy = config.policy};
}

// As the endpoint's RTL tells it: docs/blocks/endpoint/endpoint.md.
ConfigSpace::Parameters config_space(unsigned port) {
  ConfigSpace::Parameters parameters;
  parameters.range1_size = 128;
  parameters.serial_number = port + 1;
  return parameters;
}

}  // namespace

ModelEngine::Port::Port(unsigned number, const RunConfig& config, Media& media, DsRegion& local,
                        TraceSink* sink, std::unique_ptr<Prefetcher> own_policy)
    : m2s(true, link_params(config, number, true)),
      s2m(false, link_params(config, number, false)),
      root(number, {m2s, s2m, local, sink}, root_port_sizes(config.root_port),
           std::move(own_policy)),
      endpoint(number, {m2s, s2m, media, sink},
               {.mshrs = config.endpoint.mshrs, .line_bytes = config.endpoint.line_bytes}),
      io(number, config_space(number), &endpoint) {
  m2s.connect(s2m);
  s2m.connect(m2s);
}

ModelEngine::ModelEngine(const RunConfig& config, const EndpointParts& parts,
                         const std::vector<Media*>& media, TraceSink* sink,
                         const MakePrefetcher& own_policy)
    : local_(config.gpu.local, config.ds_base, config.ports), bridge_(config.ports, sink) {
  for (unsigned i = 0; i < config.ports; ++i) {
    const bool own = config.root_port.policy == SrPolicy::Own;
    ports_.push_back(
        std::make_unique<Port>(i, config, *media[i], local_, sink, own ? own_policy(i) : nullptr));
    bridge_.connect(ports_.back()->root);
  }
  system_ = bring_up(*this, config, parts);
  if (config.link.down_at_us != 0) {
    Outage& outage = outage_.emplace();
    outage.down_from = outage_next_ = Time{config.link.down_at_us * 1000000};
    outage.down_until = outage.down_from + Time{config.link.down_for_us * 1000000};
    outage.ranges = config.hdm;
    outage.seen.port = config.link.port;
    ports_[config.link.port]->root.set_fall(outage.down_from);
  }
}

// The link of one port, and the firmware that brings it back: at its time, before all else.
void ModelEngine::step_outage(Time now) {
  Outage& outage = *outage_;
  using Phase = Outage::Phase;
  Port& port = *ports_[outage.seen.port];
  if (outage.phase == Phase::Before) take_link_down(outage, now);
  if (outage.phase == Phase::Down && now >= outage.down_until && !port.io.holds_down()) {
    outage.phase = Phase::Training;
    outage.seen.up_at = now;
    outage.trained_at = now + ceil_to_cycle(port.m2s.training_time());
  }
  if (outage.phase == Phase::Training && now >= outage.trained_at) bring_link_up(outage, now);
  step_firmware(outage, now);
  plan_outage(now);
}

void ModelEngine::take_link_down(Outage& outage, Time now) {
  Port& port = *ports_[outage.seen.port];
  outage.phase = Outage::Phase::Down;
  outage.seen.down_at = now;
  port.m2s.go_down(now);
  port.s2m.go_down(now);
  port.endpoint.catch_up(now);
  port.endpoint.set_link(false, now);
  port.root.set_link(false, now);
  port.io.set_link(false);
  port.root.set_isolated(port.io.isolated(), now);
  wake_all(outage.seen.port);
  outage.recovery = std::make_unique<PortRecovery>(outage.seen.port, system_, outage.ranges);
}

void ModelEngine::bring_link_up(Outage& outage, Time now) {
  Port& port = *ports_[outage.seen.port];
  outage.phase = Outage::Phase::Up;
  port.m2s.come_up(now);
  port.s2m.come_up(now);
  port.endpoint.catch_up(now);
  port.endpoint.set_link(true, now);
  port.root.set_link(true, now);
  port.io.set_link(true);
  wake_all(outage.seen.port);
}

// Accesses take no time; pauses do.
void ModelEngine::step_firmware(Outage& outage, Time now) {
  while (outage.recovery) {
    PortRecovery& recovery = *outage.recovery;
    if (recovery.done()) {
      recovery_problem_ = recovery.problem();
      outage.recovery.reset();
      outage.seen.recovered_at = now;
      just_recovered_ = true;
      return;
    }
    const FirmwareWish& wish = *recovery.wish();
    if (wish.is_pause) {
      if (outage.paused_until == Time::never()) outage.paused_until = now + wish.pause;
      if (now < outage.paused_until) return;
      outage.paused_until = Time::never();
      recovery.grant(0);
    } else if (wish.write) {
      write(wish.space, wish.index, wish.offset, wish.value);
      recovery.grant(0);
    } else {
      recovery.grant(read(wish.space, wish.index, wish.offset));
    }
  }
}

void ModelEngine::plan_outage(Time now) {
  const Outage& outage = *outage_;
  outage_next_ = outage.recovery ? outage.paused_until : Time::never();
  if (outage.phase == Outage::Phase::Training) {
    outage_next_ = earlier(outage_next_, outage.trained_at);
  } else if (outage.phase == Outage::Phase::Down) {
    outage_next_ = earlier(outage_next_, std::max(outage.down_until, now + kCycle));
  }
}

void ModelEngine::write(RegisterSpace space, unsigned index, std::uint32_t offset,
                        std::uint32_t value) {
  switch (space) {
    case RegisterSpace::HostBridge:
      if (offset < regs::hb::kBlock) {
        bridge_.decoder().write(offset, value);
        bridge_.decoders_change(now_);
      }
      break;
    case RegisterSpace::RootPort:
      if (IoPath::has(offset)) {
        IoPath& io = ports_[index]->access_path(now_);
        io.write(offset, value);
        if (outage_) ports_[index]->root.set_isolated(io.isolated(), now_);
      } else {
        ports_[index]->root.write_register(offset, value, now_);
        wake_all(index);
      }
      break;
  }
}

std::uint32_t ModelEngine::read(RegisterSpace space, unsigned index, std::uint32_t offset) {
  if (space == RegisterSpace::HostBridge) return bridge_.read_register(offset);
  if (index >= ports_.size()) return 0;  // a page without a port
  return IoPath::has(offset) ? ports_[index]->access_path(now_).read(offset)
                             : ports_[index]->root.read_register(offset, now_);
}

// A register may have let go what was held.
void ModelEngine::wake_all(unsigned port) {
  ports_[port]->wake_root(now_);
  ports_next_ = earlier(ports_next_, now_);
  bridge_.wake(now_);
}

bool ModelEngine::submit(const MemRequest& request) {
  refused_ = !bridge_.submit(request, now_);
  return !refused_;
}

std::optional<MemResponse> ModelEngine::take() {
  return bridge_.take(now_);
}

void ModelEngine::advance_to(Time t) {
  Time stop = t;
  just_recovered_ = false;
  for (;;) {
    stop = earlier(stop, bridge_.next_response());
    if (refused_) stop = earlier(stop, bridge_.submit_from());
    const Time next = next_activity();
    if (next >= stop) break;
    now_ = later(now_, next);
    cycle(now_);
    if (just_recovered_) stop = std::min(stop, now_ + kCycle);
  }
  refused_ = false;
  if (stop != Time::never()) now_ = stop;
}

void ModelEngine::cycle(Time now) {
  if (outage_next_ <= now) step_outage(now);
  note_roots(bridge_.tick(now));
  if (ports_next_ <= now) {
    ports_next_ = Time::never();
    for (unsigned i = 0; i < ports_.size(); ++i) {
      Port& port = *ports_[i];
      if (port.next <= now) {
        port.act(now);
        if (port.root.responding()) bridge_.responds(i);
      }
      ports_next_ = earlier(ports_next_, port.next);
    }
    bridge_.ports_moved(now);
  }
  note_roots(bridge_.end_cycle(now));
}

// The bridge gave these root ports something to do.
void ModelEngine::note_roots(std::uint32_t ports) {
  for (; ports != 0; ports &= ports - 1) {
    Port& port = *ports_[static_cast<unsigned>(std::countr_zero(ports))];
    port.next = earlier(port.next, port.root.next_event());
    ports_next_ = earlier(ports_next_, port.next);
  }
}

// The registers show links and endpoint as they stand now.
IoPath& ModelEngine::Port::access_path(Time now) {
  endpoint.catch_up(now);
  io.set_link_status(m2s.status(now), s2m.status(now));
  io.set_busy(root.busy());
  return io;
}

void ModelEngine::Port::act(Time now) {
  if (root.next_event() <= now) root.tick(now);
  if (endpoint.next_event() <= now) endpoint.tick(now);
  if (m2s.pack_event() <= now) endpoint.wake(m2s.pack(now));
  if (s2m.pack_event() <= now) root.wake(s2m.pack(now));
  next = earlier(earlier(m2s.pack_event(), s2m.pack_event()),
                 earlier(root.next_event(), endpoint.next_event()));
}

LinkTotals ModelEngine::link(unsigned port) const {
  return {ports_[port]->m2s.counters(), ports_[port]->s2m.counters()};
}

Time ModelEngine::first_damage() const {
  Time first = Time::never();
  for (const auto& port : ports_) {
    first = earlier(first, earlier(port->m2s.first_damage(), port->s2m.first_damage()));
  }
  return first;
}

}  // namespace cxlgpu
