// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
// The RTL as an engine: the verilated top, its links, its media, its checkers.
//
// Purpose: drives rtl/top/cxlgpu_top, inside tb/cxlgpu_bench, one clock cycle at a time: system bus
//          on one side, link models in the middle, media models at the far end; turns trace ports
//          into trace events, and lets every flit pass the wire checker.
// Units:   now() counts from the end of bring-up; the FST and the flit log count from reset.
// Order:   a cycle first applies its inputs and samples outputs and handshakes, then the clock
// rises. Errors:  InputError if the configuration asks for another number of ports than the RTL
// has.
#pragma once

#include <array>
#include <memory>
#include <optional>
#include <vector>

#include "common/ring_queue.hpp"
#include "flits/output_file.hpp"
#include "sim/config/config.hpp"
#include "sim/firmware/port_recovery.hpp"
#include "sim/gpu/ds_region.hpp"
#include "tb/system_engine.hpp"
#include "tb/wire_monitor.hpp"

class Vcxlgpu_top;
class Vcxlgpu_fast;
class VerilatedContext;
class VerilatedFstC;

namespace cxlgpu {

class CoverageWriter;
class WaveText;

// Top: a verilated tb/cxlgpu_bench with so many ports.
template <typename Top, unsigned Ports>
class BasicRtlEngine : public SystemEngine, public RegisterBus {
 public:
  BasicRtlEngine(const RunConfig& config, const EngineParts& parts, const EngineOptions& options);
  ~BasicRtlEngine() override;

  [[nodiscard]] Time now() const override { return time_ - epoch_; }
  bool submit(const MemRequest& request) override;
  bool hint(const Hint& hint) override;
  std::optional<MemResponse> take() override;
  void advance_to(Time t) override;

  std::optional<std::string> drain() override;
  [[nodiscard]] SrCounters speculation(unsigned port) const override {
    return speculation_.at(port);
  }
  [[nodiscard]] HintCounters hints(unsigned port) const override { return hints_.at(port); }
  [[nodiscard]] BridgeHintCounters bridge_hints() const override { return bridge_hints_; }
  [[nodiscard]] std::optional<InternalDramCounters> internal_dram(unsigned port) const override {
    return internal_dram_.at(port);
  }
  [[nodiscard]] LinkTotals link(unsigned port) const override;
  [[nodiscard]] std::uint64_t cycles() const override { return time_.ps / kCycle.ps; }
  [[nodiscard]] std::vector<std::string> problems() const override;
  [[nodiscard]] FirstProblem first_problem() const override;
  [[nodiscard]] Time since_reset(Time of_run) const override { return of_run + epoch_; }
  [[nodiscard]] const LinkOutage* outage() const override { return outage_ ? &*outage_ : nullptr; }
  [[nodiscard]] Disturbance disturbance() const override;
  [[nodiscard]] std::optional<Time> first_request() const override { return first_request_; }
  [[nodiscard]] std::optional<std::string> waves_problem() const override { return waves_problem_; }

  // Registers of the root complex. Two cycles each, in which the rest of the system goes on.
  void write(RegisterSpace space, unsigned index, std::uint32_t offset,
             std::uint32_t value) override;
  std::uint32_t read(RegisterSpace space, unsigned index, std::uint32_t offset) override;

 private:
  static constexpr unsigned kPorts = Ports;

  void set_register_port(RegisterSpace space, unsigned index, std::uint64_t request);
  void settle_links(const RunConfig& config);
  void reset_and_train(const RunConfig& config);
  void cycle();
  void end(bool whole) override;
  void step_outage();
  void step_firmware();
  [[nodiscard]] bool is_held_down(unsigned port) const;
  void await_recovery();
  void finish_hints();
  void drive_bus();
  void drive_link(unsigned port, Time edge);
  void drive_media(unsigned port);
  void drive_local(unsigned port);
  void sample_bus();
  void sample_answers();
  void sample_link(unsigned port);
  void sample_media(unsigned port);
  void sample_local(unsigned port);
  void sample_traces();
  void sample_port_traces(unsigned port);
  void on_message(unsigned port, Time at, flits::Direction direction, const flits::Item& item);
  // The media's clock starts with the run.
  [[nodiscard]] Time media_time() const { return running_ ? now() : Time{0}; }
  void raise(Stage stage, unsigned port, std::uint32_t id, std::uint64_t line, std::uint32_t info);
  // The top as it is, at `time`, if that is in the window.
  void dump(Time time);
  void open_waves();
  // Texts of what arrives at a port and its endpoint in this cycle.
  void show_flits(unsigned port, bool due);
  void close_waves();

  EngineParts parts_;
  EngineOptions options_;
  DsRegion local_;
  bool stores_;  // deterministic
  SystemInfo system_;
  std::vector<SrCounters> speculation_;
  std::vector<HintCounters> hints_;
  BridgeHintCounters bridge_hints_;
  std::vector<std::optional<InternalDramCounters>> internal_dram_;
  std::unique_ptr<VerilatedContext> context_;
  std::unique_ptr<Top> top_;
  std::unique_ptr<CoverageWriter> coverage_;  // after the top: it goes first
  std::optional<flits::OutputPlace> waves_;
  std::unique_ptr<WaveText> wave_text_;  // two tracks a port, M2S first
  std::unique_ptr<VerilatedFstC> fst_;
  bool dumped_ = false;
  std::optional<std::string> waves_problem_;
  std::vector<std::unique_ptr<WireMonitor>> wires_;
  std::unique_ptr<flits::FlitLogWriter> log_;
  Time time_{0}, epoch_{0};
  std::optional<Time> first_request_;
  bool running_ = false;  // brought up
  // A link that goes down and comes back, and the firmware that brings its port back.
  std::optional<LinkOutage> outage_;
  Time down_from_ = Time::never(), down_until_ = Time::never();
  std::vector<HdmRange> ranges_;  // that its endpoint is given
  std::unique_ptr<PortRecovery> recovery_;
  unsigned access_cycles_ = 0;  // of the register access that firmware makes
  Time paused_until_{0};
  bool just_recovered_ = false;
  std::string recovery_problem_;
  std::optional<MemRequest> offered_;
  std::optional<Hint> hint_;              // on the bus for one cycle
  bool hinted_ = false;                   // there was one
  bool refused_ = false;                  // a submit() since the last advance_to()
  RingQueue<MemResponse, 1024> answers_;  // a register access leaves all that is in flight here
  std::array<bool, kPorts> gone_{};       // links that are down for good
  Time fault_at_ = Time::never();         // the first Recovery or removal of LinkFaults
  std::array<std::array<bool, 2>, kPorts> wire_ready_{};  // in this cycle, by direction
  std::array<std::optional<MediaResponse>, kPorts> media_answer_;
  std::array<std::array<std::uint32_t, 64>, kPorts> id_of_tag_{};
};

// CXLGPU_RTL_PORTS: of the configuration that this build has (configs/rtl).
extern template class BasicRtlEngine<Vcxlgpu_top, CXLGPU_RTL_PORTS>;
extern template class BasicRtlEngine<Vcxlgpu_fast, CXLGPU_RTL_PORTS>;

// The whole RTL.
using RtlEngine = BasicRtlEngine<Vcxlgpu_top, CXLGPU_RTL_PORTS>;
// The same without deterministic store and without waves, a third faster. While deterministic store
// is off no cycle of the two differs.
using FastRtlEngine = BasicRtlEngine<Vcxlgpu_fast, CXLGPU_RTL_PORTS>;

}  // namespace cxlgpu
