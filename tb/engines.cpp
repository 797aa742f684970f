// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
#include <utility>

#include "common/input_error.hpp"
#include "model/engine.hpp"
#include "sim/machine/memory_map.hpp"
#include "tb/cosim_engine.hpp"
#include "tb/replaying_engine.hpp"
#include "tb/run_until_quiet.hpp"
#include "tb/system_engine.hpp"

namespace cxlgpu {

namespace {

// The model behind the interface that all engines share.
class ModelSystem : public SystemEngine {
 public:
  ModelSystem(const RunConfig& config, const EndpointParts& endpoint,
              const std::vector<Media*>& media, TraceSink* sink)
      : media_(media),
        engine_(config, endpoint, media, sink),
        stores_(config.root_port.ds),
        ports_(config.ports) {}

  [[nodiscard]] Time now() const override { return engine_.now(); }
  bool submit(const MemRequest& request) override { return engine_.submit(request); }
  bool hint(const Hint& hint) override {
    hinted_ = true;
    return engine_.hint(hint);
  }
  std::optional<MemResponse> take() override { return engine_.take(); }
  void advance_to(Time t) override { engine_.advance_to(t); }
  std::optional<std::string> drain() override {
    await_recovery();
    finish_hints();
    return stores_ ? drain_stores(engine_, engine_, ports_) : std::nullopt;
  }
  void end(bool whole) override {
    if (whole) {
      await_recovery();
      finish_hints();
    }
    engine_.advance_to(engine_.now() + kLast);
    if (whole) run_until_quiet(engine_, media_);
    for (unsigned port = 0; port < ports_; ++port) {
      speculation_.push_back(read_speculation(engine_, port));
      hints_.push_back(read_hints(engine_, port));
      internal_dram_.push_back(read_internal_dram(engine_, engine_.system().endpoints[port]));
    }
    bridge_hints_ = read_bridge_hints(engine_);
  }
  [[nodiscard]] SrCounters speculation(unsigned port) const override {
    return speculation_.at(port);
  }
  [[nodiscard]] HintCounters hints(unsigned port) const override { return hints_.at(port); }
  [[nodiscard]] BridgeHintCounters bridge_hints() const override { return bridge_hints_; }
  [[nodiscard]] std::optional<InternalDramCounters> internal_dram(unsigned port) const override {
    return internal_dram_.at(port);
  }
  [[nodiscard]] LinkTotals link(unsigned port) const override { return engine_.link(port); }
  [[nodiscard]] std::uint64_t cycles() const override { return 0; }
  [[nodiscard]] std::vector<std::string> problems() const override {
    if (engine_.recovery_problem().empty()) return {};
    return {engine_.recovery_problem()};
  }
  [[nodiscard]] const LinkOutage* outage() const override { return engine_.outage(); }
  [[nodiscard]] Disturbance disturbance() const override {
    Disturbance first;
    first.note(engine_.first_damage(), "damaged flit");
    if (engine_.outage() != nullptr) first.note(engine_.outage()->down_at, "link outage");
    return first;
  }

 private:
  void await_recovery() {
    const Time limit = engine_.now() + kLongestOutage;
    while (engine_.outage() != nullptr && engine_.outage()->began() &&
           !engine_.outage()->recovered() && engine_.now() < limit) {
      engine_.advance_to(engine_.now() + kCycle * 64);
    }
  }

  void finish_hints() {
    if (!std::exchange(hinted_, false)) return;
    end_hints(engine_, engine_, ports_, kAccess);
    run_until_quiet(engine_, media_);
  }

  static constexpr Time kAccess = kCycle * 2;  // of a register of the RTL
  static constexpr Time kLongestOutage = kCycle * 2000000;
  static constexpr Time kLast = kCycle * 8;  // as the RTL goes on

  std::vector<Media*> media_;
  ModelEngine engine_;
  std::vector<SrCounters> speculation_;
  std::vector<HintCounters> hints_;
  BridgeHintCounters bridge_hints_;
  std::vector<std::optional<InternalDramCounters>> internal_dram_;
  bool stores_;  // deterministic
  bool hinted_ = false;
  unsigned ports_;
};

}  // namespace

namespace {

// The engine that `make` makes, with a fault buffer around it if its link goes down and comes back.
std::unique_ptr<SystemEngine> with_replay(const RunConfig& config, TraceSink* sink,
                                          const ReplayingEngine::Make& make) {
  if (config.link.down_at_us == 0) return make(sink);
  const MemoryMap map(config.hdm, {});
  const unsigned port = config.link.port;
  return std::make_unique<ReplayingEngine>(make, sink, [map, port](std::uint64_t addr) {
    const auto place = map.place(addr);
    return place && place->port == port;
  });
}

}  // namespace

std::unique_ptr<SystemEngine> make_engine(const RunConfig& config, const EngineParts& parts,
                                          const EngineOptions& options,
                                          const MakeRtlEngine& make_rtl) {
  const auto make_model = [&](const std::vector<Media*>& media, TraceSink* sink) {
    return with_replay(config, sink, [&](TraceSink* inner) -> std::unique_ptr<SystemEngine> {
      return std::make_unique<ModelSystem>(config, parts.endpoint, media, inner);
    });
  };
  if (config.engine == "model") {
    if (!options.waves.empty())
      throw InputError("--waves: the model has no waves; use --engine rtl or cosim");
    if (!options.flit_log.empty()) {
      throw InputError(
          "--flit-log: the model moves messages, not flits; use --engine rtl or cosim");
    }
    return make_model(parts.media, parts.sink);
  }
  const auto make_rtl_side = [&](TraceSink* sink) {
    return with_replay(config, sink, [&](TraceSink* inner) {
      EngineParts rtl = parts;
      rtl.sink = inner;
      return make_rtl(config, rtl, options);
    });
  };
  if (config.engine == "rtl") return make_rtl_side(parts.sink);
  const auto make_model_side = [&](TraceSink* sink) { return make_model(parts.model_media, sink); };
  return std::make_unique<CosimEngine>(make_rtl_side, make_model_side, config.ports, parts.sink,
                                       options.replay);
}

}  // namespace cxlgpu
