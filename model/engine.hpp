// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
// The event-driven machine as an engine: root complex, links, endpoints and media.
//
// Purpose: composes the model's parts by the contracts of docs/blocks; nothing in it comes from
//          the RTL. A clock cycle in which no part has anything to do costs nothing.
// Order:   within a cycle parts run so that each sees the others as they stood when it began: host
//          bridge, root ports, endpoints, packing. What a flit brings is there from its time on.
// Errors:  as Engine; bring-up errors are InputError.
#pragma once

#include <algorithm>
#include <memory>
#include <optional>
#include <vector>

#include "common/counters.hpp"
#include "common/engine.hpp"
#include "common/link_outage.hpp"
#include "common/trace_event.hpp"
#include "model/endpoint.hpp"
#include "model/host_bridge.hpp"
#include "model/io_path.hpp"
#include "model/link.hpp"
#include "model/root_port.hpp"
#include "sim/config/config.hpp"
#include "sim/firmware/bring_up.hpp"
#include "sim/firmware/port_recovery.hpp"
#include "sim/gpu/ds_region.hpp"

namespace cxlgpu {

class ModelEngine : public Engine, public RegisterBus {
 public:
  // `media[i]` is the part behind port i and outlives the engine; `sink` may be null. `own_policy`:
  // precondition of policy Own.
  ModelEngine(const RunConfig& config, const EndpointParts& parts, const std::vector<Media*>& media,
              TraceSink* sink, const MakePrefetcher& own_policy = {});

  [[nodiscard]] Time now() const override { return now_; }
  bool submit(const MemRequest& request) override;
  bool hint(const Hint& hint) override { return bridge_.hint(hint, now_); }
  std::optional<MemResponse> take() override;
  void advance_to(Time t) override;

  [[nodiscard]] LinkTotals link(unsigned port) const;
  // When the first damaged flit was sent on any link; never() before.
  [[nodiscard]] Time first_damage() const;
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
    LinkDirection m2s, s2m;
    RootPortModel root;
    EndpointModel endpoint;
    IoPath io;
    Time next = Time::never();  // of the four
    Port(unsigned number, const RunConfig& config, Media& media, DsRegion& local, TraceSink* sink,
         std::unique_ptr<Prefetcher> own_policy);
    // The bridge gave the root port something to do.
    void wake_root(Time now) {
      root.wake(now);
      next = earlier(next, now);
    }
    IoPath& access_path(Time now);
    void act(Time now);
  };
  struct Outage {
    enum class Phase : std::uint8_t { Before, Down, Training, Up } phase = Phase::Before;
    Time down_from, down_until, trained_at;
    std::vector<HdmRange> ranges;  // that the endpoint is given
    LinkOutage seen;
    std::unique_ptr<PortRecovery> recovery;
    Time paused_until = Time::never();
  };

  void step_outage(Time now);
  void take_link_down(Outage& outage, Time now);
  void bring_link_up(Outage& outage, Time now);
  void step_firmware(Outage& outage, Time now);
  void plan_outage(Time now);
  void cycle(Time now);
  void note_roots(std::uint32_t ports);
  void wake_all(unsigned port);
  [[nodiscard]] Time next_activity() const {
    return earlier(earlier(ports_next_, outage_next_), bridge_.next_event());
  }

  SystemInfo system_;
  Time now_{0};
  DsRegion local_;
  std::vector<std::unique_ptr<Port>> ports_;
  HostBridgeModel bridge_;
  bool refused_ = false;  // a submit() since the last advance_to()
  std::optional<Outage> outage_;
  Time outage_next_ = Time::never();
  bool just_recovered_ = false;
  std::string recovery_problem_;
  Time ports_next_ = Time::never();
};

}  // namespace cxlgpu
