// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
// The golden model as an engine: root complex, links, endpoints and media, event driven.
//
// Purpose: composes the model's parts by the contracts of docs/blocks; nothing in it comes from
//          the RTL. A clock cycle in which no part has anything to do costs nothing.
// Order:   within a cycle parts run so that each sees the others as they stood when it began:
//          deliveries, host bridge, root ports, endpoints, packing.
// Errors:  as Engine; bring-up errors are InputError.
#pragma once

#include <algorithm>
#include <memory>
#include <optional>
#include <vector>

#include "refmodel/common/engine.hpp"
#include "refmodel/common/ring_queue.hpp"
#include "refmodel/common/trace_event.hpp"
#include "refmodel/controller/link_direction.hpp"
#include "refmodel/cxl_io/io_path.hpp"
#include "refmodel/endpoint/endpoint.hpp"
#include "refmodel/firmware/bring_up.hpp"
#include "refmodel/firmware/port_recovery.hpp"
#include "refmodel/gpu/ds_region.hpp"
#include "refmodel/host_bridge/host_bridge.hpp"
#include "refmodel/root_port/root_port.hpp"
#include "refmodel/system/config.hpp"
#include "refmodel/system/link_outage.hpp"

namespace cxlgpu {

// Flits of one link, both directions, as every engine counts them.
struct LinkTotals {
  LinkCounters m2s, s2m;
};

class ModelEngine : public Engine, public RegisterBus {
 public:
  // `media[i]` is the part behind port i and outlives the engine; `sink` may be null.
  ModelEngine(const RunConfig& config, const EndpointParts& parts, const std::vector<Media*>& media,
              TraceSink* sink);

  [[nodiscard]] Time now() const override { return now_; }
  bool submit(const MemRequest& request) override;
  std::optional<MemResponse> take() override;
  void advance_to(Time t) override;

  [[nodiscard]] LinkTotals link(unsigned port) const;
  // Of the link that goes down and comes back; null without one.
  [[nodiscard]] const LinkOutage* outage() const { return outage_ ? &outage_->seen : nullptr; }
  // What firmware found wrong after it.
  [[nodiscard]] const std::string& recovery_problem() const { return recovery_problem_; }
  // What bring-up found.
  [[nodiscard]] const SystemInfo& system() const { return system_; }

  // Registers; an access takes no time.
  void write(RegisterSpace space, unsigned index, std::uint32_t offset,
             std::uint32_t value) override;
  std::uint32_t read(RegisterSpace space, unsigned index, std::uint32_t offset) override;

 private:
  struct Port {
    TransactionStore store;
    LinkDirection m2s, s2m;
    RootPort root;
    Endpoint endpoint;
    IoPath io;
    Time next = Time::never();  // of the four
    Port(unsigned number, const RunConfig& config, Media& media, DsRegion& local, TraceSink* sink);
    // The bridge gave the root port something to do.
    void wake_root(Time now) {
      root.wake(now);
      next = std::min(next, now);
    }
    IoPath& access_path(Time now);
    void deliver(Time now);
    void act(Time now);
  };
  struct Answer {
    MemResponse response;
    Time visible;
  };
  struct Outage {
    enum class Phase : std::uint8_t { Before, Down, Training, Up } phase = Phase::Before;
    Time down_from, down_until, trained_at;
    std::vector<HdmRange> ranges;  // that the endpoint is given
    LinkOutage seen;
    std::unique_ptr<PortRecovery> recovery;
    Time paused_until = Time::never();
  };

  // A request in a register of the host bridge or of the adapter before it.
  struct Held {
    unsigned slot = 0;  // of requests_
    Time visible;
  };

  void step_outage(Time now);
  void take_link_down(Outage& outage, Time now);
  void bring_link_up(Outage& outage, Time now);
  void step_firmware(Outage& outage, Time now);
  void plan_outage(Time now);
  void cycle(Time now);
  void wake_all(unsigned port);
  void forward(Time now);
  void collect(Time now);
  void collect(Time now, bool writes, std::uint32_t offers);
  // Ways out: the ports, then the local answer.
  [[nodiscard]] unsigned local_way() const { return static_cast<unsigned>(ports_.size()); }
  [[nodiscard]] unsigned way_of(const Held& held) const;
  [[nodiscard]] bool can_leave(unsigned port) const;
  [[nodiscard]] bool any_can_leave() const;
  void leaves(unsigned way);
  [[nodiscard]] bool bridge_moves(Time now) const;
  [[nodiscard]] bool answers_locally(Time now) const {
    return ways_.back() && ways_.back()->visible <= now;
  }
  [[nodiscard]] Time next_activity() const {
    return std::min(std::min(ports_next_, outage_next_), std::min(bridge_next_, collect_next_));
  }
  void raise(Time at, Stage stage, std::uint32_t id, std::uint64_t addr, std::uint32_t info,
             unsigned port) const;

  TraceSink* sink_;
  SystemInfo system_;
  Time now_{0};
  DsRegion local_;
  std::vector<std::unique_ptr<Port>> ports_;
  HdmDecoder decoder_{HdmDecoder::Role::HostBridge};
  std::array<RoundRobin, 2> arbiters_;  // of reads, of writes
  std::vector<MemRequest> requests_;    // a slot for each register of bridge and adapter
  std::uint32_t free_slots_;
  std::vector<std::optional<Held>> ways_;  // the bridge's registers, one each way out
  std::optional<Held> adapter_;
  std::optional<unsigned> offered_;  // slot: on the bus, not yet taken by the adapter
  bool refused_ = false;             // a submit() since the last advance_to()
  bool stuck_ = false;               // the bridge sleeps until a port has room
  std::uint32_t responding_ = 0;     // root ports with a response for the bus
  RingQueue<Answer, 256> answers_;
  std::optional<Outage> outage_;
  Time outage_next_ = Time::never();
  bool just_recovered_ = false;
  std::string recovery_problem_;
  Time ports_next_ = Time::never();
  Time bridge_next_ = Time::never();
  Time collect_next_ = Time::never();  // a response waits for the bus
};

}  // namespace cxlgpu
